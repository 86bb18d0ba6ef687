"""What a comparison came to in our runs, and how sure of it one can be."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import median_interval

LEVEL = 0.95

STARTS, RESAMPLES, EXACT = "starts", "resamples", "exact"


@dataclass(frozen=True)
class Effect:
    """The result of a comparison, with an interval.

    Args:
        values: one for each start; a single one if only sentences were resampled, or if it is
            exact.
        low: the lower end of the interval.
        high: its upper end.
        level: how probable it is that such an interval holds the true value.
        kind: where the interval comes from: "starts", "resamples" or "exact".
    """

    values: tuple[float, ...]
    low: float | int
    high: float | int
    level: float | int
    kind: str

    @classmethod
    def of_starts(cls, values: Iterable[float | int]) -> Effect:
        """The effect in each start, with the interval of its median.

        Raises:
            MtcourseError: there are fewer than two starts.
        """
        known = tuple(float(value) for value in values)
        found = median_interval(known)
        return cls(known, found.low, found.high, found.confidence, STARTS)

    @classmethod
    def of_resamples(
        cls, value: float | int, low: float | int, high: float | int, level: float | int = LEVEL
    ) -> Effect:
        """The effect in one pair of systems, with an interval from resampled sentences.

        Raises:
            MtcourseError: the value lies outside of its interval.
        """
        if not low <= value <= high:
            raise MtcourseError(f"the effect {value} lies outside of its interval, {low} to {high}")
        return cls((float(value),), float(low), float(high), level, RESAMPLES)

    @classmethod
    def exact(cls, value: float | int) -> Effect:
        """A number that is the same in every start, such as a count."""
        return cls((float(value),), float(value), float(value), 1.0, EXACT)

    @property
    def median(self) -> float:
        """Of the starts."""
        return statistics.median(self.values)

    @property
    def reversals(self) -> int:
        """In how many starts the effect is zero or negative."""
        return sum(value <= 0 for value in self.values)
