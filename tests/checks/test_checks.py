"""The verdict on an answer: in a teacher's order, with the mistake's own name, and calm."""

from __future__ import annotations

import copy
import math
from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.chapters.attention.exercises import EXERCISES, check
from mtcourse.checks.checker import VERDICT
from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, message_of
from mtcourse.checks.judge import judge
from mtcourse.checks.outcomes import (
    Case,
    Outcome,
    Stop,
    apart,
    changed_places,
    distance,
    outcome_of,
)
from mtcourse.checks.report import report

SCORES = next(exercise for exercise in EXERCISES if exercise.id == "scaled_scores")


def right(Q, K):
    return Q @ K.mT / math.sqrt(Q.shape[-1])


# --- verdicts -----------------------------------------------------------------------------------


def test_a_right_answer_passes_with_all_that_was_looked_at():
    verdict = judge(SCORES, right)
    assert verdict.passed
    assert verdict.holds[0] == "runs on every input"
    assert verdict.holds[-1] == "lets gradients through"
    assert str(verdict).endswith("All of it is right.")


def test_a_known_mistake_gets_its_own_message():
    verdict = judge(SCORES, lambda Q, K: (K @ Q.mT).mT)
    assert (verdict.passed, verdict.misconception) == (False, "not_scaled")
    assert "not divided by √d_k" in str(verdict)
    assert "Hint: " in str(verdict)


def test_a_known_mistake_is_known_by_its_values_whatever_its_gradients():
    verdict = judge(SCORES, lambda Q, K: (Q @ K.mT).detach())
    assert verdict.misconception == "not_scaled"
    bare = replace(SCORES, misconceptions=())
    verdict = judge(bare, lambda Q, K: right(Q, K).detach())
    assert verdict.misconception == "loses_gradients"
    assert verdict.holds[-1] == "is right on all other inputs"


def test_an_unknown_mistake_gets_the_first_thing_that_is_wrong():
    verdict = judge(SCORES, lambda Q, K: right(Q, K).sin())
    assert verdict.misconception == ""
    assert verdict.wrong.startswith("is right where you can check it by hand\n")
    assert verdict.hint == SCORES.hint
    lines = verdict.wrong.splitlines()
    assert lines[2].startswith("Q = [[")
    assert [line[:8] for line in lines[-2:]] == ["yours = ", "right = "]


def stops(Q, K):
    return Q.nothing


def gives_nothing(Q, K):
    Q @ K.mT


def in_single_precision(Q, K):
    return right(Q, K) + torch.zeros(Q.shape[-2], 1).mm(torch.zeros(1, 1).to(Q))


def for_one_sentence(Q, K):
    return Q @ K.T / math.sqrt(Q.shape[-1]) if Q.dim() == 2 else right(Q, K) + 1


def test_a_list_where_a_tensor_is_wanted_is_said_within_a_tuple_too():
    case = Case("two", (torch.eye(2),))
    oracle = lambda x: (x.sum(), x)  # noqa: E731
    pair = Exercise("pair", oracle, "Both.", (), (), lambda draw: [case])
    wrong = judge(pair, lambda x: (x.sum(), x.tolist())).wrong
    assert (
        "the second thing that it returns is a sequence of 2, and should be a tensor of numbers"
        in wrong
    )
    assert judge(pair, lambda x: [float(x.sum()), x]).passed


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (stops, "runs on every input\non two queries"),
        (stops, "Tensor' object has no attribute 'nothing', at `return Q.nothing`"),
        (gives_nothing, "it is nothing (is there a return?), and should be a tensor of numbers"),
        (lambda Q, K: right(Q, K) > 0, "it is a tensor of True and False"),
        (lambda Q, K: right(Q, K).tolist(), "it is a sequence of 2"),
        (lambda Q, K: right(Q, K)[..., :1, :], "it is (1, 3), and should be (2, 3)"),
        (lambda Q, K: right(Q, K).detach(), "nothing flows back"),
        (lambda Q, K: right(Q, K).detach() + 0 * Q.sum() * K.sum(), "and its gradient is not"),
        (lambda Q, K: np.float64(1.0), "it is a number, and should be a tensor of numbers"),
        (for_one_sentence, "is right on all other inputs\non 3 sentences, at ["),
        (in_single_precision, "are of type float64, and something that you made is not"),
        (lambda Q: Q, "TypeError"),
        (lambda Q, K: exit(), "it ended the program"),
    ],
)  # fmt: skip
def test_the_first_thing_that_is_wrong_is_said(answer, says):
    verdict = judge(SCORES, answer)
    assert not verdict.passed
    assert says in verdict.wrong
    assert "Traceback" not in str(verdict)


