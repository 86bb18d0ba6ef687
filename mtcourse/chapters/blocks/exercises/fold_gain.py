"""The exercise ``fold_gain``: gain and bias as part of the next layer (B11, B12; chapter 10)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Whole numbers, wider and narrower layers, a square one, a gain of 0."""
    gain, bias = draw.tensor([2.0, -1.0]), draw.tensor([3.0, 4.0])
    W, b = draw.tensor([[1.0, 5.0, 2.0], [3.0, -2.0, 1.0]]), draw.tensor([10.0, 20.0, 30.0])
    with_0 = draw.tensor([0.0, 1.5, -2.0, 1.0])
    return [
        Case("2 numbers in, 3 out", (gain, bias, W, b), by_hand=True),
        Case("4 in, 6 out", _drawn(draw, 4, 6)),
        Case("5 in, 5 out", _drawn(draw, 5, 5)),
        Case("6 in, 2 out", _drawn(draw, 6, 2)),
        Case("a gain of 0", (with_0, *_drawn(draw, 4, 3)[1:])),
    ]


def _drawn(draw: Draw, d, k):
    return draw.normal(d), draw.normal(d), draw.normal(d, k), draw.normal(k)


def correct(gain, bias, W, b):
    """Row c of W times gain c; the bias goes through W."""
    return gain[:, None] * W, bias @ W + b


def _is_pair(case, value):
    return isinstance(value, tuple | list) and len(value) == 2


def _has_shapes(case, value):
    _, _, W, b = case.arguments
    return [tuple(part.shape) for part in value] == [tuple(W.shape), tuple(b.shape)]


