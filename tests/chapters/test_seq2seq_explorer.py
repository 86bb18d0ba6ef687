"""The explorer of chapter 17 shows what changes of the cross-attention do to each word."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from mtcourse.chapters.seq2seq.explorer import DRAWS, PAIRS, seq2seq_explorer
from mtcourse.chapters.seq2seq.faithfulness import Forced
from mtcourse.errors import MtcourseError
from mtcourse.evaluation.alignment import as_read
from mtcourse.layers.attention import scaled_dot_product_attention
from mtcourse.models.changed_attention import (
    changed_cross_attention,
    permuted_weights,
    uniform_weights,
    without_largest,
)
from mtcourse.models.translator import Translator
from mtcourse.models.word_weights import word_weights
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.pairs import words
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import LONGEST, computed

PAGE = "book/17_seq2seq.html"
LAYERS = ((0,), (1,), (0, 1))
PLACES = range(len(PAIRS))


@pytest.fixture(scope="module")
def translator():
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def explorer(translator):
    return seq2seq_explorer(translator)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "seq2seq")


def change_of(name: str):
    """The change, made anew: a permutation begins its draws again."""
    if name.startswith("permuted"):
        return permuted_weights(torch.Generator().manual_seed(int(name.split()[1])))
    return {"uniform": uniform_weights, "largest": without_largest}[name]


NAMES = ("uniform", "largest", *(f"permuted {draw}" for draw in range(DRAWS)))


# --- the sentences --------------------------------------------------------------------------------


def test_the_sentences_come_from_the_test_split_and_are_translated_without_an_error(
    translator, explorer
):
    test = {pair.source: pair for pair in builtin_corpus().splits["test"]}
    for pair, shown in zip(PAIRS, explorer.data["sentences"], strict=True):
        assert (pair.target, pair.alignment) == (
            test[pair.source].target,
            test[pair.source].alignment,
        )
        assert translator.translate([pair.source]) == [pair.target]
        assert shown["changed"]["nothing"]["free"] == pair.target
        assert shown["changed"]["nothing"]["other"] == {}


def test_words_of_closed_classes_are_told_from_content_words(explorer):
    found = {
        word: is_function
        for shown in explorer.data["sentences"]
        for word, is_function in zip(shown["target"], shown["function"], strict=True)
    }
    closed = {word for word, is_function in found.items() if is_function}
    assert closed == {
        *("Haar", "de", "niet", "zal", "Jij", "die", "De", "geen", "Zij", "vaak", "uit", "Het"),
        *("kan", "."),
    }


def test_its_page_stays_small(explorer):
    assert len(explorer.html()) < LONGEST


# --- what changes do ------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_probabilities_and_replaced_words_are_those_of_the_shipped_translator(
    translator, explorer, place
):
    forced = Forced(translator, PAIRS[place])
    shown = explorer.data["sentences"][place]
    for number, layers in enumerate(LAYERS):
        for name in NAMES:
            found = shown["changed"][f"{name} {number}"]
            right = forced.right(change_of(name), layers)[:-1]
            assert {int(j) for j in found["other"]} == {
                j for j, kept in enumerate(right) if not kept
            }
            changed = functools.partial(changed_cross_attention, translator.model, layers=layers)
            with torch.no_grad(), changed(change_of(name)):
                p = forced.word_log_probabilities(forced.H_E)[0, :-1].exp()
            with changed(change_of(name)):
                (free,) = translator.translate([PAIRS[place].source])
            assert found["p"] == pytest.approx((100 * p).tolist(), abs=0.51)
            assert found["free"] == free


@pytest.mark.parametrize("place", PLACES)
def test_hiding_a_word_in_both_layers_is_masking_it(translator, explorer, place):
    forced = Forced(translator, PAIRS[place])
    with torch.no_grad():
        full = forced.word_log_probabilities(forced.H_E)[0]
    shown = explorer.data["sentences"][place]
    for i in range(len(shown["source"])):
        left = (full - forced.harm[:, i]).exp()[:-1]
        found = shown["changed"][f"hidden {i} {len(LAYERS) - 1}"]["p"]
        assert found == pytest.approx((100 * left).tolist(), abs=0.51)


@pytest.mark.parametrize("layer", [0, 1])
def test_hiding_a_word_in_one_layer_is_masking_it_there(translator, explorer, layer):
    forced = Forced(translator, PAIRS[0])
    place = translator.model.decoder[layer].cross_attention
    own = place.attention
    for i, pieces in enumerate(forced.source_words.T.bool()):

        def masked(
            Q: Tensor,
            K: Tensor,
            V: Tensor,
            mask: Tensor | None = None,
            causal: bool = False,
            of=pieces,
        ):
            return scaled_dot_product_attention(Q, K, V, ~of[None, None, None, :])

        try:
            place.attention = masked
            with torch.no_grad():
                p = forced.word_log_probabilities(forced.H_E)[0, :-1].exp()
        finally:
            place.attention = own
        found = explorer.data["sentences"][0]["changed"][f"hidden {i} {layer}"]["p"]
        assert found == pytest.approx((100 * p).tolist(), abs=0.51)


@pytest.mark.parametrize("place", PLACES)
def test_what_is_written_freely_begins_with_the_first_word_that_is_replaced(explorer, place):
    """Up to there the free translation is the forced one. A longer word replaces the one before."""
    shown = explorer.data["sentences"][place]
    checked = 0
    for name, found in shown["changed"].items():
        if name.startswith("permuted"):
            continue  # each step draws another order
        if not found["other"]:
            assert found["free"] == PAIRS[place].target
            continue
        first = min(map(int, found["other"]))
        free, other = words(found["free"]), found["other"][str(first)]
        if first and free[first - 1] == other:
            assert other.startswith(shown["target"][first - 1])
            assert free[: first - 1] == shown["target"][: first - 1]
        else:
            assert free[: first + 1] == [*shown["target"][:first], other]
        checked += 1
    assert checked > 10


# --- rows of weights ------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_weights_are_the_means_of_the_heads(translator, explorer, place):
    pair = PAIRS[place]
    looked = translator.attention_map(pair.source, pair.target)
    for row, weights in (("writes", looked.weights), ("reads", as_read(looked.weights))):
        of_words = word_weights(replace(looked, weights=weights), pair.source, pair.target)
        expected = 100 * of_words.weights.mean(1)[:, :-1]
        for layer, found in enumerate(explorer.data["sentences"][place]["maps"]):
            shares = torch.tensor(found["weights"][row]).float()
            torch.testing.assert_close(shares, expected[layer], atol=0.51, rtol=0)


def test_weights_times_norms_are_lengths_of_what_each_head_adds(translator, explorer):
    pair = PAIRS[3]  # every word is one piece but one
    forced = Forced(translator, pair)
    looked = translator.attention_map(pair.source, pair.target)
    x = translator.model.target_embedding  # only to be sure that nothing is trained here
    assert not x.training
    for layer, block in enumerate(translator.model.decoder):
        cross = block.cross_attention
        with torch.no_grad():
            _, V = cross.keys_values(forced.H_E)
        d_k = V.shape[-1]
        W_O = cross.W_O.weight.detach().T
        lengths = torch.zeros(looked.weights.shape[-2:])
        for head in range(cross.h):
            block_of = W_O[head * d_k : (head + 1) * d_k]
            for j in range(lengths.shape[1]):
                added = V[0, head, j] @ block_of
                lengths[:, j] += looked.weights[layer, head, :, j] * added.norm()
        shares = lengths / lengths.sum(1, keepdim=True)
        of_words = word_weights(
            replace(looked, weights=shares[None, None]), pair.source, pair.target
        )
        found = torch.tensor(explorer.data["sentences"][3]["maps"][layer]["norms"]["writes"])
        torch.testing.assert_close(
            found.float(), 100 * of_words.weights[0, 0, :-1], atol=0.51, rtol=0
        )


# --- what the guide and the page tell -------------------------------------------------------------


def result(explorer, place: int, name: str) -> dict[str, Any]:
    return explorer.data["sentences"][place]["changed"][name]


def falls(explorer, place: int, name: str) -> list[int]:
    """By how many per cents each word falls."""
    before = result(explorer, place, "nothing")["p"]
    return [a - b for a, b in zip(before, result(explorer, place, name)["p"], strict=True)]


def test_equal_weights_in_layer_1_take_niet_and_nothing_else(explorer):
    assert result(explorer, 0, "uniform 0")["other"] == {"5": "."}
    assert result(explorer, 0, "uniform 0")["free"] == "Haar dochter sluit de restaurants."
    lost = falls(explorer, 0, "uniform 0")
    assert lost[5] > 85
    assert max(lost[:5] + lost[6:]) < 5
    assert min(falls(explorer, 0, "uniform 1")[:6]) > 35
    assert result(explorer, 0, "uniform 1")["free"] == "Haar dochter sluit de dochter niet."


def test_a_word_with_nearly_all_the_weight_of_a_row_may_matter_or_not(explorer):
    """Hide "daughter", which has 98% of the row's weight in layer 1 and 100% in layer 2."""
    maps = explorer.data["sentences"][0]["maps"]
    assert all(of["weights"]["writes"][1][1] > 95 for of in maps)
    assert falls(explorer, 0, "hidden 1 0")[1] < 5
    assert falls(explorer, 0, "hidden 1 1")[1] > 90


