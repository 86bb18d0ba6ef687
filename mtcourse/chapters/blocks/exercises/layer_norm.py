"""The exercise ``layer_norm``: gain * (x - mean) / sqrt(var + epsilon) + bias (B11; chapter 10)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """From rows to check by hand to batches; epsilon is sometimes large enough to be seen."""
    x = draw.tensor([[1.0, 1.0, 5.0, 5.0], [6.0, 0.0, 2.0, 4.0]])
    gain, bias = draw.tensor([1.0, 2.0, 3.0, -1.0]), draw.tensor([0.0, 1.0, 0.0, 2.0])
    equal = draw.tensor([[3.0, 3.0, 3.0, 3.0], [1.0, 2.0, 0.0, 1.0]])
    return [
        Case("two rows and epsilon 5", (x, gain, bias, 5.0), by_hand=True),
        Case("a row of equal numbers", (equal, gain, bias, 0.01), by_hand=True),
        Case("a single row, without a dimension for rows", _drawn(draw, (5,), 0.5)),
        Case("3 rows of 6 numbers", _drawn(draw, (3, 6), 1e-5)),
        Case("as many rows as numbers", _drawn(draw, (4, 4), 0.1)),
        Case("2 sentences of 3 rows", _drawn(draw, (2, 3, 5), 1e-5)),
        Case("3 sentences of 4 rows", _drawn(draw, (3, 4, 6), 0.3)),
        Case("2 batches of 2 sentences", _drawn(draw, (2, 2, 3, 4), 1.0)),
    ]


def _drawn(draw: Draw, shape, epsilon):
    """Rows around another number than 0, and as spread as other numbers than 1."""
    d = shape[-1]
    return 0.7 + draw.normal(*shape, scale=1.6), draw.normal(d), draw.normal(d), epsilon


def correct(x, gain, bias, epsilon=1e-5):
    """The library's own."""
    return F.layer_norm(x, x.shape[-1:], gain, bias, epsilon)


def _centred(x):
    return x - x.mean(-1, keepdim=True)


def _variance(x):
    return x.var(-1, correction=0, keepdim=True)


def _normalised(x, epsilon):
    return _centred(x) / torch.sqrt(_variance(x) + epsilon)


def _along(x, dims, epsilon):
    """Mean and variance along other dimensions."""
    mean = x.mean(dims, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(dims, correction=0, keepdim=True) + epsilon)


