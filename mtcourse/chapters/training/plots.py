"""A picture of the Transformer's blocks: what is added to what, and where it is normalised."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

_BLUE, _ORANGE, _GREEN, _ = LINE_COLOURS
_STEP, _WIDTH, _APART = 1.75, 2.9, 0.7  # height of a sublayer, width of a box, box to line
_ENCODER = ("self-attention", "feed-forward")
_DECODER = ("masked self-attention", "cross-attention", "feed-forward")


def residual_blocks(ax: Axes) -> Axes:
    """Draws an encoder block and a decoder block with pre-norm residual connections.

    The long vertical lines carry the rows. What a sublayer computes of the normalised rows is
    added to them at a circle.

    Args:
        ax: where to draw, made within ``book_style()``.

    Chapter 12.
    """
    with book_style():
        top = _column(ax, 0.0, 1, "source", _ENCODER, "$H_E$", _BLUE)
        _column(ax, 8.4, -1, "target, shifted right", _DECODER, "$H_D$", _ORANGE)
        turn, queries, box = 4.2, _STEP + 0.9, 8.4 - _APART - _WIDTH
        ax.plot([_APART + _WIDTH, turn, turn], [top, top, queries], color=_GREEN)
        arrow(ax, (turn, queries), (box, queries), _GREEN)
        ax.text(turn, top + 0.12, "keys,\nvalues", color=_GREEN, ha="center", fontsize="small")
        ax.set(xlim=(-0.7, 9.1), ylim=(-1.15, 3 * _STEP + 0.9))
        ax.set_aspect("equal")
        ax.axis("off")
    return ax


def _column(
    ax: Axes, x: float, side: int, reads: str, sublayers: tuple[str, ...], name: str, colour: str
) -> float:
    """One block from bottom to top, its boxes on a side of the line; the height of its output."""
    end = len(sublayers) * _STEP
    left = x + _APART if side > 0 else x - _APART - _WIDTH
    near, middle = (x + side * _APART), left + _WIDTH / 2
    ax.text(x - side * 0.1, -0.95, f"embedded {reads}", ha="left" if side > 0 else "right",
            va="center", fontsize="small")  # fmt: skip
    ax.plot([x, x], [-0.65, end + 0.25], color=INK)
    for number, does in enumerate(sublayers):
        y = number * _STEP
        arrow(ax, (x, y), (near, y), colour)
        box(ax, left, y - 0.22, _WIDTH, 0.44, "LayerNorm", colour)
        arrow(ax, (middle, y + 0.22), (middle, y + 0.6), colour)
        box(ax, left, y + 0.6, _WIDTH, 0.6, does, colour)
        arrow(ax, (near, y + 0.9), (x + side * 0.17, y + 0.9), colour)
        _sum(ax, x, y + 0.9)
    colour = _GREEN if name == "$H_E$" else colour
    arrow(ax, (x, end + 0.25), (near, end + 0.25), colour)
    box(ax, left, end, _WIDTH, 0.5, f"LayerNorm: {name}", colour)
    return end + 0.25


def _sum(ax: Axes, x: float, y: float) -> None:
    """A circle with a plus, where the sublayer's output is added."""
    ax.add_patch(Circle((x, y), 0.17, facecolor="none", edgecolor=INK))
    ax.plot([x - 0.09, x + 0.09], [y, y], color=INK)
