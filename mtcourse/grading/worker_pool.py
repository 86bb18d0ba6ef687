"""Jobs done by processes, here or on a cluster: each once, whatever happens to a process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import NoReturn

from mtcourse.grading.cluster import run_on_cluster
from mtcourse.grading.grade_job import grade_job
from mtcourse.grading.isolation.sockets import folder_for_sockets
from mtcourse.grading.jobs import LOOK_EVERY, RETRIES, DoAll, Done, Grade, Job, failed
from mtcourse.grading.results import Result

PATIENCE = 10.0
"""Seconds that a process is given to end its kernels."""
READY = "ready"
"""What a process says when it has imported what it needs."""


def usable_cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def worker_pool(
    grade: Grade = grade_job, workers: int | None = None, scheduler: str | None = None
) -> Iterator[DoAll]:
    """Processes that do jobs, until the ``with`` block ends.

    It gives a function that does all jobs, and tells of each result as it comes: each job ends in
    exactly one, those that cannot be done in a failed one. Jobs are taken as they are needed: of a
    large class only a few submissions are held at a time.

    Args:
        grade: how; a function of a module, so that another process can import it.
        workers: processes on this machine; by default one for each processor.
        scheduler: the address of a Dask scheduler, whose workers do it instead.
    """
    if scheduler:
        yield lambda jobs, done: run_on_cluster(jobs, grade, scheduler, done)
        return
    pool: list[_Worker] = []
    try:
        yield lambda jobs, done: _run_here(jobs, grade, workers or usable_cores(), pool, done)
    finally:
        for worker in pool:
            worker.stop()
        for worker in pool:
            worker.end()


class _Worker:
    """A process that does one job at a time.

    The standard library's pool gives up every job when one process dies, and does not say whose
    it was; here each process has a pipe of its own, so that it costs one job one of its tries.
    """

    def __init__(self, grade: Grade) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        # For its temporary files: one that dies leaves some behind.
        self._place = tempfile.TemporaryDirectory(
            prefix="mtc-", dir=folder_for_sockets(), ignore_cleanup_errors=True
        )
        arguments = (theirs, grade, self._place.name)
        self._process = context.Process(target=_work, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready = False
        self.job: Job | None = None
        self.tries = 0

    def begin(self, job: Job, tries: int) -> None:
        """Gives it a job, which is sent once the process can take it."""
        self.job, self.tries = job, tries
        if self._is_ready:
            self._send()

    def _send(self) -> None:
        # If it has died meanwhile, this is seen where its answer is waited for.
        with contextlib.suppress(OSError):
            self.pipe.send(self.job)

    def answer(self) -> Result | str | None:
        """What has come of its job: a result, a reason for none, or None where there is no news."""
        try:
            if self.pipe.poll():
                said = self.pipe.recv()
                if said != READY:
                    return said
                self._is_ready = True
                self._send()
                return None
            if self._process.is_alive() or self.pipe.poll():
                return None
        except (EOFError, OSError):
            pass
        self._process.join(PATIENCE)
        return f"its process ended with status {self._process.exitcode}"

    @property
    def is_alive(self) -> bool:
        """Whether it can be given another job."""
        return self._process.is_alive()

    def stop(self) -> None:
        """Tells the process to end its kernels and itself, in the midst of a job too."""
        self._process.terminate()

    def end(self) -> None:
        """Sees to it that the process is no more."""
        self._process.join(PATIENCE)
        self._process.kill()
        self._process.join()
        self.pipe.close()
        self._place.cleanup()


def _work(pipe: Connection, grade: Grade, place: str) -> None:
    """Does jobs until nobody sends any more."""
    tempfile.tempdir = place
    # Ctrl-C reaches every process of a terminal; it is the first one's to end the others.
    signal.signal(signal.SIGINT, lambda *_: None)
    if sys.platform != "win32":  # where a process that is ended is not asked
        signal.signal(signal.SIGTERM, _end)
        signal.signal(signal.SIGALRM, _end)
        sys.unraisablehook = _end_after_all
    pipe.send(READY)
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: Result | str = grade(job)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            answer = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
        try:
            pipe.send(answer)
        except OSError:
            return


def _end(*_: object) -> NoReturn:
    raise SystemExit(128 + signal.SIGTERM)


def _end_after_all(lost: sys.UnraisableHookArgs) -> None:
    """Ends the process once a destructor, in which the signal came and was lost, has returned."""
    if issubclass(lost.exc_type, SystemExit):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    else:
        sys.__unraisablehook__(lost)


def _run_here(
    jobs: Iterable[Job], grade: Grade, workers: int, pool: list[_Worker], done: Done
) -> None:
    again: deque[tuple[Job, int]] = deque()
    fresh = iter(jobs)
    while True:
        _hand_out(pool, again, fresh, grade, workers)
        busy = [worker for worker in pool if worker.job]
        if not busy:
            return
        wait([worker.pipe for worker in busy], LOOK_EVERY)
        for worker in busy:
            answer = worker.answer()
            job, tries = worker.job, worker.tries
            if answer is None or job is None:
                continue
            worker.job = None
            if isinstance(answer, Result):
                done(job, answer)
            elif tries < RETRIES:
                again.append((job, tries + 1))
            else:
                done(job, failed(job, f"tried {tries + 1} times: {answer}"))


def _hand_out(
    pool: list[_Worker],
    again: deque[tuple[Job, int]],
    fresh: Iterator[Job],
    grade: Grade,
    workers: int,
) -> None:
    """Gives every worker a job that has none, as long as there are any; replaces the dead."""
    for worker in [one for one in pool if not one.job and not one.is_alive]:
        worker.end()
        pool.remove(worker)
    idle = [worker for worker in pool if not worker.job]
    while idle or len(pool) < workers:
        job, tries = again.popleft() if again else (next(fresh, None), 0)
        if job is None:
            return
        if not idle:
            pool.append(_Worker(grade))
            idle.append(pool[-1])
        idle.pop().begin(job, tries)
