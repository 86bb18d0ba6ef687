"""Cross-attention: from the decoder's rows to the encoder's output (chapter 6)."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.layers.attention import queries_keys_values, scaled_dot_product_attention


def cross_attention(
    X: Float[Tensor, "*batch m d_model"],
    H_E: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model d_k"],
    W_K: Float[Tensor, "d_model d_k"],
    W_V: Float[Tensor, "d_model d_v"],
    mask: Bool[Tensor, "*#batch #m n"] | None = None,
) -> Float[Tensor, "*batch m d_v"]:
    """A_C = softmax((X W_Q)(H_E W_K)^T / sqrt(d_k)) H_E W_V: queries from X, the rest from H_E.

    The result has one row for each row of X, whatever the length of H_E. There is no causal mask,
    because the whole source is known before the first target token is written.

    Args:
        X: the decoder's rows, one for each of the m target positions; document A calls them A_D.
        H_E: the encoder's output, one row for each of the n source positions.
        W_Q: turns the decoder's rows into queries.
        W_K: turns the encoder's rows into keys.
        W_V: turns the encoder's rows into values.
        mask: True where target position i may attend to source position j, as for padding (C10);
            None allows all.

    Source: A15, A16, B17, D04; C37 for one row of X, with the division that document C leaves out.
    Chapter 6.
    """
    Q, K, V = queries_keys_values(X, H_E, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)[0]
