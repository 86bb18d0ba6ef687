"""``mtcourse grade``: a class from what it handed in to its reports, or one notebook explained."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeElapsedColumn

from mtcourse.checks.banks import bank_of
from mtcourse.errors import MtcourseError
from mtcourse.grading.backlog import Standing, job_of, keep, read_record, standing, unreadable
from mtcourse.grading.exercise_notebook import notebook_text
from mtcourse.grading.grade_job import grade_job, merged_of
from mtcourse.grading.grading_config import (
    Batch,
    Solution,
    check_references,
    open_batch,
    read_solutions,
)
from mtcourse.grading.jobs import DoAll, Done, Grade, Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.nbval_notebook import merged_notebook
from mtcourse.grading.results import FAILED, Result
from mtcourse.grading.submissions import Found, find
from mtcourse.grading.submitted_notebook import Unreadable
from mtcourse.grading.worker_pool import worker_pool
from mtcourse.whole_files import write_whole

BATCH, RECORDS, REFERENCES, LOCK = "batch.json", "records", "references", ".lock"
"""What is kept in the folder of grades, beside the reports."""


@dataclass(frozen=True)
class Options:
    """How submissions are graded.

    Args:
        seed: of the inputs; by default secret ones.
        isolation: how kernels are kept apart.
        seconds: that a cell may take.
        workers: processes; by default one for each processor.
        scheduler: the address of a Dask scheduler, which grades instead.
        regrade: whether what would now be graded otherwise is graded again.
    """

    seed: int | None = None
    isolation: str = "auto"
    seconds: float = Limits().seconds
    workers: int | None = None
    scheduler: str | None = None
    regrade: bool = False


class _Work(Mapping[tuple[str, str], bytes]):
    """What was handed in, by learner and notebook; each file is read when it is asked for."""

    def __init__(self, found: Iterable[Found]) -> None:
        self._found = {(one.learner, one.notebook): one for one in found if not one.reason}

    def __getitem__(self, key: tuple[str, str]) -> bytes:
        try:
            return self._found[key].read()
        except Unreadable as error:
            raise KeyError(key) from error

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def graded(
    submissions: Path, solutions: Path, out: Path, options: Options, console: Console
) -> int:
    """Grades a class, writes its reports, and shows how it did.

    Args:
        submissions: a folder, an archive or a notebook.
        solutions: their folder, or one of them.
        out: the folder of grades, made if needed.
        options: how.
        console: where to show it.

    Returns:
        the status with which the command ends: 130 where it was stopped, 1 where the grader failed
        on a submission.

    Raises:
        MtcourseError: there is nothing to grade, or nobody can be graded by these solutions.
    """
    from mtcourse.grading.reports import write_reports
    from mtcourse.grading.reports.terminal import class_table

    if out.resolve().is_relative_to(submissions.resolve()):
        raise MtcourseError(f"{out} lies in {submissions}: keep grades apart, name another --out")
    known, found = _found(submissions, solutions)
    try:
        with _alone(out):
            results = grade_class(known, found, out, options, console)
            write_reports(results, out, _Work(found))
    except KeyboardInterrupt:
        _say(console, f"stopped; what is graded is kept in {out}, and the same command goes on")
        return 130
    console.print(class_table(results))
    _say(console, f"all of it: {out / 'report.html'}")
    if failed := [result for result in results if result.state == FAILED]:
        _say(console, f"the grader failed on {len(failed)}: the same command tries them again")
        _say(console, f"{failed[0].file}: {failed[0].reason}")
    return 1 if failed else 0


def _found(submissions: Path, solutions: Path) -> tuple[dict[str, Solution], list[Found]]:
    """The solutions, and what was handed in to be graded by them."""
    known = read_solutions(solutions)
    found = find(submissions, {name: frozenset(known[name].points) for name in known})
    if not found:
        raise MtcourseError(f"there is no notebook in {submissions}: are submissions elsewhere?")
    return known, found


def grade_class(
    known: Mapping[str, Solution],
    found: Sequence[Found],
    out: Path,
    options: Options,
    console: Console,
    grade: Grade = grade_job,
) -> list[Result]:
    """Grades what is not graded yet; every result is kept as soon as it is there.

    Args:
        known: the solutions.
        found: what was handed in.
        out: the folder of grades.
        options: how.
        console: where to tell how it goes on.
        grade: what grades one submission.

    Returns:
        the results of everything that was handed in.
    """
    handed_in = {name: known[name] for name in sorted({one.notebook for one in found} - {""})}
    limits = Limits(seconds=options.seconds)
    batch = open_batch(handed_in, out / BATCH, options.seed, options.isolation, limits)
    now = standing(found, batch, out / RECORDS, options.regrade)
    _tell(now, batch, options, console)
    for result in now.unread:
        keep(out / RECORDS, result)
    results = [*now.kept, *now.unread]
    if now.due:
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
        with (
            Progress(*columns, console=console) as bar,
            worker_pool(grade, options.workers, options.scheduler) as do_all,
        ):
            run = _Run(out, bar, do_all)
            run.prove({one.notebook for one in now.due}, batch)
            results += run.graded(now.due, batch)
    return sorted(results, key=lambda result: (result.learner, result.notebook))


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Sees to it that nobody else writes into a folder of grades."""
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / LOCK, timeout=0):
            yield
    except Timeout as error:
        raise MtcourseError(f"another run is grading into {out}: let it end") from error


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def _tell(now: Standing, batch: Batch, options: Options, console: Console) -> None:
    """What is due, and what is graded again or left although something has changed."""
    for line in now.told():
        _say(console, line)
    careless = ": what was handed in can do here whatever you can"
    _say(console, f"isolation {batch.isolation}{careless if batch.isolation == 'none' else ''}")
    if options.regrade:
        for before, why in now.stale:
            _say(console, f"again {before.learner}, {before.notebook}: {why}")
    else:
        for why, count in Counter(why for _, why in now.stale).most_common():
            _say(console, f"{count} would come about otherwise now: {why}; --regrade does so")


