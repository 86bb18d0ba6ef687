"""Pictures of document A's model, put together and tested (chapter 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

_BLUE, _ORANGE, _GREEN, _ = LINE_COLOURS
_WIDTH, _HEIGHT = 3.7, 0.74
_BASELINES = 0.45, 0.12  # of a box's texts, so that indices and hats move none of them

# What is done, the name of what comes out, its shape, and where it stands: column and row.
_STEPS = {
    "H": ("look up", r"$\tilde H$", r"$n \times d$", 0, 0),
    "A": ("self-attention", "$A$", r"$n \times d$", 0, 1),
    "HE": ("feed-forward", "$H_E$", r"$n \times d$", 0, 2),
    "G": ("look up", "$G$", r"$m \times d$", 1, 0),
    "AD": ("masked self-attention", "$A_D$", r"$m \times d$", 1, 1),
    "AC": ("cross-attention", "$A_C$", r"$m \times d$", 1, 2),
    "HD": ("feed-forward", "$H_D$", r"$m \times d$", 1, 3),
    "Y": ("softmax", r"$\hat Y{}^\top$", r"$m \times V_t$", 1, 4),
}
_ARROWS = ("H>A", "A>HE", "G>AD", "AD>AC", "AC>HD", "HD>Y", "HE>AC")


def wiring(ax: Axes, repairs: Sequence[str] = ()) -> Axes:
    """Draws the model as boxes, each with what it makes and its shape.

    Args:
        ax: where to draw, made within ``book_style()``.
        repairs: what is drawn in colour at the decoder's foot: "shift", "positions", or both.

    Raises:
        MtcourseError: a repair is neither of the two.
    """
    if unknown := sorted(set(repairs) - {"shift", "positions"}):
        raise MtcourseError(
            f"there is no repair called {', '.join(unknown)}; there are shift and positions"
        )
    with book_style():
        for does, name, shape, column, row in _STEPS.values():
            colour = _GREEN if name == "$H_E$" else (_BLUE, _ORANGE)[column]
            _step(ax, *_corner(column, row), f"{does}: {name}", shape, colour)
        for arrow in _ARROWS:
            _join(ax, *arrow.split(">"))
        _input(ax, 0, "source $X$", "+ $P$")
        read = "target $Y$, shifted" if "shift" in repairs else "target $Y$"
        _input(ax, 1, read, "+ $P$" if "positions" in repairs else "", bool(repairs))
        ax.set(xlim=(-0.2, 8.7), ylim=(-1.25, 4.87))
        ax.axis("off")
    return ax


def next_words(
    candidates: Mapping[str, Mapping[str, float]], ax: Axes, x_label: str = "probability"
) -> Axes:
    """Draws what a model would write next, after each of some prefixes.

    Args:
        candidates: for each prefix the probability of each word; the same words everywhere.
        ax: where to draw, made within ``book_style()``.
        x_label: what the bars are.

    Raises:
        MtcourseError: the words differ, or there are more prefixes than can be told apart.
    """
    words = [tuple(of_one) for of_one in candidates.values()]
    if len(set(words)) != 1 or len(words) > len(LINE_COLOURS):
        raise MtcourseError("the prefixes need the same words, and there may be four of them")
    with book_style():
        height = 0.8 / len(candidates)
        looks = zip(LINE_COLOURS, ("", "///", "...", "xxx"), strict=True)
        for at, ((name, of_one), (colour, hatch)) in enumerate(
            zip(candidates.items(), looks, strict=False)
        ):
            places = [row + (at + 0.5) * height - 0.4 for row in range(len(of_one))]
            ax.barh(
                places, list(of_one.values()), height=0.85 * height, color=(colour, 0.55),
                edgecolor=colour, hatch=hatch, label=name,
            )  # fmt: skip
        ax.set_yticks(range(len(words[0])), words[0])
        ax.invert_yaxis()
        ax.set(xlim=(0, 1), xlabel=x_label)
        ax.tick_params(axis="y", length=0)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18))
    return ax


def agreement_map(
    agrees: Float[Tensor, "rows columns"],
    rows: Sequence[str],
    columns: Sequence[str],
    ax: Axes,
) -> Axes:
    """Writes a share into each cell of a small table and tints it.

    Args:
        agrees: shares from 0 to 1.
        rows: their names.
        columns: their names.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the shares have another shape than the names.
    """
    if tuple(agrees.shape) != (len(rows), len(columns)):
        raise MtcourseError(
            f"shares of shape {tuple(agrees.shape)} do not fit {len(rows)} rows and "
            f"{len(columns)} columns"
        )
    with book_style():
        for i, row in enumerate(agrees.tolist()):
            for j, share in enumerate(row):
                place = (j + 0.03, i + 0.06)
                cell = Rectangle(
                    place, 0.94, 0.88, facecolor=(_BLUE, 0.04 + 0.16 * share), edgecolor=_BLUE
                )
                ax.add_patch(cell)
                ax.text(j + 0.5, i + 0.5, f"{share:.0%}", ha="center", va="center")
        ax.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
        ax.set_xticks([j + 0.5 for j in range(len(columns))], columns)
        ax.set_yticks([i + 0.5 for i in range(len(rows))], rows)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
    return ax


def _corner(column: int, row: int) -> tuple[float, float]:
    return column * 4.8, float(row)


def _step(ax: Axes, x: float, y: float, text: str, shape: str, colour: str) -> None:
    box(ax, x, y, _WIDTH, _HEIGHT, colour=colour)
    for line, baseline in zip((text, shape), _BASELINES, strict=True):
        ax.text(x + _WIDTH / 2, y + baseline, line, ha="center", fontsize="small")


def _join(ax: Axes, before: str, after: str) -> None:
    """An arrow: upwards within a column, sideways from the encoder to the decoder."""
    x, y = _corner(*_STEPS[before][3:])
    to_x, to_y = _corner(*_STEPS[after][3:])
    middle = _WIDTH / 2
    if x == to_x:
        ends = (x + middle, y + _HEIGHT), (x + middle, to_y)
    else:
        ends = (x + _WIDTH, y + _HEIGHT / 2), (to_x, to_y + _HEIGHT / 2)
    arrow(ax, *ends)


def _input(ax: Axes, column: int, read: str, added: str, repaired: bool = False) -> None:
    """The sentence at a column's foot, and what is added to its rows."""
    x, y = _corner(column, 0)
    colour = _ORANGE if repaired else INK
    start, end = (x + _WIDTH / 2, -0.75), (x + _WIDTH / 2, y)
    arrow(ax, start, end)
    ax.text(x + _WIDTH / 2, -1.0, read, ha="center", va="center", color=colour)
    ax.text(x + _WIDTH / 2 + 0.15, -0.42, added, va="center", color=colour, fontsize="small")
