"""How well checks tell right from wrong, counted over every answer in their banks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import judge

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


def _row(exercise: Exercise, seeds: Sequence[int]) -> Row:
    def answer(function):
        return function() if exercise.cases is None else function

    accepted = [
        wrong
        for wrong in exercise.misconceptions
        if any(
            judge(exercise, answer(wrong), seed).misconception != wrong.__name__ for seed in seeds
        )
    ]
    rejected = [
        right
        for right in exercise.right
        if not all(judge(exercise, answer(right), seed).passed for seed in seeds)
    ]
    return Row(
        exercise.id,
        len(exercise.misconceptions),
        len(exercise.right),
        len(accepted),
        len(rejected),
    )
