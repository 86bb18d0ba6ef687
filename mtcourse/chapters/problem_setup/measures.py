"""What sentence pairs tell before there is a model: overlap, memory, lengths (A01; chapter 1)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import SentencePair, words
from mtcourse.text.tokenizer import Tokenizer

REAL_TEXT = Path(__file__).with_name("real_text.json")
SEEN = {"never": 0, "once": 1, "2 to 10": 10, "11 to 100": 100, "more often": None}
"""How often a word was seen, in classes: the name of each, and the most that belongs to it."""


def word_overlap(one: str, other: str) -> float:
    """Gives J(A, B) of two sentences' sets of words: words in both over words in either.

    1 for the same words in any order, 0 if no word is shared. Capitals do not matter.

    >>> word_overlap("The dog sees a cat.", "the cat sees the bird.")
    0.5714285714285714
    """
    A, B = _word_set(one), _word_set(other)
    return len(A & B) / len(A | B) if A | B else 0.0


def _word_set(sentence: str) -> set[str]:
    return set(words(sentence.casefold()))


class TranslationMemory:
    """A translator that has learnt nothing: it gives the translation of the most similar sentence.

    Similarity is ``word_overlap``; of equally similar sentences it takes the first. It is a
    baseline: its score on a test set is what that test set gives for remembering alone.

    Args:
        pairs: the sentence pairs that it keeps.

    Raises:
        MtcourseError: there are none.
    """

    def __init__(self, pairs: Iterable[SentencePair]) -> None:
        self.pairs = list(pairs)
        if not self.pairs:
            raise MtcourseError("a translation memory needs at least one sentence pair")
        sets = [_word_set(pair.source) for pair in self.pairs]
        self._sizes = np.array([len(of_one) for of_one in sets])
        places: dict[str, list[int]] = {}  # for each word the sentences that have it
        for number, of_one in enumerate(sets):
            for word in of_one:
                places.setdefault(word, []).append(number)
        self._places = {word: np.array(numbers) for word, numbers in places.items()}

    def nearest(self, sentence: str) -> SentencePair:
        """The pair whose source is most like this sentence; the first pair if no word is shared."""
        asked = _word_set(sentence)
        both = np.zeros(len(self.pairs))  # |A n B| for each sentence
        for word in asked & self._places.keys():
            both[self._places[word]] += 1
        either = self._sizes + len(asked) - both  # |A u B| = |A| + |B| - |A n B|
        return self.pairs[int((both / np.maximum(either, 1)).argmax())]

    def translate(self, sentence: str) -> str:
        """That pair's target, unchanged."""
        return self.nearest(sentence).target


def length_correlation(pairs: Sequence[SentencePair]) -> float:
    """Gives the correlation of n_i and m_i, the words of both sides, over all pairs (A01).

    Translations are about as long as their sources, unless the two sides have slipped.

    Raises:
        MtcourseError: on one of the sides all sentences are equally long.
    """
    lengths = np.array([[len(words(pair.source)), len(words(pair.target))] for pair in pairs])
    if len(lengths) < 2 or not lengths.std(axis=0).all():
        raise MtcourseError("a correlation needs sentences of different lengths on both sides")
    return float(np.corrcoef(lengths.T)[0, 1])


def word_counts(sentences: Iterable[str]) -> Counter[str]:
    """How often each word occurs."""
    return Counter(word for sentence in sentences for word in words(sentence))


def unknown_share(known: Counter[str], size: int, asked: Counter[str]) -> float:
    """Gives the share of running words that are not among the most frequent known ones.

    Args:
        known: how often the training text has each word.
        size: how many of them are on the list.
        asked: how often another text has each word.
    """
    listed = {word for word, _ in known.most_common(size)}
    return sum(count for word, count in asked.items() if word not in listed) / asked.total()


def pieces_per_word(tokenizer: Tokenizer, sentences: Iterable[str]) -> float:
    """Gives how many pieces a running word takes, in the mean over some sentences."""
    sentences = list(sentences)
    pieces = sum(map(len, tokenizer.encode_all(sentences)))
    return pieces / sum(len(words(sentence)) for sentence in sentences)


def pieces_by_count(
    tokenizer: Tokenizer, known: Counter[str], asked: Iterable[str]
) -> dict[str, tuple[int, float]]:
    """How far words fall apart: those never seen, seen once, and more often.

    Args:
        tokenizer: what cuts them.
        known: how often the training text has each word.
        asked: different words, in any order.

    Returns:
        For each class of ``SEEN`` that has words: how many, and their mean number of pieces.
    """
    classes: dict[str, list[int]] = {name: [] for name in SEEN}
    for word in asked:
        name = next(n for n, most in SEEN.items() if most is None or known[word] <= most)
        classes[name].append(len(tokenizer.encode(word)))
    return {name: (len(of), sum(of) / len(of)) for name, of in classes.items() if of}


def real_text() -> Mapping[str, Any]:
    """What ``scripts/measure_real_text.py`` measured on LibreOffice's help in English and Dutch.

    It comes with the package, so that chapter 1 can show real text without the pages.
    """
    return json.loads(REAL_TEXT.read_text(encoding="utf-8"))
