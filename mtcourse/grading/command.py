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
    Regrade,
    find_backlog,
    make_submission_job,
    replace_verdict,
    unreadable_result,
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
from mtcourse.grading.interruption import exit_status, interruptible
from mtcourse.grading.jobs import GradeFunction, Job, OnResult, RunJobs
from mtcourse.grading.kernel import Limits
from mtcourse.grading.learner_folders import RECORDS, name_folders, refuse_alike
from mtcourse.grading.learner_numbers import assign_numbers, read_numbers, replace_names
from mtcourse.grading.nbval_notebook import make_nbval_notebook
from mtcourse.grading.policy import BEST, Policy, read_policy
from mtcourse.grading.records import UNKNOWN_NOTEBOOK, Records, name_attempt
from mtcourse.grading.results import FAILED, SubmissionResult
from mtcourse.grading.rubric import read_all_forms
from mtcourse.grading.settle import Settled, resolve_adjustments, settle_grades
from mtcourse.grading.solution_notebook import read_cohort
from mtcourse.grading.submissions import Submission, find_submissions
from mtcourse.grading.submitted_notebook import Unreadable
from mtcourse.grading.worker_pool import open_worker_pool
from mtcourse.whole_files import write_whole

CONFIG, REFERENCES, LOCK = "batch.json", "references", ".lock"
NUMBERS, BY_NUMBER = "numbers.csv", "by_number"
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
        regrade: what to grade again; by default nothing.
        policy: the folder of the class's policy; by default there is none.
    """

    seed: int | None = None
    isolation: str = "auto"
    seconds: float = Limits().seconds
    workers: int | None = None
    scheduler: str | None = None
    regrade: Regrade | None = None
    policy: Path | None = None


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
        the exit status: 130 after Ctrl-C, 143 if it was asked to end, 1 if the grader failed on a
        submission.

    Raises:
        MtcourseError: there is nothing to grade, a solution does not pass, or a file cannot be
            read or written.
    """
    try:
        with interruptible():
            return _grade_submissions(submissions, solutions, out, options, console)
    except KeyboardInterrupt:
        _print_line(
            console, f"stopped; what is graded is kept in {out}, and the same command goes on"
        )
        return exit_status()
    except BrokenPipeError:  # nobody reads any more what is printed
        raise
    except OSError as error:
        raise MtcourseError(
            f"{error.filename or out}: {error.strerror or error}; what is graded is kept in {out}, "
            "and the same command goes on once that is mended"
        ) from error


def _grade_submissions(
    submissions: Path, solutions: Path, out: Path, options: Options, console: Console
) -> int:
    """Does what ``grade_submissions`` does, until it is interrupted."""
    from mtcourse.grading.reports import write_reports
    from mtcourse.grading.reports.terminal import class_table

    if out.resolve().is_relative_to(submissions.resolve()):
        raise MtcourseError(f"{out} lies in {submissions}: keep grades apart, name another --out")
    known = read_solutions(solutions)
    points = {name: solution.points for name, solution in known.items()}
    policy = read_policy(options.policy, points) if options.policy else Policy()
    found = _find_submissions(submissions, known, policy.resubmissions == BEST)
    with _lock_folder(out):
        numbers = read_numbers(out / NUMBERS)
        adjustments = resolve_adjustments(policy.adjustments, found, numbers)
        options = _with_name(options, numbers)
        if policy.numbers:  # not before what the teacher has written fits this class
            numbers = assign_numbers(out / NUMBERS, [one.learner for one in found])
        verdicts = grade_class(known, found, out, options, console)
        settled = settle_grades(verdicts, found, policy, adjustments)
        results, contents = settled.results, _SubmittedBytes(settled.submissions)
        projects, remarks = read_all_forms(out)
        refuse_alike([UNKNOWN_NOTEBOOK, *known, *(one.notebook for one in projects)])
        results = sorted([*results, *projects], key=lambda one: (one.learner, one.notebook))
        sources = {name: solution.content for name, solution in known.items()}
        write_reports(results, out, contents, sources)
        if policy.numbers:
            _write_reports_by_number(settled, numbers, out / BY_NUMBER, sources)
    console.print(class_table(results))
    for remark in [*settled.remarks, *remarks]:
        _print_line(console, remark)
    _print_line(console, f"all of it: {out / 'report.html'}")
    if failed := [result for result in results if result.state == FAILED]:
        _print_line(
            console, f"the grader failed on {len(failed)}: the same command tries them again"
        )
        _print_line(console, f"{failed[0].file}: {failed[0].reason}")
    return 1 if failed else 0


def _find_submissions(
    submissions: Path, known: Mapping[str, Solution], every_attempt: bool = False
) -> list[Submission]:
    """Finds the submissions that the solutions can grade."""
    names = {name: frozenset(known[name].points) for name in known}
    found = find_submissions(submissions, names, every_attempt)
    if not found:
        raise MtcourseError(f"there is no notebook in {submissions}: are submissions elsewhere?")
    return found


