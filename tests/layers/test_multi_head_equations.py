"""Heads of full and of shared width, against a loop, torch's module, and torch's own counts."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.multi_head import (
    MultiHeadAttention,
    SelfAttention,
    as_full_width,
    contribution_norms,
    head_contributions,
    head_outputs,
    head_width,
    multi_head_attention,
    multi_head_flops,
    multi_head_parameters,
    split_head_attention,
)


def drawn(*shape: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def one_head_after_the_other(X, W_Q, W_K, W_V, W_O, mask=None) -> Tensor:
    """A24 to A27 with a loop, and softmax by hand."""
    outputs = []
    for of_q, of_k, of_v in zip(W_Q, W_K, W_V, strict=True):
        Q, K, V = X @ of_q, X @ of_k, X @ of_v
        e = torch.exp(Q @ K.mT / math.sqrt(K.shape[-1]))
        e = e if mask is None else e * mask
        outputs.append(e / e.sum(-1, keepdim=True) @ V)
    return torch.cat(outputs, -1) @ W_O


WIDTHS = [(3, 6, 6), (3, 6, 2), (1, 6, 6), (6, 6, 1), (2, 6, 5)]


@pytest.mark.parametrize(("h", "d", "d_k"), WIDTHS)
@pytest.mark.parametrize("masked", [False, True])
def test_all_heads_at_once_are_one_head_after_the_other(h, d, d_k, masked):
    X = drawn(2, 5, d)
    W_Q, W_K, W_V = drawn(3, h, d, d_k, seed=2)
    W_O = drawn(h * d_k, d, seed=3)
    mask = causal_mask(5) if masked else None
    found = multi_head_attention(X, W_Q, W_K, W_V, W_O, mask)
    torch.testing.assert_close(found, one_head_after_the_other(X, W_Q, W_K, W_V, W_O, mask))
    A = head_outputs(X, W_Q, W_K, W_V, mask)
    assert A.shape == (2, h, 5, d_k)
    torch.testing.assert_close(head_contributions(A, W_O).sum(1), found)


def test_norms_are_lengths_of_what_is_added_to_a_row():
    """The oracle adds position after position: the lengths are those of the single additions."""
    h, d_k, d, m, n = 2, 3, 6, 4, 5
    V, W_O = drawn(1, h, n, d_k, seed=2), drawn(h * d_k, d, seed=3)
    weights = drawn(1, h, m, n).softmax(-1)
    found = contribution_norms(weights, V, W_O)
    for k in range(h):
        block = W_O[k * d_k : (k + 1) * d_k]
        for i in range(m):
            added = [weights[0, k, i, j] * (V[0, k, j] @ block) for j in range(n)]
            torch.testing.assert_close(found[0, k, i], torch.stack([one.norm() for one in added]))
    assert (found.argmax(-1) != weights.argmax(-1)).any()


@pytest.mark.parametrize("h", [1, 2, 3, 6])
def test_split_heads_are_torchs(h):
    d = 6
    theirs = nn.MultiheadAttention(d, h, bias=False, batch_first=True, dtype=torch.float64)
    W_Q, W_K, W_V, W_O = drawn(4, d, d)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([W_Q.T, W_K.T, W_V.T]))
        theirs.out_proj.weight.copy_(W_O.T)
    X = drawn(2, 5, d, seed=2)
    expected, weights = theirs(X, X, X, attn_mask=~causal_mask(5), average_attn_weights=False)
    assert weights.shape == (2, h, 5, 5)
    found = split_head_attention(X, W_Q, W_K, W_V, W_O, h, causal_mask(5))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("h", [1, 2, 3, 6])
def test_full_width_heads_with_columns_of_zeros_are_split_heads(h):
    X, (W_Q, W_K, W_V, W_O) = drawn(2, 5, 6), drawn(4, 6, 6, seed=2)
    full = as_full_width(W_Q, W_K, W_V, W_O, h)
    assert [tuple(of.shape) for of in full] == [*[(h, 6, 6)] * 3, (6 * h, 6)]
    found = multi_head_attention(X, *full, causal_mask(5))
    expected = split_head_attention(X, W_Q, W_K, W_V, W_O, h, causal_mask(5))
    torch.testing.assert_close(found, expected)


def test_without_the_root_of_h_the_layouts_differ():
    X, (W_Q, W_K, W_V, W_O) = drawn(5, 6), drawn(4, 6, 6, seed=2)
    scaled_Q, *rest = as_full_width(W_Q, W_K, W_V, W_O, 3)
    found = multi_head_attention(X, scaled_Q / math.sqrt(3), *rest)
    assert (found - split_head_attention(X, W_Q, W_K, W_V, W_O, 3)).abs().max() > 0.1


def test_a_split_head_compares_in_few_directions_and_a_full_one_in_all():
    W_Q, W_K = drawn(2, 8, 8)
    assert torch.linalg.matrix_rank(W_Q @ W_K.T) == 8
    assert torch.linalg.matrix_rank(W_Q[:, :2] @ W_K[:, :2].T) == 2


@pytest.mark.parametrize(("h", "d", "d_k"), WIDTHS)
def test_parameters_and_flops_are_what_torch_counts(h, d, d_k):
    module = MultiHeadAttention(d, h, d_k)
    assert sum(of.numel() for of in module.parameters()) == multi_head_parameters(d, h, d_k)
    with FlopCounterMode(display=False) as counter:
        module(torch.randn(1, 7, d))
    assert counter.get_total_flops() == multi_head_flops(7, d, h, d_k)


@pytest.mark.parametrize("h", [1, 2, 4])
def test_the_models_layer_costs_what_b06_says_whatever_the_number_of_heads(h):
    layer, d = SelfAttention(16, h, scaled_dot_product_attention), 16
    counted = sum(of.numel() for of in layer.parameters())
    assert counted == multi_head_parameters(d, h, head_width(d, h)) + 4 * d  # and biases
    with FlopCounterMode(display=False) as counter:
        layer(torch.randn(1, 5, d))
    assert counter.get_total_flops() == multi_head_flops(5, d, h, head_width(d, h))


def test_b06_has_heads_of_width_two():
    assert head_width(4, 2) == 2


@pytest.mark.parametrize(("d_model", "h"), [(6, 4), (6, 0), (4, 8)])
def test_a_width_that_cannot_be_shared_is_refused(d_model, h):
    with pytest.raises(MtcourseError, match=f"{h} heads cannot share a width of {d_model}"):
        head_width(d_model, h)


def test_heads_that_begin_alike_stay_alike():
    """Equal weights get equal gradients: h such heads are one."""
    module = MultiHeadAttention(6, 2, 3).double()
    with torch.no_grad():
        for W in (module.W_Q, module.W_K, module.W_V):
            W[1] = W[0]
        module.W_O[3:] = module.W_O[:3]
    X, wanted = drawn(2, 5, 6), drawn(2, 5, 6, seed=2)
    (module(X) - wanted).square().sum().backward()
    assert module.W_Q.grad is not None
    assert module.W_Q.grad.abs().max() > 0
    torch.testing.assert_close(module.W_Q.grad[0], module.W_Q.grad[1])
