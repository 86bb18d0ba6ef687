"""The spreadsheet of chapter 11, recalculated twice: by LibreOffice, and by a few lines here.

The second recalculation needs nothing installed, and runs everywhere.
"""

from __future__ import annotations

import io
import math
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import torch

from mtcourse.chapters.worked_example.adam import first_steps
from mtcourse.chapters.worked_example.backward import backward_pass
from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    LABELS,
    SOURCE_TOKENS,
    example_weights,
    greedy_output,
    source_ids,
    target_ids,
)
from mtcourse.chapters.worked_example.forward import forward_pass, loss_steps
from mtcourse.chapters.worked_example.spreadsheet import (
    AFTER,
    block_places,
    spreadsheet,
    write_spreadsheet,
)
from mtcourse.chapters.worked_example.workbook import Block

SHIPPED = Path(__file__).parents[2] / "book" / "11_worked_example.xlsx"
SHEETS = ["inputs", "forward", "gradients", "adam", "forward again"]
REFERENCE = re.compile(r"'([^']+)'!([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?")
FUNCTIONS: dict[str, Any] = {
    "SUM": lambda cells: sum(map(float, np.ravel(cells))),
    "SUMPRODUCT": lambda *arrays: float(np.prod([np.asarray(a, float) for a in arrays], 0).sum()),
    "EXP": math.exp,
    "LN": math.log,
    "SQRT": math.sqrt,
    "SIN": math.sin,
    "COS": math.cos,
    "MAX": lambda *cells: max(float(np.max(cell)) for cell in cells),
    "IF": lambda condition, yes, no: yes if condition else no,
    "INDEX": lambda cells, n: cells.ravel()[n - 1],
    "MATCH": lambda value, cells, _: cells.ravel().tolist().index(value) + 1,
}


def test_functions_of_the_spreadsheet_are_few():
    used = set()
    for sheet in openpyxl.load_workbook(io.BytesIO(spreadsheet())).worksheets:
        for cell in (cell for row in sheet.iter_rows() for cell in row if formula(cell.value)):
            used |= set(re.findall(r"([A-Z]+)\(", REFERENCE.sub("", cell.value)))
    assert used == set(FUNCTIONS)


def test_every_number_that_is_not_typed_is_a_formula():
    book = openpyxl.load_workbook(io.BytesIO(spreadsheet()))
    counted = {"typed": 0, "computed": 0}
    for block in block_places().values():
        for row in cells_of(book, block):
            for value in row:
                kind = "typed" if block.sheet == "inputs" else "computed"
                assert formula(value) == (kind == "computed"), block
                counted[kind] += 1
    assert counted["typed"] == 624 + len(SOURCE_TOKENS) + 2 * len(LABELS) + 5
    assert counted["computed"] > 10_000


def test_the_book_has_the_file_that_is_generated(tmp_path):
    write_spreadsheet(tmp_path / "made.xlsx")
    with zipfile.ZipFile(tmp_path / "made.xlsx") as new, zipfile.ZipFile(SHIPPED) as shipped:
        assert new.namelist() == shipped.namelist()
        for name in new.namelist():
            assert new.read(name) == shipped.read(name), "run: python scripts/write_spreadsheet.py"
    assert SHIPPED.stat().st_size < 200_000


def test_recalculated_here_every_cell_is_that_of_torch():
    compare(evaluated(spreadsheet()), torch_values())


def test_other_inputs_change_every_cell_as_in_torch():
    compare(evaluated(changed_book()), torch_values(changed=True))


def test_libreoffice_computes_what_torch_computes(tmp_path):
    program = shutil.which("soffice")
    if not program:
        pytest.skip("LibreOffice is not installed: apt install libreoffice-calc-nogui")
    for name, content in (("as_shipped", spreadsheet()), ("changed", changed_book())):
        (tmp_path / f"{name}.xlsx").write_bytes(content)
    subprocess.run(
        [program, f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}", "--headless",
         "--convert-to", "xlsx", "--outdir", tmp_path / "out", *tmp_path.glob("*.xlsx")],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    for name, changed in (("as_shipped", False), ("changed", True)):
        book = openpyxl.load_workbook(tmp_path / "out" / f"{name}.xlsx", data_only=True)
        found = {key: cells_of(book, block) for key, block in block_places().items()}
        compare(found, torch_values(changed))


def formula(value: Any) -> bool:
    """Whether a cell's content is a formula."""
    return isinstance(value, str) and value.startswith("=")


