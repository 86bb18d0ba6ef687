"""The translator in the page: what it loads, what a reader can do with it, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtcourse.decoding.search import greedy_search
from mtcourse.models.translator import Translator
from mtcourse.page.live_translator import (
    known_words,
    live_translator_html,
    write_live_translator,
)
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import EOS
from tests.helpers.browsing import ALONE, Visit, violations, visit
from tests.helpers.live_explorers import address_of

SENTENCE = "Yesterday the old baker did not open the shop."
OTHER = "The nurse sees the zebra."
TRANSLATOR = Translator.load(device="cpu")
AXE_ASKS = "XMLHttpRequest at .*css|ERR_FAILED"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with the translator, and its files."""
    folder = tmp_path_factory.mktemp("live")
    splits = builtin_corpus(train=3000).splits
    examples = [pair.source for pair in splits["test"][:5]]
    write_live_translator(
        TRANSLATOR, [pair.source for pair in splits["train"]], examples, folder / "files"
    )
    html = live_translator_html("files", SENTENCE, TRANSLATOR.translate([SENTENCE])[0])
    viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    scheme = '<meta name="color-scheme" content="light dark">'
    page = f"{ALONE}{viewport}{scheme}<main><h1>x</h1>{html}</main></html>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder


def test_the_files_are_scripts_that_hold_the_model(folder):
    text = (folder / "files" / "model.js").read_text(encoding="utf-8")
    model = json.loads(text.removeprefix("globalThis.mtcourseTranslator = ").removesuffix(";\n"))
    assert model["config"] == TRANSLATOR.model.config.to_dict()
    assert model["parts"] == len(list((folder / "files").glob("weights-*.js"))) > 1
    assert {"baker", "shop"} <= set(model["known"])
    assert sum(path.stat().st_size for path in (folder / "files").iterdir()) < 3_500_000


def test_known_words_are_whole_words_in_small_letters():
    assert known_words(["The dog's bone, 3 of them.", "A dog"]) == [
        "a",
        "bone",
        "dog",
        "dog's",
        "of",
        "the",
        "them",
    ]


def test_what_a_reader_typed_cannot_become_markup():
    html = live_translator_html('a"b', "<b>&", 'x" onclick="y')
    assert "<b>" not in html
    assert 'onclick="y' not in html


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser


@pytest.fixture(params=["light", "dark"])
def opened(browser, folder, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """The page, opened from the disk; at the end nothing went wrong and nothing else was asked."""
    visited = visit(browser, folder.as_uri(), "/page.html", request.param)
    yield visited
    assert visited.errors == []
    assert visited.foreign == []
    visited.page.context.close()


def translate(page, sentence: str) -> str:
    page.get_by_label("An English sentence").fill(sentence)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "text => location.hash.includes(encodeURIComponent(text))"
        " && document.querySelector('.explorer-unseen[aria-live]').textContent"
        " === document.querySelector('.live-translation').textContent"
        " && !document.querySelector('.live-inside').hidden",
        arg=sentence,
    )
    return page.locator(".live-translation").inner_text()


def greedy(sentence: str) -> str:
    return TRANSLATOR.translate([sentence], greedy_search)[0]


@browsing
def test_what_is_typed_is_translated_as_by_the_package(opened):
    assert opened.page.locator(".live-translation").inner_text() == greedy(SENTENCE)
    for sentence in (SENTENCE, OTHER, "Does the old nurse open the small shop?"):
        assert translate(opened.page, sentence) == greedy(sentence)


@browsing
def test_nothing_is_loaded_before_it_is_wanted(browser, folder):
    visited = visit(browser, folder.as_uri(), "/page.html", "light")
    loaded = visited.page.locator("script[src*='weights-']")
    assert loaded.count() == 0
    translate(visited.page, OTHER)
    assert loaded.count() > 1
    visited.page.context.close()