def test_equal_infinities_are_no_difference():
    right, rows = torch.tensor([-math.inf, 1.0, 2.0]), torch.zeros(3)
    filled = Exercise("filled", lambda x: right, "Fill.", (), (), lambda draw: [Case("a", (rows,))])
    verdict = judge(filled, lambda x: torch.tensor([-math.inf, 1.0, 3.0]))
    assert "at [2] yours is 3, and should be 2" in verdict.wrong


def test_of_lists_the_first_difference_is_shown_and_not_their_length_alone():
    case = Case("five", (5,), by_hand=True)
    numbers = Exercise("numbers", lambda n: list(range(n)), "Count.", (), (), lambda draw: [case])
    assert "yours = [1, 2]\nright = [0, 1, 2, 3, 4]" in judge(numbers, lambda n: [1, 2]).wrong
    assert judge(numbers, lambda n: tuple(range(n))).passed
    assert "it is a number, and should be a sequence of 5" in judge(numbers, lambda n: n).wrong


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (..., "not answered yet"),
        (torch.ones(2), "with the function itself and not what it returns"),
        (None, "a function is asked for"),
    ],
)
def test_what_is_no_answer_is_told_apart(answer, says):
    verdict = judge(SCORES, answer)
    assert (verdict.answered, verdict.passed) == (False, False)
    assert says in verdict.wrong


def test_a_stub_is_called_once():
    calls = []

    def stub(Q, K):
        calls.append(Q)
        raise NotImplementedError("your answer goes here")

    assert judge(SCORES, stub).wrong == "not answered yet"
    assert len(calls) == 1


def test_inputs_that_an_answer_changes_are_said_though_its_values_are_right():
    def in_place(Q, K):
        K.mul_(1 / math.sqrt(K.shape[-1]))
        return Q @ K.mT

    verdict = judge(SCORES, in_place)
    assert "leaves its inputs as they were" in verdict.wrong
    assert "`K` is not what it was before" in verdict.wrong


def test_an_answer_never_changes_what_the_next_one_gets():
    def empties(Q, K):
        scores = right(Q, K)
        Q.zero_()
        return scores

    assert not judge(SCORES, empties).passed
    assert judge(SCORES, right).passed


def test_the_listed_inputs_are_everybodys_and_others_are_a_seeds_own():
    assert judge(SCORES, stops) == judge(SCORES, stops)
    half = len(SCORES.listed())
    one, other = SCORES.inputs(1), SCORES.inputs(2)
    for mine, yours in zip(one[:half], other[:half], strict=True):
        assert all(torch.equal(*each) for each in zip(mine.arguments, yours.arguments, strict=True))
    drawn = [*zip(one[half:], other[half:], strict=True)]
    assert any(not torch.equal(mine.arguments[0], yours.arguments[0]) for mine, yours in drawn)


# --- values, rules ------------------------------------------------------------------------------


def half():
    return 0.5


def quarter():
    """It is halved twice.

    Once is enough."""
    return 0.25


VALUE = Exercise("share", half, "Draw it.", (quarter,), (half,))


def test_a_value_is_judged_without_being_told():
    assert judge(VALUE, 0.5).passed
    assert judge(VALUE, torch.tensor(0.5)).passed
    verdict = judge(VALUE, 0.25)
    assert (verdict.misconception, verdict.hint) == ("quarter", "Once is enough.")
    assert "0.5" not in str(judge(VALUE, 0.3))
    assert judge(VALUE, half).wrong == "a value is asked for, but share is a function"
    assert not judge(VALUE, ...).answered


def shares():
    return {"first": 0.5, "second": 0.25}


def test_of_several_values_the_wrong_ones_are_named():
    exercise = Exercise("shares", shares, "Draw them.", (), (shares,))
    verdict = judge(exercise, {"first": 0.5, "second": 0.5})
    assert verdict.wrong.endswith("not yet: second")
    assert "0.25" not in str(verdict)
    assert "missing: 'second'" in judge(exercise, {"first": 0.5}).wrong
    assert "with the names 'first', 'second'" in judge(exercise, [0.5, 0.25]).wrong
    note = {"first": 0.5, "second": 0.25, "note": "easy"}
    assert "not asked for: 'note'" in judge(exercise, note).wrong
    assert "with the names 'first', 'second'" in judge(exercise, 0.5).wrong
    assert not judge(exercise, {"first": 0.5, "second": ...}).answered


def test_of_many_names_the_first_are_listed():
    exercise = Exercise("many", lambda: dict.fromkeys("abcdefg", 1), "Count.", (), ())
    assert "with the names 'a', 'b', 'c' and 4 more" in judge(exercise, 1).wrong
    wrong = judge(exercise, {"a": 1, "b": 1}).wrong
    assert wrong.endswith("missing: 'c', 'd', 'e' and 2 more")


