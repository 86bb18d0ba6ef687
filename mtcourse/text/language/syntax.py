"""The abstract syntax of the built-in language: what a sentence means before it has an order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mtcourse.text.language.lexicon import Adjective, Adverb, Name, Noun, TimePhrase, Verb

Token = tuple[str, tuple[str, ...]]
"""A word with the names of the pieces of meaning that it expresses: equal names are aligned."""


@dataclass(frozen=True, slots=True)
class Person:
    """A personal pronoun: its agreement and its forms in both languages.

    Args:
        agreement: "1", "2" or "3" for the singular persons, "p" for the plural.
        english: as subject, as object, and the possessive.
        dutch: as subject, as object, the possessive, and as the one who receives.
    """

    agreement: str
    english: tuple[str, str, str]
    dutch: tuple[str, str, str, str]


PERSONS = {
    "I": Person("1", ("I", "me", "my"), ("ik", "mij", "mijn", "mij")),
    "you": Person("2", ("you", "you", "your"), ("jij", "jou", "jouw", "jou")),
    "he": Person("3", ("he", "him", "his"), ("hij", "hem", "zijn", "hem")),
    "she": Person("3", ("she", "her", "her"), ("zij", "haar", "haar", "haar")),
    "we": Person("p", ("we", "us", "our"), ("wij", "ons", "ons", "ons")),
    "they": Person("p", ("they", "them", "their"), ("zij", "hen", "hun", "hun")),
    "it": Person("3", ("it", "it", "its"), ("het", "het", "zijn", "het")),
    "who": Person("3", ("who", "who", "whose"), ("wie", "wie", "wiens", "wie")),
    "what": Person("3", ("what", "what", ""), ("wat", "wat", "", "wat")),
}


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A pronoun; ``antecedent`` decides the Dutch gender of ``it``."""

    person: str
    antecedent: NounPhrase | None = None

    @property
    def agreement(self) -> str:
        """ "1", "2", "3" for the singular persons and "p" for the plural."""
        return PERSONS[self.person].agreement


@dataclass(frozen=True, slots=True)
class ProperName:
    """A first name."""

    name: Name

    @property
    def agreement(self) -> str:
        """Always the third person singular."""
        return "3"


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A noun with its determiner.

    Args:
        determiner: the, a, this, that, which, how_many, number, a person ("my" is "I"), or ""
            for a bare plural or mass noun.
    """

    noun: Noun
    determiner: str
    plural: bool = False
    number: int = 0
    adjective: Adjective | None = None
    superlative: bool = False
    diminutive: bool = False
    relative: Relative | None = None

    @property
    def agreement(self) -> str:
        """The third person, singular or plural."""
        return "p" if self.plural else "3"

    @property
    def is_indefinite(self) -> bool:
        """True where Dutch negates with ``geen`` and the object stands late."""
        return self.determiner in ("a", "", "number")

    @property
    def is_neuter(self) -> bool:
        """True where Dutch has ``het`` and ``dat``."""
        return not self.plural and (self.diminutive or self.noun.article == "het")


@dataclass(frozen=True, slots=True)
class Coordination:
    """Two phrases joined by ``and``."""

    left: Phrase
    right: Phrase

    @property
    def agreement(self) -> str:
        """Always plural."""
        return "p"


Phrase = NounPhrase | Pronoun | ProperName | Coordination


@dataclass(frozen=True, slots=True)
class Quality:
    """A predicate adjective: plain, very, too, comparative or equal (with a standard)."""

    adjective: Adjective
    degree: str = "plain"
    standard: Phrase | None = None


@dataclass(frozen=True, slots=True)
class Age:
    """So many years old."""

    years: int


Predicate = Quality | Age | NounPhrase


@dataclass(frozen=True, slots=True)
class Clause:
    """Who does what, when, where and how; without a verb, ``be`` with a predicate or a place.

    Args:
        tense: present, progressive, past, past_progressive, perfect or future.
        modal: can, must, may, want, have_to, or "" for none.
        complement: what stands after the verb's preposition.
        place: a noun phrase whose noun has a place preposition.
        is_yet: negated with ``not yet``.
    """

    subject: Phrase
    verb: Verb | None
    tense: str
    modal: str = ""
    negative: bool = False
    is_yet: bool = False
    object: Phrase | None = None
    recipient: Phrase | None = None
    complement: Phrase | None = None
    predicate: Predicate | None = None
    place: NounPhrase | None = None
    time: TimePhrase | None = None
    fronted: bool = False
    adverb: Adverb | None = None
    manner: Adverb | None = None


@dataclass(frozen=True, slots=True)
class Relative:
    """A clause about its noun, which is the clause's subject or object (``gap``)."""

    clause: Clause
    gap: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A main clause."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Question:
    """A question; ``asked`` is "" for yes or no, subject, object, where, when or why."""

    clause: Clause
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """An imperative."""

    clause: Clause


@dataclass(frozen=True, slots=True)
class Existence:
    """There is something somewhere."""

    phrase: NounPhrase
    place: NounPhrase
    tense: str
    negative: bool = False
    question: bool = False


@dataclass(frozen=True, slots=True)
class Complex:
    """A main clause with a subordinate one; conjunction: because, although, while, if, that."""

    main: Clause
    conjunction: str
    subordinate: Clause
    subordinate_first: bool = False


@dataclass(frozen=True, slots=True)
class Compound:
    """Two main clauses; conjunction: and, but."""

    left: Clause
    conjunction: str
    right: Clause


Sentence = Statement | Question | Command | Existence | Complex | Compound


def phrases_of(clause: Clause) -> Iterator[Phrase]:
    """Every phrase directly in a clause."""
    standard = clause.predicate.standard if isinstance(clause.predicate, Quality) else None
    noun = clause.predicate if isinstance(clause.predicate, NounPhrase) else None
    parts = (clause.subject, clause.recipient, clause.object, clause.complement)
    for part in (*parts, clause.place, standard, noun):
        if isinstance(part, Coordination):
            yield part.left
            yield part.right
        elif part is not None:
            yield part


def parts_of(sentence: Sentence) -> Iterator[tuple[str, Clause]]:
    """The clauses of a sentence, each with its kind: main, question, command or verb-final."""
    match sentence:
        case Statement(clause):
            pairs = [("main", clause)]
        case Question(clause):
            pairs = [("question", clause)]
        case Command(clause):
            pairs = [("command", clause)]
        case Complex(main, _, subordinate):
            pairs = [("main", main), ("verb-final", subordinate)]
        case Compound(left, _, right):
            pairs = [("main", left), ("main", right)]
        case Existence():
            pairs = []
    for kind, clause in pairs:
        yield kind, clause
        for phrase in phrases_of(clause):
            if isinstance(phrase, NounPhrase) and phrase.relative is not None:
                yield "verb-final", phrase.relative.clause


def constructions(kind: str, clause: Clause) -> list[str]:
    """The constructions that a clause shows, as a derivation names them."""
    names = ["fronted" if kind == "main" and clause.fronted else kind]
    names.append("infinitive" if clause.modal or clause.tense == "future" else clause.tense)
    if clause.negative:
        names.append("negative")
    return names


def noun_phrases(sentence: Sentence) -> Iterator[NounPhrase]:
    """Every noun phrase of a sentence."""
    if isinstance(sentence, Existence):
        yield from (sentence.phrase, sentence.place)
    for _, clause in parts_of(sentence):
        for phrase in phrases_of(clause):
            if isinstance(phrase, NounPhrase):
                yield phrase
