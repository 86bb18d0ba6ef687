"""An exercise as its check knows it: inputs, the right function, and mistakes with a name."""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.outcomes import Case
from mtcourse.errors import MtcourseError

PUBLIC_SEED = 1
"""The seed of the inputs that a learner's own check draws, if the exercises are as published."""


@dataclass(frozen=True)
class Rule:
    """Something that must hold for what an answer returns, beyond its being right.

    Args:
        says: what holds, said to a learner: "each row of weights sums to 1".
        holds: from a case and the value returned on it to whether it holds.
    """

    says: str
    holds: Callable[[Case, Any], bool]


@dataclass(frozen=True)
class Exercise:
    """What is known of an exercise.

    A misconception is the wrong implementation itself. Its name is its function's name; the first
    paragraph of its docstring is what a learner is told, the second a hint. An exercise without
    cases asks for a value: its functions take no arguments.

    Args:
        id: the name in notebooks, and of the function that is asked for.
        oracle: the right function.
        hint: said where no misconception fits.
        misconceptions: wrong answers, the more particular before the more general.
        right: right answers, written differently.
        cases: draws the inputs; None where the answer is a value.
        rules: what must hold before values are compared.
        gradients: whether gradients must flow through the answer.
        tolerance: a difference, relative to 1 + the right value, that is none.
        forbids: operations of torch that do what is asked for, by their names in
            ``guard.OPERATIONS``: an answer may not come to them in any way.
        public_seed: the seed of the inputs that a learner's own check draws.
        versions: how the exercise comes to other numbers for each cohort, if it does:
            ``cohort.vary`` makes it.
    """

    id: str
    oracle: Callable
    hint: str
    misconceptions: tuple[Callable, ...]
    right: tuple[Callable, ...]
    cases: Callable[[Draw], Sequence[Case]] | None = None
    rules: tuple[Rule, ...] = ()
    gradients: bool = False
    tolerance: float = 1e-5
    forbids: tuple[str, ...] = ()
    public_seed: int = PUBLIC_SEED
    versions: Versions | None = field(default=None, compare=False)

    def for_cohort(self, cohort: str) -> Exercise:
        """The exercise with a cohort's numbers and inputs; without a cohort, as it is published."""
        if not cohort:
            return self
        own = self.versions.for_cohort(cohort) if self.versions else self
        return replace(own, public_seed=seed_of(cohort))

    def listed(self) -> list[Case]:
        """The cases that are the same for everybody; every known mistake is seen on these."""
        return self._drawn(Draw(PUBLIC_SEED))

    def inputs(self, seed: int | None = None) -> list[Case]:
        """The listed cases, and once more with a seed's own numbers, which nobody can know.

        The second time they are in double precision, and laid out in memory the other way. Without
        a seed, they are those of a learner's own check.
        """
        if self.cases is None:
            return self.listed()
        seed = self.public_seed if seed is None else seed
        return self.listed() + self._drawn(Draw(seed + 1, torch.float64, strided=True))

    def _drawn(self, draw: Draw) -> list[Case]:
        return [Case("your value", ())] if self.cases is None else list(self.cases(draw))


class Versions(Protocol):
    """The versions of an exercise, as ``cohort.vary`` makes them."""

    def for_cohort(self, cohort: str) -> Exercise:
        """The exercise with a cohort's numbers."""
        ...

    def numbers_of(self, cohort: str) -> dict[str, Any]:
        """The numbers of a cohort by their names."""
        ...

    def rewrite(self, text: str, cohort: str) -> str:
        """A text of the exercise with a cohort's numbers in place of the published ones."""
        ...

    def unknown(self, text: str) -> list[str]:
        """The numbers above 2 in a text of which nothing says whether they vary."""
        ...


def draw_number(source: str, end: int) -> int:
    """A number from 0 up to an end, drawn from a text: on every machine the same."""
    return int.from_bytes(hashlib.sha256(source.encode()).digest()[:8], "big") % end


def seed_of(cohort: str) -> int:
    """The public seed of a cohort, which is never that of the published exercises.

    Raises:
        MtcourseError: the name of the cohort is no plain one.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", cohort):
        raise MtcourseError(
            f"{cohort!r} is no name of a cohort: take letters, digits, and . _ - between them, "
            "such as 2027"
        )
    return PUBLIC_SEED + 1 + draw_number(f"mtcourse cohort {cohort}", 2**31)


def functions_of(namespace: type) -> tuple[Callable, ...]:
    """The functions that stand in a class, in their order.

    Args:
        namespace: a class that is only a name for them, such as a bank's ``Wrong``.
    """
    return tuple(found for found in vars(namespace).values() if inspect.isfunction(found))


def message_of(misconception: Callable) -> tuple[str, str]:
    """What a learner with this misconception is told, and the hint."""
    message, _, hint = inspect.cleandoc(misconception.__doc__ or "").partition("\n\n")
    return " ".join(message.split()), " ".join(hint.split())
