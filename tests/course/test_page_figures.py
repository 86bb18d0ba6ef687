"""Figures, their code, and what cells print, as the course's own configuration builds them."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from bs4 import BeautifulSoup, Tag

from scripts import build_book
from tests.course.test_book import load_extension
from tests.course.test_small_book import WITH_CODE, write_book

page_figures = load_extension("page_figures")
printed_tables = load_extension("printed_tables")

CONTENTS = """\
format: jb-book
root: book/intro
parts:
  - caption: Chapters
    chapters:
      - file: book/04_attention
"""
FIGURE = """
```{{code-cell}} ipython3
---
mystnb:
  image:
    alt: A line that "rises".
  figure:
    name: fig-{name}
    caption: Loss.
tags: [hide-input]
---
import matplotlib.pyplot as plt
from mtcourse.figures.curves import curves

curves({{"one": [(0, 1), (1, 2)], "two": [(0, 2), (1, 3)]}}, "step", "loss")
plt.show()
```
"""
TABLE = """
```{code-cell} ipython3
:tags: [hide-input]

print("kind        right   wrong")
for kind, right in (("de", 12), ("het", 3)):
    print(f"{kind:10} {right:6} {20 - right:7}")
print("that is all")
```

```{code-cell} ipython3
print("seen")
```

