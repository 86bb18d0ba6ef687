"""The exercise ``logit_gradient``: that of the mean loss per token (A19, A22; chapter 08)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise, Rule
from mtcourse.checks.outcomes import Case
from mtcourse.training import likelihood


def cases(draw: Draw) -> list[Case]:
    """With a pencil, one token, square, padded, and with a word that the model is sure of."""
    hand = draw.tensor([[0.0, 0.0, math.log(2)], [0.0, math.log(2), 0.0], [0.0, 0.0, 0.0]])
    batch = torch.tensor([[3, 1, 4, 0], [2, 0, 0, 0], [5, 5, 1, 2]])
    sure = 30 * draw.normal(2, 3, 5)
    return [
        Case(
            "three positions, the last of them padding",
            (hand, torch.tensor([2, 2, 0])),
            by_hand=True,
        ),
        Case("a single token", (draw.normal(1, 4), torch.tensor([2]))),
        Case("as many positions as words", (draw.normal(4, 4), torch.tensor([3, 1, 2, 1]))),
        Case("3 sentences, two of them padded", (draw.normal(3, 4, 6), batch)),
        Case("a model that is sure", (sure, torch.tensor([[1, 2, 3], [4, 1, 0]]))),
    ]


def correct(logits, labels):
    """Softmax less one-hot, over the number of tokens."""
    return likelihood.logit_gradient(logits, labels) / (labels != 0).sum()


def rows_sum_to_0(case: Case, gradient) -> bool:
    """Whether the entries of each row sum to 0."""
    return bool((gradient.double().sum(-1).abs() < 1e-5).all())


def _onehot(logits, labels):
    return F.one_hot(labels, logits.shape[-1]).to(logits.dtype)


def _real(labels):
    return (labels != 0)[..., None]


class Wrong:
    """What learners write, the more particular before the more general."""

    def sign_turned(logits, labels):
        """Every entry has the wrong sign: you returned the direction in which the loss falls.

        If the logit of the right word grows, the loss falls. So what sign does the derivative have?
        """
        return -correct(logits, labels)

    def of_the_sum(logits, labels):
        """This is the gradient of the sum of the losses. The question asks for that of their mean.

        A factor in front of the loss is also a factor in front of its gradient.
        """
        return likelihood.logit_gradient(logits, labels)

    def over_all_positions(logits, labels):
        """You divided by all positions, padding included.

        The mean is over tokens. How many labels are not 0?
        """
        return likelihood.logit_gradient(logits, labels) / labels.numel()

    def over_sentences(logits, labels):
        """You divided by the number of sentences. The mean is over the tokens of all sentences.

        How many labels are not 0?
        """
        return likelihood.logit_gradient(logits, labels) / labels.shape[0]

    def padding_pushed(logits, labels):
        """The rows of padding are not 0: they push word 0 up, as if it were the right one.

        A position without a loss has no gradient.
        """
        return (logits.softmax(-1) - _onehot(logits, labels)) / (labels != 0).sum()

    def padding_pushed_and_counted(logits, labels):
        """You treat padding as word 0: it has a gradient, and it counts in the mean.

        Where the label is 0 there is no loss. How many labels are left?
        """
        return (logits.softmax(-1) - _onehot(logits, labels)) / labels.numel()

    def padding_loses_its_target_only(logits, labels):
        """In the rows of padding you left out the one-hot part but kept the softmax.

        A position without a loss has no gradient, so the whole row is 0.
        """
        target = _onehot(logits, labels) * _real(labels)
        return (logits.softmax(-1) - target) / (labels != 0).sum()

    def only_at_the_label(logits, labels):
        """The gradient is right at the label and 0 elsewhere. But the loss depends on every logit.

        Differentiate log Σ exp(u) with respect to a logit that is not the label's.
        """
        return correct(logits, labels) * _onehot(logits, labels)

    def without_the_label(logits, labels):
        """This is the softmax alone. The gradient of the second term of the loss is missing.

        The loss is log Σ exp(u) - u[y]. Differentiate both terms.
        """
        return logits.softmax(-1) * _real(labels) / (labels != 0).sum()

    def by_the_probabilities(logits, labels):
        """This is the gradient of the probabilities, -1/p at the label.

        Go back through the softmax as well, to the logits.
        """
        p = logits.softmax(-1)
        return -_onehot(logits, labels) / p * _real(labels) / (labels != 0).sum()

    def squared_error(logits, labels):
        """You multiplied p - y by p (1 - p), as for a squared error.

        With a logarithm in the loss, that factor cancels. Start from log Σ exp(u) - u[y].
        """
        p = logits.softmax(-1)
        return correct(logits, labels) * p * (1 - p)

    def logits_less_target(logits, labels):
        """You subtracted the one-hot row from the logits. Subtract it from the probabilities.

        The derivative of log Σ exp(u) with respect to u[k] is a fraction. Which one?
        """
        return (logits - _onehot(logits, labels)) * _real(labels) / (labels != 0).sum()

    def along_the_positions(logits, labels):
        """You took the softmax over the positions. Take it over the words, at each position.

        Which dimension of the logits counts the words?
        """
        p = logits.softmax(-2)
        return (p - _onehot(logits, labels)) * _real(labels) / (labels != 0).sum()

    def nothing_for_a_sure_word(logits, labels):
        """You rounded the probabilities: words above one half count as certain.

        The gradient is p - y, with p as the softmax gives it.
        """
        p = (logits.softmax(-1) > 0.5).to(logits.dtype)
        return (p - _onehot(logits, labels)) * _real(labels) / (labels != 0).sum()


class Right:
    """Right answers, written differently."""

    def with_scatter(logits, labels):
        """Subtracts 1 at the labels."""
        gradient = torch.softmax(logits, -1)
        one = gradient.new_ones(()).expand(*labels.shape, 1)
        gradient = gradient.scatter_add(-1, labels[..., None], -one)
        return torch.where(_real(labels), gradient, 0.0) / labels.count_nonzero()

    def with_one_hot(logits, labels):
        """As it is written."""
        p, y = logits.log_softmax(-1).exp(), _onehot(logits, labels)
        real = (labels > 0).to(logits.dtype)
        return (p - y) * (real / real.sum())[..., None]

    def one_entry_at_a_time(logits, labels):
        """The two cases of the derivative."""
        V, count = logits.shape[-1], int((labels != 0).sum())
        rows = logits.reshape(-1, V).softmax(-1)
        gradient = torch.zeros_like(rows)
        for i, y in enumerate(labels.reshape(-1).tolist()):
            for k in range(V):
                if y != 0:
                    gradient[i, k] = (rows[i, k] - (1 if k == y else 0)) / count
        return gradient.reshape(logits.shape)

    def with_comparison(logits, labels):
        """One-hot by comparing with the numbers of the words."""
        target = labels[..., None] == torch.arange(logits.shape[-1])
        gradient = torch.softmax(logits, dim=-1) - target.to(logits.dtype)
        return gradient.masked_fill(labels[..., None] == 0, 0) / (labels != 0).sum()


EXERCISE = Exercise(
    id="logit_gradient",
    oracle=correct,
    hint="Write the loss of one token as log Σ exp(u[k]) - u[y]. Differentiate it with respect to "
    "u[k], once for k = y and once for another word. Then: what does padding contribute, and what "
    "is the sum divided by?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("each row sums to 0", rows_sum_to_0),),
    forbids=("backward", "grad", "jacobian", "jacrev", "vjp"),
)
