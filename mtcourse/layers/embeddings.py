"""From token ids to rows of numbers, and back to scores of tokens (chapters 2 and 3)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mtcourse.fast.dropout import Dropout
from mtcourse.layers.positions import sinusoidal_positions


def embed(ids: Int[Tensor, "*shape"], W_E: Float[Tensor, "V d_model"]) -> Float[Tensor, "..."]:
    """Row x_j^T W_E of the table for each token, looked up instead of multiplied.

    Args:
        ids: tokens, in a tensor of any shape.
        W_E: the table, one row for each id.

    Source: A03, A09; B01 is an example. Chapter 2.
    """
    return nn.functional.embedding(ids, W_E)


def embed_one_hot(
    X: Float[Tensor, "*batch V n"], W_E: Float[Tensor, "V d_model"]
) -> Float[Tensor, "*batch n d_model"]:
    """H = X^T W_E, the product that ``embed`` computes as a lookup.

    Args:
        X: one column for each token. A column that is not one-hot gives a mixture of rows, a
            column of zeros a row of zeros.
        W_E: the table, V rows of d_model numbers.

    Source: A04, A10. Chapter 2.
    """
    return X.mT @ W_E


def embedding_gradient(
    ids: Int[Tensor, "*batch n"], H_bar: Float[Tensor, "*batch n d_model"], V: int
) -> Float[Tensor, "V d_model"]:
    """The derivative of a loss by W_E: X H_bar, where H_bar is its derivative by H = X^T W_E.

    Row k is the sum of the rows of H_bar at the positions of token k: a row that no token uses
    gets zeros, and a row that is used twice gets the sum of both.

    Args:
        ids: the tokens that were embedded.
        H_bar: the derivative of the loss by each of their rows.
        V: rows of the table.

    Source: the derivative of A04 and A10. Chapters 2 and 8.
    """
    rows = H_bar.flatten(0, -2)
    return rows.new_zeros(V, rows.shape[-1]).index_add(0, ids.flatten(), rows)


def tied_logits(
    H: Float[Tensor, "*batch d_model"], W_E: Float[Tensor, "V d_model"]
) -> Float[Tensor, "*batch V"]:
    """H W_E^T: the output layer whose weights are the embedding table, transposed.

    The score of token k is the dot product of H with row k of the table.

    Args:
        H: a row for each position.
        W_E: the table of the target's tokens.

    Source: Press and Wolf (2017); A18 with W_O = W_E^T. Chapter 2.
    """
    return H @ W_E.T


class Embedding(nn.Module):
    """Token embeddings scaled by sqrt(d_model), plus positional encodings, then dropout.

    H = sqrt(d_model) X^T W_E + P (A04, A05, A10; the scaling that B05 leaves out is the 2017
    paper's, section 3.4).

    Args:
        W_E: the table, V rows of d_model numbers; may be shared with other layers.
        max_length: the longest sequence, in tokens.
        dropout: share of the entries that is zeroed in training.
    """

    P: Tensor

    def __init__(self, W_E: nn.Parameter, max_length: int, dropout: float) -> None:
        super().__init__()
        self.W_E = W_E
        self.scale = math.sqrt(W_E.shape[1])
        self.dropout = Dropout(dropout)
        # Not in the state: it follows from the shapes.
        self.register_buffer("P", sinusoidal_positions(max_length, W_E.shape[1]), persistent=False)

    def forward(
        self, ids: Int[Tensor, "*batch length"], position: int | Tensor = 0
    ) -> Float[Tensor, "*batch length d_model"]:
        """Embeds ids; the first one has the position ``position``."""
        rows = self.P[position : position + ids.shape[-1]]
        return self.dropout(torch.add(rows, embed(ids, self.W_E), alpha=self.scale))
