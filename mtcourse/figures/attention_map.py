"""A picture of attention: which target piece looks at which source piece."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import COLOUR_MAP, book_style, new_axes


def attention_map(
    source_pieces: Sequence[str],
    target_pieces: Sequence[str],
    weights: Float[Tensor, "m n"],
    ax: Axes | None = None,
) -> Axes:
    """Shows how strongly each target piece attends to each source piece (D01; chapters 4 and 17).

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
        ax = ax or new_axes(2 + 0.4 * n, 1.2 + 0.32 * m)
        values = weights.detach().float().cpu().numpy()
        image = ax.imshow(values, cmap=COLOUR_MAP, vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(n), source_pieces, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(m), target_pieces)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
        bar = ax.figure.colorbar(image, ax=ax, label="attention weight")
        bar.outline.set_visible(False)
    return ax
