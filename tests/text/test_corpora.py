"""Reading corpora: no line lost in silence, and every fault said with its place."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import polib
import pytest
import sphinx
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import (
    ParallelCorpus,
    aligned_files_corpus,
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
    assert builtin_corpus(train=2000, seed=2).splits is corpus.splits, "drawn once a process"
    assert builtin_corpus(train=2000, seed=3).splits["dev"] != corpus.splits["dev"]
    assert corpus.report.kept == len(all_pairs(corpus))


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


GOOD = [(pair.source, pair.target) for pair in PAIRS[:3]]
"""Enough for a corpus, whatever else is in it."""


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(st.tuples(LINE, LINE), max_size=20).map(lambda lines: GOOD + lines))
def test_every_line_is_kept_or_counted(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("lines")
    for name, texts in {
        "p.tsv": [f"{source}\t{target}" for source, target in lines],
        "p.en": [source for source, _ in lines],
        "p.nl": [target for _, target in lines],
    }.items():
        (folder / name).write_text("".join(f"{t}\n" for t in texts), encoding="utf-8", newline="")
    for corpus in (
        tsv_corpus(folder / "p.tsv", "en", "nl"),
        aligned_files_corpus(folder / "p.en", folder / "p.nl", "en", "nl"),
    ):
        assert len(all_pairs(corpus)) + left_out(corpus) == len(lines)
        assert corpus.splits["train"]


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
        ({}, "gone.po", "gone.po cannot be read: No such file"),
        ({"nl.po": "\n"}, "nl.po", "nl.po is empty: it should be a message catalog"),
        ({"nl.mo": ""}, "nl.mo", "nl.mo is empty"),
        ({"p.en-nl.tsv": "no tab\nx\ty\n"}, "p.en-nl.tsv", "p.en-nl.tsv has too few (.|\n)*no tab"),
        ({"nl.mo": "junk that is no catalog"}, "nl.mo", "nl.mo is not a message catalog"),
        ({"nl.po": "no catalog at all"}, "nl.po", "nl.po is not a message catalog"),
        ({"django.po": 'msgid "a"\nmsgstr "b"\n'}, "django.po", "does not say its language"),
        ({"note.txt": "x"}, ".", "there is no message catalog"),
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


@pytest.mark.parametrize(
    ("spec", "languages"),
    [
        ("my-text.en-pt-BR.tsv", ("en", "pt-BR")),
        ("en-nl.tsv", ("en", "nl")),
        ("a.en,a.pt-BR", ("en", "pt-BR")),
        ("pt-BR.po", ("en", "pt-BR")),
        ("messages.pt_BR.po", ("en", "pt-BR")),
        ("locale/pt_BR/LC_MESSAGES/django.po", ("en", "pt-BR")),
        ("sr@latin/LC_MESSAGES/my.po", ("en", "sr")),
    ],
)
def test_names_of_files_say_the_languages(folder, spec, languages):
    rows = {
        "tsv": [f"{source}\t{target}\n" for source, target in GOOD],
        "po": [f'msgid "{source}"\nmsgstr "{target}"\n\n' for source, target in GOOD],
        "en": [f"{source}\n" for source, _ in GOOD],
        "pt-BR": [f"{target}\n" for _, target in GOOD],
    }
    for name in spec.split(","):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(rows[name.rsplit(".")[-1]]), encoding="utf-8")
    corpus = load_corpus(spec)
    assert (corpus.source_language, corpus.target_language) == languages


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


def test_the_header_says_the_language_of_a_catalog_with_another_name(folder):
    po = catalog()
    po.metadata["Language"] = "nl_BE"
    po.save("django.po")
    assert load_corpus("django.po").target_language == "nl-BE"
    po.save_as_mofile("django.mo")
    assert load_corpus("django.mo").target_language == "nl-BE"


def test_a_tree_of_catalogs_is_read_in_one_language(folder):
    for place, header in (
        ("shop/locale/nl/LC_MESSAGES/django.po", "de"),  # the folder decides, as for gettext
        ("blog/locale/nl/LC_MESSAGES/django.po", ""),
        ("po/nl.po", ""),
        ("po/site.po", "de_AT"),
    ):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        po = catalog()
        po.metadata["Language"] = header
        po.append(
            polib.POEntry(msgid=f"Only in {place[:4]} here", msgstr=f"Alleen {place[:4]} hier")
        )
        po.save(str(path))
    catalog().save_as_mofile(str(folder / "po/nl.mo"))
    corpus = load_corpus(f"{folder}:nl")
    found = {pair.source for pair in all_pairs(corpus)}
    assert {"Only in shop here", "Only in blog here"} <= found
    assert not any("po/s" in source for source in found)
    assert corpus.target_language == "nl"
    assert corpus.name == "django.po, nl.po", "what is compiled is not read again"
    with pytest.raises(MtcourseError, match=r"has catalogs in de-AT, nl: say which"):
        load_corpus(str(folder))
    with pytest.raises(MtcourseError, match=r"has no catalog in fr; it has de-AT, nl"):
        load_corpus(f"{folder}:fr")
    assert load_corpus(f"{folder}/shop").target_language == "nl"


def test_small_letters_and_scripts_in_the_names_of_folders(folder):
    """As in real trees: zh-cn and zh-tw are two languages, es_419 and zh_Hans_CN are languages."""
    codes = {"zh-cn": "zh-CN", "zh-tw": "zh-TW", "es_419": "es-419", "zh_Hans_CN": "zh-Hans-CN"}
    for name in codes:
        place = folder / "locale" / name / "LC_MESSAGES"
        place.mkdir(parents=True)
        catalog().save(str(place / "django.po"))
    for code in codes.values():
        corpus = load_corpus(f"locale:{code}")
        assert corpus.target_language == code
        assert corpus.name == "django.po"


def test_a_folder_that_is_no_language_leaves_it_to_the_header(folder):
    place = folder / "locales" / "LC_MESSAGES"
    place.mkdir(parents=True)
    po = catalog()
    po.metadata["Language"] = "pt-br"
    po.save(str(place / "site.po"))
    assert load_corpus("locales").target_language == "pt-BR"
    del po.metadata["Language"]
    po.save(str(place / "site.po"))
    with pytest.raises(MtcourseError, match="does not say its language"):
        load_corpus("locales")


def test_a_tree_with_many_catalogs_has_a_short_name(folder):
    place = folder / "nl" / "LC_MESSAGES"
    place.mkdir(parents=True)
    for name in "abcde":
        catalog().save(str(place / f"{name}.po"))
    assert load_corpus(f"{folder}:nl").name == "a.po, b.po, c.po and 2 more"


def test_catalogs_that_come_with_sphinx_are_read():
    folder = Path(sphinx.__file__).parent / "locale"
    corpus = load_corpus(f"{folder}:de")
    pairs = {pair.source: pair.target for pair in all_pairs(corpus)}
    assert len(pairs) > 100
    assert pairs["Table of Contents"] == "Inhaltsverzeichnis"


def test_compiled_catalogs_give_the_same_pairs(folder):
    catalog().save("nl.po")
    catalog().save_as_mofile("nl.mo")
    texts = [
        {(p.source, p.target) for p in all_pairs(gettext_corpus([name], "nl"))}
        for name in ("nl.po", "nl.mo")
    ]
    assert len(texts[0] & texts[1]) > 40


def test_bytes_that_are_not_in_a_catalogs_encoding_are_placed(folder):
    start = b'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "caf'
    (folder / "nl.po").write_bytes(start + b'\xe9"\nmsgstr "kroeg"\n')
    with pytest.raises(
        MtcourseError, match=rf"nl\.po is not UTF-8: byte 0xe9 at offset {len(start)}, line 4"
    ):
        load_corpus("nl.po")


def test_an_encoding_that_is_none_is_said(folder):
    (folder / "nl.po").write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=rot13\\n"\n', encoding="utf-8"
    )
    with pytest.raises(MtcourseError, match=r"nl\.po is not a message catalog: 'rot13'"):
        load_corpus("nl.po")


def test_other_encodings_are_read_as_a_catalog_declares_them(folder):
    po = catalog()
    po.metadata = {"Content-Type": "text/plain; charset=ISO-8859-1"}
    po.encoding = "iso-8859-1"
    po.append(polib.POEntry(msgid="The sea is wide here", msgstr="De zeeën zijn hier breed"))
    po.save("nl.po")
    assert "De zeeën zijn hier breed" in {pair.target for pair in all_pairs(load_corpus("nl.po"))}


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, 400), place=st.integers(0, 400), byte=st.integers(0, 255))
def test_a_damaged_catalog_is_an_error_or_is_read(tmp_path_factory, cut, place, byte):
    content = bytearray(SMALL_CATALOG)
    content[place % len(content)] = byte
    path = tmp_path_factory.mktemp("mo") / "nl.mo"
    path.write_bytes(bytes(content[: len(content) - cut % len(content)]))
    try:
        corpus = gettext_corpus([path], "nl")
    except MtcourseError as error:  # any other exception is a fault
        said = str(error)
    else:
        said = f"nl.mo gave {len(corpus.splits['train'])} pairs"
    assert "nl.mo" in said
    assert not said.endswith(" 0 pairs")


def compiled() -> bytes:
    po = polib.POFile()
    po.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    for source, target in GOOD:
        po.append(polib.POEntry(msgid=source, msgstr=target))
    return po.to_binary()


SMALL_CATALOG = compiled()


@pytest.mark.parametrize(
    ("message", "translation", "expected"),
    [
        ("_Open the file", "Het bestand &openen", ("Open the file", "Het bestand openen")),
        ("E_xit now", "Nu a~fsluiten", ("Exit now", "Nu afsluiten")),
        ("The file_name is wrong", "De file_name is fout", None),
        ("The R&D budget", "Het O&O-budget", None),
        ("Fish & chips, 5 ~ 6", "Vis & friet, 5 ~ 6", None),
        ("my_own_name stays", "mijn_eigen_naam blijft", None),
    ],
)
def test_keyboard_marks_go_and_other_marks_stay(folder, message, translation, expected):
    po = catalog()
    po.append(polib.POEntry(msgid=message, msgstr=translation))
    po.save("nl.po")
    found = {(pair.source, pair.target) for pair in all_pairs(load_corpus("nl.po"))}
    assert (expected or (message, translation)) in found


def test_entities_are_markup_and_not_keyboard_marks(folder):
    po = catalog()
    po.append(polib.POEntry(msgid="Bread &amp; butter", msgstr="Brood en boter"))
    po.save("nl.po")
    assert load_corpus("nl.po").report.dropped["markup left over"] == 1


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
    for row in ({"en": "a", "fr": "b"}, {"en": "a", "nl": 3}, "a sentence"):
        fake_datasets(monkeypatch, [row])
        with pytest.raises(MtcourseError, match="'some/books' has no translation column"):
            huggingface_corpus("some/books", "en", "nl", "en-nl")


def test_hugging_face_rows_without_a_side_are_counted(monkeypatch):
    rows = [{"en": source, "nl": target} for source, target in GOOD]
    fake_datasets(monkeypatch, [*rows, {"en": "A dog.", "nl": None}])
    corpus = huggingface_corpus("some/books", "en", "nl", "en-nl")
    assert corpus.report.dropped == {"empty on one side": 1}


def test_real_datasets_rows_become_pairs(monkeypatch):
    datasets = pytest.importorskip("datasets", reason="the extra 'online' is not installed")
    rows = [{"translation": {"en": p.source, "nl": p.target}} for p in PAIRS]
    table = datasets.Dataset.from_list(rows)
    monkeypatch.setattr(datasets, "load_dataset", lambda *_, **__: table)
    corpus = huggingface_corpus("local", "en", "nl")
    assert len(all_pairs(corpus)) + left_out(corpus) == len(PAIRS)


def test_importing_brings_nothing_that_is_not_needed_yet():
    code = (
        "import sys; import mtcourse.text.corpora; "
        "print({'datasets', 'polib', 'torch', 'mtcourse.text.grammar'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
