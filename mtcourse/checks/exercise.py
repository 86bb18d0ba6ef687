"""An exercise as its check knows it: inputs, the right function, and mistakes with a name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.outcomes import Case

PUBLIC_SEED = 1
"""The seed of the inputs that a learner's own check draws."""


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

    def listed(self) -> list[Case]:
        """The cases that are the same for everybody; every known mistake is seen on these."""
        return self._drawn(Draw(PUBLIC_SEED))

    def inputs(self, seed: int = PUBLIC_SEED) -> list[Case]:
        """The listed cases, and once more with a seed's own numbers, which nobody can know.

        The second time they are in double precision, and laid out in memory the other way.
        """
        if self.cases is None:
            return self.listed()
        return self.listed() + self._drawn(Draw(seed + 1, torch.float64, strided=True))

    def _drawn(self, draw: Draw) -> list[Case]:
        return [Case("your value", ())] if self.cases is None else list(self.cases(draw))


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
