"""The explorer of the problem setup cuts sentences as the package does, and says what it needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mtcourse.chapters.problem_setup.explorer import problem_setup_explorer
from mtcourse.errors import MtcourseError
from mtcourse.text.tokenizer import Tokenizer
from tests.helpers.browsing import Visit, violations
from tests.helpers.javascript import computed
from tests.helpers.live_explorers import reopen, sentences, visited_page, write_page
from tests.helpers.small_corpus import PAIRS

LEARNT = [pair.source for pair in PAIRS]
TOKENIZERS = [Tokenizer.train(LEARNT, size) for size in (290, 320)]
SHOWN = ["A cat sleeps.", "The zookeeper"]


@pytest.fixture(scope="module")
def explorer():
    return problem_setup_explorer(TOKENIZERS, SHOWN, LEARNT)


def test_it_begins_with_the_middle_vocabulary_and_needs_a_sentence(explorer):
    assert explorer.settings == {"at": 1, "own": ""}
    with pytest.raises(MtcourseError, match="not 2 and 0"):
        problem_setup_explorer(TOKENIZERS, [])


def test_pieces_of_any_sentence_are_the_packages_with_every_tokenizer(explorer):
    texts = [*SHOWN, *sentences(40), "", "  a  b ", "▁x\ty"]
    found = computed(
        "problem_setup",
        "data.tokenizers.map(tokenizerOf).map((of) => texts.map((text) => piecesOf(of, text)))",
        data=explorer.data,
        texts=texts,
    )
    for tokenizer, cut in zip(TOKENIZERS, found, strict=True):
        assert cut == [tokenizer.pieces(tokenizer.encode(text)) for text in texts]


def test_words_that_the_training_text_has_not_are_new():
    text = "A dog's zebra, 3 of <b>them</b>!"
    found = computed("problem_setup", "partsOf(text, new Set(['a', 'of', 'them']))", text=text)
    assert "".join(part for part, _ in found) == text
    assert [part for part, new in found if new] == ["dog's", "zebra", "b", "b"]
    assert not any(new for _, new in computed("problem_setup", "partsOf('A b', new Set())"))


@pytest.fixture(params=[("file", "dark"), ("http", "light")], ids=["file", "http"])
def opened(browser, explorer, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A page with nothing but the explorer."""
    place, scheme = request.param
    page = write_page("problem_setup", explorer.html())
    with visited_page(browser, page, place, scheme) as visited:
        yield visited


@pytest.mark.browser
def test_a_sentence_is_cut_while_it_is_typed(opened):
    page = opened.page
    lines = page.locator(".explorer-sentences li")
    assert lines.count() == len(SHOWN)
    box = page.get_by_label("Your sentence")
    assert box.input_value() == SHOWN[0]
    text = "A <b>zebra</b> sleeps in Zürich."
    box.fill(text)
    assert lines.count() == len(SHOWN) + 1
    pieces = TOKENIZERS[1].pieces(TOKENIZERS[1].encode(text))
    assert lines.first.locator(".explorer-piece").all_inner_texts() == pieces
    assert "zebra" in lines.first.locator("mark").all_inner_texts()
    assert f"{len(pieces)} pieces" in lines.first.inner_text()
    page.get_by_label("Size of the vocabulary").press("ArrowLeft")
    fewer = TOKENIZERS[0].pieces(TOKENIZERS[0].encode(text))
    assert lines.first.locator(".explorer-piece").all_inner_texts() == fewer
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
    page.wait_for_function("location.hash.includes('at=0')")
    address = page.url
    reopen(page, address)
    assert box.input_value() == text
    assert lines.first.locator(".explorer-piece").all_inner_texts() == fewer
    for emptied in ("", "   ", SHOWN[0]):
        box.fill(emptied)
        assert lines.count() == len(SHOWN)
    box.fill("y" * 1000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
