"""Whatever would make a broken exercise notebook is an error that names cell and remedy."""

from __future__ import annotations

import json

import pytest

from mtcourse.errors import MtcourseError
from mtcourse.grading.solution_notebook import (
    check_solution_notebook,
    read_exercise_specs,
    read_notebook,
)
from tests.helpers.small_solution import FACTS, cell, small_solution


def fault(notebook: dict) -> str:
    with pytest.raises(MtcourseError) as raised:
        check_solution_notebook("solutions/04_attention.ipynb", notebook)
    return str(raised.value)


def of_id(notebook: dict, identity: str) -> dict:
    (found,) = [cell for cell in notebook["cells"] if cell["id"] == identity]
    return found


def test_a_whole_source_has_no_fault():
    notebook = small_solution()
    check_solution_notebook("04_attention.ipynb", notebook)
    (asked,) = read_exercise_specs(notebook)
    assert (asked.id, asked.points, asked.claims) == ("scaled_scores", 2, ("D01", "B08"))


def without(identity: str):
    def change(notebook: dict) -> None:
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] != identity]

    return change


def told(identity: str, **values):
    def change(notebook: dict) -> None:
        of_id(notebook, identity)["metadata"]["mtcourse"].update(values)

    return change


def without_key(identity: str, key: str):
    def change(notebook: dict) -> None:
        del of_id(notebook, identity)["metadata"]["mtcourse"][key]

    return change


def text(identity: str, old: str, new: str):
    def change(notebook: dict) -> None:
        found = of_id(notebook, identity)
        found["source"] = ["".join(found["source"]).replace(old, new)]

    return change


def answered_twice(notebook: dict) -> None:
    notebook["cells"].append(
        cell("code", "again", "### BEGIN SOLUTION\n### END SOLUTION", role="answer", **FACTS)
    )


def same_id(notebook: dict) -> None:
    of_id(notebook, "hint-2")["id"] = "hint-1"


FAULTS = [
    (without("check"), "cell 6: answer scaled_scores has no check: add a cell of role check"),
    (without("answer"), "check for scaled_scores, which has no answer: add the answer cell"),
    (text("answer", "### END SOLUTION", ""), "cell 6: answer scaled_scores has a region that is"),
    (text("answer", "### BEGIN SOLUTION", ""), "region that is not closed"),
    (text("answer", "###", "#"), "answer scaled_scores has no region: put ### BEGIN SOLUTION"),
    (without_key("answer", "points"), "has no points: set mtcourse.points to a number from 1"),
    (told("answer", points="two"), "has no points"),
    (told("answer", difficulty=4), "set mtcourse.difficulty to a number from 1 to 3"),
    (without_key("answer", "minutes"), "has no minutes"),
    (told("answer", kind="write"), "has no kind: set mtcourse.kind to one of implement"),
    (told("answer", claims=["D01", "D99"]), "names the claim D99, which there is not"),
    (told("answer", claims=[]), "names no claim"),
    (told("hint-1", role="clue"), "cell 4: its role is clue: set mtcourse.role to one of given"),
    (without_key("title", "role"), "cell 1: its role is missing"),
    (without_key("hint-1", "for"), "a cell of role hint belongs to an exercise: set mtcourse.for"),
    (text("check", "check(", "assert("), 'write check("scaled_scores", scaled_scores)'),
    (same_id, "cells 4, 5: the id hint-1 stands 2 times: give each its own"),
    (told("question", **{"for": "scores"}), "given for scores, which has no answer"),
    (answered_twice, "cell 6: the exercise scaled_scores is answered twice: rename one"),
]


@pytest.mark.parametrize(("change", "says"), FAULTS, ids=[says[:40] for _, says in FAULTS])
def test_a_fault_is_named_with_its_cell_and_its_remedy(change, says):
    notebook = small_solution()
    change(notebook)
    message = fault(notebook)
    assert says in message
    assert message.startswith("solutions/04_attention.ipynb, cell")


def test_all_faults_are_named_at_once():
    notebook = small_solution()
    without_key("answer", "points")(notebook)
    same_id(notebook)
    assert len(fault(notebook).splitlines()) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not a notebook"),
        ("[]", "is not a notebook of version 4"),
        (None, "cannot be read"),
    ],
)
def test_what_is_no_notebook_says_so(tmp_path, content, says):
    path = tmp_path / "a.ipynb"
    if content is not None:
        path.write_text(content)
    with pytest.raises(MtcourseError, match=says):
        read_notebook(path)


def test_a_notebook_of_version_3_says_so(tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"nbformat": 3, "worksheets": []}))
    with pytest.raises(MtcourseError, match="not a notebook of version 4"):
        read_notebook(path)
