"""Solution notebooks, the only source of the exercises, and the faults that they can have."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.claims import claims
from mtcourse.errors import MtcourseError

BEGIN_SOLUTION, END_SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
ROLES = ("given", "hint", "answer", "check", "hidden")
KINDS = ("implement", "predict", "derive", "debug", "measure", "read")
ALLOWED_NUMBERS = {"points": range(1, 11), "difficulty": range(1, 4), "minutes": range(1, 91)}


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook.

    Args:
        number: its position, from 1.
        id: its cell id in the notebook.
        kind: "code", "markdown" or "raw".
        text: its source.
        metadata: its metadata under ``mtcourse``.
    """

    number: int
    id: str
    kind: str
    text: str
    metadata: Mapping[str, Any]

    @property
    def role(self) -> str:
        """The purpose of the cell, one of ``ROLES``."""
        return self.metadata.get("role", "")

    @property
    def exercise(self) -> str:
        """The id of the exercise that the cell belongs to, or an empty string."""
        return self.metadata.get("id" if self.role == "answer" else "for", "")


@dataclass(frozen=True)
class ExerciseSpec:
    """One exercise as the solution notebook specifies it.

    Args:
        id: the name of the function or value that the learner writes.
        kind: one of ``KINDS``.
        points: the points for a right answer.
        difficulty: from 1 to 3.
        minutes: the expected time.
        claims: the claims of the documents that the exercise practises.
    """

    id: str
    kind: str
    points: int
    difficulty: int
    minutes: int
    claims: tuple[str, ...]


def read_notebook(path: Path | str) -> dict[str, Any]:
    """Reads a notebook as JSON.

    Raises:
        MtcourseError: the file is missing, is not JSON, or is not a notebook of version 4.
    """
    try:
        notebook = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise MtcourseError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise MtcourseError(f"{path} is not a notebook: {error}") from error
    if not isinstance(notebook, dict) or notebook.get("nbformat") != 4:
        raise MtcourseError(f"{path} is not a notebook of version 4: open it in Jupyter, save it")
    return notebook


def read_cells(notebook: Mapping[str, Any]) -> list[Cell]:
    """Returns the cells of a notebook in their order."""
    return [
        Cell(
            number,
            cell.get("id", ""),
            cell["cell_type"],
            "".join(cell["source"]),
            cell.get("metadata", {}).get("mtcourse", {}),
        )
        for number, cell in enumerate(notebook["cells"], start=1)
    ]


def read_cohort(notebook: Mapping[str, Any]) -> str:
    """Returns the cohort whose numbers a notebook has; empty for the published ones."""
    metadata = notebook.get("metadata")
    own = metadata.get("mtcourse") if isinstance(metadata, dict) else None
    cohort = own.get("cohort", "") if isinstance(own, dict) else ""
    return cohort if isinstance(cohort, str) else ""


def read_exercise_specs(notebook: Mapping[str, Any]) -> list[ExerciseSpec]:
    """Returns the exercises of a notebook in their order."""
    return [
        ExerciseSpec(
            cell.metadata["id"],
            cell.metadata["kind"],
            cell.metadata["points"],
            cell.metadata["difficulty"],
            cell.metadata["minutes"],
            tuple(cell.metadata["claims"]),
        )
        for cell in read_cells(notebook)
        if cell.role == "answer"
    ]


def check_solution_notebook(path: Path | str, notebook: Mapping[str, Any]) -> None:
    """Checks that a solution notebook makes a working exercise notebook.

    Raises:
        MtcourseError: a line for each fault: notebook, cell, what is wrong, and what to do.
    """
    cells = read_cells(notebook)
    faults = [
        f"{path}, cell {cell.number}: {fault}"
        for cell in cells
        for fault in _find_cell_faults(cell)
    ]
    faults += [f"{path}, {fault}" for fault in _find_notebook_faults(cells)]
    if faults:
        raise MtcourseError("\n".join(faults))


def _find_cell_faults(cell: Cell) -> Iterator[str]:
    """Yields the faults of a single cell."""
    if not cell.id:
        yield "it has no id: save the notebook as version 4.5"
    if cell.role not in ROLES:
        yield f"its role is {cell.role or 'missing'}: set mtcourse.role to one of {_join(ROLES)}"
    elif cell.role != "given" and not cell.exercise:
        key = "id" if cell.role == "answer" else "for"
        yield f"a cell of role {cell.role} belongs to an exercise: set mtcourse.{key} to its id"
    if cell.role == "answer":
        yield from _find_answer_faults(cell)
    if cell.role == "check" and f'check("{cell.exercise}", {cell.exercise})' not in cell.text:
        yield f'it checks something else: write check("{cell.exercise}", {cell.exercise})'


def _find_answer_faults(cell: Cell) -> Iterator[str]:
    """Yields the faults in the solution region and the metadata of an answer cell."""
    name, lines = cell.exercise, [line.strip() for line in cell.text.splitlines()]
    marks = [line for line in lines if line in (BEGIN_SOLUTION, END_SOLUTION)]
    if not marks:
        yield (
            f"answer {name} has no region: "
            f"put {BEGIN_SOLUTION} and {END_SOLUTION} around the solution"
        )
    elif marks != [BEGIN_SOLUTION, END_SOLUTION] * (len(marks) // 2):
        yield (
            f"answer {name} has a region that is not closed: "
            f"each {BEGIN_SOLUTION} wants its {END_SOLUTION}"
        )
    if cell.metadata.get("kind") not in KINDS:
        yield f"answer {name} has no kind: set mtcourse.kind to one of {_join(KINDS)}"
    for key, allowed in ALLOWED_NUMBERS.items():
        if cell.metadata.get(key) not in allowed:
            bounds = f"{allowed.start} to {allowed.stop - 1}"
            yield f"answer {name} has no {key}: set mtcourse.{key} to a number from {bounds}"
    if not cell.metadata.get("claims"):
        yield f'answer {name} names no claim: set mtcourse.claims, such as ["D01"]'
    for unknown in sorted(set(cell.metadata.get("claims", ())) - set(claims())):
        yield f"answer {name} names the claim {unknown}, which there is not: see claims.toml"


def _find_notebook_faults(cells: Sequence[Cell]) -> Iterator[str]:
    """Yields the faults that concern several cells."""
    for key, count in Counter(cell.id for cell in cells if cell.id).items():
        if count > 1:
            numbers = [cell.number for cell in cells if cell.id == key]
            yield f"cells {_join(numbers)}: the id {key} stands {count} times: give each its own"
    places = {role: [c for c in cells if c.role == role] for role in ROLES}
    answers = Counter(cell.exercise for cell in places["answer"])
    for cell in places["answer"]:
        if answers[cell.exercise] > 1:
            yield f"cell {cell.number}: the exercise {cell.exercise} is answered twice: rename one"
        if cell.exercise not in {check.exercise for check in places["check"]}:
            yield (
                f"cell {cell.number}: answer {cell.exercise} has no check: "
                f'add a cell of role check with "for": "{cell.exercise}"'
            )
    for cell in cells:
        if cell.role not in ("answer", "") and cell.exercise and cell.exercise not in answers:
            yield (
                f"cell {cell.number}: {cell.role} for {cell.exercise}, which has no answer: "
                "add the answer cell, or mend mtcourse.for"
            )


def _join(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
