"""The class report and the feedback in a real browser: nothing runs or loads, all can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mtcourse.grading.reports import write_reports
from tests.grading.test_similar_answers import DISGUISED, LONG, MASKS, hand_in
from tests.helpers.browsing import violations
from tests.helpers.hostile_work import hostile_work
from tests.helpers.made_results import (
    code,
    displayed,
    failed,
    hostile_class,
    notebook,
    png,
    result,
    text,
    unreadable,
)

pytestmark = pytest.mark.browser

PICTURES = (f"data:image/png;base64,{png()}",)
WORK = notebook(text("I *tried* hard."), code("share = 3"))


def each_opened(browser, folder: Path, bypass_csp: bool = False, **window: object) -> Iterator:
    """Each page of a folder as a file, with all that it asked for or complained of."""
    context = browser.new_context(bypass_csp=bypass_csp, **window)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.on("console", lambda message: asked.append(message.text))
    for path in sorted(folder.rglob("*.html")):
        address = path.as_uri()
        page.goto(address)
        page.wait_for_timeout(100)  # what runs or loads of itself does so now
        yield page, [one for one in asked if one not in (address, *PICTURES)]
        asked.clear()
    context.close()


@pytest.mark.parametrize("bypass_csp", [True, False], ids=["without its policy", "as it is"])
def test_nothing_runs_or_loads_in_a_browser(browser, tmp_path, bypass_csp):
    results = [result("Bo"), *hostile_class()]
    write_reports(results, tmp_path, {("Bo", "04_attention"): hostile_work()})
    titles = []
    for page, asked in each_opened(browser, tmp_path, bypass_csp):
        assert asked == []
        assert page.locator("script, iframe, object, main img").count() == 0
        assert page.locator("main").is_visible()
        titles.append(page.title())
    assert sorted(titles) == ["Class report"] + ["Feedback: 04_attention"] * len(results)


@pytest.mark.parametrize("width", [360, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible_and_fit_the_window(browser, tmp_path, scheme, width):
    results = [
        result("Bo", repairs=("one thing",)),
        result("Cy", ("timeout", "passed"), isolation="none"),
        result("Cy", notebook="05_masks"),
        unreadable("Di"),
        failed("Ed"),
    ]
    work = {
        ("Bo", "04_attention"): WORK,
        ("Cy", "04_attention"): hostile_work(),
        ("Cy", "05_masks"): notebook(code("plot()", displayed(png=png()))),
    }
    alike = {(name, "05_masks"): hand_in(masked_weights=LONG) for name in ("Ana", "Flo")}
    alike |= {("Gus", "05_masks"): hand_in(masked_weights=DISGUISED)}
    results += [result(name, notebook="05_masks") for name, _ in alike]
    write_reports(results, tmp_path, work | alike, {"05_masks": MASKS.read_bytes()})
    size = {"width": width, "height": 900}
    for page, asked in each_opened(browser, tmp_path, color_scheme=scheme, viewport=size):
        assert asked == []
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.title() != "Class report" or page.locator(".versions section").count() == 2
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
