"""Every matrix that an encoder-decoder computes for one pair of sentences (chapter 10)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from mtcourse.layers.embeddings import embed
from mtcourse.layers.multi_head import CrossAttention, SelfAttention, merge_heads
from mtcourse.models.encoder_decoder import EncoderDecoder
from mtcourse.models.recorded_attention import recorded_attention

Matrices = dict[str, Float[Tensor, "rows columns"]]


@torch.no_grad()
def recorded_matrices(
    model: EncoderDecoder, source: Int[Tensor, " n"], decoder_input: Int[Tensor, " m"]
) -> Matrices:
    """What a model computes for one pair, by the name of the module and of what it computes there.

    A row is a piece, of the source in the encoder and of the target in the decoder. The names:

    - ``source_embedding.E``, ``.P`` and ``.X``: row of the table, position, and their sum as the
      model takes it.
    - ``encoder.0.self_attention.Q``, ``.K``, ``.V``, ``.A`` (the heads side by side), and
      ``.weights.0`` of each head.
    - ``encoder.0.feed_forward.hidden``, and ``encoder_norm.written`` (H_E).
    - In the decoder likewise, with ``cross_attention``.
    - ``output.logits``: U.

    Args:
        model: in evaluation mode, so that nothing is zeroed.
        source: ids of the source, ``<eos>`` last.
        decoder_input: ids that the decoder reads, ``<bos>`` first.

    Source: B, steps 1 to 7. Chapters 2 to 10.
    """
    found: Matrices = {}
    with ExitStack() as stack:
        for name, module in model.named_modules():
            kind = name.rpartition(".")[2]
            if kind in ("encoder_norm", "decoder_norm"):
                stack.enter_context(module.register_forward_hook(_written(found, name)))
            elif kind == "feed_forward":
                inner = module.get_submodule("W_2")
                stack.enter_context(inner.register_forward_pre_hook(_hidden(found, name)))
        attentions = _attentions(model)
        records = stack.enter_context(recorded_attention(attentions.values()))
        H_D = model.hidden(source[None], decoder_input[None])
    found["output.logits"] = model.logits(H_D)[0]
    for name, record in zip(attentions, records, strict=True):
        parts = {"Q": record.Q, "K": record.K, "V": record.V, "A": record.A}
        found |= {f"{name}.{symbol}": merge_heads(part)[0] for symbol, part in parts.items()}
        found |= {f"{name}.weights.{j}": head for j, head in enumerate(record.weights[0])}
    for side, ids in (("source", source), ("target", decoder_input)):
        embedding = getattr(model, f"{side}_embedding")
        found[f"{side}_embedding.E"] = embed(ids, embedding.W_E)
        found[f"{side}_embedding.P"] = embedding.P[: len(ids)]
        found[f"{side}_embedding.X"] = embedding(ids)
    return {name: matrix.cpu() for name, matrix in found.items()}


def _attentions(model: EncoderDecoder) -> dict[str, SelfAttention | CrossAttention]:
    """The attention layers by their names, in the order in which they are called."""
    layers: dict[str, SelfAttention | CrossAttention] = {}
    for i, block in enumerate(model.encoder):
        layers[f"encoder.{i}.self_attention"] = block.self_attention
    for i, block in enumerate(model.decoder):
        layers[f"decoder.{i}.self_attention"] = block.self_attention
        layers[f"decoder.{i}.cross_attention"] = block.cross_attention
    return layers


def _written(found: Matrices, name: str) -> Callable[[nn.Module, Any, Tensor], None]:
    """A hook that keeps what a module returns."""

    def keep(_: nn.Module, __: Any, output: Tensor) -> None:
        found[f"{name}.written"] = output[0].clone()

    return keep


def _hidden(found: Matrices, name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    """A hook that keeps what a module is given."""

    def keep(_: nn.Module, given: tuple[Tensor, ...]) -> None:
        found[f"{name}.hidden"] = given[0][0].clone()

    return keep
