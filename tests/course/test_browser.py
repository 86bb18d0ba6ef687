"""Every page of the built book in a real browser: no error, no request off the site, accessible."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers.browsing import HTML, themed, violations, visit

pytestmark = pytest.mark.browser

PAGES = sorted(
    path.relative_to(HTML).as_posix()
    for path in [*HTML.glob("book/*.html"), *HTML.glob("search.html"), *HTML.glob("genindex.html")]
)
AFTER_RESIZING = 500  # ms: the theme then makes what has become scrollable reachable by keyboard
WIDTHS = (360, 1280, 1440)
TURN = os.environ.get("MTCOURSE_TURN")
"""Where this is set, colours are looked at in one width each time, by turns: that takes most of the
time. All other rules, which know no colours, are tried in every width of the light scheme."""


TURNS_OF_API = 3
"""Pages of the package are long and made alike: where turns are taken, a third is looked at."""


def is_its_turn(path: str) -> bool:
    """Whether a page is looked at this time."""
    api = [page for page in PAGES if page.startswith("book/api_")]
    return TURN is None or path not in api or (api.index(path) + int(TURN)) % TURNS_OF_API == 0


def widths_of_colours(scheme: str) -> tuple[int, ...]:
    """The widths in which this scheme's colours are looked at."""
    if TURN is None:
        return WIDTHS
    return (WIDTHS[(int(TURN) + (scheme == "dark")) % len(WIDTHS)],)


def widths_of_rules(scheme: str) -> tuple[int, ...]:
    """The widths in which a page in this scheme is held to the other rules."""
    return widths_of_colours(scheme) if TURN and scheme == "dark" else WIDTHS


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES or ["book/intro.html"])
def test_page(browser, site, path, scheme):
    if not is_its_turn(path):
        pytest.skip("its turn comes with another commit")
    opened = visit(browser, site, path, scheme)
    page = opened.page
    try:
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert opened.errors == []
        assert opened.foreign == []
        assert page.locator("img:not([alt])").count() == 0
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if folder := os.environ.get("MTCOURSE_SCREENSHOTS"):
                picture = f"{Path(path).stem}-{scheme}-{width}.png"
                page.screenshot(path=Path(folder) / picture, full_page=True)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, "it scrolls"
            if width in widths_of_rules(scheme):
                page.wait_for_timeout(AFTER_RESIZING)
                without = [] if width in widths_of_colours(scheme) else ["color-contrast"]
                assert violations(page, without=without) == [], width
    finally:
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
