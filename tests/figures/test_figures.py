"""Figures show the numbers they were given, and can be read on light and on dark pages."""

from __future__ import annotations

import io
from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
import torch
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from mtcourse.errors import MtcourseError
from mtcourse.figures.attention_map import attention_map
from mtcourse.figures.bars import bars
from mtcourse.figures.curves import curves
from mtcourse.figures.style import INK, LINE_COLOURS, book_style

LIGHT_PAGE, DARK_PAGE = "#ffffff", "#121212"
SOURCE = ["▁the", "▁old", "▁house", "<eos>"]
TARGET = ["▁het", "▁oude", "▁huis"]
WEIGHTS = torch.tensor([[0.7, 0.1, 0.1, 0.1], [0.1, 0.6, 0.1, 0.2], [0.2, 0.2, 0.5, 0.1]])


@pytest.fixture(autouse=True)
def _headless() -> Iterator[None]:
    """Draws into memory and leaves no figure open."""
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def contrast(first: str, second: str) -> float:
    """WCAG's contrast ratio of two colours."""

    def luminance(colour: str) -> float:
        channels = np.array(to_rgb(colour))
        linear = np.where(
            channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


def pixels(figure: Figure) -> np.ndarray:
    """The saved picture, height x width x (red, green, blue, opacity)."""
    file = io.BytesIO()
    figure.savefig(file, format="png")
    file.seek(0)
    return plt.imread(file)


def test_rows_are_targets_and_columns_are_sources() -> None:
    ax = attention_map(SOURCE, TARGET, WEIGHTS)
    assert np.array_equal(ax.images[0].get_array(), WEIGHTS.numpy())
    assert [label.get_text() for label in ax.get_xticklabels()] == SOURCE
    assert [label.get_text() for label in ax.get_yticklabels()] == TARGET
    assert ax.images[0].get_clim() == (0, 1)
    top, bottom = ax.transData.transform([(0, 0), (0, 2)])[:, 1]
    assert top > bottom, "the first target piece stands on top"


@pytest.mark.parametrize("page", [LIGHT_PAGE, DARK_PAGE])
def test_a_stronger_weight_stands_out_more_from_either_page(page: str) -> None:
    image = attention_map(SOURCE, TARGET, WEIGHTS).images[0]
    colours = image.to_rgba(np.linspace(0, 1, 20))
    share = colours[:, 3:]
    shown = share * colours[:, :3] + (1 - share) * np.array(to_rgb(page))
    against = [contrast(to_hex(colour), page) for colour in shown]
    assert (np.diff(against) > 0).all()
    assert against[0] > 1
    assert against[-1] > 4


def test_weights_of_another_shape_are_refused() -> None:
    with pytest.raises(MtcourseError, match=r"\(4, 3\) do not fit 3 target .* 4 source"):
        attention_map(SOURCE, TARGET, WEIGHTS.T)


def test_weights_may_come_from_a_model_in_training() -> None:
    weights = WEIGHTS.to(torch.bfloat16).requires_grad_()
    attention_map(SOURCE, TARGET, weights)


def test_a_figure_may_hold_several_maps() -> None:
    figure, axes = plt.subplots(1, 2)
    assert [attention_map(SOURCE, TARGET, WEIGHTS, ax=ax) for ax in axes] == list(axes)
    assert plt.get_fignums() == [figure.number]


def test_text_meets_the_contrast_it_can_on_both_pages() -> None:
    assert contrast(INK, LIGHT_PAGE) >= 4.5
    assert contrast(INK, DARK_PAGE) >= 4.0
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("colour", LINE_COLOURS)
@pytest.mark.parametrize("page", [LIGHT_PAGE, DARK_PAGE])
def test_lines_meet_the_contrast_of_graphics_on_both_pages(colour: str, page: str) -> None:
    assert contrast(colour, page) >= 3


@pytest.mark.parametrize(
    "draw",
    [
        lambda ax: attention_map(SOURCE, TARGET, WEIGHTS, ax=ax),
        lambda ax: curves({"train": [(0, 2), (1, 1)], "dev": [(0, 3), (1, 2)]}, "step", "loss", ax),
    ],
)
def test_all_text_is_in_that_ink_and_the_ground_is_transparent(draw) -> None:
    for own_axes in (False, True):
        with book_style():
            ax = draw(plt.figure().add_subplot() if own_axes else None)
            figure = ax.get_figure()
            picture = pixels(figure)
        shown = [text for text in figure.findobj(Text) if text.get_text()]
        assert len(shown) > 5
        assert {mpl.colors.to_hex(text.get_color()) for text in shown} == {INK}
        assert picture[0, 0, 3] == 0
        assert picture[-1, -1, 3] == 0


def test_a_figure_keeps_its_style_after_the_style_ends() -> None:
    """A notebook saves a figure when its cell ends, long after the function has returned."""
    figure = curves({"loss": [(0, 2), (1, 1)]}, "step", "loss").get_figure()
    assert pixels(figure)[0, 0, 3] == 0


def test_the_style_ends_with_its_block() -> None:
    before = dict(mpl.rcParams)
    with book_style():
        assert mpl.rcParams["text.color"] == INK
    assert dict(mpl.rcParams) == before


def test_curves_pass_through_their_points_and_are_told_apart_without_colour() -> None:
    series = {"train": [(0, 2.0), (10, 1.0)], "dev": [(0, 2.5), (10, 1.5)], "none yet": []}
    ax = curves(series, "step", "loss (nats per token)")
    assert [line.get_xydata().tolist() for line in ax.lines] == [
        [list(point) for point in points] for points in series.values()
    ]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(series)
    assert len({line.get_linestyle() for line in ax.lines}) == 3
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "loss (nats per token)")
    assert curves({"loss": [(0, 1)]}, "step", "loss").get_legend() is None


