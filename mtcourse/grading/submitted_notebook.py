"""A returned notebook, read with distrust: whatever it is, it becomes cells or a reason."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mtcourse.grading.solution_notebook import Cell

LARGEST = 20 * 2**20
"""Bytes of the largest notebook that is read."""
MOST_CELLS = 1000
LONGEST_CODE = 100_000
"""Characters of one code cell, and a tenth of what all of them together may hold."""
BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

NO_FILE = "it is not a file but a folder, a pipe, a socket or a device: hand in the notebook itself"
LINK = "it is a link to another file: hand in the notebook itself"
TOO_LARGE = f"it is larger than {LARGEST // 2**20} MB: clear its outputs, and save it again"


class Unreadable(Exception):
    """Why a returned file is no notebook that can be graded."""


@dataclass(frozen=True)
class Submission:
    """A learner's notebook as its cells.

    Args:
        cells: in their order; ids and metadata may be missing, doubled or wrong.
        repairs: what was odd about the file, and does not matter.
    """

    cells: tuple[Cell, ...]
    repairs: tuple[str, ...] = ()


def read_submission(path: Path) -> Submission:
    """Reads a returned notebook.

    Raises:
        Unreadable: it is no notebook of version 4, or larger than any honest one, in one sentence
            that its author can act on.
    """
    return parse_submission(read_content(path))


def read_content(path: Path) -> bytes:
    """A file's bytes; never those of a link, a device, or a file of any size."""
    flags = os.O_RDONLY
    for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK"):  # those that the system has
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        if path.is_symlink():
            raise Unreadable(LINK) from error
        raise Unreadable(f"it cannot be opened: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unreadable(NO_FILE)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(descriptor)
    return content


def parse_submission(content: bytes) -> Submission:
    """The cells of a notebook's bytes.

    Raises:
        Unreadable: as ``read_submission`` does.
    """
    if len(content) > LARGEST:
        raise Unreadable(TOO_LARGE)
    repairs: list[str] = []
    notebook = _parsed(_text(content, repairs))
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
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"it has {len(cells)} cells, more than {MOST_CELLS}")
    read = tuple(_cell(number, cell, repairs) for number, cell in enumerate(cells, start=1))
    if sum(len(cell.text) for cell in read if cell.kind == "code") > 10 * LONGEST_CODE:
        raise Unreadable(f"its code is longer than {10 * LONGEST_CODE:,} characters in all")
    return Submission(read, tuple(repairs))


def _text(content: bytes, repairs: list[str]) -> str:
    """The file as text."""
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


def _parsed(text: str) -> Any:
    """The file as JSON."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise Unreadable("it is nested deeper than any notebook") from error
    except ValueError as error:
        if "\n<<<<<<<" in f"\n{text}":
            raise Unreadable(
                "it holds both sides of a Git merge: choose one, and save it"
            ) from error
        raise Unreadable(f"it is not JSON: {error}") from error


def _no_constant(name: str) -> NoReturn:
    raise Unreadable(f"it holds {name}, which JSON does not have")


def _cell(number: int, cell: Any, repairs: list[str]) -> Cell:
    """One cell; what is missing is left out, what makes no sense is an error."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("code", "markdown", "raw"):
        raise Unreadable(f"its cell {number} is no cell")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable(f"the text of its cell {number} is no text")
    kind = cell["cell_type"]
    if kind == "code" and len(source) > LONGEST_CODE:
        repairs.append(f"cell {number} holds more than {LONGEST_CODE:,} characters: it was not run")
        source = f"raise ValueError('this cell holds more than {LONGEST_CODE:,} characters')"
    if (encodable := source.encode("utf-8", "replace").decode()) != source:
        repairs.append(f"cell {number} held half a character: it is a question mark now")
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    told = metadata.get("mtcourse")
    told = told if isinstance(told, dict) else {}
    # Colab keeps a cell's id among its metadata.
    identity = cell.get("id", metadata.get("id"))
    return Cell(
        number,
        identity if isinstance(identity, str) else "",
        kind,
        encodable,
        {key: value for key, value in told.items() if isinstance(value, str)},
    )
