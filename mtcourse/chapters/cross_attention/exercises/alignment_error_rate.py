"""The exercise ``alignment_error_rate``: Och and Ney's measure (C37; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Matrices to count by hand, perfect ones, disjoint ones, and random ones."""
    grid = torch.tensor
    sure = grid([[True, False, False], [False, True, False]])
    possible = grid([[True, False, True], [False, True, True]])
    found = grid([[True, False, True], [False, False, True]])
    return [
        Case("1 of 2 sure links found, and 2 possible ones", (found, sure, possible), by_hand=True),
        Case("everything found, nothing else", (sure, sure, possible)),
        Case("nothing right", (~possible, sure, possible)),
        Case("nothing found", (torch.zeros_like(sure), sure, possible)),
        Case("all possible links found", (possible, sure, possible)),
        Case("no merely possible links", (draw.booleans(5, 7), *(_sure(draw, 5, 7, 0.0)))),
        Case("7 Dutch words and 4 English ones", (draw.booleans(7, 4), *_sure(draw, 7, 4, 0.3))),
        Case("6 words on either side", (draw.booleans(6, 6, share=0.3), *_sure(draw, 6, 6, 0.2))),
    ]


def _sure(draw: Draw, m, n, more):
    """Sure links, and possible ones among which they are."""
    sure = draw.booleans(m, n, share=0.4)
    sure[0, 0] = True
    return sure, sure | draw.booleans(m, n, share=more)


def correct(found, sure, possible):
    """1 - (|A n S| + |A n P|) / (|A| + |S|)."""
    hits = (found & sure).sum() + (found & possible).sum()
    return float(1 - hits / (found.sum() + sure.sum()))


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
        return 1 - hits / found.sum().clamp(min=1)

    def one_minus_precision(found, sure, possible):
        """Your result is 1 minus precision. Links that you did not find cost nothing.

        Find a single sure link and nothing else: your error rate is 0. Should it be?
        """
        return 1 - (found & possible).sum() / found.sum().clamp(min=1)

    def one_minus_recall(found, sure, possible):
        """Your result is 1 minus recall. Wrong links cost nothing.

        Link every word with every word: your error rate is 0. Should it be?
        """
        return 1 - (found & sure).sum() / sure.sum()

    def mean_of_precision_and_recall(found, sure, possible):
        """Your result is 1 minus the arithmetic mean of precision and recall.

        The error rate adds up hits and sizes first, and divides once.
        """
        precision = (found & possible).sum() / found.sum().clamp(min=1)
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


class Right:
    """Right answers, written differently."""

    def with_sets(found, sure, possible):
        """With sets of pairs, as a plain number."""
        A, S, P = ({tuple(link) for link in of.nonzero().tolist()} for of in (found, sure, possible))
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
