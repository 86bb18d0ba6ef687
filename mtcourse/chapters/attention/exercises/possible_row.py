"""The exercise ``possible_row``: can these weights come from these scores? (B09; chapter 4)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

CLEAR = 0.01
"""The least length or gap, relative to the upper end, that leaves no doubt about an interval."""


def cases(draw: Draw) -> list[Case]:
    """Rows that are possible and rows that are not, each for another reason."""
    fixed = {
        "scores 0 and ln 2, 0.15 and 0.31": ([0.0, math.log(2)], [0.15, 0.31], 0.005),
        "scores 0 and ln 2, 0.15 and 0.32": ([0.0, math.log(2)], [0.15, 0.32], 0.005),
        "a single column": ([1.7], [0.20], 0.005),
        "a wide interval and two that do not meet": ([-2.0, 0.0, 0.0], [0.04, 0.27, 0.32], 0.005),
        "two that do not meet on both sides of it": ([0.0, -2.0, 0.0], [0.32, 0.04, 0.27], 0.005),
        "the right order, and a sum below 1": ([2.0, 1.0, 0.0], [0.40, 0.30, 0.20], 0.005),
        "two large weights": ([0.0, 0.2], [0.45, 0.55], 0.005),
        "a small weight and a large one": ([0.0, 3.0], [0.02, 0.40], 0.005),
        "a small weight of 0.042 and a large one": ([0.0, 2.0], [0.04, 0.31], 0.005),
        "a weight printed as 0.00": ([2.0, -3.2], [0.60, 0.00], 0.005),
        "a weight printed as 0.00 that is not": ([2.0, -2.0], [0.60, 0.00], 0.005),
        "the wrong order": ([1.0, 0.5], [0.20, 0.30], 0.005),
        "one decimal": ([1.0, 0.0, 0.3], [0.3, 0.1, 0.1], 0.05),
        "three decimals": ([1.0, 0.0], [0.300, 0.112], 0.0005),
        "a weight off by 0.01": ([1.5, 0.0], [0.50, 0.12], 0.005),
        "four scores nearly equal": ([0.0, 0.0, 0.0, 0.012], [0.20, 0.20, 0.20, 0.21], 0.005),
        "three equal weights that sum to 1.5": ([0.0, 0.0, 0.0], [0.50, 0.50, 0.50], 0.005),
        "three equal weights that sum to 1.02": ([0.0, 0.0, 0.0], [0.34, 0.34, 0.34], 0.005),
        "six equal weights that sum to 1.02": ([0.0] * 6, [0.17] * 6, 0.005),
        "both rounded up": ([0.0, -0.71], [0.30, 0.15], 0.005),
        "scores 2 and 1, and twice the weight": ([2.0, 1.0], [0.40, 0.20], 0.005),
        "two large scores": ([6.0, 5.3], [0.20, 0.10], 0.005),
        "two scores far below 0": ([-6.0, -6.7], [0.20, 0.10], 0.005),
        "the first and the last agree": ([1.0, 0.5, 1.0], [0.30, 0.30, 0.30], 0.005),
    }
    listed = [
        Case(name, (draw.tensor(scores), draw.tensor(printed), half), name.startswith("scores 0"))
        for name, (scores, printed, half) in fixed.items()
    ]
    rounded = [Case(f"{n} of 8 columns, rounded", _rounded(draw, n)) for n in (3, 4, 5, 8)]
    moved = [Case(f"{n} of 8 columns, one of them moved", _moved(draw, n)) for n in (3, 4, 8)]
    return listed + rounded + moved


def _rounded(draw: Draw, n: int):
    """The first n of eight columns: scores, and weights with two decimals; clearly possible."""
    while True:
        scores = (draw.normal(8) * 10).round() / 10
        printed = (scores.softmax(-1)[:n] * 100).round() / 100
        if _length(scores[:n], printed, 0.005) > CLEAR:
            return scores[:n], printed, 0.005


def _moved(draw: Draw, n: int):
    """The same with 0.02 more on the largest weight; clearly impossible."""
    while True:
        scores, printed, half_unit = _rounded(draw, n)
        printed[scores.argmax()] += 0.02
        if _length(scores, printed, half_unit) < -CLEAR:
            return scores, printed, half_unit


def _interval(scores, printed, half_unit):
    """The values of 1/S that all columns allow: from, to."""
    e = scores.exp()
    return ((printed - half_unit) / e).max(), ((printed + half_unit) / e).min()


def _length(scores, printed, half_unit) -> float:
    """How long the common interval is, relative to its upper end; below 0 where there is none."""
    low, high = _interval(scores, printed, half_unit)
    return float(1 - low / high)


def correct(scores, printed, half_unit=0.005):
    """Whether all intervals of 1/S have a number in common."""
    low, high = _interval(scores, printed, half_unit)
    return bool(low <= high)


def _near(weights, printed, half_unit):
    """Whether every weight is within half a unit of the printed one."""
    return bool(((weights - printed).abs() <= half_unit).all())


def _meet(low, high):
    """Whether intervals have a number in common."""
    return bool(low.max() <= high.min())


class Wrong:
    """What learners write, the more particular before the more general."""

    def the_opposite(scores, printed, half_unit=0.005):
        """You return True where the row is impossible.

        Two equal scores, both printed as 0.30, are certainly possible. What do you return for them?
        """
        return not correct(scores, printed, half_unit)

    def always(scores, printed, half_unit=0.005):
        """You return True for every row that was tried.

        If you compare ends of intervals: which of the lower ends decides, and which of the upper
        ends?
        """
        return True

    def never(scores, printed, half_unit=0.005):
        """You return False for every row that was tried, even for weights that were computed from
        the scores.

        Two equal scores, both printed as 0.30, are certainly possible. What do you return for them?
        """
        return False

    def softmax_of_the_shown(scores, printed, half_unit=0.005):
        """You take the softmax of the columns shown, as if they were the whole row.

        The hidden columns have exponentials, too, which are part of S. So S is unknown.
        """
        return bool(((scores.softmax(-1) - printed).abs() <= half_unit).all())

    def without_rounding(scores, printed, half_unit=0.005):
        """You ask for a single S that gives the printed numbers exactly.

        A printed 0.35 stands for any weight from 0.345 to 0.355. So each column allows an interval.
        """
        ratios = printed / scores.exp()
        return bool(torch.allclose(ratios, ratios[:1].expand_as(ratios), rtol=1e-5))

    def ratios_within_half_a_unit(scores, printed, half_unit=0.005):
        """You allow half a unit of error in each ratio. But it is the weights that are rounded.

        How far rounding moves a ratio depends on how small the weights are. Allow for it in the
        weights.
        """
        ratios = printed / printed[0]
        return bool(((ratios - (scores - scores[0]).exp()).abs() <= half_unit).all())

    def relative_rounding(scores, printed, half_unit=0.005):
        """You let rounding move each weight, or its S, in proportion to its size, as a factor of
        1 ± 0.005 does.

        Rounding to two decimals moves each weight by up to 0.005, a small one as much as a large
        one.
        """
        low, high = ((printed * (1 + side * half_unit)) / scores.exp() for side in (-1, 1))
        return bool(low.max() <= high.min())

    def a_whole_unit(scores, printed, half_unit=0.005):
        """You let rounding move each weight by a whole unit of the last decimal, twice as far as it
        can.

        `half_unit` is already the most that rounding can do.
        """
        return correct(scores, printed, 2 * half_unit)

    def always_two_decimals(scores, printed, half_unit=0.005):
        """You always allow for two decimals, whatever `half_unit` is.

        The third argument tells you how far a weight may lie from the printed one.
        """
        return correct(scores, printed, 0.005)

    def sum_below_1(scores, printed, half_unit=0.005):
        """You check only that the printed weights sum to no more than 1.

        The weights of a row must also fit their scores, and each other.
        """
        return bool(printed.sum() <= 1)

    def right_order(scores, printed, half_unit=0.005):
        """You check only that larger scores have larger weights.

        How much larger? A score that is larger by 1 gives a weight that is larger by the factor e.
        """
        inverted = (scores[:, None] > scores) & (printed[:, None] < printed)
        return not bool(inverted.any())

    def first_two_columns(scores, printed, half_unit=0.005):
        """You look only at the first two columns.

        One S must fit all columns.
        """
        return correct(scores[:2], printed[:2], half_unit)

    def against_the_first_column(scores, printed, half_unit=0.005):
        """You compare each column with the first. Two may agree with it, but not with each other.

        One S must fit all columns at once.
        """
        pairs = ([0, j] for j in range(len(scores)))
        return all(correct(scores[pair], printed[pair], half_unit) for pair in pairs)

    def between_neighbours(scores, printed, half_unit=0.005):
        """You compare each column with the next. Two that are far apart may still disagree.

        One S must fit all columns at once.
        """
        pairs = ([j, j + 1] for j in range(len(scores) - 1))
        return all(correct(scores[pair], printed[pair], half_unit) for pair in pairs)

    def first_column_exact(scores, printed, half_unit=0.005):
        """You take S from the first column, as if its weight had not been rounded.

        The first column allows an interval of S, like every other.
        """
        weights = scores.exp() * printed[0] / scores[0].exp()
        return bool(((weights - printed).abs() <= half_unit).all())

    def one_estimate_of_the_sum(scores, printed, half_unit=0.005):
        """You estimate one S from all columns together, and try only this one.

        Where your estimate does not fit, another S may. Which values of S does each column allow?
        """
        weights = scores.exp() * printed.sum() / scores.exp().sum()
        return bool(((weights - printed).abs() <= half_unit).all())

    def scores_rounded_too(scores, printed, half_unit=0.005):
        """You let each score be wrong by 0.05, as if it were rounded to one decimal.

        Document B's scores may have been rounded, but the question takes them as exact.
        """
        low = ((printed - half_unit) / (scores + 0.05).exp()).max()
        high = ((printed + half_unit) / (scores - 0.05).exp()).min()
        return bool(low <= high)

    def at_least_the_sum_shown(scores, printed, half_unit=0.005):
        """You also ask that S is at least the sum of the exponentials that are shown.

        Every real row meets that condition, but the question asks only whether one S > 0 fits all
        columns.
        """
        low, high = _interval(scores, printed, half_unit)
        return bool(low <= high and low * scores.exp().sum() <= 1)

    def and_printed_sum_below_1(scores, printed, half_unit=0.005):
        """You also ask that the printed weights sum to at most 1. Rounded ones may sum to more.

        The question only asks whether one S > 0 fits all columns.
        """
        return correct(scores, printed, half_unit) and bool(printed.sum() <= 1.0)

    def largest_weight_exact(scores, printed, half_unit=0.005):
        """You take S from the largest score, as if its weight had not been rounded.

        This column allows an interval of S, like every other.
        """
        top = scores.argmax()
        return _near(printed[top] * (scores - scores[top]).exp(), printed, half_unit)

    def last_column_exact(scores, printed, half_unit=0.005):
        """You take S from the last column, as if its weight had not been rounded.

        This column allows an interval of S, like every other.
        """
        return _near(printed[-1] * (scores - scores[-1]).exp(), printed, half_unit)

    def mean_of_the_sums(scores, printed, half_unit=0.005):
        """You compute an S, or ln S, from each printed weight, and try only the mean of these.

        Where the mean does not fit, another S may. Which values of S does each column allow?
        """
        return _near(scores.exp() / (scores.exp() / printed).mean(), printed, half_unit)

    def mean_of_the_shares(scores, printed, half_unit=0.005):
        """You compute 1/S from each printed weight, and try only the mean of these.

        Where the mean does not fit, another may. Which values of 1/S does each column allow?
        """
        return _near(scores.exp() * (printed / scores.exp()).mean(), printed, half_unit)

    def any_column_exact(scores, printed, half_unit=0.005):
        """You try the S of each printed weight, as if at least one of them were not rounded.

        All of them may be rounded. Which values of S does each column allow?
        """
        shares = printed / scores.exp()
        return any(_near(scores.exp() * share, printed, half_unit) for share in shares)

    def half_a_unit_between_the_shares(scores, printed, half_unit=0.005):
        """You let the values of 1/S of the columns differ by half a unit.

        It is the weights that are rounded. What does rounding do to printed / exp(score)?
        """
        shares = printed / scores.exp()
        return bool(shares.max() - shares.min() <= half_unit)

    def half_a_unit_on_the_shares(scores, printed, half_unit=0.005):
        """You move printed / exp(score) by half a unit, where the printed weight should be moved.

        Add and subtract before you divide.
        """
        shares = printed / scores.exp()
        return _meet(shares - half_unit, shares + half_unit)

    def half_a_unit_on_the_sums(scores, printed, half_unit=0.005):
        """You allow half a unit of error in exp(score) / printed, and not in the printed weight.

        Add and subtract before you divide.
        """
        sums = scores.exp() / printed
        return _meet(sums - half_unit, sums + half_unit)

    def a_tenth_between_the_sums(scores, printed, half_unit=0.005):
        """You compute an S from each column, and allow these to differ by a few percent.

        How far apart may they be? That follows from `half_unit`, column by column.
        """
        sums = scores.exp() / printed
        return bool((sums.max() - sums.min()) / sums.mean() <= 0.05)

    def half_of_half_a_unit(scores, printed, half_unit=0.005):
        """You halve `half_unit` once more: rounding may move a weight twice as far as you allow.

        A printed 0.35 stands for any weight from 0.345 to 0.355.
        """
        return correct(scores, printed, half_unit / 2)

    def cut_off(scores, printed, half_unit=0.005):
        """You treat the printed weights as cut off after the last decimal, and not as rounded.

        A printed 0.35 stands for any weight from 0.345 to 0.355.
        """
        return _meet(printed / scores.exp(), (printed + 2 * half_unit) / scores.exp())

    def upwards_alone(scores, printed, half_unit=0.005):
        """You let rounding move a weight to one side only, upwards.

        A printed 0.35 stands for any weight from 0.345 to 0.355.
        """
        return _meet(printed / scores.exp(), (printed + half_unit) / scores.exp())

    def downwards_alone(scores, printed, half_unit=0.005):
        """You let rounding move a weight to one side only, downwards.

        A printed 0.35 stands for any weight from 0.345 to 0.355.
        """
        return _meet((printed - half_unit) / scores.exp(), printed / scores.exp())

    def whole_sums_alone(scores, printed, half_unit=0.005):
        """You try only whole numbers for S.

        S is a sum of exponentials, and need not be whole.
        """
        return any(_near(scores.exp() / S, printed, half_unit) for S in range(1, 400))

    def infinite_end_is_negative(scores, printed, half_unit=0.005):
        """You divide by `printed - half_unit`, which is negative for a weight printed as 0.00.

        Such a weight sets no upper limit on S. If you work with 1/S instead, you need not divide
        by it.
        """
        return _meet(scores.exp() / (printed + half_unit), scores.exp() / (printed - half_unit))

    def first_and_last_alone(scores, printed, half_unit=0.005):
        """You compare only the first column with the last.

        One S must fit all columns.
        """
        ends = [0, -1]
        return correct(scores[ends], printed[ends], half_unit)

    def largest_and_smallest_alone(scores, printed, half_unit=0.005):
        """You compare only the columns with the largest and the smallest score.

        One S must fit all columns.
        """
        ends = [int(scores.argmax()), int(scores.argmin())]
        return correct(scores[ends], printed[ends], half_unit)

    def same_order_of_places(scores, printed, half_unit=0.005):
        """You check only whether scores and weights put the columns in the same order.

        How much larger? A score that is larger by 1 gives a weight that is larger by the factor e.
        """
        return bool((scores.argsort() == printed.argsort()).all())

    def same_largest(scores, printed, half_unit=0.005):
        """You only ask whether the largest score has the largest weight.

        How much larger? A score that is larger by 1 gives a weight that is larger by the factor e.
        """
        return bool(scores.argmax() == printed.argmax())

    def without_exponentials(scores, printed, half_unit=0.005):
        """You divide the scores themselves by S, without their exponentials.

        Each weight is e^s / S. For a negative score, what would yours be?
        """
        low, high = (printed - half_unit) / scores, (printed + half_unit) / scores
        return _meet(torch.minimum(low, high), torch.maximum(low, high))

    def shown_sum_to_1(scores, printed, half_unit=0.005):
        """You ask whether the printed weights sum to 1.

        Only some of the columns are shown. Their weights need not sum to 1.
        """
        return bool((printed.sum() - 1).abs() <= half_unit * len(printed))

    def sum_of_the_shown(scores, printed, half_unit=0.005):
        """You try one S, estimated from all columns together, and let each weight be off by a whole
        unit.

        Rounding moves a weight by half a unit at most. Which values of S does each column allow?
        """
        return _near(scores.softmax(-1) * printed.sum(), printed, 2 * half_unit)

    def sum_of_about_1_or_less(scores, printed, half_unit=0.005):
        """You check only that the printed weights sum to no more than 1, up to rounding.

        The weights of a row must also fit their scores, and each other.
        """
        return bool(printed.sum() <= 1 + half_unit * len(printed))

    def median_of_the_sums(scores, printed, half_unit=0.005):
        """You compute an S from each printed weight, and try only the median of these.

        Where the median does not fit, another S may. Which values of S does each column allow?
        """
        return _near(scores.exp() / (scores.exp() / printed).median(), printed, half_unit)

    def both_ends_of_the_first(scores, printed, half_unit=0.005):
        """You ask that *both* ends of the first column's interval fit all columns.

        One S is enough, and it may lie anywhere between the ends.
        """
        ends = (printed[0] + half_unit, printed[0] - half_unit)
        of = (scores - scores[0]).exp()
        return all(_near(of * end, printed, half_unit + 1e-7) for end in ends)

    def one_end_of_the_first(scores, printed, half_unit=0.005):
        """You try only the two ends of the first column's interval.

        The S that fits may lie between them.
        """
        ends = (printed[0] + half_unit, printed[0] - half_unit)
        of = (scores - scores[0]).exp()
        return any(_near(of * end, printed, half_unit + 1e-7) for end in ends)

    def both_ends_of_the_largest(scores, printed, half_unit=0.005):
        """You ask that *both* ends of the largest weight's interval fit all columns.

        One S is enough, and it may lie anywhere between the ends.
        """
        top = printed.argmax()
        of = (scores - scores[top]).exp()
        ends = (printed[top] + half_unit, printed[top] - half_unit)
        return all(_near(of * end, printed, half_unit + 1e-7) for end in ends)

    def first_column_rounded_alone(scores, printed, half_unit=0.005):
        """You allow for rounding in the first column, and take all other weights as exact.

        Each printed weight may have been rounded.
        """
        low, high = _interval(scores[:1], printed[:1], half_unit)
        shares = (printed / scores.exp())[1:]
        return bool((shares >= low).all() and (shares <= high).all())

    def shares_of_the_shown_compared(scores, printed, half_unit=0.005):
        """You divide the printed weights by their sum, and compare with a softmax of the scores.

        That sum is made of rounded weights. Which values of S does each column allow?
        """
        return _near(scores.softmax(-1), printed / printed.sum(), half_unit)

    def sums_within_a_tenth(scores, printed, half_unit=0.005):
        """You compute an S from each column, and allow these to differ by about a tenth.

        How far apart may they be? That follows from `half_unit`, column by column.
        """
        sums = scores.exp() / printed
        return bool((sums.max() - sums.min()) / sums.mean() <= 0.1)

    def coarse_steps(scores, printed, half_unit=0.005):
        """You try many values of S, but the steps are too large, or the range too short, to hit
        every interval.

        The common interval may be as short as you like. Compute where it begins and ends.
        """
        e, steps = scores.exp(), torch.arange(1, 1001, dtype=scores.dtype) / 10
        off = (e / steps[:, None] - printed).abs()
        return bool((off <= half_unit).all(-1).any())


class Right:
    """Right answers, written differently."""

    def with_lists(scores, printed, half_unit=0.005):
        """Python alone, with S instead of 1/S; a weight that may be 0 sets no upper limit on S."""
        pairs = [(math.exp(s), float(p)) for s, p in zip(scores, printed, strict=True)]
        smallest = max(e / (p + half_unit) for e, p in pairs)
        largest = min((e / (p - half_unit) for e, p in pairs if p > half_unit), default=math.inf)
        return smallest <= largest

    def every_pair(scores, printed, half_unit=0.005):
        """Intervals on a line have a point in common if every two of them do."""
        low = (printed - half_unit) / scores.exp()
        high = (printed + half_unit) / scores.exp()
        return (low[:, None] <= high).all()

    def by_logarithms(scores, printed, half_unit=0.005):
        """The same for ln S."""
        low = (printed - half_unit).clamp(min=1e-30).log() - scores
        high = (printed + half_unit).log() - scores
        return bool(low.max() <= high.min())

    def tries_the_ends(scores, printed, half_unit=0.005):
        """If any S fits, so does one at the upper end of some column's interval."""
        e = scores.double().exp()
        shares = (printed.double() + half_unit) / e
        return any(
            bool(((share * e - printed).abs() <= half_unit + 1e-9).all()) for share in shares
        )

    def at_the_largest(scores, printed, half_unit=0.005):
        """Tries only the largest 1/S that no column forbids."""
        share = ((printed + half_unit) / scores.exp()).min()
        return bool((printed - share * scores.exp() <= half_unit + 1e-7).all())


EXERCISE = Exercise(
    id="possible_row",
    oracle=correct,
    hint="For one column, which values of 1/S put the weight within half a unit of the printed "
    "one? Write that interval for each column. Do they all have a number in common?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
