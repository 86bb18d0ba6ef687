"""The exercise ``same_prediction``: what a decoder without positions cannot tell (A13, A20)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import gcd

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
)


def cases(draw: Draw) -> list[Case]:
    """Pairs that tell each wrong answer from the right one, and drawn ones."""
    listed = [Case(name, (list(one), list(other)), by_hand=True) for name, one, other in _LISTED]
    drawn = []
    for length in (4, 7):
        one = draw.ids(length, lowest=5, highest=8).tolist()
        order = draw.normal(length - 1).argsort().tolist()
        drawn.append(Case(f"{length} words shuffled", (one, [*(one[i] for i in order), one[-1]])))
        drawn.append(Case(f"{length} words turned round", (one, one[::-1])))
    return listed + drawn


def correct(beginning, other):
    """The same last word, and words in the same proportions."""
    return beginning[-1] == other[-1] and _shares(beginning) == _shares(other)


def _shares(words):
    return {word: Fraction(count, len(words)) for word, count in Counter(words).items()}


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

        The last row attends to itself, too: the causal mask allows k = j.
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
