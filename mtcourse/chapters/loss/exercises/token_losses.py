"""The exercise ``token_losses``: -log softmax(u)[y] at each position (C04, A22; chapter 08)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise, Rule
from mtcourse.checks.outcomes import Case
from mtcourse.training import likelihood


def cases(draw: Draw) -> list[Case]:
    """From three words, by hand, to logits whose exponentials no float can hold."""
    ln2, ln3 = math.log(2), math.log(3)
    hand = draw.tensor([[0.0, 0.0, ln2], [0.0, ln3, 0.0], [0.0, 0.0, 0.0]])
    labels = torch.tensor([2, 1, 0])
    batch = torch.tensor([[3, 1, 4, 0], [2, 0, 0, 0], [5, 5, 1, 2]])
    far = draw.normal(2, 3, 5)
    return [
        Case("three positions, the last of them padding", (hand, labels), by_hand=True),
        Case("a single position", (draw.normal(1, 4), torch.tensor([2]))),
        Case("as many positions as words", (draw.normal(4, 4), torch.tensor([3, 1, 2, 1]))),
        Case("3 sentences, two of them padded", (draw.normal(3, 4, 6), batch)),
        Case("logits around 1000", (1000 + far, torch.tensor([[1, 2, 3], [4, 1, 0]]))),
        Case("a right word 300 behind", (300 * far.sign(), torch.tensor([[1, 2, 3], [4, 1, 2]]))),
    ]


def correct(logits, labels):
    """The package's."""
    return likelihood.token_losses(logits, labels)


def never_negative(case: Case, losses) -> bool:
    """Whether no loss is below 0, rounding aside."""
    return bool((losses.double() >= -1e-3).all())


class Wrong:
    """What learners write, the more particular before the more general."""

    def probabilities(logits, labels):
        """These are the probabilities of the labels; the logarithm is missing.

        The loss of a token is minus the logarithm of its probability.
        """
        p = logits.softmax(-1).gather(-1, labels[..., None]).squeeze(-1)
        return p.masked_fill(labels == 0, 0)

    def one_minus_probability(logits, labels):
        """This is 1 minus the probability of the label. It never exceeds 1; the loss has no bound.

        Likelihoods multiply. Which function turns a product into a sum?
        """
        p = logits.softmax(-1).gather(-1, labels[..., None]).squeeze(-1)
        return (1 - p).masked_fill(labels == 0, 0)

    def sign_missing(logits, labels):
        """These are the log-probabilities themselves: they grow as the model gets better.

        A loss should fall as the model gets better. What is missing?
        """
        return -correct(logits, labels)

    def in_bits(logits, labels):
        """You took the logarithm to the base 2, so the losses are in bits.

        Use the natural logarithm: the course measures in nats.
        """
        return correct(logits, labels) / math.log(2)

    def minus_the_logit(logits, labels):
        """This is minus the logit of the label. The other logits do not enter.

        The label's probability is its exponential divided by the sum of all exponentials.
        """
        losses = -logits.gather(-1, labels[..., None]).squeeze(-1)
        return losses.masked_fill(labels == 0, 0)

    def log_of_a_softmax(logits, labels):
        """You took the softmax first and then its logarithm: a tiny probability was rounded to 0.

        Write the logarithm of the fraction as a difference before you compute anything.
        """
        p = logits.softmax(-1).gather(-1, labels[..., None]).squeeze(-1)
        return (-p.log()).masked_fill(labels == 0, 0)

    def exponentials_as_written(logits, labels):
        """You took the exponentials of the logits as they are; those of large logits are infinite.

        Subtracting one number from a whole row does not change the fraction. Or use log-sum-exp.
        """
        e = logits.exp()
        p = e.gather(-1, labels[..., None]).squeeze(-1) / e.sum(-1)
        return (-p.log()).masked_fill(labels == 0, 0)

    def sum_of_exponentials_overflows(logits, labels):
        """The difference is right, but the sum of exponentials inside the logarithm overflows.

        Subtract the largest logit first, or use `torch.logsumexp`, which does that.
        """
        losses = logits.exp().sum(-1).log() - logits.gather(-1, labels[..., None]).squeeze(-1)
        return losses.masked_fill(labels == 0, 0)

    def padding_counted(logits, labels):
        """Padding has a loss like any word: you charge the model for not predicting word 0.

        The label 0 marks a position where there is nothing to predict. What should it cost?
        """
        return torch.logsumexp(logits, -1) - logits.gather(-1, labels[..., None]).squeeze(-1)

    def padding_dropped(logits, labels):
        """The losses of the real tokens are right, but you removed the positions of padding.

        Keep the shape of the labels, with a loss of 0 where the label is 0.
        """
        return correct(logits, labels)[labels != 0]

    def along_the_positions(logits, labels):
        """You took the softmax over the positions. Take it over the words, at each position.

        Which dimension of the logits counts the words?
        """
        log_p = logits.log_softmax(-2)
        return -log_p.gather(-1, labels[..., None]).squeeze(-1).masked_fill(labels == 0, 0)

    def softmax_twice(logits, labels):
        """You took a softmax of probabilities: the second softmax makes them nearly equal.

        Look for two of them: `log_softmax` has a softmax inside.
        """
        log_p = logits.softmax(-1).log_softmax(-1)
        return -log_p.gather(-1, labels[..., None]).squeeze(-1).masked_fill(labels == 0, 0)

    def every_label_at_every_position(logits, labels):
        """`logits[..., labels]` takes every label at every position, not each at its own position.

        `gather` along the last dimension takes one number at each position.
        """
        return -logits.log_softmax(-1)[..., labels]

    def added_up(logits, labels):
        """You added the losses up. Return one loss for each position.

        How to combine them is the question of another exercise.
        """
        return correct(logits, labels).sum()

    def averaged(logits, labels):
        """You returned the mean of the losses. Return one loss for each position.

        What to divide them by is the question of another exercise.
        """
        return correct(logits, labels).sum() / (labels != 0).sum()

    def all_words(logits, labels):
        """These are the losses of every word of the vocabulary; you did not use the labels.

        At each position only one word is right. Pick out its loss.
        """
        return -logits.log_softmax(-1)


