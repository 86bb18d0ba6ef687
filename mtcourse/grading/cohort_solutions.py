"""Makes the solutions of a cohort: the published ones, with other numbers.

They are a folder like ``solutions/``, and everything is made from them in the same way: the
learners' notebooks, a release, grades. So nbval compares their outputs as it does those of the
published ones.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.checks.banks import bank_of
from mtcourse.checks.cohort import find_confusion
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise, seed_of
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import serialize_notebook
from mtcourse.grading.run_notebook import store_outputs
from mtcourse.grading.solution_notebook import (
    check_solution_notebook,
    read_cells,
    read_cohort,
    read_notebook,
)
from mtcourse.grading.wire_format import encode_cases

_IMPORT = re.compile(r"^from mtcourse\.chapters\.\w+\.exercises import check$", re.MULTILINE)
_HEADING = re.compile(r"^#+ \d+\.", re.MULTILINE)
AS_PUBLISHED = "*The numbers of this reasoning are those of the published exercise.*\n\n"
NUMBERS, INPUTS, NOTHING = "other numbers", "other inputs", "nothing"
"""What varies in an exercise from cohort to cohort."""


@dataclass(frozen=True)
class Variation:
    """What varies in an exercise from cohort to cohort.

    Args:
        notebook: its notebook.
        exercise: its id.
        varies: ``NUMBERS`` in its text, ``INPUTS`` of its check alone, or ``NOTHING``.
    """

    notebook: str
    exercise: str
    varies: str


def list_variations(solutions: Path) -> list[Variation]:
    """Finds out what varies in each exercise from cohort to cohort."""
    return [
        Variation(path.stem, exercise.id, _find_what_varies(exercise))
        for path in sorted(solutions.glob("*.ipynb"))
        for exercise in bank_of(path.stem)
    ]


def _find_what_varies(exercise: Exercise) -> str:
    if exercise.versions:
        return NUMBERS
    one, other = (
        encode_cases(exercise.inputs(seed)) for seed in (PUBLIC_SEED + 1, PUBLIC_SEED + 2)
    )
    return INPUTS if one != other else NOTHING


def describe_variations(variations: Sequence[Variation]) -> str:
    """Describes what varies: how many exercises of each kind, and which."""
    lines = []
    for varies in (NUMBERS, INPUTS, NOTHING):
        own = [one for one in variations if one.varies == varies]
        lines.append(f"{len(own)} exercises vary in {varies}")
        if varies != INPUTS:
            lines += [f"  {one.notebook}: {one.exercise}" for one in own]
    return "\n".join(lines)


def write_cohort_solutions(
    solutions: Path, cohort: str, out: Path, tell: Callable[[str], None] = lambda _: None
) -> list[Path]:
    """Writes the solutions of a cohort into a new folder, proves them, and runs what has changed.

    For every exercise with the cohort's numbers and inputs, each known mistake is seen under its
    own name, and each right answer passes. Of an exercise with other numbers, every number in its
    question, its hints and its solution is known to vary or to stay.

    Args:
        solutions: the folder of the published solutions.
        cohort: the cohort's name, such as "2027".
        out: the folder to make.
        tell: is given a line on each notebook whose numbers are proved.

    Returns:
        the notebooks that were written.

    Raises:
        MtcourseError: the folder exists, the cohort cannot be told apart, or a text is not ready.
    """
    seed_of(cohort)
    if out.exists():
        raise MtcourseError(f"{out} is there already: name a new folder by --out")
    paths = sorted(solutions.glob("*.ipynb"))
    if not paths:
        raise MtcourseError(f"there are no solutions in {solutions}: name their folder")
    for number, path in enumerate(paths, 1):
        for exercise in bank_of(path.stem, cohort):
            if confusion := find_confusion(exercise):
                raise MtcourseError(
                    f"the cohort {cohort!r} cannot have {exercise.id} of {path.stem}: {confusion}; "
                    "take another name"
                )
        tell(f"{path.stem} is proved ({number} of {len(paths)})")
    making = out.with_name(f".{out.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    try:
        making.mkdir(parents=True)
        for path in paths:
            notebook = make_cohort_notebook(path, read_notebook(path), cohort)
            check_solution_notebook(path, notebook)
            (making / path.name).write_text(serialize_notebook(notebook), encoding="utf-8")
            if any(exercise.versions for exercise in bank_of(path.stem)):
                store_outputs(making / path.name)
                _check_verdicts(making / path.name)
        making.rename(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return sorted(out.glob("*.ipynb"))


def make_cohort_notebook(path: Path, notebook: Mapping[str, Any], cohort: str) -> dict[str, Any]:
    """Makes the solution notebook of a cohort, with the outputs of the published one.

    Raises:
        MtcourseError: nothing imports ``check``, or it is not said whether a number varies.
    """
    made: dict[str, Any] = deepcopy(dict(notebook))
    bank = {exercise.id: exercise for exercise in bank_of(path.stem)}
    asks_for = f"\ncheck = check.for_cohort({json.dumps(cohort)})"
    imported = False
    for cell, raw in zip(read_cells(notebook), made["cells"], strict=True):
        text, exercise = cell.text, bank.get(cell.exercise)
        if cell.kind == "code" and cell.role == "given" and _IMPORT.search(text):
            text = text.rstrip() + asks_for
            imported = True
        if exercise is not None and exercise.versions:
            is_code = cell.kind == "code" and cell.role != "answer"
            unknown = [] if is_code else exercise.versions.unknown(_HEADING.sub("", text))
            if unknown and cell.role != "hidden":
                raise MtcourseError(
                    f"{path}, cell {cell.number}: {', '.join(unknown)} stands there, and the texts "
                    f"of {exercise.id} do not say whether it varies"
                )
            rewritten = exercise.versions.rewrite(text, cohort)
            text = AS_PUBLISHED + text if unknown else rewritten
        raw["source"] = text.splitlines(keepends=True)
    if not imported:
        raise MtcourseError(f"{path}: no given cell imports check from the chapter's exercises")
    versions = {name: one.versions for name, one in bank.items() if one.versions}
    made["metadata"] = {
        **made.get("metadata", {}),
        "mtcourse": {
            **made.get("metadata", {}).get("mtcourse", {}),
            "cohort": cohort,
            "numbers": {name: one.numbers_of(cohort) for name, one in versions.items()},
        },
    }
    return made


def _check_verdicts(path: Path) -> None:
    """Checks that all checks of a solution that has been run are content."""
    notebook = read_notebook(path)
    for cell, raw in zip(read_cells(notebook), notebook["cells"], strict=True):
        if cell.role == "check" and "All of it is right." not in json.dumps(raw["outputs"]):
            raise MtcourseError(
                f"{path.name}, cell {cell.number}: with the cohort's numbers the solution of "
                f"{cell.exercise} is wrong: do its texts name all that varies?"
            )


def check_numbers(path: Path, notebook: Mapping[str, Any]) -> None:
    """Checks that the numbers of a cohort's solution are those that its checks draw today.

    Raises:
        MtcourseError: the banks have changed since it was written.
    """
    cohort = read_cohort(notebook)
    if not cohort:
        return
    written = notebook["metadata"]["mtcourse"].get("numbers", {})
    drawn = {
        exercise.id: exercise.versions.numbers_of(cohort)
        for exercise in bank_of(path.stem)
        if exercise.versions
    }
    if json.loads(json.dumps(drawn)) != written:
        raise MtcourseError(
            f"{path} has other numbers of the cohort {cohort} than its checks: grade with the "
            "edition of mtcourse that wrote it"
        )
