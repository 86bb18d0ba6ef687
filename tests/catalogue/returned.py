"""Notebooks as learners hand them in: made from those that are handed out."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.grading.exercise_notebook import render_exercise_notebook
from mtcourse.grading.solution_notebook import (
    BEGIN_SOLUTION,
    END_SOLUTION,
    read_cells,
    read_exercise_specs,
    read_notebook,
)

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"


@functools.cache
def solution(notebook: str) -> bytes:
    """The instructor's notebook as it lies in ``solutions/``."""
    return (SOLUTIONS / f"{notebook}.ipynb").read_bytes()


@functools.cache
def right_answers(notebook: str) -> Mapping[str, str]:
    """What stands in the answer cells of the solution, without the marks around it."""
    cells = read_cells(read_notebook(SOLUTIONS / f"{notebook}.ipynb"))
    return {
        cell.exercise: "\n".join(
            line
            for line in cell.text.splitlines()
            if line.strip() not in (BEGIN_SOLUTION, END_SOLUTION)
        )
        for cell in cells
        if cell.role == "answer"
    }


def points_of(notebook: str) -> Mapping[str, int]:
    """What each exercise is worth, in the order of the notebook."""
    asked = read_exercise_specs(read_notebook(SOLUTIONS / f"{notebook}.ipynb"))
    return {exercise.id: exercise.points for exercise in asked}


@functools.cache
def _handed_out(notebook: str) -> str:
    return render_exercise_notebook(SOLUTIONS / f"{notebook}.ipynb")


def handed_out(notebook: str) -> dict[str, Any]:
    """The notebook that learners get, without an answer; each call gives a new one."""
    return json.loads(_handed_out(notebook))


def completed(notebook: str, answers: Mapping[str, str]) -> dict[str, Any]:
    """The notebook with these answers, and the right ones to all other exercises."""
    returned = handed_out(notebook)
    for name, text in {**right_answers(notebook), **answers}.items():
        answer_cell(returned, name)["source"] = text
    return returned


def answer_cell(notebook: Mapping[str, Any], exercise: str) -> dict[str, Any]:
    """The cell that answers an exercise."""
    return _only(cell for cell in notebook["cells"] if told(cell).get("id") == exercise)


def check_cell(notebook: Mapping[str, Any], exercise: str) -> dict[str, Any]:
    """The cell that checks an exercise."""
    cells = (cell for cell in notebook["cells"] if told(cell).get("role") == "check")
    return _only(cell for cell in cells if told(cell)["for"] == exercise)


def cell_with_id(notebook: Mapping[str, Any], identity: str) -> dict[str, Any]:
    """The cell that has this id."""
    return _only(cell for cell in notebook["cells"] if cell.get("id") == identity)


def told(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    """A cell's metadata under ``mtcourse``."""
    return cell["metadata"].get("mtcourse", {})


def _only(cells: Any) -> dict[str, Any]:
    (cell,) = cells
    return cell


def add_cell(
    notebook: dict[str, Any], source: str, before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Puts a code cell of the learner's own in front of another, or at the end."""
    cells = notebook["cells"]
    place = len(cells) if before is None else next(i for i, c in enumerate(cells) if c is before)
    cell = {
        "cell_type": "code",
        "id": f"own-{len(cells)}",
        "metadata": {},
        "source": source,
        "execution_count": None,
        "outputs": [],
    }
    cells.insert(place, cell)
    return cell


def as_bytes(notebook: Any) -> bytes:
    """A notebook as Jupyter saves it."""
    return json.dumps(notebook, ensure_ascii=True, indent=1).encode()
