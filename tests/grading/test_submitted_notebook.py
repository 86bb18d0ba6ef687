"""Whatever is handed in becomes cells, or one sentence that says why not."""

from __future__ import annotations

import json
import os

import pytest

from mtcourse.grading.submitted_notebook import (
    MAX_FILE_BYTES,
    Unreadable,
    parse_submitted_notebook,
    read_submitted_notebook,
    strip_outputs,
)
from tests.helpers.small_solution import cell, small_solution


def reason(content: bytes) -> str:
    with pytest.raises(Unreadable) as raised:
        parse_submitted_notebook(content)
    return str(raised.value)


def as_bytes(notebook: object, encoding: str = "utf-8") -> bytes:
    return json.dumps(notebook).encode(encoding)


BROKEN = {
    "empty": (b" \n", "it is empty"),
    "merge": (b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> main\n]}', "a Git merge"),
    "list": (b"[1, 2]", "it holds a list"),
    "text": (b"print(1)", "it is not JSON"),
    "cut off": (as_bytes(small_solution())[:-20], "it is not JSON"),
    "UTF-16": (as_bytes(small_solution(), "utf-16"), "it is written in UTF-16"),
    "Latin-1": (b'{"a": "caf\xe9"}', "it is not UTF-8 at byte 10"),
    "version 3": (as_bytes({"nbformat": 3, "worksheets": []}), "version 3, not 4"),
    "version 99": (as_bytes({"nbformat": 99, "cells": []}), "version 99, not 4"),
    "no version": (as_bytes({"cells": []}), "version None, not 4"),
    "NaN": (b'{"nbformat": 4, "cells": [], "metadata": {"a": NaN}}', "it holds NaN"),
    "deep": (b"[" * 100_000 + b"]" * 100_000, "nested deeper than any notebook"),
    "no cells": (as_bytes({"nbformat": 4}), "it has no list of cells"),
    "a cell that is a number": (as_bytes({"nbformat": 4, "cells": [1]}), "its cell 1 is no cell"),
    "many cells": (
        as_bytes({"nbformat": 4, "cells": [{"cell_type": "code"}] * 1001}),
        "it has 1001 cells",
    ),
    "a text that is a number": (
        as_bytes({"nbformat": 4, "cells": [{"cell_type": "code", "source": 3}]}),
        "the text of its cell 1 is no text",
    ),
    "lines that are numbers": (
        as_bytes({"nbformat": 4, "cells": [{"cell_type": "code", "source": [3]}]}),
        "the text of its cell 1 is no text",
    ),
}


@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_a_reason(content, says):
    assert says in reason(content)


def test_a_notebook_is_its_cells():
    read = parse_submitted_notebook(as_bytes(small_solution()))
    assert [cell.id for cell in read.cells][:2] == ["title", "imports"]
    assert read.cells[5].metadata["id"] == "scaled_scores"
    assert read.repairs == ()


def test_a_byte_order_mark_is_no_fault():
    read = parse_submitted_notebook(b"\xef\xbb\xbf" + as_bytes(small_solution()))
    assert len(read.cells) == 9
    assert read.repairs == ("the file began with a byte order mark",)


def test_ids_may_be_missing_or_stand_where_colab_puts_them():
    old = cell("code", "x", "1")
    del old["id"]
    colab = {**old, "metadata": {"id": "AbC"}}
    odd = {"cell_type": "markdown", "source": "text", "metadata": None, "id": 7}
    read = parse_submitted_notebook(as_bytes({"nbformat": 4, "cells": [old, colab, odd]}))
    assert [cell.id for cell in read.cells] == ["", "AbC", ""]


def test_a_file_is_read_but_no_link_folder_or_pipe(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_bytes(as_bytes(small_solution()))
    assert len(read_submitted_notebook(path).cells) == 9
    link = tmp_path / "b.ipynb"
    link.symlink_to(path)
    with pytest.raises(Unreadable, match="it is a link to another file"):
        read_submitted_notebook(link)
    with pytest.raises(Unreadable, match="not a file|cannot be opened"):
        read_submitted_notebook(tmp_path)
    with pytest.raises(Unreadable, match="it cannot be opened: No such file"):
        read_submitted_notebook(tmp_path / "c.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    with pytest.raises(Unreadable, match="it is not a file"):
        read_submitted_notebook(tmp_path / "pipe.ipynb")


def test_what_a_notebook_shows_is_left_out_without_parsing_it():
    def with_outputs(outputs: object) -> dict:
        cell = {"cell_type": "code", "source": 'x = "outputs\\": [" + \'{\'', "outputs": outputs}
        return {"widgets": {"a": outputs} if outputs else {}, "cells": [cell], "z": ["outputs", 1]}

    shown = [{"data": {"image/png": "A" * 99, "text/html": '"]}[{\\"'}}, [[]], {}]
    stripped = strip_outputs(json.dumps(with_outputs(shown)).encode())
    assert json.loads(stripped) == with_outputs([])
    for broken in (b'{"outputs": [', b'{"outputs": ["', b'{"outputs": [1, 2', b""):
        assert strip_outputs(broken) == broken


def test_a_file_of_any_size_is_not_read(tmp_path):
    path = tmp_path / "a.ipynb"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(Unreadable, match="larger than 20 MB without its outputs"):
        read_submitted_notebook(path)