def test_layer_1_says_whether_a_word_goes_on(explorer):
    assert result(explorer, 1, "uniform 0")["other"] == {"3": "kopje"}
    assert result(explorer, 1, "hidden 4 0")["other"] == {"3": "kopje"}
    assert result(explorer, 2, "hidden 5 0")["other"] == {"6": "werkte"}
    assert result(explorer, 2, "hidden 5 0")["free"] == "Jij bedankte de agent die werkte."


def test_a_link_of_the_grammar_is_not_the_only_word_that_matters(explorer):
    """*Geen* needs "water" beside "not": before another word, Dutch would have *niet*."""
    writes = explorer.data["sentences"][3]["maps"][1]["weights"]["writes"][3]
    assert max(writes) == writes[5] > 55
    assert result(explorer, 3, "hidden 3 1")["other"] == {"3": "water"}
    assert result(explorer, 3, "hidden 5 1")["other"]["3"] == "niet"
    assert result(explorer, 3, "hidden 2 1")["other"] == {"2": "drinken"}


def test_a_word_may_lose_most_of_its_probability_and_still_be_the_first(explorer):
    found = result(explorer, 5, "uniform 1")
    assert found["p"][1] < 10
    assert found["other"] == {}


# --- the script, run by node ----------------------------------------------------------------------


