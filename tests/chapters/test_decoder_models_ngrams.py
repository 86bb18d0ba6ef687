"""The n-grams of chapter 13 against their equation written out with plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.decoder_models.ngrams import NgramCounts, NgramModel
from mtcourse.errors import MtcourseError
from mtcourse.text.tokenizer import BOS, EOS

V = 7
SENTENCES = [[4, 5, 6], [4, 5, 5], [6, 5], [4], [4, 5, 6, 4, 5, 6], [6, 6]]


def windows(sentences: Sequence[Sequence[int]], n: int) -> list[tuple[int, ...]]:
    """All n-grams, with repetition; <bos> stands only in contexts."""
    rows = [(BOS, *ids, EOS) for ids in sentences]
    return [row[i : i + n] for row in rows for i in range(len(row) - n + 1) if (n > 1 or i > 0)]


def adjusted(sentences, k: int, order: int) -> dict[tuple[int, ...], int]:
    """The count of each k-gram that a model of this order uses, by the definition."""
    grams = windows(sentences, k)
    if k == order:
        return {gram: grams.count(gram) for gram in set(grams)}
    longer = set(windows(sentences, k + 1))
    return {
        gram: grams.count(gram)
        if gram[0] == BOS
        else sum(1 for left in range(V) if (left, *gram) in longer)
        for gram in set(grams)
    }


def by_definition(sentences, order: int, context: tuple[int, ...], token: int) -> float:
    """p(token | context), from the equation."""
    p = 1 / V
    for k in range(1, order + 1):
        h = context[len(context) - (k - 1) :]
        if len(h) < k - 1:
            break
        counts = adjusted(sentences, k, order)
        after = {gram[-1]: c for gram, c in counts.items() if gram[:-1] == h}
        if not after:
            break
        once, twice = (sum(c == wanted for c in counts.values()) for wanted in (1, 2))
        D = once / (once + 2 * twice) if once else 0.5
        total = sum(after.values())
        p = max(after.get(token, 0) - D, 0) / total + D * len(after) / total * p
    return p


def contexts(longest: int) -> list[tuple[int, ...]]:
    """Known and unknown contexts of all lengths."""
    inner = [c for n in range(longest) for c in itertools.product((4, 5, 6), repeat=n)]
    return [(BOS, *c) for c in inner] + inner


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_every_probability_is_that_of_the_equation(order):
    model = NgramModel(NgramCounts.of(SENTENCES, V, 4), order)
    for context in contexts(3):
        for token in range(V):
            wanted = by_definition(SENTENCES, order, context, token)
            assert model.probability(context, token) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_a_distribution_sums_to_1_and_is_the_probabilities(order):
    model = NgramModel(NgramCounts.of(SENTENCES, V, 5), order)
    for context in contexts(3):
        p = model.distribution(context)
        assert float(p.sum()) == pytest.approx(1, abs=1e-12)
        assert p.tolist() == pytest.approx([model.probability(context, w) for w in range(V)])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.integers(4, V - 1), max_size=6), min_size=1, max_size=6),
    st.lists(st.integers(4, V - 1), max_size=4),
    st.integers(1, 4),
)
def test_any_text_gives_distributions(sentences, context, order):
    model = NgramModel(NgramCounts.of(sentences, V, 4), order)
    p = model.distribution([BOS, *context])
    assert float(p.sum()) == pytest.approx(1, abs=1e-12)
    assert (p > 0).all(), "smoothing leaves nothing impossible"


def test_only_the_last_tokens_of_the_context_matter():
    model = NgramModel(NgramCounts.of(SENTENCES, V, 3), 2)
    assert model.probability([BOS, 6, 4], 5) == model.probability([BOS, 5, 5, 4], 5)
    assert model.probability([BOS, 6, 4], 5) != model.probability([BOS, 6, 6], 5)


def test_the_losses_of_a_sentence_are_its_factors():
    model = NgramModel(NgramCounts.of(SENTENCES, V, 3), 3)
    found = model.token_losses([4, 6])
    factors = [
        model.probability([BOS], 4),
        model.probability([BOS, 4], 6),
        model.probability([BOS, 4, 6], EOS),
    ]
    assert found == pytest.approx([-math.log(p) for p in factors])


def test_samples_are_drawn_from_the_distribution():
    model = NgramModel(NgramCounts.of(SENTENCES, V, 2), 2)
    generator = torch.Generator().manual_seed(1)
    drawn = [model.sample(generator) for _ in range(2000)]
    first = sum(ids[:1] == [4] for ids in drawn) / len(drawn)
    p = model.probability([BOS], 4)
    assert first == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / len(drawn)))
    assert all(EOS not in ids and len(ids) <= 60 for ids in drawn)


def test_what_cannot_be_is_refused():
    with pytest.raises(MtcourseError, match="0 sentences, order 2"):
        NgramCounts.of([], V, 2)
    with pytest.raises(MtcourseError, match="order 3: the counts serve orders 1 to 2"):
        NgramModel(NgramCounts.of(SENTENCES, V, 2), 3)
