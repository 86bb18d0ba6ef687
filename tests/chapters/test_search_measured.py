"""What chapter 18's measurements must be, whatever they have found."""

from __future__ import annotations

import importlib.util
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from mtcourse.chapters.search import measures
from mtcourse.chapters.search.end_tokens import FOLDS, ManyEnded
from mtcourse.chapters.search.measures import searched
from mtcourse.evaluation.starts import load_measured
from mtcourse.text.batches import encode_pairs
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import TokenizerPair

SETS = (
    "grammar, trained lengths",
    "grammar, longer",
    "help, trained lengths",
    "help, longer",
)
WIDTHS = (1, 2, 4, 8, 16, 32, 64)


@pytest.fixture(scope="module")
def stored():
    return load_measured("search")


@pytest.mark.parametrize("name", SETS)
def test_wider_beams_make_no_more_search_errors_than_there_are_proofs(stored, name):
    of = stored[name]
    assert len(of["expanded"]) == of["sentences"] >= of["proven"]
    errors = [of["widths"][f"{width}, 0"]["search errors"] for width in WIDTHS]
    assert errors[0] == max(errors) <= of["proven"]
    assert errors[-1] == min(errors)
    assert of["exact"]["search errors"] == 0
    for exponent in (0, 1):
        for width in WIDTHS:
            value, low, high = of["widths"][f"{width}, {exponent}"]["change"]
            assert low <= value <= high


@pytest.mark.parametrize("corpus", ["grammar", "help"])
def test_both_log_probabilities_of_each_sentence_are_negative(stored, corpus):
    bins = stored[f"empty, {corpus}"]["bins"]
    assert [low for of in bins for low in of["words"]] == sorted(
        low for of in bins for low in of["words"]
    )
    for of in bins:
        assert len(of["empty and best"]) == 80
        assert all(empty < 0 > best for empty, best in of["empty and best"])


def test_wider_beams_take_longer(stored):
    seconds = [stored["cost"]["seconds"][str(width)] for width in WIDTHS]
    assert seconds == sorted(seconds)


@pytest.mark.parametrize(
    ("name", "starts"), [("search_smoothing", 10), ("search_smoothing_real", 10)]
)
def test_every_start_has_both_amounts_of_smoothing(name, starts):
    measured = load_measured(name)
    assert list(measured["starts"]) == [str(i) for i in range(starts)]
    for of_start in measured["starts"].values():
        assert list(of_start) == ["0.0", "0.1"]
        for of_sets in of_start.values():
            assert set(of_sets) == set(measured["sentences"])
            for found in of_sets.values():
                for search in ("1, 0", "4, 0", "16, 0", "64, 0", "64, 1"):
                    assert 0 < found[search]["bleu"] < 100
                assert math.isfinite(found["log p of the empty sentence"])


SEARCHES = ("1, 0", "4, 0", "16, 0", "64, 0", "64, 1")
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "measure_search_training.py"


@pytest.fixture(scope="module")
def script():
    found = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    module = importlib.util.module_from_spec(found)
    sys.modules[SCRIPT.stem] = module  # a dataclass looks its module up
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def training():
    return load_measured("search_training")


def test_every_start_has_both_readings_of_the_end(script, training):
    ends = training["ends"]
    assert list(ends["starts"]) == [str(i) for i in range(10)]
    assert ends["steps"] == script.STEPS == load_measured("search_smoothing")["steps"]
    assert sum(ends["targets of each bucket"]) == load_measured("search_smoothing")["pairs"]
    assert ends["sentences"] == load_measured("search_smoothing")["sentences"]
    for of_start in ends["starts"].values():
        assert list(of_start) == [str(smoothing) for smoothing in script.SMOOTHINGS]
        for of_folds in of_start.values():
            assert list(of_folds) == list(FOLDS)
            for name in ends["sentences"]:
                fitting, any_end = (of_folds[fold][name] for fold in FOLDS)
                for of in (fitting, any_end):
                    assert all(0 < of[search]["bleu"] < 100 for search in SEARCHES)
                # Four ends together are more probable than one of them, in every sentence.
                key = "log p of the empty sentence"
                assert fitting[key] < any_end[key] < 0
                assert fitting["log p of the best"] <= any_end["log p of the best"] < 0


