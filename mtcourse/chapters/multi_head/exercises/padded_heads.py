"""The exercise ``padded_heads``: three bugs to fix (A25, A26, B06, C10; chapter 9)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """As many sentences as heads, more, fewer and a single one; padding or none."""
    return [
        Case("a single sentence", _drawn(draw, 1, 4, 6, 2, [4])),
        Case("2 sentences and 2 heads, nothing padded", _drawn(draw, 2, 4, 4, 2, [4, 4])),
        Case("3 sentences and 3 heads", _drawn(draw, 3, 5, 6, 3, [5, 2, 4])),
        Case("3 sentences and 2 heads", _drawn(draw, 3, 4, 6, 2, [1, 4, 3])),
        Case("2 sentences and one head", _drawn(draw, 2, 3, 4, 1, [2, 3])),
        Case("2 sentences and 4 heads", _drawn(draw, 2, 6, 8, 4, [6, 4])),
        Case("padding between words", _with_gaps(draw)),
    ]


def _with_gaps(draw):
    *given, _ = _drawn(draw, 2, 5, 6, 3, [5, 5])
    gaps = [[True, False, True, True, False], [True, True, False, True, False]]
    return *given, torch.tensor(gaps)


def _drawn(draw, batch, n, d, h, lengths):
    real = torch.arange(n) < torch.tensor(lengths)[:, None]
    W = (draw.normal(d, d, scale=1.3 / math.sqrt(d)) for _ in range(4))
    return (draw.normal(batch, n, d), *W, h, real)


def correct(X, W_Q, W_K, W_V, W_O, h, real):
    """All three bugs fixed."""
    return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, mask=True, join=True)


def _version(X, W_Q, W_K, W_V, W_O, h, real, scale=False, mask=False, join=False):
    """The function of the notebook with some of its three bugs fixed."""
    batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / math.sqrt(d // h if scale else d)
    hidden = ~real[:, None, None] if mask else ~real[:, None]
    A = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1) @ V
    return (A.transpose(1, 2) if join else A).reshape(batch, n, d) @ W_O


def _other(X, W_Q, W_K, W_V, W_O, h, real, divisor=None, weigh=None, joined=None):
    """With the bugs fixed, and another divisor, another mask, or heads merged otherwise.

    ``weigh`` goes from scores, keys that are words and queries that are words to weights.
    """
    batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / (math.sqrt(d // h) if divisor is None else divisor)
    keys, queries = real[:, None, None, :], real[:, None, :, None]
    if weigh is None:
        weights = scores.masked_fill(~keys, -math.inf).softmax(-1)
    else:
        weights = weigh(scores, keys, queries)
    A = weights @ V
    return (A.transpose(1, 2) if joined is None else joined(A)).reshape(batch, n, d) @ W_O


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(X, W_Q, W_K, W_V, W_O, h, real):
        """Your function still returns what the broken version returns: all three bugs are in it.

        Write the shape beside each line. Which size stands in which position?
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real)

    def only_the_scale_mended(X, W_Q, W_K, W_V, W_O, h, real):
        """One bug is fixed: you divide the scores by √d_k. Two are left.

        With which dimensions of the scores is the mask aligned? And in which order do heads and
        tokens stand before the last reshape?
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True)

    def only_the_mask_mended(X, W_Q, W_K, W_V, W_O, h, real):
        """One bug is fixed: each sentence's padding is hidden from its own tokens. Two are left.

        How many products does a score of one head add up? And where do n and h stand before the
        last reshape?
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, mask=True)

    def only_the_join_mended(X, W_Q, W_K, W_V, W_O, h, real):
        """One bug is fixed: you merge the heads in the right order. Two are left.

        How many products does a score of one head add up? And with which dimensions of the scores
        is the mask aligned?
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, join=True)

    def scale_left(X, W_Q, W_K, W_V, W_O, h, real):
        """Two bugs are fixed. One is left: the divisor.

        A score adds up as many products as one *head* is wide.
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, mask=True, join=True)

    def mask_left(X, W_Q, W_K, W_V, W_O, h, real):
        """Two bugs are fixed. One is left: the sentences of your mask are aligned with the heads.

        Scores are (batch, h, n, n), `real` is (batch, n). Write both below each other, from the
        right.
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, join=True)

    def join_left(X, W_Q, W_K, W_V, W_O, h, real):
        """Two bugs are fixed. One is left: at the end, a row mixes numbers of several tokens.

        A is (batch, h, n, d_k). What must stand beside d_k for a reshape to give (batch, n, d)?
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, mask=True)

    def mask_taken_out(X, W_Q, W_K, W_V, W_O, h, real):
        """You removed the mask. Now nothing fails, but words attend to padding.

        The mask has to hide columns: the keys of padding.
        """
        return _version(X, W_Q, W_K, W_V, W_O, h, torch.ones_like(real), True, True, True)

    def mask_over_queries(X, W_Q, W_K, W_V, W_O, h, real):
        """You hid the queries of padding instead of its keys: rows instead of columns.

        No token should attend *to* padding. Which dimension of the scores is that?
        """
        batch, n, d = X.shape
        Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
        scores = (Q @ K.mT / math.sqrt(d // h)).masked_fill(~real[:, None, :, None], -math.inf)
        A = torch.nan_to_num(torch.softmax(scores, dim=-1)) @ V
        return A.transpose(1, 2).reshape(batch, n, d) @ W_O

    def padding_asks_no_more(X, W_Q, W_K, W_V, W_O, h, real):
        """You fixed all three bugs. But in your result the rows of padding are 0, and they are
        compared, too.

        Padding may have queries. Hide its keys, and nothing else.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, real) * real[..., None]

    def scale_without_the_root(X, W_Q, W_K, W_V, W_O, h, real):
        """You divided the scores by d_k. The root is missing.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return correct(X, W_Q * math.sqrt(h / X.shape[-1]), W_K, W_V, W_O, h, real)

    def root_of_h(X, W_Q, W_K, W_V, W_O, h, real):
        """You divided the scores by √h, the root of the number of heads.

        How many products does a score of one head add up?
        """
        return correct(X, W_Q * math.sqrt(X.shape[-1]) / h, W_K, W_V, W_O, h, real)

    def transposed_at_the_cut_no_more(X, W_Q, W_K, W_V, W_O, h, real):
        """You merge the heads correctly, but you removed the transpose from the split.

        It was right. Swap n and h after the split, and again before you merge the heads.
        """
        batch, n, d = X.shape
        Q, K, V = ((X @ W).reshape(batch, h, n, -1) for W in (W_Q, W_K, W_V))
        scores = (Q @ K.mT / math.sqrt(d // h)).masked_fill(~real[:, None, None], -math.inf)
        return (torch.softmax(scores, -1) @ V).transpose(1, 2).reshape(batch, n, d) @ W_O

    def not_scaled(*given):
        """You removed the division of the scores.

        By the root of which width should you divide them?
        """
        return _other(*given, divisor=1.0)

    def root_of_n(X, *others):
        """You divided the scores by √n, the root of the number of tokens.

        Which dimension of the keys counts the numbers of one head?
        """
        return _other(X, *others, divisor=math.sqrt(X.shape[1]))

    def root_of_h_d(X, W_Q, W_K, W_V, W_O, h, real):
        """You divided the scores by √(h d).

        A score adds up as many products as one *head* is wide.
        """
        return _other(X, W_Q, W_K, W_V, W_O, h, real, divisor=math.sqrt(h * X.shape[-1]))

    def mask_over_queries_with_nan(*given):
        """You hid the queries of padding instead of its keys: rows of padding are NaN, and words
        attend to padding.

        No token should attend *to* padding. Which dimension of the scores is that?
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(~q, -math.inf).softmax(-1))

    def mask_over_queries_with_a_large_number(*given):
        """You hid the queries of padding instead of its keys, with a large negative number: padding
        attends equally to all tokens, and words attend to padding.

        No token should attend *to* padding. Which dimension of the scores is that?
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(~q, -1e9).softmax(-1))

    def both_hidden_with_a_large_number(*given):
        """You hid padding as a query, too: it attends equally to all tokens.

        Padding may act as a query. Hide its keys, and nothing else.
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(~(k & q), -1e9).softmax(-1))

    def both_hidden_with_nan(*given):
        """You hid padding as a query, too: its rows are NaN.

        Padding may act as a query. Hide its keys, and nothing else.
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(~(k & q), -math.inf).softmax(-1))

    def hidden_only_where_both_are_padding(*given):
        """You hid only pairs in which query *and* key are padding. Words still attend to padding.

        No token should attend *to* padding, whatever it is itself.
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(~(k | q), -math.inf).softmax(-1))

    def hidden_weights_0(*given):
        """You set the weights of padding to 0 after the softmax, so those of a row sum to less than
        1.

        Hide the scores, before the softmax.
        """
        return _other(*given, weigh=lambda S, k, q: S.softmax(-1) * k)

    def hidden_scores_0(*given):
        """You gave padding the score 0. It still gets a weight, since e⁰ is 1.

        Which score has the exponential 0?
        """
        return _other(*given, weigh=lambda S, k, q: (S * k).softmax(-1))

    def mask_added(*given):
        """Your mask raises the scores of words by only 1 compared with those of padding, so padding
        still gets a weight.

        Which score has the exponential 0?
        """
        return _other(*given, weigh=lambda S, k, q: (S + k).softmax(-1))

    def mask_turned_round(*given):
        """You hid the words, with a large negative number, and showed padding.

        `real` is True where a token is a word. `masked_fill` fills where *its* mask is True.
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(k, -1e9).softmax(-1))

    def mask_turned_round_with_nan(*given):
        """You hid the words and showed padding. Where a sentence has none, all is NaN.

        `real` is True where a token is a word. `masked_fill` fills where *its* mask is True.
        """
        return _other(*given, weigh=lambda S, k, q: S.masked_fill(k, -math.inf).softmax(-1))

    def padding_of_the_first_sentence(*given):
        """You used the padding of the first sentence for the whole batch.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """

        def weigh(S, k, q):
            return S.masked_fill(~k[:1], -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def padding_of_all_sentences(*given):
        """You hid only what is padding in *every* sentence.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """

        def weigh(S, k, q):
            return S.masked_fill(~k.any(0, keepdim=True), -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def padding_of_any_sentence(*given):
        """You hid what is padding in *any* sentence, from all of them.

        Each sentence has its own padding: keep the batch as the mask's first dimension.
        """

        def weigh(S, k, q):
            return S.masked_fill(~k.all(0, keepdim=True), -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def first_head_masked(*given):
        """You hid padding from the first head only.

        The mask is the same in all heads. Which size does it need there?
        """

        def weigh(S, k, q):
            hidden = ~k & (torch.arange(S.shape[1]) == 0)[:, None, None]
            return S.masked_fill(hidden, -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def causal_too(*given):
        """You hid the later tokens, too. Only padding has to be hidden.

        The broken version had no causal mask, and that was no bug.
        """

        def weigh(S, k, q):
            seen = torch.ones(S.shape[-2:], dtype=torch.bool).tril()
            return S.masked_fill(~(k & seen), -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def rows_of_padding_0(X, W_Q, W_K, W_V, W_O, h, real):
        """You set the rows of X at padding to 0. Their keys are 0 then, but they still get weights.

        Which score has the exponential 0?
        """
        Z = X * real[..., None]
        return _other(Z, W_Q, W_K, W_V, W_O, h, torch.ones_like(real))

    def keys_and_values_of_padding_0(X, W_Q, W_K, W_V, W_O, h, real):
        """It is as if the keys and values of padding were 0. Their scores are 0 then, so they still
        get weights.

        Which score has the exponential 0?
        """
        return _other(
            *(X, W_Q, W_K, W_V, W_O, h, real),
            weigh=lambda S, k, q: (S * k).softmax(-1) * k,
        )

    def softmax_over_queries(*given):
        """Your softmax runs over the queries: each column of weights sums to 1. Each row should.

        The broken version had this right. Each query divides a weight of 1 among the keys.
        """
        return _other(
            *given, weigh=lambda S, k, q: torch.nan_to_num(S.masked_fill(~k, -math.inf).softmax(-2))
        )

    def joined_with_the_width(*given):
        """You swapped tokens and d_k before the last reshape. Swap heads and tokens.

        A is (batch, h, n, d_k). What must stand beside d_k for a reshape to give (batch, n, d)?
        """
        return _other(*given, joined=lambda A: A.transpose(2, 3))

    def joined_interleaved(*given):
        """You merged the heads so that they take turns: one number of A₁, one of A₂, and so on.

        Concat puts the whole row of A₁ first, then that of A₂ (A26).
        """
        return _other(*given, joined=lambda A: A.permute(0, 2, 3, 1))

    def joined_backwards(*given):
        """You put the heads side by side in reverse order.

        The first d_k rows of W_O belong to A₁.
        """
        return _other(*given, joined=lambda A: A.flip(1).transpose(1, 2))

    def joined_and_scale_without_the_root(*given):
        """Two bugs are fixed, but you divided the scores by d instead of √d_k.

        A score adds up as many products as one head is wide. Do you divide by their number?
        """
        return _other(*given, divisor=given[0].shape[-1])

    def cut_in_turns(X, W_Q, W_K, W_V, W_O, h, real):
        """You changed the split, which was right: now head j has every h-th column.

        Head j has neighbouring columns, from j · d_k on.
        """
        order = torch.arange(X.shape[-1]).reshape(-1, h).T.flatten()
        return correct(X, W_Q[:, order], W_K[:, order], W_V[:, order], W_O, h, real)

    def not_mixed(X, W_Q, W_K, W_V, W_O, h, real):
        """You put the heads side by side, but you no longer use W_O.

        What mixes the heads?
        """
        return correct(X, W_Q, W_K, W_V, torch.eye(len(W_O), dtype=W_O.dtype), h, real)


class Right:
    """Right answers, written differently."""

    def mended_line_by_line(X, W_Q, W_K, W_V, W_O, h, real):
        """The broken version, fixed."""
        batch, n, d = X.shape
        Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
        scores = Q @ K.transpose(-2, -1) / math.sqrt(K.shape[-1])
        scores = scores.masked_fill(~real[:, None, None, :], -math.inf)
        A = torch.softmax(scores, dim=-1) @ V
        return A.transpose(1, 2).reshape(batch, n, d) @ W_O

    def one_head_at_a_time(X, W_Q, W_K, W_V, W_O, h, real):
        """Without any reshape."""
        outputs = []
        for of_q, of_k, of_v in zip(*(W.chunk(h, 1) for W in (W_Q, W_K, W_V)), strict=True):
            scores = X @ of_q @ (X @ of_k).mT / of_k.shape[1] ** 0.5
            outputs.append(torch.where(real[:, None], scores, -math.inf).softmax(-1) @ X @ of_v)
        return torch.cat(outputs, -1) @ W_O

    def one_sentence_at_a_time(X, W_Q, W_K, W_V, W_O, h, real):
        """Leaves padding out from the start."""
        rows = []
        for x, words in zip(X, real, strict=True):
            of_heads = []
            for of_q, of_k, of_v in zip(*(W.chunk(h, 1) for W in (W_Q, W_K, W_V)), strict=True):
                scores = (x @ of_q) @ (x[words] @ of_k).T / math.sqrt(of_k.shape[1])
                of_heads.append(scores.softmax(-1) @ (x[words] @ of_v))
            rows.append(torch.cat(of_heads, -1) @ W_O)
        return torch.stack(rows)

    def with_einsum(X, W_Q, W_K, W_V, W_O, h, real):
        """Names the dimensions in an einsum; multiplies exponentials by 0 and 1."""
        Q, K, V = ((X @ W).unflatten(-1, (h, -1)) for W in (W_Q, W_K, W_V))
        scores = torch.einsum("bqhd,bkhd->bhqk", Q, K) / math.sqrt(Q.shape[-1])
        e = (scores - scores.amax(-1, keepdim=True)).exp() * real[:, None, None].to(X.dtype)
        return torch.einsum("bhqk,bkhd->bqhd", e / e.sum(-1, keepdim=True), V).flatten(-2) @ W_O


EXERCISE = Exercise(
    id="padded_heads",
    oracle=correct,
    hint="Write the shape beside each line, with a batch of 3 and 2 heads, so that no two sizes "
    "are alike. Then say for each dimension what it counts.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
