"""The exercise ``what_follows``: conclusions from one report (chapter 20)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

Answers = dict[str, str]

(
    _MEMORY,
    _HALF,
    _OTHER_RUN,
    _LONG,
    _SHORT,
    _NUMBERS,
    _UNKNOWN,
    _SEARCH,
    _EXACT,
    _LOOPS,
) = (
    "it is better than the memory on sentences of this kind",
    "about a third of the translations are right",
    "another start of the same recipe would score between 28 and 34",
    "sentences of 30 words would score about 31, too",
    "it translates sentences of 1 to 5 words better than those of 6 to 10",
    "at least 9 sentences have a wrong or missing number",
    "an unknown word costs 14 points of chrF",
    "beam search is better than greedy search here",
    "at least 60 translations are right",
    "fewer than ten translations are unusable",
)
_YES, _NO = "follows", "does not follow"
_RIGHT: Answers = {
    _MEMORY: _YES,
    _HALF: _NO,
    _OTHER_RUN: _NO,
    _LONG: _NO,
    _SHORT: _NO,
    _NUMBERS: _YES,
    _UNKNOWN: _NO,
    _SEARCH: _YES,
    _EXACT: _YES,
    _LOOPS: _NO,
}


def correct() -> Answers:
    """What the report's numbers show, and no more."""
    return dict(_RIGHT)


def _turned(*names: str) -> Answers:
    """The right answers, but for some."""
    other = {_YES: _NO, _NO: _YES}
    return correct() | {name: other[_RIGHT[name]] for name in names}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """Your answers have no names.

        Return a dictionary with the names from the question.
        """
        return list(correct().values())

    def true_and_false():
        """You answered with True and False. Use the two words from the question.

        They are "follows" and "does not follow".
        """
        return {name: word == _YES for name, word in correct().items()}

    def turned_around():
        """You exchanged the two words.

        Start with the number of exact translations: can one that equals its reference be wrong?
        """
        return _turned(*_RIGHT)

    def all_follow():
        """You let all ten follow. Some speak of things that were not measured.

        For each, ask: which number of the report would be different if it were false?
        """
        return dict.fromkeys(_RIGHT, _YES)

    def nothing_follows():
        """You let nothing follow. Four are what the numbers say.

        Which of them repeat a count, or a paired interval without 0?
        """
        return dict.fromkeys(_RIGHT, _NO)

    def memory_may_be_luck():
        """You doubt that it is better than the memory. The intervals lie 17 points apart, on the
        same sentences.

        Where does the interval of the memory end, and where does the other begin?
        """
        return _turned(_MEMORY)

    def bleu_as_a_share():
        """You read BLEU 31 as 31% right. BLEU counts n-grams; a wrong translation has many right
        ones, and a right one may have few.

        Which row of the report counts translations?
        """
        return _turned(_HALF)

    def interval_of_runs():
        """You read the interval as one of training runs. It comes from resamples of the *test
        sentences*, of a single run.

        What was drawn again and again, and what stayed the same?
        """
        return _turned(_OTHER_RUN)

    def length_does_not_matter():
        """You expect the same score on sentences of 30 words. Training and test have none of more
        than 12.

        Which row of the report has such sentences?
        """
        return _turned(_LONG)

    def bleu_across_lengths():
        """You compare BLEU of short sentences with that of longer ones. A sentence of three words
        has no 4-gram at all.

        Are these two groups scored by the same n-grams? What does chrF say?
        """
        return _turned(_SHORT)

    def kept_is_a_score():
        """You doubt the numbers. In 9 of 60 sentences, a number that source and reference share is
        not in the translation.

        What does "kept" count?
        """
        return _turned(_NUMBERS)

    def one_cause():
        """You blame the whole gap on the unknown word. The sentences with one are also longer, and
        about other things.

        In what else may the two groups differ?
        """
        return _turned(_UNKNOWN)

    def overlap_means_nothing():
        """You say that the searches do not differ because their intervals overlap. Both translated
        the same sentences, so read the *paired* interval.

        Does the paired interval contain 0?
        """
        return _turned(_SEARCH)

    def exact_is_too_strict():
        """You doubt the exact ones. 12% of 500 equal their reference; others may be right as well,
        which makes it "at least".

        How many are 12% of 500?
        """
        return _turned(_EXACT)

    def faults_seen_are_all_faults():
        """You count only the faults that a program sees. A fluent sentence that says the opposite
        is none of them.

        Can a program that knows no German see a missing "nicht"?
        """
        return _turned(_LOOPS)

    def bleu_and_runs():
        """You read BLEU as a share of sentences, and its interval as one of training runs.

        What does BLEU count? And what was drawn again and again?
        """
        return _turned(_HALF, _OTHER_RUN)

    def both_groups():
        """You compare groups of sentences as if they differed in one thing alone, by length and by
        unknown words.

        In what else do the groups differ, and does BLEU count the same in both?
        """
        return _turned(_SHORT, _UNKNOWN)

    def lengths_twice():
        """You let both statements on length follow. One compares BLEU of sentences without 4-grams,
        the other speaks of sentences that nobody translated.

        Which lengths were measured, and by what?
        """
        return _turned(_LONG, _SHORT)

    def counts_doubted():
        """You doubt what was simply counted: exact translations, and sentences that lost a number.

        A count is a fact about these 500 sentences. Which of the statements go beyond them?
        """
        return _turned(_EXACT, _NUMBERS)

    def comparisons_doubted():
        """You accept neither comparison. One has intervals far apart, the other a paired interval
        without 0.

        What would an interval look like that shows no difference?
        """
        return _turned(_MEMORY, _SEARCH)


class Right:
    """Right answers, written differently."""

    def last_first():
        """In reverse order."""
        return dict(reversed(list(correct().items())))

    def sorted_by_name():
        """In order of the alphabet."""
        return dict(sorted(correct().items()))

    def by_the_few():
        """Four follow."""
        few = {_MEMORY, _NUMBERS, _SEARCH, _EXACT}
        return {name: _YES if name in few else _NO for name in _RIGHT}

    def by_the_many():
        """Six do not."""
        answers = dict.fromkeys(_RIGHT, _YES)
        answers.update(dict.fromkeys((_HALF, _OTHER_RUN, _LONG, _SHORT, _UNKNOWN, _LOOPS), _NO))
        return answers

    def by_word():
        """Gathered by the words."""
        words = {
            _NO: [_LOOPS, _UNKNOWN, _SHORT, _LONG, _OTHER_RUN, _HALF],
            _YES: [_EXACT, _SEARCH, _NUMBERS, _MEMORY],
        }
        return {name: word for word, names in words.items() for name in names}


EXERCISE = Exercise(
    id="what_follows",
    oracle=correct,
    hint="Four follow. A statement follows if a number of the report would differ without it; "
    "it does not if it speaks of other sentences, other runs, causes or readers.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
