"""Which key each query may attend to: boolean masks, True where allowed (chapter 5)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


def causal_mask(
    m: int, n: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "m n"]:
    """Allows position i to attend to positions up to its own: True where j <= i.

    With n > m the m queries are the last m of the n positions, as in decoding with a cache.

    Source: A11, B16, C09. Chapter 5.

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    n = m if n is None else n
    return torch.ones(m, n, dtype=torch.bool, device=device).tril(diagonal=n - m)


def padding_mask(ids: Int[Tensor, "batch n"], pad: int = 0) -> Bool[Tensor, "batch 1 1 n"]:
    """Hides padding keys from every query of the same sentence: True where there is a token.

    Source: C10, against D05. Chapter 5.
    """
    return (ids != pad)[:, None, None, :]


def source_mask(ids: Int[Tensor, "batch n"]) -> Bool[Tensor, "batch 1 1 n"] | None:
    """The padding mask of a batch, or None where nothing is padded: no mask is fastest."""
    mask = padding_mask(ids)
    return None if bool(mask.all()) else mask


def document_mask(document: Int[Tensor, "batch n"]) -> Bool[Tensor, "batch 1 n n"]:
    """A causal mask that also hides the other documents of a packed row.

    Position i may attend to position j where j <= i and both belong to the same document.

    Args:
        document: the number of the document that each position belongs to.

    Source: C09; Krell et al. (2021). Chapter 13.

    >>> document_mask(torch.tensor([[0, 0, 1]]))[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 0, 1]]
    """
    same = document[:, :, None] == document[:, None, :]
    return (same & causal_mask(document.shape[1], device=document.device))[:, None]


def prefix_mask(prefix: Int[Tensor, " batch"], n: int) -> Bool[Tensor, "batch 1 n n"]:
    """A causal mask whose first positions see one another in both directions.

    Position i may attend to position j where j <= i or j < prefix: a decoder-only translator reads
    its source with such a mask.

    Args:
        prefix: for each sequence, how many positions are given.
        n: positions of a sequence, prefix included.

    Source: C34, C41; Raffel et al. (2020), section 3.2. Chapter 17.

    >>> prefix_mask(torch.tensor([2]), 3)[0, 0].int().tolist()
    [[1, 1, 0], [1, 1, 0], [1, 1, 1]]
    """
    given = torch.arange(n, device=prefix.device) < prefix[:, None]  # (batch, n)
    return (given[:, None, :] | causal_mask(n, device=prefix.device))[:, None]


def additive_mask(mask: Bool[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """The additive form of a mask, as documents A and C print it: 0 allowed, -inf hidden.

    Source: A11, A12, C09, D03. Chapter 5.
    """
    zeros = torch.zeros(mask.shape, device=mask.device)
    return zeros.masked_fill(~mask, -math.inf)
