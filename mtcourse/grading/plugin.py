"""The pytest plugin: grades submitted notebooks as tests, and gives nbval an isolated kernel.

The first command grades, the second runs what ``mtcourse`` has merged::

    pytest --mtcourse-solutions solutions/ returned/04_attention.ipynb
    pytest --nbval --nbval-kernel-name mtcourse merged.ipynb

pytest imports this module on every start, so slow imports are inside functions.
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

KERNEL_NAME = "mtcourse"
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
    if config.getoption("nbval_kernel_name", None) == KERNEL_NAME:
        paths = [str(_KERNELS), os.environ.get("JUPYTER_PATH", "")]
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, paths))
    if config.getoption("mtcourse_solutions") and config.getoption("mtcourse_seed") is None:
        config.option.mtcourse_seed = secrets.randbits(48)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Prints the seed, with which a run can be repeated."""
    if not config.getoption("mtcourse_solutions"):
        return None
    return f"mtcourse: --mtcourse-seed {config.getoption('mtcourse_seed')}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects notebooks, if there are solutions for them."""
    folder = parent.config.getoption("mtcourse_solutions")
    if not folder or file_path.suffix != ".ipynb":
        return None
    return NotebookFile.from_parent(parent, path=file_path, solution=Path(folder, file_path.name))


class NotebookFile(IPyNbFile):
    """A submitted notebook, collected as one test for each exercise.

    Args:
        solution: the path of its solution notebook.
    """

    def __init__(self, *, solution: Path, **others: Any) -> None:
        super().__init__(**others)
        self._solution = solution

    def collect(self) -> Iterator[ExerciseItem]:
        """Yields one test for each exercise, with the exercise's name."""
        from mtcourse.grading.grade_job import merge_with_solution
        from mtcourse.grading.solution_notebook import read_exercise_specs, read_notebook
        from mtcourse.grading.submitted_notebook import Unreadable, read_submitted_notebook

        solution = read_notebook(self._solution)
        self.unreadable = ""
        try:
            read_submitted_notebook(self.path)
            content = self.path.read_bytes()
            self._merged = merge_with_solution(content, self._solution.stem, solution)
        except Unreadable as error:
            self.unreadable = str(error)
        for spec in read_exercise_specs(solution):
            yield ExerciseItem.from_parent(self, name=spec.id, spec=spec)

    def setup(self) -> None:
        """Prepares the run; a kernel starts with the first exercise."""
        from mtcourse.checks.banks import bank_of
        from mtcourse.grading.judge_exercises import judge_exercises
        from mtcourse.grading.kernel import GradingKernel, Limits
        from mtcourse.grading.kernel_session import KernelSession
        from mtcourse.grading.needed_modules import find_hidden_files
        from mtcourse.grading.solution_notebook import read_cohort, read_notebook

        self.limits = Limits(seconds=min(self.config.option.nbval_cell_timeout, Limits.seconds))
        self._judged_exercises: dict[str, Any] = {}
        if not self.unreadable:
            option = self.config.option
            isolation, hidden = option.mtcourse_isolation, find_hidden_files(self._merged)
            session = KernelSession(lambda: GradingKernel(isolation, hidden), self.limits)
            solution = read_notebook(self._solution)
            bank = bank_of(self._solution.stem, read_cohort(solution))
            self._judged = judge_exercises(self._merged, bank, option.mtcourse_seed, session)

    def grade_exercise(self, spec: Any) -> Any:
        """Returns the result of an exercise, and runs the notebook only as far as needed."""
        from mtcourse.grading.grade_job import make_exercise_result
        from mtcourse.grading.results import ExerciseResult

        if self.unreadable:
            return ExerciseResult(spec.id, "unreadable", 0, spec.points, self.unreadable)
        while spec.id not in self._judged_exercises:
            judged = next(self._judged)
            self._judged_exercises[judged.exercise] = judged
        return make_exercise_result(
            spec, self._judged_exercises[spec.id], self._merged, self.limits
        )

    def teardown(self) -> None:
        """Ends the kernel."""
        if not self.unreadable:
            self._judged.close()


class ExerciseNotPassed(Exception):
    """An exercise earns no points, with the reason."""


class ExerciseItem(pytest.Item):
    """One exercise as a test; its outcome and its points go into the report.

    Args:
        spec: the exercise as the solution notebook specifies it.
    """

    def __init__(self, *, spec: Any, **others: Any) -> None:
        super().__init__(**others)
        self._spec = spec

    def runtest(self) -> None:
        """Fails if the exercise is not passed."""
        assert isinstance(self.parent, NotebookFile)
        result = self.parent.grade_exercise(self._spec)
        self.user_properties += [("outcome", result.outcome), ("points", result.points)]
        if result.outcome != "passed":
            raise ExerciseNotPassed(f"{result.outcome}\n{result.feedback}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo, style: Any = None) -> Any:
        """Returns the learner's feedback in place of a traceback."""
        if isinstance(excinfo.value, ExerciseNotPassed | MtcourseError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Returns the file and the name for the report."""
        return self.path, 0, f"{self.path.name}::{self.name}"
