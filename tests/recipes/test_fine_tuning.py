"""Fine-tuning: what counts in the loss, what learns, and how a head is scored."""

from __future__ import annotations

import pytest
import torch

from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.fine_tuned import FineTuned
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.fine_tuning import HeadScores, fine_tune, head_loss, head_scores
from mtcourse.text.labelled_batches import IGNORED, LabelledExample, labelled_batch
from mtcourse.text.masking import MaskedVocabulary
from mtcourse.training.config import TrainingConfig
from tests.helpers.small_corpus import PAIRS, small_tokenizer

VOCABULARY = MaskedVocabulary(small_tokenizer())
SENTENCES = [VOCABULARY.tokenizer.encode(pair.target) for pair in PAIRS]
TOKENS = [
    LabelledExample(tuple(ids), tuple(one % 3 if one % 5 else IGNORED for one in ids))
    for ids in SENTENCES
]
WHOLES = [LabelledExample(tuple(ids), len(ids) % 3) for ids in SENTENCES]
CONFIG = TrainingConfig(steps=8, warmup=2, learning_rate=1e-2)


def model_of(kind: str, frozen: bool = False) -> FineTuned:
    config = TransformerConfig(VOCABULARY.size, 16, 2, 32, 2, max_length=64)
    return FineTuned(EncoderModel(config, seed=1), kind, 3, frozen, seed=2)


@pytest.mark.parametrize(("kind", "examples"), [("token", TOKENS), ("sequence", WHOLES)])
def test_the_loss_is_that_of_each_counting_label_alone(kind, examples):
    model = model_of(kind).eval()
    total = 0.0
    with torch.no_grad():
        for example in examples:
            scores = model(torch.tensor([[VOCABULARY.class_, *example.ids]]))[0].log_softmax(-1)
            if isinstance(example.labels, int):
                total -= float(scores[example.labels])
                continue
            for row, label in zip(scores[1:], example.labels, strict=True):
                total -= float(row[label]) if label != IGNORED else 0.0
        assert float(head_loss(model, labelled_batch(examples, VOCABULARY))) == pytest.approx(
            total, rel=1e-5
        )


@pytest.mark.parametrize("frozen", [True, False])
def test_a_frozen_body_stays_as_it_was(frozen):
    model = model_of("token", frozen)
    before = {name: weight.clone() for name, weight in model.body.state_dict().items()}
    losses = fine_tune(model, TOKENS, VOCABULARY, CONFIG)
    after = model.body.state_dict()
    same = [torch.equal(weight, after[name]) for name, weight in before.items()]
    assert all(same) == frozen
    assert losses[-1] < losses[0]
    assert not model.training


def test_the_same_seed_gives_the_same_head_and_leaves_the_generator_alone():
    state = torch.random.get_rng_state()
    one, other = model_of("sequence"), model_of("sequence")
    assert fine_tune(one, WHOLES, VOCABULARY, CONFIG) == fine_tune(
        other, WHOLES, VOCABULARY, CONFIG
    )
    assert torch.equal(one.W, other.W)
    assert torch.equal(state, torch.random.get_rng_state())
    assert fine_tune(one, [], VOCABULARY, CONFIG) == []


def test_scores_are_counted_label_by_label():
    model = model_of("token")
    fine_tune(model, TOKENS, VOCABULARY, CONFIG)
    found = head_scores(model, TOKENS, VOCABULARY)
    right = asked = 0
    for example in TOKENS:
        assert not isinstance(example.labels, int)
        said = model(torch.tensor([[VOCABULARY.class_, *example.ids]]))[0, 1:].argmax(-1).tolist()
        pairs = [
            (one, label)
            for one, label in zip(said, example.labels, strict=True)
            if label != IGNORED
        ]
        asked += len(pairs)
        right += sum(one == label for one, label in pairs)
    assert int(found.counts.sum()) == asked
    assert found.accuracy == pytest.approx(right / asked)


def test_f1_of_a_table_by_hand():
    found = HeadScores(torch.tensor([[8, 2, 0], [1, 3, 0], [0, 0, 0]]))
    assert found.accuracy == pytest.approx(11 / 14)
    assert found.f1 == pytest.approx([16 / 19, 6 / 9, 0.0])
    assert found.macro_f1 == pytest.approx((16 / 19 + 6 / 9) / 3)
