"""The cover: a line for each weight, as thick and as strong as the weight is."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup
from matplotlib.image import imread

from mtcourse.page.cover import (
    CARD_EDGE,
    CARD_SIZE,
    FAINTEST,
    THICKEST,
    WIDTH,
    cover_svg,
    places,
    write_card,
)
from tests.helpers.browsing import themed

SOURCE, TARGET = ("The", "<dog>", "sleeps"), ("De", "hond", "slaapt")
WEIGHTS = torch.tensor([[0.97, 0.02, 0.01], [0.0, 1.0, 0.0], [0.0, 0.5, 0.5]])


@pytest.fixture
def cover() -> BeautifulSoup:
    return BeautifulSoup(cover_svg(SOURCE, TARGET, WEIGHTS), "html.parser")


def test_lines_are_as_thick_as_weights(cover):
    drawn = [float(line["stroke-width"]) for line in cover.select("path")]
    shown = WEIGHTS[WEIGHTS >= FAINTEST]
    assert drawn == pytest.approx((shown * THICKEST).tolist(), abs=0.051)


def test_a_line_joins_the_words_of_its_weight(cover):
    above, below = (
        [float(word["x"]) for word in line.select("text")] for line in cover.select(".cover-words")
    )
    ends = [re.findall(r"[\d.]+", line["d"]) for line in cover.select("path")]
    joined = [(above.index(float(of[0])), below.index(float(of[-2]))) for of in ends]
    assert joined == [(0, 0), (1, 1), (1, 2), (2, 2)]


def test_words_stand_in_order_within_the_picture():
    at = places([*SOURCE, "a", "very-long-word"])
    assert at == sorted(at)
    assert min(at) > 0
    assert max(at) < WIDTH


def test_it_says_what_it_shows_and_in_which_language(cover):
    assert "The <dog> sleeps – De hond slaapt" in cover.svg["aria-label"]
    assert [line["lang"] for line in cover.select(".cover-words")] == ["en", "nl"]
    assert "<dog>" in [word.text for word in cover.select("text")]


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 570, 1000])
def test_its_words_can_be_read_and_stand_apart(browser, tmp_path, width):
    source = ["Yesterday", "the", "old", "baker", "did", "not", "open", "the", "shop."]
    target = ["Gisteren", "opende", "de", "oude", "bakker", "de", "winkel", "niet."]
    picture = cover_svg(source, target, torch.zeros(len(target), len(source)))
    (tmp_path / "page.html").write_text(themed(f'<div class="cover">{picture}</div>'), "utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto((tmp_path / "page.html").as_uri())
    rows = page.evaluate(
        """() => [...document.querySelectorAll(".cover-words")].map((row) =>
          [...row.children].map((word) => {
            const {left, right, height} = word.getBoundingClientRect();
            return [left, right, height];
          }))"""
    )
    page.close()
    for row in rows:
        assert all(height > 12 for _, _, height in row)
        assert row[0][0] >= 0
        assert row[-1][1] <= width
        assert all(after[0] - before[1] > 2 for before, after in pairwise(row))


# --- beside a link ------------------------------------------------------------------------------


def blue_between_the_words(folder: Path, weights: torch.Tensor) -> set[int]:
    """Where a line crosses the middle between the two sentences, in pixels from the left."""
    write_card(folder / "card.png", ("Title", "and the rest"), SOURCE, SOURCE, weights)
    picture = imread(folder / "card.png")
    assert (picture.shape[1], picture.shape[0]) == CARD_SIZE
    red, _green, blue = picture[440, :, 0], picture[440, :, 1], picture[440, :, 2]
    return {int(x) for x in ((blue - red) > 0.2).nonzero()[0]}


def test_the_card_has_a_line_for_each_weight_and_no_other(tmp_path):
    assert blue_between_the_words(tmp_path, torch.zeros(3, 3)) == set()
    crossed = blue_between_the_words(tmp_path, torch.diag(torch.tensor([1.0, 0.0, 1.0])))
    wide = CARD_SIZE[0] - 2 * CARD_EDGE
    middles = [CARD_EDGE + x * wide / WIDTH for x in places(SOURCE)]
    assert [any(abs(x - middle) < 3 for x in crossed) for middle in middles] == [True, False, True]
    assert all(min(abs(x - middle) for middle in middles) < 10 for x in crossed)


def test_the_title_of_the_card_is_no_formula(tmp_path):
    write_card(tmp_path / "card.png", ("$x", "_y_$"), SOURCE, TARGET, WEIGHTS)
    assert (tmp_path / "card.png").stat().st_size > 10_000
