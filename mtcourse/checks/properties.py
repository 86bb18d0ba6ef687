"""What is looked at in an answer, in the order in which a teacher would look."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.deadline import TookTooLong
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case, Outcome, distance, is_number, type_name
from mtcourse.checks.prints import cut


@dataclass(frozen=True)
class Trial:
    """One case: what was expected there, and what the answer did."""

    case: Case
    expected: Outcome
    got: Outcome


Fails = Callable[[Trial], str]


def properties_of(exercise: Exercise, trials: Sequence[Trial]) -> Iterator[tuple[str, Fails]]:
    """Each property in words, with what says on one trial how it fails: nothing where it holds."""
    for says, fails in _properties_of(exercise, trials):
        yield says, _without_stumbling(fails)


def _properties_of(exercise: Exercise, trials: Sequence[Trial]) -> Iterator[tuple[str, Fails]]:
    if exercise.cases is None:
        yield "every answer is right", _is_another(exercise.tolerance)
        return
    yield "runs on every input", _stops
    yield "leaves its inputs as they were", _changes(exercise)
    yield "returns the right kind of thing", kind_fault
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


def _without_stumbling(fails: Fails) -> Fails:
    """The same, whatever an answer returned: some things cannot even be looked at."""

    def looked_at(trial: Trial) -> str:
        try:
            return fails(trial)
        except Exception:  # such as a tensor without numbers, or a class that forbids comparisons
            what = f"what it returned, an object of type {type_name(trial.got.value)},"
            return f"on {trial.case.name} {what} cannot be compared with numbers"

    return looked_at


def _is_another(tolerance: float) -> Fails:
    """Says which parts of a value are wrong, and not what they should be.

    Of choices, such as True and False, it says how many are wrong and not which: with names, they
    would be found by trying.
    """

    def fails(trial: Trial) -> str:
        value, expected = trial.got.value, trial.expected.value
        if distance(value, expected, tolerance) <= 1:
            return ""
        if not isinstance(expected, Mapping):
            kind = _another_kind(value, expected)
            return f"it {kind}" if kind else "it is another one"
        if not isinstance(value, Mapping):
            return f"it should be a dictionary with the names {_few(expected)}"
        if set(value) != set(expected):
            return _other_names(value, expected)
        wrong = [key for key in expected if distance(value[key], expected[key], tolerance) > 1]
        if all(isinstance(one, bool | str) for one in expected.values()):
            return f"not yet: {len(wrong)} of {len(expected)} {_are(wrong)} wrong"
        return f"not yet: {', '.join(_named(key, value[key], expected[key]) for key in wrong)}"

    return fails


def _are(parts: Sequence[Any]) -> str:
    return "is" if len(parts) == 1 else "are"


def _named(key: Any, value: Any, expected: Any) -> str:
    """A part of a value by its name, with what is strange about its kind."""
    kind = _another_kind(value, expected)
    return f"{key} ({kind})" if kind else str(key)


def _another_kind(value: Any, expected: Any) -> str:
    """What a value is and what it should be, as the end of a sentence; empty where it is right."""
    given, wanted = _kind_of(value), _kind_of(expected)
    if given == wanted or _counts_as(value, expected):
        return ""
    return f"is {given}, and should be {wanted}"


def _other_names(value: Mapping, expected: Mapping) -> str:
    """Which names of a dictionary are missing, and which are too many."""
    missing = [name for name in expected if name not in value]
    extra = [name for name in value if name not in expected]
    parts = [f"missing: {_few(missing)}"] * bool(missing)
    parts += [f"not asked for: {_few(extra)}"] * bool(extra)
    return f"its names should be those in the question; {'; '.join(parts)}"


def _few(names: Collection[Any]) -> str:
    """The first names of a dictionary, and how many others there are."""
    first = [cut(repr(name), 60) for name in list(names)[:MOST_NAMES]]
    others = len(names) - len(first)
    return ", ".join(first) + f" and {others} more" * bool(others)


MOST_NAMES = 3
"""Names of a dictionary that are listed."""


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
    if stop.kind == TookTooLong.__name__:
        return f"on {trial.case.name} {stop.message}"
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


def _changes(exercise: Exercise) -> Fails:
    names = list(inspect.signature(exercise.oracle).parameters)

    def fails(trial: Trial) -> str:
        if not trial.got.changed:
            return ""
        place = trial.got.changed[0]
        which = f"`{names[place]}`" if place < len(names) else f"argument {place + 1}"
        return f"after the call on {trial.case.name}, {which} is not what it was before"

    return fails


def kind_fault(trial: Trial) -> str:
    """What an answer returned on a case and should have returned; empty where the kind is right."""
    value, expected = trial.got.value, trial.expected.value
    if _are_lists(expected, value):
        return ""  # how long a list is may be what is asked
    if fault := _another_kind(value, expected):
        return f"on {trial.case.name} it {fault}"
    if isinstance(expected, Mapping) and set(value) != set(expected):
        return f"on {trial.case.name}, {_other_names(value, expected)}"
    for name, one, other in _parts(value, expected):
        fault = "" if _are_lists(other, one) else _another_kind(one, other)
        if fault and distance(one, other, 1.0) == math.inf:
            return f"on {trial.case.name} {name} {fault}"
    return ""


def _parts(value: Any, expected: Any) -> Iterator[tuple[str, Any, Any]]:
    """What an answer returned together, each thing with its name and with what it should be.

    Whether one of a dictionary's entries is None may be what is asked.
    """
    if isinstance(expected, Mapping):
        for name, other in expected.items():
            if other is not None and value[name] is not None:
                yield f"{name!r}", value[name], other
    if isinstance(expected, tuple) and isinstance(value, tuple | list):
        for ordinal, one, other in zip(_ORDINALS, value, expected, strict=False):
            yield f"the {ordinal} thing that it returns", one, other


def _are_lists(expected: Any, value: Any) -> bool:
    return isinstance(expected, list) and isinstance(value, list | tuple)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _counts_as(value: Any, expected: Any) -> bool:
    """Whether something of another kind is as good: integers and fractions are numbers, and so is
    an array of one number."""
    if is_number(expected):
        return is_number(value) or _is_one_number(value)
    return _kind_of(expected) == _NUMBERS[0] and _kind_of(value) in _NUMBERS


def _is_one_number(value: Any) -> bool:
    """Whether it is a tensor or an array with one number in it."""
    if isinstance(value, np.ndarray):
        return value.size == 1 and value.dtype.kind in "iuf"
    return isinstance(value, Tensor) and value.numel() == 1 and _kind_of(value) in _NUMBERS


_NUMBERS = ("a tensor of numbers", "a tensor of integers")


def _kind_of(value: Any) -> str:
    """What something is, in words."""
    if isinstance(value, Tensor):
        return _kind_of_tensor(value)
    if isinstance(value, np.ndarray):
        return f"an array of numpy, of type {value.dtype}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "True or False"
    if is_number(value):
        return "a number"
    if isinstance(value, str):
        return "text"
    if value is None:
        return "nothing (is there a return?)"
    if isinstance(value, tuple | list):
        return f"a sequence of {len(value)}"
    if isinstance(value, Mapping):
        return "a dictionary"
    if isinstance(value, set | frozenset):
        return "a set"
    return f"an object of type {cut(type_name(value), 100)}"


def _kind_of_tensor(x: Tensor) -> str:
    if x.device.type == "meta":
        return "a tensor without numbers (it is on the device meta)"
    if x.layout != torch.strided:
        return "a sparse tensor"
    if x.is_complex():
        return "a tensor of complex numbers"
    if x.is_quantized:
        return "a quantized tensor"
    if x.dim() == 0:
        return "True or False" if x.dtype == torch.bool else "a number"
    if x.dtype == torch.bool:
        return "a tensor of True and False"
    return _NUMBERS[0] if x.is_floating_point() else _NUMBERS[1]


def _shape(trial: Trial) -> str:
    value, expected = trial.got.value, trial.expected.value
    for name, one, other in [("it", value, expected), *_parts(value, expected)]:
        shape = tuple(getattr(one, "shape", ()))  # a number has none, and is a scalar
        if isinstance(other, Tensor) and shape != tuple(other.shape):
            verb = "is" if name == "it" else "has the shape"
            return f"on {trial.case.name} {name} {verb} {shape}, and should be {tuple(other.shape)}"
    return ""


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
    difference = difference.masked_fill(value == expected, 0.0)  # two infinities are equal
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


LONGEST_LINE = 300
"""Characters of a value that are shown."""


def _shown(value: Any) -> str:
    """A value in at most a line, whatever it is."""
    try:
        if isinstance(value, Tensor) and value.numel() > 16:
            first = value.flatten()[:4].tolist()
            return f"{tuple(value.shape)} beginning with {_rounded(first)}"
        return cut(" ".join(str(_rounded(value)).split()), LONGEST_LINE)
    except Exception:  # what an answer returns may have no numbers, or no words for itself
        return f"an object of type {type_name(value)}"


def _rounded(value: Any) -> Any:
    if isinstance(value, Tensor):
        few = value.numel() <= 16
        return _rounded(value.tolist()) if few else f"a tensor {tuple(value.shape)}"
    if isinstance(value, list | tuple):
        parts = [_rounded(part) for part in value[:MOST_PARTS]] + ["…"] * (len(value) > MOST_PARTS)
        return tuple(parts) if isinstance(value, tuple) else parts
    if isinstance(value, Mapping):
        return {name: _rounded(part) for name, part in value.items()}
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else float(f"{value:.4g}")


MOST_PARTS = 50
"""Parts of a sequence that are shown."""
