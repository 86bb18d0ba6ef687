"""Notebooks that were handed out by an earlier edition keep their points."""

from __future__ import annotations

import json

import pytest

from tests.catalogue.grade_notebook import grade_notebook
from tests.catalogue.returned import SOLUTIONS, completed, told

NOTEBOOKS = sorted(path.stem for path in SOLUTIONS.glob("0*.ipynb"))
"""Those of the earlier edition: chapters 1 to 9."""
ADDED = "_lines"
"""The end of the names of exercises that the earlier edition did not have."""


def handed_out_before(notebook: str) -> dict:
    """A completed notebook as the earlier edition's: with its import, and without new exercises."""
    word = notebook.partition("_")[2]
    old = completed(notebook, {})
    old["cells"] = [
        cell
        for cell in old["cells"]
        if not any(str(told(cell).get(key, "")).endswith(ADDED) for key in ("id", "for"))
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
    assert lost == {name: "missing" for name in lost if name.endswith(ADDED)}
    assert len(lost) == 1
