"""Difficulty and discrimination of exercises, against numpy and by hand."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.grading.item_statistics import MIN_LEARNERS, compute_item_statistics, correlate
from mtcourse.grading.reports.class_report import render_class_report
from mtcourse.grading.reports.tables import exercises_table
from mtcourse.grading.results import JUDGED, ExerciseResult
from tests.helpers.made_results import failed, result, unreadable


def class_of(points: np.ndarray, out_of: int = 3):
    """Results with these points, a row for each learner and a column for each exercise."""
    return [
        result(
            f"learner {n}",
            exercises=tuple(
                ExerciseResult(f"e{i}", "passed" if p == out_of else "wrong", int(p), out_of)
                for i, p in enumerate(row)
            ),
        )
        for n, row in enumerate(points)
    ]


@given(st.integers(0, 2**32), st.integers(MIN_LEARNERS, 40), st.integers(2, 9))
@settings(deadline=None, max_examples=50)
def test_both_are_those_of_numpy(seed, learners, exercises):
    points = np.random.default_rng(seed).choice([0, 3], (learners, exercises))
    for i, one in enumerate(compute_item_statistics(class_of(points))):
        assert one.share_solved == pytest.approx((points[:, i] == 3).mean())
        others = np.delete(points, i, axis=1).sum(1)
        if points[:, i].std() and others.std():
            expected = np.corrcoef(points[:, i], others)[0, 1]
            assert one.discrimination == pytest.approx(expected, abs=1e-12)
        else:
            assert one.discrimination is None
            assert "same points" in one.reason


def test_an_exercise_does_not_correlate_with_itself():
    points = np.random.default_rng(1).choice([0, 3], (200, 4))
    found = [one.discrimination for one in compute_item_statistics(class_of(points))]
    assert max(map(abs, found)) < 0.25, "independent exercises: with the item it would be 0.5"


@pytest.mark.parametrize(
    ("points", "others", "reason"),
    [
        ([3] * 12, list(range(12)), "all learners have the same points for it"),
        ([0] * 12, list(range(12)), "all learners have the same points for it"),
        ([0, 3] * 6, [4] * 12, "all learners have the same points for the other exercises"),
        ([0, 3, 3], [1, 2, 3], "fewer than 10 learners"),
        ([], [], "fewer than 10 learners"),
    ],
)
def test_where_there_is_no_correlation_it_says_why(points, others, reason):
    assert correlate(points, others) == (None, reason)


def test_only_graded_submissions_count_and_no_exercise_that_is_left_out():
    graded = class_of(np.array([[0, 3]] * 6 + [[3, 0]] * 6))
    left_out = ExerciseResult("e9", "passed", 0, 0)
    graded = [result(one.learner, exercises=(*one.exercises, left_out)) for one in graded]
    first, second = compute_item_statistics([*graded, unreadable("x"), failed("y")])
    assert (first.learners, first.solved, first.exercise) == (12, 6, "e0")
    assert second.discrimination == pytest.approx(-1)
    assert second.is_doubtful


def test_the_table_and_the_report_say_so():
    results = class_of(np.array([[0, 3, 3]] * 6 + [[3, 0, 3]] * 6))
    random.Random(1).shuffle(results)
    rows = list(csv.DictReader(io.StringIO(exercises_table(results))))
    assert [row["discrimination"] for row in rows] == ["-1.0", "-1.0", ""]
    assert rows[0]["share_solved"] == "0.500"
    assert rows[2]["no_discrimination_because"] == "all learners have the same points for it"
    places = {(one.learner, one.notebook): "x.html" for one in results}
    page = " ".join(render_class_report(results, places).split())
    assert "50% right</strong>: 6 of 12; 6 not right. Discrimination −1.00: read it again" in page
    assert "No discrimination: all learners have the same points for it" in page
    few = class_of(np.array([[0, 3]] * 3))
    assert "Discrimination 0" not in render_class_report(few, places)


@pytest.mark.parametrize(
    ("outcome", "points", "solved"),
    [("judged", 3, 1), ("judged", 2, 0), ("passed", 0, 1), ("wrong", 3, 0), ("open", 0, 0)],
)
def test_judged_work_is_solved_with_all_points_and_other_work_by_its_verdict(
    outcome, points, solved
):
    """Points by hand change no verdict: what is wrong stays unsolved, and what passed solved."""
    one = result("ada", exercises=(ExerciseResult("e", outcome, points, 3),))
    (item,) = compute_item_statistics([one])
    assert (item.solved, item.judged) == (solved, outcome == JUDGED)


def test_notebooks_come_in_their_order():
    names = [f"{number:02}_x" for number in (3, 11, 1, 20, 7, 2, 15)]
    class_ = [
        replace(result(name, exercises=(ExerciseResult("e", "passed", 1, 1),)), notebook=name)
        for name in names
    ]
    assert [one.notebook for one in compute_item_statistics(class_)] == sorted(names)
