"""The exercise ``cost``: parameters and FLOPs of both layouts (A24, A27, B06; chapter 09)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
    """The right answer with some of its numbers replaced."""
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


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(n, d, h):
        """Your numbers may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return list(correct(n, d, h).values())

    def w_o_is_missing(n, d, h):
        """You counted W_Q, W_K and W_V. W_O, the matrix that mixes the heads, is missing.

        It has parameters, and its product costs operations.
        """
        return _with(
            n, d, h, full=3 * h * d**2, split=3 * d**2,
            full_flops=6 * n * h * d**2 + 4 * n**2 * h * d, split_flops=6 * n * d**2 + 4 * n**2 * d,
        )  # fmt: skip

    def w_o_has_no_parameters(n, d, h):
        """Your operations are right, but your parameters leave out W_O.

        W_O is learnt like the other matrices.
        """
        return _with(n, d, h, full=3 * h * d**2, split=3 * d**2)

    def w_o_is_square_in_a(n, d, h):
        """For document A you gave W_O the shape d × d. But it takes all heads side by side.

        Each row of Concat has h d numbers. How many rows does W_O have?
        """
        return _with(
            n, d, h, full=3 * h * d**2 + d**2,
            full_flops=6 * n * h * d**2 + 2 * n * d**2 + 4 * n**2 * h * d,
        )  # fmt: skip

    def w_o_is_square_among_parameters(n, d, h):
        """Your operations are right, but among A's parameters you gave W_O the shape d × d.

        Each row of Concat has h d numbers. How many rows does W_O have?
        """
        return _with(n, d, h, full=3 * h * d**2 + d**2)

    def b_costs_what_a_costs(n, d, h):
        """You gave B's heads the full width, so that B costs as much as A.

        In document B, a head is d / h wide (B06).
        """
        full = _with(n, d, h)
        return _with(n, d, h, split=full["A's parameters"], split_flops=full["A's FLOPs"])

    def a_costs_what_b_costs(n, d, h):
        """You gave A's heads only a share of the width, so that A costs as much as B.

        In document A, each head has its own d × d matrices (A24).
        """
        split = _with(n, d, h)
        return _with(n, d, h, full=split["B's parameters"], full_flops=split["B's FLOPs"])

    def b_has_square_slices(n, d, h):
        """In B you made the matrices of a head d_k × d_k, as if it saw only its slice of X.

        A head reads the *whole* row, d numbers, and computes d_k numbers from it.
        """
        return _with(
            n, d, h, split=4 * d**2 / h, split_flops=8 * n * d**2 / h + 4 * n**2 * d
        )  # fmt: skip

    def a_multiplication_alone(n, d, h):
        """You counted only multiplications, so your FLOPs are half of what they should be.

        A multiplication and an addition are two operations.
        """
        right = correct(n, d, h)
        return _with(
            n, d, h, full_flops=right["A's FLOPs"] / 2, split_flops=right["B's FLOPs"] / 2
        )  # fmt: skip

    def values_cost_nothing(n, d, h):
        """You counted Q Kᵀ, but not the product of the weights and the values.

        Both products deal with n² pairs of tokens.
        """
        return _with(
            n, d, h, full_flops=8 * n * h * d**2 + 2 * n**2 * h * d,
            split_flops=8 * n * d**2 + 2 * n**2 * d,
        )  # fmt: skip

    def w_o_costs_nothing(n, d, h):
        """Your parameters are right, but your operations leave out W_O.

        Concat is multiplied by it: one more product.
        """
        return _with(
            n, d, h, full_flops=6 * n * h * d**2 + 4 * n**2 * h * d,
            split_flops=6 * n * d**2 + 4 * n**2 * d,
        )  # fmt: skip

    def a_single_head(n, d, h):
        """You counted one head. Both documents have h of them.

        Each head has its own matrices, products and weights.
        """
        d_k = d // h
        return _answer(4 * d**2, 4 * d * d_k, _flops(n, d, 1, d), _flops(n, d, 1, d_k), n**2)

    def scores_cost_nothing(n, d, h):
        """You counted only the products with the four matrices. Attention itself is missing.

        The scores and the weighted means are two more products in each head: n × d_k with d_k × n,
        and n × n with n × d_k.
        """
        return _with(n, d, h, full_flops=8 * n * h * d**2, split_flops=8 * n * d**2)

    def scores_of_full_width_in_b(n, d, h):
        """In B your scores and means cost as much as with heads of full width.

        Each of B's heads multiplies n × d_k by d_k × n.
        """
        return _with(n, d, h, split_flops=8 * n * d**2 + 4 * n**2 * h * d)

    def one_matrix_of_weights(n, d, h):
        """You counted the attention weights of only one head.

        Each head has its own n × n weights, in both documents.
        """
        return _with(n, d, h, weights=n**2)

    def weights_shared_among_heads(n, d, h):
        """You divided n² weights among the heads, just as the width is divided.

        Narrow heads have as many weights as wide ones: one for each pair of tokens.
        """
        return _with(n, d, h, weights=n**2 / h)

    def with_biases(n, d, h):
        """You counted biases, but neither document prints any here.

        Count only the matrices.
        """
        return _with(n, d, h, full=4 * h * d**2 + 3 * h * d + d, split=4 * d**2 + 4 * d)

    def without_the_length(n, d, h):
        """You counted the FLOPs of a single token.

        X has n rows.
        """
        right = correct(n, d, h)
        return _with(
            n, d, h, full_flops=right["A's FLOPs"] / n, split_flops=right["B's FLOPs"] / n
        )  # fmt: skip


class Right:
    """Right answers, written differently."""

    def product_by_product(n, d, h):
        """Counts each product a × b times b × c as 2 a b c."""

        def product(a, b, c):
            return 2 * a * b * c

        def of_head(d_k):
            made = 3 * product(n, d, d_k) + product(n, d_k, n) + product(n, n, d_k)
            return made + product(n, d_k, d)

        return _answer(
            h * 4 * d * d, h * 4 * d * (d // h), h * of_head(d), h * of_head(d // h), h * n * n
        )

    def b_first_then_times_h(n, d, h):
        """A costs h times as much as B, in everything but the weights."""
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
    "and the head's block of W_O. A product a × b times b × c costs 2 a b c. Multiply by h.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
