"""A figure as SVG that takes its colours and its type from the page in which it stands.

The drawing is matplotlib's. What it writes into the file is made small and plain: colours become
presentation attributes, which stand for themselves where the file is shown alone, and which the
page's ``figures.css`` replaces with a light or a dark colour of its own. Text stays text, in
the page's type. A picture of numbers (``imshow``) in one of ``style``'s colours becomes a mask of
that colour, so that it follows the page as well.
"""

from __future__ import annotations

import base64
import hashlib
import io
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase, BboxTransformTo

from mtcourse.figures.line_names import lines_named
from mtcourse.figures.names_within import series_named
from mtcourse.figures.panels import Part, only, parts_of
from mtcourse.figures.style import COLOURS, GROUND
from mtcourse.figures.widths import PHONE, READABLE, SCROLLS, is_seen, narrowed

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
PIXELS_PER_POINT = 1.5  # a line of text is 15 pixels high, a little less than the page's
_WIDEST = 640  # pixels: what fits on a desktop
_EASY = 11.0  # pixels; the text of what scrolls anyway

_SETTINGS: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "mtcourse"}
_PLAIN = {"Date": None, "Creator": None, "Format": None, "Type": None}
_ON_COLOUR = {"#ffffff": GROUND, "#000000": GROUND}  # white text, and the lines of hatches
_SPACES = " " + (_THIN := "\N{THIN SPACE}")
_LETTERS = {"\ue238": "ℒ", "\N{NO-BREAK SPACE}": " "}  # STIX has its script letters elsewhere
_INDEX = 0.76  # the size of an index, whatever its depth; figures.css enlarges it on a phone
_LOW, _LOWER = 0.3, 0.08  # of a letter's size: how low a lone index stands, and how much lower here
_BLANK = 0.27  # of a letter's size: how wide a blank is in the pages' type
_LEAN = 0.12  # of a letter's size: so far a symbol leans into the space behind it
_PUSHED = 11.0  # points between a line's end and its name, where names crowd each other
_NARROWER = 0.9  # how wide words are in the pages' type, compared with matplotlib's
_MANY = 100  # marks that become one path
_DEFAULTS = {
    "stroke-linejoin": "round", "fill-opacity": "1", "opacity": "1", "stroke-width": "1",
}  # fmt: skip


@dataclass
class _Texts:
    """How each text of a figure is aligned, and how wide it is, by the id of its group."""

    align: dict[str, str] = field(default_factory=dict)
    width: dict[str, float] = field(default_factory=dict)


def figure_svg(figure: Figure) -> str | None:
    """A figure in the book's style as SVG; None for a figure with a ground of its own.

    Args:
        figure: drawn within ``book_style()``, whose ground is transparent.
    """
    if to_rgba(figure.get_facecolor())[3] > 0:
        return None
    with (
        mpl.rc_context(_SETTINGS), narrowed(figure), lines_named(figure, _PUSHED),
        series_named(figure), lines_named(figure), _grids_cut_out(figure),
    ):  # fmt: skip
        whole = _drawn(figure)
        if _narrowest(whole) > PHONE:
            with parts_of(figure) as parts:
                whole = _side_by_side([_drawn_part(figure, part) for part in parts]) or whole
    return with_own_ids(_as_text(whole))


def _drawn(figure: Figure, box: Bbox | str = "tight") -> ElementTree.Element:
    """What stands in a box of the figure, as a picture that takes its look from the page.

    Args:
        figure: drawn with its final layout.
        box: in inches; by default as large as the figure needs.
    """
    written = io.StringIO()
    with _named_texts(figure) as texts:
        figure.savefig(written, format="svg", metadata=_PLAIN, bbox_inches=box, pad_inches=0.03)
    root = ElementTree.fromstring(written.getvalue())
    _attributes_of_styles(root)
    _merge_marks(root)
    _dot_hatches(root)
    _show_hatches(root)
    _retype(root, texts)
    _mask_pictures(root)
    _compact(root)
    width, height = (float(part) for part in root.get("viewBox", "").split()[2:])
    root.attrib = _look(width, height)
    root.set("style", f"min-width:{_narrowest(root)}px")
    return root


