"""The pictures of chapter 14 show what they are given."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from mtcourse.chapters.kv_cache.plots import (
    beam_lines,
    dependence_map,
    fitted_costs,
    repeated_rows,
)
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import LINE_COLOURS


def full_cells(ax) -> set[tuple[int, int]]:
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    blue = to_rgba(LINE_COLOURS[0])
    return {
        (int(cell.get_y()), int(cell.get_x())) for cell in cells if cell.get_facecolor() == blue
    }


def test_only_the_diagonal_is_new(ax):
    repeated_rows(["<bos>", "a", "b", "c"], ax)
    assert full_cells(ax) == {(t, t) for t in range(4)}
    assert len(ax.patches) == 10
    assert [label.get_text() for label in ax.get_xticklabels()] == ["<bos>", "a", "b", "c"]


def test_a_full_cell_is_a_dependence(ax):
    depends = torch.tensor([[True, False, False], [False, True, False], [True, True, True]])
    dependence_map(depends, "$K$", ax)
    assert full_cells(ax) == {(0, 0), (1, 1), (2, 0), (2, 1), (2, 2)}
    assert len(ax.patches) == 9


def test_the_fit_finds_the_polynomial_that_made_the_points(ax):
    x = [10, 20, 50, 100, 200]
    points = {"line": [(t, 3 + 2 * t) for t in x], "curve": [(t, 1 + t + 0.5 * t**2) for t in x]}
    found = fitted_costs(points, {"line": 1, "curve": 2}, "positions", "time", ax)
    np.testing.assert_allclose(found["line"], [2, 3], rtol=1e-6)
    np.testing.assert_allclose(found["curve"], [0.5, 1, 1], rtol=1e-6)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["line", "curve"]


def test_the_only_points_need_no_legend(ax):
    fitted_costs({"line": [(1, 1), (2, 2), (3, 3)]}, {"line": 1}, "positions", "time", ax)
    assert ax.get_legend() is None


def test_too_few_points_and_too_many_kinds_are_refused(ax):
    with pytest.raises(
        MtcourseError, match="2 points of 'few' do not fix a polynomial of degree 2"
    ):
        fitted_costs({"few": [(1, 1), (2, 2)]}, {"few": 2}, "x", "y", ax)
    many = {str(k): [(1, 1), (2, 2)] for k in range(5)}
    with pytest.raises(MtcourseError, match="5 kinds of points: at most 4"):
        fitted_costs(many, dict.fromkeys(many, 1), "x", "y", ax)


def test_lines_lead_from_parents_to_children_and_thick_ones_to_the_end(ax):
    parents = [[0, 0], [1, 1], [1, 0]]
    beam_lines(parents, ax)
    lines = {
        tuple(zip(line.get_xdata(), line.get_ydata(), strict=True)): line.get_linestyle()
        for line in ax.lines
    }
    assert set(lines) == {
        ((step, parent), (step + 1, beam))
        for step, row in enumerate(parents)
        for beam, parent in enumerate(row)
    }
    assert lines[(0, 0), (1, 1)] == "-"
    assert lines[(0, 0), (1, 0)] == ":", "nobody continues beam 0 of step 1"


def test_each_beam_has_one_dot_whose_colour_says_whether_it_leads_to_the_end(ax):
    beam_lines([[0, 0], [1, 1], [1, 0]], ax)
    dots = {
        to_rgba(colour): {tuple(map(int, place)) for place in these.get_offsets()}
        for these in ax.collections
        for colour in these.get_facecolor()[:1]
    }
    dropped = {(1, 0)}
    kept = {(0, 0), (1, 1), *((step, beam) for step in (2, 3) for beam in (0, 1))}
    assert dots == {to_rgba(LINE_COLOURS[0]): kept, to_rgba(LINE_COLOURS[1]): dropped}
    assert {line.get_marker() for line in ax.lines} == {"None"}
