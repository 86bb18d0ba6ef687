"""Tests that take turns: where there is a turn, of each n of them one runs, and otherwise all."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

TURN = os.environ.get("MTCOURSE_TURN")
"""A whole number, which ``make`` takes from the commit; without it, all tests run."""
SHARE = int(os.environ.get("MTCOURSE_SHARE", "1"))
"""Of the tests that would run in a turn, one in so many does; the others wait for theirs."""

ELSEWHERE = "MTCOURSE_ELSEWHERE"
"""An environment variable that ``make anywhere`` sets."""
TRAINS_ELSEWHERE = 6
"""By how many turns tests that train are run there; most have just been run here."""


def whose_turn_it_is(items: Sequence[pytest.Item], turn: int, share: int = 1) -> Iterator[bool]:
    """For each test, whether it runs: those with ``by_turns(n)`` do once in n turns in a row.

    A test has its place among all that take turns by the same number. Of n in a row one runs in
    each turn, of the next n another: of six looks at each page, every page has one, and not all
    the same. Where more than one mark applies, the nearest counts.

    Args:
        items: all tests, in the order in which every process collects them.
        turn: which turn it is.
        share: how many times as long every test waits for its turn, also one without a mark.
    """
    places = Counter[int]()
    for item in items:
        mark, trains = item.get_closest_marker("by_turns"), item.get_closest_marker("trains")
        count = (
            mark.args[0] if mark else TRAINS_ELSEWHERE if trains and ELSEWHERE in os.environ else 1
        ) * share
        if count == 1:
            yield True
            continue
        place = places[count]
        yield (place + place // count + turn) % count == 0
        places[count] += 1
