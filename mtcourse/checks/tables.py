"""A small part of a returned tensor and of the right one, with the cells in which they differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from mtcourse.checks.outcomes import distance

MOST_ROWS = 8
MOST_COLUMNS = 10


@dataclass(frozen=True)
class Table:
    """Numbers in rows.

    Args:
        title: what they are.
        rows: the numbers as text.
        differs: the places, row and column, that are not what they should be.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    differs: tuple[tuple[int, int], ...] = ()

    def numbered_rows(self) -> Iterator[list[tuple[tuple[int, int], str]]]:
        """Each row as its cells, each with its place."""
        for i, row in enumerate(self.rows):
            yield [((i, j), text) for j, text in enumerate(row)]


def compared(value: Any, expected: Any, tolerance: float) -> tuple[Table, ...]:
    """Two tables, yours and the right one; none where the two are not tensors of one shape.

    Of a tensor with more than two dimensions, it is the matrix in which they differ most; of a
    large matrix, the part with the first difference.

    Args:
        value: what an answer returned.
        expected: what is right.
        tolerance: a difference, relative to 1 + the right value, that is none.
    """
    if not (isinstance(value, Tensor) and isinstance(expected, Tensor)):
        return ()
    if value.shape != expected.shape or not expected.dim() or not expected.numel():
        return ()
    wrong = _wrong_cells(value.detach(), expected, tolerance)
    rows, columns = expected.shape[-2:] if expected.dim() > 1 else (1, expected.shape[-1])
    batches = wrong.reshape(-1, rows, columns)
    which = int(batches.sum((1, 2)).argmax())
    cells = batches[which]
    if not cells.any():
        return ()
    i, j = (int(index) for index in cells.nonzero()[0])
    top, left = _start(i, rows, MOST_ROWS), _start(j, columns, MOST_COLUMNS)
    part = (which, slice(top, top + MOST_ROWS), slice(left, left + MOST_COLUMNS))
    places = tuple((int(i), int(j)) for i, j in cells[part[1:]].nonzero())
    said = f"{int(wrong.sum())} of {wrong.numel()} differ"
    yours, right = (x.reshape(-1, rows, columns)[part] for x in (value.detach(), expected))
    return Table(f"yours ({said})", _texts(yours), places), Table("right", _texts(right))


def _start(place: int, size: int, most: int) -> int:
    """Where a window of at most so many begins, so that it holds a place."""
    return max(0, min(place - most // 2, size - most)) if size > most else 0


def _wrong_cells(value: Tensor, expected: Tensor, tolerance: float) -> Tensor:
    pairs = zip(value.flatten(), expected.flatten(), strict=True)
    wrong = [distance(one, other, tolerance) > 1 for one, other in pairs]
    return torch.tensor(wrong).reshape(expected.shape)


def _texts(x: Tensor) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(_text(number) for number in row) for row in x.tolist())


def _text(number: bool | int | float) -> str:
    """A number in four digits."""
    return f"{number:.4g}" if isinstance(number, float) else str(number)
