"""Length normalisation, against numbers worked by hand, and by direction."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.decoding.length_scores import gnmt_score, power_score, rewarded_score

FORMS = {"power": power_score, "gnmt": gnmt_score, "reward": rewarded_score}
LOG_P = torch.tensor([-6.0, -8.0])
LENGTH = torch.tensor([3, 7])


def test_numbers_by_hand():
    assert power_score(LOG_P, LENGTH, 1.0).tolist() == [-2.0, pytest.approx(-8 / 7)]
    divisors = [(8 / 6) ** 0.6, 2**0.6]
    expected = [-6 / divisors[0], -8 / divisors[1]]
    assert gnmt_score(LOG_P, LENGTH, 0.6).tolist() == pytest.approx(expected)
    assert rewarded_score(LOG_P, LENGTH, 0.5).tolist() == [-4.5, -4.5]


@pytest.mark.parametrize("form", FORMS)
def test_0_is_neutral(form):
    assert FORMS[form](LOG_P, LENGTH, 0.0).tolist() == LOG_P.tolist()


@settings(max_examples=60, deadline=None)
@given(
    form=st.sampled_from(sorted(FORMS)),
    log_p=st.floats(-40, -0.5),
    short=st.integers(1, 20),
    more=st.integers(1, 20),
    amount=st.floats(0.05, 2.0),
)
def test_a_positive_amount_favours_longer_sentences_and_a_negative_one_shorter(
    form, log_p, short, more, amount
):
    """At equal log p, the longer of two sentences wins, or loses."""
    both = torch.tensor([log_p, log_p], dtype=torch.float64)
    lengths = torch.tensor([short, short + more])
    shorter, longer = FORMS[form](both, lengths, amount).tolist()
    assert longer > shorter
    shorter, longer = FORMS[form](both, lengths, -amount).tolist()
    assert longer < shorter


def test_the_paper_divides_less_than_a_power_of_the_length():
    lengths = torch.arange(2, 40)
    log_p = torch.full((38,), -10.0)
    assert (gnmt_score(log_p, lengths, 1.0) < power_score(log_p, lengths, 1.0)).all()
    assert math.isclose(float(gnmt_score(log_p[:1], torch.tensor([1]), 0.7)), -10.0, rel_tol=1e-6)
