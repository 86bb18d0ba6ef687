"""The example in the package's ``EncoderDecoder``: the second of four executions (chapter 11)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from mtcourse.chapters.worked_example.example import (
    D_FF,
    D_MODEL,
    DECODER_INPUT,
    LABELS,
    SOURCE_TOKENS,
    TARGET_TOKENS,
    source_ids,
    source_mask,
    target_ids,
)
from mtcourse.chapters.worked_example.forward import HEADS, position_table
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig


def package_model(weights: Mapping[str, Tensor]) -> EncoderDecoder:
    """The package's post-norm model with the example's weights, in double precision.

    Three things differ from a model as the package makes it: embeddings are not scaled (B05), the
    projections of attention have biases of 0 that stay as they are (B07), and the positional
    encodings have double precision.

    Args:
        weights: the example's, by name.
    """
    config = EncoderDecoderConfig(
        len(SOURCE_TOKENS), len(TARGET_TOKENS), D_MODEL, HEADS, D_FF, 1, 1,
        dropout=0.0, norm="post", max_length=len(SOURCE_TOKENS), shared_embeddings=False,
    )  # fmt: skip
    model = EncoderDecoder(config, scaled_dot_product_attention).double()
    for side in (model.source_embedding, model.target_embedding):
        side.scale = 1.0
        side.P = position_table(config.max_length, D_MODEL)
    for name, part in parameters_of(model).items():
        with torch.no_grad():
            part.copy_(weights[name].T if _transposed(name) else weights[name])
    for name, bias in model.named_parameters():
        if name.endswith("bias") and "attention.W" in name:
            nn.init.zeros_(bias).requires_grad_(False)
    return model


def parameters_of(model: EncoderDecoder, gradients: bool = False) -> dict[str, Tensor]:
    """Views of the model's parameters by the example's names; matrices are stored transposed.

    Args:
        model: of ``package_model``.
        gradients: take the gradients in place of the parameters.
    """

    def of(parameter: Tensor) -> Tensor:
        if not gradients:
            return parameter.detach()
        return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad

    encoder, decoder = model.encoder[0], model.decoder[0]
    parts = {
        "W_E_X": of(model.source_embedding.W_E),
        "W_E_Y": of(model.target_embedding.W_E),
        "W_output": of(model.output_weight),
        "W_Q_C": of(decoder.cross_attention.W_Q.weight),
        "W_O_C": of(decoder.cross_attention.W_O.weight),
    }
    parts["W_K_C"], parts["W_V_C"] = of(decoder.cross_attention.W_KV.weight).chunk(2)
    for side, block in (("E", encoder), ("D", decoder)):
        stacked = of(block.self_attention.W_QKV.weight).chunk(3)
        parts |= {f"W_{kind}_{side}": part for kind, part in zip("QKV", stacked, strict=True)}
        parts[f"W_O_{side}"] = of(block.self_attention.W_O.weight)
        for number, layer in enumerate((block.feed_forward.W_1, block.feed_forward.W_2), 1):
            parts[f"W_{number}_{side}"] = of(layer.weight)
            parts[f"b_{number}_{side}"] = of(layer.bias)
    norms = {
        "1_E": encoder.around_self_attention,
        "2_E": encoder.around_feed_forward,
        "1_D": decoder.around_self_attention,
        "2_D": decoder.around_cross_attention,
        "3_D": decoder.around_feed_forward,
    }
    for name, around in norms.items():
        parts[f"gamma_{name}"] = of(around.layer_norm.weight)
        parts[f"beta_{name}"] = of(around.layer_norm.bias)
    return parts


def package_loss(model: EncoderDecoder) -> Tensor:
    """The mean cross-entropy of the six labels, by the package's model and torch's loss.

    Args:
        model: of ``package_model``.
    """
    mask = source_mask()[None, None, None, :]
    logits = model(source_ids()[None], target_ids(DECODER_INPUT)[None], mask)
    return nn.functional.cross_entropy(logits[0], target_ids(LABELS))


def package_values(model: EncoderDecoder, gradients: bool = False) -> dict[str, Tensor]:
    """Parameters or gradients of the model in the example's names and shapes.

    Args:
        model: of ``package_model``.
        gradients: take the gradients in place of the parameters.
    """
    parts = parameters_of(model, gradients)
    return {name: part.T if _transposed(name) else part for name, part in parts.items()}


def _transposed(name: str) -> bool:
    """Whether the package stores this matrix as ``nn.Linear`` does."""
    return name.startswith("W_") and not name.startswith("W_E_")
