"""Worker processes that run jobs, here or on a cluster: each job once, even if a process dies."""

from __future__ import annotations

import contextlib
import gc
import itertools
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import NoReturn

from mtcourse.grading.cluster import run_on_cluster
from mtcourse.grading.grade_job import grade_job
from mtcourse.grading.interruption import check_interrupted, hear_signals, hold_interruptions
from mtcourse.grading.isolation.sockets import find_socket_folder
from mtcourse.grading.jobs import (
    POLL_SECONDS,
    RETRIES,
    GradeFunction,
    Job,
    OnResult,
    RunJobs,
    failed_result,
)
from mtcourse.grading.results import SubmissionResult

EXIT_TIMEOUT = 10.0
"""Seconds for a worker to stop its kernels."""
READY = "ready"
"""The message of a worker that has imported everything that it needs."""


def count_usable_cores() -> int:
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def open_worker_pool(
    grade: GradeFunction = grade_job, workers: int | None = None, scheduler: str | None = None
) -> Iterator[RunJobs]:
    """Opens a pool of workers that run jobs until the ``with`` block ends.

    It gives a function that runs all jobs and reports each result as it comes. Every job has
    exactly one result, if need be a failed one. Jobs are taken one by one, so that only a few
    submissions of a large class are in memory at a time.

    Args:
        grade: grades one job; a function of a module, so that another process can import it.
        workers: the number of processes on this machine; by default one for each processor.
        scheduler: the address of a Dask scheduler, whose workers run the jobs instead.
    """
    if scheduler:
        yield lambda jobs, on_result: run_on_cluster(jobs, grade, scheduler, on_result)
        return
    pool: list[_Worker] = []
    try:
        yield lambda jobs, on_result: _run_locally(
            jobs, grade, workers or count_usable_cores(), pool, on_result
        )
    finally:
        with hold_interruptions():  # a second Ctrl-C would leave processes behind
            for worker in pool:
                worker.stop()
            for worker in pool:
                worker.close()


class _Worker:
    """A process that runs one job at a time.

    If a process dies, the standard library's pool gives up all jobs, without saying which one was
    running. Here each process has its own pipe, and its death costs one job one of its attempts.
    """

    def __init__(self, grade: GradeFunction) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        # For its temporary files, some of which a dead process leaves behind.
        self._folder = tempfile.TemporaryDirectory(
            prefix="mtc-", dir=find_socket_folder(), ignore_cleanup_errors=True
        )
        arguments = (theirs, grade, self._folder.name)
        self._process = context.Process(target=_run_worker, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._is_ready = False
        self.job: Job | None = None
        self.tries = 0

    def assign(self, job: Job, tries: int) -> None:
        """Assigns a job to the worker, which is sent as soon as the worker is ready."""
        self.job, self.tries = job, tries
        if self._is_ready:
            self._send()

    def _send(self) -> None:
        # If it has died meanwhile, poll_answer notices.
        with contextlib.suppress(OSError):
            self.pipe.send(self.job)

    def poll_answer(self) -> SubmissionResult | str | None:
        """Returns the result of its job, the reason for having none, or None while it runs."""
        try:
            if self.pipe.poll():
                answer = self.pipe.recv()
                if answer != READY:
                    return answer
                self._is_ready = True
                self._send()
                return None
            if self._process.is_alive() or self.pipe.poll():
                return None
        except (EOFError, OSError):
            pass
        self._process.join(EXIT_TIMEOUT)
        return f"its process ended with status {self._process.exitcode}"

    @property
    def is_alive(self) -> bool:
        """Whether the worker can take another job."""
        return self._process.is_alive()

    def stop(self) -> None:
        """Tells the worker to stop its kernels and to end, even during a job."""
        self._process.terminate()

    def close(self) -> None:
        """Waits until the worker has ended, or kills it."""
        self._process.join(EXIT_TIMEOUT)
        self._process.kill()
        self._process.join()
        self.pipe.close()
        self._folder.cleanup()


def _run_worker(pipe: Connection, grade: GradeFunction, folder: str) -> None:
    """Runs jobs until the pipe is closed, or the process that it belongs to is gone."""
    tempfile.tempdir = folder
    # Ctrl-C reaches every process of a terminal, but only the first one ends the others.
    signal.signal(signal.SIGINT, lambda *_: None)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, lambda *_: None)
    hear_signals()
    threading.Thread(target=_end_with_parent, args=[folder], daemon=True).start()
    if sys.platform != "win32":  # where processes are killed without a signal
        signal.signal(signal.SIGTERM, _exit_on_signal)
        signal.signal(signal.SIGALRM, _exit_on_signal)
        sys.unraisablehook = _exit_after_destructor
    try:
        _answer_jobs(pipe, grade)
    finally:
        if (parent := multiprocessing.parent_process()) and not parent.is_alive():
            shutil.rmtree(folder, ignore_errors=True)  # nobody else will


def _answer_jobs(pipe: Connection, grade: GradeFunction) -> None:
    """Runs jobs until the pipe is closed."""
    pipe.send(READY)
    for number in itertools.count():
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: SubmissionResult | str = grade(job)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            answer = f"{type(error).__name__}: {error} ({last.name}, line {last.lineno})"
        try:
            pipe.send(answer)
        except OSError:
            return
        if number == 0:  # all is imported: later collections need not look at it again
            gc.collect()
            gc.freeze()


def _end_with_parent(folder: str) -> None:
    """Waits until the process that started this one is gone, and ends this one, too."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(EXIT_TIMEOUT / 2)  # to stop its kernels, which end with it anyway
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _exit_on_signal(*_: object) -> NoReturn:
    raise SystemExit(128 + signal.SIGTERM)


def _exit_after_destructor(lost: sys.UnraisableHookArgs) -> None:
    """Exits soon after a destructor in which the exception of a signal was lost."""
    if issubclass(lost.exc_type, SystemExit):
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    else:
        sys.__unraisablehook__(lost)


def _run_locally(
    jobs: Iterable[Job],
    grade: GradeFunction,
    workers: int,
    pool: list[_Worker],
    on_result: OnResult,
) -> None:
    retries: deque[tuple[Job, int]] = deque()
    fresh = iter(jobs)
    while True:
        check_interrupted()
        _assign_jobs(pool, retries, fresh, grade, workers)
        busy = [worker for worker in pool if worker.job]
        if not busy:
            return
        wait([worker.pipe for worker in busy], POLL_SECONDS)
        for worker in busy:
            answer = worker.poll_answer()
            job, tries = worker.job, worker.tries
            if answer is None or job is None:
                continue
            worker.job = None
            if isinstance(answer, SubmissionResult):
                on_result(job, answer)
            elif tries < RETRIES:
                retries.append((job, tries + 1))
            else:
                on_result(job, failed_result(job, f"tried {tries + 1} times: {answer}"))


def _assign_jobs(
    pool: list[_Worker],
    retries: deque[tuple[Job, int]],
    fresh: Iterator[Job],
    grade: GradeFunction,
    workers: int,
) -> None:
    """Assigns jobs to all idle workers, as long as there are any, and replaces dead workers."""
    for worker in [one for one in pool if not one.job and not one.is_alive]:
        worker.close()
        pool.remove(worker)
    idle = [worker for worker in pool if not worker.job]
    while idle or len(pool) < workers:
        job, tries = retries.popleft() if retries else (next(fresh, None), 0)
        if job is None:
            return
        if not idle:
            with hold_interruptions():  # until it is in the pool, nobody would end it
                pool.append(_Worker(grade))
            idle.append(pool[-1])
        idle.pop().assign(job, tries)
