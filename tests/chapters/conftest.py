"""What the tests of all chapters' pictures and explorers share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtcourse.figures.style import book_style

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of explorers in a browser, of which there are hundreds, take turns of two."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()} if HERE in item.path.parents else ()
        if "browser" in marks and "by_turns" not in marks:
            item.add_marker(pytest.mark.by_turns(2))


@pytest.fixture
def figure() -> Iterator[Figure]:
    """A figure as a cell of a chapter makes it, drawn in memory."""
    with mpl.rc_context({"backend": "agg"}), book_style():
        yield plt.figure(layout="constrained")
    plt.close("all")


@pytest.fixture
def ax(figure: Figure) -> Axes:
    """Axes on such a figure."""
    return figure.add_subplot()
