"""A learner's work moves into a newer release whole, and the repairs of the release stay."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from typer.testing import CliRunner

from mtcourse.cli import app
from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import serialize_notebook
from mtcourse.grading.renew import renew_notebook
from tests.grading.test_merge import GOOD, OTHER, STUB, handed_out, of_id  # noqa: F401

REPAIRED = 'check("scaled_scores", scaled_scores)  # repaired'


def own(kind: str, identity: str, text: str) -> dict:
    """A cell as Jupyter makes it."""
    code = {"outputs": [{"output_type": "stream", "name": "stdout", "text": "x"}]}
    code |= {"execution_count": 3}
    return {"cell_type": kind, "id": identity, "metadata": {}, "source": text} | (
        code if kind == "code" else {}
    )


def places(notebook: dict) -> list[str]:
    return [cell["id"] for cell in notebook["cells"]]


@pytest.fixture
def release(handed_out, tmp_path) -> tuple[Path, Path]:  # noqa: F811
    """A notebook in which a learner has worked, and a newer one with a repaired check."""
    old, new = tmp_path / "04_attention.ipynb", tmp_path / "04_attention-2.ipynb"
    old.write_text(serialize_notebook(handed_out))
    repaired = json.loads(json.dumps(handed_out))
    of_id(repaired, "check")["source"] = REPAIRED
    of_id(repaired, "answer-2")["source"] = f"def share(p, q):\n    {STUB}"
    new.write_text(serialize_notebook(repaired))
    return old, new


def work(path: Path, *added: dict, **answers: str) -> None:
    """What a learner does: answers, by cell id, and own cells, each behind the cell it follows."""
    notebook = json.loads(path.read_text())
    for identity, text in answers.items():
        of_id(notebook, identity.replace("_", "-"))["source"] = text
    for cell in added:
        at = places(notebook).index(cell.pop("behind")) + 1
        notebook["cells"].insert(at, cell)
    path.write_text(serialize_notebook(notebook))


def test_answers_and_own_cells_move_and_repairs_stay(release):
    old, new = release
    work(
        old,
        own("code", "mine-1", "print(scaled_scores)") | {"behind": "check"},
        own("markdown", "mine-2", "A *note*.") | {"behind": "answer"},
        answer=GOOD,
    )
    before, given = old.read_bytes(), json.loads(new.read_text())
    said = renew_notebook(old, new)
    assert old.read_bytes() == before
    moved = json.loads(new.read_text())
    nbformat.validate(moved)
    assert of_id(moved, "answer")["source"] == GOOD
    assert of_id(moved, "check")["source"] == REPAIRED
    assert of_id(moved, "mine-1")["source"] == "print(scaled_scores)"
    assert of_id(moved, "mine-2")["source"] == "A *note*."
    assert of_id(moved, "answer-2") == of_id(given, "answer-2")  # its new stub
    order = places(moved)
    assert order[order.index("answer") + 1] == "mine-2"
    assert order[order.index("check") + 1] == "mine-1"
    assert [one for one in order if not one.startswith("mine")] == places(given)
    assert "1 of 2 answers" in said
    assert "the cells that you added (2)" in said
    assert "still open: share" in said


def test_an_import_that_was_added_to_a_given_cell_moves(release):
    old, new = release
    text = of_id(json.loads(old.read_text()), "imports")["source"]
    work(old, answer=GOOD, imports=f"{text}\nimport math")
    renew_notebook(old, new)
    moved = json.loads(new.read_text())
    assert of_id(moved, "imports")["source"] == text
    assert moved["cells"][places(moved).index("imports") + 1]["source"] == "import math"


def test_a_notebook_without_ids_and_metadata_still_gives_its_answers(release):
    old, new = release
    work(old, answer=GOOD, answer_2=OTHER)
    notebook = json.loads(old.read_text())
    for cell in notebook["cells"]:
        del cell["id"]
        cell["metadata"] = {}
    old.write_text(json.dumps(notebook))
    renew_notebook(old, new)
    moved = json.loads(new.read_text())
    assert (of_id(moved, "answer")["source"], of_id(moved, "answer-2")["source"]) == (GOOD, OTHER)
    assert of_id(moved, "check")["source"] == REPAIRED


def test_what_was_moved_twice_is_refused(release):
    old, new = release
    work(old, answer=GOOD)
    renew_notebook(old, new)
    before = new.read_bytes()
    with pytest.raises(MtcourseError, match=r"has answers already \(scaled_scores\)"):
        renew_notebook(old, new)
    assert new.read_bytes() == before


def test_notebooks_that_do_not_belong_together_are_refused(release, tmp_path):
    old, new = release
    before = new.read_bytes()
    with pytest.raises(MtcourseError, match="no answer in"):
        renew_notebook(old, new)
    work(old, answer=GOOD)
    notebook = json.loads(old.read_text())
    notebook["metadata"]["mtcourse"]["cohort"] = "2027"
    old.write_text(json.dumps(notebook))
    with pytest.raises(MtcourseError, match="different classes"):
        renew_notebook(old, new)
    old.write_text("<<<<<<< mine")
    with pytest.raises(MtcourseError, match=r"04_attention\.ipynb"):
        renew_notebook(old, new)
    assert new.read_bytes() == before


def test_the_command_says_what_it_did(release):
    old, new = release
    work(old, answer=GOOD, answer_2=OTHER)
    done = CliRunner().invoke(app, ["exercises", "update", str(old), str(new)])
    assert done.exit_code == 0, done.output
    assert "2 of 2 answers" in done.output.replace("\n", " ")
    assert of_id(json.loads(new.read_text()), "answer-2")["source"] == OTHER