@browsing
def test_another_candidate_is_gone_on_with(opened):
    page = opened.page
    translate(page, SENTENCE)
    page.locator(".live-target button").nth(1).click()
    before = page.locator(".live-translation").inner_text()
    candidates = page.locator(".live-candidates button")
    assert candidates.count() == 5
    assert candidates.nth(0).is_disabled(), "what was written is no choice"
    name = candidates.nth(1).locator(".live-name").inner_text()
    candidates.nth(1).click()
    page.wait_for_function(
        "text => document.querySelector('.explorer-unseen[aria-live]').textContent"
        " === document.querySelector('.live-translation').textContent"
        " && document.querySelector('.live-translation').textContent !== text",
        arg=before,
    )
    after = page.locator(".live-translation").inner_text()
    assert after.split()[0] == before.split()[0]
    assert after.split()[1].startswith(name)
    address = page.evaluate("location.hash")
    page.goto(page.url)
    page.reload()
    page.wait_for_selector(".live-inside:not([hidden])")
    assert page.evaluate("location.hash") == address
    assert page.locator(".live-translation").inner_text() == after, "a link shows the same again"
    assert page.evaluate("document.activeElement === document.body"), "and takes no focus"


@browsing
def test_words_that_it_never_saw_are_marked_and_those_that_it_knows_are_listed(opened):
    page = opened.page
    translate(page, OTHER)
    assert page.locator("mark").all_inner_texts() == ["zebra"]
    translate(page, OTHER.upper())
    new, spelt = page.locator(".explorer-muted:has(mark)").inner_text().split("Known in small ")
    assert "New to the translator: ZEBRA." in new
    assert spelt.startswith("letters, but new in capitals: THE")
    translate(page, SENTENCE)
    assert page.locator("mark").count() == 0
    page.get_by_text("Words that it knows").click()
    page.wait_for_selector(".live-words p")
    listed = re.findall(r"[\w'-]+", page.locator(".live-words p").inner_text())
    assert "baker" in listed
    page.get_by_role("button", name="Another sentence").click()
    page.wait_for_function("text => !location.hash.includes(text)", arg="Yesterday")


@browsing
def test_the_keyboard_alone_is_enough(opened):
    page = opened.page
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector(".live-inside:not([hidden])")
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.getAttribute('aria-label')") or "")
    assert any(label.startswith("Gisteren") for label in reached)
    assert any(label.endswith("go on with it") for label in reached)


@browsing
def test_lines_lead_from_where_it_looked(opened):
    page = opened.page
    translate(page, SENTENCE)
    pieces = page.locator(".live-target button").all_inner_texts()
    page.locator(".live-target button").nth(pieces.index("bakker")).click()
    widths = page.locator(".live-lines path").evaluate_all(
        "paths => paths.map(path => Number(path.getAttribute('stroke-width')))"
    )
    tints = page.locator(".live-source .live-piece").evaluate_all(
        "all => all.map(one => [one.textContent, Number(one.style.getPropertyValue('--weight'))])"
    )
    assert max(tints, key=lambda one: one[1])[0] == "baker"
    assert max(widths) > 4


@browsing
def test_it_can_be_used_by_everybody_on_every_screen(opened):
    for sentence in (None, OTHER):
        if sentence:
            translate(opened.page, sentence)
        for width in (1400, 360):
            opened.page.set_viewport_size({"width": width, "height": 900})
            assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(opened.page) == []
            # axe asks for the style sheet again, which a page from a disk may not.
            opened.errors[:] = [one for one in opened.errors if not re.search(AXE_ASKS, one)]
            small = opened.page.locator(
                ".live-translator :is(button, summary, input)"
            ).evaluate_all(
                "all => all.filter(one => one.checkVisibility()"
                " && one.getBoundingClientRect().height < 24).length"
            )
            assert small == 0


@browsing
@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("  ", "Write a sentence first."),
        ("the old shop " * 50, "This takes 151 pieces: the translator reads at most "),
        ("the old shop " * 1000, "This text is too long: the translator reads at most "),
    ],
)
def test_what_cannot_be_translated_is_said(opened, sentence, said):
    page = opened.page
    written = translate(page, SENTENCE)
    input_ = page.get_by_label("An English sentence")
    input_.fill(sentence)
    page.get_by_role("button", name="Translate").click()
    page.wait_for_selector("input[aria-invalid=true]")
    assert page.get_by_role("status").first.inner_text().startswith(said)
    assert page.locator(".live-translation").inner_text() == written, "what stood there stays"
    assert "Yesterday" in page.evaluate("location.hash")
    translate(page, OTHER)
    assert input_.get_attribute("aria-invalid") == "false"
    assert page.get_by_role("status").first.inner_text() == ""


