"""Which ways there are to keep a kernel apart, and which is the best that works here."""

from __future__ import annotations

import atexit
import functools
import importlib
from pathlib import Path
from typing import Any, Protocol

from mtcourse.errors import MtcourseError

BACKEND_NAMES = ("warm", "bubblewrap", "podman", "docker", "none")
"""From the best to none at all."""
_MODULES = {"podman": "containers", "docker": "containers", "none": "unprotected"}


class Isolation(Protocol):
    """A way to start kernels."""

    name: str

    def launch(self, connection_file: Path) -> Any:
        """Starts a kernel that listens where the file says; a process like ``Popen``."""
        ...

    def close(self) -> None:
        """Ends whatever it keeps."""
        ...


@functools.cache
def why_unavailable(name: str) -> str:
    """Why a way cannot be had on this machine; empty where it can.

    Raises:
        MtcourseError: there is no such way.
    """
    if name not in BACKEND_NAMES:
        raise MtcourseError(
            f"there is no isolation {name!r}: take auto, {', '.join(BACKEND_NAMES)}"
        )
    return _module(name).why_not(name)


@functools.cache
def open_isolation(name: str) -> Isolation:
    """A way by its name; "auto" is the best that works here. Each is opened once in a process.

    Raises:
        MtcourseError: it cannot be had, with the reason.
    """
    if name == "auto":
        return open_isolation(next(one for one in BACKEND_NAMES if not why_unavailable(one)))
    if reason := why_unavailable(name):
        raise MtcourseError(f"the isolation {name!r} cannot be had here: {reason}")
    opened = _module(name).opened(name)
    atexit.register(opened.close)
    return opened


def _module(name: str) -> Any:
    return importlib.import_module(f"{__package__}.{_MODULES.get(name, name)}")
