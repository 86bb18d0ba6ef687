"""The cover: a line for each weight, as thick and as strong as the weight is."""

from __future__ import annotations

import re

import pytest
import torch
from bs4 import BeautifulSoup

from mtcourse.page.cover import FAINTEST, THICKEST, WIDTH, cover_svg, places

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
