"""The exercise ``softmax_jacobian``: diag(p) - p p^T for each row of weights (A07; chapter 4)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """One row, several, saturated ones: always weights that sum to 1."""
    return [
        Case("one row of three weights", (draw.tensor([0.5, 0.25, 0.25]),), by_hand=True),
        Case("a row of a single weight", (draw.tensor([1.0]),)),
        Case("a row of five weights", (draw.normal(5).softmax(-1),)),
        Case("two rows of two weights", (draw.tensor([[0.5, 0.5], [0.25, 0.75]]),), by_hand=True),
        Case("3 rows of 4 weights", (draw.normal(3, 4).softmax(-1),)),
        Case("4 rows of 4 weights", (draw.normal(4, 4).softmax(-1),)),
        Case("2 sentences, 3 heads", (draw.normal(2, 3, 4, 5).softmax(-1),)),
        Case("a saturated row", (draw.tensor([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]]),)),
    ]


def correct(p):
    """diag(p) - p p^T."""
    return torch.diag_embed(p) - p[..., :, None] * p[..., None, :]


def rows_sum_to_nothing(case: Case, J) -> bool:
    """Whether the changes of the weights sum to 0, whichever score moves."""
    return bool((J.double().sum(-2).abs() < 1e-5).all())


def _outer(p):
    """All products of two weights of a row."""
    return p[..., :, None] * p[..., None, :]


def _put_together(diagonal, beside):
    """A matrix for each row from its diagonal, and from a matrix for all other places."""
    on_diagonal = torch.eye(beside.shape[-1], dtype=torch.bool)
    return torch.where(on_diagonal, torch.diag_embed(diagonal), beside)


class Wrong:
    """What learners write, the more particular before the more general."""

    def diagonal_as_a_row(p):
        """You returned only the numbers on the diagonal, one for each weight.

        Each of the n weights responds to each of the n scores. How many derivatives are there?
        """
        return p * (1 - p)

    def diagonal_alone(p):
        """Your diagonal is right, but all else is 0, as if a score moved only its own weight.

        The weights share a total of 1. If one of them grows, what do the others do?
        """
        return torch.diag_embed(p * (1 - p))

    def added(p):
        """You added the outer product p pᵀ. Subtract it.

        If score j grows, the weight of another key i must shrink. Which sign does entry (i, j)
        have?
        """
        return torch.diag_embed(p) + p[..., :, None] * p[..., None, :]

    def outer_product(p):
        """You returned p pᵀ alone, without the minus sign and without the diagonal part.

        Look at the two cases of the quotient rule: i = j, and i ≠ j.
        """
        return p[..., :, None] * p[..., None, :]

    def minus_outer_product(p):
        """Your entries off the diagonal are right. On it, the first of two terms is missing.

        Where i = j, the numerator depends on the score, too. What does its derivative add?
        """
        return -p[..., :, None] * p[..., None, :]

    def diagonal_part(p):
        """You returned diag(p): the derivative of the numerator, without that of the denominator.

        Every score is part of the sum in the denominator.
        """
        return torch.diag_embed(p)

    def off_diagonal_zero_weight(p):
        """Your entries off the diagonal are right. On it, you have only the weights; a term is
        missing.

        For i = j, too, the score is part of the denominator. What does this contribute?
        """
        outer = p[..., :, None] * p[..., None, :]
        return torch.diag_embed(p) - outer + torch.diag_embed(p * p)

    def diagonal_counted_twice(p):
        """Your entries off the diagonal are right. On it, you subtracted pᵢ² twice.

        The product p pᵀ has a diagonal, too. What should each column of J sum to?
        """
        return torch.diag_embed(p - p * p) - p[..., :, None] * p[..., None, :]

    def as_if_always_the_same_key(p):
        """You returned pᵢ (1 - pⱼ) for every entry. The 1 belongs only to i = j.

        Off the diagonal, the numerator does not depend on the score. Which term vanishes there?
        """
        return p[..., :, None] * (1 - p[..., None, :])

    def identity_for_diagonal(p):
        """Your entries off the diagonal are right. On it you have 1 - pᵢ²: the first term is too
        large.

        Write out the case i = j for two equal weights. How large is the numerator, compared with
        the sum?
        """
        return torch.eye(p.shape[-1], dtype=p.dtype) - p[..., :, None] * p[..., None, :]

    def of_the_logarithm(p):
        """You returned the derivative of ln pᵢ: 1 - pⱼ where i = j, and -pⱼ elsewhere.

        The derivative of ln pᵢ is that of pᵢ, divided by pᵢ.
        """
        return torch.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :]

    def sign_turned(p):
        """All your entries have the wrong sign.

        If score i grows, what does its own weight do?
        """
        return -correct(p)

    def softmax_again(p):
        """You took the softmax of p. But p already holds weights, the result of a softmax.

        The derivative depends only on the weights themselves.
        """
        return correct(p.softmax(-1))

    def summed_over_rows(p):
        """You added up the Jacobians of all rows.

        Each row of weights has its own Jacobian. Keep the leading dimensions.
        """
        return correct(p.reshape(-1, p.shape[-1])).sum(0)

    def one_row_only(p):
        """Your function is right for a single row, but it fails for several.

        `torch.diag` and `torch.outer` take only one row. `torch.diag_embed` and broadcasting keep
        leading dimensions.
        """
        return torch.diag(p) - torch.outer(p, p)

    def between_rows(p):
        """You multiplied different rows with each other, (m, n) with (n, m).

        Each row needs its own product p pᵀ. Give it the shapes (n, 1) and (1, n), then multiply.
        """
        return torch.diag_embed(p) - p @ p.mT

    def dot_product_of_a_row(p):
        """Your product of p with its transpose is a single number for one row: the dot product of
        the row with itself.

        You need all products of two weights, n × n of them. Give p the shapes (n, 1) and (1, n).
        """
        return torch.diag_embed(p) - p @ p.permute(*reversed(range(p.dim())))

    def squares_for_products(p):
        """You subtracted the squares of the weights, where the products pᵢ pⱼ of *two* weights
        belong.

        `p * p` multiplies each weight by itself. The products of all pairs form a square matrix.
        """
        return torch.diag_embed(p) - p * p

    def difference_of_rows(p):
        """Each row of your matrix is p - p², with no difference between i = j and i ≠ j.

        diag(p) is a matrix with p on its diagonal and 0 elsewhere.
        """
        return (p - p**2)[..., None, :].expand(*p.shape, p.shape[-1])

    def plus_beside_the_diagonal(p):
        """Your diagonal is right, but elsewhere you have +pᵢ pⱼ.

        If score j grows, the weight of another key i must shrink.
        """
        return _put_together(p - p * p, _outer(p))

    def weight_of_the_other_beside(p):
        """Your diagonal is right, but elsewhere you have -pⱼ: the factor pᵢ is missing.

        For i ≠ j only the denominator depends on score j. What stands in the numerator?
        """
        return _put_together(p - p * p, -p[..., None, :].expand_as(_outer(p)))

    def own_weight_beside(p):
        """Your diagonal is right, but elsewhere you have -pᵢ: the factor pⱼ is missing.

        For i ≠ j, what is the derivative of the denominator, divided by the denominator?
        """
        return _put_together(p - p * p, -p[..., :, None].expand_as(_outer(p)))

    def weights_subtracted_from_the_columns(p):
        """You subtract pⱼ from every entry of diag(p). It should be the product pᵢ pⱼ.

        A row that broadcasts over a matrix is subtracted from each of its rows.
        """
        return torch.diag_embed(p) - p[..., None, :]

    def weights_subtracted_from_the_rows(p):
        """You subtract pᵢ from every entry of diag(p). It should be the product pᵢ pⱼ.

        A column that broadcasts over a matrix is subtracted from each of its columns.
        """
        return torch.diag_embed(p) - p[..., :, None]

    def dot_product_for_all(p):
        """You subtract the same number everywhere, the sum of the squares of the weights.

        That is the dot product of p with itself. You need all products of two weights.
        """
        return torch.diag_embed(p) - (p * p).sum(-1)[..., None, None]

    def products_of_two_sigmoids(p):
        """You multiply pᵢ (1 - pᵢ) by pⱼ (1 - pⱼ).

        Use the quotient rule once. Where i ≠ j the 1 does not appear.
        """
        return _outer(p * (1 - p))

    def one_less_the_weight_on_the_diagonal(p):
        """Your entries off the diagonal are right. On it you have 1 - pᵢ, without the factor pᵢ.

        Where i = j, the numerator is still there as a factor.
        """
        return _put_together(1 - p, -_outer(p))

    def one_on_the_diagonal(p):
        """Your entries off the diagonal are right. On it you have 1.

        How does a weight respond to its own score, if the weight is already nearly 1?
        """
        return _put_together(torch.ones_like(p), -_outer(p))

    def nothing_on_the_diagonal(p):
        """Your entries off the diagonal are right. On it you have 0.

        How does a weight respond to its own score?
        """
        return _put_together(torch.zeros_like(p), -_outer(p))

    def weight_squared_on_the_diagonal(p):
        """Your entries off the diagonal are right. On it you have +pᵢ².

        Where i = j, the quotient rule has two terms.
        """
        return _put_together(p * p, -_outer(p))

    def plus_on_the_diagonal(p):
        """Your entries off the diagonal are right. On it you have pᵢ (1 + pᵢ): a sign is wrong.

        The quotient rule has a minus.
        """
        return _put_together(p + p * p, -_outer(p))

    def one_less_the_product(p):
        """You have 1 - pᵢ where i = j, and -pᵢ elsewhere. In every entry a factor pⱼ is missing.

        What is the derivative of the numerator, divided by the denominator?
        """
        return torch.eye(p.shape[-1], dtype=p.dtype) - p[..., :, None]

    def ones_less_products(p):
        """You have 1 - pᵢ pⱼ for every entry, whether i = j or not.

        Only where i = j does the numerator depend on score j.
        """
        return 1 - _outer(p)

    def weight_less_products(p):
        """You have pⱼ (1 - pᵢ) for every entry. The 1 belongs only to i = j.

        Off the diagonal, the numerator does not depend on the score. Which term vanishes there?
        """
        return p[..., None, :] * (1 - p[..., :, None])

    def divided_by_the_number(p):
        """You divide by the number of scores, as for a mean.

        The derivative of one weight with respect to one score is a single number.
        """
        return correct(p) / p.shape[-1]

    def nan_at_a_weight_of_0(p):
        """Where a weight is exactly 0, your matrix has NaN, as after a division by that weight.

        A saturated row has weights of 0. Can you write J without dividing by a weight?
        """
        ratio = p[..., :, None] / p[..., None, :]
        return torch.diag_embed(p) - ratio * (p * p)[..., None, :]

    def first_row_for_all(p):
        """You return the Jacobian of the first row for all rows.

        Each row of weights has its own Jacobian.
        """
        row = p.reshape(-1, p.shape[-1])[0]
        return correct(row).expand(*p.shape, p.shape[-1]).clone()

    def mean_over_rows(p):
        """You return the mean of the Jacobians of all rows.

        Each row of weights has its own Jacobian. Keep the leading dimensions.
        """
        return correct(p.reshape(-1, p.shape[-1])).mean(0)

    def flattened(p):
        """You return one Jacobian for all rows together, as if their weights were a single row.

        A weight does not depend on the scores of another row.
        """
        return correct(p.flatten())

    def upper_half(p):
        """Below the diagonal you have 0.

        Every weight depends on every score of its row, on earlier ones as well.
        """
        return correct(p).triu()

    def lower_half(p):
        """Above the diagonal you have 0.

        Every weight depends on every score of its row, on later ones as well.
        """
        return correct(p).tril()

    def sums_of_rows(p):
        """You return the sums of the rows or columns of J, which are all 0.

        The matrix itself is asked for, (…, n, n).
        """
        return correct(p).sum(-1)

    def product_with_itself(p):
        """You return J multiplied by J.

        One derivative is asked for.
        """
        return correct(p) @ correct(p)


class Right:
    """Right answers, written differently."""

    def with_einsum(p):
        """Names the dimensions in an einsum."""
        return torch.diag_embed(p) - torch.einsum("...i,...j->...ij", p, p)

    def with_delta(p):
        """p_i times (1 if i = j, minus p_j)."""
        return p.unsqueeze(-1) * (torch.eye(p.shape[-1], dtype=p.dtype) - p.unsqueeze(-2))

    def one_entry_at_a_time(p):
        """The two cases of the quotient rule."""
        n = p.shape[-1]
        J = p.new_empty(*p.shape, n)
        for i in range(n):
            for j in range(n):
                if i == j:
                    J[..., i, j] = p[..., i] * (1 - p[..., i])
                else:
                    J[..., i, j] = -p[..., i] * p[..., j]
        return J

    def one_row_at_a_time(p):
        """Recurses over leading dimensions."""
        if p.dim() > 1:
            return torch.stack([Right.one_row_at_a_time(row) for row in p])
        return torch.diag(p) - torch.outer(p, p)

    def from_a_product_of_matrices(p):
        """A diagonal matrix times what is left of the identity."""
        n = p.shape[-1]
        return torch.diag_embed(p) @ (
            torch.eye(n, dtype=p.dtype) - p[..., None, :].expand(*p.shape, n)
        )


EXERCISE = Exercise(
    id="softmax_jacobian",
    oracle=correct,
    hint="Apply the quotient rule to e^(s_i) / Σ e^(s_l), once for i = j and once for i ≠ j. Write "
    "both derivatives with p only, and fill a 2 × 2 matrix by hand.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("if a score moves, the changes of all weights sum to 0", rows_sum_to_nothing),),
    forbids=("gradients",),
)
