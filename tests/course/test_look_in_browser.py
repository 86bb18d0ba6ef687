"""Nothing on a page is cut off or broken: code, output, words in tables."""

from __future__ import annotations

import re
import statistics

import pytest

from tests.helpers.browsing import ALL_LAID_OUT, HTML, LINES, LOOKED_AT, visit, wait_until_quiet

pytestmark = pytest.mark.browser

PAGES = sorted(path.relative_to(HTML).as_posix() for path in HTML.glob("book/*.html"))
CHAPTERS = sorted(path.relative_to(HTML).as_posix() for path in HTML.glob("book/[0-9]*.html"))
WIDTHS = (1440, 1280, 390)
CODE_COLUMNS = 76

WRAPPED = r"""(columns) => {
  const shown = [...document.querySelectorAll(".bd-article .cell_input .code-line")];
  const fits = shown.filter((line) => line.offsetParent)
    .filter((line) => line.textContent.trimEnd().length <= columns);
  const height = 1.5 * parseFloat(getComputedStyle(fits[0]).lineHeight);
  return fits.filter((line) => line.getBoundingClientRect().height > height)
    .map((line) => line.textContent);
}"""


@pytest.mark.by_turns(6)
@pytest.mark.parametrize("path", PAGES or ["book/intro.html"])
def test_no_code_is_cut_off_and_no_word_is_broken(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            seen = page.evaluate(LOOKED_AT)
            assert seen["cut"] == [], width
            assert seen["words"] == [], width
            if width == 1280 and page.locator(".cell_input .code-line:visible").count():
                assert page.evaluate(WRAPPED, CODE_COLUMNS) == []
    finally:
        page.context.close()


COLUMNS_PRINTED = """() => {
  const room = document.createElement("style");
  room.textContent = "ALL_LAID_OUT";
  document.head.append(room);
  return [...document.querySelectorAll(".bd-article .cell_output pre.drawn")]
    .filter((box) => box.checkVisibility())
    .map((box) => [
      Math.max(...box.textContent.split("\\n").map((line) => line.trimEnd().length)),
      parseFloat(getComputedStyle(box).fontSize),
      box.scrollWidth > box.clientWidth + 1,
    ]);
}""".replace("ALL_LAID_OUT", ALL_LAID_OUT)
WITH_COLUMNS = [path for path in CHAPTERS if 'class="drawn' in (HTML / path).read_text("utf-8")]
FIT_A_PHONE = 48
"""Characters in letters of 11 pixels."""


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("path", WITH_COLUMNS or ["book/04_attention.html"])
def test_columns_that_fit_a_phone_in_smaller_letters_do_not_scroll(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        normal = [size for _, size, _ in page.evaluate(COLUMNS_PRINTED)]
        page.set_viewport_size({"width": 390, "height": 900})
        for (columns, size, scrolls), before in zip(
            page.evaluate(COLUMNS_PRINTED), normal, strict=True
        ):
            assert 11 <= size <= before
            assert size == before or columns > 38, "what fits stays as it is"
            assert not scrolls or columns > FIT_A_PHONE
    finally:
        page.context.close()


HEIGHTS = """(visibility) => [...document.querySelectorAll(".bd-article pre:not(.drawn)")]
  .filter((box) => box.checkVisibility())
  .map((box) => {
    box.style.contentVisibility = visibility;
    return box;
  })
  .map((box) => box.getBoundingClientRect().height)"""


@pytest.mark.by_turns(6)
@pytest.mark.parametrize("path", CHAPTERS or ["book/04_attention.html"])
def test_a_box_of_code_has_about_its_height_before_it_is_laid_out(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        box = page.locator(".bd-article .highlight > pre:not(.drawn):visible").first
        assert box.evaluate("box => getComputedStyle(box).contentVisibility") == "auto"
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.reload()  # what was laid out once is remembered
            wait_until_quiet(page)
            page.evaluate("document.fonts.ready.then(() => null)")
            known = page.evaluate(HEIGHTS, "hidden")
            real = page.evaluate(HEIGHTS, "visible")
            assert real
            # Lines that are too long for a window count as one, and those of a phone end at words.
            assert sum(known) == pytest.approx(sum(real), rel=0.1)
    finally:
        page.context.close()


@pytest.mark.parametrize("path", CHAPTERS[:6] or ["book/04_attention.html"])
def test_a_line_of_text_has_60_to_75_characters(browser, site, path):
    opened = visit(browser, site, path, "light")
    try:
        opened.page.set_viewport_size({"width": 1440, "height": 900})
        assert 60 <= statistics.median(opened.page.evaluate(LINES)) <= 75
    finally:
        opened.page.context.close()


def test_a_long_line_shows_where_it_goes_on_and_is_copied_as_it_was(browser, site):
    opened = visit(browser, site, "book/04_attention.html", "light")
    page = opened.page
    try:
        page.set_viewport_size({"width": 390, "height": 900})
        arrows = page.evaluate(
            """() => {
              const lines = [...document.querySelectorAll(".cell_input .code-line")];
              return lines.filter((line) => line.offsetParent).map((line) => {
                const one = parseFloat(getComputedStyle(line).lineHeight);
                const signs = parseFloat(getComputedStyle(line, "::before").height);
                const { height } = line.getBoundingClientRect();
                return [height, signs].map((of) => Math.round(of / one));
              });
            }"""
        )
        assert max(lines for lines, _ in arrows) > 1
        assert all(signs == lines - 1 for lines, signs in arrows)
        box = page.locator(".cell_input pre:visible").first
        text = box.evaluate(
            "box => { getSelection().selectAllChildren(box); return getSelection().toString() }"
        )
        assert text.rstrip("\n") == box.evaluate("box => box.textContent").rstrip("\n")
    finally:
        page.context.close()


def test_the_book_brings_its_own_faces_and_they_are_small(site):
    fonts = HTML / "_static" / "fonts"
    named = re.findall(r'url\("([\w.-]+)"\)', (fonts / "fonts.css").read_text(encoding="utf-8"))
    files = [fonts / name for name in named]
    assert {"sourceserif4.woff2", "inter.woff2", "jetbrainsmono.woff2"} <= {f.name for f in files}
    assert sum(file.stat().st_size for file in files) < 200_000
    licences = [file.read_text(encoding="utf-8") for file in fonts.glob("*-OFL.txt")]
    assert len(licences) >= 4
    assert all("SIL Open Font License" in licence for licence in licences)


def test_text_and_code_are_set_in_these_faces(browser, site):
    opened = visit(browser, site, "book/04_attention.html", "light")
    try:
        page = opened.page
        loaded = page.evaluate(
            "document.fonts.ready.then(() => [...document.fonts]"
            ".filter(face => face.status === 'loaded').map(face => face.family))"
        )
        assert {"MT Serif", "MT Sans", "MT Mono"} <= {name.strip('"') for name in loaded}
    finally:
        opened.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_accent_can_be_read_on_both_grounds(browser, site, scheme):
    opened = visit(browser, site, "book/04_attention.html", scheme)
    try:
        link = opened.page.locator(".bd-article section > p > a.reference:visible").first
        ratio = link.evaluate(
            """(link) => {
              const numbers = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
              const light = (colour) => {
                const [r, g, b] = numbers(colour).map((of) => of / 255)
                  .map((of) => (of <= 0.04045 ? of / 12.92 : ((of + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              const ground = getComputedStyle(document.body).backgroundColor;
              const two = [light(getComputedStyle(link).color), light(ground)];
              return (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
            }"""
        )
        assert ratio >= 7
    finally:
        opened.page.context.close()


ICONS = """() => {
  const places = "button, summary, .btn, .bd-sidebar-secondary .page-toc";
  return [...document.querySelectorAll(places)]
    .flatMap((place) => [...place.querySelectorAll("svg.svg-inline--fa, [class*=fa-]")])
    .filter((icon) => icon.checkVisibility())
    .map((icon) => [icon, icon.getBoundingClientRect()])
    .map(([icon, { width, height }]) => [icon.tagName, width, height]);
}"""


@pytest.mark.parametrize("width", WIDTHS)
def test_icons_are_drawn_and_as_high_as_words(browser, site, width):
    opened = visit(browser, site, "book/04_attention.html", "light")
    try:
        opened.page.set_viewport_size({"width": width, "height": 900})
        icons = opened.page.evaluate(ICONS)
        assert len(icons) >= 3
        assert {name for name, *_ in icons} == {"svg"}
        assert all(8 < side < 32 for _, *sides in icons for side in sides), icons
    finally:
        opened.page.context.close()


PANELS = """() => [...document.querySelectorAll(".figure-panels")].map((row) => {
  const box = row.closest(".figure-box");
  const parts = [...row.children].map((one) => one.getBoundingClientRect());
  const scales = [...row.children].map((one, at) => parts[at].width / one.viewBox.baseVal.width);
  return {
    tops: new Set(parts.map((one) => Math.round(one.top))).size,
    scrolls: box.scrollWidth > box.clientWidth + 1,
    scale: Math.max(...scales) / Math.min(...scales),
    heights: new Set(parts.map((one) => Math.round(one.height / 2))).size,
    text: Math.min(...scales) * Math.min(...[...row.querySelectorAll("text")]
      .map((one) => parseFloat(getComputedStyle(one).fontSize))),
    paired: [...row.children].some((one) => one.style.getPropertyValue("--pair")),
  };
})"""
WITH_PANELS = [path for path in CHAPTERS if "figure-panels" in (HTML / path).read_text("utf-8")]


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("path", WITH_PANELS or ["book/18_search.html"])
def test_panels_stand_beside_each_other_or_below_and_never_scroll(browser, site, path):
    opened = visit(browser, site, path, "light")
    page = opened.page
    try:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
        for skip in page.locator(".question-skip:visible").all():
            skip.click()
        for width in (1280, 390, 360):
            page.set_viewport_size({"width": width, "height": 900})
            found = page.evaluate(PANELS)
            assert found
            for row in found:
                assert not row["scrolls"], width
                assert row["text"] >= 8.95, (width, row["text"])
                if width == 1280:
                    assert (row["tops"], row["heights"]) == (1, 1), "axes stand at one height"
                    assert row["scale"] < 1.01
                else:
                    assert row["tops"] > 1
                    assert row["scale"] < 1.01 or not row["paired"]
    finally:
        page.context.close()


INDICES = """() => [...document.querySelectorAll(".figure-box tspan[font-size]")]
  .filter((one) => one.checkVisibility() && !one.matches("[text-decoration], [fill-opacity]"))
  .map((one) => {
    const { a, b } = one.getScreenCTM();
    const size = (of) => parseFloat(getComputedStyle(of).fontSize) * Math.hypot(a, b);
    const line = one.closest("text");
    return [line.textContent, size(one), size(line)];
  })"""


BARELY_WIDE = """() => [...document.querySelectorAll(".figure-box")]
  .map((box) => [box.closest("figure")?.id, box.scrollWidth - box.clientWidth])
  .filter(([name, more]) => more > 1 && more < 60)"""


@pytest.mark.by_turns(3)
@pytest.mark.parametrize("path", CHAPTERS or ["book/04_attention.html"])
def test_figures_are_readable_on_a_phone_and_none_scrolls_for_the_width_of_a_margin(
    browser, site, path
):
    opened = visit(browser, site, path, "light")
    try:
        for width in (390, 360):
            opened.page.set_viewport_size({"width": width, "height": 900})
            opened.page.wait_for_timeout(100)
            assert opened.page.evaluate(BARELY_WIDE) == [], width
            for name, size, line in opened.page.evaluate(INDICES):
                assert size >= min(8.95, line - 0.01), (width, name)
    finally:
        opened.page.context.close()


NAMES = """() => [...document.querySelectorAll("table.mt-names:not(details *, .admonition *)")]
  .map((table) => [table, table.closest(".pst-scrollable-table-container") ?? table])
  .filter(([table, box]) => table.checkVisibility() && box.scrollWidth > box.clientWidth + 40)
  .map(([table, box]) => {
    box.scrollLeft = box.scrollWidth;
    const cell = table.rows[table.rows.length - 1].cells[0].getBoundingClientRect();
    const { left, width } = box.getBoundingClientRect();
    return [cell.left - left, cell.width / width];
  })"""


@pytest.mark.parametrize("path", ["book/15_encoder_models.html", "book/18_search.html"])
def test_the_names_of_rows_stay_in_sight_while_a_table_scrolls(browser, site, path):
    opened = visit(browser, site, path, "light")
    try:
        opened.page.set_viewport_size({"width": 390, "height": 900})
        found = opened.page.evaluate(NAMES)
        assert found
        for left, share in found:
            assert abs(left) < 2
            assert share < 0.5
    finally:
        opened.page.context.close()


TABLES_OF_THE_BUILDER = """() => [...document.querySelectorAll(".explorer-fits")].map((box) => {
  const last = [...box.querySelectorAll("table")].at(-1);
  const edge = box.getBoundingClientRect();
  return { beyond: last.getBoundingClientRect().right - edge.right,
           beside: last.getBoundingClientRect().top < edge.top + 20 };
})"""


@pytest.mark.parametrize("longest", [False, True])
def test_the_tables_of_the_mask_builder_stand_beside_each_other_only_where_they_fit(
    browser, site, longest
):
    page = visit(browser, site, "book/05_masks.html", "light").page
    page.locator(".explorer-fits").first.scroll_into_view_if_needed()
    box = page.locator(".mtcourse-explorer").filter(has=page.locator(".explorer-fits"))
    if longest:
        slider = box.get_by_label("Length of the sentence").first
        before = slider.input_value()
        slider.press("End")
        assert slider.input_value() > before
    ways = set()
    for width in (1440, 1366, 1320, 1300, 1280, 1200, 1000, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        (seen,) = page.evaluate(TABLES_OF_THE_BUILDER)
        ways.add(seen["beside"])
        assert not seen["beside"] or seen["beyond"] <= 1, width
    page.context.close()
    assert ways == {True, False}
