"""The book's parts fit together: pages, contents, notebooks, API, and what mends the pages."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import sys
from collections import defaultdict
from html import escape
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from docutils import nodes
from pybtex.database import Person, parse_file
from sphinx.addnodes import desc_signature
from sphinx.ext.napoleon import Config as SphinxConfig
from sphinx.ext.napoleon import GoogleDocstring

from mtcourse.claims import claims
from mtcourse.layers.attention import Attention
from scripts import build_book, page_order, pair_notebooks

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
PAGES_WITH_CODE = pair_notebooks.pages_with_code(BOOK)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def load_extension(name: str):
    """One of the book's Sphinx extensions; their folder is no package."""
    path = BOOK / "_ext" / f"{name}.py"
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # where Sphinx has it too: they import each other
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules.setdefault(path.stem, module)  # dataclasses look there
    specification.loader.exec_module(module)
    return module


mend = load_extension("mtcourse_book").mend
api_pages = load_extension("api_pages")
bibliography = load_extension("bibliography")
publishing = load_extension("publishing")


# --- chapters and their notebooks ---------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda path: path.stem)
def test_the_notebook_is_in_step_with_its_page(page):
    pair = page.with_suffix(".ipynb")
    assert pair.exists(), "run: make notebooks"
    assert read(pair) == pair_notebooks.notebook_of(page), "run: make notebooks"


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda path: path.stem)
def test_the_notebook_is_valid_and_holds_no_outputs(page):
    notebook = nbformat.reads(pair_notebooks.notebook_of(page), as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "google.colab" in code[0].source, "the first cell installs on Colab"
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_every_chapter_runs_something():
    chapters = set(BOOK.glob("[0-9][0-9]_*.md"))
    assert chapters <= set(PAGES_WITH_CODE)


def test_no_notebook_has_lost_its_page():
    assert {path.stem for path in BOOK.glob("*.ipynb")} <= {path.stem for path in PAGES_WITH_CODE}


def test_the_check_names_the_notebook_that_is_out_of_step(tmp_path, monkeypatch, capsys):
    chapter = tmp_path / "01_word.md"
    header = "---\nkernelspec:\n  display_name: Python 3\n  name: python3\n---\n"
    chapter.write_text(header + "# Word\n\n```{code-cell}\n1\n```\n")
    monkeypatch.setattr(pair_notebooks, "BOOK", tmp_path)
    assert pair_notebooks.main(["--check"]) == 1
    assert "01_word.ipynb" in capsys.readouterr().out
    assert not (tmp_path / "01_word.ipynb").exists()
    assert pair_notebooks.main([]) == 0
    assert pair_notebooks.main(["--check"]) == 0
    chapter.write_text(read(chapter) + "\nOne line more.\n")
    assert pair_notebooks.main(["--check"]) == 1


@pytest.mark.parametrize("address", [None, "https://git.school.example/a/b"])
def test_a_pages_notebook_follows_the_address_of_the_course(tmp_path, address):
    (tmp_path / "_config.yml").write_text(f"repository:\n  url: {address or 'null'}\n")
    chapter = tmp_path / "book" / "01_word.md"
    chapter.parent.mkdir()
    page = f"# Word\n\nSee [it]({publishing.IN_PAGES}/x).\n\n```{{code-cell}}\n1\n```\n"
    chapter.write_text(page)
    first, said, _ = json.loads(pair_notebooks.notebook_of(chapter))["cells"]
    package = f'"mtcourse @ git+{address}"' if address else "./mtcourse"
    assert first["source"][-1].strip() == f"%pip install -q {package}"
    assert said["source"][-1] == (f"See [it]({address}/x)." if address else "See it.")


# --- the pages ----------------------------------------------------------------------------------


def pages_of_contents() -> list[str]:
    contents = yaml.safe_load(read(ROOT / "_toc.yml"))
    chapters = [chapter for part in contents["parts"] for chapter in part["chapters"]]
    pages = [page for chapter in chapters for page in (chapter, *chapter.get("sections", ()))]
    return [contents["root"], *(name for page in pages for name in named_by(page))]


def named_by(entry: dict) -> list[str]:
    """The page of an entry, or the pages that its pattern stands for."""
    if "file" in entry:
        return [entry["file"]]
    found = sorted(ROOT.glob(f"{entry['glob']}.md"))
    return [page.relative_to(ROOT).with_suffix("").as_posix() for page in found]


def test_the_contents_name_every_page_once():
    pages = [path.relative_to(ROOT).with_suffix("").as_posix() for path in BOOK.glob("*.md")]
    assert sorted(pages_of_contents()) == sorted(pages)


def test_the_chapters_stand_in_the_order_of_their_numbers():
    numbered = [page for page in pages_of_contents() if re.match(r"book/\d\d_", page)]
    assert numbered == sorted(numbered)


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda path: path.stem)
def test_numbers_are_counted_and_not_typed(page):
    """The book numbers chapters, figures and equations, and brackets the number of an equation."""
    prose = re.sub(r"^```\{code-cell\}.*?^```", "", read(page), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^#+ \d+\..*", prose, re.MULTILINE) == [], "a number in a heading"
    typed = r"\b(?:Fig\.|Figure|Equation) \(?\d[\d.]*\)?(?! of ).*"
    assert re.findall(typed, prose) == [], "write {numref} or {eq}"
    assert re.findall(r"\(\{eq\}`[^`]*`.*", prose) == [], "{eq} prints the brackets"


TO_COME = re.compile(r"[Cc]hapters? (\d+)(?: (?:to|and) (\d+))?,? \(?to come\b")


@pytest.mark.parametrize(
    "page",
    [*sorted(BOOK.glob("*.md")), *sorted(ROOT.glob("solutions/*.ipynb"))],
    ids=lambda path: path.stem,
)
def test_a_chapter_that_is_written_is_not_to_come(page):
    written = {int(path.name[:2]) for path in BOOK.glob("[0-9][0-9]_*.md")}
    named = [[int(n) for n in found if n] for found in TO_COME.findall(read(page))]
    to_come = {number for ends in named for number in range(ends[0], ends[-1] + 1)}
    assert to_come & written == set(), "link to the chapter"
    said = re.findall(r"[Cc]hapters? \d[^.;]{0,25}to come\b", read(page))
    assert len(said) == len(named), "write: chapter 10 (to come), or chapters 13 to 17 (to come)"


def test_the_contents_take_each_title_from_its_page():
    assert "title:" not in read(ROOT / "_toc.yml")


def test_the_api_pages_document_every_public_module_once():
    pages = "".join(api_pages.expanded(read(path)) for path in BOOK.glob("api_*.md"))
    documented = re.findall(r"automodule:: (\S+)", pages)
    # The command line explains itself with --help.
    expected = [module for module in api_pages.modules_of("mtcourse") if module != "mtcourse.cli"]
    assert sorted(documented) == sorted(expected)
    assert {"mtcourse.layers.masks", "mtcourse.chapters.masks.plots"} <= set(documented)
    assert not any(".exercises." in module or ".language." in module for module in documented)


def test_a_page_documents_what_a_module_defines_and_not_what_it_passes_on():
    assert "StepReport" in importlib.import_module("mtcourse.training.loop").__all__
    assert ":ignore-module-all:" in api_pages.parts_of(["mtcourse.training.loop"])


def test_what_is_said_of_a_value_is_a_sentence_although_it_has_a_colon():
    said = ["How good a text is: a number.", "", "Or: none."]
    for what in ("data", "attribute", "property", "function"):
        assert [line for line in documented_as(what, said) if line] == [said[0], said[2]]


def test_what_comes_back_is_a_sentence_although_it_has_a_colon():
    said = [
        "Grades: all.",
        "",
        "Returns:",
        "    The status: 0 if ``a: b`` is well.",
        "",
        "Done: yes.",
    ]
    shown = "\n".join(documented_as("function", said))
    assert ":returns: The status: 0 if ``a: b`` is well." in shown
    assert "Done: yes." in shown


def documented_as(what: str, lines: list[str]) -> list[str]:
    """A docstring as Sphinx reads it."""
    lines = list(lines)
    api_pages.keep_colons(None, what, "x", None, None, lines)
    settings = SphinxConfig(napoleon_use_param=False, napoleon_use_rtype=False)
    lines = GoogleDocstring(lines, settings, what=what, name="x").lines()
    api_pages.show_colons(None, what, "x", None, None, lines)
    return lines


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("softmax(Q K^T / sqrt(d_k)) V", "softmax(Q K<sup>T</sup> / √(d<sub>k</sub>)) V"),
        ("X_d M X_d^T", "X<sub>d</sub> M X<sub>d</sub><sup>T</sup>"),
        ("10000^(-2i / d_model)", "10000<sup>−2i / d<sub>model</sub></sup>"),
        ("p(y_t | y_<t), y_{t-1}", "p(y<sub>t</sub> | y<sub>&lt;t</sub>), y<sub>t−1</sub>"),
        ("W_1_bar = H_bar * alpha", "W\u0304<sub>1</sub> = H\u0304 · α"),
        ("(1 - beta_1)^2 W_O)_jk", "(1 − β<sub>1</sub>)<sup>2</sup> W<sub>O</sub>)<sub>jk</sub>"),
        ("sum of -log p >= 0, x <- x - 1", "sum of −log p ≥ 0, x ← x − 1"),
        ("L = -sum_n x_n, [cos, -sin]", "L = −Σ<sub>n</sub> x<sub>n</sub>, [cos, −sin]"),
        ("log_probs of fork_server, “{d_k}”, pt_BR", "log_probs of fork_server, “{d_k}”, pt_BR"),
    ],
)
def test_a_formula_in_a_docstring_has_indices_and_exponents(written, shown):
    tags = {"subscript": "sub", "superscript": "sup"}
    page = "".join(html_of(one, tags) for one in api_pages.formula_nodes(written))
    assert page == shown


