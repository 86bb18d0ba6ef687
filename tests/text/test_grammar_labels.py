"""What the grammar says of English words; the Dutch ones are tested with chapter 15."""

from __future__ import annotations

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.text.grammar import sample_pairs
from mtcourse.text.grammar_labels import KINDS, PARTS, ROLES, labelled_sentences, parts_of_words
from mtcourse.text.language.reading import load_lexicon
from mtcourse.text.pairs import words

SENTENCES = labelled_sentences(3000, seed=5, language="en")
LEXICON = load_lexicon()
FULL_VERBS = {
    form
    for verb in LEXICON.verbs
    for form in (verb.english, verb.third, verb.past, verb.participle, verb.ing)
}


def test_every_label_occurs_and_none_that_is_unknown():
    assert {part for one in SENTENCES for part in one.parts} == set(PARTS)
    assert {role for one in SENTENCES for role in one.roles} == set(ROLES)
    assert {one.kind for one in SENTENCES} == set(KINDS)


def test_only_the_last_verb_of_a_piece_is_a_full_verb():
    helping = {
        "do",
        "does",
        "did",
        "am",
        "is",
        "are",
        "was",
        "were",
        "have",
        "has",
        "had",
        "be",
        "been",
    }
    met = set()
    for one in SENTENCES:
        for word, part, following in zip(one.words, one.parts, [*one.words[1:], ""], strict=True):
            if part == "verb":
                assert word in FULL_VERBS | helping
            if word in ("do", "does", "did") and following not in (".", "?", "!", ","):
                met.add(part)
    assert met <= {"auxiliary", "verb"}
    assert "auxiliary" in met


def test_english_says_what_dutch_puts_into_an_ending():
    little = {
        part
        for one in SENTENCES
        for word, part in zip(one.words, one.parts, strict=True)
        if word == "little"
    }
    assert little == {"adjective"}


def test_closed_classes_are_what_english_says():
    expected = {
        "the": "determiner",
        "because": "conjunction",
        "he": "pronoun",
        "must": "auxiliary",
        "not": "adverb",
        ".": "mark",
        "about": "preposition",
        "Anna": "name",
        "very": "adverb",
    }
    found = parts_of_words("en")
    assert {word: found[word] for word in expected} == expected
    nouns = {noun.english for noun in LEXICON.nouns} - FULL_VERBS - {"orange"}
    for noun in nouns & set(found):
        assert found[noun] == "noun"


def test_the_kind_is_that_of_the_syntax():
    for one in SENTENCES:
        if one.kind == "command":
            assert one.words[-1] == "!"
        if one.kind == "question":
            assert one.words[-1] == "?"
        if one.kind == "complex":
            assert "conjunction" in one.parts


def test_sentences_are_written_as_the_corpus_writes_them():
    of_corpus = {side for pair in sample_pairs(4000, seed=3) for side in (pair.source, pair.target)}
    for language in ("en", "nl"):
        drawn = labelled_sentences(6000, 5, language)
        assert sum(one.text in of_corpus for one in drawn) > 20
        for one in drawn[:500]:
            assert [one.text[start:end] for start, end in one.spans] == words(one.text)
            assert [word.lower() for word in words(one.text)] == [w.lower() for w in one.words]


def test_a_language_that_the_grammar_does_not_speak_is_an_error():
    with pytest.raises(MtcourseError, match="no sentences in 'fr'"):
        labelled_sentences(3, 1, "fr")
