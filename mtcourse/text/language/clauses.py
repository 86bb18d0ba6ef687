"""Draws clauses that make sense: who can do what, when, where and how."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from mtcourse.text.language.lexicon import Adverb, Lexicon, TimePhrase, Verb
from mtcourse.text.language.phrases import PhraseSampler
from mtcourse.text.language.qualities import QualitySampler
from mtcourse.text.language.syntax import (
    Clause,
    NounPhrase,
    Phrase,
    Pronoun,
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
        self.qualities = QualitySampler(lexicon, self.phrases)
        self.richness = richness
        self.verbs = [
            verb
            for verb in lexicon.verbs
            if verb.frame != "clause" and "weather" not in verb.subjects
        ]
        self.reporting = [verb for verb in lexicon.verbs if verb.frame == "clause"]
        self._times: dict[str, list[TimePhrase]] = {}
        for phrase in lexicon.times:
            for tense in phrase.tenses:
                self._times.setdefault(tense, []).append(phrase)
        self._frequencies = [word for word in lexicon.adverbs if word.kind == "frequency"]
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
        if not is_timeless and self.phrases.chance(0.45 * self.richness):
            key = _FINITE_TIMES.get(clause.tense, "modal")
            time = self.phrases.time(self._times[key])
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
            time = self.phrases.time(self._times["present"])
            definite = (
                not isinstance(clause.subject, NounPhrase) or clause.subject.determiner != "a"
            )
            fronted = may_front and definite and self.phrases.chance(0.5)
            return replace(clause, time=time, fronted=fronted, place=place)
        return replace(clause, adverb=self.phrases.choose(self._frequencies), place=place)

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
