"""The exercise ``embed_one_hot``: H = X^T W_E (A04, A10; chapter 02)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers import embeddings


def cases(draw: Draw) -> list[Case]:
    """One-hot columns, columns of zeros, and mixtures; once as many tokens as words."""
    W_E = draw.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0], [-2.0, 5.0]])
    by_hand = draw.tensor([[0.0, 0.0, 0.5], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
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

        `reshape` keeps the order of the numbers in memory. Exchange the last two dimensions
        instead.
        """
        return X.reshape(*X.shape[:-2], X.shape[-1], X.shape[-2]) @ W_E

    def all_dimensions_reversed(X, W_E):
        """This is right for one sentence. In a batch you also moved the dimension of the sentences.

        Transpose only the last two dimensions: `X.mT` or `X.transpose(-2, -1)`.
        """
        return X.permute(*reversed(range(X.dim()))) @ W_E

    def looked_up_by_the_largest(X, W_E):
        """You look up the row where each column is largest. That is right only for one-hot columns.

        A column of zeros has no largest entry, and a mixture is more than its largest part.
        """
        return W_E[X.argmax(dim=-2)]

    def a_row_for_each_one(X, W_E):
        """You look for the ones in X and take their rows, so a column without a 1 gets no row.

        Every column gets a row, even one of zeros or of halves. The product does this for you.
        """
        return W_E[(X.reshape(-1, *X.shape[-2:])[0].T == 1).nonzero()[:, 1]]

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
