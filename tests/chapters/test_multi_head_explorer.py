"""The explorer of chapter 9 does what the translator does, in node and in a browser."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch

from mtcourse.chapters.multi_head.explorer import SENTENCES, _recorded, multi_head_explorer
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import shown_pieces
from mtcourse.models.pruned_heads import Head, attention_layers, heads_of, without_heads
from mtcourse.text.batches import pad, shift_right
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.tokenizer import EOS
from tests.helpers.browsing import HTML, Visit, violations, visit
from tests.helpers.javascript import computed
from tests.helpers.live_explorers import (
    TRANSLATOR,
    reopen,
    sentences,
    visited_page,
    with_translator,
    write_page,
)

PAGE = "book/09_multi_head.html"


@pytest.fixture(scope="module")
def explorer():
    return multi_head_explorer(TRANSLATOR)


@pytest.fixture(scope="module")
def node():
    """Computes an expression in the scope of the explorer's module."""
    return functools.partial(computed, "multi_head")


def view_of(node, explorer, **settings) -> dict[str, Any]:
    chosen = {**explorer.settings, **settings}
    run = explorer.data["sentences"][chosen["sentence"]]
    return node("viewOf(data, run, settings)", data=explorer.data, run=run, settings=chosen)


def without(sentence: str, gone: Sequence[Head]) -> str:
    with without_heads(TRANSLATOR.model, gone):
        return TRANSLATOR.translate([sentence])[0]


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


@pytest.mark.parametrize(
    ("now", "whole", "kept"),
    [
        ("Hij legde de idee uit.", "Hij legde het idee uit.", "Hij legde idee uit."),
        ("a b c", "b c d", "b c"),
        ("a", "", ""),
        ("", "a b", ""),
        ("x a y b z", "a b", "a b"),
    ],
)
def test_words_that_stay_are_the_longest_common_subsequence(node, now, whole, kept):
    found = node("compared(now, whole)", now=now, whole=whole)
    for name, text in (("now", now), ("whole", whole)):
        assert [word for word, _ in found[name]] == text.split()
        assert " ".join(word for word, same in found[name] if same) == kept


def test_what_the_page_asks_has_an_answer(node, explorer):
    """The questions beneath the explorer."""
    others = [Head("encoder", 1, number) for number in (0, 1, 3)]
    assert without(SENTENCES[0], others) == TRANSLATOR.translate([SENTENCES[0]])[0]
    sister = SENTENCES[3]
    assert "sister" in sister
    whole = TRANSLATOR.translate([sister])[0]
    cross = [Head("cross", 1, number) for number in range(4)]
    assert [without(sister, [head]) for head in cross] == [whole] * 4
    together = [(a, b) for a in cross for b in cross if a < b and without(sister, [a, b]) != whole]
    assert len(together) == 1
    left = [
        view_of(node, explorer, sentence=3, layer=1, token=0, off=[f"encoder 2.{j + 1}"])["left"]
        for j in range(4)
    ]
    assert [of > 1.05 for of in left] == [False, False, True, False]


def drawn_heads(draw: random.Random) -> list[Head]:
    """Any number of heads of any layers."""
    return draw.sample(heads_of(TRANSLATOR.model), draw.choice([0, 0, 1, 2, 5, 12, 24]))


@pytest.mark.by_turns(3)
def test_any_sentence_without_any_heads_is_translated_as_by_the_package(explorer):
    draw = random.Random(3)
    asked = [(text, drawn_heads(draw)) for text in sentences(40)]
    found = with_translator(
        "multi_head",
        "asked.map(([text, off]) => runOf(translator, layers, text, off))"
        ".map(({ translation, whole, source, read }) => ({ translation, whole, source, read }))",
        asked=[(text, list(map(str, gone))) for text, gone in asked],
        layers=explorer.data["layers"],
    )
    assert sum(of["translation"] != of["whole"] for of in found) > 10
    for (text, gone), of in zip(asked, found, strict=True):
        assert of["translation"] == without(text, gone)
        assert of["whole"] == TRANSLATOR.translate([text])[0]
        pieces = TRANSLATOR.tokenizers.source
        assert of["source"] == shown_pieces(pieces.pieces([*pieces.encode(text), EOS]))
        assert len(of["read"]) >= len(of["translation"].split())


