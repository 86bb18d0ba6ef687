"""Scaled dot-product attention, as the equation and as PyTorch's fused kernel (chapter 4)."""

from __future__ import annotations

import math
from typing import Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.layers.masks import causal_mask


@runtime_checkable
class Attention(Protocol):
    """What a layer expects of an attention function: outputs, and weights if it computes them."""

    def __call__(
        self, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> tuple[Tensor, Tensor | None]: ...


def queries_keys_values(
    X: Float[Tensor, "*batch m d_model"],
    Z: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model d_k"],
    W_K: Float[Tensor, "d_model d_k"],
    W_V: Float[Tensor, "d_model d_v"],
) -> tuple[
    Float[Tensor, "*batch m d_k"], Float[Tensor, "*batch n d_k"], Float[Tensor, "*batch n d_v"]
]:
    """Q = X W_Q, K = Z W_K, V = Z W_V: queries from the rows of X, keys and values from those of Z.

    In self-attention Z is X (A06, B07, D02). In cross-attention X comes from the decoder, and Z is
    the encoder's output (C36; chapters 4 and 6).

    Args:
        X: one row for each of the m query positions.
        Z: one row for each of the n key positions.
        W_Q: turns rows into queries.
        W_K: turns rows into keys, as wide as queries.
        W_V: turns rows into values.
    """
    return X @ W_Q, Z @ W_K, Z @ W_V


def scaled_scores(
    Q: Float[Tensor, "*batch m d_k"], K: Float[Tensor, "*batch n d_k"]
) -> Float[Tensor, "*batch m n"]:
    """How well each query matches each key: Q K^T / sqrt(d_k) (A07, B08, D01; chapter 4)."""
    d_k = Q.shape[-1]
    return Q @ K.transpose(-2, -1) / math.sqrt(d_k)


def attention_weights(
    scores: Float[Tensor, "*batch m n"], mask: Bool[Tensor, "*#batch #m n"] | None = None
) -> Float[Tensor, "*batch m n"]:
    """Turns each row of scores into weights that are 0 where masked and otherwise sum to 1.

    A query that may attend to nothing gets zeros; a softmax of -inf alone would give NaN
    (A14, B09, D03; chapters 4 and 5).
    """
    if mask is None:
        return torch.softmax(scores, dim=-1)
    weights = torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)
    return weights.masked_fill(~mask, 0.0)


def scaled_dot_product_attention(
    Q: Float[Tensor, "*batch m d_k"],
    K: Float[Tensor, "*batch n d_k"],
    V: Float[Tensor, "*batch n d_v"],
    mask: Bool[Tensor, "*#batch #m n"] | None = None,
    causal: bool = False,
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m n"]]:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V, the readable reference.

    Args:
        Q: one row for each of the m queries.
        K: one row for each of the n keys.
        V: one row for each key: its value.
        mask: True where query i may attend to key j; None allows all.
        causal: additionally hides later keys; the last query is aligned with the last key.

    Returns:
        The outputs, and the weights that made them; rows without any allowed key are zeros.

    Source: D01, D03, A07, A14, B10; Vaswani et al. (2017), section 3.2.1. Chapter 4.
    """
    weights = attention_weights(
        scaled_scores(Q, K), _with_causal(mask, Q.shape[-2], K.shape[-2], causal, Q.device)
    )
    return weights @ V, weights


def self_attention(
    X: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model d_k"],
    W_K: Float[Tensor, "d_model d_k"],
    W_V: Float[Tensor, "d_model d_v"],
    mask: Bool[Tensor, "*#batch #n #n"] | None = None,
) -> Float[Tensor, "*batch n d_v"]:
    """SelfAttention(X) = softmax((X W_Q)(X W_K)^T / sqrt(d_k)) X W_V, one head (D02; chapter 4).

    Args:
        X: one row for each token.
        W_Q: turns rows into queries.
        W_K: turns rows into keys.
        W_V: turns rows into values.
        mask: True where token i may attend to token j; None allows all.
    """
    Q, K, V = queries_keys_values(X, X, W_Q, W_K, W_V)
    return scaled_dot_product_attention(Q, K, V, mask)[0]


def fused_attention(
    Q: Float[Tensor, "*batch m d_k"],
    K: Float[Tensor, "*batch n d_k"],
    V: Float[Tensor, "*batch n d_v"],
    mask: Bool[Tensor, "*#batch #m n"] | None = None,
    causal: bool = False,
) -> tuple[Float[Tensor, "*batch m d_v"], None]:
    """The same function as PyTorch's kernel, which never stores the weights (D01; chapter 4).

    Takes what ``scaled_dot_product_attention`` takes and returns the same outputs, with None for
    the weights.
    """
    square = Q.shape[-2] == K.shape[-2]
    kernel_causal = causal and square and mask is None
    if not kernel_causal:
        mask = _with_causal(mask, Q.shape[-2], K.shape[-2], causal, Q.device)
    output = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, is_causal=kernel_causal)
    return output, None


def _with_causal(
    mask: Tensor | None, m: int, n: int, causal: bool, device: torch.device
) -> Tensor | None:
    """Both masks in one; a single query at the end may see everything."""
    if not causal or m == 1:
        return mask
    allowed = causal_mask(m, n, device=device)
    return allowed if mask is None else mask & allowed