class Right:
    """Right answers, written differently."""

    def with_log_softmax(logits, labels):
        """Torch's log-softmax, with gather to pick out the labels."""
        log_p = torch.log_softmax(logits, dim=-1)
        return torch.where(labels == 0, 0.0, -log_p.gather(-1, labels.unsqueeze(-1)).squeeze(-1))

    def with_one_hot(logits, labels):
        """As A19 writes it, with a one-hot row."""
        onehot = F.one_hot(labels, logits.shape[-1]).to(logits.dtype)
        return -(onehot * logits.log_softmax(-1)).sum(-1) * (labels != 0)

    def largest_taken_out(logits, labels):
        """Subtracts the largest logit of each row."""
        shifted = logits - logits.amax(-1, keepdim=True)
        chosen = torch.take_along_dim(shifted, labels[..., None], -1)[..., 0]
        return (shifted.exp().sum(-1).log() - chosen) * (labels > 0)

    def one_position_at_a_time(logits, labels):
        """A loop."""
        rows, right = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
        zero = rows.new_zeros(())
        losses = [
            zero if int(y) == 0 else torch.logsumexp(u, 0) - u[int(y)]
            for u, y in zip(rows, right, strict=True)
        ]
        return torch.stack(losses).reshape(labels.shape)

    def by_differences(logits, labels):
        """log sum exp(u_k - u_y): subtracts the label's logit inside."""
        chosen = logits.gather(-1, labels[..., None])
        return torch.logsumexp(logits - chosen, -1).masked_fill(labels.eq(0), 0.0)


EXERCISE = Exercise(
    id="token_losses",
    oracle=correct,
    hint="By hand: the first row of logits has the exponentials 1, 1 and 2. What probability does "
    "the label get, and what is minus its logarithm?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("no loss is negative", never_negative),),
    gradients=True,
    tolerance=2e-4,
    forbids=("cross_entropy", "nll_loss"),
)
