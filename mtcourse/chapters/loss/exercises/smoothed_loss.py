"""The exercise ``smoothed_loss``: three bugs in a label smoothing (A19; chapter 08)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.training.loss import label_smoothed_loss


def cases(draw: Draw) -> list[Case]:
    """Padding and impossible words, each alone and both together; without smoothing, too."""
    ln2 = math.log(2)
    hand = draw.tensor([[0.0, 0.0, ln2], [ln2, 0.0, 0.0]])
    barred = draw.normal(3, 4, 6)
    barred[..., 5] = -math.inf
    barred[1, :, 4] = -math.inf
    unwritable = barred.clone()
    unwritable[..., 0] = -math.inf
    labels = torch.tensor([[3, 1, 2, 0], [2, 0, 0, 0], [3, 1, 1, 2]])
    return [
        Case("two tokens, half of it smoothed", (hand, torch.tensor([2, 1]), 0.5), by_hand=True),
        Case("a single token", (draw.normal(1, 4), torch.tensor([2]), 0.1)),
        Case("no smoothing", (draw.normal(5, 6), torch.tensor([2, 1, 3, 5, 4]), 0.0)),
        Case("3 sentences with padding", (draw.normal(3, 4, 6), labels, 0.1)),
        Case("words that are impossible", (barred[2], labels[2], 0.2)),
        Case("padding and impossible words", (barred, labels, 0.1)),
        Case("padding that is itself impossible to write", (unwritable, labels, 0.1)),
    ]


def correct(logits, labels, epsilon):
    """The package's sum, over the tokens."""
    return label_smoothed_loss(logits, labels, epsilon) / (labels != 0).sum()


def _version(logits, labels, epsilon, padding_mended=True, infinity_mended=True, count_mended=True):
    """The function of the notebook with some of its three bugs fixed."""
    log_p = torch.log_softmax(logits, dim=-1)
    possible = logits > -math.inf
    spread = possible / possible.sum(-1, keepdim=True)
    if infinity_mended:
        of_all = -(spread * torch.where(possible, log_p, 0.0)).sum(-1)
    else:
        of_all = -(spread * log_p).sum(-1)
    real = labels != 0
    of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1).where(real, 0.0)
    if padding_mended:
        of_all = of_all.where(real, 0.0)
    total = ((1 - epsilon) * of_label + epsilon * of_all).sum()
    return total / (real.sum() if count_mended else labels.numel())


