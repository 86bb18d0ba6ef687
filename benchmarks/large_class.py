"""A class as hostile as the grader's tests: graded as any class is, and watched from outside."""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import psutil

from mtcourse.grading.results import SubmissionResult
from tests.catalogue.case import Case
from tests.catalogue.families import FAMILIES
from tests.catalogue.outside import Outside, watched

SECONDS = 15
"""That a cell may take. Cases that never end are many, and each takes all of it."""
LOOK_EVERY = 1.0
PATIENCE = 10.0
"""Seconds that processes are given to go, when the command has ended."""
MEBIBYTE = 2**20
_GRADE = "from mtcourse.cli import main; main()"


@dataclass(frozen=True)
class Memory:
    """What the grader's processes held at one moment, in MiB, outside of kernels.

    Args:
        done: submissions that were graded.
        command: the command itself.
        workers: its workers, all together.
        servers: the processes that kernels are forked from, all together.
    """

    done: int
    command: float
    workers: float
    servers: float


@dataclass(frozen=True)
class Graded:
    """A class that was graded.

    Args:
        status: with which the command ended.
        seconds: that it took.
        memory: over time.
        states: of the submissions, each with how often it is there.
        faults: verdicts that are others than the catalogue wants, by learner.
        noticed: what witnesses outside had to tell.
        left: processes of the command that were still there.
    """

    status: int
    seconds: float
    memory: list[Memory]
    states: Counter[str]
    faults: dict[str, list[str]]
    noticed: list[str]
    left: int


def grade_large_class(families: Collection[str], count: int, solutions: Path) -> Graded:
    """Grades a class made of the catalogue's cases, over and over, with the command.

    Args:
        families: of the cases.
        count: of learners.
        solutions: their folder.
    """
    cases = [case for family in families for case in FAMILIES[family]]
    of_learner = {
        f"learner{number:03d}": case
        for number, case in zip(range(count), itertools.cycle(cases), strict=False)
    }
    with (
        tempfile.TemporaryDirectory(prefix="outside-") as around,
        tempfile.TemporaryDirectory(prefix="class-") as scratch,
        watched(Path(around)) as outside,
    ):
        folder = Path(scratch)
        for learner, case in of_learner.items():
            _hand_in(folder / "submissions" / learner, case, outside)
        begun = time.monotonic()
        command = [sys.executable, "-c", _GRADE, "grade", "submissions", "--isolation", "warm"]
        options = ["--out", "grades", "--seconds", str(SECONDS)]
        process = subprocess.Popen(
            [*command, *options, "--solutions", str(solutions.resolve())],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        memory, seen = _watch(process, folder / "grades" / "records")
        seconds = time.monotonic() - begun
        results = _results(folder / "grades" / "records")
        return Graded(
            process.returncode,
            seconds,
            memory,
            Counter(result.state for result in results.values()),
            _faults(of_learner, results),
            outside.noticed(),
            len(psutil.wait_procs(seen, timeout=PATIENCE)[1]),
        )


def _hand_in(folder: Path, case: Case, outside: Outside) -> None:
    folder.mkdir(parents=True)
    (folder / f"{case.notebook}.ipynb").write_bytes(case.content(outside))


def _watch(process: subprocess.Popen, records: Path) -> tuple[list[Memory], set[psutil.Process]]:
    """Looks at memory until the command has ended; also gives all processes that were seen."""
    memory: list[Memory] = []
    seen: set[psutil.Process] = set()
    first = psutil.Process(process.pid)
    while process.poll() is None:
        workers, servers = [], []
        try:
            for child in first.children():
                workers.append(child)
                servers += child.children()
        except psutil.Error:  # one has ended meanwhile: look again
            continue
        seen |= {*workers, *servers}
        done = sum(1 for _ in records.glob("*/*.json"))
        held = [sum(map(_resident, ones)) for ones in ([first], workers, servers)]
        memory.append(Memory(done, *held))
        time.sleep(LOOK_EVERY)
    return memory, seen


def _resident(process: psutil.Process) -> float:
    try:
        return process.memory_info().rss / MEBIBYTE
    except psutil.Error:
        return 0.0


def _results(records: Path) -> dict[str, SubmissionResult]:
    found = [
        SubmissionResult.from_json(path.read_text("utf-8")) for path in records.glob("*/*.json")
    ]
    return {result.learner: result for result in found}


def _faults(
    of_learner: dict[str, Case], results: dict[str, SubmissionResult]
) -> dict[str, list[str]]:
    """What the catalogue has against the verdicts, by learner and case."""
    faults = {}
    for learner, case in of_learner.items():
        result = results.get(learner)
        found = case.faults_of(result) if result else ["there is no result"]
        if found:
            faults[f"{learner}, {case.name}"] = found
    return faults
