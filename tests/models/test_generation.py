"""The decoder-only model as a step: the cache equals no cache, prompts and beams included."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from mtcourse.decoding.sampling import ancestral_sampling
from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.layers.masks import document_mask, prefix_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.generation_state import (
    generation_state,
    generation_step,
    whole_prefix_state,
    whole_prefix_step,
)
from mtcourse.models.transformer import TransformerConfig

SIZES = TransformerConfig(V=23, d_model=16, h=4, d_ff=32, layers=3, dropout=0.0, max_length=40)


def model_of(seed: int, norm: str = "pre") -> DecoderModel:
    """Random weights whose logits differ by units, in float64."""
    model = DecoderModel(TransformerConfig(**SIZES.to_dict() | {"norm": norm})).double().eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.5 * torch.randn(parameter.shape, generator=generator).double())
    return model


def prompt_of(sentences: int, length: int, seed: int = 0) -> torch.Tensor:
    ids = torch.randint(4, 23, (sentences, length), generator=torch.Generator().manual_seed(seed))
    ids[:, 0] = 2
    return ids


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("beams", [1, 3])
def test_every_step_equals_the_whole_prefix(norm, beams):
    model, prompt = model_of(1, norm), prompt_of(4, 5)
    generator = torch.Generator().manual_seed(2)
    steps = generation_step(model), whole_prefix_step(model)
    states = [generation_state(model, prompt, capacity=6), whole_prefix_state(prompt)]
    ids = torch.full((4, 1), 2)
    for t in range(9):
        found = []
        for i, step in enumerate(steps):
            log_probs, states[i] = step(ids, states[i])
            found.append(log_probs.clone())
        torch.testing.assert_close(found[0], found[1], atol=1e-12, rtol=0)
        parents = torch.randint(ids.shape[1], (len(ids), beams), generator=generator)
        ids = torch.randint(4, 23, (len(ids), beams), generator=generator)
        states = [state.reorder(parents) for state in states]
        if t == 4:
            kept = torch.tensor([2, 0])
            states, ids = [state.keep(kept) for state in states], ids[kept]


@pytest.mark.parametrize("search", [greedy_search, partial(beam_search, beams=4, n_best=2)])
def test_search_finds_the_same_with_and_without_the_cache(search):
    model, prompt = model_of(5), prompt_of(3, 4, seed=1)
    longest = torch.tensor([12, 7, 9])
    cached = search(generation_step(model), generation_state(model, prompt), longest)
    plain = search(whole_prefix_step(model), whole_prefix_state(prompt), longest)
    for ours, theirs in zip(cached, plain, strict=True):
        assert [one.ids for one in ours] == [one.ids for one in theirs]
        for one, other in zip(ours, theirs, strict=True):
            assert one.log_probability == pytest.approx(other.log_probability, abs=1e-9)


def test_all_predictions_in_one_pass_equal_one_at_a_time():
    model, ids = model_of(3), prompt_of(2, 9)
    together = model(ids)
    for t in range(9):
        alone = model(ids[:, : t + 1])[:, -1]
        torch.testing.assert_close(together[:, t], alone, atol=1e-12, rtol=0)


def test_no_prediction_depends_on_a_later_token():
    model, ids = model_of(3), prompt_of(1, 8)
    x = model.embed(ids).detach().requires_grad_()
    logits = model.logits(model.run(x, None, causal=True)[0][-1])
    for t in range(8):
        (gradient,) = torch.autograd.grad(logits[0, t].square().sum(), x, retain_graph=True)
        assert torch.equal(gradient[0, t + 1 :], torch.zeros_like(gradient[0, t + 1 :]))
        assert (gradient[0, : t + 1].abs().amax(-1) > 0).all()


def test_packed_documents_are_as_if_alone_up_to_their_positions():
    """With the document mask a document's rows depend on nothing outside it."""
    model, ids = model_of(7), prompt_of(1, 9)
    document = torch.tensor([[0, 0, 0, 0, 1, 1, 1, 2, 2]])
    x = model.embed(ids).detach().requires_grad_()
    rows = model.run(x, document_mask(document), causal=False)[0][-1]
    for t in range(9):
        (gradient,) = torch.autograd.grad(rows[0, t].sum(), x, retain_graph=True)
        seen = gradient[0].abs().amax(-1) > 0
        expected = (document[0] == document[0, t]) & (torch.arange(9) <= t)
        assert torch.equal(seen, expected)


