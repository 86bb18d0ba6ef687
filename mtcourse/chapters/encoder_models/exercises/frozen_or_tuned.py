"""The exercise ``frozen_or_tuned``: which masking is better beyond chance (C29; chapter 15)."""

from __future__ import annotations

import itertools
import math
import re
import statistics

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

Found = dict[str, float | int | str]


def cases(draw: Draw) -> list[Case]:
    """Four starts by hand, all outcomes, with the mean on either side of 0, ties, and two."""
    first = draw.tensor([0.80, 0.84, 0.78, 0.82])
    second = draw.tensor([0.78, 0.80, 0.77, 0.81])
    spread = 0.5 + 0.1 * draw.normal(10).clamp(-2, 2)
    near = draw.tensor([3.0, -1, 2, 0.5, 1, -0.5, 2.5, 1.5, 4, 0]) / 100
    worse = draw.tensor([-1.0, -2, 0.2, -1.5, -2.5, -0.7, -1.2, -3, 0.1, -1.9]) / 100
    open_ = draw.tensor([2.0, -1, 1, -2.5, 0.6, 1.2, -0.4, 2.2]) / 100
    behind = draw.tensor([-2.0, 1, -1, 2.5, -0.6, -1.2, 0.4]) / 100
    tie = draw.tensor([0.0, 0.01, 0.02, 0.0, 0.01, 0.0])
    return [
        Case("four starts", (first, second, 3.182), by_hand=True),
        Case("first better in most of 10 starts", (spread + near, spread, 2.262)),
        Case("second better in most of 10 starts", (spread + worse, spread, 2.262)),
        Case("8 starts without a clear winner", (spread[:8] + open_, spread[:8], 2.365)),
        Case("second ahead in 7 starts", (spread[:7] + behind, spread[:7], 2.447)),
        Case("equal in some of 6 starts", (spread[:6] + tie, spread[:6], 2.571)),
        Case("two starts", (draw.tensor([0.62, 0.66]), draw.tensor([0.61, 0.63]), 12.706)),
        Case("first far better", (spread + 0.1 + near, spread, 2.262)),
        Case("second far better", (spread - 0.1 + near, spread, 2.262)),
    ]


def _found(mean, half, wins) -> Found:
    low, high = float(mean - half), float(mean + half)
    better = "first" if low > 0 else "second" if high < 0 else "open"
    return {"mean": float(mean), "low": low, "high": high, "wins": int(wins), "better": better}


def _points(first, second):
    return 100 * (first - second).double()


def correct(first, second, t):
    """The mean of the paired differences, and t standard errors on either side."""
    d = _points(first, second)
    return _found(d.mean(), t * d.std() / math.sqrt(len(d)), (first > second).sum())


def _with(first, second, half=None, mean=None, wins=None):
    d = _points(first, second)
    return _found(
        d.mean() if mean is None else mean, half, (first > second).sum() if wins is None else wins
    )


def _half(d, t):
    return t * d.std() / math.sqrt(len(d))


