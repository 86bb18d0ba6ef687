"""The exercise ``draw_token``: from one random number to a token (C20; chapter 19)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Halves and quarters to check by hand, with random numbers on and between the borders."""
    halves = draw.tensor([0.25, 0.5, 0.125, 0.125]).log()
    excluded = draw.tensor([-math.inf, 0.0, -math.inf, 0.0, -math.inf])
    peaked = draw.tensor([0.0, 0.0, 9.0, 0.0])
    by_hand = [
        Case(f"1/4, 1/2, 1/8, 1/8, u = {u}", (halves, u), by_hand=True)
        for u in (0.0, 0.2, 0.3, 0.7, 0.8, 0.95)
    ]
    on_border = draw.tensor([0.0, 0.0])
    return [
        *by_hand,
        Case("two equal ones, u = 0.5", (on_border, 0.5), by_hand=True),
        Case("excluded tokens, u = 0", (excluded, 0.0), by_hand=True),
        Case("excluded tokens, u = 0.49", (excluded, 0.49), by_hand=True),
        Case("excluded tokens, u = 0.99", (excluded, 0.99), by_hand=True),
        Case("a sharp distribution, u = 0.6", (peaked, 0.6)),
        *(
            Case(f"{V} tokens, u = {u}", (draw.normal(V, scale=1.5), u))
            for V, u in ((9, 0.15), (20, 0.41), (50, 0.77), (50, 0.999))
        ),
    ]


def correct(logits, u):
    """The first token whose cumulative probability is above u."""
    return int((logits.double().softmax(-1).cumsum(-1) <= u).sum())


