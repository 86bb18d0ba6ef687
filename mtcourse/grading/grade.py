"""A submission run cell by cell; each exercise judged outside the kernel, on inputs of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from mtcourse.checks.attempt import OPEN
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import Verdict, verdict_on
from mtcourse.errors import MtcourseError
from mtcourse.grading.allowed import not_allowed
from mtcourse.grading.kernel import GradingKernel, Limits, Ran
from mtcourse.grading.kernel_side import ATTEMPT
from mtcourse.grading.merge import Merged, Step
from mtcourse.grading.payload import BadPayload, packed_cases, unpacked_attempt


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
    """A kernel with what was run in it, to be run again in another when it is lost.

    Args:
        start: makes a new kernel.
        limits: of each cell.
    """

    def __init__(self, start: Callable[[], GradingKernel], limits: Limits | None = None) -> None:
        self._start = start
        self._limits = limits or Limits()
        self._deadline = time.monotonic() + self._limits.total
        self._kernel = start()
        self._past: list[Step] = []
        self.ended: dict[str, Ran] = {}  # how each answer's cell ended, where not well
        self.troubles: list[str] = []  # of the instructor's own cells

    def take(self, step: Step) -> None:
        """Runs a cell for good; if it loses the kernel, it is left out from then on."""
        ran = self._executed(step.source)
        if step.role == "answer" and ran.state != "ok":
            self.ended[step.exercise] = ran
        elif step.role == "given" and ran.state != "ok":
            self.troubles.append(
                f"the given cell {step.id} did not end well: {ran.error or ran.state}"
            )
        if ran.kernel_is_lost:
            self._replace()
        else:
            self._past.append(step)

    def ask(self, source: str) -> Ran:
        """Runs a cell of the grader's, which leaves nothing behind."""
        ran = self._executed(source)
        if ran.kernel_is_lost:
            self._replace()
        return ran

    def _executed(self, source: str) -> Ran:
        """Runs a cell for as long as there is time for all of them."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return Ran("timeout")
        limits = replace(self._limits, seconds=min(left, self._limits.seconds))
        return self._kernel.execute(source, limits)

    def end(self) -> None:
        """Ends the kernel."""
        self._kernel.stop()

    def _replace(self) -> None:
        """Another kernel, with everything run again that ended well before."""
        self._kernel.stop()
        if time.monotonic() > self._deadline:
            return
        self._kernel = self._start()
        for step in list(self._past):
            if self._executed(step.source).kernel_is_lost:
                self._past.remove(step)
                self._replace()
                return


def grade(
    merged: Merged, bank: Sequence[Exercise], seed: int, run: Run
) -> Generator[Graded, None, None]:
    """Runs a merged notebook, and judges each exercise when it comes to it.

    A cell that ends the kernel or does not end costs its own exercise: the kernel is replaced, and
    what ran before is run again without that cell.

    Args:
        merged: the learner's answers in the instructor's notebook.
        bank: the checks of that notebook.
        seed: of the inputs; not the public one.
        run: where it is run; it is ended at the end.

    Raises:
        MtcourseError: the seed is the one that learners' own checks use.
    """
    known = {exercise.id: exercise for exercise in bank}
    try:
        if seed == PUBLIC_SEED:
            raise MtcourseError(
                f"seed {seed} is the public one: its inputs are known; take another"
            )
        banned = not_allowed(merged, bank)
        for step in merged.steps:
            if step.role != "check":
                run.take(step)
            elif step.exercise in banned:
                yield Graded(step.exercise, "error", note=banned[step.exercise])
            elif step.exercise in known:
                yield _judged(run, known[step.exercise], merged, seed)
    finally:
        run.end()


def _judged(run: Run, exercise: Exercise, merged: Merged, seed: int) -> Graded:
    """One exercise, after all cells before its check."""
    ended = run.ended.get(exercise.id)
    if exercise.id in merged.missing:
        return Graded(exercise.id, "missing", note="there is no cell for it")
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
    """The verdict on what an answer does with the inputs of a seed, if anything came back."""
    cases = exercise.inputs(seed)
    ran = run.ask(check_cell(exercise, json.dumps(packed_cases(cases))))
    packets = [data[ATTEMPT] for data in ran.data if ATTEMPT in data]
    try:
        return verdict_on(exercise, cases, unpacked_attempt(packets[-1], len(cases))), ran
    except (IndexError, BadPayload):
        return None, ran


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
