"""The pictures of chapter 15, by what they show."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Rectangle

from mtcourse.chapters.encoder_models.plots import (
    accuracy_by_distance,
    masked_sentence,
    reading_grid,
)
from mtcourse.errors import MtcourseError


def test_an_arrow_leads_to_each_label_and_to_no_other_position(ax):
    masked_sentence(["<class>", "I", "<mask>", "."], ["", "", "swam", ""], ax)
    (arrow,) = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    (label,) = [text for text in ax.texts if text.get_text() == "swam"]
    (box,) = [text for text in ax.texts if text.get_text() == "<mask>"]
    assert label.get_position()[0] == pytest.approx(box.get_position()[0]) == pytest.approx(2.5)
    middle = arrow.get_path().get_extents()
    assert middle.x0 <= 2.5 <= middle.x1
    numbers = [text.get_text() for text in ax.texts if text.get_text().isdigit()]
    assert numbers == ["0", "1", "2", "3"]


def test_a_long_piece_is_narrower_than_its_box(ax):
    ax.figure.set_size_inches(6.6, 2)
    masked_sentence(["<class>", "<mask>", "because", *"abcdefghij"], [""] * 13, ax)
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    ax.figure.draw_without_rendering()
    for box, piece in zip(boxes, ("<class>", "<mask>", "because"), strict=False):
        (text,) = [text for text in ax.texts if text.get_text() == piece]
        assert text.get_window_extent().width < 0.95 * box.get_window_extent().width


def test_labels_must_be_as_many_as_inputs(ax):
    with pytest.raises(MtcourseError, match="2 inputs and 1 labels"):
        masked_sentence(["<class>", "I"], [""], ax)


def test_a_cell_is_filled_where_the_row_reads_the_input(ax):
    reads = [[True, False, False], [True, True, False], [True, True, True]]
    reading_grid(reads, "causal", ax)
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    filled = {
        (round(cell.get_y() - 0.06), round(cell.get_x() - 0.06))
        for cell in cells
        if to_rgba(cell.get_facecolor())[3] > 0
    }
    assert filled == {(t, s) for t in range(3) for s in range(3) if reads[t][s]}
    framed = [cell for cell in cells if cell.get_linewidth() == 2]
    assert [cell.get_x() for cell in framed] == [cell.get_y() for cell in framed]
    assert ax.get_ylim() == (3, 0)


def test_the_marks_stand_at_the_shares(ax):
    accuracy_by_distance({"article": {1: [True] * 3 + [False], 2: [True, False]}}, ax)
    (container,) = ax.containers
    line, _, _ = container.lines
    assert line.get_xdata().tolist() == [1, 2]
    assert line.get_ydata().tolist() == [75, 50]
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().y0 >= ax.bbox.y1 - 1, "not among the marks"
