"""The questions of chapter 11."""

from __future__ import annotations

import math
from typing import Any

import torch

from mtcourse.chapters.worked_example.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _read(rows: Any) -> str:
    """What is read, of the two rows of a target."""
    return " ".join(rows[0])


def _labels(rows: Any) -> str:
    return " ".join(rows[1])


def _steps(moved: torch.Tensor) -> str:
    """The step as a number of learning rates."""
    return f"{-moved.item() / _RATE:.3g}"


_ONE_IN = (2, 2, 5)
_P = [1 / n for n in _ONE_IN]

_TARGET = (["le", "chat", "dort"], 4)
_ROWS = _KNOWN["teacher_rows"]

_RATE = 0.001
_BETAS = (0.8, 0.99)
_FIRST = (torch.zeros(1), torch.ones(1), _RATE, *_BETAS, 1e-9)
_STEP = _KNOWN["first_adam_step"]
_UNCORRECTED = (1 - _BETAS[0]) / math.sqrt(1 - _BETAS[1])

_LOW, _HIGH = 1, 3

QUESTIONS = (
    Question(
        "a longer sentence",
        "The source sentence gets two tokens longer, and the vocabularies stay as they are. Which "
        "parameter of the model gets another shape?",
        "none of them",
        "There are two more rows, but every matrix, gain and offset treats each row alike. No "
        "parameter's shape depends on the number of rows.",
        (
            Mistake(
                "W_output",
                "It turns each row of the decoder into a logit for each token of the target "
                "vocabulary. Neither of these two sizes has changed.",
                "dimension_flow.logits_of_the_encoder",
            ),
            Mistake(
                "W_K of cross-attention",
                "There are two more keys, but each is computed with the same matrix from a row of "
                "width 4.",
                "dimension_flow.cross_scores_of_the_encoder",
            ),
            Mistake(
                "the gains and offsets of the encoder's norms",
                "A norm has one gain and one offset for each column. All rows share them.",
                "dimension_flow.norms_for_each_row",
            ),
        ),
    ),
    Question(
        "from losses to a probability",
        "The labels of a short sentence are two words and `<EOS>`. Their losses are ln 2, ln 2 and "
        "ln 5. How probable is this sentence?",
        f"{math.prod(_P):.3g}",
        "The losses add up to ln 20, which is minus the logarithm of the sentence's probability.",
        (
            Mistake(
                f"{math.prod(_P[:2]):.3g}",
                "You left out <EOS>. Without it the model would go on writing, and that would be "
                "another sentence.",
                "sentence_probability.sentence_without_end",
            ),
            Mistake(
                f"{sum(_P) / 3:.3g}",
                "You took the mean of the three probabilities. A sentence needs all three choices, "
                "one after the other.",
                "sentence_probability.mean_of_the_six",
            ),
            Mistake(
                f"{min(_P):.3g}",
                "That is the least probable of the three choices. What do the other two do to the "
                "probability of the whole?",
                "sentence_probability.smallest_of_the_six",
            ),
        ),
    ),
    Question(
        "a model that copies",
        "In training, the loss soon falls to 0. Afterwards the model only repeats the token that "
        "it has just read. The decoder's input was `<BOS> le chat dort`. Which labels did the "
        "model most likely get?",
        _read(_ROWS.oracle(*_TARGET)),
        "These labels are the input itself, so each position had to write the token that it reads. "
        "The labels were not shifted.",
        (
            Mistake(
                _labels(_ROWS.oracle(*_TARGET)),
                "These labels are right, and the loss of a model that predicts the next token "
                "does not soon fall to 0. Compare each label with the token at the same position "
                "of the input.",
                "teacher_rows.rows_exchanged",
            ),
            mistake_of(
                _ROWS,
                "labels_without_end",
                _TARGET,
                _labels,
                "A model trained on these labels never learns to stop, but it has to predict the "
                "next word. When could it copy instead?",
            ),
            Mistake(
                "chat dort <EOS> <PAD>",
                "Here each label is two tokens behind the token that is read, so copying does not "
                "help. When would it?",
                "teacher_rows.shifted_left_twice",
            ),
        ),
    ),
    Question(
        "a gradient of exactly 0",
        "`<PAD>` is hidden, and the target is one complete sentence. Which of these gets a "
        "gradient of exactly 0?",
        "the embedding of <EOS> in the decoder's table",
        "The decoder never reads <EOS>: it is only a label. A parameter that cannot change the "
        "loss has the gradient 0.",
        (
            Mistake(
                "the column of <EOS> in W_output",
                "It computes the logit of <EOS> at every position, and this logit is in every "
                "softmax.",
                "teacher_rows.labels_without_end",
            ),
            Mistake(
                "the embedding of <BOS> in the decoder's table",
                "<BOS> is never a label, but it is read: at the first position, and by attention "
                "at all others.",
                "teacher_rows.no_bos",
            ),
            Mistake(
                "the embedding of a source word that gets little attention",
                "A small attention weight makes a gradient small, but not 0. What makes it exactly "
                "0?",
                "encoder_gradient.values_alone",
            ),
        ),
    ),
    Question(
        "a first step without corrections",
        f"Somebody forgets both corrections of Adam, with β₁ = {_BETAS[0]} and β₂ = {_BETAS[1]}. "
        "A gradient is 1, and ε is too small to matter. How many learning rates long is the first "
        "step?",
        f"{_UNCORRECTED:.3g}",
        f"m is {1 - _BETAS[0]:.1g} and v is {1 - _BETAS[1]:.2g}, whose root is "
        f"{math.sqrt(1 - _BETAS[1]):.1g}. The step is their quotient.",
        (
            Mistake(
                _steps(_STEP.oracle(*_FIRST)),
                "That is Adam's first step with both corrections. How large are m and v after one "
                "step if nothing corrects them?",
                "first_adam_step.sign_of_the_gradient",
            ),
            mistake_of(
                _STEP,
                "only_v_corrected",
                _FIRST,
                _steps,
                "Your v is corrected and your m is not. Both start at 0, and here both stay too "
                "small.",
            ),
            mistake_of(
                _STEP,
                "no_root_and_no_correction",
                _FIRST,
                _steps,
                "You divided by v itself. Adam divides by its root.",
            ),
        ),
    ),
    Question(
        "a difference of intervals",
        f"A number x lies between {_LOW} and {_HIGH}. What does interval arithmetic say of x − x?",
        f"between {_LOW - _HIGH} and {_HIGH - _LOW}".replace("-", "−"),
        "It forgets that both numbers are the same x, and lets each take its own worst value. The "
        "interval is correct, but wider than necessary.",
        (
            Mistake(
                "exactly 0",
                "That is true of x − x. But interval arithmetic sees two intervals, and it has "
                "forgotten that they belong to the same number.",
                "printed_bounds.all_moved_alike",
            ),
            Mistake(
                f"between 0 and {_HIGH - _LOW}",
                "The first x may also be the smaller of the two. Which is then the smallest "
                "difference?",
                "printed_bounds.only_upwards",
            ),
            Mistake(
                f"between {(_LOW - _HIGH) // 2} and {(_HIGH - _LOW) // 2}".replace("-", "−"),
                "You let only one of the two numbers move. Both may be anywhere in the interval.",
                "printed_bounds.first_input_only",
            ),
        ),
    ),
)
