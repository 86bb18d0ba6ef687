"""The explorer of chapter 6 reads off what the package reads off, in node and in a browser."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from mtcourse.chapters.cross_attention.explorer import PAIRS, cross_attention_explorer
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import (
    alignment_scores,
    as_read,
    links_above,
    links_of_source,
    strongest_links,
)
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import membership, word_weights
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from tests.helpers.browsing import Visit, violations
from tests.helpers.javascript import computed
from tests.helpers.live_explorers import (
    TRANSLATOR,
    reopen,
    sentences,
    visited_page,
    with_translator,
    write_page,
)


@pytest.fixture(scope="module")
def explorer():
    return cross_attention_explorer(Translator.load(device="cpu"))


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "cross_attention")


def links(found: list[list[int]]) -> set[tuple[int, int]]:
    return {(i, j) for i, j in found}


# --- the script, run by node --------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(1, 4), (5, 3), (6, 6)])
def test_links_are_those_of_the_package(node, m, n):
    weights = torch.randn(m, n, generator=torch.Generator().manual_seed(m)).softmax(-1)
    found = node(
        "[strongestLinks(w), linksOfSource(w), linksAbove(w, 0.2)]", w=weights.double().tolist()
    )
    assert links(found[0]) == strongest_links(weights)
    assert links(found[1]) == links_of_source(weights)
    assert links(found[2]) == links_above(weights, 0.2)


def test_the_mean_of_the_heads_is_torchs(node):
    heads = torch.randn(4, 3, 5, generator=torch.Generator().manual_seed(1))
    mean, one = node("[weightsOf(heads, -1), weightsOf(heads, 2)]", heads=heads.tolist())
    torch.testing.assert_close(torch.tensor(mean), heads.mean(0))
    torch.testing.assert_close(torch.tensor(one), heads[2])


@pytest.mark.parametrize(
    ("found", "known"),
    [([[0, 0], [1, 2]], [[0, 0], [1, 1], [2, 2]]), ([], [[0, 0]]), ([[1, 1]], [[1, 1]])],
)
def test_the_error_rate_is_the_packages(node, found, known):
    scores = alignment_scores([links(found)], [links(known)])
    js = node("scoresOf(found, known)", found=found, known=known)
    assert js["precision"] == pytest.approx(scores.precision)
    assert js["recall"] == pytest.approx(scores.recall)
    assert js["errorRate"] == pytest.approx(scores.error_rate)


@pytest.mark.parametrize("row", ["predicts", "reads"])
@pytest.mark.parametrize("rule", ["rows", "columns", "threshold"])
@pytest.mark.parametrize("head", [-1, 2])
def test_what_the_reader_chooses_is_what_the_translator_did(node, explorer, row, rule, head):
    translator = Translator.load(device="cpu")
    pair = PAIRS[3]
    settings = {**explorer.settings, "sentence": 3, "row": row, "rule": rule, "head": head}
    shown = explorer.data["sentences"][3]
    view = node("viewOf(shown, settings)", shown=shown, settings=settings)
    looked = translator.attention_map(pair.source, pair.target)
    weights = looked.weights if row == "predicts" else as_read(looked.weights)
    of_layer = weights[1].mean(0) if head < 0 else weights[1, head]
    # Every word of this sentence is a piece of its own, or the test would have to join them.
    assert len(looked.source_pieces) == len(view["source"])
    inner = of_layer[:-1, :-1]
    wanted = {
        "rows": strongest_links(inner),
        "columns": links_of_source(inner),
        "threshold": links_above(inner, settings["threshold"]),
    }
    assert links(view["found"]) == wanted[rule]
    torch.testing.assert_close(torch.tensor(view["weights"]), of_layer[:-1], rtol=0, atol=1e-3)


# --- what a page gets ---------------------------------------------------------------------------


def test_the_pairs_are_those_of_the_corpus():
    test = {pair.source: pair for pair in builtin_corpus(train=100).splits["test"]}
    for pair in PAIRS:
        of_corpus = test[pair.source]
        assert (pair.target, pair.alignment) == (of_corpus.target, of_corpus.alignment)


def test_settings_are_known_by_name_and_pairs_need_links(explorer):
    with pytest.raises(MtcourseError, match="no settings colour"):
        cross_attention_explorer(settings={"colour": 1})
    with pytest.raises(MtcourseError, match="at least one sentence pair"):
        cross_attention_explorer(pairs=[])
    with pytest.raises(MtcourseError, match="'A dog.' has no alignment"):
        cross_attention_explorer(pairs=[SentencePair("A dog.", "Een hond.")])


# --- the reader's own sentence ------------------------------------------------------------------


@pytest.mark.by_turns(3)
def test_words_and_weights_of_any_sentence_are_the_packages():
    texts = sentences(25, seed=2)
    found = with_translator(
        "cross_attention", "texts.map((text) => wordsOfSentence(translator, text))", texts=texts
    )
    compared = 0
    for text, of in zip(texts, found, strict=True):
        (translation,) = TRANSLATOR.translate([text])
        assert (of["translation"], of["known"]) == (translation, None)
        longest = min(2 * len(TRANSLATOR.attention_map(text).source_pieces) + 10, 128)
        if len(TRANSLATOR.tokenizers.target.encode(translation)) >= longest:
            continue  # it was cut off at the longest length; the package would add an <eos>
        compared += 1
        looked = TRANSLATOR.attention_map(text)
        maps = {"predicts": looked.weights, "reads": as_read(looked.weights)}
        for name, weights in maps.items():
            wanted = word_weights(replace(looked, weights=weights), text, translation)
            assert of["source"] == list(wanted.source_words)
            assert of["target"] == list(wanted.target_words[:-1])
            torch.testing.assert_close(
                torch.tensor(of[name]), wanted.weights[..., :-1, :], rtol=0, atol=1e-4
            )
    assert compared >= 25


def test_pieces_that_spell_something_else_are_words_of_their_own(node):
    pieces = ["▁De", "▁kat", "ten", "<eos>"]
    found = node("wordsOfPieces(pieces, text)", pieces=pieces, text="De katten")
    assert found == {"words": ["De", "katten"], "places": [[0], [1, 2]]}
    assert membership(pieces, "De katten")[:, 1].tolist() == [0, 1, 1, 0]
    found = node("wordsOfPieces(pieces, text)", pieces=pieces, text="Een hond")
    assert found == {"words": ["De", "kat", "·ten"], "places": [[0], [1], [2]]}


def test_of_ones_own_sentence_no_links_are_known(node):
    shown = {
        "source": ["A", "<eos>"],
        "target": ["Een"],
        "known": None,
        "predicts": [[[[0.8, 0.2]]]],
    }
    settings = {"layer": 0, "head": -1, "row": "predicts", "rule": "rows", "threshold": 0.3}
    view = node("viewOf(shown, settings)", shown=shown, settings=settings)
    assert (view["known"], view["areKnown"], view["found"]) == ([], False, [[0, 0]])


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(params=[("file", "light"), ("http", "dark")], ids=["file", "http"])
def opened(browser, explorer, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A page with nothing but the explorer and the translator's files beside it."""
    place, scheme = request.param
    page = write_page("cross_attention", explorer.html())
    with visited_page(browser, page, place, scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="cross_attention"]').first


