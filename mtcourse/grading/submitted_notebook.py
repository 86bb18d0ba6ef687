"""Reads a submitted notebook without trusting it: any file becomes a list of cells, or a reason."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mtcourse.grading.solution_notebook import Cell, read_cohort

MAX_BYTES = 20 * 2**20
"""The size of the largest notebook that is read, without outputs and pictures."""
MAX_FILE_BYTES = 100 * 2**20
"""The size of the largest file that is read."""
MAX_CELLS = 1000
MAX_CODE_CHARACTERS = 100_000
"""The length of one code cell; all code cells together may have ten times as much."""
BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

NOT_A_FILE = (
    "it is not a file but a folder, a pipe, a socket or a device: hand in the notebook itself"
)
LINK = "it is a link to another file: hand in the notebook itself"
TOO_LARGE = (
    f"it is larger than {MAX_BYTES // 2**20} MB without its outputs, or than "
    f"{MAX_FILE_BYTES // 2**20} MB with them: clear its outputs, and save it again"
)
_UNUSED = re.compile(rb'"(?:outputs"\s*:\s*\[|attachments"\s*:\s*\{|widgets"\s*:\s*\{)')
"""The beginning of what a notebook shows, which no verdict depends on.

Within a text there would be a backslash before the second quotation mark.
"""
_JSON_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
MAX_TOKENS = 2_000_000
"""The number of texts and brackets in all that is left out."""


class Unreadable(Exception):
    """The reason why a submitted file cannot be graded."""


@dataclass(frozen=True)
class SubmittedNotebook:
    """The cells of a learner's notebook.

    Args:
        cells: in their order; ids and metadata may be missing, duplicate or wrong.
        repairs: harmless irregularities of the file.
        cohort: the cohort that its metadata names; empty if they name none.
    """

    cells: tuple[Cell, ...]
    repairs: tuple[str, ...] = ()
    cohort: str = ""


def read_submitted_notebook(path: Path) -> SubmittedNotebook:
    """Reads a submitted notebook.

    Raises:
        Unreadable: it is not a notebook of version 4, or is too large; one sentence that its author
            can act on.
    """
    return parse_submitted_notebook(read_file(path))


def read_file(path: Path) -> bytes:
    """Reads a file's bytes, but refuses links and devices, and stops at the largest size."""
    flags = os.O_RDONLY
    for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"):  # not every system has all of them
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if path.is_symlink():
            raise Unreadable(LINK) from error
        raise Unreadable(f"it cannot be opened: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(NOT_A_FILE)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    finally:
        os.close(descriptor)
    return content


def parse_submitted_notebook(content: bytes) -> SubmittedNotebook:
    """Parses the bytes of a submitted notebook.

    Raises:
        Unreadable: for the same reasons as ``read_submitted_notebook``.
    """
    if MAX_BYTES < len(content) <= MAX_FILE_BYTES:
        content = strip_outputs(content)
    if len(content) > MAX_BYTES:
        raise Unreadable(TOO_LARGE)
    repairs: list[str] = []
    notebook = _parse_json(_decode(content, repairs))
    if not isinstance(notebook, dict):
        raise Unreadable(f"it holds a {type(notebook).__name__}, where a notebook is an object")
    version = notebook.get("nbformat")
    if version != 4:
        raise Unreadable(
            f"it is a notebook of version {version!r}, not 4: open it in Jupyter, and save it"
        )
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("it has no list of cells")
    if len(cells) > MAX_CELLS:
        raise Unreadable(f"it has {len(cells)} cells, more than {MAX_CELLS}")
    read = tuple(_parse_cell(number, cell, repairs) for number, cell in enumerate(cells, start=1))
    if sum(len(cell.text) for cell in read if cell.kind == "code") > 10 * MAX_CODE_CHARACTERS:
        raise Unreadable(f"its code is longer than {10 * MAX_CODE_CHARACTERS:,} characters in all")
    return SubmittedNotebook(read, tuple(repairs), read_cohort(notebook))


def strip_outputs(content: bytes) -> bytes:
    """Empties the outputs, attached pictures and widgets of a notebook, without parsing it.

    A parsed file would take many times the memory.
    """
    kept, place, tokens = [], 0, 0
    while found := _UNUSED.search(content, place):
        kept.append(content[place : found.end()])
        place, depth = found.end(), 1
        for token in _JSON_TOKEN.finditer(content, place):
            tokens += 1
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0][:1], 0)
            if depth == 0 or tokens > MAX_TOKENS:
                place = token.start()
                break
        if depth:  # it does not end, or takes too long
            break
    return b"".join([*kept, content[place:]])


def _decode(content: bytes, repairs: list[str]) -> str:
    """Decodes the file as UTF-8."""
    if not content.strip():
        raise Unreadable("it is empty")
    if encoding := BYTE_ORDER_MARKS.get(content[:2]):
        raise Unreadable(f"it is written in {encoding}: save it as UTF-8")
    if content.startswith(b"\xef\xbb\xbf"):
        repairs.append("the file began with a byte order mark")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is not UTF-8 at byte {error.start}: save it as UTF-8") from error


def _parse_json(text: str) -> Any:
    """Parses the file as JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise Unreadable("it is nested deeper than any notebook") from error
    except ValueError as error:
        if "\n<<<<<<<" in f"\n{text}":
            raise Unreadable(
                "it holds both sides of a Git merge: choose one, and save it"
            ) from error
        raise Unreadable(
            f"it is not JSON: {error}; hand in the whole file, as Jupyter saved it"
        ) from error


def _refuse_constant(name: str) -> NoReturn:
    raise Unreadable(f"it holds {name}, which JSON does not have")


def _parse_cell(number: int, cell: Any, repairs: list[str]) -> Cell:
    """Parses one cell: missing parts stay empty, invalid ones raise Unreadable."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown", "raw"):
        raise Unreadable(f"its cell {number} is no cell")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"the text of its cell {number} is no text")
    kind = cell["cell_type"]
    if kind == "code" and len(source) > MAX_CODE_CHARACTERS:
        repairs.append(
            f"cell {number} holds more than {MAX_CODE_CHARACTERS:,} characters: it was not run"
        )
        source = f"raise ValueError('this cell holds more than {MAX_CODE_CHARACTERS:,} characters')"
    if (encodable := source.encode("utf-8", "replace").decode()) != source:
        repairs.append(f"cell {number} held half a character: it is a question mark now")
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    mtcourse_metadata = metadata.get("mtcourse")
    mtcourse_metadata = mtcourse_metadata if isinstance(mtcourse_metadata, dict) else {}
    # Colab keeps a cell's id among its metadata.
    identity = cell.get("id", metadata.get("id"))
    return Cell(
        number,
        identity if isinstance(identity, str) else "",
        kind,
        encodable,
        {key: value for key, value in mtcourse_metadata.items() if isinstance(value, str)},
    )
