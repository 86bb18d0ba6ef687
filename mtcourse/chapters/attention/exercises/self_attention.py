"""The exercise ``self_attention``: three bugs to fix (D02, A06, B07; chapter 4)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("5 tokens whose values are as wide as their rows", _drawn(draw, (5, 4), 3, 4)),
        Case("3 sentences of 4 tokens", _drawn(draw, (3, 4, 5), 2, 2)),
        Case("2 sentences with 3 heads", _drawn(draw, (2, 3, 4, 6), 5, 3)),
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
    """The function of the notebook with some of its three bugs fixed."""
    Q, K = X @ W_Q, X @ W_K
    V = X @ W_V if values_mended else X @ W_K
    scores = Q @ K.mT / math.sqrt(Q.shape[-1] if scale_mended else X.shape[-1])
    return torch.softmax(scores, dim=-1 if axis_mended else -2) @ V


def _scores(X, W_Q, W_K):
    return X @ W_Q @ (X @ W_K).mT / math.sqrt(W_K.shape[-1])


def _weights(X, W_Q, W_K, dim=-1):
    return torch.softmax(_scores(X, W_Q, W_K), dim=dim)


def _divided(X, W_Q, W_K, W_V, divisor):
    """The three bugs fixed, and another divisor."""
    return torch.softmax(X @ W_Q @ (X @ W_K).mT / divisor, dim=-1) @ (X @ W_V)


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(X, W_Q, W_K, W_V):
        """Your function still returns what the broken version returns: all three bugs are in it.

        Compare it with the equation, line by line. What should each name hold, and what does it
        hold?
        """
        return _version(X, W_Q, W_K, W_V, False, False, False)

    def only_the_scale_mended(X, W_Q, W_K, W_V):
        """One bug is fixed: you divide the scores by the root of the right width. Two are left.

        Sum the rows of the weights. Then look for an argument that your function never uses.
        """
        return _version(X, W_Q, W_K, W_V, True, False, False)

    def only_the_axis_mended(X, W_Q, W_K, W_V):
        """One bug is fixed: each row of weights now sums to 1. Two are left.

        How many products does a score add up? And which argument does your function never use?
        """
        return _version(X, W_Q, W_K, W_V, False, True, False)

    def only_the_values_mended(X, W_Q, W_K, W_V):
        """One bug is fixed: you average values now. Two are left, and both concern the weights.

        How many products does a score add up? And what do the rows of the weights sum to?
        """
        return _version(X, W_Q, W_K, W_V, False, False, True)

    def scale_left(X, W_Q, W_K, W_V):
        """Two bugs are fixed. One is left: you divide the scores by √d_model.

        The dot product of a query and a key adds up d_k products. Where can you read off d_k?
        """
        return _version(X, W_Q, W_K, W_V, scale_mended=False)

    def axis_left(X, W_Q, W_K, W_V):
        """Two bugs are fixed. One is left: your softmax runs over the queries.

        Each query divides a weight of 1 among the keys. Sum the rows of the weights, and the
        columns.
        """
        return _version(X, W_Q, W_K, W_V, axis_mended=False)

    def values_left(X, W_Q, W_K, W_V):
        """Two bugs are fixed. One is left: you average the keys instead of the values.

        W_V is an argument. Does your function use it?
        """
        return _version(X, W_Q, W_K, W_V, values_mended=False)

    def not_scaled(X, W_Q, W_K, W_V):
        """The softmax and the values are right, but you no longer divide the scores.

        They were divided by the wrong number. What is the right one?
        """
        return torch.softmax(X @ W_Q @ (X @ W_K).mT, dim=-1) @ (X @ W_V)

    def divided_by_d_k(X, W_Q, W_K, W_V):
        """The softmax and the values are right, but you divide by d_k instead of its root.

        The broken version had the wrong width, but it was right to take a root.
        """
        return torch.softmax(X @ W_Q @ (X @ W_K).mT / W_K.shape[-1], dim=-1) @ (X @ W_V)

    def by_number_of_tokens(X, W_Q, W_K, W_V):
        """The softmax and the values are right, but you divide by the root of the number of tokens.

        How many products does the dot product of a query and a key add up?
        """
        scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(X.shape[-2])
        return torch.softmax(scores, dim=-1) @ (X @ W_V)

    def by_width_of_values(X, W_Q, W_K, W_V):
        """The softmax and the values are right, but you divide by the root of the values' width.

        Keys and values are often equally wide, but they need not be. Of which two vectors do you
        take the dot product?
        """
        scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_V.shape[-1])
        return torch.softmax(scores, dim=-1) @ (X @ W_V)

    def axis_counted_from_the_left(X, W_Q, W_K, W_V):
        """Your function is right for one sentence. But in a batch, dimension 1 is not that of the
        keys.

        Count from the right: the keys are always the last dimension of the scores, -1.
        """
        scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores, dim=1) @ (X @ W_V)

    def rows_for_values(X, W_Q, W_K, W_V):
        """The scale and the softmax are right, but you average the rows of X themselves.

        Values are computed from the rows of X, as queries and keys are.
        """
        scores = X @ W_Q @ (X @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores, dim=-1) @ X

    def queries_and_keys_exchanged(X, W_Q, W_K, W_V):
        """The three bugs are fixed, but you swapped queries and keys: each row belongs to a key.

        Row i of the scores belongs to query i. Which factor stands on the left?
        """
        scores = X @ W_K @ (X @ W_Q).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores, dim=-1) @ (X @ W_V)

    def softmax_over_dimension_0(X, W_Q, W_K, W_V):
        """Scale and values are right, but the softmax runs over dimension 0: the queries of one
        sentence, or the sentences of a batch.

        Count from the right: the keys are always the last dimension of the scores, -1.
        """
        return _weights(X, W_Q, W_K, dim=0) @ (X @ W_V)

    def softmax_over_everything(X, W_Q, W_K, W_V):
        """Scale and values are right, but all weights of a sentence together sum to 1.

        Each query divides a weight of 1 among the keys.
        """
        scores = _scores(X, W_Q, W_K)
        return torch.softmax(scores.flatten(-2), dim=-1).view_as(scores) @ (X @ W_V)

    def weights_turned(X, W_Q, W_K, W_V):
        """Your softmax runs over the keys, but the weights are transposed when they meet the
        values.

        Row i of the weights belongs to query i, and it makes row i of the output.
        """
        return _weights(X, W_Q, W_K).mT @ (X @ W_V)

    def repaired_after_the_softmax(X, W_Q, W_K, W_V):
        """Your softmax still runs over the queries; afterwards you divide each row by its sum.

        The rows sum to 1, but exponentials have been divided by the sums of columns before.
        """
        weights = _weights(X, W_Q, W_K, dim=-2)
        return weights / weights.sum(-1, keepdim=True) @ (X @ W_V)

    def softmax_both_ways(X, W_Q, W_K, W_V):
        """You take two softmaxes, one over the queries and one over the keys.

        Each query divides a weight of 1 among the keys, once.
        """
        return torch.softmax(_weights(X, W_Q, W_K, dim=-2), dim=-1) @ (X @ W_V)

    def softmax_twice(X, W_Q, W_K, W_V):
        """You take the softmax over the keys twice.

        Scores become weights by one softmax.
        """
        return torch.softmax(_weights(X, W_Q, W_K), dim=-1) @ (X @ W_V)

    def no_softmax(X, W_Q, W_K, W_V):
        """You multiply the scores by the values, without a softmax.

        The broken version takes its softmax along the wrong dimension, but it does need one.
        """
        return _scores(X, W_Q, W_K) @ (X @ W_V)

    def weights_divided(X, W_Q, W_K, W_V):
        """You divide by √d_k after the softmax. The division belongs to the scores.

        If all values are 1, a mean of them must be 1. What does yours give?
        """
        return _divided(X, W_Q, W_K, W_V, 1.0) / math.sqrt(W_K.shape[-1])

    def outputs_divided_too(X, W_Q, W_K, W_V):
        """You divide by √d_k twice: before the softmax, and once more after it.

        A mean of values is as large as the values.
        """
        return correct(X, W_Q, W_K, W_V) / math.sqrt(W_K.shape[-1])

    def multiplied(X, W_Q, W_K, W_V):
        """You multiply the products by √d_k. Divide them by it.

        Wider queries and keys make larger sums. The scale should make them smaller again.
        """
        return _divided(X, W_Q, W_K, W_V, 1 / math.sqrt(W_K.shape[-1]))

    def divided_by_d_model(X, W_Q, W_K, W_V):
        """The softmax and the values are right, but you divide by d_model, without a root.

        How many products does the dot product of a query and a key add up?
        """
        return _divided(X, W_Q, W_K, W_V, X.shape[-1])

    def a_quarter_of_the_width(X, W_Q, W_K, W_V):
        """You take a quarter of the width of X for d_k, as in the translator.

        d_k is the width of queries and keys. Which shapes have it?
        """
        return _divided(X, W_Q, W_K, W_V, math.sqrt(X.shape[-1] / 4))

    def root_of_32(X, W_Q, W_K, W_V):
        """You divide by √32, the translator's √d_k, whatever d_k is here.

        d_k is the width of queries and keys. Which shapes have it?
        """
        return _divided(X, W_Q, W_K, W_V, math.sqrt(32))

    def root_rounded_down(X, W_Q, W_K, W_V):
        """You round √d_k down to a whole number.

        `math.isqrt`, `int` and `//` drop the decimals. The root of 8 is 2.83.
        """
        return _divided(X, W_Q, W_K, W_V, math.isqrt(W_K.shape[-1]))

    def root_of_the_first_size(X, W_Q, W_K, W_V):
        """You divide by the root of the first size of X: the number of tokens, or of sentences.

        How many products does the dot product of a query and a key add up?
        """
        return _divided(X, W_Q, W_K, W_V, math.sqrt(X.shape[0]))

    def root_of_size_1(X, W_Q, W_K, W_V):
        """You divide by the root of the second size of the queries, which is d_k only without a
        batch.

        Count from the right: d_k is the last size of the queries.
        """
        return _divided(X, W_Q, W_K, W_V, math.sqrt((X @ W_Q).shape[1]))

    def values_of_queries(X, W_Q, W_K, W_V):
        """Scale and softmax are right, but you average the queries instead of the values.

        W_V is an argument. Does your function use it?
        """
        return _weights(X, W_Q, W_K) @ (X @ W_Q)

    def queries_twice(X, W_Q, W_K, W_V):
        """You compare the queries with themselves: W_K is not used.

        Queries and keys are made from the same rows, by two different matrices.
        """
        return _weights(X, W_Q, W_Q) @ (X @ W_V)

    def keys_twice(X, W_Q, W_K, W_V):
        """You compare the keys with themselves: W_Q is not used.

        Queries and keys are made from the same rows, by two different matrices.
        """
        return _weights(X, W_K, W_K) @ (X @ W_V)

    def queries_with_values(X, W_Q, W_K, W_V):
        """You compare the queries with the values.

        A score is the dot product of a query and a key.
        """
        values = X @ W_V
        return torch.softmax(X @ W_Q @ values.mT / math.sqrt(W_K.shape[-1]), dim=-1) @ values

    def rows_compared(X, W_Q, W_K, W_V):
        """You compare the rows of X themselves, without W_Q and W_K.

        Queries and keys are computed from the rows of X.
        """
        scores = X @ X.mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores, dim=-1) @ (X @ W_V)

    def rows_added(X, W_Q, W_K, W_V):
        """You add X to the outputs, which fits only where d_v = d_model.

        A residual connection goes around a whole layer. Return the means of the values alone.
        """
        return correct(X, W_Q, W_K, W_V) + X

    def later_tokens_hidden(X, W_Q, W_K, W_V):
        """You hide later tokens, as a decoder does.

        There are no masks in this chapter: every token sees every token.
        """
        scores = _scores(X, W_Q, W_K)
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return torch.softmax(scores.masked_fill(later, -math.inf), dim=-1) @ (X @ W_V)

    def weights_for_outputs(X, W_Q, W_K, W_V):
        """You return the weights, and not yet the means of the values.

        What are the weights multiplied by?
        """
        return _weights(X, W_Q, W_K)

    def returns_weights_too(X, W_Q, W_K, W_V):
        """You return both outputs and weights. Return only the outputs.

        A function that returns `a, b` returns a tuple.
        """
        return correct(X, W_Q, W_K, W_V), _weights(X, W_Q, W_K)

    def sentences_end_to_end(X, W_Q, W_K, W_V):
        """You put the sentences of a batch end to end, so that each attends to all.

        No sentence may see another. Leave the leading dimensions as they are.
        """
        flat = correct(X.reshape(-1, X.shape[-1]), W_Q, W_K, W_V)
        return flat.reshape(*X.shape[:-1], -1)

    def nothing_to_learn_by(X, W_Q, W_K, W_V):
        """The outputs are right, but no gradient flows back.

        Was something detached, or copied into a new tensor?
        """
        return correct(X, W_Q, W_K, W_V).detach()

    def weights_without_gradient(X, W_Q, W_K, W_V):
        """The outputs are right, but no gradient flows back through the weights.

        Only W_V would learn. Were the weights detached?
        """
        return _weights(X, W_Q, W_K).detach() @ (X @ W_V)


class Right:
    """Right answers, written differently."""

    def mended(X, W_Q, W_K, W_V):
        """The version of the notebook with all three bugs fixed."""
        return _version(X, W_Q, W_K, W_V)

    def projects_the_mean(X, W_Q, W_K, W_V):
        """Takes the mean of the rows first, then W_V: matrix products may be grouped in any way."""
        weights = (X @ W_Q @ (X @ W_K).mT * W_Q.shape[1] ** -0.5).softmax(-1)
        return weights @ X @ W_V

    def one_matrix_for_scores(X, W_Q, W_K, W_V):
        """W_Q and W_K meet only in their product."""
        scores = torch.einsum("...id,de,...je->...ij", X, W_Q @ W_K.T, X) / W_K.size(-1) ** 0.5
        return torch.softmax(scores, -1) @ (X @ W_V)

    def one_token_at_a_time(X, W_Q, W_K, W_V):
        """Loops over sentences and tokens."""
        if X.dim() > 2:
            return torch.stack([Right.one_token_at_a_time(one, W_Q, W_K, W_V) for one in X])
        keys, values = X @ W_K, X @ W_V
        scores = [keys @ (x @ W_Q) / math.sqrt(keys.shape[1]) for x in X]
        return torch.stack([s.softmax(0) @ values for s in scores])


EXERCISE = Exercise(
    id="self_attention",
    oracle=correct,
    hint="Three things to get right: what the scores are divided by, along which dimension the "
    "softmax runs, and what the values are made from. Which of them is still wrong?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("attention",),
)