def html_of(node, tags: dict[str, str]) -> str:
    """A node as it is written into a page."""
    if not node.children:
        return escape(node.astext(), quote=False)
    inside = "".join(html_of(child, tags) for child in node.children)
    return f"<{tags[node.tagname]}>{inside}</{tags[node.tagname]}>"


@pytest.mark.parametrize(
    ("default", "shown"),
    [
        ("<function chosen_tokens>", "chosen_tokens"),
        ("<function Numbers.read>", "read"),
        ("<built-in function print>", "print"),
        ("<class 'str'>", "str"),
        ("<class 'mtcourse.models.encoder_model.EncoderModel'>", "EncoderModel"),
        ("<function <lambda>>", "..."),
        ("<function Numbers.<lambda>>", "..."),
        ("<factory>", "..."),
        ("'<class>'", "'<class>'"),
        ("0.1", "0.1"),
    ],
)
def test_a_default_stands_in_a_signature_by_its_name(default, shown):
    signature, returns = api_pages.name_defaults(
        None, "function", "f", None, None, f"(x: ~a.B = {default}, *, y: int = 1)", "None"
    )
    assert (signature, returns) == (f"(x: ~a.B = {shown}, *, y: int = 1)", "None")
    assert api_pages.name_defaults(None, "module", "m", None, None, None, None) == (None, None)


