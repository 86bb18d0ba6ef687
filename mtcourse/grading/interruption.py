"""Ctrl-C and requests to end: neither lost in a destructor nor in between two steps."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from multiprocessing import resource_tracker
from types import FrameType

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Ctrl-C, a polite request to end, and a terminal that is closed."""


class _Interruption:
    """The signals that have arrived so far."""

    def __init__(self) -> None:
        self.caught = 0
        self.is_held = False
        self.is_heard = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Raises KeyboardInterrupt, at once or as soon as nothing holds it back."""
        del frame
        self.caught = self.caught or number
        if not self.is_held:
            raise KeyboardInterrupt


_current = _Interruption()


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Turns Ctrl-C and requests to end into KeyboardInterrupt while the block runs."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) == _current.handle:
        yield
        return
    _current.caught = 0
    before = {number: signal.getsignal(number) for number in SIGNALS}
    changed = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    try:
        for number in changed:
            signal.signal(number, _current.handle)
        _current.is_heard = True
        yield
    finally:
        _current.is_heard = False
        for number in changed:
            signal.signal(number, before[number])


def caught_signal() -> int:
    """Returns the first signal that has interrupted the last block; 0 if none has."""
    return _current.caught


def exit_status() -> int:
    """Returns the status of a command that a signal has ended, as shells have it."""
    return 128 + (caught_signal() or signal.SIGINT)


def check_interrupted() -> None:
    """Raises KeyboardInterrupt once more if the first one was lost, as one in a destructor is.

    Outside a block that is interruptible, nothing is raised: what was caught belongs to the last.
    """
    if _current.is_heard and _current.caught and not _current.is_held:
        raise KeyboardInterrupt


@contextlib.contextmanager
def hold_interruptions() -> Iterator[None]:
    """Puts off interruptions until the block ends; processes begun in it start without Ctrl-C.

    Such a process can hear Ctrl-C again when it calls ``hear_signals``.
    """
    if _current.is_held or threading.current_thread() is not threading.main_thread():
        yield
        return
    had = _current.caught
    handles = signal.getsignal(signal.SIGINT) == _current.handle
    _current.is_held = True
    try:
        with _deaf_children():
            yield
    finally:
        _current.is_held = False
    if handles and _current.caught and not had:
        raise KeyboardInterrupt


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Blocks Ctrl-C in this thread, and so in the processes that it starts."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    resource_tracker.ensure_running()  # which would unblock it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def hear_signals() -> None:
    """Undoes in a new process what ``hold_interruptions`` has blocked."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
