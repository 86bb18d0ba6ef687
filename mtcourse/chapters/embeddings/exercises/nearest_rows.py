"""The exercise ``nearest_rows``: which rows point where a token's row points (B01; chapter 02)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.chapters.embeddings.geometry import cosine_similarities


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
    shifted = draw.normal(12, 5) + 3 * draw.normal(5)
    return [
        Case("6 rows of 2 whole numbers", (by_hand, 0, 3), by_hand=True),
        Case("rows of different norms", (uneven, 4, 4)),
        Case("the last row, all others", (uneven, 9, 9)),
        Case("a row of zeros, all others", (padded, 6, 8)),
        Case("rows around a mean that is not 0", (shifted, 7, 5)),
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
        """You return the cosines. Asked for are the *ids* of the rows.

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

        All rows behind it have moved up by one. Put its cosine below all others instead.
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

        0/0 is nan, and nan sorts as the largest, before the token. Avoid dividing by 0.
        """
        units = table / table.norm(dim=-1, keepdim=True)
        return (units @ units[token]).argsort(descending=True, stable=True)[1 : k + 1]

    def by_dot_product(table, token, k):
        """You sort by the dot product. A long row has a large one, wherever it points.

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
        """You sort by distance. A row that points the same way and is longer is far away.

        The cosine compares directions alone.
        """
        return _best(-(table - table[token]).norm(dim=-1), token, k)

    def divided_by_the_square(table, token, k):
        """You divided the dot product by the square of each row's norm, so short rows win.

        |b| is the *root* of the sum of squares.
        """
        return _best(table @ table[token] / table.square().sum(-1).clamp(min=1e-12), token, k)

    def farthest(table, token, k):
        """These are the rows that are least alike.

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


class Right:
    """Right answers, written differently."""

    def with_torchs_own(table, token, k):
        """Torch has the cosine."""
        cosines = torch.cosine_similarity(table, table[token][None], dim=-1)
        order = cosines.argsort(descending=True)
        return order[order != token][:k]

    def takes_one_more(table, token, k):
        """The nearest row of all is the token's own."""
        unit = table / table.norm(dim=-1, keepdim=True).clamp(min=1e-12)
        return (unit @ unit[token]).topk(k + 1).indices[1:]

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
