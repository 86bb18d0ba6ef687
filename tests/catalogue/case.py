"""What a case of the catalogue is, and whether a record of it is as it should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import Any

from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import GRADED, UNREADABLE, SubmissionResult
from tests.catalogue.outside import Outside
from tests.catalogue.returned import add_cell, answer_cell, as_bytes, completed, points_of

NO_POINTS = "no points"
"""As an outcome: any but "passed"."""
PATIENT, SHORT = Limits(seconds=60.0), Limits(seconds=3.0)
"""For what ends by itself, on a machine however busy; and for what never does."""


@dataclass(frozen=True)
class Case:
    """A notebook that comes back.

    In its code ``$name`` is what is told of the ``Outside``: ``$secret`` is a path.

    Args:
        name: what is particular about it.
        answers: by exercise, in the place of the right ones.
        added: a cell of the learner's own in front of the first answer.
        saved: what is done to the notebook at last; what it returns, if anything, is handed in.
        outcomes: by exercise; what is not named here comes out as ``others`` says.
        others: the outcome of all other exercises.
        repaired: a word from what the learner is told was put right.
        says: by exercise, a word from what the learner is told of it.
        unreadable: a word from the reason why it is not graded.
        forges: how it would earn points where the verdict is made inside the learner's kernel.
        notebook: which one it is.
        limits: of each cell.
        isolated: whether it means anything only in a kernel that is kept apart.
    """

    name: str
    answers: Mapping[str, str] = field(default_factory=dict)
    added: str = ""
    saved: Callable[[dict[str, Any]], Any] | None = None
    outcomes: Mapping[str, str] = field(default_factory=dict)
    others: str = "passed"
    repaired: str = ""
    says: Mapping[str, str] = field(default_factory=dict)
    unreadable: str = ""
    forges: str = ""
    notebook: str = "05_masks"
    limits: Limits = PATIENT
    isolated: bool = False

    def content(self, outside: Outside) -> bytes:
        """The bytes that come back."""
        answers = {name: filled(code, outside) for name, code in self.answers.items()}
        notebook = completed(self.notebook, answers)
        if self.added:
            first = answer_cell(notebook, next(iter(points_of(self.notebook))))
            add_cell(notebook, filled(self.added, outside), before=first)
        saved = self.saved(notebook) if self.saved else None
        return saved if isinstance(saved, bytes) else as_bytes(notebook if saved is None else saved)

    def faults_of(self, result: SubmissionResult) -> list[str]:
        """How a record differs from what is to be expected."""
        if self.unreadable:
            return self._faults_of_unreadable(result)
        faults = [] if result.state == GRADED else [f"{result.state}: {result.reason}"]
        worth = points_of(self.notebook)
        if [one.exercise for one in result.exercises] != list(worth):
            return [*faults, f"exercises: {[one.exercise for one in result.exercises]}"]
        for one in result.exercises:
            wanted = self.outcomes.get(one.exercise, self.others)
            points = worth[one.exercise] if one.outcome == "passed" else 0
            if not _fits(one.outcome, wanted) or (one.points, one.max_points) != (
                points,
                worth[one.exercise],
            ):
                faults.append(
                    f"{one.exercise} is {one.outcome} with {one.points} of {one.max_points} "
                    f"points, and should be {wanted}: {one.feedback}"
                )
            if (word := self.says.get(one.exercise, "")) not in one.feedback:
                faults.append(f"of {one.exercise} is said {one.feedback!r}, nothing of {word!r}")
        is_honest = self.others == "passed" and not self.outcomes
        if is_honest and not self.repaired and any("given cell" in one for one in result.repairs):
            faults.append(f"cells of the course failed: {result.repairs}")
        if self.repaired not in "\n".join(result.repairs):
            faults.append(f"the learner is told {result.repairs}, nothing of {self.repaired!r}")
        return faults

    def _faults_of_unreadable(self, result: SubmissionResult) -> list[str]:
        """The same for a file that cannot be graded."""
        found = {(one.exercise, one.outcome, one.points) for one in result.exercises}
        wanted = {(name, "unreadable", 0) for name in points_of(self.notebook)}
        if (result.state, found) == (UNREADABLE, wanted) and self.unreadable in result.reason:
            return []
        return [f"{result.state} ({result.reason}): {sorted(found)}"]


def filled(code: str, outside: Outside) -> str:
    """Code with what it takes from outside put in."""
    return Template(code).safe_substitute(outside.told()) if "$" in code else code


def _fits(outcome: str, wanted: str) -> bool:
    """Whether an outcome is one of those that are named, with a | between them."""
    return outcome != "passed" if wanted == NO_POINTS else outcome in wanted.split("|")
