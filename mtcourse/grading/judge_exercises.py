"""Runs a submission cell by cell, and judges each exercise outside the kernel."""

from __future__ import annotations

import functools
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from mtcourse.checks.attempt import OPEN
from mtcourse.checks.exercise import PUBLIC_SEED, Exercise
from mtcourse.checks.judge import Verdict, expected_of, verdict_on
from mtcourse.checks.outcomes import Case, Outcome
from mtcourse.checks.parts import count_parts
from mtcourse.errors import MtcourseError
from mtcourse.grading.forbidden_code import find_forbidden_code
from mtcourse.grading.kernel import CellResult
from mtcourse.grading.kernel_session import KernelSession
from mtcourse.grading.kernel_side import ATTEMPT_MIME_TYPE
from mtcourse.grading.merge import MergedCell, MergedNotebook
from mtcourse.grading.python_source import is_parsable
from mtcourse.grading.wire_format import WireFormatError, decode_attempt, encode_cases

KERNEL_LOST = ("timeout", "kernel-died", "output-limit")
"""Outcomes after which the kernel is gone."""
MAX_TRIALS = 128
"""Exercises whose inputs and right outcomes a worker keeps: those of some notebooks."""
UNPARSABLE = (
    "not allowed here: code that cannot be read before it is run; take the magics (% and !) out "
    "of this cell"
)


@dataclass(frozen=True)
class JudgedExercise:
    """The verdict on one exercise of a submission.

    Args:
        exercise: the id of the exercise.
        outcome: "passed", "wrong", "open", "error", "timeout", "kernel-died", "output-limit" or
            "missing"; only the first earns points.
        verdict: the verdict of the check on the secret inputs, if there is one.
        public_verdict: the verdict on the public inputs if the answer is not right; the learner
            reads this one, because it reveals no secret input and no expected value.
        note: an additional explanation, such as the exception of the answer's cell.
        excluded_cells: the learner's cells that the answer uses, but that were excluded.
        parts: the number of parts of the exercise that hold, and of all its parts.
    """

    exercise: str
    outcome: str
    verdict: Verdict | None = None
    public_verdict: Verdict | None = None
    note: str = ""
    excluded_cells: tuple[str, ...] = ()
    parts: tuple[int, int] = (0, 0)


def judge_exercises(
    merged: MergedNotebook, bank: Sequence[Exercise], seed: int, session: KernelSession
) -> Generator[JudgedExercise, None, None]:
    """Runs a submission, and judges each exercise at the position of its check.

    All cells share a kernel. If it is lost, a new one runs the earlier cells again, except the one
    that lost it, so that an accident costs only the exercise that causes it.

    Args:
        merged: the merged notebook.
        bank: the exercises of that notebook.
        seed: the seed of the inputs; not the public one.
        session: runs the cells; it is ended at the end.

    Raises:
        MtcourseError: the seed is the one that the learners' own checks use.
    """
    known = {exercise.id: exercise for exercise in bank}
    try:
        if seed == PUBLIC_SEED or any(seed == exercise.public_seed for exercise in bank):
            raise MtcourseError(
                f"seed {seed} is the public one: its inputs are known; take another"
            )
        banned = find_forbidden_code(merged)
        for place, cell in enumerate(merged.cells):
            if cell.role != "check":
                continue
            if cell.exercise in merged.missing:
                yield JudgedExercise(cell.exercise, "missing", note="there is no cell for it")
            elif cell.exercise in banned:
                yield JudgedExercise(cell.exercise, "error", note=banned[cell.exercise])
            elif cell.exercise in known:
                yield _judge_exercise(session, known[cell.exercise], seed, merged.cells[:place])
        session.run_remaining(merged.cells)
    finally:
        session.end()


def _judge_exercise(
    session: KernelSession, exercise: Exercise, seed: int, before: Sequence[MergedCell]
) -> JudgedExercise:
    """Judges one exercise, run with as many of the earlier answers as the kernel survives."""
    judged = JudgedExercise(exercise.id, "missing")
    for number, companions in enumerate(session.companion_sets(before, exercise.id)):
        lost = session.prepare(before, exercise.id, companions)
        judged = _judge_answer(session, exercise, seed, lost)
        if judged.outcome not in KERNEL_LOST:
            if number:  # with more companions the kernel was lost
                session.run_separately()
            break
    own = [i for i, one in enumerate(before) if (one.role, one.exercise) == ("answer", exercise.id)]
    if judged.outcome in KERNEL_LOST:
        failure = session.failed_answers.get(exercise.id)
        for place in own * bool(failure and failure.kernel_is_lost):
            session.exclude(before, place, judged.outcome)
        return judged
    if judged.outcome == "passed":
        is_read = all(is_parsable(before[place].source) for place in own)
        return judged if is_read else JudgedExercise(exercise.id, "error", note=UNPARSABLE)
    if not all(is_parsable(before[place].source) for place in own):
        judged = replace(judged, parts=(0, 0))
    return replace(judged, excluded_cells=session.excluded_dependencies(before, exercise.id))


