"""A lookup is the product, its gradient a sum of rows, a tied output a product with each row."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from mtcourse.layers.embeddings import (
    Embedding,
    embed,
    embed_one_hot,
    embedding_gradient,
    tied_logits,
)
from mtcourse.text.one_hot import one_hot

B_WORDS = ["I", "love", "deep", "learning", "very", "much", "!", "<PAD>"]
B_TABLE = torch.tensor(
    [[0.2, 0.5, -0.3, 0.8], [0.1, -0.4, 0.6, 0.3], [-0.5, 0.2, 0.4, -0.1], [0.3, 0.7, -0.2, 0.5],
     [0.4, -0.3, 0.1, 0.6], [-0.2, 0.5, 0.3, -0.4], [0.6, 0.1, -0.5, 0.2], [0.0, 0.0, 0.0, 0.0]]
)  # fmt: skip


@st.composite
def tables_and_ids(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """A table, and ids of its rows, with repeats as they come."""
    V, d = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    ids = draw(st.lists(st.integers(0, V - 1), min_size=1, max_size=15))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
    return torch.randn(V, d, generator=generator), torch.tensor(ids)


@settings(deadline=None, max_examples=60)
@given(tables_and_ids())
def test_the_lookup_is_the_product_with_one_hot_columns(drawn: tuple[Tensor, Tensor]) -> None:
    W_E, ids = drawn
    X = one_hot(ids, len(W_E))
    assert torch.equal(embed(ids, W_E), embed_one_hot(X, W_E))
    for j, x_j in enumerate(X.T):  # a token at a time, as A03 has it
        assert torch.equal(embed(ids, W_E)[j], x_j @ W_E)
    assert torch.equal(embed_one_hot(X, W_E), torch.einsum("vn,vd->nd", X, W_E))


def test_the_table_of_document_b_is_looked_up() -> None:
    found = embed(torch.arange(8), B_TABLE)
    assert torch.equal(found, B_TABLE)
    deep, pad = B_WORDS.index("deep"), B_WORDS.index("<PAD>")
    assert embed(torch.tensor([deep]), B_TABLE).tolist()[0] == pytest.approx([-0.5, 0.2, 0.4, -0.1])
    assert embed(torch.tensor([pad]), B_TABLE).tolist() == [[0.0, 0.0, 0.0, 0.0]]


def test_ids_keep_their_shape_and_columns_their_sentences() -> None:
    ids = torch.tensor([[3, 0, 7], [7, 7, 1]])
    assert embed(torch.tensor(3), B_TABLE).shape == (4,)
    batch = embed_one_hot(torch.stack([one_hot(row, 8) for row in ids]), B_TABLE)
    assert torch.equal(embed(ids, B_TABLE), batch)


def test_a_column_that_is_not_one_hot_mixes_rows() -> None:
    X = torch.zeros(8, 2)
    X[[0, 2], 0] = 0.5
    mixed = embed_one_hot(X, B_TABLE)
    torch.testing.assert_close(mixed[0], (B_TABLE[0] + B_TABLE[2]) / 2)
    assert torch.equal(mixed[1], torch.zeros(4))


@settings(deadline=None, max_examples=60)
@given(tables_and_ids())
def test_the_gradient_is_that_of_autograd_and_of_the_product(drawn: tuple[Tensor, Tensor]) -> None:
    W_E, ids = drawn
    leaf = W_E.clone().requires_grad_()
    H_bar = torch.randn(len(ids), W_E.shape[1], generator=torch.Generator().manual_seed(1))
    (embed(ids, leaf) * H_bar).sum().backward()
    found = embedding_gradient(ids, H_bar, len(W_E))
    torch.testing.assert_close(found, leaf.grad)
    torch.testing.assert_close(found, one_hot(ids, len(W_E)) @ H_bar)
    unused = [k for k in range(len(W_E)) if k not in ids]
    assert not found[unused].any()


def test_the_gradient_of_a_batch_adds_up_its_sentences() -> None:
    ids, H_bar = torch.tensor([[1, 1, 0], [2, 1, 0]]), torch.randn(2, 3, 4)
    wanted = sum(embedding_gradient(one, rows, 5) for one, rows in zip(ids, H_bar, strict=True))
    torch.testing.assert_close(embedding_gradient(ids, H_bar, 5), wanted)


def test_a_tied_output_is_a_linear_layer_with_the_tables_weights() -> None:
    W_E, H = torch.randn(7, 4), torch.randn(2, 3, 4)
    layer = nn.Linear(4, 7, bias=False)
    layer.weight = nn.Parameter(W_E)
    torch.testing.assert_close(tied_logits(H, W_E), layer(H))
    assert tied_logits(H, W_E)[1, 2, 5] == pytest.approx(float(H[1, 2] @ W_E[5]), abs=1e-5)


def test_the_module_adds_positions_to_scaled_rows() -> None:
    table = nn.Parameter(torch.randn(9, 4))
    layer = Embedding(table, max_length=10, dropout=0.0).eval()
    ids = torch.tensor([[5, 2, 5]])
    wanted = table[ids] * math.sqrt(4) + layer.P[2:5]
    torch.testing.assert_close(layer(ids, position=2), wanted)
    assert set(layer.state_dict()) == {"W_E"}