def test_a_value_shows_functions_by_their_names():
    signature = desc_signature("", "", nodes.Text(" = {'sum': <function a.total>, 'n': 1}"))
    api_pages.name_values(None, nodes.document(None, None, "", signature))
    assert signature.astext() == " = {'sum': total, 'n': 1}"


def test_fields_of_which_python_says_only_a_number_are_left_out():
    class Figures(NamedTuple):
        loss: float

        def shown(self) -> str:
            """With three digits."""

    def left_out(obj):
        return api_pages.leave_out_numbered_fields(None, "class", "x", obj, False, None)

    assert left_out(Figures.loss)
    assert left_out(Figures.shown) is left_out(1.0) is None


def test_only_a_protocol_is_shown_without_a_signature():
    class Printer(Attention):
        def __init__(self, width: int) -> None: ...

    def shown(obj):
        return api_pages.show_protocols_bare(None, "class", "a.B", obj, None, "(x)", None)

    assert shown(Attention) == ("", None)
    assert shown(Printer) is shown(Path.read_text) is None


@pytest.mark.parametrize("page", sorted(BOOK.glob("*.md")), ids=lambda path: path.stem)
def test_the_statements_that_a_page_names_exist(page):
    assert set(re.findall(r"\b[ABCD]\d\d\b", read(page))) <= set(claims())


def test_the_glossary_is_in_order():
    terms = re.findall(r"^([A-Za-z].*)\n  ", read(BOOK / "glossary.md"), re.MULTILINE)
    assert len(terms) > 20
    assert terms == sorted(terms, key=str.lower)


# --- what is run again --------------------------------------------------------------------------