@browsing
def test_files_that_do_not_come_are_named(browser, folder, tmp_path):
    page = (folder / "page.html").read_text(encoding="utf-8")
    (tmp_path / "page.html").write_text(
        page.replace('data-folder="files"', 'data-folder="nowhere"').replace(
            '"files/', f'"{folder.as_uri()}/files/'
        )
    )
    visited = visit(browser, tmp_path.as_uri(), "/page.html", "light")
    visited.page.get_by_role("button", name="Translate").click()
    said = visited.page.get_by_text("could not be loaded")
    said.wait_for()
    assert said.inner_text() == (
        "nowhere/model.js could not be loaded. Try again, and look whether you are online."
    )
    assert said.get_attribute("role") == "status"
    assert visited.page.locator(".live-sides").is_hidden()
    visited.page.context.close()


# --- what a reader asks of it -------------------------------------------------------------------


@pytest.fixture
def light(browser, folder) -> Iterator[Visit]:
    """The page in its light colours alone."""
    visited = visit(browser, folder.as_uri(), "/page.html", "light")
    yield visited
    assert visited.errors == []
    assert visited.foreign == []
    visited.page.context.close()


def stands(page) -> None:
    """Waits until a translation is there and can be looked into."""
    page.wait_for_function(
        "() => document.querySelector('.explorer-unseen[aria-live]').textContent"
        " === document.querySelector('.live-translation').textContent"
        " && !document.querySelector('.live-inside').hidden"
    )


def go_on_with(page, place: int, candidate: int) -> str:
    """Chooses another candidate for a piece, by the keyboard, and returns its name."""
    page.locator(".live-target button").nth(place).press("Enter")
    button = page.locator(".live-candidates button").nth(candidate)
    name = button.locator(".live-name").inner_text()
    button.press("Enter")
    page.wait_for_selector(".live-changed:not([hidden])")
    stands(page)
    return name


@browsing
def test_a_choice_is_named_marked_and_taken_back_by_the_keyboard(light):
    page = light.page
    own = translate(page, SENTENCE)
    instead = page.locator(".live-target button").nth(1).inner_text()
    assert page.locator(".live-changed").is_hidden()
    name = go_on_with(page, 1, 1)
    said = page.locator(".live-changed").inner_text()
    assert said.startswith(f"You chose {name} in place of {instead}.")
    assert page.locator(".live-yours").all_inner_texts() == [name]
    focused = "document.activeElement.textContent"
    assert page.evaluate(focused) == name, "the focus is where the reader was"
    page.get_by_role("button", name="Back to its own translation").press("Enter")
    page.wait_for_selector(".live-changed", state="hidden")
    stands(page)
    assert page.locator(".live-translation").inner_text() == own
    assert page.locator(".live-yours").count() == 0
    assert "begin" not in page.evaluate("location.hash")
    assert page.evaluate("document.activeElement.matches('.live-target button')")


@browsing
def test_two_choices_are_both_kept(light):
    page = light.page
    translate(page, SENTENCE)
    first = go_on_with(page, 1, 1)
    second = go_on_with(page, 3, 2)
    assert page.locator(".live-yours").all_inner_texts() == [first, second]
    pieces = page.locator(".live-target button").all_inner_texts()
    assert (pieces[1], pieces[3]) == (first, second)
    pressed = page.locator(".live-target button[aria-pressed=true]")
    assert pressed.all_inner_texts() == [second]


@browsing
def test_a_link_that_is_pasted_into_an_open_page_is_followed(light):
    page = light.page
    translate(page, SENTENCE)
    go_on_with(page, 1, 1)
    address, there = page.evaluate("location.hash"), page.locator(".live-translation").inner_text()
    translate(page, OTHER)
    page.evaluate("hash => { location.hash = hash; }", address)
    page.wait_for_selector(".live-changed:not([hidden])")
    stands(page)
    assert page.locator(".live-translation").inner_text() == there
    assert page.get_by_label("An English sentence").input_value() == SENTENCE
    for no_link in ("#what-it-cannot-do", "#translate=%E0%A4%A"):
        page.evaluate("hash => { location.hash = hash; }", no_link)
    assert page.locator(".live-translation").inner_text() == there


