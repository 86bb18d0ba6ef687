"""The book on paper: what becomes of a page, and what Chromium prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from mtcourse.repository import NOT_SET
from scripts import build_pdf
from tests.helpers.browsing import HTML, NOT_BUILT

SITE_ADDRESS = build_pdf.site_address
INCLUDED = ["04_attention", "05_masks"]
QUESTION = """
<article><h1 id="x">Words</h1><form><fieldset><legend>1. Which?</legend>
<div class="question-options"><button data-says="No.">one</button>
<button data-right="" data-says="Yes.">two</button></div></fieldset></form></article>
"""
GUESS = """
<article><form><fieldset><legend>Guess.</legend><div class="question-options">
<button data-says="No.">one</button><button data-right="" data-says="Yes.">two</button>
<button class="question-skip" data-says="">Show it</button></div></fieldset></form></article>
"""


@pytest.fixture(autouse=True)
def _without_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The book of these tests has no address, whatever the configuration of the course says."""
    monkeypatch.setattr(build_pdf, "site_address", lambda: None)


@pytest.fixture
def addresses(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """Sets the addresses in a configuration of their own."""

    def place(repository: str, site: str = "") -> None:
        lines = [f"repository:\n  url: {repository}", f"html:\n  baseurl: {site}"]
        (tmp_path / "_config.yml").write_text("\n".join([*lines, "sphinx: {config: {}}"]), "utf-8")
        monkeypatch.setattr(build_pdf, "ROOT", tmp_path)
        monkeypatch.setattr(build_pdf, "site_address", SITE_ADDRESS)

    return place


def article_of(html: str):
    """A page's article."""
    return BeautifulSoup(html, "html.parser").article


def pixels_of(picture: Path) -> np.ndarray:
    """How light each pixel of a picture is."""
    with Image.open(picture) as opened:
        return np.asarray(opened.convert("L"))


@pytest.mark.parametrize(
    ("href", "place"),
    [
        ("#eq-scores", "#04_attention--eq-scores"),
        ("05_masks.html", "#05_masks"),
        ("05_masks.html#fig-1", "#05_masks--fig-1"),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
def test_a_link_leads_to_its_place_in_the_document(href, place):
    assert build_pdf.place_on_paper(href, "04_attention", INCLUDED) == place


@pytest.mark.parametrize("href", ["api_text.html#mtcourse.text", "#explorer=masks&layer=1"])
def test_what_is_not_on_paper_is_on_the_web(href, addresses):
    for repository, site, at in (
        (NOT_SET, "", None),
        ("https://github.com/a/b", "", "https://a.github.io/b/book/"),
        ("https://gitlab.com/a/b", "", None),
        ("https://gitlab.com/a/b", "https://x.org/mt/", "https://x.org/mt/book/"),
    ):
        addresses(repository, site)
        place = build_pdf.place_on_paper(href, "04_attention", INCLUDED)
        if at is None:
            assert place is None
        else:
            assert place.startswith(at)
            assert place.endswith(href)


def test_a_question_has_letters_and_a_key():
    article = article_of(QUESTION)
    build_pdf.print_questions(article)
    assert article.form is None
    assert [one.get_text() for one in article.select("ol li")] == ["one", "two"]
    assert article.select_one(".key").get_text() == "Right: 1 b."


def test_a_guess_is_answered_by_its_page():
    article = article_of(GUESS)
    build_pdf.print_questions(article)
    assert [one.get_text() for one in article.select("ol li")] == ["one", "two"]
    assert article.select_one(".key") is None


def test_on_paper_no_option_tells_at_once_whether_it_is_right():
    said = "Answer these. Each option tells you at once what is right or wrong about it."
    article = article_of(f"<article><p>{said}</p></article>")
    build_pdf.print_questions(article)
    assert article.p.get_text() == "Answer these. The key stands below the last one."


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("You write it. Each chapter has this picture in its margin,\nsmall.", "You write it."),
        ("The translator runs in this page, on your own\nmachine, and sends nothing. On.", "On."),
        ("the encoder, and beside it (on a phone below it) the", "the encoder, and beside it the"),
    ],
)
def test_paper_does_not_say_what_is_true_only_of_a_screen(said, left):
    source = (build_pdf.ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    struck = build_pdf.OF_THE_SCREEN.search(said)
    assert " ".join(struck[0].split())[:30] in " ".join(source.split())
    article = article_of(f"<article><p>{said}</p></article>")
    build_pdf.for_paper(HTML, build_pdf.Page("intro", "", "", article), [])
    assert article.p.get_text().strip() == left


def test_paper_does_not_offer_to_show_an_explorer():
    link = '<a href="09_multi_head.html#explorer=multi_head&amp;open=true">Show it</a>'
    article = article_of(f"<article><p>Which head is it? ({link}.)</p></article>")
    build_pdf.for_paper(HTML, build_pdf.Page("09_multi_head", "", "", article), [])
    assert article.p.get_text() == "Which head is it?"


def test_a_note_below_a_heading_stays_with_what_follows():
    paragraphs = "<p><em>Second reading.</em></p><p>Words.</p><h2>B</h2><p><em>Not</em> alone.</p>"
    article = article_of(f"<article><h2>A</h2>{paragraphs}</article>")
    build_pdf.for_paper(HTML, build_pdf.Page("x", "", "", article), [])
    assert [p.get_text() for p in article.select(".lead-in")] == ["Second reading."]
    said = "<p><em>Second reading. The exercise</em> <code>share</code> <em>needs it.</em></p>"
    article = article_of(f"<article><h2>A</h2>{said}<p>Words.</p></article>")
    build_pdf.for_paper(HTML, build_pdf.Page("x", "", "", article), [])
    assert len(article.select(".lead-in")) == 1


def test_an_address_that_the_theme_shortens_is_whole_on_paper():
    link = '<a class="github reference external" href="https://github.com/a/b/issues/7">a/b#7</a>'
    article = article_of(f"<article><p>URL: {link}.</p></article>")
    build_pdf.for_paper(HTML, build_pdf.Page("bibliography", "", "", article), [])
    assert article.p.get_text() == "URL: https://github.com/a/b/issues/7."


def test_a_long_title_stands_on_one_line_above_the_pages():
    assert build_pdf.short("4. Attention") == "4. Attention"
    name = "17. Sequence to sequence"
    assert build_pdf.short(f"{name}: with an encoder or without one, and what it explains") == name
    assert len(build_pdf.short("word " * 40)) <= build_pdf.LONGEST_HEAD


def test_names_of_two_pages_are_kept_apart():
    article = article_of('<article><g id="a" clip-path="url(#b)"><use href="#c"/></g></article>')
    build_pdf.name_apart(article, "05_masks")
    assert str(article.g) == (
        '<g clip-path="url(#05_masks--b)" id="05_masks--a"><use href="#05_masks--c"></use></g>'
    )


def test_every_page_that_is_read_is_printed():
    if not (HTML / "index.html").exists():
        pytest.skip(NOT_BUILT)
    pages = [page.name for page in build_pdf.pages_of(HTML)]
    chapters = sorted(Path(path).stem for path in HTML.glob("book/[0-9][0-9]_*.html"))
    assert [name for name in pages if name[:2].isdigit()] == chapters
    assert pages[0] == "intro"
    assert "glossary" in pages
    assert not [name for name in pages if build_pdf.LEFT_OUT.match(name)]


@pytest.mark.browser
def test_the_pdf_is_tagged_outlined_and_linked(tmp_path):
    from pypdf import PdfReader

    if not (HTML / "book" / "notation.html").exists():
        pytest.skip(NOT_BUILT)
    if build_pdf.shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    parts = {"setup": "", "notation": "Part I: words"}
    pages = [build_pdf.read_page(HTML, name, part) for name, part in parts.items()]
    for page in pages:
        build_pdf.for_paper(HTML, page, ["setup", "notation"])
    document = tmp_path / "book.html"
    build_pdf.write_fonts(tmp_path)
    titles = [page.title for page in pages]
    document.write_text(build_pdf.document_of(HTML, pages, {titles[0]: 3}), encoding="utf-8")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = build_pdf.shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=build_pdf.FLAGS)
        formulas = HTML / "_static" / "formulas.js"
        build_pdf.print_document(browser, document, formulas, tmp_path / "book.pdf", pages)
        browser.close()
    reader = PdfReader(tmp_path / "book.pdf")
    part, (chapter, below) = reader.outline[-2:]
    assert [part.title, chapter.title] == ["Part I: words", titles[1]]
    assert below[0].title
    assert reader.get_destination_page_number(part) == reader.get_destination_page_number(chapter)
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    numbers = build_pdf.page_numbers(tmp_path / "book.pdf", titles)
    assert list(numbers) == titles
    assert numbers[titles[0]] == 3
    assert titles[1] in reader.pages[numbers[titles[1]] - 1].extract_text()
    assert "\\(" not in "".join(page.extract_text() for page in reader.pages[3:])


@pytest.mark.browser
def test_a_pdf_that_is_made_has_the_letters_of_the_text_as_a_font(tmp_path, monkeypatch):
    from pypdf import PdfReader

    if not (HTML / "book" / "notation.html").exists():
        pytest.skip(NOT_BUILT)
    if build_pdf.shutil.which("chromium") is None:
        pytest.skip("Chromium is not installed")
    if not build_pdf.page_fonts.font_folder():
        pytest.skip("the course's fonts are not installed")
    page = build_pdf.read_page(HTML, "notation", "Part I: words")
    monkeypatch.setattr(build_pdf, "pages_of", lambda _: iter([page]))
    assert build_pdf.main(["--html", str(HTML), "--to", str(tmp_path / "book.pdf")]) == 0
    reader = PdfReader(tmp_path / "book.pdf")
    fonts = [f.get_object() for one in reader.pages for f in one["/Resources"]["/Font"].values()]
    kinds = {font["/Subtype"] for font in fonts if "Serif4" in font.get("/BaseFont", "")}
    assert kinds == {"/Type0"}, "the letters of the text are no font"
    assert "Type3" not in {str(font["/Subtype"]).strip("/") for font in fonts}
    assert [entry.title for entry in reader.outline if not isinstance(entry, list)][-1] == page.part
    assert "Notation 3" in " ".join(reader.pages[1].extract_text().split())


TITLES = ("A heading of two lines", "One below it, with <em>marks</em>, as long", "Another")


@pytest.mark.browser
def test_a_heading_of_several_lines_keeps_its_spaces_in_the_outline(browser, tmp_path):
    from pypdf import PdfReader

    first, second, third = TITLES
    page = f"<body style='width: 90px'><h1>{first}</h1>a<h2>{second}</h2>b<h1>{third}</h1>c"
    (tmp_path / "page.html").write_text(f"<!doctype html><html lang=en>{page}", encoding="utf-8")
    formulas = build_pdf.ROOT / "book" / "_static" / "formulas.js"
    build_pdf.print_document(browser, tmp_path / "page.html", formulas, tmp_path / "page.pdf")
    reader = PdfReader(tmp_path / "page.pdf")
    above, below, last = reader.outline
    marked = second.replace("<em>", "").replace("</em>", "")
    assert [above.title, [one.title for one in below], last.title] == [first, [marked], third]
    assert reader.get_destination_page_number(below[0]) == 0
    assert build_pdf.page_numbers(tmp_path / "page.pdf", [first]) == {first: 1}


def test_the_outline_says_each_heading_once_and_skips_what_is_hidden(tmp_path):
    from pypdf import PdfReader, PdfWriter

    written = PdfWriter()
    written.add_blank_page(100, 100)
    above = written.add_outline_item("1. 1. Words, wordsWords, words", 0)
    written.add_outline_item("Twolines", 0, parent=above)
    written.add_outline_item("Rows", 0)
    written.add_outline_item("of no heading at all", 0)
    written.add_outline_item("Ha", 0)
    written.add_outline_item("Haha", 0)
    written.write(tmp_path / "x.pdf")
    headings = [
        "Hidden",
        "1. Words, words",
        "Two\n  lines",
        "Not on paper",
        "",
        "Rows",
        "Ha",
        "Haha",
    ]
    build_pdf.mend_outline(tmp_path / "x.pdf", headings, {})
    first, below, last, other, *laughs = PdfReader(tmp_path / "x.pdf").outline
    assert [first.title, below[0].title, last.title] == ["1. Words, words", "Two lines", "Rows"]
    assert other.title == "of no heading at all"
    assert [laugh.title for laugh in laughs] == ["Ha", "Haha"]


def test_the_parts_of_the_book_hold_their_pages_in_the_outline(tmp_path):
    from pypdf import PdfReader, PdfWriter

    parts = {"Preface": "", "1. A": "Part I", "2. B": "", "3. C": "Part II"}
    written = PdfWriter()
    for number, title in enumerate(["Contents", *parts]):
        written.add_blank_page(100, 100)
        entry = written.add_outline_item(title, number)
        # Its name is that of another page, which it is not.
        written.add_outline_item("Preface", number, parent=entry)
    written.write(tmp_path / "x.pdf")
    numbers = build_pdf.page_numbers(tmp_path / "x.pdf", list(parts))
    build_pdf.mend_outline(tmp_path / "x.pdf", [], parts)
    reader = PdfReader(tmp_path / "x.pdf")

    def titles_in(outline):
        return [titles_in(one) if isinstance(one, list) else one.title for one in outline]

    below = ["Preface"]
    assert titles_in(reader.outline) == [
        *("Contents", below, "Preface", below),
        *("Part I", ["1. A", below, "2. B", below], "Part II", ["3. C", below]),
    ]
    firsts = [one for one in reader.outline if not isinstance(one, list)]
    assert [reader.get_destination_page_number(one) for one in firsts] == [0, 1, 2, 4]
    assert numbers == {"Preface": 2, "1. A": 3, "2. B": 4, "3. C": 5}
    assert build_pdf.page_numbers(tmp_path / "x.pdf", list(parts)) == numbers


CARDS = "".join(
    f'<li class="exercise-card"><p class="exercise-title">Title {n}</p><p>{"words " * 20}</p></li>'
    for n in range(4)
)
EXERCISES = (
    "<section><h2>Exercises</h2><p>They begin here, and there are so many words that they need "
    "two lines of the page to be told, which end here.</p>"
    f'<div class="exercise-links"><p><span class="exercise-summary">Four.</span></p></div>'
    f"<ul>{CARDS}</ul></section>"
)


def printed_texts(browser, folder: Path, bodies) -> list[str]:
    """What stands on each page if each body is printed as a page of the book."""
    from pypdf import PdfReader

    pages = [
        build_pdf.Page(f"p{n}", f"Page {n}", "", article_of(f"<article>{body}</article>"))
        for n, body in enumerate(bodies)
    ]
    document = folder / "book.html"
    document.write_text(build_pdf.document_of(build_pdf.ROOT / "book", pages, {}), encoding="utf-8")
    formulas = build_pdf.ROOT / "book" / "_static" / "formulas.js"
    build_pdf.print_document(browser, document, formulas, folder / "book.pdf")
    return [page.extract_text() for page in PdfReader(folder / "book.pdf").pages]


def assert_whole(texts: list[str], parts: Sequence[str], count: int, moved: int) -> None:
    """All parts are on one page, so many times, and some begin a page: "Above it." is not there."""
    found = [[part in text for part in parts] for text in texts]
    assert sum(map(all, found)) == count
    assert sum(map(any, found)) == count
    alone = [text for text in texts if parts[0] in text and "Above it." not in text]
    assert moved < len(alone) < count


@pytest.mark.browser
def test_no_page_ends_between_what_leads_to_the_exercises_and_the_first_one(browser, tmp_path):
    bodies = [  # so that the foot of a page comes everywhere in what is looked at
        f'<div style="height: {212 - 3 * n}mm"></div><p>Above it.</p>{EXERCISES}' for n in range(25)
    ]
    parts = ("Exercises", "They begin", "end here.", "Four.", "Title 0")
    assert_whole(printed_texts(browser, tmp_path, bodies), parts, len(bodies), 5)


def test_pictures_are_fitted_to_the_pages_of_the_style_sheet():
    sheet = (build_pdf.ROOT / "scripts" / "print.css").read_text("utf-8")
    size, *margins = re.search(
        r"@page \{\s*size: (\w+);\s*margin: (\d+)mm (\d+)mm (\d+)mm", sheet
    ).groups()
    above, beside, below = map(int, margins)
    assert size == "A4"
    assert (210 - 2 * beside, 297 - above - below) == build_pdf.PAGE


@pytest.mark.browser
def test_a_table_that_is_too_wide_is_made_to_fit_and_others_stay(browser):
    def table(columns: int) -> str:
        return f"<table><tr>{'<td>12345.6</td>' * columns}</tr></table>"

    page = browser.new_page(viewport={"width": build_pdf.COLUMN, "height": 900})
    page.set_content(f"<style>body {{ margin: 0 }}</style><main>{table(3)}{table(16)}</main>")
    widths = "[...document.querySelectorAll('table')].map(t => t.getBoundingClientRect().width)"
    narrow, wide = page.evaluate(widths)
    assert wide > build_pdf.COLUMN
    page.evaluate(build_pdf.FIT, build_pdf.COLUMN)
    assert page.evaluate(widths)[0] == narrow
    assert page.evaluate(widths)[1] <= build_pdf.COLUMN + 1
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize(("blocks", "parts"), [(2, 1), (4, 2), (12, 6)])
def test_a_tall_explorer_is_divided_between_its_boxes(browser, tmp_path, blocks, parts):
    box = "<div style='height: 200px; margin-top: 20px; background: #000'><p>Words.</p></div>"
    page = browser.new_page(viewport={"width": build_pdf.WIDTH, "height": 4000})
    page.set_content(
        "<style>body { margin: 0 }</style><h1>Above</h1>"
        f"<div class='mtcourse-explorer' data-explorer='x'>{box * blocks}</div><p>Below</p>"
    )
    ends = page.locator(build_pdf.EXPLORER).evaluate(build_pdf.CUTS, parts)
    assert [round(end) % 220 for end in ends[1:-1]] == [210] * (parts - 1)
    files = build_pdf.parts_of(page, 0, tmp_path / "picture")
    heights = [len(pixels_of(file)) for file in files]
    assert len(files) == parts
    assert max(heights) <= build_pdf.TALLEST * 1.1
    assert abs(sum(heights) - (220 * blocks - 20)) <= 2 * parts
    page.close()


@pytest.mark.browser
def test_an_explorer_is_divided_where_there_is_room(browser):
    page = browser.new_page(viewport={"width": build_pdf.WIDTH, "height": 2000})
    heights = ((330, 0), (80, 20), (100, 4), (314, 4))
    blocks = "".join(
        f"<p style='margin: {above}px 0 0; height: {height}px'>Words.</p>"
        for height, above in heights
    )
    page.set_content(f"<div class='mtcourse-explorer' data-explorer='x'>{blocks}</div>")
    ends = page.locator(build_pdf.EXPLORER).evaluate(build_pdf.CUTS, 2)
    assert [round(end) for end in ends] == [0, 340, 852]
    page.close()


@pytest.mark.browser
def test_the_picture_of_the_whole_model_is_whole(browser, tmp_path):
    if not (HTML / "book" / "intro.html").exists():
        pytest.skip(NOT_BUILT)
    page = build_pdf.read_page(HTML, "intro", "")
    build_pdf.take_pictures(browser, HTML, page, tmp_path)
    images = page.article.select(".still img")
    pictures = [Path(image["src"].removeprefix("file://")) for image in images]
    assert len(pictures) > 2
    for file in pictures:
        edges = pixels_of(file)[40:-40, [*range(4), *range(-4, 0)]]
        assert (edges.min(axis=1) < 255).all(), f"{file.name} has no frame on both sides"
    foot = pixels_of(pictures[-1])[-12:, 40:-40]
    assert (foot.min(axis=0) < 255).all(), "its end is missing"
    words = [image["alt"] for image in images if Path(image["src"]).stem.startswith("intro-1-")]
    assert words == ["The whole model"] + ["What stands below it in the same box."] * (
        len(words) - 1
    )
    assert len(words) > 1
    build_pdf.join_stills(page.article)
    whole = page.article.select(".still")[1]
    assert [image["alt"] for image in whole.select("img")] == words
    assert whole.contents[-1].name == "figcaption"


def test_the_parts_of_a_picture_stand_in_one_frame():
    def still(name, caption=""):
        return f'<figure class="still"><img src="{name}:"/>{caption}</figure>'

    ends = "<figcaption>It ends.</figcaption>"
    article = article_of(
        f"<article>{still('a')}{still('b')}{still('c', ends)}{still('d', ends)}"
        f"<p>Words.</p>{still('e', ends)}</article>"
    )
    build_pdf.for_paper(HTML, build_pdf.Page("x", "", "", article), [])
    framed = [[img["src"][0] for img in one.select("img")] for one in article.select(".still")]
    assert framed == [["a", "b", "c"], ["d"], ["e"]]
    assert all(one.contents[-1].name == "figcaption" for one in article.select(".still"))


def cell_of(code: int, *printed: str) -> str:
    """A cell with so many lines of code, and what it printed."""
    lines = "".join(f'<span class="code-line">code{n};\n</span>' for n in range(code))
    return (
        '<div class="cell"><div class="cell_input"><div class="highlight">'
        f'<pre>{lines}</pre></div></div><div class="cell_output">{"".join(printed)}</div></div>'
    )


def words_of(lines: int) -> str:
    """What a cell printed in words, with so many lines."""
    return f'<div class="printed-words">{"".join(f"<p>said{n};</p>" for n in range(lines))}</div>'


STREAM = (
    '<div class="output stream highlight"><pre><span class="code-line">told;</span></pre></div>'
)
TABLE = '<div class="printed"><table><tr><td>row0;</td></tr><tr><td>row1;</td></tr></table></div>'


@pytest.mark.browser
@pytest.mark.parametrize(
    "printed", [[words_of(4)], [STREAM], [TABLE, words_of(3)], [TABLE, STREAM]]
)
def test_a_short_output_stays_with_its_code(browser, tmp_path, printed):
    cell = cell_of(4, *printed)
    bodies = [
        f'<div style="height: {165 + 6 * n}mm"></div><p>Above it.</p>{cell}' for n in range(14)
    ]
    strings = article_of(f"<article>{cell}</article>").stripped_strings
    assert_whole(printed_texts(browser, tmp_path, bodies), list(strings), len(bodies), 1)


@pytest.mark.browser
def test_a_long_output_begins_below_its_code_and_goes_on_the_next_page(browser, tmp_path):
    cell = cell_of(2, words_of(12))
    bodies = [
        f'<div style="height: {150 + 4 * n}mm"></div><p>Above it.</p>{cell}' for n in range(20)
    ]
    texts = printed_texts(browser, tmp_path, bodies)
    assert all("code1;" in text and "said1;" in text for text in texts if "said0;" in text)
    assert all("said10;" in text for text in texts if "said11;" in text)
    assert any("Above it." in text and "said4;" in text for text in texts if "said11;" not in text)


@pytest.mark.browser
def test_a_page_may_end_below_a_short_output(browser, tmp_path):
    below = f"{cell_of(2, STREAM)}<p>Below it.</p>"
    bodies = [
        f'<div style="height: {200 + 3 * n}mm"></div><p>Above it.</p>{below}' for n in range(9)
    ]
    texts = printed_texts(browser, tmp_path, bodies)
    assert any("Above it." in text and "told;" in text and "Below" not in text for text in texts)


PICTURE = (
    '<figure><div class="figure-box"><svg class="mtcourse-figure" width="476" height="{height}" '
    'viewBox="0 0 476 {height}"><rect width="476" height="{height}"/></svg></div>'
    "<figcaption>Its caption.</figcaption></figure>"
)


@pytest.mark.browser
@pytest.mark.parametrize(("height", "room", "fits"), [(500, 110, True), (500, 80, False)])
def test_a_picture_is_made_smaller_if_it_then_fits_the_foot_of_a_page(
    browser, tmp_path, height, room, fits
):
    picture = PICTURE.format(height=height)
    above = f'<div style="height: {240 - room}mm"></div><p>Above it.</p>'
    texts = printed_texts(browser, tmp_path, [f"{above}{picture}<p>After it.</p>"])
    page = browser.new_page(viewport={"width": build_pdf.COLUMN, "height": 900})
    page.emulate_media(media="print")
    page.goto((tmp_path / "book.html").as_uri())
    size = "document.querySelector('svg').getBoundingClientRect().width"
    before = page.evaluate(size)
    page.evaluate(build_pdf.FILL, [166 * build_pdf.MILLIMETRE, 251 * build_pdf.MILLIMETRE])
    assert (page.evaluate(size) < before) is fits
    assert page.evaluate(size) > 0.7 * before
    assert page.evaluate("document.querySelector('.sheet').getAttribute('style')") == ""
    page.close()
    (text,) = [one for one in texts if "Above it." in one]
    assert ("Its caption." in text) is fits
