"""An explorer's choices are in the address of its page; a broken address is ignored."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mtcourse.figures.explorer import JAVASCRIPT
from tests.chapters.test_every_explorer import WORDS, explorer_of
from tests.helpers.browsing import Visit, visit
from tests.helpers.javascript import evaluated
from tests.helpers.live_explorers import reopen, write_page

HOST = JAVASCRIPT / "page_host.js"
INITIAL = {
    "own": "",
    "layer": 1,
    "power": 0.5,
    "open": False,
    "off": [],
    "order": [0, 1],
    "rows": [[0.5], [1.5]],
    "target": None,
}


def asked(name: str, initial: dict[str, Any], hash_: str) -> Any:
    return evaluated(HOST, "settingsOfAddress(name, i, hash)", name=name, i=initial, hash=hash_)


# --- what an address says, in node ----------------------------------------------------------------

TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)
CHANGED = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "own": TEXTS,
            "layer": st.integers(-5, 99),
            "power": st.floats(-9, 9),
            "open": st.booleans(),
            "off": st.lists(TEXTS, max_size=3),
            "order": st.lists(st.integers(0, 9), max_size=5),
            "target": st.one_of(st.none(), st.integers(0, 9), st.lists(st.integers(0, 9))),
        },
    ),
    min_size=15,
    max_size=15,
)


@settings(deadline=None, max_examples=5)
@given(CHANGED)
@example([{"own": word} for word in ("Infinity", "-Infinity", "NaN", "null", "2", "[1]", "true")])
def test_an_address_says_what_was_written_into_it(changes):
    found = evaluated(
        HOST,
        """changes.map((change) => {
            const address = addressOfSettings("masks", { ...initial, ...change }, initial);
            const url = new URL(address, "https://example.org/page.html"); // as a browser keeps it
            return { ...initial, ...settingsOfAddress("masks", initial, url.hash) };
        })""",
        changes=changes,
        initial=INITIAL,
    )
    assert found == [{**INITIAL, **change} for change in changes]


def test_an_address_is_short_and_can_be_read():
    given = {**INITIAL, "own": "The old dog & I", "off": ["encoder 2.3"]}
    address = evaluated(HOST, "addressOfSettings('multi_head', s, i)", s=given, i=INITIAL)
    assert address.startswith("#explorer=multi_head&own=The+old+dog+%26+I&off=")
    assert set(address) <= set(string.ascii_letters + string.digits + "#&=+%._-")
    nothing = evaluated(HOST, "addressOfSettings('multi_head', i, i)", i=INITIAL)
    assert nothing == "#explorer=multi_head"
    assert asked("multi_head", INITIAL, nothing) == {}


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "#",
        "#translate=The+dog",
        "#some-heading",
        "#explorer=attention&layer=2",
        "#layer=2&explorer=masks",
        "#explorer=masks&speed=1",
        "#explorer=masks&layer=two",
        '#explorer=masks&layer="2"',
        "#explorer=masks&layer=null",
        "#explorer=masks&layer=[1]",
        "#explorer=masks&layer",
        "#explorer=masks&off=2",
        "#explorer=masks&off=[null]",
        "#explorer=masks&order=[1,x",
        '#explorer=masks&order=["1"]',
        "#explorer=masks&rows=[1]",
        "#explorer=masks&open=0",
        "#explorer=masks&open=%",
        "#explorer=masks&constructor=1",
    ],
)
def test_an_address_for_something_else_or_broken_asks_for_nothing(broken):
    assert asked("masks", INITIAL, broken) is None


# --- every explorer, in a browser ---------------------------------------------------------------

CHANGE = """el => {
  const fire = (input, type) => input.dispatchEvent(new Event(type, { bubbles: true }));
  const select = [...el.querySelectorAll("select")].find(one => one.options.length > 1);
  const box = [...el.querySelectorAll("fieldset input[type=radio]:not(:checked)")][0];
  if (select) {
    select.selectedIndex = select.selectedIndex === 0 ? 1 : 0;
    fire(select, "change");
  }
  const range = el.querySelector("input[type=range]"); // another sentence may have another one
  if (range) {
    range.value = range.value === range.max ? range.min : range.max;
    fire(range, "input");
  }
  if (!select && !range && box) { box.checked = true; fire(box, "change"); }
}"""
STATE = """el => [el.innerText, ...[...el.querySelectorAll("input, select")]
  .map(one => one.type === "checkbox" || one.type === "radio" ? one.checked : one.value)]"""


@pytest.fixture(params=WORDS)
def word(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def opened(browser, word) -> Iterator[Visit]:
    page = write_page(f"address_{word}", explorer_of(word).html())
    visited = visit(browser, page.parent.as_uri(), f"/{page.name}", "light")
    yield visited
    assert visited.errors == []
    visited.page.context.close()


@pytest.mark.by_turns(3)
@pytest.mark.browser
def test_a_link_to_an_explorer_shows_what_its_reader_saw(opened, word):
    page = opened.page
    explorer = page.locator(f'[data-explorer="{word}"]')
    first = explorer.evaluate(STATE)
    assert page.evaluate("location.hash") == "", "nobody has touched it"
    explorer.evaluate(CHANGE)
    page.wait_for_function("name => location.hash.startsWith(`#explorer=${name}`)", arg=word)
    page.wait_for_timeout(300)
    changed, address = explorer.evaluate(STATE), page.url
    assert changed != first
    reopen(page, address)
    assert explorer.evaluate(STATE) == changed
    here = address.partition("#")[0]
    for broken in (f"explorer={word}&speed=1", f"explorer={word}&sentence=999", "explorer=tea"):
        reopen(page, f"{here}#{broken}")
        assert explorer.evaluate(STATE) == first
    page.evaluate("hash => { location.hash = hash; }", "#" + address.partition("#")[2])
    page.wait_for_timeout(200)
    assert explorer.evaluate(STATE) == changed, "a link within the page shows it, too"


@pytest.mark.browser
def test_two_of_a_kind_on_a_page_have_addresses_of_their_own(browser):
    html = explorer_of("masks").html() + explorer_of("masks").html()
    page_file: Path = write_page("address_twice", html)
    page = visit(browser, page_file.parent.as_uri(), f"/{page_file.name}", "light").page
    both = page.locator('[data-explorer="masks"]')
    both.nth(1).get_by_label("Length of the sentence").fill("5")
    page.wait_for_function("location.hash.startsWith('#explorer=masks.2&')")
    reopen(page, page.url)
    lengths = page.get_by_label("Length of the sentence")
    assert [lengths.nth(k).input_value() for k in (0, 1)] == ["3", "5"]
    page.context.close()
