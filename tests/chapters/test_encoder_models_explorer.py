"""The explorer of chapter 15 shows what the shipped models say, and masks by its sliders."""

from __future__ import annotations

import functools
import math

import pytest

from mtcourse.chapters.encoder_models.explorer import BEST, DRAWS, encoder_models_explorer
from mtcourse.errors import MtcourseError
from mtcourse.models.language_model import LanguageModel
from mtcourse.models.masked_language_model import MaskedLanguageModel
from tests.helpers.browsing import Visit, visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/15_encoder_models.html"


@pytest.fixture(scope="module")
def explorer():
    return encoder_models_explorer()


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "encoder_models")


def masked(node, asked: list[tuple[dict, dict]]) -> list[list[dict]]:
    """The tokens of each of some sentences under some settings, computed together."""
    standard = {"rate": 15, "masked": 80, "random": 10, "draw": 0}
    chosen = [[sentence, standard | settings] for sentence, settings in asked]
    return node("all.map(([of, how]) => masked(of, how))", all=chosen)


# --- masks ---------------------------------------------------------------------------------------


def test_each_token_has_the_fate_that_its_numbers_say(node, explorer):
    shares = [(80, 10), (100, 0), (0, 100), (0, 0), (33, 33)]
    asked = [
        (sentence, {"rate": rate, "masked": hidden, "random": random, "draw": draw})
        for sentence in explorer.data["sentences"]
        for rate in (1, 15, 60, 100)
        for hidden, random in shares
        for draw in range(DRAWS)
    ]
    for (sentence, how), tokens in zip(asked, masked(node, asked), strict=True):
        draws, draw = sentence["draws"], how["draw"]
        for t, (piece, token) in enumerate(zip(sentence["pieces"], tokens, strict=True)):
            if draws["choice"][draw][t] >= how["rate"] / 100:
                assert token == {"input": piece, "fate": "not chosen"}
                continue
            fate, edge = 100 * draws["fate"][draw][t], how["masked"] + how["random"]
            kind = "masked" if fate < how["masked"] else "random" if fate < edge else "kept"
            put = {"masked": "<mask>", "random": draws["random"][draw][t], "kept": piece}[kind]
            assert token == {"input": put, "fate": kind, "label": piece}


def test_over_all_draws_the_share_of_chosen_tokens_is_near_the_rate(node, explorer):
    asked = [
        (sentence, {"rate": 40, "draw": draw})
        for sentence in explorer.data["sentences"]
        for draw in range(DRAWS)
    ]
    fates = [token["fate"] for tokens in masked(node, asked) for token in tokens]
    chosen = sum(fate != "not chosen" for fate in fates)
    assert abs(chosen - 0.4 * len(fates)) < 4 * math.sqrt(0.24 * len(fates))


def test_a_lower_rate_chooses_some_of_the_same_tokens(node, explorer):
    sentence = explorer.data["sentences"][1]
    found = [
        {t for t, token in enumerate(tokens) if token["fate"] != "not chosen"}
        for tokens in masked(node, [(sentence, {"rate": rate}) for rate in (10, 30, 80)])
    ]
    assert found[0] <= found[1] <= found[2]
    assert len(found[0]) < len(found[2])


# --- one blank -----------------------------------------------------------------------------------


def test_proposals_are_the_models(explorer):
    encoder, decoder = MaskedLanguageModel.load(device="cpu"), LanguageModel.load(device="cpu")
    sentence = explorer.data["sentences"][0]
    assert sentence["text"] == "Anna bewondert het museum."
    found = sentence["blanks"][2]
    proposed = encoder.fill("Anna bewondert <mask> museum.", BEST)[0]
    assert found["both"]["pieces"] == [one.piece.lstrip("▁") for one in proposed]
    assert found["both"]["p"] == pytest.approx([one.probability for one in proposed], abs=1e-3)
    pieces, log_p = decoder.token_log_probabilities("Anna bewondert het")
    assert pieces[-2] == "▁het"
    assert found["left"]["right"] == pytest.approx(math.exp(log_p[-2]), rel=0.01)


def test_every_sentence_has_words_that_can_be_hidden(explorer):
    for sentence in explorer.data["sentences"]:
        known = [blank for blank in sentence["blanks"] if blank]
        assert len(known) >= 0.7 * len(sentence["words"])
        for blank in known:
            for side in ("left", "both"):
                p = blank[side]["p"]
                assert p == sorted(p, reverse=True)
                assert sum(p) <= 1 + BEST * 0.0005
                assert (blank[side]["rank"] == 1) == (blank[side]["right"] >= p[0] - 0.0006)


def test_the_noun_behind_it_tells_the_encoder_that_the_article_is_het(explorer):
    """The decoder, which has not read the noun, prefers the more frequent *de*."""
    for sentence in explorer.data["sentences"]:
        for word, blank in zip(sentence["words"], sentence["blanks"], strict=True):
            if word == "het" and blank:
                assert blank["both"]["right"] > blank["left"]["right"]


def test_shares_that_exceed_the_whole_are_refused():
    with pytest.raises(MtcourseError, match="together at most 100"):
        encoder_models_explorer(settings={"masked": 95})


# --- in the browser ------------------------------------------------------------------------------


@pytest.fixture(params=["file", "dark", "book"])
def opened(browser, request, explorer):
    """The explorer alone in a file, and on the page of the book."""
    place = PAGE if request.param == "book" else "file"
    scheme = "dark" if request.param == "dark" else "light"
    with visited_explorers(browser, request, place, explorer.html(), scheme) as visited:
        yield visited


@pytest.mark.browser
def test_masks_and_blanks_with_the_keyboard_alone(opened: Visit):
    explorer = opened.page.locator('[data-explorer="encoder_models"]').first
    masks, blank = explorer.locator("[aria-live]").first, explorer.locator("[aria-live]").nth(1)
    explorer.get_by_role("slider", name="Tokens chosen").press("End")
    assert "5 of 5 tokens count in the loss" in masks.inner_text()
    hidden = explorer.get_by_role("slider", name="become <mask>")
    hidden.press("End")
    assert "5 masked" in masks.inner_text()
    assert explorer.get_by_role("slider", name="random token").input_value() == "0"
    hidden.press("Home")
    assert "0 masked" in masks.inner_text()
    before = masks.inner_text()
    explorer.get_by_role("slider", name="Tokens chosen").fill("40")
    explorer.get_by_role("button", name="Draw again").press("Enter")
    assert masks.inner_text() != before
    assert "The original word is “het”" in blank.inner_text()
    words = explorer.get_by_role("listbox", name="Hide one word")
    words.press("ArrowRight")
    assert "The original word is “museum”" in blank.inner_text()
    assert explorer.locator("table").count() == 2
    explorer.get_by_label("Sentence").select_option(index=3)
    assert "The original word is “Anna”" in blank.inner_text()
    words.press("End")
    assert "The original word is “.”" in blank.inner_text()
