"""The grades as tables: a format of our own, and the gradebooks of Canvas, Moodle and nbgrader.

The columns and their order are those of the systems' own code:

- Canvas, ``lib/gradebook_exporter.rb`` and ``lib/gradebook_importer.rb`` of instructure/canvas-lms:
  a learner is looked up by ID, then SIS User ID, SIS Login ID, and name; the second row contains
  the maximal points; an empty cell leaves a grade unchanged.
- Moodle, ``grade/export/txt/grade_export_txt.php`` of moodle/moodle with the profile fields that it
  exports by default. During the import the teacher chooses the column that identifies a learner,
  such as ID number.
- nbgrader, ``CsvExportPlugin`` in ``nbgrader/plugins/export.py`` of jupyter/nbgrader.

All points are those that count, after the policy of the class. If the grader failed on a
submission, its cell stays empty, rather than 0.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence

from mtcourse.grading.item_statistics import compute_item_statistics
from mtcourse.grading.reports.sanitize import clean_line
from mtcourse.grading.results import FAILED, FinalGrade, SubmissionResult

GRADES_COLUMNS = (
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
    "note",
)
FINAL_COLUMNS = (
    "learner",
    "notebook",
    "points",
    "out_of",
    "late_penalty",
    "handed_in",
    "deadline",
    "state",
    "note",
)
EXERCISES_COLUMNS = (
    "notebook",
    "exercise",
    "out_of",
    "learners",
    "solved",
    "share_solved",
    "mean_points",
    "discrimination",
    "no_discrimination_because",
)
CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE_COLUMNS = (
    "First name",
    "Last name",
    "ID number",
    "Institution",
    "Department",
    "Email address",
)
NBGRADER_COLUMNS = (
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
POINTS_POSSIBLE = "Points Possible"
"""Canvas takes any row whose first cell contains this text for the row of maximal points."""
FORMULA_STARTS = "=+-@＝＋－＠|%"
"""Characters that make a spreadsheet evaluate a cell as a formula, which may run a program."""


def grades_table(results: Sequence[SubmissionResult]) -> str:
    """Returns a row for each learner and exercise, and one for what could not be graded."""
    rows: list[Sequence[object]] = []
    for result in results:
        about = (result.state, result.reason, result.file, result.seed, result.isolation)
        who = (result.learner, result.notebook)
        rows += [
            (
                *(*who, one.exercise, one.outcome, one.points, one.max_points, one.misconception),
                *(*about, one.note),
            )
            for one in result.exercises
        ] or [(*who, "", result.state, "", "", "", *about, "")]
    return _write_csv([GRADES_COLUMNS], rows)


def final_table(results: Sequence[SubmissionResult]) -> str:
    """Returns a row for each learner and notebook: the points that count, and where they come from.

    The notes of single exercises are in the table of ``grades_table``.
    """
    rows: list[Sequence[object]] = []
    for result in results:
        grade = result.grade or FinalGrade(result.points)
        points = "" if result.state == FAILED else grade.points
        times = (grade.handed_in, grade.deadline)
        note = ". ".join((*([result.reason] * bool(result.reason)), *grade.notes))
        rows.append(
            (
                *(result.learner, result.notebook, points, result.max_points),
                *(grade.late_penalty, *times, result.state, note),
            )
        )
    return _write_csv([FINAL_COLUMNS], rows)


def exercises_table(results: Sequence[SubmissionResult]) -> str:
    """Returns a row for each exercise: how many have solved it, and its discrimination."""
    rows: list[Sequence[object]] = []
    for one in compute_item_statistics(results):
        numbers = (one.max_points, one.learners, one.solved, f"{one.share_solved:.3f}")
        discrimination = (
            round(one.discrimination, 3) if one.discrimination is not None else ""
        )  # a text may be a formula
        means = (f"{one.mean_points:.3f}", discrimination, one.reason)
        rows.append((one.notebook, one.exercise, *numbers, *means))
    return _write_csv([EXERCISES_COLUMNS], rows)


def canvas_table(results: Sequence[SubmissionResult]) -> str:
    """Returns the gradebook that Canvas imports: rows are learners, columns are notebooks."""
    notebooks = _list_notebooks(results)
    possible = [f"{_find_max_points(results, name):.2f}" for name in notebooks]
    headings = [
        (*CANVAS_COLUMNS, *notebooks),
        (f"    {POINTS_POSSIBLE}", "", "", "", "", *possible),
    ]
    rows: list[Sequence[object]] = []
    for learner, of_notebook in _group_by_learner(results).items():
        number = next(filter(None, map(_canvas_number, of_notebook.values())), "")
        name = learner.removesuffix(f"_{number}").replace(POINTS_POSSIBLE, POINTS_POSSIBLE.lower())
        points = (_format_points(of_notebook.get(notebook)) for notebook in notebooks)
        rows.append((name, number, name, name, "", *points))
    return _write_csv(headings, rows)


def _canvas_number(result: SubmissionResult) -> str:
    """Returns the learner's number in Canvas, taken from the name of a Canvas file."""
    match = re.fullmatch(r"(.+)_(\d+)", result.learner)
    if not match:
        return ""
    begins = rf"{re.escape(match[1])}(?:_LATE)?_{match[2]}_\d+_"
    return match[2] if re.match(begins, result.file) else ""


