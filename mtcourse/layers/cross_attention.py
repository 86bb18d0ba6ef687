"""One sentence asks another: attention from the decoder to the encoder's output (chapter 06)."""

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
    """A_C = softmax((X W_Q)(H_E W_K)^T / sqrt(d_k)) H_E W_V: X asks, H_E answers.

    There is a row of the result for each row of X, whatever the length of H_E. No causal mask: the
    whole source is there before the first target token is written.

    Args:
        X: the decoder's rows, one for each of the m target positions; in A they are called A_D.
        H_E: the encoder's output, one row for each of the n source positions.
        W_Q: makes queries of the decoder's rows.
        W_K: makes keys of the encoder's rows.
        W_V: makes values of the encoder's rows.
        mask: True where target position i may attend to source position j, as for padding (C10);
            None allows all.

    Source: A15, A16, B17, D04; C37 for a single row of X, with the division that C leaves out.
    Chapter 06.
    """
    Q, K, V = queries_keys_values(X, H_E, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)[0]
