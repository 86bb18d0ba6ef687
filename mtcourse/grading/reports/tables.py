"""The grades as tables: one of our own, and the gradebooks that Canvas, Moodle and nbgrader read.

The columns and their order are those of the systems' own code:

- Canvas, ``lib/gradebook_exporter.rb`` and ``lib/gradebook_importer.rb`` of instructure/canvas-lms:
  a learner is looked up by ID, then SIS User ID, SIS Login ID, and name; the second row holds the
  points that there are; an empty cell leaves a grade as it is.
- Moodle, ``grade/export/txt/grade_export_txt.php`` of moodle/moodle with the profile fields that it
  exports by default. On import the teacher says which column names a learner, such as ID number.
- nbgrader, ``CsvExportPlugin`` in ``nbgrader/plugins/export.py`` of jupyter/nbgrader.

Where the grader itself failed the cell stays empty: nobody gets no points for that.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from mtcourse.grading.reports.sanitize import one_line
from mtcourse.grading.results import FAILED, Result

GRADES = (
    "learner",
    "notebook",
    "exercise",
    "outcome",
    "points",
    "out_of",
    "misconception",
    "state",
    "reason",
    "file",
    "seed",
    "isolation",
)
CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE = ("First name", "Last name", "ID number", "Institution", "Department", "Email address")
NBGRADER = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
)
POSSIBLE = "Points Possible"
"""Canvas takes every row in whose first cell this stands for the one that holds them."""
FORMULA = "=+-@＝＋－＠|%"
"""A cell that begins with one of these is calculated by a spreadsheet, and may run a program."""


def grades_table(results: Sequence[Result]) -> str:
    """One row for each learner and exercise; a single row for what could not be graded."""
    rows: list[Sequence[object]] = []
    for result in results:
        about = (result.state, result.reason, result.file, result.seed, result.isolation)
        who = (result.learner, result.notebook)
        rows += [
            (*who, one.exercise, one.outcome, one.points, one.out_of, one.misconception, *about)
            for one in result.exercises
        ] or [(*who, "", result.state, "", "", "", *about)]
    return _csv([GRADES], rows)


def canvas_table(results: Sequence[Result]) -> str:
    """The gradebook that Canvas imports: a row for each learner, a column for each notebook."""
    notebooks = _notebooks(results)
    possible = [f"{_out_of(results, name):.2f}" for name in notebooks]
    headings = [(*CANVAS, *notebooks), (f"    {POSSIBLE}", "", "", "", "", *possible)]
    rows: list[Sequence[object]] = []
    for learner, of_notebook in _by_learner(results).items():
        number = next(filter(None, map(_canvas_number, of_notebook.values())), "")
        name = learner.removesuffix(f"_{number}").replace(POSSIBLE, POSSIBLE.lower())
        points = (_points(of_notebook.get(notebook)) for notebook in notebooks)
        rows.append((name, number, name, name, "", *points))
    return _csv(headings, rows)


def _canvas_number(result: Result) -> str:
    """The learner's number in Canvas, which begins the name of a file that comes from there."""
    match = re.fullmatch(r"(.+)_(\d+)", result.learner)
    if not match:
        return ""
    begins = rf"{re.escape(match[1])}(?:_LATE)?_{match[2]}_\d+_"
    return match[2] if re.match(begins, result.file) else ""


def moodle_table(results: Sequence[Result]) -> str:
    """The gradebook that Moodle imports: a row for each learner, a column for each notebook."""
    notebooks = _notebooks(results)
    items = (f"Assignment: {notebook} (Real)" for notebook in notebooks)
    heading = (*MOODLE, *items)
    rows: list[Sequence[object]] = []
    for learner, of_notebook in _by_learner(results).items():
        address = learner if "@" in learner else ""
        points = (_points(of_notebook.get(notebook)) for notebook in notebooks)
        rows.append(("", learner, learner, "", "", address, *points))
    return _csv([heading], rows)


def nbgrader_table(results: Sequence[Result]) -> str:
    """What ``nbgrader export`` writes; who handed nothing in has no points there, and no time."""
    rows: list[Sequence[object]] = []
    for notebook in _notebooks(results):
        out_of = f"{_out_of(results, notebook):.1f}"
        for learner, of_notebook in _by_learner(results).items():
            result = of_notebook.get(notebook)
            failed = result is not None and result.state == FAILED
            points = "" if failed else f"{result.points if result else 0:.1f}"
            rows.append((notebook, "", "", learner, "", "", "", points, "0.0", points, out_of))
    return _csv([NBGRADER], rows)


def _notebooks(results: Sequence[Result]) -> list[str]:
    return sorted({result.notebook for result in results if result.notebook})


def _out_of(results: Sequence[Result], notebook: str) -> int:
    return max(result.out_of for result in results if result.notebook == notebook)


def _by_learner(results: Sequence[Result]) -> dict[str, dict[str, Result]]:
    found: dict[str, dict[str, Result]] = {}
    for result in results:
        found.setdefault(result.learner, {})[result.notebook] = result
    return found


def _points(result: Result | None) -> str:
    return "" if result is None or result.state == FAILED else f"{result.points:.2f}"


def _csv(headings: Iterable[Sequence[object]], rows: Iterable[Sequence[object]]) -> str:
    """Tables as text; headings and numbers are ours, every other text may be anybody's."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(headings)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula, also where a semicolon parts the cells."""
    if not isinstance(value, str):
        return value
    plain = one_line(value, 200).replace(";", ",")
    return f"'{plain}" if plain.startswith(tuple(FORMULA)) else plain