def moodle_table(results: Sequence[SubmissionResult]) -> str:
    """Returns the gradebook that Moodle imports: rows are learners, columns are notebooks."""
    notebooks = _list_notebooks(results)
    items = (f"Assignment: {notebook} (Real)" for notebook in notebooks)
    heading = (*MOODLE_COLUMNS, *items)
    rows: list[Sequence[object]] = []
    for learner, of_notebook in _group_by_learner(results).items():
        address = learner if "@" in learner else ""
        points = (_format_points(of_notebook.get(notebook)) for notebook in notebooks)
        rows.append(("", learner, learner, "", "", address, *points))
    return _write_csv([heading], rows)


def nbgrader_table(results: Sequence[SubmissionResult]) -> str:
    """Returns what ``nbgrader export`` writes; without a submission a learner has 0 points.

    There a score is the raw one less the penalty. Points by hand for a whole notebook are given
    after being late has cost something: they are a raw score without a penalty.
    """
    rows: list[Sequence[object]] = []
    for notebook in _list_notebooks(results):
        max_points = f"{_find_max_points(results, notebook):.1f}"
        for learner, of_notebook in _group_by_learner(results).items():
            result = of_notebook.get(notebook)
            failed = result is not None and result.state == FAILED
            points = result.points if result else 0
            raw = result.exercise_points if result else 0
            grade = (result and result.grade) or FinalGrade(0)
            penalty = grade.late_penalty
            if not math.isclose(raw - penalty, points):
                raw, penalty = points, 0
            times = (grade.deadline, grade.handed_in)
            scores = ["" if failed else f"{float(raw)}", f"{float(penalty)}"]
            scores.append("" if failed else f"{float(points)}")
            rows.append((notebook, *times, learner, "", "", "", *scores, max_points))
    return _write_csv([NBGRADER_COLUMNS], rows)


def _list_notebooks(results: Sequence[SubmissionResult]) -> list[str]:
    return sorted({result.notebook for result in results if result.notebook})


def _find_max_points(results: Sequence[SubmissionResult], notebook: str) -> float:
    return max(result.max_points for result in results if result.notebook == notebook)


def _group_by_learner(
    results: Sequence[SubmissionResult],
) -> dict[str, dict[str, SubmissionResult]]:
    found: dict[str, dict[str, SubmissionResult]] = {}
    for result in results:
        found.setdefault(result.learner, {})[result.notebook] = result
    return found


def _format_points(result: SubmissionResult | None) -> str:
    return "" if result is None or result.state == FAILED else f"{result.points:.2f}"


def _write_csv(headings: Iterable[Sequence[object]], rows: Iterable[Sequence[object]]) -> str:
    """Writes a table; texts are untrusted, except those in the headings."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows(headings)
    writer.writerows([_clean_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _clean_cell(value: object) -> object:
    """Makes a text safe for spreadsheets, including those that separate cells by semicolons."""
    if not isinstance(value, str):
        return value
    plain = clean_line(value, 200).replace(";", ",")
    return f"'{plain}" if plain.startswith(tuple(FORMULA_STARTS)) else plain