class Wrong:
    """What learners write, the more particular before the more general."""

    def shares_not_points(first, second, t):
        """Your numbers are shares. The question asks for points, which are 100 times as large.

        0.02 is 2 points.
        """
        d = _points(first, second) / 100
        return _with(first, second, _half(d, t), d.mean())

    def not_paired(first, second, t):
        """Your interval is that of two separate groups: you add the variances of both. The starts
        are pairs, and what a pair has in common cancels in its difference.

        Take the difference of each start first.
        """
        a, b = 100 * first.double(), 100 * second.double()
        return _with(first, second, t * math.sqrt(float((a.var() + b.var()) / len(a))))

    def not_paired_without_root(first, second, t):
        """You take the deviations of both groups, and you do not use the pairs. What a pair has in
        common cancels in its difference.

        Take the difference of each start first.
        """
        a, b = 100 * first.double(), 100 * second.double()
        return _with(first, second, t * math.sqrt(float(a.var() + b.var())))

    def deviations_added(first, second, t):
        """You add the standard errors of the two groups, and you do not use the pairs.

        Take the difference of each start first.
        """
        a, b = 100 * first.double(), 100 * second.double()
        return _with(first, second, t * float(a.std() + b.std()) / math.sqrt(len(a)))

    def deviation_of_the_first(first, second, t):
        """Your interval is as wide as that of the first group alone.

        What varies is the *difference* of each start.
        """
        return _with(first, second, _half(100 * first.double(), t))

    def not_divided_by_the_root(first, second, t):
        """You take t standard deviations. That says where a single start lies, and not their mean.

        By the root of what is a standard deviation divided?
        """
        return _with(first, second, t * _points(first, second).std())

    def divided_by_n(first, second, t):
        """You divide the standard deviation by the number of starts.

        Variances of means shrink with n. And standard deviations?
        """
        d = _points(first, second)
        return _with(first, second, t * d.std() / len(d))

    def divided_by_n_minus_1(first, second, t):
        """You divide the standard deviation by the root of n − 1.

        n − 1 belongs into the variance, and n under the root.
        """
        d = _points(first, second)
        return _with(first, second, t * d.std() / math.sqrt(len(d) - 1))

    def deviation_with_n(first, second, t):
        """Your standard deviation divides by n. The mean was estimated from the same starts, so it
        divides by n − 1.

        What does `torch.std` do by itself, and what `numpy.std`?
        """
        d = _points(first, second)
        return _with(first, second, t * d.std(correction=0) / math.sqrt(len(d)))

    def variance_for_deviation(first, second, t):
        """You take the variance where the standard deviation belongs.

        A root is missing.
        """
        d = _points(first, second)
        return _with(first, second, t * d.var() / math.sqrt(len(d)))

    def root_of_the_number_only(first, second, t):
        """You divide the variance by n, and take no root.

        The standard error is a root: that of the variance over n.
        """
        d = _points(first, second)
        return _with(first, second, t * d.var() / len(d))

    def normal_quantile(first, second, t):
        """You use 1.96, whatever `t` is. With few starts the standard deviation is itself
        uncertain, and the interval has to be wider.

        Use `t`.
        """
        return _with(first, second, _half(_points(first, second), 1.96))

    def two_for_t(first, second, t):
        """You use 2, whatever `t` is.

        Use `t`.
        """
        return _with(first, second, _half(_points(first, second), 2.0))

    def t_forgotten(first, second, t):
        """You take one standard error on either side. `t` has no influence.

        Where does `t` belong?
        """
        return _with(first, second, _half(_points(first, second), 1.0))

    def t_of_ten_starts(first, second, t):
        """You use 2.262, whatever `t` is. That is the number for ten starts.

        Use `t`.
        """
        return _with(first, second, _half(_points(first, second), 2.262))

    def half_the_width(first, second, t):
        """Your interval is half as wide as it should be.

        t standard errors lie on *either* side of the mean.
        """
        return _with(first, second, _half(_points(first, second), t / 2))

    def smallest_and_largest(first, second, t):
        """Your interval goes from the smallest to the largest difference. The more starts there
        are, the wider it gets.

        The question asks for an interval of the *mean*.
        """
        d = _points(first, second)
        found = _with(first, second, 0.0)
        low, high = float(d.min()), float(d.max())
        better = "first" if low > 0 else "second" if high < 0 else "open"
        return found | {"low": low, "high": high, "better": better}

    def median_for_mean(first, second, t):
        """You take the median of the differences for their mean.

        The formula for the interval is one of the mean.
        """
        d = _points(first, second)
        return _with(first, second, _half(d, t), d.quantile(0.5))

    def difference_of_medians(first, second, t):
        """You take the difference of the two medians.

        The question asks for the mean of the differences.
        """
        a, b = 100 * first.double(), 100 * second.double()
        middle = a.quantile(0.5) - b.quantile(0.5)
        return _with(first, second, _half(a - b, t), middle)

    def second_minus_first(first, second, t):
        """You subtract the first from the second, so that positive numbers mean that the second is
        better.

        The question asks by how much the *first* is better.
        """
        found = correct(second, first, t)
        turned = {"first": "second", "second": "first", "open": "open"}
        better = turned[found["better"]]
        return found | {"wins": int((first > second).sum()), "better": better}

    def second_minus_first_throughout(first, second, t):
        """You exchanged the two: all of your numbers say by how much the *second* is better.

        The question asks by how much the first is better.
        """
        return correct(second, first, t)

    def relative(first, second, t):
        """You divide the differences by the second strategy's accuracy: these are changes in
        percent, and not points.

        From 80 % to 82 % are 2 points, and 2.5 percent.
        """
        d = 100 * ((first - second) / second).double()
        return _with(first, second, _half(d, t), d.mean())

    def differences_without_signs(first, second, t):
        """You take the differences without their signs, so that a loss counts as a gain.

        Leave out `abs`.
        """
        d = _points(first, second).abs()
        return _with(first, second, _half(d, t), d.mean())

    def summed(first, second, t):
        """You add up the differences. Their mean is asked for.

        Divide by the number of starts.
        """
        d = _points(first, second)
        return _with(first, second, _half(d, t), d.sum())

    def ends_exchanged(first, second, t):
        """Your `"low"` is the upper end, and your `"high"` the lower one.

        `"low"` is mean − t standard errors.
        """
        found = correct(first, second, t)
        return found | {"low": found["high"], "high": found["low"]}

    def widths_for_ends(first, second, t):
        """Your `"low"` and `"high"` say how far the ends lie from the mean. The ends themselves are
        asked for.

        Add the mean.
        """
        found = correct(first, second, t)
        mean = found["mean"]
        return found | {"low": found["low"] - mean, "high": found["high"] - mean}

    def better_by_more_wins(first, second, t):
        """`"better"`: you let the number of wins decide, and say `"open"` where both win equally
        often. More wins than losses may be chance.

        Is 0 inside the interval?
        """
        found = correct(first, second, t)
        wins, half = found["wins"], len(first) / 2
        better = "first" if wins > half else "second" if wins < half else "open"
        return found | {"better": better}

    def better_in_every_start(first, second, t):
        """`"better"`: you say `"first"` where it wins in every start, `"second"` where it wins in
        none, and otherwise `"open"`.

        The interval decides. Is 0 inside?
        """
        found = correct(first, second, t)
        named = {len(first): "first", 0: "second"}
        return found | {"better": named.get(found["wins"], "open")}

    def better_by_the_other_end(first, second, t):
        """`"better"`: you say `"first"` as soon as a *part* of the interval is above 0.

        The *whole* interval has to be above 0. Which of its ends decides this?
        """
        found = correct(first, second, t)
        better = "first" if found["high"] > 0 else "second" if found["low"] < 0 else "open"
        return found | {"better": better}

    def better_by_two_intervals(first, second, t):
        """`"better"`: you make an interval for each strategy, and say `"open"` where they overlap.

        The starts are pairs. Is 0 inside the interval of their *differences*?
        """
        a, b = (100 * one.double() for one in (first, second))
        gap = abs(float(a.mean() - b.mean())) - float(_half(a, t) + _half(b, t))
        sign = "first" if a.mean() > b.mean() else "second"
        return correct(first, second, t) | {"better": sign if gap > 0 else "open"}

    def better_by_the_mean(first, second, t):
        """`"better"`: you let the mean decide. A mean that is a little above or below 0 may be
        chance.

        Is 0 inside the interval?
        """
        found = correct(first, second, t)
        return found | {"better": "first" if found["mean"] > 0 else "second"}

    def better_by_wins(first, second, t):
        """`"better"`: you let the number of wins decide. More wins than losses may be chance.

        Is 0 inside the interval?
        """
        found = correct(first, second, t)
        return found | {"better": "first" if found["wins"] > len(first) / 2 else "second"}

    def better_where_0_is_inside(first, second, t):
        """`"better"`: you call it open where 0 lies *outside* of the interval.

        If 0 is inside, both signs are possible.
        """
        found = correct(first, second, t)
        inside = found["low"] <= 0 <= found["high"]
        sign = "first" if found["mean"] > 0 else "second"
        return found | {"better": sign if inside else "open"}

    def first_and_second_exchanged(first, second, t):
        """`"better"`: you exchange `"first"` and `"second"`.

        If the whole interval is above 0, which one is better?
        """
        found = correct(first, second, t)
        turned = {"first": "second", "second": "first", "open": "open"}
        return found | {"better": turned[found["better"]]}

    def never_second(first, second, t):
        """`"better"`: you never say `"second"`. If the whole interval is below 0, the second is
        better.

        There are three outcomes.
        """
        found = correct(first, second, t)
        return found | {"better": found["better"].replace("second", "open")}

    def first_for_second(first, second, t):
        """`"better"`: you say `"first"` also if the whole interval is below 0.

        If the whole interval is below 0, which one is better?
        """
        found = correct(first, second, t)
        return found | {"better": found["better"].replace("second", "first")}

    def better_in_capitals(first, second, t):
        """`"better"`: you begin the three words with capitals.

        Write them as in the question: `"first"`, `"second"` and `"open"`.
        """
        found = correct(first, second, t)
        return found | {"better": found["better"].capitalize()}

    def better_as_a_boolean(first, second, t):
        """`"better"`: you return True or False. One of three words is asked for.

        The three words stand in the question.
        """
        found = correct(first, second, t)
        return found | {"better": found["better"] == "first"}

    def never_open(first, second, t):
        """`"better"`: you say `"second"` also where 0 lies in the interval.

        There are three outcomes.
        """
        found = correct(first, second, t)
        return found | {"better": found["better"].replace("open", "second")}

    def always_open(first, second, t):
        """`"better"`: you always say `"open"`.

        Where does the interval lie, if 0 is not in it?
        """
        return correct(first, second, t) | {"better": "open"}

    def ties_are_wins(first, second, t):
        """`"wins"`: you count starts in which both are equal.

        The first wins where it is *better*.
        """
        return correct(first, second, t) | {"wins": int((first >= second).sum())}

    def wins_of_the_one_with_more(first, second, t):
        """`"wins"`: where the second wins more often, you count *its* wins.

        The first wins where it is better, also if that is seldom.
        """
        wins = max(int((first > second).sum()), int((first < second).sum()))
        return correct(first, second, t) | {"wins": wins}

    def wins_minus_losses(first, second, t):
        """`"wins"`: you subtract the starts that the second wins.

        Count those in which the first is better, and nothing else.
        """
        wins = int((first > second).sum()) - int((first < second).sum())
        return correct(first, second, t) | {"wins": wins}

    def losses_for_wins(first, second, t):
        """`"wins"`: you count the starts that the *second* wins.

        The first wins where it is better.
        """
        return correct(first, second, t) | {"wins": int((first < second).sum())}

    def share_of_wins(first, second, t):
        """`"wins"`: you return the share of the starts. Their number is asked for.

        Leave out the division.
        """
        found = correct(first, second, t)
        return found | {"wins": found["wins"] / len(first)}

    def wins_against_the_mean(first, second, t):
        """`"wins"`: you compare the first with the *mean* of the second.

        Compare the two of the same start.
        """
        return correct(first, second, t) | {"wins": int((first > second.mean()).sum())}

    def ends_not_in_points(first, second, t):
        """`"low"` and `"high"`: you give shares. The question asks for points.

        Multiply the differences by 100 once, before everything else.
        """
        found = correct(first, second, t)
        return found | {"low": found["low"] / 100, "high": found["high"] / 100}

    def only_the_ends_in_points(first, second, t):
        """`"mean"`: you give a share. The question asks for points.

        Multiply the differences by 100 once, before everything else.
        """
        found = correct(first, second, t)
        return found | {"mean": found["mean"] / 100}

    def ends_around_a_share(first, second, t):
        """Your interval mixes shares and points: its middle is a share, and its width is in points.

        Multiply the differences by 100 once, before everything else.
        """
        d = _points(first, second)
        return _with(first, second, _half(d, t), d.mean() / 100)

    def half_as_a_share(first, second, t):
        """Your interval mixes shares and points: its middle is in points, and its width is a share.

        Multiply the differences by 100 once, before everything else.
        """
        d = _points(first, second)
        return _with(first, second, _half(d, t) / 100)

    def none_for_open(first, second, t):
        """`"better"`: you say "none" where 0 lies in the interval. The word is `"open"`.

        The three words stand in the question.
        """
        found = correct(first, second, t)
        return found | {"better": str(found["better"]).replace("open", "none")}

    def none_value_for_open(first, second, t):
        """`"better"`: you return `None` where 0 lies in the interval. The word is `"open"`.

        The three words stand in the question.
        """
        found = correct(first, second, t)
        return found | {"better": None if found["better"] == "open" else found["better"]}

    def normal_quantile_with_n(first, second, t):
        """You use 1.96, whatever `t` is, and your standard deviation divides by n.

        Use `t`, and divide by n − 1.
        """
        d = _points(first, second)
        return _with(first, second, 1.96 * d.std(correction=0) / math.sqrt(len(d)))

    def normal_quantile_of_starts(first, second, t):
        """You take 1.96 standard deviations. That says where single starts lie.

        Use `t`, and divide by the root of the number of starts.
        """
        return _with(first, second, 1.96 * _points(first, second).std())

    def quantiles_of_the_differences(first, second, t):
        """You took the quantiles at 2.5 and 97.5 % of the differences. They say where single starts
        lie.

        The question asks for an interval of the *mean*, with the formula that it gives.
        """
        d = _points(first, second)
        low, high = float(d.quantile(0.025)), float(d.quantile(0.975))
        better = "first" if low > 0 else "second" if high < 0 else "open"
        return _with(first, second, 0.0) | {"low": low, "high": high, "better": better}

    def not_paired_with_n(first, second, t):
        """Your interval is that of two separate groups, and your variances divide by n. The starts
        are pairs, and what a pair has in common cancels in its difference.

        Take the difference of each start first.
        """
        a, b = 100 * first.double(), 100 * second.double()
        both = a.var(correction=0) + b.var(correction=0)
        return _with(first, second, t * math.sqrt(float(both) / len(a)))

    def all_wins(first, second, t):
        """`"wins"`: you return the number of starts.

        In how many of them is the first better?
        """
        return correct(first, second, t) | {"wins": len(first)}

    def without_names(first, second, t):
        """Your answers have no names.

        Return a dictionary with the five names of the question.
        """
        return tuple(correct(first, second, t).values())

    def rounded_to_tenths(first, second, t):
        """You round to one decimal place.

        Return the numbers as they are computed. Round only what you print.
        """
        found = correct(first, second, t)
        return {key: round(one, 1) if type(one) is float else one for key, one in found.items()}

    def mean_distance_for_deviation(first, second, t):
        """For the standard deviation you take the mean distance from the mean, without squares.

        The standard deviation is the root of a mean *square*. `torch.std` computes it.
        """
        d = _points(first, second)
        return _with(first, second, t * (d - d.mean()).abs().mean() / math.sqrt(len(d)))

    def lower_median_alone(first, second, t):
        """`"mean"`: you give a median of the differences.

        A median leaves out how large the other differences are. The mean is asked for.
        """
        d = _points(first, second)
        return correct(first, second, t) | {"mean": float(d.median())}

    def deviations_subtracted(first, second, t):
        """You subtract the deviation of the second group from that of the first. The deviation of
        the differences is something else.

        Subtract first, start by start; then take the deviation.
        """
        a, b = (100 * one.double() for one in (first, second))
        return _with(first, second, t * (a.std() - b.std()) / math.sqrt(len(a)))

    def root_of_ten(first, second, t):
        """You divide by the root of 10, however many starts there are.

        Divide by the root of the number of starts.
        """
        return _with(first, second, t * _points(first, second).std() / math.sqrt(10))

    def pairs_torn_apart(first, second, t):
        """It is as if both groups were sorted first, so that the starts are no pairs any more.

        Entry i of both belongs to start i. Leave out the sorting.
        """
        return correct(first.sort().values, second.sort().values, t)

    def one_width_for_both_ends(first, second, t):
        """`"low"` and `"high"`: you give how far an end lies from the mean, twice. The ends
        themselves are asked for.

        The ends are the mean minus this number, and the mean plus it.
        """
        half = float(_half(_points(first, second), t))
        return correct(first, second, t) | {"low": half, "high": half}

    def lower_median(first, second, t):
        """You take a median of the differences for their mean, and of two middle ones the lower.

        The formula for the interval is one of the mean.
        """
        d = _points(first, second)
        return _with(first, second, _half(d, t), d.median())

    def smallest_and_largest_ends(first, second, t):
        """`"low"` and `"high"`: you give the smallest and the largest difference. The more starts
        there are, the further apart these lie.

        The question asks for an interval of the *mean*.
        """
        d = _points(first, second)
        return correct(first, second, t) | {"low": float(d.min()), "high": float(d.max())}

    def wins_listed(first, second, t):
        """`"wins"`: you list the starts. Their number is asked for.

        Add up.
        """
        return correct(first, second, t) | {"wins": (first > second).tolist()}

    def wins_as_a_tensor(first, second, t):
        """`"wins"`: you return True and False for each start. The number of wins is asked for.

        Add up.
        """
        return correct(first, second, t) | {"wins": first > second}


