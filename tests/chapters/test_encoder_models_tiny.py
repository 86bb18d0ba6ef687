"""The tiny encoders: what they read, what each mistake does, and how they are judged."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from mtcourse.chapters.encoder_models import judged, tiny
from mtcourse.chapters.encoder_models.judged import KINDS
from mtcourse.chapters.encoder_models.reads import reads
from mtcourse.chapters.encoder_models.tiny import (
    MISTAKES,
    RATES,
    STRATEGIES,
    CausalEncoder,
    MaskedWords,
    every_token,
    nothing_hidden,
    shifted_labels,
)
from mtcourse.models.encoder_model import EncoderModel
from mtcourse.models.transformer import TransformerConfig
from mtcourse.text.masking import Masking, blanked, mask_tokens
from mtcourse.text.text_batches import TextBatch
from mtcourse.text.tokenizer import EOS
from mtcourse.text.word_vocabulary import WordVocabulary

SENTENCE = "I swam across the river to get to the other bank."


def test_document_c_counts_the_class_token_as_position_0() -> None:
    vocabulary = MaskedWords(WordVocabulary.of([SENTENCE]))
    ids = vocabulary.inputs([vocabulary.words.encode(SENTENCE)])
    pieces = vocabulary.pieces(ids[0].tolist())
    assert pieces == ["<class>", *SENTENCE.removesuffix(".").split(), "."]
    where = torch.tensor([[piece in ("swam", "other") for piece in pieces]])
    batch = blanked(ids, where, vocabulary)
    assert batch.labels[0].nonzero().flatten().tolist() == [2, 10]
    masked = vocabulary.pieces(batch.inputs[0].tolist())
    assert masked[2] == masked[10] == "<mask>"
    assert len({vocabulary.mask, vocabulary.class_, *range(vocabulary.words.size)}) == (
        vocabulary.size
    )


def test_whole_words_are_masked_like_pieces() -> None:
    vocabulary = MaskedWords(WordVocabulary.of([SENTENCE]))
    ids = vocabulary.inputs([vocabulary.words.encode(SENTENCE)] * 50)
    batch = mask_tokens(ids, vocabulary, Masking(rate=1.0), torch.Generator().manual_seed(0))
    assert (batch.labels[:, 1:] == ids[:, 1:]).all()
    assert (batch.labels[:, 0] == 0).all()
    drawn = batch.inputs[(batch.inputs != ids) & (batch.inputs != vocabulary.mask)]
    assert int(drawn.min()) > EOS
    assert int(drawn.max()) < vocabulary.mask


def test_the_mistakes_by_hand() -> None:
    ids = torch.tensor([[90, 5, 6, 7, 0]])
    batch = TextBatch(torch.tensor([[90, 5, 80, 7, 0]]), torch.tensor([[0, 0, 6, 0, 0]]))
    shifted = shifted_labels(batch, ids)
    assert shifted.labels.tolist() == [[0, 6, 0, 0, 0]]
    assert torch.equal(shifted.inputs, batch.inputs)
    assert every_token(batch, ids).labels.tolist() == [[0, 5, 6, 7, 0]]
    assert torch.equal(every_token(batch, ids).inputs, batch.inputs)
    assert torch.equal(nothing_hidden(batch, ids).inputs, ids)
    assert nothing_hidden(batch, ids).labels.tolist() == [[0, 5, 6, 7, 0]]


def test_the_causal_encoder_reads_nothing_to_its_right() -> None:
    sizes = TransformerConfig(20, d_model=16, h=2, d_ff=24, layers=2, dropout=0.0)
    model = CausalEncoder(sizes, seed=3).double()
    ids = torch.tensor([[5, 9, 7, 12, 6]])
    changed = ids.clone()
    changed[0, 3] = 8
    same = (model(ids) == model(changed))[0].all(-1)
    assert same.tolist() == [True, True, True, False, False]
    assert reads(model, ids[0], causal=True).tril().sum() == 15


def test_strategies_are_the_rows_of_table_8() -> None:
    for name, setup in STRATEGIES.items():
        masked, same, random = (int(part) / 100 for part in name.split("/"))
        assert setup.masking.masked == masked
        assert setup.masking.random == pytest.approx(random)
        assert 1 - masked - random == pytest.approx(same)
        assert setup.masking.rate == 0.15
    assert [setup.masking.rate for setup in RATES.values()] == [0.3, 0.4, 0.6]
    assert MISTAKES["same masks every epoch"].fresh is False


# --- with little text ---------------------------------------------------------------------------


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Iterator[tiny.Task]:
    """A task of few sentences, and training of few updates."""
    tiny.task.cache_clear()
    for name, value in (("DRAWN", 3000), ("FREQUENT", 250), ("TRAIN", 30)):
        monkeypatch.setattr(tiny, name, value)
    for name, value in (("LABELLED", 40), ("TEST", 30), ("SENTENCES_PER_BATCH", 10)):
        monkeypatch.setattr(tiny, name, value)
    monkeypatch.setattr(tiny, "TRAINING", replace(tiny.TRAINING, steps=6, warmup=2))
    monkeypatch.setattr(judged, "UPDATES", 3)
    yield tiny.task()
    tiny.task.cache_clear()


def test_the_sets_share_no_sentence(little: tiny.Task) -> None:
    sets = [
        {tuple(row[row != 0].tolist()) for row in little.inputs(sentences)}
        for sentences in (little.labelled, little.test)
    ]
    trained = {(little.vocabulary.class_, *ids) for ids in little.train}
    assert (len(sets[0]), len(sets[1]), len(trained)) == (40, 30, 30)
    assert not sets[0] & sets[1]
    assert not (sets[0] | sets[1]) & trained


def test_fresh_masks_differ_between_epochs_and_the_others_do_not(
    little: tiny.Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six updates are two epochs of three batches; what each sentence is asked for is compared."""
    seen: list[TextBatch] = []
    monkeypatch.setattr(
        tiny.EncoderFamily, "loss", lambda _, model, batch: _noted(seen, model, batch)
    )
    for fresh, same in ((True, False), (False, True)):
        seen.clear()
        tiny.train_tiny(tiny.Setup(Masking(0.5), fresh=fresh), seed=1)
        epochs = [_asked(seen[:3]), _asked(seen[3:])]
        assert (epochs[0] == epochs[1]) is same


