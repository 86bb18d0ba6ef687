"""The picture of the whole model: every chapter is in it, and its numbers are torch's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from bs4 import BeautifulSoup

import mtcourse
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import JAVASCRIPT, shown_pieces
from mtcourse.models.recorded_matrices import recorded_matrices
from mtcourse.page.live_translator import live_translator_html, write_live_translator
from mtcourse.page.whole_model import (
    PARTS,
    chapter_pages,
    full_strength,
    lit_parts,
    small_picture_html,
    whole_model_html,
)
from mtcourse.text.batches import shift_right
from mtcourse.text.tokenizer import EOS
from tests.course.test_book import BOOK, load_extension
from tests.figures.test_translator_in_javascript import TRANSLATOR, with_model
from tests.helpers.browsing import ALONE, Visit, violations, visit
from tests.helpers.javascript import evaluated

PAGES = chapter_pages(BOOK)
SENTENCE, TRANSLATION = "The old baker sleeps.", "De oude bakker slaapt."
OTHER = "Did the girl see a dog?"


def ids_of(sentence: str, translation: str) -> tuple[list[int], list[int]]:
    tokenizers = TRANSLATOR.tokenizers
    source, target = tokenizers.source.encode(sentence), tokenizers.target.encode(translation)
    return [*source, EOS], [*target, EOS]


def computed_by_torch(sentence: str, translation: str) -> dict[str, torch.Tensor]:
    source, target = ids_of(sentence, translation)
    read = shift_right(torch.tensor([target]))[0]
    return recorded_matrices(TRANSLATOR.model, torch.tensor(source), read)


# --- chapters -----------------------------------------------------------------------------------


def test_the_chapters_are_those_of_the_book():
    folders = {path.parent.name for path in Path(mtcourse.__path__[0], "chapters").glob("*/*.py")}
    assert len(PAGES) == 20
    assert set(PAGES) <= folders
    assert {part.chapter for part in PARTS} == set(PAGES), "each chapter has a part of its own"
    assert {word for part in PARTS for word in part.also} <= set(PAGES)
    assert len({part.name for part in PARTS}) == len(PARTS)


@pytest.mark.parametrize("word", PAGES)
def test_a_chapter_lights_its_parts(word):
    soup = BeautifulSoup(small_picture_html(word, PAGES), "html.parser")
    links = {link["data-part"]: link for link in soup.find_all("a")}
    assert set(links) == {part.name for part in PARTS}
    lit = {name for name, link in links.items() if "is-lit" in link["class"]}
    here = {name for name, link in links.items() if link.has_attr("aria-current")}
    assert here == {part.name for part in PARTS if part.chapter == word}
    assert here <= lit == lit_parts(word)
    for part in PARTS:
        assert links[part.name]["href"] == f"{PAGES[part.chapter]}.html"
        assert str(int(PAGES[part.chapter][:2])) in links[part.name].get_text()


def test_a_chapter_without_a_part_is_named():
    with pytest.raises(MtcourseError, match="no part for the chapter 'quantum'"):
        small_picture_html("quantum", PAGES)


def test_what_failed_is_said_before_the_picture():
    extension = load_extension("whole_model")
    app = SimpleNamespace(srcdir=str(BOOK.parent), add_css_file=lambda _: None)
    context = {"body": '<h1>A</h1><div class="page-failed">b</div>'}
    extension.place_picture(app, "book/04_attention", "page.html", context, None)
    assert "<details" not in context["body"]
    assert "whole_model" in context


def test_nothing_leads_to_a_chapter_that_a_book_lacks():
    fewer = {word: page for word, page in PAGES.items() if word != "sampling"}
    large = whole_model_html(TRANSLATOR, SENTENCE, TRANSLATION, fewer)
    for html in (small_picture_html("attention", fewer), large):
        links = BeautifulSoup(html, "html.parser").find_all("a")
        assert len(links) == len(PARTS) - 1
        assert "19_sampling.html" not in {link["href"] for link in links}


def test_every_chapter_of_the_book_gets_the_picture_and_no_other_page():
    extension = load_extension("whole_model")
    loaded = []
    app = SimpleNamespace(srcdir=str(BOOK.parent), add_css_file=loaded.append)
    for docname in ("book/04_attention", "book/glossary", "search"):
        context = {"body": "<h1>A</h1><p>b</p><h1>c</h1>"}
        extension.place_picture(app, docname, "page.html", context, None)
        is_chapter = docname == "book/04_attention"
        assert ("whole_model" in context) == is_chapter
        assert context["body"].count("<details") == is_chapter
        assert bool(loaded) or not is_chapter
        if is_chapter:
            assert context["body"].startswith("<h1>A</h1>\n<details")
            loaded.clear()
        assert not loaded


# --- numbers ------------------------------------------------------------------------------------


def test_javascript_computes_the_matrices_that_torch_computes(tmp_path):
    source, target = ids_of(SENTENCE, TRANSLATION)
    wanted = computed_by_torch(SENTENCE, TRANSLATION)
    found = with_model(
        TRANSLATOR,
        tmp_path,
        """(() => {
            const { matrices, watch } = recordedMatrices();
            model.watch = watch;
            runThrough(model, source_ids, target_ids);
            return Object.fromEntries(Object.entries(matrices).map(
                ([name, rows]) => [name, rows.map((row) => [...row])]));
        })()""",
        script=JAVASCRIPT / "whole_model.js",
        source_ids=source,
        target_ids=target,
    )
    assert set(found) == set(wanted)
    for name, matrix in wanted.items():
        rows, columns = matrix.shape
        assert len(found[name]) == rows, name
        # What a causal mask hides is not computed there, and 0 here.
        padded = [[*row, *[0.0] * (columns - len(row))] for row in found[name]]
        torch.testing.assert_close(torch.tensor(padded), matrix, rtol=1e-3, atol=1e-3, msg=name)


def test_the_matrices_of_the_page_are_those_of_the_model():
    html = whole_model_html(TRANSLATOR, SENTENCE, TRANSLATION, PAGES)
    soup = BeautifulSoup(html, "html.parser")
    known = computed_by_torch(SENTENCE, TRANSLATION)
    shown = soup.select("[data-matrix]")
    for button in shown:
        for block in (0, 1):
            assert button["data-matrix"].replace("{block}", str(block)) in known
        matrix = known[button["data-matrix"].replace("{block}", "0")]
        assert button["style"] == f"--rows: {len(matrix)}"
        sizes = {"n": len(known["source_embedding.E"]), "m": len(known["target_embedding.E"])}
        assert sizes[button["data-rows"]] == len(matrix)
        assert sizes.get(button["data-columns"], matrix.shape[1]) == matrix.shape[1]
    left_out = {name for name in known if name.split(".")[1] != "1"} - {
        button["data-matrix"].replace("{block}", "0") for button in shown
    }
    assert left_out == {"decoder.0.self_attention.A", "decoder.0.cross_attention.A"}
    for side, ids in zip(("source", "target"), ids_of(SENTENCE, TRANSLATION), strict=True):
        spans = soup.select(f"[data-part={side}] .whole-pieces span")
        pieces = shown_pieces(getattr(TRANSLATOR.tokenizers, side).pieces(ids))
        wanted = pieces if side == "source" else ["<bos>", *pieces[:-1]]
        assert [span.get_text() for span in spans] == wanted


@pytest.mark.parametrize(
    ("columns", "large", "strongest"), [(99, 1, 1000), (100, 1, 1), (250, 3, 1000), (2000, 20, 1)]
)
def test_a_few_large_numbers_make_the_others_of_a_wide_matrix_no_fainter(columns, large, strongest):
    rows = [[1000.0] * large + [-1.0] * (columns - large)] * 4
    assert full_strength(torch.tensor(rows)) == strongest
    of_script = evaluated(JAVASCRIPT / "whole_model.js", "fullStrength(rows)", rows=rows)
    assert of_script == strongest


def test_the_most_probable_logits_leave_the_others_in_sight():
    logits = computed_by_torch(SENTENCE, TRANSLATION)["output.logits"]
    assert logits.abs().mean() / full_strength(logits) > 0.1


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the translator and below it the picture, and the files of both."""
    folder = tmp_path_factory.mktemp("whole")
    write_live_translator(TRANSLATOR, [SENTENCE, OTHER], [SENTENCE], folder / "files")
    live = live_translator_html("files", SENTENCE, TRANSLATION)
    picture = whole_model_html(TRANSLATOR, SENTENCE, TRANSLATION, PAGES, "files")
    meta = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    meta += '<meta name="color-scheme" content="light dark">'
    page = f"{ALONE}{meta}<main><h1>x</h1>{live}{picture}</main></html>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder


