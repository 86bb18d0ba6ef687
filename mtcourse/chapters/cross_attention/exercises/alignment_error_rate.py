"""The exercise ``alignment_error_rate``: Och and Ney's measure (C37; chapter 6)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Matrices to count by hand, perfect ones, disjoint ones, and random ones."""
    grid = torch.tensor
    sure = grid([[True, False, False], [False, True, False]])
    possible = grid([[True, False, True], [False, True, True]])
    found = grid([[True, False, True], [False, False, True]])
    return [
        Case("1 of 2 sure links found, and 2 possible ones", (found, sure, possible), by_hand=True),
        Case("a Dutch word without links", _with_an_unlinked_word()),
        Case("everything found, nothing else", (sure, sure, possible)),
        Case("nothing right", (~possible, sure, possible)),
        Case("nothing found", (torch.zeros_like(sure), sure, possible)),
        Case("all possible links found", (possible, sure, possible)),
        Case("no merely possible links", (draw.booleans(5, 7), *(_sure(draw, 5, 7, 0.0)))),
        Case("7 Dutch words and 4 English ones", (draw.booleans(7, 4), *_sure(draw, 7, 4, 0.3))),
        Case("6 words on either side", (draw.booleans(6, 6, share=0.3), *_sure(draw, 6, 6, 0.2))),
    ]


def _with_an_unlinked_word():
    """The last Dutch word has no link in any of the matrices."""
    found = torch.tensor([[True, True, False], [False, True, False], [False, False, False]])
    sure = torch.tensor([[True, False, False], [False, False, True], [False, False, False]])
    return found, sure, sure | torch.tensor([[False, True, False], [False] * 3, [False] * 3])


def _sure(draw: Draw, m, n, more):
    """Sure links, and possible ones among which they are."""
    sure = draw.booleans(m, n, share=0.4)
    sure[0, 0] = True
    return sure, sure | draw.booleans(m, n, share=more)


def correct(found, sure, possible):
    """1 - (|A n S| + |A n P|) / (|A| + |S|)."""
    hits = (found & sure).sum() + (found & possible).sum()
    return float(1 - hits / (found.sum() + sure.sum()))


def _counts(found, sure, possible):
    """|A|, |S|, |P|, |A n S|, |A n P|."""
    counted = (found, sure, possible, found & sure, found & possible)
    return [of.sum() for of in counted]


