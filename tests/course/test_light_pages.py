"""What makes a page lighter leaves alone what it must; scripts of many pages become one file."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from tests.course.test_book import ROOT, load_extension

light_pages = load_extension("light_pages")

LONG = "let a = 1;\n" * 1000


def repaired(repair, html: str) -> str:
    soup = BeautifulSoup(html, "html.parser")
    repair(soup)
    return str(soup)


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("<td><p>5</p></td>", "<td>5</td>"),
        ("<td>\n<p>a <code>b</code></p>\n</td>", "<td>\na <code>b</code>\n</td>"),
        ("<td><p>a</p><p>b</p></td>", None),
        ("<td>and <p>a</p></td>", None),
        ("<td><ul><li><p>a</p></li></ul></td>", None),
    ],
)
def test_a_cell_with_one_paragraph_is_plain(cell, plain):
    page = '<article><table><tr class="row-odd">{}</tr></table></article>'
    wanted = page.format(plain or cell).replace(' class="row-odd"', "")
    assert repaired(light_pages.plain_cells, page.format(cell)) == wanted


def test_the_sign_of_a_list_that_opens_is_drawn_once():
    marker = '<span class="sd-summary-state-marker sd-summary-chevron-right">{}</span>'
    page = f"<summary>{marker}</summary><svg></svg>"
    drawn = page.format('<svg class="sd-octicon"><path d="M0 0"></path></svg>')
    assert repaired(light_pages.drop_chevrons, drawn) == page.format("")
    style = ROOT / "book" / "_static" / "controls.css"
    assert ".sd-summary-chevron-right::before" in style.read_text(encoding="utf-8")


def test_only_a_tooltip_that_repeats_the_address_goes():
    echo = '<a class="reference" href="api.html#a.B" title="a.B">B</a>'
    telling = '<a class="reference" href="api.html#a.B" title="a book">B</a>'
    assert "title" not in repaired(light_pages.drop_echoes, echo)
    assert repaired(light_pages.drop_echoes, telling) == telling
    link = '<a class="headerlink" href="#a.B" title="Link to this definition">#</a>'
    assert 'title="Link"' in repaired(light_pages.drop_echoes, link)


def test_a_page_with_a_notebook_is_offered_once_and_another_as_it_is():
    source = '<li><a class="btn-download-source-button" href="a.md">.md</a></li>'
    notebook = '<li><a class="btn-download-notebook-button" href="a.ipynb">.ipynb</a></li>'
    assert repaired(light_pages.offer_a_page_once, notebook + source) == notebook
    assert repaired(light_pages.offer_a_page_once, source) == source


@pytest.mark.parametrize(
    ("drawn", "short"),
    [
        (
            '<path id="f0-m48596e08c8"/><use xlink:href="#f0-m48596e08c8" y="1"/>',
            '<path id="f0-0"/><use xlink:href="#f0-0" y="1"/>',
        ),
        (
            '<clipPath id="f1-p0cacc32c86"/><g clip-path="url(#f1-p0cacc32c86)"/>',
            '<clipPath id="f1-0"/><g clip-path="url(#f1-0)"/>',
        ),
        (
            r"""{"svg": "<g id=\"f2-m0123456789\" fill='url(#f2-m0123456789)'>"}""",
            r"""{"svg": "<g id=\"f2-0\" fill='url(#f2-0)'>"}""",
        ),
        ('<i id="f0-m48596e08c8"/><i id="f0-m0123456789"/>', '<i id="f0-0"/><i id="f0-1"/>'),
        ('<a href="#f0-figure">f0-m48596e08c8</a>', '<a href="#f0-figure">f0-m48596e08c8</a>'),
    ],
)
def test_parts_of_a_drawing_get_short_names_and_nothing_else_does(drawn, short):
    assert light_pages.shorten_ids(drawn) == short


def test_lines_end_where_a_reader_sees_it_and_nowhere_else():
    page = (
        '<table class="t">\n<tr><td>one</td>\n<td>two</td>\n</tr>\n</table>\n'
        "<p>a\nb</p>\n<pre>c\n<b>d</b>\n</pre>\n<ul>\n<li>e</li>\n</ul>\n"
    )
    assert light_pages.close_up_blocks(page) == (
        '<table class="t"><tr><td>one</td><td>two</td></tr></table>'
        "<p>a\nb</p>\n<pre>c\n<b>d</b>\n</pre>\n<ul><li>e</li></ul>"
    )


def test_the_theme_s_contents_for_paper_are_left_out():
    page = (
        '<div id="jb-print-docs-body"><h1>T</h1></div><div class="jb-print-toc"><nav>x</nav></div>'
    )
    soup = BeautifulSoup(page, "html.parser")
    light_pages.drop_printed_contents(soup)
    assert soup.get_text() == "T"


def test_words_of_a_signature_stay_where_marks_go():
    sig = '<dt class="sig"><span class="n">a<span class="p">:</span></span><span class="o">=</span>'
    assert repaired(light_pages.unwrap_plain_words, f"{sig}</dt>") == (
        '<dt class="sig">a:<span class="o">=</span></dt>'
    )


def test_a_long_script_of_two_pages_becomes_one_file(tmp_path):
    between = "<p>words</p>" * 2000
    page = f"<script>short()</script>{between}<script>{LONG}</script>"
    first = light_pages.share_scripts(page, "book/a.html", tmp_path)
    (file,) = (tmp_path / "_static" / "shared").iterdir()
    assert file.read_text("utf-8").strip() == LONG.strip()
    loaded = f'<script src="../_static/shared/{file.name}"></script>'
    assert first == f"<script>short()</script>{between}{loaded}"
    second = light_pages.share_scripts(f"<script>\n{LONG}</script>", "search.html", tmp_path)
    assert second == f'<script src="_static/shared/{file.name}"></script>'
    assert light_pages.share_scripts(first, "book/a.html", tmp_path) == first


@pytest.mark.parametrize("kind", ['type="module"', 'type="application/json"', 'data-folder="x"'])
def test_a_script_that_says_what_it_is_stays(tmp_path, kind):
    page = f"<script {kind}>{LONG}</script>"
    assert light_pages.share_scripts(page, "book/a.html", tmp_path) == page


PROGRAMS = """<html><head><link as="script" href="a.js" rel="preload"/>
<script src="documentation_options.js"></script><script src="a.js"></script>
<script async="" src="b.js"></script><script data-folder="x" defer="" src="own.js"></script>
<script type="module" src="m.js"></script></head><body>
<script src="explorer.js"></script><script defer="" src="c.js"></script><p>words</p></body>"""


def test_what_a_page_does_not_need_to_be_read_is_asked_for_when_it_is_parsed():
    page = BeautifulSoup(PROGRAMS, "html.parser")
    light_pages.text_first(page)
    left = [script.get("src") for script in page.select("script[src]")]
    assert left == ["documentation_options.js", "own.js", "m.js", "explorer.js"]
    last = page.select("body > *")[-1]
    assert last["data-scripts"] == "a.js b.js c.js"
    assert page.select_one("link") is None
    assert repaired(light_pages.text_first, str(page)) == str(page)


@pytest.mark.browser
def test_scripts_asked_for_later_run_in_their_order_before_the_page_is_loaded(browser, tmp_path):
    for name in "abc":
        told = f"globalThis.order = (globalThis.order || '') + '{name}';"
        (tmp_path / f"{name}.js").write_text(told, encoding="utf-8")
    page = BeautifulSoup(PROGRAMS, "html.parser")
    light_pages.text_first(page)
    (tmp_path / "page.html").write_text(str(page), encoding="utf-8")
    shown = browser.new_page()

    def come_last(route) -> None:
        time.sleep(0.3)
        route.continue_()

    shown.route("**/a.js", come_last)
    shown.goto((tmp_path / "page.html").as_uri(), wait_until="load")
    assert shown.evaluate("order") == "abc"
    shown.close()


FACES = """@font-face{{font-family:A;src:url(../a.woff2) format("woff2"),url(../a.ttf) format("x")}}
@font-face{{font-family:B;src:url(../b.woff2) format("woff2"),url(../b.ttf) format("x")}}p{{}}"""


def book_of(folder, **files: str) -> SimpleNamespace:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=folder)


def test_what_no_page_names_is_dropped_and_what_is_named_stays(tmp_path):
    notebook = json.dumps({"cells": ["é"]}, indent=1)
    app = book_of(
        tmp_path,
        **{
            "index.html": '<link rel="stylesheet" href="_static/styles/a.css">'
            '<a href="_sources/a.ipynb">it</a><script src="_static/a.js"></script>',
            "_static/styles/a.css": FACES.format(),
            "_static/a.woff2": "face",
            "_static/a.js": "load('loaded.json')",
            "_static/loaded.json": "",
            "_static/idle.js": "",
            "_static/a.js.map": "",
            "_sources/a.ipynb": notebook,
            "_sources/a.md": "",
            "book/forgotten.html": "",
        },
    )
    light_pages.drop_files(app, None)
    there = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    # A page that nothing leads to is a fault of the book, and is not dropped in silence.
    assert there == {
        "index.html",
        "_static/styles/a.css",
        "_static/a.woff2",
        "_static/a.js",
        "_static/loaded.json",
        "_sources/a.ipynb",
        "book/forgotten.html",
    }
    sheet = (tmp_path / "_static/styles/a.css").read_text("utf-8")
    assert sheet == '@font-face{font-family:A;src:url(../a.woff2) format("woff2")}\np{}'
    assert json.loads((tmp_path / "_sources/a.ipynb").read_text("utf-8")) == json.loads(notebook)


def test_the_search_finds_an_object_once_and_a_term_as_before(tmp_path):
    index = {
        "objects": {"": [[3, 0, 1, "", "top"]], "a.b": [[3, 1, 1, "", "f"]]},
        "indexentries": {
            "f() (in module a.b)": [[3, "a.b.f", False]],
            "top": [[3, "top", False], [4, "term-top", True]],
            "beam (search)": [[4, "term-beam", True]],
        },
        "terms": {"beam": [3, 4], "é": 4},
    }
    file = tmp_path / "searchindex.js"
    file.write_text(f"Search.setIndex({json.dumps(index)})", encoding="utf-8")
    light_pages.find_objects_once(file)
    text = file.read_text("utf-8")
    assert text.startswith('Search.setIndex({"objects"')
    assert text.endswith("})")
    found = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    assert found["indexentries"] == {
        "top": [[4, "term-top", True]],
        "beam (search)": [[4, "term-beam", True]],
    }
    assert {**found, "indexentries": index["indexentries"]} == index
