"""What is looked at in an answer, in the order in which a teacher would look."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case, Outcome, distance


@dataclass(frozen=True)
class Trial:
    """One case: what was expected there, and what the answer did."""

    case: Case
    expected: Outcome
    got: Outcome


Fails = Callable[[Trial], str]


def properties_of(exercise: Exercise, trials: Sequence[Trial]) -> Iterator[tuple[str, Fails]]:
    """Each property in words, with what says on one trial how it fails: nothing where it holds."""
    if exercise.cases is None:
        yield "it is the right value", _is_another(exercise.tolerance)
        return
    yield "runs on every input", _stops
    yield "leaves its inputs as they were", _changes
    yield "returns the right kind of thing", _kind
    yield "has the right shape", _shape
    for rule in exercise.rules:
        yield rule.says, lambda t, rule=rule: "" if _holds(rule.holds, t) else _where(t)
    differs = _differs(exercise)
    if any(trial.case.by_hand for trial in trials):
        yield (
            "is right where you can check it by hand",
            lambda t: differs(t) if t.case.by_hand else "",
        )
    yield "is right on all other inputs", lambda t: "" if t.case.by_hand else differs(t)
    if exercise.gradients:
        yield "lets gradients through", _stops_gradients(exercise.tolerance)


def _is_another(tolerance: float) -> Fails:
    """Says which parts of a value are wrong, and not what they should be."""

    def fails(trial: Trial) -> str:
        value, expected = trial.got.value, trial.expected.value
        if distance(value, expected, tolerance) <= 1:
            return ""
        if not isinstance(expected, Mapping):
            return "it is another one"
        if not isinstance(value, Mapping) or set(value) != set(expected):
            return f"it should be a dictionary with the names {', '.join(map(str, expected))}"
        wrong = [key for key in expected if distance(value[key], expected[key], tolerance) > 1]
        return f"not yet: {', '.join(map(str, wrong))}"

    return fails


def _holds(rule: Callable[[Case, Any], bool], trial: Trial) -> bool:
    try:
        return bool(rule(trial.case, trial.got.value))
    except Exception:  # a rule may stumble over whatever an answer returns: then it does not hold
        return False


def _where(trial: Trial) -> str:
    return f"not on {trial.case.name}, where yours is {_shown(trial.got.value)}"


def _stops(trial: Trial) -> str:
    stop = trial.got.stop
    if stop is None:
        return ""
    place = f", at `{stop.line}`" if stop.line else ""
    told = f"on {trial.case.name} it stopped with {stop.kind}: {stop.message}{place}"
    return f"{told}. {_DOUBLE}" if _mixes_precisions(trial) else told


_DOUBLE = (
    "The numbers here are of type float64, and something that you made is not: give it their type, "
    "as in torch.zeros(3, dtype=x.dtype)"
)


def _mixes_precisions(trial: Trial) -> bool:
    """Whether an answer stopped because its own tensors are not as precise as its inputs."""
    said = trial.got.stop.message if trial.got.stop else ""
    complains = any(word in said.lower() for word in ("dtype", "scalar type", "double"))
    return complains and _has_double(trial.case.arguments)


def _has_double(value: Any) -> bool:
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        return any(map(_has_double, value))
    return isinstance(value, Tensor) and value.dtype == torch.float64


def _changes(trial: Trial) -> str:
    if not trial.got.changed:
        return ""
    number = trial.got.changed[0] + 1
    return f"after the call on {trial.case.name}, argument {number} holds other numbers than before"


def _kind(trial: Trial) -> str:
    value, expected = trial.got.value, trial.expected.value
    if isinstance(expected, list) and isinstance(value, list | tuple):
        return ""  # how long a list is may be what is asked
    what, wanted, given = "it", _kind_of(expected), _kind_of(value)
    if wanted == given and isinstance(expected, tuple):
        for number, (one, other) in enumerate(zip(expected, value, strict=True), start=1):
            if _kind_of(one) != _kind_of(other) and distance(other, one, 1.0) == math.inf:
                what, wanted, given = f"number {number} in it", _kind_of(one), _kind_of(other)
                break
    on = trial.case.name
    return "" if wanted == given else f"on {on} {what} is {given}, and should be {wanted}"


def _kind_of(value: Any) -> str:
    """What something is, in words."""
    if isinstance(value, np.generic) or (isinstance(value, Tensor) and value.dim() == 0):
        value = value.item()
    if isinstance(value, Tensor):
        if value.dtype == torch.bool:
            return "a tensor of True and False"
        return "a tensor of numbers" if value.is_floating_point() else "a tensor of integers"
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int | float):
        return "a number"
    if value is None:
        return "nothing (is there a return?)"
    if isinstance(value, tuple | list):
        return f"a sequence of {len(value)}"
    return f"an object of type {type(value).__name__}"


def _shape(trial: Trial) -> str:
    value, expected = trial.got.value, trial.expected.value
    shape = tuple(getattr(value, "shape", ()))  # a number has none, and is a scalar
    if not isinstance(expected, Tensor) or shape == tuple(expected.shape):
        return ""
    return f"on {trial.case.name} it is {shape}, and should be {tuple(expected.shape)}"


def _differs(exercise: Exercise) -> Fails:
    names = list(inspect.signature(exercise.oracle).parameters)

    def fails(trial: Trial) -> str:
        case, value, expected = trial.case, trial.got.value, trial.expected.value
        if distance(value, expected, exercise.tolerance) <= 1:
            return ""
        if case.by_hand:
            shown = [*zip(names, case.arguments, strict=False), ("yours", value)]
            lines = [f"{name} = {_shown(of_name)}" for name, of_name in shown]
            return "\n".join([f"on {case.name}:", *lines, f"right = {_shown(expected)}"])
        return f"on {case.name}, {_largest_difference(value, expected)}"

    return fails


def _largest_difference(value: Any, expected: Any) -> str:
    """Where two values differ most."""
    if not (isinstance(value, Tensor) and isinstance(expected, Tensor) and expected.dim()):
        return f"yours is {_shown(value)}, and should be {_shown(expected)}"
    difference = (value.double() - expected.double()).abs().nan_to_num(nan=math.inf, posinf=1e300)
    place = torch.unravel_index(difference.argmax(), difference.shape)
    here = [int(index) for index in place]
    return f"at {here} yours is {_shown(value[place])}, and should be {_shown(expected[place])}"


def _stops_gradients(tolerance: float) -> Fails:
    def fails(trial: Trial) -> str:
        got, expected = trial.got.gradients, trial.expected.gradients
        if got is None and expected is not None:
            lost = "was something detached, copied, or overwritten?"
            return f"on {trial.case.name} nothing flows back: {lost}"
        if distance(got, expected, tolerance) <= 1:
            return ""
        return f"on {trial.case.name} the value is right, and its gradient is not"

    return fails


def _shown(value: Any) -> str:
    """A value in at most a line."""
    if isinstance(value, Tensor):
        if value.numel() > 16:
            first = value.flatten()[:4].tolist()
            return f"{tuple(value.shape)} beginning with {_rounded(first)}"
        return str(_rounded(value.tolist()))
    return str(_rounded(value))


def _rounded(value: Any) -> Any:
    if isinstance(value, Tensor):  # in a sequence
        few = value.numel() <= 16
        return _rounded(value.tolist()) if few else f"a tensor {tuple(value.shape)}"
    if isinstance(value, list | tuple):
        return type(value)(_rounded(part) for part in value)
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else float(f"{value:.4g}")