AXE_ASKS = "XMLHttpRequest at .*css|ERR_FAILED"
browsing = pytest.mark.browser


@pytest.fixture(params=["light", "dark"])
def opened(browser, folder, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """The page, opened from the disk; at the end nothing went wrong and nothing else was asked."""
    visited = visit(browser, folder.as_uri(), "/page.html", request.param)
    yield visited
    assert [error for error in visited.errors if not re.search(AXE_ASKS, error)] == []
    assert visited.foreign == []
    visited.page.context.close()


def numbers_shown(page) -> list[list[float]]:
    """The table that stands open, as numbers."""
    rows = page.locator(".whole-numbers tbody tr").all()
    cells = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows]
    return [[float(text.replace("−", "-").replace("masked", "0")) for text in row] for row in cells]


def press(page, matrix: str) -> None:
    page.locator(f'[data-matrix="{matrix}"]').click()
    page.locator(".whole-numbers table").wait_for()


def equal(found: list[list[float]], wanted: torch.Tensor) -> None:
    torch.testing.assert_close(torch.tensor(found), wanted, rtol=0, atol=0.011)


@browsing
def test_a_matrix_shows_its_numbers(opened):
    page = opened.page
    known = computed_by_torch(SENTENCE, TRANSLATION)
    press(page, "encoder.{block}.self_attention.Q")
    equal(numbers_shown(page), known["encoder.0.self_attention.Q"][:, :8])
    n = len(known["source_embedding.E"])
    assert page.locator(".whole-numbers caption").inner_text() == f"Q, {n} × 128, columns 1 to 8"
    page.get_by_label("block 2").check()
    equal(numbers_shown(page), known["encoder.1.self_attention.Q"][:, :8])
    press(page, "decoder.{block}.self_attention.weights.1")
    equal(numbers_shown(page), known["decoder.1.self_attention.weights.1"])
    press(page, "output.logits")
    written = ids_of(SENTENCE, TRANSLATION)[1]
    equal(numbers_shown(page), known["output.logits"][:, written])
    page.locator('[data-matrix="output.logits"]').click()
    assert page.locator(".whole-numbers").count() == 0, "pressed again, it closes"