def test_weights_and_contributions_of_any_sentence_are_the_packages(explorer):
    texts = sentences(12, seed=5)[:-1]
    found = with_translator(
        "multi_head",
        "texts.map((text) => runOf(translator, layers, text, []).layers)",
        texts=texts,
        layers=explorer.data["layers"],
    )
    source_of, target_of = TRANSLATOR.tokenizers.source, TRANSLATOR.tokenizers.target
    for text, layers in zip(texts, found, strict=True):
        source = [*source_of.encode(text), EOS]
        longest = min(2 * len(source) + 10, TRANSLATOR.model.config.max_length)
        target = [*target_of.encode(TRANSLATOR.translate([text])[0]), EOS][:longest]
        read = shift_right(pad([target]))[0].tolist()
        records = _recorded(TRANSLATOR, source, read)
        if len(layers[2]["weights"][0]) != len(read):
            continue  # a translation whose pieces are not those that encode would choose
        for place, of in zip(attention_layers(TRANSLATOR.model), layers, strict=True):
            weights, parts = records[place]
            torch.testing.assert_close(torch.tensor(of["weights"]), weights, rtol=0, atol=1e-4)
            common = torch.einsum("jmd,kmd->mjk", parts, parts)
            torch.testing.assert_close(torch.tensor(of["common"]), common, rtol=1e-3, atol=1e-3)


def test_weights_without_heads_are_those_that_remain(explorer):
    gone = [Head("encoder", 0, 1), Head("cross", 0, 2), Head("decoder", 1, 0)]
    (text,) = sentences(1, seed=9)[:1]
    found = with_translator(
        "multi_head",
        "runOf(translator, layers, text, off)",
        text=text,
        off=list(map(str, gone)),
        layers=explorer.data["layers"],
    )
    with without_heads(TRANSLATOR.model, gone):
        products = TRANSLATOR.attention_products(text)
    for place, of in zip(attention_layers(TRANSLATOR.model), found["layers"], strict=True):
        kind, number = place
        scores = getattr(products, kind)[number] / products.d_k**0.5
        if kind == "decoder":
            later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        torch.testing.assert_close(
            torch.tensor(of["weights"]), scores.softmax(-1), rtol=0, atol=1e-4
        )


def test_what_is_stored_is_what_would_be_computed(explorer):
    found = with_translator(
        "multi_head",
        "texts.map((text) => runOf(translator, layers, text, []))",
        texts=list(SENTENCES),
        layers=explorer.data["layers"],
    )
    for stored, run in zip(explorer.data["sentences"], found, strict=True):
        for name in ("text", "translation", "source", "read"):
            assert stored[name] == run[name]
        for a, b in zip(stored["layers"], run["layers"], strict=True):
            for name, apart in (("weights", 6e-4), ("common", 6e-3)):
                torch.testing.assert_close(
                    torch.tensor(a[name]), torch.tensor(b[name]), rtol=0, atol=apart
                )


def test_a_token_beyond_the_end_is_the_last(node, explorer):
    view = view_of(node, explorer, token=99)
    assert view["at"] == len(view["asking"]) - 1


# --- what a page gets ---------------------------------------------------------------------------


def test_one_head_alone_turns_het_into_de_in_the_opening_sentence():
    (whole,) = TRANSLATOR.translate([SENTENCES[0]])
    assert whole == "Hij legde het idee voorzichtig uit."
    changes = {str(head): without(SENTENCES[0], [head]) for head in heads_of(TRANSLATOR.model)}
    assert {name: text for name, text in changes.items() if text != whole} == {
        "encoder 2.3": "Hij legde de idee voorzichtig uit."
    }


def test_the_sentences_are_translated_without_an_error():
    test = {pair.source: pair for pair in builtin_corpus().splits["test"]}
    for sentence, translation in zip(SENTENCES, TRANSLATOR.translate(SENTENCES), strict=True):
        if sentence in test:
            assert translation in (test[sentence].target, *test[sentence].references)


def test_settings_are_known_by_name_and_the_model_is_as_it_was():
    layers = attention_layers(TRANSLATOR.model).values()
    attentions = [layer.attention for layer in layers]
    weights = [of.clone() for of in TRANSLATOR.model.parameters()]
    with pytest.raises(MtcourseError, match="no settings colour"):
        multi_head_explorer(TRANSLATOR, SENTENCES[:1], settings={"colour": 1})
    assert [layer.attention for layer in layers] == attentions
    after = list(TRANSLATOR.model.parameters())
    assert all(torch.equal(a, b) for a, b in zip(weights, after, strict=True))


