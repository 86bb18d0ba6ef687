"""Which words a corpus has on which side, and which of them are one piece (chapter 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class WordPiece:
    """A piece that is a whole word.

    Args:
        id: its number in the vocabulary.
        word: as it is written.
        in_source: how often the source sentences have it.
        in_target: how often the target sentences have it.
    """

    id: int
    word: str
    in_source: int
    in_target: int

    def side(self, share: float = 0.9) -> str:
        """ "source" or "target" where at least this share of its uses is there, else "both"."""
        if self.in_source >= share * (self.in_source + self.in_target):
            return "source"
        return "target" if self.in_target >= share * (self.in_source + self.in_target) else "both"


def word_pieces(tokenizer: Tokenizer, pairs: Iterable[SentencePair]) -> list[WordPiece]:
    """The words of some sentence pairs that a joint vocabulary has as one piece, by their ids.

    Args:
        tokenizer: of both sides.
        pairs: where the words are counted.
    """
    source, target = Counter[str](), Counter[str]()
    for pair in pairs:
        source.update(words(pair.source))
        target.update(words(pair.target))
    found = []
    pieces = tokenizer.pieces(range(tokenizer.vocabulary_size))
    for number, piece in enumerate(pieces):
        word = piece.removeprefix("▁")
        if piece != word and word.isalpha() and source[word] + target[word]:
            found.append(WordPiece(number, word, source[word], target[word]))
    return found
