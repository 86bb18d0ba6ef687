"""The exercise ``feed_forward``: ReLU(A W_1) W_2, row by row (A08, A17; chapter 7)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.models import framework_model as reference


def cases(draw: Draw) -> list[Case]:
    """From two rows of whole numbers to a batch; the middle is as wide, wider and narrower."""
    integers = _integers(draw)
    return [
        Case("two rows of three whole numbers", integers, by_hand=True),
        Case("two rows, as wide in the middle", _small(draw), by_hand=True),
        Case("a single row", (draw.normal(1, 4), draw.normal(4, 4), draw.normal(4, 4))),
        Case("5 rows", (draw.normal(5, 6), draw.normal(6, 6), draw.normal(6, 6))),
        Case("a wide middle", (draw.normal(3, 4), draw.normal(4, 16), draw.normal(16, 4))),
        Case("2 sentences", (draw.normal(2, 3, 5), draw.normal(5, 2), draw.normal(2, 5))),
    ]


def _small(draw: Draw):
    """Before the ReLU stand 8 and -2, then -3 and 1."""
    A, W_1 = draw.tensor([[2.0, -1.0], [0.0, 1.0]]), draw.tensor([[2.5, -0.5], [-3.0, 1.0]])
    return A, W_1, draw.tensor([[1.0, -2.0], [3.0, 0.5]])


def _integers(draw: Draw):
    """Whole numbers with no 0 before the ReLU, where every slope from 0 to 1 would be right."""
    while True:
        A, W_1 = draw.small_integers(2, 3), draw.small_integers(3, 3)
        if bool((A @ W_1).all()):
            return A, W_1, draw.small_integers(3, 3)


def correct(A, W_1, W_2):
    """The model's own."""
    return reference.feed_forward(A, W_1, W_2)


