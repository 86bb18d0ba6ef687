"""Pictures of one attention step, from its numbers to whole sentences (chapter 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import box
from mtcourse.figures.style import INK, LINE_COLOURS, Point, book_style


def lookup(names: Sequence[str], weights: Sequence[float], query: str, ax: Axes) -> Axes:
    """Draws a lookup: a query, its keys, and how much each key's value contributes to the answer.

    Args:
        names: of the keys, from top to bottom.
        weights: one for each key; they sum to 1.
        query: its label.
        ax: where to draw, made within ``book_style()``.
    """
    blue, orange, green, _ = LINE_COLOURS
    with book_style():
        middle = (len(names) - 1) / 2
        box(ax, 0.0, middle - 0.32, 2.2, 0.64, query, orange)
        box(ax, 10.4, middle - 0.32, 2.2, 0.64, "answer", orange)
        for row, (name, weight) in enumerate(zip(names, weights, strict=True)):
            y = float(len(names) - 1 - row)
            box(ax, 3.4, y - 0.32, 2.2, 0.64, name, blue)
            box(ax, 5.6, y - 0.32, 2.2, 0.64, f"value {row + 1}", green)
            style = {"color": INK, "linewidth": 0.8, "linestyle": ":"}
            ax.plot([2.2, 3.4], [middle, y], **style)
            if weight > 0:
                style = {"color": orange, "linewidth": 10 * weight, "solid_capstyle": "butt"}
                ax.plot([9.0, 10.4], [y, middle], **style)
            ax.text(8.0, y, f"{weight:.2f}", va="center")
        ax.set(xlim=(-0.2, 12.8), ylim=(-0.6, len(names) - 0.2))
        ax.axis("off")
    return ax


def matrix_chain(
    chain: Sequence[tuple[str, Float[Tensor, "_ _"]] | str], ax: Axes, decimals: int = 2
) -> Axes:
    """Draws matrices with their numbers and shapes, and the signs between them, in one line.

    Args:
        chain: a (name, matrix) for each matrix, a string for each sign.
        ax: where to draw, made within ``book_style()``.
        decimals: of numbers that are not whole.
    """
    tall = max(len(part[1]) for part in chain if not isinstance(part, str))
    with book_style():
        left = 0.0
        for part in chain:
            if isinstance(part, str):
                width = 0.3 * len(part) + 0.4
                ax.text(
                    left + width / 2, tall / 2, part, ha="center", va="center", fontsize="large"
                )
                left += width
            else:
                left += _numbers(ax, left, tall, *part, decimals)
        ax.set(xlim=(-0.1, left + 0.1), ylim=(-0.7, tall + 0.8), aspect="equal")
        ax.axis("off")
    return ax


def points_and_laws(
    measured: Mapping[str, Sequence[Point]],
    laws: Mapping[str, Sequence[Point]],
    x_label: str,
    y_label: str,
    ax: Axes,
) -> Axes:
    """Draws measurements as marks, and the lines that theory predicts; both axes are logarithmic.

    Args:
        measured: for each name its points (x, y).
        laws: for each name the points of a line.
        x_label: what x is.
        y_label: what y is.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        for (name, points), style in zip(laws.items(), ("-", "--", "-.", ":"), strict=False):
            ax.plot(*zip(*points, strict=True), style, color=INK, label=name)
        # Marks at one place are seen below each other: the later ones are smaller.
        looks = zip(LINE_COLOURS, ("o", "s", "^", "x"), (9, 4.5, 9, 5), strict=True)
        for (name, points), (colour, mark, size) in zip(measured.items(), looks, strict=False):
            ax.plot(*zip(*points, strict=True), mark, color=colour, label=name, markersize=size)
        ax.set(xscale="log", yscale="log", xlabel=x_label, ylabel=y_label)
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_formatter("{x:.0f}")
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax


def links(
    source_words: Sequence[str],
    target_words: Sequence[str],
    weights: Float[Tensor, "m n"],
    ax: Axes,
    chosen: Iterable[int] | None = None,
) -> Axes:
    """Writes one sentence above the other, and links words by lines as thick as the weights.

    Args:
        source_words: the keys, along the top.
        target_words: the queries, along the bottom.
        weights: one row for each query.
        ax: where to draw, made within ``book_style()``.
        chosen: the queries to draw in colour; the others stay grey. None colours all.

    Raises:
        MtcourseError: the weights have another shape than the words.
    """
    m, n = len(target_words), len(source_words)
    if tuple(weights.shape) != (m, n):
        raise MtcourseError(
            f"weights of shape {tuple(weights.shape)} do not fit {m} queries and {n} keys"
        )
    coloured = list(range(m) if chosen is None else chosen)
    with book_style():
        top, bottom = _places(source_words), _places(target_words)
        for x, word in zip(top, source_words, strict=True):
            ax.text(x, 1.06, word, ha="center", va="bottom")
        for j, (x, word) in enumerate(zip(bottom, target_words, strict=True)):
            colour = LINE_COLOURS[coloured.index(j) % 4] if j in coloured else INK
            bold = "bold" if j in coloured else "normal"
            ax.text(x, -0.06, word, ha="center", va="top", color=colour, weight=bold)
            for i, weight in enumerate(weights[j].tolist()):
                if weight > 0.02:
                    alpha = 1 if j in coloured else 0.3
                    line = {"linewidth": 6 * weight, "color": colour, "alpha": alpha}
                    ax.plot([x, top[i]], [0, 1], solid_capstyle="round", **line)
        ax.set(xlim=(-0.04, 1.04), ylim=(-0.25, 1.25))
        ax.axis("off")
    return ax


def outline(cells: Iterable[tuple[int, int]], ax: Axes) -> Axes:
    """Frames cells of an attention map, such as the pairs of words of an alignment.

    Args:
        cells: (row, column) of each.
        ax: where the map is drawn.
    """
    for row, column in cells:
        place = (column - 0.46, row - 0.46)
        frame = Rectangle(place, 0.92, 0.92, fill=False, edgecolor=LINE_COLOURS[1], linewidth=2)
        ax.add_patch(frame)
    return ax


def _places(of_words: Sequence[str]) -> list[float]:
    """The middle of each word on a line from 0 to 1, where a word is as wide as it is long."""
    widths = np.array([len(word) + 2 for word in of_words], dtype=float)
    ends = np.cumsum(widths)
    return list((ends - widths / 2) / ends[-1])


def _numbers(ax: Axes, left: float, tall: int, name: str, matrix: Tensor, decimals: int) -> float:
    """One matrix with a box for each number, centred in the line; returns its width."""
    rows, columns = matrix.shape
    bottom = (tall - rows) / 2
    for row in range(rows):
        for column in range(columns):
            x, y = left + column, bottom + rows - 1 - row
            ax.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=INK, linewidth=0.6))
            number = float(matrix[row, column])
            text = f"{number:.0f}" if number == round(number) else f"{number:.{decimals}f}"
            ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize="small")
    middle = left + columns / 2
    ax.text(middle, bottom + rows + 0.12, name, ha="center", va="bottom")
    shape = f"{rows} × {columns}"
    ax.text(middle, bottom - 0.12, shape, ha="center", va="top", fontsize="small")
    return float(columns)
