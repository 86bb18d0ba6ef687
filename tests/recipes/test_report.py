"""The report on a translator: what it says, and of what."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import score
from mtcourse.models.translator import SHIPPED, Translator
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.recipes.report import YOURS, write_report
from mtcourse.recipes.translator import evaluate_translator
from mtcourse.text.cleaning import CleaningReport
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus
from mtcourse.text.pairs import SentencePair

TRANSLATOR = Translator.load(device="cpu")


def corpus(test: tuple[SentencePair, ...]) -> ParallelCorpus:
    train = builtin_corpus(train=500).splits["train"]
    dropped = CleaningReport(700, {"duplicate": 31, "few letters": 4})
    splits = {"train": train, "dev": test, "test": test}
    return ParallelCorpus("a|corpus", "en", "nl", "MIT", splits, report=dropped)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ParallelCorpus]:
    """A report on 40 sentences, one of which holds a sign that would break a table."""
    pairs = builtin_corpus(train=500).splits["test"][:39]
    test = (*pairs, SentencePair("The dog | the zebra sleeps.", "De hond | de zebra slaapt."))
    out = tmp_path_factory.mktemp("report") / "report.md"
    of = corpus(test)
    write_report(TRANSLATOR, of, "test", greedy_search, out, search_name="greedy", run=SHIPPED)
    return out.read_text(encoding="utf-8"), of


def test_the_scores_are_those_of_evaluate(written):
    text, of = written
    scores, _ = evaluate_translator(TRANSLATOR, of.splits["test"], greedy_search)
    assert f"| this translator | {scores.bleu:.1f} (" in text
    memory = TranslationMemory(of.splits["train"])
    baseline = score(
        memory.translate([pair.source for pair in of.splits["test"]]),
        [(pair.target, *pair.references) for pair in of.splits["test"]],
    )
    assert f"| the nearest training sentence | {baseline.bleu:.1f} (" in text
    assert scores.bleu_signature in text
    assert "split *test*, 40 sentences, with the search greedy" in text


def test_it_says_how_the_translator_was_made(written):
    text, _ = written
    assert "licence: MIT" in text
    assert "  - 31: duplicate" in text
    assert re.search(
        r"Of 5,200 updates, the weights of update [\d,]+ were kept: dev loss 0\.11", text
    )
    assert "1,182,208 parameters" in text


def test_every_table_is_whole_and_every_question_is_left_to_the_author(written):
    text, _ = written
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1, table
    for heading, question in YOURS:
        assert f"## {heading}\n\n*{question}*\n" in text
    assert "zebra" in text.split("never showed:")[1].splitlines()[0]


def test_what_training_has_seen_is_no_test_set(tmp_path):
    of = corpus(builtin_corpus(train=500).splits["test"][:12])
    for split in ("train", "tset"):
        with pytest.raises(MtcourseError, match="take one of dev, test"):
            write_report(TRANSLATOR, of, split, greedy_search, tmp_path / "r.md", search_name="")
    assert list(tmp_path.iterdir()) == []


def test_a_run_without_its_files_is_reported_all_the_same(tmp_path):
    of = replace(corpus(builtin_corpus(train=500).splits["test"][:12]), version="2")
    out = tmp_path / "report.md"
    write_report(
        TRANSLATOR, of, "test", greedy_search, out, search_name="greedy", run=Path("/none")
    )
    assert "updates" not in out.read_text(encoding="utf-8")
