"""Pictures of chapter 8 show the numbers they were given, in ink that both pages let show."""

from __future__ import annotations

import pytest
import torch
from matplotlib.colors import same_color, to_rgba

from mtcourse.chapters.loss.plots import (
    gradient_sizes,
    histogram,
    pulled_words,
    there_and_back,
    token_bars,
)
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS
from tests.helpers.drawn import texts

BLUE, ORANGE = LINE_COLOURS[:2]


def test_a_bar_is_as_high_as_the_loss_of_its_token(ax):
    token_bars(["▁Hij", "▁", "."], torch.tensor([0.5, 2.0, 1.0]), ax, chosen=[1])
    assert [bar.get_height() for bar in ax.patches] == [0.5, 2.0, 1.0]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["Hij", "␣", "."]
    colours = [bar.get_facecolor() for bar in ax.patches]
    assert [same_color(colour, ORANGE) for colour in colours] == [False, True, False]
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [False, True, False]
    assert texts(ax) == ["0.50", "2.00", "1.00"]
    assert ax.get_ylim()[1] == pytest.approx(2.4)


def test_as_many_losses_as_tokens(ax):
    with pytest.raises(MtcourseError, match="2 losses do not fit 1 tokens"):
        token_bars(["a"], torch.ones(2), ax)


def test_words_have_a_bar_for_their_probability_and_one_for_their_gradient(ax):
    p, gradient = torch.tensor([0.75, 0.25]), torch.tensor([-0.25, 0.25])
    pulled_words(["het", "de"], p, gradient, ax)
    assert [bar.get_width() for bar in ax.patches] == [0.75, 0.25, -0.25, 0.25]
    assert ax.yaxis_inverted()


def test_each_step_is_an_arrow_there_and_one_back(ax):
    places = {"$X$": (0, 0), "$H$": (1, 0), "$U$": (1, 1)}
    there_and_back(places, [("$X$", "$H$", "$W$"), ("$H$", "$U$", "")], ax)
    arrows = [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)]
    colours = [arrow.get_edgecolor() for arrow in arrows]
    assert [same_color(colour, to_rgba(ORANGE)) for colour in colours] == [False, True] * 2
    assert {"$X$", "$H$", "$U$", "$W$"} <= set(texts(ax))
    forward, back = ([text for text in ax.texts if getattr(text, "arrow_patch", None)])[:2]
    assert forward.xy[0] > forward.xyann[0]
    assert back.xy[0] < back.xyann[0]
    assert forward.xy[1] > back.xy[1], "they stand beside each other"


def test_a_step_needs_places(ax):
    with pytest.raises(MtcourseError, match="from a to c needs a place for both; places has a$"):
        there_and_back({"a": (0, 0)}, [("a", "c", "W")], ax)


def test_every_state_has_a_mark_for_every_weight(ax):
    start, later = {"W_O": [0.1, 0.3, 0.2], "W_1": [0.01]}, {"W_O": [1.0], "W_1": [2.0, 4.0]}
    gradient_sizes({"start": start, "later": later}, ax)
    assert [list(line.get_xdata()) for line in ax.lines] == [[0.2, 0.01], [1.0, 3.0]], "medians"
    spreads = [
        segment[:, 0].tolist() for of_state in ax.collections for segment in of_state.get_segments()
    ]
    assert spreads == [[0.1, 0.3], [0.01, 0.01], [1.0, 1.0], [2.0, 4.0]]
    assert len({line.get_marker() for line in ax.lines}) == 2
    assert ax.get_xscale() == "log"


def test_a_histogram_counts_every_value_and_marks_one(ax):
    histogram(torch.tensor([0.05, 0.95, 0.96]), 0.9, "here", "p", ax, bins=10)
    heights = [bar.get_height() for bar in ax.patches]
    assert (heights[0], heights[-1], sum(heights)) == (1, 2, 3)
    assert list(ax.lines[0].get_xdata()) == [0.9, 0.9]
    assert same_color(ax.xaxis.label.get_color(), INK)
