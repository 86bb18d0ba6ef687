"""Mistakes that learners make anywhere are named for every exercise, where they are made."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from mtcourse.checks.exercise import Exercise, Rule, functions_of, message_of
from mtcourse.checks.judge import judge
from mtcourse.checks.outcomes import Case
from mtcourse.checks.shared_mistakes import OfAnArgument, OfTheResult


def weighted(X, real, scale):
    """Rows, those of padding set to 0, times a number."""
    return X * real[..., None] * scale


def cases(draw):
    real = torch.tensor([True, False, True])
    return [
        Case("one sentence", (draw.normal(3, 2), real, 2), by_hand=True),
        Case("a batch", (draw.normal(2, 3, 2), torch.stack([real, ~real]), 3)),
        Case("another batch", (draw.normal(4, 3, 2), real.expand(4, 3).clone(), 5)),
    ]


class Wrong:
    def plus_one(X, real, scale):
        """You add one.

        Why?
        """
        return weighted(X, real, scale) + 1


TENSORS = Exercise(
    "weighted", weighted, "Multiply.", functions_of(Wrong), (), cases, gradients=True
)


def named(exercise, answer):
    verdict = judge(exercise, answer)
    assert not verdict.passed
    return verdict.misconception


MADE = {
    "transposed": lambda X, real, scale: weighted(X, real, scale).mT,
    "negated": lambda X, real, scale: -weighted(X, real, scale),
    "as_a_list": lambda X, real, scale: weighted(X, real, scale).tolist(),
    "as_an_array": lambda X, real, scale: weighted(X, real, scale).detach().numpy(),
    "row_too_late": lambda X, real, scale: weighted(X, real, scale).roll(1, -2),
    "summed_over_rows": lambda X, real, scale: weighted(X, real, scale).sum(-2),
    "first_sentence": lambda X, real, scale: weighted(X, real, scale)[0],
    "off_by_a_factor": lambda X, real, scale: weighted(X, real, scale) * 1.7,
    "off_by_a_factor_that_varies": lambda X, real, scale: weighted(X, real, scale) * X.dim(),
    "all_true": lambda X, real, scale: X * scale,
    "taken_for_its_opposite": lambda X, real, scale: weighted(X, ~real, scale),
    "one_more": lambda X, real, scale: weighted(X, real, scale + 1),
    "counted_from_the_front": lambda X, real, scale: weighted(
        X, torch.arange(3) < real.sum(-1, keepdim=True), scale
    ),
    "loses_gradients": lambda X, real, scale: weighted(X, real, scale).detach(),
    "returns_nothing": lambda X, real, scale: None,
    "knows_one_sentence": lambda X, real, scale: (
        weighted(X, real, scale) if X.dim() == 2 else X.sin() + scale
    ),
    "shapes_do_not_fit": lambda X, real, scale: X @ X,
    "needs_one_layout": lambda X, real, scale: (
        X.view(-1, 2).view(X.shape) * real[..., None] * scale
    ),
    "plus_one": lambda X, real, scale: weighted(X, real, scale) + 1,
}


@pytest.mark.parametrize(("name", "answer"), MADE.items(), ids=MADE)
def test_a_mistake_that_can_be_made_anywhere_is_named(name, answer):
    assert named(TENSORS, answer) == name


def test_what_is_written_into_a_copy_is_named_by_its_layout():
    shapes = Exercise(
        "raised",
        lambda X: X.exp() + 1,
        "Raise it.",
        (),
        (),
        lambda draw: [Case("a row", (draw.normal(3),)), Case("a batch", (draw.normal(2, 3, 4),))],
    )

    def row_by_row(X):
        raised = X.clone()
        for row in raised.reshape(-1, X.shape[-1]):
            row.exp_().add_(1)
        return raised

    assert named(shapes, row_by_row) == "knows_one_layout"
    assert (
        named(shapes, lambda X: X.exp() + 1 + X * (X.dtype == torch.float64))
        == "knows_one_precision"
    )


def test_a_message_names_the_argument_of_the_exercise():
    verdict = judge(TENSORS, lambda X, real, scale: X * scale)
    assert "does not depend on `real`" in verdict.message
    assert "`real`" in verdict.hint


def test_tensors_that_cannot_be_put_together_do_not_fit_either():
    def beside_a_row_too_few(X, real, scale):
        return torch.cat([X, X[..., :2, :]], dim=-1)

    assert named(TENSORS, beside_a_row_too_few) == "shapes_do_not_fit"


def test_arguments_that_are_exchanged_are_named():
    oracle = lambda one, other: one - 2 * other  # noqa: E731
    pairs = [Case(f"pair {i}", (torch.randn(3), torch.randn(3))) for i in range(3)]
    exercise = Exercise("difference", oracle, "Subtract.", (), (), lambda draw: pairs)
    verdict = judge(exercise, lambda one, other: other - 2 * one)
    assert verdict.misconception == "arguments_exchanged"
    assert "`one` and `other` were exchanged" in verdict.message
    assert named(exercise, lambda one, other: one - 2 * one) == "argument_used_twice"


def test_a_known_mistake_is_found_where_the_answer_is_right_elsewhere():
    def half_mended(X, real, scale):
        return weighted(X, real, scale) + (X.dim() == 3)

    assert named(TENSORS, half_mended) == "plus_one"


def test_what_is_no_known_mistake_gets_no_name():
    verdict = judge(TENSORS, lambda X, real, scale: torch.randn(X.shape).sin())
    assert (verdict.misconception, verdict.message) == ("", "")
    assert verdict.hint == "Multiply."


LISTS = Exercise(
    "evens",
    lambda numbers: [n for n in numbers if n % 2 == 0],
    "Divide.",
    (),
    (),
    lambda draw: [Case("some", ([4, 2, 3, 2],)), Case("others", ([5, 6, 8, 7, 0],))],
)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("backwards", lambda numbers: [n for n in numbers if n % 2 == 0][::-1]),
        ("sorted_out", lambda numbers: sorted(n for n in numbers if n % 2 == 0)),
        ("each_once", lambda numbers: list(dict.fromkeys(n for n in numbers if n % 2 == 0))),
        ("how_many", lambda numbers: sum(n % 2 == 0 for n in numbers)),
        ("as_a_set", lambda numbers: {n for n in numbers if n % 2 == 0}),
        ("without_the_last", lambda numbers: [n for n in numbers[:-1] if n % 2 == 0]),
        ("same_everywhere", None),
    ],
)
def test_mistakes_with_lists_are_named(name, answer):
    if name == "same_everywhere":
        three = [*LISTS.cases(None), Case("more", ([2],))]
        exercise = Exercise("evens", LISTS.oracle, "Divide.", (), (), lambda draw: three)
        assert named(exercise, lambda numbers: [1, 1]) == name
    else:
        assert named(LISTS, answer) == name


VALUES = Exercise("values", lambda: {"share": 0.3, "count": 7, "shape": (2, 3)}, "Draw.", (), ())


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"share": 30}, "percent"),
        ({"count": 8}, "off by one"),
        ({"share": 0.7}, "one minus"),
        ({"count": 14}, "factor of 2"),
        ({"shape": (3, 2)}, "another order"),
        ({"shape": (2, 3, 1)}, "3 sizes"),
        ({"count": 49}, "root or a square"),
    ],
)
def test_the_mistake_in_a_part_of_a_value_is_named_without_giving_it_away(part, says):
    verdict = judge(VALUES, VALUES.oracle() | part)
    assert says in verdict.message
    right = str(VALUES.oracle()[next(iter(part))])
    assert right not in verdict.message + verdict.hint


def test_of_several_wrong_parts_the_message_says_which_it_is_about():
    verdict = judge(VALUES, VALUES.oracle() | {"share": 30, "count": 8})
    assert verdict.message == "`share`: You give it in percent."


IDS = Exercise(
    "next_ids",
    lambda ids: ids + 1,
    "Add.",
    (),
    (),
    lambda draw: [Case("two", (torch.tensor([1, 2]),)), Case("one", (torch.tensor([7]),))],
)


def test_right_values_of_another_kind_are_named():
    verdict = judge(IDS, lambda ids: ids.float() + 1)
    assert verdict.misconception == "another_kind"
    assert "is a tensor of numbers, and should be a tensor of integers" in verdict.message


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (lambda numbers: (n for n in numbers if n % 2 == 0), "not_run_through"),
        (lambda numbers: filter(None, numbers), "not_run_through"),
        (lambda numbers: "4, 2", "another_kind"),
        (lambda: None, "other_arguments"),
        (lambda numbers, more: numbers, "other_arguments"),
        (lambda numbers: sorted(), ""),
    ],
)
def test_another_kind_and_other_arguments_have_hints_of_their_own(answer, name):
    verdict = judge(LISTS, answer)
    assert verdict.misconception == name
    assert (verdict.hint == LISTS.hint) == (name == "")


def test_nan_is_named_wherever_it_stands():
    case = Case("two", (torch.ones(2),))
    exercise = Exercise("pair", lambda x: (x, {"mean": 1.0}), "Both.", (), (), lambda draw: [case])
    verdict = judge(exercise, lambda x: (x, {"mean": math.nan}))
    assert verdict.message == "On two your result has NaN in it."


def test_right_values_that_change_their_inputs_are_named():
    assert named(IDS, lambda ids: ids.add_(1)) == "changes_its_inputs"


def test_right_values_that_break_a_rule_are_named():
    rule = Rule("the result is new", lambda case, value: value is None)
    verdict = judge(replace(IDS, rules=(rule,)), lambda ids: ids + 1)
    assert verdict.misconception == "breaks_a_rule"
    assert "the result is new" in verdict.message


def pair(x):
    return 2 * x, x + 1


class WrongPair:
    def halved(x):
        """You halve the first.

        Double it."""
        return x / 2, x + 1

    def one_less(x):
        """You subtract one for the second.

        Add it."""
        return 2 * x, x - 1

    def both(x):
        """You add three to both.

        Add less."""
        return 2 * x + 3, x + 4


def test_a_known_mistake_in_one_of_several_things_is_named():
    inputs = [Case(f"input {i}", (torch.randn(3, generator=_seeded(i)),)) for i in range(3)]
    exercise = Exercise("pair", pair, "Both.", functions_of(WrongPair), (), lambda draw: inputs)
    assert named(exercise, lambda x: (x / 2, x.sin())) == "halved"
    assert named(exercise, lambda x: (x.cos(), x - 1)) == "one_less"
    assert named(exercise, lambda x: (2 * x + 3, x + 4)) == "both"
    assert named(exercise, lambda x: (2 * x + 3, x.sin())) == "", "only one of two is as it says"


class WrongValues:
    def all_three():
        """You exchanged everything.

        Exchange less."""
        return {"share": 0.45, "count": 5, "shape": (4, 4)}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"share": 0.45, "count": 5, "shape": (4, 4)}, "all_three"),
        ({"share": 0.45, "count": 5}, ""),
        ({"share": 0.45, "count": 5, "shape": (9, 9)}, ""),
        ({"share": 0.45}, ""),
    ],
)
def test_a_mistake_in_a_value_is_named_only_if_all_of_it_is_there(part, name):
    exercise = replace(VALUES, misconceptions=functions_of(WrongValues))
    assert judge(exercise, exercise.oracle() | part).misconception == name


def _seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_of_choices_none_is_given_away():
    truth = {"first": True, "second": False, "third": True}
    exercise = Exercise("truth", lambda: truth, "Read.", (), ())
    assert judge(exercise, truth | {"first": False}).misconception == ""


SHARES = [([1.0, 3.0], 7.0), ([2.0, 4.0], 9.0), ([], 5.0)]


class WrongShare:
    def upside_down(numbers, total):
        """You divide the wrong way round.

        What is the whole?"""
        return torch.tensor(total) / sum(numbers) if numbers else torch.tensor(torch.nan)


def share(numbers, total):
    return torch.tensor(sum(numbers) / total)


@pytest.mark.parametrize(
    "answer",
    [
        lambda numbers, total: total / sum(numbers),
        lambda numbers, total: torch.tensor(total / sum(numbers) if numbers else 0.0),
    ],
    ids=["stops at a division by 0", "gives 0 where it would divide by 0"],
)
def test_a_mistake_in_one_number_is_named_whatever_becomes_of_a_division_by_0(answer):
    cases = [Case(f"{len(numbers)} of {total}", (numbers, total)) for numbers, total in SHARES]
    known = functions_of(WrongShare)
    exercise = Exercise("share", share, "Divide.", known, (), lambda draw: cases)
    assert named(exercise, answer) == "upside_down"


class WrongLines:
    def second_from_the_end():
        """You blame the end.

        Look above."""
        return {"first": "A", "second": "Z", "third": "none"}


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"second": "Z"}, "second_from_the_end"),
        ({"second": "Z", "first": "Q"}, "second_from_the_end"),
        ({"second": "Y", "first": "Q"}, ""),
        ({"third": None}, "none_in_other_letters"),
        ({"third": "None"}, "none_in_other_letters"),
        ({"second": "none"}, ""),
        ({"second": "b", "first": "Q"}, "in_other_letters"),
        ({"second": "B "}, "in_other_letters"),
        ({"third": "None", "first": "Q"}, "in_other_letters"),
        ({"second": 2}, "not_in_quotes"),
    ],
)
def test_of_several_wrong_lines_the_first_known_one_is_named(part, name):
    lines = {"first": "A", "second": "B", "third": "none"}
    known = functions_of(WrongLines)
    exercise = Exercise("lines", lambda: lines, "Read.", known, ())
    verdict = judge(exercise, lines | part)
    assert verdict.misconception == name
    assert f"{len(part)} of 3" in verdict.wrong


def test_a_dictionary_with_other_names_is_told_to_copy_them():
    assert judge(VALUES, 3).misconception == "no_dictionary"
    assert judge(VALUES, {"share": 0.3}).misconception == "other_names"
    cases = [Case("one", (1,)), Case("two", (2,))]
    named_sum = Exercise("sum", lambda x: {"sum": x}, "Add.", (), (), lambda draw: cases)
    verdict = judge(named_sum, lambda x: {"Sum": x})
    assert verdict.misconception == "other_names"
    assert "on one, its names should be those in the question; missing: 'sum'" in verdict.wrong


def test_where_none_is_no_choice_nothing_is_said_of_it():
    sides = Exercise("sides", lambda: {"first": "left", "second": "right"}, "Look.", (), ())
    assert judge(sides, {"first": "left", "second": None}).misconception == "not_in_quotes"
    assert judge(sides, {"first": "left", "second": "Right"}).misconception == "in_other_letters"
    words = Exercise("words", lambda: {"first": "does not follow"}, "Look.", (), ())
    assert judge(words, {"first": "does  not follow"}).misconception == "in_other_letters"
    mixed = Exercise("mixed", lambda: {"first": "W_Q", "second": "none"}, "Look.", (), ())
    assert judge(mixed, {"first": "W_K", "second": "none"}).misconception == ""


def test_every_shared_mistake_has_a_message_and_a_hint_and_a_name_of_its_own():
    functions = [*functions_of(OfTheResult), *functions_of(OfAnArgument)]
    messages = [message_of(function) for function in functions]
    assert all(message and hint for message, hint in messages)
    assert len({message for message, _ in messages}) == len(messages) > 50


@pytest.mark.parametrize("function", functions_of(OfTheResult), ids=lambda f: f.__name__)
def test_every_mistake_of_the_result_is_found_where_it_is_made(function):
    """Each is made on the first kind of value that it can be made on, and found by its name."""
    made = [
        Exercise("given", lambda x: x, "Return it.", (), (), lambda draw, v=values: v)
        for values in KINDS
    ]
    names = set()
    for exercise in made:
        try:
            wrong = [function(case.arguments[0]) for case in exercise.cases(None)]
        except Exception:  # it cannot be made on this kind
            continue
        if not any(one is None for one in wrong):
            names.add(judge(exercise, function).misconception)
    assert function.__name__ in names


def _cases(*values):
    return [Case(f"input {number}", (value,)) for number, value in enumerate(values)]


_X = torch.linspace(0.3, 4.2, 12).sin() * 3
KINDS = [
    _cases(_X.reshape(2, 3, 2), _X.flip(0).reshape(2, 2, 3)),
    _cases(_X.reshape(3, 4) + 4, _X.reshape(4, 3) + 5),
    _cases(_X.reshape(1, 3, 4), _X.reshape(2, 1, 6)),
    _cases(_X.reshape(2, 6) > 0, _X.reshape(3, 4) > 1),
    _cases((_X > 0).float().reshape(2, 6), (_X > 1).float().reshape(3, 4)),
    _cases([3, 1, 2, 2], [5, 4, 4, 9, 0]),
    _cases([(1, 2), (3, 4)], [(5, 4), (4, 9)]),
    _cases((3, "b", 1.5), (5, "c", 2.5)),
    _cases("a b", "c d e"),
    _cases(2.7, 3.9, 5.2),
]


@pytest.mark.parametrize("odd", [None, [], np.zeros(0), "text", object()], ids=map(str, range(5)))
def test_nothing_stumbles_over_what_an_answer_returns(odd):
    assert not judge(TENSORS, lambda X, real, scale: odd).passed
