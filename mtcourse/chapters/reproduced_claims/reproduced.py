"""A famous claim of a paper, and what became of it in our runs."""

from __future__ import annotations

from dataclasses import dataclass

from mtcourse.chapters.reproduced_claims.effects import Effect
from mtcourse.chapters.reproduced_claims.rules import More, Number, Rule, Verdict


@dataclass(frozen=True)
class Reproduced:
    """One claim, its numbers, and where both can be looked up.

    Args:
        name: of the entry, in lower case with hyphens: its address on the page.
        title: a few words.
        paper: the key of the paper in ``references.bib``.
        place: where in the paper.
        theirs: what the paper says, with its number if it prints one.
        ours: what we measured; the effect's value follows it.
        unit: of the effect; empty for a bare number.
        digits: decimals of the effect that are shown.
        effect: what our runs gave.
        rule: when the claim holds.
        script: that measured it.
        chapter: the page that shows it, without its ending.
        differs: what is different between their setting and ours.
    """

    name: str
    title: str
    paper: str
    place: str
    theirs: str
    ours: str
    unit: str
    digits: int
    effect: Effect
    rule: Rule
    script: str
    chapter: str
    differs: str

    @property
    def verdict(self) -> Verdict:
        """What the rule says of the effect."""
        return self.rule.verdict(self.effect)

    @property
    def relative(self) -> tuple[float, float, float] | None:
        """Our effect and the ends of its interval as multiples of the paper's; None without one."""
        theirs = self.rule.theirs if isinstance(self.rule, More | Number) else None
        if theirs is None:
            return None
        ends = sorted((self.effect.low / theirs, self.effect.high / theirs))
        return self.effect.median / theirs, ends[0], ends[1]
