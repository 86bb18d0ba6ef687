"""What the reader has done is kept in the browser: marks, boxes, the way back, forgetting."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtcourse.figures.guess import guess
from mtcourse.questions.on_page import ask
from mtcourse.questions.question import Mistake, Question
from tests.course.test_book import BOOK

pytestmark = pytest.mark.browser

CONTENTS = """<nav class="bd-links"><ul>
<li><a href="04_attention.html">4. Attention</a></li>
<li><a href="05_masks.html">5. Masks</a></li></ul></nav>"""
CARD = """<ul><li class="exercise-card"><p class="exercise-title">Scaled scores</p>
<p><code>scaled_<wbr>scores</code></p></li></ul>"""
END = '<div style="height: 4000px"></div><footer class="prev-next-footer">next</footer>'
SECTIONS = "".join(
    f'<section id="part-{n}"><h2>Part {n}<a>#</a></h2>'
    f'<details><summary>x</summary><figure id="folded-{n}">Words.</figure></details>'
    '<div style="height: 2000px"></div>'
    f'<figure id="fig-{n}">A figure<div style="height: 900px"></div></figure></section>'
    for n in range(1, 7)
)
MISTAKES = (Mistake("two", "Too few.", "x.y"), Mistake("four", "Too many.", "x.z"))
ASKED = ask([Question(name, f"{name}?", "three", "Count.", MISTAKES) for name in ("How", "What")])
GUESSED = (
    f'<div class="cell">{guess("Which?", ["5%", "45%"], 1).data}</div>'
    '<div class="after-guess"><p id="result">46%</p></div>'
)
PAGES = {
    "intro": "<h1>What you will build</h1>",
    "04_attention": f"<h1>4. Attention<a>#</a></h1>{CARD}{GUESSED}{ASKED.data}{END}",
    "05_masks": f'<h1>5. Masks</h1><div style="height: 900px"></div>{SECTIONS}{END}',
}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Three pages with nothing but what the program looks for, opened by file://."""
    for name in ("progress.js", "progress.css"):
        (tmp_path / name).write_bytes((BOOK / "_static" / name).read_bytes())
    for name, article in PAGES.items():
        (tmp_path / f"{name}.html").write_text(
            "<!doctype html><meta charset=utf-8><link rel=stylesheet href=progress.css>"
            f"<script defer src=progress.js></script>{CONTENTS}<article>{article}</article>",
            encoding="utf-8",
        )
    return tmp_path


@pytest.fixture
def page(browser):
    context = browser.new_context()
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


def read_to_the_end(page, book: Path, name: str) -> None:
    page.goto((book / f"{name}.html").as_uri())
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector("nav.bd-links .progress-mark", state="attached")


def test_a_new_reader_sees_nothing_of_it(page, book):
    page.goto((book / "intro.html").as_uri())
    assert page.locator(".progress-mark, .progress-box").count() == 0


def test_a_chapter_is_read_when_its_end_is_reached(page, book):
    page.goto((book / "04_attention.html").as_uri())
    page.wait_for_timeout(200)
    assert page.locator(".progress-mark").count() == 0
    read_to_the_end(page, book, "04_attention")
    marked = page.locator("nav.bd-links a:has(.progress-mark)")
    assert [text.replace(" ✓ read", "") for text in marked.all_inner_texts()] == ["4. Attention"]


def scroll_to(page, place: str) -> None:
    page.evaluate("id => document.getElementById(id).scrollIntoView()", place)
    page.wait_for_function(
        "id => JSON.parse(localStorage.getItem('mtcourse-progress'))?.last?.at?.id === id",
        arg=place,
    )


@pytest.mark.parametrize("place", ["part-3", "fig-3"])
def test_the_welcome_page_leads_back_to_the_place(page, book, place):
    read_to_the_end(page, book, "04_attention")
    page.goto((book / "05_masks.html").as_uri())
    scroll_to(page, place)
    page.goto((book / "04_attention.html").as_uri())  # a glance
    page.goto((book / "intro.html").as_uri())
    told = page.locator(".progress-box p").inner_text()
    assert told == "Chapters read: 1. Kept in this browser only."
    page.get_by_role("link", name="Continue with 5. Masks: Part 3", exact=True).click()
    page.wait_for_url(f"**/05_masks.html#{place}")
    # The address is there before the page has moved.
    page.wait_for_function(
        "id => Math.abs(document.getElementById(id).getBoundingClientRect().top) < 50", arg=place
    )


def test_a_dutch_book_tells_of_it_in_dutch(page, book):
    for path in book.glob("*.html"):
        text = path.read_text(encoding="utf-8").replace("<meta", "<html lang=nl><meta", 1)
        path.write_text(text, encoding="utf-8")
    read_to_the_end(page, book, "04_attention")
    assert page.locator(".progress-mark").inner_text().strip() == "✓ gelezen"
    assert page.get_by_role("checkbox", name="gedaan: Scaled scores").count() == 1
    answer(page, "1. How?", "three")
    assert page.locator(ANSWERED).all_inner_texts() == ["1. How? ✓ beantwoord"]
    page.goto((book / "05_masks.html").as_uri())
    scroll_to(page, "part-2")
    page.goto((book / "intro.html").as_uri())
    told = page.get_by_role("complementary", name="Je voortgang").inner_text().split("\n")
    assert [line for line in told if line] == [
        "Ga verder met 5. Masks: Part 2",
        "Hoofdstukken gelezen: 1. Vragen beantwoord: 1. Alleen in deze browser bewaard.",
        "Mijn voortgang vergeten",
    ]


