"""The learner's answers in the instructor's notebook, whatever a program made of the file."""

from __future__ import annotations

import json
import re

import pytest

from mtcourse.grading.exercise_notebook import render_exercise_notebook
from mtcourse.grading.merge import merge_submission
from mtcourse.grading.solution_notebook import read_cells
from mtcourse.grading.submitted_notebook import parse_submitted_notebook
from tests.helpers.small_solution import FACTS, cell, small_solution, write

GOOD = "def scaled_scores(Q, K):\n    return Q @ K.mT / Q.shape[-1] ** 0.5"
OTHER = "def share(p):\n    return p / 2"
STUB = 'raise NotImplementedError("your answer goes here")'


@pytest.fixture
def handed_out(tmp_path) -> dict:
    """An exercise notebook with two exercises."""
    source = small_solution()
    about = FACTS | {"id": "share"}
    region = "def share(p):\n    ### BEGIN SOLUTION\n    return p / 2\n    ### END SOLUTION"
    source["cells"] += [
        cell("markdown", "question-2", "## 2. Share", role="given", **{"for": "share"}),
        cell("code", "answer-2", region, role="answer", **about),
        cell("code", "check-2", 'check("share", share)', role="check", **{"for": "share"}),
    ]
    return json.loads(render_exercise_notebook(write(source, tmp_path / "04_attention.ipynb")))


@pytest.fixture
def returned(handed_out) -> dict:
    """The same with both answers."""
    notebook = json.loads(json.dumps(handed_out))
    of_id(notebook, "answer")["source"] = GOOD
    of_id(notebook, "answer-2")["source"] = OTHER
    return notebook


def of_id(notebook: dict, identity: str) -> dict:
    (found,) = [cell for cell in notebook["cells"] if cell["id"] == identity]
    return found


def merged(handed_out: dict, returned: dict):
    return merge_submission(
        read_cells(handed_out), parse_submitted_notebook(json.dumps(returned).encode())
    )


def answers(result) -> dict[str, str]:
    return {cell.exercise: cell.source for cell in result.cells if cell.role == "answer"}


BOTH = {"scaled_scores": GOOD, "share": OTHER}


def test_an_honest_notebook_is_itself(handed_out, returned):
    result = merged(handed_out, returned)
    roles = [step.role for step in result.cells]
    assert roles == ["given", "given", "answer", "check", "given", "answer", "check"]
    assert answers(result) == BOTH
    assert (result.missing, result.repairs) == ((), ())


def no_metadata(notebook):
    for one in notebook["cells"]:
        one["metadata"] = {}


def no_ids(notebook):
    for one in notebook["cells"]:
        del one["id"]


def colab(notebook):
    for number, one in enumerate(notebook["cells"]):
        one["metadata"]["id"] = f"c{number}"
        del one["id"]


def renamed_ids(notebook):
    for number, one in enumerate(notebook["cells"]):
        one["id"] = str(number)


def nothing_but_text(notebook):
    no_metadata(notebook)
    no_ids(notebook)


def doubled_ids(notebook):
    for one in notebook["cells"]:
        one["id"] = "same"


def reordered(notebook):
    notebook["cells"].reverse()


@pytest.mark.parametrize(
    "save",
    [no_metadata, no_ids, colab, renamed_ids, nothing_but_text, doubled_ids, reordered],
)
def test_answers_are_found_whatever_a_program_did_to_the_cells(handed_out, returned, save):
    save(returned)
    result = merged(handed_out, returned)
    assert answers(result) == BOTH
    assert result.missing == ()
    roles = [step.role for step in result.cells]
    assert roles == ["given", "given", "answer", "check", "given", "answer", "check"]


def test_checks_and_given_cells_are_the_instructors(handed_out, returned):
    of_id(returned, "check")["source"] = "print('All of it is right.')"
    of_id(returned, "imports")["source"] = "import math\nfrom mine import check"
    result = merged(handed_out, returned)
    sources = [step.source for step in result.cells]
    assert 'check("scaled_scores", scaled_scores)' in sources
    assert "print('All of it is right.')" not in sources
    assert "import math\nfrom mine import check" in sources, "imports are kept"
    place = sources.index("import math\nfrom mine import check")
    assert result.cells[place].role == "added"
    assert len(result.repairs) == 2


