"""Chapter 18's pictures show what they are given."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from mtcourse.chapters.search.plots import by_width, empty_and_best, tree_of_prefixes
from mtcourse.errors import MtcourseError


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_the_tree_has_every_prefix_with_its_probability(ax):
    tree_of_prefixes(("I", "like", "tea", "<eos>"), [("You",), ("You", "are")], ax)
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("like") == texts.count("tea") == 2
    assert {"0.550", "0.280", "0.224"} <= set(texts)
    bold = [text.get_text() for text in ax.texts if text.get_fontweight() == "bold"]
    assert bold == ["are", "You"] or sorted(bold) == ["You", "are"]
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert len(dashed) == 3


def test_curves_by_width_have_each_width_as_a_tick(ax):
    by_width({"one": [(1, 5.0), (4, 3.0)], "other": [(1, 2.0), (64, 1.0)]}, "errors (%)", ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "4", "64"]
    assert list(ax.lines[0].get_ydata()) == [5.0, 3.0]
    assert ax.get_ylabel() == "errors (%)"


def test_too_many_curves_are_an_error(ax):
    with pytest.raises(MtcourseError, match="5 curves"):
        by_width({str(i): [(1, 0.0)] for i in range(5)}, "y", ax)


def test_medians_of_the_empty_and_the_best_sentence_are_drawn(ax):
    bins = [
        {"words": [1, 6], "empty and best": [[-13.0, -1.0], [-14.0, -2.0], [-15.0, -9.0]]},
        {"words": [7, 12], "empty and best": [[-12.0, -5.0], [-13.0, -6.0], [-14.0, -7.0]]},
    ]
    empty_and_best(bins, ax)
    named = {line.get_label(): list(line.get_ydata()) for line in ax.lines}
    assert named["the empty sentence"] == [-14.0, -13.0]
    assert named["the best other one"] == [-2.0, -6.0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1 to 6", "7 to 12"]
