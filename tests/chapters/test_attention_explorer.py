"""The explorer of attention computes what the package computes."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import torch

from mtcourse.chapters.attention.explorer import SENTENCES, attention_explorer
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import shown_pieces
from mtcourse.layers.attention import attention_weights
from mtcourse.layers.masks import causal_mask
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from tests.helpers.browsing import Visit, violations
from tests.helpers.javascript import computed as node
from tests.helpers.live_explorers import (
    TRANSLATOR,
    reopen,
    sentences,
    visited_page,
    with_translator,
    write_page,
)
from tests.helpers.script_numbers import equal, products_of


@pytest.mark.parametrize(
    ("d_k", "exponent", "temperature", "size"),
    [(1, 0.5, 1.0, 1.0), (32, 0.5, 1.0, 6.0), (32, 0.0, 1.0, 6.0), (8, 1.0, 0.3, 3.0),
     (64, 0.25, 7.5, 8.0), (32, 0.5, 1.0, 1e4)],
)  # fmt: skip
@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_those_of_the_package(d_k, exponent, temperature, size, causal):
    products = products_of(d_k, 5, 5, size)
    how = {"d_k": d_k, "exponent": exponent, "temperature": temperature, "causal": causal}
    found = node(
        "attention", "attentionWeights(products, how)", products=products.tolist(), how=how
    )
    scores = products / (d_k**exponent * temperature)
    equal(found, attention_weights(scores, causal_mask(5) if causal else None))


def test_softmax_of_nothing_of_infinities_and_of_large_numbers():
    inf = math.inf
    rows = [[-inf, -inf], [0.0, -inf], [1000.0, 1001.0], [-1e9, -1e9]]
    mask = [[score > -inf for score in row] for row in rows]
    found = node("attention", "rows.map(softmaxOrZeros)", rows=rows)
    equal(found, attention_weights(torch.tensor(rows), torch.tensor(mask)))
    assert found[0] == [0, 0]


def test_the_effective_number_is_the_exponential_of_the_entropy():
    rows = torch.softmax(products_of(3, 4, 6, 2.0), -1)
    found = node("attention", "rows.map(effectiveNumber)", rows=rows.tolist())
    equal(found, torch.distributions.Categorical(rows).entropy().exp())
    assert node("attention", "effectiveNumber([0, 1, 0])") == 1
    assert node("attention", "effectiveNumber([0.25, 0.25, 0.25, 0.25])") == pytest.approx(4)


def test_a_heads_weights_are_those_that_the_translator_computed():
    translator = Translator.load(device="cpu")
    explorer = attention_explorer(translator, SENTENCES[:1])
    looked = translator.attention_map(SENTENCES[0])
    (of_sentence,) = explorer.data["sentences"]
    found = node(
        "attention",
        "products.map((heads) => heads.map((head) => attentionWeights(head, { d_k })))",
        products=of_sentence["cross"],
        d_k=explorer.data["d_k"],
    )
    # The products are rounded to three decimals, so that the page stays small.
    torch.testing.assert_close(torch.tensor(found), looked.weights, rtol=0, atol=1e-4)


@pytest.mark.slow
def test_the_sentences_are_none_that_the_translator_has_learnt():
    learnt = {pair.source for pair in builtin_corpus().splits["train"]}
    assert learnt.isdisjoint(SENTENCES)


def test_an_explorer_of_no_sentences_says_what_it_needs():
    with pytest.raises(MtcourseError, match="at least one sentence"):
        attention_explorer(sentences=[])


# --- the reader's own sentence ------------------------------------------------------------------


def test_products_of_any_sentence_are_the_packages():
    texts = sentences(20)
    found = with_translator(
        "attention", "texts.map((text) => productsOfSentence(translator, text))", texts=texts
    )
    compared = 0
    for text, of in zip(texts, found, strict=True):
        (translation,) = TRANSLATOR.translate([text])
        assert (of["text"], of["translation"]) == (text, translation)
        products = TRANSLATOR.attention_products(text)
        assert of["source"] == shown_pieces(products.source_pieces)
        if of["write"][-1] != "<eos>":
            continue  # it was cut off at the longest length; the package would add an <eos>
        compared += 1
        assert of["read"] == shown_pieces(products.decoder_pieces)
        assert of["write"] == shown_pieces(products.target_pieces)
        for kind in ("encoder", "decoder", "cross"):
            # Products are large: a ten-thousandth of the largest is as near as float32 comes.
            wanted = getattr(products, kind)
            apart = (torch.tensor(of[kind]) - wanted).abs().max()
            assert apart < 1e-4 * max(1.0, float(wanted.abs().max()))
            weights = with_weights(of[kind], kind)
            scores = wanted / products.d_k**0.5
            mask = causal_mask(scores.shape[-1]) if kind == "decoder" else None
            torch.testing.assert_close(weights, attention_weights(scores, mask), rtol=0, atol=1e-4)
    assert compared >= 20


def with_weights(products: list, kind: str) -> torch.Tensor:
    """The weights of products, as the explorer's tests above hold them to the package's."""
    scores = torch.tensor(products) / (TRANSLATOR.model.config.d_model / 4) ** 0.5
    mask = causal_mask(scores.shape[-1]) if kind == "decoder" else None
    return attention_weights(scores, mask)


def test_what_is_stored_is_what_would_be_computed():
    stored = attention_explorer(TRANSLATOR).data["sentences"]
    found = with_translator(
        "attention", "texts.map((text) => productsOfSentence(translator, text))", texts=SENTENCES
    )
    for a, b in zip(stored, found, strict=True):
        assert {**a, "encoder": 0, "decoder": 0, "cross": 0} == {
            **b, "encoder": 0, "decoder": 0, "cross": 0
        }  # fmt: skip
        for kind in ("encoder", "decoder", "cross"):
            torch.testing.assert_close(
                torch.tensor(a[kind]), torch.tensor(b[kind]), rtol=1e-3, atol=1e-3
            )


@pytest.fixture(params=[("file", "dark"), ("http", "light")], ids=["file", "http"])
def opened(browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A page with nothing but the explorer and the translator's files beside it."""
    place, scheme = request.param
    page = write_page("attention", attention_explorer(TRANSLATOR).html())
    with visited_page(browser, page, place, scheme) as visited:
        yield visited


