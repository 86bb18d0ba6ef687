"""A class graded by the command itself, in real kernels: stopped in its midst, and finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from mtcourse.grading.results import GRADED, SubmissionResult

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "solutions" / "04_attention.ipynb"
SLEEP = '"import time; time.sleep(600)\\n",\n    "def scaled_scores'
COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from mtcourse.cli import main; main()"
)
"""It hears Ctrl-C: of tests that run in the background a shell has it ignored."""
PATIENCE = 100.0
"""Seconds for what a test waits for, on a machine however busy."""


class Command:
    """``mtcourse grade`` in a process of its own, with a folder for its temporary files."""

    def __init__(self, folder: Path, temporary: Path) -> None:
        self._folder, self._temporary = folder, temporary

    def hands_in(self, learner: str, slow: bool = False) -> None:
        """The solution; a slow one sleeps before it answers."""
        path = self._folder / "submissions" / learner / NOTEBOOK.name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = NOTEBOOK.read_text(encoding="utf-8")
        changed = text.replace('"def scaled_scores', SLEEP)
        assert changed != text
        path.write_text(changed if slow else text, encoding="utf-8")

    def record(self, learner: str) -> Path:
        return self._folder / "grades" / "records" / learner / "04_attention.json"

    def begin(self, walls: str) -> subprocess.Popen[str]:
        """Starts it as a terminal does, with a group of processes that Ctrl-C reaches."""
        options = ["--solutions", NOTEBOOK, "--out", self._folder / "grades", "--seed", 4711]
        options += ["--isolation", walls, "--workers", 1, "--seconds", 300]
        arguments = map(str, ["grade", self._folder / "submissions", *options])
        return subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env=os.environ | {"TMPDIR": str(self._temporary)},
            start_new_session=True,
        )

    def left_behind(self) -> list[Path]:
        return list(self._temporary.iterdir())


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder whose name is short enough for sockets in it."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_graded_ends_every_process_and_goes_on(tmp_path, temporary, walls):
    class_of = Command(tmp_path, temporary)
    for learner in ("alice", "bob", "carol"):
        class_of.hands_in(learner, slow=learner == "bob")
    running = class_of.begin(walls)
    until = time.monotonic() + PATIENCE
    while not class_of.record("alice").exists() and time.monotonic() < until:
        assert running.poll() is None, running.stdout and running.stdout.read()
        time.sleep(0.1)
    time.sleep(1.0)  # into the sleep of the next
    family = psutil.Process(running.pid).children(recursive=True)
    os.killpg(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert class_of.left_behind() == []
    assert not class_of.record("bob").exists()

    first = class_of.record("alice").stat()
    class_of.hands_in("bob")
    said, _ = (running := class_of.begin(walls)).communicate(timeout=2 * PATIENCE)
    assert running.returncode == 0, said
    assert "2 to grade, 1 done" in said
    again = class_of.record("alice").stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    for learner in ("alice", "bob", "carol"):
        result = SubmissionResult.from_json(class_of.record(learner).read_text(encoding="utf-8"))
        assert (result.state, result.points, result.max_points) == (GRADED, 21, 21)
        assert (result.seed, result.isolation) == (4711, walls)
    assert class_of.left_behind() == []


PHASES = {
    "proofs": "batch.json",
    "grading": "records/alice/04_attention.json",
    "reports": "records/carol/04_attention.json",
}
"""What there is as soon as it has come so far."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("phase", "number", "to_all"),
    [
        ("proofs", signal.SIGTERM, False),
        ("proofs", signal.SIGINT, True),
        ("grading", signal.SIGINT, False),
        ("grading", signal.SIGTERM, True),
        ("reports", signal.SIGTERM, False),
    ],
)
def test_interrupted_in_any_phase_it_ends_leaves_nothing_and_goes_on(
    tmp_path, temporary, walls, phase, number, to_all
):
    class_of = Command(tmp_path, temporary)
    for learner in ("alice", "bob", "carol"):
        class_of.hands_in(learner)
    running = class_of.begin(walls)
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "grades" / PHASES[phase]).exists() and time.monotonic() < until:
        time.sleep(0.05)
    family = psutil.Process(running.pid).children(recursive=True)
    (os.killpg if to_all else os.kill)(running.pid, number)
    said, _ = running.communicate(timeout=PATIENCE)
    assert running.returncode in ((128 + number, 0) if phase == "reports" else (128 + number,))
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert alive == []
    assert class_of.left_behind() == []
    grades = tmp_path / "grades"
    assert [path.name for path in grades.rglob(".*") if path.name != ".lock"] == []
    said, _ = (running := class_of.begin(walls)).communicate(timeout=2 * PATIENCE)
    assert running.returncode == 0, said
    for learner in ("alice", "bob", "carol"):
        result = SubmissionResult.from_json(class_of.record(learner).read_text(encoding="utf-8"))
        assert (result.state, result.points) == (GRADED, 21)
    assert (grades / "report.html").exists()
    assert class_of.left_behind() == []
