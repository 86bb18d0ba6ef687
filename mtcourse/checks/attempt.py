"""An answer tried on inputs: what it did, or why it is none. Knows nothing of what is right."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from mtcourse.checks import deadline
from mtcourse.checks.guard import NotAllowedHere, ready_made, watched
from mtcourse.checks.outcomes import Case, Outcome, Stop, outcome_of
from mtcourse.checks.prints import Prints

OPEN = "not answered yet"


@dataclass(frozen=True)
class Attempt:
    """What came of an answer.

    Args:
        fault: why there is nothing to judge; empty where there is.
        outcomes: what it did on each case.
        prints: what it printed on the first case on which it printed anything.
    """

    fault: str
    outcomes: tuple[Outcome, ...] = ()
    prints: str = ""


def attempt(
    exercise: str,
    answer: Any,
    cases: Sequence[Case],
    is_value: bool,
    gradients: bool,
    forbids: Sequence[str] = (),
) -> Attempt:
    """Tries an answer on each case; a stub is called once, and a deadline holds for all of them.

    Args:
        exercise: its id, for the learner to read.
        answer: whatever stands under that name.
        cases: what it is called with.
        is_value: whether a value is asked for and no function.
        gradients: whether its gradients are to be looked at.
        forbids: what it may not do with an operation of torch: names of ``guard.OPERATIONS``.
    """
    fault, function = _as_function(exercise, answer, is_value)
    if fault:
        return Attempt(fault)
    function, prints = watched(function, forbids), Prints()
    outcomes: list[Outcome] = []
    try:
        with deadline.deadline(), _torch_restored():
            for case in cases:
                with prints.of(case.name):
                    outcomes.append(outcome_of(function, case, gradients))
                stop = outcomes[-1].stop
                if stop and stop.kind == "NotImplementedError":
                    return Attempt(OPEN, (), str(prints))
    except deadline.TookTooLong:
        outcomes += [Outcome(stop=_TOO_LONG)] * (len(cases) - len(outcomes))
    return Attempt("", tuple(outcomes), str(prints))


_TOO_LONG = Stop(
    deadline.TookTooLong.__name__,
    f"it had not finished after {deadline.SECONDS:.0f} seconds: is there a loop without an end?",
)


@contextlib.contextmanager
def _torch_restored() -> Iterator[None]:
    """Tries an answer with torch's own settings, and puts back what it has set or replaced there.

    The settings that a notebook has made are not the answer's, and hold again afterwards.
    """
    precision, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
    anomalies = torch.is_anomaly_enabled()
    torch.set_default_dtype(torch.float32)  # as where the inputs were made
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    before = [(owner, dict(vars(owner))) for owner in (torch.Tensor, torch, functional)]
    try:
        yield
    finally:
        for owner, attributes in before:
            for name, value in attributes.items():
                if vars(owner).get(name) is not value:
                    setattr(owner, name, value)
            for name in [name for name in vars(owner) if name not in attributes]:
                delattr(owner, name)
        torch.set_default_dtype(precision)
        torch.set_grad_enabled(gradients)
        torch.autograd.set_detect_anomaly(anomalies)


def _as_function(exercise: str, answer: Any, is_value: bool) -> tuple[str, Callable]:
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
    if taken := ready_made(answer):
        return str(NotAllowedHere(taken)), _nothing
    return "", answer


def _nothing() -> None:
    return None
