"""Beams as rows against the package's own, and six famous bugs that are found where they should."""

from __future__ import annotations

from functools import partial

import jaxtyping
import pytest
import torch

from mtcourse.chapters.kv_cache.counts import buffers, counted_products, measured_bytes
from mtcourse.chapters.kv_cache.famous_bugs import (
    BUGS,
    TESTS,
    QueryKeeper,
    passes,
    recomputing_state,
    recomputing_step,
)
from mtcourse.chapters.kv_cache.row_beams import (
    Recorder,
    Watched,
    no_caches,
    row_state,
    row_step,
    watched,
)
from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoding_state import cached_state, cached_step
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig, use_attention
from mtcourse.models.generation_state import (
    generation_state,
    generation_step,
    whole_prefix_state,
    whole_prefix_step,
)
from mtcourse.models.transformer import TransformerConfig

SIZES = TransformerConfig(V=29, d_model=16, h=4, d_ff=24, layers=3, dropout=0.0, max_length=40)
FOUND_BY = {
    "no bug": set(),
    "prefill without the causal mask": {"prompt first", "second chunk"},
    "mask aligned top-left": set(TESTS),
    "mask cut to the new tokens": {"second chunk"},
    "positions that restart": set(TESTS),
    "beams not reordered": {"swapped beams"},
}


@pytest.fixture(params=["pre", "post"])
def model(request) -> DecoderModel:
    sizes = TransformerConfig.from_dict(SIZES.to_dict() | {"norm": request.param})
    model = DecoderModel(sizes, seed=6).double().eval()
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.2 * torch.randn(weight.shape, generator=generator).double()
    return model


def ids_of(*shape: int, seed: int = 0) -> torch.Tensor:
    ids = torch.randint(4, SIZES.V, shape, generator=torch.Generator().manual_seed(seed))
    ids[:, 0] = 2
    return ids


# --- beams as rows ------------------------------------------------------------------------------


@pytest.mark.parametrize("search", [greedy_search, partial(beam_search, beams=3, n_best=3)])
def test_rows_positions_and_no_cache_find_the_same(model, search):
    prompt, longest = ids_of(3, 4), torch.tensor([9, 12, 6])
    rows = search(row_step(model), row_state(model, prompt, 4), longest)
    for step, state in (
        (generation_step(model), generation_state(model, prompt)),
        (whole_prefix_step(model), whole_prefix_state(prompt)),
    ):
        for ours, theirs in zip(rows, search(step, state, longest), strict=True):
            assert [h.ids for h in ours] == [h.ids for h in theirs]
            for a, b in zip(ours, theirs, strict=True):
                # Scores are kept in float32.
                assert a.log_probability == pytest.approx(b.log_probability, abs=1e-4)


def test_a_recorder_sees_every_reorder_and_what_it_copied(model):
    prompt, recorder = ids_of(1, 3), Recorder()
    state = Watched(row_state(model, prompt), recorder)
    beam_search(watched(row_step(model)), state, torch.tensor([6]), beams=3)
    assert [tuple(parents.shape) for parents in recorder.parents] == [(1, 3)] * len(recorder.states)
    copied, last = 0, 0
    for t, state in enumerate(recorder.states, start=3):
        copied += 3 * 2 * SIZES.layers * SIZES.d_model * t
        assert state.copied == copied > last
        last = copied


# --- bugs that change results -------------------------------------------------------------------


@pytest.mark.parametrize("bug", BUGS)
def test_each_bug_is_found_by_the_tests_that_should_find_it(model, bug, monkeypatch):
    # Readers run without the checks of shapes, which would find a mask of the wrong size at once.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    ids = ids_of(2, 8, seed=1)
    assert {test for test in TESTS if not passes(model, ids, bug, test)} == FOUND_BY[bug]


def test_every_bug_is_found_by_some_test_and_no_test_is_needless():
    assert all(found for bug, found in FOUND_BY.items() if bug != "no bug")
    for bug in ("prefill without the causal mask", "mask cut to the new tokens"):
        assert "one by one" not in FOUND_BY[bug], "the page says that this test lets it pass"


# --- bugs that waste ----------------------------------------------------------------------------


def test_cross_keys_that_are_recomputed_change_nothing_and_cost_what_they_should():
    sizes = EncoderDecoderConfig(
        30, 30, d_model=16, h=4, d_ff=24, encoder_layers=1, decoder_layers=2, dropout=0.0
    )
    model = EncoderDecoder(sizes, seed=2).double().eval()
    source = torch.tensor([[5, 6, 7, 3], [8, 9, 3, 0]])
    mask, longest = source_mask(source), torch.tensor([6, 6])
    search = partial(beam_search, beams=2)
    right = search(cached_step(model), cached_state(model, source, mask), longest)
    again = search(recomputing_step(model), recomputing_state(model, source, mask), longest)
    assert [h[0].ids for h in right] == [h[0].ids for h in again]
    ids, n, d = torch.full((2, 1), 2), source.shape[1], sizes.d_model
    once, state = recomputing_step(model), recomputing_state(model, source, mask)
    plain, cached = cached_step(model), cached_state(model, source, mask)
    more = counted_products(lambda: once(ids, state), model)
    less = counted_products(lambda: plain(ids, cached), model)
    assert more - less == sizes.decoder_layers * 2 * 2 * n * d**2


def test_cached_queries_change_nothing_and_make_the_cache_half_as_large_again(model):
    ids, keeper = ids_of(2, 9), QueryKeeper()
    expected = model.hidden(ids)
    use_attention(model, keeper)
    caches, rows = no_caches(model, 2, 9), []
    with torch.no_grad():
        for t in range(9):
            H, caches = model.extend(ids[:, t : t + 1], caches, t)
            rows.append(H)
    torch.testing.assert_close(torch.cat(rows, 1), expected, atol=1e-12, rtol=0)
    assert 2 * measured_bytes(keeper.queries) == measured_bytes(buffers(caches))
