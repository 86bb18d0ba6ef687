"""Residuals, normalisation and the position-wise network around attention (chapter 10)."""

from __future__ import annotations

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.fast.dropout import Dropout
from mtcourse.fast.linear import Linear
from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.layers.multi_head import CrossAttention, SelfAttention


def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    gain: Float[Tensor, " d_model"],
    bias: Float[Tensor, " d_model"],
    epsilon: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Brings every row to mean 0 and variance 1, then multiplies by the gain and adds the bias.

    LayerNorm(x) = gain ⊙ (x − μ) / √(σ² + ε) + bias, where μ and σ² are the mean and the variance
    of the d_model numbers of one row; σ² divides by d_model, not by d_model − 1. The layers use
    ``nn.LayerNorm``, which computes the same.

    Args:
        x: rows of any batch; each is normalised on its own.
        gain: γ, a factor for each column.
        bias: β, an offset for each column.
        epsilon: ε, inside the root: a row of equal numbers becomes the bias, not NaN.

    Source: B11, B13, C38; Ba et al. (2016). Chapter 10.
    """
    centred = x - x.mean(-1, keepdim=True)
    variance = centred.square().mean(-1, keepdim=True)
    return gain * centred / torch.sqrt(variance + epsilon) + bias


def position_wise_network(
    x: Float[Tensor, "*batch d_model"],
    W_1: Float[Tensor, "d_model d_ff"],
    b_1: Float[Tensor, " d_ff"],
    W_2: Float[Tensor, "d_ff d_model"],
    b_2: Float[Tensor, " d_model"],
) -> Float[Tensor, "*batch d_model"]:
    """FFN(x) = ReLU(x W_1 + b_1) W_2 + b_2, the same function for every row.

    Args:
        x: one row for each token.
        W_1: widens a row, usually to four times d_model.
        b_1: added before the ReLU.
        W_2: brings it back to d_model.
        b_2: added at the end.

    Source: B12, in row form; A08 has neither biases nor expansion. Chapter 10.
    """
    return torch.relu(x @ W_1 + b_1) @ W_2 + b_2


class FeedForward(nn.Module):
    """The parameters of a ``position_wise_network``.

    Args:
        d_model: width of a row.
        d_ff: width in between, usually four times d_model.

    Source: B12. Chapter 10.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_1 = Linear(d_model, d_ff)
        self.W_2 = Linear(d_ff, d_model)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.W_2(self.W_1(x).relu_())


class Residual(nn.Module):
    """What stands around a sublayer F: its input is added to its output, and normalised.

    Pre-norm: x + Dropout(F(LayerNorm(x))). Post-norm: LayerNorm(x + Dropout(F(x))). Either is
    ``leave(x, F(enter(x)))``.

    Args:
        d_model: width of a row.
        dropout: share of the sublayer's output that is zeroed in training.
        norm: "pre" (Xiong et al., 2020) or "post" (B11, B13; Vaswani et al., 2017).
    """

    def __init__(self, d_model: int, dropout: float, norm: str) -> None:
        super().__init__()
        if norm not in ("pre", "post"):
            raise MtcourseError(f"norm must be 'pre' or 'post', not {norm!r}")
        self.pre = norm == "pre"
        self.layer_norm = nn.LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def enter(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """What the sublayer reads: LayerNorm(x), or x itself in post-norm."""
        return self.layer_norm(x) if self.pre else x

    def leave(
        self, x: Float[Tensor, "*batch d_model"], F: Float[Tensor, "*batch d_model"]
    ) -> Float[Tensor, "*batch d_model"]:
        """x + Dropout(F), in post-norm normalised, where F is what the sublayer has computed."""
        added = x + self.dropout(F)
        return added if self.pre else self.layer_norm(added)


class EncoderBlock(nn.Module):
    """Self-attention, then the position-wise network, each inside a residual (B11 to B13).

    Args:
        d_model: width of a row.
        h: number of heads.
        d_ff: width of the position-wise network.
        dropout: share zeroed in training.
        norm: "pre" or "post".
        attention: the attention function.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float,
        norm: str = "pre",
        attention: Attention = fused_attention,
    ) -> None:
        super().__init__()
        self.self_attention = SelfAttention(d_model, h, attention)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.around_self_attention = Residual(d_model, dropout, norm)
        self.around_feed_forward = Residual(d_model, dropout, norm)

    def forward(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "#batch 1 #n n"] | None = None,
    ) -> Float[Tensor, "batch n d_model"]:
        return self.attend(x, mask)[0]

    def attend(
        self,
        x: Float[Tensor, "batch n d_model"],
        mask: Bool[Tensor, "#batch 1 #n t"] | None = None,
        causal: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Float[Tensor, "batch n d_model"], KeyValueCache | None]:
        """The block with a cache or a causal mask, as a decoder-only model uses it (chapter 13).

        Args:
            x: all n positions; or with a cache the next n of t.
            mask: True where a position may attend to another; None allows all.
            causal: additionally hides later positions.
            cache: keys and values of the positions before; None keeps none.

        Returns:
            The block's output, and the cache with these positions, or None.
        """
        attention, network = self.around_self_attention, self.around_feed_forward
        A, cache = self.self_attention(attention.enter(x), mask, causal, cache)
        x = attention.leave(x, A)
        return network.leave(x, self.feed_forward(network.enter(x))), cache


class DecoderBlock(nn.Module):
    """Masked self-attention, cross-attention, then the position-wise network (D06; chapter 10).

    Args:
        d_model: width of a row.
        h: number of heads.
        d_ff: width of the position-wise network.
        dropout: share zeroed in training.
        norm: "pre" or "post".
        attention: the attention function.
    """

    def __init__(
        self,
        d_model: int,
        h: int,
        d_ff: int,
        dropout: float,
        norm: str = "pre",
        attention: Attention = fused_attention,
    ) -> None:
        super().__init__()
        self.self_attention = SelfAttention(d_model, h, attention)
        self.cross_attention = CrossAttention(d_model, h, attention)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.around_self_attention = Residual(d_model, dropout, norm)
        self.around_cross_attention = Residual(d_model, dropout, norm)
        self.around_feed_forward = Residual(d_model, dropout, norm)

    def forward(
        self,
        x: Float[Tensor, "batch m d_model"],
        source_keys_values: tuple[Tensor, Tensor],
        source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
        mask: Bool[Tensor, "#batch 1 m t"] | None = None,
        cache: KeyValueCache | None = None,
    ) -> tuple[Float[Tensor, "batch m d_model"], KeyValueCache | None]:
        """All m positions at once, causally; or with a cache the next m, as ``mask`` allows."""
        attention, cross = self.around_self_attention, self.around_cross_attention
        network = self.around_feed_forward
        A_D, cache = self.self_attention(attention.enter(x), mask, mask is None, cache)
        x = attention.leave(x, A_D)
        A_C = self.cross_attention(cross.enter(x), *source_keys_values, source_mask)
        x = cross.leave(x, A_C)
        return network.leave(x, self.feed_forward(network.enter(x))), cache
