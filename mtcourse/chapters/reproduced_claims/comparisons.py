"""Comparisons of stored results, start by start."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mtcourse.chapters.reproduced_claims.effects import Effect
from mtcourse.errors import MtcourseError


def by_start(
    one: Iterable[float | int], other: Iterable[float | int], factor: float | int = 1.0
) -> Effect:
    """By how much one way gives more than the other, in each start.

    Args:
        one: its results.
        other: the other's results, of the same starts in the same order.
        factor: such as 100 for shares that are shown as points of 100.

    Raises:
        MtcourseError: the numbers of starts differ.
    """
    return Effect.of_starts([factor * (a - b) for a, b in _pairs(one, other)])


def percent_lower(one: Iterable[float | int], other: Iterable[float | int]) -> Effect:
    """By how many per cent of the other's results one's are lower, in each start."""
    return Effect.of_starts([100 * (b - a) / b for a, b in _pairs(one, other)])


def means(*columns: Iterable[float | int]) -> list[float]:
    """The mean of several results of each start."""
    return [sum(values) / len(values) for values in zip(*columns, strict=True)]


def exponent(sizes: Iterable[float | int], values: Iterable[float | int]) -> float:
    """The a of value = c * size^a: the slope of the least-squares line through the logarithms."""
    x, y = ([math.log(one) for one in of] for of in (sizes, values))
    x_mean, y_mean = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True))
    return across / sum((a - x_mean) ** 2 for a in x)


def _pairs(one: Iterable[float | int], other: Iterable[float | int]) -> list[tuple[float, float]]:
    ours, theirs = [float(value) for value in one], [float(value) for value in other]
    if len(ours) != len(theirs):
        raise MtcourseError(
            f"{len(ours)} and {len(theirs)} results: only the same starts can be compared"
        )
    return list(zip(ours, theirs, strict=True))
