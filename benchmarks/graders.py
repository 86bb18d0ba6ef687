"""The graders that are measured: what each needs, the command that grades a class, the points."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.graded_notebook import (
    ANSWERS,
    NAME,
    POINTS,
    answered_for_nbgrader,
    handed_in_to_mtcourse,
    learner,
    plain,
    solution_for_mtcourse,
    source_for_nbgrader,
    test_for_otter,
    write,
)
from mtcourse.grading.isolation.backends import why_unavailable
from mtcourse.grading.results import SubmissionResult

FULL = float(POINTS * len(ANSWERS))
"""The points of a right notebook."""
_ASSIGNMENT = "week1"
_PRINTED = {name: f"print({name}.__name__, {name}.__code__.co_argcount)" for name in ANSWERS}


@dataclass(frozen=True)
class Grader:
    """A way to grade a class of copies of one right notebook.

    Args:
        name: what it is called in the table.
        prepare: makes in a folder what is made once for a class.
        hand_in: puts a number of notebooks there.
        commands: what grades them, to be measured.
        points: what each of them got; all are right.
        sizes: of a small class and of a larger one.
        missing: why it cannot be measured here; empty where it can.
    """

    name: str
    prepare: Callable[[Path], None]
    hand_in: Callable[[Path, int], None]
    commands: Callable[[Path, int], list[Sequence[str]]]
    points: Callable[[Path], list[float]]
    sizes: tuple[int, int]
    missing: str = ""


def graders(programs: Path) -> list[Grader]:
    """All graders, this package's first.

    Args:
        programs: the folder with the programs of the others.
    """
    return [_mtcourse(), _nbgrader(programs), _nbval(programs), _otter(programs)]


def environment(programs: Path) -> dict[str, str]:
    """The environment of all: with one thread, and where nbgrader finds what it calls."""
    path = os.pathsep.join([str(programs.resolve()), os.environ.get("PATH", "")])
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore", "PATH": path}


def _missing(program: Path) -> str:
    return "" if program.exists() else f"there is no {program}"


def _run(program: Path, *arguments: str, folder: Path) -> None:
    """Runs what is not measured."""
    done = subprocess.run(
        [str(program), *arguments],
        cwd=folder,
        env=environment(program.parent),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{program} failed: {(done.stdout + done.stderr)[-2000:]}")


def _copies(count: int) -> list[str]:
    return [learner(number) for number in range(count)]


def _mtcourse() -> Grader:
    def prepare(folder: Path) -> None:
        write(folder / "solutions" / f"{NAME}.ipynb", solution_for_mtcourse())

    def hand_in(folder: Path, count: int) -> None:
        for name in _copies(count):
            notebook = handed_in_to_mtcourse(folder / "solutions" / f"{NAME}.ipynb", name)
            write(folder / "submissions" / name / f"{NAME}.ipynb", notebook)

    def commands(folder: Path, count: int) -> list[Sequence[str]]:
        command = [sys.executable, "-c", "from mtcourse.cli import main; main()", "grade"]
        where = ("submissions", "--solutions", "solutions", "--out", "grades")
        return [[*command, *where, "--isolation", "warm", "--workers", "1"]]

    def points(folder: Path) -> list[float]:
        records = (folder / "grades" / "records").glob("*/*.json")
        return [
            float(SubmissionResult.from_json(path.read_text("utf-8")).points) for path in records
        ]

    return Grader(
        "mtcourse, warm sandbox",
        prepare,
        hand_in,
        commands,
        points,
        (2, 22),
        why_unavailable("warm"),
    )


def _nbgrader(programs: Path) -> Grader:
    program = programs / "nbgrader"

    def prepare(folder: Path) -> None:
        (folder / "nbgrader_config.py").write_text(
            "c = get_config()\nc.CourseDirectory.course_id = 'x'\n"
        )
        write(folder / "source" / _ASSIGNMENT / f"{NAME}.ipynb", source_for_nbgrader())
        _run(program, "generate_assignment", _ASSIGNMENT, folder=folder)

    def hand_in(folder: Path, count: int) -> None:
        handed_out = folder / "release" / _ASSIGNMENT / f"{NAME}.ipynb"
        for name in _copies(count):
            path = folder / "submitted" / name / _ASSIGNMENT / f"{NAME}.ipynb"
            write(path, answered_for_nbgrader(handed_out, name))

    def commands(folder: Path, count: int) -> list[Sequence[str]]:
        return [[str(program), "autograde", _ASSIGNMENT]]

    def points(folder: Path) -> list[float]:
        _run(program, "export", "--to", "grades.csv", folder=folder)
        with (folder / "grades.csv").open(encoding="utf-8") as table:
            return [float(row["score"]) for row in csv.DictReader(table)]

    return Grader("nbgrader", prepare, hand_in, commands, points, (1, 4), _missing(program))


def _nbval(programs: Path) -> Grader:
    program = programs / "pytest"

    def prepare(folder: Path) -> None:
        write(folder / "solution.ipynb", plain(_PRINTED))
        execute = ("nbconvert", "--to", "notebook", "--execute", "--inplace", "solution.ipynb")
        _run(programs / "jupyter", *execute, folder=folder)

    def hand_in(folder: Path, count: int) -> None:
        solved = json.loads((folder / "solution.ipynb").read_text(encoding="utf-8"))
        for name in _copies(count):
            merged = plain(_PRINTED, author=name)
            for cell, right in zip(merged["cells"], solved["cells"], strict=True):
                cell["outputs"] = right["outputs"]
                cell["execution_count"] = right["execution_count"]
            write(folder / "submitted" / f"{name}.ipynb", merged)

    def commands(folder: Path, count: int) -> list[Sequence[str]]:
        report = f"--junit-xml={folder / 'report.xml'}"
        return [[str(program), "--nbval", "-q", "-p", "no:cacheprovider", report, "submitted"]]

    def points(folder: Path) -> list[float]:
        # The command succeeds only if every cell of every notebook is as it should be.
        return [FULL for _ in (folder / "submitted").iterdir()]

    return Grader("nbval", prepare, hand_in, commands, points, (1, 4), _missing(program))


def _otter(programs: Path) -> Grader:
    program = programs / "otter"
    start = f'import otter\n\ngrader = otter.Notebook("{NAME}.ipynb")'

    def prepare(folder: Path) -> None:
        (folder / "tests").mkdir()
        for name in ANSWERS:
            (folder / "tests" / f"{name}.py").write_text(test_for_otter(name), encoding="utf-8")
        make = ("generate", "--tests-dir", "tests", "--output-path", "autograder.zip")
        _run(program, *make, folder=folder)

    def hand_in(folder: Path, count: int) -> None:
        checks = {name: f'grader.check("{name}")' for name in ANSWERS}
        for name in _copies(count):
            write(folder / name / f"{NAME}.ipynb", plain(checks, start, author=name))

    def commands(folder: Path, count: int) -> list[Sequence[str]]:
        return [
            [
                *(str(program), "run", "--no-logo", "--autograder", "autograder.zip"),
                *("--output-dir", name, f"{name}/{NAME}.ipynb"),
            ]
            for name in _copies(count)
        ]

    def points(folder: Path) -> list[float]:
        found = [json.loads(path.read_text()) for path in folder.glob("learner*/results.json")]
        return [sum(test.get("score", 0.0) for test in one["tests"]) for one in found]

    return Grader("otter run", prepare, hand_in, commands, points, (1, 2), _missing(program))
