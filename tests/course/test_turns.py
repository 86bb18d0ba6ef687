"""Tests that take turns: all have theirs, and the others always run."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_collection_modifyitems
from tests.helpers.turns import ELSEWHERE, whose_turn_it_is


@dataclass
class Collected:
    """What is asked of a collected test."""

    turns: int | None
    path: str = "test_x.py"
    trains: bool = False

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        marks = {
            "by_turns": self.turns and pytest.mark.by_turns(self.turns).mark,
            "trains": self.trains and pytest.mark.trains.mark,
        }
        return marks.get(name) or None


TESTS = [Collected(turns) for turns in (None, 3, 3, 2, None, 3, 2, 3, 3)]


@pytest.mark.parametrize("first", [0, 1, 77])
def test_in_n_turns_each_test_that_takes_turns_runs_once(first):
    ran = [
        sum(column)
        for column in zip(*(whose_turn_it_is(TESTS, first + i) for i in range(6)), strict=True)
    ]
    assert ran == [6 // (test.turns or 1) for test in TESTS]


def test_each_turn_has_one_of_each_group_and_not_always_the_same():
    for turn in range(4):
        runs = list(whose_turn_it_is([Collected(4)] * 16, turn))
        groups = [runs[first : first + 4] for first in range(0, 16, 4)]
        assert [sum(group) for group in groups] == [1, 1, 1, 1]
        assert {group.index(True) for group in groups} == {0, 1, 2, 3}


def test_what_trains_takes_turns_on_another_processor_alone(monkeypatch):
    trains = [Collected(None, trains=True)] * 6
    assert sum(whose_turn_it_is(trains, 5)) == 6
    monkeypatch.setenv(ELSEWHERE, "SSE4")
    assert [sum(whose_turn_it_is(trains, turn)) for turn in range(6)] == [1] * 6


def test_a_share_makes_all_wait_longer_and_none_for_ever():
    ran = [
        sum(column)
        for column in zip(
            *(whose_turn_it_is(TESTS, turn, share=4) for turn in range(24)), strict=True
        )
    ]
    assert ran == [6 // (test.turns or 1) for test in TESTS]


@pytest.mark.parametrize(("turn", "kept"), [(None, 9), ("0", 4), ("1", 5)])
def test_what_waits_for_its_turn_is_left_out_and_counted(monkeypatch, turn, kept):
    monkeypatch.setattr("tests.conftest.TURN", turn)
    monkeypatch.setattr("tests.conftest.SHARE", 1)
    items, left_out = list(TESTS), []

    def deselected(items: list) -> None:
        left_out.extend(items)

    config = SimpleNamespace(hook=SimpleNamespace(pytest_deselected=deselected))
    pytest_collection_modifyitems(config, items)
    assert len(items) == kept
    assert {id(one) for one in (*items, *left_out)} == {id(one) for one in TESTS}
