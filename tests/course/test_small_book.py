"""A small book, built with the course's own configuration: numbers by chapter, pages that fail."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

from scripts import build_book
from tests.course.test_book import ROOT, load_extension
from tests.helpers.small_books import begin_book

failed_pages = load_extension("failed_pages")

CONTENTS = """\
format: jb-book
root: book/intro
parts:
  - caption: Chapters
    chapters:
      - file: book/04_attention
      - file: book/12_training
  - caption: Reference
    chapters:
      - file: book/notes
"""
FIGURE = """
```{{figure}} _static/attention.svg
:name: fig-{name}
:alt: Words.
Caption.
```
"""
EQUATION = """
```{{math}}
:label: eq-{name}
x = 1
```
"""
EXERCISE = """
```{{exercise}} Weights
:label: ex-{name}
Words.
```
"""
REFERENCES = """
See {numref}`fig-four`, {numref}`fig-four-b`, {eq}`eq-four`, {numref}`ex-four`,
{numref}`fig-twelve`, {eq}`eq-twelve`, {numref}`ex-twelve`,
{numref}`fig-notes`, {eq}`eq-notes` and [](04_attention.md).
"""
SEEN = ["Figure 4.1", "Figure 4.2", "(4.1)", "Exercise 4.1", "Figure 12.1"]
SEEN += ["(12.1)", "Exercise 12.1", "Figure 2", "(1)", "Attention"]
WITH_CODE = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
FAILING = """
```{code-cell} ipython3
def check(x):
    assert x > 1, "x is small"
```

```{code-cell} ipython3
---
tags: [remove-cell]
---
# What it says.
check(2)

check(1)
```

```{code-cell} ipython3
print("never")
```
"""


def parts(name: str) -> str:
    return "".join(part.format(name=name) for part in (FIGURE, EQUATION, EXERCISE))


PAGES = {
    "intro": "# Begin\n" + FIGURE.format(name="intro") + REFERENCES,
    "04_attention": (
        "# Attention\n" + parts("four") + "\n## Later\n" + FIGURE.format(name="four-b") + REFERENCES
    ),
    "12_training": WITH_CODE + "\n# Training\n" + parts("twelve") + FAILING + REFERENCES,
    "notes": "# Notes\n" + FIGURE.format(name="notes") + EQUATION.format(name="notes") + REFERENCES,
}


@dataclass(frozen=True)
class Built:
    """What came of building a book."""

    html: Path
    status: int
    said: str

    def page(self, name: str) -> BeautifulSoup:
        return BeautifulSoup((self.html / f"book/{name}.html").read_text("utf-8"), "html.parser")


def write_book(folder: Path) -> None:
    begin_book(folder)
    for name in ("_config.yml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    (folder / "_toc.yml").write_text(CONTENTS, encoding="utf-8")
    for name, text in PAGES.items():
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The small book, as ``make book`` builds it."""
    folder = tmp_path_factory.mktemp("book")
    write_book(folder)
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
        patch.chdir(folder)
        patch.setattr(build_book, "ROOT", folder)
        patch.setattr(build_book, "BUILD", folder / "_build")
        patch.setattr(build_book, "REPORTS", folder / "_build" / "html" / "reports")
        with contextlib.redirect_stdout(said):
            status = build_book.main()
    return Built(folder / "_build" / "html", status, said.getvalue())


def texts(found: list) -> list[str]:
    return [element.get_text().removesuffix("#").strip() for element in found]


pytestmark = pytest.mark.slow


# --- numbers by chapter -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "title"),
    [("04_attention", "4. Attention"), ("12_training", "12. Training"), ("notes", "Notes")],
)
def test_a_page_is_headed_by_its_own_number(built, name, title):
    page = built.page(name)
    assert texts(page.select("article h1")) == [title]
    assert texts(page.select("#jb-print-docs-body h1")) == [title]
    assert page.title.get_text().startswith(f"{title} — ")
    assert texts(page.select("article h2")) == (["Later"] if name == "04_attention" else [])


def test_contents_and_neighbours_are_numbered(built):
    page = built.page("notes")
    contents = texts(page.select("nav.bd-links li > a"))
    assert contents[-3:] == ["4. Attention", "12. Training", "Notes"]
    assert texts(page.select(".prev-next-footer .prev-next-title")) == ["12. Training"]
    assert texts(page.select(".neighbours .neighbour-title")) == ["12. Training"]


def test_the_search_shows_numbers_and_knows_a_page_by_its_title(built):
    script = (built.html / "searchindex.js").read_text("utf-8")
    index = json.loads(script.removeprefix("Search.setIndex(").removesuffix(")"))
    assert sorted(index["titles"]) == ["12. Training", "4. Attention", "Begin", "Notes"]
    for page, title in enumerate(index["titles"]):
        assert [page, None] in index["alltitles"][title]
    assert index["alltitles"]["Later"] == [[index["titles"].index("4. Attention"), "later"]]


@pytest.mark.parametrize(
    ("name", "figures", "equations", "exercises"),
    [
        ("intro", ["Figure 1"], [], []),
        ("04_attention", ["Figure 4.1", "Figure 4.2"], ["(4.1)"], ["Exercise 4.1"]),
        ("12_training", ["Figure 12.1"], ["(12.1)"], ["Exercise 12.1"]),
        ("notes", ["Figure 2"], ["(1)"], []),
    ],
)
def test_figures_equations_and_exercises_count_within_their_chapter(
    built, name, figures, equations, exercises
):
    page = built.page(name)
    assert texts(page.select("figcaption .caption-number")) == figures
    assert texts(page.select(".eqno")) == equations
    assert texts(page.select(".exercise .caption-number")) == exercises


