"""What crosses the border comes back as it was, and nothing else gets across."""

from __future__ import annotations

import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.chapters.attention.exercises import EXERCISES
from mtcourse.checks.attempt import OPEN, Attempt
from mtcourse.checks.outcomes import Case, Outcome, Stop, apart, distance, outcome_of
from mtcourse.grading.wire_format import (
    MAX_NUMBERS,
    WireFormatError,
    decode_attempt,
    decode_cases,
    decode_outcome,
    decode_value,
    encode_attempt,
    encode_cases,
    encode_outcome,
    encode_value,
    find_cell_line,
    format_error,
)
from tests.helpers.odd_answers import ODD

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def over_the_border(data):
    return json.loads(json.dumps(data, allow_nan=False))


@given(values)
def test_values_come_back_equal_and_of_the_same_kind(value):
    back = decode_value(over_the_border(encode_value(value)))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.filterwarnings("ignore")  # of torch, about tensors that are still a prototype
@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
def test_whatever_an_answer_returns_can_leave_the_kernel(make):
    sent = json.dumps(encode_value(make()), allow_nan=False)
    assert len(sent) < 1000
    decode_value(json.loads(sent))


def test_a_fraction_and_a_decimal_cross_the_border_as_numbers():
    shares = {"a": Fraction(1, 4), "b": [Decimal("0.5")]}
    assert decode_value(over_the_border(encode_value(shares))) == {"a": 0.25, "b": [0.5]}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_tensors_come_back_bit_for_bit_in_their_layout(dtype):
    x = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(1)).to(dtype)
    x[0, 0, :3] = torch.tensor([math.nan, math.inf, -math.inf])
    for one in (x, x.mT.contiguous().mT, x[:0], x[0, 0, 3]):
        back = decode_value(over_the_border(encode_value(one)))
        assert back.dtype == one.dtype
        assert torch.equal(back.nan_to_num(9.0), one.nan_to_num(9.0))
        assert back.stride() == one.contiguous().stride() or back.stride() == one.stride()
    assert not decode_value(encode_value(x.mT.contiguous().mT)).is_contiguous()


def test_booleans_and_integers_are_tensors_too():
    for one in (torch.tensor([[True, False]]), torch.tensor([2**62, -1])):
        back = decode_value(over_the_border(encode_value(one)))
        assert back.dtype == one.dtype
        assert torch.equal(back, one)


def test_whatever_cannot_be_compared_is_its_name_and_equal_to_nothing():
    back = decode_value(over_the_border(encode_value(object())))
    assert distance(back, back, 1e-5) == math.inf
    assert decode_value(encode_value(torch.ones(2, dtype=torch.complex64))) != 1


def test_sets_have_an_order_of_their_own():
    assert encode_value({3, 1, 2}) == {"set": [1, 2, 3]}
    assert decode_value(encode_value({3, 1, 2})) == {1, 2, 3}


def test_an_outcome_judged_after_the_border_is_the_same():
    (exercise,) = [exercise for exercise in EXERCISES if exercise.id == "scaled_scores"]
    for case in exercise.inputs():
        (back,) = decode_cases(over_the_border(encode_cases([case])))
        assert all(torch.equal(a, b) for a, b in zip(back.arguments, case.arguments, strict=True))
        for function in (exercise.oracle, *exercise.misconceptions):
            outcome = outcome_of(function, case, exercise.gradients)
            back = decode_outcome(over_the_border(encode_outcome(outcome)), case)
            assert apart(back, outcome, exercise.tolerance) == 0


def test_a_stop_keeps_its_name_and_line():
    stop = Stop("ValueError", "x" * 10_000, "raise it")
    back = decode_outcome(over_the_border(encode_outcome(Outcome(stop=stop))), Case("", ()))
    assert back.stop is not None
    assert (back.stop.kind, back.stop.line, len(back.stop.message)) == (
        "ValueError",
        "raise it",
        2000,
    )


def nested(depth: int):
    value: object = 1
    for _ in range(depth):
        value = {"list": [value]}
    return value


