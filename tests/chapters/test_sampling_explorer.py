"""The explorer of chapter 19: its filters are the package's, its numbers the models'."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import pytest
import torch

from mtcourse.chapters.sampling.explorer import TRANSLATED, sampling_explorer
from mtcourse.decoding.filters import in_order, min_p, temperature, top_k, top_p
from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.browsing import Visit, violations, visit, visited_explorers
from tests.helpers.javascript import computed
from tests.helpers.live_explorers import (
    LANGUAGE_MODEL,
    TRANSLATOR,
    address_of,
    reopen,
    visited_page,
    with_language_model,
    with_translator,
    write_page,
)

SOURCES = [source for source, begun in TRANSLATED if not begun]


@pytest.fixture(scope="module")
def explorer():
    return sampling_explorer()


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "sampling")


KS = [1, 2, 3, 5, 10, 20, 50, 100, math.inf]
PS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1]
MS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1]


def package_filter(T, k, p, m, order):
    warm = functools.partial(temperature, T=math.inf if T == 31 else T / 10)
    cut = [functools.partial(top_p, p=PS[p]), functools.partial(min_p, p=MS[m])]
    if k != len(KS) - 1:
        cut.insert(0, functools.partial(top_k, k=KS[k]))
    return in_order(warm, *cut) if order == "first" else in_order(*cut, warm)


SETTINGS = [
    *itertools.product((0, 5, 10, 20, 31), (8,), (8, 11), (0, 4), ("first", "last")),
    (15, 3, 6, 2, "first"),
    (15, 5, 4, 2, "last"),
]


@pytest.mark.parametrize("text", [0, 1, 5])
def test_what_stays_and_its_shares_are_the_packages(explorer, node, text):
    logits = torch.tensor(explorer.data["texts"][text]["logits"], dtype=torch.float64) / 100
    asked = [
        {"text": text, "T": T, "k": k, "p": p, "m": m, "order": order}
        for T, k, p, m, order in SETTINGS
    ]
    views = node(
        "asked.map((one) => { const view = viewOf(data, one); "
        "return [view.kept.length, view.shown.map((id) => [id, view.after[id]])]; })",
        data=explorer.data, asked=asked,
    )  # fmt: skip
    for of, (count, shown) in zip(SETTINGS, views, strict=True):
        changed = package_filter(*of)(logits)
        assert count == int((changed > -math.inf).sum()), of
        shares = changed.softmax(-1)
        assert [p for _, p in shown] == pytest.approx([float(shares[i]) for i, _ in shown]), of


def test_the_stored_logits_are_the_language_models(explorer):
    language_model = LanguageModel.load(device="cpu")
    ids = torch.tensor([[BOS, *language_model.tokenizer.encode("De kok")]])
    with torch.no_grad():
        expected = language_model.model(ids)[0, -1].softmax(-1)
    stored = (torch.tensor(explorer.data["texts"][0]["logits"]) / 100).softmax(-1)
    torch.testing.assert_close(stored, expected, rtol=0.02, atol=1e-5)


def test_draws_follow_the_shares_and_a_seed_repeats_them(explorer, node):
    settings = {"text": 0, "T": 10, "k": 2, "p": 11, "m": 0, "order": "first"}
    counts = node(
        "Array.from({ length: 200 }, (_, seed) => tally(viewOf(data, settings), seed))",
        data=explorer.data, settings=settings,
    )  # fmt: skip
    found = {}
    for name, n in itertools.chain(*counts):
        found[name] = found.get(name, 0) + n
    logits = torch.tensor(explorer.data["texts"][0]["logits"]) / 100
    shares = top_k(logits, 3).softmax(-1)
    names = explorer.data["pieces"]["dutch"]
    assert set(found) == {names[i] for i in shares.nonzero()[:, 0]}
    for i in shares.nonzero()[:, 0]:
        assert found[names[i]] / 4000 == pytest.approx(float(shares[i]), abs=0.04)
    first, second = (
        counts[1],
        node("tally(viewOf(data, settings), 1)", data=explorer.data, settings=settings),
    )
    assert first == second


def test_there_must_be_a_text():
    with pytest.raises(MtcourseError, match="at least one beginning"):
        sampling_explorer(beginnings=[])


@pytest.fixture
def opened(browser, request: pytest.FixtureRequest, explorer) -> Iterator[Visit]:
    with visited_explorers(browser, request, "file", explorer.html()) as visited:
        yield visited


@pytest.mark.browser
def test_a_reader_sees_what_a_filter_leaves_and_draws_from_it(opened):
    page = opened.page
    page.get_by_label("top-k").fill("1")
    assert "2 of 1,500 tokens stay" in page.locator(".explorer-says").first.inner_text()
    page.get_by_label("temperature").fill("0")
    assert "1 token stays" in page.locator(".explorer-says").first.inner_text()
    drawn = page.locator(".explorer-says").nth(1)
    assert drawn.inner_text() == "20 draws: is 20"


@pytest.fixture(params=[("file", "light"), ("http", "dark")], ids=["file", "http"])
def beside_its_files(browser, request: pytest.FixtureRequest, explorer) -> Iterator[Visit]:
    """A page with nothing but the explorer and the translator's files beside it."""
    place, scheme = request.param
    with visited_page(browser, write_page("sampling", explorer.html()), place, scheme) as visited:
        yield visited


