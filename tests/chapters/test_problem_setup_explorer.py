"""The explorer of the problem setup says what it needs."""

from __future__ import annotations

import pytest

from mtcourse.chapters.problem_setup.explorer import problem_setup_explorer
from mtcourse.errors import MtcourseError
from mtcourse.text.tokenizer import Tokenizer
from tests.helpers.small_corpus import PAIRS


def test_it_begins_with_the_middle_vocabulary_and_needs_a_sentence():
    tokenizers = [Tokenizer.train([pair.source for pair in PAIRS], size) for size in (290, 320)]
    assert problem_setup_explorer(tokenizers, ["A cat"]).settings == {"at": 1}
    with pytest.raises(MtcourseError, match="not 2 and 0"):
        problem_setup_explorer(tokenizers, [])
