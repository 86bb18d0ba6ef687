"""Pictures of chapter 16: what heads read, learning curves, and probes by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, NullLocator

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box, piece_box
from mtcourse.figures.starts_plots import start_curves
from mtcourse.figures.style import INK, LINE_COLOURS, Point, book_style

_BLUE, _ORANGE, _GREEN, _ = LINE_COLOURS
_MARKERS = ("o", "s", "^", "D")
_BESIDE = 16  # letters of two labels that fit beside each other

Curves = Mapping[str, Sequence[Sequence[Point]]]
"""For each kind a curve of each start."""


def heads(
    pieces: Sequence[str], labels: Sequence[str], ax: Axes, title: str = "", note: str = ""
) -> Axes:
    """Draws an encoder's pieces, and an arrow to the label at each position that counts.

    Args:
        pieces: what the encoder reads, <class> first.
        labels: the label at each position, empty where none counts.
        ax: where to draw, made within ``book_style()``.
        title: stands above.
        note: what stands at positions that do not count, such as "–".

    Raises:
        MtcourseError: the two differ in length.

    Source: C30, C31. Chapter 16.
    """
    if len(pieces) != len(labels):
        raise MtcourseError(f"{len(pieces)} pieces and {len(labels)} labels: give one for each")
    with book_style():
        higher = False
        for t, (piece, label) in enumerate(zip(pieces, labels, strict=True)):
            beside = labels[t - 1] if t else ""
            higher = not higher and bool(label and beside) and len(beside + label) > _BESIDE
            up = 0.35 if higher else 0.0
            colour = _ORANGE if label else INK
            piece_box(ax, t, piece, colour)
            ax.text(
                t + 0.5, 2.2 + up, label or note, ha="center", va="center", fontsize="small",
                color=_ORANGE if label else INK,
            )  # fmt: skip
            if label:
                arrow(ax, (t + 0.5, 1.5), (t + 0.5, 2.0 + up), _ORANGE)
        box(ax, 0.04, 0.8, len(pieces) - 0.08, 0.6, "encoder", _BLUE)
        ax.set(xlim=(-0.1, len(pieces) + 0.1), ylim=(-0.55, 2.8))
        ax.set_title(title, fontsize="medium")
        ax.axis("off")
    return ax


def learning_curves(series: Curves, y_label: str, ax: Axes) -> Axes:
    """Draws scores by the number of labelled sentences: medians, and the range of all starts.

    Args:
        series: for each way a curve of each start.
        y_label: what is measured, with its unit.
        ax: where to draw, made within ``book_style()``.

    Chapter 16.
    """
    start_curves(series, "labelled sentences", y_label, ax)
    return _logarithmic(series, ax, "{:,.0f}")


def rate_curves(series: Curves, y_label: str, ax: Axes, pretrained: float) -> Axes:
    """Draws scores by learning rate, with a line at the rate of pretraining.

    Args:
        series: for each task a curve of each start.
        y_label: what is measured, with its unit.
        ax: where to draw, made within ``book_style()``.
        pretrained: the peak rate of pretraining.

    Chapter 16.
    """
    start_curves(series, "learning rate", y_label, ax)
    with book_style():
        ax.axvline(pretrained, color=INK, linestyle=":")
        ax.annotate(
            "pretraining", (pretrained, 1.0), xycoords=("data", "axes fraction"),
            xytext=(3, -2), textcoords="offset points", va="top", color=INK, fontsize="small",
        )  # fmt: skip
    _logarithmic(series, ax, "{:g}")
    if ax.get_legend():  # above: within, the bands leave no corner free
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, columnspacing=1.2)
    return ax


def layer_curves(series: Curves, y_label: str, ax: Axes) -> Axes:
    """Draws scores by the layer that a head reads; 0 is the embedding.

    Args:
        series: for each task a curve of each start.
        y_label: what is measured, with its unit.
        ax: where to draw, made within ``book_style()``.

    Chapter 16.
    """
    start_curves(series, "layer that the head reads (0: embedding)", y_label, ax)
    _mark(ax)
    ax.set_xticks(_places(series))
    return ax


def _logarithmic(series: Curves, ax: Axes, written: str) -> Axes:
    """A logarithmic axis with a tick at each measured x, and a mark on each median."""
    ax.set_xscale("log")
    places = _places(series)
    ax.set_xticks(places, [written.format(place) for place in places])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_minor_formatter(NullFormatter())
    _mark(ax)
    return ax


def _mark(ax: Axes) -> None:
    """A mark at every point of the named curves, so that they differ by more than colour."""
    named = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    for line, marker in zip(named, _MARKERS, strict=False):
        line.set_marker(marker)
        line.set_markersize(5)
    if len(named) > 1:
        ax.legend()


def _places(series: Curves) -> list[float]:
    return sorted({float(x) for runs in series.values() for run in runs for x, _ in run})
