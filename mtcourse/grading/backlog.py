"""Finds the submissions that are still to be graded, and why graded ones would be graded again."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mtcourse.errors import MtcourseError
from mtcourse.grading.cache_key import KEY_PARTS, find_changed_parts
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.grading_config import GradingConfig
from mtcourse.grading.jobs import Job
from mtcourse.grading.records import Records, name_attempt
from mtcourse.grading.results import FAILED, UNREADABLE, ExerciseResult, SubmissionResult
from mtcourse.grading.submissions import Submission
from mtcourse.grading.submitted_notebook import Unreadable

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
        again: the stored results of those submissions that are due again only because somebody
            asked for it, by learner, notebook and file.
    """

    due: list[Submission] = field(default_factory=list)
    kept: list[SubmissionResult] = field(default_factory=list)
    unreadable: list[SubmissionResult] = field(default_factory=list)
    stale: list[tuple[SubmissionResult, str]] = field(default_factory=list)
    again: dict[tuple[str, str, str], SubmissionResult] = field(default_factory=dict)

    def summarize(self) -> list[str]:
        """Returns lines with the numbers of submissions, and the reasons of unreadable ones."""
        due, done, unreadable = map(len, (self.due, self.kept, self.unreadable))
        lines = [f"{due} to grade, {done} done, {unreadable} that cannot be read"]
        lines += [f"  {one.file}: {one.reason}" for one in self.unreadable[:MAX_LISTED]]
        more = unreadable - MAX_LISTED
        return lines + [f"  and {more} more, which the report names"] * (more > 0)


@dataclass(frozen=True)
class Regrade:
    """What is graded again although it has been graded.

    Args:
        learner: only this learner's submissions, whether or not anything has changed.
        exercise: only the verdict on this exercise, whether or not anything has changed.
    """

    learner: str | None = None
    exercise: str | None = None

    def takes(self, submission: Submission, exercises: Iterable[str], is_stale: bool) -> bool:
        """Whether a submission with these exercises is graded again."""
        if self.learner is None and self.exercise is None:
            return is_stale
        return self.learner in (None, submission.learner) and (
            self.exercise is None or self.exercise in exercises
        )

    def check(self, submissions: Iterable[Submission], config: GradingConfig) -> None:
        """Checks that there is such a learner, and such an exercise.

        Raises:
            MtcourseError: there is not; names the most similar one.
        """
        learners = {one.learner for one in submissions}
        if self.learner is not None and self.learner not in learners:
            raise MtcourseError(
                f"nobody of the name {self.learner!r} has handed in"
                f"{suggest_name(self.learner, learners)}"
            )
        exercises = {one for known in config.solutions.values() for one in known.points}
        if self.exercise is not None and self.exercise not in exercises:
            raise MtcourseError(
                f"no notebook that was handed in has the exercise {self.exercise!r}"
                f"{suggest_name(self.exercise, exercises)}"
            )


def suggest_name(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message: the known name that is most similar, if one is."""
    close = difflib.get_close_matches(name, sorted(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""


def find_backlog(
    submissions: Iterable[Submission],
    config: GradingConfig,
    records: Records,
    regrade: Regrade | None = None,
) -> Backlog:
    """Compares the submissions of a class with the stored results.

    A changed submission is due. Any other change, such as that of a solution, leaves stored results
    as they are, unless ``regrade`` takes them.

    Args:
        submissions: everything that was handed in.
        config: how it is graded.
        records: the stored results.
        regrade: which submissions to grade again; by default none.
    """
    backlog = Backlog()
    for submission in submissions:
        try:
            key = make_submission_job(submission, config).key
        except Unreadable as error:
            backlog.unreadable.append(unreadable_result(submission, config, str(error)))
            continue
        before = _find_record(records, submission, key)
        if before is None or before.state == FAILED:
            backlog.due.append(submission)
            continue
        changed = _find_changes(before, key)
        if "submission" in changed:
            backlog.due.append(submission)
            continue
        before = replace(before, file=submission.file)
        if changed:
            backlog.stale.append(
                (before, "; ".join(_explain_change(part, before) for part in changed))
            )
        exercises = config.solutions[submission.notebook].points
        if regrade and regrade.takes(submission, exercises, bool(changed)):
            backlog.due.append(submission)
            backlog.again[submission.learner, submission.notebook, submission.file] = before
        else:
            backlog.kept.append(before)
    return backlog


def _find_changes(before: SubmissionResult, key: str) -> list[str]:
    """Returns the parts of the key that have changed for any exercise of a stored result."""
    keys = {one.key or before.key for one in before.exercises} or {before.key}
    changed = {part for one in keys for part in find_changed_parts(one, key)}
    return [part for part in KEY_PARTS if part in changed]


def _find_record(records: Records, submission: Submission, key: str) -> SubmissionResult | None:
    """Reads the stored result of this very attempt, or else that of the last one."""
    last = records.read(submission.learner, submission.notebook)
    if last and "submission" not in find_changed_parts(last.key, key):
        return last
    attempt = records.read(submission.learner, submission.notebook, name_attempt(key))
    return attempt or (last if submission.is_last else None)


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


def replace_verdict(
    before: SubmissionResult, after: SubmissionResult, exercise: str
) -> SubmissionResult:
    """Returns a stored result with the new verdict on one exercise; the others stay.

    Args:
        before: the stored result.
        after: the result of grading the same submission again.
        exercise: the id of the exercise.
    """
    again = {one.exercise: replace(one, key=after.key) for one in after.exercises}
    exercises = tuple(
        again.get(one.exercise, one) if one.exercise == exercise else one
        for one in before.exercises
    )
    return replace(before, exercises=exercises)
