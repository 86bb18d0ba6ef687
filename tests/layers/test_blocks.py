"""The equations inside a block against PyTorch's, and what they must not do.

Whole blocks are compared with PyTorch's in ``test_multi_head.py``.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from mtcourse.layers.blocks import (
    DecoderBlock,
    FeedForward,
    layer_norm,
    position_wise_network,
)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


@settings(deadline=None, max_examples=50)
@given(
    shape=st.lists(st.integers(1, 4), max_size=3),
    width=st.integers(1, 9),
    epsilon=st.sampled_from([1e-12, 1e-5, 0.1]),
    seed=st.integers(0, 9),
)
def test_layer_norm_and_its_gradient_are_torchs(shape, width, epsilon, seed):
    x = normal(*shape, width, seed=seed).requires_grad_()
    gain, bias = normal(width, seed=seed + 1), normal(width, seed=seed + 2)
    ours = layer_norm(x, gain, bias, epsilon)
    theirs = nn.functional.layer_norm(x, [width], gain, bias, epsilon)
    torch.testing.assert_close(ours, theirs)
    out = normal(*shape, width, seed=seed + 3)
    torch.testing.assert_close(
        *(torch.autograd.grad((y * out).sum(), x, retain_graph=True)[0] for y in (ours, theirs))
    )


def test_a_row_of_equal_numbers_becomes_the_bias():
    bias = normal(4)
    assert torch.equal(
        layer_norm(torch.full((3, 4), 7.0).double(), normal(4), bias), bias.expand(3, 4)
    )


def test_no_row_knows_another():
    x, gain, bias = normal(2, 5, 8), normal(8, seed=1), normal(8, seed=2)
    weights = (normal(8, 32), normal(32), normal(32, 8, seed=1), normal(8))
    other = x.clone()
    other[1, 2] += 1
    for function, parameters in ((layer_norm, (gain, bias)), (position_wise_network, weights)):
        moved = (function(other, *parameters) != function(x, *parameters)).any(-1)
        assert moved.nonzero().tolist() == [[1, 2]]


def test_the_network_is_the_layers_and_torchs():
    layer = FeedForward(6, 24).double()
    x = normal(2, 3, 6)
    weights = (layer.W_1.weight.T, layer.W_1.bias, layer.W_2.weight.T, layer.W_2.bias)
    theirs = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 6)).double()
    named = ("0.weight", "0.bias", "2.weight", "2.bias")
    theirs.load_state_dict(dict(zip(named, layer.state_dict().values(), strict=True)))
    torch.testing.assert_close(position_wise_network(x, *weights), theirs(x))
    torch.testing.assert_close(layer(x), theirs(x))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_without_its_sublayers_a_block_is_its_residual_connections(norm):
    block = DecoderBlock(8, 2, 16, 0.0, norm).double()
    for sublayer in (block.self_attention.W_O, block.cross_attention.W_O, block.feed_forward.W_2):
        nn.init.zeros_(sublayer.weight)
        nn.init.zeros_(sublayer.bias)
    x, H_E = normal(1, 4, 8), normal(1, 3, 8, seed=1)
    out, _ = block(x, block.cross_attention.keys_values(H_E))
    if norm == "pre":
        assert torch.equal(out, x)
    else:
        ones, zeros = torch.ones(8).double(), torch.zeros(8).double()
        for _ in range(3):
            x = layer_norm(x, ones, zeros)
        torch.testing.assert_close(out, x)
