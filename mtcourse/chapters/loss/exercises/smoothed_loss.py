"""The exercise ``smoothed_loss``: three bugs in a label smoothing (A19; chapter 8)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case(
            "minus infinity in some rows only",
            (draw.tensor(_HERE_AND_THERE), torch.tensor([1, 2, 2, 0]), 0.25),
        ),
        Case(
            "a word 2000 behind, and a token that costs nothing",
            (draw.tensor([[2000.0, 0.0, 0.0], [0.0, 2000.0, 0.0]]), torch.tensor([1, 1]), 0.1),
        ),
        Case(
            "tokens that cost nothing",
            (draw.tensor(_CERTAIN), torch.tensor([[1, 2], [2, 0]]), 0.25),
        ),
    ]


_HERE_AND_THERE = [
    [0.0, 1.0, -math.inf],
    [0.0, 2.0, 1.0],
    [-math.inf, 0.0, 0.5],
    [1.0, -math.inf, 0.0],
]
_CERTAIN = [
    [[-math.inf, 1.0, -math.inf], [0.0, 0.0, 1.0]],
    [[-math.inf, -math.inf, 3.0], [0.0, 0.0, 0.0]],
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


def _by(logits, labels, epsilon, uniform=None, log_p=None, divided=None):
    """The loss of real tokens, with another uniform part, other logarithms, or another divisor."""
    log_p = logits.log_softmax(-1) if log_p is None else log_p
    possible = logits > -math.inf
    if uniform is None:
        of_all = -torch.where(possible, log_p, 0.0).sum(-1) / possible.sum(-1)
    else:
        of_all = -uniform(log_p, possible)
    of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
    real = labels != 0
    total = ((1 - epsilon) * of_label + epsilon * of_all)[real].sum()
    return total / (real.sum() if divided is None else divided)


def _losses(logits, labels, epsilon):
    """The smoothed loss of each position, 0 at padding."""
    log_p, possible = logits.log_softmax(-1), logits > -math.inf
    of_all = -torch.where(possible, log_p, 0.0).sum(-1) / possible.sum(-1)
    of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
    return torch.where(labels != 0, (1 - epsilon) * of_label + epsilon * of_all, 0.0)


def _never_below(floor, label=True):
    """The mistake of cutting off logarithms, in both parts or in the uniform part only.

    A floor below 0 is that of log-probabilities, another that of probabilities.
    """
    where = "both parts" if label else "the uniform part"
    of_logarithms = floor if floor < 0 else math.log(floor)
    said = f"log-probability fall below {floor}" if floor < 0 else f"probability fall below {floor}"
    said = said.replace("e-0", "e-")

    def mistake(logits, labels, epsilon):
        log_p = logits.log_softmax(-1)
        cut = log_p.clamp(min=of_logarithms)

        def uniform(_, possible):
            return torch.where(possible, cut, 0.0).sum(-1) / possible.sum(-1)

        return _by(logits, labels, epsilon, uniform, cut if label else log_p)

    mistake.__name__ = f"cut_off_at_{abs(floor)}_in_{where}".replace(" ", "_").replace("-", "_")
    mistake.__doc__ = f"""In {where}, you let no {said}. That also cuts off possible words that are
    very unlikely.

    Only impossible words need care. Which test tells them from unlikely ones?
    """
    return mistake


def _huge(number):
    """The mistake of a large negative number in the place of minus infinity."""

    def mistake(logits, labels, epsilon):
        return correct(logits.clamp(min=-number), labels, epsilon)

    mistake.__name__ = f"minus_{number:.0e}_for_infinity".replace("+", "")
    mistake.__doc__ = f"""You replaced -∞ by -{number:.0e} and took these words for possible, so
    each adds a large loss.

    Leave impossible words out of the sum, and out of the number by which you divide it.
    """
    return mistake


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
        """Two bugs are fixed. One is left: padding still adds its uniform part.

        You drop the label's part where the label is 0. Drop the uniform part there, too.
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
        """You multiplied the losses at padding by 0. Where word 0 is ruled out, that is 0 times
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
        """The label gets 1 - ε and every other possible word ε/|P|, so the target sums to less than
        1.

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

    def nothing_left_out(logits, labels, epsilon):
        """Padding is charged like word 0, in both parts, and counts in the mean.

        Where the label is 0 there is nothing to predict.
        """
        log_p, possible = logits.log_softmax(-1), logits > -math.inf
        of_all = -torch.where(possible, log_p, 0.0).sum(-1) / possible.sum(-1)
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1)
        return ((1 - epsilon) * of_label + epsilon * of_all).mean()

    def uniform_part_not_divided(logits, labels, epsilon):
        """You added up the log-probabilities of all possible words; they were to share ε.

        How much of ε does each of them get?
        """
        return _by(logits, labels, epsilon, lambda log_p, can: torch.where(can, log_p, 0.0).sum(-1))

    def possible_in_the_whole_batch(logits, labels, epsilon):
        """You shared ε among the words that are possible at *every* position.

        Each position has its own impossible words.
        """

        def uniform(log_p, possible):
            everywhere = possible.flatten(0, -2)[(labels != 0).flatten()].all(0)
            return torch.where(everywhere, log_p, 0.0).sum(-1) / everywhere.sum()

        return _by(logits, labels, epsilon, uniform)

    def word_0_never_possible(logits, labels, epsilon):
        """You gave word 0 no share of ε, even where it is possible.

        The *label* 0 marks padding. The word 0 is possible where its logit is not -∞.
        """

        def uniform(log_p, possible):
            can = possible & (torch.arange(log_p.shape[-1]) != 0)
            return torch.where(can, log_p, 0.0).sum(-1) / can.sum(-1)

        return _by(logits, labels, epsilon, uniform)

    def word_0_for_padding(logits, labels, epsilon):
        """You gave *word* 0 no share of ε. It is the *positions* with label 0 that should have no
        uniform part.

        Which positions have no loss?
        """
        log_p = logits.log_softmax(-1)
        can = (logits > -math.inf) & (torch.arange(logits.shape[-1]) != 0)
        of_all = -torch.where(can, log_p, 0.0).sum(-1) / can.sum(-1)
        real = labels != 0
        of_label = -log_p.gather(-1, labels[..., None]).squeeze(-1).where(real, 0.0)
        return ((1 - epsilon) * of_label + epsilon * of_all).sum() / real.sum()

    def uniform_part_lost_at_impossible_words(logits, labels, epsilon):
        """Where a position has an impossible word, you set its whole uniform part to 0.

        NaN comes from one word. Leave out this word, and keep the others.
        """

        def uniform(log_p, possible):
            some = torch.where(possible, log_p, 0.0).sum(-1) / possible.sum(-1)
            return torch.where(possible.all(-1), some, 0.0)

        return _by(logits, labels, epsilon, uniform)

    def tokens_with_impossible_words_free(logits, labels, epsilon):
        """Where a position has an impossible word, you set its whole loss to 0, but still count it
        as a token.

        NaN comes from one word. Leave out this word, and keep the others.
        """
        whole = (logits > -math.inf).all(-1)
        losses = torch.where(whole, _losses(logits, labels, epsilon), 0.0)
        return losses.sum() / (labels != 0).sum()

    def tokens_with_impossible_words_dropped(logits, labels, epsilon):
        """You took the mean over the tokens whose positions have no impossible word.

        NaN comes from one word. Leave out this word, and keep the others.
        """
        whole = (logits > -math.inf).all(-1) & (labels != 0)
        return _losses(logits, labels, epsilon)[whole].mean()

    def free_tokens_not_counted(logits, labels, epsilon):
        """You count a token only if its loss is not 0. But a token may cost nothing and still
        count.

        The labels tell you which positions are padding.
        """
        losses = _losses(logits, labels, epsilon)
        return losses.sum() / (losses != 0).sum().clamp(1)

    def shares_exchanged(logits, labels, epsilon):
        """The label gets ε, and 1 - ε is shared among all words.

        With ε = 0, what should be left?
        """
        return _by(logits, labels, 1 - epsilon)

    def epsilon_on_both(logits, labels, epsilon):
        """Both parts have the factor ε.

        With ε = 0, what should be left?
        """
        return epsilon * correct(logits, labels, 0.0) + _smoothing_term(logits, labels, epsilon)

    def one_minus_epsilon_on_both(logits, labels, epsilon):
        """Both parts have the factor 1 - ε.

        The two factors should add up to 1.
        """
        return (1 - epsilon) * (_by(logits, labels, 0.0) + _by(logits, labels, 1.0))

    def no_factors(logits, labels, epsilon):
        """You added both parts without any factor; ε is not used.

        The target is a mixture: what share does each of the two parts have?
        """
        return _by(logits, labels, 0.0) + _by(logits, labels, 1.0)

    def only_the_uniform_part(logits, labels, epsilon):
        """Only the uniform part is left: the label's term is lost.

        The target is a mixture: 1 - ε times the one-hot row, plus ε times the uniform part.
        """
        return _smoothing_term(logits, labels, epsilon)

    def uniform_part_subtracted(logits, labels, epsilon):
        """You subtracted the uniform part.

        Both parts are minus a logarithm. Does each have its minus?
        """
        return 2 * (1 - epsilon) * correct(logits, labels, 0.0) - correct(logits, labels, epsilon)

    def uniform_part_over_positions(logits, labels, epsilon):
        """You divided the label's term by the number of tokens, and the uniform part by that of all
        positions.

        Both parts belong to tokens.
        """
        uniform = _smoothing_term(logits, labels, epsilon) * (labels != 0).sum() / labels.numel()
        return (1 - epsilon) * correct(logits, labels, 0.0) + uniform

    def label_term_over_positions(logits, labels, epsilon):
        """You divided the uniform part by the number of tokens, and the label's term by that of all
        positions.

        Both parts belong to tokens.
        """
        label = (1 - epsilon) * correct(logits, labels, 0.0)
        label = label * (labels != 0).sum() / labels.numel()
        return label + _smoothing_term(logits, labels, epsilon)

    def over_sentences(logits, labels, epsilon):
        """You divided by the number of sentences.

        The mean is over tokens. How many labels are not 0?
        """
        sentences = labels.numel() // labels.shape[-1]
        return _by(logits, labels, epsilon, divided=sentences)

    def over_the_longest(logits, labels, epsilon):
        """You divided by the padded length, the number of columns of the labels.

        The mean is over tokens. How many labels are not 0?
        """
        return _by(logits, labels, epsilon, divided=labels.shape[-1])

    def over_words_too(logits, labels, epsilon):
        """You divided by the number of words as well.

        The uniform part contains this division already, and the label's term has none.
        """
        return correct(logits, labels, epsilon) / logits.shape[-1]

    def mean_of_means(logits, labels, epsilon):
        """You took the mean of each sentence, and then the mean of these means.

        Add the losses of all tokens, and divide once.
        """
        losses = _losses(logits, labels, epsilon)
        return (losses.sum(-1) / (labels != 0).sum(-1)).mean()

    def loss_of_each_token(logits, labels, epsilon):
        """You returned one loss for each position. The question asks for their mean over tokens.

        How many labels are not 0?
        """
        return _losses(logits, labels, epsilon)

    def divergence(logits, labels, epsilon):
        """This is the Kullback-Leibler divergence from the smoothed target: the loss, less the
        entropy of the target.

        The smoothed loss is minus the mean log-probability under the target.
        """
        possible = logits > -math.inf
        q = epsilon * possible / possible.sum(-1, keepdim=True)
        q = q + (1 - epsilon) * F.one_hot(labels, logits.shape[-1])
        entropy = -torch.special.xlogy(q, q).sum(-1)[labels != 0].mean()
        return correct(logits, labels, epsilon) - entropy

    def mean_of_possible_logits(logits, labels, epsilon):
        """Your uniform part averages logits, where it should average log-probabilities.

        The uniform part is a loss, too: minus the mean of log softmax(u).
        """

        def uniform(_, possible):
            return torch.where(possible, logits, 0.0).sum(-1) / possible.sum(-1)

        return _by(logits, labels, epsilon, uniform)

    def along_the_positions(logits, labels, epsilon):
        """You took the softmax over the positions. Take it over the words, at each position.

        Which dimension of the logits counts the words?
        """
        log_p = logits.log_softmax(-2)
        return _by(logits, labels, epsilon, log_p=log_p)

    def log_of_a_softmax(logits, labels, epsilon):
        """You took the softmax first and then its logarithm: a tiny probability was rounded to 0.

        `log_softmax` gives the logarithms without rounding the probabilities first.
        """
        return _by(logits, labels, epsilon, log_p=logits.softmax(-1).log())

    minus_1e9_for_infinity = _huge(1e9)
    minus_1e10_for_infinity = _huge(1e10)
    minus_1e12_for_infinity = _huge(1e12)
    minus_1e6_for_infinity = _huge(1e6)
    minus_1e4_for_infinity = _huge(1e4)
    minus_1e30_for_infinity = _huge(1e30)
    cut_off_at_1000 = _never_below(-1000)
    cut_off_at_100 = _never_below(-100)
    cut_off_at_50 = _never_below(-50)
    cut_off_at_30 = _never_below(-30)
    cut_off_at_1e_20 = _never_below(1e-20)
    cut_off_at_1e_15 = _never_below(1e-15)
    cut_off_at_1e_12 = _never_below(1e-12)
    cut_off_at_1e_10 = _never_below(1e-10)
    cut_off_at_1e_9 = _never_below(1e-9)
    cut_off_at_1e_8 = _never_below(1e-8)
    cut_off_at_1000_for_all = _never_below(-1000, False)
    cut_off_at_100_for_all = _never_below(-100, False)
    cut_off_at_50_for_all = _never_below(-50, False)
    cut_off_at_30_for_all = _never_below(-30, False)
    cut_off_at_1e_12_for_all = _never_below(1e-12, False)
    cut_off_at_1e_10_for_all = _never_below(1e-10, False)
    cut_off_at_1e_9_for_all = _never_below(1e-9, False)
    cut_off_at_1e_8_for_all = _never_below(1e-8, False)


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