def named_parts(x):
    return {"rows": x, "mean": float(x.mean()), "from": None, "words": ["a"]}


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"rows": [[1.0]]}, "'rows' is a sequence of 1, and should be a tensor of numbers"),
        ({"rows": torch.ones(2)}, "'rows' has the shape (2,), and should be (2, 2)"),
        ({"mean": "0.5"}, "'mean' is text, and should be a number"),
        ({"words": (one for one in "a")}, "'words' is an object of type generator, and should be"),
        ({"more": 1}, "not asked for: 'more'"),
        ({"from": 3}, "yours = "),
        ({"mean": None}, "yours = "),
    ],
)
def test_of_a_dictionary_the_part_of_another_kind_is_named(part, says):
    case = Case("two rows", (torch.eye(2),), by_hand=True)
    exercise = Exercise("parts", named_parts, "All of it.", (), (), lambda draw: [case])
    assert says in judge(exercise, lambda x: named_parts(x) | part).wrong


def test_a_dictionary_and_a_set_may_be_of_any_class():
    case = Case("two rows", (torch.eye(2),), by_hand=True)
    parts = Exercise("parts", named_parts, "All of it.", (), (), lambda draw: [case])
    assert judge(parts, lambda x: OrderedDict(named_parts(x))).passed
    letters = Exercise("letters", lambda x: {"a", "b"}, "Both.", (), (), lambda draw: [case])
    assert judge(letters, lambda x: frozenset("ab")).passed
    assert "it is a dictionary, and should be a set" in judge(letters, lambda x: {"a": 1}).wrong


def test_the_numbers_in_a_dictionary_are_rounded_as_others_are():
    case = Case("two rows", (torch.eye(2),), by_hand=True)
    exercise = Exercise("parts", named_parts, "All of it.", (), (), lambda draw: [case])
    wrong = judge(exercise, lambda x: named_parts(x) | {"mean": 1 / 3}).wrong
    assert "yours = {'rows': [[1, 0], [0, 1]], 'mean': 0.3333," in wrong


def test_a_number_is_as_good_as_a_tensor_of_one():
    total = Exercise("total", lambda x: x.sum(), "add", (), (), cases=one_row)
    assert judge(total, lambda x: float(x.sum())).passed
    assert "a tensor of numbers, and should be a number" in judge(total, lambda x: x).wrong


def one_row(draw):
    return [Case("three numbers", (draw.normal(3),))]


def test_a_rule_is_looked_at_before_the_values():
    rule = Rule("each row sums to 1", lambda _, value: bool((value.sum(-1) == 1).all()))
    exercise = Exercise(
        "rows",
        lambda x: x / x.sum(-1, keepdim=True),
        "Divide.",
        (),
        (),
        cases=lambda _: [Case("ones", (torch.ones(2, 4),), by_hand=True)],
        rules=(rule,),
    )
    assert judge(exercise, lambda x: x / 4).passed
    assert judge(exercise, lambda x: x).wrong.startswith("each row sums to 1\nnot on ones")


def test_message_and_hint_are_the_docstrings_paragraphs():
    assert message_of(quarter) == ("It is halved twice.", "Once is enough.")


# --- distances ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "tolerances"),
    [
        (torch.tensor([1.0]), torch.tensor([1.0 + 4e-5]), 2.0),
        (torch.tensor([math.nan]), torch.tensor([math.nan]), 0.0),
        (torch.tensor([math.nan]), torch.tensor([1.0]), math.inf),
        (torch.tensor([-math.inf]), torch.tensor([-math.inf]), 0.0),
        (torch.tensor([-math.inf]), torch.tensor([-1e9]), math.inf),
        (torch.ones(2), torch.ones(2, 1), math.inf),
        (torch.ones(2).bool(), torch.ones(2), math.inf),
        ((1.0, torch.ones(1)), (1.0, torch.ones(1)), 0.0),
        ((1.0,), (1.0, 1.0), math.inf),
        ({"a": 1.0}, {"a": 1.0}, 0.0),
        ({"a": 1.0}, {"b": 1.0}, math.inf),
        ("a", "a", 0.0),
        (None, 1.0, math.inf),
        ({1, 2}, {2, 1}, 0.0),
        (1.0, 1.0 + 4e-5, 2.0),
        (2, 2.0, 0.0),
        (math.nan, math.nan, 0.0),
        (math.nan, 1.0, math.inf),
        (math.inf, 1, math.inf),
        (10**400, 1.0, math.inf),
        (1e39, 2e39, 0.5e5),
        (True, 1.5, 0.2e5),
    ],
)
def test_distance_is_counted_in_tolerances(one, other, tolerances):
    assert distance(one, other, 1e-5) == pytest.approx(tolerances, rel=0.01)