def _look(width: float, height: float) -> dict[str, str]:
    """The attributes of a picture of so many points."""
    return {
        "viewBox": f"0 0 {width:.1f} {height:.1f}",
        "width": f"{width * PIXELS_PER_POINT:.0f}",
        "height": f"{height * PIXELS_PER_POINT:.0f}",
        "class": "mtcourse-figure",
        "font-family": "system-ui, 'DejaVu Sans', sans-serif",
        # Otherwise browsers round the widths of letters to pixels, and of spaces nothing is left.
        "text-rendering": "geometricPrecision",
        "stroke-linejoin": "round",
    }


def _drawn_part(figure: Figure, part: Part) -> tuple[Part, ElementTree.Element]:
    with only(part, figure):
        return part, _drawn(figure, part.box)


def _side_by_side(
    drawn: list[tuple[Part, ElementTree.Element]],
) -> ElementTree.Element | None:
    """One picture that holds those of the parts, each where it stands in the figure."""
    if not drawn:
        return None
    around = Bbox.union([part.box for part, _ in drawn])
    whole = ElementTree.Element(f"{{{SVG}}}svg", _look(72 * around.width, 72 * around.height))
    panels = {}
    for number, (part, root) in enumerate(drawn):
        _begin_ids(root, f"p{number}-")
        width, height = 72 * part.box.width, 72 * part.box.height
        corner = 72 * (part.box.x0 - around.x0), 72 * (around.y1 - part.box.y1)
        named = zip(("x", "y", "width", "height"), (*corner, width, height), strict=True)
        root.attrib |= {name: f"{value:.1f}" for name, value in named}
        is_panel = isinstance(part.artists[0], Axes)
        root.set("class", f"mtcourse-figure {'panel' if is_panel else 'across'}")
        if is_panel:
            panels[width, number] = root
        else:
            root.set("style", f"--most:{width * PIXELS_PER_POINT:.0f}px")
        whole.append(root)
    scale = max(_narrowest(root) / width for (width, _), root in panels.items())
    two = sum(sorted(scale * width for width, _ in panels)[-2:])  # the widest ones
    for (width, _), root in panels.items():
        root.set("style", _flexible(width, scale * width, two))
    whole.set("style", f"min-width:{_narrowest(whole)}px")
    return whole


def _flexible(width: float, narrowest: float, two: float) -> str:
    """How a page sets a panel: beside others as long as its text can be read.

    Where two fit on a phone, a third one below them is as large as they are.

    Args:
        width: of the panel, in points.
        narrowest: how many pixels it needs.
        two: how many pixels the widest two need together.
    """
    style = f"flex:{width:.0f} 0 {narrowest:.0f}px;--most:{width * PIXELS_PER_POINT:.0f}px"
    if two > PHONE:
        return style
    return f"{style};--pair:max({99.8 * narrowest / two:.1f}%,{0.95 * narrowest:.0f}px)"


def _begin_ids(root: ElementTree.Element, prefix: str) -> None:
    """Gives each id of a picture the same beginning, wherever it is named."""
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, prefix + value)
            elif name == f"{{{XLINK}}}href" and value.startswith("#"):
                element.set(name, f"#{prefix}{value[1:]}")
            elif value.startswith("url(#"):
                element.set(name, f"url(#{prefix}{value[5:]}")