def test_added_cells_are_run_where_they_stand(handed_out, returned):
    numbers = [one["id"] for one in returned["cells"]]
    returned["cells"].insert(numbers.index("answer"), cell("code", "mine", "import math"))
    returned["cells"].insert(0, cell("code", "first", "import torch as t"))
    result = merged(handed_out, returned)
    order = [(step.role, step.id) for step in result.cells]
    assert order[0] == ("added", "first")
    assert order.index(("added", "mine")) == order.index(("answer", "answer")) - 1


def test_an_answer_in_an_added_cell_is_found(handed_out, returned):
    of_id(returned, "answer")["source"] = f"def scaled_scores(Q, K):\n    {STUB}"
    returned["cells"].append(cell("code", "mine", GOOD))
    result = merged(handed_out, returned)
    assert answers(result) == BOTH
    assert "found in an added cell" in result.repairs[0]
    assert [step.role for step in result.cells].count("added") == 0


def test_of_two_answers_the_last_is_graded_and_both_are_run(handed_out, returned):
    first = dict(of_id(returned, "answer"), source="def scaled_scores(Q, K):\n    return Q")
    returned["cells"].insert(2, first)
    result = merged(handed_out, returned)
    assert answers(result) == BOTH
    assert "there were 2 cells for scaled_scores" in result.repairs[0]


def test_a_copied_stub_is_no_second_answer(handed_out, returned):
    stub = dict(of_id(handed_out, "answer"))
    returned["cells"].append(stub)
    result = merged(handed_out, returned)
    assert answers(result) == BOTH
    assert result.repairs == ()


@pytest.mark.parametrize("text", [GOOD, f"```python\n{GOOD}\n```"])
def test_an_answer_that_was_turned_into_text_is_code(handed_out, returned, text):
    of_id(returned, "answer").update(cell_type="markdown", source=text)
    result = merged(handed_out, returned)
    assert answers(result) == BOTH
    assert "was a markdown cell" in result.repairs[0]


def test_a_deleted_answer_is_missing_and_its_check_stays(handed_out, returned):
    returned["cells"].remove(of_id(returned, "answer"))
    result = merged(handed_out, returned)
    assert result.missing == ("scaled_scores",)
    assert answers(result) == {"share": OTHER}
    assert sum(step.role == "check" for step in result.cells) == 2


def test_an_answer_that_does_not_parse_is_still_the_answer(handed_out, returned):
    of_id(returned, "answer")["source"] = "def scaled_scores(Q, K:\n  return"
    assert answers(merged(handed_out, returned))["scaled_scores"].endswith("return")


def test_an_empty_notebook_misses_everything(handed_out):
    result = merged(handed_out, {"nbformat": 4, "cells": []})
    assert result.missing == ("scaled_scores", "share")
    assert all(step.role in ("given", "check") for step in result.cells)


def test_a_copy_that_installs_from_elsewhere_is_not_called_changed(handed_out, returned):
    install = of_id(returned, "install")
    source = "".join(install["source"])
    for package in ("./mtcourse", '"mtcourse @ git+https://github.com/a-school/its-course"'):
        install["source"] = re.sub("(?<=install -q ).*", package, source)
        result = merged(handed_out, returned)
        assert result.repairs == ()
        assert result.cells[0].source == "".join(of_id(handed_out, "install")["source"])


@pytest.mark.parametrize(
    "package", ['"mtcourse @ git+https://a.example/b/c" comet', "torch", "./mtcourse\nx = 1"]
)
def test_what_else_is_changed_in_the_install_cell_is_said(handed_out, returned, package):
    install = of_id(returned, "install")
    install["source"] = re.sub("(?<=install -q ).*", package, "".join(install["source"]))
    repairs = merged(handed_out, returned).repairs
    assert ["the given cell install was changed" in repair for repair in repairs] == [True]


def test_an_import_beside_a_magic_is_kept(handed_out, returned):
    """Every notebook begins with a cell for Colab, which has a magic within an if."""
    install = of_id(returned, "install")
    install["source"] = ["import torch.nn.functional as F\n", *install["source"]]
    result = merged(handed_out, returned)
    (added,) = [step for step in result.cells if step.role == "added"]
    assert added.source == "import torch.nn.functional as F"
    assert "the given cell install was changed" in result.repairs[0]
    assert result.cells[0].source == "".join(of_id(handed_out, "install")["source"])
