"""The exercise ``token_losses``: -log softmax(u)[y] at each position (C04, A22; chapter 8)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
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
        Case("rows that are far apart", (draw.tensor(_FAR_APART), torch.tensor([[1, 2], [2, 1]]))),
        Case("a right word 2000 behind", (draw.tensor([[2000.0, 0, 0]]), torch.tensor([1]))),
    ]


_FAR_APART = [
    [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    [[1000.0, 1000.0, 1000.0], [2000.0, 2000.0, 2001.0]],
]
"""Some rows lie so far below the largest logit of all, or of their sentence, that after
subtracting it all their exponentials are 0."""


def correct(logits, labels):
    """The package's."""
    return likelihood.token_losses(logits, labels)


def _of_labels(x, labels):
    """What stands at each label."""
    return x.gather(-1, labels[..., None]).squeeze(-1)


def _without_padding(losses, labels):
    return losses.masked_fill(labels == 0, 0)


def _shifted_by(shift, logits, labels):
    """The loss after subtracting `shift` instead of each row's own largest logit."""
    u = logits - shift
    return _without_padding(u.exp().sum(-1).log() - _of_labels(u, labels), labels)


def _never_below(floor):
    """The mistake of keeping a probability away from 0, which puts a ceiling on the loss."""

    def mistake(logits, labels):
        p = _of_labels(logits.softmax(-1), labels)
        return _without_padding(-(p + floor).log(), labels)

    mistake.__name__ = f"probability_never_below_{floor:.0e}".replace("-", "_")
    mistake.__doc__ = f"""It is as if no probability could be below {floor:.0e}: none of your
    losses exceeds about {-math.log(floor):.0f}.

    Write the logarithm of the fraction as a difference before you compute anything.
    """
    return mistake