def _as_text(root: ElementTree.Element) -> str:
    """What a page holds: names of SVG stand alone, whatever others in this process write."""
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def with_own_ids(svg: str, prefix: str = "") -> str:
    """The same SVG with ids that no other figure on the page has.

    Args:
        svg: as ``figure_svg`` makes it.
        prefix: what ids begin with; by default it is made of the picture itself.
    """
    prefix = prefix or "f" + hashlib.sha256(svg.encode()).hexdigest()[:8]
    return re.sub(r'(\sid="|href="#|url\(#)(?:f[0-9a-f]{8}-)?', rf"\g<1>{prefix}-", svg)


def _stands_in(text: Text, ax: Axes, pen: RendererSVG) -> bool:
    """Whether the words of a text stand within the axes, and are seen."""
    return bool(is_seen(text) and text.get_window_extent(pen).overlaps(ax.get_window_extent(pen)))


def _as_wide_as_seen(text: Text, pen: RendererSVG) -> Bbox:
    """The room of words in the pages' type, which is narrower than that with which they are set."""
    box = text.get_window_extent(pen)
    share = {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_horizontalalignment()]
    spare = (1 - _NARROWER) * box.width
    return Bbox.from_extents(box.x0 + share * spare, box.y0, box.x1 - (1 - share) * spare, box.y1)


def _hole(ax: Axes, box: BboxBase) -> Path:
    """A box as a part of the axes that runs the other way round, and so is left out of a shape."""
    corners = np.asarray(Path.unit_rectangle().vertices)[::-1]
    around = box.transformed(ax.transAxes.inverted())
    return Path(BboxTransformTo(around).transform(corners), closed=True)


@contextmanager
def _grids_cut_out(figure: Figure) -> Iterator[None]:
    """Lets the lines of a grid end where a legend begins or words stand, which they would cross.

    Args:
        figure: drawn with its final layout.
    """
    cut, held = [], []
    dpi = figure.dpi
    figure.dpi = 72  # as in the file: elsewhere letters are a little wider
    pen = RendererSVG(*figure.bbox.size, io.StringIO())
    for ax in figure.axes:
        legend = ax.get_legend()
        boxes = [_as_wide_as_seen(text, pen) for text in ax.texts if _stands_in(text, ax, pen)]
        if legend is not None and legend.get_visible():
            boxes.append(around := legend.get_window_extent(pen))
            if legend._loc == 0:  # type: ignore[attr-defined]  # the best place stays the one found here
                corner = around.transformed(ax.transAxes.inverted())
                legend.set_loc((corner.x0, corner.y0))
                held.append(legend)
        lines = [line for axis in (ax.xaxis, ax.yaxis) for line in axis.get_gridlines()]
        if boxes and any(line.get_visible() for line in lines):
            holes = [_hole(ax, box) for box in boxes]
            outside = Path.make_compound_path(Path.unit_rectangle(), *holes)
            for line in lines:
                line.set_clip_path(outside, ax.transAxes)
            cut += lines
    figure.dpi = dpi
    try:
        yield
    finally:
        for line in cut:
            line.set_clip_path(None)
        for legend in held:
            legend.set_loc("best")


class _named_texts:
    """While it is entered, each text of a figure has an id."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._before: list[tuple[Text, Any]] = []

    def __enter__(self) -> _Texts:
        self._figure.draw_without_rendering()
        known, scale = _Texts(), 72 / self._figure.dpi
        for number, text in enumerate(self._figure.findobj(Text)):
            assert isinstance(text, Text)
            if not text.get_text() or not text.get_visible():
                continue
            name = f"t{number}"
            self._before.append((text, text.get_gid()))
            text.set_gid(name)
            lines = text.get_text().count("\n") + 1
            own = text._multialignment if lines > 1 else None  # type: ignore[attr-defined]
            known.align[name] = own or text.get_horizontalalignment()
            patch, text._bbox_patch = text.get_bbox_patch(), None  # type: ignore[attr-defined]
            known.width[name] = text.get_window_extent().width * scale
            text._bbox_patch = patch  # type: ignore[attr-defined]
            if text.get_rotation() % 360:
                known.align[name] = "as it is"
        return known

    def __exit__(self, *error: object) -> None:
        for text, name in self._before:
            text.set_gid(name)


def _attributes_of_styles(root: ElementTree.Element) -> None:
    """Writes each style as attributes, of which a page's style sheet can replace any."""
    for element in root.iter():
        style = element.attrib.pop("style", "")
        for part in style.split(";"):
            name, _, value = (word.strip() for word in part.partition(":"))
            if name == "image-rendering":
                value = "pixelated"
            if name in ("fill", "stroke"):
                value = _ON_COLOUR.get(value, value)
            if name and name != "font-family" and _DEFAULTS.get(name) != value:
                element.set(name, re.sub(r"(\d)px$", r"\1", value))


