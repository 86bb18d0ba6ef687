"""The explorer of chapter 18 searches as the package does, in node and in a browser."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator

import pytest
import torch

from mtcourse.chapters.search.explorer import SENTENCES, search_explorer
from mtcourse.chapters.search.trees import DROPPED, ENDED, KEPT, beam_tree
from mtcourse.decoding.exact_search import exact_search
from mtcourse.decoding.search import EOS, beam_search
from mtcourse.errors import MtcourseError
from tests.helpers.browsing import Visit, violations
from tests.helpers.javascript import LONGEST, computed
from tests.helpers.live_explorers import (
    TRANSLATOR,
    sentences,
    visited_page,
    with_translator,
    write_page,
)
from tests.helpers.oracles import markov_state, markov_step

OWN = "Why are the doctors sleeping?"


@pytest.fixture(scope="module")
def explorer():
    return search_explorer(TRANSLATOR)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "search")


def found(sentence: str, width: int, exponent: float):
    search = functools.partial(beam_search, beams=width, length_penalty=exponent)
    return TRANSLATOR.candidates([sentence], search)[0][0]


# --- the trees ----------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.0, 1.0])
@pytest.mark.parametrize("beams", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_the_winner_of_a_tree_is_what_beam_search_returns(seed, beams, exponent):
    generator = torch.Generator().manual_seed(seed)
    table = (2.0 * torch.randn(1, 7, 9, 9, generator=generator)).log_softmax(-1)
    tree = beam_tree(markov_step(table), markov_state(1), 6, beams, exponent)
    lengths = torch.tensor([6])
    best = beam_search(markov_step(table), markov_state(1), lengths, beams, exponent)[0][0]
    assert tree.ids(*tree.won) == best.ids
    step, rank = tree.won
    assert tree.steps[step][rank].log_probability == pytest.approx(best.log_probability, abs=1e-4)
    for nodes in tree.steps:
        assert len(nodes) <= 2 * beams
        assert sum(node.fate == KEPT for node in nodes) <= beams
        totals = [node.log_probability for node in nodes]
        assert totals == sorted(totals, reverse=True)
        assert all((node.token == EOS) >= (node.fate == ENDED) for node in nodes)
        assert all(node.fate in (ENDED, DROPPED) for node in nodes if node.token == EOS)


@pytest.mark.by_turns(3)
def test_stored_results_are_the_packages(explorer):
    widths, exponents = explorer.data["widths"], explorer.data["exponents"]
    for sentence, of in zip(SENTENCES, explorer.data["sentences"], strict=True):
        for width in widths:
            for exponent, end in zip(exponents, of["trees"][str(width)]["ends"], strict=True):
                assert end["text"] == found(sentence, width, float(exponent)).text
        assert of["proof"]["proven"]
        best = TRANSLATOR.candidates([sentence], exact_search)[0][0]
        assert of["proof"]["text"] == best.text
        assert of["proof"]["logProbability"] == pytest.approx(best.log_probability, abs=1e-3)


def test_its_page_stays_small(explorer):
    assert len(explorer.html()) < LONGEST


def test_an_explorer_without_sentences_is_an_error():
    with pytest.raises(MtcourseError, match="at least one sentence"):
        search_explorer(TRANSLATOR, [])


# --- the script, run by node --------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0, 1])
@pytest.mark.parametrize("width", [1, 3])
def test_stored_and_computed_trees_are_the_same(explorer, width, exponent):
    settings = {"sentence": 0, "width": width, "exponent": exponent}
    stored = computed(
        "search", "storedSentence(data, settings)", data=explorer.data, settings=settings
    )
    live = with_translator(
        "search",
        "(({ prove, ...rest }) => rest)(searchedSentence(translator, text, settings))",
        text=SENTENCES[0],
        settings=settings,
    )
    assert live["result"] == stored["result"]
    assert live["won"] == stored["won"]
    assert len(live["steps"]) == len(stored["steps"])
    for ours, theirs in zip(live["steps"], stored["steps"], strict=True):
        assert [node[0] for node in ours] == [node[0] for node in theirs]
        assert [node[1] for node in ours] == [node[1] for node in theirs]
        assert [node[3] for node in ours] == [node[3] for node in theirs]
        assert [node[2] for node in ours] == pytest.approx([n[2] for n in theirs], abs=0.02)


@pytest.mark.parametrize("sentence", sentences(3, seed=4))
def test_any_sentence_is_searched_and_proved_as_in_the_package(sentence):
    live = with_translator(
        "search",
        """(() => {
            const run = searchedSentence(translator, text, { width: 2, exponent: 0 });
            const search = run.prove();
            let next = search.next();
            while (!next.done) next = search.next();
            return { result: run.result, logProbability: run.logProbability, proof: next.value };
        })()""",
        text=sentence,
    )
    ours = found(sentence, 2, 0.0)
    assert live["logProbability"] == pytest.approx(ours.log_probability, abs=0.02)
    if live["proof"]["proven"]:
        best = TRANSLATOR.candidates([sentence], exact_search)[0][0]
        assert live["proof"]["logProbability"] == pytest.approx(best.log_probability, abs=0.02)
    assert live["proof"]["logProbability"] >= live["logProbability"] - 0.02


def test_the_proof_is_that_of_an_enumeration(node):
    """Two tokens and an end: a word that looks good at first, and another that ends surely."""
    expression = """(() => {
        const rows = { 2: [0, 0, 0, 0.05, 0.55, 0.4], 4: [0, 0, 0, 0.4, 0.3, 0.3] };
        rows[5] = [0, 0, 0, 1, 0, 0];
        const step = (id, state) => ({ logits: Float64Array.from(rows[id], Math.log), state });
        const search = proving(step, null, 4, known, most);
        let next = search.next();
        let expanded = [];
        while (!next.done) { expanded.push(next.value); next = search.next(); }
        return { ...next.value, yielded: expanded };
    })()"""  # fmt: skip
    proof = node(expression, known=None, most=100)
    assert proof["best"]["ids"] == [5, 3]
    assert math.exp(proof["best"]["logProbability"]) == pytest.approx(0.4)
    assert proof["proven"]
    assert proof["yielded"] == list(range(1, proof["expanded"] + 1))
    known = {"ids": [5, 3], "logProbability": math.log(0.4)}
    again = node(expression, known=known, most=100)
    assert again["best"]["ids"] == [5, 3]
    assert again["expanded"] <= proof["expanded"]
    given_up = node(expression, known=None, most=1)
    assert not given_up["proven"]


def test_the_verdict_names_a_search_error(node):
    run = {"logProbability": -2.0}
    proof = {"text": "Beter.", "logProbability": -1.5, "expanded": 8, "proven": True}
    assert "A search error" in node("verdictOf(run, proof)", run=run, proof=proof)
    assert "Beter." in node("verdictOf(run, proof)", run=run, proof=proof)
    same = {**proof, "logProbability": -2.0005}
    assert "no sentence is more probable" in node("verdictOf(run, proof)", run=run, proof=same)
    empty = {**proof, "text": ""}
    assert "the empty sentence" in node("verdictOf(run, proof)", run=run, proof=empty)
    unproved = {**proof, "proven": False}
    assert "gave up" in node("verdictOf(run, proof)", run=run, proof=unproved)


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture(params=[("file", "light"), ("http", "dark")], ids=["file", "http"])
def opened(browser, explorer, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A page with nothing but the explorer and the translator's files beside it."""
    place, scheme = request.param
    page = write_page("search", explorer.html())
    with visited_page(browser, page, place, scheme) as visited:
        yield visited


