"""The exercises of chapter 20 against the package, numpy and brute force."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.chapters.capstone.exercises import (
    honest_baselines,
    kept_share,
    memory_answer,
    paired_interval,
    what_follows,
)
from mtcourse.recipes.error_analysis import KEPT
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.text.pairs import SentencePair

texts = st.text("abcd", min_size=4, max_size=9)


@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=6), texts)
def test_the_memory_is_the_packages_where_texts_have_no_blank_capital_or_digit(known, asked):
    pairs = [(text, str(number)) for number, text in enumerate(known)]
    memory = TranslationMemory([SentencePair(*pair) for pair in pairs])
    assert memory_answer.correct(asked, pairs, 4) == memory.translate([asked])[0]


@settings(deadline=None)
@given(st.integers(2, 12), st.integers(1, 30), st.integers(0, 1000))
def test_the_interval_is_numpys(sentences, resamples, seed):
    random = np.random.default_rng(seed)
    first, second = random.normal(size=(2, sentences))
    rows = random.integers(sentences, size=(resamples, sentences))
    means = [second[row].mean() - first[row].mean() for row in rows]
    expected = np.quantile(means, [0.025, 0.975])
    found = paired_interval.correct(*map(torch.from_numpy, (first, second, rows)))
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-9)


number = st.sampled_from(["1", "2", "12", "x"])
line = st.lists(number, max_size=4).map(" ".join)


@settings(deadline=None)
@given(st.lists(st.tuples(line, line, line), max_size=5))
def test_what_is_kept_is_what_the_report_counts(triples):
    numbers = KEPT["numbers"]
    verdicts = []
    for triple in triples:
        source, reference, text = map(numbers, triple)
        must = [n for n in set(source) if n in reference]
        if must:
            kept = [text.count(n) >= min(source.count(n), reference.count(n)) for n in must]
            verdicts.append(all(kept))
    expected = sum(verdicts) / len(verdicts) if verdicts else None
    assert kept_share.correct(triples) == expected


def test_answers_use_the_words_of_their_questions():
    words = {"baseline", "saw the test set", "other test set"}
    assert set(honest_baselines.correct().values()) == words
    assert set(what_follows.correct().values()) == {"follows", "does not follow"}
    assert sum(word == "follows" for word in what_follows.correct().values()) == 4
