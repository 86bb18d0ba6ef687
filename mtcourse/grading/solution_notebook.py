"""A solution notebook, the only source of its exercises, and what can be wrong with it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.claims import claims
from mtcourse.errors import MtcourseError

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
ROLES = ("given", "hint", "answer", "check", "hidden")
KINDS = ("implement", "predict", "derive", "debug", "measure", "read")
NUMBERS = {"points": range(1, 11), "difficulty": range(1, 4), "minutes": range(1, 91)}


@dataclass(frozen=True)
class Cell:
    """One cell of a notebook.

    Args:
        number: its place, from 1.
        id: the notebook's id of it.
        kind: "code", "markdown" or "raw".
        text: what stands in it.
        told: its metadata under ``mtcourse``.
    """

    number: int
    id: str
    kind: str
    text: str
    told: Mapping[str, Any]

    @property
    def role(self) -> str:
        """What the cell is for: one of ``ROLES``."""
        return self.told.get("role", "")

    @property
    def exercise(self) -> str:
        """The exercise that the cell belongs to, or nothing."""
        return self.told.get("id" if self.role == "answer" else "for", "")


@dataclass(frozen=True)
class Asked:
    """One exercise as its notebook states it.

    Args:
        id: the name of what is asked for.
        kind: one of ``KINDS``.
        points: what a right answer earns.
        difficulty: from 1 to 3.
        minutes: that it takes.
        claims: the statements of the documents that it practises.
    """

    id: str
    kind: str
    points: int
    difficulty: int
    minutes: int
    claims: tuple[str, ...]


def read_notebook(path: Path | str) -> dict[str, Any]:
    """The notebook as JSON.

    Raises:
        MtcourseError: it is missing, not JSON, or no notebook of version 4.
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


def cells_of(notebook: Mapping[str, Any]) -> list[Cell]:
    """A notebook's cells in their order."""
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


def exercises_of(notebook: Mapping[str, Any]) -> list[Asked]:
    """The exercises of a notebook, in their order."""
    return [
        Asked(
            cell.told["id"],
            cell.told["kind"],
            cell.told["points"],
            cell.told["difficulty"],
            cell.told["minutes"],
            tuple(cell.told["claims"]),
        )
        for cell in cells_of(notebook)
        if cell.role == "answer"
    ]


def check_source(path: Path | str, notebook: Mapping[str, Any]) -> None:
    """Looks for whatever would make a broken exercise notebook.

    Raises:
        MtcourseError: a line for each fault: notebook, cell, what is wrong, and what to do.
    """
    cells = cells_of(notebook)
    faults = [
        f"{path}, cell {cell.number}: {fault}" for cell in cells for fault in _faults_of(cell)
    ]
    faults += [f"{path}, {fault}" for fault in _faults_between(cells)]
    if faults:
        raise MtcourseError("\n".join(faults))


def _faults_of(cell: Cell) -> Iterator[str]:
    """What is wrong within one cell."""
    if not cell.id:
        yield "it has no id: save the notebook as version 4.5"
    if cell.role not in ROLES:
        yield f"its role is {cell.role or 'missing'}: set mtcourse.role to one of {_list(ROLES)}"
    elif cell.role != "given" and not cell.exercise:
        key = "id" if cell.role == "answer" else "for"
        yield f"a cell of role {cell.role} belongs to an exercise: set mtcourse.{key} to its id"
    if cell.role == "answer":
        yield from _faults_of_answer(cell)
    if cell.role == "check" and f'check("{cell.exercise}", {cell.exercise})' not in cell.text:
        yield f'it checks something else: write check("{cell.exercise}", {cell.exercise})'


def _faults_of_answer(cell: Cell) -> Iterator[str]:
    """What is wrong with the region and the numbers of an answer cell."""
    name, lines = cell.exercise, [line.strip() for line in cell.text.splitlines()]
    marks = [line for line in lines if line in (BEGIN, END)]
    if not marks:
        yield f"answer {name} has no region: put {BEGIN} and {END} around the solution"
    elif marks != [BEGIN, END] * (len(marks) // 2):
        yield f"answer {name} has a region that is not closed: each {BEGIN} wants its {END}"
    if cell.told.get("kind") not in KINDS:
        yield f"answer {name} has no kind: set mtcourse.kind to one of {_list(KINDS)}"
    for key, allowed in NUMBERS.items():
        if cell.told.get(key) not in allowed:
            bounds = f"{allowed.start} to {allowed.stop - 1}"
            yield f"answer {name} has no {key}: set mtcourse.{key} to a number from {bounds}"
    if not cell.told.get("claims"):
        yield f'answer {name} names no claim: set mtcourse.claims, such as ["D01"]'
    for unknown in sorted(set(cell.told.get("claims", ())) - set(claims())):
        yield f"answer {name} names the claim {unknown}, which there is not: see claims.toml"


def _faults_between(cells: Sequence[Cell]) -> Iterator[str]:
    """What does not fit between cells."""
    for key, count in Counter(cell.id for cell in cells if cell.id).items():
        if count > 1:
            numbers = [cell.number for cell in cells if cell.id == key]
            yield f"cells {_list(numbers)}: the id {key} stands {count} times: give each its own"
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


def _list(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))
