"""Draws clauses that make sense: who can do what, when, where and how."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from mtcourse.text.language.lexicon import Adjective, Adverb, Lexicon, TimePhrase, Verb
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

_TENSES = {
    "action": (
        ("progressive", 0.25),
        ("past", 0.24),
        ("perfect", 0.17),
        ("future", 0.1),
        ("modal", 0.16),
        ("present", 0.08),
    ),
    "event": (("past", 0.6), ("perfect", 0.4)),
    "feeling": (("present", 0.6), ("past", 0.4)),
    "state": (("present", 0.55), ("past", 0.35), ("perfect", 0.1)),
}
_TENSES["motion"] = _TENSES["posture"] = _TENSES["action"]
_MODALS = (("can", 0.28), ("must", 0.2), ("may", 0.16), ("want", 0.2), ("have_to", 0.16))
_DEGREES = (("plain", 0.42), ("very", 0.2), ("comparative", 0.22), ("equal", 0.1), ("too", 0.06))
_FINITE_TIMES = {"progressive": "progressive", "past": "past", "future": "future"}


class ClauseSampler:
    """Draws clauses.

    Args:
        lexicon: the words.
        random: the source of randomness.
        richness: multiplies the chance of adjectives and adjuncts.
    """

    def __init__(self, lexicon: Lexicon, random: Random, richness: float = 1.0):
        self.phrases = PhraseSampler(lexicon, random, richness)
        self.lexicon = lexicon
        self.richness = richness
        self.verbs = [
            verb
            for verb in lexicon.verbs
            if verb.frame != "clause" and "weather" not in verb.subjects
        ]
        self.reporting = [verb for verb in lexicon.verbs if verb.frame == "clause"]
        self.weather_verbs = [verb for verb in lexicon.verbs if "weather" in verb.subjects]
        self.weather_adjectives = [a for a in lexicon.adjectives if "weather" in a.classes]
        self.traits = [a for a in lexicon.adjectives if "person" in a.classes]
        self.moods = [a for a in self.traits if "mood" in a.uses]
        self._times: dict[str, list[TimePhrase]] = {}
        for phrase in lexicon.times:
            for tense in phrase.tenses:
                self._times.setdefault(tense, []).append(phrase)
        self.frequencies = [word for word in lexicon.adverbs if word.kind == "frequency"]
        self._already = [
            word for word in lexicon.adverbs if word.kind == "perfect" or word.english == "never"
        ]
        self._manners = {
            verb: [word for word in lexicon.adverbs if word.kind in verb.manners]
            for verb in lexicon.verbs
        }
        by_people = [verb for verb in self.verbs if self.phrases.has_people(verb.subjects)]
        self.human_verbs = by_people
        self.human_actions = [verb for verb in by_people if verb.aspect == "action"]
        self.emotional = [
            verb
            for verb in by_people
            if verb.aspect == "action" and (not verb.objects or "person" in verb.objects)
        ]
        self.acquiring = [
            verb
            for verb in by_people
            if verb.aspect == "action" and verb.frame == "object" and "person" not in verb.objects
        ]
        self.sheltering = [
            verb
            for verb in by_people
            if verb.aspect == "motion" or verb.objects == {"clothes"} or verb.english == "stay"
        ]
        self.object_verbs = [verb for verb in by_people if verb.frame == "object"]

    def verbs_for(self, subject: Phrase) -> list[Verb]:
        """The verbs that a subject can be the subject of."""
        if not isinstance(subject, NounPhrase):
            return self.human_verbs
        noun = subject.noun
        return [v for v in self.verbs if v.subjects & noun.classes or noun.english in v.subjects]

    def tense(self, verb: Verb, subject: Phrase) -> tuple[str, str]:
        """A tense and a modal (or "") that go with the verb's aspect."""
        tense = self.phrases.weighted(_TENSES[verb.aspect])
        is_animal = isinstance(subject, NounPhrase) and "animal" in subject.noun.classes
        is_lasting = verb.aspect == "state" and not verb.places
        if (tense == "future" and is_animal) or (tense == "perfect" and is_lasting):
            return "past", ""
        if tense != "modal":
            return tense, ""
        if isinstance(subject, NounPhrase) and "person" not in subject.noun.classes:
            return "progressive", ""
        modal = self.phrases.weighted(_MODALS)
        is_past = modal in ("can", "want", "have_to") and self.phrases.chance(0.3)
        return "past" if is_past else "present", modal

    def core(self, verb: Verb, subject: Phrase, negative: bool = False) -> Clause:
        """Subject, verb and what the verb demands, without tense."""
        clause = Clause(subject, verb, "present", negative=negative)
        if not verb.objects:
            return clause
        if verb.frame == "place":
            return replace(clause, complement=self.phrases.place(verb.objects))
        if verb.aspect == "motion":
            return replace(clause, complement=self.destination(verb))
        thing = self.phrases.thing(verb.objects, subject, negative)
        if verb.aspect == "feeling" and isinstance(thing, NounPhrase) and thing.determiner == "a":
            thing = replace(thing, determiner="", plural=True)
        if negative and isinstance(thing, NounPhrase) and thing.determiner == "number":
            thing = replace(thing, determiner="the", number=0)
        if verb.frame == "recipient":
            people = self.phrases.subject(frozenset(("person",)))
            overlaps = isinstance(people, Pronoun) or people == subject
            recipient = self.phrases.person(avoid=subject) if overlaps else people
            return replace(clause, recipient=recipient, object=thing)
        if verb.frame == "prepositional":
            return replace(clause, complement=thing)
        return replace(clause, object=thing)

    def destination(self, verb: Verb) -> NounPhrase:
        """Where a movement goes."""
        noun = self.phrases.choose(self.phrases.nouns(verb.objects))
        return self.phrases.complete(noun, "the", 0.0, 0.15)

    def action(self, subject: Phrase | None = None, verb: Verb | None = None) -> Clause:
        """A clause with tense and negation but without time, place or manner."""
        verb = verb or self.phrases.choose(self.verbs_for(subject) if subject else self.verbs)
        negative = self.phrases.chance(0.18)
        subject = subject or self.phrases.subject(verb.subjects, not negative)
        if isinstance(subject, NounPhrase) and subject.determiner in ("a", "number"):
            negative = False
        clause = self.core(verb, subject, negative)
        tense, modal = self.tense(verb, subject)
        return replace(clause, tense=tense, modal=modal)

    def adjoin(self, clause: Clause, may_front: bool = True) -> Clause:
        """The clause with time, adverb, manner and place where they fit."""
        verb = clause.verb
        if verb is None:
            return clause
        if clause.tense == "present" and not clause.modal:
            habitual = verb.aspect not in ("state", "feeling")
            return self.repeated(clause, may_front) if habitual else clause
        if clause.tense == "perfect":
            return self.completed(clause)
        time, fronted = clause.time, False
        is_timeless = verb.aspect in ("state", "feeling") and not verb.places
        if not is_timeless and self.phrases.chance(0.36 * self.richness):
            key = _FINITE_TIMES.get(clause.tense, "modal")
            time = self.phrases.choose(self._times[key])
            heavy = isinstance(clause.subject, NounPhrase) and clause.subject.determiner == "a"
            fronted = may_front and not heavy and self.phrases.chance(0.5)
        manner, place = self.manner_or_place(clause, verb)
        return replace(clause, time=time, fronted=fronted, manner=manner, place=place)

    def manner_or_place(
        self, clause: Clause, verb: Verb
    ) -> tuple[Adverb | None, NounPhrase | None]:
        """At most one of the two."""
        chance = self.phrases.chance
        if verb.aspect == "posture" or (verb.places and chance(0.28 * self.richness)):
            if clause.complement is None and clause.recipient is None:
                return None, self.phrases.place(verb.places)
            return None, None
        if isinstance(clause.object, NounPhrase) and clause.object.is_indefinite:
            return None, None
        if self._manners[verb] and chance(0.18 * self.richness):
            manner = self.phrases.choose(self._manners[verb])
            if manner.kind != "together" or clause.subject.agreement == "p":
                return manner, None
        return None, None

    def repeated(self, clause: Clause, may_front: bool) -> Clause:
        """A habit: an adverb of frequency, or every day."""
        place = None
        if clause.verb is not None and clause.verb.aspect == "posture":
            place = self.phrases.place(clause.verb.places)
        if clause.negative:
            return replace(clause, place=place)
        if self.phrases.chance(0.4):
            time = self.phrases.choose(self._times["present"])
            definite = (
                not isinstance(clause.subject, NounPhrase) or clause.subject.determiner != "a"
            )
            fronted = may_front and definite and self.phrases.chance(0.5)
            return replace(clause, time=time, fronted=fronted, place=place)
        return replace(clause, adverb=self.phrases.choose(self.frequencies), place=place)

    def completed(self, clause: Clause) -> Clause:
        """A perfect, perhaps with already, never, or not yet."""
        place = None
        if clause.verb is not None and clause.verb.aspect == "posture":
            place = self.phrases.place(clause.verb.places)
        if clause.negative:
            return replace(clause, is_yet=self.phrases.chance(0.45), place=place)
        if (
            clause.verb is not None
            and clause.verb.aspect not in ("state", "feeling")
            and self.phrases.chance(0.3)
        ):
            adverb = self.phrases.choose(self._already)
            return replace(clause, adverb=adverb, place=place)
        return replace(clause, place=place)

    def quality(self, subject: Phrase | None = None) -> Clause:
        """Somebody or something is so, older than, twelve years old, or a good baker."""
        chance, phrases = self.phrases.chance, self.phrases
        if subject is None:
            subject = self.bearer()
        adjectives = self.traits
        if isinstance(subject, NounPhrase):
            adjectives = phrases.adjectives(subject.noun) or self.traits
            subject = replace(subject, adjective=None, superlative=False)
        adjective = phrases.choose(adjectives)
        negative = chance(0.2)
        tense = "past" if chance(0.35) else "present"
        predicate = self.predicate(subject, adjective, negative)
        time, fronted = None, False
        is_plain = isinstance(predicate, Quality) and predicate.standard is None
        if is_plain and "mood" in adjective.uses and chance(0.3):
            time = phrases.choose(self._times["past" if tense == "past" else "progressive"])
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

    def trait_of(self, noun) -> Adjective:
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
            return Clause(it, self.phrases.choose(self.weather_verbs), tense)
        degree = "very" if self.phrases.chance(0.25) else "plain"
        adjective = self.phrases.choose(self.weather_adjectives)
        finite = "past" if tense.startswith("past") else "present"
        return Clause(it, None, finite, predicate=Quality(adjective, degree))
