"""Every job ends in one result, however many processes die at it; and nothing is left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil
import pytest

from mtcourse.errors import MtcourseError
from mtcourse.grading.interruption import (
    caught_signal,
    check_interrupted,
    hold_interruptions,
    interruptible,
)
from mtcourse.grading.jobs import RETRIES, GradeFunction, Job, OnResult
from mtcourse.grading.results import FAILED, GRADED, SubmissionResult
from mtcourse.grading.worker_pool import open_worker_pool

ROOT = Path(__file__).resolve().parents[2]
needs_kill = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")

FATES = {
    **{f"well {n}": GRADED for n in range(6)},
    "dies once": GRADED,
    "dies twice": GRADED,
    "dies always": FAILED,
    "raises once": GRADED,
    "raises always": FAILED,
}


def meet_fate(job: Job) -> SubmissionResult:
    """In the place of grading: does what the learner's name says; tries are marks in a file."""
    marks = Path(job.file) / job.learner
    with marks.open("a") as file:
        file.write(f"{os.getpid()}\n")
    tempfile.mkdtemp()  # which it does not take away
    tries = len(marks.read_text().splitlines())
    what, _, often = job.learner.partition(" ")
    if tries <= {"once": 1, "twice": 2, "always": 99}.get(often, 0):
        if what == "raises":
            raise ValueError("no space left on the machine")
        os.kill(os.getpid(), signal.SIGKILL)
    return SubmissionResult(job.learner, job.notebook, job.file, GRADED, reason=str(os.getpid()))


def jobs_of(folder: Path, fates: dict[str, str]) -> Iterator[Job]:
    for name in fates:
        yield Job(name, "04_attention", str(folder), b"x" * 200_000, b"", seed=7)


def run_jobs(
    jobs: Iterable[Job],
    grade: GradeFunction,
    workers: int | None = None,
    scheduler: str | None = None,
    done: OnResult = lambda job, result: None,
) -> None:
    """Does jobs, with processes for them alone."""
    with open_worker_pool(grade, workers, scheduler) as do_all:
        do_all(jobs, done)


def check_fates(results: list[SubmissionResult]) -> None:
    assert Counter(result.learner for result in results) == Counter(list(FATES))
    for result in results:
        assert result.state == FATES[result.learner]
    reasons = {result.learner: result.reason for result in results}
    assert "no space left on the machine" in reasons["raises always"]


def test_the_same_processes_do_what_comes_later(tmp_path):
    results: list[SubmissionResult] = []
    with open_worker_pool(meet_fate, workers=2) as do_all:
        for names in ("first", "second", "third"):
            fates = {f"well {names} {n}": GRADED for n in range(4)}
            do_all(jobs_of(tmp_path, fates), lambda job, result: results.append(result))
    pids = [result.reason for result in results]
    assert len(pids) == 12
    assert len(set(pids)) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


@needs_kill
def test_dead_processes_are_replaced_and_their_jobs_done_once(
    tmp_path, tmp_path_factory, monkeypatch
):
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    results = []
    killed = []

    def done(job: Job, result: SubmissionResult) -> None:
        assert result.learner == job.learner
        results.append(result)
        if job.learner in ("well 1", "well 4"):  # and those that are idle, or just beginning
            os.kill(int(result.reason), signal.SIGKILL)
            killed.append(result.reason)

    run_jobs(jobs_of(tmp_path, FATES), meet_fate, workers=2, done=done)
    check_fates(results)
    assert len(killed) == 2
    assert list(temporary.iterdir()) == []
    tried = {path.name: path.read_text().split() for path in tmp_path.iterdir()}
    assert len(tried["raises once"]) == 2
    # A process that is killed here may just have been given one of these, and not begun: that
    # counts as a try of which nothing was written down.
    written = [len(tried["raises always"]), len(tried["dies always"])]
    assert max(written) <= 1 + RETRIES
    assert sum(1 + RETRIES - number for number in written) <= len(killed)
    (reason,) = (result.reason for result in results if result.learner == "dies always")
    assert reason == "tried 3 times: its process ended with status -9"
    for pid in {pid for pids in tried.values() for pid in pids}:
        assert not Path(f"/proc/{pid}").exists()


def test_few_submissions_are_held_at_a_time_and_an_error_ends_the_processes(tmp_path):
    taken, results = [], []

    def jobs() -> Iterator[Job]:
        for job in jobs_of(tmp_path, {f"well {n}": GRADED for n in range(50)}):
            taken.append(job.learner)
            yield job

    def done(job: Job, result: SubmissionResult) -> None:
        results.append(result)
        assert len(taken) - len(results) < 2
        if len(results) == 5:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run_jobs(jobs(), meet_fate, workers=2, done=done)
    assert len(taken) <= 7
    for pid in {result.reason for result in results}:
        assert not Path(f"/proc/{pid}").exists()


