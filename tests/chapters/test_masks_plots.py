"""Pictures of chapter 5 show the masks they were given, in ink that both pages let show."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.text import Text

from mtcourse.chapters.masks.plots import change_map, combination, mask_key, mask_map, shares
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS
from mtcourse.layers.masks import causal_mask, padding_mask

IDS = torch.tensor([[5, 6, 0], [7, 8, 9]])
PIECES = [["go", "!", "<pad>"], ["we", "go", "!"]]
CHANGE = torch.tensor([[2.0, 0.0], [0.5, 1.0]])


def full_cells(ax: Axes) -> list[list[bool]]:
    """The mask that a picture shows, read off its rectangles."""
    m, n = (round(max(limits)) for limits in (ax.get_ylim(), ax.get_xlim()))
    shown = [[False] * n for _ in range(m)]
    for cell in ax.patches:
        row, column = int(cell.get_y()), int(cell.get_x())
        shown[row][column] = to_hex(cell.get_facecolor()) == LINE_COLOURS[0]
    return shown


def labels(of_axis) -> list[str]:
    return [label.get_text() for label in of_axis]


def test_full_cells_are_the_allowed_ones_and_the_first_query_stands_on_top(ax: Axes) -> None:
    mask = causal_mask(2, 3)
    mask_map(mask, ax, ["a", "b"], ["x", "y", "z"], title="two queries")
    assert full_cells(ax) == mask.tolist()
    assert labels(ax.get_yticklabels()) == ["a", "b"]
    assert labels(ax.get_xticklabels()) == ["x", "y", "z"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_title() == "two queries"


def test_what_is_written_in_a_cell_stands_in_that_cell(ax: Axes) -> None:
    mask_map(causal_mask(2), ax, write=lambda allowed: "1" if allowed else "0")
    written = {text.get_position(): text.get_text() for text in ax.texts}
    assert written == {(0.5, 0.5): "1", (1.5, 0.5): "0", (0.5, 1.5): "1", (1.5, 1.5): "1"}


@pytest.mark.parametrize(
    ("queries", "keys", "said"),
    [(["a"], [], "1 names do not fit the 2 rows"), ([], ["a"], "1 names do not fit the 3 columns")],
)
def test_names_that_do_not_fit_are_refused(ax: Axes, queries, keys, said) -> None:
    with pytest.raises(MtcourseError, match=said):
        mask_map(causal_mask(2, 3), ax, queries, keys)


def test_both_masks_are_drawn_for_each_sentence(figure: Figure) -> None:
    padding, causal = padding_mask(IDS), causal_mask(3)
    axes = figure.subplots(2, 4)
    combination(padding, causal, PIECES, axes)
    for b, row in enumerate(axes):
        strip, stretched, triangle, both = (full_cells(ax) for ax in row)
        assert strip == padding[b, 0].tolist()
        assert stretched == strip * 3
        assert triangle == causal.tolist()
        assert both == (padding & causal)[b, 0].tolist()
        assert labels(row[3].get_yticklabels()) == PIECES[b]


def test_the_parts_of_a_bar_stand_end_to_end(ax: Axes) -> None:
    own, padding = torch.tensor([0.25, 1.0]), torch.tensor([0.75, 0.0])
    shares(["a", "b"], {"own": own, "padding": padding}, "attention", ax)
    first, second = ax.containers
    assert [bar.get_width() for bar in first] == own.tolist()
    assert [bar.get_x() for bar in second] == own.tolist()
    assert [bar.get_width() for bar in second] == padding.tolist()
    assert len({bars[0].get_hatch() for bars in (first, second)}) == 2
    assert ax.yaxis_inverted()


def test_a_row_that_did_not_move_says_so(ax: Axes) -> None:
    change_map(CHANGE, ["row 1", "row 2"], ["a", "b"], ax)
    shown = ax.images[0].get_array()
    assert np.array_equal(shown.mask, [[False, True], [False, False]])
    assert np.array_equal(shown.filled(0), CHANGE.numpy())
    assert [(text.get_position(), text.get_text()) for text in ax.texts] == [((1, 0), "0")]


def test_changes_need_their_names(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match=r"\(2, 2\) do not fit 1 outputs and 2 inputs"):
        change_map(CHANGE, ["row 1"], ["a", "b"], ax)


def test_the_key_names_both_kinds_of_cells(figure: Figure) -> None:
    mask_key(figure)
    allowed, hidden = figure.legends[0].get_patches()
    assert labels(figure.legends[0].get_texts()) == ["allowed", "hidden"]
    assert to_hex(allowed.get_facecolor()) == LINE_COLOURS[0]
    assert hidden.get_facecolor()[3] == 0


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: mask_map(causal_mask(2), ax, ["a", "b"], ["x", "y"], title="a mask"),
        lambda ax: shares(["a"], {"own": torch.tensor([0.5])}, "attention", ax),
        lambda ax: change_map(CHANGE, ["1", "2"], ["a", "b"], ax),
    ],
)
def test_text_is_in_the_books_ink_and_the_ground_is_transparent(
    ax: Axes, draw: Callable[[Axes], Axes]
) -> None:
    assert draw(ax) is ax
    figure = ax.get_figure()
    shown = [text for text in figure.findobj(Text) if text.get_text()]
    assert {to_hex(text.get_color()) for text in shown} == {INK}
    file = io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    assert plt.imread(file)[0, 0, 3] == 0
    assert to_rgba(figure.get_facecolor())[3] == 0
