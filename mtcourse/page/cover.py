"""The book's cover: one sentence, its translation, and where the translator looked while it wrote.

Chapters: the welcome page; chapter 4 explains the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from jaxtyping import Float
from torch import Tensor

WIDTH, HEIGHT = 800, 176
TOP, BOTTOM = 30, 152
"""Where the two sentences stand."""
ROOM = 16
"""Between a word and the lines."""
FAINTEST = 0.04
"""A smaller weight would be no line, but a shadow over all others."""
THICKEST = 7.0


def places(words: Sequence[str]) -> list[float]:
    """Where the middles of words stand, so that they fill a line of the cover."""
    sizes = [len(word) + 1.6 for word in words]
    unit = WIDTH / sum(sizes)
    ends = [0.0]
    for size in sizes:
        ends.append(ends[-1] + size * unit)
    return [round((left + right) / 2, 1) for left, right in pairwise(ends)]


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
    lines = []
    for i, row in enumerate(weights.tolist()):
        for j, weight in enumerate(row):
            if weight < FAINTEST:
                continue
            middle = (TOP + BOTTOM) / 2
            path = f"M{above[j]} {TOP + ROOM}C{above[j]} {middle} {below[i]} {middle}"
            path += f" {below[i]} {BOTTOM - ROOM - 6}"
            width, strength = weight * THICKEST, 0.15 + 0.7 * weight
            lines.append(
                f'<path d="{path}" stroke-width="{width:.1f}" stroke-opacity="{strength:.2f}"/>'
            )
    rows = _words(source, above, TOP, "en") + _words(target, below, BOTTOM, language)
    name = f"{' '.join(source)} – {' '.join(target)}"
    about = f"{name} Lines join the words; the thicker, the more the translator looked there."
    return (
        f'<svg class="cover-picture" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(about)}">'
        f'<g class="cover-lines" fill="none" stroke-linecap="round">{"".join(lines)}</g>'
        f"{rows}</svg>"
    )


def _words(words: Sequence[str], at: Sequence[float], height: float, language: str) -> str:
    """A line of words."""
    texts = (
        f'<text x="{x}" y="{height}">{escape(word)}</text>'
        for word, x in zip(words, at, strict=True)
    )
    return f'<g class="cover-words" lang="{language}" text-anchor="middle">{"".join(texts)}</g>'
