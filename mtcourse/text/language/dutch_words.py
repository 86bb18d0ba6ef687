"""Dutch agreement: the forms of verbs, nouns, adjectives and determiners in a sentence."""

from __future__ import annotations

from mtcourse.text.language import dutch_forms
from mtcourse.text.language.lexicon import Verb
from mtcourse.text.language.syntax import PERSONS, Clause, NounPhrase

CONJUNCTIONS = {
    "because": "omdat",
    "although": "hoewel",
    "while": "terwijl",
    "if": "als",
    "that": "dat",
    "and": "en",
    "but": "maar",
}
ASKED = {"where": "waar", "when": "wanneer", "why": "waarom"}
DEGREES = {"very": "heel", "too": "te", "equal": "even"}
_AUXILIARIES = {
    # first, second and third person, plural, second person inverted; past singular, past plural
    "zijn": ("ben", "bent", "is", "zijn", "ben", "was", "waren"),
    "hebben": ("heb", "hebt", "heeft", "hebben", "heb", "had", "hadden"),
    "zullen": ("zal", "zult", "zal", "zullen", "zul", "zou", "zouden"),
    "kunnen": ("kan", "kunt", "kan", "kunnen", "kun", "kon", "konden"),
    "moeten": ("moet", "moet", "moet", "moeten", "moet", "moest", "moesten"),
    "mogen": ("mag", "mag", "mag", "mogen", "mag", "mocht", "mochten"),
    "willen": ("wil", "wilt", "wil", "willen", "wil", "wilde", "wilden"),
    "hoeven": ("hoef", "hoeft", "hoeft", "hoeven", "hoef", "hoefde", "hoefden"),
}
_MODALS = {"can": "kunnen", "must": "moeten", "may": "mogen", "want": "willen"}


def has_te(clause: Clause) -> bool:
    """``need not`` is ``niet hoeven te``."""
    return clause.modal == "have_to" and clause.negative


def modal_verb(clause: Clause) -> str:
    """The Dutch modal: ``must not`` is ``niet mogen``."""
    if not clause.modal:
        return "zullen"
    if clause.modal == "must" and clause.negative:
        return "mogen"
    return _MODALS.get(clause.modal, "moeten")


def auxiliary(infinitive: str, agreement: str, inverted: bool, past: bool) -> str:
    """A finite form of an auxiliary."""
    forms = _AUXILIARIES[infinitive]
    if past:
        return forms[6] if agreement == "p" else forms[5]
    return forms[4] if inverted and agreement == "2" else forms["123p".index(agreement)]


def finite_verb(verb: Verb | None, agreement: str, inverted: bool, past: bool) -> str:
    """The finite form: jij loses its -t where it follows the verb."""
    if verb is None or verb.dutch == "hebben":
        return auxiliary("zijn" if verb is None else "hebben", agreement, inverted, past)
    if past:
        return verb.dutch_past_plural if agreement == "p" else verb.dutch_past
    if agreement == "p":
        return verb.dutch
    return verb.stem if agreement == "1" or (agreement == "2" and inverted) else verb.dutch_third


def noun_form(phrase: NounPhrase) -> str:
    """The noun in its number, or its diminutive."""
    noun = phrase.noun
    if phrase.diminutive:
        return noun.diminutive + ("s" if phrase.plural else "")
    return noun.dutch_plural if phrase.plural else noun.dutch


def adjective_form(phrase: NounPhrase) -> str:
    """Without -e before an indefinite singular het-word, else with it."""
    adjective = phrase.adjective
    if adjective is None:
        return ""
    if phrase.superlative:
        return adjective.superlative + "e"
    bare = phrase.is_neuter and phrase.determiner in ("a", "", "which")
    return adjective.dutch if bare else adjective.inflected


def determiner_form(phrase: NounPhrase) -> str:
    """The determiner, by gender and number."""
    neuter = phrase.is_neuter
    match phrase.determiner:
        case "the":
            return "het" if neuter else "de"
        case "a":
            return "een"
        case "this":
            return "dit" if neuter else "deze"
        case "that":
            return "dat" if neuter else "die"
        case "which":
            return "welk" if neuter else "welke"
        case "how_many":
            return "hoeveel"
        case "number":
            return dutch_forms.number_name(phrase.number)
        case "we":
            return "ons" if neuter else "onze"
        case person:
            return PERSONS[person].dutch[2]
