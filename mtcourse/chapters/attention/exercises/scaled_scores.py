"""The exercise ``scaled_scores``: Q K^T / sqrt(d_k) (D01, B08; chapter 04)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case
from mtcourse.layers.attention import scaled_scores


def cases(draw: Draw) -> list[Case]:
    """From two rows of whole numbers to sentences with heads; never as many queries as keys."""
    integers = draw.small_integers(2, 4), draw.small_integers(3, 4)
    return [
        Case("two queries and three keys of four whole numbers", integers, by_hand=True),
        Case("a single query and a single key", (draw.normal(1, 3), draw.normal(1, 3))),
        Case("5 queries and 7 keys", (draw.normal(5, 8), draw.normal(7, 8))),
        Case("3 sentences", (draw.normal(3, 4, 6), draw.normal(3, 5, 6))),
        Case("2 sentences with 3 heads", (draw.normal(2, 3, 4, 5), draw.normal(2, 3, 6, 5))),
    ]


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_scaled(Q, K):
        """You returned the products Q Kᵀ, not divided by √d_k.

        Write down the shape of Q. Which of its sizes is d_k?
        """
        return Q @ K.mT

    def divided_by_d_k(Q, K):
        """You divided the products by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return Q @ K.mT / Q.shape[-1]

    def multiplied(Q, K):
        """You multiplied the products by √d_k. Divide them by it.

        Wider queries and keys make larger sums. The scale should make them smaller again.
        """
        return Q @ K.mT * math.sqrt(Q.shape[-1])

    def by_number_of_keys(Q, K):
        """You divided the products by √n, where n is the number of keys.

        The divisor makes up for the length of the sums in Q Kᵀ. Over what do these sums run?
        """
        return Q @ K.mT / math.sqrt(K.shape[-2])

    def by_number_of_queries(Q, K):
        """You divided the products by √m, where m is the number of queries.

        The divisor makes up for the length of the sums in Q Kᵀ. Over what do these sums run?
        """
        return Q @ K.mT / math.sqrt(Q.shape[-2])

    def transposed(Q, K):
        """You computed K Qᵀ / √d_k, which has a row for each key. There should be one for each
        query.

        Row i tells how well query i matches each key. So which factor stands on the left?
        """
        return K @ Q.mT / math.sqrt(Q.shape[-1])

    def queries_with_themselves(Q, K):
        """You compared the queries with themselves. Your function does not use the keys.

        A score compares a query with a key.
        """
        return Q @ Q.mT / math.sqrt(Q.shape[-1])

    def changes_Q(Q, K):
        """The scores are right, but your function changes the caller's Q, by dividing it in place.

        `Q /= x` writes into the tensor that was passed in; `Q / x` makes a new one.
        """
        Q /= math.sqrt(Q.shape[-1])
        return Q @ K.mT

    def first_sentence_for_all(Q, K):
        """Every sentence of your batch is compared with the keys of the first one.

        Let the product carry the leading dimensions: `Q @ K.mT` works for all sentences at once.
        """
        first = K[(0,) * (K.dim() - 2)]
        return Q @ first.mT / math.sqrt(Q.shape[-1])

    def reshaped_keys(Q, K):
        """You reshaped K instead of transposing it: the numbers of one key end up in several
        columns.

        `reshape` keeps the order of the numbers in memory. Swap the last two dimensions instead.
        """
        return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]) / math.sqrt(Q.shape[-1])

    def all_dimensions_reversed(Q, K):
        """Your Kᵀ reverses all dimensions, including that of the sentences.

        For a batch, swap only the last two dimensions: `K.mT` or `K.transpose(-2, -1)`.
        """
        return Q @ K.permute(*reversed(range(K.dim()))) / math.sqrt(Q.shape[-1])


class Right:
    """Right answers, written differently."""

    def with_einsum(Q, K):
        """Names the dimensions in an einsum."""
        return torch.einsum("...md,...nd->...mn", Q, K) / Q.shape[-1] ** 0.5

    def scales_the_queries_first(Q, K):
        """A scalar may move through a product."""
        return (Q / math.sqrt(K.shape[-1])) @ K.transpose(-1, -2)

    def one_score_at_a_time(Q, K):
        """Loops over queries and keys, as in the definition."""
        scores = Q.new_empty(*Q.shape[:-1], K.shape[-2])
        for i in range(Q.shape[-2]):
            for j in range(K.shape[-2]):
                scores[..., i, j] = (Q[..., i, :] * K[..., j, :]).sum(-1) / math.sqrt(Q.shape[-1])
        return scores

    def by_broadcasting(Q, K):
        """Every query against every key, then a sum over d_k."""
        return (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1) * Q.size(-1) ** -0.5


EXERCISE = Exercise(
    id="scaled_scores",
    oracle=scaled_scores,
    hint="Compute one score by hand: the dot product of row i of Q and row j of K, over √d_k.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
