"""The exercise ``printed_bounds``: what rounded inputs leave open (chapter 11)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Weights of both signs and 0; several digits; square and not; rows of zeros."""
    X = draw.tensor([[0.2, 1.5, -0.3, 1.8], [0.94, 0.14, 0.61, 1.3]])
    W = draw.tensor([[1.0, -2.0], [0.0, 1.0], [-1.0, -1.0], [3.0, 0.5]])
    return [
        Case("two rows of document B", (X, W, 2), by_hand=True),
        Case("one decimal", (X, W.clone(), 1)),
        Case("whole numbers", (draw.small_integers(3, 2), draw.small_integers(2, 4), 0)),
        Case("4 tokens, 4 columns", (_printed(draw.normal(4, 4), 2), draw.normal(4, 4), 2)),
        Case("5 tokens, 3 to 2 columns", (_printed(draw.normal(5, 3), 1), draw.normal(3, 2), 1)),
        Case("positive weights", (_printed(draw.normal(3, 3), 1), draw.normal(3, 3).abs(), 1)),
        Case("a row of zeros", (draw.tensor([[0.0, 0.0], [0.3, -0.2]]),
                                draw.tensor([[0.5, -0.5], [0.25, 2.0]]), 1)),
    ]  # fmt: skip


def _printed(x, digits):
    return torch.round(x, decimals=digits)


def _half(digits):
    return 0.5 * 10.0**-digits


def correct(X, W, digits):
    """Each input may be off by half a unit, each time in the worse direction."""
    return _around(X @ W, _half(digits) * W.abs().sum(0))


def _around(middle, radius):
    return middle - radius, middle + radius


