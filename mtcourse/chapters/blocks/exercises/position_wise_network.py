"""The exercise ``position_wise_network``: ReLU(x W_1 + b_1) W_2 + b_2 (B12; chapter 10)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows to check by hand, every size different, all sizes the same, batches."""
    x = draw.tensor([[1.0, 2.0], [-2.0, 1.0]])
    W_1, b_1 = draw.tensor([[1.0, -2.0, 0.5], [2.0, 1.0, -1.0]]), draw.tensor([-2.0, 3.0, 4.0])
    W_2, b_2 = draw.tensor([[1.0, 2.0], [-1.0, 3.0], [2.0, -2.0]]), draw.tensor([-20.0, 5.0])
    return [
        Case("2 rows of 2, 3 in the middle", (x, W_1, b_1, W_2, b_2), by_hand=True),
        Case("a single row", _drawn(draw, (1, 4), 6)),
        Case("5 rows of 4, 7 in the middle", _drawn(draw, (5, 4), 7)),
        Case("4 rows of 4, 4 in the middle", _drawn(draw, (4, 4), 4)),
        Case("as many rows as the middle is wide", _drawn(draw, (6, 4), 6)),
        Case("a narrow middle", _drawn(draw, (4, 5), 2)),
        Case("2 sentences of 3 rows", _drawn(draw, (2, 3, 4), 8)),
        Case("3 sentences of 3 rows of 3, 3 in the middle", _drawn(draw, (3, 3, 3), 3)),
        Case("2 batches of 3 sentences", _drawn(draw, (2, 3, 2, 4), 5)),
    ]


def _drawn(draw: Draw, shape, d_ff):
    d = shape[-1]
    x, W_1, b_1 = draw.normal(*shape), draw.normal(d, d_ff), draw.normal(d_ff)
    return x, W_1, b_1, draw.normal(d_ff, d), draw.normal(d)


def correct(x, W_1, b_1, W_2, b_2):
    """Two of torch's linear layers, which store their weights transposed."""
    return F.linear(F.relu(F.linear(x, W_1.mT, b_1)), W_2.mT, b_2)


def _middle(x, W_1, b_1):
    return x @ W_1 + b_1


