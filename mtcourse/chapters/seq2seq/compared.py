"""How sure a paired comparison of a few random starts is (chapter 17)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mtcourse.errors import MtcourseError


@dataclass(frozen=True)
class MedianInterval:
    """Two of the values, between which the median of all possible values lies.

    Args:
        low: the lower one.
        high: the higher one.
        confidence: how probable it is that such an interval contains the median.
    """

    low: float
    high: float
    confidence: float


def median_interval(values: Sequence[float], level: float = 0.95) -> MedianInterval:
    """The interval of a sign test: from the k-th smallest value to the k-th largest.

    Each new value lies below the median with probability 1/2. The median is outside of the interval
    only if fewer than k of n values lie on one of its sides, which has probability
    2 (C(n, 0) + ... + C(n, k - 1)) / 2^n. Nothing is assumed of the values' distribution but that
    they are independent. k is the largest for which the confidence is at least ``level``, or 1.

    Args:
        values: one for each start, such as differences of BLEU.
        level: the confidence that is wanted.

    Raises:
        MtcourseError: there is no value.

    Chapter 17.
    """
    n, ordered = len(values), sorted(values)
    if not n:
        raise MtcourseError("an interval needs at least one value")
    outside = [2 * sum(math.comb(n, i) for i in range(k)) / 2**n for k in range(1, n // 2 + 1)]
    k = max((k for k, share in enumerate(outside, 1) if 1 - share >= level), default=1)
    confidence = 1 - outside[k - 1] if outside else 0.0
    return MedianInterval(ordered[k - 1], ordered[n - k], confidence)
