"""What a page shows of an explorer where no script runs: a table that draws its numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mtcourse.errors import MtcourseError

BLUE, ORANGE = "#2b7bba55", "#c8571b55"
"""Bars of numbers above and below 0: text on them can be read on a light page and on a dark one."""


@dataclass(frozen=True)
class Still:
    """A table whose numbers have bars behind them, so that it is a picture, too.

    Args:
        caption: what it shows, with the settings that it shows it for; what follows "_" stands low.
        heads: of the columns.
        rows: the first cell of each is its name. Only numbers with a fraction get bars.
        digits: behind the point of these.

    Raises:
        MtcourseError: a row has more or fewer cells than there are heads.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    digits: int = 2

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.heads)]
        if wrong or not self.rows:
            raise MtcourseError(
                f"a still needs rows of {len(self.heads)} cells, as many as it has heads, "
                f"not {list(wrong[0]) if wrong else 'none'}"
            )

    def html(self) -> str:
        """The table; it brings its few styles along, because an explorer's come with its script."""
        caption = re.sub(r"_([A-Za-z0-9]+)", r"<sub>\1</sub>", escape(self.caption))
        heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in self.heads)
        body = "".join(
            f'<tr><th scope="row">{escape(str(name))}</th>{"".join(map(self._cell, cells))}</tr>'
            for name, *cells in self.rows
        )
        return (
            '<div style="overflow-x:auto"><table class="explorer-still" '
            'style="border-spacing:.6em 2px;border-collapse:separate;'
            'min-width:min(100%,28em);margin:0">'
            f'<caption style="caption-side:top;text-align:left">{caption}</caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def _cell(self, cell: str | int | float) -> str:
        if isinstance(cell, str):
            return f"<td>{escape(cell)}</td>"
        if isinstance(cell, int):
            return f'<td style="text-align:right">{cell:,}</td>'
        share = round(100 * abs(cell) / self._largest())
        colour = BLUE if cell >= 0 else ORANGE
        bar = f"background:linear-gradient(90deg,{colour} {share}%,#0000 0)"
        return f'<td style="text-align:right;{bar}">{self.written(cell)}</td>'

    def written(self, number: float) -> str:
        """A number as the table has it."""
        return f"{number:.{self.digits}f}".replace("-", "−")

    def _largest(self) -> float:
        numbers = [abs(cell) for row in self.rows for cell in row if isinstance(cell, float)]
        return max(numbers) or 1.0
