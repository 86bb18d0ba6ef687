"""Draws clauses with ``be``: how somebody or something is, and the weather."""

from __future__ import annotations

from dataclasses import replace

from mtcourse.text.language.lexicon import Adjective, Lexicon, Noun
from mtcourse.text.language.phrases import PhraseSampler
from mtcourse.text.language.syntax import (
    Age,
    Clause,
    NounPhrase,
    Phrase,
    Predicate,
    Pronoun,
    ProperName,
    Quality,
)

_DEGREES = (("plain", 0.42), ("very", 0.2), ("comparative", 0.22), ("equal", 0.1), ("too", 0.06))


class QualitySampler:
    """Draws clauses with ``be``.

    Args:
        lexicon: the words.
        phrases: draws the phrases in them.
    """

    def __init__(self, lexicon: Lexicon, phrases: PhraseSampler):
        self.lexicon = lexicon
        self.phrases = phrases
        self._weather_verbs = [verb for verb in lexicon.verbs if "weather" in verb.subjects]
        self._weather_adjectives = [a for a in lexicon.adjectives if "weather" in a.classes]
        self._traits = [a for a in lexicon.adjectives if "person" in a.classes]
        self.moods = [adjective for adjective in self._traits if "mood" in adjective.uses]
        self._past_times = [time for time in lexicon.times if "past" in time.tenses]
        self._present_times = [time for time in lexicon.times if "progressive" in time.tenses]

    def draw(self, subject: Phrase | None = None) -> Clause:
        """Somebody or something is so, older than, twelve years old, or a good baker."""
        chance, phrases = self.phrases.chance, self.phrases
        if subject is None:
            subject = self.bearer()
        adjectives = self._traits
        if isinstance(subject, NounPhrase):
            adjectives = phrases.adjectives(subject.noun) or self._traits
            subject = replace(subject, adjective=None, superlative=False)
        adjective = phrases.choose(adjectives)
        negative = chance(0.2)
        tense = "past" if chance(0.35) else "present"
        predicate = self.predicate(subject, adjective, negative)
        time, fronted = None, False
        is_plain = isinstance(predicate, Quality) and predicate.standard is None
        if is_plain and "mood" in adjective.uses and chance(0.2):
            tense = "perfect" if chance(0.5) else "future"
        elif is_plain and "mood" in adjective.uses and chance(0.3):
            time = phrases.time(self._past_times if tense == "past" else self._present_times)
            fronted = chance(0.5)
        return Clause(
            subject, None, tense, "", negative, predicate=predicate, time=time, fronted=fronted
        )

    def bearer(self) -> Phrase:
        """Somebody or something that has a quality."""
        phrases = self.phrases
        if phrases.chance(0.4):
            return phrases.subject(frozenset(("person",)))
        noun = phrases.choose(self.lexicon.nouns)
        while not phrases.adjectives(noun):
            noun = phrases.choose(self.lexicon.nouns)
        kinds = (("the", 0.55), ("own", 0.25), ("this", 0.12), ("that", 0.08))
        return phrases.complete(noun, phrases.weighted(kinds), 0.25, 0.0)

    def predicate(self, subject: Phrase, adjective: Adjective, negative: bool) -> Predicate:
        """What is said of the subject."""
        phrases = self.phrases
        is_young = isinstance(subject, NounPhrase) and subject.noun.classes & {"child", "pet"}
        if (is_young or isinstance(subject, ProperName)) and phrases.chance(0.12):
            return Age(2 + int(phrases.random() * 16))
        is_one = subject.agreement == "3" and isinstance(subject, Pronoun | ProperName)
        if is_one and phrases.chance(0.3):
            noun = phrases.choose(phrases.nouns(frozenset(("worker",))))
            return NounPhrase(noun, "a", adjective=self.trait_of(noun))
        degree = phrases.weighted(_DEGREES)
        if degree == "too" and "excess" not in adjective.uses:
            degree = "very"
        if "graded" not in adjective.uses or (negative and degree == "equal"):
            degree = "plain"
        if degree in ("plain", "very", "too"):
            return Quality(adjective, degree)
        standard = self.standard(subject, adjective)
        if standard is None:
            return Quality(adjective)
        return Quality(adjective, degree, standard)

    def trait_of(self, noun: Noun) -> Adjective:
        """An adjective that can stand before the noun."""
        while True:
            adjective = self.phrases.choose(self.phrases.adjectives(noun))
            if adjective.inflected and "mood" not in adjective.uses:
                return adjective

    def standard(self, subject: Phrase, adjective: Adjective) -> Phrase | None:
        """Something else that the subject can be compared with."""
        phrases = self.phrases
        if not isinstance(subject, NounPhrase):
            kin = phrases.choose(phrases.nouns(frozenset(("person",))))
            return phrases.complete(kin, "the", 0.2, 0.0)
        shared = (adjective.classes & subject.noun.classes) or subject.noun.classes
        others = [
            noun
            for noun in phrases.nouns(frozenset(shared))
            if noun is not subject.noun and adjective in phrases.adjectives(noun)
        ]
        if not others:
            return None
        kinds = (("the", 0.6), ("own", 0.2), ("this", 0.1), ("that", 0.1))
        noun = phrases.choose(others)
        return phrases.complete(noun, phrases.weighted(kinds), 0.5 * subject.plural, 0.0)

    def weather(self, tense: str) -> Clause:
        """It rains, it is cold."""
        it = Pronoun("it")
        if self.phrases.chance(0.5):
            return Clause(it, self.phrases.choose(self._weather_verbs), tense)
        degree = "very" if self.phrases.chance(0.25) else "plain"
        adjective = self.phrases.choose(self._weather_adjectives)
        finite = "past" if tense.startswith("past") else "present"
        return Clause(it, None, finite, predicate=Quality(adjective, degree))
