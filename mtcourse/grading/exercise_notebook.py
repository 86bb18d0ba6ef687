"""Exercise notebooks from solution notebooks: regions become stubs, what gives away goes."""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.grading.solution_notebook import (
    BEGIN,
    END,
    Asked,
    Cell,
    cells_of,
    check_source,
    exercises_of,
    read_notebook,
)

HERE = "your answer goes here"
HINTS = ("a nudge", "the idea", "nearly the answer")
REPOSITORY = "https://github.com/mtcourse/mtcourse"
INSTALL = f"""# Colab only: gets the package. Elsewhere it is installed already.
import sys

if "google.colab" in sys.modules:
    %pip install -q "mtcourse @ git+{REPOSITORY}\""""
FIXED = {"deletable": False}
FIXED_TEXT = {"deletable": False, "editable": False}


def build(solutions: Path, exercises: Path, write: bool = True) -> list[Path]:
    """Writes an exercise notebook for each solution notebook of a folder.

    Args:
        solutions: where the sources are.
        exercises: where the exercise notebooks go.
        write: False only says which are out of step.

    Returns:
        the notebooks that were, or would be, written.

    Raises:
        MtcourseError: a source is faulty; nothing is written then.
    """
    texts = {
        exercises / source.name: exercise_text(source)
        for source in sorted(solutions.glob("*.ipynb"))
    }
    stale = [
        path
        for path, text in texts.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    if write:
        exercises.mkdir(exist_ok=True)
        for path in stale:
            path.write_text(texts[path], encoding="utf-8")
    return stale


def exercise_text(source: Path) -> str:
    """The exercise notebook of one solution notebook, to the byte."""
    notebook = read_notebook(source)
    check_source(source, notebook)
    return notebook_text(exercise_notebook(source, notebook))


def notebook_text(notebook: Mapping[str, Any]) -> str:
    """A notebook as it is stored: the same text for the same notebook."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def exercise_notebook(source: Path, notebook: Mapping[str, Any]) -> dict[str, Any]:
    """What a learner gets."""
    asked = {exercise.id: exercise for exercise in exercises_of(notebook)}
    install = {**_cell("install", "code", INSTALL), "metadata": {"mtcourse": {"role": "given"}}}
    cells = [install]
    hints = dict.fromkeys(asked, 0)
    headed: set[str] = set()
    for cell in cells_of(notebook):
        if cell.role == "hidden":
            continue
        text, fixed = cell.text, FIXED if cell.kind == "code" else FIXED_TEXT
        if cell.role == "answer":
            text = with_stubs(text)
        elif cell.role == "check":
            fixed = FIXED_TEXT
        elif cell.role == "hint":
            hints[cell.exercise] += 1
            text = _folded(text, hints[cell.exercise])
        elif cell.kind == "markdown" and cell.exercise and cell.exercise not in headed:
            headed.add(cell.exercise)
            text = _with_facts(text, asked[cell.exercise])
        elif cell.kind == "markdown" and cell.number == 1:
            text = _with_total(text, list(asked.values()))
        cells.append(_cell(cell.id, cell.kind, text, {**fixed, "mtcourse": dict(cell.told)}))
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "mtcourse": {"made_from": f"solutions/{source.name}"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(
    identity: str, kind: str, text: str, metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A cell without outputs."""
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": identity,
        "metadata": dict(metadata or {}),
        "source": text.splitlines(keepends=True),
    }
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def with_stubs(text: str) -> str:
    """Code with a stub for each solution region.

    In a function the stub raises NotImplementedError; at the left margin the names that the region
    assigns become ``...``.

    >>> print(with_stubs("x = 1\\n### BEGIN SOLUTION\\ny = 2\\n### END SOLUTION"))
    x = 1
    y = ...  # your answer goes here
    """
    kept: list[str] = []
    region: list[str] | None = None
    margin = ""
    for line in text.splitlines():
        mark = line.strip()
        if mark == BEGIN:
            region, margin = [], line[: len(line) - len(line.lstrip())]
        elif mark == END and region is not None:
            kept += _stub(region, margin)
            region = None
        elif region is None:
            kept.append(line)
        else:
            region.append(line)
    return "\n".join(kept)


def _stub(region: list[str], margin: str) -> list[str]:
    """What stands in the place of a region."""
    if margin:
        return [f'{margin}raise NotImplementedError("{HERE}")']
    names = [
        name.id
        for statement in ast.parse(textwrap.dedent("\n".join(region))).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    return [f"{name} = ...  # {HERE}" for name in names]


def is_untouched(cell: Cell) -> bool:
    """Whether an answer cell still holds its stub."""
    return HERE in cell.text


def _folded(text: str, number: int) -> str:
    """A hint that opens on a click."""
    grade = HINTS[min(number, len(HINTS)) - 1]
    return f"<details><summary>Hint {number}: {grade}</summary>\n\n{text}\n\n</details>"


def _with_facts(text: str, asked: Asked) -> str:
    """A question with what it takes and gives, under its heading."""
    stars = "●" * asked.difficulty + "○" * (3 - asked.difficulty)
    points = f"{asked.points} point{'s' * (asked.points > 1)}"
    facts = (
        f"*{asked.kind} · {stars} · about {asked.minutes} minutes · {points} · "
        f"{', '.join(asked.claims)}*"
    )
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{facts}\n\n{rest.lstrip()}".rstrip()


def _with_total(text: str, asked: list[Asked]) -> str:
    """The first cell with what the whole notebook takes and gives, under its title."""
    minutes, points = sum(a.minutes for a in asked), sum(a.points for a in asked)
    title, _, rest = text.partition("\n")
    total = f"*{len(asked)} exercises · about {minutes} minutes · {points} points*"
    return f"{title}\n\n{total}\n\n{rest.lstrip()}".rstrip()
