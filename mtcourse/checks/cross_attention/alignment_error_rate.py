"""The exercise ``alignment_error_rate``: Och and Ney's measure (C37; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
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


# --- wrong ---------------------------------------------------------------------------------------


def agreement(found, sure, possible):
    """This is 1 minus the error rate: it is 1 where everything is right.

    A rate of errors is 0 where there are none.
    """
    return 1 - correct(found, sure, possible)


def in_percent(found, sure, possible):
    """This is the error rate in percent.

    Asked for is a number from 0 to 1.
    """
    return 100 * correct(found, sure, possible)


def sure_alone(found, sure, possible):
    """Links that are merely possible count as wrong here.

    Which set should a link that you found be in, so that it is not held against you?
    """
    return 1 - 2 * (found & sure).sum() / (found.sum() + sure.sum())


def possible_alone(found, sure, possible):
    """All possible links are treated as sure: you must find every one of them.

    Which set must be found, and which may be?
    """
    return 1 - 2 * (found & possible).sum() / (found.sum() + possible.sum())


def divided_by_possible(found, sure, possible):
    """Below the fraction you count the possible links. What must be found are the sure ones.

    Recall asks how many of S were found.
    """
    hits = (found & sure).sum() + (found & possible).sum()
    return 1 - hits / (found.sum() + possible.sum())


def hits_divided_by_one(found, sure, possible):
    """Hits among sure and possible links are added up, but divided by the number found alone.

    Below the fraction stand |A| and |S|: what was found, and what should have been.
    """
    hits = (found & sure).sum() + (found & possible).sum()
    return 1 - hits / found.sum().clamp(min=1)


def one_minus_precision(found, sure, possible):
    """This is 1 minus precision. Links that you did not find cost nothing.

    Find a single sure link and nothing else: your error is 0. Should it be?
    """
    return 1 - (found & possible).sum() / found.sum().clamp(min=1)


def one_minus_recall(found, sure, possible):
    """This is 1 minus recall. Links that you found wrongly cost nothing.

    Link every word with every word: your error is 0. Should it be?
    """
    return 1 - (found & sure).sum() / sure.sum()


def mean_of_precision_and_recall(found, sure, possible):
    """This is 1 minus the plain mean of precision and recall.

    The error rate adds hits and adds counts first, and divides once.
    """
    precision = (found & possible).sum() / found.sum().clamp(min=1)
    return 1 - (precision + (found & sure).sum() / sure.sum()) / 2


def overlap_over_union(found, sure, possible):
    """This is 1 minus the overlap of found and sure links over their union, Jaccard's measure.

    The error rate divides by |A| + |S|. What does a union count only once?
    """
    return 1 - (found & sure).sum() / (found | sure).sum()


def share_of_cells(found, sure, possible):
    """This counts cells in which the two matrices differ, of all cells.

    Most pairs of words are no link and nobody says they are, which makes such a number small. Count
    links only.
    """
    return (found != sure).double().mean()


def denominator_without_sure_twice(found, sure, possible):
    """The hits are counted once, and the links below the fraction as well: |A ∩ S| is alone above.

    Above stand two numbers of hits, one for S and one for P.
    """
    return 1 - (found & sure).sum() / (found.sum() + sure.sum())


# --- right ---------------------------------------------------------------------------------------


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
    hint="Count four numbers: links found, sure links, found ones that are sure, found ones that "
    "are possible. Two stand above the fraction, two below.",
    misconceptions=(
        agreement,
        in_percent,
        sure_alone,
        possible_alone,
        divided_by_possible,
        hits_divided_by_one,
        one_minus_precision,
        one_minus_recall,
        mean_of_precision_and_recall,
        overlap_over_union,
        share_of_cells,
        denominator_without_sure_twice,
    ),
    right=(with_sets, with_products, with_loops, with_selection),
    cases=cases,
)
