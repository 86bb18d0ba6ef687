"""The explorer of chapter 09 shows what the translator does, in node and in a browser."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from mtcourse.chapters.multi_head.explorer import SENTENCES, multi_head_explorer
from mtcourse.errors import MtcourseError
from mtcourse.models.pruned_heads import Head, attention_layers, without_heads
from mtcourse.models.translator import Translator
from mtcourse.text.corpora import builtin_corpus
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/09_multi_head.html"
FEW = SENTENCES[:2]


@pytest.fixture(scope="module")
def translator():
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def explorer(translator):
    return multi_head_explorer(translator)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "multi_head")


def view_of(node, explorer, **settings) -> dict[str, Any]:
    chosen = {**explorer.settings, **settings}
    return node("viewOf(data, settings)", data=explorer.data, settings=chosen)


# --- the script, run by node --------------------------------------------------------------------


@pytest.mark.parametrize("kept", [[True] * 3, [True, False, True], [False, True, False]])
def test_shares_and_lengths_are_torchs(node, kept):
    parts = torch.randn(3, 8, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    common = (parts @ parts.T).tolist()
    shares, left = node("[sharesOf(c), lengthLeft(c, kept)]", c=common, kept=kept)
    whole = parts.sum(0)
    torch.testing.assert_close(torch.tensor(shares).double(), parts @ whole / (whole @ whole))
    assert sum(shares) == pytest.approx(1)
    assert left == pytest.approx(float(parts[kept].sum(0).norm() / whole.norm()))


def test_what_the_page_asks_has_an_answer(node, explorer):
    """The questions beneath the explorer."""
    only_three = view_of(node, explorer, kept=[False, False, True, False])
    assert only_three["now"] == only_three["whole"]
    sister = {"sentence": 3, "layer": 5}
    assert "sister" in explorer.data["sentences"][3]["text"]
    gone = [[j for j in range(4) if not (k >> j) & 1] for k in range(16)]
    stays = {
        tuple(out): (
            view := view_of(node, explorer, **sister, kept=[j not in out for j in range(4)])
        )
        and view["now"] == view["whole"]
        for out in gone
    }
    assert [out for out, same in stays.items() if len(out) == 1 and not same] == []
    assert len([out for out, same in stays.items() if len(out) == 2 and not same]) == 1
    left = [
        view_of(node, explorer, sentence=3, layer=1, token=0, kept=[k != j for k in range(4)])
        for j in range(4)
    ]
    assert [view["left"] > 1.05 for view in left] == [False, False, True, False]


@pytest.mark.parametrize("layer", range(6))
@pytest.mark.parametrize("gone", [(), (2,), (0, 3), (0, 1, 2, 3)])
def test_the_translation_is_the_translators_without_these_heads(
    node, explorer, translator, layer, gone
):
    place = list(attention_layers(translator.model))[layer]
    with without_heads(translator.model, [Head(place[0], place[1], number) for number in gone]):
        (expected,) = translator.translate([FEW[0]])
    kept = [number not in gone for number in range(4)]
    view = view_of(node, explorer, layer=layer, kept=kept)
    assert view["now"] == expected
    assert view["whole"] == translator.translate([FEW[0]])[0]


@pytest.mark.parametrize("layer", range(6))
def test_rows_are_the_translators_weights_and_lengths_those_of_what_is_added(
    node, explorer, translator, layer
):
    products = translator.attention_products(FEW[1])
    kind, number = list(attention_layers(translator.model))[layer]
    scores = getattr(products, kind)[number] / products.d_k**0.5
    if kind == "decoder":
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    view = view_of(node, explorer, sentence=1, layer=layer, token=3)
    rows = torch.softmax(scores, -1)[:, 3]
    torch.testing.assert_close(torch.tensor(view["rows"]), rows, atol=1e-3, rtol=0)
    assert view["left"] == 1
    assert len(view["answering"]) == rows.shape[-1]


def test_a_token_beyond_the_end_is_the_last(node, explorer):
    view = view_of(node, explorer, token=99)
    assert view["at"] == len(view["asking"]) - 1


# --- what a page gets ---------------------------------------------------------------------------


def test_the_opening_sentence_loses_its_het_with_the_third_head(node, explorer):
    view = view_of(node, explorer, kept=[True, True, False, True])
    assert (view["whole"], view["now"]) == (
        "Hij legde het idee voorzichtig uit.",
        "Hij legde de idee voorzichtig uit.",
    )


def test_the_sentences_are_translated_without_an_error(translator):
    test = {pair.source: pair for pair in builtin_corpus().splits["test"]}
    for sentence, translation in zip(SENTENCES, translator.translate(SENTENCES), strict=True):
        if sentence in test:
            assert translation in (test[sentence].target, *test[sentence].references)


def test_settings_are_known_by_name_and_the_model_is_as_it_was(translator):
    attentions = [layer.attention for layer in attention_layers(translator.model).values()]
    weights = [of.clone() for of in translator.model.parameters()]
    with pytest.raises(MtcourseError, match="no settings colour"):
        multi_head_explorer(translator, FEW[:1], settings={"colour": 1})
    layers = attention_layers(translator.model).values()
    assert [layer.attention for layer in layers] == attentions
    after = list(translator.model.parameters())
    assert all(torch.equal(a, b) for a, b in zip(weights, after, strict=True))


def test_a_sentence_is_needed():
    with pytest.raises(MtcourseError, match="at least one sentence"):
        multi_head_explorer(sentences=[])


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def opened(browser, request, explorer):
    """A file that holds nothing but the explorer, or the page of the book."""
    place, scheme = request.param
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="multi_head"]').first


BOTH = pytest.mark.parametrize(
    "opened", [("file", "light"), (PAGE, "light")], ids=["file", "book"], indirect=True
)


@pytest.mark.browser
@BOTH
def test_a_head_is_taken_out_and_comes_back(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    assert "With all heads: Hij legde het idee" in says.inner_text()
    explorer.get_by_label("head 3").uncheck()
    assert "Without head 3: Hij legde de idee voorzichtig uit." in says.inner_text()
    assert says.locator("b").inner_text() == "de"
    explorer.get_by_label("head 1").uncheck()
    assert "Without heads 1 and 3:" in says.inner_text()
    for head in (1, 3):
        explorer.get_by_label(f"head {head}").check()
    assert "the length is 100% of the whole" in says.inner_text()


@pytest.mark.browser
@BOTH
def test_sentence_layer_and_token_change_what_is_shown(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    options = explorer.locator("[role=option]")
    table = explorer.locator("table")
    assert "Where “the” looks" in table.inner_text()
    explorer.get_by_role("listbox").press("ArrowRight")
    assert "Where “idea” looks" in table.inner_text()
    options.nth(0).click()
    assert "Where “He” looks" in table.inner_text()
    explorer.get_by_label("Layer", exact=True).select_option("5")
    assert options.nth(0).inner_text() == "<bos>"
    assert "Where “<bos>” looks" in table.inner_text()
    explorer.get_by_label("Sentence", exact=True).select_option("1")
    assert "Is het kind heel oud?" in says.inner_text()
