"""What a page shows of an explorer where no script runs: a picture with its table."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from matplotlib.axes import Axes

from mtcourse.errors import MtcourseError
from mtcourse.figures.svg import figure_svg


@dataclass(frozen=True)
class Still:
    """A picture, and below it the table of its numbers.

    Args:
        caption: what both show, with the settings that they show it for; what follows "_" stands
            low.
        heads: of the columns.
        rows: the first cell of each is its name.
        picture: draws it, on axes of a new figure in the book's style.
        digits: behind the point of numbers with a fraction.

    Raises:
        MtcourseError: a row has more or fewer cells than there are heads.
    """

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | int | float]]
    picture: Callable[[], Axes]
    digits: int = 2

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.heads)]
        if wrong or not self.rows:
            raise MtcourseError(
                f"a still needs rows of {len(self.heads)} cells, as many as it has heads, "
                f"not {list(wrong[0]) if wrong else 'none'}"
            )

    def html(self) -> str:
        """Both; they bring their few styles along, because an explorer's come with its script."""
        caption = re.sub(r"_([A-Za-z0-9]+)", r"<sub>\1</sub>", escape(self.caption))
        heads = "".join(
            f'<th scope="col" style="text-align:{_side(cell)}">{escape(head)}</th>'
            for head, cell in zip(self.heads, self.rows[0], strict=True)
        )
        body = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(str(name))}</th>'
            f"{''.join(map(self._cell, cells))}</tr>"
            for name, *cells in self.rows
        )
        return (
            f'<div style="overflow-x:auto">{self.svg()}</div>'
            '<div style="overflow-x:auto"><table class="explorer-still" '
            'style="border-spacing:.6em 2px;border-collapse:separate;'
            'min-width:min(100%,28em);margin:0">'
            '<caption style="caption-side:top;text-align:left">'
            f'<span style="display:block;max-width:calc(100vw - 3em)">{caption}</span></caption>'
            f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def svg(self) -> str:
        """The picture; it takes its colours from the page, like the figures."""
        import matplotlib.pyplot as plt  # chooses a backend: only when something is drawn

        figure = self.picture().get_figure(root=True)
        svg = figure_svg(figure) if figure else None
        plt.close(figure)  # otherwise a notebook shows it, too
        if svg is None:
            raise MtcourseError("a still is drawn in the book's style, on a ground that is clear")
        named = '<svg role="img" aria-label="The numbers of the table as a picture" '
        return svg.replace("<svg ", named, 1)

    def _cell(self, cell: str | int | float) -> str:
        if isinstance(cell, str):
            written = escape(cell)
        else:
            written = f"{cell:,}" if isinstance(cell, int) else self.written(cell)
        return f'<td style="text-align:{_side(cell)}">{written}</td>'

    def written(self, number: float) -> str:
        """A number as the table has it."""
        return f"{number:.{self.digits}f}".replace("-", "−")


def _side(cell: str | int | float) -> str:
    """Where a cell's text stands: numbers below each other."""
    return "left" if isinstance(cell, str) else "right"
