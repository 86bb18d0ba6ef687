"""The exercise ``output_gradients``: back through the equation of A23 (A22; chapter 8)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.models import framework_gradients


def cases(draw: Draw) -> list[Case]:
    """Whole numbers with a 0 inside the ReLU, sizes that all differ, square ones, and batches."""
    A = draw.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
    W_1 = draw.tensor([[1.0, -1.0, 0.0], [-2.0, 1.0, 1.0]])
    W_2 = draw.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
    W_O = draw.tensor([[1.0, 0.0, -1.0, 2.0], [0.0, 1.0, 1.0, 0.0]])
    U_bar = draw.tensor([[1.0, 0.0, -1.0, 0.0], [0.0, 2.0, -1.0, -1.0], [1.0, -1.0, 0.0, 0.0]])
    return [
        Case("three tokens of whole numbers", (A, W_1, W_2, W_O, U_bar), by_hand=True),
        Case("a single token", _drawn(draw, (1,), 3, 4, 5)),
        Case("6 tokens, 4 wide, 5 inside, 7 words", _drawn(draw, (6,), 4, 5, 7)),
        Case("4 tokens, everything 4 wide", _drawn(draw, (4,), 4, 4, 4)),
        Case("2 sentences of 3 tokens", _drawn(draw, (2, 3), 4, 5, 6)),
        Case("3 sentences of 4 tokens, everything 4 wide", _drawn(draw, (3, 4), 4, 4, 4)),
        Case("2 times 3 sentences of 2 tokens", _drawn(draw, (2, 3, 2), 4, 5, 6)),
    ]


def _drawn(draw: Draw, leading, d, inside, V):
    """A_C, the three weights, and the gradient that arrives at the logits."""
    return (
        draw.normal(*leading, d),
        draw.normal(d, inside),
        draw.normal(inside, d),
        draw.normal(d, V),
        draw.normal(*leading, V),
    )


def correct(A_C, W_1, W_2, W_O, U_bar):
    """Product, product, ReLU, product."""
    H_D = torch.relu(A_C @ W_1) @ W_2
    H_bar, W_O_bar = framework_gradients.product_gradients(H_D, W_O, U_bar)
    A_bar, W_1_bar, W_2_bar = framework_gradients.feed_forward_gradients(A_C, W_1, W_2, H_bar)
    return W_O_bar, W_2_bar, W_1_bar, A_bar


def _product(X, Y_bar):
    """The gradient of a weight, from its input and the gradient of its output."""
    return X.flatten(0, -2).T @ Y_bar.flatten(0, -2)


def _back_through(A_C, W_1, W_2, W_O, U_bar, W_1_T, W_2_T, W_O_T):
    """The way back with other matrices than the transposed ones."""
    F = A_C @ W_1
    H_bar = U_bar @ W_O_T
    F_bar = (H_bar @ W_2_T) * (F > 0)
    R = F.relu()
    return _product(R @ W_2, U_bar), _product(R, H_bar), _product(A_C, F_bar), F_bar @ W_1_T


def _walk(A_C, W_1, W_2, W_O, U_bar, gate=None, weights_of=None, forward=torch.relu):
    """The way back with another ReLU, or another way to get a weight's gradient."""
    weights_of = weights_of or (lambda X, Y_bar: X.flatten(0, -2).T @ Y_bar.flatten(0, -2))
    F = A_C @ W_1
    R = forward(F)
    H_bar = U_bar @ W_O.T
    R_bar = H_bar @ W_2.T
    F_bar = gate(F, R_bar) if gate else R_bar * (F > 0)
    return (
        weights_of(R @ W_2, U_bar),
        weights_of(R, H_bar),
        weights_of(A_C, F_bar),
        F_bar @ W_1.T,
    )


