"""Writes everything that teachers and learners get from the results of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

from mtcourse.grading.learner_folders import FEEDBACK, GRADESCOPE, name_folders
from mtcourse.grading.records import UNKNOWN_NOTEBOOK
from mtcourse.grading.reports.class_report import render_class_report
from mtcourse.grading.reports.feedback import render_feedback_notebook, render_feedback_page
from mtcourse.grading.reports.gradescope import gradescope_json
from mtcourse.grading.reports.junit import junit_xml
from mtcourse.grading.reports.similar_answers_table import similar_answers_table
from mtcourse.grading.reports.tables import (
    canvas_table,
    exercises_table,
    final_table,
    grades_table,
    moodle_table,
    nbgrader_table,
)
from mtcourse.grading.results import SubmissionResult
from mtcourse.grading.similar_answers import compare_class
from mtcourse.grading.submission_paths import safe_name
from mtcourse.whole_files import write_whole

TABLES = {
    "grades.csv": grades_table,
    "exercises.csv": exercises_table,
    "final_grades.csv": final_table,
    "gradebook_canvas.csv": canvas_table,
    "gradebook_moodle.csv": moodle_table,
    "gradebook_nbgrader.csv": nbgrader_table,
    "junit.xml": junit_xml,
}


def write_reports(
    results: Sequence[SubmissionResult],
    out: Path,
    contents: Mapping[tuple[str, str], bytes],
    solutions: Mapping[str, bytes] = MappingProxyType({}),
) -> None:
    """Writes all reports of a class; equal results give equal bytes.

    The folder then contains the tables of ``TABLES``, ``gradescope/<learner>/results.json``, for
    each learner and notebook ``feedback/<learner>/<notebook>.ipynb`` and ``.html``,
    ``similar_answers.csv``, and ``report.html``.

    Args:
        results: one for each learner and notebook.
        out: the folder of grades; created if needed.
        contents: the bytes of each submission, by learner and notebook; if they are missing, the
            feedback contains the verdicts alone.
        solutions: the bytes of the solutions by notebook; similar answers are looked for in these
            notebooks.
    """
    results = sorted(results, key=lambda result: (result.learner, result.notebook))
    for name, table in TABLES.items():
        write_whole(out / name, table(results), private=True)
    folders = name_folders((result.learner for result in results), out)
    for learner, own in groupby(results, lambda result: result.learner):
        path = out / GRADESCOPE / folders[learner] / "results.json"
        write_whole(path, gradescope_json(list(own)), private=True)
    places = {}
    for result in results:
        key = result.learner, result.notebook
        name = safe_name(result.notebook or UNKNOWN_NOTEBOOK)
        place = f"{FEEDBACK}/{folders[result.learner]}/{name}"
        content = contents.get(key, b"")
        write_whole(out / f"{place}.ipynb", render_feedback_notebook(result, content), private=True)
        write_whole(out / f"{place}.html", render_feedback_page(result, content), private=True)
        places[key] = f"{place}.html"
    similar = compare_class(contents, solutions)
    write_whole(out / "similar_answers.csv", similar_answers_table(similar), private=True)
    write_whole(out / "report.html", render_class_report(results, places, similar), private=True)
