"""Filters of logits: transformers' warpers are the oracle, and plain loops over sorted lists."""

from __future__ import annotations

import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.decoding.filters import in_order, min_p, temperature, top_k, top_p
from mtcourse.errors import MtcourseError

LOGITS = torch.randn(7, 40, generator=torch.Generator().manual_seed(1), dtype=torch.float64) * 3
IDS = torch.zeros(7, 1, dtype=torch.long)
ROWS = st.lists(st.floats(-8, 8), min_size=1, max_size=12)


def warped(name, **settings_of):
    from transformers.generation import logits_process

    return getattr(logits_process, name)(**settings_of)(IDS, LOGITS.clone())


def same_distribution(one, other):
    assert torch.equal(one.isneginf(), other.isneginf())
    torch.testing.assert_close(one.softmax(-1), other.softmax(-1), rtol=0, atol=1e-12)


@pytest.mark.parametrize("T", [0.1, 0.7, 1.0, 3.0])
def test_temperature_is_that_of_transformers(T):
    expected = warped("TemperatureLogitsWarper", temperature=float(T))
    same_distribution(temperature(LOGITS, T), expected)


@pytest.mark.parametrize("k", [1, 2, 5, 40, 100])
def test_top_k_is_that_of_transformers(k):
    same_distribution(top_k(LOGITS, k), warped("TopKLogitsWarper", top_k=k))


@pytest.mark.parametrize("p", [0.01, 0.3, 0.6, 0.9, 0.99])
def test_top_p_is_that_of_transformers(p):
    same_distribution(top_p(LOGITS, p), warped("TopPLogitsWarper", top_p=p))


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 1.0])
def test_min_p_is_that_of_transformers(p):
    same_distribution(min_p(LOGITS, p), warped("MinPLogitsWarper", min_p=p))


def nucleus_by_hand(probabilities, p):
    kept, total = set(), 0.0
    for i in sorted(range(len(probabilities)), key=lambda i: (-probabilities[i], i)):
        kept.add(i)
        total += probabilities[i]
        if total >= p:
            break
    return kept


def test_the_token_that_crosses_p_stays():
    probabilities = [0.5, 0.25, 0.125, 0.125]
    logits = torch.tensor(probabilities, dtype=torch.float64).log()
    for p, size in ((0.4, 1), (0.5, 1), (0.6, 2), (0.75, 2), (0.8, 3), (0.9, 4), (1.0, 4)):
        kept = set((~top_p(logits, p).isneginf()).nonzero()[:, 0].tolist())
        assert kept == nucleus_by_hand(probabilities, p)
        assert len(kept) == size


@settings(deadline=None)
@given(row=ROWS, p=st.floats(0.01, 1))
def test_a_nucleus_is_the_smallest_that_reaches_p(row, p):
    logits = torch.tensor(row, dtype=torch.float64)
    shares = logits.softmax(-1)
    kept = ~top_p(logits, p).isneginf()
    assert kept.any()
    assert shares[kept].sum() >= p - 1e-9
    if kept.sum() > 1 and p < 1:
        assert shares[kept].sum() - shares[kept].min() < p + 1e-9
    if not kept.all():
        assert shares[~kept].max() <= shares[kept].min()


@settings(deadline=None)
@given(row=ROWS, k=st.integers(1, 14))
def test_top_k_keeps_exactly_k_also_of_equal_ones(row, k):
    logits = torch.tensor(row, dtype=torch.float64)
    kept = ~top_k(logits, k).isneginf()
    expected = sorted(range(len(row)), key=lambda i: (-row[i], i))[:k]
    assert set(kept.nonzero()[:, 0].tolist()) == set(expected)


def test_the_limits_of_temperature():
    logits = torch.tensor([[1.0, 3.0, 3.0, -math.inf], [0.0, 2.0, 1.0, 5.0]])
    cold, hot = temperature(logits, 0), temperature(logits, math.inf)
    assert cold.softmax(-1).tolist() == [[0.0, 0.5, 0.5, 0.0], [0.0, 0.0, 0.0, 1.0]]
    third = pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])
    assert hot.softmax(-1)[0].tolist() == third
    assert hot.softmax(-1)[1].tolist() == [0.25] * 4
    assert torch.equal(temperature(logits, 1e-30).softmax(-1), cold.softmax(-1))
    assert not temperature(logits, 1e-45).softmax(-1).isnan().any()


def test_filters_compose_from_the_first_to_the_last_and_order_matters():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64).log()
    cool, nucleus = partial(temperature, T=0.5), partial(top_p, p=0.6)
    assert torch.equal(in_order(cool, nucleus)(logits), nucleus(cool(logits)))
    sizes = [
        int((~in_order(*both)(logits).isneginf()).sum())
        for both in ((partial(temperature, T=5.0), nucleus), (nucleus, partial(temperature, T=5.0)))
    ]
    assert sizes == [3, 2]
    assert torch.equal(in_order()(logits), logits)
    three = partial(top_k, k=2)
    same_distribution(in_order(cool, three)(logits), in_order(three, cool)(logits))


def test_what_was_excluded_stays_excluded():
    logits = top_k(LOGITS, 5)
    for one in (partial(temperature, T=2.0), partial(top_p, p=0.9), partial(min_p, p=0.01),
                partial(temperature, T=math.inf), partial(top_k, k=9)):  # fmt: skip
        assert one(logits)[logits.isneginf()].isneginf().all()


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (partial(temperature, T=-1), "temperature must be 0 or more"),
        (partial(temperature, T=math.nan), "temperature must be 0 or more"),
        (partial(top_k, k=0), "at least one token"),
        (partial(top_p, p=0), "above 0 and at most 1"),
        (partial(top_p, p=1.2), "above 0 and at most 1"),
        (partial(min_p, p=-0.1), "from 0 to 1"),
    ],
)
def test_what_cannot_be_is_refused(one, says):
    with pytest.raises(MtcourseError, match=says):
        one(LOGITS)