@browsing
@pytest.mark.parametrize("tail", ["&begin=99999", "&begin=465,99999"])
def test_a_link_of_another_translator_is_said_to_be_one(light, tail):
    page = light.page
    page.evaluate("hash => { location.hash = hash; }", f"#translate=A%20dog.{tail}")
    page.get_by_text("The link is of another translator").wait_for()
    stands(page)
    assert page.locator(".live-translation").inner_text() == greedy("A dog.")
    assert page.evaluate("location.hash") == "#translate=A%20dog."


@browsing
def test_a_link_is_copied_or_shown(light):
    page = light.page
    assert page.get_by_role("button", name="Copy a link").is_hidden()
    translate(page, SENTENCE)
    go_on_with(page, 1, 1)
    page.evaluate(
        "() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }"
    )
    page.get_by_role("button", name="Copy a link").click()
    page.get_by_text("Copied. It shows this sentence").wait_for()
    assert page.evaluate("window.copied") == page.url
    assert "&begin=" in page.url
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(Error('no')); }")
    page.get_by_role("button", name="Copy a link").click()
    page.get_by_text("Copy this link").wait_for()
    assert page.get_by_role("status").last.inner_text() == f"Copy this link: {page.url}"
    translate(page, OTHER)
    assert page.get_by_role("status").last.inner_text() == ""


@browsing
def test_it_says_in_words_where_it_looked(light):
    page = light.page
    translate(page, SENTENCE)
    pieces = page.locator(".live-target button")
    looks = page.locator(".live-looks")
    assert looks.inner_text().startswith("To write “Gisteren” it looked at “Yesterday” (")
    place = pieces.all_inner_texts().index("bakker")
    pieces.nth(place).hover()
    assert looks.inner_text().startswith("To write “bakker” it looked at “baker” (")
    page.mouse.move(0, 0)
    assert looks.inner_text().startswith("To write “Gisteren”"), "the chosen piece again"
    pieces.nth(place).focus()
    assert looks.inner_text().startswith("To write “bakker”")
    page.get_by_label("An English sentence").focus()
    assert looks.inner_text().startswith("To write “Gisteren”")
    label = pieces.nth(place).get_attribute("aria-label")
    assert re.fullmatch(r"bakker, \d+%, looked at “baker” \(\d+%\)", label)


@browsing
def test_lines_touch_the_pieces_that_they_join(light):
    page = light.page
    translate(page, SENTENCE)
    gaps = page.locator(".live-lines path").first.evaluate(
        """path => {
            const matrix = path.getScreenCTM();
            const at = (length) => path.getPointAtLength(length).matrixTransform(matrix);
            const box = (name) => document.querySelector(name).getBoundingClientRect();
            return [at(0).y - box('.live-source .live-piece').bottom,
                at(path.getTotalLength()).y - box('.live-target .live-piece').top];
        }"""
    )
    assert gaps == pytest.approx([0, 0], abs=1)
    before = page.locator(".live-lines path").first.get_attribute("d")
    page.set_viewport_size({"width": 420, "height": 900})
    page.wait_for_function(
        "before => document.querySelector('.live-lines path').getAttribute('d') !== before",
        arg=before,
    )
    frame, drawn = page.locator(".live-sides").evaluate(
        "el => [`0 0 ${el.getBoundingClientRect().width} ${el.getBoundingClientRect().height}`,"
        " el.querySelector('.live-lines').getAttribute('viewBox')]"
    )
    assert frame == drawn


@browsing
def test_what_is_no_text_is_named_and_explained(light):
    page = light.page
    page.get_by_label("An English sentence").fill("😀🎉")
    page.keyboard.press("Enter")
    page.get_by_text("found no end").wait_for()
    assert page.get_by_text("reads their bytes, such as <0xF0>").is_visible()
    assert page.get_by_text("It reads 10 pieces").is_visible()
    signs = page.locator(".live-source .live-sign").all_inner_texts()
    assert (signs[0], signs[1], signs[-1]) == ("space", "<0xF0>", "end")
    apart = page.locator(".live-source .live-piece:not(.live-goes-on)").all_inner_texts()
    assert apart == ["space", "end"]
    pieces = page.locator(".live-target button").count()
    assert pieces == 2 * 10 + 10
    assert page.get_by_text(f"It wrote {pieces} pieces and found no end").is_visible()
    translate(page, SENTENCE)
    assert page.get_by_text("It wrote 10 pieces; press one").is_visible()
    assert page.get_by_text("reads their bytes").count() == 0


