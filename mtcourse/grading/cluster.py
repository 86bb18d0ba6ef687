"""Jobs done by the workers of a Dask cluster, which does a dead worker's jobs again by itself."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.cache_key import surroundings
from mtcourse.grading.jobs import LOOK_EVERY, RETRIES, Done, Grade, Job, failed
from mtcourse.grading.results import Result

PATIENCE = 30.0
"""Seconds that a scheduler is given to answer, and its workers to be there."""
LONGEST_WITHOUT = 300.0
"""Seconds that a cluster may be without any worker: those that have died are started again."""


def run_on_cluster(jobs: Iterable[Job], grade: Grade, scheduler: str, done: Done) -> None:
    """Does all jobs, as the processes of ``worker_pool`` do.

    Args:
        jobs: what to do.
        grade: how.
        scheduler: its address, such as tcp://10.0.0.1:8786.
        done: told of each result as it comes, in this process.

    Raises:
        MtcourseError: there are no workers, or they are not what this machine is; or the cluster
            has gone.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MtcourseError(
            "a cluster needs dask.distributed: pip install 'mtcourse[cluster]'"
        ) from error
    try:
        client = Client(scheduler, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise MtcourseError(f"there is no Dask scheduler at {scheduler}: {error}") from error
    with client, client.as_current():
        run = _Run(client, scheduler, grade, done)
        suspects = run.do(jobs, _width(client, scheduler))
        # A worker that dies may have had two jobs, and Dask blames both: alone, only one is.
        for job, reason in run.do(suspects, 1).items():
            done(job, failed(job, reason))


class _Run:
    """Jobs on a cluster that may lose workers, or go altogether."""

    def __init__(self, client: Any, scheduler: str, grade: Grade, done: Done) -> None:
        self._client = client
        self._gone = f"the cluster at {scheduler} has gone: start it again, and this too"
        self._grade = grade
        self._done = done
        self._seen = time.monotonic()  # a worker, for the last time

    def do(self, jobs: Iterable[Job], width: int) -> dict[Job, str]:
        """Does jobs, so many at a time; returns those whose workers died, with what Dask said."""
        fresh = iter(jobs)
        given: dict[Any, Job] = {}
        killed: dict[Job, str] = {}
        while True:
            for job in itertools.islice(fresh, width - len(given)):
                given[self._client.submit(self._grade, job, pure=False, retries=RETRIES)] = job
            if not given:
                return killed
            for future in self._finished(list(given)):
                answer = self._answer(future, given[future])
                if answer is None:
                    continue
                job = given.pop(future)
                if isinstance(answer, Result):
                    self._done(job, answer)
                else:
                    killed[job] = answer

    def _finished(self, futures: list[Any]) -> Iterable[Any]:
        """Those that have ended; none after some time of waiting."""
        from distributed import wait

        try:
            looked: Any = wait(futures, timeout=LOOK_EVERY, return_when="FIRST_COMPLETED")
            finished = looked.done
        except TimeoutError:
            finished = set()
        except CancelledError as error:
            raise MtcourseError(self._gone) from error
        if finished or self._has_workers():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > LONGEST_WITHOUT:
            raise MtcourseError(self._gone)
        return finished

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.scheduler_info(n_workers=-1).get("workers"))
        except OSError:
            return False

    def _answer(self, future: Any, job: Job) -> Result | str | None:
        """A result, what killed its workers, or None if it was lost with one, and is done again."""
        from distributed import KilledWorker

        try:
            return future.result(timeout=PATIENCE)
        except CancelledError as error:
            raise MtcourseError(self._gone) from error
        except KilledWorker as error:
            return str(error)
        except Exception as error:
            if isinstance(error, TimeoutError) and future.status != "error":
                return None
            return failed(job, f"{type(error).__name__}: {error}")


def _width(client: Any, scheduler: str) -> int:
    """How many jobs the workers of a cluster do at a time; they must be what this machine is."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError as error:
        raise MtcourseError(f"the scheduler at {scheduler} has no workers: start some") from error
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if any(worker["nthreads"] > 1 for worker in workers):
        raise MtcourseError(
            "a worker of the cluster has several threads, and a kernel wants a process: "
            "start workers with --nthreads 1 --nworkers N"
        )
    here = surroundings()
    for address, there in client.run(surroundings).items():
        if there != here:
            different = ", ".join(name for name in here if there.get(name) != here[name])
            raise MtcourseError(
                f"the worker {address} differs from this machine in {different}: "
                "install there what is installed here"
            )
    return len(workers)
