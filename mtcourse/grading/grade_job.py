"""The unit of grading: one submission, from its bytes to its record; nothing else is touched."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mtcourse.checks.banks import bank_of
from mtcourse.grading.exercise_notebook import exercise_notebook
from mtcourse.grading.isolation.backends import isolation_named
from mtcourse.grading.jobs import Job
from mtcourse.grading.judge_exercises import Graded, grade
from mtcourse.grading.kernel import GradingKernel, Limits
from mtcourse.grading.kernel_session import Run
from mtcourse.grading.merge import Merged, merge
from mtcourse.grading.results import GRADED, UNREADABLE, ExerciseResult, Result
from mtcourse.grading.solution_notebook import Asked, cells_of, exercises_of
from mtcourse.grading.submitted_notebook import Unreadable, parse_submission

MATTERS = ("mtcourse", "torch", "numpy", "ipykernel", "nbval")
"""Packages on whose version a verdict can depend."""


def merged_of(content: bytes, notebook: str, solution: Mapping[str, Any]) -> Merged:
    """What is run to grade a submission.

    Raises:
        Unreadable: the submission is no notebook.
    """
    handed_out = exercise_notebook(Path(f"{notebook}.ipynb"), solution)
    return merge(cells_of(handed_out), parse_submission(content))


def grade_job(job: Job) -> Result:
    """Grades a submission. Whatever is wrong with it is in the record.

    Raises:
        MtcourseError: the solution, the bank of its checks or the isolation is at fault.
    """
    begun = time.monotonic()
    solution = json.loads(job.solution)
    asked = exercises_of(solution)
    isolation = isolation_named(job.isolation).name

    def result(state: str, exercises: Sequence[ExerciseResult], **others: Any) -> Result:
        return Result(
            job.learner,
            job.notebook,
            job.file,
            state,
            exercises=tuple(exercises),
            seed=job.seed,
            isolation=isolation,
            versions=versions(),
            key=job.key,
            seconds=round(time.monotonic() - begun, 3),
            **others,
        )

    try:
        merged = merged_of(job.content, job.notebook, solution)
    except Unreadable as error:
        nothing = [ExerciseResult(one.id, "unreadable", 0, one.points) for one in asked]
        return result(UNREADABLE, nothing, reason=str(error))
    run = Run(lambda: GradingKernel(isolation), job.limits)
    of_exercise = {one.exercise: one for one in grade(merged, bank_of(job.notebook), job.seed, run)}
    exercises = [exercise_result(one, of_exercise[one.id], merged, job.limits) for one in asked]
    return result(GRADED, exercises, repairs=(*merged.repairs, *run.troubles))


def versions() -> Mapping[str, str]:
    """What verdicts can depend on, by name."""
    found = {"python": platform.python_version()}
    for name in MATTERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def exercise_result(asked: Asked, graded: Graded, merged: Merged, limits: Limits) -> ExerciseResult:
    """What is kept of one exercise, and told to the learner."""
    passed = graded.outcome == "passed"
    return ExerciseResult(
        asked.id,
        graded.outcome,
        asked.points if passed else 0,
        asked.points,
        _says(graded, limits),
        graded.verdict.misconception if graded.verdict else "",
        merged.places.get(asked.id, 0),
    )


def _says(graded: Graded, limits: Limits) -> str:
    """What the learner reads: nothing of it from inputs that are hidden."""
    said = _says_of_answer(graded, limits)
    if graded.without:
        said += f"\n  ! tried without {', '.join(graded.without)}: Python had ended or hung"
    return said


def _says_of_answer(graded: Graded, limits: Limits) -> str:
    """The same, but for what was left out."""
    if graded.outcome == "passed":
        return str(graded.verdict)
    if graded.outcome in _ENDED:
        said = f"  ! {_ENDED[graded.outcome].format(limits.seconds)}"
        return f"{said}\n    ({graded.note})"
    if graded.outcome == "error":
        return f"  ! {graded.note[:LONGEST_NOTE]}"
    if graded.feedback and not graded.feedback.passed:
        return str(graded.feedback)
    return (
        "  ✗ right on the inputs of its own check, and wrong on others\n"
        "  Hint: does it take anything for granted, such as sizes or values, that may change?"
    )


LONGEST_NOTE = 1000
_ENDED = {
    "timeout": "it did not end within {:.0f} seconds: is there a loop without an end?",
    "kernel-died": "Python ended: does it call exit, or take more memory than there is?",
    "output-limit": "it put out more than any answer needs to: take the printing out",
    "missing": "there is no cell for it in the notebook",
}
