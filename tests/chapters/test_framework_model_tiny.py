"""The four models on the tiny language: what is shipped, what was measured, and its script."""

from __future__ import annotations

from statistics import median

import pytest
import torch

from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.chapters.framework_model.tiny_models import (
    REPAIRS,
    load_tiny,
    tiny_folder,
    tiny_recipe,
    words_right,
)
from mtcourse.evaluation.scores import score
from mtcourse.evaluation.starts import load_measured
from mtcourse.models.framework_model import FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import WordPairs
from mtcourse.text.batches import Batch
from scripts import measure_framework_grammar as grammar
from scripts import measure_framework_tiny as tiny

LEARNT, HELD_OUT = tiny_pairs()
PAIRS = WordPairs.of(LEARNT)
TEST = Batch.of(PAIRS.with_examples(HELD_OUT).examples)


def bleu_of(model: FrameworkModel) -> float:
    """BLEU on the held-out pairs, by what anybody would call."""
    translator = FrameworkTranslator.of(model, PAIRS.source, PAIRS.target)
    found = translator.translate([pair.source for pair in HELD_OUT])
    return score(found, [(pair.target,) for pair in HELD_OUT]).bleu


# --- what is shipped ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPAIRS)
def test_a_shipped_model_does_what_was_measured_of_its_start(name):
    models, source, target = load_tiny()
    assert (source, target) == (PAIRS.source, PAIRS.target)
    assert models[name].config.target_positions == REPAIRS[name][1]
    measured = load_measured(tiny.NAME)
    start = measured["shipped start"]
    # Weights are shipped in half precision.
    assert bleu_of(models[name]) == pytest.approx(measured["models"][name]["bleu"][start], abs=2)
    shares = measured["models"][name]["copies"][start]
    assert tiny.copies(name, models[name], TEST) == pytest.approx(shares, abs=0.02)


def test_the_shipped_models_are_small():
    files = [file for name in REPAIRS for file in tiny_folder(name).iterdir()]
    assert sum(file.stat().st_size for file in files) < 60_000


def test_the_shipped_start_is_the_nearest_to_the_medians():
    measured = load_measured(tiny.NAME)
    results = torch.tensor([measured["models"][name]["bleu"] for name in REPAIRS])
    apart = (results - results.quantile(0.5, dim=1, keepdim=True)).abs().sum(0)
    assert measured["shipped start"] == int(apart.argmin())


# --- what was measured --------------------------------------------------------------------------


def test_the_results_are_whole():
    measured = load_measured(tiny.NAME)
    assert set(measured["models"]) == {*REPAIRS, tiny.LEFT}
    for of_model in measured["models"].values():
        assert {len(of_starts) for of_starts in of_model.values()} == {10}
        curve = measured["steps"] // measured["every"]
        assert {len(losses) for losses in of_model["losses"]} == {curve}
    results = load_measured(grammar.NAME)
    for of_model in results["models"].values():
        assert {len(of_starts) for of_starts in of_model.values()} == {10}
        looks = {len(of_start) for of_start in of_model["bleu while training"]}
        assert looks == {len(results["steps"])}
    assert len(results["usual beginning"]) == 10


def test_what_the_chapter_says_of_all_starts_is_true_of_each():
    of_tiny = load_measured(tiny.NAME)["models"]
    assert max(of_tiny["as printed"]["test loss"]) < min(of_tiny["shift only"]["test loss"])
    for name in ("as printed", "positions only", tiny.LEFT):
        assert max(of_tiny[name]["bleu"]) < 5
    assert median(of_tiny["shift only"]["bleu"]) < median(of_tiny["both"]["bleu"])
    of_grammar = load_measured(grammar.NAME)["models"]
    for loss, *others in zip(*(of_one["test loss"] for of_one in of_grammar.values()), strict=True):
        assert loss < min(others)
    assert max(of_grammar["as printed"]["exact"]) == 0


# --- the scripts --------------------------------------------------------------------------------


@pytest.mark.by_turns(3)
@pytest.mark.trains
def test_the_script_of_the_tiny_language_runs(tmp_path):
    tiny.main(starts=1, steps=20, out=tmp_path)
    of_model = load_measured(tiny.NAME, tmp_path)["models"]
    assert [len(of_one["losses"][0]) for of_one in of_model.values()] == [1] * 5
    assert of_model["both"]["losses"] != of_model["shift only"]["losses"]


def test_the_medians_start_is_found():
    assert tiny.nearest_to_the_medians([[0, 5, 9], [7, 3, 1]]) == 1
    assert tiny.nearest_to_the_medians([[0, 0, 0, 0, 0], [9, 1, 4, 5, 3]]) == 2


def test_the_wrong_shift_reads_the_next_word():
    assert tiny.shift_left(torch.tensor([[7, 8, 3], [9, 3, 0]])).tolist() == [[8, 3, 0], [3, 0, 0]]


def test_the_share_of_words_right_leaves_padding_out():
    class Answers(torch.nn.Module):
        """Always the same words first."""

        def forward(self, source, read, mask):
            return torch.nn.functional.one_hot(read, PAIRS.target.size).float()

    read, wanted = torch.tensor([[5, 6, 7, 0]]), torch.tensor([[5, 9, 7, 0]])
    assert words_right(Answers(), TEST, read, wanted) == pytest.approx(2 / 3)


def test_a_recipe_has_its_repairs_and_its_seed():
    recipe = tiny_recipe("shift only", seed=3)
    assert (recipe.shifted, recipe.target_positions, recipe.seed) == (True, False, 3)


def test_the_usual_beginning_differs_in_all_but_the_tables():
    config = grammar.sizes_of(PAIRS, positions=True)
    usual = dict(grammar.usual_beginning(config, 2).named_parameters())
    for name, weight in FrameworkModel(config, 2).named_parameters():
        assert usual[name].equal(weight) == name.startswith("W_E")


def test_losses_are_thinned_to_means():
    assert grammar.thinned([1.0, 3.0, 5.0, 6.0, 9.0], every=2) == [2.0, 5.5]
