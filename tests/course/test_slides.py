"""Slides for instructors: what becomes of a page, and what pressing through a chapter shows."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup

from mtcourse.questions.every_question import questions_of
from scripts import build_slides
from scripts.build_pdf import Page, read_page
from tests.helpers.browsing import (  # noqa: F401
    HTML,
    NOT_BUILT,
    ROOT,
    browser,
    violations,
    visit,
)

CHAPTER = "14_kv_cache"
"""It opens with a guess, and has the explorer that needs most room."""
STEPS = dict.fromkeys(build_slides.STEPS, "<p>A step.</p>")
NOTES = {"Afterwards": "<ul><li>count</li></ul>", "Explorer": "<p>Move it.</p>"}
PAGE = """
<article><section><h1><span class="section-number">4. </span>Attention</h1>
<p>A word looks at others. <strong>At which ones?</strong> See below.</p>
<div class="cell"><div class="cell_output"><pre>open -> open</pre></div></div>
<section><h2>Scores</h2>
<p>Take the rows. The <a href="glossary.html">scores</a> of all of them are these, scaled:</p>
<div class="math" id="equation-s"><span class="eqno">(4.2)</span><div class="equation">
<math><mi>S</mi></math></div></div>
<p><math><mi>S</mi></math> is m × n. It is used below. <math><mi>T</mi></math> is not shown.</p>
<figure id="fig-x"><div class="figure-box"><svg aria-label="Two lines"></svg></div><figcaption>
<p><span class="caption-number">Figure 4.1 </span><span class="caption-text">Lines.</span></p>
</figcaption></figure>
<form data-guess=""><fieldset><legend><b>Your guess first.</b> More?</legend>
<div class="question-options"><button data-says="Not quite.">yes</button>
<button data-right="" data-says="You guessed right.">no</button></div></fieldset>
<button class="question-skip" data-says="no">Show it</button></form>
<div class="mtcourse-explorer" data-explorer="attention" data-translator="../_static/translator">
<script type="application/json">{}</script><noscript>x</noscript></div>
<script type="module">draw()</script></section>
<section><h2>Remember</h2><ol><li>Rows.</li></ol></section>
<section><h2>Questions</h2>
<form><fieldset><legend>1. Which?</legend><div class="question-options">
<button data-says="You added.">3</button><button data-right="" data-says="Right. By 2.">2</button>
</div></fieldset></form></section>
<section><h2>Exercises</h2><p class="exercise-summary">1 exercise</p><ul>
<li class="exercise-card"><p class="exercise-title">Row sums</p>
<p><code>row_sums</code>, predict: it.</p>
<p class="exercise-facts"><span>easy</span><span>about 5 minutes</span><span>1 point</span></p></li>
</ul></section></section></article>
"""


def soup(text: str) -> BeautifulSoup:
    """What HTML says."""
    return BeautifulSoup(text, "html.parser")


@pytest.fixture(scope="module")
def slides():
    """The slides of a made-up chapter."""
    article = soup(PAGE).article
    assert article is not None
    page = Page("04_attention", "4. Attention", "", article)
    return build_slides.slides_of(page, NOTES, STEPS)


def test_slides_follow_the_page_and_end_with_questions_summary_and_exercises(slides):
    kinds = [slide.kind for slide in slides]
    assert kinds[:4] == ["title", "list", "output", "equation"]
    assert kinds[4:] == ["figure", "question", "explorer", "question", "list", "list"]
    assert [slide.heading for slide in slides[-2:]] == ["Remember", "Exercises"]


def test_the_title_has_the_question_that_the_chapter_opens_with(slides):
    assert slides[0].heading == "At which ones?"
    assert "A word looks at others." in slides[0].body
    assert "See below." not in slides[0].body


GUESS = "<form data-guess=''><legend><b>Your guess first.</b> How many?</legend></form>"


@pytest.mark.parametrize(
    ("opening", "asked", "context", "question"),
    [
        (
            "<p>What? It is a row.</p><p>Why a row? How?</p>",
            "",
            "What? It is a row.",
            "Why a row? How?",
        ),
        (
            "<p>So. <b>No?</b> <strong>Is it?</strong></p><p><strong>Why?</strong></p>",
            "",
            "So. No?",
            "Is it? Why?",
        ),
        (
            "<p>Is it? Rows. This chapter asks what a row is.</p>",
            "What is a row?",
            "Is it? Rows.",
            "What is a row?",
        ),
        ("<p>Is it? This chapter asks what a row is.</p>", "", "", "Is it?"),
        ("<p>A. B. C. D. E. Why?</p>", "", "C. D. E.", "Why?"),
        ("<p>A. B. C. D. Why?</p>", "", "A. B. C. D.", "Why?"),
        ("<p>A. This is B:</p><p>Why?</p>", "", "A.", "Why?"),
        ("<div class='after-guess'><p>All. <strong>Why?</strong></p></div>", "", "", "Why?"),
        ("<p>Nothing is asked.</p>" + GUESS, "", "", "How many?"),
    ],
)
def test_a_chapter_opens_with_the_question_that_it_asks(opening, asked, context, question):
    article = soup(f"<article><section>{opening}</section></article>").article
    found = build_slides.opening_question(article, asked)
    assert [" ".join(soup(one).get_text().split()) for one in found] == [context, question]


@pytest.mark.parametrize("name", sorted(path.stem for path in ROOT.glob("book/[0-9][0-9]_*.md")))
def test_every_chapter_opens_with_a_question(name):
    if not (HTML / "book" / f"{name}.html").exists():
        pytest.skip(NOT_BUILT)
    notes = ROOT / "mtcourse" / "chapters" / name.partition("_")[2] / "instructors.md"
    told = build_slides.notes_of(notes.read_text(encoding="utf-8"))
    page = read_page(HTML, name, "")
    slide = build_slides.title_slide(page, told, STEPS)
    assert soup(slide.heading).get_text().strip().endswith("?")
    guesses = [build_slides.asks_of(form) for form in page.article.select("form[data-guess]")]
    assert slide.heading not in guesses, "a guess is about a detail: say it in instructors.md"
    assert build_slides.plain(told.get("Question", "")) in slide.heading


def test_what_leads_to_one_cell_does_not_lead_to_the_next():
    cell = '<div class="cell"><div class="cell_output"><pre>x</pre></div></div>'
    first, second = soup(f"<section><p>See the bars:</p>{cell}{cell}</section>").select(
        ".cell_output"
    )
    assert "See the bars:" in build_slides.output_slide(first).body
    assert "See the bars:" not in build_slides.output_slide(second).body


def test_sentences_end_where_they_end():
    text = "<p>Add <em>a.</em> B is 0.5, e.g. here. (See c. Or d.) <code>x</code> is new</p>"
    said = [build_slides.words_of(one) for one in build_slides.sentences(soup(text).p)]
    assert said == ["Add a.", "B is 0.5, e.g. here.", "(See c. Or d.)", "x is new"]


def test_an_equation_has_what_leads_to_it_and_what_its_symbols_are(slides):
    equation = slides[3]
    shown = soup(equation.body)
    assert equation.heading == "Scores"
    assert "Equation (4.2)" in equation.above
    assert shown.select_one(".lead").get_text().startswith("The scores of all of them")
    assert shown.select_one(".symbols").get_text(strip=True) == "Sis m × n."
    assert "T" in equation.notes
    assert not shown.select("a")


def test_a_figure_keeps_its_words(slides):
    figure = slides[4]
    assert soup(figure.body).svg["aria-label"] == "Two lines"
    assert soup(figure.body).figcaption.get_text() == "Lines."
    assert "Two lines" in figure.notes


def test_a_guess_gives_no_credit(slides):
    guess = soup(slides[5].body)
    assert slides[5].heading == "More?"
    assert [one.get_text() for one in guess.select("dd")] == ["", "This is the result."]


def test_an_explorer_finds_its_model_beside_the_slides(slides):
    explorer = soup(slides[6].body)
    assert explorer.div["data-translator"] == "_static/translator"
    assert "draw()" in explorer.find_all("script")[-1].get_text()
    assert slides[6].notes == STEPS["explorer"] + NOTES["Explorer"]


def test_a_question_tells_what_is_wrong_with_each_option(slides):
    question = soup(slides[7].body)
    assert slides[7].heading == "Which?"
    assert slides[7].above == "Question 1 of 1"
    assert [one.get_text() for one in question.select("dd")] == ["You added.", "Right. By 2."]
    assert [one.get_text() for one in question.select("[data-right] dt")] == ["b 2"]


def test_exercises_have_their_times(slides):
    row = [cell.get_text() for cell in soup(slides[9].body).select("tbody td")]
    assert row == ["Row sums", "predict", "easy", "about 5 minutes", "1 point"]


def test_notes_have_formulas():
    notes = build_slides.notes_of("## Explorer\n\n1. Move $d_k$.\n\n## In pairs\n\n`x`\n")
    assert soup(notes["Explorer"]).li.math is not None
    assert notes["In pairs"] == "<p><code>x</code></p>\n"
    assert "Question" not in notes
    assert build_slides.notes_of("Why?\n\n## Explorer\n\nx")["Question"] == "<p>Why?</p>\n"


def test_the_guide_has_each_step_of_a_class():
    guide = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    assert set(build_slides.steps_of(guide)) == set(build_slides.STEPS)
    with pytest.raises(SystemExit, match="Summary"):
        build_slides.steps_of(guide.replace("**Summary", "**End"))


def test_the_script_stays_small():
    script = (ROOT / "scripts" / "slides.js").read_text(encoding="utf-8")
    assert len(script.splitlines()) < 250
    assert "http" not in script


def test_the_questions_of_a_chapter_are_those_of_the_package():
    if not (HTML / "book" / f"{CHAPTER}.html").exists():
        pytest.skip(NOT_BUILT)
    page = read_page(HTML, CHAPTER, "")
    shown = [soup(slide.body) for slide in build_slides.questions(page.article, STEPS)]
    known = questions_of(CHAPTER.partition("_")[2])
    assert len(shown) == len(known)
    for slide, question in zip(shown, known, strict=True):
        right = slide.select("[data-right] dt")
        assert [one.get_text().split(" ", 1)[1] for one in right] == [question.right]
        wrong = {one.get_text().split(" ", 1)[1] for one in slide.select("dt")} - {question.right}
        assert wrong == {mistake.text for mistake in question.mistakes}


# --- in a browser ------------------------------------------------------------------------------

STATE = """() => {
  const slide = document.querySelector(".slide.current");
  const stage = slide.querySelector(".stage");
  const says = [...slide.querySelectorAll(".says")].map((one) => getComputedStyle(one).visibility);
  return {
    kind: slide.classList[1], says, heading: slide.querySelector("h2").textContent,
    fits: stage.scrollHeight <= stage.clientHeight + 1
      && stage.scrollWidth <= stage.clientWidth + 1,
    shown: [...document.querySelectorAll(".slide")].filter(
      (one) => getComputedStyle(one).visibility === "visible").length,
  };
}"""


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory):
    """The slides of one chapter, as they are written."""
    if not (HTML / "book" / f"{CHAPTER}.html").exists():
        pytest.skip(NOT_BUILT)
    folder = tmp_path_factory.mktemp("slides")
    build_slides.write_slides(HTML, [CHAPTER], folder)
    return folder / f"{CHAPTER}.html"


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_class_goes_through_all_slides(browser, deck, scheme):  # noqa: F811
    visited = visit(browser, deck.parent.as_uri(), f"/{deck.name}", scheme)
    page = visited.page
    page.set_viewport_size({"width": 1280, "height": 720})
    count = page.locator(".slide").count()
    parts = 0
    first = dict[str, int]()
    for number in range(1, count + 1):
        state = page.evaluate(STATE)
        page.wait_for_function(f"({STATE})().fits")  # a chart may be drawn again, in its new width
        assert state["shown"] == 1
        if number > 1:
            assert page.url.endswith(f"#{number}")
        if state["kind"] == "explorer":  # it has two parts, one after the other
            parts = page.locator(".current .mtcourse-explorer > .current").count()
            page.keyboard.press("PageDown")
            assert page.url.endswith(f"#{number}")
            page.wait_for_function(f"({STATE})().fits")
        if state["kind"] == "question":
            assert set(state["says"]) == {"hidden"}
            page.keyboard.press("PageDown")
            assert set(page.evaluate(STATE)["says"]) == {"visible"}
        first.setdefault(state["kind"], number)
        page.keyboard.press("PageDown")
    assert set(first) == {"title", "list", "output", "equation", "figure", "question", "explorer"}
    assert parts == 1
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert visited.errors == []
    assert visited.foreign == []
    for kind, number in first.items():  # last, because axe asks for files that a page may not read
        page.evaluate(f"location.hash = '#{number}'")
        page.wait_for_function(f"document.querySelector('.slide.current.{kind}')")
        found = violations(page)
        if kind == "explorer":  # made smaller to fit; the link above it leads to the larger one
            found = [line for line in found if not line.startswith("target-size")]
        assert found == [], kind
    page.context.close()


@pytest.mark.browser
def test_the_keys_of_an_explorer_are_its_own_and_paper_has_a_slide_a_page(browser, deck):  # noqa: F811
    from pypdf import PdfReader

    visited = visit(browser, deck.parent.as_uri(), f"/{deck.name}#explorer=kv_cache", "dark")
    page = visited.page
    assert page.evaluate(STATE)["kind"] == "explorer"
    page.locator(".slide.current input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE)["kind"] == "explorer"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE)["kind"] == "explorer"  # its second part
    page.keyboard.press("ArrowRight")
    assert page.evaluate(STATE)["kind"] != "explorer"
    notes = page.locator(".slide.current .notes")
    page.keyboard.press("ArrowLeft")
    assert not notes.is_visible()
    page.keyboard.press("n")
    assert page.locator(".slide.current .notes").is_visible()
    page.wait_for_function(f"({STATE})().fits")
    pdf = deck.with_suffix(".pdf")
    page.pdf(path=pdf, prefer_css_page_size=True)
    texts = [one.extract_text() for one in PdfReader(pdf).pages]
    assert len(texts) == page.locator(".slide").count()
    assert re.search("Right", "".join(texts))
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert visited.errors == []
    page.context.close()


# The room that an explorer has on its slide, and how large its words are beside the slide's.
ROOM = """() => {
  const stage = document.querySelector(".slide.explorer .stage");
  const box = stage.querySelector(".mtcourse-explorer").getBoundingClientRect();
  return {
    fits: stage.scrollHeight <= stage.clientHeight + 1
      && stage.scrollWidth <= stage.clientWidth + 1,
    scrolls: stage.hasAttribute("tabindex"), width: box.width / stage.clientWidth,
    zoom: Number(stage.firstElementChild.style.zoom),
  };
}"""
EXPLORERS = sorted(
    page.stem
    for page in ROOT.glob("book/[0-9][0-9]_*.md")
    if (ROOT / "mtcourse" / "chapters" / page.stem.partition("_")[2] / "explorer.py").exists()
)


@pytest.fixture(scope="module")
def decks(tmp_path_factory: pytest.TempPathFactory):
    """The slides of all chapters with explorers, as they are written."""
    if any(not (HTML / "book" / f"{name}.html").exists() for name in EXPLORERS):
        pytest.skip(NOT_BUILT)
    folder = tmp_path_factory.mktemp("decks")
    build_slides.write_slides(HTML, EXPLORERS, folder)
    return folder


@pytest.mark.browser
@pytest.mark.by_turns(3)
@pytest.mark.parametrize("name", EXPLORERS)
def test_an_explorer_fills_its_slide_and_is_not_cut(browser, decks, name):  # noqa: F811
    address = f"/{name}.html#explorer={name.partition('_')[2]}"
    page = visit(browser, decks.as_uri(), address, "light").page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function(f"({ROOM})().fits")
    room = page.evaluate(ROOM)
    assert not room["scrolls"]
    assert room["width"] > 0.9
    assert room["zoom"] > 0.6
    tracks = "(all) => all.filter((one) => one.offsetWidth).map((one) => one.offsetWidth)"
    sliders = page.locator(".slide.explorer input[type=range]").evaluate_all(tracks)
    assert all(width > 60 for width in sliders)
    page.context.close()
