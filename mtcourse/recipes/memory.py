"""A translation memory: the baseline that a translator of manuals has to beat (chapter 20)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import BLOCK, grams


class TranslationMemory:
    """Translates nothing: finds the most similar known source, and gives its translation.

    Similar are sentences with the same character 4-grams: of their sets A and B it takes
    ``|A ∩ B| / |A ∪ B|``, the similarity by which the course finds near duplicates. Of equally
    similar sentences it takes the first.

    Args:
        pairs: what it knows: the training split.

    Raises:
        MtcourseError: there are none.
    """

    def __init__(self, pairs: Sequence[SentencePair]) -> None:
        if not pairs:
            raise MtcourseError("a translation memory needs at least one sentence pair")
        self.pairs = pairs
        blocks = [pairs[start : start + BLOCK] for start in range(0, len(pairs), BLOCK)]
        self._blocks = [_Index([pair.source for pair in block]) for block in blocks]

    def nearest(self, sentence: str) -> tuple[SentencePair, float]:
        """The pair with the most similar source, and how similar it is, 0 to 1."""
        found = [block.nearest(sentence) for block in self._blocks]
        best = max(range(len(found)), key=lambda block: found[block][1])
        place, similarity = found[best]
        return self.pairs[best * BLOCK + place], similarity

    def translate(self, sentences: Sequence[str]) -> list[str]:
        """For each sentence the target of the nearest pair, unchanged."""
        return [self.nearest(sentence)[0].target for sentence in sentences]


class _Index:
    """Which sentences of a block have which 4-gram."""

    def __init__(self, sentences: Sequence[str]) -> None:
        sets = [grams(sentence) for sentence in sentences]
        self._sizes = np.array([len(of_one) for of_one in sets], dtype=np.int64)
        places: dict[str, list[int]] = {}
        for number, of_one in enumerate(sets):
            for gram in of_one:
                places.setdefault(gram, []).append(number)
        self._places = {gram: np.array(of_gram) for gram, of_gram in places.items()}

    def nearest(self, sentence: str) -> tuple[int, float]:
        """The place of the most similar sentence, the first of them, and its similarity."""
        asked = grams(sentence)
        found = [self._places[gram] for gram in asked & self._places.keys()]
        if not found:
            return 0, 0.0
        both = np.bincount(np.concatenate(found), minlength=len(self._sizes))
        similarity = both / (self._sizes + len(asked) - both)
        best = int(similarity.argmax())
        return best, float(similarity[best])
