"""The look of every picture: readable on light and on dark pages, and without colour vision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

INK = "#767676"  # contrast 4.5 on white and 4.1 on #121212, the dark page; no grey has 4.5 on both
LINE_COLOURS = ("#2b7bba", "#c8571b", "#2e8b57", "#a0569f")  # at least 3 on both pages
LINE_STYLES = ("-", "--", "-.", ":")  # so that no curve is told by its colour alone
COLOUR_MAP = "cividis"  # perceptually uniform, also for colour-blind readers

Point = tuple[float | int, float | int]  # x and y


@contextmanager
def book_style() -> Iterator[None]:
    """Draws on a transparent ground in one grey that both the light and the dark page let show."""
    inked = "text.color axes.labelcolor axes.edgecolor xtick.color ytick.color"
    style: dict[Any, Any] = {
        **dict.fromkeys(inked.split(), INK),
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "savefig.transparent": True,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        yield


def new_axes(width: float, height: float) -> Axes:
    """Axes of a figure of this many inches, shown by a notebook like any other."""
    import matplotlib.pyplot as plt  # chooses a backend: only when something is drawn

    figure: Figure = plt.figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()