def shows(page, text: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('.explorer-translation').textContent.includes(text)",
        arg=text,
    )


@pytest.mark.browser
def test_it_opens_with_a_tree_that_grows(opened):
    page = opened.page
    branches = page.locator(".explorer-branch")
    assert branches.count() == 4 * 4
    shows(page, "After step 4, the best prefix: Waarom kwamen de dokters")
    page.get_by_role("slider").fill("1")
    shows(page, "After step 1, the best prefix: Waarom")
    at_first = branches.count()
    page.get_by_role("button", name="Watch it grow").click()
    page.wait_for_function(
        "count => document.querySelectorAll('.explorer-branch').length > count", arg=at_first
    )
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The candidates of this step").click()
    assert page.locator(".explorer-candidates tbody tr").count() == 4
    assert violations(page) == []


@pytest.mark.browser
def test_branches_begin_where_the_word_ends_that_they_continue(opened):
    page = opened.page
    shows(page, "After step 4")
    words = page.locator(".explorer-leaf.explorer-tree-kept").evaluate_all(
        "(all) => all.map((word) => word.getBBox()).map(({x, y, width, height}) =>"
        " [x + width, y, y + height])"
    )
    starts = page.locator("path.explorer-branch").evaluate_all(
        "(all) => all.map((path) => path.getPointAtLength(0)).map(({x, y}) => [x, y])"
    )
    later = [(x, y) for x, y in starts if x > min(end for end, *_ in words)]
    assert len(later) == 3 * 4
    for x, y in later:
        assert any(1 < x - end < 9 and top < y < bottom for end, top, bottom in words)