def _retype(root: ElementTree.Element, texts: _Texts) -> None:
    """Aligns texts by themselves and not by the width that they have in matplotlib's type."""
    for group in root.iter(f"{{{SVG}}}g"):
        name = group.get("id", "")
        if name not in texts.align:
            continue
        align, width = texts.align[name], texts.width[name]
        lines = [part for part in group if part.tag in (f"{{{SVG}}}text", f"{{{SVG}}}g")]
        placed = [line for line in lines if (line.get("transform") or "").startswith("translate")]
        lefts = [_place(line)[0] for line in placed]
        for line in placed:
            math = line.tag == f"{{{SVG}}}g"
            turned = "rotate" in (line.get("transform") or "")
            if math and not _spell_out(line):
                continue
            if turned or align == "as it is":
                continue
            _, y = _place(line)
            share = {"center": 0.5, "right": 1.0}.get(align, 0.0)
            x = min(lefts) + share * width
            line.set("transform", f"translate({x:.2f} {y:.2f})")
            if share:
                line.set("text-anchor", "middle" if share < 1 else "end")
    for text in root.iter(f"{{{SVG}}}text"):
        _soften_marks(text)
        transform = text.get("transform") or ""
        if transform.startswith("rotate(-0 "):
            del text.attrib["transform"]
        if text.get("text-anchor") == "start":
            del text.attrib["text-anchor"]


def _soften_marks(text: ElementTree.Element) -> None:
    """Makes the sign that begins a word, a heavy bar in most types, small and pale."""
    parts = (text.text or "").split("▁")
    if len(text) or len(parts) < 2:
        return
    text.text = parts[0]
    for part in parts[1:]:
        look = {"font-size": "60%", "fill-opacity": "0.8"}
        ElementTree.SubElement(text, f"{{{SVG}}}tspan", look).text = "▁"
        text[-1].tail = part


def _place(line: ElementTree.Element) -> tuple[float, float]:
    x, y = re.findall(r"-?[\d.]+(?:e-?\d+)?", line.get("transform") or "")[:2]
    return float(x), float(y)


@dataclass
class _Glyphs:
    """Letters that follow each other on one level, in one size and one slope."""

    level: float
    size: str
    slope: str
    under_root: bool = False
    letters: str = ""

    def like(self, other: _Glyphs) -> bool:
        """Whether letters of the other run look the same."""
        return (self.level, self.size, self.slope, self.under_root) == (
            other.level, other.size, other.slope, other.under_root,
        )  # fmt: skip