WRITES = "Write 5 whole texts"
OWN_SENTENCE = "The zebra sees my bicycle."
OWN_BEGINNING = "De verpleegster ziet"


def written_texts(page, said="different of 5"):
    """What stands in the list once the explorer has written; its filters are in the status."""
    page.get_by_role("status").last.evaluate("status => { status.textContent = ''; }")
    page.get_by_role("button", name=WRITES).click()
    page.get_by_text(said).wait_for()
    return page.get_by_role("listitem").all_inner_texts()


def first_row(page):
    """The most probable token of the table with its probability under the model."""
    cells = page.locator("tbody tr").first.locator("th, td").all_inner_texts()
    return cells[0], float(cells[1])


@pytest.mark.browser
def test_the_translators_own_weights_write_what_the_filters_leave(beside_its_files):
    page = beside_its_files.page
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"
    page.get_by_label("temperature").fill("0")
    for sentence in SOURCES:
        page.get_by_label("Text").select_option(label=f"{sentence} → …")
        assert written_texts(page) == TRANSLATOR.translate([sentence], greedy_search) * 5
    page.get_by_label("temperature").fill("15")
    said = page.get_by_role("status").last.inner_text()
    assert said.endswith("with temperature 0.0, top-k off, top-p off, min-p off."), "as written"
    written = written_texts(page, "with temperature 1.5")
    different = page.get_by_role("status").last.inner_text().split()[0]
    assert len(set(written)) == int(different) > 1
    assert violations(page) == []


@pytest.mark.browser
def test_the_language_model_goes_on_with_a_text_of_the_page(beside_its_files):
    page = beside_its_files.page
    page.get_by_label("temperature").fill("0")
    [greedy] = LANGUAGE_MODEL.continuations(["De kok"], greedy_search)
    assert written_texts(page, "1 different of 5, from “De kok …”") == [greedy] * 5


@pytest.mark.browser
def test_a_readers_own_sentence_is_read_by_the_translator_and_a_link_keeps_it(beside_its_files):
    page = beside_its_files.page
    box = page.get_by_label("Your sentence", exact=False).first
    box.fill(f"  {OWN_SENTENCE} ")
    box.press("Enter")
    page.get_by_text("New to the translator: ").wait_for()
    assert page.locator("mark").all_inner_texts() == ["zebra"]
    assert page.get_by_label("Text").input_value() == "-1"
    ids = [*TRANSLATOR.tokenizers.source.encode(OWN_SENTENCE), EOS]
    with torch.no_grad():
        shares = TRANSLATOR.model(torch.tensor([ids]), torch.tensor([[BOS]]))[0, -1].softmax(-1)
    name, share = first_row(page)
    assert name == TRANSLATOR.tokenizers.target.pieces([int(shares.argmax())])[0].lstrip("▁")
    assert share == pytest.approx(float(shares.max()), abs=2e-3)
    page.get_by_label("temperature").fill("0")
    assert written_texts(page) == TRANSLATOR.translate([OWN_SENTENCE], greedy_search) * 5
    page.wait_for_function("location.hash.includes('text=-1')")
    reopen(page, page.url)
    page.get_by_text("New to the translator: ").wait_for()
    assert (box.input_value(), page.get_by_label("temperature").input_value()) == (
        OWN_SENTENCE,
        "0",
    )
    assert first_row(page)[0] == name
    assert violations(page) == []


@pytest.mark.browser
def test_a_readers_own_beginning_is_read_by_the_language_model(beside_its_files):
    page = beside_its_files.page
    box = page.get_by_label("Or your beginning in Dutch").first
    box.fill(f"{OWN_BEGINNING} LEGOBLOKJES")
    box.press("Enter")
    page.get_by_text("New to the language model: ").wait_for()
    assert page.locator("mark").all_inner_texts() == ["LEGOBLOKJES"]
    box.fill(OWN_BEGINNING)
    page.get_by_role("button", name="Show: Or your beginning").click()
    page.wait_for_function("document.querySelectorAll('mark').length === 0")
    page.get_by_label("temperature").fill("0")
    [greedy] = LANGUAGE_MODEL.continuations([OWN_BEGINNING], greedy_search)
    assert written_texts(page) == [greedy] * 5
    page.get_by_label("Text").select_option("1")
    assert "Zij zegt dat de" in page.get_by_label("Text").locator("option:checked").inner_text()
    page.get_by_label("Text").select_option("-2")
    assert greedy.split()[3].startswith(first_row(page)[0])
    page.wait_for_function("location.hash.includes('beginning=De+verpleegster+ziet')")
    assert violations(page) == []


