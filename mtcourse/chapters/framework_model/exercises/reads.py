"""The exercise ``reads``: which words a row of predictions has read, by experiment (A20, C08)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

ROUNDING = 1e-3


def cases(draw: Draw) -> list[Case]:
    """Rows that read up to their word, up to the one before, all, none, and some at random."""

    def case(name, m, V, moved):
        return Case(name, _logits(draw, m, V, moved))

    ones = torch.ones(4, 4, dtype=torch.bool)
    shared = math.log(math.cosh(1.0))
    return [
        case("rows that read up to their own word", 4, 5, ones.tril()),
        case("rows that read up to the word before", 4, 5, ones.tril(-1)),
        case("rows that read everything", 4, 3, ones),
        case("rows that read nothing", 4, 3, ~ones),
        case("rows that read their own word alone", 4, 6, ones.tril() & ones.triu()),
        case("five words", 5, 4, draw.booleans(5, 5)),
        Case("rows in which two words change places", _two_words(draw, 4, 6, -1.0, 1.0)),
        Case("rows in which two words come to share", _two_words(draw, 4, 6, shared, shared)),
        case("a single word", 1, 4, ones[:1, :1]),
        Case("400 words, of which a rare one moves", _one_word(draw, 400, -8.0)),
        Case("a word that has half of the weight moves", _one_word(draw, 4, math.log(3))),
        Case("400 words that move by less than a thousandth each", _many_words(draw)),
    ]


_MOVES = [
    [0.0005, 0.002, 0.0002, -0.05],
    [0.0015, -0.002, -0.0005, 0.005],
    [-0.05, 0.0002, 0.02, 0.0005],
    [0.6, -1.2, 0.0002, -0.0015],
]
"""By how much the logit of word 2 moves in row j, when word k is replaced."""


def _one_word(draw: Draw, V: int, height: float):
    """The moves of one word's logit. All others stay, but for a constant of some rows."""
    m = len(_MOVES)
    before = torch.zeros(m, V, dtype=draw.dtype)
    before[:, 2] = height
    after = before.repeat(m, 1, 1)
    after[..., 2] += draw.tensor(_MOVES).T
    after[1] += 2.0
    return before, after


def _many_words(draw: Draw):
    """Every word of some rows moves by 0.0004, half of them up, half of them down."""
    signs = torch.ones(400, dtype=draw.dtype)
    signs[::2] = -1.0
    before = 0.5 * signs.roll(7).repeat(3, 1)
    after = before.repeat(3, 1, 1) + 4e-4 * signs
    after[0, 2, 5] += 0.004
    after[1, 0] = before[0]
    return before, after


def _logits(draw: Draw, m: int, V: int, moved):
    """Logits before, and after[k] with word k replaced; row j moves only where it is to move.

    Some rows get a constant that no softmax sees, all get noise as small as rounding.
    """
    before = draw.normal(m, V)
    push = torch.zeros(m, m, V, dtype=before.dtype)
    push[..., 1] = 2.0
    push[..., 2] = -1.0 - draw.normal(m, m).abs()
    after = before + push * moved.T[..., None]
    shifted = 3.0 * draw.booleans(m, m, 1)
    signs = torch.tensor([1.0, -1.0], dtype=before.dtype).repeat(V)[:V]
    after = after + shifted + 1e-5 * signs * (1 if draw.size(0, 1) else -1)
    return before, after


def _two_words(draw: Draw, m: int, V: int, *now):
    """Logits of rows that read up to the word before: two words move, and the others stay.

    Their exponentials have the same sum before and after.
    """
    before = draw.normal(m, V)
    before[:, 1], before[:, 2] = 1.0, -1.0
    other = before.clone()
    other[:, 1], other[:, 2] = now
    moved = torch.ones(m, m, dtype=torch.bool).tril(-1)
    return before, torch.where(moved.T[..., None], other, before)


def correct(before, after):
    """Where the log-probabilities differ by more than rounding: rows are predictions."""
    change = (after.log_softmax(-1) - before.log_softmax(-1)).abs().amax(-1)
    return (change > ROUNDING).T


def _logs(before, after):
    """Log-probabilities, and by how much each of them changes."""
    return after.log_softmax(-1), after.log_softmax(-1) - before.log_softmax(-1)