def test_every_start_has_every_share_of_copies(script, training):
    copies = training["copies"]
    assert list(copies["starts"]) == [str(i) for i in range(10)]
    assert copies["updates"] == [script.LEARNING.steps, script.MIXED.steps]
    assert copies["copies at first"] == script.AT_FIRST
    for of_start in copies["starts"].values():
        assert list(of_start) == ["first stage", *map(str, script.SHARES)]
        for of in of_start.values():
            assert list(of["widths"]) == [str(width) for width in script.WIDTHS]
            parts = of["log p of a copy"]
            assert parts["whole copy"] < parts["first token"] < 0 > parts["each later token"]
            for found in of["widths"].values():
                assert found["exact copies"] <= copies["sentences"] >= found["copies"]
            # A wider beam leaves fewer copies that are more probable than what it found.
            missed = [found["a copy is more probable"] for found in of["widths"].values()]
            assert missed[0] == max(missed)


@pytest.mark.by_turns(8)
@pytest.mark.slow
@pytest.mark.trains
def test_one_start_with_four_ends_can_be_measured_again(script, training):
    """Training is not equal to the digit on every processor: within a few points."""
    torch.set_num_threads(1)
    model, pairs = script.with_ends(0.1, 0), script.test_sets()["trained lengths"]
    stored = training["ends"]["starts"]["0"]["0.1"]
    for fold in FOLDS:
        translator = ManyEnded(model, script.grammar_task().tokenizers, script.end_tokens(), fold)
        found = searched(translator, pairs, ((1, 0.0), (16, 0.0)))
        expected = stored[fold]["trained lengths"]
        assert found["1, 0"]["bleu"] == pytest.approx(expected["1, 0"]["bleu"], abs=6)
        for key in ("log p of the empty sentence", "log p of the best"):
            assert found[key] == pytest.approx(expected[key], abs=1.5)


@pytest.mark.slow
@pytest.mark.trains
def test_copies_are_measured_as_stored_on_any_text(script, training, monkeypatch):
    """The same run in small: a few updates on the grammar in place of LibreOffice's help."""
    pairs = builtin_corpus(train=300).splits["train"]
    sizes = replace(script.GRAMMAR, V=500)
    tokenizers = TokenizerPair.train(pairs, sizes.V)
    examples, _ = encode_pairs(pairs, tokenizers, max_length=60)
    small = script.Task(sizes, tokenizers, examples, list(pairs))
    monkeypatch.setattr(script, "help_task", lambda: small)
    monkeypatch.setattr(script, "REAL", sizes)
    monkeypatch.setattr(measures, "TESTED_REAL", 8)
    monkeypatch.setattr(script, "WIDTHS", (1, 4))
    monkeypatch.setattr(script, "SHARES", (0.0, 0.05))
    monkeypatch.setattr(script, "LEARNING", script.Stage(6, 5e-3, 0))
    monkeypatch.setattr(script, "MIXED", script.Stage(4, 2e-3, 1000))
    found = script.measure_copies(0)
    stored = training["copies"]["starts"]["0"]
    assert list(found) == ["first stage", "0.0", "0.05"]
    for name, of in found.items():
        assert set(of) == set(stored[name])
        assert of["log p of a copy"].keys() == stored[name]["log p of a copy"].keys()
        assert of["widths"]["1"].keys() == stored[name]["widths"]["1"].keys()
    assert found["0.0"] != found["0.05"]
    about = script.about_copies()
    assert about.keys() | {"starts"} == training["copies"].keys()
    assert about["copies that were there"] == 0
