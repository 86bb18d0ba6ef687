"""Pictures of chapter 14: what generation repeats, what depends on what, how costs grow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, Point, book_style

_NEW, _AGAIN, *_ = LINE_COLOURS
_GAP = 0.06  # between cells, so that each can be counted


def repeated_rows(pieces: Sequence[str], ax: Axes) -> Axes:
    """Draws a row of cells for each step: the new position, and those that are computed again.

    Args:
        pieces: the tokens that the decoder reads, in order: the columns, and one step for each.
        ax: where to draw, made within ``book_style()``.

    Chapter 14.
    """
    with book_style():
        for step in range(len(pieces)):
            for position in range(step):
                _cell(ax, step, position, "none", _AGAIN, "///")
            _cell(ax, step, step, _NEW, _NEW)
        _frame(ax, len(pieces))
        middles = np.arange(len(pieces)) + 0.5
        ax.set_xticks(middles, pieces, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(middles, [str(t) for t in range(1, len(pieces) + 1)])
        ax.set_ylabel("step")
    return ax


def dependence_map(depends: Bool[Tensor, "m m"], title: str, ax: Axes) -> Axes:
    """Draws a full cell (i, j) where output i depends on row j, and an empty one where it does not.

    Args:
        depends: as ``dependence`` finds it.
        title: the name of the rows, Q, K or V.
        ax: where to draw, made within ``book_style()``.

    Chapter 14.
    """
    with book_style():
        for i, row in enumerate(depends.tolist()):
            for j, found in enumerate(row):
                _cell(ax, i, j, _NEW if found else "none", _NEW if found else INK)
        _frame(ax, len(depends))
        middles = np.arange(len(depends)) + 0.5
        ax.set_xticks(middles, [str(j) for j in range(1, len(depends) + 1)])
        ax.set_yticks(middles, [str(i) for i in range(1, len(depends) + 1)])
        ax.set_title(title, fontsize="medium")
    return ax


def fitted_costs(
    points: Mapping[str, Sequence[Point]],
    degrees: Mapping[str, int],
    x_label: str,
    y_label: str,
    ax: Axes,
) -> dict[str, list[float]]:
    """Draws measured points, and the polynomial that fits them best by least squares.

    The squares are of relative errors, so that short lengths count as much as long ones.

    Args:
        points: for each name its points (x, y).
        degrees: for each name the degree of its polynomial.
        x_label: what x is.
        y_label: what y is, with its unit.
        ax: where to draw, made within ``book_style()``.

    Returns:
        For each name the coefficients, that of the highest power first.

    Raises:
        MtcourseError: there are too few points for the degree, or too many names.

    Chapter 14.
    """
    if len(points) > len(LINE_STYLES):
        raise MtcourseError(f"{len(points)} kinds of points: at most {len(LINE_STYLES)} fit in")
    found = {}
    with book_style():
        looks = zip(LINE_COLOURS, LINE_STYLES, "os^D", strict=True)
        for (name, measured), (colour, style, marker) in zip(points.items(), looks, strict=False):
            degree = degrees[name]
            if len(measured) <= degree:
                raise MtcourseError(
                    f"{len(measured)} points of {name!r} do not fix a polynomial of degree "
                    f"{degree}: give more than {degree}"
                )
            x, y = (np.array(column, dtype=float) for column in zip(*measured, strict=True))
            coefficients = np.polyfit(x, y, degree, w=1 / y)
            dense = np.linspace(x.min(), x.max(), 200)
            ax.plot(x, y, marker, color=colour, markersize=5)
            ax.plot(dense, np.polyval(coefficients, dense), style, color=colour, label=name)
            found[name] = [float(coefficient) for coefficient in coefficients]
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        ax.grid(color=INK, alpha=0.25)
        if len(points) > 1:
            ax.legend()
    return found


def beam_lines(parents: Sequence[Sequence[int]], ax: Axes) -> Axes:
    """Draws which beam each beam continues: a line from its parent, crossing where beams swap.

    Beams that lead to one of the last have the colour of the thick lines, all others another.

    Args:
        parents: for each reorder the parent of each beam, counted from 0.
        ax: where to draw, made within ``book_style()``.

    Chapter 14.
    """
    alive = _on_the_way(parents)
    with book_style():
        for step, row in enumerate(parents):
            for beam, parent in enumerate(row):
                kept = (step + 1, beam) in alive
                ax.plot(
                    [step, step + 1], [parent, beam], color=_NEW if kept else _AGAIN,
                    linestyle="-" if kept else ":", linewidth=2.2 if kept else 1.2,
                )  # fmt: skip
        dots = {(0, parent) for parent in parents[0]}
        dots |= {(step, beam) for step, row in enumerate(parents, 1) for beam in range(len(row))}
        for these, colour in ((dots - alive, _AGAIN), (dots & alive, _NEW)):
            if these:
                ax.scatter(*zip(*sorted(these), strict=True), s=18, color=colour, zorder=3)
        beams = max(map(len, parents))
        ax.set_yticks(range(beams), [f"beam {beam}" for beam in range(1, beams + 1)])
        ax.invert_yaxis()
        ax.set_xlabel("step")
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
    return ax


def _on_the_way(parents: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    """The beams (step, beam) that at least one of the last beams continues."""
    alive = {(len(parents), beam) for beam in range(len(parents[-1]))}
    for step in range(len(parents), 0, -1):
        alive |= {(step - 1, parents[step - 1][b]) for s, b in set(alive) if s == step}
    return alive


def _cell(ax: Axes, row: int, column: int, face: str, edge: str, hatch: str = "") -> None:
    corner, side = (column + _GAP, row + _GAP), 1 - 2 * _GAP
    ax.add_patch(
        Rectangle(corner, side, side, facecolor=face, edgecolor=edge, hatch=hatch, linewidth=0.8)
    )


def _frame(ax: Axes, size: int) -> None:
    ax.set(xlim=(-0.1, size + 0.1), ylim=(size + 0.1, -0.1), aspect="equal")
    ax.tick_params(length=0, labeltop=True, labelbottom=False, pad=1)
    ax.spines[:].set_visible(False)
