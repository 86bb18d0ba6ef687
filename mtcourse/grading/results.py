"""The result of grading a submission, stored as one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

GRADED, UNREADABLE, FAILED = "graded", "unreadable", "failed"
"""The states of a submission; the last is a failure of the grader, never of the learner."""

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
"""The outcomes of an exercise; only the first earns points."""

JUDGED = "judged"
"""The outcome of a criterion of a rubric, to which a person has given points."""

RECORD_KEYS = {"max_points": "out_of", "feedback": "says"}
"""The fields of an exercise that have another name in a stored record."""


@dataclass(frozen=True)
class ExerciseResult:
    """The result of one exercise. It can be shown to the learner: it contains no secret input.

    Args:
        exercise: the id of the exercise.
        outcome: one of ``OUTCOMES``.
        points: the points that were earned.
        max_points: the points for a right answer.
        feedback: the text that the learner reads: verdict, message and hint, in lines.
        misconception: the name of the known mistake that the answer makes, if any.
        cell: the position, from 1, of the answer's cell in the submission; 0 if there is none.
        key: the cache key of this verdict, if it is not that of the submission, because this
            exercise alone was graded again.
        note: where the points come from, if not from the verdict; never stored.
        parts_right: the number of parts of the exercise that hold for a wrong answer.
        parts: the number of its parts; 0 if it has none.
    """

    exercise: str
    outcome: str
    points: float
    max_points: float
    feedback: str = ""
    misconception: str = ""
    cell: int = 0
    key: str = ""
    note: str = ""
    parts_right: int = 0
    parts: int = 0


@dataclass(frozen=True)
class FinalGrade:
    """What the policy of a class makes of the verdicts on a submission; never stored.

    Args:
        points: the points that count.
        late_penalty: the points that were deducted because it is late.
        handed_in: when it was handed in; empty if that is unknown.
        deadline: the deadline of this learner; empty if there is none.
        notes: where the points come from, in lines that the learner reads.
    """

    points: float
    late_penalty: float = 0.0
    handed_in: str = ""
    deadline: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubmissionResult:
    """The result of one submission.

    Args:
        learner: the author of the submission.
        notebook: the exercise notebook that it answers, such as "04_attention".
        file: its path below the folder of submissions.
        state: ``GRADED``, ``UNREADABLE`` or ``FAILED``.
        reason: why it is not graded; empty if it is.
        exercises: the results in the order of the notebook; all "unreadable" if the file is.
        repairs: what was corrected in the submission; the learner reads this.
        seed: the seed of the inputs, with which the verdict can be reproduced.
        isolation: the isolation of the kernel: "warm", "bubblewrap", "podman", "docker" or "none".
        versions: the installed versions on which the verdict can depend, by name.
        key: the cache key, a hash of everything that the verdict depends on.
        seconds: the time that grading took.
        grade: what the policy of the class makes of it, if there is a policy; never stored.
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
    grade: FinalGrade | None = None

    @property
    def points(self) -> float:
        """The points that count: those of all exercises, unless the policy says otherwise."""
        return self.grade.points if self.grade else self.exercise_points

    @property
    def exercise_points(self) -> float:
        """The points that were earned in all exercises."""
        return tidy_points(sum(exercise.points for exercise in self.exercises))

    @property
    def max_points(self) -> float:
        """The points for right answers to all exercises."""
        return tidy_points(sum(exercise.max_points for exercise in self.exercises))

    def to_json(self) -> str:
        """Returns the record to store."""
        values = asdict(self)
        del values["grade"]
        values["exercises"] = [
            {
                RECORD_KEYS.get(name, name): value
                for name, value in one.items()
                if name != "note" and (name not in ("key", "parts_right", "parts") or value)
            }
            for one in values["exercises"]
        ]
        return json.dumps(values, indent=1, ensure_ascii=False, sort_keys=True) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SubmissionResult:
        """Reads a stored record.

        Raises:
            ValueError: the text is not such a record.
        """
        try:
            values: dict[str, Any] = json.loads(text)
            exercises = tuple(map(_read_exercise, values.pop("exercises")))
            repairs = tuple(values.pop("repairs"))
            return cls(exercises=exercises, repairs=repairs, **values)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"no record of a graded submission: {error}") from error


def tidy_points(points: float) -> float:
    """Returns points without the noise of binary fractions: a whole number, or two decimals.

    >>> tidy_points(17 - 1.7), tidy_points(3.0)
    (15.3, 3)
    """
    rounded = round(points, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _read_exercise(values: dict[str, Any]) -> ExerciseResult:
    """Reads the part of a record that holds one exercise."""
    fields = {key: name for name, key in RECORD_KEYS.items()}
    return ExerciseResult(**{fields.get(key, key): value for key, value in values.items()})