class Wrong:
    """What learners write, the more particular before the more general."""

    def whole_unit(X, W, digits):
        """You let each input be off by a whole unit of its last digit.

        0.94 stands for all numbers that round to it. How far away is the farthest?
        """
        return _around(X @ W, 2 * _half(digits) * W.abs().sum(0))

    def tenth_of_a_unit(X, W, digits):
        """You let each input be off by half a unit of the *next* digit.

        0.94 stands for all numbers that round to it. How far away is the farthest?
        """
        return _around(X @ W, 0.1 * _half(digits) * W.abs().sum(0))

    def quarter_of_a_unit(X, W, digits):
        """You let each input be off by a quarter of a unit.

        0.94 stands for all numbers that round to it. How far away is the farthest?
        """
        return _around(X @ W, 0.5 * _half(digits) * W.abs().sum(0))

    def all_moved_alike(X, W, digits):
        """Your bounds come out if all inputs are moved down for the lower bound, and all up for the
        upper one. Where W is negative, the product then moves the other way.

        For the lower bound, which inputs must be larger than printed? What does the sign of a
        weight do to an error?
        """
        return (X - _half(digits)) @ W, (X + _half(digits)) @ W

    def all_moved_alike_and_sorted(X, W, digits):
        """Your bounds come out if all inputs are off in the same direction. Errors at weights of
        both signs then cancel.

        Each input may be off in its own direction. Which is the worst for a negative weight?
        """
        ends = torch.stack([(X - _half(digits)) @ W, (X + _half(digits)) @ W])
        return ends.min(0).values, ends.max(0).values

    def not_summed(X, W, digits):
        """You let the result be off by as much as one input: by half a unit.

        A result is a sum of products. By how much does W multiply the error of each input?
        """
        return _around(X @ W, _half(digits))

    def summed_without_weights(X, W, digits):
        """You added up the errors of the inputs, but not multiplied by their weights.

        An error in an input is multiplied by the weight that the input is multiplied by.
        """
        return _around(X @ W, _half(digits) * len(W))

    def largest_weight_only(X, W, digits):
        """You let only one input be off, that with the largest weight.

        All of them may be off at the same time.
        """
        return _around(X @ W, _half(digits) * W.abs().amax(0))

    def mean_weight(X, W, digits):
        """You took the mean of the errors. In the worst case they add up.

        What is the sum over the inputs?
        """
        return _around(X @ W, _half(digits) * W.abs().mean(0))

    def root_of_squares(X, W, digits):
        """You took the root of the sum of squares. That is typical of errors that are independent,
        and not a bound.

        In the worst case, all errors point the same way. How do they add up then?
        """
        return _around(X @ W, _half(digits) * W.square().sum(0).sqrt())

    def along_the_rows_of_W(X, W, digits):
        """You summed W along its rows. A result needs the weights of one *column*.

        Which dimension of W runs over the inputs?
        """
        return _around(X @ W, _half(digits) * W.abs().sum(1))

    def over_all_of_W(X, W, digits):
        """Your bound has the same width in all columns: you summed over the whole of W.

        Each result only needs the weights of its own column.
        """
        return _around(X @ W, _half(digits) * W.abs().sum())

    def largest_column(X, W, digits):
        """Your bound has the same width in all columns, that of the widest.

        Each column has a width of its own.
        """
        return _around(X @ W, _half(digits) * W.abs().sum(0).max())

    def weighed_by_the_inputs(X, W, digits):
        """You summed the inputs, as if W were printed with these digits and X exact.

        The errors are in X. What multiplies them?
        """
        return _around(X @ W, _half(digits) * X.abs().sum(-1, keepdim=True))

    def both_are_rounded(X, W, digits):
        """You let W be off as well. The question says that W is exact.

        Only the numbers of X have errors.
        """
        h = _half(digits)
        return _around(
            X @ W, h * W.abs().sum(0) + h * X.abs().sum(-1, keepdim=True) + len(W) * h * h
        )

    def both_are_rounded_to_first_order(X, W, digits):
        """You let W be off as well, to first order. The question says that W is exact.

        Only the numbers of X have errors.
        """
        h = _half(digits)
        return _around(X @ W, h * W.abs().sum(0) + h * X.abs().sum(-1, keepdim=True))

    def by_percent(X, W, digits):
        """You let the result be off by a share of itself.

        The error of an input does not depend on how large the input is.
        """
        Y = X @ W
        return _around(Y, _half(digits) * Y.abs())

    def by_percent_unsorted(X, W, digits):
        """You multiplied the result by 1 − h and 1 + h. For a negative result, that exchanges the
        bounds, and the error of an input does not depend on its size.

        By how much is a sum off if each of its inputs is off by up to half a unit?
        """
        Y = X @ W
        return Y * (1 - _half(digits)), Y * (1 + _half(digits))

    def inputs_by_percent(X, W, digits):
        """You let each input be off by a share of itself. A rounding error does not depend on how
        large the input is: 0.00 is off by as much as 1.80.

        Leave X out of the error.
        """
        return _around(X @ W, _half(digits) * (X.abs() @ W.abs()))

    def cut_off(X, W, digits):
        """You treat the digits as cut off, so that inputs could only be larger than printed.

        They are rounded: an input may be smaller or larger.
        """
        unit = 2 * _half(digits)
        Y = X @ W
        return Y + unit * W.clamp(max=0).sum(0), Y + unit * W.clamp(min=0).sum(0)

    def only_upwards(X, W, digits):
        """Your lower bound is the product of the printed numbers.

        Inputs may be smaller than printed, too.
        """
        return X @ W, correct(X, W, digits)[1]

    def only_downwards(X, W, digits):
        """Your upper bound is the product of the printed numbers.

        Inputs may be larger than printed, too.
        """
        return correct(X, W, digits)[0], X @ W

    def only_the_radius(X, W, digits):
        """Your bounds lie around 0: they are those of the error.

        Around which number does the result lie?
        """
        radius = (_half(digits) * W.abs().sum(0)).expand(len(X), -1)
        return -radius, radius.clone()

    def only_the_radius_of_a_row(X, W, digits):
        """Your bounds lie around 0, in one row: they are those of the error.

        Around which number does each result lie?
        """
        radius = _half(digits) * W.abs().sum(0)
        return -radius, radius

    def radius_of_a_row(X, W, digits):
        """You return one row: how far the result can be off. The two bounds are asked for.

        Subtract this from the product, and add it.
        """
        return _half(digits) * W.abs().sum(0)

    def radius_alone(X, W, digits):
        """You return how far the result can be off. The two bounds are asked for.

        Subtract this from the product, and add it.
        """
        return (_half(digits) * W.abs().sum(0)).expand(len(X), -1).clone()

    def bounds_exchanged(X, W, digits):
        """Your first bound is the upper one.

        First the lower bound, then the upper one.
        """
        return correct(X, W, digits)[::-1]

    def in_one_tensor(X, W, digits):
        """You return three dimensions: each result with its two bounds. Two matrices are asked for.

        Return `low, high`.
        """
        return torch.stack(correct(X, W, digits), -1)

    def always_two_digits(X, W, digits):
        """You always use two digits after the point.

        `digits` says how many there are.
        """
        return correct(X, W, 2)

    def other_power(X, W, digits):
        """Your error grows with the number of digits: you used 10 to the power of `digits`.

        More digits leave less open. Which sign has the exponent?
        """
        return _around(X @ W, 0.5 * 10.0**digits * W.abs().sum(0))

    def half_to_the_power(X, W, digits):
        """Your error for one digit is right, but not for others: you took 0.05 to the power of
        `digits`.

        By which factor does half a unit shrink with each digit?
        """
        return _around(X @ W, 0.05**digits * W.abs().sum(0))

    def halved_with_each_digit(X, W, digits):
        """You took 0.5 to the power of `digits`, so each digit only halves the error.

        By which factor does half a unit shrink with each digit?
        """
        return _around(X @ W, 0.5**digits * W.abs().sum(0))

    def divided_by_digits(X, W, digits):
        """You divided by ten times the number of digits.

        By which factor does half a unit shrink with each digit?
        """
        return _around(X @ W, 0.5 / (10 * max(digits, 1)) * W.abs().sum(0))

    def result_rounded(X, W, digits):
        """You rounded the product before you added and subtracted the error.

        The printed numbers are in X. The product is not rounded.
        """
        return _around(_printed(X @ W, digits), _half(digits) * W.abs().sum(0))

    def result_rounded_and_not_summed(X, W, digits):
        """You rounded the product, and let it be off by half a unit.

        It is X that was rounded. Each of its numbers is off, and a result adds up k of them.
        """
        return _around(_printed(X @ W, digits), _half(digits))

    def bounds_rounded(X, W, digits):
        """You rounded the bounds.

        Leave them as they are computed.
        """
        return tuple(_printed(bound, digits) for bound in correct(X, W, digits))

    def positive_weights_only(X, W, digits):
        """Only the positive weights count in your error.

        An input at a negative weight is off, too. In which direction is that worst?
        """
        return _around(X @ W, _half(digits) * W.clamp(min=0).sum(0))

    def absolute_everywhere(X, W, digits):
        """You took absolute values before you multiplied, in the middle as well.

        Only the *error* takes the absolute values of W. The product keeps its signs.
        """
        return _around(X.abs() @ W.abs(), _half(digits) * W.abs().sum(0))

    def absolute_weights_in_the_product(X, W, digits):
        """You used the absolute values of W in the product, too.

        Only the *error* takes the absolute values of W.
        """
        return (X - _half(digits)) @ W.abs(), (X + _half(digits)) @ W.abs()

    def signed_sum(X, W, digits):
        """You summed all weights with their signs, so that weights of both signs cancel.

        Each result needs the weights of its own column. And which comes first, the absolute value
        or the sum?
        """
        return _around(X @ W, _half(digits) * W.sum())

    def first_input_only(X, W, digits):
        """You let only the first input of each row be off.

        Each of the numbers in a row is rounded.
        """
        return _around(X @ W, _half(digits) * W[0].abs())

    def squared_half(X, W, digits):
        """You squared half a unit.

        An error in X is multiplied by W only.
        """
        return _around(X @ W, _half(digits) ** 2 * W.abs().sum(0))

    def largest_weight_for_all(X, W, digits):
        """You multiplied every error by the largest weight of all.

        An error in an input is multiplied by the weight that the input is multiplied by.
        """
        return _around(X @ W, _half(digits) * len(W) * W.abs().max())

    def largest_of_a_column_for_all(X, W, digits):
        """You multiplied every error by the largest weight of its column.

        An error in an input is multiplied by the weight that the input is multiplied by.
        """
        return _around(X @ W, _half(digits) * len(W) * W.abs().amax(0))

    def both_moved_alike(X, W, digits):
        """You moved all inputs and all weights down for the lower bound, and up for the upper one.

        W is exact. And where a weight is negative, which end of its input makes the product small?
        """
        h = _half(digits)
        return (X - h) @ (W - h), (X + h) @ (W + h)

    def fifth_of_a_unit(X, W, digits):
        """You let each input be off by a whole unit of the *next* digit.

        0.94 stands for all numbers that round to it. How far away is the farthest?
        """
        return _around(X @ W, 0.2 * _half(digits) * W.abs().sum(0))

    def width_for_the_upper(X, W, digits):
        """Your second matrix says how far apart the two bounds are. The upper bound is asked for.

        Return the smallest and the largest value.
        """
        low, high = correct(X, W, digits)
        return low, high - low

    def sign_of_the_input(X, W, digits):
        """You moved each input by its *own* sign: positive ones one way, negative ones the other.

        Which sign decides whether a larger input makes the product larger: that of x, or that of
        its weight?
        """
        moved = _half(digits) * X.sign()
        return (X - moved) @ W, (X + moved) @ W

    def stacked_in_front(X, W, digits):
        """You return one tensor that holds both bounds. Two matrices are asked for.

        Return `low, high`, without `stack`.
        """
        return torch.stack(correct(X, W, digits))


