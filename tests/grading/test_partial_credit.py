"""Partial credit is off unless the policy asks for it, and never as much as the whole."""

from __future__ import annotations

import json

import pytest

from mtcourse.grading.grading_config import Solution
from mtcourse.grading.policy import Policy, read_policy
from mtcourse.grading.results import ExerciseResult, SubmissionResult
from mtcourse.grading.settle import settle_grades
from mtcourse.grading.submissions import Submission
from tests.helpers.made_results import result

ON = Policy(partial_credit=True)


def settled(one: ExerciseResult, policy: Policy = ON) -> ExerciseResult:
    ben = result("ben", exercises=(one,))
    submission = Submission("ben", "04_attention", ben.file, lambda: b"")
    (after,) = settle_grades([ben], [submission], policy, {}).results
    return after.exercises[0]


def wrong(right: int, parts: int, outcome: str = "wrong", points: int = 3) -> ExerciseResult:
    return ExerciseResult("e", outcome, 0, points, parts_right=right, parts=parts)


def test_it_is_off_unless_the_policy_asks_for_it(tmp_path):
    assert settled(wrong(2, 3), Policy()).points == 0
    assert settled(wrong(2, 3), Policy(numbers=True)).points == 0
    (tmp_path / "policy.toml").write_text("partial_credit = true")
    points = {"04_attention": Solution(b"", {"e": 3}).points}
    assert settled(wrong(2, 3), read_policy(tmp_path, points)).points == 2


@pytest.mark.parametrize(
    ("one", "points"),
    [
        (wrong(2, 3), 2),
        (wrong(1, 3), 1),
        (wrong(1, 4), 0.5),
        (wrong(0, 3), 0),
        (wrong(3, 3), 0),  # all parts of an answer of another kind
        (wrong(0, 0), 0),
        (wrong(2, 3, "error"), 0),
        (wrong(2, 3, "timeout"), 0),
        (ExerciseResult("e", "passed", 3, 3, parts_right=1, parts=3), 3),
    ],
)
def test_points_are_those_of_the_parts(one, points):
    assert settled(one).points == points


def test_the_learner_reads_where_they_come_from():
    assert settled(wrong(2, 3)).note == "2 of 3 parts hold: partial credit"
    assert settled(wrong(0, 3)).note == ""


def test_a_record_keeps_the_parts_and_only_where_there_are_any():
    record = result("ben", exercises=(wrong(2, 3), wrong(0, 0)))
    assert SubmissionResult.from_json(record.to_json()) == record
    first, second = json.loads(record.to_json())["exercises"]
    assert (first["parts_right"], first["parts"]) == (2, 3)
    assert "parts" not in second
