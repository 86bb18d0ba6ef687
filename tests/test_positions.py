"""Sinusoidal positions, against document B's table and their own geometry."""

from __future__ import annotations

import math

import torch

from mtcourse.layers.positions import sinusoidal_positions


def test_table_is_document_bs_except_for_its_error():
    # B03 prints two decimals for d_model 4; its 0.99 at position 7 should be cos(0.07) = 1.00.
    printed = [
        [0.00, 1.00, 0.00, 1.00],
        [0.84, 0.54, 0.01, 1.00],
        [0.91, -0.42, 0.02, 1.00],
        [0.14, -0.99, 0.03, 1.00],
        [-0.76, -0.65, 0.04, 1.00],
        [-0.96, 0.28, 0.05, 1.00],
        [-0.28, 0.96, 0.06, 1.00],
        [0.66, 0.75, 0.07, 0.99],
    ]
    rounded = (sinusoidal_positions(8, 4) * 100).round() / 100
    differences = (rounded - torch.tensor(printed)).abs() > 1e-6
    assert differences.nonzero().tolist() == [[7, 3]]
    assert rounded[7, 3] == 1.0


def test_table_is_the_formula_also_at_an_odd_width_and_far_out():
    table = sinusoidal_positions(2000, 7)
    for pos in (0, 1, 1999):
        for column in range(7):
            angle = pos / 10_000 ** (2 * (column // 2) / 7)
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert abs(float(table[pos, column]) - expected) < 1e-6


def test_a_shift_is_a_rotation_of_each_pair_of_columns():
    d_model, k = 8, 5
    table = sinusoidal_positions(40, d_model).double()
    frequency = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos, sin = (k * frequency).cos(), (k * frequency).sin()
    shifted = torch.empty_like(table)
    shifted[:, 0::2] = table[:, 0::2] * cos + table[:, 1::2] * sin
    shifted[:, 1::2] = table[:, 1::2] * cos - table[:, 0::2] * sin
    torch.testing.assert_close(shifted[:-k], table[k:], atol=1e-6, rtol=0)
