"""The explorer of chapter 2 finds the neighbours that torch finds, and answers to its reader."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup

from mtcourse.chapters.embeddings.explorer import embeddings_explorer, packed
from mtcourse.chapters.embeddings.geometry import cosine_similarities
from mtcourse.errors import MtcourseError
from mtcourse.figures.explorer import Explorer
from mtcourse.models.translator import Translator
from tests.helpers.browsing import visited_explorers
from tests.helpers.javascript import computed

PAGE = "book/02_embeddings.html"


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    return embeddings_explorer()


@pytest.fixture(scope="module")
def rows(explorer: Explorer) -> torch.Tensor:
    """The rows of the explorer's words, as the translator has them."""
    translator = Translator.load(device="cpu")
    pieces = translator.tokenizers.source.pieces(range(2000))
    table = translator.model.source_embedding.W_E.detach()
    return table[[pieces.index(f"▁{word}") for word in explorer.data["words"]]]


in_node = functools.partial(computed, "embeddings")


def test_rows_come_out_as_long_as_they_are_and_point_nearly_the_same_way(explorer, rows):
    found = torch.tensor(in_node("unpack(data).map((row) => [...row])", data=explorer.data))
    torch.testing.assert_close(found.norm(dim=-1), rows.norm(dim=-1), rtol=0, atol=1e-3)
    assert torch.cosine_similarity(found, rows, dim=-1).min() > 0.97


def test_sixteen_levels_are_the_nearest_ones():
    table = torch.tensor([[1.0, -1.0, 0.06, -0.07], [0.2, 0.0, 0.1, -0.2]])
    found = in_node("unpack(data).map((row) => [...row])",
                    data={"rows": packed(table), "d": 4, "lengths": [1.0, 2.0]})  # fmt: skip
    levels = torch.tensor([[15.0, 0.0, 8.0, 7.0], [15.0, 8.0, 11.0, 0.0]]) / 15 * 2 - 1
    wanted = levels / levels.norm(dim=-1, keepdim=True) * torch.tensor([[1.0], [2.0]])
    torch.testing.assert_close(torch.tensor(found), wanted)


def test_measures_and_their_order_are_those_of_torch():
    table = torch.randn(12, 6, generator=torch.Generator().manual_seed(1)).double()
    given = {"rows": table.tolist()}
    wanted = {
        "cosine": cosine_similarities(table[3], table),
        "product": table @ table[3],
        "distance": torch.cdist(table[3:4], table)[0],
    }
    for measure, values in wanted.items():
        found = in_node(f"likeness(rows, 3, '{measure}')", **given)
        torch.testing.assert_close(
            torch.tensor(found["values"]).double(), values, atol=1e-6, rtol=0
        )
        order = values.argsort(descending=measure != "distance").tolist()
        assert found["order"] == [i for i in order if i != 3]
    mean = in_node("[...meanOf(rows)]", **given)
    torch.testing.assert_close(torch.tensor(mean).double(), table.mean(0), atol=1e-6, rtol=0)
    centred = in_node("without(rows, meanOf(rows)).map((row) => [...row])", **given)
    torch.testing.assert_close(
        torch.tensor(centred).double(), table - table.mean(0), atol=1e-6, rtol=0
    )
    usual = in_node("usual([1, 2, 3, 6], 3)")
    assert usual == {"mean": 2, "deviation": pytest.approx((2 / 3) ** 0.5)}


def test_neighbours_are_those_of_the_whole_table(explorer, rows):
    words = explorer.data["words"]
    asked = [words.index(word) for word in explorer.data["suggested"]]
    found = in_node(
        "asked.map((at) => likeness(unpack(data), at, 'cosine').order.slice(0, 5))",
        data=explorer.data, asked=asked,
    )  # fmt: skip
    same = 0
    for at, order in zip(asked, found, strict=True):
        cosines = cosine_similarities(rows[at], rows)
        cosines[at] = -1
        same += len(set(order) & set(cosines.topk(5).indices.tolist()))
        assert cosines[order[0]] > cosines.max() - 0.05
    assert same >= 0.8 * 5 * len(asked), "rounding to sixteen levels exchanges few neighbours"


