"""Boxes and arrows, of which every chapter's diagrams are made."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle

from mtcourse.figures.style import INK, Point

_LONG = 6  # letters of a piece; angle brackets are wider


def box(
    ax: Axes,
    left: float,
    bottom: float,
    width: float,
    height: float,
    text: str = "",
    colour: str = INK,
    **style: Any,
) -> None:
    """Draws a box with a text in its middle; its outline and a pale ground have the colour.

    Args:
        ax: where to draw, made within ``book_style()``.
        left: its left edge.
        bottom: its lower edge.
        width: in units of the axes.
        height: likewise.
        text: may have several lines.
        colour: one that light and dark pages let show.
        style: of the text, as matplotlib names it.
    """
    ax.add_patch(
        Rectangle((left, bottom), width, height, facecolor=(colour, 0.12), edgecolor=colour)
    )
    look = {"ha": "center", "va": "center", "fontsize": "small", **style}
    ax.text(left + width / 2, bottom + height / 2, text, **look)


def piece_box(ax: Axes, position: int, piece: str, colour: str = INK) -> None:
    """Draws a piece of a sentence in a box one wide, with its position below.

    Args:
        ax: where to draw, made within ``book_style()``.
        position: of the piece, from 0; the box begins there.
        piece: a long one is written smaller, so that it stands free of its box.
        colour: one that light and dark pages let show.
    """
    size = "x-small" if len(piece) > _LONG or "<" in piece else "small"
    box(ax, position + 0.02, 0.0, 0.96, 0.6, piece, colour, fontsize=size)
    ax.text(position + 0.5, -0.3, str(position), ha="center", va="center", fontsize="small")


def arrow(ax: Axes, start: Point, end: Point, colour: str = INK) -> None:
    """Draws an arrow from one point to another.

    Args:
        ax: where to draw, made within ``book_style()``.
        start: where it begins.
        end: where its head is.
        colour: one that light and dark pages let show.
    """
    look = {"arrowstyle": "-|>", "mutation_scale": 10, "linewidth": 1.4}
    ax.add_patch(FancyArrowPatch(start, end, color=colour, shrinkA=0, shrinkB=0, **look))
