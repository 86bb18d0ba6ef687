"""The isolations that a kernel can run in, and the best one that this machine has."""

from __future__ import annotations

import atexit
import functools
from pathlib import Path
from typing import Any, Protocol

from mtcourse.errors import MtcourseError
from mtcourse.grading.isolation.bubblewrap import Bubblewrap
from mtcourse.grading.isolation.containers import Containers
from mtcourse.grading.isolation.unprotected import Unprotected
from mtcourse.grading.isolation.warm import Warm


class Isolation(Protocol):
    """A way to start kernels."""

    name: str

    def why_unavailable(self) -> str:
        """Returns why this machine does not have it; an empty string if it does."""
        ...

    def open(self) -> None:
        """Starts what all kernels share."""
        ...

    def launch(self, connection_file: Path) -> Any:
        """Starts a kernel that listens where the file says; a process like ``Popen``."""
        ...

    def close(self) -> None:
        """Ends what all kernels share."""
        ...


BACKENDS: tuple[Isolation, ...] = (
    Warm(),
    Bubblewrap(),
    Containers("podman"),
    Containers("docker"),
    Unprotected(),
)
"""The isolations, from the best one to none at all."""
BACKEND_NAMES = tuple(backend.name for backend in BACKENDS)


@functools.cache
def why_unavailable(name: str) -> str:
    """Returns why this machine does not have an isolation; an empty string if it does.

    Raises:
        MtcourseError: there is no isolation of this name.
    """
    if name not in BACKEND_NAMES:
        known = ", ".join(BACKEND_NAMES)
        raise MtcourseError(f"there is no isolation {name!r}: take auto, {known}")
    return _find_backend(name).why_unavailable()


def find_best() -> str:
    """Returns the name of the best isolation that this machine has, which is never "none".

    Raises:
        MtcourseError: it has none; gives each reason, and the option that does without.
    """
    walls = [one for one in BACKEND_NAMES if one != Unprotected.name]
    for name in walls:
        if not why_unavailable(name):
            return name
    reasons = "\n".join(f"  {name}: {why_unavailable(name)}" for name in walls)
    raise MtcourseError(
        "nothing keeps here what was handed in away from your files:\n"
        f"{reasons}\nwith --isolation none it can do whatever you can, and is graded all the same"
    )


@functools.cache
def open_isolation(name: str) -> Isolation:
    """Opens an isolation, once in a process; "auto" opens the best one that is available.

    Raises:
        MtcourseError: it is unavailable, with the reason.
    """
    if name == "auto":
        return open_isolation(find_best())
    if reason := why_unavailable(name):
        raise MtcourseError(f"the isolation {name!r} cannot be had here: {reason}")
    isolation = _find_backend(name)
    isolation.open()
    atexit.register(isolation.close)
    return isolation


def _find_backend(name: str) -> Isolation:
    return next(backend for backend in BACKENDS if backend.name == name)
