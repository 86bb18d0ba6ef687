"""Heads that share keys and values (chapter 14)."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.multi_head import head_width, merge_heads, split_heads


def grouped_query_attention(
    X: Float[Tensor, "batch n d_model"],
    W_Q: Float[Tensor, "d_model d_model"],
    W_K: Float[Tensor, "d_model d_shared"],
    W_V: Float[Tensor, "d_model d_shared"],
    W_O: Float[Tensor, "d_model d_model"],
    h: int,
    mask: Bool[Tensor, "*#batch #n n"] | None = None,
) -> Float[Tensor, "batch n d_model"]:
    """Concat(A_1, ..., A_h) W_O with A_j = Attention(Q_j, K_g, V_g), where g = ceil(j G / h).

    G groups of h / G heads share one set of keys and values each, so a cache is smaller by the
    factor h / G. G = h is multi-head attention (B06), G = 1 multi-query attention.

    Args:
        X: one row for each token.
        W_Q: gives the queries of all h heads.
        W_K: gives the keys of the G groups; d_shared = G d_k.
        W_V: likewise the values.
        W_O: mixes the heads.
        h: number of heads; a multiple of G.
        mask: True where token i may attend to token j, the same for all heads.

    Raises:
        MtcourseError: the columns of W_K do not make groups that h heads can share evenly.

    Source: Shazeer (2019); Ainslie et al. (2023). Chapter 14.
    """
    d_k, shared = head_width(X.shape[-1], h), W_K.shape[-1]
    groups = shared // d_k
    if shared % d_k or not groups or h % groups:
        raise MtcourseError(
            f"W_K has {shared} columns, but {h} heads of width {d_k} share keys only in groups "
            f"whose number divides {h}: give it {d_k} columns for each group"
        )
    Q = split_heads(X @ W_Q, h)
    K, V = (split_heads(X @ W, groups) for W in (W_K, W_V))
    K, V = (part.repeat_interleave(h // groups, dim=1) for part in (K, V))
    for_all_heads = None if mask is None else mask.unsqueeze(-3)
    A, _ = scaled_dot_product_attention(Q, K, V, for_all_heads)
    return merge_heads(A) @ W_O
