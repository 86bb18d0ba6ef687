"""What pytest learns: to grade returned notebooks on nbval, and a kernel for nbval itself.

    pytest --mtcourse-solutions solutions/ returned/04_attention.ipynb
    pytest --nbval --nbval-kernel-name mtcourse merged.ipynb

pytest loads this module whenever it starts, so that imports that take time stand inside functions.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbval.plugin import IPyNbFile

from mtcourse.errors import MtcourseError

KERNEL = "mtcourse"
_KERNELS = Path(__file__).parent / "isolation" / "jupyter"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("mtcourse", "grading of mtcourse's exercise notebooks")
    group.addoption(
        "--mtcourse-solutions", help="grade notebooks against those of the same name in this folder"
    )
    group.addoption("--mtcourse-seed", type=int, help="of the inputs; by default a new one")
    group.addoption("--mtcourse-isolation", default="auto", help="how to keep kernels apart")


def pytest_configure(config: pytest.Config) -> None:
    """Lets Jupyter find the kernel, in this process only."""
    if config.getoption("nbval_kernel_name", None) == KERNEL:
        paths = [str(_KERNELS), os.environ.get("JUPYTER_PATH", "")]
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, paths))
    if config.getoption("mtcourse_solutions") and config.getoption("mtcourse_seed") is None:
        config.option.mtcourse_seed = secrets.randbits(48)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Says what it takes to see the same again."""
    if not config.getoption("mtcourse_solutions"):
        return None
    return f"mtcourse: --mtcourse-seed {config.getoption('mtcourse_seed')}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Takes notebooks, where there are solutions to grade them against."""
    folder = parent.config.getoption("mtcourse_solutions")
    if not folder or file_path.suffix != ".ipynb":
        return None
    return GradedNotebook.from_parent(parent, path=file_path, solution=Path(folder, file_path.name))


class GradedNotebook(IPyNbFile):
    """A returned notebook; its tests are its exercises.

    Args:
        solution: the notebook that has the right answers.
    """

    def __init__(self, *, solution: Path, **others: Any) -> None:
        super().__init__(**others)
        self._solution = solution

    def collect(self) -> Iterator[GradedExercise]:
        """One test for each exercise, under its name."""
        from mtcourse.grading.grade_job import merged_of
        from mtcourse.grading.solution_notebook import exercises_of, read_notebook
        from mtcourse.grading.submitted_notebook import Unreadable, read_submission

        solution = read_notebook(self._solution)
        self.unreadable = ""
        try:
            read_submission(self.path)
            content = self.path.read_bytes()
            self._merged = merged_of(content, self._solution.stem, solution)
        except Unreadable as error:
            self.unreadable = str(error)
        for asked in exercises_of(solution):
            yield GradedExercise.from_parent(self, name=asked.id, asked=asked)

    def setup(self) -> None:
        """Gets ready to run; a kernel starts with the first exercise."""
        from mtcourse.checks.banks import bank_of
        from mtcourse.grading.judge_exercises import grade
        from mtcourse.grading.kernel import GradingKernel, Limits
        from mtcourse.grading.kernel_session import Run

        self.limits = Limits(seconds=min(self.config.option.nbval_cell_timeout, Limits.seconds))
        self._known: dict[str, Any] = {}
        if not self.unreadable:
            option = self.config.option
            run = Run(lambda: GradingKernel(option.mtcourse_isolation), self.limits)
            bank = bank_of(self._solution.stem)
            self._run = grade(self._merged, bank, option.mtcourse_seed, run)

    def result_of(self, asked: Any) -> Any:
        """How an exercise came out; the notebook is run as far as it takes to know."""
        from mtcourse.grading.grade_job import exercise_result
        from mtcourse.grading.results import ExerciseResult

        if self.unreadable:
            return ExerciseResult(asked.id, "unreadable", 0, asked.points, self.unreadable)
        while asked.id not in self._known:
            graded = next(self._run)
            self._known[graded.exercise] = graded
        return exercise_result(asked, self._known[asked.id], self._merged, self.limits)

    def teardown(self) -> None:
        """Ends the kernel."""
        if not self.unreadable:
            self._run.close()


class NotPassed(Exception):
    """An exercise that earns nothing, and why."""


class GradedExercise(pytest.Item):
    """One exercise as a test; its outcome and its points go into the report.

    Args:
        asked: the exercise.
    """

    def __init__(self, *, asked: Any, **others: Any) -> None:
        super().__init__(**others)
        self._asked = asked

    def runtest(self) -> None:
        """Fails where the exercise is not passed."""
        assert isinstance(self.parent, GradedNotebook)
        result = self.parent.result_of(self._asked)
        self.user_properties += [("outcome", result.outcome), ("points", result.points)]
        if result.outcome != "passed":
            raise NotPassed(f"{result.outcome}\n{result.says}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> Any:
        """What the learner reads, without a traceback."""
        if isinstance(excinfo.value, NotPassed | MtcourseError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands."""
        return self.path, 0, f"{self.path.name}::{self.name}"
