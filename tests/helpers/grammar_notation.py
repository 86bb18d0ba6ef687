"""Reads the short notation of grammar_sentences.tsv: sentences as abstract syntax, by hand."""

from __future__ import annotations

import re

from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.syntax import (
    PERSONS,
    Age,
    Clause,
    Command,
    Complex,
    Compound,
    Coordination,
    Existence,
    NounPhrase,
    Pronoun,
    ProperName,
    Quality,
    Question,
    Relative,
    Statement,
)

LEXICON = load_lexicon()
NOUNS = {noun.english: noun for noun in LEXICON.nouns}
ADJECTIVES = {adjective.english: adjective for adjective in LEXICON.adjectives}
ADVERBS = {adverb.english: adverb for adverb in LEXICON.adverbs}
TIMES = {" ".join(time.english): time for time in LEXICON.times}
NAMES = {name.english: name for name in LEXICON.names}
OWNERS = {"my": "I", "your": "you", "his": "he", "her": "she", "our": "we", "their": "they"}
NUMBERS = {"two": 2, "three": 3, "ten": 10}
MODALS = ("can", "must", "may", "want", "have_to")
TENSES = ("present", "progressive", "past", "past_progressive", "perfect", "future")
PHRASE = re.compile(
    r"(?:(?P<determiner>\S+) )?(?P<noun>[^\s+^#{-]+)(?:\+(?P<adjective>\w+))?(?P<most>\^)?"
    r"(?P<little>-little)?(?P<plural>#)?(?: \{(?P<gap>\w+) (?P<relative>.*)\})?$"
)


def read_phrase(text: str):
    """``the house+big^``, ``two dog-little#``, ``Tom & Eva``, ``she``, ``it the book``."""
    if " & " in text:
        left, right = text.split(" & ")
        return Coordination(read_phrase(left), read_phrase(right))
    if text in NAMES:
        return ProperName(NAMES[text])
    if text in PERSONS:
        return Pronoun(text)
    if text.startswith("it "):
        return Pronoun("it", read_phrase(text[3:]))
    match = PHRASE.match(text)
    assert match, text
    determiner = match["determiner"] or ""
    determiner = OWNERS.get(determiner, determiner)
    number = NUMBERS.get(determiner) or (int(determiner) if determiner.isdigit() else 0)
    phrase = NounPhrase(
        NOUNS[match["noun"]],
        "number" if number else determiner,
        bool(match["plural"]),
        number,
        ADJECTIVES[match["adjective"]] if match["adjective"] else None,
        bool(match["most"]),
        bool(match["little"]),
    )
    if not match["relative"]:
        return phrase
    role = "s " if match["gap"] == "subject" else "o "
    marks, *parts = match["relative"].split("; ")
    clause = read_clause("; ".join([marks, *parts]), {role.strip(): phrase})
    values = {name: getattr(phrase, name) for name in NounPhrase.__dataclass_fields__}
    return NounPhrase(**{**values, "relative": Relative(clause, match["gap"])})


def read_predicate(text: str):
    """``plain big``, ``comparative old the church``, ``12``, ``a doctor+honest``."""
    if text.isdigit():
        return Age(int(text))
    degree, _, rest = text.partition(" ")
    if degree not in ("plain", "very", "too", "comparative", "equal"):
        return read_phrase(text)
    adjective, _, standard = rest.partition(" ")
    return Quality(ADJECTIVES[adjective], degree, read_phrase(standard) if standard else None)


def split(text: str) -> list[str]:
    """At semicolons outside braces."""
    return [part.strip() for part in re.split(r";(?![^{]*\})", text)]


def read_clause(text: str, given=None) -> Clause:
    """``open/openen past not; s the baker+old; o the shop; t ^yesterday``."""
    head, *fields = split(text)
    phrases = dict(given or {})
    options = {}
    for field in fields:
        role, _, value = field.partition(" ")
        if role in "srocw":
            phrases[role] = read_phrase(value)
        elif role == "p":
            options["predicate"] = read_predicate(value)
        elif role == "t":
            options["time"] = TIMES[value.lstrip("^")]
            options["fronted"] = value.startswith("^")
        else:
            options["adverb" if role == "a" else "manner"] = ADVERBS[value]
    marks = head.split()
    name = next((mark for mark in marks if "/" in mark), None)
    verbs = [
        verb
        for verb in LEXICON.verbs
        if verb.name == name
        and bool(phrases.get("r")) == (verb.frame == "recipient")
        and (verb.frame == "object") == ("o" in phrases and "r" not in phrases)
    ] or [verb for verb in LEXICON.verbs if verb.name == name]
    assert verbs or name is None, name
    if name is not None and "c" in phrases:
        verbs = [verb for verb in verbs if verb.frame in ("prepositional", "place")]
    return Clause(
        phrases.get("s", Pronoun("you")),
        verbs[0] if verbs else None,
        next((mark for mark in marks if mark in TENSES), "present"),
        next((mark for mark in marks if mark in MODALS), ""),
        "not" in marks,
        "yet" in marks,
        phrases.get("o"),
        phrases.get("r"),
        phrases.get("c"),
        place=phrases.get("w"),
        **options,
    )


def read_sentence(text: str):
    """``S; clause``, ``Q asked; clause``, ``C; clause``, ``E marks; phrase; w place``."""
    kind, _, rest = text.partition("; ")
    if kind.startswith("E"):
        thing, place = rest.split("; w ")
        place = place if " " in place else f"the {place}"
        marks = kind.split()
        tense = "past" if "past" in marks else "present"
        phrase, where = read_phrase(thing), read_phrase(place)
        return Existence(phrase, where, tense, "not" in marks, "?" in marks)
    if " || " in rest:
        left, conjunction, right = rest.split(" || ")
        clauses = read_clause(left), read_clause(right)
        if conjunction in ("and", "but"):
            return Compound(clauses[0], conjunction, clauses[1])
        return Complex(clauses[0], conjunction.lower(), clauses[1], conjunction.isupper())
    clause = read_clause(rest)
    if kind == "C":
        return Command(clause)
    return Question(clause, kind[2:]) if kind.startswith("Q") else Statement(clause)
