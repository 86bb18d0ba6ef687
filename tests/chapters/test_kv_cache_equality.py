"""A cache changes nothing: every step against the whole prefix, and against ``transformers``."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch

from mtcourse.chapters.kv_cache.row_beams import no_caches
from mtcourse.layers.masks import source_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.decoding_state import cached_state, cached_step, prefix_state, prefix_step
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.generation_state import (
    generation_state,
    generation_step,
    whole_prefix_state,
    whole_prefix_step,
)
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.models.translator import Translator
from tests.helpers.families import V, gpt2

TARGET = torch.tensor([[2, 7, 9, 11, 5, 8, 6], [2, 6, 6, 4, 10, 12, 9]])


def moved(model: torch.nn.Module) -> torch.nn.Module:
    """The model in float64, with no weight left at 0 or 1."""
    generator = torch.Generator().manual_seed(8)
    model = model.double().eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.2 * torch.randn(weight.shape, generator=generator).double()
    return model


def of_decoder(norm: str):
    sizes = TransformerConfig(20, 16, 4, 24, 3, dropout=0.0, norm=norm, max_length=32)
    return decoder_pair(moved(DecoderModel(sizes, seed=1)))


def decoder_pair(model):
    start = torch.full((2, 1), 2)
    return (
        (generation_step(model), generation_state(model, start, capacity=2)),
        (whole_prefix_step(model), whole_prefix_state(start)),
    )


def of_translator(norm: str):
    sizes = EncoderDecoderConfig(20, 20, 16, 4, 24, 2, 3, dropout=0.0, norm=norm)
    return translator_pair(moved(EncoderDecoder(sizes, seed=1)))


def translator_pair(model):
    source = torch.tensor([[5, 8, 9, 14, 3], [6, 7, 3, 0, 0]])
    mask = source_mask(source)

    def decode(ids, H_E, mask):
        return model.logits(model.decode(ids, H_E, mask))

    with torch.no_grad():
        return (
            (cached_step(model), cached_state(model, source, mask, capacity=2)),
            (prefix_step(decode), prefix_state(model.encode(source, mask), mask)),
        )


def shipped(kind):
    return kind.load(device="cpu").model.double()


PAIRS = {
    f"{name} {norm}": (make, norm)
    for name, make in (("decoder", of_decoder), ("translator", of_translator))
    for norm in ("pre", "post")
} | {
    "shipped decoder": (lambda _: decoder_pair(shipped(LanguageModel)), ""),
    "shipped translator": (lambda _: translator_pair(shipped(Translator)), ""),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_every_step_with_a_cache_equals_the_whole_prefix(kind):
    make, norm = PAIRS[kind]
    (step, state), (plain_step, plain_state) = make(norm)
    seen = []
    for ids in TARGET.split(1, dim=1):
        log_p, state = step(ids, state)
        expected, plain_state = plain_step(ids, plain_state)
        assert (log_p - expected).abs().max() < 1e-12
        seen.append(expected.clone())
    different = [(a - b).abs().max() for a, b in pairwise(seen)]
    assert min(different) > 1e-3, "steps that predict the same prove nothing"


@pytest.mark.parametrize("lengths", [[9], [1] * 9, [4, 1, 4], [2, 7]])
def test_a_cache_filled_in_chunks_is_that_of_transformers(lengths):
    theirs, ours = gpt2(5)
    ids = torch.randint(4, V, (2, 9), generator=torch.Generator().manual_seed(1))
    caches, position, past = no_caches(ours, 2, 9), 0, None
    for chunk in ids.split(lengths, dim=1):
        with torch.no_grad():
            H, caches = ours.extend(chunk, caches, position)
            found = theirs(chunk, past_key_values=past, use_cache=True)
        past, position = found.past_key_values, position + chunk.shape[1]
        torch.testing.assert_close(ours.logits(H), found.logits, atol=1e-11, rtol=1e-10)
    for cache, layer in zip(caches, past.layers, strict=True):
        torch.testing.assert_close(cache.K, layer.keys, atol=1e-11, rtol=1e-10)
        torch.testing.assert_close(cache.V, layer.values, atol=1e-11, rtol=1e-10)


def test_no_old_row_uses_a_new_token_and_every_new_row_uses_all_old_ones():
    model = moved(DecoderModel(TransformerConfig(20, 16, 4, 24, 2, dropout=0.0), seed=2))
    x = model.embed(TARGET[:1]).detach().requires_grad_()
    H = model.run(x, None, True)[0][-1]
    for i in range(TARGET.shape[1]):
        (gradient,) = torch.autograd.grad(H[0, i].square().sum(), x, retain_graph=True)
        used = gradient[0].abs().amax(-1) > 0
        assert used.tolist() == [j <= i for j in range(TARGET.shape[1])]
