"""Independent implementations that the tests compare with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel

from mtcourse.decoding.search import EOS
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig

SMALL = {"V_s": 40, "V_t": 40, "d_model": 16, "h": 4, "d_ff": 32, "max_length": 32}


def model_of_seed(seed: int = 0, norm: str = "pre", **sizes) -> EncoderDecoder:
    """A small model with random weights, biases and gains."""
    model = EncoderDecoder(EncoderDecoderConfig(**{**SMALL, "norm": norm, **sizes}))
    model.reset_parameters(torch.Generator().manual_seed(seed))
    generator = torch.Generator().manual_seed(seed + 1)
    with torch.no_grad():  # zero biases and unit gains would hide one that stands in a wrong place
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def marian_of(model: EncoderDecoder) -> MarianMTModel:
    """A ``transformers`` Marian model that holds a post-norm model's weights."""
    sizes = model.config
    assert sizes.norm == "post", "Marian is post-norm"
    marian = MarianMTModel(
        MarianConfig(
            vocab_size=sizes.V_s,
            decoder_vocab_size=sizes.V_t,
            d_model=sizes.d_model,
            encoder_layers=sizes.encoder_layers,
            decoder_layers=sizes.decoder_layers,
            encoder_attention_heads=sizes.h,
            decoder_attention_heads=sizes.h,
            encoder_ffn_dim=sizes.d_ff,
            decoder_ffn_dim=sizes.d_ff,
            activation_function="relu",
            dropout=sizes.dropout,
            attention_dropout=0.0,
            activation_dropout=0.0,
            max_position_embeddings=sizes.max_length,
            scale_embedding=True,
            share_encoder_decoder_embeddings=True,
            tie_word_embeddings=True,
            pad_token_id=0,
            eos_token_id=3,
            forced_eos_token_id=None,
            decoder_start_token_id=2,
        )
    )
    marian.generation_config.bad_words_ids = None
    with torch.no_grad():
        _copy(marian.get_input_embeddings().weight, model.target_embedding.W_E)
        for side, blocks in (("encoder", model.encoder), ("decoder", model.decoder)):
            stack = getattr(marian.model, side)
            _copy(stack.embed_positions.weight, model.source_embedding.P)
            for layer, block in zip(stack.layers, blocks, strict=True):
                _copy_block(layer, block)
    return marian.eval()


def _copy(to: Tensor, value: Tensor) -> None:
    assert to.shape == value.shape
    to.copy_(value)


def _copy_linear(to: torch.nn.Linear, weight: Tensor, bias: Tensor) -> None:
    _copy(to.weight, weight)
    _copy(to.bias, bias)


def _copy_norm(to: torch.nn.LayerNorm, norm: torch.nn.LayerNorm) -> None:
    _copy_linear(to, norm.weight, norm.bias)


def _copy_block(layer, block) -> None:
    """One encoder or decoder layer."""
    within = block.self_attention
    names = ("q_proj", "k_proj", "v_proj")
    stacked = zip(names, within.W_QKV.weight.chunk(3), within.W_QKV.bias.chunk(3), strict=True)
    for name, weight, bias in stacked:
        _copy_linear(getattr(layer.self_attn, name), weight, bias)
    _copy_linear(layer.self_attn.out_proj, within.W_O.weight, within.W_O.bias)
    _copy_norm(layer.self_attn_layer_norm, block.around_self_attention.layer_norm)
    _copy_linear(layer.fc1, block.feed_forward.W_1.weight, block.feed_forward.W_1.bias)
    _copy_linear(layer.fc2, block.feed_forward.W_2.weight, block.feed_forward.W_2.bias)
    _copy_norm(layer.final_layer_norm, block.around_feed_forward.layer_norm)
    if not hasattr(layer, "encoder_attn"):
        return
    across = block.cross_attention
    _copy_linear(layer.encoder_attn.q_proj, across.W_Q.weight, across.W_Q.bias)
    stacked = zip(names[1:], across.W_KV.weight.chunk(2), across.W_KV.bias.chunk(2), strict=True)
    for name, weight, bias in stacked:
        _copy_linear(getattr(layer.encoder_attn, name), weight, bias)
    _copy_linear(layer.encoder_attn.out_proj, across.W_O.weight, across.W_O.bias)
    _copy_norm(layer.encoder_attn_layer_norm, block.around_cross_attention.layer_norm)


def all_sequences(V: int, longest: int) -> list[tuple[int, ...]]:
    """Every sequence that ends in <eos>, or reaches the longest length without it."""
    others = [token for token in range(V) if token != EOS]
    ended = [
        (*prefix, EOS)
        for length in range(longest)
        for prefix in itertools.product(others, repeat=length)
    ]
    return ended + list(itertools.product(others, repeat=longest))


@dataclass(frozen=True)
class MarkovState:
    """The state of a language model that looks at the newest token and at how many there are."""

    rows: Tensor
    position: int = 0

    def reorder(self, parents: Tensor) -> MarkovState:
        return replace(self, rows=self.rows[:, :1].expand(-1, parents.shape[1]))

    def keep(self, sentences: Tensor) -> MarkovState:
        return replace(self, rows=self.rows[sentences])


def markov_step(tables: Tensor):
    """A step over tables (sentences, positions, V, V) of log-probabilities: newest token to next.

    Tables that differ by position make no ties: else the same moves in another order tie exactly.
    """

    def step(ids: Tensor, state: MarkovState) -> tuple[Tensor, MarkovState]:
        later = replace(state, position=state.position + 1)
        return tables[state.rows, state.position, ids], later

    return step


def markov_state(sentences: int) -> MarkovState:
    return MarkovState(torch.arange(sentences)[:, None])


def log_probability_of(table: Tensor, ids: Sequence[int], first: int = 2) -> float:
    """log p of a sequence under one sentence's tables, token by token."""
    moves = zip(table, (first, *ids[:-1]), ids, strict=False)
    return math.fsum(float(at[before, after]) for at, before, after in moves)