def _computes_the_same(case, value):
    gain, bias, W, b = (part.double() for part in case.arguments)
    d = len(gain)
    z = torch.linspace(-2.0, 2.0, 3 * d, dtype=torch.float64).sin().reshape(3, d) + 0.5
    new_W, new_b = (part.double() for part in value)
    return ((z * gain + bias) @ W + b - (z @ new_W + new_b)).abs().max().item() < 1e-4


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_W(gain, bias, W, b):
        """Your result is right, but your function changes W.

        The caller still needs the old W, to compare both.
        """
        new_b = bias @ W + b
        W *= gain[:, None]
        return W.clone(), new_b

    def offset_through_the_new_matrix(gain, bias, W, b):
        """In b′ you sent the bias of the norm through W′, so it is multiplied by the gain.

        Expand the brackets of (gain · z + bias) W. By which matrix is the bias multiplied?
        """
        new_W = gain[:, None] * W
        return new_W, bias @ new_W + b

    def offset_forgotten(gain, bias, W, b):
        """Your b′ is the old b, without the bias of the norm.

        Put z = 0 into both sides. What is left?
        """
        return gain[:, None] * W, b

    def old_b_forgotten(gain, bias, W, b):
        """The old b is missing in b′.

        Put z = 0 into both sides. What is left?
        """
        return gain[:, None] * W, bias @ W

    def offset_subtracted(gain, bias, W, b):
        """In b′ you have the wrong sign before the bias of the norm.

        Put z = 0 into both sides. What is left?
        """
        return gain[:, None] * W, b - bias @ W

    def offset_not_multiplied(gain, bias, W, b):
        """In b′ you added the bias of the norm as it is, without sending it through W.

        It has d numbers and b has k, so this runs only for a square W. What do the brackets of
        (gain · z + bias) W say?
        """
        return gain[:, None] * W, bias + b

    def offset_from_the_left(gain, bias, W, b):
        """In b′ you multiplied W by the bias from the wrong side. This runs only for a square W.

        The bias of the norm is a row. On which side of W does a row stand?
        """
        return gain[:, None] * W, W @ bias + b

    def b_multiplied_by_the_gain(gain, bias, W, b):
        """In b′ you multiplied the old b by the gain. This runs only for a square W.

        Put z = 0 into both sides. What is left?
        """
        return gain[:, None] * W, bias @ W + gain * b

    def sum_of_the_columns(gain, bias, W, b):
        """In b′ you added the sums of the columns of W, as if the bias of the norm were 1.

        Each row of W is multiplied by its own number of the bias.
        """
        return gain[:, None] * W, W.sum(0) + b

    def gain_in_b(gain, bias, W, b):
        """In b′ you sent the gain through W as well as the bias of the norm.

        Put z = 0 into both sides. Where does the gain go?
        """
        return gain[:, None] * W, (gain + bias) @ W + b

    def gain_in_place_of_the_bias(gain, bias, W, b):
        """In b′ you sent the gain through W, where the bias of the norm belongs.

        Put z = 0 into both sides. Where does the gain go?
        """
        return gain[:, None] * W, gain @ W + b

    def columns_multiplied(gain, bias, W, b):
        """You multiplied column c of W by number c of the gain. This runs only for a square W, and
        computes something else.

        Which part of W does number c of z meet?
        """
        return W * gain, bias @ W + b

    def columns_multiplied_and_the_offset(gain, bias, W, b):
        """You multiplied column c of W by number c of the gain, and sent the bias through the
        result. This runs only for a square W.

        Which part of W does number c of z meet? And by which matrix is the bias multiplied?
        """
        new_W = W * gain
        return new_W, bias @ new_W + b

    def columns_multiplied_offset_forgotten(gain, bias, W, b):
        """You multiplied column c of W by number c of the gain, which runs only for a square W. And
        the bias of the norm is lost.

        Which part of W does number c of z meet? What is left for z = 0?
        """
        return W * gain, b

    def divided_by_the_gain(gain, bias, W, b):
        """You divided W by the gain. W′ has to do what the gain did.

        A gain of 2 makes number c of the row twice as large. What then happens to row c of W?
        """
        return W / gain[:, None], bias @ W + b

    def W_as_it_was(gain, bias, W, b):
        """Your W′ is the old W, without the gain.

        Which part of W does number c of z meet?
        """
        return W, bias @ W + b

    def bias_added_to_W(gain, bias, W, b):
        """You added the bias of the norm to W. It then acts on every z, multiplied by its numbers.

        Expand the brackets of (gain · z + bias) W + b. Which terms contain z, and which do not?
        """
        return gain[:, None] * W + bias[:, None], b

    def bias_added_to_W_and_b(gain, bias, W, b):
        """You added the bias of the norm to W′. It then acts on z, multiplied by its numbers.

        Expand the brackets of (gain · z + bias) W + b. Which terms contain z, and which do not?
        """
        return gain[:, None] * W + bias[:, None], bias @ W + b

    def gain_and_bias_exchanged(gain, bias, W, b):
        """You exchanged gain and bias.

        Expand the brackets of (gain · z + bias) W + b. Which of the two is multiplied by z?
        """
        return bias[:, None] * W, gain @ W + b

    def gain_squared(gain, bias, W, b):
        """You multiplied by the gain twice.

        How often does each number of z meet its gain?
        """
        return gain[:, None] ** 2 * W, bias @ W + b

    def one_plus_the_gain(gain, bias, W, b):
        """You multiplied by 1 + gain.

        A gain of 1 should leave W as it is.
        """
        return (1 + gain)[:, None] * W, bias @ W + b

    def mean_gain(gain, bias, W, b):
        """You multiplied all of W by one number, the mean of the gain.

        Each row of W has its own number of the gain.
        """
        return gain.mean() * W, bias @ W + b

    def magnitude_of_the_gain(gain, bias, W, b):
        """You lost the sign of the gain.

        A gain may be negative.
        """
        return gain.abs()[:, None] * W, bias @ W + b

    def product_with_the_gain(gain, bias, W, b):
        """Your W′ is a single row, the product of the gain and W.

        W′ has the shape of W. `*` multiplies number by number, `@` adds up as well.
        """
        return gain @ W, bias @ W + b

    def both_transposed(gain, bias, W, b):
        """Your W′ is the right one transposed. Layers of torch store weights so; here a row stands
        on the left.

        z is (…, d) and W′ is (d, k).
        """
        return (gain[:, None] * W).mT, bias @ W + b

    def columns_centred(gain, bias, W, b):
        """You subtracted its mean from each column of W′. For rows that sum to 0 this computes the
        same, but the question asks for every row z.

        Is z · 1 = 0 for every z? Leave the subtraction out.
        """
        new_W = gain[:, None] * W
        return new_W - new_W.mean(0), bias @ W + b

    def rows_centred(gain, bias, W, b):
        """You subtracted its mean from each row of W′.

        Nothing is normalised here: multiply and add only.
        """
        new_W = gain[:, None] * W
        return new_W - new_W.mean(1, keepdim=True), bias @ W + b

    def offset_through_the_new_matrix_and_no_b(gain, bias, W, b):
        """In b′ you sent the bias of the norm through W′, and the old b is missing.

        Put z = 0 into both sides. By which matrix is the bias multiplied, and what is added?
        """
        new_W = gain[:, None] * W
        return new_W, bias @ new_W

    def offset_summed(gain, bias, W, b):
        """In b′ you added the sum of the norm's bias. W does not occur in it.

        Put z = 0 into both sides. What happens to the bias?
        """
        return gain[:, None] * W, bias.sum() + b

    def offset_averaged(gain, bias, W, b):
        """In b′ you took a mean over the rows of W where a sum belongs.

        `bias @ W` multiplies and adds up, without dividing.
        """
        return gain[:, None] * W, bias @ W / len(gain) + b

    def offset_not_summed(gain, bias, W, b):
        """Your b′ is a matrix: you multiplied the rows of W by the bias and did not add them up.

        `*` multiplies number by number, `@` adds up as well. b′ has the shape of b.
        """
        return gain[:, None] * W, bias[:, None] * W + b

    def b_as_a_matrix_of_one_row(gain, bias, W, b):
        """The numbers are right, but your b′ is a matrix with one row, `(1, k)`.

        b′ has the shape `(k,)`. A bias without a second dimension already multiplies from the left.
        """
        return gain[:, None] * W, (bias @ W + b)[None]

    def offset_over_the_gain(gain, bias, W, b):
        """In b′ you divided the norm's bias by the gain before sending it through W.

        Expand the brackets of (gain · z + bias) W. Is the bias inside the product with the gain?
        """
        return gain[:, None] * W, (bias / gain) @ W + b

    def b_times_the_mean_gain(gain, bias, W, b):
        """In b′ you multiplied the old b by the mean of the gain.

        Put z = 0 into both sides. Does the gain remain?
        """
        return gain[:, None] * W, bias @ W + gain.mean() * b

    def gain_plus_bias(gain, bias, W, b):
        """You multiplied W by the sum of gain and bias, as if z multiplied both.

        Expand the brackets of (gain · z + bias) W + b. Which terms contain z, and which do not?
        """
        return (gain + bias)[:, None] * W, b

    def offset_added_to_the_new_matrix(gain, bias, W, b):
        """You added the bias times W to each row of W′. It then acts on every z, multiplied by its
        numbers.

        Expand the brackets of (gain · z + bias) W + b. Which terms contain z, and which do not?
        """
        return gain[:, None] * W + bias @ W, b

    def gain_added(gain, bias, W, b):
        """You added the gain to W. Multiply.

        A gain of 1 should leave W as it is.
        """
        return gain[:, None] + W, bias @ W + b