class Wrong:
    """What learners write, the more particular before the more general."""

    def relu_forgotten(A_C, W_1, W_2, W_O, U_bar):
        """The ReLU is missing on the way back: the gradient passes even where its output was 0.

        Where F = A_C W_1 is negative, a small change of F changes nothing. So what is the
        derivative?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar)

    def relu_of_the_gradient(A_C, W_1, W_2, W_O, U_bar):
        """You took a ReLU of the gradient. But a gradient may be negative.

        Whether it passes depends on the sign of F = A_C W_1, not on its own sign.
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar.relu())

    def open_at_zero(A_C, W_1, W_2, W_O, U_bar):
        """Where the input of the ReLU is exactly 0, you let the gradient pass. The question takes
        the derivative there to be 0.

        Do you compare with `>` or with `>=`?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * (F >= 0))

    def gate_not_for_W_1(A_C, W_1, W_2, W_O, U_bar):
        """You went back through the ReLU for A_C, but not for the gradient of W_1.

        Both come from the gradient of F = A_C W_1, the input of the ReLU.
        """
        W_O_bar, W_2_bar, _, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        W_1_bar = _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar)[2]
        return W_O_bar, W_2_bar, W_1_bar, A_bar

    def gate_not_for_A(A_C, W_1, W_2, W_O, U_bar):
        """You went back through the ReLU for W_1, but not for the gradient of A_C.

        Both come from the gradient of F = A_C W_1, the input of the ReLU.
        """
        W_O_bar, W_2_bar, W_1_bar, _ = correct(A_C, W_1, W_2, W_O, U_bar)
        return W_O_bar, W_2_bar, W_1_bar, U_bar @ W_O.T @ W_2.T @ W_1.T

    def W_2_from_before_the_relu(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_2 from A_C W_1. But W_2 multiplies ReLU(A_C W_1).

        For Y = X W, the gradient of W is Xᵀ Y_bar. What is X here?
        """
        W_O_bar, _, W_1_bar, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        H_bar = U_bar @ W_O.T
        return W_O_bar, (A_C @ W_1).flatten(0, -2).T @ H_bar.flatten(0, -2), W_1_bar, A_bar

    def weights_transposed(A_C, W_1, W_2, W_O, U_bar):
        """The gradients of the weights are transposed: rows and columns are exchanged.

        For Y = X W, the gradient of W has the shape of W. Is it Xᵀ Y_bar or Y_barᵀ X?
        """
        W_O_bar, W_2_bar, W_1_bar, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return W_O_bar.T, W_2_bar.T, W_1_bar.T, A_bar

    def back_without_transposing(A_C, W_1, W_2, W_O, U_bar):
        """On the way back you did not transpose the weights. With square weights that even runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        F = A_C @ W_1
        H_bar = U_bar @ W_O
        F_bar = (H_bar @ W_2) * (F > 0)
        flat = (F.relu() @ W_2, U_bar), (F.relu(), H_bar), (A_C, F_bar)
        products = (X.flatten(0, -2).T @ Y.flatten(0, -2) for X, Y in flat)
        return *products, F_bar @ W_1

    def sentences_kept_apart(A_C, W_1, W_2, W_O, U_bar):
        """In a batch you return a separate gradient for each sentence; a single sentence is right.

        All sentences share one W, so its gradient is the sum over the sentences.
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, weights_of=lambda X, Y_bar: X.mT @ Y_bar)

    def right_for_one_sentence(A_C, W_1, W_2, W_O, U_bar):
        """A single sentence is right. A batch stops with an error: what you do for the weights only
        works with two dimensions.

        `.T` reverses the order of all dimensions. First make one long list of rows from the batch:
        `flatten(0, -2)`.
        """

        def reversed_dimensions(X, Y_bar):
            return X.permute(*reversed(range(X.dim()))) @ Y_bar

        return _walk(A_C, W_1, W_2, W_O, U_bar, weights_of=reversed_dimensions)

    def mean_over_sentences(A_C, W_1, W_2, W_O, U_bar):
        """In a batch you averaged the gradients of the weights over sentences. Add them up.

        U_bar already contains whatever the loss was divided by.
        """

        def averaged(X, Y_bar):
            each = X.mT @ Y_bar
            return each.mean(0) if each.dim() > 2 else each

        return _walk(A_C, W_1, W_2, W_O, U_bar, weights_of=averaged)

    def mean_over_tokens(A_C, W_1, W_2, W_O, U_bar):
        """You divided the gradients of the weights by the number of tokens. Add over tokens
        instead.

        U_bar already contains whatever the loss was divided by.
        """
        tokens = U_bar[..., 0].numel()
        *of_weights, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return *(W_bar / tokens for W_bar in of_weights), A_bar

    def first_sentence_only(A_C, W_1, W_2, W_O, U_bar):
        """The gradients of the weights come from the first sentence only.

        All sentences share one W, so its gradient is the sum over the sentences.
        """
        first = (0,) * (A_C.dim() - 2)
        *of_weights, _ = correct(A_C[first], W_1, W_2, W_O, U_bar[first])
        return *of_weights, correct(A_C, W_1, W_2, W_O, U_bar)[3]

    def in_forward_order(A_C, W_1, W_2, W_O, U_bar):
        """You return all four gradients in the order of the way forward.

        Return them in the order of the way back: W_O, W_2, W_1, and then A_C.
        """
        return correct(A_C, W_1, W_2, W_O, U_bar)[::-1]

    def without_A(A_C, W_1, W_2, W_O, U_bar):
        """The three gradients of the weights are right. The gradient of A_C is missing.

        Everything before A_C learns through it. Return it as the fourth.
        """
        return correct(A_C, W_1, W_2, W_O, U_bar)[:3]

    def softmax_once_more(A_C, W_1, W_2, W_O, U_bar):
        """You multiplied by the derivative of the softmax. U_bar already contains it.

        U_bar is the gradient of the logits U, which come before the softmax.
        """
        p = (torch.relu(A_C @ W_1) @ W_2 @ W_O).softmax(-1)
        return correct(A_C, W_1, W_2, W_O, p * (U_bar - (p * U_bar).sum(-1, keepdim=True)))

    def relu_for_its_derivative(A_C, W_1, W_2, W_O, U_bar):
        """You multiplied by the ReLU's output. Multiply by the ReLU's derivative.

        Where the input of the ReLU is positive, how much does its output change with it?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * F.relu())

    def input_for_the_derivative(A_C, W_1, W_2, W_O, U_bar):
        """You multiplied by the ReLU's input. Multiply by the ReLU's derivative.

        Where the input of the ReLU is positive, how much does its output change with it?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * F)

    def gate_turned_round(A_C, W_1, W_2, W_O, U_bar):
        """You let the gradient pass only where the input of the ReLU is negative.

        Where is the output of the ReLU constant?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * (F < 0))

    def gate_turned_round_and_open_at_zero(A_C, W_1, W_2, W_O, U_bar):
        """You let the gradient pass only where the input of the ReLU is negative or 0.

        Where is the output of the ReLU constant?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * (F <= 0))

    def sign_for_the_derivative(A_C, W_1, W_2, W_O, U_bar):
        """You multiplied by the sign of F = A_C W_1: where F is negative, the gradient changes
        sign.

        Where F is negative, the output of the ReLU is 0. How does it change with F there?
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar * F.sign())

    def gate_by_the_gradient_too(A_C, W_1, W_2, W_O, U_bar):
        """You let only positive gradients pass the ReLU. But a gradient may be negative.

        Whether it passes depends on the sign of F = A_C W_1 alone.
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar.relu() * (F > 0))

    def no_relu_forward(A_C, W_1, W_2, W_O, U_bar):
        """You left out the ReLU on the way forward, so the gradients of W_2 and W_O are computed
        from the wrong matrices.

        W_2 multiplies R = ReLU(F), and W_O multiplies R W_2.
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, forward=lambda F: F)

    def no_relu_at_all(A_C, W_1, W_2, W_O, U_bar):
        """There is no ReLU in what you differentiate, neither forward nor back.

        U is ReLU(A_C W_1) W_2 W_O.
        """
        return _walk(A_C, W_1, W_2, W_O, U_bar, lambda F, R_bar: R_bar, forward=lambda F: F)

    def relu_of_H(A_C, W_1, W_2, W_O, U_bar):
        """You have a second ReLU, after W_2. Only A_C W_1 goes through one.

        Between which two matrices does the ReLU stand?
        """
        H = torch.relu(A_C @ W_1) @ W_2
        H_bar = (U_bar @ W_O.T) * (H > 0)
        _, W_2_bar, W_1_bar, A_bar = _walk(
            A_C, W_1, W_2, torch.eye(len(W_O), dtype=W_O.dtype), H_bar
        )
        return _product(H.relu(), U_bar), W_2_bar, W_1_bar, A_bar

    def gate_at_A(A_C, W_1, W_2, W_O, U_bar):
        """You set the gradient of A_C to 0 where A_C is not positive. No ReLU stands before W_1.

        Between which two matrices does the ReLU stand?
        """
        *of_weights, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return *of_weights, A_bar * (A_C > 0)

    def gate_for_W_2(A_C, W_1, W_2, W_O, U_bar):
        """For the gradient of W_2 you went back through a ReLU that comes after W_2. There is none.

        In H = ReLU(A_C W_1) W_2, the ReLU comes first. Which gradient arrives at H?
        """
        W_O_bar, _, W_1_bar, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        R = torch.relu(A_C @ W_1)
        H_bar = (U_bar @ W_O.T) * (R @ W_2 > 0)
        return W_O_bar, _product(R, H_bar), W_1_bar, A_bar

    def W_O_from_A(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_O from A_C. But W_O multiplies ReLU(A_C W_1) W_2.

        In U = H W_O, what is H?
        """
        return _product(A_C, U_bar), *correct(A_C, W_1, W_2, W_O, U_bar)[1:]

    def W_O_from_before_the_relu(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_O from A_C W_1 W_2, without the ReLU.

        In U = H W_O, what is H?
        """
        return _product(A_C @ W_1 @ W_2, U_bar), *correct(A_C, W_1, W_2, W_O, U_bar)[1:]

    def W_O_from_R(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_O from R, the output of the ReLU. W_2 comes between them.

        In U = H W_O, what is H?
        """
        R = torch.relu(A_C @ W_1)
        return _product(R, U_bar), *correct(A_C, W_1, W_2, W_O, U_bar)[1:]

    def W_2_from_A(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_2 from A_C. But W_2 multiplies ReLU(A_C W_1).

        For Y = X W, the gradient of W is Xᵀ Y_bar. What is X here?
        """
        W_O_bar, _, W_1_bar, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return W_O_bar, _product(A_C, U_bar @ W_O.T), W_1_bar, A_bar

    def W_1_from_R(A_C, W_1, W_2, W_O, U_bar):
        """You computed the gradient of W_1 from R, the output of the ReLU. But W_1 multiplies A_C.

        For Y = X W, the gradient of W is Xᵀ Y_bar. What is X here?
        """
        W_O_bar, W_2_bar, _, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        F = A_C @ W_1
        F_bar = (U_bar @ W_O.T @ W_2.T) * (F > 0)
        return W_O_bar, W_2_bar, _product(F.relu(), F_bar), A_bar

    def W_O_not_transposed(A_C, W_1, W_2, W_O, U_bar):
        """On the way back through W_O you did not transpose it. Where it is square, that even runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back_through(A_C, W_1, W_2, W_O, U_bar, W_1.T, W_2.T, W_O)

    def W_2_not_transposed(A_C, W_1, W_2, W_O, U_bar):
        """On the way back through W_2 you did not transpose it. Where it is square, that even runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back_through(A_C, W_1, W_2, W_O, U_bar, W_1.T, W_2, W_O.T)

    def W_1_not_transposed(A_C, W_1, W_2, W_O, U_bar):
        """On the way back through W_1 you did not transpose it. Where it is square, that even runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back_through(A_C, W_1, W_2, W_O, U_bar, W_1, W_2.T, W_O.T)

    def network_not_transposed(A_C, W_1, W_2, W_O, U_bar):
        """On the way back you transposed W_O, but neither W_2 nor W_1.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back_through(A_C, W_1, W_2, W_O, U_bar, W_1, W_2, W_O.T)

    def added_over_one_dimension(A_C, W_1, W_2, W_O, U_bar):
        """You added over one leading dimension only. A batch may have several.

        `flatten(0, -2)` makes one long list of rows, however many dimensions stand in front.
        """

        def over_one(X, Y_bar):
            each = X.mT @ Y_bar
            return each.sum(0) if each.dim() > 2 else each

        return _walk(A_C, W_1, W_2, W_O, U_bar, weights_of=over_one)

    def last_sentence_only(A_C, W_1, W_2, W_O, U_bar):
        """The gradients of the weights come from the last sentence only.

        Does a loop write over what it found for the sentence before?
        """
        last = (-1,) * (A_C.dim() - 2)
        *of_weights, _ = correct(A_C[last], W_1, W_2, W_O, U_bar[last])
        return *of_weights, correct(A_C, W_1, W_2, W_O, U_bar)[3]

    def everything_over_tokens(A_C, W_1, W_2, W_O, U_bar):
        """You divided all four gradients by the number of tokens.

        U_bar already contains whatever the loss was divided by.
        """
        return tuple(x / U_bar[..., 0].numel() for x in correct(A_C, W_1, W_2, W_O, U_bar))

    def A_added_over_sentences(A_C, W_1, W_2, W_O, U_bar):
        """You added the gradient of A_C over the sentences, like those of the weights.

        All sentences share the weights, but each has its own A_C.
        """
        *of_weights, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return *of_weights, A_bar.reshape(-1, *A_bar.shape[-2:]).sum(0)

    def A_in_one_list(A_C, W_1, W_2, W_O, U_bar):
        """The gradient of A_C is right, but its sentences stand in one long list of rows.

        Give it the shape of A_C again.
        """
        *of_weights, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return *of_weights, A_bar.flatten(0, -2)

    def first_weight_first(A_C, W_1, W_2, W_O, U_bar):
        """You return the gradients of the weights in the order of the way forward.

        Return them in the order of the way back: W_O, W_2, W_1, and then A_C.
        """
        W_O_bar, W_2_bar, W_1_bar, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return W_1_bar, W_2_bar, W_O_bar, A_bar

    def A_first(A_C, W_1, W_2, W_O, U_bar):
        """You return the gradient of A_C first. It belongs last.

        Return them in the order of the way back: W_O, W_2, W_1, and then A_C.
        """
        *of_weights, A_bar = correct(A_C, W_1, W_2, W_O, U_bar)
        return A_bar, *of_weights

    def without_the_output_layer(A_C, W_1, W_2, W_O, U_bar):
        """The gradient of W_O is missing: you return three.

        Return them in the order of the way back: W_O, W_2, W_1, and then A_C.
        """
        return correct(A_C, W_1, W_2, W_O, U_bar)[1:]

    def softmax_of_the_gradient(A_C, W_1, W_2, W_O, U_bar):
        """You took a softmax of U_bar. But U_bar is already the gradient of the logits.

        Start with U = H W_O: go back through this product.
        """
        return correct(A_C, W_1, W_2, W_O, U_bar.softmax(-1))


class Right:
    """Right answers, written differently."""

    def step_by_step(A_C, W_1, W_2, W_O, U_bar):
        """The walk of the chapter, with leading dimensions flattened."""
        return _walk(A_C, W_1, W_2, W_O, U_bar)

    def with_einsum(A_C, W_1, W_2, W_O, U_bar):
        """Names the dimensions; a dimension that is not named in the result is summed."""
        F = torch.einsum("...a,ab->...b", A_C, W_1)
        R = F.clamp(min=0)
        H_bar = torch.einsum("...v,av->...a", U_bar, W_O)
        F_bar = torch.einsum("...a,ba->...b", H_bar, W_2) * F.gt(0)
        return (
            torch.einsum("...a,...v->av", R @ W_2, U_bar),
            torch.einsum("...b,...a->ba", R, H_bar),
            torch.einsum("...a,...b->ab", A_C, F_bar),
            torch.einsum("...b,ab->...a", F_bar, W_1),
        )

    def one_token_at_a_time(A_C, W_1, W_2, W_O, U_bar):
        """Outer products, added up over tokens."""
        bars = [torch.zeros_like(W) for W in (W_O, W_2, W_1)]
        rows = []
        pairs = zip(A_C.reshape(-1, A_C.shape[-1]), U_bar.reshape(-1, U_bar.shape[-1]), strict=True)
        for a, u in pairs:
            f = a @ W_1
            r = f.relu()
            h = W_O @ u
            g = torch.where(f > 0, W_2 @ h, torch.zeros_like(f))
            for bar, outer in zip(bars, ((r @ W_2, u), (r, h), (a, g)), strict=True):
                bar += torch.outer(*outer)
            rows.append(W_1 @ g)
        return *bars, torch.stack(rows).reshape(A_C.shape)

    def summed_over_the_batch(A_C, W_1, W_2, W_O, U_bar):
        """A product for each sentence, then a sum over sentences, in a list."""
        apart = _walk(A_C, W_1, W_2, W_O, U_bar, weights_of=lambda X, Y_bar: X.mT @ Y_bar)
        return [W.reshape(-1, *W.shape[-2:]).sum(0) for W in apart[:3]] + [apart[3]]


EXERCISE = Exercise(
    id="output_gradients",
    oracle=correct,
    hint="Name every matrix on the way forward: F = A_C W_1, R = ReLU(F), H = R W_2, U = H W_O. "
    "Then go back one step at a time. For Y = X W, X_bar = Y_bar Wᵀ and W_bar = Xᵀ Y_bar.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
    forbids=("gradients",),
)
