"""Every page of the built book in a real browser: no error, no request off the site, accessible."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.helpers.browsing import HTML, ROOT, themed, violations, visit

pytestmark = pytest.mark.browser

PAGES = sorted(
    path.relative_to(HTML).as_posix()
    for path in [*HTML.glob("book/*.html"), *HTML.glob("search.html"), *HTML.glob("genindex.html")]
)
AFTER_RESIZING = 500  # ms: the theme then makes what has become scrollable reachable by keyboard
WIDTHS = (360, 1280, 1440)
EXERCISES_ARE_REACHED = (
    "Math.abs(document.querySelector('#exercises > h2')?.getBoundingClientRect().top) < 150"
)
"""A page goes there once it is laid out; until it is loaded that far, it has no such heading."""


@pytest.mark.by_turns(12)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES or ["book/intro.html"])
def test_page(browser, site, path, scheme, width):
    opened = visit(browser, site, path, scheme)
    page = opened.page
    try:
        page.set_viewport_size({"width": width, "height": 900})
        if folder := os.environ.get("MTCOURSE_SCREENSHOTS"):
            picture = f"{Path(path).stem}-{scheme}-{width}.png"
            page.screenshot(path=Path(folder) / picture, full_page=True)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.locator("img:not([alt])").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "it scrolls"
        page.wait_for_timeout(AFTER_RESIZING)
        assert violations(page) == []
        assert opened.errors == []
        assert opened.foreign == []
    finally:
        page.context.close()


def test_the_box_in_which_a_chapter_begins_leads_to_its_exercises(browser, site):
    opened = visit(browser, site, "book/05_masks.html", "light")
    page = opened.page
    box = page.locator(".admonition").first
    assert box.locator(".admonition-title").inner_text() == "In this chapter"
    box.locator("a[href='#exercises']").click()
    page.wait_for_function(EXERCISES_ARE_REACHED)
    card = page.locator(".exercise-links")
    assert (
        card.get_by_role("link", name="How to open it")
        .get_attribute("href")
        .endswith("setup.html#open-a-notebook")
    )
    page.context.close()


def test_the_cover_leads_to_the_exercises_of_every_chapter(browser, site):
    opened = visit(browser, site, "book/intro.html", "light")
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 800})
    ways = page.get_by_role("navigation", name="Ways into the book")
    assert ways.get_by_role("link").count() == 2
    ways.get_by_text("Exercises", exact=True).click()
    chapters = ways.locator("details a")
    notebooks = sorted((ROOT / "exercises").glob("[0-9][0-9]_*.ipynb"))
    hrefs = [link.get_attribute("href") for link in chapters.all()]
    assert hrefs == [f"{path.stem}.html#exercises" for path in notebooks]
    attention = ways.get_by_role("link", name="4. Attention")
    told = attention.text_content()
    attention.click()
    page.wait_for_function(EXERCISES_ARE_REACHED)
    numbers = re.findall(r"\d+", page.locator(".exercise-links").text_content())
    assert re.findall(r"\d+", told) == ["4", *numbers[:2]]
    assert f"{numbers[0]} exercises, " in told
    assert opened.errors == []
    page.context.close()


def test_the_search_opens_before_the_themes_program_is_there(browser, site):
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    held = []
    page.route("**/pydata-sphinx-theme.js*", lambda route: held.append(route))
    page.goto(f"{site}book/18_search.html", wait_until="commit")
    page.locator(".search-button-field").click()
    page.keyboard.type("label smoothing")
    assert page.locator("#pst-search-dialog input").input_value() == "label smoothing"
    page.wait_for_function("() => document.readyState !== 'loading'")
    assert len(held) == 1
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=label+smoothing", wait_until="commit")
    context.close()


def test_without_scripts_a_page_has_the_books_faces_and_its_colours(browser, site):
    looks = []
    for scripts in (True, False):
        context = browser.new_context(java_script_enabled=scripts, color_scheme="light")
        page = context.new_page()
        page.goto(f"{site}book/04_attention.html")
        looks.append(
            [
                page.locator(selector).first.evaluate(
                    "one => [getComputedStyle(one).fontFamily, getComputedStyle(one).color]"
                )
                for selector in ("section > p", "h1", "pre .k", ".bd-links .current > a")
            ]
        )
        assert page.locator("math").count() > 100
        context.close()
    assert looks[0] == looks[1]
    assert looks[1][0][0].startswith('"MT Serif"')


def test_the_ways_into_the_book_stay_where_they_are_when_the_exercises_are_listed(browser, site):
    opened = visit(browser, site, "book/intro.html", "light")
    for width in (390, 1280):
        opened.page.set_viewport_size({"width": width, "height": 800})
        opened.page.wait_for_timeout(AFTER_RESIZING)
        name = opened.page.locator(".cover-ways summary")
        before = name.bounding_box()
        name.click()
        assert name.bounding_box() == before
        first, second = opened.page.locator(".cover-ways li a").all()[:2]
        assert first.bounding_box()["y"] > before["y"] + before["height"]
        assert second.bounding_box()["height"] >= 24
        name.click()
        assert not first.is_visible()
    opened.page.context.close()


@pytest.mark.parametrize("path", ["book/04_attention.html", "book/16_fine_tuning.html"])
def test_on_a_phone_whatever_goes_on_beyond_the_edge_is_shaded(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 800})
    found = page.evaluate(
        """() => {
        const boxes = [...document.querySelectorAll('.bd-article *')].filter(
            (box) => box.scrollWidth > box.clientWidth + 2
                && ['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
                && !box.closest('.admonition, .exercise, .solution, .proof, details'));
        const plain = boxes.filter((box) => getComputedStyle(box).backgroundImage === 'none');
        return [boxes.length, plain.map((box) => box.outerHTML.slice(0, 80))];
    }"""
    )
    assert found[0] > 4  # else nothing is tried
    assert found[1] == []
    page.context.close()


def test_on_a_phone_the_contents_make_way_for_what_was_chosen(browser, site):
    opened = visit(browser, site, "book/04_attention.html", "light")
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 800})
    drawer = page.locator("#pst-secondary-sidebar-modal")
    page.locator(".secondary-toggle").first.click()
    link = drawer.locator("a[href='#exercises']")
    link.click()
    page.wait_for_function("!document.getElementById('pst-secondary-sidebar-modal').open")
    page.wait_for_function(EXERCISES_ARE_REACHED)
    page.locator(".secondary-toggle").first.click()
    assert link.is_visible()
    assert opened.errors == []
    page.context.close()


def test_the_contents_show_all_the_way_where_the_reader_is(browser, site):
    """Also in sections that are longer than the window, and where the contents are, too."""
    opened = visit(browser, site, "book/09_multi_head.html", "light")
    page = opened.page
    page.set_viewport_size({"width": 1280, "height": 800})
    marked, asked = set(), page.evaluate("document.documentElement.scrollHeight")
    for place in range(0, asked, 1500):
        page.evaluate("top => window.scrollTo({top, behavior: 'instant'})", place)
        page.wait_for_function(
            """() => {
            const lists = [...document.querySelectorAll('#pst-page-toc-nav a')];
            const begun = lists.filter((link) => document.getElementById(link.hash.slice(1))
                .getBoundingClientRect().top <= 0.3 * innerHeight);
            const here = document.querySelector('#pst-page-toc-nav a[aria-current=location]');
            const end = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
            return here === ((end ? lists : begun).at(-1) ?? null);
        }"""
        )
        current = page.locator("#pst-page-toc-nav a[aria-current=location]")
        if current.count():
            marked.add(current.text_content())
            seen = current.evaluate(
                """link => {
                const [it, around] = [link, link.closest('.bd-sidebar-secondary')].map(
                    (one) => one.getBoundingClientRect());
                return it.top >= around.top && it.bottom <= around.bottom && it.height > 0;
            }"""
            )
            assert seen, current.text_content()
            assert "active" in current.get_attribute("class")
    assert len(marked) > 8
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
    contents = "document.querySelector('.bd-sidebar-secondary')"
    page.wait_for_function(f"{contents}.scrollTop === 0")  # the picture above them is seen again
    assert opened.errors == []
    page.context.close()


def test_the_chapter_that_is_read_and_the_search_are_seen_beside_a_page(browser, site):
    opened = visit(browser, site, "book/20_capstone.html", "light")
    page = opened.page
    page.set_viewport_size({"width": 1280, "height": 700})
    page.reload()
    page.wait_for_function(
        """() => {
        const links = [...document.querySelectorAll('.bd-sidebar-primary li.current > a')];
        const box = links.at(-1).getBoundingClientRect();
        return box.top > 0 && box.bottom < innerHeight;
    }"""
    )
    search = page.locator(".bd-sidebar-primary .search-button-field")
    assert search.evaluate(
        """button => {
        const box = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(box.x + box.width / 2, box.y + 10));
    }"""
    ), "the search is out of sight"
    page.context.close()


def test_on_a_phone_the_contents_open_at_the_chapter_that_is_read(browser, site):
    opened = visit(browser, site, "book/20_capstone.html", "light")
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 700})
    page.reload()
    page.locator(".primary-toggle").first.click()
    page.wait_for_function(
        """() => {
        const drawer = document.getElementById('pst-primary-sidebar-modal');
        const box = [...drawer.querySelectorAll('li.current > a')].at(-1)?.getBoundingClientRect();
        return drawer.open && box && box.top > 0 && box.bottom < innerHeight;
    }"""
    )
    assert page.evaluate("document.activeElement.matches('li.current > a')")
    assert opened.errors == []
    page.context.close()


def test_every_page_was_found(site):
    assert len(PAGES) > 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_notice_on_a_page_that_failed_can_be_read(browser, tmp_path, scheme):
    notice = (
        '<div class="danger page-failed admonition" role="alert">'
        '<p class="admonition-title">This page is incomplete</p><p>Words.</p></div>'
    )
    (tmp_path / "page.html").write_text(themed(notice), encoding="utf-8")
    opened = visit(browser, "", (tmp_path / "page.html").as_uri(), scheme)
    try:
        assert opened.page.get_by_role("alert").is_visible()
        assert violations(opened.page) == []
    finally:
        opened.page.context.close()
