"""Pictures of chapter 9 show what they were given, in ink that both pages let show."""

from __future__ import annotations

import math

import pytest
import torch
from matplotlib.colors import same_color, to_rgba
from matplotlib.patches import Rectangle

from mtcourse.chapters.multi_head.plots import changes, head_table, layouts, pattern, shared_row
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS
from mtcourse.layers.multi_head import as_full_width


@pytest.mark.parametrize("h", [1, 2, 4])
def test_each_head_gets_its_share_of_the_width(ax, h):
    shared_row(ax, h)
    said = [text.get_text() for text in ax.texts]
    heads = [text for text in said if text.startswith("head ")]
    assert heads == [f"head {j + 1}\n$d_k = d/{h}$" for j in range(h)]
    assert {f"$A_{j + 1}$" for j in range(h)} | {"$W_O$", "Concat"} <= set(said)
    widths = [box.get_width() for box in ax.patches if isinstance(box, Rectangle)]
    assert widths.count(8 / h) >= 2 * h


def test_more_heads_than_colours_are_refused(ax):
    with pytest.raises(MtcourseError, match="5 heads: the picture takes 1 to 4"):
        shared_row(ax, 5)


@pytest.mark.parametrize("by_rows", [False, True])
def test_a_number_that_is_not_zero_has_the_colour_of_its_head(ax, by_rows):
    W = torch.tensor([[1.0, 0.0], [2.0, 3.0]])
    pattern(W, [0, 1], "W", ax, by_rows)
    cells = [box for box in ax.patches if isinstance(box, Rectangle) and box.get_fill()]
    shown = {(int(c.get_y()), int(c.get_x())): c.get_facecolor()[:3] for c in cells}
    assert set(shown) == {(0, 0), (1, 0), (1, 1)}
    of_head = [to_rgba(colour)[:3] for colour in LINE_COLOURS[:2]]
    assert shown[0, 0] == of_head[0]
    assert shown[1, 0] == of_head[1 if by_rows else 0]
    assert ax.get_title() == "W"


@pytest.mark.parametrize("size", [(4.6, 4.8), (6.4, 5.0), (3.0, 7.0)])
def test_matrices_that_are_compared_are_drawn_at_one_scale(figure, size):
    narrow = list(torch.randn(4, 6, 6, dtype=torch.float64))
    figure.set_size_inches(*size)
    layouts(narrow, as_full_width(*narrow, h=3), [0, 0, 1, 1, 2, 2], figure)
    figure.draw_without_rendering()
    frames = [next(box for box in ax.patches if not box.get_fill()) for ax in figure.axes]
    assert [frame.get_height() for frame in frames] == [6] * 7 + [18]
    number = [frame.get_window_extent().height / frame.get_height() for frame in frames]
    assert number == pytest.approx([number[0]] * 8, rel=0.01)
    assert len({round(frame.get_window_extent().y1) for frame in frames[4:]}) == 1


def test_a_table_of_heads_says_percents_and_leaves_out_what_is_not_there(ax):
    head_table(torch.tensor([[0.25, math.nan], [0.9, 0.0]]), ["a", "b"], ["one", "two"], ax)
    assert [text.get_text() for text in ax.texts] == ["25", "90", "0"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert {text.get_color() for text in ax.texts} == {INK}, "as on the page, so the ground is pale"
    assert ax.images[0].to_rgba(1.0)[3] <= 0.45


def test_a_table_of_another_shape_is_refused(ax):
    with pytest.raises(MtcourseError, match=r"shape \(2, 2\) do not fit 1 heads and 2 kinds"):
        head_table(torch.zeros(2, 2), ["a"], ["one", "two"], ax)


def test_a_change_beyond_noise_looks_different_from_noise(ax):
    changes({"a": 1.0, "b": 0.1, "c": -1.0}, [(0.5, 1.5), (-0.1, 0.3), (-2.0, -0.5)], ax, "lost")
    bars, dots = ax.lines[0:6:2], ax.lines[1:6:2]
    assert [list(bar.get_xdata()) for bar in bars] == [[0.5, 1.5], [-0.1, 0.3], [-2, -0.5]]
    assert [dot.get_marker() for dot in dots] == ["o", "s", "o"]
    assert dots[1].get_markerfacecolor() == "none"
    assert same_color(dots[0].get_color(), LINE_COLOURS[1])
    assert ax.get_xlabel() == "lost"
    assert same_color(ax.xaxis.label.get_color(), INK)


def test_a_change_without_an_interval_is_refused(ax):
    with pytest.raises(MtcourseError, match="2 values have 1 intervals"):
        changes({"a": 1.0, "b": 2.0}, [(0.0, 1.0)], ax)
