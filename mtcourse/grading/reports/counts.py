"""What the results of a class come to: points, exercises, mistakes, and who needs a look."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mtcourse.grading.reports.sanitize import lines
from mtcourse.grading.results import FAILED, GRADED, UNREADABLE, ExerciseResult, Result

SAID: Mapping[str, str] = {
    "passed": "right",
    "wrong": "not right",
    "open": "not answered",
    "error": "stopped with an error",
    "timeout": "did not end in time",
    "kernel-died": "ended Python",
    "output-limit": "put out too much",
    "missing": "its cell is missing",
    "unreadable": "the file cannot be read",
}
"""How each outcome is said to people."""

GROUP: Mapping[str, str] = {
    "passed": "passed",
    "wrong": "wrong",
    "open": "open",
    "missing": "open",
}
"""The group in which an outcome is counted; those that are not here did not run."""

LOOK = ("kernel-died", "timeout", "output-limit")
"""Outcomes for which somebody should look at the work."""
MOST_BARS = 12


@dataclass(frozen=True)
class Mistake:
    """A known mistake, and how many made it."""

    notebook: str
    exercise: str
    name: str
    message: str
    learners: int


@dataclass(frozen=True)
class ExerciseCount:
    """How one exercise went.

    Args:
        exercise: its id.
        out_of: the points of a right answer.
        passed: answers that are right.
        wrong: answers that are not.
        open: notebooks without an answer.
        stopped: answers that did not run to their end, and notebooks that cannot be read.
        mistake: the commonest known mistake, if any was made.
    """

    exercise: str
    out_of: int
    passed: int
    wrong: int
    open: int
    stopped: int
    mistake: Mistake | None

    @property
    def all(self) -> int:
        """Those who handed the notebook in."""
        return self.passed + self.wrong + self.open + self.stopped


@dataclass(frozen=True)
class Bar:
    """How many learners have from ``first`` to ``last`` points."""

    first: int
    last: int
    learners: int


@dataclass(frozen=True)
class NotebookCount:
    """How one notebook went.

    Args:
        notebook: its name.
        out_of: all points there are.
        points: of each submission that was graded, in ascending order.
        not_graded: submissions that are not.
        bars: how the points are spread.
        exercises: in the notebook's order.
    """

    notebook: str
    out_of: int
    points: tuple[int, ...]
    not_graded: int
    bars: tuple[Bar, ...]
    exercises: tuple[ExerciseCount, ...]

    @property
    def mean(self) -> float:
        """Of the points."""
        return statistics.fmean(self.points) if self.points else 0.0

    @property
    def median(self) -> float:
        """Of the points."""
        return float(statistics.median(self.points)) if self.points else 0.0


@dataclass(frozen=True)
class Look:
    """A submission that somebody should look at, and why."""

    result: Result
    reasons: tuple[str, ...]


def notebook_counts(results: Sequence[Result]) -> list[NotebookCount]:
    """Each notebook that was handed in, by name."""
    names = sorted({result.notebook for result in results if result.notebook})
    made = mistakes(results)
    return [_counted(name, [r for r in results if r.notebook == name], made) for name in names]


def _counted(name: str, results: Sequence[Result], made: Sequence[Mistake]) -> NotebookCount:
    points = sorted(result.points for result in results if result.state == GRADED)
    out_of = max(result.out_of for result in results)
    commonest = {one.exercise: one for one in reversed(made) if one.notebook == name}
    answers: dict[str, list[ExerciseResult]] = {}
    for result in results:
        for one in result.exercises:
            answers.setdefault(one.exercise, []).append(one)
    return NotebookCount(
        name,
        out_of,
        tuple(points),
        len(results) - len(points),
        _bars(points, out_of),
        tuple(_exercise(given, commonest.get(exercise)) for exercise, given in answers.items()),
    )


def _exercise(given: Sequence[ExerciseResult], mistake: Mistake | None) -> ExerciseCount:
    groups = Counter(GROUP.get(one.outcome, "stopped") for one in given)
    return ExerciseCount(
        given[0].exercise,
        max(one.out_of for one in given),
        groups["passed"],
        groups["wrong"],
        groups["open"],
        groups["stopped"],
        mistake,
    )


def _bars(points: Sequence[int], out_of: int) -> tuple[Bar, ...]:
    """Equal spans of points, as few as can be read at a glance; the last holds the full points."""
    width = -(-(out_of + 1) // MOST_BARS)
    spans = [(first, min(first + width - 1, out_of)) for first in range(0, out_of + 1, width)]
    return tuple(Bar(a, b, sum(a <= one <= b for one in points)) for a, b in spans)


def mistakes(results: Sequence[Result]) -> list[Mistake]:
    """The known mistakes that were made, the commonest first, each with its message."""
    made: Counter[tuple[str, str, str]] = Counter()
    said: dict[tuple[str, str, str], Counter[str]] = {}
    for result in results:
        for one in result.exercises:
            if one.misconception:
                key = (result.notebook, one.exercise, one.misconception)
                made[key] += 1
                said.setdefault(key, Counter())[message_in(one.says)] += 1
    found = [
        # What most of them were told: another's words may be of another fault in the same answer.
        Mistake(*key, max(said[key], key=lambda text: (bool(text), said[key][text], text)), count)
        for key, count in made.items()
    ]
    return sorted(found, key=lambda one: (-one.learners, one.notebook, one.exercise, one.name))


def told_lines(one: ExerciseResult) -> list[str]:
    """What a learner was told, without what every heading above it says too."""
    known = ("", one.exercise, "All of it is right.")
    return [line for line in lines(one.says).splitlines() if line.strip() not in known]


def message_in(says: str) -> str:
    """The sentence about a known mistake in what a learner was told."""
    told = (line.strip() for line in says.splitlines())
    return next((line[1:].strip() for line in told if line.startswith("→")), "")


def needs_a_look(results: Sequence[Result]) -> list[Look]:
    """Submissions that somebody should look at: first what is the grader's own failure."""
    looks = [Look(result, reasons) for result in results if (reasons := _reasons(result))]
    rank = {FAILED: 0, UNREADABLE: 1}
    return sorted(looks, key=lambda look: rank.get(look.result.state, 2))


def _reasons(result: Result) -> tuple[str, ...]:
    if result.state == FAILED:
        return (f"the grader failed: {result.reason}",)
    if result.state == UNREADABLE:
        return (f"it cannot be read: {result.reason}",)
    found = []
    for outcome in LOOK:
        names = [one.exercise for one in result.exercises if one.outcome == outcome]
        if names:
            found.append(f"{SAID[outcome]}: {', '.join(names)}")
    if result.out_of and not result.points:
        found.append("no points")
    return tuple(found)
