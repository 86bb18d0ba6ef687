"""The exercise ``reads``: which words a row of predictions has read, by experiment (A20, C08)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
    ]


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
    after = after + shifted + 1e-5 * draw.normal(m, m, V)
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

        A number added to a whole row of logits changes no prediction. And which word is `after[k]`
        for?
        """
        return Wrong.of_logits(before, after).T.contiguous()

    def exactly(before, after):
        """You count any difference, even one in the last digit, which is rounding.

        A sum in another order differs a little. Ask for more than a thousandth.
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
        """You average the changes of a row with their signs. Probabilities sum to 1, so they
        cancel.

        Take absolute values first.
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


class Right:
    """Right answers, written differently."""

    def by_probabilities(before, after):
        """Probabilities in place of logarithms."""
        change = after.softmax(-1) - before.softmax(-1)
        return (change.abs() > ROUNDING).any(-1).transpose(0, 1)

    def with_loops(before, after):
        """Cell by cell."""
        m = len(before)
        found = torch.zeros(m, m, dtype=torch.bool)
        for j in range(m):
            for k in range(m):
                found[j, k] = not torch.allclose(
                    after[k, j].softmax(0), before[j].softmax(0), atol=1e-3, rtol=0
                )
        return found

    def by_centred_logits(before, after):
        """Takes the mean from each row, which a softmax does not see."""

        def centred(x):
            return x - x.mean(-1, keepdim=True)

        return ((centred(after) - centred(before)).norm(dim=-1) > ROUNDING).mT

    def by_total_variation(before, after):
        """Half of the sum of sizes."""
        p, q = torch.softmax(before, -1), torch.softmax(after, -1)
        return torch.einsum("kjv->jk", (q - p).abs()) / 2 > ROUNDING


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