@pytest.mark.browser
@pytest.mark.parametrize("width", [640, 760])
def test_what_stands_side_by_side_or_below_each_other_fills_the_width(opened, width):
    opened.page.set_viewport_size({"width": width, "height": 900})
    found = of(opened).evaluate(
        """(explorer) => {
          const pair = explorer.querySelector(".explorer-pair");
          const [map, lines] = [...pair.children].map((part) => part.getBoundingClientRect());
          const table = pair.querySelector("table").getBoundingClientRect();
          const right = lines.top < map.bottom ? lines.right : table.right;
          const letters = pair.querySelector("svg text").getBoundingClientRect().height;
          return [(right - table.left) / pair.clientWidth, letters];
        }"""
    )
    assert found[0] > 0.95
    assert found[1] > 13, "a line of words beside the map"


@pytest.mark.browser
def test_a_word_is_chosen_by_the_pointer_by_a_click_and_by_keys(opened):
    explorer = of(opened)
    says, options = explorer.locator("[aria-live]"), explorer.locator("[role=option]")
    assert "“sluit” gives" in says.inner_text()
    explorer.locator("svg text").nth(0).hover()
    assert "“Haar” gives" in says.inner_text()
    options.nth(1).click()
    assert "“dochter” gives" in says.inner_text()
    explorer.get_by_role("listbox").press("ArrowRight")
    assert "“sluit” gives" in says.inner_text()
    assert options.nth(2).get_attribute("aria-selected") == "true"
    cells = explorer.locator("[role=gridcell]")
    cells.first.click()
    assert "“Haar” gives" in says.inner_text()
    opened.page.keyboard.press("ArrowDown")
    assert "“dochter” gives" in says.inner_text()


@pytest.mark.browser
def test_heads_rows_and_rules_change_what_is_read_off(opened):
    explorer = of(opened)
    says = explorer.locator("[aria-live]")
    assert "7 links are read off and 8 known, 7 are in both" in says.inner_text()
    assert explorer.get_by_text("●").count() == 7
    explorer.get_by_label("strongest of each English word").check()
    assert "8 links are read off and 8 known, 8 are in both" in says.inner_text()
    assert "alignment error rate 0%" in says.inner_text()
    explorer.get_by_label("Row").select_option("reads")
    assert "alignment error rate 0%" not in says.inner_text()
    explorer.get_by_label("Threshold", exact=True).fill("0.9")
    assert explorer.get_by_label("all weights above the threshold").is_checked()
    before = says.inner_text()
    for label, value in (("Layer", "0"), ("Head", "3"), ("or one of these", "2")):
        explorer.get_by_label(label, exact=True).select_option(value)
        assert says.inner_text() != before
        before = says.inner_text()


@pytest.mark.browser
def test_a_sentence_that_is_typed_has_links_but_no_error_rate(opened):
    page, explorer = opened.page, of(opened)
    says = explorer.locator("[aria-live]")
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"
    page.get_by_label("Your sentence").fill("The zebra explained the idea.")
    page.keyboard.press("Enter")
    page.get_by_text("there are no known links").wait_for()
    assert "error rate 0" not in says.inner_text()
    (translation,) = TRANSLATOR.translate(["The zebra explained the idea."])
    words_shown = explorer.locator("[role=option]").all_inner_texts()
    assert "".join(words_shown) == translation.replace(" ", "")
    assert explorer.get_by_text("●").count() == len(words_shown)
    explorer.get_by_label("strongest of each English word").check()
    assert "6 links are read off" in says.inner_text()
    assert explorer.locator("mark").all_inner_texts() == ["zebra"]
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    page.wait_for_function("location.hash.includes('rule=columns')")
    address = page.url
    reopen(page, address)
    page.get_by_text("there are no known links").wait_for()
    assert explorer.get_by_label("strongest of each English word").is_checked()
    page.get_by_label("or one of these").select_option("0")
    assert "alignment error rate" in says.inner_text()
    for sentence in (" ", "y" * 1000):
        page.get_by_label("Your sentence").fill(sentence)
        page.keyboard.press("Enter")
        page.wait_for_function(
            "/first\\.|shorter/.test(document.querySelector('[role=status]').textContent)"
        )
    assert "alignment error rate" in says.inner_text()
