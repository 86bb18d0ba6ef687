"""The exercise ``layer_norm_gradient``: back through a layer normalisation (B11; chapter 10)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows with a root that can be seen, as many rows as numbers, batches, a large epsilon."""
    x = draw.tensor([[1.0, 1.0, 5.0, 5.0], [6.0, 0.0, 2.0, 4.0]])
    G = draw.tensor([[3.0, 0.0, 0.0, 0.0], [0.0, 1.0, -1.0, 2.0]])
    return [
        Case("two rows and epsilon 5", (x, draw.tensor([1.0, 2.0, 1.0, -1.0]), G, 5.0), True),
        Case("two rows and gain 1", (x, draw.tensor([1.0, 1.0, 1.0, 1.0]), G, 0.0), True),
        Case("a single row, without a dimension for rows", _drawn(draw, (5,), 0.5)),
        Case("3 rows of 6 numbers", _drawn(draw, (3, 6), 0.1)),
        Case("as many rows as numbers", _drawn(draw, (4, 4), 0.2)),
        Case("2 sentences of 3 rows", _drawn(draw, (2, 3, 5), 0.3)),
        Case("2 batches of 2 sentences", _drawn(draw, (2, 2, 3, 4), 1.0)),
    ]


def _drawn(draw: Draw, shape, epsilon):
    x = 0.7 + draw.normal(*shape, scale=1.6)
    return x, draw.normal(shape[-1]), draw.normal(*shape), epsilon


def _parts(x, epsilon):
    """The normalised rows and the root that divided them."""
    centred = x - x.mean(-1, keepdim=True)
    root = torch.sqrt((centred * centred).mean(-1, keepdim=True) + epsilon)
    return centred / root, root


def correct(x, gain, G, epsilon=1e-5):
    """(g - mean(g) - z mean(g z)) / root, with g = gain * G."""
    return _varied(x, gain, G, epsilon)


def _mean(t):
    return t.mean(-1, keepdim=True)


def _varied(x, gain, G, epsilon, subtracted=None, root=lambda r: r):
    """The formula with other terms that are subtracted, and with another divisor."""
    z, r = _parts(x, epsilon)
    g = gain * G
    terms = _mean(g) + z * _mean(g * z) if subtracted is None else subtracted(g, z)
    return (g - terms) / root(r)


def _sums_to_0(case, value):
    return bool((value.double().sum(-1).abs() < 1e-4).all())


