"""The exercise ``sinusoidal_positions``: the positional encodings of B02 (chapter 3)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("2100 positions of width 4", (2100, 4)),
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


def _single(length, speeds):
    """The angles of all positions and pairs in single precision."""
    return torch.arange(length).float()[:, None] * speeds.float()


def _in_other_numbers(length, d_model, dtype):
    """The table of positions that are kept in numbers of another type."""
    places = torch.arange(length).to(dtype).double()
    return _table(places[:, None] * _speeds(d_model))


class Wrong:
    """What learners write, the more particular before the more general."""

    def one_row_for_each_column(length, d_model):
        """Your table is transposed: it has a column for each position, and should have a row.

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
        """Your frequencies grow from pair to pair: positions are multiplied by the power of 10000.

        Each pair should turn more slowly than the one before. Do you divide by the power, and is
        the sign of your exponent right?
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

    def positions_rounded(length, d_model):
        """Your positions are kept in a type of 16 bits, `bfloat16`: from 257 on they are rounded.

        How many whole numbers in a row can such a type hold? Single precision is enough here.
        """
        return _in_other_numbers(length, d_model, torch.bfloat16)

    def positions_in_half_precision(length, d_model):
        """Your positions are kept in a type of 16 bits, `float16`: from 2049 on they are rounded.

        How many whole numbers in a row can such a type hold? Single precision is enough here.
        """
        return _in_other_numbers(length, d_model, torch.float16)

    def positions_in_a_byte(length, d_model):
        """Your positions begin at 0 again after 255: they are kept in a type of 8 bits.

        Which is the largest number that `uint8` can hold?
        """
        return _in_other_numbers(length, d_model, torch.uint8)

    def columns_taken_for_pairs(length, d_model):
        """You take the number of the column for i, so each column has a frequency of its own.

        i counts pairs: columns 2i and 2i + 1 share one i. Which i has column 3?
        """
        columns = torch.arange(d_model).double()
        angle = _angle(length, 10_000.0 ** (-2 * columns / d_model))
        return torch.where(columns % 2 == 0, angle.sin(), angle.cos()).float()

    def half_the_exponent_for_each_column(length, d_model):
        """Each of your columns has a frequency of its own, and they fall too slowly.

        Both columns of pair i have the exponent 2i/d_model.
        """
        columns = torch.arange(d_model).double()
        angle = _angle(length, 10_000.0 ** (-columns / (2 * d_model)))
        return torch.where(columns % 2 == 0, angle.sin(), angle.cos()).float()

    def last_pair_at_the_end(length, d_model):
        """Your frequencies fall too fast: they reach exactly 1/10000 in the last pair.

        What is 2i/d_model for the last pair, i = d_model/2 - 1?
        """
        pairs = d_model // 2
        return _table(
            _angle(length, 10_000.0 ** (-torch.arange(pairs) / max(1, pairs - 1)).double())
        )

    def divided_by_the_last_column(length, d_model):
        """In your exponent you divide by d_model - 1.

        In the equation the exponent is 2i/d_model.
        """
        i = torch.arange(d_model // 2).double()
        return _table(_angle(length, 10_000.0 ** (-2 * i / (d_model - 1))))

    def multiplied_in_single_precision(length, d_model):
        """Each position is multiplied by the power of 10000, so your pairs turn faster and faster.

        Each pair should turn more slowly than the one before. Do you divide by the power, and is
        the sign of your exponent right?
        """
        speeds = 10_000 ** (torch.arange(0, d_model, 2) / d_model)
        angle = _single(length, speeds)
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)

    def a_hundredth_from_pair_to_pair(length, d_model):
        """Each of your pairs is a hundred times slower than the one before, whatever d_model is.

        That is so for d_model = 4. By which factor do the frequencies of 6 columns fall?
        """
        return _table(_angle(length, 0.01 ** torch.arange(d_model // 2).double()))

    def share_of_the_length(length, d_model):
        """You divide each position by the number of positions.

        The angle of the first pair is the position itself: 0, 1, 2, … however long the table is.
        """
        return _table(_angle(length, _speeds(d_model)) / length)

    def from_0_to_1(length, d_model):
        """Your positions run from 0 to 1.

        The angle of the first pair is the position itself: 0, 1, 2, … however long the table is.
        """
        return _table(_angle(length, _speeds(d_model)) / max(1, length - 1))

    def width_of_the_paper(length, d_model):
        """Your frequencies are those of a table that is 512 wide, whatever d_model is.

        The second argument stands in the exponent.
        """
        return correct(length, max(512, d_model))[:, :d_model]

    def logarithm_to_the_base_10(length, d_model):
        """Your frequencies fall too slowly: you take e to a multiple of the logarithm to base 10.

        10000 to the power x is e to the power x ln 10000, with the *natural* logarithm.
        """
        return _table(_angle(length, _speeds(d_model, base=math.e ** math.log10(10_000))))

    def logarithm_to_the_base_2(length, d_model):
        """Your frequencies fall too fast: you take e to a multiple of the logarithm to base 2.

        10000 to the power x is e to the power x ln 10000, with the *natural* logarithm.
        """
        return _table(_angle(length, _speeds(d_model, base=math.e ** math.log2(10_000))))

    def pairs_from_1(length, d_model):
        """You count the pairs from 1: your first pair has the frequency of the second.

        i begins with 0, so the first pair turns by the position itself.
        """
        i = torch.arange(1, d_model // 2 + 1).double()
        return _table(_angle(length, 10_000.0 ** (-2 * i / d_model)))

    def last_pair_first(length, d_model):
        """Your pairs stand in the opposite order: the slowest one comes first.

        Pair 0 has the exponent 0. How fast does it turn?
        """
        return _table(_angle(length, _speeds(d_model).flip(0)))

    def last_position_first(length, d_model):
        """Your rows stand in the opposite order: the last position comes first.

        Row pos belongs to position pos.
        """
        return correct(length, d_model).flip(0)

    def base_100000(length, d_model):
        """Your base is 100000. It should be 10000.

        Count the zeros.
        """
        return _table(_angle(length, _speeds(d_model, base=100_000.0)))

    def base_is_the_width(length, d_model):
        """Your base is d_model. It should be 10000.

        Which number is raised to a power in the equation?
        """
        return _table(_angle(length, _speeds(d_model, base=float(d_model))))

    def base_is_the_length(length, d_model):
        """Your base is the number of positions. It should be 10000.

        Which number is raised to a power in the equation?
        """
        return _table(_angle(length, _speeds(d_model, base=float(length))))

    def power_divided_by_the_width(length, d_model):
        """You raise 10000 to 2i and divide by d_model afterwards.

        The division belongs to the exponent: 2i/d_model.
        """
        i = torch.arange(d_model // 2).double()
        return _table(_angle(length, d_model / 10_000.0 ** (2 * i)))

    def times_for_power(length, d_model):
        """You divide by 10000 times 2i/d_model, which is 0 for the first pair.

        In Python, `**` is the power and `*` the product.
        """
        i = torch.arange(d_model // 2).double()
        return _table(_angle(length, 1 / (10_000 * 2 * i / d_model)))

    def powers_of_the_position(length, d_model):
        """You raise the whole fraction to a power: pos/10000 to the power 2i/d_model.

        Only 10000 has the exponent. Where do the brackets belong?
        """
        place = torch.arange(length).double()[:, None] / 10_000
        return _table(place ** (2 * torch.arange(d_model // 2).double() / d_model))

    def cosines_alone(length, d_model):
        """All your columns are cosines.

        The first equation has another function. Which columns does it describe?
        """
        return _table(_angle(length, _speeds(d_model)), torch.cos, torch.cos)

    def angles_alone(length, d_model):
        """You return the angles themselves, without a sine or a cosine.

        Which function do the even columns take of the angle, and which the odd ones?
        """
        return _table(_angle(length, _speeds(d_model)), lambda x: x, lambda x: x)

    def one_column_for_each_pair(length, d_model):
        """Your table has one column for each pair, and so only half of the columns.

        Each pair has two columns, 2i with the sine and 2i + 1 with the cosine.
        """
        return _angle(length, _speeds(d_model)).sin().float()

    def twice_as_wide(length, d_model):
        """Your table is twice as wide as it should be: it has d_model pairs.

        Two columns are one pair. How many pairs do d_model columns make?
        """
        return _table(_angle(length, 10_000.0 ** (-torch.arange(d_model).double() / d_model)))

    def alternating_by_position(length, d_model):
        """Your rows alternate: even positions have sines, odd positions cosines.

        It is the *columns* that alternate.
        """
        angle = _angle(length, _speeds(d_model)).repeat_interleave(2, dim=-1)
        even = torch.arange(length)[:, None] % 2 == 0
        return torch.where(even, angle.sin(), angle.cos()).float()


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
