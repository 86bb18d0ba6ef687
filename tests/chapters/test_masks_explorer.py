"""The explorer of masks computes what torch and the package compute."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from mtcourse.chapters.masks.explorer import masks_explorer
from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import additive_mask, causal_mask, padding_mask
from tests.helpers.javascript import computed as node
from tests.helpers.script_numbers import equal, products_of


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("length", [0, 3, 5])
def test_who_may_see_whom_is_what_the_package_says(side, length):
    filled = [j < length if side == "right" else j >= 5 - length for j in range(5)]
    ids = torch.tensor([[4 if real else 0 for real in filled]])
    for causal, padding in itertools.product([False, True], repeat=2):
        found = node(
            "masks",
            "allowedOf(realPositions(5, length, side), { causal, padding })",
            length=length,
            side=side,
            causal=causal,
            padding=padding,
        )
        everything = torch.ones(5, 5, dtype=torch.bool)
        wanted = causal_mask(5) if causal else everything
        wanted = wanted & (padding_mask(ids)[0, 0] if padding else everything)
        assert torch.tensor(found).equal(wanted)


def test_a_flipped_cell_is_the_opposite():
    found = node(
        "masks",
        'allowedOf([true, true], { causal: true, padding: true, flipped: ["0,1", "1,1"] })',
    )
    assert found == [[True, True], [True, False]]


ALLOWED = torch.tensor([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 1]], dtype=torch.bool)
VALUES = (-math.inf, -1.0, -10.0, -1000.0, -1e9)


def torch_scores(
    products: torch.Tensor, d_k: int, how: str, value: float, inside: bool
) -> torch.Tensor:
    """The documents' masks, in torch: A14 inside the division, D03 outside, B16 by a product."""
    scores = products if inside else products / math.sqrt(d_k)
    if how == "multiply":
        scores = scores * ALLOWED
    elif how == "replace":
        scores = scores.masked_fill(~ALLOWED, value)
    elif value == -math.inf:
        scores = scores + additive_mask(ALLOWED)
    else:
        scores = scores + value * (~ALLOWED).float()
    return scores / math.sqrt(d_k) if inside else scores


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("how", ["add", "replace", "multiply"])
@pytest.mark.parametrize("size", [4.0, 300.0])
def test_masked_weights_are_those_of_torch(how, inside, size):
    products = products_of(7, 4, 4, size)
    settings = [{"d_k": 16, "how": how, "value": v, "inside": inside} for v in VALUES]
    found = node(
        "masks",
        "settings.map((how) => ({ scores: maskedScores(products, allowed, how), "
        "weights: maskedWeights(products, allowed, how), "
        "zeros: maskedWeights(products, allowed, { ...how, zeros: true }) }))",
        products=products.tolist(),
        allowed=ALLOWED.tolist(),
        settings=settings,
    )
    for one, value in zip(found, VALUES, strict=True):
        scores = torch_scores(products, 16, how, value, inside)
        torch.testing.assert_close(torch.tensor(one["scores"]), scores)
        weights = torch.softmax(scores, -1)
        equal(one["weights"], weights)
        equal(one["zeros"], weights.masked_fill(~ALLOWED.any(-1, keepdim=True), 0.0))
        if value == -math.inf and how != "multiply":
            equal(one["zeros"], attention_weights(products / 4, ALLOWED))
            assert all(map(math.isnan, one["weights"][2])), "nothing to attend to is 0/0"


def test_leaks_are_counted():
    weights = [[0.9, 0.1, 0, 0], [0.5, 0.5, 0, 0], [math.nan] * 4, [0.7, 0.2, 0.1, 0]]
    found = node("masks", "leaks(w, allowed)", w=weights, allowed=ALLOWED.tolist())
    assert found == {"rows": 2, "total": pytest.approx(0.3), "nan": 1}


def test_numbers_are_written_so_that_0_means_nothing():
    of = [0, 0.004, 3e-7, 0.5, 1]
    assert node("masks", "of.map((x) => weight(x))", of=of) == [
        "0", "4e−3", "3e−7", "0.50", "1.00",
    ]  # fmt: skip
    of = [0.001, -0.001, -2.5, -1e9, -math.inf]
    assert node("masks", "of.map((x) => written(x, 1))", of=of) == [
        "0.0", "0.0", "−2.5", "−1e9", "−∞",
    ]  # fmt: skip


def test_the_mask_builders_scores_are_of_the_usual_size():
    explorer = masks_explorer()
    scores = torch.tensor(explorer.data["products"]) / math.sqrt(explorer.data["d_k"])
    assert scores.shape == (5, 5)
    assert 0.5 < scores.std() < 1.5


def test_settings_are_known_by_name():
    assert masks_explorer(settings={"causal": False}).settings["causal"] is False
