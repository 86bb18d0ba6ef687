"""The search of the built book: pagefind's over http, Sphinx's own from a disk."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.helpers.browsing import HTML, NOT_BUILT, violations, visit

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not (HTML / "index.html").exists(), reason=NOT_BUILT),
]
FOUND = "#search-results .search > li"
SHOWN = f"""() => {{
  const said = document.querySelector(".search-summary")?.textContent;
  return said && (said.startsWith("No page") || document.querySelector("{FOUND}"));
}}"""
"""The number of pages is said before the first of them is read."""


def pages_of(page) -> list[str]:
    """The pages that are shown as found, the best first."""
    page.wait_for_function(f"({SHOWN})()")
    links = page.locator(f"{FOUND} > a")
    return [urlsplit(link.get_attribute("href")).path.split("/")[-1] for link in links.all()]


@pytest.fixture
def opened(browser, site, request):
    """The page with what was found for a question; nothing has gone wrong in the end."""
    visited = visit(browser, site, f"search.html?q={quote(request.param)}", "light")
    yield visited
    assert visited.errors == []
    assert visited.foreign == []
    visited.page.context.close()


@pytest.mark.parametrize(
    ("opened", "page", "place"),
    [
        ("beam search", "18_search.html", "beam-search-by-hand"),
        ("label smoothing", "08_loss.html", "label-smoothing"),
        ("perplexity", "glossary.html", "term-perplexity"),
        ("nucleus sampling", "glossary.html", "term-nucleus"),
        ("why divide by d_k", "04_attention.html", "why-divide-by-sqrt-d-k"),
        ("padding mask", "05_masks.html", "nothing-there-the-padding-mask"),
        ("scaled_scores", "api_layers.html", "mtcourse.layers.attention.scaled_scores"),
        ("√d_k", "04_attention.html", "why-divide-by-sqrt-d-k"),
        ("sinusoidal", "03_positions.html", ""),
    ],
    indirect=["opened"],
)
def test_a_question_leads_to_the_place_that_answers(opened, page, place):
    found = opened.page
    assert page in pages_of(found)[:5]
    places = found.locator(f".found-places a[href*='/book/{page}#']")
    shown = [urlsplit(link.get_attribute("href")).fragment for link in places.all()]
    assert not place or place in shown
    assert found.locator(".search mark").count() > 0


@pytest.mark.parametrize(
    ("opened", "place"),
    [
        ("label smoothing", "term-label-smoothing"),
        ("What is perplexity?", "term-perplexity"),
        ("padding masks", ""),
    ],
    indirect=["opened"],
)
def test_whoever_asks_for_a_term_reads_its_definition_first(opened, place):
    pages_of(opened.page)
    term = opened.page.locator(f"{FOUND}.found-term")
    assert term.count() == bool(place)
    if place:
        first = opened.page.locator(FOUND).first
        assert first.locator("a").get_attribute("href").endswith(f"glossary.html#{place}")
        assert len(first.locator(".context").text_content()) > 60


@pytest.mark.parametrize("width", [390, 1440])
def test_the_icon_before_what_was_typed_searches(browser, site, width):
    page = visit(browser, site, "book/05_masks.html", "light").page
    page.set_viewport_size({"width": width, "height": 844})
    page.locator(".search-button-field:visible, .search-button:visible").first.click()
    dialog = page.locator("#pst-search-dialog")
    dialog.get_by_role("searchbox").fill("teacher forcing")
    dialog.get_by_role("button", name="Search").click()
    page.wait_for_url("**/search.html?q=teacher+forcing")
    assert "glossary.html" in pages_of(page)[:2]
    page.context.close()


@pytest.mark.parametrize("opened", ["attention"], indirect=True)
def test_every_place_that_was_found_is_there(opened):
    pages_of(opened.page)
    hrefs = [link.get_attribute("href") for link in opened.page.locator("#search-results a").all()]
    assert len(hrefs) > 10
    for href in hrefs:
        address = urlsplit(href)
        text = (HTML / address.path.lstrip("/")).read_text(encoding="utf-8")
        if address.fragment:
            assert f'id="{unquote(address.fragment)}"' in text, href


@pytest.mark.parametrize("opened", ["softmax"], indirect=True)
def test_no_more_is_loaded_than_the_question_needs(opened):
    page = opened.page
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    assert any("/pagefind/index/" in name for name in loaded)
    assert not any("searchindex.js" in name for name in loaded)
    found = page.locator(f"{FOUND}:not(.found-term)")  # a definition is no page
    before = found.count()
    count = int(re.search(r"\d+", page.locator(".search-summary").text_content())[0])
    assert before < count
    for _ in range(200):
        found.last.scroll_into_view_if_needed()
        page.wait_for_timeout(100)
        if found.count() == count:
            break
    assert found.count() == count


@pytest.mark.parametrize("opened", ["vlinder", "attnetion", "xylophone", "☃"], indirect=True)
def test_a_word_that_no_page_has_is_not_found(opened):
    assert pages_of(opened.page) == []
    assert opened.page.locator(".search-summary").text_content().startswith("No page has")


@pytest.mark.parametrize("opened", ["qqqqzzzz"], indirect=True)
def test_an_answer_follows_what_is_typed(opened):
    page = opened.page
    assert pages_of(page) == []
    field = page.locator(".bd-search-container input[name=q]")
    assert field.input_value() == "qqqqzzzz"
    field.fill("greedy search")
    page.wait_for_selector(FOUND)
    assert "18_search.html" in pages_of(page)
    assert page.url.endswith("q=greedy+search")
    field.fill("")
    page.wait_for_selector(FOUND, state="detached")
    assert page.locator(".search-summary").text_content() == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_what_was_found_can_be_read_by_everyone(browser, site, scheme, width):
    visited = visit(browser, site, "search.html?q=masks", scheme)
    page = visited.page
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_selector(FOUND)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.context.close()


def test_without_pagefind_sphinx_searches(browser, site):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/pagefind/**", lambda route: route.abort())
    page.goto(f"{site}search.html?q=softmax")
    page.wait_for_selector(FOUND)
    assert "04_attention.html" in pages_of(page)
    context.close()


def test_from_a_disk_sphinx_searches_and_nothing_is_refused(browser):
    if not (HTML / "search.html").exists():
        pytest.skip(NOT_BUILT)
    visited = visit(browser, "", f"{(HTML / 'search.html').as_uri()}?q=softmax", "light")
    visited.page.wait_for_selector(FOUND)
    assert "04_attention.html" in pages_of(visited.page)
    assert visited.errors == []
    assert visited.page.locator(".search-summary").text_content() != ""
    visited.page.context.close()
