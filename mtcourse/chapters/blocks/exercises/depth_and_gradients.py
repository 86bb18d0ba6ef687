"""The exercise ``depth_and_gradients``: a factor for each layer (B11, B13, B14; chapter 10)."""

from __future__ import annotations

import math

import numpy as np
import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Norms that are exact powers, then norms off the line, of odd and even numbers of starts."""
    exact = draw.tensor([[1.0, 2.0, 4.0], [8.0, 4.0, 2.0], [1.0, 3.0, 9.0], [5.0, 5.5, 6.05]])
    off_the_line = draw.tensor([[1.0, 1.0, 1.0, 8.0], [3.0, 12.0, 6.0, 4.0], [9.0, 1.0, 3.0, 60.0]])
    return [
        Case("4 starts, 3 layers, exact factors", (exact,), by_hand=True),
        Case("3 starts, 4 layers", (off_the_line,), by_hand=True),
        Case("a single start", (draw.tensor([[2.0, 1.5, 1.4, 0.6, 0.7]]),)),
        Case("2 layers", (draw.tensor([[2.0, 6.0], [3.0, 1.5]]),)),
        Case("5 starts, 12 layers, growing", (_drawn(draw, 5, 12, 0.4),)),
        Case("10 starts, 8 layers, hardly changing", (_drawn(draw, 10, 8, -0.02),)),
        Case("6 starts, 6 layers, shrinking", (_drawn(draw, 6, 6, -0.5),)),
    ]


def _drawn(draw: Draw, starts, layers, slope):
    """Norms around a line on a logarithmic axis."""
    return torch.exp(slope * torch.arange(layers) + draw.normal(starts, layers, scale=0.3))


def correct(norms):
    """The slope of ln(norm) against the number of the layer, by least squares."""
    return _answer(_slopes(norms).exp())


def _slopes(norms, logarithm=torch.log):
    number = torch.arange(norms.shape[1], dtype=norms.dtype)
    number = number - number.mean()
    return (logarithm(norms) * number).sum(-1) / (number**2).sum()


def _answer(factors):
    """The three parts, with what follows from the factors."""
    return {
        "factors": factors,
        "median": factors.quantile(0.5),
        "growing": int((factors > 1).sum()),
    }


def _but(norms, **parts):
    """The right answer, except for some of its parts: what follows from them is left right."""
    return {**correct(norms), **parts}


def _line(norms, number):
    """The slope of ln(norm) against other numbers of the layers."""
    number = number - number.mean()
    return (norms.log() * number).sum(-1) / (number**2).sum()


def _half_centred(norms, first, above):
    """The slope with numbers from ``first`` on, centred only above or only below."""
    number = torch.arange(first, first + norms.shape[1], dtype=norms.dtype)
    centred = number - number.mean()
    upper, lower = (centred, number) if above else (number, centred)
    return (norms.log() * upper).sum(-1) / (lower**2).sum()


def _spreads(norms):
    """The standard deviation of ln(norm) over that of the layers' numbers."""
    return norms.log().std(-1) / torch.arange(norms.shape[1], dtype=norms.dtype).std()


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(norms):
        """The three parts may be right, but their names are missing.

        Return a dictionary with the names of the question.
        """
        return tuple(correct(norms).values())

    def factors_in_a_list(norms):
        """The factors are right, but they stand in a list. The question asks for a tensor.

        `torch.tensor` makes one; better still, stay with tensors from the start.
        """
        return _but(norms, factors=_slopes(norms).exp().tolist())

    def slopes_for_factors(norms):
        """Your factors are the slopes of ln(norm). A factor of 1 has the slope 0.

        By how much is the *norm* multiplied from one layer to the next if its logarithm grows by
        the slope?
        """
        return _but(norms, factors=_slopes(norms))

    def no_logarithm(norms):
        """You fitted a line to the norms themselves, and returned its slope.

        What grows by the same *factor* in each layer is straight on a logarithmic axis.
        """
        return _but(norms, factors=_slopes(norms, lambda x: x))

    def no_logarithm_but_an_exponential(norms):
        """You fitted a line to the norms themselves, and returned the exponential of its slope.

        What grows by the same *factor* in each layer is straight on a logarithmic axis: fit the
        line to ln(norm).
        """
        return _but(norms, factors=_slopes(norms, lambda x: x).exp())

    def decimal_logarithm(norms):
        """You took logarithms to base 10, and then a power of e.

        A slope of log₁₀ belongs to a power of 10. Take both to the same base.
        """
        return _but(norms, factors=_slopes(norms, torch.log10).exp())

    def binary_logarithm(norms):
        """You took logarithms to base 2, and then a power of e.

        A slope of log₂ belongs to a power of 2. Take both to the same base.
        """
        return _but(norms, factors=_slopes(norms, torch.log2).exp())

    def power_of_10(norms):
        """You took natural logarithms, and then a power of 10.

        A slope of ln belongs to a power of e. Take both to the same base.
        """
        return _but(norms, factors=10 ** _slopes(norms))

    def power_of_2(norms):
        """You took natural logarithms, and then a power of 2.

        A slope of ln belongs to a power of e. Take both to the same base.
        """
        return _but(norms, factors=2 ** _slopes(norms))

    def decimal_slopes(norms):
        """Your factors are the slopes of log₁₀(norm). A factor of 1 has the slope 0.

        By how much is the *norm* multiplied from one layer to the next if its logarithm grows by
        the slope?
        """
        return _but(norms, factors=_slopes(norms, torch.log10))

    def both_axes_logarithmic(norms):
        """You took the logarithm of the layer's number, too. Your slope is the exponent of a power
        of the number.

        The same factor in each layer is straight if only the norms are on a logarithmic axis.
        """
        number = torch.log(torch.arange(1, norms.shape[1] + 1, dtype=norms.dtype))
        return _but(norms, factors=_line(norms, number).exp())

    def exponents(norms):
        """You took the logarithm of the layer's number, too, and returned the slope.

        The same factor in each layer is straight if only the norms are on a logarithmic axis.
        """
        number = torch.log(torch.arange(1, norms.shape[1] + 1, dtype=norms.dtype))
        return _but(norms, factors=_line(norms, number))

    def downwards(norms):
        """Your factors lead from a layer to the one *below*. The question asks for the one above.

        Layer 1 is column 0. Which column is divided by which?
        """
        return _but(norms, factors=(-_slopes(norms)).exp())

    def first_and_last_alone(norms):
        """Your result depends on the first and the last layer only. The layers between do not
        count.

        The question asks for the line that fits *all* layers best. In a mean of all steps, the
        layers between cancel.
        """
        steps = norms.shape[1] - 1
        return _but(norms, factors=(norms[:, -1] / norms[:, 0]) ** (1 / steps))

    def first_and_last_by_layers(norms):
        """You used the first and the last layer only, and took the root of the number of layers.

        There is one step fewer than layers. And the question asks for the line that fits all of
        them.
        """
        return _but(norms, factors=(norms[:, -1] / norms[:, 0]) ** (1 / norms.shape[1]))

    def last_over_first(norms):
        """You returned the last norm over the first: the factor of all layers together.

        How large is the factor from one layer to the next, by the line that fits all layers?
        """
        return _but(norms, factors=norms[:, -1] / norms[:, 0])

    def first_over_last(norms):
        """You returned the first norm over the last.

        How large is the factor from one layer to the next, by the line that fits all layers?
        """
        return _but(norms, factors=norms[:, 0] / norms[:, -1])

    def largest_over_smallest(norms):
        """You returned the largest norm over the smallest.

        How large is the factor from one layer to the next, by the line that fits all layers?
        """
        return _but(norms, factors=norms.amax(-1) / norms.amin(-1))

    def second_over_first(norms):
        """You used the first two layers only.

        The question asks for the line that fits *all* layers best.
        """
        return _but(norms, factors=norms[:, 1] / norms[:, 0])

    def mean_of_the_ratios(norms):
        """You took the mean of the ratios of neighbouring layers. A ratio of 4 and one of ¼ cancel,
        but their mean is more than 2.

        Ratios become differences on a logarithmic axis. Fit the line there.
        """
        return _but(norms, factors=(norms[:, 1:] / norms[:, :-1]).mean(-1))

    def median_of_the_ratios(norms):
        """You took the median of the ratios of neighbouring layers.

        The question asks for the line that fits the logarithms of all layers best.
        """
        return _but(norms, factors=(norms[:, 1:] / norms[:, :-1]).quantile(0.5, dim=-1))

    def lower_median_of_the_ratios(norms):
        """You took the median of the ratios of neighbouring layers, by `torch.median`.

        The question asks for the line that fits the logarithms of all layers best.
        """
        return _but(norms, factors=(norms[:, 1:] / norms[:, :-1]).median(-1).values)

    def from_the_first_to_the_last(norms):
        """Your factors lead along your line from the first layer to the last.

        The question asks for the factor from one layer to the next.
        """
        return _answer((_slopes(norms) * (norms.shape[1] - 1)).exp())

    def axes_exchanged(norms):
        """You fitted the number of the layer to ln(norm): the two axes are exchanged.

        Which of the two do you square and sum below the fraction bar?
        """
        logs = norms.log() - norms.log().mean(-1, keepdim=True)
        number = torch.arange(norms.shape[1], dtype=norms.dtype)
        return _answer(((logs * number).sum(-1) / (logs**2).sum(-1)).exp())

    def through_the_origin(norms):
        """Your line goes through 0 at layer 0. The norms of real layers need not.

        A line has a slope and an intercept. Subtract the mean of the layers' numbers first.
        """
        number = torch.arange(1, norms.shape[1] + 1, dtype=norms.dtype)
        return _but(norms, factors=((norms.log() * number).sum(-1) / (number**2).sum()).exp())

    def through_the_origin_at_the_first_layer(norms):
        """Your line goes through 0 at the first layer, as if the first norm were 1.

        A line has a slope and an intercept. Subtract the mean of the layers' numbers first.
        """
        number = torch.arange(norms.shape[1], dtype=norms.dtype)
        return _but(norms, factors=((norms.log() * number).sum(-1) / (number**2).sum()).exp())

    def through_the_first_layer(norms):
        """Your line goes through the first layer's norm.

        The line that fits all layers best need not go through any of them.
        """
        number = torch.arange(norms.shape[1], dtype=norms.dtype)
        rises = norms.log() - norms.log()[:, :1]
        return _but(norms, factors=((rises * number).sum(-1) / (number**2).sum()).exp())

    def mean_over_sum(norms):
        """Your slopes are too small by the number of layers: a mean over the layers, divided by a
        sum over them.

        Take sums above and below, or means above and below.
        """
        return _but(norms, factors=(_slopes(norms) / norms.shape[1]).exp())

    def sum_over_mean(norms):
        """Your slopes are too large by the number of layers: a sum over the layers, divided by a
        mean over them.

        Take sums above and below, or means above and below.
        """
        return _but(norms, factors=(_slopes(norms) * norms.shape[1]).exp())

    def intercepts(norms):
        """You returned exponentials of the intercepts: the norms of the line at its first layer.

        `polyfit` and its like return both. Which of the two is the slope?
        """
        middle = (norms.shape[1] - 1) / 2
        return _but(norms, factors=(norms.log().mean(-1) - _slopes(norms) * middle).exp())

    def intercepts_at_layer_0(norms):
        """You returned exponentials of the intercepts: the norms of the line at layer 0, where no
        layer is.

        `polyfit` and its like return both. Which of the two is the slope?
        """
        middle = (norms.shape[1] + 1) / 2
        return _but(norms, factors=(norms.log().mean(-1) - _slopes(norms) * middle).exp())

    def one_line_for_all_starts(norms):
        """You fitted one line to all starts together.

        Each start has its own line and its own factor.
        """
        return _but(norms, factors=_slopes(norms).mean().exp().expand(len(norms)))

    def one_factor(norms):
        """You returned a single factor: that of the mean norm of all starts.

        Each start has its own line and its own factor.
        """
        return _but(norms, factors=_slopes(norms.mean(0, keepdim=True)).exp())

    def one_factor_of_the_mean_logarithm(norms):
        """You returned a single factor: that of the mean logarithm of all starts.

        Each start has its own line and its own factor.
        """
        return _but(norms, factors=_slopes(norms).mean().exp()[None])

    def along_the_starts(norms):
        """Your line runs along the starts, so you have a factor for each layer.

        A row is a start, a column a layer.
        """
        across = _slopes(norms.T).exp() if len(norms) > 1 else norms[0] * math.nan
        return _but(norms, factors=across)

    def lower_median(norms):
        """Of an even number of factors, your median is the lower of the two in the middle, as
        `torch.median` returns it.

        The question asks for the mean of these two.
        """
        return _but(norms, median=_slopes(norms).exp().median())

    def upper_median(norms):
        """Of an even number of factors, your median is the upper of the two in the middle.

        The question asks for the mean of these two.
        """
        return _but(norms, median=_slopes(norms).exp().sort().values[len(norms) // 2])

    def mean_for_the_median(norms):
        """You took the mean of the factors, where the question asks for the median.

        One unusual start moves the mean, and hardly the median.
        """
        return _but(norms, median=_slopes(norms).exp().mean())

    def mean_of_the_slopes(norms):
        """Your median is the exponential of the mean slope.

        The question asks for the median of the factors.
        """
        return _but(norms, median=_slopes(norms).mean().exp())

    def median_of_the_slopes(norms):
        """You took the median of the slopes. For an even number of starts, its exponential is
        another number than the median of the factors.

        First the factors, then their median.
        """
        return _but(norms, median=_slopes(norms).quantile(0.5).exp())

    def not_in_order(norms):
        """For the median you took the factor in the middle of the list, which is not sorted.

        The median lies in the middle by size.
        """
        return _but(norms, median=_slopes(norms).exp()[len(norms) // 2])

    def counted_the_others(norms):
        """You counted the factors below 1.

        In which starts does the norm grow from a layer to the one above?
        """
        return _but(norms, growing=int((_slopes(norms) < 0).sum()))

    def share_for_the_number(norms):
        """Your "growing" is a share. The question asks in how many starts.

        Sum the comparisons, without dividing.
        """
        return _but(norms, growing=float((_slopes(norms) > 0).double().mean()))

    def counted_by_the_ends(norms):
        """You counted the starts whose last norm is larger than the first.

        Count the factors above 1.
        """
        return _but(norms, growing=int((norms[:, -1] > norms[:, 0]).sum()))

    def counted_all(norms):
        """Your "growing" is always the number of starts.

        Factors are always above 0. From which factor on does a norm grow?
        """
        return _but(norms, growing=len(norms))

    def slopes_counted_above_1(norms):
        """Your "growing" is too small, as if you had counted the slopes above 1.

        Which slope belongs to a factor of 1? And are your factors right?
        """
        return _but(norms, growing=int((_slopes(norms) > 1).sum()))

    def truth_for_the_number(norms):
        """Your "growing" says for each start whether it grows. The question asks in how many it
        does.

        Sum the comparisons.
        """
        return _but(norms, growing=_slopes(norms) > 0)

    def first_layer_left_out(norms):
        """You left out layer 1: your line fits the others only.

        The question asks for *all* layers. At which index does the first one stand?
        """
        return _but(norms, factors=_slopes(norms[:, 1:]).exp())

    def last_layer_left_out(norms):
        """You left out the last layer: your line fits the others only.

        The question asks for *all* layers. Does your range end one too early?
        """
        return _but(norms, factors=_slopes(norms[:, :-1]).exp())

    def last_two_alone(norms):
        """You used the last two layers only.

        The question asks for the line that fits *all* layers best.
        """
        return _but(norms, factors=norms[:, -1] / norms[:, -2])

    def squares_not_centred(norms):
        """Above the fraction bar you subtracted the mean of the layers' numbers; below it you
        squared the numbers themselves.

        Both sums use the same centred numbers.
        """
        return _but(norms, factors=_half_centred(norms, 1, above=True).exp())

    def squares_not_centred_from_0(norms):
        """Above the fraction bar you subtracted the mean of the layers' numbers; below it you
        squared the numbers themselves, from 0 on.

        Both sums use the same centred numbers.
        """
        return _but(norms, factors=_half_centred(norms, 0, above=True).exp())

    def products_not_centred(norms):
        """Below the fraction bar you subtracted the mean of the layers' numbers; above it you
        multiplied by the numbers themselves.

        Subtract the mean above as well.
        """
        return _but(norms, factors=_half_centred(norms, 1, above=False).exp())

    def products_not_centred_from_0(norms):
        """Below the fraction bar you subtracted the mean of the layers' numbers; above it you
        multiplied by the numbers themselves, from 0 on.

        Subtract the mean above as well.
        """
        return _but(norms, factors=_half_centred(norms, 0, above=False).exp())

    def mean_over_unbiased_variance(norms):
        """Above the fraction bar you divided by the number of layers, below it by one less.

        `var` and `cov` divide by n − 1 unless you tell them otherwise. Take sums on both sides.
        """
        layers = norms.shape[1]
        return _but(norms, factors=(_slopes(norms) * (layers - 1) / layers).exp())

    def covariance_over_biased_variance(norms):
        """Above the fraction bar you divided by the number of layers minus 1, below it by their
        number.

        Take sums on both sides, or divide both by the same number.
        """
        layers = norms.shape[1]
        return _but(norms, factors=(_slopes(norms) * layers / (layers - 1)).exp())

    def correlation_for_the_slope(norms):
        """You took the correlation for the slope. It says how straight the points lie, not how
        steeply.

        Divide the covariance by the variance of the layers' numbers.
        """
        return _but(norms, factors=(_slopes(norms) / _spreads(norms)).exp())

    def ratio_of_the_deviations(norms):
        """For the slope you divided two standard deviations, so it is never negative.

        The slope is the covariance over the variance of the layers' numbers.
        """
        return _but(norms, factors=_spreads(norms).exp())

    def squared_norms(norms):
        """Your factors are the squares of the right ones.

        Do you use the norms, or their squares?
        """
        return _but(norms, factors=(2 * _slopes(norms)).exp())

    def logarithm_of_one_more(norms):
        """You took the logarithm of 1 + norm.

        `log1p` adds 1. What grows by the same factor is straight only for ln(norm).
        """
        return _but(norms, factors=_slopes(norms, torch.log1p).exp())

    def binary_slopes(norms):
        """Your factors are the slopes of log₂(norm). A factor of 1 has the slope 0.

        By how much is the *norm* multiplied from one layer to the next if its logarithm grows by
        the slope?
        """
        return _but(norms, factors=_slopes(norms, torch.log2))

    def growth_for_the_factor(norms):
        """You subtracted 1 from the factors.

        A norm that stays the same has the factor 1.
        """
        return _but(norms, factors=_slopes(norms).exp() - 1)

    def median_with_its_place(norms):
        """Your median is a pair, the median and its place, as `torch.median` returns it with `dim`.

        Take the value alone. Of an even number of factors, it is the lower of the two in the
        middle.
        """
        return _but(norms, median=tuple(_slopes(norms).exp().median(0)))

    def median_slope(norms):
        """Your median is that of the slopes. The question asks for the median of the factors.

        A factor is the exponential of a slope.
        """
        return _but(norms, median=_slopes(norms).quantile(0.5))

    def lower_median_slope(norms):
        """Your median is that of the slopes, the lower of two in the middle. The question asks for
        the median of the factors.

        A factor is the exponential of a slope.
        """
        return _but(norms, median=_slopes(norms).median())

    def middle_two_not_in_order(norms):
        """For the median you took the middle of the list, one factor or the mean of two. The list
        is not sorted.

        The median lies in the middle by size.
        """
        factors, half = _slopes(norms).exp(), len(norms) // 2
        middle = factors[half] if len(norms) % 2 else factors[half - 1 : half + 1].mean()
        return _but(norms, median=middle)

    def counted_steps(norms):
        """You counted the steps from one layer to the next in which a norm grows, in all starts.

        The question asks in how many *starts* the factor is above 1.
        """
        return _but(norms, growing=int((norms[:, 1:] > norms[:, :-1]).sum()))

    def growing_everywhere(norms):
        """You counted the starts in which the norm grows in every single step.

        Count the factors above 1.
        """
        return _but(norms, growing=int((norms[:, 1:] > norms[:, :-1]).all(1).sum()))

    def mean_of_the_differences(norms):
        """Your factors are means of differences of ln(norm). In such a mean the layers between
        cancel, and an exponential is missing.

        Fit the line to all layers. A factor of 1 has the slope 0.
        """
        return _but(norms, factors=norms.log().diff(dim=1).mean(1))

    def median_of_the_norms(norms):
        """Your median is that of the norms. The question asks for the median of the factors.

        There is one factor for each start.
        """
        return _but(norms, median=norms.median())


class Right:
    """Right answers, written differently."""

    def by_numpy(norms):
        """`polyfit`, for all starts at once."""
        logs = np.log(norms.double().numpy())
        slope = np.polyfit(np.arange(1, logs.shape[1] + 1), logs.T, 1)[0]
        factors = torch.from_numpy(np.exp(slope))
        return {
            "factors": factors,
            "median": float(np.median(factors)),
            "growing": int(np.sum(slope > 0)),
        }

    def by_least_squares(norms):
        """A matrix of ones and numbers."""
        layers = norms.shape[1]
        A = torch.stack([torch.ones(layers), torch.arange(1.0, layers + 1)], 1).to(norms.dtype)
        _, slope = torch.linalg.lstsq(A, torch.log2(norms).T).solution
        factors = 2**slope
        return {"factors": factors, "median": factors.quantile(0.5), "growing": (slope > 0).sum()}

    def start_by_start(norms):
        """Covariance over variance, in plain Python."""
        factors = []
        for row in norms.double().tolist():
            logs, numbers = [math.log10(norm) for norm in row], range(len(row))
            mean_log, mean_number = sum(logs) / len(row), sum(numbers) / len(row)
            above = sum(
                (n - mean_number) * (y - mean_log) for n, y in zip(numbers, logs, strict=True)
            )
            below = sum((n - mean_number) ** 2 for n in numbers)
            factors.append(10 ** (above / below))
        ordered, half = sorted(factors), len(factors) // 2
        median = ordered[half] if len(factors) % 2 else (ordered[half - 1] + ordered[half]) / 2
        return {
            "factors": torch.tensor(factors, dtype=norms.dtype),
            "median": median,
            "growing": sum(factor > 1 for factor in factors),
        }

    def by_covariance(norms):
        """With torch.cov."""
        numbers = torch.arange(norms.shape[1], dtype=norms.dtype)
        slopes = [torch.cov(torch.stack([numbers, row.log()])) for row in norms]
        factors = torch.stack([C[0, 1] / C[0, 0] for C in slopes]).exp()
        middle = factors.sort().values[[(len(factors) - 1) // 2, len(factors) // 2]].mean()
        return {"growing": int((factors > 1).sum()), "median": middle, "factors": factors}

    def by_pairs(norms):
        """Products of all ratios of two layers, each to a power."""
        logs, layers = norms.log(), norms.shape[1]
        total, weight = torch.zeros(len(norms), dtype=norms.dtype), 0
        for low in range(layers):
            for high in range(low + 1, layers):
                total = total + (high - low) * (logs[:, high] - logs[:, low])
                weight += (high - low) ** 2
        factors = torch.exp(total / weight)
        growing = len([factor for factor in factors if factor > 1])
        return {"factors": factors, "median": torch.quantile(factors, 0.5), "growing": growing}


EXERCISE = Exercise(
    id="depth_and_gradients",
    oracle=correct,
    hint="For each start, put the logarithms of the norms over the numbers of the layers, and fit "
    "a line. Its slope is the logarithm of the factor. Then take the median of the factors, and "
    "count those above 1.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
