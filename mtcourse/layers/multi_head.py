"""Several attentions side by side, each of the full width or on a slice of it (chapter 9)."""

from __future__ import annotations

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from mtcourse.errors import MtcourseError
from mtcourse.fast.linear import Linear
from mtcourse.layers.attention import Attention, fused_attention, scaled_dot_product_attention
from mtcourse.layers.kv_cache import KeyValueCache


def split_heads(
    x: Float[Tensor, "batch length d_model"], h: int
) -> Float[Tensor, "batch h length d_k"]:
    """Splits each row into h slices of d_k = d_model / h numbers, for h heads (B06; chapter 9)."""
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def merge_heads(
    x: Float[Tensor, "batch h length d_k"],
) -> Float[Tensor, "batch length d_model"]:
    """Concat(A_1, ..., A_h), the inverse of ``split_heads`` (A26; chapter 9)."""
    return x.transpose(1, 2).flatten(-2)


def head_width(d_model: int, h: int) -> int:
    """d_k = d_model / h, the width of a head where h heads share the width (B06; chapter 9).

    Args:
        d_model: width of a row.
        h: number of heads.

    Raises:
        MtcourseError: h does not divide the width.
    """
    if h < 1 or d_model % h:
        raise MtcourseError(f"{h} heads cannot share a width of {d_model} evenly")
    return d_model // h


def head_outputs(
    X: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "h d_model d_k"],
    W_K: Float[Tensor, "h d_model d_k"],
    W_V: Float[Tensor, "h d_model d_v"],
    mask: Bool[Tensor, "*#batch #n n"] | None = None,
) -> Float[Tensor, "*batch h n d_v"]:
    """A_j = softmax(Q_j K_j^T / sqrt(d_k)) V_j with Q_j = X W_Qj, and likewise K_j, V_j.

    Args:
        X: one row for each token.
        W_Q: for each head, the matrix that gives its queries.
        W_K: likewise its keys.
        W_V: likewise its values.
        mask: True where token i may attend to token j, the same for all heads.

    Source: A24 and A25, where d_k is d_model. Chapter 9.
    """
    X = X.unsqueeze(-3)  # the same rows for each head
    for_all_heads = None if mask is None else mask.unsqueeze(-3)
    return scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V, for_all_heads)[0]


def multi_head_attention(
    X: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "h d_model d_k"],
    W_K: Float[Tensor, "h d_model d_k"],
    W_V: Float[Tensor, "h d_model d_k"],
    W_O: Float[Tensor, "h*d_k d_model"],
    mask: Bool[Tensor, "*#batch #n n"] | None = None,
) -> Float[Tensor, "*batch n d_model"]:
    """MHA(X) = Concat(A_1, ..., A_h) W_O, with heads of any width d_k.

    Heads of full width have d_k = d_model, heads that share the width d_k = d_model / h.

    Args:
        X: one row for each token.
        W_Q: for each head, the matrix that gives its queries.
        W_K: likewise its keys.
        W_V: likewise its values.
        W_O: mixes the heads; rows j d_k to (j + 1) d_k - 1 belong to head j, counted from 0.
        mask: True where token i may attend to token j, the same for all heads.

    Source: A24 to A27 with d_k = d_model; B06 with d_k = d_model / h. Chapter 9.
    """
    A = head_outputs(X, W_Q, W_K, W_V, mask)
    return A.transpose(-3, -2).flatten(-2) @ W_O


def head_contributions(
    A: Float[Tensor, "*batch h n d_k"], W_O: Float[Tensor, "h*d_k d_model"]
) -> Float[Tensor, "*batch h n d_model"]:
    """A_j W_O^j, head by head: their sum is Concat(A_1, ..., A_h) W_O (A26, A27; chapter 9).

    Args:
        A: the outputs of the heads.
        W_O: its rows are cut into one block for each head.
    """
    return A @ W_O.unflatten(0, (A.shape[-3], A.shape[-1]))


def contribution_norms(
    weights: Float[Tensor, "*batch h m n"],
    V: Float[Tensor, "*batch h n d_k"],
    W_O: Float[Tensor, "h*d_k d_model"],
) -> Float[Tensor, "*batch h m n"]:
    """alpha_ij * norm(V_j W_O^k): the length of what head k adds to row i because of position j.

    A large weight on a short value adds little, so these lengths can rank positions otherwise than
    the weights do.

    Args:
        weights: of each head, one row for each query.
        V: its values.
        W_O: its rows are cut into one block for each head.

    Source: Kobayashi et al. (2020), with document A's W_O (A27). Chapter 17.
    """
    return weights * head_contributions(V, W_O).norm(dim=-1).unsqueeze(-2)


def split_head_attention(
    X: Float[Tensor, "*batch n d_model"],
    W_Q: Float[Tensor, "d_model d_model"],
    W_K: Float[Tensor, "d_model d_model"],
    W_V: Float[Tensor, "d_model d_model"],
    W_O: Float[Tensor, "d_model d_model"],
    h: int,
    mask: Bool[Tensor, "*#batch #n n"] | None = None,
) -> Float[Tensor, "*batch n d_model"]:
    """Multi-head attention with a shared width: head j has columns j d_k to (j + 1) d_k - 1.

    Args:
        X: one row for each token.
        W_Q: gives the queries of all heads in one product.
        W_K: likewise the keys.
        W_V: likewise the values.
        W_O: mixes the heads.
        h: number of heads; divides d_model.
        mask: True where token i may attend to token j, the same for all heads.

    Source: B06; Vaswani et al. (2017), section 3.2.2. Chapter 9.
    """
    of_heads = _stacked(W_Q, h), _stacked(W_K, h), _stacked(W_V, h)
    return multi_head_attention(X, *of_heads, W_O, mask)