def _spell_out(line: ElementTree.Element) -> bool:
    """Writes a formula as a line of text with subscripts; whether it is one that can be.

    matplotlib places each letter by itself, by the widths of its own type.
    """
    (text, *bars) = list(line)
    spans = list(text)
    if text.tag != f"{{{SVG}}}text" or not spans:
        return False
    if len(bars) != sum((span.text or "").count("√") for span in spans):
        return False
    runs = _runs(spans, bars)
    line.tag, line.text, line[:] = text.tag, None, []
    text = line
    level, size, slope = 0.0, runs[0].size, ""
    for run in runs:
        span = ElementTree.SubElement(text, f"{{{SVG}}}tspan")
        span.text = run.letters
        if slope and not run.slope and run.letters[0] in _SPACES:
            span.set("dx", f"{_LEAN * float(size):.2f}")
        if abs(run.level - level) > 0.01:
            span.set("dy", f"{run.level - level:.2f}")
        if run.slope:
            span.set("font-style", "italic")
        span.set("font-size", f"{_INDEX * float(size):.4g}" if run.size != size else size)
        level, slope = run.level, run.slope
        if run.under_root and run.size == size:
            span.set("text-decoration", "overline")
        elif run.under_root:
            text.append(_bar_over(run, float(size)))
            level, slope = 0.0, ""
    text.set("font-size", size)
    _leave_out_spans(text, size)
    return True


def _leave_out_spans(text: ElementTree.Element, size: str) -> None:
    """Takes away sizes that are the line's own, and spans if none differs from the others."""
    for span in text:
        if span.get("font-size") == size:
            del span.attrib["font-size"]
    if {"dy", "font-style", "font-size", "text-decoration"}.isdisjoint(
        key for s in text for key in s.attrib
    ):
        text.text = "".join(span.text or "" for span in text)
        for span in list(text):
            text.remove(span)


def _bar_over(index: _Glyphs, size: float) -> ElementTree.Element:
    """Blanks that go back over an index, at the level of the letters before it.

    Browsers draw a bar at the height of the letters below it: over an index it would be lower.
    It is long enough for an index as large as those letters, and begins over them where it is not.
    """
    width = sum(_advance(letter, size, index.slope) for letter in index.letters)
    count = math.ceil(width / (_BLANK * size))
    look = {
        "dx": f"{-count * _BLANK * size:.2f}",
        "dy": f"{-index.level:.2f}",
        "text-decoration": "overline",
        "font-size": f"{size:g}",
    }
    bar = ElementTree.Element(f"{{{SVG}}}tspan", look)
    bar.text = count * "\N{NO-BREAK SPACE}"
    return bar


def _runs(spans: list[ElementTree.Element], bars: list[ElementTree.Element]) -> list[_Glyphs]:
    """The letters of a formula from left to right; an index before the exponent above it."""
    glyphs = []
    for span in spans:
        x, y = (float((span.get(name) or "0").split()[0]) for name in "xy")
        size, slope = span.get("font-size", "10"), span.get("font-style", "")
        for letter in span.text or "":
            glyphs.append((x, y, size, slope, _LETTERS.get(letter, letter)))  # noqa: PERF401
    largest = max(float(glyph[2]) for glyph in glyphs if glyph[4] != "√")
    whole = next(glyph[2] for glyph in glyphs if float(glyph[2]) == largest)
    glyphs = [(x, y, whole, s, "√") if le == "√" else (x, y, z, s, le) for x, y, z, s, le in glyphs]
    roofs = [(float(bar.get("x") or 0), float(bar.get("width") or 0)) for bar in bars]
    lines = [y for _, y, size, _, letter in glyphs if float(size) == largest and not _rides(letter)]
    base = max(set(lines), key=lines.count) if lines else glyphs[0][1]
    letters = [glyph for glyph in glyphs if not _rides(glyph[4])]
    accents = sorted(glyph for glyph in glyphs if _rides(glyph[4]))
    runs: list[_Glyphs] = []
    end = None
    for x, y, size, slope, letter in _in_reading_order(letters, base, largest):
        apart = x - end if end is not None and float(size) == largest else 0.0
        end = x + _advance(letter, float(size), slope)
        space = ""  # as large as what follows: behind an index, one of its size would be too small
        if apart > 0.12 * largest and runs[-1].letters[-1] not in " √" and letter != " ":
            space = _THIN if apart < 0.3 * largest else " "
        carried = ""
        while accents and letter.strip() and accents[0][0] < x + 0.9 * float(size):
            if accents[0][0] < x - 0.5 * float(size):
                accents.pop(0)
                continue
            carried += accents.pop(0)[4]
        level = _level(y - base, float(size), largest)
        roofed = any(left - 0.5 < x < left + width - 0.5 for left, width in roofs)
        run = _Glyphs(level, size, slope, roofed)
        if not runs or not run.like(runs[-1]):
            runs.append(run)
        runs[-1].letters += space + letter + carried
    return runs


