"""Jobs done by the workers of a Dask cluster, which does a dead worker's jobs again by itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from concurrent.futures import CancelledError
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.keys import surroundings
from mtcourse.grading.schedule import RETRIES, Done, Grade, failed
from mtcourse.grading.unit import Job

PATIENCE = 10.0
"""Seconds that a scheduler is given to answer."""


def run_on_cluster(jobs: Iterable[Job], grade: Grade, scheduler: str, done: Done) -> None:
    """Does all jobs, as ``run_jobs`` does.

    Args:
        jobs: what to do.
        grade: how.
        scheduler: its address, such as tcp://10.0.0.1:8786.
        done: told of each result as it comes, in this process.

    Raises:
        MtcourseError: there are no workers, or they are not what this machine is.
    """
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise MtcourseError(
            "a cluster needs dask.distributed: pip install 'mtcourse[cluster]'"
        ) from error
    try:
        client = Client(scheduler, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise MtcourseError(f"there is no Dask scheduler at {scheduler}: {error}") from error
    with client:
        # A death counts against every job that the worker has, so that it is given one at a time.
        width = _width(client, scheduler)
        fresh = iter(jobs)
        given: dict[Any, Job] = {}

        def give(most: int) -> list[Any]:
            futures = []
            for job in itertools.islice(fresh, most):
                futures.append(client.submit(grade, job, pure=False, retries=RETRIES))
                given[futures[-1]] = job
            return futures

        finished = as_completed(give(width), loop=client.loop)
        for future in finished:
            job = given.pop(future)
            try:
                result = future.result()
            except CancelledError as error:
                raise MtcourseError(
                    f"the scheduler at {scheduler} has gone: start it again, and this too"
                ) from error
            except Exception as error:
                result = failed(job, f"{type(error).__name__}: {error}")
            done(job, result)
            finished.update(give(1))


def _width(client: Any, scheduler: str) -> int:
    """How many jobs the workers of a cluster do at a time; they must be what this machine is."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not workers:
        raise MtcourseError(f"the scheduler at {scheduler} has no workers: start some")
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
