"""The three masks."""

from __future__ import annotations

import math

import torch

from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import additive_mask, causal_mask, padding_mask


def test_causal_mask_is_the_documents_example():
    # A12 prints this matrix for m = 4, with 0 where attention is allowed and -inf elsewhere.
    inf = math.inf
    expected = [[0, -inf, -inf, -inf], [0, 0, -inf, -inf], [0, 0, 0, -inf], [0, 0, 0, 0]]
    assert additive_mask(causal_mask(4)).tolist() == expected


def test_causal_mask_agrees_with_torch(device):
    theirs = torch.nn.Transformer.generate_square_subsequent_mask(6, device=device)
    assert torch.equal(additive_mask(causal_mask(6, device=device)), theirs)


def test_fewer_queries_than_keys_are_the_last_ones():
    assert torch.equal(causal_mask(2, 5), causal_mask(5)[3:])
    assert causal_mask(1, 4).all()


def test_padding_is_hidden_from_every_query():
    ids = torch.tensor([[5, 6, 0], [7, 0, 0]])
    assert padding_mask(ids).tolist() == [[[[True, True, False]]], [[[True, False, False]]]]


def test_adding_the_mask_and_selecting_with_it_give_the_same_weights():
    scores = torch.randn(4, 4, generator=torch.Generator().manual_seed(0))
    mask = causal_mask(4)
    added = torch.softmax(scores + additive_mask(mask), dim=-1)
    torch.testing.assert_close(attention_weights(scores, mask), added)
