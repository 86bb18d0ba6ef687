"""The parts of an exercise that hold for a wrong answer, for teachers who give partial credit.

A part is something that the question asks for and that can be right by itself:

- each name of a dictionary, and each thing of several that a function returns;
- for other functions, each rule of the exercise, the values on the inputs that can be checked by
  hand, those on all others, and the gradients where they are asked for.

A part holds only if it does on all inputs, and a function that stops, or changes its inputs, has
none. What an answer without any thought gets right is no part: choices earn only what is more than
the best constant choice gets right, rules that zeros, ones, equal weights or an input itself
fulfil earn nothing, and neither do values that are the same on all inputs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.exercise import Exercise, Rule
from mtcourse.checks.outcomes import Case, Outcome, distance
from mtcourse.checks.properties import Trial


def count_parts(
    exercise: Exercise, cases: Sequence[Case], expected: Sequence[Outcome], tried: Attempt
) -> tuple[int, int]:
    """Counts the parts that hold, and all parts; both are 0 where there are none.

    Args:
        exercise: what it was an answer to.
        cases: the inputs: the listed ones, then those with a seed's numbers.
        expected: what the right answer does on each.
        tried: what the answer did on each.
    """
    if tried.fault or len(tried.outcomes) != len(cases):
        return 0, 0
    trials = [Trial(*each) for each in zip(cases, expected, tried.outcomes, strict=True)]
    if any(trial.got.stop or trial.got.changed for trial in trials):
        return 0, 0
    try:
        if exercise.cases is None:
            return _count_names(trials[0], exercise.tolerance)
        parts = list(_list_parts(exercise, trials))
    except Exception:  # what an answer returned can be anything
        return 0, 0
    return (sum(parts), len(parts)) if len(parts) > 1 else (0, 0)


def _count_names(trial: Trial, tolerance: float) -> tuple[int, int]:
    """Counts the right names of a value, beyond those that a constant choice gets right."""
    value, expected = trial.got.value, trial.expected.value
    if not isinstance(expected, Mapping) or not isinstance(value, Mapping):
        return 0, 0
    right = sum(
        name in value and distance(value[name], one, tolerance) <= 1
        for name, one in expected.items()
    )
    choices = all(isinstance(one, bool | str) for one in expected.values())
    guessed = max(Counter(expected.values()).values()) if choices else 0
    parts = len(expected) - guessed
    return (max(0, right - guessed), parts) if len(expected) > 1 and parts else (0, 0)


def _list_parts(exercise: Exercise, trials: Sequence[Trial]) -> Iterator[bool]:
    """Yields for each part whether it holds."""
    names = _find_names(trials)
    if names:
        for name in names:
            pairs = [(t.got.value[name], t.expected.value[name]) for t in trials]
            if _differ([wanted for _, wanted in pairs], exercise.tolerance):
                yield all(distance(*pair, exercise.tolerance) <= 1 for pair in pairs)
        return
    for rule in exercise.rules:
        if not any(_fulfils(rule, trials, trivial) for trivial in _TRIVIAL):
            yield _fulfils(rule, trials, lambda trial: trial.got.value)
    for part in (True, False):
        own = [trial for trial in trials if trial.case.by_hand is part]
        if _depend_on_seed(own, exercise.tolerance):
            yield all(distance(t.got.value, t.expected.value, exercise.tolerance) <= 1 for t in own)
    if exercise.gradients:
        yield all(
            t.got.gradients is not None
            and distance(t.got.gradients, t.expected.gradients, exercise.tolerance) <= 1
            for t in trials
        )


def _find_names(trials: Sequence[Trial]) -> list[Any]:
    """Returns what the right function's results are made of: the same names on all inputs."""
    values = [trial.expected.value for trial in trials]
    first = values[0]
    if isinstance(first, Mapping) and all(set(value) == set(first) for value in values):
        return list(first) if len(first) > 1 else []
    if all(isinstance(value, tuple) and len(value) == len(first) for value in values):
        return list(range(len(first))) if len(first) > 1 else []
    return []


def _differ(values: Sequence[Any], tolerance: float) -> bool:
    """Whether there are different values, so that a constant is not right on all inputs."""
    return any(distance(one, values[0], tolerance) > 1 for one in values[1:])


def _depend_on_seed(trials: Sequence[Trial], tolerance: float) -> bool:
    """Whether the right values on a seed's own inputs are others than on the listed ones."""
    half = len(trials) // 2
    pairs = zip(trials[:half], trials[half:], strict=False)
    return any(distance(b.expected.value, a.expected.value, tolerance) > 1 for a, b in pairs)


def _fulfils(rule: Rule, trials: Sequence[Trial], answer: Callable[[Trial], Any]) -> bool:
    """Whether an answer fulfils a rule on all inputs."""
    try:
        return all(bool(rule.holds(trial.case, answer(trial))) for trial in trials)
    except Exception:  # a rule may stumble over whatever an answer returns: then it does not hold
        return False


def _fill(make: Callable[[Tensor], Tensor]) -> Callable[[Trial], Any]:
    """Returns an answer of the right shape that is made without looking at the question."""

    def fill(value: Any) -> Any:
        if isinstance(value, Tensor):
            return make(value)
        return tuple(map(fill, value)) if isinstance(value, tuple) else value * 0

    return lambda trial: fill(trial.expected.value)


def _equal_weights(value: Tensor) -> Tensor:
    return torch.full_like(value, 1 / value.shape[-1]) if value.dim() else torch.ones_like(value)


def _one_hot(value: Tensor) -> Tensor:
    return torch.eye(max(value.shape[-2:]), dtype=value.dtype)[: value.shape[-2], : value.shape[-1]]


def _first_argument(trial: Trial) -> Any:
    return trial.case.arguments[0]


_TRIVIAL: tuple[Callable[[Trial], Any], ...] = (
    _fill(torch.zeros_like),
    _fill(torch.ones_like),
    _fill(_equal_weights),
    _fill(_one_hot),
    _first_argument,
)


def partial_points(points: float, right: int, parts: int) -> float:
    """Returns the points for the parts that hold: their share, rounded down to half a point.

    >>> partial_points(3, 2, 3), partial_points(1, 1, 3), partial_points(2, 0, 0)
    (2.0, 0.0, 0.0)
    """
    return math.floor(2 * points * min(right, parts) / parts) / 2 if parts else 0.0
