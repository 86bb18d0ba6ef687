"""The report on a translator: what it says, and of what."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import score
from mtcourse.models.encoder_decoder import EncoderDecoder, EncoderDecoderConfig
from mtcourse.models.model_card import vocabularies_in_words
from mtcourse.models.translator import SHIPPED, Translator
from mtcourse.recipes.corpus_look import look_at
from mtcourse.recipes.error_analysis import translated
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.recipes.report import JUDGED, YOURS, answers_in, judging_sheet, write_report
from mtcourse.recipes.translator import evaluate_translator
from mtcourse.text.cleaning import CleaningReport
from mtcourse.text.corpora import ParallelCorpus, builtin_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import Tokenizer, TokenizerPair
from tests.helpers.small_corpus import PAIRS

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


def test_a_joint_vocabulary_is_counted_once(tmp_path):
    of = corpus(builtin_corpus(train=500).splits["test"][:12])
    out = tmp_path / "report.md"
    write_report(TRANSLATOR, of, "test", greedy_search, out, search_name="greedy")
    assert ", one joint vocabulary of 2,000 pieces." in out.read_text(encoding="utf-8")
    two = TokenizerPair(*(Tokenizer.train([p.source for p in PAIRS], V) for V in (290, 320)))
    sizes = EncoderDecoderConfig(290, 320, d_model=8, h=2, d_ff=8, shared_embeddings=False)
    apart = Translator(EncoderDecoder(sizes), two)
    assert vocabularies_in_words(apart) == "vocabularies of 290 and 320 pieces"


def test_people_get_fifty_translations_and_no_reference(tmp_path):
    pairs = builtin_corpus(train=500).splits["test"][:60]
    of, sheet = corpus(pairs), tmp_path / "sheet.csv"
    write_report(
        TRANSLATOR, of, "test", greedy_search, tmp_path / "r.md", search_name="greedy", sheet=sheet
    )
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({row["number"] for row in rows}) == JUDGED
    assert [int(row["number"]) for row in rows] != sorted(int(row["number"]) for row in rows)
    assert list(rows[0]) == ["number", "source", "translation", "mark", "note"]
    translations = TRANSLATOR.translate([pair.source for pair in pairs], greedy_search)
    for row in rows:
        place = int(row["number"]) - 1
        assert row["source"] == pairs[place].source
        assert row["translation"] == translations[place]


def test_the_sheet_is_the_same_each_time_and_holds_no_formula():
    pairs = [SentencePair(f"=SUM({n})", f"=SOM({n})") for n in range(7)]
    items = translated(pairs, [pair.target for pair in pairs])
    sheet = judging_sheet(items)
    assert sheet == judging_sheet(items)
    assert sheet.count("'=SUM") == sheet.count("'=SOM") == 7
    assert ",=" not in sheet


def test_the_answers_of_an_author_are_read_back(written, tmp_path):
    text, _ = written
    report = tmp_path / "report.md"
    report.write_text(text, encoding="utf-8")
    assert answers_in(report) == {}
    first, last = YOURS[0], YOURS[-1]
    filled = text.replace(f"*{first[1]}*", f"*{first[1]}*\n\nFor bakers.\n\n- not *yet* for cooks")
    filled = filled.rstrip() + "\n\nMIT.\n"
    report.write_text(filled, encoding="utf-8")
    assert answers_in(report) == {first[0]: "For bakers.\n\n- not *yet* for cooks", last[0]: "MIT."}


def test_what_is_no_report_has_no_answers(tmp_path):
    other = tmp_path / "other.md"
    other.write_text("# Notes\n", encoding="utf-8")
    with pytest.raises(MtcourseError, match="has no heading .## What it is for"):
        answers_in(other)
    with pytest.raises(MtcourseError, match="cannot be read"):
        answers_in(tmp_path / "none.md")


def test_words_are_not_counted_where_no_spaces_are_written(tmp_path):
    train = tuple(SentencePair(f"The cat {n}", f"猫が{n}") for n in "abcdefghijkl")
    splits = {"train": train, "dev": train[:2], "test": train[:3]}
    of = ParallelCorpus("cats", "en", "ja", "MIT", splits)
    out = tmp_path / "report.md"
    write_report(TRANSLATOR, of, "test", greedy_search, out, search_name="greedy")
    text = out.read_text(encoding="utf-8")
    assert "Japanese writes no spaces, so read chrF2" in text
    assert "this report counts no words of it" in text
    assert "| in training | words | found |" not in text


def test_a_look_at_a_corpus_counts_shows_and_asks_the_memory():
    of = corpus(builtin_corpus(train=500).splits["test"][:30])
    text = look_at(of, shown=5)
    assert text == look_at(of, shown=5)
    assert "en to nl, licence: MIT" in text
    assert "train 500, dev 30, test 30" in text
    assert "31  duplicate" in text
    shown = text.split("5 training pairs, drawn at random:\n")[1].splitlines()[:10]
    pairs = {(pair.source, pair.target) for pair in of.splits["train"]}
    assert {(a.strip(), b.strip()) for a, b in zip(shown[::2], shown[1::2], strict=True)} <= pairs
    memory = TranslationMemory(of.splits["train"])
    dev = of.splits["dev"]
    expected = score(
        memory.translate([pair.source for pair in dev]),
        [(pair.target, *pair.references) for pair in dev],
    )
    assert text.endswith(str(expected))
