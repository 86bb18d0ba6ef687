"""The exercise ``embed``: the rows of a table by their numbers (A03, A09; chapter 2)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("a batch of one sentence", (torch.tensor([[1, 3]]), draw.normal(4, 2))),
        Case("2 batches of 2 sentences", (torch.tensor([[[1, 3], [0, 2]], [[4, 4], [2, 1]]]),
                                          draw.normal(5, 3))),
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
        """A single id, a tensor without dimensions, stops your function: it cannot be looped over.

        Ids of any shape, even without dimensions, may stand between the brackets of `W_E[…]`. You
        need no loop.
        """
        return torch.stack([W_E[i] for i in ids])

    def detached(ids, W_E):
        """The rows are right, but no gradient flows back to the table, so it would never learn.

        Is there a `detach`, `.data`, `tolist` or `no_grad` on the way?
        """
        return W_E.detach()[ids]

    def one_row_too_low(ids, W_E):
        """Every token gets the row after its own, and token V − 1 gets row 0.

        Ids count from 0, and so do rows. `<pad>` has a row, too.
        """
        return W_E[(ids + 1) % len(W_E)]

    def columns_in_front(ids, W_E):
        """Your result has the d numbers of a token in front: (d, …).

        The dimension of the numbers comes last. Take rows of the table, not columns of its
        transpose.
        """
        return W_E[ids].movedim(-1, 0)

    def tokens_in_columns(ids, W_E):
        """Each token has a column, where it should have a row.

        The result is (…, n, d). What did you transpose?
        """
        return W_E[ids].mT if ids.dim() else W_E[ids]

    def all_in_order(ids, W_E):
        """These are the right rows, but sorted by id, over all sentences together.

        Row j of the result belongs to token j, whatever its id is.
        """
        return W_E[ids.flatten().sort().values.reshape(ids.shape)]

    def each_sentence_reversed(ids, W_E):
        """The rows of a sentence stand in reverse order.

        Row j of the result belongs to token j.
        """
        return W_E[ids.flip(-1)] if ids.dim() else W_E[ids]

    def first_sentence_alone(ids, W_E):
        """Of a batch you return only the first sentence.

        Ids of shape (batch, n) give rows of shape (batch, n, d).
        """
        return W_E[ids[(0,) * (ids.dim() - 1)]] if ids.dim() else W_E[ids]

    def first_token_alone(ids, W_E):
        """You return the row of the first token only.

        Each token has a row: (…, n, d).
        """
        return W_E[ids[..., 0]] if ids.dim() else W_E[ids]

    def by_the_position(ids, W_E):
        """You return the first n rows of the table: row j for position j, whatever token stands
        there.

        Row x_j is wanted, where x_j is the *id* at position j.
        """
        n = ids.shape[-1] if ids.dim() else 1
        rows = W_E[torch.arange(n) % len(W_E)]
        return rows.expand(*ids.shape, W_E.shape[1]) if ids.dim() else rows[0]

    def ids_times_the_sum(ids, W_E):
        """You multiply the *id*, as a number, by the sum of all rows.

        An id is a name. Its one-hot vector may be multiplied, the id itself may not.
        """
        return ids[..., None].to(W_E.dtype) * W_E.sum(0)

    def ids_times_the_rows(ids, W_E):
        """You multiply each row by its id.

        An id only says which row to take. Return the row as it stands in the table.
        """
        return W_E[ids] * ids[..., None]

    def ids_added(ids, W_E):
        """You add the id to its row.

        An id only says which row to take. Return the row as it stands in the table.
        """
        return W_E[ids] + ids[..., None]

    def sum_of_the_sentence(ids, W_E):
        """You added up the rows of a sentence into one.

        Each token keeps its row: the result is (…, n, d).
        """
        return W_E[ids].sum(-2) if ids.dim() else W_E[ids]

    def mean_in_every_row(ids, W_E):
        """Every token gets the mean of the rows of its sentence.

        Each token keeps its own row.
        """
        rows = W_E[ids]
        return rows.mean(-2, keepdim=True).expand_as(rows) if ids.dim() else rows

    def sum_up_to_the_token(ids, W_E):
        """Each token gets the sum of the rows up to its own.

        Each token keeps its own row.
        """
        return W_E[ids].cumsum(-2) if ids.dim() else W_E[ids]

    def divided_by_the_root(ids, W_E):
        """You divided the rows by √d. The equation (A03) does not.

        Return each row as it stands in the table.
        """
        return W_E[ids] / math.sqrt(W_E.shape[1])

    def dimension_in_front(ids, W_E):
        """A single id gives a table of one row.

        An id of shape () gives a row of shape (d,).
        """
        return W_E[torch.atleast_1d(ids)]

    def single_batch(ids, W_E):
        """A sentence comes out as a batch of one.

        Ids of shape (n,) give rows of shape (n, d).
        """
        return W_E[ids][None] if ids.dim() == 1 else W_E[ids]

    def repeats_are_zero(ids, W_E):
        """A token that occurs again in its sentence gets zeros.

        Each position gets the row of its token, however often the token occurs.
        """
        if not ids.dim():
            return W_E[ids]
        n = ids.shape[-1]
        before = (ids[..., None] == ids[..., None, :]) & torch.ones(n, n, dtype=torch.bool).tril(-1)
        return W_E[ids] * ~before.any(-1, keepdim=True)

    def one_hot_columns(ids, W_E):
        """You return one-hot vectors, and did not multiply them by the table.

        Which row of the table does such a vector select?
        """
        return (ids[..., None] == torch.arange(len(W_E))).to(W_E.dtype)

    def whole_numbers_only(ids, W_E):
        """You turned the rows into whole numbers.

        Rows hold real numbers. Which of your tensors has an integer type?
        """
        return W_E[ids].long().to(W_E.dtype)

    def all_reversed(ids, W_E):
        """Your dimensions stand in reverse order.

        The result is (…, d), with the dimensions of the ids in front, as they are.
        """
        rows = W_E[ids]
        return rows.permute(*reversed(range(rows.dim())))

    def row_1_for_padding(ids, W_E):
        """Token 0 gets row 1.

        Every id has a row of its own, id 0 included.
        """
        return W_E[ids.clamp(min=1)]

    def one_dimension_only(ids, W_E):
        """Your lookup works for ids of one dimension, and stops at a batch.

        Ids of *any* shape may stand between the brackets of `W_E[…]`.
        """
        return W_E.index_select(0, ids)

    def each_id_made_a_number(ids, W_E):
        """You loop over the ids, and turn each part into one number. In a batch, each part is a
        whole sentence. A single id cannot be looped over.

        Ids of *any* shape may stand between the brackets of `W_E[…]`.
        """
        return torch.stack([W_E[int(i)] for i in ids])

    def gathered_without_the_width(ids, W_E):
        """You use `gather`, which needs an index for every number of a row.

        `W_E[…]` takes whole rows.
        """
        return W_E.gather(0, ids[..., None])

    def rows_in_a_list(ids, W_E):
        """You return a list of rows.

        Return one tensor, (…, d).
        """
        return [W_E[k] for k in ids.flatten().tolist()]

    def first_ids_only(ids, W_E):
        """Of a sentence you look up only the first token, and of a batch only its first sentence.

        Each token has a row.
        """
        return W_E[ids[0]]

    def all_added_up(ids, W_E):
        """You added up all rows into one.

        Each token keeps its row: the result is (…, n, d).
        """
        return W_E[ids.flatten()].sum(0)

    def largest_of_the_sentence(ids, W_E):
        """In each of the d columns you took the largest number among the rows of a sentence.

        Each token keeps its row: the result is (…, n, d).
        """
        return W_E[ids].amax(-2) if ids.dim() else W_E[ids]

    def mean_taken_away(ids, W_E):
        """You subtracted the mean of the table.

        Return each row as it stands in the table.
        """
        return W_E[ids] - W_E.mean(0)


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
