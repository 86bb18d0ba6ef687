"""A trained model without some of its sublayers (chapter 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn

from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoder


@dataclass(frozen=True, order=True)
class Sublayer:
    """One sublayer of a model: an attention or a position-wise network.

    Args:
        kind: "encoder self-attention", "encoder network", "decoder self-attention",
            "cross-attention" or "decoder network".
        layer: counted from 0.
    """

    kind: str
    layer: int

    def __str__(self) -> str:
        """As the book names it: layers count from 1."""
        return f"{self.kind} {self.layer + 1}"


def sublayers_of(model: EncoderDecoder) -> list[Sublayer]:
    """Every sublayer of a model, in the order in which a sentence passes through them."""
    return list(_last_maps(model))


@contextmanager
def without_sublayers(model: EncoderDecoder, sublayers: Iterable[Sublayer]) -> Iterator[None]:
    """Removes sublayers from a model within a ``with`` block.

    The last linear map of a sublayer F, W_O or W_2 with its bias, is set to zero, so that F(x) = 0
    and x + F(x) = x: only the residual connection is left. Chapter 10.

    Args:
        model: changed in place, and restored afterwards.
        sublayers: which ones to remove.

    Raises:
        MtcourseError: the model has no such sublayer.
    """
    maps, sublayers = _last_maps(model), list(sublayers)
    if unknown := [sublayer for sublayer in sublayers if sublayer not in maps]:
        known = ", ".join(map(str, maps))
        raise MtcourseError(f"the model has no {unknown[0]}; its sublayers are {known}")
    parameters = [p for sublayer in sublayers for p in maps[sublayer].parameters()]
    before = [(parameter, parameter.detach().clone()) for parameter in parameters]
    try:
        with torch.no_grad():
            for parameter in parameters:
                parameter.zero_()
        yield
    finally:
        with torch.no_grad():
            for parameter, own in before:
                parameter.copy_(own)


def _last_maps(model: EncoderDecoder) -> Mapping[Sublayer, nn.Linear]:
    """The linear map at the end of each sublayer."""
    maps: dict[Sublayer, nn.Linear] = {}
    for k, block in enumerate(model.encoder):
        maps[Sublayer("encoder self-attention", k)] = block.self_attention.W_O
        maps[Sublayer("encoder network", k)] = block.feed_forward.W_2
    for k, block in enumerate(model.decoder):
        maps[Sublayer("decoder self-attention", k)] = block.self_attention.W_O
        maps[Sublayer("cross-attention", k)] = block.cross_attention.W_O
        maps[Sublayer("decoder network", k)] = block.feed_forward.W_2
    return maps
