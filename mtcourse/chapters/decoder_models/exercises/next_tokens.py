"""The exercise ``next_tokens``: draws a token from each distribution (C02; chapter 13)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Numbers well inside each token's share, and 0 where the first tokens are impossible."""

    def case(name, rows, V, scale=1.5):
        p = draw.normal(rows, V, scale=scale).double().softmax(-1)
        wanted = draw.ids(rows, lowest=0, highest=V - 1)
        inside = 0.2 + 0.6 * draw.normal(rows).double().sigmoid()
        of_wanted = p.gather(-1, wanted[:, None]).squeeze(-1)
        before = p.cumsum(-1).gather(-1, wanted[:, None]).squeeze(-1) - of_wanted
        u = before + inside * of_wanted
        return Case(name, (p.log().to(draw.dtype), u.to(draw.dtype)))

    hand = draw.tensor([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [0.2, 0.7, 0.1]])
    impossible = draw.tensor([[0.0, 0.4, 0.6, 0.0], [0.0, 0.0, 0.3, 0.7]])
    return [
        Case("3 tokens", (hand.log(), draw.tensor([0.6, 0.9, 0.2, 0.8])), by_hand=True),
        Case("u = 0, and the first token is impossible",
             (impossible.log(), draw.tensor([0.0, 0.0])), by_hand=True),
        case("5 rows of 6 tokens", 5, 6),
        case("one row", 1, 12),
        case("as many rows as tokens", 7, 7),
        case("16 rows of 9 tokens", 16, 9),
        case("distributions that are nearly even", 12, 8, scale=0.1),
        case("distributions with one likely token", 12, 8, scale=4.0),
        case("200 tokens", 20, 200),
    ]  # fmt: skip


def correct(log_p, u):
    """How many tokens have a sum, themselves included, of u at most."""
    return _drawn(log_p.double().exp(), u)


def _drawn(p, u):
    return (p.cumsum(-1) <= u.double()[:, None]).sum(-1)


def _last(p):
    return p.shape[-1] - 1


