"""The pictures of chapter 12 show the numbers that they are given."""

from __future__ import annotations

import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from mtcourse.chapters.training.plots import exhibit, read_map
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import LINE_COLOURS

PIECES = ["a", "b", "c"]


def cells(ax) -> dict[tuple[int, int], str]:
    """The colour of each full cell, by row and column."""
    found = {}
    for patch in ax.patches:
        assert isinstance(patch, Rectangle)
        if patch.get_facecolor()[3] > 0:
            place = int(patch.get_y()), int(patch.get_x())
            found[place] = to_hex(patch.get_facecolor())
    return found


def test_a_cell_is_full_where_something_is_read_and_marked_where_it_is_the_answer(ax):
    read_map(torch.tensor([[0.0, 0.0, 2.0], [0.5, 0.1, 0.0], [1.0, 0.0, 0.0]]), PIECES, ax, "")
    fair, cheating = LINE_COLOURS[:2]
    assert cells(ax) == {(0, 2): cheating, (1, 0): fair, (1, 1): cheating, (2, 0): fair}
    assert len(ax.lines) == 2 * 2  # a cross in each cell that cheats


def test_a_map_needs_a_piece_for_each_row(ax):
    with pytest.raises(MtcourseError, match=r"2 pieces do not fit \(3, 3\)"):
        read_map(torch.zeros(3, 3), PIECES[:2], ax, "")


def test_an_exhibit_draws_the_median_and_the_whole_band(ax):
    sound, broken = [[1.0, 2.0], [3.0, 2.0], [8.0, 2.0]], [[5.0, 5.0], [6.0, 7.0], [9.0, 6.0]]
    exhibit(sound, broken, 10, ax, "A: loss")
    grey, coloured = ax.lines
    assert list(grey.get_xdata()) == [5.0, 15.0]
    assert list(grey.get_ydata()) == [3.0, 2.0]
    assert list(coloured.get_ydata()) == [6.0, 6.0]
    band = ax.collections[1].get_paths()[0].get_extents()
    assert (band.y0, band.y1) == (5.0, 9.0)


def test_runs_of_different_lengths_are_refused(ax):
    with pytest.raises(MtcourseError, match="runs of one length"):
        exhibit([[1.0]], [[1.0, 2.0]], 10, ax, "")
