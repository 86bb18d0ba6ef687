"""The exercise ``shift_rotation``: the matrix that moves every position by k (B02; chapter 3)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import positions


def cases(draw: Draw) -> list[Case]:
    """Forward, back and not at all, for narrow and for wide rows; nothing is drawn."""
    return [
        Case("one position forward, width 2", (1, 2), by_hand=True),
        Case("not moved, width 4", (0, 4)),
        Case("3 positions forward, width 4", (3, 4)),
        Case("2 positions back, width 6", (-2, 6)),
        Case("7 positions forward, width 8", (7, 8)),
        Case("40 positions forward, width 32", (40, 32)),
    ]


def correct(k, d_model):
    """The package's matrix."""
    return positions.shift_rotation(k, d_model)


def _blocks(angle, upper=(torch.cos, torch.sin), signs=(1, -1, 1, 1)):
    """Two-by-two blocks on the diagonal; upper holds the functions of the first row."""
    first, second = (function(angle) for function in upper)
    a, b, c, d = signs
    blocks = torch.stack(
        [torch.stack([a * first, b * second], -1), torch.stack([c * second, d * first], -1)], -2
    )
    return torch.block_diag(*blocks).float()


def _speeds(d_model, step=2.0):
    return 10_000.0 ** (-step * torch.arange(d_model // 2).double() / d_model)


def _in_place(k, d_model, block):
    """A matrix whose blocks on the diagonal are made from cosine and sine by a function."""
    angle = k * _speeds(d_model)
    rows = [torch.tensor(block(math.cos(a), math.sin(a))) for a in angle.tolist()]
    return torch.block_diag(*rows).float()


class Wrong:
    """What learners write, the more particular before the more general."""

    def blocks_in_a_stack(k, d_model):
        """You return the blocks in a stack, and not yet as one matrix.

        A row of width d_model needs a d_model × d_model matrix. Put the blocks on its diagonal.
        """
        R = correct(k, d_model)
        return torch.stack([R[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])

    def turned_back(k, d_model):
        """Your matrix turns every pair the wrong way: it moves pos to pos - k.

        A row is multiplied from the right. Multiply (sin a, cos a) by your block, with a pencil.
        """
        return correct(k, d_model).T

    def without_a_minus(k, d_model):
        """In your blocks, both sines have a plus sign.

        Look at the formula for the cosine of a sum. Which of its terms is subtracted?
        """
        return _blocks(k * _speeds(d_model), signs=(1, 1, 1, 1))

    def two_minuses(k, d_model):
        """In your blocks, both sines have a minus sign.

        The sine of a sum has a plus in its formula, the cosine a minus. Which column is which?
        """
        return _blocks(k * _speeds(d_model), signs=(1, -1, -1, 1))

    def sine_and_cosine_exchanged(k, d_model):
        """In your blocks, sines and cosines are exchanged: for k = 0 they are not the identity.

        For k = 0 nothing should move. Which is 1 at 0, the sine or the cosine?
        """
        return _blocks(k * _speeds(d_model), upper=(torch.sin, torch.cos))

    def one_angle_for_all(k, d_model):
        """You turn every pair by the same angle, k.

        Each pair has its own frequency. How far does hand i turn in k positions?
        """
        return _blocks(k * torch.ones(d_model // 2, dtype=torch.float64))

    def first_pair_alone(k, d_model):
        """You turn only the first pair.

        Every pair of columns has a block of its own on the diagonal.
        """
        R = torch.eye(d_model)
        R[:2, :2] = correct(k, d_model)[:2, :2]
        return R

    def always_by_one(k, d_model):
        """Your matrix always moves by one position, also for other k.

        In k positions a hand turns k times as far as in one.
        """
        return correct(1, d_model)

    def half_the_exponent(k, d_model):
        """Your frequencies fall too slowly: the exponent is i/d_model, and should be 2i/d_model.

        Take the frequencies of the table. Pair i has the columns 2i and 2i + 1.
        """
        return _blocks(k * _speeds(d_model, step=1.0))

    def quicker_and_quicker(k, d_model):
        """Your pairs turn faster and faster from left to right. They should turn more slowly.

        The frequency of pair i is 10000 to the power -2i/d_model. Is the sign of your exponent
        right?
        """
        return _blocks(k / _speeds(d_model))

    def in_four_quarters(k, d_model):
        """Your matrix fits a table with all sines on the left and all cosines on the right.

        Here sines and cosines alternate, so the blocks are two by two, along the diagonal.
        """
        angle = k * _speeds(d_model)
        C, S = torch.diag(angle.cos()), torch.diag(angle.sin())
        return torch.cat([torch.cat([C, -S], 1), torch.cat([S, C], 1)]).float()

    def cosines_alone(k, d_model):
        """Your matrix has zeros outside its diagonal, so it makes columns smaller and turns
        nothing.

        The sine of a sum also needs the cosine of the position, which is in the other column.
        """
        return torch.diag(correct(k, d_model).diagonal())

    def the_shifted_table(k, d_model):
        """You return a part of the table itself, and not a matrix that moves its rows.

        R is the same for all positions: PE(pos) times R is PE(pos + k) for every pos.
        """
        start = max(k, 0)
        return positions.sinusoidal_positions(start + d_model, d_model)[start:]

    def mirrored(k, d_model):
        """Your blocks mirror a pair instead of turning it: their determinants are -1, and not 1.

        For k = 0 nothing should move. Is your matrix then the identity, in every row?
        """
        return _in_place(k, d_model, lambda c, s: [[c, s], [s, -c]])

    def mirrored_the_other_way(k, d_model):
        """Your blocks mirror a pair instead of turning it: the minus stands before the upper left
        cosine.

        For k = 0 nothing should move. Is your matrix then the identity, in every row?
        """
        return _in_place(k, d_model, lambda c, s: [[-c, s], [s, c]])

    def two_minuses_below(k, d_model):
        """The second row of your blocks has two minuses: for k = 0 the cosines change their signs.

        Which of the four products of the two formulas is subtracted?
        """
        return _in_place(k, d_model, lambda c, s: [[c, -s], [-s, -c]])

    def all_turned_round(k, d_model):
        """All numbers of your matrix have the wrong sign: for k = 0 it is minus the identity.

        For k = 0 nothing should move.
        """
        return -correct(k, d_model)

    def sines_on_the_diagonal(k, d_model):
        """In your blocks the sines stand on the diagonal: for k = 0 each block exchanges its two
        columns.

        For k = 0 nothing should move. Which is 1 at 0, the sine or the cosine?
        """
        return _in_place(k, d_model, lambda c, s: [[s, c], [c, -s]])

    def sines_on_the_diagonal_turned(k, d_model):
        """In your blocks the sines are on the diagonal, and a minus stands at a cosine.

        For k = 0 nothing should move. Which is 1 at 0, the sine or the cosine?
        """
        return _in_place(k, d_model, lambda c, s: [[s, c], [-c, s]])

    def rows_alike(k, d_model):
        """In each of your blocks both rows hold a cosine and then a sine.

        The first column of a block makes the new sine. What belongs in its two rows?
        """
        return _in_place(k, d_model, lambda c, s: [[c, s], [c, s]])

    def columns_alike(k, d_model):
        """In each of your blocks one row has two cosines, and the other has two sines.

        The second column of a block makes the new cosine. What belongs in its two rows?
        """
        return _in_place(k, d_model, lambda c, s: [[c, c], [s, s]])

    def sines_alone(k, d_model):
        """Your diagonal is 0: for k = 0 your matrix makes everything 0.

        For k = 0 nothing should move.
        """
        return _in_place(k, d_model, lambda c, s: [[0.0, -s], [s, 0.0]])

    def triangle(k, d_model):
        """One of the two sines of each block is missing.

        Both formulas have two terms: what does the new sine take from the old cosine, and what
        does the new cosine take from the old sine?
        """
        return _in_place(k, d_model, lambda c, s: [[c, 0.0], [s, c]])

    def backwards_as_forwards(k, d_model):
        """Your matrix takes a negative k for a positive one: it always moves forward.

        The sine of a negative angle is negative.
        """
        return correct(abs(k), d_model)

    def never_backwards(k, d_model):
        """Your matrix does not move anything for a negative k.

        A loop over `range(k)` does nothing for a negative k. The angles need no loop.
        """
        return correct(max(k, 0), d_model)

    def k_times_one_step(k, d_model):
        """You multiply the matrix of a single step by k.

        Two steps are one step after another: which operation joins two matrices?
        """
        return k * correct(1, d_model)

    def powers_of_the_entries(k, d_model):
        """You raise each number of the matrix of a single step to the power k.

        For tensors, `**` works on each number by itself. It is the *angles* that grow with k.
        """
        return correct(1, d_model) ** k

    def pairs_from_1(k, d_model):
        """You count the pairs from 1: your first pair has the frequency of the second.

        i begins with 0, so the first pair turns by k itself.
        """
        i = torch.arange(1, d_model // 2 + 1).double()
        return _blocks(k * 10_000.0 ** (-2 * i / d_model))

    def twice_the_exponent(k, d_model):
        """Your frequencies fall too fast: the exponent is 4i/d_model, and should be 2i/d_model.

        Does your i count pairs, or does it already count columns in steps of two?
        """
        return _blocks(k * _speeds(d_model, step=4.0))

    def base_1000(k, d_model):
        """Your base is 1000. It should be 10000.

        Count the zeros.
        """
        return _blocks(k * _speeds(d_model) ** 0.75)

    def base_e(k, d_model):
        """Your base is e: you take an exponential without the logarithm of 10000.

        10000 to the power x is e to the power x ln 10000.
        """
        return _blocks(k * _speeds(d_model) ** (1 / math.log(10_000)))

    def in_degrees(k, d_model):
        """You treat the angles as degrees.

        sin and cos take radians, and so does the equation: you need not convert anything.
        """
        return _blocks(math.pi / 180 * k * _speeds(d_model))

    def whole_turns(k, d_model):
        """You multiply the angles by 2π, as if the first pair turned once for each position.

        The angle of the first pair is k itself, in radians.
        """
        return _blocks(2 * math.pi * k * _speeds(d_model))

    def power_of_the_frequency(k, d_model):
        """You raise the frequency to the power k, where k should multiply it.

        b = k ω: in k positions a hand turns k times as far as in one.
        """
        return _blocks(_speeds(d_model) ** k)

    def angles_divided_by_k(k, d_model):
        """You do not multiply the frequencies by k, but divide by k, and for k = 0 your matrix
        holds nan.

        b = k ω: in k positions a hand turns k times as far as in one.
        """
        return _blocks(_speeds(d_model) / k)

    def angles_divided_by_k_as_a_number(k, d_model):
        """You do not multiply the frequencies by k, but divide by k, and stop at k = 0.

        b = k ω: in k positions a hand turns k times as far as in one.
        """
        return _blocks(1 / k * _speeds(d_model))

    def a_frequency_for_each_column(k, d_model):
        """In each of your pairs, the two columns have different frequencies.

        A pair has one frequency, and both of its columns turn by the same angle.
        """
        angle = k * 10_000.0 ** (-torch.arange(d_model).double() / d_model)
        R = torch.diag(angle.cos())
        R[range(1, d_model, 2), range(0, d_model, 2)] = angle[0::2].sin()
        R[range(0, d_model, 2), range(1, d_model, 2)] = -angle[1::2].sin()
        return R.float()

    def a_frequency_for_each_row(k, d_model):
        """In each of your blocks, the two rows have different frequencies.

        A pair has one frequency, and its block has the same angle in all four places.
        """
        angle = k * 10_000.0 ** (-torch.arange(d_model).double() / d_model)
        R = torch.diag(angle.cos())
        R[range(0, d_model, 2), range(1, d_model, 2)] = -angle[0::2].sin()
        R[range(1, d_model, 2), range(0, d_model, 2)] = angle[1::2].sin()
        return R.float()

    def for_position_0_alone(k, d_model):
        """Your matrix is right for the row of position 0, and not for other positions.

        R must be the same for all positions. Use the formulas, with a = pos ω.
        """
        table = positions.sinusoidal_positions(abs(k) + 1, d_model)
        row = table[abs(k)].clone()
        row[0::2] *= 1 if k >= 0 else -1
        return torch.outer(table[0], row) * 2 / d_model

    def between_two_rows(k, d_model):
        """You return products of the numbers of one row with those of another.

        R is the same for all positions, and most of it is 0: each pair is turned by itself.
        """
        table = positions.sinusoidal_positions(abs(k) + 1, d_model)
        return torch.outer(table[0], table[abs(k)])

    def moves_rows(k, d_model):
        """Your matrix has ones beside its diagonal: it moves columns, and turns nothing.

        R is multiplied from the right, and so mixes the *columns* of one row, not positions.
        """
        R = torch.zeros(d_model, d_model)
        for i in range(d_model):
            if 0 <= i + k < d_model:
                R[i, i + k] = 1
        return R

    def last_pair_missing(k, d_model):
        """Your last pair is not turned.

        There are d_model/2 pairs, counted from 0. Where does your loop end?
        """
        R = correct(k, d_model)
        R[-2:, -2:] = torch.eye(2)
        return R

    def blocks_beside_each_other(k, d_model):
        """You return the blocks below each other, in two columns.

        R is d_model × d_model, with the blocks on its diagonal and zeros elsewhere.
        """
        R = correct(k, d_model)
        return torch.cat([R[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])

    def sines_and_cosines_of_k(k, d_model):
        """You return the row of position k on a diagonal, with zeros elsewhere.

        The new sine needs the old sine *and* the old cosine: two numbers in each column.
        """
        angle = k * _speeds(d_model)
        return torch.diag(torch.stack([angle.sin(), angle.cos()], -1).flatten()).float()


class Right:
    """Right answers, written differently."""

    def block_by_block(k, d_model):
        """Writes each block at its place."""
        R = torch.zeros(d_model, d_model)
        for i in range(d_model // 2):
            a = k / 10_000 ** (2 * i / d_model)
            R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(
                [[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]
            )
        return R

    def strided(k, d_model):
        """Writes all cosines and all sines at once."""
        angle = k * _speeds(d_model)
        even = torch.arange(0, d_model, 2)
        R = torch.zeros(d_model, d_model, dtype=torch.float64)
        R[even, even] = R[even + 1, even + 1] = angle.cos()
        R[even, even + 1], R[even + 1, even] = -angle.sin(), angle.sin()
        return R

    def by_the_exponential(k, d_model):
        """A rotation is the exponential of its generator."""
        J = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
        return torch.matrix_exp(k * torch.block_diag(*[speed * J for speed in _speeds(d_model)]))

    def step_by_step(k, d_model):
        """The k-th power of the rotation by one place."""
        one = _blocks(_speeds(d_model)).double()
        return torch.linalg.matrix_power(one if k >= 0 else one.T, abs(k))


EXERCISE = Exercise(
    id="shift_rotation",
    oracle=correct,
    hint="Take d_model = 2. Multiply (sin a, cos a) by your matrix, and compare with "
    "(sin(a + k), cos(a + k)), written out by the two formulas.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
)