def _judge_answer(
    session: KernelSession, exercise: Exercise, seed: int, lost: CellResult | None
) -> JudgedExercise:
    """Judges one exercise; one of the cells before its check may have lost the kernel."""
    failure = session.failed_answers.get(exercise.id)
    if failure and failure.kernel_is_lost:
        return JudgedExercise(exercise.id, failure.state, note="its own cell did not end well")
    if lost:
        return JudgedExercise(exercise.id, lost.state, note="before it came to its answer")
    verdict, result, parts = _try_answer(session, exercise, seed)
    note = _describe_failure(failure) if failure else ""
    if result.kernel_is_lost:
        return JudgedExercise(exercise.id, result.state, note="while its answer was tried")
    if verdict is None:
        return JudgedExercise(
            exercise.id, "error", note=note or "nothing came back from its answer"
        )
    if verdict.passed:
        return JudgedExercise(exercise.id, "passed", verdict, note=note)
    if verdict.answered:
        outcome = "wrong"
    else:  # nothing could be tried: a stub, no answer, or one of another kind
        outcome = "error" if failure else "open" if verdict.wrong == OPEN else "wrong"
    public_verdict = (
        verdict
        if exercise.cases is None
        else _try_answer(session, exercise, exercise.public_seed)[0]
    )
    parts = parts if outcome == "wrong" else (0, 0)
    return JudgedExercise(exercise.id, outcome, verdict, public_verdict, note, parts=parts)


def _describe_failure(failure: CellResult) -> str:
    """Returns what stopped an answer's cell, and in which line of it."""
    is_told = not failure.line or "(line " in failure.error
    return failure.error if is_told else f"{failure.error}, at `{failure.line}`"


def _try_answer(
    session: KernelSession, exercise: Exercise, seed: int
) -> tuple[Verdict | None, CellResult, tuple[int, int]]:
    """Returns the verdict on an answer with the inputs of a seed, if any outcomes came back.

    With it come the result of the check's cell, and the parts of the exercise that hold.

    The seed also shuffles the cases, so that knowing the order of the answers does not help.
    """
    trial = _prepare_trial(exercise, seed)
    result = session.execute(trial.check_cell)
    packets = [data[ATTEMPT_MIME_TYPE] for data in result.data if ATTEMPT_MIME_TYPE in data]
    try:
        attempt = decode_attempt(packets[-1], [trial.cases[place] for place in trial.order])
    except (IndexError, WireFormatError):
        return None, result, (0, 0)
    places = sorted(range(len(attempt.outcomes)), key=trial.order.__getitem__)
    outcomes = tuple(attempt.outcomes[place] for place in places)
    attempt = replace(attempt, outcomes=outcomes)
    parts = count_parts(exercise, trial.cases, trial.expected, attempt)
    return verdict_on(exercise, trial.cases, trial.expected, attempt), result, parts


@dataclass(frozen=True)
class _Trial:
    """What is the same for every answer to an exercise with one seed.

    Args:
        cases: the inputs.
        order: the places of the cases in the order in which a kernel gets them.
        check_cell: the code that tries an answer on them.
        expected: what the right answer does on each.
    """

    cases: Sequence[Case]
    order: Sequence[int]
    check_cell: str
    expected: Sequence[Outcome]


@functools.lru_cache(maxsize=MAX_TRIALS)
def _prepare_trial(exercise: Exercise, seed: int) -> _Trial:
    """Prepares what every answer to an exercise is tried with; a class hands in many of them."""
    cases = exercise.inputs(seed)
    order = torch.randperm(len(cases), generator=torch.Generator().manual_seed(seed)).tolist()
    shown = json.dumps(encode_cases([cases[place] for place in order]))
    return _Trial(cases, order, make_check_cell(exercise, shown), expected_of(exercise, cases))


def make_check_cell(exercise: Exercise, cases: str, shown_by: str = "show_attempt") -> str:
    """Returns the code that replaces a check: it shows what an answer does, and judges nothing."""
    values: Mapping[str, object] = {
        "exercise": exercise.id,
        "cases": cases,
        "is_value": exercise.cases is None,
        "gradients": exercise.gradients,
        "forbids": exercise.forbids,
    }
    arguments = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"from mtcourse.grading.kernel_side import {shown_by}\n{shown_by}({arguments})"
