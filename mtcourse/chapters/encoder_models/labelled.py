"""Dutch sentences of the grammar, each word with its part of speech and its role (chapter 15)."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from mtcourse.text.language import dutch
from mtcourse.text.language.lexicon import Lexicon
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.sentences import SentenceSampler
from mtcourse.text.language.syntax import Existence, Sentence

MOST_WORDS = 12

PARTS = (
    *("noun", "name", "pronoun", "determiner", "adjective", "verb", "auxiliary"),
    *("preposition", "adverb", "conjunction", "mark"),
)
"""Parts of speech; the particle of a separable verb counts as a preposition."""

ROLES = (
    *("subject", "object", "recipient", "complement", "predicate", "place", "time"),
    *("verb", "other"),
)
"""What a word belongs to in its clause; words of a relative clause belong to its noun."""

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
    """A sentence with what the grammar knows of each of its words.

    Args:
        words: words and marks in order, without a capital.
        parts: the part of speech of each, one of ``PARTS``.
        roles: what each belongs to in its clause, one of ``ROLES``.
    """

    words: tuple[str, ...]
    parts: tuple[str, ...]
    roles: tuple[str, ...]


def labelled_sentences(count: int, seed: int) -> list[LabelledSentence]:
    """Distinct sentences of at most ``MOST_WORDS`` words; the same seed draws the same ones.

    Args:
        count: how many.
        seed: of the draws.
    """
    lexicon = load_lexicon()
    sampler = SentenceSampler(lexicon, Random(f"labelled {seed}"))
    small = _small_words(lexicon)
    names = {name.english for name in lexicon.names}
    found: dict[tuple[str, ...], LabelledSentence] = {}
    while len(found) < count:
        sentence = labelled(sampler.draw(), small, names)
        if len(sentence.words) <= MOST_WORDS:
            found.setdefault(sentence.words, sentence)
    return list(found.values())


def labelled(sentence: Sentence, small: set[str], names: set[str]) -> LabelledSentence:
    """A drawn sentence's words with their labels.

    Args:
        sentence: its abstract syntax.
        small: prepositions and the particles of separable verbs.
        names: first names.
    """
    tokens, _ = dutch.linearise(sentence)
    exists = isinstance(sentence, Existence)
    return LabelledSentence(
        tuple(word for word, _ in tokens),
        tuple(_part(word, keys[0], small, names) for word, keys in tokens),
        tuple(_role(keys[0], exists) for _, keys in tokens),
    )


def _small_words(lexicon: Lexicon) -> set[str]:
    """Prepositions and particles that stand beside a verb."""
    verbs = lexicon.verbs
    return {verb.prefix for verb in verbs} | {verb.preposition[1] for verb in verbs}


def _part(word: str, key: str, small: set[str], names: set[str]) -> str:
    """The part of speech that the name of a piece of meaning tells."""
    if key in _PART_OF_NAME:
        return _PART_OF_NAME[key]
    if key.endswith("relative end"):
        return "mark"
    if key.startswith("negation") or key.endswith("yet"):
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
