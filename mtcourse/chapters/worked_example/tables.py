"""Small matrices as tables with the names of their rows and columns (chapter 11)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from IPython.display import HTML
from torch import Tensor

from mtcourse.errors import MtcourseError

_BLUE, _ORANGE = "43, 123, 186", "200, 87, 27"
_CELL = "padding: 0.15rem 0.3rem; white-space: nowrap"
_NUMBER = f"{_CELL}; text-align: right"
_TABLE = "font-size: 0.8rem; margin: 0.5rem 0; min-width: 0; max-width: 100%"


def matrix_table(
    matrix: Tensor,
    rows: Sequence[str],
    columns: Sequence[str] = (),
    title: str = "",
    digits: int = 2,
    shade: bool = False,
) -> HTML:
    """A matrix with the names of its rows and columns.

    Args:
        matrix: the numbers.
        rows: a name for each row.
        columns: a name for each column; 1, 2, 3 and so on if there are none.
        title: what the matrix is; stands in the corner. W_Q^C is shown with its indices.
        digits: decimals.
        shade: colour cells by size, blue above 0 and orange below.

    Raises:
        MtcourseError: the names do not fit the matrix.
    """
    names = columns or [str(j + 1) for j in range(matrix.shape[1])]
    if tuple(matrix.shape) != (len(rows), len(names)):
        raise MtcourseError(
            f"a matrix of shape {tuple(matrix.shape)} does not fit {len(rows)} names of rows and "
            f"{len(names)} of columns"
        )
    largest = matrix.abs().max().item() or 1.0
    lines = [
        _line(name, row, digits, largest if shade else 0.0)
        for name, row in zip(rows, matrix.tolist(), strict=True)
    ]
    return _table(title, names, lines)


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> HTML:
    """A table of text; the first column names the rows.

    Args:
        columns: a name for each column.
        rows: a text for each column.
    """
    lines = []
    for first, *others in rows:
        cells = "".join(f'<td style="{_NUMBER}">{escape(text)}</td>' for text in others)
        lines.append(f"<tr>{_named(first)}{cells}</tr>")
    return _table(columns[0], columns[1:], lines)


def beside(*tables: HTML) -> HTML:
    """Tables side by side where there is room, and below each other where there is not.

    Args:
        tables: of ``matrix_table``.
    """
    style = "display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0 1rem"
    return HTML(f'<div style="{style}">{"".join(str(table.data) for table in tables)}</div>')


def _line(name: str, row: list[float], digits: int, largest: float) -> str:
    """One row; a number that would be printed as -0.00 is 0.00."""
    cells = []
    for x in row:
        style = _NUMBER
        if largest:
            colour = _BLUE if x > 0 else _ORANGE
            style += f"; background: rgba({colour}, {0.4 * abs(x) / largest:.2f})"
        text = f"{x:.{digits}f}"
        zero = f"{0:.{digits}f}"
        text = zero if text == f"-{zero}" else text.replace("-", "−")
        cells.append(f'<td style="{style}">{text}</td>')
    return f"<tr>{_named(name)}{''.join(cells)}</tr>"


def _named(row: str) -> str:
    """The first cell of a row."""
    return f'<th scope="row" style="{_CELL}">{escape(row)}</th>'


def _table(corner: str, names: Sequence[str], lines: Sequence[str]) -> HTML:
    """A table in the theme's look, which the keyboard can scroll where the page is narrow."""
    head = "".join(f'<th scope="col" style="{_NUMBER}">{escape(name)}</th>' for name in names)
    first = f'<th scope="col" style="{_CELL}">{_with_indices(corner)}</th>'
    return HTML(
        f'<table class="table dataframe" style="{_TABLE}" tabindex="0">'
        f"<thead><tr>{first}{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _with_indices(title: str) -> str:
    """A title in HTML: what follows _ stands low, and what follows ^ stands high."""
    low = re.sub(r"_([A-Za-z0-9]+)", r"<sub>\1</sub>", escape(title))
    return re.sub(r"\^([A-Za-z0-9]+)", r"<sup>\1</sup>", low)