def test_the_book_runs_again_when_the_package_or_the_corpus_changes(tmp_path):
    package, build = tmp_path / "package", tmp_path / "build"
    package.mkdir()
    (package / "module.py").write_text("x = 1\n")
    seen = [build_book.inputs_hash([package], "")]
    assert build_book.drop_stale(build, seen[0])
    cache = build / ".jupyter_cache"
    cache.mkdir()

    seen.append(build_book.inputs_hash([package], ""))
    assert not build_book.drop_stale(build, seen[1])
    assert cache.exists()

    (package / "module.py").write_text("x = 2\n")
    seen.append(build_book.inputs_hash([package], ""))
    assert build_book.drop_stale(build, seen[2])
    assert not cache.exists()

    seen.append(build_book.inputs_hash([package], "1:7.4"))
    seen.append(build_book.inputs_hash([package], "1:7.4", ["torch 2.13.0"]))
    assert len(set(seen)) == 4


def test_pages_are_written_again_when_an_extension_changes_and_not_run_again(tmp_path):
    for name in (*build_book.KEPT, "html"):
        (tmp_path / name).mkdir()
    changed = {"stamp": build_book.EXTENSIONS_STAMP, "kept": build_book.READ}
    assert build_book.drop_stale(tmp_path, "one", **changed)
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {
        ".jupyter_cache", "jupyter_execute", "html",
    }  # fmt: skip
    (tmp_path / ".doctrees").mkdir()
    assert not build_book.drop_stale(tmp_path, "one", **changed)
    assert (tmp_path / ".doctrees").exists()
    assert build_book.drop_stale(tmp_path, "one")  # the other stamp is another file


def test_pages_that_take_longest_are_run_first():
    for ending in ("md", "ipynb"):
        names = [page.stem for page in sorted(BOOK.glob(f"*.{ending}"), key=page_order.turn_of)]
        first = len(page_order.LONGEST)
        assert names[:first] == list(page_order.LONGEST)
        sizes = [(BOOK / f"{name}.{ending}").stat().st_size for name in names[first:]]
        assert sizes == sorted(sizes, reverse=True)


# --- what mends the pages -----------------------------------------------------------------------


def test_a_repeated_script_runs_once():
    page = "<html><script>const A = 1;</script><p>x</p><script>const A = 1;</script></html>"
    assert mend(page).count("const A = 1;") == 1


def test_scripts_that_are_loaded_stay():
    page = '<html><script src="a.js"></script><script src="a.js"></script></html>'
    assert mend(page).count("a.js") == 2


def test_data_that_two_explorers_share_stay_and_the_state_of_widgets_goes():
    data = '<script type="application/json">{"data":{}}</script>'
    state = '<script type="application/vnd.jupyter.widget-state+json">{"state":{}}</script>'
    assert mend(f"<main>{data}{data}{state}</main>") == f"<main>{data}{data}</main>"


def test_the_sidebar_has_a_name():
    soup = BeautifulSoup(mend('<div class="bd-sidebar-primary"></div>'), "html.parser")
    assert soup.div["role"] == "complementary"
    assert soup.div["aria-label"]


def test_a_button_that_is_an_icon_has_a_name():
    fold = "<details><summary><i></i></summary></details>"
    soup = BeautifulSoup(mend(f"<nav><li><a>The package</a>{fold}</li></nav>"), "html.parser")
    assert soup.summary["aria-label"] == "Pages below The package"
    assert "aria-label" not in mend("<nav><details><summary>More</summary></details></nav>")


SEARCH = '<dialog id="pst-search-dialog"><form class="bd-search"></form></dialog>'
BUTTON = '<div><button class="search-button__button">Search</button></div>'


def test_the_button_of_the_search_opens_it_without_a_program():
    button = BeautifulSoup(mend(SEARCH + BUTTON), "html.parser").select_one("div > button")
    assert (button["command"], button["commandfor"]) == ("show-modal", "pst-search-dialog")
    assert "command" not in mend(BUTTON)  # there is nothing to open
    on_the_page = '<form class="bd-search"><input></form>'
    assert "command" not in mend(SEARCH + BUTTON + on_the_page)


def test_only_what_is_not_of_the_book_opens_in_a_new_tab():
    def item(address: str) -> str:
        return mend(f'<a class="dropdown-item" href="{address}" target="_blank">x</a>')

    assert "_blank" not in item("setup.html#whole-book")
    assert "_blank" in item("../_sources/book/04_attention.ipynb")
    assert "_blank" in item("https://example.org/index.html")


def test_a_page_that_failed_is_announced():
    soup = BeautifulSoup(mend('<div class="admonition page-failed"></div>'), "html.parser")
    assert soup.div["role"] == "alert"


def test_two_exercises_share_no_id():
    exercise = '<div id="ex-{0}"><section id="exercise-content">{0}</section></div>'
    page = exercise.format(1) + exercise.format(2)
    assert mend(page) == page.replace(' id="exercise-content"', "")


