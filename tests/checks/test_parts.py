"""Partial credit goes to parts that hold on all inputs, and to nothing that holds by itself."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.banks import bank_folders, bank_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.judge import expected_of
from mtcourse.checks.outcomes import outcome_of
from mtcourse.checks.parts import count_parts, partial_points

SEED = 77
EXERCISES = {e.id: e for word in bank_folders() for e in bank_of(f"00_{word}")}
VALUES = {
    name: outcome_of(e.oracle, e.listed()[0]).value
    for name, e in EXERCISES.items()
    if e.cases is None
}


def parts(exercise: Exercise, answer) -> tuple[int, int]:
    """The parts that hold for a function, or for a value."""
    cases = exercise.inputs(SEED)
    function = answer if callable(answer) else lambda: answer
    outcomes = tuple(outcome_of(function, case, exercise.gradients) for case in cases)
    return count_parts(exercise, cases, expected_of(exercise, cases), Attempt("", outcomes))


@pytest.mark.parametrize("name", sorted(EXERCISES)[::5])
def test_every_right_answer_has_all_parts(name):
    exercise = EXERCISES[name]
    found = {parts(exercise, answer) for answer in exercise.right[:2]}
    assert len(found) == 1
    assert all(right == every for right, every in found)


@pytest.mark.parametrize("name", [n for n, v in VALUES.items() if isinstance(v, dict)][::4])
def test_names_of_a_value_are_counted_one_by_one(name):
    expected = VALUES[name]
    choices = all(isinstance(one, bool | str) for one in expected.values())
    guessed = max(Counter(expected.values()).values()) if choices else 0
    for wrong in range(len(expected) + 1):
        answer = {k: object() if i < wrong else v for i, (k, v) in enumerate(expected.items())}
        if len(expected) > guessed:
            right = max(0, len(expected) - wrong - guessed)
            assert parts(EXERCISES[name], answer) == (right, len(expected) - guessed)


def test_a_constant_choice_earns_nothing():
    for name, expected in VALUES.items():
        if isinstance(expected, dict) and all(isinstance(v, bool | str) for v in expected.values()):
            for one in set(expected.values()):
                assert parts(EXERCISES[name], dict.fromkeys(expected, one))[0] == 0, name


@pytest.mark.parametrize(
    "make", [torch.zeros_like, torch.ones_like, lambda x: torch.full_like(x, 1 / x.shape[-1])]
)
@pytest.mark.parametrize(
    "name", ["row_softmax", "masked_weights", "logit_gradient", "token_losses"]
)
def test_numbers_without_thought_earn_nothing(name, make):
    exercise = EXERCISES[name]
    assert parts(exercise, lambda *given: make(exercise.oracle(*given)).detach())[0] == 0


def test_a_right_value_without_its_gradient_has_its_other_parts():
    exercise = EXERCISES["masked_weights"]
    assert exercise.gradients
    right, every = parts(exercise, lambda *given: exercise.oracle(*given).detach())
    assert 0 < right == every - 1


def test_what_stops_or_changes_its_inputs_has_no_part():
    exercise = EXERCISES["masked_weights"]

    def stops_once(scores, mask):
        if scores.dtype == torch.float64:
            raise ValueError
        return exercise.oracle(scores, mask)

    def changes(scores, mask):
        weights = exercise.oracle(scores, mask)
        scores += 1
        return weights

    assert parts(exercise, stops_once) == (0, 0)
    assert parts(exercise, changes) == (0, 0)


def test_inputs_that_everybody_knows_are_no_part():
    exercise = EXERCISES["causal_mask"]

    def knows_three(m):
        return exercise.oracle(m) if m == 3 else torch.ones(m, m, dtype=torch.bool)

    assert parts(exercise, knows_three)[0] == 0


def test_odd_things_have_no_part():
    for exercise in (EXERCISES["masked_weights"], *map(EXERCISES.get, list(VALUES)[:5])):
        for odd in (None, {}, {"a": 1}, "text", float("nan"), object()):
            assert parts(exercise, (lambda *_, odd=odd: odd))[0] == 0
    exercise = replace(EXERCISES["masked_weights"])
    assert count_parts(exercise, [], [], Attempt("not answered yet", ())) == (0, 0)


@pytest.mark.parametrize("points", [1, 2, 3, 10])
def test_points_never_reach_the_whole_and_never_more_than_the_share(points):
    for every in range(1, 12):
        for right in range(every):
            part = partial_points(points, right, every)
            assert part <= points * right / every < points
            assert part == math.floor(part * 2) / 2
            assert points * right / every - part < 0.5
