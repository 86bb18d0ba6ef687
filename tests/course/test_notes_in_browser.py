"""Notes in the margin: short, beside their paragraph, and covered by nothing."""

from __future__ import annotations

import re

import pytest

from tests.helpers.browsing import ROOT, visit

NOTE = re.compile(r"^:::\{margin\}\n(.*?)\n:::$", re.MULTILINE | re.DOTALL)
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]_*.md"))
MOST_WORDS = 60
LOW = 600  # px: the contents are higher than such a window
PROSE = re.compile(r"(?![#|>`:-]|\$\$|\d\. |\(\S+\)=)")


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_a_note_and_each_stands_between_paragraphs(path):
    text = path.read_text(encoding="utf-8")
    notes = list(NOTE.finditer(text))
    assert len(notes) == text.count("{margin}")
    assert notes
    for note in notes:
        assert len(note[1].split()) <= MOST_WORDS, note[1]
        before = text[: note.start()].rstrip().rsplit("\n\n", 1)[1]
        after = text[note.end() :].lstrip().split("\n\n", 1)[0]
        assert text[note.start() - 2 : note.start()] == "\n\n", note[1]
        assert PROSE.match(before), before
        assert PROSE.match(after), after


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser
PAGES = [f"book/{path.stem}.html" for path in CHAPTERS]

# Scrolls to a note and says how it stands: whether it is seen as a whole and covered by nothing,
# and where it is, and the paragraph before it, in the window.
SEEN = """async (note) => {
  const box = () => note.getBoundingClientRect();
  scrollTo(0, box().top + scrollY - innerHeight / 3);
  for (let i = 0; i < 4; i += 1) await new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done, 100)); // the contents beside it fold
  const { left, right, top, bottom } = box();
  const paragraph = note.previousElementSibling.getBoundingClientRect();
  const points = [];
  for (const x of [left + 4, (left + right) / 2, right - 4]) {
    for (const y of [top + 3, (top + bottom) / 2, bottom - 3]) points.push([x, y]);
  }
  const covering = points.map(([x, y]) => document.elementFromPoint(x, y))
    .filter((one) => !note.contains(one)).map((one) => one?.outerHTML.slice(0, 80));
  return {
    covering, left, right, top, bottom, paragraph: paragraph.toJSON(),
    article: document.querySelector(".bd-article h1").getBoundingClientRect().right,
    wide: document.documentElement.scrollWidth,
  };
}"""


def looked_at(page) -> list[dict]:
    notes = page.locator(".bd-article aside.margin")
    return [notes.nth(number).evaluate(SEEN) for number in range(notes.count())]


@browsing
@pytest.mark.by_turns(3)
@pytest.mark.parametrize("path", PAGES)
def test_a_note_is_beside_its_paragraph_or_below_it_and_nothing_covers_it(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        for width, is_beside in ((1920, True), (1280, True), (1199, False), (390, False)):
            page.set_viewport_size({"width": width, "height": 900})
            found = looked_at(page)
            assert found
            for note in found:
                assert note["covering"] == [], width
                assert note["wide"] <= width
                if is_beside:
                    assert note["left"] > note["article"]
                    assert note["paragraph"]["top"] - 60 < note["top"] < note["paragraph"]["bottom"]
                else:
                    assert note["top"] > note["paragraph"]["bottom"]
                    assert note["left"] > note["paragraph"]["left"]
                    assert note["right"] <= width
        assert opened.errors == []
    finally:
        page.context.close()


# Scrolls to a note that has come into sight, at some height of the window.
LOWER = SEEN.replace("innerHeight / 3", "innerHeight + box().height + LOW")


@browsing
@pytest.mark.parametrize("low", [10, 60, 120, 180])
def test_contents_end_above_a_note_that_comes_into_sight(browser, site, low):
    page = visit(browser, site, PAGES[0], "light").page
    page.set_viewport_size({"width": 1280, "height": LOW})
    notes = page.locator(".bd-article aside.margin")
    for number in range(notes.count()):
        note = notes.nth(number).evaluate(LOWER.replace("LOW", str(low)))
        assert note["bottom"] == pytest.approx(LOW - low, abs=2)
        assert note["covering"] == []
    page.context.close()


@browsing
def test_without_scripts_and_on_paper_a_note_is_below_its_paragraph(browser, site):
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": 1440, "height": 900}
    )
    page = context.new_page()
    page.goto(site + PAGES[3])
    for medium in ("screen", "print"):
        page.emulate_media(media=medium)
        note = page.locator(".bd-article aside.margin").first.bounding_box()
        paragraph = page.locator(".bd-article p:has(+ aside.margin)").first.bounding_box()
        assert note["y"] >= paragraph["y"] + paragraph["height"], medium
        assert note["x"] + note["width"] <= paragraph["x"] + paragraph["width"] + 1, medium
    context.close()


@pytest.fixture
def beside_a_note(browser, site):
    """A page whose contents are folded, because a note stands beside its text."""
    page = visit(browser, site, PAGES[3], "light").page
    page.set_viewport_size({"width": 1400, "height": LOW})
    page.locator(".bd-article aside.margin").last.evaluate(SEEN)
    page.wait_for_selector(".bd-sidebar-secondary.hide")
    yield page
    page.context.close()


def unfolded(page) -> bool:
    return page.locator(".bd-sidebar-secondary").bounding_box()["height"] > 300


@browsing
def test_contents_make_room_for_a_note_and_unfold_under_the_pointer(beside_a_note):
    page = beside_a_note
    assert not unfolded(page)
    sign = page.locator(".bd-sidebar-secondary .onthispage").bounding_box()
    assert 0 <= sign["y"] < 30  # what says that they are there stays in sight
    page.mouse.move(sign["x"] + 20, sign["y"] + 10)
    assert unfolded(page)
    marked = page.locator("#pst-page-toc-nav [aria-current]").bounding_box()
    assert 0 < marked["y"] < LOW
    page.mouse.move(500, 500)
    assert not unfolded(page)
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_selector(".bd-sidebar-secondary:not(.hide)")
    assert unfolded(page)


@browsing
@pytest.mark.parametrize(
    "link", [".bd-sidebar-secondary .whole-model a >> nth=0", "#pst-page-toc-nav a >> nth=-1"]
)
def test_contents_unfold_for_the_keyboard_and_the_page_stays(beside_a_note, link):
    page = beside_a_note
    place = page.evaluate("scrollY")
    page.locator(link).focus()
    assert unfolded(page)
    assert page.evaluate("scrollY") == place
    box = page.locator(link).bounding_box()
    assert 0 <= box["y"] < LOW - box["height"]


@browsing
def test_a_note_is_no_landmark(beside_a_note):
    notes = beside_a_note.locator(".bd-article aside.margin")
    assert notes.count() == beside_a_note.get_by_role("note").count()
    assert notes.locator("p:empty").count() == 0
