"""Cross-entropy from likelihood, its gradient, and a step of descent: the equations (chapter 8).

``mtcourse.training.loss`` computes the same losses fast. Here each equation of the chapter is a
function of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError

WEIGHTINGS = ("sum", "sentences", "tokens", "tokens of each sentence")
"""The ways to divide a sum of token losses, as ``corpus_loss`` names them."""


def token_losses(
    logits: Float[Tensor, "*batch V"], labels: Int[Tensor, "*batch"], ignore: int = 0
) -> Float[Tensor, "*batch"]:
    """-log softmax(u_j)[y_j] at each position j, and 0 at padding: the terms of every loss (C04).

    Computes log softmax(u)[y] = u[y] - log sum_k exp(u[k]) after subtracting the largest logit, so
    that no probability is rounded to 0 before its logarithm is taken. Chapter 8.

    Args:
        logits: u_j, a score for each of the V classes at each position.
        labels: y_j, the right class at each position.
        ignore: the label that marks padding.
    """
    log_p = torch.log_softmax(logits, dim=-1)
    losses = -log_p.gather(-1, labels[..., None]).squeeze(-1)
    return losses.masked_fill(labels == ignore, 0.0)


def sequence_loss(
    probabilities: Float[Tensor, "*batch m V"], labels: Int[Tensor, "*batch m"]
) -> Float[Tensor, "*batch"]:
    """L = -sum_n log y_{n, t_n}: minus the log-likelihood of one sequence (C04; chapter 8).

    Args:
        probabilities: y_n, the predicted distribution at each position.
        labels: t_n, the right class at each position, without padding.
    """
    return -probabilities.gather(-1, labels[..., None]).squeeze(-1).log().sum(-1)


def corpus_loss(
    losses: Float[Tensor, "N m"], counts: Int[Tensor, " N"], weighting: str = "tokens"
) -> Float[Tensor, ""]:
    """The loss of N sentences from the losses of their tokens, in one of four weightings.

    - ``sum``: sum_i sum_j l_ij (C05).
    - ``sentences``: the sum divided by N (A19).
    - ``tokens``: the sum divided by sum_i m_i, as in toolkits.
    - ``tokens of each sentence``: (1/N) sum_i (1/m_i) sum_j l_ij.

    Chapter 8.

    Args:
        losses: l_ij as ``token_losses`` gives them, 0 at padding.
        counts: m_i, the tokens of each sentence without padding.
        weighting: one of ``WEIGHTINGS``.

    Raises:
        MtcourseError: a sentence has no token, or there is no such weighting.
    """
    if not (counts > 0).all() or len(counts) == 0:
        raise MtcourseError(f"every sentence needs a token to take a mean of: {counts.tolist()}")
    of_sentence = losses.sum(-1)
    if weighting == "sum":
        return of_sentence.sum()
    if weighting == "sentences":
        return of_sentence.mean()
    if weighting == "tokens":
        return of_sentence.sum() / counts.sum()
    if weighting == "tokens of each sentence":
        return (of_sentence / counts).mean()
    raise MtcourseError(f"there is no weighting {weighting!r}: take one of {WEIGHTINGS}")


def smoothed_targets(
    labels: Int[Tensor, "*batch"], V: int, smoothing: float, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*batch V"]:
    """q = (1 - ε) onehot(y) + ε / V: the target of a smoothed loss (A19 if ε is 0; chapter 8).

    Args:
        labels: y, the right class at each position.
        V: how many classes there are.
        smoothing: ε, from 0 to 1.
        dtype: of the result.
    """
    onehot = torch.nn.functional.one_hot(labels, V).to(dtype)
    return (1 - smoothing) * onehot + smoothing / V


def logit_gradient(
    logits: Float[Tensor, "*batch V"],
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.0,
    ignore: int = 0,
) -> Float[Tensor, "*batch V"]:
    """∂L/∂U = softmax(U) - q for the summed loss, and 0 in the rows of padding (A22, C05).

    The probability that each word got, less the one that it should have got. If the loss is divided
    by something, divide the gradient by the same. Chapter 8.

    Args:
        logits: U, a row for each position.
        labels: the right class of each row.
        smoothing: ε of q; 0 makes q the one-hot row.
        ignore: the label that marks padding.
    """
    targets = smoothed_targets(labels, logits.shape[-1], smoothing, logits.dtype)
    gradient = torch.softmax(logits, dim=-1) - targets
    return gradient.masked_fill((labels == ignore)[..., None], 0.0)


def descend(
    weights: Mapping[str, Tensor], gradients: Mapping[str, Tensor], rate: float
) -> dict[str, Tensor]:
    """W <- W - η ∂L/∂W for every weight at once: one step of gradient descent (A21; chapter 8).

    Args:
        weights: by name; they stay as they are.
        gradients: one for each weight, of its shape, all computed before any weight moves.
        rate: η, the learning rate.

    Raises:
        MtcourseError: a weight has no gradient, or a gradient has no weight.
    """
    if set(weights) != set(gradients):
        alone = sorted(set(weights) ^ set(gradients))
        raise MtcourseError(f"weights and gradients do not belong together: {', '.join(alone)}")
    return {name: W - rate * gradients[name] for name, W in weights.items()}


def entropy_of_targets(V: int, smoothing: float) -> float:
    """The lowest possible smoothed loss: the entropy of q, in nats per token (chapter 8).

    Args:
        V: how many classes there are.
        smoothing: ε.
    """
    right, other = 1 - smoothing + smoothing / V, smoothing / V
    return -right * math.log(right) - (V - 1) * (other * math.log(other) if other else 0.0)
