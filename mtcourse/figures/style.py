"""The look of every picture: readable on light and on dark pages, and without colour vision.

The colours are those of a figure that stands alone, on a ground that may be light or dark. A page
of the book has a lighter and a darker variant of each (``book/_static/figures.css``).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure

INK = "#767676"  # contrast 4.5 on white and 4.1 on #121212, the dark page; no grey has 4.5 on both
LINE_COLOURS = ("#2b7bba", "#c8571b", "#2e8b57", "#a0569f")  # at least 3 on both pages
LINE_STYLES = ("-", "--", "-.", ":")  # so that no curve is told by its colour alone
GROUND = "#fefefe"  # what is written on a full colour: the page's ground
COLOURS = (INK, *LINE_COLOURS, GROUND)


def _ramp(*ends: tuple[str, float, float]) -> ListedColormap:
    """Colours that cover the ground more or less: each from one opacity to another."""
    steps = 256 // len(ends)
    parts = [
        np.column_stack([np.tile(to_rgb(colour), (steps, 1)), np.linspace(low, high, steps)])
        for colour, low, high in ends
    ]
    ramp = ListedColormap(np.concatenate(parts))
    ramp.set_bad((0, 0, 0, 0))
    return ramp


COLOUR_MAP = _ramp((LINE_COLOURS[0], 0.05, 1.0))  # attention: the more, the bluer, as in explorers
CHANGES = _ramp((LINE_COLOURS[0], 0.2, 1.0))  # the same, where a small change is not none
TINTS = _ramp((LINE_COLOURS[0], 0.03, 0.45))  # the same, under numbers that are to be read
SIGNED = _ramp((LINE_COLOURS[1], 1.0, 0.0), (LINE_COLOURS[0], 0.0, 1.0))  # below 0 and above

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
        "axes.prop_cycle": cycler(color=LINE_COLOURS),
        "image.interpolation": "none",
        "hatch.linewidth": 0.7,
        "figure.constrained_layout.hspace": 0.07,  # a panel's title is not that of the one above
    }
    with mpl.rc_context(style):
        yield
    _show_as_svg()


def _show_as_svg() -> None:
    """Lets a notebook show figures as SVG, beside the PNG for programs that show no SVG."""
    notebook = sys.modules.get("IPython")
    shell = notebook.get_ipython() if notebook else None
    if shell is not None:
        from mtcourse.figures.svg import figure_svg

        # Again after each figure: matplotlib takes it back when it chooses its backend.
        shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, figure_svg)


def new_axes(width: float, height: float) -> Axes:
    """Axes of a figure of this many inches, shown by a notebook like any other."""
    return new_panels(width, height, 1)[0]


def new_panels(width: float, height: float, count: int) -> list[Axes]:
    """As many axes beside each other in one figure of this many inches."""
    import matplotlib.pyplot as plt  # chooses a backend: only when something is drawn

    figure: Figure = plt.figure(figsize=(width, height), layout="constrained")
    return [figure.add_subplot(1, count, number) for number in range(1, count + 1)]
