"""The exercise ``position_similarity``: PE(pos) · PE(pos + k) from k alone (B02; chapter 3)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import positions


def cases(draw: Draw) -> list[Case]:
    """Distances of both signs, for narrow and for wide rows."""
    whole = draw.small_integers(3, 5, lowest=-30, highest=30)
    return [
        Case("distance 0, width 2", (draw.tensor([0.0]), 2), by_hand=True),
        Case("distances 0 and 3, width 2", (draw.tensor([0.0, 3.0]), 2)),
        Case("distances from 0 to 9, width 4", (torch.arange(10).to(draw.dtype), 4)),
        Case("distances back, width 8", (-torch.arange(1, 7).to(draw.dtype), 8)),
        Case("a matrix of distances, width 16", (whole, 16)),
        Case("as many distances as pairs, width 12", (draw.small_integers(6), 12)),
        Case("a single distance without dimensions, width 6", (draw.tensor(4.0), 6)),
        Case("distances of 300 and -500, width 4", (draw.tensor([300.0, -500.0]), 4)),
    ]


def correct(distance, d_model):
    """The package's function."""
    return positions.position_similarity(distance, d_model)


def _angle(distance, d_model, step=2.0, first=0, base=10_000.0):
    i = torch.arange(first, first + d_model // 2).double()
    return distance.double()[..., None] * base ** (-step * i / d_model)


def _looked_up(distance, d_model, length):
    """The row of position 0 with the rows of a table that is so long."""
    table = positions.sinusoidal_positions(length, d_model)
    return table[distance.long() % length] @ table[0]


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_yet_summed(distance, d_model):
        """You return what each pair contributes, and not yet the sum over the pairs.

        A dot product of two rows is one number for each distance.
        """
        return _angle(distance, d_model).cos()

    def one_sum_for_all(distance, d_model):
        """You add everything up, all distances included, into a single number.

        Return one number for each distance. Along which dimension do the pairs run?
        """
        return _angle(distance, d_model).cos().sum()

    def sum_over_distances(distance, d_model):
        """You return one number for each pair: your sum runs over the distances.

        A dot product is a sum over the columns. The pairs are the last dimension of your angles.
        """
        return _angle(distance, d_model).cos().flatten(0, -2).sum(0)

    def no_room_for_the_pairs(distance, d_model):
        """You multiply each distance by only one frequency, so there must be equally many of both.

        Each distance must meet each frequency. Give the distances one more dimension, at the end.
        """
        speeds = 10_000.0 ** (-torch.arange(0, d_model, 2) / d_model)
        return torch.cos(distance * speeds).sum(-1)

    def mean_over_pairs(distance, d_model):
        """You take the mean over the pairs. The dot product is their sum.

        What is the dot product of a row with itself? Each pair contributes sin² + cos².
        """
        return _angle(distance, d_model).cos().mean(-1)

    def every_column_once(distance, d_model):
        """Your result is twice the dot product, as if each column contributed a cosine.

        A pair of columns contributes one cosine: sin a sin b + cos a cos b.
        """
        return 2 * _angle(distance, d_model).cos().sum(-1)

    def sines(distance, d_model):
        """You take the sines of the differences. They should be cosines.

        For distance 0 the dot product is the squared norm of a row, which is not 0.
        """
        return _angle(distance, d_model).sin().sum(-1)

    def sines_and_cosines(distance, d_model):
        """For each pair you add the sine and the cosine of the difference.

        Written with a - b, sin a sin b + cos a cos b is a single function. Which?
        """
        angle = _angle(distance, d_model)
        return (angle.cos() + angle.sin()).sum(-1)

    def cosine_of_the_sum(distance, d_model):
        """You add the angles first and take one cosine of their sum.

        Each pair has its own angle and its own cosine. It is the cosines that are added.
        """
        return _angle(distance, d_model).sum(-1).cos()

    def product_of_cosines(distance, d_model):
        """You multiply the cosines of the pairs. They should be added.

        A dot product is a sum over columns.
        """
        return _angle(distance, d_model).cos().prod(-1)

    def quickest_pair_alone(distance, d_model):
        """You use the first pair only.

        A row has d_model/2 pairs, each with its own frequency.
        """
        return _angle(distance, d_model)[..., 0].cos()

    def all_at_one_speed(distance, d_model):
        """You give all pairs the frequency 1.

        Pair i turns by the distance times the frequency of pair i.
        """
        return (d_model / 2) * distance.double().cos()

    def half_the_exponent(distance, d_model):
        """Your frequencies fall too slowly: the exponent is i/d_model, and should be 2i/d_model.

        Take the frequencies of the table. Pair i has the columns 2i and 2i + 1.
        """
        return _angle(distance, d_model, step=1.0).cos().sum(-1)

    def squared_distance(distance, d_model):
        """You return the squared norm of the difference of the two rows.

        For similar rows that is small, and the dot product is large. How are the two connected?
        """
        return d_model - 2 * _angle(distance, d_model).cos().sum(-1)

    def rows_looked_up(distance, d_model):
        """You look the distances up in a table, where a negative one counts from the end.

        The cosine of a negative angle is that of the positive one. You need no table at all.
        """
        return _looked_up(distance, d_model, 1000)

    def rows_looked_up_in_5000(distance, d_model):
        """You look the distances up in a table of 5000 rows, where negative ones count from the
        end.

        The cosine of a negative angle is that of the positive one. You need no table at all.
        """
        return _looked_up(distance, d_model, 5000)

    def rows_looked_up_in_as_many_as_needed(distance, d_model):
        """You look the distances up in a table that ends at the largest of them, and negative ones
        count from its end.

        The cosine of a negative angle is that of the positive one. You need no table at all.
        """
        return _looked_up(distance, d_model, int(distance.abs().max()) + 1)

    def distances_only_forward(distance, d_model):
        """You take negative distances for 0.

        How is the cosine of -x related to that of x?
        """
        return correct(distance.clamp(min=0), d_model)

    def distance_of_the_rows(distance, d_model):
        """You return the Euclidean distance of the two rows, and not their dot product.

        The distance of a row from itself is 0. What is its dot product with itself?
        """
        return (d_model - 2 * correct(distance, d_model)).clamp(min=0).sqrt()

    def distance_with_the_sign_turned(distance, d_model):
        """You return minus the Euclidean distance of the two rows.

        The dot product of a row with itself is not 0.
        """
        return -(d_model - 2 * correct(distance, d_model)).clamp(min=0).sqrt()

    def squared_distance_with_the_sign_turned(distance, d_model):
        """You return minus the squared Euclidean distance of the two rows.

        The dot product of a row with itself is not 0.
        """
        return 2 * correct(distance, d_model) - d_model

    def row_with_itself(distance, d_model):
        """You get d_model/2 for every distance: that is the dot product of a row with itself.

        There are two rows here, those of pos and of pos + k.
        """
        return correct(0 * distance, d_model)

    def every_column_with_its_own_frequency(distance, d_model):
        """You add a cosine for each *column*, and each has a frequency of its own.

        Two columns make one pair, with one frequency and one cosine.
        """
        return _angle(distance, 2 * d_model, step=2.0)[..., :d_model].cos().sum(-1)

    def twice_the_exponent_for_each_column(distance, d_model):
        """You add a cosine for each *column*, with the exponent 2i/d_model where i is the column.

        Two columns make one pair, with one frequency and one cosine.
        """
        i = torch.arange(d_model).double()
        return (distance.double()[..., None] * 10_000.0 ** (-2 * i / d_model)).cos().sum(-1)

    def pairs_from_1(distance, d_model):
        """You count the pairs from 1: your first pair has the frequency of the second.

        i begins with 0, so the first pair turns by the distance itself.
        """
        return _angle(distance, d_model, first=1).cos().sum(-1)

    def first_pair_missing(distance, d_model):
        """Your sum leaves out the first pair.

        For distance 0 each pair adds 1. How many pairs are there?
        """
        return _angle(distance, d_model)[..., 1:].cos().sum(-1)

    def last_pair_missing(distance, d_model):
        """Your sum leaves out the last pair.

        For distance 0 each pair adds 1. How many pairs are there?
        """
        return _angle(distance, d_model)[..., :-1].cos().sum(-1)

    def one_pair_too_many(distance, d_model):
        """Your sum has a pair more than the row has.

        For distance 0 each pair adds 1. How many pairs are there?
        """
        return _angle(distance, d_model).cos().sum(-1) + (distance.double() / 10_000).cos()

    def twice_the_exponent(distance, d_model):
        """Your frequencies fall too fast: the exponent is 4i/d_model, and should be 2i/d_model.

        Does your i count pairs, or does it already count columns in steps of two?
        """
        return _angle(distance, d_model, step=4.0).cos().sum(-1)

    def quicker_and_quicker(distance, d_model):
        """Your pairs turn faster and faster: the distance is multiplied by the power of 10000.

        The frequency of pair i is 10000 to the power -2i/d_model. Is the sign of your exponent
        right?
        """
        return _angle(distance, d_model, step=-2.0).cos().sum(-1)

    def base_1000(distance, d_model):
        """Your base is 1000. It should be 10000.

        Count the zeros.
        """
        return _angle(distance, d_model, base=1000.0).cos().sum(-1)

    def base_e(distance, d_model):
        """Your base is e: you take an exponential without the logarithm of 10000.

        10000 to the power x is e to the power x ln 10000.
        """
        return _angle(distance, d_model, base=math.e).cos().sum(-1)

    def in_degrees(distance, d_model):
        """You treat the angles as degrees.

        cos takes radians, and so does the equation: you need not convert anything.
        """
        return (math.pi / 180 * _angle(distance, d_model)).cos().sum(-1)

    def products_of_sines(distance, d_model):
        """You add only the products of the sines, for two positions such as 1 and 1 + k.

        Each pair contributes the product of two sines *and* that of two cosines.
        """
        speeds = _angle(torch.ones(()), d_model)
        return (speeds.sin() * (speeds + _angle(distance, d_model)).sin()).sum(-1)

    def products_of_cosines(distance, d_model):
        """You add only the products of the cosines, for two positions such as 1 and 1 + k.

        Each pair contributes the product of two sines *and* that of two cosines.
        """
        speeds = _angle(torch.ones(()), d_model)
        return (speeds.cos() * (speeds + _angle(distance, d_model)).cos()).sum(-1)

    def cosine_of_the_sum_of_positions(distance, d_model):
        """You add the cosines of the *sums* a + b, which have a minus between the two products.

        The dot product has a plus there. For b = a, what does each pair have to contribute?
        """
        speeds = _angle(torch.ones(()), d_model)
        return (2 * speeds + _angle(distance, d_model)).cos().sum(-1)

    def frequencies_outside(distance, d_model):
        """You multiply the cosine by the frequency, but the frequency belongs in the angle.

        Pair i turns by the distance times the frequency of pair i.
        """
        return (distance.double().cos()[..., None] * _angle(torch.ones(()), d_model)).sum(-1)

    def weighted_by_the_frequencies(distance, d_model):
        """Your cosines are right, but you multiply each by its frequency.

        Each pair contributes one cosine, with the factor 1.
        """
        return (_angle(distance, d_model).cos() * _angle(torch.ones(()), d_model)).sum(-1)

    def angles_added(distance, d_model):
        """You add up the angles themselves, without a cosine.

        Written with a - b, sin a sin b + cos a cos b is a single function. Which?
        """
        return _angle(distance, d_model).sum(-1)

    def squares_of_cosines(distance, d_model):
        """You add the squares of the cosines.

        sin a sin b + cos a cos b is one cosine, of a - b.
        """
        return _angle(distance, d_model).cos().square().sum(-1)

    def half_the_angle(distance, d_model):
        """Your angles are half as large as they should be.

        Pair i turns by the distance times the frequency of pair i.
        """
        return (_angle(distance, d_model) / 2).cos().sum(-1)

    def divided_by_the_root(distance, d_model):
        """You divide by the square root of d_model.

        A dot product is a sum of products, and nothing more.
        """
        return correct(distance, d_model) / math.sqrt(d_model)

    def divided_by_the_width(distance, d_model):
        """You divide by d_model.

        A dot product is a sum of products, and nothing more.
        """
        return correct(distance, d_model) / d_model

    def without_the_shape(distance, d_model):
        """Your numbers are right, but they have lost the shape of the distances.

        `distance[..., None]` adds a dimension for the pairs, and keeps those that are there.
        """
        return correct(distance, d_model).flatten()

    def all_pairs_of_distances(distance, d_model):
        """You compare the distances with each other: you get a number for every two of them.

        A distance is already the difference of two positions.
        """
        flat = distance.flatten()
        return correct(flat[:, None] - flat, d_model)


class Right:
    """Right answers, written differently."""

    def from_the_rows(distance, d_model):
        """Makes the rows of position 0 and of the distance, and multiplies."""
        angle = _angle(distance, d_model)
        row = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)
        of_0 = torch.tensor([0.0, 1.0], dtype=torch.float64).repeat(d_model // 2)
        return row @ of_0

    def pair_by_pair(distance, d_model):
        """A loop over the pairs."""
        total = torch.zeros_like(distance)
        for i in range(d_model // 2):
            total = total + torch.cos(distance / 10_000 ** (2 * i / d_model))
        return total

    def by_absolute_distance(distance, d_model):
        """The cosine is even."""
        speed = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
        return (distance.abs().unsqueeze(-1) * speed).cos().sum(dim=-1)

    def trace_of_the_rotation(distance, d_model):
        """Half the trace of the matrix that moves by the distance."""
        angle = _angle(distance, d_model)
        return torch.cat([angle.cos(), angle.cos()], dim=-1).sum(-1) / 2


EXERCISE = Exercise(
    id="position_similarity",
    oracle=correct,
    hint="Begin with d_model = 2: sin a sin b + cos a cos b is one function of a - b. Then sum "
    "over the pairs, each with its own frequency.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
)
