"""An answer tried on inputs: what it did, or why it is none. Knows nothing of what is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mtcourse.checks.guard import NotAllowedHere, guarded, ready_made
from mtcourse.checks.outcomes import Case, Outcome, outcome_of

OPEN = "not answered yet"


@dataclass(frozen=True)
class Attempt:
    """What came of an answer.

    Args:
        fault: why there is nothing to judge; empty where there is.
        outcomes: what it did on each case.
    """

    fault: str
    outcomes: tuple[Outcome, ...] = ()


def attempt(
    exercise: str,
    answer: Any,
    cases: Sequence[Case],
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str] = (),
) -> Attempt:
    """Tries an answer on each case; a stub is called once.

    Args:
        exercise: its id, for the learner to read.
        answer: whatever stands under that name.
        cases: what it is called with.
        is_value: whether a value is asked for and no function.
        gradients: whether its gradients are to be looked at.
        forbids: names of functions that it may not call.
    """
    fault, function = _as_function(exercise, answer, is_value, forbids)
    if fault:
        return Attempt(fault)
    outcomes: list[Outcome] = []
    for case in cases:
        with guarded(forbids):
            outcomes.append(outcome_of(function, case, gradients))
        stop = outcomes[-1].stop
        if stop and stop.kind == "NotImplementedError":
            return Attempt(OPEN)
    return Attempt("", tuple(outcomes))


def _as_function(
    exercise: str, answer: Any, is_value: bool, forbids: Sequence[str]
) -> tuple[str, Callable]:
    """The answer as something to call, or what is wrong with it."""
    if answer is ... or (isinstance(answer, dict) and any(one is ... for one in answer.values())):
        return OPEN, _nothing
    if is_value:
        if callable(answer):
            return f"a value is asked for, but {exercise} is a function", _nothing
        return "", lambda: answer
    if not callable(answer):
        return (
            f"a function is asked for: write check({exercise!r}, {exercise}), "
            "with the function itself and not what it returns",
            _nothing,
        )
    if taken := ready_made(answer, forbids):
        return str(NotAllowedHere(taken)), _nothing
    return "", answer


def _nothing() -> None:
    return None
