"""What chapter 14 counts and computes, against PyTorch, brute force and the package."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from mtcourse.chapters.kv_cache.counts import (
    buffers,
    cache_bytes,
    columns_moved,
    counted_products,
    dependence,
    generation_products,
    measured_bytes,
    step_products,
)
from mtcourse.chapters.kv_cache.grouped import grouped_query_attention
from mtcourse.chapters.kv_cache.row_beams import no_caches
from mtcourse.errors import MtcourseError
from mtcourse.layers.attention import fused_attention
from mtcourse.layers.masks import causal_mask
from mtcourse.layers.multi_head import split_head_attention
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.transformer import TransformerConfig

SIZES = TransformerConfig(V=23, d_model=12, h=3, d_ff=20, layers=2, dropout=0.0, max_length=32)


@pytest.fixture
def model() -> DecoderModel:
    return DecoderModel(SIZES, seed=3).double().eval()


def ids_of(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(4, SIZES.V, shape, generator=torch.Generator().manual_seed(seed))


# --- multiplications ----------------------------------------------------------------------------


@pytest.mark.parametrize("t", [1, 2, 9])
def test_the_formula_agrees_with_the_counter_of_torch(model, t):
    ids = ids_of(1, t)
    caches = no_caches(model, 1, t)
    if t > 1:
        _, caches = model.extend(ids[:, :-1], caches, 0)
    cached = counted_products(
        lambda: model.logits(model.extend(ids[:, -1:], caches, t - 1)[0]), model
    )
    plain = counted_products(lambda: model.logits(model.hidden(ids)[:, -1:]), model)
    assert cached == step_products(SIZES, t, cached=True)
    assert plain == step_products(SIZES, t, cached=False)


def test_the_counter_counts_a_product_by_hand_and_gives_the_attention_back(model):
    before = [block.self_attention.attention for block in model.blocks]
    A, B = torch.ones(2, 3), torch.ones(3, 5)
    assert counted_products(lambda: A @ B, model) == 2 * 3 * 5
    assert [block.self_attention.attention for block in model.blocks] == before
    assert before == [fused_attention] * SIZES.layers
    with pytest.raises(ZeroDivisionError):
        counted_products(lambda: 1 / 0, model)
    assert [block.self_attention.attention for block in model.blocks] == before


@settings(max_examples=20, deadline=None)
@given(T=st.integers(1, 40), d=st.integers(1, 6), layers=st.integers(1, 3))
def test_a_text_costs_what_the_page_writes_in_closed_form(T, d, layers):
    sizes = TransformerConfig(V=7, d_model=2 * d, h=2, d_ff=3 * d, layers=layers)
    width = sizes.d_model
    block, output = 4 * width**2 + 2 * width * sizes.d_ff, width * sizes.V * T
    cached = layers * (block * T + width * T * (T + 1)) + output
    plain = (
        layers * (block * T * (T + 1) // 2 + 2 * width * T * (T + 1) * (2 * T + 1) // 6) + output
    )
    assert generation_products(sizes, T, cached=True) == cached
    assert generation_products(sizes, T, cached=False) == plain


# --- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_formula_of_bytes_agrees_with_the_tensors(model, dtype):
    caches = no_caches(model.to(dtype), rows=5, capacity=7)
    size = torch.empty((), dtype=dtype).element_size()
    expected = cache_bytes(SIZES.layers, SIZES.h, 4, T=7, B=5, size=size)
    assert measured_bytes(buffers(caches)) == expected
    storages = sum(part.untyped_storage().nbytes() for part in buffers(caches))
    assert storages == expected


@pytest.mark.parametrize(("T", "capacity", "moved"), [(8, 8, 0), (9, 8, 8), (5, 1, 1 + 2 + 4)])
def test_columns_are_moved_when_the_room_is_spent(T, capacity, moved):
    assert columns_moved(T, capacity) == moved


# --- who needs what -----------------------------------------------------------------------------


def test_a_query_is_used_by_its_own_row_and_keys_and_values_by_all_later_ones():
    found = dependence(6)
    triangle, line = torch.ones(6, 6).tril().bool(), torch.eye(6).bool()
    line[0, 0] = False  # a single key has weight 1, whatever its score
    keys = triangle.clone()
    keys[0, 0] = False
    assert torch.equal(found["Q"], line)
    assert torch.equal(found["K"], keys)
    assert torch.equal(found["V"], triangle)


# --- groups -------------------------------------------------------------------------------------


def weights(groups: int) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(groups)
    shapes = (24, 24), (24, groups * 4), (24, groups * 4), (24, 24)
    return tuple(torch.randn(shape, generator=generator).double() for shape in shapes)


def test_as_many_groups_as_heads_are_multi_head_attention():
    X, mask = torch.randn(2, 5, 24).double(), causal_mask(5)
    ours = grouped_query_attention(X, *weights(6), 6, mask)
    torch.testing.assert_close(ours, split_head_attention(X, *weights(6), 6, mask))


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_groups_are_what_torch_computes(groups):
    X = torch.randn(2, 5, 24).double()
    W_Q, W_K, W_V, W_O = weights(groups)
    Q, K, V = ((X @ W).unflatten(-1, (-1, 4)).transpose(1, 2) for W in (W_Q, W_K, W_V))
    A = nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True, enable_gqa=True)
    expected = A.transpose(1, 2).flatten(-2) @ W_O
    ours = grouped_query_attention(X, W_Q, W_K, W_V, W_O, 6, causal_mask(5))
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize("columns", [4 * 4, 5 * 4, 6])
def test_groups_that_heads_cannot_share_are_refused(columns):
    W_Q, _, _, W_O = weights(1)
    W = torch.zeros(24, columns).double()
    with pytest.raises(MtcourseError, match=f"W_K has {columns} columns, but 6 heads of width 4"):
        grouped_query_attention(torch.zeros(1, 2, 24).double(), W_Q, W, W, W_O, 6)
