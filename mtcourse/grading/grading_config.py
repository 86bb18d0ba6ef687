"""What one class is graded on: solutions, secret seeds, and proof that they pass on them."""

from __future__ import annotations

import functools
import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtcourse.checks.banks import bank_of
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.outcomes import Outcome, apart, outcome_of
from mtcourse.errors import MtcourseError
from mtcourse.grading.cache_key import key_of
from mtcourse.grading.grade_job import versions
from mtcourse.grading.isolation.backends import BACKENDS, why_not
from mtcourse.grading.jobs import Job
from mtcourse.grading.kernel import Limits
from mtcourse.grading.results import Result
from mtcourse.grading.solution_notebook import check_source, exercises_of, read_notebook
from mtcourse.whole_files import write_whole

SEEDS = 3
"""Secret seeds of a notebook: who has seen one learner's inputs knows those of few others."""
LARGEST_SEED = 2**48
TRIES = 100
"""Seeds that are drawn before an exercise is blamed for being the same on all."""
REFERENCE = "solution"
"""Stands for the learner where a solution itself is graded."""


@dataclass(frozen=True)
class Solution:
    """A solution notebook.

    Args:
        content: its bytes.
        points: of each of its exercises.
    """

    content: bytes
    points: Mapping[str, int]


@dataclass(frozen=True)
class Batch:
    """How the submissions of a class are graded.

    Args:
        solutions: by name of their notebook.
        seeds: of each notebook.
        isolation: how kernels are kept apart.
        limits: of each cell.
    """

    solutions: Mapping[str, Solution]
    seeds: Mapping[str, Sequence[int]]
    isolation: str
    limits: Limits

    def job(self, learner: str, notebook: str, file: str, content: bytes) -> Job:
        """The job of grading a submission, with its key."""
        seeds = self.seeds[notebook]
        return self._job(learner, notebook, file, content, seeds[_share(learner, seeds)])

    def references(self, notebooks: Iterable[str]) -> list[Job]:
        """The jobs of grading solutions themselves, on every seed."""
        return [
            self._job(REFERENCE, name, f"{name}.ipynb", self.solutions[name].content, seed)
            for name in notebooks
            for seed in self.seeds[name]
        ]

    def _job(self, learner: str, notebook: str, file: str, content: bytes, seed: int) -> Job:
        solution = self.solutions[notebook].content
        job = Job(learner, notebook, file, content, solution, seed, self.isolation, self.limits)
        return replace(job, key=key_of(job))


def _share(learner: str, seeds: Sequence[int]) -> int:
    """Which of several seeds is a learner's: the same every time, and nobody can tell which."""
    text = json.dumps([*seeds, learner])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % len(seeds)


def read_solutions(path: Path) -> dict[str, Solution]:
    """The solutions of a folder, or the one that is named.

    Raises:
        MtcourseError: there is none, or one is faulty.
    """
    paths = sorted(path.glob("*.ipynb")) if path.is_dir() else [path] * path.exists()
    if not paths:
        raise MtcourseError(f"there are no solutions at {path}: name their folder by --solutions")
    return {path.stem: _solution(path) for path in paths}


def _solution(path: Path) -> Solution:
    notebook = read_notebook(path)
    check_source(path, notebook)
    points = {asked.id: asked.points for asked in exercises_of(notebook)}
    return Solution(path.read_bytes(), points)


def open_batch(
    solutions: Mapping[str, Solution],
    kept: Path | None,
    seed: int | None = None,
    isolation: str = "auto",
    limits: Limits | None = None,
) -> Batch:
    """How a class is graded; what was drawn for it once stays as it is.

    Args:
        solutions: of the notebooks that were handed in.
        kept: the file that keeps it; None keeps nothing.
        seed: of the inputs of all submissions, as a result names it; by default secret ones.
        isolation: one of ``BACKENDS``; "auto" stays with what was taken before, or takes the best.
        limits: of each cell.

    Raises:
        MtcourseError: the file is damaged, or a seed gives a right answer that everybody knows.
    """
    before = _kept(kept) if kept else {}
    seeds = {
        name: list(_given(seed, name)) if seed is not None else _drawn(name, before)
        for name in solutions
    }
    if isolation == "auto":
        isolation = before.get("isolation") or next(one for one in BACKENDS if not why_not(one))
    if kept:
        now = {
            "isolation": isolation,
            "seeds": before.get("seeds", {}) | seeds,
            "versions": dict(versions()),
        }
        write_whole(kept, json.dumps(now, indent=1, sort_keys=True) + "\n", private=True)
    return Batch(solutions, seeds, isolation, limits or Limits())


def _kept(path: Path) -> dict:
    """What the file of a batch says."""
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


def _given(seed: int, notebook: str) -> Sequence[int]:
    if same := same_as_published(bank_of(notebook), seed):
        raise MtcourseError(
            f"seed {seed} asks {same[0]} of {notebook} for answers that everybody knows: "
            "take another"
        )
    return (seed,)


def _drawn(notebook: str, before: Mapping) -> list[int]:
    """The seeds that a notebook had, or new ones."""
    if had := before.get("seeds", {}).get(notebook):
        return had
    bank, seeds = bank_of(notebook), []
    for _ in range(TRIES):
        seed = secrets.randbelow(LARGEST_SEED)
        if seed not in seeds and not same_as_published(bank, seed):
            seeds.append(seed)
        if len(seeds) == SEEDS:
            return seeds
    raise MtcourseError(
        f"no seed gives {notebook} answers that are not known: let the cases of "
        f"{', '.join(same_as_published(bank, seed))} draw more of their inputs"
    )


def same_as_published(bank: Sequence[Exercise], seed: int) -> list[str]:
    """The exercises whose right answers with a seed are those with everybody's.

    Left out are those whose answers never change, such as a value, or a function that is tried on
    a few sizes: there is nothing in them to keep secret.
    """
    return [
        exercise.id
        for exercise in bank
        if exercise.cases and _answers_are_known(exercise, seed) and _varies(exercise)
    ]


def _answers_are_known(exercise: Exercise, seed: int) -> bool:
    ours, theirs = _right_answers(exercise, seed), _right_answers(exercise, PUBLIC_SEED)
    if len(ours) != len(theirs):
        return False
    pairs = zip(ours, theirs, strict=True)
    return all(apart(one, other, exercise.tolerance) <= 1 for one, other in pairs)


@functools.lru_cache(maxsize=256)
def _right_answers(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    return tuple(outcome_of(exercise.oracle, case) for case in exercise.inputs(seed))


def _varies(exercise: Exercise) -> bool:
    """Whether right answers depend on the seed at all."""
    return not all(_answers_are_known(exercise, seed) for seed in range(1000, 1010))


def check_references(results: Iterable[Result]) -> None:
    """Sees to it that all solutions pass.

    Raises:
        MtcourseError: one does not; nobody may be judged by it.
    """
    for result in results:
        where = f"the solution {result.notebook}, on seed {result.seed},"
        if result.state != "graded":
            raise MtcourseError(f"{where} could not be graded: {result.reason}")
        for one in result.exercises:
            if one.outcome != "passed":
                raise MtcourseError(
                    f"{where} does not pass {one.exercise} ({one.outcome}): nobody is graded "
                    f"until it does\n{one.says}"
                )
