"""The exercise ``cross_attention``: Dutch rows ask English (A15, A16, B17, D04; chapter 06)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import cross_attention as reference


def cases(draw: Draw) -> list[Case]:
    """Rows to check by hand, m < n, m > n and m = n, and batches with padding."""
    X = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    H_E = draw.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_Q = draw.tensor([[2 * math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    W_K = draw.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0]])
    W_V = draw.tensor([[8.0, 0.0], [0.0, 8.0]])
    by_hand = (X, H_E, W_Q, W_K, W_V, torch.tensor([True, True, False]))
    return [
        Case("2 queries and 3 keys, the last one padding", by_hand, by_hand=True),
        Case("a single query", _drawn(draw, (), 1, 4, 5, 6, 3, [4])),
        Case("3 queries and 6 keys", _drawn(draw, (), 3, 6, 5, 4, 2, [6])),
        Case("6 queries and 4 keys, one of them padding",
             _drawn(draw, (), 6, 4, 5, 4, 3, [3])),
        Case("4 queries and 4 keys", _drawn(draw, (), 4, 4, 4, 4, 4, [4])),
        Case("2 sentences, padded", _drawn(draw, (2,), 3, 5, 6, 4, 2, [5, 2])),
        Case("3 sentences, 3 queries each, padded", _drawn(draw, (3,), 3, 4, 5, 5, 5, [4, 3, 1])),
    ]  # fmt: skip


def _drawn(draw: Draw, batch, m, n, d_model, d_k, d_v, lengths):
    """Rows, weights, and which English positions are real."""
    real = torch.arange(n) < torch.tensor(lengths).reshape(*batch, 1)
    widths = d_k, d_k, d_v
    return (
        draw.normal(*batch, m, d_model),
        draw.normal(*batch, n, d_model),
        *(draw.normal(d_model, width) for width in widths),
        real,
    )


def correct(X, H_E, W_Q, W_K, W_V, real):
    """The readable reference."""
    return reference.cross_attention(X, H_E, W_Q, W_K, W_V, real[..., None, :])


def _attend(Q, K, V, real, divisor=None, dim=-1):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), dim=dim) @ V


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_H_E(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but your function changes H_E.

        Do not write into an argument: the next decoder layer reads the same H_E.
        """
        H_E[~real] = 0
        return correct(X, H_E, W_Q, W_K, W_V, real)

    def nothing_to_learn_by(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but gradients do not flow back to all arguments.

        The encoder learns only through the keys and the values. Where did you detach or copy a
        tensor?
        """
        return correct(X, H_E.detach(), W_Q, W_K, W_V, real)

    def english_asks(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries from H_E, and keys and values from X: your output has a row for each
        English token.

        It should have a row for each Dutch token. Which rows must the queries come from?
        """
        return torch.softmax((H_E @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)

    def dutch_asks_itself(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries, keys and values all from X. This is self-attention, and H_E is not
        used.

        Change a row of H_E. Does your output change?
        """
        return torch.softmax((X @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)

    def values_of_the_asking_side(X, H_E, W_Q, W_K, W_V, real):
        """Your keys come from H_E, but your values from X. This only runs if both have equally many
        rows.

        The weights tell how much to take of each *English* row. Which rows belong in the mean?
        """
        return _attend(X @ W_Q, H_E @ W_K, X @ W_V, real)

    def keys_for_values(X, H_E, W_Q, W_K, W_V, real):
        """Your output is a weighted mean of the keys: W_V is never used.

        Keys say where to look, values say what is found there.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_K, real)

    def rows_for_values(X, H_E, W_Q, W_K, W_V, real):
        """Your output is a weighted mean of the rows of H_E: W_V is never used.

        Values are computed from these rows, just as keys are.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E, real)

    def padding_answers(X, H_E, W_Q, W_K, W_V, real):
        """Your result is right where nothing is padded. But padding gets weight, as if it were a
        word.

        `real` marks the English positions that are words. At which step must the others be hidden?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, torch.ones_like(real))

    def only_padding_answers(X, H_E, W_Q, W_K, W_V, real):
        """Your mask is inverted: it hides words and leaves padding visible.

        `real` is True for words, and `masked_fill` fills where its mask is True.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, ~real)

    def padding_scores_zero(X, H_E, W_Q, W_K, W_V, real):
        """You set the scores of padding to 0. That is an average score, so padding gets weight.

        Which score has an exponential of 0?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores * real[..., None, :], -1) @ (H_E @ W_V)

    def padding_rows_zero(X, H_E, W_Q, W_K, W_V, real):
        """You set the rows of padding to 0. They add nothing to the mean, but they still take
        weight away from the words.

        A key of zeros has the score 0. What do the weights of the words alone sum to?
        """
        H = H_E * real[..., None]
        return _attend(X @ W_Q, H @ W_K, H @ W_V, torch.ones_like(real))

    def weights_zero_afterwards(X, H_E, W_Q, W_K, W_V, real):
        """You set the weights of padding to 0 after the softmax, so the other weights no longer sum
        to 1.

        The denominator of the softmax still counts padding. Hide it before the softmax.
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return (torch.softmax(scores, -1) * real[..., None, :]) @ (H_E @ W_V)

    def mask_without_an_axis(X, H_E, W_Q, W_K, W_V, real):
        """You laid `real`, which has a row for each sentence, along the queries.

        Scores are (batch, m, n), and `real` is (batch, n). It needs an axis for the queries:
        (batch, 1, n).
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores.masked_fill(~real, -math.inf), -1) @ (H_E @ W_V)

    def causal_triangle(X, H_E, W_Q, W_K, W_V, real):
        """You apply a causal mask: Dutch token i sees only the first i English tokens.

        The whole English sentence is known before the first Dutch word. What should be hidden from
        it?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril() & real[..., None, :]
        return torch.softmax(scores.masked_fill(~allowed, -math.inf), -1) @ (H_E @ W_V)

    def softmax_over_dutch(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over the Dutch tokens: they compete for each English token.

        Each Dutch token divides a weight of 1 among the English ones. Along which axis must the
        weights sum to 1?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        weights = torch.softmax(scores, -2) * real[..., None, :]
        return weights @ (H_E @ W_V)

    def softmax_over_dutch_with_padding_hidden(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over the Dutch tokens. A column of padding holds only −∞, and this
        gives NaN.

        Each Dutch token divides a weight of 1 among the English ones. Along which axis must the
        weights sum to 1?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, dim=-2)

    def all_axes_turned_around(X, H_E, W_Q, W_K, W_V, real):
        """Your result is right for a single sentence. In a batch, you reversed all axes of the
        keys.

        Swap only the last two: `K.mT`, not `K.T`.
        """
        K = (H_E @ W_K).permute(*reversed(range(H_E.dim())))
        scores = (X @ W_Q) @ K / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), -1) @ (H_E @ W_V)

    def not_scaled(X, H_E, W_Q, W_K, W_V, real):
        """You do not divide the scores. Neither does document C (C37).

        Documents A, B and D divide them. By the root of which width?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, 1.0)

    def divided_by_d_k(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, W_K.shape[-1])

    def divided_by_root_of_d_model(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by the root of d_model, the width of a row of X.

        How many products does the dot product of a query and a key add up?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, math.sqrt(X.shape[-1]))

    def weights_for_outputs(X, H_E, W_Q, W_K, W_V, real):
        """You returned the attention weights themselves, with a column for each English token.

        The output should be a weighted mean of the values: one row of width d_v for each query.
        """
        n = H_E.shape[-2]
        return _attend(X @ W_Q, H_E @ W_K, torch.eye(n, dtype=X.dtype), real)


