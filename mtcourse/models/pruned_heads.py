"""A trained model without some of its heads (chapter 9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from mtcourse.errors import MtcourseError
from mtcourse.layers.multi_head import CrossAttention, SelfAttention
from mtcourse.models.encoder_decoder import EncoderDecoder


@dataclass(frozen=True, order=True)
class Head:
    """One head of a model.

    Args:
        kind: "encoder" or "decoder" for self-attention, "cross" for cross-attention.
        layer: counted from 0.
        number: of the head in its layer, counted from 0.
    """

    kind: str
    layer: int
    number: int

    def __str__(self) -> str:
        """As the book names it: both numbers count from 1."""
        return f"{self.kind} {self.layer + 1}.{self.number + 1}"


def attention_layers(
    model: EncoderDecoder,
) -> Mapping[tuple[str, int], SelfAttention | CrossAttention]:
    """Every attention layer by kind and number."""
    return {
        **{("encoder", k): block.self_attention for k, block in enumerate(model.encoder)},
        **{("decoder", k): block.self_attention for k, block in enumerate(model.decoder)},
        **{("cross", k): block.cross_attention for k, block in enumerate(model.decoder)},
    }


def heads_of(model: EncoderDecoder) -> list[Head]:
    """Every head of a model, layer by layer."""
    return [
        Head(kind, layer, number)
        for (kind, layer), of in attention_layers(model).items()
        for number in range(of.h)
    ]


@contextmanager
def without_heads(model: EncoderDecoder, heads: Iterable[Head]) -> Iterator[None]:
    """Removes heads from a model within a ``with`` block.

    Only its own rows of W_O multiply a head's output (A27). While these rows are zero, the head
    contributes nothing. Chapter 9.

    Args:
        model: changed in place, and restored afterwards.
        heads: which ones to remove.

    Raises:
        MtcourseError: the model has no such head.
    """
    layers, heads = attention_layers(model), list(heads)
    if unknown := sorted(set(heads) - set(heads_of(model))):
        raise MtcourseError(f"the model has no head {unknown[0]}")
    matrices = [layers[place].W_O.weight for place in {(head.kind, head.layer) for head in heads}]
    before = [(matrix, matrix.detach().clone()) for matrix in matrices]
    try:
        with torch.no_grad():
            for head in heads:
                layer = layers[head.kind, head.layer]
                d_k = layer.W_O.in_features // layer.h
                # nn.Linear stores W_O transposed: a head's rows are columns there.
                layer.W_O.weight[:, head.number * d_k : (head.number + 1) * d_k] = 0
        yield
    finally:
        with torch.no_grad():
            for matrix, own in before:
                matrix.copy_(own)