class Wrong:
    """What learners write, the more particular before the more general."""

    def most_probable(logits, u):
        """You return the most probable token, whatever u is. That is greedy search.

        u should decide: each token gets a stretch of the line from 0 to 1, as long as its
        probability.
        """
        return int(logits.argmax())

    def one_too_late(logits, u):
        """You return the token behind the right one.

        If u lies in the first stretch, the first token is drawn: id 0.
        """
        return min(correct(logits, u) + 1, len(logits) - 1)

    def one_too_early(logits, u):
        """You return the token in front of the right one.

        How many stretches end at or before u? Ids count from 0.
        """
        return max(correct(logits, u) - 1, 0)

    def one_too_early_without_end(logits, u):
        """You subtract 1 from the right id. The first token then has the id -1.

        How many stretches end at or before u? Ids count from 0.
        """
        return correct(logits, u) - 1

    def borders_belong_to_the_left(logits, u):
        """If u lies on a border, you take the token to its left. With u = 0 you can even draw a
        token whose probability is 0.

        u can be 0 and never 1, so a stretch includes its left end and not its right end.
        """
        return int((logits.double().softmax(-1).cumsum(-1) < u).sum())

    def softmax_forgotten(logits, u):
        """You add up logits. Stretches are as long as probabilities.

        A softmax is missing.
        """
        return int((logits.cumsum(-1) <= u).sum())

    def exponentials_not_normalised(logits, u):
        """Your stretches do not add up to 1: you take exponentials without dividing by their sum.

        `softmax` does both.
        """
        return min(int((logits.exp().cumsum(-1) <= u).sum()), len(logits) - 1)

    def not_added_up(logits, u):
        """You compare u with each probability by itself. Stretches lie one behind the other.

        `cumsum` adds up from the left.
        """
        return min(int((logits.softmax(-1) <= u).sum()), len(logits) - 1)

    def first_that_is_as_probable(logits, u):
        """You return the first token whose own probability is at least u.

        u is a place on a line, and no lowest probability.
        """
        return int((logits.softmax(-1) >= u).double().argmax())

    def nearest_probability(logits, u):
        """You return the token whose probability is closest to u.

        u is a place on a line, on which each token has a stretch.
        """
        return int((logits.softmax(-1) - u).abs().argmin())

    def share_of_the_vocabulary(logits, u):
        """You draw every token with the same probability: u times the size of the vocabulary.

        The stretch of a token is as long as its probability.
        """
        return int(u * len(logits))

    def among_those_allowed(logits, u):
        """You draw every token that is not excluded with the same probability.

        The stretch of a token is as long as its probability.
        """
        allowed = (logits > -math.inf).nonzero()[:, 0]
        return int(allowed[int(u * len(allowed))])

    def from_the_other_end(logits, u):
        """You lay the stretches down from the last token to the first.

        The first stretch belongs to id 0.
        """
        return len(logits) - 1 - correct(logits.flip(-1), u)

    def place_among_the_sorted(logits, u):
        """You sort the probabilities, and return a place in the sorted list. The id of the token is
        asked for.

        You need no sorting here. Or else look up whose place it is.
        """
        return correct(logits.sort(descending=True).values, u)

    def most_probable_first(logits, u):
        """You lay the stretches down in the order of their lengths. The distribution is right, but
        the question asks for the order of the ids.

        You need no sorting here.
        """
        values, order = logits.sort(descending=True, stable=True)
        return int(order[correct(values, u)])

    def random_number_ignored(logits, u):
        """You draw with a random number of your own, so u makes no difference.

        Use u alone: the same u always gives the same token.
        """
        return int(torch.multinomial(logits.softmax(-1), 1, generator=torch.manual_seed(5)))

    def last_token(logits, u):
        """You return the last token that is not excluded.

        How many stretches end at or before u?
        """
        return int((logits > -math.inf).nonzero()[-1])

    def probability_returned(logits, u):
        """You return the probability of the token. Its id is asked for.

        Which place in the vocabulary does it have?
        """
        return float(logits.double().softmax(-1)[correct(logits, u)])

    def one_minus_the_number(logits, u):
        """You use 1 - u in place of u.

        A small u belongs to the first tokens.
        """
        return min(correct(logits, 1 - u), len(logits) - 1)

    def one_too_late_at_the_end_too(logits, u):
        """You add 1 to the right id. Behind the last token there is none.

        If u lies in the first stretch, the first token is drawn: id 0.
        """
        return correct(logits, u) + 1

    def beginnings_below_u(logits, u):
        """You count the stretches that begin *below* u, and subtract 1. At u = 0 that gives −1, and
        at a border the token to its left.

        A stretch includes its left end.
        """
        shares = logits.double().softmax(-1)
        return int((shares.cumsum(-1) - shares < u - 1e-12).sum()) - 1

    def place_among_those_allowed(logits, u):
        """You leave the excluded tokens out, and count places among the others. The id is a place
        in the *whole* vocabulary.

        An excluded token has a stretch of length 0, and keeps its id.
        """
        return correct(logits[logits > -math.inf], u)

    def nothing_at_the_left_end(logits, u):
        """At u = 0 you return nothing: you ask whether u lies *above* the left end of a stretch.

        A stretch includes its left end and not its right end.
        """
        end = 0.0
        for i, share in enumerate(logits.double().softmax(-1).tolist()):
            if end < u <= end + share:
                return i
            end += share
        return None


class Right:
    """Right answers, written differently."""

    def with_a_loop(logits, u):
        """Goes along the line."""
        shares, end = logits.double().softmax(-1).tolist(), 0.0
        for i, share in enumerate(shares):
            end += share
            if u < end:
                return i
        return max(i for i, share in enumerate(shares) if share)

    def with_searchsorted(logits, u):
        """Searches the borders."""
        ends = logits.double().softmax(-1).cumsum(-1)
        return int(torch.searchsorted(ends, torch.tensor(u, dtype=ends.dtype), right=True))

    def first_true(logits, u):
        """The first border above u."""
        return int((logits.double().softmax(-1).cumsum(-1) > u).double().argmax())

    def what_is_left(logits, u):
        """Subtracts stretches from u."""
        left = u
        for i, share in enumerate(logits.double().softmax(-1)):
            left -= float(share)
            if left < 0:
                return i
        return len(logits) - 1

    def as_a_tensor(logits, u):
        """Returns a tensor with one number."""
        return (torch.log_softmax(logits.double(), -1).exp().cumsum(0) <= u).sum()


EXERCISE = Exercise(
    id="draw_token",
    oracle=correct,
    hint="Lay the probabilities on a line from 0 to 1, in the order of the ids. Count the "
    "stretches that end at or before u.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