def _level(low: float, size: float, largest: float) -> float:
    """How low a letter stands that mathtext sets so far below the line.

    A lone index stands lower, so that it is told from a letter also where it is enlarged. A sign
    that mathtext sets a little off the line, as + and =, stays on it.
    """
    if size < largest:
        return low + _LOWER * largest if 0.0 < low < _LOW * largest else low
    return 0.0 if abs(low) < 0.25 * largest else low


def _advance(letter: str, size: float, slope: str) -> float:
    """How wide a letter is in matplotlib's type."""
    style = "italic" if slope else "normal"
    font = get_font(findfont(FontProperties(family="DejaVu Sans", style=style)))
    font.set_size(size, 72)
    if not font.get_char_index(ord(letter)):
        return 0.6 * size
    return font.load_char(ord(letter), flags=LoadFlags.NO_HINTING).linearHoriAdvance / 65536


def _rides(letter: str) -> bool:
    return unicodedata.combining(letter) > 0


def _in_reading_order(letters: list[Any], base: float, largest: float) -> Iterator[Any]:
    """Letters by their place; of what stands above each other the lower first."""
    ordered = sorted(letters, key=lambda glyph: glyph[0])
    small: list[Any] = []
    for glyph in [*ordered, None]:
        if glyph is not None and float(glyph[2]) < largest:
            small.append(glyph)
            continue
        yield from [one for one in small if one[1] >= base]
        yield from [one for one in small if one[1] < base]
        small = []
        if glyph is not None:
            yield glyph


def _mask_pictures(root: ElementTree.Element) -> None:
    """Paints pictures that have one colour, more or less of it, with that colour through a mask."""
    parents = {child: parent for parent in root.iter() for child in parent}
    for number, image in enumerate(list(root.iter(f"{{{SVG}}}image"))):
        href = image.get(f"{{{XLINK}}}href") or ""
        pixels = _pixels(href.partition(",")[2])
        colours = _colours_of(pixels)
        if colours is None:
            continue
        parent = parents[image]
        at = list(parent).index(image)
        parent.remove(image)
        width, height = image.get("width", "1"), image.get("height", "1")
        for colour, opacity in colours.items():
            name = f"k{number}{colour[1:]}"
            mask = ElementTree.Element(f"{{{SVG}}}mask", {"id": name})
            own = {key: value for key, value in image.attrib.items() if key not in ("id",)}
            ElementTree.SubElement(
                mask, f"{{{SVG}}}image", {**own, f"{{{XLINK}}}href": _white(opacity)}
            )
            moved = {key: own[key] for key in ("x", "y", "transform") if key in own}
            box = {"width": width, "height": height, "fill": colour, **moved}
            painted = ElementTree.Element(f"{{{SVG}}}g", {"mask": f"url(#{name})"})
            ElementTree.SubElement(painted, f"{{{SVG}}}rect", box)
            parent.insert(at, painted)
            parent.insert(at, mask)


def _pixels(data: str) -> np.ndarray:
    from PIL import Image  # comes with matplotlib

    picture = Image.open(io.BytesIO(base64.b64decode(data)))
    return np.asarray(picture.convert("RGBA"))


def _colours_of(pixels: np.ndarray) -> dict[str, np.ndarray] | None:
    """The opacity of each of the book's colours in a picture; None if it has another colour."""
    shown = pixels[..., 3] > 12
    found, left = {}, shown.copy()
    for colour in COLOURS:
        near = np.abs(pixels[..., :3] - 255 * np.array(to_rgb(colour))).max(-1) < 12
        if (near & shown).any():
            found[colour] = np.where(near, pixels[..., 3], 0).astype(np.uint8)
            left &= ~near
    return found if found and not left.any() else None


