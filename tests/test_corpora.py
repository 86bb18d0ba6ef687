"""Reading corpora: no line lost in silence, and every fault said with its place."""

from __future__ import annotations

import sys
import types

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import (
    ParallelCorpus,
    builtin_corpus,
    gettext_corpus,
    huggingface_corpus,
    load_corpus,
    tsv_corpus,
)
from mtcourse.text.grammar import sample_pairs

PAIRS = sample_pairs(200, seed=4)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to write in, from which nothing else can be found."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MTCOURSE_LIBREOFFICE_HELP", raising=False)
    return tmp_path


def all_pairs(corpus: ParallelCorpus):
    return [pair for pairs in corpus.splits.values() for pair in pairs]


def left_out(corpus: ParallelCorpus) -> int:
    return sum(corpus.report.dropped.values())


def test_builtin_corpus_has_the_test_sets_of_the_grammar():
    corpus = builtin_corpus(train=2000, seed=2)
    assert len(corpus.splits["train"]) == 2000
    assert set(corpus.splits) == {"train", "dev", "test", "compositional", "control", "length"}
    assert (corpus.source_language, corpus.target_language) == ("en", "nl")
    assert builtin_corpus(train=2000, seed=2).splits == corpus.splits


def test_tsv_keeps_pairs_references_and_origin(folder):
    lines = [f"{pair.source}\t{pair.target}\tanders" for pair in PAIRS]
    (folder / "pairs.en-nl.tsv").write_text("\r\n".join(lines) + "\r\n", encoding="utf-8-sig")
    corpus = load_corpus("pairs.en-nl.tsv")
    assert {(p.source, p.target) for p in all_pairs(corpus)} <= {
        (p.source, p.target) for p in PAIRS
    }
    assert len(all_pairs(corpus)) + left_out(corpus) == len(PAIRS)
    assert len(corpus.splits["dev"]) > 0
    pair = corpus.splits["train"][0]
    assert pair.references == ("anders",)
    line = int(pair.origin.rsplit(":", 1)[1])
    assert lines[line - 1].startswith(f"{pair.source}\t")


def test_two_files_pair_line_by_line(folder):
    (folder / "text.en").write_text("\n".join(p.source for p in PAIRS), encoding="utf-8")
    (folder / "text.nl").write_text("\n".join(p.target for p in PAIRS) + "\n", encoding="utf-8")
    corpus = load_corpus("text.en,text.nl")
    assert (corpus.source_language, corpus.target_language) == ("en", "nl")
    known = {(p.source, p.target) for p in PAIRS}
    assert all((p.source, p.target) in known for p in all_pairs(corpus))
    assert len(all_pairs(corpus)) + left_out(corpus) == len(PAIRS)


