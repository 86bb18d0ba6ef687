"""The exercise ``embed_one_hot``: H = X^T W_E (A04, A10; chapter 2)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import embeddings


def cases(draw: Draw) -> list[Case]:
    """One-hot columns, columns of zeros, and mixtures; once as many tokens as words."""
    W_E = draw.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0], [-2.0, 5.0]])
    by_hand = draw.tensor([[0.0, 0.0, 0.5], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
    whole = draw.tensor([[1.0, 0.0, 0.0, 2.0], [1.0, 0.0, 0.5, 0.0], [0.0, 0.0, 0.25, 0.0]])
    padded = _columns(draw, [3, 1, 5, 0], 6)
    padded[:, 2:] = 0
    several = torch.stack([_columns(draw, ids, 5) for ids in ([1, 4, 2], [0, 0, 3], [2, 1, 1])])
    mixed = draw.normal(2, 7, 4).softmax(-2)
    return [
        Case("4 words and 3 columns, the last one half of two words", (by_hand, W_E), by_hand=True),
        Case("a single token", (_columns(draw, [2], 5), draw.normal(5, 3))),
        Case("7 tokens of 5 words", (_columns(draw, [4, 0, 1, 1, 3, 2, 4], 5), draw.normal(5, 6))),
        Case("as many tokens as words", (_columns(draw, [1, 2, 2, 0], 4), draw.normal(4, 3))),
        Case("two tokens and two columns of zeros", (padded, draw.normal(6, 3))),
        Case("columns of two words, of none, of parts", (whole, draw.normal(3, 2))),
        Case("a batch of one sentence", (whole[None], draw.normal(3, 5))),
        Case("3 sentences", (several, draw.normal(5, 4))),
        Case("2 sentences whose columns are mixtures", (mixed, draw.normal(7, 3))),
    ]


def _columns(draw: Draw, ids: list[int], V: int):
    """One-hot columns in the precision of the draw."""
    return draw.tensor([[float(k == of_one) for of_one in ids] for k in range(V)])


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_transposed(X, W_E):
        """You multiplied X as it is. Its rows are the words of the vocabulary, not the tokens.

        Write the two shapes side by side, (V, n) and (V, d). The inner sizes must be equal: which
        sizes are they?
        """
        return X @ W_E

    def rows_came_out_as_columns(X, W_E):
        """The numbers are right, but each token has a column, where it should have a row.

        H is (n, d), with one row for each token. What did you transpose?
        """
        return W_E.T @ X

    def reshaped(X, W_E):
        """You reshaped X where you should transpose it, so each row mixes numbers of several
        tokens.

        `reshape` keeps the order in which numbers are read, row by row. Exchange the last two
        dimensions instead.
        """
        return X.reshape(*X.shape[:-2], X.shape[-1], X.shape[-2]) @ W_E

    def all_dimensions_reversed(X, W_E):
        """This is right for one sentence, but stops at a batch: you moved the batch dimension as
        well, or left no room for one.

        Transpose only the last two dimensions: `X.mT` or `X.transpose(-2, -1)`. Then `@` takes any
        leading dimensions.
        """
        return X.permute(*reversed(range(X.dim()))) @ W_E

    def looked_up_by_the_largest(X, W_E):
        """You look up the row where each column is largest. That is right only for one-hot columns.

        A column of zeros has no largest entry, and a mixture is more than its largest part.
        """
        return W_E[X.argmax(dim=-2)]

    def a_row_for_each_one(X, W_E):
        """You look for the ones in X and take their rows, so a column without a 1 gets no row, and
        the sentences of a batch run together.

        Every column gets a row, even one of zeros or of halves. The product does this for you.
        """
        return W_E[(X.mT == 1).nonzero()[:, -1]]

    def every_word_in_full(X, W_E):
        """You add a word's whole row wherever its entry in the column is not 0.

        Half of a word is half of its row: the entries of X are factors.
        """
        return (X > 0).to(X.dtype).mT @ W_E

    def whole_words_only(X, W_E):
        """You turned X into whole numbers, and entries below 1 were lost.

        The product needs no integers. Leave the entries as they are.
        """
        return X.int().to(X.dtype).mT @ W_E

    def columns_made_to_sum_to_1(X, W_E):
        """You divided each column by its sum. A column of zeros becomes 0/0.

        The equation divides by nothing.
        """
        return (X / X.sum(-2, keepdim=True)).mT @ W_E

    def scaled(X, W_E):
        """You multiplied the rows by √d. Many models do that, but the equation (A04) does not.

        Return the product alone.
        """
        return X.mT @ W_E * math.sqrt(W_E.shape[1])

    def one_row_for_the_sentence(X, W_E):
        """You added up the rows of all tokens into one row for the sentence.

        Each token keeps its row: H is (n, d).
        """
        return X.sum(-1) @ W_E

    def first_sentence_for_all(X, W_E):
        """Every sentence of the batch gets the rows of the first one.

        Let the product handle the leading dimensions: `X.mT @ W_E` works for all sentences at once.
        """
        first = X[(0,) * (X.dim() - 2)].mT @ W_E
        return first.expand(*X.shape[:-2], *first.shape)

    def table_detached(X, W_E):
        """The rows are right, but no gradient flows back to the table, so it would never learn.

        Is there a `detach`, `.data` or `no_grad` on the way?
        """
        return X.mT @ W_E.detach()

    def columns_made_to_sum_to_1_or_0(X, W_E):
        """You divided each column by its sum, and left columns of zeros alone. A column with two
        ones gives the mean of the two rows, where it should give their sum.

        The equation divides by nothing.
        """
        sums = X.sum(-2)[..., None]
        return X.mT @ W_E / torch.where(sums == 0, 1, sums)

    def columns_at_most_1(X, W_E):
        """An entry of X above 1 counts as 1.

        Entries are factors: an entry of 2 adds the row of its word twice.
        """
        return X.clamp(max=1).mT @ W_E

    def row_0_left_out(X, W_E):
        """Word 0 adds nothing, as if it were padding. The equation has no special words.

        A position of padding has a column of zeros already.
        """
        kept = (torch.arange(len(W_E)) != 0).to(W_E.dtype)[:, None]
        return X.mT @ (kept * W_E)

    def largest_part_alone(X, W_E):
        """Of a mixture you take only the row with the largest entry, times this entry.

        A column may be a mixture of several words. The product adds them all up.
        """
        largest = X.max(-2)
        return largest.values[..., None] * W_E[largest.indices]

    def softmax_of_the_columns(X, W_E):
        """You put the columns through a softmax, so entries of 0 count, too.

        Leave the entries as they are.
        """
        return X.softmax(-2).mT @ W_E

    def ids_of_the_nonzero(X, W_E):
        """You look for the entries of X that are not 0 and take the rows of these words, in the
        order of the vocabulary.

        Each column gives one row, in the order of the sentence. The product does this for you.
        """
        if X.dim() > 2:
            return torch.stack([W_E[one.nonzero()[:, 0]] for one in X])
        return W_E[X.nonzero()[:, 0]]

    def ids_of_the_nonzero_in_order(X, W_E):
        """You look for the entries of X that are not 0 and take the rows of these words, so a
        column with two of them gets two rows.

        Each column gives one row. The product does this for you.
        """
        if X.dim() > 2:
            return torch.stack([W_E[one.T.nonzero()[:, 1]] for one in X])
        return W_E[X.T.nonzero()[:, 1]]

    def needs_a_batch(X, W_E):
        """Your function needs a batch: a single matrix stops it.

        `X` may have the shape (V, n), without leading dimensions. Count dimensions from the end.
        """
        return torch.bmm(X.transpose(1, 2), W_E.expand(X.shape[0], *W_E.shape))

    def same_sum_everywhere(X, W_E):
        """Each token has the sum of all rows of its sentence.

        Each token keeps its own row.
        """
        H = X.mT @ W_E
        return H.sum(-2, keepdim=True).expand_as(H)

    def mean_of_the_sentence(X, W_E):
        """You averaged the rows of all tokens into one row for the sentence.

        Each token keeps its row: H is (n, d).
        """
        return X.mean(-1) @ W_E

    def batch_behind_the_tokens(X, W_E):
        """Your batch dimension comes after that of the tokens: (n, batch, d).

        Leading dimensions stay in front: (batch, n, d).
        """
        H = X.mT @ W_E
        return H if H.dim() == 2 else H.transpose(0, -2)

    def all_sentences_in_one(X, W_E):
        """All sentences of a batch come out as one.

        Leading dimensions stay in front: (batch, n, d).
        """
        return (X.mT @ W_E).reshape(-1, W_E.shape[1])

    def sentences_added_up(X, W_E):
        """You added up the sentences of a batch.

        Each sentence keeps its rows.
        """
        H = X.mT @ W_E
        return H.sum(0) if H.dim() > 2 else H

    def first_sentence_alone(X, W_E):
        """Of a batch you return only the first sentence.

        Leading dimensions stay in front: (batch, n, d).
        """
        return X[(0,) * (X.dim() - 2)].mT @ W_E

    def divided_by_the_root(X, W_E):
        """You divided the rows by √d. The equation (A04) does not.

        Return the product alone.
        """
        return X.mT @ W_E / math.sqrt(W_E.shape[1])

    def rows_made_as_long_as_1(X, W_E):
        """You divided each row by its norm.

        Return the product alone.
        """
        H = X.mT @ W_E
        return H / H.norm(dim=-1, keepdim=True).clamp(min=1e-12)

    def reversed_sentence(X, W_E):
        """The rows stand in reverse order.

        Row j of H belongs to column j of X.
        """
        return (X.mT @ W_E).flip(-2)

    def reversed_vocabulary(X, W_E):
        """The first entry of a column is multiplied by the last row of the table, and so on in
        reverse order.

        Row k of X belongs to row k of the table.
        """
        return X.flip(-2).mT @ W_E

    def columns_detached(X, W_E):
        """The rows are right, but no gradient flows back to X.

        Gradients must flow to both arguments. Is there a `detach`, a comparison or `argmax` on the
        way?
        """
        return X.detach().mT @ W_E

    def all_detached(X, W_E):
        """The rows are right, but no gradient flows at all.

        Is there a `detach`, `.data`, `tolist` or `no_grad` on the way?
        """
        with torch.no_grad():
            return X.mT @ W_E

    def reshaped_at_the_end(X, W_E):
        """The shape is right, but you reshaped the product where you should transpose it.

        `reshape` keeps the order in which numbers are read, row by row. Exchange the last two
        dimensions.
        """
        H = W_E.T @ X
        return H.reshape(*H.shape[:-2], X.shape[-1], W_E.shape[1])

    def rounded_entries(X, W_E):
        """You rounded the entries of X to whole numbers.

        Leave the entries as they are: half of a word is half of its row.
        """
        return X.round().mT @ W_E

    def more_than_half_is_whole(X, W_E):
        """You take a word whole where its entry is above a half, and leave it out otherwise.

        Half of a word is half of its row: the entries of X are factors.
        """
        return (X > 0.5).to(X.dtype).mT @ W_E

    def divided_by_the_largest_entry(X, W_E):
        """You divided each column by its largest entry.

        The equation divides by nothing.
        """
        return (X / X.amax(-2, keepdim=True).clamp(min=1e-9)).mT @ W_E

    def looked_up_but_zeros(X, W_E):
        """You look up the row where each column is largest, and treat columns of zeros
        separately. A mixture is more than its largest part.

        The product treats all columns alike.
        """
        return W_E[X.argmax(-2)] * (X.sum(-2) != 0)[..., None]

    def sums_multiplied(X, W_E):
        """You multiply the sum of a column by the sum of the table's rows.

        Multiply each entry by the row of *its* word, and then add up.
        """
        return X.sum(-2)[..., None] * W_E.sum(0)

    def sum_up_to_the_token(X, W_E):
        """Each token has the sum of the rows up to its own.

        Each token keeps its own row.
        """
        return (X.mT @ W_E).cumsum(-2)

    def first_word_of_a_column(X, W_E):
        """For each column you take the whole row of the first word whose entry is not 0, and
        nothing else.

        A column may be a mixture, or zero. The product adds all its parts.
        """
        return W_E[(X != 0).int().argmax(-2)]

    def last_word_of_a_column(X, W_E):
        """Of a mixture you keep only the last word's part: it overwrites the others.

        Add the parts up.
        """
        H = X.new_zeros(*X.shape[:-2], X.shape[-1], W_E.shape[1])
        for k in range(len(W_E)):
            part = X[..., k, :, None]
            H = torch.where(part != 0, part * W_E[k], H)
        return H

    def identity_added(X, W_E):
        """You added to every number the sum of the token's column, which is 1 for a one-hot column.

        Return the product alone, with the table as it stands.
        """
        return X.mT @ W_E + X.sum(-2)[..., None]


class Right:
    """Right answers, written differently."""

    def with_einsum(X, W_E):
        """Names the dimensions."""
        return torch.einsum("...vn,vd->...nd", X, W_E)

    def transposed_at_the_end(X, W_E):
        """(W^T X)^T."""
        return (W_E.T @ X).transpose(-1, -2)

    def a_token_at_a_time(X, W_E):
        """The equation of one token, stacked."""
        return torch.stack([X[..., j] @ W_E for j in range(X.shape[-1])], dim=-2)

    def a_word_at_a_time(X, W_E):
        """Adds each word's row to the tokens that have a part of it."""
        H = X.new_zeros(*X.shape[:-2], X.shape[-1], W_E.shape[1])
        for k in range(W_E.shape[0]):
            H = H + X[..., k, :, None] * W_E[k]
        return H

    def by_broadcasting(X, W_E):
        """Every entry times every row, then a sum over the vocabulary."""
        return (X.unsqueeze(-1) * W_E[:, None, :]).sum(-3)


EXERCISE = Exercise(
    id="embed_one_hot",
    oracle=embeddings.embed_one_hot,
    hint="Compute the row of one token by hand: multiply each row of the table by its entry in the "
    "token's column of X, and add them up.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
