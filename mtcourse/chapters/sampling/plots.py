"""Figures of chapter 19: next-token distributions, frontiers, lengths and reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS, LINE_STYLES, book_style

_MARKERS = ("o", "s", "^", "D")


def next_token_bars(
    pieces: Sequence[str], before: Sequence[float], after: Sequence[float], title: str, ax: Axes
) -> Axes:
    """Draws the probabilities of some tokens: outlines before a filter, filled bars after it.

    Args:
        pieces: the tokens, one row each, the first on top.
        before: their probabilities under the model.
        after: their probabilities after the filter; 0 where a token is excluded.
        title: the filter.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the numbers of tokens and probabilities differ.

    Chapter 19.
    """
    if not len(pieces) == len(before) == len(after):
        raise MtcourseError(
            f"{len(pieces)} tokens with {len(before)} and {len(after)} probabilities: give one of "
            "each for every token"
        )
    with book_style():
        rows = list(range(len(pieces)))
        ax.barh(rows, after, color=LINE_COLOURS[0], height=0.72)
        ax.barh(rows, before, fill=False, edgecolor=INK, height=0.72, linewidth=0.9)
        names = [piece if p > 0 else f"({piece})" for piece, p in zip(pieces, after, strict=True)]
        ax.set_yticks(rows, names)
        ax.invert_yaxis()
        ax.set_title(title, fontsize="medium")
        ax.tick_params(axis="y", length=0)
    return ax


def frontier(points: Mapping[str, Mapping[str, Any]], ax: Axes) -> Axes:
    """Draws chrF against diversity, a line for each family of settings, with 95% intervals.

    Args:
        points: for each family and setting "chrF" and "diversity", each a value with its interval.
        ax: where to draw, made within ``book_style()``.

    Chapter 19.
    """
    with book_style():
        looks = zip(LINE_COLOURS, LINE_STYLES, _MARKERS, strict=False)
        for (family, settings), (colour, style, marker) in zip(points.items(), looks, strict=False):
            x, y = (
                [of[axis] for of in settings.values()] for axis in ("diversity", "chrF")
            )  # each a value, low, high
            ax.errorbar(
                [one for one, _, _ in x],
                [one for one, _, _ in y],
                xerr=[[a - low for a, low, _ in x], [high - a for a, _, high in x]],
                yerr=[[a - low for a, low, _ in y], [high - a for a, _, high in y]],
                color=colour, linestyle=style, marker=marker, markersize=4.5, linewidth=1.4,
                elinewidth=0.5, label=family,
            )  # fmt: skip
        ax.set_xlabel("diversity: 100 − chrF of a sentence's samples against each other")
        ax.set_ylabel("chrF of the samples")
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax


def length_steps(counts: Mapping[str, Sequence[int]], ax: Axes) -> Axes:
    """Draws the share of texts against their number of words, a stepped line for each writer.

    Args:
        counts: for each writer the number of texts with 0, 1, 2, … words.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: a writer has no text.

    Chapter 19.
    """
    if empty := [name for name, of in counts.items() if not sum(of)]:
        raise MtcourseError(f"there is no text of {', '.join(empty)}")
    with book_style():
        for (name, of), colour, style in zip(
            counts.items(), LINE_COLOURS, LINE_STYLES, strict=False
        ):
            shares = [100 * n / sum(of) for n in of]
            ax.step(
                range(len(shares)), shares, where="mid", color=colour, linestyle=style, label=name
            )
        ax.set_xticks(range(0, max(map(len, counts.values())), 2))
        ax.set_xlabel("words")
        ax.set_ylabel("% of the texts")
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax


def reliability_lines(of_kinds: Mapping[str, Sequence[Sequence[float | int]]], ax: Axes) -> Axes:
    """Draws the share of right predictions against the confidence, with the diagonal.

    Args:
        of_kinds: for each kind of model its bins: predictions, mean confidence, share that is
            right. Empty bins are left out.
        ax: where to draw, made within ``book_style()``.

    Chapter 19.
    """
    with book_style():
        ax.plot([0, 100], [0, 100], color=INK, linewidth=0.8, label="calibrated")
        looks = zip(LINE_COLOURS, LINE_STYLES, _MARKERS, strict=False)
        for (name, bins), (colour, style, marker) in zip(of_kinds.items(), looks, strict=False):
            known = [(100 * sure, 100 * right) for n, sure, right in bins if n]
            x, y = zip(*known, strict=True)
            ax.plot(x, y, color=colour, linestyle=style, marker=marker, markersize=4.5, label=name)
        ax.set_xlabel("confidence (%)")
        ax.set_ylabel("right (%)")
        ax.set_aspect("equal")
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax
