"""Runs notebooks: solutions to store their outputs, exercises to read their verdicts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtcourse.checks.checker import VERDICT
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import is_untouched, serialize_notebook
from mtcourse.grading.solution_notebook import (
    ExerciseSpec,
    read_cells,
    read_exercise_specs,
    read_notebook,
)
from mtcourse.grading.wire_format import format_error

CELL_TIMEOUT = 120


@dataclass(frozen=True)
class ExerciseProgress:
    """A learner's progress on one exercise.

    Args:
        spec: the exercise.
        state: "done", "wrong", "open" or "stopped".
        report: the report of the check, or the exercise and what stopped it.
    """

    spec: ExerciseSpec
    state: str
    report: str = ""


def store_outputs(path: Path) -> None:
    """Runs a solution notebook and stores its outputs in it, without times.

    Raises:
        MtcourseError: a cell failed; the file is not changed.
    """
    notebook = run_notebook(path, read_notebook(path))
    for number, cell in enumerate(notebook["cells"], start=1):
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error":
                raise MtcourseError(
                    f"{path}, cell {number} failed with {output['ename']}: {output['evalue']}"
                )
    path.write_text(serialize_notebook(notebook), encoding="utf-8")


def run_exercises(path: Path) -> list[ExerciseProgress]:
    """Runs a learner's notebook, and returns the progress on each exercise.

    The file is not changed, and a notebook without any answer is not run.

    Raises:
        MtcourseError: it is not an exercise notebook.
    """
    notebook = read_notebook(path)
    specs = read_exercise_specs(notebook)
    if not specs:
        raise MtcourseError(f"{path} has no exercises: give a notebook of exercises/")
    answers = {cell.exercise: cell for cell in read_cells(notebook) if cell.role == "answer"}
    if all(is_untouched(cell) for cell in answers.values()):
        return [ExerciseProgress(exercise, "open") for exercise in specs]
    try:
        notebook = run_notebook(path, notebook)
    except MtcourseError as error:
        return [_stopped_progress(exercise, str(error)) for exercise in specs]
    checks = {
        metadata["for"]: cell
        for cell in notebook["cells"]
        if (metadata := cell["metadata"].get("mtcourse", {})).get("role") == "check"
    }
    return [_read_progress(exercise, checks.get(exercise.id)) for exercise in specs]


def _read_progress(spec: ExerciseSpec, check: Mapping[str, Any] | None) -> ExerciseProgress:
    """Reads the verdict from the outputs of a check cell."""
    if check is None:
        return _stopped_progress(spec, "its check cell is gone: take it from the first notebook")
    for output in check["outputs"]:
        verdict = output.get("data", {}).get(VERDICT)
        if verdict:
            state = "done" if verdict["passed"] else "wrong" if verdict["answered"] else "open"
            return ExerciseProgress(spec, state, "".join(output["data"]["text/plain"]))
        if output["output_type"] == "error":
            return _stopped_progress(spec, format_error(output["ename"], output["evalue"]))
    return _stopped_progress(spec, "its check said nothing: does it still call check(…)?")


def _stopped_progress(spec: ExerciseSpec, why: str) -> ExerciseProgress:
    return ExerciseProgress(spec, "stopped", f"{spec.id}\n  ! {why}")


def run_notebook(path: Path, notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Runs all cells of a notebook, even after one fails, and returns it with their outputs."""
    # nbformat would import a slow validator that is not needed.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    client = NotebookClient(
        nbformat.reads(json.dumps(notebook), as_version=4),
        timeout=CELL_TIMEOUT,
        interrupt_on_timeout=True,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,  # otherwise printed lines are split at random
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        # The kernel warns on standard error that it listens on the loopback address.
        executed = client.execute(stderr=subprocess.DEVNULL)
    except DeadKernelError as error:
        raise MtcourseError(
            f"{path}: Python ended while the notebook ran: does a cell end it, or take all memory?"
        ) from error
    return json.loads(nbformat.writes(executed))
