"""Pictures of attention and of training, readable on light and dark pages (chapters 04 and 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from mtcourse.errors import MtcourseError

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


def attention_map(
    source_pieces: Sequence[str],
    target_pieces: Sequence[str],
    weights: Float[Tensor, "m n"],
    ax: Axes | None = None,
) -> Axes:
    """Shows how strongly each target piece attends to each source piece (D01; chapters 04 and 17).

    Args:
        source_pieces: the keys, n of them, named along the columns.
        target_pieces: the queries, m of them, named along the rows.
        weights: attention weights; each row sums to 1.
        ax: where to draw, made within ``book_style()``; by default a new figure of fitting size.

    Raises:
        MtcourseError: the weights have another shape than the pieces.
    """
    m, n = len(target_pieces), len(source_pieces)
    if tuple(weights.shape) != (m, n):
        raise MtcourseError(
            f"weights of shape {tuple(weights.shape)} do not fit {m} target pieces (rows) "
            f"and {n} source pieces (columns)"
        )
    with book_style():
        ax = ax or _new_axes(2 + 0.4 * n, 1.2 + 0.32 * m)
        values = weights.detach().float().cpu().numpy()
        image = ax.imshow(values, cmap=COLOUR_MAP, vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(n), source_pieces, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(m), target_pieces)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
        bar = ax.figure.colorbar(image, ax=ax, label="attention weight")
        bar.outline.set_visible(False)
    return ax


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
        ax = ax or _new_axes(6.4, 3.6)
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


def _new_axes(width: float, height: float) -> Axes:
    """Axes of a figure of this many inches, shown by a notebook like any other."""
    import matplotlib.pyplot as plt  # chooses a backend: only when something is drawn

    figure: Figure = plt.figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()
