"""The card of a verdict holds all that its text holds, and marks the cells that differ."""

from __future__ import annotations

import re

import pytest
import torch

from mtcourse.checks.card import card_of
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.judge import Verdict, judge
from mtcourse.checks.outcomes import Case
from mtcourse.checks.tables import MOST_COLUMNS, MOST_ROWS, compared

X = torch.arange(6.0).reshape(2, 3)
DOUBLED = Exercise(
    "doubled",
    lambda x: 2 * x,
    "Twice <b>.",
    (),
    (),
    lambda draw: [Case("six", (X,), by_hand=True), Case("seven", (torch.arange(7.0),))],
)


def one_wrong(x):
    y = 2 * x
    return y + (y == 4)


def text_of(card: str) -> str:
    return re.sub(r"<[^>]+>", " ", card)


def test_a_right_answer_has_a_card_with_all_that_holds():
    card = text_of(card_of(judge(DOUBLED, lambda x: x + x)))
    assert "6 of 6 · All of it is right." in card
    assert card.count("✓") == 6


def test_the_cell_that_differs_is_marked_and_counted():
    verdict = judge(DOUBLED, one_wrong)
    card = card_of(verdict)
    assert "4 of 6 · not yet" in text_of(card)
    assert "yours (1 of 6 differ)" in card
    assert re.findall("aria-label='([^']+), differs'", card) == ["5"]
    assert "x = [[0, 1, 2], [3, 4, 5]]" in card
    assert "yours = " in str(verdict)
    assert "yours = " not in card


def test_what_is_not_hand_sized_has_no_table():
    verdict = judge(DOUBLED, lambda x: 2 * x if x.dim() == 2 else x)
    assert verdict.tables == ()
    assert "on seven" in card_of(verdict)


def test_a_text_of_somebody_elses_is_no_html():
    def fails(x):
        raise ValueError("<script>alert(1)</script>")

    for card in (card_of(judge(DOUBLED, fails)), card_of(judge(DOUBLED, lambda x: "<i>"))):
        assert "<script>" not in card
        assert "<i>" not in card

    unknown = card_of(judge(DOUBLED, lambda x: x.sin()))
    assert "Twice &lt;b&gt;." in unknown


def test_code_and_emphasis_of_a_message_are_shown_as_such():
    said = Verdict(
        "x", False, message="You use `a*b` and *not* `<c>`: 2*d*e.", hint="Is *this* it?"
    )
    card = card_of(said)
    assert "<code>a*b</code> and <em>not</em> <code>&lt;c&gt;</code>: 2*d*e." in card
    assert "Is <em>this</em> it?" in card


def test_an_open_exercise_has_no_cross():
    card = text_of(card_of(judge(DOUBLED, ...)))
    assert "not answered yet" in card
    assert "✗" not in card


@pytest.mark.parametrize("shape", [(20, 30), (3, 20, 30), (40,), (2, 2, 3, 4)])
def test_of_a_large_tensor_the_part_with_a_difference_is_shown(shape):
    right = torch.zeros(shape)
    wrong = right.clone()
    wrong.view(-1)[-1] = 1
    yours, should = compared(wrong, right, 1e-5)
    assert len(yours.rows) <= MOST_ROWS
    assert len(yours.rows[0]) <= MOST_COLUMNS
    ((i, j),) = yours.differs
    assert (yours.rows[i][j], should.rows[i][j]) == ("1", "0")


def test_equal_tensors_and_other_shapes_have_no_tables():
    assert compared(X, X, 1e-5) == ()
    assert compared(X, X[0], 1e-5) == ()
    assert compared(X.tolist(), X, 1e-5) == ()
