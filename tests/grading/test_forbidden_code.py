"""An answer that leans on the course's own is told so, by the names that it uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtcourse.checks.banks import bank_of
from mtcourse.grading.forbidden_code import find_forbidden_code
from mtcourse.grading.merge import MergedCell, MergedNotebook, merge_submission
from mtcourse.grading.solution_notebook import read_cells, read_notebook
from mtcourse.grading.submitted_notebook import read_submitted_notebook

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
GIVEN = """import math
import torch
from mtcourse.layers import masks
from mtcourse.layers.attention import scaled_scores as theirs
from mtcourse.chapters.attention.exercises import check
from mtcourse.text.tokenizer import PAD
from mtcourse.figures.attention_map import curves"""


def faults(answer: str, added: str = "") -> str:
    steps = [
        MergedCell("given", "", GIVEN, "given"),
        MergedCell("added", "", added, "added"),
        MergedCell("answer", "scaled_scores", answer, "answer"),
    ]
    return find_forbidden_code(MergedNotebook(tuple(steps), (), ())).get("scaled_scores", "")


@pytest.mark.parametrize(
    "answer",
    [
        "def scaled_scores(Q, K):\n    return Q @ K.mT / math.sqrt(Q.shape[-1])",
        "import numpy as np\ndef scaled_scores(Q, K):\n    return np.eye(PAD)",
        "def scaled_scores(Q, K):\n    masks = Q\n    return PAD",
        "def scaled_scores(Q, K:",
        "curves",
        "torch.nn.Linear(2, 2).eval()",
        "from mtcourse.text.tokenizer import EOS",
        "def scaled_scores(Q, K, theirs=1):\n    return theirs",
        "def scaled_scores(Q, K):\n    masks = Q\n    return masks",
    ],
)
def test_honest_answers_use_what_they_like(answer):
    assert faults(answer) == ""


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("scaled_scores = theirs", "theirs, which is the course's own"),
        ("theirs = theirs\ndef scaled_scores(Q, K):\n    return theirs(Q, K)", "theirs, which is"),
        ("def scaled_scores(Q, K):\n    return masks.causal_mask(3)", "masks, which is"),
        ("from mtcourse.layers.attention import *", "import from mtcourse.layers.attention"),
        ("from mtcourse import layers", "import from mtcourse"),
        ("def f():\n    import mtcourse.layers.attention as a", "import mtcourse.layers.attention"),
        ("from mtcourse.chapters.attention.exercises.scaled_scores import EXERCISE", "import from"),
        ("scaled_scores = check._exercises['scaled_scores'].oracle", "check, which is"),
        ("scaled_scores = __import__('mtcourse').layers", "__import__"),
        ("import importlib\nf = importlib.import_module('x')", "import_module"),
        ("exec('from mtcourse.layers.attention import scaled_scores')", "exec"),
    ],
)
def test_the_courses_own_answers_are_not_allowed(answer, says):
    assert says in faults(answer)
    assert faults(answer).startswith("not allowed here: ")


def test_names_that_play_has_defined_count_too():
    assert "mine" in faults("scaled_scores = mine", added="mine = theirs")
    assert "other" in faults(
        "scaled_scores = other",
        added="from mtcourse.layers.attention import self_attention as other",
    )
    assert faults("scaled_scores = mine", added="mine = 3") == ""


@pytest.mark.parametrize(
    "added",
    [
        "theirs(torch.ones(1, 2), torch.ones(1, 2))",
        "check('scaled_scores', scaled_scores)",
        "if check.passes('scaled_scores', scaled_scores): print('at last')",
    ],
)
def test_play_is_nobodys_fault(added):
    honest = "def scaled_scores(Q, K):\n    return Q @ K.mT\ncheck('scaled_scores', scaled_scores)"
    assert faults(honest, added=added) == ""


@pytest.mark.parametrize("source", SOLUTIONS, ids=lambda path: path.stem)
def test_the_courses_solutions_are_allowed(source):
    bank_of(source.stem)
    handed_out = read_cells(read_notebook(ROOT / "exercises" / source.name))
    assert find_forbidden_code(merge_submission(handed_out, read_submitted_notebook(source))) == {}


@pytest.mark.parametrize(
    "line",
    ["return torch.softmax(x, -1)", "softmax = x.exp()\n    return softmax / softmax.sum()"],
)
def test_what_an_exercise_asks_to_do_without_is_not_looked_for_in_the_text(line):
    answer = f"def row_softmax(x):\n    {line}"
    merged = MergedNotebook((MergedCell("answer", "row_softmax", answer, "a"),), (), ())
    assert find_forbidden_code(merged) == {}


MAGICS = [
    "if 0:\n    %pip list",
    "%%time",
    "files = !ls",
    "if 0:\n    there = %pwd",
    "?torch",
    "!ls '(",
]


@pytest.mark.parametrize("magic", MAGICS)
def test_no_magic_in_an_answers_cell_switches_this_off(magic):
    assert "theirs, which is the course's own" in faults(f"{magic}\nscaled_scores = theirs")


@pytest.mark.parametrize(
    "line", ["%time scaled_scores = theirs", "%%timeit -n1\nf = theirs", "time f = theirs"]
)
def test_nor_does_one_that_runs_the_answer(line):
    assert "theirs, which is the course's own" in faults(line)
