"""Sinusoidal positions, against document B's table and their own geometry."""

from __future__ import annotations

import math

import pytest
import torch

from mtcourse.layers.attention import self_attention
from mtcourse.layers.embeddings import Embedding
from mtcourse.layers.positions import (
    add_positions,
    angular_speeds,
    position_similarity,
    shift_rotation,
    sinusoidal_positions,
)
from mtcourse.models.framework_model import FrameworkConfig, FrameworkModel

EMBEDDED = torch.tensor(
    [
        [0.2, 0.5, -0.3, 0.8],
        [0.1, -0.4, 0.6, 0.3],
        [-0.5, 0.2, 0.4, -0.1],
        [0.3, 0.7, -0.2, 0.5],
        [0.4, -0.3, 0.1, 0.6],
        [-0.2, 0.5, 0.3, -0.4],
        [0.6, 0.1, -0.5, 0.2],
        [0.0, 0.0, 0.0, 0.0],
    ]
)
"""Document B's embeddings (B01), the last of <PAD>."""


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


def test_speeds_fall_by_one_factor_and_almost_to_one_over_the_base():
    speeds = angular_speeds(8, base=81.0)
    assert speeds.tolist() == pytest.approx([1, 1 / 3, 1 / 9, 1 / 27])
    assert len(angular_speeds(7)) == 4


@pytest.mark.parametrize("k", [-7, 0, 1, 5])
@pytest.mark.parametrize("d_model", [2, 8, 64])
def test_one_matrix_moves_every_position(k, d_model):
    table, R = sinusoidal_positions(60, d_model), shift_rotation(k, d_model)
    start = max(0, -k)
    moved = table[start : 50 + start] @ R
    torch.testing.assert_close(moved, table[start + k : 50 + start + k], atol=1e-5, rtol=0)


def test_moves_are_rotations_that_add_up():
    R = shift_rotation(5, 8)
    torch.testing.assert_close(R @ R.T, torch.eye(8))
    assert torch.linalg.det(R) == pytest.approx(1)
    torch.testing.assert_close(R @ shift_rotation(2, 8), shift_rotation(7, 8))
    torch.testing.assert_close(shift_rotation(-5, 8), R.T)


def test_the_rotation_by_hand():
    cos, sin = math.cos(3), math.sin(3)
    torch.testing.assert_close(shift_rotation(3, 2), torch.tensor([[cos, -sin], [sin, cos]]))


def test_similarity_is_the_dot_product_of_any_two_positions_so_far_apart():
    table = sinusoidal_positions(100, 32)
    products = table @ table.T
    places = torch.arange(100)
    distance = (places[:, None] - places).to(table.dtype)
    torch.testing.assert_close(position_similarity(distance, 32), products, atol=1e-4, rtol=0)
    assert position_similarity(torch.tensor([0.0]), 32).tolist() == [16]


def test_positions_are_added_to_every_sentence_alike():
    H, P = torch.randn(3, 5, 8), sinusoidal_positions(5, 8)
    torch.testing.assert_close(add_positions(H, P) - H, P.expand(3, 5, 8))


def test_sum_is_document_bs_except_for_what_it_inherits():
    printed = torch.tensor(
        [
            [0.20, 1.50, -0.30, 1.80],
            [0.94, 0.14, 0.61, 1.30],
            [0.41, -0.22, 0.42, 0.90],
            [0.44, -0.29, -0.17, 1.50],
            [-0.36, -0.95, 0.14, 1.60],
            [-1.16, 0.78, 0.35, 0.60],
            [0.32, 1.06, -0.44, 1.20],
            [0.66, 0.75, 0.07, 0.99],
        ]
    )
    rounded = (add_positions(EMBEDDED, sinusoidal_positions(8, 4)) * 100).round() / 100
    assert ((rounded - printed).abs() > 1e-5).nonzero().tolist() == [[7, 3]]


def test_embeddings_are_scaled_only_where_that_is_asked():
    P = sinusoidal_positions(8, 4)
    torch.testing.assert_close(add_positions(EMBEDDED, P), EMBEDDED + P)
    torch.testing.assert_close(add_positions(EMBEDDED, P, scale=2.0), 2 * EMBEDDED + P)
    layer = Embedding(torch.nn.Parameter(EMBEDDED), max_length=8, dropout=0.0)
    ids = torch.arange(8)
    torch.testing.assert_close(layer(ids), add_positions(EMBEDDED, P, scale=math.sqrt(4)))


# --- what positions are for ---------------------------------------------------------------------


def test_self_attention_without_positions_moves_its_rows_with_the_words():
    H, order = torch.randn(6, 8), torch.tensor([3, 1, 5, 0, 4, 2])
    W = [torch.randn(8, 8) for _ in range(3)]
    moved, P = self_attention(H[order], *W), sinusoidal_positions(6, 8)
    torch.testing.assert_close(moved, self_attention(H, *W)[order])
    with_P = self_attention(add_positions(H[order], P), *W)
    assert not torch.allclose(with_P, self_attention(add_positions(H, P), *W)[order], atol=1e-2)


def test_a_decoder_without_positions_does_not_know_the_order_of_earlier_words():
    H_E = torch.randn(1, 4, 16)
    one, other = torch.tensor([[2, 4, 5, 6]]), torch.tensor([[2, 5, 4, 6]])
    for target_positions in (False, True):
        model = FrameworkModel(FrameworkConfig(8, 12, 16, target_positions))
        same = torch.allclose(
            model.decode(one, H_E)[:, -1], model.decode(other, H_E)[:, -1], atol=1e-5
        )
        assert same is not target_positions


def test_a_shift_is_a_rotation_of_each_pair_of_columns():
    d_model, k = 8, 5
    table = sinusoidal_positions(40, d_model).double()
    frequency = 10_000 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos, sin = (k * frequency).cos(), (k * frequency).sin()
    shifted = torch.empty_like(table)
    shifted[:, 0::2] = table[:, 0::2] * cos + table[:, 1::2] * sin
    shifted[:, 1::2] = table[:, 1::2] * cos - table[:, 0::2] * sin
    torch.testing.assert_close(shifted[:-k], table[k:], atol=1e-6, rtol=0)


def test_turned_rows_have_a_product_that_depends_on_their_distance_alone():
    generator = torch.Generator().manual_seed(2)
    q, k = torch.randn(2, 16, generator=generator, dtype=torch.float64)
    # A row of pairs (a, b) as complex numbers b + ia, which a turn multiplies by e^(i angle).
    zq, zk = (torch.complex(row[1::2], row[0::2]) for row in (q, k))
    for distance in (0, 3, -7):
        turn = torch.polar(torch.ones(8, dtype=torch.float64), distance * angular_speeds(16))
        expected = (zq * (zk * turn).conj()).sum().real
        for i in (7, 30, 200):
            R_i, R_j = (shift_rotation(pos, 16).double() for pos in (i, i + distance))
            torch.testing.assert_close((q @ R_i) @ (k @ R_j), expected, atol=1e-4, rtol=0)