_RIGHT = ("d", "root n", "t")
_SINGLE = (
    ("d", "root n", "1.96"),
    ("d", "root n", "2"),
    ("d", "root n", "1"),
    ("d", "root n", "t/2"),
    ("d", "n", "t"),
    ("d", "root n-1", "t"),
    ("d", "1", "t"),
    ("d", "1", "1.96"),
    ("d with n", "root n", "t"),
    ("d with n", "root n", "1.96"),
    ("d with n", "root n-1", "t"),
    ("variance", "root n", "t"),
    ("variance", "n", "t"),
    ("first", "root n", "t"),
    ("two groups", "root n", "t"),
    ("two groups", "1", "t"),
)
"""What ``Wrong`` has already, and one that is right: n − 1 stands under another root."""

_SPREADS = {
    "d": "",
    "d with n": "your standard deviation divides by n, and not by n − 1",
    "variance": "you take a variance for a standard deviation",
    "first": "you take the deviation of the first group alone",
    "second": "you take the deviation of the second group alone",
    "together": "you take the deviation of all accuracies",
    "two groups": "you add the variances of two groups, and do not use the pairs",
}
_DIVISORS = {
    "root n": "",
    "n": "you divide by n, and not by its root",
    "root n-1": "you divide by the root of n − 1, and not of n",
    "root 2n": "you divide by the root of 2 n, and there are n pairs",
    "1": "you do not divide by the root of the number of starts",
}
_TIMES = {
    "t": "",
    "1.96": "you use 1.96, and not t",
    "2": "you use 2, and not t",
    "1": "you do not multiply by t",
    "t/2": "you halve t",
    "2t": "you double t, but each end is t standard errors away",
}