def _noted(seen: list[TextBatch], model: EncoderModel, batch: TextBatch) -> torch.Tensor:
    seen.append(batch)
    return model.output_weight.sum() * 0.0


def _asked(batches: list[TextBatch]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each sentence as it was read and what was asked, in an order that does not depend on it."""
    return sorted(
        (tuple(x[x != 0].tolist()), tuple(y[x != 0].tolist()))
        for batch in batches
        for x, y in zip(batch.inputs, batch.labels, strict=True)
    )


def test_training_depends_on_the_seed_alone(little: tiny.Task) -> None:
    first, losses = tiny.train_tiny(STRATEGIES["80/10/10"], seed=3)
    again, same = tiny.train_tiny(STRATEGIES["80/10/10"], seed=3)
    other, _ = tiny.train_tiny(STRATEGIES["80/10/10"], seed=4)
    assert losses == same
    assert torch.equal(first.output_weight, again.output_weight)
    assert not torch.equal(first.output_weight, other.output_weight)
    begun = tiny.untrained(3).output_weight
    assert begun.shape == first.output_weight.shape
    assert not torch.equal(begun, first.output_weight)


class Oracle(EncoderModel):
    """Its row of a word is that word's one-hot, and of <mask> that of the word numbered 4."""

    def hidden(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        known = ids.where(ids < self.config.V - 2, 4)
        return torch.nn.functional.one_hot(known, self.config.V).float()

    def logits(self, H: torch.Tensor) -> torch.Tensor:
        return H


def test_blanks_and_own_words_of_a_model_that_copies(little: tiny.Task) -> None:
    model = Oracle(TransformerConfig(little.vocabulary.size, d_model=8, h=2, d_ff=8, layers=1))
    found = judged.blanks(model, little)
    ids = little.inputs(little.test)
    share = (ids == 4).sum() / judged.ordinary(ids, little).sum()
    assert found["own word"] == 1
    assert found["blanks"] < 0.5
    assert abs(found["blanks"] - float(share)) < 0.3
    assert found["distance"] > 0.8


@pytest.mark.parametrize(("shift", "right", "before"), [(0, 1, 0), (-1, 0, 1)])
def test_blanks_are_read_at_their_row_and_one_row_before(
    little: tiny.Task, shift: int, right: int, before: int
) -> None:
    """A model that knows the sentences, and one that writes each answer one row too early."""

    class Knowing(Oracle):
        def hidden(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
            known = little.inputs(little.test).repeat(2, 1).roll(shift, dims=1)
            return torch.nn.functional.one_hot(known, self.config.V).float()

    model = Knowing(TransformerConfig(little.vocabulary.size, d_model=8, h=2, d_ff=8, layers=1))
    found = judged.blanks(model, little)
    assert (found["blanks"], found["row before"]) == (right, before)
    assert (found["own word"], found["distance"]) == (right, 0)


def test_a_frozen_head_reads_what_the_rows_hold(little: tiny.Task) -> None:
    """Rows that are the labels give every label; rows that are all alike the most frequent one."""

    class Labelled(EncoderModel):
        informative = True

        def hidden(self, ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
            sentences = little.labelled if len(ids) == len(little.labelled) else little.test
            rows = torch.zeros(*ids.shape, 12) + 0.01 * torch.randn(*ids.shape, 12)
            if self.informative:
                y = judged.labels(sentences, "parts")
                rows[judged.ordinary(ids, little)] += torch.nn.functional.one_hot(y, 12).float()
            return rows

    model = Labelled(TransformerConfig(little.vocabulary.size, d_model=12, h=2, d_ff=8, layers=1))
    assert judged.frozen(model, little, "parts") > 0.95
    model.informative = False
    assert judged.frozen(model, little, "parts") < 0.4


def test_fine_tuning_leaves_the_model_as_it_was(little: tiny.Task) -> None:
    model = tiny.untrained(0)
    before = copy.deepcopy(model.state_dict())
    found = judged.judge(model, little, seed=0)
    assert all(torch.equal(weight, before[name]) for name, weight in model.state_dict().items())
    assert set(found) == {"blanks", "row before", "own word", "distance"} | {
        f"{how} {kind}" for how in ("frozen", "fine-tuned") for kind in KINDS
    }
    assert all(0 <= found[name] <= 1 for name in found if name != "distance")