class Right:
    """Right answers, written differently."""

    def in_three_lines(X, H_E, W_Q, W_K, W_V, real):
        """The equation as it stands."""
        scores = (X @ W_Q) @ (H_E @ W_K).transpose(-2, -1) / W_Q.shape[1] ** 0.5
        scores = scores + torch.zeros(real.shape, dtype=X.dtype).masked_fill(
            ~real, -math.inf
        ).unsqueeze(-2)
        return scores.softmax(-1) @ (H_E @ W_V)

    def with_einsum(X, H_E, W_Q, W_K, W_V, real):
        """Names the dimensions; exponentials times 0 and 1."""
        scores = torch.einsum("...md,dk,...ne,ek->...mn", X, W_Q, H_E, W_K) / math.sqrt(W_K.shape[1])
        e = (scores - scores.amax(-1, keepdim=True)).exp() * real.to(X.dtype).unsqueeze(-2)
        return torch.einsum("...mn,...nd,dv->...mv", e / e.sum(-1, keepdim=True), H_E, W_V)

    def one_row_at_a_time(X, H_E, W_Q, W_K, W_V, real):
        """As document C writes it; padding is left out from the start."""
        if X.dim() > 2:
            parts = zip(X, H_E, real, strict=True)
            return torch.stack([Right.one_row_at_a_time(x, H, W_Q, W_K, W_V, r) for x, H, r in parts])
        keys, values = H_E[real] @ W_K, H_E[real] @ W_V
        rows = [torch.softmax(keys @ (x @ W_Q) / len(keys[0]) ** 0.5, 0) @ values for x in X]
        return torch.stack(rows)

    def with_the_kernel(X, H_E, W_Q, W_K, W_V, real):
        """Torch's own after the projections."""
        kernel = torch.nn.functional.scaled_dot_product_attention
        return kernel(X @ W_Q, H_E @ W_K, H_E @ W_V, attn_mask=real[..., None, :])

    def scaled_queries(X, H_E, W_Q, W_K, W_V, real):
        """Divides the queries, and projects the mean of the rows."""
        scores = (X @ W_Q / math.sqrt(W_Q.shape[-1])) @ (H_E @ W_K).mT
        hidden = real.logical_not()[..., None, :]
        return torch.softmax(torch.where(hidden, -math.inf, scores), -1) @ H_E @ W_V


EXERCISE = Exercise(
    id="cross_attention",
    oracle=correct,
    hint="Write the shapes: queries (m, d_k) from X, keys (n, d_k) and values (n, d_v) from H_E, "
    "scores (m, n). Then hide padding, take the softmax of each row, and average the values.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