def view_of(node, explorer, **settings) -> dict[str, Any]:
    chosen = {**explorer.settings, **settings}
    return node("viewOf(data, settings)", data=explorer.data, settings=chosen)


def test_every_choice_has_its_result(node, explorer):
    asked = [
        {**explorer.settings, "sentence": place, "change": change, "layer": layer, "draw": draw}
        for place in PLACES
        for change in ("nothing", "uniform", "permuted", "largest", "hidden")
        for layer in range(len(LAYERS))
        for draw in range(DRAWS)
    ]
    keys = node("asked.map(keyOf)", asked=asked)
    assert all(
        key in explorer.data["sentences"][settings["sentence"]]["changed"]
        for key, settings in zip(keys, asked, strict=True)
    )
    assert len(set(keys)) == 1 + len(LAYERS) * (3 + DRAWS)


def test_the_view_has_the_rows_of_the_word_and_what_hiding_does_to_it(node, explorer):
    view = view_of(node, explorer, change="largest", layer=1)
    shown = explorer.data["sentences"][0]
    assert view["linked"] == [3]
    assert (view["closed"], view["open"]) == ({"kept": 1, "all": 4}, {"kept": 0, "all": 3})
    assert len(shown["changed"]["largest 1"]["other"]) == 7 - 1
    for layer, of in enumerate(view["layers"]):
        maps = shown["maps"][layer]
        assert of["columns"] == [
            maps[measure][row][5] for row in ("writes", "reads") for measure in ("weights", "norms")
        ]
        assert [left["p"] for left in of["left"]] == [
            shown["changed"][f"hidden {i} {layer}"]["p"][5] for i in range(9)
        ]
        lost = [i for i, left in enumerate(of["left"]) if "other" in left]
        assert lost == [3]


def test_another_sentence_opens_at_the_word_that_is_harmed_most(node, explorer):
    for place in PLACES:
        for change in ("nothing", "uniform", "largest"):
            chosen = {**explorer.settings, "sentence": place, "change": change, "layer": 1}
            name = change if change == "nothing" else f"{change} 1"
            lost = falls(explorer, place, name)
            found = node("mostHarmed(data, settings)", data=explorer.data, settings=chosen)
            assert found == lost.index(max(lost))
            assert found == 0 or change != "nothing"


def test_words_are_marks_function_words_or_content_words(node):
    kinds = node('[kindOf(".", true), kindOf("niet", true), kindOf("één", false)]')
    assert kinds == ["mark", "function word", "content word"]


def test_a_word_beyond_the_end_is_the_last(node, explorer):
    assert view_of(node, explorer, word=99)["word"] == 6


