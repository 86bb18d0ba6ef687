"""Every explorer of the book with the keyboard alone, in forced colours, and without motion."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.helpers.browsing import HTML, visit

pytestmark = pytest.mark.browser

PLACES = sorted(
    (page.relative_to(HTML).as_posix(), name)
    for page in HTML.glob("book/*.html")
    for name in dict.fromkeys(
        re.findall(r'data-explorer="(\w+)"', page.read_text(encoding="utf-8"))
    )
)
MOST_STOPS = 60

# What can be operated now; of a group of radio buttons, which is one stop, only one.
CONTROLS = """(explorer) => {
  const groups = new Set();
  const found = explorer.querySelectorAll(
    "input, select, textarea, button, summary, a[href], [tabindex='0']");
  return [...found].filter((one) => {
    if (one.matches(":disabled, :disabled *") || !one.checkVisibility()) return false;
    if (one.closest("details:not([open])") && !one.matches("summary")) return false;
    if (one.matches(".explorer-scroll, pre")) return false;
    if (one.type !== "radio") return true;
    if (groups.has(one.name)) return false;
    return groups.add(one.name);
  }).map((one, i) => (one.dataset.stop ??= one.type === "radio" ? one.name : `${i}`));
}"""

# What the focus is on, and how that is seen.
FOCUSED = """() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
  return {
    stop: one.type === "radio" ? one.name : one.dataset.stop ?? null,
    inside: Boolean(one.closest("[data-explorer]")),
    explorer: one.closest("[data-explorer]")?.dataset.explorer ?? null,
    kind: one.matches("[role=listbox]") ? "list" : one.matches("[role=gridcell], td") ? "cell"
      : one.type ?? one.localName,
    ring: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none",
    box: [one.offsetWidth, one.offsetHeight],
    html: one.outerHTML.slice(0, 120),
  };
}"""

# All that is seen of an explorer but the control itself, and the address, which holds its settings:
# some have no effect until another one is changed, too.
SEEN = """(explorer) => {
  const one = document.activeElement;
  const own = one.closest(".explorer-slider, .explorer-toggle, .explorer-switch") ?? one;
  const copy = explorer.cloneNode(true);
  const values = [...explorer.querySelectorAll("input, select")].filter((of) => !own.contains(of))
    .map((of) => `${of.value} ${of.checked} ${of.disabled}`);
  copy.querySelectorAll("script, style").forEach((of) => of.remove());
  copy.querySelectorAll("[tabindex]").forEach((of) => of.removeAttribute("tabindex"));
  copy.querySelectorAll("input").forEach((of) => of.removeAttribute("style"));
  return location.hash + values.join() + copy.innerHTML;
}"""

KEYS = {
    "range": ("ArrowRight", "ArrowLeft", "Home", "End"),
    "select-one": ("ArrowDown", "ArrowUp"),
    "checkbox": ("Space",),
    "radio": ("ArrowDown", "ArrowUp"),
    "list": ("ArrowRight", "ArrowLeft"),
    "cell": ("ArrowRight", "ArrowDown", "Enter"),
    "text": ("x", "Enter"),
    "number": ("ArrowUp", "ArrowDown"),
    "summary": ("Enter",),
}
PATIENCE = 5000  # ms


@pytest.fixture
def explorer(browser, site, request) -> Iterator:
    """An explorer on its page, and the page."""
    path, name = request.param
    opened = visit(browser, site, path, "light")
    page = opened.page
    found = page.locator(f'[data-explorer="{name}"]').first
    found.scroll_into_view_if_needed()
    page.wait_for_function("one => one.textContent.length > 40", arg=found.element_handle())
    yield page, found
    assert opened.errors == []
    page.context.close()


every_explorer = pytest.mark.parametrize(
    "explorer", PLACES or [("book/04_attention.html", "attention")], indirect=True, ids=str
)


def walk(page, found) -> list[dict]:
    """What Tab reaches in an explorer, from what stands before it to what stands after it."""
    found.evaluate(
        "one => { const before = document.createElement('button'); before.id = 'before';"
        " before.textContent = 'x'; one.before(before); before.focus(); }"
    )
    stops = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if not focused["inside"]:
            return stops
        stops.append(focused)
    raise AssertionError(f"more than {MOST_STOPS} stops, or no way out")


@pytest.mark.by_turns(3)
@every_explorer
def test_tab_reaches_every_control_shows_where_it_is_and_leaves_again(explorer):
    page, found = explorer
    controls = found.evaluate(CONTROLS)
    stops = walk(page, found)
    assert set(controls) - {stop["stop"] for stop in stops} == set()
    assert [stop["html"] for stop in stops if not stop["ring"]] == []


@pytest.mark.by_turns(3)
@every_explorer
def test_every_control_works_with_keys_alone(explorer):
    page, found = explorer
    names = found.evaluate(CONTROLS)
    stops = walk(page, found)
    tried = dict.fromkeys(stop["stop"] for stop in stops if stop["stop"] in names)
    idle = [name for name in tried if not works(page, found, name)]
    assert [
        found.locator(f'[data-stop="{name}"]').first.evaluate("it => it.outerHTML") for name in idle
    ] == []


def works(page, found, name: str) -> bool:
    """Whether some key that belongs to a control changes what is seen."""
    control = found.locator(f'[data-stop="{name}"]').first
    if not control.count() or not control.is_visible() or control.is_disabled():
        return True  # another control has taken it away
    control.focus()
    focused = page.evaluate(FOCUSED)
    for key in KEYS.get(focused["kind"], ("Enter",)):
        before = found.evaluate(SEEN)
        page.keyboard.press(key)
        for _ in range(PATIENCE // 100):
            if found.evaluate(SEEN) != before:
                return True
            page.wait_for_timeout(100 if focused["kind"] in {"submit", "button", "text"} else 5)
    return False


@pytest.mark.by_turns(3)
@every_explorer
def test_what_is_chosen_is_seen_in_forced_colours(explorer):
    page, found = explorer
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    marks = found.evaluate(
        """(explorer) => [...explorer.querySelectorAll(
          ".explorer-chosen, [aria-selected=true], [aria-pressed=true]")]
          .filter((one) => one.checkVisibility()).map((one) => {
            const isChosen = (of) => of.matches(
              ".explorer-chosen, [aria-selected=true], [aria-pressed=true]");
            const other = [...one.parentElement.children].find((of) =>
              of.localName === one.localName && !isChosen(of));
            const seen = (of) => {
              const style = getComputedStyle(of.cells?.[1] ?? of);
              return [style.backgroundColor, style.outlineStyle, style.borderTopWidth,
                style.borderTopColor, style.boxShadow, style.fontWeight].join();
            };
            return [one.outerHTML.slice(0, 100), !other || seen(one) !== seen(other)];
          })"""
    )
    assert [html for html, differs in marks if not differs] == []
    shades = found.evaluate(
        """(explorer) => {
          const cells = [...explorer.querySelectorAll("td")]
            .filter((one) => one.style.getPropertyValue("--weight") !== "")
            .filter((one) => one.checkVisibility());
          const weights = new Set(cells.map((one) => one.style.getPropertyValue("--weight")));
          const grounds = new Set(cells.map((one) => getComputedStyle(one).backgroundColor));
          return [weights.size, grounds.size];
        }"""
    )
    assert shades[0] < 2 or shades[1] > 1, "all weights look alike"


@pytest.mark.by_turns(3)
@every_explorer
def test_nothing_moves_for_those_who_want_no_motion(explorer):
    page, found = explorer
    page.emulate_media(reduced_motion="reduce")
    moving = found.evaluate(
        """(explorer) => [...explorer.querySelectorAll("*")].filter((one) => {
          const { transitionDuration, animationDuration } = getComputedStyle(one);
          return Math.max(...`${transitionDuration},${animationDuration}`.split(",")
            .map(parseFloat)) > 0.01;
        }).map((one) => one.outerHTML.slice(0, 100))"""
    )
    assert moving == []


@pytest.mark.parametrize("path", ["book/intro.html", "book/04_attention.html", "book/api.html"])
def test_controls_of_the_theme_show_that_they_have_the_focus(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        bare = []
        for _ in range(40):
            page.keyboard.press("Tab")
            focused = page.evaluate(FOCUSED)
            if not focused["ring"]:
                bare.append(focused["html"])
        assert bare == []
    finally:
        page.context.close()


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("path", sorted({path for path, _ in PLACES}) or ["book/intro.html"])
def test_what_unfolds_has_a_name_of_its_own(browser, site, path):
    opened = visit(browser, site, path, "light")
    try:
        names = opened.page.evaluate(
            """() => [...document.querySelectorAll("main summary")]
              .filter((one) => one.checkVisibility())
              .map((one) => one.getAttribute("aria-label") ?? one.textContent)
              .map((name) => name.trim().replace(/\\s+/g, " "))"""
        )
        assert all(names)
        assert sorted({name for name in names if names.count(name) > 1}) == []
    finally:
        opened.page.context.close()