def _half_width(spread, divisor, times, a, b, t):
    """How far the ends of such an interval lie from its middle."""
    d, n = a - b, len(a)
    deviation = {
        "d": d.std(),
        "d with n": d.std(correction=0),
        "variance": d.var(),
        "first": a.std(),
        "second": b.std(),
        "together": torch.cat([a, b]).std(),
        "two groups": (a.var() + b.var()).sqrt(),
    }[spread]
    divisors = {"root n": n**0.5, "n": n, "root n-1": (n - 1) ** 0.5, "root 2n": (2 * n) ** 0.5}
    factor = {"t": t, "1.96": 1.96, "2": 2.0, "1": 1.0, "t/2": t / 2, "2t": 2 * t}[times]
    return factor * deviation / divisors.get(divisor, 1)


def _other_interval(spread, divisor, times):
    """An interval of another width.

    Args:
        spread: what varies.
        divisor: by what it is divided.
        times: by what it is multiplied.
    """
    says = filter(None, (_SPREADS[spread], _DIVISORS[divisor], _TIMES[times]))

    def mistake(first, second, t):
        a, b = 100 * first.double(), 100 * second.double()
        return _with(first, second, _half_width(spread, divisor, times, a, b, t))

    mistake.__name__ = re.sub(r"\W+", "_", f"interval {spread} {divisor} {times}")
    mistake.__doc__ = f"""The width of your interval: {"; ".join(says)}.

    Take the sample standard deviation of the paired differences, divide it by the root of their
    number, and multiply by t.
    """
    return mistake


