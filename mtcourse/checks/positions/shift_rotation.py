"""The exercise ``shift_rotation``: the matrix that moves every position by k (B02; chapter 03)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import positions


def cases(draw: Draw) -> list[Case]:
    """Forward, back and not at all, for narrow and for wide rows; nothing is drawn."""
    return [
        Case("one place forward, width 2", (1, 2), by_hand=True),
        Case("not moved, width 4", (0, 4)),
        Case("3 places forward, width 4", (3, 4)),
        Case("2 places back, width 6", (-2, 6)),
        Case("7 places forward, width 8", (7, 8)),
        Case("40 places forward, width 32", (40, 32)),
    ]


def correct(k, d_model):
    """The package's matrix."""
    return positions.shift_rotation(k, d_model)


def _blocks(angle, upper=(torch.cos, torch.sin), signs=(1, -1, 1, 1)):
    """Two-by-two blocks on the diagonal; upper names the functions of the first row."""
    first, second = (function(angle) for function in upper)
    a, b, c, d = signs
    blocks = torch.stack(
        [torch.stack([a * first, b * second], -1), torch.stack([c * second, d * first], -1)], -2
    )
    return torch.block_diag(*blocks).float()


def _speeds(d_model, step=2.0):
    return 10_000.0 ** (-step * torch.arange(d_model // 2).double() / d_model)


# --- wrong ---------------------------------------------------------------------------------------


def blocks_in_a_stack(k, d_model):
    """These are the blocks, one behind the other, and not yet one matrix.

    A row of width d_model wants a d_model × d_model matrix. Put the blocks on its diagonal.
    """
    R = correct(k, d_model)
    return torch.stack([R[i : i + 2, i : i + 2] for i in range(0, d_model, 2)])


def turned_back(k, d_model):
    """This turns every pair the other way: it leads from pos to pos - k.

    A row stands on the left of its matrix. Multiply (sin a, cos a) by your block, with a pencil.
    """
    return correct(k, d_model).T


def without_a_minus(k, d_model):
    """In each block both sines have a plus.

    Look at the formula for the cosine of a sum. Which of its terms is subtracted?
    """
    return _blocks(k * _speeds(d_model), signs=(1, 1, 1, 1))


def two_minuses(k, d_model):
    """In each block both sines have a minus.

    The sine of a sum has a plus in it, and the cosine of a sum a minus. Which column is which?
    """
    return _blocks(k * _speeds(d_model), signs=(1, -1, -1, 1))


def sine_and_cosine_exchanged(k, d_model):
    """In each block sines and cosines have changed places: with k = 0 it is not the identity.

    Where k = 0 nothing must move. Which of sine and cosine is 1 at 0?
    """
    return _blocks(k * _speeds(d_model), upper=(torch.sin, torch.cos))


def one_angle_for_all(k, d_model):
    """Every pair is turned by the same angle, k.

    The clocks run at different speeds. How far does hand i turn in k places?
    """
    return _blocks(k * torch.ones(d_model // 2, dtype=torch.float64))


def first_pair_alone(k, d_model):
    """The first pair is turned, all others stay as they are.

    Every pair has its block on the diagonal.
    """
    R = torch.eye(d_model)
    R[:2, :2] = correct(k, d_model)[:2, :2]
    return R


def always_by_one(k, d_model):
    """This moves by one place, whatever k is.

    In k places a hand turns k times as far as in one.
    """
    return correct(1, d_model)


def half_the_exponent(k, d_model):
    """The speeds fall too slowly: the exponent is i/d_model, and should be 2i/d_model.

    They are the speeds of the table. Pair i has the columns 2i and 2i + 1.
    """
    return _blocks(k * _speeds(d_model, step=1.0))


def quicker_and_quicker(k, d_model):
    """Pairs turn more quickly, the further to the right they are.

    The power of 10000 stands below the fraction.
    """
    return _blocks(k / _speeds(d_model))


def in_four_quarters(k, d_model):
    """This is for a table with all sines on the left and all cosines on the right.

    Here sines and cosines take turns, so that the blocks are two by two, along the diagonal.
    """
    angle = k * _speeds(d_model)
    C, S = torch.diag(angle.cos()), torch.diag(angle.sin())
    return torch.cat([torch.cat([C, -S], 1), torch.cat([S, C], 1)]).float()


def cosines_alone(k, d_model):
    """There is nothing beside the diagonal: each column is made shorter, and none is turned.

    The sine of a sum needs the cosine of the position, too. It is in the other column.
    """
    return torch.diag(correct(k, d_model).diagonal())


def the_shifted_table(k, d_model):
    """This depends on no row to be multiplied: it is a part of the table itself.

    R is the same for all positions: PE(pos) times R is PE(pos + k) for every pos.
    """
    start = max(k, 0)
    return positions.sinusoidal_positions(start + d_model, d_model)[start:]


# --- right ---------------------------------------------------------------------------------------


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
    misconceptions=(
        blocks_in_a_stack,
        turned_back,
        without_a_minus,
        two_minuses,
        sine_and_cosine_exchanged,
        one_angle_for_all,
        first_pair_alone,
        always_by_one,
        half_the_exponent,
        quicker_and_quicker,
        in_four_quarters,
        cosines_alone,
        the_shifted_table,
    ),
    right=(block_by_block, strided, by_the_exponential, step_by_step),
    cases=cases,
    tolerance=1e-4,
)
