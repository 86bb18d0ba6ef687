"""Attention as equation and as kernel: one test body for both, torch.nn as the oracle."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.layers.attention import (
    attention_weights,
    fused_attention,
    queries_keys_values,
    scaled_dot_product_attention,
    scaled_scores,
    self_attention,
)
from mtcourse.layers.masks import causal_mask

BOTH = pytest.mark.parametrize("attention", [scaled_dot_product_attention, fused_attention])


def rows(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def test_scores_by_hand():
    Q = torch.tensor([[1.0, 0.0], [3.0, 4.0]])
    K = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    expected = torch.tensor([[2.0, 0.0, 1.0], [6.0, 4.0, 7.0]]) / math.sqrt(2)
    torch.testing.assert_close(scaled_scores(Q, K), expected)


def test_queries_come_from_one_side_and_keys_and_values_from_the_other():
    X, Z = rows(2, 3, 4), rows(2, 5, 4, seed=1)
    W_Q, W_K, W_V = rows(4, 2, seed=2), rows(4, 2, seed=3), rows(4, 6, seed=4)
    Q, K, V = queries_keys_values(X, Z, W_Q, W_K, W_V)
    for got, row, weight in ((Q, X[1, 2], W_Q), (K, Z[1, 2], W_K), (V, Z[1, 2], W_V)):
        torch.testing.assert_close(got[1, 2], weight.T @ row)


def test_self_attention_is_torchs_with_one_head():
    X, d_model = rows(2, 5, 8), 8
    W_Q, W_K, W_V = (rows(d_model, d_model, seed=seed) for seed in (1, 2, 3))
    layer = torch.nn.MultiheadAttention(d_model, 1, bias=False, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([W_Q.T, W_K.T, W_V.T]))
        layer.out_proj.weight.copy_(torch.eye(d_model))
        expected, _ = layer(X, X, X)
    torch.testing.assert_close(self_attention(X, W_Q, W_K, W_V), expected, rtol=1e-4, atol=1e-5)


def test_self_attention_passes_its_mask_on():
    X, weights = rows(2, 5, 8), [rows(8, 8, seed=seed) for seed in (1, 2, 3)]
    masked = self_attention(X, *weights, causal_mask(5))
    for length in range(1, 6):
        alone = self_attention(X[:, :length], *weights, causal_mask(length))
        torch.testing.assert_close(masked[:, length - 1], alone[:, -1], rtol=1e-4, atol=1e-5)


@BOTH
def test_one_query_that_matches_one_key_takes_its_value(attention):
    K = 30.0 * torch.eye(3)
    V = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    output, _ = attention(K[[2, 0]], K, V)
    torch.testing.assert_close(output, V[[2, 0]])


@BOTH
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 6), (5, 7), (7, 5)])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_torchs(attention, m, n, dtype, masked, device):
    Q, K, V = rows(2, 3, m, 8, dtype=dtype), rows(2, 3, n, 8, seed=1), rows(2, 3, n, 4, seed=2)
    Q, K, V = (x.to(device, dtype) for x in (Q, K, V))
    mask = None
    if masked:
        mask = (rows(2, 1, m, n, seed=3) > 0).to(device)
        mask[..., 0] = True
    output, _ = attention(Q, K, V, mask)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        Q.double(), K.double(), V.double(), mask
    )
    torch.testing.assert_close(output.double(), theirs, atol=1e-5, rtol=1e-5)


@BOTH
def test_a_row_that_may_attend_to_nothing_is_zeros_and_has_finite_gradients(attention, device):
    Q, K, V = (rows(1, 2, 3, 4, seed=s).to(device).requires_grad_() for s in range(3))
    mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    output, _ = attention(Q, K, V, mask.to(device))
    assert torch.equal(output[:, :, 1], torch.zeros_like(output[:, :, 1]))
    assert (output[:, :, [0, 2]] != 0).all()
    output.sum().backward()
    assert all(x.grad.isfinite().all() for x in (Q, K, V))


@BOTH
@pytest.mark.parametrize(("m", "n"), [(5, 5), (2, 5), (1, 5)])
@pytest.mark.parametrize("masked", [False, True])
def test_causal_is_the_causal_mask(attention, m, n, masked, device):
    Q, K, V = (rows(2, 3, k, 8, seed=k).to(device) for k in (m, n, n))
    causal = causal_mask(m, n, device)
    mask = None
    if masked:
        mask = torch.ones(2, 1, 1, n, dtype=torch.bool, device=device)
        mask[0, ..., 1] = False
    both = causal if mask is None else causal & mask
    torch.testing.assert_close(
        attention(Q, K, V, mask, causal=True)[0],
        scaled_dot_product_attention(Q, K, V, both.expand(2, 3, m, n))[0],
    )


@settings(max_examples=30, deadline=None)
@given(m=st.integers(1, 5), n=st.integers(1, 6), seed=st.integers(0, 999), scale=st.floats(0.1, 30))
def test_weights_are_at_least_0_sum_to_1_and_are_0_where_masked(m, n, seed, scale):
    mask = rows(m, n, seed=seed) > -0.5
    weights = attention_weights(scale * rows(2, m, n, seed=seed + 1), mask)
    assert (weights >= 0).all()
    assert (weights.masked_select(~mask) == 0).all()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float().expand(2, m))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999), n=st.integers(1, 6))
def test_the_order_of_keys_with_their_values_changes_nothing(seed, n):
    Q, K, V = rows(3, 4, seed=seed), rows(n, 4, seed=seed + 1), rows(n, 5, seed=seed + 2)
    order = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
    for attention in (scaled_dot_product_attention, fused_attention):
        output, _ = attention(Q[None, None], K[None, None], V[None, None])
        permuted, _ = attention(Q[None, None], K[None, None, order], V[None, None, order])
        torch.testing.assert_close(output, permuted, atol=1e-5, rtol=1e-4)


def test_the_readable_attention_returns_the_weights_it_used():
    Q, K, V = (rows(2, 3, 4, 4, seed=s) for s in range(3))
    output, weights = scaled_dot_product_attention(Q, K, V)
    torch.testing.assert_close(weights @ V, output)
    assert fused_attention(Q, K, V)[1] is None


@BOTH
def test_gradients_are_right(attention):
    Q, K, V = (rows(1, 1, 3, 2, seed=s, dtype=torch.float64).requires_grad_() for s in range(3))
    torch.autograd.gradcheck(lambda *x: attention(*x, causal=True)[0], (Q, K, V))
