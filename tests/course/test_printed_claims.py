"""What documents print against what the package computes: claims that no other test is about."""

from __future__ import annotations

import math
from dataclasses import replace

import torch

from mtcourse.layers.attention import attention_weights, scaled_scores
from mtcourse.layers.masks import additive_mask, causal_mask
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig


def rows(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def inside(Q: torch.Tensor, K: torch.Tensor, M: torch.Tensor) -> torch.Tensor:
    """Weights as A14 prints them."""
    return torch.softmax((Q @ K.mT + M) / math.sqrt(Q.shape[-1]), dim=-1)


def outside(Q: torch.Tensor, K: torch.Tensor, M: torch.Tensor) -> torch.Tensor:
    """Weights as D03 prints them."""
    return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]) + M, dim=-1)


def test_an_infinite_mask_may_stand_inside_or_outside_the_division():
    Q, K, mask = rows(2, 5, 16), rows(2, 5, 16, seed=1), causal_mask(5)
    M = additive_mask(mask).double()
    ours = attention_weights(scaled_scores(Q, K), mask)
    torch.testing.assert_close(inside(Q, K, M), ours)
    torch.testing.assert_close(outside(Q, K, M), ours)


def test_a_finite_mask_leaks_and_its_place_matters():
    Q, K, mask = rows(3, 16), rows(4, 16, seed=1), causal_mask(3, 4)
    M = torch.where(mask, 0.0, -20.0).double()
    hidden = [weights(Q, K, M)[~mask].sum() for weights in (inside, outside)]
    assert hidden[0] > 100 * hidden[1] > 0
    # A row with nothing to attend to is masked by nothing: every score falls by the same.
    none = torch.full((3, 4), -1e9, dtype=torch.float64)
    torch.testing.assert_close(outside(Q, K, none), torch.softmax(scaled_scores(Q, K), dim=-1))
    assert (attention_weights(scaled_scores(Q, K), torch.zeros(3, 4, dtype=torch.bool)) == 0).all()


B_SCORES = [[2.3, 0.8, 1.2, 1.5], [0.8, 2.1, 0.9, 1.3], [1.2, 0.9, 2.5, 1.1]]
B_WEIGHTS = [[0.35, 0.08, 0.12, 0.15], [0.10, 0.31, 0.11, 0.16], [0.13, 0.09, 0.41, 0.12]]


def may_be_a_softmax(scores: list[float], weights: list[float], error: float = 0.0) -> bool:
    """Whether weights, rounded to two decimals, can belong to scores known up to an error.

    Then one number c lies between w / exp(s) for the least and the greatest w and s of all places.
    """
    pairs = list(zip(scores, weights, strict=True))
    least = max((w - 0.005) / math.exp(s + error) for s, w in pairs)
    greatest = min((w + 0.005) / math.exp(s - error) for s, w in pairs)
    return least <= greatest


def test_the_printed_weights_of_document_b_are_not_those_of_its_scores():
    rows_of_b = list(zip(B_SCORES, B_WEIGHTS, strict=True))
    assert [may_be_a_softmax(*row) for row in rows_of_b] == [False, False, False]
    # The scores are rounded too, to one decimal: that excuses the first row alone.
    assert [may_be_a_softmax(*row, 0.05) for row in rows_of_b] == [True, False, False]
    for scores in B_SCORES:
        weights = attention_weights(torch.tensor(scores)[None])[0]
        assert may_be_a_softmax(scores, [round(float(w), 2) for w in weights])


def test_document_bs_mask_is_the_causal_mask_and_leaves_padding_open():
    printed = [[1] * (j + 1) + [0] * (7 - j) for j in range(8)]
    assert causal_mask(8).int().tolist() == printed
    weights = attention_weights(torch.zeros(8, 8), causal_mask(8))
    assert (weights[6:, 6] > 0).all(), "the rows of the padding see padding"


def test_one_loss_reaches_every_weight():
    sizes = EncoderDecoderConfig(V_s=11, V_t=13, d_model=8, h=2, d_ff=16, shared_embeddings=False)
    model = EncoderDecoder(replace(sizes, dropout=0.0))
    source, decoder_input = torch.tensor([[4, 5, 6]]), torch.tensor([[2, 7, 8, 9]])
    logits = model(source, decoder_input)
    torch.nn.functional.cross_entropy(logits[0], torch.tensor([7, 8, 9, 3])).backward()
    unmoved = [name for name, weight in model.named_parameters() if not weight.grad.any()]
    assert unmoved == []
