"""``mtcourse grade``: grades a class and writes its reports, or explains one notebook."""

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
from mtcourse.grading.backlog import (
    Backlog,
    find_backlog,
    make_submission_job,
    read_record,
    unreadable_result,
    write_record,
)
from mtcourse.grading.exercise_notebook import serialize_notebook
from mtcourse.grading.grade_job import grade_job, merge_with_solution
from mtcourse.grading.grading_config import (
    GradingConfig,
    Solution,
    check_reference_results,
    prepare_grading_config,
    read_solutions,
)
from mtcourse.grading.jobs import GradeFunction, Job, OnResult, RunJobs
from mtcourse.grading.kernel import Limits
from mtcourse.grading.nbval_notebook import make_nbval_notebook
from mtcourse.grading.results import FAILED, SubmissionResult
from mtcourse.grading.submissions import Submission, find_submissions
from mtcourse.grading.submitted_notebook import Unreadable
from mtcourse.grading.worker_pool import open_worker_pool
from mtcourse.whole_files import write_whole

CONFIG, RECORDS, REFERENCES, LOCK = "batch.json", "records", "references", ".lock"
"""Names in the folder of grades, besides the reports."""


@dataclass(frozen=True)
class Options:
    """The options of the command.

    Args:
        seed: the seed of the inputs; by default secret ones are drawn.
        isolation: the name of the isolation for kernels.
        seconds: the time limit of a cell.
        workers: the number of processes; by default one for each processor.
        scheduler: the address of a Dask scheduler, whose workers grade instead.
        regrade: whether to grade again if something other than the submission has changed.
    """

    seed: int | None = None
    isolation: str = "auto"
    seconds: float = Limits().seconds
    workers: int | None = None
    scheduler: str | None = None
    regrade: bool = False


class _SubmittedBytes(Mapping[tuple[str, str], bytes]):
    """The bytes of submissions by learner and notebook, each read when it is needed."""

    def __init__(self, submissions: Iterable[Submission]) -> None:
        self._submissions = {
            (one.learner, one.notebook): one for one in submissions if not one.reason
        }

    def __getitem__(self, key: tuple[str, str]) -> bytes:
        try:
            return self._submissions[key].read()
        except Unreadable as error:
            raise KeyError(key) from error

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._submissions)

    def __len__(self) -> int:
        return len(self._submissions)


def grade_submissions(
    submissions: Path, solutions: Path, out: Path, options: Options, console: Console
) -> int:
    """Grades a class, writes its reports, and prints a summary.

    Args:
        submissions: a folder, an archive or a notebook.
        solutions: the folder of solutions, or one solution.
        out: the folder of grades; created if needed.
        options: the options of the command.
        console: where to print.

    Returns:
        the exit status: 130 after an interrupt, 1 if the grader failed on a submission.

    Raises:
        MtcourseError: there is nothing to grade, or a solution does not pass.
    """
    from mtcourse.grading.reports import write_reports
    from mtcourse.grading.reports.terminal import class_table

    if out.resolve().is_relative_to(submissions.resolve()):
        raise MtcourseError(f"{out} lies in {submissions}: keep grades apart, name another --out")
    known, found = _find_submissions(submissions, solutions)
    try:
        with _lock_folder(out):
            results = grade_class(known, found, out, options, console)
            write_reports(results, out, _SubmittedBytes(found))
    except KeyboardInterrupt:
        _print_line(
            console, f"stopped; what is graded is kept in {out}, and the same command goes on"
        )
        return 130
    console.print(class_table(results))
    _print_line(console, f"all of it: {out / 'report.html'}")
    if failed := [result for result in results if result.state == FAILED]:
        _print_line(
            console, f"the grader failed on {len(failed)}: the same command tries them again"
        )
        _print_line(console, f"{failed[0].file}: {failed[0].reason}")
    return 1 if failed else 0


def _find_submissions(
    submissions: Path, solutions: Path
) -> tuple[dict[str, Solution], list[Submission]]:
    """Reads the solutions, and finds the submissions that they can grade."""
    known = read_solutions(solutions)
    found = find_submissions(submissions, {name: frozenset(known[name].points) for name in known})
    if not found:
        raise MtcourseError(f"there is no notebook in {submissions}: are submissions elsewhere?")
    return known, found


def grade_class(
    solutions: Mapping[str, Solution],
    submissions: Sequence[Submission],
    out: Path,
    options: Options,
    console: Console,
    grade: GradeFunction = grade_job,
) -> list[SubmissionResult]:
    """Grades the submissions that are due, and stores every result at once.

    Args:
        solutions: the solutions by the name of their notebook.
        submissions: everything that was handed in.
        out: the folder of grades.
        options: the options of the command.
        console: where to print.
        grade: grades one job.

    Returns:
        the results of all submissions.
    """
    needed = {
        name: solutions[name] for name in sorted({one.notebook for one in submissions} - {""})
    }
    limits = Limits(seconds=options.seconds)
    config = prepare_grading_config(needed, out / CONFIG, options.seed, options.isolation, limits)
    backlog = find_backlog(submissions, config, out / RECORDS, options.regrade)
    _print_backlog(backlog, config, options, console)
    for result in backlog.unreadable:
        write_record(out / RECORDS, result)
    results = [*backlog.kept, *backlog.unreadable]
    if backlog.due:
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
        with (
            Progress(*columns, console=console) as bar,
            open_worker_pool(grade, options.workers, options.scheduler) as run_jobs,
        ):
            grader = _ClassGrader(out, bar, run_jobs)
            grader.check_solutions({one.notebook for one in backlog.due}, config)
            results += grader.grade_submissions(backlog.due, config)
    return sorted(results, key=lambda result: (result.learner, result.notebook))