class Wrong:
    """What learners write, the more particular before the more general."""

    def most_likely(log_p, u):
        """You take the most likely token of each row, whatever u is. That is greedy search.

        With u, each token is chosen as often as its probability says.
        """
        return log_p.argmax(-1)

    def least_likely(log_p, u):
        """You take the least likely token of each row, whatever u is.

        With u, each token is chosen as often as its probability says.
        """
        return log_p.argmin(-1)

    def logarithms_added(log_p, u):
        """You add up log-probabilities. Their sums are negative, so u is above all of them.

        It is the probabilities that sum to 1.
        """
        return (log_p.double().cumsum(-1) <= u.double()[:, None]).sum(-1).clamp(max=_last(log_p))

    def logarithms_added_without_end(log_p, u):
        """You return V in every row, and there is no such token: none of your sums exceeds u.

        Sums of log-probabilities are negative. It is the probabilities that sum to 1.
        """
        return torch.full_like(u, log_p.shape[-1], dtype=torch.long)

    def always_the_first(log_p, u):
        """You return token 0 in every row.

        An `argmax` of truth values is 0 if none of them is True. What do you compare with u?
        """
        return torch.zeros_like(u, dtype=torch.long)

    def one_too_late(log_p, u):
        """You return the token after the right one.

        If no sum is at most u, the token is number 0.
        """
        return correct(log_p, u) + 1

    def counts_the_steps(log_p, u):
        """You return how many tokens it takes to reach u. The number of the last of them is asked
        for.

        Tokens are counted from 0. And with u = 0, which token is the first whose sum exceeds it?
        """
        return torch.where(u > 0, correct(log_p, u) + 1, 0)

    def one_too_late_with_end(log_p, u):
        """You return the token after the right one, or the last.

        If no sum is at most u, the token is number 0.
        """
        return (correct(log_p, u) + 1).clamp(max=_last(log_p))

    def one_too_early(log_p, u):
        """You return the token before the right one.

        The token that makes the sum exceed u is the one that is asked for.
        """
        return correct(log_p, u) - 1

    def one_too_early_with_end(log_p, u):
        """You return the token before the right one, or the first.

        The token that makes the sum exceed u is the one that is asked for.
        """
        return (correct(log_p, u) - 1).clamp(min=0)

    def minus_one_where_u_is_0(log_p, u):
        """With u = 0 you return −1. There is no such token.

        Which token is the first whose sum exceeds 0?
        """
        return torch.where(u > 0, correct(log_p, u), -1)

    def last_sum_above(log_p, u):
        """You take the *largest* sum, and not the first one that exceeds u.

        `argmax` of the sums finds the largest; `argmax` of True and False finds the first True.
        """
        return log_p.double().exp().cumsum(-1).argmax(-1)

    def counts_the_sums_above(log_p, u):
        """You count the sums that exceed u.

        The token is the *first* whose sum exceeds u. How many sums stand before it?
        """
        return (log_p.double().exp().cumsum(-1) > u.double()[:, None]).sum(-1)

    def products(log_p, u):
        """You compare u with products of probabilities: to add logarithms is to multiply.

        First the exponential of each logarithm, then the sum.
        """
        return (log_p.double().cumsum(-1).exp() <= u.double()[:, None]).sum(-1)

    def impossible_tokens(log_p, u):
        """With u = 0 you draw a token that has the probability 0.

        The sum has to *exceed* u, and not only to reach it.
        """
        return (log_p.double().exp().cumsum(-1) < u.double()[:, None]).sum(-1)

    def likely_tokens_first(log_p, u):
        """You sort the tokens and return a place among the sorted ones.

        The token's own id is asked for. Sorting is not needed.
        """
        p = log_p.double().exp().sort(-1, descending=True).values
        return _drawn(p, u)

    def likely_tokens_first_with_ids(log_p, u):
        """You go through the tokens from the most likely to the least likely one.

        The question asks for the order of their ids.
        """
        p, ids = log_p.double().exp().sort(-1, descending=True)
        return ids.gather(-1, _drawn(p, u).clamp(max=_last(p))[:, None]).squeeze(-1)

    def unlikely_tokens_first(log_p, u):
        """You sort the tokens, the least likely first, and return a place among the sorted ones.

        The token's own id is asked for. Sorting is not needed.
        """
        return _drawn(log_p.double().exp().sort(-1).values, u)

    def unlikely_tokens_first_with_ids(log_p, u):
        """You go through the tokens from the least likely to the most likely one.

        The question asks for the order of their ids.
        """
        p, ids = log_p.double().exp().sort(-1)
        return ids.gather(-1, _drawn(p, u).clamp(max=_last(p))[:, None]).squeeze(-1)

    def from_the_last(log_p, u):
        """You go through the tokens from the last to the first.

        The sum begins with token 0.
        """
        p = log_p.double().exp().flip(-1)
        return (_last(p) - _drawn(p, u)).clamp(min=0)

    def place_from_the_last(log_p, u):
        """You go through the tokens from the last to the first, and count from there.

        The sum begins with token 0.
        """
        return _drawn(log_p.double().exp().flip(-1), u).clamp(max=_last(log_p))

    def above_one_minus_u(log_p, u):
        """You use 1 − u for u.

        The right token is the first whose sum exceeds u.
        """
        return (log_p.exp().cumsum(-1) <= 1 - u[:, None]).sum(-1)

    def above_one_minus_u_or_the_first(log_p, u):
        """You use 1 − u for u, and return token 0 where no sum is above it.

        The right token is the first whose sum exceeds u.
        """
        return (log_p.exp().cumsum(-1) > 1 - u[:, None]).int().argmax(-1)

    def first_that_is_likelier_than_u(log_p, u):
        """You take the first token whose *own* probability exceeds u, or token 0.

        Add up the probabilities of the tokens from 0 on.
        """
        return (log_p.double().exp() > u.double()[:, None]).int().argmax(-1)

    def first_that_is_likelier_than_u_or_the_last(log_p, u):
        """You take the first token whose *own* probability exceeds u, or the last one.

        Add up the probabilities of the tokens from 0 on.
        """
        above = log_p.double().exp() > u.double()[:, None]
        return torch.where(above.any(-1), above.int().argmax(-1), _last(log_p))

    def how_many_are_less_likely(log_p, u):
        """You count the tokens whose own probability is u at most.

        Add up the probabilities of the tokens from 0 on.
        """
        return (log_p.double().exp() <= u.double()[:, None]).sum(-1)

    def nearest_probability(log_p, u):
        """You take the token whose probability is nearest to u.

        Two tokens of the same probability should be drawn equally often.
        """
        return (log_p.double().exp() - u.double()[:, None]).abs().argmin(-1)

    def nearest_sum(log_p, u):
        """You take the token at which the sum is nearest to u.

        Nearest may be one too early. Which is the first sum *above* u?
        """
        return (log_p.double().exp().cumsum(-1) - u.double()[:, None]).abs().argmin(-1)

    def evenly(log_p, u):
        """You draw each token equally often: u times V, cut to a whole number.

        Where do the probabilities come in?
        """
        return (u.double() * log_p.shape[-1]).long()

    def evenly_among_possible(log_p, u):
        """You draw each token equally often: u times V − 1, rounded.

        Where do the probabilities come in?
        """
        return (u.double() * _last(log_p)).round().long()

    def one_number_for_all(log_p, u):
        """You use the first number of u for every row.

        Each row has its own: u has to stand beside the sums as a column.
        """
        return _drawn(log_p.double().exp(), u[:1].expand_as(u)).clamp(max=_last(log_p))

    def sums_over_rows(log_p, u):
        """You add up over the rows of the batch. Add up along the vocabulary.

        Which dimension of (batch, V) has the tokens?
        """
        sums = log_p.double().exp().cumsum(0)
        return (sums <= u.double()[:, None]).sum(-1)

    def first_sum_over_rows(log_p, u):
        """You add up over the rows of the batch, and take the first token whose sum exceeds u.

        Which dimension of (batch, V) has the tokens? Add up along that one.
        """
        return (log_p.double().exp().cumsum(0) > u.double()[:, None]).int().argmax(-1)

    def softmax_of_probabilities(log_p, u):
        """You take the softmax of *probabilities*: your distributions are nearly even.

        A softmax of log-probabilities gives the probabilities back. One of probabilities does not.
        """
        return _drawn(log_p.double().exp().softmax(-1), u).clamp(max=_last(log_p))

    def powers_of_two(log_p, u):
        """You take powers of 2, and the logarithms are natural ones.

        Which base has `exp`?
        """
        p = torch.exp2(log_p.double())
        return _drawn(p, u).clamp(max=_last(log_p))

    def square_roots(log_p, u):
        """You draw from the square roots of the probabilities, made to sum to 1.

        That is another temperature. Draw from p itself.
        """
        return _drawn((log_p.double() / 2).softmax(-1), u).clamp(max=_last(log_p))

    def squares(log_p, u):
        """You draw from the squares of the probabilities, made to sum to 1.

        That is another temperature. Draw from p itself.
        """
        return _drawn((log_p.double() * 2).softmax(-1), u).clamp(max=_last(log_p))

    def special_tokens_skipped(log_p, u):
        """You never draw the tokens 0 to 2: their share goes to others.

        The model may give them any probability. Draw from the distribution as it is.
        """
        p = log_p.double().exp()
        p[:, :3] = 0
        return _drawn(p / p.sum(-1, keepdim=True), u).clamp(max=_last(log_p))

    def first_row_alone(log_p, u):
        """You return one token. One for each row is asked for.

        Keep the batch as the first dimension.
        """
        return correct(log_p, u)[0]

    def in_a_column(log_p, u):
        """The tokens are right, but they stand in a column: (batch, 1).

        The question asks for (batch,).
        """
        return correct(log_p, u)[:, None]

    def one_hot(log_p, u):
        """You return one-hot rows. The ids are asked for.

        Which column is 1?
        """
        chosen = correct(log_p, u)
        return torch.nn.functional.one_hot(chosen, log_p.shape[-1])

    def probabilities(log_p, u):
        """You return the probabilities of the drawn tokens. Their ids are asked for.

        Return the number of the token.
        """
        return log_p.exp().gather(-1, correct(log_p, u)[:, None]).squeeze(-1)

    def sums(log_p, u):
        """You return the sums at which you stopped. The tokens are asked for.

        Return the number of the token.
        """
        total = log_p.double().exp().cumsum(-1)
        return total.gather(-1, correct(log_p, u)[:, None]).squeeze(-1).to(u)


