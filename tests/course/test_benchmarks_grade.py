"""The benchmark of graders: CPU seconds are all counted, and everybody grades the same notebook."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import processor_time
from benchmarks.grade import Cost
from benchmarks.graded_notebook import (
    ANSWERS,
    ASSERTIONS,
    IMPORTS,
    NAME,
    answered_for_nbgrader,
    handed_in_to_mtcourse,
    plain,
    solution_for_mtcourse,
    source_for_nbgrader,
    test_for_otter,
    write,
)
from benchmarks.graders import graders
from benchmarks.processor_time import processor_seconds
from mtcourse.chapters.masks import exercises as masks
from mtcourse.checks.judge import judge
from mtcourse.grading.exercise_notebook import render_exercise_notebook
from mtcourse.grading.solution_notebook import check_solution_notebook

resource = pytest.importorskip("resource", reason="Windows counts in another way")
test_for_otter.__test__ = False  # type: ignore[attr-defined]  # it makes a test, and is none
BURNS = 1.5
BURNER = """
import os, signal, time

def burn():
    while time.process_time() < until:
        pass

signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who have ended
for _ in range(2):
    if os.fork() == 0:
        until = time.process_time() + 0.5
        os.setsid()
        burn()
        os._exit(0)
until = time.process_time() + 0.5
burn()
while True:  # until both have gone
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        break
"""
EXERCISES = {exercise.id: exercise for exercise in masks.EXERCISES}


# --- CPU seconds --------------------------------------------------------------------------------


def test_processes_that_nobody_waits_for_are_counted(tmp_path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent, _ = processor_seconds([sys.executable, "-S", "-c", BURNER], tmp_path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert BURNS <= spent < BURNS + 0.7
    assert after.ru_utime - before.ru_utime < BURNS - 0.5, "what the system adds up would do"


def test_without_a_control_group_most_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(processor_time, "GROUPS", tmp_path / "none")
    spent, how = processor_seconds([sys.executable, "-S", "-c", BURNER], tmp_path)
    assert how == "polled"
    assert BURNS / 2 < spent < BURNS + 0.7


def test_a_command_that_fails_says_why(tmp_path):
    with pytest.raises(RuntimeError, match="out of luck"):
        processor_seconds([sys.executable, "-S", "-c", "raise SystemExit('out of luck')"], tmp_path)


def test_two_classes_tell_what_a_start_and_a_notebook_cost():
    cost = Cost.of((2, 22), (7.0, 17.0))
    assert (cost.start, cost.notebook, cost.of_class) == (6.0, 0.5, 21.0)


# --- the notebook -------------------------------------------------------------------------------


def names_of(answer: str) -> dict:
    """What running an answer defines."""
    names: dict = {}
    exec(f"{IMPORTS}\n{answer}", names)
    return names


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answers_are_right_by_every_check(name):
    names = names_of(ANSWERS[name])
    exec(ASSERTIONS[name], names)
    assert judge(EXERCISES[name], names[name]).passed
    told: dict = {}
    exec(test_for_otter(name), told)
    (suite,) = told["test"]["suites"]
    (case,) = suite["cases"]
    example = doctest.DocTestParser().get_doctest(case["code"], names, name, None, None)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", ANSWERS)
def test_the_assertions_know_a_wrong_answer(name):
    for wrong in EXERCISES[name].misconceptions:
        names = names_of(ANSWERS[name]) | {name: wrong}
        try:
            exec(ASSERTIONS[name], names)
        except Exception:
            return
    pytest.fail(f"every mistake passes the assertions of {name}")


def code_cells(notebook: dict) -> list[str]:
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_all_notebooks_have_ten_cells_and_the_same_answers(tmp_path):
    solution = solution_for_mtcourse()
    check_solution_notebook("solution", solution)
    path = tmp_path / f"{NAME}.ipynb"
    write(path, solution)
    handed_out = tmp_path / "handed_out.ipynb"
    write(handed_out, source_for_nbgrader())
    of_learners = [
        handed_in_to_mtcourse(path, "ada"),
        answered_for_nbgrader(handed_out, "ada"),
        plain(ASSERTIONS, author="ada"),
    ]
    assert [len(code_cells(one)) for one in (solution, source_for_nbgrader())] == [10, 10]
    # The first cell of a notebook that mtcourse hands out installs the package on Colab.
    assert [len(code_cells(one)) for one in of_learners] == [11, 10, 10]
    answers = [[cell for cell in code_cells(one) if cell.startswith("def ")] for one in of_learners]
    assert answers[0] == answers[1] == answers[2]
    assert len(answers[0]) == len(ANSWERS)
    assert "SOLUTION" not in json.dumps(of_learners)
    assert "your answer" in render_exercise_notebook(path)
    assert not any("your answer" in cell for one in of_learners for cell in code_cells(one))


def test_no_two_copies_are_the_same():
    assert plain(ASSERTIONS, author="ada") != plain(ASSERTIONS, author="ben")


# --- the graders --------------------------------------------------------------------------------


def test_graders_that_are_not_installed_say_so(tmp_path):
    ours, *others = graders(tmp_path)
    assert ours.name.startswith("mtcourse")
    assert len(others) == 3
    assert all(str(tmp_path) in other.missing for other in others)


def test_the_command_explains_itself():
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "benchmarks.grade", "--help"]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert "compare" in said
    assert "many" in said
