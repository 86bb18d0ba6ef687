"""The exercise ``nucleus``: top-p from logits to logits (C22; chapter 19)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Numbers to check by hand, in any order, and drawn rows; no ties or exact sums at a border."""
    falling = draw.tensor([0.5, 0.25, 0.15, 0.1]).log()
    unsorted = draw.tensor([0.125, 0.25, 0.0625, 0.5, 0.0625]).log()
    two = draw.tensor([[0.1, 0.6, 0.3], [0.35, 0.3, 0.35]]).log()
    excluded = draw.tensor([[0.3, -math.inf, 1.0, 0.8], [-math.inf, 0.1, -math.inf, 0.4]])
    return [
        Case("0.5, 0.25, 0.15, 0.1, p = 0.6", (falling, 0.6), by_hand=True),
        Case("0.5, 0.25, 0.15, 0.1, p = 0.4", (falling, 0.4), by_hand=True),
        Case("0.5, 0.25, 0.15, 0.1, p = 0.8", (falling, 0.8), by_hand=True),
        Case("0.5, 0.25, 0.15, 0.1, p = 1", (falling, 1.0), by_hand=True),
        Case("unsorted, p = 0.7", (unsorted, 0.7), by_hand=True),
        Case("two rows, p = 0.62", (two, 0.62), by_hand=True),
        Case("excluded tokens, p = 0.6", (excluded, 0.6)),
        Case("6 rows of 9, p = 0.7", (draw.normal(6, 9, scale=1.5), 0.7)),
        Case("2 x 3 rows of 7, p = 0.9", (draw.normal(2, 3, 7), 0.9)),
        Case("5 x 5, p = 0.3", (draw.normal(5, 5), 0.3)),
    ]


def correct(logits, p):
    """Sorts, adds up, and keeps what stands before p is reached."""
    return _kept(logits, p, lambda shares, p: shares.cumsum(-1) - shares < p - 1e-7)


def _kept(logits, p, stays, descending=True):
    """Logits of those that stay, decided among the sorted probabilities."""
    order = logits.sort(dim=-1, descending=descending, stable=True).indices
    shares = logits.double().softmax(-1).gather(-1, order)
    mask = torch.zeros_like(shares, dtype=torch.bool).scatter(-1, order, stays(shares, p))
    return logits.masked_fill(~mask, -math.inf)


