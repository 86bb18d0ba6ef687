"""The explorer of chapter 8 computes what the package computes, in node and in a browser."""

from __future__ import annotations

import functools
import math
import re

import pytest
import torch

from mtcourse.chapters.loss.explorer import loss_explorer
from mtcourse.training.likelihood import descend, entropy_of_targets, logit_gradient
from mtcourse.training.loss import label_smoothed_loss
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/08_loss.html"
CASES = [(z, V, e) for z in (-6.0, 0.0, 2.5, 20.0) for V in (2, 20, 2000) for e in (0.0, 0.1, 0.3)]


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "loss")


def logits_of(z: float, V: int) -> torch.Tensor:
    """The right word, number 1, ahead of all others by z."""
    logits = torch.zeros(1, V, dtype=torch.float64)
    logits[0, 1] = z
    return logits


def test_loss_and_slope_are_those_of_the_package(node):
    found = node(
        "cases.map(([z, V, e]) => [smoothedLoss(z, V, e), gradient(z, V, e), probability(z, V)])",
        cases=CASES,
    )
    for (z, V, epsilon), (loss, slope, p) in zip(CASES, found, strict=True):
        logits, label = logits_of(z, V), torch.tensor([1])
        wanted = label_smoothed_loss(logits, label, epsilon).item()
        assert loss == pytest.approx(wanted, abs=1e-9)
        assert slope == pytest.approx(logit_gradient(logits, label, epsilon)[0, 1].item(), abs=1e-9)
        assert p == pytest.approx(logits.softmax(-1)[0, 1].item(), abs=1e-12)


def test_a_step_is_that_of_gradient_descent(node):
    logits = logits_of(2.5, 20)
    slope = logit_gradient(logits, torch.tensor([1]), 0.1)[0, 1]
    wanted = descend({"z": torch.tensor(2.5)}, {"z": slope}, 4.0)["z"].item()
    assert node("descend(2.5, 20, 0.1, 4)") == pytest.approx(wanted)


def test_the_bottom_is_where_the_slope_is_0_and_the_loss_the_entropy(node):
    for V in (2, 20, 2000):
        low = node("bottom(V, 0.1)", V=V)
        slope, loss = node("[gradient(low, V, 0.1), smoothedLoss(low, V, 0.1)]", V=V, low=low)
        assert math.isfinite(low)
        assert slope == pytest.approx(0, abs=1e-12)
        assert loss == pytest.approx(entropy_of_targets(V, 0.1))
    assert node("bottom(20, 0)") == math.inf


def test_a_path_breaks_off_where_it_leaves_the_picture(node):
    path = node("pathIn(PLANE, [[0, 1], [1, 2], [99, 1], [2, 3], [2, 99]])")
    assert path.count("M") == 2
    assert path.count("L") == 1


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(params=["file", "book", "dark"])
def opened(browser, request):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, loss_explorer().html(), scheme) as visited:
        yield visited


def number(says: str, after: str) -> float:
    """The number that follows some words."""
    found = re.search(re.escape(after) + r" (−?\d+(?:\.\d+)?)", says)
    assert found, says
    return float(found[1].replace("−", "-"))


@pytest.mark.browser
def test_steps_go_down_and_a_larger_rate_goes_further(opened: Visit):
    explorer = opened.page.locator('[data-explorer="loss"]').first
    says = explorer.locator("[aria-live]")
    assert "there is no lowest point" in says.inner_text()
    before = number(says.inner_text(), "the loss is")
    explorer.get_by_role("button", name="Take a step").click()
    assert says.inner_text().startswith("After 1 step:")
    after = number(says.inner_text(), "the loss is")
    assert after < before
    explorer.get_by_role("button", name="Take ten steps").click()
    assert says.inner_text().startswith("After 11 steps:")
    assert number(says.inner_text(), "the loss is") < after
    assert explorer.locator("circle").count() == 12
    explorer.get_by_role("button", name="Start again").click()
    assert number(says.inner_text(), "the loss is") == before
    assert explorer.locator("circle").count() == 1
    explorer.get_by_role("button", name="Take a step").click()
    explorer.get_by_role("slider", name="Lead of the right word").fill("0")
    assert explorer.locator("circle").count() == 1, "another start, another walk"
    explorer.get_by_role("slider", name="Learning rate").fill("3")
    explorer.get_by_role("button", name="Take a step").click()
    assert "The dot has left the picture." in says.inner_text()


@pytest.mark.browser
def test_smoothing_makes_a_valley_and_the_vocabulary_moves_it(opened: Visit):
    explorer = opened.page.locator('[data-explorer="loss"]').first
    says, curve = explorer.locator("[aria-live]"), explorer.locator(".explorer-curve")
    drawn = curve.get_attribute("d")
    explorer.get_by_role("slider", name="Label smoothing").fill("10")
    assert curve.get_attribute("d") != drawn
    assert number(says.inner_text(), "is at probability") == 0.905
    explorer.get_by_label("Words in the vocabulary").select_option("2000")
    assert number(says.inner_text(), "is at probability") == 0.9
    explorer.get_by_role("slider", name="Lead of the right word").fill("9.8")
    assert abs(number(says.inner_text(), "its slope")) < 0.01
    explorer.get_by_role("slider", name="Lead of the right word").press("ArrowRight")
    assert "z = 9.90" in says.inner_text()
