"""Draws questions: yes or no, who, what, which, how many, where, when and why."""

from __future__ import annotations

from dataclasses import replace

from mtcourse.text.language.clauses import ClauseSampler
from mtcourse.text.language.lexicon import Verb
from mtcourse.text.language.syntax import Clause, NounPhrase, Phrase, Pronoun, Question


class QuestionSampler:
    """Draws questions.

    Args:
        clauses: draws what is asked about.
    """

    def __init__(self, clauses: ClauseSampler):
        self.clauses = clauses
        self.phrases = clauses.phrases

    def draw(self) -> Question:
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
                clause = self.affirmed(self.clauses.action(Pronoun("who"), verb))
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

    def asked_about(self, verb: Verb | None = None) -> Clause:
        """A clause that a question can be about."""
        while True:
            clause = self.clauses.action(None, verb)
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
        clause = self.asked_about(verb)
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
