"""Multi-head attention and the blocks, against torch.nn."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.blocks import DecoderBlock, EncoderBlock, Residual
from mtcourse.layers.embeddings import Embedding, embed
from mtcourse.layers.masks import causal_mask, padding_mask
from mtcourse.layers.multi_head import CrossAttention, SelfAttention, merge_heads, split_heads

D, H, FF = 16, 4, 32


def rows(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def padded(n: int) -> torch.Tensor:
    ids = torch.ones(3, n, dtype=torch.int64)
    ids[0, n // 2 :] = 0
    return ids


def test_splitting_and_merging_heads_are_inverse_and_keep_slices_together():
    x = rows(2, 5, D)
    heads = split_heads(x, H)
    assert heads.shape == (2, H, 5, D // H)
    assert torch.equal(heads[:, 1], x[:, :, D // H : 2 * D // H])
    assert torch.equal(merge_heads(heads), x)


def torch_self_attention(ours: SelfAttention) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    _load(theirs, ours.W_QKV.weight, ours.W_QKV.bias, ours.W_O)
    return theirs


def _load(theirs: nn.MultiheadAttention, weight, bias, W_O) -> None:
    with torch.no_grad():
        theirs.in_proj_weight.copy_(weight)
        theirs.in_proj_bias.copy_(bias)
        theirs.out_proj.weight.copy_(W_O.weight)
        theirs.out_proj.bias.copy_(W_O.bias)


def shaken(module: nn.Module, seed: int = 0) -> nn.Module:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.2 * torch.randn(parameter.shape, generator=generator))
    return module


@pytest.mark.parametrize("readable", [False, True])
def test_self_attention_is_torchs(readable):
    ours = shaken(SelfAttention(D, H, *([scaled_dot_product_attention] if readable else [])))
    theirs = torch_self_attention(ours)
    x, real = rows(3, 6, D), padding_mask(padded(6))
    expected = theirs(x, x, x, key_padding_mask=~real[:, 0, 0])[0]
    torch.testing.assert_close(ours(x, real)[0], expected, atol=1e-5, rtol=1e-4)
    expected = theirs(x, x, x, attn_mask=~causal_mask(6))[0]
    torch.testing.assert_close(ours(x, causal=True)[0], expected, atol=1e-5, rtol=1e-4)


def test_cross_attention_is_torchs():
    ours = shaken(CrossAttention(D, H))
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    weight = torch.cat([ours.W_Q.weight, ours.W_KV.weight])
    _load(theirs, weight, torch.cat([ours.W_Q.bias, ours.W_KV.bias]), ours.W_O)
    x, H_E, real = rows(3, 4, D), rows(3, 6, D, seed=1), padding_mask(padded(6))
    expected = theirs(x, H_E, H_E, key_padding_mask=~real[:, 0, 0])[0]
    torch.testing.assert_close(
        ours(x, *ours.keys_values(H_E), real), expected, atol=1e-5, rtol=1e-4
    )


def load_sublayers(theirs, ours) -> None:
    """Copies a block into torch's, whose norms are numbered in the order of the sublayers."""
    _load(
        theirs.self_attn,
        ours.self_attention.W_QKV.weight,
        ours.self_attention.W_QKV.bias,
        ours.self_attention.W_O,
    )
    theirs.linear1.load_state_dict(ours.feed_forward.W_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.W_2.state_dict())
    around = [ours.around_self_attention, ours.around_feed_forward]
    if isinstance(ours, DecoderBlock):
        across = ours.cross_attention
        weight = torch.cat([across.W_Q.weight, across.W_KV.weight])
        bias = torch.cat([across.W_Q.bias, across.W_KV.bias])
        _load(theirs.multihead_attn, weight, bias, across.W_O)
        around.insert(1, ours.around_cross_attention)
    for number, residual in enumerate(around, start=1):
        getattr(theirs, f"norm{number}").load_state_dict(residual.layer_norm.state_dict())


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_encoder_block_is_torchs(norm):
    ours = shaken(EncoderBlock(D, H, FF, 0.0, norm))
    # In training mode: torch's fast path for evaluation changes what padded rows hold.
    theirs = nn.TransformerEncoderLayer(
        D, H, FF, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    ).train()
    load_sublayers(theirs, ours)
    x, real = rows(3, 6, D), padding_mask(padded(6))
    expected = theirs(x, src_key_padding_mask=~real[:, 0, 0])
    torch.testing.assert_close(ours(x, real), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_block_is_torchs(norm):
    ours = shaken(DecoderBlock(D, H, FF, 0.0, norm))
    theirs = nn.TransformerDecoderLayer(
        D, H, FF, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    ).train()
    load_sublayers(theirs, ours)
    x, H_E, real = rows(3, 5, D), rows(3, 6, D, seed=1), padding_mask(padded(6))
    expected = theirs(x, H_E, tgt_mask=~causal_mask(5), memory_key_padding_mask=~real[:, 0, 0])
    found, cache = ours(x, ours.cross_attention.keys_values(H_E), real)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)
    assert cache is None


def test_only_two_places_for_the_norm():
    with pytest.raises(MtcourseError, match="'middle'"):
        Residual(D, 0.0, "middle")


def test_looking_up_is_multiplying_with_one_hot_columns():
    W_E, ids = rows(9, D), torch.tensor([[3, 0, 8]])
    X = nn.functional.one_hot(ids[0], 9).T.float()
    torch.testing.assert_close(embed(ids, W_E)[0], X.T @ W_E)


def test_embedding_scales_adds_positions_and_can_begin_later():
    embedding = Embedding(nn.Parameter(rows(9, D)), max_length=7, dropout=0.0)
    ids = torch.tensor([[3, 0, 8, 1]])
    torch.testing.assert_close(embedding(ids), D**0.5 * embedding.W_E[ids] + embedding.P[:4])
    torch.testing.assert_close(embedding(ids[:, 2:], position=2), embedding(ids)[:, 2:])
