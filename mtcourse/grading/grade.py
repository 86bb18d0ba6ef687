"""A submission run cell by cell; each exercise judged outside the kernel, on inputs of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
        note: what else there is to say, such as the exception of the answer's cell.
    """

    exercise: str
    outcome: str
    verdict: Verdict | None = None
    note: str = ""


def grade(
    merged: Merged,
    bank: Sequence[Exercise],
    seed: int,
    start: Callable[[], GradingKernel],
    limits: Limits | None = None,
) -> list[Graded]:
    """Runs a merged notebook, and judges each exercise.

    A cell that ends the kernel or does not end costs its own exercise: the kernel is replaced, and
    what ran before is run again without that cell.

    Args:
        merged: the learner's answers in the instructor's notebook.
        bank: the checks of that notebook.
        seed: of the inputs; not the public one.
        start: makes a new kernel.
        limits: of each cell.

    Raises:
        MtcourseError: the seed is the one that learners' own checks use.
    """
    if seed == PUBLIC_SEED:
        raise MtcourseError(f"seed {seed} is the public one: its inputs are known; take another")
    known = {exercise.id: exercise for exercise in bank}
    banned = not_allowed(merged)
    run = _Run(start, limits or Limits())
    results: dict[str, Graded] = {}
    try:
        for step in merged.steps:
            if step.role != "check":
                run.take(step)
            elif step.exercise in known:
                results[step.exercise] = (
                    Graded(step.exercise, "error", note=banned[step.exercise])
                    if step.exercise in banned
                    else _judged(run, known[step.exercise], merged, seed)
                )
    finally:
        run.end()
    return [results[name] for name in known if name in results]


class _Run:
    """A kernel with what was run in it, to be run again in another."""

    def __init__(self, start: Callable[[], GradingKernel], limits: Limits) -> None:
        self._start = start
        self._limits = limits
        self._kernel = start()
        self._past: list[Step] = []
        self.ended: dict[str, Ran] = {}  # how each answer's cell ended, where not well

    def take(self, step: Step) -> None:
        """Runs a cell for good; if it loses the kernel, it is left out from then on."""
        ran = self._kernel.execute(step.source, self._limits)
        if step.role == "answer" and ran.state != "ok":
            self.ended[step.exercise] = ran
        if ran.kernel_is_lost:
            self._replace()
        else:
            self._past.append(step)

    def ask(self, source: str) -> Ran:
        """Runs a cell of the grader's, which leaves nothing behind."""
        ran = self._kernel.execute(source, self._limits)
        if ran.kernel_is_lost:
            self._replace()
        return ran

    def end(self) -> None:
        """Ends the kernel."""
        self._kernel.stop()

    def _replace(self) -> None:
        """Another kernel, with everything run again that ended well before."""
        self._kernel.stop()
        self._kernel = self._start()
        for step in list(self._past):
            if self._kernel.execute(step.source, self._limits).kernel_is_lost:
                self._past.remove(step)
                self._replace()
                return


def _judged(run: _Run, exercise: Exercise, merged: Merged, seed: int) -> Graded:
    """One exercise, after all cells before its check."""
    ended = run.ended.get(exercise.id)
    if exercise.id in merged.missing:
        return Graded(exercise.id, "missing", note="there is no cell for it")
    if ended and ended.kernel_is_lost:
        return Graded(exercise.id, ended.state, note="its own cell did not end well")
    cases = exercise.inputs(seed)
    ran = run.ask(check_cell(exercise, json.dumps(packed_cases(cases))))
    if ran.kernel_is_lost:
        return Graded(exercise.id, ran.state, note="while its answer was tried")
    note = ended.error if ended else ran.error
    try:
        packets = [data[ATTEMPT] for data in ran.data if ATTEMPT in data]
        tried = unpacked_attempt(packets[-1], len(cases))
    except (IndexError, BadPayload) as error:
        return Graded(exercise.id, "error", note=note or str(error))
    verdict = verdict_on(exercise, cases, tried)
    if verdict.answered:
        return Graded(exercise.id, "passed" if verdict.passed else "wrong", verdict, note)
    return Graded(exercise.id, "error" if ended else "open", verdict, note)


def check_cell(exercise: Exercise, cases: str) -> str:
    """The code in the place of a check: it shows what an answer does, and judges nothing."""
    told: Mapping[str, object] = {
        "exercise": exercise.id,
        "cases": cases,
        "is_value": exercise.cases is None,
        "gradients": exercise.gradients,
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in told.items())
    return (
        "from mtcourse.grading.kernel_side import show_attempt\n"
        f"show_attempt(names=globals(), {arguments})"
    )