@browsing
def test_the_picture_follows_the_translator(opened):
    page = opened.page
    image = page.locator('[data-matrix="encoder_norm.written"] img')
    before = image.get_attribute("src")
    page.get_by_label("An English sentence").fill(OTHER)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "text => document.querySelector('[data-part=source] .whole-pieces').textContent === text",
        arg="Didthegirlseeadog?<eos>",
    )
    translation = page.locator(".live-translation").inner_text()
    assert translation == TRANSLATOR.translate([OTHER])[0]
    known = computed_by_torch(OTHER, translation)
    page.wait_for_function(
        "([selector, before]) => document.querySelector(selector).src !== before",
        arg=['[data-matrix="encoder_norm.written"] img', before],
    )
    sizes = [page.locator(f'[data-size="{side}"]').inner_text() for side in "nm"]
    assert sizes == [str(len(known[f"{side}_embedding.E"])) for side in ("source", "target")]
    press(page, "encoder_norm.written")
    equal(numbers_shown(page), known["encoder_norm.written"][:, :8])
    press(page, "decoder.{block}.cross_attention.weights.0")
    equal(numbers_shown(page), known["decoder.0.cross_attention.weights.0"])


@browsing
def test_the_first_picture_is_drawn_as_the_script_draws_it(opened):
    page = opened.page
    pixels = """selector => {
        const image = document.querySelector(selector);
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        canvas.getContext("2d").drawImage(image, 0, 0);
        return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
    }"""
    selector = '[data-matrix="encoder_norm.written"] img'
    first = page.locator(selector).get_attribute("src")
    before = page.evaluate(pixels, selector)
    page.get_by_label("block 2").check()  # draws all anew, and this one the same
    page.wait_for_function(
        "([selector, first]) => document.querySelector(selector).src !== first",
        arg=[selector, first],
    )
    page.wait_for_function("selector => document.querySelector(selector).complete", arg=selector)
    after = page.evaluate(pixels, selector)
    differing = sum(abs(a - b) > 20 for a, b in zip(before, after, strict=True))
    assert differing < len(before) / 100


@browsing
@pytest.mark.parametrize("width", [360, 1280])
def test_it_fits_and_everybody_can_use_it(opened, width):
    page = opened.page
    page.set_viewport_size({"width": width, "height": 800})
    press(page, "decoder.{block}.cross_attention.weights.0")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(page) == []
    page.locator("[data-matrix]").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".whole-numbers caption").inner_text().startswith("X⊤WE, ")


@browsing
def test_the_words_of_a_frame_lie_clear_of_the_parts_above_and_below(opened):
    opened.page.set_viewport_size({"width": 1200, "height": 900})
    room = opened.page.evaluate(
        """() => [...document.querySelectorAll(".whole-large .whole-block span")].map((words) => {
          const {top, bottom, left, right} = words.getBoundingClientRect();
          const parts = [...document.querySelectorAll(".whole-large .whole-part")]
            .map((part) => part.getBoundingClientRect())
            .filter((part) => part.left < right && part.right > left);
          return Math.min(...parts.map((part) => Math.max(top - part.bottom, part.top - bottom)));
        })"""
    )
    assert len(room) == 2
    assert min(room) >= 4
