"""The entries of the page, as Markdown (page of reproduced claims)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtcourse.chapters.reproduced_claims.effects import EXACT, STARTS, Effect
from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import More, NoWorse, Number, Verdict

MARKS = {Verdict.HOLDS: "●", Verdict.WEAKER: "◐", Verdict.NOT_HERE: "○"}
RULES = {More: "*better*", NoWorse: "*as good*", Number: "*a number*"}
"""The name of each rule on the page."""
TIGHT = ("", "%", "×")
"""Units that follow their number without a space."""


def overview(claims: Mapping[str, Sequence[Reproduced]]) -> str:
    """For each verdict the list of its claims; each title leads to its entry."""
    every = [claim for of_part in claims.values() for claim in of_part]
    lists = []
    for verdict, mark in MARKS.items():
        found = [claim for claim in every if claim.verdict == verdict]
        links = [f"- [{one.title}](#{address(one)}), {{cite:t}}`{one.paper}`" for one in found]
        lists.append("\n".join([f"**{mark} {verdict}** ({len(found)})\n", *links]))
    return "\n\n".join(lists)


def entry(claim: Reproduced, source: str) -> str:
    """One claim as a definition: what it says, both numbers, the verdict, and where to look.

    Args:
        claim: one of the page's.
        source: where the repository shows its files.
    """
    lines = [
        f"**Paper:** {{cite:t}}`{claim.paper}`, {claim.place}. {claim.theirs}",
        f"**Ours:** {claim.ours}: {effect_in_words(claim.effect, claim.unit, claim.digits)}.",
        f"**Verdict:** {marked(claim)}, by the rule {RULES[type(claim.rule)]}{half(claim)}.",
        f"**What differs:** {claim.differs}",
        f"Shown in [](./{claim.chapter}.md), measured by [`{claim.script}`]"
        f"({source}/{claim.script}).",
    ]
    body = "\\\n".join(lines).replace("\n", "\n  ")
    return f"({address(claim)})=\n{claim.title}\n: {body}"


def address(claim: Reproduced) -> str:
    """The target of a claim's entry."""
    return f"reproduced-{claim.name}"


def marked(claim: Reproduced) -> str:
    """The verdict with its mark."""
    return f"{MARKS[claim.verdict]} {claim.verdict}"


def half(claim: Reproduced) -> str:
    """Whether our effect reaches half of the paper's, where the two can be compared."""
    if not isinstance(claim.rule, More) or claim.relative is None:
        return ""
    return f"; our effect is {claim.relative[0]:.1f} times the paper's"


def effect_in_words(effect: Effect, unit: str, digits: int) -> str:
    """The median with its interval, and where the interval comes from."""
    value, low, high = (_number(one, digits) for one in (effect.median, effect.low, effect.high))
    unit = unit if unit in TIGHT else f" {unit}"
    if effect.kind == EXACT:
        return f"{value}{unit}, exact"
    interval = f"{value}{unit} ({effect.level:.0%} interval {low} to {high}"
    if effect.kind == STARTS:
        return f"{interval}, {len(effect.values)} starts)"
    return f"{interval}, resampled sentences)"


def _number(value: float | int, digits: int) -> str:
    """With a real minus sign, and never "-0"."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")
