"""How a class is graded: solutions, secret seeds, isolation; and proof that the solutions pass."""

from __future__ import annotations

import functools
import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtcourse.checks.banks import bank_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Outcome, apart, outcome_of
from mtcourse.errors import MtcourseError
from mtcourse.grading.cache_key import compute_cache_key
from mtcourse.grading.cohort_solutions import check_numbers
from mtcourse.grading.grade_job import installed_versions
from mtcourse.grading.isolation.backends import find_best
from mtcourse.grading.jobs import Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import SubmissionResult
from mtcourse.grading.solution_notebook import (
    check_solution_notebook,
    read_cohort,
    read_exercise_specs,
    read_notebook,
)
from mtcourse.whole_files import write_whole

SEEDS_PER_NOTEBOOK = 3
"""The number of secret seeds of a notebook: one learner's inputs are also those of few others."""
MAX_SEED = 2**48
MAX_DRAWS = 100
"""The number of seeds to draw before an exercise counts as having the same answers on all."""
REFERENCE_LEARNER = "solution"
"""The name of the learner in jobs that grade a solution itself."""


@dataclass(frozen=True)
class Solution:
    """A solution notebook.

    Args:
        content: its bytes.
        points: the points of each exercise, by id.
        cohort: the cohort whose numbers it has; empty for the published ones.
    """

    content: bytes
    points: Mapping[str, int]
    cohort: str = ""


@dataclass(frozen=True)
class GradingConfig:
    """How the submissions of a class are graded.

    Args:
        solutions: the solutions by the name of their notebook.
        seeds: the seeds of each notebook.
        isolation: the name of the isolation for kernels.
        limits: the limits of each cell.
    """

    solutions: Mapping[str, Solution]
    seeds: Mapping[str, Sequence[int]]
    isolation: str
    limits: Limits

    def make_job(self, learner: str, notebook: str, file: str, content: bytes) -> Job:
        """Makes the job of grading a submission, with its cache key."""
        seeds = self.seeds[notebook]
        return self._make_job(
            learner, notebook, file, content, seeds[_choose_seed_index(learner, seeds)]
        )

    def make_reference_jobs(self, notebooks: Iterable[str]) -> list[Job]:
        """Makes the jobs of grading the solutions themselves, on every seed."""
        return [
            self._make_job(
                REFERENCE_LEARNER, name, f"{name}.ipynb", self.solutions[name].content, seed
            )
            for name in notebooks
            for seed in self.seeds[name]
        ]

    def _make_job(self, learner: str, notebook: str, file: str, content: bytes, seed: int) -> Job:
        solution = self.solutions[notebook].content
        job = Job(learner, notebook, file, content, solution, seed, self.isolation, self.limits)
        return replace(job, key=compute_cache_key(job))


def _choose_seed_index(learner: str, seeds: Sequence[int]) -> int:
    """Chooses a learner's seed: always the same one, but nobody can predict which."""
    text = json.dumps([*seeds, learner])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % len(seeds)


def read_solutions(path: Path) -> dict[str, Solution]:
    """Reads the solutions of a folder, or a single one.

    Raises:
        MtcourseError: there is none, or one is faulty.
    """
    paths = sorted(path.glob("*.ipynb")) if path.is_dir() else [path] * path.exists()
    if not paths:
        raise MtcourseError(f"there are no solutions at {path}: name their folder by --solutions")
    return {path.stem: _read_solution(path) for path in paths}


def _read_solution(path: Path) -> Solution:
    notebook = read_notebook(path)
    check_solution_notebook(path, notebook)
    points = {spec.id: spec.points for spec in read_exercise_specs(notebook)}
    check_numbers(path, notebook)
    return Solution(path.read_bytes(), points, read_cohort(notebook))


