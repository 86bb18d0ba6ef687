"""The benchmark's contestants do the same work, and CTranslate2 finds what this package finds."""

from __future__ import annotations

import itertools
import time
from collections import Counter

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.contestants import DECODING, TRAINING
from benchmarks.limit import Share, counted, share_of_products
from benchmarks.measure import interleaved
from benchmarks.work import (
    TOKENS_DECODED,
    TOKENS_PER_BATCH,
    reference_model,
    sources_to_decode,
    training_batches,
)
from mtcourse.fast import linear as products
from mtcourse.models.encoder_decoder import EncoderDecoderConfig
from mtcourse.text.batches import padding_share
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.oracles import model_of_seed

V = 100
SIZES = EncoderDecoderConfig(
    V_s=V, V_t=V, d_model=32, h=4, d_ff=64, dropout=0.0, norm="post", max_length=128
)
OTHERS = [name for name in DECODING if name != "mtcourse"]


def test_batches_are_full_and_hardly_padded():
    batches = training_batches(4)
    assert len(batches) == 4
    assert all(0.8 * TOKENS_PER_BATCH < b.target_tokens <= TOKENS_PER_BATCH for b in batches)
    assert padding_share(batches) < 0.1


@pytest.mark.parametrize("name", ["mtcourse, plain products", "transformers"])
@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_contestants_with_the_same_weights_learn_the_same(name):
    ours, theirs = TRAINING["mtcourse"](SIZES), TRAINING[name](SIZES)
    for number, batch in enumerate(training_batches(3, tokens_per_batch=300, V=V), start=1):
        assert ours(number, batch) == pytest.approx(theirs(number, batch), abs=2e-4)


@pytest.mark.trains
@pytest.mark.parametrize("name", ["torch.nn.Transformer", "joeynmt"])
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::UserWarning")
def test_other_contestants_learn_a_batch(name):
    if name == "joeynmt":
        pytest.importorskip("joeynmt")
    (batch,) = training_batches(1, tokens_per_batch=300, V=V)
    step = TRAINING[name](SIZES)
    losses = [step(number, batch) for number in range(1, 31)]
    assert losses[-1] < losses[0] - 0.05


@pytest.mark.parametrize("beams", [1, 5])
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::UserWarning")
def test_decoders_give_as_many_tokens_and_the_same_from_the_same_weights(name, beams):
    if name in ("joeynmt", "ctranslate2"):
        pytest.importorskip(name)
    source = sources_to_decode(6, V=V)
    theirs = DECODING[name](SIZES)(source, beams)
    assert [len(ids) for ids in theirs] == [TOKENS_DECODED] * 6
    if name != "joeynmt":
        assert theirs == DECODING["mtcourse"](SIZES)(source, beams)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("shared", [True, False])
def test_an_exported_model_scores_alike_in_ctranslate2(norm, shared, tmp_path):
    ctranslate2 = pytest.importorskip("ctranslate2")
    from benchmarks.ctranslate2_export import export, tokens_of

    model = model_of_seed(4, norm, shared_embeddings=shared, V_s=40 if shared else 50)
    export(model, tmp_path / "model")
    translator = ctranslate2.Translator(str(tmp_path / "model"), compute_type="float32")
    for source, target in (([7, 9, 30, 3], [5, 6, 39]), ([5, 3], [8, 9, 10, 11, 12, 13])):
        (scored,) = translator.score_batch([tokens_of(source)], [tokens_of(target)])
        logits = model(torch.tensor([source]), torch.tensor([[BOS, *target]]))[0]
        labels = torch.tensor([*target, EOS])
        expected = logits.log_softmax(-1).gather(1, labels[:, None])[:, 0].tolist()
        assert scored.log_probs == pytest.approx(expected, abs=1e-4)


def test_reference_weights_are_the_same_every_time():
    first, second = (reference_model(SIZES).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_ratios_are_taken_within_a_round(monkeypatch):
    clock = itertools.count()  # every reading is a second later than the one before
    monkeypatch.setattr(time, "process_time", lambda: float(next(clock)))
    order = []
    runs = {
        "one": lambda number: order.append(("one", number)),
        "three": lambda number: (order.append(("three", number)), next(clock), next(clock)),
    }
    first, second = interleaved(runs, 2)
    assert order == [("one", 0), ("three", 0), ("three", 1), ("one", 1)]
    assert (first.seconds, first.ratio) == (1.0, 1.0)
    assert (second.seconds, second.ratio, second.lowest, second.highest) == (3.0, 3.0, 3.0, 3.0)


# --- the limit that the products set -------------------------------------------------------------


@pytest.mark.parametrize("library", ["onednn", "torch"])
def test_all_products_of_an_update_are_counted(library, monkeypatch):
    """Forward, and the gradients of both factors: three products for each weight."""
    monkeypatch.setattr(products, "LIBRARY", library)
    layer = products.Linear(96, 160)
    x = torch.randn(512, 96, requires_grad=True)
    found = counted(lambda: layer(x).sum().backward())
    assert found[512, 96, 160] == 1
    assert found[512, 160, 96] == 1
    assert found[96, 512, 160] + found[160, 512, 96] == 1
    assert sum(found.values()) == 3


def test_the_counted_products_have_the_operations_that_torch_counts():
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    x = torch.randn(128, 32, requires_grad=True)

    def update():
        model(x).square().mean().backward()

    with FlopCounterMode(display=False) as counter:
        update()
    operations = 2 * sum(a * b * c * times for (a, b, c), times in counted(update).items())
    assert operations == counter.get_total_flops()


def test_a_share_says_both_times():
    share = share_of_products(Counter({(8, 4, 4): 2}), whole=10.0)
    assert 0 < share.products < share.whole
    assert "of the 10.000" in str(share)
    assert f"{Share(0.62, 1.0)}".count("62%") == 1
