"""Finds the submissions that are still to be graded, and why graded ones would be graded again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mtcourse.grading.cache_key import KEY_PARTS, find_changed_parts
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.grading_config import GradingConfig
from mtcourse.grading.jobs import Job
from mtcourse.grading.results import FAILED, UNREADABLE, ExerciseResult, SubmissionResult
from mtcourse.grading.submissions import Submission
from mtcourse.grading.submitted_notebook import Unreadable
from mtcourse.whole_files import write_whole

UNKNOWN_NOTEBOOK = "unknown"
"""The record name of files that match no known notebook."""
MAX_LISTED = 10
"""The number of unreadable files that the terminal lists; the reports list all of them."""


@dataclass
class Backlog:
    """The submissions of a class, sorted by what is to be done.

    Args:
        due: the submissions to grade.
        kept: the stored results that remain valid.
        unreadable: the results of files that cannot be opened.
        stale: results for which something other than the submission has changed, each with the
            reason; they are also either in ``kept``, or due again.
    """

    due: list[Submission] = field(default_factory=list)
    kept: list[SubmissionResult] = field(default_factory=list)
    unreadable: list[SubmissionResult] = field(default_factory=list)
    stale: list[tuple[SubmissionResult, str]] = field(default_factory=list)

    def summarize(self) -> list[str]:
        """Returns lines with the numbers of submissions, and the reasons of unreadable ones."""
        due, done, unreadable = map(len, (self.due, self.kept, self.unreadable))
        lines = [f"{due} to grade, {done} done, {unreadable} that cannot be read"]
        lines += [f"  {one.file}: {one.reason}" for one in self.unreadable[:MAX_LISTED]]
        more = unreadable - MAX_LISTED
        return lines + [f"  and {more} more, which the report names"] * (more > 0)


def find_backlog(
    submissions: Iterable[Submission], config: GradingConfig, records: Path, regrade: bool
) -> Backlog:
    """Compares the submissions of a class with the stored results.

    A changed submission is due. Any other change, such as that of a solution, leaves stored results
    as they are, unless ``regrade`` is true.

    Args:
        submissions: everything that was handed in.
        config: how it is graded.
        records: the folder of stored results.
        regrade: whether to grade stale submissions again.
    """
    backlog = Backlog()
    for submission in submissions:
        before = read_record(records, submission.learner, submission.notebook)
        try:
            key = make_submission_job(submission, config).key
        except Unreadable as error:
            backlog.unreadable.append(unreadable_result(submission, config, str(error)))
            continue
        if before is None or before.state == FAILED:
            backlog.due.append(submission)
        elif before.key == key:
            backlog.kept.append(before)
        elif "submission" in (changed := find_changed_parts(before.key, key)):
            backlog.due.append(submission)
        else:
            backlog.stale.append(
                (before, "; ".join(_explain_change(part, before) for part in changed))
            )
            if regrade:
                backlog.due.append(submission)
            else:
                backlog.kept.append(before)
    return backlog


def _explain_change(part: str, before: SubmissionResult) -> str:
    """Explains which part of the key has changed, with the versions that differ."""
    if part != "environment":
        return KEY_PARTS[part]
    here = installed_versions()
    names = sorted({*here, *before.versions})
    others = [
        f"{name} {before.versions.get(name) or 'none'}, now {here.get(name) or 'none'}"
        for name in names
        if before.versions.get(name) != here.get(name)
    ]
    return f"{KEY_PARTS[part]} ({'; '.join(others)})"


def make_submission_job(submission: Submission, config: GradingConfig) -> Job:
    """Makes the job of grading a submission.

    Raises:
        Unreadable: the submission cannot be graded.
    """
    if submission.reason:
        raise Unreadable(submission.reason)
    return config.make_job(
        submission.learner, submission.notebook, submission.file, submission.read()
    )


def unreadable_result(
    submission: Submission, config: GradingConfig, reason: str
) -> SubmissionResult:
    """Returns the result of a file that cannot be opened."""
    known = config.solutions.get(submission.notebook)
    points = known.points if known else {}
    return SubmissionResult(
        submission.learner,
        submission.notebook,
        submission.file,
        UNREADABLE,
        reason=reason,
        exercises=tuple(ExerciseResult(one, "unreadable", 0, points[one]) for one in points),
        isolation=config.isolation,
        versions=installed_versions(),
    )


def record_path(records: Path, learner: str, notebook: str) -> Path:
    """Returns the path of the stored result of a learner's notebook."""
    return records / learner / f"{notebook or UNKNOWN_NOTEBOOK}.json"


def read_record(records: Path, learner: str, notebook: str) -> SubmissionResult | None:
    """Reads a stored result; None if there is none, or if it cannot be read."""
    path = record_path(records, learner, notebook)
    try:
        kept = SubmissionResult.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if (kept.learner, kept.notebook) == (learner, notebook) else None


def write_record(records: Path, result: SubmissionResult) -> None:
    """Stores a result, completely or not at all."""
    write_whole(
        record_path(records, result.learner, result.notebook), result.to_json(), private=True
    )
