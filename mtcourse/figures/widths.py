"""How wide a figure is: on a phone its text should be readable without scrolling."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.path import Path
from matplotlib.text import Text

from mtcourse.figures.line_names import crowded

READABLE = 9.0  # pixels; no text of a figure is shown smaller, it scrolls in its box instead
PHONE = 345  # pixels: as much as a phone has beside a figure's margins
SCROLLS = 400  # pixels: what is wider scrolls on a phone anyway
_WIDE, _SMALLER = 4.6, 0.82  # inches, and what a wider plot is multiplied with


@contextmanager
def narrowed(figure: Figure) -> Iterator[None]:
    """Makes a wide figure a little narrower, so that its text is larger on a phone.

    A diagram, whose axes are not drawn, becomes as narrow as a phone if its words still have the
    room that they had.
    """
    width, height = figure.get_size_inches()
    if all(ax.axison for ax in figure.axes) and width > _WIDE:
        smaller = max(_WIDE, _SMALLER * width)
        figure.set_size_inches(smaller, 0.95 * height)
        figure.draw_without_rendering()
        if any(map(crowded, figure.axes)):
            figure.set_size_inches(width, height)
        elif PHONE < (needed := _needs(figure, smaller)) < SCROLLS:
            figure.set_size_inches(smaller * PHONE / needed, 0.95 * height)
            figure.draw_without_rendering()
            if any(map(crowded, figure.axes)) or _titles_touch(figure):
                figure.set_size_inches(smaller, 0.95 * height)
    elif not any(ax.axison for ax in figure.axes):
        figure.draw_without_rendering()
        needed, touched = _needs(figure, width), _touching(figure)
        if needed > PHONE:
            smaller, square = PHONE / needed, any(ax.get_aspect() != "auto" for ax in figure.axes)
            figure.set_size_inches(smaller * width, height * (smaller if square else 1))
            figure.draw_without_rendering()
            if not _touching(figure) <= touched:
                figure.set_size_inches(width, height)
    try:
        yield
    finally:
        figure.set_size_inches(width, height)


def _needs(figure: Figure, width: float) -> float:
    """The pixels at which the smallest text of a figure of so many inches can still be read."""
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and is_seen(text)]
    sizes = [float(text.get_fontsize()) for text in texts]
    return 72 * width * READABLE / min(sizes, default=10.0)


def is_seen(text: Text) -> bool:
    return bool(text.get_visible() and text.get_text().strip())


def _titles_touch(figure: Figure) -> bool:
    """Whether titles of axes run into each other, or out of the figure."""
    titles = [ax.title for ax in figure.axes if is_seen(ax.title)]
    boxes = [title.get_window_extent() for title in titles]
    out = any(box.x0 < 0 or box.x1 > figure.bbox.width for box in boxes)
    return out or any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def _touching(figure: Figure) -> set[tuple[int, int]]:
    """Which words of a figure touch which others, or an outline or a line.

    Args:
        figure: drawn with its final layout.
    """
    marks = [one for ax in figure.axes for one in (*ax.patches, *ax.lines, *ax.collections)]
    drawn = [Path(outline) for one in marks for outline in _outlines(one)]
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and is_seen(text)]
    boxes = [text.get_window_extent().padded(2, 1) for text in texts]
    found = {
        (first, second)
        for (first, one), (second, other) in itertools.combinations(enumerate(boxes), 2)
        if one.overlaps(other)
    }
    return found | {
        (first, -1 - second)
        for first, box in enumerate(boxes)
        for second, path in enumerate(drawn)
        if path.intersects_bbox(box, filled=False)
    }


def _outlines(mark: Any) -> list[np.ndarray]:
    """The points of a mark's lines, in pixels."""
    paths = mark.get_paths() if hasattr(mark, "get_paths") else [mark.get_path()]
    placed = (mark.get_transform().transform_path(path) for path in paths)
    return [points for path in placed for points in path.to_polygons(closed_only=False)]
