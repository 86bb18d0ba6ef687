"""Names at the ends of lines, in place of a legend beside them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

_ABOVE_THE_AXIS = 6.0
_BESIDE = 5.0  # points between the axes and the names beside them
_LEADING = 1.25  # of a name's lines, in sizes of its type
_GAP = 3.0  # points between two names
_LETTERS = 17  # in a line of a name
_LINES = 2
_COLUMNS = 2  # of axes; more leave no room for names


@contextmanager
def lines_named(figure: Figure, pushed: float = np.inf) -> Iterator[None]:
    """Within it, legends of lines are hidden, and each line has its name at its right end.

    A legend stays where a name is long, or where it explains anything but lines.

    Args:
        figure: any.
        pushed: how many points a name may be pushed away from its line's end by other names;
            where it would be more, the legend stays.
    """
    if any(ax.get_legend() for ax in figure.axes):
        figure.draw_without_rendering()  # the layout decides where lines end
    named = [(ax, lines) for ax in figure.axes if (lines := _lines_to_name(ax))]
    hidden = [legend for ax, _ in named if (legend := ax.get_legend())]
    for legend in hidden:
        legend.set_visible(False)
        legend.set_in_layout(False)
    labels = [(ax, [_name(ax, line) for line in lines]) for ax, lines in named]
    try:
        if labels:
            figure.draw_without_rendering()  # names take room from the lines
            if any(map(crowded, figure.axes)):
                _give_up(labels, hidden)
        if max((_spread(ax, of_axes) for ax, of_axes in labels), default=0.0) > pushed:
            _give_up(labels, hidden)
        yield
    finally:
        _give_up(labels, hidden)


def _give_up(labels: list[tuple[Axes, list[Annotation]]], hidden: Sequence[Legend]) -> None:
    """Takes the names away and shows the legends again."""
    while labels:
        for label in labels.pop()[1]:
            label.remove()
    for legend in hidden:
        legend.set_visible(True)
        legend.set_in_layout(True)


def crowded(ax: Axes) -> bool:
    """Whether level labels below or above the axes run into each other.

    Args:
        ax: drawn at least once.
    """
    labels = [text for text in ax.get_xticklabels() if text.get_text() and text.get_visible()]
    if any(text.get_rotation() % 360 for text in labels):
        return False
    boxes = sorted((text.get_window_extent() for text in labels), key=lambda box: box.x0)
    return any(left.x1 > right.x0 for left, right in itertools.pairwise(boxes))


def _lines_to_name(ax: Axes) -> list[Line2D]:
    """The lines of a legend that explains only lines, whose names are short enough."""
    legend, place = ax.get_legend(), ax.get_subplotspec()
    if (
        legend is None
        or not legend.get_visible()
        or (place is not None and place.get_gridspec().ncols > _COLUMNS)
    ):
        return []
    written = [text.get_text() for text in legend.get_texts()]
    known = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    lines = [known.get(name) for name in written]
    fitting = [
        line
        for line in lines
        if isinstance(line, Line2D)
        and line.get_linestyle() not in ("None", "none", " ", "")
        and line.get_transform() == ax.transData
        and len(_ends(line)) > 1
        and _reaches_the_edge(ax, line)
        and _fits(str(line.get_label()))
    ]
    return fitting if len(fitting) == len(written) > 1 else []


def _reaches_the_edge(ax: Axes, line: Line2D) -> bool:
    """Whether a line ends at the right, where its name can stand without hiding another line."""
    x, y = ax.transAxes.inverted().transform(ax.transData.transform(_end(line)))
    return bool(0.92 < x < 1.01 and -0.02 < y < 1.02)


def _end(line: Line2D) -> tuple[float, float]:
    x, y = max(_ends(line), key=lambda point: point[0])
    return float(x), float(y)


def _fits(name: str) -> bool:
    plain = re.sub(r"\\[a-z]+|[${}_^\\]", "", name)
    lines = _wrapped(plain).split("\n")
    return len(lines) <= _LINES and max(map(len, lines)) <= _LETTERS


def _ends(line: Line2D) -> Sequence[np.ndarray]:
    return [point for point in np.asarray(line.get_xydata()) if np.isfinite(point).all()]


def _name(ax: Axes, line: Line2D) -> Annotation:
    """A name at the height of its line's end, outside the axes, where nothing else is drawn."""
    return ax.annotate(
        _wrapped(str(line.get_label())), (1, _end(line)[1]),
        xycoords=ax.get_yaxis_transform(), xytext=(_BESIDE, 0),
        textcoords="offset points", va="center", color=line.get_color(),
        annotation_clip=False,
    )  # fmt: skip


def _height(label: Annotation, drawn: float) -> float:
    """The room that a name needs: letters without strokes above or below need it as well."""
    lines = label.get_text().count("\n") + 1
    return max(drawn, lines * _LEADING * float(label.get_fontsize()))


def _wrapped(text: str) -> str:
    """A name in lines of about so many letters."""
    if "$" in text:
        return text
    before, _, after = text.partition(", ")
    if after and len(text) > _LETTERS and max(len(before) + 1, len(after)) <= _LETTERS:
        return f"{before},\n{after}"
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= _LETTERS:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _spread(ax: Axes, labels: Sequence[Annotation]) -> float:
    """Moves names apart, as little as possible, and says how far one was moved at most."""
    scale = 72 / ax.figure.dpi
    wanted = [ax.get_yaxis_transform().transform(label.xy)[1] * scale for label in labels]
    heights = [_height(label, label.get_window_extent().height * scale) for label in labels]
    order = sorted(range(len(labels)), key=wanted.__getitem__)
    at = list(wanted)
    floor = ax.bbox.y0 * scale + _ABOVE_THE_AXIS
    for _ in range(200):
        gaps = [
            ((heights[low] + heights[high]) / 2 + _GAP - (at[high] - at[low]), low, high)
            for low, high in itertools.pairwise(order)
        ]
        overlap = [gap for gap in gaps if gap[0] > 0.1]
        for gap, low, high in overlap:
            at[low] -= gap / 2
            at[high] += gap / 2
        sunk = floor - at[order[0]]
        if sunk > 0:
            at[order[0]] = floor
        if not overlap:
            break
    for label, want, place in zip(labels, wanted, at, strict=True):
        label.set_position((_BESIDE, place - want))
    return max(abs(place - want) for want, place in zip(wanted, at, strict=True))