class Wrong:
    """What learners write, the more particular before the more general."""

    def agreement(found, sure, possible):
        """Your result is 1 minus the error rate: it is 1 where every link is right.

        An error rate is 0 where nothing is wrong.
        """
        return 1 - correct(found, sure, possible)

    def in_percent(found, sure, possible):
        """Your result is the error rate in percent.

        Return a number from 0 to 1.
        """
        return 100 * correct(found, sure, possible)

    def sure_alone(found, sure, possible):
        """You count links that are merely possible as wrong.

        In which set must a found link be, so that it does not count as an error?
        """
        return 1 - 2 * (found & sure).sum() / (found.sum() + sure.sum())

    def possible_alone(found, sure, possible):
        """You treat all possible links as sure, so that every one of them must be found.

        Which of the two sets must be found, and which may be found?
        """
        return 1 - 2 * (found & possible).sum() / (found.sum() + possible.sum())

    def divided_by_possible(found, sure, possible):
        """Your denominator counts the possible links. It should count the sure ones.

        Recall is the share of S that was found.
        """
        hits = (found & sure).sum() + (found & possible).sum()
        return 1 - hits / (found.sum() + possible.sum())

    def hits_divided_by_one(found, sure, possible):
        """You add up the hits among sure and possible links, but divide by the number of found
        links alone.

        The denominator is |A| + |S|: the links that were found plus those that should be found.
        """
        hits = (found & sure).sum() + (found & possible).sum()
        return 1 - hits / found.sum()

    def one_minus_precision(found, sure, possible):
        """Your result is 1 minus precision. Links that you did not find cost nothing.

        Find a single sure link and nothing else: your error rate is 0. Should it be?
        """
        return 1 - (found & possible).sum() / found.sum()

    def one_minus_recall(found, sure, possible):
        """Your result is 1 minus recall. Wrong links cost nothing.

        Link every word with every word: your error rate is 0. Should it be?
        """
        return 1 - (found & sure).sum() / sure.sum()

    def mean_of_precision_and_recall(found, sure, possible):
        """Your result is 1 minus the arithmetic mean of precision and recall.

        The error rate adds up hits and sizes first, and divides once.
        """
        precision = (found & possible).sum() / found.sum()
        return 1 - (precision + (found & sure).sum() / sure.sum()) / 2

    def overlap_over_union(found, sure, possible):
        """Your result is 1 minus the overlap of found and sure links over their union (Jaccard).

        The error rate divides by |A| + |S|. What does the union count only once?
        """
        return 1 - (found & sure).sum() / (found | sure).sum()

    def share_of_cells(found, sure, possible):
        """You return the share of cells in which `found` and `sure` differ.

        Most cells are links in neither matrix, and this makes your number small. Count only links.
        """
        return (found != sure).double().mean()

    def denominator_without_sure_twice(found, sure, possible):
        """You count only the hits in S, and only once. The numerator has two terms.

        One is the number of hits in S, the other the number of hits in P.
        """
        return 1 - (found & sure).sum() / (found.sum() + sure.sum())

    def possible_twice(found, sure, possible):
        """Your numerator counts the hits in P twice, and those in S not at all.

        Which two intersections does the equation name?
        """
        a, s, _p, _a_s, a_p = _counts(found, sure, possible)
        return 1 - 2 * a_p / (a + s)

    def divided_by_sure_and_possible(found, sure, possible):
        """Your denominator adds up S and P.

        Which set is missing from it, and which is there in its place?
        """
        _a, s, p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (s + p)

    def divided_by_all_three(found, sure, possible):
        """Your denominator adds up all three sets.

        Which two does the equation name?
        """
        a, s, p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (a + s + p)

    def divided_by_sure(found, sure, possible):
        """You divide by the number of sure links alone.

        The denominator is |A| + |S|.
        """
        _a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / s

    def divided_by_possible_alone(found, sure, possible):
        """You divide by the number of possible links alone.

        The denominator is |A| + |S|.
        """
        _a, _s, p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / p

    def divided_by_union(found, sure, possible):
        """Your denominator counts a link that is found and sure only once.

        |A| + |S| counts it twice. What do `|` and `+` do with two tensors of truth values?
        """
        _a, _s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (found | sure).sum()

    def divided_by_union_with_possible(found, sure, possible):
        """You divide by the number of links that are found or possible.

        The denominator is |A| + |S|.
        """
        _a, _s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (found | possible).sum()

    def divided_by_cells(found, sure, possible):
        """You divide by the number of cells of the matrix.

        Most cells are in no set. The denominator is |A| + |S|.
        """
        _a, _s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / found.numel()

    def divided_by_twice_found(found, sure, possible):
        """You divide by twice the number of found links.

        The denominator is |A| + |S|. What does a missed sure link cost?
        """
        a, _s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (2 * a)

    def hits_joined(found, sure, possible):
        """Your numerator counts every link only once, but a found link that is sure is in both
        intersections.

        Every sure link is also possible. And what is True + True for tensors of truth values?
        """
        a, s, _p, _a_s, a_p = _counts(found, sure, possible)
        return 1 - a_p / (a + s)

    def hits_and_sizes_joined(found, sure, possible):
        """Your numerator and your denominator count each link only once, even if it is in two sets.

        What is True + True for two tensors of truth values? Count first, and then add.
        """
        _a, _s, _p, _a_s, a_p = _counts(found, sure, possible)
        return 1 - a_p / (found | sure).sum()

    def unions(found, sure, possible):
        """Your numerator counts what is in one set or the other.

        A ∩ S holds what is in both.
        """
        a, s, _p, _a_s, _a_p = _counts(found, sure, possible)
        return 1 - ((found | sure).sum() + (found | possible).sum()) / (a + s)

    def harmonic_mean(found, sure, possible):
        """Your result is 1 minus the harmonic mean of precision and recall.

        The error rate adds up hits and sizes first, and divides once.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        precision, recall = a_p / a, a_s / s
        return 1 - 2 * precision * recall / (precision + recall)

    def product(found, sure, possible):
        """Your result is 1 minus the product of precision and recall.

        The error rate adds up hits and sizes first, and divides once.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - a_p / a * a_s / s

    def mean_over_words(found, sure, possible):
        """You computed the rate of each Dutch word that has links, and then the mean.

        Count over the whole matrix, and divide once.
        """
        hits, size = (
            (found & sure).sum(-1) + (found & possible).sum(-1),
            found.sum(-1) + sure.sum(-1),
        )
        return (1 - hits[size > 0] / size[size > 0]).mean()

    def mean_over_all_words(found, sure, possible):
        """You computed the rate of each Dutch word, 0 for a word without links, and then the mean.

        Count over the whole matrix, and divide once.
        """
        hits, size = (
            (found & sure).sum(-1) + (found & possible).sum(-1),
            found.sum(-1) + sure.sum(-1),
        )
        return (1 - hits / size).nan_to_num(0.0).mean()

    def mean_over_english_words(found, sure, possible):
        """You computed the rate of each English word that has links, and then the mean.

        Count over the whole matrix, and divide once.
        """
        hits, size = (
            (found & sure).sum(-2) + (found & possible).sum(-2),
            found.sum(-2) + sure.sum(-2),
        )
        return (1 - hits[size > 0] / size[size > 0]).mean()

    def rate_of_each_word(found, sure, possible):
        """You return a rate for each Dutch word. One number is asked for.

        `sum()` without a dimension adds up everything.
        """
        hits, size = (
            (found & sure).sum(-1) + (found & possible).sum(-1),
            found.sum(-1) + sure.sum(-1),
        )
        return 1 - hits / size

    def merely_possible_left_out(found, sure, possible):
        """Your denominator leaves out found links that are merely possible.

        |A| counts every link that was found.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (a - (a_p - a_s) + s)

    def only_sure_of_found(found, sure, possible):
        """Your |A| counts only those found links that are sure.

        |A| counts every link that was found, right or wrong.
        """
        _a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / (a_s + s)

    def brackets(found, sure, possible):
        """You subtract the hits from 1 before you divide.

        The fraction stands by itself: 1 minus all of it.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return (1 - (a_s + a_p)) / (a + s)

    def second_term_outside(found, sure, possible):
        """You subtract the hits in S without dividing them, and you add the hits in P.

        Put brackets around the numerator.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - a_s + a_p / (a + s)

    def first_term_not_divided(found, sure, possible):
        """Only the hits in P are divided: there are no brackets around the numerator.

        Put brackets around the numerator.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p / (a + s))

    def denominator_without_brackets(found, sure, possible):
        """You divide by |A| alone, and then you add |S|.

        Put brackets around the denominator.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / a + s

    def whole_numbers(found, sure, possible):
        """Your fraction is cut off to a whole number, 0 or 1, before it is subtracted from 1.

        `//` and `int` cut off what stands after the decimal point. Which operator divides exactly?
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) // (a + s)

    def wrong_links_only(found, sure, possible):
        """You count only the found links that are not possible. Sure links that were not found cost
        nothing.

        What should the rate be if nothing at all was found?
        """
        a, s, _p, _a_s, a_p = _counts(found, sure, possible)
        return (a - a_p) / (a + s)

    def missed_links_only(found, sure, possible):
        """You count only the sure links that were not found. Wrong links cost nothing.

        What should the rate be if every word is linked with every word?
        """
        a, s, _p, a_s, _a_p = _counts(found, sure, possible)
        return (s - a_s) / (a + s)

    def number_of_errors(found, sure, possible):
        """You return the number of errors. A rate is asked for.

        By what does the equation divide?
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return a - a_p + s - a_s

    def number_of_hits(found, sure, possible):
        """You return the numerator, a number of links.

        By what does the equation divide?
        """
        _a, _s, _p, a_s, a_p = _counts(found, sure, possible)
        return a_s + a_p

    def precision_alone(found, sure, possible):
        """You return precision.

        An error rate is 0 where nothing is wrong. And what does a missed link cost?
        """
        a, _s, _p, _a_s, a_p = _counts(found, sure, possible)
        return a_p / a

    def recall_alone(found, sure, possible):
        """You return recall.

        An error rate is 0 where nothing is wrong. And what does a wrong link cost?
        """
        _a, s, _p, a_s, _a_p = _counts(found, sure, possible)
        return a_s / s

    def precision_with_sure(found, sure, possible):
        """Your result is 1 minus the share of found links that are sure.

        A found link that is possible is no error. And what does a missed sure link cost?
        """
        a, _s, _p, a_s, _a_p = _counts(found, sure, possible)
        return 1 - a_s / a

    def recall_with_possible(found, sure, possible):
        """Your result is 1 minus the share of possible links that were found.

        Which links must be found?
        """
        _a, _s, p, _a_s, a_p = _counts(found, sure, possible)
        return 1 - a_p / p

    def errors_of_precision_and_recall(found, sure, possible):
        """You add up the error of precision and that of recall.

        The error rate adds up hits and sizes first, and divides once.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 2 - a_p / a - a_s / s

    def equal_cells(found, sure, possible):
        """Your hits are cells in which two matrices agree, including those without a link.

        A ∩ S holds the links that are in both. What does `==` give where both are False?
        """
        a, s, _p, _a_s, _a_p = _counts(found, sure, possible)
        return 1 - ((found == sure).sum() + (found == possible).sum()) / (a + s)

    def half_the_hits(found, sure, possible):
        """Your numerator is only half as large as it should be.

        The sum of two intersections is divided by the sum of two sizes.
        """
        a, s, _p, a_s, a_p = _counts(found, sure, possible)
        return 1 - (a_s + a_p) / 2 / (a + s)

    def union_with_possible(found, sure, possible):
        """Your result is 1 minus the overlap of found and possible links over their union
        (Jaccard).

        The error rate divides by |A| + |S|. What does the union count only once?
        """
        _a, _s, _p, _a_s, a_p = _counts(found, sure, possible)
        return 1 - a_p / (found | possible).sum()

    def share_of_cells_with_possible(found, sure, possible):
        """You return the share of cells in which `found` and `possible` differ.

        Most cells are links in neither matrix, and this makes your number small. Count only links.
        """
        return (found != possible).double().mean()


class Right:
    """Right answers, written differently."""

    def with_sets(found, sure, possible):
        """With sets of pairs, as a plain number."""
        A, S, P = (
            {tuple(link) for link in of.nonzero().tolist()} for of in (found, sure, possible)
        )
        return 1.0 - (len(A & S) + len(A & P)) / (len(A) + len(S))

    def with_products(found, sure, possible):
        """With products of 0 and 1."""
        A, S, P = found.double(), sure.double(), possible.double()
        return 1 - ((A * S).sum() + (A * P).sum()) / (A.sum() + S.sum())

    def with_loops(found, sure, possible):
        """One cell at a time."""
        hits = count = 0
        for a, s, p in zip(*(of.flatten().tolist() for of in (found, sure, possible)), strict=True):
            hits += (a and s) + (a and p)
            count += a + s
        return (count - hits) / count

    def with_selection(found, sure, possible):
        """Picks out the cells that were found."""
        hits = sure[found].sum() + possible[found].sum()
        return (1 - hits / (found.sum() + sure.sum())).item()


EXERCISE = Exercise(
    id="alignment_error_rate",
    oracle=correct,
    hint="Count four numbers: found links, sure links, found links that are sure, found links "
    "that are possible. Two belong in the numerator, two in the denominator.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
