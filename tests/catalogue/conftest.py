"""What all tests here need: walls around kernels, witnesses outside, nothing left at the end."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jaxtyping
import psutil
import pytest
from xdist.scheduler import LoadScopeScheduling

from mtcourse.grading.isolation.backends import why_unavailable
from tests.catalogue.grade_notebook import grade_notebook
from tests.catalogue.outside import Outside, watched

LONGEST = 300
"""Seconds after which a test hangs, on a machine however busy."""
PATIENCE = 10.0
"""Seconds that what was ended is given to go."""
SHARED_OUT = "test_misconceptions.py"
"""Its tests look at records alone; all others look around on the machine, one after the other."""


class WitnessesTogether(LoadScopeScheduling):
    """One worker has the tests with witnesses, and begins with them; the others are shared out."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if SHARED_OUT in nodeid else "witnesses"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WitnessesTogether:
    """Of xdist: who runs which test."""
    return WitnessesTogether(config, log)


@pytest.fixture(scope="session")
def walls() -> str:
    """The isolation that the catalogue is graded behind, which an environment variable names."""
    name = os.environ.get("GRADING_WALLS") or "warm"
    if reason := why_unavailable(name):
        pytest.skip(f"no {name} here: {reason}")
    return name


@pytest.fixture(autouse=True)
def _as_outside_of_tests() -> Iterator[None]:
    """Shapes are not checked, as little as in a learner's kernel: a mistake stops where it did."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="module")
def outside() -> Iterator[Outside]:
    """Witnesses around the kernels."""
    with (
        tempfile.TemporaryDirectory(prefix="outside-") as folder,
        watched(Path(folder)) as found,
    ):
        yield found


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """Where the grader makes its temporary files while these tests run: nobody else does."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="grading-") as folder:
        tempfile.tempdir = folder
        yield Path(folder)
        tempfile.tempdir = before


@pytest.fixture
def nothing_left(scratch: Path, walls: str) -> Iterator[None]:
    """Compares processes, files and listeners before a test and after it."""
    grade_notebook(b"", isolation=walls)  # what is started once, and kept, is started now
    before = _around(scratch)
    yield
    until = time.monotonic() + PATIENCE
    while (after := _around(scratch)) != before and time.monotonic() < until:
        time.sleep(0.05)  # whoever ends a process need not wait until it is gone
    assert after == before


def _around(scratch: Path) -> dict[str, set[str]]:
    """What is there besides files that belong to others."""
    own = [psutil.Process(), *psutil.Process().children(recursive=True)]
    return {
        "processes": {f"{one.pid} {one.name()}" for one in own},
        "files": {str(path.relative_to(scratch)) for path in scratch.rglob("*")},
        "open files": {one.path for one in own[0].open_files()},
        "listeners": {str(one.laddr) for one in own[0].net_connections() if one.status == "LISTEN"},
    }


@pytest.fixture(autouse=True)
def _never_hangs() -> Iterator[None]:
    """Fails a test that does not end."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"not over after {LONGEST} seconds")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
