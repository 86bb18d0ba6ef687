"""The exercise ``one_hot``: a sentence as columns, and a batch of them (A02; chapter 01)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A sentence to write by hand, padding, batches, and as many tokens as words."""

    def sentence(n, V, padding=0):
        ids = draw.ids(n, lowest=1, highest=V - 1)
        ids[n - padding :] = 0
        return ids

    batch = torch.stack([sentence(5, 9), sentence(5, 9, 2), sentence(5, 9, 4)])
    square = torch.stack([sentence(4, 4), sentence(4, 4, 1), sentence(4, 4), sentence(4, 4, 2)])
    return [
        Case("3 tokens of a vocabulary of 4", (torch.tensor([2, 3, 1]), 4), by_hand=True),
        Case("a single token", (sentence(1, 6), 6)),
        Case("a token twice", (torch.tensor([4, 2, 4, 1]), 7)),
        Case("as many tokens as words", (torch.tensor([3, 1, 1, 2, 4]), 5)),
        Case("two positions of padding", (sentence(6, 8, 2), 8)),
        Case("nothing but padding", (torch.zeros(3, dtype=torch.long), 4)),
        Case("3 sentences, two of them padded", (batch, 9)),
        Case("4 sentences of 4 tokens, 4 words", (square, 4)),
        Case("2 batches of 3 sentences", (torch.stack([batch, batch.flip(0)]), 11)),
    ]


def correct(ids, V):
    """Compares every id with every id of the vocabulary, and hides <pad>."""
    return _columns(ids, V) * (ids != 0).unsqueeze(-2)


def _columns(ids, V):
    """One-hot columns, also for <pad>."""
    return (torch.arange(V)[:, None] == ids.unsqueeze(-2)).float()


class Wrong:
    """What learners write, the more particular before the more general."""

    def rows_are_tokens(ids, V):
        """You gave each token a row. In A02 it has a column: X is (V, n).

        Along which dimension do the ids of the vocabulary run?
        """
        return correct(ids, V).mT

    def padding_has_a_one(ids, V):
        """Padding has a one, in row 0. Padding is not a token, so its column should be zero.

        The comparison is true at id 0, too. How do you make such a column zero?
        """
        return _columns(ids, V)

    def padding_column_left_out(ids, V):
        """The columns of padding are missing. Keep them, and make them zero.

        In a batch all sentences need equally many columns.
        """
        kept = ids.flatten() != 0
        return correct(ids.flatten()[kept], V)

    def padding_row_left_out(ids, V):
        """Row 0 is missing: your X has V - 1 rows.

        Keep the row of `<pad>`. It is zero, and all other tokens keep their ids.
        """
        return correct(ids, V)[..., 1:, :]

    def counted_from_1(ids, V):
        """You counted the vocabulary from 1: id k has its one in row k - 1.

        Ids start at 0, and so do rows in Python. Which row belongs to id k?
        """
        return correct(ids, V).roll(-1, -2)

    def true_and_false(ids, V):
        """You returned True and False. A matrix product needs numbers.

        What turns the result of a comparison into numbers?
        """
        return correct(ids, V) > 0

    def ids_in_place_of_ones(ids, V):
        """You wrote ids instead of ones.

        Piece 301 is not more than piece 300. Which number just means "this one"?
        """
        return correct(ids, V) * torch.arange(V)[:, None]

    def one_column_for_the_sentence(ids, V):
        """All tokens of a sentence share one column, which counts them. Their order is lost.

        That is a bag of words. A sentence has n columns.
        """
        return correct(ids, V).sum(-1)

    def ones_of_all_sentences(ids, V):
        """In a batch, every sentence has the ones of all sentences.

        An assignment such as `X[:, ids, places] = 1` writes into all of them. Which sentence does
        an id belong to?
        """
        X = correct(ids, V)
        together = X.flatten(0, -3).sum(0) if ids.dim() > 1 else X
        return together.clamp(max=1).expand(X.shape).clone()

    def one_long_sentence(ids, V):
        """You turned a batch into one long sentence.

        The batch dimensions stay in front: `(batch, n)` gives `(batch, V, n)`.
        """
        return correct(ids.flatten(), V)

    def batch_behind_the_vocabulary(ids, V):
        """Your vocabulary comes before the batch: `(V, batch, n)`.

        Each sentence has a matrix of its own, and `X[b]` should be that matrix.
        """
        return correct(ids, V).movedim(-2, 0)

    def reshaped(ids, V):
        """The shape is right but the ones are in the wrong cells: you reshaped rows into columns.

        `reshape` keeps the order of the numbers in memory. Exchange two dimensions instead.
        """
        X = correct(ids, V)
        return X.mT.reshape(X.shape)

    def all_up_to_the_id(ids, V):
        """Each of your columns has ones all the way up to the id.

        One-hot means a single one. Did you compare by `==`?
        """
        return (torch.arange(V)[:, None] <= ids.unsqueeze(-2)) * (ids != 0).unsqueeze(-2).float()

    def rows_of_the_largest_id(ids, V):
        """Your X has only as many rows as the largest id of *this* input needs.

        Another sentence would have another number of rows, and no table fits both. What is V for?
        """
        return correct(ids, int(ids.max()) + 1)

    def the_other_way_round(ids, V):
        """You exchanged ones and zeros: each token's own entry is 0, and all others are 1.

        Should you compare by `==` or by `!=`?
        """
        return 1 - _columns(ids, V)


class Right:
    """Right answers, written differently."""

    def with_an_identity(ids, V):
        """Rows of the identity, without its first."""
        identity = torch.eye(V)
        identity[0, 0] = 0
        return identity[ids].transpose(-1, -2)

    def with_scatter(ids, V):
        """Writes ones where the ids say, one dimension deeper."""
        X = torch.zeros(*ids.shape[:-1], V, ids.shape[-1])
        X.scatter_(-2, ids.unsqueeze(-2), 1.0)
        X[..., 0, :] = 0
        return X

    def with_loops(ids, V):
        """Every token by itself."""
        X = torch.zeros(*ids.shape[:-1], V, ids.shape[-1])
        flat, columns = ids.reshape(-1, ids.shape[-1]), X.view(-1, V, ids.shape[-1])
        for b in range(len(flat)):
            for j, k in enumerate(flat[b].tolist()):
                if k > 0:
                    columns[b, k, j] = 1
        return X

    def with_where(ids, V):
        """Gives padding an id that the vocabulary does not have."""
        known = torch.where(ids == 0, -1, ids)
        return (known[..., None] == torch.arange(V)).double().mT

    def a_word_at_a_time(ids, V):
        """The rows, one after the other."""
        return torch.stack([(ids == k) * float(k != 0) for k in range(V)], dim=-2)


EXERCISE = Exercise(
    id="one_hot",
    oracle=correct,
    hint="Write X for three tokens by hand: V rows, and a column for each token. Which comparison "
    "is true exactly where the ones are? Then make the columns of padding zero. Turn to batches "
    "last: their dimensions stay in front.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    forbids=("one_hot",),
)
