"""The exercise ``feed_forward``: ReLU(A W_1) W_2, row by row (A08, A17; chapter 07)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.models.framework_model import feed_forward


def cases(draw: Draw) -> list[Case]:
    """From two rows of whole numbers to a batch; the middle is as wide, wider and narrower."""
    integers = _integers(draw)
    return [
        Case("two rows of three whole numbers", integers, by_hand=True),
        Case("a single row", (draw.normal(1, 4), draw.normal(4, 4), draw.normal(4, 4))),
        Case("5 rows", (draw.normal(5, 6), draw.normal(6, 6), draw.normal(6, 6))),
        Case("a wide middle", (draw.normal(3, 4), draw.normal(4, 16), draw.normal(16, 4))),
        Case("2 sentences", (draw.normal(2, 3, 5), draw.normal(5, 2), draw.normal(2, 5))),
    ]


def _integers(draw: Draw):
    """Whole numbers with no 0 before the ReLU, where every slope from 0 to 1 would be right."""
    while True:
        A, W_1 = draw.small_integers(2, 3), draw.small_integers(3, 3)
        if bool((A @ W_1).all()):
            return A, W_1, draw.small_integers(3, 3)


class Wrong:
    """What learners write, the more particular before the more general."""

    def no_relu(A, W_1, W_2):
        """This is A W₁ W₂, without the ReLU between them.

        Two matrices in a row are one matrix. What stands between them in the equation?
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

        H_E may have negative numbers. How often does the equation say ReLU?
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
        """You transposed the matrices. Layers of torch store them transposed, document A does not.

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
        rows = [torch.maximum(row @ W_1, row.new_zeros(())) @ W_2 for row in A.reshape(-1, A.shape[-1])]
        return torch.stack(rows).reshape(*A.shape[:-1], -1)

    def half_of_a_sum(A, W_1, W_2):
        """The larger of z and 0 is half of z plus its size."""
        inside = A @ W_1
        return 0.5 * (inside + inside.abs()) @ W_2


EXERCISE = Exercise(
    id="feed_forward",
    oracle=feed_forward,
    hint="Take one row. Multiply it by W₁, replace what is negative by 0, multiply by W₂.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