def _with(activation, x, W_1, b_1, W_2, b_2):
    """Another function in place of the ReLU."""
    return activation(_middle(x, W_1, b_1)) @ W_2 + b_2


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_x(x, W_1, b_1, W_2, b_2):
        """The result is right, but your function changes x.

        `+=` and methods whose names end in an underscore write into the caller's tensor.
        """
        result = correct(x, W_1, b_1, W_2, b_2)
        x.clamp_(min=0).mul_(0)
        return result

    def weights_do_not_learn(x, W_1, b_1, W_2, b_2):
        """The result is right, but no gradient reaches weights and biases.

        `.data` and `detach` cut it off.
        """
        return correct(x, W_1.detach(), b_1.detach(), W_2.detach(), b_2.detach()) + 0 * (
            W_1.sum() + b_1.sum() + W_2.sum() + b_2.sum()
        )

    def as_printed(x, W_1, b_1, W_2, b_2):
        """You multiplied by the weights from the left, as document B prints it. They then mix the
        rows, and most shapes do not fit.

        Rows are tokens here. From which side does a weight multiply a row?
        """
        return W_2 @ F.relu(W_1 @ x + b_1) + b_2

    def as_printed_with_columns_of_biases(x, W_1, b_1, W_2, b_2):
        """You multiplied by the weights from the left, as document B prints it, with the biases as
        columns. The weights then mix the rows, and most shapes do not fit.

        Rows are tokens here. From which side does a weight multiply a row?
        """
        return W_2 @ F.relu(W_1 @ x + b_1[:, None]) + b_2[:, None]

    def weights_transposed(x, W_1, b_1, W_2, b_2):
        """You used both weights transposed. Layers of torch store them so; here they are `(d_model,
        d_ff)` and `(d_ff, d_model)`.

        Multiply by them from the right as they are.
        """
        return F.relu(x @ W_1.mT + b_1) @ W_2.mT + b_2

    def matrices_exchanged(x, W_1, b_1, W_2, b_2):
        """You swapped W_1 and W_2.

        A row meets W_1 first.
        """
        return F.relu(x @ W_2 + b_1) @ W_1 + b_2

    def layers_exchanged(x, W_1, b_1, W_2, b_2):
        """You used the second layer first: W_2 with b_2, and then W_1 with b_1.

        A row meets W_1 first.
        """
        return F.relu(x @ W_2 + b_2) @ W_1 + b_1

    def biases_exchanged(x, W_1, b_1, W_2, b_2):
        """You swapped b_1 and b_2.

        Which of the two is as wide as the middle?
        """
        return F.relu(x @ W_1 + b_2) @ W_2 + b_1

    def without_biases(x, W_1, b_1, W_2, b_2):
        """You used neither b_1 nor b_2.

        This is the network of chapter 7. What does B12 add after each product?
        """
        return F.relu(x @ W_1) @ W_2 + 0 * (b_1.sum() + b_2.sum())

    def without_first_bias(x, W_1, b_1, W_2, b_2):
        """You never used b_1.

        Which sum goes into the ReLU?
        """
        return F.relu(x @ W_1) @ W_2 + b_2 + 0 * b_1.sum()

    def without_second_bias(x, W_1, b_1, W_2, b_2):
        """You never used b_2.

        What is added after the second product?
        """
        return F.relu(_middle(x, W_1, b_1)) @ W_2 + 0 * b_2

    def bias_after_the_relu(x, W_1, b_1, W_2, b_2):
        """You added b_1 after the ReLU. It belongs inside: it decides from where on a unit is
        active.

        Look at the brackets: which sum goes into the ReLU?
        """
        return (F.relu(x @ W_1) + b_1) @ W_2 + b_2

    def biases_subtracted(x, W_1, b_1, W_2, b_2):
        """You subtracted the biases. Add them.

        Which sign stands before b_1 and b_2?
        """
        return F.relu(x @ W_1 - b_1) @ W_2 - b_2

    def first_bias_by_rows(x, W_1, b_1, W_2, b_2):
        """You added number i of b_1 to the whole of row i. It belongs to column i.

        A bias has a number for each unit of the middle, and is the same for all tokens.
        """
        return F.relu(x @ W_1 + b_1[:, None]) @ W_2 + b_2

    def both_biases_by_rows(x, W_1, b_1, W_2, b_2):
        """You added number i of each bias to the whole of row i. It belongs to column i.

        A bias has a number for each unit, and is the same for all tokens.
        """
        return F.relu(x @ W_1 + b_1[:, None]) @ W_2 + b_2[:, None]

    def no_relu(x, W_1, b_1, W_2, b_2):
        """The ReLU is missing. Without it, the two layers act as a single one.

        Which sum goes into the ReLU?
        """
        return _with(lambda z: z, x, W_1, b_1, W_2, b_2)

    def relu_at_the_end(x, W_1, b_1, W_2, b_2):
        """You applied the ReLU to the result, not between the layers: no number in it is negative.

        Look at the brackets: the second layer stands outside of them.
        """
        return F.relu(_middle(x, W_1, b_1) @ W_2 + b_2)

    def relu_twice(x, W_1, b_1, W_2, b_2):
        """Your ReLU between the layers is right, but a second one follows at the end.

        How often does B12 say ReLU? The output of the network may be negative.
        """
        return F.relu(correct(x, W_1, b_1, W_2, b_2))

    def relu_before_the_last_bias(x, W_1, b_1, W_2, b_2):
        """You applied a second ReLU to the second product, before adding b_2.

        How often does B12 say ReLU?
        """
        return F.relu(F.relu(_middle(x, W_1, b_1)) @ W_2) + b_2

    def relu_of_the_input(x, W_1, b_1, W_2, b_2):
        """You applied the ReLU to x, before the first layer.

        Look at the brackets: what goes into the ReLU is x W_1 + b_1.
        """
        return (F.relu(x) @ W_1 + b_1) @ W_2 + b_2

    def relu_on_both_sides(x, W_1, b_1, W_2, b_2):
        """Your ReLU between the layers is right, but x goes through one of its own first.

        How often does B12 say ReLU?
        """
        return correct(F.relu(x), W_1, b_1, W_2, b_2)

    def relu_of_the_weights(x, W_1, b_1, W_2, b_2):
        """You applied the ReLU to W_1, not to the sum.

        It acts on what comes out of x W_1 + b_1, number by number.
        """
        return (x @ F.relu(W_1) + b_1) @ W_2 + b_2

    def absolute_values(x, W_1, b_1, W_2, b_2):
        """You took absolute values between the layers. A ReLU makes negative numbers 0.

        ReLU(z) is the larger of 0 and z. What is it for z = −2?
        """
        return _with(torch.abs, x, W_1, b_1, W_2, b_2)

    def keeps_the_negative(x, W_1, b_1, W_2, b_2):
        """You kept the negative numbers between the layers, and made the positive ones 0.

        ReLU(z) is the larger of 0 and z, not the smaller.
        """
        return _with(lambda z: z.clamp(max=0), x, W_1, b_1, W_2, b_2)

    def a_step(x, W_1, b_1, W_2, b_2):
        """You made positive numbers 1. A ReLU leaves them as they are.

        A comparison says whether a number is positive. Its size is needed, too.
        """
        return _with(lambda z: (z > 0).to(z.dtype) + 0 * z, x, W_1, b_1, W_2, b_2)

    def gelu(x, W_1, b_1, W_2, b_2):
        """You used GELU, as many newer models do. Document B prints ReLU.

        ReLU(z) is the larger of 0 and z.
        """
        return _with(F.gelu, x, W_1, b_1, W_2, b_2)

    def gelu_by_tanh(x, W_1, b_1, W_2, b_2):
        """You used GELU in its approximation by tanh. Document B prints ReLU.

        ReLU(z) is the larger of 0 and z.
        """
        return _with(lambda z: F.gelu(z, approximate="tanh"), x, W_1, b_1, W_2, b_2)

    def silu(x, W_1, b_1, W_2, b_2):
        """You used SiLU (swish), z times its sigmoid. Document B prints ReLU.

        ReLU(z) is the larger of 0 and z.
        """
        return _with(F.silu, x, W_1, b_1, W_2, b_2)

    def leaky(x, W_1, b_1, W_2, b_2):
        """You made negative numbers a hundredth of themselves: this is a leaky ReLU.

        ReLU(z) is the larger of 0 and z. What is it for z = −2?
        """
        return _with(F.leaky_relu, x, W_1, b_1, W_2, b_2)

    def a_sigmoid(x, W_1, b_1, W_2, b_2):
        """You used a sigmoid between the layers, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = 3?
        """
        return _with(torch.sigmoid, x, W_1, b_1, W_2, b_2)

    def a_tanh(x, W_1, b_1, W_2, b_2):
        """You used a tanh between the layers, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = 3?
        """
        return _with(torch.tanh, x, W_1, b_1, W_2, b_2)

    def an_elu(x, W_1, b_1, W_2, b_2):
        """You used an ELU between the layers: a negative z becomes eᶻ − 1.

        ReLU(z) is the larger of 0 and z. What is it for z = −2?
        """
        return _with(F.elu, x, W_1, b_1, W_2, b_2)

    def a_softplus(x, W_1, b_1, W_2, b_2):
        """You used a softplus, ln(1 + eᶻ), between the layers, where a ReLU belongs.

        ReLU(z) is the larger of 0 and z. What is it for z = −2?
        """
        return _with(F.softplus, x, W_1, b_1, W_2, b_2)

    def no_relu_and_no_second_bias(x, W_1, b_1, W_2, b_2):
        """The ReLU is missing, and so is b_2.

        What stands between the two products, and what is added after the second?
        """
        return _middle(x, W_1, b_1) @ W_2 + 0 * b_2

    def no_relu_and_no_biases(x, W_1, b_1, W_2, b_2):
        """The ReLU and both biases are missing: you multiplied by two matrices.

        What stands between the two products, and what is added after each?
        """
        return x @ W_1 @ W_2 + 0 * (b_1.sum() + b_2.sum())

    def relu_of_the_second_product_alone(x, W_1, b_1, W_2, b_2):
        """You applied the ReLU to the second product, before b_2, and not between the layers.

        Look at the brackets: what goes into the ReLU is x W_1 + b_1.
        """
        return F.relu(_middle(x, W_1, b_1) @ W_2) + b_2

    def second_bias_twice(x, W_1, b_1, W_2, b_2):
        """You added b_2 twice.

        How often does B12 add each bias?
        """
        return correct(x, W_1, b_1, W_2, b_2) + b_2

    def a_softmax(x, W_1, b_1, W_2, b_2):
        """You took a softmax between the layers, where a ReLU belongs.

        Nothing has to sum to 1 here: the ReLU treats each number by itself.
        """
        return _with(lambda z: z.softmax(-1), x, W_1, b_1, W_2, b_2)

    def a_softmax_at_the_end(x, W_1, b_1, W_2, b_2):
        """You took a softmax at the end. B12 has none.

        The rows of the result are not probabilities.
        """
        return correct(x, W_1, b_1, W_2, b_2).softmax(-1)

    def largest_of_the_row(x, W_1, b_1, W_2, b_2):
        """You kept only the largest number of each row between the layers.

        The ReLU treats each number by itself: it is the larger of 0 and *this* number.
        """
        return _with(lambda z: z * (z == z.amax(-1, keepdim=True)), x, W_1, b_1, W_2, b_2)

    def whole_rows(x, W_1, b_1, W_2, b_2):
        """You kept a whole row between the layers, or made it 0, by the sign of its sum.

        The ReLU treats each number by itself.
        """
        return _with(lambda z: z * (z.sum(-1, keepdim=True) > 0), x, W_1, b_1, W_2, b_2)

    def residual(x, W_1, b_1, W_2, b_2):
        """You added x to the result. That is the residual connection, which stands around the
        network, in the block.

        FFN(x) itself has no such sum.
        """
        return x + correct(x, W_1, b_1, W_2, b_2)

    def residual_and_norm(x, W_1, b_1, W_2, b_2):
        """You added x to the result and normalised the sum. That is B13, the network inside its
        block.

        FFN(x) itself has neither.
        """
        return F.layer_norm(x + correct(x, W_1, b_1, W_2, b_2), x.shape[-1:])

    def normalised_first(x, W_1, b_1, W_2, b_2):
        """You normalised the rows of x first. A pre-norm block does so; the network itself does
        not.

        What stands in the brackets of FFN(x)?
        """
        return correct(F.layer_norm(x, x.shape[-1:]), W_1, b_1, W_2, b_2)

    def normalised_at_the_end(x, W_1, b_1, W_2, b_2):
        """You normalised the rows of the result.

        FFN(x) itself has no normalisation.
        """
        return F.layer_norm(correct(x, W_1, b_1, W_2, b_2), x.shape[-1:])

    def rows_averaged(x, W_1, b_1, W_2, b_2):
        """All rows of your result are equal: each is the mean of the right rows.

        No token needs another here. Which of your steps mixes the rows?
        """
        result = correct(x, W_1, b_1, W_2, b_2)
        return result.mean(-2, keepdim=True).expand_as(result)

    def first_row_for_all(x, W_1, b_1, W_2, b_2):
        """You computed the network of the first row, and used it for all.

        Each row goes through the same network by itself.
        """
        return correct(x, W_1, b_1, W_2, b_2)[..., :1, :].expand_as(x)

    def loop_ended_early(x, W_1, b_1, W_2, b_2):
        """You returned only the first part of the result, along dimension 0.

        Is there a `return` inside a loop? No loop is needed: the products run over all rows.
        """
        return correct(x[:1], W_1, b_1, W_2, b_2)

    def largest_of_all(x, W_1, b_1, W_2, b_2):
        """You kept one number for everything, the largest of the middle.

        `torch.max` of one tensor takes the largest of all its numbers. The ReLU compares each
        number with 0.
        """
        inside = _middle(x, W_1, b_1)
        return inside.max().expand_as(inside) @ W_2 + b_2

    def first_layer_alone(x, W_1, b_1, W_2, b_2):
        """You returned what stands between the layers, as wide as the middle.

        The second layer brings the rows back to width d_model.
        """
        return F.relu(_middle(x, W_1, b_1))

    def dropout_in_the_middle(x, W_1, b_1, W_2, b_2):
        """Your result is the right one with every second unit of the middle left out.

        All units contribute.
        """
        kept = torch.arange(len(b_1)) % 2 == 0
        return _with(lambda z: F.relu(z) * kept, x, W_1, b_1, W_2, b_2)

    def scaled_by_the_root(x, W_1, b_1, W_2, b_2):
        """You divided by √d_model between the layers.

        The root belongs to the scores of attention. B12 has no division.
        """
        return _with(lambda z: F.relu(z) / x.shape[-1] ** 0.5, x, W_1, b_1, W_2, b_2)

    def first_weights_transposed(x, W_1, b_1, W_2, b_2):
        """You used W_1 transposed, and W_2 as it is.

        Write the shapes: (n, d_model) meets (d_model, d_ff).
        """
        return F.relu(x @ W_1.mT + b_1) @ W_2 + b_2

    def second_weights_transposed(x, W_1, b_1, W_2, b_2):
        """You used W_2 transposed, and W_1 as it is.

        Write the shapes: (n, d_ff) meets (d_ff, d_model).
        """
        return F.relu(x @ W_1 + b_1) @ W_2.mT + b_2

    def first_bias_through_the_second_weight(x, W_1, b_1, W_2, b_2):
        """Python reads your last line as ReLU(…) + (b_1 W_2) + b_2: the product comes before the
        sum.

        Put brackets around what goes into the second layer. Where does b_1 belong?
        """
        return F.relu(x @ W_1) + b_1 @ W_2 + b_2

    def everything_in_one_bracket(x, W_1, b_1, W_2, b_2):
        """Your bracket ends too late: inside the ReLU, b_1 is multiplied by W_2, and not the rows.

        Close the bracket after b_1.
        """
        return F.relu(x @ W_1 + b_1 @ W_2 + b_2)

    def first_bias_twice(x, W_1, b_1, W_2, b_2):
        """You added b_1 in both layers. After the second product it fits only where d_ff is
        d_model.

        Which bias belongs to W_2?
        """
        return F.relu(_middle(x, W_1, b_1)) @ W_2 + b_1

    def second_bias_in_both(x, W_1, b_1, W_2, b_2):
        """You added b_2 in both layers. In the middle it fits only where d_ff is d_model.

        Which bias belongs to W_1?
        """
        return F.relu(x @ W_1 + b_2) @ W_2 + b_2

    def first_weight_back_again(x, W_1, b_1, W_2, b_2):
        """You used W_1 for both products, the second time transposed, and never W_2.

        Its shape fits, but the second layer has a weight of its own.
        """
        return F.relu(_middle(x, W_1, b_1)) @ W_1.mT + b_2 + 0 * W_2.sum()

    def residual_and_relu(x, W_1, b_1, W_2, b_2):
        """You added x to the result, and took a ReLU of the sum.

        FFN(x) has neither: its only ReLU stands between the layers.
        """
        return F.relu(x + correct(x, W_1, b_1, W_2, b_2))

    def cut_off_at_1(x, W_1, b_1, W_2, b_2):
        """You let no number between the layers grow beyond 1. A ReLU has no upper bound.

        Which numbers does a ReLU change?
        """
        return _with(lambda z: z.clamp(0, 1), x, W_1, b_1, W_2, b_2)

    def torch_max_of_a_number(x, W_1, b_1, W_2, b_2):
        """Python stopped with a TypeError on every input. Most often `torch.max` is called with the
        number 0 and a tensor.

        `torch.max` does not compare a tensor with a number. `torch.relu` and `clamp` do.
        """
        raise TypeError

    def residual_without_relu(x, W_1, b_1, W_2, b_2):
        """You added x to the result, and the ReLU between the layers is missing.

        FFN(x) has no sum with x. What stands between its two products?
        """
        return x + _middle(x, W_1, b_1) @ W_2 + b_2


