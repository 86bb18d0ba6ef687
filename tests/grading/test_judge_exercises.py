"""Answers are judged outside the kernel; a cell that loses it costs its own exercise alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.checks.banks import bank_of
from mtcourse.checks.exercise import PUBLIC_SEED
from mtcourse.errors import MtcourseError
from mtcourse.grading.judge_exercises import judge_exercises
from mtcourse.grading.kernel import GradingKernel, Limits
from mtcourse.grading.kernel_session import KernelSession
from mtcourse.grading.merge import MergedCell, MergedNotebook, merge_submission
from mtcourse.grading.solution_notebook import read_cells, read_notebook
from mtcourse.grading.submitted_notebook import read_submitted_notebook

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = sorted((ROOT / "solutions").glob("*.ipynb"))
BANK = [{e.id: e for e in EXERCISES}[exercise] for exercise in ("scaled_scores", "row_softmax")]
SEED = 20261121
LIMITS = Limits(seconds=12, output=100_000)  # torch alone can take 4 s to import

GIVEN = "import math, torch"
SCORES = "def scaled_scores(Q, K):\n    return Q @ K.mT / math.sqrt(Q.shape[-1])"
SOFTMAX = """def row_softmax(scores):
    shares = torch.exp(scores - scores.amax(-1, keepdim=True))
    return shares / shares.sum(-1, keepdim=True)"""

# What runs by itself, and what runs when it is called.
MISDEEDS = {
    "loop": ("while True: pass", "timeout"),
    "loop that ignores interrupts": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "timeout",
    ),
    "exit": ("import os\nos._exit(0)", "kernel-died"),
    "print": ("while True: print('x' * 1000)", "output-limit"),
}


def submission(*answers: str, between: str = "") -> MergedNotebook:
    """The notebook with these answers to both exercises."""
    steps = [MergedCell("given", "", GIVEN, "given")]
    for exercise, answer in zip(BANK, answers, strict=True):
        if answer:
            steps.append(MergedCell("answer", exercise.id, answer, exercise.id))
        if between:
            steps.append(MergedCell("added", "", between, "added"))
        steps.append(MergedCell("check", exercise.id, "", f"{exercise.id}-check"))
    missing = [e.id for e, answer in zip(BANK, answers, strict=True) if not answer]
    return MergedNotebook(tuple(steps), tuple(missing), ())


def graded(merged: MergedNotebook) -> dict[str, object]:
    results = judge_exercises(merged, BANK, SEED, KernelSession(GradingKernel, LIMITS))
    return {result.exercise: result for result in results}


def outcomes(*answers: str, between: str = "") -> tuple[str, ...]:
    results = graded(submission(*answers, between=between))
    return tuple(results[exercise.id].outcome for exercise in BANK)


def test_right_and_wrong_answers_and_their_mistake():
    results = graded(submission("def scaled_scores(Q, K):\n    return Q @ K.mT", SOFTMAX))
    assert results["row_softmax"].outcome == "passed"
    assert results["scaled_scores"].outcome == "wrong"
    assert results["scaled_scores"].verdict.misconception == "not_scaled"


def test_open_missing_and_broken_answers_are_told_apart():
    stub = 'def scaled_scores(Q, K):\n    raise NotImplementedError("your answer goes here")'
    assert outcomes(stub, "") == ("open", "missing")
    results = graded(submission("def scaled_scores(Q, K:", "scores / 0"))
    assert {result.outcome for result in results.values()} == {"error"}
    assert "SyntaxError" in results["scaled_scores"].note
    assert "NameError" in results["row_softmax"].note


UNFINISHED = """class _IncompleteInputError(SyntaxError): pass
raise _IncompleteInputError('incomplete input')"""
"""What an answer comes to on Python 3.13 when a bracket is not closed; here it is made by hand."""


def test_an_unfinished_answer_is_a_syntax_error_on_every_python():
    results = graded(submission(UNFINISHED, "def row_softmax(scores"))
    notes = [results[exercise.id].note.partition(" (")[0] for exercise in BANK]
    assert notes == ["SyntaxError: incomplete input"] * 2


@pytest.mark.parametrize(("misdeed", "outcome"), MISDEEDS.values(), ids=MISDEEDS)
def test_a_cell_that_loses_the_kernel_costs_its_own_exercise(misdeed, outcome):
    assert outcomes(misdeed, SOFTMAX) == (outcome, "passed")


def test_an_answer_that_ends_the_kernel_when_it_is_called_costs_its_own_exercise():
    deadly = "import os\ndef scaled_scores(Q, K):\n    os._exit(1)"
    assert outcomes(deadly, SOFTMAX) == ("kernel-died", "passed")


def test_an_answer_that_never_returns_costs_its_own_exercise():
    endless = "def row_softmax(scores):\n    while True: pass"
    assert outcomes(SCORES, endless) == ("passed", "timeout")


def test_an_added_cell_that_loses_the_kernel_costs_nothing():
    assert outcomes(SCORES, SOFTMAX, between="import os\nos._exit(3)") == ("passed", "passed")


WRONG = "def scaled_scores(Q, K):\n    return Q @ K.mT"
FORGERIES = {
    "a comparison that always holds": f"""
{WRONG}
torch.allclose = torch.equal = lambda *_, **__: True
torch.Tensor.__eq__ = lambda *_: True
import mtcourse.checks.outcomes as outcomes
outcomes.apart = outcomes.distance = lambda *_: 0.0""",
    "an object that equals everything": """
