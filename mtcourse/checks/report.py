"""How well checks tell right from wrong, counted over every answer in their banks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import Verdict, expected_of, verdict_on
from mtcourse.checks.outcomes import outcome_of

SEEDS = (PUBLIC_SEED, 20, 300)


@dataclass(frozen=True)
class Row:
    """The record of one exercise's check.

    Args:
        exercise: its id.
        misconceptions: wrong answers that were tried.
        right: right answers that were tried.
        false_accepts: wrong answers that passed, or got another's message, on any seed.
        false_rejects: right answers that did not pass, on any seed.
    """

    exercise: str
    misconceptions: int
    right: int
    false_accepts: int
    false_rejects: int


def report(exercises: Sequence[Exercise], seeds: Sequence[int] = SEEDS) -> list[Row]:
    """Tries all known answers of some exercises on several seeds."""
    return [_row(exercise, seeds) for exercise in exercises]


def verdicts_on(
    exercise: Exercise, functions: Sequence[Callable], seed: int = PUBLIC_SEED
) -> list[Verdict]:
    """The verdicts on known functions, all on the same inputs of a seed.

    They are trusted, and so tried without a guard and without a deadline.
    """
    cases = exercise.inputs(seed)
    expected = expected_of(exercise, cases)
    return [
        verdict_on(
            exercise,
            cases,
            expected,
            Attempt("", tuple(outcome_of(function, case, exercise.gradients) for case in cases)),
        )
        for function in functions
    ]


def _row(exercise: Exercise, seeds: Sequence[int]) -> Row:
    accepted, rejected = set(), set()
    for seed in seeds:
        for wrong, verdict in zip(
            exercise.misconceptions,
            verdicts_on(exercise, exercise.misconceptions, seed),
            strict=True,
        ):
            if verdict.misconception != wrong.__name__:
                accepted.add(wrong)
        for right, verdict in zip(
            exercise.right, verdicts_on(exercise, exercise.right, seed), strict=True
        ):
            if not verdict.passed:
                rejected.add(right)
    return Row(
        exercise.id,
        len(exercise.misconceptions),
        len(exercise.right),
        len(accepted),
        len(rejected),
    )