def test_who_stays_at_the_beginning_of_a_chapter_is_led_back_there(page, book):
    page.clock.install()
    page.goto((book / "05_masks.html").as_uri())
    page.clock.run_for(9_000)
    page.goto((book / "intro.html").as_uri())
    assert page.locator(".progress-box").count() == 0
    page.goto((book / "05_masks.html").as_uri())
    page.clock.run_for(11_000)
    page.goto((book / "intro.html").as_uri())
    link = page.get_by_role("link", name="Continue with 5. Masks", exact=True)
    assert link.get_attribute("href") == "05_masks.html"


def test_a_jump_to_the_end_is_no_reading_and_two_visits_are(page, book):
    page.goto((book / "05_masks.html").as_uri())
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(300)
    assert page.locator(".progress-mark").count() == 0
    for section in ("part-1", "part-2"):
        scroll_to(page, section)
    page.goto((book / "05_masks.html").as_uri())
    scroll_to(page, "part-5")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_selector("nav.bd-links .progress-mark", state="attached")


def test_the_mark_of_a_chapter_that_was_read_can_be_seen(page, book):
    read_to_the_end(page, book, "04_attention")
    colours = page.locator("nav.bd-links a:has(.progress-mark)").evaluate(
        "link => [link, link.querySelector('.progress-mark')].map(e => getComputedStyle(e).color)"
    )
    assert colours[0] == colours[1]


def test_an_exercise_stays_ticked_until_it_is_unticked(page, book):
    address = (book / "04_attention.html").as_uri()
    page.goto(address)
    box = page.get_by_role("checkbox", name="done: Scaled scores")
    box.focus()
    page.keyboard.press("Space")
    page.goto(address)
    assert box.is_checked()
    box.uncheck()
    page.goto(address)
    assert not box.is_checked()


def answer(page, question: str, option: str) -> None:
    page.get_by_role("group", name=question).get_by_role("button", name=option, exact=True).click()


ANSWERED = ".mtcourse-question legend:has(.progress-mark)"


def test_a_question_is_answered_once_its_right_option_was_found(page, book):
    address = (book / "04_attention.html").as_uri()
    page.goto(address)
    answer(page, "1. How?", "two")
    assert page.locator(ANSWERED).count() == 0
    page.goto(address)
    assert page.locator(ANSWERED).count() == 0
    for option in ("three", "four", "three"):
        answer(page, "1. How?", option)
    for _ in "at once", "later":
        assert page.locator(ANSWERED).all_inner_texts() == ["1. How? ✓ answered"]
        page.goto(address)
    assert page.locator(".mtcourse-question[data-answered]").count() == 0  # to be tried again
    answer(page, "2. What?", "three")
    page.goto((book / "intro.html").as_uri())
    told = page.locator(".progress-box p").inner_text()
    assert told == "Questions answered: 2. Kept in this browser only."


def test_what_waited_for_a_guess_does_not_wait_for_who_comes_back(page, book):
    address = (book / "04_attention.html").as_uri()
    page.goto(address)
    assert not page.locator("#result").is_visible()
    answer(page, "Which?", "5%")
    assert page.locator("#result").is_visible()
    page.goto(address)
    assert page.locator("#result").is_visible()
    assert not page.get_by_role("button", name="Show the result").is_visible()
    assert page.locator(ANSWERED).all_inner_texts() == ["Your guess first. Which? ✓ answered"]


def test_who_did_not_guess_has_answered_nothing(page, book):
    address = (book / "04_attention.html").as_uri()
    page.goto(address)
    page.get_by_role("button", name="Show the result without a guess").click()
    assert page.locator("#result").is_visible()
    assert page.locator(ANSWERED).count() == 0
    page.goto(address)
    assert not page.locator("#result").is_visible()


def test_what_older_versions_kept_is_read(page, book):
    page.goto((book / "intro.html").as_uri())
    page.evaluate("localStorage.setItem('mtcourse-progress', '{\"read\": {\"05_masks\": 1}}')")
    page.goto((book / "04_attention.html").as_uri())
    answer(page, "1. How?", "three")
    page.goto((book / "intro.html").as_uri())
    told = page.locator(".progress-box p").inner_text()
    assert told == "Chapters read: 1. Questions answered: 1. Kept in this browser only."


def test_all_is_forgotten_on_request(page, book):
    page.goto((book / "04_attention.html").as_uri())
    answer(page, "1. How?", "three")
    read_to_the_end(page, book, "04_attention")
    page.goto((book / "intro.html").as_uri())
    forget = page.get_by_role("button", name="Forget my progress")
    page.once("dialog", lambda dialog: dialog.dismiss())
    forget.click()
    assert page.locator(".progress-mark").count() == 1
    page.once("dialog", lambda dialog: dialog.accept())
    forget.click()
    for name in ("intro", "04_attention"):
        assert page.locator(".progress-mark, .progress-box").count() == 0
        page.goto((book / f"{name}.html").as_uri())
    assert page.locator(".progress-mark").count() == 0


FORBIDDEN = """Object.defineProperty(window, "localStorage", {
  get() { throw new DOMException("forbidden", "SecurityError"); } })"""
BROKEN = 'localStorage.setItem("mtcourse-progress", "{not json")'
STRANGE = 'localStorage.setItem("mtcourse-progress", "null")'


@pytest.mark.parametrize(("script", "boxes"), [(FORBIDDEN, 0), (BROKEN, 1), (STRANGE, 1)])
def test_a_page_works_where_nothing_can_be_kept_or_read(page, book, script, boxes):
    page.add_init_script(script)
    for name in PAGES:
        page.goto((book / f"{name}.html").as_uri())
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(50)
        assert page.locator(".progress-box").count() == 0
        assert page.locator(".exercise-card input").count() == boxes * (name == "04_attention")
        if name == "04_attention":
            answer(page, "1. How?", "three")
            assert page.locator(ANSWERED).count() == boxes