@pytest.mark.browser
def test_width_one_makes_a_search_error_that_is_proved(opened):
    page = opened.page
    page.get_by_role("button", name="Prove it").click()
    page.get_by_text("no sentence is more probable").wait_for()
    shows(page, "Waarom kwamen de dokters aan?")
    assert page.locator(".explorer-tree-won").count() > 5
    page.get_by_label("Beam width").select_option("1")
    page.get_by_role("button", name="Prove it").click()
    page.get_by_text("A search error").wait_for()
    shows(page, "Waarom kwam de dokters aan?")
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"


@pytest.mark.browser
def test_the_readers_own_sentence_is_searched_and_proved(opened):
    page = opened.page
    page.get_by_label("Your sentence").fill(OWN)
    page.get_by_role("button", name="Search").click()
    page.get_by_text("The translator is loading").wait_for(state="hidden")
    page.wait_for_function(
        "text => [...document.querySelectorAll('option')].some((one) => one.textContent === text)",
        arg=f"your own: {OWN}",
    )
    page.get_by_role("button", name="Prove it").click()
    page.get_by_text("more probable").wait_for()
    shows(page, found(OWN, 2, 0.0).text)
    page.get_by_label("the mean of log p (exponent 1)").check()
    page.get_by_label("Beam width").select_option("4")
    page.get_by_role("button", name="Prove it").click()
    page.get_by_text("prefixes").wait_for()
    shows(page, found(OWN, 4, 1.0).text)
    assert violations(page) == []


@pytest.mark.browser
def test_a_long_sentence_becomes_empty(opened):
    page = opened.page
    page.get_by_label("or one of these").select_option("3")
    page.get_by_label("Beam width").select_option("8")
    page.get_by_role("button", name="Prove it").click()
    shows(page, "(the empty sentence)")
    page.get_by_text("no sentence is more probable").wait_for()
    page.get_by_label("the mean of log p (exponent 1)").check()
    page.get_by_role("button", name="Prove it").click()
    shows(page, "Drie dagen geleden")


def test_prefixes_read_as_text(node):
    """A lone space, pieces of one word, and punctuation."""
    pieces = ["De", "▁", "·huil", "·t", ",", "maar", "<eos>"]
    steps = [[[piece, 0 if i else -1, -1.0, 1]] for i, piece in enumerate(pieces)]
    text = node("prefixOf({ steps }, 6, 0)", steps=steps)
    assert text == "De huilt, maar <eos>"
    assert node("[...wayTo({ steps, won: [2, 0] })]", steps=steps) == ["2,0", "1,0", "0,0"]
