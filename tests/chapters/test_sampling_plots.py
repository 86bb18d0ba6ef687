"""Pictures of chapter 19 show the numbers that they are given."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from mtcourse.chapters.sampling.plots import (
    frontier,
    length_steps,
    next_token_bars,
    reliability_lines,
)
from mtcourse.errors import MtcourseError


@pytest.fixture
def ax():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_bars_have_the_lengths_of_the_probabilities(ax):
    next_token_bars(["a", "b"], [0.6, 0.4], [1.0, 0.0], "top-k 1", ax)
    assert [bar.get_width() for bar in ax.patches] == [1.0, 0.0, 0.6, 0.4]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "(b)"]
    with pytest.raises(MtcourseError, match="one of each"):
        next_token_bars(["a"], [0.6, 0.4], [1.0], "", ax)


def test_a_frontier_has_a_point_for_each_setting_with_its_intervals(ax):
    points = {"T": {"1": {"chrF": [50, 48, 53], "diversity": [20, 19, 22]},
                    "2": {"chrF": [40, 39, 41], "diversity": [30, 28, 31]}}}  # fmt: skip
    frontier(points, ax)
    line = ax.lines[0]
    assert line.get_xdata().tolist() == [20, 30]
    assert line.get_ydata().tolist() == [50, 40]
    ends = {tuple(end) for bars in ax.collections for one in bars.get_segments() for end in one}
    assert {(19, 50), (22, 50), (20, 48), (20, 53)} <= ends


def test_steps_are_shares_of_the_texts(ax):
    length_steps({"people": [0, 1, 3]}, ax)
    assert ax.lines[0].get_ydata().tolist() == [0, 25, 75]
    with pytest.raises(MtcourseError, match="no text of people"):
        length_steps({"people": [0]}, ax)


def test_reliability_leaves_out_empty_bins(ax):
    reliability_lines({"one": [[0.0, 0.0, 0.0], [4.0, 0.8, 0.5]]}, ax)
    assert ax.lines[1].get_xdata().tolist() == pytest.approx([80])
    assert ax.lines[1].get_ydata().tolist() == [50]