def _by_parts(x, gain, bias, epsilon, dims, correction):
    """Loops over the first dimensions, as if a row came after them, whatever does."""
    if dims == 0:
        spread = torch.sqrt(x.var(correction=correction) + epsilon)
        return gain * (x - x.mean()) / spread + bias
    return torch.stack([_by_parts(part, gain, bias, epsilon, dims - 1, correction) for part in x])


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_x(x, gain, bias, epsilon=1e-5):
        """The result is right, but your function changes x.

        `-=`, `/=` and `+=` write into the caller's tensor, and so do methods whose names end in an
        underscore.
        """
        x -= x.mean(-1, keepdim=True)
        return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) + bias

    def constant_statistics(x, gain, bias, epsilon=1e-5):
        """The result is right, but its gradient is not: it ignores that mean and variance depend on
        x.

        Where did you detach, or compute a statistic without gradients?
        """
        mean, variance = x.mean(-1, keepdim=True).detach(), _variance(x).detach()
        return gain * (x - mean) / torch.sqrt(variance + epsilon) + bias

    def constant_variance(x, gain, bias, epsilon=1e-5):
        """The result is right, but its gradient is not: it ignores that the variance depends on x.

        Where did you detach, or compute the variance without gradients?
        """
        return gain * _centred(x) / torch.sqrt(_variance(x).detach() + epsilon) + bias

    def unbiased_variance(x, gain, bias, epsilon=1e-5):
        """You divided the sum of squares by d − 1, which gives the unbiased variance. Layer
        normalisation divides by d.

        This is what `torch.var` does unless you tell it otherwise. Look for `correction` or
        `unbiased` in its description.
        """
        return gain * _centred(x) / torch.sqrt(x.var(-1, keepdim=True) + epsilon) + bias

    def unbiased_deviation_plus_epsilon(x, gain, bias, epsilon=1e-5):
        """You divided by the standard deviation plus ε, with d − 1 in the variance. Two things
        differ from the equation.

        In the equation ε stands inside the root, and the sum of squares is divided by d.
        """
        return gain * _centred(x) / (x.std(-1, keepdim=True) + epsilon) + bias

    def unbiased_deviation(x, gain, bias, epsilon=1e-5):
        """You divided by the standard deviation, with d − 1 in the variance, and never used ε.

        In the equation ε stands inside the root, and the sum of squares is divided by d.
        """
        return gain * _centred(x) / x.std(-1, keepdim=True) + bias

    def epsilon_outside_the_root(x, gain, bias, epsilon=1e-5):
        """You added ε to the standard deviation. In the equation it stands inside the root.

        Add ε to the variance, then take the root.
        """
        return gain * _centred(x) / (_variance(x).sqrt() + epsilon) + bias

    def without_epsilon(x, gain, bias, epsilon=1e-5):
        """You never used ε, so a row of equal numbers gives 0/0, which is NaN.

        Where does ε stand in the equation?
        """
        return gain * _centred(x) / torch.sqrt(_variance(x)) + bias

    def epsilon_as_a_floor(x, gain, bias, epsilon=1e-5):
        """You raised the variance to at least ε. The equation always adds ε.

        What is the divisor for a variance of 4 and ε = 5?
        """
        return gain * _centred(x) / torch.sqrt(_variance(x).clamp(min=epsilon)) + bias

    def deviation_as_a_floor(x, gain, bias, epsilon=1e-5):
        """You raised the standard deviation to at least ε. The equation always adds ε, to the
        variance.

        What is the divisor for a variance of 4 and ε = 5?
        """
        return gain * _centred(x) / _variance(x).sqrt().clamp(min=epsilon) + bias

    def epsilon_squared(x, gain, bias, epsilon=1e-5):
        """You added ε² to the variance.

        In the equation ε itself stands inside the root.
        """
        return gain * _centred(x) / torch.sqrt(_variance(x) + epsilon**2) + bias

    def fixed_epsilon(x, gain, bias, epsilon=1e-5):
        """Your result does not depend on the ε that is given: it is always 0.00001.

        Use the argument `epsilon`.
        """
        return correct(x, gain, bias, 1e-5)

    def fixed_larger_epsilon(x, gain, bias, epsilon=1e-5):
        """Your result does not depend on the ε that is given: it is always 0.000001.

        Use the argument `epsilon`.
        """
        return correct(x, gain, bias, 1e-6)

    def divided_by_the_variance(x, gain, bias, epsilon=1e-5):
        """You divided by the variance plus ε, without taking its root.

        If all numbers of x were twice as large, what would the result of the equation do?
        """
        return gain * _centred(x) / (_variance(x) + epsilon) + bias

    def divided_by_the_unbiased_variance(x, gain, bias, epsilon=1e-5):
        """You divided by the unbiased variance plus ε. The root is missing, and the sum of squares
        should be divided by d, not by d − 1.

        If all numbers of x were twice as large, what would the result of the equation do?
        """
        return gain * _centred(x) / (x.var(-1, keepdim=True) + epsilon) + bias

    def root_of_the_deviation(x, gain, bias, epsilon=1e-5):
        """You took a root too many: inside your root stands the standard deviation plus ε.

        `std` is already a root. Which quantity stands inside the root in the equation?
        """
        return gain * _centred(x) / torch.sqrt(_variance(x).sqrt() + epsilon) + bias

    def root_of_the_unbiased_deviation(x, gain, bias, epsilon=1e-5):
        """You took a root too many: inside your root stands `std`, with d − 1, plus ε.

        `std` is already a root. Which quantity stands inside the root in the equation?
        """
        return gain * _centred(x) / torch.sqrt(x.std(-1, keepdim=True) + epsilon) + bias

    def sum_of_squares(x, gain, bias, epsilon=1e-5):
        """Inside your root stands the *sum* of the squared differences. The variance is their mean.

        By which number do you divide the sum?
        """
        squares = (_centred(x) ** 2).sum(-1, keepdim=True)
        return gain * _centred(x) / torch.sqrt(squares + epsilon) + bias

    def absolute_deviation(x, gain, bias, epsilon=1e-5):
        """You divided by the mean of the absolute differences, plus ε.

        The equation squares the differences, takes the mean, adds ε and takes the root.
        """
        spread = _centred(x).abs().mean(-1, keepdim=True)
        return gain * _centred(x) / (spread + epsilon) + bias

    def multiplied_by_the_deviation(x, gain, bias, epsilon=1e-5):
        """You multiplied by the root. Divide by it.

        The numbers of a row that is spread widely should come closer together.
        """
        return gain * _centred(x) * torch.sqrt(_variance(x) + epsilon) + bias

    def not_divided(x, gain, bias, epsilon=1e-5):
        """You subtracted the mean, but you did not divide by the root.

        The row still has its old variance.
        """
        return gain * _centred(x) + bias

    def rms_norm(x, gain, bias, epsilon=1e-5):
        """You did not subtract the mean: you divided x by the root of its mean square. This is
        another normalisation, RMSNorm.

        Both the numerator and the variance use x minus its mean.
        """
        return gain * x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) + bias

    def mean_kept(x, gain, bias, epsilon=1e-5):
        """Your divisor is right, but you divided x itself, without subtracting its mean.

        What stands above the fraction bar?
        """
        return gain * x / torch.sqrt(_variance(x) + epsilon) + bias

    def mean_square_for_variance(x, gain, bias, epsilon=1e-5):
        """Your numerator is right, but inside the root you have the mean of the squares of x
        itself.

        The variance is the mean square of the differences from the mean.
        """
        return gain * _centred(x) / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon) + bias

    def mean_subtracted_after(x, gain, bias, epsilon=1e-5):
        """You divided x by the root, and then subtracted the mean of x, which you had not divided.

        Subtract the mean first. Brackets?
        """
        mean = x.mean(-1, keepdim=True)
        return gain * (x / torch.sqrt(_variance(x) + epsilon) - mean) + bias

    def turned_round(x, gain, bias, epsilon=1e-5):
        """You subtracted x from the mean, so the normalised row has the wrong sign.

        Which of the two is subtracted from the other?
        """
        return gain * -_normalised(x, epsilon) + bias

    def over_the_sequence(x, gain, bias, epsilon=1e-5):
        """You took mean and variance over the rows of a sentence, along dimension −2, so tokens
        change each other.

        Each row has its own mean and variance, over its d numbers. Which dimension is that?
        """
        return gain * _along(x, -2, epsilon) + bias

    def over_the_sequence_unbiased(x, gain, bias, epsilon=1e-5):
        """You took mean and variance over the rows of a sentence, along dimension −2, and divided
        by their number minus 1.

        Each row has its own mean and variance, over its d numbers. Divide by d.
        """
        variance = x.var(-2, keepdim=True)
        return gain * (x - x.mean(-2, keepdim=True)) / torch.sqrt(variance + epsilon) + bias

    def over_dimension_0(x, gain, bias, epsilon=1e-5):
        """You took mean and variance along dimension 0, so different sentences, or different rows,
        change each other.

        Each row has its own mean and variance, over its d numbers. Count the dimension from the
        end.
        """
        return gain * _along(x, 0, epsilon) + bias

    def over_dimension_1(x, gain, bias, epsilon=1e-5):
        """You took mean and variance along dimension 1, counted from the front: right for two
        dimensions only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        return gain * _along(x, 1, epsilon) + bias

    def over_dimension_2(x, gain, bias, epsilon=1e-5):
        """You took mean and variance along dimension 2, counted from the front: right for three
        dimensions only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        return gain * _along(x, 2, epsilon) + bias

    def over_whole_sentences(x, gain, bias, epsilon=1e-5):
        """You took one mean and one variance for all rows of a sentence.

        Each row has its own. `dim=(-2, -1)` is one dimension too many.
        """
        return gain * _along(x, (-2, -1), epsilon) + bias

    def over_all_rows(x, gain, bias, epsilon=1e-5):
        """You took mean and variance over all dimensions but the last, as batch normalisation does.

        Each row has its own mean and variance, over its d numbers.
        """
        return gain * _along(x, tuple(range(x.dim() - 1)), epsilon) + bias

    def over_everything(x, gain, bias, epsilon=1e-5):
        """You took one mean and one variance for all numbers of x together.

        Each row has its own. Without `dim`, `mean` and `var` use everything.
        """
        return gain * _along(x, tuple(range(x.dim())), epsilon) + bias

    def over_everything_unbiased(x, gain, bias, epsilon=1e-5):
        """You took one mean and one variance for all numbers of x together, and divided by their
        number minus 1.

        Each row has its own mean and variance. Without `dim`, `mean` and `var` use everything.
        """
        return gain * (x - x.mean()) / torch.sqrt(x.var() + epsilon) + bias

    def mean_of_everything(x, gain, bias, epsilon=1e-5):
        """Your divisor is right, but you subtracted one mean of all numbers of x.

        Each row has its own mean.
        """
        return gain * (x - x.mean()) / torch.sqrt(_variance(x) + epsilon) + bias

    def variance_of_everything(x, gain, bias, epsilon=1e-5):
        """Your means are right, but you divided by one variance of all numbers of x.

        Each row has its own variance.
        """
        return gain * _centred(x) / torch.sqrt(x.var(correction=0) + epsilon) + bias

    def statistics_beside_the_columns(x, gain, bias, epsilon=1e-5):
        """Your means and variances have lost their dimension, so the one of row i meets column i.

        `keepdim=True` keeps a dimension of size 1, so each row meets its own mean.
        """
        deviation = torch.sqrt(x.var(-1, correction=0) + epsilon)
        return gain * (x - x.mean(-1)) / deviation + bias

    def statistics_beside_the_columns_unbiased(x, gain, bias, epsilon=1e-5):
        """Your means and variances have lost their dimension, so the one of row i meets column i.
        And you divide by d − 1 in the variance.

        `keepdim=True` keeps a dimension of size 1, so each row meets its own mean.
        """
        return gain * (x - x.mean(-1)) / torch.sqrt(x.var(-1) + epsilon) + bias

    def mean_beside_the_columns(x, gain, bias, epsilon=1e-5):
        """Your mean has lost its dimension, so the mean of row i is subtracted from column i, also
        inside the variance.

        `keepdim=True` keeps a dimension of size 1, so each row meets its own mean.
        """
        mean = x.mean(-1)
        variance = ((x - mean) ** 2).mean(-1)
        return gain * (x - mean) / torch.sqrt(variance + epsilon) + bias

    def variance_beside_the_columns(x, gain, bias, epsilon=1e-5):
        """Your means are right, but your variance has lost its dimension, so the root of row i
        divides column i.

        `keepdim=True` keeps a dimension of size 1, so each row meets its own variance.
        """
        return gain * _centred(x) / torch.sqrt(x.var(-1, correction=0) + epsilon) + bias

    def needs_three_dimensions(x, gain, bias, epsilon=1e-5):
        """You take `x.shape` apart into three sizes. x may have fewer or more.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        _batch, _n, _d = x.shape
        return gain * _centred(x) / torch.sqrt(_variance(x) + epsilon) + bias

    def needs_two_dimensions(x, gain, bias, epsilon=1e-5):
        """You take `x.shape` apart into two sizes. x may have fewer or more.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        _n, _d = x.shape
        return gain * _centred(x) / torch.sqrt(_variance(x) + epsilon) + bias

    def brackets_forgotten(x, gain, bias, epsilon=1e-5):
        """You divided only the mean by the root, and multiplied only x by the gain.

        A division binds more closely than a subtraction. Brackets?
        """
        mean = x.mean(-1, keepdim=True)
        return gain * x - mean / torch.sqrt(_variance(x) + epsilon) + bias

    def mean_alone_divided(x, gain, bias, epsilon=1e-5):
        """You divided only the mean by the root, not the difference.

        A division binds more closely than a subtraction. Brackets?
        """
        mean = x.mean(-1, keepdim=True)
        return gain * (x - mean / torch.sqrt(_variance(x) + epsilon)) + bias

    def mean_before_the_square(x, gain, bias, epsilon=1e-5):
        """You took the mean of the differences first and squared it. This mean is 0, so you divided
        by the root of ε alone.

        The variance is the mean of the squares: square first.
        """
        square = _centred(x).mean(-1, keepdim=True) ** 2
        return gain * _centred(x) / torch.sqrt(square + epsilon) + bias

    def epsilon_added_to_the_quotient(x, gain, bias, epsilon=1e-5):
        """You added ε to the quotient, not to the variance. A row of equal numbers still gives 0/0.

        Where does ε stand in the equation?
        """
        return gain * (_centred(x) / torch.sqrt(_variance(x)) + epsilon) + bias

    def nothing_normalised(x, gain, bias, epsilon=1e-5):
        """You used gain and bias, but you did not normalise: x has kept its mean and its variance.

        First subtract the mean and divide by the root. Then use gain and bias.
        """
        return gain * x + bias

    def sum_for_the_mean(x, gain, bias, epsilon=1e-5):
        """You subtracted the sum of the row, where its mean belongs. Your root is right.

        By which number do you divide the sum?
        """
        difference = x - x.sum(-1, keepdim=True)
        return gain * difference / torch.sqrt(_variance(x) + epsilon) + bias

    def without_gain_and_bias(x, gain, bias, epsilon=1e-5):
        """The rows are normalised, but you used neither the gain nor the bias.

        What is multiplied at the end, and what is added?
        """
        return _normalised(x, epsilon) + 0 * (gain + bias)

    def without_gain(x, gain, bias, epsilon=1e-5):
        """You never used the gain.

        Column c of the normalised rows is multiplied by number c of the gain.
        """
        return _normalised(x, epsilon) + 0 * gain + bias

    def without_bias(x, gain, bias, epsilon=1e-5):
        """You never used the bias.

        Number c of the bias is added to column c.
        """
        return gain * _normalised(x, epsilon) + 0 * bias

    def gain_and_bias_exchanged(x, gain, bias, epsilon=1e-5):
        """You multiplied by the bias and added the gain.

        Which of the two is 1, and which is 0, at the start of training?
        """
        return bias * _normalised(x, epsilon) + gain

    def bias_multiplied_by_the_gain(x, gain, bias, epsilon=1e-5):
        """You added the bias first and then multiplied by the gain, so the bias is multiplied, too.

        Multiply first, then add.
        """
        return gain * (_normalised(x, epsilon) + bias)

    def gain_first(x, gain, bias, epsilon=1e-5):
        """You multiplied x by the gain before you normalised it, so the variance is that of the
        product.

        Normalise first. The gain multiplies what comes out.
        """
        return _normalised(gain * x, epsilon) + bias

    def gain_and_bias_first(x, gain, bias, epsilon=1e-5):
        """You used gain and bias before the normalisation, which removes much of what they did.

        Normalise first. Gain and bias change what comes out.
        """
        return _normalised(gain * x + bias, epsilon)

    def gain_of_rows(x, gain, bias, epsilon=1e-5):
        """You multiplied row i by number i of the gain, and added number i of the bias to it.

        Gain and bias have d numbers, one for each *column*, and are the same for all rows.
        """
        return gain[:, None] * _normalised(x, epsilon) + bias[:, None]

    def one_plus_the_gain(x, gain, bias, epsilon=1e-5):
        """You multiplied by 1 + gain. Some models store the gain in this way; here it is the factor
        itself.

        Which gain leaves the normalised rows as they are?
        """
        return (1 + gain) * _normalised(x, epsilon) + bias

    def divided_by_the_gain(x, gain, bias, epsilon=1e-5):
        """You divided by the gain. Multiply by it.

        A gain of 2 should make a column twice as large.
        """
        return _normalised(x, epsilon) / gain + bias

    def bias_subtracted(x, gain, bias, epsilon=1e-5):
        """You subtracted the bias. Add it.

        What should a row of equal numbers become?
        """
        return gain * _normalised(x, epsilon) - bias

    def normalised_by_length(x, gain, bias, epsilon=1e-5):
        """You divided each row by its length, the root of its sum of squares. The mean is not
        subtracted, and the sum is no mean.

        Subtract the mean. Then divide by the root of the variance plus ε.
        """
        return gain * x / torch.sqrt((x * x).sum(-1, keepdim=True) + epsilon) + bias

    def between_0_and_1(x, gain, bias, epsilon=1e-5):
        """You stretched each row from 0 to 1, between its smallest and its largest number.

        Subtract the mean. Then divide by the root of the variance plus ε.
        """
        low, high = x.amin(-1, keepdim=True), x.amax(-1, keepdim=True)
        return gain * (x - low) / (high - low + epsilon) + bias

    def softmax_of_rows(x, gain, bias, epsilon=1e-5):
        """You took the softmax of each row. Layer normalisation makes its mean 0 and its variance
        about 1.

        Subtract the mean. Then divide by the root of the variance plus ε.
        """
        return gain * x.softmax(-1) + bias

    def input_added(x, gain, bias, epsilon=1e-5):
        """You added x to the result. That is a residual connection, which a block has; the
        normalisation by itself has none.

        Return the normalised rows, with gain and bias.
        """
        return x + correct(x, gain, bias, epsilon)

    def normalised_twice(x, gain, bias, epsilon=1e-5):
        """You normalised the result once more, after gain and bias.

        Gain and bias come last.
        """
        return _normalised(correct(x, gain, bias, epsilon), epsilon)

    def epsilon_added_to_the_result(x, gain, bias, epsilon=1e-5):
        """You added ε to the result, after the division. A row of equal numbers still gives 0/0.

        Where does ε stand in the equation?
        """
        return gain * _centred(x) / torch.sqrt(_variance(x)) + epsilon + bias

    def epsilon_added_to_the_result_unbiased(x, gain, bias, epsilon=1e-5):
        """You added ε to the result, after the division, and your variance is divided by d − 1.

        Where does ε stand in the equation? And by which number does `std` divide?
        """
        return gain * _centred(x) / x.std(-1, keepdim=True) + epsilon + bias

    def epsilon_twice(x, gain, bias, epsilon=1e-5):
        """You added ε twice.

        The equation adds it once, to the variance. Is it in your variance already?
        """
        return correct(x, gain, bias, 2 * epsilon)

    def product_with_the_gain(x, gain, bias, epsilon=1e-5):
        """You multiplied by the gain with `@`, which also adds up the row. A row then becomes a
        single number.

        `*` multiplies each column by its own number.
        """
        return _normalised(x, epsilon) @ gain + bias

    def looped_over_dimension_0(x, gain, bias, epsilon=1e-5):
        """Your statistics are those of x[0], x[1] and so on. These are single rows only if x has
        two dimensions.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        return _by_parts(x, gain, bias, epsilon, dims=1, correction=0)

    def looped_over_dimension_0_unbiased(x, gain, bias, epsilon=1e-5):
        """Your statistics are those of x[0], x[1] and so on, which are single rows only if x has
        two dimensions. And your variance is divided by one less than the count.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        return _by_parts(x, gain, bias, epsilon, dims=1, correction=1)

    def filled_along_dimension_0(x, gain, bias, epsilon=1e-5):
        """Your function normalises x[0], x[1] and so on. These are single rows only if x has two
        dimensions; where x is a single row, they are numbers, and it stops.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        _n, _d, *_ = x.shape if x.dim() > 1 else ()
        return _by_parts(x, gain, bias, epsilon, dims=1, correction=0)

    def filled_along_dimension_0_unbiased(x, gain, bias, epsilon=1e-5):
        """Your function normalises x[0], x[1] and so on, which are single rows only if x has two
        dimensions; where x is a single row, it stops. And your variance is divided by one less than
        the count.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        _n, _d, *_ = x.shape if x.dim() > 1 else ()
        return _by_parts(x, gain, bias, epsilon, dims=1, correction=1)

    def two_loops(x, gain, bias, epsilon=1e-5):
        """Your function normalises x[0, 0], x[0, 1] and so on. These are rows only if x has three
        dimensions.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        _batch, _n, _d, *_ = x.shape if x.dim() > 2 else ()
        return _by_parts(x, gain, bias, epsilon, dims=2, correction=0)

    def two_loops_unbiased(x, gain, bias, epsilon=1e-5):
        """Your function normalises x[0, 0], x[0, 1] and so on, which are rows only if x has three
        dimensions. And your variance is divided by one less than the count.

        Three dots in a shape stand for any number of dimensions. `dim=-1` needs no loop.
        """
        _batch, _n, _d, *_ = x.shape if x.dim() > 2 else ()
        return _by_parts(x, gain, bias, epsilon, dims=2, correction=1)

    def root_of_epsilon_outside(x, gain, bias, epsilon=1e-5):
        """You took the roots of the variance and of ε one by one, and added them.

        The root of a sum is not the sum of the roots. Add ε to the variance first.
        """
        return gain * _centred(x) / (_variance(x).sqrt() + epsilon**0.5) + bias


class Right:
    """Right answers, written differently."""

    def by_the_equation(x, gain, bias, epsilon=1e-5):
        """Mean, variance, root."""
        mean = x.mean(dim=-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        return gain * (x - mean) / torch.sqrt(variance + epsilon) + bias

    def with_var_mean(x, gain, bias, epsilon=1e-5):
        """Both at once."""
        variance, mean = torch.var_mean(x, dim=-1, unbiased=False, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + epsilon) * gain + bias

    def mean_of_squares_less_square_of_mean(x, gain, bias, epsilon=1e-5):
        """The variance from two means."""
        mean = x.mean(-1).unsqueeze(-1)
        variance = (x * x).mean(-1).unsqueeze(-1) - mean * mean
        return torch.addcmul(bias, gain, (x - mean) / (variance + epsilon) ** 0.5)

    def row_by_row(x, gain, bias, epsilon=1e-5):
        """A loop, and sums of numbers."""
        if x.dim() > 1:
            return torch.stack([Right.row_by_row(row, gain, bias, epsilon) for row in x])
        d = len(x)
        mean = sum(x) / d
        variance = sum((number - mean) ** 2 for number in x) / d
        return torch.stack(
            [
                g * (number - mean) / (variance + epsilon).sqrt() + b
                for g, number, b in zip(gain, x, bias, strict=True)
            ]
        )

    def with_a_corrected_deviation(x, gain, bias, epsilon=1e-5):
        """Squares the standard deviation, and takes the d − 1 out of it."""
        d = x.shape[-1]
        variance = x.var(-1, keepdim=True) * (d - 1) / d
        return (x - x.mean(-1, keepdim=True)).div((variance + epsilon).sqrt()).mul(gain).add(bias)

    def with_products(x, gain, bias, epsilon=1e-5):
        """Subtracts the mean by a product with a matrix."""
        d = x.shape[-1]
        centring = torch.eye(d, dtype=x.dtype) - torch.full((d, d), 1 / d, dtype=x.dtype)
        centred = x @ centring
        variance = torch.einsum("...d,...d->...", centred, centred)[..., None] / d
        return centred / torch.sqrt(epsilon + variance) * gain + bias


EXERCISE = Exercise(
    id="layer_norm",
    oracle=correct,
    hint="Take one row. Compute its mean and its variance (divide by d), add ε to the variance, "
    "take the root. Subtract the mean, divide by the root, multiply by the gain, add the bias. "
    "Then find the dimension that does this for all rows.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("layer normalisation",),
)
