"""Sentences with one thing wrong are wrong in that thing, and in nothing else."""

from __future__ import annotations

from collections import Counter

import pytest

from mtcourse.chapters.training.phenomena import CHANGES, changed_pairs
from mtcourse.text.pairs import words


@pytest.fixture(scope="module")
def pairs():
    return changed_pairs(40)


def bag(text: str) -> Counter[str]:
    return Counter(word.lower() for word in words(text))


def differing(one: str, other: str) -> tuple[set[str], set[str]]:
    return set((bag(one) - bag(other)).elements()), set((bag(other) - bag(one)).elements())


def test_every_pair_has_every_change_once(pairs):
    assert len({pair.source for pair, _ in pairs}) == 40
    for pair, wrong in pairs:
        assert list(wrong) == list(CHANGES)
        assert len({pair.target, *wrong.values()}) == 1 + len(CHANGES)


def test_negation_adds_or_removes_niet_and_nothing_else(pairs):
    for pair, wrong in pairs:
        lost, new = differing(pair.target, wrong["negation"])
        assert lost | new == {"niet"}
        assert ("niet" in lost) == (" not " in pair.source)


def test_the_article_alone_is_exchanged(pairs):
    for pair, wrong in pairs:
        lost, new = differing(pair.target, wrong["article"])
        assert (lost, new) in (({"de"}, {"het"}), ({"het"}, {"de"}))


def test_who_does_it_keeps_the_words(pairs):
    for pair, wrong in pairs:
        assert bag(wrong["who does it"]) == bag(pair.target)


def test_word_order_keeps_the_letters(pairs):
    for pair, wrong in pairs:  # a separable verb is written as one word at the end
        letters = Counter(pair.target.lower().replace(" ", ""))
        assert Counter(wrong["word order"].lower().replace(" ", "")) == letters


def test_tense_and_another_noun_change_one_word(pairs):
    for pair, wrong in pairs:
        for change in ("tense", "another noun"):
            lost, new = differing(pair.target, wrong[change])
            assert len(lost) == len(new) == 1, (pair.target, wrong[change])


def test_another_seed_gives_other_sentences(pairs):
    others = changed_pairs(40, seed=2)
    assert {p.source for p, _ in pairs} != {p.source for p, _ in others}
    assert changed_pairs(40) == pairs
