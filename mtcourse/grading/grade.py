"""A submission run cell by cell; each exercise judged outside the kernel, on inputs of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from mtcourse.checks.attempt import OPEN
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import Verdict, verdict_on
from mtcourse.errors import MtcourseError
from mtcourse.grading.allowed import not_allowed
from mtcourse.grading.kernel import GradingKernel, Limits, Ran
from mtcourse.grading.kernel_side import ATTEMPT
from mtcourse.grading.merge import Merged, Step
from mtcourse.grading.payload import BadPayload, packed_cases, unpacked_attempt

LOST = ("timeout", "kernel-died", "output-limit")
"""Outcomes after which a kernel is gone."""


GIVEN_SECONDS = 60.0
"""That an instructor's cell has at least: learners do not pay for a slow machine."""


@dataclass(frozen=True)
class Graded:
    """How one exercise of a submission came out.

    Args:
        exercise: its id.
        outcome: "passed", "wrong", "open", "error", "timeout", "kernel-died", "output-limit" or
            "missing"; only the first earns points.
        verdict: what the check found, where it came to that.
        feedback: what it found on the inputs that everybody knows, where the answer is not right;
            a learner is told this, which holds no hidden input and no expected value.
        note: what else there is to say, such as the exception of the answer's cell.
    """

    exercise: str
    outcome: str
    verdict: Verdict | None = None
    feedback: Verdict | None = None
    note: str = ""


