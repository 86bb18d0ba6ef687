"""Every bank of checks: each mistake is rejected by name, each right answer accepted, on any seed.

The inputs tell them apart visibly: ten tolerances at least.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mtcourse.checks.banks import bank_folders, bank_of
from mtcourse.checks.card import card_of
from mtcourse.checks.exercise import Exercise, message_of
from mtcourse.checks.guard import is_bank
from mtcourse.checks.judge import expected_of, judge
from mtcourse.checks.outcomes import apart, outcome_of
from mtcourse.checks.report import SEEDS, verdicts_on
from tests.helpers.odd_answers import ODD

ROOT = Path(__file__).resolve().parents[2]
WORDS = list(bank_folders())
BANKS = {word: bank_of(f"00_{word}") for word in WORDS}
ALL = [
    pytest.param(exercise, id=f"{notion}-{exercise.id}")
    for notion, bank in BANKS.items()
    for exercise in bank
]
RIGHT = [
    pytest.param(param.values[0], right, id=f"{param.id}-{right.__name__}")
    for param in ALL
    for right in (*param.values[0].right, param.values[0].oracle)
]
VISIBLE = 10
WORST = ("meta", "sparse", "complex", "hostile")
EVERY = 8


def answer(exercise: Exercise, function):
    """What a learner would hand in: a function, or the value that it returns."""
    return function() if exercise.cases is None else function


def test_there_are_banks():
    assert {"attention", "masks"} <= set(BANKS)


@pytest.mark.by_turns(len(SEEDS))
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exercise", ALL)
def test_every_misconception_is_rejected_with_its_own_message(exercise, seed):
    known = exercise.misconceptions
    verdicts = verdicts_on(exercise, known, seed)
    named = {
        wrong.__name__: verdict.misconception
        for wrong, verdict in zip(known, verdicts, strict=True)
    }
    assert named == {wrong.__name__: wrong.__name__ for wrong in known}
    assert not any(verdict.passed for verdict in verdicts)
    told = [(verdict.message, verdict.hint) for verdict in verdicts]
    assert told == [message_of(wrong) for wrong in known]


@pytest.mark.parametrize("exercise", ALL)
def test_the_listed_inputs_alone_tell_every_misconception_from_the_right_answer(exercise):
    cases = exercise.listed()
    right = expected_of(exercise, cases)
    unseen = [
        wrong.__name__
        for wrong in exercise.misconceptions
        if not any(
            apart(outcome_of(wrong, case, exercise.gradients), one, exercise.tolerance) >= VISIBLE
            for case, one in zip(cases, right, strict=True)
        )
    ]
    assert unseen == []


@pytest.mark.by_turns(2)
@pytest.mark.parametrize("exercise", ALL)
@pytest.mark.filterwarnings("ignore")  # of torch, about tensors that are still a prototype
def test_no_check_ends_in_a_traceback_whatever_is_returned(exercise):
    """The worst four for every exercise, and of the others some for each."""
    number = [param.values[0] for param in ALL].index(exercise)
    for place, (name, make) in enumerate(ODD.items()):
        if name in WORST or place % EVERY == number % EVERY:
            odd = make() if exercise.cases is None else lambda *arguments, make=make: make()
            verdict = judge(exercise, odd)
            assert not verdict.passed or exercise.cases is None
            assert len(str(verdict)) < 10_000
            assert card_of(verdict)


@pytest.mark.parametrize(("exercise", "right"), RIGHT)
def test_a_right_answer_is_accepted_however_it_is_written(exercise, right, monkeypatch):
    if not is_bank(right.__module__):  # the package's own function, which a learner may not call
        monkeypatch.setattr("mtcourse.checks.attempt.watched", lambda function, forbids: function)
    for seed in SEEDS:
        verdict = judge(exercise, answer(exercise, right), seed)
        assert verdict.passed, f"seed {seed}: {verdict}"


@pytest.mark.parametrize("exercise", ALL)
def test_a_bank_is_large_enough(exercise):
    names = [function.__name__ for function in (*exercise.misconceptions, *exercise.right)]
    assert len(set(names)) == len(names)
    assert [name for name in names if not name.isidentifier()] == []
    assert len(exercise.misconceptions) >= 5
    assert len(exercise.right) >= 3
    assert exercise.hint


@pytest.mark.parametrize("exercise", ALL)
def test_each_misconception_has_a_message_and_a_hint_of_its_own(exercise):
    told = [message_of(wrong) for wrong in exercise.misconceptions]
    assert [text for pair in told for text in pair if not text.endswith((".", "?"))] == []
    messages = [message for message, _ in told]
    assert sorted(set(messages)) == sorted(messages)


@pytest.mark.parametrize("word", WORDS)
def test_the_ids_of_a_bank_are_its_files(word):
    files = {path.stem for path in bank_folders()[word].glob("[a-z]*.py")}
    assert {exercise.id for exercise in BANKS[word]} == files


@pytest.mark.parametrize("exercise", ALL)
def test_the_cases_have_names_that_tell_them_apart(exercise):
    cases = exercise.inputs()
    names = [case.name for case in cases[: len(cases) // 2]]
    assert len(set(names)) == len(names)
