"""The exercise ``misprints``: printed numbers that rounding cannot give (B03, B04; chapter 3)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers.positions import sinusoidal_positions

CLEAR = 0.02
"""How far from half a unit, in units, every difference is kept."""


def cases(draw: Draw) -> list[Case]:
    """Tables with misprints of all kinds: by a unit up and down, by much, in the sign."""
    exact = draw.tensor([[0.126, 0.997], [-0.333, 0.052]])
    printed = draw.tensor([[0.13, 0.99], [-0.33, 0.06]])
    of_B = sinusoidal_positions(8, 4).to(draw.dtype)
    return [
        Case("two by two, two misprints", (printed, exact, 2), by_hand=True),
        Case("a sign lost", (draw.tensor([[0.42, 0.10]]), draw.tensor([[-0.4161, 0.1012]]), 2)),
        Case("a table without a misprint", (_rounded(of_B, 2), of_B, 2)),
        Case("far off", (draw.tensor([[0.51, 0.53, 0.57, 0.65]]), draw.tensor([[0.5] * 4]), 2)),
        Case(
            "no decimals", (draw.tensor([[13.0, -7.0, 3.0]]), draw.tensor([[12.6, -7.7, 3.3]]), 0)
        ),
        Case(
            "four decimals",
            (draw.tensor([[0.1234, -0.5679]]), draw.tensor([[0.12347, -0.56788]]), 4),
        ),
        Case("12 rows of 6, two decimals", _with_misprints(draw, 12, 6, 2)),
        Case("5 rows of 4, one decimal", _with_misprints(draw, 5, 4, 1)),
        Case("7 rows of 3, three decimals", _with_misprints(draw, 7, 3, 3)),
        Case("large numbers", _with_misprints(draw, 6, 4, 2, size=40.0)),
    ]


def _rounded(x, decimals):
    return torch.round(x.double(), decimals=decimals).to(x.dtype)


def _with_misprints(draw, n, d, decimals, size=1.0):
    """A table, rounded, in which some numbers are a unit too large or too small, or far off."""
    unit = 10.0**-decimals
    exact = draw.normal(n, d, scale=size)
    exact = torch.where(exact.abs() < unit, exact + 3 * unit, exact)  # none is written as -0.00
    # No number lies so near the middle between two printed ones that precision would decide.
    part = (exact.double() / unit).remainder(1) - 0.5
    exact = torch.where(part.abs() < CLEAR, exact + 0.1 * unit, exact)
    kind = draw.ids(n, d, lowest=0, highest=7)
    kind[0, 0], kind[1, 1], kind[2, 2] = 1, 2, 3
    moved = torch.zeros(n, d, dtype=torch.float64)
    for number, units in ((1, 1), (2, -1), (3, 30)):
        moved[kind == number] = units * unit
    printed = _rounded(exact, decimals).double() + moved
    return printed.to(exact.dtype), exact, decimals


def correct(printed, exact, decimals=2):
    """True where the printed number is more than half a unit away."""
    return _beyond(printed, exact, 0.5 * 10.0**-decimals)


def _beyond(printed, exact, bound):
    """True where the difference is larger than a bound, by more than rounding."""
    return (printed - exact).abs() > bound + 1e-6


def _differs(printed, x, decimals):
    """True where a table, rounded already, is not the printed one."""
    return (printed - x).abs() > 1e-2 * 10.0**-decimals


class Wrong:
    """What learners write, the more particular before the more general."""

    def the_right_ones(printed, exact, decimals=2):
        """Your result is True where the printed number is right, and False at the misprints.

        It should be the other way round: True at a misprint.
        """
        return ~correct(printed, exact, decimals)

    def a_single_verdict(printed, exact, decimals=2):
        """Your result says whether there is a misprint anywhere, but not where.

        Return True or False for each printed number, in a tensor of the same shape.
        """
        return correct(printed, exact, decimals).any()

    def one_verdict_for_each_row(printed, exact, decimals=2):
        """Your result says which rows have a misprint, but not in which of their numbers.

        Return True or False for each printed number, in a tensor of the same shape.
        """
        return correct(printed, exact, decimals).any(-1)

    def list_of_places(printed, exact, decimals=2):
        """You return the row and the column of each misprint.

        Return True or False for each printed number instead, in a tensor of the same shape.
        """
        return correct(printed, exact, decimals).nonzero()

    def any_difference(printed, exact, decimals=2):
        """You count a printed number as a misprint if it differs from the exact one at all.

        A printed 0.13 stands for every number from 0.125 to 0.135.
        """
        return printed != exact

    def a_whole_unit_allowed(printed, exact, decimals=2):
        """You let differences of up to a whole unit pass, but rounding moves a number by at most
        half a unit.

        Which numbers round to 0.99? How far from 0.99 is the farthest of them?
        """
        return (printed - exact).abs() > 10.0**-decimals + 1e-6

    def a_tenth_of_the_precision(printed, exact, decimals=2):
        """You let differences of up to five units pass, as if there were one decimal fewer.

        For two decimals a unit is 0.01. How much is half of it?
        """
        return (printed - exact).abs() > 0.5 * 10.0 ** (1 - decimals) + 1e-6

    def always_two_decimals(printed, exact, decimals=2):
        """Your result is right for two decimals, but not for another number of decimals.

        Half a unit is 0.005 only for two decimals. Use the argument `decimals`.
        """
        return correct(printed, exact, 2)

    def hundredth_divided(printed, exact, decimals=2):
        """You divide 0.01 by `decimals`. Each further decimal makes the unit ten times smaller.

        How large is a unit of the last decimal for 1, 2 and 3 decimals?
        """
        return (printed - exact).abs() > 0.01 / decimals + 1e-6

    def always_a_hundredth(printed, exact, decimals=2):
        """Your bound is always 0.01: it ignores `decimals`. For two decimals, 0.01 is a whole unit.

        How large is a unit of the last decimal? Rounding moves a number by at most half of it.
        """
        return (printed - exact).abs() > 0.01 + 1e-6

    def in_proportion(printed, exact, decimals=2):
        """Your bound grows with the number, but rounding moves small and large numbers equally far.

        Half a unit of the last decimal is the same for 0.02 and for 40.02.
        """
        return (printed - exact).abs() > 0.5 * 10.0**-decimals * exact.abs() + 1e-6

    def cut_off(printed, exact, decimals=2):
        """You cut the exact numbers off after the last decimal. They should be rounded.

        0.126 with two decimals is 0.13.
        """
        unit = 10.0**-decimals
        return (printed - torch.trunc(exact / unit) * unit).abs() > 1e-3 * unit

    def too_large_alone(printed, exact, decimals=2):
        """You find numbers that are printed too large, but not those that are printed too small.

        A difference has a sign.
        """
        return printed - exact > 0.5 * 10.0**-decimals + 1e-6

    def too_small_alone(printed, exact, decimals=2):
        """You find numbers that are printed too small, but not those that are printed too large.

        A difference has a sign.
        """
        return exact - printed > 0.5 * 10.0**-decimals + 1e-6

    def without_signs(printed, exact, decimals=2):
        """You drop the signs of the numbers before you compare them, so a lost minus is not found.

        Take the difference first, then its absolute value.
        """
        return (printed.abs() - exact.abs()).abs() > 0.5 * 10.0**-decimals + 1e-6

    def rounded_down(printed, exact, decimals=2):
        """You round the exact numbers down, so about half of them differ from what is printed.

        0.126 with two decimals is 0.13, and -0.333 is -0.33.
        """
        unit = 10.0**-decimals
        return _differs(printed, torch.floor(exact / unit) * unit, decimals)

    def rounded_up(printed, exact, decimals=2):
        """You round the exact numbers up, so about half of them differ from what is printed.

        0.122 with two decimals is 0.12, and -0.338 is -0.34.
        """
        unit = 10.0**-decimals
        return _differs(printed, torch.ceil(exact / unit) * unit, decimals)

    def negative_ones_rounded_up(printed, exact, decimals=2):
        """You add half a unit and cut off. For negative numbers that does not round.

        -0.338 + 0.005 is -0.333. Take the difference instead, and compare its size.
        """
        unit = 10.0**-decimals
        return _differs(printed, torch.trunc(exact / unit + 0.5) * unit, decimals)

    def rounded_one_decimal_too_far(printed, exact, decimals=2):
        """Your result would be right if the numbers had been printed with one decimal more.

        How many decimals does 0.13 have?
        """
        return (printed - _rounded(exact, decimals + 1)).abs() > 0.05 * 10.0**-decimals

    def rounded_to_one_decimal_fewer(printed, exact, decimals=2):
        """You round the exact numbers to one decimal fewer than is printed.

        How many decimals does 0.13 have?
        """
        return (printed - _rounded(exact, decimals - 1)).abs() > 1e-2 * 10.0**-decimals

    def rounded_to_whole_numbers(printed, exact, decimals=2):
        """You round the exact numbers to whole ones.

        How many decimals were printed? That is what `decimals` says.
        """
        return _differs(printed, torch.round(exact), decimals)

    def whole_parts_compared(printed, exact, decimals=2):
        """You compare whole numbers: their decimals are lost before the comparison.

        Multiply by 10 to the power of `decimals` first, or do not make whole numbers at all.
        """
        return torch.round(printed) != torch.round(exact)

    def a_tenth_of_a_unit_allowed(printed, exact, decimals=2):
        """You let differences of up to a tenth of a unit pass, but rounding moves a number by up to
        half a unit.

        Which numbers round to 0.99? How far from 0.99 is the farthest of them?
        """
        return (printed - exact).abs() > 0.1 * 10.0**-decimals

    def a_quarter_of_a_unit_allowed(printed, exact, decimals=2):
        """You let differences of up to a quarter of a unit pass: half a unit is halved again.

        From 0.125 to 0.135 it is a whole unit: how much of it is on either side of 0.13?
        """
        return _beyond(printed, exact, 0.25 * 10.0**-decimals)

    def two_units_allowed(printed, exact, decimals=2):
        """You let differences of up to two units of the last decimal pass.

        Half a unit is the unit *divided* by two.
        """
        return _beyond(printed, exact, 2 * 10.0**-decimals)

    def ten_units_allowed(printed, exact, decimals=2):
        """You let differences of up to ten units pass: you count one decimal too few.

        For two decimals a unit is 0.01. How much is half of it?
        """
        return _beyond(printed, exact, 10 * 10.0**-decimals)

    def ten_times_the_decimals(printed, exact, decimals=2):
        """Your bound is 0.5/(10 · decimals), with a product in place of a power.

        For two decimals a unit is 1/100. In Python, `**` is the power.
        """
        return _beyond(printed, exact, 0.5 / (10 * decimals))

    def half_to_the_power(printed, exact, decimals=2):
        """Your bound is 0.5 to the power of `decimals`, which is far too large.

        A unit is a power of ten. Half a unit is that, divided by two.
        """
        return _beyond(printed, exact, 0.5**decimals)

    def in_proportion_to_the_printed(printed, exact, decimals=2):
        """Your bound grows with the printed number.

        Half a unit of the last decimal is the same for 0.02 and for 40.02.
        """
        return (printed - exact).abs() > 0.5 * 10.0**-decimals * printed.abs() + 1e-6

    def as_isclose_does(printed, exact, decimals=2):
        """Your bound has a part that grows with the number, so large numbers may be further off.

        `isclose` and `allclose` add a share of the number, `rtol`, unless it is set to 0.
        """
        return ~torch.isclose(printed, exact, rtol=1e-2, atol=0.5 * 10.0**-decimals + 1e-6)

    def a_whole_row(printed, exact, decimals=2):
        """You mark a whole row where there is a misprint in it.

        `any` along a dimension makes one verdict of many. Each number has its own.
        """
        return correct(printed, exact, decimals).any(-1, keepdim=True).expand(printed.shape)

    def a_whole_column(printed, exact, decimals=2):
        """You mark a whole column where there is a misprint in it.

        `any` along a dimension makes one verdict of many. Each number has its own.
        """
        return correct(printed, exact, decimals).any(0, keepdim=True).expand(printed.shape)

    def one_verdict_for_each_column(printed, exact, decimals=2):
        """Your result says which columns have a misprint, but not in which of their numbers.

        Return True or False for each printed number, in a tensor of the same shape.
        """
        return correct(printed, exact, decimals).any(0)

    def counted(printed, exact, decimals=2):
        """Your result is how many misprints there are, but not where.

        Return True or False for each printed number, in a tensor of the same shape.
        """
        return correct(printed, exact, decimals).sum()

    def differences(printed, exact, decimals=2):
        """You return how far apart the numbers are, and not yet whether that is too far.

        Compare each difference with half a unit.
        """
        return (printed - exact).abs()

    def differences_with_signs(printed, exact, decimals=2):
        """You return the differences of the numbers, and not yet whether they are too large.

        How large a difference can rounding explain?
        """
        return printed - exact

    def zeros_and_ones(printed, exact, decimals=2):
        """The places are right, but you return the numbers 0 and 1 for False and True.

        A comparison gives True and False already. What made numbers of them?
        """
        return correct(printed, exact, decimals).float()

    def signs_alone(printed, exact, decimals=2):
        """You find only the numbers whose sign is wrong.

        A number with the right sign may be misprinted, too. How far from the exact one may it be?
        """
        return printed.sign() != exact.sign()

    def printed_cut_off(printed, exact, decimals=2):
        """You take a printed number for one that was cut off: 0.13 for 0.13 to 0.14.

        The question says for which numbers a printed 0.13 stands.
        """
        off = exact.abs() - printed.abs()
        unit = 10.0**-decimals
        return (off < -1e-6) | (off > unit + 1e-6) | (printed.sign() * exact.sign() < 0)

    def numbers_that_rounding_moved(printed, exact, decimals=2):
        """You mark the numbers that are *less* than half a unit off, and not quite the same.

        These are the right ones: rounding moved them. Which way should the comparison go?
        """
        off = (printed - exact).abs()
        return (off > 1e-6) & (off < 0.5 * 10.0**-decimals)

    def farthest_alone(printed, exact, decimals=2):
        """You mark only the number that is farthest off.

        There may be several misprints, or none.
        """
        off = (printed - exact).abs()
        return off == off.max()


class Right:
    """Right answers, written differently."""

    def by_rounding(printed, exact, decimals=2):
        """Rounds the exact numbers and compares."""
        return ~torch.isclose(torch.round(exact, decimals=decimals), printed, rtol=0, atol=1e-5)

    def by_writing(printed, exact, decimals=2):
        """Writes both as a printer would."""
        rows = zip(printed.tolist(), exact.tolist(), strict=True)
        return torch.tensor(
            [
                [f"{p:.{decimals}f}" != f"{e:.{decimals}f}" for p, e in zip(*row, strict=True)]
                for row in rows
            ]
        )

    def in_whole_units(printed, exact, decimals=2):
        """Counts units: whole numbers can be compared."""
        units = 10**decimals
        return (printed * units).round() != (exact * units).round()

    def outside_the_interval(printed, exact, decimals=2):
        """The exact number lies below or above what the printed one stands for."""
        half = 0.5 / 10**decimals
        return (exact < printed - half) | (exact > printed + half)


EXERCISE = Exercise(
    id="misprints",
    oracle=correct,
    hint="Which numbers does a printed 0.13 stand for, from where to where? For each printed "
    "number, ask whether the exact one lies in that interval.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
