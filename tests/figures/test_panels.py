"""A figure of several columns: cut between them, with nothing lost, moved or shown twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from bs4 import BeautifulSoup
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mtcourse.figures import svg as of_figures
from mtcourse.figures.style import COLOUR_MAP, book_style
from mtcourse.figures.svg import SVG, figure_svg
from tests.course.test_book import load_extension

page_figures = load_extension("page_figures")
TITLES = ("first of all", "second", "third", "below the first", "below the second", "last")


@pytest.fixture(autouse=True)
def _headless() -> Iterator[None]:
    """Draws into memory and leaves no figure open."""
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def panels(rows: int = 1, columns: int = 3, width: float = 8.0, **shared: bool) -> Figure:
    """Panels with a title each, and with numbers at their axes."""
    with book_style():
        figure, axes = plt.subplots(
            rows,
            columns,
            figsize=(width, 3.0 * rows),
            layout="constrained",
            squeeze=False,
            **shared,
        )
        for number, ax in enumerate(axes.flat):
            ax.plot([0, 1], [number, 2 * number + 1], label="rises")
            ax.fill_between([0, 1], 0, number + 1, hatch="//", alpha=0.5)
            ax.set(title=TITLES[number], xlabel="step", ylabel="loss")
    return figure


def parts(written: str) -> list[ElementTree.Element]:
    return [child for child in ElementTree.fromstring(written) if child.tag == f"{{{SVG}}}svg"]


def words(root: ElementTree.Element) -> list[str]:
    return sorted("".join(text.itertext()) for text in root.iter(f"{{{SVG}}}text"))


def places(root: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """Where each title stands, from the figure's corner."""
    found = {}
    for part in [one for one in root if one.tag == f"{{{SVG}}}svg"] or [root]:
        left, top = float(part.get("x", 0)), float(part.get("y", 0))
        for text in part.iter(f"{{{SVG}}}text"):
            moved = re.findall(r"-?[\d.]+", text.get("transform") or "") or [
                text.get("x", "0"), text.get("y", "0"),
            ]  # fmt: skip
            found["".join(text.itertext())] = (left + float(moved[0]), top + float(moved[1]))
    return {title: found[title] for title in TITLES if title in found}


@pytest.mark.parametrize(("rows", "columns"), [(1, 2), (1, 3), (2, 3)])
def test_each_column_is_a_part_and_every_word_is_there_once(
    rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = panels(rows, columns, width=4.0 * columns)
    cut = figure_svg(figure) or ""
    monkeypatch.setattr(of_figures, "PHONE", 10_000)
    whole = ElementTree.fromstring(figure_svg(figure) or "")
    assert len(parts(cut)) == columns
    for number, part in enumerate(parts(cut)):
        own = {title for title in TITLES if title in words(part)}
        assert own == set(TITLES[: rows * columns][number::columns])
    root = ElementTree.fromstring(cut)
    assert words(root) == words(whole)
    assert not [child for child in whole if child.tag == f"{{{SVG}}}svg"]
    there, here = places(whole), places(root)
    assert len(here) == rows * columns
    for title, (x, y) in here.items():
        assert (x, y) == pytest.approx(there[title], abs=3.0), title
    ids = re.findall(r'\sid="([^"]+)"', cut)
    assert len(ids) == len(set(ids)) > columns
    assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', cut)) == set(ids)


def test_parts_have_one_scale_and_their_text_can_be_read_on_a_phone() -> None:
    drawn = parts(figure_svg(panels(1, 3)) or "")
    heights = {part.get("height") for part in drawn}
    assert len(heights) == 1, "axes stand at one height"
    scales = set()
    for part in drawn:
        found = re.fullmatch(
            r"flex:(\d+) 0 (\d+)px;--most:(\d+)px;--pair:max\(([\d.]+)%,(\d+)px\)",
            part.get("style") or "",
        )
        assert found is not None
        share, narrowest, widest, percent, least = map(float, found.groups())
        width = float(part.get("width", 0))
        assert share == pytest.approx(width, abs=0.5)
        assert widest == pytest.approx(1.5 * width, abs=1)
        sizes = [float(text.get("font-size") or 10) for text in part.iter(f"{{{SVG}}}text")]
        assert min(sizes) * narrowest / width >= 8.9
        assert 45 < percent < 50
        assert least == pytest.approx(0.95 * narrowest, abs=1)
        scales.add(round(narrowest / width, 2))
    assert len(scales) == 1


def test_two_wide_panels_stand_below_each_other_on_a_phone() -> None:
    drawn = parts(figure_svg(panels(1, 2)) or "")
    assert len(drawn) == 2
    for part in drawn:
        assert "--pair" not in (part.get("style") or "")


def test_a_legend_of_the_whole_figure_is_a_part_above_the_others() -> None:
    figure = panels(1, 3)
    with book_style():
        figure.legend(handles=[Patch(label="a key")], loc="outside upper center")
        figure.supxlabel("of the whole figure")
    first, *middle, last = parts(figure_svg(figure) or "")
    assert words(first) == ["a key"]
    assert words(last) == ["of the whole figure"]
    assert [len(set(words(part)) & set(TITLES)) for part in middle] == [1, 1, 1]
    assert float(first.get("y", 1)) == 0.0
    soup = BeautifulSoup(page_figures.inline(figure_svg(figure) or "", "", "f0"), "html.parser")
    above, row, below = soup.select_one(".figure-parts").find_all(recursive=False)
    assert (above.name, row["class"], below.name) == ("svg", ["figure-panels"], "svg")
    assert len(row.find_all("svg")) == 3


def an_image(ax: Axes) -> ScalarMappable:
    return ax.imshow([[0.0, 1.0], [0.5, 0.2]], cmap=COLOUR_MAP)


def coloured_points(ax: Axes) -> ScalarMappable:
    return ax.scatter([0.0, 1.0, 2.0], [1.0, 0.0, 1.0], c=[0.0, 0.5, 1.0], cmap=COLOUR_MAP)


@pytest.mark.parametrize("draw", [an_image, coloured_points])
@pytest.mark.parametrize("side", ["bottom", "right"])
def test_a_bar_of_colours_stays_with_its_panel(side: str, draw) -> None:
    with book_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.0, 4.0), layout="constrained")
        for ax, title in zip(axes, TITLES, strict=False):
            drawn = draw(ax)
            ax.set_title(title)
            figure.colorbar(drawn, ax=ax, location=side, label=f"of {title}")
    drawn_parts = parts(figure_svg(figure) or "")
    assert len(drawn_parts) == 2
    for part, title in zip(drawn_parts, TITLES, strict=False):
        assert {title, f"of {title}"} <= set(words(part))


