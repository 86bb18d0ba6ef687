"""From a corpus to a translator, and what is written on the way."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial

import pytest

from mtcourse.decoding.search import beam_search
from mtcourse.errors import MtcourseError
from mtcourse.models.encoder_decoder import EncoderDecoderConfig
from mtcourse.models.model_card import Purpose
from mtcourse.models.translator import Translator
from mtcourse.recipes.translator import (
    Recipe,
    evaluate_translator,
    publish_translator,
    train_translator,
)
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.corpus_record import RECORD, CorpusRecord
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.tokenizer import TokenizerPair
from mtcourse.training.loop import TrainingConfig

BEAM_OF_2 = partial(beam_search, beams=2)


@pytest.fixture(scope="module")
def corpus() -> ParallelCorpus:
    pairs = sample_pairs(360, seed=6)
    splits = {"train": pairs[:300], "dev": pairs[300:330], "test": pairs[330:]}
    return ParallelCorpus(
        "small", "en", "nl", "MIT", {name: tuple(of_one) for name, of_one in splits.items()}
    )


def recipe(steps: int, **changes) -> Recipe:
    training = TrainingConfig(
        steps=steps, learning_rate=5e-3, warmup=5, evaluate_every=5, checkpoint_every=5
    )
    sizes = EncoderDecoderConfig(
        500, 500, d_model=32, d_ff=64, encoder_layers=1, decoder_layers=1, max_length=64
    )
    return replace(Recipe(sizes, tokens_per_batch=512, training=training), **changes)


def test_the_recipe_says_whether_tables_are_shared(corpus):
    sizes = recipe(1).model
    joint, separate = (
        TokenizerPair.train(corpus.splits["train"], size, joint=joint)
        for size, joint in ((500, True), (420, False))
    )
    for shared in (True, False):
        asked = recipe(1, model=replace(sizes, shared_embeddings=shared))
        made = asked.model_config(joint)
        assert made == replace(asked.model, V_s=joint.source.vocabulary_size, V_t=made.V_s)
    made = recipe(1, model=replace(sizes, shared_embeddings=False)).model_config(separate)
    assert (made.V_s, made.V_t) == (420, 420)
    assert not made.shared_embeddings
    with pytest.raises(MtcourseError, match="tokenizers of their own.*shared_embeddings=False"):
        recipe(1).model_config(separate)


@pytest.mark.trains
def test_training_lowers_the_loss_and_keeps_all_that_is_needed(corpus, tmp_path):
    trained = train_translator(corpus, tmp_path / "run", recipe(40), device="cpu")
    losses = trained.state.losses
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])
    assert trained.state.dev_losses[-1][1] < trained.state.dev_losses[0][1]
    written = {path.name for path in (tmp_path / "run").iterdir()}
    assert written == {"tokenizer", "best", "last", "recipe.json", "losses.csv", "corpus.json"}
    assert CorpusRecord.load(tmp_path / "run") == CorpusRecord.of(corpus)
    assert Recipe.load(tmp_path / "run") == recipe(40)
    sentences = [pair.source for pair in corpus.splits["test"]]
    loaded = Translator.load(tmp_path / "run", "cpu")
    assert loaded.translate(sentences) == trained.translator.translate(sentences)


def test_a_run_in_two_parts_is_the_run_in_one(corpus, tmp_path):
    whole = train_translator(corpus, tmp_path / "whole", recipe(10), device="cpu")
    train_translator(corpus, tmp_path / "parts", recipe(5), device="cpu")
    second = train_translator(corpus, tmp_path / "parts", recipe(10), resume=True, device="cpu")
    assert second.state.losses == whole.state.losses
    assert (tmp_path / "parts" / "losses.csv").read_text().count("\n") == 11


def test_the_same_seed_trains_the_same_translator(corpus, tmp_path):
    runs = [
        train_translator(corpus, tmp_path / name, recipe(6), device="cpu").state.losses
        for name in ("one", "two")
    ]
    assert runs[0] == runs[1]
    other = replace(recipe(6).training, seed=2)
    changed = recipe(6, training=other)
    assert (
        train_translator(corpus, tmp_path / "three", changed, device="cpu").state.losses != runs[0]
    )


def test_pairs_that_do_not_fit_are_skipped_and_told(corpus, tmp_path):
    short = recipe(2, model=replace(recipe(2).model, max_length=16))
    trained = train_translator(corpus, tmp_path / "run", short, device="cpu")
    assert trained.skipped
    assert "maximum is 16" in trained.skipped[0].reason


def test_what_cannot_be_trained_is_said(corpus, tmp_path):
    with pytest.raises(MtcourseError, match="no pairs in its split 'dev'"):
        train_translator(replace(corpus, splits={"train": corpus.splits["train"]}), tmp_path / "a")
    with pytest.raises(MtcourseError, match="no run to resume in"):
        train_translator(corpus, tmp_path / "b", recipe(2), resume=True)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "recipe.json").write_text('{"vocabulary_size": 3}')
    with pytest.raises(MtcourseError, match="recipe.json is not a recipe of this version"):
        Recipe.load(tmp_path / "d")
    train_translator(corpus, tmp_path / "c", recipe(1), device="cpu")
    with pytest.raises(MtcourseError, match="already holds a run"):
        train_translator(corpus, tmp_path / "c", recipe(1), device="cpu")


def test_references_count_as_correct(corpus, tmp_path):
    translator = train_translator(corpus, tmp_path / "run", recipe(1), device="cpu").translator
    pairs = corpus.splits["test"][:3]
    said = translator.translate([pair.source for pair in pairs], BEAM_OF_2)
    agreeing = [
        replace(pair, references=(text or "x",)) for pair, text in zip(pairs, said, strict=True)
    ]
    scores, translations = evaluate_translator(translator, agreeing, BEAM_OF_2)
    assert translations == said
    assert scores.exact == sum(bool(text) for text in said) / 3


def test_publishing_writes_what_the_card_says_as_measured(corpus, tmp_path):
    purpose = Purpose("A small one", "For a test.", "tests/recipes/test_recipe.py")
    scores = publish_translator(
        corpus, recipe(5), tmp_path / "out", purpose, test_sets=("test", "dev"), beams=2
    )
    folder = tmp_path / "out"
    assert {path.name for path in folder.iterdir()} == {
        "README.md",
        "best",
        "corpus.json",
        "losses.csv",
        "scores.json",
        "tokenizer",
        "translations.json",
    }
    stored = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    assert stored["test"]["bleu"] == scores["test"].bleu
    again, translations = evaluate_translator(
        Translator.load(folder, "cpu"), corpus.splits["dev"], BEAM_OF_2
    )
    assert stored["dev"]["chrf"] == again.chrf
    examples = json.loads((folder / "translations.json").read_text(encoding="utf-8"))
    assert len(examples) == 10
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert scores["test"].bleu_signature in card
    assert f"{scores['test'].bleu:.1f} (" in card
    assert "5 updates" in card
    assert examples[0]["source"] in card
    assert translations


@pytest.mark.parametrize("count", [2, 5])
@pytest.mark.trains
def test_a_corpus_too_small_for_the_vocabulary_is_trained_on(tmp_path, count):
    pairs = tuple(sample_pairs(count, seed=1))
    small = ParallelCorpus("tiny", "en", "nl", "MIT", {"train": pairs, "dev": pairs, "test": pairs})
    said: list[str] = []
    asked = replace(recipe(2), model=replace(recipe(2).model, V_s=2000, V_t=2000))
    trained = train_translator(small, tmp_path / "run", asked, device="cpu", say=said.append)
    pieces = trained.translator.tokenizers.source.vocabulary_size
    assert said == [f"the vocabulary has {pieces:,} pieces, as many as this text yields, not 2,000"]


def test_a_record_that_is_damaged_or_newer_is_named(corpus, tmp_path):
    assert CorpusRecord.load(tmp_path) is None
    record = CorpusRecord.of(corpus)
    record.save(tmp_path)
    values = json.loads((tmp_path / RECORD).read_text(encoding="utf-8"))
    for change in ({"format": 2}, {"test": [["alone"]]}, {"more": 1}):
        (tmp_path / RECORD).write_text(json.dumps(values | change), encoding="utf-8")
        with pytest.raises(MtcourseError, match=r"corpus\.json is not what a training run keeps"):
            CorpusRecord.load(tmp_path)
    (tmp_path / RECORD).write_text("{", encoding="utf-8")
    with pytest.raises(MtcourseError, match=r"corpus\.json is not"):
        CorpusRecord.load(tmp_path)


@pytest.mark.trains
def test_a_card_says_which_vocabulary_was_taken(corpus, tmp_path):
    asked = replace(recipe(1), model=replace(recipe(1).model, V_s=3000, V_t=3000))
    publish_translator(corpus, asked, tmp_path, Purpose("x", "y", "z"), beams=2)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert re.search(
        r"the vocabulary has [\d,]+ pieces, as many as this text yields, not 3,000", card
    )
