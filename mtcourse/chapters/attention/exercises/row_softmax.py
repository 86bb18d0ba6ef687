"""The exercise ``row_softmax``: weights that sum to 1, of scores of any size (A07, B09; ch. 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise, Rule
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Small scores, as many queries as keys, and scores whose exponentials no float can hold."""
    hand = draw.tensor([[0.0, 0.0, math.log(2)], [math.log(3), 0.0, 0.0]])
    far_apart = draw.normal(2, 4) + draw.tensor([[1000.0], [-1000.0]])
    wide = draw.tensor([[1000.0, 999.0, -1000.0], [-1000.0, 0.0, 1.0], [0.0, 500.0, 501.0]])
    return [
        Case("two rows of three scores", (hand,), by_hand=True),
        Case("a single score", (draw.normal(1, 1),)),
        Case("as many queries as keys", (draw.normal(4, 4),)),
        Case("3 queries and 5 keys", (draw.normal(3, 5),)),
        Case("2 sentences with 3 heads", (draw.normal(2, 3, 4, 5),)),
        Case("scores around 100", (100 + draw.normal(3, 4),)),
        Case("scores around 13 in half precision", ((13 + draw.normal(3, 4)).half(),)),
        Case("a row around 1000 and a row around -1000", (far_apart,)),
        Case("rows that reach from -1000 to 1000", (wide,)),
    ]


def correct(scores):
    """PyTorch's own."""
    return torch.softmax(scores, dim=-1)


def sums(case: Case, weights) -> bool:
    """Whether each row sums to 1, as far as its precision goes."""
    slack = 0.02 if weights.dtype == torch.float16 else 1e-3
    return bool(((weights.double().sum(-1) - 1).abs() < slack).all())


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_scores(scores):
        """The weights are right, but your function changes the caller's scores.

        `scores -= x` writes into the tensor that was passed in; `scores - x` makes a new one.
        """
        scores -= scores.amax(dim=-1, keepdim=True)
        return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)

    def nothing_to_learn_by(scores):
        """The weights are right, but no gradient flows back: a model could not learn through them.

        Autograd loses track where you overwrite a result that is still needed (`/=`, `-=`), detach
        a tensor, or copy its numbers into a new one.
        """
        return torch.softmax(scores, dim=-1).detach()

    def over_columns(scores):
        """You made each column sum to 1. Each row should.

        Row i belongs to query i, and a query divides its attention among the keys. Along which
        dimension do the keys lie?
        """
        return torch.softmax(scores, dim=-2)

    def over_each_matrix(scores):
        """You made all weights of a matrix together sum to 1. Each row should.

        Each query divides a weight of 1 among the keys. The sum runs along one dimension, not two.
        """
        shifted = (scores - scores.amax(dim=(-2, -1), keepdim=True)).exp()
        return shifted / shifted.sum(dim=(-2, -1), keepdim=True)

    def over_everything(scores):
        """You made all weights together sum to 1, over all rows, heads and sentences.

        `max()` and `sum()` without a dimension take the whole tensor. Name the dimension of the
        keys.
        """
        return torch.softmax(scores.flatten(), dim=0).view(scores.shape)

    def over_everything_and_overflows(scores):
        """You made all weights together sum to 1, over all rows, heads and sentences. And large
        scores overflow.

        A `sum()` without a dimension takes the whole tensor. Name the dimension of the keys. Then
        try a score of 1000.
        """
        e = scores.exp()
        return e / e.sum()

    def over_columns_and_overflows(scores):
        """You made each column sum to 1, where each row should. And large scores overflow.

        Row i belongs to query i. Along which dimension do the keys lie? Then try a score of 1000.
        """
        e = scores.exp()
        return e / e.sum(dim=-2, keepdim=True)

    def nothing_subtracted(scores):
        """Your formula is right, but the exponentials of large scores are too large for a float.

        They become infinite, and infinity over infinity is NaN. Which number can you subtract from
        a whole row without changing its weights?
        """
        e = scores.exp()
        return e / e.sum(dim=-1, keepdim=True)

    def largest_of_all(scores):
        """You subtracted the same maximum everywhere, that of the whole tensor.

        In a row far below it, every exponential is rounded to 0, and 0/0 is NaN. Each row needs its
        own maximum.
        """
        e = (scores - scores.max()).exp()
        return e / e.sum(dim=-1, keepdim=True)

    def largest_of_each_column(scores):
        """You subtracted the maximum of each column, and this changes the weights.

        Only a number that is the same for the whole row cancels in the fraction.
        """
        e = (scores - scores.amax(dim=-2, keepdim=True)).exp()
        return e / e.sum(dim=-1, keepdim=True)

    def smallest_subtracted(scores):
        """You subtracted the minimum of each row, so a large score may still overflow.

        Any number that is the same for a whole row will do. Which one makes every exponent at most
        0?
        """
        e = (scores - scores.amin(dim=-1, keepdim=True)).exp()
        return e / e.sum(dim=-1, keepdim=True)

    def no_exponential(scores):
        """You divided the scores themselves by their sum, without an exponential.

        Scores may be negative, but weights may not. What makes every number positive?
        """
        return scores / scores.sum(dim=-1, keepdim=True)

    def powers_of_two(scores):
        """You used powers of 2. The softmax uses powers of e.

        A score that is larger by ln 2 should get twice the weight. How much more does yours give
        it?
        """
        e = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
        return e / e.sum(dim=-1, keepdim=True)

    def logarithms(scores):
        """You returned the logarithms of the weights.

        A weight lies between 0 and 1. One exponential is missing, or one logarithm is too many.
        """
        return torch.log_softmax(scores, dim=-1)

    def not_shared_out(scores):
        """You returned the exponentials, not yet divided by their sum.

        What makes each row sum to 1?
        """
        return scores.exp()

    def sum_lost_its_dimension(scores):
        """The sums of your rows have lost their last dimension, so PyTorch matches them with
        columns or raises an error.

        For scores (m, n), `sum(dim=-1)` has the shape (m,). With `keepdim=True` it has (m, 1).
        """
        e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        return e / e.sum(dim=-1)

    def maximum_lost_its_dimension(scores):
        """The maxima of your rows have lost their last dimension, so PyTorch matches them with
        columns or raises an error.

        For scores (m, n), `amax(dim=-1)` has the shape (m,). With `keepdim=True` it has (m, 1).
        """
        e = (scores - scores.amax(dim=-1)).exp()
        return e / e.sum(dim=-1, keepdim=True)

    def both_lost_their_dimension(scores):
        """Your maxima and sums have lost their last dimension, so PyTorch matches them with columns
        or raises an error.

        With `keepdim=True` both have the shape (m, 1), a number for each row.
        """
        e = (scores - scores.amax(dim=-1)).exp()
        return e / e.sum(dim=-1)

    def bare_sum_lost_its_dimension(scores):
        """The sums of your rows have lost their last dimension. And large scores overflow.

        Print the shapes of the exponentials and of their sum; `keepdim=True` keeps a size of 1.
        Then try a score of 1000.
        """
        e = scores.exp()
        return e / e.sum(dim=-1)


