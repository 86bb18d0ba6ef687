"""Settles the grades of a class: applies its policy to the verdicts, which stay as they are.

The order is fixed: exercises that are left out, points by hand for exercises, the sum, what being
late costs, the choice among several attempts, and points by hand for whole notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mtcourse.checks.parts import partial_points
from mtcourse.errors import MtcourseError
from mtcourse.grading.backlog import suggest_name
from mtcourse.grading.lateness import (
    Lateness,
    compute_penalty,
    describe_lateness,
    find_lateness,
    format_time,
)
from mtcourse.grading.policy import TIMES, Policy
from mtcourse.grading.policy_tables import Adjustment
from mtcourse.grading.results import (
    FAILED,
    ExerciseResult,
    FinalGrade,
    SubmissionResult,
    tidy_points,
)
from mtcourse.grading.submissions import Submission

LEFT_OUT = "left out: it does not count"
AdjustmentTable = Mapping[tuple[str, str, str], Adjustment]


@dataclass(frozen=True)
class Settled:
    """The settled grades of a class.

    Args:
        results: one for each learner and notebook, with the points that count.
        submissions: the attempts that count.
        remarks: what the teacher should know.
    """

    results: list[SubmissionResult]
    submissions: list[Submission]
    remarks: list[str]


def resolve_adjustments(
    adjustments: Iterable[Adjustment],
    submissions: Iterable[Submission],
    numbers: Mapping[str, str],
) -> AdjustmentTable:
    """Returns the points and comments by hand by learner, notebook and exercise.

    Those for notebooks that nobody has handed in are left for later.

    Args:
        adjustments: as the teacher has written them.
        submissions: everything that was handed in.
        numbers: the number of each learner, which may stand in place of the name.

    Raises:
        MtcourseError: one is for a learner who has not handed in its notebook.
    """
    learners: dict[str, set[str]] = {}
    for one in submissions:
        learners.setdefault(one.notebook, set()).add(one.learner)
    names = {number: learner for learner, number in numbers.items()}
    found: dict[tuple[str, str, str], Adjustment] = {}
    for one in adjustments:
        present = learners.get(one.notebook, set())
        if not present:
            continue
        plain = re.sub(r"^'", "", one.learner)  # what spreadsheets see in place of a formula
        learner = next(
            (name for name in (one.learner, plain, names.get(one.learner)) if name in present), None
        )
        if learner is None:
            close = suggest_name(one.learner, present)
            raise MtcourseError(
                f"{one.place}: nobody of the name {one.learner!r} has handed in {one.notebook}"
                f"{close or '; take names from grades.csv'}"
            )
        key = learner, one.notebook, one.exercise
        if key in found:
            raise MtcourseError(f"{one.place} is on the same as {found[key].place}: keep one")
        found[key] = one
    return found


def settle_grades(
    results: Iterable[SubmissionResult],
    submissions: Sequence[Submission],
    policy: Policy,
    adjustments: AdjustmentTable,
) -> Settled:
    """Applies the policy of a class.

    Args:
        results: the verdicts on all attempts.
        submissions: all attempts, each before the later one.
        policy: what the teacher has decided.
        adjustments: points and comments by hand, as ``resolve_adjustments`` returns them.

    Raises:
        MtcourseError: points by hand are more than there are.
    """
    by_file = {(one.learner, one.notebook, one.file): one for one in results}
    attempts: dict[tuple[str, str], list[tuple[Submission, SubmissionResult, Lateness]]] = {}
    for one in submissions:
        late = find_lateness(one, policy)
        result = by_file[one.learner, one.notebook, one.file]
        settled = _settle_attempt(result, late, policy, adjustments)
        attempts.setdefault((one.learner, one.notebook), []).append((one, settled, late))
    chosen = [_choose_attempt(group) for group in attempts.values()]
    if policy.is_empty:
        return Settled([result for _, result, _ in chosen], [one for one, _, _ in chosen], [])
    return Settled(
        [_settle_notebook(result, adjustments) for _, result, _ in chosen],
        [submission for submission, _, _ in chosen],
        _list_remarks([late for _, _, late in chosen], attempts, policy),
    )


def _settle_attempt(
    result: SubmissionResult, late: Lateness, policy: Policy, adjustments: AdjustmentTable
) -> SubmissionResult:
    """Applies what holds for single exercises, and what being late costs."""
    if policy.is_empty:
        return result
    left_out = policy.left_out.get(result.notebook, ())
    exercises = tuple(
        replace(one, points=0, max_points=0, note=LEFT_OUT)
        if one.exercise in left_out
        else _adjust_exercise(
            _credit_parts(one) if policy.partial_credit else one,
            adjustments.get((result.learner, result.notebook, one.exercise)),
        )
        for one in result.exercises
    )
    result = replace(result, exercises=exercises)
    earned = result.exercise_points
    penalty = compute_penalty(earned, result.max_points, late.days, policy) if late.days else 0
    notes = []
    if late.days:
        reason = describe_lateness(late, policy)
        notes.append(f"{earned} − {penalty}: {reason}" if penalty else reason)
    grade = FinalGrade(
        tidy_points(earned - penalty),
        penalty,
        format_time(late.handed_in),
        format_time(late.deadline),
        tuple(notes),
    )
    return replace(result, grade=grade)


def _credit_parts(one: ExerciseResult) -> ExerciseResult:
    """Gives a wrong answer the points for the parts that hold; never those of the whole."""
    points = tidy_points(partial_points(one.max_points, one.parts_right, one.parts))
    if one.outcome != "wrong" or not one.points < points < one.max_points:
        return one
    return replace(
        one, points=points, note=f"{one.parts_right} of {one.parts} parts hold: partial credit"
    )


def _adjust_exercise(one: ExerciseResult, adjustment: Adjustment | None) -> ExerciseResult:
    """Applies points and a comment by hand to an exercise."""
    if adjustment is None:
        return one
    points = one.points
    if adjustment.points is not None:
        points = _check_points(adjustment, one.max_points)
    return replace(one, points=points, note=_describe_adjustment(adjustment, one.points))


def _settle_notebook(result: SubmissionResult, adjustments: AdjustmentTable) -> SubmissionResult:
    """Applies points and a comment by hand to a whole notebook."""
    adjustment = adjustments.get((result.learner, result.notebook, ""))
    if adjustment is None or result.grade is None:
        return result
    points = result.points
    if adjustment.points is not None:
        points = _check_points(adjustment, result.max_points)
    notes = (*result.grade.notes, _describe_adjustment(adjustment, result.points))
    return replace(result, grade=replace(result.grade, points=points, notes=notes))


def _check_points(adjustment: Adjustment, max_points: float) -> float:
    points = tidy_points(adjustment.points or 0)
    if points > max_points:
        what = adjustment.exercise or adjustment.notebook
        raise MtcourseError(
            f"{adjustment.place}: {points} points, where {what} has {max_points}: give fewer"
        )
    return points


def _describe_adjustment(adjustment: Adjustment, before: float) -> str:
    """Returns where points by hand come from, in words that the learner reads."""
    whose = f" ({adjustment.by})" if adjustment.by else ""
    if adjustment.points is None:
        return f"comment{whose}: {adjustment.comment}"
    change = f"{tidy_points(adjustment.points)} in place of {tidy_points(before)}"
    comment = f": {adjustment.comment}" if adjustment.comment else ""
    return f"by hand{whose}, {change}{comment}"


def _choose_attempt(
    attempts: Sequence[tuple[Submission, SubmissionResult, Lateness]],
) -> tuple[Submission, SubmissionResult, Lateness]:
    """Chooses the attempt with most points, and of equal ones the latest."""
    best = attempts[-1]
    for attempt in reversed(attempts):
        if _rank(attempt[1]) > _rank(best[1]):
            best = attempt
    submission, result, late = best
    if len(attempts) == 1 or result.grade is None:
        return best
    points = ", ".join(
        "not graded" if one.state == FAILED else f"{one.points}" for _, one, _ in attempts
    )
    note = f"the best of {len(attempts)} attempts counts; their points: {points}"
    grade = replace(result.grade, notes=(note, *result.grade.notes))
    return submission, replace(result, grade=grade), late


def _rank(result: SubmissionResult) -> tuple[bool, float]:
    return result.state != FAILED, result.points


def _list_remarks(
    lates: Sequence[Lateness], attempts: Mapping[tuple[str, str], object], policy: Policy
) -> list[str]:
    """Returns lines on the policy: which files, who is late, and what has no effect."""
    remarks = [f"policy: {', '.join(policy.files)}"]
    late = sum(bool(one.days) for one in lates)
    unknown = sum(bool(one.deadline and not one.handed_in and not one.days) for one in lates)
    if policy.deadlines or late:
        remarks.append(f"{late} late")
        if unknown:
            remarks[-1] += f"; of {unknown} no time is known, and they count as in time"
    handed_in = {notebook for _, notebook in attempts}
    waiting = sum(one.notebook not in handed_in for one in policy.adjustments)
    if waiting:
        remarks.append(f"{waiting} adjustments are for notebooks that nobody has handed in")
    for keys, name in ((policy.times, TIMES), (policy.extensions, "[extensions]")):
        strangers = sorted({learner for learner, _ in keys} - {learner for learner, _ in attempts})
        if strangers:
            some = ", ".join(strangers[:3]) + ", …" * (len(strangers) > 3)
            remarks.append(f"{name} names {len(strangers)} who have handed in nothing: {some}")
    return remarks
