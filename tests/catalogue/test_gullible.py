"""Forgeries are forgeries: each earns a point where the verdict is made in the learner's kernel."""

from __future__ import annotations

import multiprocessing

import pytest

from tests.catalogue import gullible
from tests.catalogue.case import Case, filled
from tests.catalogue.families import comparing, looking, running, telling
from tests.catalogue.families.forgery import LAST, RIGHT, WRONG
from tests.catalogue.outside import Outside

FORGERIES = (*comparing.CASES, *looking.CASES, *telling.SAYING, *running.CODE)
ELSEWHERE = {
    "a dictionary that has every value": "another exercise",
    "a number that is all numbers": "another exercise",
    "not a number": "another exercise",
    "a solution anywhere above, below or beside": "it reads the whole disk",
    "paths of other processes": "it reads the whole disk",
    "paths in the environment": "this grader tells nothing by environment",
    "messages over the kernel's own socket": "this grader has no kernel",
}
"""Those that this grader cannot be tried with."""
CONTEXT = multiprocessing.get_context("fork")
LONGEST = 60.0
"""Seconds that one of them may take, on a machine however busy."""


def passed(*cells: str) -> list[str]:
    """The checks that these cells pass in a process of their own."""
    ours, theirs = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=lambda: theirs.send(gullible.fooled([*cells])))
    process.start()
    theirs.close()
    try:
        assert ours.poll(LONGEST), "it does not end"
        return ours.recv()
    finally:
        process.kill()
        process.join()


def test_the_gullible_grader_knows_right_from_wrong():
    assert len(passed(RIGHT)) == len(gullible.ASSERTED) + 2
    assert passed(WRONG) == []


@pytest.mark.by_turns(2)
@pytest.mark.parametrize(
    "case", [case for case in FORGERIES if case.name not in ELSEWHERE], ids=lambda case: case.name
)
def test_a_forgery_deceives_it(case: Case, outside: Outside):
    assert passed(*(filled(code, outside) for code in (case.added, case.answers[LAST])))