class Wrong:
    """What learners write, the more particular before the more general."""

    def crossing_token_dropped(logits, p):
        """You drop the token that takes the sum across p. It belongs to the nucleus. If the first
        token alone is above p, nothing at all is left in yours.

        Decide by the sum *before* a token, not by the sum with it.
        """
        return _kept(logits, p, lambda shares, p: shares.cumsum(-1) <= p + 1e-7)

    def crossing_token_dropped_but_one_kept(logits, p):
        """You drop the token that takes the sum across p, and keep only the first one in any case.

        The nucleus must *reach* p. Decide by the sum *before* a token.
        """

        def stays(shares, p):
            kept = shares.cumsum(-1) <= p + 1e-7
            kept[..., 0] = True
            return kept

        return _kept(logits, p, stays)

    def one_too_many(logits, p):
        """Your nucleus holds one token more than it needs to reach p.

        The token that crosses p is the last one that stays.
        """

        def stays(shares, p):
            before = shares.cumsum(-1) - shares
            before = torch.cat([torch.zeros_like(before[..., :1]), before[..., :-1]], -1)
            return before < p - 1e-7

        return _kept(logits, p, stays)

    def decisions_not_put_back(logits, p):
        """You decide about the sorted tokens, and apply the decisions to the unsorted ones.

        `scatter` puts each decision back to where its token stands.
        """
        shares = logits.double().softmax(-1).sort(-1, descending=True).values
        return logits.masked_fill(~(shares.cumsum(-1) - shares < p - 1e-7), -math.inf)

    def put_back_with_gather(logits, p):
        """You put the decisions back with `gather` along the sorting order. It sorts them a second
        time.

        `scatter` is the opposite of `gather`.
        """
        order = logits.sort(dim=-1, descending=True, stable=True).indices
        shares = logits.double().softmax(-1).gather(-1, order)
        stays = shares.cumsum(-1) - shares < p - 1e-7
        return logits.masked_fill(~stays.gather(-1, order), -math.inf)

    def left_sorted(logits, p):
        """You return the logits in sorted order. Each one should stay at its token's place.

        Which id would be drawn from yours?
        """
        sorted_logits = logits.sort(dim=-1, descending=True).values
        return correct(sorted_logits, p)

    def not_sorted(logits, p):
        """You add up probabilities in the order of the vocabulary.

        The nucleus takes the most probable tokens first.
        """
        shares = logits.double().softmax(-1)
        return logits.masked_fill(~(shares.cumsum(-1) - shares < p - 1e-7), -math.inf)

    def least_probable_first(logits, p):
        """You begin with the *least* probable token.

        `descending=True` sorts the other way.
        """
        return _kept(
            logits, p, lambda shares, p: shares.cumsum(-1) - shares < p - 1e-7, descending=False
        )

    def the_tail_stays(logits, p):
        """You keep the tail and exclude the nucleus.

        Is the mask the wrong way round?
        """
        return _kept(logits, p, lambda shares, p: shares.cumsum(-1) - shares >= p - 1e-7)

    def each_above_p(logits, p):
        """You keep the tokens whose own probability is at least p. The nucleus is a set whose
        probabilities *together* reach p.

        Sort, and add up.
        """
        return logits.masked_fill(logits.softmax(-1) < p - 1e-7, -math.inf)

    def each_above_the_rest(logits, p):
        """You keep the tokens whose own probability is at least 1 - p.

        The tail has at most 1 - p *together*. Sort, and add up.
        """
        return logits.masked_fill(logits.softmax(-1) < 1 - p - 1e-7, -math.inf)

    def min_p(logits, p):
        """You compare each probability with p times the largest one. That is min-p.

        For top-p, sort and add up.
        """
        shares = logits.softmax(-1)
        largest = shares.amax(-1, keepdim=True)
        return logits.masked_fill(shares < p * largest - 1e-7, -math.inf)

    def share_of_the_tokens(logits, p):
        """You keep a share p of the *tokens*. p speaks of their probabilities.

        A sharp distribution needs few tokens to reach p, a flat one many.
        """
        k = math.ceil(p * logits.shape[-1])
        lowest = logits.topk(k, -1).values[..., -1:]
        return logits.masked_fill(logits < lowest, -math.inf)

    def sum_of_logits(logits, p):
        """You add up logits. p is a sum of probabilities.

        A softmax is missing before the sum.
        """
        order = logits.sort(dim=-1, descending=True, stable=True).indices
        shares = logits.gather(-1, order)
        stays = shares.cumsum(-1) - shares < p
        mask = torch.zeros_like(stays).scatter(-1, order, stays)
        return logits.masked_fill(~mask, -math.inf)

    def zeros_for_excluded(logits, p):
        """You set the logits of excluded tokens to 0. A logit of 0 is a number like any other, and
        often a large one.

        Which logit has the probability 0?
        """
        return correct(logits, p).masked_fill(correct(logits, p) == -math.inf, 0.0)

    def probabilities_returned(logits, p):
        """You return probabilities. Logits are asked for, so that the next filter can go on.

        Leave out the last softmax.
        """
        return correct(logits, p).softmax(-1)

    def renormalised(logits, p):
        """You return log-probabilities: the logits that stay should keep their values.

        A softmax afterwards renormalises by itself.
        """
        return correct(logits, p).log_softmax(-1)

    def all_rows_alike(logits, p):
        """You decide for the first row, and exclude the same tokens in all others.

        Each row has its own nucleus.
        """
        first = logits.reshape(-1, logits.shape[-1])[0]
        return logits.masked_fill(correct(first, p) == -math.inf, -math.inf)

    def added_over_rows(logits, p):
        """Your sum runs along the first dimension. The tokens of one row lie along the last.

        `cumsum(-1)`.
        """
        return _kept(logits, p, lambda shares, p: shares.cumsum(0) - shares < p - 1e-7)

    def sum_with_it_below_p(logits, p):
        """You keep a token only if the sum *with* it is still below p. The token that takes the sum
        across p belongs to the nucleus, too.

        Decide by the sum *before* a token.
        """
        return _kept(logits, p, lambda shares, p: shares.cumsum(-1) < p - 1e-7)

    def along_the_first_dimension(logits, p):
        """You sort, take the softmax and add up along the first dimension. The tokens of one row
        lie along the last.

        Write −1 in all three places.
        """
        order = logits.sort(dim=0, descending=True, stable=True).indices
        shares = logits.double().softmax(0).gather(0, order)
        stays = shares.cumsum(0) - shares < p - 1e-7
        mask = torch.zeros_like(stays).scatter(0, order, stays)
        return logits.masked_fill(~mask, -math.inf)

    def large_negative_numbers(logits, p):
        """You set the logits of excluded tokens to a large negative number. Asked for is minus
        infinity.

        Write `-math.inf`: then the softmax gives exactly 0.
        """
        return correct(logits, p).clamp(min=-1e9)

    def true_where_it_stays(logits, p):
        """You return which tokens stay, as True and False. Logits are asked for.

        `masked_fill` puts minus infinity where a token goes.
        """
        return correct(logits, p) > -math.inf


