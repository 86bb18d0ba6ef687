"""How far a learner is: of one notebook every exercise, of a folder every notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.table import Table

from mtcourse.errors import MtcourseError
from mtcourse.grading.run_notebook import Result

SIGNS = {"done": "✓ done", "wrong": "✗ not yet right", "open": "· open", "stopped": "! stopped"}


def wrapped(report: str, width: int) -> str:
    """A check's report in lines of at most this width, each going on below where it began."""
    lines = []
    for line in report.splitlines():
        margin = len(line) - len(line.lstrip(" "))
        lines += textwrap.wrap(line, width, subsequent_indent=" " * (margin + 2)) or [""]
    return "\n".join(lines)


def notebooks_in(paths: Sequence[Path]) -> list[Path]:
    """The notebooks that are named, and those of the folders that are named.

    Raises:
        MtcourseError: a path is neither, or there is no notebook at all.
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


def notebook_table(path: Path, results: Sequence[Result]) -> Table:
    """Each exercise of one notebook with its state and points, and the sum."""
    table = Table(title=path.name, show_footer=True, title_justify="left")
    got, total = points_of(results)
    table.add_column("exercise", footer="together")
    table.add_column("points", footer=f"{got} of {total}", justify="right")
    table.add_column("state", footer=next_step(results))
    for result in results:
        earned = result.asked.points if result.state == "done" else 0
        table.add_row(result.asked.id, f"{earned} of {result.asked.points}", SIGNS[result.state])
    return table


def folder_table(results_of: Mapping[Path, Sequence[Result]]) -> Table:
    """Each notebook with what is done, its points, and what to do next."""
    table = Table(title="Your exercises", show_footer=True, title_justify="left")
    everything = [result for results in results_of.values() for result in results]
    got, total = points_of(everything)
    table.add_column("notebook", footer="together")
    table.add_column("done", footer=_done(everything), justify="right")
    table.add_column("points", footer=f"{got} of {total}", justify="right")
    table.add_column("next", footer=next_step(everything))
    for path, results in results_of.items():
        got, total = points_of(results)
        table.add_row(path.stem, _done(results), f"{got} of {total}", next_step(results))
    return table


def points_of(results: Sequence[Result]) -> tuple[int, int]:
    """The points that were earned, and all that there are."""
    earned = sum(result.asked.points for result in results if result.state == "done")
    return earned, sum(result.asked.points for result in results)


def next_step(results: Sequence[Result]) -> str:
    """The first exercise that is begun and not right, or else the first that is not begun."""
    for states in (("wrong", "stopped"), ("open",)):
        for result in results:
            if result.state in states:
                return f"{result.asked.id}, about {result.asked.minutes} minutes"
    return "all done"


def _done(results: Sequence[Result]) -> str:
    return f"{sum(result.state == 'done' for result in results)} of {len(results)}"
