"""Who may attend to whom: boolean masks, True where attention is allowed (chapter 05)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask(
    m: int, n: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "m n"]:
    """Lets position i see positions up to its own: True where j <= i (A11, B16, C09; chapter 05).

    With n > m the m queries are the last m of the n positions, as in decoding with a cache.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    n = m if n is None else n
    return torch.ones(m, n, dtype=torch.bool, device=device).tril(diagonal=n - m)


def padding_mask(ids: Int[Tensor, "batch n"], pad: int = 0) -> Bool[Tensor, "batch 1 1 n"]:
    """Hides padding from every query of its own sentence (C10, against D05; chapter 05)."""
    return (ids != pad)[:, None, None, :]


def additive_mask(mask: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The documents' form, added to the scores: 0 allowed, -inf hidden.

    Source: A11, A12, C09, D03. Chapter 05.
    """
    zeros = torch.zeros(mask.shape, device=mask.device)
    return zeros.masked_fill(~mask, -math.inf)
