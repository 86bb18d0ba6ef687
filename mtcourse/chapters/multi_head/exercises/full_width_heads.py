"""The exercise ``full_width_heads``: document A's heads (A24 to A27; chapter 9)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows to check by hand, one head, one token, more heads than tokens, a batch."""
    X = draw.tensor([[1.0], [2.0]])
    W_Q = draw.tensor([[[0.0]], [[math.log(3)]]])
    W_K, W_V = draw.tensor([[[1.0]], [[1.0]]]), draw.tensor([[[2.0]], [[4.0]]])
    by_hand = (X, W_Q, W_K, W_V, draw.tensor([[1.0], [10.0]]))
    return [
        Case("2 tokens of width 1, 2 heads", by_hand, by_hand=True),
        Case("a single token", _drawn(draw, (), 1, 3, 2)),
        Case("one head", _drawn(draw, (), 4, 3, 1)),
        Case("3 tokens of width 4, 5 heads", _drawn(draw, (), 3, 4, 5)),
        Case("5 tokens of width 4, 2 heads", _drawn(draw, (), 5, 4, 2)),
        Case("3 sentences, 2 heads", _drawn(draw, (3,), 4, 4, 2)),
        Case("as many sentences as heads", _drawn(draw, (2,), 3, 6, 2)),
    ]


def _drawn(draw, batch, n, d, h):
    """Rows and weights; scores of a size at which the softmax is neither flat nor saturated."""
    W_Q, W_K, W_V = (draw.normal(h, d, d, scale=1.3 / math.sqrt(d)) for _ in range(3))
    W_O = draw.normal(h * d, d, scale=1 / math.sqrt(d))
    return draw.normal(*batch, n, d), W_Q, W_K, W_V, W_O


