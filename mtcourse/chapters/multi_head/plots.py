"""Pictures of heads: how they share a row, where they look, what each one adds (chapter 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, TINTS, book_style

Ends = Sequence[float]
"""The lower and the upper end of an interval."""


def shared_row(ax: Axes, h: int = 4) -> Axes:
    """Draws how heads share the width: each reads the whole row (B06), Concat and W_O (A26, A27).

    Args:
        ax: where to draw, made within ``book_style()``.
        h: number of heads, at most as many as there are colours.

    Raises:
        MtcourseError: there are more heads than colours.
    """
    if not 1 <= h <= len(LINE_COLOURS):
        raise MtcourseError(f"{h} heads: the picture takes 1 to {len(LINE_COLOURS)}")
    wide, gap = 8 / h, 0.5
    with book_style():
        box(ax, 0.0, 0.0, 8.0, 0.9, "a row of $X$: $d$ numbers", INK)
        box(ax, 0.0, 5.0, 8.0, 0.9, "", INK)
        box(ax, 0.0, 6.7, 8.0, 0.9, r"a row of MHA$(X)$: $d$ numbers", INK)
        for j, colour in zip(range(h), LINE_COLOURS, strict=False):
            left = j * (wide + gap) - gap * (h - 1) / 2
            middle = j * wide + wide / 2
            box(ax, left, 2.4, wide, 1.6, f"head {j + 1}\n$d_k = d/{h}$", colour)
            arrow(ax, (4.0, 0.9), (left + wide / 2, 2.4), colour)
            box(ax, j * wide, 5.0, wide, 0.9, f"$A_{j + 1}$", colour)
            arrow(ax, (left + wide / 2, 4.0), (middle, 5.0), colour)
        arrow(ax, (4.0, 5.9), (4.0, 6.7), INK)
        ax.text(4.2, 6.3, "$W_O$", color=INK, va="center")
        ax.text(8.3, 5.45, "Concat", color=INK, va="center")
        ax.text(8.3, 1.6, "every head\nreads the\nwhole row", color=INK, va="center")
        ax.set(xlim=(-1.2, 10.6), ylim=(-0.2, 7.9))
        ax.axis("off")
    return ax


def pattern(
    W: Float[Tensor, "rows columns"],
    owner: Sequence[int],
    title: str,
    ax: Axes,
    by_rows: bool = False,
) -> Axes:
    """Marks the numbers of a matrix that are not zero, in the colours of the heads they belong to.

    Args:
        W: the matrix.
        owner: the head, from 0, of each column or row.
        title: what it is.
        ax: where to draw, made within ``book_style()``.
        by_rows: whether heads own rows, as in W_O, and not columns.
    """
    rows, columns = W.shape
    with book_style():
        for i, j in np.argwhere(W.detach().numpy() != 0):
            head = owner[i if by_rows else j]
            look = {"facecolor": LINE_COLOURS[head], "edgecolor": "none", "alpha": 0.75}
            ax.add_patch(Rectangle((j, i), 1, 1, **look, hatch=("", "//", "..", "xx")[head]))
        frame = {"fill": False, "edgecolor": INK, "linewidth": 1.2}
        ax.add_patch(Rectangle((0, 0), columns, rows, **frame))
        ax.set(xlim=(-0.2, columns + 0.2), ylim=(rows + 0.2, -0.2), aspect="equal")
        ax.set_title(title, fontsize="small", color=INK)
        ax.axis("off")
    return ax


def layouts(
    narrow: Sequence[Float[Tensor, "d d"]],
    wide: Sequence[Float[Tensor, "..."]],
    owner: Sequence[int],
    figure: Figure,
) -> None:
    """Draws W_Q, W_K, W_V and W_O, below them the W_Q of three full-width heads and their W_O.

    All at one scale, since the picture is there to compare them.

    Args:
        narrow: the matrices of heads that share the width.
        wide: as ``as_full_width`` makes them of those.
        owner: the head, from 0, of each column of W_Q and row of W_O.
        figure: where to draw, made within ``book_style()``.
    """
    heights = [len(matrix) + 0.4 for matrix in (narrow[3], wide[3])]
    above, below = figure.subplots(2, 4, height_ratios=heights)
    for ax, matrix, name in zip(above, narrow, "QKVO", strict=True):
        pattern(matrix, owner, f"$W_{name}$", ax, by_rows=name == "O")
    for j, ax in enumerate(below[:3]):
        pattern(wide[0][j], owner, f"$W_{{Q_{j + 1}}}$", ax)
        ax.set_ylim(heights[1] - 0.2, -0.2)
    pattern(wide[3], [*owner, *owner, *owner], "$W_O$", below[3], by_rows=True)


def head_table(
    values: Float[Tensor, "heads kinds"],
    heads: Sequence[str],
    kinds: Sequence[str],
    ax: Axes,
) -> Axes:
    """How much of its weight each head gives to tokens of each kind, in percent.

    Args:
        values: shares from 0 to 1; NaN where there is no such token.
        heads: the rows.
        kinds: the columns.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the values have another shape than the names.
    """
    if tuple(values.shape) != (len(heads), len(kinds)):
        raise MtcourseError(
            f"values of shape {tuple(values.shape)} do not fit {len(heads)} heads and "
            f"{len(kinds)} kinds"
        )
    shown = values.detach().float().numpy()
    with book_style():
        ax.imshow(shown, cmap=TINTS, vmin=0, vmax=1, aspect="auto")
        for (i, j), value in np.ndenumerate(shown):
            if not np.isnan(value):
                share = f"{100 * value:.0f}"
                ax.text(j, i, share, ha="center", va="center", color=INK, fontsize="small")
        ax.set_xticks(range(len(kinds)), kinds)
        ax.set_yticks(range(len(heads)), heads)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
    return ax


def changes(
    values: Mapping[str, float], intervals: Sequence[Ends], ax: Axes, x_label: str = ""
) -> Axes:
    """For each head a mark and its interval: a filled dot where the interval leaves out 0.

    Args:
        values: what is lost without each head.
        intervals: one for each value.
        ax: where to draw, made within ``book_style()``.
        x_label: what is measured.

    Raises:
        MtcourseError: there are not as many intervals as values.
    """
    if len(values) != len(intervals):
        raise MtcourseError(f"{len(values)} values have {len(intervals)} intervals")
    with book_style():
        for place, (value, (low, high)) in enumerate(zip(values.values(), intervals, strict=True)):
            beyond = low > 0 or high < 0
            colour = LINE_COLOURS[1 if beyond else 0]
            ax.plot([low, high], [place, place], color=colour, linewidth=1.8)
            face = colour if beyond else "none"
            ax.plot(value, place, "o" if beyond else "s", color=colour, markerfacecolor=face)
        ax.axvline(0, color=INK, linewidth=1)
        ax.set_yticks(range(len(values)), list(values))
        ax.invert_yaxis()
        ax.set_xlabel(x_label)
        ax.grid(axis="x", color=INK, alpha=0.25)
    return ax
