"""The learning rate's schedules: the paper's formula, torch's own, and the shapes they promise."""

from __future__ import annotations

import doctest

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mtcourse.errors import MtcourseError
from mtcourse.training import schedules
from mtcourse.training.config import TrainingConfig
from mtcourse.training.schedules import constant, cosine, inverse_square_root


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(schedules).attempted > 0
    assert doctest.testmod(schedules).failed == 0


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 10_000), st.integers(1, 4000), st.integers(1, 1024))
def test_inverse_square_root_is_the_formula_of_the_paper(step, warmup, d_model):
    paper = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    peak = (d_model * warmup) ** -0.5
    assert peak * inverse_square_root(step, warmup) == pytest.approx(paper)


@pytest.mark.trains
def test_cosine_after_the_warm_up_is_that_of_torch():
    warmup, total = 10, 50
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    reference = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total + 1 - warmup)
    for step in range(warmup, total + 1):
        assert cosine(step, warmup, total) == pytest.approx(reference.get_last_lr()[0])
        optimizer.step()
        reference.step()


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 50), st.integers(1, 200))
def test_every_schedule_rises_straight_to_one_and_never_rises_again(warmup, further):
    total = warmup + further
    for factor in (
        lambda step: constant(step, warmup),
        lambda step: inverse_square_root(step, warmup),
        lambda step: cosine(step, warmup, total),
    ):
        factors = [factor(step) for step in range(1, total + 1)]
        assert factors[:warmup] == pytest.approx([step / warmup for step in range(1, warmup + 1)])
        assert all(
            a >= b > 0 for a, b in zip(factors[warmup - 1 :], factors[warmup:], strict=False)
        )


def test_without_warm_up_the_first_step_is_at_the_peak():
    assert constant(1, 0) == 1
    assert cosine(1, 0, 100) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("schedule", "factor"),
    [
        ("constant", constant(30, 20)),
        ("inverse_square_root", inverse_square_root(30, 20)),
        ("cosine", cosine(30, 20, 100)),
    ],
)
def test_the_configuration_multiplies_the_peak_by_the_schedule(schedule, factor):
    config = TrainingConfig(steps=100, learning_rate=0.5, warmup=20, schedule=schedule)
    assert config.learning_rate_at(30) == 0.5 * factor


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": 0}, "steps is 0: it must be at least 1"),
        ({"learning_rate": -0.1}, r"learning_rate is -0\.1: it must be above 0"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
        ({"warmup": -1}, "warmup is -1"),
        ({"betas": (0.9, 1.0)}, r"betas is \(0\.9, 1\.0\)"),
        ({"clip_norm": 0.0}, r"clip_norm is 0\.0"),
        ({"accumulate": 0}, "accumulate is 0"),
        ({"warmup": 0}, "'inverse_square_root' needs warmup of at least 1"),
        ({"warmup": 9, "schedule": "cosine"}, "warmup 9 leaves nothing of steps 9"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused_with_its_values(wrong, message):
    with pytest.raises(MtcourseError, match=message):
        TrainingConfig(**({"steps": 9} | wrong))
