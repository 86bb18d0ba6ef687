"""Draws whole sentences: statements, questions, commands, and clauses in clauses."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from mtcourse.text.language.clauses import ClauseSampler
from mtcourse.text.language.lexicon import Lexicon
from mtcourse.text.language.syntax import (
    Clause,
    Command,
    Complex,
    Compound,
    Existence,
    NounPhrase,
    Phrase,
    Pronoun,
    ProperName,
    Quality,
    Question,
    Relative,
    Sentence,
    Statement,
)

_KINDS = (
    ("statement", 0.37),
    ("question", 0.16),
    ("quality", 0.12),
    ("complex", 0.17),
    ("relative", 0.06),
    ("existence", 0.05),
    ("command", 0.04),
    ("compound", 0.03),
)
_LONG_KINDS = (("complex", 0.45), ("compound", 0.3), ("relative", 0.15), ("statement", 0.1))
_PERSON = frozenset(("person",))


class SentenceSampler:
    """Draws sentences.

    Args:
        lexicon: the words.
        random: the source of randomness.
        is_long: prefers sentences of several clauses with many adjuncts.
    """

    def __init__(self, lexicon: Lexicon, random: Random, is_long: bool = False):
        self.clauses = ClauseSampler(lexicon, random, 1.8 if is_long else 1.0)
        self.phrases = self.clauses.phrases
        self.kinds = _LONG_KINDS if is_long else _KINDS
        self.is_long = is_long

    def draw(self) -> Sentence:
        """One sentence."""
        match self.phrases.weighted(self.kinds):
            case "question":
                return self.question()
            case "quality":
                return self.quality()
            case "complex":
                return self.complex()
            case "compound":
                return self.compound()
            case "relative":
                return self.relative()
            case "existence":
                return self.existence()
            case "command":
                return self.command()
            case _:
                return Statement(self.clauses.adjoin(self.clauses.action()))

    def quality(self) -> Sentence:
        """A statement or question with ``be``."""
        clause = self.clauses.quality()
        if clause.time is None and self.phrases.chance(0.2):
            return Question(replace(clause, negative=False, fronted=False))
        return Statement(clause)

    def question(self) -> Question:
        """A yes/no or wh-question; no yes/no question is negative."""
        asked = self.phrases.weighted(
            (
                ("", 0.42),
                ("object", 0.24),
                ("subject", 0.12),
                ("where", 0.07),
                ("when", 0.07),
                ("why", 0.08),
            )
        )
        match asked:
            case "object":
                return self.object_question()
            case "subject":
                verb = self.phrases.choose(self.clauses.human_verbs)
                clause = self.clauses.action(Pronoun("who"), verb)
                return Question(self.clauses.adjoin(clause, may_front=False), "subject")
        clause = self.asked_about()
        if asked == "where" and self.has_place(clause):
            return Question(clause, "where")
        if asked == "when" and clause.tense in ("past", "future") and not clause.modal:
            return Question(clause, "when")
        if asked == "why" and clause.tense != "present":
            return Question(clause, "why")
        clause = self.clauses.adjoin(clause, may_front=False)
        if clause.adverb is not None and clause.adverb.english == "never":
            clause = replace(clause, adverb=None, tense="past")
        return Question(clause)

    def asked_about(self) -> Clause:
        """A clause that a question can be about."""
        while True:
            clause = self.clauses.action()
            subject = clause.subject
            if self.can_be_asked(subject):
                return self.affirmed(clause)

    def can_be_asked(self, subject: Phrase) -> bool:
        """True for definite subjects other than the speaker."""
        if isinstance(subject, NounPhrase):
            return subject.determiner not in ("a", "", "number")
        return subject != Pronoun("I")

    def affirmed(self, clause: Clause) -> Clause:
        """The clause without its negation."""
        return replace(clause, negative=False, is_yet=False)

    def has_place(self, clause: Clause) -> bool:
        """True where ``where`` makes sense and does not mean a direction."""
        verb = clause.verb
        if verb is None or clause.complement is not None or clause.tense == "present":
            return False
        return bool(verb.places) and verb.aspect in ("action", "posture")

    def object_question(self) -> Question:
        """What, who, which book, or how many books."""
        verb = self.phrases.choose(self.clauses.object_verbs)
        clause = self.asked_with(verb)
        things = self.phrases.nouns(verb.objects)
        noun = self.phrases.choose(things)
        kind = self.phrases.random()
        if kind < 0.4:
            is_person = "person" in noun.classes
            thing: Phrase = Pronoun("who" if is_person else "what")
        elif kind < 0.8 or noun.is_mass:
            thing = self.phrases.complete(noun, "which", 0.25, 0.15)
            thing = replace(thing, determiner="which", superlative=False)
        else:
            thing = self.phrases.complete(noun, "number", 0.0, 0.15)
            thing = replace(thing, determiner="how_many", plural=True, number=0)
        if (
            clause.tense == "present"
            and not clause.modal
            and verb.aspect not in ("state", "feeling")
        ):
            clause = replace(clause, tense="progressive" if verb.aspect == "action" else "past")
        return Question(replace(clause, object=thing), "object")

    def asked_with(self, verb) -> Clause:
        """A clause with this verb that a question can be about."""
        while True:
            clause = self.clauses.action(None, verb)
            subject = clause.subject
            if self.can_be_asked(subject):
                return self.affirmed(clause)

    def command(self) -> Command:
        """Open the door! Do not open the door!"""
        verb = self.phrases.choose(self.clauses.human_actions)
        clause = self.clauses.core(verb, Pronoun("you"), self.phrases.chance(0.3))
        manner, place = self.clauses.manner_or_place(clause, verb)
        return Command(replace(clause, manner=manner, place=place))

    def existence(self) -> Existence:
        """There are three books on the table."""
        phrases = self.phrases
        place, things = None, frozenset(("light",))
        kind = phrases.random()
        if kind < 0.45:
            place = phrases.place(("surface", "container"))
        elif kind < 0.7:
            place, things = (
                phrases.place(("room",)),
                frozenset(("furniture", "person", "pet", "container")),
            )
        else:
            place, things = phrases.place(("outdoors", "business")), _PERSON
        assert place is not None
        noun = phrases.choose(phrases.nouns(things))
        while "kin" in noun.classes or noun is place.noun:
            noun = phrases.choose(phrases.nouns(things))
        negative, question = False, False
        determiner = phrases.weighted((("a", 0.45), ("number", 0.4), ("how_many", 0.15)))
        if determiner == "how_many":
            question = True
        elif determiner == "a":
            negative = phrases.chance(0.35)
            question = not negative and phrases.chance(0.25)
        thing = phrases.complete(noun, "a" if determiner == "how_many" else determiner, 0.4, 0.3)
        if determiner == "how_many":
            thing = replace(thing, determiner="how_many", plural=True)
        tense = "past" if phrases.chance(0.35) else "present"
        return Existence(thing, place, tense, negative, question)

    def relative(self) -> Sentence:
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
            main = self.clauses.quality(replace(head, adjective=None))
            main = replace(main, time=None, fronted=False)
            subject = replace(head, adjective=None, superlative=False, relative=relative)
            return Statement(replace(main, subject=subject))
        return self.relative_object(head, relative)

    def relative_object(self, head: NounPhrase, relative: Relative) -> Sentence:
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

    def head(self, noun) -> NounPhrase:
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

    def compound(self) -> Sentence:
        """Two main clauses."""
        left = self.clauses.adjoin(self.clauses.action(), may_front=self.is_long)
        right = self.clauses.adjoin(self.clauses.action(), may_front=False)
        return Compound(left, "and" if self.phrases.chance(0.5) else "but", right)

    def complex(self) -> Sentence:
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
        inner = self.clauses.action() if self.phrases.chance(0.8) else self.clauses.quality()
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
            inner = self.clauses.weather("present")
        else:
            mood = self.phrases.choose(self.clauses.moods)
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
            weather = self.clauses.weather(
                "past_progressive" if finite == "past" else "progressive"
            )
            return Complex(main, conjunction, weather, self.phrases.chance(0.25))
        thing = main.object
        if kind < 0.4 and isinstance(thing, NounPhrase):
            determiner = "the" if thing.determiner in ("number", "") else thing.determiner
            thing = replace(thing, plural=False, number=0, determiner=determiner)
            quality = self.fitting(thing)
            if quality is not None:
                inner = Clause(Pronoun("it", thing), None, finite, predicate=quality)
                return Complex(replace(main, object=thing), conjunction, inner)
        degree = "very" if self.phrases.chance(0.3) else "plain"
        quality = Quality(self.phrases.choose(self.clauses.moods), degree)
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
