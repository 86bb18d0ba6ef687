"""What can be found in the book, and where: the pages that pagefind reads, and its files."""

from __future__ import annotations

import subprocess
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from tests.course.test_book import load_extension

page_search = load_extension("page_search")

PAGE = """
<html lang="nl"><body><nav>Contents</nav><article class="bd-article"><section id="softmax">
<h1><span class="section-number">4. </span>Softmax<a class="headerlink" href="#x">#</a></h1>
<p>It is <em class="x">smooth</em>: <math><msup><mi>e</mi><mi>x</mi></msup></math>.</p>
<div class="cell"><div class="cell_input"><pre>code</pre></div>
<div class="cell_output">output</div></div>
<div class="mtcourse-explorer">explorer</div>
<section id="why"><h2>Why<a class="headerlink" href="#why">#</a></h2>
<p id="kept">Because.</p></section>
<dl><dt id="term-beam">beam<a class="headerlink" href="#term-beam">#</a></dt>
<dd>Prefixes.</dd></dl>
<dl><dt class="sig" id="mtcourse.top_k"><span class="descclassname">mtcourse.</span>
<span class="descname">top_<wbr>k</span>(<em>count</em>)</dt>
<dd><p>The best.</p><dl class="field-list"><dt>Parameters</dt><dd>count</dd></dl></dd></dl>
</section></article></body></html>
"""


def searched(page: str, name: str = "book/04_attention.html") -> BeautifulSoup:
    soup = BeautifulSoup(page, "html.parser")
    return BeautifulSoup(page_search.text_of(soup, name), "html.parser")


def test_what_explains_can_be_found_and_code_and_outputs_cannot():
    found = searched(PAGE)
    assert found.html["lang"] == "nl"
    assert found.body.has_attr("data-pagefind-body")
    words = " ".join(found.get_text().split())
    assert words == "4. Softmax It is smooth: e^x. Why Because. beam Prefixes. top_k The best."


def test_sections_terms_and_names_are_places():
    found = searched(PAGE)
    places = {element["id"]: element.get_text() for element in found.select("[id]")}
    assert places == {"why": "Why", "term-beam": "beam", "mtcourse.top_k": "top_k"}
    assert all(element.name in {"h2", "h5"} for element in found.select("[id]"))
    assert found.h1.get_text() == "4. Softmax"


def test_a_term_weighs_as_much_as_a_heading_and_a_page_of_the_package_less_than_others():
    found = searched(PAGE)
    assert found.select_one("#term-beam")["data-pagefind-weight"] == "6"
    assert len(found.select("[data-pagefind-weight]")) == 1
    of_package = searched(PAGE, "book/api_layers.html")
    assert of_package.body["data-pagefind-weight"] == "0.2"
    assert of_package.h1.get_text() == "4. Softmax (the package)"


@pytest.mark.parametrize(
    ("mathml", "typed"),
    [
        ("<msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt>", "√d_k"),
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "a/(b+1)"),
        ("<msup><mn>10</mn><mrow><mo>−</mo><mn>5</mn></mrow></msup>", "10^(−5)"),
        ("<msubsup><mi>W</mi><mi>i</mi><mi>Q</mi></msubsup><mo>=</mo><mi>x</mi>", "W_i^Q = x"),
        ("<munder><mi>max</mi><mi>y</mi></munder><mi>p</mi>", "max_yp"),
        ("<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable>", "a b  "),
    ],
)
def test_a_formula_stands_in_the_text_as_one_would_type_it(mathml, typed):
    formula = BeautifulSoup(f"<math>{mathml}</math>", "html.parser").math
    assert page_search.in_a_line(formula) == typed


@pytest.mark.parametrize(
    "page",
    [
        "<html><body><h1>Search</h1></body></html>",
        '<html><article class="bd-article"><h1>Index</h1><table class="genindextable"></table>',
    ],
)
def test_a_page_without_a_text_of_its_own_is_not_found(page):
    assert searched(page).body["data-pagefind-ignore"] == "all"
    assert searched(page).get_text() == ""


def test_only_the_page_that_shows_what_was_found_leaves_loading_to_its_program():
    scripts = "".join(
        f'<script src="{name}"></script>'
        for name in ("_static/searchtools.js?v=1", "_static/language_data.js", "searchindex.js")
    )
    for own, left in (('<script src="_static/search.js"></script>', 1), ("", 3)):
        soup = BeautifulSoup(scripts + own, "html.parser")
        page_search.ask_one_search(soup)
        assert len(soup.select("script")) == left


def book(folder, *names: str) -> SimpleNamespace:
    """A book of pages, as Sphinx tells extensions of it."""
    for name in names:
        page = BeautifulSoup(PAGE.replace("Softmax", name), "html.parser")
        page_search.note_text(folder / "notes", f"book/{name}.html", page)
        (folder / "html" / "book").mkdir(parents=True, exist_ok=True)
        (folder / "html" / "book" / f"{name}.html").touch()
    return SimpleNamespace(
        outdir=str(folder / "html"),
        doctreedir=str(folder / "notes"),
        builder=SimpleNamespace(format="html"),
    )


def test_the_index_has_the_pages_of_the_book_and_only_the_files_of_a_search(tmp_path):
    made = book(tmp_path, "one", "two", "gone")
    (tmp_path / "html" / "book" / "gone.html").unlink()
    page_search.write_index(made, None)
    index = tmp_path / "html" / "pagefind"
    assert len(list(index.rglob("*.pf_fragment"))) == 2
    assert {path.suffix for path in index.rglob("*") if path.is_file()} == {
        ".js",
        ".json",
        ".pagefind",
        ".pf_meta",
        ".pf_index",
        ".pf_fragment",
    }
    assert [path.name for path in index.glob("*.js")] == ["pagefind.js"]
    assert [path.name for path in index.glob("wasm*")] == ["wasm.nl.pagefind"]


@pytest.mark.parametrize("kind", ["fails", "hangs", "is not there"])
def test_a_book_without_an_index_says_so_and_keeps_none_that_is_old(tmp_path, monkeypatch, kind):
    def run(command, **options):
        if kind == "fails":
            return subprocess.CompletedProcess(command, 1, "", "No module named pagefind")
        raise subprocess.TimeoutExpired(command, 1) if kind == "hangs" else FileNotFoundError

    made = book(tmp_path, "one")
    page_search.write_index(made, None)
    told = []
    monkeypatch.setattr(page_search.subprocess, "run", run)
    monkeypatch.setattr(
        page_search.logging,
        "getLogger",
        lambda name: SimpleNamespace(warning=lambda *parts: told.append(parts[0] % parts[1:])),
    )
    page_search.write_index(made, None)
    assert len(told) == 1
    assert told[0].startswith("pagefind has written no index of the book: ")
    assert not (tmp_path / "html" / "pagefind").exists()


def test_a_build_that_failed_or_is_no_website_gets_no_index(tmp_path):
    made = book(tmp_path, "one")
    page_search.write_index(made, RuntimeError())
    made.builder.format = "latex"
    page_search.write_index(made, None)
    assert not (tmp_path / "html" / "pagefind").exists()
