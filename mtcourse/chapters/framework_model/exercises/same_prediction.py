"""The exercise ``same_prediction``: what a decoder without positions cannot tell (A13, A20)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import groupby, pairwise
from math import gcd

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

_LISTED = (
    ("the same beginning", [2, 5, 6], [2, 5, 6]),
    ("one earlier word more", [2, 5, 6], [2, 7, 5, 6]),
    ("earlier words exchanged", [5, 6, 7, 8], [7, 5, 6, 8]),
    ("the last word exchanged", [5, 6, 7], [7, 6, 5]),
    ("another earlier word", [5, 6, 8], [5, 7, 8]),
    ("a single word and the same", [9], [9]),
    ("a single word and another", [9], [8]),
    ("a word, and the same word twice", [9], [9, 9]),
    ("everything twice", [6, 5], [6, 5, 6, 5]),
    ("everything twice, in another order", [6, 7, 5], [7, 7, 6, 5, 6, 5]),
    ("one word twice as often", [6, 5], [6, 6, 5]),
    ("the last word twice as often", [6, 5], [5, 6, 5]),
    ("everything twice, another last word", [6, 5], [6, 5, 5, 6]),
    ("the same kinds of words, other shares", [5, 5, 6, 7], [5, 6, 6, 7]),
    ("as many words, the first the same", [5, 6, 7], [5, 8, 9]),
    ("two thirds and four sixths", [5, 6, 5], [6, 5, 5, 6, 5, 5]),
    ("everything three times", [5, 6], [5, 6, 5, 6, 5, 6]),
    ("everything three times, in another order", [7, 6, 5], [5, 5, 6, 7, 6, 7, 7, 6, 5]),
    ("a word, and the same word three times", [9], [9, 9, 9]),
    ("two of each, and three of each", [5, 5, 6, 6], [5, 5, 5, 6, 6, 6]),
    ("two of each, and three of each, mixed", [6, 5, 5, 6], [6, 5, 6, 5, 5, 6]),
    ("four thirds", [5, 7, 7, 5, 5, 7, 5, 5, 7], [7, 5, 5, 5, 7, 5, 7, 5, 7, 5, 5, 7]),
    ("the same mean of the ids", [5, 7, 6], [6, 6, 6]),
    ("the same mean of the ids, another length", [5, 7, 6], [6]),
    ("the same product of the ids", [4, 9, 6], [6, 6, 6]),
    ("the same sum of the ids", [5, 8, 6], [6, 7, 6]),
    ("the same share of the last word", [5, 6, 8], [5, 7, 8]),
    ("shares exchanged between two words", [5, 5, 6, 8], [5, 6, 6, 8]),
    ("another first word", [5, 6, 7], [6, 5, 7]),
    ("another first word, everything twice", [5, 6, 7], [6, 5, 7, 5, 6, 7]),
    ("the word before the last exchanged", [5, 7, 6, 8], [7, 6, 5, 8]),
    ("words repeated in place", [5, 5, 6, 7, 7], [5, 6, 7]),
    ("the beginning left out", [5, 6, 5, 6], [6, 5, 6]),
    ("the end left out", [5, 6], [5, 6, 7, 6]),
    ("the same neighbours", [5, 6, 5, 7, 5], [5, 7, 5, 6, 5]),
    ("everything once and everything twice", [7, 6, 5, 7, 6, 5], [6, 7, 5]),
    ("the first word the same, the others exchanged", [5, 6, 7], [5, 7, 6]),
    ("one word more in a long prefix", [5] * 9 + [6] * 9, [5] * 10 + [6] * 9),
)


def cases(draw: Draw) -> list[Case]:
    """Pairs that tell each wrong answer from the right one, and drawn ones."""
    nearly = ([5] * 100 + [6] * 100, [5] * 101 + [6] * 100)
    listed = [Case(name, (list(one), list(other)), by_hand=True) for name, one, other in _LISTED]
    drawn = []
    for length in (4, 7):
        one = draw.ids(length, lowest=5, highest=8).tolist()
        order = draw.normal(length - 1).argsort().tolist()
        drawn.append(Case(f"{length} words shuffled", (one, [*(one[i] for i in order), one[-1]])))
        drawn.append(Case(f"{length} words turned round", (one, one[::-1])))
    listed.append(Case("a hundred of each, and one more", nearly))
    return listed + drawn


def correct(beginning, other):
    """The same last word, and words in the same proportions."""
    return beginning[-1] == other[-1] and _shares(beginning) == _shares(other)


def _shares(words):
    return {word: Fraction(count, len(words)) for word, count in Counter(words).items()}


def _rounded(words, digits):
    return {word: round(count / len(words), digits) for word, count in Counter(words).items()}


class Wrong:
    """What learners write, the more particular before the more general."""

    def always(beginning, other):
        """You return True for every pair. But the last word counts, and so do the words that occur.

        Try a single word and another single word.
        """
        return True

    def never(beginning, other):
        """You return False for every pair, even for a prefix and itself.

        Try the same beginning twice.
        """
        return False

    def in_order(beginning, other):
        """You compare the prefixes word by word, in order.

        Attention sums over words. What does a sum know of the order?
        """
        return beginning == other

    def the_bag(beginning, other):
        """You compare how often each word occurs, and forget the last word, which makes the query.

        The query of the last row comes from one word. Which?
        """
        return Counter(beginning) == Counter(other)

    def the_set(beginning, other):
        """You compare which words occur, but not how often, nor which of them is the last.

        A word that occurs twice has two terms in the sum. And the last word makes the query.
        """
        return set(beginning) == set(other)

    def only_the_last(beginning, other):
        """You look at the last word alone, as if the rows before it were not read.

        The last row attends to all words so far.
        """
        return beginning[-1] == other[-1]

    def bag_and_last(beginning, other):
        """You compare the last word and the counts. But attention is a mean, which sees only
        shares.

        Multiply all counts by 2: what becomes of the fraction?
        """
        return beginning[-1] == other[-1] and Counter(beginning) == Counter(other)

    def set_and_last(beginning, other):
        """You compare the last word and which words occur, but not in which proportions.

        A word that makes up half of a sentence weighs more than one that makes up a tenth.
        """
        return beginning[-1] == other[-1] and set(beginning) == set(other)

    def shares_only(beginning, other):
        """You compare the proportions, and forget the last word, which makes the query.

        The query of the last row comes from one word. Which?
        """
        return _shares(beginning) == _shares(other)

    def shares_of_the_earlier(beginning, other):
        """You compare the last word by itself, and leave it out of the proportions.

        The last row attends to itself, too: the sums run up to k = t.
        """
        return beginning[-1] == other[-1] and _shares(beginning[:-1]) == _shares(other[:-1])

    def first_and_shares(beginning, other):
        """You compare the proportions and the first word. The query comes from the last word.

        Which row predicts the next word?
        """
        return beginning[0] == other[0] and _shares(beginning) == _shares(other)

    def same_length(beginning, other):
        """You compare the lengths alone.

        Without positions, nothing says how long a prefix is. Which words does the row read?
        """
        return len(beginning) == len(other)

    def first_word_too(beginning, other):
        """You compare proportions and the last word, and also the first word.

        What part does the first word play in the sums?
        """
        return correct(beginning, other) and beginning[0] == other[0]

    def without_the_first(beginning, other):
        """You leave out the first word of each prefix, as if it were <bos> and took no part.

        Every word of the prefix has a term in both sums.
        """
        return beginning[-1] == other[-1] and _shares(beginning[1:]) == _shares(other[1:])

    def last_two_words(beginning, other):
        """You compare proportions and the last two words.

        The query comes from a single word. Which?
        """
        return correct(beginning, other) and beginning[-2:] == other[-2:]

    def last_two_words_alone(beginning, other):
        """You look at the last two words alone.

        The last row attends to all words so far.
        """
        return beginning[-2:] == other[-2:]

    def length_too(beginning, other):
        """You compare the last word and the lengths.

        Multiply all counts by 2: what becomes of the fraction? And which words does the row read?
        """
        return beginning[-1] == other[-1] and len(beginning) == len(other)

    def neighbours(beginning, other):
        """You compare which pairs of neighbours occur, and how often, and the last word.

        Where does the order of words appear in the fraction?
        """
        pairs = Counter(pairwise(beginning)) == Counter(pairwise(other))
        return beginning[-1] == other[-1] and pairs

    def the_list_repeated(beginning, other):
        """You accept only the same list, or a list repeated as a whole.

        Where does the order of words appear in the fraction?
        """
        one, two = sorted((beginning, other), key=len)
        return len(two) % len(one) == 0 and one * (len(two) // len(one)) == two

    def whole_multiples(beginning, other):
        """You ask that the counts of the longer prefix be a whole multiple of those of the shorter.

        Compare two of each word with three of each.
        """
        one, two = sorted((beginning, other), key=len)
        times, left = divmod(len(two), len(one))
        return beginning[-1] == other[-1] and not left and sorted(one * times) == sorted(two)

    def once_or_twice(beginning, other):
        """You accept the same counts, and counts that are twice as large.

        By which other numbers may all counts be multiplied?
        """
        one, two = sorted(beginning), sorted(other)
        return beginning[-1] == other[-1] and (
            one == two or sorted(one * 2) == two or sorted(two * 2) == one
        )

    def whole_multiples_without_the_last(beginning, other):
        """You ask that the counts of one prefix be a whole multiple of the other's, and forget the
        last word.

        Compare two of each word with three of each. And which word makes the query?
        """
        one, two = sorted((beginning, other), key=len)
        times, left = divmod(len(two), len(one))
        return not left and sorted(one * times) == sorted(two)

    def second_is_a_multiple(beginning, other):
        """You ask that the counts of `other` be a whole multiple of those of `beginning`, and not
        the other way round.

        Does it matter which of the two prefixes comes first?
        """
        times, left = divmod(len(other), len(beginning))
        return (
            beginning[-1] == other[-1] and not left and sorted(beginning * times) == sorted(other)
        )

    def rounded_to_one(beginning, other):
        """You compare proportions too roughly, as if they were rounded to one decimal.

        Compare fractions, or products of whole numbers, without rounding.
        """
        return beginning[-1] == other[-1] and _rounded(beginning, 1) == _rounded(other, 1)

    def rounded_to_two(beginning, other):
        """You compare proportions too roughly, as if they were rounded to two decimals.

        Compare fractions, or products of whole numbers, without rounding.
        """
        return beginning[-1] == other[-1] and _rounded(beginning, 2) == _rounded(other, 2)

    def mean_of_the_ids(beginning, other):
        """You compare the mean of the ids and the last word.

        Ids are names and not amounts: the mean of word 5 and word 7 is not word 6.
        """
        return beginning[-1] == other[-1] and sum(beginning) * len(other) == sum(other) * len(
            beginning
        )

    def mean_of_the_ids_alone(beginning, other):
        """You compare the mean of the ids.

        Ids are names and not amounts. And which word makes the query?
        """
        return sum(beginning) * len(other) == sum(other) * len(beginning)

    def sum_of_the_ids(beginning, other):
        """You compare the sum of the ids and the last word.

        Ids are names and not amounts: words 5 and 8 are not words 6 and 7.
        """
        return beginning[-1] == other[-1] and sum(beginning) == sum(other)

    def shares_without_names(beginning, other):
        """You compare the last word and which proportions occur, but not which word has which.

        What does the fraction still know of the prefix, once equal words are gathered?
        """
        return beginning[-1] == other[-1] and sorted(_shares(beginning).values()) == sorted(
            _shares(other).values()
        )

    def shares_without_names_alone(beginning, other):
        """You compare which proportions occur, but not which word has which.

        What does the fraction still know of the prefix, once equal words are gathered?
        """
        return sorted(_shares(beginning).values()) == sorted(_shares(other).values())

    def share_of_the_last(beginning, other):
        """You compare the last word and its share alone.

        The other words have terms in the sums, too.
        """
        return (
            beginning[-1] == other[-1]
            and _shares(beginning)[beginning[-1]] == _shares(other)[other[-1]]
        )

    def count_of_the_last(beginning, other):
        """You compare the last word and how often it occurs.

        The other words have terms in the sums, too.
        """
        return beginning[-1] == other[-1] and beginning.count(beginning[-1]) == other.count(
            other[-1]
        )

    def number_of_words(beginning, other):
        """You compare the last word and the number of different words.

        Which words are they, and in which proportions?
        """
        return beginning[-1] == other[-1] and len(set(beginning)) == len(set(other))

    def set_of_the_earlier(beginning, other):
        """You compare the last word, and which words stand before it.

        In which proportions do they occur? And the last row attends to itself, too.
        """
        return beginning[-1] == other[-1] and set(beginning[:-1]) == set(other[:-1])

    def shares_of_the_earlier_alone(beginning, other):
        """You compare the proportions of the words before the last one, and not the last word.

        Which word makes the query?
        """
        return _shares(beginning[:-1]) == _shares(other[:-1])

    def bag_and_first(beginning, other):
        """You compare how often each word occurs, and the first word.

        Which row predicts the next word? And attention is a mean, which sees only shares.
        """
        return beginning[0] == other[0] and Counter(beginning) == Counter(other)

    def set_and_first(beginning, other):
        """You compare which words occur, and the first word.

        Which row predicts the next word? And in which proportions do words occur?
        """
        return beginning[0] == other[0] and set(beginning) == set(other)

    def only_the_first(beginning, other):
        """You look at the first word alone.

        Which row predicts the next word, and which words has it read?
        """
        return beginning[0] == other[0]

    def in_order_without_repetitions(beginning, other):
        """You compare the words in order, after reducing each run of equal words to one.

        Where does the order of words appear in the fraction?
        """
        return [w for w, _ in groupby(beginning)] == [w for w, _ in groupby(other)]

    def order_of_first_use(beginning, other):
        """You compare the last word and the order in which words first occur.

        Where does the order of words appear in the fraction?
        """
        return beginning[-1] == other[-1] and list(dict.fromkeys(beginning)) == list(
            dict.fromkeys(other)
        )

    def one_begins_the_other(beginning, other):
        """You ask whether one prefix is the beginning of the other.

        Which words has the last row read?
        """
        n = min(len(beginning), len(other))
        return beginning[:n] == other[:n]

    def one_ends_the_other(beginning, other):
        """You ask whether one prefix is the end of the other.

        Which words has the last row read?
        """
        n = min(len(beginning), len(other))
        return beginning[-n:] == other[-n:]

    def one_contains_the_other(beginning, other):
        """You ask whether the words of one prefix all occur in the other, and compare the last
        word.

        Does a word that occurs in only one of them change the sums?
        """
        return beginning[-1] == other[-1] and (
            set(beginning) <= set(other) or set(other) <= set(beginning)
        )

    def all_words_read_by_the_last(beginning, other):
        """You return True where the last words are equal or the proportions are.

        Both must hold.
        """
        return beginning[-1] == other[-1] or _shares(beginning) == _shares(other)

    def most_frequent(beginning, other):
        """You compare the last word and the most frequent one.

        All words have terms in the sums.
        """
        return beginning[-1] == other[-1] and max(sorted(beginning), key=beginning.count) == max(
            sorted(other), key=other.count
        )

    def turned_round(beginning, other):
        """You accept only the same prefix, and the same prefix backwards.

        Where does the order of words appear in the fraction?
        """
        return beginning in (other, other[::-1])

    def without_the_first_of_several(beginning, other):
        """You leave out the first word of each prefix of two or more words, as if it were <bos> and
        took no part.

        Every word of the prefix has a term in both sums.
        """
        return beginning[-1] == other[-1] and _shares(beginning[1:] or beginning) == _shares(
            other[1:] or other
        )


class Right:
    """Right answers, written differently."""

    def by_cross_products(beginning, other):
        """Counts times the other's length."""
        words = {*beginning, *other}
        return beginning[-1] == other[-1] and all(
            beginning.count(w) * len(other) == other.count(w) * len(beginning) for w in words
        )

    def by_repetition(beginning, other):
        """Makes both equally long, then sorts."""
        one, two = sorted(beginning * len(other)), sorted(other * len(beginning))
        return one == two and beginning[-1] == other[-1]

    def by_the_greatest_divisor(beginning, other):
        """Divides the counts by what they have in common."""

        def reduced(words):
            counts = Counter(words)
            common = gcd(*counts.values())
            return {word: count // common for word, count in counts.items()}

        return (beginning[-1], reduced(beginning)) == (other[-1], reduced(other))

    def by_experiment(beginning, other):
        """Draws a table and three matrices, and looks whether the last rows agree."""
        generator = torch.Generator().manual_seed(3)
        table, W_Q, W_K, W_V = torch.randn(4, 64, 64, generator=generator, dtype=torch.float64)

        def last(words):
            G = table[torch.tensor(words)]
            return ((G[-1:] @ W_Q) @ (G @ W_K).T / 4096).softmax(-1) @ (G @ W_V)

        return bool(torch.allclose(last(beginning), last(other)))


EXERCISE = Exercise(
    id="same_prediction",
    oracle=correct,
    hint="Write the last row as a fraction of two sums over words, each word with its count. Which "
    "changes of the prefix leave the fraction as it is, whatever the weights?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