def _write_reports_by_number(
    settled: Settled, numbers: Mapping[str, str], out: Path, sources: Mapping[str, bytes]
) -> None:
    """Writes the reports once more, with numbers in place of names."""
    from mtcourse.grading.reports import write_reports

    contents = _SubmittedBytes(
        replace(one, learner=numbers[one.learner]) for one in settled.submissions
    )
    write_reports([replace_names(one, numbers) for one in settled.results], out, contents, sources)


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
        submissions: everything that was handed in, of several attempts each before the later one.
        out: the folder of grades.
        options: the options of the command.
        console: where to print.
        grade: grades one job.

    Returns:
        the results of all submissions.

    Raises:
        MtcourseError: a solution does not pass, or nobody is there to be graded again.
    """
    needed = {
        name: solutions[name] for name in sorted({one.notebook for one in submissions} - {""})
    }
    limits = Limits(seconds=options.seconds)
    config = prepare_grading_config(needed, out / CONFIG, options.seed, options.isolation, limits)
    if options.regrade:
        options.regrade.check(submissions, config)
    records = Records(out / RECORDS, name_folders((one.learner for one in submissions), out))
    backlog = find_backlog(submissions, config, records, options.regrade)
    _print_backlog(backlog, config, options, console)
    results = [*backlog.kept, *backlog.unreadable]
    _store_last_attempts(results, submissions, records)
    if backlog.due:
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
        with (
            Progress(*columns, console=console) as bar,
            open_worker_pool(grade, options.workers, options.scheduler) as run_jobs,
        ):
            grader = _ClassGrader(records, Records(out / REFERENCES), bar, run_jobs)
            grader.check_solutions({one.notebook for one in backlog.due}, config)
            results += grader.grade_submissions(backlog, config, options.regrade)
    return sorted(results, key=lambda result: (result.learner, result.notebook))


def _with_name(options: Options, numbers: Mapping[str, str]) -> Options:
    """Puts the name of the learner to grade again in place of the number."""
    regrade = options.regrade
    if regrade is None or regrade.learner is None:
        return options
    names = {number: learner for learner, number in numbers.items()}
    name = names.get(regrade.learner, regrade.learner)
    return replace(options, regrade=replace(regrade, learner=name))


def _store_last_attempts(
    results: Iterable[SubmissionResult], submissions: Iterable[Submission], records: Records
) -> None:
    """Stores results that are known without grading, if another attempt was the last before."""
    last = {(one.learner, one.notebook, one.file) for one in submissions if one.is_last}
    for result in results:
        if (result.learner, result.notebook, result.file) in last:
            before = records.read(result.learner, result.notebook)
            if before is None or name_attempt(before.key) != name_attempt(result.key):
                records.write(result)


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
    reasons = {(one.learner, one.notebook, one.file): why for one, why in backlog.stale}
    for place in backlog.again:
        why = reasons.pop(place, "asked for")
        exercise = options.regrade.exercise if options.regrade else None
        what = f"{place[1]}, {exercise}" if exercise else place[1]
        _print_line(console, f"again {place[0]}, {what}: {why}")
    if options.regrade is None:
        for why, count in Counter(reasons.values()).most_common():
            _print_line(
                console, f"{count} would come about otherwise now: {why}; --regrade does so"
            )


class _ClassGrader:
    """Grades a class with a pool of workers."""

    def __init__(
        self, records: Records, references: Records, bar: Progress, run_jobs: RunJobs
    ) -> None:
        self._records, self._references = records, references
        self._bar = bar
        self._run_jobs = run_jobs

    def check_solutions(self, notebooks: Iterable[str], config: GradingConfig) -> None:
        """Grades the solutions themselves, unless that has been done before."""
        results: list[SubmissionResult] = []
        jobs = []
        for job in config.make_reference_jobs(sorted(notebooks)):
            before = self._references.read(str(job.seed), job.notebook)
            if before and before.key == job.key and before.state != FAILED:
                results.append(before)
            else:
                jobs.append(job)

        def on_result(job: Job, result: SubmissionResult) -> None:
            results.append(result)
            self._references.write(replace(result, learner=str(job.seed)))

        if jobs:
            self._run_with_progress(jobs, len(jobs), "solutions", on_result)
        check_reference_results(results)

    def grade_submissions(
        self, backlog: Backlog, config: GradingConfig, regrade: Regrade | None
    ) -> list[SubmissionResult]:
        """Grades the submissions that are due, and stores each result as it comes."""
        results: list[SubmissionResult] = []
        submissions = {(one.learner, one.notebook, one.file): one for one in backlog.due}
        exercise = regrade.exercise if regrade else None

        def store(result: SubmissionResult, is_last: bool) -> None:
            results.append(result)
            self._records.write(result, is_last)

        def on_result(job: Job, result: SubmissionResult) -> None:
            place = job.learner, job.notebook, job.file
            one = submissions[place]
            result = replace(result, repairs=(*one.notes, *result.repairs))
            if exercise and place in backlog.again:
                if result.state == FAILED:
                    told = f"the grader failed on {job.file}, and its verdict stays: "
                    _print_line(self._bar.console, f"{told}{result.reason}")
                result = replace_verdict(backlog.again[place], result, exercise)
            store(result, one.is_last)

        def jobs() -> Iterator[Job]:
            for one in backlog.due:
                try:
                    yield make_submission_job(one, config)
                except Unreadable as error:  # it has changed since it was found
                    store(unreadable_result(one, config, str(error)), one.is_last)

        self._run_with_progress(jobs(), len(backlog.due), "submissions", on_result)
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
        with interruptible():
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
    bank = bank_of(job.notebook, read_cohort(json.loads(job.solution)))
    text = serialize_notebook(make_nbval_notebook(merged, bank, job.seed))
    write_whole(out, text, private=True)
    return job.seed


def _find_one_submission(
    notebook: Path, solutions: Path, options: Options
) -> tuple[GradingConfig, Submission]:
    """Finds a single submission, and prepares how to grade it.

    Raises:
        MtcourseError: it is not a single notebook, or has no solution.
    """
    known = read_solutions(solutions)
    found = _find_submissions(notebook, known)
    if not notebook.is_file() or len(found) != 1:
        raise MtcourseError(f"{notebook} is not one notebook: this takes one at a time")
    needed = {name: known[name] for name in known if name == found[0].notebook}
    limits = Limits(seconds=options.seconds)
    return prepare_grading_config(needed, None, options.seed, options.isolation, limits), found[0]
