"""Calibration of chapter 19, held to numbers by hand and to a model that is right by design."""

from __future__ import annotations

import pytest
import torch

from mtcourse.chapters.sampling.calibration import (
    best_temperature,
    expected_calibration_error,
    reliability,
)
from mtcourse.errors import MtcourseError


def test_bins_and_error_by_hand():
    confidence = torch.tensor([0.08, 0.15, 0.95, 1.0, 0.91])
    right = torch.tensor([False, True, True, True, False])
    bins = reliability(confidence, right)
    assert [n for n, *_ in bins] == [1, 1, 0, 0, 0, 0, 0, 0, 0, 3]
    assert bins[-1][1:] == pytest.approx((2.86 / 3, 2 / 3))
    expected = (0.08 + 0.85 + 3 * abs(2.86 / 3 - 2 / 3)) / 5
    assert expected_calibration_error(confidence, right) == pytest.approx(expected)


def test_a_model_that_is_right_as_often_as_it_says_has_no_error():
    generator = torch.Generator().manual_seed(3)
    confidence = torch.rand(200_000, generator=generator)
    right = torch.rand(200_000, generator=generator) < confidence
    assert expected_calibration_error(confidence, right) < 0.005
    assert expected_calibration_error(confidence.sqrt(), right) > 0.1


def test_the_best_temperature_undoes_a_temperature():
    generator = torch.Generator().manual_seed(4)
    logits = 2 * torch.randn(20_000, 8, generator=generator)
    labels = torch.multinomial(logits.softmax(-1), 1, generator=generator)[:, 0]
    assert best_temperature(logits, labels) == pytest.approx(1, abs=0.04)
    assert best_temperature(2 * logits, labels) == pytest.approx(2, abs=0.08)


def test_nothing_predicted_is_refused():
    with pytest.raises(MtcourseError, match="no prediction"):
        expected_calibration_error(torch.zeros(0), torch.zeros(0, dtype=torch.bool))
