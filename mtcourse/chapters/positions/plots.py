"""Pictures of rows and positions: tables, clock hands, level lines (chapter 3)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Circle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, SIGNED, book_style
from mtcourse.layers.positions import angular_speeds


def row_strips(
    names: Sequence[str], rows: Float[Tensor, "n d"], ax: Axes, limit: float = 1.0
) -> Axes:
    """Draws a matrix as strips of colour, a named row for each token or position.

    Args:
        names: the names of the rows, from the top; an empty name is not written.
        rows: the matrix.
        ax: where to draw, made within ``book_style()``.
        limit: full blue stands for this, full orange for minus this.

    Raises:
        MtcourseError: there is another number of names than of rows.
    """
    if len(names) != len(rows):
        raise MtcourseError(f"{len(names)} names do not fit {len(rows)} rows")
    with book_style():
        values = rows.detach().float().cpu().numpy()
        ax.imshow(values, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto")
        named = [place for place, name in enumerate(names) if name]
        ax.set_yticks(named, [names[place] for place in named])
        ax.set_xticks([])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    return ax


def clock_hands(positions: Sequence[int], d_model: int, ax: Axes, base: float = 10_000.0) -> Axes:
    """Draws a row of clocks for each position; the hand of clock i stands at the angle pos omega_i.

    A hand points up at position 0 and turns clockwise, so that its tip lies at (sin, cos).

    Args:
        positions: a row of clocks for each.
        d_model: two columns for each clock.
        ax: where to draw, made within ``book_style()``.
        base: as for ``angular_speeds``.
    """
    speeds = angular_speeds(d_model, base)
    with book_style():
        for row, position in enumerate(positions):
            y = -2.4 * row
            ax.text(-1.5, y, f"{position}", ha="right", va="center")
            for clock, angle in enumerate((position * speeds).tolist()):
                x = 2.4 * clock
                ax.add_patch(Circle((x, y), 1, fill=False, edgecolor=INK, linewidth=0.8))
                tip = torch.tensor([angle]).sin().item(), torch.tensor([angle]).cos().item()
                style = {"color": LINE_COLOURS[clock % 4], "linewidth": 2.2}
                ax.plot([x, x + tip[0]], [y, y + tip[1]], **style, solid_capstyle="round")
        for clock, speed in enumerate(speeds.tolist()):
            turn = 2 * torch.pi / speed
            ax.text(2.4 * clock, 1.3, f"{turn:,.0f}", ha="center", va="bottom", fontsize="small")
        ax.text(-1.5, 1.3, "one turn takes", ha="right", va="bottom", fontsize="small")
        right, below = 2.4 * len(speeds) - 1.2, -2.4 * len(positions) + 1.2
        ax.set(xlim=(-5.2, right), ylim=(below, 2.4), aspect="equal")
        ax.axis("off")
    return ax


def limit_line(y: float, text: str, ax: Axes) -> Axes:
    """Draws a level line that a curve should not cross, with a name.

    Args:
        y: its height.
        text: the name, for the legend.
        ax: where the curves are drawn.
    """
    with book_style():
        ends = ax.get_xlim()
        ax.plot(ends, [y, y], color=INK, linestyle=LINE_STYLES[1], linewidth=1.2, label=text)
        ax.set_xlim(ends)
    return ax
