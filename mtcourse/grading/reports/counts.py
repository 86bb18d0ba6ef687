"""Statistics of a class: points, outcomes of exercises, misconceptions, submissions to review."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtcourse.grading.reports.sanitize import clean_lines
from mtcourse.grading.results import (
    FAILED,
    GRADED,
    JUDGED,
    UNREADABLE,
    ExerciseResult,
    SubmissionResult,
)

OUTCOME_LABELS: Mapping[str, str] = {
    "passed": "right",
    "wrong": "not right",
    "open": "not answered",
    "error": "stopped with an error",
    "timeout": "did not end in time",
    "kernel-died": "ended Python",
    "output-limit": "put out too much",
    "missing": "its cell is missing",
    "unreadable": "the file cannot be read",
    JUDGED: "graded by a person",
}
"""The outcomes in words."""

OUTCOME_GROUPS: Mapping[str, str] = {
    "passed": "passed",
    "wrong": "wrong",
    "open": "open",
    "missing": "open",
}
"""The group in which an outcome is counted; all others count as stopped."""

REVIEW_OUTCOMES = ("kernel-died", "timeout", "output-limit")
"""Outcomes after which a person should look at the submission."""
MAX_BARS = 12


@dataclass(frozen=True)
class MisconceptionCount:
    """A misconception, and the number of learners who have it."""

    notebook: str
    exercise: str
    name: str
    message: str
    learners: int


@dataclass(frozen=True)
class ExerciseCount:
    """The outcomes of one exercise in a class.

    Args:
        exercise: the id of the exercise.
        max_points: the points for a right answer.
        passed: the number of right answers.
        wrong: the number of wrong answers.
        open: the number of notebooks without an answer.
        stopped: the number of answers that did not run to their end, and of unreadable notebooks.
        misconception: the most frequent misconception, if there is any.
    """

    exercise: str
    max_points: float
    passed: int
    wrong: int
    open: int
    stopped: int
    misconception: MisconceptionCount | None

    @property
    def total(self) -> int:
        """The number of submissions."""
        return self.passed + self.wrong + self.open + self.stopped


@dataclass(frozen=True)
class HistogramBar:
    """The number of learners who have from ``first`` to ``last`` points."""

    first: int
    last: int
    learners: int


@dataclass(frozen=True)
class NotebookCount:
    """The statistics of one notebook.

    Args:
        notebook: its name.
        max_points: the points for right answers to all exercises.
        points: the points of each graded submission, in ascending order.
        not_graded: the number of submissions that are not graded.
        bars: the histogram of the points.
        exercises: the statistics of each exercise, in the notebook's order.
    """

    notebook: str
    max_points: int
    points: tuple[float, ...]
    not_graded: int
    bars: tuple[HistogramBar, ...]
    exercises: tuple[ExerciseCount, ...]

    @property
    def mean(self) -> float:
        """The mean of the points."""
        return statistics.fmean(self.points) if self.points else 0.0

    @property
    def median(self) -> float:
        """The median of the points."""
        return float(statistics.median(self.points)) if self.points else 0.0


@dataclass(frozen=True)
class ReviewItem:
    """A submission that a person should look at, and the reasons."""

    result: SubmissionResult
    reasons: tuple[str, ...]


def count_notebooks(results: Sequence[SubmissionResult]) -> list[NotebookCount]:
    """Returns the statistics of each notebook, sorted by name."""
    names = sorted({result.notebook for result in results if result.notebook})
    made = count_misconceptions(results)
    return [
        _count_notebook(name, [r for r in results if r.notebook == name], made) for name in names
    ]


def _count_notebook(
    name: str, results: Sequence[SubmissionResult], made: Sequence[MisconceptionCount]
) -> NotebookCount:
    points = sorted(result.points for result in results if result.state == GRADED)
    max_points = math.ceil(max(result.max_points for result in results))
    commonest = {one.exercise: one for one in reversed(made) if one.notebook == name}
    answers: dict[str, list[ExerciseResult]] = {}
    for result in results:
        for one in result.exercises:
            answers.setdefault(one.exercise, []).append(one)
    return NotebookCount(
        name,
        max_points,
        tuple(points),
        len(results) - len(points),
        _make_histogram([math.floor(one) for one in points], max_points),
        tuple(
            _count_exercise(given, commonest.get(exercise)) for exercise, given in answers.items()
        ),
    )


def _count_exercise(
    given: Sequence[ExerciseResult], mistake: MisconceptionCount | None
) -> ExerciseCount:
    groups = Counter(_find_group(one) for one in given)
    return ExerciseCount(
        given[0].exercise,
        max(one.max_points for one in given),
        groups["passed"],
        groups["wrong"],
        groups["open"],
        groups["stopped"],
        mistake,
    )


def _find_group(one: ExerciseResult) -> str:
    """Returns the group in which an outcome is counted; a person's points may be all or fewer."""
    if one.outcome == JUDGED:
        return "passed" if one.points == one.max_points else "wrong"
    return OUTCOME_GROUPS.get(one.outcome, "stopped")


