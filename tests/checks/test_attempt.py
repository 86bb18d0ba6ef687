"""Whatever an answer does, a check ends, says something short, and leaves torch as it was."""

from __future__ import annotations

import threading
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch

from mtcourse.checks import deadline
from mtcourse.checks.attempt import attempt
from mtcourse.checks.card import card_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.judge import judge
from mtcourse.checks.outcomes import Case
from tests.helpers.odd_answers import ODD


def doubled(x):
    return 2 * x


CASES = [
    Case("two numbers", (torch.tensor([1.0, 2.0]),), by_hand=True),
    Case("three numbers", (torch.tensor([1.0, -2.0, 0.5]),)),
]
DOUBLED = Exercise("doubled", doubled, "Twice.", (), (), lambda draw: CASES)
HALF = Exercise("half", lambda: 0.5, "Half.", (), ())


# --- the deadline --------------------------------------------------------------------------------

in_time = deadline.deadline


def loops(x):
    while True:
        x = x + 0


def sleeps(x):
    time.sleep(600)


def loops_on(x):
    """As a learner writes who catches whatever happens."""
    while True:
        try:
            x = x + 0
        except Exception:
            continue


@pytest.mark.parametrize("answer", [loops, sleeps, loops_on])
def test_an_answer_that_does_not_end_is_stopped_and_told_so(answer, monkeypatch):
    monkeypatch.setattr(deadline, "deadline", lambda: in_time(0.2))
    verdict = judge(DOUBLED, answer)
    assert not verdict.passed
    assert "on two numbers it had not finished after 20 seconds" in verdict.wrong
    assert verdict.misconception == "takes_too_long"


def test_the_deadline_is_that_of_all_cases_together(monkeypatch):
    monkeypatch.setattr(deadline, "deadline", lambda: in_time(0.3))
    tried = []

    def slow(x):
        tried.append(1)
        time.sleep(0.2)
        return 2 * x

    assert not judge(DOUBLED, slow).passed
    assert len(tried) == 2


def test_a_deadline_that_has_passed_leaves_no_timer_behind():
    with pytest.raises(deadline.TookTooLong), in_time(0.05):
        time.sleep(5)
    time.sleep(0.1)
    with in_time(30):
        pass


def test_without_an_alarm_an_interrupt_stops_the_answer():
    def waits():
        with deadline._by_interrupt(0.1):
            started = time.monotonic()
            while time.monotonic() - started < 30:
                time.sleep(0.01)

    with pytest.raises(deadline.TookTooLong):
        waits()


def test_an_interrupt_by_hand_is_none_of_the_deadlines():
    with pytest.raises(KeyboardInterrupt), deadline._by_interrupt(30):
        raise KeyboardInterrupt


def test_outside_of_the_main_thread_there_is_no_deadline():
    seen = []

    def run():
        with in_time(0.01):
            time.sleep(0.05)
            seen.append("ended")

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == ["ended"]


# --- prints and long texts -----------------------------------------------------------------------


def test_prints_are_shown_once_with_their_case(capsys):
    def chatty(x):
        print("x is", x.tolist())
        return 2 * x

    verdict = judge(DOUBLED, chatty)
    assert verdict.passed
    assert capsys.readouterr().out == ""
    assert str(verdict).count("x is") == 1
    assert "on two numbers it printed:\n      x is [1.0, 2.0]" in str(verdict)
    assert "x is [1.0, 2.0]" in card_of(verdict)


def test_much_that_is_printed_is_cut():
    def shouts(x):
        for _ in range(1000):
            print("a" * 1000)
        return 2 * x

    said = str(judge(DOUBLED, shouts))
    assert len(said) < 4000
    assert "more characters" in said


def test_long_messages_and_long_values_are_cut():
    def fails(x):
        raise ValueError("b" * 100_000)

    assert len(str(judge(DOUBLED, fails))) < 2000
    assert len(str(judge(DOUBLED, lambda x: "c" * 100_000))) < 2000
    lists = Exercise("lists", lambda x: [1], "One.", (), (), lambda draw: CASES)
    assert len(str(judge(lists, lambda x: list(range(100_000))))) < 3000
    assert len(str(judge(HALF, {"d" * 100_000: 1}))) < 2000


