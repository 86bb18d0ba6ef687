"""Tables of a learner's progress: the exercises of one notebook, or the notebooks of a folder."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from mtcourse.errors import MtcourseError
from mtcourse.grading.run_notebook import ExerciseProgress

SIGNS = {"done": "✓ done", "wrong": "✗ not yet right", "open": "· open", "stopped": "! stopped"}


def wrap_report(report: str, width: int) -> str:
    """Wraps a check's report to a width; continued lines are indented."""
    lines = []
    for line in report.splitlines():
        margin = len(line) - len(line.lstrip(" "))
        lines += textwrap.wrap(line, width, subsequent_indent=" " * (margin + 2)) or [""]
    return "\n".join(lines)


def find_notebooks(paths: Sequence[Path]) -> list[Path]:
    """Returns the given notebooks, and those in the given folders.

    Raises:
        MtcourseError: a path is neither a notebook nor a folder, or there is no notebook at all.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            found += sorted(path.glob("*.ipynb"))
        elif path.suffix == ".ipynb":
            found.append(path)
        else:
            raise MtcourseError(f"{path} is neither a notebook nor a folder of notebooks")
    if not found:
        raise MtcourseError(f"there is no notebook in {', '.join(map(str, paths))}")
    return found


def notebook_table(path: Path, results: Sequence[ExerciseProgress]) -> Table:
    """Makes a table of the exercises of one notebook, with their states and points."""
    table = Table(title=path.name, show_footer=True, title_justify="left")
    got, total = sum_points(results)
    table.add_column("exercise", footer="together")
    table.add_column("points", footer=f"{got} of {total}", justify="right")
    table.add_column("state", footer=find_next_exercise(results))
    for result in results:
        earned = result.spec.points if result.state == "done" else 0
        table.add_row(result.spec.id, f"{earned} of {result.spec.points}", SIGNS[result.state])
    return table


def folder_table(results_by_notebook: Mapping[Path, Sequence[ExerciseProgress]]) -> Table:
    """Makes a table of several notebooks, with points, finished exercises, and what to do next."""
    table = Table(title="Your exercises", show_footer=True, title_justify="left")
    everything = [result for results in results_by_notebook.values() for result in results]
    got, total = sum_points(everything)
    table.add_column("notebook", footer="together")
    table.add_column("done", footer=_count_done(everything), justify="right")
    table.add_column("points", footer=f"{got} of {total}", justify="right")
    table.add_column("next", footer=find_next_exercise(everything))
    for path, results in results_by_notebook.items():
        got, total = sum_points(results)
        table.add_row(
            path.stem, _count_done(results), f"{got} of {total}", find_next_exercise(results)
        )
    return table


def sum_points(results: Sequence[ExerciseProgress]) -> tuple[int, int]:
    """Returns the points that were earned, and all points that can be."""
    earned = sum(result.spec.points for result in results if result.state == "done")
    return earned, sum(result.spec.points for result in results)


def find_next_exercise(results: Sequence[ExerciseProgress]) -> str:
    """Returns the first exercise that is begun but not right, or else the first open one."""
    for states in (("wrong", "stopped"), ("open",)):
        for result in results:
            if result.state in states:
                return f"{result.spec.id}, about {result.spec.minutes} minutes"
    return "all done"


def _count_done(results: Sequence[ExerciseProgress]) -> str:
    return f"{sum(result.state == 'done' for result in results)} of {len(results)}"
