"""The explorer of chapter 11: change a number of B's example, and see what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from mtcourse.chapters.worked_example.adam import BETA_1, BETA_2, EPSILON_ADAM, LEARNING_RATE
from mtcourse.chapters.worked_example.example import as_json, example_weights
from mtcourse.figures.explorer import Explorer
from mtcourse.figures.still import Still
from mtcourse.figures.style import SIGNED, book_style, new_axes

SCRIPT = Path(__file__).with_suffix(".js")


def worked_example_explorer(settings: Mapping[str, Any] | None = None) -> Explorer:
    """Every matrix of the example, its gradient, and Adam's first step, for changed numbers.

    The reader's browser computes all of them in double precision from the weights of
    ``example.py``, with the names of ``forward.py`` and ``backward.py``.

    Args:
        settings: what is chosen at first: matrix (by name), row and column of a cell, show
            (numbers, gradients or adam), changes (a list of [name, row, column, number]), target
            (seven token ids in place of the example's) and hidden (False shows the source's
            padding to attention).

    Source: B01 to B21. Chapter 11.
    """
    adam = {
        "learning_rate": LEARNING_RATE,
        "beta_1": BETA_1,
        "beta_2": BETA_2,
        "epsilon": EPSILON_ADAM,
    }
    return Explorer(
        SCRIPT,
        as_json() | {"adam": adam},
        {
            "matrix": "W_Q_E",
            "row": 0,
            "column": 0,
            "show": "numbers",
            "changes": [],
            "target": None,
            "hidden": True,
        },
        settings or {},
        "This explorer needs JavaScript. It shows every matrix of the example. Change a weight, an "
        "embedding or a target token, and all numbers that depend on it follow: the matrices after "
        "it, the loss, the gradients and Adam's first step.",
        still=_still,
    )


def _still(chosen: Mapping[str, Any]) -> Still:
    """The chosen matrix of the example; W_output, if that is no weight."""
    weights = example_weights()
    name = chosen["matrix"] if chosen["matrix"] in weights else "W_output"
    rows = weights[name].reshape(-1, weights[name].shape[-1]).tolist()
    return Still(
        f"The matrix {name} of the example.",
        ("row", *(str(column) for column in range(1, len(rows[0]) + 1))),
        [(str(number), *row) for number, row in enumerate(rows, 1)],
        lambda: _signed(rows),
    )


def _signed(rows: Sequence[Sequence[float]]) -> Axes:
    """Draws the numbers of a matrix: blue above 0, orange below, the stronger the larger."""
    largest = max(abs(number) for row in rows for number in row)
    with book_style():
        ax = new_axes(1.2 + 0.5 * len(rows[0]), 0.6 + 0.36 * len(rows))
        ax.imshow(rows, cmap=SIGNED, vmin=-largest, vmax=largest, aspect="auto")
        ax.set_xticks(range(len(rows[0])), [str(column + 1) for column in range(len(rows[0]))])
        ax.set_yticks(range(len(rows)), [str(row + 1) for row in range(len(rows))])
        ax.tick_params(length=0, labeltop=True, labelbottom=False)
        ax.set_ylabel("row")
        ax.spines[:].set_visible(False)
    return ax
