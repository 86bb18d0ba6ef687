"""A small class as its results, and work that was handed in, for tests of reports."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Sequence

from mtcourse.grading.results import FAILED, GRADED, UNREADABLE, ExerciseResult, SubmissionResult

SEED = 918273645
SAYS = """scaled_scores
  ✓ it has the right shape
  ✗ its values are right
      at [0, 1]: 3.0
  → These are the products, not divided by √d_k.
  Hint: Write down the shape of Q."""


def result(
    learner: str, outcomes: Sequence[str] = ("passed", "wrong"), **others: object
) -> SubmissionResult:
    """A graded notebook of two exercises, of 2 and 3 points."""
    exercises = tuple(
        ExerciseResult(
            name,
            outcome,
            out_of if outcome == "passed" else 0,
            out_of,
            SAYS if outcome == "wrong" else f"{name}\n  ✓ all",
            "not_scaled" if outcome == "wrong" else "",
            number,
        )
        for name, outcome, out_of, number in zip(
            ("scaled_scores", "share"), outcomes, (2, 3), (2, 4), strict=True
        )
    )
    values = {
        "notebook": "04_attention",
        "file": f"{learner}/04_attention.ipynb",
        "state": GRADED,
        "exercises": exercises,
        "seed": SEED,
        "isolation": "warm",
        "versions": {"python": "3.11.2", "torch": "2.9.0"},
        "seconds": 1.5,
    }
    return SubmissionResult(learner, **(values | others))


def unreadable(learner: str) -> SubmissionResult:
    """A file that is no notebook."""
    reason = "it is empty"
    return result(learner, ("unreadable", "unreadable"), state=UNREADABLE, reason=reason)


def failed(learner: str) -> SubmissionResult:
    """What the grader could not grade."""
    return result(learner, state=FAILED, reason="the worker ended", exercises=())


CLASS = [
    result("Ana", ("passed", "passed")),
    result("Bo", ("passed", "wrong")),
    result("Bo", ("wrong", "open"), notebook="05_masks"),
    result("Cy", ("timeout", "missing"), repairs=("the file began with a byte order mark",)),
    unreadable("Di"),
    failed("Ed"),
    result("Flo", ("wrong", "passed"), isolation="none"),
]

HOSTILE = (
    "=cmd|' /C calc'!A0",
    "+1;=2+3",
    "@SUM(1)",
    "-2",
    "<script>steal()</script>",
    "two\nlines\tand\x00nul",
    "\ud800 alone",
    "x" * 100_000,
    "../../etc/passwd",
    "\x1b]0;title\x07\x1b[31mred",
    "a\u202eb",
    "Points Possible",
    "[bold]not[/bold]",
    '"quoted", with commas',
    "]]>&amp;",
    "{{ 7 * 7 }}",
    "```\n# All points\n<script>steal()</script>\n`````",
)


def hostile_class() -> list[SubmissionResult]:
    """Results all of whose texts are hostile."""
    return [
        result(
            text,
            file=text,
            reason=text,
            repairs=(text,),
            exercises=(ExerciseResult("scaled_scores", "wrong", 0, 2, text, text, 1),),
        )
        for text in HOSTILE
    ]


def notebook(*cells: dict) -> bytes:
    """A notebook's bytes."""
    whole = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return json.dumps(whole).encode()


def code(source: str, *outputs: object, **told: str) -> dict:
    """A code cell."""
    return {
        "cell_type": "code",
        "id": "same",
        "metadata": {"mtcourse": told} if told else {},
        "source": source,
        "execution_count": 1,
        "outputs": list(outputs),
    }


def text(source: str, **told: str) -> dict:
    """A cell of Markdown."""
    metadata = {"mtcourse": told} if told else {}
    return {"cell_type": "markdown", "id": "same", "metadata": metadata, "source": source}


def displayed(**data: object) -> dict:
    """An output with some MIME types; ``_`` stands for what a name cannot hold."""
    types = {"png": "image/png", "svg": "image/svg+xml", "html": "text/html", "text": "text/plain"}
    types |= {"script": "application/javascript", "markdown": "text/markdown"}
    made = {types[name]: value for name, value in data.items()}
    return {"output_type": "display_data", "data": made, "metadata": {}}


def png(side: int = 2) -> str:
    """A black square."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        summed = zlib.crc32(kind + content)
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", summed)

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    pixels = zlib.compress((b"\0" + b"\0" * side) * side)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()
