"""Pictures of chapter 1 show the numbers they were given, in ink that both pages let show."""

from __future__ import annotations

import io
import itertools
from collections import Counter
from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from mtcourse.chapters.problem_setup.plots import (
    batch_map,
    falling_apart,
    families,
    one_hot_map,
    pieces_to_ids,
    rank_frequency,
)
from mtcourse.errors import MtcourseError
from mtcourse.figures.style import INK
from mtcourse.text.one_hot import one_hot

COUNTS = {"first": Counter({"cat": 2, "the": 8, "dog": 4}), "second": Counter({"de": 5})}
REAL = torch.tensor([[True, True, True, True], [True, False, False, False]])
PIECES = ["▁the", "▁dog", "s"]
X = one_hot(torch.tensor([4, 6, 5]), 12)


def names(of_legend) -> list[str]:
    return [text.get_text() for text in of_legend.get_texts()]


def test_ranks_begin_at_one_with_the_most_frequent_word(ax: Axes) -> None:
    rank_frequency(COUNTS, ax)
    first, second, zipf = ax.lines
    assert first.get_xydata().tolist() == [[1, 8], [2, 4], [3, 2]]
    assert second.get_xydata().tolist() == [[1, 5]]
    assert np.prod(zipf.get_xydata(), axis=1).tolist() == [8, 8]
    assert names(ax.get_legend())[:2] == ["first", "second"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_each_kind_of_word_has_a_bar_as_long_as_its_pieces(ax: Axes) -> None:
    falling_apart({"never": (1200, 4.25), "once": (7, 1.5)}, ax)
    assert [bar.get_width() for bar in ax.patches] == [4.25, 1.5]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["never (1,200)", "once (7)"]
    assert [text.get_text() for text in ax.texts] == ["4.2", "1.5"]
    top, bottom = (ax.transData.transform((0, place))[1] for place in ax.get_yticks())
    assert top > bottom
    assert all(line.get_color() == INK for line in ax.lines)


def test_no_kind_of_word_is_refused(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match="at least one kind"):
        falling_apart({}, ax)


@pytest.mark.parametrize("counts", [{}, {"none": Counter()}, {**COUNTS, "none": Counter()}])
def test_texts_without_words_are_refused(ax: Axes, counts) -> None:
    with pytest.raises(MtcourseError, match="no words to count"):
        rank_frequency(counts, ax)


def test_a_part_of_the_one_hot_matrix_keeps_its_ids(ax: Axes) -> None:
    one_hot_map(PIECES, X, slice(4, 8), ax)
    assert np.array_equal(ax.images[0].get_array(), X[4:8].numpy())
    assert [label.get_text() for label in ax.get_xticklabels()] == PIECES
    assert [label.get_text() for label in ax.get_yticklabels()] == ["4", "5", "6", "7"]


def test_pieces_must_name_the_columns(ax: Axes) -> None:
    with pytest.raises(MtcourseError, match="2 pieces cannot name 3 columns"):
        one_hot_map(PIECES[:2], X, slice(0, 12), ax)


def test_a_batch_shows_its_padding_and_says_how_much(ax: Axes) -> None:
    batch_map(REAL, "as they come", ax)
    image = ax.images[0]
    assert np.array_equal(image.get_array(), REAL.numpy())
    assert ax.get_title() == "as they come: 38% padding"
    token, padding = (handle.get_facecolor() for handle in ax.get_legend().get_patches())
    assert image.to_rgba([1.0])[0] == pytest.approx(token)
    assert image.to_rgba([0.0])[0] == pytest.approx(padding)
    assert names(ax.get_legend()) == ["token", "<pad>"]


def boxes_of(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def test_each_piece_stands_above_its_id_and_boxes_do_not_touch(ax: Axes) -> None:
    pieces_to_ids(PIECES, [40, 5, 123], ax)
    at = {text.get_text(): text.get_position() for text in ax.texts if text.get_text()}
    for piece, number in zip(PIECES, ("40", "5", "123"), strict=True):
        assert at[piece][0] == at[number][0]
        assert at[piece][1] > at[number][1]
    edges = [(box.get_x(), box.get_x() + box.get_width()) for box in boxes_of(ax)]
    assert all(end < begin for (_, end), (begin, _) in itertools.pairwise(edges))
    assert edges[-1][1] < ax.get_xlim()[1]


def test_each_family_stands_in_its_row_within_the_picture(ax: Axes) -> None:
    families(ax)
    said = [text.get_text() for text in ax.texts]
    assert said.index("encoder") < said.index("decoder") < said.index("encoder-decoder")
    assert [said.count(part) for part in ("encoder", "decoder")] == [3, 3]
    assert max(box.get_x() + box.get_width() for box in boxes_of(ax)) <= ax.get_xlim()[1]


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: rank_frequency(COUNTS, ax),
        lambda ax: one_hot_map(PIECES, X, slice(0, 12), ax),
        lambda ax: batch_map(REAL, "a batch", ax),
        lambda ax: pieces_to_ids(PIECES, [4, 6, 5], ax),
        families,
    ],
)
def test_text_is_in_the_books_ink_and_the_ground_is_transparent(
    ax: Axes, draw: Callable[[Axes], Axes]
) -> None:
    assert draw(ax) is ax
    figure = ax.get_figure()
    shown = [text for text in figure.findobj(Text) if text.get_text()]
    assert {mpl.colors.to_hex(text.get_color()) for text in shown} == {INK}
    file = io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    assert plt.imread(file)[0, 0, 3] == 0
    assert to_rgba(figure.get_facecolor())[3] == 0
