"""A submission run cell by cell; each exercise judged outside the kernel, on inputs of its own."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from mtcourse.checks.attempt import OPEN
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import Verdict, verdict_on
from mtcourse.errors import MtcourseError
from mtcourse.grading.forbidden_code import not_allowed
from mtcourse.grading.kernel import Ran
from mtcourse.grading.kernel_session import Run
from mtcourse.grading.kernel_side import ATTEMPT
from mtcourse.grading.merge import Merged, Step
from mtcourse.grading.python_source import can_be_read
from mtcourse.grading.wire_format import BadPayload, packed_cases, unpacked_attempt

LOST = ("timeout", "kernel-died", "output-limit")
"""Outcomes after which a kernel is gone."""
UNREAD = (
    "not allowed here: code that cannot be read before it is run; take the magics (% and !) out "
    "of this cell"
)


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
        without: the learner's cells that it uses, and that were left out after an accident.
    """

    exercise: str
    outcome: str
    verdict: Verdict | None = None
    feedback: Verdict | None = None
    note: str = ""
    without: tuple[str, ...] = ()


def grade(
    merged: Merged, bank: Sequence[Exercise], seed: int, run: Run
) -> Generator[Graded, None, None]:
    """Runs a submission, and judges each exercise where its check stands.

    All cells share a kernel. When it is lost, another one begins without the cell that it did not
    survive, and with all that was run before: so a loss costs the exercise that causes it.

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
        for place, step in enumerate(merged.steps):
            if step.role != "check":
                continue
            if step.exercise in merged.missing:
                yield Graded(step.exercise, "missing", note="there is no cell for it")
            elif step.exercise in banned:
                yield Graded(step.exercise, "error", note=banned[step.exercise])
            elif step.exercise in known:
                yield _graded(run, known[step.exercise], seed, merged.steps[:place])
        run.run_the_rest(merged.steps)
    finally:
        run.end()


def _graded(run: Run, exercise: Exercise, seed: int, before: Sequence[Step]) -> Graded:
    """One exercise, with as many of the earlier answers as the kernel survives."""
    graded = Graded(exercise.id, "missing")
    for number, company in enumerate(run.companies(before, exercise.id)):
        lost = run.bring(before, exercise.id, company)
        graded = _judged(run, exercise, seed, lost)
        if graded.outcome not in LOST:
            if number:  # with more of them the kernel was lost
                run.separate()
            break
    own = [i for i, one in enumerate(before) if (one.role, one.exercise) == ("answer", exercise.id)]
    if graded.outcome in LOST:
        ended = run.ended.get(exercise.id)
        for place in own * bool(ended and ended.kernel_is_lost):
            run.leave_out(before, place, graded.outcome)
        return graded
    if graded.outcome == "passed":
        is_read = all(can_be_read(before[place].source) for place in own)
        return graded if is_read else Graded(exercise.id, "error", note=UNREAD)
    return replace(graded, without=run.without(before, exercise.id))


def _judged(run: Run, exercise: Exercise, seed: int, lost: Ran | None) -> Graded:
    """One exercise, after all cells before its check, one of which may have lost the kernel."""
    ended = run.ended.get(exercise.id)
    if ended and ended.kernel_is_lost:
        return Graded(exercise.id, ended.state, note="its own cell did not end well")
    if lost:
        return Graded(exercise.id, lost.state, note="before it came to its answer")
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
