"""Figures of losses and of the gradients that flow back from them (chapter 8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import Spread
from mtcourse.figures.style import INK, LINE_COLOURS, Point, book_style

BLUE, ORANGE, GREEN, _ = LINE_COLOURS


def token_bars(
    pieces: Sequence[str],
    losses: Float[Tensor, " m"],
    ax: Axes,
    chosen: Iterable[int] = (),
    top: float | None = None,
) -> Axes:
    """Draws the loss of each token of a sentence as a bar over the token.

    Args:
        pieces: the tokens.
        losses: -log p of each, in nats.
        ax: where to draw, made within ``book_style()``.
        chosen: positions of the tokens to draw in orange.
        top: the upper end of the axis; by default a little above the largest loss.

    Raises:
        MtcourseError: the number of losses differs from the number of tokens.
    """
    if len(pieces) != len(losses):
        raise MtcourseError(
            f"{len(losses)} losses do not fit {len(pieces)} tokens: each token has one loss"
        )
    chosen = set(chosen)
    with book_style():
        colours = [ORANGE if j in chosen else BLUE for j in range(len(pieces))]
        hatches = ["//" if j in chosen else "" for j in range(len(pieces))]
        bars = ax.bar(range(len(pieces)), losses.tolist(), color=colours, width=0.6, hatch=hatches)
        ax.bar_label(bars, fmt="%.2f", padding=2, color=INK, fontsize="small")
        ax.set_xticks(range(len(pieces)), [piece.removeprefix("▁") or "␣" for piece in pieces])
        ax.set_ylim(0, top or 1.2 * float(losses.max()))
        ax.set_ylabel("nats")
    return ax


def pulled_words(
    names: Sequence[str],
    probabilities: Float[Tensor, " V"],
    gradient: Float[Tensor, " V"],
    ax: Axes,
) -> Axes:
    """Draws the probability of some words and the gradient of the loss at their logits.

    Args:
        names: the words, the most probable first.
        probabilities: of each word.
        gradient: of the loss with respect to each logit; a step of learning goes against it.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        rows = list(range(len(names)))
        upper, lower = [row - 0.18 for row in rows], [row + 0.18 for row in rows]
        ax.barh(upper, probabilities.tolist(), color=BLUE, height=0.34, label="probability")
        label = "gradient at the logit"
        ax.barh(lower, gradient.tolist(), color=ORANGE, height=0.34, hatch="//", label=label)
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(rows, names)
        ax.invert_yaxis()
        ax.set_xlim(-1.05, 1.05)
        ax.legend(loc="lower right")
    return ax


def there_and_back(
    places: Mapping[str, Point], steps: Iterable[tuple[str, str, str]], ax: Axes
) -> Axes:
    """Draws the matrices of a forward pass, the weights between them, and the way back.

    Args:
        places: where the centre of each matrix's name stands.
        steps: (from, to, weights): an arrow forward, labelled with the weights, and one back.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: a step begins or ends at a matrix without a place.
    """
    with book_style():
        for start, end, weights in steps:
            if not {start, end} <= set(places):
                raise MtcourseError(
                    f"the step from {start} to {end} needs a place for both; "
                    f"places has {', '.join(places)}"
                )
            _both_ways(ax, places[start], places[end], weights)
        for name, (x, y) in places.items():
            box = {"boxstyle": "round,pad=0.3", "facecolor": "none", "edgecolor": INK}
            ax.text(x, y, name, ha="center", va="center", bbox=box)
        across, up = zip(*places.values(), strict=True)
        ax.set(xlim=(min(across) - 0.6, max(across) + 0.6), ylim=(min(up) - 0.5, max(up) + 0.5))
        ax.axis("off")
    return ax


def gradient_sizes(norms: Mapping[str, Mapping[str, Sequence[float]]], ax: Axes) -> Axes:
    """Draws the norm of each weight's gradient, in several states of a model, from several starts.

    Args:
        norms: for each state, by the name of the weight, one norm for each start. All states name
            the same weights. The mark stands at the median, in a line from lowest to highest.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        looks = zip(LINE_COLOURS, ("o", "s", "^", "x"), strict=True)
        for (state, of_state), (colour, mark) in zip(norms.items(), looks, strict=False):
            rows = range(len(of_state))
            spreads = [Spread.of(of_starts) for of_starts in of_state.values()]
            lows, highs = [spread.low for spread in spreads], [spread.high for spread in spreads]
            ax.hlines(rows, lows, highs, color=colour, alpha=0.5)
            ax.plot([spread.median for spread in spreads], rows, mark, color=colour, label=state)
        names = list(next(iter(norms.values())))
        ax.set_yticks(range(len(names)), names)
        ax.invert_yaxis()
        ax.set(xscale="log", xlabel="norm of the gradient")
        ax.grid(color=INK, alpha=0.25)
        # Above the axes: within them its marks would look like those of a weight.
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(norms))
    return ax


def histogram(
    values: Float[Tensor, " n"], mark: float, says: str, x_label: str, ax: Axes, bins: int = 50
) -> Axes:
    """Draws a histogram of values from 0 to 1, with a line at one of them.

    Args:
        values: from 0 to 1.
        mark: where the line stands.
        says: the line's label.
        x_label: what the values are.
        ax: where to draw, made within ``book_style()``.
        bins: number of columns.
    """
    with book_style():
        ax.hist(values.tolist(), bins=bins, range=(0, 1), color=BLUE, alpha=0.7)
        ax.axvline(mark, color=ORANGE, linestyle="--", linewidth=2, label=says)
        ax.set(yscale="log", xlabel=x_label, ylabel="tokens")
        ax.legend(loc="upper left")
    return ax


def _both_ways(ax: Axes, start: Point, end: Point, weights: str) -> None:
    """Draws a grey arrow forward and an orange one back beside it."""
    (x, y), (u, v) = start, end
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    across, up = (u - x) / length, (v - y) / length
    side = (-0.05 * up, 0.05 * across)
    margin = 0.24 * abs(across) + 0.2 * abs(up)
    tail = x + margin * across, y + margin * up
    head = u - margin * across, v - margin * up
    for begin, finish, sign, colour in ((tail, head, 1, INK), (head, tail, -1, ORANGE)):
        shift = (sign * side[0], sign * side[1])
        ax.annotate(
            "",
            xy=(finish[0] + shift[0], finish[1] + shift[1]),
            xytext=(begin[0] + shift[0], begin[1] + shift[1]),
            arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.3},
        )
    middle = (x + u) / 2 - 0.12 * up, (y + v) / 2 + 0.12 * across
    sideways = abs(up) > abs(across)
    horizontal = ("right" if up > 0 else "left") if sideways else "center"
    vertical = "center" if sideways else ("bottom" if across > 0 else "top")
    ax.text(*middle, weights, fontsize="small", color=INK, ha=horizontal, va=vertical)
