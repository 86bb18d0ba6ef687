"""The exercise ``value_gradient``: what each English word learns (A16, C37; chapter 6)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        """Your result is right for one sentence, but your function stops on a batch. How do you
        transpose and multiply there?

        `.T` reverses all dimensions, and `.mT` swaps only the last two. `@` takes batches, and
        `torch.mm` only single matrices.
        """
        return alpha.permute(*reversed(range(alpha.dim()))) @ G

    def mean_over_dutch(alpha, G):
        """You divided the sum over the Dutch words by their number.

        A word that is used twice gets the gradients of both uses. They add up.
        """
        return alpha.mT @ G / G.shape[-2]

    def mean_by_weight(alpha, G):
        """You compute a weighted *mean*, as if each column of weights summed to 1.

        Only the rows of weights sum to 1. A word with more weight in its column learns more.
        """
        return alpha.mT @ G / alpha.sum(-2).unsqueeze(-1)

    def share_for_all(alpha, G):
        """You give every English word the sum of all rows of G, times all the weight that it
        received.

        Each Dutch word has its own row of G and its own weight for this English word.
        """
        return alpha.sum(-2).unsqueeze(-1) * G.sum(-2, keepdim=True)

    def without_weights(alpha, G):
        """You give every English word the sum of all rows of G, whatever its weights are.

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

    def softmax_of_the_transposed(alpha, G):
        """You apply a softmax over the Dutch words. But `alpha` holds weights already.

        What does the chain rule multiply G by?
        """
        return alpha.mT.softmax(-1) @ G

    def softmax_again(alpha, G):
        """You apply a softmax over the English words. But `alpha` holds weights already.

        What does the chain rule multiply G by?
        """
        return alpha.softmax(-1).mT @ G

    def most_looking_word_only(alpha, G):
        """Each English word gets G from one Dutch word, the one that gives it the largest weight.

        How many outputs depend on this value?
        """
        most, j = alpha.max(dim=-2)
        return most[..., None] * torch.take_along_dim(G, j[..., None], dim=-2)

    def most_looking_word_whole(alpha, G):
        """Each English word gets the whole G of one Dutch word, the one that gives it the largest
        weight.

        How many outputs depend on this value, and how strongly?
        """
        return torch.take_along_dim(G, alpha.argmax(-2)[..., None], dim=-2)

    def last_dutch_word_only(alpha, G):
        """Only the last Dutch word counts in your result.

        Does your loop add up, or does each round overwrite the one before?
        """
        return alpha[..., -1, :, None] * G[..., -1:, :]

    def first_dutch_word_only(alpha, G):
        """Only the first Dutch word counts in your result.

        How many outputs depend on this value?
        """
        return alpha[..., 0, :, None] * G[..., :1, :]

    def weights_reshaped(alpha, G):
        """You reshape the weights to (n, m). This mixes those of different words.

        Reshaping keeps the order of the numbers. Which operation exchanges rows and columns?
        """
        return alpha.reshape(*alpha.shape[:-2], alpha.shape[-1], alpha.shape[-2]) @ G

    def inverse_for_transpose(alpha, G):
        """You multiply G by the (pseudo-)inverse of the weights.

        You want to know how the loss changes with V, and not which V would give an output.
        """
        return torch.linalg.pinv(alpha) @ G

    def triangle(alpha, G):
        """You leave out the weights above the diagonal, as if a causal mask were there.

        Is anything of the English sentence hidden from a Dutch word?
        """
        return alpha.tril().mT @ G

    def triangle_below(alpha, G):
        """You leave out the weights below the diagonal.

        Is anything of the English sentence hidden from a Dutch word?
        """
        return alpha.triu().mT @ G

    def diagonal_only(alpha, G):
        """Each English word gets G only from the Dutch word in the same place.

        Which Dutch words give weight to it?
        """
        return (alpha.tril().triu()).mT @ G

    def divided_by_english_words(alpha, G):
        """You divide by the number of English words.

        Is there a mean anywhere, over which the gradient would be spread?
        """
        return alpha.mT @ G / alpha.shape[-1]

    def one_minus_the_weights(alpha, G):
        """You multiply by one minus the weights.

        Differentiate α_ji V_ic with respect to V_ic. Which factor is left?
        """
        return (1 - alpha).mT @ G

    def weights_alone(alpha, G):
        """Your result does not depend on G: each English word gets the weight that it received.

        The chain rule multiplies the derivative by the gradient that arrives.
        """
        return alpha.sum(-2).unsqueeze(-1).expand(*alpha.shape[:-2], alpha.shape[-1], G.shape[-1])

    def mean_of_g(alpha, G):
        """You give every English word the mean of the rows of G, times all the weight that it
        received.

        Each Dutch word has its own row of G and its own weight for this English word.
        """
        return alpha.sum(-2).unsqueeze(-1) * G.mean(-2, keepdim=True)

    def roots_of_the_weights(alpha, G):
        """You multiply by the roots of the weights.

        The output is linear in the weights and in V.
        """
        return alpha.sqrt().mT @ G

    def centred(alpha, G):
        """You subtract from G the mean of its rows, as the gradient of a softmax would.

        V does not pass through the softmax.
        """
        return alpha.mT @ (G - G.mean(-2, keepdim=True))

    def first_of_the_batch(alpha, G):
        """You use the weights of the first sentence for all.

        Each sentence has weights of its own.
        """
        return alpha.reshape(-1, *alpha.shape[-2:])[0].mT @ G


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
