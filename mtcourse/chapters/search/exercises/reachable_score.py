"""The exercise ``reachable_score``: the best that live prefixes can become (C17; chapter 18)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """By hand with 1, 0 and −1; other exponents; prefixes in any order; the last steps."""
    two = draw.tensor([-4.0, -6.0])
    return [
        Case("exponent 1, 2 of 8 tokens", (two, 2, 8, 1.0), by_hand=True),
        Case("exponent 0", (two, 2, 8, 0.0)),
        Case("exponent −1", (two, 2, 8, -1.0)),
        Case("exponent 0.6", (two, 3, 12, 0.6)),
        Case("exponent −0.5", (two, 5, 20, -0.5)),
        Case("the best prefix is not the first", (draw.tensor([-5.0, -3.0, -9.0]), 4, 10, 1.0)),
        Case("the first step", (_totals(draw, 1), 1, 15, 0.7)),
        Case("one token left", (_totals(draw, 4), 9, 10, 1.2)),
        Case("5 prefixes", (_totals(draw, 5), 6, 30, 0.8)),
        Case("5 prefixes, a negative exponent", (_totals(draw, 5), 6, 30, -1.5)),
    ]


def _totals(draw, count):
    return -draw.normal(count, scale=3.0).abs() - 1


def correct(totals, t, longest, exponent):
    """All log-probability is kept, and the length is the most favourable one."""
    return _with(totals, t, longest, exponent)


def _with(totals, t, longest, exponent, best=None, positive=None, other=None):
    """The bound, with another prefix or other lengths."""
    best = totals.max() if best is None else best
    length = (longest if positive is None else positive) if exponent > 0 else (
        t + 1 if other is None else other
    )  # fmt: skip
    return best / length**exponent


class Wrong:
    """What learners write, the more particular before the more general."""

    def length_now(totals, t, longest, exponent):
        """You take the length that the prefixes have now. They will have at least one token more.

        With which length does a prefix that goes on get its best score?
        """
        return _with(totals, t, longest, exponent, positive=t, other=t)

    def now_for_a_positive_exponent(totals, t, longest, exponent):
        """For a positive exponent you take the length that the prefixes have now. Dividing by more
        makes a negative number *larger*.

        Which length is the largest that is allowed?
        """
        return _with(totals, t, longest, exponent, positive=t)

    def next_length_always(totals, t, longest, exponent):
        """You take the next length for every exponent. With a positive one, the longest sentence
        has the best score.

        Compare −4 / 3 with −4 / 8.
        """
        return _with(totals, t, longest, exponent, positive=t + 1)

    def longest_always(totals, t, longest, exponent):
        """You take the longest length for every exponent. With a negative one, the shortest
        sentence has the best score.

        Compare −4 · 3 with −4 · 8.
        """
        return _with(totals, t, longest, exponent, other=longest)

    def lengths_exchanged(totals, t, longest, exponent):
        """You take the longest length where the shortest is best, and the other way round.

        Compare −4 / 3 with −4 / 8: which one is larger?
        """
        return _with(totals, t, longest, exponent, positive=t + 1, other=longest)

    def now_for_a_negative_exponent(totals, t, longest, exponent):
        """For a negative exponent you take the length that the prefixes have now. To end, they need
        at least one token more.

        How many tokens has a prefix of t tokens, once `<eos>` is behind it?
        """
        return _with(totals, t, longest, exponent, other=t)

    def one_too_long(totals, t, longest, exponent):
        """You take a length that is one token more than allowed.

        `longest` includes `<eos>`.
        """
        return _with(totals, t, longest, exponent, positive=longest + 1)

    def one_too_short(totals, t, longest, exponent):
        """You take one token less than the longest length.

        `longest` includes `<eos>`, and so does the length in a score.
        """
        return _with(totals, t, longest, exponent, positive=longest - 1)

    def tokens_left(totals, t, longest, exponent):
        """You divide by the tokens that are left. The score divides by the length of the whole
        sentence.

        How long is the longest sentence that begins with the prefix?
        """
        return _with(totals, t, longest, exponent, positive=longest - t)

    def mean_goes_on(totals, t, longest, exponent):
        """You let each further token cost as much as those before it. At best, it costs nothing: a
        probability can be 1.

        The bound has to hold for every continuation.
        """
        length = longest if exponent > 0 else t + 1
        return totals.max() / t * length / length**exponent

    def first_prefix(totals, t, longest, exponent):
        """You look at the first prefix only. The best one need not stand there.

        Take the largest total.
        """
        return _with(totals, t, longest, exponent, best=totals[0])

    def worst_prefix(totals, t, longest, exponent):
        """You take the smallest total. You may stop only if even the *best* prefix cannot win.

        Take the largest total.
        """
        return _with(totals, t, longest, exponent, best=totals.min())

    def last_prefix(totals, t, longest, exponent):
        """You look at the last prefix only.

        Take the largest total.
        """
        return _with(totals, t, longest, exponent, best=totals[-1])

    def mean_of_prefixes(totals, t, longest, exponent):
        """You take the mean of all totals. One good prefix is enough to win.

        Take the largest total.
        """
        return _with(totals, t, longest, exponent, best=totals.mean())

    def sum_of_prefixes(totals, t, longest, exponent):
        """You add the totals of different prefixes.

        They are rivals: take the largest.
        """
        return _with(totals, t, longest, exponent, best=totals.sum())

    def each_prefix(totals, t, longest, exponent):
        """You return a bound for each prefix. Asked for is one number: the best of them.

        Take the largest.
        """
        return _with(totals, t, longest, exponent, best=totals)

    def exponent_forgotten(totals, t, longest, exponent):
        """You divide by the length itself. The exponent is missing.

        With exponent 0 the bound is the largest total.
        """
        return totals.max() / (longest if exponent > 0 else t + 1)

    def not_normalised(totals, t, longest, exponent):
        """You return the largest total, without normalisation.

        Finished sentences are compared by their normalised scores, and so is the bound.
        """
        return totals.max()

    def multiplied(totals, t, longest, exponent):
        """You multiply by the power of the length.

        The score is log p *divided* by it.
        """
        return totals.max() * (longest if exponent > 0 else t + 1) ** exponent

    def exponent_times_length(totals, t, longest, exponent):
        """You multiply exponent and length.

        The length is raised to the exponent.
        """
        return totals.max() / (exponent * (longest if exponent > 0 else t + 1))

    def as_a_probability(totals, t, longest, exponent):
        """You return a probability.

        The score is made from log p: leave `exp` out.
        """
        return correct(totals, t, longest, exponent).exp()

    def sign_of_the_exponent_lost(totals, t, longest, exponent):
        """You use the size of the exponent, without its sign. With a negative one, longer sentences
        score *lower*.

        Leave `abs` out, and try the exponent −1.
        """
        return totals.max() / longest ** abs(exponent)

    def negative_exponent_left_out(totals, t, longest, exponent):
        """For a negative exponent you return the largest total, as if the exponent were 0.

        Compare −4 · 3 with −4: what does the next length cost?
        """
        return _with(totals, t, longest, exponent) if exponent > 0 else totals.max()

    def tokens_left_for_every_exponent(totals, t, longest, exponent):
        """You divide by the number of tokens that are left, for every exponent. The score divides
        by the length of the *whole* sentence.

        How long is a sentence that begins with the prefix?
        """
        return totals.max() / (longest - t) ** exponent

    def all_prefixes_together(totals, t, longest, exponent):
        """You add the probabilities of the prefixes, with `logsumexp`. They are rivals: only one of
        them becomes the sentence.

        Take the largest total.
        """
        return _with(totals, t, longest, exponent, best=totals.logsumexp(0))


class Right:
    """Right answers, written differently."""

    def best_of_all_lengths(totals, t, longest, exponent):
        """Tries every length that is still possible."""
        best = float(totals.max())
        return max(best / n**exponent for n in range(t + 1, longest + 1))

    def best_of_both_ends(totals, t, longest, exponent):
        """The extreme lengths are enough."""
        return max(totals.max() / (t + 1) ** exponent, totals.max() / longest**exponent)

    def for_all_prefixes(totals, t, longest, exponent):
        """Bounds for all prefixes, then the largest."""
        length = longest if exponent > 0 else t + 1
        return (totals / length**exponent).max()

    def with_a_negative_power(totals, t, longest, exponent):
        """Multiplies by a power with the sign turned."""
        length = t + 1 if exponent <= 0 else longest
        return torch.sort(totals, descending=True).values[0] * length**-exponent

    def by_logarithms(totals, t, longest, exponent):
        """The power by exp and log."""
        length = math.log(longest if exponent > 0 else t + 1)
        return float(totals.max()) * math.exp(-exponent * length)


EXERCISE = Exercise(
    id="reachable_score",
    oracle=correct,
    hint="At best, every further token has probability 1, so the largest total stays as it is. "
    "Which of the lengths t + 1 to longest then gives the best score? Try exponents 1 and −1.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
