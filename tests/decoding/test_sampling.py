"""Samplers draw from the right distribution, held to enumerated frequencies."""

from __future__ import annotations

import itertools
from functools import partial

import pytest
import torch

from mtcourse.decoding.filters import in_order, temperature, top_k, top_p
from mtcourse.decoding.sampling import ancestral_sampling, draw, filtered_sampling
from mtcourse.decoding.search import greedy_search
from mtcourse.models.translator import Translator

V, EOS = 6, 3
SCORES = torch.randn(V, V, generator=torch.Generator().manual_seed(4))
SCORES[:, EOS] += 1  # else a filter may leave no way to end
TABLE = SCORES.log_softmax(-1)


class NoState:
    """A model whose next token depends on the last one alone."""

    def reorder(self, _):
        return self

    def keep(self, _):
        return self


def step(ids, state):
    return TABLE[ids], state


def probability(ids, table):
    p = 1.0
    for last, token in itertools.pairwise([2, *ids]):
        p *= float(table[last, token])
    return p


@pytest.mark.parametrize(
    "keep",
    [None, partial(top_k, k=3), in_order(partial(temperature, T=0.6), partial(top_p, p=0.8))],
)
def test_sentences_come_as_often_as_their_probability_says(keep):
    n = 4000
    generator = torch.Generator().manual_seed(0)
    sampler = (
        partial(ancestral_sampling, generator=generator)
        if keep is None
        else partial(filtered_sampling, keep=keep, generator=generator)
    )
    found = sampler(step, NoState(), torch.full((n,), 3))
    table = (TABLE if keep is None else keep(TABLE)).softmax(-1)
    drawn = [one.ids for ((one),) in found]
    for ids in set(drawn):
        p = probability(ids, table)
        assert abs(drawn.count(ids) / n - p) < 5 * (p * (1 - p) / n) ** 0.5 + 1e-3
    assert any(ids[-1] == EOS for ids in drawn)
    assert all(EOS not in ids[:-1] for ids in drawn)


def test_the_log_probability_is_the_models_own():
    search = partial(
        filtered_sampling, keep=partial(top_k, k=2), generator=torch.Generator().manual_seed(1)
    )
    for (one,) in search(step, NoState(), torch.full((50,), 4)):
        expected = torch.tensor(probability(one.ids, TABLE.exp())).log()
        assert one.log_probability == pytest.approx(float(expected), abs=1e-5)


def test_at_temperature_0_sampling_is_greedy_search():
    translator = Translator.load(device="cpu")
    sentences = ["The dog sleeps.", "My sister did not open the window."]
    cold = partial(
        filtered_sampling,
        keep=partial(temperature, T=0),
        generator=torch.Generator().manual_seed(3),
    )
    assert translator.translate(sentences, cold) == translator.translate(sentences, greedy_search)


def test_a_draw_has_the_shape_of_the_rows_and_the_shares_of_the_softmax():
    logits = torch.tensor([0.5, 0.3, 0.2]).log().expand(100, 40, 3)
    drawn = draw(logits, torch.Generator().manual_seed(2))
    assert drawn.shape == (100, 40)
    shares = torch.bincount(drawn.flatten(), minlength=3) / drawn.numel()
    torch.testing.assert_close(shares, torch.tensor([0.5, 0.3, 0.2]), rtol=0, atol=0.03)
