"""The exercise ``scaled_scores``: Q K^T / sqrt(d_k) (D01, B08; chapter 4)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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


def _divided(Q, K, divisor):
    """The products, divided by something."""
    return Q @ K.mT / divisor


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_scaled(Q, K):
        """You returned the products Q Kᵀ, not divided by √d_k.

        Write down the shape of Q. Which of its sizes is d_k?
        """
        return Q @ K.mT

    def divided_by_d_k(Q, K):
        """Your products end up divided by d_k. Divide them by its square root, and only once.

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

        `reshape` fills the new rows with the numbers in their old order. Swap the last two
        dimensions instead.
        """
        return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2]) / math.sqrt(Q.shape[-1])

    def all_dimensions_reversed(Q, K):
        """Your Kᵀ reverses all dimensions, including that of the sentences.

        For a batch, swap only the last two dimensions: `K.mT` or `K.transpose(-2, -1)`.
        """
        return Q @ K.permute(*reversed(range(K.dim()))) / math.sqrt(Q.shape[-1])

    def softmax_already(Q, K):
        """You return the softmax of the scores. That is the next exercise.

        Scores may be negative, and need not sum to 1.
        """
        return torch.softmax(scaled_scores(Q, K), dim=-1)

    def cosines(Q, K):
        """You divide by the lengths of queries and keys, so your scores are cosines.

        The only divisor is √d_k.
        """
        normal = torch.nn.functional.normalize
        return normal(Q, dim=-1) @ normal(K, dim=-1).mT

    def cosines_scaled(Q, K):
        """You divide by the lengths of queries and keys, and by √d_k too.

        The only divisor is √d_k.
        """
        normal = torch.nn.functional.normalize
        return _divided(normal(Q, dim=-1), normal(K, dim=-1), math.sqrt(Q.shape[-1]))

    def distances(Q, K):
        """You compute the distances between queries and keys, and not their dot products.

        A score is a sum of products.
        """
        return torch.cdist(Q, K) / math.sqrt(Q.shape[-1])

    def negative_distances(Q, K):
        """You compute distances with a minus sign, and not dot products.

        A score is a sum of products.
        """
        return -torch.cdist(Q, K) / math.sqrt(Q.shape[-1])

    def same_places_alone(Q, K):
        """You compare query i with key i only, and write the result into the whole row.

        Each query meets each key: m × n dot products.
        """
        shared = min(Q.shape[-2], K.shape[-2])
        scores = (Q[..., :shared, :] * K[..., :shared, :]).sum(-1) / math.sqrt(Q.shape[-1])
        return scores[..., None].expand(*scores.shape, K.shape[-2])

    def same_places_as_a_row(Q, K):
        """You compare query i with key i only.

        Each query meets each key: m × n dot products.
        """
        shared = min(Q.shape[-2], K.shape[-2])
        return (Q[..., :shared, :] * K[..., :shared, :]).sum(-1) / math.sqrt(Q.shape[-1])

    def diagonal_alone(Q, K):
        """Only your scores of query i with key i are right. All others are 0.

        Each query meets each key: m × n dot products.
        """
        scores = scaled_scores(Q, K)
        return scores * torch.eye(*scores.shape[-2:], dtype=scores.dtype)

    def products_not_summed(Q, K):
        """You return the products of the entries, and do not sum over d_k.

        A dot product is one number.
        """
        return Q[..., :, None, :] * K[..., None, :, :] / math.sqrt(Q.shape[-1])

    def mean_of_products(Q, K):
        """Your products end up divided by d_k and also by √d_k.

        A dot product is a *sum* of d_k products, not their mean. Only √d_k divides it.
        """
        return _divided(Q, K, Q.shape[-1] ** 1.5)

    def entries_added(Q, K):
        """You add entries of queries and keys, where they should be multiplied.

        A dot product is a sum of products.
        """
        return (Q[..., :, None, :] + K[..., None, :, :]).sum(-1) / math.sqrt(Q.shape[-1])

    def divided_by_8(Q, K):
        """You divide by 8, whatever d_k is.

        That is right for d_k = 64. Where can you read off d_k?
        """
        return _divided(Q, K, 8)

    def root_rounded_down(Q, K):
        """You round √d_k down to a whole number.

        `math.isqrt`, `int` and `//` drop the decimals. The root of 8 is 2.83.
        """
        return _divided(Q, K, math.isqrt(Q.shape[-1]))

    def root_of_size_0(Q, K):
        """You divide by the root of the first size of Q: the number of queries, or of sentences.

        How many products does the dot product of a query and a key add up?
        """
        return _divided(Q, K, math.sqrt(Q.shape[0]))

    def root_of_size_1(Q, K):
        """You divide by the root of the second size of Q, which is d_k only without a batch.

        Count from the right: d_k is the last size of Q.
        """
        return _divided(Q, K, math.sqrt(Q.shape[1]))

    def root_of_both_numbers(Q, K):
        """You divide by the root of m · n, the number of scores.

        How many products does the dot product of a query and a key add up?
        """
        return _divided(Q, K, math.sqrt(Q.shape[-2] * K.shape[-2]))

    def divided_by_the_square(Q, K):
        """You divide by d_k². The divisor should be √d_k.

        In Python, `d ** 0.5` is the root, and `d ** 2` the square.
        """
        return _divided(Q, K, Q.shape[-1] ** 2)

    def divided_by_half_of_d_k(Q, K):
        """You divide by d_k / 2. The divisor should be √d_k.

        What is `d ** 1 / 2` in Python? The power comes first.
        """
        return _divided(Q, K, Q.shape[-1] / 2)

    def fourth_root(Q, K):
        """You divide by the fourth root of d_k, and not by the square root.

        Is a root taken twice? Or did you want to divide both Q and K by the fourth root, and
        divided only one of them?
        """
        return _divided(Q, K, Q.shape[-1] ** 0.25)

    def one_added_under_the_root(Q, K):
        """You divide by the root of d_k + 1, and not by that of d_k.

        The divisor is √d_k, with nothing added.
        """
        return _divided(Q, K, math.sqrt(Q.shape[-1] + 1))

    def divided_by_their_spread(Q, K):
        """You divide the products by their own standard deviation.

        √d_k depends on the width alone, and not on the numbers.
        """
        scores = Q @ K.mT
        return scores / scores.std(unbiased=False).clamp(min=1e-9)

    def mean_subtracted(Q, K):
        """You subtract the mean of each row from the scores.

        The formula has a product and a divisor, and nothing else.
        """
        scores = scaled_scores(Q, K)
        return scores - scores.mean(-1, keepdim=True)

    def largest_subtracted(Q, K):
        """You subtract the largest score of each row, as a softmax does inside.

        The formula has a product and a divisor, and nothing else.
        """
        scores = scaled_scores(Q, K)
        return scores - scores.amax(-1, keepdim=True)

    def sizes_alone(Q, K):
        """You return absolute values: none of your scores is negative.

        A query and a key that point in opposite directions have a negative score.
        """
        return scaled_scores(Q, K).abs()

    def later_keys_0(Q, K):
        """You set the scores of later keys to 0.

        There are no masks in this chapter: every query meets every key.
        """
        return scaled_scores(Q, K).tril()

    def keys_with_themselves(Q, K):
        """You compared the keys with themselves. Your function does not use the queries.

        A score compares a query with a key.
        """
        return _divided(K, K, math.sqrt(K.shape[-1]))

    def columns_compared(Q, K):
        """You compare columns instead of rows, Qᵀ K, which needs as many queries as keys.

        The sum runs over d_k, the last dimension of both.
        """
        return Q.mT @ K / math.sqrt(Q.shape[-1])

    def keys_not_turned(Q, K):
        """Your function stops on every input, as `Q @ K` does: its shapes fit only if n = d_k.

        Write the shapes side by side: (m, d_k) and (n, d_k). Which of the two has to be transposed?
        """
        return Q @ K / math.sqrt(Q.shape[-1])

    def first_sentence_alone(Q, K):
        """You return the scores of the first sentence only.

        Let the product carry the leading dimensions: `Q @ K.mT` works for all sentences at once.
        """
        first = (0,) * (K.dim() - 2)
        return scaled_scores(Q[first], K[first])

    def nothing_to_learn_by(Q, K):
        """The scores are right, but no gradient flows back to Q and K.

        `detach`, `.item()`, `torch.tensor` and NumPy cut it off.
        """
        return scaled_scores(Q, K).detach()

    def keys_without_gradient(Q, K):
        """The scores are right, but no gradient flows back to K.

        Was K detached, or copied into a new tensor?
        """
        return scaled_scores(Q, K.detach())

    def queries_without_gradient(Q, K):
        """The scores are right, but no gradient flows back to Q.

        Was Q detached, or copied into a new tensor?
        """
        return scaled_scores(Q.detach(), K)


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
