"""Pictures of chapter 2 show the numbers they were given, in ink that both pages let show."""

from __future__ import annotations

import pytest
import torch
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from mtcourse.chapters.embeddings.plots import (
    framed,
    neighbour_bars,
    two_groups,
    used_rows,
    word_map,
)
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS

PLACES = torch.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])


def test_a_map_puts_each_group_at_its_places_with_its_own_mark(ax: Axes) -> None:
    word_map(PLACES, {"nouns": [0, 2], "verbs": [1, 3]}, ax)
    nouns, verbs = ax.lines
    assert nouns.get_xydata().tolist() == [[0, 1], [4, 5]]
    assert verbs.get_xydata().tolist() == [[2, 3], [6, 7]]
    assert nouns.get_marker() != verbs.get_marker()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["nouns", "verbs"]


def test_a_map_of_one_group_is_grey_and_has_no_legend(ax: Axes) -> None:
    word_map(PLACES, {"": range(4)}, ax)
    assert same_color(ax.lines[0].get_color(), INK)
    assert ax.get_legend() is None


def test_a_map_of_too_many_groups_is_refused(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match="5 groups: a map takes 4"):
        word_map(PLACES, {str(k): [0] for k in range(5)}, ax)


def test_a_frame_is_an_ellipse_where_it_was_asked_for(ax: Axes) -> None:
    framed((1.0, 2.0), 3.0, 4.0, ax)
    (ring,) = ax.patches
    assert (tuple(ring.center), ring.width, ring.height) == ((1.0, 2.0), 3.0, 4.0)
    assert same_color(ring.get_edgecolor(), LINE_COLOURS[1])


def test_two_groups_lie_in_two_rows_at_their_positions(ax: Axes) -> None:
    positions, is_one = torch.tensor([0.5, -0.5, 0.25]), torch.tensor([True, False, True])
    two_groups(positions, is_one, ("de", "het"), ax, {1: "dog"})
    below, above = (line for line in ax.lines if line.get_marker() in ("o", "s"))
    assert below.get_xdata() == pytest.approx([-0.5])
    assert above.get_xdata() == pytest.approx([0.5, 0.25])
    assert max(below.get_ydata()) < 0.5 < min(above.get_ydata())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["de", "het"]
    assert [(text.get_text(), text.get_position()[0]) for text in ax.texts] == [("dog", -0.5)]


def test_words_of_near_points_stand_at_two_heights_and_their_strokes_cross_no_point(
    ax: Axes,
) -> None:
    positions = torch.tensor([0.5, -0.5, 0.25, 0.3])
    two_groups(positions, positions > 0, ("de", "het"), ax, {2: "window", 3: "girl", 0: "bread"})
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert heights["window"] == heights["bread"] < heights["girl"] < ax.get_ylim()[1]
    (above,) = (line for line in ax.lines if line.get_marker() == "s")
    strokes = [
        line for line in ax.lines if line.get_marker() == "None" and len(set(line.get_xdata())) == 1
    ]
    assert min(min(line.get_ydata()) for line in strokes[:3]) > max(above.get_ydata()) - 1e-6


def test_rows_that_a_gradient_reaches_have_a_stroke(ax: Axes) -> None:
    sizes = {"source": torch.tensor([0.0, 2.0, 0.0, 1.0]), "output": torch.ones(4)}
    used_rows(sizes, ax)
    strokes = [[segment[0][0] for segment in c.get_segments()] for c in ax.collections]
    assert strokes == [[1, 3], [0, 1, 2, 3]]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert labels == ["source\n2 of 4", "output\n4 of 4"]


def test_neighbours_have_bars_as_long_as_their_cosines_the_nearest_on_top(ax: Axes) -> None:
    neighbour_bars([("honden", 0.5), ("kat", 0.25)], "hond", ax)
    assert [bar.get_width() for bar in ax.patches] == [0.5, 0.25]
    assert [text.get_text() for text in ax.texts] == ["0.50", "0.25"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["honden", "kat"]
    assert ax.yaxis_inverted()
    assert ax.get_title() == "hond"
