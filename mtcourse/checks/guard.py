"""While an answer is tried: what the course has already, it may not call.

It stands in the same process as the answer, so it stops nobody who sets out to get around it; it
tells everybody else at once.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from types import CodeType, FrameType, MethodType
from typing import Any

import mtcourse

ALLOWED = ("claims", "errors", "evaluation", "figures", "text")
"""The parts of the package that an answer may use. All others hold what exercises ask for, or what
checks compare with."""
NOTEBOOK = "__main__"
"""The module that a notebook's cells are."""
_NAME = mtcourse.__name__
_PACKAGE = Path(mtcourse.__path__[0])
_FILES = {*ALLOWED, *(f"{name}.py" for name in ALLOWED)}
DEEPEST = 10
"""Wrappings that are looked through to see what an answer is."""


class NotAllowedHere(Exception):
    """Something was used that an answer may not use."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not allowed here: write it yourself")


def is_reference(module: str) -> bool:
    """Whether a module belongs to what answers may not use."""
    package, _, rest = module.partition(".")
    return package == _NAME and rest != "" and rest.partition(".")[0] not in ALLOWED


@contextlib.contextmanager
def guarded(forbids: Collection[str] = ()) -> Iterator[None]:
    """Stops a notebook's own code where it calls or imports what it may not.

    Args:
        forbids: names of functions, of any library, that the exercise asks to do without.
    """

    def watch(frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            caller, name = frame.f_back, frame.f_code.co_name
            taken = _is_ready_made(frame.f_code) or (name in forbids and _is_library(frame.f_code))
        elif event == "c_call":
            caller, name = frame, getattr(called, "__name__", "")
            taken = name in forbids
        else:
            return
        if taken and caller and caller.f_globals.get("__name__") == NOTEBOOK:
            raise NotAllowedHere(frame.f_code.co_qualname if event == "call" else name)

    imported, watched = builtins.__import__, sys.getprofile()

    def import_with_care(name: str, globals: Any = None, *rest: Any, **others: Any) -> Any:
        if is_reference(name) and (globals or {}).get("__name__") == NOTEBOOK:
            raise NotAllowedHere(name)
        return imported(name, globals, *rest, **others)

    builtins.__import__ = import_with_care
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(watched)
        builtins.__import__ = imported


def ready_made(answer: Any, forbids: Collection[str] = ()) -> str:
    """The name of the function that an answer is, where it is one that somebody has made before.

    Args:
        answer: whatever stands under an exercise's name.
        forbids: names of functions, of any library, that the exercise asks to do without.
    """
    for _ in range(DEEPEST):
        if isinstance(answer, functools.partial):
            answer = answer.func
        elif isinstance(answer, MethodType):
            answer = answer.__func__
    code, name = getattr(answer, "__code__", None), getattr(answer, "__name__", "")
    if code is None:
        return name if name in forbids else ""
    if _holds_answers(code.co_filename) and not _is_check(code.co_filename):
        return code.co_qualname
    return name if name in forbids and _is_library(code) else ""


def _is_ready_made(code: CodeType) -> bool:
    """Whether it is a function or class of the reference; given objects' methods may be called."""
    plain = "." not in code.co_qualname or code.co_name == "__init__"
    return plain and _holds_answers(code.co_filename)


@functools.cache
def _holds_answers(filename: str) -> bool:
    """Whether a file belongs to the parts of the package that answers may not use."""
    path = Path(filename)
    return path.is_relative_to(_PACKAGE) and path.relative_to(_PACKAGE).parts[0] not in _FILES


def _is_check(filename: str) -> bool:
    """Whether a file belongs to the checks or to a bank, whose answers are tried themselves."""
    folders = Path(filename).relative_to(_PACKAGE).parts[:-1]
    return folders[:1] == ("checks",) or "exercises" in folders


def _is_library(code: CodeType) -> bool:
    """Whether a function was written by somebody else than the learner."""
    return "site-packages" in code.co_filename
