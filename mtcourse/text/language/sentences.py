"""Draws whole sentences of every kind."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from mtcourse.text.language.clauses import ClauseSampler
from mtcourse.text.language.combinations import CombinationSampler
from mtcourse.text.language.lexicon import Lexicon
from mtcourse.text.language.questions import QuestionSampler
from mtcourse.text.language.syntax import (
    Command,
    Compound,
    Existence,
    Pronoun,
    Question,
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
        self.questions = QuestionSampler(self.clauses)
        self.combinations = CombinationSampler(self.clauses)
        self.kinds = _LONG_KINDS if is_long else _KINDS
        self.is_long = is_long

    def draw(self) -> Sentence:
        """One sentence."""
        match self.phrases.weighted(self.kinds):
            case "question":
                return self.questions.draw()
            case "quality":
                return self.quality()
            case "complex":
                return self.combinations.complex()
            case "compound":
                return self.compound()
            case "relative":
                return self.combinations.relative()
            case "existence":
                return self.existence()
            case "command":
                return self.command()
            case _:
                return Statement(self.clauses.adjoin(self.clauses.action()))

    def quality(self) -> Sentence:
        """A statement or question with ``be``."""
        clause = self.clauses.qualities.draw()
        if clause.time is None and self.phrases.chance(0.2):
            return Question(replace(clause, negative=False, fronted=False))
        return Statement(clause)

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

    def compound(self) -> Sentence:
        """Two main clauses."""
        left = self.clauses.adjoin(self.clauses.action(), may_front=self.is_long)
        right = self.clauses.adjoin(self.clauses.action(), may_front=False)
        return Compound(left, "and" if self.phrases.chance(0.5) else "but", right)
