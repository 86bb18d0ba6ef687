"""Our effects as multiples of the papers' (page of reproduced claims)."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from mtcourse.chapters.reproduced_claims.reproduced import Reproduced
from mtcourse.chapters.reproduced_claims.rules import SHARE, Verdict
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

LOOKS = {
    Verdict.HOLDS: ("o", LINE_COLOURS[2]),
    Verdict.WEAKER: ("D", LINE_COLOURS[1]),
    Verdict.NOT_HERE: ("X", LINE_COLOURS[3]),
}
"""Marker and colour of each verdict."""


def forest(claims: Sequence[Reproduced], ax: Axes) -> Axes:
    """Draws our effect of each claim as a multiple of the paper's, with its interval.

    Args:
        claims: those whose papers print an effect in our unit.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: a claim has no effect of a paper to compare with.
    """
    if missing := [claim.name for claim in claims if claim.relative is None]:
        raise MtcourseError(f"there is no effect of a paper to compare {missing[0]} with")
    with book_style():
        named: set[str] = set()
        for row, claim in enumerate(claims):
            assert claim.relative is not None
            middle, low, high = claim.relative
            marker, colour = LOOKS[claim.verdict]
            ax.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
            verdict = claim.verdict.value
            label = f"_{verdict}" if verdict in named else verdict  # each once
            named.add(verdict)
            ax.plot([middle], [row], marker, color=colour, markersize=7, label=label)
            ax.text(0.03, row - 0.28, claim.title, color=INK, va="bottom", fontsize="small")
        rows = range(len(claims))
        ends = [row - 0.25 for row in rows], [row + 0.25 for row in rows]  # titles stay free
        for x, style in ((0, "-"), (SHARE, ":"), (1, "--")):
            ax.vlines([x] * len(claims), *ends, color=INK, linewidth=1, linestyle=style)
        ax.set_yticks([])
        ax.set_ylim(len(claims) - 0.5, -0.9)
        ax.set_xlabel("our effect / the paper's")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=3)
    return ax
