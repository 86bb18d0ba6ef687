"""Moves a learner's work into a newer release of the same exercise notebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import is_untouched, serialize_notebook
from mtcourse.grading.merge import MergedNotebook, merge_submission
from mtcourse.grading.solution_notebook import Cell, read_cells, read_cohort, read_notebook
from mtcourse.grading.submitted_notebook import (
    SubmittedNotebook,
    Unreadable,
    read_submitted_notebook,
)


def renew_notebook(old: Path, new: Path) -> str:
    """Puts the answers and the added cells of one notebook into another, which is saved.

    Args:
        old: in which the learner has worked; it stays as it is.
        new: the newer release, untouched.

    Returns:
        what was moved, and what was not, for the learner.

    Raises:
        MtcourseError: one of them cannot be read, has another class's numbers, or has other
            exercises; or somebody has worked in the newer one already.
    """
    notebook = read_notebook(new)
    cells = read_cells(notebook)
    try:
        submission = read_submitted_notebook(old)
    except Unreadable as error:
        raise MtcourseError(f"{old}: {error}") from error
    if begun := [c.exercise for c in cells if c.role == "answer" and not is_untouched(c)]:
        raise MtcourseError(f"{new} has answers already ({', '.join(begun)}): nothing was changed")
    if submission.cohort != read_cohort(notebook):
        raise MtcourseError(f"{old} and {new} have the numbers of different classes")
    merged = merge_submission(cells, submission)
    answers = answers_of(merged, submission)
    if not answers:
        raise MtcourseError(f"no answer in {old} belongs to an exercise of {new}")
    moved = []
    own = own_cells(cells, submission, merged)
    for cell, given in zip(cells, notebook["cells"], strict=True):
        answer = answers.get(cell.exercise) if cell.role == "answer" else None
        moved += [given if answer is None else {**given, "source": answer}, *own[cell.id]]
    moved = [*own[""], *moved]
    new.write_text(serialize_notebook({**notebook, "cells": moved}), encoding="utf-8")
    names = [cell.exercise for cell in cells if cell.role == "answer"]
    said = (
        f"{new} now has {len(answers)} of {len(names)} answers and the cells that you added "
        f"({sum(map(len, own.values()))}); {old} stays as it is"
    )
    left = [name for name in names if name not in answers]
    return "\n".join([said, *([f"still open: {', '.join(left)}"] if left else []), *merged.repairs])


def answers_of(merged: MergedNotebook, submission: SubmittedNotebook) -> dict[str, str]:
    """The answers that were begun, by exercise: a new release may have other stubs."""
    by_number = {cell.number: cell for cell in submission.cells}
    chosen = {name: by_number[number] for name, number in merged.cell_numbers.items()}
    begun = {name for name, cell in chosen.items() if not is_untouched(cell)}
    return {
        c.exercise: c.source for c in merged.cells if c.role == "answer" and c.exercise in begun
    }


def own_cells(
    cells: list[Cell], submission: SubmittedNotebook, merged: MergedNotebook
) -> Mapping[str, list[dict[str, Any]]]:
    """The cells that the learner added, by the id of the given cell that they stood behind."""
    known = {cell.id for cell in cells}
    texts = {" ".join(cell.text.split()) for cell in cells}
    added = {cell.id: cell.source for cell in merged.cells if cell.role == "added"}
    own: dict[str, list[dict[str, Any]]] = defaultdict(list)
    behind = ""
    for cell in submission.cells:
        name = cell.id or f"cell-{cell.number}"
        is_note = cell.kind == "markdown" and not cell.role and cell.text.strip() != ""
        if cell.id in known:
            behind = cell.id
            if imports := added.get(f"{cell.id}-imports"):
                own[behind].append(_cell(f"{cell.id}-imports", "code", imports))
        elif name in added:
            own[behind].append(_cell(name, "code", added[name]))
        elif is_note and " ".join(cell.text.split()) not in texts:
            own[behind].append(_cell(name, "markdown", cell.text))
    return own


def _cell(identity: str, kind: str, text: str) -> dict[str, Any]:
    code = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "id": identity, "metadata": {}, "source": text, **code}
