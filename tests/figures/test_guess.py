"""A question before a result: its HTML, its place in the chapters, and what a reader sees of it."""

from __future__ import annotations

import re
from html import escape

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import CSS
from mtcourse.figures.guess import closest, guess
from mtcourse.figures.question_form import Option, question_form
from tests.helpers.browsing import ALONE, ROOT, violations, visit

CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]_*.md"))
CELL = re.compile(r"^```\{code-cell\} ipython3\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_option_nearest_to_a_result_is_right():
    assert closest(46.1, ["about 5%", "about 20%", "about 45%"]) == 2
    assert closest(12_900.0, ["1,000 words", "13,000 words"]) == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: closest(10.0, ["about 5%", "about 15%"]), "about as far from one option"),
        (lambda: closest(10.0, ["few", "about 15%"]), "has no number"),
        (lambda: guess("?", ["yes"], 0), "at least two options"),
        (lambda: guess("?", ["yes", "yes"], 0), "all different"),
        (lambda: guess("?", ["yes", "no"], 2), "from 0 to 1, but is 2"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(call, says):
    with pytest.raises(MtcourseError, match=says):
        call()


def test_an_option_cannot_become_markup():
    html = guess("?", ['<b>"', "no"], 0).data
    assert html is not None
    assert "<b>&quot;" not in html
    assert "&lt;b&gt;&quot;" in html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2 · √d_k and W_O", "2 · √d<sub>k</sub> and W<sub>O</sub>"),
        ("h_class W", "h<sub>class</sub> W"),
        ("min_p of λ_1", "min_p of λ<sub>1</sub>"),
        ("PE(9) R_−6", "PE(9) R<sub>−6</sub>"),
        ("a < y_2", "a &lt; y<sub>2</sub>"),
    ],
)
def test_an_index_stands_lower_in_options_and_in_what_they_say(text, shown):
    options = [Option(text, f"{text}, `W_O`", right=True), Option("no", "No.")]
    html = question_form("q", text, options)
    assert f"<legend>{shown}</legend>" in html
    assert f">{shown}</button>" in html
    assert f'data-says="{escape(f"{shown}, <code>W_O</code>")}" data-right' in html


def parts_of_sections(text: str) -> list[list[str]]:
    """For each section of a chapter, in order, what asks and what waits."""
    found = []
    outside = CELL.sub(lambda cell: re.sub("^#", " ", cell[0], flags=re.MULTILINE), text)
    for section in re.split(r"^#+ ", outside, flags=re.MULTILINE):
        marks = re.finditer(
            r"^\s?guess\(|^:::\{container\} after-guess|^:?tags: \[.*after-guess",
            section,
            re.MULTILINE,
        )
        found.append(["asks" if "guess(" in mark[0] else "waits" for mark in marks])
    return [section for section in found if section]


def test_what_waits_for_a_guess_follows_one_in_its_section():
    found = {path.name: parts_of_sections(path.read_text(encoding="utf-8")) for path in CHAPTERS}
    assert sum(map(bool, found.values())) >= 12
    for name, sections in found.items():
        for marks in sections:
            assert marks[0] == "asks", f"{name}: something waits and nothing was asked"
            assert marks[-1] == "waits", f"{name}: a guess, and nothing waits for it"


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser
WAITS = """<div class="cell tag_after-guess"><div class="cell_output">
<p id="{}" style="height: 20em">46%</p></div></div>"""


@pytest.fixture(params=["light", "dark"])
def opened(browser, tmp_path, request: pytest.FixtureRequest):
    """A page with two sections: one asks and has three parts behind, the other asks later."""
    one, other = (guess(f"{name}?", ["5%", "45%"], 1).data for name in ("One", "Other"))
    content = (
        f'<section><h2>a</h2><p id="before">x</p><div class="cell">{one}</div>{WAITS.format("out")}'
        '<div class="after-guess"><p id="prose">nearly half</p></div>'
        f'{WAITS.format("more")}<p id="goes-on">x</p></section>'
        f'<section><h2>b</h2><div class="cell">{other}</div>{WAITS.format("later")}</section>'
    )
    scheme = '<meta name="color-scheme" content="light dark">'
    page = f"{ALONE}{scheme}<main><h1>x</h1>{content}</main></html>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    visited = visit(browser, tmp_path.as_uri(), "/page.html", request.param)
    yield visited
    assert visited.errors == []
    visited.page.context.close()


