"""Random inputs of checks: the same from the same seed, in each precision and layout."""

from __future__ import annotations

import torch
from torch import Tensor


class Draw:
    """Draws the tensors of a check's cases.

    Args:
        seed: the same seed draws the same numbers.
        dtype: of the float tensors.
        strided: whether tensors lie in memory the other way round, as a transposed one does.
    """

    def __init__(
        self, seed: int, dtype: torch.dtype = torch.float32, strided: bool = False
    ) -> None:
        self._generator = torch.Generator().manual_seed(seed)
        self.dtype = dtype
        self.strided = strided

    def normal(self, *shape: int, scale: float = 1.0) -> Tensor:
        """Numbers of a normal distribution around 0."""
        return self._laid_out(scale * torch.randn(shape, generator=self._generator).to(self.dtype))

    def small_integers(self, *shape: int, lowest: int = -3, highest: int = 3) -> Tensor:
        """Whole numbers, as floats: what can be checked by hand."""
        drawn = torch.randint(lowest, highest + 1, shape, generator=self._generator)
        return self._laid_out(drawn.to(self.dtype))

    def size(self, lowest: int, highest: int) -> int:
        """A size from lowest to highest."""
        return int(torch.randint(lowest, highest + 1, (), generator=self._generator))

    def ids(self, *shape: int, lowest: int, highest: int) -> Tensor:
        """Token ids from lowest to highest."""
        return self._laid_out(torch.randint(lowest, highest + 1, shape, generator=self._generator))

    def booleans(self, *shape: int, share: float = 0.5) -> Tensor:
        """True for about this share."""
        return self._laid_out(torch.rand(shape, generator=self._generator) < share)

    def tensor(self, values: list) -> Tensor:
        """These numbers, in this draw's precision and layout."""
        return self._laid_out(torch.tensor(values, dtype=self.dtype))

    def _laid_out(self, x: Tensor) -> Tensor:
        return x.mT.contiguous().mT if self.strided and x.dim() >= 2 else x
