"""The questions of chapter 12."""

from __future__ import annotations

from typing import Any

import torch

from mtcourse.chapters.training.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _weight(after: Any) -> str:
    """The weight, of what an update returns."""
    return f"{after[0].item():.4g}"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _share(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}"


_TIME = (900, 100, 0.009)
_SCHEDULE = _KNOWN["schedule"]

_WEIGHT, _RATE, _DECAY = 4.0, 0.1, 0.5
_STILL = torch.zeros(1)
_UPDATE = (torch.tensor([_WEIGHT]), _STILL, _STILL, _STILL, 1, _RATE, 0.9, 0.98, 1e-9, _DECAY)
_ADAMW = _KNOWN["adam"]

_BATCHES = ((30, 2), (10, 6))  # target tokens, mean loss
_POSITIONS = 60
_SUM = sum(tokens * loss for tokens, loss in _BATCHES)

_TEXTS = (["de", "man", "de", "man", "de"], [["de", "hond", "ziet", "de", "man"]], 2)
_COUNTS = _KNOWN["clipped_counts"]

QUESTIONS = (
    Question(
        "a rate after the warm-up",
        "A schedule has 100 steps of warm-up and the peak rate 0.009. Afterwards the rate falls "
        "with the inverse square root of the step. What is it at step 900?",
        _number(_SCHEDULE.oracle(*_TIME)),
        "The peak is at step 100, and step 900 is nine times as late. The rate is the peak "
        "divided by √9.",
        (
            mistake_of(
                _SCHEDULE,
                "falls_without_a_root",
                _TIME,
                _number,
                "You divided the peak by 9. The rate falls with the *root* of the step.",
            ),
            mistake_of(
                _SCHEDULE,
                "jump_after_warmup",
                _TIME,
                _number,
                "You divided the peak by √900. Then the rate would jump down right after the "
                "warm-up: at step 100 it has to be the peak.",
            ),
            mistake_of(
                _SCHEDULE,
                "constant_after_warmup",
                _TIME,
                _number,
                "That is the peak, which the rate has only at the end of the warm-up.",
            ),
        ),
    ),
    Question(
        "a weight without a gradient",
        f"In AdamW, a weight is {_WEIGHT:g}, the learning rate {_RATE:g} and the decay "
        f"{_DECAY:g}. At the first step its gradient is 0. What is the weight afterwards?",
        _weight(_ADAMW.oracle(*_UPDATE)),
        f"AdamW decays the weight apart from its gradient: it loses the share {_RATE:g} · "
        f"{_DECAY:g} of itself.",
        (
            mistake_of(
                _ADAMW,
                "decay_in_the_gradient",
                _UPDATE,
                _weight,
                "You added the decay to the gradient, as an L2 penalty does. Adam then divides "
                "it by its own size, and the weight moves by the learning rate.",
            ),
            mistake_of(
                _ADAMW,
                "decay_without_the_rate",
                _UPDATE,
                _weight,
                "You took off the decay alone. The learning rate multiplies it, too.",
            ),
            mistake_of(
                _ADAMW,
                "decay_left_out",
                _UPDATE,
                _weight,
                "You let the gradient decide alone. The decay does not need one.",
            ),
        ),
    ),
    Question(
        "two batches, one update",
        f"Two batches are accumulated to one update. The first has {_BATCHES[0][0]} target tokens "
        f"and the mean loss {_BATCHES[0][1]}; the second has {_BATCHES[1][0]} and the mean loss "
        f"{_BATCHES[1][1]}. With padding they have {_POSITIONS} positions in all. Which loss "
        "should the update have?",
        f"{_SUM // sum(tokens for tokens, _ in _BATCHES)}",
        "All 40 tokens count the same: the losses add up to 60 + 60, and the update divides once "
        "by 40.",
        (
            Mistake(
                f"{sum(loss for _, loss in _BATCHES) // len(_BATCHES)}",
                "You took the mean of the two means, so each token of the small batch counts "
                "three times as much as one of the large batch.",
                "accumulation_lines.weight_is_right",
            ),
            Mistake(
                f"{_SUM // _POSITIONS}",
                "You divided by all positions. Padding is not learnt, so it should not make the "
                "loss smaller.",
                "diagnose.run_1_divided_wrongly",
            ),
        ),
    ),
    Question(
        "pairs of words that match",
        "For BLEU, *de man de man de* is compared with the one reference *de hond ziet de man*. "
        "How many of the translation's pairs of neighbouring words count as matches?",
        _share(_COUNTS.oracle(*_TEXTS)),
        "The translation has the pairs de man, man de, de man and man de. The reference has de man "
        "once and man de never, so only one of the four matches.",
        (
            mistake_of(
                _COUNTS,
                "not_clipped",
                _TEXTS,
                _share,
                "You counted de man twice. How often does the reference have it?",
            ),
            mistake_of(
                _COUNTS,
                "different_grams",
                _TEXTS,
                _share,
                "You counted each different pair once. A repeated pair that does not match lowers "
                "the precision, too.",
            ),
            mistake_of(
                _COUNTS,
                "total_of_words",
                _TEXTS,
                _share,
                "The matches are right. But how many pairs of neighbours do five words have?",
            ),
        ),
    ),
    Question(
        "what a curve says",
        "A training loss drops early to the loss of a model that knows only how frequent the "
        "tokens are. Then it stays flat, far above the other runs. What should you try first?",
        "a lower learning rate",
        "An early step threw the weights so far off that training never recovered. The early drop "
        "proves little, because frequencies are easy to learn.",
        (
            Mistake(
                "a higher learning rate",
                "That helps a curve that is still falling slowly and steadily at the end. This "
                "one fell fast, and then no more.",
                "diagnose.run_5_is_slow",
            ),
            Mistake(
                "more dropout",
                "That helps against overfitting, where the training loss falls and only the "
                "development loss rises.",
                "diagnose.run_4_dropout",
            ),
            Mistake(
                "the causal mask, which seems to be missing",
                "A model that reads its own answers has a loss that is too good. This one is too "
                "high.",
                "diagnose.run_1_without_mask",
            ),
        ),
    ),
    Question(
        "a leak",
        "You test a decoder with random weights. The logit of y_2 has a gradient other than 0 "
        "with respect to the embedding of y_2 in the decoder's input. What do you conclude?",
        "the shift or the mask is wrong, and it may be either",
        "With both, the prediction of y_2 reads only y_1. If either is missing, y_2 can reach its "
        "own prediction.",
        (
            Mistake(
                "the shift is wrong, because it alone hides y_2 from its prediction",
                "With the shift, y_2 is the input of the next row. What keeps row 2 from attending "
                "to it?",
                "what_is_seen.shift_alone_hides_the_label",
            ),
            Mistake(
                "the mask is wrong, because it alone hides y_2 from its prediction",
                "A causal mask lets each row attend to its own input. Without the shift, what is "
                "the input of row 2?",
                "what_is_seen.mask_hides_the_label",
            ),
            Mistake(
                "nothing is wrong, because each row may read its own input",
                "A row may read its own input, but with the shift that is not the token that it "
                "has to predict.",
                "what_is_seen.own_label_in_spite_of_both",
            ),
        ),
    ),
)
