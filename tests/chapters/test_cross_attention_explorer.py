"""The explorer of chapter 06 reads off what the package reads off, in node and in a browser."""

from __future__ import annotations

import functools

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
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import SentencePair
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/06_cross_attention.html"


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
    view = node("viewOf(data, settings)", data=explorer.data, settings=settings)
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


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def opened(browser, request, explorer):
    """A file that holds nothing but the explorer, or the page of the book."""
    place, scheme = request.param
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="cross_attention"]').first


BOTH = pytest.mark.parametrize(
    "opened", [("file", "light"), (PAGE, "light")], ids=["file", "book"], indirect=True
)


@pytest.mark.browser
@BOTH
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
@BOTH
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
    for label, value in (("Layer", "0"), ("Head", "3"), ("Sentence", "2")):
        explorer.get_by_label(label, exact=True).select_option(value)
        assert says.inner_text() != before
        before = says.inner_text()
