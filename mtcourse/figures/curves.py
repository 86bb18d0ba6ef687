"""Named curves, told apart by colour and by dashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, Point, book_style, new_axes


def curves(
    series: Mapping[str, Sequence[Point]],
    x_label: str,
    y_label: str,
    ax: Axes | None = None,
) -> Axes:
    """Draws named curves, such as training and validation loss by step (chapter 12).

    Args:
        series: for each name its points (x, y), in the order of x.
        x_label: what x is, with its unit.
        y_label: what y is, with its unit.
        ax: where to draw, made within ``book_style()``; by default a new figure.

    Raises:
        MtcourseError: there is no curve, or more than can be told apart.
    """
    most = len(LINE_STYLES)
    if not 1 <= len(series) <= most:
        raise MtcourseError(f"{len(series)} curves: a figure takes 1 to {most}, to tell them apart")
    with book_style():
        ax = ax or new_axes(6.4, 3.6)
        looks = zip(LINE_COLOURS, LINE_STYLES, strict=True)
        for (name, points), (colour, style) in zip(series.items(), looks, strict=False):
            x, y = zip(*points, strict=True) if points else ((), ())
            ax.plot(x, y, linestyle=style, color=colour, label=name)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        ax.grid(color=INK, alpha=0.25)
        if len(series) > 1:
            ax.legend()
    return ax
