"""How hard each exercise was for a class, and how well it tells apart who knows more.

The difficulty is the share of learners who have solved the exercise. The discrimination is the
corrected item-total correlation: Pearson's correlation of the points for the exercise with those
for all other exercises of the notebook. With the exercise itself among these, it would correlate
with itself.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from mtcourse.grading.results import GRADED, JUDGED, ExerciseResult, SubmissionResult

MIN_LEARNERS = 10
"""The learners without whom a correlation says more about chance than about the exercise."""
LOW_DISCRIMINATION = 0.1
"""Below this, an exercise hardly tells learners apart, or prefers those who know less."""


@dataclass(frozen=True)
class ItemStatistics:
    """The statistics of one exercise.

    Args:
        notebook: the name of its notebook.
        exercise: its id.
        max_points: the points for a right answer.
        learners: the number of learners whose notebooks were graded.
        solved: the number of those who have solved it.
        mean_points: the mean of the points that they earned.
        discrimination: the correlation with the other exercises, or None.
        reason: why there is no correlation; empty if there is one.
        judged: whether people have given the points.
    """

    notebook: str
    exercise: str
    max_points: float
    learners: int
    solved: int
    mean_points: float
    discrimination: float | None
    reason: str = ""
    judged: bool = False

    @property
    def share_solved(self) -> float:
        """The share of learners who have solved it, from 0 to 1."""
        return self.solved / self.learners if self.learners else 0.0

    @property
    def is_doubtful(self) -> bool:
        """Whether the exercise does not tell apart who knows more."""
        return self.discrimination is not None and self.discrimination < LOW_DISCRIMINATION


def compute_item_statistics(results: Sequence[SubmissionResult]) -> list[ItemStatistics]:
    """Computes the statistics of each exercise, in the order of the notebooks.

    Only graded submissions count. An exercise that earns nobody any points is left out.

    Args:
        results: the results of the whole class.
    """
    graded = [one for one in results if one.state == GRADED and one.notebook]
    found = []
    for notebook in sorted({one.notebook for one in graded}):
        own = [one for one in graded if one.notebook == notebook]
        names = dict.fromkeys(e.exercise for one in own for e in one.exercises if e.max_points)
        found += [_compute_item(notebook, name, own) for name in names]
    return found


def _compute_item(notebook: str, name: str, results: Sequence[SubmissionResult]) -> ItemStatistics:
    """Computes the statistics of one exercise from all submissions of its notebook."""
    items = [
        (one, result) for result in results for one in result.exercises if one.exercise == name
    ]
    points = [float(one.points) for one, _ in items]
    others = [float(sum(e.points for e in r.exercises if e.exercise != name)) for _, r in items]
    discrimination, reason = correlate(points, others)
    return ItemStatistics(
        notebook,
        name,
        max(one.max_points for one, _ in items),
        len(items),
        sum(_is_solved(one) for one, _ in items),
        statistics.fmean(points),
        discrimination,
        reason,
        any(one.outcome == JUDGED for one, _ in items),
    )


def _is_solved(one: ExerciseResult) -> bool:
    return one.outcome == "passed" or (one.outcome == JUDGED and one.points == one.max_points)


def correlate(points: Sequence[float], others: Sequence[float]) -> tuple[float | None, str]:
    """Returns the corrected item-total correlation, or None and the reason why there is none.

    Args:
        points: the points of each learner for the exercise.
        others: the points of the same learners for everything else.
    """
    if len(points) < MIN_LEARNERS:
        return None, f"fewer than {MIN_LEARNERS} learners"
    if len(set(points)) == 1:
        return None, "all learners have the same points for it"
    if len(set(others)) == 1:
        return None, "all learners have the same points for the other exercises"
    return statistics.correlation(points, others), ""
