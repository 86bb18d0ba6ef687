"""The book's cover: one sentence, its translation, and where the translator looked while it wrote.

It stands on the first page as SVG, and as a picture beside links to the book.

Chapters: the welcome page; chapter 4 explains the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from jaxtyping import Float
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve
from torch import Tensor

WIDTH, HEIGHT = 800, 176
TOP, BOTTOM = 30, 152
"""Where the two sentences stand."""
ROOM = 16
"""Between a word and the lines."""
FAINTEST = 0.04
"""A smaller weight would be no line, but a shadow over all others."""
THICKEST = 7.0
CARD_SIZE = 1200, 630
"""What services that show a card for a link ask for, in pixels."""
CARD_EDGE = 70
ACCENT, TEXT, QUIET, GROUND = "#185a90", "#1c232b", "#46525f", "#ffffff"


def places(words: Sequence[str]) -> list[float]:
    """Where the middles of words stand, so that they fill a line of the cover."""
    sizes = [len(word) + 1.6 for word in words]
    unit = WIDTH / sum(sizes)
    ends = [0.0]
    for size in sizes:
        ends.append(ends[-1] + size * unit)
    return [round((left + right) / 2, 1) for left, right in pairwise(ends)]


@dataclass(frozen=True)
class Line:
    """A line for one attention weight.

    Args:
        start: where its word of the sentence stands.
        end: where its word of the translation stands.
        width: how thick it is, in units of the cover.
        strength: how opaque it is.
    """

    start: float
    end: float
    width: float
    strength: float


def lines_of(
    above: Sequence[float], below: Sequence[float], weights: Float[Tensor, "m n"]
) -> list[Line]:
    """The lines of all weights that are large enough to be seen.

    Args:
        above: where the n words of the sentence stand.
        below: where the m words of its translation stand.
        weights: of each word of the translation at each of the sentence.
    """
    return [
        Line(above[j], below[i], weight * THICKEST, 0.15 + 0.7 * weight)
        for i, row in enumerate(weights.tolist())
        for j, weight in enumerate(row)
        if weight >= FAINTEST
    ]


def cover_svg(
    source: Sequence[str],
    target: Sequence[str],
    weights: Float[Tensor, "m n"],
    language: str = "nl",
) -> str:
    """Draws a sentence above, its translation below, and a line for each attention weight.

    Args:
        source: the n words of the sentence.
        target: the m words of its translation.
        weights: of each word of the translation at each of the sentence.
        language: of the translation, as pages name it.

    Source: the weights of the shipped translator. Chapter 4.
    """
    above, below = places(source), places(target)
    middle = (TOP + BOTTOM) / 2
    paths = "".join(
        f'<path d="M{line.start} {TOP + ROOM}C{line.start} {middle} {line.end} {middle}'
        f' {line.end} {BOTTOM - ROOM - 6}" stroke-width="{line.width:.1f}"'
        f' stroke-opacity="{line.strength:.2f}"/>'
        for line in lines_of(above, below, weights)
    )
    rows = _words(source, above, TOP, "en") + _words(target, below, BOTTOM, language)
    name = f"{' '.join(source)} – {' '.join(target)}"
    about = f"{name} Lines join the words; the thicker, the more the translator looked there."
    return (
        f'<svg class="cover-picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(about)}">'
        f'<g class="cover-lines" fill="none" stroke-linecap="round">{paths}</g>'
        f"{rows}</svg>"
    )


def _words(words: Sequence[str], at: Sequence[float], height: float, language: str) -> str:
    """A line of words."""
    texts = (
        f'<text x="{x}" y="{height}">{escape(word)}</text>'
        for word, x in zip(words, at, strict=True)
    )
    return f'<g class="cover-words" lang="{language}" text-anchor="middle">{"".join(texts)}</g>'


# --- beside a link -------------------------------------------------------------------------------


def write_card(
    file: Path,
    title: tuple[str, str],
    source: Sequence[str],
    target: Sequence[str],
    weights: Float[Tensor, "m n"],
    faces: tuple[Path | None, Path | None] = (None, None),
) -> None:
    """Writes the picture that is shown beside a link to the book, a PNG.

    Args:
        file: to write.
        title: of the book, and what follows it in smaller type.
        source: the n words of the sentence.
        target: the m words of its translation.
        weights: of each word of the translation at each of the sentence.
        faces: files of the upright and the italic face; matplotlib's own where there are none.

    Source: the weights of the shipped translator. Chapter 4.
    """
    width, height = CARD_SIZE
    upright, italic = (
        FontProperties(fname=face) if face else FontProperties(style=style)
        for face, style in zip(faces, ("normal", "italic"), strict=True)
    )
    figure = Figure(figsize=(width / 100, height / 100), dpi=100, facecolor=GROUND)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0), frame_on=False)
    axes.set_axis_off()

    def write(x: float, y: float, text: str, size: float, **options: Any) -> None:
        axes.text(x, y, text, fontsize=size * 0.72, parse_math=False, **options)

    write(CARD_EDGE, 125, title[0], 54, color=ACCENT, fontproperties=upright)
    write(CARD_EDGE, 190, title[1], 32, color=QUIET, fontproperties=italic)
    axes.plot((CARD_EDGE, width - CARD_EDGE), (240, 240), color=ACCENT, linewidth=3)
    scale = (width - 2 * CARD_EDGE) / WIDTH
    above, below = ([CARD_EDGE + x * scale for x in places(of)] for of in (source, target))
    top, bottom = 330, 550
    for words, at, y, face in ((source, above, top, upright), (target, below, bottom, italic)):
        for word, x in zip(words, at, strict=True):
            write(x, y, word, 27, color=TEXT, ha="center", fontproperties=face)
    begin, end = top + 20, bottom - 34
    for line in lines_of(above, below, weights):
        middle = (begin + end) / 2
        bends = [(line.start, begin), (line.start, middle), (line.end, middle), (line.end, end)]
        curve = Curve(bends, [Curve.MOVETO, *[Curve.CURVE4] * 3])
        style = {"linewidth": line.width * scale * 0.72, "alpha": line.strength}
        axes.add_patch(PathPatch(curve, fill=False, edgecolor=ACCENT, capstyle="round", **style))
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)