# --- whatever is returned ------------------------------------------------------------------------


class Worded(Exception):
    def __str__(self):
        raise RuntimeError("no words")


# torch says once in a process that some kinds of tensors are not finished.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("make", ODD.values(), ids=ODD)
@pytest.mark.parametrize("exercise", [DOUBLED, HALF], ids=["function", "value"])
def test_no_answer_makes_a_check_end_in_a_traceback(exercise, make):
    verdict = judge(exercise, (lambda x: make()) if exercise is DOUBLED else make())
    assert not verdict.passed
    assert str(verdict)
    assert card_of(verdict)


def test_strange_tensors_are_called_what_they_are():
    says = {name: judge(DOUBLED, lambda x, make=make: make()).wrong for name, make in ODD.items()}
    assert "a tensor of complex numbers" in says["complex"]
    assert "a sparse tensor" in says["sparse"]
    assert "on the device meta" in says["meta"]
    assert "a quantized tensor" in says["quantized"]
    assert "numpy" in says["an array of text"]


def test_an_exception_without_words_is_reported_all_the_same():
    def fails(x):
        raise Worded

    assert "it stopped with Worded" in judge(DOUBLED, fails).wrong


def test_the_learners_own_line_is_quoted_and_not_the_librarys():
    def fails(x):
        return torch.nn.functional.layer_norm(x, (7,))

    assert "at `return torch.nn.functional.layer_norm(x, (7,))`" in judge(DOUBLED, fails).wrong


@pytest.mark.parametrize(
    "half",
    [Fraction(1, 2), Decimal("0.5"), np.array([0.5]), torch.tensor([[0.5]]), np.float32(0.5)],
    ids=repr,
)
def test_every_way_to_write_a_number_counts_as_one(half):
    assert judge(HALF, half).passed
    number = Exercise("number", lambda x: 0.5, "Half.", (), (), lambda draw: CASES)
    assert judge(number, lambda x: half).passed


def test_whole_numbers_count_as_numbers():
    assert judge(DOUBLED, lambda x: torch.tensor([2, 4]) if len(x) == 2 else 2 * x).passed
    says = judge(DOUBLED, lambda x: x > 0).wrong
    assert "is a tensor of True and False, and should be a tensor of numbers" in says


def test_the_kind_of_a_wrong_value_is_said():
    assert judge(HALF, "0.5").wrong.endswith("it is text, and should be a number")
    shares = Exercise("shares", lambda: {"a": 0.5, "b": 0.25}, "Draw.", (), ())
    wrong = judge(shares, {"a": "0.5", "b": 0.25}).wrong
    assert wrong.endswith("not yet: a (is text, and should be a number)")


def test_of_choices_it_is_said_how_many_are_wrong_and_not_which():
    truth = {"first": True, "second": False, "third": True}
    exercise = Exercise("truth", lambda: truth, "Read.", (), ())
    assert judge(exercise, truth).passed
    wrong = judge(exercise, {"first": False, "second": False, "third": False}).wrong
    assert wrong.endswith("not yet: 2 of 3 are wrong")
    assert judge(exercise, truth | {"second": True}).wrong.endswith("1 of 3 is wrong")


# --- what an answer leaves behind ----------------------------------------------------------------


def test_settings_of_torch_are_put_back():
    def sets(x):
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        return 2 * x

    judge(DOUBLED, sets)
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()


def test_an_answer_that_changes_torch_does_not_change_what_is_right():
    def patches(x):
        torch.Tensor.__rmul__ = lambda self, other: self
        torch.nn.functional.relu = None
        return x.clone()

    assert not judge(DOUBLED, patches).passed
    assert (2 * torch.ones(1)).item() == 2
    assert torch.nn.functional.relu(torch.ones(1)).item() == 1


def test_an_attempt_knows_nothing_of_what_is_right():
    tried = attempt("doubled", doubled, CASES, is_value=False, gradients=False)
    assert [outcome.value.tolist() for outcome in tried.outcomes] == [[2.0, 4.0], [2.0, -4.0, 1.0]]