def _white(opacity: np.ndarray) -> str:
    from PIL import Image

    written = io.BytesIO()
    grey = np.stack([np.full_like(opacity, 255), opacity], axis=-1)
    Image.fromarray(grey, mode="LA").save(written, format="png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(written.getvalue()).decode()


def _merge_marks(root: ElementTree.Element) -> None:
    """Draws many equal marks as one path, and those that lie on each other once."""
    shapes = {path.get("id"): path for path in root.iter(f"{{{SVG}}}path") if path.get("id")}
    for group in root.iter(f"{{{SVG}}}g"):
        marks = [mark for mark in group if mark.tag == f"{{{SVG}}}use"]
        names = {(mark.get(f"{{{XLINK}}}href") or "").removeprefix("#") for mark in marks}
        shape = shapes.get(next(iter(names))) if len(names) == 1 else None
        if len(marks) < _MANY or shape is None:
            continue
        places = {
            (round(2 * float(mark.get("x", 0))) / 2, round(2 * float(mark.get("y", 0))) / 2)
            for mark in marks
        }
        look = {key: value for key, value in marks[0].attrib.items() if key in _LOOK}
        for mark in marks:
            group.remove(mark)
        group.append(ElementTree.Element(f"{{{SVG}}}path", look | _dots(shape, places)))


_LOOK = {
    "fill",
    "stroke",
    "stroke-width",
    "stroke-linejoin",
    "opacity",
    "fill-opacity",
    "stroke-opacity",
}


def _dots(shape: ElementTree.Element, places: set[tuple[float, float]]) -> dict[str, str]:
    """A shape at many places: a disc as the round end of a line without length."""
    outline = shape.get("d", "")
    ordered = sorted(places)
    if "C" in outline:
        ends = [float(number) for number in re.findall(r"-?[\d.]+", outline)]
        across = 2 * max(ends) + float(shape.get("stroke-width") or 1) * (
            shape.get("stroke") not in (None, "none")
        )
        d = "".join(f"M{x:g} {y:g}h0" for x, y in ordered)
        return {"d": d, "fill": "none", "stroke-width": f"{across:.2f}", "stroke-linecap": "round"}
    corners = [
        (float(x), float(y)) for x, y in re.findall(r"[ML]\s*(-?[\d.]+)\s+(-?[\d.]+)", outline)
    ]
    steps = "".join(f"l{u - x:.3g} {v - y:.3g}" for (x, y), (u, v) in itertools.pairwise(corners))
    (left, top), closed = corners[0], "z" if "z" in outline else ""
    return {"d": "".join(f"M{x + left:.4g} {y + top:.4g}{steps}{closed}" for x, y in ordered)}


def _merge_equals(element: ElementTree.Element) -> None:
    """Makes one path of neighbours that look alike, such as strokes, or the cells of a table."""
    kept: list[ElementTree.Element] = []
    for child in element:
        _merge_equals(child)
        last = kept[-1] if kept else None
        if last is not None and child.tag == last.tag == f"{{{SVG}}}path":
            mine, its = ({k: v for k, v in e.attrib.items() if k != "d"} for e in (child, last))
            if mine == its and "id" not in mine:
                last.set("d", f"{last.get('d')} {child.get('d')}")
                continue
        kept.append(child)
    element[:] = kept


def _dot_hatches(root: ElementTree.Element) -> None:
    """Draws the discs of a hatch as dots, which take a tenth of the room."""
    for pattern in root.iter(f"{{{SVG}}}pattern"):
        for path in pattern.iter(f"{{{SVG}}}path"):
            outline = path.get("d", "")
            if "C" not in outline:
                continue
            discs = []
            for part in outline.split("M")[1:]:
                numbers = np.array(re.findall(r"-?[\d.]+", part), dtype=float).reshape(-1, 2)
                low, high = numbers.min(0), numbers.max(0)
                discs.append((*(low + high) / 2, (high - low).max()))
            dots = "".join(f"M{x:.4g} {y:.4g}h0" for x, y, _ in discs)
            across = f"{max(size for *_, size in discs):.3g}"
            colour = path.get("fill") or GROUND
            look = {"fill": "none", "stroke": colour, "stroke-linecap": "round"}
            path.attrib = {"d": dots, "stroke-width": across, **look}


def _show_hatches(root: ElementTree.Element) -> None:
    """Lets a hatch show on a ground of its own colour, which matplotlib makes pale with it."""
    pale = {}
    for pattern in root.iter(f"{{{SVG}}}pattern"):
        grounds = list(pattern.iter(f"{{{SVG}}}rect"))
        drawn = {path.get("stroke") for path in pattern.iter(f"{{{SVG}}}path")}
        for ground in grounds:
            if {ground.get("fill")} == drawn:
                pale[f"url(#{pattern.get('id')})"] = ground
    for element in root.iter():
        ground = pale.get(element.get("fill", ""))
        if ground is not None:
            ground.set("fill-opacity", element.attrib.pop("fill-opacity", "0.5"))


def _compact(root: ElementTree.Element) -> None:
    """Leaves out what shows nothing, ids that nothing refers to, and digits nobody sees."""
    used = set(
        re.findall(r"#([\w.-]+)", " ".join(v for e in root.iter() for v in e.attrib.values()))
    )
    for element in root.iter():
        for key, value in element.attrib.items():
            if key in ("d", "x", "y", "transform", "width", "height", "points", "dx", "dy"):
                element.set(key, _rounded(value))
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        if element.tag != f"{{{SVG}}}text" and element.tag != f"{{{SVG}}}tspan":
            element.text = None
        if element.tag != f"{{{SVG}}}tspan":
            element.tail = None
    for element in root.iter():
        for child in list(element):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style") or _shows_nothing(child):
                element.remove(child)
    _lift(root)
    _merge_equals(root)


def _rounded(value: str) -> str:
    short = re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda n: f"{float(n[0]):.2f}", value)
    short = re.sub(r"(\.\d*?)0+(?!\d)", r"\1", short)
    return re.sub(r"\.(?!\d)", "", " ".join(short.split())).replace("-0 ", "0 ")


