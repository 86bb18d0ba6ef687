"""The questions of chapter 4."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor) -> str:
    """A row of numbers as it is written on paper."""
    return ", ".join(f"{value:.2f}" for value in values.flatten().tolist())


def _size(values: Tensor) -> str:
    return " × ".join(map(str, values.shape))


_SCORES = torch.tensor([[0.0, math.log(2), math.log(7)]])
_SOFTMAX = _KNOWN["row_softmax"]

_QUERY = torch.tensor([[1.0, 2.0, 0.0, 1.0]])
_KEYS = torch.tensor([[2.0, 1.0, 1.0, 0.0], [0.0, 4.0, 1.0, 0.0]])
_SCORES_OF = _KNOWN["scaled_scores"]

_EVEN = (torch.zeros(1, 4), torch.ones(3, 4), torch.tensor([[3.0, 0.0], [6.0, 3.0], [0.0, 0.0]]))
_ATTENTION = _KNOWN["attention"]

_SURE = torch.tensor([[1.0, 0.0]])
_JACOBIAN = _KNOWN["softmax_jacobian"]

_D_K = 100

QUESTIONS = (
    Question(
        "weights of a row",
        "A query has the scores 0, ln 2 and ln 7. Which weights does the softmax make of them?",
        _row(_SOFTMAX.oracle(_SCORES)),
        "The exponentials of the scores are 1, 2 and 7. Divide each by their sum, 10.",
        (
            mistake_of(_SOFTMAX, "powers_of_two", (_SCORES,), _row),
            mistake_of(_SOFTMAX, "not_shared_out", (_SCORES,), _row),
            mistake_of(_SOFTMAX, "divided_by_the_largest", (_SCORES,), _row),
        ),
    ),
    Question(
        "scores of a query",
        "The query is (1, 2, 0, 1). The two keys are (2, 1, 1, 0) and (0, 4, 1, 0). What are "
        "its scaled scores?",
        _row(_SCORES_OF.oracle(_QUERY, _KEYS)),
        "The dot products are 4 and 8. Queries and keys have four entries, so both are "
        "divided by √4 = 2.",
        (
            mistake_of(_SCORES_OF, "not_scaled", (_QUERY, _KEYS), _row),
            mistake_of(_SCORES_OF, "divided_by_d_k", (_QUERY, _KEYS), _row),
            mistake_of(_SCORES_OF, "by_number_of_keys", (_QUERY, _KEYS), _row),
        ),
    ),
    Question(
        "equal scores",
        "All three scores of a query are equal. The values are (3, 0), (6, 3) and (0, 0). "
        "What is the output?",
        _row(_ATTENTION.oracle(*_EVEN)),
        "Equal scores make equal weights, one third each. The output is the mean of the values.",
        (
            mistake_of(_ATTENTION, "sum_of_values", _EVEN, _row),
            mistake_of(_ATTENTION, "weights_for_outputs", _EVEN, _row),
            Mistake(
                "3.00, 0.00",
                "That is the first value alone. A softmax does not choose one key: equal "
                "scores get "
                "equal weights.",
                "attention.best_key_alone",
            ),
        ),
    ),
    Question(
        "shape of the weights",
        "Five queries attend to seven keys. The keys are 64 wide, the values 32. What is the "
        "shape of the matrix of attention weights?",
        _size(torch.empty(5, 7)),
        "There is one weight for each pair of a query and a key: a row for each query, a "
        "column for each key.",
        (
            Mistake(
                _size(torch.empty(7, 5)),
                "You have a row for each key. The softmax runs over the keys of one query, and "
                "that "
                "query's weights are a row.",
                "attention.weights_turned",
            ),
            Mistake(
                _size(torch.empty(5, 32)),
                "That is the shape of the output: a row for each query, as wide as the values. Its "
                "rows are means of the values, and the weights say of which.",
                "attention.weights_for_outputs",
            ),
            Mistake(
                _size(torch.empty(5, 64)),
                "That is the shape of the queries. A score is one number for a pair of a query "
                "and a "
                "key, because the dot product adds up their 64 products.",
                "scaled_scores.products_not_summed",
            ),
        ),
    ),
    Question(
        "why it is divided",
        f"Queries and keys are {_D_K} wide. All their entries are independent, with mean 0 and"
        " variance 1. What is the standard deviation of a dot product, before any division?",
        f"{math.sqrt(_D_K):g}",
        f"Variances of independent terms add: {_D_K} products of variance 1 have the variance "
        f"{_D_K}, and the standard deviation is its root.",
        (
            Mistake(
                "1",
                "That is the standard deviation of one product, or of a score that is already "
                "divided. What happens to variances when independent numbers are added?",
                "score_variance.as_for_one_term",
            ),
            Mistake(
                f"{_D_K}",
                "That is the variance. The standard deviation is its square root.",
                "score_variance.deviation_is_the_variance",
            ),
            Mistake(
                f"{_D_K // 2}",
                "You halve the variance. The standard deviation is its square root.",
                "score_variance.halved_for_the_root",
            ),
        ),
    ),
    Question(
        "a row that cannot learn",
        "A row of weights is (1, 0). How does its first weight change, per unit, if the first"
        " score grows a little?",
        f"by {_JACOBIAN.oracle(_SURE)[0, 0, 0]:g}",
        "The derivative is p − p², with p = 1: all derivatives of a saturated row are 0, and "
        "no gradient gets through it.",
        (
            Mistake(
                f"by {_KNOWN['softmax_jacobian'].oracle(torch.tensor([[0.5, 0.5]]))[0, 0, 0]:g}",
                "That is the derivative where two keys share the weight evenly. Here one has "
                "all of "
                "it: put p = 1 into p − p².",
                "softmax_jacobian.one_on_the_diagonal",
            ),
            Mistake(
                "by 1",
                "You left out that the weights share a sum: what one key gains, others lose. The "
                "derivative is p − p².",
                "softmax_jacobian.diagonal_part",
            ),
            Mistake(
                "by −1",
                "A weight never falls when its own score grows. Put p = 1 into p − p².",
                "softmax_jacobian.weight_squared_on_the_diagonal",
            ),
        ),
    ),
)
