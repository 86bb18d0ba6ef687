"""Searches by their names: each is found, and what cannot be is refused with what can."""

from __future__ import annotations

import doctest

import pytest

from mtcourse import cli
from mtcourse.decoding import strategies
from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.decoding.strategies import FORMS, STRATEGIES, strategy
from mtcourse.errors import MtcourseError


def test_every_strategy_has_a_name_and_its_form_stands_in_the_help():
    (option,) = cli.SearchName.__metadata__
    assert option.help == f"{FORMS}."
    assert all(callable(strategy(name)) for name in STRATEGIES)


def test_a_name_leads_to_its_search():
    assert strategy("greedy") is greedy_search
    assert strategy("beam").func is beam_search
    assert strategy("beam").keywords == {"beams": 4, "n_best": 1}
    assert strategy("beam:6", 3).keywords == {"beams": 6, "n_best": 3}


@pytest.mark.parametrize(
    ("name", "n_best", "says"),
    [
        ("depth", 1, "there is no search 'depth': take greedy; beam"),
        ("greedy:3", 1, "greedy search keeps one hypothesis"),
        ("greedy", 2, "greedy search keeps one hypothesis"),
        ("beam:many", 1, "'many' is no number of beams"),
        ("beam:0", 1, "'0' is no number of beams"),
        ("beam:2", 3, "3 hypotheses are more than the 2"),
    ],
)
def test_what_cannot_be_is_refused(name, n_best, says):
    with pytest.raises(MtcourseError, match=says):
        strategy(name, n_best)


def test_the_examples_are_right():
    assert doctest.testmod(strategies).failed == 0
