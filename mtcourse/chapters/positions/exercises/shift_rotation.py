"""The exercise ``shift_rotation``: the matrix that moves every position by k (B02; chapter 03)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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

        The power of 10000 is the denominator of the fraction.
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
