"""A trained translator whose cross-attention is changed while it runs (chapter 17).

If a model translates as well with other weights, its weights do not explain its words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import Attention, scaled_dot_product_attention
from mtcourse.models.encoder_decoder import EncoderDecoder

Change = Callable[[Tensor, Tensor | None], Tensor]
"""From weights, and the mask of allowed positions if there is one, to other weights."""


def uniform_weights(
    weights: Float[Tensor, "*batch m n"], mask: Bool[Tensor, "*#batch #m n"] | None = None
) -> Float[Tensor, "*batch m n"]:
    """Gives every allowed position of a row the same weight: a plain mean of the values.

    Args:
        weights: rows that sum to 1.
        mask: True where a position is allowed; None allows all.

    Source: Wiegreffe and Pinter (2019); Moradi et al. (2019). Chapter 17.
    """
    allowed = torch.ones_like(weights) if mask is None else mask.to(weights).expand_as(weights)
    return allowed / allowed.sum(-1, keepdim=True).clamp(min=1)


def permuted_weights(generator: torch.Generator) -> Change:
    """A change that shuffles the weights of each row over its allowed positions.

    Each row of each head gets an order of its own; the same generator goes on drawing.

    Args:
        generator: of the draws.

    Source: Jain and Wallace (2019); Moradi et al. (2019). Chapter 17.
    """

    def change(weights: Tensor, mask: Tensor | None = None) -> Tensor:
        drawn = torch.rand(weights.shape, generator=generator).to(weights)
        if mask is None:
            return weights.gather(-1, drawn.argsort(-1))
        allowed = mask.expand_as(weights)
        # Both lists begin with the allowed positions, one in order and one shuffled.
        places = (~allowed).to(drawn).argsort(dim=-1, stable=True)
        shuffled = drawn.masked_fill(~allowed, math.inf).argsort(dim=-1, stable=True)
        return torch.zeros_like(weights).scatter(-1, places, weights.gather(-1, shuffled))

    return change


def without_largest(
    weights: Float[Tensor, "*batch m n"], mask: Bool[Tensor, "*#batch #m n"] | None = None
) -> Float[Tensor, "*batch m n"]:
    """Takes the largest weight of each row away; the others are divided by their sum.

    A row with a single allowed position has nothing left, and becomes zeros.

    Args:
        weights: rows that sum to 1.
        mask: not needed: what is not allowed has weight 0 already.

    Source: Serrano and Smith (2019); Moradi et al. (2019). Chapter 17.
    """
    largest = weights.argmax(-1, keepdim=True)
    left = weights.scatter(-1, largest, 0.0)
    total = left.sum(-1, keepdim=True)
    return torch.where(total > 0, left / total, 0.0)


def changed_attention(change: Change) -> Attention:
    """Scaled dot-product attention whose weights are changed before they multiply the values.

    Args:
        change: such as ``uniform_weights``.

    Chapter 17.
    """

    def attention(
        Q: Tensor, K: Tensor, V: Tensor, mask: Tensor | None = None, causal: bool = False
    ) -> tuple[Tensor, Tensor]:
        _, weights = scaled_dot_product_attention(Q, K, V, mask, causal)
        weights = change(weights, mask)
        return weights @ V, weights

    return attention


@contextmanager
def changed_cross_attention(
    model: EncoderDecoder, change: Change, layers: Iterable[int] | None = None
) -> Iterator[None]:
    """Changes the cross-attention of a model within a ``with`` block, in search as in training.

    Args:
        model: its layers get their own attention back afterwards.
        change: of the weights; every head is changed.
        layers: decoder layers, counted from 0; None changes all.

    Raises:
        MtcourseError: the decoder has no such layer.

    Chapter 17.
    """
    chosen = range(len(model.decoder)) if layers is None else list(layers)
    if unknown := [k for k in chosen if not 0 <= k < len(model.decoder)]:
        raise MtcourseError(
            f"the decoder has layers 0 to {len(model.decoder) - 1}, and no layer {unknown[0]}"
        )
    changed = [model.decoder[k].cross_attention for k in chosen]
    before = [layer.attention for layer in changed]
    try:
        for layer in changed:
            layer.attention = changed_attention(change)
        yield
    finally:
        for layer, attention in zip(changed, before, strict=True):
            layer.attention = attention