def seen(page) -> list[str]:
    names = ("before", "out", "prose", "goes-on", "later")
    return [name for name in names if page.locator(f"#{name}").is_visible()]


@browsing
def test_a_result_waits_for_the_guess_of_its_section(opened):
    page = opened.page
    assert seen(page) == ["before", "goes-on"]
    assert violations(page) == []
    page.get_by_role("group", name="One?").get_by_role("button", name="5%", exact=True).click()
    assert seen(page) == ["before", "out", "prose", "goes-on"]
    assert page.get_by_role("status").first.inner_text() == "Not quite. The answer is: 45%."
    assert violations(page) == []


@browsing
def test_all_that_waits_for_a_guess_is_one_low_box(opened):
    page = opened.page
    cells = page.locator("section").first.locator(".tag_after-guess")
    tall = "cells => cells.map(cell => cell.getBoundingClientRect().height)"
    first, second = cells.evaluate_all(tall)
    assert 40 < first < 100
    assert second == 0
    assert says_that_it_waits(page) == "The result appears here after your guess."
    page.get_by_role("button", name="Show the result without a guess").first.click()
    assert min(cells.evaluate_all(tall)) > 200
    assert page.locator("#more").is_visible()


def says_that_it_waits(page) -> str:
    """What stands in the box in place of a result."""
    box = page.locator(".tag_after-guess > .cell_output").first
    return str(box.evaluate("box => JSON.parse(getComputedStyle(box, '::before').content)"))


@browsing
def test_the_box_speaks_the_language_of_its_page(browser, tmp_path):
    messages = '{"The result appears here after your guess.": "Nog \\"even\\" wachten."}'
    content = f'<div class="cell">{guess("One?", ["5%", "45%"], 1).data}</div>{WAITS.format("out")}'
    page = f"{ALONE}<script>globalThis.mtcourseMessages = {messages}</script><main>{content}</main>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    visited = visit(browser, tmp_path.as_uri(), "/page.html", "light")
    assert says_that_it_waits(visited.page) == 'Nog "even" wachten.'
    visited.page.context.close()


@browsing
def test_a_right_guess_is_told_by_the_keyboard_alone(opened):
    page = opened.page
    button = page.get_by_role("group", name="Other?").get_by_role("button", name="45%")
    button.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("status").nth(1).inner_text() == "You guessed right."
    assert seen(page) == ["before", "goes-on", "later"]


@browsing
def test_nobody_has_to_guess(opened):
    opened.page.get_by_role("button", name="Show the result without a guess").first.click()
    assert "out" in seen(opened.page)
    assert opened.page.get_by_role("status").first.inner_text() == "The answer is: 45%."


@browsing
def test_a_guess_is_made_once(opened):
    page = opened.page
    one = page.get_by_role("group", name="One?")
    one.get_by_role("button", name="5%", exact=True).click()
    one.get_by_role("button", name="45%").click()
    assert page.get_by_role("status").first.inner_text() == "Not quite. The answer is: 45%."
    pressed = one.get_by_role("button", pressed=True)
    assert pressed.all_inner_texts() == ["5%"]


@browsing
def test_who_does_not_guess_keeps_the_place_on_the_page(opened):
    page = opened.page
    page.get_by_role("button", name="Show the result without a guess").first.press("Enter")
    assert page.evaluate("document.activeElement.textContent") == "45%"


@browsing
def test_a_question_is_as_large_as_the_page_beside_explorers(opened):
    """An explorer brings its styles, which come after those of the questions."""
    opened.page.add_style_tag(content=CSS)
    sizes = opened.page.locator(".mtcourse-question legend").first.evaluate(
        "legend => [legend, legend.querySelector('b'), document.querySelector('main')]"
        ".map(one => getComputedStyle(one).fontSize)"
    )
    assert len(set(sizes)) == 1
    buttons = opened.page.locator(".mtcourse-question button").first
    assert buttons.evaluate(
        "one => getComputedStyle(one).fontSize === getComputedStyle(one.form).fontSize"
    )


@browsing
def test_on_paper_and_without_scripts_nothing_waits(opened, browser):
    everything = ["before", "out", "prose", "goes-on", "later"]
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(opened.page.url)
    assert seen(page) == everything
    context.close()
    opened.page.emulate_media(media="print")
    assert seen(opened.page) == everything