def test_the_parameters_of_a_signature_are_no_definitions():
    soup = BeautifulSoup(
        mend("<dl><dt class='sig'>f(<dl><dd>x</dd></dl>)</dt></dl>"), "html.parser"
    )
    assert soup.dl.find("dl") is None
    assert soup.select_one("dt > .sig-start + .sig-params > .sig-line").text == "x"
    assert [one.text for one in soup.select("dt .sig-start")] == ["f("]


def test_a_mended_page_is_mended_to_itself():
    page = (
        "<!DOCTYPE html><html><body><div class='bd-sidebar-primary'>&amp; é</div>"
        "<div role='list' class='citation-list'><div role='doc-biblioentry'>x</div></div>"
        "<script>if (1 < 2) { f('&'); }</script><script>if (1 < 2) { f('&'); }</script>"
        "</body></html>"
    )
    once = mend(page)
    assert mend(once) == once
    assert "if (1 < 2) { f('&'); }" in once
    assert "doc-biblioentry" not in once


REPEATED = "<html><body><script>const a = 1;</script><script>const a = 1;</script></body></html>"


def book_of(folder: Path, pages: int) -> SimpleNamespace:
    """A built book, as Sphinx hands it on, of pages that need mending."""
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        config=SimpleNamespace(language="en"),
        outdir=folder / "html",
        doctreedir=folder,
    )
    (app.outdir / "book").mkdir(parents=True)
    for number in range(pages):
        (app.outdir / "book" / f"{number}.html").write_text(REPEATED)
    return app


def test_a_page_is_mended_whenever_it_was_written_and_at_no_other_time(tmp_path, monkeypatch):
    extension = load_extension("mtcourse_book")
    app = book_of(tmp_path, 1)
    page = app.outdir / "book" / "0.html"
    extension.mend_pages(app, None)
    assert page.read_text().count("<script>") == 1
    page.write_text(REPEATED)
    os.utime(page, ns=(0, 10**18))
    extension.mend_pages(app, None)
    assert page.read_text().count("<script>") == 1
    monkeypatch.setattr(extension, "mend_file", lambda *_: pytest.fail("it is mended already"))
    extension.mend_pages(app, None)


def test_the_pages_of_a_whole_book_are_mended_side_by_side(tmp_path):
    extension = sys.modules["mtcourse_book"]  # as Sphinx has it: the processes look there
    app = book_of(tmp_path, extension.WORTH_PROCESSES)
    extension.mend_pages(app, None)
    pages = sorted(app.outdir.rglob("*.html"))
    assert len(pages) == extension.WORTH_PROCESSES
    assert {page.read_text().count("<script>") for page in pages} == {1}


def test_a_page_of_the_package_is_read_again_when_a_module_is_added(monkeypatch):
    extension = api_pages
    app = SimpleNamespace(env=SimpleNamespace(metadata=defaultdict(dict)))
    source = ["# Training\n\n```{api} mtcourse.training mtcourse.text\n```\n"]
    extension.list_modules(app, "book/api", source)
    assert ".. automodule:: mtcourse.training.loop" in source[0]
    extension.list_modules(app, "book/other", ["# Words"])
    assert extension.find_pages_to_extend(app, app.env, set(), set(), set()) == []
    before = extension.modules_of
    monkeypatch.setattr(extension, "modules_of", lambda name: [*before(name), f"{name}.new"])
    assert extension.find_pages_to_extend(app, app.env, set(), set(), set()) == ["book/api"]


# --- the bibliography ---------------------------------------------------------------------------


def test_an_organisation_stands_among_people():
    names = ["{NLLB Team}", "Zipf, George", "{open\\_lm}", "Bahdanau, Dzmitry", "{Anonymous}"]
    key = bibliography.NamesInOrder().person_key
    ordered = sorted(names, key=lambda name: key(Person(name)))
    assert ordered == [
        "{Anonymous}",
        "Bahdanau, Dzmitry",
        "{NLLB Team}",
        "{open\\_lm}",
        "Zipf, George",
    ]


def test_what_is_on_the_web_is_linked():
    entries = parse_file(str(BOOK / "references.bib")).entries
    linked = {"url", "eprint", "doi"}
    bare = re.compile(r"arXiv:\d|github\.com/|stackexchange\.com/")
    assert [
        key
        for key, entry in entries.items()
        if any(map(bare.search, entry.fields.values())) and not linked & entry.fields.keys()
    ] == []
