"""From abstract syntax to English words, each with the piece of meaning that it expresses."""

from __future__ import annotations

from mtcourse.text.language import english_forms
from mtcourse.text.language.lexicon import Verb
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
    Phrase,
    Predicate,
    Pronoun,
    ProperName,
    Quality,
    Question,
    Sentence,
    Statement,
    Token,
)

_BE = {"1": ("am", "was"), "2": ("are", "were"), "3": ("is", "was"), "p": ("are", "were")}
_DETERMINERS = {"the": "the", "which": "which", "how_many": "how many"}
_DEGREES = {"very": ["very"], "too": ["too"], "equal": ["as"], "plain": []}


def linearise(sentence: Sentence) -> list[Token]:
    """The words of a sentence in English order, without a capital.

    Args:
        sentence: its abstract syntax.
    """
    match sentence:
        case Statement(clause):
            return [*_clause(clause, "m"), (".", ("end",))]
        case Question(clause, asked):
            return [*_question(clause, asked), ("?", ("end",))]
        case Command(clause):
            return [*_command(clause), ("!", ("end",))]
        case Existence():
            return _existence(sentence)
        case Complex(main, conjunction, subordinate, subordinate_first):
            inner = [(conjunction, ("conjunction",)), *_clause(subordinate, "s")]
            if subordinate_first:
                return [*inner, (",", ("comma",)), *_clause(main, "m"), (".", ("end",))]
            return [*_clause(main, "m"), *inner, (".", ("end",))]
        case Compound(left, conjunction, right):
            comma = [(",", ("comma",))] if conjunction == "but" else []
            joint = [*comma, (conjunction, ("conjunction",))]
            return [*_clause(left, "m"), *joint, *_clause(right, "s"), (".", ("end",))]


def _say(text: str, key: str) -> list[Token]:
    return [(word, (key,)) for word in text.split(" ")]


def _phrase(phrase: Phrase, path: str, case: int = 1) -> list[Token]:
    """A phrase as subject (case 0) or object (case 1)."""
    match phrase:
        case NounPhrase():
            return _noun_phrase(phrase, path)
        case Pronoun(person):
            return [(PERSONS[person].english[case], (path,))]
        case ProperName(name):
            return [(name.english, (path,))]
        case Coordination(left, right):
            left_tokens = _phrase(left, path + "l", case)
            return [*left_tokens, ("and", (path + "and",)), *_phrase(right, path + "r", case)]


def _noun_phrase(phrase: NounPhrase, path: str, negated: bool = False) -> list[Token]:
    noun, determiner = phrase.noun, phrase.determiner
    tokens: list[Token] = []
    if phrase.adjective is not None:
        forms = phrase.adjective.english_superlative if phrase.superlative else None
        tokens = [(word, (path + "a",)) for word in forms or (phrase.adjective.english,)]
    if phrase.diminutive:
        colours_last = phrase.adjective is not None and "colour" in phrase.adjective.uses
        little: list[Token] = [("little", (path + "n",))]
        tokens = little + tokens if colours_last else tokens + little
    tokens.append((noun.english_plural if phrase.plural else noun.english, (path + "n",)))
    if negated:
        tokens.insert(0, ("no", (path + "d", "negation")))
    elif determiner:
        tokens[:0] = _say(_determiner(phrase, tokens[0][0]), path + "d")
    if phrase.relative is not None:
        is_somebody = "person" in noun.classes and phrase.relative.gap == "subject"
        pronoun = "who" if is_somebody else "that"
        tokens.append((pronoun, (path + "rel",)))
        tokens += _clause(phrase.relative.clause, path + "r", gap=phrase.relative.gap)
    return tokens


def _determiner(phrase: NounPhrase, following: str) -> str:
    determiner = phrase.determiner
    if determiner == "a":
        return english_forms.article(following)
    if determiner == "number":
        return english_forms.number_name(phrase.number)
    if determiner == "this":
        return "these" if phrase.plural else "this"
    if determiner == "that":
        return "those" if phrase.plural else "that"
    return _DETERMINERS.get(determiner) or PERSONS[determiner].english[2]


def _verb_form(verb: Verb | None, form: str, agreement: str) -> str:
    """One form of a verb, or of ``be`` if the clause has no verb."""
    if verb is None:
        forms = {"base": "be", "participle": "been", "ing": "being"}
        return forms.get(form) or _BE[agreement][form == "past"]
    if form == "base" or (form == "present" and agreement != "3"):
        return verb.english
    return {
        "present": verb.third,
        "past": verb.past,
        "participle": verb.participle,
        "ing": verb.ing,
    }[form]


def _verb_group(
    clause: Clause, path: str, inverted: bool, agreement: str
) -> tuple[list[Token], list[Token]]:
    """The operator (do, be, have, will, can), if one is needed, and the other verbs."""
    verb, key, past = clause.verb, path + "v", clause.tense == "past"
    base = _say(_verb_form(verb, "base", agreement), key)
    match clause.modal or clause.tense:
        case "future":
            return [("will", (path + "x",))], base
        case "can" | "may" | "must" as modal:
            return [("could" if past else modal, (path + "x",))], base
        case "perfect":
            word = "has" if agreement == "3" else "have"
            return [(word, (path + "x",))], _say(_verb_form(verb, "participle", agreement), key)
        case "progressive" | "past_progressive" as tense:
            operator = _BE[agreement][tense == "past_progressive"]
            return [(operator, (key,))], _say(_verb_form(verb, "ing", agreement), key)
        case "want" | "have_to" as modal:
            stem = "want" if modal == "want" else "have"
            third = "wants" if modal == "want" else "has"
            form = ("wanted" if modal == "want" else "had") if past else stem
            form = third if agreement == "3" and not past else form
            key, rest = path + "x", [("to", (path + "x",)), *base]
            finite, bare = [(form, (key,))], [(stem, (key,))]
        case tense:
            finite, bare, rest = _say(_verb_form(verb, tense, agreement), key), base, []
    if verb is None and not clause.modal:
        return finite, rest
    if clause.negative or inverted:
        do = "did" if past else "does" if agreement == "3" else "do"
        return [(do, (key,))], [*bare, *rest]
    return [], [*finite, *rest]


