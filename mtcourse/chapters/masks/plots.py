"""Pictures of masks and of what they let through (chapter 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import CHANGES, GROUND, INK, LINE_COLOURS, book_style

_ALLOWED, _WRONG = LINE_COLOURS[:2]
_GAP = 0.06  # between cells, so that each can be counted


def mask_map(
    mask: Bool[Tensor, "m n"],
    ax: Axes,
    queries: Sequence[str] = (),
    keys: Sequence[str] = (),
    write: Callable[[bool], str] | None = None,
    title: str = "",
) -> Axes:
    """Draws a mask with a row for each query: full cells are allowed, empty ones hidden (A11, C10).

    Args:
        mask: True where query i may attend to key j.
        ax: where to draw, made within ``book_style()``.
        queries: names of the rows; none by default.
        keys: names of the columns; none by default.
        write: what stands in a cell that is allowed or not; nothing by default.
        title: what the mask is.

    Raises:
        MtcourseError: there are names, but not one for each row or column.
    """
    m, n = mask.shape
    for names, size, line in ((queries, m, "rows"), (keys, n, "columns")):
        if names and len(names) != size:
            raise MtcourseError(f"{len(names)} names do not fit the {size} {line} of the mask")
    with book_style():
        for i, row in enumerate(mask.tolist()):
            for j, allowed in enumerate(row):
                _cell(ax, i, j, allowed, write(allowed) if write else "")
        ax.set(xlim=(-0.1, n + 0.1), ylim=(m + 0.1, -0.1), aspect="equal")
        centres = np.arange(max(m, n)) + 0.5
        ax.set_xticks(centres[: len(keys)], keys, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(centres[: len(queries)], queries)
        ax.tick_params(length=0, labeltop=True, labelbottom=False, pad=1)
        ax.spines[:].set_visible(False)
        ax.set_title(title, fontsize="medium")
    return ax


def combination(
    padding: Bool[Tensor, "batch 1 1 n"],
    causal: Bool[Tensor, "n n"],
    pieces: Sequence[Sequence[str]],
    axes: np.ndarray,
) -> None:
    """Draws each sentence's padding mask, the causal mask, and both combined (A11, C10).

    Args:
        padding: the padding masks of a batch.
        causal: the causal mask, one for all sentences.
        pieces: the tokens of each sentence, padding included.
        axes: a row of four for each sentence, made within ``book_style()``.
    """
    titles = "one row of keys", "for every query", "causal", "both"
    for b, (names, row) in enumerate(zip(pieces, axes, strict=True)):
        strip = padding[b, 0]
        stretched = strip.expand_as(causal)
        for ax, mask, title in zip(
            row, (strip, stretched, causal, stretched & causal), titles, strict=True
        ):
            mask_map(mask, ax, keys=names, title=title if b == 0 else "")
        row[3].set_yticks(np.arange(len(names)) + 0.5, names)
        row[3].yaxis.tick_right()
        row[3].tick_params(length=0)


def shares(
    names: Sequence[str],
    parts: Mapping[str, Float[Tensor, " rows"]],
    x_label: str,
    ax: Axes,
) -> Axes:
    """Draws a bar for each row, divided into its parts.

    Args:
        names: of the rows, from top to bottom.
        parts: the share of each part in every row; at most two parts.
        x_label: what is divided.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        rows, left = np.arange(len(names)), np.zeros(len(names))
        looks = zip((_ALLOWED, _WRONG), ("", "///"), strict=True)
        for (name, part), (colour, hatch) in zip(parts.items(), looks, strict=False):
            width = part.detach().numpy()
            ax.barh(
                rows, width, left=left, color=(colour, 0.55), edgecolor=colour, hatch=hatch,
                label=name,
            )  # fmt: skip
            left = left + width
        ax.set_yticks(rows, names)
        ax.set(xlim=(0, 1), xlabel=x_label)
        ax.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
    return ax


def change_map(
    change: Float[Tensor, "m n"],
    rows: Sequence[str],
    columns: Sequence[str],
    ax: Axes,
) -> Axes:
    """Shows how far each output moves when one input is changed, and a 0 where nothing moves.

    Args:
        change: how far output i (the row) moved when input j (the column) was changed. Exact zeros
            have no colour.
        rows: names of the outputs.
        columns: names of the inputs.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the changes have another shape than the names.
    """
    if tuple(change.shape) != (len(rows), len(columns)):
        raise MtcourseError(
            f"changes of shape {tuple(change.shape)} do not fit {len(rows)} outputs and "
            f"{len(columns)} inputs"
        )
    with book_style():
        values = np.ma.masked_equal(change.detach().numpy(), 0)
        image = ax.imshow(values, cmap=CHANGES, norm=LogNorm(0.03, 30))
        for i, j in np.argwhere(np.ma.getmaskarray(values)):
            ax.text(j, i, "0", ha="center", va="center", fontsize="small")
        ax.set_xticks(range(len(columns)), columns, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(len(rows)), rows)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
        # Below the map, where a narrow page shows the numbers and what they are.
        below = ax.inset_axes((0, -0.1, 1, 0.05))
        label = "largest change (nats)"
        bar = ax.figure.colorbar(image, cax=below, label=label, orientation="horizontal")
        bar.set_ticks([0.1, 1, 10], labels=["0.1", "1", "10"])
        bar.outline.set_visible(False)
    return ax


def mask_key(figure: Figure) -> None:
    """Adds a key below a figure: full cells are allowed, empty ones hidden.

    Args:
        figure: the figure, with a constrained layout.
    """
    with book_style():
        allowed = Patch(facecolor=_ALLOWED, edgecolor=_ALLOWED, label="allowed")
        hidden = Patch(facecolor="none", edgecolor=INK, label="hidden")
        figure.legend(handles=[allowed, hidden], loc="outside lower center", ncol=2)


def _cell(ax: Axes, row: int, column: int, allowed: bool, text: str) -> None:
    """A full cell or an empty one, with what is written in it."""
    corner, side = (column + _GAP, row + _GAP), 1 - 2 * _GAP
    face, edge = (_ALLOWED, _ALLOWED) if allowed else ("none", INK)
    ax.add_patch(Rectangle(corner, side, side, facecolor=face, edgecolor=edge, linewidth=0.8))
    if text:
        colour = GROUND if allowed else INK
        ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)
