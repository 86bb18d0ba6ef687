"""Models of ``transformers`` with random weights, copied into the package's own."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
)

from mtcourse.layers.multi_head import CrossAttention, SelfAttention
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.transformer import TransformerConfig

V, D_MODEL, H, D_FF, LAYERS, LONGEST = 41, 24, 4, 48, 3, 32
SIZES = TransformerConfig(V, D_MODEL, H, D_FF, LAYERS, dropout=0.0, max_length=LONGEST)


def gpt2(seed: int) -> tuple[GPT2LMHeadModel, DecoderModel]:
    """GPT-2 with ReLU, and the decoder-only model with its weights.

    GPT-2 neither scales embeddings nor has sinusoidal positions: the table is divided by
    sqrt(d_model), the learned positions take the place of P, and the last gain and bias are
    multiplied by sqrt(d_model), since the table is the output layer too.
    """
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=V,
            n_positions=LONGEST,
            n_embd=D_MODEL,
            n_layer=LAYERS,
            n_head=H,
            n_inner=D_FF,
            activation_function="relu",
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=2,
            eos_token_id=3,
        )
    ).double()
    _randomise(theirs, seed)
    ours = DecoderModel(SIZES).double()
    stack = theirs.transformer
    with torch.no_grad():
        _embed(ours, stack.wte.weight, stack.wpe.weight)
        for layer, block in zip(stack.h, ours.blocks, strict=True):
            _norm(block.around_self_attention.layer_norm, layer.ln_1)
            _norm(block.around_feed_forward.layer_norm, layer.ln_2)
            # Their linear layers store what multiplies from the right.
            for own, other in (
                (block.self_attention.W_QKV, layer.attn.c_attn),
                (block.self_attention.W_O, layer.attn.c_proj),
                (block.feed_forward.W_1, layer.mlp.c_fc),
                (block.feed_forward.W_2, layer.mlp.c_proj),
            ):
                own.weight.copy_(other.weight.T)
                own.bias.copy_(other.bias)
        ours.final_norm.weight.copy_(stack.ln_f.weight * math.sqrt(D_MODEL))
        ours.final_norm.bias.copy_(stack.ln_f.bias * math.sqrt(D_MODEL))
    return theirs, ours


def bert(seed: int) -> tuple[BertModel, EncoderModel]:
    """BERT with ReLU, and the encoder-only model with its weights.

    Its second embedding is the same for every token of one text, so it is added to P.
    """
    theirs = BertModel(
        BertConfig(
            vocab_size=V,
            max_position_embeddings=LONGEST,
            hidden_size=D_MODEL,
            num_hidden_layers=LAYERS,
            num_attention_heads=H,
            intermediate_size=D_FF,
            hidden_act="relu",
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            layer_norm_eps=1e-5,
        ),
        add_pooling_layer=False,
    ).double()
    _randomise(theirs, seed)
    ours = EncoderModel(TransformerConfig(**SIZES.to_dict() | {"norm": "post"})).double()
    tables = theirs.embeddings
    with torch.no_grad():
        places = tables.position_embeddings.weight + tables.token_type_embeddings.weight[0]
        _embed(ours, tables.word_embeddings.weight, places)
        _norm(ours.embedding_norm, tables.LayerNorm)
        for layer, block in zip(theirs.encoder.layer, ours.blocks, strict=True):
            within = layer.attention.self
            _attention(
                block.self_attention,
                [within.query, within.key, within.value],
                layer.attention.output.dense,
            )
            _norm(block.around_self_attention.layer_norm, layer.attention.output.LayerNorm)
            _linear(block.feed_forward.W_1, layer.intermediate.dense)
            _linear(block.feed_forward.W_2, layer.output.dense)
            _norm(block.around_feed_forward.layer_norm, layer.output.LayerNorm)
    return theirs, ours


def bart(seed: int) -> tuple[BartForConditionalGeneration, EncoderDecoder]:
    """BART with ReLU, and the encoder-decoder with its weights.

    BART normalises its embeddings, which the course's translator, like the model of 2017, does not:
    this norm is taken out of it. Its first two learned positions are not used.
    """
    theirs = BartForConditionalGeneration(
        BartConfig(
            vocab_size=V,
            max_position_embeddings=LONGEST,
            d_model=D_MODEL,
            encoder_layers=LAYERS,
            decoder_layers=LAYERS,
            encoder_attention_heads=H,
            decoder_attention_heads=H,
            encoder_ffn_dim=D_FF,
            decoder_ffn_dim=D_FF,
            activation_function="relu",
            dropout=0.0,
            scale_embedding=True,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=3,
            decoder_start_token_id=2,
            forced_eos_token_id=None,
        )
    ).double()
    theirs.model.encoder.layernorm_embedding = nn.Identity()
    theirs.model.decoder.layernorm_embedding = nn.Identity()
    _randomise(theirs, seed)
    ours = EncoderDecoder(
        EncoderDecoderConfig(
            V, V, D_MODEL, H, D_FF, LAYERS, LAYERS, dropout=0.0, norm="post", max_length=LONGEST
        )
    ).double()
    with torch.no_grad():
        ours.target_embedding.W_E.copy_(theirs.get_input_embeddings().weight)
        sides = (
            (theirs.model.encoder, ours.source_embedding, ours.encoder),
            (theirs.model.decoder, ours.target_embedding, ours.decoder),
        )
        for stack, embedding, blocks in sides:
            embedding.P = stack.embed_positions.weight[2:].clone()
            for layer, block in zip(stack.layers, blocks, strict=True):
                _bart_block(layer, block)
    return theirs, ours


def _bart_block(layer: nn.Module, block: nn.Module) -> None:
    """One encoder or decoder layer of BART."""
    within = layer.self_attn
    _attention(block.self_attention, [within.q_proj, within.k_proj, within.v_proj], within.out_proj)
    _norm(block.around_self_attention.layer_norm, layer.self_attn_layer_norm)
    _linear(block.feed_forward.W_1, layer.fc1)
    _linear(block.feed_forward.W_2, layer.fc2)
    _norm(block.around_feed_forward.layer_norm, layer.final_layer_norm)
    if hasattr(layer, "encoder_attn"):
        across = layer.encoder_attn
        _attention(
            block.cross_attention, [across.q_proj, across.k_proj, across.v_proj], across.out_proj
        )
        _norm(block.around_cross_attention.layer_norm, layer.encoder_attn_layer_norm)


def _attention(ours: nn.Module, parts: list[nn.Linear], output: nn.Linear) -> None:
    """The projections of one attention, which the package keeps side by side."""
    if isinstance(ours, SelfAttention):
        _stacked(ours.W_QKV, parts)
    else:
        assert isinstance(ours, CrossAttention)
        _linear(ours.W_Q, parts[0])
        _stacked(ours.W_KV, parts[1:])
    _linear(ours.W_O, output)


def _stacked(to: nn.Linear, parts: list[nn.Linear]) -> None:
    to.weight.copy_(torch.cat([part.weight for part in parts]))
    to.bias.copy_(torch.cat([part.bias for part in parts]))


def _embed(model: DecoderModel | EncoderModel, table: Tensor, places: Tensor) -> None:
    """Their unscaled table and their learned positions."""
    model.embedding.W_E.copy_(table / math.sqrt(D_MODEL))
    model.embedding.P = places.clone()


def _linear(to: nn.Linear, other: nn.Linear) -> None:
    to.weight.copy_(other.weight)
    to.bias.copy_(other.bias)


def _norm(to: nn.Module, other: nn.LayerNorm) -> None:
    assert isinstance(to, nn.LayerNorm)
    assert to.eps == other.eps
    to.weight.copy_(other.weight)
    to.bias.copy_(other.bias)


def _randomise(model: nn.Module, seed: int) -> None:
    """Random weights everywhere: their biases of 0 and gains of 1 would hide a swapped one."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype)
            scale = 0.3 if parameter.dim() == 1 else parameter.shape[-1] ** -0.5
            parameter.copy_(scale * noise + (parameter if parameter.dim() == 1 else 0))
