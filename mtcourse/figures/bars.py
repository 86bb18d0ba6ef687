"""Named bars with their numbers, told apart by colour and by hatching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, book_style, new_axes

_HATCHES = ("", "///", "...", "xxx")


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[float | int]],
    x_label: str,
    ax: Axes | None = None,
    text: str = "%.1f",
) -> Axes:
    """Draws a horizontal bar for each name, or one of each series, with its number.

    Args:
        names: what the bars belong to, the first on top; a name may occur twice.
        series: for each a number by name; their own names stand above if there are several.
        x_label: what is measured, with its unit.
        ax: where to draw, made within ``book_style()``; by default a new figure of fitting size.
        text: the format of the numbers.

    Raises:
        MtcourseError: there is no name or no series, or a series more than can be told apart, or
            one has more or fewer numbers than there are names.
    """
    if not names:
        raise MtcourseError("bars need at least one name: there is none")
    if not 1 <= len(series) <= len(_HATCHES):
        raise MtcourseError(
            f"{len(series)} series of bars: a figure takes 1 to {len(_HATCHES)}, to tell them apart"
        )
    for name, numbers in series.items():
        if len(numbers) != len(names):
            raise MtcourseError(f"{name!r} has {len(numbers)} numbers for {len(names)} names")
    thick = 0.8 / len(series)
    with book_style():
        if ax is None:
            width = max(4.2, 3.0 + 0.075 * max(map(len, names)))
            ax = new_axes(width, 0.9 + 0.25 * len(names) * max(1.0, 0.7 * len(series)))
        looks = zip(LINE_COLOURS, _HATCHES, strict=True)
        for k, ((name, numbers), (colour, hatch)) in enumerate(
            zip(series.items(), looks, strict=False)
        ):
            y = np.arange(len(names)) + (k - (len(series) - 1) / 2) * thick
            drawn = ax.barh(
                y, list(numbers), thick * 0.92, label=name, facecolor=colour, edgecolor=INK,
                linewidth=0, alpha=0.6, hatch=hatch,
            )  # fmt: skip
            ax.bar_label(drawn, fmt=text, padding=3, color=INK, fontsize=9)
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel(x_label)
        ax.margins(x=0.12)
        if len(series) > 1:
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1))
    return ax
