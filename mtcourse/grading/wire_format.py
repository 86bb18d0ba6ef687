"""Encodes inputs and outcomes as JSON, to exchange them with a kernel that is not trusted.

Unlike a pickle, nothing in it can run, and the sizes of what comes back are limited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.outcomes import Case, OpaqueValue, Outcome, Stop, changed_places

MAX_NUMBERS = 200_000
MAX_DEPTH = 8
MAX_TEXT_LENGTH = 2000
MAX_LINE_LENGTH = 100

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
_PLAIN_NUMBERS = frozenset((bool, int, float))
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class WireFormatError(Exception):
    """What came back is not an outcome: it is too large, nested too deeply, or of another form."""


def encode_value(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Encodes a value; one of a type that no check compares becomes the name of its type.

    >>> encode_value((1, math.inf))
    {'tuple': [1, {'float': 'inf'}]}
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        value = torch.from_numpy(np.ascontiguousarray(value))
    if isinstance(value, Tensor):
        return _encode_tensor(value)
    if isinstance(value, Fraction | Decimal):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value[:MAX_TEXT_LENGTH]
    if isinstance(value, tuple | list | set | frozenset | Mapping) and depth > 1:
        return _encode_collection(value, depth - 1)
    return {"other": type(value).__name__[:MAX_TEXT_LENGTH]}


def _encode_collection(value: Any, depth: int) -> dict[str, Any]:
    """Encodes the parts of a collection."""
    if isinstance(value, Mapping):
        pairs = ([encode_value(key, depth), encode_value(value[key], depth)] for key in value)
        return {"dict": list(pairs)}
    parts = [encode_value(part, depth) for part in value]
    if isinstance(value, set | frozenset):
        return {"set": sorted(parts, key=repr)}
    return {"tuple" if isinstance(value, tuple) else "list": parts}  # or a subclass


def _encode_tensor(x: Tensor) -> dict[str, Any]:
    """Encodes a tensor, and whether it is stored transposed, to restore its layout."""
    name = str(x.dtype).removeprefix("torch.")
    is_plain = x.layout == torch.strided and x.device.type != "meta" and not x.is_nested
    if name not in _DTYPES or not is_plain or x.numel() > MAX_NUMBERS:
        return {"other": f"Tensor of {x.numel()} {name}"}
    x = x.detach().cpu()
    wide = x.double() if x.is_floating_point() else x
    values = wide.flatten().tolist()
    if not wide.isfinite().all():
        values = [encode_value(number) for number in values]
    turned = x.dim() >= 2 and not x.is_contiguous() and x.mT.is_contiguous()
    return {"tensor": name, "shape": list(x.shape), "values": values, "turned": turned}


def decode_value(data: Any, depth: int = MAX_DEPTH) -> Any:
    """Decodes what ``encode_value`` has encoded.

    Raises:
        WireFormatError: it is not an encoded value, or larger than any answer.
    """
    if depth == 0:
        raise WireFormatError("a value is nested too deeply")
    if data is None or isinstance(data, bool | int | float | str):
        if isinstance(data, str) and len(data) > MAX_TEXT_LENGTH:
            raise WireFormatError("a text is too long")
        return clip_text(data) if isinstance(data, str) else data
    if isinstance(data, Mapping) and "tensor" in data:
        return _decode_tensor(data)
    if not isinstance(data, Mapping) or len(data) != 1:
        raise WireFormatError(f"a {type(data).__name__} is no value")
    ((kind, content),) = data.items()
    if kind == "float" and content in _NON_FINITE:
        return _NON_FINITE[content]
    if kind == "other" and isinstance(content, str):
        return OpaqueValue(clip_text(content))
    if not isinstance(content, Sequence) or isinstance(content, str):
        raise WireFormatError(f"{kind!r} is no kind of value")
    if len(content) > MAX_NUMBERS:
        raise WireFormatError("a value is too large")
    return _decode_collection(kind, content, depth - 1)


def _decode_collection(kind: str, content: Sequence[Any], depth: int) -> Any:
    """Decodes a collection of values."""
    try:
        if kind == "dict":
            return {decode_value(key, depth): decode_value(value, depth) for key, value in content}
        made = {"tuple": tuple, "list": list, "set": frozenset}[kind]
        return made(decode_value(part, depth) for part in content)
    except (KeyError, TypeError, ValueError) as error:
        raise WireFormatError(f"{kind!r} is no kind of value") from error


def _decode_tensor(data: Mapping[str, Any]) -> Tensor:
    """Decodes a tensor with its layout."""
    try:
        dtype, shape = _DTYPES[data["tensor"]], [int(size) for size in data["shape"]]
        if math.prod(shape) > MAX_NUMBERS or len(data["values"]) > MAX_NUMBERS:
            raise WireFormatError("a tensor is too large")
        wide = torch.float64 if dtype.is_floating_point else dtype
        values = data["values"]
        if not _PLAIN_NUMBERS.issuperset(map(type, values)):
            values = [decode_value(number) for number in values]
        x = torch.tensor(values, dtype=wide).reshape(shape).to(dtype)
        return x.mT.contiguous().mT if data.get("turned") is True and x.dim() > 1 else x
    except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise WireFormatError("a tensor is damaged") from error


def clip_text(text: Any) -> str:
    """Shortens untrusted text, and replaces unpaired surrogates, so that a file can store it."""
    return str(text)[:MAX_TEXT_LENGTH].encode("utf-8", "replace").decode()


def format_error(name: Any, message: Any) -> str:
    """Formats an exception for learners; Python's private SyntaxError gets its public name.

    The name of the file that IPython makes for a cell tells nobody anything, and is left out.

    >>> format_error("_IncompleteInputError", "incomplete input (1234567.py, line 3)")
    'SyntaxError: incomplete input (line 3)'
    """
    plain = "SyntaxError" if name == "_IncompleteInputError" else name
    told = re.sub(r"\(\d+\.py, line (\d+)\)$", r"(line \1)", clip_text(message))
    return clip_text(f"{plain}: {told}")


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ARROW = re.compile(r"^-+> *\d+ (.*)$", re.MULTILINE)


def find_cell_line(traceback: Any) -> str:
    """Returns the line of a learner's cell where an exception arose, from IPython's traceback.

    >>> find_cell_line(["Cell In[3], line 2", "Cell In[3], line 2\\n      1 x = 1\\n----> 2 y\\n"])
    'y'
    """
    parts = traceback if isinstance(traceback, Sequence) else ()
    for part in reversed([_COLOUR.sub("", clip_text(part)) for part in parts]):
        if part.startswith("Cell In") and (found := _ARROW.findall(part)):
            return found[-1].strip()[:MAX_LINE_LENGTH]
    return ""


def encode_cases(cases: Sequence[Case]) -> list[Any]:
    """Encodes the arguments of cases for a kernel, without their descriptions."""
    return [[encode_value(argument) for argument in case.arguments] for case in cases]


def decode_cases(data: Sequence[Any]) -> list[Case]:
    """Decodes what ``encode_cases`` has encoded, as cases without descriptions."""
    return [Case("", tuple(decode_value(argument) for argument in arguments)) for arguments in data]


def encode_outcome(outcome: Outcome) -> dict[str, Any]:
    """Encodes what a function did."""
    stop = outcome.stop
    return {
        "value": encode_value(outcome.value),
        "stop": stop and [text[:MAX_TEXT_LENGTH] for text in (stop.kind, stop.message, stop.line)],
        "arguments": [encode_value(argument) for argument in outcome.arguments],
        "gradients": None
        if outcome.gradients is None
        else [encode_value(g) for g in outcome.gradients],
    }


def decode_outcome(data: Any, case: Case) -> Outcome:
    """Decodes what ``encode_outcome`` has encoded.

    Whether the function has changed its arguments is seen here, in what came back of them.

    Args:
        data: what came back.
        case: the inputs that were sent.

    Raises:
        WireFormatError: it is not an encoded outcome.
    """
    try:
        stop, gradients = data["stop"], data["gradients"]
        after = () if stop is not None else tuple(map(decode_value, data["arguments"][:100]))
        before = (decode_value(encode_value(argument)) for argument in case.arguments)
        return Outcome(
            decode_value(data["value"]),
            None if stop is None else Stop(*map(clip_text, stop)),
            () if stop is not None else changed_places(tuple(before), after),
            None if gradients is None else tuple(decode_value(g) for g in gradients[:100]),
            after,
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise WireFormatError("an outcome is damaged") from error


def encode_attempt(attempt: Attempt) -> dict[str, Any]:
    """Encodes what an answer did on all cases."""
    return {"fault": attempt.fault, "outcomes": [encode_outcome(one) for one in attempt.outcomes]}


def decode_attempt(data: Any, cases: Sequence[Case]) -> Attempt:
    """Decodes what ``encode_attempt`` has encoded, for these cases in the order they were sent.

    Raises:
        WireFormatError: it is not an encoded attempt, or is one on another number of cases.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("outcomes"), list):
        raise WireFormatError("an attempt is damaged")
    fault, outcomes = clip_text(data.get("fault", "")), data["outcomes"]
    if len(outcomes) != (0 if fault else len(cases)):
        raise WireFormatError(f"{len(outcomes)} outcomes came back of {len(cases)} cases")
    return Attempt(fault, tuple(map(decode_outcome, outcomes, () if fault else cases)))
