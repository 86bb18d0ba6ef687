"""The letters of figures in a page: none is too small on a phone, and none is cut off."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from mtcourse.figures.diagrams import box
from mtcourse.figures.style import book_style
from mtcourse.figures.svg import figure_svg
from tests.helpers.browsing import ALONE

pytestmark = pytest.mark.browser

STATIC = Path(__file__).resolve().parents[2] / "book" / "_static"
SCRIPT, STYLES = ((STATIC / f"figures.{kind}").read_text("utf-8") for kind in ("js", "css"))
LETTERS = """() => [...document.querySelectorAll("text, tspan")]
  .filter((one) => [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim()))
  .map((one) => {
    const size = (of) => parseFloat(getComputedStyle(of).fontSize);
    const line = one.closest("text");
    const own = one.hasAttribute("fill-opacity") ? "sign" : size(one) < size(line) ? "index" : "";
    return [one.textContent, size(one) * one.getScreenCTM().a, size(one) / size(line), own];
  })"""
CUT_OFF = """() => {
  const edge = document.querySelector(".figure-box").getBoundingClientRect().left;
  const lines = [...document.querySelectorAll("text")];
  return lines.filter((one) => one.getBoundingClientRect().left < edge - 0.5).length;
}"""


def diagram() -> str:
    """A box with a formula in small letters, a name in large ones, and a word with its sign."""
    with mpl.rc_context({"backend": "agg"}), book_style():
        figure, ax = plt.subplots(figsize=(4.6, 1.5), layout="constrained")
        box(ax, 0.0, 0.0, 2.0, 1.0, "softmax")
        ax.text(3.0, 0.5, "$W_Q^C$", fontsize="small")
        ax.text(4.0, 0.5, "$d_k$")
        ax.text(4.5, 0.5, "▁the")
        ax.set(xlim=(0, 5), ylim=(0, 1.2))
        ax.axis("off")
        plt.close(figure)
    return figure_svg(figure) or ""


def bars() -> str:
    """Rows that are named with an index and an exponent, which stand above each other."""
    with mpl.rc_context({"backend": "agg"}), book_style():
        figure, ax = plt.subplots(figsize=(5.6, 3.0), layout="constrained")
        ax.barh(["$W_Q^{C}$", "$W_V^{E}$"], [1, 2])
        plt.close(figure)
    return figure_svg(figure) or ""


def page_with(browser, svg: str, width: int):
    page = browser.new_page(viewport={"width": width, "height": 700})
    held = f'<style>body {{ margin: 16px }} {STYLES}</style><div class="figure-box">{svg}</div>'
    page.set_content(f"{ALONE}{held}<script>{SCRIPT}</script>")
    page.evaluate("() => new Promise((seen) => requestAnimationFrame(() => setTimeout(seen, 50)))")
    return page


@pytest.mark.parametrize("width", [360, 390, 430])
def test_no_letter_of_a_figure_is_smaller_than_nine_pixels_on_a_phone(browser, width) -> None:
    page = page_with(browser, diagram(), width)
    letters = page.evaluate(LETTERS)
    assert {"Q", "C", "k"} <= {said for said, *_ in letters}
    assert [one for one in letters if one[1] < 8.95 and one[3] != "sign"] == []
    assert max(share for *_, share, _ in letters) <= 1, "an index is at most as large as its line"
    page.close()


def test_on_a_desktop_an_index_is_as_it_was_drawn(browser) -> None:
    page = page_with(browser, diagram(), 1280)
    shares = {said: share for said, _, share, own in page.evaluate(LETTERS) if own == "index"}
    assert shares == pytest.approx(dict.fromkeys("QCk", 0.76), abs=0.005)
    page.close()


def test_an_index_follows_the_width_of_its_figure(browser) -> None:
    page = page_with(browser, diagram(), 1280)
    page.set_viewport_size({"width": 360, "height": 700})
    page.wait_for_timeout(100)
    assert min(size for _, size, _, own in page.evaluate(LETTERS) if own != "sign") >= 8.95
    page.close()


def test_no_name_of_a_row_is_cut_off_where_its_index_is_enlarged(browser) -> None:
    page = page_with(browser, bars(), 360)
    assert page.evaluate(CUT_OFF) == 0
    page.close()
