"""The exercise ``cross_attention``: one sentence asks another (A15, A16, B17, D04; chapter 06)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
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
        Case("2 rows that ask and 3 that answer, the last one padding", by_hand, by_hand=True),
        Case("a single row that asks", _drawn(draw, (), 1, 4, 5, 6, 3, [4])),
        Case("3 rows that ask and 6 that answer", _drawn(draw, (), 3, 6, 5, 4, 2, [6])),
        Case("6 rows that ask and 4 that answer, one of them padding",
             _drawn(draw, (), 6, 4, 5, 4, 3, [3])),
        Case("4 rows on either side", _drawn(draw, (), 4, 4, 4, 4, 4, [4])),
        Case("2 sentences, padded", _drawn(draw, (2,), 3, 5, 6, 4, 2, [5, 2])),
        Case("3 sentences, 3 rows that ask, padded", _drawn(draw, (3,), 3, 4, 5, 5, 5, [4, 3, 1])),
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


# --- wrong ---------------------------------------------------------------------------------------


def changes_H_E(X, H_E, W_Q, W_K, W_V, real):
    """The outputs are right, but H_E holds other numbers after the call than before.

    Do not write into an argument: the next layer of the decoder asks the same H_E.
    """
    H_E[~real] = 0
    return correct(X, H_E, W_Q, W_K, W_V, real)


def nothing_to_learn_by(X, H_E, W_Q, W_K, W_V, real):
    """The outputs are right, but gradients do not flow back to all that they were made of.

    The encoder learns through K and V alone. Where were numbers detached or copied?
    """
    return correct(X, H_E.detach(), W_Q, W_K, W_V, real)


def english_asks(X, H_E, W_Q, W_K, W_V, real):
    """The rows of H_E ask here, and those of X answer: there is a row for each English token.

    There should be a row for each Dutch token. Which matrix makes the queries?
    """
    return torch.softmax((H_E @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)


def dutch_asks_itself(X, H_E, W_Q, W_K, W_V, real):
    """Queries, keys and values all come from X: this is self-attention, and nobody asks H_E.

    Change a row of H_E. Does your output change?
    """
    return torch.softmax((X @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)


def values_of_the_asking_side(X, H_E, W_Q, W_K, W_V, real):
    """The keys come from H_E, but the values from X. It runs only where both are equally long.

    The weights say how much to take of each *English* row. Of what is the mean taken?
    """
    return _attend(X @ W_Q, H_E @ W_K, X @ W_V, real)


def keys_for_values(X, H_E, W_Q, W_K, W_V, real):
    """What is averaged are keys: W_V is never used.

    Keys say where to look, values say what is found there.
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_K, real)


def rows_for_values(X, H_E, W_Q, W_K, W_V, real):
    """What is averaged are the rows of H_E themselves: W_V is never used.

    Values are made from the rows, as keys are.
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E, real)


def padding_answers(X, H_E, W_Q, W_K, W_V, real):
    """Everything is right where nothing is padded. But padding is asked like a word.

    `real` says which English positions are words. Where in the computation must the others vanish?
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, torch.ones_like(real))