class Wrong:
    """What learners write, the more particular before the more general."""

    def statistics_held_fixed(x, gain, G, epsilon=1e-5):
        """You treated mean and variance as constants: gain · G over the root.

        Both change if a number of the row changes. Which two terms does this add?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: 0 * g)

    def statistics_held_fixed_and_no_gain(x, gain, G, epsilon=1e-5):
        """You divided G by the root, and did nothing else.

        What became of the gain, of the mean and of the variance, all of which the output contains?
        """
        return G / _parts(x, epsilon)[1]

    def variance_held_fixed(x, gain, G, epsilon=1e-5):
        """The path through the mean is there. The path through the variance is missing, or comes to
        0.

        If one number of the row grows, the root changes, and with it every number of the output.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g))

    def mean_held_fixed(x, gain, G, epsilon=1e-5):
        """The path through the variance is there. The path through the mean is missing, or comes to
        0.

        If one number of the row grows, the mean grows, too, and every number of the output changes.
        What does a row of the gradient then sum to?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: z * _mean(g * z))

    def gain_forgotten(x, gain, G, epsilon=1e-5):
        """You never used the gain.

        G is the gradient of the output. What is the gradient of the normalised row?
        """
        return correct(x, torch.ones_like(gain), G, epsilon)

    def gain_at_the_end(x, gain, G, epsilon=1e-5):
        """You multiplied by the gain at the end. On the way back, the gain comes *first*.

        The output is gain · z + bias. Which factor does G meet before it reaches z?
        """
        return gain * correct(x, torch.ones_like(gain), G, epsilon)

    def divided_by_the_gain(x, gain, G, epsilon=1e-5):
        """You divided G by the gain. Multiply it.

        The derivative of gain · z with respect to z is the gain.
        """
        return correct(x, 1 / gain, G, epsilon)

    def gain_twice(x, gain, G, epsilon=1e-5):
        """You multiplied by the gain twice.

        How often does the output contain it?
        """
        return correct(x, gain * gain, G, epsilon)

    def gain_of_rows(x, gain, G, epsilon=1e-5):
        """You multiplied row i of G by number i of the gain. It belongs to column i.

        The gain has d numbers, one for each column.
        """
        return correct(x, torch.ones_like(gain), gain[:, None] * G, epsilon)

    def not_divided(x, gain, G, epsilon=1e-5):
        """You did not divide by the root.

        A row that is spread over twice the range has half the gradient.
        """
        return _varied(x, gain, G, epsilon, root=lambda r: 1)

    def divided_by_the_variance(x, gain, G, epsilon=1e-5):
        """You divided by the variance plus ε, without its root.

        The output is a fraction over the root. What is its derivative if the root is held fixed?
        """
        return _varied(x, gain, G, epsilon, root=lambda r: r * r)

    def multiplied_by_the_root(x, gain, G, epsilon=1e-5):
        """You multiplied by the root. Divide by it.

        A row that is spread over twice the range has half the gradient.
        """
        return _varied(x, gain, G, epsilon, root=lambda r: 1 / r)

    def without_epsilon(x, gain, G, epsilon=1e-5):
        """You never used ε.

        Where does it stand in the forward pass?
        """
        return correct(x, gain, G, 0.0)

    def fixed_epsilon(x, gain, G, epsilon=1e-5):
        """Your result does not depend on the ε that is given: it is always 0.00001.

        Use the argument `epsilon`.
        """
        return correct(x, gain, G, 1e-5)

    def epsilon_outside_the_root(x, gain, G, epsilon=1e-5):
        """You added ε to the standard deviation. In the forward pass it stands inside the root.

        Add ε to the variance, then take the root.
        """
        z, r = _parts(x, 0.0)
        z, r, g = z * r / (r + epsilon), r + epsilon, gain * G
        return (g - _mean(g) - z * _mean(g * z)) / r

    def unbiased_variance(x, gain, G, epsilon=1e-5):
        """You divided the sum of squares by d − 1 in the variance. The forward pass divides by d.

        This is what `torch.var` does unless you tell it otherwise.
        """
        centred = x - _mean(x)
        r = torch.sqrt(x.var(-1, keepdim=True) + epsilon)
        g, z = gain * G, centred / r
        return (g - _mean(g) - z * _mean(g * z)) / r

    def sums_for_means(x, gain, G, epsilon=1e-5):
        """You subtracted sums where means belong: both terms are d times too large.

        The mean contains each number divided by d, and so does the variance.
        """
        return _varied(
            x, gain, G, epsilon, lambda g, z: (_mean(g) + z * _mean(g * z)) * g.shape[-1]
        )

    def sum_for_the_second_mean(x, gain, G, epsilon=1e-5):
        """Your first term is right. The second has a sum where a mean belongs: it is d times too
        large.

        The variance contains the square of each difference, divided by d.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + z * _mean(g * z) * g.shape[-1])

    def sum_for_the_first_mean(x, gain, G, epsilon=1e-5):
        """Your second term is right. The first has a sum where a mean belongs: it is d times too
        large.

        The mean contains each number divided by d.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) * g.shape[-1] + z * _mean(g * z))

    def second_term_doubled(x, gain, G, epsilon=1e-5):
        """Your second term, the path through the variance, is twice too large.

        The square gives a factor of 2. What does the root give?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + 2 * z * _mean(g * z))

    def second_term_halved(x, gain, G, epsilon=1e-5):
        """Your second term, the path through the variance, is half of what it should be.

        The root gives a factor of ½. What does the square give?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + 0.5 * z * _mean(g * z))

    def both_terms_added(x, gain, G, epsilon=1e-5):
        """You added both terms. Subtract them.

        If all numbers of a row grow alike, the output stays. What does a row of the gradient then
        sum to?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: -_mean(g) - z * _mean(g * z))

    def second_term_added(x, gain, G, epsilon=1e-5):
        """You added the second term, the path through the variance. Subtract it.

        If a row is multiplied by a number, the output stays (but for ε). In which direction does
        the gradient have no part then?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) - z * _mean(g * z))

    def first_term_added(x, gain, G, epsilon=1e-5):
        """You added the first term, the path through the mean. Subtract it.

        If all numbers of a row grow alike, the output stays. What does a row of the gradient then
        sum to?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: z * _mean(g * z) - _mean(g))

    def means_of_G(x, gain, G, epsilon=1e-5):
        """Your two means use G itself, without the gain.

        All three terms contain the gradient of the normalised row, gain · G.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(G) + z * _mean(G * z))

    def input_for_the_normalised_row(x, gain, G, epsilon=1e-5):
        """In your second term stands x, where the normalised row belongs.

        Write the derivative of the root with respect to number i of the row. Which difference is
        left?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + x * _mean(g * x))

    def centred_for_the_normalised_row(x, gain, G, epsilon=1e-5):
        """In your second term stands x minus its mean, not yet divided by the root.

        How often does the root occur in the second term? Count its powers.
        """
        c = x - _mean(x)
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + c * _mean(g * c))

    def normalised_row_once(x, gain, G, epsilon=1e-5):
        """Your second term is the mean of g · z, without the factor z in front.

        How much the root changes depends on which number of the row is changed.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + _mean(g * z))

    def square_of_the_normalised_row(x, gain, G, epsilon=1e-5):
        """Your second term is g · z², without a mean over the row.

        A change of the root reaches *all* numbers of the output. Add up what comes back from them.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + g * z * z)

    def diagonal_of_the_jacobian(x, gain, G, epsilon=1e-5):
        """You multiplied G by the derivative of each output with respect to its *own* input only.

        Each number of x changes all d outputs of its row.
        """
        z, r = _parts(x, epsilon)
        d = x.shape[-1]
        return gain * G * (1 - 1 / d - z * z / d) / r

    def means_over_rows(x, gain, G, epsilon=1e-5):
        """Your two means run over the rows of a sentence.

        Each row has its own mean and variance. Along which dimension were they taken?
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return (g - g.mean(-2, keepdim=True) - z * (g * z).mean(-2, keepdim=True)) / r

    def means_of_everything(x, gain, G, epsilon=1e-5):
        """Your two means run over all numbers of all rows.

        Each row has its own mean and variance. Without `dim`, `mean` uses everything.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: g.mean() + z * (g * z).mean())

    def means_beside_the_columns(x, gain, G, epsilon=1e-5):
        """Your two means have lost their dimension, so those of row i meet column i.

        `keepdim=True` keeps a dimension of size 1, so each row meets its own mean.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: g.mean(-1) + z * (g * z).mean(-1))

    def output_for_the_normalised_row(x, gain, G, epsilon=1e-5):
        """In your second term stands gain · z, where z belongs.

        The gain is in g already. What does the root divide, z or the output?
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + gain * z * _mean(G * gain * z))

    def unbiased_deviation_plus_epsilon(x, gain, G, epsilon=1e-5):
        """Your root is the standard deviation with d − 1, plus ε. The forward pass divides by d,
        and has ε inside the root.

        Add ε to the variance, then take the root.
        """
        r = x.std(-1, keepdim=True) + epsilon
        g, z = gain * G, (x - _mean(x)) / r
        return (g - _mean(g) - z * _mean(g * z)) / r

    def second_term_not_divided(x, gain, G, epsilon=1e-5):
        """Your second term, the path through the root, is not divided by the root.

        Each of the three paths ends with a division by the root.
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return (g - _mean(g)) / r - z * _mean(g * z)

    def second_term_divided_twice_more(x, gain, G, epsilon=1e-5):
        """You divided the second term, the path through the root, by r², and z holds one r already.

        Each of the three terms is divided by r once, if they are written with z.
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return (g - _mean(g)) / r - z * _mean(g * z) / (r * r)

    def gain_added(x, gain, G, epsilon=1e-5):
        """You added the gain to G. Multiply.

        The derivative of gain · z with respect to z is the gain.
        """
        return correct(x, torch.ones_like(gain), G + gain, epsilon)

    def only_the_first_term_divided(x, gain, G, epsilon=1e-5):
        """You divided only the first term by the root, and not the two that you subtract.

        Each of the three paths ends with a division by the root. Are there brackets around them?
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return g / r - _mean(g) - z * _mean(g * z)

    def first_two_terms_not_divided(x, gain, G, epsilon=1e-5):
        """You divided only the last term by the root. Brackets?

        Each of the three paths ends with a division by the root.
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return g - _mean(g) - z * _mean(g * z) / r

    def of_the_gain(x, gain, G, epsilon=1e-5):
        """You returned G times the normalised row, which belongs to the gradient of the *gain*.

        The question asks for the gradient with respect to x.
        """
        return G * _parts(x, epsilon)[0]

    def summed_gradient_of_the_gain(x, gain, G, epsilon=1e-5):
        """You returned the gradient of the gain, the sum of G times the normalised rows.

        The question asks for the gradient with respect to x.
        """
        return (G * _parts(x, epsilon)[0]).reshape(-1, x.shape[-1]).sum(0)

    def of_rms_norm(x, gain, G, epsilon=1e-5):
        """You derived another normalisation, RMSNorm, which does not subtract the mean.

        Write down the forward pass first, with mean and variance.
        """
        r = torch.sqrt(_mean(x * x) + epsilon)
        g, z = gain * G, x / r
        return (g - z * _mean(g * z)) / r

    def G_normalised(x, gain, G, epsilon=1e-5):
        """You normalised G. The backward pass is another function than the forward pass.

        Which derivative does each number of the output have with respect to each number of x?
        """
        return gain * _parts(G, epsilon)[0]

    def forward_pass(x, gain, G, epsilon=1e-5):
        """You returned the normalised rows, times the gain. G does not occur in it.

        The question asks for a gradient: how much does the loss change with each number of x?
        """
        return gain * _parts(x, epsilon)[0]

    def mean_of_the_second_term(x, gain, G, epsilon=1e-5):
        """Your second term is the mean of g · z². The second z belongs *outside* the mean.

        How much the root changes depends on which number of the row is changed. What comes back
        from the outputs is one number for the row.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + _mean(g * z * z))

    def square_times_the_first_mean(x, gain, G, epsilon=1e-5):
        """Your second term is z² times the mean of g. One z belongs inside the mean.

        The root divides each output in proportion to its own z.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + z * z * _mean(g))

    def gain_three_times(x, gain, G, epsilon=1e-5):
        """Both factors z of your second term carry a gain of their own.

        The gain is in g already. The root divides z, before the gain.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + gain * z * _mean(g * gain * z))

    def gain_at_both_ends(x, gain, G, epsilon=1e-5):
        """You multiplied by the gain twice: G at the start, and the result once more at the end.

        The output contains the gain once. Where does G meet it?
        """
        return gain * correct(x, gain, G, epsilon)

    def gain_missing_in_the_second_term(x, gain, G, epsilon=1e-5):
        """The mean in your second term uses G itself, without the gain.

        All three terms contain the gradient of the normalised row, gain · G.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + z * _mean(G * z))

    def gain_missing_in_the_first_mean(x, gain, G, epsilon=1e-5):
        """The mean that you subtract first is that of G itself, without the gain.

        All three terms contain the gradient of the normalised row, gain · G.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(G) + z * _mean(g * z))

    def gain_missing_in_the_direct_path(x, gain, G, epsilon=1e-5):
        """Your two means contain the gain, but the direct path is G over the root, without it.

        All three terms contain the gradient of the normalised row, gain · G.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: g - G + _mean(g) + z * _mean(g * z))

    def means_over_dimension_0(x, gain, G, epsilon=1e-5):
        """Your two means run along dimension 0, so different rows change each other.

        Each row has its own mean and variance. Count the dimension from the end.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: g.mean(0) + z * (g * z).mean(0))

    def unbiased_in_both(x, gain, G, epsilon=1e-5):
        """You divided by d − 1 both in the variance and in the second mean. The forward pass
        divides by d.

        This is what `torch.var` does unless you tell it otherwise.
        """
        centred = x - _mean(x)
        r = torch.sqrt(x.var(-1, keepdim=True) + epsilon)
        g, z = gain * G, centred / r
        return (g - _mean(g) - z * (g * z).sum(-1, keepdim=True) / (x.shape[-1] - 1)) / r

    def of_the_softmax(x, gain, G, epsilon=1e-5):
        """You used the gradient of a softmax, with z in the place of the probabilities.

        Derive this one from its own forward pass: z = (x − mean) / root.
        """
        z, r = _parts(x, epsilon)
        g = gain * G
        return z * (g - (g * z).sum(-1, keepdim=True)) / r

    def of_the_softmax_not_divided(x, gain, G, epsilon=1e-5):
        """You used the gradient of a softmax, with z in the place of the probabilities, and no
        root.

        Derive this one from its own forward pass: z = (x − mean) / root.
        """
        z, _ = _parts(x, epsilon)
        g = gain * G
        return z * (g - (g * z).sum(-1, keepdim=True))

    def mean_alone_and_no_root(x, gain, G, epsilon=1e-5):
        """Your gain stands outside the mean, and the path through the variance is missing.

        Multiply G by the gain first. Which path does the root add?
        """
        return gain * (G - _mean(G)) / _parts(x, epsilon)[1]

    def gradient_times_the_mean_square(x, gain, G, epsilon=1e-5):
        """Your second term is g times the mean of z². g and one z belong inside the mean.

        What comes back to the root is one number for the row, a mean over g · z.
        """
        return _varied(x, gain, G, epsilon, lambda g, z: _mean(g) + g * _mean(z * z))


class Right:
    """Right answers, written differently."""

    def over_d_times_the_root(x, gain, G, epsilon=1e-5):
        """One fraction, with sums."""
        d = x.shape[-1]
        mu = x.mean(-1, keepdim=True)
        var = ((x - mu) ** 2).mean(-1, keepdim=True)
        z = (x - mu) / (var + epsilon) ** 0.5
        g = G * gain
        total = d * g - g.sum(-1, keepdim=True) - z * (g * z).sum(-1, keepdim=True)
        return total / (d * (var + epsilon) ** 0.5)

    def path_by_path(x, gain, G, epsilon=1e-5):
        """Through the numerator, the variance and the mean."""
        d = x.shape[-1]
        centred = x - x.mean(-1, keepdim=True)
        inverse = ((centred**2).sum(-1, keepdim=True) / d + epsilon).rsqrt()
        of_z = gain * G
        of_variance = (of_z * centred).sum(-1, keepdim=True) * -0.5 * inverse**3
        of_mean = -(of_z * inverse).sum(-1, keepdim=True)
        return of_z * inverse + of_variance * 2 * centred / d + of_mean / d

    def with_the_jacobian(x, gain, G, epsilon=1e-5):
        """Fills the matrix of all derivatives of a row, and multiplies."""
        d = x.shape[-1]
        variance = x.var(-1, correction=0)
        r = torch.sqrt(variance + epsilon)[..., None, None]
        z = (x - x.mean(-1, keepdim=True)) / r[..., 0]
        J = (torch.eye(d, dtype=x.dtype) - 1 / d - z[..., :, None] * z[..., None, :] / d) / r
        return ((gain * G)[..., None, :] @ J)[..., 0, :]

    def row_by_row(x, gain, G, epsilon=1e-5):
        """A loop over rows and numbers."""
        if x.dim() > 1:
            pairs = zip(x, G, strict=True)
            return torch.stack([Right.row_by_row(row, gain, of, epsilon) for row, of in pairs])
        d, mean = len(x), x.mean()
        root = (((x - mean) ** 2).sum() / d + epsilon) ** 0.5
        found = []
        for i in range(d):
            total = x.new_zeros(())
            for j in range(d):
                own = 1.0 if i == j else 0.0
                through = (x[i] - mean) * (x[j] - mean) / (d * root**2)
                total = total + G[j] * gain[j] * (own - 1 / d - through) / root
            found.append(total)
        return torch.stack(found)

    def by_projections(x, gain, G, epsilon=1e-5):
        """Takes the part along the row of ones out of g, then the part along z."""
        d = x.shape[-1]
        variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
        r = (variance + epsilon).sqrt()
        g = G * gain
        g = g - g.mean(-1, keepdim=True)
        centred = x - mean
        along = torch.einsum("...d,...d->...", g, centred)[..., None]
        return g / r - centred * along / (d * r**3)


EXERCISE = Exercise(
    id="layer_norm_gradient",
    oracle=correct,
    hint="Let g = gain · G, and let z be the normalised row. A number of x reaches the output on "
    "three paths: directly, through the mean, and through the root. Write one term for each, and "
    "check that a row of the gradient sums to 0.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("each row of the gradient sums to 0", _sums_to_0),),
    forbids=("gradients",),
)