class Right:
    """Right answers, written differently."""

    def with_a_diagonal_matrix(gain, bias, W, b):
        """The gain as a matrix."""
        return torch.diag(gain) @ W, b + torch.mv(W.mT, bias)

    def row_by_row(gain, bias, W, b):
        """A loop over the rows of W."""
        rows, new_b = [], b
        for of_gain, of_bias, row in zip(gain, bias, W, strict=True):
            rows.append(of_gain * row)
            new_b = new_b + of_bias * row
        return torch.stack(rows), new_b

    def with_transposed_weights(gain, bias, W, b):
        """As torch stores weights, where the gain broadcasts over columns."""
        return (W.T * gain).T, W.T @ bias + b

    def with_einsum(gain, bias, W, b):
        """Names the dimensions."""
        return torch.einsum("d,dk->dk", gain, W), torch.einsum("d,dk->k", bias, W).add(b)

    def by_asking(gain, bias, W, b):
        """What the layer does to 0 and to the rows of the identity."""

        def layer(z):
            return (z * gain + bias) @ W + b

        of_0 = layer(torch.zeros_like(gain))
        return layer(torch.eye(len(gain), dtype=W.dtype)) - of_0, of_0


EXERCISE = Exercise(
    id="fold_gain",
    oracle=correct,
    hint="Expand the brackets of (gain · z + bias) W + b. Collect the terms with z: they give W′. "
    "What is left gives b′. Try it with d = 2 and k = 1 on paper.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("returns two things, W′ and b′", _is_pair),
        Rule("W′ and b′ have the shapes of W and b", _has_shapes),
        Rule("z W′ + b′ is (gain · z + bias) W + b, for every row z", _computes_the_same),
    ),
)