@browsing
def test_the_page_is_told_of_each_translation(light):
    page = light.page
    page.evaluate(
        "() => { window.told = []; document.addEventListener('mtcourse:translation',"
        " event => told.push(event.detail)); }"
    )
    written = translate(page, SENTENCE)
    (told,) = page.evaluate("told")
    tokenizers = TRANSLATOR.tokenizers
    assert told["source"] == [*tokenizers.source.encode(SENTENCE), EOS]
    assert told["target"][-1] == EOS
    assert tokenizers.target.decode(told["target"][:-1]) == written
    go_on_with(page, 1, 1)
    assert page.evaluate("told.length") == 2


@browsing
def test_what_stands_below_does_not_jump_while_it_writes(light):
    page = light.page
    translate(page, SENTENCE)
    page.evaluate(
        """() => {
            const el = document.querySelector('.live-translator');
            window.heights = [];
            const look = () => { heights.push(el.offsetHeight); requestAnimationFrame(look); };
            look();
        }"""
    )
    translate(page, "Yesterday the old nurse did not open the shop.")
    heights = page.evaluate("heights")
    assert len(heights) > 5
    assert min(heights[:-1]) >= heights[0] - 30
    assert page.locator(".live-translator").evaluate("el => el.style.minHeight") == ""


@browsing
def test_of_two_requests_the_newer_one_stands(light):
    page = light.page
    input_ = page.get_by_label("An English sentence")
    translate(page, OTHER)
    input_.fill("The old baker opens the shop because the nurse is tired.")
    page.keyboard.press("Enter")
    assert translate(page, SENTENCE) == greedy(SENTENCE)
    page.wait_for_timeout(500)
    assert page.locator(".live-translation").inner_text() == greedy(SENTENCE)
    assert page.locator(".live-source .live-piece").count() == 11


@browsing
def test_without_motion_the_translation_stands_at_once(light):
    page = light.page
    translate(page, OTHER)
    page.emulate_media(reduced_motion="reduce")
    page.evaluate(
        "() => { const draws = window.requestAnimationFrame;"
        " window.requestAnimationFrame = (...all) => { window.moved = true; draws(...all); }; }"
    )
    assert translate(page, SENTENCE) == greedy(SENTENCE)
    assert not page.evaluate("window.moved")
    assert page.locator(".live-lines path").count() > 0


@browsing
def test_what_is_drawn_is_the_packages_attention(light):
    page = light.page
    written = translate(page, SENTENCE)
    weights = TRANSLATOR.attention_map(SENTENCE, written).weights
    mean = weights[-1].mean(0)
    for place in range(mean.shape[0]):
        page.locator(".live-target button").nth(place).click()
        tints = page.locator(".live-source .live-piece").evaluate_all(
            "all => all.map(one => Number(one.style.getPropertyValue('--weight')))"
        )
        assert tints == pytest.approx(mean[place].tolist(), abs=0.01), place
        clear = (mean[place] - 0.04).abs().min() > 0.005
        lines = page.locator(".live-lines path").count()
        assert not clear or lines == int((mean[place] > 0.04).sum())
        cells = page.locator(".live-inside tbody td").evaluate_all(
            "all => all.map(one => Number(one.style.getPropertyValue('--weight')))"
        )
        heads = weights[:, :, place].flatten().tolist()
        assert cells == pytest.approx(heads, abs=0.01), place
    names = page.locator(".live-inside tbody th").all_inner_texts()
    assert names == [f"{layer}.{head}" for layer in (1, 2) for head in (1, 2, 3, 4)]
    assert page.locator(".live-translation").get_attribute("lang") == "nl"