def only_padding_answers(X, H_E, W_Q, W_K, W_V, real):
    """The mask is the wrong way round: words are hidden, and padding is asked.

    `real` is True for words. `masked_fill` fills where its mask is True.
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, ~real)


def padding_scores_zero(X, H_E, W_Q, W_K, W_V, real):
    """The scores of padding are set to 0. A score of 0 is an average one, and gets weight.

    Which score has an exponential of 0?
    """
    scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores * real[..., None, :], -1) @ (H_E @ W_V)


def padding_rows_zero(X, H_E, W_Q, W_K, W_V, real):
    """The rows of padding are made 0, so they add nothing to the mean. But they still take weight.

    A key of zeros has the score 0. Sum the weights of the words alone.
    """
    H = H_E * real[..., None]
    return _attend(X @ W_Q, H @ W_K, H @ W_V, torch.ones_like(real))


def weights_zero_afterwards(X, H_E, W_Q, W_K, W_V, real):
    """Weights of padding are set to 0 after the softmax: the others no longer sum to 1.

    The sum under the fraction still counts padding. Hide it before the softmax.
    """
    scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
    return (torch.softmax(scores, -1) * real[..., None, :]) @ (H_E @ W_V)


def mask_without_an_axis(X, H_E, W_Q, W_K, W_V, real):
    """`real` has a row for each sentence, and was laid along the queries.

    Scores are (batch, m, n), `real` is (batch, n). It needs an axis for the queries: (batch, 1, n).
    """
    scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores.masked_fill(~real, -math.inf), -1) @ (H_E @ W_V)


def causal_triangle(X, H_E, W_Q, W_K, W_V, real):
    """There is a causal mask: Dutch token i sees only the first i English ones.

    The whole English sentence is there before the first Dutch word. What should be hidden from it?
    """
    scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril() & real[..., None, :]
    return torch.softmax(scores.masked_fill(~allowed, -math.inf), -1) @ (H_E @ W_V)


def softmax_over_dutch(X, H_E, W_Q, W_K, W_V, real):
    """The softmax runs over the Dutch tokens: they compete for each English one.

    Each Dutch token shares out a weight of 1. Along which axis must the weights sum to 1?
    """
    scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
    weights = torch.softmax(scores, -2) * real[..., None, :]
    return weights @ (H_E @ W_V)


def softmax_over_dutch_with_padding_hidden(X, H_E, W_Q, W_K, W_V, real):
    """The softmax runs over the Dutch tokens. In a column of padding all is −∞, and that gives nan.

    Each Dutch token shares out a weight of 1. Along which axis must the weights sum to 1?
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, dim=-2)


def all_axes_turned_around(X, H_E, W_Q, W_K, W_V, real):
    """For one sentence this is right. In a batch the keys' axes were all turned around.

    Only the last two change places: `K.mT`, and not `K.T`.
    """
    K = (H_E @ W_K).permute(*reversed(range(H_E.dim())))
    scores = (X @ W_Q) @ K / math.sqrt(W_K.shape[-1])
    return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), -1) @ (H_E @ W_V)


def not_scaled(X, H_E, W_Q, W_K, W_V, real):
    """The scores are not divided, as in document C (C37).

    A16, B17 and D04 divide. By the root of which width?
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, 1.0)


def divided_by_d_k(X, H_E, W_Q, W_K, W_V, real):
    """The scores are divided by d_k, and should be by its square root.

    The variance of a sum of d_k products is d_k. What is its standard deviation?
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, W_K.shape[-1])


def divided_by_root_of_d_model(X, H_E, W_Q, W_K, W_V, real):
    """The scores are divided by the root of d_model, the width of a row of X.

    The dot product adds up as many terms as a query is wide.
    """
    return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, math.sqrt(X.shape[-1]))


def weights_for_outputs(X, H_E, W_Q, W_K, W_V, real):
    """These are the weights, with a column for each English token. The values are not used.

    Asked for is the mean of the values that the weights make.
    """
    n = H_E.shape[-2]
    return _attend(X @ W_Q, H_E @ W_K, torch.eye(n, dtype=X.dtype), real)


# --- right ---------------------------------------------------------------------------------------


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
    """As document C writes it; padding is not even looked at."""
    if X.dim() > 2:
        parts = zip(X, H_E, real, strict=True)
        return torch.stack([one_row_at_a_time(x, H, W_Q, W_K, W_V, r) for x, H, r in parts])
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
    misconceptions=(
        changes_H_E,
        nothing_to_learn_by,
        english_asks,
        dutch_asks_itself,
        values_of_the_asking_side,
        keys_for_values,
        rows_for_values,
        padding_answers,
        only_padding_answers,
        padding_scores_zero,
        padding_rows_zero,
        weights_zero_afterwards,
        mask_without_an_axis,
        causal_triangle,
        softmax_over_dutch,
        softmax_over_dutch_with_padding_hidden,
        all_axes_turned_around,
        not_scaled,
        divided_by_d_k,
        divided_by_root_of_d_model,
        weights_for_outputs,
    ),
    right=(
        in_three_lines,
        with_einsum,
        one_row_at_a_time,
        with_the_kernel,
        scaled_queries,
    ),
    cases=cases,
    gradients=True,
)
