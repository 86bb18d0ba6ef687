"""The explorer of training computes the package's schedules."""

from __future__ import annotations

import pytest

from mtcourse.chapters.training.explorer import training_explorer
from mtcourse.errors import MtcourseError
from mtcourse.training.schedules import cosine, inverse_square_root
from tests.helpers.javascript import computed as node


def test_schedules_are_those_of_the_package():
    steps = [1, 2, 199, 200, 201, 777, 2000]
    by_cosine = node("training", "s.map((t) => cosine(t, 200, 2000))", s=steps)
    by_root = node("training", "s.map((t) => inverseSquareRoot(t, 200))", s=steps)
    assert by_cosine == pytest.approx([cosine(step, 200, 2000) for step in steps])
    assert by_root == pytest.approx([inverse_square_root(step, 200) for step in steps])


def test_unknown_settings_are_refused_with_the_known_ones():
    with pytest.raises(MtcourseError, match="no settings speed; it has shape, peak"):
        training_explorer({"speed": 1})
