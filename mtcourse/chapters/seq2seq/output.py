"""The output layer of document C's encoder-decoder (C39; chapter 17)."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor


def token_distributions(
    H: Float[Tensor, "*batch m d_model"],
    W_tgt: Float[Tensor, "d_model V_t"],
    b_tgt: Float[Tensor, " V_t"] | None = None,
) -> Float[Tensor, "*batch m V_t"]:
    """p(y_n | y_1, ..., y_{n-1}, x) = softmax(h_n W_tgt + b_tgt), for every n at once.

    Args:
        H: one row for each input of the decoder, <start>, y_1, ..., y_{m-1}: row n has read the
            inputs up to y_{n-1}, so it predicts y_n.
        W_tgt: the output weights; the transposed embedding table where the two are tied.
        b_tgt: one number for each token; None for none.

    Source: C39. Chapter 17.
    """
    logits = H @ W_tgt
    return (logits if b_tgt is None else logits + b_tgt).softmax(-1)