class Wrong:
    """What learners write, the more particular before the more general."""

    def transposed(before, after):
        """The map is right, but transposed: a row for each word, a column for each prediction.

        `after[k]` belongs to the replaced word k, and k should be the column.
        """
        return correct(before, after).T.contiguous()

    def of_logits(before, after):
        """You compare logits. A number added to a whole row of logits changes no prediction.

        The softmax cancels such a number. So compare probabilities, or their logarithms.
        """
        return ((after - before).abs().amax(-1) > ROUNDING).T

    def of_logits_transposed(before, after):
        """You compare logits instead of probabilities, and the map is transposed.

        A number added to a whole row of logits changes no prediction. And `after[k]` belongs to
        word k: should k be the row or the column?
        """
        return Wrong.of_logits(before, after).T.contiguous()

    def exactly(before, after):
        """You count differences far below a thousandth, and these are rounding.

        A sum in another order differs a little. By how much must a logarithm differ to count?
        """
        return (after.log_softmax(-1) != before.log_softmax(-1)).any(-1).T

    def only_the_best(before, after):
        """You ask whether the most probable word changed. A row can move without that.

        Compare all probabilities of a row, not only the largest.
        """
        return (after.argmax(-1) != before.argmax(-1)).T

    def without_size(before, after):
        """You look at one word of the vocabulary, and only ask whether it rose.

        Any word of a row may move, up or down. Take absolute differences, then the largest.
        """
        change = (after.log_softmax(-1) - before.log_softmax(-1))[..., -1]
        return (change > ROUNDING).T

    def every_word(before, after):
        """You ask whether all words of a row moved. One that moves is enough.

        Which of the changes in a row must exceed a thousandth?
        """
        change = (after.log_softmax(-1) - before.log_softmax(-1)).abs().amin(-1)
        return (change > ROUNDING).T

    def changes_added(before, after):
        """You add up the changes of the logarithms with their signs, so that they may cancel.

        Take absolute values first, and then the largest.
        """
        change = (after.log_softmax(-1) - before.log_softmax(-1)).sum(-1).abs()
        return (change > ROUNDING).T

    def mean_change(before, after):
        """Your result is False everywhere, even where a prediction moves.

        Do you add up or average changes of probabilities with their signs? Probabilities sum to 1,
        so these changes cancel. If you do not: which numbers do you compare, and with which limit?
        """
        change = (after.softmax(-1) - before.softmax(-1)).mean(-1).abs()
        return (change > ROUNDING).T

    def without_the_diagonal(before, after):
        """You leave out the diagonal, as if a row could not have read the word that it predicts.

        That is the question. Look at the result of the experiment.
        """
        result = correct(before, after)
        return result & ~torch.eye(len(result), dtype=torch.bool)

    def the_causal_mask(before, after):
        """You return the causal mask, whatever the experiment shows.

        What a model may read and what it does read are two things. Compare the numbers.
        """
        return torch.ones(len(before), len(before), dtype=torch.bool).tril()

    def amounts(before, after):
        """These are the sizes of the changes. The question is whether there is one.

        Compare each size with a thousandth.
        """
        return (after.log_softmax(-1) - before.log_softmax(-1)).abs().amax(-1).T

    def unmoved(before, after):
        """Your result is True where nothing moved.

        True should mean that this row has read this word.
        """
        return ~correct(before, after)

    def softmax_over_rows(before, after):
        """Your softmax runs over the rows, not over the vocabulary of each row.

        Which dimension holds the vocabulary?
        """
        change = (after.log_softmax(-2) - before.log_softmax(-2)).abs().amax(-1)
        return (change > ROUNDING).T

    def of_probabilities(before, after):
        """You compare the probabilities themselves. The probability of a rare word can hardly move
        by a thousandth.

        The question compares logarithms of probabilities.
        """
        return ((after.softmax(-1) - before.softmax(-1)).abs().amax(-1) > ROUNDING).T

    def of_probabilities_transposed(before, after):
        """You compare the probabilities themselves, and the map is transposed.

        The question compares their logarithms. And `after[k]` belongs to word k: should k be the
        row or the column?
        """
        return (after.softmax(-1) - before.softmax(-1)).abs().amax(-1) > ROUNDING

    def divergence(before, after):
        """You compute a divergence of the two distributions. It is small where a rare word moves.

        The question asks for the largest change of a logarithm.
        """
        logs, change = _logs(before, after)
        return ((logs.exp() * change).sum(-1) > ROUNDING).T

    def only_rising(before, after):
        """You count only changes upwards. A probability may fall.

        Does the sign of a change matter? Take absolute values.
        """
        change = _logs(before, after)[1]
        return (change.amax(-1) > ROUNDING).T

    def only_falling(before, after):
        """You count only changes downwards. A probability may rise.

        Does the sign of a change matter? Take absolute values.
        """
        change = _logs(before, after)[1]
        return (change.amin(-1) < -ROUNDING).T

    def mean_of_sizes(before, after):
        """You average the sizes of the changes over the vocabulary. One word of 400 then counts for
        little.

        Which of the changes in a row must exceed a thousandth? And do you take changes of
        probabilities, or of their logarithms?
        """
        change = _logs(before, after)[1]
        return (change.abs().mean(-1) > ROUNDING).T

    def sum_of_sizes(before, after):
        """You combine the changes of all words into one number, such as their sum. Many tiny
        changes together then exceed a thousandth.

        Which of the changes in a row must exceed a thousandth? And do you take changes of
        probabilities, or of their logarithms?
        """
        change = _logs(before, after)[1]
        return (change.abs().sum(-1) > ROUNDING).T

    def squares(before, after):
        """You compare squares of the changes with a thousandth.

        Which of the changes in a row must exceed a thousandth? And do you take changes of
        probabilities, or of their logarithms?
        """
        change = _logs(before, after)[1]
        return ((change**2).amax(-1) > ROUNDING).T

    def sum_of_squares(before, after):
        """You compare the sum of the squared changes with a thousandth.

        Which of the changes in a row must exceed a thousandth? And do you take changes of
        probabilities, or of their logarithms?
        """
        change = _logs(before, after)[1]
        return ((change**2).sum(-1) > ROUNDING).T

    def limit_half(before, after):
        """Your limit is about a half.

        How large is a thousandth?
        """
        change = _logs(before, after)[1]
        return (change.abs().amax(-1) > 0.5).T

    def limit_tenth(before, after):
        """Your limit is a tenth.

        How large is a thousandth?
        """
        change = _logs(before, after)[1]
        return (change.abs().amax(-1) > 0.1).T

    def limit_hundredth(before, after):
        """Your limit is a hundredth.

        How large is a thousandth?
        """
        change = _logs(before, after)[1]
        return (change.abs().amax(-1) > 0.01).T

    def limit_ten_thousandth(before, after):
        """Your limit is a ten-thousandth.

        How large is a thousandth?
        """
        change = _logs(before, after)[1]
        return (change.abs().amax(-1) > 1e-4).T

    def limit_of_isclose(before, after):
        """Your limit grows with the numbers: the larger a logarithm, the more it may change.

        `isclose` and `allclose` have two tolerances. What does `rtol` do?
        """
        p, q = before.log_softmax(-1), _logs(before, after)[0]
        return (~torch.isclose(q, p.expand_as(q), rtol=1e-3, atol=1e-3)).any(-1).T

    def limit_of_isclose_alone(before, after):
        """Your limit is a share of each logarithm.

        `isclose` and `allclose` have two tolerances. What does `rtol` do?
        """
        p, q = before.log_softmax(-1), _logs(before, after)[0]
        return ((q - p).abs() > 1e-3 * p.abs()).any(-1).T

    def limit_of_allclose(before, after):
        """Your limit is that of `allclose`, a hundred-millionth and a share of each number.

        `allclose` has two tolerances. Which should they be?
        """
        p, q = before.log_softmax(-1), _logs(before, after)[0]
        return (~torch.isclose(q, p.expand_as(q))).any(-1).T

    def largest_subtracted(before, after):
        """You subtract a number from each row of logits, such as its largest or its mean, but not
        the one that makes logarithms of probabilities.

        What must the exponentials of a row sum to?
        """
        p, q = (x - x.amax(-1, keepdim=True) for x in (before, after))
        return ((q - p).abs().amax(-1) > ROUNDING).T

    def first_dimension(before, after):
        """Your log-softmax runs along dimension 0.

        Which number means the last dimension, however many there are?
        """
        return ((after.log_softmax(0) - before.log_softmax(0)).abs().amax(-1) > ROUNDING).T

    def row_k_of_before(before, after):
        """You compare every row of `after[k]` with row k of `before`.

        Row j of `after[k]` was row j before the change.
        """
        q, p = _logs(before, after)[0], before.log_softmax(-1)
        return ((q - p[:, None]).abs().amax(-1) > ROUNDING).T

    def row_k_of_before_not_transposed(before, after):
        """You compare every row of `after[k]` with row k of `before`, and the map is transposed.

        Row j of `after[k]` was row j before the change.
        """
        q, p = _logs(before, after)[0], before.log_softmax(-1)
        return (q - p[:, None]).abs().amax(-1) > ROUNDING

    def compared_with_the_first(before, after):
        """You compare `after[k]` with `after[0]`, and not with `before`.

        Which logits are those of the target as it is?
        """
        q = _logs(before, after)[0]
        return ((q - q[:1]).abs().amax(-1) > ROUNDING).T

    def strict_triangle(before, after):
        """You return the triangle below the diagonal, whatever the experiment shows.

        What a model should read and what it does read are two things. Compare the numbers.
        """
        return torch.ones(len(before), len(before), dtype=torch.bool).tril(-1)

    def upper_triangle(before, after):
        """You return the diagonal and the triangle above it, whatever the experiment shows.

        What a model may read and what it does read are two things. Compare the numbers.
        """
        return torch.ones(len(before), len(before), dtype=torch.bool).triu()

    def everything(before, after):
        """Your result is True everywhere.

        Are log-probabilities compared with log-probabilities, along the same dimension?
        """
        return torch.ones(len(before), len(before), dtype=torch.bool)

    def identity(before, after):
        """You return True on the diagonal, whatever the experiment shows.

        Compare the numbers.
        """
        return torch.eye(len(before), dtype=torch.bool)

    def deletes_later_words(before, after):
        """You measure, but delete what lies above the diagonal.

        Whether there is a mask is to be found out.
        """
        return correct(before, after).tril()

    def deletes_later_words_and_itself(before, after):
        """You measure, but delete the diagonal and what lies above it.

        What a row has read is to be found out.
        """
        return correct(before, after).tril(-1)

    def deletes_earlier_words(before, after):
        """You measure, but delete what lies below the diagonal.

        What a row has read is to be found out.
        """
        return correct(before, after).triu()

    def diagonal_only(before, after):
        """You measure only what each row does when its own word is replaced.

        Which rows move when word k is replaced? All of them are in `after[k]`.
        """
        return correct(before, after) & torch.eye(len(before), dtype=torch.bool)

    def every_word_before(before, after):
        """You return True for all words up to the last one that a row has read.

        Each cell is a question of its own.
        """
        return correct(before, after).flip(-1).cummax(-1).values.flip(-1)

    def word_that_was_best(before, after):
        """You look only at the most probable word of a row.

        Any word of the vocabulary may move.
        """
        best = before.argmax(-1)
        change = _logs(before, after)[1]
        place = best.expand(len(best), -1)[..., None]
        return (change.gather(-1, place)[..., 0].abs() > ROUNDING).T

    def first_word_of_the_vocabulary(before, after):
        """You look only at one and the same word of the vocabulary.

        Any word of the vocabulary may move.
        """
        change = _logs(before, after)[1]
        return (change[..., 0].abs() > ROUNDING).T

    def order_of_words(before, after):
        """You ask whether the order of the words by probability changed. A row can move without
        that.

        Compare all log-probabilities of a row.
        """
        return (after.argsort(-1) != before.argsort(-1)).any(-1).T

    def one_for_each_prediction(before, after):
        """You return one answer for each prediction, whichever word was replaced.

        The result has a row for each prediction and a column for each word.
        """
        return correct(before, after).any(-1)

    def whole_vocabulary(before, after):
        """You return an answer for every word of the vocabulary.

        One larger difference in a row is enough: which dimension disappears?
        """
        return (_logs(before, after)[1].abs() > ROUNDING).transpose(0, 1)

    def unmoved_transposed(before, after):
        """Your result is True where nothing moved, and it is transposed.

        True should mean that this row has read this word. And `after[k]` belongs to word k: should
        k be the row or the column?
        """
        return ~correct(before, after).T


