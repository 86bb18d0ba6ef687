"""The exercise ``cost``: parameters and FLOPs of both layouts (A24, A27, B06; chapter 09)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """The sizes of document B, of the translator, and drawn ones; all different from each other."""
    d_k, h, n = draw.size(5, 9), draw.size(3, 4), draw.size(31, 40)
    return [
        Case("n = 8, d = 4, h = 2", (8, 4, 2), by_hand=True),
        Case("n = 12, d = 128, h = 4", (12, 128, 4)),
        Case("n = 1, d = 6, h = 3", (1, 6, 3)),
        Case(f"n = {n}, d = {d_k * h}, h = {h}", (n, d_k * h, h)),
    ]


def _answer(full, split, full_flops, split_flops, weights):
    return {
        "A's parameters": full,
        "B's parameters": split,
        "A's FLOPs": full_flops,
        "B's FLOPs": split_flops,
        "attention weights": weights,
    }


def _flops(n, d, h, d_k):
    return 8 * n * h * d * d_k + 4 * n**2 * h * d_k


def _with(n, d, h, **other):
    """The right answer with something else in places."""
    right = {
        "full": 4 * h * d**2,
        "split": 4 * d**2,
        "full_flops": _flops(n, d, h, d),
        "split_flops": _flops(n, d, h, d // h),
        "weights": h * n**2,
    }
    return _answer(**{**right, **other})


def correct(n, d, h):
    """4 h d d_k numbers, and 8 n h d d_k + 4 n^2 h d_k operations."""
    return _with(n, d, h)


# --- wrong ---------------------------------------------------------------------------------------


def without_names(n, d, h):
    """The numbers may be right, but their names are missing.

    A dictionary is asked for, with the names of the question.
    """
    return list(correct(n, d, h).values())


def w_o_is_missing(n, d, h):
    """You counted W_Q, W_K and W_V. The matrix that mixes the heads is missing.

    It is used, too: its product costs operations.
    """
    return _with(
        n, d, h, full=3 * h * d**2, split=3 * d**2,
        full_flops=6 * n * h * d**2 + 4 * n**2 * h * d, split_flops=6 * n * d**2 + 4 * n**2 * d,
    )  # fmt: skip


def w_o_has_no_parameters(n, d, h):
    """Your operations are right, but among the parameters W_O is missing.

    It is learnt like the others.
    """
    return _with(n, d, h, full=3 * h * d**2, split=3 * d**2)


def w_o_is_square_in_a(n, d, h):
    """In document A you gave W_O the shape d × d. But it gets all heads side by side.

    Concat has h d numbers in a row. How many rows does W_O have?
    """
    return _with(
        n, d, h, full=3 * h * d**2 + d**2,
        full_flops=6 * n * h * d**2 + 2 * n * d**2 + 4 * n**2 * h * d,
    )  # fmt: skip


def w_o_is_square_among_parameters(n, d, h):
    """Your operations are right, but among A's parameters W_O is d × d.

    Concat has h d numbers in a row. How many rows does W_O have?
    """
    return _with(n, d, h, full=3 * h * d**2 + d**2)


def b_costs_what_a_costs(n, d, h):
    """You gave B's heads the full width: B and A come out alike.

    In B06 a head is d / h wide.
    """
    full = _with(n, d, h)
    return _with(n, d, h, split=full["A's parameters"], split_flops=full["A's FLOPs"])


def a_costs_what_b_costs(n, d, h):
    """You gave A's heads a share of the width: A and B come out alike.

    In A24 each head has matrices d × d of its own.
    """
    split = _with(n, d, h)
    return _with(n, d, h, full=split["B's parameters"], full_flops=split["B's FLOPs"])


def b_has_square_slices(n, d, h):
    """In B you made the matrices of a head d_k × d_k, as if it saw only its slice of X.

    A head reads the *whole* row, d numbers, and makes d_k of it.
    """
    return _with(
        n, d, h, split=4 * d**2 / h, split_flops=8 * n * d**2 / h + 4 * n**2 * d
    )  # fmt: skip


def a_multiplication_alone(n, d, h):
    """You counted multiplications only. All FLOPs are half of what they should be.

    A multiplication and an addition are two operations.
    """
    right = correct(n, d, h)
    return _with(
        n, d, h, full_flops=right["A's FLOPs"] / 2, split_flops=right["B's FLOPs"] / 2
    )  # fmt: skip


def values_cost_nothing(n, d, h):
    """You counted Q Kᵀ, and not the product of weights and values.

    Both are products with n² pairs of tokens.
    """
    return _with(
        n, d, h, full_flops=8 * n * h * d**2 + 2 * n**2 * h * d,
        split_flops=8 * n * d**2 + 2 * n**2 * d,
    )  # fmt: skip


def w_o_costs_nothing(n, d, h):
    """Your parameters are right, but W_O is missing among the operations.

    Concat is multiplied by it: one more product.
    """
    return _with(
        n, d, h, full_flops=6 * n * h * d**2 + 4 * n**2 * h * d,
        split_flops=6 * n * d**2 + 4 * n**2 * d,
    )  # fmt: skip


def a_single_head(n, d, h):
    """You counted one head. There are h of them, in both documents.

    Everything is there h times: matrices, products and weights.
    """
    d_k = d // h
    return _answer(4 * d**2, 4 * d * d_k, _flops(n, d, 1, d), _flops(n, d, 1, d_k), n**2)


def scores_cost_nothing(n, d, h):
    """You counted the products with the four matrices alone. Attention itself is missing.

    Scores and means of values: two more products, of n × d_k with d_k × n and of n × n with
    n × d_k, in each head.
    """
    return _with(n, d, h, full_flops=8 * n * h * d**2, split_flops=8 * n * d**2)


def scores_of_full_width_in_b(n, d, h):
    """In B your scores and means cost as much as with heads of full width.

    Each of B's heads multiplies n × d_k by d_k × n.
    """
    return _with(n, d, h, split_flops=8 * n * d**2 + 4 * n**2 * h * d)


def one_matrix_of_weights(n, d, h):
    """You counted the attention weights of one head.

    Each head has n × n of its own, in both documents.
    """
    return _with(n, d, h, weights=n**2)


def weights_shared_among_heads(n, d, h):
    """You let the heads share the n² weights, as they share the width.

    Narrow heads have as many weights as wide ones: one for each pair of tokens.
    """
    return _with(n, d, h, weights=n**2 / h)


def with_biases(n, d, h):
    """You counted biases. Neither document prints any here.

    Count matrices alone.
    """
    return _with(n, d, h, full=4 * h * d**2 + 3 * h * d + d, split=4 * d**2 + 4 * d)


def without_the_length(n, d, h):
    """Your FLOPs are those of a single token.

    There are n rows in X.
    """
    right = correct(n, d, h)
    return _with(
        n, d, h, full_flops=right["A's FLOPs"] / n, split_flops=right["B's FLOPs"] / n
    )  # fmt: skip


# --- right ---------------------------------------------------------------------------------------


def product_by_product(n, d, h):
    """Each product a × b times b × c as 2 a b c."""

    def product(a, b, c):
        return 2 * a * b * c

    def of_head(d_k):
        made = 3 * product(n, d, d_k) + product(n, d_k, n) + product(n, n, d_k)
        return made + product(n, d_k, d)

    return _answer(
        h * 4 * d * d, h * 4 * d * (d // h), h * of_head(d), h * of_head(d // h), h * n * n
    )


def b_first_then_times_h(n, d, h):
    """A costs h times what B costs, in everything but the weights."""
    parameters, flops = 4 * d * d, 8 * n * d * d + 4 * n * n * d
    return _answer(h * parameters, parameters, h * flops, flops, h * n * n)


def in_floats(n, d, h):
    """With floats, factored."""
    return _answer(4.0 * h * d**2, 4.0 * d**2, 4.0 * n * h * d * (2 * d + n),
                   4.0 * n * d * (2 * d + n), float(h * n**2))  # fmt: skip


def in_another_order(n, d, h):
    """With the names in another order."""
    return dict(reversed(correct(n, d, h).items()))


EXERCISE = Exercise(
    id="cost",
    oracle=correct,
    hint="List the products of one head with their shapes: X W three times, Q Kᵀ, weights times V, "
    "and the head's block of W_O. A product a × b times b × c costs 2 a b c. Then times h.",
    misconceptions=(
        without_names,
        w_o_is_missing,
        w_o_has_no_parameters,
        w_o_is_square_in_a,
        w_o_is_square_among_parameters,
        b_costs_what_a_costs,
        a_costs_what_b_costs,
        b_has_square_slices,
        a_multiplication_alone,
        values_cost_nothing,
        w_o_costs_nothing,
        a_single_head,
        scores_cost_nothing,
        scores_of_full_width_in_b,
        one_matrix_of_weights,
        weights_shared_among_heads,
        with_biases,
        without_the_length,
    ),
    right=(product_by_product, b_first_then_times_h, in_floats, in_another_order),
    cases=cases,
)
