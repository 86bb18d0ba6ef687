"""This package's weights in CTranslate2's format, for serving and as an independent oracle."""

from __future__ import annotations

from pathlib import Path

from ctranslate2.specs import common_spec, transformer_spec
from torch import Tensor, nn

from mtcourse.layers.blocks import DecoderBlock, EncoderBlock, FeedForward, Residual
from mtcourse.layers.embeddings import Embedding
from mtcourse.layers.multi_head import CrossAttention, SelfAttention
from mtcourse.models.encoder_decoder import EncoderDecoder

SPECIAL = ("<pad>", "<unk>", "<bos>", "<eos>")


def tokens_of(ids: list[int]) -> list[str]:
    """The names under which the exported model knows these ids."""
    return [SPECIAL[i] if i < len(SPECIAL) else str(i) for i in ids]


def ids_of(tokens: list[str]) -> list[int]:
    """The inverse of ``tokens_of``."""
    return [SPECIAL.index(token) if token in SPECIAL else int(token) for token in tokens]


def export(model: EncoderDecoder, folder: Path | str) -> None:
    """Writes a model, pre- or post-norm, into a new folder that ``ctranslate2.Translator`` reads.

    Its tokens are those of ``tokens_of``; sources end in <eos>, as everywhere in this package.
    """
    sizes = model.config
    spec = transformer_spec.TransformerSpec.from_config(
        (sizes.encoder_layers, sizes.decoder_layers), sizes.h, pre_norm=sizes.norm == "pre"
    )
    _embedding(spec.encoder, spec.encoder.embeddings[0], model.source_embedding)
    _embedding(spec.decoder, spec.decoder.embeddings, model.target_embedding)
    for layer, encoder_block in zip(spec.encoder.layer, model.encoder, strict=True):
        _encoder_block(layer, encoder_block)
    for layer, decoder_block in zip(spec.decoder.layer, model.decoder, strict=True):
        _decoder_block(layer, decoder_block)
    if sizes.norm == "pre":
        _norm(spec.encoder.layer_norm, model.encoder_norm)
        _norm(spec.decoder.layer_norm, model.decoder_norm)
    spec.decoder.projection.weight = _numbers(model.output_weight)
    spec.register_source_vocabulary(tokens_of(list(range(sizes.V_s))))
    spec.register_target_vocabulary(tokens_of(list(range(sizes.V_t))))
    spec.config.bos_token = spec.config.decoder_start_token = "<bos>"
    spec.config.eos_token, spec.config.unk_token = "<eos>", "<unk>"
    spec.validate()
    Path(folder).mkdir(parents=True)
    spec.save(str(folder))


def _numbers(values: Tensor):
    return values.detach().cpu().float().contiguous().numpy()


def _linear(spec: common_spec.LinearSpec, linear: nn.Linear) -> None:
    spec.weight, spec.bias = _numbers(linear.weight), _numbers(linear.bias)


def _norm(spec: common_spec.LayerNormSpec, norm: nn.Module) -> None:
    spec.gamma, spec.beta = _numbers(norm.weight), _numbers(norm.bias)


def _embedding(stack, spec: common_spec.EmbeddingsSpec, embedding: Embedding) -> None:
    spec.weight = _numbers(embedding.W_E)
    stack.scale_embeddings = embedding.scale
    stack.position_encodings.encodings = _numbers(embedding.P)


def _self_attention(spec, attention: SelfAttention, around: Residual) -> None:
    _linear(spec.linear[0], attention.W_QKV)
    _linear(spec.linear[1], attention.W_O)
    _norm(spec.layer_norm, around.layer_norm)


def _cross_attention(spec, attention: CrossAttention, around: Residual) -> None:
    _linear(spec.linear[0], attention.W_Q)
    _linear(spec.linear[1], attention.W_KV)
    _linear(spec.linear[2], attention.W_O)
    _norm(spec.layer_norm, around.layer_norm)


def _feed_forward(spec, feed_forward: FeedForward, around: Residual) -> None:
    _linear(spec.linear_0, feed_forward.W_1)
    _linear(spec.linear_1, feed_forward.W_2)
    _norm(spec.layer_norm, around.layer_norm)


def _encoder_block(spec, block: EncoderBlock) -> None:
    _self_attention(spec.self_attention, block.self_attention, block.around_self_attention)
    _feed_forward(spec.ffn, block.feed_forward, block.around_feed_forward)


def _decoder_block(spec, block: DecoderBlock) -> None:
    _self_attention(spec.self_attention, block.self_attention, block.around_self_attention)
    _cross_attention(spec.attention, block.cross_attention, block.around_cross_attention)
    _feed_forward(spec.ffn, block.feed_forward, block.around_feed_forward)