def cells_of(book: openpyxl.Workbook, block: Block) -> list[list[Any]]:
    """The contents of a block's cells."""
    rows = range(block.top, block.top + block.rows)
    columns = range(2, block.columns + 2)
    return [[book[block.sheet].cell(i, j).value for j in columns] for i in rows]


def changed_book() -> bytes:
    """The spreadsheet after a reader has typed other tokens and another weight."""
    book, places = openpyxl.load_workbook(io.BytesIO(spreadsheet())), block_places()
    for name, i, j, value in (
        ("source", 4, 0, "<PAD>"), ("decoder_input", 3, 0, "aime"), ("labels", 2, 0, "aime"),
        ("W_E_X", 1, 2, -0.9), ("W_Q_C", 0, 0, 1.3), ("epsilon", 0, 0, 0.01),
    ):  # fmt: skip
        block = places[name]
        book[block.sheet].cell(block.top + i, j + 2, value)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def torch_values(changed: bool = False) -> dict[str, Any]:
    """What every block should hold, by its name."""
    w, read, labels = example_weights(), list(DECODER_INPUT), list(LABELS)
    source = source_ids()
    if changed:
        read[3], labels[2], source[4] = "aime", "aime", 7
        w["W_E_X"][1, 2], w["W_Q_C"][0, 0] = -0.9, 1.3
    epsilon = 0.01 if changed else 1e-5
    ids, wanted = target_ids(tuple(read)), target_ids(tuple(labels))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mtcourse.chapters.worked_example.forward.EPSILON", epsilon)
        s = loss_steps(forward_pass(w, source, ids, source != 7), wanted)
        bars = backward_pass(w, s, source, ids, wanted)
        steps = first_steps(w, bars)
        after = {name: step.parameter for name, step in steps.items()}
        again = loss_steps(forward_pass(after, source, ids, source != 7), wanted)
    values = {**w, **s}
    values |= {f"{name} bar": bar for name, bar in bars.items()}
    for name, step in steps.items():
        values |= {f"{name} m": step.m, f"{name} v": step.v, f"{name} change": step.change}
    values |= {AFTER + name: value for name, value in (after | again).items()}
    if not changed:
        assert [[t] for t, _ in greedy_output()] == [[label] for label in LABELS]
        values["greedy"] = [[label] for label in LABELS]
    return values


def compare(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Every block that torch has a name for, to 1e-12."""
    compared = 0
    for name, cells in found.items():
        if name == "greedy" and name in wanted:
            assert cells == wanted[name]
        elif name in wanted:
            right = wanted[name]
            numbers = torch.tensor(cells, dtype=torch.float64).reshape(right.shape)
            assert (numbers - right).abs().max() <= 1e-12, name
            compared += 1
    bare = ("allowed", "exp", "mu", "one_hot", "greedy", "source", "decoder", "labels")
    left = {name.removeprefix(AFTER) for name in set(found) - set(wanted)}
    assert all(name.startswith((*bare, "epsilon", "adam")) for name in left), left
    assert compared > 370


def evaluated(content: bytes) -> dict[str, list[list[Any]]]:
    """All blocks, recalculated from top to bottom, sheet by sheet."""
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == SHEETS
    values: dict[tuple[str, int, int], Any] = {}

    def at(sheet: str, column: str, row: int) -> Any:
        return values[sheet, row, openpyxl.utils.column_index_from_string(column)]

    def among(sheet: str, column: str, row: int, to_column: str, to_row: int) -> np.ndarray:
        first, last = map(openpyxl.utils.column_index_from_string, (column, to_column))
        rows = range(row, to_row + 1)
        cells = [[values[sheet, i, j] for j in range(first, last + 1)] for i in rows]
        return np.array(cells, dtype=object)

    def reference(match: re.Match) -> str:
        sheet, column, row, to_column, to_row = match.groups()
        if to_column:
            return f"among('{sheet}', '{column}', {row}, '{to_column}', {to_row})"
        return f"at('{sheet}', '{column}', {row})"

    known = FUNCTIONS | {"at": at, "among": among, "__builtins__": {}}
    for sheet in book.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                value = cell.value
                if formula(value):
                    python = value[1:].replace("=", "==").replace("^", "**")
                    value = eval(REFERENCE.sub(reference, python), known)
                values[sheet.title, cell.row, cell.column] = value
    return {
        name: [
            [values[block.sheet, block.top + i, j + 2] for j in range(block.columns)]
            for i in range(block.rows)
        ]
        for name, block in block_places().items()
    }
