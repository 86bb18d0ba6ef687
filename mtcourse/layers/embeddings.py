"""From token ids to rows of numbers (chapters 02 and 03)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mtcourse.layers.dropout import Dropout
from mtcourse.layers.positions import sinusoidal_positions


def embed(ids: Int[Tensor, "*shape"], W_E: Float[Tensor, "V d_model"]) -> Float[Tensor, "..."]:
    """Row x_j^T W_E for each token, looked up instead of multiplied (A03, A09; chapter 02)."""
    return nn.functional.embedding(ids, W_E)


class Embedding(nn.Module):
    """Token embeddings scaled by sqrt(d_model), plus position encodings, then dropout.

    H = sqrt(d_model) X^T W_E + P (A04, A05, A10; the scaling that B05 leaves out is the 2017
    paper's, section 3.4).

    Args:
        W_E: the table, V rows of d_model numbers; may be shared with other layers.
        max_length: the longest sequence, in tokens.
        dropout: share of the sum that is zeroed in training.
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
        """Embeds ids whose first token stands at ``position``."""
        rows = self.P[position : position + ids.shape[-1]]
        return self.dropout(torch.add(rows, embed(ids, self.W_E), alpha=self.scale))
