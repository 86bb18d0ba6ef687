"""The exercise ``one_hot``: a sentence as columns, and a batch of them (A02; chapter 1)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("padding in front and between", (torch.tensor([0, 3, 0, 2, 0, 4]), 7)),
        Case("special symbols", (torch.tensor([2, 5, 1, 3]), 6)),
        Case("the last id and a batch of one", (torch.tensor([[6, 0, 2]]), 7)),
        Case("first sentence padded most", (torch.tensor([[3, 0, 0], [0, 1, 2], [4, 4, 0]]), 5)),
        Case("nothing but padding", (torch.zeros(3, dtype=torch.long), 4)),
        Case("3 sentences, two of them padded", (batch, 9)),
        Case("4 sentences of 4 tokens, 4 words", (square, 4)),
        Case("2 batches of 3 sentences", (torch.stack([batch, batch.flip(0)]), 11)),
    ]


def correct(ids, V):
    """Compares every id with every id of the vocabulary, and hides <pad>."""
    return _columns(ids, V) * (ids != 0).unsqueeze(-2)


def _hidden(ids, V, hidden):
    """One-hot columns, those of some positions made zero."""
    return _columns(ids, V) * ~hidden.unsqueeze(-2)


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

        Row 0 belongs to `<pad>` and is zero. With it, id k has its one in row k.
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
        """The shape is right, but the ones are in the wrong cells: you reshaped rows into columns.

        `reshape` keeps the order in which numbers are read, row by row. Exchange two dimensions
        instead.
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

    def special_symbols_hidden(ids, V):
        """The columns of all special symbols are zero. `<unk>`, `<bos>` and `<eos>` are tokens like
        any other.

        Only padding is no token. Which id does it have?
        """
        return _hidden(ids, V, ids < 4)

    def unknown_hidden(ids, V):
        """The columns of id 1 are zero, and those of padding have a one.

        0 is `<pad>`, and 1 is `<unk>`.
        """
        return _hidden(ids, V, ids == 1)

    def unknown_hidden_too(ids, V):
        """The columns of id 1 are zero, too. 1 is `<unk>`, and that is a token.

        Only 0 is padding.
        """
        return _hidden(ids, V, ids <= 1)

    def first_column_hidden(ids, V):
        """Your first column is zero, whatever stands there, and padding has ones.

        Which columns should be zero: those at position 0, or those whose *id* is 0?
        """
        return _hidden(ids, V, (torch.arange(ids.shape[-1]) == 0).expand(ids.shape))

    def last_column_hidden(ids, V):
        """Your last column is zero, whatever stands there, and padding elsewhere has ones.

        A sentence may have much padding, or none. Look at the ids.
        """
        return _hidden(ids, V, (torch.arange(ids.shape[-1]) == ids.shape[-1] - 1).expand(ids.shape))

    def all_behind_padding_hidden(ids, V):
        """From the first padding on, all of your columns are zero.

        Padding may stand anywhere. Look at the id of each position by itself.
        """
        return _hidden(ids, V, (ids == 0).cumsum(-1) > 0)

    def padding_of_the_first_sentence(ids, V):
        """In a batch, all sentences have their zero columns where the *first* sentence has padding.

        Each sentence has padding of its own.
        """
        first = ids.reshape(-1, ids.shape[-1])[0]
        return _hidden(ids, V, (first == 0).expand(ids.shape))

    def hidden_along_the_rows(ids, V):
        """You multiply the rows of X by what belongs to its columns.

        X is (…, V, n), and there is one factor for each of the n positions. In which of the last
        two dimensions must they stand?
        """
        return _columns(ids, V) * (ids != 0).unsqueeze(-1)

    def padding_spread_evenly(ids, V):
        """The columns of padding have the same small number in every row.

        Padding is no token, not even a part of one. Its column is zero throughout.
        """
        return correct(ids, V) + (ids == 0).unsqueeze(-2).float() / V

    def padding_all_ones(ids, V):
        """The columns of padding are all ones.

        Padding is no token. Its column is zero throughout.
        """
        return correct(ids, V) + (ids == 0).unsqueeze(-2).float()

    def the_others_marked(ids, V):
        """You exchanged ones and zeros, except in the columns of padding.

        Should you compare by `==` or by `!=`?
        """
        return (1 - _columns(ids, V)) * (ids != 0).unsqueeze(-2)

    def all_from_the_id(ids, V):
        """Each of your columns has ones from the id all the way down.

        One-hot means a single one. Did you compare by `==`?
        """
        return (torch.arange(V)[:, None] >= ids.unsqueeze(-2)) * (ids != 0).unsqueeze(-2).float()

    def last_id_has_no_one(ids, V):
        """The column of a token with the last id, V - 1, is zero.

        Does your loop over the vocabulary reach its end?
        """
        return _hidden(ids, V, (ids == 0) | (ids == V - 1))

    def last_row_left_out(ids, V):
        """The last row of your X is missing.

        The vocabulary has the ids from 0 to V - 1, and each has a row.
        """
        return correct(ids, V)[..., :-1, :]

    def one_row_too_many(ids, V):
        """Your X has V + 1 rows.

        The ids from 0 to V - 1 are V ids, that of padding included.
        """
        return correct(ids, V + 1)

    def one_row_too_low(ids, V):
        """Every one stands a row too low: id k has its one in row k + 1, and id V − 1 has none.

        Row 0 is there, and belongs to id 0. Which row belongs to id k?
        """
        return _columns(ids + 1, V) * (ids != 0).unsqueeze(-2)

    def bag_in_every_column(ids, V):
        """Every column holds the counts of all tokens of the sentence.

        Column j stands for token j alone.
        """
        X = correct(ids, V)
        return X.sum(-1, keepdim=True).expand_as(X).clone()

    def all_words_in_every_column(ids, V):
        """Every column has the ones of all tokens of the sentence.

        An assignment such as `X[ids] = 1` fills whole rows. Which column belongs to a token?
        """
        X = correct(ids, V)
        return X.amax(-1, keepdim=True).expand_as(X).clone()

    def at_the_position(ids, V):
        """Column j has its one in row j, whatever token j is.

        The *id* of the token says in which row the one stands.
        """
        here = torch.arange(ids.shape[-1]).expand(ids.shape)
        return _columns(here, V) * (ids != 0).unsqueeze(-2)

    def at_the_position_and_padding(ids, V):
        """Column j has its one in row j, whatever token j is, and padding has one, too.

        The *id* of the token says in which row the one stands. The column of padding is zero.
        """
        return _columns(torch.arange(ids.shape[-1]).expand(ids.shape), V)

    def last_sentence_alone(ids, V):
        """Of a batch you return only the last sentence.

        The batch dimensions stay in front: `(batch, n)` gives `(batch, V, n)`.
        """
        return correct(ids.reshape(-1, ids.shape[-1])[-1], V)

    def first_sentence_alone(ids, V):
        """Of a batch you return only the first sentence.

        The batch dimensions stay in front: `(batch, n)` gives `(batch, V, n)`.
        """
        return correct(ids.reshape(-1, ids.shape[-1])[0], V)

    def first_sentence_for_all(ids, V):
        """Every sentence of the batch has the columns of the first one.

        Each sentence has a matrix of its own.
        """
        X = correct(ids, V)
        return (
            X.flatten(0, -3)[:1].expand(X.flatten(0, -3).shape).reshape(X.shape)
            if X.dim() > 2
            else X
        )

    def all_dimensions_reversed(ids, V):
        """This is right for one sentence. In a batch the dimensions are in another order.

        The batch dimensions stay in front. Exchange only the last two: `X.mT`.
        """
        return correct(ids, V).mT.transpose(0, -1)

    def all_dimensions_reversed_and_padding(ids, V):
        """In a batch your dimensions are in another order, and the columns of padding have ones.

        Exchange only the last two dimensions. Then make the columns of padding zero.
        """
        return _columns(ids, V).mT.transpose(0, -1)

    def squeezed(ids, V):
        """You dropped dimensions of size 1. A single token and a batch of one sentence lose one.

        The result has all dimensions of the ids, and one more: `(…, V, n)`.
        """
        return correct(ids, V).squeeze()

    def a_dimension_too_many(ids, V):
        """A single sentence comes out as a batch of one.

        `(n,)` gives `(V, n)`, without a further dimension.
        """
        X = correct(ids, V)
        return X if X.dim() > 2 else X[None]

    def tokens_are_rows_and_padding(ids, V):
        """You gave each token a row where it should have a column, and padding has a one.

        X is (V, n). Exchange the last two dimensions, and make the columns of padding zero.
        """
        return _columns(ids, V).mT

    def counted_from_1_and_padding(ids, V):
        """Id k has its one in row k - 1, and padding has one in the last row.

        Ids start at 0, and so do rows. The column of padding is zero.
        """
        return _columns((ids - 1) % V, V)

    def ids_in_place_of_ones_in_rows(ids, V):
        """You wrote ids instead of ones, and each token has a row.

        X is (V, n), and has a column for each token. Which number just means "this one"?
        """
        return (correct(ids, V) * torch.arange(V)[:, None]).mT

    def padded_sentences_hidden(ids, V):
        """A sentence that has padding has only zeros.

        Make the *columns* of padding zero, and no others.
        """
        return correct(ids, V) * (ids != 0).all(-1)[..., None, None]

    def repeats_have_no_one(ids, V):
        """If an id comes again in a sentence, its later columns are zero.

        Every token has a column with a one of its own.
        """
        X = correct(ids, V)
        return X * (X.cumsum(-1) <= 1)

    def rows_of_the_largest_id_and_padding(ids, V):
        """Your X has only as many rows as the largest id of this input needs, and padding has a
        one.

        What is V for? And the column of padding is zero.
        """
        return _columns(ids, int(ids.max()) + 1)

    def padding_has_minus_one(ids, V):
        """Padding has a −1 in row 0.

        The column of padding is zero throughout.
        """
        return correct(ids, V) - (torch.arange(V)[:, None] == 0) * (ids == 0).unsqueeze(-2).float()

    def row_0_marks_the_tokens(ids, V):
        """Row 0 marks what is *not* padding.

        Row 0 belongs to `<pad>`, and is zero.
        """
        return correct(ids, V) + (torch.arange(V)[:, None] == 0) * (ids != 0).unsqueeze(-2).float()

    def smoothed(ids, V):
        """Your columns have small numbers beside the one.

        One-hot means a single one, and zeros elsewhere.
        """
        return correct(ids, V) * 0.9 + 0.1 / V

    def all_zeros(ids, V):
        """Your X is all zeros.

        Which comparison is true exactly where the ones should stand? Do you write into the tensor
        that you return?
        """
        return correct(ids, V) * 0


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
    forbids=("one-hot",),
)
