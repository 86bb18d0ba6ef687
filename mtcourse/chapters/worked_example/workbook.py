"""A workbook whose matrices are blocks of cells, and whose numbers are formulas (chapter 11).

Formulas use only what Excel and LibreOffice share: sums of products, ``SUMPRODUCT``, ``SUM``,
``EXP``, ``LN``, ``SQRT``.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

_INPUT, _BOLD, _GREY = PatternFill("solid", fgColor="FFF2CC"), Font(bold=True), Font(color="808080")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)

Formula = Callable[[int, int], Any]
"""What stands in row i and column j of a block, both from 0."""


@dataclass(frozen=True)
class Block:
    """Where a matrix lies in the spreadsheet.

    Args:
        sheet: its sheet.
        top: the row of its first number, from 1.
        rows: how many rows it has.
        columns: how many columns; the first is column B.
    """

    sheet: str
    top: int
    rows: int
    columns: int

    def cell(self, i: int, j: int) -> str:
        """The address of entry (i, j), with the sheet and without $."""
        return f"'{self.sheet}'!{get_column_letter(j + 2)}{self.top + i}"

    def range(self, i: int, j: int, to_i: int, to_j: int) -> str:
        """The address of a rectangle, both corners included."""
        end = f"{get_column_letter(to_j + 2)}{self.top + to_i}"
        return f"{self.cell(i, j)}:{end}"


class Sheets:
    """A workbook that is filled block by block, from the top of each sheet to its bottom."""

    def __init__(self) -> None:
        self.book = Workbook()
        self.book.remove(self.book.worksheets[0])
        self.blocks: dict[str, Block] = {}
        self._next: dict[str, int] = {}

    def sheet(self, name: str, about: str, colour: str) -> None:
        """Begins a sheet with a sentence about it."""
        sheet = self.book.create_sheet(name)
        sheet.column_dimensions["A"].width = 26
        sheet.freeze_panes = "B2"
        sheet["A1"] = about
        sheet["A1"].font = _BOLD
        sheet.sheet_properties.tabColor = colour
        self._next[name] = 3

    def add(
        self,
        sheet: str,
        name: str,
        about: str,
        size: tuple[int, int],
        formula: Formula,
        names: tuple[Sequence[str], Sequence[str]] = ((), ()),
        given: bool = False,
    ) -> None:
        """Adds a block: a heading, names of rows and columns, and a formula or value a cell."""
        page, top = self.book[sheet], self._next[sheet] + 2
        page.cell(top - 2, 1, name).font = _BOLD
        page.cell(top - 2, 2, about).alignment = Alignment(horizontal="left")
        rows, columns = names
        for j in range(size[1]):
            page.cell(top - 1, j + 2, columns[j] if columns else j + 1).font = _GREY
        for i in range(size[0]):
            page.cell(top + i, 1, rows[i] if rows else i + 1).font = _GREY
            for j in range(size[1]):
                _write(page, top + i, j + 2, formula(i, j), given)
        self.blocks[name] = Block(sheet, top, *size)
        self._next[sheet] = top + size[0] + 1

    def names(self, name: str) -> str:
        """The range of the names of a block's rows, in column A."""
        block = self.blocks[name]
        return f"'{block.sheet}'!A{block.top}:A{block.top + block.rows - 1}"

    def name(self, name: str, k: int) -> str:
        """The address of the name of row k."""
        return f"'{self.blocks[name].sheet}'!A{self.blocks[name].top + k}"

    def at(self, name: str, i: int = 0, j: int = 0) -> str:
        """The address of one cell of a block."""
        return self.blocks[name].cell(i, j)

    def row(self, name: str, i: int, first: int = 0, last: int | None = None) -> str:
        """The range of a row, or of its columns from ``first`` to ``last``."""
        block = self.blocks[name]
        return block.range(i, first, i, block.columns - 1 if last is None else last)

    def column(self, name: str, j: int) -> str:
        """The range of a column."""
        block = self.blocks[name]
        return block.range(0, j, block.rows - 1, j)

    def product(self, A: str, B: str, first: int = 0) -> Formula:
        """A B, written out: (a b + c d + ...); with ``first``, columns of B from that one."""
        inner = range(self.blocks[B].rows)
        return lambda i, j: (
            "=" + "+".join(f"{self.at(A, i, k)}*{self.at(B, k, first + j)}" for k in inner)
        )

    def rows_by_rows(self, A: str, B: str, own: tuple[int, int] | None = None) -> Formula:
        """A B^T, of the columns from own[0] to own[1] only, if given."""
        ends = own or (0, None)
        return lambda i, j: f"=SUMPRODUCT({self.row(A, i, *ends)},{self.row(B, j, *ends)})"

    def columns_by_columns(self, A: str, B: str) -> Formula:
        """A^T B."""
        return lambda i, j: f"=SUMPRODUCT({self.column(A, i)},{self.column(B, j)})"

    def sum_of(self, *names: str) -> Formula:
        """A + B + ..., cell by cell."""
        return lambda i, j: "=" + "+".join(self.at(name, i, j) for name in names)

    def packed(self) -> bytes:
        """The file, the same on each day: without the time of writing."""
        raw, packed = io.BytesIO(), io.BytesIO()
        self.book.save(raw)
        with zipfile.ZipFile(raw) as old, zipfile.ZipFile(packed, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "docProps/core.xml":
                    content = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2000-01-01T00:00:00Z", content)
                new.writestr(zipfile.ZipInfo(name, _LONG_AGO), content, zipfile.ZIP_DEFLATED)
        return packed.getvalue()


def added(*formulas: Formula) -> Formula:
    """The sum of formulas."""
    return lambda i, j: "=" + "+".join(formula(i, j).removeprefix("=") for formula in formulas)


def _write(page: Worksheet, row: int, column: int, value: Any, given: bool) -> None:
    """One cell; text that is no formula stays text."""
    cell = page.cell(row, column, value)
    if given:
        cell.fill = _INPUT
    elif isinstance(value, str) and value.startswith("="):
        cell.number_format = "0.000000"
