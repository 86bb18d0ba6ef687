"""Cards of what references lead to: with the mouse, with the keyboard, and to screen readers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.helpers.browsing import HTML, NOT_BUILT, violations, visit

pytestmark = pytest.mark.browser

CHAPTER = "book/05_masks.html"
EQUATION = 'article a.internal[href^="#equation-"]'
FIGURE = 'article a.internal[href^="#fig-"]'
TERM = 'article a.internal[href^="glossary.html#term-"]'
CITATION = 'article a.internal[href^="bibliography.html#"]'
PAGE = (
    'article p a.internal[href$="_embeddings.html"], article p a.internal[href$="_attention.html"]'
)
CARD = "#preview-card"
PATIENCE = 5000  # ms
LONG_ENOUGH = 700  # ms: a card would have opened, or closed
# What stands at the other end, as its own page shows it.
TARGET = """async ([selector, inside]) => {
  const link = new URL(document.querySelector(selector).href);
  let page = document;
  if (link.pathname !== location.pathname) {
    const text = await (await fetch(link.pathname)).text();
    page = new DOMParser().parseFromString(text, "text/html");
  }
  const target = page.getElementById(decodeURIComponent(link.hash.slice(1)));
  const wanted = inside === "dd" ? target.nextElementSibling : target.querySelector(inside);
  return wanted.textContent.replace(/\\s+/g, " ").trim();
}"""
TWICE = """() => {
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i);
}"""


@pytest.fixture(scope="module")
def page(browser, site) -> Iterator:
    if not (HTML / CHAPTER).exists():
        pytest.skip(NOT_BUILT)
    visited = visit(browser, site, CHAPTER, "light")
    yield visited.page
    visited.page.context.close()
    assert visited.errors == []
    assert visited.foreign == []


@pytest.fixture(autouse=True)
def _nothing_is_open(page):
    page.keyboard.press("Escape")
    page.mouse.move(2, 2)
    page.evaluate("document.activeElement.blur()")
    page.locator(CARD).wait_for(state="hidden")


def point_at(page, selector: str):
    link = page.locator(selector).first
    link.evaluate("(link) => link.scrollIntoView({block: 'center', behavior: 'instant'})")
    link.hover()
    card = page.locator(CARD)
    card.wait_for(state="visible", timeout=PATIENCE)
    return card


def words(located) -> str:
    return " ".join(located.text_content().split())


def described(page, selector: str) -> str:
    """What a screen reader says of a link beside its name."""
    session = page.context.new_cdp_session(page)
    found = session.send(
        "Runtime.evaluate", {"expression": f"document.querySelector('{selector}')"}
    )
    tree = session.send(
        "Accessibility.getPartialAXTree",
        {"objectId": found["result"]["objectId"], "fetchRelatives": False},
    )
    return " ".join(str(tree["nodes"][0].get("description", {}).get("value", "")).split())


@pytest.mark.parametrize(
    ("selector", "inside"),
    [(EQUATION, "math"), (FIGURE, ".caption-text"), (TERM, "dd"), (CITATION, "p")],
)
def test_a_card_shows_what_the_reference_leads_to(page, selector, inside):
    card = point_at(page, selector)
    wanted = page.evaluate(TARGET, [selector, inside])
    assert len(wanted) > 10
    assert wanted in words(card)
    if selector == EQUATION:
        assert words(card.locator(".eqno")) == words(page.locator(selector).first)
    if selector == FIGURE:
        assert card.locator("svg").bounding_box()["height"] > 50
    assert page.evaluate(TWICE) == []
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]


def test_a_card_shows_a_chapter_with_its_number_and_what_it_teaches(page):
    card = point_at(page, PAGE)
    assert "You will be able to" in words(card)
    assert words(card)[0].isdigit()


def test_the_mouse_may_go_onto_the_card_and_it_stays_until_it_leaves(page):
    card = point_at(page, TERM)
    box = card.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + box["height"] / 2)
    page.wait_for_timeout(LONG_ENOUGH)
    assert card.is_visible()
    page.mouse.move(2, 2)
    card.wait_for(state="hidden", timeout=PATIENCE)


def test_escape_closes_a_card_until_the_reference_is_pointed_at_again(page):
    # A reference of two parts, as "Bahdanau *et al.*, 2015" is.
    page.locator(CITATION).first.evaluate(
        "(link) => link.insertAdjacentHTML('beforeend', ' <em>in</em>')"
    )
    card = point_at(page, CITATION)
    page.keyboard.press("Escape")
    assert card.is_hidden()
    for part in (f"{CITATION} em", CITATION):  # from one part of the reference to another
        box = page.locator(part).first.bounding_box()
        page.mouse.move(box["x"] + 3, box["y"] + box["height"] / 2)
    page.wait_for_timeout(LONG_ENOUGH)
    assert card.is_hidden()
    page.mouse.move(2, 2)
    assert point_at(page, CITATION).is_visible()


def test_the_keyboard_opens_a_card_that_describes_the_link_once(page):
    link, card = page.locator(CITATION).first, page.locator(CARD)
    title = link.get_attribute("title")
    link.evaluate("(link) => link.focus({focusVisible: true})")
    card.wait_for(state="visible", timeout=PATIENCE)
    page.mouse.move(5, 5)
    page.wait_for_timeout(LONG_ENOUGH)
    assert card.is_visible()
    assert described(page, CITATION) == words(card)
    assert title[:40] in words(card)
    assert link.get_attribute("title") is None
    assert card.get_attribute("aria-hidden") == "true"  # nobody comes across it a second time
    assert card.locator(":is(a, [tabindex]):not([tabindex='-1'])").count() == 0
    page.keyboard.press("Tab")
    assert link.get_attribute("title") == title
    assert described(page, CITATION) == title


def test_a_formula_is_no_description(page):
    page.locator(EQUATION).first.evaluate("(link) => link.focus({focusVisible: true})")
    page.locator(CARD).wait_for(state="visible", timeout=PATIENCE)
    assert described(page, EQUATION) == ""


def test_a_card_that_just_opened_is_on_no_paper(page):
    card = point_at(page, FIGURE)
    page.emulate_media(media="print")
    assert card.is_hidden()
    page.emulate_media(media="screen")


def test_a_card_opens_from_a_disk_in_the_dark_and_forced_colours(browser):
    if not (HTML / CHAPTER).exists():
        pytest.skip(NOT_BUILT)
    visited = visit(browser, "", (HTML / CHAPTER).as_uri(), "dark")
    page = visited.page
    card = point_at(page, TERM)
    assert len(words(card)) > 20
    ground = "(card) => getComputedStyle(card).backgroundColor"
    assert card.evaluate(ground) == page.locator("body").evaluate(ground)
    assert visited.errors == []
    assert violations(page, CARD) == []
    page.emulate_media(forced_colors="active")
    edge = card.evaluate("(card) => getComputedStyle(card).borderLeftWidth")
    assert edge == "2px"
    page.context.close()


@pytest.mark.parametrize("height", [0.15, 0.5, 0.85])
def test_a_card_of_a_figure_stays_within_the_window(page, height):
    link = page.locator(FIGURE).first
    link.evaluate(
        "(link, at) => scrollBy(0, link.getBoundingClientRect().top - at * innerHeight)", height
    )
    link.hover()
    card = page.locator(CARD)
    card.locator("figcaption").wait_for(state="visible", timeout=PATIENCE)
    page.wait_for_timeout(LONG_ENOUGH)
    place = "one => (({ top, bottom }) => [top, bottom])(one.getBoundingClientRect())"
    top, bottom = card.evaluate(place)
    assert 0 <= top < bottom <= page.evaluate("innerHeight")
    for part in card.locator("figure svg, figcaption").all():
        begin, end = part.evaluate(place)
        assert top <= begin < end <= bottom, "a part of the figure is cut off"


def test_a_finger_that_touches_a_reference_follows_it(browser, site):
    context = browser.new_context(has_touch=True, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(site + CHAPTER, wait_until="load")
    link, session = page.locator(EQUATION).first, context.new_cdp_session(page)
    link.evaluate("(link) => link.scrollIntoView({block: 'center', behavior: 'instant'})")
    box = link.bounding_box()
    finger = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [finger]})
    page.wait_for_timeout(LONG_ENOUGH)
    assert page.locator(CARD).count() == 0
    session.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    link.tap()
    page.wait_for_timeout(LONG_ENOUGH)
    assert page.evaluate("location.hash").startswith("#equation-")
    assert page.locator(CARD).count() == 0
    context.close()
