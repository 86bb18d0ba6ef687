"""The exercise ``sinusoidal_positions``: the positional encodings of B02 (chapter 03)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import positions


def cases(draw: Draw) -> list[Case]:
    """From a single position to a table as wide as a model's; the inputs are sizes, not drawn."""
    return [
        Case("two positions of width 2", (2, 2), by_hand=True),
        Case("a single position of width 6", (1, 6)),
        Case("document B's 8 positions of width 4", (8, 4)),
        Case("10 positions of width 6", (10, 6)),
        Case("6 positions of width 10", (6, 10)),
        Case("50 positions of width 32", (50, 32)),
    ]


def correct(length, d_model):
    """The package's table."""
    return positions.sinusoidal_positions(length, d_model)


def _table(angle, first=torch.sin, second=torch.cos):
    """A table from one angle for each pair of columns."""
    return torch.stack([first(angle), second(angle)], dim=-1).flatten(-2).float()


def _angle(length, speeds, start=0):
    """pos omega_i for all positions and pairs."""
    return torch.arange(start, start + length).double()[:, None] * speeds


def _speeds(d_model, step=2.0, base=10_000.0):
    """base^(-step i / d_model) for each pair."""
    return base ** (-step * torch.arange(d_model // 2).double() / d_model)


class Wrong:
    """What learners write, the more particular before the more general."""

    def one_row_for_each_column(length, d_model):
        """Your table lies on its side: positions run along the columns.

        Row pos belongs to position pos, so that it can be added to the row of a token.
        """
        return correct(length, d_model).T

    def cosines_first(length, d_model):
        """Sines and cosines are exchanged.

        Look at the first row, that of position 0. The sine of 0 is 0. In which columns do you have
        0?
        """
        return _table(_angle(length, _speeds(d_model)), torch.cos, torch.sin)

    def sines_alone(length, d_model):
        """All your columns are sines.

        The second equation has another function. Which columns does it describe?
        """
        return _table(_angle(length, _speeds(d_model)), torch.sin, torch.sin)

    def all_sines_before_all_cosines(length, d_model):
        """The numbers are right, but all sines are on the left and all cosines on the right.

        In the equation sines and cosines alternate: columns 0 and 1 are one pair.
        """
        angle = _angle(length, _speeds(d_model))
        return torch.cat([angle.sin(), angle.cos()], dim=-1).float()

    def positions_from_1(length, d_model):
        """Your first row is that of position 1.

        Positions are counted from 0, where all sines are 0 and all cosines are 1.
        """
        return _table(_angle(length, _speeds(d_model), start=1))

    def one_speed_for_all(length, d_model):
        """All your pairs have the frequency of the first pair: the exponent is 0 everywhere.

        Did you divide 2i by d_model with `//`? That drops everything after the decimal point.
        """
        return _table(_angle(length, torch.ones(d_model // 2, dtype=torch.float64)))

    def cosine_with_a_speed_of_its_own(length, d_model):
        """In each pair your cosine is slower than its sine, because its own column is in the
        exponent.

        The exponent is 2i/d_model in both equations, also for the column 2i + 1.
        """
        columns = torch.arange(d_model).double()
        angle = _angle(length, 10_000.0 ** (-columns / d_model))
        return torch.where(columns % 2 == 0, angle.sin(), angle.cos()).float()

    def half_the_exponent(length, d_model):
        """Your frequencies fall too slowly: the exponent is i/d_model, and should be 2i/d_model.

        i counts pairs, and there are d_model/2 of them. How slow should the last one be?
        """
        return _table(_angle(length, _speeds(d_model, step=1.0)))

    def twice_the_exponent(length, d_model):
        """Your frequencies fall too fast: the exponent is 4i/d_model, and should be 2i/d_model.

        Does your i count pairs, or does it already count columns in steps of two?
        """
        return _table(_angle(length, _speeds(d_model, step=4.0)))

    def multiplied_by_the_power(length, d_model):
        """Your frequencies grow from pair to pair: you multiply the position by the power of 10000.

        Each pair turns more slowly than the one before. The power is the denominator of the
        fraction.
        """
        return _table(_angle(length, 1 / _speeds(d_model)))

    def base_e(length, d_model):
        """Your base is e: you take an exponential without the logarithm of 10000.

        10000 to the power x is e to the power x ln 10000.
        """
        return _table(_angle(length, _speeds(d_model, base=math.e)))

    def base_1000(length, d_model):
        """Your base is 1000. It should be 10000.

        Count the zeros.
        """
        return _table(_angle(length, _speeds(d_model, base=1000.0)))

    def whole_turns(length, d_model):
        """You multiply the angles by 2π, as if the first pair turned once for each position.

        In the equation the angle of the first pair is the position itself, in radians.
        """
        return _table(2 * math.pi * _angle(length, _speeds(d_model)))

    def in_degrees(length, d_model):
        """You treat the angles as degrees.

        sin and cos take radians, and so does the equation: you need not convert anything.
        """
        return _table(math.pi / 180 * _angle(length, _speeds(d_model)))


class Right:
    """Right answers, written differently."""

    def one_number_at_a_time(length, d_model):
        """Loops, as in the equation."""
        table = torch.zeros(length, d_model)
        for pos in range(length):
            for i in range(d_model // 2):
                angle = pos / 10_000 ** (2 * i / d_model)
                table[pos, 2 * i], table[pos, 2 * i + 1] = math.sin(angle), math.cos(angle)
        return table

    def into_every_second_column(length, d_model):
        """Slices with a step, and the power as an exponential."""
        position = torch.arange(length)[:, None]
        speed = torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
        table = torch.empty(length, d_model)
        table[:, 0::2] = torch.sin(position * speed)
        table[:, 1::2] = torch.cos(position * speed)
        return table

    def cosines_are_sines_a_quarter_later(length, d_model):
        """One sine for all columns."""
        column = torch.arange(d_model)
        angle = torch.arange(length)[:, None] / 10_000 ** ((column - column % 2) / d_model)
        return torch.sin(angle + math.pi / 2 * (column % 2))

    def by_complex_numbers(length, d_model):
        """e^(i angle) has the cosine first, so the two are flipped."""
        angle = torch.outer(torch.arange(length).double(), _speeds(d_model))
        return torch.view_as_real(torch.polar(torch.ones_like(angle), angle)).flip(-1).flatten(1)


EXERCISE = Exercise(
    id="sinusoidal_positions",
    oracle=correct,
    hint="With a pencil, write the four numbers of position 1 for d_model = 4: which angle does "
    "each of the two pairs have? Then compare with your table.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
)
