"""The verdict on an answer: what holds, the first thing that does not, and which mistake it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtcourse.checks.attempt import Attempt, attempt
from mtcourse.checks.diagnosis import mistake_in
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case, Outcome, outcome_of
from mtcourse.checks.properties import Trial, properties_of
from mtcourse.checks.tables import Table, compared


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
        looked_at: how many properties there are to look at.
        prints: what the answer printed on one of the inputs.
        tables: what differs, as tables, where the inputs can be checked by hand.
    """

    exercise: str
    passed: bool
    answered: bool = True
    holds: tuple[str, ...] = ()
    wrong: str = ""
    misconception: str = ""
    message: str = ""
    hint: str = ""
    looked_at: int = 0
    prints: str = ""
    tables: tuple[Table, ...] = ()

    def __str__(self) -> str:
        """The verdict as a learner reads it."""
        lines = [self.exercise, *(f"  ✓ {line}" for line in self.holds)]
        lines += ["  ✗ " + self.wrong.replace("\n", "\n      ")] * bool(self.wrong)
        lines += [f"  → {self.message}"] * bool(self.message)
        lines += [f"  Hint: {self.hint}"] * bool(self.hint)
        lines += ["  All of it is right."] * self.passed
        lines += ["  " + self.prints.replace("\n", "\n      ")] * bool(self.prints)
        return "\n".join(lines)


def judge(exercise: Exercise, answer: Any, seed: int | None = None) -> Verdict:
    """Tries an answer on an exercise's cases, and names the mistake where it is a known one."""
    cases, is_value = exercise.inputs(seed), exercise.cases is None
    expected = expected_of(exercise, cases)  # first: an answer could change torch itself
    tried = attempt(exercise.id, answer, cases, is_value, exercise.gradients, exercise.forbids)
    return verdict_on(exercise, cases, expected, tried)


def expected_of(exercise: Exercise, cases: Sequence[Case]) -> list[Outcome]:
    """What the right answer does on each case."""
    return [outcome_of(exercise.oracle, case, exercise.gradients) for case in cases]


def verdict_on(
    exercise: Exercise, cases: Sequence[Case], expected: Sequence[Outcome], tried: Attempt
) -> Verdict:
    """The verdict on what an answer did, wherever it did it.

    Args:
        exercise: what it was an answer to.
        cases: the inputs.
        expected: what the right answer does on each.
        tried: what the answer did on each.
    """
    if tried.fault:
        return Verdict(exercise.id, False, answered=False, wrong=tried.fault, prints=tried.prints)
    trials = [Trial(*each) for each in zip(cases, expected, tried.outcomes, strict=True)]
    properties = list(properties_of(exercise, trials))
    holds: list[str] = []
    verdict = Verdict(exercise.id, True)
    for says, fails in properties:
        failed = next(((fault, trial) for trial in trials if (fault := fails(trial))), None)
        if failed:
            verdict = _rejected(exercise, trials, f"{says}\n{failed[0]}")
            verdict = replace(verdict, tables=_tables(exercise, failed[1]))
            break
        holds.append(says)
    return replace(verdict, holds=tuple(holds), looked_at=len(properties), prints=tried.prints)


def _tables(exercise: Exercise, trial: Trial) -> tuple[Table, ...]:
    """Where the values differ, if they can be checked by hand."""
    if not trial.case.by_hand or trial.got.stop:
        return ()
    try:
        return compared(trial.got.value, trial.expected.value, exercise.tolerance)
    except Exception:  # what an answer returned may have no numbers
        return ()


def _rejected(exercise: Exercise, trials: Sequence[Trial], wrong: str) -> Verdict:
    """The verdict on a wrong answer, with its mistake where there is a name for it."""
    mistake = mistake_in(exercise, trials)
    if mistake is None:
        return Verdict(exercise.id, False, wrong=wrong, hint=exercise.hint)
    return Verdict(
        exercise.id,
        False,
        wrong=wrong,
        misconception=mistake.name,
        message=mistake.message,
        hint=mistake.hint,
    )
