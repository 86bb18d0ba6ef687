"""The exercise ``pruning_intervals``: which heads matter beyond noise (A27; chapter 09)."""

from __future__ import annotations

import numpy as np
import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A few sentences to check by hand, one head, one sentence, many heads."""
    whole = draw.tensor([1.0, 2.0])
    without = draw.tensor([[1.0, 4.0], [2.0, 3.0]])
    five = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1], [0, 1]])
    return [
        Case("2 heads, 2 sentences, 5 resamples", (whole, without, five), by_hand=True),
        Case("one head, 6 sentences", _drawn(draw, 1, 6, 20)),
        Case("3 heads, one sentence", _drawn(draw, 3, 1, 7)),
        Case("4 heads, 12 sentences", _drawn(draw, 4, 12, 41)),
        Case("24 heads, 30 sentences", _drawn(draw, 24, 30, 60)),
    ]


def _drawn(draw, heads, sentences, count):
    """Losses that differ much between sentences, changed a little by each head."""
    whole = 3 * draw.normal(1, sentences)[0].abs() + 0.2
    without = whole + draw.normal(heads, sentences) + 0.3
    return whole, without, draw.ids(count, sentences, lowest=0, highest=sentences - 1)


def _interval(means, low=0.025, high=0.975):
    """(heads, 2), from means of shape (heads, resamples)."""
    ends = torch.tensor([low, high], dtype=means.dtype)
    return torch.quantile(means, ends, dim=-1).T


def correct(whole, without, resamples):
    """Differences of the same sentences, averaged in each resample."""
    return _interval((without - whole)[:, resamples].mean(-1))


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_its_arguments(whole, without, resamples):
        """Your intervals are right, but your function changes the losses.

        Do not write into an argument.
        """
        found = correct(whole, without, resamples)
        without -= whole
        return found

    def not_paired(whole, without, resamples):
        """For the losses without a head you drew other sentences than for the whole model.

        Some sentences are harder than others. In your intervals this does not cancel, so they are
        far too wide. Use the same sentences for both.
        """
        of_whole = whole[resamples.roll(1, 0)].mean(-1)
        return _interval(without[:, resamples].mean(-1) - of_whole)

    def whole_not_resampled(whole, without, resamples):
        """You resampled the losses without a head, but you kept the mean of the whole model fixed.

        What counts is the difference on the *same* sentences: resample both.
        """
        return _interval(without[:, resamples].mean(-1) - whole.mean())

    def wrong_sign(whole, without, resamples):
        """You computed whole minus without, so that a head that is needed gets negative numbers.

        By how much does the loss rise when the head is removed?
        """
        return _interval((whole - without)[:, resamples].mean(-1))

    def losses_without_the_head(whole, without, resamples):
        """You returned intervals of the loss without the head. You never used the whole model.

        The question asks for the *change* of the loss.
        """
        return _interval(without[:, resamples].mean(-1))

    def quantiles_of_sentences(whole, without, resamples):
        """You took quantiles over single sentences, and you used no resample.

        The interval is one of the *mean*: take the mean in each resample first.
        """
        return _interval(without - whole)

    def quantiles_of_everything(whole, without, resamples):
        """You took quantiles over the sentences of all resamples together, without taking means.

        Each resample gives one number: the mean over its sentences.
        """
        return _interval((without - whole)[:, resamples].flatten(1))

    def one_interval_for_all(whole, without, resamples):
        """You gave all heads the same interval, that of their mean.

        Return one row for each head.
        """
        of_all = _interval((without - whole).mean(0, keepdim=True)[:, resamples].mean(-1))
        return of_all.expand(len(without), 2)

    def two_rows(whole, without, resamples):
        """You returned a row of lower ends and a row of upper ends: (2, heads).

        Return one row for each head, with its two ends.
        """
        return correct(whole, without, resamples).T

    def upper_end_first(whole, without, resamples):
        """You put the upper end of each interval first.

        The lower end comes first, then the upper end.
        """
        return correct(whole, without, resamples).flip(-1)

    def ninety_percent(whole, without, resamples):
        """You left out 5 % at either end, which gives an interval of 90 %.

        An interval of 95 % leaves out 2.5 % at either end.
        """
        return _interval((without - whole)[:, resamples].mean(-1), 0.05, 0.95)

    def shared_among_the_heads(whole, without, resamples):
        """You computed the chapter's wider intervals: you divided the 5 % outside by the number of
        heads.

        Here each head gets 95 % for itself. Take the quantiles at 0.025 and 0.975.
        """
        out = 0.025 / len(without)
        return _interval((without - whole)[:, resamples].mean(-1), out, 1 - out)

    def smallest_and_largest(whole, without, resamples):
        """You took the smallest and the largest resample, which grow apart the more you draw.

        Take the quantiles at 0.025 and 0.975.
        """
        return _interval((without - whole)[:, resamples].mean(-1), 0.0, 1.0)

    def mean_and_two_deviations(whole, without, resamples):
        """You took the mean minus and plus two standard deviations of the resamples.

        This assumes a normal distribution. Take quantiles instead.
        """
        means = (without - whole)[:, resamples].mean(-1)
        middle, width = means.mean(-1), 2 * means.std(-1)
        return torch.stack([middle - width, middle + width], -1)

    def sums_for_means(whole, without, resamples):
        """You summed over the sentences, so that your numbers grow with the number of sentences.

        The question asks for the change of the *mean* loss.
        """
        return correct(whole, without, resamples) * len(whole)


class Right:
    """Right answers, written differently."""

    def head_by_head(whole, without, resamples):
        """Loops over heads and resamples."""
        rows = []
        for losses in without:
            change = losses - whole
            means = torch.stack([change[chosen].mean() for chosen in resamples])
            rows.append(torch.stack([means.quantile(0.025), means.quantile(0.975)]))
        return torch.stack(rows)

    def by_counting(whole, without, resamples):
        """Counts in a matrix how often each sentence is drawn."""
        drawn = torch.nn.functional.one_hot(resamples, len(whole)).sum(1).to(without.dtype)
        means = (without - whole) @ drawn.T / resamples.shape[1]
        return torch.stack([means.quantile(q, dim=1) for q in (0.025, 0.975)], dim=1)

    def both_resampled(whole, without, resamples):
        """Resamples both with the same sentences, and subtracts the means."""
        means = without[:, resamples].mean(-1) - whole[resamples].mean(-1)
        return torch.stack([torch.quantile(means, 0.025, 1), torch.quantile(means, 0.975, 1)], -1)

    def with_numpy(whole, without, resamples):
        """In numpy, in double precision."""
        change = (without - whole).double().numpy()
        means = change[:, resamples.numpy()].mean(-1)
        ends = np.quantile(means, [0.025, 0.975], axis=1)
        return torch.tensor(ends.T, dtype=without.dtype)

    def sorted_by_hand(whole, without, resamples):
        """Sorts the means, and interpolates between neighbours."""
        means = (without - whole)[:, resamples].mean(-1).sort(-1).values
        ends = []
        for q in (0.025, 0.975):
            place = q * (means.shape[1] - 1)
            low = int(place)
            high = min(low + 1, means.shape[1] - 1)
            ends.append(means[:, low] + (place - low) * (means[:, high] - means[:, low]))
        return torch.stack(ends, -1)


EXERCISE = Exercise(
    id="pruning_intervals",
    oracle=correct,
    hint="First compute the change for each sentence and head. Then take, for each resample, the "
    "mean over the sentences that it lists: (heads, resamples). Then two quantiles of each row.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
