"""Pictures of chapter 15: what a masked sentence asks for, and what a row may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mtcourse.chapters.encoder_models.cloze import share_interval
from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box, piece_box
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

_BLUE, _ORANGE, *_ = LINE_COLOURS


def masked_sentence(inputs: Sequence[str], labels: Sequence[str], ax: Axes) -> Axes:
    """Draws what the encoder reads in a row of boxes, and above it what is asked for (C26).

    Args:
        inputs: the pieces that the model reads.
        labels: the piece asked for at each position, empty where nothing counts.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the two differ in length.

    Chapter 15.
    """
    if len(inputs) != len(labels):
        raise MtcourseError(f"{len(inputs)} inputs and {len(labels)} labels: give one for each")
    with book_style():
        for t, (piece, label) in enumerate(zip(inputs, labels, strict=True)):
            colour = _ORANGE if label else INK
            piece_box(ax, t, piece, colour)
            if label:
                arrow(ax, (t + 0.5, 1.5), (t + 0.5, 2.0), _ORANGE)
                ax.text(t + 0.5, 2.2, label, ha="center", va="center", fontsize="small")
        box(
            ax, 0.04, 0.8, len(inputs) - 0.08, 0.6, "encoder: every row reads every position", _BLUE
        )
        ax.set(xlim=(-0.1, len(inputs) + 0.1), ylim=(-0.55, 2.5))
        ax.axis("off")
    return ax


def reading_grid(reads: Sequence[Sequence[bool]], title: str, ax: Axes) -> Axes:
    """Draws which inputs each row's prediction depends on; the row's own input has a frame.

    Args:
        reads: for each row, whether it depends on each input.
        title: of the picture.
        ax: where to draw, made within ``book_style()``.

    Chapter 15.
    """
    n = len(reads)
    with book_style():
        for t, row in enumerate(reads):
            for s, depends in enumerate(row):
                look = {"facecolor": (_BLUE, 0.75) if depends else "none", "edgecolor": INK}
                ax.add_patch(Rectangle((s + 0.06, t + 0.06), 0.88, 0.88, linewidth=0.5, **look))
                if s == t:
                    frame = {"facecolor": "none", "edgecolor": _ORANGE, "linewidth": 2}
                    ax.add_patch(Rectangle((s + 0.06, t + 0.06), 0.88, 0.88, **frame))
        ax.set(xlim=(0, n), ylim=(n, 0), xlabel="input $s$", title=title)
        ax.set_aspect("equal")
        middles = [t + 0.5 for t in range(n)]
        ax.set_xticks(middles, [str(t) for t in range(n)])
        ax.set_yticks(middles, [str(t) for t in range(n)])
        ax.tick_params(length=0)
        for spine in ax.spines.values():
            spine.set_visible(False)
    return ax


def accuracy_by_distance(
    hits: Mapping[str, Mapping[int, Sequence[bool]]], ax: Axes, chance: float = 0.5
) -> Axes:
    """Draws the share of right answers by distance, with 95% intervals.

    Args:
        hits: for each kind and distance, whether each answer was right.
        ax: where to draw, made within ``book_style()``.
        chance: what guessing scores.

    Chapter 15.
    """
    with book_style():
        looks = zip(LINE_COLOURS, ("o", "s", "^", "D"), strict=True)
        for number, ((kind, of_distance), (colour, marker)) in enumerate(
            zip(hits.items(), looks, strict=False)
        ):
            shares = [sum(found) / len(found) for found in of_distance.values()]
            ends = [share_interval(sum(found), len(found)) for found in of_distance.values()]
            x = [distance + 0.12 * number for distance in of_distance]
            errors = [
                [100 * (share - low) for share, (low, _) in zip(shares, ends, strict=True)],
                [100 * (high - share) for share, (_, high) in zip(shares, ends, strict=True)],
            ]
            ax.errorbar(
                x, [100 * share for share in shares], errors, color=colour, marker=marker,
                linestyle="", capsize=3, label=kind,
            )  # fmt: skip
        ax.axhline(100 * chance, color=INK, linestyle=":")
        ax.set(xlabel="words from the blank to its evidence", ylabel="% right", ylim=(30, 102))
        most = max(distance for of_distance in hits.values() for distance in of_distance)
        ax.set_xticks(range(1, most + 1), [*map(str, range(1, most)), f"{most} or more"])
        # Above: within, the marks of a legend look like results.
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(hits))
    return ax