_OTHER_INTERVALS = tuple(
    _other_interval(*each)
    for each in itertools.product(_SPREADS, _DIVISORS, _TIMES)
    if each not in _SINGLE and sum(x != y for x, y in zip(each, _RIGHT, strict=True)) in (1, 2)
)


class Right:
    """Right answers, written differently."""

    def with_statistics(first, second, t):
        """Plain Python."""
        d = [100 * (a - b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        mean = statistics.fmean(d)
        half = t * statistics.stdev(d) / len(d) ** 0.5
        found = {"mean": mean, "low": mean - half, "high": mean + half}
        found["wins"] = sum(a > b for a, b in zip(first.tolist(), second.tolist(), strict=True))
        if found["low"] > 0:
            found["better"] = "first"
        elif found["high"] < 0:
            found["better"] = "second"
        else:
            found["better"] = "open"
        return found

    def as_tensors(first, second, t):
        """Tensors of one number."""
        d = 100 * first - 100 * second
        mean = d.mean()
        half = t * (d.var() / d.numel()).sqrt()
        low, high = mean - half, mean + half
        better = "open" if low <= 0 <= high else "first" if mean > 0 else "second"
        wins = (d > 0).sum()
        return {"mean": mean, "low": low, "high": high, "wins": wins, "better": better}

    def by_hand(first, second, t):
        """Sums of squares."""
        d = (first.double() - second.double()) * 100
        n = d.shape[0]
        mean = d.sum() / n
        error = math.sqrt(float(((d - mean) ** 2).sum()) / (n - 1) / n)
        low, high = float(mean) - t * error, float(mean) + t * error
        names = {(True, False): "first", (False, True): "second", (False, False): "open"}
        return {
            "better": names[low > 0, high < 0],
            "wins": int(torch.sign(first - second).clamp(min=0).sum()),
            "mean": mean,
            "low": low,
            "high": high,
        }

    def means_subtracted(first, second, t):
        """The mean of the differences is the difference of the means."""
        mean = 100 * float(first.double().mean() - second.double().mean())
        half = 100 * t * float((first.double() - second.double()).std()) / math.sqrt(len(first))
        low, high = mean - half, mean + half
        better = {1: "first", -1: "second", 0: "open"}[(low > 0) - (high < 0)]
        wins = sum((first > second).tolist())
        return {"mean": mean, "low": low, "high": high, "wins": wins, "better": better}

    def variances_of_pairs(first, second, t):
        """From the two variances and the covariance."""
        both = torch.stack([first, second]).double() * 100
        C = torch.cov(both)
        variance = C[0, 0] + C[1, 1] - 2 * C[0, 1]
        half = t * torch.sqrt(variance / both.shape[1])
        return _found((both[0] - both[1]).mean(), half, (both[0] > both[1]).sum())


EXERCISE = Exercise(
    id="frozen_or_tuned",
    oracle=correct,
    hint="Make one difference for each start, in points. Their mean lies in the middle of the "
    "interval, which reaches t standard errors to either side: the sample standard deviation, "
    "divided by the root of the number of starts.",
    misconceptions=(*functions_of(Wrong), *_OTHER_INTERVALS),
    right=functions_of(Right),
    cases=cases,
)
