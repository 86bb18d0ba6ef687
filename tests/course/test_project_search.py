"""The project of greedy and beam search: template, sample solution, measurement, page."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import torch

from mtcourse import cli
from mtcourse.decoding.search import beam_search, greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.starts import load_measured
from mtcourse.models.translator import Translator
from mtcourse.project.own_search import (
    BAR,
    BEAMS,
    FASTER,
    FUNCTIONS,
    SPLIT,
    WORSE,
    MeasuredSearch,
    checked,
    mean_score,
    measure_greedy,
    measure_search,
    weights_of,
)
from mtcourse.project.source import load_project
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import EOS

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "projects" / "search" / "decoder.py"
SOLUTION = ROOT / "solutions" / "project_search"
PAGE = ROOT / "book" / "project_search.md"
TRANSLATOR = Translator.load(device="cpu")
MODEL = weights_of(TRANSLATOR)
SPLITS = builtin_corpus(train=100).splits
PAIRS = [*SPLITS["test"][:12], *SPLITS["length"][:4]]
SOURCES = [
    [*ids, EOS] for ids in TRANSLATOR.tokenizers.source.encode_all(pair.source for pair in PAIRS)
]


def found(path: Path, beams: int, sources: list[list[int]] = SOURCES) -> list[list[int]]:
    return checked(load_project(path, FUNCTIONS), path, MODEL, sources, beams)


def test_the_template_is_the_packages_greedy_search():
    texts = TRANSLATOR.tokenizers.target.decode_all(found(TEMPLATE, 1))
    assert texts == TRANSLATOR.translate([pair.source for pair in PAIRS], greedy_search)


def test_the_template_says_that_it_knows_no_beams():
    with pytest.raises(MtcourseError, match="beam search is not written yet"):
        found(TEMPLATE, BEAMS)


@pytest.mark.parametrize("name", ["decoder.py", "no_cache.py"])
def test_the_sample_finds_what_the_package_finds(name):
    assert found(SOLUTION / name, 1) == found(TEMPLATE, 1)
    texts = TRANSLATOR.tokenizers.target.decode_all(found(SOLUTION / name, BEAMS))
    search = partial(beam_search, beams=BEAMS)
    assert texts == TRANSLATOR.translate([pair.source for pair in PAIRS], search)


def test_a_measured_sample_is_faster_and_loses_nothing():
    measured = measure_search(SOLUTION / "decoder.py", TEMPLATE, PAIRS, rounds=1)
    assert abs(measured.behind) < 1e-4
    assert min(measured.faster.values()) > 0
    assert measured.scores.sentences == len(PAIRS)
    assert "nats per token" in str(measured)


def test_one_beam_can_be_measured_before_beam_search_is_written(tmp_path):
    said = measure_greedy(TEMPLATE, TEMPLATE, PAIRS[:4], rounds=1)
    assert "times as fast as the template (asked for: 4)" in said
    assert "4 of 4 translations are the template's" in said
    lines = "return [[*ids[:-1], 5, 3] if len(sources) > 1 else ids for ids in found]"
    (tmp_path / "mine.py").write_text(f"{BEGIN}    {lines}\n", encoding="utf-8")
    with pytest.raises(MtcourseError, match="differently alone"):
        measure_greedy(tmp_path / "mine.py", TEMPLATE, PAIRS[:4], rounds=1)
    (tmp_path / "mine.py").write_text(
        f"{BEGIN}    return [[*ids[:-1], 5, 3] for ids in found]\n", encoding="utf-8"
    )
    assert "0 of 4 translations are" in measure_greedy(
        tmp_path / "mine.py", TEMPLATE, PAIRS[:4], rounds=1
    )


def test_the_bars_are_all_asked_for():
    measured = measure_search(SOLUTION / "decoder.py", TEMPLATE, PAIRS[:3], rounds=1)
    good = MeasuredSearch(FASTER, replace(measured.scores, bleu=BAR), WORSE)
    assert good.reached
    assert "BLEU 81: reached" in str(good)
    assert not replace(good, behind=1.01 * WORSE).reached
    assert not replace(good, scores=replace(good.scores, bleu=BAR - 0.1)).reached
    for beams in FASTER:
        assert not replace(good, faster={**FASTER, beams: 0.99 * FASTER[beams]}).reached


# --- files that do it wrong ---------------------------------------------------------------------

BEGIN = f"""
import sys
sys.path.insert(0, {str(SOLUTION)!r})
from importlib import import_module
right = import_module("decoder").translate

def translate(model, sources, beams):
    found = right(model, sources, beams)