class Right:
    """Right answers, written differently."""

    def with_a_loop(logits, p):
        """Row by row, token by token."""
        rows = logits.reshape(-1, logits.shape[-1])
        kept = torch.full_like(rows, -math.inf)
        for row, into in zip(rows, kept, strict=True):
            total = 0.0
            for i in sorted(range(len(row)), key=lambda i: -float(row[i])):
                into[i] = row[i]
                total += float(row.double().softmax(-1)[i])
                if total >= p - 1e-7:
                    break
        return kept.reshape(logits.shape)

    def shifted_decisions(logits, p):
        """Decides what goes, and moves the decisions by one token."""
        values, order = logits.sort(dim=-1, descending=True)
        goes = values.double().softmax(-1).cumsum(-1) >= p - 1e-7
        goes[..., 1:] = goes[..., :-1].clone()
        goes[..., 0] = False
        return logits.masked_fill(goes.scatter(-1, order, goes), -math.inf)

    def by_the_lowest_that_stays(logits, p):
        """Finds the smallest probability that stays, and compares with it."""
        shares = logits.double().softmax(-1)
        values = shares.sort(-1, descending=True).values
        count = (values.cumsum(-1) - values < p - 1e-7).sum(-1, keepdim=True)
        order = shares.argsort(dim=-1, descending=True, stable=True)
        return torch.where(order.argsort(dim=-1) < count, logits, -math.inf)

    def from_the_other_end(logits, p):
        """Removes from the least probable one as long as the rest reaches p."""
        values, order = logits.flip(-1).sort(dim=-1, stable=True)
        order = logits.shape[-1] - 1 - order
        rest = 1 - values.double().softmax(-1).cumsum(-1)
        goes = rest >= p - 1e-7
        goes[..., -1] = False
        return logits.masked_fill(torch.zeros_like(goes).scatter(-1, order, goes), -math.inf)

    def in_sorted_order(logits, p):
        """Fills the sorted logits and undoes the sorting."""
        values, order = logits.sort(dim=-1, descending=True, stable=True)
        shares = values.double().softmax(-1)
        values = values.masked_fill(shares.cumsum(-1) - shares >= p - 1e-7, -math.inf)
        return values.gather(-1, order.argsort(dim=-1))


EXERCISE = Exercise(
    id="nucleus",
    oracle=correct,
    hint="Sort each row, the largest first. Take the softmax and add up. A token stays if the sum "
    "of those before it is below p. Put the decisions back with scatter.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
