"""Derivations: a sentence's abstract syntax on one line, and the pairs of choices in it."""

from __future__ import annotations

from mtcourse.text.language.syntax import (
    Age,
    Clause,
    Command,
    Complex,
    Compound,
    Coordination,
    Existence,
    NounPhrase,
    Phrase,
    Predicate,
    Pronoun,
    ProperName,
    Quality,
    Question,
    Sentence,
    Statement,
    constructions,
    noun_phrases,
    parts_of,
)

HELD_CONSTRUCTIONS = (
    "fronted",
    "infinitive",
    "negative",
    "past",
    "perfect",
    "question",
    "verb-final",
)
"""The constructions of which some verbs are held out."""


def describe(sentence: Sentence) -> str:
    """The abstract syntax on one line, such as
    ``close/sluiten[fronted past negative](subject: the baker+old, object: the shop, time: ...)``.
    """
    match sentence:
        case Statement(clause):
            return _clause("main", clause)
        case Question(clause, asked):
            return (f"{asked}? " if asked else "") + _clause("question", clause)
        case Command(clause):
            return _clause("command", clause)
        case Existence(phrase, place, tense, negative, question):
            marks = [tense, *(["negative"] * negative), *(["question"] * question)]
            return f"exist[{' '.join(marks)}]({_phrase(phrase)}, place: {_phrase(place)})"
        case Complex(main, conjunction, subordinate, subordinate_first):
            parts = [_clause("main", main), _clause("verb-final", subordinate)]
            if subordinate_first:
                return f"{conjunction.upper()} {parts[1]} | {parts[0]}"
            return f"{parts[0]} {conjunction.upper()} {parts[1]}"
        case Compound(left, conjunction, right):
            return f"{_clause('main', left)} {conjunction.upper()} {_clause('main', right)}"


def features(sentence: Sentence) -> set[tuple[str, str]]:
    """The verb-construction and noun-adjective pairs of a sentence."""
    found = set[tuple[str, str]]()
    for kind, clause in parts_of(sentence):
        if clause.verb is not None:
            for construction in constructions(kind, clause):
                if construction in HELD_CONSTRUCTIONS:
                    found.add((clause.verb.name, construction))
    for phrase in noun_phrases(sentence):
        if phrase.adjective is not None:
            found.add((phrase.noun.english, phrase.adjective.english))
    return found


def shape(sentence: Sentence) -> str:
    """The derivation with its verbs, nouns and adjectives left out."""
    return _Shape().sentence(sentence)


class _Shape:
    """What two sentences of equal difficulty have in common."""

    def sentence(self, sentence: Sentence) -> str:
        head = type(sentence).__name__
        match sentence:
            case Question():
                head += sentence.asked
            case Complex() | Compound():
                head += sentence.conjunction
        clauses = [self.clause(kind, clause) for kind, clause in parts_of(sentence)]
        adjectives = sum(phrase.adjective is not None for phrase in noun_phrases(sentence))
        return f"{head} {adjectives} {' '.join(clauses)}"

    def clause(self, kind: str, clause: Clause) -> str:
        parts = (clause.object, clause.recipient, clause.complement, clause.place, clause.time)
        filled = "".join(str(int(part is not None)) for part in parts)
        prefixed = "+" if clause.verb is not None and clause.verb.prefix else ""
        return "/".join([*constructions(kind, clause), filled + prefixed])


def _clause(kind: str, clause: Clause) -> str:
    head = clause.verb.name if clause.verb is not None else "be/zijn"
    marks = constructions(kind, clause)
    marks += [mark for mark in (clause.modal, "yet" if clause.is_yet else "") if mark]
    if clause.modal and clause.tense == "past":
        marks.append("before")
    parts = [f"subject: {_phrase(clause.subject)}"]
    for name in ("recipient", "object", "complement", "place"):
        phrase: Phrase | None = getattr(clause, name)
        if phrase is not None:
            parts.append(f"{name}: {_phrase(phrase)}")
    if clause.predicate is not None:
        parts.append(f"predicate: {_predicate(clause.predicate)}")
    for name, word in (("adverb", clause.adverb), ("manner", clause.manner)):
        if word is not None:
            parts.append(f"{name}: {word.english}")
    if clause.time is not None:
        parts.append(f"time: {' '.join(clause.time.english)}")
    return f"{head}[{' '.join(marks)}]({', '.join(parts)})"


def _phrase(phrase: Phrase) -> str:
    match phrase:
        case Pronoun(person):
            return person
        case ProperName(name):
            return name.english
        case Coordination(left, right):
            return f"{_phrase(left)} & {_phrase(right)}"
        case NounPhrase():
            return _noun_phrase(phrase)


def _noun_phrase(phrase: NounPhrase) -> str:
    determiner = str(phrase.number) if phrase.determiner == "number" else phrase.determiner
    text = f"{determiner} {phrase.noun.english}".strip()
    if phrase.adjective is not None:
        text += f"+{phrase.adjective.english}" + ("^" if phrase.superlative else "")
    text += "-little" * phrase.diminutive + "#" * phrase.plural
    if phrase.relative is not None:
        text += f" whose {phrase.relative.gap} {_clause('verb-final', phrase.relative.clause)}"
    return text


def _predicate(predicate: Predicate) -> str:
    match predicate:
        case Age(years):
            return f"{years} years"
        case NounPhrase():
            return _noun_phrase(predicate)
        case Quality(adjective, degree, standard):
            than = f" {_phrase(standard)}" if standard is not None else ""
            return f"{degree} {adjective.english}{than}"
