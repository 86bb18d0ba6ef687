"""A sentence and its translation: what every corpus is made of (claim A01, chapter 1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


def words(sentence: str) -> list[str]:
    """Splits a sentence into words and punctuation marks.

    >>> words("He isn't home, is he?")
    ['He', "isn't", 'home', ',', 'is', 'he', '?']
    """
    return WORD.findall(sentence)


@dataclass(frozen=True, slots=True)
class SentencePair:
    """One source sentence and its translation.

    Args:
        source: the source sentence, as a reader would write it.
        target: its translation.
        references: further correct translations, if any are known.
        alignment: pairs (i, j) of positions: ``words(target)[j]`` translates ``words(source)[i]``.
        derivation: how the grammar made the pair; empty for pairs that people wrote.
        origin: where the pair stands: a file and line, or a page and element.
    """

    source: str
    target: str
    references: tuple[str, ...] = ()
    alignment: tuple[tuple[int, int], ...] = ()
    derivation: str = ""
    origin: str = ""
