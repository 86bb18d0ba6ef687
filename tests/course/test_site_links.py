"""What is missing in a built book, comes from outside or is left over is found, and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.test_book import load_extension
from tests.helpers.browsing import HTML, NOT_BUILT

site_links = load_extension("site_links")
Site = site_links.Site

SOUND = {
    "index.html": '<meta http-equiv="refresh" content="0; url=book/a.html">',
    "book/a.html": """
        <html><head><link rel="stylesheet" href="../_static/look.css">
        <link rel="canonical" href="https://example.org/book/a.html">
        <style>p { background: url("../_static/dots.svg") }</style>
        <script data-scripts="../_static/search.js ../_static/last.js?v=1">run()</script>
        </head><body>
        <h1 id="begin">A</h1> <a href="#begin">up</a> <a href="#">top</a> <a href="#top">top</a>
        <a href="b%20c.html?q=1#end">B</a> <a href="https://example.org/">outside</a>
        <a href="mailto:a@example.org">mail</a> <a href="#explorer=masks&layer=1">settings</a>
        <img src="../_static/one.png" srcset="../_static/one.png 1x, ../_static/two.png 2x" alt="">
        <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="">
        <svg><use href="#icon"/><path id="icon"/></svg>
        <div style="background: url(../_static/x.png)">
        <div data-translator="../_static/model"></div>
        <script type="application/json">{"a": "fetch('https://example.org/data')"}</script>
        <script>const link = "https://example.org/";</script></body></html>""",
    "book/b c.html": '<p id="end"><a href="a.html">A</a> <a href="../down/a.ipynb" download>it</a>',
    "down/a.ipynb": "{}",
    "_static/look.css": '@import "more.css"; @font-face { src: url(face.woff2) format("woff2") }',
    "_static/more.css": "/* url(gone.png) */ a { background: url('#gradient') }",
    "_static/face.woff2": "",
    "_static/face-OFL.txt": "",
    "_static/dots.svg": "",
    "_static/one.png": "",
    "_static/two.png": "",
    "_static/x.png": "",
    "_static/search.js": "load('words.json'); load(root + \"_static/names.json\");"
    "import('pagefind/pagefind.js');",
    "pagefind/pagefind.js": "load(`index/${name}`)",
    "pagefind/index/one.pf_index": "",
    "_static/last.js": "",
    "_static/words.json": "{}",
    "_static/names.json": "{}",
    "_static/model/model.js": 'x = {"pieces": ["parts"], "parts":2}',
    "_static/model/weights-0.js": "",
    "_static/model/weights-1.js": "",
    "_static/previews/book/b c.js": "",
    "objects.inv": "",
    "404.html": '<a href="/at/the/root.html">begin</a>',
}


def site(folder: Path, **changed: str | None) -> Site:
    """A sound site with some files changed, added, or taken away."""
    for name, text in {**SOUND, **changed}.items():
        if text is not None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    return Site(folder)


def test_a_sound_site_has_no_faults_and_nothing_left_over(tmp_path):
    sound = site(tmp_path)
    assert sound.faults() == []
    assert sound.unreferenced() == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('<a href="gone.html">x</a>', "gone.html does not exist"),
        ('<a href="b%20c.html#gone">x</a>', "b%20c.html#gone: book/b c.html has no #gone"),
        ('<a href="#gone">x</a>', "#gone: book/z.html has no #gone"),
        ('<a href="/book/a.html">x</a>', "/book/a.html leads out of the book's folder"),
        ('<a href="../../a.html">x</a>', "../../a.html leads out of the book's folder"),
        ('<a href="A.html">x</a>', "A.html does not exist"),
        ('<img src="gone.png">', "gone.png does not exist"),
        ('<img srcset="../_static/one.png 1x, gone.png 2x">', "gone.png does not exist"),
        ('<script src="gone.js"></script>', "gone.js does not exist"),
        ('<link rel="stylesheet" href="gone.css">', "gone.css does not exist"),
        ('<p style="background: url(gone.png)">', "gone.png does not exist"),
        ("<style>@import 'gone.css';</style>", "gone.css does not exist"),
        ('<div data-translator="../_static/gone">', "../_static/gone/model.js does not exist"),
        ('<script data-scripts="../_static/last.js gone.js"></script>', "gone.js does not exist"),
        ('<meta http-equiv="refresh" content="0; url=gone.html">', "gone.html does not exist"),
        ('<img src="https://example.org/a.png">', "loads https://example.org/a.png"),
        ('<script src="//example.org/a.js"></script>', "loads //example.org/a.js"),
        ('<link rel="icon" href="https://example.org/i.svg">', "loads https://example.org/i.svg"),
        ('<iframe src="https://example.org/"></iframe>', "loads https://example.org/"),
        ("<style>p { background: url(//example.org/a) }</style>", "loads //example.org/a"),
        ('<script>fetch("https://example.org/a")</script>', "loads https://example.org/a"),
        ('<script>x.src = "https://example.org/a"</script>', "loads https://example.org/a"),
        (
            '<script type="module">import x from "https://example.org/a"</script>',
            "loads https://example.org/a",
        ),
    ],
)
def test_a_fault_of_a_page_is_told_with_its_place(tmp_path, body, told):
    assert site(tmp_path, **{"book/z.html": body}).faults() == [f"book/z.html: {told}"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("_static/face.woff2", None, "_static/look.css: face.woff2 does not exist"),
        ("_static/more.css", None, "_static/look.css: more.css does not exist"),
        (
            "_static/model/weights-1.js",
            None,
            "book/a.html: ../_static/model/weights-1.js does not exist",
        ),
        (
            "_static/more.css",
            "@import url(https://example.org/a.css);",
            "_static/more.css: loads https://example.org/a.css",
        ),
        (
            "_static/search.js",
            "importScripts('https://example.org/a.js'); load('words.json', '_static/names.json')",
            "_static/search.js: loads https://example.org/a.js",
        ),
    ],
)
def test_a_fault_of_another_file_is_told_with_its_place(tmp_path, name, text, told):
    assert site(tmp_path, **{name: text}).faults() == [told]


@pytest.mark.parametrize(
    "name",
    ["book/z.html", "_static/z.png", "down/z.ipynb", "z.js.map", "_static/previews/book/z.js"],
)
def test_what_nothing_names_is_left_over(tmp_path, name):
    assert site(tmp_path, **{name: ""}).unreferenced() == [name]


def test_files_that_only_name_each_other_are_left_over(tmp_path):
    ring = {"book/y.html": '<a href="z.html">z</a>', "book/z.html": '<a href="y.html">y</a>'}
    assert site(tmp_path, **ring).unreferenced() == ["book/y.html", "book/z.html"]


def test_a_page_that_leads_on_is_asked_for_from_outside(tmp_path):
    moved = '<meta http-equiv="refresh" content="0; url=a.html">'
    assert site(tmp_path, **{"book/old.html": moved}).unreferenced() == []


def test_a_long_list_of_faults_is_cut():
    assert site_links.told(["a", "b", "c"], most=2).splitlines() == ["a", "b", "… and 1 more"]


# --- the built book -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built() -> Site:
    if not (HTML / "index.html").exists():
        pytest.skip(NOT_BUILT)
    return Site(HTML)


def test_the_book_is_whole(built):
    assert built.faults() == []


def test_the_book_holds_nothing_that_no_page_needs(built):
    assert built.unreferenced() == []