@pytest.mark.browser
def test_a_sentence_that_is_typed_is_shown_as_the_stored_ones_are(opened):
    page = opened.page
    dutch = page.locator(".explorer-translation")
    assert dutch.inner_text() == TRANSLATOR.translate([SENTENCES[0]])[0]
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"
    page.get_by_label("Your sentence").fill("The zebra sleeps <b>here</b>.")
    page.keyboard.press("Enter")
    (translation,) = TRANSLATOR.translate(["The zebra sleeps <b>here</b>."])
    page.wait_for_function(
        "text => document.querySelector('.explorer-translation').innerText === text",
        arg=translation,
    )
    assert "zebra" in page.locator("mark").all_inner_texts()
    page.get_by_label("Attention", exact=True).select_option("encoder")
    products = TRANSLATOR.attention_products("The zebra sleeps <b>here</b>.")
    shown = page.locator("[role=option]").all_inner_texts()
    assert shown == shown_pieces(products.source_pieces)
    page.get_by_role("listbox").press("Home")
    weights = (products.encoder[0, 1, 0] / products.d_k**0.5).softmax(-1)
    said = page.locator("[aria-live] b").inner_text()
    assert float(said.split(" gives ")[1].split()[0]) == pytest.approx(float(weights.max()), 1e-2)
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    page.wait_for_function("location.hash.includes('kind=encoder')")
    address = page.url
    reopen(page, address)
    page.wait_for_function(
        "text => document.querySelector('.explorer-translation').innerText === text",
        arg=translation,
    )
    assert page.get_by_label("Attention", exact=True).input_value() == "encoder"
    page.get_by_label("or one of these").select_option("2")
    assert dutch.inner_text() == TRANSLATOR.translate([SENTENCES[2]])[0]


@pytest.mark.browser
@pytest.mark.parametrize("sentence", ["  ", "word " * 200, "y" * 1000])
def test_what_cannot_be_shown_is_said(opened, sentence):
    page = opened.page
    page.get_by_label("Your sentence").fill(sentence)
    page.keyboard.press("Enter")
    page.wait_for_function(
        "/first\\.|shorter/.test(document.querySelector('[role=status]').textContent)"
    )
    dutch = page.locator(".explorer-translation").inner_text()
    assert dutch == TRANSLATOR.translate([SENTENCES[0]])[0]
