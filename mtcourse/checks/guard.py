"""While an answer is tried: what the course has already, and what is forbidden, it may not call.

What runs is watched, not what is written: an operation has one name, however an answer came by it.
The guard stands in the same process as the answer, so it stops nobody who sets out to get around
it; it tells everybody else at once.
"""

from __future__ import annotations

import builtins
import contextlib
import cProfile
import functools
import re
import sys
import sysconfig
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import CodeType, FrameType, MethodType, ModuleType
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import mtcourse

ALLOWED = ("claims", "errors", "evaluation", "figures", "text")
"""The parts of the package that an answer may use. All others hold what exercises ask for, or what
checks compare with."""
NOTEBOOK = "__main__"
"""The module that a notebook's cells are."""
_NAME = mtcourse.__name__
_PACKAGE = Path(mtcourse.__path__[0])
_FILES = {*ALLOWED, *(f"{name}.py" for name in ALLOWED)}
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")
_BANK = re.compile(rf"{_NAME}\.(chapters\.\w+\.exercises|checks\.\w+)")
DEEPEST = 10
"""Wrappings that are looked through to see what an answer is."""

_MULTI_HEAD = (
    "multi_head_attention_forward",
    "native_multi_head_attention",
    "transformer_encoder_layer_fwd",
)
_ATTENTION = (
    "scaled_dot_product_attention",
    "scaled_dot_product_attention_math",
    "scaled_dot_product_efficient_attention",
    "scaled_dot_product_flash_attention",
    "scaled_dot_product_flash_attention_for_cpu",
    "scaled_dot_product_fused_attention_overrideable",
    "flex_attention",
    *_MULTI_HEAD,
)
OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "softmax": ("softmax", "log_softmax", "softmin", "logsumexp", "safe_softmax", *_ATTENTION),
    "cross-entropy": (
        "cross_entropy",
        "cross_entropy_loss",
        "nll_loss",
        "nll_loss_forward",
        "nll_loss2d_forward",
        "multi_margin_loss",
        "kl_div",
    ),
    "embedding": ("embedding", "embedding_bag"),
    "one-hot": ("one_hot",),
    "attention": _ATTENTION,
    "multi-head attention": _MULTI_HEAD,
    "layer normalisation": (
        "layer_norm",
        "native_layer_norm",
        "batch_norm",  # of transposed rows, it is a layer normalisation
        "batch_norm_impl_index",
        "native_batch_norm",
        "native_batch_norm_legit",
        "group_norm",  # with one group, likewise
        "native_group_norm",
    ),
    "an optimiser": ("adam", "_single_tensor_adam", "adamw"),
    "masks": ("tril", "triu", "ones", "ones_like", "eye", "full", "le", "lt", "ge", "gt"),
    "gradients": (
        "run_backward",  # what grad, backward, jacobian, vjp and jacrev end in
        "enter_dual_level",
        "make_dual",
        "grad_increment_nesting",
        "jvp_increment_nesting",
    ),
}
"""What an exercise can ask to do without, and the operations of torch that do it: each by its name
in the library's core, without leading underscores."""


class NotAllowedHere(Exception):
    """Something was used that an answer may not use."""

    def __init__(self, what: str, advice: str = "write it yourself") -> None:
        super().__init__(f"{what} is not allowed here: {advice}")


def is_reference(module: str) -> bool:
    """Whether a module belongs to what answers may not use."""
    package, _, rest = module.partition(".")
    return package == _NAME and rest != "" and rest.partition(".")[0] not in ALLOWED


def is_bank(module: str) -> bool:
    """Whether a module is one that ``check`` is imported from, today or in an earlier edition."""
    return _BANK.fullmatch(module) is not None


def watched(function: Callable, forbids: Collection[str] = ()) -> Callable:
    """A function that stops where it uses what it may not.

    Args:
        function: an answer.
        forbids: names of ``OPERATIONS`` that the exercise asks to do without.
    """
    names = _names_of(forbids)

    return lambda *arguments: _guarded(function, arguments, names)


def _guarded(function: Callable, arguments: tuple[Any, ...], names: Collection[str]) -> Any:
    operations = _Operations(names)
    with contextlib.ExitStack() as guards:
        if names:
            guards.enter_context(_Functions(names))
            guards.enter_context(operations)
        guards.enter_context(_calls_watched(names, getattr(function, "__code__", None)))
        try:
            return function(*arguments)
        except Exception:  # a compiled program raises one of its own in its place
            if operations.stopped:
                raise operations.stopped from None
            raise


_WATCHED = _guarded.__code__


@contextlib.contextmanager
def _calls_watched(names: Collection[str], answer: CodeType | None) -> Iterator[None]:
    """Stops a learner's code where it calls or imports the reference, and any code where it
    calls a forbidden function that is none of torch's operations; also in threads.

    The answer itself may be called: what it is has been looked at before.
    """
    stopped: list[NotAllowedHere] = []

    def watch(frame: FrameType, event: str, called: Any) -> None:
        try:
            if event != "call" or frame.f_code is not answer:
                _stop_call(frame, event, called, names)
        except NotAllowedHere as error:
            stopped.append(error)
            raise

    imported, before = builtins.__import__, sys.getprofile()

    def import_with_care(name: str, globals: Any = None, *rest: Any, **others: Any) -> Any:
        if is_reference(name) and not is_bank(name) and _is_own(sys._getframe(1)):
            raise NotAllowedHere(name)
        return imported(name, globals, *rest, **others)

    of_threads = threading.getprofile()
    builtins.__import__ = import_with_care
    threading.setprofile(watch)
    sys.setprofile(watch)
    try:
        yield
        if sys.getprofile() is not watch and not stopped:
            raise NotAllowedHere(*_A_PROFILER)
    except Exception:
        if not stopped:
            raise
    finally:
        sys.setprofile(before)
        threading.setprofile(of_threads)
        builtins.__import__ = imported
    if stopped:  # in a thread, or where the answer has caught it
        raise stopped[0]


