"""The exercise ``cost``: parameters and FLOPs of both layouts (A24, A27, B06; chapter 9)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        """Your parameters leave out W_O.

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
        """Among A's parameters, you gave W_O the shape d × d.

        Each row of Concat has h d numbers. How many rows does W_O have?
        """
        return _with(n, d, h, full=3 * h * d**2 + d**2)

    def b_costs_what_a_costs(n, d, h):
        """You gave B's heads the full width, as if they were A's.

        In document B, a head is d / h wide (B06).
        """
        full = _with(n, d, h)
        return _with(n, d, h, split=full["A's parameters"], split_flops=full["A's FLOPs"])

    def a_costs_what_b_costs(n, d, h):
        """You gave A's heads only a share of the width, or you counted only one of them.

        In document A, each of the h heads has its own d × d matrices (A24).
        """
        split = _with(n, d, h)
        return _with(n, d, h, full=split["B's parameters"], full_flops=split["B's FLOPs"])

    def a_multiplication_alone(n, d, h):
        """You counted only multiplications, so your FLOPs are half of what they should be.

        A multiplication and an addition are two operations.
        """
        right = correct(n, d, h)
        return _with(
            n, d, h, full_flops=right["A's FLOPs"] / 2, split_flops=right["B's FLOPs"] / 2
        )  # fmt: skip

    def values_cost_nothing(n, d, h):
        """You counted only one of two products: Q Kᵀ, or the weights times the values.

        Both products deal with n² pairs of tokens, and each counts as 2abc.
        """
        return _with(
            n, d, h, full_flops=8 * n * h * d**2 + 2 * n**2 * h * d,
            split_flops=8 * n * d**2 + 2 * n**2 * d,
        )  # fmt: skip

    def w_o_costs_nothing(n, d, h):
        """Your FLOPs leave out the product with W_O.

        Concat is multiplied by W_O: one more product.
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

    def b_has_full_width_parameters(n, d, h):
        """B's parameters are those of heads of the full width.

        In document B, a head is d / h wide (B06).
        """
        return _with(n, d, h, split=4 * h * d**2)

    def b_has_full_width_operations(n, d, h):
        """B's FLOPs are those of heads of the full width.

        In document B, a head is d / h wide (B06).
        """
        return _with(n, d, h, split_flops=_flops(n, d, h, d))

    def a_has_narrow_parameters(n, d, h):
        """A's parameters are those of a single head, or of heads that share the width.

        In document A, each of the h heads has its own d × d matrices (A24).
        """
        return _with(n, d, h, full=4 * d**2)

    def a_has_narrow_operations(n, d, h):
        """A's FLOPs are those of a single head, or of heads that share the width.

        In document A, each of the h heads has its own d × d matrices (A24).
        """
        return _with(n, d, h, full_flops=_flops(n, d, h, d // h))

    def b_parameters_of_one_head(n, d, h):
        """B's parameters are those of one head, or of h heads whose matrices are d_k × d_k.

        There are h heads. Each has three d × d_k matrices, and d_k rows of W_O.
        """
        return _with(n, d, h, split=4 * d**2 / h)

    def b_operations_of_one_head(n, d, h):
        """B's FLOPs are those of one head.

        Each head has its own products.
        """
        return _with(n, d, h, split_flops=_flops(n, d, 1, d // h))

    def b_of_one_head(n, d, h):
        """B's parameters and FLOPs are those of one head.

        There are h heads, each with its own matrices and products.
        """
        return _with(n, d, h, split=4 * d**2 / h, split_flops=_flops(n, d, 1, d // h))

    def b_has_square_slices(n, d, h):
        """In B, the matrices cost too little by a factor of h, as if those of a head were d_k ×
        d_k, or as if there were only one head.

        Each of the h heads reads the *whole* row, d numbers, and computes d_k numbers from it.
        """
        return _with(
            n, d, h, split=4 * d**2 / h, split_flops=8 * n * d**2 / h + 4 * n**2 * d
        )  # fmt: skip

    def b_scores_of_one_head(n, d, h):
        """In B, you counted the scores and means of one head only.

        Each head multiplies n × d_k by d_k × n, and n × n by n × d_k.
        """
        return _with(n, d, h, split_flops=8 * n * d**2 + 4 * n**2 * (d // h))

    def b_w_o_in_every_head(n, d, h):
        """In B you counted h d² numbers for W_O, as in document A.

        In Concat, each row has h d_k = d numbers. What shape has W_O?
        """
        return _with(n, d, h, split=3 * d**2 + h * d**2)

    def b_w_o_is_narrow(n, d, h):
        """In B you gave W_O only d_k rows. It takes all heads side by side.

        In Concat, each row has h d_k = d numbers. What shape has W_O?
        """
        return _with(n, d, h, split=3 * d**2 + d**2 / h)

    def a_parameters_of_one_head(n, d, h):
        """Among A's parameters, you counted W_Q, W_K and W_V of one head only.

        Each of the h heads has its own (A24).
        """
        return _with(n, d, h, full=3 * d**2 + h * d**2)

    def a_scores_of_one_head(n, d, h):
        """In A, you counted the scores and means of one head only.

        Each head multiplies n × d by d × n, and n × n by n × d.
        """
        return _with(n, d, h, full_flops=8 * n * h * d**2 + 4 * n**2 * d)

    def a_products_of_one_head(n, d, h):
        """In A, you counted the products with W_Q, W_K, W_V and W_O of one head only.

        Each head multiplies X by its own three matrices, and Concat is h d wide.
        """
        return _with(n, d, h, full_flops=8 * n * d**2 + 4 * n**2 * h * d)

    def layouts_exchanged(n, d, h):
        """You exchanged the two layouts: A's numbers stand at B's names.

        Which document's heads are d wide (A24), and which d / h (B06)?
        """
        a, b, a_flops, b_flops, weights = correct(n, d, h).values()
        return _answer(b, a, b_flops, a_flops, weights)

    def parameters_exchanged(n, d, h):
        """You exchanged the parameters of the two layouts.

        Which document's heads are d wide (A24), and which d / h (B06)?
        """
        return _with(n, d, h, full=4 * d**2, split=4 * h * d**2)

    def operations_exchanged(n, d, h):
        """You exchanged the FLOPs of the two layouts.

        Which document's heads are d wide (A24), and which d / h (B06)?
        """
        a, b, a_flops, b_flops, weights = correct(n, d, h).values()
        return _answer(a, b, b_flops, a_flops, weights)

    def only_the_first_three_products(n, d, h):
        """Your FLOPs are those of X W_Q, X W_K and X W_V alone.

        From X to the output, what else is multiplied in each head?
        """
        return _with(n, d, h, full_flops=6 * n * h * d**2, split_flops=6 * n * d**2)

    def only_scores_and_means(n, d, h):
        """Your FLOPs are those of the scores and means alone; the products with the four matrices
        are missing.

        From X to the output: where do Q, K and V come from?
        """
        return _with(n, d, h, full_flops=4 * n**2 * h * d, split_flops=4 * n**2 * d)

    def only_one_product_with_X(n, d, h):
        """Your products with the four matrices cost half of what they should, as if X were
        multiplied once and not three times.

        Each of W_Q, W_K and W_V is multiplied by X, and each product counts as 2abc.
        """
        return _with(
            n, d, h, full_flops=4 * n * h * d**2 + 4 * n**2 * h * d,
            split_flops=4 * n * d**2 + 4 * n**2 * d,
        )  # fmt: skip

    def scores_of_one_query(n, d, h):
        """Your scores and means are those of a single query: n, where there are n² pairs.

        Q Kᵀ is n × d_k by d_k × n.
        """
        return _with(
            n, d, h, full_flops=8 * n * h * d**2 + 4 * n * h * d,
            split_flops=8 * n * d**2 + 4 * n * d,
        )  # fmt: skip

    def products_of_one_token(n, d, h):
        """You counted the products with the four matrices for a single token.

        X has n rows.
        """
        return _with(
            n, d, h, full_flops=8 * h * d**2 + 4 * n**2 * h * d,
            split_flops=8 * d**2 + 4 * n**2 * d,
        )  # fmt: skip

    def one_addition_less(n, d, h):
        """You counted a(2b - 1)c for a product. The question says 2abc.

        Count the first number of a sum as an addition, too.
        """

        def of(d_k):
            of_head = 3 * n * (2 * d - 1) * d_k + n * (2 * d_k - 1) * n + n * (2 * n - 1) * d_k
            return h * of_head + n * (2 * h * d_k - 1) * d

        return _with(n, d, h, full_flops=of(d), split_flops=of(d // h))

    def softmax_counted(n, d, h):
        """You also counted an operation for each attention weight. Only products are asked for.

        The softmax, the division and masks are not counted.
        """
        right = correct(n, d, h)
        more = h * n**2
        return _with(
            n, d, h, full_flops=right["A's FLOPs"] + more, split_flops=right["B's FLOPs"] + more
        )  # fmt: skip

    def with_a_bias_for_each_matrix(n, d, h):
        """You counted biases, one number for each column of each matrix of each head.

        Count only the matrices.
        """
        return _with(n, d, h, full=4 * h * d**2 + 4 * h * d, split=4 * d**2 + 4 * d)

    def with_biases_in_b(n, d, h):
        """You counted biases in B, but document B prints none here.

        Count only the matrices.
        """
        return _with(n, d, h, split=4 * d**2 + 4 * d)

    def one_weight_for_each_token(n, d, h):
        """You counted n attention weights in each head, one for each token.

        Each *pair* of tokens has a weight.
        """
        return _with(n, d, h, weights=n * h)

    def weights_below_the_diagonal(n, d, h):
        """You counted the attention weights on and below the diagonal only, as under a causal mask.

        Each token attends to all n.
        """
        return _with(n, d, h, weights=h * n * (n + 1) / 2)

    def weights_off_the_diagonal(n, d, h):
        """You left out the weights that tokens give to themselves.

        Each token attends to all n, itself included.
        """
        return _with(n, d, h, weights=h * n * (n - 1))

    def numbers_of_the_outputs(n, d, h):
        """You counted n · d attention weights for each head, as many as X has numbers.

        Which matrix holds the weights of one head, and what is its shape?
        """
        return _with(n, d, h, weights=h * n * d)

    def numbers_of_all_rows(n, d, h):
        """You counted n · d attention weights in all, as many as X has numbers.

        Which matrix holds the weights of one head, and what is its shape?
        """
        return _with(n, d, h, weights=n * d)

    def weights_times_the_width(n, d, h):
        """You multiplied the number of attention weights by d. A weight is a single number.

        How many numbers does the softmax of one head return?
        """
        return _with(n, d, h, weights=h * n**2 * d)

    def weights_of_both_layouts(n, d, h):
        """You counted the attention weights twice.

        Their number is the same for both layouts, and asked for once.
        """
        return _with(n, d, h, weights=2 * h * n**2)

    def parameters_for_weights(n, d, h):
        """You counted parameters, where attention weights are asked for.

        Attention weights are what the softmax returns: how many are there in a head?
        """
        return _with(n, d, h, weights=4 * h * d**2)


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
