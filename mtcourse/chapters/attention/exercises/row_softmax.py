"""The exercise ``row_softmax``: weights that sum to 1, of scores of any size (A07, B09; ch. 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
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


def _shares(e, dim=-1):
    """Exponentials divided by their sum."""
    return e / e.sum(dim=dim, keepdim=True)


def _shifted(scores):
    """Exponentials of the scores less the largest of their row."""
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()


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

        Any number that is the same for a whole row cancels in the fraction. Which one makes every
        exponent at most 0?
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

    def mean_subtracted(scores):
        """You subtract the mean of each row, so a score far above it still overflows.

        Any number that is the same for a whole row cancels in the fraction. Which one makes every
        exponent at most 0?
        """
        return _shares((scores - scores.mean(dim=-1, keepdim=True)).exp())

    def mean_of_all_subtracted(scores):
        """You subtract the mean of the whole tensor. Scores far above it still overflow, and in a
        row far below it every exponential becomes 0.

        Which number makes every exponent of a row at most 0, and one of them exactly 0?
        """
        return _shares((scores - scores.mean()).exp())

    def largest_size_subtracted(scores):
        """You subtract the largest *absolute* value of each row. In a row far below 0, every
        exponential becomes 0.

        In a row of scores around -1000, which one is the largest?
        """
        return _shares((scores - scores.abs().amax(dim=-1, keepdim=True)).exp())

    def largest_added(scores):
        """You add the maximum of each row instead of subtracting it.

        The largest exponent should become 0.
        """
        return _shares((scores + scores.amax(dim=-1, keepdim=True)).exp())

    def first_score_subtracted(scores):
        """You subtract the first score of each row, so a larger one may still overflow.

        Which score of a row makes every exponent at most 0?
        """
        return _shares((scores - scores[..., :1]).exp())

    def always_1000_subtracted(scores):
        """You subtract the same large number everywhere, such as 1000. In a row far below it, every
        exponential becomes 0.

        Each row needs a number of its own.
        """
        return _shares((scores - 1000).exp())

    def sometimes_1000_subtracted(scores):
        """If any score is large, you subtract the same number, such as 1000, from all of them. In a
        row far below it, every exponential becomes 0.

        Each row needs a number of its own.
        """
        return _shares((scores - 1000).exp() if scores.max() > 80 else scores.exp())

    def one_maximum_for_a_matrix(scores):
        """You subtract the maximum of each matrix. In a row far below it, all exponentials
        become 0.

        Each row needs its own maximum.
        """
        return _shares((scores - scores.amax(dim=(-2, -1), keepdim=True)).exp())

    def cut_off_at_80(scores):
        """You limit the scores to a range before the exponential. All scores above it become equal,
        and so do all below it.

        1000 and 999 should not get the same weight. What can you *subtract* from a row?
        """
        return _shares(scores.clamp(-80, 80).exp())

    def cut_off_at_10(scores):
        """You limit the scores to a small range, such as -10 to 10. All scores above it become
        equal, and so do all below it.

        100 and 101 should not get the same weight. What can you *subtract* from a row?
        """
        return _shares(scores.clamp(-10, 10).exp())

    def cut_off_above(scores):
        """You set scores above a limit to that limit, so they become equal. And a row around -1000
        becomes 0/0.

        1000 and 999 should not get the same weight. What can you *subtract* from a row?
        """
        return _shares(scores.clamp(max=80).exp())

    def exponentials_cut_off(scores):
        """You replace infinite exponentials by a very large number, so their scores count as equal.

        Subtract something *before* the exponential, so that none becomes infinite.
        """
        e = scores.exp()
        return _shares(e.clamp(max=torch.finfo(e.dtype).max / 100))

    def nan_replaced(scores):
        """Exponentials overflow, and you replace NaN by 0: large scores get no weight at all.

        The largest score should have the largest weight. Avoid infinity in the first place.
        """
        return torch.nan_to_num(_shares(scores.exp()))

    def never_divided_by_0(scores):
        """Exponentials overflow or all become 0, and a small number added to the sum does not
        help.

        A row around -1000 has weights that sum to 1, too. What can you subtract from a row?
        """
        e = scores.exp()
        return e / (e.sum(dim=-1, keepdim=True) + 1e-9)

    def small_number_in_the_divisor(scores):
        """You add a number to the sum, so a row of weights sums to less than 1.

        After subtracting the maximum, how large is the sum at least? Can it be 0?
        """
        e = _shifted(scores)
        return e / (e.sum(dim=-1, keepdim=True) + 1)

    def in_double_precision_alone(scores):
        """You compute with 64 bits: at a score of 1000 this overflows, too.

        e to the power of 1000 has 435 digits. What can you subtract from a row?
        """
        return _shares(scores.double().exp()).to(scores.dtype)

    def overflows_and_divides_twice(scores):
        """Exponentials overflow before you divide by them, and where one weight of a row is NaN,
        all of them are.

        Infinity over infinity is NaN. Which number can you subtract from the *scores* of a row?
        """
        e = scores.exp()
        return _shares(e / e.amax(dim=-1, keepdim=True))

    def divided_by_the_largest(scores):
        """The largest weight of each of your rows is 1, and the other weights come on top of it.

        The weights of a row should sum to 1. By what must the exponentials be divided?
        """
        return _shifted(scores)

    def scores_divided_by_the_largest(scores):
        """You divide the scores of each row by their largest absolute value, and this changes the
        weights.

        Only a number that is *subtracted* from a whole row cancels in the fraction.
        """
        return _shares((scores / scores.abs().amax(dim=-1, keepdim=True)).exp())

    def scores_divided_by_the_maximum(scores):
        """You divide the scores of each row by their maximum, and this changes the weights.

        Only a number that is *subtracted* from a whole row cancels in the fraction.
        """
        return _shares((scores / scores.amax(dim=-1, keepdim=True)).exp())

    def standardized(scores):
        """You divide the scores of each row by their standard deviation, and this changes the
        weights.

        Only a number that is *subtracted* from a whole row cancels in the fraction.
        """
        s = scores - scores.mean(dim=-1, keepdim=True)
        return _shares((s / (s.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()).exp())

    def divided_by_the_sum_of_all(scores):
        """You divide by the sum over the whole tensor, though you subtract the maxima of rows.

        Each row has its own sum. Along which dimension?
        """
        e = _shifted(scores)
        return e / e.sum()

    def divided_by_the_sums_of_columns(scores):
        """You divide by the sums of columns, though you subtract the maxima of rows.

        Each row has its own sum. Along which dimension?
        """
        return _shares(_shifted(scores), dim=-2)

    def over_dimension_1(scores):
        """You work along dimension 1. For one sentence that is the keys, but for a batch with heads
        it is the heads.

        Count from the right: the keys are always the last dimension, -1.
        """
        return torch.softmax(scores, dim=1)

    def over_dimension_0(scores):
        """You work along dimension 0: the queries of one sentence, or the sentences of a batch.

        Count from the right: the keys are always the last dimension, -1.
        """
        return torch.softmax(scores, dim=0)

    def by_the_euclidean_norm(scores):
        """You divide by the Euclidean norm of the exponentials, so their *squares* sum to 1.

        The weights themselves should sum to 1.
        """
        return torch.nn.functional.normalize(_shifted(scores), dim=-1)

    def by_the_mean(scores):
        """You divide by the mean of the exponentials, so each row sums to the number of keys.

        Each row should sum to 1.
        """
        e = _shifted(scores)
        return e / e.mean(dim=-1, keepdim=True)

    def shares_of_scores_above_the_smallest(scores):
        """You subtract the smallest score and divide by the sum, without an exponential.

        A score that is larger by ln 2 should get twice the weight.
        """
        shifted = scores - scores.amin(dim=-1, keepdim=True)
        return shifted / shifted.sum(dim=-1, keepdim=True)

    def shares_of_sizes(scores):
        """You divide the absolute values of the scores by their sum, without an exponential.

        A score of -3 should get less weight than one of 2.
        """
        return _shares(scores.abs())

    def shares_of_squares(scores):
        """You divide the squares of the scores by their sum, without an exponential.

        A score of -3 should get less weight than one of 2.
        """
        return _shares(scores.square())

    def negative_scores_dropped(scores):
        """You set negative scores to 0 and divide by the sum.

        An exponential makes every score positive, and the larger of two scores stays the larger.
        """
        return _shares(scores.relu())

    def sign_turned(scores):
        """The smallest score gets the largest weight: a sign is wrong.

        Did you subtract the scores from the maximum, and not the maximum from the scores?
        """
        return torch.softmax(-scores, dim=-1)

    def powers_of_ten(scores):
        """You used powers of 10. The softmax uses powers of e.

        A score that is larger by ln 2 should get twice the weight.
        """
        return torch.softmax(scores * math.log(10), dim=-1)

    def sigmoids(scores):
        """You return the sigmoid of each score by itself, so rows do not sum to 1.

        The keys of a row share a weight of 1.
        """
        return torch.sigmoid(scores)

    def best_key_alone(scores):
        """You give all weight to the largest score.

        Every key gets a weight, one that depends on its exponential.
        """
        return torch.zeros_like(scores).scatter(-1, scores.argmax(-1, keepdim=True), 1.0)

    def softmax_twice(scores):
        """You take the softmax of the weights once more, which makes them nearly equal.

        One division by the sum is enough.
        """
        return torch.softmax(torch.softmax(scores, dim=-1), dim=-1)

    def rounded(scores):
        """You round the weights.

        Leave them as they are computed: rounded weights have no gradient.
        """
        return torch.round(torch.softmax(scores, dim=-1), decimals=2)


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
        """Subtracts the logarithm of the sum; loses digits where scores are large."""
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
    forbids=("softmax",),
)
