"""Inputs and outcomes as JSON, between the grader and a kernel that it does not trust.

Nothing in it can be run, as a pickle can, and what comes back is taken only in small portions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.outcomes import Case, Outcome, Stop

MOST_NUMBERS = 200_000
DEEPEST = 8
LONGEST_TEXT = 2000

_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool,
        torch.int64,
        torch.int32,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
    )
}
_STRANGE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class BadPayload(Exception):
    """What came back is no outcome: too large, too deep, or no such thing at all."""


def packed(value: Any) -> Any:
    """A value as JSON can hold it; what no check compares becomes the name of its type.

    >>> packed((1, math.inf))
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        value = torch.from_numpy(np.ascontiguousarray(value))
    if isinstance(value, Tensor):
        return _packed_tensor(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"  # or what is built on them
        return {kind: [packed(part) for part in value]}
    if isinstance(value, set | frozenset):
        return {"set": sorted((packed(part) for part in value), key=repr)}
    if isinstance(value, Mapping):
        return {"dict": [[packed(key), packed(of_key)] for key, of_key in value.items()]}
    return {"other": type(value).__name__[:LONGEST_TEXT]}


def _packed_tensor(x: Tensor) -> dict[str, Any]:
    """A tensor's numbers; those of a transposed one lie transposed again when unpacked."""
    x = x.detach().cpu()
    name = str(x.dtype).removeprefix("torch.")
    if name not in _DTYPES or x.numel() > MOST_NUMBERS:
        return {"other": f"Tensor of {x.numel()} {name}"}
    wide = x.double() if x.is_floating_point() else x
    values = [packed(number) for number in wide.flatten().tolist()]
    turned = x.dim() >= 2 and not x.is_contiguous() and x.mT.is_contiguous()
    return {"tensor": name, "shape": list(x.shape), "values": values, "turned": turned}


def unpacked(data: Any, depth: int = DEEPEST) -> Any:
    """The value of what ``packed`` made.

    Raises:
        BadPayload: it is nothing that ``packed`` makes, or larger than any answer.
    """
    if depth == 0:
        raise BadPayload("a value is nested too deeply")
    if data is None or isinstance(data, bool | int | float | str):
        if isinstance(data, str) and len(data) > LONGEST_TEXT:
            raise BadPayload("a text is too long")
        return readable(data) if isinstance(data, str) else data
    if isinstance(data, Mapping) and "tensor" in data:
        return _unpacked_tensor(data)
    if not isinstance(data, Mapping) or len(data) != 1:
        raise BadPayload(f"a {type(data).__name__} is no value")
    ((kind, content),) = data.items()
    if kind == "float" and content in _STRANGE:
        return _STRANGE[content]
    if kind == "other" and isinstance(content, str):
        return Other(readable(content))
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise BadPayload(f"{kind!r} is no kind of value")
    if len(content) > MOST_NUMBERS:
        raise BadPayload("a value is too large")
    return _unpacked_parts(kind, content, depth - 1)


def _unpacked_parts(kind: str, content: Sequence[Any], depth: int) -> Any:
    """A collection of values."""
    try:
        if kind == "dict":
            return {unpacked(key, depth): unpacked(value, depth) for key, value in content}
        made = {"tuple": tuple, "list": list, "set": frozenset}[kind]
        return made(unpacked(part, depth) for part in content)
    except (KeyError, TypeError, ValueError) as error:
        raise BadPayload(f"{kind!r} is no kind of value") from error


def _unpacked_tensor(data: Mapping[str, Any]) -> Tensor:
    """A tensor of the numbers, in the layout that it had."""
    try:
        dtype, shape = _DTYPES[data["tensor"]], [int(size) for size in data["shape"]]
        if math.prod(shape) > MOST_NUMBERS or len(data["values"]) > MOST_NUMBERS:
            raise BadPayload("a tensor is too large")
        wide = torch.float64 if dtype.is_floating_point else dtype
        values = [unpacked(number) for number in data["values"]]
        x = torch.tensor(values, dtype=wide).reshape(shape).to(dtype)
        return x.mT.contiguous().mT if data.get("turned") is True and x.dim() > 1 else x
    except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise BadPayload("a tensor is damaged") from error


def readable(text: Any) -> str:
    """Text of somebody else's that can be kept in a file: not too long, no halves of characters."""
    return str(text)[:LONGEST_TEXT].encode("utf-8", "replace").decode()


def error_in_words(name: Any, message: Any) -> str:
    """An exception as a learner reads it: what Python 3.13 keeps to itself has its plain name.

    >>> error_in_words("_IncompleteInputError", "incomplete input")
    'SyntaxError: incomplete input'
    """
    plain = "SyntaxError" if name == "_IncompleteInputError" else name
    return readable(f"{plain}: {message}")


class Other:
    """Something that no check compares, by the name of its type; equal to nothing."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


def packed_cases(cases: Sequence[Case]) -> list[Any]:
    """Cases as a kernel gets them: their arguments, and not what is particular about them."""
    return [[packed(argument) for argument in case.arguments] for case in cases]


def unpacked_cases(data: Sequence[Any]) -> list[Case]:
    """Cases without their names, from what ``packed_cases`` made."""
    return [Case("", tuple(unpacked(argument) for argument in arguments)) for arguments in data]


def packed_outcome(outcome: Outcome) -> dict[str, Any]:
    """What a function did, as it leaves the kernel."""
    stop = outcome.stop
    return {
        "value": packed(outcome.value),
        "stop": stop and [text[:LONGEST_TEXT] for text in (stop.kind, stop.message, stop.line)],
        "changed": list(outcome.changed),
        "gradients": None if outcome.gradients is None else [packed(g) for g in outcome.gradients],
    }


def unpacked_outcome(data: Any) -> Outcome:
    """The outcome of what ``packed_outcome`` made.

    Raises:
        BadPayload: it is nothing that ``packed_outcome`` makes.
    """
    try:
        stop, gradients = data["stop"], data["gradients"]
        return Outcome(
            unpacked(data["value"]),
            None if stop is None else Stop(*map(readable, stop)),
            tuple(int(place) for place in data["changed"][:100]),
            None if gradients is None else tuple(unpacked(g) for g in gradients[:100]),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadPayload("an outcome is damaged") from error


def packed_attempt(tried: Attempt) -> dict[str, Any]:
    """What came of an answer, as it leaves the kernel."""
    return {"fault": tried.fault, "outcomes": [packed_outcome(one) for one in tried.outcomes]}


def unpacked_attempt(data: Any, cases: int) -> Attempt:
    """The attempt of what ``packed_attempt`` made, on this number of cases.

    Raises:
        BadPayload: it is nothing that ``packed_attempt`` makes, or about other cases.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("outcomes"), list):
        raise BadPayload("an attempt is damaged")
    fault, outcomes = readable(data.get("fault", "")), data["outcomes"]
    if len(outcomes) != (0 if fault else cases):
        raise BadPayload(f"{len(outcomes)} outcomes came back of {cases} cases")
    return Attempt(fault, tuple(unpacked_outcome(one) for one in outcomes))