class Right:
    """Right answers, written differently."""

    def counted(log_p, u):
        """Counts the sums that are u at most."""
        sums = torch.cumsum(log_p.exp(), dim=-1)
        return (sums <= u[:, None]).sum(dim=-1)

    def searched(log_p, u):
        """Searches in each row's sums."""
        sums = log_p.exp().cumsum(-1).contiguous()
        return torch.searchsorted(sums, u[:, None].contiguous(), right=True).squeeze(-1)

    def first_above(log_p, u):
        """The first True."""
        above = log_p.exp().cumsum(-1) > u.unsqueeze(-1)
        return above.int().argmax(-1)

    def in_loops(log_p, u):
        """Goes through each row until the sum is above."""
        tokens = []
        for row, number in zip(log_p.exp().tolist(), u.tolist(), strict=True):
            total = 0.0
            for token, p in enumerate(row):
                total += p
                if total > number:
                    tokens.append(token)
                    break
            else:
                tokens.append(len(row) - 1)
        return torch.tensor(tokens)

    def what_is_left(log_p, u):
        """Takes shares off u until nothing is left."""
        left = u[:, None] - log_p.softmax(-1).cumsum(-1)
        return (left < 0).to(torch.int8).argmax(-1)


EXERCISE = Exercise(
    id="next_tokens",
    oracle=correct,
    hint="Add up the probabilities from token 0 on. The sums of 0.5, 0.25, 0.25 are 0.5, 0.75 and "
    "1. Which is the first that exceeds 0.6? That token.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
