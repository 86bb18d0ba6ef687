"""The end of a decoder block as document C prints it (chapter 10)."""

from __future__ import annotations

from jaxtyping import Float
from torch import Tensor

from mtcourse.layers.blocks import layer_norm, position_wise_network


def end_without_a_sum(
    H: Float[Tensor, "*batch m d_model"],
    C: Float[Tensor, "*batch m d_model"],
    norm: tuple[Tensor, Tensor],
    network: tuple[Tensor, Tensor, Tensor, Tensor],
) -> Float[Tensor, "*batch m d_model"]:
    """u_n = LayerNorm(h_n + c_n), then FFN(u_n): no sum and no norm around the network.

    Args:
        H: the rows of the decoder.
        C: what attention computed for each of them.
        norm: gain and bias.
        network: W_1, b_1, W_2 and b_2.

    Source: C38, unlike B13. Chapter 10.
    """
    U = layer_norm(H + C, *norm)
    return position_wise_network(U, *network)
