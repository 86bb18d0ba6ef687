"""The training loss: cross-entropy with smoothing, plainly and in chunks (chapters 08, 12).

Both losses return the **sum** over the target tokens that are not padding. The training loop
divides once, by the number of target tokens of the whole update, over all accumulation steps and
processes. So every token has the same weight, whichever batch it came in; in a mean of means it
would not.
"""

from __future__ import annotations

import math
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mtcourse.errors import MtcourseError
from mtcourse.linear import linear, transposed_product


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

    Source: A19, which averages over sentences; toolkits average over tokens. Chapter 08.
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

    Source: A19, C04; smoothing: Szegedy et al. 2016, Vaswani et al. 2017 (ε = 0.1). Chapter 08.
    """
    kept = _kept_tokens(labels, logits.shape[-1], smoothing, ignore)
    labels = labels.reshape(-1)[kept]
    log_p = torch.log_softmax(
        logits.reshape(-1, logits.shape[-1])[kept], dim=-1, dtype=_wide(logits.dtype)
    )
    of_label = log_p.gather(1, labels[:, None]).sum()
    if smoothing == 0:
        return -of_label
    possible = log_p > -math.inf
    of_all = torch.where(possible, log_p, 0).sum(dim=-1) / possible.sum(dim=-1)
    return -(1 - smoothing) * of_label - smoothing * of_all.sum()


def chunked_loss(
    H: Float[Tensor, "*batch d"],
    W_O: Float[Tensor, "V d"],
    bias: Float[Tensor, " V"] | None,
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.0,
    ignore: int = 0,
    chunk_tokens: int = 256,
) -> Float[Tensor, ""]:
    """``label_smoothed_loss(H @ W_Oᵀ + bias, labels)``, without ever holding all logits.

    It takes a few tokens at a time. It computes their logits, their loss, and at once the gradient
    of the logits, softmax(logits) − q, from which the gradients of H, W_O and bias follow. One
    buffer serves all chunks, and nothing is computed for padding. A bias of −inf rules a class out,
    and this class gets no smoothing mass. There are no second derivatives.

    Args:
        H: the decoder's last hidden states.
        W_O: output weights, as ``nn.Linear`` stores them.
        bias: output bias, or None.
        labels: the right class of each token.
        smoothing: ε, at least 0 and below 1.
        ignore: the label that marks padding.
        chunk_tokens: tokens in a chunk; on a CPU, few enough for their logits to fit in its cache.

    Raises:
        MtcourseError: a label is not a class, ε is out of range, or a chunk holds no token.

    Source: the equation of ``label_smoothed_loss``; A22 gives the logits. Chapter 12.
    """
    if chunk_tokens < 1:
        raise MtcourseError(f"chunk_tokens is {chunk_tokens}: a chunk holds at least one token")
    kept = _kept_tokens(labels, W_O.shape[0], smoothing, ignore)
    h = H.reshape(-1, H.shape[-1])[kept]
    y = labels.reshape(-1)[kept]
    if not torch.is_grad_enabled():
        h, W_O = h.detach(), W_O.detach()
        bias = None if bias is None else bias.detach()
    kind = H.device.type
    product = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else W_O.dtype
    with torch.autocast(kind, enabled=False):
        return cast("Tensor", _ChunkedLoss.apply(h, W_O, bias, y, smoothing, chunk_tokens, product))


def _wide(dtype: torch.dtype) -> torch.dtype:
    """The type to sum in: float32 for bfloat16 and float16, else the type itself."""
    return torch.promote_types(dtype, torch.float32)


def _kept_tokens(labels: Tensor, classes: int, smoothing: float, ignore: int) -> Tensor:
    """Positions of the labels that are not padding, after checking that they are classes."""
    if not 0 <= smoothing < 1:
        raise MtcourseError(f"smoothing is {smoothing}: it must be at least 0 and below 1")
    flat = labels.reshape(-1)
    kept = torch.nonzero(flat != ignore).squeeze(1)
    if len(kept) > 0:
        low, high = (int(bound) for bound in flat[kept].aminmax())
        if low < 0 or high >= classes:
            wrong = low if low < 0 else high
            raise MtcourseError(
                f"label {wrong} is no class: there are {classes}, from 0 to {classes - 1}; "
                f"{ignore} marks padding; do labels and model come from the same vocabulary?"
            )
    return kept


def _loss_and_gradient(
    log_p: Tensor, y: Tensor, smoothing: float, possible: slice | Tensor, spread: float
) -> tuple[Tensor, Tensor]:
    """The loss of one chunk, and its gradient softmax − q, which overwrites ``log_p``."""
    loss = -(1 - smoothing) * log_p.gather(1, y).sum()
    if smoothing > 0:
        loss -= spread * log_p[:, possible].sum()
    gradient = log_p.exp_()
    if smoothing > 0:
        gradient[:, possible] -= spread
    gradient.scatter_add_(1, y, gradient.new_full(y.shape, smoothing - 1))
    return loss, gradient


class _ChunkedLoss(torch.autograd.Function):
    """Loss and gradients in one pass over chunks of tokens; backward only scales the gradients."""

    @staticmethod
    def forward(ctx, h, W, bias, y, smoothing, size, product):
        wide = _wide(product)
        possible = slice(None) if bias is None or not bias.isneginf().any() else bias > -math.inf
        spread = smoothing / (len(W) if isinstance(possible, slice) else int(possible.sum()))
        h, W = h.to(product), W.to(product)
        b = None if bias is None else bias.to(product)
        log_p_buffer = h.new_empty(min(size, len(h)), len(W), dtype=wide)
        total = h.new_zeros((), dtype=wide)
        dh, dW = torch.empty_like(h), torch.zeros_like(W, dtype=wide)
        dbias = None if bias is None else torch.zeros_like(bias, dtype=wide)
        for h_c, y_c, dh_c in zip(
            h.split(size), y[:, None].split(size), dh.split(size), strict=True
        ):
            logits = linear(h_c, W, b)
            log_p = log_p_buffer[: len(h_c)]
            torch.log_softmax(logits, dim=-1, dtype=wide, out=log_p)
            loss, gradient = _loss_and_gradient(log_p, y_c, smoothing, possible, spread)
            total += loss
            if not any(ctx.needs_input_grad):
                continue
            if dbias is not None:
                dbias += gradient.sum(dim=0)
            gradient = gradient.to(product)
            dh_c[:] = linear(gradient, W.T)
            dW += transposed_product(gradient, h_c)
        ctx.save_for_backward(dh, dW, dbias)
        return total

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream):
        dh, dW, dbias = ctx.saved_tensors
        dbias = None if dbias is None else dbias * upstream
        return dh * upstream, dW * upstream, dbias, None, None, None, None
