"""The explorer of chapter 19: its filters are the package's, its numbers the models'."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

import pytest
import torch

from mtcourse.chapters.sampling.explorer import SOURCES, sampling_explorer
from mtcourse.decoding.filters import in_order, min_p, temperature, top_k, top_p
from mtcourse.decoding.search import greedy_search
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.browsing import Visit, violations, visit, visited_explorers
from tests.helpers.javascript import computed
from tests.helpers.live_explorers import (
    TRANSLATOR,
    address_of,
    visited_page,
    with_translator,
    write_page,
)


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


@pytest.mark.browser
def test_the_translators_own_weights_write_what_the_filters_leave(beside_its_files):
    page = beside_its_files.page
    writes = page.get_by_role("button", name="Write 5 translations")
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"
    for place, sentence in enumerate(SOURCES):
        page.get_by_label("Sentence to translate").select_option(str(place))
        page.get_by_label("temperature").fill("0")
        page.get_by_role("status").evaluate("status => { status.textContent = ''; }")
        writes.click()
        page.get_by_text("1 different of 5").wait_for()
        written = page.get_by_role("listitem").all_inner_texts()
        assert written == TRANSLATOR.translate([sentence], greedy_search) * 5
    page.get_by_label("temperature").fill("15")
    said = page.get_by_role("status").inner_text()
    assert said.endswith("with temperature 0.0, top-k off, top-p off, min-p off."), "as written"
    page.get_by_role("status").evaluate("status => { status.textContent = ''; }")
    writes.click()
    page.get_by_text("different of 5, with temperature 1.5").wait_for()
    written = page.get_by_role("listitem").all_inner_texts()
    assert len(set(written)) == int(page.get_by_role("status").inner_text().split()[0]) > 1
    assert violations(page) == []


@pytest.mark.browser
def test_without_the_files_it_says_that_the_translator_is_missing(browser, explorer):
    with address_of(write_page("alone", explorer.html(), files=False), "file") as (site, path):
        page = visit(browser, site, path, "light").page
        page.get_by_role("button", name="Write 5 translations").click()
        page.get_by_text("The upper part works without it.").wait_for()
        assert page.get_by_role("status").inner_text().startswith("The translator is missing: ")
        assert page.get_by_role("listitem").count() == 0
        page.context.close()


def test_the_samples_of_a_sentence_follow_the_model(explorer):
    """At temperature 1 the first piece comes up as often as the model thinks."""
    settings = {"T": 10, "k": 8, "p": 11, "m": 0, "order": "first", "seed": 1}
    rows = with_translator(
        "sampling",
        """(() => {
            const { model, source } = translator;
            const start = model.start([...source.encode(text), EOS]);
            const { logits } = model.step(BOS, start);
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
