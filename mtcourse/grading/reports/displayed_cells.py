"""A learner's notebook as it is shown to people: text and pictures, and nothing that could run."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtcourse.grading.reports.sanitize import lines
from mtcourse.grading.submitted_notebook import Unreadable, parse_submission
from mtcourse.grading.wire_format import error_in_words

LONGEST_SOURCE = 20_000
LONGEST_OUTPUT = 4_000
LARGEST_PICTURE = 300_000
"""Bytes of a picture that is shown."""
LARGEST_SIDE = 4_000
"""Pixels: a few bytes can unfold to more memory than there is."""
WHOLE = 1_000_000
"""Characters of a notebook that are shown, its pictures among them."""
MOST_OUTPUTS = 20
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Output:
    """What a cell put out: a text, or a picture as base64.

    Args:
        kind: "text", "error" or "picture".
        content: the text, or the PNG.
    """

    kind: str
    content: str


@dataclass(frozen=True)
class ShownCell:
    """A cell of a learner's notebook.

    Args:
        number: its place there, from 1.
        kind: "code", "markdown" or "raw".
        role: what it is for, as the notebook says; that of a learner's own cell is empty.
        text: what stands in it, the rest of a very long one left out.
        outputs: of a code cell.
        told: its metadata under ``mtcourse``, where they are as they should be.
    """

    number: int
    kind: str
    role: str
    text: str
    outputs: tuple[Output, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)


class _Room:
    """What may still be shown of a notebook."""

    def __init__(self) -> None:
        self.left = WHOLE

    def taken(self, text: str) -> bool:
        """Takes the room for a text, if there is as much."""
        fits = len(text) <= self.left
        self.left -= len(text) if fits else 0
        return fits


def shown_cells(content: bytes) -> list[ShownCell]:
    """The cells of a notebook that was handed in; none of what is no notebook."""
    try:
        cells = parse_submission(content).cells
    except Unreadable:
        return []
    raw = json.loads(content.decode("utf-8-sig"))["cells"]
    room, shown = _Room(), []
    for cell, json_cell in zip(cells, raw, strict=True):
        text = lines(cell.text, LONGEST_SOURCE, most=LONGEST_SOURCE)
        if not room.taken(text):
            text = "… (left out: the notebook is too long to be shown in full)"
        outputs = _outputs(json_cell.get("outputs"), room) if cell.kind == "code" else ()
        told = {
            key: value
            for key, value in cell.told.items()
            if isinstance(value, str | int) and len(f"{key}{value}") <= 100
        }
        role = str(told.get("role", ""))
        shown.append(ShownCell(cell.number, cell.kind, role, text, tuple(outputs), told))
    return shown


def _outputs(outputs: Any, room: _Room) -> Iterator[Output]:
    """What can be shown of a cell's outputs."""
    if not isinstance(outputs, list):
        return
    for output in outputs[:MOST_OUTPUTS]:
        shown = _output(output) if isinstance(output, Mapping) else None
        if shown and shown.content.strip() and room.taken(shown.content):
            yield shown


def _output(output: Mapping[str, Any]) -> Output | None:
    """The text or the picture of one output, whatever else it has."""
    if output.get("output_type") == "stream":
        return Output("text", _text(output.get("text")))
    if output.get("output_type") == "error":
        error = error_in_words(output.get("ename"), output.get("evalue"))
        return Output("error", _text(error))
    data = output.get("data")
    if not isinstance(data, Mapping):
        return None
    picture = _picture(data.get("image/png"))
    return Output("picture", picture) if picture else Output("text", _text(data.get("text/plain")))


def _text(text: Any) -> str:
    """A text of the notebook format, which may be a list of lines."""
    if isinstance(text, Sequence) and not isinstance(text, str):
        text = "".join(line for line in text if isinstance(line, str))
    return lines(text, LONGEST_OUTPUT, most=60) if isinstance(text, str) else ""


def _picture(data: Any) -> str:
    """A PNG of a bearable size as base64; nothing of whatever else calls itself one."""
    if isinstance(data, list) and all(isinstance(line, str) for line in data):
        data = "".join(data)
    if not isinstance(data, str) or len(data) > 2 * LARGEST_PICTURE:
        return ""
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
        sides = struct.unpack(">II", content[16:24])
    except (binascii.Error, ValueError, struct.error):
        return ""
    if not content.startswith(_PNG) or len(content) > LARGEST_PICTURE or max(sides) > LARGEST_SIDE:
        return ""
    return base64.b64encode(content).decode()
