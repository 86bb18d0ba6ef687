"""Translations with one thing wrong: the grammar as a judge of metrics (chapter 12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from mtcourse.text.grammar import make_pair
from mtcourse.text.language.lexicon import Noun
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.language.sentences import SentenceSampler
from mtcourse.text.language.syntax import Clause, Complex, NounPhrase, Statement
from mtcourse.text.pairs import SentencePair

CHANGES = (
    "negation", "tense", "number", "who does it", "another noun", "article", "word order",
)  # fmt: skip
"""What may be wrong: five kinds that change the meaning, then two that do not."""

_OTHER_TENSE = {"present": "past", "past": "present"}
_BECAUSE = "omdat"


def changed_pairs(count: int, seed: int = 1) -> list[tuple[SentencePair, dict[str, str]]]:
    """Sentence pairs of the grammar, each with its Dutch sentence wrong in each of ``CHANGES``.

    All are statements with a definite subject and object in the singular, so that every change is
    possible in every sentence. The changes that alter the meaning give correct Dutch.

    Args:
        count: how many.
        seed: of the random numbers.

    Chapter 12.
    """
    found: dict[str, tuple[SentencePair, dict[str, str]]] = {}
    random = Random(f"phenomena {seed}")
    sampler = SentenceSampler(load_lexicon(), random)
    while len(found) < count:
        sentence = sampler.draw()
        if not isinstance(sentence, Statement) or not _suits(sentence.clause):
            continue
        pair = make_pair(sentence)
        wrong = dict(_changed(sentence.clause, random))
        if len({pair.target, *wrong.values()}) == 1 + len(CHANGES):
            found[pair.source] = pair, wrong
    return list(found.values())


def _suits(clause: Clause) -> bool:
    """Whether every change can be made."""
    both = clause.subject, clause.object
    return (
        clause.tense in _OTHER_TENSE
        and clause.verb is not None
        and not (clause.modal or clause.fronted or clause.is_yet or clause.recipient)
        and not (clause.adverb or clause.complement)
        and all(isinstance(phrase, NounPhrase) and _is_plain(phrase) for phrase in both)
        and clause.subject != clause.object
    )


def _is_plain(phrase: NounPhrase) -> bool:
    named = phrase.determiner == "the" and not (phrase.plural or phrase.diminutive)
    return named and phrase.relative is None and not phrase.noun.is_mass


def _changed(clause: Clause, random: Random) -> Iterator[tuple[str, str]]:
    """For each change the Dutch sentence that has it."""
    subject, thing = clause.subject, clause.object
    assert isinstance(subject, NounPhrase)
    assert isinstance(thing, NounPhrase)
    article = "de" if thing.noun.article == "het" else "het"
    clauses = {
        "negation": replace(clause, negative=not clause.negative),
        "tense": replace(clause, tense=_OTHER_TENSE[clause.tense]),
        "number": replace(clause, object=replace(thing, plural=True)),
        "who does it": replace(clause, subject=thing, object=subject),
        "another noun": replace(clause, object=replace(thing, noun=_of_a_kind(thing.noun, random))),
        "article": replace(
            clause, object=replace(thing, noun=replace(thing.noun, article=article))
        ),
    }
    for change, of_change in clauses.items():
        yield change, make_pair(Statement(of_change)).target
    yield "word order", _verb_last(clause)


def _of_a_kind(noun: Noun, random: Random) -> Noun:
    """Another noun with the same article, for something of the same kind if there is one."""
    nouns = load_lexicon().nouns
    others = [
        o for o in nouns if o.article == noun.article and not o.is_mass and o.dutch != noun.dutch
    ]
    of_a_kind = [other for other in others if other.classes & noun.classes]
    return random.choice(of_a_kind or others)


def _verb_last(clause: Clause) -> str:
    """The sentence with its verb at the end, as in a subordinate clause."""
    text = make_pair(Complex(clause, "because", clause)).target
    after = text.split(f" {_BECAUSE} ")[1]
    return after[0].upper() + after[1:]
