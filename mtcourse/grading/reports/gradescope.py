"""The results of one learner in the format of Gradescope's autograders.

The format is specified at gradescope-autograders.readthedocs.io/en/latest/specs: each test has its
own score, and all texts are displayed as plain text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mtcourse.grading.reports.counts import OUTCOME_LABELS
from mtcourse.grading.reports.sanitize import clean_line, clean_lines
from mtcourse.grading.results import FAILED, GRADED, ExerciseResult, SubmissionResult, tidy_points


def gradescope_json(results: Sequence[SubmissionResult]) -> str:
    """Returns ``results.json`` for the notebooks of a learner.

    If the grader failed on a notebook, it has no score, rather than a score of 0.

    Args:
        results: all results of the learner.
    """
    output = [text for result in results if (text := _write_output(result))]
    tests = [
        _make_test(one, result)
        for result in results
        if result.state != FAILED
        for one in result.exercises
    ]
    # Being late, or points by hand, change the points of a notebook, and no test of its own.
    is_changed = any(result.points != result.exercise_points for result in results)
    points = sum(result.points for result in results if result.state != FAILED)
    document: dict[str, Any] = {
        **({"score": tidy_points(points)} if is_changed else {}),
        "output": "\n\n".join(output),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _write_output(result: SubmissionResult) -> str:
    """Writes the message on a whole notebook."""
    notes = [f"- {clean_line(note, 400)}" for note in (result.grade.notes if result.grade else ())]
    if result.state == GRADED:
        text = "\n".join([*notes, *(f"- {clean_line(repair, 400)}" for repair in result.repairs)])
    elif result.state == FAILED:
        text = "This was not graded: the grader failed, which is not your fault."
    else:
        text = "\n".join([f"This could not be read: {clean_line(result.reason, 400)}", *notes])
    return text and f"{clean_line(result.notebook)}\n{text}"


def _make_test(one: ExerciseResult, result: SubmissionResult) -> dict[str, Any]:
    text = clean_lines(one.feedback) or OUTCOME_LABELS.get(one.outcome, clean_line(one.outcome))
    if one.note:
        text = f"{clean_line(one.note, 400)}\n{text}"
    return {
        "score": one.points,
        "max_score": one.max_points,
        "status": "passed" if one.outcome == "passed" else "failed",
        "name": f"{clean_line(result.notebook)}: {clean_line(one.exercise)}",
        "name_format": "text",
        "output": text,
        "output_format": "text",
        "tags": [clean_line(one.outcome)],
        "visibility": "visible",
    }
