"""Draws clauses in clauses: relative, reported, simultaneous, conditional, and with a reason."""

from __future__ import annotations

from dataclasses import replace

from mtcourse.text.language.clauses import ClauseSampler
from mtcourse.text.language.lexicon import Noun
from mtcourse.text.language.syntax import (
    Clause,
    Complex,
    NounPhrase,
    Phrase,
    Pronoun,
    ProperName,
    Quality,
    Relative,
    Statement,
)

_PERSON = frozenset(("person",))


class CombinationSampler:
    """Draws sentences with a clause in a clause.

    Args:
        clauses: draws the clauses.
    """

    def __init__(self, clauses: ClauseSampler):
        self.clauses = clauses
        self.phrases = clauses.phrases

    def relative(self) -> Statement:
        """The man who is reading the book is tired; I know the book that he reads."""
        if self.phrases.chance(0.55):
            noun = self.phrases.choose(self.phrases.nouns(frozenset(("person", "animal"))))
            if "kin" in noun.classes:
                noun = self.phrases.choose(self.phrases.nouns(frozenset(("worker",))))
            head = self.head(noun)
            clause = self.simple(self.clauses.action(head))
            relative = Relative(clause, "subject")
        else:
            verb = self.phrases.choose(self.clauses.object_verbs)
            noun = self.phrases.choose(self.phrases.nouns(verb.objects))
            head = self.head(noun)
            clause = self.simple(replace(self.clauses.action(None, verb), object=head))
            relative = Relative(clause, "object")
        if self.phrases.chance(0.65) and self.phrases.adjectives(noun):
            main = self.clauses.qualities.draw(replace(head, adjective=None))
            main = replace(main, time=None, fronted=False)
            subject = replace(head, adjective=None, superlative=False, relative=relative)
            return Statement(replace(main, subject=subject))
        return self.relative_object(head, relative)

    def relative_object(self, head: NounPhrase, relative: Relative) -> Statement:
        """A main clause whose object has the relative clause."""
        verbs = [
            verb
            for verb in self.clauses.object_verbs
            if (verb.objects & head.noun.classes or head.noun.english in verb.objects)
            and not verb.prefix
            and verb is not relative.clause.verb
        ]
        if not verbs:
            return Statement(self.clauses.adjoin(self.clauses.action()))
        verb = self.phrases.choose(verbs)
        subject = self.clauses.phrases.subject(verb.subjects)
        tense = (
            "past"
            if verb.aspect not in ("state", "feeling") or self.phrases.chance(0.4)
            else "present"
        )
        thing = replace(head, relative=relative)
        if isinstance(subject, NounPhrase) and subject.noun is head.noun:
            subject = Pronoun("I")
        return Statement(Clause(subject, verb, tense, object=thing))

    def head(self, noun: Noun) -> NounPhrase:
        """The definite head of a relative clause."""
        plural = not noun.is_mass and self.phrases.chance(0.25)
        return NounPhrase(noun, "that" if self.phrases.chance(0.12) else "the", plural)

    def simple(self, clause: Clause) -> Clause:
        """The clause as a relative clause: no habit without its adverb."""
        verb = clause.verb
        if (
            verb is not None
            and clause.tense == "present"
            and not clause.modal
            and verb.aspect not in ("state", "feeling")
        ):
            return replace(clause, tense="past")
        if verb is not None and verb.aspect == "posture":
            return replace(clause, place=self.phrases.place(verb.places))
        return clause

    def complex(self) -> Complex:
        """A main clause with because, although, while, if or that."""
        kind = self.phrases.weighted(
            (("that", 0.4), ("because", 0.24), ("although", 0.12), ("while", 0.12), ("if", 0.12))
        )
        match kind:
            case "that":
                return self.report()
            case "while":
                return self.simultaneous()
            case "if":
                return self.condition()
        return self.reason(kind)

    def report(self) -> Complex:
        """I know that the man has bought the book."""
        verb = self.phrases.choose(self.clauses.reporting)
        speaker = self.phrases.subject(_PERSON)
        if isinstance(speaker, NounPhrase) and speaker.determiner == "number":
            speaker = self.phrases.person()
        past = self.phrases.chance(0.25)
        inner = self.clauses.action() if self.phrases.chance(0.8) else self.clauses.qualities.draw()
        if isinstance(inner.subject, NounPhrase) and inner.subject.determiner == "a":
            inner = replace(inner, subject=replace(inner.subject, determiner="the"))
        if past and inner.verb is not None:
            inner = replace(inner, tense="past", modal="")
        elif past:
            inner = replace(inner, tense="past", time=None)
        inner = self.clauses.adjoin(inner, may_front=False)
        main = Clause(speaker, verb, "past" if past else "present", negative=False)
        return Complex(main, "that", replace(inner, fronted=False))

    def simultaneous(self) -> Complex:
        """The man is reading while the woman sleeps."""
        tense = "past_progressive" if self.phrases.chance(0.4) else "progressive"
        first = self.phrases.subject(_PERSON)
        second = self.phrases.subject(_PERSON)
        while second.agreement == first.agreement and second == first:
            second = self.phrases.subject(_PERSON)
        actions = self.clauses.human_actions
        left = self.clauses.core(self.phrases.choose(actions), first)
        right = self.clauses.core(self.phrases.choose(actions), second)
        main, inner = replace(left, tense=tense), replace(right, tense=tense)
        return Complex(main, "while", inner, self.phrases.chance(0.2))

    def condition(self) -> Complex:
        """If it rains, we will stay in the house."""
        subject, pronoun = self.person_with_pronoun()
        verb = self.phrases.choose(self.clauses.human_actions)
        main = self.clauses.core(verb, subject, self.phrases.chance(0.2))
        tense, modal = ("future", "") if self.phrases.chance(0.4) else ("present", "can")
        if modal and self.phrases.chance(0.6):
            modal = "must" if self.phrases.chance(0.5) else "may"
        main = replace(main, tense=tense, modal=modal)
        if self.phrases.chance(0.6):
            inner = self.clauses.qualities.weather("present")
        else:
            mood = self.phrases.choose(self.clauses.qualities.moods)
            inner = Clause(pronoun, None, "present", predicate=Quality(mood))
        return Complex(main, "if", inner, self.phrases.chance(0.6))

    def reason(self, conjunction: str) -> Complex:
        """Because or although he was tired, it rained, it was cheap."""
        is_past, kind = self.phrases.chance(0.5), self.phrases.random()
        verbs = self.clauses.acquiring
        if kind >= 0.4:
            verbs = self.clauses.emotional if kind < 0.75 else self.clauses.sheltering
        subject, pronoun = self.person_with_pronoun()
        main = self.clauses.core(self.phrases.choose(verbs), subject)
        is_event = main.verb is None or main.verb.aspect not in ("action", "motion")
        main = replace(main, tense="past" if is_past or is_event else "progressive")
        finite = "past" if main.tense == "past" else "present"
        if kind >= 0.75:
            weather = self.clauses.qualities.weather(
                "past_progressive" if finite == "past" else "progressive"
            )
            return Complex(main, conjunction, weather, self.phrases.chance(0.25))
        thing = main.object
        if kind < 0.4 and isinstance(thing, NounPhrase) and "pair" not in thing.noun.classes:
            determiner = "the" if thing.determiner in ("number", "") else thing.determiner
            thing = replace(thing, plural=False, number=0, determiner=determiner)
            quality = self.fitting(thing)
            if quality is not None:
                inner = Clause(Pronoun("it", thing), None, finite, predicate=quality)
                return Complex(replace(main, object=thing), conjunction, inner)
        degree = "very" if self.phrases.chance(0.3) else "plain"
        quality = Quality(self.phrases.choose(self.clauses.qualities.moods), degree)
        inner = Clause(pronoun, None, finite, predicate=quality)
        return Complex(main, conjunction, inner)

    def fitting(self, thing: NounPhrase) -> Quality | None:
        """A quality of the thing that is not already said."""
        choices = [
            adjective
            for adjective in self.phrases.adjectives(thing.noun)
            if adjective is not thing.adjective and "colour" not in adjective.uses
        ]
        return Quality(self.phrases.choose(choices)) if choices else None

    def person_with_pronoun(self) -> tuple[Phrase, Pronoun]:
        """A subject and the pronoun that stands for it."""
        while True:
            subject = self.phrases.subject(_PERSON)
            pronoun = self.reference(subject)
            if pronoun is not None:
                return subject, pronoun

    def reference(self, subject: Phrase) -> Pronoun | None:
        """The pronoun that stands for a subject, if its gender is known."""
        if isinstance(subject, Pronoun):
            return subject
        if subject.agreement == "p":
            return Pronoun("they")
        if isinstance(subject, ProperName):
            return Pronoun(subject.name.pronoun)
        if isinstance(subject, NounPhrase) and "female" in subject.noun.classes:
            return Pronoun("she")
        if isinstance(subject, NounPhrase) and "male" in subject.noun.classes:
            return Pronoun("he")
        return None
