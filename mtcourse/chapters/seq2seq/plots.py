"""Pictures of chapter 17: the whole encoder-decoder, what is read, and what changes do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import COLOUR_MAP, INK, LINE_COLOURS, book_style

_BLUE, _ORANGE, _GREEN, _VIOLET = LINE_COLOURS
Kept = Mapping[str, Mapping[str, Sequence[float]]]
"""For each change, and for each kind of word, a share for each start."""


def whole_picture(ax: Axes) -> Axes:
    """Draws document C's encoder-decoder, with each claim at its place (C34 to C41).

    Args:
        ax: where to draw, made within ``book_style()``.

    Chapter 17.
    """
    with book_style():
        left, right, wide = 0.0, 5.2, 4.0
        middle = wide / 2
        ax.text(left + middle, 0.25, r"English $x_1, \dots, x_M$", ha="center", va="center")
        box(ax, left, 0.8, wide, 0.8, "embeddings $e^{src}_m$ (C34)", _BLUE)
        box(ax, left, 2.3, wide, 1.5, "encoder: self-attention\nin both directions (C34)", _BLUE)
        box(ax, left, 4.5, wide, 0.8, r"$z_1, \dots, z_M$ (C34)", _BLUE)
        for bottom, top in ((0.45, 0.8), (1.6, 2.3), (3.8, 4.5)):
            arrow(ax, (left + middle, bottom), (left + middle, top))
        ax.text(
            right + middle, 0.25, r"$\langle start\rangle, y_1, \dots, y_{N-1}$ (C35)",
            ha="center", va="center",
        )  # fmt: skip
        of_decoder = (
            (0.8, 0.8, "embeddings $e^{tgt}_n$", _ORANGE),
            (2.3, 1.5, "masked self-attention: $\\hat h_n$\nreads no later $y$ (C41)", _ORANGE),
            (4.5, 0.8, r"queries $q_n = \hat h_n W^Q$ (C36)", _GREEN),
            (6.0, 1.2, "weights $\\alpha_{n,m}$ and context\n"
             "$c_n = \\sum_m \\alpha_{n,m} v_m$ (C37)", _GREEN),
            (7.9, 1.2, "$u_n = \\mathrm{LayerNorm}(\\hat h_n + c_n)$\n"
             "$h_n = \\mathrm{FFN}(u_n)$ (C38)", _ORANGE),
            (9.8, 1.2, "softmax$(h_n W^{tgt} + b^{tgt})$\n"
             r"$= p(y_n \mid y_{<n}, x)$ (C39)", _VIOLET),
        )  # fmt: skip
        top = 0.45
        for bottom, height, text, colour in of_decoder:
            arrow(ax, (right + middle, top), (right + middle, bottom))
            box(ax, right, bottom, wide, height, text, colour)
            top = bottom + height
        arrow(ax, (right + middle, top), (right + middle, 11.7))
        ax.text(right + middle, 12.0, r"loss on $y_1, \dots, y_N$ (C35)", ha="center", va="center")
        box(ax, left, 6.0, wide, 1.2, "keys $k_m = z_m W^K$\nvalues $v_m = z_m W^V$ (C36)", _GREEN)
        arrow(ax, (left + middle, 5.3), (left + middle, 6.0))
        arrow(ax, (left + wide, 6.6), (right, 6.6), _GREEN)
        ax.text(
            (left + wide + right) / 2, 7.35, "every $z_m$\n(C41)", ha="center", va="center",
            fontsize="small",
        )  # fmt: skip
        # Backwards, from the loss into both towers.
        back = {"arrowstyle": "-|>", "mutation_scale": 10, "linewidth": 1.2, "linestyle": "--"}
        ax.add_patch(
            FancyArrowPatch(
                (right - 0.1, 12.0), (left + middle, 7.3), connectionstyle="arc3,rad=0.25",
                color=INK, **back,
            )
        )  # fmt: skip
        ax.text(
            left + 1.6, 10.9, "gradients of one loss\nreach all weights (C40)",
            ha="center", va="center", fontsize="small",
        )  # fmt: skip
        ax.set(xlim=(-0.1, 9.3), ylim=(-0.1, 12.4))
        ax.axis("off")
    return ax


def reads_of_pair(
    reads: Sequence[Sequence[bool]], names: Sequence[str], source: int, title: str, ax: Axes
) -> Axes:
    """Draws which inputs each hidden state depends on, source and target apart.

    Args:
        reads: for each hidden state, whether it depends on each input.
        names: of the inputs.
        source: how many of them belong to the source.
        title: of the picture.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: there is not one name for each input.

    Chapter 17.
    """
    n = len(reads)
    if len(names) != n:
        raise MtcourseError(f"{n} inputs and {len(names)} names: give one for each")
    with book_style():
        for i, row in enumerate(reads):
            for j, depends in enumerate(row):
                colour = _BLUE if j < source else _ORANGE
                ax.add_patch(
                    Rectangle(
                        (j + 0.06, i + 0.06), 0.88, 0.88, linewidth=0.5, edgecolor=INK,
                        facecolor=(colour, 0.75) if depends else "none",
                    )
                )  # fmt: skip
        for place in (source,):
            ax.axhline(place, color=INK, linewidth=1.6)
            ax.axvline(place, color=INK, linewidth=1.6)
        ax.set(xlim=(0, n), ylim=(n, 0), title=title)
        ax.set_aspect("equal")
        middles = [i + 0.5 for i in range(n)]
        ax.set_xticks(middles, names, rotation=60, ha="right", rotation_mode="anchor")
        ax.set_yticks(middles, names)
        ax.tick_params(length=0, labelsize="small")
        ax.spines[:].set_visible(False)
    return ax


def kept_dots(kept: Kept, ax: Axes) -> Axes:
    """Draws for each change which share of each kind of word survives: starts and their median.

    Args:
        kept: shares between 0 and 1, by change and kind.
        ax: where to draw, made within ``book_style()``.

    Chapter 17.
    """
    with book_style():
        looks = dict(zip(next(iter(kept.values())), ((_BLUE, "o"), (_ORANGE, "s")), strict=True))
        for row, of_kind in enumerate(kept.values()):
            for number, (kind, shares) in enumerate(of_kind.items()):
                colour, marker = looks[kind]
                height = row - 0.16 + 0.32 * number
                percent = [100 * share for share in shares]
                middle = median(percent)
                ax.plot(
                    percent, [height] * len(percent), marker, color=colour, alpha=0.6,
                    markersize=5, markeredgewidth=0, label=kind if row == 0 else None,
                )  # fmt: skip
                ends = [height - 0.13, height + 0.13]
                ax.plot([middle, middle], ends, color=colour, linewidth=2.5)
        ax.set_yticks(range(len(kept)), list(kept))
        ax.set(ylim=(len(kept) - 0.5, -0.5), xlim=(0, 102), xlabel="% of words kept")
        ax.tick_params(axis="y", length=0)
        ax.grid(axis="x", color=INK, alpha=0.25)
        ax.legend(loc="upper center", bbox_to_anchor=(0.45, 1.12), ncols=2)
    return ax


def word_map(
    source: Sequence[str],
    target: Sequence[str],
    values: Float[Tensor, "m n"],
    label: str,
    ax: Axes,
    links: Sequence[tuple[int, int]] = (),
) -> Axes:
    """Draws a number for each pair of words, and frames the known links.

    Args:
        source: words, along the columns.
        target: words, along the rows.
        values: the numbers.
        label: what they are, with their unit.
        ax: where to draw, made within ``book_style()``.
        links: pairs of a source word and a target word.

    Raises:
        MtcourseError: the numbers do not fit the words.

    Chapter 17.
    """
    if tuple(values.shape) != (len(target), len(source)):
        raise MtcourseError(
            f"values of shape {tuple(values.shape)} do not fit {len(target)} target words (rows) "
            f"and {len(source)} source words (columns)"
        )
    with book_style():
        image = ax.imshow(values.detach().float().numpy(), cmap=COLOUR_MAP, aspect="auto", vmin=0)
        for i, j in links:
            ax.add_patch(
                Rectangle(
                    (i - 0.5, j - 0.5), 1, 1, facecolor="none", edgecolor=_ORANGE, linewidth=2
                )
            )
        ax.set_xticks(range(len(source)), source, rotation=60, ha="left", rotation_mode="anchor")
        ax.set_yticks(range(len(target)), target)
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.spines[:].set_visible(False)
        bar = ax.figure.colorbar(image, ax=ax, label=label, orientation="horizontal")
        bar.outline.set_visible(False)
    return ax
