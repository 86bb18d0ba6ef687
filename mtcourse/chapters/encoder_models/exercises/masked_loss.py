"""The exercise ``masked_loss``: the mean over the chosen positions alone (C26, C28; chapter 15)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """One sentence by hand, batches with one label or many, without any, and large logits."""
    ln2, ln7 = math.log(2), math.log(7)
    hand = draw.tensor([[ln2, 0.0, 0.0], [0.0, 0.0, ln2], [0.0, ln7, 0.0], [0.0, 0.0, ln2]])
    batch = torch.tensor([[0, 0, 4, 0, 1], [0, 2, 3, 5, 0], [0, 0, 0, 0, 0]])
    long = torch.zeros(4, 30, dtype=torch.long)
    long[0, 3], long[1, 4], long[1, 20], long[3, 11] = 2, 6, 1, 5
    large = 1000 + 3 * draw.normal(2, 4, 5)
    square = torch.tensor([[0, 3, 0, 1], [2, 0, 0, 0]])
    return [
        Case("four positions, two of them chosen", (hand, torch.tensor([0, 0, 2, 2])), True),
        Case("3 sentences, one without a label", (draw.normal(3, 5, 6), batch)),
        Case("4 sentences of 30 positions", (2 * draw.normal(4, 30, 7), long)),
        Case("as many positions as words", (draw.normal(2, 4, 4), square)),
        Case("logits around 1000", (large, square)),
        Case("a right word 300 behind", (draw.tensor([[0.0, 0, 300], [1, 2, 0]]), _TWO)),
        Case("all positions chosen", (draw.normal(2, 3, 5), torch.tensor([[1, 2, 4], [3, 1, 1]]))),
        Case("nothing chosen", (draw.normal(2, 3, 5), torch.zeros(2, 3, dtype=torch.long))),
    ]


_TWO = torch.tensor([1, 0])


def _losses(logits, labels):
    """-log p of each label, at every position."""
    return logits.logsumexp(-1) - logits.gather(-1, labels[..., None])[..., 0]


def _over(total, count):
    """A mean, 0 where nothing counts."""
    return total / max(int(count), 1)


def correct(logits, labels):
    """The sum over the positions with a label, divided by their number."""
    counts = labels != 0
    return _over((_losses(logits, labels) * counts).sum(), counts.sum())


def _by_sentence(logits, labels):
    """The sum of the losses of each sentence, and how many there are."""
    counts = labels != 0
    return (_losses(logits, labels) * counts).sum(-1), counts.sum(-1)


def _never_below(floor):
    """The mistake of keeping a probability away from 0, which puts a ceiling on the loss."""

    def mistake(logits, labels):
        counts = labels != 0
        p = logits.softmax(-1).gather(-1, labels[..., None])[..., 0]
        return _over(-((p + floor).log()).masked_fill(~counts, 0).sum(), counts.sum())

    mistake.__name__ = f"probability_never_below_{floor:.0e}".replace("e-0", "e-").replace("-", "_")
    mistake.__doc__ = f"""Where the right word is far behind, your loss is too small: it is as if no
    probability could be below {floor:.0e}.

    Take the logarithm of the softmax in one step, with `log_softmax` or `logsumexp`.
    """
    return mistake


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_to_learn_by(logits, labels):
        """The loss is right, but no gradient flows back to the logits.

        Where do you leave torch, detach, or make a new tensor out of numbers?
        """
        return correct(logits.detach(), labels)

    def nan_without_labels(logits, labels):
        """Where nothing is chosen, your loss is NaN: it is 0 divided by 0.

        The question asks for 0 there. A divisor of at least 1 changes nothing elsewhere.
        """
        counts = labels != 0
        return (_losses(logits, labels) * counts).sum() / counts.sum()

    def a_number_without_labels(logits, labels):
        """Where nothing is chosen, your loss is 0, but no gradient can be taken: it is a new
        number, which does not come from the logits.

        A sum over no position at all is 0, too, and it comes from the logits.
        """
        return correct(logits, labels) if (labels != 0).any() else torch.zeros(())

    def over_all_positions(logits, labels):
        """You add up the right losses, but you divide by the number of *all* positions.

        How many positions have a label?
        """
        counts = labels != 0
        return (_losses(logits, labels) * counts).sum() / counts.numel()

    def summed_only(logits, labels):
        """You add up the losses. Divide by the number of positions that have a label.

        With a sum, a batch with more labels has a larger loss.
        """
        return (_losses(logits, labels) * (labels != 0)).sum()

    def every_position_counts(logits, labels):
        """Your loss counts every position, as if a label of 0 asked for word 0.

        Where the label is 0, nothing is asked for. With `F.cross_entropy`, which setting leaves a
        label out, and which one does it leave out by itself?
        """
        return _losses(logits, labels).mean()

    def every_position_over_the_chosen(logits, labels):
        """You add up the losses of *all* positions, and divide by the number of the chosen ones.

        Leave the same positions out of the sum.
        """
        return _over(_losses(logits, labels).sum(), (labels != 0).sum())

    def mean_of_sentence_means(logits, labels):
        """You take the mean of each sentence first, and then the mean of these means.

        Sentences with few labels count too much in this way. All labels of the batch count equally.
        """
        totals, counts = _by_sentence(logits, labels)
        return (totals / counts.clamp(min=1)).mean()

    def mean_of_labelled_sentence_means(logits, labels):
        """You take the mean of each sentence with a label first, and then the mean of these means.

        Sentences with few labels count too much in this way. All labels of the batch count equally.
        """
        totals, counts = _by_sentence(logits, labels)
        means = (totals / counts.clamp(min=1)).sum()
        return _over(means, (counts > 0).sum())

    def sums_of_sentences_averaged(logits, labels):
        """You add up the losses, and divide by the number of sentences.

        Divide by the number of positions that have a label.
        """
        total = (_losses(logits, labels) * (labels != 0)).sum()
        return total / (len(labels) if labels.dim() > 1 else 1)

    def words_of_the_vocabulary(logits, labels):
        """You divide by V times the number of chosen positions, as in a mean over a one-hot matrix.

        Each chosen position has one loss. Divide by the number of positions.
        """
        return correct(logits, labels) / logits.shape[-1]

    def one_loss_for_each_position(logits, labels):
        """You return a loss for each position. A single number is asked for.

        Add up those that count, and divide by their number.
        """
        return _losses(logits, labels) * (labels != 0)

    def one_loss_for_each_sentence(logits, labels):
        """You return a loss for each sentence. A single number is asked for.

        All labels of the batch count equally, in whichever sentence they are.
        """
        totals, counts = _by_sentence(logits, labels)
        return totals / counts.clamp(min=1)

    def chosen_losses(logits, labels):
        """You return the losses of the chosen positions. Their mean is asked for.

        What should the mean of no loss at all be?
        """
        return _losses(logits, labels)[labels != 0]

    def sign_missing(logits, labels):
        """Your loss is negative: it is the mean log-probability itself.

        A loss should fall when the right words become more probable.
        """
        return -correct(logits, labels)

    def in_bits(logits, labels):
        """You took logarithms to the base 2. The course measures in nats.

        `log_softmax` and `log` take natural logarithms.
        """
        return correct(logits, labels) / math.log(2)

    def perplexity(logits, labels):
        """You return the exponential of the loss, the perplexity.

        The loss is its logarithm.
        """
        return correct(logits, labels).exp()

    def log_of_the_mean(logits, labels):
        """You take the mean of the probabilities, and then the logarithm.

        The loss is the mean of the logarithms.
        """
        counts = labels != 0
        p = (-_losses(logits, labels)).exp() * counts
        return -_over(p.sum(), counts.sum()).log()

    def probabilities(logits, labels):
        """You return the mean probability of the right words. The logarithm is missing.

        The loss of a position is minus the logarithm of its probability.
        """
        counts = labels != 0
        return _over(((-_losses(logits, labels)).exp() * counts).sum(), counts.sum())

    def one_minus_probability(logits, labels):
        """Your loss is the mean of 1 − p, which is never more than 1.

        The loss of a position is minus the logarithm of its probability.
        """
        counts = labels != 0
        return _over(((1 - (-_losses(logits, labels)).exp()) * counts).sum(), counts.sum())

    def share_of_wrong_words(logits, labels):
        """You count how often the most probable word is not the right one.

        A count has no gradient. The loss of a position is minus the logarithm of a probability.
        """
        counts = labels != 0
        return _over(((logits.argmax(-1) != labels) & counts).sum().to(logits.dtype), counts.sum())

    def logits_for_logarithms(logits, labels):
        """You take minus the logits of the right words. The other words' logits do not enter.

        A logit is no log-probability: the softmax is missing.
        """
        counts = labels != 0
        found = -logits.gather(-1, labels[..., None])[..., 0]
        return _over((found * counts).sum(), counts.sum())

    def softmax_twice(logits, labels):
        """You take a softmax of probabilities.

        `F.cross_entropy` and `log_softmax` take logits: they contain a softmax.
        """
        return correct(logits.softmax(-1), labels)

    def log_of_a_softmax(logits, labels):
        """Where the right word is far behind, its probability is rounded to 0, and your loss is not
        finite.

        Take the logarithm of the softmax in one step, with `log_softmax` or `logsumexp`.
        """
        counts = labels != 0
        p = logits.softmax(-1).gather(-1, labels[..., None])[..., 0]
        return _over(-(p.log()).masked_fill(~counts, 0).sum(), counts.sum())

    def exponentials_overflow(logits, labels):
        """Logits around 1000 have infinite exponentials, and your loss is not a number there.

        `log_softmax` and `logsumexp` subtract the largest logit first.
        """
        counts = labels != 0
        found = logits.exp().sum(-1).log() - logits.gather(-1, labels[..., None])[..., 0]
        return _over(found.masked_fill(~counts, 0).sum(), counts.sum())

    probability_never_below_1e_6 = _never_below(1e-6)
    probability_never_below_1e_7 = _never_below(1e-7)
    probability_never_below_1e_8 = _never_below(1e-8)
    probability_never_below_1e_9 = _never_below(1e-9)
    probability_never_below_1e_10 = _never_below(1e-10)
    probability_never_below_1e_12 = _never_below(1e-12)

    def over_the_positions(logits, labels):
        """Your softmax runs over the positions. It should run over the words, at each position.

        Words are the last dimension.
        """
        counts = labels != 0
        found = -logits.log_softmax(-2).gather(-1, labels[..., None])[..., 0]
        return _over((found * counts).sum(), counts.sum())

    def shifted_as_a_decoder(logits, labels):
        """You compare row t with the label of position t + 1, as in a decoder.

        An encoder's row t is asked for token t itself (C28).
        """
        return correct(logits[..., :-1, :], labels[..., 1:])

    def shifted_back(logits, labels):
        """You compare row t + 1 with the label of position t.

        An encoder's row t is asked for token t itself (C28).
        """
        return correct(logits[..., 1:, :], labels[..., :-1])

    def word_0_left_out(logits, labels):
        """You left word 0 out of the softmax.

        The *label* 0 means that nothing is asked for. The logits of a chosen position are taken as
        they are.
        """
        hidden = logits.clone()
        hidden[..., 0] = -math.inf
        counts = labels != 0
        return _over(_losses(hidden, labels).masked_fill(~counts, 0).sum(), counts.sum())

    def first_sentence_only(logits, labels):
        """You use the first sentence of a batch alone.

        The mean runs over the chosen positions of all sentences.
        """
        return correct(logits[:1], labels[:1]) if labels.dim() > 1 else correct(logits, labels)

    def positions_that_do_not_count(logits, labels):
        """Your loss counts the positions that were *not* chosen, and leaves out the chosen ones.

        Where does a label of 0 stand?
        """
        counts = labels == 0
        return _over((_losses(logits, labels) * counts).sum(), counts.sum())

    def zeroed_logits(logits, labels):
        """You set the logits of positions without a label to 0. A row of zeros still has a loss,
        that of V equally probable words.

        Leave the losses out, not the logits.
        """
        return _losses(logits * (labels != 0)[..., None], labels).mean()

    def zeroed_logits_over_the_chosen(logits, labels):
        """You set the logits of positions without a label to 0, and divide by the number of chosen
        ones. A row of zeros still has a loss, that of V equally probable words.

        Leave the losses out, not the logits.
        """
        counts = labels != 0
        return _over(_losses(logits * counts[..., None], labels).sum(), counts.sum())

    def one_too_many(logits, labels):
        """You divide by the number of chosen positions plus 1.

        To keep the divisor from being 0, make it *at least* 1: that changes nothing elsewhere.
        """
        counts = labels != 0
        return (_losses(logits, labels) * counts).sum() / (counts.sum() + 1)

    def square_root_of_the_number(logits, labels):
        """You divide by the root of the number of chosen positions.

        A mean divides by the number itself.
        """
        counts = labels != 0
        return (_losses(logits, labels) * counts).sum() / counts.sum().clamp(min=1).sqrt()

    def labels_looked_up_in_every_sentence(logits, labels):
        """In a batch, you look each label up in the logits of *every* sentence.

        An index such as `log_p[..., positions, labels]` does this. `gather` along the last
        dimension looks up one number at each position.
        """
        counts = labels != 0
        n = torch.arange(labels.shape[-1])
        found = -logits.log_softmax(-1)[..., n, labels]
        return _over((found * counts).sum(), counts.sum())

    def label_ids_less_one(logits, labels):
        """You look up the word before the label, with the id label − 1, as if words were counted
        from 1.

        The label is the number of a column of the logits.
        """
        counts = labels != 0
        return _over((_losses(logits, (labels - 1).clamp(min=0)) * counts).sum(), counts.sum())

    def loss_of_the_best(logits, labels):
        """You take the probability of the *most probable* word at each chosen position. The labels
        say only where, and not which word.

        Look up the logarithm of the label's probability.
        """
        counts = labels != 0
        return -_over((logits.log_softmax(-1).amax(-1) * counts).sum(), counts.sum())

    def all_words_charged(logits, labels):
        """You take the mean over all words of the vocabulary at the chosen positions. The labels
        say only where, and not which word.

        Look up the logarithm of the label's probability.
        """
        counts = labels != 0
        return -_over((logits.log_softmax(-1).mean(-1) * counts).sum(), counts.sum())

    def minus_the_probability(logits, labels):
        """You return minus the mean probability of the right words. The logarithm is missing.

        `F.nll_loss` takes log-probabilities, and a softmax makes probabilities.
        """
        counts = labels != 0
        return -_over(((-_losses(logits, labels)).exp() * counts).sum(), counts.sum())

    def minus_the_probability_with_nan(logits, labels):
        """You return minus the mean probability of the right words, and NaN where nothing is
        chosen. The logarithm is missing.

        `F.nll_loss` takes log-probabilities, and a softmax makes probabilities.
        """
        counts = labels != 0
        return -((-_losses(logits, labels)).exp() * counts).sum() / counts.sum()

    def softmax_twice_with_nan(logits, labels):
        """You take a softmax of probabilities, and your loss is NaN where nothing is chosen.

        `F.cross_entropy` and `log_softmax` take logits: they contain a softmax.
        """
        counts = labels != 0
        return (_losses(logits.softmax(-1), labels) * counts).sum() / counts.sum()

    def shifted_with_nan(logits, labels):
        """You compare row t with the label of position t + 1, as in a decoder, and your loss is NaN
        where nothing is chosen.

        An encoder's row t is asked for token t itself (C28).
        """
        losses = _losses(logits[..., :-1, :], labels[..., 1:])
        counts = labels[..., 1:] != 0
        return (losses * counts).sum() / counts.sum()

    def perplexity_with_nan(logits, labels):
        """You return the exponential of the loss, the perplexity, and NaN where nothing is chosen.

        The loss is its logarithm, and 0 if nothing is chosen.
        """
        counts = labels != 0
        return ((_losses(logits, labels) * counts).sum() / counts.sum()).exp()

    def nothing_without_labels(logits, labels):
        """Where nothing is chosen, your function returns nothing.

        Give the `if` an `else`. Or divide by at least 1, and no `if` is needed.
        """
        return correct(logits, labels) if (labels != 0).any() else None

    def mean_of_sentence_means_with_nan(logits, labels):
        """You take the mean of each sentence first, and that is NaN for a sentence without a label.

        All labels of the batch count equally: add up over the whole batch, and divide once.
        """
        totals, counts = _by_sentence(logits, labels)
        return (totals / counts).mean()

    def label_ids_less_one_with_nan(logits, labels):
        """You look up the word before the label, with the id label − 1, and your loss is NaN where
        nothing is chosen.

        The label is the number of a column of the logits. Only the label 0 is left out.
        """
        counts = labels != 0
        losses = _losses(logits, (labels - 1).clamp(min=0))
        return (losses * counts).sum() / counts.sum()

    def batches_only(logits, labels):
        """Your function stops at a single sentence, and your loss is NaN where nothing is chosen.

        Count dimensions from the end, or bring the logits into the shape `(…, V)` with two
        dimensions and the labels into one. What should a mean of no loss at all be?
        """
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=0)

    def labels_of_low_ids_left_out(logits, labels):
        """You leave out the labels 1 to 3 as well, as if they asked for nothing.

        Only the label 0 means that nothing is asked for.
        """
        counts = labels > 3
        return _over((_losses(logits, labels) * counts).sum(), counts.sum())

    def labels_of_low_ids_left_out_with_nan(logits, labels):
        """You leave out the labels 1 to 3 as well, and your loss is NaN where no other is there.

        Only the label 0 means that nothing is asked for. A divisor of at least 1 prevents NaN.
        """
        counts = labels > 3
        return (_losses(logits, labels) * counts).sum() / counts.sum()

    def divided_by_the_first_size(logits, labels):
        """You add up the losses, and divide by `len(labels)`, the first size of the labels.

        Divide by the number of positions that have a label.
        """
        return (_losses(logits, labels) * (labels != 0)).sum() / len(labels)


class Right:
    """Right answers, written differently."""

    def with_cross_entropy(logits, labels):
        """PyTorch's, told to leave out 0 and to add up."""
        total = F.cross_entropy(
            logits.reshape(-1, logits.shape[-1]), labels.flatten(), ignore_index=0, reduction="sum"
        )
        return total / (labels != 0).sum().clamp(min=1)

    def rows_taken_out(logits, labels):
        """Boolean indices: only the chosen rows go through the softmax."""
        chosen = labels != 0
        log_p = logits[chosen].log_softmax(-1)
        right = log_p.gather(-1, labels[chosen][:, None])
        return -right.sum() / max(1, len(right))

    def with_one_hot_rows(logits, labels):
        """One-hot rows, without their first column."""
        hot = F.one_hot(labels, logits.shape[-1]).to(logits.dtype)
        hot = torch.cat([torch.zeros_like(hot[..., :1]), hot[..., 1:]], -1)
        return -(hot * logits.log_softmax(-1)).sum() / hot.sum().clamp(min=1)

    def position_by_position(logits, labels):
        """A loop over all positions."""
        rows, wanted = logits.reshape(-1, logits.shape[-1]), labels.flatten().tolist()
        total, count = 0 * logits.sum(), 0
        for row, label in zip(rows, wanted, strict=True):
            if label:
                total = total + row.logsumexp(0) - row[label]
                count += 1
        return total / count if count else total

    def flattened_first(logits, labels):
        """Flattens both, and weighs with zeros and ones."""
        rows, wanted = logits.flatten(0, -2), labels.reshape(-1)
        losses = F.cross_entropy(rows, wanted, reduction="none")
        weight = wanted.ne(0).to(rows.dtype)
        return torch.dot(losses, weight) / torch.clamp(weight.sum(), min=1.0)

    def weighted(logits, labels):
        """Weights that sum to 1."""
        counts = (labels != 0).to(logits.dtype)
        weights = counts / counts.sum().clamp(min=1)
        shifted = logits - logits.amax(-1, keepdim=True).detach()
        log_p = shifted - shifted.exp().sum(-1, keepdim=True).log()
        return -(weights[..., None] * log_p).gather(-1, labels[..., None]).sum()


EXERCISE = Exercise(
    id="masked_loss",
    oracle=correct,
    hint="Compute minus the log-probability of the label at every position. Set it to 0 where the "
    "label is 0. Add up, and divide by the number of labels that are not 0, or by 1.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