# --- what is refused ------------------------------------------------------------------------------


def test_pairs_with_links_are_needed():
    with pytest.raises(MtcourseError, match="at least one sentence pair"):
        seq2seq_explorer(pairs=[])
    with pytest.raises(MtcourseError, match="has no alignment to compare with"):
        seq2seq_explorer(pairs=[replace(PAIRS[0], alignment=())])


def test_the_translator_is_as_it_was(translator):
    layers = [block.cross_attention.attention for block in translator.model.decoder]
    seq2seq_explorer(translator, PAIRS[5:])
    assert [block.cross_attention.attention for block in translator.model.decoder] == layers
    assert all(of.dtype == torch.float32 for of in translator.model.parameters())
    assert all(of.requires_grad for of in translator.model.parameters())


# --- in the browser -------------------------------------------------------------------------------


@pytest.fixture(params=["file", "dark", "book"])
def opened(browser, request, explorer):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


def of(visited: Visit):
    return visited.page.locator('[data-explorer="seq2seq"]').first


@pytest.mark.browser
def test_the_attention_is_robbed_with_the_keyboard_alone(opened: Visit):
    explorer = of(opened)
    sentence, word = explorer.locator("[aria-live]").first, explorer.locator("[aria-live]").nth(1)
    assert "3 of 4 function words and marks, and 3 of 3 content words" in sentence.inner_text()
    assert sentence.locator("b").inner_text() == "Haar dochter sluit de restaurants."
    assert "“niet” (function word): probability 91% unchanged, <1% now" in word.inner_text()
    explorer.get_by_label("all weights equal").press("ArrowUp")
    assert "Nothing is changed" in sentence.inner_text()
    assert "probability 91%." in word.inner_text()
    assert explorer.get_by_label("layer 2").is_disabled()
    explorer.get_by_label("one English word hidden").check()
    explorer.get_by_label("layer 2").check()
    assert "“not” is hidden, in layer 2." in sentence.inner_text()
    hidden = explorer.get_by_role("listbox", name="English word that is hidden")
    hidden.press("Home")
    assert "“Her” is hidden" in sentence.inner_text()
    assert "dochter sluit de restaurants niet." in sentence.locator("b").inner_text()
    dutch = explorer.get_by_role("listbox", name="Dutch words")
    dutch.press("Home")
    assert "“Haar” (function word)" in word.inner_text()
    assert "write “dochter” instead" in word.inner_text()
    dutch.press("ArrowRight")
    assert "“dochter” (content word)" in word.inner_text()
    assert dutch.get_by_role("option", selected=True).inner_text().startswith("dochter")


@pytest.mark.browser
def test_only_the_inputs_that_are_needed_are_shown(opened: Visit):
    explorer = of(opened)
    hidden = explorer.get_by_role("listbox", name="English word that is hidden")
    again = explorer.get_by_role("button", name="Draw other orders")
    sentence = explorer.locator("[aria-live]").first
    assert not hidden.is_visible()
    assert not again.is_visible()
    explorer.get_by_label("one English word hidden").check()
    assert hidden.is_visible()
    explorer.get_by_label("permuted").check()
    assert not hidden.is_visible()
    for draw in (*range(2, DRAWS + 1), 1):
        again.press("Enter")
        assert f"(draw {draw} of {DRAWS})" in sentence.inner_text()


@pytest.mark.browser
def test_a_word_is_chosen_by_pointing_and_another_sentence_has_its_own_words(opened: Visit):
    explorer = of(opened)
    word = explorer.locator("[aria-live]").nth(1)
    dutch = explorer.get_by_role("listbox", name="Dutch words").get_by_role("option")
    dutch.nth(1).hover()
    assert "“dochter” (content word)" in word.inner_text()
    dutch.nth(2).click()
    assert "“sluit” (content word)" in word.inner_text()
    assert "The grammar links it with “is” and “closing”." in word.inner_text()
    explorer.get_by_label("Sentence").select_option(index=2)
    assert dutch.count() == 7
    assert "the translator would write “werkte” instead" in word.inner_text()
    dutch.nth(6).click()
    assert "write “werkte” instead" in word.inner_text()
    tables = explorer.locator("table")
    assert tables.count() == 2
    assert tables.nth(0).locator("tbody tr").count() == 9
    lost = tables.nth(0).locator("td.explorer-leak")
    assert lost.count() == 1
    assert lost.get_attribute("title") == "<1%: the translator would write “werkte”"
