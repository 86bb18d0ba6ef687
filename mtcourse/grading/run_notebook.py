"""Notebooks run in a kernel: a solution to store its outputs, an exercise to hear its verdicts."""

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
from mtcourse.grading.exercise_notebook import is_untouched, notebook_text
from mtcourse.grading.solution_notebook import Asked, cells_of, exercises_of, read_notebook
from mtcourse.grading.wire_format import error_in_words

SECONDS_A_CELL = 120


@dataclass(frozen=True)
class Result:
    """How an exercise stands.

    Args:
        asked: the exercise.
        state: "done", "wrong", "open" or "stopped".
        report: what the check said, or the exercise and what stopped it.
    """

    asked: Asked
    state: str
    report: str = ""


def store_outputs(path: Path) -> None:
    """Runs a solution notebook and keeps its outputs in it, without times.

    Raises:
        MtcourseError: a cell failed; the file stays as it was.
    """
    notebook = run_notebook(path, read_notebook(path))
    for number, cell in enumerate(notebook["cells"], start=1):
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error":
                raise MtcourseError(
                    f"{path}, cell {number} failed with {output['ename']}: {output['evalue']}"
                )
    path.write_text(notebook_text(notebook), encoding="utf-8")


def results_of(path: Path) -> list[Result]:
    """Runs a learner's notebook, without changing it, and says how each exercise stands.

    A notebook without any answer is not run.

    Raises:
        MtcourseError: it is no exercise notebook.
    """
    notebook = read_notebook(path)
    asked = exercises_of(notebook)
    if not asked:
        raise MtcourseError(f"{path} has no exercises: give a notebook of exercises/")
    answers = {cell.exercise: cell for cell in cells_of(notebook) if cell.role == "answer"}
    if all(is_untouched(cell) for cell in answers.values()):
        return [Result(exercise, "open") for exercise in asked]
    try:
        notebook = run_notebook(path, notebook)
    except MtcourseError as error:
        return [_stopped(exercise, str(error)) for exercise in asked]
    checks = {
        told["for"]: cell
        for cell in notebook["cells"]
        if (told := cell["metadata"].get("mtcourse", {})).get("role") == "check"
    }
    return [_result(exercise, checks.get(exercise.id)) for exercise in asked]


def _result(asked: Asked, check: Mapping[str, Any] | None) -> Result:
    """What the outputs of a check cell say."""
    if check is None:
        return _stopped(asked, "its check cell is gone: take it from the first notebook")
    for output in check["outputs"]:
        verdict = output.get("data", {}).get(VERDICT)
        if verdict:
            state = "done" if verdict["passed"] else "wrong" if verdict["answered"] else "open"
            return Result(asked, state, "".join(output["data"]["text/plain"]))
        if output["output_type"] == "error":
            return _stopped(asked, error_in_words(output["ename"], output["evalue"]))
    return _stopped(asked, "its check said nothing: does it still call check(…)?")


def _stopped(asked: Asked, why: str) -> Result:
    return Result(asked, "stopped", f"{asked.id}\n  ! {why}")


def run_notebook(path: Path, notebook: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook after all of its cells ran, those that fail included."""
    # nbformat would import a validator that takes seconds, and does not need it.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    client = NotebookClient(
        nbformat.reads(json.dumps(notebook), as_version=4),
        timeout=SECONDS_A_CELL,
        interrupt_on_timeout=True,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,  # else printed lines would be split as they happen to arrive
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        # A kernel warns on its own standard error that it listens on the loopback address.
        executed = client.execute(stderr=subprocess.DEVNULL)
    except DeadKernelError as error:
        raise MtcourseError(
            f"{path}: Python ended while the notebook ran: does a cell end it, or take all memory?"
        ) from error
    return json.loads(nbformat.writes(executed))