@pytest.mark.browser
def test_what_cannot_be_read_is_said_and_changes_nothing(beside_its_files):
    page = beside_its_files.page
    shown = page.locator("table").inner_text()
    most = TRANSLATOR.model.config.max_length
    for label, text, said in (
        ("Your sentence", " ", "Write a sentence first."),
        (
            "Your sentence",
            "dog " * 130,
            f"the translator reads at most {most} pieces. Take",
        ),
        ("Your sentence", "x" * 2001, "This text is too long: the translator reads at most"),
        ("Or your beginning", "", "Write a beginning first."),
        ("Or your beginning", "hond " * 127, "This takes 127 pieces: the language model reads at"),
    ):
        box = page.get_by_label(label).first
        box.fill(text)
        box.press("Enter")
        page.get_by_text(said).wait_for()
        assert page.locator("table").inner_text() == shown
        assert page.get_by_label("Text").input_value() == "0"
    assert "own=" not in page.url
    assert "beginning=" not in page.url


@pytest.mark.browser
def test_the_box_is_reached_and_used_by_the_keyboard_alone(beside_its_files):
    page = beside_its_files.page
    page.get_by_label("Text").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("The dog sleeps.")
    page.keyboard.press("Tab")
    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert ring != "none"
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('select').value === '-1'")
    for target in page.locator("button, input[type=text], select").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 24


@pytest.mark.browser
def test_without_the_files_it_says_that_a_model_is_missing(browser, explorer):
    with address_of(write_page("alone", explorer.html(), files=False), "file") as (site, path):
        page = visit(browser, site, path, "light").page
        page.get_by_role("button", name=WRITES).click()
        page.get_by_text("The language model is missing: ").wait_for()
        page.get_by_label("Your sentence").first.fill("A dog.")
        page.get_by_label("Your sentence").first.press("Enter")
        page.get_by_text("The translator is missing: ").wait_for()
        page.get_by_label("temperature").fill("0")
        assert "1 token stays" in page.locator(".explorer-says").first.inner_text()
        assert page.get_by_role("listitem").count() == 0
        page.context.close()


BEGINNINGS = ["De kok", "De verpleegster ziet mijn", "Zürich kost 5 €", "x"]


def test_the_language_models_logits_in_the_page_are_the_packages():
    found = with_language_model(
        "sampling",
        "texts.map((own) => Array.from(entryOf(languageModel, 'dutch', own).exact))",
        texts=BEGINNINGS,
    )
    for text, logits in zip(BEGINNINGS, found, strict=True):
        ids = torch.tensor([[BOS, *LANGUAGE_MODEL.tokenizer.encode(text)]])
        with torch.no_grad():
            expected = LANGUAGE_MODEL.model(ids)[0, -1]
        torch.testing.assert_close(torch.tensor(logits), expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", ["translator", "dutch"])
def test_filters_of_a_readers_own_text_are_the_packages(explorer, kind):
    own = {"translator": OWN_SENTENCE, "dutch": OWN_BEGINNING}[kind]
    asked = [dict(zip("Tkpm", of[:4], strict=True)) | {"order": of[4]} for of in SETTINGS]
    run = {"translator": with_translator, "dutch": with_language_model}[kind]
    name = {"translator": "translator", "dutch": "languageModel"}[kind]
    exact, views = run(
        "sampling",
        f"""(() => {{
            const entry = entryOf({name}, kind, own);
            return [Array.from(entry.exact), asked.map((one) => {{
                const view = viewOf(data, one, entry);
                return [view.kept.length, Array.from(view.after)];
            }})];
        }})()""",
        data={"texts": [], "pieces": explorer.data["pieces"]},
        kind=kind, own=own, asked=asked,
    )  # fmt: skip
    logits = torch.tensor(exact, dtype=torch.float64)
    for of, (count, after) in zip(SETTINGS, views, strict=True):
        changed = package_filter(*of)(logits)
        assert count == int((changed > -math.inf).sum()), of
        expected = changed.softmax(-1)
        torch.testing.assert_close(torch.tensor(after, dtype=torch.float64), expected)


def test_the_samples_of_a_sentence_follow_the_model(explorer):
    """At temperature 1 the first piece comes up as often as the model thinks."""
    settings = {"T": 10, "k": 8, "p": 11, "m": 0, "order": "first", "seed": 1}
    rows = with_translator(
        "sampling",
        """(() => {
            const { exact: logits } = entryOf(translator, "translator", text);
            const random = randomFrom(settings.seed);
            return Array.from({ length: 500 }, () =>
                draw(filtered(Float64Array.from(logits), valuesOf(settings)), random));
        })()""",
        text=SOURCES[1],
        settings=settings,
    )
    source = [*TRANSLATOR.tokenizers.source.encode(SOURCES[1]), EOS]
    with torch.no_grad():
        logits = TRANSLATOR.model(torch.tensor([source]), torch.tensor([[BOS]]))[0, -1]
    shares = logits.softmax(-1)
    for piece in shares.topk(3).indices.tolist():
        assert rows.count(piece) / 500 == pytest.approx(float(shares[piece]), abs=0.07)
