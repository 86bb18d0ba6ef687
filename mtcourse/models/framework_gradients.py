"""The gradient of every weight of document A's model, by hand (chapter 8).

Section 4.1 of document A begins to put one equation into the next. Here the chain rule follows
these equations back to their end. ``X_bar`` is ∂L/∂X, in the shape of X, for any matrix X of the
forward pass. Each function is one rule. Batch dimensions come first; the gradient of a weight is
summed over them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.layers.attention import attention_weights, queries_keys_values, scaled_scores
from mtcourse.layers.embeddings import embed, embedding_gradient
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.framework_model import FrameworkModel, feed_forward, vocabulary_logits

Weights = Mapping[str, Tensor]


def log_probabilities(
    H_D: Float[Tensor, "*batch m d"], W_O: Float[Tensor, "d V_t"]
) -> Float[Tensor, "*batch m V_t"]:
    """log softmax(H_D W_O)_{jk}, the logarithm of y-hat_j[k] in A22 (chapter 8)."""
    return torch.log_softmax(vocabulary_logits(H_D, W_O), dim=-1)


def probabilities_from_attention(
    A_C: Float[Tensor, "*batch m d"],
    W_1_D: Float[Tensor, "d d"],
    W_2_D: Float[Tensor, "d d"],
    W_O: Float[Tensor, "d V_t"],
) -> Float[Tensor, "*batch m V_t"]:
    """softmax(ReLU(A_C W_1^D) W_2^D W_O): the recursion, one step further (A23; chapter 8)."""
    return log_probabilities(feed_forward(A_C, W_1_D, W_2_D), W_O).exp()


@dataclass(frozen=True)
class AttentionRecord:
    """An attention, with all matrices that its gradient needs.

    Args:
        X: the rows that the queries come from.
        Z: the rows that keys and values come from.
        Q: queries, X W_Q.
        K: keys, Z W_K.
        V: values, Z W_V.
        alpha: the weights.
        A: the output, alpha V.
    """

    X: Float[Tensor, "batch m d"]
    Z: Float[Tensor, "batch n d"]
    Q: Float[Tensor, "batch m d"]
    K: Float[Tensor, "batch n d"]
    V: Float[Tensor, "batch n d"]
    alpha: Float[Tensor, "batch m n"]
    A: Float[Tensor, "batch m d"]


@dataclass(frozen=True)
class ForwardRecord:
    """All matrices of one forward pass that the way back needs.

    Args:
        source: the ids that the encoder reads.
        target: the ids that the decoder reads.
        encoder: the encoder's self-attention.
        H_E: the encoder's output.
        decoder: the decoder's masked self-attention.
        cross: the cross-attention.
        H_D: the decoder's output.
        U: the logits, H_D W_O.
    """

    source: Int[Tensor, "batch n"]
    target: Int[Tensor, "batch m"]
    encoder: AttentionRecord
    H_E: Float[Tensor, "batch n d"]
    decoder: AttentionRecord
    cross: AttentionRecord
    H_D: Float[Tensor, "batch m d"]
    U: Float[Tensor, "batch m V_t"]


def forward_record(
    weights: Weights,
    source: Int[Tensor, "batch n"],
    target: Int[Tensor, "batch m"],
    source_mask: Bool[Tensor, "batch 1 1 n"] | None = None,
    target_positions: bool = False,
) -> ForwardRecord:
    """Runs the model's equations in order and keeps each result (A23).

    Args:
        weights: by their names in ``FrameworkModel``.
        source: source ids, padded with 0.
        target: the ids that the decoder reads.
        source_mask: True where a source token is not padding.
        target_positions: whether to add P to the target's embeddings.

    Source: A03 to A18, in the order of the substitution in A23. Chapter 8.
    """
    w = weights
    allowed = None if source_mask is None else source_mask[:, 0]
    H = _with_positions(embed(source, w["W_E_X"]))
    encoder = _attend(H, H, w["W_Q_E"], w["W_K_E"], w["W_V_E"], allowed)
    H_E = feed_forward(encoder.A, w["W_1_E"], w["W_2_E"])
    G = embed(target, w["W_E_Y"])
    G = _with_positions(G) if target_positions else G
    causal = causal_mask(target.shape[-1], device=target.device)
    decoder = _attend(G, G, w["W_Q_D"], w["W_K_D"], w["W_V_D"], causal)
    cross = _attend(decoder.A, H_E, w["W_Q_C"], w["W_K_C"], w["W_V_C"], allowed)
    H_D = feed_forward(cross.A, w["W_1_D"], w["W_2_D"])
    U = vocabulary_logits(H_D, w["W_O"])
    return ForwardRecord(source, target, encoder, H_E, decoder, cross, H_D, U)


def product_gradients(
    X: Float[Tensor, "*batch n a"], W: Float[Tensor, "a b"], Y_bar: Float[Tensor, "*batch n b"]
) -> tuple[Float[Tensor, "*batch n a"], Float[Tensor, "a b"]]:
    """For Y = X W: X_bar = Y_bar W^T and W_bar = X^T Y_bar, summed over the batch (chapter 8)."""
    return Y_bar @ W.T, X.flatten(0, -2).T @ Y_bar.flatten(0, -2)


def relu_gradient(
    F: Float[Tensor, "*batch d"], R_bar: Float[Tensor, "*batch d"]
) -> Float[Tensor, "*batch d"]:
    """For R = ReLU(F): F_bar is R_bar where F > 0, and 0 elsewhere (chapter 8)."""
    return R_bar * (F > 0)


def feed_forward_gradients(
    A: Float[Tensor, "*batch n d"],
    W_1: Float[Tensor, "d d_ff"],
    W_2: Float[Tensor, "d_ff d"],
    H_bar: Float[Tensor, "*batch n d"],
) -> tuple[Float[Tensor, "*batch n d"], Float[Tensor, "d d_ff"], Float[Tensor, "d_ff d"]]:
    """For H = ReLU(A W_1) W_2: A_bar, W_1_bar, W_2_bar (A08, A17, A23; chapter 8)."""
    F = A @ W_1
    R_bar, W_2_bar = product_gradients(torch.relu(F), W_2, H_bar)
    A_bar, W_1_bar = product_gradients(A, W_1, relu_gradient(F, R_bar))
    return A_bar, W_1_bar, W_2_bar


def softmax_gradient(
    alpha: Float[Tensor, "*batch n"], alpha_bar: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n"]:
    """For alpha = softmax(s): s_bar = alpha * (alpha_bar - alpha^T alpha_bar), row by row.

    This is (diag(alpha) - alpha alpha^T) alpha_bar without forming the matrix. Where a mask has
    made a weight 0, its gradient is 0, too. Chapters 4 and 8.
    """
    return alpha * (alpha_bar - (alpha * alpha_bar).sum(-1, keepdim=True))


def attention_gradients(
    Q: Float[Tensor, "*batch m d_k"],
    K: Float[Tensor, "*batch n d_k"],
    V: Float[Tensor, "*batch n d_v"],
    alpha: Float[Tensor, "*batch m n"],
    A_bar: Float[Tensor, "*batch m d_v"],
) -> tuple[
    Float[Tensor, "*batch m d_k"], Float[Tensor, "*batch n d_k"], Float[Tensor, "*batch n d_v"]
]:
    """For A = softmax(Q K^T / sqrt(d_k) + M) V: Q_bar, K_bar, V_bar (A07, A14, A16; chapter 8).

    V_bar = alpha^T A_bar, alpha_bar = A_bar V^T, S_bar by ``softmax_gradient``, then
    Q_bar = S_bar K / sqrt(d_k) and K_bar = S_bar^T Q / sqrt(d_k).
    """
    V_bar = alpha.mT @ A_bar
    S_bar = softmax_gradient(alpha, A_bar @ V.mT) / math.sqrt(Q.shape[-1])
    return S_bar @ K, S_bar.mT @ Q, V_bar


def framework_gradients(
    weights: Weights, record: ForwardRecord, U_bar: Float[Tensor, "batch m V_t"]
) -> dict[str, Tensor]:
    """∂L/∂W for each of the sixteen weights, from the logits back to the words (A21, A23).

    Args:
        weights: those of the forward pass, by their names in ``FrameworkModel``.
        record: the forward pass.
        U_bar: ∂L/∂U, as ``logit_gradient`` computes it. The loss enters only here.

    Source: section 4.1 of document A, continued. Chapter 8.
    """
    w, r = weights, record
    bar: dict[str, Tensor] = {}
    H_D_bar, bar["W_O"] = product_gradients(r.H_D, w["W_O"], U_bar)
    A_C_bar, bar["W_1_D"], bar["W_2_D"] = feed_forward_gradients(
        r.cross.A, w["W_1_D"], w["W_2_D"], H_D_bar
    )
    A_D_bar, H_E_bar = _through_attention(w, "C", r.cross, A_C_bar, bar)
    as_query, as_key_and_value = _through_attention(w, "D", r.decoder, A_D_bar, bar)
    G_bar = as_query + as_key_and_value
    bar["W_E_Y"] = embedding_gradient(r.target, G_bar, len(w["W_E_Y"]))
    A_bar, bar["W_1_E"], bar["W_2_E"] = feed_forward_gradients(
        r.encoder.A, w["W_1_E"], w["W_2_E"], H_E_bar
    )
    as_query, as_key_and_value = _through_attention(w, "E", r.encoder, A_bar, bar)
    H_bar = as_query + as_key_and_value
    bar["W_E_X"] = embedding_gradient(r.source, H_bar, len(w["W_E_X"]))
    return bar


def weights_of(model: FrameworkModel) -> dict[str, Tensor]:
    """The model's weights by name, detached from autograd."""
    return {name: W.detach() for name, W in model.named_parameters()}


