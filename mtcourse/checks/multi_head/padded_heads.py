"""The exercise ``padded_heads``: three bugs to mend (A25, A26, B06, C10; chapter 09)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
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
    ]


def _drawn(draw, batch, n, d, h, lengths):
    real = torch.arange(n) < torch.tensor(lengths)[:, None]
    W = (draw.normal(d, d, scale=1.3 / math.sqrt(d)) for _ in range(4))
    return (draw.normal(batch, n, d), *W, h, real)


def correct(X, W_Q, W_K, W_V, W_O, h, real):
    """All three mended."""
    return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, mask=True, join=True)


def _version(X, W_Q, W_K, W_V, W_O, h, real, scale=False, mask=False, join=False):
    """The function of the notebook with some of its three bugs mended."""
    batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / math.sqrt(d // h if scale else d)
    hidden = ~real[:, None, None] if mask else ~real[:, None]
    A = torch.softmax(scores.masked_fill(hidden, -math.inf), dim=-1) @ V
    return (A.transpose(1, 2) if join else A).reshape(batch, n, d) @ W_O


# --- wrong ---------------------------------------------------------------------------------------


def nothing_mended(X, W_Q, W_K, W_V, W_O, h, real):
    """This still does what the broken version does: all three bugs are in it.

    Go through it with a shape beside each line: which sizes stand in which places?
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real)


def only_the_scale_mended(X, W_Q, W_K, W_V, W_O, h, real):
    """One bug is mended: scores are divided by √d_k. Two are left.

    Which axis does the mask lie along? And in which order do the heads' numbers lie at the end?
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True)


def only_the_mask_mended(X, W_Q, W_K, W_V, W_O, h, real):
    """One bug is mended: each sentence's padding is hidden from its own tokens. Two are left.

    How many terms has the dot product of a head? And where do n and h stand before the last
    reshape?
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, mask=True)


def only_the_join_mended(X, W_Q, W_K, W_V, W_O, h, real):
    """One bug is mended: the heads are put together well. Two are left.

    How many terms has the dot product of a head? And which axis does the mask lie along?
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, join=True)


def scale_left(X, W_Q, W_K, W_V, W_O, h, real):
    """Two bugs are mended. One is left: the divisor.

    Scores are sums of as many products as a *head* is wide.
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, mask=True, join=True)


def mask_left(X, W_Q, W_K, W_V, W_O, h, real):
    """Two bugs are mended. One is left: the mask lies along the heads.

    Scores are (batch, h, n, n), `real` is (batch, n). Write both below each other, from the right.
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, join=True)


def join_left(X, W_Q, W_K, W_V, W_O, h, real):
    """Two bugs are mended. One is left: at the end a row mixes numbers of several tokens.

    A is (batch, h, n, d_k). What must stand beside d_k for a reshape to give (batch, n, d)?
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, real, scale=True, mask=True)


def mask_taken_out(X, W_Q, W_K, W_V, W_O, h, real):
    """The mask is gone. Now nothing fails, and padding is asked like a word.

    It has to hide columns: the tokens that are asked.
    """
    return _version(X, W_Q, W_K, W_V, W_O, h, torch.ones_like(real), True, True, True)


def mask_over_queries(X, W_Q, W_K, W_V, W_O, h, real):
    """The mask hides rows, and should hide columns: padding asks no more, and still answers.

    Padding must not *answer*. Which axis of the scores is that?
    """
    batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(batch, n, h, -1).transpose(1, 2) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.mT / math.sqrt(d // h)).masked_fill(~real[:, None, :, None], -math.inf)
    A = torch.nan_to_num(torch.softmax(scores, dim=-1)) @ V
    return A.transpose(1, 2).reshape(batch, n, d) @ W_O


def padding_asks_no_more(X, W_Q, W_K, W_V, W_O, h, real):
    """All three bugs are mended. But the rows of padding are 0, and are compared, too.

    Padding may ask. Hide it where it would answer, and nowhere else.
    """
    return correct(X, W_Q, W_K, W_V, W_O, h, real) * real[..., None]


def scale_without_the_root(X, W_Q, W_K, W_V, W_O, h, real):
    """Scores are divided by d_k. The root is missing.

    The variance of a sum of d_k products is d_k.
    """
    return correct(X, W_Q * math.sqrt(h / X.shape[-1]), W_K, W_V, W_O, h, real)


def root_of_h(X, W_Q, W_K, W_V, W_O, h, real):
    """Scores are divided by √h, the number of heads.

    What counts is how wide a head is.
    """
    return correct(X, W_Q * math.sqrt(X.shape[-1]) / h, W_K, W_V, W_O, h, real)


def transposed_at_the_cut_no_more(X, W_Q, W_K, W_V, W_O, h, real):
    """At the end all is well, but you took the transpose out of the cut, which was right.

    Both are needed: n and h change places after the cut, and again before heads are put together.
    """
    batch, n, d = X.shape
    Q, K, V = ((X @ W).reshape(batch, h, n, -1) for W in (W_Q, W_K, W_V))
    scores = (Q @ K.mT / math.sqrt(d // h)).masked_fill(~real[:, None, None], -math.inf)
    return (torch.softmax(scores, -1) @ V).transpose(1, 2).reshape(batch, n, d) @ W_O


# --- right ---------------------------------------------------------------------------------------


def mended_line_by_line(X, W_Q, W_K, W_V, W_O, h, real):
    """The broken version, mended."""
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
    """Padding is not even looked at."""
    rows = []
    for x, words in zip(X, real, strict=True):
        of_heads = []
        for of_q, of_k, of_v in zip(*(W.chunk(h, 1) for W in (W_Q, W_K, W_V)), strict=True):
            scores = (x @ of_q) @ (x[words] @ of_k).T / math.sqrt(of_k.shape[1])
            of_heads.append(scores.softmax(-1) @ (x[words] @ of_v))
        rows.append(torch.cat(of_heads, -1) @ W_O)
    return torch.stack(rows)


def with_einsum(X, W_Q, W_K, W_V, W_O, h, real):
    """Names the dimensions; exponentials times 0 and 1."""
    Q, K, V = ((X @ W).unflatten(-1, (h, -1)) for W in (W_Q, W_K, W_V))
    scores = torch.einsum("bqhd,bkhd->bhqk", Q, K) / math.sqrt(Q.shape[-1])
    e = (scores - scores.amax(-1, keepdim=True)).exp() * real[:, None, None].to(X.dtype)
    return torch.einsum("bhqk,bkhd->bqhd", e / e.sum(-1, keepdim=True), V).flatten(-2) @ W_O


EXERCISE = Exercise(
    id="padded_heads",
    oracle=correct,
    hint="Write the shape beside each line, with a batch of 3 and 2 heads, so that no two sizes "
    "are alike. Then ask of each axis whose it is.",
    misconceptions=(
        nothing_mended,
        only_the_scale_mended,
        only_the_mask_mended,
        only_the_join_mended,
        scale_left,
        mask_left,
        join_left,
        mask_taken_out,
        mask_over_queries,
        padding_asks_no_more,
        scale_without_the_root,
        root_of_h,
        transposed_at_the_cut_no_more,
    ),
    right=(mended_line_by_line, one_head_at_a_time, one_sentence_at_a_time, with_einsum),
    cases=cases,
    gradients=True,
)
