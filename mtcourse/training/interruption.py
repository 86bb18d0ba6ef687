"""Ctrl-C as a request that the training loop grants between two updates (chapter 12)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruption() -> Iterator[threading.Event]:
    """Within it the first Ctrl-C sets the event; a second one interrupts at once, as usual.

    A KeyboardInterrupt in the middle of an update would leave some weights updated and others not.
    Python delivers signals to its main thread only; in any other thread the event is never set.
    """
    requested = threading.Event()
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield requested
        return

    def request(signum: int, frame: FrameType | None) -> None:
        requested.set()
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, request)
    try:
        yield requested
    finally:
        signal.signal(signal.SIGINT, previous)
