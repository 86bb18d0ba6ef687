"""Pictures of chapter 13: what a sentence costs, and what each prediction reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import COLOUR_MAP, INK, LINE_COLOURS, book_style

_BLUE = LINE_COLOURS[0]


def surprises(pieces: Sequence[str], bits: Sequence[float], ax: Axes) -> Axes:
    """Draws a bar for each token: minus the binary logarithm of its probability (C02).

    Args:
        pieces: the tokens, <eos> last.
        bits: -log₂ p of each.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: there is not one number for each token.
    """
    if len(pieces) != len(bits):
        raise MtcourseError(f"{len(bits)} numbers do not fit {len(pieces)} tokens")
    with book_style():
        places = range(len(pieces))
        ax.bar(places, bits, color=_BLUE, width=0.7)
        for place, value in zip(places, bits, strict=True):
            ax.text(place, value, f"{value:.1f}", ha="center", va="bottom", fontsize="small")
        ax.set_xticks(places, pieces, rotation=40, ha="right", rotation_mode="anchor")
        ax.tick_params(axis="x", length=0)
        ax.set_ylabel("bits")
    return ax


def triangle(
    norms: Float[Tensor, "n n"], inputs: Sequence[str], labels: Sequence[str], ax: Axes
) -> Axes:
    """Draws how much each prediction depends on each input; a cell of exactly 0 stays empty (C06).

    Args:
        norms: norm of the gradient of the loss of label t by input j, in row t and column j.
        inputs: what stands in the input, named along the columns.
        labels: what each row predicts.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the numbers of names and norms differ.
    """
    n = len(inputs)
    if not len(labels) == n == len(norms):
        raise MtcourseError(f"{len(norms)} rows do not fit {n} inputs and {len(labels)} labels")
    with book_style():
        values = norms.detach().double().numpy()
        shown = np.ma.masked_equal(values, 0)
        image = ax.imshow(shown, cmap=COLOUR_MAP, vmin=0, vmax=float(values.max()))
        for t, j in np.argwhere(values == 0):
            ax.add_patch(
                Rectangle((j - 0.47, t - 0.47), 0.94, 0.94, fill=False, edgecolor=INK, alpha=0.35)
            )
        ax.set_xticks(range(n), inputs, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(n), labels)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
        ax.set_ylabel("predicts")
        beside = ax.inset_axes((1.04, 0, 0.05, 1))  # as high as the cells, of which it tells
        bar = ax.figure.colorbar(image, cax=beside, label="norm of the gradient")
        bar.outline.set_visible(False)  # type: ignore[operator]
    return ax
