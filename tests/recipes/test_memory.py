"""The translation memory against a comparison with every sentence, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.recipes import memory
from mtcourse.recipes.memory import TranslationMemory
from mtcourse.text.pairs import SentencePair
from mtcourse.text.splitting import grams

texts = st.text("abc 12", min_size=1, max_size=12)


def similarity(one: str, other: str) -> float:
    return len(grams(one) & grams(other)) / len(grams(one) | grams(other))


@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=9), texts, st.integers(1, 9))
def test_it_finds_the_first_of_the_most_similar(known, asked, block):
    pairs = [SentencePair(text, str(number)) for number, text in enumerate(known)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "BLOCK", block)
        found, similar = TranslationMemory(pairs).nearest(asked)
    of_all = [similarity(text, asked) for text in known]
    assert similar == pytest.approx(max(of_all))
    assert found == pairs[of_all.index(max(of_all))]


def test_it_knows_what_it_was_given_by_heart():
    pairs = [SentencePair("Open the file.", "Öffne."), SentencePair("Close it.", "Schließe.")]
    assert TranslationMemory(pairs).translate(["Close it.", "Open a file."]) == [
        "Schließe.",
        "Öffne.",
    ]


def test_an_empty_memory_is_refused():
    with pytest.raises(MtcourseError, match="at least one"):
        TranslationMemory([])
