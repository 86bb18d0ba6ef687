"""A class graded on a Dask cluster whose workers are killed: what is lost, what memory grows."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchmarks.graded_notebook import (
    ANSWERS,
    NAME,
    handed_in_to_mtcourse,
    learner,
    solution_for_mtcourse,
    write,
)
from mtcourse.grading.grade_job import grade_job
from mtcourse.grading.jobs import Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import SubmissionResult

LOOK_EVERY = 0.5
PATIENCE = 20.0
"""Seconds that processes are given to go, when the cluster has been closed."""
MEBIBYTE = 2**20
SECONDS = 120.0
"""That a cell may take, on a machine however busy."""
_GRADE = "from mtcourse.cli import main; main()"
_WRONG = "raise ValueError('wrong on purpose')"


@dataclass(frozen=True)
class Memory:
    """What two processes held at one moment, in MiB.

    Args:
        done: learners with a result.
        command: ``mtcourse grade``.
        scheduler: the process of Dask's scheduler.
    """

    done: int
    command: float
    scheduler: float


@dataclass(frozen=True)
class OnCluster:
    """How a class was graded.

    Args:
        status: with which the command ended.
        said: what it printed.
        seconds: that it took.
        killed: how many workers were killed.
        memory: over time.
        faults: learners without a result, with several, or with another than they should have.
        compared: how many learners one process graded, too.
        left: processes of the cluster that were still there at the end.
    """

    status: int
    said: str
    seconds: float
    killed: int
    memory: list[Memory]
    faults: list[str]
    compared: int
    left: int


def grade_on_cluster(
    folder: Path, learners: int, kills: int, workers: int = 2, compared: int = 10
) -> OnCluster:
    """Grades a class on a cluster of this machine, and kills workers at random moments.

    Args:
        folder: an empty one.
        learners: how many; each second one has one exercise wrong.
        kills: how many workers to kill.
        workers: processes of the cluster.
        compared: how many learners to grade once more, in this process.
    """
    from dask import config
    from distributed import LocalCluster

    solution = folder / "solutions" / f"{NAME}.ipynb"
    write(solution, solution_for_mtcourse())
    for number in range(learners):
        write(_notebook(folder, number), _handed_in(solution, number))
    settings: dict[str, Any] = {
        "distributed.deploy.lost-worker-timeout": "1 hour",
        "distributed.scheduler.allowed-failures": 10,
    }
    begun = time.monotonic()
    with (
        config.set(settings),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        (folder / "said").open("w+") as said,
    ):
        address: Any = cluster.scheduler_address  # type: ignore[attr-defined]
        process = _begin(folder, address, said)
        memory, killed, seen = _watch(process, folder, cluster, learners, kills)
        said.seek(0)
        told = said.read()
    seconds = time.monotonic() - begun
    left = len(psutil.wait_procs(seen, timeout=PATIENCE)[1])
    results = _results(folder)
    faults = _faults(folder, learners, results)
    sample = sorted(random.Random(1).sample(range(learners), min(compared, learners)))
    faults += _differences(folder, solution, sample, results)
    return OnCluster(process.returncode, told, seconds, killed, memory, faults, len(sample), left)


def _notebook(folder: Path, number: int) -> Path:
    return folder / "submissions" / learner(number) / f"{NAME}.ipynb"


def _wrong_exercise(number: int) -> str:
    """The exercise that a learner has wrong, if any."""
    return [*ANSWERS][number // 2 % len(ANSWERS)] if number % 2 else ""


def _handed_in(solution: Path, number: int) -> dict[str, Any]:
    notebook = handed_in_to_mtcourse(solution, learner(number))
    for cell in notebook["cells"]:
        if cell["metadata"]["mtcourse"].get("id") == _wrong_exercise(number) != "":
            head, _, _ = cell["source"].partition("\n")
            cell["source"] = f"{head}\n    {_WRONG}  # {learner(number)}"
    return notebook


def _begin(folder: Path, scheduler: str, said: Any) -> subprocess.Popen:
    where = ["grade", "submissions", "--solutions", "solutions", "--out", "grades"]
    options = ["--isolation", "warm", "--seconds", str(SECONDS), "--scheduler", scheduler]
    return subprocess.Popen(
        [sys.executable, "-c", _GRADE, *where, *options],
        cwd=folder,
        stdout=said,
        stderr=subprocess.STDOUT,
    )


def _watch(
    process: subprocess.Popen, folder: Path, cluster: Any, learners: int, kills: int
) -> tuple[list[Memory], int, set[psutil.Process]]:
    """Looks at memory and kills workers until the command has ended."""
    moments = sorted(random.uniform(0, 0.95 * learners) for _ in range(kills))
    memory: list[Memory] = []
    seen: set[psutil.Process] = set()
    killed = 0
    here, command = psutil.Process(), psutil.Process(process.pid)
    while process.poll() is None:
        done = sum(1 for _ in (folder / "grades" / "records").glob("*/*.json"))
        with suppress(psutil.Error):
            memory.append(Memory(done, _resident(command), _resident(here)))
        workers = [nanny.process.pid for nanny in cluster.workers.values() if nanny.process]
        for pid in filter(None, workers):
            with suppress(psutil.Error):
                one = psutil.Process(pid)
                seen |= {one, *one.children(recursive=True)}
        if killed < kills and done and done >= moments[killed] and any(workers):
            victim = random.choice([pid for pid in workers if pid])
            with suppress(psutil.Error):
                psutil.Process(victim).kill()
                killed += 1
        time.sleep(LOOK_EVERY * random.random())
    return memory, killed, seen


def _resident(process: psutil.Process) -> float:
    return process.memory_info().rss / MEBIBYTE


def _results(folder: Path) -> dict[str, SubmissionResult]:
    records = (folder / "grades" / "records").glob("*/*.json")
    found = [SubmissionResult.from_json(path.read_text("utf-8")) for path in records]
    return {result.learner: result for result in found}


def _faults(folder: Path, learners: int, results: Mapping[str, SubmissionResult]) -> list[str]:
    """Learners whose result is not the one that they should have, once."""
    with (folder / "grades" / "final_grades.csv").open(encoding="utf-8") as table:
        rows = [row["learner"] for row in csv.DictReader(table)]
    names = [learner(number) for number in range(learners)]
    faults = [] if sorted(rows) == sorted(names) else ["the table has other rows than learners"]
    for number, name in enumerate(names):
        if name not in results:
            faults.append(f"{name} has no result")
            continue
        wrong = _wrong_exercise(number)
        for one in results[name].exercises:
            wanted = "passed" if one.exercise != wrong else "wrong|error"
            if one.outcome not in wanted.split("|"):
                faults.append(f"{name}: {one.exercise} is {one.outcome}, and should be {wanted}")
    return faults


def _differences(
    folder: Path, solution: Path, sample: list[int], results: Mapping[str, SubmissionResult]
) -> list[str]:
    """Results of a sample that this process would give otherwise."""
    differences = []
    for number in sample:
        name = learner(number)
        content = _notebook(folder, number).read_bytes()
        there = results.get(name)
        job = Job(
            name,
            NAME,
            f"{NAME}.ipynb",
            content,
            solution.read_bytes(),
            there.seed if there else 0,
            "warm",
            Limits(seconds=SECONDS),
        )
        here = grade_job(job)
        if there is None or here.exercises != there.exercises:
            differences.append(f"{name}: {json.dumps([str(one) for one in here.exercises])[:200]}")
    return differences
