"""Pictures of cross-attention and of word alignments (chapter 6)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import Link
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, Point, book_style


def who_asks_whom(ax: Axes) -> Axes:
    """Draws encoder and decoder as two towers, and the arrows from one to the other.

    Args:
        ax: where to draw, made within ``book_style()``.
    """
    blue, orange, green, _ = LINE_COLOURS
    with book_style():
        box(ax, 0.0, 0.0, 4.0, 1.1, "English:\n$n$ tokens", INK)
        box(ax, 0.0, 1.8, 4.0, 1.4, "encoder\n(self-attention)", INK)
        box(ax, 0.0, 4.4, 4.0, 1.1, "$H_E$: $n$ rows", green)
        box(ax, 8.0, 0.0, 4.0, 1.1, "Dutch so far:\n$m$ tokens", INK)
        box(ax, 8.0, 1.8, 4.0, 1.4, "masked\nself-attention", INK)
        box(ax, 8.0, 4.4, 4.0, 1.1, "cross-attention", orange)
        box(ax, 8.0, 6.6, 4.0, 1.1, "$A_C$: $m$ rows", orange)
        for x, low, high in ((2, 1.1, 1.8), (2, 3.2, 4.4), (10, 1.1, 1.8), (10, 5.5, 6.6)):
            arrow(ax, (x, low), (x, high), INK)
        arrow(ax, (10, 3.2), (10, 4.4), blue)
        ax.text(10.25, 3.8, "$Q$: asks", color=blue, va="center")
        arrow(ax, (4, 5.1), (8, 5.1), green)
        ax.text(6, 5.25, "$K$: where", color=green, ha="center", va="bottom")
        arrow(ax, (4, 4.7), (8, 4.7), green)
        ax.text(6, 4.55, "$V$: what", color=green, ha="center", va="top")
        ax.set(xlim=(-0.2, 12.6), ylim=(-0.2, 7.9))
        ax.axis("off")
    return ax


def alignment_dots(
    source_words: Sequence[str],
    target_words: Sequence[str],
    known: Collection[Link],
    found: Collection[Link],
    ax: Axes,
) -> Axes:
    """A square for each known link, a disc for each found one: a disc in a square is a hit.

    Args:
        source_words: the columns.
        target_words: the rows.
        known: the links that are right.
        found: the links to compare with them.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: a link points at no word.
    """
    m, n = len(target_words), len(source_words)
    if outside := [link for link in {*known, *found} if link[0] >= n or link[1] >= m]:
        raise MtcourseError(f"the links {sorted(outside)} point at no word of {n} and {m}")
    with book_style():
        for i, j in known:
            edge = {"edgecolor": LINE_COLOURS[1], "linewidth": 2}
            ax.add_patch(Rectangle((i - 0.4, j - 0.4), 0.8, 0.8, fill=False, **edge))
        for i, j in found:
            hit = (i, j) in set(known)
            face = LINE_COLOURS[0] if hit else "none"
            ax.plot(i, j, "o", markersize=9, markerfacecolor=face, color=LINE_COLOURS[0])
        ax.set_xticks(range(n), source_words, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(m), target_words)
        ax.set(xlim=(-0.6, n - 0.4), ylim=(m - 0.4, -0.6))
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.grid(color=INK, alpha=0.2)
        ax.spines[:].set_visible(False)
    return ax


def precision_and_recall(
    precision: Sequence[Point],
    recall: Sequence[Point],
    error_rate: Sequence[Point],
    chosen: float,
    ax: Axes,
) -> Axes:
    """Draws three measures against the threshold above which a weight is a link.

    Args:
        precision: points (threshold, percent).
        recall: the same.
        error_rate: the same.
        chosen: the threshold to mark.
        ax: where to draw, made within ``book_style()``.
    """
    series = {"precision": precision, "recall": recall, "AER": error_rate}
    with book_style():
        for (name, points), colour, style in zip(
            series.items(), LINE_COLOURS, ("-", "--", "-."), strict=False
        ):
            ax.plot(*zip(*points, strict=True), style, color=colour, label=name)
        ax.axvline(chosen, color=INK, linestyle=":")
        ax.set(
            xlabel="threshold on the weight",
            ylabel="%",
            xlim=(0, max(precision)[0] or 1),
            ylim=(0, 102),
        )
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax
