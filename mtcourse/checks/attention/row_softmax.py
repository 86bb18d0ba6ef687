"""The exercise ``row_softmax``: weights that sum to 1, of scores of any size (A07, B09; ch. 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Small scores, square ones, and scores whose exponentials no float can hold."""
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
    """Torch's own."""
    return torch.softmax(scores, dim=-1)


def sums(case: Case, weights) -> bool:
    """Whether each row sums to 1, as far as its precision goes."""
    slack = 0.02 if weights.dtype == torch.float16 else 1e-3
    return bool(((weights.double().sum(-1) - 1).abs() < slack).all())


# --- wrong ---------------------------------------------------------------------------------------


def changes_scores(scores):
    """The weights are right, but the caller's scores were changed on the way.

    `scores -= x` writes into the tensor that was passed in; `scores - x` makes a new one.
    """
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


def nothing_to_learn_by(scores):
    """The weights are right, but no gradient flows back: nothing could be learnt through them.

    Autograd loses its way where a result that it still needs is overwritten (`/=`, `-=`), and where
    numbers are detached or copied into something new.
    """
    return torch.softmax(scores, dim=-1).detach()


def over_columns(scores):
    """Each column sums to 1, where each row should.

    Row i belongs to query i, and a query shares out its attention among the keys. Along which
    dimension do the keys lie?
    """
    return torch.softmax(scores, dim=-2)


def over_each_matrix(scores):
    """All weights of a matrix together sum to 1. So the rows share one 1 among them.

    Each query has a 1 of its own to share out. The sum runs along one dimension, not two.
    """
    shifted = (scores - scores.amax(dim=(-2, -1), keepdim=True)).exp()
    return shifted / shifted.sum(dim=(-2, -1), keepdim=True)


def over_everything(scores):
    """All weights together sum to 1, over all rows, heads and sentences.

    `max()` and `sum()` without a dimension take the whole tensor. Name the one of the keys.
    """
    return torch.softmax(scores.flatten(), dim=0).view(scores.shape)


def over_everything_and_overflows(scores):
    """All weights together sum to 1, over all rows, heads and sentences; and large scores overflow.

    A `sum()` without a dimension takes the whole tensor. Name the one of the keys. After that,
    think of a score of 1000.
    """
    e = scores.exp()
    return e / e.sum()


def over_columns_and_overflows(scores):
    """Each column sums to 1, where each row should; and large scores overflow.

    Row i belongs to query i. Along which dimension do the keys lie? After that, think of a score
    of 1000.
    """
    e = scores.exp()
    return e / e.sum(dim=-2, keepdim=True)


def nothing_subtracted(scores):
    """The formula is right, but exponentials of large scores are too large for a float.

    They become infinity, and infinity over infinity is NaN. Which number can you take from a whole
    row without changing its weights?
    """
    e = scores.exp()
    return e / e.sum(dim=-1, keepdim=True)


def largest_of_all(scores):
    """The same maximum is subtracted everywhere, that of the whole tensor.

    In a row that lies far below it, every exponential is rounded to 0, and 0/0 is NaN. Each row
    needs a maximum of its own.
    """
    e = (scores - scores.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)


def largest_of_each_column(scores):
    """The maximum of each column is subtracted, and that changes the weights.

    Only a number that is the same for the whole row drops out of the fraction.
    """
    e = (scores - scores.amax(dim=-2, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def smallest_subtracted(scores):
    """The minimum of each row is subtracted, and a large score may still overflow.

    Any number that is the same for a whole row will do. Which one makes every exponent at most 0?
    """
    e = (scores - scores.amin(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def no_exponential(scores):
    """The scores themselves are divided by their sum, without an exponential.

    Scores may be negative, and weights may not. What makes every number positive?
    """
    return scores / scores.sum(dim=-1, keepdim=True)


def powers_of_two(scores):
    """These are powers of 2, where powers of e are asked for.

    A score that is larger by ln 2 should have twice the weight. What has yours?
    """
    e = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def logarithms(scores):
    """These are the logarithms of the weights.

    A weight lies between 0 and 1. One exponential is missing, or one logarithm is too many.
    """
    return torch.log_softmax(scores, dim=-1)


def not_shared_out(scores):
    """These are the exponentials, not yet divided by their sum.

    What makes each row sum to 1?
    """
    return scores.exp()


def sum_lost_its_dimension(scores):
    """The sum of the rows has lost its last dimension. Now it divides columns, or does not fit.

    `sum(dim=-1)` of shape (m, n) is (m,). With `keepdim=True` it is (m, 1), a number for each row.
    """
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)


def maximum_lost_its_dimension(scores):
    """The maximum of the rows has lost its last dimension. It is taken from columns, or cannot be.

    `amax(dim=-1)` of shape (m, n) is (m,). With `keepdim=True` it is (m, 1), a number for each row.
    """
    e = (scores - scores.amax(dim=-1)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def both_lost_their_dimension(scores):
    """Maximum and sum have lost their last dimension. They apply to columns, or do not fit.

    With `keepdim=True` both have the shape (m, 1), a number for each row.
    """
    e = (scores - scores.amax(dim=-1)).exp()
    return e / e.sum(dim=-1)


def bare_sum_lost_its_dimension(scores):
    """The sum of the rows has lost its last dimension, and large scores overflow.

    Print the shapes of the exponentials and of their sum; `keepdim=True` keeps a size of 1. After
    that, think of a score of 1000.
    """
    e = scores.exp()
    return e / e.sum(dim=-1)


# --- right ---------------------------------------------------------------------------------------


def with_maximum_and_sum(scores):
    """Takes the maximum of each row from it."""
    e = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def one_row_at_a_time(scores):
    """Loops over rows."""
    rows = [(row - row.max()).exp() for row in scores.reshape(-1, scores.shape[-1])]
    return torch.stack([row / row.sum() for row in rows]).reshape(scores.shape)


def by_logarithms(scores):
    """Takes the logarithm of the sum from the scores; loses digits where scores are large."""
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
    misconceptions=(
        changes_scores,
        nothing_to_learn_by,
        over_columns,
        over_each_matrix,
        over_everything,
        over_everything_and_overflows,
        over_columns_and_overflows,
        nothing_subtracted,
        largest_of_all,
        largest_of_each_column,
        smallest_subtracted,
        no_exponential,
        powers_of_two,
        logarithms,
        not_shared_out,
        sum_lost_its_dimension,
        maximum_lost_its_dimension,
        both_lost_their_dimension,
        bare_sum_lost_its_dimension,
    ),
    right=(
        with_maximum_and_sum,
        one_row_at_a_time,
        by_logarithms,
        with_powers_of_e,
        in_double_precision,
    ),
    cases=cases,
    rules=(Rule("each row of weights sums to 1", sums),),
    gradients=True,
    tolerance=1e-4,
    forbids=("softmax", "log_softmax", "softmin", "logsumexp"),
)