@pytest.mark.parametrize("count", [0, 5])
def test_curves_that_cannot_be_told_apart_are_refused(count: int) -> None:
    with pytest.raises(MtcourseError, match=f"{count} curves: a figure takes 1 to 4"):
        curves({str(i): [(0, 0)] for i in range(count)}, "x", "y")


def test_bars_are_as_long_as_their_numbers_and_told_apart_without_colour() -> None:
    ax = bars(["a", "b"], {"one": [3.0, 5.0], "two": [1.0, -2.5]}, "x (%)")
    assert [bar.get_width() for bar in ax.patches] == [3.0, 5.0, 1.0, -2.5]
    assert len({bar.get_hatch() for bar in ax.patches}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["one", "two"]
    assert {"3.0", "5.0", "1.0", "−2.5"} <= {text.get_text().replace("-", "−") for text in ax.texts}
    assert ax.get_xlabel() == "x (%)"


def test_the_first_bar_is_on_top_and_a_name_may_occur_twice() -> None:
    ax = bars(["the", "dog", "the"], {"weight": [0.25, 0.5, 0.125]}, "weight", text="%.3f")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["the", "dog", "the"]
    heights = [ax.transData.transform((0, bar.get_y()))[1] for bar in ax.patches]
    assert heights == sorted(heights, reverse=True)
    assert [text.get_text() for text in ax.texts] == ["0.250", "0.500", "0.125"]
    assert ax.get_legend() is None


@pytest.mark.parametrize(
    ("names", "series", "said"),
    [
        ([], {"one": []}, "at least one name"),
        (["a"], {}, "0 series"),
        (["a"], {name: [1.0] for name in "abcde"}, "5 series"),
        (["a", "b"], {"one": [1.0]}, "'one' has 1 numbers for 2 names"),
    ],
)
def test_bars_without_names_or_numbers_for_them_are_refused(names, series, said) -> None:
    with pytest.raises(MtcourseError, match=said):
        bars(names, series, "x")