@pytest.mark.parametrize("name", PAGES)
def test_references_say_the_same_number_on_every_page(built, name):
    (paragraph,) = (p for p in built.page(name).select("article p") if "See" in p.get_text())
    assert texts(paragraph.select("a")) == SEEN


@pytest.mark.parametrize(
    ("place", "said"),
    [("eq-four", "(4.1)"), ("fig-four-b", "Figure 4.2"), ("ex-four", "Exercise 4.1")],
)
def test_what_a_reference_leads_to_comes_along_with_its_number(built, place, said):
    script = (built.html / "_static/previews/book/04_attention.js").read_text("utf-8")
    call = script.removeprefix("mtcoursePreviews(").removesuffix(");\n")
    _page, cards = json.loads(f"[{call}]")
    (card,) = (card for key, card in cards.items() if key in (place, f"equation-{place}"))
    assert BeautifulSoup(card, "html.parser").get_text().strip().startswith(said)


# --- pages that fail ----------------------------------------------------------------------------


def test_a_page_that_failed_says_so_at_its_top(built):
    (notice,) = built.page("12_training").select(".page-failed")
    assert notice["role"] == "alert"
    assert texts(notice.select(".admonition-title")) == ["This page is incomplete"]
    assert "may be missing" in notice.get_text()
    assert notice.find_previous_sibling().name == "h1"
    assert "page-failed" not in str(built.page("04_attention").article)


def test_the_build_says_last_where_a_page_failed(built):
    assert built.status == 1
    line = PAGES["12_training"].splitlines().index("check(1)") + 1
    assert built.said.rstrip().splitlines()[-3:] == [
        f"book/12_training.md:{line}: code cell 2, which begins with '# What it says.', failed at",
        "    check(1)",
        "AssertionError: x is small",
    ]


def test_nothing_else_is_wrong_with_the_small_book(built):
    warnings = [line for line in built.said.splitlines() if "WARNING" in line]
    assert len(warnings) == 2
    assert all("12_training.md" in line for line in warnings)


COUNTING = (
    WITH_CODE
    + """
# A page

```{code-cell} ipython3
with open("runs.txt", "a") as file:
    print("once more", file=file)
```
"""
)


def run_pages(folder: Path) -> list[str]:
    return asyncio.run(build_book.run_pages(folder, folder / "cache"))


def test_pages_run_once_and_sphinx_finds_their_outputs(tmp_path):
    write_book(tmp_path)
    page = tmp_path / "book" / "notes.md"
    page.write_text(COUNTING, encoding="utf-8")
    (failed,) = run_pages(tmp_path)
    assert failed.startswith("book/12_training.md:")
    assert failed.endswith("AssertionError: x is small")

    runs = tmp_path / "book" / "runs.txt"
    assert len(run_pages(tmp_path)) == 1  # what failed runs again
    assert runs.read_text().splitlines() == ["once more"]
    page.write_text(COUNTING.replace("# A page", "# Words alone"), encoding="utf-8")
    run_pages(tmp_path)
    assert len(runs.read_text().splitlines()) == 1
    page.write_text(COUNTING.replace("once more", "other code"), encoding="utf-8")
    run_pages(tmp_path)
    assert len(runs.read_text().splitlines()) == 2


def test_only_running_the_pages_builds_nothing(tmp_path, monkeypatch, capsys):
    write_book(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(build_book, "ROOT", tmp_path)
    monkeypatch.setattr(build_book, "BUILD", tmp_path / "_build")
    assert build_book.main(only_run=True) == 1
    assert capsys.readouterr().out.endswith("AssertionError: x is small\n\n1 pages failed\n")
    assert not (tmp_path / "_build" / "html").exists()
    (tmp_path / "book" / "12_training.md").write_text(COUNTING, encoding="utf-8")
    assert build_book.main(only_run=True) == 0


def run(*cells: str, timeout: int = 60) -> tuple[dict, list[str], str]:
    """Runs cells; returns the notebook, a page that holds them, and what was said of the error."""
    page, begins = ["# Title"], []
    for cell in cells:
        begins.append(len(page))
        page += ["```{code-cell}", *cell.splitlines(), "```", ""]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["source_map"] = begins
    with pytest.raises((CellExecutionError, CellTimeoutError)) as caught:
        NotebookClient(notebook, timeout=timeout, kernel_name="python3").execute()
    return notebook, page, f"Traceback\n{caught.type.__module__}.{caught.typename}: {caught.value}"


def test_an_error_without_words_is_named_with_its_line():
    described = failed_pages.describe_failure(*run("x = 1", "def f():\n    assert x == 2\n\nf()"))
    assert described.startswith(
        "10: code cell 2, which begins with 'def f():', failed at\n    f()\n"
    )
    assert described.endswith("\nAssertionError")


def test_code_that_python_cannot_read_is_named_with_its_line():
    described = failed_pages.describe_failure(*run("x = 1\ny = = 2", "print(x)"))
    assert described.startswith(
        "4: code cell 1, which begins with 'x = 1', failed at\n    y = = 2\n"
    )
    assert described.splitlines()[-1].startswith("SyntaxError: ")


def test_a_cell_that_takes_too_long_is_named_with_the_limit():
    described = failed_pages.describe_failure(
        *run("x = 1", "import time\ntime.sleep(60)", timeout=1)
    )
    assert "code cell 2, which begins with 'import time'" in described
    assert described.endswith("A cell timed out while it was being executed, after 1 seconds.")
