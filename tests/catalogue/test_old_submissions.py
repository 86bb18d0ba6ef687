"""Notebooks that were handed out by an earlier edition keep their points."""

from __future__ import annotations

import json

import pytest

from tests.catalogue.grade_notebook import grade_notebook
from tests.catalogue.returned import SOLUTIONS, completed, points_of, told

NOTEBOOKS = sorted(path.stem for path in SOLUTIONS.glob("0*.ipynb"))
"""Those of the earlier edition: chapters 1 to 9."""


def added_to(notebook: str) -> set[str]:
    """The exercises that the earlier edition did not have: which line of another causes what."""
    names = set(points_of(notebook))
    return {name for name in names if name.removesuffix("_lines") in names - {name}}


def handed_out_before(notebook: str) -> dict:
    """A completed notebook as the earlier edition's: with its import, and without new exercises."""
    word = notebook.partition("_")[2]
    old = completed(notebook, {})
    added = added_to(notebook)
    old["cells"] = [
        cell for cell in old["cells"] if not {told(cell).get("id"), told(cell).get("for")} & added
    ]
    for cell in old["cells"]:
        cell["source"] = "".join(cell["source"]).replace(
            f"from mtcourse.chapters.{word}.exercises import check",
            f"from mtcourse.checks.{word} import check",
        )
    return old


@pytest.mark.parametrize("notebook", NOTEBOOKS)
def test_what_was_handed_out_before_keeps_its_points(notebook, walls: str):
    old = handed_out_before(notebook)
    assert f"mtcourse.checks.{notebook.partition('_')[2]} import check" in json.dumps(old)
    result = grade_notebook(json.dumps(old).encode(), notebook, walls)
    lost = {one.exercise: one.outcome for one in result.exercises if one.outcome != "passed"}
    assert lost == dict.fromkeys(added_to(notebook), "missing")
    assert len(lost) == 1
