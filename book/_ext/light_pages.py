"""Takes out of the book what no reader needs: programs, style sheets and files.

The theme loads a program of 1.5 MB that draws every icon there is; here a page holds the few that
it shows as SVG. What serves only a kind of element is left out of pages that have none of it, a
program that many pages hold becomes a file, and what no page refers to is left out of the book.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
from functools import cache
from logging import WARNING, getLogger
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from site_links import Site

ICON_STYLES = {"fab": "fab", "far": "far", "fas": "fas"}
ICON_STYLES |= {"fa-brands": "fab", "fa-regular": "far", "fa-solid": "fas"}
NO_NAME = re.compile(r"fa-(lg|xl|2xl|sm|xs|2xs|fw|spin|pulse|\dx)")
SVG = "http://www.w3.org/2000/svg"
ICONS = "i[class*=fa-], span.fa-solid, span.fas, span.fa-brands, span.fab"
"""Elements that the theme has its program draw an icon in."""
LOADED_FOR = {
    "design-tabs.js": ".sd-tab-set",
    "sphinx-design.min.css": "[class^=sd-], [class*=' sd-']",
    "togglebutton": ".toggle, .admonition.dropdown",
    "proof.css": ".proof",
    "exercise.css": ".exercise, .solution",
    "sphinx-thebe": ".thebe-launch-button",
    "scripts/fontawesome.js": ICONS,
}
"""What the name of a loaded file contains, and which elements it is for."""
INLINE_FOR = {
    "toggleHintShow": ".toggle, .admonition.dropdown",
    "toggleHintHide": ".toggle, .admonition.dropdown",
    "toggleOpenOnPrint": ".toggle, .admonition.dropdown",
    "togglebuttonSelector": ".toggle, .admonition.dropdown",
    "THEBE_JS_URL": ".thebe-launch-button",
    "kernelName =": ".thebe-launch-button",
    '"selector": ".thebe"': ".thebe-launch-button",
    "requestKernel": ".thebe-launch-button",
}
"""What an inline script contains, and which elements it is for."""
WORTH_A_FILE = 10_000
"""Letters of an inline script from which on a page loads it from a file, which others share."""
PART_OF_DRAWING = re.compile(r"""(?<=["'#])(f\d+-)[a-z][0-9a-f]{10}(?=["')\\])""")
"""A name that matplotlib has made of what it names, as mtcourse.figures.svg writes it."""
BETWEEN_BLOCKS = re.compile(
    r"(</?(?:table|thead|tbody|tr|section|ul|ol|dl)\b[^>]*>|</(?:td|th|li|dd|dt)>)\n"
)
"""A new line where no page shows one: beside a block that no text to the letter holds."""
INLINE = re.compile("<script>(.*?)</script>", re.DOTALL)
AT_ONCE = ("documentation_options.js", "fontawesome.js")
"""Scripts that an inline one depends on."""
RUN_LATER = """
for (const src of document.currentScript.dataset.scripts.split(" ")) {
  document.head.append(Object.assign(document.createElement("script"), { src, async: false }));
}
"""
"""Asks for the scripts that its element names, and runs them in this order."""
NEVER_LOADED = (
    "**/*.map",
    "**/*.LICENSE.txt",
    "_static/locales",
    "_static/vendor/**/*.ttf",
    "_static/vendor/**/fa-regular*",
    "_static/mathjax",
    "_static/webpack-macros.html",
    "_static/sbt-webpack-macros.html",
    "_static/sphinx-thebe.*",
    "_static/scripts/fontawesome.js",
    "_static/images/logo_deepnote.svg",
    "_static/images/logo_jupyterlite.svg",
)
"""Source maps, the theme's translations of itself, and its icons."""
OF_A_SOURCE_MAP = re.compile(r"\s*(?://|/\*)# sourceMappingURL=[^\s*]*(?:\s*\*/)?\s*\Z")
"""The end of a file that names its source map, which the book leaves out."""


def setup(app) -> dict:
    """Sphinx calls this."""
    # After everything is written, publishing.py's pages included.
    app.connect("build-finished", drop_files, priority=970)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


# --- a page ------------------------------------------------------------------------------------


def draw_icons(soup: BeautifulSoup) -> None:
    """An icon is a drawing in the page, as the theme's program would make it."""
    for icon in soup.select(ICONS):
        drawn = icon_of(icon.get_attribute_list("class"))
        if drawn is None:
            continue
        width, height, path = drawn
        icon.name = "svg"
        icon["class"] = " ".join(["svg-inline--fa", *icon.get_attribute_list("class")])
        icon["aria-hidden"] = "true"
        icon["focusable"] = "false"
        icon["xmlns"] = SVG
        icon["viewbox"] = f"0 0 {width} {height}"
        icon.clear()
        icon.append(soup.new_tag("path", attrs={"fill": "currentColor", "d": path}))


def drop_chevrons(soup: BeautifulSoup) -> None:
    """The style sheet draws the sign of a list that opens: a page may have two hundred of them."""
    for drawn in soup.select(".sd-summary-chevron-right > svg"):
        drawn.decompose()


def icon_of(classes: list[str]) -> tuple[str, str, str] | None:
    """The width, the height and the outline of an icon, which its classes name."""
    style = next((ICON_STYLES[one] for one in classes if one in ICON_STYLES), None)
    names = [
        one.removeprefix("fa-")
        for one in classes
        if one.startswith("fa-") and one not in ICON_STYLES and not NO_NAME.fullmatch(one)
    ]
    if style is None or not names:
        return None
    found = re.search(
        rf'[{{,]"?{re.escape(names[0])}"?:\[(\d+),(\d+),\[[^\]]*\],"\w+","([^"]+)"\]',
        outlines()[style],
    )
    return (found[1], found[2], found[3]) if found else None


@cache
def outlines() -> dict[str, str]:
    """The part of the theme's program that has the outlines of each style."""
    theme = importlib.util.find_spec("pydata_sphinx_theme")
    assert theme is not None
    assert theme.origin is not None
    folder = Path(theme.origin).parent / "theme/pydata_sphinx_theme/static/scripts"
    program = (folder / "fontawesome.js").read_text(encoding="utf-8")
    parts, begin = {}, 0
    for end in re.finditer(r'\w\("(fab|far|fas)",\w\)', program):
        parts.setdefault(end[1], program[begin : end.start()])
        begin = end.end()
    return parts


def drop_what_is_not_used(soup: BeautifulSoup) -> None:
    """Leaves out scripts and style sheets for elements that the page does not have."""

    @cache
    def has(elements: str) -> bool:
        return soup.select_one(elements) is not None

    for element in soup.select("script, link[href]"):
        place = str(element.get("src") or element.get("href") or "")
        table, text = (LOADED_FOR, place) if place else (INLINE_FOR, element.get_text())
        needed_by = next((table[part] for part in table if part in text), None)
        if needed_by and not is_data(element) and not has(needed_by):
            element.decompose()


def is_data(script: Tag) -> bool:
    """Whether a script is none, but what an explorer shows."""
    return str(script.get("type")).endswith("json")


def unwrap_plain_words(soup: BeautifulSoup) -> None:
    """A name in code looks as the code around it: no mark is needed to say so, word by word."""
    plain = (
        ":is(.highlight, .sig) :is(span.n, span.p, span.w), span.pre, "
        ".sig :is(.sig-paren, .sig-return-icon)"
    )
    for span in soup.select(plain):
        if len(span.get_attribute_list("class")) == 1 and len(span.attrs) == 1:
            span.unwrap()
    soup.smooth()


def plain_cells(soup: BeautifulSoup) -> None:
    """A cell is its own paragraph, and no style sheet tells odd rows from even ones."""
    for row in soup.select("tr.row-odd, tr.row-even"):
        del row["class"]
    for paragraph in soup.select("article :is(td, th) > p:only-child"):
        around = paragraph.parent
        if around is not None and around.get_text(strip=True) == paragraph.get_text(strip=True):
            paragraph.unwrap()


def drop_echoes(soup: BeautifulSoup) -> None:
    """A tooltip that says the name to which a link leads, and classes that no style sheet knows."""
    for link in soup.select("a.reference[title]"):
        if str(link.get("href")).endswith(f"#{link['title']}"):
            del link["title"]
    for link in soup.select("a.headerlink[title]"):
        link["title"] = "Link"  # some thousand times; to what, is beside it
    for link in soup.select(".page-toc a.nav-link"):
        link["class"] = "nav-link"
    for code in soup.select("code.docutils"):
        code["class"] = " ".join(name for name in code["class"] if name != "docutils")


def offer_a_page_once(soup: BeautifulSoup) -> None:
    """Who can download a page's notebook needs no second file with the same text and no outputs."""
    if soup.select_one(".btn-download-notebook-button"):
        for button in soup.select(".btn-download-source-button"):
            (button.find_parent("li") or button).decompose()


def drop_printed_contents(soup: BeautifulSoup) -> None:
    """The theme writes a page's contents once more for paper, where no link can be followed."""
    for contents in soup.select(".jb-print-toc"):
        contents.decompose()


def text_first(soup: BeautifulSoup) -> None:
    """Scripts are asked for once the page is parsed: words, style and faces come before them.

    They run in their order, and the page is loaded when they have run. Those that the parser would
    run at its end are many and lay the page out anew, each before the next frame is drawn.
    """
    for hint in soup.select('link[rel=preload][as=script], link[rel="preload"][as="script"]'):
        hint.decompose()
    if soup.head is None or soup.body is None:
        return
    later = [
        script
        for script in soup.select("head script[src], script[src][defer]")
        # What says more of itself reads it from its own element.
        if script.attrs.keys() <= {"src", "defer", "async"}
        and not any(name in str(script["src"]) for name in AT_ONCE)
    ]
    if later:
        files = " ".join(str(script.extract()["src"]) for script in later)
        last = soup.new_tag("script", attrs={"data-scripts": files})
        last.string = RUN_LATER
        soup.body.append(last)


def share_scripts(page: str, name: str, root: Path) -> str:
    """Takes long inline scripts, which other pages hold too, out of a page.

    Args:
        page: its HTML.
        name: its path in the book.
        root: the book's folder, where the scripts are written.
    """
    up = "../" * name.count("/")

    def as_file(found: re.Match[str]) -> str:
        code = found[1].strip()
        if len(code) < WORTH_A_FILE:
            return found[0]
        file = f"_static/shared/{hashlib.sha256(code.encode()).hexdigest()[:12]}.js"
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(f"{code}\n", encoding="utf-8")
        return f'<script src="{up}{file}"></script>'

    return INLINE.sub(as_file, page)


def shorten_ids(page: str) -> str:
    """Gives the parts of drawings, to which only their drawing refers, names of a few letters."""
    short: dict[str, str] = {}

    def rename(found: re.Match[str]) -> str:
        return short.setdefault(found[0], f"{found[1]}{len(short)}")

    return PART_OF_DRAWING.sub(rename, page)


def close_up_blocks(page: str) -> str:
    """Takes new lines out of a page that nobody sees, between rows of tables and the like."""
    return BETWEEN_BLOCKS.sub(r"\1", page)


# --- the book ----------------------------------------------------------------------------------


def drop_files(app, exception) -> None:
    """Removes what no page refers to: a script that loads a file names it in quotes."""
    if exception is not None or app.builder.format != "html":
        return
    root = Path(app.outdir)
    cut_down_icons(root / "_static")
    for pattern in NEVER_LOADED:
        for path in root.glob(pattern):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
    drop_lost_faces(root / "_static" / "styles")
    for file in [*(root / "_static").rglob("*.js"), *(root / "_static").rglob("*.css")]:
        text = file.read_text("utf-8")
        if "sourceMappingURL=" in text:
            file.write_text(OF_A_SOURCE_MAP.sub("", text), encoding="utf-8")
    close_up_notebooks(root)
    find_objects_once(root / "searchindex.js")
    for name in Site(root).unreferenced():
        if name.startswith(("_static/", "_sources/")):
            (root / name).unlink()


def close_up_notebooks(root: Path) -> None:
    """Takes the spaces for human eyes out of notebooks, which Jupyter alone reads."""
    for path in root.rglob("*.ipynb"):
        notebook = json.loads(path.read_text("utf-8"))
        text = json.dumps(notebook, ensure_ascii=False, separators=(",", ":"))
        path.write_text(f"{text}\n", encoding="utf-8")


def find_objects_once(file: Path) -> None:
    """Takes what Sphinx's search finds by its own name out of the index entries that it searches.

    There only half of "forward() (mtcourse.layers.blocks.DecoderBlock method)" would find it.
    """
    if not file.exists():
        return
    call = re.fullmatch(r"(.*?\()(.*)(\)\s*)", file.read_text("utf-8"), re.DOTALL)
    index = json.loads(call[2])
    objects = {
        f"{prefix}.{name}" if prefix else name
        for prefix, found in index["objects"].items()
        for *_, name in found
    }
    entries = {
        entry: [place for place in places if place[1] not in objects]
        for entry, places in index["indexentries"].items()
    }
    index["indexentries"] = {entry: places for entry, places in entries.items() if places}
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    file.write_text(f"{call[1]}{text}{call[3]}", encoding="utf-8")


def drop_lost_faces(styles: Path) -> None:
    """Takes faces that are left out of the book out of the theme's style sheets, too."""
    for sheet in styles.glob("*.css"):

        def keep(source: re.Match[str], folder: Path = sheet.parent) -> str:
            return source[0] if (folder / source[1]).exists() else ""

        text = re.sub(r",?url\(([^)]+)\) ?format\([^)]*\)", keep, sheet.read_text("utf-8"))
        text = re.sub(r"@font-face ?\{[^}]*src:\}", "", text)
        sheet.write_text(text, encoding="utf-8")


def cut_down_icons(static: Path) -> None:
    """Leaves in the theme's faces of icons only those that its style sheets write before words."""
    if None in map(importlib.util.find_spec, ("fontTools", "brotli")):
        return
    from fontTools import subset

    getLogger("fontTools").setLevel(WARNING)  # it tells of each table that it leaves out

    sheets = "".join(sheet.read_text("utf-8") for sheet in static.glob("styles/*.css"))
    icons = {ord(icon) for icon in re.findall('--pst-[-a-z]+:"([\ue000-\uf8ff])"', sheets)}
    icons |= {int(code, 16) for code in re.findall(r'after{content:"\\(f\w{3})"', sheets)}
    for face in static.glob("vendor/fontawesome/webfonts/*.woff2"):
        options = subset.Options(flavor="woff2", ignore_missing_unicodes=True)
        font = subset.load_font(face, options)
        if len(font.getBestCmap()) > len(icons):
            subsetter = subset.Subsetter(options)
            subsetter.populate(unicodes=icons)
            subsetter.subset(font)
            subset.save_font(font, face, options)


LIGHTER = (
    draw_icons,
    drop_chevrons,
    drop_what_is_not_used,
    unwrap_plain_words,
    plain_cells,
    drop_echoes,
    offer_a_page_once,
    drop_printed_contents,
    text_first,
)
