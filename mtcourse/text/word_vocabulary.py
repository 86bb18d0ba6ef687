"""Whole words as tokens, as in document A (chapter 7).

A word that the vocabulary lacks becomes ``<unk>`` and is lost, which subwords avoid (chapter 1).
Whole words keep a small model small, and its tables readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import words
from mtcourse.text.tokenizer import SPECIAL_PIECES, UNK

_CLOSING = frozenset(".,?!;:")


@dataclass(frozen=True)
class WordVocabulary:
    """The words of one language, numbered; the special pieces come first.

    Args:
        entries: special pieces, then words; an entry's index is its id.

    Raises:
        MtcourseError: the special pieces are missing, or a word occurs twice.
    """

    entries: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.entries[: len(SPECIAL_PIECES)] != SPECIAL_PIECES:
            raise MtcourseError(f"a vocabulary begins with {' '.join(SPECIAL_PIECES)}")
        if len(set(self.entries)) != len(self.entries):
            raise MtcourseError("a word stands in the vocabulary twice")

    @classmethod
    def of(cls, sentences: Iterable[str]) -> WordVocabulary:
        """All words of some sentences, in alphabetical order.

        >>> WordVocabulary.of(["Wij zijn er.", "Wij ook."]).entries[4:]
        ('.', 'Wij', 'er', 'ook', 'zijn')
        """
        found = {word for sentence in sentences for word in words(sentence)}
        return cls((*SPECIAL_PIECES, *sorted(found)))

    @property
    def size(self) -> int:
        """V: how many entries there are, the special ones included."""
        return len(self.entries)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.entries)}

    def encode(self, sentence: str) -> list[int]:
        """The ids of a sentence's words and marks, without special ones."""
        return [self._numbers.get(word, UNK) for word in words(sentence)]

    def decode(self, ids: Iterable[int]) -> str:
        """The sentence that ids spell; punctuation follows its word without a space.

        >>> vocabulary = WordVocabulary.of(["Wij zijn er."])
        >>> vocabulary.decode(vocabulary.encode("Zijn wij er, zijn er."))
        '<unk> <unk> er <unk> zijn er.'
        """
        text = ""
        for word in self.words(ids):
            text += word if word in _CLOSING or not text else f" {word}"
        return text

    def words(self, ids: Iterable[int]) -> Sequence[str]:
        """The entry of each id."""
        return [self.entries[number] for number in ids]
