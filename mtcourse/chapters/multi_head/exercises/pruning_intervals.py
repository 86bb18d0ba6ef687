"""The exercise ``pruning_intervals``: which heads matter beyond noise (A27; chapter 9)."""

from __future__ import annotations

import numpy as np
import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("24 heads, 30 sentences", _drawn(draw, 24, 30, 70)),
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


def _means(whole, without, resamples):
    return (without - whole)[:, resamples].mean(-1)


def _between(low, high):
    """Other quantiles of the right means."""
    return lambda *given: _interval(_means(*given), low, high)


def _around(means, width):
    """As far below the mean as above."""
    middle = means.mean(-1)
    return torch.stack([middle - width, middle + width], -1)


def _by_method(interpolation):
    """Another way to take a quantile between two means."""

    def intervals(*given):
        means, ends = _means(*given), (0.025, 0.975)
        of = [torch.quantile(means, q, dim=-1, interpolation=interpolation) for q in ends]
        return torch.stack(of, -1)

    return intervals


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
        """You took the smallest and the largest mean, which lie further apart the more resamples
        you draw.

        Take the quantiles at 0.025 and 0.975.
        """
        return _interval((without - whole)[:, resamples].mean(-1), 0.0, 1.0)

    def mean_and_two_deviations(whole, without, resamples):
        """You took the mean minus and plus two standard deviations of the resamples' means.

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

    def quantiles_subtracted(whole, without, resamples):
        """You took quantiles of both models' losses and subtracted them.

        Subtract first, sentence by sentence. Then take the quantiles of the difference.
        """
        return _interval(without[:, resamples].mean(-1)) - _interval(whole[resamples].mean(-1))

    def quantiles_less_the_whole(whole, without, resamples):
        """You took intervals of the loss without the head, and subtracted the whole model's mean
        loss over all resamples from both ends.

        The whole model's loss varies from resample to resample, too. Subtract first, sentence by
        sentence.
        """
        return _interval(without[:, resamples].mean(-1)) - whole[resamples].mean()

    def shared_among_24_heads(*given):
        """You computed the chapter's intervals for 24 heads together, which are wider.

        Here each head gets 95 % for itself. Take the quantiles at 0.025 and 0.975.
        """
        return _between(0.025 / 24, 1 - 0.025 / 24)(*given)

    def ninety_nine_percent(*given):
        """You left out 0.5 % at either end, which gives an interval of 99 %.

        An interval of 95 % leaves out 2.5 % at either end.
        """
        return _between(0.005, 0.995)(*given)

    def eighty_percent(*given):
        """You left out 10 % at either end, which gives an interval of 80 %.

        An interval of 95 % leaves out 2.5 % at either end.
        """
        return _between(0.1, 0.9)(*given)

    def half_of_them(*given):
        """You left out 25 % at either end, which gives an interval of 50 %.

        An interval of 95 % leaves out 2.5 % at either end. Is a zero missing?
        """
        return _between(0.25, 0.75)(*given)

    def one_end_at_95(*given):
        """Your upper end is the quantile at 0.95, and your lower the one at 0.025.

        An interval of 95 % leaves out as much at either end.
        """
        return _between(0.025, 0.95)(*given)

    def one_end_at_5(*given):
        """Your lower end is the quantile at 0.05, and your upper the one at 0.975.

        An interval of 95 % leaves out as much at either end.
        """
        return _between(0.05, 0.975)(*given)

    def nearest_mean(*given):
        """You took the nearest of the means, where a quantile lies between two.

        The question asks for linear interpolation, as `torch.quantile` does by itself.
        """
        return _by_method("nearest")(*given)

    def lower_mean(*given):
        """You took the lower of the two means between which a quantile lies.

        The question asks for linear interpolation, as `torch.quantile` does by itself.
        """
        return _by_method("lower")(*given)

    def higher_mean(*given):
        """You took the higher of the two means between which a quantile lies.

        The question asks for linear interpolation, as `torch.quantile` does by itself.
        """
        return _by_method("higher")(*given)

    def midpoint(*given):
        """You took the middle of the two means between which a quantile lies.

        The question asks for linear interpolation, as `torch.quantile` does by itself.
        """
        return _by_method("midpoint")(*given)

    def numbers_in_order(whole, without, resamples):
        """You sorted the means, and took those at the positions 0.025 and 0.975 times their count,
        rounded down.

        A quantile can lie between two of them: `torch.quantile` interpolates.
        """
        means = _means(whole, without, resamples).sort(-1).values
        count = means.shape[1]
        return means[:, [int(0.025 * count), min(int(0.975 * count), count - 1)]]

    def numbers_in_order_less_one(whole, without, resamples):
        """You sorted the means, and took those at the positions 0.025 times their count and 0.975
        times their count minus 1, rounded down.

        A quantile can lie between two of them: `torch.quantile` interpolates.
        """
        means = _means(whole, without, resamples).sort(-1).values
        count = means.shape[1]
        return means[:, [int(0.025 * count), max(int(0.975 * count) - 1, 0)]]

    def mean_and_deviations(whole, without, resamples):
        """You took the mean minus and plus 1.96 standard deviations of the resamples' means.

        This assumes a normal distribution. Take quantiles instead.
        """
        means = _means(whole, without, resamples)
        return _around(means, 1.96 * means.std(-1, correction=0))

    def mean_and_sample_deviations(whole, without, resamples):
        """You took the mean minus and plus 1.96 sample standard deviations of the resamples' means.

        This assumes a normal distribution. Take quantiles instead.
        """
        means = _means(whole, without, resamples)
        return _around(means, 1.96 * means.std(-1))

    def standard_errors_of_the_resamples(whole, without, resamples):
        """You divided a standard deviation by the root of the number of resamples: the more you
        draw, the narrower your intervals.

        The means of the resamples already vary as much as a mean over so many sentences does. Take
        their quantiles.
        """
        means = _means(whole, without, resamples)
        return _around(means, 1.96 * means.std(-1, correction=0) / means.shape[1] ** 0.5)

    def sample_standard_errors_of_the_resamples(whole, without, resamples):
        """You divided a sample standard deviation by the root of the number of resamples: the more
        you draw, the narrower your intervals.

        The means of the resamples already vary as much as a mean over so many sentences does. Take
        their quantiles.
        """
        means = _means(whole, without, resamples)
        return _around(means, 1.96 * means.std(-1) / means.shape[1] ** 0.5)

    def standard_errors_of_the_sentences(whole, without, resamples):
        """You took 1.96 standard errors of the sentences' changes, and used no resample.

        The bootstrap needs no formula: take quantiles of the resamples' means.
        """
        change = without - whole
        return torch.stack(
            [
                change.mean(-1) - 1.96 * change.std(-1) / change.shape[1] ** 0.5,
                change.mean(-1) + 1.96 * change.std(-1) / change.shape[1] ** 0.5,
            ],
            -1,
        )

    def mirrored(whole, without, resamples):
        """You mirrored the quantiles at the mean change, as another kind of bootstrap does.

        Return the quantiles themselves.
        """
        mean = (without - whole).mean(-1, keepdim=True)
        return 2 * mean - correct(whole, without, resamples).flip(-1)

    def around_0(whole, without, resamples):
        """You subtracted the mean change: your intervals lie around 0.

        Does the loss change without the head? The interval should say by how much.
        """
        return correct(whole, without, resamples) - (without - whole).mean(-1, keepdim=True)

    def resamples_averaged(whole, without, resamples):
        """You averaged over the resamples, and took quantiles over the positions within a resample.

        Each row of `resamples` is one resample: average within the row.
        """
        return _interval((without - whole)[:, resamples].mean(-2))

    def median_of_each(whole, without, resamples):
        """You took the median of each resample.

        The question asks for the change of the *mean* loss.
        """
        return _interval((without - whole)[:, resamples].median(-1).values)

    def deviation_of_each(whole, without, resamples):
        """You took the standard deviation of each resample.

        The question asks for the change of the *mean* loss.
        """
        return _interval((without - whole)[:, resamples].std(-1))

    def without_signs(whole, without, resamples):
        """You took the changes without their signs: a gain counts as harm.

        A head whose removal helps has negative changes.
        """
        return _interval((without - whole).abs()[:, resamples].mean(-1))

    def squared_changes(whole, without, resamples):
        """You squared the changes.

        The question asks for the mean change, without minus whole.
        """
        return _interval(((without - whole) ** 2)[:, resamples].mean(-1))

    def relative_changes(whole, without, resamples):
        """You divided each change by the loss of the whole model.

        The question asks for the change itself, without minus whole.
        """
        return _interval(((without - whole) / whole)[:, resamples].mean(-1))

    def relative_to_the_mean(whole, without, resamples):
        """You divided the change by the mean loss of the whole model.

        The question asks for the change itself, without minus whole.
        """
        return correct(whole, without, resamples) / whole.mean()

    def ratios(whole, without, resamples):
        """You divided the loss without the head by that of the whole model.

        The question asks for their difference.
        """
        return _interval((without / whole)[:, resamples].mean(-1))

    def each_sentence_once(whole, without, resamples):
        """You counted a sentence once in a resample, however often it was drawn.

        Drawing with replacement gives some sentences more weight. That is how resamples differ.
        """
        change = without - whole
        return _interval(torch.stack([change[:, r.unique()].mean(-1) for r in resamples], -1))

    def all_heads_in_one(whole, without, resamples):
        """You took quantiles over the means of all heads together.

        Each head has its own means, and its own interval.
        """
        means = _means(whole, without, resamples)
        return _interval(means.flatten()[None]).expand(len(without), 2)

    def a_single_interval(whole, without, resamples):
        """You returned one interval for all heads.

        Return one row for each head: along which dimension do you take the quantile?
        """
        ends = torch.tensor([0.025, 0.975], dtype=whole.dtype)
        return torch.quantile(_means(whole, without, resamples), ends)

    def shifted_from_the_mean_of_heads(whole, without, resamples):
        """You gave all heads intervals of the same width, that of the mean over heads.

        Each head has its own means, and its own interval.
        """
        change = without - whole
        shared = _interval(change.mean(0, keepdim=True)[:, resamples].mean(-1))
        return change.mean(-1, keepdim=True) + shared - change.mean()

    def quantiles_over_heads(whole, without, resamples):
        """You took quantiles over the heads, for each resample.

        Return one row for each head: along which dimension do you take the quantile?
        """
        return _interval(_means(whole, without, resamples).T)

    def means_of_the_changes(whole, without, resamples):
        """You returned the mean change of each head, one number. Return the two ends of an
        interval.

        How much does this mean vary from resample to resample?
        """
        return (without - whole).mean(-1)

    def widths(whole, without, resamples):
        """You returned the width of each interval. Return its two ends.

        The lower end comes first, then the upper end.
        """
        low, high = correct(whole, without, resamples).unbind(-1)
        return high - low

    def all_means(whole, without, resamples):
        """You returned the means of all resamples. Return two of their quantiles for each head.

        Along which dimension do the resamples stand?
        """
        return _means(whole, without, resamples)


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