"""


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        ("return tuple(found)", "translate returned tuple for 16 sentences"),
        ("return found[1:]", "returned 15 translations for 16 sentences"),
        ("found[2][0] = 2.5; return found", "translation 3: return a list of whole numbers"),
        ("found[2][0] = 2000; return found", "ids go from 0 to 1999, but it has 2000"),
        ("found[2].insert(0, 3); return found", "<eos> stands in the middle"),
        ("return [ids[:-1] for ids in found]", "ends without <eos> after"),
        ("return [[5] * 99 for ids in found]", "has 99 tokens, and may have"),
        ("model.tensors['output_weight'].mul_(2); return found", "changes the weights"),
    ],
)
def test_what_is_no_translation_is_refused(tmp_path, ending, says):
    (tmp_path / "mine.py").write_text(f"{BEGIN}    {ending}\n", encoding="utf-8")
    with pytest.raises(MtcourseError, match=says):
        found(tmp_path / "mine.py", 1)


def test_a_translation_that_depends_on_its_batch_is_refused(tmp_path):
    ending = "return found if len(found) == 1 else [[*found[0][:-2], 3], *found[1:]]"
    (tmp_path / "mine.py").write_text(f"{BEGIN}    {ending}\n", encoding="utf-8")
    with pytest.raises(MtcourseError, match="translated differently alone and in its batch"):
        measure_search(tmp_path / "mine.py", TEMPLATE, PAIRS[:4], rounds=1)


def test_the_packages_own_search_is_not_allowed(tmp_path):
    text = "from mtcourse.decoding.search import beam_search\n" + TEMPLATE.read_text()
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    with pytest.raises(MtcourseError, match=r"line 1: mtcourse\.decoding.* not allowed"):
        measure_search(tmp_path / "mine.py", TEMPLATE, PAIRS, rounds=1)


def test_a_worse_search_is_seen_in_its_score():
    """Beams whose cache is not reordered write on what others have read."""
    hard = [pair.source for pair in SPLITS[SPLIT][:60]]
    sources = [[*ids, EOS] for ids in TRANSLATOR.tokenizers.source.encode_all(hard)]
    sample = load_project(SOLUTION / "decoder.py", FUNCTIONS)
    right = checked(sample, "sample", MODEL, sources, BEAMS)
    sample.Cache.reorder = lambda self, parents: None
    wrong = checked(sample, "sample", MODEL, sources, BEAMS)
    assert mean_score(TRANSLATOR, sources, right) > WORSE + mean_score(TRANSLATOR, sources, wrong)


def test_the_score_is_the_log_probability_per_token():
    ((candidate,),) = TRANSLATOR.candidates([PAIRS[0].source])
    (ids,) = found(TEMPLATE, 1, SOURCES[:1])
    expected = candidate.log_probability / len(ids)
    assert mean_score(TRANSLATOR, SOURCES[:1], [ids]) == pytest.approx(expected, abs=1e-4)


# --- command, page and what is stored -----------------------------------------------------------


def test_the_command_measures_a_file(monkeypatch, capsys):
    threads = torch.get_num_threads()
    arguments = [
        "project-search",
        SOLUTION / "decoder.py",
        "--template",
        TEMPLATE,
        "--split",
        "dev",
    ]
    monkeypatch.setattr(sys, "argv", ["mtcourse", *map(str, arguments), "--sentences", "20"])
    with contextlib.suppress(SystemExit):
        cli.main()
    torch.set_num_threads(threads)
    assert "times as fast as the template" in capsys.readouterr().out


def test_page_template_and_rubric_speak_of_the_same():
    page = PAGE.read_text(encoding="utf-8")
    for form in FUNCTIONS.values():
        assert f"def {form}:" in page
        assert f"def {form.partition('(')[0]}(" in TEMPLATE.read_text(encoding="utf-8")
    for text in (page, TEMPLATE.read_text(encoding="utf-8")):
        assert "mtcourse project-search my_search/decoder.py --greedy --split dev" in text
    rubric = (ROOT / "projects" / "search" / "rubric.md").read_text(encoding="utf-8")
    assert f"at most {WORSE:g} nats" in rubric


def test_the_samples_report_quotes_what_is_stored():
    stored = load_measured("project_search")
    report = (SOLUTION / "report.md").read_text(encoding="utf-8")
    for name in ("sample", "no cache", "one sentence at a time"):
        for ratio in stored[name]["faster"].values():
            assert f"{ratio:.1f}" in report
    assert stored["sample"]["faster"]["1"] >= 1.4 * FASTER[1]
    questions = [line for line in report.splitlines() if line.startswith("## ")]
    template = (ROOT / "projects" / "search" / "report.md").read_text(encoding="utf-8")
    assert questions == [line for line in template.splitlines() if line.startswith("## ")]
