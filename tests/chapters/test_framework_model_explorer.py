"""The explorer of chapter 7 runs the package's model, in node and under a reader's hands."""

from __future__ import annotations

import functools

import pytest
import torch
from torch import nn

from mtcourse.chapters.framework_model.explorer import framework_model_explorer
from mtcourse.chapters.framework_model.tiny_language import tiny_pairs
from mtcourse.chapters.framework_model.tiny_models import REPAIRS, load_tiny
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer
from mtcourse.layers.positions import sinusoidal_positions
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel
from mtcourse.models.framework_translator import FrameworkTranslator
from mtcourse.recipes.framework import WordPairs
from mtcourse.text.tokenizer import BOS, EOS
from tests.helpers.browsing import visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/07_framework_model.html"
# The positions are of single precision in torch.
CLOSE = {"rtol": 1e-4, "atol": 1e-5}
PAIRS = WordPairs.of(tiny_pairs()[0])


def drawn(name: str, number: int) -> FrameworkModel:
    """A model with random weights, rounded as the page has them."""
    config = FrameworkConfig(PAIRS.source.size, PAIRS.target.size, 10, REPAIRS[name][1])
    model = FrameworkModel(config).double()
    generator = torch.Generator().manual_seed(number)
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.6, generator=generator)
        weight.data = torch.round(weight.data, decimals=3)
    return model


MODELS = {name: drawn(name, number) for number, name in enumerate(REPAIRS)}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return framework_model_explorer(MODELS, PAIRS.source, PAIRS.target)


@pytest.fixture(scope="module")
def node(explorer):
    """Computes an expression in the scope of the explorer's module; its data are ``data``."""
    return functools.partial(computed, "framework_model", data=explorer.data)


READ = [[BOS], [BOS, 7, 9, 5], [8, 8, 6, 12, EOS]]


@pytest.mark.parametrize("place", range(len(REPAIRS)), ids=list(REPAIRS))
@pytest.mark.parametrize("read", READ, ids=["begin", "words", "end"])
def test_logits_are_those_of_the_package(node, explorer, place, read):
    source = explorer.data["sentences"][1]["source"]
    found = node("forward(data.models[place], source, read)", place=place, source=source, read=read)
    model = list(MODELS.values())[place]
    with torch.no_grad():
        expected = model(torch.tensor([source]), torch.tensor([read]))[0]
    torch.testing.assert_close(torch.tensor(found["logits"]).double(), expected, **CLOSE)
    looks = torch.tensor(found["looks"])
    assert looks.shape == (len(read), len(source))
    torch.testing.assert_close(looks.sum(-1), torch.ones(len(read)))


def test_where_it_looks_decides_what_comes_out(node, explorer):
    """The cross-attention shown is the one used: A_C = looks V_C gives the logits."""
    source, read = explorer.data["sentences"][0]["source"], READ[1]
    found = node("forward(data.models[0], source, read)", source=source, read=read)
    model = MODELS["as printed"]
    with torch.no_grad():
        A_C = torch.tensor(found["looks"]).double() @ (
            model.encode(torch.tensor([source]))[0] @ model.W_V_C
        )
        expected = (A_C @ model.W_1_D).relu() @ model.W_2_D @ model.W_O
    torch.testing.assert_close(torch.tensor(found["logits"]).double(), expected, **CLOSE)


def test_positions_are_those_of_the_package(node):
    found = torch.tensor(node("positions(9, 7)"))
    torch.testing.assert_close(found, sinusoidal_positions(9, 7))


def test_it_writes_what_greedy_search_writes(node, explorer):
    for place, (name, model) in enumerate(MODELS.items()):
        source = explorer.data["sentences"][2]
        found = node(
            "writeOn(data.models[place], source, [2], 12)", place=place, source=source["source"]
        )
        translator = FrameworkTranslator.of(model.float(), PAIRS.source, PAIRS.target)
        (expected,) = translator.search([source["text"]])
        assert tuple(found[1:]) == expected.ids[: len(found) - 1], name
        model.double()


def test_the_shipped_models_are_shown_on_a_small_page_and_no_learnt_sentence_is():
    shipped = framework_model_explorer()
    assert len(shipped.html()) < 250_000
    for data, (name, model) in zip(shipped.data["models"], load_tiny()[0].items(), strict=True):
        assert (data["shift"], data["target_positions"]) == REPAIRS[name]
        W_O = torch.tensor(data["weights"]["W_O"])
        torch.testing.assert_close(W_O, model.W_O.detach(), atol=5.1e-4, rtol=0)
    learnt = {pair.source for pair in tiny_pairs()[0]}
    assert learnt.isdisjoint(sentence["text"] for sentence in shipped.data["sentences"])


def test_models_come_with_their_words_and_all_four():
    with pytest.raises(MtcourseError, match="needs words, and the models as printed"):
        framework_model_explorer(MODELS)
    with pytest.raises(MtcourseError, match="positions only, shift only, both"):
        framework_model_explorer({"both": MODELS["both"]}, PAIRS.source, PAIRS.target)
    with pytest.raises(MtcourseError, match="no settings speed"):
        framework_model_explorer(MODELS, PAIRS.source, PAIRS.target, {"speed": 1})


# --- under a reader's hands ---------------------------------------------------------------------


@pytest.fixture(params=["file", PAGE])
def opened(browser, request, explorer):
    """The explorer in a file of its own, and on the page of the book."""
    with visited_explorers(browser, request, request.param, explorer.html()) as visited:
        yield visited


@pytest.mark.browser
def test_it_writes_a_word_takes_it_back_and_writes_to_the_end(opened):
    explorer = opened.page.locator('[data-explorer="framework_model"]').first
    words, says = explorer.locator("[role=option]"), explorer.locator("[aria-live]")
    assert words.all_inner_texts() == ["<bos>"]
    explorer.get_by_role("button", name="Write the next word").click()
    assert words.count() == 2
    explorer.get_by_role("button", name="Take one back").click()
    assert words.count() == 1
    before = says.inner_text()
    explorer.get_by_role("button", name="Write to the end").click()
    assert words.count() > 2
    assert says.inner_text() != before


@pytest.mark.browser
def test_another_word_and_another_model_change_what_comes_next(opened):
    explorer = opened.page.locator('[data-explorer="framework_model"]').first
    table = explorer.locator(".explorer-row-table tbody")
    explorer.get_by_role("button", name="Write the next word").click()
    before = table.inner_text()
    last = explorer.locator("[role=option]").last
    other = "paard" if last.inner_text() != "paard" else "kind"
    explorer.get_by_label("Put another word in its place").select_option(label=other)
    assert last.inner_text() == other
    after = table.inner_text()
    assert after != before
    explorer.get_by_label("Trained with the target shifted right").check()
    assert table.inner_text() != after