class Slow:
    """Something whose destructor takes its time."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __del__(self) -> None:
        self.mark.touch()
        time.sleep(600)


def destroy_slowly(job: Job) -> SubmissionResult:
    """In the place of grading: is at work in a destructor when it is told to end."""
    folder = Path(job.file)
    if job.learner == "waits":
        while not (folder / "in the destructor").exists():
            time.sleep(0.01)
        return SubmissionResult(job.learner, job.notebook, job.file, GRADED)
    try:
        Slow(folder / "in the destructor")
        time.sleep(600)
    finally:
        (folder / "ended its kernels").touch()
    raise AssertionError("nobody has ended it")


@needs_kill
def test_a_process_ends_its_kernels_though_it_is_told_so_in_a_destructor(tmp_path, capfd):
    def done(job: Job, result: SubmissionResult) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run_jobs(
            jobs_of(tmp_path, {"waits": GRADED, "is destroyed": GRADED}),
            destroy_slowly,
            workers=2,
            done=done,
        )
    assert (tmp_path / "ended its kernels").exists()
    assert "Traceback" not in capfd.readouterr().err


class Lost:
    """Something whose destructor meets Ctrl-C; what is raised there goes no further."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interruption_that_a_destructor_loses_comes_once_more(tmp_path):
    results = []

    def done(job: Job, result: SubmissionResult) -> None:
        results.append(result)
        Lost()

    with pytest.raises(KeyboardInterrupt), interruptible():
        run_jobs(jobs_of(tmp_path, FATES), meet_fate, workers=1, done=done)
    assert len(results) == 1
    assert caught_signal() == signal.SIGINT
    assert not Path(f"/proc/{results[0].reason}").exists()


def test_interruptions_are_put_off_and_not_forgotten():
    held = []

    def ask_to_end() -> None:
        with interruptible(), hold_interruptions():
            signal.raise_signal(signal.SIGTERM)
            held.append(caught_signal())

    with pytest.raises(KeyboardInterrupt):
        ask_to_end()
    assert held == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_interrupted_one_block_does_not_interrupt_what_follows():
    with pytest.raises(KeyboardInterrupt), interruptible():
        signal.raise_signal(signal.SIGTERM)
    assert caught_signal() == signal.SIGTERM
    check_interrupted()
    with interruptible():
        check_interrupted()


def test_a_signal_that_was_to_be_ignored_stays_so():
    """As after ``nohup``: the terminal may close, and the grader goes on."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with interruptible():
            signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


ORPHANED = """
import sys
from pathlib import Path
from tests.grading.test_worker_pool import destroy_slowly, jobs_of, run_jobs
run_jobs(jobs_of(Path(sys.argv[1]), {"is destroyed": ""}), destroy_slowly, workers=1)
"""


@needs_kill
def test_processes_end_with_the_one_that_started_them_and_leave_nothing(tmp_path):
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as temporary:
        main = subprocess.Popen(
            [sys.executable, "-c", ORPHANED, str(tmp_path)],
            cwd=ROOT,
            env=os.environ | {"TMPDIR": temporary},
        )
        while not (tmp_path / "in the destructor").exists():
            time.sleep(0.05)
        workers = psutil.Process(main.pid).children(recursive=True)
        main.kill()
        main.wait()
        _, alive = psutil.wait_procs(workers, timeout=60)
        assert alive == []
        assert list(Path(temporary).iterdir()) == []


@pytest.fixture(scope="module")
def cluster():
    """Two processes of Dask, on this machine."""
    distributed = pytest.importorskip("distributed")
    from dask import config

    # Here Dask gives up workers that are down when it looks; on a cluster of machines it does not.
    with (
        config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        config.set({"distributed.scheduler.allowed-failures": 1}),  # of workers for a job
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as started,
    ):
        yield started


@needs_kill
@pytest.mark.slow
def test_a_cluster_does_the_same(tmp_path, cluster, monkeypatch):
    # A worker reads the grader's files when it starts, and here they may be at work on.
    monkeypatch.setattr("mtcourse.grading.cluster.grading_environment", dict)
    results = []
    run_jobs(
        jobs_of(tmp_path, FATES),
        meet_fate,
        scheduler=cluster.scheduler_address,
        done=lambda job, result: results.append(result),
    )
    check_fates(results)


def test_no_scheduler_is_an_error_that_names_it(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("mtcourse.grading.cluster.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(MtcourseError, match="no Dask scheduler at tcp://127.0.0.1:9"):
        run_jobs([], meet_fate, scheduler="tcp://127.0.0.1:9")


@pytest.mark.slow
def test_workers_that_are_installed_otherwise_are_an_error_that_names_what(cluster, monkeypatch):
    monkeypatch.setattr("mtcourse.grading.cluster.grading_environment", another_in_each_process)
    with pytest.raises(MtcourseError, match="differs from this machine in torch:"):
        run_jobs([], meet_fate, scheduler=cluster.scheduler_address)


def another_in_each_process() -> dict[str, str]:
    return {"python": "3", "torch": str(os.getpid())}


@pytest.mark.slow
def test_a_cluster_that_goes_is_an_error_and_no_wait_without_end(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("mtcourse.grading.cluster.grading_environment", dict)
    monkeypatch.setattr("mtcourse.grading.cluster.CONNECT_TIMEOUT", 5.0)
    monkeypatch.setattr("mtcourse.grading.cluster.WORKERLESS_TIMEOUT", 0.5)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as started:

        def done(job: Job, result: SubmissionResult) -> None:
            started.close()

        with pytest.raises(MtcourseError, match="has gone: start it again"):
            run_jobs(
                jobs_of(tmp_path, FATES), meet_fate, scheduler=started.scheduler_address, done=done
            )


def test_a_cluster_without_workers_is_an_error(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("mtcourse.grading.cluster.CONNECT_TIMEOUT", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as started,
        pytest.raises(MtcourseError, match="has no workers: start some"),
    ):
        run_jobs([], meet_fate, scheduler=started.scheduler_address)
