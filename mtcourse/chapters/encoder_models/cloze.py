"""Blanks of which the grammar knows the one right word, and where its evidence stands (chapter 15).

Three kinds, each with two candidates. The article *de* or *het* depends on the noun to its right,
the auxiliary *heeft* or *is* on the participle to its right, and the relative pronoun *die* or
*dat* on the noun to its left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from mtcourse.text.language import dutch
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.sentences import SentenceSampler
from mtcourse.text.language.syntax import Token
from mtcourse.text.masking import MASK_PIECE

CANDIDATES = {
    "article": ("de", "het"),
    "auxiliary": ("heeft", "is"),
    "relative pronoun": ("die", "dat"),
}
"""The two words between which each kind of blank decides."""

_KEYS = {"article": ("d", "n"), "auxiliary": ("x", "v"), "relative pronoun": ("rel", "n")}
"""What the names of the blank's and of the evidence's piece of meaning end in."""


@dataclass(frozen=True)
class Cloze:
    """One blank.

    Args:
        kind: one of ``CANDIDATES``.
        before: the sentence up to the blank.
        after: the sentence behind it.
        answer: the one candidate that is right.
        distance: how many words to the right of the blank its evidence stands; negative if it
            stands to the left.
    """

    kind: str
    before: str
    after: str
    answer: str
    distance: int

    def filled(self, word: str) -> str:
        """The sentence with a word in the blank."""
        space = "" if self.after[0] in ".,?!" else " "
        return f"{self.before} {word}{space}{self.after}"

    @property
    def blank(self) -> str:
        """The sentence with <mask> in the blank."""
        return self.filled(MASK_PIECE)


def cloze_items(
    each: int, seed: int = 1, known: Collection[str] = frozenset()
) -> dict[str, list[Cloze]]:
    """Blanks of every kind, as many with the first candidate as with the second.

    Args:
        each: how many for each candidate.
        seed: of the drawn sentences.
        known: sentences that are left out, such as those of a training split.
    """
    sampler = SentenceSampler(load_lexicon(), Random(f"cloze {seed}"))
    found: dict[tuple[str, str], list[Cloze]] = {
        (kind, answer): [] for kind, pair in CANDIDATES.items() for answer in pair
    }
    seen = set(known)
    while any(len(items) < each for items in found.values()):
        tokens, _ = dutch.linearise(sampler.draw())
        whole = _text([word for word, _ in tokens])
        if whole in seen:
            continue
        seen.add(whole)
        for item in _blanks(tokens):
            if len(found[item.kind, item.answer]) < each:
                found[item.kind, item.answer].append(item)
    return {
        kind: [item for answer in pair for item in found[kind, answer]]
        for kind, pair in CANDIDATES.items()
    }


def _blanks(tokens: Sequence[Token]) -> Iterator[Cloze]:
    """Every blank of these kinds in a sentence, but for its first word."""
    words = [word for word, _ in tokens]
    places = {key: t for t, (_, keys) in enumerate(tokens) for key in keys[:1]}
    for t, (word, keys) in enumerate(tokens):
        for kind, (end, of_evidence) in _KEYS.items():
            if t == 0 or word not in CANDIDATES[kind] or not keys[0].endswith(end):
                continue
            evidence = places.get(keys[0].removesuffix(end) + of_evidence)
            if evidence is None or evidence == t:
                continue
            yield Cloze(kind, _text(words[:t]), _text(words[t + 1 :], False), word, evidence - t)


def _text(words: Sequence[str], capital: bool = True) -> str:
    """Words as they are written, with a capital where a sentence begins."""
    text = " ".join(words)
    for mark in (".", ",", "?", "!"):
        text = text.replace(f" {mark}", mark)
    return text[0].upper() + text[1:] if capital else text


def from_both_sides(model: MaskedLanguageModel, item: Cloze) -> str:
    """The candidate that an encoder finds more probable in the blank."""
    pieces, p = model.probabilities(item.blank)
    at_blank = p[pieces.index(MASK_PIECE)]
    numbers = {word: model.tokenizer.encode(word) for word in CANDIDATES[item.kind]}
    return max(numbers, key=lambda word: float(at_blank[numbers[word][0]]))


def from_the_left(model: LanguageModel, item: Cloze) -> str:
    """The candidate that a decoder finds more probable behind the words before the blank."""
    return _best(item, lambda word: _log_p(model, f"{item.before} {word}", item.before))


def whole_sentence(model: LanguageModel, item: Cloze) -> str:
    """The candidate with which a decoder finds the whole sentence more probable."""
    return _best(item, lambda word: sum(model.token_log_probabilities(item.filled(word))[1]))


def _best(item: Cloze, score: Callable[[str], float]) -> str:
    return max(CANDIDATES[item.kind], key=score)


def _log_p(model: LanguageModel, prefix: str, before: str) -> float:
    """log p of what a prefix adds to the words before it, without <eos>."""
    _, found = model.token_log_probabilities(prefix)
    return sum(found[len(model.tokenizer.encode(before)) : -1])


def share_interval(right: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share, 95% for z = 1.96.

    (p + z^2/2n ± z sqrt(p(1 - p)/n + z^2/4n^2)) / (1 + z^2/n), with p = right/n.

    Args:
        right: how many of them.
        n: of how many.
        z: the normal quantile of the level.

    Source: Wilson (1927). Chapter 15.
    """
    p, width = right / n, z * z / n
    half = z * math.sqrt(p * (1 - p) / n + width / (4 * n))
    return (p + width / 2 - half) / (1 + width), (p + width / 2 + half) / (1 + width)
