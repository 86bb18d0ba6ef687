"""From abstract syntax to Dutch words, each with the piece of meaning that it expresses."""

from __future__ import annotations

from mtcourse.text.language import dutch_forms
from mtcourse.text.language.dutch_words import (
    ASKED,
    CONJUNCTIONS,
    DEGREES,
    adjective_form,
    auxiliary,
    determiner_form,
    finite_verb,
    has_te,
    modal_verb,
    noun_form,
)
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
    Pronoun,
    ProperName,
    Quality,
    Question,
    Sentence,
    Statement,
    Token,
)

CHOICES = (
    "participle first",
    "object before time",
    "object before adverb",
    "place before object",
    "complement last",
)
"""The names of the second order, wherever Dutch has two correct ones."""


class _Linear:
    """One run of the lineariser: which orders to choose, and which choices there were."""

    def __init__(self, chosen: frozenset[str]):
        self.chosen = chosen
        self.met: set[str] = set()

    def chooses(self, choice: str) -> bool:
        """Notes that there is a choice here; True if the second order is wanted."""
        self.met.add(choice)
        return choice in self.chosen

    def sentence(self, sentence: Sentence) -> list[Token]:
        match sentence:
            case Statement(clause):
                return [*self.main(clause, "m"), (".", ("end",))]
            case Question(clause, asked):
                return [*self.question(clause, asked), ("?", ("end",))]
            case Command(clause):
                return [*self.command(clause), ("!", ("end",))]
            case Existence():
                return self.existence(sentence)
            case Complex(main, conjunction, subordinate, subordinate_first):
                joint: list[Token] = [(CONJUNCTIONS[conjunction], ("conjunction",))]
                inner = joint + self.verb_final(subordinate, "s")
                if subordinate_first:
                    rest = self.verb_first(main, "m")
                    return [*inner, (",", ("comma",)), *rest, (".", ("end",))]
                return [*self.main(main, "m"), *inner, (".", ("end",))]
            case Compound(left, conjunction, right):
                comma: list[Token] = [(",", ("comma",))] if conjunction == "but" else []
                joint = [*comma, (CONJUNCTIONS[conjunction], ("conjunction",))]
                return [*self.main(left, "m"), *joint, *self.main(right, "s"), (".", ("end",))]

    def main(self, clause: Clause, path: str) -> list[Token]:
        """Verb second, after the time phrase or after the subject."""
        if clause.time is not None and clause.fronted:
            time: list[Token] = [(word, (path + "t",)) for word in clause.time.dutch]
            return time + self.verb_first(clause, path)
        subject = self.phrase(clause.subject, path + "u", 0)
        if isinstance(clause.subject, NounPhrase) and clause.subject.relative is not None:
            subject.append((",", (path + "relative end",)))
        finite, cluster = self.verbs(clause, path, inverted=False)
        return [*subject, finite, *self.middle(clause, path, cluster)]

    def verb_first(self, clause: Clause, path: str, gap: str = "") -> list[Token]:
        """The finite verb, the subject, and the rest."""
        finite, cluster = self.verbs(clause, path, inverted=True)
        subject = self.phrase(clause.subject, path + "u", 0)
        return [finite, *subject, *self.middle(clause, path, cluster, gap)]

    def verb_final(self, clause: Clause, path: str, gap: str = "") -> list[Token]:
        """The subject, the rest, and all verbs."""
        subject = [] if gap == "subject" else self.phrase(clause.subject, path + "u", 0)
        finite, cluster = self.verbs(clause, path, inverted=False)
        infinite = clause.modal or clause.tense in ("future", "perfect")
        if has_te(clause):
            cluster = [*cluster[:-2], finite, *cluster[-2:]]
        elif infinite:
            has_choice = clause.verb is not None or clause.tense == "perfect"
            last = has_choice and self.chooses("participle first")
            cluster = [*cluster, finite] if last else [finite, *cluster]
        else:
            prefix = "".join(word for word, _ in cluster)
            cluster = [(prefix + finite[0], finite[1])]
        return [*subject, *self.middle(clause, path, cluster, gap)]

    def verbs(self, clause: Clause, path: str, inverted: bool) -> tuple[Token, list[Token]]:
        """The finite verb, and what of the verbs stands at the end of a main clause."""
        verb, agreement = clause.verb, clause.subject.agreement
        key, operator = (path + "v",), (path + "x",)
        prefix = verb.prefix if verb is not None else ""
        infinitive = verb.dutch if verb is not None else "zijn"
        past = clause.tense in ("past", "past_progressive")
        if has_te(clause):
            finite = auxiliary("hoeven", agreement, inverted, past)
            particle = [(prefix, key)] if prefix else []
            return (finite, operator), [*particle, ("te", operator), (infinitive, key)]
        if clause.modal or clause.tense == "future":
            modal = modal_verb(clause)
            finite = auxiliary(modal, agreement, inverted, past)
            return (finite, operator), [(prefix + infinitive, key)]
        if clause.tense == "perfect":
            helper = verb.auxiliary if verb is not None else "zijn"
            participle = verb.dutch_participle if verb is not None else "geweest"
            finite = auxiliary(helper, agreement, inverted, past)
            return (finite, operator), [(participle, key)]
        finite = finite_verb(verb, agreement, inverted, past)
        return (finite, key), [(prefix, key)] if prefix else []

    def middle(self, clause: Clause, path: str, cluster: list[Token], gap: str = "") -> list[Token]:
        """Pronouns, time, objects, negation, manner, place and the closing verbs, in this order."""
        thing, early, late = clause.object, list[Token](), list[Token]()
        time = list[Token]()
        if clause.time is not None and not clause.fronted:
            time = [(word, (path + "t",)) for word in clause.time.dutch]
        adverb, denial = self.denial(clause, path, gap)
        recipient = clause.recipient
        before = self.phrase(recipient, path + "i", 3) if recipient is not None else []
        if thing is not None and gap != "object":
            if isinstance(thing, NounPhrase) and thing.is_indefinite:
                late = self.noun_phrase(thing, path + "o", negated=clause.negative)
            elif isinstance(thing, Pronoun | ProperName):
                before = [*self.phrase(thing, path + "o", 1), *before]
            else:
                early = self.phrase(thing, path + "o", 1)
        if time and early:
            second = self.chooses("object before time")
            early = [*early, *time] if second != clause.negative else [*time, *early]
        else:
            early = [*time, *early]
        if adverb and clause.adverb is not None:
            often = clause.adverb.kind == "frequency"
            second = bool(early) and often and self.chooses("object before adverb")
            early = [*adverb, *early] if often and not second else [*early, *adverb]
        place = self.place(clause.place, path + "w") if clause.place is not None else []
        if late and place and self.chooses("place before object"):
            late, place = [*place, *late], []
        manner = [(clause.manner.dutch, (path + "h",))] if clause.manner is not None else []
        tail = [*self.complement(clause, path), *place]
        start = [*before, *early, *denial, *late, *manner]
        if self.may_close(clause, cluster) and self.chooses("complement last"):
            return [*start, *cluster, *tail]
        tail += self.predicate(clause, path)
        return [*start, *tail, *cluster, *self.standard(clause, path)]

    def may_close(self, clause: Clause, cluster: list[Token]) -> bool:
        """True where a prepositional object may follow the closing verbs."""
        verb = clause.verb
        if verb is None or clause.complement is None or not cluster:
            return False
        return verb.frame == "prepositional" and verb.aspect != "motion"

    def denial(self, clause: Clause, path: str, gap: str) -> tuple[list[Token], list[Token]]:
        """The adverb; and ``niet``, ``nog niet``, or what stands before ``geen``."""
        adverb = [(clause.adverb.dutch, (path + "q",))] if clause.adverb is not None else []
        tokens = list[Token]()
        if clause.is_yet:
            tokens.append(("nog", (path + "yet",)))
        thing = clause.predicate if isinstance(clause.predicate, NounPhrase) else clause.object
        takes_geen = isinstance(thing, NounPhrase) and thing.is_indefinite and gap != "object"
        if clause.negative and not takes_geen:
            tokens.append(("niet", ("negation" + path,)))
        return adverb, tokens

    def complement(self, clause: Clause, path: str) -> list[Token]:
        verb, complement = clause.verb, clause.complement
        if verb is None or complement is None:
            return []
        if verb.frame == "place" and isinstance(complement, NounPhrase):
            return self.place(complement, path + "c")
        keys = (path + "cp",) if verb.preposition[0] else (path + "v",)
        return [(verb.preposition[1], keys), *self.phrase(complement, path + "c", 1)]

    def place(self, place: NounPhrase, path: str) -> list[Token]:
        preposition = place.noun.place[1] if place.noun.place else "in"
        return [(preposition, (path + "p",)), *self.noun_phrase(place, path)]

    def phrase(self, phrase: Phrase, path: str, case: int) -> list[Token]:
        """A phrase as subject (case 0), object (case 1) or the one who receives (case 3)."""
        match phrase:
            case NounPhrase():
                return self.noun_phrase(phrase, path)
            case Pronoun("it", antecedent) if antecedent is not None and not antecedent.is_neuter:
                return [("hij", (path,))]
            case Pronoun(person):
                return [(PERSONS[person].dutch[case], (path,))]
            case ProperName(name):
                return [(name.english, (path,))]
            case Coordination(left, right):
                left_tokens = self.phrase(left, path + "l", case)
                right_tokens = self.phrase(right, path + "r", case)
                return [*left_tokens, ("en", (path + "and",)), *right_tokens]

    def noun_phrase(self, phrase: NounPhrase, path: str, negated: bool = False) -> list[Token]:
        tokens = list[Token]()
        if negated:
            negation = "negation" if path == "o" else "negation" + path[:-1]
            tokens.append(("geen", (path + "d", negation)))
        elif phrase.determiner and not (phrase.determiner == "a" and phrase.plural):
            tokens += [(word, (path + "d",)) for word in determiner_form(phrase).split(" ")]
        if phrase.adjective is not None:
            tokens.append((adjective_form(phrase), (path + "a",)))
        tokens.append((noun_form(phrase), (path + "n",)))
        if phrase.relative is not None:
            tokens.append(("dat" if phrase.is_neuter else "die", (path + "rel",)))
            relative = phrase.relative
            tokens += self.verb_final(relative.clause, path + "r", relative.gap)
        return tokens

    def predicate(self, clause: Clause, path: str) -> list[Token]:
        path += "p"
        match clause.predicate:
            case None:
                return []
            case Age(years):
                name = dutch_forms.number_name(years)
                return [(name, (path + "y",)), ("jaar", (path + "j",)), ("oud", (path + "a",))]
            case NounPhrase() as noun_phrase:
                return self.noun_phrase(noun_phrase, path, negated=clause.negative)
            case Quality(adjective, degree):
                word = adjective.comparative if degree == "comparative" else adjective.dutch
                before = [(DEGREES[degree], (path + "e",))] if degree in DEGREES else []
                return [*before, (word, (path + "a",))]

    def standard(self, clause: Clause, path: str) -> list[Token]:
        """What something is compared with, after all verbs."""
        predicate = clause.predicate
        if not isinstance(predicate, Quality) or predicate.standard is None:
            return []
        joint = "dan" if predicate.degree == "comparative" else "als"
        return [(joint, (path + "pk",)), *self.phrase(predicate.standard, path + "ps", 0)]

    def question(self, clause: Clause, asked: str) -> list[Token]:
        if asked == "subject":
            return self.main(clause, "m")
        if asked == "object" and clause.object is not None:
            return [*self.phrase(clause.object, "mo", 1), *self.verb_first(clause, "m", "object")]
        word: list[Token] = [(ASKED[asked], ("asked",))] if asked else []
        return word + self.verb_first(clause, "m")

    def command(self, clause: Clause) -> list[Token]:
        verb = clause.verb
        stem, prefix = (verb.stem, verb.prefix) if verb is not None else ("wees", "")
        cluster: list[Token] = [(prefix, ("mv",))] if prefix else []
        return [(stem, ("mv",)), *self.middle(clause, "m", cluster)]

    def existence(self, sentence: Existence) -> list[Token]:
        phrase = sentence.phrase
        past = sentence.tense == "past"
        be: list[Token] = [(finite_verb(None, phrase.agreement, False, past), ("be",))]
        there: list[Token] = [("er", ("there",))]
        thing = self.noun_phrase(phrase, "o", negated=sentence.negative)
        if phrase.determiner == "how_many":
            order = [*thing, *be, *there]
        else:
            order = [*be, *there, *thing] if sentence.question else [*there, *be, *thing]
        mark = "?" if sentence.question else "."
        return [*order, *self.place(sentence.place, "w"), (mark, ("end",))]


def linearise(
    sentence: Sentence, chosen: frozenset[str] = frozenset()
) -> tuple[list[Token], set[str]]:
    """The words of a sentence in Dutch order, without a capital, and the choices that there were.

    Args:
        sentence: its abstract syntax.
        chosen: the names in ``CHOICES`` for which the second order is wanted.
    """
    run = _Linear(chosen)
    return run.sentence(sentence), run.met
