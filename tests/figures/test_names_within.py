"""Names beside curves, marks and bars, where a legend would stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from mtcourse.figures.bars import bars
from mtcourse.figures.curves import curves
from mtcourse.figures.names_within import series_named
from mtcourse.figures.starts_plots import start_curves
from mtcourse.figures.style import INK, LINE_COLOURS, book_style
from mtcourse.figures.svg import figure_svg

SHORT = {"one": [(0, 1), (1, 2)], "two": [(0, 1), (0.4, 2)]}  # its second line ends in the middle


@pytest.fixture(autouse=True)
def _headless() -> Iterator[None]:
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    return figure


def panels(count: int, width: float = 6.4) -> tuple[Figure, np.ndarray]:
    with book_style():
        return plt.subplots(1, count, figsize=(width, 3), layout="constrained", squeeze=False)


def boxes(texts: list[Text]) -> list[Bbox]:
    """Where texts stand, in points, as in the file."""
    for figure in {text.get_figure(root=True) for text in texts} - {None}:
        assert isinstance(figure, Figure)
        figure.dpi = 72
        figure.draw_without_rendering()
    return [text.get_window_extent() for text in texts]


def spread(box: Bbox, points: np.ndarray) -> float:
    """The distance between a box and the nearest of some points."""
    low, high = np.array([box.x0, box.y0]), np.array([box.x1, box.y1])
    outside = np.maximum(0, np.maximum(low - points, points - high))
    return float(np.hypot(*outside.T).min())


def dense(points: np.ndarray) -> np.ndarray:
    """A line as points that are close to each other."""
    ends = itertools.pairwise(points)
    return np.concatenate([np.linspace(start, end, 60) for start, end in ends])


def test_curves_have_their_names_within_and_no_legend() -> None:
    ax = curves(SHORT, "step", "loss")
    with series_named(figure_of(ax)):
        assert not ax.get_legend().get_visible()
        assert {text.get_text() for text in ax.texts} == set(SHORT)
        for text, line, box in zip(ax.texts, ax.get_lines(), boxes(list(ax.texts)), strict=True):
            assert same_color(text.get_color(), line.get_color())
            assert ax.bbox.x0 <= box.x0 < box.x1 <= ax.bbox.x1 + 1
            assert ax.bbox.y0 <= box.y0 < box.y1 <= ax.bbox.y1 + 1


def test_the_figure_is_as_it_was() -> None:
    ax = curves(SHORT, "step", "loss")
    written = figure_svg(figure_of(ax))
    assert ax.get_legend().get_visible()
    assert ax.get_legend().get_in_layout()
    assert not ax.texts
    assert figure_of(ax).dpi == plt.rcParams["figure.dpi"]
    assert written == figure_svg(figure_of(ax))


heights = st.lists(st.floats(0, 10), min_size=6, max_size=6)


@settings(max_examples=40, deadline=None)
@given(st.lists(heights, min_size=2, max_size=4))
def test_no_name_touches_a_curve_or_another_name(of_all: list[list[float]]) -> None:
    series = {f"series {k}": list(enumerate(values)) for k, values in enumerate(of_all)}
    ax = curves(series, "step", "loss")
    figure_of(ax).set_size_inches(4, 3)
    with series_named(figure_of(ax)):
        named = boxes(list(ax.texts))
        assert bool(named) != ax.get_legend().get_visible()
        lines = [Path(ax.transData.transform(line.get_xydata())) for line in ax.get_lines()]
        for box in named:
            assert not any(path.intersects_bbox(box, filled=False) for path in lines)
        assert not any(one.overlaps(other) for one, other in itertools.combinations(named, 2))
    plt.close("all")


def test_a_name_is_nearer_to_its_own_curve_than_to_others() -> None:
    x = np.linspace(0, 1, 20)
    ax = curves({f"rate {k}": [(a, k + a * k) for a in x] for k in range(4)}, "step", "loss")
    with series_named(figure_of(ax)):
        named = boxes(list(ax.texts))
        lines = [dense(ax.transData.transform(line.get_xydata())) for line in ax.get_lines()]
        for k, box in enumerate(named):
            far = [spread(box, points) for points in lines]
            assert min(range(4), key=far.__getitem__) == k
    assert len(named) == 4


def test_a_name_stands_rather_in_two_lines_than_between_two_curves() -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        ax.plot([0, 1], [1, 1], label="below")
        ax.plot([0, 1], [2.35, 2.35], label="ten lettres")
        ax.add_patch(Rectangle((0, 2.8), 0.84, 9, color=INK))
        ax.set(xlim=(0, 1), ylim=(0, 12))
        ax.legend()
    with series_named(figure):
        assert {text.get_text() for text in ax.texts} == {"below", "ten\nlettres"}


def test_a_name_may_stand_on_its_own_band_and_not_on_that_of_another() -> None:
    wide = [[(x, y) for x in range(5)] for y in (2.0, 5.0, 8.0)]
    level = [[(x, y) for x in range(5)] for y in (8.2, 8.3, 8.4)]
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        start_curves({"in a band": wide, "level": level}, "step", "loss", ax)
        ax.set_ylim(0, 11)
    with series_named(figure):
        of_band, of_line = boxes(list(ax.texts))
        low, high = ax.transData.transform([(0, 2), (0, 8)])[:, 1]
    assert low < of_band.y0 < of_band.y1 < high
    assert of_line.y0 >= high


def test_marks_are_named_beside_their_own() -> None:
    clouds = {"left": (0.2, 0.8), "right": (0.8, 0.2)}
    places = np.random.default_rng(1).normal(0, 0.05, (40, 2))
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        for (name, centre), colour in zip(clouds.items(), LINE_COLOURS, strict=False):
            ax.plot(*(places + centre).T, "o", color=colour, label=name, markersize=4)
        ax.legend()
    with series_named(figure):
        for text, box in zip(ax.texts, boxes(list(ax.texts)), strict=True):
            centres = ax.transData.transform(list(clouds.values()))
            far = [np.hypot(*(centre - (box.p0 + box.p1) / 2)) for centre in centres]
            assert list(clouds)[int(np.argmin(far))] == text.get_text()
        assert len(ax.texts) == 2


@pytest.mark.parametrize(
    ("numbers", "row"), [([[20.0, 90.0], [30.0, 80.0]], 0), ([[96.0, 20.0], [94.0, 10.0]], 1)]
)
def test_bars_are_named_behind_their_numbers_in_the_first_group_with_room(
    numbers: list[list[float]], row: int
) -> None:
    ax = bars(["above", "below"], dict(zip(("before", "after"), numbers, strict=True)), "%")
    with series_named(figure_of(ax)):
        assert not ax.get_legend().get_visible()
        found = {text.get_text(): text for text in ax.texts}
        written = dict(zip(found, boxes(list(found.values())), strict=True))
        for name, colour, values in zip(("before", "after"), LINE_COLOURS, numbers, strict=False):
            box, number = written[name], written[f"{values[row]:.1f}"]
            assert same_color(found[name].get_color(), colour)
            assert box.y0 + box.height / 2 == pytest.approx(number.y0 + number.height / 2, abs=2)
            assert number.x1 < box.x0 < number.x1 + 12


def test_bars_leave_room_for_names_that_are_longer_than_the_axes() -> None:
    series = {"a name of some length": [95.0, 96.0], "another one": [94.0, 97.0]}
    ax = bars(["above", "below"], series, "%")
    figure = figure_of(ax)
    with series_named(figure):
        figure.draw_without_rendering()
        found = {text.get_text(): text for text in ax.texts}
        assert set(series) < set(found)
        for name in series:
            (box,) = boxes([found[name]])
            assert box.x1 < figure.bbox.x1
            assert box.x0 > ax.transData.transform((95, 0))[0]


def test_one_legend_for_several_panels_gives_way_to_names_in_each() -> None:
    figure, (axes,) = panels(3, 8.0)
    for ax in axes:
        curves(SHORT, "step", "loss", ax)
        ax.get_legend().remove()
    with book_style():
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center")
    figure.draw_without_rendering()
    before = axes[0].bbox.height / figure.bbox.height
    with series_named(figure):
        figure.draw_without_rendering()
        assert not figure.legends[0].get_visible()
        assert all({text.get_text() for text in ax.texts} == set(SHORT) for ax in axes)
        assert axes[0].bbox.height / figure.bbox.height > before + 0.03, "the legend's room"
    figure.draw_without_rendering()
    assert axes[0].bbox.height / figure.bbox.height == pytest.approx(before, abs=1e-3)


def test_a_grid_takes_no_room_from_names_and_stays() -> None:
    ax = curves(SHORT, "step", "loss")
    figure_of(ax).set_size_inches(4, 3)
    ax.set_xticks(np.linspace(0, 1, 30), [""] * 30)
    ax.set_yticks(np.linspace(1, 2, 30), [""] * 30)
    ax.grid(color=INK)
    with series_named(figure_of(ax)):
        assert len(ax.texts) == 2
        assert all(line.get_visible() for line in (*ax.get_xgridlines(), *ax.get_ygridlines()))


def test_of_equal_places_a_name_takes_the_one_on_the_right_and_a_formula_has_room() -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        ax.plot([0, 1], [0, 0], label="$x_i + y_i$")
        ax.plot([0, 1], [1, 1], label="words")
        ax.set(xlim=(0, 1), ylim=(-0.5, 1.5))
        ax.legend()
    with series_named(figure):
        formula, words = boxes(list(ax.texts))
        assert ax.bbox.x1 - 4 < words.x1 <= ax.bbox.x1 + 1
        assert ax.bbox.x1 - 12 < formula.x1 < ax.bbox.x1 - 0.08 * formula.width


def test_beside_a_band_a_name_is_still_nearest_to_the_curve_within_it() -> None:
    wide = [[(x, y) for x in range(5)] for y in (2.0, 8.0, 8.4)]  # its curve lies at its top
    near = [[(x, 0.8) for x in range(5)] for _ in range(3)]
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        start_curves({"of the band": wide, "near its foot": near}, "step", "loss", ax)
        ax.add_patch(Rectangle((-1, 8.8), 6, 3, color=INK))  # no room above
        ax.add_patch(Rectangle((-1, 3.2), 6, 4.2, color=INK))  # and none below the curve
        ax.set(xlim=(0, 4), ylim=(0, 10))
    with series_named(figure):
        named = boxes(list(ax.texts))
        lines = [dense(ax.transData.transform(line.get_xydata())) for line in ax.get_lines()]
        for k, box in enumerate(named):
            assert spread(box, lines[k]) < spread(box, lines[1 - k])


def test_bars_of_no_length_are_not_where_names_stand() -> None:
    ax = bars(["none", "some"], {"before": [0.0, 20.0], "after": [0.0, 30.0]}, "%")
    ax.set_xlim(0, 100)
    with series_named(figure_of(ax)):
        names = [text for text in ax.texts if text.get_text() in ("before", "after")]
        assert all(box.y0 < ax.transData.transform((0, 0.5))[1] for box in boxes(names))
    assert len(names) == 2


def test_upright_bars_are_named_where_no_bar_stands() -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        for k, name in enumerate(("first", "second")):
            ax.bar(np.arange(3) + 0.4 * k, [1 + k, 3, 2], 0.4, color=LINE_COLOURS[k], label=name)
        ax.set_ylim(0, 4)
        ax.legend()
    with series_named(figure):
        named = boxes(list(ax.texts))
        bodies = [bar.get_window_extent() for bar in ax.patches]
    assert len(named) == 2
    assert not any(name.overlaps(body) for name in named for body in bodies)


@pytest.mark.parametrize("seed", [2, 8, 16])
def test_the_name_with_the_fewest_places_is_set_first_so_that_all_have_one(seed: int) -> None:
    draw = np.random.default_rng(seed)
    series = {f"series {k}": list(enumerate(draw.uniform(0, 10, 4).tolist())) for k in range(4)}
    ax = curves(series, "step", "loss")
    figure_of(ax).set_size_inches(2.6, 2.0)
    with series_named(figure_of(ax)):
        assert len(ax.texts) == 4


def test_a_level_line_along_a_curve_that_comes_down_to_it_is_named_on_its_free_side() -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        ax.plot([0, 100], [1, 1], label="the lowest")
        ax.plot(np.arange(101), 1 + 0.3 * (np.arange(101) % 2), label="seen")
        ax.set_ylim(0, 3)
        ax.legend()
    with series_named(figure):
        lowest, seen = boxes(list(ax.texts))
        level = ax.transData.transform((0, 1))[1]
    assert level - 20 < lowest.y0 < lowest.y1 < level < seen.y0


def test_a_name_far_from_its_curve_is_still_nearer_to_it_than_to_others() -> None:
    with book_style():
        figure = plt.figure(figsize=(4, 3), dpi=72)
        ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 288), ylim=(0, 216))  # a unit is a point
        ax.axhspan(0, 110, color=INK)  # nothing else is free near the first curve
        ax.plot([0, 288], [100, 100], label="first")
        ax.plot([0, 288], [146, 146], label="second")
        ax.legend()
    with series_named(figure):
        assert not ax.get_legend().get_visible()
        first, second = boxes(list(ax.texts))
    assert first.y0 - 100 < 146 - first.y1
    assert 146 - second.y1 < second.y0 - 100


@pytest.mark.parametrize("kind", ["of cells", "of nothing", "without room"])
def test_a_legend_stays_where_names_cannot_stand(kind: str) -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 3.0)
        if kind == "of cells":
            ax.imshow(np.eye(4))
            ax.legend(handles=[Patch(color=LINE_COLOURS[0], label="a token")])
        elif kind == "of nothing":
            curves({"one": [(0, 1), (1, 2)], "nothing yet": []}, "step", "loss", ax)
        else:
            name = "a name that is longer than the axes are wide, in one line as well as in two"
            curves({name: [(0, 1), (1, 2)], "two": [(0, 1), (1, 3)]}, "step", "loss", ax)
    with series_named(figure):
        assert ax.get_legend().get_visible()
        assert not ax.texts


def test_lines_of_one_colour_are_told_apart_by_their_places() -> None:
    with book_style():
        figure, ((ax,),) = panels(1, 4.0)
        ax.plot([0, 1], [0, 0], color=INK, label="low")
        ax.plot([0, 1], [1, 1], "--", color=INK, label="high")
        ax.set_ylim(-0.3, 1.3)
        ax.legend()
    with series_named(figure):
        low, high = boxes(list(ax.texts))
    assert low.y1 < high.y0
