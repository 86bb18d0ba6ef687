"""The training loss: cross-entropy with smoothing (chapter 8).

``label_smoothed_loss`` and its fast twin, ``mtcourse.fast.chunked_loss``, return the **sum** over
the target tokens that are not padding. The training loop divides once, by the number of target
tokens of the whole update, over all accumulation steps and processes. So every token has the same
weight, whichever batch it came in; in a mean of means it would not.
"""

from __future__ import annotations

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.fast.chunked_loss import kept_tokens, wide_type


def perplexity(mean_loss: float) -> float:
    """exp(mean loss per token): among how many equally likely tokens the model might as well guess.

    Args:
        mean_loss: mean cross-entropy per token in nats, without label smoothing.
    """
    return math.exp(mean_loss) if mean_loss < math.log(torch.finfo(torch.float64).max) else math.inf


def cross_entropy(
    logits: Float[Tensor, "*batch V"],
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.0,
    ignore: int = 0,
) -> Float[Tensor, ""]:
    """The mean of ``label_smoothed_loss`` over the labels that are not padding.

    Args:
        logits: scores of the V classes for each token.
        labels: the right class of each token.
        smoothing: ε, the share of the target distribution that is spread over all classes.
        ignore: the label that marks padding.

    Raises:
        MtcourseError: every label is padding, so there is no token to average over.

    Source: A19, which averages over sentences; toolkits average over tokens. Chapter 8.
    """
    count = int((labels != ignore).sum())
    if count == 0:
        raise MtcourseError(
            f"all {labels.numel()} labels are padding ({ignore}): there is no token to average the "
            "loss over; leave such batches out"
        )
    return label_smoothed_loss(logits, labels, smoothing, ignore) / count


def label_smoothed_loss(
    logits: Float[Tensor, "*batch V"],
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.0,
    ignore: int = 0,
) -> Float[Tensor, ""]:
    """The plain equation, summed over the tokens t whose label y_t is not padding.

    L = − Σ_t Σ_k q_t[k] log softmax(logits_t)[k],   q_t = (1 − ε) onehot(y_t) + ε uniform

    The uniform distribution is over the classes that are possible at t. A class whose logit is −inf
    is impossible. It gets no smoothing mass, because ε · log 0 would make the loss infinite. Only a
    *label* whose own logit is −inf gives an infinite loss: there, model and data contradict each
    other.

    Args:
        logits: scores of the V classes for each token.
        labels: the right class of each token.
        smoothing: ε, at least 0 and below 1.
        ignore: the label that marks padding; such tokens add nothing, not even smoothing.

    Raises:
        MtcourseError: a label is not a class, or ε is out of range.

    Source: A19, C04; smoothing: Szegedy et al. 2016, Vaswani et al. 2017 (ε = 0.1). Chapter 8.
    """
    kept = kept_tokens(labels, logits.shape[-1], smoothing, ignore)
    labels = labels.reshape(-1)[kept]
    log_p = torch.log_softmax(
        logits.reshape(-1, logits.shape[-1])[kept], dim=-1, dtype=wide_type(logits.dtype)
    )
    of_label = log_p.gather(1, labels[:, None]).sum()
    if smoothing == 0:
        return -of_label
    possible = log_p > -math.inf
    of_all = torch.where(possible, log_p, 0).sum(dim=-1) / possible.sum(dim=-1)
    return -(1 - smoothing) * of_label - smoothing * of_all.sum()
