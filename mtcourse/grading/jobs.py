"""The job of grading one submission, and what machines and clusters agree on about jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import FAILED, SubmissionResult

RETRIES = 2
"""How often a job is tried again after its process has died, or the grader has failed in it."""
POLL_SECONDS = 1.0
"""Seconds between two checks that a silent process is still alive."""


@dataclass(frozen=True)
class Job:
    """Everything that is needed to grade one submission, on this machine or on another.

    Args:
        learner: the author of the submission.
        notebook: the name of the exercise notebook that it answers, such as "04_attention".
        file: the path of the submitted file.
        content: the bytes of that file.
        solution: the bytes of the notebook in ``solutions/``.
        seed: the seed of the inputs on which answers are tried.
        isolation: the name of the isolation that the kernel runs in.
        limits: the limits of each cell.
        key: the cache key, a hash of everything that the verdict depends on.
    """

    learner: str
    notebook: str
    file: str
    content: bytes
    solution: bytes
    seed: int
    isolation: str = "auto"
    limits: Limits = field(default_factory=Limits)
    key: str = ""


GradeFunction = Callable[[Job], SubmissionResult]
OnResult = Callable[[Job, SubmissionResult], None]
RunJobs = Callable[[Iterable[Job], OnResult], None]


def failed_result(job: Job, reason: str) -> SubmissionResult:
    """Returns the result of a job in which the grader itself failed."""
    return SubmissionResult(
        job.learner,
        job.notebook,
        job.file,
        FAILED,
        reason=reason,
        seed=job.seed,
        isolation=job.isolation,
        key=job.key,
    )
