"""When a paper's claim holds in our runs: one rule for each form of claim."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mtcourse.chapters.reproduced_claims.effects import Effect

MARGIN = 1.0
"""How much worse still counts as "as good": one point of 100, or one per cent."""
SHARE = 0.5
"""The share of the paper's effect that ours must reach."""
NEAR = 0.1
"""By which part of the paper's number ours may differ from it."""


class Verdict(StrEnum):
    """What our runs say of a claim."""

    HOLDS = "holds"
    WEAKER = "weaker"
    NOT_HERE = "not at this scale"


@dataclass(frozen=True)
class More:
    """The claim: one way is better than another. The effect is the difference.

    Args:
        theirs: the paper's difference, if it is measured in the same unit as ours.
    """

    theirs: float | int | None = None

    def verdict(self, effect: Effect) -> Verdict:
        """Holds in every start, and with at least half of the paper's effect."""
        if effect.low <= 0:
            return Verdict.NOT_HERE
        small = self.theirs is not None and effect.median < SHARE * self.theirs
        return Verdict.WEAKER if small or effect.reversals else Verdict.HOLDS


@dataclass(frozen=True)
class NoWorse:
    """The claim: one way is as good as another. The effect is by how much it is better."""

    def verdict(self, effect: Effect) -> Verdict:
        """Holds where the whole interval lies above minus the margin."""
        if effect.low > -MARGIN:
            return Verdict.HOLDS
        return Verdict.WEAKER if effect.median > -MARGIN else Verdict.NOT_HERE


@dataclass(frozen=True)
class Number:
    """The claim is a number. The effect is ours.

    Args:
        theirs: the paper's number; not 0.
    """

    theirs: float | int

    def verdict(self, effect: Effect) -> Verdict:
        """Holds within a tenth, or where the interval contains it; weaker within a factor of 2."""
        ratio = effect.median / self.theirs
        if abs(ratio - 1) <= NEAR or effect.low <= self.theirs <= effect.high:
            return Verdict.HOLDS
        return Verdict.WEAKER if SHARE <= ratio <= 1 / SHARE else Verdict.NOT_HERE


Rule = More | NoWorse | Number
