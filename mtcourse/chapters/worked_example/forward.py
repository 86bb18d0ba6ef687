"""The forward pass of document B's model, one named matrix after the other (chapter 11).

Each line is an equation of an earlier chapter. A step's name ends in its place: ``E`` for the
encoder's self-attention and network, ``D`` for the decoder's, ``C`` for cross-attention. The digit
before it tells heads, or sublayers, apart: ``weights_2_C`` are those of the second head, and
``sum_2_E`` is what the encoder's second layer normalisation reads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.positions import angular_speeds

HEADS = 2
EPSILON = 1e-5
"""What layer normalisation adds to the variance, inside the root."""

Weights = Mapping[str, Tensor]
Steps = dict[str, Tensor]


def position_table(length: int, d_model: int) -> Float[Tensor, "length d_model"]:
    """PE(pos, 2i) = sin(pos omega_i), PE(pos, 2i+1) = cos(pos omega_i), in double precision.

    Args:
        length: number of positions, from 0.
        d_model: width of a row, an even one.

    Source: B02, with omega_i = 10000^(-2i / d_model). Chapter 3.
    """
    angles = torch.arange(length, dtype=torch.float64)[:, None] * angular_speeds(d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def normalised_rows(
    X: Float[Tensor, "n d"],
) -> tuple[Float[Tensor, "n d"], Float[Tensor, "n 1"]]:
    """(x - mu) / sigma for each row x, and sigma = sqrt(mean((x - mu)^2) + epsilon).

    Source: what B11 and B13 do before gain and bias. Chapter 10.
    """
    centred = X - X.mean(-1, keepdim=True)
    sigma = (centred.square().mean(-1, keepdim=True) + EPSILON).sqrt()
    return centred / sigma, sigma


def forward_pass(
    weights: Weights,
    source: Int[Tensor, " n"],
    decoder_input: Int[Tensor, " m"],
    source_mask: Bool[Tensor, " n"],
) -> Steps:
    """Every matrix of the model by its name, from ``X_embedded`` to ``probabilities``.

    Args:
        weights: by name, such as ``W_Q_E``; the tables are ``W_E_X`` and ``W_E_Y``.
        source: source ids, one for each of the n tokens.
        decoder_input: target ids that the decoder reads, from <BOS>.
        source_mask: True where a source token is real.

    Source: B, steps 1 to 7, with one layer in place of six. Chapter 11.
    """
    s = Steps()
    encoder_steps(weights, s, source, source_mask)
    decoder_steps(weights, s, decoder_input, source_mask)
    return s


def encoder_steps(
    w: Weights, s: Steps, source: Int[Tensor, " n"], source_mask: Bool[Tensor, " n"]
) -> None:
    """Adds to ``s`` the encoder, from ``X_embedded`` to ``X_encoder`` (B, steps 1 to 4).

    Args:
        w: the parameters by name.
        s: gets the new steps.
        source: source ids.
        source_mask: True where a source token is real.
    """
    n, d_model = len(source), w["W_E_X"].shape[1]
    s["X_embedded"] = w["W_E_X"][source]  # B01
    s["PE"] = position_table(n, d_model)  # B02
    s["X_input"] = s["X_embedded"] + s["PE"]  # B04
    attention_steps("E", w, s, s["X_input"], s["X_input"], source_mask.expand(n, n))
    s["X_1"] = add_and_norm("1_E", w, s, s["X_input"], s["output_E"])  # B11
    network_steps("E", w, s, s["X_1"])
    s["X_encoder"] = add_and_norm("2_E", w, s, s["X_1"], s["network_E"])  # B13


def decoder_steps(
    w: Weights, s: Steps, decoder_input: Int[Tensor, " m"], source_mask: Bool[Tensor, " n"]
) -> None:
    """Adds to ``s`` the decoder, from ``Y_embedded`` to ``probabilities`` (B15 to B18).

    Args:
        w: the parameters by name.
        s: holds ``X_encoder``; gets the new steps.
        decoder_input: target ids, from <BOS>.
        source_mask: True where a source token is real.
    """
    m, n = len(decoder_input), len(source_mask)
    s["Y_embedded"] = w["W_E_Y"][decoder_input]
    s["Y_input"] = s["Y_embedded"] + position_table(m, w["W_E_Y"].shape[1])  # B15
    attention_steps("D", w, s, s["Y_input"], s["Y_input"], causal_mask(m))  # B16
    s["Y_1"] = add_and_norm("1_D", w, s, s["Y_input"], s["output_D"])
    attention_steps("C", w, s, s["Y_1"], s["X_encoder"], source_mask.expand(m, n))  # B17
    s["Y_2"] = add_and_norm("2_D", w, s, s["Y_1"], s["output_C"])
    network_steps("D", w, s, s["Y_2"])
    s["Y_decoder"] = add_and_norm("3_D", w, s, s["Y_2"], s["network_D"])
    s["logits"] = s["Y_decoder"] @ w["W_output"]  # B18
    s["probabilities"] = torch.softmax(s["logits"], dim=-1)  # B18


def attention_steps(
    place: str,
    w: Weights,
    s: Steps,
    X: Float[Tensor, "m d_model"],
    Z: Float[Tensor, "n d_model"],
    allowed: Bool[Tensor, "m n"],
) -> None:
    """Adds to ``s`` an attention from the rows X to the rows Z: ``Q_E`` to ``output_E``.

    For each head: scores = Q_j K_j^T / sqrt(d_k), weights = softmax, head = weights V_j. Then
    output = Concat(head_1, ..., head_h) W_O.

    Args:
        place: E, D or C.
        w: ``W_Q_E``, ``W_K_E``, ``W_V_E``, ``W_O_E`` and likewise for the other places.
        s: gets the new steps.
        X: the rows that queries come from.
        Z: the rows that keys and values come from.
        allowed: True where query i may attend to key j.

    Source: B06 to B10, B16, B17; W_O, which B leaves out, from A27. Chapters 4 to 6 and 9.
    """
    Q = s[f"Q_{place}"] = X @ w[f"W_Q_{place}"]
    K = s[f"K_{place}"] = Z @ w[f"W_K_{place}"]
    V = s[f"V_{place}"] = Z @ w[f"W_V_{place}"]
    d_k = Q.shape[1] // HEADS  # B06
    for head in range(HEADS):
        own = slice(head * d_k, (head + 1) * d_k)
        name = f"{head + 1}_{place}"
        s[f"scores_{name}"] = Q[:, own] @ K[:, own].T / math.sqrt(d_k)  # B08
        s[f"weights_{name}"] = attention_weights(s[f"scores_{name}"], allowed)  # B09
        s[f"head_{name}"] = s[f"weights_{name}"] @ V[:, own]  # B10
    s[f"heads_{place}"] = torch.cat([s[f"head_{j + 1}_{place}"] for j in range(HEADS)], dim=-1)
    s[f"output_{place}"] = s[f"heads_{place}"] @ w[f"W_O_{place}"]


def network_steps(place: str, w: Weights, s: Steps, X: Float[Tensor, "n d_model"]) -> None:
    """Adds to ``s`` the position-wise network: ReLU(X W_1 + b_1) W_2 + b_2 (B12; chapter 10).

    Args:
        place: E or D.
        w: ``W_1_E``, ``b_1_E``, ``W_2_E``, ``b_2_E``, and likewise for D.
        s: gets ``before_E``, ``hidden_E`` and ``network_E``.
        X: a row for each token.
    """
    s[f"before_{place}"] = X @ w[f"W_1_{place}"] + w[f"b_1_{place}"]
    s[f"hidden_{place}"] = s[f"before_{place}"].clamp(min=0)  # ReLU
    s[f"network_{place}"] = s[f"hidden_{place}"] @ w[f"W_2_{place}"] + w[f"b_2_{place}"]


def add_and_norm(
    name: str, w: Weights, s: Steps, X: Float[Tensor, "n d"], F: Float[Tensor, "n d"]
) -> Float[Tensor, "n d"]:
    """LayerNorm(X + F) = gamma (x - mu) / sigma + beta, row by row: post-norm (B11, B13).

    Args:
        name: the norm's number and place, such as ``1_E``.
        w: gain and bias, ``gamma_1_E`` and ``beta_1_E``.
        s: gets ``sum_1_E``, ``sigma_1_E`` and ``unit_1_E``.
        X: what went into the sublayer.
        F: what came out of it.
    """
    s[f"sum_{name}"] = X + F
    s[f"unit_{name}"], s[f"sigma_{name}"] = normalised_rows(s[f"sum_{name}"])
    return s[f"unit_{name}"] * w[f"gamma_{name}"] + w[f"beta_{name}"]


def loss_steps(s: Steps, labels: Int[Tensor, " m"]) -> Steps:
    """Adds ``losses``, -log p of each label, and ``loss``, their mean, to the steps.

    Args:
        s: of ``forward_pass``.
        labels: the decoder's input without <BOS>, and <EOS>.

    Source: C04; A21. Chapter 8.
    """
    of_labels = s["probabilities"].gather(-1, labels[:, None]).squeeze(-1)
    s["losses"] = -of_labels.log()
    s["loss"] = s["losses"].mean()
    return s
