"""The results of one learner as Gradescope's autograders give them.

The format is that of gradescope-autograders.readthedocs.io/en/latest/specs: scores stand with each
test, and every text is shown as it is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mtcourse.grading.reports.counts import SAID
from mtcourse.grading.reports.sanitize import lines, one_line
from mtcourse.grading.results import FAILED, GRADED, ExerciseResult, Result


def gradescope_json(results: Sequence[Result]) -> str:
    """``results.json`` of a learner's notebooks.

    What the grader itself could not grade has no score, rather than none of the points.

    Args:
        results: all of one learner's.
    """
    told = [text for result in results if (text := _told(result))]
    tests = [
        _test(one, result)
        for result in results
        if result.state != FAILED
        for one in result.exercises
    ]
    document = {
        "output": "\n\n".join(told),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _told(result: Result) -> str:
    """What there is to say of a whole notebook."""
    if result.state == GRADED:
        said = "\n".join(f"- {one_line(repair, 400)}" for repair in result.repairs)
    elif result.state == FAILED:
        said = "This was not graded: the grader failed, which is not your fault."
    else:
        said = f"This could not be read: {one_line(result.reason, 400)}"
    return said and f"{one_line(result.notebook)}\n{said}"


def _test(one: ExerciseResult, result: Result) -> dict[str, Any]:
    said = lines(one.says) or SAID.get(one.outcome, one_line(one.outcome))
    return {
        "score": one.points,
        "max_score": one.out_of,
        "status": "passed" if one.outcome == "passed" else "failed",
        "name": f"{one_line(result.notebook)}: {one_line(one.exercise)}",
        "name_format": "text",
        "output": said,
        "output_format": "text",
        "tags": [one_line(one.outcome)],
        "visibility": "visible",
    }
