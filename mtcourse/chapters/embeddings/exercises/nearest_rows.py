"""The exercise ``nearest_rows``: which rows point where a token's row points (B01; chapter 2)."""

from __future__ import annotations

import torch

from mtcourse.chapters.embeddings.geometry import cosine_similarities
from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows of very different norms, some that point away, and a row of zeros."""
    by_hand = draw.tensor(
        [[3.0, 4.0], [9.0, 9.0], [1.0, 0.0], [-4.0, -3.0], [0.3, 0.5], [0.0, 7.0]]
    )
    lengths = torch.tensor([0.2, 9.0, 1.0, 5.0, 0.5, 20.0, 2.0, 0.1, 4.0, 1.5])
    uneven = draw.normal(10, 6) * lengths[:, None].to(draw.dtype)
    padded = draw.normal(9, 4)
    padded[0] = 0
    padded[3] = -2 * padded[6] + 0.1 * padded[3]
    twins = draw.tensor([[0.0, 6.0], [3.0, 4.0], [-4.0, 1.0], [3.0, 4.0], [1.0, 0.0]])
    same = draw.tensor([[1.0, 0.0, 0.0], [0.0, 2.0, 1.0], [4.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    signs = draw.tensor([[-1.0, -1.0], [1.0, 3.0], [0.0, 0.0], [2.0, 1.0], [3.0, 0.5]])
    short = draw.tensor([[0.1, 0.12], [4.0, 8.0], [0.01, 0.05], [2.0, 2.0], [-3.0, 9.0]])
    shifted = draw.normal(12, 5) + 3 * draw.normal(5)
    return [
        Case("6 rows of 2 whole numbers", (by_hand, 0, 3), by_hand=True),
        Case("rows of different norms", (uneven, 4, 4)),
        Case("the last row, all others", (uneven, 9, 9)),
        Case("a row of zeros, all others", (padded, 6, 8)),
        Case("rows around a mean that is not 0", (shifted, 7, 5)),
        Case("a row that equals the token's, before it", (twins, 3, 1)),
        Case("a row that equals the token's, behind it", (twins, 1, 1)),
        Case("a row that equals the token's, and two more", (twins, 3, 3)),
        Case("a longer row of the same direction", (same, 2, 2)),
        Case("a shorter row of the same direction", (same, 0, 1)),
        Case("a row of zeros asks, and is row 1", (draw.tensor([[1.0, 2.0], [0.0, 0.0]]), 1, 1)),
        Case("a row of zeros asks, and is row 0", (draw.tensor([[0.0, 0.0], [2.0, 1.0]]), 0, 1)),
        Case("a row of zeros between others", (signs, 1, 4)),
        Case("only rows that point away", (signs, 0, 4)),
        Case("short and long rows", (short, 3, 3)),
        Case("two opposite rows, the first asks", (draw.tensor([[2.0, 0.0], [-1.0, 0.0]]), 0, 1)),
        Case("two opposite rows, the second asks", (draw.tensor([[0.0, 2.0], [0.0, -1.0]]), 1, 1)),
        Case("a single neighbour", (shifted, 0, 1)),
    ]


def correct(table, token, k):
    """Cosines with all rows; the token's own is put below all others."""
    cosines = cosine_similarities(table[token], table)
    cosines[token] = -2
    return cosines.topk(k).indices


def _best(values, token, k):
    """The k indices with the largest values, without the token."""
    values = values.clone()
    values[token] = -torch.inf
    return values.topk(k).indices


