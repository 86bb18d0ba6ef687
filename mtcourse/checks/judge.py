"""The verdict on an answer: what holds, the first thing that does not, and which mistake it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtcourse.checks.attempt import Attempt, attempt
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise, message_of
from mtcourse.checks.outcomes import Case, apart, outcome_of
from mtcourse.checks.properties import Trial, properties_of


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    Args:
        exercise: its id.
        passed: whether everything holds.
        answered: whether there is an answer at all.
        holds: what holds, in the order in which it was looked at.
        wrong: the first thing that does not hold; in further lines where, and how it shows.
        misconception: the name of the known mistake that does just what the answer does.
        message: what that mistake is.
        hint: how to go on.
    """

    exercise: str
    passed: bool
    answered: bool = True
    holds: tuple[str, ...] = ()
    wrong: str = ""
    misconception: str = ""
    message: str = ""
    hint: str = ""

    def __str__(self) -> str:
        """The verdict as a learner reads it."""
        lines = [self.exercise, *(f"  ✓ {line}" for line in self.holds)]
        lines += ["  ✗ " + self.wrong.replace("\n", "\n      ")] * bool(self.wrong)
        lines += [f"  → {self.message}"] * bool(self.message)
        lines += [f"  Hint: {self.hint}"] * bool(self.hint)
        lines += ["  All of it is right."] * self.passed
        return "\n".join(lines)


def judge(exercise: Exercise, answer: Any, seed: int = PUBLIC_SEED) -> Verdict:
    """Tries an answer on an exercise's cases, and names the mistake where it is a known one."""
    cases, is_value = exercise.inputs(seed), exercise.cases is None
    tried = attempt(exercise.id, answer, cases, is_value, exercise.gradients, exercise.forbids)
    return verdict_on(exercise, cases, tried)


def verdict_on(exercise: Exercise, cases: Sequence[Case], tried: Attempt) -> Verdict:
    """The verdict on what an answer did, wherever it did it."""
    if tried.fault:
        return Verdict(exercise.id, False, answered=False, wrong=tried.fault)
    trials = [
        Trial(case, outcome_of(exercise.oracle, case, exercise.gradients), got)
        for case, got in zip(cases, tried.outcomes, strict=True)
    ]
    holds: list[str] = []
    for says, fails in properties_of(exercise, trials):
        fault = next((fault for trial in trials if (fault := fails(trial))), "")
        if fault:
            return _rejected(exercise, trials, holds, f"{says}\n{fault}")
        holds.append(says)
    return Verdict(exercise.id, True, holds=tuple(holds))


def _known_mistake(exercise: Exercise, trials: Sequence[Trial]) -> Callable | None:
    """The misconception that gives on every case what the answer gives.

    Wrong values come about in many ways, with other gradients: so if none fits with its gradients,
    one whose values fit will do. Right values have nothing but their gradients to tell them by.
    """
    known = exercise.misconceptions
    fits = (wrong for wrong in known if _does_the_same(exercise, wrong, trials))
    values_fit = (
        wrong for wrong in known if _does_the_same(exercise, wrong, trials, gradients=False)
    )
    by_values = exercise.gradients and not _does_the_same(
        exercise, exercise.oracle, trials, gradients=False
    )
    return next(fits, None) or (next(values_fit, None) if by_values else None)


def _does_the_same(
    exercise: Exercise, function: Callable, trials: Sequence[Trial], gradients: bool = True
) -> bool:
    """Whether a function gives on every case what the answer gives."""
    gradients = gradients and exercise.gradients
    for trial in trials:
        got = trial.got if gradients else replace(trial.got, gradients=())
        if apart(outcome_of(function, trial.case, gradients), got, exercise.tolerance) > 1:
            return False
    return True


def _rejected(
    exercise: Exercise, trials: Sequence[Trial], holds: Sequence[str], wrong: str
) -> Verdict:
    """The verdict on a wrong answer: a known mistake if one does exactly the same."""
    mistake = _known_mistake(exercise, trials)
    if mistake is None:
        return Verdict(exercise.id, False, holds=tuple(holds), wrong=wrong, hint=exercise.hint)
    message, hint = message_of(mistake)
    return Verdict(
        exercise.id,
        False,
        holds=tuple(holds),
        wrong=wrong,
        misconception=mistake.__name__,
        message=message,
        hint=hint,
    )