class Right:
    """Right answers, written differently."""

    def with_loops(before, after):
        """Cell by cell."""
        m = len(before)
        found = torch.zeros(m, m, dtype=torch.bool)
        for j in range(m):
            for k in range(m):
                change = after[k, j].log_softmax(0) - before[j].log_softmax(0)
                found[j, k] = bool((change.abs() > 1e-3).any())
        return found

    def with_allclose(before, after):
        """Rows that are not close, with an absolute limit alone."""
        p, q = before.log_softmax(-1), after.log_softmax(-1)
        m = range(len(p))
        close = [[torch.allclose(q[k, j], p[j], rtol=0, atol=1e-3) for k in m] for j in m]
        return ~torch.tensor(close)

    def by_largest_and_smallest(before, after):
        """The largest change upwards and the largest one downwards."""
        change = after.log_softmax(2) - before.log_softmax(1)[None]
        moved = (change.amax(2) > ROUNDING) | (change.amin(2) < -ROUNDING)
        return moved.transpose(0, 1)

    def by_logsumexp(before, after):
        """Logarithms by hand, in double precision."""
        p, q = (x.double() - x.double().logsumexp(-1, keepdim=True) for x in (before, after))
        return torch.einsum("kjv->jkv", (q - p).abs()).max(-1).values > ROUNDING


EXERCISE = Exercise(
    id="reads",
    oracle=correct,
    hint="Turn logits into log-probabilities. Take the sizes of the differences, then the largest "
    "in each row, and compare it with a thousandth. Which dimension is the word, which the "
    "prediction?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
