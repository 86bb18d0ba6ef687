"""Pictures of chapter 7 show the model and the numbers they were given."""

from __future__ import annotations

import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, Rectangle

from mtcourse.chapters.framework_model.plots import agreement_map, next_words, wiring
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK, LINE_COLOURS
from tests.helpers.drawn import texts


def test_the_wiring_has_a_box_for_each_matrix_and_an_arrow_for_each_use(ax):
    wiring(ax)
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    assert (len(boxes), len(arrows)) == (8, 9)
    assert texts(ax).count("+ $P$") == 1
    assert "target $Y$" in texts(ax)


def test_what_is_repaired_is_written_in_colour(ax):
    wiring(ax, ("shift", "positions"))
    repaired = {text.get_text() for text in ax.texts if text.get_color() == LINE_COLOURS[1]}
    assert repaired == {"target $Y$, shifted", "+ $P$"}
    assert texts(ax).count("+ $P$") == 2


def test_another_repair_is_refused(ax):
    with pytest.raises(MtcourseError, match="called heads; there are shift and positions"):
        wiring(ax, ("heads",))


def test_each_prefix_has_a_bar_for_each_word(ax):
    next_words({"a b": {"x": 0.5, "y": 0.2}, "b a": {"x": 0.1, "y": 0.9}}, ax)
    assert [bar.get_width() for bar in ax.patches] == [0.5, 0.2, 0.1, 0.9]
    assert len({bar.get_hatch() for bar in ax.patches}) == 2
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]


def test_prefixes_need_the_same_words(ax):
    with pytest.raises(MtcourseError, match="the same words"):
        next_words({"a": {"x": 0.5}, "b": {"y": 0.5}}, ax)


def test_a_share_stands_in_its_cell(ax):
    agreement_map(torch.tensor([[0.1, 0.9], [0.25, 1.0]]), ["a", "b"], ["c", "d"], ax)
    assert texts(ax) == ["10%", "90%", "25%", "100%"]
    assert all(to_hex(text.get_color()) == INK for text in ax.texts)


def test_shares_fit_their_names(ax):
    with pytest.raises(MtcourseError, match=r"\(1, 2\) do not fit 2 rows and 2 columns"):
        agreement_map(torch.ones(1, 2), ["a", "b"], ["c", "d"], ax)
