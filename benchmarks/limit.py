"""How near a piece of work comes to the time that its matrix products alone take."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from mtcourse.fast import linear as products

Shape = tuple[int, int, int]
"""Rows, inner size and columns of one product."""


class Products(TorchDispatchMode):
    """Counts the products of two matrices that run within it, whichever library computes them.

    Products within attention are not counted: there a fused kernel computes them, which does more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[Shape] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        name = func.name().partition(".")[0]
        if name == "aten::mm":
            self._count(args[0], args[1])
        elif name == "aten::addmm":
            self._count(args[1], args[2])
        elif name in ("mkldnn::_linear_pointwise", "aten::linear"):
            self._count(args[0].flatten(0, -2), args[1].T)
        return func(*args, **(kwargs or {}))

    def _count(self, left: Tensor, right: Tensor) -> None:
        self.counts[left.shape[0], left.shape[1], right.shape[1]] += 1


@dataclass(frozen=True)
class Share:
    """What part of some work its matrix products are.

    Args:
        products: CPU seconds of the products alone, each by the faster library.
        whole: CPU seconds of the work.
    """

    products: float
    whole: float

    def __str__(self) -> str:
        return (
            f"The matrix products alone take {self.products:.3f} CPU s of the {self.whole:.3f}: "
            f"this is {self.products / self.whole:.0%} of the speed that no program with these "
            "products exceeds."
        )


def counted(work: Callable[[], object]) -> Counter[Shape]:
    """The products of some work, by their shapes."""
    with Products() as seen:
        work()
    return seen.counts


def seconds_of(shape: Shape, rounds: int = 5, least: float = 0.02) -> float:
    """CPU seconds of one product by the faster library, the median of some rounds.

    Args:
        shape: of the product.
        rounds: how often each library is timed, in turn.
        least: CPU seconds of each round; small products are repeated until they take so long.
    """
    rows, inner, columns = shape
    x, W = torch.randn(rows, inner), torch.randn(columns, inner)
    libraries: list[Callable[[], Tensor]] = [lambda: torch.nn.functional.linear(x, W)]
    if products._AVAILABLE:
        libraries.append(lambda: products._onednn(x, W))
    taken: list[list[float]] = [[] for _ in libraries]
    with torch.inference_mode():
        for product in libraries:
            product()
        for _ in range(rounds):
            for product, seconds in zip(libraries, taken, strict=True):
                seconds.append(_repeated(product, least))
    return min(statistics.median(seconds) for seconds in taken)


def _repeated(product: Callable[[], Tensor], least: float) -> float:
    start, times = time.process_time(), 0
    while (elapsed := time.process_time() - start) < least or not times:
        product()
        times += 1
    return elapsed / times


def share_of_products(counts: Counter[Shape], whole: float) -> Share:
    """The share of the products' time in the time of the whole work.

    Args:
        counts: how often each shape is multiplied.
        whole: CPU seconds of the work.
    """
    return Share(sum(times * seconds_of(shape) for shape, times in counts.items()), whole)
