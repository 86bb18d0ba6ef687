"""The exercise ``possible_row``: can these weights come from these scores? (B09; chapter 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
        """You return False for every row that was tried, even for weights that were really
        computed.

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
        """You let rounding move each weight by a share of its size, printed times 1 ± 0.005.

        Rounding to two decimals moves each weight by up to 0.005, a small one as much as a large
        one.
        """
        low, high = ((printed * (1 + side * half_unit)) / scores.exp() for side in (-1, 1))
        return bool(low.max() <= high.min())

    def a_whole_unit(scores, printed, half_unit=0.005):
        """You let rounding move each weight by a whole unit of the last decimal, twice too much.

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

        This is a reasonable thought, but the question takes the scores as exact.
        """
        low = ((printed - half_unit) / (scores + 0.05).exp()).max()
        high = ((printed + half_unit) / (scores - 0.05).exp()).min()
        return bool(low <= high)


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
        return any(bool(((share * e - printed).abs() <= half_unit + 1e-9).all()) for share in shares)

    def and_a_sum_of_at_most_1(scores, printed, half_unit=0.005):
        """Checks, too, that S is at least the sum of the exponentials shown."""
        low, high = _interval(scores, printed, half_unit)
        return bool(low <= high and low * scores.exp().sum() <= 1)


EXERCISE = Exercise(
    id="possible_row",
    oracle=correct,
    hint="For one column, which values of 1/S put the weight within half a unit of the printed "
    "one? Write that interval for each column. Do they all have a number in common?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
