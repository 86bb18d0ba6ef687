"""Makes exercise notebooks from solution notebooks: stubs replace solutions."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.grading.solution_notebook import (
    BEGIN_SOLUTION,
    END_SOLUTION,
    Cell,
    ExerciseSpec,
    check_solution_notebook,
    read_cells,
    read_cohort,
    read_exercise_specs,
    read_notebook,
)
from mtcourse.repository import repository_address

STUB_TEXT = "your answer goes here"
HINT_LEVELS = ("a nudge", "the idea", "nearly the answer")
_INSTALL = """# Colab only: gets the package. Elsewhere it is installed already.
import sys

if "google.colab" in sys.modules:
    %pip install -q {package}"""
_PACKAGE = re.compile(r"(?<=%pip install -q )(?:\./mtcourse|\"mtcourse @ git\+[^\"\s]+\")")
LOCKED_CODE = {"deletable": False}
LOCKED_TEXT = {"deletable": False, "editable": False}


def write_exercise_notebooks(solutions: Path, exercises: Path, write: bool = True) -> list[Path]:
    """Writes an exercise notebook for each solution notebook of a folder.

    Args:
        solutions: the folder of the solution notebooks.
        exercises: the folder of the exercise notebooks.
        write: with False nothing is written, and the outdated notebooks are only listed.

    Returns:
        the notebooks that were, or would be, written.

    Raises:
        MtcourseError: a solution notebook is faulty; then nothing is written.
    """
    texts = {
        exercises / source.name: render_exercise_notebook(source)
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


def render_exercise_notebook(source: Path) -> str:
    """Returns the exercise notebook of a solution notebook as text, the same bytes every time."""
    notebook = read_notebook(source)
    check_solution_notebook(source, notebook)
    return serialize_notebook(make_exercise_notebook(source, notebook, repository_address(source)))


def serialize_notebook(notebook: Mapping[str, Any]) -> str:
    """Returns a notebook as the text of its file: equal notebooks give equal text."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def install_cell(address: str | None) -> str:
    """The first cell of a notebook: what installs the package in Colab.

    Args:
        address: of the course's repository. Without one, the course's folder has to be beside the
            notebook.
    """
    return _INSTALL.format(package=f'"mtcourse @ git+{address}"' if address else "./mtcourse")


def without_address(text: str) -> str:
    """A cell without the place that it installs the package from, which copies need not share."""
    return _PACKAGE.sub("", text)


def make_exercise_notebook(
    source: Path, notebook: Mapping[str, Any], address: str | None = None
) -> dict[str, Any]:
    """Makes the notebook that learners get.

    Args:
        source: the file of the solution notebook, for messages.
        notebook: what it holds.
        address: of the course's repository, if it has one.
    """
    specs = {exercise.id: exercise for exercise in read_exercise_specs(notebook)}
    install = {
        **_make_cell("install", "code", install_cell(address)),
        "metadata": {"mtcourse": {"role": "given"}},
    }
    cohort = {"cohort": read_cohort(notebook)} if read_cohort(notebook) else {}
    cells = [install]
    hints = dict.fromkeys(specs, 0)
    with_facts: set[str] = set()
    for cell in read_cells(notebook):
        if cell.role == "hidden":
            continue
        text, locked = cell.text, LOCKED_CODE if cell.kind == "code" else LOCKED_TEXT
        if cell.role == "answer":
            text = clear_solutions(text)
        elif cell.role == "check":
            locked = LOCKED_TEXT
        elif cell.role == "hint":
            hints[cell.exercise] += 1
            text = _fold_hint(text, hints[cell.exercise])
        elif cell.kind == "markdown" and cell.exercise and cell.exercise not in with_facts:
            with_facts.add(cell.exercise)
            text = _add_facts(text, specs[cell.exercise])
        elif cell.kind == "markdown" and cell.number == 1:
            text = _add_total(text, list(specs.values()))
        cells.append(
            _make_cell(cell.id, cell.kind, text, {**locked, "mtcourse": dict(cell.metadata)})
        )
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "mtcourse": {"made_from": f"solutions/{source.name}", **cohort},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _make_cell(
    identity: str, kind: str, text: str, metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Makes a cell without outputs."""
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": identity,
        "metadata": dict(metadata or {}),
        "source": text.splitlines(keepends=True),
    }
    return {**cell, "execution_count": None, "outputs": []} if kind == "code" else cell


def clear_solutions(text: str) -> str:
    """Replaces each solution region of some code by a stub.

    Inside a function the stub raises NotImplementedError; at the left margin the names that the
    region assigns become ``...``.

    >>> print(clear_solutions("x = 1\\n### BEGIN SOLUTION\\ny = 2\\n### END SOLUTION"))
    x = 1
    y = ...  # your answer goes here
    """
    kept: list[str] = []
    region: list[str] | None = None
    margin = ""
    for line in text.splitlines():
        mark = line.strip()
        if mark == BEGIN_SOLUTION:
            region, margin = [], line[: len(line) - len(line.lstrip())]
        elif mark == END_SOLUTION and region is not None:
            kept += _make_stub(region, margin)
            region = None
        elif region is None:
            kept.append(line)
        else:
            region.append(line)
    return "\n".join(kept)


def _make_stub(region: list[str], margin: str) -> list[str]:
    """Returns the lines that replace a region."""
    if margin:
        return [f'{margin}raise NotImplementedError("{STUB_TEXT}")']
    names = [
        name.id
        for statement in ast.parse(textwrap.dedent("\n".join(region))).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    ]
    return [f"{name} = ...  # {STUB_TEXT}" for name in names]


def is_untouched(cell: Cell) -> bool:
    """Whether an answer cell still contains its stub."""
    return STUB_TEXT in cell.text


def _fold_hint(text: str, number: int) -> str:
    """Puts a hint into an element that opens on a click."""
    level = HINT_LEVELS[min(number, len(HINT_LEVELS)) - 1]
    return f"<details><summary>Hint {number}: {level}</summary>\n\n{text}\n\n</details>"


def _add_facts(text: str, spec: ExerciseSpec) -> str:
    """Adds kind, difficulty, time and points of an exercise below the heading of its question."""
    stars = "●" * spec.difficulty + "○" * (3 - spec.difficulty)
    points = f"{spec.points} point{'s' * (spec.points > 1)}"
    facts = (
        f"*{spec.kind} · {stars} · about {spec.minutes} minutes · {points} · "
        f"{', '.join(spec.claims)}*"
    )
    heading, _, rest = text.partition("\n")
    return f"{heading}\n\n{facts}\n\n{rest.lstrip()}".rstrip()


def _add_total(text: str, specs: list[ExerciseSpec]) -> str:
    """Adds the time and the points of all exercises below the title of the notebook."""
    minutes, points = sum(a.minutes for a in specs), sum(a.points for a in specs)
    title, _, rest = text.partition("\n")
    total = f"*{len(specs)} exercises · about {minutes} minutes · {points} points*"
    return f"{title}\n\n{total}\n\n{rest.lstrip()}".rstrip()
