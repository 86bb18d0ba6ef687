"""The exercise ``expected_padding``: what random batches of two lengths waste (chapter 1)."""

from __future__ import annotations

import math
from fractions import Fraction

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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


def _width(c, wide):
    """The expected width, if a batch is wide with this probability."""
    return 1 + (c - 1) * wide


def _share(tokens, positions):
    """The share that holds no token."""
    return 1 - tokens / positions


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

    def wide_batches_of_average_sentences(p, c, B):
        """You multiplied the probability of a wide batch by its share of padding, but computed this
        share with the tokens of an average batch.

        A wide batch has more tokens than the average batch, and more positions than a narrow one.
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

        You are halfway there. How many of them hold a token, and what share does not?
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

    def wide_and_narrow_exchanged(p, c, B):
        """You took (1 − p)^B for the probability that a batch is wide. It is the probability that
        it is narrow.

        A batch is narrow if all of its sentences are short. How wide is it then?
        """
        return _share(_tokens(p, c), _width(c, (1 - p) ** B))

    def none_long_by_p(p, c, B):
        """You took p^B for the probability that a batch has no long sentence.

        p is the share of the *long* ones. What is the probability that one sentence is short?
        """
        return _share(_tokens(p, c), _width(c, 1 - p**B))

    def at_most_certain(p, c, B):
        """You took the smaller of B p and 1 for the probability that a batch has a long sentence.

        Probabilities of events that can happen together may not be added up. Start with the
        probability that *all* B sentences are short.
        """
        return _share(_tokens(p, c), _width(c, min(1, B * p)))

    def exactly_one_is_long(p, c, B):
        """You made a batch wide only if *exactly one* of its sentences is long.

        Two long sentences make it as wide. When is a batch narrow?
        """
        return _share(_tokens(p, c), _width(c, B * p * (1 - p) ** (B - 1)))

    def at_least_two_are_long(p, c, B):
        """You made a batch wide only if *two or more* of its sentences are long.

        One long sentence is enough. When is a batch narrow?
        """
        return _share(_tokens(p, c), _width(c, 1 - (1 - p) ** B - B * p * (1 - p) ** (B - 1)))

    def one_sentence_more(p, c, B):
        """You looked for a long sentence among B + 1 sentences. The batch has B.

        A batch of one sentence never has padding. Put B = 1 into your formula.
        """
        return _share(_tokens(p, c), _width(c, 1 - (1 - p) ** (B + 1)))

    def mean_length_exchanged(p, c, B):
        """Your mean length takes p for the share of the *short* sentences. Your width does not.

        p is the share of the sentences of length c L, in both expectations.
        """
        return _share(_tokens(1 - p, c), _longest(p, c, B))

    def longer_by_c_in_the_tokens(p, c, B):
        """Your mean length is 1 + p c, in units of L: a long sentence is longer *by* c L there.

        Its length is c L. What is the mean length if a share p has the length c, and a share 1 − p
        the length 1?
        """
        return _share(1 + p * c, _longest(p, c, B))

    def longer_by_c_in_the_width(p, c, B):
        """You made a wide batch (1 + c) L wide. Your mean length does not do that.

        A long sentence has the length c L. Take the mean of both widths, each times its
        probability.
        """
        return _share(_tokens(p, c), 1 + c * (1 - (1 - p) ** B))

    def only_long_sentences_hold_tokens(p, c, B):
        """You counted only the tokens of the long sentences.

        A short sentence has L tokens, and these are not padding.
        """
        return _share(p * c, _longest(p, c, B))

    def narrow_batches_have_no_width(p, c, B):
        """You left the narrow batches out of the expected width.

        If all sentences are short, a batch is L wide.
        """
        return _share(_tokens(p, c), c * (1 - (1 - p) ** B))

    def wide_batches_have_no_width(p, c, B):
        """You left the wide batches out of the expected width.

        If a sentence is long, a batch is c L wide.
        """
        return _share(_tokens(p, c), (1 - p) ** B)

    def one_sentence_over_the_batch(p, c, B):
        """You divided the tokens of *one* sentence by the positions of the whole batch.

        A batch has B sentences. Take both expectations for the batch, or both for one row.
        """
        return _share(_tokens(p, c), B * _longest(p, c, B))

    def batch_over_one_row(p, c, B):
        """You divided the tokens of the whole batch by the positions of *one* row.

        A batch has B rows. Take both expectations for the batch, or both for one row.
        """
        return _share(B * _tokens(p, c), _longest(p, c, B))

    def the_average_batch(p, c, B):
        """You took every batch for the average one, with p B long sentences, rounded.

        Batches differ: some have no long sentence. Take the mean over all of them.
        """
        long = round(p * B)
        return _share(long * c + B - long, B * (c if long else 1))

    def batches_of_two(p, c, B):
        """You took batches of 2, whatever B is.

        The example has B = 2. How does the probability of a narrow batch depend on B?
        """
        return _share(_tokens(p, c), _longest(p, c, 2))

    def half_of_the_sentences(p, c, B):
        """You took a half for p in the width, whatever p is.

        The example has p = 1/2. What is the probability that one sentence is short?
        """
        return _share(_tokens(p, c), _longest(0.5, c, B))

    def three_times_as_long(p, c, B):
        """You took 3 for c, whatever c is.

        The example has c = 3. Where does c stand in your two expectations?
        """
        return correct(p, 3, B)

    def a_fifth(p, c, B):
        """You return the example's answer, whatever the input is.

        Write the formula with p, c and B.
        """
        return 0.2

    def mean_of_one_over_the_width(p, c, B):
        """You took the mean of one over the width, in place of one over the mean width.

        Wide batches have more positions. Divide the expected tokens by the expected positions.
        """
        return 1 - _tokens(p, c) * ((1 - p) ** B + (1 - (1 - p) ** B) / c)

    def padding_of_a_sentence(p, c, B):
        """You returned the expected padding of one row, in units of L.

        Return its share of all positions.
        """
        return _longest(p, c, B) - _tokens(p, c)

    def expected_width(p, c, B):
        """You returned the expected width of a batch, in units of L.

        You are halfway there. What share of the positions holds a token, and what share does not?
        """
        return _longest(p, c, B)

    def expected_length(p, c, B):
        """You returned the expected length of a sentence, in units of L.

        You are halfway there. How wide is a batch on average?
        """
        return _tokens(p, c)

    def expected_tokens(p, c, B):
        """You returned the expected number of tokens of a batch, in units of L.

        You are halfway there. How many positions has a batch on average?
        """
        return B * _tokens(p, c)

    def probability_of_a_wide_batch(p, c, B):
        """You returned the probability that a batch has a long sentence.

        How wide is a batch then, and how wide otherwise?
        """
        return 1 - (1 - p) ** B

    def share_of_the_short_rows_when_wide(p, c, B):
        """You multiplied the probability of a wide batch by the padding of a short row in it.

        Not every row of a wide batch is short. Divide expected tokens by expected positions.
        """
        return (1 - (1 - p) ** B) * (1 - 1 / c)

    def padded_short_rows_over_the_width(p, c, B):
        """You multiplied the probability that a row is short by the probability that its batch is
        wide, as if these were independent.

        If a batch is wide, one of its rows is long. Compute expected tokens, and subtract.
        """
        return (1 - p) * (1 - (1 - p) ** B) * (c - 1) / _longest(p, c, B)

    def both_equally_often_everywhere(p, c, B):
        """You took long and short sentences for equally frequent, whatever p is.

        A share p of the sentences is long.
        """
        return correct(0.5, c, B)

    def mean_of_the_two_widths(p, c, B):
        """You took the mean of the two widths for the expected width.

        How often is a batch wide, and how often narrow?
        """
        return _share(_tokens(p, c), (1 + c) / 2)

    def never_padded(p, c, B):
        """Your result is always 0, as if a batch were as wide as its mean length.

        A batch is as wide as its *longest* sentence.
        """
        return 0.0

    def power_for_a_product(p, c, B):
        """You multiplied (1 − p) by B, where all B sentences must be short.

        Probabilities of independent events are multiplied: a product of B factors, each 1 − p.
        """
        return _share(_tokens(p, c), _width(c, 1 - (1 - p) * B))

    def all_sentences_short_in_the_tokens(p, c, B):
        """You took L for the mean length of a sentence.

        A share p of the sentences is longer. What is the mean?
        """
        return _share(1, _longest(p, c, B))

    def all_sentences_long_in_the_tokens(p, c, B):
        """You took c L for the mean length of a sentence.

        A share 1 − p of the sentences is shorter. What is the mean?
        """
        return _share(c, _longest(p, c, B))

    def lengths_added(p, c, B):
        """You took (1 + c) L for the mean length of a sentence.

        A mean lies between the two lengths.
        """
        return _share(1 + c, _longest(p, c, B))

    def always_wide_and_narrow_added(p, c, B):
        """Your expected width is c plus the probability of a narrow batch, so a narrow batch counts
        as a wide one, too.

        A batch is either narrow or wide. Each width counts with its probability, and these add up
        to 1.
        """
        return _share(_tokens(p, c), (1 - p) ** B + c)

    def only_the_extremes(p, c, B):
        """Your expected width knows only batches whose sentences are all short or all long.

        A batch with long *and* short sentences is wide, too.
        """
        return _share(_tokens(p, c), (1 - p) ** B + c * p**B)

    def narrow_with_one_sentence(p, c, B):
        """You took 1 − p for the probability that a batch is narrow. Your probability of a wide
        batch is right.

        The two probabilities add up to 1. A batch is narrow if all B sentences are short.
        """
        return _share(_tokens(p, c), (1 - p) + c * (1 - (1 - p) ** B))

    def exponential_for_the_power(p, c, B):
        """You took e^(−pB) for (1 − p)^B.

        That is nearly equal for small p, and only there.
        """
        return _share(_tokens(p, c), _width(c, 1 - math.exp(-p * B)))

    def all_but_one_are_padded(p, c, B):
        """You padded the B − 1 other sentences of a wide batch, each by the full difference.

        Several of them may be long. Compute expected tokens, and subtract.
        """
        return (B - 1) * (c - 1) * (1 - (1 - p) ** B) / (B * _longest(p, c, B))

    def positions_for_each_token(p, c, B):
        """You returned how many positions there are for each token.

        Which share of the positions holds *no* token?
        """
        return _longest(p, c, B) / _tokens(p, c)

    def rounded_to_two_decimals(p, c, B):
        """You rounded the share to two decimals.

        Return it as it is computed.
        """
        return round(correct(p, c, B), 2)

    def rounded_to_three_decimals(p, c, B):
        """You rounded the share to three decimals.

        Return it as it is computed.
        """
        return round(correct(p, c, B), 3)

    def minus_the_share(p, c, B):
        """You returned the share with the opposite sign: tokens over positions, minus 1.

        Return 1 minus tokens over positions.
        """
        return -correct(p, c, B)


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
