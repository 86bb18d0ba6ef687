"""The words that a translator has learnt from: what else it reads is new to it (chapter 20).

``loaded_translator.js`` divides sentences in the same way.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Collection, Iterable

_UNSPACED = ("CJK UNIFIED", "CJK COMPAT", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
"""How the names of letters begin whose scripts write no spaces: each of these is a word itself."""
_WORD = re.compile("SM*|L[LM]*(?:'L[LM]*)*")


def words_of(sentence: str) -> list[str]:
    """The words of a sentence in any script: no numbers, no punctuation.

    A word is a run of letters and their marks, with apostrophes and hyphens inside. In scripts
    without spaces, such as Chinese, each letter counts as a word.

    >>> words_of("The dog's 3 well-known 'bones'.")
    ['The', "dog's", 'well-known', 'bones']
    """
    text = unicodedata.normalize("NFC", sentence)
    kinds = "".join(map(_kind, text))
    return [text[found.start() : found.end()] for found in _WORD.finditer(kinds)]


def known_words(sentences: Iterable[str]) -> list[str]:
    """The words of sentences in small letters, each once, in the order of the alphabet."""
    return sorted({word.lower() for one in sentences for word in words_of(one)})


def unknown_words(sentence: str, known: Collection[str]) -> list[str]:
    """The words of a sentence that are not known, each once, as they are written there.

    Args:
        sentence: in the source language.
        known: words in small letters, as a set if there are many.
    """
    found = (word for word in words_of(sentence) if word.lower() not in known)
    return list(dict.fromkeys(found))


@functools.cache
def _kind(character: str) -> str:
    """L for a letter, S for one that is a word itself, M for a mark, ' for what joins letters."""
    if character in "'’-":
        return "'"
    category = unicodedata.category(character)[0]
    if category == "L" and unicodedata.name(character, "").startswith(_UNSPACED):
        return "S"
    return category if category in "LM" else " "