@contextmanager
def _lock_folder(out: Path) -> Iterator[None]:
    """Keeps other runs from writing into the same folder of grades."""
    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / LOCK, timeout=0):
            yield
    except Timeout as error:
        raise MtcourseError(f"another run is grading into {out}: let it end") from error


def _print_line(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def _print_backlog(
    backlog: Backlog, config: GradingConfig, options: Options, console: Console
) -> None:
    """Prints what is due, and what has changed for results that are stored."""
    for line in backlog.summarize():
        _print_line(console, line)
    careless = ": what was handed in can do here whatever you can"
    _print_line(
        console, f"isolation {config.isolation}{careless if config.isolation == 'none' else ''}"
    )
    if options.regrade:
        for before, why in backlog.stale:
            _print_line(console, f"again {before.learner}, {before.notebook}: {why}")
    else:
        for why, count in Counter(why for _, why in backlog.stale).most_common():
            _print_line(
                console, f"{count} would come about otherwise now: {why}; --regrade does so"
            )


class _ClassGrader:
    """Grades a class with a pool of workers."""

    def __init__(self, out: Path, bar: Progress, run_jobs: RunJobs) -> None:
        self._out = out
        self._bar = bar
        self._run_jobs = run_jobs

    def check_solutions(self, notebooks: Iterable[str], config: GradingConfig) -> None:
        """Grades the solutions themselves, unless that has been done before."""
        records = self._out / REFERENCES
        results: list[SubmissionResult] = []
        jobs = []
        for job in config.make_reference_jobs(sorted(notebooks)):
            before = read_record(records, str(job.seed), job.notebook)
            if before and before.key == job.key and before.state != FAILED:
                results.append(before)
            else:
                jobs.append(job)

        def on_result(job: Job, result: SubmissionResult) -> None:
            results.append(result)
            write_record(records, replace(result, learner=str(job.seed)))

        if jobs:
            self._run_with_progress(jobs, len(jobs), "solutions", on_result)
        check_reference_results(results)

    def grade_submissions(
        self, due: Sequence[Submission], config: GradingConfig
    ) -> list[SubmissionResult]:
        """Grades submissions, and stores each result as it comes."""
        results: list[SubmissionResult] = []
        submissions = {(one.learner, one.notebook): one for one in due}

        def on_result(job: Job, result: SubmissionResult) -> None:
            notes = submissions[job.learner, job.notebook].notes
            results.append(replace(result, repairs=(*notes, *result.repairs)))
            write_record(self._out / RECORDS, results[-1])

        def jobs() -> Iterator[Job]:
            for one in due:
                try:
                    yield make_submission_job(one, config)
                except Unreadable as error:  # it has changed since it was found
                    results.append(unreadable_result(one, config, str(error)))
                    write_record(self._out / RECORDS, results[-1])

        self._run_with_progress(jobs(), len(due), "submissions", on_result)
        return results

    def _run_with_progress(
        self, jobs: Iterable[Job], count: int, what: str, on_result: OnResult
    ) -> None:
        """Runs jobs and shows a progress bar."""
        task = self._bar.add_task(what, total=count)

        def show_result(job: Job, result: SubmissionResult) -> None:
            on_result(job, result)
            self._bar.advance(task)

        self._run_jobs(jobs, show_result)


def explain_submission(
    notebook: Path,
    solutions: Path,
    options: Options,
    console: Console,
    grade: GradeFunction = grade_job,
) -> None:
    """Grades one notebook in this process, prints the whole result, and stores nothing.

    Raises:
        MtcourseError: it is not a single notebook, or its solution does not pass.
    """
    from mtcourse.grading.reports.terminal import format_result

    config, submission = _find_one_submission(notebook, solutions, options)
    try:
        job = make_submission_job(submission, config)
    except Unreadable as error:
        result = unreadable_result(submission, config, str(error))
    else:
        references = config.make_reference_jobs([job.notebook])
        check_reference_results(grade(one) for one in references if one.seed == job.seed)
        result = grade(job)
    _print_line(console, format_result(replace(result, file=str(notebook))))


def write_merged_notebook(notebook: Path, solutions: Path, out: Path, options: Options) -> int:
    """Merges one notebook with its solution, writes it for nbval, and returns the seed.

    Raises:
        MtcourseError: it is not a single notebook, or cannot be merged.
    """
    config, submission = _find_one_submission(notebook, solutions, options)
    try:
        job = make_submission_job(submission, config)
        merged = merge_with_solution(job.content, job.notebook, json.loads(job.solution))
    except Unreadable as error:
        raise MtcourseError(f"{notebook} cannot be merged: {error}") from error
    text = serialize_notebook(make_nbval_notebook(merged, bank_of(job.notebook), job.seed))
    write_whole(out, text, private=True)
    return job.seed


def _find_one_submission(
    notebook: Path, solutions: Path, options: Options
) -> tuple[GradingConfig, Submission]:
    """Finds a single submission, and prepares how to grade it.

    Raises:
        MtcourseError: it is not a single notebook, or has no solution.
    """
    known, found = _find_submissions(notebook, solutions)
    if not notebook.is_file() or len(found) != 1:
        raise MtcourseError(f"{notebook} is not one notebook: this takes one at a time")
    needed = {name: known[name] for name in known if name == found[0].notebook}
    limits = Limits(seconds=options.seconds)
    return prepare_grading_config(needed, None, options.seed, options.isolation, limits), found[0]
