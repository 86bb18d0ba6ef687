"""How late a submission is, and what that costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from mtcourse.grading.policy import TIMES, Policy
from mtcourse.grading.results import tidy_points
from mtcourse.grading.submissions import Submission

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Lateness:
    """How late a submission is.

    Args:
        days: the days that have begun since the deadline; 0 if it is not late.
        handed_in: when it was handed in; None if that is not known.
        deadline: the deadline of this learner; None if there is none.
        source: where the time comes from, or what else marks it as late.
    """

    days: int = 0
    handed_in: datetime | None = None
    deadline: datetime | None = None
    source: str = ""


def find_lateness(submission: Submission, policy: Policy) -> Lateness:
    """Finds how late a submission is.

    The first that is known counts: the teacher's table, what nbgrader has written, Canvas' mark in
    the file's name, and the date of the file if the policy takes it.
    """
    key = submission.learner, submission.notebook
    deadline = policy.extensions.get(key, policy.deadlines.get(submission.notebook))
    time, source = _find_time(submission, policy)
    if time and policy.timezone:
        time = time.astimezone(policy.timezone)
    if time and deadline:
        days = max(0, math.ceil((time - deadline) / DAY))
        return Lateness(days, time, deadline, source)
    if not time and submission.times.marked_late:
        # Canvas has a deadline of its own, and does not say by how much it was missed.
        return Lateness(1, None, deadline, "Canvas has marked it LATE, and tells no time")
    return Lateness(0, time, deadline, source)


def _find_time(submission: Submission, policy: Policy) -> tuple[datetime | None, str]:
    """Returns when a submission was handed in, and where that stands."""
    times = submission.times
    given = policy.times.get((submission.learner, submission.notebook))
    if given and submission.is_last:
        return given, TIMES
    if times.nbgrader:
        return datetime.fromtimestamp(times.nbgrader, UTC), times.nbgrader_source
    if policy.late.file_dates and times.file and times.marked_late is None:
        return datetime.fromtimestamp(times.file, UTC), "the date of the file"
    return None, ""


def compute_penalty(points: float, max_points: float, days: int, policy: Policy) -> float:
    """Computes the points that a late submission loses.

    Args:
        points: the points that it has earned.
        max_points: the points for right answers to all exercises.
        days: the days that have begun since the deadline.
        policy: the policy of the class.
    """
    rule = policy.late
    if rule.days is not None and days > rule.days:
        return points
    return tidy_points(min(points, max_points * rule.percent_per_day / 100 * days))


def describe_lateness(late: Lateness, policy: Policy) -> str:
    """Returns how late a submission is, in words that the learner reads."""
    told = [late.source]
    handed_in, due = format_time(late.handed_in), format_time(late.deadline)
    if late.handed_in and late.deadline and handed_in == due:  # late by seconds
        handed_in, due = (f"{one:%Y-%m-%d %H:%M:%S %Z}" for one in (late.handed_in, late.deadline))
    if late.handed_in:
        told = [f"handed in {handed_in}", f"as {late.source} says"]
        if late.source == "the date of the file":
            told[1] = f"by {late.source}"
    if late.deadline and late.handed_in:
        told.append(f"due {due}")
    last = policy.late.days
    if last is not None and late.days > last:
        told.append(f"nothing counts after {format_days(last)}" if last else "nothing counts then")
    return f"{format_days(late.days)} late ({', '.join(told)})"


def format_days(days: int) -> str:
    """Returns a number of days in words."""
    return f"{days} day{'s' * (days != 1)}"


def format_time(time: datetime | None) -> str:
    """Returns a time to the minute, with its zone; empty if there is none."""
    return f"{time:%Y-%m-%d %H:%M} {time.tzname() or ''}".strip() if time else ""
