"""A limit on how long an answer may take, inside the process in which it runs."""

from __future__ import annotations

import contextlib
import signal
import threading
from _thread import interrupt_main
from collections.abc import Iterator
from types import FrameType

SECONDS = 20.0
"""How long an answer may take for all inputs of its check together."""
AGAIN = 0.5
"""Seconds until code that went on regardless is stopped again."""


class TookTooLong(BaseException):
    """The deadline has passed. Not an ``Exception``, so that ``except Exception`` lets it pass."""


@contextlib.contextmanager
def deadline(seconds: float = SECONDS) -> Iterator[None]:
    """Stops the code inside when its time is over; outside of the main thread, it never does.

    One call into a compiled library, such as a single large product, is not interrupted: the code
    stops when that call returns.

    Args:
        seconds: how long the code may take.

    Raises:
        TookTooLong: it took longer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
    elif hasattr(signal, "setitimer"):
        with _by_alarm(seconds):
            yield
    else:
        with _by_interrupt(seconds):
            yield


@contextlib.contextmanager
def _by_alarm(seconds: float) -> Iterator[None]:
    """With the timer of the operating system, where there is one."""
    is_running = True

    def stop(number: int, frame: FrameType | None) -> None:
        if is_running:
            raise TookTooLong

    handler = signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        is_running = False
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        signal.signal(signal.SIGALRM, handler)


@contextlib.contextmanager
def _by_interrupt(seconds: float) -> Iterator[None]:
    """With an interrupt from another thread, as on Windows; it waits for a ``sleep`` to end."""
    is_over = threading.Event()

    def stop() -> None:
        is_over.set()
        interrupt_main()

    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored
    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    except KeyboardInterrupt:
        if is_over.is_set():
            raise TookTooLong from None
        raise
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, handler)
