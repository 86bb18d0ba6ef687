"""The exercise ``beam_step``: one step of beam search, with ends (C15; chapter 18)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """By hand; the first step; ends in front, in the middle, behind, several and none."""
    totals = draw.tensor([-1.0, -2.0])
    rows = draw.tensor([[-0.5, -1.0, -3.0, -4.0], [-0.25, -2.5, -0.75, -3.5]])
    third = draw.tensor([[-1.0, -0.4, -2.0, -3.0, -2.5], [-0.6, -1.2, -1.9, -2.4, -0.9]])
    return [
        Case("2 beams, 4 tokens", (totals, rows, 2, 0), by_hand=True),
        Case("2 beams, <eos> is token 3", (totals, rows, 2, 3)),
        Case("2 beams, <eos> is token 2", (totals, rows, 2, 2)),
        Case("3 old beams, 2 new ones", (*_drawn(draw, 3, 6), 2, 1)),
        Case("the first step: 1 old beam, 3 new ones", (*_drawn(draw, 1, 8), 3, 5)),
        Case("an end between B and 2B", (totals, third, 2, 4)),
        Case("a beam far behind prefers to end", (draw.tensor([-1.0, -6.0]), third, 2, 0)),
        Case("both beams end first", _with_ends(draw, 2, 7, 3, (0, 1))),
        Case("all three beams end first", _with_ends(draw, 3, 7, 3, (0, 1, 2))),
        Case("the second beam ends first", _with_ends(draw, 3, 7, 6, (1,))),
        Case("nothing ends", _without_ends(draw, 3, 9, 4)),
        Case("one beam, and it ends", _with_ends(draw, 1, 6, 2, (0,))),
        Case("4 beams, 20 tokens", (*_drawn(draw, 4, 20), 4, 3)),
    ]


def _drawn(draw, beams, K):
    return -draw.normal(beams, scale=1.5).abs(), draw.normal(beams, K, scale=1.5).log_softmax(-1)


def _with_ends(draw, beams, K, end, ending):
    """Some beams prefer to end."""
    totals, log_p = _drawn(draw, beams, K)
    totals = totals / 4
    for beam in ending:
        log_p[beam, end] = -0.05 - 0.01 * beam
    return totals, log_p, beams, end


def _without_ends(draw, beams, K, end):
    totals, log_p = _drawn(draw, beams, K)
    log_p[:, end] = -30.0
    return totals, log_p, beams, end


def correct(totals, log_p, B, end):
    """Takes 2B candidates, and sorts them into prefixes that go on and ends."""
    return _with(totals, log_p, B, end)


def _with(totals, log_p, B, end, grown=None, count=None, first=None):
    """The step, with other sums, another number of candidates, or other places for ends."""
    K = log_p.shape[-1]
    grown = totals[:, None] + log_p if grown is None else grown
    best, place = grown.flatten().topk(min(2 * B if count is None else count, grown.numel()))
    parents, tokens = place // K, place % K
    ends = tokens == end
    return (
        parents[~ends][:B],
        tokens[~ends][:B],
        best[~ends][:B],
        _ended(totals, best, parents, ends, B if first is None else first),
    )


def _ended(totals, best, parents, ends, first):
    """The total of each old beam's end, if it is among the first candidates."""
    ended = torch.full_like(totals.contiguous(), -math.inf)
    counted = ends[:first]
    ended[parents[:first][counted]] = best[:first][counted]
    return ended


