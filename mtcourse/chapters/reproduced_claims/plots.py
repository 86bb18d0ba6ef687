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
        for row, claim in enumerate(claims):
            assert claim.relative is not None
            middle, low, high = claim.relative
            marker, colour = LOOKS[claim.verdict]
            ax.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
            ax.plot([middle], [row], marker, color=colour, markersize=7)
        for verdict, (marker, colour) in LOOKS.items():
            ax.plot([], [], marker, color=colour, label=verdict.value, linestyle="none")
        ax.axvline(0, color=INK, linewidth=1)
        ax.axvline(SHARE, color=INK, linewidth=1, linestyle=":")
        ax.axvline(1, color=INK, linewidth=1, linestyle="--")
        ax.set_yticks(range(len(claims)), [claim.title for claim in claims])
        ax.set_ylim(len(claims) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("our effect / the paper's")
        ax.legend(loc="upper center", bbox_to_anchor=(0.2, -0.16), ncol=3)
    return ax
