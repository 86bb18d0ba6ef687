"""Panels that stand beside each other on a wide page, and below each other on a phone.

A figure of several columns is drawn once, with one layout, and cut between its columns: each part
is a picture of its own, with all its rows, and a legend of the whole figure is one, too. A page
sets the parts beside each other where they fit.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

_EDGE = 0.03  # inches around each part


@dataclass(frozen=True)
class Part:
    """A piece of a figure that can stand alone.

    Args:
        artists: what is seen in it: the axes of one column, or the figure's own legends or texts.
        box: where it stands in the figure, in inches from the lower left corner.
    """

    artists: tuple[Artist, ...]
    box: Bbox


@contextmanager
def parts_of(figure: Figure) -> Iterator[list[Part]]:
    """The parts of a figure, from the top and from the left; none if it has to stay whole.

    It stays whole if it has one column, if a panel has no numbers of its own because they stand
    beside another, or if anything reaches from one column into the next. Within it, the layout
    does not change.

    Args:
        figure: any.
    """
    dpi, layout = figure.dpi, figure.get_layout_engine()
    figure.dpi = 72  # as in the file
    pen = RendererSVG(*figure.bbox.size, io.StringIO())
    figure.draw(pen)
    figure.set_layout_engine("none")
    try:
        yield _parts(figure, pen)
    finally:
        figure.dpi = dpi
        figure.set_layout_engine(layout)


@contextmanager
def only(part: Part, figure: Figure) -> Iterator[None]:
    """Within it, a figure shows one part.

    Args:
        part: one of ``parts_of(figure)``.
        figure: the one that it is a part of.
    """
    others = [one for one in _artists(figure) if one not in part.artists and one.get_visible()]
    for other in others:
        other.set_visible(False)
    try:
        yield
    finally:
        for other in others:
            other.set_visible(True)


def _artists(figure: Figure) -> list[Artist]:
    return [*figure.axes, *figure.legends, *figure.texts]


def _parts(figure: Figure, pen: RendererSVG) -> list[Part]:
    columns = _columns(figure, pen)
    if len(columns) < 2 or figure.patches or figure.lines or figure.artists or figure.images:
        return []
    boxes = [_box(axes, pen) for axes in columns]
    low, high = min(box.y0 for box in boxes), max(box.y1 for box in boxes)
    gaps = [right.x0 - left.x1 for left, right in itertools.pairwise(boxes)]
    if min(gaps) < 0:
        return []
    edge = min(_EDGE, *(gap / 2 for gap in gaps))
    boxes = [Bbox.from_extents(box.x0, low, box.x1, high).padded(edge, _EDGE) for box in boxes]
    parts = [Part(tuple(axes), box) for axes, box in zip(columns, boxes, strict=True)]
    around = [one for one in (*figure.legends, *figure.texts) if one.get_visible()]
    own = [Part((one,), _box([one], pen).padded(_EDGE)) for one in around]
    if any(not (one.box.y0 >= high - _EDGE or one.box.y1 <= low + _EDGE) for one in own):
        return []
    return sorted([*parts, *own], key=lambda part: (-part.box.y1, part.box.x0))


def _columns(figure: Figure, pen: RendererSVG) -> list[list[Axes]]:
    """The axes of each column, from the left, with colour bars; none if a panel needs another."""
    placed: dict[int, list[Axes]] = {}
    for ax in figure.axes:
        place = ax.get_subplotspec()
        if place is not None:
            if len(place.colspan) > 1 or not _has_its_numbers(ax):
                return []
            placed.setdefault(place.colspan.start, []).append(ax)
    columns = [placed[number] for number in sorted(placed)]
    boxes = [_box(axes, pen) for axes in columns]
    beside = []
    for ax in figure.axes:
        if ax.get_subplotspec() is None:
            middle = (own := _box([ax], pen)).x0 + own.width / 2
            holds = [column for column, box in zip(columns, boxes, strict=True)
                     if box.x0 < middle < box.x1]  # fmt: skip
            if not holds:
                holds = [column for column in columns if any(_is_key(ax, of) for of in column)]
                beside += holds
            if not holds:
                return []
            holds[0].append(ax)
    one_for_all = beside and any(column not in beside for column in columns)
    return [] if one_for_all else columns


def _is_key(bar: Axes, ax: Axes) -> bool:
    """Whether a colour bar belongs to something that is drawn in a panel."""
    keys = [drawn.colorbar for drawn in (*ax.images, *ax.collections)]
    return any(key is not None and key.ax is bar for key in keys)


def _has_its_numbers(ax: Axes) -> bool:
    """Whether the panel can be read without the one beside it."""
    beside = ax.get_shared_y_axes().get_siblings(ax)
    return len(beside) == 1 or bool(ax.yaxis.get_tick_params()["labelleft"])


def _box(artists: list[Axes] | list[Artist], pen: RendererSVG) -> Bbox:
    """What artists need, in inches."""
    boxes = [box for one in artists if (box := one.get_tightbbox(pen)) is not None]
    return Bbox(Bbox.union(boxes).get_points() / 72)
