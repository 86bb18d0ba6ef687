"""``check``, as a notebook calls it: the verdict at once, and never a traceback of its own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mtcourse.checks.card import card_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.judge import Verdict, judge

VERDICT = "application/vnd.mtcourse.verdict+json"
"""The form in which a notebook keeps a verdict beside its text."""


class Checker:
    """Judges the answers of one notebook.

    Args:
        exercises: those of the notebook.
    """

    def __init__(self, exercises: Sequence[Exercise]) -> None:
        self._exercises = {exercise.id: exercise for exercise in exercises}

    def __call__(self, exercise: str, answer: Any) -> None:
        """Shows what holds for an answer, the first thing that does not, and one hint."""
        known = self._exercises.get(exercise)
        if known is None:
            print(f"There is no exercise {exercise!r} here; there is {', '.join(self._exercises)}.")
            return
        _show(judge(known, answer))

    def for_cohort(self, cohort: str) -> Checker:
        """The checks with a cohort's numbers, as its notebooks ask for them."""
        return Checker([exercise.for_cohort(cohort) for exercise in self._exercises.values()])

    def passes(self, exercise: str, answer: Any) -> bool:
        """Says, without a word, whether an answer is right."""
        return judge(self._exercises[exercise], answer).passed


def _show(verdict: Verdict) -> None:
    """Puts a verdict into the notebook, or on the terminal."""
    if "IPython" in sys.modules:
        from IPython import get_ipython
        from IPython.display import display

        if get_ipython() is not None:
            shown = {"text/plain": str(verdict), "text/html": card_of(verdict)}
            display({**shown, VERDICT: asdict(verdict)}, raw=True)
            return
    print(verdict)
