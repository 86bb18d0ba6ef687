"""A submission to grade, and how a job is done, told and given up: here and on a cluster alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import FAILED, Result

RETRIES = 2
"""Times that a job is tried again when its process has died, or the grader has failed in it."""
LOOK_EVERY = 1.0
"""Seconds between looks at processes that say nothing: do they still live?"""


@dataclass(frozen=True)
class Job:
    """What it takes to grade one submission, on this machine or on another.

    Args:
        learner: whose it is.
        notebook: which exercise notebook it answers, such as "04_attention".
        file: where it lay.
        content: its bytes.
        solution: the bytes of the notebook in ``solutions/``.
        seed: of the inputs on which answers are tried.
        isolation: how the kernel is kept apart.
        limits: of each cell.
        key: hash of all that the verdict depends on, kept with it.
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


Grade = Callable[[Job], Result]
Done = Callable[[Job, Result], None]
DoAll = Callable[[Iterable[Job], Done], None]


def failed(job: Job, reason: str) -> Result:
    """The result where the grader itself could not do it."""
    return Result(
        job.learner,
        job.notebook,
        job.file,
        FAILED,
        reason=reason,
        seed=job.seed,
        isolation=job.isolation,
        key=job.key,
    )
