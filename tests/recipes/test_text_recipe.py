"""Training models of one stack: what a run leaves behind, going on, and the published folder."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from mtcourse.errors import MtcourseError
from mtcourse.models.model_card import Purpose
from mtcourse.models.transformer import TransformerConfig
from mtcourse.recipes.decoder import DecoderFamily
from mtcourse.recipes.encoder import EncoderFamily
from mtcourse.recipes.families import load_model
from mtcourse.recipes.text_recipe import TextRecipe, publish_text_model, train_text_model
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.texts import TextCorpus
from mtcourse.training.config import TrainingConfig

LINES = tuple(pair.target for pair in sample_pairs(90, seed=4))
CORPUS = TextCorpus("lines", ("nl",), "MIT", {"train": LINES[:60], "dev": LINES[60:75]})
RECIPE = TextRecipe(
    TransformerConfig(V=360, d_model=16, h=2, d_ff=32, layers=2, dropout=0.1, max_length=60),
    tokens_per_batch=200,
    training=TrainingConfig(steps=6, warmup=2, evaluate_every=2, checkpoint_every=2),
)
FAMILIES = [DecoderFamily(), EncoderFamily()]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_resumed_run_is_the_run_without_a_stop(family, tmp_path):
    whole = train_text_model(family, CORPUS, tmp_path / "whole", RECIPE, device="cpu")
    short = replace(RECIPE, training=replace(RECIPE.training, steps=4))
    train_text_model(family, CORPUS, tmp_path / "parts", short, device="cpu")
    stored = TextRecipe.load(tmp_path / "parts", family.name)
    assert stored == short
    resumed = train_text_model(
        family, CORPUS, tmp_path / "parts", RECIPE, resume=True, device="cpu"
    )
    assert resumed.state.losses == whole.state.losses
    assert resumed.state.dev_losses == whole.state.dev_losses
    for name, weight in whole.model.model.state_dict().items():
        assert torch.equal(weight, resumed.model.model.state_dict()[name])
    loaded = load_model(tmp_path / "parts", device="cpu")
    assert type(loaded) is type(whole.model)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_what_is_published_has_a_card_and_is_loaded(family, tmp_path):
    def described(model):
        assert model.model.output_weight.dtype == torch.float32
        return {"dev": "well"}, [("a | b", "c")]

    publish_text_model(
        family, CORPUS, RECIPE, tmp_path, Purpose("A title", "For a test.", "none"), described
    )
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| dev | well |" in card
    assert "a \\| b" in card
    assert f"{family.name}-only Transformer" in card
    assert load_model(tmp_path, device="cpu").family == family.name


def test_masks_are_drawn_anew_in_every_epoch_and_the_same_in_every_run():
    from tests.helpers.small_corpus import small_tokenizer

    family, tokenizer = EncoderFamily(), small_tokenizer()
    batches = family.batches([[5] * 40], tokenizer, RECIPE)  # one sentence: its order is no chance
    one, again, other = batches(1), batches(1), batches(2)
    assert all(torch.equal(a.labels, b.labels) for a, b in zip(one, again, strict=True))
    assert not torch.equal(one[0].labels, other[0].labels)


def test_a_folder_of_another_run_or_family_is_refused(tmp_path):
    train_text_model(DecoderFamily(), CORPUS, tmp_path, RECIPE, device="cpu")
    with pytest.raises(MtcourseError, match="already holds a run"):
        train_text_model(DecoderFamily(), CORPUS, tmp_path, RECIPE, device="cpu")
    with pytest.raises(MtcourseError, match="family decoder, not encoder"):
        train_text_model(EncoderFamily(), CORPUS, tmp_path, RECIPE, resume=True, device="cpu")


def test_a_corpus_without_dev_sentences_is_refused(tmp_path):
    empty = replace(CORPUS, splits={"train": LINES, "dev": ()})
    with pytest.raises(MtcourseError, match="nothing in its split 'dev'"):
        train_text_model(DecoderFamily(), empty, tmp_path, RECIPE, device="cpu")
    assert not list(tmp_path.iterdir())
