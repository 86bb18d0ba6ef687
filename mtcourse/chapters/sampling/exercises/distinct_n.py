"""The exercise ``distinct_n``: how little texts repeat themselves (C19; chapter 19)."""

from __future__ import annotations

from collections import Counter

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A loop, texts that share n-grams, texts that are too short, and drawn ids."""

    def drawn(*lengths, highest=6):
        return [draw.ids(length, lowest=4, highest=highest).tolist() for length in lengths]

    return [
        Case("a loop of two tokens, n = 2", ([[7, 8, 7, 8, 7, 8]], 2), by_hand=True),
        Case("a loop of two tokens, n = 1", ([[7, 8, 7, 8, 7, 8]], 1), by_hand=True),
        Case("the same text twice, n = 2", ([[5, 6, 7], [5, 6, 7]], 2), by_hand=True),
        Case("turned round, n = 2", ([[5, 6, 5, 9], [6, 5]], 2), by_hand=True),
        Case("texts of two lengths, n = 2", ([[4, 5, 6, 7, 8], [4, 4, 4]], 2), by_hand=True),
        Case("texts that are too short, n = 3", ([[4, 5], [6], []], 3), by_hand=True),
        Case("one is too short, n = 3", ([[4, 5, 6, 4, 5, 6], [7, 7], [4, 5, 6]], 3), by_hand=True),
        Case("no text, n = 1", ([], 1), by_hand=True),
        Case("ids of several digits, n = 2", ([[1, 12, 1, 4], [11, 2]], 2), by_hand=True),
        Case("3 drawn texts, n = 2", (drawn(12, 7, 9), 2)),
        Case("4 drawn texts, n = 3", (drawn(10, 4, 15, 6, highest=5), 3)),
        Case("2 drawn texts, n = 1", (drawn(9, 14, highest=12), 1)),
    ]


def _ngrams(texts, n):
    return [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]


def correct(texts, n):
    """Different n-grams over all n-grams."""
    found = _ngrams(texts, n)
    return len(set(found)) / len(found) if found else 0.0


def _share(part, whole):
    return len(part) / len(whole) if whole else 0.0


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_divides(texts, n):
        """You divide by zero where no text has n tokens.

        The question says what to return then.
        """
        found = _ngrams(texts, n)
        return len(set(found)) / len(found)

    def one_where_nothing_is(texts, n):
        """You return 1 where there is no n-gram at all.

        The question asks for 0 there.
        """
        return correct(texts, n) if _ngrams(texts, n) else 1.0

    def mean_over_texts(texts, n):
        """You measure each text by itself and take the mean. Then an n-gram that *several* texts
        share counts as new in each of them.

        Put the n-grams of all texts together first.
        """
        return sum(correct([text], n) for text in texts) / len(texts) if texts else 0.0

    def across_texts(texts, n):
        """You put the texts one behind the other, so that n-grams run from the end of one into the
        next.

        Collect the n-grams of each text by itself.
        """
        return correct([[i for text in texts for i in text]], n)

    def last_ngram_missing(texts, n):
        """You miss the last n-gram of each text.

        A text of 3 tokens has 2 pairs. Which starts does your range have?
        """
        found = [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n)]
        return _share(set(found), found)

    def shorter_pieces_counted(texts, n):
        """You count the shorter pieces at the end of each text as n-grams.

        The last start is n tokens before the end.
        """
        found = [tuple(text[i : i + n]) for text in texts for i in range(len(text))]
        return _share(set(found), found)

    def side_by_side(texts, n):
        """Your n-grams do not overlap. The next one starts one token later, and not n tokens later.

        The text 4 5 6 has the pairs 4 5 and 5 6.
        """
        found = [tuple(text[i : i + n]) for text in texts for i in range(0, len(text) - n + 1, n)]
        return _share(set(found), found)

    def order_forgotten(texts, n):
        """You take n-grams with the same tokens in another order for the same.

        5 6 and 6 5 are two different pairs.
        """
        found = [tuple(sorted(one)) for one in _ngrams(texts, n)]
        return _share(set(found), found)

    def tokens_of_ngrams(texts, n):
        """You take two n-grams for equal if they have the same *set* of tokens.

        Keep order and repetitions: a tuple does.
        """
        found = [frozenset(one) for one in _ngrams(texts, n)]
        return _share(set(found), found)

    def single_tokens(texts, n):
        """You count single tokens whatever n is.

        An n-gram is n tokens that stand one behind the other.
        """
        return correct(texts, 1)

    def up_to_n(texts, n):
        """You count all lengths from 1 to n together.

        Count n-grams of the length n alone.
        """
        found = [one for length in range(1, n + 1) for one in _ngrams(texts, length)]
        return _share(set(found), found)

    def one_token_too_long(texts, n):
        """Your n-grams have n + 1 tokens.

        `text[i : i + n]` has n of them.
        """
        return correct(texts, n + 1)

    def repeated_share(texts, n):
        """You return the share that is *repeated*: one minus what is asked for.

        1 means that nothing is repeated.
        """
        return 1 - correct(texts, n) if _ngrams(texts, n) else 0.0

    def upside_down(texts, n):
        """You divide all n-grams by the different ones.

        The result is at most 1.
        """
        return 1 / correct(texts, n) if _ngrams(texts, n) else 0.0

    def over_the_tokens(texts, n):
        """You divide by the number of tokens.

        A text of 3 tokens has 2 pairs: divide by the number of n-grams.
        """
        tokens = sum(len(text) for text in texts)
        return len(set(_ngrams(texts, n))) / tokens if tokens else 0.0

    def over_the_texts(texts, n):
        """You divide by the number of texts.

        Divide by the number of n-grams.
        """
        return len(set(_ngrams(texts, n))) / len(texts) if texts else 0.0

    def those_that_occur_once(texts, n):
        """You count the n-grams that occur exactly once. One that occurs twice is one *different*
        n-gram.

        A set holds each of them once.
        """
        counts = Counter(_ngrams(texts, n))
        return sum(c == 1 for c in counts.values()) / counts.total() if counts else 0.0

    def neighbours_compared(texts, n):
        """You compare each n-gram with the one before it only.

        An n-gram can come back later, or in another text.
        """
        found = _ngrams(texts, n)
        new = [one for i, one in enumerate(found) if i == 0 or one != found[i - 1]]
        return _share(new, found)

    def number_of_different_ones(texts, n):
        """You return *how many* different n-grams there are.

        Divide by the number of all n-grams.
        """
        return len(set(_ngrams(texts, n)))

    def digits_put_together(texts, n):
        """You write the ids of an n-gram one behind the other, without anything between them. Then
        1 12 and 11 2 are the same text, 112.

        Put a blank between them, or use a tuple.
        """
        found = ["".join(map(str, one)) for one in _ngrams(texts, n)]
        return _share(set(found), found)

    def lists_in_a_set(texts, n):
        """Your n-grams are lists, and a list cannot be in a set.

        Make each of them a tuple: `tuple(text[i : i + n])`.
        """
        found = [text[i : i + n] for text in texts for i in range(len(text) - n + 1)]
        return len(set(found)) / len(found) if found else 0.0

    def different_within_each_text(texts, n):
        """You add up the different n-grams of each text. One that *several* texts share then counts
        in each of them.

        Put the n-grams of all texts together first.
        """
        different = [one for text in texts for one in set(_ngrams([text], n))]
        return _share(different, _ngrams(texts, n))

    def short_texts_as_ngrams(texts, n):
        """You count a text that is shorter than n as an n-gram.

        A text with fewer than n tokens has none.
        """
        found = [tuple(text[i : i + n]) for text in texts for i in range(max(1, len(text) - n + 1))]
        return _share(set(found), found)

    def in_percent(texts, n):
        """You return percent. A share between 0 and 1 is asked for.

        Leave out the factor of 100.
        """
        return 100 * correct(texts, n)

    def pairs_whatever_n_is(texts, n):
        """You count pairs whatever n is.

        An n-gram is n tokens that stand one behind the other.
        """
        return correct(texts, 2)

    def only_no_text_is_caught(texts, n):
        """You return 0 for an empty list, and divide by zero where all texts are shorter than n.

        Ask whether there is an *n-gram*, and not whether there is a text.
        """
        return len(set(_ngrams(texts, n))) / len(_ngrams(texts, n)) if texts else 0.0


class Right:
    """Right answers, written differently."""

    def zipped(texts, n):
        """Shifted copies of a text."""
        found = [one for text in texts for one in zip(*(text[i:] for i in range(n)), strict=False)]
        return len(set(found)) / max(len(found), 1)

    def with_loops(texts, n):
        """A dictionary."""
        seen, total = {}, 0
        for text in texts:
            start = 0
            while start + n <= len(text):
                seen[tuple(text[start : start + n])] = True
                total, start = total + 1, start + 1
        return len(seen) / total if total else 0.0

    def with_a_counter(texts, n):
        """A counter."""
        counts = Counter(
            tuple(text[i : i + n]) for text in texts for i in range(max(len(text) - n + 1, 0))
        )
        return len(counts) / counts.total() if counts else 0

    def as_texts(texts, n):
        """Strings with blanks."""
        found = [" ".join(map(str, one)) for one in _ngrams(texts, n)]
        return len(set(found)) / len(found) if found else 0.0

    def one_minus_repeats(texts, n):
        """One minus the share that was there before."""
        found = _ngrams(texts, n)
        repeats = sum(one in found[:i] for i, one in enumerate(found))
        return 1 - repeats / len(found) if found else 0.0


EXERCISE = Exercise(
    id="distinct_n",
    oracle=correct,
    hint="Collect the n-grams of each text as tuples, in one list. Divide the size of its set by "
    "its length, and return 0 if it is empty.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