def test_a_sentence_is_needed():
    with pytest.raises(MtcourseError, match="at least one sentence"):
        multi_head_explorer(sentences=[])


# --- in a browser -------------------------------------------------------------------------------

browsing = pytest.mark.browser


@pytest.fixture(params=[("file", "light"), ("http", "dark")], ids=["file", "http"])
def opened(browser, explorer, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A page with nothing but the explorer and the translator's files beside it."""
    place, scheme = request.param
    page = write_page("multi_head", explorer.html())
    with visited_page(browser, page, place, scheme) as visited:
        yield visited


def translation(page) -> Any:
    return page.locator(".explorer-translation span[lang]")


def shows(page, text: str) -> None:
    """Waits until this is the translation."""
    page.wait_for_function(
        "text => document.querySelector('.explorer-translation span[lang]').innerText === text",
        arg=text,
    )


def own(page, text: str) -> None:
    page.get_by_label("Your sentence").fill(text)
    page.keyboard.press("Enter")


@browsing
def test_the_invitation_of_the_chapter_can_be_accepted(opened):
    page = opened.page
    shows(page, "Hij legde het idee voorzichtig uit.")
    assert page.locator("script[src]").count() == 0, "nothing is loaded before it is wanted"
    page.get_by_role("checkbox", name="encoder 2.3").uncheck()
    shows(page, "Hij legde de idee voorzichtig uit.")
    assert page.locator(".explorer-translation mark").all_inner_texts() == ["de"]
    assert page.get_by_text("With all heads: Hij legde het idee").locator("b").inner_text() == "het"
    page.get_by_label("cross 1.1").uncheck()
    page.get_by_text("Without encoder 2.3, cross 1.1.").wait_for()
    page.get_by_role("button", name="All heads on").click()
    shows(page, "Hij legde het idee voorzichtig uit.")
    assert page.get_by_role("checkbox", name="encoder 2.3").is_checked()


@browsing
def test_the_readers_own_sentence_is_translated_and_new_words_are_marked(opened):
    page = opened.page
    for text in ("The nurse has a zebra.", "Does the old nurse open the small shop?"):
        own(page, text)
        shows(page, TRANSLATOR.translate([text])[0])
        gone = [Head("encoder", 1, 2), Head("cross", 1, 0)]
        for head in gone:
            page.get_by_label(str(head)).uncheck()
        shows(page, without(text, gone))
        page.get_by_role("button", name="All heads on").click()
        shows(page, TRANSLATOR.translate([text])[0])
        new = page.locator(".explorer-controls mark").all_inner_texts()
        assert new == (["zebra"] if "zebra" in text else [])
    page.get_by_label("or one of these").select_option("1")
    shows(page, TRANSLATOR.translate([SENTENCES[1]])[0])
    assert page.get_by_label("Your sentence").input_value() == SENTENCES[1]


@browsing
def test_sentence_layer_and_token_change_what_is_shown_inside(opened):
    page = opened.page
    page.get_by_text("Look inside").click()
    options, table = page.locator("[role=option]"), page.locator(".explorer-matrix")
    assert "Where “the” looks" in table.inner_text()
    page.get_by_role("listbox").press("ArrowRight")
    assert "Where “idea” looks" in table.inner_text()
    page.get_by_label("Layer", exact=True).select_option("5")
    assert options.nth(0).inner_text() == "<bos>"
    page.get_by_label("cross 2.1").uncheck()
    page.wait_for_function("document.querySelector('.explorer-matrix tbody td').innerText === '–'")
    own(page, "A dog")
    page.wait_for_function("document.querySelectorAll('.explorer-matrix thead th').length < 8")


@browsing
@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("   ", "Write a sentence first"),
        ("the old shop " * 20, "take a shorter one"),
        ("x" * 1000, "take a shorter one"),
    ],
)
def test_what_cannot_be_translated_is_said_and_changes_nothing(opened, sentence, said):
    page = opened.page
    own(page, sentence)
    page.wait_for_function(
        "text => document.querySelector('[role=status]').textContent.includes(text)", arg=said
    )
    assert translation(page).inner_text() == "Hij legde het idee voorzichtig uit."
    own(page, "A dog sleeps.")
    shows(page, "Een hond slaapt.")


