"""The page of a translator that a reader trained: what stands in it, and what it refuses."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.scores import score
from mtcourse.models.translator import Translator
from mtcourse.page.translator_page import write_translator_page
from mtcourse.text.corpora import ParallelCorpus
from mtcourse.text.corpus_record import RECORD, CorpusRecord
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import TokenizerPair
from tests.helpers.browsing import Visit, violations
from tests.helpers.live_explorers import visited_page
from tests.helpers.oracles import model_of_seed

HEBREW = (
    ("הכלב הזקן ישן.", "Der alte Hund schläft."),
    ("החתול הקטן רואה בית.", "Die kleine Katze sieht ein Haus."),
    ("האיש לא רואה את הכלב.", "Der Mann sieht den Hund nicht."),
    ("אישה קוראת ספר חדש.", "Eine Frau liest ein neues Buch."),
)
TEST = (
    SentencePair("הכלב רואה את הזברה.", "Der Hund sieht das <Zebra>.", ("Es sieht der Hund.",)),
    SentencePair("החתול הזקן ישן.", "Die alte Katze schläft."),
    SentencePair("האיש קורא ספר.", "Der Mann liest ein Buch."),
)
PAIRS = tuple(SentencePair(source, target) for source, target in HEBREW)
CORPUS = ParallelCorpus(
    "animals & houses", "he", "de", "CC0-1.0", {"train": PAIRS, "dev": PAIRS[:1], "test": TEST}
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that reads from right to left, with weights that nobody trained."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    tokenizers = TokenizerPair.train_nearest(PAIRS, 2000)
    size = tokenizers.source.vocabulary_size
    Translator(model_of_seed(2, V_s=size, V_t=size), tokenizers).save(folder)
    CorpusRecord.of(CORPUS).save(folder)
    return folder


@pytest.fixture(scope="module")
def page(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pages") / "page"
    write_translator_page(run, out)
    return out


def text_of(page: Path) -> str:
    return (page / "index.html").read_text(encoding="utf-8")


def test_the_page_names_both_languages_and_says_their_directions(page):
    text = text_of(page)
    assert "<title>Hebrew to German" in text
    assert 'data-asks="A Hebrew sentence"' in text
    sentences = re.findall(r'<(\w+) lang="([\w-]+)" dir="(\w+)">([^<]*)<', text)
    assert {(language, way) for _, language, way, _ in sentences} == {("he", "rtl"), ("de", "ltr")}
    for _, language, _, sentence in sentences:
        hebrew = any("\u0590" <= one <= "\u05ff" for one in sentence)
        assert not (hebrew and language == "de"), sentence


def test_scores_are_those_of_the_test_set_with_signatures(run, page):
    translator = Translator.load(page_weights(run), device="cpu")
    written = translator.translate([pair.source for pair in TEST], greedy_search)
    scores = score(written, [(pair.target, *pair.references) for pair in TEST])
    text = text_of(page)
    assert f"{scores.chrf:.1f} ({scores.chrf_interval[0]:.1f} to" in text
    assert f"{scores.bleu:.1f} ({scores.bleu_interval[0]:.1f} to" in text
    assert scores.bleu_signature in text
    assert scores.chrf_signature in text
    assert "Measured on 3 sentences" in text
    assert all(f'<q lang="de" dir="ltr">{html.escape(one)}</q>' in text for one in written)
    assert "2 of the 3 test sentences" in text


def page_weights(run: Path) -> Path:
    """The run as the page has it: in half precision."""
    import torch

    folder = run.parent / "half"
    Translator.load(run, device="cpu").save(folder, torch.float16)
    return folder


def test_it_has_the_words_the_licence_and_asks_nobody_for_anything(page):
    text = text_of(page)
    assert "animals &amp; houses" in text
    assert "CC0-1.0" in text
    assert html.escape(TEST[0].target) in text
    assert "<Zebra>" not in text
    assert not re.findall(r'(?:src|href)="(?!translator/|data:,)', text)
    script = (page / "translator" / "model.js").read_text(encoding="utf-8")
    model = json.loads(script.removeprefix("globalThis.mtcourseTranslator = ").rstrip(";\n"))
    assert model["known"] == list(CorpusRecord.of(CORPUS).known)
    assert "הכלב" in model["known"]
    assert model["examples"] == [pair.source for pair in TEST]


def test_a_page_is_written_again_and_nothing_else_is_replaced(run, page, tmp_path):
    out = tmp_path / "page"
    shutil.copytree(page, out)
    (out / "translator" / "weights-99.js").write_text("old")
    write_translator_page(run, out)
    assert not (out / "translator" / "weights-99.js").exists()
    (out / "CNAME").write_text("my.site")
    with pytest.raises(MtcourseError, match="CNAME beside the page"):
        write_translator_page(run, out)
    assert (out / "CNAME").read_text() == "my.site"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page"]


@pytest.mark.parametrize("there", ["notes.txt", "index.html", "deep/notes.txt"])
def test_a_folder_with_other_things_is_refused(run, tmp_path, there):
    file = tmp_path / "mine" / there
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(MtcourseError, match="no page of a translator"):
        write_translator_page(run, tmp_path / "mine")
    with pytest.raises(MtcourseError, match="is a file"):
        write_translator_page(run, file)
    assert file.read_text() == "mine"


def test_nothing_is_left_of_a_page_that_could_not_be_written(run, tmp_path, monkeypatch):
    def fails(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("mtcourse.page.translator_page.write_whole", fails)
    with pytest.raises(MtcourseError, match="disk is full"):
        write_translator_page(run, tmp_path / "page")
    assert list(tmp_path.iterdir()) == []


def test_an_older_run_says_what_it_lacks_and_takes_its_corpus(run, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(run, old)
    (old / RECORD).unlink()
    with pytest.raises(MtcourseError, match="lacks corpus.json.*--corpus"):
        write_translator_page(old, tmp_path / "page")
    write_translator_page(old, tmp_path / "page", CORPUS)
    assert "Hebrew to German" in text_of(tmp_path / "page")


def test_bad_runs_are_named(run, tmp_path):
    with pytest.raises(MtcourseError, match="there is no translator"):
        write_translator_page(tmp_path / "nowhere", tmp_path / "page")
    untested = replace(CORPUS, splits={"train": PAIRS, "dev": PAIRS})
    with pytest.raises(MtcourseError, match="no test set"):
        write_translator_page(run, tmp_path / "page", untested)
    assert list(tmp_path.iterdir()) == []


def test_sentences_that_are_too_long_are_left_out_and_counted(run, tmp_path):
    long = SentencePair("הכלב " * 200, "Hund")
    corpus = replace(CORPUS, splits={**CORPUS.splits, "test": (*TEST, long)})
    written = write_translator_page(run, tmp_path / "page", corpus)
    assert written.left_out == 1
    assert "1 more are longer" in text_of(tmp_path / "page")


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser


@pytest.fixture(params=[("file", "light"), ("http", "dark")], ids=["file", "http"])
def opened(browser, page, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """The page, from the disk or a server; at the end nothing went wrong, and nobody was asked."""
    place, scheme = request.param
    with visited_page(browser, page / "index.html", place, scheme) as visited:
        yield visited


@browsing
def test_the_written_page_translates_as_the_package_does(opened, run):
    translator = Translator.load(page_weights(run), device="cpu")
    opened.page.get_by_label("A Hebrew sentence").fill(TEST[0].source)
    opened.page.keyboard.press("Enter")
    opened.page.wait_for_selector(".live-inside:not([hidden])")
    written = opened.page.locator(".live-translation")
    assert written.text_content() == translator.translate([TEST[0].source], greedy_search)[0]
    assert written.get_attribute("lang") == "de"
    source = opened.page.locator(".live-form input")
    assert (source.get_attribute("lang"), source.get_attribute("dir")) == ("he", "rtl")
    assert opened.page.locator("mark").all_inner_texts() == ["רואה", "הזברה"][1:]
    pieces = opened.page.locator(".live-source .live-piece")
    first, last = (pieces.nth(at).bounding_box()["x"] for at in (0, 1))
    assert first > last, "Hebrew runs to the left"
    looks = opened.page.locator(".live-looks")
    assert re.match(r"To write “.+” it looked at “.+” \(\d+%\)", looks.inner_text())
    languages = looks.locator("bdi").evaluate_all("all => all.map(one => [one.lang, one.dir])")
    assert languages[:2] == [["de", "ltr"], ["he", "rtl"]]


@browsing
def test_the_written_page_is_for_everybody_on_every_screen(opened):
    opened.page.get_by_role("button", name="Translate").click()
    opened.page.wait_for_selector(".live-inside:not([hidden])")
    opened.page.get_by_text("Words that it knows").click()
    opened.page.wait_for_selector(".live-words p")
    for width in (1400, 360):
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(opened.page) == []
        opened.errors[:] = [
            one for one in opened.errors if not re.search("XMLHttpRequest|ERR_FAILED", one)
        ]


def test_the_card_says_what_the_author_answered(run, tmp_path):
    answers = {
        "What it is for": "Notes about <animals>.\n\n- not for vets\n- not for law",
        "What may be done with it": "Anything.",
    }
    out = tmp_path / "page"
    write_translator_page(run, out, replace(CORPUS, licence="not stated"), answers)
    card = (out / "index.html").read_text(encoding="utf-8").split("<h2>Model card</h2>")[1]
    assert "<h3>What it is for</h3>\n<p>Notes about &lt;animals&gt;.</p>" in card
    assert "<ul><li>not for vets</li><li>not for law</li></ul>" in card
    assert "Ask whoever made the corpus" not in card
    assert "What people found" not in card
