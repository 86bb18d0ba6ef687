"""What is known of a submission once it is graded: one record, one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

GRADED, UNREADABLE, FAILED = "graded", "unreadable", "failed"
"""States of a submission; the last is the grader's own failure, never the learner's."""

OUTCOMES = (
    "passed",
    "wrong",
    "open",
    "error",
    "timeout",
    "kernel-died",
    "output-limit",
    "missing",
    "unreadable",
)
"""How an exercise can come out; only the first earns points."""


@dataclass(frozen=True)
class ExerciseResult:
    """One exercise of a submission, as everybody may see it: no hidden input, no expected value.

    Args:
        exercise: its id.
        outcome: one of ``OUTCOMES``.
        points: that were earned.
        out_of: that a right answer earns.
        says: what the learner reads: verdict, message and hint, in lines.
        misconception: the known mistake that the answer is, if any.
        cell: the place, from 1, of the cell that answers it in the notebook that was handed in; 0
            where there is none.
    """

    exercise: str
    outcome: str
    points: int
    out_of: int
    says: str = ""
    misconception: str = ""
    cell: int = 0


@dataclass(frozen=True)
class Result:
    """A graded submission.

    Args:
        learner: whose it is.
        notebook: which exercise notebook it answers, such as "04_attention".
        file: where it lay, relative to the folder of submissions.
        state: ``GRADED``, ``UNREADABLE`` or ``FAILED``.
        reason: why it is not graded; empty where it is.
        exercises: in the order of the notebook; of an unreadable file all are "unreadable".
        repairs: what was put right, told to the learner.
        seed: of the inputs; with it the verdict can be reproduced.
        isolation: how the kernel was kept apart: "warm", "bubblewrap", "podman", "docker", "none".
        versions: of what a verdict can depend on, by name.
        key: hash of all that a verdict depends on; the same key means the same verdict.
        seconds: that its grading took.
    """

    learner: str
    notebook: str
    file: str
    state: str
    reason: str = ""
    exercises: tuple[ExerciseResult, ...] = ()
    repairs: tuple[str, ...] = ()
    seed: int = 0
    isolation: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    seconds: float = 0.0

    @property
    def points(self) -> int:
        """All points that were earned."""
        return sum(exercise.points for exercise in self.exercises)

    @property
    def out_of(self) -> int:
        """All points that there are."""
        return sum(exercise.out_of for exercise in self.exercises)

    def to_json(self) -> str:
        """The record as it is kept."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Result:
        """A record that was kept.

        Raises:
            ValueError: it is none.
        """
        try:
            values: dict[str, Any] = json.loads(text)
            exercises = tuple(ExerciseResult(**one) for one in values.pop("exercises"))
            repairs = tuple(values.pop("repairs"))
            return cls(exercises=exercises, repairs=repairs, **values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"no record of a graded submission: {error}") from error