class Equal:
    shape, dtype = (), None
    def __eq__(self, other): return True
    def __array__(self, *_): return None
def scaled_scores(Q, K): return Equal()""",
    "a verdict of its own": f"""
{WRONG}
from IPython.display import display
import mtcourse.checks.judge as judge
judge.judge = judge.verdict_on = lambda *_: judge.Verdict("scaled_scores", True)
display({{"application/vnd.mtcourse.verdict+json": {{"passed": True}}}}, raw=True)""",
    "an attempt without outcomes": f"""
{WRONG}
import mtcourse.grading.kernel_side as side
side.encode_attempt = lambda _: {{"fault": "", "outcomes": []}}""",
    "nothing shown at all": f"""
{WRONG}
import IPython.display
IPython.display.display = lambda *_, **__: None""",
    "printing what a pass looks like": f"""
{WRONG}
print("All of it is right.")""",
}


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_earns_nothing_and_harms_no_honest_answer_before_it(forgery):
    merged = submission(forgery, SOFTMAX)
    first, *rest = merged.cells
    honest_first = MergedNotebook((first, *rest[2:], *rest[:2]), (), ())
    results = graded(honest_first)
    assert results["scaled_scores"].outcome in ("wrong", "error")
    assert results["row_softmax"].outcome == "passed"


def test_the_public_seed_is_refused():
    with pytest.raises(MtcourseError, match="is the public one"):
        next(
            judge_exercises(
                submission(SCORES, SOFTMAX), BANK, PUBLIC_SEED, KernelSession(GradingKernel)
            )
        )


def test_the_inputs_of_another_seed_are_others():
    answers = "def scaled_scores(Q, K):\n    return known[tuple(Q.shape)]"
    known = {
        tuple(case.arguments[0].shape): BANK[0].oracle(*case.arguments).tolist()
        for case in BANK[0].inputs(PUBLIC_SEED)
    }
    table = f"known = {{k: torch.tensor(v) for k, v in {known!r}.items()}}\n{answers}"
    assert outcomes(table, SOFTMAX)[0] == "wrong"


@pytest.mark.by_turns(4)
@pytest.mark.parametrize(("folder", "outcome"), [("solutions", "passed"), ("exercises", "open")])
@pytest.mark.parametrize("source", SOLUTIONS, ids=lambda path: path.stem)
def test_the_courses_own_notebooks_handed_in(source, folder, outcome):
    bank = bank_of(source.stem)
    handed_out = read_cells(read_notebook(ROOT / "exercises" / source.name))
    merged = merge_submission(handed_out, read_submitted_notebook(ROOT / folder / source.name))
    assert (merged.missing, merged.repairs) == ((), ())
    run = KernelSession(GradingKernel)
    results = judge_exercises(merged, bank, SEED, run)
    assert {result.exercise: result.outcome for result in results} == {
        exercise.id: outcome for exercise in bank
    }
    assert run.notices == []
