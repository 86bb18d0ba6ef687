"""The pictures of chapter 13 show what they are given."""

from __future__ import annotations

import pytest
import torch
from matplotlib.patches import Rectangle

from mtcourse.chapters.decoder_models.plots import surprises, triangle
from mtcourse.errors import MtcourseError


def test_each_token_has_a_bar_as_high_as_its_cost(ax):
    surprises(["a", "b", "<eos>"], [1.0, 2.5, 0.0], ax)
    bars = [patch.get_height() for patch in ax.patches]
    assert bars == [1.0, 2.5, 0.0]
    assert [text.get_text() for text in ax.texts] == ["1.0", "2.5", "0.0"]
    with pytest.raises(MtcourseError, match="2 numbers do not fit 1 tokens"):
        surprises(["a"], [1.0, 2.0], ax)


def test_cells_of_exactly_0_stay_empty(ax):
    norms = torch.tensor([[1.0, 0.0, 0.0], [0.5, 1e-12, 0.0], [0.1, 0.2, 0.3]])
    triangle(norms, ["<bos>", "a", "b"], ["a", "b", "<eos>"], ax)
    empty = [
        (round(patch.get_y() + 0.47), round(patch.get_x() + 0.47))
        for patch in ax.patches
        if isinstance(patch, Rectangle)
    ]
    assert empty == [(0, 1), (0, 2), (1, 2)], "a tiny gradient is not 0"
    with pytest.raises(MtcourseError, match="3 rows do not fit 2 inputs"):
        triangle(norms, ["a", "b"], ["a", "b"], ax)


def test_the_bar_of_colours_is_as_high_as_the_cells(ax):
    triangle(torch.eye(3), ["<bos>", "a", "b"], ["a", "b", "<eos>"], ax)
    ax.figure.draw_without_rendering()
    cells, bar = ax.get_window_extent(), ax.images[0].colorbar.ax.get_window_extent()
    assert (bar.y0, bar.y1) == pytest.approx((cells.y0, cells.y1))
    assert bar.x0 > cells.x1