def _two_mistakes():
    """A ReLU in another place and a bias left out, both at once."""
    relus = {
        "no_relu": ("The ReLU is missing.", _unchanged, _unchanged),
        "relu_at_the_end": (
            "Your ReLU stands at the end, not between the layers.",
            _unchanged,
            F.relu,
        ),
        "relu_twice": ("A second ReLU follows at the end.", F.relu, F.relu),
    }
    biases = {
        "without_first_bias": ("b_1 is never used", 0, 1),
        "without_second_bias": ("b_2 is never used", 1, 0),
        "without_biases": ("neither bias is used", 0, 0),
    }
    for place, (said, between, after) in relus.items():
        for missing, (unused, *used) in biases.items():
            yield _both(f"{place}_{missing}", f"{said} And {unused}.", between, after, used)
    said = "You added b_1 after the ReLU, and a second ReLU follows at the end."

    def bias_after_the_relu_and_relu_at_the_end(x, W_1, b_1, W_2, b_2):
        return F.relu((F.relu(x @ W_1) + b_1) @ W_2 + b_2)

    bias_after_the_relu_and_relu_at_the_end.__doc__ = f"{said}\n\n{_FROM_THE_INSIDE}"
    yield bias_after_the_relu_and_relu_at_the_end


def _unchanged(z):
    """In place of a ReLU."""
    return z


