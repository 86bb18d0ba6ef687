"""Which cohort's numbers a submission has: told by its author's notebook, and believed for no more
than a refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtcourse.checks.exercise import Exercise
from mtcourse.grading.submitted_notebook import SubmittedNotebook, Unreadable

_IMPORT = re.compile(r"^from mtcourse\.chapters\.\w+\.exercises import check$", re.MULTILINE)
_COHORT = re.compile(r"^check = check\.for_cohort\([\"']([A-Za-z0-9._-]+)[\"']\)$", re.MULTILINE)


def check_cohort(submission: SubmittedNotebook, cohort: str, bank: Sequence[Exercise]) -> None:
    """Checks that a submission has the numbers that it is graded with.

    What is graded comes from the solution alone. If the learner's notebook says that it asked for
    other numbers, its answers would be wrong through no fault of their author.

    Args:
        submission: what the learner handed in.
        cohort: the cohort whose numbers it is graded with; empty for the published ones.
        bank: the published exercises of the notebook.

    Raises:
        Unreadable: it is that of another cohort, and has an exercise with other numbers.
    """
    own = find_cohort(submission)
    if own is None or own == cohort or not any(exercise.versions for exercise in bank):
        return
    raise Unreadable(
        f"it is {_describe(own)}, and {_describe(cohort)} is graded, whose numbers are others: "
        "hand in the notebook that your own class was given"
    )


def find_cohort(submission: SubmittedNotebook) -> str | None:
    """Returns the cohort of a submission: empty if it is as published, None if it does not say."""
    if submission.cohort:
        return submission.cohort
    code = "\n".join(cell.text for cell in submission.cells if cell.kind == "code")
    if found := _COHORT.search(code):
        return found[1]
    return "" if _IMPORT.search(code) else None


def _describe(cohort: str) -> str:
    return f"the notebook of the cohort {cohort}" if cohort else "the notebook without a cohort"
