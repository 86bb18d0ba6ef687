"""Runs in a learner's kernel: tries an answer on given inputs, and shows the outcomes.

It knows no right answer. A learner who changes it there changes only what is reported to the
grader.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.attempt import Attempt, attempt
from mtcourse.grading.wire_format import decode_cases, encode_attempt

ATTEMPT_MIME_TYPE = "application/vnd.mtcourse.attempt+json"
"""The MIME type under which the kernel displays an attempt."""


def show_attempt(
    exercise: str,
    cases: str,
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str],
) -> None:
    """Tries the answer to an exercise, and displays the outcomes.

    Args:
        exercise: the id of the exercise, which is also the name of the answer.
        cases: the inputs as JSON from ``encode_cases``.
        is_value: whether the answer is a value rather than a function.
        gradients: whether to compute gradients too.
        forbids: the names of functions that the answer may not call.
    """
    from IPython.display import display

    inputs = decode_cases(json.loads(cases))
    tried = attempt(exercise, _find_answer(exercise), inputs, is_value, gradients, forbids)
    display({ATTEMPT_MIME_TYPE: encode_attempt(tried), "text/plain": exercise}, raw=True)


def _find_answer(exercise: str) -> Any:
    """Returns what the notebook has under an exercise's name, whatever it calls its own names."""
    from IPython import get_ipython

    return getattr(get_ipython(), "user_ns", {}).get(exercise, ...)


def print_attempt(
    exercise: str,
    cases: str,
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str],
) -> None:
    """Tries the answer in the same way, and prints rounded outcomes for nbval to compare."""
    inputs = decode_cases(json.loads(cases))
    tried = attempt(exercise, _find_answer(exercise), inputs, is_value, gradients, forbids)
    print(format_attempt(tried))


def format_attempt(tried: Attempt) -> str:
    """Formats outcomes, a line for each case, with four digits (two for half precision)."""
    if tried.fault:
        return tried.fault
    return "\n".join(
        f"stopped with {outcome.stop.kind}" if outcome.stop else _format_value(outcome.value)
        for outcome in tried.outcomes
    )


def _format_value(value: Any, digits: int = 4) -> str:
    """Formats a value; a number and a tensor of that number look the same."""
    if isinstance(value, Tensor):
        digits = 2 if value.dtype in (torch.float16, torch.bfloat16) else digits
    if isinstance(value, Tensor | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {_format_value(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_format_value(one, digits) for one in value)}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value + 0.0:.{digits}g}"
    return str(value)
