"""Pictures of chapter 10: where the norm stands, and what a stack of layers keeps."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

_BLUE, _ORANGE, *_ = LINE_COLOURS
_HEIGHT, _WIDTH, _APART = 2.1, 2.5, 0.8  # of a sublayer, of a box, from a box to the line
_SUBLAYERS = ("attention", "network")


def placements(ax: Axes) -> Axes:
    """Draws an encoder block twice: with its norms after the sums (B11, B13) and before F.

    The vertical lines are the residual connections. In post-norm each of them passes through the
    norms; in pre-norm through sums alone, and a last norm follows after all blocks.

    Args:
        ax: where to draw, made within ``book_style()``.

    Chapter 10.
    """
    with book_style():
        _column(ax, 0.0, "post-norm", _post, _BLUE)
        _column(ax, 6.4, "pre-norm", _pre, _ORANGE)
        ax.set(xlim=(-1.6, 10.2), ylim=(-1.0, 2 * _HEIGHT + 1.6))
        ax.set_aspect("equal")
        ax.axis("off")
    return ax


def _column(ax: Axes, x: float, name: str, sublayer, colour: str) -> None:
    """One block from bottom to top."""
    top = 2 * _HEIGHT
    ax.text(x, -0.75, f"{name}: $X$", ha="center", va="center", fontsize="small")
    start = -0.5
    for number, does in enumerate(_SUBLAYERS):
        start = sublayer(ax, x, number * _HEIGHT, start, does, colour)
    if sublayer is _pre:
        _line(ax, x, start, top + 0.35)
        ax.text(x + 0.2, top + 0.1, "more blocks", va="center", fontsize="small")
        box(ax, x - 1.6, top + 0.35, 3.2, 0.5, "last LayerNorm", colour)
        arrow(ax, (x, top + 0.85), (x, top + 1.4), INK)
    else:
        arrow(ax, (x, start), (x, top + 0.85), INK)
        ax.text(x + 0.2, top + 0.5, "more blocks", va="center", fontsize="small")


def _post(ax: Axes, x: float, y: float, start: float, does: str, colour: str) -> float:
    """A sublayer with its norm on the line; the height at which the line goes on."""
    box(ax, x + _APART, y + 0.35, _WIDTH, 0.55, does, colour)
    _branch(ax, x, y, (y + 0.35, y + 0.9), y + 1.2, colour)
    _line(ax, x, start, y + 1.2 - 0.17)
    _sum(ax, x, y + 1.2)
    _line(ax, x, y + 1.37, y + 1.5)
    box(ax, x - 1.25, y + 1.5, 2.5, 0.5, "LayerNorm", colour)
    return y + 2.0


def _pre(ax: Axes, x: float, y: float, start: float, does: str, colour: str) -> float:
    """A sublayer with its norm beside the line; the height at which the line goes on."""
    box(ax, x + _APART, y + 0.3, _WIDTH, 0.45, "LayerNorm", colour)
    arrow(ax, (x + _APART + _WIDTH / 2, y + 0.75), (x + _APART + _WIDTH / 2, y + 0.95), colour)
    box(ax, x + _APART, y + 0.95, _WIDTH, 0.5, does, colour)
    _branch(ax, x, y, (y + 0.3, y + 1.45), y + 1.7, colour)
    _line(ax, x, start, y + 1.7 - 0.17)
    _sum(ax, x, y + 1.7)
    return y + 1.87


def _branch(
    ax: Axes, x: float, y: float, ends: tuple[float, float], sum_at: float, colour: str
) -> None:
    """The way from the line into the boxes, and from them back to the sum."""
    middle = x + _APART + _WIDTH / 2
    ax.plot([x, middle], [y, y], color=colour)
    arrow(ax, (middle, y), (middle, ends[0]), colour)
    ax.plot([middle, middle], [ends[1], sum_at], color=colour)
    arrow(ax, (middle, sum_at), (x + 0.17, sum_at), colour)


def _line(ax: Axes, x: float, low: float, high: float) -> None:
    ax.plot([x, x], [low, high], color=INK, linewidth=2.2)


def _sum(ax: Axes, x: float, y: float) -> None:
    """A circle with a plus, where the sublayer's output is added."""
    ax.add_patch(Circle((x, y), 0.17, facecolor="none", edgecolor=INK))
    ax.plot([x - 0.09, x + 0.09], [y, y], color=INK)
    ax.plot([x, x], [y - 0.09, y + 0.09], color=INK)
