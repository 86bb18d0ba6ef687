"""The explorer of chapter 3 computes what the package computes, in node and in a browser."""

from __future__ import annotations

import functools
import re

import pytest
import torch

from mtcourse.chapters.positions.explorer import positions_explorer
from mtcourse.layers.positions import (
    angular_speeds,
    position_similarity,
    shift_rotation,
    sinusoidal_positions,
)
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed
from tests.helpers.script_numbers import equal

PAGE = "book/03_positions.html"


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "positions")


@pytest.mark.parametrize("d_model", [4, 16, 128])
def test_positions_are_those_of_the_package(node, d_model):
    rows = node(f"[0, 3, 200].map((pos) => encoding(pos, {d_model}, 10000))")
    equal(rows, sinusoidal_positions(201, d_model)[[0, 3, 200]])
    equal(node(f"angularSpeeds({d_model}, 100)"), angular_speeds(d_model, 100.0))


@pytest.mark.parametrize("k", [0, 5, 60])
def test_a_row_is_turned_as_the_rotation_turns_it(node, k):
    found = node(f"rotated(encoding(7, 16, 10000), {k}, 10000)")
    equal(found, sinusoidal_positions(8, 16)[7] @ shift_rotation(k, 16))


@pytest.mark.parametrize("base", [10.0, 10_000.0])
def test_similarity_is_that_of_the_package_and_of_the_rows(node, base):
    distances = [0.0, 1.0, 6.0, 60.0]
    found = node(f"{distances}.map((k) => similarity(k, 32, {base}))")
    equal(found, position_similarity(torch.tensor(distances), 32, base) / 16)
    by_rows = node(
        f"{distances}.map((k) => dot(encoding(9, 32, {base}), encoding(9 + k, 32, {base})) / 16)"
    )
    assert by_rows == pytest.approx(found)


def test_first_and_last_hand_are_always_shown(node):
    assert node("shownPairs(3, 8)") == [0, 1, 2]
    shown = node("shownPairs(64, 8)")
    assert (shown[0], shown[-1], len(set(shown))) == (0, 63, 8)


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(params=["file", "book", "dark"])
def opened(browser, request):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, positions_explorer().html(), scheme) as visited:
        yield visited


def similarity_in(says) -> str:
    found = re.search(r"similarity (−?\d\.\d+)", says.inner_text())
    assert found, says.inner_text()
    return found[1]


@pytest.mark.browser
def test_only_the_shift_moves_the_similarity_and_the_position_turns_the_hands(opened: Visit):
    explorer = opened.page.locator('[data-explorer="positions"]').first
    says, clocks = explorer.locator("[aria-live]"), explorer.locator("svg").first
    before, drawn = similarity_in(says), clocks.inner_html()
    explorer.get_by_role("slider", name="Position").fill("77")
    assert "Positions 77 and 82" in says.inner_text()
    assert similarity_in(says) == before
    assert clocks.inner_html() != drawn
    explorer.get_by_role("slider", name="Shift").fill("0")
    assert similarity_in(says) == "1.000"
    explorer.get_by_role("slider", name="Shift").press("ArrowRight")
    assert "Positions 77 and 78" in says.inner_text()
    assert similarity_in(says) != "1.000"


@pytest.mark.browser
def test_width_and_base_change_hands_and_curve(opened: Visit):
    explorer = opened.page.locator('[data-explorer="positions"]').first
    curve = explorer.locator("svg").nth(1).locator(".explorer-curve")
    assert explorer.locator("svg").first.locator("circle").count() == 8
    drawn = curve.get_attribute("d")
    explorer.get_by_role("slider", name="Width").fill("4")
    assert explorer.locator("svg").first.locator("circle").count() == 2
    narrow = curve.get_attribute("d")
    assert narrow != drawn
    explorer.get_by_role("slider", name="Base").fill("1")
    assert curve.get_attribute("d") != narrow
