"""What a function did on some inputs, and how far that is from what another did."""

from __future__ import annotations

import math
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from numbers import Number, Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.deadline import TookTooLong
from mtcourse.checks.prints import cut

ROUNDING = 8
"""Roundings of a number's own precision that two right ways to compute it may differ by."""
LONGEST_MESSAGE = 300
"""Characters that are kept of an exception's message, and of a line of code."""
_CHECKS = str(Path(__file__).parent)
_OTHERS = (str(Path(__file__).parents[1]), sysconfig.get_path("stdlib"))
"""The folders of the course and of Python: the line to name is the learner's own."""


@dataclass(frozen=True, eq=False)
class Case:
    """Inputs on which an answer is tried; a case is equal to itself alone.

    Args:
        name: what is particular about them, such as "a single token".
        arguments: what the function is called with.
        by_hand: whether they are small enough to check the result with a pencil.
    """

    name: str
    arguments: tuple[Any, ...]
    by_hand: bool = False


@dataclass(frozen=True)
class Stop:
    """What a function stopped with.

    Args:
        kind: the name of the exception.
        message: its first line.
        line: the line of code that raised it, where it is known.
    """

    kind: str
    message: str = ""
    line: str = ""


@dataclass(frozen=True)
class Outcome:
    """What a function did: returned a value or stopped, and what it did to its arguments.

    Args:
        value: what it returned.
        stop: what it stopped with, or None.
        changed: the places of arguments that it changed.
        arguments: what the arguments were after the call; empty where it stopped.
        gradients: of a fixed weighting of the value with respect to each float argument, where
            they were asked for; None where they cannot be had.
    """

    value: Any = None
    stop: Stop | None = None
    changed: tuple[int, ...] = ()
    gradients: tuple[Tensor, ...] | None = ()
    arguments: tuple[Any, ...] = ()


class OpaqueValue:
    """A value that no check compares, known by the name of its type; it equals nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


def type_name(value: Any) -> str:
    """The name of a value's type, also if the value stayed in another process."""
    return value.name if type(value) is OpaqueValue else type(value).__name__


def outcome_of(function: Callable, case: Case, gradients: bool = False) -> Outcome:
    """Calls a function on its own copy of a case's arguments, and keeps whatever happens."""
    arguments = [_copy(argument) for argument in case.arguments]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = function(*arguments)
        except SystemExit:
            return Outcome(stop=Stop("SystemExit", "it ended the program"))
        except (KeyboardInterrupt, TookTooLong):  # to be stopped is not the answer's doing
            raise
        except BaseException as error:
            return Outcome(stop=_stop_of(error))
        changed = changed_places(case.arguments, arguments)
        flows = _gradients(function, case) if gradients else ()
        return Outcome(value, None, changed, flows, tuple(arguments))


def changed_places(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, ...]:
    """The places of arguments that are not what they were."""
    pairs = enumerate(zip(before, after, strict=True))
    return tuple(place for place, (one, now) in pairs if distance(now, one, 0.0) > 0)


def _stop_of(error: BaseException) -> Stop:
    """An exception without what it holds on to, and the learner's own line where it arose."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # the first is the call from here
    frames = [frame for frame in frames if not frame.filename.startswith(_CHECKS)]
    own = [frame for frame in frames if "site-packages" not in frame.filename]
    written = [frame for frame in own if not frame.filename.startswith(_OTHERS)]
    line = (written or own or frames)[-1].line or "" if frames else ""
    try:
        message = str(error).split("\n")[0]
    except Exception:  # an exception of a learner's own can be anything
        message = ""
    return Stop(
        cut(type(error).__name__, LONGEST_MESSAGE),
        cut(message, LONGEST_MESSAGE),
        cut(line, LONGEST_MESSAGE),
    )


def _gradients(function: Callable, case: Case) -> tuple[Tensor, ...] | None:
    """How the value answers to each float argument; None where nothing flows back."""
    arguments = [_copy(argument) for argument in case.arguments]
    floats = [a for a in arguments if isinstance(a, Tensor) and a.is_floating_point()]
    for argument in floats:
        argument.requires_grad_()
    try:
        value = function(*arguments)
        direction = torch.linspace(-1.0, 1.0, value.numel(), dtype=value.dtype)
        found = torch.autograd.grad(
            (value.flatten() * direction).sum(), floats, materialize_grads=True
        )
    except Exception:  # whatever stops an answer here, its values have been kept already
        return None
    return tuple(found)


def _copy(argument: Any) -> Any:
    """An argument's own copy; that of a tensor in the same layout."""
    if isinstance(argument, Tensor):
        return argument.clone()
    return deepcopy(argument) if isinstance(argument, list | tuple | dict | set) else argument


