"""Several attentions side by side, each on its own slice of the width (chapter 09)."""

from __future__ import annotations

from jaxtyping import Bool, Float
from torch import Tensor, nn

from mtcourse.layers.attention import Attention, fused_attention
from mtcourse.layers.kv_cache import KeyValueCache
from mtcourse.products import Linear


def split_heads(
    x: Float[Tensor, "batch length d_model"], h: int
) -> Float[Tensor, "batch h length d_k"]:
    """Cuts each row into h slices of d_k = d_model / h numbers, one a head (B06; chapter 09)."""
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def merge_heads(
    x: Float[Tensor, "batch h length d_k"],
) -> Float[Tensor, "batch length d_model"]:
    """Concat(A_1, ..., A_h), the inverse of ``split_heads`` (A26; chapter 09)."""
    return x.transpose(1, 2).flatten(-2)


class SelfAttention(nn.Module):
    """MHA(X) = Concat(A_1, ..., A_h) W_O with A_j = Attention(X W_Qj, X W_Kj, X W_Vj).

    W_Q, W_K and W_V stand side by side in one matrix, so that one product computes all three.

    Args:
        d_model: width of a row.
        h: number of heads; divides d_model.
        attention: the attention function; a learner's own fits here.

    Source: A24 to A27 with the head width of B06. Chapters 04 and 09.
    """

    def __init__(self, d_model: int, h: int, attention: Attention = fused_attention) -> None:
        super().__init__()
        self.h = h
        self.attention: Attention = attention
        self.W_QKV = Linear(d_model, 3 * d_model)
        self.W_O = Linear(d_model, d_model)

    def forward(
        self,
        X: Float[Tensor, "batch m d_model"],
        mask: Bool[Tensor, "#batch #h #m n"] | None = None,
        causal: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Float[Tensor, "batch m d_model"], KeyValueCache | None]:
        """Attends within X, or from X to all cached positions and itself; returns the new cache."""
        Q, K, V = (split_heads(part, self.h) for part in self.W_QKV(X).chunk(3, dim=-1))
        if cache is not None:
            cache = cache.append(K, V)
            K, V = cache.K, cache.V
        A, _ = self.attention(Q, K, V, mask, causal)
        return self.W_O(merge_heads(A)), cache


class CrossAttention(nn.Module):
    """Queries from the decoder, keys and values from the encoder's output (chapter 06).

    Args:
        d_model: width of a row.
        h: number of heads; divides d_model.
        attention: the attention function; a learner's own fits here.

    Source: A15, A16, B17, D04. Chapters 06 and 09.
    """

    def __init__(self, d_model: int, h: int, attention: Attention = fused_attention) -> None:
        super().__init__()
        self.h = h
        self.attention: Attention = attention
        self.W_Q = Linear(d_model, d_model)
        self.W_KV = Linear(d_model, 2 * d_model)
        self.W_O = Linear(d_model, d_model)

    def keys_values(
        self, H_E: Float[Tensor, "batch n d_model"]
    ) -> tuple[Float[Tensor, "batch h n d_k"], Float[Tensor, "batch h n d_k"]]:
        """K_C and V_C, which depend on the source alone: once a sentence, whatever is decoded."""
        K, V = self.W_KV(H_E).chunk(2, dim=-1)
        return split_heads(K, self.h), split_heads(V, self.h)

    def forward(
        self,
        X: Float[Tensor, "batch m d_model"],
        K: Float[Tensor, "batch h n d_k"],
        V: Float[Tensor, "batch h n d_k"],
        mask: Bool[Tensor, "#batch #h #m n"] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """Each of the m rows of X asks the n source positions."""
        A, _ = self.attention(split_heads(self.W_Q(X), self.h), K, V, mask)
        return self.W_O(merge_heads(A))