NUMBERS = st.integers(-(2**50), 2**50) | st.floats(allow_subnormal=False)


@given(one=NUMBERS, other=NUMBERS)
def test_numbers_of_python_are_as_far_apart_as_tensors_of_them(one, other):
    tensors = [torch.tensor(number, dtype=torch.float64) for number in (one, other)]
    assert distance(one, other, 1e-5) == pytest.approx(distance(*tensors, 1e-5), nan_ok=True)
    assert (distance(one, other, 0.0) > 0) == (distance(*tensors, 0.0) > 0)


def test_a_number_of_python_may_be_one_of_single_precision():
    assert distance(float(torch.tensor(0.1)), 0.1, 1e-9) < 1
    assert distance(0.1 + 1e-5, 0.1, 1e-9) > 1


def test_half_precision_is_given_its_own_rounding():
    one = torch.tensor([1.0], dtype=torch.float16)
    assert distance(one + 2e-3, one.float(), 1e-5) < 1
    assert distance(one + 2e-2, one.float(), 1e-5) > 1


def test_whatever_an_answer_returns_can_be_compared():
    class Odd:
        def __eq__(self, other):
            raise ValueError("no")

        __hash__ = None

    assert distance(Odd(), Odd(), 1e-5) == math.inf


def test_outcomes_differ_by_error_and_by_what_they_changed():
    assert apart(Outcome(stop=Stop("A", "x")), Outcome(stop=Stop("A", "y")), 1e-5) == 0
    assert apart(Outcome(stop=Stop("A")), Outcome(stop=Stop("B")), 1e-5) == math.inf
    assert apart(Outcome(1.0), Outcome(1.0, changed=(0,)), 1e-5) == math.inf
    assert apart(Outcome(1.0, gradients=None), Outcome(1.0), 1e-5) == math.inf


def test_a_function_gets_its_own_copy_in_the_same_layout():
    x = Draw(1, torch.float64, strided=True).normal(2, 3)
    assert not x.is_contiguous()
    seen = outcome_of(lambda y: y, Case("x", (x,))).value
    assert seen.data_ptr() != x.data_ptr()
    assert (seen.stride(), seen.dtype) == (x.stride(), torch.float64)


def test_a_list_that_a_function_empties_is_whole_for_the_next_one():
    case = Case("lists", ([[1, 2], [3]], {"a": 1}))
    outcome = outcome_of(lambda lists, counts: lists[0].clear() or counts.popitem(), case)
    assert outcome.changed == (0, 1)
    assert case.arguments == ([[1, 2], [3]], {"a": 1})


@pytest.mark.parametrize("kind", [tuple, list, lambda parts: {"x": parts[0]}])
def test_whatever_a_function_does_to_its_arguments_the_case_stays_as_it_was(kind):
    def fills(parts):
        next(iter(parts.values() if isinstance(parts, dict) else parts)).fill_(7.0)

    case = Case("a tensor within something", (kind([torch.zeros(2), torch.zeros(2)]),))
    before = copy.deepcopy(case.arguments)
    assert outcome_of(fills, case).changed == (0,)
    assert changed_places(before, case.arguments) == ()


# --- in a notebook, on a terminal ---------------------------------------------------------------


def test_on_a_terminal_the_verdict_is_printed(capsys):
    assert check("scaled_scores", right) is None
    assert "All of it is right." in capsys.readouterr().out
    check("no_such_exercise", right)
    assert "There is no exercise 'no_such_exercise' here" in capsys.readouterr().out


def test_in_a_notebook_the_verdict_stands_beside_its_text(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.get_ipython", lambda: object())
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    check("scaled_scores", right)
    assert shown[0][VERDICT]["passed"] is True
    assert "✓ has the right shape" in shown[0]["text/plain"]


def test_passes_says_nothing(capsys):
    assert check.passes("scaled_scores", right)
    assert not check.passes("scaled_scores", stops)
    assert capsys.readouterr().out == ""


# --- the record ---------------------------------------------------------------------------------


def test_the_record_counts_what_a_bad_check_lets_through():
    def not_wrong():
        """It is called wrong, and is right."""
        return 0.5

    (row,) = report([Exercise("share", half, "", (quarter, not_wrong), (half, quarter))])
    assert (row.misconceptions, row.right) == (2, 2)
    assert (row.false_accepts, row.false_rejects) == (1, 1)
