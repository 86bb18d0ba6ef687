"""The exercise ``attention``: softmax(Q K^T / sqrt(d_k)) V (D01, A07, B10; chapter 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers.attention import scaled_dot_product_attention


def cases(draw: Draw) -> list[Case]:
    """A row to check by hand, sizes that all differ, sizes that are all equal, and large scores."""
    Q = draw.tensor([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 2 * math.log(3)]])
    K = draw.tensor([[0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 0.0, 0.0], [3.0, 0.0, 1.0, 0.0]])
    V = draw.tensor([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])
    return [
        Case("scores (0, 0, 0) and (ln 3, 0, 0)", (Q, K, V), by_hand=True),
        Case("a single query and key", _drawn(draw, (), 1, 1, 3, 2)),
        Case("5 queries and 7 keys", _drawn(draw, (), 5, 7, 8, 3)),
        Case("4 queries and 4 keys, 4 wide", _drawn(draw, (), 4, 4, 4, 4)),
        Case("3 sentences", _drawn(draw, (3,), 4, 5, 6, 2)),
        Case("2 sentences with 3 heads", _drawn(draw, (2, 3), 4, 6, 5, 5)),
        Case("queries and keys of numbers around 150", _drawn(draw, (), 3, 5, 64, 4, scale=150.0)),
    ]


def _drawn(draw: Draw, batch, m, n, d_k, d_v, scale=1.0):
    """Queries, keys and values of these sizes."""
    shapes = (*batch, m, d_k), (*batch, n, d_k)
    Q, K = (draw.normal(*shape, scale=scale) for shape in shapes)
    return Q, K, draw.normal(*batch, n, d_v)


def correct(Q, K, V):
    """The readable reference."""
    return scaled_dot_product_attention(Q, K, V)[0]


def _scores(Q, K):
    return Q @ K.mT / math.sqrt(Q.shape[-1])


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_Q(Q, K, V):
        """The outputs are right, but your function changes the caller's Q, by dividing it in place.

        `Q /= x` writes into the tensor that was passed in; `Q / x` makes a new one.
        """
        Q /= math.sqrt(Q.shape[-1])
        return torch.softmax(Q @ K.mT, dim=-1) @ V

    def nothing_to_learn_by(Q, K, V):
        """The outputs are right, but gradients do not flow back to all of Q, K and V.

        Autograd loses track where you detach a tensor, copy its numbers into a new one, or
        overwrite it with `/=` while it is still needed.
        """
        return correct(Q, K, V).detach()

    def returns_weights_too(Q, K, V):
        """You returned both the outputs and the weights. Return only the outputs.

        A function that returns `a, b` returns a tuple.
        """
        return scaled_dot_product_attention(Q, K, V)

    def weights_for_outputs(Q, K, V):
        """You returned the attention weights themselves. Your function does not use the values.

        The output should be a weighted mean of the values: one row of width d_v for each query.
        """
        return torch.softmax(_scores(Q, K), dim=-1)

    def no_softmax(Q, K, V):
        """You multiplied the scores themselves by V, without a softmax.

        Scores may be negative and sum to anything. A mean of values needs positive weights that sum
        to 1.
        """
        return _scores(Q, K) @ V

    def not_scaled(Q, K, V):
        """You did not divide Q Kᵀ by √d_k. Your rows of weights sum to 1, but they are too uneven.

        Write down the shape of Q. Which of its sizes is d_k?
        """
        return torch.softmax(Q @ K.mT, dim=-1) @ V

    def divided_by_d_k(Q, K, V):
        """You divided the products by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return torch.softmax(Q @ K.mT / Q.shape[-1], dim=-1) @ V

    def divided_by_root_of_d_v(Q, K, V):
        """You divided the products by √d_v, the root of the width of the values.

        How many products does the dot product of a query and a key add up?
        """
        return torch.softmax(Q @ K.mT / math.sqrt(V.shape[-1]), dim=-1) @ V

    def multiplied(Q, K, V):
        """You multiplied the products by √d_k. Divide them by it.

        Wider queries and keys make larger sums. The scale should make them smaller again.
        """
        return torch.softmax(Q @ K.mT * math.sqrt(Q.shape[-1]), dim=-1) @ V

    def by_number_of_keys(Q, K, V):
        """You divided the products by √n, where n is the number of keys.

        The divisor makes up for the length of the sums in Q Kᵀ. Over what do these sums run?
        """
        return torch.softmax(Q @ K.mT / math.sqrt(K.shape[-2]), dim=-1) @ V

    def scaled_after_softmax(Q, K, V):
        """You divided by √d_k after the softmax. Divide before it.

        Your rows of weights now sum to 1/√d_k. The division belongs to the scores.
        """
        return torch.softmax(Q @ K.mT, dim=-1) @ V / math.sqrt(Q.shape[-1])

    def softmax_over_queries(Q, K, V):
        """Your softmax runs over the queries: each column of weights sums to 1. Each row should.

        Each query divides its attention among the keys. Which dimension of (m, n) is that of the
        keys?
        """
        return torch.softmax(_scores(Q, K), dim=-2) @ V

    def softmax_over_dimension_1(Q, K, V):
        """Your softmax runs over dimension 1. For one sentence that is the keys, but for a batch
        it is not.

        Count from the right: the keys are always the last dimension of the scores, -1.
        """
        return torch.softmax(_scores(Q, K), dim=1) @ V

    def softmax_over_dimension_0(Q, K, V):
        """Your softmax runs over dimension 0: for one sentence the queries, for a batch the
        sentences.

        Count from the right. The keys are the last dimension of the scores.
        """
        return torch.softmax(_scores(Q, K), dim=0) @ V

    def exponentials_without_their_sum(Q, K, V):
        """You multiplied the exponentials of the scores by V, without dividing by their sum.

        A mean needs weights that sum to 1.
        """
        return _scores(Q, K).exp() @ V

    def exponentials_overflow(Q, K, V):
        """Your formula is right, but the exponentials of large scores become infinite, and then
        NaN.

        `torch.softmax` first subtracts the largest score of each row. Yours should do the same.
        """
        e = _scores(Q, K).exp()
        return e / e.sum(-1, keepdim=True) @ V

    def in_half_precision(Q, K, V):
        """You computed with 16-bit floats: only a few digits are right, and large inputs overflow.

        Keep the precision of your inputs. A tensor's `dtype` tells you which one it has.
        """
        scores = Q.half() @ K.half().mT / math.sqrt(Q.shape[-1])
        return (torch.softmax(scores, dim=-1) @ V.half()).to(V.dtype)

    def keys_ask(Q, K, V):
        """You computed K Qᵀ, so that each row belongs to a key. It runs only where m = n.

        Scores have a row for each query. So which factor stands on the left?
        """
        return torch.softmax(K @ Q.mT / math.sqrt(Q.shape[-1]), dim=-1) @ V

    def values_on_the_left(Q, K, V):
        """You put V on the left of the weights. It belongs on the right.

        Write the shapes side by side: (m, n) and (n, d_v). Their inner sizes must agree.
        """
        return V @ torch.softmax(_scores(Q, K), dim=-1)

    def first_sentence_for_all(Q, K, V):
        """Every sentence of your batch attends to the keys and values of the first one.

        Let the products carry the leading dimensions: `@` works for all sentences at once.
        """
        first = (0,) * (K.dim() - 2)
        return correct(Q, K[first], V[first])

    def one_long_sentence(Q, K, V):
        """You put the sentences of the batch end to end, so that each attends to the keys of all.

        No sentence may see another, and no head either. Leave the leading dimensions as they are.
        """
        flat = (x.reshape(-1, x.shape[-1]) for x in (Q, K, V))
        return correct(*flat).reshape(*Q.shape[:-1], V.shape[-1])

    def reshaped_keys(Q, K, V):
        """You reshaped K instead of transposing it: the numbers of one key end up in several
        columns.

        `reshape` keeps the order of the numbers in memory. Swap the last two dimensions instead.
        """
        wrong = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
        return torch.softmax(Q @ wrong / math.sqrt(Q.shape[-1]), dim=-1) @ V

    def all_dimensions_reversed(Q, K, V):
        """Your Kᵀ reverses all dimensions, including that of the sentences.

        For a batch, swap only the last two dimensions: `K.mT` or `K.transpose(-2, -1)`.
        """
        turned = K.permute(*reversed(range(K.dim())))
        return torch.softmax(Q @ turned / math.sqrt(Q.shape[-1]), dim=-1) @ V


class Right:
    """Right answers, written differently."""

    def in_one_line(Q, K, V):
        """The equation as it stands."""
        return torch.softmax(Q @ K.transpose(-2, -1) / Q.size(-1) ** 0.5, dim=-1) @ V

    def with_einsum(Q, K, V):
        """Names the dimensions in an einsum."""
        scores = torch.einsum("...md,...nd->...mn", Q, K) / math.sqrt(K.shape[-1])
        return torch.einsum("...mn,...nv->...mv", scores.softmax(-1), V)

    def one_query_at_a_time(Q, K, V):
        """Loops over sentences and queries."""
        if Q.dim() > 2:
            return torch.stack([Right.one_query_at_a_time(*one) for one in zip(Q, K, V, strict=True)])
        rows = [torch.softmax(K @ q / len(q) ** 0.5, dim=0) @ V for q in Q]
        return torch.stack(rows)


EXERCISE = Exercise(
    id="attention",
    oracle=correct,
    hint="Go step by step, and print the shape after each step: scores (m, n), their softmax "
    "along the keys (m, n), its product with the values (m, d_v).",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("scaled_dot_product_attention", "multi_head_attention_forward"),
)
