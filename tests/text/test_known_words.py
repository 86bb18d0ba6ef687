"""Words that a translator knows: the same in Python and in the page, in every script."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mtcourse
from mtcourse.text.known_words import known_words, unknown_words, words_of
from mtcourse.text.languages import direction, language_name, language_tag, sentence_in
from tests.helpers.javascript import evaluated

LOADED = Path(mtcourse.__file__).parent / "figures" / "javascript" / "loaded_translator.js"
SENTENCES = {
    "The dog's 3 well-known 'bones' - in B2.": [
        "The", "dog's", "well-known", "bones", "in", "B",
    ],
    "हिन्दी में लिखो।": ["हिन्दी", "में", "लिखो"],
    "我喜欢 Python。": ["我", "喜", "欢", "Python"],
    "ひらがなA": ["ひ", "ら", "が", "な", "A"],
    "مَرحبًا، يا عالم": ["مَرحبًا", "يا", "عالم"],
    "cafe\u0301 au lait": ["café", "au", "lait"],
    "2,5 m² _x_": ["m", "x"],
    "": [],
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "words"), SENTENCES.items())
def test_words_of_every_script(sentence, words):
    assert words_of(sentence) == words


def test_words_that_are_not_known_are_named_once_as_they_are_written():
    known = known_words(["The dog sleeps."])
    assert known == ["dog", "sleeps", "the"]
    assert unknown_words("THE Zebra and the Zebra, Dog!", known) == ["Zebra", "and"]


@given(st.text())
@settings(deadline=None)
def test_every_word_of_a_text_is_known_and_stays_so(text):
    known = known_words([text])
    assert unknown_words(text, known) == []
    assert known_words(known) == known, "a list of known words may be given as sentences"


def test_the_page_divides_as_the_package_does():
    texts = [*SENTENCES, "Ünïcode—dash", "ไทยแลนด์ ok", "l’homme d'Afrique", "-a- 'b' c-'d"]
    found = evaluated(LOADED, "texts.map((text) => newWords(text, new Set()))", texts=texts)
    assert found == [unknown_words(text, ()) for text in texts]


@pytest.mark.parametrize(
    ("code", "way"),
    [("he", "rtl"), ("ar_EG", "rtl"), ("az-Arab", "rtl"), ("ur-Latn", "ltr"), ("pt-BR", "ltr")],
)
def test_directions(code, way):
    assert direction(code) == way


def test_names_of_languages():
    assert sentence_in("it") == "An Italian sentence"
    assert sentence_in("uk") == "A Ukrainian sentence"
    assert sentence_in("zh-Hans") == "A Chinese sentence"
    assert language_name("zh-Hans") == "Chinese (Hans)"
    assert language_name("xx") == "xx"
    assert language_tag("pt_BR") == "pt-BR"
