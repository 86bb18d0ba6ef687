"""Pictures of chapter 3 show the numbers they were given, in ink that both pages let show."""

from __future__ import annotations

import io
import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from mtcourse.chapters.positions.plots import clock_hands, limit_line, row_strips
from mtcourse.errors import MtcourseError
from mtcourse.figures.curves import curves
from mtcourse.figures.style import INK, LINE_COLOURS
from tests.helpers.drawn import texts

ROWS = torch.tensor([[0.5, -1.0, 0.0], [1.0, 0.25, -0.5]])


def test_strips_hold_the_numbers_and_only_the_names_there_are(ax: Axes) -> None:
    row_strips(["the", ""], ROWS, ax, limit=2.0)
    (image,) = ax.images
    assert np.array_equal(image.get_array(), ROWS.numpy())
    assert image.get_clim() == (-2, 2)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["the"]
    assert ax.get_yticks().tolist() == [0]


def test_names_that_do_not_fit_are_refused(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match="3 names do not fit 2 rows"):
        row_strips(["a", "b", "c"], ROWS, ax)


def test_hands_stand_at_their_angles_and_say_how_long_a_turn_takes(ax: Axes) -> None:
    clock_hands([0, 3], 4, ax)
    hands = [line.get_xydata() for line in ax.lines]
    directions = [tip - middle for middle, tip in hands]
    for direction, angle in zip(directions, (0, 0, 3, 0.03), strict=True):
        assert np.allclose(direction, [math.sin(angle), math.cos(angle)], atol=1e-6)
    assert {"0", "3", "6", "628"} <= set(texts(ax))
    assert len(ax.patches) == 4


def test_a_limit_is_level_and_named(ax: Axes) -> None:
    curves({"a": [(0, 0), (10, 1)]}, "step", "right", ax)
    limit_line(0.25, "the most", ax)
    assert set(ax.lines[-1].get_ydata()) == {0.25}
    assert ax.get_legend_handles_labels()[1] == ["a", "the most"]
    assert tuple(ax.lines[-1].get_xdata()) == ax.get_xlim(), "it goes from edge to edge"


DRAWINGS: dict[str, Callable[[Axes], Axes]] = {
    "row_strips": lambda ax: row_strips(["a", "b"], ROWS, ax),
    "clock_hands": lambda ax: clock_hands([0, 1], 6, ax),
    "limit_line": lambda ax: limit_line(0.5, "most", ax),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_ground_is_transparent_and_all_text_is_in_ink_that_both_pages_show(
    ax: Axes, name: str
) -> None:
    DRAWINGS[name](ax)
    file = io.BytesIO()
    ax.figure.savefig(file, format="png")
    file.seek(0)
    assert plt.imread(file)[0, 0, 3] == 0
    allowed = [to_rgba(colour) for colour in (INK, *LINE_COLOURS)]
    shown = [text for text in ax.figure.findobj(Text) if text.get_text()]
    assert shown
    assert all(to_rgba(text.get_color()) in allowed for text in shown)