def never_negative(case: Case, losses) -> bool:
    """Whether no loss is below 0, rounding aside."""
    return bool((losses.double() >= -1e-3).all())


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_logits(logits, labels):
        """Your function changes the logits that it is given.

        `x -= y` writes into the caller's tensor; `x = x - y` makes a new one.
        """
        losses = correct(logits.clone(), labels)
        with torch.no_grad():
            logits -= logits.amax(-1, keepdim=True)
        return losses

    def nothing_to_learn_by(logits, labels):
        """The losses are right, but no gradient flows back to the logits.

        Where do you leave torch, detach, or make a new tensor out of numbers?
        """
        return correct(logits.detach(), labels)

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

        The label's probability is the exponential of its logit, divided by the sum of all
        exponentials.
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

        Look for two softmaxes: `log_softmax` contains one.
        """
        log_p = logits.softmax(-1).log_softmax(-1)
        return -log_p.gather(-1, labels[..., None]).squeeze(-1).masked_fill(labels == 0, 0)

    def every_label_at_every_position(logits, labels):
        """You look up every label at every position. Each label belongs to its own position only.

        An index such as `[..., labels]` does this. `gather` along the last dimension takes one
        number at each position.
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

    def padding_turned_round(logits, labels):
        """You put 0 at the real tokens, and a loss at padding.

        Where does a label of 0 stand?
        """
        return torch.where(labels == 0, Wrong.padding_counted(logits, labels), 0.0)

    def padding_and_sign(logits, labels):
        """Two mistakes: these are log-probabilities, so they grow as the model gets better, and
        padding has one, too.

        What should a position cost where there is nothing to predict?
        """
        return -Wrong.padding_counted(logits, labels)

    def word_0_ruled_out(logits, labels):
        """You left word 0 out of the softmax. It is part of the vocabulary, like any other word.

        The *label* 0 marks padding. Is there anything wrong with the logit of word 0 at a real
        position?
        """
        u = logits.clone()
        u[..., 0] = -math.inf
        return _without_padding(-_of_labels(u.log_softmax(-1), labels), labels)

    def one_sentence_only(logits, labels):
        """A single sentence is right. In a batch, you use the labels as indices of positions, not
        of words.

        `gather` along the last dimension works with any number of dimensions in front.
        """
        return _without_padding(-logits.log_softmax(-1)[torch.arange(len(labels)), labels], labels)

    def words_in_dimension_1(logits, labels):
        """One sentence is right. In a batch, your softmax runs over dimension 1, the positions.

        Words are the *last* dimension, however many stand in front.
        """
        return _without_padding(-_of_labels(logits.log_softmax(1), labels), labels)

    def words_in_dimension_0(logits, labels):
        """Your softmax runs over dimension 0: over positions, and in a batch over sentences.

        Words are the *last* dimension, however many stand in front.
        """
        return _without_padding(-_of_labels(logits.log_softmax(0), labels), labels)

    def largest_of_all(logits, labels):
        """You subtract the largest logit of the whole tensor. All exponentials of a row that is far
        below it become 0.

        What may you subtract from a row without changing its probabilities?
        """
        return _shifted_by(logits.max(), logits, labels)

    def largest_of_a_sentence(logits, labels):
        """You subtract the largest logit of each sentence. All exponentials of a row that is far
        below it become 0.

        Each position has its own softmax. So which logit should it subtract?
        """
        return _shifted_by(logits.amax((-2, -1), keepdim=True), logits, labels)

    def largest_of_each_word(logits, labels):
        """You subtract a different number for each word: the largest logit that it has at any
        position.

        A softmax stays the same only if the same number is subtracted from the whole row.
        """
        return _shifted_by(logits.amax(-2, keepdim=True), logits, labels)

    def mean_taken_out(logits, labels):
        """You subtract a number from each row, but not its largest logit: where a logit is far
        above what you subtract, its exponential overflows.

        Which logit of the row must become 0, so that no exponential exceeds 1?
        """
        return _shifted_by(logits.mean(-1, keepdim=True), logits, labels)

    def only_the_sum_shifted(logits, labels):
        """You subtract the largest logit inside the sum of exponentials, but not from the label's
        logit.

        Whatever you subtract inside the sum must be added again after the logarithm, or subtracted
        from the label's logit, too.
        """
        u = logits - logits.amax(-1, keepdim=True)
        return _without_padding(u.logsumexp(-1) - _of_labels(logits, labels), labels)

    def only_the_label_shifted(logits, labels):
        """You subtract the largest logit from the label's logit, but not inside the logarithm of
        the sum.

        Subtract the same number in both terms of the difference.
        """
        u = logits - logits.amax(-1, keepdim=True)
        return _without_padding(logits.logsumexp(-1) - _of_labels(u, labels), labels)

    def sum_without_its_logarithm(logits, labels):
        """The logarithm of the sum of exponentials is missing: you subtract the label's logit from
        the sum itself.

        The logarithm of a fraction is the difference of two logarithms.
        """
        return _without_padding(logits.exp().sum(-1) - _of_labels(logits, labels), labels)

    def no_exponentials(logits, labels):
        """You divided the label's logit by the sum of the logits. The exponentials are missing.

        Logits may be negative. What does a softmax do first?
        """
        return _without_padding(-(_of_labels(logits, labels) / logits.sum(-1)).log(), labels)

    def sigmoid_for_softmax(logits, labels):
        """You took a sigmoid of the label's logit. The other logits do not enter.

        The label's probability is the exponential of its logit, divided by the sum of all
        exponentials.
        """
        return _without_padding(-F.logsigmoid(_of_labels(logits, labels)), labels)

    def squared_error(logits, labels):
        """This is the squared distance between the probabilities and the one-hot row. It never
        exceeds 2.

        The loss of a token (C04) contains one probability and a logarithm.
        """
        onehot = F.one_hot(labels, logits.shape[-1])
        return _without_padding(((logits.softmax(-1) - onehot) ** 2).sum(-1), labels)

    def other_words_charged(logits, labels):
        """You also charge for the other words, -log(1 - p) each, as if every word were a yes-or-no
        question of its own.

        Document C's loss (C04) contains only the probability of the right word.
        """
        p, onehot = logits.softmax(-1), F.one_hot(labels, logits.shape[-1]).bool()
        return _without_padding(-torch.where(onehot, p, 1 - p).log().sum(-1), labels)

    def perplexities(logits, labels):
        """These are 1 over the probabilities of the labels. The loss is the logarithm of that.

        Likelihoods multiply. Which function turns a product into a sum?
        """
        return _without_padding(correct(logits, labels).exp(), labels)

    def in_powers_of_ten(logits, labels):
        """You took the logarithm to the base 10.

        Use the natural logarithm: the course measures in nats.
        """
        return correct(logits, labels) / math.log(10)

    def most_likely_word(logits, labels):
        """This is the loss of the word that the model finds most likely, whatever the label is.

        Which word's probability enters the loss?
        """
        return _without_padding(-logits.log_softmax(-1).amax(-1), labels)

    def summed_over_words(logits, labels):
        """You added up the losses of all words of the vocabulary. Only one of them is right.

        Which operation takes a single number out of each row?
        """
        return _without_padding(-logits.log_softmax(-1).sum(-1), labels)

    def averaged_over_words(logits, labels):
        """You took the mean over all words of the vocabulary. Only one of them is right.

        At each position, pick out the loss of the label.
        """
        return _without_padding(-logits.log_softmax(-1).mean(-1), labels)

    def labels_from_1(logits, labels):
        """You looked up the word before the label: the loss of word y - 1 for the label y.

        Words are numbered from 0 to V - 1, as columns are.
        """
        return _without_padding(-_of_labels(logits.log_softmax(-1), (labels - 1).clamp(0)), labels)

    def labels_up_by_1(logits, labels):
        """You looked up the word after the label: the loss of word y + 1 for the label y.

        Words are numbered from 0 to V - 1, as columns are.
        """
        above = (labels + 1) % logits.shape[-1]
        return _without_padding(-_of_labels(logits.log_softmax(-1), above), labels)

    def label_of_the_next_position(logits, labels):
        """You compare each position with the label of the next one.

        The labels have been shifted already: row j of the logits predicts label j.
        """
        return _without_padding(-_of_labels(logits.log_softmax(-1), labels.roll(-1, -1)), labels)

    def share_of_the_mean(logits, labels):
        """You divided each loss by the number of tokens: these are shares of the mean.

        Return the loss of each token as it is.
        """
        return correct(logits, labels) / (labels != 0).sum()

    def sum_of_each_sentence(logits, labels):
        """You returned one number for each sentence, its sum. Return one for each position.

        How to combine them is the question of another exercise.
        """
        return correct(logits, labels).sum(-1)

    def mean_of_each_sentence(logits, labels):
        """You returned one number for each sentence, its mean. Return one for each position.

        How to combine them is the question of another exercise.
        """
        return correct(logits, labels).sum(-1) / (labels != 0).sum(-1)

    def averaged_with_padding(logits, labels):
        """You returned the mean over all positions, padding included. Return one loss for each
        position.

        What to divide them by is the question of another exercise.
        """
        return correct(logits, labels).mean()

    def one_dimension_too_many(logits, labels):
        """The losses are right, but a last dimension of size 1 is left over.

        `gather` keeps the dimension along which it looks up. Which function removes it?
        """
        return correct(logits, labels)[..., None]

    def flat(logits, labels):
        """The losses are right, but they stand in one long row. Return the shape of the labels.

        Put the dimensions back at the end.
        """
        return correct(logits, labels).flatten()

    def one_hot_times_losses(logits, labels):
        """You multiplied by one-hot rows, but you did not add over the words.

        In each row, all entries but one are 0 now. Along which dimension must you add them?
        """
        onehot = F.one_hot(labels, logits.shape[-1])
        return -(onehot * logits.log_softmax(-1)) * (labels != 0)[..., None]

    never_below_1e_38 = _never_below(1e-38)
    never_below_1e_30 = _never_below(1e-30)
    never_below_1e_20 = _never_below(1e-20)
    never_below_1e_16 = _never_below(1e-16)
    never_below_1e_15 = _never_below(1e-15)
    never_below_1e_12 = _never_below(1e-12)
    never_below_1e_10 = _never_below(1e-10)
    never_below_1e_9 = _never_below(1e-9)
    never_below_1e_8 = _never_below(1e-8)
    never_below_1e_7 = _never_below(1e-7)
    never_below_1e_6 = _never_below(1e-6)
    never_below_1e_5 = _never_below(1e-5)


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
    forbids=("cross-entropy",),
)
