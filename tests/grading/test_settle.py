"""The policy of a class makes grades of verdicts: never more than all points, and never fewer than
none, in one order, with a word on each change."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.grading.policy import BEST, LateRule, Policy
from mtcourse.grading.policy_tables import Adjustment
from mtcourse.grading.reports.tables import nbgrader_table
from mtcourse.grading.results import FAILED, SubmissionResult
from mtcourse.grading.settle import LEFT_OUT, Settled, resolve_adjustments, settle_grades
from mtcourse.grading.submission_times import SubmissionTimes
from mtcourse.grading.submissions import Submission
from tests.helpers.made_results import failed, result

NOTEBOOK = "04_attention"
DUE = datetime(2026, 10, 2, 23, 59, tzinfo=UTC)
LATE = LateRule(percent_per_day=10, days=5)
RULES = Policy(deadlines={NOTEBOOK: DUE}, late=LATE)


def submission(
    learner: str = "ben", hours: float | None = None, is_last: bool = True, **others: object
) -> Submission:
    """Handed in so many hours after the deadline, as nbgrader says."""
    times = SubmissionTimes()
    if hours is not None:
        late = (DUE + timedelta(hours=hours)).timestamp()
        times = SubmissionTimes(nbgrader=late, nbgrader_source="timestamp.txt")
    file = others.pop("file", f"{learner}/{NOTEBOOK}.ipynb")
    values = {"times": times, "is_last": is_last, **others}
    return Submission(learner, NOTEBOOK, str(file), lambda: b"", **values)


def adjustment(
    exercise: str = "", points: float | None = None, comment: str = "", **others: str
) -> Adjustment:
    values = {"learner": "ben", "notebook": NOTEBOOK, "by": "", "place": "a.csv, line 2"} | others
    return Adjustment(exercise=exercise, points=points, comment=comment, **values)


def settle(
    policy: Policy, results: Sequence[SubmissionResult], submissions: Sequence[Submission]
) -> Settled:
    table = resolve_adjustments(policy.adjustments, submissions, {})
    return settle_grades(results, submissions, policy, table)


def settle_one(
    policy: Policy, hours: float | None = None, outcomes=("passed", "passed"), **others: object
) -> SubmissionResult:
    """A notebook of two exercises, ``scaled_scores`` of 2 points, and ``share`` of 3."""
    settled = settle(policy, [result("ben", outcomes)], [submission(hours=hours, **others)])
    (one,) = settled.results
    return one


def test_without_a_policy_nothing_changes():
    ben = result("ben")
    assert settle(Policy(), [ben], [submission(hours=100)]).results == [ben]


@pytest.mark.parametrize(
    ("hours", "points"),
    [(-1, 5), (0, 5), (0.01, 4.5), (24, 4.5), (24.01, 4), (120, 2.5), (120.01, 0), (9999, 0)],
)
def test_each_day_that_has_begun_costs_points(hours, points):
    assert settle_one(RULES, hours).points == points


def test_the_points_are_those_of_the_notebook_and_not_those_that_were_earned():
    assert settle_one(RULES, 25, ("passed", "wrong")).points == 2 - 2 * 0.5
    assert settle_one(RULES, 100, ("passed", "wrong")).points == 0, "2 − 2.5"


def test_a_late_grade_says_where_it_comes_from():
    grade = settle_one(RULES, 25).grade
    assert grade
    assert (grade.points, grade.late_penalty) == (4, 1)
    assert grade.notes == (
        "5 − 1: 2 days late (handed in 2026-10-04 00:59 UTC, as timestamp.txt says, due "
        "2026-10-02 23:59 UTC)",
    )
    (too_late,) = settle_one(RULES, 1000).grade.notes
    assert too_late.startswith("5 − 5: 42 days late")
    assert too_late.endswith("nothing counts after 5 days)")


def test_who_is_late_by_seconds_is_told_the_seconds():
    (note,) = settle_one(RULES, 30 / 3600).grade.notes
    assert note.startswith("5 − 0.5: 1 day late (handed in 2026-10-02 23:59:")
    handed_in, due = re.findall(r"\d\d:\d\d:\d\d UTC", note)
    assert handed_in != due


def test_more_time_for_one():
    more = replace(RULES, extensions={("ben", NOTEBOOK): DUE + timedelta(days=1)})
    assert settle_one(more, 24).points == 5
    assert settle_one(more, 25).points == 4.5


def test_where_the_time_comes_from():
    file = (DUE + timedelta(hours=49)).timestamp()
    late_mark = SubmissionTimes(file=file, marked_late=True)
    in_time = SubmissionTimes(file=file, marked_late=False)
    dates = replace(RULES, late=replace(LATE, file_dates=True))
    table = replace(dates, times={("ben", NOTEBOOK): DUE + timedelta(hours=25)})
    both = SubmissionTimes(DUE.timestamp() + 60, "timestamp.txt", file)

    def one(policy: Policy, times: SubmissionTimes) -> tuple[float, str]:
        grade = settle_one(policy, times=times).grade
        assert grade
        return grade.points, " ".join(grade.notes)

    assert one(RULES, SubmissionTimes(file=file)) == (5, ""), "dates of files change in copying"
    points, note = one(dates, SubmissionTimes(file=file))
    assert points == 3.5
    assert "by the date of the file" in note
    for policy in (RULES, dates):
        points, note = one(policy, late_mark)
        assert points == 4.5
        assert "1 day late (Canvas has marked it LATE, and tells no time" in note
        assert one(policy, in_time) == (5, "")
        points, note = one(policy, both)
        assert points == 4.5
        assert "as timestamp.txt says" in note
    for times in (both, late_mark, in_time, SubmissionTimes()):
        points, note = one(table, times)
        assert points == 4
        assert "as times.csv says" in note


def test_the_teacher_is_told_of_whom_no_time_is_known():
    results = [result(name) for name in ("ada", "ben", "cy")]
    submissions = [submission("ada"), submission("ben", 30), submission("cy", -1)]
    policy = replace(RULES, times={("dan", NOTEBOOK): DUE}, files=("policy.toml",))
    remarks = settle(policy, results, submissions).remarks
    assert remarks[0] == "policy: policy.toml"
    assert remarks[1] == "1 late; of 1 no time is known, and they count as in time"
    assert remarks[2] == "times.csv names 1 who have handed in nothing: dan"


def test_points_by_hand_say_whose_they_are_and_what_they_replace():
    by_hand = replace(RULES, adjustments=(adjustment("share", 1.5, "off by one", by="MK"),))
    one = settle_one(by_hand, outcomes=("passed", "wrong"))
    assert one.points == 3.5
    assert one.exercises[1].outcome == "wrong", "the verdict stays"
    assert one.exercises[1].note == "by hand (MK), 1.5 in place of 0: off by one"
    only = replace(RULES, adjustments=(adjustment("share", None, "well done"),))
    one = settle_one(only)
    assert (one.points, one.exercises[1].note) == (5, "comment: well done")


def test_points_by_hand_for_a_notebook_come_last():
    whole = adjustment("", 5, "was ill", by="MK")
    one = settle_one(replace(RULES, adjustments=(whole,)), 49)
    assert one.points == 5
    assert one.grade.late_penalty == 1.5
    assert one.grade.notes[-1] == "by hand (MK), 5 in place of 3.5: was ill"


def test_in_nbgraders_table_a_score_is_the_raw_one_less_the_penalty():
    whole = replace(RULES, adjustments=(adjustment("", 4, "was ill"),))
    rows = [
        next(csv.DictReader(io.StringIO(nbgrader_table([settle_one(policy, 49)]))))
        for policy in (RULES, whole)
    ]
    columns = ("raw_score", "late_submission_penalty", "score")
    assert [tuple(float(row[column]) for column in columns) for row in rows] == [
        (5, 1.5, 3.5),
        (4, 0, 4),
    ]


def test_an_exercise_that_is_left_out_is_missing_from_both_sums():
    left_out = replace(RULES, left_out={NOTEBOOK: {"share"}})
    for outcomes, points in ((("passed", "wrong"), 2), (("wrong", "passed"), 0)):
        one = settle_one(left_out, outcomes=outcomes)
        assert (one.points, one.max_points) == (points, 2)
        assert one.exercises[1].note == LEFT_OUT
        assert one.exercises[1].outcome == outcomes[1]


def test_the_order_of_the_rules():
    """Left out, by hand, the sum, being late, the best, by hand for the whole."""
    policy = replace(
        RULES,
        left_out={NOTEBOOK: {"share"}},
        adjustments=(adjustment("scaled_scores", 1.5), adjustment("share", 3)),
        resubmissions=BEST,
    )
    first = submission(hours=1, is_last=False, file="ben/1.ipynb")
    second = submission(hours=25, file="ben/2.ipynb")
    results = [
        result("ben", ("wrong", "passed"), file="ben/1.ipynb"),
        result("ben", ("passed", "passed"), file="ben/2.ipynb"),
    ]
    (one,) = settle(policy, results, [first, second]).results
    assert one.file == "ben/1.ipynb"
    assert one.max_points == 2
    assert one.points == pytest.approx(1.5 - 0.1 * 2 * 1)
    assert one.grade.notes[0] == "the best of 2 attempts counts; their points: 1.3, 1.1"
    whole = replace(policy, adjustments=(*policy.adjustments, adjustment("", 2)))
    (one,) = settle(whole, results, [first, second]).results
    assert one.points == 2


def test_of_equal_attempts_the_latest_counts_and_a_failure_never():
    policy = replace(RULES, resubmissions=BEST)
    names = ("1", "2", "3")
    submissions = [submission(hours=-1, is_last=name == "3", file=name) for name in names]
    results = [result("ben", ("wrong", "wrong"), file=name) for name in ("1", "2")]
    results.append(replace(failed("ben"), file="3"))
    settled = settle(policy, results, submissions)
    assert settled.results[0].file == "2"
    assert [one.file for one in settled.submissions] == ["2"]
    assert settled.results[0].grade.notes[0].endswith("their points: 0, 0, not graded")
    alone = settle(policy, results[2:], submissions[2:]).results
    assert alone[0].state == FAILED


def test_a_time_of_the_teachers_is_that_of_the_last_attempt():
    policy = replace(RULES, resubmissions=BEST, times={("ben", NOTEBOOK): DUE + timedelta(days=1)})
    submissions = [submission(is_last=False, file="1"), submission(file="2")]
    results = [
        result("ben", ("passed", "passed"), file="1"),
        result("ben", ("passed", "passed"), file="2"),
    ]
    (one,) = settle(policy, results, submissions).results
    assert (one.file, one.points) == ("1", 5)
    assert one.grade.notes[0].endswith("their points: 5, 4.5")


def test_points_for_nobody_are_an_error_and_for_another_notebook_wait():
    stranger = replace(RULES, adjustments=(adjustment("share", 1, learner="bne"),))
    with pytest.raises(MtcourseError, match=r"a\.csv, line 2: nobody .* 'bne' .* mean 'ben'"):
        settle_one(stranger)
    later = replace(
        RULES, adjustments=(adjustment("causal_mask", 1, notebook="05_masks"),), files=("a.csv",)
    )
    remarks = settle(later, [result("ben")], [submission()]).remarks
    assert remarks[-1] == "1 adjustments are for notebooks that nobody has handed in"
    left = replace(RULES, left_out={NOTEBOOK: {"share"}}, adjustments=(adjustment("", 3),))
    with pytest.raises(MtcourseError, match="line 2: 3 points, where 04_attention has 2"):
        settle_one(left)


def test_points_by_hand_may_name_a_number_and_no_learner_twice():
    by_number = adjustment("share", 1, learner="4711")
    table = resolve_adjustments([by_number], [submission()], {"ben": "4711"})
    assert set(table) == {("ben", NOTEBOOK, "share")}
    twice = [by_number, adjustment("share", 2, place="a.csv, line 3")]
    with pytest.raises(MtcourseError, match="line 3 is on the same as a.csv, line 2"):
        resolve_adjustments(twice, [submission()], {"ben": "4711"})


points_by_hand = st.none() | st.floats(0, 2)


@settings(deadline=None, max_examples=300)
@given(
    hours=st.lists(st.none() | st.floats(-100, 10_000), min_size=1, max_size=4),
    outcomes=st.lists(
        st.tuples(*[st.sampled_from(["passed", "wrong", "timeout"])] * 2), min_size=4, max_size=4
    ),
    percent=st.floats(0, 100),
    days=st.none() | st.integers(0, 100),
    best=st.booleans(),
    left_out=st.sets(st.sampled_from(["scaled_scores", "share"])),
    by_hand=st.tuples(points_by_hand, points_by_hand, points_by_hand),
    more=st.none() | st.floats(0, 100),
)
def test_points_stay_between_none_and_all(
    hours, outcomes, percent, days, best, left_out, by_hand, more
):
    names = ("scaled_scores", "share", "")
    table = [adjustment(name, points, "…") for name, points in zip(names, by_hand, strict=True)]
    if left_out:
        table.pop()  # a notebook may then have fewer points than that
    policy = Policy(
        deadlines={NOTEBOOK: DUE},
        extensions={("ben", NOTEBOOK): DUE + timedelta(days=more)} if more is not None else {},
        late=LateRule(percent, days),
        resubmissions=BEST if best else "last",
        left_out={NOTEBOOK: left_out},
        adjustments=tuple(table),
    )
    hours = hours if best else hours[-1:]
    files = [str(place) for place in range(len(hours))]
    submissions = [
        submission(hours=late, file=file, is_last=file == files[-1])
        for late, file in zip(hours, files, strict=True)
    ]
    results = [result("ben", outcomes[place], file=file) for place, file in enumerate(files)]
    before = [one.to_json() for one in results]
    (one,) = settle(policy, results, submissions).results
    assert 0 <= one.points <= one.max_points <= 5
    assert all(0 <= e.points <= e.max_points for e in one.exercises)
    assert one.grade.late_penalty <= one.exercise_points
    assert [each.to_json() for each in results] == before
    stored = json.loads(one.to_json())
    assert "grade" not in stored
    assert not any({"note", "key"} & set(each) for each in stored["exercises"])
    if best and by_hand[2] is None:
        alone = [
            settle(policy, [each], [replace(given, is_last=True)]).results[0].points
            for each, given in zip(results, submissions, strict=True)
        ]
        assert one.points == max(alone)


@settings(deadline=None)
@given(st.lists(st.floats(-50, 500), min_size=2, max_size=6), st.floats(0, 100))
def test_later_is_never_better(hours, percent):
    policy = replace(RULES, late=LateRule(percent, 5))
    points = [settle_one(policy, late).points for late in sorted(hours)]
    assert points == sorted(points, reverse=True)


def test_a_comment_on_a_whole_notebook_leaves_its_points():
    comment = adjustment("", None, "come and see me", by="MK")
    one = settle_one(replace(RULES, adjustments=(comment,)), 49)
    assert one.points == 3.5
    assert one.grade.notes[-1] == "comment (MK): come and see me"


@pytest.mark.parametrize(("exercise", "points"), [("", 0), ("share", 2)])
def test_no_points_by_hand_are_none(exercise, points):
    none = replace(RULES, adjustments=(adjustment(exercise, 0, "copied"),))
    one = settle_one(none)
    assert one.points == points
    assert "0 in place of" in " ".join([*one.grade.notes, one.exercises[1].note])


@pytest.mark.parametrize(("exercise", "what"), [("", NOTEBOOK), ("share", "share")])
def test_too_many_points_by_hand_are_named_with_what_they_are_for(exercise, what):
    many = replace(RULES, adjustments=(adjustment(exercise, 99),))
    with pytest.raises(MtcourseError, match=f"a.csv, line 2: 99 points, where {what} has"):
        settle_one(many)


def test_with_a_timezone_a_submission_without_a_time_is_in_time():
    one = settle_one(replace(RULES, timezone=UTC), times=SubmissionTimes(marked_late=False))
    assert (one.points, one.grade.handed_in) == (5, "")


def test_canvas_mark_says_nothing_where_the_time_is_known_and_there_is_no_deadline():
    """The teacher's policy has no deadline, so nothing is late."""
    times = SubmissionTimes(DUE.timestamp(), "timestamp.txt", marked_late=True)
    one = settle_one(replace(RULES, deadlines={}), times=times)
    assert (one.points, one.grade.late_penalty, one.grade.notes) == (5, 0, ())


@pytest.mark.parametrize(("strangers", "told"), [(3, "c1, c2, c3"), (4, "c1, c2, c3, …")])
def test_of_many_who_handed_in_nothing_three_are_named(strangers, told):
    times = {(f"c{n}", NOTEBOOK): DUE for n in range(1, strangers + 1)}
    policy = replace(RULES, times=times)
    remarks = settle(policy, [result("ben")], [submission()]).remarks
    assert remarks[-1] == f"times.csv names {strangers} who have handed in nothing: {told}"