class Right:
    """Right answers, written differently."""

    def with_signs(X, W, digits):
        """A weight's sign tells which end of its input is the worse one."""
        h, up, down = 0.5 / 10**digits, W.clamp(min=0), W.clamp(max=0)
        low, high = X - h, X + h
        return low @ up + high @ down, high @ up + low @ down

    def radius(X, W, digits):
        """A matrix of half units, times absolute values."""
        off = torch.full_like(X, 0.5 * 10.0**-digits) @ abs(W)
        return X @ W - off, X @ W + off

    def in_loops(X, W, digits):
        """Each product at its smaller and at its larger end."""
        h = 10.0**-digits / 2
        low, high = torch.zeros_like(X @ W), torch.zeros_like(X @ W)
        for i in range(X.shape[0]):
            for j in range(W.shape[1]):
                for k in range(W.shape[0]):
                    ends = (X[i, k] - h) * W[k, j], (X[i, k] + h) * W[k, j]
                    low[i, j] += min(ends)
                    high[i, j] += max(ends)
        return low, high

    def all_corners(X, W, digits):
        """All 2^k corners, by enumeration."""
        h, k = 0.5 * 0.1**digits, len(W)
        signs = torch.cartesian_prod(*[torch.tensor([-h, h], dtype=X.dtype)] * k).reshape(-1, k)
        corners = (X[:, None, :] + signs) @ W
        return [corners.amin(1), corners.amax(1)]

    def by_broadcasting(X, W, digits):
        """All products at once."""
        h = float(f"5e-{digits + 1}")
        ends = torch.stack([(X - h)[..., None] * W, (X + h)[..., None] * W])
        return ends.amin(0).sum(-2), ends.amax(0).sum(-2)


EXERCISE = Exercise(
    id="printed_bounds",
    oracle=correct,
    hint="Each input is off by at most half a unit of its last digit, in the direction that is "
    "worst. What does that add to a sum of products, whatever the signs of the weights?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
