"""Runs jobs on the workers of a Dask cluster, which by itself repeats the jobs of a dead worker."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable
from concurrent.futures import CancelledError
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.cache_key import grading_environment
from mtcourse.grading.interruption import check_interrupted
from mtcourse.grading.jobs import POLL_SECONDS, RETRIES, GradeFunction, Job, OnResult, failed_result
from mtcourse.grading.results import SubmissionResult

CONNECT_TIMEOUT = 30.0
"""Seconds for the scheduler to answer, and for its workers to appear."""
WORKERLESS_TIMEOUT = 300.0
"""Seconds that a cluster may have no workers, while dead ones are replaced."""


def run_on_cluster(
    jobs: Iterable[Job], grade: GradeFunction, scheduler: str, on_result: OnResult
) -> None:
    """Runs all jobs, as the processes of ``open_worker_pool`` do.

    Args:
        jobs: the jobs to run.
        grade: grades one job.
        scheduler: the address of the scheduler, such as ``tcp://10.0.0.1:8786``.
        on_result: called in this process with each result as it comes.

    Raises:
        MtcourseError: there are no workers, a worker differs from this machine, or the cluster is
            gone.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MtcourseError(
            "a cluster needs dask.distributed: pip install 'mtcourse[cluster]'"
        ) from error
    try:
        client = Client(scheduler, set_as_default=False, timeout=CONNECT_TIMEOUT)
    except (OSError, ValueError) as error:
        raise MtcourseError(f"there is no Dask scheduler at {scheduler}: {error}") from error
    with client, client.as_current():
        cluster_jobs = _ClusterJobs(client, scheduler, grade, on_result)
        suspects = cluster_jobs.run(jobs, _check_workers(client, scheduler))
        # A worker that dies may have two jobs, and Dask blames both, so each is run again alone.
        for job, reason in cluster_jobs.run(suspects, 1).items():
            on_result(job, failed_result(job, reason))


class _ClusterJobs:
    """The jobs on a cluster that may lose its workers, or be shut down."""

    def __init__(
        self, client: Any, scheduler: str, grade: GradeFunction, on_result: OnResult
    ) -> None:
        self._client = client
        self._gone_message = f"the cluster at {scheduler} has gone: start it again, and this too"
        self._grade = grade
        self._on_result = on_result
        self._last_seen = time.monotonic()  # when there was a worker

    def run(self, jobs: Iterable[Job], width: int) -> dict[Job, str]:
        """Runs jobs, ``width`` at a time; returns those whose workers died, with Dask's message."""
        fresh = iter(jobs)
        given: dict[Any, Job] = {}
        killed: dict[Job, str] = {}
        while True:
            check_interrupted()
            for job in itertools.islice(fresh, width - len(given)):
                given[self._client.submit(self._grade, job, pure=False, retries=RETRIES)] = job
            if not given:
                return killed
            for future in self._wait_for_finished(list(given)):
                answer = self._read_answer(future, given[future])
                if answer is None:
                    continue
                job = given.pop(future)
                if isinstance(answer, SubmissionResult):
                    self._on_result(job, answer)
                else:
                    killed[job] = answer

    def _wait_for_finished(self, futures: list[Any]) -> Iterable[Any]:
        """Waits for a while, and returns the futures that have finished."""
        from distributed import wait

        try:
            waited: Any = wait(futures, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
            finished = waited.done
        except TimeoutError:
            finished = set()
        except CancelledError as error:
            raise MtcourseError(self._gone_message) from error
        if finished or self._has_workers():
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > WORKERLESS_TIMEOUT:
            raise MtcourseError(self._gone_message)
        return finished

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.scheduler_info(n_workers=-1).get("workers"))
        except OSError:
            return False

    def _read_answer(self, future: Any, job: Job) -> SubmissionResult | str | None:
        """Returns a result, why its workers died, or None if it was lost and runs again."""
        from distributed import KilledWorker

        try:
            return future.result(timeout=CONNECT_TIMEOUT)
        except CancelledError as error:
            raise MtcourseError(self._gone_message) from error
        except KilledWorker as error:
            return str(error)
        except Exception as error:
            if isinstance(error, TimeoutError) and future.status != "error":
                return None
            return failed_result(job, f"{type(error).__name__}: {error}")


def _check_workers(client: Any, scheduler: str) -> int:
    """Checks that the workers equal this machine; returns how many jobs run at a time."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_TIMEOUT)
    except TimeoutError as error:
        raise MtcourseError(f"the scheduler at {scheduler} has no workers: start some") from error
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if any(worker["nthreads"] > 1 for worker in workers):
        raise MtcourseError(
            "a worker of the cluster has several threads, and a kernel wants a process: "
            "start workers with --nthreads 1 --nworkers N"
        )
    here = grading_environment()
    for address, there in client.run(grading_environment).items():
        if there != here:
            different = ", ".join(name for name in here if there.get(name) != here[name])
            raise MtcourseError(
                f"the worker {address} differs from this machine in {different}: "
                "install there what is installed here"
            )
    return len(workers)