class Wrong:
    """What learners write, the more particular before the more general."""

    def ends_stay(totals, log_p, B, end):
        """Your finished prefixes stay in the beam, and would be continued after their `<eos>`.

        Leave candidates with the token `end` out of the first three results.
        """
        K = log_p.shape[-1]
        best, place = (totals[:, None] + log_p).flatten().topk(B)
        return place // K, place % K, best, correct(totals, log_p, B, end)[3]

    def only_B_candidates(totals, log_p, B, end):
        """You take B candidates in all. If one of them is an end, fewer than B prefixes go on.

        Each beam can end once. How many candidates make sure that B of them go on?
        """
        return _with(totals, log_p, B, end, count=B)

    def every_end_counts(totals, log_p, B, end):
        """You count the end of every beam, however improbable.

        An end counts only among the first B candidates: below them it would not have been kept.
        """
        return (*correct(totals, log_p, B, end)[:3], totals + log_p[:, end])

    def ends_among_2B_count(totals, log_p, B, end):
        """You count every end among the 2B candidates.

        An end counts only among the first B: below them it would not have been kept.
        """
        return _with(totals, log_p, B, end, first=2 * B)

    def ends_above_the_last_kept(totals, log_p, B, end):
        """You count an end if it is better than the last prefix that goes on.

        It has to be among the first B of *all* candidates, ends included.
        """
        right = correct(totals, log_p, B, end)
        sums = totals + log_p[:, end]
        return (*right[:3], sums.where(sums >= right[2][-1], -math.inf))

    def no_end_counts(totals, log_p, B, end):
        """You count no end: the fourth result is minus infinity everywhere.

        Look for the token `end` among the first B candidates.
        """
        return (*correct(totals, log_p, B, end)[:3], torch.full_like(totals, -math.inf))

    def ends_in_the_order_of_candidates(totals, log_p, B, end):
        """Your fourth result is sorted by rank. It has one place for each *old beam*.

        The end of old beam b belongs in place b.
        """
        right = correct(totals, log_p, B, end)
        return (*right[:3], right[3].sort(descending=True).values)

    def ends_without_their_past(totals, log_p, B, end):
        """Your fourth result has the log-probability of `<eos>` alone. The prefix before it counts
        as well.

        Add the total of the beam that ends.
        """
        right = correct(totals, log_p, B, end)
        return (*right[:3], log_p[:, end].where(right[3] > -math.inf, -math.inf))

    def totals_forgotten(totals, log_p, B, end):
        """You rank the tokens by their own log-probability. The totals of the beams are missing.

        Add to each row the total of its beam, before you rank.
        """
        return _with(torch.zeros_like(totals), log_p, B, end)

    def ranked_without_totals(totals, log_p, B, end):
        """You rank the tokens by their own log-probability, and add the totals afterwards.

        A good token of a bad beam is not a good candidate: add before you rank.
        """
        parents, tokens, best, ended = _with(torch.zeros_like(totals), log_p, B, end)
        return parents, tokens, best + totals[parents], ended + totals

    def totals_by_column(totals, log_p, B, end):
        """You add each total to a *column*, or to the wrong rows. Row b belongs to beam b.

        `totals[:, None]` has a row for each beam.
        """
        K = log_p.shape[-1]
        columns = totals.repeat(K)[:K]
        return _with(totals, log_p, B, end, grown=columns + log_p)

    def products(totals, log_p, B, end):
        """You multiply log-probabilities. Probabilities are multiplied, their logarithms are added.

        log(a b) = log a + log b.
        """
        return _with(totals, log_p, B, end, grown=totals[:, None] * log_p)

    def worst_first(totals, log_p, B, end):
        """You take the *least* probable candidates.

        `topk` takes the largest unless you say `largest=False`; `sort` begins with the smallest.
        """
        right = _with(-totals, -log_p, B, end)
        return right[0], right[1], -right[2], right[3].where(right[3] == -math.inf, -right[3])

    def ascending(totals, log_p, B, end):
        """You have the right prefixes in reverse order.

        Put the best one first.
        """
        parents, tokens, best, ended = correct(totals, log_p, B, end)
        return parents.flip(0), tokens.flip(0), best.flip(0), ended

    def sorted_by_parent(totals, log_p, B, end):
        """You have the right prefixes, sorted by their old beam.

        Put the most probable one first, whichever beam it continues.
        """
        parents, tokens, best, ended = correct(totals, log_p, B, end)
        order = parents.argsort(stable=True)
        return parents[order], tokens[order], best[order], ended

    def beam_and_token_exchanged(totals, log_p, B, end):
        """You exchanged quotient and remainder: your parents are tokens, and your tokens beams.

        Place i of the flat row belongs to beam i // K and token i % K.
        """
        parents, tokens, best, ended = correct(totals, log_p, B, end)
        return tokens, parents, best, ended

    def divided_by_the_beams(totals, log_p, B, end):
        """You divide a place by the number of beams. A row has K places.

        Place i of the flat row belongs to beam i // K and token i % K.
        """
        b = len(totals)
        right = correct(totals, log_p, B, end)
        place = right[0] * log_p.shape[-1] + right[1]
        return place // b, place % b, *right[2:]

    def flat_tokens(totals, log_p, B, end):
        """Your tokens are places in the flat row of all beams.

        The remainder after division by K is the token.
        """
        parents, tokens, best, ended = correct(totals, log_p, B, end)
        return parents, parents * log_p.shape[-1] + tokens, best, ended

    def parents_with_ends(totals, log_p, B, end):
        """Tokens and totals are right, but the parents are those of the first B candidates, ends
        among them.

        Leave the ends out of all three in the same way.
        """
        K = log_p.shape[-1]
        place = (totals[:, None] + log_p).flatten().topk(B).indices
        return (place // K, *correct(totals, log_p, B, end)[1:])

    def one_for_each_beam(totals, log_p, B, end):
        """You continue each old beam once, with its best token. This is greedy search, several
        times.

        All candidates of all beams compete: a beam may have several children, or none.
        """
        rows = log_p.clone()
        rows[:, end] = -math.inf
        best, tokens = rows.max(-1)
        return torch.arange(len(totals)), tokens, totals + best, correct(totals, log_p, B, end)[3]

    def mean_of_both(totals, log_p, B, end):
        """Your totals are means of the old total and the new log-probability.

        The log-probability of a prefix is a sum.
        """
        right = correct(totals, log_p, B, end)
        return right[0], right[1], right[2] / 2, right[3] / 2

    def new_part_alone(totals, log_p, B, end):
        """Your third result has the log-probability of the new token alone.

        Return the total of each new prefix.
        """
        parents, tokens, _, ended = correct(totals, log_p, B, end)
        return parents, tokens, log_p[parents, tokens], ended

    def as_probabilities(totals, log_p, B, end):
        """You return probabilities. Asked for are their logarithms.

        Leave `exp` out.
        """
        parents, tokens, best, ended = correct(totals, log_p, B, end)
        return parents, tokens, best.exp(), ended.exp()

    def without_ends(totals, log_p, B, end):
        """You return three things. The ends are the fourth.

        Return minus infinity for a beam that does not end.
        """
        return correct(totals, log_p, B, end)[:3]

    def ended_by_rank(totals, log_p, B, end):
        """Your fourth result has a place for each of the first B candidates. It should have one for
        each *old* prefix.

        Begin with minus infinity in the shape of `totals`, and put each end at its parent's place.
        """
        best, place = (totals[:, None] + log_p).flatten().topk(B)
        ended = best.where(place % log_p.shape[-1] == end, -math.inf)
        return (*correct(totals, log_p, B, end)[:3], ended)

    def ended_for_new_prefixes(totals, log_p, B, end):
        """Your fourth result has B places, one for each *new* prefix. It should have one for each
        old prefix, and there may be more or fewer of them.

        Give it the shape of `totals`.
        """
        right = correct(totals, log_p, B, end)
        ended = torch.full((B,), -math.inf, dtype=totals.dtype)
        for place, total in enumerate(right[3].tolist()[:B]):
            ended[place] = total
        return (*right[:3], ended)

    def zero_for_no_end(totals, log_p, B, end):
        """You return 0 for a prefix that does not end. As a log-probability, 0 is certainty.

        Begin with minus infinity: log 0.
        """
        right = correct(totals, log_p, B, end)
        return (*right[:3], right[3].masked_fill(right[3] == -math.inf, 0.0))

    def always_the_courses_end(totals, log_p, B, end):
        """Your end is always token 3, `EOS` of the course. Here the argument `end` says which token
        it is.

        Compare the tokens with `end`.
        """
        return _with(totals, log_p, B, 3)

    def ends_where_best_of_their_prefix(totals, log_p, B, end):
        """You count an end where it is the best token of its own prefix. All candidates of all
        prefixes compete.

        Is the end among the best B of the flat row?
        """
        sums = totals + log_p[:, end]
        ended = sums.where(log_p.argmax(-1) == end, -math.inf)
        return (*correct(totals, log_p, B, end)[:3], ended)

    def best_end_alone(totals, log_p, B, end):
        """You return only the best end. Several prefixes can end in one step.

        Every end among the first B candidates counts.
        """
        right = correct(totals, log_p, B, end)
        best = torch.arange(len(totals)) == right[3].argmax()
        return (*right[:3], right[3].where(best, -math.inf))

    def all_that_go_on(totals, log_p, B, end):
        """You return everything among the 2B candidates that does not end.

        B prefixes go on: cut the first three results to B.
        """
        best, place = (totals[:, None] + log_p).flatten().topk(2 * B)
        parents, tokens = place // log_p.shape[-1], place % log_p.shape[-1]
        on = tokens != end
        ended = correct(totals, log_p, B, end)[3]
        return parents[on], tokens[on], best[on], ended

    def best_of_each_prefix(totals, log_p, B, end):
        """Each of your old prefixes goes on once, with its best token. At the first step that
        leaves a single one.

        All candidates of all prefixes compete: one may have several children, or none.
        """
        rows = log_p.clone()
        rows[:, end] = -math.inf
        best, tokens = (totals[:, None] + rows).max(-1)
        order = best.argsort(descending=True)[:B]
        return order, tokens[order], best[order], correct(totals, log_p, B, end)[3]

    def divided_by_the_beams_from_the_start(totals, log_p, B, end):
        """You divide the places of the flat row by the number of prefixes. A row has K places.

        Place i belongs to prefix i // K and token i % K.
        """
        b = len(totals)
        best, place = (totals[:, None] + log_p).flatten().topk(2 * B)
        parents, tokens = place // b, place % b
        ends = tokens == end
        return (
            parents[~ends][:B],
            tokens[~ends][:B],
            best[~ends][:B],
            _ended(totals, best, parents, ends, B),
        )

    def two_more_candidates(totals, log_p, B, end):
        """You take B + 2 candidates. Where three beams end at once, fewer than B prefixes go on.

        Each beam can end once. How many candidates make sure that B of them go on?
        """
        return _with(totals, log_p, B, end, count=B + 2)


class Right:
    """Right answers, written differently."""

    def with_lists(totals, log_p, B, end):
        """Sorts all candidates in Python."""
        grown = sorted(
            (
                (float(totals[b] + log_p[b, k]), b, k)
                for b in range(len(totals))
                for k in range(log_p.shape[-1])
            ),
            reverse=True,
        )
        live = [one for one in grown if one[2] != end][:B]
        ended = [-math.inf] * len(totals)
        for total, b, k in grown[:B]:
            if k == end:
                ended[b] = total
        return (
            torch.tensor([b for _, b, _ in live]),
            torch.tensor([k for _, _, k in live]),
            torch.tensor([total for total, _, _ in live], dtype=totals.dtype),
            torch.tensor(ended, dtype=totals.dtype),
        )

    def ends_masked(totals, log_p, B, end):
        """Two top-k: one with ends, and one without."""
        grown = totals[:, None] + log_p
        limit = grown.flatten().topk(B).values[-1]
        ended = grown[:, end].where(grown[:, end] >= limit, -math.inf)
        rest = grown.clone()
        rest[:, end] = -math.inf
        best, place = rest.flatten().topk(B)
        parents = torch.div(place, log_p.shape[1], rounding_mode="floor")
        return parents, place - parents * log_p.shape[1], best, ended

    def best_of_each_beam(totals, log_p, B, end):
        """The best B + 1 of each beam are enough."""
        b, K = log_p.shape
        count = min(B + 1, K)
        values, tokens = log_p.topk(count, -1)
        values = (values + totals[:, None]).flatten()
        parents = torch.arange(b).repeat_interleave(count)
        order = values.argsort(descending=True)
        values, tokens, parents = values[order], tokens.flatten()[order], parents[order]
        ended = torch.full((b,), -math.inf, dtype=totals.dtype)
        for rank in range(B):
            if tokens[rank] == end:
                ended[parents[rank]] = values[rank]
        goes_on = tokens != end
        return parents[goes_on][:B], tokens[goes_on][:B], values[goes_on][:B], ended

    def with_sort(totals, log_p, B, end):
        """Sorts everything, without topk."""
        best, place = (log_p + totals.unsqueeze(1)).reshape(-1).sort(descending=True)
        token = place.remainder(log_p.shape[-1])
        parent = (place - token) // log_p.shape[-1]
        goes_on = (token != end).nonzero()[:B, 0]
        ended = totals.clone().fill_(-math.inf)
        stops = (token[:B] == end).nonzero()[:, 0]
        ended[parent[stops]] = best[stops]
        return parent[goes_on], token[goes_on], best[goes_on], ended

    def as_a_list_of_four(totals, log_p, B, end):
        """The same, in a list."""
        return list(correct(totals, log_p, B, end))


EXERCISE = Exercise(
    id="beam_step",
    oracle=correct,
    hint="Make the table of all sums, one row for each old beam. Take the 2B largest, best first. "
    "Which of these are ends, and which of the ends are among the first B?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
