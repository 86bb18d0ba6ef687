"""The exercise ``logit_gradient``: that of the mean loss per token (A19, A22; chapter 8)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
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
        Case("logits around 1000", (draw.tensor(_LARGE), torch.tensor([[1, 2], [2, 0]]))),
        Case("padding in front and between", (draw.normal(2, 4, 3), torch.tensor(_GAPS))),
    ]


_LARGE = [
    [[1000.0, 1001.0, 999.0], [0.0, 1.0, 2.0]],
    [[-1000.0, -1000.0, -1001.0], [2000.0, 0.0, 0.0]],
]
_GAPS = [[0, 2, 0, 1], [1, 0, 2, 2]]


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


def _by(logits, labels, difference, padding=True):
    """The gradient of the mean over tokens, with another difference than softmax less one-hot."""
    gradient = difference(logits.softmax(-1), _onehot(logits, labels))
    return (gradient * _real(labels) if padding else gradient) / (labels != 0).sum()


def _over(logits, labels, divisor):
    """The gradient of the sum over tokens, divided by `divisor`."""
    return likelihood.logit_gradient(logits, labels) / divisor


def _sentences(labels):
    return labels.numel() // labels.shape[-1]


def _of_rows(labels):
    """How many tokens each sentence has."""
    return (labels != 0).sum(-1)[..., None, None].clamp(1)


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
        return _over(logits, labels, _sentences(labels))

    def over_the_first_dimension(logits, labels):
        """You divided by the size of the first dimension. In a batch that is the number of
        sentences, and in a single sentence the number of positions.

        The mean is over tokens. How many labels are not 0?
        """
        return _over(logits, labels, len(labels))

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
        """This is the gradient with respect to the probabilities, -1/p at the label.

        Go back through the softmax as well, to the logits.
        """
        p = logits.softmax(-1)
        return -_onehot(logits, labels) / p * _real(labels) / (labels != 0).sum()

    def times_p_times_1_minus_p(logits, labels):
        """You multiplied p - y by p (1 - p), as for a squared error after a sigmoid.

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

    def of_the_mean_of_means(logits, labels):
        """You divided each sentence by its own number of tokens, and by the number of sentences.

        The sum over all sentences is divided once, by the number of all tokens.
        """
        return _over(logits, labels, _of_rows(labels) * _sentences(labels))

    def of_each_sentence(logits, labels):
        """You divided each sentence by its own number of tokens.

        The sum over all sentences is divided once, by the number of all tokens.
        """
        return _over(logits, labels, _of_rows(labels))

    def over_tokens_and_sentences(logits, labels):
        """You divided by the number of tokens, and then by the number of sentences, too.

        The mean over tokens has one divisor, M.
        """
        return correct(logits, labels) / _sentences(labels)

    def over_tokens_and_words(logits, labels):
        """You also divided by the number of words V. The mean is over tokens only.

        The sum over k stands inside the logarithm. Is it divided by anything?
        """
        return correct(logits, labels) / logits.shape[-1]

    def over_every_entry(logits, labels):
        """You divided by the number of all entries of the logits.

        The mean is over tokens. How many labels are not 0?
        """
        return _over(logits, labels, logits.numel())

    def times_the_tokens(logits, labels):
        """You multiplied by the number of tokens. The mean divides by it.

        What stands in front of the sum?
        """
        return likelihood.logit_gradient(logits, labels) * (labels != 0).sum()

    def over_the_longest(logits, labels):
        """You divided by the padded length, the number of columns of the labels.

        The mean is over the tokens of all sentences. How many labels are not 0?
        """
        return _over(logits, labels, labels.shape[-1])

    def over_the_padding(logits, labels):
        """You divided by the number of labels that *are* 0.

        M counts those that are not.
        """
        return _over(logits, labels, (labels == 0).sum())

    def padding_turned_round(logits, labels):
        """Only the rows of padding have a gradient. Those of the tokens are 0.

        Which rows have no loss?
        """
        gradient = logits.softmax(-1) - _onehot(logits, labels)
        return gradient * (labels == 0)[..., None] / (labels != 0).sum()

    def word_0_left_out(logits, labels):
        """You set the *column* of word 0 to 0. Padding is a *row*: one whose label is 0.

        The logit of word 0 is in every softmax, and has a gradient.
        """
        gradient = logits.softmax(-1) - _onehot(logits, labels)
        return torch.cat([0 * gradient[..., :1], gradient[..., 1:]], -1) / (labels != 0).sum()

    def word_0_and_padding_left_out(logits, labels):
        """The rows of padding are right, but you set the column of word 0 to 0 as well.

        The logit of word 0 is in every softmax, and has a gradient.
        """
        gradient = correct(logits, labels)
        return torch.cat([0 * gradient[..., :1], gradient[..., 1:]], -1)

    def word_0_ruled_out(logits, labels):
        """You left word 0 out of the softmax. It is part of the vocabulary, like any other word.

        The *label* 0 marks padding. Is there anything wrong with the logit of word 0 at a real
        position?
        """
        u = logits.clone()
        u[..., 0] = -math.inf
        return _by(u, labels, lambda p, y: p - y)

    def of_the_probability(logits, labels):
        """This is the gradient of minus the *probability* of the label, without the logarithm.

        The loss contains log Σ exp(u). What does the logarithm do to the derivative?
        """
        return _by(logits, labels, lambda p, y: (p * y).sum(-1, keepdim=True) * (p - y))

    def of_the_squares(logits, labels):
        """This is the gradient of the squared distance between the probabilities and the one-hot
        row.

        The loss is log Σ exp(u) - u[y]. Differentiate that.
        """

        def difference(p, y):
            return 2 * p * (p - y - (p * (p - y)).sum(-1, keepdim=True))

        return _by(logits, labels, difference)

    def times_p(logits, labels):
        """You multiplied p - y by p.

        Start from log Σ exp(u) - u[y]. Is anything left to multiply by?
        """
        return _by(logits, labels, lambda p, y: p * (p - y))

    def through_the_softmax_again(logits, labels):
        """You multiplied p - y by the derivative of the softmax. It is in p - y already.

        Differentiate log Σ exp(u) - u[y] directly: there is no softmax left to go through.
        """
        return _by(logits, labels, lambda p, y: p * (p - y - (p * (p - y)).sum(-1, keepdim=True)))

    def minus_one_over_p(logits, labels):
        """Your gradient is (1 - y)/(1 - p) - y/p, as if each word were a yes-or-no question of its
        own.

        Start from log Σ exp(u) - u[y], and differentiate with respect to u[k].
        """
        return _by(logits, labels, lambda p, y: torch.where(y > 0, -1 / p, 1 / (1 - p)))

    def log_probabilities_for_probabilities(logits, labels):
        """You subtracted the one-hot row from the log-probabilities.

        The derivative of log Σ exp(u) with respect to u[k] is a fraction. Which one?
        """
        return _by(logits, labels, lambda p, y: logits.log_softmax(-1) - y)

    def label_left_out(logits, labels):
        """The entries of other words are right, but that of the label is 0.

        For k = y, both terms of the loss have a derivative.
        """
        return _by(logits, labels, lambda p, y: p * (1 - y))

    def only_the_second_term(logits, labels):
        """This is the gradient of -u[y] alone: -1 at the label.

        The first term, log Σ exp(u), depends on every logit.
        """
        return _by(logits, labels, lambda p, y: -y)

    def target_added(logits, labels):
        """You added the one-hot row to the softmax. The second term of the loss is *minus* u[y].

        What is the derivative of -u[y] with respect to u[y]?
        """
        return _by(logits, labels, lambda p, y: p + y)

    def one_minus_p_at_the_label(logits, labels):
        """At the label you have 1 - p, where it should be p - 1.

        If the logit of the right word grows, the loss falls. So what sign does the derivative have?
        """
        return _by(logits, labels, lambda p, y: (p - y).abs())

    def loss_times_the_rows(logits, labels):
        """You multiplied each row by the loss of its token.

        The derivative of log x is 1/x: nothing of the loss itself is left.
        """
        return _by(
            logits, labels, lambda p, y: -(logits.log_softmax(-1) * y).sum(-1, True) * (p - y)
        )

    def labels_from_1(logits, labels):
        """You subtracted the 1 at the word before the label: at y - 1.

        Words are numbered from 0 to V - 1, as columns are.
        """
        before = _onehot(logits, (labels - 1).clamp(0))
        return _by(logits, labels, lambda p, y: p - before)

    def one_softmax_for_all(logits, labels):
        """You took one softmax over all positions and words together.

        Each position has its own: its probabilities sum to 1.
        """
        p = logits.flatten().softmax(0).reshape(logits.shape)
        return _by(logits, labels, lambda _, y: p - y)

    def words_in_dimension_1(logits, labels):
        """One sentence is right. In a batch, your softmax runs over dimension 1, the positions.

        Words are the *last* dimension, however many stand in front.
        """
        return _by(logits, labels, lambda _, y: logits.softmax(1) - y)

    def exponentials_as_written(logits, labels):
        """You took the exponentials of the logits as they are; those of large logits are infinite.

        Subtracting one number from a whole row does not change the fraction. `softmax` does that.
        """
        e = logits.exp()
        return _by(logits, labels, lambda _, y: e / e.sum(-1, keepdim=True) - y)

    def largest_of_all(logits, labels):
        """You subtract the largest logit of the whole tensor. All exponentials of a row that is far
        below it become 0.

        Each position has its own softmax. So which logit should it subtract?
        """
        e = (logits - logits.max()).exp()
        return _by(logits, labels, lambda _, y: e / e.sum(-1, keepdim=True) - y)

    def padding_removed(logits, labels):
        """The rows of the tokens are right, but you removed those of padding.

        Return the shape of the logits, with rows of 0 at padding.
        """
        return correct(logits, labels)[labels != 0]

    def the_loss(logits, labels):
        """You returned the losses, not their gradient.

        Differentiate by hand with respect to every logit.
        """
        return likelihood.token_losses(logits, labels)

    def the_mean_loss(logits, labels):
        """You returned the mean loss, not its gradient.

        Differentiate by hand with respect to every logit.
        """
        return likelihood.token_losses(logits, labels).sum() / (labels != 0).sum()


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
    forbids=("gradients",),
)
