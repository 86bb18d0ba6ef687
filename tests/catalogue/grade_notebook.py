"""One notebook graded, from its bytes to its record."""

from __future__ import annotations

from mtcourse.grading.grade_job import grade_job
from mtcourse.grading.jobs import Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import SubmissionResult
from tests.catalogue.returned import solution

SEED = 20_261_121


def grade_notebook(
    content: bytes,
    notebook: str = "05_masks",
    isolation: str = "auto",
    limits: Limits | None = None,
    seed: int = SEED,
) -> SubmissionResult:
    """The record of what comes back."""
    file = f"{notebook}.ipynb"
    job = Job(
        learner="ada",
        notebook=notebook,
        file=file,
        content=content,
        solution=solution(notebook),
        seed=seed,
        isolation=isolation,
        limits=limits or Limits(),
    )
    return grade_job(job)