def _smoothing_term(logits, labels, epsilon):
    return correct(logits, labels, epsilon) - (1 - epsilon) * correct(logits, labels, 0.0)


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(logits, labels, epsilon):
        """All three bugs of the broken version are still there.

        Which term of the loss has no label in it? And what is zero times minus infinity?
        """
        return _version(logits, labels, epsilon, False, False, False)

    def only_padding_mended(logits, labels, epsilon):
        """One bug is fixed: padding adds nothing, in either term. Two are left.

        What is the sum divided by? And what is zero times minus infinity?
        """
        return _version(logits, labels, epsilon, True, False, False)

    def only_infinity_mended(logits, labels, epsilon):
        """One bug is fixed: impossible words cause no NaN. Two are left, both about padding.

        Which term of the loss has no label in it? And what is the sum divided by?
        """
        return _version(logits, labels, epsilon, False, True, False)

    def only_count_mended(logits, labels, epsilon):
        """One bug is fixed: the sum is divided by the number of tokens. Two are left.

        Which term of the loss has no label in it? And what is zero times minus infinity?
        """
        return _version(logits, labels, epsilon, False, False, True)

    def padding_left(logits, labels, epsilon):
        """Two bugs are fixed. One is left: padding still adds its smoothing term.

        You drop the label's term where the label is 0. Drop the uniform term there, too.
        """
        return _version(logits, labels, epsilon, padding_mended=False)

    def infinity_left(logits, labels, epsilon):
        """Two bugs are fixed. One is left: impossible words make the loss NaN.

        Their share is 0 and their log-probability is -∞. The product of the two is NaN, not 0.
        """
        return _version(logits, labels, epsilon, infinity_mended=False)

    def count_left(logits, labels, epsilon):
        """Two bugs are fixed. One is left: the sum is divided by all positions.

        The mean is over tokens, and padding is not a token.
        """
        return _version(logits, labels, epsilon, count_mended=False)

    def padding_times_zero(logits, labels, epsilon):
        """You multiplied padding by 0. Where padding is an impossible word, that is 0 times
        infinity.

        Do not multiply: select, with `torch.where`, `masked_fill` or an index.
        """
        log_p = torch.log_softmax(logits, dim=-1)
        possible = logits > -math.inf
        of_all = -torch.where(possible, log_p, 0.0).sum(-1) / possible.sum(-1)
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        real = labels != 0
        return (((1 - epsilon) * of_label + epsilon * of_all) * real).sum() / real.sum()

    def share_for_the_impossible(logits, labels, epsilon):
        """You shared ε among all words, impossible ones included, and the shares of these are lost.

        The target must sum to 1 over the possible words.
        """
        log_p = torch.log_softmax(logits, dim=-1)
        of_all = -torch.where(logits > -math.inf, log_p, 0.0).sum(-1) / logits.shape[-1]
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        real = labels != 0
        return ((1 - epsilon) * of_label + epsilon * of_all)[real].sum() / real.sum()

    def infinite(logits, labels, epsilon):
        """Impossible words have a share of ε, so the loss is infinite.

        A word that is ruled out gets no share: the uniform part is over the possible words.
        """
        log_p = torch.log_softmax(logits, dim=-1)
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        real = labels != 0
        losses = (1 - epsilon) * of_label - (epsilon / logits.shape[-1] * log_p).sum(-1)
        return losses[real].sum() / real.sum()

    def share_for_the_wrong_only(logits, labels, epsilon):
        """You shared ε among the wrong words only, so the label gets 1 - ε and no share of ε.

        Some code does it this way. Here the uniform part covers the label, too.
        """
        log_p = torch.log_softmax(logits, dim=-1)
        possible = logits > -math.inf
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        of_all = -torch.where(possible, log_p, 0.0).sum(-1)
        wrong = (of_all - of_label) / (possible.sum(-1) - 1)
        real = labels != 0
        return ((1 - epsilon) * of_label + epsilon * wrong)[real].sum() / real.sum()

    def label_gets_less(logits, labels, epsilon):
        """The label gets 1 - ε and every other word ε/V, so the target sums to less than 1.

        The label also gets its share of the uniform part.
        """
        log_p = torch.log_softmax(logits, dim=-1)
        possible = logits > -math.inf
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        others = (-torch.where(possible, log_p, 0.0).sum(-1) - of_label) / possible.sum(-1)
        real = labels != 0
        return ((1 - epsilon) * of_label + epsilon * others)[real].sum() / real.sum()

    def nothing_taken_from_the_label(logits, labels, epsilon):
        """You added the uniform part, but the weight of the label's term is still 1.

        The target is a mixture: 1 - ε times the one-hot row, plus ε times the uniform part.
        """
        return correct(logits, labels, 0.0) + _smoothing_term(logits, labels, epsilon)

    def uniform_part_lost(logits, labels, epsilon):
        """Only the label's term is left. You removed the uniform part together with its bugs.

        Put it back, and correct it at padding and at impossible words.
        """
        return (1 - epsilon) * correct(logits, labels, 0.0)

    def no_smoothing_at_all(logits, labels, epsilon):
        """This is the plain cross-entropy; ε is not used.

        Keep the uniform part, and correct it at padding and at impossible words.
        """
        return correct(logits, labels, 0.0)

    def summed(logits, labels, epsilon):
        """This is the sum over tokens. The question asks for the mean.

        How many labels are not 0?
        """
        return label_smoothed_loss(logits, labels, epsilon)

    def huge_for_infinite(logits, labels, epsilon):
        """You replaced -∞ by a large negative number, so impossible words add a large loss.

        Leave impossible words out of the sum.
        """
        log_p = torch.log_softmax(logits, dim=-1).clamp(min=-1e4)
        of_all = -log_p.mean(-1)
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        real = labels != 0
        return ((1 - epsilon) * of_label + epsilon * of_all)[real].sum() / real.sum()


class Right:
    """Right answers, written differently."""

    def mended(logits, labels, epsilon):
        """The version of the notebook with all three bugs fixed."""
        return _version(logits, labels, epsilon)

    def real_rows_first(logits, labels, epsilon):
        """Takes the rows of real tokens out before anything else."""
        rows, y = logits[labels != 0], labels[labels != 0]
        log_p = rows.log_softmax(-1)
        possible = rows > -math.inf
        q = epsilon * possible / possible.sum(-1, keepdim=True)
        q = q + (1 - epsilon) * F.one_hot(y, rows.shape[-1])
        return -(q * log_p.masked_fill(~possible, 0.0)).sum() / len(y)

    def one_token_at_a_time(logits, labels, epsilon):
        """Loops over tokens and drops impossible words from each row."""
        losses = []
        for u, y in zip(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), strict=True):
            if y != 0:
                finite = u[u > -math.inf]
                even = torch.logsumexp(finite, 0) - finite.mean()
                losses.append((1 - epsilon) * (torch.logsumexp(finite, 0) - u[y]) + epsilon * even)
        return torch.stack(losses).mean()

    def by_logits(logits, labels, epsilon):
        """log-sum-exp less the logits that the target expects."""
        possible = torch.isfinite(logits)
        mean = torch.where(possible, logits, 0.0).sum(-1) / possible.sum(-1)
        wanted = (1 - epsilon) * logits.gather(-1, labels[..., None]).squeeze(-1) + epsilon * mean
        losses = torch.logsumexp(logits, -1) - wanted
        return losses.masked_fill(labels == 0, 0.0).sum() / (labels != 0).sum()


EXERCISE = Exercise(
    id="smoothed_loss",
    oracle=correct,
    hint="There are three things to get right: which positions have a uniform part, what an "
    "impossible word adds to it, and what the sum is divided by. Which of them is still wrong?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
