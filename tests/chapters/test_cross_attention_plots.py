"""Pictures of chapter 6 show what they were given, in ink that both pages let show."""

from __future__ import annotations

import pytest
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from mtcourse.chapters.cross_attention.plots import (
    alignment_dots,
    precision_and_recall,
    who_asks_whom,
)
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS


def test_the_towers_say_who_asks_and_who_answers(ax):
    who_asks_whom(ax)
    said = " ".join(text.get_text() for text in ax.texts)
    for part in ("$Q$: asks", "$K$: where", "$V$: what", "$H_E$: $n$ rows", "$A_C$: $m$ rows"):
        assert part in said


def test_a_disc_is_full_where_a_link_is_known(ax):
    alignment_dots(["the", "dog"], ["de", "hond", "."], {(0, 0), (1, 2)}, [(0, 0), (1, 1)], ax)
    full = {
        (float(line.get_xdata()[0]), float(line.get_ydata()[0])): line.get_markerfacecolor()
        for line in ax.lines
    }
    assert same_color(full[0.0, 0.0], LINE_COLOURS[0])
    assert full[1.0, 1.0] == "none"
    squares = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    middles = {tuple(round(c + 0.4) for c in square.get_xy()) for square in squares}
    assert middles == {(0, 0), (1, 2)}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["de", "hond", "."]


@pytest.mark.parametrize("link", [(2, 0), (0, 3)])
def test_a_link_to_no_word_is_refused(ax, link):
    with pytest.raises(MtcourseError, match="point at no word of 2 and 3"):
        alignment_dots(["a", "b"], ["x", "y", "z"], {(0, 0)}, {link}, ax)


def test_curves_of_a_threshold_have_styles_of_their_own(ax):
    points = [(0.1, 50.0), (0.9, 80.0)]
    precision_and_recall(points, points, points, 0.3, ax)
    styles = [line.get_linestyle() for line in ax.lines]
    assert len(set(styles)) == len(styles) == 4
    assert list(ax.lines[-1].get_xdata()) == [0.3, 0.3]


def test_the_ink_is_the_books(ax):
    precision_and_recall([(0, 1)], [(0, 1)], [(0, 1)], 0.5, ax)
    assert same_color(ax.xaxis.label.get_color(), INK)
    assert same_color(ax.get_legend().get_texts()[0].get_color(), INK)
