"""pytest grades returned notebooks, exercise by exercise; nbval alone runs a merged one."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.checks.banks import bank_of
from mtcourse.grading.command import Options, write_merged_notebook
from mtcourse.grading.isolation.backends import why_unavailable

ROOT = Path(__file__).resolve().parents[2]
SOLUTION = ROOT / "solutions" / "04_attention.ipynb"
SEED = 424242


def handed_in(**answers: str) -> str:
    """The solution, with other answers to some exercises."""
    notebook = json.loads(SOLUTION.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        told = cell["metadata"]["mtcourse"]
        if told["role"] == "answer" and told["id"] in answers:
            cell["source"] = answers[told["id"]]
    return json.dumps(notebook)


def run_pytest(folder: Path, *arguments: str) -> dict[str, tuple[bool, str]]:
    """Runs pytest as an instructor does: each test's name, whether it passed, and what it said."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-vv", "-p", "no:cacheprovider", "-p", "no:xdist"]
    subprocess.run([*command, f"--junitxml={report}", *arguments], cwd=folder, capture_output=True)
    cases = ElementTree.parse(report).iter("testcase")
    return {case.get("name"): (case.find("failure") is None, text(case)) for case in cases}


def text(case: ElementTree.Element) -> str:
    """What a failed test said."""
    failure = case.find("failure")
    return "" if failure is None else failure.text


WRONG = "def scaled_scores(Q, K):\n    return Q @ K.mT"
STOPS = "import os\nos._exit(3)"
SKIPS = "# NBVAL_SKIP\ndef attention(Q, K, V):\n    return V"


def test_a_test_has_the_name_of_its_exercise_and_says_what_the_learner_reads(tmp_path):
    returned = tmp_path / SOLUTION.name
    returned.write_text(handed_in(scaled_scores=WRONG, row_softmax=STOPS, attention=SKIPS))
    found = run_pytest(
        tmp_path,
        f"--mtcourse-solutions={SOLUTION.parent}",
        f"--mtcourse-seed={SEED}",
        returned.name,
    )
    assert {name for name, (passed, _) in found.items() if not passed} == {
        "scaled_scores",
        "row_softmax",
        "attention",
    }
    assert set(found) == {exercise.id for exercise in EXERCISES}
    assert "not divided by √d_k" in found["scaled_scores"][1]
    assert found["row_softmax"][1].startswith("kernel-died")


def test_an_unreadable_notebook_fails_every_exercise_with_the_reason(tmp_path):
    (tmp_path / SOLUTION.name).write_text("[]")
    found = run_pytest(tmp_path, f"--mtcourse-solutions={SOLUTION.parent}", SOLUTION.name)
    assert len(found) == len(EXERCISES)
    assert all("it holds a list" in said for _, said in found.values())


@pytest.mark.skipif(bool(why_unavailable("warm")), reason=why_unavailable("warm"))
def test_nbval_alone_runs_a_merged_notebook_behind_the_same_walls(tmp_path):
    spies = "def row_softmax(scores):\n    return open('/etc/passwd').read()"
    returned = tmp_path / "ann_04_attention.ipynb"
    returned.write_text(handed_in(scaled_scores=WRONG, row_softmax=spies))
    seed = write_merged_notebook(
        returned, SOLUTION.parent, tmp_path / "merged.ipynb", Options(seed=SEED)
    )
    assert seed == SEED
    found = run_pytest(tmp_path, "--nbval", "--nbval-kernel-name=mtcourse", "merged.ipynb")
    notebook = json.loads((tmp_path / "merged.ipynb").read_text(encoding="utf-8"))
    checks = [number for number, cell in enumerate(notebook["cells"]) if cell["outputs"]]
    assert len(checks) == len(EXERCISES)
    failed = [number for number, (passed, _) in enumerate(found.values()) if not passed]
    assert failed == checks[:2]
    assert "FileNotFoundError" in [said for _, said in found.values()][checks[1]]


MERGE = """
import sys
from pathlib import Path
from mtcourse.grading.command import Options, write_merged_notebook
out, *solutions = map(Path, sys.argv[1:])
for solution in solutions:
    write_merged_notebook(solution, solution.parent, out / solution.name, Options(seed=424242))
"""


def test_what_is_right_is_stored_though_an_answer_may_not_call_it(tmp_path):
    solutions = sorted(SOLUTION.parent.glob("*.ipynb"))
    # In a process of its own, since in this one the package's functions are wrapped.
    subprocess.run([sys.executable, "-c", MERGE, tmp_path, *solutions], check=True)
    for solution in solutions:
        cells = json.loads((tmp_path / solution.name).read_text(encoding="utf-8"))["cells"]
        stored = [output["text"] for cell in cells for output in cell["outputs"]]
        assert len(stored) == len(bank_of(solution.stem))
        assert not [text for text in stored if "not allowed" in text or not text.strip()]
