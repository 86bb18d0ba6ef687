"""The exercise ``embed``: the rows of a table by their numbers (A03, A09; chapter 02)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import embeddings


def cases(draw: Draw) -> list[Case]:
    """From one id to a batch; ids that repeat, fall, and are 0; once a square table."""
    table = draw.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0], [-2.0, 5.0]])
    return [
        Case("ids 3, 0 and 3", (torch.tensor([3, 0, 3]), table), by_hand=True),
        Case("a single id, without dimensions", (torch.tensor(2), draw.normal(5, 3))),
        Case("a sentence of one token", (torch.tensor([4]), draw.normal(5, 3))),
        Case("6 ids of 9", (torch.tensor([8, 0, 5, 5, 1, 0]), draw.normal(9, 4))),
        Case("a square table", (torch.tensor([3, 1, 0, 2]), draw.normal(4, 4))),
        Case("a table wider than high", (torch.tensor([2, 0, 2]), draw.normal(3, 7))),
        Case("3 sentences", (torch.tensor([[6, 2, 3, 0], [1, 1, 0, 0], [5, 4, 3, 2]]),
                             draw.normal(7, 3))),
    ]  # fmt: skip


class Wrong:
    """What learners write, the more particular before the more general."""

    def columns_of_the_table(ids, W_E):
        """You take columns of the table. Each word has a row.

        `W_E[:, k]` is column k. Which index comes first, that of the row or that of the column?
        """
        return W_E[:, ids]

    def rows_of_the_transposed(ids, W_E):
        """You take rows of the transposed table, which are the columns of the table.

        The table is (V, d), with a row for each token. Do not transpose it.
        """
        return W_E.T[ids]

    def counted_from_1(ids, W_E):
        """Every token gets the row before its own, and token 0 gets the last row of the table.

        Ids count from 0, and so do rows.
        """
        return W_E[ids - 1]

    def put_in_order(ids, W_E):
        """These are the right rows, but sorted by id: the order of the sentence is lost.

        Row j of the result belongs to token j, whatever its id is.
        """
        return W_E[ids.sort(-1).values if ids.dim() else ids]

    def each_word_once(ids, W_E):
        """A word that occurs twice gets one row. But every token needs a row of its own.

        The result has as many rows as there are tokens.
        """
        return W_E[ids.unique()]

    def flattened(ids, W_E):
        """These are the right rows, but the shape of the ids is lost, so sentences run together.

        Ids of shape (batch, n) give rows of shape (batch, n, d). What did you flatten?
        """
        return W_E[ids.flatten()]

    def zeros_for_id_0(ids, W_E):
        """You give token 0 a row of zeros, as if it were padding. The lookup has no special ids.

        If a row is to be zero, it must be zero in the table.
        """
        return W_E[ids] * (ids != 0)[..., None]

    def row_0_overwritten(ids, W_E):
        """You set row 0 of the table to zero, and the table belongs to the caller.

        A lookup leaves the table as it is.
        """
        W_E[0] = 0
        return W_E[ids]

    def scaled(ids, W_E):
        """You multiplied the rows by √d. Many models do that, but the equation (A03) does not.

        Return each row as it stands in the table.
        """
        return W_E[ids] * math.sqrt(W_E.shape[1])

    def made_as_long_as_1(ids, W_E):
        """You divided each row by its norm. It should come as it stands in the table.

        Compare the first row of your result with the first id's row in the table.
        """
        rows = W_E[ids]
        return rows / rows.norm(dim=-1, keepdim=True)

    def mean_of_the_sentence(ids, W_E):
        """You averaged the rows of a sentence into one.

        Each token keeps its row: the result is (…, n, d).
        """
        return W_E[ids].mean(-2) if ids.dim() else W_E[ids]

    def first_sentence_for_all(ids, W_E):
        """Every sentence of the batch gets the rows of the first one.

        A tensor of ids may have any shape between the brackets of `W_E[…]`. You need no loop.
        """
        first = W_E[ids[(0,) * (ids.dim() - 1)]]
        return first.expand(*ids.shape, W_E.shape[1])

    def one_after_the_other(ids, W_E):
        """You loop over the ids. A single id, a tensor without dimensions, cannot be looped over.

        Ids of any shape, even without dimensions, may stand between the brackets of `W_E[…]`. You
        need no loop.
        """
        return torch.stack([W_E[i] for i in ids])

    def detached(ids, W_E):
        """The rows are right, but no gradient flows back to the table, so it would never learn.

        Is there a `detach`, `.data`, `tolist` or `no_grad` on the way?
        """
        return W_E.detach()[ids]


class Right:
    """Right answers, written differently."""

    def by_product(ids, W_E):
        """What the lookup stands for."""
        V = W_E.shape[0]
        return torch.nn.functional.one_hot(ids, V).to(W_E.dtype) @ W_E

    def one_by_one(ids, W_E):
        """A row for each id, and the shape put back."""
        if not ids.dim():
            return W_E[int(ids)]
        return torch.stack([Right.one_by_one(part, W_E) for part in ids])

    def by_index_select(ids, W_E):
        """Rows in a line, then the shape of the ids."""
        return W_E.index_select(0, ids.flatten()).reshape(*ids.shape, -1)

    def by_gather(ids, W_E):
        """Each entry by its index."""
        flat = ids.flatten()[:, None].expand(-1, W_E.shape[1])
        return W_E.gather(0, flat).unflatten(0, ids.shape) if ids.dim() else W_E.gather(0, flat)[0]


EXERCISE = Exercise(
    id="embed",
    oracle=embeddings.embed,
    hint="Take one token. Its id is the number of a row. Look that row up in the table, and "
    "compare it with the row of your result.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("embedding",),
)
