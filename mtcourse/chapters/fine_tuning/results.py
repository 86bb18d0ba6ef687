"""What ``scripts/measure_fine_tuning.py`` stored, by task, way and test set (chapter 16)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import Spread, load_measured
from mtcourse.figures.style import Point

ALL, HEAD, NOTHING = "all parameters", "head alone", "from nothing"
WAYS = (ALL, HEAD, NOTHING)
"""What learns: everything, the new head on a frozen encoder, or everything without pretraining."""


@dataclass(frozen=True)
class Results:
    """Scores of trained heads, in per cent, one for each start.

    Args:
        stored: as the script wrote it.
        score: "macro F1" or "accuracy".
    """

    stored: Mapping[str, Any]
    score: str = "macro F1"

    @classmethod
    def load(cls, score: str = "macro F1") -> Results:
        """What is stored in the package."""
        return cls(load_measured("fine_tuning"), score)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks."""
        return tuple(self.stored["labels"])

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many labelled sentences heads learnt from."""
        return tuple(self.stored["sizes"])

    def at(self, task: str, way: str, size: int, test: str = "en") -> list[float]:
        """The score of each start.

        Args:
            task: one of ``tasks``.
            way: one of ``WAYS``.
            size: one of ``sizes``.
            test: the test set: "en", "nl", or for the help "seen pages".

        Raises:
            MtcourseError: nothing is stored under one of these names.
        """
        try:
            return [
                100 * start["curves"][task][way][str(size)][test][self.score]
                for start in self.stored["starts"]
            ]
        except KeyError as error:
            raise MtcourseError(
                f"nothing is stored for {task!r}, {way!r}, {size} sentences, {test!r}: "
                f"{error.args[0]!r} is not among the names"
            ) from None

    def curves(self, task: str, test: str = "en") -> dict[str, list[list[Point]]]:
        """For each way a learning curve of each start."""
        found = {}
        for way in WAYS:
            columns = [self.at(task, way, size, test) for size in self.sizes]
            found[way] = [
                list(zip(self.sizes, row, strict=True)) for row in zip(*columns, strict=True)
            ]
        return found

    def layers(self) -> dict[str, list[list[Point]]]:
        """For each task a curve over the layers of each start; 0 is the embedding."""
        return {
            task: [
                [(layer, 100 * one[self.score]) for layer, one in enumerate(start["layers"][task])]
                for start in self.stored["starts"]
            ]
            for task in self.tasks
        }

    def counted(self, what: str, score: str = "") -> list[float]:
        """The words' score of each start, by the labels that counted in the loss."""
        return [100 * s["counted"][what][score or self.score] for s in self.stored["starts"]]

    def enough(self, task: str, way: str, score: float, test: str = "en") -> int | None:
        """The fewest labelled sentences with which the median start reaches a score; or None."""
        reached = (size for size in self.sizes if median(self.at(task, way, size, test)) >= score)
        return next(reached, None)

    def gain(
        self, task: str, way: str, other: str, size: int, test: str = "en", of: str = ""
    ) -> Spread:
        """The points by which one way is better than another in the same start.

        Args:
            task: one of ``tasks``.
            way: the first way.
            other: the second way.
            size: one of ``sizes``.
            test: the test set of the first, and of the second unless ``of`` is given.
            of: the test set of the second.
        """
        pairs = zip(
            self.at(task, way, size, test), self.at(task, other, size, of or test), strict=True
        )
        return Spread.of(one - two for one, two in pairs)


def misled(better: Sequence[float], worse: Sequence[float]) -> float:
    """How often one run of each way says the opposite of what the medians say.

    Args:
        better: results of the way with the higher median.
        worse: results of the other way.

    Returns:
        The share of all pairs (one result of each) in which the other way is ahead; a tie counts
        half.
    """
    pairs = list(product(better, worse))
    return sum((one < two) + 0.5 * (one == two) for one, two in pairs) / len(pairs)