_FROM_THE_INSIDE = "Write the equation from the inside: product, bias, ReLU, product, bias."


def _both(name, said, between, after, used):
    """The network with other functions between the layers and at the end, and these biases."""
    first, second = used

    def network(x, W_1, b_1, W_2, b_2):
        return after(between(x @ W_1 + first * b_1) @ W_2 + second * b_2)

    network.__name__, network.__doc__ = name, f"{said}\n\n{_FROM_THE_INSIDE}"
    return network


_NAMED = ("no_relu_without_second_bias", "no_relu_without_biases")


class Right:
    """Right answers, written differently."""

    def by_the_equation(x, W_1, b_1, W_2, b_2):
        """In row form, with a floor of 0."""
        return (x @ W_1 + b_1).clamp(min=0) @ W_2 + b_2

    def in_columns(x, W_1, b_1, W_2, b_2):
        """Document B's form: transposed weights, and columns in place of rows."""
        columns = torch.relu(W_1.mT @ x.mT + b_1[:, None])
        return (W_2.mT @ columns + b_2[:, None]).mT

    def token_by_token(x, W_1, b_1, W_2, b_2):
        """A loop over all rows."""
        rows = []
        for row in x.reshape(-1, x.shape[-1]):
            inside = row @ W_1 + b_1
            rows.append(torch.where(inside > 0, inside, torch.zeros_like(inside)) @ W_2 + b_2)
        return torch.stack(rows).reshape(x.shape)

    def unit_by_unit(x, W_1, b_1, W_2, b_2):
        """A sum over the units of the middle."""
        result = b_2.expand_as(x)
        for j in range(len(b_1)):
            active = torch.relu(x @ W_1[:, j] + b_1[j])
            result = result + active[..., None] * W_2[j]
        return result

    def with_a_column_of_ones(x, W_1, b_1, W_2, b_2):
        """The biases as one more row of each weight."""
        ones = torch.ones_like(x[..., :1])
        inside = torch.cat([x, ones], -1) @ torch.cat([W_1, b_1[None]])
        return torch.cat([inside.relu(), ones], -1) @ torch.cat([W_2, b_2[None]])

    def with_einsum(x, W_1, b_1, W_2, b_2):
        """Names the dimensions."""
        inside = torch.einsum("...d,df->...f", x, W_1) + b_1
        return torch.einsum("...f,fd->...d", inside * (inside > 0), W_2) + b_2


EXERCISE = Exercise(
    id="position_wise_network",
    oracle=correct,
    hint="Write the shape after each step, with four different sizes: x (…, n, d_model), inside "
    "(…, n, d_ff), result (…, n, d_model). Two products, two biases, one ReLU.",
    misconceptions=(
        *functions_of(Wrong),
        *(both for both in _two_mistakes() if both.__name__ not in _NAMED),
    ),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
