"""Broken files: each is graded or named, and stops nobody else's grading."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import Any

from tests.catalogue.case import NO_POINTS, Case
from tests.catalogue.returned import answer_cell, as_bytes, completed

WHOLE = as_bytes(completed("05_masks", {}))


def file(name: str, content: bytes, unreadable: str) -> Case:
    """A file that cannot be graded."""
    return Case(name, saved=lambda notebook: content, unreadable=unreadable)


def changed(name: str, unreadable: str, **told: Any) -> Case:
    """A notebook with other things at its top; what is None is taken out."""

    def saved(notebook: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in {**notebook, **told}.items() if value is not None}

    return Case(name, saved=saved, unreadable=unreadable)


def in_first_cell(name: str, unreadable: str = "", **told: Any) -> Case:
    """A notebook whose first cell has other fields; it is graded where no reason is given."""

    def saved(notebook: dict[str, Any]) -> None:
        notebook["cells"][0].update(told)

    return Case(name, saved=saved, unreadable=unreadable)


def zipped() -> bytes:
    """The notebook in a zip file."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("05_masks.ipynb", WHOLE)
    return made.getvalue()


FILES = (
    file("empty", b"", "it is empty"),
    file("blank", b" \n\t\r\n", "it is empty"),
    file(
        "both sides of a merge",
        WHOLE.replace(b' "cells"', b'<<<<<<< HEAD\n "cells"', 1).replace(
            b"]", b"]\n>>>>>>> x\n", 1
        ),
        "both sides of a Git merge",
    ),
    file("a list", b"[1, 2]", "it holds a list"),
    file("a number", b"7", "it holds a int"),
    file("Python", b"import torch\n\nprint(1)\n", "it is not JSON"),
    file("HTML", b"<!DOCTYPE html><html><body>05_masks</body></html>", "it is not JSON"),
    file("a zip file", zipped(), "it is not"),
    file("compressed", gzip.compress(WHOLE), "it is not UTF-8"),
    file("a picture", b"\x89PNG\r\n\x1a\n" + bytes(100), "it is not UTF-8"),
    file("zeros", bytes(1000), "it is not JSON"),
    file("cut off", WHOLE[: len(WHOLE) // 2], "it is not JSON"),
    file("two notebooks in one file", WHOLE + WHOLE, "it is not JSON"),
    file("UTF-16", WHOLE.decode().encode("utf-16"), "it is written in UTF-16"),
    file("Latin-1", b'{"cells": [], "nbformat": 4, "author": "Jos\xe9"}', "it is not UTF-8"),
    file("NaN", WHOLE.replace(b'"nbformat_minor": 5', b'"nbformat_minor": NaN'), "NaN"),
    file("infinity", WHOLE.replace(b'"nbformat_minor": 5', b'"x": -Infinity'), "Infinity"),
    file("nested 100 000 deep", b"[" * 100_000 + b"]" * 100_000, "nested deeper"),
    file(
        "metadata nested 100 000 deep",
        WHOLE[:-2] + b', "x": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
        "nested deeper",
    ),
    file("40 MB", WHOLE[:-2] + b', "x": "' + b"x" * 40_000_000 + b'"}', "larger than 20 MB"),
    file("a number of 10^5 digits", b'{"nbformat": ' + b"4" * 100_000 + b"}", "it is not JSON"),
)

SHAPES = (
    changed("version 3", "version 3", nbformat=3, cells=None, worksheets=[{"cells": []}]),
    changed("version 99", "version 99", nbformat=99),
    changed("no version", "version None", nbformat=None),
    changed("version in words", "version '4'", nbformat="4"),
    changed("no cells", "no list of cells", cells=None),
    changed("cells by name", "no list of cells", cells={"a": 1}),
    changed("1001 cells", "1001 cells", cells=[{"cell_type": "raw", "source": ""}] * 1001),
    in_first_cell("a cell of no kind", "cell 1 is no cell", cell_type="heading"),
    in_first_cell("a cell whose text is a number", "text of its cell 1", source=7),
    in_first_cell("a cell whose text is lists", "text of its cell 1", source=[["x"]]),
    Case(
        "a cell that is a text",
        saved=lambda notebook: notebook["cells"].insert(0, "cell"),
        unreadable="cell 1 is no cell",
    ),
)


def byte_order_mark(notebook: dict[str, Any]) -> bytes:
    return b"\xef\xbb\xbf" + as_bytes(notebook)


def illegal_ids(notebook: dict[str, Any]) -> None:
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = ["", "a b::c\n", "x" * 100_000, 7, None, {}, "../../etc", "é"][number % 8]


def same_ids(notebook: dict[str, Any]) -> None:
    for cell in notebook["cells"]:
        cell["id"] = "same"


def names_that_are_lists(notebook: dict[str, Any]) -> None:
    """Of answers and other cells, what mtcourse has written is of another kind."""
    for number, cell in enumerate(notebook["cells"]):
        told = cell["metadata"]["mtcourse"]
        if told.get("role") == "answer":
            told["id"] = [told["id"]]
        else:
            told |= {"role": [{}, ["answer"], 7, None][number % 4], "for": {"a": []}}


def odd_metadata(notebook: dict[str, Any]) -> None:
    notebook["metadata"] = ["x"]
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            cell["metadata"] = [None, [], "x", {"mtcourse": []}, {"mtcourse": {"role": 1}}][
                number % 5
            ]


def odd_outputs(notebook: dict[str, Any]) -> None:
    for number, cell in enumerate(notebook["cells"]):
        cell["outputs"] = [None, "x", [7], [{"output_type": "bomb"}], {}][number % 5]
        cell["execution_count"] = [None, "x", -1, [], 10**30][number % 5]


def doubled_names(notebook: dict[str, Any]) -> bytes:
    """An object that says the same thing twice; the second holds, as in every reader of JSON."""
    return as_bytes(notebook).replace(b'"nbformat": 4', b'"nbformat": 3, "nbformat": 4', 1)


def surrogates(notebook: dict[str, Any]) -> bytes:
    """Half a character in an answer and in a text, as JSON can hold it."""
    cell = answer_cell(notebook, "causal_mask")
    cell["source"] += "\nhalf = '\ud83d'  # \udc00"
    notebook["cells"][1]["source"] = "\udfff"
    return json.dumps(notebook).encode()


def crash_of_syntax(kind: str) -> str:
    """Code on which programs that read code may stumble."""
    return {
        "calls": "f = lambda: f\nf" + "()" * 900,
        "names": "a = type('A', (), {})\na.a = a\na" + ".a" * 900,
        "sums": "x = 1" + " + 1" * 20_000,
        "brackets": "x = " + "(" * 5000 + ")" * 5000,
        "nots": "x = " + "not " * 5000 + "1",
        "indents": "\n".join(" " * i + "if 1:" for i in range(150)) + "\n" + " " * 150 + "x = 1",
        "zero": "x = '\0'",
        "long": "x = 1\n" * 100_000,
        "wide": "x = '" + "x" * 3_000_000 + "'",
    }[kind]


def deep_code(*kinds: str) -> Case:
    """An answer that holds such code, and fails or not; the others do not suffer."""

    def saved(notebook: dict[str, Any]) -> None:
        names = ("causal_mask", "padding_mask", "masked_weights", "allowed_pairs")
        for name, kind in zip(names, kinds, strict=False):
            answer_cell(notebook, name)["source"] = crash_of_syntax(kind)

    names = ("causal_mask", "padding_mask", "masked_weights", "allowed_pairs")
    lost = dict.fromkeys(names[: len(kinds)], NO_POINTS)
    return Case(f"code with too many {', '.join(kinds)}", saved=saved, outcomes=lost)


REPAIRED = (
    Case("a byte order mark", saved=byte_order_mark, repaired="byte order mark"),
    Case("illegal ids", saved=illegal_ids),
    Case("the same id everywhere", saved=same_ids),
    Case("names that are lists", saved=names_that_are_lists),
    Case("metadata of other kinds", saved=odd_metadata),
    Case("outputs of other kinds", saved=odd_outputs),
    Case("names that stand twice", saved=doubled_names),
    Case("halves of characters", saved=surrogates, outcomes={"causal_mask": "passed|error"}),
    deep_code("calls", "names", "sums", "brackets"),
    deep_code("nots", "indents", "zero"),
    deep_code("long", "wide"),
)

CASES = (*FILES, *SHAPES, *REPAIRED)
