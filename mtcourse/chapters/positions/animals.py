"""A language of a few animals in which order alone tells who does what (chapter 3).

All sentences that can be made of the same words are equally likely. So the best score that a
translator can reach if it sees only a bag of words is counted, and not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random

from mtcourse.text.pairs import SentencePair, words

NOUNS = {
    "bird": "de vogel", "cat": "de kat", "cow": "de koe", "dog": "de hond", "fox": "de vos",
    "goat": "de geit", "horse": "het paard", "mouse": "de muis", "rabbit": "het konijn",
    "sheep": "het schaap",
}  # fmt: skip
ADJECTIVES = {
    "big": "grote", "black": "zwarte", "old": "oude", "small": "kleine", "white": "witte",
    "young": "jonge",
}  # fmt: skip
VERBS = {
    "sees": ("ziet",), "has seen": ("heeft", "gezien"),
    "hears": ("hoort",), "has heard": ("heeft", "gehoord"),
    "bites": ("bijt",), "has bitten": ("heeft", "gebeten"),
    "follows": ("volgt",), "has followed": ("heeft", "gevolgd"),
}  # fmt: skip
PLAIN = ""
"""Stands for the adjective of a noun that has no adjective."""


def animal_pairs(count: int, seed: int = 1) -> list[SentencePair]:
    """Different English sentences with their Dutch, such as "the dog sees the old cat."

    Args:
        count: how many; there are some two million.
        seed: the same seed gives the same pairs.
    """
    random = Random(seed)
    found: dict[str, SentencePair] = {}
    while len(found) < count:
        number = 3 if random.random() < 0.3 else 2
        nouns = random.sample(sorted(NOUNS), number)
        adjectives = [random.choice([PLAIN, *ADJECTIVES]) for _ in nouns]
        pair = animal_pair(nouns, adjectives, random.choice(sorted(VERBS)))
        found.setdefault(pair.source, pair)
    return list(found.values())


def same_bag(sentence: str) -> set[str]:
    """All sentences of the language that have the words of this one, itself included.

    Args:
        sentence: an English one.
    """
    of_it = words(sentence)
    nouns = [word for word in of_it if word in NOUNS]
    adjectives = [word for word in of_it if word in ADJECTIVES]
    adjectives += [PLAIN] * (len(nouns) - len(adjectives))
    verb = next(verb for verb in VERBS if set(verb.split()) == {*of_it} & _VERB_WORDS)
    return {pair.source for pair in _arrangements(nouns, adjectives, verb)}


_VERB_WORDS = {word for verb in VERBS for word in verb.split()}


def _arrangements(nouns: list[str], adjectives: list[str], verb: str) -> Iterator[SentencePair]:
    for order in permutations(nouns):
        for of_nouns in permutations(adjectives):
            yield animal_pair(list(order), list(of_nouns), verb)


def animal_pair(nouns: list[str], adjectives: list[str], verb: str) -> SentencePair:
    """One sentence pair: the first noun acts on the second, or on the second and third.

    Args:
        nouns: of ``NOUNS``, in their order; two or three.
        adjectives: of ``ADJECTIVES``, or ``PLAIN``; one for each noun.
        verb: of ``VERBS``.
    """
    english = [_joined("the", a, noun) for noun, a in zip(nouns, adjectives, strict=True)]
    dutch = [
        _joined(NOUNS[noun].split()[0], ADJECTIVES.get(a, ""), NOUNS[noun].split()[1])
        for noun, a in zip(nouns, adjectives, strict=True)
    ]
    finite, *rest = VERBS[verb]
    source = f"{english[0]} {verb} {' and '.join(english[1:])}."
    target = _joined(dutch[0], finite, " en ".join(dutch[1:]), *rest) + "."
    return SentencePair(source, target)


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
