"""The exercise ``mbr_choice``: the best candidate on average (C19; chapter 19)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def _utility(draw, values):
    return draw.tensor(values)


def cases(draw: Draw) -> list[Case]:
    """Utilities to check by hand, samples that occur several times, and drawn ones."""
    by_hand = [
        ("two close samples and one apart", [[9, 1, 1], [1, 9, 7], [1, 7, 9]], [3, 2, 2]),
        ("each sample once", [[9, 1, 4], [5, 9, 6], [4, 2, 9]], [1, 1, 1]),
        ("one sample very often", [[9, 4, 4], [6, 9, 8], [5, 8, 9]], [8, 1, 1]),
        ("more candidates than samples", [[2, 3], [1, 9], [5, 5], [4, 1]], [3, 1]),
        ("a negative utility", [[-1, -9, -1], [-4, -2, -4], [-3, -3, -3]], [1, 2, 1]),
        ("two equal ones", [[1, 5, 2], [3, 4, 1], [5, 1, 2], [1, 5, 2]], [1, 1, 1]),
    ]
    cases = [
        Case(name, (_utility(draw, values), torch.tensor(counts)), by_hand=True)
        for name, values, counts in by_hand
    ]
    for n, m in ((4, 4), (6, 3), (5, 9), (8, 8)):
        utility = draw.normal(n, m, scale=3)
        cases.append(
            Case(f"{n} candidates, {m} samples", (utility, draw.ids(m, lowest=1, highest=9)))
        )
    return cases


def correct(utility, counts):
    """The mean over the samples, each as often as it was drawn."""
    return int((utility * counts).sum(-1).argmax())


class Wrong:
    """What learners write, the more particular before the more general."""

    def counts_ignored(utility, counts):
        """You count each different sample once. A sample that was drawn eight times counts eight
        times.

        Weigh each column by its count.
        """
        return int(utility.mean(-1).argmax())

    def most_frequent_sample(utility, counts):
        """You choose the sample that was drawn most often, and ignore the utilities.

        A frequent sample that agrees with no other one can have a low expected utility.
        """
        return int(counts.argmax())

    def transposed(utility, counts):
        """You take the mean over the candidates, and choose a *sample*.

        Rows are candidates, columns are samples. Which of the two is averaged over?
        """
        return int((utility.mT @ torch.ones(len(utility), dtype=utility.dtype)).argmax())

    def lowest(utility, counts):
        """You choose the lowest expected utility. It is the *risk* that is minimised.

        The risk is minus the expected utility.
        """
        return int((utility * counts).sum(-1).argmin())

    def best_single(utility, counts):
        """You choose the candidate with the largest single utility. One sample that it agrees with
        does not make it good on average.

        Take a mean over the samples first.
        """
        return int(utility.amax(-1).argmax())

    def best_worst(utility, counts):
        """You choose the candidate whose *worst* utility is highest.

        An expectation is a mean, and no minimum.
        """
        return int(utility.amin(-1).argmax())

    def itself_left_out(utility, counts):
        """You leave out the diagonal, as if candidate i should not be compared with sample i.

        Rows and columns need not be the same texts. Use all samples.
        """
        n = min(utility.shape)
        kept = utility.clone()
        kept[range(n), range(n)] = 0
        return int((kept * counts).sum(-1).argmax())

    def value_returned(utility, counts):
        """You return the highest expected utility. The *number of the candidate* is asked for.

        `argmax` in place of `max`.
        """
        return float((utility * counts).sum(-1).max() / counts.sum())

    def all_utilities(utility, counts):
        """You return the expected utility of every candidate. The number of the best is asked for.

        One `argmax` is missing.
        """
        return (utility * counts).sum(-1) / counts.sum()

    def last_of_equal_ones(utility, counts):
        """Of two equal candidates you choose the last. The first is asked for.

        In which direction do you look for the largest?
        """
        return len(utility) - 1 - int((utility * counts).sum(-1).flip(-1).argmax())

    def counted_from_one(utility, counts):
        """You count candidates from 1.

        The first row is candidate 0.
        """
        return correct(utility, counts) + 1

    def divided_by_counts(utility, counts):
        """You divide by the counts. A sample that was drawn more often should count *more*.

        Weigh each column by its count.
        """
        return int((utility / counts).sum(-1).argmax())

    def squared_counts(utility, counts):
        """You weigh by the counts twice.

        Once is enough: the mean over all samples that were drawn.
        """
        return int((utility * counts * counts).sum(-1).argmax())

    def most_frequent_column(utility, counts):
        """You look at the most frequent sample alone, and choose the candidate that agrees with it
        best.

        The expectation runs over all samples.
        """
        return int(utility[:, int(counts.argmax())].argmax())

    def median_utility(utility, counts):
        """You choose by the median. An expectation is a mean.

        Sum up count times utility.
        """
        repeated = utility.repeat_interleave(counts, dim=-1)
        return int(repeated.median(-1).values.argmax())

    def first_candidate(utility, counts):
        """You always return candidate 0.

        Over which dimension does your `argmax` run?
        """
        return 0

    def flat_place(utility, counts):
        """You return a place in the flattened table.

        Average over the samples first; then one number is left for each candidate.
        """
        return int(utility.flatten().argmax())

    def summed_over_candidates(utility, counts):
        """You weigh the samples by their counts, but add up over the candidates. That chooses a
        *sample*.

        Add up along each row: `sum(-1)`.
        """
        return int((utility * counts).sum(0).argmax())

    def sum_returned(utility, counts):
        """You return the highest sum of weighed utilities. The *number of the candidate* is asked
        for.

        Take `argmax` in place of `max`.
        """
        return float((utility * counts).sum(-1).max())

    def flat_place_of_the_products(utility, counts):
        """You return a place in the flattened table of products.

        Add up along each row first; then one number is left for each candidate.
        """
        return int((utility * counts).argmax())

    def mean_over_the_others(utility, counts):
        """You leave sample i out of the mean of candidate i. Rows and columns need not be the same
        texts, and the mean runs over all samples that were drawn.

        Use every column.
        """
        kept = counts.expand_as(utility).to(utility.dtype).clone()
        n = min(utility.shape)
        kept[range(n), range(n)] = 0
        return int(((utility * kept).sum(-1) / kept.sum(-1).clamp(min=1)).argmax())

    def nothing_below_zero(utility, counts):
        """You begin with 0 as the best mean so far. Where all utilities are negative, you find no
        candidate.

        Begin with minus infinity.
        """
        best, place = 0.0, None
        for i, total in enumerate((utility.double() * counts).sum(-1).tolist()):
            if total > best:
                best, place = total, i
        return place


class Right:
    """Right answers, written differently."""

    def matrix_product(utility, counts):
        """A product with the shares."""
        return int((utility @ (counts / counts.sum()).to(utility.dtype)).argmax())

    def with_loops(utility, counts):
        """Plain Python."""
        means = [
            sum(u * c for u, c in zip(row, counts.tolist(), strict=True))
            for row in utility.double().tolist()
        ]
        return max(range(len(means)), key=lambda i: means[i])

    def each_sample_by_itself(utility, counts):
        """Repeats the columns."""
        return int(utility.double().repeat_interleave(counts, dim=1).mean(1).argmax())

    def least_risk(utility, counts):
        """Minimises the risk."""
        return int(-(utility * counts).sum(1).neg().argmin() * -1)

    def as_a_tensor(utility, counts):
        """Returns a tensor with one number."""
        return torch.einsum("cs,s->c", utility, counts.to(utility.dtype)).argmax()


EXERCISE = Exercise(
    id="mbr_choice",
    oracle=correct,
    hint="Weigh each column by how often its sample was drawn, add up along each row, and take the "
    "argmax.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