def test_a_prefix_is_seen_from_both_sides():
    model, ids = model_of(7), prompt_of(1, 7)
    x = model.embed(ids).detach().requires_grad_()
    rows = model.run(x, prefix_mask(torch.tensor([4]), 7), causal=False)[0][-1]
    for t in range(7):
        (gradient,) = torch.autograd.grad(rows[0, t].sum(), x, retain_graph=True)
        seen = gradient[0].abs().amax(-1) > 0
        assert torch.equal(seen, torch.arange(7) <= max(t, 3))


def test_a_prompt_with_a_mask_is_read_with_it():
    model, prompt = model_of(9), prompt_of(2, 6)
    mask = prefix_mask(torch.tensor([4, 6]), 6)
    log_probs, _ = generation_step(model)(
        prompt[:, :1], generation_state(model, prompt, prompt_mask=mask)
    )
    expected = model(prompt, mask)[:, -1].log_softmax(-1)
    torch.testing.assert_close(log_probs[:, 0], expected, atol=1e-12, rtol=0)
    assert not torch.allclose(expected, model(prompt)[:, -1].log_softmax(-1))


def test_an_encoder_sees_everything_but_padding():
    model = EncoderModel(SIZES, seed=2).double().eval()
    ids = prompt_of(2, 6)
    ids[0, 4:] = 0
    mask = (ids != 0)[:, None, None, :]
    x = model.embed(ids).detach().requires_grad_()
    rows = model.run(x, mask, causal=False)[0][-1]
    (gradient,) = torch.autograd.grad(rows[0, :4].square().sum(), x, retain_graph=True)
    assert torch.equal(gradient[0].abs().amax(-1) > 0, torch.arange(6) < 4)
    layers = model.hidden_by_layer(ids, mask)
    assert len(layers) == SIZES.layers + 1
    assert torch.equal(layers[-1], model.hidden(ids, mask))


def test_ancestral_samples_follow_the_distribution():
    """The first token of 20,000 samples, against its probabilities: four standard deviations."""
    model, prompt = model_of(2), prompt_of(1, 3)
    many = prompt.expand(20_000, -1)
    p = model(prompt)[0, -1].softmax(-1).detach()
    found = ancestral_sampling(
        generation_step(model),
        generation_state(model, many, capacity=5),
        torch.ones(20_000, dtype=torch.long),
        torch.Generator().manual_seed(0),
    )
    shares = torch.bincount(torch.tensor([one.ids[0] for (one,) in found]), minlength=23) / 20_000
    assert ((shares - p).abs() <= 4 * (p * (1 - p) / 20_000).sqrt() + 1e-9).all()


def test_a_sample_says_what_the_model_gives_it():
    model, prompt = model_of(4), prompt_of(3, 2)
    found = ancestral_sampling(
        generation_step(model),
        generation_state(model, prompt),
        torch.full((3,), 6),
        torch.Generator().manual_seed(5),
    )
    for row, (one,) in zip(prompt, found, strict=True):
        whole = torch.cat([row, torch.tensor(one.ids)])[None]
        log_p = model(whole[:, :-1]).log_softmax(-1)[0, len(row) - 1 :]
        forced = log_p.gather(-1, torch.tensor(one.ids)[:, None]).sum().detach()
        assert one.log_probability == pytest.approx(float(forced), abs=1e-5)
