"""What holds for every chapter's explorer: it is whole, knows its settings, and all can use it."""

from __future__ import annotations

import functools
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import mtcourse
from mtcourse.chapters.search.explorer import SENTENCES
from mtcourse.chapters.seq2seq.explorer import PAIRS as PAIRS_OF_SEQ2SEQ
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer, module
from mtcourse.text.tokenizer import Tokenizer
from tests.helpers.browsing import ALONE, Visit, violations, visited_explorers
from tests.helpers.javascript import LONGEST, computed, script_of
from tests.helpers.small_corpus import PAIRS

WORDS = sorted(
    path.parent.name for path in Path(mtcourse.__path__[0]).glob("chapters/*/explorer.py")
)
MOST_WITHOUT_SCRIPTS = 15_000
"""Characters of what stands there where scripts do not run."""


@functools.cache
def arguments_of(word: str) -> tuple:
    """What an explorer needs; most show what comes with the package, two of them in part.

    Their own tests have all of it, and look at its length.
    """
    if word == "seq2seq":
        return None, PAIRS_OF_SEQ2SEQ[:1]
    if word == "search":
        return None, SENTENCES[:1]
    if word != "problem_setup":
        return ()
    tokenizers = [Tokenizer.train([pair.source for pair in PAIRS], size) for size in (290, 320)]
    return tokenizers, ["The old dog </script> sleeps.", "A cat"]


def function_of(word: str):
    return getattr(
        importlib.import_module(f"mtcourse.chapters.{word}.explorer"), f"{word}_explorer"
    )


@functools.cache
def explorer_of(word: str) -> Explorer:
    return function_of(word)(*arguments_of(word))


@pytest.fixture(params=WORDS)
def word(request: pytest.FixtureRequest) -> str:
    return request.param


def test_every_script_has_its_function():
    scripts = {path.parent.name for path in Path(mtcourse.__path__[0]).glob("chapters/*/*.js")}
    assert scripts == set(WORDS) >= {"attention", "masks"}


@pytest.mark.by_turns(3)
def test_a_notebook_gets_the_widget_and_a_page_its_html(word):
    explorer = explorer_of(word)
    assert explorer.name == word
    data, _ = explorer._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    assert data["text/html"] == explorer.html()
    assert data["text/plain"] == f"<explorer {word}>"


@pytest.mark.by_turns(3)
def test_the_html_is_whole_and_loads_nothing(word):
    explorer = explorer_of(word)
    assert len(explorer.html()) < LONGEST
    soup = BeautifulSoup(explorer.html(), "html.parser")
    state, script = soup.find_all("script")
    assert json.loads(state.string) == {"data": explorer.data, "settings": explorer.settings}
    assert state.find_parent()["data-explorer"] == word
    assert soup.noscript.p.text == explorer.otherwise
    assert script["type"] == "module"
    assert "import" not in re.findall(r"^\w+", script.string, re.MULTILINE)
    assert "http" not in script.string.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.by_turns(3)
def test_script_and_what_it_imports_are_one_module(word):
    assert module(script_of(word)).count("export default { render }") == 1
    assert computed(word, "typeof render") == "function"


@pytest.mark.by_turns(3)
def test_a_setting_that_is_unknown_is_refused_with_those_that_there_are(word):
    known = ", ".join(explorer_of(word).settings)
    with pytest.raises(MtcourseError, match=f"no settings speed; it has {known}"):
        function_of(word)(*arguments_of(word), settings={"speed": 1})


@pytest.mark.by_turns(3)
def test_a_page_without_scripts_has_a_small_picture_and_its_table(word):
    explorer = explorer_of(word)
    assert explorer.still is not None
    still = explorer.still(explorer.settings)
    table = BeautifulSoup(explorer.html(), "html.parser").select_one("noscript table")
    assert table.caption.text == re.sub(r"_(?=[A-Za-z0-9])", "", still.caption)
    assert len(table.select("tbody tr")) == len(still.rows)
    assert table.find_previous("svg")["class"] == ["mtcourse-figure"]
    assert len(still.html()) < MOST_WITHOUT_SCRIPTS


@pytest.mark.by_turns(3)
@pytest.mark.browser
def test_without_scripts_each_explorer_is_a_picture_with_its_table(browser, word, tmp_path):
    explorer = explorer_of(word)
    assert explorer.still is not None
    rows = explorer.still(explorer.settings).rows
    file = tmp_path / "page.html"
    file.write_text(f"{ALONE}<main>{explorer.html()}</main></html>", encoding="utf-8")
    for scripts in (False, True):
        size = {"width": 400, "height": 900}
        context = browser.new_context(java_script_enabled=scripts, viewport=size)
        page = context.new_page()
        page.goto(file.as_uri())
        table = page.locator("table.explorer-still")
        picture = page.locator("noscript svg, svg.mtcourse-figure")
        if scripts:
            assert table.count() == picture.count() == 0
        else:
            assert table.is_visible()
            assert picture.count() == 1
            box = picture.bounding_box()
            assert box["width"] > 200
            assert 80 < box["height"] < 500
            assert box["y"] < table.bounding_box()["y"]
            shown = [
                [cell.replace("−", "-").replace(",", "") for cell in line.split("\t")]
                for line in table.locator("tbody").inner_text().split("\n")
            ]
            for cells, row in zip(shown, rows, strict=True):
                for text, cell in zip(cells, row, strict=True):
                    if not isinstance(cell, str):
                        digits = len(text.partition(".")[2])
                        assert float(text) == pytest.approx(cell, abs=0.5001 * 10**-digits)
        context.close()


@pytest.fixture(params=["light", "dark"])
def opened(browser, request: pytest.FixtureRequest, word) -> Iterator[Visit]:
    html = explorer_of(word).html()
    with visited_explorers(browser, request, "file", html, request.param) as visited:
        yield visited


@pytest.mark.by_turns(3)
@pytest.mark.browser
def test_it_can_be_used_by_everybody_on_every_screen(opened):
    for width in (1400, 400):
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(opened.page) == []


CUT_ON_A_DESKTOP = r"""() => {
  const pen = document.createElement("canvas").getContext("2d");
  const cut = [...document.querySelectorAll(".explorer-pair, .explorer-pair .explorer-scroll")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.className);
  for (const select of document.querySelectorAll(".explorer-selects select")) {
    const { font } = getComputedStyle(select);
    pen.font = font;
    const longest = Math.max(...[...select.options].map((of) => pen.measureText(of.text).width));
    if (longest > select.clientWidth - 28) cut.push(select.value);
  }
  for (const slider of document.querySelectorAll("input[type=range]")) {
    if (slider.clientWidth < 190) cut.push("slider");
  }
  return cut;
}"""


@pytest.mark.by_turns(3)
@pytest.mark.browser
def test_on_a_desktop_maps_choices_and_sliders_have_room(browser, word, tmp_path):
    file = tmp_path / "page.html"
    html = explorer_of(word).html()
    file.write_text(f"{ALONE}<main>{html}</main></html>", encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    for width in (806, 704):  # as wide as on a page of 1440 and of 1280 pixels
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT_ON_A_DESKTOP) == [], width
    page.close()