def _clause(clause: Clause, path: str, inverted: bool = False, gap: str = "") -> list[Token]:
    """A clause with its subject before the operator, or after it if inverted."""
    tokens = list[Token]()
    if clause.time is not None and clause.fronted:
        tokens += [(word, (path + "t",)) for word in clause.time.english]
    operator, verbs = _verb_group(clause, path, inverted, clause.subject.agreement)
    subject = [] if gap == "subject" else _phrase(clause.subject, path + "u", 0)
    tokens += [*operator, *subject] if inverted else [*subject, *operator]
    if clause.negative and tokens[-1][0] == "can":
        tokens[-1] = ("cannot", (path + "x", "negation" + path))
    elif clause.negative:
        tokens.append(("not", ("negation" + path,)))
    if clause.adverb is not None:
        tokens.append((clause.adverb.english, (path + "q",)))
    return [*tokens, *verbs, *_rest(clause, path, gap)]


def _rest(clause: Clause, path: str, gap: str = "") -> list[Token]:
    """Everything after the verbs: objects, complement, manner, place, time."""
    verb, tokens = clause.verb, list[Token]()
    if clause.recipient is not None:
        tokens += _phrase(clause.recipient, path + "i")
    thing = [] if clause.object is None or gap == "object" else _phrase(clause.object, path + "o")
    particle = verb.english_particle if verb is not None else ""
    if particle and isinstance(clause.object, Pronoun) and not gap:
        tokens += [*thing, (particle, (path + "v",))]
    elif particle:
        tokens += [(particle, (path + "v",)), *thing]
    else:
        tokens += thing
    if clause.complement is not None and verb is not None:
        tokens += _complement(clause.complement, verb, path)
    if clause.predicate is not None:
        tokens += _predicate(clause.predicate, path + "p")
    if clause.manner is not None:
        tokens.append((clause.manner.english, (path + "h",)))
    if clause.place is not None:
        tokens += _place(clause.place, path + "w")
    if clause.time is not None and not clause.fronted:
        tokens += [(word, (path + "t",)) for word in clause.time.english]
    if clause.is_yet:
        tokens.append(("yet", (path + "yet",)))
    return tokens


def _complement(complement: Phrase, verb: Verb, path: str) -> list[Token]:
    """What follows the verb's preposition."""
    if verb.frame == "place" and isinstance(complement, NounPhrase):
        return _place(complement, path + "c")
    before = [(verb.preposition[0], (path + "cp",))] if verb.preposition[0] else []
    return [*before, *_phrase(complement, path + "c")]


def _place(place: NounPhrase, path: str) -> list[Token]:
    preposition = place.noun.place[0] if place.noun.place else "in"
    return [(preposition, (path + "p",)), *_noun_phrase(place, path)]


def _predicate(predicate: Predicate, path: str) -> list[Token]:
    match predicate:
        case Age(years):
            name = english_forms.number_name(years)
            return [(name, (path + "y",)), ("years", (path + "j",)), ("old", (path + "a",))]
        case NounPhrase():
            return _noun_phrase(predicate, path)
        case Quality(adjective, degree, standard):
            key = path + "a"
            if degree == "comparative":
                tokens = [(word, (key,)) for word in adjective.english_comparative]
                joint = "than"
            else:
                before = _DEGREES[degree]
                tokens = [(word, (path + "e",)) for word in before] + [(adjective.english, (key,))]
                joint = "as"
            if standard is not None:
                tokens += [(joint, (path + "k",)), *_phrase(standard, path + "s", 0)]
            return tokens


def _question(clause: Clause, asked: str) -> list[Token]:
    """A question: the asked phrase first, then the operator, then the subject."""
    if asked == "subject":
        return _clause(clause, "m")
    if asked == "object" and clause.object is not None:
        inner = _clause(clause, "m", inverted=True, gap="object")
        return [*_phrase(clause.object, "mo"), *inner]
    word = [(asked, ("asked",))] if asked else []
    return [*word, *_clause(clause, "m", inverted=True)]


def _command(clause: Clause) -> list[Token]:
    tokens = _say(_verb_form(clause.verb, "base", "2"), "mv")
    if clause.negative:
        tokens = [("do", ("mv",)), ("not", ("negationm",)), *tokens]
    return [*tokens, *_rest(clause, "m")]


def _existence(sentence: Existence) -> list[Token]:
    phrase = sentence.phrase
    there: list[Token] = [("there", ("there",))]
    be: list[Token] = [(_BE[phrase.agreement][sentence.tense == "past"], ("be",))]
    if phrase.determiner == "how_many":
        order = [*_noun_phrase(phrase, "o"), *be, *there]
    else:
        thing = _noun_phrase(phrase, "o", sentence.negative)
        order = [*be, *there, *thing] if sentence.question else [*there, *be, *thing]
    mark = "?" if sentence.question else "."
    return [*order, *_place(sentence.place, "w"), (mark, ("end",))]
