"""Grades one submission, from its bytes to its result, independently of all others."""

from __future__ import annotations

import functools
import json
import platform
import time
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mtcourse.checks.banks import bank_of
from mtcourse.grading.exercise_notebook import make_exercise_notebook
from mtcourse.grading.isolation.backends import open_isolation
from mtcourse.grading.jobs import Job
from mtcourse.grading.judge_exercises import JudgedExercise, judge_exercises
from mtcourse.grading.kernel import GradingKernel, Limits
from mtcourse.grading.kernel_session import KernelSession
from mtcourse.grading.merge import MergedNotebook, merge_submission
from mtcourse.grading.needed_modules import find_hidden_files
from mtcourse.grading.results import GRADED, UNREADABLE, ExerciseResult, SubmissionResult
from mtcourse.grading.solution_notebook import (
    ExerciseSpec,
    read_cells,
    read_cohort,
    read_exercise_specs,
)
from mtcourse.grading.submitted_cohort import check_cohort
from mtcourse.grading.submitted_notebook import Unreadable, parse_submitted_notebook

VERDICT_PACKAGES = ("mtcourse", "torch", "numpy", "ipykernel", "nbval")
"""Packages on whose versions a verdict can depend."""


def merge_with_solution(
    content: bytes, notebook: str, solution: Mapping[str, Any]
) -> MergedNotebook:
    """Merges a submission with the exercise notebook that its solution makes.

    Raises:
        Unreadable: the submission is not a notebook, or is that of another cohort.
    """
    handed_out = make_exercise_notebook(Path(f"{notebook}.ipynb"), solution)
    submission = parse_submitted_notebook(content)
    check_cohort(submission, read_cohort(solution), bank_of(notebook))
    return merge_submission(read_cells(handed_out), submission)


def grade_job(job: Job) -> SubmissionResult:
    """Grades a submission. Every fault of the submission is part of the result.

    Raises:
        MtcourseError: the solution, its bank or the isolation is faulty.
    """
    start = time.monotonic()
    solution = json.loads(job.solution)
    spec = read_exercise_specs(solution)
    isolation = open_isolation(job.isolation).name

    def result(state: str, exercises: Sequence[ExerciseResult], **others: Any) -> SubmissionResult:
        return SubmissionResult(
            job.learner,
            job.notebook,
            job.file,
            state,
            exercises=tuple(exercises),
            seed=job.seed,
            isolation=isolation,
            versions=installed_versions(),
            key=job.key,
            seconds=round(time.monotonic() - start, 3),
            **others,
        )

    try:
        merged = merge_with_solution(job.content, job.notebook, solution)
    except Unreadable as error:
        nothing = [ExerciseResult(one.id, "unreadable", 0, one.points) for one in spec]
        return result(UNREADABLE, nothing, reason=str(error))
    hidden, bank = find_hidden_files(merged), bank_of(job.notebook, read_cohort(solution))
    session = KernelSession(lambda: GradingKernel(isolation, hidden), job.limits)
    of_exercise = {one.exercise: one for one in judge_exercises(merged, bank, job.seed, session)}
    exercises = [make_exercise_result(one, of_exercise[one.id], merged, job.limits) for one in spec]
    return result(GRADED, exercises, repairs=(*merged.repairs, *session.notices))


@functools.cache
def installed_versions() -> Mapping[str, str]:
    """Returns the installed versions on which verdicts can depend, by name."""
    found = {"python": platform.python_version()}
    for name in VERDICT_PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def make_exercise_result(
    spec: ExerciseSpec, judged: JudgedExercise, merged: MergedNotebook, limits: Limits
) -> ExerciseResult:
    """Makes the result of one exercise, which is stored and shown to the learner."""
    passed = judged.outcome == "passed"
    return ExerciseResult(
        spec.id,
        judged.outcome,
        spec.points if passed else 0,
        spec.points,
        _write_feedback(judged, limits),
        judged.verdict.misconception if judged.verdict else "",
        merged.cell_numbers.get(spec.id, 0),
        parts_right=judged.parts[0],
        parts=judged.parts[1],
    )


def _write_feedback(judged: JudgedExercise, limits: Limits) -> str:
    """Writes the learner's feedback, which reveals nothing of secret inputs."""
    feedback = _write_answer_feedback(judged, limits)
    if judged.excluded_cells:
        feedback += (
            f"\n  ! tried without {', '.join(judged.excluded_cells)}: Python had ended or hung"
        )
    return feedback


def _write_answer_feedback(judged: JudgedExercise, limits: Limits) -> str:
    """Writes the feedback on the answer itself, without excluded cells."""
    if judged.outcome == "passed":
        return str(judged.verdict)
    if judged.outcome in _EXPLANATIONS:
        explanation = f"  ! {_EXPLANATIONS[judged.outcome].format(limits.seconds)}"
        return f"{explanation}\n    ({judged.note})"
    if judged.outcome == "error":
        return f"  ! {judged.note[:MAX_NOTE_LENGTH]}"
    if judged.public_verdict and not judged.public_verdict.passed:
        return str(judged.public_verdict)
    return (
        "  ✗ right on the inputs of its own check, and wrong on others\n"
        "  Hint: does it take anything for granted, such as sizes or values, that may change?"
    )


MAX_NOTE_LENGTH = 1000
_EXPLANATIONS = {
    "timeout": "it did not end within {:.0f} seconds: is there a loop without an end?",
    "kernel-died": "Python ended: does it call exit, or take more memory than there is?",
    "output-limit": "it put out more than any answer needs to: take the printing out",
    "missing": "there is no cell for it in the notebook",
}