def prepare_grading_config(
    solutions: Mapping[str, Solution],
    path: Path | None,
    seed: int | None = None,
    isolation: str = "auto",
    limits: Limits | None = None,
) -> GradingConfig:
    """Prepares how a class is graded; what was chosen in an earlier run stays the same.

    Args:
        solutions: the solutions of the submitted notebooks.
        path: the file that stores seeds and isolation; with None nothing is stored.
        seed: the seed of the inputs for all submissions; by default secret seeds are drawn.
        isolation: the name of an isolation; "auto" keeps the stored one, or takes the best
            available.
        limits: the limits of each cell.

    Raises:
        MtcourseError: the file is damaged, with the seed some right answers are public, or nothing
            keeps submissions apart here.
    """
    before = _read_config(path) if path else {}
    seeds = {
        name: list(_check_given_seed(seed, name, one.cohort))
        if seed is not None
        else _draw_seeds(name, one.cohort, before)
        for name, one in solutions.items()
    }
    if isolation == "auto":
        isolation = before.get("isolation") or find_best()
    if path:
        now = {
            "isolation": isolation,
            "seeds": before.get("seeds", {}) | seeds,
            "versions": dict(installed_versions()),
        }
        write_whole(path, json.dumps(now, indent=1, sort_keys=True) + "\n", private=True)
    return GradingConfig(solutions, seeds, isolation, limits or Limits())


def _read_config(path: Path) -> dict:
    """Reads the stored seeds and isolation."""
    if not path.exists():
        return {}
    try:
        before = json.loads(path.read_text(encoding="utf-8"))
        lists = before["seeds"].values()
        if all(isinstance(seed, int) for seeds in lists for seed in seeds) and all(lists):
            return before
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    raise MtcourseError(
        f"{path} is damaged, and with it the seeds of this class: bring it back, "
        "or grade all anew into another folder"
    )


def _check_given_seed(seed: int, notebook: str, cohort: str) -> Sequence[int]:
    if same := find_known_answers(bank_of(notebook, cohort), seed):
        raise MtcourseError(
            f"seed {seed} asks {same[0]} of {notebook} for answers that everybody knows: "
            "take another"
        )
    return (seed,)


def _draw_seeds(notebook: str, cohort: str, before: Mapping) -> list[int]:
    """Returns the stored seeds of a notebook, or draws new ones."""
    if had := before.get("seeds", {}).get(notebook):
        return had
    bank, seeds = bank_of(notebook, cohort), []
    for _ in range(MAX_DRAWS):
        seed = secrets.randbelow(MAX_SEED)
        if seed not in seeds and not find_known_answers(bank, seed):
            seeds.append(seed)
        if len(seeds) == SEEDS_PER_NOTEBOOK:
            return seeds
    raise MtcourseError(
        f"no seed gives {notebook} answers that are not known: let the cases of "
        f"{', '.join(find_known_answers(bank, seed))} draw more of their inputs"
    )


def find_known_answers(bank: Sequence[Exercise], seed: int) -> list[str]:
    """Returns the exercises whose right answers with a seed equal the published ones.

    Exercises whose answers never change are left out, such as a value, or a function that is tried
    on a few sizes: they have nothing to keep secret.
    """
    return [
        exercise.id
        for exercise in bank
        if exercise.cases and _answers_are_known(exercise, seed) and _depends_on_seed(exercise)
    ]


def _answers_are_known(exercise: Exercise, seed: int) -> bool:
    ours, theirs = _right_answers(exercise, seed), _right_answers(exercise, exercise.public_seed)
    if len(ours) != len(theirs):
        return False
    pairs = zip(ours, theirs, strict=True)
    return all(apart(one, other, exercise.tolerance) <= 1 for one, other in pairs)


@functools.lru_cache(maxsize=256)
def _right_answers(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    return tuple(outcome_of(exercise.oracle, case) for case in exercise.inputs(seed))


def _depends_on_seed(exercise: Exercise) -> bool:
    """Whether the right answers depend on the seed at all."""
    return not all(_answers_are_known(exercise, seed) for seed in range(1000, 1010))


def check_reference_results(results: Iterable[SubmissionResult]) -> None:
    """Checks that all solutions pass.

    Raises:
        MtcourseError: one does not, so that nobody may be graded by it.
    """
    for result in results:
        where = f"the solution {result.notebook}, on seed {result.seed},"
        if result.state != "graded":
            raise MtcourseError(f"{where} could not be graded: {result.reason}")
        for one in result.exercises:
            if one.outcome != "passed":
                raise MtcourseError(
                    f"{where} does not pass {one.exercise} ({one.outcome}): nobody is graded "
                    f"until it does\n{one.feedback}"
                )
