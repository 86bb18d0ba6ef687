"""A learner's notebook is run and tells how each exercise stands; nothing of it is changed."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import write_exercise_notebooks
from mtcourse.grading.progress import find_next_exercise, find_notebooks, sum_points, wrap_report
from mtcourse.grading.run_notebook import run_exercises, store_outputs
from tests.helpers.small_solution import small_solution, write

STUB = 'raise NotImplementedError("your answer goes here")'


@pytest.fixture
def exercise(tmp_path):
    """The exercise notebook of the small solution."""
    write(small_solution(), tmp_path / "solutions" / "04_attention.ipynb")
    (path,) = write_exercise_notebooks(tmp_path / "solutions", tmp_path / "exercises")
    return path


def answered(path, code: str):
    """The notebook with this answer in the place of the stub."""
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"]).replace(STUB, code).splitlines(keepends=True)
    path.write_text(json.dumps(notebook))
    return path


def test_an_untouched_notebook_is_open_and_not_run(exercise, monkeypatch):
    monkeypatch.setattr("mtcourse.grading.run_notebook.run_notebook", None)
    (result,) = run_exercises(exercise)
    assert result.state == "open"
    assert sum_points([result]) == (0, 2)
    assert find_next_exercise([result]) == "scaled_scores, about 10 minutes"


@pytest.mark.parametrize(
    ("code", "state", "says"),
    [
        ("return Q @ K.mT / Q.shape[-1] ** 0.5", "done", "All of it is right."),
        ("return Q @ K.mT", "wrong", "not divided by √d_k"),
        ("return Q @", "stopped", "NameError"),
        ("raise SystemExit", "wrong", "it ended the program"),
        ("import os; os._exit(1)", "stopped", "Python ended while the notebook ran"),
    ],
)
def test_each_answer_has_its_state(exercise, code, state, says):
    path = answered(exercise, code)
    before = path.read_bytes()
    (result,) = run_exercises(path)
    assert (result.state, says in result.report) == (state, True), result.report
    assert path.read_bytes() == before


def test_the_command_tells_what_is_wrong_and_what_comes_next(exercise):
    done = CliRunner().invoke(app, ["check", str(answered(exercise, "return Q @ K.mT"))])
    assert done.exit_code == 0, done.output
    assert "not divided by √d_k" in done.output
    assert "0 of 2" in done.output
    assert "scaled_scores, about 10 minutes" in done.output
    assert "Traceback" not in done.output


def test_a_folder_has_one_table(exercise):
    second = exercise.with_name("05_masks.ipynb")
    second.write_text(exercise.read_text())
    done = CliRunner().invoke(app, ["check", str(exercise.parent)])
    assert done.exit_code == 0, done.output
    assert "Your exercises" in done.output
    assert "0 of 4" in done.output


def test_a_check_cell_that_is_gone_is_said(exercise):
    path = answered(exercise, "return Q")
    notebook = json.loads(path.read_text())
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != "check"]
    path.write_text(json.dumps(notebook))
    (result,) = run_exercises(path)
    assert (result.state, "its check cell is gone" in result.report) == ("stopped", True)


def test_what_is_unfinished_is_a_syntax_error_on_every_python(exercise):
    """Python 3.13 has a name of its own for it, which is made by hand here."""
    path = answered(exercise, "return Q")
    notebook = json.loads(path.read_text())
    (check,) = [cell for cell in notebook["cells"] if cell["id"] == "check"]
    check["source"] = "raise type('_IncompleteInputError', (SyntaxError,), {})('incomplete input')"
    path.write_text(json.dumps(notebook))
    (result,) = run_exercises(path)
    assert result.report.startswith("scaled_scores\n  ! SyntaxError: incomplete input")


def test_a_solution_keeps_its_outputs(tmp_path):
    path = write(small_solution(), tmp_path / "04_attention.ipynb")
    store_outputs(path)
    first = path.read_text()
    assert "All of it is right." in first
    assert "the notebook goes on" in first
    store_outputs(path)
    assert path.read_text() == first


def test_a_solution_that_fails_stays_as_it_was(tmp_path):
    notebook = small_solution()
    notebook["cells"][-1]["source"] = ["1 / 0"]
    path = write(notebook, tmp_path / "04_attention.ipynb")
    before = path.read_bytes()
    with pytest.raises(MtcourseError, match="cell 9 failed with ZeroDivisionError"):
        store_outputs(path)
    assert path.read_bytes() == before


def test_what_is_no_exercise_notebook_says_so(tmp_path):
    path = write({"nbformat": 4, "cells": []}, tmp_path / "a.ipynb")
    with pytest.raises(MtcourseError, match="has no exercises"):
        run_exercises(path)
    with pytest.raises(MtcourseError, match="neither a notebook nor a folder"):
        find_notebooks([tmp_path / "a.txt"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(MtcourseError, match="there is no notebook in"):
        find_notebooks([tmp_path / "empty"])


def test_long_lines_go_on_below_where_they_began():
    said = wrap_report("name\n  → one two three four five six\n\n      deep", 20)
    assert said.splitlines() == ["name", "  → one two three", "    four five six", "", "      deep"]
