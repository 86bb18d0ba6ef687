"""What runs in a learner's kernel: tries an answer on given inputs, and shows what it did.

It knows nothing of what is right; whoever changes it there changes only what the grader is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.attempt import Attempt, attempt
from mtcourse.grading.wire_format import packed_attempt, unpacked_cases

ATTEMPT = "application/vnd.mtcourse.attempt+json"
"""The form in which an attempt leaves the kernel."""


def show_attempt(
    exercise: str,
    names: Mapping[str, Any],
    cases: str,
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str],
) -> None:
    """Tries the answer that stands under an exercise's name, and puts out what came of it.

    Args:
        exercise: its id, and the name of the answer.
        names: all that the notebook defined.
        cases: the inputs, as ``packed_cases`` made them, in JSON.
        is_value: whether a value is asked for and no function.
        gradients: whether its gradients are to be looked at.
        forbids: names of functions that it may not call.
    """
    from IPython.display import display

    inputs = unpacked_cases(json.loads(cases))
    tried = attempt(exercise, names.get(exercise, ...), inputs, is_value, gradients, forbids)
    display({ATTEMPT: packed_attempt(tried), "text/plain": exercise}, raw=True)


def print_attempt(
    exercise: str,
    names: Mapping[str, Any],
    cases: str,
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str],
) -> None:
    """The same in text and rounded, for whoever compares what is printed."""
    inputs = unpacked_cases(json.loads(cases))
    tried = attempt(exercise, names.get(exercise, ...), inputs, is_value, gradients, forbids)
    print(attempt_in_text(tried))


def attempt_in_text(tried: Attempt) -> str:
    """What an answer did, one line for each case, numbers to four digits (of half floats two)."""
    if tried.fault:
        return tried.fault
    return "\n".join(
        f"stopped with {outcome.stop.kind}" if outcome.stop else _in_text(outcome.value)
        for outcome in tried.outcomes
    )


def _in_text(value: Any, digits: int = 4) -> str:
    """A value; a number alone and a tensor of it are written alike."""
    if isinstance(value, Tensor):
        digits = 2 if value.dtype in (torch.float16, torch.bfloat16) else digits
    if isinstance(value, Tensor | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_in_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_in_text(one, digits) for one in value)}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value + 0.0:.{digits}g}"
    return str(value)