@pytest.mark.parametrize(
    "data",
    [
        nested(50),
        [1],
        {"list": 1},
        {"pickle": ["x"]},
        {"tuple": [1], "list": [1]},
        {"dict": [[1]]},
        {"dict": [[{"list": [1]}, 2]]},
        {"float": "12"},
        {"list": [0] * (MAX_NUMBERS + 1)},
        "x" * 3000,
        {"tensor": "float32", "shape": [2], "values": [1]},
        {"tensor": "object", "shape": [1], "values": [1]},
        {"tensor": "float32", "shape": [10**9, 10**9], "values": []},
        {"tensor": "int64", "shape": [1], "values": [2**80]},
        {"tensor": "float32", "shape": [1], "values": ["a"]},
        {"tensor": "float32"},
    ],
)
def test_what_nobody_packed_is_refused(data):
    with pytest.raises(WireFormatError):
        decode_value(data)


@pytest.mark.parametrize(
    "data", [None, 3, {}, {"value": 1}, {"value": 1, "stop": 3, "arguments": [], "gradients": []}]
)
def test_what_is_no_outcome_is_refused(data):
    with pytest.raises(WireFormatError):
        decode_outcome(data, Case("", ()))


def test_whether_inputs_were_changed_is_seen_outside():
    case = Case("", (torch.zeros(2), [1, 2], {"a": 1.0}))
    for changed, change in (
        ((), lambda x, y, z: None),
        ((0,), lambda x, y, z: x.add_(1)),
        ((1,), lambda x, y, z: y.append(3)),
        ((0, 2), lambda x, y, z: (x.fill_(2), z.clear())),
    ):
        data = over_the_border(encode_outcome(outcome_of(change, case)))
        assert "changed" not in data
        assert decode_outcome(data, case).changed == changed
    data["arguments"] = data["arguments"][:2]
    with pytest.raises(WireFormatError):
        decode_outcome(data, case)


@pytest.mark.parametrize(
    ("traceback", "line"),
    [
        (None, ""),
        ([3, {}], ""),
        (
            ["\x1b[0;31mTypeError\x1b[0m", "Cell In[7], line 2\n      1 a\n----> 2 f(\x1b[1m1)\n"],
            "f(1)",
        ),
        (
            ["Cell In[1], line 1\n----> 1 mine()\n", "File /x.py:3, in f()\n----> 3 theirs\n"],
            "mine()",
        ),
    ],
)
def test_the_line_to_name_is_the_learners_own(traceback, line):
    assert find_cell_line(traceback) == line


def test_nothing_that_is_packed_can_be_run():
    class Evil:
        def __reduce__(self):
            return (exec, ("raise SystemExit",))

    pickle.dumps(Evil())
    assert encode_value(Evil()) == {"other": "Evil"}


def test_an_attempt_is_about_as_many_cases_as_were_asked():
    tried = Attempt("", (Outcome(1.0), Outcome(2.0)))
    packet = over_the_border(encode_attempt(tried))
    case = Case("", ())
    assert decode_attempt(packet, [case] * 2) == tried
    assert decode_attempt(over_the_border(encode_attempt(Attempt(OPEN))), [case]) == Attempt(OPEN)
    for cases in (1, 3):
        with pytest.raises(WireFormatError, match=f"2 outcomes came back of {cases} cases"):
            decode_attempt(packet, [case] * cases)
    for data in (None, [], {"fault": ""}, {"fault": "", "outcomes": 3}):
        with pytest.raises(WireFormatError):
            decode_attempt(data, [case])


@pytest.mark.parametrize(
    ("name", "message", "words"),
    [
        (
            "_IncompleteInputError",
            "incomplete input (1.py, line 1)",
            "SyntaxError: incomplete input",
        ),
        ("SyntaxError", "incomplete input (1.py, line 1)", "SyntaxError: incomplete input"),
        ("NameError", "name 'x' is not defined", "NameError: name 'x' is not defined"),
        ("_Own", "half \ud83d", "_Own: half ?"),
    ],
)
def test_an_exception_has_the_same_words_on_every_python(name, message, words):
    assert format_error(name, message).startswith(words)
