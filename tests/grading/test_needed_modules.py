"""A kernel sees of the package what its notebook needs, and no other module that holds answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtcourse.grading.isolation.backends import why_unavailable
from mtcourse.grading.kernel import GradingKernel, Limits
from mtcourse.grading.merge import MergedCell, MergedNotebook
from mtcourse.grading.needed_modules import (
    find_hidden_files,
    find_imported_names,
    find_modules,
    find_needed_modules,
    find_unneeded_files,
)

GIVEN = ("import math\nfrom mtcourse.layers import masks\nfrom mtcourse.layers.attention import *",)
PACKAGE = find_modules()["mtcourse"].parent


def test_imports_are_followed_and_packages_come_along():
    found = find_imported_names(GIVEN)
    assert {"mtcourse.layers", "mtcourse.layers.masks", "mtcourse.layers.attention"} <= found
    needed = find_needed_modules(found)
    assert {"mtcourse", "mtcourse.layers", "mtcourse.layers.masks"} <= needed
    assert "mtcourse.layers.blocks" in find_needed_modules(["mtcourse.models.translator"])
    assert "mtcourse.layers.cross_attention" not in needed


def test_what_is_not_needed_is_hidden_with_what_python_made_of_it():
    hidden = {path.relative_to(PACKAGE).as_posix() for path in find_unneeded_files(GIVEN)}
    assert {"layers/cross_attention.py", "chapters/cross_attention/plots.py"} <= hidden
    assert not {
        path for path in hidden if path.startswith(("checks", "grading", "text", "figures"))
    }
    assert "layers/masks.py" not in hidden
    assert all(path.endswith((".py", ".pyc")) for path in hidden)


def test_a_plain_import_counts_as_well():
    source = "import mtcourse.layers.masks as m, torch, mtcourse.fast.linear"
    assert find_imported_names([source]) == {"mtcourse.layers.masks", "mtcourse.fast.linear"}


@pytest.mark.parametrize(
    ("role", "seen"), [("given", True), ("check", True), ("answer", False), ("added", False)]
)
def test_what_a_learner_imports_stays_hidden(role, seen):
    source = "from mtcourse.layers.cross_attention import cross_attention"
    merged = MergedNotebook((MergedCell(role, "", source, "c"),), (), ())
    hidden = PACKAGE / "layers" / "cross_attention.py" in find_hidden_files(merged)
    assert hidden is not seen


CODE = """
from mtcourse.layers.cross_attention import cross_attention as theirs
from mtcourse.layers.cross_attention import *
import mtcourse.chapters.loss.plots as plots, mtcourse.layers.masks as needed
from pathlib import Path
import mtcourse
text = ''.join(p.read_text(errors='ignore')
    for p in Path(mtcourse.__path__[0], 'layers').rglob('*cross_attention*.py*'))
assert (text, needed.causal_mask(1).tolist()) == ('', [[True]])
try:
    theirs(1)
except Exception as error:
    raise ValueError(str(error))
"""


@pytest.mark.parametrize("isolation", ["warm", "bubblewrap"])
def test_a_hidden_module_can_be_imported_and_is_empty(isolation):
    if reason := why_unavailable(isolation):
        pytest.skip(reason)
    kernel = GradingKernel(isolation, find_unneeded_files(GIVEN))
    try:
        result = kernel.execute(CODE, Limits(seconds=60))
    finally:
        kernel.stop()
    assert result.error == ("ValueError: cross_attention is not allowed here: write it yourself")


def test_every_hidden_file_is_in_the_package():
    assert all(Path(path).is_relative_to(PACKAGE) for path in find_unneeded_files(GIVEN))
