"""What chapter 20 loads is whole, and the script that made it still does what it says."""

from __future__ import annotations

import json

import pytest

from mtcourse.evaluation.starts import MEASURED, load_measured
from mtcourse.recipes.translator import Recipe
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus
from mtcourse.text.pairs import SentencePair
from scripts import measure_capstone as script


@pytest.fixture(scope="module")
def found():
    return load_measured("capstone")


def test_every_part_of_the_page_is_there(found):
    assert set(found["memory on splits"]) >= {"whole pages, no near duplicate"}
    assert [row[0] for row in found["pieces"]] == list(script.VOCABULARIES)
    assert found["starts"]
    test = found["corpus"]["sizes"]["test"]
    for start in found["starts"]:
        assert set(start["scores"]) == set(script.SEARCHES)
        assert {of["sentences"] for of in start["scores"].values()} == {test}
        given_away = found["baselines"]["memory, given away"]["sentences"]
        assert start["given away"]["sentences"] == given_away
        assert start["dev"][-1][0] <= script.STEPS
    assert found["baselines"]["translation memory"]["sentences"] == test


def test_what_was_counted_adds_up(found):
    facts = found["corpus"]
    assert sum(facts["sizes"].values()) == facts["kept"]
    assert sum(count for _, count in facts["lengths"]) == facts["sizes"]["train"]
    judged = found["judged"]
    wrong = judged["sentences"] - judged["right"]
    assert wrong == len(judged["wrong"])


def test_the_memory_finds_less_where_less_is_given_away(found):
    bleu = [of["bleu"][0] for of in found["memory on splits"].values()]
    assert bleu == sorted(bleu, reverse=True)


def test_the_report_is_that_of_the_first_start(found):
    text = (MEASURED / "capstone_report.md").read_text(encoding="utf-8")
    scores = found["starts"][0]["scores"]["beam"]
    assert f"| this translator | {scores['bleu'][0]:.1f} (" in text
    assert f"{found['starts'][0]['parameters']:,} parameters" in text


def test_the_recipe_is_that_of_the_command_line():
    recipe, plain = script.recipe(seed=3), Recipe()
    assert (recipe.training.steps, recipe.training.seed) == (script.STEPS, 3)
    assert recipe.training.learning_rate == plain.training.learning_rate
    assert recipe.model.V_s == recipe.model.V_t == script.PIECES
    assert recipe.smoothing == plain.smoothing


@pytest.mark.by_turns(3)
@pytest.mark.trains
def test_a_run_stops_where_it_is_told_to_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(script, "PIECES", 500)
    whole = builtin_corpus(train=300)
    splits = {name: whole.splits[name][:300] for name in ("train", "dev")}
    corpus = ParallelCorpus("small", "en", "nl", "MIT", splits)
    for stop in (10, 10, 20):
        script.trained_run(corpus, tmp_path / "1", seed=1, stop=stop)
        assert json.loads((tmp_path / "1" / "minutes.json").read_text())["stop"] == stop
    rows = (tmp_path / "1" / "losses.csv").read_text().splitlines()
    assert rows[-1].startswith("20,")


def test_numbers_are_scores_and_lengths():
    pair = SentencePair("a", "de kat slaapt nu")
    found = script.numbers([pair], ["de kat slaapt nu"])
    assert found["bleu"][0] == pytest.approx(100)
    assert (found["exact"], found["length"], found["sentences"]) == (1, 1, 1)
