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
        "from mtcourse.chapters.attention.exercises import check\ncheck('x', 1)",
        "from mtcourse.layers import masks\nfrom mtcourse.layers.attention import *\n"
        "def scaled_scores(Q, K):\n    return Q @ K.mT",
        "def scaled_scores(Q, K):\n    return Q @ K.mT\nprint(theirs(1, 2) - scaled_scores(1, 2))",
        "def test():\n    assert scaled_scores(1, 2) == theirs(1, 2)\n"
        "def scaled_scores(Q, K):\n    return Q @ K.mT\ntest()",
        "right = theirs(1, 2)\ndef scaled_scores(Q, K):\n    return Q @ K.mT\n"
        "assert (scaled_scores(1, 2) - right).abs().max() < 1e-5",
        "print(eval('1 + 1'))\ndef scaled_scores(Q, K):\n    return Q",
        "import re\nword = re.compile('x')\ndef scaled_scores(Q, K):\n    return word",
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
        ("from mtcourse.layers.attention import *", "scaled_scores, which is"),
        (
            "from mtcourse import layers\nscaled_scores = layers.attention.scaled_scores",
            "layers, which is the course's own, at `scaled_scores = layers.attention.scaled",
        ),
        (
            "def scaled_scores(Q, K):\n    import mtcourse.layers.attention as a\n    return a",
            "import mtcourse.layers.attention",
        ),
        (
            "from mtcourse.chapters.attention.exercises.scaled_scores import EXERCISE as e\n"
            "scaled_scores = e.oracle",
            "e, which is",
        ),
        ("scaled_scores = check._exercises['scaled_scores'].oracle", "check, which is"),
        ("scaled_scores = __import__('mtcourse').layers", "__import__"),
        ("import importlib\nscaled_scores = importlib.import_module('x')", "import_module"),
        ("exec('from mtcourse.layers.attention import scaled_scores')", "exec, at `exec("),
        ("def g(masks):\n    return masks\nscaled_scores = g(masks)", "masks, which is"),
        ("def make():\n    return theirs\nT = make()\nscaled_scores = lambda *_: T", "theirs"),
        ("T = {}\nT[1] = theirs(1)\ndef scaled_scores(*_):\n    return T[1]", "theirs"),
        ("T = []\nT.append(theirs(1))\ndef scaled_scores(*_):\n    return T[0]", "theirs"),
        (
            "T = {}\ndef put(x):\n    T[1] = x\ndef again():\n    put(theirs(1))\nagain()\n"
            "def scaled_scores(*_):\n    return T[1]",
            "theirs, which is the course's own, at `put(theirs(1))`",
        ),
        (
            "T = {}\nfor m in range(9):\n    T[m] = theirs(m)\nscaled_scores = T.get",
            "theirs, which is the course's own, at `T[m] = theirs(m)`",
        ),
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
    "line",
    [
        "%time scaled_scores = theirs",
        "%%timeit -n1\nscaled_scores = theirs",
        "time scaled_scores = theirs",
    ],
)
def test_nor_does_one_that_runs_the_answer(line):
    assert "theirs, which is the course's own" in faults(line)