def _heads(X, W_Q, W_K, W_V, divisor=None, dim=-1):
    Q, K, V = (X.unsqueeze(-3) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / (math.sqrt(X.shape[-1]) if divisor is None else divisor)
    return torch.softmax(scores, dim=dim) @ V


def _joined(A):
    return A.transpose(-3, -2).flatten(-2)


def _other(X, W_Q, W_K, W_V, W_O, divisor=None, weigh=None, joined=_joined):
    """These heads with another divisor, with other weights from the scores, or merged otherwise."""
    Q, K, V = (X.unsqueeze(-3) @ W for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / (math.sqrt(X.shape[-1]) if divisor is None else divisor)
    return joined((scores.softmax(-1) if weigh is None else weigh(scores)) @ V) @ W_O


def correct(X, W_Q, W_K, W_V, W_O):
    """Every head at once."""
    return _joined(_heads(X, W_Q, W_K, W_V)) @ W_O


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_to_learn_by(X, W_Q, W_K, W_V, W_O):
        """The outputs are right, but gradients do not flow back to all arguments.

        Where did you detach or copy a tensor?
        """
        return correct(X, W_Q, W_K, W_V.detach(), W_O)

    def not_mixed(X, W_Q, W_K, W_V, W_O):
        """You returned Concat(A₁, …, A_h), h times as wide as it should be: W_O is missing.

        W_O has the shape (h d, d) (A27).
        """
        return _joined(_heads(X, W_Q, W_K, W_V))

    def one_output_for_each_head(X, W_Q, W_K, W_V, W_O):
        """You multiplied each head by its own rows of W_O, but you returned h results.

        A product of the concatenated row with W_O *adds* the contributions of the heads.
        """
        A = _heads(X, W_Q, W_K, W_V)
        return A @ W_O.unflatten(0, (len(W_Q), -1))

    def joined_without_transpose(X, W_Q, W_K, W_V, W_O):
        """You merged the heads in the wrong order: a row of your Concat holds outputs for several
        tokens, not the h outputs for one.

        A reshape keeps the order of the numbers in memory, here head after head. Concat puts the
        heads side by side: n rows of h d numbers (A26).
        """
        A = _heads(X, W_Q, W_K, W_V)
        return A.reshape(*X.shape[:-1], -1) @ W_O

    def heads_interleaved(X, W_Q, W_K, W_V, W_O):
        """In each of your rows the heads take turns: one number of A₁, one of A₂, and so on.

        Concat puts the whole row of A₁ first, then that of A₂ (A26).
        """
        return _heads(X, W_Q, W_K, W_V).movedim(-3, -1).flatten(-2) @ W_O

    def heads_in_the_wrong_order(X, W_Q, W_K, W_V, W_O):
        """You put the heads side by side in reverse order, so that A₁ meets the last rows of W_O.

        The first d rows of W_O belong to A₁.
        """
        return _joined(_heads(X, W_Q, W_K, W_V).flip(-3)) @ W_O

    def heads_averaged(X, W_Q, W_K, W_V, W_O):
        """You took the mean of the heads, and put it h times side by side.

        W_O has h d rows, so that each head can meet its own.
        """
        A = _heads(X, W_Q, W_K, W_V).mean(-3)
        return torch.cat([A] * len(W_Q), -1) @ W_O

    def contributions_averaged(X, W_Q, W_K, W_V, W_O):
        """Your result is the right one divided by h, as if the heads' contributions were averaged.

        A product of a row with a matrix adds. It does not divide by h.
        """
        return correct(X, W_Q, W_K, W_V, W_O) / len(W_Q)

    def divided_by_root_of_d_over_h(X, W_Q, W_K, W_V, W_O):
        """You divided the scores by √(d/h), the root of the width that B's heads have.

        How wide are the keys of these heads?
        """
        A = _heads(X, W_Q, W_K, W_V, math.sqrt(X.shape[-1] / len(W_Q)))
        return _joined(A) @ W_O

    def divided_by_root_of_h_d(X, W_Q, W_K, W_V, W_O):
        """You divided the scores by √(h d), the root of the width of all heads together.

        How many products does a score of one head add up?
        """
        return _joined(_heads(X, W_Q, W_K, W_V, math.sqrt(len(W_O)))) @ W_O

    def divided_by_d(X, W_Q, W_K, W_V, W_O):
        """You divided the scores by d. Divide them by its square root.

        The variance of a sum of d products is d. What is its standard deviation?
        """
        return _joined(_heads(X, W_Q, W_K, W_V, X.shape[-1])) @ W_O

    def not_scaled(X, W_Q, W_K, W_V, W_O):
        """You did not divide the scores.

        Document A divides them by √d (A25).
        """
        return _joined(_heads(X, W_Q, W_K, W_V, 1.0)) @ W_O

    def softmax_over_queries(X, W_Q, W_K, W_V, W_O):
        """Your softmax runs over the queries: each column of weights sums to 1. Each row should.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        return _joined(_heads(X, W_Q, W_K, W_V, dim=-2)) @ W_O

    def softmax_over_heads(X, W_Q, W_K, W_V, W_O):
        """Your softmax runs over the heads, so that they compete for each pair of tokens.

        Heads work separately. Within a head, each row sums to 1.
        """
        return _joined(_heads(X, W_Q, W_K, W_V, dim=-3)) @ W_O

    def one_matrix_of_weights(X, W_Q, W_K, W_V, W_O):
        """Your heads share one matrix of weights: you averaged their scores before the softmax.

        Each head has its own softmax.
        """
        Q, K, V = (X.unsqueeze(-3) @ W for W in (W_Q, W_K, W_V))
        scores = (Q @ K.mT / math.sqrt(X.shape[-1])).mean(-3, keepdim=True)
        return _joined(scores.softmax(-1) @ V) @ W_O

    def batch_against_heads(X, W_Q, W_K, W_V, W_O):
        """Without a batch, this is right. With one, sentence b met the matrices of head b.

        X is (batch, n, d), the weights (h, d, d). Where does X need a dimension of size 1?
        """
        Q, K, V = (X @ W for W in (W_Q, W_K, W_V))
        return _joined(torch.softmax(Q @ K.mT / math.sqrt(X.shape[-1]), -1) @ V) @ W_O

    def divided_by_root_of_h(X, W_Q, *others):
        """You divided the scores by √h, the root of the number of heads.

        How many products does a score of one head add up?
        """
        return _other(X, W_Q, *others, divisor=math.sqrt(len(W_Q)))

    def divided_by_root_of_n(X, *others):
        """You divided the scores by √n, the root of the number of tokens.

        How many products does a score of one head add up?
        """
        return _other(X, *others, divisor=math.sqrt(X.shape[-2]))

    def divided_by_d_over_h(X, W_Q, *others):
        """You divided the scores by d/h, the width that B's heads have.

        Document A divides them by √d (A25).
        """
        return _other(X, W_Q, *others, divisor=X.shape[-1] / len(W_Q))

    def multiplied_by_root_of_d(X, *others):
        """You multiplied the scores by √d. Divide them.

        The more products a score adds up, the more it varies. The division makes up for this.
        """
        return _other(X, *others, divisor=1 / math.sqrt(X.shape[-1]))

    def divided_after_the_softmax(X, *others):
        """You divided by √d after the softmax, not before: the result is too small.

        What is divided in A25, the scores or the mean of the values?
        """
        return _other(X, *others, divisor=1.0) / math.sqrt(X.shape[-1])

    def no_softmax(*given):
        """The softmax is missing: you used the scores themselves as weights.

        The weights of a query sum to 1, and none of them is negative.
        """
        return _other(*given, weigh=lambda S: S)

    def always_causal(*given):
        """You hid the later tokens. There is no mask in this exercise.

        Every token attends to all.
        """

        def weigh(S):
            seen = torch.ones(S.shape[-2:], dtype=torch.bool).tril()
            return S.masked_fill(~seen, -math.inf).softmax(-1)

        return _other(*given, weigh=weigh)

    def softmax_over_everything(*given):
        """You took one softmax over all pairs of a head. Each row of weights should sum to 1.

        Each query divides a weight of 1 among the keys.
        """
        return _other(*given, weigh=lambda S: S.flatten(-2).softmax(-1).reshape(S.shape))

    def weights_transposed(*given):
        """You multiplied the values by the transposed weights: by columns, not by rows.

        Row i of the weights says what token i takes from each token j.
        """
        return _other(*given, weigh=lambda S: S.softmax(-1).mT)

    def scores_summed_over_heads(*given):
        """Your heads share one matrix of weights: each of its scores is the sum of all heads'
        scores.

        Each head has its own scores and its own softmax.
        """
        return _other(*given, weigh=lambda S: S.sum(-3, keepdim=True).softmax(-1))

    def weights_averaged_over_heads(*given):
        """You averaged the weights of all heads, so that every head uses the same.

        Each head has its own weights, and multiplies its own values by them.
        """
        return _other(*given, weigh=lambda S: S.softmax(-1).mean(-3, keepdim=True))

    def weights_of_the_first_head(*given):
        """All your heads use the weights of the first.

        Head j has its own W_Q and W_K.
        """
        return _other(*given, weigh=lambda S: S[..., :1, :, :].softmax(-1))

    def first_heads_matrices_for_all(X, W_Q, W_K, W_V, W_O):
        """Every head uses the first head's three matrices.

        Head j has matrices of its own: index the first dimension of W_Q, W_K and W_V.
        """
        return correct(X, *(W[:1].expand_as(W) for W in (W_Q, W_K, W_V)), W_O)

    def last_heads_matrices_for_all(X, W_Q, W_K, W_V, W_O):
        """Every head uses the last head's three matrices.

        Head j has matrices of its own: index the first dimension of W_Q, W_K and W_V.
        """
        return correct(X, *(W[-1:].expand_as(W) for W in (W_Q, W_K, W_V)), W_O)

    def matrices_averaged(X, W_Q, W_K, W_V, W_O):
        """You averaged the heads' matrices, so that all heads are the same.

        Head j has matrices of its own.
        """
        means = (W.mean(0, keepdim=True).expand_as(W) for W in (W_Q, W_K, W_V))
        return correct(X, *means, W_O)

    def matrices_transposed(X, W_Q, W_K, W_V, W_O):
        """You multiplied by the transposed matrices of all heads.

        Tokens are rows: X stands on the left, as in X W_Q.
        """
        return correct(X, W_Q.mT, W_K.mT, W_V.mT, W_O)

    def first_block_of_W_O(X, W_Q, W_K, W_V, W_O):
        """You added the heads up, and multiplied by the first d rows of W_O.

        Each head has its own d rows of W_O. Concat puts the heads side by side.
        """
        return _heads(X, W_Q, W_K, W_V).sum(-3) @ W_O[: X.shape[-1]]

    def first_block_of_W_O_for_the_mean(X, W_Q, W_K, W_V, W_O):
        """You took the mean of the heads, and multiplied by the first d rows of W_O.

        Each head has its own d rows of W_O. Concat puts the heads side by side.
        """
        return _heads(X, W_Q, W_K, W_V).mean(-3) @ W_O[: X.shape[-1]]

    def heads_added_up(X, W_Q, W_K, W_V, W_O):
        """You added the heads up, without W_O.

        Concat puts the heads side by side, and W_O mixes them (A26, A27).
        """
        return _heads(X, W_Q, W_K, W_V).sum(-3)

    def mean_of_the_heads(X, W_Q, W_K, W_V, W_O):
        """You took the mean of the heads, without W_O.

        Concat puts the heads side by side, and W_O mixes them (A26, A27).
        """
        return _heads(X, W_Q, W_K, W_V).mean(-3)

    def heads_added_up_in_every_block(X, W_Q, W_K, W_V, W_O):
        """You added the heads up, and put the sum h times side by side.

        W_O has h d rows, so that each head can meet its own.
        """
        A = _heads(X, W_Q, W_K, W_V)
        return _joined(A.sum(-3, keepdim=True).expand_as(A)) @ W_O

    def first_head_alone(X, W_Q, W_K, W_V, W_O):
        """Only the first head is in your result.

        Is there a `return` inside the loop? All heads stand side by side before W_O.
        """
        d = X.shape[-1]
        return correct(X, W_Q[:1], W_K[:1], W_V[:1], W_O[:d])

    def last_head_alone(X, W_Q, W_K, W_V, W_O):
        """Only the last head is in your result.

        Does each head overwrite the one before? All stand side by side before W_O.
        """
        d = X.shape[-1]
        return correct(X, W_Q[-1:], W_K[-1:], W_V[-1:], W_O[-d:])

    def heads_one_too_late(X, W_Q, W_K, W_V, W_O):
        """Your heads stand one place too late in Concat: each meets the rows of the next in W_O.

        The first d rows of W_O belong to A₁.
        """
        return _joined(_heads(X, W_Q, W_K, W_V).roll(1, -3)) @ W_O

    def heads_share_the_width(X, W_Q, W_K, W_V, W_O):
        """You kept only a slice of each head's Q, K and V. Document A's heads have the full width.

        How wide is Q_j = X W_Q_j?
        """
        d, outputs = X.shape[-1], []
        d_k = max(d // len(W_Q), 1)
        for j, matrices in enumerate(zip(W_Q, W_K, W_V, strict=True)):
            own = (torch.arange(d) // d_k == j).to(X.dtype)
            Q, K, V = (X @ W * own for W in matrices)
            outputs.append((Q @ K.mT / math.sqrt(d_k)).softmax(-1) @ V)
        return torch.cat(outputs, -1) @ W_O

    def one_head_after_the_other(X, W_Q, W_K, W_V, W_O):
        """Each of your heads reads what the head before it wrote. All of them read X.

        Does your loop overwrite X?
        """
        outputs, rows = [], X
        for of_q, of_k, of_v in zip(W_Q, W_K, W_V, strict=True):
            scores = rows @ of_q @ (rows @ of_k).mT / math.sqrt(X.shape[-1])
            rows = scores.softmax(-1) @ (rows @ of_v)
            outputs.append(rows)
        return torch.cat(outputs, -1) @ W_O

    def residual(X, *others):
        """You added X to the result. Document A prints no residual connection.

        MHA(X) is Concat(A₁, …, A_h) W_O, and nothing else.
        """
        return X + correct(X, *others)

    def values_not_projected(X, W_Q, W_K, W_V, W_O):
        """Your values are X itself: W_V is not used.

        V_j is X W_V_j.
        """
        one = torch.eye(X.shape[-1], dtype=X.dtype).expand_as(W_V)
        return correct(X, W_Q, W_K, one, W_O)

    def stacked_in_dimension_1(X, W_Q, W_K, W_V, W_O):
        """For a single sentence you are right, but a batch stops your function with an error.

        Three dots in a shape stand for any number of dimensions. Count from the end, as in
        `transpose(-3, -2)`, and use `.mT` in place of `.T`.
        """
        A = _heads(X, W_Q, W_K, W_V)
        return A.transpose(0, 1).flatten(-2) @ W_O


class Right:
    """Right answers, written differently."""

    def one_head_at_a_time(X, W_Q, W_K, W_V, W_O):
        """A24 to A27, line by line."""
        outputs = []
        for of_q, of_k, of_v in zip(W_Q, W_K, W_V, strict=True):
            Q, K, V = X @ of_q, X @ of_k, X @ of_v
            outputs.append(torch.softmax(Q @ K.transpose(-2, -1) / X.shape[-1] ** 0.5, -1) @ V)
        return torch.cat(outputs, -1) @ W_O

    def as_a_sum_over_heads(X, W_Q, W_K, W_V, W_O):
        """Adds what each head contributes through its own block of W_O."""
        d = X.shape[-1]
        total = torch.zeros_like(X)
        for j in range(len(W_Q)):
            scores = X @ W_Q[j] @ W_K[j].T @ X.mT / math.sqrt(d)
            total = total + scores.softmax(-1) @ X @ (W_V[j] @ W_O[j * d : (j + 1) * d])
        return total

    def with_einsum(X, W_Q, W_K, W_V, W_O):
        """Names the dimensions in an einsum."""
        h, d, _ = W_Q.shape
        Q, K, V = (torch.einsum("...nd,hde->...hne", X, W) for W in (W_Q, W_K, W_V))
        scores = torch.einsum("...hne,...hme->...hnm", Q, K) / math.sqrt(d)
        A = torch.einsum("...hnm,...hme->...hne", scores.softmax(-1), V)
        return torch.einsum("...hne,hed->...nd", A, W_O.reshape(h, d, d))

    def with_the_kernel(X, W_Q, W_K, W_V, W_O):
        """PyTorch's attention, with the heads as a batch."""
        rows = X[..., None, :, :]
        A = torch.nn.functional.scaled_dot_product_attention(rows @ W_Q, rows @ W_K, rows @ W_V)
        return torch.cat(A.unbind(-3), -1) @ W_O


EXERCISE = Exercise(
    id="full_width_heads",
    oracle=correct,
    hint="Start with a loop: for head j, three products, one softmax of rows, one mean of values. "
    "Then put the h results side by side, n rows of h d numbers, and multiply by W_O.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("multi-head attention",),
)
