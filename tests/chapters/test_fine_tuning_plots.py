"""The pictures of chapter 16, by what they show."""

from __future__ import annotations

import pytest
from matplotlib.patches import FancyArrowPatch

from mtcourse.chapters.fine_tuning.plots import heads, layer_curves, learning_curves, rate_curves
from mtcourse.errors import MtcourseError

CURVES = {
    "all parameters": [
        [(50, 10.0), (500, 60.0)],
        [(50, 30.0), (500, 80.0)],
        [(50, 20.0), (500, 90.0)],
    ],
    "head alone": [[(50, 40.0), (500, 41.0)]] * 3,
}


def named(ax):
    return {line.get_label(): line for line in ax.get_lines() if line.get_label()[0] != "_"}


def test_an_arrow_leads_to_each_label_and_a_dash_stands_elsewhere(ax):
    heads(["<class>", "waiter", "s", "."], ["", "noun", "", "mark"], ax, "token head", note="–")
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    middles = [(found := arrow.get_path().get_extents()).x0 + found.width / 2 for arrow in arrows]
    assert middles == pytest.approx([1.5, 3.5], abs=0.01)
    above = {
        text.get_position()[0]: text.get_text() for text in ax.texts if text.get_position()[1] > 2
    }
    assert above == {0.5: "–", 1.5: "noun", 2.5: "–", 3.5: "mark"}
    below = [text.get_text() for text in ax.texts if text.get_position()[1] < 0]
    assert below == ["0", "1", "2", "3"]
    assert ax.get_title() == "token head"


def test_long_labels_beside_each_other_stand_at_two_heights(ax):
    labels = ["", "conjunction", "pronoun", "verb", "adjective", "punctuation"]
    heads(["<class>", *"abcde"], labels, ax)
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    of_labels = [heights[label] for label in labels[1:]]
    assert [height > min(of_labels) for height in of_labels] == [False, True, False, False, True]


def test_labels_must_be_as_many_as_pieces(ax):
    with pytest.raises(MtcourseError, match="2 pieces and 1 labels"):
        heads(["<class>", "I"], [""], ax)


def test_medians_stand_at_the_measured_sizes_on_a_logarithmic_axis(ax):
    learning_curves(CURVES, "%", ax)
    lines = named(ax)
    assert list(lines) == list(CURVES)
    assert lines["all parameters"].get_xdata().tolist() == [50, 500]
    assert lines["all parameters"].get_ydata().tolist() == [20, 80]
    assert len({line.get_marker() for line in lines.values()}) == 2
    assert ax.get_xscale() == "log"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["50", "500"]


def test_the_rate_of_pretraining_has_a_line(ax):
    rate_curves({"kinds": [[(1e-4, 1.0), (8e-3, 2.0)]]}, "%", ax, 2e-3)
    assert [line.get_xdata()[0] for line in ax.get_lines() if line.get_linestyle() == ":"] == [2e-3]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0.0001", "0.008"]


def test_layers_are_ticks_of_a_linear_axis(ax):
    layer_curves({"words": [[(0, 1.0), (1, 3.0), (2, 2.0)]]}, "%", ax)
    assert ax.get_xscale() == "linear"
    assert ax.get_xticks().tolist() == [0, 1, 2]