def _shows_nothing(element: ElementTree.Element) -> bool:
    if element.tag == f"{{{SVG}}}path" and not element.get("id"):
        return element.get("fill") == "none" and element.get("stroke") in (None, "none")
    return element.tag in (f"{{{SVG}}}g", f"{{{SVG}}}defs") and not len(element)


def _lift(element: ElementTree.Element) -> None:
    """Takes children out of groups that only group."""
    children: list[ElementTree.Element] = []
    for child in list(element):
        _lift(child)
        if child.tag == f"{{{SVG}}}g" and not child.attrib:
            children.extend(child)
        elif not _shows_nothing(child):
            children.append(child)
    element[:] = children


def _narrowest(root: ElementTree.Element) -> int:
    """The width in pixels at which the smallest text of a picture can still be read.

    What has to be scrolled on a phone even so is wider still, and its text easy to read.
    """
    sizes = [float(t.get("font-size") or 10) for t in root.iter(f"{{{SVG}}}text")]
    if not sizes:
        return 0
    width = float(root.get("viewBox", "").split()[2])
    narrowest = width * READABLE / min(sizes)
    if narrowest > SCROLLS:
        easy = min(width * _EASY / min(sizes), width * PIXELS_PER_POINT, _WIDEST)
        narrowest = max(narrowest, easy)
    return round(narrowest)