@browsing
def test_the_longest_sentence_that_fits_is_translated_and_spaces_around_it_are_none(light):
    page = light.page
    page.emulate_media(reduced_motion="reduce")
    most = TRANSLATOR.model.config.max_length
    page.get_by_label("An English sentence").fill(" " + "the " * (most - 1))
    page.keyboard.press("Enter")
    page.get_by_text(f"It reads {most} pieces").wait_for()
    assert page.evaluate("location.hash").endswith("the%20the")
    assert page.evaluate("location.hash").startswith("#translate=the")
    page.get_by_label("An English sentence").fill("the " * most)
    page.keyboard.press("Enter")
    page.get_by_text(f"This takes {most + 1} pieces").wait_for()


@browsing
def test_of_two_requests_before_it_is_loaded_the_newer_one_stands(light):
    page = light.page
    page.emulate_media(reduced_motion="reduce")  # else the next frame would end the older one
    page.get_by_label("An English sentence").fill(OTHER)
    page.evaluate(
        """text => {
            const form = document.querySelector('.live-form');
            window.told = 0;
            document.addEventListener('mtcourse:translation', () => { told += 1; });
            form.requestSubmit();
            form.querySelector('input').value = text;
            form.requestSubmit();
        }""",
        SENTENCE,
    )
    page.get_by_text("It wrote").wait_for()
    page.wait_for_timeout(300)
    assert page.locator(".live-translation").inner_text() == greedy(SENTENCE)
    assert page.evaluate("told") == 1


@browsing
def test_another_sentence_is_drawn_from_all_and_words_are_listed_once(light):
    page = light.page
    page.evaluate("() => { Math.random = () => 0.99; }")
    page.get_by_role("button", name="Another sentence").click()
    page.get_by_text("It wrote").wait_for()
    last = builtin_corpus(train=3000).splits["test"][4].source
    assert page.get_by_label("An English sentence").input_value() == last
    assert page.locator(".live-translation").inner_text() == greedy(last)
    summary = page.get_by_text("Words that it knows")
    for _ in range(3):
        summary.click()
        page.wait_for_selector(".live-words p", state="attached")
    assert page.locator(".live-words p").count() == 1


@browsing
def test_what_did_not_come_is_tried_again(browser, folder):
    with address_of(folder / "page.html", "http") as (site, path):
        visited = visit(browser, site, path, "light")
        page = visited.page
        page.route("**/weights-1.js", lambda route: route.abort())
        page.get_by_role("button", name="Translate").click()
        page.get_by_text("could not be loaded. Try again").wait_for()
        page.unroute("**/weights-1.js")
        assert translate(page, OTHER) == greedy(OTHER)
        assert page.get_by_role("status").first.inner_text() == ""
        assert visited.foreign == []
        page.context.close()


@browsing
def test_candidates_are_in_order_with_their_probabilities(light):
    page = light.page
    translate(page, SENTENCE)
    page.locator(".live-target button").nth(1).click()
    labels = page.locator(".live-candidates button").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    shares = [float(re.findall(r" <?(\d+)%", label)[0]) for label in labels]
    assert shares == sorted(shares, reverse=True)
    assert labels[0].endswith(", written")
    page.locator(".live-target button").first.click()
    least = page.locator(".live-candidates button").last
    assert "<1%" in least.inner_text()
    assert least.get_attribute("aria-label").endswith(" <1%: go on with it")
    page.locator(".live-target button").nth(1).click()
    assert labels[0].startswith("opende ")
    bars = page.locator(".live-candidates .explorer-bar").evaluate_all(
        "all => all.map(one => 100 * Number(one.style.getPropertyValue('--weight')))"
    )
    assert bars == pytest.approx(shares, abs=1.05)
    title = page.locator(".live-inside .explorer-label").first.inner_text()
    assert title == "After “Gisteren” it might have written, with these probabilities"
    heads = page.locator(".live-inside tbody tr")
    config = TRANSLATOR.model.config
    assert heads.count() == config.decoder_layers * config.h
    total = heads.first.locator("td").evaluate_all(
        "all => all.reduce((sum, one) => sum + Number(one.style.getPropertyValue('--weight')), 0)"
    )
    assert total == pytest.approx(1, abs=0.01)
    assert heads.first.locator("th").inner_text() == "1.1"
