"""Pictures of what a prediction reads, and of runs that go wrong (chapter 12)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import GROUND, INK, LINE_COLOURS, book_style

_FAIR, _CHEATING = LINE_COLOURS[:2]
_GAP = 0.06  # between cells, so that each can be counted


def read_map(reads: Float[Tensor, "m m"], pieces: Sequence[str], ax: Axes, title: str) -> Axes:
    """Draws which target tokens each prediction has read: full cells are read (C12).

    A prediction may read the tokens before its own. Its own token and later ones are drawn in
    another colour and with a cross: they are the answer, or give it away.

    Args:
        reads: entry (j, k) is 0 where the prediction of token j does not depend on token k.
        pieces: the target tokens, which name rows and columns.
        ax: where to draw, made within ``book_style()``.
        title: how the decoder was fed.

    Raises:
        MtcourseError: there is not one piece for each row and column.

    Chapter 12.
    """
    m = len(pieces)
    if tuple(reads.shape) != (m, m):
        raise MtcourseError(f"{m} pieces do not fit {tuple(reads.shape)} predictions and tokens")
    with book_style():
        for j, row in enumerate(reads.tolist()):
            for k, strength in enumerate(row):
                _cell(ax, j, k, strength != 0)
        ax.set(xlim=(-0.1, m + 0.1), ylim=(m + 0.1, -0.1), aspect="equal")
        centres = [k + 0.5 for k in range(m)]
        ax.set_xticks(centres, pieces, rotation=90, fontsize="x-small")
        ax.set_yticks(centres, pieces, fontsize="x-small")
        ax.tick_params(length=0, labeltop=True, labelbottom=False, pad=1)
        ax.spines[:].set_visible(False)
        ax.set_title(title, fontsize="medium")
    return ax


def _cell(ax: Axes, j: int, k: int, is_read: bool) -> None:
    """One cell: empty, fair, or with a cross where the prediction cheats."""
    colour = _CHEATING if k >= j else _FAIR
    corner, side = (k + _GAP / 2, j + _GAP / 2), 1 - _GAP
    face = colour if is_read else "none"
    edge = colour if is_read else INK
    alpha = 1.0 if is_read else 0.35
    ax.add_patch(Rectangle(corner, side, side, facecolor=face, edgecolor=edge, alpha=alpha))
    if is_read and k >= j:
        ax.plot([k + 0.3, k + 0.7], [j + 0.3, j + 0.7], color=GROUND, linewidth=1)
        ax.plot([k + 0.3, k + 0.7], [j + 0.7, j + 0.3], color=GROUND, linewidth=1)


def exhibit(
    sound: Sequence[Sequence[float]],
    broken: Sequence[Sequence[float]],
    width: int,
    ax: Axes,
    title: str,
) -> Axes:
    """Draws one quantity of sound runs and of runs with a bug, as medians in bands of all starts.

    Args:
        sound: for each start the means of ``width`` updates, drawn grey and dashed.
        broken: likewise, drawn in colour.
        width: updates of one point.
        ax: where to draw, made within ``book_style()``.
        title: the exhibit's letter, and what is drawn.

    Raises:
        MtcourseError: the runs are not equally long, or there is none.

    Chapter 12.
    """
    if len({len(run) for run in (*sound, *broken)}) != 1:
        raise MtcourseError("an exhibit needs runs of one length, sound and broken ones")
    with book_style():
        for runs, colour, style in ((sound, INK, "--"), (broken, _CHEATING, "-")):
            columns = list(zip(*runs, strict=True))
            x = [width * (i + 0.5) for i in range(len(columns))]
            low, high = list(map(min, columns)), list(map(max, columns))
            ax.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
            ax.plot(x, list(map(median, columns)), style, color=colour, linewidth=1.5)
        ax.set_title(title, fontsize="medium", loc="left")
        ax.grid(color=INK, alpha=0.25)
        ax.tick_params(labelsize="small")
    return ax
