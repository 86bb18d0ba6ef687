"""Figures of corpora, tokens and batches, readable on light and dark pages (chapter 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgba
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.style import INK, LINE_COLOURS, book_style, new_axes

_REAL = to_rgba(LINE_COLOURS[0])
_PADDING = to_rgba(INK, 0.25)
_GROUND = to_rgba(INK, 0.12)
_MARKS = ("o", "s", "^", "D")


def rank_frequency(counts: Mapping[str, Mapping[str, int]], ax: Axes) -> Axes:
    """Draws each text's word counts, the most frequent first, on two logarithmic axes.

    By Zipf's law the word of rank r occurs about c / r times: a straight line of slope -1, which is
    drawn through the most frequent word of all.

    Args:
        counts: for each text how often each word occurs.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: there is no text, or a text has no words.
    """
    if not counts or not all(counts.values()):
        raise MtcourseError("there are no words to count: give at least one text that has some")
    with book_style():
        looks = zip(LINE_COLOURS, _MARKS, strict=True)
        for (name, of_text), (colour, mark) in zip(counts.items(), looks, strict=False):
            heights = sorted(of_text.values(), reverse=True)
            ranks = range(1, len(heights) + 1)
            ax.plot(ranks, heights, mark, markersize=3, color=colour, label=name)
        top = max(max(of_text.values()) for of_text in counts.values())
        ax.plot([1, top], [top, 1], "--", color=INK, label="Zipf's law")
        ax.set(xscale="log", yscale="log", xlabel="rank of the word", ylabel="how often it occurs")
        ax.grid(color=INK, alpha=0.25)
        ax.legend()
    return ax


def falling_apart(kinds: Mapping[str, tuple[int, float]], ax: Axes) -> Axes:
    """Draws how many pieces words of several kinds take, a bar for each kind, the first on top.

    Args:
        kinds: for each how many words it has, and their mean number of pieces.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: there is no kind of word.
    """
    if not kinds:
        raise MtcourseError("there are no words to draw: give at least one kind")
    with book_style():
        names = [f"{name} ({number:,})" for name, (number, _) in kinds.items()]
        means = [mean for _, mean in kinds.values()]
        bars = ax.barh(names, means, color=LINE_COLOURS[0])
        ax.bar_label(bars, [f"{mean:.1f}" for mean in means], padding=3)
        ax.axvline(1, color=INK, linewidth=0.8)
        ax.invert_yaxis()
        ax.set(
            xlabel="pieces for each word", ylabel="seen in training", xlim=(0, 1.12 * max(means))
        )
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def one_hot_map(pieces: Sequence[str], X: Float[Tensor, "V n"], rows: slice, ax: Axes) -> Axes:
    """Shows some rows of a matrix of one-hot columns, a named column for each token (A02).

    Args:
        pieces: the tokens, n of them.
        X: the one-hot matrix.
        rows: which ids to show, as a whole vocabulary would not fit.
        ax: where to draw, made within ``book_style()``.

    Raises:
        MtcourseError: the numbers of pieces and columns differ.
    """
    if len(pieces) != X.shape[1]:
        raise MtcourseError(
            f"{len(pieces)} pieces cannot name {X.shape[1]} columns: give one piece for each column"
        )
    with book_style():
        shown = range(X.shape[0])[rows]
        colours = ListedColormap([_GROUND, _REAL])
        ax.imshow(X[rows].numpy(), cmap=colours, vmin=0, vmax=1, aspect="auto")
        ax.set_xticks(range(len(pieces)), pieces, rotation=60, ha="left", rotation_mode="anchor")
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        step = max(1, len(shown) // 8)
        ax.set_yticks(range(0, len(shown), step), [str(row) for row in shown[::step]])
        ax.set_ylabel("id (row)")
        ax.spines[:].set_visible(False)
    return ax


def batch_map(real: Bool[Tensor, "batch n"], title: str, ax: Axes) -> Axes:
    """Shows which positions of a batch hold a token and which are padding.

    Args:
        real: True where a token is real.
        title: what the batch is.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        colours = ListedColormap([_PADDING, _REAL])
        ax.imshow(real.numpy(), cmap=colours, vmin=0, vmax=1, aspect="auto", interpolation="none")
        share = 1 - float(real.float().mean())
        ax.set_title(f"{title}: {share:.0%} padding", fontsize="medium")
        ax.set(xlabel="position", ylabel="sentence")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.spines[:].set_visible(False)
        keys = [Patch(color=_REAL, label="token"), Patch(color=_PADDING, label="<pad>")]
        ax.legend(handles=keys, loc="upper center", bbox_to_anchor=(0.5, -0.25), ncol=2)
    return ax


