"""A known mistake handed in loses just its exercise's points, a right answer keeps them.

Of each exercise of a notebook one answer is handed in at a time: that one exercise does not cost
another is shown by the catalogue. The banks' own tests judge every answer each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping

import pytest

from mtcourse.checks.banks import bank_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.guard import NOTEBOOK
from mtcourse.checks.judge import judge
from tests.catalogue.answer_code import code_of
from tests.catalogue.case import Case
from tests.catalogue.grade_notebook import grade_notebook
from tests.catalogue.outside import Outside
from tests.catalogue.returned import SOLUTIONS

NOTEBOOKS = sorted(path.stem for path in SOLUTIONS.glob("*.ipynb"))


def rounds(
    notebook: str, answers: Callable[[Exercise], tuple[Callable, ...]]
) -> Iterator[Mapping[str, Callable]]:
    """For each notebook to hand in: which of its exercises get which answers."""
    bank = bank_of(notebook)
    for column in itertools.zip_longest(*(answers(exercise) for exercise in bank)):
        pairs = zip(bank, column, strict=True)
        yield {exercise.id: function for exercise, function in pairs if function}


def numbered(answers: Callable[[Exercise], tuple[Callable, ...]]) -> list:
    """One parameter for each notebook to hand in."""
    return [
        pytest.param(notebook, chosen, id=f"{notebook}-{number}")
        for notebook in NOTEBOOKS
        for number, chosen in enumerate(rounds(notebook, answers), start=1)
    ]


def handed_in(notebook: str, chosen: Mapping[str, Callable]) -> dict[str, str]:
    """The code of these answers."""
    of_id = {exercise.id: exercise for exercise in bank_of(notebook)}
    return {name: code_of(of_id[name], function) for name, function in chosen.items()}


def stopped(notebook: str, answers: Mapping[str, str]) -> set[str]:
    """The exercises whose answer comes to an operation that it is to do without."""
    return {
        exercise.id
        for exercise in bank_of(notebook)
        if exercise.forbids and exercise.id in answers
        if _mistake_in(exercise, answers[exercise.id]) == "not_allowed"
    }


def _mistake_in(exercise: Exercise, code: str) -> str:
    """What a learner's own check says to it."""
    names = {"__name__": NOTEBOOK}
    exec(code, names)
    return judge(exercise, names[exercise.id]).misconception


MISTAKES = numbered(lambda exercise: exercise.misconceptions)
RIGHT = numbered(lambda exercise: exercise.right)


def test_every_notebook_has_mistakes_to_hand_in():
    assert {"04_attention", "05_masks"} <= set(NOTEBOOKS)
    assert {param.values[0] for param in MISTAKES} == set(NOTEBOOKS)


@pytest.mark.by_turns(24)
@pytest.mark.parametrize(("notebook", "chosen"), MISTAKES)
def test_a_mistake_loses_its_points_and_is_named(notebook, chosen, walls: str, outside: Outside):
    answers = handed_in(notebook, chosen)
    case = Case("mistakes", answers, outcomes=dict.fromkeys(chosen, "wrong"), notebook=notebook)
    result = grade_notebook(case.content(outside), notebook, walls)
    assert case.faults_of(result) == []
    named = {one.exercise: one.misconception for one in result.exercises if one.misconception}
    of_name = {name: function.__name__ for name, function in chosen.items()}
    assert named == of_name | dict.fromkeys(stopped(notebook, answers), "not_allowed")


@pytest.mark.by_turns(12)
@pytest.mark.parametrize(("notebook", "chosen"), RIGHT)
def test_a_right_answer_keeps_its_points(notebook, chosen, walls: str, outside: Outside):
    answers = handed_in(notebook, chosen)
    assert stopped(notebook, answers) == set()
    case = Case("right", answers, outcomes={}, notebook=notebook)
    assert case.faults_of(grade_notebook(case.content(outside), notebook, walls)) == []
