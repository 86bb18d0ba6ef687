"""Draws noun phrases that make sense."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TypeVar

from mtcourse.text.language.lexicon import Adjective, Lexicon, Noun, TimePhrase
from mtcourse.text.language.syntax import Coordination, NounPhrase, Phrase, Pronoun, ProperName

Item = TypeVar("Item")
_OWNERS = ("I", "you", "he", "she", "we", "they")
_SAME_GROUP = {"I": "we", "we": "we", "you": "you", "he": "he", "she": "she", "they": "they"}
_OWNED = frozenset(("kin", "pet", "livestock", "home"))
_MANY = frozenset(("livestock", "snack", "book", "post", "plant", "dish"))
_NOT_OWNED = frozenset(("person", "animal", "building", "town", "outdoors", "tree", "show"))


class PhraseSampler:
    """Draws phrases from a lexicon.

    Args:
        lexicon: the words.
        random: the source of randomness.
        richness: multiplies the chance of adjectives and adjuncts.
    """

    def __init__(self, lexicon: Lexicon, random: Random, richness: float = 1.0):
        self.lexicon = lexicon
        self.random = random.random
        self.richness = richness
        self._nouns: dict[frozenset[str], list[Noun]] = {}
        self._adjectives = {
            noun: [adjective for adjective in lexicon.adjectives if adjective.goes_with(noun)]
            for noun in lexicon.nouns
        }

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.random() < probability

    def time(self, times: Sequence[TimePhrase]) -> TimePhrase:
        """One of the time phrases; words of every day, such as yesterday, are half of them."""
        everyday = [time for time in times if len(time.english) == 1]
        return self.choose(everyday if everyday and self.chance(0.5) else times)

    def choose(self, items: Sequence[Item]) -> Item:
        """One of the items, all equally likely."""
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence[tuple[Item, float]]) -> Item:
        """One of the items by weight; the weights sum to 1."""
        rest = self.random()
        for item, weight in items:
            rest -= weight
            if rest < 0:
                return item
        return items[0][0]

    def nouns(self, names: frozenset[str]) -> list[Noun]:
        """All nouns of the given classes or names."""
        if names not in self._nouns:
            self._nouns[names] = [
                noun for noun in self.lexicon.nouns if noun.classes & names or noun.english in names
            ]
        return self._nouns[names]

    def has_people(self, names: frozenset[str]) -> bool:
        """True where some of the nouns are people."""
        return any("person" in noun.classes for noun in self.nouns(names))

    def adjectives(self, noun: Noun) -> list[Adjective]:
        """All adjectives that go with a noun."""
        return self._adjectives[noun]

    def person(self, avoid: Phrase | None = None) -> Pronoun:
        """A personal pronoun that does not overlap with the phrase to avoid."""
        taken = _SAME_GROUP.get(avoid.person) if isinstance(avoid, Pronoun) else None
        while True:
            name = self.choose(_OWNERS)
            if _SAME_GROUP[name] != taken:
                return Pronoun(name)

    def subject(self, classes: frozenset[str], is_indefinite_fine: bool = False) -> Phrase:
        """A subject: mostly definite, a pronoun, a name or a noun phrase."""
        if self.has_people(classes):
            kind = self.random()
            if kind < 0.3:
                return self.person()
            if kind < 0.42:
                return ProperName(self.choose(self.lexicon.names))
            if kind < 0.46:
                left, right = self.choose(self.lexicon.names), self.choose(self.lexicon.names)
                if left is not right:
                    return Coordination(ProperName(left), ProperName(right))
        noun = self.choose(self.nouns(classes))
        kinds = (("the", 0.62), ("own", 0.2), ("this", 0.08), ("that", 0.05), ("number", 0.05))
        determiner = self.weighted(kinds)
        if is_indefinite_fine and self.chance(0.08):
            return self.complete(noun, "a", plural_chance=0.0, adjective_chance=0.25)
        return self.complete(noun, determiner, plural_chance=0.25, adjective_chance=0.25)

    def thing(self, names: frozenset[str], subject: Phrase, negative: bool = False) -> Phrase:
        """An object or complement that is not the subject."""
        noun = self.choose(self.nouns(names))
        if "person" in noun.classes and self.chance(0.4):
            if self.chance(0.7):
                return self.person(avoid=subject)
            name = ProperName(self.choose(self.lexicon.names))
            return name if name != subject else self.person()
        while isinstance(subject, NounPhrase) and noun is subject.noun:
            noun = self.choose(self.nouns(names))
        if noun.is_mass:
            kinds = (("", 0.5), ("the", 0.3), ("own", 0.14), ("this", 0.06))
            return self.complete(noun, self.weighted(kinds), 0.0, 0.22)
        kinds = (("the", 0.4), ("a", 0.25), ("own", 0.16), ("this", 0.06), ("that", 0.05))
        kinds = (*kinds, ("number", 0.08 * (not negative)))
        return self.complete(noun, self.weighted(kinds), 0.25, 0.28)

    def place(self, classes: Iterable[str]) -> NounPhrase | None:
        """A definite place, if some noun of these classes is one."""
        nouns = [noun for noun in self.nouns(frozenset(classes)) if noun.place is not None]
        if not nouns:
            return None
        noun = self.choose(nouns)
        determiner = self.weighted((("the", 0.85), ("this", 0.08), ("that", 0.07)))
        return self.complete(noun, determiner, 0.0, 0.12)

    def complete(
        self, noun: Noun, determiner: str, plural_chance: float, adjective_chance: float
    ) -> NounPhrase:
        """A noun phrase around a noun, as its classes allow."""
        if "parent" in noun.classes:
            determiner, plural_chance = "own", 0.0
        elif "kin" in noun.classes and determiner != "number" and self.chance(0.85):
            determiner = "own"
        if determiner == "own":
            owned = noun.classes & _OWNED or not noun.classes & _NOT_OWNED
            determiner = self.choose(_OWNERS) if owned else "the"
        number, plural = 0, not noun.is_mass and self.chance(plural_chance)
        if "pair" in noun.classes and self.chance(0.8):
            plural = True
        if determiner == "number":
            is_many = noun.classes & _MANY and self.chance(0.25)
            number, plural = 2 + int(self.random() * (98 if is_many else 11)), True
        elif determiner == "a" and plural:
            determiner = ""
        adjective, superlative = None, False
        if self.chance(adjective_chance * self.richness) and self._adjectives[noun]:
            adjective = self.choose(self._adjectives[noun])
            if not adjective.inflected:
                adjective = None
            elif determiner == "the" and "graded" in adjective.uses:
                superlative = "mood" not in adjective.uses and self.chance(0.15)
        small = bool(noun.diminutive) and self.chance(0.1) and not superlative
        if adjective is not None and ("size" in adjective.uses or "colour" not in adjective.uses):
            small = False
        return NounPhrase(noun, determiner, plural, number, adjective, superlative, small)
