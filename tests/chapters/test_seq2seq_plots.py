"""The pictures of chapter 17, by what they show."""

from __future__ import annotations

import re
from statistics import median

import pytest
import torch
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Rectangle

from mtcourse.chapters.seq2seq.plots import kept_dots, reads_of_pair, whole_picture, word_map
from mtcourse.claims import claims
from mtcourse.errors import MtcourseError


def test_the_whole_picture_has_every_claim_of_the_section(ax):
    whole_picture(ax)
    shown = {name for text in ax.texts for name in re.findall(r"C\d\d", text.get_text())}
    section = claims()["C34"].section
    assert shown == {name for name, claim in claims().items() if claim.section == section}


def test_keys_and_values_lead_from_the_encoder_to_the_decoder(ax):
    whole_picture(ax)
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    split = 4.6
    assert len([box for box in boxes if box.get_x() > split]) == 6
    assert len([box for box in boxes if box.get_x() < split]) == 4
    ends = [
        arrow.get_path().get_extents()
        for arrow in ax.patches
        if isinstance(arrow, FancyArrowPatch) and arrow.get_linestyle() in ("-", "solid")
    ]
    assert len([one for one in ends if one.x0 < split < one.x1]) == 1


def test_cells_are_filled_where_a_state_depends_on_an_input(ax):
    reads = [[True, True, False], [True, True, False], [True, False, True]]
    reads_of_pair(reads, ["a", "b", "c"], 2, "a title", ax)
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    filled = {
        (round(cell.get_y() - 0.06), round(cell.get_x() - 0.06)): to_rgba(cell.get_facecolor())[:3]
        for cell in cells
        if to_rgba(cell.get_facecolor())[3] > 0
    }
    assert set(filled) == {(i, j) for i in range(3) for j in range(3) if reads[i][j]}
    assert filled[0, 0] == filled[2, 0] != filled[2, 2]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]


def test_each_input_needs_a_name(ax):
    with pytest.raises(MtcourseError, match="2 inputs and 1 names"):
        reads_of_pair([[True, True], [True, True]], ["a"], 1, "a title", ax)


def test_dots_and_bars_of_kept_words_stand_at_their_shares(ax):
    kept = {
        "uniform": {"function words": [0.5, 0.7, 0.9], "content words": [0.1, 0.2, 0.6]},
        "permuted": {"function words": [0.4, 0.4, 0.1], "content words": [0.3, 0.2, 0.1]},
    }
    kept_dots(kept, ax)
    wanted = [shares for of in kept.values() for shares in of.values()]
    dots = [line for line in ax.lines if line.get_marker() in ("o", "s")]
    bars = [line for line in ax.lines if line not in dots]
    for shares, dot, bar in zip(wanted, dots, bars, strict=True):
        assert list(dot.get_xdata()) == pytest.approx([100 * share for share in shares])
        assert list(bar.get_xdata()) == pytest.approx([100 * median(shares)] * 2)
        assert dot.get_markersize() >= 5, "smaller, a dot is hard to see on a phone"
    legend = ax.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["function words", "content words"]


def test_a_map_of_words_frames_the_links(ax):
    values = torch.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    word_map(["a", "b", "c"], ["d", "e"], values, "nats", ax, [(2, 0)])
    (frame,) = ax.patches
    assert (frame.get_x(), frame.get_y()) == (1.5, -0.5)
    assert ax.images[0].get_array().tolist() == values.tolist()
    with pytest.raises(MtcourseError, match="do not fit 3 target words"):
        word_map(["a", "b"], ["d", "e", "f"], values, "nats", ax)
