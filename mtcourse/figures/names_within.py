"""Names beside what they name, within the axes, in place of a legend.

A figure is drawn once without its legends, a pixel for each point of type. Where nothing is drawn,
a name can stand; it stands where its own curve, marks or bars are nearer than any others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, Container
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from mtcourse.figures.style import INK

_FULL, _FAINT = 80, 20  # of 255: what hides a name, and what only tints the ground behind it
_NEAR = (5, 8, 12, 17)  # points between a name and what it names
# How far a name is from all that is drawn, how near it is to its own, and how much nearer than to
# that of other names: the first demands that can be met.
_DEMANDS = (
    [(3, near, max(3, near // 2)) for near in _NEAR],
    [(2, near, 0) for near in _NEAR],
    [(2, near, 2 - near) for near in (3, 4, 5)],  # along its own, told from others by its colour
)
_FAR = (8, 12, 17, 24, 32, 40)  # points between a name beside a band and the curve within it
_AROUND = 16  # points: where a name should have much of its own, and little of others
_LONG = 10  # letters: a shorter name stays in one line
_MATHS = 1.1  # how much wider formulas may be in the pages' type
_NUMBER = 45  # points behind a bar, in which its number ends
_OUTSIDE = 110  # points beyond the axes that a name behind a bar may take

_Mask = np.ndarray
"""Of each pixel of a figure, the lowest row first, whether something is drawn there."""


@dataclass(frozen=True)
class _Series:
    """What has a name.

    Args:
        name: its text.
        colour: of its curve, marks or bars, and of its name.
        core: where they are drawn.
        ink: where anything is drawn that belongs to it: bands, and the ranges of marks.
        bars: level ones, if it has any.
    """

    name: str
    colour: str
    core: _Mask
    ink: _Mask
    bars: tuple[Rectangle, ...]


@contextmanager
def series_named(figure: Figure) -> Iterator[None]:
    """Within it, legends are hidden whose names have room beside what they name.

    Args:
        figure: any, with the size at which it is drawn.
    """
    keys = [(key, panels) for key in _legends(figure) if (panels := _panels(figure, key))]
    added: list[Text] = []
    hidden: list[tuple[Legend, Any]] = []
    dpi, figure.dpi = figure.dpi, 72  # as in the file
    try:
        for key, panels in keys:
            hidden.append(_hide(key))
            figure.draw_without_rendering()  # the legend's room is the axes' now
            if not (written := _write(figure, panels)):
                _show(*hidden.pop())
            added += written
        figure.dpi = dpi
        yield
    finally:
        figure.dpi = dpi
        for text in added:
            text.remove()
        for key, outside in hidden:
            _show(key, outside)


def _legends(figure: Figure) -> list[Legend]:
    of_axes = [key for ax in figure.axes if (key := ax.get_legend())]
    return [key for key in (*of_axes, *figure.legends) if key.get_visible()]


def _panels(figure: Figure, key: Legend) -> list[tuple[Axes, dict[str, Any]]]:
    """The axes that a legend explains, each with what it calls by these names."""
    names = [text.get_text() for text in key.get_texts()]
    panels = []
    for ax in figure.axes if key in figure.legends else [key.axes]:
        known = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
        if names and set(names) <= set(known):
            panels.append((ax, {name: known[name] for name in names}))
    return panels


def _hide(key: Legend) -> tuple[Legend, Any]:
    outside, key._outside_loc = key._outside_loc, None  # type: ignore[attr-defined]
    key.set_visible(False)
    key.set_in_layout(False)
    return key, outside


def _show(key: Legend, outside: Any) -> None:
    key._outside_loc = outside  # type: ignore[attr-defined]
    key.set_visible(True)
    key.set_in_layout(True)


def _write(figure: Figure, panels: list[tuple[Axes, dict[str, Any]]]) -> list[Text]:
    """The names, in each of the axes where all of them have room."""
    full, faint = _everything(figure)
    written = []
    for ax, artists in panels:
        written += _named(ax, _series_of(ax, artists), full, faint)
    return written


def _everything(figure: Figure) -> tuple[_Mask, _Mask]:
    """Where anything is drawn at all, and where it would only tint the ground of a name."""
    lines = [
        line for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) for line in axis.get_gridlines()
        if line.get_visible()
    ]  # fmt: skip
    for line in lines:
        line.set_visible(False)
    covered = _alpha(figure, [figure])
    for line in lines:
        line.set_visible(True)
    return covered > _FULL, covered > _FAINT


def _alpha(figure: Any, artists: Sequence[Artist]) -> np.ndarray:
    width, height = (round(side) for side in figure.bbox.size)
    pen = RendererAgg(width, height, 72)
    for artist in artists:
        artist.draw(pen)
    return np.asarray(pen.buffer_rgba())[::-1, :, 3].copy()


def _series_of(ax: Axes, artists: dict[str, Any]) -> list[_Series]:
    """What has these names; all that has the same colour belongs to it."""
    drawn = [one for one in (*ax.lines, *ax.collections, *ax.patches) if one.get_visible()]
    series = []
    for name, artist in artists.items():
        colour = _colour(_parts(artist)[0])
        alike = [one for one in drawn if _colour(one) == colour]
        core, ink = (_alpha(ax.figure, some) > _FAINT for some in (_parts(artist), alike))
        level = isinstance(artist, BarContainer) and artist.orientation == "horizontal"
        series.append(_Series(name, colour, core, core | ink, tuple(artist) if level else ()))
    return series


def _parts(artist: Any) -> list[Any]:
    """What is drawn for a name: containers, of bars and of lines with their errors, are tuples."""
    return artist.get_children() if isinstance(artist, Container) else [artist]


def _colour(artist: Any) -> str:
    if isinstance(artist, Line2D):
        return to_hex(artist.get_color())
    of_all = (np.atleast_2d(side()) for side in (artist.get_facecolor, artist.get_edgecolor))
    seen = [colours[0] for colours in of_all if colours.size and colours[0][3] > 0]
    return to_hex(seen[0]) if seen else INK


def _named(ax: Axes, series: Sequence[_Series], full: _Mask, faint: _Mask) -> list[Text]:
    """All names of the axes, or none."""
    texts = [ax.text(0, 0, one.name, color=one.colour, transform=ax.transAxes)
             for one in series]  # fmt: skip
    if all(one.bars for one in series):
        done = _beside_bars(ax, texts, series, full)
    else:
        done = _beside(ax, texts, series, full, faint)
    if done:
        return texts
    for text in texts:
        text.remove()
    return []


def _beside(
    ax: Axes, texts: Sequence[Text], series: Sequence[_Series], full: _Mask, faint: _Mask
) -> bool:
    """Puts each name where what it names is near, and nothing else is."""
    taken = full.copy()
    left = set(range(len(series)))
    nothing = np.zeros_like(full)
    while left:
        spots = {}
        for k in left:
            others = np.any([nothing, *(one.core for one in series if one is not series[k])], 0)
            spot = _spot(ax, texts[k], series[k], others, taken, faint)
            if spot is None:
                return False
            spots[k] = spot
        k = min(left, key=lambda k: spots[k].places)  # the one with the fewest first
        texts[k].set_text(spots[k].written)
        _move(ax, texts[k], spots[k].x, spots[k].y)
        x, y, width, height = spots[k].x, spots[k].y, spots[k].width, spots[k].height
        taken[max(0, y - 2) : y + height + 2, max(0, x - 9) : x + width + 9] = True
        left.remove(k)
    return True


@dataclass(frozen=True)
class _Spot:
    """How many places a name has, how it is written, its lower left corner, and its size."""

    places: int
    written: str
    x: int
    y: int
    width: int
    height: int


def _spot(
    ax: Axes, text: Text, of: _Series, others: _Mask, taken: _Mask, faint: _Mask
) -> _Spot | None:
    """The best place for a name: better in two lines than on a tint or near to other curves."""
    grounds = taken | faint & ~of.ink, taken
    ways = itertools.product(_DEMANDS, grounds, (of.core, of.ink), _writings(of.name))
    for demands, blocked, own, written in ways:  # beside its core, or else beside its band
        text.set_text(written)
        box = text.get_window_extent()
        width, height = int(box.width * (_MATHS if "$" in written else 1)) + 1, int(box.height) + 1
        found = _best(ax, width, height, own, of.core, others, blocked, demands)
        if found is not None:
            return _Spot(*found[:1], written, *found[1:], width, height)
    return None


def _writings(name: str) -> list[str]:
    """A name in one line, and in two that are about equally long."""
    places = [place for place, letter in enumerate(name) if letter == " "]
    if not places or "$" in name or len(name) < _LONG:
        return [name]
    middle = min(places, key=lambda place: abs(place - len(name) / 2))
    return [name, f"{name[:middle]}\n{name[middle + 1 :]}"]


def _best(
    ax: Axes,
    width: int,
    height: int,
    own: _Mask,
    core: _Mask,
    others: _Mask,
    blocked: _Mask,
    demands: Sequence[tuple[int, int, int]],
) -> tuple[int, int, int] | None:
    """How many places a box has, and the lower left corner of the best one."""
    rows, columns = own.shape
    x0, y0, x1, y1 = (round(edge) for edge in ax.bbox.extents)
    xs = np.arange(max(x0 + 3, 0), min(x1, columns) - width)
    ys = np.arange(max(y0 + 3, 0), min(y1, rows) - height + 1)
    if not xs.size or not ys.size:
        return None

    def count(mask: _Mask, around: int) -> np.ndarray:
        """Of each place, the pixels of a mask in the box and so far around it."""
        sums = np.pad(mask.astype(np.int32).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        left, right = (np.clip(xs + edge, 0, columns) for edge in (-around, width + around))
        low, high = (np.clip(ys + edge, 0, rows) for edge in (-around, height + around))
        return (
            sums[np.ix_(high, right)] - sums[np.ix_(low, right)]
            - sums[np.ix_(high, left)] + sums[np.ix_(low, left)]
        )  # fmt: skip

    clarity = np.minimum(count(own, _AROUND), 60) - 2.0 * count(others, _AROUND)
    clarity = clarity + 0.01 * np.arange(xs.size)  # of equal ones, the one on the right
    nearest = np.zeros_like(clarity, dtype=bool)  # its core is nearer than that of others
    for around in () if own is core else _FAR:
        nearest |= (count(core, around) > 0) & (count(others, around) == 0)
    for clear, near, farther in demands:
        fitting = (count(blocked, clear) == 0) & (count(own, near) > 0)
        fitting &= count(others, near + farther) == 0
        fitting &= nearest if own is not core else True
        if fitting.any():
            row, column = np.unravel_index(
                np.where(fitting, clarity, -np.inf).argmax(), fitting.shape
            )
            return int(fitting.sum()), int(xs[column]), int(ys[row])
    return None


def _beside_bars(ax: Axes, texts: Sequence[Text], series: Sequence[_Series], full: _Mask) -> bool:
    """Puts names behind the bars, and their numbers, of a group with room, or of the first one."""
    groups = list(zip(*(one.bars for one in series), strict=True))
    groups = [group for group in groups if all(map(_is_seen, group))] or groups
    inside = int(ax.bbox.x1)
    for group, last in (*((group, inside) for group in groups), (groups[0], inside + _OUTSIDE)):
        shifts = []
        for text, bar in zip(texts, group, strict=True):
            box, edges = text.get_window_extent(), bar.get_window_extent()
            width, height = int(box.width) + 1, int(box.height) + 1
            y, end = round((edges.y0 + edges.y1 - height) / 2), round(edges.x1)
            beside = full[y + height // 4 : y + height - height // 4]
            free = [x for x in range(end + 3, min(end + _NUMBER, last - width))
                    if not beside[:, x : x + width + 4].any()]  # fmt: skip
            if not free:
                break
            shifts.append(free[0] + 4 - end)
        else:
            for text, bar, shift in zip(texts, group, shifts, strict=True):
                end = bar.get_x() + max(bar.get_width(), 0), bar.get_y() + bar.get_height() / 2
                behind = ScaledTranslation(shift / 72, 0, ax.figure.dpi_scale_trans)
                text.set(position=end, va="center", transform=ax.transData + behind)
            return True
    return False


def _is_seen(bar: Rectangle) -> bool:
    return bool(bar.get_window_extent().width >= 1)


def _move(ax: Axes, text: Text, x: int, y: int) -> None:
    """Lets the lower left corner of a text stand at a pixel."""
    box = text.get_window_extent()
    at = ax.transAxes.transform(text.get_position()) + np.array([x - box.x0, y - box.y0])
    text.set_position(tuple(ax.transAxes.inverted().transform(at)))