class Run:
    """A kernel with what was run in it.

    Args:
        start: makes a new kernel.
        limits: of each cell.
    """

    def __init__(self, start: Callable[[], GradingKernel], limits: Limits | None = None) -> None:
        self._start = start
        self._limits = limits or Limits()
        self._deadline = time.monotonic() + self._limits.total
        self._kernel: GradingKernel | None = None
        self._alone = False
        self._left_out: set[str] = set()  # added cells that lose the kernel
        self.theirs: set[str] = set()  # the learner's cells that were run in this kernel
        self.ended: dict[str, Ran] = {}  # how each answer's cell ended, where not well
        self.troubles: list[str] = []  # of the instructor's own cells, while all are run together

    def take(self, step: Step) -> Ran:
        """Runs a cell for good."""
        ran = self.ask(step.source, GIVEN_SECONDS if step.role == "given" else 0.0)
        if step.role in ("answer", "added"):
            self.theirs.add(step.exercise or step.id)
        if step.role == "answer" and ran.state != "ok":
            self.ended[step.exercise] = ran
        elif step.role == "given" and ran.state == "error" and not self._alone:
            self.troubles.append(f"the given cell {step.id} did not end well: {ran.error}")
        return ran

    @property
    def goes_on(self) -> bool:
        """Whether there is a kernel with all that was run in it."""
        return self._kernel is not None

    def ask(self, source: str, at_least: float = 0.0) -> Ran:
        """Runs a cell of the grader's, which leaves nothing behind."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return Ran("timeout")
        if self._kernel is None:
            self._kernel = self._start()
        seconds = min(left, max(at_least, self._limits.seconds))
        ran = self._kernel.execute(source, replace(self._limits, seconds=seconds))
        if ran.kernel_is_lost:
            self._kernel = None
        return ran

    def take_alone(self, steps: Sequence[Step], exercise: str) -> Ran | None:
        """Runs, in a new kernel, what belongs to one exercise and no answer to another.

        An added cell that loses the kernel is left out, from now on. Returns how the kernel was
        lost, where it was lost all the same.
        """
        self._alone = True
        while True:
            self.end()
            self.theirs.clear()
            self.ended.clear()
            for step in steps:
                others = step.role == "answer" and step.exercise != exercise
                if others or step.role == "check" or step.id in self._left_out:
                    continue
                ran = self.take(step)
                if ran.kernel_is_lost:
                    if step.role != "added" or self._is_over():
                        return ran
                    self._left_out.add(step.id)
                    break
            else:
                return None

    def _is_over(self) -> bool:
        """Whether there is no time left for anything."""
        return time.monotonic() > self._deadline

    def end(self) -> None:
        """Ends the kernel."""
        if self._kernel:
            self._kernel.stop()
        self._kernel = None


def grade(
    merged: Merged, bank: Sequence[Exercise], seed: int, run: Run
) -> Generator[Graded, None, None]:
    """Runs a merged notebook, and judges each exercise when it comes to it.

    All cells share a kernel, until one ends it or does not end. From there on each exercise gets a
    kernel of its own, without the answers to others: so a loss costs the exercise that causes it.

    Args:
        merged: the learner's answers in the instructor's notebook.
        bank: the checks of that notebook.
        seed: of the inputs; not the public one.
        run: where it is run; it is ended at the end.

    Raises:
        MtcourseError: the seed is the one that learners' own checks use.
    """
    known = {exercise.id: exercise for exercise in bank}
    together = True
    try:
        if seed == PUBLIC_SEED:
            raise MtcourseError(
                f"seed {seed} is the public one: its inputs are known; take another"
            )
        banned = not_allowed(merged, bank)
        for place, step in enumerate(merged.steps):
            if step.role != "check":
                together = together and not run.take(step).kernel_is_lost
            elif step.exercise in merged.missing:
                yield Graded(step.exercise, "missing", note="there is no cell for it")
            elif step.exercise in banned:
                yield Graded(step.exercise, "error", note=banned[step.exercise])
            elif step.exercise in known:
                exercise = known[step.exercise]
                if together:
                    graded = _judged(run, exercise, seed)
                    together = run.goes_on
                    if graded.outcome not in LOST or run.theirs <= {
                        exercise.id
                    }:  # nobody else can be to blame
                        yield graded
                        continue
                lost = run.take_alone(merged.steps[:place], exercise.id)
                if lost and exercise.id not in run.ended:
                    yield Graded(exercise.id, lost.state, note="before it came to its answer")
                else:
                    yield _judged(run, exercise, seed)
    finally:
        run.end()


def _judged(run: Run, exercise: Exercise, seed: int) -> Graded:
    """One exercise, after all cells before its check."""
    ended = run.ended.get(exercise.id)
    if ended and ended.kernel_is_lost:
        return Graded(exercise.id, ended.state, note="its own cell did not end well")
    tried, ran = _tried(run, exercise, seed)
    note = ended.error if ended else ""
    if ran.kernel_is_lost:
        return Graded(exercise.id, ran.state, note="while its answer was tried")
    if tried is None:
        return Graded(exercise.id, "error", note=note or "nothing came back from its answer")
    if tried.passed:
        return Graded(exercise.id, "passed", tried, note=note)
    if tried.answered:
        outcome = "wrong"
    else:  # nothing was there to try: the stub, something else than was asked for, or no answer
        outcome = "error" if ended else "open" if tried.wrong == OPEN else "wrong"
    feedback = tried if exercise.cases is None else _tried(run, exercise, PUBLIC_SEED)[0]
    return Graded(exercise.id, outcome, tried, feedback, note)


def _tried(run: Run, exercise: Exercise, seed: int) -> tuple[Verdict | None, Ran]:
    """The verdict on what an answer does with the inputs of a seed, if anything came back.

    Cases are tried in an order of the seed's: who knows only which answer comes when knows nothing.
    """
    cases = exercise.inputs(seed)
    order = torch.randperm(len(cases), generator=torch.Generator().manual_seed(seed)).tolist()
    shown = packed_cases([cases[place] for place in order])
    ran = run.ask(check_cell(exercise, json.dumps(shown)))
    packets = [data[ATTEMPT] for data in ran.data if ATTEMPT in data]
    try:
        tried = unpacked_attempt(packets[-1], len(cases))
    except (IndexError, BadPayload):
        return None, ran
    places = sorted(range(len(tried.outcomes)), key=order.__getitem__)
    outcomes = tuple(tried.outcomes[place] for place in places)
    return verdict_on(exercise, cases, replace(tried, outcomes=outcomes)), ran


def check_cell(exercise: Exercise, cases: str, shown_by: str = "show_attempt") -> str:
    """The code in the place of a check: it shows what an answer does, and judges nothing."""
    told: Mapping[str, object] = {
        "exercise": exercise.id,
        "cases": cases,
        "is_value": exercise.cases is None,
        "gradients": exercise.gradients,
        "forbids": exercise.forbids,
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in told.items())
    return (
        f"from mtcourse.grading.kernel_side import {shown_by}\n"
        f"{shown_by}(names=globals(), {arguments})"
    )
