"""The gradient of the loss by every matrix of the forward pass, by hand (chapter 11).

``X_bar`` is ∂L/∂X, in the shape of X. The chain rule runs through the lines of
``mtcourse.chapters.worked_example.forward`` from the last to the first: each function here belongs
to the function there that has the same beginning. A matrix that is read in two places gets the sum
of both gradients.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.chapters.worked_example.forward import HEADS, Steps, Weights
from mtcourse.layers.embeddings import embedding_gradient
from mtcourse.models.framework_gradients import softmax_gradient

Gradients = dict[str, Tensor]


def logit_gradients(
    probabilities: Float[Tensor, "m V_t"], labels: Int[Tensor, " m"]
) -> Float[Tensor, "m V_t"]:
    """(softmax(u_j) - one-hot(y_j)) / m: the gradient of the mean loss by the logits.

    Args:
        probabilities: softmax of the logits.
        labels: the right class of each row.

    Source: A19 with A22. Chapter 8.
    """
    one_hot = torch.nn.functional.one_hot(labels, probabilities.shape[1])
    return (probabilities - one_hot) / len(labels)


def norm_gradient(
    unit: Float[Tensor, "n d"], sigma: Float[Tensor, "n 1"], unit_bar: Float[Tensor, "n d"]
) -> Float[Tensor, "n d"]:
    """For u = (x - mu) / sigma: x_bar = (u_bar - mean(u_bar) - u mean(u u_bar)) / sigma, by rows.

    The two means are what a row loses because mu and sigma follow x. The formula is exact with
    epsilon inside the root, too.

    Args:
        unit: the rows u.
        sigma: their divisors.
        unit_bar: the gradient with respect to u.

    Source: the derivative of what B11 and B13 do. Chapters 10 and 11.
    """
    of_mu = unit_bar.mean(-1, keepdim=True)
    of_sigma = unit * (unit * unit_bar).mean(-1, keepdim=True)
    return (unit_bar - of_mu - of_sigma) / sigma


def backward_pass(
    weights: Weights,
    s: Steps,
    source: Int[Tensor, " n"],
    decoder_input: Int[Tensor, " m"],
    labels: Int[Tensor, " m"],
) -> Gradients:
    """∂L/∂X for each parameter and each step of the forward pass, by the names there.

    Args:
        weights: those of the forward pass.
        s: what ``forward_pass`` returned.
        source: the ids that the encoder read.
        decoder_input: the ids that the decoder read.
        labels: the ids that it should have written.

    Source: the chain rule through B, steps 7 to 1. Chapter 11.
    """
    w: Weights = weights
    bar = cast("Gradients", defaultdict(lambda: torch.zeros((), dtype=torch.float64)))

    bar["logits"] = logit_gradients(s["probabilities"], labels)
    bar["W_output"] = s["Y_decoder"].T @ bar["logits"]
    bar["Y_decoder"] = bar["logits"] @ w["W_output"].T

    _add_and_norm("3_D", w, s, bar, bar["Y_decoder"], "Y_2", "network_D")
    _network("D", w, s, bar, "Y_2")
    _add_and_norm("2_D", w, s, bar, bar["Y_2"], "Y_1", "output_C")
    _attention("C", w, s, bar, "Y_1", "X_encoder")
    _add_and_norm("1_D", w, s, bar, bar["Y_1"], "Y_input", "output_D")
    _attention("D", w, s, bar, "Y_input", "Y_input")
    bar["Y_embedded"] = bar["Y_input"]
    bar["W_E_Y"] = embedding_gradient(decoder_input, bar["Y_embedded"], len(w["W_E_Y"]))

    _add_and_norm("2_E", w, s, bar, bar["X_encoder"], "X_1", "network_E")
    _network("E", w, s, bar, "X_1")
    _add_and_norm("1_E", w, s, bar, bar["X_1"], "X_input", "output_E")
    _attention("E", w, s, bar, "X_input", "X_input")
    bar["X_embedded"] = bar["X_input"]
    bar["W_E_X"] = embedding_gradient(source, bar["X_embedded"], len(w["W_E_X"]))
    return dict(bar)


def _add_and_norm(
    name: str, w: Weights, s: Steps, bar: Gradients, Y_bar: Tensor, X: str, F: str
) -> None:
    """Y = gamma unit + beta with unit of the rows of X + F: both summands get the same gradient."""
    bar[f"gamma_{name}"] = (Y_bar * s[f"unit_{name}"]).sum(0)
    bar[f"beta_{name}"] = Y_bar.sum(0)
    bar[f"unit_{name}"] = Y_bar * w[f"gamma_{name}"]
    sum_bar = norm_gradient(s[f"unit_{name}"], s[f"sigma_{name}"], bar[f"unit_{name}"])
    bar[f"sum_{name}"] = sum_bar
    bar[X], bar[F] = bar[X] + sum_bar, sum_bar


def _network(place: str, w: Weights, s: Steps, bar: Gradients, X: str) -> None:
    """N = ReLU(X W_1 + b_1) W_2 + b_2."""
    N_bar = bar[f"network_{place}"]
    bar[f"W_2_{place}"], bar[f"b_2_{place}"] = s[f"hidden_{place}"].T @ N_bar, N_bar.sum(0)
    bar[f"hidden_{place}"] = N_bar @ w[f"W_2_{place}"].T
    before_bar = bar[f"hidden_{place}"] * (s[f"before_{place}"] > 0)
    bar[f"before_{place}"] = before_bar
    bar[f"W_1_{place}"], bar[f"b_1_{place}"] = s[X].T @ before_bar, before_bar.sum(0)
    bar[X] = bar[X] + before_bar @ w[f"W_1_{place}"].T


def _attention(place: str, w: Weights, s: Steps, bar: Gradients, X: str, Z: str) -> None:
    """output = Concat(heads) W_O, each head = softmax(Q K^T / sqrt(d_k)) V of its own columns."""
    output_bar = bar[f"output_{place}"]
    bar[f"W_O_{place}"] = s[f"heads_{place}"].T @ output_bar
    bar[f"heads_{place}"] = output_bar @ w[f"W_O_{place}"].T
    of_heads = [_head(f"{j + 1}_{place}", place, j, s, bar) for j in range(HEADS)]
    for kind, rows, parts in zip("QKV", (X, Z, Z), zip(*of_heads, strict=True), strict=True):
        bar[f"{kind}_{place}"] = torch.cat(parts, dim=-1)
        bar[f"W_{kind}_{place}"] = s[rows].T @ bar[f"{kind}_{place}"]
        bar[rows] = bar[rows] + bar[f"{kind}_{place}"] @ w[f"W_{kind}_{place}"].T


def _head(name: str, place: str, j: int, s: Steps, bar: Gradients) -> tuple[Tensor, Tensor, Tensor]:
    """Q_bar, K_bar and V_bar of head j, in its own columns (chapters 4 and 8)."""
    d_k = s[f"Q_{place}"].shape[1] // HEADS
    own = slice(j * d_k, (j + 1) * d_k)
    Q, K, V = (s[f"{kind}_{place}"][:, own] for kind in "QKV")
    head_bar = bar[f"head_{name}"] = bar[f"heads_{place}"][:, own]
    bar[f"weights_{name}"] = head_bar @ V.T
    scores_bar = softmax_gradient(s[f"weights_{name}"], bar[f"weights_{name}"])
    bar[f"scores_{name}"] = scores_bar
    scaled = scores_bar / math.sqrt(d_k)
    return scaled @ K, scaled.T @ Q, s[f"weights_{name}"].T @ head_bar
