"""What runs in a learner's kernel: tries an answer on given inputs, and shows what it did.

It knows nothing of what is right; whoever changes it there changes only what the grader is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mtcourse.checks.attempt import attempt
from mtcourse.grading.payload import packed_attempt, unpacked_cases

ATTEMPT = "application/vnd.mtcourse.attempt+json"
"""The form in which an attempt leaves the kernel."""


def show_attempt(
    exercise: str, names: Mapping[str, Any], cases: str, is_value: bool, gradients: bool
) -> None:
    """Tries the answer that stands under an exercise's name, and puts out what came of it.

    Args:
        exercise: its id, and the name of the answer.
        names: all that the notebook defined.
        cases: the inputs, as ``packed_cases`` made them, in JSON.
        is_value: whether a value is asked for and no function.
        gradients: whether its gradients are to be looked at.
    """
    from IPython.display import display

    inputs = unpacked_cases(json.loads(cases))
    tried = attempt(exercise, names.get(exercise, ...), inputs, is_value, gradients)
    display({ATTEMPT: packed_attempt(tried), "text/plain": exercise}, raw=True)
