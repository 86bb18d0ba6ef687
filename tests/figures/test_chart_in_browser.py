"""The explorers' charts on a phone: their words can be read, and none lies upon another."""

from __future__ import annotations

import pytest

from mtcourse.chapters.loss.explorer import loss_explorer
from mtcourse.chapters.positions.explorer import positions_explorer
from mtcourse.chapters.training.explorer import training_explorer
from tests.helpers.browsing import visited_explorers

WORDS = """() => [...document.querySelectorAll("svg.explorer-chart text")]
    .filter((text) => text.textContent.trim())
    .map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const size = bottom - top;
        return { said: text.textContent, left, right, top, bottom, size };
    })"""
SMALLEST = 9  # pixels
ROUNDED = 1  # pixel


@pytest.mark.browser
@pytest.mark.parametrize("explorer", [positions_explorer, loss_explorer, training_explorer])
def test_words_of_a_chart_are_readable_on_a_phone_and_apart(browser, request, explorer):
    with visited_explorers(browser, request, "file", explorer().html()) as visited:
        visited.page.set_viewport_size({"width": 360, "height": 800})
        words = visited.page.evaluate(WORDS)
        assert words
        assert [one["said"] for one in words if one["size"] < SMALLEST] == []
        upon_each_other = [
            (one["said"], other["said"])
            for number, one in enumerate(words)
            for other in words[:number]
            if one["left"] < other["right"] - ROUNDED
            and other["left"] < one["right"] - ROUNDED
            and one["top"] < other["bottom"] - ROUNDED
            and other["top"] < one["bottom"] - ROUNDED
        ]
        assert upon_each_other == []
