"""The largest few of many scores, without sorting them all (chapters 14 and 18)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor


def largest(scores: Float[Tensor, "*batch V"]) -> Int[Tensor, "*batch"]:
    """The index of each row's largest score."""
    width = _block_width(scores.shape[-1])
    if width == 0 or scores.numel() < 2**15:
        return scores.argmax(-1)
    blocks = scores.unflatten(-1, (-1, width))
    best = blocks.amax(-1).argmax(-1, keepdim=True)
    inside = blocks.gather(-2, best[..., None].expand(*best.shape, width)).squeeze(-2)
    return best.squeeze(-1) * width + inside.argmax(-1)


def top_candidates(
    scores: Float[Tensor, "*batch V"], k: int
) -> tuple[Float[Tensor, "*batch k"], Int[Tensor, "*batch k"]]:
    """The k largest scores of each row and where they stand, best first; padded with -inf."""
    rows = scores.reshape(-1, 1, scores.shape[-1])
    value, _, index = top_continuations(rows, rows.new_zeros(len(rows), 1), k)
    shape = (*scores.shape[:-1], k)
    return value.view(shape), index.view(shape)


def top_continuations(
    log_probs: Float[Tensor, "sentences beams V"], totals: Float[Tensor, "sentences beams"], k: int
) -> tuple[Float[Tensor, "sentences k"], Int[Tensor, "sentences k"], Int[Tensor, "sentences k"]]:
    """The k largest of totals + log_probs over all beams, best first; padded with -inf.

    They lie in the k blocks whose maxima are largest. Block maxima are one vectorised pass, where
    ``topk`` over whole rows is a slow one.

    Returns:
        The sums, the beams and the tokens.
    """
    beams, V = log_probs.shape[1:]
    width = _block_width(V)
    if width == 0 or 4 * k * width > beams * V:
        return plain_top_continuations(log_probs, totals, k)
    blocks = log_probs.unflatten(-1, (-1, width))
    of_beam = blocks.shape[2]
    _, best = (blocks.amax(-1) + totals[..., None]).flatten(1).topk(k, dim=1)
    inside = blocks.flatten(1, 2).gather(1, best[..., None].expand(-1, -1, width))
    sums = inside + totals.gather(1, best // of_beam)[..., None]
    value, index = sums.flatten(1).topk(k, dim=1)
    block = best.gather(1, index // width)
    return value, block // of_beam, block % of_beam * width + index % width


def _block_width(V: int) -> int:
    """How many neighbours in a row of V share one maximum; 0 where no width divides V."""
    return next((width for width in (64, 50, 40, 32, 25, 20, 16) if V % width == 0), 0)


def plain_top_continuations(
    log_probs: Tensor, totals: Tensor, k: int
) -> tuple[Tensor, Tensor, Tensor]:
    """The same by ``topk`` over all sums: the plain twin."""
    V = log_probs.shape[-1]
    sums = (log_probs + totals[..., None]).flatten(1)
    missing = max(k - sums.shape[1], 0)
    value, index = torch.nn.functional.pad(sums, (0, missing), value=-math.inf).topk(k, dim=1)
    index = index.clamp(max=sums.shape[1] - 1)
    return value, index // V, index % V
