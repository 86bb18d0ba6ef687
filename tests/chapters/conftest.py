"""What the tests of all chapters' pictures share."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtcourse.figures.style import book_style


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
