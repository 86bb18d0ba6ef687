"""The exercise ``honest_baselines``: which numbers may stand beside a score (chapter 20)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Answers = dict[str, str]

_COPY, _MEMORY, _OTHER, _PAPER, _RANDOM, _PERSON, _OLD, _BEST = (
    "the source, copied",
    "a memory of the training split",
    "a memory of training and test split",
    "BLEU 28.4 from a paper, on another test set",
    "a memory, on a test set drawn line by line",
    "a second human translation of 100 of the test sentences",
    "last year's version of the translator, trained on half of the training split",
    "the best of twenty settings, chosen on the test set",
)
_RIGHT: Answers = {
    _COPY: "baseline",
    _MEMORY: "baseline",
    _OTHER: "saw the test set",
    _PAPER: "other test set",
    _RANDOM: "other test set",
    _PERSON: "other test set",
    _OLD: "baseline",
    _BEST: "saw the test set",
}


def correct() -> Answers:
    """Same test set, and nothing learnt or chosen on it."""
    return dict(_RIGHT)


def _but(word: str, *names: str) -> Answers:
    """The right answers, but this word for some."""
    return correct() | dict.fromkeys(names, word)


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers have no names.

        Return a dictionary with the names from the question.
        """
        return list(correct().values())

    def all_baselines():
        """You accept all eight. Some are scores of another test set, and some have seen this one.

        For each, ask: which sentences were scored, and what was learnt or chosen on them?
        """
        return dict.fromkeys(_RIGHT, "baseline")

    def no_baselines():
        """You accept none. A baseline may be weak; it has to be measured in the same way.

        Which of them were scored on this test set, without having seen it?
        """
        return _but("other test set", _COPY, _MEMORY, _OLD)

    def copy_is_too_weak():
        """You refuse the copied source. It is weak, and it is honest: it shows what names and
        numbers alone are worth.

        Is it scored on the same sentences? Has it seen their references?
        """
        return _but("other test set", _COPY)

    def copy_saw_the_test():
        """You say that the copied source saw the test set. It sees the *sources*, as every
        translator does.

        Which side of the test set must stay unseen?
        """
        return _but("saw the test set", _COPY)

    def memory_saw_the_test():
        """You say that the memory of the training split saw the test set. It knows what your
        translator knows.

        Which pairs does it look in?
        """
        return _but("saw the test set", _MEMORY)

    def memory_is_no_translator():
        """You refuse the memory of the training split. It need not be a model to be a baseline.

        Is it scored on the same sentences? Has it seen their references?
        """
        return _but("other test set", _MEMORY)

    def memory_may_know_all():
        """You accept a memory that knows the test split. It only has to look the answers up.

        What would it score?
        """
        return _but("baseline", _OTHER)

    def memory_of_all_is_another_set():
        """You say that the memory of both splits was scored on another test set. It was scored on
        this one, and that is the trouble.

        Where does it find its answers?
        """
        return _but("other test set", _OTHER)

    def papers_compare():
        """You accept a score from a paper. BLEU of two test sets cannot be compared, not even for
        the same languages.

        How long are its sentences, how many references are there, and from which domain?
        """
        return _but("baseline", _PAPER)

    def paper_saw_the_test():
        """You say that the paper's translator saw your test set. You cannot know; but whatever it
        saw, it was scored on other sentences.

        On which sentences was the 28.4 computed?
        """
        return _but("saw the test set", _PAPER)

    def random_lines_compare():
        """You accept a memory that was scored on another split of the corpus. Lines drawn one by
        one have near duplicates in training.

        What did this chapter's memory score on either split?
        """
        return _but("baseline", _RANDOM)

    def random_lines_saw_the_test():
        """You say that the memory of the split by lines saw *your* test set. It was asked other
        sentences altogether.

        Which sentences were scored?
        """
        return _but("saw the test set", _RANDOM)

    def people_compare():
        """You accept a score on 100 of the test sentences beside one on all of them. They may be
        easier, or harder.

        Score your translator on the same 100, and the comparison is fair.
        """
        return _but("baseline", _PERSON)

    def people_saw_the_test():
        """You say that the second translator saw the test set. She saw the sources, as she must.

        On how many of the sentences was she scored?
        """
        return _but("saw the test set", _PERSON)

    def old_versions_do_not_count():
        """You refuse last year's version. It learnt from a part of the same training split, and is
        asked the same questions.

        Is it scored on the same sentences? Has it seen their references?
        """
        return _but("other test set", _OLD)

    def old_version_saw_the_test():
        """You say that last year's version saw the test set. It was trained on half of the
        *training* split.

        What was it trained on?
        """
        return _but("saw the test set", _OLD)

    def best_of_twenty():
        """You accept the best of twenty settings, chosen on the test set. The best of twenty is
        partly the luckiest of twenty.

        On which split should one choose?
        """
        return _but("baseline", _BEST)

    def best_is_another_set():
        """You say that the best of twenty was scored on another test set. It was scored on this
        one, twenty times.

        What was learnt from these twenty scores?
        """
        return _but("other test set", _BEST)


class Right:
    """Right answers, written differently."""

    def last_first():
        """In reverse order."""
        return dict(reversed(list(correct().items())))

    def sorted_by_name():
        """In order of the alphabet."""
        return dict(sorted(correct().items()))

    def by_word():
        """Gathered by the words."""
        words = {
            "baseline": [_OLD, _MEMORY, _COPY],
            "saw the test set": [_BEST, _OTHER],
            "other test set": [_PERSON, _PAPER, _RANDOM],
        }
        return {name: word for word, names in words.items() for name in names}

    def by_rules():
        """By two questions."""
        same = {_COPY, _MEMORY, _OTHER, _OLD, _BEST}
        seen = {_OTHER, _BEST}
        return {
            name: "other test set"
            if name not in same
            else "saw the test set"
            if name in seen
            else "baseline"
            for name in _RIGHT
        }

    def by_pairs():
        """Built up one by one."""
        answers: Answers = {}
        for name, word in zip(_RIGHT, _RIGHT.values(), strict=True):
            answers[name] = word
        return answers


EXERCISE = Exercise(
    id="honest_baselines",
    oracle=correct,
    hint="Ask twice of each: were exactly these test sentences scored, and was anything learnt "
    "or chosen on their references?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
