"""Pictures of chapter 18: a tree of prefixes, and what the width of a beam does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, NullLocator

from mtcourse.chapters.search.toy import END, next_words
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, Point, book_style

_BLUE, _ORANGE, _GREEN, _VIOLET = LINE_COLOURS
Words = tuple[str, ...]


def tree_of_prefixes(greedy: Words, kept: Sequence[Words], ax: Axes) -> Axes:
    """Draws all prefixes of the toy model, what greedy search takes, and what a beam keeps.

    Args:
        greedy: the sentence that greedy search finds.
        kept: the prefixes that beam search keeps.
        ax: where to draw, made within ``book_style()``.

    Chapter 18.
    """
    places: dict[Words, tuple[float, float]] = {}
    shares: dict[Words, float] = {(): 1.0}
    leaves = 0

    def put(words: Words) -> float:
        nonlocal leaves
        children = [] if words[-1:] == (END,) else list(next_words(words).items())
        heights = []
        for word, share in children:
            shares[(*words, word)] = shares[words] * share
            if word != END:
                heights.append(put((*words, word)))
        if not heights:
            heights = [float(leaves)]
            leaves += 1
        places[words] = (len(words), sum(heights) / len(heights))
        return places[words][1]

    put(())
    with book_style():
        for words, (x, y) in places.items():
            if not words:
                continue
            from_x, from_y = places[words[:-1]]
            is_kept, is_greedy = words in kept, words == greedy[: len(words)]
            look = {"color": _BLUE if is_kept else INK, "linewidth": 3.0 if is_kept else 1.0}
            ax.plot([from_x + 0.1, x - 0.36], [from_y, y], zorder=1, **look)
            if is_greedy:
                ax.plot(
                    [from_x + 0.1, x - 0.36], [from_y - 0.13, y - 0.13], color=_ORANGE,
                    linestyle="--", linewidth=1.8,
                )  # fmt: skip
            ax.text(x - 0.32, y, words[-1], va="center", fontweight="bold" if is_kept else None)
            ax.text(
                x + 0.06, y + 0.29, f"{shares[words]:.3f}", fontsize="small", va="center",
                ha="right",
            )  # fmt: skip
        ax.text(-0.06, places[()][1], "start", va="center", ha="center")
        ax.set(xlim=(-0.35, 3.35), ylim=(leaves - 0.4, -0.6))
        ax.axis("off")
    return ax


def by_width(
    series: Mapping[str, Sequence[Point]], y_label: str, ax: Axes, legend: bool = True
) -> Axes:
    """Draws something by the width of the beam, on a logarithmic scale.

    Args:
        series: for each name its points (width, value).
        y_label: what the value is, with its unit.
        ax: where to draw, made within ``book_style()``.
        legend: whether the names are shown.

    Raises:
        MtcourseError: there are more curves than can be told apart.

    Chapter 18.
    """
    if len(series) > len(LINE_STYLES):
        raise MtcourseError(f"{len(series)} curves: a figure takes {len(LINE_STYLES)} at most")
    with book_style():
        looks = zip(LINE_COLOURS, LINE_STYLES, ("o", "s", "^", "D"), strict=True)
        for (name, points), (colour, style, marker) in zip(series.items(), looks, strict=False):
            x, y = zip(*points, strict=True)
            ax.plot(x, y, linestyle=style, marker=marker, color=colour, label=name, markersize=4)
        widths = sorted({x for points in series.values() for x, _ in points})
        ax.set_xscale("log", base=2)
        ax.set_xticks(widths, [f"{width:g}" for width in widths])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("beam width $B$")
        ax.set_ylabel(y_label)
        ax.grid(color=INK, alpha=0.25)
        if legend:
            ax.legend()
    return ax


def empty_and_best(bins: Sequence[Mapping], ax: Axes) -> Axes:
    """Draws log p of the empty sentence and of the best other one by the length of the source.

    Args:
        bins: for each range of lengths ``words`` and, for each sentence, ``empty and best``.
        ax: where to draw, made within ``book_style()``.

    Chapter 18.
    """
    with book_style():
        names = [f"{low} to {high}" for low, high in (of["words"] for of in bins)]
        looks = (
            ("the empty sentence", _ORANGE, "s", "--"),
            ("the best other one", _BLUE, "o", "-"),
        )
        for column, (name, colour, marker, style) in enumerate(looks):
            middles = []
            for place, of in enumerate(bins):
                values = sorted(pair[column] for pair in of["empty and best"])
                middles.append(median(values))
                tenth = len(values) // 10
                ax.plot(
                    [place + 0.12 * column - 0.06] * 2, [values[tenth], values[-1 - tenth]],
                    color=colour, alpha=0.5, linewidth=3,
                )  # fmt: skip
            ax.plot(
                [place + 0.12 * column - 0.06 for place in range(len(bins))], middles, color=colour,
                marker=marker, linestyle=style, label=name,
            )  # fmt: skip
        ax.set_xticks(range(len(bins)), names)
        ax.set_xlabel("words of the source")
        ax.set_ylabel(r"$\log p$")
        ax.grid(axis="y", color=INK, alpha=0.25)
        ax.legend(loc="upper right")
    return ax