@pytest.mark.parametrize("side", ["bottom", "right"])
def test_a_bar_for_all_panels_keeps_them_together(side: str) -> None:
    with book_style():
        figure, axes = plt.subplots(1, 2, figsize=(8.0, 4.0), layout="constrained")
        for ax in axes:
            drawn = ax.imshow([[0.0, 1.0], [0.5, 0.2]], cmap=COLOUR_MAP)
        figure.colorbar(drawn, ax=axes, location=side)
    assert parts(figure_svg(figure) or "") == []


def a_line_across(figure: Figure) -> None:
    figure.add_artist(Line2D([0, 1], [0.5, 0.5]))


def over_two_columns(figure: Figure) -> None:
    figure.add_axes((0.3, 0.4, 0.25, 0.1))


def into_the_next(figure: Figure) -> None:
    figure.axes[0].annotate("across", (1.6, 0.5), xycoords="axes fraction", in_layout=True)
    figure.set_layout_engine("none")


@pytest.mark.parametrize("change", [a_line_across, over_two_columns, into_the_next])
def test_a_figure_stays_whole_if_anything_joins_its_columns(change) -> None:
    figure = panels(1, 3)
    assert parts(figure_svg(figure) or "")
    with book_style():
        change(figure)
    written = figure_svg(figure) or ""
    assert written.startswith("<svg ")
    assert not parts(written)


@pytest.mark.parametrize(
    "figure",
    [
        lambda: panels(1, 3, sharey=True),
        lambda: panels(2, 1, width=8),
        lambda: panels(1, 2, width=4.0),
    ],
    ids=["numbers beside one panel only", "one column", "it fits"],
)
def test_other_figures_stay_whole(figure) -> None:
    assert not parts(figure_svg(figure()) or "")


def test_the_figure_itself_stays_as_it_was() -> None:
    figure = panels(2, 2)
    before = figure.get_layout_engine(), figure.dpi, figure.get_size_inches().tolist()
    first = figure_svg(figure)
    assert (figure.get_layout_engine(), figure.dpi, figure.get_size_inches().tolist()) == before
    assert all(ax.get_visible() for ax in figure.axes)
    assert figure_svg(figure) == first


def test_on_a_page_the_parts_are_pictures_with_one_name() -> None:
    page = page_figures.inline(figure_svg(panels(1, 3)) or "", 'three "panels"', "f3")
    soup = BeautifulSoup(page, "html.parser")
    (named,) = soup.select('[role="img"]')
    assert named["aria-label"] == 'three "panels"'
    drawn = soup.select(".figure-box > .figure-parts > .figure-panels > svg.mtcourse-figure")
    assert len(drawn) == 3 == len(soup.select("svg"))
    assert not soup.select("svg svg")
    for part in drawn:
        assert part["viewbox"] if part.has_attr("viewbox") else part["viewBox"]
        ids = {one["id"] for one in part.select("[id]")}
        assert ids
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', str(part))) == ids
        assert all(name.startswith("f3-") for name in ids)