class Right:
    """Right answers, written differently."""

    def with_maximum_and_sum(scores):
        """Subtracts the maximum of each row."""
        e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
        return e / e.sum(dim=-1, keepdim=True)

    def one_row_at_a_time(scores):
        """Loops over rows."""
        rows = [(row - row.max()).exp() for row in scores.reshape(-1, scores.shape[-1])]
        return torch.stack([row / row.sum() for row in rows]).reshape(scores.shape)

    def by_logarithms(scores):
        """Subtracts the logarithm of the sum from the scores; loses digits where scores are large.
        """
        top = scores.amax(-1, keepdim=True)
        log_of_sum = top + (scores - top).exp().sum(-1, keepdim=True).log()
        return (scores - log_of_sum).exp()

    def with_powers_of_e(scores):
        """Writes the exponential as a power, and broadcasts by indexing."""
        e = math.e ** (scores - scores.amax(-1)[..., None])
        return e * e.sum(-1)[..., None] ** -1

    def in_double_precision(scores):
        """Computes with more digits than it was given; the maximum is a constant to autograd."""
        s = scores.double()
        e = (s - s.detach().amax(-1, keepdim=True)).exp()
        return (e / e.sum(-1, keepdim=True)).to(scores.dtype)


EXERCISE = Exercise(
    id="row_softmax",
    oracle=correct,
    hint="Take one row. Make each score positive with an exponential, divide by the sum of that "
    "row, and see what happens when every score is larger by 1000.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("each row of weights sums to 1", sums),),
    gradients=True,
    tolerance=1e-4,
    forbids=("softmax", "log_softmax", "softmin", "logsumexp"),
)
