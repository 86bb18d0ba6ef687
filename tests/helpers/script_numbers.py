"""Numbers that an explorer's script computes, beside those of torch."""

from __future__ import annotations

from typing import Any

import torch

# Torch sums in float32, in another order.
CLOSE = {"rtol": 0.0, "atol": 1e-5, "equal_nan": True}


def products_of(seed: int, m: int, n: int, size: float = 1.0) -> torch.Tensor:
    """Products of queries and keys."""
    return size * torch.randn(m, n, generator=torch.Generator().manual_seed(seed))


def equal(found: Any, wanted: torch.Tensor) -> None:
    """Says that a script's numbers are torch's."""
    torch.testing.assert_close(torch.tensor(found, dtype=wanted.dtype), wanted, **CLOSE)