```{code-cell} ipython3
:tags: [hide-input]

needed_later = 3
```
"""
PAGE = (
    f"{WITH_CODE}\n# Figures\n{FIGURE.format(name='a')}\n## Later\n{FIGURE.format(name='b')}{TABLE}"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    """A page with two figures and a table."""
    folder = tmp_path_factory.mktemp("book")
    write_book(folder)
    for old in (folder / "book").glob("*.md"):
        old.unlink()
    (folder / "_toc.yml").write_text(CONTENTS, encoding="utf-8")
    (folder / "book" / "intro.md").write_text("# Begin\n", encoding="utf-8")
    (folder / "book" / "04_attention.md").write_text(PAGE, encoding="utf-8")
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(said):
        patch.chdir(folder)
        patch.setattr(build_book, "ROOT", folder)
        patch.setattr(build_book, "BUILD", folder / "_build")
        patch.setattr(build_book, "REPORTS", folder / "_build" / "html" / "reports")
        with contextlib.redirect_stdout(said):
            assert build_book.main() == 0, said.getvalue()
    written = folder / "_build" / "html" / "book" / "04_attention.html"
    return BeautifulSoup(written.read_text("utf-8"), "html.parser")


@pytest.mark.slow
def test_figures_stand_in_the_page_with_a_name_and_ids_of_their_own(page: BeautifulSoup) -> None:
    drawn = page.select("figure .figure-box > svg.mtcourse-figure")
    assert len(drawn) == 2
    assert not page.select("figure img")
    assert {svg["aria-label"] for svg in drawn} == {'A line that "rises".'}
    assert {svg["role"] for svg in drawn} == {"img"}
    ids = [element["id"] for element in page.select("svg.mtcourse-figure [id]")]
    assert len(ids) == len(set(ids)) > 0
    for svg in drawn:
        referred = set(re.findall(r'(?:href="#|url\(#)([^")]+)', str(svg)))
        assert referred == {element["id"] for element in svg.select("[id]")}
    assert any("figures.css" in link["href"] for link in page.select("link[rel=stylesheet]"))


@pytest.mark.slow
def test_the_code_of_a_figure_is_below_it_and_named_by_its_number(page: BeautifulSoup) -> None:
    folded = page.select("details.figure-code")
    names = [
        "code for Figure 4.1",
        "code for Figure 4.2",
        "code below “Later”",
        "code for what follows below “Later”",
    ]
    assert [fold.summary["aria-label"] for fold in folded] == names
    said = [fold.summary.get_text(strip=True) for fold in folded]
    assert said == ["code", "code", "code", "code for what follows"]
    assert not any(fold.has_attr("open") for fold in folded)
    for fold in folded[:3]:
        above = fold.find_previous_sibling("div")
        assert isinstance(above, Tag)
        assert "cell_output" in above["class"]
        assert fold.select_one(".cell_input .highlight") is not None
    assert not page.select("details.hide")
    assert "curves(" in folded[0].get_text()


@pytest.mark.slow
def test_columns_that_a_cell_printed_are_a_table_and_words_are_sentences(
    page: BeautifulSoup,
) -> None:
    (table,) = page.select(".cell_output table.printed-table")
    rows = [[cell.get_text() for cell in row.select("td, th")] for row in table.select("tr")]
    assert rows == [["kind", "right", "wrong"], ["de", "12", "8"], ["het", "3", "17"]]
    assert [cell["scope"] for cell in table.select("thead th")] == ["col"] * 3
    printed = [pre.get_text().strip() for pre in page.select(".cell_output pre")]
    assert printed == ["seen"]
    said = [line.get_text() for line in page.select(".cell_output .printed-words p")]
    assert said == ["that is all"]


def test_a_picture_is_named_and_its_ids_begin_anew() -> None:
    svg = '<svg class="mtcourse-figure"><path id="f01234567-a"/><use href="#f01234567-a"/></svg>'
    page = page_figures.inline(svg, 'two\n  "lines"', "f3")
    soup = BeautifulSoup(page, "html.parser")
    assert soup.svg is not None
    assert soup.svg["aria-label"] == 'two "lines"'
    assert 'id="f3-a"' in page
    assert 'href="#f3-a"' in page


def tables(text: str) -> list[list[list[str]]]:
    return [block.rows for block in printed_tables.blocks_of(text) if block.rows]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("sum:      1.0\nlargest:  0.5", [["sum", "1.0"], ["largest", "0.5"]]),
        ("0.5     76   84 %\n< 0.5   57   33 %", [["0.5", "76", "84 %"], ["< 0.5", "57", "33 %"]]),
        ("with: 2 nats\nwithout: 3 nats", [["with", "2 nats"], ["without", "3 nats"]]),
        ("     de   het\nA   1     2\nB   3     4",
         [["", "de", "het"], ["A", "1", "2"], ["B", "3", "4"]]),
        ("tensor([[1., 0.],\n        [2., 3.]])", [["1", "0"], ["2", "3"]]),
    ],
)  # fmt: skip
def test_columns_are_found(text: str, rows: list) -> None:
    assert tables(text) == [rows]


@pytest.mark.parametrize(
    "text",
    [
        "Hij deed het raam niet open.",
        "one: 2",
        "tensor([1., 2.])\ntensor([3., 4.])",
        "[1,  2]\n[3,  4]",
        "def f(x):\n    return  x",
        "one sentence, and then another one\nwhich goes on in the next line",
        "tensor([[[1.]]])",
        "1 [2, 0] [1, 0] equal: True\n2 [0, 2] [0, 1] equal: True",
        "words: 244\n    1,383 different;\n    slope: -0.91\nhelp: 506 words,\n    slope: -1.01",
    ],
)
def test_what_is_no_table_stays(text: str) -> None:
    assert tables(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a  1\nb  2\nc  3  4",
        "learning  [0, 1]\nmuch [2, 3]\na  1\nb  2\nis so: True\nc  3\nd  4",
        "added  the same for every i: False\nturned the same for every i: True",
        "width  8: 7 tokens\nwidth 15: 7 tokens",
        "keys:   a dog\nvalues: a cat\n        -> een kat",
        "over one row       ....x\nover the sentence  xxxxx",
        "0.3 nats; writes: een een\nweights of one head: [1.0, 1.0]",
        "joint: 1000\nseparate: 740 a side,\nsuch as museum",
        "late = 5    # days\nearly = 3   # days",
    ],
)
def test_lines_of_which_a_part_would_be_a_table_stay_together(text: str) -> None:
    assert not printed_tables.holds_tables(text)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("the same rows: True\n", ["the same rows: True"]),
        ("alone:     Is he?\ntogether:  He is.", ["alone: Is he?", "together: He is."]),
        ("The dog sleeps. -> De hond slaapt.", ["The dog sleeps. → De hond slaapt."]),
        ("4 of 5 are wrong,\nbut not all.", ["4 of 5 are wrong, but not all."]),
        ("words: 244 running;\n    1,383 different\n", ["words: 244 running; 1,383 different"]),
        (
            "lower in 7 of 10 starts\nas at inference",
            ["lower in 7 of 10 starts", "as at inference"],
        ),
        (
            "at place  0: 96 of 100\nat place 10: 7 of 100",
            ["at place 0: 96 of 100", "at place 10: 7 of 100"],
        ),
        (
            "with order 96 of 100\nwithout    51 of 100",
            ["with order: 96 of 100", "without: 51 of 100"],
        ),
        (
            "added  the same: False\nturned the same: True\na day, in 3 of 10",
            ["added: the same: False", "turned: the same: True", "a day, in 3 of 10"],
        ),
        (
            "d =  4, whole : looks at  9.5 of 32\nd = 16, halved: looks at 12.0 of 32",
            ["d = 4, whole: looks at 9.5 of 32", "d = 16, halved: looks at 12.0 of 32"],
        ),
        (
            "alone  loss  0.10; none right\nboth   loss 10.00; all right",
            ["alone: loss 0.10; none right", "both: loss 10.00; all right"],
        ),
        ("in:    park station\n       child beach", []),
        ("the output: five   weights: seven", []),
        ("learner,notebook,points\nben,04_attention,3,late work", []),
        ("rows sum to [0.1, 1.0]", []),
        ("one  line and another", []),
        ("it writes:\n  word word", []),
        ("a b\nthe key is <pad>", []),
        ("▁The ▁old dog", []),
        ("0.25", []),
        ("tensor(1.) it is", []),
        ("a -> b", []),
    ],
)
def test_lines_of_words_are_sentences(text: str, sentences: list[str]) -> None:
    assert printed_tables.sentences_of(text.split("\n")) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "on new sentences:\na  1\nb  2\nlower in 2 of 3",
        "asked  a\nanswer  b\n\nasked  c\nanswer  d",
        "left out:           0.1\npredicted like words: 5.6",
        "  at  om één uur\n one  om één uur",
        "tensor([[1, 2]])\ntensor([[3, 4]])\nequal: True",
        "causal  cells that are not 0: 0\nnone  cells that are not 0: 45",
    ],
)
def test_a_table_may_have_lines_above_and_below(text: str) -> None:
    assert printed_tables.holds_tables(text)
