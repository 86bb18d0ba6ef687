"""The exercise ``position_similarity``: PE(pos) · PE(pos + k) from k alone (B02; chapter 03)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
    ]


def correct(distance, d_model):
    """The package's function."""
    return positions.position_similarity(distance, d_model)


def _angle(distance, d_model, step=2.0):
    i = torch.arange(d_model // 2).double()
    return distance.double()[..., None] * 10_000.0 ** (-step * i / d_model)


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
        """You multiply each distance by only one frequency, so you need equally many of both.

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
        """Your result is twice the dot product: you count a cosine for each column.

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