def test_a_word_of_both_languages_stands_in_both_lists():
    order, languages = [4, 0, 3, 1, 2], "edbed"
    assert in_node("ofLanguage(order, languages, 'e')", order=order, languages=languages) == [
        0,
        3,
        2,
    ]
    found = in_node("ofLanguage(order, languages, 'd', 2)", order=order, languages=languages)
    assert found == [4, 1]


def test_a_word_is_found_as_it_is_written_or_else_in_any_case():
    words = ["Open", "open", "Anna"]
    for typed, place in (("open", 1), (" Open ", 0), ("OPEN", 0), ("anna", 2), ("ann", -1)):
        assert in_node("placeOf(words, typed)", words=words, typed=typed) == place


def test_the_page_is_small_and_whole(explorer):
    assert len(explorer.html()) < 250_000
    soup = BeautifulSoup(explorer.html(), "html.parser")
    state, script = soup.find_all("script")
    assert json.loads(state.string)["settings"] == {
        "word": "dog", "measure": "cosine", "centred": False,
    }  # fmt: skip
    assert "http" not in script.string.replace("http://www.w3.org/2000/svg", "")
    assert len(explorer.data["words"]) == len(explorer.data["languages"]) > 1000
    assert soup.noscript.p.text == explorer.otherwise


def test_settings_are_known_and_words_are_in_the_table():
    pairs = []
    with pytest.raises(MtcourseError, match="none of its words"):
        embeddings_explorer(pairs=pairs)
    with pytest.raises(MtcourseError, match="'Xylophon' is not one piece"):
        embeddings_explorer(settings={"word": "Xylophon"})
    with pytest.raises(MtcourseError, match="no settings speed"):
        embeddings_explorer(settings={"speed": 1})


# --- under a reader's hands ---------------------------------------------------------------------


@pytest.fixture(params=["file", PAGE])
def opened(browser, request, explorer):
    """The explorer in a file of its own, and on the page of the book."""
    with visited_explorers(browser, request, request.param, explorer.html()) as visited:
        yield visited


def tables_of(found) -> list[list[str]]:
    return [found.locator("table").nth(k).locator("tbody th").all_inner_texts() for k in (0, 1)]


@pytest.mark.browser
def test_a_word_is_typed_or_chosen_and_its_neighbours_change(opened):
    found = opened.page.locator('[data-explorer="embeddings"]').first
    says, field = found.locator("[aria-live]"), found.get_by_role("combobox")
    assert "row to that of “dog” (English)" in says.inner_text()
    before = tables_of(found)
    assert [len(words) for words in before] == [8, 8]

    field.fill("zeven")
    assert "“zeven” (Dutch) is “zes”" in says.inner_text()
    assert tables_of(found) != before
    assert found.locator('[role=option][aria-selected="true"]').count() == 0

    field.fill("xyz")
    assert "no row of its own" in says.inner_text()

    found.get_by_role("option", name="seven").click()
    assert field.input_value() == "seven"
    assert tables_of(found)[0][0] == "eight"


@pytest.mark.browser
def test_another_measure_gives_other_neighbours(opened):
    found = opened.page.locator('[data-explorer="embeddings"]').first
    says = found.locator("[aria-live]")
    by_cosine, said = tables_of(found), says.inner_text()
    found.get_by_label("dot product").check()
    assert tables_of(found) != by_cosine
    found.get_by_label("distance").check()
    assert "distance" in says.inner_text()
    found.get_by_label("cosine").check()
    assert (tables_of(found), says.inner_text()) == (by_cosine, said)
    found.get_by_label("Take the mean").check()
    assert says.inner_text() != said


def test_the_file_names_the_page_of_the_book():
    assert (Path(__file__).resolve().parents[2] / PAGE).with_suffix(".md").exists()
