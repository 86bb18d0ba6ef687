"""The exercise ``paired_interval``: the interval of a difference (chapter 20)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Sentences that are equally hard for both, and resamples of them."""

    def drawn(n, resamples, better=1.0):
        hard = draw.normal(n, scale=8.0)
        first = 50 + hard + draw.normal(n, scale=2.0)
        second = 50 + hard + better + draw.normal(n, scale=2.0)
        return first, second, draw.ids(resamples, n, lowest=0, highest=n - 1)

    four = draw.tensor([10.0, 20.0, 30.0, 40.0]), draw.tensor([14.0, 20.0, 31.0, 49.0])
    by_hand = torch.tensor([[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [0, 1, 2, 3]])
    lone = draw.tensor([3.0, 8.0, 2.0]), draw.tensor([1.0, 9.0, 7.0])
    return [
        Case("four sentences, five resamples", (*four, by_hand), by_hand=True),
        Case("a single resample", (*lone, torch.tensor([[2, 0, 0]]))),
        Case("the second is better", drawn(20, 200)),
        Case("the second is worse", drawn(20, 200, better=-3.0)),
        Case("no difference", drawn(30, 100, better=0.0)),
        Case("few resamples", drawn(15, 9)),
    ]


_LEVELS = (0.025, 0.975)


def _ends(values, levels=_LEVELS):
    return torch.quantile(values, torch.tensor(levels, dtype=values.dtype))


def correct(first, second, resamples):
    """The quantiles of the mean difference over the same resamples."""
    return _ends((second - first)[resamples].mean(-1))


class Wrong:
    """What learners write, the more particular before the more general."""

    def first_minus_second(first, second, resamples):
        """Your sign is reversed: you subtract the second from the first.

        The change is *to* the second: positive where the second is better.
        """
        return _ends((first - second)[resamples].mean(-1))

    def high_before_low(first, second, resamples):
        """You return the high end before the low one.

        The low end stands first.
        """
        return correct(first, second, resamples).flip(0)

    def ends_as_90_percent(first, second, resamples):
        """You cut 5% off at each end. That is an interval of 90%.

        How much is outside of 95%, and how much of it on each side?
        """
        return _ends((second - first)[resamples].mean(-1), (0.05, 0.95))

    def cut_at_one_end(first, second, resamples):
        """You cut at one end alone. An interval of 95% leaves out the same share on both sides.

        How much is outside of 95%, and how much of it on each side?
        """
        return _ends((second - first)[resamples].mean(-1), (0.0, 0.95))

    def all_resamples(first, second, resamples):
        """You return the smallest and the largest difference. With more resamples they only move
        apart.

        Leave out 2.5% on each side.
        """
        return _ends((second - first)[resamples].mean(-1), (0.0, 1.0))

    def middle_half(first, second, resamples):
        """You return the quartiles. Half of all resamples lie between them, not 95%.

        Leave out 2.5% on each side.
        """
        return _ends((second - first)[resamples].mean(-1), (0.25, 0.75))

    def interval_of_the_second(first, second, resamples):
        """You return the interval of the second translator's own score. The question asks for the
        *difference*.

        Subtract before you take quantiles.
        """
        return _ends(second[resamples].mean(-1))

    def interval_of_the_first(first, second, resamples):
        """You return the interval of the first translator's own score. The question asks for the
        *difference*.

        Subtract before you take quantiles.
        """
        return _ends(first[resamples].mean(-1))

    def ends_subtracted(first, second, resamples):
        """You take the interval of each and subtract end from end. The two low ends come from
        different resamples.

        Subtract within each resample, then take quantiles.
        """
        return _ends(second[resamples].mean(-1)) - _ends(first[resamples].mean(-1))

    def farthest_ends(first, second, resamples):
        """You subtract the high end of one from the low end of the other. That is as if hard
        sentences of one were easy for the other.

        Subtract within each resample, then take quantiles.
        """
        return _ends(second[resamples].mean(-1)) - _ends(first[resamples].mean(-1)).flip(0)

    def other_resamples_for_each(first, second, resamples):
        """You score the two on different resamples. What makes sentences hard no longer cancels.

        Use the same row of `resamples` for both.
        """
        other = resamples.flip(0)
        return _ends(second[resamples].mean(-1) - first[other].mean(-1))

    def not_resampled(first, second, resamples):
        """You take quantiles of the sentences' own differences. They say how much *sentences*
        differ, not how sure the mean is.

        Take the mean of each resample first.
        """
        return _ends(second - first)

    def pooled(first, second, resamples):
        """You take quantiles of all drawn differences together. Each resample has one mean.

        Take the mean over the last dimension before the quantiles.
        """
        return _ends((second - first)[resamples].flatten())

    def mean_over_resamples(first, second, resamples):
        """You take the mean over the resamples, and are left with a value for each place.

        Row i of `resamples` is one test set. Over which dimension is its mean?
        """
        return _ends((second - first)[resamples].mean(0))

    def sums(first, second, resamples):
        """You add the differences up. A score of a test set is their mean here.

        Divide by the number of sentences.
        """
        return _ends((second - first)[resamples].sum(-1))

    def medians(first, second, resamples):
        """You take the median of each resample. The score here is the mean.

        `mean(-1)` in place of `median(-1)`.
        """
        return _ends((second - first)[resamples].quantile(0.5, dim=-1))

    def repeats_left_out(first, second, resamples):
        """You use each sentence of a resample once. A sentence that is drawn twice counts twice.

        Index with the row as it is, without `unique`.
        """
        change = second - first
        return _ends(torch.stack([change[row.unique()].mean() for row in resamples]))

    def relative_change(first, second, resamples):
        """You divide by the first score. The question asks for the difference in points.

        Leave out the division.
        """
        base = first[resamples].mean(-1)
        return _ends((second - first)[resamples].mean(-1) / base)

    def without_direction(first, second, resamples):
        """You take absolute values. Then no interval can contain 0, whatever the translators do.

        Keep the sign of the difference.
        """
        return _ends((second - first)[resamples].mean(-1).abs())

    def around_the_mean(first, second, resamples):
        """You return the ends as distances from the mean difference. Return the ends themselves.

        Do not subtract the mean.
        """
        means = (second - first)[resamples].mean(-1)
        return _ends(means) - means.mean()

    def sizes_of_the_changes(first, second, resamples):
        """You take the absolute value of each sentence's change. Losses then count as gains.

        Keep the sign of the difference.
        """
        return _ends((second - first).abs()[resamples].mean(-1))

    def levels_in_percent(first, second, resamples):
        """You ask for the quantiles 2.5 and 97.5. `torch.quantile` takes shares of 1.

        2.5% is 0.025.
        """
        return _ends((second - first)[resamples].mean(-1), (2.5, 97.5))

    def nearest_means(first, second, resamples):
        """You take the nearest of the sorted means. The question asks for the default of
        `torch.quantile`, which goes between two neighbours.

        Leave `interpolation` out.
        """
        means = (second - first)[resamples].mean(-1)
        levels = torch.tensor(_LEVELS, dtype=means.dtype)
        return torch.quantile(means, levels, interpolation="nearest")

    def lower_medians(first, second, resamples):
        """You take `median` of each resample, which is the lower of the two middle values. The
        score here is the mean.

        Write `mean(-1)`.
        """
        return _ends((second - first)[resamples].median(-1).values)

    def from_the_spread(first, second, resamples):
        """You compute mean ± 1.96 standard deviations. That takes the means for a normal
        distribution; the question asks for their quantiles. A single resample has no spread.

        Take the quantiles of the means themselves.
        """
        means = (second - first)[resamples].mean(-1)
        return torch.stack([means.mean() - 1.96 * means.std(), means.mean() + 1.96 * means.std()])

    def reflected(first, second, resamples):
        """You reflect the quantiles at the difference of the whole test set. That is another
        bootstrap interval; the question asks for the quantiles themselves.

        Return the quantiles as they are.
        """
        change = second - first
        return 2 * change.mean() - _ends(change[resamples].mean(-1)).flip(0)

    def share_of_wins(first, second, resamples):
        """You count in how many sentences the second is better. The score is the mean of the
        sentences' scores, and a large gain counts more than a small one.

        Subtract, and do not compare.
        """
        return _ends((second > first).to(first.dtype)[resamples].mean(-1))


class Right:
    """Right answers, written differently."""

    def by_rows(first, second, resamples):
        """One resample at a time."""
        means = torch.stack([second[row].mean() - first[row].mean() for row in resamples])
        return torch.stack([means.quantile(0.025), means.quantile(0.975)])

    def by_counts(first, second, resamples):
        """How often each sentence is drawn, times the differences."""
        n = len(first)
        counts = torch.stack([torch.bincount(row, minlength=n) for row in resamples])
        return _ends(counts.to(first.dtype) @ (second - first) / resamples.shape[1])

    def by_gather(first, second, resamples):
        """With both scores expanded to all resamples."""
        rows = len(resamples)
        ours = second.expand(rows, -1).gather(1, resamples).mean(1)
        theirs = first.expand(rows, -1).gather(1, resamples).mean(1)
        return _ends(ours - theirs)

    def by_sorting(first, second, resamples):
        """The quantiles by hand, between neighbours in order."""
        means = (second[resamples] - first[resamples]).mean(1).sort().values
        ends = []
        for level in _LEVELS:
            place = level * (len(means) - 1)
            low = int(place)
            high = min(low + 1, len(means) - 1)
            ends.append(means[low] + (place - low) * (means[high] - means[low]))
        return torch.stack(ends)

    def two_means(first, second, resamples):
        """Means first, then the difference."""
        change = second[resamples].mean(-1) - first[resamples].mean(-1)
        return torch.stack([change.quantile(level) for level in _LEVELS])


EXERCISE = Exercise(
    id="paired_interval",
    oracle=correct,
    hint="For each row of `resamples`, take the mean of second minus first over what is drawn. "
    "The interval reaches from the 0.025 quantile of these means to their 0.975 quantile.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
)
