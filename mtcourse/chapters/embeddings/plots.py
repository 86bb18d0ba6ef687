"""Figures of embedding tables: rows in use, maps, probes, neighbours (chapter 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

_MARKS = ("o", "s", "^", "D")
_NEAR = 0.12  # of the line: nearer words stand at two heights


def word_map(
    coordinates: Float[Tensor, "n 2"],
    groups: Mapping[str, Sequence[int]],
    ax: Axes,
) -> Axes:
    """Draws rows as points, with a colour and a mark for each group.

    Args:
        coordinates: horizontal and vertical, for each row.
        groups: for each name the rows in that group; a single group is drawn in grey.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: more groups than can be told apart.
    """
    if len(groups) > len(_MARKS):
        raise MtcourseError(f"{len(groups)} groups: a map takes {len(_MARKS)}, to tell them apart")
    colours = (INK,) if len(groups) == 1 else LINE_COLOURS
    with book_style():
        for (name, rows), colour, mark in zip(groups.items(), colours, _MARKS, strict=False):
            points = coordinates[list(rows)]
            ax.plot(*points.T.tolist(), mark, markersize=3, color=colour, alpha=0.8, label=name)
        ax.set(xlabel="first component", ylabel="second component")
        ax.grid(color=INK, alpha=0.25)
        if len(groups) > 1:
            ax.legend(markerscale=2)
    return ax


def framed(centre: tuple[float, float], width: float, height: float, ax: Axes) -> Axes:
    """Draws an ellipse around a part of a map.

    Args:
        centre: of the ellipse.
        width: of the ellipse, in units of the map.
        height: of the ellipse, in units of the map.
        ax: where the map is drawn.
    """
    ring = Ellipse(centre, width, height, fill=False, edgecolor=LINE_COLOURS[1], linewidth=2)
    ax.add_patch(ring)
    return ax


def two_groups(
    positions: Float[Tensor, " n"],
    is_one: Bool[Tensor, " n"],
    names: tuple[str, str],
    ax: Axes,
    written: Mapping[int, str] | None = None,
) -> Axes:
    """Draws numbers of two groups as two rows of points, with words beside some of them.

    Args:
        positions: along the line.
        is_one: True for the group that is drawn above.
        names: of the lower and the upper group.
        ax: where to draw, made within ``book_style()``.
        written: words to write beside some of the points.
    """
    heights = torch.rand(len(positions), generator=torch.Generator().manual_seed(1)) * 0.5 - 0.25
    for place in written or {}:  # outside the crowd, so that its word's stroke crosses no point
        heights[place] = 0.36 if is_one[place] else -0.36
    with book_style():
        for level, (name, mark) in enumerate(zip(names, _MARKS, strict=False)):
            chosen = is_one if level else ~is_one
            x, y = positions[chosen].tolist(), (heights[chosen] + level).tolist()
            ax.plot(x, y, mark, markersize=4, color=LINE_COLOURS[level], alpha=0.8, label=name)
        near = _NEAR * float(positions.max() - positions.min())
        for level, outwards in enumerate((-1, 1)):
            before, farther = float("-inf"), False
            named = [
                (float(positions[k]), w) for k, w in (written or {}).items() if is_one[k] == level
            ]
            for x, word in sorted(named):
                farther, before = x - before < near and not farther, x
                start, end = 0.36, 0.72 if farther else 0.48
                y = [level + outwards * start, level + outwards * end]
                ax.plot([x, x], y, color=INK, linewidth=0.7)
                at = level + outwards * (end + 0.03)
                ax.text(x, at, word, ha="center", va="bottom" if level else "top")
        ax.axvline(0, color=INK, linestyle="--", linewidth=1)
        ax.set_yticks([0, 1], names)
        ax.tick_params(axis="y", length=0)
        ax.set(ylim=(-0.8, 1.95))
        ax.spines["left"].set_visible(False)
    return ax


def used_rows(sizes: Mapping[str, Float[Tensor, " V"]], ax: Axes) -> Axes:
    """Draws for each table which rows a gradient reaches: a stroke where it is not 0.

    Args:
        sizes: for each table the norm of each row's gradient.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        for level, (of, colour) in enumerate(zip(sizes.values(), LINE_COLOURS, strict=False)):
            reached = of.nonzero().flatten().tolist()
            ax.vlines(reached, level - 0.36, level + 0.36, color=colour, linewidth=0.8)
        labels = [f"{name}\n{int((of > 0).sum())} of {len(of)}" for name, of in sizes.items()]
        ax.set_yticks(range(len(labels)), labels)
        ax.tick_params(axis="y", length=0)
        ax.invert_yaxis()
        ax.set(xlabel="row of the table (id)", xlim=(-20, max(map(len, sizes.values())) + 20))
        ax.spines["left"].set_visible(False)
    return ax


def neighbour_bars(neighbours: Sequence[tuple[str, float]], title: str, ax: Axes) -> Axes:
    """Draws the nearest neighbours of a word, with a bar for each cosine.

    Args:
        neighbours: words and cosines, best first.
        title: the word whose neighbours they are.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        found, cosines = zip(*neighbours, strict=True)
        ax.barh(range(len(found)), cosines, height=0.6, color=LINE_COLOURS[0])
        for place, cosine in enumerate(cosines):
            ax.text(cosine + 0.01, place, f"{cosine:.2f}", va="center", fontsize="small")
        ax.set_yticks(range(len(found)), found)
        ax.tick_params(length=0, labelbottom=False)
        ax.set(xlim=(0, 0.75), title=title)
        ax.title.set_fontsize("medium")
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)
    return ax
