"""Explorers' JavaScript, run by node: what the reader's browser runs, held to Python's numbers."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mtcourse
from mtcourse.figures.explorer import module

LONGEST = 300_000
"""Characters that an explorer may add to its page."""
NO_JSON = "number that JSON lacks"


def script_of(word: str) -> Path:
    """The script of a chapter's explorer."""
    return Path(mtcourse.__path__[0], "chapters", word, "explorer.js")


def computed(word: str, expression: str, **given: Any) -> Any:
    """The value of an expression in the scope of an explorer's module.

    JSON has no NaN and no infinity, JavaScript has: they go in as they are, and come out as floats.

    Args:
        word: of the chapter.
        expression: in JavaScript.
        given: constants that it may name.
    """
    return evaluated(script_of(word), expression, **given)


def evaluated(script: Path, expression: str, **given: Any) -> Any:
    """The value of an expression in the scope of a module and of what it imports.

    Args:
        script: the module's file.
        expression: in JavaScript; it may read files by ``readFileSync``.
        given: constants that it may name.
    """
    constants = "".join(f"const {key} = {json.dumps(value)};" for key, value in given.items())
    asked = f"(() => {{ {constants} return {expression}; }})()"
    named = (
        f"(_, x) => typeof x === 'number' && !Number.isFinite(x) ? {{ '{NO_JSON}': String(x) }} : x"
    )
    script = (
        f'import {{ readFileSync }} from "node:fs";\n{module(script)}\n'
        f"console.log(JSON.stringify({asked}, {named}))"
    )
    return json.loads(printed_by_node(script), object_hook=number_or_object)


def number_or_object(it: dict[str, Any]) -> Any:
    """What an object of JSON stands for: itself, or a number that JSON lacks. A text is a text."""
    return float(it[NO_JSON]) if it.keys() == {NO_JSON} else it


def printed_by_node(script: str) -> str:
    """What a module prints that node runs; the test skips where node is not installed."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed: JavaScript's numbers are not compared with Python's")
    # Node that compiles in threads of its own may wait for ever when it ends:
    # https://github.com/nodejs/node/issues/54918
    command = [program, "--single-threaded", "--input-type=module"]
    done = subprocess.run(command, input=script, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
