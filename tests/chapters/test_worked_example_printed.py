"""What chapter 11 says of document B's printed numbers, of errors, and of exactness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mtcourse.chapters.worked_example import intervals, precise, printed, tables
from mtcourse.chapters.worked_example.example import example_steps, example_weights
from mtcourse.errors import MtcourseError

CORNER = torch.tensor(printed.SCORES, dtype=torch.float64)


@pytest.fixture(scope="module")
def steps():
    return example_steps()


@pytest.fixture(scope="module")
def weights():
    return example_weights()


def test_printed_tables_but_for_one_entry_are_the_computed_ones(steps):
    for name, table in (("PE", printed.PE), ("X_input", printed.X_INPUT)):
        rounded = np.round(steps[name].numpy(), 2)
        wrong = np.argwhere(rounded != np.array(table)).tolist()
        assert wrong == [[7, 3]], name


def test_the_nearest_matrix_of_a_rank_is_as_far_as_is_said():
    torch.manual_seed(0)
    S = torch.randn(5, 4, dtype=torch.float64)
    U, sigma, V = torch.linalg.svd(S, full_matrices=False)
    nearest = U[:, :2] @ torch.diag(sigma[:2]) @ V[:2]
    assert torch.linalg.matrix_rank(nearest) == 2
    distance = torch.linalg.matrix_norm(S - nearest, 2).item()
    assert printed.distance_to_rank(S, 2) == pytest.approx(distance)


def test_rounding_errors_have_no_larger_norm_than_is_said():
    bound = printed.rounding_norm(4, 3, 0.05)
    signs = [torch.randint(0, 2, (4, 3)).double() * 0.1 - 0.05 for _ in range(100)]
    assert max(torch.linalg.matrix_norm(E, 2).item() for E in signs) <= bound + 1e-12
    assert torch.linalg.matrix_norm(torch.full((4, 3), 0.05), 2).item() == pytest.approx(bound)


def test_no_head_of_width_two_has_the_printed_scores():
    assert printed.distance_to_rank(CORNER, 2) > 6 * printed.rounding_norm(4, 4, 0.05)
    assert printed.distance_to_rank(CORNER, 4 - 1) > 0.2  # nor has one of width three


def test_one_head_of_the_full_width_has_them(steps):
    X = steps["X_input"]
    M = printed.weights_that_give(X, CORNER)
    assert (X @ M @ X.T)[:4, :4] == pytest.approx(CORNER, abs=1e-12)
    low, high = printed.implied_scores(X, CORNER)
    assert torch.equal(low, high)
    assert low == pytest.approx((X @ M @ X.T)[:4], abs=1e-11)


def test_scores_of_any_corner_near_the_printed_one_lie_in_the_bounds(steps):
    X = steps["X_input"]
    low, high = printed.implied_scores(X, CORNER, 0.05)
    for seed in range(50):
        generator = torch.Generator().manual_seed(seed)
        near = CORNER + (torch.rand(4, 4, generator=generator).double() - 0.5) * 0.1
        rows = (X @ printed.weights_that_give(X, near) @ X.T)[:4]
        assert (rows > low - 1e-9).all()
        assert (rows < high + 1e-9).all()


def test_two_printed_rows_are_far_from_any_that_these_inputs_allow(steps):
    low, high = printed.implied_scores(steps["X_input"], CORNER, printed.HALF_SCORE)
    for keys in (8, 7):  # with <PAD> and without
        _, largest = printed.weight_bounds(low[:, :keys], high[:, :keys])
        assert largest[0, 0] < 0.1 < printed.WEIGHTS[0][0]
        assert largest[2, 2] < 0.001 < printed.WEIGHTS[2][2]


@given(st.integers(0, 10_000))
def test_softmax_stays_in_its_bounds_and_reaches_them(seed):
    generator = torch.Generator().manual_seed(seed)
    low = torch.randn(3, 5, generator=generator, dtype=torch.float64)
    high = low + torch.rand(3, 5, generator=generator, dtype=torch.float64)
    smallest, largest = printed.weight_bounds(low, high)
    inside = low + (high - low) * torch.rand(3, 5, generator=generator, dtype=torch.float64)
    alpha = inside.softmax(-1)
    assert (alpha >= smallest - 1e-15).all()
    assert (alpha <= largest + 1e-15).all()
    best = low.clone()
    best[:, 1] = high[:, 1]
    assert largest[:, 1] == pytest.approx(best.softmax(-1)[:, 1])


def test_intervals_of_width_zero_are_the_forward_pass(weights, steps):
    X = steps["X_input"]
    found = intervals.interval_pass(weights, intervals.Interval(X, X))
    for name, interval in found.items():
        assert interval.low == pytest.approx(steps[name], abs=1e-11), name
        assert interval.high == pytest.approx(steps[name], abs=1e-11), name


@pytest.mark.parametrize("radius", [1e-5, 5e-3])
def test_no_tried_input_leaves_its_interval(weights, steps, radius):
    X = steps["X_input"]
    certain = intervals.interval_pass(weights, intervals.around(X, torch.full_like(X, radius)))
    for seed in range(20):
        noise = torch.rand(X.shape, generator=torch.Generator().manual_seed(seed)).double()
        moved = {**weights, "W_E_X": weights["W_E_X"] + (2 * noise - 1) * radius}
        s = example_steps(moved)
        for name, interval in certain.items():
            assert (s[name] >= interval.low - 1e-12).all(), name
            assert (s[name] <= interval.high + 1e-12).all(), name


def test_small_errors_add_up_as_the_derivatives_say(weights):
    names = ["X_encoder", "probabilities"]
    estimated = intervals.first_order(weights, names, 1e-6)
    tried = intervals.largest_tried(weights, names, 1e-6, tries=40)
    for name in names:
        assert (tried[name] <= estimated[name] * 1.001 + 1e-12).all()
        assert tried[name].max() > 0.4 * estimated[name].max()


def test_the_three_answers_stand_in_order():
    for name, tried, estimated, certain in intervals.error_rows(1e-4, ["X_1", "logits"]):
        assert 0 < tried <= estimated * 1.05 <= certain * 1.1, name


def test_float64_has_fourteen_digits_right(steps):
    for name, rows in precise.fifty_digits().items():
        mine = steps[name].reshape(len(rows), -1).tolist()
        off = max(
            abs(a - b) for pair in zip(mine, rows, strict=True) for a, b in zip(*pair, strict=True)
        )
        assert off < 1e-14, name


def test_products_of_decimals_are_exact():
    A = precise.fractions([[0.1, 0.2], [-0.3, 1.5]])
    assert A[0][0] == Fraction(1, 10) != Fraction(0.1)
    exact = precise.exact_product(A, precise.transposed(A))
    assert exact == [[Fraction(5, 100), Fraction(27, 100)], [Fraction(27, 100), Fraction(234, 100)]]
    assert precise.decimals(exact[1][1]) == "2.34"
    assert precise.decimals(Fraction(-3)) == "-3"


def test_a_table_has_its_names_and_no_minus_zero():
    table = tables.matrix_table(torch.tensor([[1.234, -0.001]]), ["<BOS>"], ["a", "b"], "Q")
    assert all(text in table.data for text in ("&lt;BOS&gt;", ">1.23<", ">0.00<", ">Q<"))
    both = tables.beside(table, tables.text_table(["step", "shape"], [["Q_E", "8 × 4"]]))
    assert both.data.count("<table") == 2
    shaded = tables.matrix_table(torch.tensor([[-2.0]]), ["r"], shade=True).data
    assert "−2.00" in shaded
    assert "rgba(200, 87, 27, 0.40)" in shaded


def test_a_table_with_too_few_names_is_refused():
    with pytest.raises(MtcourseError, match="2 names of rows"):
        tables.matrix_table(torch.zeros(3, 2), ["a", "b"])
