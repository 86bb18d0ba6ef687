"""Display formulas in a real browser: whole, beside their numbers, on screens of every width."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.test_book import load_extension
from tests.helpers.browsing import ALL_LAID_OUT, HTML, themed, visit

pytestmark = pytest.mark.browser

extension = load_extension("formulas")
to_mathml, side_by_side = extension.to_mathml, extension.side_by_side
SPAN = '<span class="math notranslate nohighlight"{}>{}</span>'
INLINE = SPAN.format("", to_mathml("d_{v} = 2"))
LONG = SPAN.format(' id="long"', to_mathml("d_{v}" + "= 2" * 32))
WIDTHS = (320, 390, 768, 1440)
PAGES = [
    path.relative_to(HTML).as_posix()
    for path in sorted(HTML.glob("book/*.html"))
    if 'class="math notranslate nohighlight"' in path.read_text("utf-8")
]
# As Sphinx writes them: a number before the formula, and split around what has several lines.
FORMULAS = {
    "transposed": r"S = \frac{QK^\top}{\sqrt{d_k}} \in \mathbb{R}^{m \times n}",
    "wide": (
        r"\operatorname{MultiHead}(Q, K, V) = \operatorname{Concat}(\mathrm{head}_1, \dots, "
        r"\mathrm{head}_h)\, W^O, \qquad \mathrm{head}_i = \operatorname{Attention}"
        r"(QW_i^Q, KW_i^K, VW_i^V)"
    ),
    "several": r"p(y \mid x) = \operatorname{softmax}(z), \qquad z = h\, W^\top + b",
    "accents": r"Y^\top + \hat Y^\top + \bar W_2^\top + \tilde H^\top",
    "aligned": (
        r"\begin{aligned} S &= \frac{QK^\top}{\sqrt{d_k}} \\ A_{ij} &= "
        r"\frac{e^{S_{ij}}}{\sum_l e^{S_{il}}} \\ O &= AV \end{aligned}"
    ),
    "tall": r"\Bigg(\sum_{i=1}^{n} \prod_{j=1}^{\hat{m}^\top} \widehat{W}^{\top\top}\Bigg)^\top",
}
BOTH = "div.math, div.math > .equation"
HIDDEN = f"{BOTH} {{ overflow: auto hidden !important; padding: 0 !important }}"
# Clipped at the sides only, where a formula scrolls; above and below everything is drawn.
WHOLE = f"{BOTH} {{ overflow-x: clip !important; overflow-y: visible !important }}"
UNSHADED = f"{BOTH} {{ background: none !important }}"
MEASURE = """boxes => boxes.map(box => {
    const scrolls = box.querySelector('.equation'), number = box.querySelector('.eqno');
    const [all, seen, beside] = [box, scrolls, number].map(it => it?.getBoundingClientRect());
    const formulas = [...scrolls.querySelectorAll('math')].map(it => it.getBoundingClientRect());
    const drawn = {
        left: Math.min(...formulas.map(it => it.left)),
        right: Math.max(...formulas.map(it => it.right)),
        width: Math.max(...formulas.map(it => it.width)),
    };
    const hidden = !['auto', 'scroll'].includes(getComputedStyle(scrolls).overflowX);
    const moves = scrolls.scrollWidth > scrolls.clientWidth + 1;  // less is rounding
    const {paddingLeft, paddingRight} = getComputedStyle(scrolls);
    const room = seen.width - parseFloat(paddingLeft) - parseFloat(paddingRight);
    const faults = {
        'under its number': beside?.left < Math.min(seen.right, drawn.right) - 0.5,
        'its number is out of the page': beside?.right > all.right + 0.5,
        'cut on the left': drawn.left < seen.left - 0.5,
        'cut on the right': hidden && drawn.right > seen.right + 0.5,
        'scrolls without need': moves && drawn.width <= room,
        'out of reach of the keyboard': moves && scrolls.tabIndex < 0,
    };
    const found = Object.keys(faults).filter(fault => faults[fault]);
    return found.map(fault => `${fault}: ${scrolls.textContent.slice(0, 60)}`);
}).flat()"""

# A root that ends a formula in a sentence, with room between it and the comma behind it.
GAPS = """spans => spans.filter(span => {
    const [all, below] = [span, span.querySelector('msqrt').lastElementChild].map(
        it => it.getBoundingClientRect());
    return all.width > 0 && Math.abs(all.right - below.right) > 1;
}).length"""


def formulas() -> str:
    """All of them, numbered as equations of chapter 12."""
    written = []
    for n, (name, latex) in enumerate(FORMULAS.items()):
        parts = side_by_side(latex) if name == "several" else [latex]
        formula = "".join(to_mathml(part, display=True) for part in parts)
        written.append(
            f'<div class="math notranslate nohighlight" id="{name}">'
            f'<span class="eqno">(12.{10 + n})<a class="headerlink" href="#{name}" '
            f'title="Link to this equation">#</a></span>'
            f'<div class="equation">{formula}</div></div><p>Words below it.</p>'
        )
    return "".join(written)


def faults_of_formulas(page) -> list[str]:
    """What is wrong with formulas, once the page has seen that its width is another one."""
    for _ in range(50):
        if not (faults := page.locator("div.math").evaluate_all(MEASURE)):
            return []
        page.wait_for_timeout(100)
    return faults


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory: pytest.TempPathFactory):
    """A page of nothing but formulas."""
    file: Path = tmp_path_factory.mktemp("formulas") / "page.html"
    sentence = f"and so {INLINE}<span class=comma>,</span> " * 40
    file.write_text(themed(f"{formulas()}<p>{sentence}</p><p>and {LONG}.</p>"), encoding="utf-8")
    opened = visit(browser, "", file.as_uri(), "light")
    yield opened.page
    opened.page.context.close()


def cut_formulas(page) -> list[str]:
    """The formulas that look otherwise once nothing hides what stands above and below them.

    The shade at the edge of a formula that scrolls would go with its scrolling, and is taken away.
    Code that is laid out only now would move the second picture by part of a pixel.
    """
    cut = []
    unshaded = page.add_style_tag(content=UNSHADED + ALL_LAID_OUT)
    for formula in page.locator("div.math").all():
        as_is = formula.screenshot()
        style = page.add_style_tag(content=WHOLE)
        if formula.screenshot() != as_is:
            cut.append(formula.get_attribute("id") or formula.inner_text())
        style.evaluate("it => it.remove()")
    unshaded.evaluate("it => it.remove()")
    return cut


def test_nothing_of_a_formula_is_cut_off(page):
    page.set_viewport_size({"width": 1440, "height": 900})
    assert cut_formulas(page) == []


def test_a_transpose_that_is_cut_off_is_seen(page):
    style = page.add_style_tag(content=HIDDEN)
    assert cut_formulas(page) != []
    style.evaluate("it => it.remove()")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_formula_stands_or_scrolls_beside_its_number(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    assert faults_of_formulas(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_a_wide_formula_stands_on_one_line_and_scrolls_on_a_phone(page):
    box = page.locator("#wide .equation")
    heights, scrolls = set(), {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        # A narrow page may have smaller letters.
        lines = "it => Math.round(10 * it.clientHeight / parseFloat(getComputedStyle(it).fontSize))"
        heights.add(box.evaluate(lines))
        scrolls[width] = box.evaluate("it => it.scrollWidth > it.clientWidth")
    assert max(heights) - min(heights) <= 1  # tenths of a letter; a second line has more than ten
    assert scrolls[390]
    assert not scrolls[1440]


def test_formulas_of_one_line_stand_below_each_other_on_a_phone_and_do_not_scroll(page):
    place = """all => all.map(it => it.getBoundingClientRect())
        .map(({x, y, height}) => [x, y + height / 2])"""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        (x, y), (next_x, next_y) = page.locator("#several math").evaluate_all(place)
        if width < 500:
            assert next_y > y + 20, width
        else:
            assert next_x > x
            assert abs(next_y - y) < 12, width
        assert page.locator("#several .equation[tabindex]").count() == 0


def test_exponents_of_letters_with_accents_are_as_high_as_others(page):
    tops = page.locator("#accents :is(msup, msubsup) > mi:last-child").evaluate_all(
        "signs => signs.map(it => it.getBoundingClientRect().top)"
    )
    assert len(tops) == 4
    assert max(tops) - min(tops) < 1.5


def test_a_formula_in_a_sentence_that_is_wider_than_a_phone_scrolls(page):
    box = page.locator("#long")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function("document.getElementById('long').tabIndex === 0")
    assert box.evaluate("it => it.scrollWidth") > 390
    assert box.bounding_box()["width"] < 390
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_aligned_equations_stand_with_one_equals_sign_below_the_other(page):
    page.set_viewport_size({"width": 1440, "height": 900})
    signs = page.locator("#aligned mtable mtd:nth-child(even)").evaluate_all(
        "cells => cells.map(it => it.querySelector('mo').getBoundingClientRect().left)"
    )
    assert len(signs) == 3
    assert max(signs) - min(signs) < 0.5


def test_no_line_begins_with_the_comma_after_a_formula(page):
    alone = """commas => commas.filter(comma => {
        const before = comma.previousElementSibling.getBoundingClientRect();
        return comma.getBoundingClientRect().left < before.right - 2;
    }).length"""
    for width in range(300, 400, 3):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator(".comma").evaluate_all(alone) == 0, width


@pytest.mark.by_turns(6)
@pytest.mark.parametrize("path", PAGES or ["book/04_attention.html"])
def test_every_formula_of_the_book_is_whole(browser, site, path):
    opened = visit(browser, site, path, "light")
    try:
        assert cut_formulas(opened.page) == []
        ends = opened.page.locator(".bd-article span.math:has(> math > msqrt:last-child)")
        assert ends.evaluate_all(GAPS) == 0
        for width in WIDTHS:
            opened.page.set_viewport_size({"width": width, "height": 900})
            assert faults_of_formulas(opened.page) == [], width
    finally:
        opened.page.context.close()


def test_what_a_guess_shows_has_no_wider_lines_and_no_gap_behind_its_roots(browser, site):
    opened = visit(browser, site, "book/10_blocks.html", "light")
    page = opened.page
    shown = page.locator(".after-guess > p")
    assert shown.evaluate_all("all => all.every(one => one.offsetWidth === 0)")
    for skip in page.locator(".question-skip").all():
        skip.click()
    widest = "all => Math.max(...all.map(one => one.offsetWidth))"
    assert 300 < shown.evaluate_all(widest) <= page.locator("section > p").evaluate_all(widest)
    roots = page.locator(".after-guess span.math:has(> math > msqrt:last-child)")
    assert roots.count() > 0
    for _ in range(50):
        if roots.evaluate_all(GAPS) == 0:
            break
        page.wait_for_timeout(20)
    assert roots.evaluate_all(GAPS) == 0
    page.context.close()


def test_on_a_desktop_each_formula_of_the_equation_index_fits(browser, site):
    opened = visit(browser, site, "book/equation_index.html", "light")
    try:
        opened.page.set_viewport_size({"width": 1280, "height": 900})
        assert opened.page.locator(".math > .equation[tabindex]").count() == 0
    finally:
        opened.page.context.close()
