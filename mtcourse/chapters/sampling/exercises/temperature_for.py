"""The exercise ``temperature_for``: the T that gives a share (C23, C24; chapter 19)."""

from __future__ import annotations

import math

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Odds of 2 and 3 to check by hand, and drawn gaps."""
    gap = 0.5 + draw.size(1, 40) / 10
    share = 0.55 + draw.size(1, 40) / 100
    return [
        Case("gap ln 4, share 2/3", (math.log(4), 2 / 3), by_hand=True),
        Case("gap ln 3, share 3/4", (math.log(3), 0.75), by_hand=True),
        Case("gap 1, share 0.9", (1.0, 0.9)),
        Case("gap 5, share 0.55", (5.0, 0.55)),
        Case("gap 0.3, share 0.99", (0.3, 0.99)),
        Case("a gap and a share", (gap, share)),
    ]


def correct(gap, share):
    """The odds are exp(gap / T)."""
    return gap / math.log(share / (1 - share))


class Wrong:
    """What learners write, the more particular before the more general."""

    def upside_down(gap, share):
        """You return 1 / T. In C23 the gap is divided by T, not multiplied by it.

        Write ln(odds) = gap / T, and solve for T.
        """
        return math.log(share / (1 - share)) / gap

    def multiplied(gap, share):
        """You multiply the gap by the logarithm of the odds. A larger share needs a smaller T.

        Write ln(odds) = gap / T, and solve for T.
        """
        return gap * math.log(share / (1 - share))

    def logarithm_of_the_share(gap, share):
        """You take the logarithm of the share alone, and get a negative temperature.

        The *ratio* of the two probabilities is exp(gap / T). What is the probability of the other
        token?
        """
        return gap / math.log(share)

    def minus_logarithm_of_the_share(gap, share):
        """You take -ln(share), as of a loss. The larger the share, the larger is your T.

        The ratio of the two probabilities is exp(gap / T).
        """
        return -gap / math.log(share)

    def logarithm_of_the_rest(gap, share):
        """You use only the probability of the less probable token.

        Divide C23 for one token by C23 for the other: which ratio stands on the left?
        """
        return -gap / math.log(1 - share)

    def odds_turned_round(gap, share):
        """Your odds are turned round, and T is negative. The token with the larger logit has the
        larger probability.

        Which probability stands on top?
        """
        return gap / math.log((1 - share) / share)

    def no_logarithm(gap, share):
        """You divide the gap by the odds. The odds are exp(gap / T), so take their logarithm.

        What undoes an exponential?
        """
        return gap / (share / (1 - share))

    def difference_of_probabilities(gap, share):
        """You divide the gap by the difference of the two probabilities.

        The softmax turns a difference of logits into a *ratio* of probabilities.
        """
        return gap / (2 * share - 1)

    def base_two(gap, share):
        """Your logarithm has the base 2. The softmax has the base e.

        Use `math.log`.
        """
        return gap / math.log2(share / (1 - share))

    def base_ten(gap, share):
        """Your logarithm has the base 10. The softmax has the base e.

        Use `math.log`.
        """
        return gap / math.log10(share / (1 - share))

    def gap_forgotten(gap, share):
        """The gap of the logits does not appear in your result.

        With a gap twice as large, the same share needs another T. Which one?
        """
        return 1 / math.log(share / (1 - share))

    def relative_to_one(gap, share):
        """You divide the share at T = 1 by the share that is wanted. Shares do not change in
        proportion to T.

        The logarithm of the odds does, to 1 / T.
        """
        return 1 / (1 + math.exp(-gap)) / share

    def ratio_of_logarithms(gap, share):
        """You compare the logarithms of two *shares*. With a temperature, both probabilities change
        and are normalised again.

        Compare the logarithms of two *odds*: there the sum in the denominator cancels.
        """
        return math.log(1 / (1 + math.exp(-gap))) / math.log(share)

    def twice_the_share(gap, share):
        """You use ln(2 · share), the share against a half. The other token has 1 - share.

        What do you divide the share by, to get the ratio of the two?
        """
        return gap / math.log(2 * share)

    def share_for_odds(gap, share):
        """You use ln(1 + share): this takes the share for a ratio.

        The ratio is share / (1 - share).
        """
        return gap / math.log(1 + share)

    def root_taken(gap, share):
        """You take a root of the result. T stands in C23 as it is.

        Write ln(odds) = gap / T, and solve for T.
        """
        return math.sqrt(gap / math.log(share / (1 - share)))

    def rounded(gap, share):
        """You round the result to two decimal places.

        Return it as it is computed.
        """
        return round(correct(gap, share), 2)

    def ratio_of_their_logarithms(gap, share):
        """You divide the logarithm of one probability by that of the other. The logarithm of a
        *ratio* is a difference of logarithms.

        ln(a / b) = ln a − ln b.
        """
        return gap / (math.log(share) / math.log(1 - share))

    def sum_for_the_rest(gap, share):
        """You divide the share by 1 *plus* the share. The other token has what is left of 1.

        The odds are share / (1 − share).
        """
        return gap / math.log(share / (1 + share))

    def subtracted(gap, share):
        """You subtract the logarithm of the odds from the gap. In C23 the gap is *divided* by T.

        Write ln(odds) = gap / T, and solve for T.
        """
        return gap - math.log(share / (1 - share))


class Right:
    """Right answers, written differently."""

    def logit_of_the_share(gap, share):
        """Two logarithms."""
        return gap / (math.log(share) - math.log1p(-share))

    def by_powers(gap, share):
        """Through the odds."""
        odds = share / (1 - share)
        return 1 / math.log(odds ** (1 / gap))

    def searched(gap, share):
        """Halves an interval of 1 / T."""
        low, high = 0.0, 1e4
        for _ in range(200):
            middle = (low + high) / 2
            if 1 / (1 + math.exp(-min(gap * middle, 700))) < share:
                low = middle
            else:
                high = middle
        return 1 / low

    def inverse_hyperbolic(gap, share):
        """The odds are those of an artanh."""
        return gap / (2 * math.atanh(2 * share - 1))

    def inverse_odds(gap, share):
        """The odds against."""
        return -gap / math.log(1 / share - 1)


EXERCISE = Exercise(
    id="temperature_for",
    oracle=correct,
    hint="Divide C23 for the first token by C23 for the second. The sum cancels, and the odds "
    "share / (1 - share) are exp(gap / T). Take logarithms and solve for T.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
