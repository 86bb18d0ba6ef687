"""Sentences of the grammar, each word with its part of speech and its role.

The grammar knows these labels exactly, in English and in Dutch (chapters 15 to 17).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from mtcourse.errors import MtcourseError
from mtcourse.text.language import dutch, english
from mtcourse.text.language.lexicon import Lexicon
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.sentences import SentenceSampler
from mtcourse.text.language.syntax import Existence, Sentence, Token

MOST_WORDS = 12
MARKS = (".", ",", "?", "!")

PARTS = (
    *("noun", "name", "pronoun", "determiner", "adjective", "verb", "auxiliary"),
    *("preposition", "adverb", "conjunction", "mark"),
)
"""Parts of speech; the particle of a separable verb counts as a preposition."""

FUNCTION_PARTS = frozenset(
    {"pronoun", "determiner", "auxiliary", "preposition", "adverb", "conjunction", "mark"}
)
"""What holds a sentence together; nouns, names, adjectives and verbs are content words."""

ROLES = (
    *("subject", "object", "recipient", "complement", "predicate", "place", "time"),
    *("verb", "other"),
)
"""What a word belongs to in its clause; words of a relative clause belong to its noun."""

KINDS = ("statement", "question", "command", "existence", "complex", "compound")
"""Kinds of sentences; "complex" has a subordinate clause, "compound" two main clauses."""

_PART_OF_END = {
    "n": "noun",
    "j": "noun",
    "d": "determiner",
    "y": "determiner",
    "a": "adjective",
    "x": "auxiliary",
    "t": "adverb",
    "q": "adverb",
    "h": "adverb",
    "e": "adverb",
    "p": "preposition",
    "k": "conjunction",
}
_PART_OF_NAME = {
    "end": "mark",
    "comma": "mark",
    "conjunction": "conjunction",
    "asked": "adverb",
    "there": "adverb",
    "be": "verb",
}
_ROLE_OF_LETTER = {
    "u": "subject",
    "o": "object",
    "i": "recipient",
    "c": "complement",
    "p": "predicate",
    "w": "place",
    "t": "time",
    "v": "verb",
    "x": "verb",
}


@dataclass(frozen=True)
class LabelledSentence:
    """A sentence with what the grammar knows of it and of each of its words.

    Args:
        words: words and marks in order, without a capital.
        parts: the part of speech of each, one of ``PARTS``.
        roles: what each belongs to in its clause, one of ``ROLES``.
        kind: of the sentence, one of ``KINDS``.
    """

    words: tuple[str, ...]
    parts: tuple[str, ...]
    roles: tuple[str, ...]
    kind: str

    @property
    def text(self) -> str:
        """The sentence as it is written: a capital, and no space before a mark."""
        return "".join(self._written())

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where each word begins and ends in the text."""
        found, end = list[tuple[int, int]](), 0
        for written in self._written():
            begin = end + written.startswith(" ")
            end += len(written)
            found.append((begin, end))
        return tuple(found)

    def _written(self) -> list[str]:
        """Each word with the space before it."""
        first, *others = self.words
        return [
            first[0].upper() + first[1:],
            *(word if word in MARKS else f" {word}" for word in others),
        ]


def labelled_sentences(count: int, seed: int, language: str = "nl") -> list[LabelledSentence]:
    """Distinct sentences of at most ``MOST_WORDS`` words; the same seed draws the same ones.

    Args:
        count: how many.
        seed: of the draws.
        language: "nl" or "en".

    Raises:
        MtcourseError: the grammar does not speak that language.
    """
    if language not in ("nl", "en"):
        raise MtcourseError(f"the grammar has no sentences in {language!r}: take 'nl' or 'en'")
    lexicon = load_lexicon()
    sampler = SentenceSampler(lexicon, Random(f"labelled {seed}"))
    small = _small_words(lexicon, language)
    names = {name.english for name in lexicon.names}
    found: dict[tuple[str, ...], LabelledSentence] = {}
    while len(found) < count:
        sentence = labelled(sampler.draw(), small, names, language)
        if len(sentence.words) <= MOST_WORDS:
            found.setdefault(sentence.words, sentence)
    return list(found.values())


def labelled(
    sentence: Sentence, small: Collection[str], names: Collection[str], language: str = "nl"
) -> LabelledSentence:
    """A drawn sentence's words with their labels.

    Args:
        sentence: its abstract syntax.
        small: prepositions and the particles of separable verbs.
        names: first names.
        language: "nl" or "en".
    """
    if language == "nl":
        tokens, _ = dutch.linearise(sentence)
    else:
        tokens = english.linearise(sentence)
    exists = isinstance(sentence, Existence)
    parts = [_part(word, keys[0], small, names) for word, keys in tokens]
    if language == "en":
        parts = _english(parts, tokens)
    return LabelledSentence(
        tuple(word for word, _ in tokens),
        tuple(parts),
        tuple(_role(keys[0], exists) for _, keys in tokens),
        type(sentence).__name__.lower(),
    )


@cache
def parts_of_words(language: str, count: int = 4000) -> dict[str, str]:
    """The part of speech that each word has most often in drawn sentences.

    Args:
        language: "nl" or "en".
        count: how many sentences to read.
    """
    met = defaultdict[str, Counter[str]](Counter)
    for sentence in labelled_sentences(count, 0, language):
        for word, part in zip(sentence.words, sentence.parts, strict=True):
            met[word][part] += 1
    return {word: parts.most_common(1)[0][0] for word, parts in met.items()}


def _small_words(lexicon: Lexicon, language: str) -> set[str]:
    """Prepositions and particles that stand beside a verb."""
    verbs = lexicon.verbs
    if language == "en":
        return {verb.english_particle for verb in verbs} | {verb.preposition[0] for verb in verbs}
    return {verb.prefix for verb in verbs} | {verb.preposition[1] for verb in verbs}


def _english(parts: Sequence[str], tokens: Sequence[Token]) -> list[str]:
    """English asks with "do" and goes on with "be": only the last verb of a piece is a full one.

    And it says "little" where Dutch has an ending.
    """
    last = {
        keys[0]: place
        for place, ((_, keys), part) in enumerate(zip(tokens, parts, strict=True))
        if part == "verb"
    }
    return [
        "adjective"
        if word == "little" and part == "noun"
        else "auxiliary"
        if part == "verb" and last[keys[0]] != place
        else part
        for place, ((word, keys), part) in enumerate(zip(tokens, parts, strict=True))
    ]


def _part(word: str, key: str, small: Collection[str], names: Collection[str]) -> str:
    """The part of speech that the name of a piece of meaning tells."""
    if key in _PART_OF_NAME:
        return _PART_OF_NAME[key]
    if key.endswith("relative end"):
        return "mark"
    if key.startswith("negation") or key.endswith(("yet", "negation")):
        return "adverb"
    if key.endswith("and"):
        return "conjunction"
    if key.endswith("rel"):
        return "pronoun"
    if word in names:
        return "name"
    if key.endswith("v"):
        return "preposition" if word in small else "verb"
    return _PART_OF_END.get(key[-1], "pronoun")


def _role(key: str, exists: bool) -> str:
    """The constituent that the name of a piece of meaning begins with."""
    if exists:
        return {"o": "subject", "w": "place", "be": "verb"}.get(
            key if key == "be" else key[0], "other"
        )
    if key[0] not in "ms" or len(key) < 2 or key.endswith(("yet", "relative end")):
        return "other"
    return _ROLE_OF_LETTER.get(key[1], "other")