class Wrong:
    """What learners write, the more particular before the more general."""

    def values_returned(table, token, k):
        """You return the cosines. The question asks for the *ids* of the rows.

        `topk` and `sort` return both, the values and their indices.
        """
        cosines = cosine_similarities(table[token], table)
        return cosines[correct(table, token, k)]

    def itself_first(table, token, k):
        """The token is among its own neighbours. It is always the nearest, which says nothing.

        Leave its row out, and return k others.
        """
        return cosine_similarities(table[token], table).topk(k).indices

    def one_too_few(table, token, k):
        """You took the token itself out of the k best, so one neighbour is missing.

        Take it out first, or take one more.
        """
        return correct(table, token, k)[: k - 1]

    def ids_of_the_shorter_table(table, token, k):
        """You cut the token's row out of the table, and your ids are those of the shorter table.

        All rows after it have moved up by one. Put its cosine below all others instead.
        """
        others = torch.cat([table[:token], table[token + 1 :]])
        return cosine_similarities(table[token], others).topk(k).indices

    def zeros_are_nearest(table, token, k):
        """A row of zeros came first: its cosine is 0/0, which is nan, and nan sorts as the largest.

        The question says what its cosine should be. Avoid dividing by 0.
        """
        lengths = table.norm(dim=-1)
        return _best(table @ table[token] / (lengths * lengths[token]), token, k)

    def zeros_left_out_for_the_token(table, token, k):
        """You drop the best row, to leave the token out. A row of zeros is dropped in its place.

        0/0 is nan, and nan sorts as the largest, before the token. Avoid dividing by 0, and leave
        the token out by its id.
        """
        units = table / table.norm(dim=-1, keepdim=True)
        return (units @ units[token]).argsort(descending=True, stable=True)[1 : k + 1]

    def by_dot_product(table, token, k):
        """You sort by the dot product, which depends on the norms of the rows, too.

        A cosine does not grow with the norms. What is the dot product divided by? Dividing by the
        token's own norm alone does not change the order.
        """
        return _best(table @ table[token], token, k)

    def by_dot_product_with_itself(table, token, k):
        """You sort by the dot product, and the token may be its own neighbour.

        Divide by the norms, and leave the token's own row out.
        """
        return (table @ table[token]).topk(k).indices

    def by_distance(table, token, k):
        """You sort by distance. A row that points the same way but is much longer is far away.

        The cosine compares directions alone.
        """
        return _best(-(table - table[token]).norm(dim=-1), token, k)

    def divided_by_the_square(table, token, k):
        """You divided the dot product by the square of each row's norm, so short rows win.

        |b| is the *root* of the sum of squares.
        """
        return _best(table @ table[token] / table.square().sum(-1).clamp(min=1e-12), token, k)

    def farthest(table, token, k):
        """These are the rows with the *smallest* cosine.

        The cosine of rows that point the same way is 1, and that of opposite rows is -1.
        """
        cosines = cosine_similarities(table[token], table)
        return _best(-cosines, token, k)

    def opposite_counts_as_near(table, token, k):
        """You dropped the signs, so a row that points the opposite way counts as near.

        A cosine of -1 means as far apart as possible.
        """
        return _best(cosine_similarities(table[token], table).abs(), token, k)

    def worst_first(table, token, k):
        """These are the right rows, but the least alike comes first.

        The best should come first. In which order does your function sort?
        """
        return correct(table, token, k).flip(0)

    def in_order_of_ids(table, token, k):
        """These are the right rows, in the order of their ids.

        The best should come first.
        """
        return correct(table, token, k).sort().values

    def mean_taken_away(table, token, k):
        """You subtracted the mean of all rows first, which answers another question.

        Compare the rows as they stand in the table.
        """
        return correct(table - table.mean(0), token, k)

    def columns_normalised(table, token, k):
        """You divided the columns by their norms. The vectors to compare are the rows.

        `dim=-1` runs along a row, `dim=0` along a column.
        """
        scaled = table / table.norm(dim=0)
        return _best(scaled @ scaled[token], token, k)

    def best_left_out(table, token, k):
        """You leave out the row that comes *first*, which need not be the token's own: another row
        may have the same cosine.

        Leave the token out by its id.
        """
        cosines = cosine_similarities(table[token], table)
        return cosines.topk(k + 1).indices[1:]

    def same_direction_left_out(table, token, k):
        """You leave out every row whose cosine is 1. Another word may point exactly the same way,
        and is a neighbour.

        Leave the token out by its id.
        """
        cosines = cosine_similarities(table[token], table)
        return _best(torch.where(cosines > 0.9999, -2.0, cosines.double()), token, k)

    def equal_rows_left_out(table, token, k):
        """You leave out every row that equals the token's. Another word with the same numbers is a
        neighbour, and the nearest.

        Leave the token out by its id.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[(table == table[token]).all(-1)] = -2
        return _best(cosines, token, k)

    def own_cosine_set_to_0(table, token, k):
        """The token is ranked as if its own cosine were 0, before all rows that point away.

        A cosine can be negative. What is below all of them?
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = 0
        return cosines.topk(k).indices

    def own_cosine_set_to_0_and_sorted(table, token, k):
        """You give the token itself the cosine 0, so it comes before all rows that point away.

        A cosine can be negative. What is below all of them?
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = 0
        return cosines.argsort(descending=True, stable=True)[:k]

    def own_cosine_set_to_minus_1(table, token, k):
        """You set the token's own cosine to −1. A row that points the opposite way has −1, too.

        What is below all cosines?
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = -1
        return cosines.topk(k).indices

    def row_0_left_out_for_the_token(table, token, k):
        """You leave out row 0, and not the token.

        Which argument says which row to leave out?
        """
        cosines = cosine_similarities(table[token], table)
        return _best(cosines, 0, k)

    def row_0_left_out_too(table, token, k):
        """You leave out row 0, too, as if it were padding.

        Only the token itself is left out. A row of zeros has the cosine 0.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[0] = -2
        cosines[token] = -3
        return cosines.topk(k).indices

    def zeros_come_last(table, token, k):
        """You put rows of zeros after all others.

        Let their cosine be 0: rows that point away come after them.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[table.norm(dim=-1) == 0] = -2
        cosines[token] = -3
        return cosines.topk(k).indices

    def zeros_taken_out(table, token, k):
        """You take rows of zeros out of the table, and your ids are those of the shorter table.

        The rows after them have moved up. Let the cosine of a row of zeros be 0 instead.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = -3
        kept = (table.norm(dim=-1) > 0) | (torch.arange(len(table)) == token)
        return cosines[kept].topk(min(k, int(kept.sum()))).indices

    def absolute_values_in_the_norm(table, token, k):
        """You divided each row by the sum of its absolute values.

        |b| is the root of the sum of squares.
        """
        units = table / table.abs().sum(-1, keepdim=True).clamp(min=1e-12)
        return _best(units @ units[token], token, k)

    def divided_by_the_largest(table, token, k):
        """You divided each row by its largest absolute value.

        |b| is the root of the sum of squares.
        """
        units = table / table.abs().amax(-1, keepdim=True).clamp(min=1e-12)
        return _best(units @ units[token], token, k)

    def divided_by_the_sum(table, token, k):
        """You divided each row by the sum of its numbers.

        |b| is the root of the sum of squares.
        """
        sums = table.sum(-1, keepdim=True)
        units = table / torch.where(sums == 0, 1, sums)
        return _best(units @ units[token], token, k)

    def one_added_to_the_norms(table, token, k):
        """You added 1 to each norm. That changes the order, because it brings the quotients of
        short rows nearer to 0.

        To avoid a division by 0, keep each norm above a *tiny* number, or treat rows of zeros
        separately.
        """
        return _best(table @ table[token] / (table.norm(dim=-1) + 1), token, k)

    def softmaxed_rows(table, token, k):
        """You put the rows through a softmax first.

        Compare the rows as they stand in the table.
        """
        units = torch.nn.functional.normalize(table.softmax(-1))
        return _best(units @ units[token], token, k)

    def norm_multiplied(table, token, k):
        """You multiplied by the norms, where you should divide.

        A cosine does not grow with the norms.
        """
        return _best(table @ table[token] * table.norm(dim=-1), token, k)

    def distance_of_the_norms(table, token, k):
        """You compare the norms of the rows, and not where they point.

        Two rows of the same norm can point anywhere.
        """
        lengths = table.norm(dim=-1)
        return _best(-(lengths - lengths[token]).abs(), token, k)

    def largest_distance(table, token, k):
        """You sort by distance, the largest first.

        Compare directions, by the cosine, the largest first.
        """
        return _best((table - table[token]).norm(dim=-1), token, k)

    def distance_with_itself(table, token, k):
        """You sort by distance, and the token is its own neighbour.

        The cosine compares directions alone. Leave the token's own row out.
        """
        return (-(table - table[token]).norm(dim=-1)).topk(k).indices

    def sum_of_absolute_differences(table, token, k):
        """You sort by the sum of absolute differences. A row that points the same way but is much
        longer is far away.

        The cosine compares directions alone.
        """
        return _best(-(table - table[token]).abs().sum(-1), token, k)

    def one_too_many(table, token, k):
        """You return k + 1 ids: the token, and k neighbours.

        Leave the token itself out.
        """
        return cosine_similarities(table[token], table).topk(k + 1).indices

    def nearest_left_out(table, token, k):
        """You left out the nearest neighbour: k − 1 ids are left.

        The token is out already. Nothing more has to go.
        """
        return correct(table, token, k)[1:]

    def second_nearest_first(table, token, k):
        """You left out the token and the nearest neighbour.

        Leave out only the token.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = -2
        return torch.cat([cosines.argsort(descending=True)[1:], torch.tensor([token])])[:k]

    def all_others(table, token, k):
        """You return the ids of all rows but the token's own.

        Return only the first k.
        """
        return correct(table, token, len(table) - 1)

    def the_rows_themselves(table, token, k):
        """You return the rows of the table.

        The question asks for their *ids*.
        """
        return table[correct(table, token, k)]

    def all_cosines(table, token, k):
        """You return the cosines with all rows.

        Return the ids of the k largest.
        """
        return cosine_similarities(table[token], table)

    def ranks(table, token, k):
        """You return for each of the first k rows its rank.

        `argsort` of the cosines gives ids. Sorting it once more gives ranks.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = -2
        return cosines.argsort(descending=True).argsort()[:k]

    def ids_from_1(table, token, k):
        """Your ids count from 1.

        Ids count from 0, and so do rows.
        """
        return correct(table, token, k) + 1

    def far_directions(table, token, k):
        """These are the rows whose directions are farthest.

        Directions are near where their distance is *small*, and their cosine large.
        """
        units = torch.nn.functional.normalize(table)
        return (units - units[token]).norm(dim=-1).topk(k).indices

    def distance_of_directions(table, token, k):
        """You sort by the distance between rows divided by their norms. A row of zeros then has the
        distance 1, which belongs to a cosine of ½.

        Let the cosine of a row of zeros be 0. Which distance belongs to that?
        """
        units = torch.nn.functional.normalize(table)
        return _best(-(units - units[token]).norm(dim=-1), token, k)

    def values_and_ids(table, token, k):
        """You return cosines and ids.

        Return the ids alone.
        """
        cosines = cosine_similarities(table[token], table)
        cosines[token] = -2
        return tuple(cosines.topk(k))

    def of_every_token(table, token, k):
        """You return neighbours of all tokens.

        The question asks for those of one token.
        """
        cosines = cosine_similarities(table, table)
        return cosines.fill_diagonal_(-2).topk(k).indices

    def divided_by_the_sum_of_norms(table, token, k):
        """You divided by the *sum* of both norms.

        |a| and |b| are multiplied.
        """
        lengths = table.norm(dim=-1)
        return _best(table @ table[token] / (lengths + lengths[token]), token, k)

    def opposite_counts_and_best_left_out(table, token, k):
        """You dropped the signs, so a row that points the opposite way counts as near, and may come
        before the token.

        A cosine of −1 means as far apart as possible. Leave the token out by its id.
        """
        cosines = cosine_similarities(table[token], table)
        return cosines.abs().argsort(descending=True, stable=True)[1 : k + 1]

    def positive_cosines_only(table, token, k):
        """You return only rows whose cosine is positive.

        Return k ids, even if some of these rows point away.
        """
        cosines = cosine_similarities(table[token], table)
        order = _best(cosines, token, len(table) - 1)
        return order[cosines[order] > 0][:k]

    def positive_cosines_or_zero(table, token, k):
        """You count negative cosines as 0.

        A row that points away is less alike than one at a right angle.
        """
        cosines = cosine_similarities(table[token], table)
        return _best(cosines.clamp(min=0), token, k)

    def positive_cosines_or_zero_and_sorted(table, token, k):
        """You take all negative cosines for 0.

        A row that points away is less alike than one at a right angle.
        """
        cosines = cosine_similarities(table[token], table).clamp(min=0)
        cosines[token] = -2
        return cosines.argsort(descending=True, stable=True)[:k]

    def dot_product_of_the_smallest(table, token, k):
        """You sort by the dot product, the smallest first.

        A cosine is divided by the norms, and the largest comes first.
        """
        return _best(-(table @ table[token]), token, k)


class Right:
    """Right answers, written differently."""

    def with_torchs_own(table, token, k):
        """Torch has the cosine."""
        cosines = torch.cosine_similarity(table, table[token][None], dim=-1)
        order = cosines.argsort(descending=True)
        return order[order != token][:k]

    def takes_one_more(table, token, k):
        """One more than asked for, without the token's own."""
        unit = table / table.norm(dim=-1, keepdim=True).clamp(min=1e-12)
        best = (unit @ unit[token]).topk(k + 1).indices.tolist()
        return torch.tensor([i for i in best if i != token][:k])

    def with_python(table, token, k):
        """A list and its sort."""

        def cosine(i):
            a, b = table[i], table[token]
            lengths = float(a.norm() * b.norm())
            return float(a @ b) / lengths if lengths else 0.0

        others = [i for i in range(len(table)) if i != token]
        return torch.tensor(sorted(others, key=cosine, reverse=True)[:k])

    def by_distance_of_directions(table, token, k):
        """Directions are near where cosines are large: |a - b|² = 2 - 2 cos. Zeros stand at √2."""
        unit = torch.nn.functional.normalize(table)
        squares = (unit - unit[token]).square().sum(-1)
        squares[table.norm(dim=-1) == 0] = 2
        squares[token] = torch.inf
        return squares.argsort()[:k]


EXERCISE = Exercise(
    id="nearest_rows",
    oracle=correct,
    hint="Compute the cosine of two rows by hand: their dot product, over the product of their "
    "norms. Then sort, and remember that ids are those of the whole table.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