@browsing
def test_markup_in_a_sentence_is_text(opened):
    page = opened.page
    text = "The <img src=x onerror=alert(1)> cat."
    own(page, text)
    shows(page, TRANSLATOR.translate([text])[0])
    assert page.locator("img").count() == 0


@browsing
def test_a_link_shows_the_same_again_and_a_broken_one_what_the_page_shows(opened):
    page = opened.page
    own(page, "The girl bought the book.")
    page.get_by_role("checkbox", name="encoder 2.3").uncheck()
    page.get_by_label("cross 1.4").uncheck()
    page.get_by_text("Look inside").click()
    page.get_by_label("Layer", exact=True).select_option("4")
    expected = without("The girl bought the book.", [Head("encoder", 1, 2), Head("cross", 0, 3)])
    shows(page, expected)
    page.wait_for_function("location.hash.includes('layer=4')")
    address = page.url
    assert "own=The+girl" in address
    reopen(page, address)
    shows(page, expected)
    assert not page.get_by_role("checkbox", name="encoder 2.3").is_checked()
    assert page.get_by_label("Layer", exact=True).input_value() == "4"
    assert page.get_by_label("Your sentence").input_value() == "The girl bought the book."
    here = address.partition("#")[0]
    for broken in ("sentence=99", "layer=0.5", "off=3", "off=[null]", "speed=1", "own", "token=x"):
        reopen(page, f"{here}#explorer=multi_head&{broken}")
        shows(page, "Hij legde het idee voorzichtig uit.")


@browsing
def test_the_keyboard_alone_is_enough(opened):
    page = opened.page
    page.keyboard.press("Tab")
    page.keyboard.type("A dog sleeps.")
    page.keyboard.press("Enter")
    shows(page, "Een hond slaapt.")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "encoder 2.3":
            break
    page.keyboard.press("Space")
    page.get_by_text("Without encoder 2.3.").wait_for()


@browsing
def test_who_switches_all_heads_on_keeps_the_place_on_the_page(opened):
    page = opened.page
    page.get_by_role("checkbox").first.press("Space")
    every = page.get_by_role("button", name="All heads on")
    page.wait_for_function("one => !one.disabled", arg=every.element_handle())
    every.press("Enter")
    page.wait_for_function("one => one.disabled", arg=every.element_handle())
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "encoder 1.1"


@browsing
def test_it_can_be_used_by_everybody_on_every_screen(opened):
    page = opened.page
    page.get_by_text("Look inside").click()
    own(page, "The zebra explained the idea carefully.")
    page.get_by_role("checkbox", name="encoder 2.3").uncheck()
    page.get_by_text("Without encoder 2.3.").wait_for()
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
        small = page.locator(
            ".mtcourse-explorer :is(button, summary, select, .explorer-switch, input[type=text])"
        ).evaluate_all("all => all.filter(one => one.getBoundingClientRect().height < 24).length")
        assert small == 0


@browsing
def test_without_the_files_a_page_says_what_is_missing(browser, explorer):
    page = write_page("multi_head_alone", explorer.html(), files=False)
    visited = visit(browser, page.parent.parent.as_uri(), f"/book/{page.name}", "light")
    visited.page.get_by_role("checkbox", name="encoder 2.3").click()
    visited.page.wait_for_function(
        "document.querySelector('[role=status]').textContent.includes('translator is missing')"
    )
    assert visited.page.get_by_role("checkbox", name="encoder 2.3").is_checked(), (
        "nothing has been switched off"
    )
    visited.page.get_by_label("or one of these").select_option("1")
    shows(visited.page, TRANSLATOR.translate([SENTENCES[1]])[0])
    visited.page.context.close()


@browsing
def test_the_page_of_the_book_has_the_translators_files(browser, site):
    if not (HTML / PAGE).exists():
        pytest.skip(f"{PAGE} is not built: run make book")
    visited = visit(browser, site, PAGE, "light")
    visited.page.get_by_role("checkbox", name="encoder 2.3").uncheck()
    shows(visited.page, "Hij legde de idee voorzichtig uit.")
    assert (visited.errors, visited.foreign) == ([], [])
    visited.page.context.close()
