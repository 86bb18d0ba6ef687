"""The exercise ``self_attention``: three bugs to mend (D02, A06, B07; chapter 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import attention


def cases(draw: Draw) -> list[Case]:
    """Sizes that all differ, sizes that coincide, and sentences in a batch."""
    X = draw.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_Q = draw.tensor([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 2.0]])
    W_K = draw.tensor([[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, -1.0]])
    W_V = draw.tensor([[4.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0]])
    return [
        Case("three tokens, 2 wide, and d_k = 4", (X, W_Q, W_K, W_V), by_hand=True),
        Case("a single token", _drawn(draw, (1, 3), 2, 2)),
        Case("5 tokens, 6 wide, and d_k = 3", _drawn(draw, (5, 6), 3, 3)),
        Case("4 tokens, 3 wide, and d_k = 8", _drawn(draw, (4, 3), 8, 8)),
        Case("5 tokens whose values are wider than their keys", _drawn(draw, (5, 6), 2, 4)),
        Case("3 sentences of 4 tokens", _drawn(draw, (3, 4, 5), 2, 2)),
        Case("4 sentences of 4 tokens", _drawn(draw, (4, 4, 6), 3, 3)),
    ]


def _drawn(draw: Draw, shape, d_k, d_v):
    """Rows of tokens and the three matrices of weights."""
    widths = d_k, d_k, d_v
    return draw.normal(*shape), *(draw.normal(shape[-1], width) for width in widths)


def correct(X, W_Q, W_K, W_V):
    """The readable reference."""
    return attention.self_attention(X, W_Q, W_K, W_V)


def _version(X, W_Q, W_K, W_V, scale_mended=True, axis_mended=True, values_mended=True):
    """The function of the notebook with some of its three bugs mended."""
    Q, K = X @ W_Q, X @ W_K
    V = X @ W_V if values_mended else X @ W_K
    scores = Q @ K.mT / math.sqrt(Q.shape[-1] if scale_mended else X.shape[-1])
    return torch.softmax(scores, dim=-1 if axis_mended else -2) @ V


# --- wrong ---------------------------------------------------------------------------------------


def nothing_mended(X, W_Q, W_K, W_V):
    """This still does what the broken version does: all three bugs are in it.

    Take it line by line, beside the equation. What should each name hold, and what does it hold?
    """
    return _version(X, W_Q, W_K, W_V, False, False, False)


def only_the_scale_mended(X, W_Q, W_K, W_V):
    """One bug is mended: scores are divided by the root of the right width. Two are left.

    Sum the rows of the weights. Then look for a matrix of weights that is never used.
    """
    return _version(X, W_Q, W_K, W_V, True, False, False)


def only_the_axis_mended(X, W_Q, W_K, W_V):
    """One bug is mended: each row of weights sums to 1. Two are left.

    Which width does the dot product add over? And which matrix of weights is never used?
    """
    return _version(X, W_Q, W_K, W_V, False, True, False)


def only_the_values_mended(X, W_Q, W_K, W_V):
    """One bug is mended: the values are values. Two are left, and both are about the weights.

    Which width does the dot product add over? And what do the rows of the weights sum to?
    """
    return _version(X, W_Q, W_K, W_V, False, False, True)


def scale_left(X, W_Q, W_K, W_V):
    """Two bugs are mended. One is left: the scores are divided by √d_model.

    The dot product of a query and a key adds d_k terms. Where can you read d_k?
    """
    return _version(X, W_Q, W_K, W_V, scale_mended=False)


def axis_left(X, W_Q, W_K, W_V):
    """Two bugs are mended. One is left: the softmax runs over the queries.

    Each query shares out its own 1 among the keys. Sum the rows of the weights, and the columns.
    """
    return _version(X, W_Q, W_K, W_V, axis_mended=False)


def values_left(X, W_Q, W_K, W_V):
    """Two bugs are mended. One is left: what is averaged are keys.

    W_V is an argument. Does your function use it?
    """
    return _version(X, W_Q, W_K, W_V, values_mended=False)


def not_scaled(X, W_Q, W_K, W_V):
    """Axis and values are right, but the division is gone altogether.

    It was by the wrong number. By which one should it be?
    """
    return torch.softmax(X @ W_Q @ (X @ W_K).mT, dim=-1) @ (X @ W_V)


def divided_by_d_k(X, W_Q, W_K, W_V):
    """Axis and values are right, but the scores are divided by d_k, and should be by its root.

    The width was wrong, the root was not.
    """
    return torch.softmax(X @ W_Q @ (X @ W_K).mT / W_K.shape[-1], dim=-1) @ (X @ W_V)


def by_number_of_tokens(X, W_Q, W_K, W_V):
    """Axis and values are right, but the scores are divided by the root of the number of tokens.

    The dot product of a query and a key adds as many terms as they are wide.
    """
    scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(X.shape[-2])
    return torch.softmax(scores, dim=-1) @ (X @ W_V)


def by_width_of_values(X, W_Q, W_K, W_V):
    """Axis and values are right, but the scores are divided by the root of the values' width.

    Often keys and values are equally wide, but they need not be. The dot product is one of a query
    and a key.
    """
    scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_V.shape[-1])
    return torch.softmax(scores, dim=-1) @ (X @ W_V)


def axis_counted_from_the_left(X, W_Q, W_K, W_V):
    """One sentence is right, a batch is not: there the dimension 1 is that of the queries.

    Count from the right: the keys are always the last dimension of the scores, -1.
    """
    scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores, dim=1) @ (X @ W_V)


def rows_for_values(X, W_Q, W_K, W_V):
    """Scale and axis are right, but what is averaged are the rows of X themselves.

    Values are made from the rows, as queries and keys are.
    """
    scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores, dim=-1) @ X


def queries_and_keys_exchanged(X, W_Q, W_K, W_V):
    """The three bugs are mended, but now the keys ask and the queries answer.

    Row i of the scores belongs to query i. Which factor stands on the left?
    """
    scores = X @ W_K @ (X @ W_Q).mT / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores, dim=-1) @ (X @ W_V)


# --- right ---------------------------------------------------------------------------------------


def mended(X, W_Q, W_K, W_V):
    """The version of the notebook with all three mended."""
    return _version(X, W_Q, W_K, W_V)


def projects_the_mean(X, W_Q, W_K, W_V):
    """The mean of the rows first, then W_V: matrix products may be grouped as one likes."""
    weights = (X @ W_Q @ (X @ W_K).mT * W_Q.shape[1] ** -0.5).softmax(-1)
    return weights @ X @ W_V


def one_matrix_for_scores(X, W_Q, W_K, W_V):
    """W_Q and W_K meet only in their product."""
    scores = torch.einsum("...id,de,...je->...ij", X, W_Q @ W_K.T, X) / W_K.size(-1) ** 0.5
    return torch.softmax(scores, -1) @ (X @ W_V)


def one_token_at_a_time(X, W_Q, W_K, W_V):
    """Loops over sentences and tokens."""
    if X.dim() > 2:
        return torch.stack([one_token_at_a_time(one, W_Q, W_K, W_V) for one in X])
    keys, values = X @ W_K, X @ W_V
    scores = [keys @ (x @ W_Q) / math.sqrt(keys.shape[1]) for x in X]
    return torch.stack([s.softmax(0) @ values for s in scores])


EXERCISE = Exercise(
    id="self_attention",
    oracle=correct,
    hint="Three things to get right: what the scores are divided by, along which dimension the "
    "softmax goes, and what the values are made from. Which of them is still wrong?",
    misconceptions=(
        nothing_mended,
        only_the_scale_mended,
        only_the_axis_mended,
        only_the_values_mended,
        scale_left,
        axis_left,
        values_left,
        not_scaled,
        divided_by_d_k,
        by_number_of_tokens,
        by_width_of_values,
        axis_counted_from_the_left,
        rows_for_values,
        queries_and_keys_exchanged,
    ),
    right=(
        mended,
        projects_the_mean,
        one_matrix_for_scores,
        one_token_at_a_time,
    ),
    cases=cases,
    gradients=True,
    forbids=("scaled_dot_product_attention", "multi_head_attention_forward"),
)
