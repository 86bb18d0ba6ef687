"""The runs that chapter 13 shows are all there, and can be made again."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.chapters.decoder_models.influence import loss_gradients
from mtcourse.evaluation.starts import load_measured
from mtcourse.layers.masks import causal_mask
from mtcourse.models.decoder_model import DecoderModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.text_batches import next_token_batch
from scripts import measure_decoder_mistakes, measure_packing, measure_vocabularies

STARTS = 10


def test_every_vocabulary_has_its_starts():
    texts = load_measured("vocabularies")["texts"]
    assert [list(text["vocabularies"]) for text in texts.values()] == [
        ["311", "500", "1000", "2000"],
        ["371", "1000", "3000", "8000"],
    ]
    for text in texts.values():
        kinds = list(text["vocabularies"].values())
        assert all(len(kind["nats"]) == STARTS for kind in kinds)
        tokens = [kind["tokens"] for kind in kinds]
        assert tokens == sorted(tokens, reverse=True), "larger pieces, fewer tokens"


def test_every_kind_of_packing_and_every_mistake_has_its_starts():
    losses = load_measured("packing")["losses"]
    assert [list(tests) for tests in losses.values()] == [list(losses)] * 3
    assert all(len(runs) == STARTS for tests in losses.values() for runs in tests.values())
    kinds = load_measured("decoder_mistakes")["kinds"]
    assert list(kinds) == list(measure_decoder_mistakes.LOSSES)
    assert all(len(runs) == STARTS for kind in kinds.values() for runs in kind.values())


def test_all_vocabularies_see_the_same_sentences():
    of = measure_vocabularies
    groups = of.groups("grammar", 3)
    assert sorted(line for group in groups for line in group) == sorted(
        of.sentences("grammar", "train")
    )
    sizes = [sum(len(line.encode()) for line in group) for group in groups]
    assert max(sizes) <= of.BYTES_PER_UPDATE
    assert sum(sizes) / len(sizes) > 0.9 * of.BYTES_PER_UPDATE
    assert of.groups("grammar", 3) == groups != of.groups("grammar", 4)


@pytest.mark.parametrize("kind", ["sound", "shifted twice", "mask forgotten", "<eos> left out"])
def test_each_mistake_is_the_one_it_is_named_for(kind):
    of = measure_decoder_mistakes
    sizes = TransformerConfig(V=12, d_model=16, h=4, d_ff=24, layers=2, dropout=0.0)
    model, batch = DecoderModel(sizes, seed=1).double(), next_token_batch([[5, 7, 9], [6]])
    log_p = model(batch.inputs).log_softmax(-1)
    wanted = {
        "sound": [(0, 0, 5), (0, 1, 7), (0, 2, 9), (0, 3, 3), (1, 0, 6), (1, 1, 3)],
        "shifted twice": [(0, 0, 7), (0, 1, 9), (0, 2, 3), (1, 0, 3)],
        "<eos> left out": [(0, 0, 5), (0, 1, 7), (0, 2, 9), (1, 0, 6)],
    }
    found = float(of.LOSSES[kind](model, batch).detach())
    if kind == "mask forgotten":
        G = loss_gradients(model, batch.inputs[:1], batch.labels[:1], causal=False)
        assert bool(G.norm(dim=-1)[~causal_mask(4)].all())
        assert found != pytest.approx(float(of.sound(model, batch).detach()), abs=1e-6)
    else:
        terms = [float(log_p[place].detach()) for place in wanted[kind]]
        assert found == pytest.approx(-math.fsum(terms), abs=1e-9)
        assert of.labels_counted(kind, batch) == len(terms)


def test_packed_runs_are_told_documents_only_if_they_are_masked():
    of = measure_packing
    documents = [[5, 6, 7], [8, 9], [5]] * 40
    shared, masked = (of.packed(documents, kind) for kind in (of.SHARED, of.MASKED))
    assert all(batch.document is None for batch in shared)
    for one, other in zip(shared, masked, strict=True):
        assert torch.equal(one.inputs, other.inputs)
        assert torch.equal(one.labels, other.labels)
        assert other.document is not None
