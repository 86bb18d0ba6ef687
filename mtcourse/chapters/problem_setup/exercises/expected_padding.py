"""The exercise ``expected_padding``: what random batches of two lengths waste (chapter 01)."""

from __future__ import annotations

import math
from fractions import Fraction

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Half of the sentences long, few, nearly all; small batches and large ones."""

    def share(lowest, highest):
        return draw.size(lowest, highest) / 100

    return [
        Case("half of the sentences three times as long, batches of 2", (0.5, 3, 2), by_hand=True),
        Case("a sentence at a time", (share(10, 90), 4, 1)),
        Case("all sentences long", (1.0, 3, 8)),
        Case("all sentences short", (0.0, 3, 8)),
        Case("few long sentences", (share(1, 3), draw.size(3, 6), 16)),
        Case("very long ones", (share(3, 6), draw.size(15, 25), 32)),
        Case("many long ones", (share(75, 90), draw.size(2, 5), 4)),
        Case("one and a half times as long", (share(20, 40), 1.5, draw.size(3, 6))),
        Case("a large batch", (share(10, 30), draw.size(2, 8), 500)),
    ]


def correct(p, c, B):
    """1 minus tokens over positions, for L = 1; written so that for B = 1 it is exactly 0."""
    return (c - 1) * ((1 - p) - (1 - p) ** B) / _longest(p, c, B)


def _tokens(p, c):
    """The expected length of a sentence."""
    return 1 + (c - 1) * p


def _longest(p, c, B):
    """The expected length of the longest of a batch."""
    return c - (c - 1) * (1 - p) ** B


class Wrong:
    """What learners write, the more particular before the more general."""

    def always_a_long_one(p, c, B):
        """You assumed that every batch has a long sentence. Only very large batches nearly always
        do.

        What is the probability that a batch of B sentences has no long one?
        """
        return 1 - _tokens(p, c) / c

    def share_of_tokens(p, c, B):
        """You returned the share of positions that hold a token.

        Padding is the rest.
        """
        return _tokens(p, c) / _longest(p, c, B)

    def padding_for_each_token(p, c, B):
        """You divided padding by *tokens*. That can exceed 1, and a share cannot.

        Divide by all positions, padding included.
        """
        return _longest(p, c, B) / _tokens(p, c) - 1

    def mean_of_the_shares_of_batches(p, c, B):
        """You took the share of each batch first, and then the mean over batches.

        A batch with a long sentence has more positions and counts for more. Take both means first,
        and divide expected tokens by expected positions.
        """
        without = (1 - p) ** B
        return (1 - without) - (_tokens(p, c) - without) / c

    def long_share_times_the_others(p, c, B):
        """You multiplied the probability of a long sentence in the batch by what such a batch
        wastes on average.

        Such a batch has more tokens than the average batch, and more positions than a narrow one.
        Divide the expected number of tokens of a batch by its expected number of positions.
        """
        return (1 - (1 - p) ** B) * (1 - _tokens(p, c) / c)

    def one_of_B_is_long(p, c, B):
        """You took B p for the probability that a batch has a long sentence.

        For large B that exceeds 1. Start with the probability that *all* B sentences are short.
        """
        return 1 - _tokens(p, c) / (1 + (c - 1) * p * B)

    def all_must_be_long(p, c, B):
        """You made a batch wide only if *all* of its sentences are long.

        One long sentence is enough. When does a batch have no long sentence?
        """
        return 1 - _tokens(p, c) / (1 + (c - 1) * p**B)

    def wide_if_the_others_have_a_long_one(p, c, B):
        """You looked for a long sentence among B - 1 sentences. The batch has B.

        A batch of one sentence never has padding. Put B = 1 into your formula.
        """
        return 1 - _tokens(p, c) / (c - (c - 1) * (1 - p) ** (B - 1))

    def short_and_long_exchanged(p, c, B):
        """You took p for the share of the *short* sentences.

        p is the share of the sentences of length cL.
        """
        return correct(1 - p, c, B)

    def longer_by_c(p, c, B):
        """You made long sentences longer *by* c L, so that their length is (1 + c) L.

        Their length is c L.
        """
        return correct(p, c + 1, B)

    def both_equally_often(p, c, B):
        """You took the mean of the two lengths for the mean length of a sentence.

        A share p of the sentences is long, and a share 1 - p is short.
        """
        return 1 - (1 + c) / 2 / _longest(p, c, B)

    def only_short_sentences_hold_tokens(p, c, B):
        """You counted only the tokens of the short sentences.

        A long sentence has c L tokens, and these are not padding.
        """
        return 1 - (1 - p) / _longest(p, c, B)

    def places_of_a_batch(p, c, B):
        """You returned the expected number of positions of a batch, in units of L.

        That is half of the way. How many of them hold a token, and what share does not?
        """
        return B * _longest(p, c, B)

    def padded_places(p, c, B):
        """You returned the expected number of padded positions of a batch, in units of L.

        Return their share of all positions.
        """
        return B * (_longest(p, c, B) - _tokens(p, c))

    def in_percent(p, c, B):
        """You returned the share in percent.

        Return a number from 0 to 1.
        """
        return 100 * correct(p, c, B)


class Right:
    """Right answers, written differently."""

    def as_one_fraction(p, c, B):
        """Padding over positions."""
        none_long = math.pow(1 - p, B)
        return (c - 1) * (1 - p - none_long) / (c - (c - 1) * none_long)

    def over_all_numbers_of_long_ones(p, c, B):
        """Sums over how many sentences of a batch are long."""
        places = tokens = 0.0
        for k in range(B + 1):
            chance = math.comb(B, k) * p**k * (1 - p) ** (B - k)
            places += chance * B * (c if k else 1)
            tokens += chance * (k * c + B - k)
        return (places - tokens) / places

    def by_the_two_kinds_of_batches(p, c, B):
        """Narrow batches and wide ones."""
        narrow = 1.0
        for _ in range(B):
            narrow *= 1 - p
        longest = narrow * 1 + (1 - narrow) * c
        mean = p * c + (1 - p)
        return (longest - mean) / longest

    def with_fractions(p, c, B):
        """Exactly, and rounded once."""
        q, size = 1 - Fraction(p), Fraction(c)
        return float(1 - (q + (1 - q) * size) / (size - (size - 1) * q**B))


EXERCISE = Exercise(
    id="expected_padding",
    oracle=correct,
    hint="Compute two expectations for one batch, in units of L: how many tokens, and how many "
    "positions. A batch is as wide as its longest sentence, and only two widths are possible.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
