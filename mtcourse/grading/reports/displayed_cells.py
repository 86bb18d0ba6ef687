"""The cells of a submission as reports display them: text and pictures, nothing that runs."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtcourse.grading.reports.sanitize import clean_lines
from mtcourse.grading.submitted_notebook import Unreadable, parse_submitted_notebook
from mtcourse.grading.wire_format import format_error

MAX_SOURCE_LENGTH = 20_000
MAX_OUTPUT_LENGTH = 4_000
MAX_PICTURE_BYTES = 300_000
"""The size of a picture that is displayed."""
MAX_PICTURE_SIDE = 4_000
"""The width and the height in pixels; a small file can unpack to a huge picture."""
MAX_NOTEBOOK_LENGTH = 1_000_000
"""The characters of a notebook that are displayed, including its pictures."""
MAX_OUTPUTS = 20
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class DisplayedOutput:
    """An output of a cell: a text, or a picture as base64.

    Args:
        kind: "text", "error" or "picture".
        content: the text, or the PNG.
    """

    kind: str
    content: str


@dataclass(frozen=True)
class DisplayedCell:
    """A cell of a learner's notebook.

    Args:
        number: its position in the notebook, from 1.
        kind: "code", "markdown" or "raw".
        role: the role in its metadata; empty for the learner's own cells.
        text: its source, shortened if it is very long.
        outputs: the outputs of a code cell.
        metadata: its metadata under ``mtcourse``, as far as they are valid.
    """

    number: int
    kind: str
    role: str
    text: str
    outputs: tuple[DisplayedOutput, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


class _LengthBudget:
    """The number of characters of a notebook that may still be displayed."""

    def __init__(self) -> None:
        self.left = MAX_NOTEBOOK_LENGTH

    def spend(self, text: str) -> bool:
        """Spends the length of a text, if there is enough left; returns whether there was."""
        fits = len(text) <= self.left
        self.left -= len(text) if fits else 0
        return fits


def read_displayed_cells(content: bytes) -> list[DisplayedCell]:
    """Reads the cells of a submission; none if it is not a notebook."""
    try:
        cells = parse_submitted_notebook(content).cells
    except Unreadable:
        return []
    raw = json.loads(content.decode("utf-8-sig"))["cells"]
    budget, shown = _LengthBudget(), []
    for cell, json_cell in zip(cells, raw, strict=True):
        text = clean_lines(cell.text, MAX_SOURCE_LENGTH, max_lines=MAX_SOURCE_LENGTH)
        if not budget.spend(text):
            text = "… (left out: the notebook is too long to be shown in full)"
        outputs = _read_outputs(json_cell.get("outputs"), budget) if cell.kind == "code" else ()
        metadata = {
            key: value
            for key, value in cell.metadata.items()
            if isinstance(value, str | int) and len(f"{key}{value}") <= 100
        }
        role = str(metadata.get("role", ""))
        shown.append(DisplayedCell(cell.number, cell.kind, role, text, tuple(outputs), metadata))
    return shown


def _read_outputs(outputs: Any, budget: _LengthBudget) -> Iterator[DisplayedOutput]:
    """Yields the outputs that can be displayed."""
    if not isinstance(outputs, list):
        return
    for output in outputs[:MAX_OUTPUTS]:
        shown = _read_output(output) if isinstance(output, Mapping) else None
        if shown and shown.content.strip() and budget.spend(shown.content):
            yield shown


def _read_output(output: Mapping[str, Any]) -> DisplayedOutput | None:
    """Reads the text or the picture of an output, and ignores its other forms."""
    if output.get("output_type") == "stream":
        return DisplayedOutput("text", _read_text(output.get("text")))
    if output.get("output_type") == "error":
        error = format_error(output.get("ename"), output.get("evalue"))
        return DisplayedOutput("error", _read_text(error))
    data = output.get("data")
    if not isinstance(data, Mapping):
        return None
    picture = _read_picture(data.get("image/png"))
    return (
        DisplayedOutput("picture", picture)
        if picture
        else DisplayedOutput("text", _read_text(data.get("text/plain")))
    )


def _read_text(text: Any) -> str:
    """Reads a text of the notebook format, which may be a list of lines."""
    if isinstance(text, Sequence) and not isinstance(text, str):
        text = "".join(line for line in text if isinstance(line, str))
    return clean_lines(text, MAX_OUTPUT_LENGTH, max_lines=60) if isinstance(text, str) else ""


def _read_picture(data: Any) -> str:
    """Returns a PNG of acceptable size as base64; an empty string for anything else."""
    if isinstance(data, list) and all(isinstance(line, str) for line in data):
        data = "".join(data)
    if not isinstance(data, str) or len(data) > 2 * MAX_PICTURE_BYTES:
        return ""
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
        sides = struct.unpack(">II", content[16:24])
    except (binascii.Error, ValueError, struct.error):
        return ""
    if (
        not content.startswith(_PNG)
        or len(content) > MAX_PICTURE_BYTES
        or max(sides) > MAX_PICTURE_SIDE
    ):
        return ""
    return base64.b64encode(content).decode()
