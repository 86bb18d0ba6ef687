"""Labels of words and sentences that people wrote, and what becomes of them in pieces."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.text.labelled_batches import IGNORED, labels_of_pieces, words_of_pieces
from mtcourse.text.libreoffice import VARIABLE, help_folder
from mtcourse.text.libreoffice_labels import MODULES, WORD_LABELS, marked_sentences
from mtcourse.text.masking import MaskedVocabulary
from mtcourse.text.pairs import WORD
from mtcourse.text.tokenizer import normalise
from tests.helpers.small_corpus import small_tokenizer

PAGE = """<html><body>
<h1 id="hd_1">The <span class="emph">Fill</span> Command</h1>
<p id="par_1">Choose <span class="menuitem">Sheet - Fill Cells</span>. Press
<span class="switchinline"><span class="MAC"><span class="keycode">Command</span></span>
<span class="keycode">Ctrl+F5</span></span> or type <span class="literal">=SUM()</span>.</p>
<p>Without an id.</p>
<p id="par_2"><span class="avis">Opens a <span class="emph">dialog</span>.</span></p>
</body></html>"""


@pytest.fixture
def folder(tmp_path) -> Path:
    for module in ("scalc", "schart"):
        page = tmp_path / "en-US" / "text" / module / "page.html"
        page.parent.mkdir(parents=True)
        page.write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_each_word_has_the_label_of_its_span(folder):
    found = list(marked_sentences(folder, "en"))
    labels = [dict(zip(one.words, one.labels, strict=True)) for one in found]
    assert labels == [
        {"The": "none", "Fill": "interface", "Command": "none"},
        {
            "Choose": "none",
            "Sheet": "menu",
            "-": "menu",
            "Fill": "menu",
            "Cells": "menu",
            ".": "none",
        },
        {
            "Press": "none",
            "Ctrl": "key",
            "+": "key",
            "F5": "key",
            "or": "none",
            "type": "none",
            "=": "code",
            "SUM": "code",
            "(": "code",
            ")": "code",
            ".": "none",
        },
        {"Opens": "none", "a": "none", "dialog": "interface", ".": "none"},
    ]
    assert {one.module for one in found} == {"calc"}, "other folders are no program"
    assert {one.page for one in found} == {"text/scalc/page.html"}
    assert found[1].origin.endswith("#par_1")


@pytest.mark.skipif(
    VARIABLE not in os.environ, reason="LibreOffice's help is not here: make real-data"
)
def test_the_help_has_enough_labels_of_every_kind_in_both_languages():
    for language in ("en", "nl"):
        try:
            folder = help_folder(("en", "nl"))
        except MtcourseError as error:
            pytest.skip(str(error))
        found = list(marked_sentences(folder, language))
        counts = {label: sum(one.labels.count(label) for one in found) for label in WORD_LABELS}
        assert min(counts.values()) > 900
        assert {one.module for one in found} == set(MODULES)


@given(st.text(max_size=40))
def test_places_are_where_the_pieces_text_stands(sentence):
    tokenizer = small_tokenizer()
    text = normalise(sentence)
    ids, places = tokenizer.encode_with_places(sentence)
    assert ids == tokenizer.encode(sentence)
    assert places == sorted(places)
    for piece, place in zip(tokenizer.pieces(ids), places, strict=True):
        own = piece.removeprefix("▁")
        if own and not piece.startswith("<0x"):
            assert text[place : place + len(own)] == own


@pytest.mark.parametrize("sentence", ["De café's één huis.", "Het 语言 huis (Ctrl+F5).", "ßé"])
def test_every_word_is_owned_by_the_pieces_that_spell_it(sentence):
    vocabulary = MaskedVocabulary(small_tokenizer())
    text = normalise(sentence)
    spans = [match.span() for match in WORD.finditer(text)]
    ids, words = words_of_pieces(text, spans, vocabulary)
    assert vocabulary.tokenizer.decode(ids) == text
    for number, (start, end) in enumerate(spans):
        own = [one for one, word in zip(ids, words, strict=True) if word == number]
        assert vocabulary.tokenizer.decode(own) == text[start:end]
    assert [word for word in words if word >= 0] == sorted(word for word in words if word >= 0)


def test_inner_pieces_count_only_if_asked_for():
    words = [-1, 0, 0, 1, -1, 2, 2, 2]
    assert labels_of_pieces(words, [7, 8, 9]) == [
        *(IGNORED, 7, IGNORED, 8, IGNORED, 9, IGNORED, IGNORED)
    ]
    assert labels_of_pieces(words, [7, 8, 9], inner=True) == [IGNORED, 7, 7, 8, IGNORED, 9, 9, 9]