LINE = st.text(st.characters(exclude_characters="\n\r\t", codec="utf-8"), max_size=25)


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(st.tuples(LINE, LINE), min_size=1, max_size=20))
def test_every_line_is_kept_or_counted(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("tsv") / "p.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in lines), encoding="utf-8", newline="")
    if not path.read_text(encoding="utf-8-sig").strip():
        return
    corpus = tsv_corpus(path, "en", "nl")
    assert len(all_pairs(corpus)) + left_out(corpus) == len(lines)


def test_faulty_lines_are_counted_and_listed_with_their_place(folder):
    good = [f"{p.source}\t{p.target}" for p in PAIRS[:50]]
    bad = ["no tab here", "only a source\t", "\tonly a target", "", "<b>bold</b> text\tvette tekst"]
    (folder / "p.tsv").write_text("\n".join(good[:25] + bad + good[25:]), encoding="utf-8")
    report = tsv_corpus("p.tsv", "en", "nl").report
    assert report.dropped["no tab in the line"] == 2
    assert report.dropped["empty on one side"] == 2
    assert report.dropped["markup left over"] == 1
    assert "p.tsv:26" in str(report)
    assert "'no tab here'" in str(report)


def test_bytes_that_are_not_utf_8_are_placed(folder):
    (folder / "p.en-nl.tsv").write_bytes(b"A dog\tEen hond\nA caf\xe9\tEen caf\xe9\n")
    with pytest.raises(MtcourseError, match=r"p\.en-nl\.tsv.*0xe9 at offset 20, line 2"):
        load_corpus("p.en-nl.tsv")


@pytest.mark.parametrize(
    ("files", "spec", "said"),
    [
        ({"a.en": "one\ntwo\n", "a.nl": "een\n"}, "a.en,a.nl", "a.en has 2 lines, a.nl has 1"),
        ({"e.en-nl.tsv": " \n"}, "e.en-nl.tsv", "e.en-nl.tsv is empty"),
        ({}, "gone.en-nl.tsv", "gone.en-nl.tsv cannot be read: No such file"),
        ({}, "gone.po", "gone.po cannot be read"),
        ({"nl.mo": "junk that is no catalog"}, "nl.mo", "nl.mo is not a message catalog"),
        ({"nl.po": "no catalog at all"}, "nl.po", "nl.po is not a message catalog"),
        ({}, "what?", "'what\\?' names no corpus: say builtin"),
        ({}, "libreoffice:nl:few", "should be libreoffice, libreoffice:nl or"),
        ({}, "libreoffice:xx", "known here in en, nl, fr, de, not in 'xx'"),
        ({"p.english-nl.tsv": "a\tb"}, "p.english-nl.tsv", "'english' is not a language code"),
    ],
)
def test_what_cannot_be_read_is_said(folder, files, spec, said):
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(MtcourseError, match=said):
        load_corpus(spec)


def catalog() -> polib.POFile:
    po = polib.POFile()
    po.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    for number, pair in enumerate(PAIRS[:60]):
        po.append(
            polib.POEntry(
                msgid=f"_{pair.source}", msgstr=f"&{pair.target}", occurrences=[("a.c", number)]
            )
        )
    po.append(polib.POEntry(msgid="Fuzzy one", msgstr="Vage", flags=["fuzzy"]))
    po.append(polib.POEntry(msgid="Untranslated one", msgstr=""))
    po.append(polib.POEntry(msgid="Obsolete one", msgstr="Verouderd", obsolete=True))
    po.append(
        polib.POEntry(
            msgid="%d file was opened",
            msgid_plural="%d files were opened",
            msgstr_plural={0: "Er is een bestand geopend", 1: "Er zijn bestanden geopend"},
        )
    )
    return po


def test_message_catalogs_give_their_translated_messages(folder):
    catalog().save("nl.po")
    corpus = load_corpus("nl.po")
    known = {(p.source, p.target) for p in PAIRS[:60]}
    found = {(p.source, p.target) for p in all_pairs(corpus)}
    assert found - known <= {("%d file was opened", "Er is een bestand geopend")}
    assert len(found & known) > 40
    for reason in ("fuzzy message", "message without a translation", "obsolete message"):
        assert corpus.report.dropped[reason] == 1


def test_compiled_catalogs_give_the_same_pairs(folder):
    catalog().save("nl.po")
    catalog().save_as_mofile("nl.mo")
    texts = [
        {(p.source, p.target) for p in all_pairs(gettext_corpus([name], "nl"))}
        for name in ("nl.po", "nl.mo")
    ]
    assert len(texts[0] & texts[1]) > 40


def fake_datasets(monkeypatch, rows):
    module = types.ModuleType("datasets")

    def load_dataset(name, configuration, split):
        assert (name, configuration, split) == ("some/books", "en-nl", "train")
        if isinstance(rows, Exception):
            raise rows
        return {"translation": rows}

    module.load_dataset = load_dataset
    monkeypatch.setitem(sys.modules, "datasets", module)


def test_hugging_face_rows_become_pairs(monkeypatch):
    fake_datasets(monkeypatch, [{"en": f" {p.source}\n", "nl": p.target} for p in PAIRS])
    corpus = huggingface_corpus("some/books", "en", "nl", "en-nl")
    assert {p.source for p in all_pairs(corpus)} <= {p.source for p in PAIRS}
    assert len(all_pairs(corpus)) + left_out(corpus) == len(PAIRS)


def test_hugging_face_faults_are_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MtcourseError, match=r"pip install 'mtcourse\[online\]'"):
        huggingface_corpus("some/books", "en", "nl", "en-nl")
    fake_datasets(monkeypatch, ConnectionError("no network"))
    with pytest.raises(MtcourseError, match="'some/books' cannot be loaded: no network"):
        huggingface_corpus("some/books", "en", "nl", "en-nl")
    fake_datasets(monkeypatch, [{"en": "a", "fr": "b"}])
    with pytest.raises(MtcourseError, match="'nl' is missing"):
        huggingface_corpus("some/books", "en", "nl", "en-nl")


def test_real_datasets_rows_become_pairs(monkeypatch):
    datasets = pytest.importorskip("datasets", reason="the extra 'online' is not installed")
    rows = [{"translation": {"en": p.source, "nl": p.target}} for p in PAIRS]
    table = datasets.Dataset.from_list(rows)
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: table)
    corpus = huggingface_corpus("local", "en", "nl")
    assert len(all_pairs(corpus)) + left_out(corpus) == len(PAIRS)