def apart(one: Outcome, other: Outcome, tolerance: float) -> float:
    """How many tolerances lie between two outcomes; infinity where they differ in kind."""
    if one.stop or other.stop:
        same = one.stop and other.stop and one.stop.kind == other.stop.kind
        return 0.0 if same else math.inf
    if one.changed != other.changed or (one.gradients is None) != (other.gradients is None):
        return math.inf
    of_values = distance(one.value, other.value, tolerance)
    if of_values == math.inf:
        return of_values
    return max(of_values, distance(one.gradients or (), other.gradients or (), tolerance))


def distance(one: Any, other: Any, tolerance: float) -> float:
    """How many tolerances lie between two values; infinity where they differ in kind."""
    try:
        return _distance(one, other, tolerance)
    except Exception:  # what an answer returns can be anything, and compare in any way
        return math.inf


def _distance(one: Any, other: Any, tolerance: float) -> float:
    if type(one) is type(other) and type(one) in (bool, int, float, str) and one == other:
        return 0.0
    if type(one) in (int, float) and type(other) in (int, float):
        return _between_numbers(one, other, tolerance)
    ours, theirs = _as_tensor(one), _as_tensor(other)
    if ours is not None and theirs is not None:
        if is_number(one) or is_number(other):  # an array of one element is a number, too
            ours, theirs = (x.reshape(()) if x.numel() == 1 else x for x in (ours, theirs))
        return _between(ours, theirs, tolerance)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if set(one) != set(other):
            return math.inf
        return _largest(((one[key], other[key]) for key in one), tolerance)
    if _is_sequence(one) and _is_sequence(other):
        if len(one) != len(other):
            return math.inf
        return _largest(zip(one, other, strict=True), tolerance)
    return 0.0 if bool(one == other) else math.inf


def _largest(pairs: Iterable[tuple[Any, Any]], tolerance: float) -> float:
    """The largest distance of some pairs; nothing is larger than that of two kinds."""
    largest = 0.0
    for one, other in pairs:
        largest = max(largest, _distance(one, other, tolerance))
        if largest == math.inf:
            break
    return largest


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_number(value: Any) -> bool:
    """Whether it is a single real number of Python's: a fraction and a decimal are."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.generic)


def _as_tensor(value: Any) -> Tensor | None:
    """Numbers and arrays as tensors; None for anything else."""
    if isinstance(value, Tensor):
        return value.detach()
    if isinstance(value, np.ndarray | np.generic):
        return torch.as_tensor(value)
    if isinstance(value, bool | int | float):
        return torch.tensor(value)
    if isinstance(value, Number) and not isinstance(value, complex):
        return torch.tensor(float(value), dtype=torch.float64)  # type: ignore[arg-type]
    return None


def _between_numbers(one: float, other: float, tolerance: float) -> float:
    """The same for two numbers of Python's: they are most of what is compared, and need no tensor.

    What is no whole number may come from a tensor, and then has the precision that it had there.
    """
    if one == other or (math.isnan(one) and math.isnan(other)):
        return 0.0
    difference = abs(one - other)
    if not math.isfinite(difference) or not tolerance:
        return math.inf
    if float in (type(one), type(other)):
        tolerance = max(tolerance, ROUNDING * torch.finfo(torch.float32).eps)
    return difference / (tolerance * (1 + abs(other)))


def _between(one: Tensor, other: Tensor, tolerance: float) -> float:
    """The largest difference of two tensors, in tolerances of what the other has there."""
    if one.shape != other.shape:
        return math.inf
    if one.dim() and (one.dtype == torch.bool) != (other.dtype == torch.bool):
        return math.inf
    if one.dtype == other.dtype and torch.equal(one, other):
        return 0.0
    if one.is_complex() or other.is_complex():
        return 0.0 if torch.equal(one, other) else math.inf
    precision = [torch.finfo(x.dtype).eps for x in (one, other) if x.is_floating_point()]
    if tolerance:
        tolerance = max(tolerance, *(ROUNDING * eps for eps in precision), 0.0)
    one, other = one.double(), other.double()
    same = (one == other) | (one.isnan() & other.isnan())
    if bool(same.all()):
        return 0.0
    difference = (one - other).abs()[~same]
    if not bool(difference.isfinite().all()) or not tolerance:
        return math.inf
    return float((difference / (tolerance * (1 + other.abs()[~same]))).max())