def pieces_to_ids(pieces: Sequence[str], ids: Sequence[int], ax: Axes) -> Axes:
    """Draws a sentence's pieces as boxes, as wide as they are long, with the id of each below.

    Args:
        pieces: of the sentence, in order.
        ids: as many.
        ax: where to draw, made within ``book_style()``.
    """
    with book_style():
        left = 0.0
        for piece, number in zip(pieces, ids, strict=True):
            width = max(len(piece), len(str(number))) + 1.2
            box(ax, left, 1.0, width, 0.8, piece, LINE_COLOURS[0], family="monospace")
            arrow(ax, (left + width / 2, 0.95), (left + width / 2, 0.45))
            ax.text(
                left + width / 2, 0.2, str(number), ha="center", va="center", family="monospace"
            )
            left += width + 0.5
        ax.set(xlim=(-0.5, left), ylim=(-0.1, 1.9))
        ax.axis("off")
    return ax


def rows_of_pieces(cut: Mapping[str, Sequence[str]]) -> Axes:
    """Draws a sentence as a row of boxes for each vocabulary, a box for each piece.

    Args:
        cut: for the name of each vocabulary the pieces of the sentence.
    """
    longest = max(sum(len(piece) + 1.0 for piece in pieces) for pieces in cut.values())
    with book_style():
        ax = new_axes(1.0 + 0.115 * longest, 0.2 + 0.42 * len(cut))
        for row, pieces in enumerate(cut.values()):
            left = 0.0
            for piece in pieces:
                width = len(piece) + 0.8
                box(ax, left, -row - 0.4, width, 0.8, piece, LINE_COLOURS[0], family="monospace")
                left += width + 0.2
        ax.set_yticks([-row for row in range(len(cut))], list(cut))
        ax.set(xlim=(-0.2, longest), ylim=(0.5 - len(cut), 0.5))
        ax.set_ylabel("pieces in the vocabulary")
        ax.tick_params(length=0, labelbottom=False)
        ax.spines[:].set_visible(False)
    return ax


def families(ax: Axes) -> Axes:
    """Draws the three families of language models: what goes in and what comes out (C01).

    Args:
        ax: where to draw, made within ``book_style()``.
    """
    kinds = {
        "encoder": (["this", "book", "helps"], ["encoder"], ["happy"]),
        "decoder": (["one vector"], ["decoder"], ["a", "red", "boat"]),
        "encoder-decoder": (
            ["the", "dog", "sleeps"],
            ["encoder", "decoder"],
            ["de", "hond", "slaapt"],
        ),
    }
    with book_style():
        for row, (name, (given, parts, made)) in enumerate(kinds.items()):
            y = 2.0 * (len(kinds) - 1 - row)
            ax.text(0, y + 1.1, name, ha="left", va="bottom", weight="bold")
            edge = _boxes(ax, 0.0, y, given, LINE_COLOURS[1])
            for part in parts:
                arrow(ax, (edge, y + 0.4), (edge + 1.4, y + 0.4))
                edge = _boxes(ax, edge + 1.5, y, [part], LINE_COLOURS[0])
            arrow(ax, (edge, y + 0.4), (edge + 1.4, y + 0.4))
            _boxes(ax, edge + 1.5, y, made, LINE_COLOURS[2])
        ax.set(xlim=(-0.3, 59), ylim=(-0.3, 5.8))
        ax.axis("off")
    return ax


def _boxes(ax: Axes, left: float, bottom: float, words: Sequence[str], colour: str) -> float:
    """Draws boxes side by side and gives the right edge of the last."""
    for word in words:
        width = 0.95 * len(word) + 1.6
        box(ax, left, bottom, width, 0.8, word, colour, family="monospace")
        left += width + 0.3
    return left - 0.3