def _through_attention(
    w: Weights, where: str, r: AttentionRecord, A_bar: Tensor, bar: dict[str, Tensor]
) -> tuple[Tensor, Tensor]:
    """Puts the gradients of the three projections into ``bar`` and returns X_bar and Z_bar."""
    Q_bar, K_bar, V_bar = attention_gradients(r.Q, r.K, r.V, r.alpha, A_bar)
    X_bar, bar[f"W_Q_{where}"] = product_gradients(r.X, w[f"W_Q_{where}"], Q_bar)
    by_keys, bar[f"W_K_{where}"] = product_gradients(r.Z, w[f"W_K_{where}"], K_bar)
    by_values, bar[f"W_V_{where}"] = product_gradients(r.Z, w[f"W_V_{where}"], V_bar)
    return X_bar, by_keys + by_values


def _attend(
    X: Tensor, Z: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor, mask: Tensor | None
) -> AttentionRecord:
    """Attention from X to Z, with all its matrices."""
    Q, K, V = queries_keys_values(X, Z, W_Q, W_K, W_V)
    alpha = attention_weights(scaled_scores(Q, K), mask)
    return AttentionRecord(X, Z, Q, K, V, alpha, alpha @ V)


def _with_positions(H: Tensor) -> Tensor:
    """H + P (A05)."""
    return H + sinusoidal_positions(H.shape[-2], H.shape[-1], device=H.device).to(H.dtype)
