"""The exercise ``kneser_ney``: an interpolated bigram, as a table (C02; chapter 13)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Tables of counts, by hand, with rows and columns of zeros, and with several discounts."""

    def counts(V, share=0.5, highest=9):
        drawn = draw.small_integers(V, V, lowest=1, highest=highest)
        drawn = drawn * draw.booleans(V, V, share=share)
        drawn[0, 1], drawn[1, 0], drawn[2, 1] = 3, 1, 2  # no table is empty
        return drawn

    hand = draw.tensor([[0.0, 3.0, 1.0], [2.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    never = counts(5)
    never[3] = 0
    unseen = counts(6, 0.6)
    unseen[:, 4] = 0
    return [
        Case("3 tokens, D = 0.5", (hand, 0.5), by_hand=True),
        Case("4 tokens, D = 0.75", (counts(4), 0.75)),
        Case("a token that nothing follows", (never, 0.5)),
        Case("a token that follows nothing", (unseen, 0.6)),
        Case("many bigrams that are there once", (counts(7, 0.5, 2), 0.9)),
        Case("few bigrams", (counts(8, 0.25), 0.3)),
        Case("large counts", (counts(5, 0.7, 400), 0.8)),
        Case("9 tokens, D = 0.1", (counts(9), 0.1)),
    ]


def correct(counts, D):
    """Discounted counts, and the freed share by how many different tokens stand before a token."""
    return _table(counts, D)


def _lower(counts):
    """p_1: each token's share of the different bigrams."""
    seen = (counts > 0).to(counts)
    return seen.sum(0) / seen.sum()


def _table(counts, D, lower=None, kept=None, different=None, unseen=None):
    """The table with other parts: p_1, the first summand's numerator, and N(v)."""
    p_1 = (_lower(counts) if lower is None else lower).to(counts)
    total = counts.sum(-1, keepdim=True)
    kept = (counts - D).clamp(min=0) if kept is None else kept
    different = (counts > 0).sum(-1, keepdim=True) if different is None else different
    table = kept / total + D * different.to(counts) / total * p_1
    unseen = p_1 if unseen is None else unseen
    return torch.where(total > 0, table, unseen.to(table).expand_as(table))


class Wrong:
    """What learners write, the more particular before the more general."""

    def unigrams(counts, D):
        """Your p_1 is how often each token occurs. Kneser and Ney count how many *different* tokens
        stand before it.

        A token that occurs often, but after one token only, should get little.
        """
        return _table(counts, D, counts.sum(0) / counts.sum())

    def unigrams_with_nan(counts, D):
        """Your p_1 is how often each token occurs, where Kneser and Ney count *different* tokens
        before it. And the row of a token that nothing follows is NaN.

        `counts > 0` says which bigrams occur. The question says what stands in an empty row.
        """
        total = counts.sum(-1, keepdim=True)
        share = D * (counts > 0).sum(-1, keepdim=True) / total
        return (counts - D).clamp(min=0) / total + share * counts.sum(0) / counts.sum()

    def p_1_as_a_column(counts, D):
        """Your p_1 stands in a column: row v gets p_1(v), the same for each next token.

        p_1(w) belongs to the next token, so it lies along the columns w.
        """
        p_1, total = _lower(counts).to(counts)[:, None], counts.sum(-1, keepdim=True)
        share = D * (counts > 0).sum(-1, keepdim=True) / total
        table = (counts - D).clamp(min=0) / total + share * p_1
        return torch.where(total > 0, table, p_1)

    def without_p_1(counts, D):
        """You add the whole freed share to *each* token: the factor p_1(w) is missing.

        p_1 says which part of it a token gets.
        """
        p_1 = _lower(counts).to(counts)
        return _table(counts, D, torch.ones_like(p_1), unseen=p_1)

    def occurrences_of_the_first(counts, D):
        """Your p_1 counts how often each token is followed by something.

        p_1(w) is about what stands *before* w: a column of the table, and which entries are
        positive.
        """
        return _table(counts, D, counts.sum(1) / counts.sum())

    def different_after(counts, D):
        """Your p_1 counts how many different tokens stand *after* each token.

        Rows are the tokens before, columns those after. What belongs to p_1(w)?
        """
        return _table(counts, D, (counts > 0).sum(1) / (counts > 0).sum())

    def uniform(counts, D):
        """Your p_1 is uniform, 1/V.

        A token that stands after many different tokens gets more.
        """
        return _table(counts, D, torch.full_like(counts[0], 1 / len(counts)))

    def share_of_the_vocabulary(counts, D):
        """Your p_1 does not sum to 1: you divide by V.

        Divide by the number of all different bigrams.
        """
        return _table(counts, D, (counts > 0).sum(0) / len(counts))

    def share_of_all_pairs(counts, D):
        """Your p_1 does not sum to 1: you divide by V², all pairs that there could be.

        Divide by the number of different bigrams that occur.
        """
        return _table(counts, D, (counts > 0).sum(0) / counts.numel())

    def different_over_all_counts(counts, D):
        """Your p_1 does not sum to 1: different tokens before it, over *all* occurrences.

        Count the denominator as you count the numerator.
        """
        return _table(counts, D, (counts > 0).sum(0) / counts.sum())

    def p_1_not_divided(counts, D):
        """Your p_1 is a number of tokens, and not yet a probability.

        Divide by the number of all different bigrams.
        """
        return _table(counts, D, (counts > 0).sum(0))

    def lower_order_smoothed(counts, D):
        """You smooth p_1 with D as well, as the chapter does. The question leaves this out.

        p_1(w) is the plain ratio of two numbers of different bigrams.
        """
        before = (counts > 0).to(counts).sum(0)
        kept = (before - D).clamp(min=0) / before.sum()
        freed = D * (before > 0).sum() / before.sum()
        return _table(counts, D, kept + freed / len(counts))

    def plain_ratio_or_zeros(counts, D):
        """You return the plain ratio of counts: what never occurred has 0, and so has the whole row
        of a token that nothing follows.

        Each count gives up D, and p_1 shares what is freed.
        """
        return counts / counts.sum(-1, keepdim=True).clamp(min=1)

    def plain_ratio(counts, D):
        """You return the plain ratio of counts where there is one: what never occurred has 0.

        Each count gives up D, and p_1 shares what is freed.
        """
        total = counts.sum(-1, keepdim=True)
        return torch.where(total > 0, counts / total, _lower(counts).to(counts))

    def plain_ratio_with_nan(counts, D):
        """You return the plain ratio of counts: what never occurred has 0, and a token that nothing
        follows has 0/0.

        Each count gives up D, and p_1 shares what is freed.
        """
        return counts / counts.sum(-1, keepdim=True)

    def nothing_shared(counts, D):
        """You take the discount and give it to nobody: the rows sum to less than 1.

        The second summand hands out what the first one freed.
        """
        p_1 = _lower(counts).to(counts)
        return _table(counts, D, torch.zeros_like(p_1), unseen=p_1)

    def nothing_taken(counts, D):
        """You share out, but no count gives up D: the rows sum to more than 1.

        Look at the first summand.
        """
        return _table(counts, D, kept=counts)

    def negative_counts(counts, D):
        """You take D from counts of 0 as well, which leaves a negative number.

        max(c − D, 0) is 0 there.
        """
        return _table(counts, D, kept=counts - D)

    def at_least_d(counts, D):
        """You raise small counts to D, where D should be taken off.

        max(c − D, 0): the subtraction comes first.
        """
        return _table(counts, D, kept=counts.clamp(min=D))

    def minus_one(counts, D):
        """Each count gives up 1. It gives up D.

        D is the second argument.
        """
        return _table(counts, D, kept=(counts - 1).clamp(min=0))

    def fixed_discount(counts, D):
        """Your discount is always 0.75, in both summands.

        D is the second argument.
        """
        return _table(counts, 0.75)

    def half_a_count(counts, D):
        """Your discount is always 0.5, in both summands.

        D is the second argument.
        """
        return _table(counts, 0.5)

    def taken_from_probabilities(counts, D):
        """You take D off the probabilities. It is taken off the counts.

        First the subtraction, then the division by c(v).
        """
        total = counts.sum(-1, keepdim=True)
        return _table(counts, D, kept=(counts / total - D).clamp(min=0) * total)

    def a_share_of_each_count(counts, D):
        """Each count gives up the share D of itself. It gives up the number D.

        Large counts lose as much as small ones.
        """
        return _table(counts, D, kept=(1 - D) * counts)

    def mixed_by_d(counts, D):
        """You mix the ratio of counts and p_1 with the weights 1 − D and D.

        That is another interpolation. Here each count gives up D, so the weight of p_1 depends on
        the row.
        """
        p_1 = _lower(counts).to(counts)
        total = counts.sum(-1, keepdim=True)
        return torch.where(total > 0, (1 - D) * counts / total + D * p_1, p_1.expand_as(counts))

    def weight_d(counts, D):
        """The weight of your p_1 is D alone.

        Each of N(v) counts gave up D, of c(v) in all.
        """
        total = counts.sum(-1, keepdim=True)
        return _table(counts, D, different=total)

    def weight_without_different(counts, D):
        """The weight of your p_1 is D/c(v): N(v) is missing.

        How many counts of this row gave up D?
        """
        return _table(counts, D, different=torch.ones_like(counts[:, :1]))

    def weight_without_d(counts, D):
        """The weight of your p_1 is N(v)/c(v): D is missing.

        Each of N(v) counts gave up D, and not 1.
        """
        return _table(counts, D, different=(counts > 0).sum(-1, keepdim=True) / D)

    def weight_not_divided(counts, D):
        """The weight of your p_1 is D·N(v): the division by c(v) is missing.

        What is freed is a share of the row's counts.
        """
        total = counts.sum(-1, keepdim=True)
        return _table(counts, D, different=total * (counts > 0).sum(-1, keepdim=True))

    def sums_along_the_wrong_dimension(counts, D):
        """Column w of your table is divided by c(w), and weighted with N(w): the sums of the rows
        lie along the columns.

        Broadcasting lays a vector of V numbers along the *last* dimension. `keepdim=True` leaves a
        column.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(-1)
        kept = (counts - D).clamp(min=0) / total
        table = kept + D * (counts > 0).sum(-1) / total * p_1
        return torch.where(total > 0, table, p_1)

    def different_along_the_wrong_dimension(counts, D):
        """Your N lies along the columns: you use N(w), the number for the *next* token.

        Broadcasting lays a vector of V numbers along the *last* dimension. `keepdim=True` leaves a
        column.
        """
        return _table(counts, D, different=(counts > 0).sum(-1))

    def totals_along_the_wrong_dimension(counts, D):
        """Your c lies along the columns: you divide by c(w), the number for the *next* token.

        Broadcasting lays a vector of V numbers along the *last* dimension. `keepdim=True` leaves a
        column.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(-1)
        kept = (counts - D).clamp(min=0) / total
        table = kept + D * (counts > 0).sum(-1, keepdim=True) / total * p_1
        return torch.where(total > 0, table, p_1)

    def sums_along_the_wrong_dimension_but_rows_found(counts, D):
        """You find the rows of tokens that nothing follows. But you divide column w by c(w), and
        weight it with N(w).

        Broadcasting lays a vector of V numbers along the *last* dimension. `keepdim=True` leaves a
        column.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(-1)
        kept = (counts - D).clamp(min=0) / total
        table = kept + D * (counts > 0).sum(-1) / total * p_1
        return torch.where(total[:, None] > 0, table, p_1)

    def weight_of_the_vocabulary(counts, D):
        """Your N(v) is V, as if every token gave up D.

        Only tokens that occur after v have something to give.
        """
        return _table(counts, D, different=torch.full_like(counts[:, :1], len(counts)))

    def different_before_for_weight(counts, D):
        """Your N(v) counts the different tokens *before* v.

        N(v) belongs to the row of v: what follows it?
        """
        return _table(counts, D, different=(counts > 0).sum(0)[:, None])

    def different_before_each_token(counts, D):
        """In place of N(v), you multiply by the number of different tokens before w.

        N belongs to v, the token that is given: one number for each row.
        """
        return _table(counts, D, different=(counts > 0).sum(0)[None])

    def those_that_occur_once(counts, D):
        """Your N(v) counts only the tokens that follow v exactly once.

        Every token that follows v gives up D, however often it does.
        """
        return _table(counts, D, different=(counts == 1).sum(-1, keepdim=True))

    def all_bigrams_for_weight(counts, D):
        """Your N counts the different bigrams of the whole table.

        N(v) is the number for the row of v.
        """
        return _table(counts, D, different=(counts > 0).sum()[None, None])

    def back_off(counts, D):
        """You add the second summand only where the bigram never occurred. That is back-off, and
        here the rows do not sum to 1.

        In the interpolated form, every token gets its share of p_1.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(-1, keepdim=True)
        freed = D * (counts > 0).sum(-1, keepdim=True) / total * p_1
        table = torch.where(counts > 0, (counts - D).clamp(min=0) / total, freed)
        return torch.where(total > 0, table, p_1.expand_as(table))

    def back_off_with_nan(counts, D):
        """You add the second summand only where the bigram never occurred, which is back-off: here
        the rows do not sum to 1. And a token that nothing follows has NaN.

        In the interpolated form, every token gets its share of p_1. The question says what stands
        in the row of a token that nothing follows.
        """
        total = counts.sum(-1, keepdim=True)
        freed = D * (counts > 0).sum(-1, keepdim=True) / total * _lower(counts).to(counts)
        return torch.where(counts > 0, (counts - D) / total, freed)

    def sums_along_the_wrong_dimension_with_nan(counts, D):
        """Column w of your table is divided by c(w), and weighted with N(w): the sums of the rows
        lie along the columns. Where c(w) is 0, this gives NaN or ∞.

        Broadcasting lays a vector of V numbers along the *last* dimension. `keepdim=True` leaves a
        column.
        """
        total = counts.sum(-1)
        kept = (counts - D).clamp(min=0) / total
        return kept + D * (counts > 0).sum(-1) / total * _lower(counts).to(counts)

    def columns_for_rows(counts, D):
        """You divide by the sums of the columns: how often w occurs.

        c(v) is the sum over all w: one number for each row.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(0)
        table = (counts - D).clamp(min=0) / total
        table = table + D * (counts > 0).sum(-1, keepdim=True) / total * p_1
        return torch.where(total > 0, table, p_1.expand_as(table))

    def how_often_v_is_second(counts, D):
        """Your c(v) counts how often v *follows* something: it is the sum of a column.

        c(v) is the sum over all w that follow v.
        """
        p_1, total = _lower(counts).to(counts), counts.sum(0)[:, None]
        table = (counts - D).clamp(min=0) / total
        table = table + D * (counts > 0).sum(-1, keepdim=True) / total * p_1
        return torch.where(total > 0, table, p_1.expand_as(table))

    def joint(counts, D):
        """You divide by the sum of the whole table. That makes one distribution over all bigrams.

        Each row is a distribution by itself.
        """
        p_1 = _lower(counts).to(counts)
        kept = (counts - D).clamp(min=0) / counts.sum()
        table = kept + D * (counts > 0).sum(-1, keepdim=True) / counts.sum() * p_1
        return torch.where(counts.sum(-1, keepdim=True) > 0, table, p_1.expand_as(table))

    def nan_where_nothing_follows(counts, D):
        """The row of a token that nothing follows is NaN: 0/0.

        The question says what stands in such a row.
        """
        total = counts.sum(-1, keepdim=True)
        different = (counts > 0).sum(-1, keepdim=True)
        return (counts - D).clamp(min=0) / total + D * different / total * _lower(counts)

    def zeros_where_nothing_follows(counts, D):
        """The row of a token that nothing follows is 0 everywhere.

        The question says what stands in such a row.
        """
        return _table(counts, D, unseen=torch.zeros_like(counts[0]))

    def uniform_where_nothing_follows(counts, D):
        """The row of a token that nothing follows is uniform.

        The question says what stands in such a row.
        """
        return _table(counts, D, unseen=torch.full_like(counts[0], 1 / len(counts)))

    def renormalised(counts, D):
        """Your rows are the discounted counts over *their own* sum: what the counts gave up goes
        back to them, and p_1 gets nothing.

        The denominator is c(v), the sum before the discount.
        """
        kept = (counts - D).clamp(min=0)
        total = kept.sum(-1, keepdim=True)
        return torch.where(total > 0, kept / total, _lower(counts).to(counts))

    def added_d(counts, D):
        """You add D to each count. That is another smoothing: add-D, without p_1.

        Here counts get smaller, and p_1 shares what is freed.
        """
        return (counts + D) / (counts + D).sum(-1, keepdim=True)

    def p_1_alone(counts, D):
        """You return p_1 in every row: the token before makes no difference.

        p_1 gets only the share that the row's counts have freed.
        """
        return _lower(counts).to(counts).expand_as(counts)

    def logarithms(counts, D):
        """You return logarithms. The probabilities themselves are asked for.

        Each row sums to 1.
        """
        return correct(counts, D).log()


class Right:
    """Right answers, written differently."""

    def as_printed(counts, D):
        """The equation, with a different row where nothing follows."""
        seen = counts > 0
        p_1 = seen.sum(0) / seen.sum()
        table = torch.empty_like(counts)
        for v in range(len(counts)):
            total = counts[v].sum()
            if total == 0:
                table[v] = p_1
            else:
                table[v] = torch.clamp(counts[v] - D, min=0) / total
                table[v] += D * seen[v].sum() / total * p_1
        return table

    def what_is_freed(counts, D):
        """The weight of p_1 is what the first summand leaves."""
        total = counts.sum(1, keepdim=True).clamp(min=1)
        kept = torch.relu(counts - D) / total
        freed = 1 - kept.sum(1, keepdim=True)
        before = (counts > 0).to(counts).sum(0)
        return kept + freed * before / before.sum()

    def nan_replaced(counts, D):
        """Divides by 0, and replaces what comes of it."""
        seen = counts.sign()
        p_1 = seen.sum(0) / seen.sum()
        total = counts.sum(-1, keepdim=True)
        table = (counts - D * seen) / total + D * seen.sum(-1, keepdim=True) / total * p_1
        return torch.where(table.isnan(), p_1, table)

    def token_by_token(counts, D):
        """One probability after the other."""
        V = len(counts)
        c = counts.tolist()
        bigrams = sum(x > 0 for row in c for x in row)
        rows = []
        for v in range(V):
            total, follow = sum(c[v]), sum(x > 0 for x in c[v])
            weight = D * follow / total if total else 1.0
            rows.append([
                (max(c[v][w] - D, 0) / total if total else 0.0)
                + weight * sum(c[u][w] > 0 for u in range(V)) / bigrams
                for w in range(V)
            ])  # fmt: skip
        return torch.tensor(rows, dtype=counts.dtype)

    def an_outer_product(counts, D):
        """Weights times p_1."""
        seen = (counts > 0).to(counts)
        total = counts.sum(-1)
        weight = torch.where(total > 0, D * seen.sum(-1) / total.clamp(min=1), 1)
        kept = (counts - D * seen) / total.clamp(min=1)[:, None]
        return kept + torch.outer(weight, seen.mean(0) / seen.mean(0).sum())


def _sums_to_one(case: Case, value: torch.Tensor) -> bool:
    sums = value.sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-4)


EXERCISE = Exercise(
    id="kneser_ney",
    oracle=correct,
    hint="Take the first table and the row of its first token: c(v) = 4 and N(v) = 2. The counts 3 "
    "and 1 give up D each. p_1 shares these 2D/4: how many different tokens stand before each?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("each row sums to 1", _sums_to_one),),
)
