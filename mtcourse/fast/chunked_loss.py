"""The loss of many tokens without ever holding all of their logits (chapter 12)."""

from __future__ import annotations

import math
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable

from mtcourse.errors import MtcourseError
from mtcourse.fast.linear import linear, transposed_product


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
    kept = kept_tokens(labels, W_O.shape[0], smoothing, ignore)
    h = H.reshape(-1, H.shape[-1])[kept]
    y = labels.reshape(-1)[kept]
    if not torch.is_grad_enabled():
        h, W_O = h.detach(), W_O.detach()
        bias = None if bias is None else bias.detach()
    kind = H.device.type
    product = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else W_O.dtype
    with torch.autocast(kind, enabled=False):
        return cast("Tensor", _ChunkedLoss.apply(h, W_O, bias, y, smoothing, chunk_tokens, product))


def wide_type(dtype: torch.dtype) -> torch.dtype:
    """The type to sum in: float32 for bfloat16 and float16, else the type itself."""
    return torch.promote_types(dtype, torch.float32)


def kept_tokens(labels: Tensor, classes: int, smoothing: float, ignore: int) -> Tensor:
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
        wide = wide_type(product)
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