def as_full_width(
    W_Q: Float[Tensor, "d d"],
    W_K: Float[Tensor, "d d"],
    W_V: Float[Tensor, "d d"],
    W_O: Float[Tensor, "d d"],
    h: int,
) -> tuple[
    Float[Tensor, "h d d"], Float[Tensor, "h d d"], Float[Tensor, "h d d"], Float[Tensor, "h*d d"]
]:
    """Full-width heads that compute what h split heads compute (A24 to A27 with B06; chapter 9).

    Head j keeps its own columns of W_Q, W_K and W_V, and zeros elsewhere; its block of W_O keeps
    its own rows. W_Q is also multiplied by sqrt(h), since scores are divided by sqrt(d) and no
    longer by sqrt(d / h).

    Args:
        W_Q: of the split heads.
        W_K: likewise.
        W_V: likewise.
        W_O: likewise.
        h: number of heads; divides d.
    """
    d = len(W_Q)
    owner = torch.arange(d, device=W_Q.device) // head_width(d, h)
    own = owner == torch.arange(h, device=W_Q.device)[:, None]  # (h, d)
    columns, rows = own[:, None, :], own[:, :, None]
    stacked = math.sqrt(h) * W_Q * columns, W_K * columns, W_V * columns
    return *stacked, (W_O * rows).flatten(0, 1)


def multi_head_parameters(d_model: int, h: int, d_k: int) -> int:
    """4 h d_model d_k: for each head three matrices and a block of W_O; no biases (A24, A27, B06).

    With d_k = d_model that is 4 h d_model^2, with d_k = d_model / h it is 4 d_model^2. Chapter 9.
    """
    return 4 * h * d_model * d_k


def multi_head_flops(n: int, d_model: int, h: int, d_k: int) -> int:
    """8 n h d_model d_k + 4 n^2 h d_k: four products by matrices, scores, and means of values.

    A multiplication and an addition count as two. The softmax is not counted; a mask
    saves no product. Source: A24 to A27, B06. Chapter 9.

    Args:
        n: number of tokens.
        d_model: width of a row.
        h: number of heads.
        d_k: width of a head's queries, keys and values.
    """
    return 8 * n * h * d_model * d_k + 4 * n**2 * h * d_k


def _stacked(W: Tensor, h: int) -> Tensor:
    """The columns of each head as a matrix of its own, (h, d_model, d_k)."""
    return W.unflatten(-1, (h, head_width(W.shape[-1], h))).movedim(-2, 0)


class MultiHeadAttention(nn.Module):
    """``multi_head_attention`` with weights to learn: heads of any width, no biases (A24 to A27).

    Args:
        d_model: width of a row.
        h: number of heads.
        d_k: width of a head; d_model as in document A, or d_model / h as in B.
        seed: of the initial weights.

    Chapter 9.
    """

    def __init__(self, d_model: int, h: int, d_k: int, seed: int = 0) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)

        def drawn(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(shape, generator=generator) / math.sqrt(shape[-2]))

        self.W_Q, self.W_K, self.W_V = (drawn(h, d_model, d_k) for _ in range(3))
        self.W_O = drawn(h * d_k, d_model)

    def forward(
        self,
        X: Float[Tensor, "*batch n d_model"],
        mask: Bool[Tensor, "*#batch #n n"] | None = None,
    ) -> Float[Tensor, "*batch n d_model"]:
        """Attends within X."""
        return multi_head_attention(X, self.W_Q, self.W_K, self.W_V, self.W_O, mask)


class SelfAttention(nn.Module):
    """MHA(X) = Concat(A_1, ..., A_h) W_O with A_j = Attention(X W_Qj, X W_Kj, X W_Vj).

    W_Q, W_K and W_V stand side by side in one matrix, so that one product computes all three.

    Args:
        d_model: width of a row.
        h: number of heads; divides d_model.
        attention: the attention function; a learner's own fits here.

    Source: A24 to A27 with the head width of B06. Chapters 4 and 9.
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
    """Queries from the decoder, keys and values from the encoder's output (chapter 6).

    Args:
        d_model: width of a row.
        h: number of heads; divides d_model.
        attention: the attention function; a learner's own fits here.

    Source: A15, A16, B17, D04. Chapters 6 and 9.
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
        """K_C and V_C, which depend only on the source: one call serves all decoding steps."""
        K, V = self.W_KV(H_E).chunk(2, dim=-1)
        return split_heads(K, self.h), split_heads(V, self.h)

    def forward(
        self,
        X: Float[Tensor, "batch m d_model"],
        K: Float[Tensor, "batch h n d_k"],
        V: Float[Tensor, "batch h n d_k"],
        mask: Bool[Tensor, "#batch #h #m n"] | None = None,
    ) -> Float[Tensor, "batch m d_model"]:
        """Each of the m rows of X attends to the n source positions."""
        A, _ = self.attention(split_heads(self.W_Q(X), self.h), K, V, mask)
        return self.W_O(merge_heads(A))