class _Run:
    """One run of the grader over a class."""

    def __init__(self, out: Path, bar: Progress, do_all: DoAll) -> None:
        self._out = out
        self._bar = bar
        self._do_all = do_all

    def prove(self, notebooks: Iterable[str], batch: Batch) -> None:
        """Grades solutions themselves, where that has not been done already."""
        records = self._out / REFERENCES
        results: list[Result] = []
        jobs = []
        for job in batch.references(sorted(notebooks)):
            before = read_record(records, str(job.seed), job.notebook)
            if before and before.key == job.key and before.state != FAILED:
                results.append(before)
            else:
                jobs.append(job)

        def done(job: Job, result: Result) -> None:
            results.append(result)
            keep(records, replace(result, learner=str(job.seed)))

        if jobs:
            self._do(jobs, len(jobs), "solutions", done)
        check_references(results)

    def graded(self, due: Sequence[Found], batch: Batch) -> list[Result]:
        """Grades submissions, and keeps each result as it comes."""
        results: list[Result] = []
        found = {(one.learner, one.notebook): one for one in due}

        def done(job: Job, result: Result) -> None:
            notes = found[job.learner, job.notebook].notes
            results.append(replace(result, repairs=(*notes, *result.repairs)))
            keep(self._out / RECORDS, results[-1])

        def jobs() -> Iterator[Job]:
            for one in due:
                try:
                    yield job_of(one, batch)
                except Unreadable as error:  # since it was looked at first
                    results.append(unreadable(one, batch, str(error)))
                    keep(self._out / RECORDS, results[-1])

        self._do(jobs(), len(due), "submissions", done)
        return results

    def _do(self, jobs: Iterable[Job], count: int, what: str, done: Done) -> None:
        """Has jobs done, with a bar."""
        task = self._bar.add_task(what, total=count)

        def done_and_shown(job: Job, result: Result) -> None:
            done(job, result)
            self._bar.advance(task)

        self._do_all(jobs, done_and_shown)


def explained(
    notebook: Path,
    solutions: Path,
    options: Options,
    console: Console,
    grade: Grade = grade_job,
) -> None:
    """Grades one notebook here and now, says all about it, and keeps nothing.

    Raises:
        MtcourseError: it is not one notebook, or cannot be graded by its solution.
    """
    from mtcourse.grading.reports.terminal import explained as explanation_of

    batch, found = _one(notebook, solutions, options)
    try:
        job = job_of(found, batch)
    except Unreadable as error:
        result = unreadable(found, batch, str(error))
    else:
        references = batch.references([job.notebook])
        check_references(grade(one) for one in references if one.seed == job.seed)
        result = grade(job)
    _say(console, explanation_of(replace(result, file=str(notebook))))


def write_merged(notebook: Path, solutions: Path, out: Path, options: Options) -> int:
    """Writes one notebook, merged with its solution, for nbval alone; returns the seed.

    Raises:
        MtcourseError: it is not one notebook that can be merged.
    """
    batch, found = _one(notebook, solutions, options)
    try:
        job = job_of(found, batch)
        merged = merged_of(job.content, job.notebook, json.loads(job.solution))
    except Unreadable as error:
        raise MtcourseError(f"{notebook} cannot be merged: {error}") from error
    text = notebook_text(merged_notebook(merged, bank_of(job.notebook), job.seed))
    write_whole(out, text, private=True)
    return job.seed


def _one(notebook: Path, solutions: Path, options: Options) -> tuple[Batch, Found]:
    """One notebook, and a batch of it alone.

    Raises:
        MtcourseError: it is not one, or has no solution.
    """
    known, found = _found(notebook, solutions)
    if not notebook.is_file() or len(found) != 1:
        raise MtcourseError(f"{notebook} is not one notebook: this takes one at a time")
    handed_in = {name: known[name] for name in known if name == found[0].notebook}
    limits = Limits(seconds=options.seconds)
    return open_batch(handed_in, None, options.seed, options.isolation, limits), found[0]
