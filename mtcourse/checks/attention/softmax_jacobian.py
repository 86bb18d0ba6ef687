"""The exercise ``softmax_jacobian``: diag(p) - p p^T for each row of weights (A07; chapter 04)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule
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
    """Whether weights that sum to 1 still do, however one score is moved."""
    return bool((J.double().sum(-2).abs() < 1e-5).all())


# --- wrong ---------------------------------------------------------------------------------------


def diagonal_as_a_row(p):
    """These are the numbers of the diagonal alone, one for each weight.

    Each of the n weights answers to each of the n scores. How many derivatives are there?
    """
    return p * (1 - p)


def diagonal_alone(p):
    """The diagonal is right, and all other entries are 0, as if a score moved its own weight alone.

    Weights share a 1. If one of them grows, what do the others do?
    """
    return torch.diag_embed(p * (1 - p))


def added(p):
    """The outer product p pᵀ is added, and should be subtracted.

    If score j grows, the weight of another key i must shrink. What sign has entry (i, j)?
    """
    return torch.diag_embed(p) + p[..., :, None] * p[..., None, :]


def outer_product(p):
    """This is p pᵀ alone, without its sign and without the diagonal part.

    Look at the two cases of the quotient rule: i = j, and i ≠ j.
    """
    return p[..., :, None] * p[..., None, :]


def minus_outer_product(p):
    """Off the diagonal it is right. On the diagonal the first of two terms is missing.

    Where i = j the numerator depends on the score, too. What does its derivative add?
    """
    return -p[..., :, None] * p[..., None, :]


def diagonal_part(p):
    """This is diag(p) alone: the derivative of the numerator, without that of the sum below it.

    Every score stands in the sum by which all are divided.
    """
    return torch.diag_embed(p)


def off_diagonal_zero_weight(p):
    """Off the diagonal it is right. The diagonal holds the weights alone, and a term is missing.

    For i = j, too, the score stands in the sum below the fraction. What does that contribute?
    """
    outer = p[..., :, None] * p[..., None, :]
    return torch.diag_embed(p) - outer + torch.diag_embed(p * p)


def diagonal_counted_twice(p):
    """Off the diagonal it is right. On the diagonal pᵢ² was taken off twice.

    diag(p) - p pᵀ takes it off once: p pᵀ has a diagonal, too. What does each column of J sum to?
    """
    return torch.diag_embed(p - p * p) - p[..., :, None] * p[..., None, :]


def as_if_always_the_same_key(p):
    """Entry (i, j) is pᵢ (1 - pⱼ) everywhere. The 1 belongs to i = j alone.

    Off the diagonal the numerator does not depend on the score. Which term is gone there?
    """
    return p[..., :, None] * (1 - p[..., None, :])


def identity_for_diagonal(p):
    """Off the diagonal it is right. The diagonal holds 1 - pᵢ², and its first term is too large.

    Write out the case i = j for two equal weights. How large is the numerator, next to the sum?
    """
    return torch.eye(p.shape[-1], dtype=p.dtype) - p[..., :, None] * p[..., None, :]


def of_the_logarithm(p):
    """This is the derivative of the logarithm of the weights, δᵢⱼ - pⱼ.

    The derivative of ln pᵢ is that of pᵢ, divided by pᵢ.
    """
    return torch.eye(p.shape[-1], dtype=p.dtype) - p[..., None, :]


def sign_turned(p):
    """Every entry has the wrong sign.

    If score i grows, what does its own weight do?
    """
    return -correct(p)


def softmax_again(p):
    """A softmax was taken of p. But p are weights already, what a softmax gave.

    The derivative needs nothing but the weights themselves.
    """
    return correct(p.softmax(-1))


def summed_over_rows(p):
    """The Jacobians of all rows are added up into one.

    Each row of weights has a Jacobian of its own. The leading dimensions stay.
    """
    return correct(p.reshape(-1, p.shape[-1])).sum(0)


def one_row_only(p):
    """For a single row this is right. For several it stops.

    `torch.diag` and `torch.outer` know one row. `torch.diag_embed` and broadcasting keep leading
    dimensions.
    """
    return torch.diag(p) - torch.outer(p, p)


def between_rows(p):
    """The product p pᵀ was taken between rows, (m, n) with (n, m), where each row needs its own.

    Give each row the shapes (n, 1) and (1, n). Then multiply.
    """
    return torch.diag_embed(p) - p @ p.mT


def dot_product_of_a_row(p):
    """`p @ p.T` is a single number for one row, the dot product of the row with itself.

    Wanted are all products of two weights, n × n of them. Give p the shapes (n, 1) and (1, n).
    """
    return torch.diag_embed(p) - p @ p.permute(*reversed(range(p.dim())))


def squares_for_products(p):
    """pᵢ² is subtracted where the products of *two* weights belong, pᵢ pⱼ.

    `p * p` multiplies each weight with itself. All pairs of weights make a square of numbers.
    """
    return torch.diag_embed(p) - p * p


def difference_of_rows(p):
    """p - p² was spread over a square: there is no difference between i = j and i ≠ j.

    diag(p) is a matrix with p on its diagonal and 0 elsewhere.
    """
    return (p - p**2)[..., None, :].expand(*p.shape, p.shape[-1])


# --- right ---------------------------------------------------------------------------------------


def with_einsum(p):
    """Names the dimensions."""
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
        return torch.stack([one_row_at_a_time(row) for row in p])
    return torch.diag(p) - torch.outer(p, p)


def by_autograd(p):
    """Any scores that have these weights will do: their logarithms."""
    if p.dim() > 1:
        return torch.stack([by_autograd(row) for row in p])
    return torch.autograd.functional.jacobian(lambda s: s.softmax(-1), p.log())


EXERCISE = Exercise(
    id="softmax_jacobian",
    oracle=correct,
    hint="Differentiate e^(s_i) / Σ e^(s_l) by s_j with the quotient rule, once for i = j and once "
    "for i ≠ j. Write both with p only, and fill a 2 × 2 matrix by hand.",
    misconceptions=(
        diagonal_as_a_row,
        diagonal_alone,
        added,
        outer_product,
        minus_outer_product,
        diagonal_part,
        off_diagonal_zero_weight,
        diagonal_counted_twice,
        as_if_always_the_same_key,
        identity_for_diagonal,
        of_the_logarithm,
        sign_turned,
        softmax_again,
        summed_over_rows,
        one_row_only,
        between_rows,
        dot_product_of_a_row,
        squares_for_products,
        difference_of_rows,
    ),
    right=(with_einsum, with_delta, one_entry_at_a_time, one_row_at_a_time, by_autograd),
    cases=cases,
    rules=(Rule("if a score moves, the changes of all weights sum to 0", rows_sum_to_nothing),),
)