def _stop_call(frame: FrameType, event: str, called: Any, names: Collection[str]) -> None:
    """Looks at one call: of a function of Python's if its frame is new, else of one in C."""
    if frame.f_code.co_filename == __file__:
        return
    if event == "call":
        caller, name = frame.f_back, frame.f_code.co_qualname
        taken = _is_ready_made(frame.f_code) and _is_called_by_learner(caller, frame.f_code)
        if frame.f_code.co_name in names and _is_library(frame.f_code.co_filename):
            taken = not _within_given(caller)
    elif event == "c_call":
        name = str(getattr(called, "__name__", "")).lstrip("_")
        if called is sys.setprofile or isinstance(
            getattr(called, "__self__", None), cProfile.Profile
        ):
            raise NotAllowedHere(*_A_PROFILER)
        taken = name in names and not _is_a_values(called) and not _within_given(frame)
    else:
        return
    if taken:
        raise NotAllowedHere(_SAID.get(name, name))


_A_PROFILER = ("a profiler", "take it out of the answer")
_SAID: Mapping[str, str] = dict.fromkeys(OPERATIONS["gradients"], "automatic differentiation")


def _names_of(forbids: Collection[str]) -> frozenset[str]:
    return frozenset(name for forbidden in forbids for name in OPERATIONS[forbidden])


class _Operations(TorchDispatchMode):
    """Sees the operations that reach torch's core, whoever calls them."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Torch's compiler need not know of this mode; to tell it, torch would import it first,
        for seconds."""
        return False

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names
        self.stopped: NotAllowedHere | None = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Lets an operation pass, or stops it."""
        try:
            _stop_if(func.overloadpacket.__name__, self._names)
        except NotAllowedHere as stopped:
            self.stopped = stopped
            raise
        return func(*args, **(kwargs or {}))


class _Functions(TorchFunctionMode):
    """Sees the functions of torch, and so those that are made of several operations."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Lets a function pass, or stops it."""
        _stop_if(getattr(func, "__name__", ""), self._names)
        return func(*args, **(kwargs or {}))


def _stop_if(name: str, names: Collection[str]) -> None:
    name = name.lstrip("_")
    if name in names and not _within_given(sys._getframe(1)):
        raise NotAllowedHere(_SAID.get(name, name))


def _within_given(frame: FrameType | None) -> bool:
    """Whether a method of the course's own is running: an object that was given may do anything.

    The course's functions are stopped where a notebook calls them, so only methods come so far.
    """
    while frame and frame.f_code is not _WATCHED:
        if _holds_answers(frame.f_code.co_filename) and frame.f_code.co_filename != __file__:
            return True
        frame = frame.f_back
    return False


def ready_made(answer: Any) -> str:
    """The name of the course's function that an answer is; empty where it is a learner's own."""
    for _ in range(DEEPEST):
        if isinstance(answer, functools.partial):
            answer = answer.func
        elif isinstance(answer, MethodType):
            answer = answer.__func__
    code = getattr(answer, "__code__", None)
    if not isinstance(code, CodeType) or not _holds_answers(code.co_filename):
        return ""
    return "" if _is_check(code.co_filename) else code.co_qualname


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


def _is_called_by_learner(frame: FrameType | None, called: CodeType) -> bool:
    """Whether a call comes from a learner's code, or from a library that this code has asked.

    The course's own code may call what it likes. Banks are not there while learners are graded:
    only what a cell itself calls in them counts.
    """
    if _is_check(called.co_filename):
        return frame is not None and frame.f_globals.get("__name__") == NOTEBOOK
    while frame and frame.f_code is not _WATCHED:
        if not _is_library(frame.f_code.co_filename):
            return _is_own(frame)
        frame = frame.f_back
    return True


def _is_own(frame: FrameType) -> bool:
    """Whether a frame is a learner's code: a cell, or a file of the learner's."""
    name = frame.f_code.co_filename
    return not _is_library(name) and not _is_in_package(name)


@functools.cache
def _is_library(filename: str) -> bool:
    """Whether a file was written by neither a learner nor the course."""
    if _is_in_package(filename):  # which may be installed among libraries
        return False
    return "site-packages" in filename or filename.startswith((_STANDARD_LIBRARY, "<frozen "))


@functools.cache
def _is_in_package(filename: str) -> bool:
    return Path(filename).is_relative_to(_PACKAGE)


def _is_a_values(called: Any) -> bool:
    """Whether it is a method of a list, a dictionary or another plain value, whatever its name."""
    owner = getattr(called, "__self__", None)
    return type(owner).__module__ == "builtins" and not isinstance(owner, ModuleType | None)
