"""Figures as SVG: what they show, how small they are, and the colours that pages give them."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from matplotlib import pyplot as plt
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from PIL import Image

from mtcourse.figures.attention_map import attention_map
from mtcourse.figures.curves import curves
from mtcourse.figures.diagrams import arrow, box
from mtcourse.figures.line_names import lines_named
from mtcourse.figures.style import COLOURS, GROUND, INK, LINE_COLOURS, book_style
from mtcourse.figures.svg import SVG, XLINK, _as_wide_as_seen, figure_svg, with_own_ids
from tests.figures.test_figures import contrast

ROOT = Path(__file__).resolve().parents[2]
STYLE_SHEET = (ROOT / "book" / "_static" / "figures.css").read_text("utf-8")
HAT = "\N{COMBINING CIRCUMFLEX ACCENT}"
NAMES = dict(zip(COLOURS, ("line", "blue", "orange", "green", "violet", "ground"), strict=True))


@pytest.fixture(autouse=True)
def _headless() -> Iterator[None]:
    """Draws into memory and leaves no figure open."""
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


def new_figure(width: float = 4.0, height: float = 3.0) -> tuple[Figure, plt.Axes]:
    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return figure, ax


def svg_of(figure: Figure) -> ElementTree.Element:
    written = figure_svg(figure)
    assert written is not None
    return ElementTree.fromstring(written)


def texts(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    return {"".join(text.itertext()): text for text in root.iter(f"{{{SVG}}}text")}


# --- what it shows ------------------------------------------------------------------------------


def test_text_stays_text_and_is_centred_in_any_type() -> None:
    with book_style():
        figure, ax = new_figure()
        box(ax, 0.0, 0.0, 2.0, 1.0, "two lines\nof text")
        ax.set(xlim=(0, 2), ylim=(0, 1))
        ax.axis("off")
    found = texts(svg_of(figure))
    assert list(found) == ["two lines", "of text"]
    assert {text.get("text-anchor") for text in found.values()} == {"middle"}
    places = [re.findall(r"[\d.]+", text.get("transform", "")) for text in found.values()]
    assert places[0][0] == places[1][0], "both lines are centred at one place"
    assert not any(text.get("font-family") for text in found.values())


@pytest.mark.parametrize(
    ("formula", "spelled"),
    [
        ("$d_k$", [("d", None), ("k", "down")]),
        (r"$K^\top$", [("K", None), ("⊤", "up")]),
        (
            r"a row $\hat h_n$",
            [("a row ", None), ("h\N{COMBINING CIRCUMFLEX ACCENT}", None), ("n", "down")],
        ),
        (r"$W_Q^C$", [("W", None), ("Q", "down"), ("C", "up")]),
        (r"$k = \sqrt{d}$", [("k", None), (" = √", None), ("d", "roof")]),
        (
            r"$\sqrt{d_k}$",
            [("√", None), ("d", "roof"), ("k", "down"), (3 * "\N{NO-BREAK SPACE}", "roof")],
        ),
        (r"$\mathcal{L}$", [("ℒ", None)]),
    ],
)
def test_a_formula_is_a_line_of_text_with_indices(formula: str, spelled: list) -> None:
    with book_style():
        figure, ax = new_figure()
        ax.text(0, 0, formula)
        ax.axis("off")
    (text,) = svg_of(figure).iter(f"{{{SVG}}}text")
    level, seen = 0.0, []
    for span in text:
        level += float(span.get("dy", 0))
        place = "roof" if span.get("text-decoration") else None
        assert not place or abs(level) < 0.01, "the bar is at one height"
        place = place or ("down" if level > 0.5 else "up" if level < -0.5 else None)
        seen.append(((span.text or "").replace("\N{THIN SPACE}", " "), place))
        assert not span.get("x"), "the page's type decides where letters stand"
        assert (span.get("font-size") is not None) == (place in ("down", "up"))
    assert seen == spelled


@pytest.mark.parametrize(
    ("formula", "levels"), [("$W_O$", [0.23]), ("$W_{Q_1}$", [0.23, 0.33]), ("$W_Q^C$", [0.33])]
)
def test_an_index_stands_so_low_that_it_is_told_from_a_letter_of_its_size(
    formula: str, levels: list[float]
) -> None:
    """On a phone it is about as large as the letters before it; a deeper one stands deeper."""
    with book_style():
        figure, ax = new_figure()
        ax.text(0, 0, formula, fontsize=10)
        ax.axis("off")
    (text,) = svg_of(figure).iter(f"{{{SVG}}}text")
    reached = np.cumsum([float(span.get("dy", 0)) for span in text]) / 10
    assert [level for level in reached if level > 0] == pytest.approx(levels, abs=0.03)


def test_words_stand_apart_from_the_symbols_before_them() -> None:
    """A symbol leans into the space behind it, and a browser may round a space to nothing."""
    with book_style():
        figure, ax = new_figure()
        ax.text(0, 0, "$n$ tokens of $z_m$ and $k_m = z$", fontsize=10)
        ax.axis("off")
    root = svg_of(figure)
    assert root.get("text-rendering") == "geometricPrecision"
    (text,) = root.iter(f"{{{SVG}}}text")
    spaced = {span.text: (span.get("dx"), span.get("font-size")) for span in text}
    assert spaced[" tokens of "] == spaced[" and "] == ("1.2", None)
    assert spaced["\N{THIN SPACE}="] == ("1.2", None), "in the size of the line, not of the index"
    assert {name: spaced[name][0] for name in ("n", "z", "m")} == dict.fromkeys("nzm")


@pytest.mark.parametrize("loc", ["best", "center right"])
def test_no_line_of_a_grid_crosses_a_legend(loc: str) -> None:
    with book_style():
        figure, ax = new_figure()
        ax.plot([0, 1], [0, 1], "o")
        ax.grid()
        ax.legend(handles=[Patch(label="marks")], loc=loc)  # of none in the axes: it stays
    root = svg_of(figure)
    (cut,) = (clip[0] for clip in root.iter(f"{{{SVG}}}clipPath") if clip[0].get("d"))
    axes, hole = (
        np.array(re.findall(r"-?[\d.]+", part), dtype=float).reshape(-1, 2)
        for part in cut.get("d", "").split("M")[1:]
    )
    words = texts(root)["marks"]
    place = [float(n) for n in re.findall(r"[\d.]+", words.get("transform", ""))]
    place = place or [float(words.get(name, "nan")) for name in "xy"]
    assert (hole.min(0) < place).all()
    assert (place < hole.max(0)).all()
    assert np.ptp(hole, axis=0).prod() < 0.3 * np.ptp(axes, axis=0).prod()

    def turns(corners: np.ndarray) -> float:
        x, y = corners.T
        return float(np.sign(x @ np.roll(y, -1) - y @ np.roll(x, -1)))

    assert turns(axes) == -turns(hole), "so what is within it is outside"
    lines = ax.get_xgridlines() + ax.get_ygridlines()
    assert {line.get_clip_path() for line in lines} == {None}, "the figure is as it was"
    legend = ax.get_legend()
    now, _ = legend.get_window_extent(), legend.set_loc(loc)
    assert legend.get_window_extent().bounds == pytest.approx(now.bounds)


@pytest.mark.parametrize("side", ["left", "center", "right"])
def test_a_hole_of_a_grid_is_as_wide_as_words_in_the_type_of_pages(side: str) -> None:
    with book_style():
        figure, ax = new_figure()
        ax.grid()
        text = ax.text(0.5, 0.5, "some words", ha=side)
    svg_of(figure)
    figure.dpi = 72
    pen = RendererSVG(*figure.bbox.size, io.StringIO())
    wide, seen = text.get_window_extent(pen), _as_wide_as_seen(text, pen)
    assert seen.width == pytest.approx(0.9 * wide.width, rel=0.02)
    at = {"left": "x0", "right": "x1"}.get(side)
    if at:
        assert getattr(seen, at) == pytest.approx(getattr(wide, at), abs=1)
    else:
        assert seen.x0 + seen.x1 == pytest.approx(wide.x0 + wide.x1, abs=2)


@pytest.mark.parametrize(("x", "holes"), [(0.5, 1), (1.5, 0)])
def test_no_line_of_a_grid_crosses_words(x: float, holes: int) -> None:
    with book_style():
        figure, ax = new_figure()
        ax.annotate("words", (x, 0.5), xycoords="axes fraction", ha="center", va="center")
        ax.grid()
    root = svg_of(figure)
    cut = [clip[0].get("d", "") for clip in root.iter(f"{{{SVG}}}clipPath") if clip[0].get("d")]
    assert [path.count("M") - 1 for path in cut] == [1] * holes
    for path in cut:
        corners = np.array(re.findall(r"-?[\d.]+", path.split("M")[2]), dtype=float).reshape(-1, 2)
        middle = [
            float(n) for n in re.findall(r"[\d.]+", texts(root)["words"].get("transform", ""))
        ]
        middle = middle or [float(texts(root)["words"].get(name, "nan")) for name in "xy"]
        assert (corners.min(0) < middle).all()
        assert (middle < corners.max(0)).all()
    assert {line.get_clip_path() for line in ax.get_xgridlines()} == {None}


def test_a_picture_of_numbers_is_a_mask_of_one_colour() -> None:
    weights = torch.tensor([[0.0, 0.25, 0.75], [1.0, 0.0, 0.0]])
    root = svg_of(attention_map(["a", "b", "c"], ["d", "e"], weights).get_figure())
    masks = list(root.iter(f"{{{SVG}}}mask"))
    painted = [group for group in root.iter(f"{{{SVG}}}g") if group.get("mask")]
    assert [group.get("mask") for group in painted] == [f"url(#{m.get('id')})" for m in masks]
    assert {group[0].get("fill") for group in painted} == {LINE_COLOURS[0]}
    (image,) = masks[0]
    data = (image.get(f"{{{XLINK}}}href") or "").partition(",")[2]
    opacity = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))[..., 3]
    assert opacity.shape == (2, 3)
    assert opacity / 255 == pytest.approx(0.05 + 0.95 * weights.numpy(), abs=0.01)
    assert image.get("image-rendering") == "pixelated"


def test_a_picture_in_other_colours_stays_as_it_is() -> None:
    with book_style():
        figure, ax = new_figure()
        ax.imshow([[0, 1]], cmap="viridis")
    root = svg_of(figure)
    assert len(list(root.iter(f"{{{SVG}}}image"))) == 1
    assert not list(root.iter(f"{{{SVG}}}mask"))


@pytest.mark.parametrize("mark", ["o", "s", "^", "D"])
def test_thousands_of_marks_are_one_path_with_all_places(mark: str) -> None:
    points = np.random.default_rng(1).random((3000, 2))
    with book_style():
        figure, ax = new_figure()
        ax.plot(*points.T, mark, color=LINE_COLOURS[2], markersize=3)
    written = figure_svg(figure) or ""
    assert len(written) < 150_000
    (path,) = re.findall(r'<path[^>]*d="((?:M[^"M]+){1000,})"', written)
    starts = {tuple(round(float(n)) for n in re.findall(r"-?[\d.]+", one)[:2]) for one in
              path.split("M")[1:]}  # fmt: skip
    figure.draw_without_rendering()
    assert len(starts) > 1500
    assert written.count("<use") < 30


def test_a_hatch_shows_on_its_own_colour() -> None:
    blue = LINE_COLOURS[0]
    with book_style():
        figure, ax = new_figure()
        ax.barh([0], [1], color=(blue, 0.4), edgecolor=blue, hatch="...")
    root = svg_of(figure)
    (pattern,) = root.iter(f"{{{SVG}}}pattern")
    ground, dots = pattern
    assert (ground.get("fill"), ground.get("fill-opacity")) == (blue, "0.4")
    assert (dots.get("stroke"), dots.get("fill-opacity")) == (blue, None)
    assert len(dots.get("d", "")) < 20_000
    (bar,) = (path for path in root.iter() if path.get("fill", "").startswith("url("))
    assert bar.get("fill-opacity") is None


def test_labels_that_would_run_into_each_other_keep_a_plot_wide() -> None:
    widths = []
    for label in ("a", "a long name"):
        with book_style():
            figure, ax = new_figure(6.4)
            ax.set_xticks(range(7), [label] * 7)
        widths.append(float(svg_of(figure).get("viewBox", "").split()[2]))
    assert widths[1] > 1.1 * widths[0]


def test_a_word_begins_with_a_quiet_sign() -> None:
    with book_style():
        figure, ax = new_figure()
        ax.set_xticks([0], ["▁the"])
    (text,) = (text for name, text in texts(svg_of(figure)).items() if "the" in name)
    assert "".join(text.itertext()) == "▁the"
    assert text[0].text == "▁"
    assert float(text[0].get("fill-opacity", 1)) < 1


# --- names of lines -----------------------------------------------------------------------------


SERIES = {"train": [(0, 2.0), (10, 1.0)], "validation": [(0, 2.5), (10, 1.02)]}


def test_lines_are_named_at_their_ends_in_their_colours() -> None:
    ax = curves(SERIES, "step", "loss")
    root = svg_of(ax.get_figure())
    found = {name: text.get("fill") for name, text in texts(root).items() if name in SERIES}
    assert found == dict(zip(SERIES, LINE_COLOURS, strict=False))
    heights = [float(texts(root)[name].get("y", 0)) for name in SERIES]
    assert heights[0] - heights[1] > 14, "names do not lie on each other, nor read as one"


def test_names_of_lines_stand_beside_the_axes_where_nothing_crosses_them() -> None:
    ax = curves(SERIES, "step", "loss")
    ax.axhline(1.0)
    with lines_named(ax.get_figure()):
        edges = [text.get_window_extent().x0 - ax.bbox.x1 for text in ax.texts]
    assert len(edges) == len(SERIES)
    assert min(edges) > 0


def test_lines_that_end_together_have_their_names_where_they_are_apart() -> None:
    far = {name: [(0, 40 * k), (5, 20 * k), (10, k)] for k, name in enumerate(("one", "two", "x"))}
    ax = curves(far, "step", "loss")
    figure_of_ax = ax.get_figure()
    with lines_named(figure_of_ax, pushed=11.0):
        assert ax.get_legend().get_visible(), "names would be pushed too far"
    with lines_named(figure_of_ax):
        assert not ax.get_legend().get_visible()
    root = svg_of(figure_of_ax)
    (axes, *_) = root.iterfind(f".//{{{SVG}}}clipPath/{{{SVG}}}rect")
    right = float(axes.get("x", "nan")) + float(axes.get("width", "nan"))
    assert all(float(texts(root)[name].get("x", "nan")) < right for name in far)


def test_lines_that_end_together_are_named_there_if_nothing_else_is_free() -> None:
    ax = curves({name: [(0, k), (10, 0)] for k, name in enumerate("abc")}, "step", "loss")
    ax.axhspan(-9, 9, color=LINE_COLOURS[3])
    ax.set_ylim(-1, 3)
    assert all(texts(svg_of(ax.get_figure()))[name].get("fill") != INK for name in "abc")


def test_a_name_breaks_after_its_comma() -> None:
    long = {"one thing, and more": [(0, 2.0), (10, 1.0)], "b": [(0, 1.0), (10, 3.0)]}
    assert {"one thing,", "and more"} <= set(texts(svg_of(curves(long, "", "").get_figure())))


def test_the_figure_keeps_its_legend() -> None:
    ax = curves(SERIES, "step", "loss")
    written = figure_svg(ax.get_figure())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(SERIES)
    assert not ax.texts
    assert written == figure_svg(ax.get_figure())


# --- how it is written --------------------------------------------------------------------------


def test_the_same_figure_is_written_alike_twice() -> None:
    first, second = (figure_svg(curves(SERIES, "step", "loss").get_figure()) for _ in range(2))
    assert first == second
    assert "Date" not in (first or "")
    assert "metadata" not in (first or "")


def test_what_is_referred_to_exists_and_two_figures_share_no_id() -> None:
    written = [
        figure_svg(curves(series, "step", "loss").get_figure()) or ""
        for series in (SERIES, {"one": SERIES["train"]})
    ]
    for svg in (*written, with_own_ids(written[0], "f7")):
        ids = re.findall(r'\sid="([^"]+)"', svg)
        assert len(ids) == len(set(ids)) > 0
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg)) == set(ids)
    first, second = (set(re.findall(r'\sid="([^"]+)"', svg)) for svg in written)
    assert not first & second
    assert all(name.startswith("f7-") for name in re.findall(r'\sid="([^"]+)"', svg))


def test_a_figure_with_a_ground_of_its_own_is_left_alone() -> None:
    figure, _ = new_figure()
    assert figure_svg(figure) is None


def test_text_is_readable_on_a_phone() -> None:
    root = svg_of(curves(SERIES, "step", "loss").get_figure())
    narrowest = float((root.get("style") or "").removeprefix("min-width:").removesuffix("px"))
    units = float((root.get("viewBox") or "").split()[2])
    sizes = [float(text.get("font-size", 10)) for text in root.iter(f"{{{SVG}}}text")]
    assert min(sizes) * narrowest / units >= 8.9
    assert float(root.get("width", 0)) >= narrowest


def two_panels(*titles: str) -> Figure:
    with book_style():
        figure, axes = plt.subplots(1, 2, figsize=(6.0, 3.0), layout="constrained")
        for ax, title in zip(axes, titles, strict=True):
            ax.plot([0, 1], [0, 1])
            ax.set_title(title, fontsize="small")
    return figure


@pytest.mark.parametrize(
    ("titles", "fits"),
    [
        (("left", "right"), True),
        (("a title that is as long as it can be", "and another one that is just as long"), False),
    ],
)
def test_a_plot_that_nearly_fits_a_phone_is_narrowed_unless_its_titles_touch(
    titles: tuple[str, str], fits: bool
) -> None:
    root = svg_of(figure := two_panels(*titles))
    narrowest = float((root.get("style") or "").removeprefix("min-width:").removesuffix("px"))
    assert (narrowest <= 358) == fits
    assert figure.get_size_inches() == pytest.approx((6.0, 3.0)), "the figure itself stays"


def diagram(words: str, draw=lambda ax: None, aspect: str = "auto") -> Figure:
    """Two boxes with words, on axes that are not drawn, and what else is drawn between them."""
    with book_style():
        figure, ax = new_figure(5.6, 2.0)
        for left in (0.0, 3.0):
            box(ax, left, 0.0, 2.0, 1.0, words)
        draw(ax)
        ax.set(xlim=(0, 5), ylim=(0, 1.2), aspect=aspect)
        ax.axis("off")
    return figure


def across_two(ax: plt.Axes) -> None:
    ax.text(2.5, 0.5, "between the two", ha="center", va="center", fontsize="small")


def with_an_arrow(ax: plt.Axes) -> None:
    ax.text(2.1, 0.5, "a longer name", va="center", fontsize="small")
    arrow(ax, (2.95, 0.0), (2.95, 1.0))


@pytest.mark.parametrize(
    ("figure", "fits"),
    [
        (lambda: diagram("words"), True),
        (lambda: diagram("almost as long as the box is wide"), False),
        (lambda: diagram("words", across_two), False),
        (lambda: diagram("words", with_an_arrow), False),
        (lambda: diagram("words", lambda ax: arrow(ax, (2.1, 0.5), (2.9, 0.5))), True),
    ],
    ids=["room", "a box too narrow", "into another word", "into an arrow", "an arrow with room"],
)
def test_a_diagram_is_as_narrow_as_a_phone_if_its_words_have_room(figure, fits: bool) -> None:
    drawn = figure()
    root = svg_of(drawn)
    narrowest = float((root.get("style") or "").removeprefix("min-width:").removesuffix("px"))
    assert (narrowest <= 350) == fits
    assert drawn.get_size_inches() == pytest.approx((5.6, 2.0)), "the figure itself stays"


def test_a_diagram_of_squares_stays_one_and_leaves_no_gap() -> None:
    with book_style():
        figure, axes = plt.subplots(2, 1, figsize=(5.6, 4.0), layout="constrained")
        for ax in axes:
            box(ax, 0.0, 0.0, 2.0, 1.0, "words")
            ax.set(xlim=(0, 5), ylim=(0, 1.8), aspect="equal")
            ax.axis("off")
    narrow = svg_of(figure)
    width, height = (float(part) for part in narrow.get("viewBox", "").split()[2:])
    assert width < 320
    assert height < 0.8 * width


def test_what_scrolls_on_a_phone_anyway_has_text_that_is_easy_to_read() -> None:
    with book_style():
        figure, ax = new_figure(6.6)
        box(ax, 0.0, 0.0, 2.0, 1.0, "a box full of words")
        ax.set(xlim=(0, 9), ylim=(0, 1))
        ax.axis("off")
    root = svg_of(figure)
    narrowest = float((root.get("style") or "").removeprefix("min-width:").removesuffix("px"))
    units = float((root.get("viewBox") or "").split()[2])
    (words,) = root.iter(f"{{{SVG}}}text")
    assert float(words.get("font-size", 10)) * narrowest / units >= 10.9
    assert narrowest <= min(640, float(root.get("width", 0))), "on a desktop it fits"


def test_a_notebook_shows_figures_as_svg_once_the_style_was_used() -> None:
    shell = InteractiveShell.instance()
    try:
        with book_style():
            figure, _ = new_figure()
        formatted, _ = shell.display_formatter.format(figure)
        assert formatted["image/svg+xml"].startswith("<svg ")
    finally:
        InteractiveShell.clear_instance()


def test_a_figure_is_svg_whatever_else_this_process_has_written() -> None:
    """Namespaces are registered for a whole process, where an ePub, for one, needs others."""
    ElementTree.register_namespace("", "http://www.w3.org/1999/xhtml")
    ElementTree.register_namespace("svg", SVG)
    with book_style():
        figure, _ = new_figure()
    assert (figure_svg(figure) or "").startswith("<svg ")


# --- colours of the page ------------------------------------------------------------------------


def colours_of(block: str) -> dict[str, str]:
    return dict(re.findall(r"--figure-([\w-]+): (#\w{6})", block))


def blocks() -> dict[str, tuple[str, dict[str, str]]]:
    """For each appearance of the page, its ground and its colours."""
    screen, paper = STYLE_SHEET.split("@media print", 1)
    light, dark = screen.split('html[data-theme="dark"] {', 1)
    paper = paper.split("@media", 1)[0]
    return {
        "light": ("#ffffff", colours_of(light)),
        "dark": ("#121212", colours_of(dark)),
        "paper": ("#ffffff", colours_of(paper)),
    }


@pytest.mark.parametrize("appearance", blocks())
def test_every_colour_has_its_contrast(appearance: str) -> None:
    ground, colours = blocks()[appearance]
    assert colours["ground"] == ground
    for name in ("blue", "orange", "green", "violet"):
        assert contrast(colours[f"{name}-text"], ground) >= 7
        assert contrast(colours[name], ground) >= 4.5
    assert contrast(colours["text"], ground) >= 7
    assert contrast(colours["line"], ground) >= 4.5
    assert contrast(colours["blue"], colours["ground"]) >= 7, "text stands on full cells"


def test_the_page_replaces_every_colour_and_has_a_text_variant_where_text_has_the_colour() -> None:
    for colour, name in NAMES.items():
        assert f'[stroke="{colour}"] {{ stroke: var(--figure-{name}); }}' in STYLE_SHEET
        assert f'[fill="{colour}"] {{ fill: var(--figure-{name}); }}' in STYLE_SHEET
        if colour not in (INK, GROUND):
            rule = f'text, tspan)[fill="{colour}"] {{ fill: var(--figure-{name}-text); }}'
            assert rule in STYLE_SHEET


def test_explorers_have_the_figures_blue_and_orange() -> None:
    explorers = ROOT / "mtcourse" / "figures" / "javascript" / "explorers.css"
    found = re.findall(r"--(?:accent|warning): (#\w{6});", explorers.read_text("utf-8"))
    assert found == [*LINE_COLOURS[:2]]