def _make_histogram(points: Sequence[int], max_points: int) -> tuple[HistogramBar, ...]:
    """Makes a histogram with equal intervals, few enough to read at a glance."""
    width = -(-(max_points + 1) // MAX_BARS)
    spans = [
        (first, min(first + width - 1, max_points)) for first in range(0, max_points + 1, width)
    ]
    return tuple(HistogramBar(a, b, sum(a <= one <= b for one in points)) for a, b in spans)


def count_misconceptions(results: Sequence[SubmissionResult]) -> list[MisconceptionCount]:
    """Returns the misconceptions in a class, the most frequent first, each with its message."""
    made: Counter[tuple[str, str, str]] = Counter()
    said: dict[tuple[str, str, str], Counter[str]] = {}
    for result in results:
        for one in result.exercises:
            if one.misconception:
                key = (result.notebook, one.exercise, one.misconception)
                made[key] += 1
                said.setdefault(key, Counter())[find_message(one.feedback)] += 1
    found = [
        # The most frequent message: a learner's may be on another fault of the same answer.
        MisconceptionCount(
            *key, max(said[key], key=lambda text: (bool(text), said[key][text], text)), count
        )
        for key, count in made.items()
    ]
    return sorted(found, key=lambda one: (-one.learners, one.notebook, one.exercise, one.name))


def split_feedback(one: ExerciseResult) -> list[str]:
    """Splits feedback into lines, without those that only repeat the heading."""
    known = ("", one.exercise, "All of it is right.")
    return [line for line in clean_lines(one.feedback).splitlines() if line.strip() not in known]


def find_message(feedback: str) -> str:
    """Returns the message on the misconception in some feedback."""
    lines = (line.strip() for line in feedback.splitlines())
    return next((line[1:].strip() for line in lines if line.startswith("→")), "")


def find_submissions_to_review(results: Sequence[SubmissionResult]) -> list[ReviewItem]:
    """Returns the submissions that a person should look at, the grader's failures first."""
    looks = [
        ReviewItem(result, reasons)
        for result in results
        if (reasons := _find_review_reasons(result))
    ]
    rank = {FAILED: 0, UNREADABLE: 1}
    return sorted(looks, key=lambda look: rank.get(look.result.state, 2))


def _find_review_reasons(result: SubmissionResult) -> tuple[str, ...]:
    if result.state == FAILED:
        return (f"the grader failed: {result.reason}",)
    if result.state == UNREADABLE:
        return (f"it cannot be read: {result.reason}",)
    found = []
    for outcome in REVIEW_OUTCOMES:
        names = [one.exercise for one in result.exercises if one.outcome == outcome]
        if names:
            found.append(f"{OUTCOME_LABELS[outcome]}: {', '.join(names)}")
    if result.max_points and not result.points:
        found.append("no points")
    return tuple(found)
