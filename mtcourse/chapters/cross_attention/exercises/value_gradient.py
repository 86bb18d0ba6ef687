"""The exercise ``value_gradient``: what each English word learns (A16, C37; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Numbers to check by hand, m and n different and equal, batches and heads."""
    alpha = draw.tensor([[0.5, 0.5, 0.0], [0.25, 0.0, 0.75]])
    G = draw.tensor([[4.0, -2.0], [8.0, 0.0]])
    return [
        Case("2 Dutch words and 3 English ones", (alpha, G), by_hand=True),
        Case("a single Dutch word", _drawn(draw, (), 1, 4, 3)),
        Case("5 Dutch words and 3 English ones", _drawn(draw, (), 5, 3, 4)),
        Case("4 words on either side", _drawn(draw, (), 4, 4, 4)),
        Case("3 sentences", _drawn(draw, (3,), 5, 4, 2)),
        Case("2 sentences, 3 heads", _drawn(draw, (2, 3), 4, 6, 5)),
    ]


def _drawn(draw: Draw, batch, m, n, d_v):
    """Weights whose rows sum to 1, and gradients that arrive at the outputs."""
    return (2 * draw.normal(*batch, m, n)).softmax(-1), draw.normal(*batch, m, d_v)


def correct(alpha, G):
    """Each gradient flows back along the weight along which the value flowed forward."""
    return alpha.mT @ G


class Wrong:
    """What learners write, the more particular before the more general."""

    def weights_not_transposed(alpha, G):
        """You multiply G by the weights as they stand, so English and Dutch have changed places.

        It runs only where both sentences are equally long. Write the shapes: the result should have
        a row for each *English* word.
        """
        return alpha @ G

    def result_transposed(alpha, G):
        """Your numbers are right, but transposed: there is a column for each English word.

        V has a row for each English word, and so does its gradient.
        """
        return G.mT @ alpha

    def all_dimensions_reversed(alpha, G):
        """Your result is right for one sentence. For a batch, you reversed all dimensions.

        Swap only the last two: `alpha.mT`.
        """
        return alpha.permute(*reversed(range(alpha.dim()))) @ G

    def mean_over_dutch(alpha, G):
        """You divided the sum over the Dutch words by their number.

        A word that is used twice gets the gradients of both uses. They add up.
        """
        return alpha.mT @ G / G.shape[-2]

    def mean_by_weight(alpha, G):
        """You compute a weighted *mean*: you made each column of weights sum to 1.

        Only the rows of weights sum to 1. A word with more weight in its column learns more.
        """
        return alpha.mT @ G / alpha.sum(-2).unsqueeze(-1)

    def share_for_all(alpha, G):
        """You give every English word the sum of all G, times all the weight that it received.

        Each Dutch word has its own row of G and its own weight for this English word.
        """
        return alpha.sum(-2).unsqueeze(-1) * G.sum(-2, keepdim=True)

    def without_weights(alpha, G):
        """You give every English word the whole sum of G, whatever its weights are.

        Differentiate α_ji V_ic with respect to V_ic. Which factor is left?
        """
        return torch.ones_like(alpha).mT @ G

    def strongest_only(alpha, G):
        """Each row of G reaches only the English word with the largest weight.

        The output is a mean of *all* values. A value with a small weight changes it a little, too.
        """
        strongest = torch.nn.functional.one_hot(alpha.argmax(-1), alpha.shape[-1]).to(alpha.dtype)
        return strongest.mT @ G

    def weights_squared(alpha, G):
        """The weights occur twice in your result.

        The output is linear in V: the derivative of α_ji V_ic is α_ji, once.
        """
        return (alpha * alpha).mT @ G

    def through_the_softmax(alpha, G):
        """Your result has a factor α (1 - α), the derivative of a softmax.

        V does not pass through the softmax. What happens to the weights if a value changes?
        """
        return (alpha * (1 - alpha)).mT @ G

    def divided_by_root(alpha, G):
        """You divide the gradient by the root of its width.

        The division belongs to the scores. Is there one between the values and the output?
        """
        return alpha.mT @ G / G.shape[-1] ** 0.5

    def sign_turned(alpha, G):
        """Every entry has the wrong sign.

        The question asks for the gradient itself, not for a step against it.
        """
        return -alpha.mT @ G


class Right:
    """Right answers, written differently."""

    def with_einsum(alpha, G):
        """Names the dimensions."""
        return torch.einsum("...mn,...mv->...nv", alpha, G)

    def one_dutch_word_at_a_time(alpha, G):
        """Adds up outer products."""
        total = 0
        for j in range(alpha.shape[-2]):
            total = total + alpha[..., j, :, None] * G[..., j, None, :]
        return total

    def one_entry_at_a_time(alpha, G):
        """Sums for each English word and each width."""
        products = alpha[..., :, :, None] * G[..., :, None, :]
        return products.sum(-3)

    def by_autograd(alpha, G):
        """Lets torch do it, for some V."""
        V = torch.zeros(*alpha.shape[:-2], alpha.shape[-1], G.shape[-1], dtype=G.dtype)
        V.requires_grad_()
        return torch.autograd.grad((alpha @ V * G).sum(), V)[0]


EXERCISE = Exercise(
    id="value_gradient",
    oracle=correct,
    hint="Write one entry of the output as a sum over English words, and differentiate it by one "
    "entry of V. Then sum over all Dutch words that used it.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
