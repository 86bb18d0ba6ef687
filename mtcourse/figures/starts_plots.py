"""Pictures of results from several random starts: each start, the median and the spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, Point, book_style

_MARKERS = ("o", "s", "^", "D")


def start_dots(
    results: Mapping[str, Sequence[float]], x_label: str, ax: Axes, digits: int = 0
) -> Axes:
    """Draws a row for each kind of run: a dot for each start and a bar at the median.

    Each row has its colour and its mark; more rows than there are colours have one of both. Names
    and medians stand above their rows and not beside them, so that a phone has room for the dots;
    a line parts them from the row above.

    Args:
        results: for each kind its results, one for each start.
        x_label: what is measured, with its unit.
        ax: where to draw, made within ``book_style()``.
        digits: decimals of the medians.

    Raises:
        MtcourseError: a kind has no result.
    """
    if empty := [name for name, values in results.items() if not values]:
        raise MtcourseError(f"no start is given for {', '.join(empty)}")
    looks = list(zip(LINE_COLOURS, _MARKERS, strict=True))
    if len(results) > len(looks):
        looks = looks[:1] * len(results)
    with book_style():
        for row, ((name, values), (colour, marker)) in enumerate(
            zip(results.items(), looks, strict=False)
        ):
            middle = median(values)
            ax.plot([min(values), max(values)], [row, row], color=colour, alpha=0.4, linewidth=1)
            # Starts with nearly equal results lie beside each other, not on top.
            shifts = [0.09 * ((place % 3) - 1) for place in range(len(values))]
            heights = [row + shift for shift in shifts]
            ax.plot(
                sorted(values), heights, marker, color=colour, markersize=5, alpha=0.75,
                markeredgewidth=0, clip_on=False,
            )  # fmt: skip
            ax.plot(
                [middle, middle], [row - 0.22, row + 0.22], color=colour, linewidth=2.5,
                clip_on=False,
            )  # fmt: skip
            told = f"{middle:.{digits}f}".replace("-", "\N{MINUS SIGN}")
            ax.annotate(
                f"{name}: median {told}", (0.01, row - 0.28), xycoords=("axes fraction", "data"),
                va="bottom", color=colour, fontsize="small",
            )  # fmt: skip
        parted = [row - 0.74 for row in range(1, len(results))]
        ax.hlines(
            parted, 0, 1, color=INK, alpha=0.35, linewidth=0.6, transform=ax.get_yaxis_transform()
        )
        ax.set_yticks([])
        ax.set_ylim(len(results) - 0.6, -0.8)
        ax.set_xlabel(x_label)
        ax.grid(axis="x", color=INK, alpha=0.25)
    return ax


def start_curves(
    series: Mapping[str, Sequence[Sequence[Point]]],
    x_label: str,
    y_label: str,
    ax: Axes,
    among: Sequence[str] = (),
) -> Axes:
    """Draws the median curve of several starts, in a band from the lowest to the highest.

    Args:
        series: for each kind a curve for each start; all curves of a kind have the same x.
        x_label: what x is, with its unit.
        y_label: what y is, with its unit.
        ax: where to draw, made within ``book_style()``.
        among: all kinds that a page compares, where this is a figure of some of them: a kind has
            the same colour in each of the page's figures. Without it, these are all.

    Raises:
        MtcourseError: there are more kinds than can be told apart, or curves with another x, or a
            kind is not among those that the page compares.
    """
    kinds = among or list(series)
    if not series or len(kinds) > len(LINE_STYLES):
        raise MtcourseError(
            f"{len(kinds)} kinds of run: a figure takes 1 to {len(LINE_STYLES)}, to tell apart"
        )
    if others := [name for name in series if name not in kinds]:
        raise MtcourseError(f"{', '.join(others)}: not among {', '.join(kinds)}")
    looks = dict(zip(kinds, zip(LINE_COLOURS, LINE_STYLES, strict=True), strict=False))
    with book_style():
        for name, runs in series.items():
            colour, style = looks[name]
            steps = {tuple(x for x, _ in run) for run in runs}
            if len(steps) != 1:
                raise MtcourseError(f"the curves of {name!r} do not have the same x")
            (x,) = steps
            columns = list(zip(*([y for _, y in run] for run in runs), strict=True))
            ax.fill_between(
                x, list(map(min, columns)), list(map(max, columns)), color=colour, alpha=0.15,
                linewidth=0,
            )  # fmt: skip
            ax.plot(x, list(map(median, columns)), linestyle=style, color=colour, label=name)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        ax.grid(color=INK, alpha=0.25)
        if len(series) > 1:
            ax.legend()
    return ax
