"""What chapter 1 measures before there is a model."""

from __future__ import annotations

import json
import random
import runpy
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.chapters.problem_setup.measures import (
    SEEN,
    TranslationMemory,
    length_correlation,
    pieces_by_count,
    pieces_per_word,
    real_text,
    unknown_share,
    word_counts,
    word_overlap,
)
from mtcourse.errors import MtcourseError
from mtcourse.text.corpora import builtin_corpus, libreoffice_corpus
from mtcourse.text.pairs import SentencePair
from mtcourse.text.tokenizer import Tokenizer
from tests.helpers.small_corpus import PAIRS

SENTENCES = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=6).map(" ".join)


def test_the_overlap_counts_words_once_whatever_their_case_and_order():
    assert word_overlap("The dog sees a cat", "the DOG sees the bird") == 3 / 6
    assert word_overlap("no no yes", "Yes, no") == 2 / 3
    assert word_overlap("a b", "b a") == 1
    assert word_overlap("a", "b") == word_overlap("", "") == 0


@given(SENTENCES, SENTENCES)
def test_the_overlap_is_a_symmetric_share(one, other):
    overlap = word_overlap(one, other)
    assert 0 <= overlap <= 1
    assert overlap == word_overlap(other, one)
    assert (overlap == 1) == (set(one.split()) == set(other.split()) != set())


def test_a_memory_answers_with_the_translation_of_the_most_similar_sentence():
    known = builtin_corpus(train=300).splits["train"]
    memory = TranslationMemory(known)
    for asked in builtin_corpus(train=300).splits["test"][:40]:
        overlaps = [word_overlap(asked.source, pair.source) for pair in known]
        nearest = known[int(np.argmax(overlaps))]
        assert memory.nearest(asked.source) == nearest
        assert memory.translate(asked.source) == nearest.target


def test_a_memory_gives_back_what_it_was_shown_and_something_for_everything():
    memory = TranslationMemory(PAIRS)
    assert [memory.translate(pair.source) for pair in PAIRS] == [pair.target for pair in PAIRS]
    assert memory.translate("Zebras") == memory.translate("") == PAIRS[0].target


def test_a_memory_needs_something_to_remember():
    with pytest.raises(MtcourseError, match="at least one sentence pair"):
        TranslationMemory([])


def test_lengths_go_together_until_the_sides_slip():
    pairs = builtin_corpus(train=400).splits["train"]
    targets = [pair.target for pair in pairs]
    random.Random(1).shuffle(targets)
    slipped = [SentencePair(pair.source, of) for pair, of in zip(pairs, targets, strict=True)]
    assert length_correlation(pairs) > 0.8
    assert abs(length_correlation(slipped)) < 0.2


@pytest.mark.parametrize(
    "pairs", [[], PAIRS[:1], [SentencePair("a b", "c"), SentencePair("d", "e")]]
)
def test_lengths_that_do_not_vary_have_no_correlation(pairs):
    with pytest.raises(MtcourseError, match="different lengths"):
        length_correlation(pairs)


def test_unknown_words_are_those_that_are_not_on_the_list():
    known = word_counts(["the dog", "the cat .", "the end ."])
    assert known == Counter({"the": 3, ".": 2, "dog": 1, "cat": 1, "end": 1})
    asked = word_counts(["the dog sees the zebra"])
    assert unknown_share(known, 1, asked) == 3 / 5
    assert unknown_share(known, len(known), asked) == 2 / 5


def test_words_fall_apart_by_how_often_they_were_seen():
    sentences = [pair.source for pair in builtin_corpus(train=400).splits["train"]]
    tokenizer, known = Tokenizer.train(sentences, 420), word_counts(sentences)
    apart = pieces_by_count(tokenizer, known, [*known, "zookeeper"])
    assert list(apart) == [name for name in SEEN if name in apart]
    assert apart["never"] == (1, len(tokenizer.encode("zookeeper")))
    assert sum(number for number, _ in apart.values()) == len(known) + 1
    means = [mean for _, mean in apart.values()]
    assert means[0] > means[1] > means[-1]
    of_words = sum(len(tokenizer.encode(word)) * count for word, count in known.items())
    assert pieces_per_word(tokenizer, sentences) < of_words / known.total()  # a mark needs no space


def test_what_was_measured_on_real_text_is_whole():
    real = real_text()
    running = sum(times * number for times, number in real["times"])
    kinds = sum(number for _, number in real["times"])
    assert real["kept"] > 40_000 < running
    assert real["unknown"][-1][0] == kinds
    assert [share for _, share in real["unknown"]] == sorted(
        (share for _, share in real["unknown"]), reverse=True
    )
    assert sum(number for _, number in real["lengths"]["counts"]) == 8000
    assert list(real["apart"]) == list(SEEN)
    assert all(0 < share < 1 for _, share in real["padding"].values())


@pytest.mark.by_turns(3)
def test_the_script_measures_the_same_again():
    script = Path(__file__).resolve().parents[2] / "scripts" / "measure_real_text.py"
    measure = SimpleNamespace(**runpy.run_path(str(script)))
    real = real_text()
    try:
        corpus = libreoffice_corpus()
    except MtcourseError:
        pytest.skip("LibreOffice's help is not there")
    if corpus.version != real["version"]:
        pytest.skip("another version of LibreOffice's help is there")
    assert corpus.report.kept == real["kept"]
    again = json.loads(json.dumps(measure.lengths(corpus.splits["train"][:8000])))
    assert again.pop("mean") == pytest.approx(real["lengths"].pop("mean"), abs=1e-5)
    assert again.pop("correlation") == pytest.approx(real["lengths"].pop("correlation"), abs=1e-5)
    assert again == real["lengths"]