class Wrong:
    """What learners write, the more particular before the more general."""

    def no_relu(A, W_1, W_2):
        """Your result is A W₁ W₂: the ReLU is missing.

        Without a ReLU between them, two matrices act as a single one. Which product goes into it?
        """
        return A @ W_1 @ W_2

    def relu_of_the_input(A, W_1, W_2):
        """The ReLU is applied to A, before the first matrix.

        Look at the brackets: what goes into the ReLU is a product.
        """
        return F.relu(A) @ W_1 @ W_2

    def relu_at_the_end(A, W_1, W_2):
        """The ReLU is applied to the result, so that no number in it is negative.

        Look at the brackets: the second matrix stands outside of them.
        """
        return F.relu(A @ W_1 @ W_2)

    def relu_twice(A, W_1, W_2):
        """The ReLU between the matrices is right, but a second one follows at the end.

        H may have negative numbers. How often does the equation say ReLU?
        """
        return F.relu(F.relu(A @ W_1) @ W_2)

    def relu_on_both_sides(A, W_1, W_2):
        """A goes through a ReLU of its own before the first matrix.

        How often does the equation say ReLU, and what is in its brackets?
        """
        return F.relu(F.relu(A) @ W_1) @ W_2

    def relu_of_the_weights(A, W_1, W_2):
        """The ReLU is applied to the matrix W₁, and not to the product.

        It acts on what comes out of A W₁, number by number.
        """
        return A @ F.relu(W_1) @ W_2

    def absolute_values(A, W_1, W_2):
        """Negative numbers lose their sign here. A ReLU makes them 0.

        ReLU(z) is the larger of 0 and z. What is it for z = −2?
        """
        return (A @ W_1).abs() @ W_2

    def keeps_the_negative(A, W_1, W_2):
        """This keeps the negative numbers and loses the positive ones.

        ReLU(z) is the larger of 0 and z, not the smaller.
        """
        return (A @ W_1).clamp(max=0) @ W_2

    def a_step(A, W_1, W_2):
        """Positive numbers become 1 here. A ReLU leaves them as they are.

        A comparison says whether a number is positive. Its size is needed, too.
        """
        return (A @ W_1 > 0).to(A.dtype) @ W_2

    def smooth(A, W_1, W_2):
        """This is GELU, which many models use. Document A's network has a ReLU.

        ReLU(z) is the larger of 0 and z.
        """
        return F.gelu(A @ W_1) @ W_2

    def a_softmax(A, W_1, W_2):
        """There is a softmax between the matrices, where a ReLU belongs.

        Nothing has to sum to 1 here: the ReLU treats each number by itself.
        """
        return torch.softmax(A @ W_1, dim=-1) @ W_2

    def with_a_detour(A, W_1, W_2):
        """A is added to the result. That is a residual connection, which this model does not have.

        It comes in chapter 10. Document A's equation has no sum.
        """
        return A + F.relu(A @ W_1) @ W_2

    def matrices_exchanged(A, W_1, W_2):
        """You swapped the two matrices.

        A is multiplied by W₁ first, and the ReLU of that by W₂.
        """
        return F.relu(A @ W_2) @ W_1

    def matrices_transposed(A, W_1, W_2):
        """Both matrices are transposed. Layers of torch store theirs so, document A does not.

        Multiply by them from the right as they are: W₁ has as many rows as A has columns.
        """
        return F.relu(A @ W_1.mT) @ W_2.mT

    def changes_A(A, W_1, W_2):
        """The result is right, but you overwrote A, so the caller's A has changed.

        Methods whose names end with an underscore, and `+=`, write into the tensor itself.
        """
        result = F.relu(A @ W_1) @ W_2
        A.mul_(0)
        return result

    def leaky(A, W_1, W_2):
        """Negative numbers become a hundredth of themselves: this is a leaky ReLU.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.leaky_relu(A @ W_1) @ W_2

    def cut_at_one(A, W_1, W_2):
        """Numbers above 1 become 1, those below 0 become 0.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return (A @ W_1).clamp(0, 1) @ W_2

    def cut_at_six(A, W_1, W_2):
        """Numbers above 6 become 6.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.relu6(A @ W_1) @ W_2

    def a_sigmoid(A, W_1, W_2):
        """There is a sigmoid between the matrices, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return (A @ W_1).sigmoid() @ W_2

    def a_tanh(A, W_1, W_2):
        """There is a tanh between the matrices, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return (A @ W_1).tanh() @ W_2

    def a_softplus(A, W_1, W_2):
        """There is a softplus, log(1 + eᶻ), between the matrices, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.softplus(A @ W_1) @ W_2

    def a_swish(A, W_1, W_2):
        """There is a SiLU (swish), z times its sigmoid, between the matrices, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.silu(A @ W_1) @ W_2

    def an_elu(A, W_1, W_2):
        """There is an ELU between the matrices: a negative z becomes eᶻ − 1.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.elu(A @ W_1) @ W_2

    def smooth_by_tanh(A, W_1, W_2):
        """This is GELU in its approximation by tanh. Document A's network has a ReLU.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.gelu(A @ W_1, approximate="tanh") @ W_2

    def squared(A, W_1, W_2):
        """Positive numbers are squared between the matrices.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.relu(A @ W_1) ** 2 @ W_2

    def negated_before(A, W_1, W_2):
        """The ReLU is applied to the negative of the product.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return F.relu(-(A @ W_1)) @ W_2

    def not_below_one(A, W_1, W_2):
        """Numbers below 1 become 1 between the matrices.

        ReLU(z) is the larger of 0 and z. What is it for z = −2, and for z = 3?
        """
        return (A @ W_1).clamp(min=1) @ W_2

    def whole_rows(A, W_1, W_2):
        """A whole row of A W₁ is kept or set to 0, depending on the sum of its numbers.

        The ReLU treats each number by itself.
        """
        inside = A @ W_1
        return (inside * (inside.sum(-1, keepdim=True) > 0)) @ W_2

    def largest_number_only(A, W_1, W_2):
        """Only the largest number of each row is kept between the matrices.

        The ReLU treats each number by itself. What does max(0, z) compare?
        """
        inside = A @ W_1
        return (inside * (inside == inside.amax(-1, keepdim=True))) @ W_2

    def relu_of_second_weights(A, W_1, W_2):
        """The ReLU between the matrices is right, but W₂ goes through a ReLU, too.

        How often does the equation say ReLU, and what is in its brackets?
        """
        return F.relu(A @ W_1) @ F.relu(W_2)

    def relu_of_second_weights_only(A, W_1, W_2):
        """The ReLU is applied to the matrix W₂, and not to the product.

        It acts on what comes out of A W₁, number by number.
        """
        return A @ W_1 @ F.relu(W_2)

    def relu_of_both_weights(A, W_1, W_2):
        """The ReLU is applied to both matrices, and not to the product.

        It acts on what comes out of A W₁, number by number.
        """
        return A @ F.relu(W_1) @ F.relu(W_2)

    def relu_of_the_weights_product(A, W_1, W_2):
        """The two matrices are multiplied first, and their product goes through the ReLU.

        Look at the brackets: what goes into the ReLU contains A.
        """
        return A @ F.relu(W_1 @ W_2)

    def first_matrix_only(A, W_1, W_2):
        """The second matrix is missing.

        What comes after the brackets in the equation?
        """
        return F.relu(A @ W_1)

    def second_matrix_only(A, W_1, W_2):
        """The first matrix is missing.

        What stands within the brackets in the equation?
        """
        return F.relu(A) @ W_2

    def first_matrix_twice(A, W_1, W_2):
        """W₁ stands in the place of W₂.

        Each of the two is used once.
        """
        return F.relu(A @ W_1) @ W_1

    def second_matrix_twice(A, W_1, W_2):
        """W₂ stands in the place of W₁.

        Each of the two is used once.
        """
        return F.relu(A @ W_2) @ W_2

    def first_transposed(A, W_1, W_2):
        """W₁ is transposed. Layers of torch store theirs so, document A does not.

        W₁ has as many rows as A has columns.
        """
        return F.relu(A @ W_1.mT) @ W_2

    def second_transposed(A, W_1, W_2):
        """W₂ is transposed. Layers of torch store theirs so, document A does not.

        W₂ has as many rows as the middle is wide.
        """
        return F.relu(A @ W_1) @ W_2.mT

    def from_the_left(A, W_1, W_2):
        """The matrices multiply from the left, so they mix the rows of A.

        Rows are tokens, and each is treated by itself. From which side does a matrix then multiply?
        """
        return W_2 @ F.relu(W_1 @ A)

    def normalised(A, W_1, W_2):
        """The rows of the result are normalised to mean 0 and variance 1. The equation does not say
        so.

        Layer normalisation comes in chapter 10.
        """
        H = F.relu(A @ W_1) @ W_2
        return F.layer_norm(H, H.shape[-1:])

    def normalised_before(A, W_1, W_2):
        """The rows of A are normalised first. The equation does not say so.

        Layer normalisation comes in chapter 10.
        """
        return F.relu(F.layer_norm(A, A.shape[-1:]) @ W_1) @ W_2

    def rows_averaged(A, W_1, W_2):
        """All rows of your result are equal: each is the mean of the right rows.

        No row needs another: which of your steps mixes them?
        """
        H = F.relu(A @ W_1) @ W_2
        return H.mean(-2, keepdim=True).expand_as(H)

    def a_softmax_at_the_end(A, W_1, W_2):
        """A softmax follows at the end. The equation has none.

        The rows of H are not probabilities.
        """
        return (F.relu(A @ W_1) @ W_2).softmax(-1)

    def detour_around_the_first(A, W_1, W_2):
        """A is added to A W₁, and the ReLU is applied to the sum.

        Document A's equation has no sum.
        """
        return F.relu(A @ W_1 + A) @ W_2

    def detour_after_the_relu(A, W_1, W_2):
        """A is added to what comes out of the ReLU.

        Document A's equation has no sum.
        """
        return (F.relu(A @ W_1) + A) @ W_2

    def detour_and_relu(A, W_1, W_2):
        """A is added to the result, and a ReLU follows.

        Document A's equation has no sum, and only one ReLU.
        """
        return F.relu(A + F.relu(A @ W_1) @ W_2)

    def divided_by_root(A, W_1, W_2):
        """The result, or the product A W₁, is divided by √d, as scores are.

        No score is computed here.
        """
        return F.relu(A @ W_1) @ W_2 / A.shape[-1] ** 0.5

    def changes_A_and_uses_it(A, W_1, W_2):
        """The ReLU is applied to A itself, which changes the caller's A.

        What goes into the ReLU is a product. And methods whose names end with an underscore, and
        `A[...] = 0`, write into the tensor itself.
        """
        return A.clamp_(min=0) @ W_1 @ W_2

    def weights_do_not_learn(A, W_1, W_2):
        """The values are right, but no gradient reaches W₁ and W₂.

        `.data` and `detach` cut it off.
        """
        return F.relu(A @ W_1.detach()) @ W_2.detach() + 0 * (W_1.sum() + W_2.sum())

    def changes_A_and_goes_on(A, W_1, W_2):
        """What is negative in A is set to 0 in place, which changes the caller's A and the result.

        What goes into the ReLU is a product. And methods whose names end with an underscore, and
        `A[...] = 0`, write into the tensor itself.
        """
        return F.relu(A.clamp_(min=0) @ W_1) @ W_2

    def rows_averaged_first(A, W_1, W_2):
        """The rows are averaged before the network, so all rows of your result are equal.

        No row needs another: which of your steps mixes them?
        """
        return (F.relu(A.mean(-2, keepdim=True) @ W_1) @ W_2).expand_as(A)


class Right:
    """Right answers, written differently."""

    def with_clamp(A, W_1, W_2):
        """A floor of 0."""
        return (A @ W_1).clamp(min=0) @ W_2

    def with_a_mask(A, W_1, W_2):
        """Zero where the sum is not positive."""
        inside = A @ W_1
        return (inside * (inside > 0)) @ W_2

    def with_einsum(A, W_1, W_2):
        """Names the dimensions."""
        inside = torch.einsum("...d,df->...f", A, W_1)
        return torch.einsum("...f,fd->...d", torch.relu(inside), W_2)

    def row_by_row(A, W_1, W_2):
        """No row needs another."""
        rows = [
            torch.maximum(row @ W_1, row.new_zeros(())) @ W_2 for row in A.reshape(-1, A.shape[-1])
        ]
        return torch.stack(rows).reshape(*A.shape[:-1], -1)

    def half_of_a_sum(A, W_1, W_2):
        """The larger of z and 0 is half of z + |z|."""
        inside = A @ W_1
        return 0.5 * (inside + inside.abs()) @ W_2


EXERCISE = Exercise(
    id="feed_forward",
    oracle=correct,
    hint="Take one row. Multiply it by W₁, replace what is negative by 0, multiply by W₂.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
