"""LibreOffice's help: the parser on hand-made pages, and the whole corpus where it is installed."""

from __future__ import annotations

import gzip

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.text import libreoffice
from mtcourse.text.corpora import libreoffice_corpus
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.libreoffice import (
    aligned_sentences,
    extract,
    help_folder,
    paragraphs,
    sentences,
    version_of,
)
from mtcourse.text.pairs import words
from mtcourse.text.splitting import NearDuplicates

PAGE = """<html><head><title>Zoeken</title></head><body>
<a class="logo"><p dir="auto">LibreOffice 7.4 Help</p></a>
<h1 id="hd_1" dir="auto"> {title} </h1>
<p id="par_1" class="paragraph"><a name="x"></a>{first}
<span class="switchinline"><span hidden="true" class="MAC"><span class="key">Command</span></span>
<span hidden="true"><span class="key">Ctrl</span></span></span>+F.</p>
<p class="paragraph">No id, no pair.</p>
<p id="par_2"></p>
<table><tr><td><p id="par_3">{second}<br>{third}</p></td></tr></table>
</body></html>"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Two languages of one page, and one page in English only."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(libreoffice.VARIABLE, raising=False)
    monkeypatch.setattr(libreoffice, "INSTALLED", tmp_path / "not-installed" / "help")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    root = tmp_path / "help"
    texts = {
        "en-US": {"title": "Find", "first": "Press", "second": "It is fast.", "third": "Try it!"},
        "nl": {
            "title": "Zoeken",
            "first": "Druk op",
            "second": "Het is snel.",
            "third": "Doe het!",
        },
    }
    for language, of_one in texts.items():
        page = root / language / "text" / "shared" / "find.html"
        page.parent.mkdir(parents=True)
        page.write_text(PAGE.format(**of_one), encoding="utf-8")
    (root / "en-US" / "text" / "only.html").write_text("<p id='a'>Alone</p>", encoding="utf-8")
    return root


def test_paragraphs_lose_markup_and_the_mac_menu():
    found = paragraphs(PAGE.format(title="~Find", first="Press", second="A ĳ &amp; b.", third="C."))
    assert found["hd_1"] == "Find"
    assert found["par_1"] == "Press Ctrl+F."
    assert found["par_2"] == ""
    assert found["par_3"] == "A ij & b. C."
    assert set(found) == {"hd_1", "par_1", "par_2", "par_3"}


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("Menus, e.g. File, open. Close it.", ["Menus, e.g. File, open.", "Close it."]),
        ("Version 7.4 is here", ["Version 7.4 is here"]),
        ('Type "x". "Y" appears.', ['Type "x".', '"Y" appears.']),
        ("", [""]),
    ],
)
def test_sentences(paragraph, expected):
    assert sentences(paragraph) == expected


def test_paragraphs_with_unequal_numbers_of_sentences_stay_whole():
    found = list(aligned_sentences("One. Two.", "Een en twee.", "p#1"))
    assert [(p.source, p.target, p.origin) for p in found] == [("One. Two.", "Een en twee.", "p#1")]


def test_extraction_aligns_by_id_and_its_cache_says_the_same(tree, monkeypatch):
    pairs = extract(tree, "en", "nl")
    assert [(p.source, p.target) for p in pairs] == [
        ("Find", "Zoeken"),
        ("Press Ctrl+F.", "Druk op Ctrl+F."),
        ("It is fast.", "Het is snel."),
        ("Try it!", "Doe het!"),
    ]
    assert pairs[1].origin == "text/shared/find.html#par_1"
    assert version_of(tree) == "7.4"
    monkeypatch.setattr(libreoffice, "_extracted", None)
    assert extract(tree, "en", "nl") == pairs, "read from the cache"


def test_pages_of_another_size_are_not_read_from_the_cache(tree):
    extract(tree, "en", "nl")
    page = tree / "nl" / "text" / "shared" / "find.html"
    page.write_text(page.read_text(encoding="utf-8").replace("snel", "rap"), encoding="utf-8")
    assert "Het is rap." in {pair.target for pair in extract(tree, "en", "nl")}


def test_the_packages_version_is_read_where_it_is_said(tmp_path):
    folder = tmp_path / "share" / "libreoffice" / "help"
    page = folder / "en-US" / "text" / "a.html"
    changelog = tmp_path / "share" / "doc" / "libreoffice-help-en-us" / "changelog.Debian.gz"
    page.parent.mkdir(parents=True)
    with pytest.raises(MtcourseError, match="no page below .* says which version"):
        version_of(folder)
    page.write_text(PAGE, encoding="utf-8")
    assert version_of(folder) == "7.4"
    changelog.parent.mkdir(parents=True)
    with gzip.open(changelog, "wt", encoding="utf-8") as lines:
        lines.write("libreoffice (4:7.4.7-1+deb12u14) bookworm; urgency=medium\n")
    assert version_of(folder) == "4:7.4.7-1+deb12u14"


def test_a_cache_that_cannot_be_written_is_done_without(tree, monkeypatch, capsys):
    blocked = tree / "file"
    blocked.write_text("")
    monkeypatch.setattr(libreoffice, "cache_folder", lambda: blocked / "below")
    assert len(extract(tree, "en", "nl")) == 4
    assert "not kept in" in capsys.readouterr().err


def test_the_pages_are_found_where_they_are_said_to_be(tree, monkeypatch):
    assert help_folder(["en", "nl"], tree) == tree
    monkeypatch.setenv(libreoffice.VARIABLE, str(tree))
    assert help_folder(["en", "nl"]) == tree
    monkeypatch.delenv(libreoffice.VARIABLE)
    with pytest.raises(MtcourseError, match="make real-data.*libreoffice-help-nl"):
        help_folder(["en", "nl"])
    with pytest.raises(MtcourseError, match="not in 'xx'"):
        help_folder(["en", "xx"], tree)


def test_the_same_pages_are_held_out_whatever_the_longest_sentence(tree):
    pairs = sample_pairs(900, seed=6)
    for place in range(0, len(pairs), 10):
        for language, side in (("en-US", "source"), ("nl", "target")):
            texts = [getattr(pair, side) for pair in pairs[place : place + 10]]
            page = tree / language / "text" / f"page{place}.html"
            page.write_text("".join(f"<p id='{i}'>{text}</p>" for i, text in enumerate(texts)))
    splits = {longest: libreoffice_corpus("nl", tree, longest).splits for longest in (7, 12, 60)}
    assert len(splits[7]["train"]) < len(splits[12]["train"]) < len(splits[60]["train"])
    pages = {
        (longest, name): {pair.origin.split("#")[0] for pair in pairs}
        for longest, of_one in splits.items()
        for name, pairs in of_one.items()
    }
    for longest in splits:
        held_out = pages[longest, "dev"] | pages[longest, "test"]
        assert held_out
        assert not any(held_out & pages[other, "train"] for other in splits)


@pytest.fixture(scope="module")
def corpus():
    try:
        return libreoffice_corpus()
    except MtcourseError as error:
        pytest.skip(str(error))


@pytest.mark.real_data
def test_the_real_corpus_is_large_and_clean(corpus):
    pairs = [pair for split in corpus.splits.values() for pair in split]
    assert len(pairs) > 30_000
    assert 10 < sum(len(words(pair.source)) for pair in pairs) / len(pairs) < 15
    assert len({(pair.source, pair.target) for pair in pairs}) == len(pairs)
    assert corpus.version[0].isdigit()
    assert corpus.report.dropped["untranslated"] > 100
    assert not any("CommandCtrl" in pair.source for pair in pairs)


@pytest.mark.real_data
def test_no_page_and_no_near_duplicate_leaks(corpus):
    pages = {
        name: {pair.origin.split("#")[0] for pair in pairs} for name, pairs in corpus.splits.items()
    }
    assert not pages["train"] & pages["test"]
    assert not pages["train"] & pages["dev"]
    assert not pages["dev"] & pages["test"]
    known = NearDuplicates([pair.target for pair in corpus.splits["train"]])
    assert not any(pair.target in known for pair in corpus.splits["test"])
    assert len(corpus.splits["test"]) > 800


@pytest.mark.real_data
def test_short_sentences_on_request_hold_out_the_same_pages(corpus):
    short = libreoffice_corpus(max_words=12)
    assert len(short.splits["train"]) > 10_000
    for pairs in short.splits.values():
        assert all(max(len(words(p.source)), len(words(p.target))) <= 12 for p in pairs)
    learnt = {pair.origin.split("#")[0] for pair in short.splits["train"]}
    for name in ("dev", "test"):
        held_out = {pair.origin.split("#")[0] for pair in corpus.splits[name]}
        assert not held_out & learnt, "a model of short sentences may be scored on all"
