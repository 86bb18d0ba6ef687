"""The questions of chapter 5."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from mtcourse.chapters.masks.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor) -> str:
    """A row of numbers as it is written on paper."""
    return ", ".join(f"{value:.2f}" for value in values.flatten().tolist())


def _size(*shape: int) -> str:
    return " × ".join(map(str, shape))


_HIDDEN = (
    torch.tensor([[0.0, math.log(3), math.log(6)]]),
    torch.tensor([[True, True, False]]),
)
_WEIGHTS = _KNOWN["masked_weights"]

_BATCH, _HEADS, _LENGTH = 3, 8, 6
_BOTH = torch.broadcast_shapes((_BATCH, 1, 1, _LENGTH), (_LENGTH, _LENGTH))

_IDS = (torch.tensor([[5, 7, 6, 3], [9, 3, 0, 0]]), 0)
_PADDING = _KNOWN["padding_mask"]


def _pairs(mask: Tensor) -> str:
    """How many pairs of query and key a mask allows."""
    return str(int(mask.expand(2, 1, 4, 4).sum()))


_OUTSIDE, _D_K = -10.0, 64
_ROOT = math.isqrt(_D_K)

_SCORES = torch.tensor([[0.0, math.log(3)]])


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")


QUESTIONS = (
    Question(
        "weights beside a hidden key",
        "A query has the scores 0, ln 3 and ln 6, and a mask hides the third key. Which weights "
        "does the query get?",
        _row(_WEIGHTS.oracle(*_HIDDEN)),
        "The softmax runs over the allowed keys only: their exponentials are 1 and 3, and each is "
        "divided by 4.",
        (
            mistake_of(
                _WEIGHTS,
                "zeroed_after_softmax",
                _HIDDEN,
                _row,
                "You set the hidden weight to 0 after the softmax. Its exponential still stands in "
                "the denominator. What does the row sum to?",
            ),
            mistake_of(
                _WEIGHTS,
                "mask_not_used",
                _HIDDEN,
                _row,
                "These are the weights without a mask. A hidden key should count as if it did not "
                "exist.",
            ),
            Mistake(
                _row(torch.softmax(_HIDDEN[0] * _HIDDEN[1], dim=-1)),
                "You set the hidden score to 0. Its exponential is then 1, so the key still gets "
                "weight.",
                "masked_weights.hidden_scores_are_0",
            ),
        ),
    ),
    Question(
        "padding of a batch",
        "A batch for an encoder has two sentences of four positions. The first has no padding, the "
        "second ends in two `<pad>`. How many of the 32 pairs of query and key does the padding "
        "mask allow?",
        _pairs(_PADDING.oracle(*_IDS)),
        "A padding mask hides keys, not queries. In the second sentence all four queries may "
        "attend to two keys: 16 + 4 · 2.",
        (
            mistake_of(
                _PADDING,
                "queries_and_keys",
                _IDS,
                _pairs,
                "You emptied the rows of the padding queries, too. A padding mask is about keys: "
                "which keys may a padding query attend to?",
            ),
            mistake_of(
                _PADDING,
                "causal_too",
                _IDS,
                _pairs,
                "You hid later keys as well, as a decoder does. An encoder reads the whole "
                "sentence.",
            ),
            mistake_of(
                _PADDING,
                "padding_of_any_sentence",
                _IDS,
                _pairs,
                "You hid the last two positions in both sentences. Each sentence has its own "
                "padding.",
            ),
        ),
    ),
    Question(
        "two masks together",
        f"A batch has {_BATCH} sentences of {_LENGTH} positions, and attention has {_HEADS} heads. "
        "A padding mask and a causal mask, in the shapes of the chapter, are combined by *and*. "
        "What is the shape of the result?",
        _size(*_BOTH),
        "The padding mask is 3 × 1 × 1 × 6 and the causal mask 6 × 6. Broadcasting repeats the one "
        "over queries and the other over sentences. Nothing is repeated over heads yet.",
        (
            Mistake(
                _size(_BATCH, _HEADS, _LENGTH, _LENGTH),
                "That is the shape of the scores. Neither mask has an axis of size 8: which size "
                "stands there?",
                "padding_mask.a_row_for_each_query",
            ),
            Mistake(
                _size(_BATCH, _LENGTH, _LENGTH),
                "There is no axis for the heads. Against the scores, the sentences of this mask "
                "would be aligned with the heads.",
                "decoder_mask.without_dimension_for_heads",
            ),
            Mistake(
                _size(_BATCH, 1, 1, _LENGTH),
                "That is the padding mask alone. The causal mask has another row for each query.",
                "decoder_mask.padding_alone",
            ),
        ),
    ),
    Question(
        "a loss without a causal mask",
        "You train a decoder and forget the causal mask. How does its loss compare with that of a "
        "decoder that has the mask?",
        "lower in training, and lower on held-out sentences",
        "In both cases the input contains the tokens that the model has to predict. Only with the "
        "mask put back, as at inference, does the loss become high.",
        (
            Mistake(
                "lower in training, but higher on held-out sentences",
                "That would be overfitting. But in a held-out sentence, too, the decoder can look "
                "at the tokens that it has to predict.",
                "causal_mask.all_allowed",
            ),
            Mistake(
                "higher in training, and higher on held-out sentences",
                "Nothing that helps is hidden here. What can a position find among the later "
                "tokens?",
                "causal_mask.future_instead_of_past",
            ),
            Mistake(
                "NaN in training, from the first step on",
                "That happens if a row has no key left to attend to, as without the diagonal. "
                "Without a mask, every row has all keys.",
                "causal_mask.not_itself",
            ),
        ),
    ),
    Question(
        "a finite value inside the division",
        f"Added after the division by √d_k, the mask value {_number(_OUTSIDE)} hides keys well "
        f"enough for you. Which value hides them equally well inside the division, if d_k is "
        f"{_D_K}?",
        _number(_OUTSIDE * _ROOT),
        "Inside, the mask value is divided by √64 = 8 together with the product. To lower the "
        "score by 10 it must be eight times as large.",
        (
            Mistake(
                _number(_OUTSIDE),
                "Inside the division the mask value is divided, too. By how much does −10 then "
                "lower the score?",
                "hidden_weight.always_outside",
            ),
            Mistake(
                _number(_OUTSIDE / _ROOT),
                "You divided where you should multiply. The division makes the mask value smaller, "
                "and you have to make up for that.",
                "hidden_weight.v_multiplied_outside",
            ),
            Mistake(
                _number(_OUTSIDE * _D_K),
                "You multiplied by d_k. The scores are divided by its square root.",
                "hidden_weight.divided_by_d_k",
            ),
        ),
    ),
    Question(
        "everything hidden",
        "A row has the scores 0 and ln 3, and both of its keys are hidden. The code adds −1000 to "
        "the score of each hidden key and takes the softmax. What weights come out?",
        _row(torch.softmax(_SCORES - 1000, dim=-1)),
        "A softmax does not change if the same number is added to a whole row. So the finite value "
        "hides nothing: these are the weights without a mask.",
        (
            Mistake(
                "0.00, 0.00",
                "That is what such a row should give in this course. But a bare softmax makes "
                "every row sum to 1.",
                "hidden_weight.nothing_for_low_values",
            ),
            Mistake(
                "NaN, NaN",
                "That is what −∞ gives: every exponential is 0, and so is their sum. −1000 is "
                "finite. What is left if you add 1000 to both scores?",
                "masked_weights.empty_rows_are_nan",
            ),
            Mistake(
                _row(torch.full((1, 2), 0.5)),
                "That would be right if both scores were replaced by −1000. Here −1000 is added. "
                "By how much do the two scores still differ?",
                "masked_weights.filled_with_minus_1e9",
            ),
        ),
    ),
)
