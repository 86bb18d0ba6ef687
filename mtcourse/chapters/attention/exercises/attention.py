"""The exercise ``attention``: softmax(Q K^T / sqrt(d_k)) V (D01, A07, B10; chapter 4)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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


def _weights(Q, K):
    return torch.softmax(_scores(Q, K), dim=-1)


def _of_other_scores(scores, V):
    """The outputs for scores that were made in another way."""
    return torch.softmax(scores, dim=-1) @ V


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
        """Your products end up divided by d_k. Divide them by its square root, and only once.

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

        The division belongs to the scores. After the softmax, it makes a mean of values too small.
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
        """You computed K Qᵀ, so that each row belongs to a key. The product with V then works
        only where m = n.

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

        `reshape` fills the new rows with the numbers in their old order. Swap the last two
        dimensions instead.
        """
        wrong = K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
        return torch.softmax(Q @ wrong / math.sqrt(Q.shape[-1]), dim=-1) @ V

    def all_dimensions_reversed(Q, K, V):
        """Your Kᵀ reverses all dimensions, including that of the sentences.

        For a batch, swap only the last two dimensions: `K.mT` or `K.transpose(-2, -1)`.
        """
        turned = K.permute(*reversed(range(K.dim())))
        return torch.softmax(Q @ turned / math.sqrt(Q.shape[-1]), dim=-1) @ V

    def best_key_alone(Q, K, V):
        """Each query gets the value of its best key alone.

        `argmax` picks one key. A softmax gives every key a weight, and the output is the weighted
        mean of all values.
        """
        best = _scores(Q, K).argmax(-1, keepdim=True)
        return torch.zeros_like(_scores(Q, K)).scatter(-1, best, 1.0) @ V

    def plain_mean(Q, K, V):
        """Each query gets the plain mean of the values, whatever it asks for.

        The weights should come from the scores. Where does your function use Q and K?
        """
        return V.mean(dim=-2, keepdim=True).expand(*Q.shape[:-1], V.shape[-1])

    def sum_of_values(Q, K, V):
        """Each query gets the sum of the values, whatever it asks for.

        The weights should come from the scores, and sum to 1.
        """
        return V.sum(dim=-2, keepdim=True).expand(*Q.shape[:-1], V.shape[-1])

    def later_keys_hidden(Q, K, V):
        """You hide later keys, as a decoder does.

        There are no masks in this chapter: every query sees every key.
        """
        scores = _scores(Q, K)
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        return _of_other_scores(scores.masked_fill(later, -math.inf), V)

    def later_keys_get_score_0(Q, K, V):
        """You set the scores of later keys to 0.

        There are no masks in this chapter: every query sees every key.
        """
        return _of_other_scores(_scores(Q, K).tril(), V)

    def one_softmax_for_a_matrix(Q, K, V):
        """Your softmax runs over all queries and keys together: all weights of a matrix sum to 1.

        Each query divides a weight of 1 among the keys. Along which dimension do the keys lie?
        """
        scores = _scores(Q, K)
        return torch.softmax(scores.flatten(-2), dim=-1).view_as(scores) @ V

    def one_softmax_for_everything(Q, K, V):
        """Your softmax runs over all scores of the tensor, those of all sentences and heads.

        Each query divides a weight of 1 among the keys. Along which dimension do the keys lie?
        """
        scores = _scores(Q, K)
        return torch.softmax(scores.flatten(), dim=0).view_as(scores) @ V

    def weights_added_over_queries(Q, K, V):
        """You add the weights up over the queries, and return a row for each key.

        Each query has a row of its own. Should the product with V sum over queries or over keys?
        """
        return _weights(Q, K).sum(-2)[..., None] * V

    def weights_turned(Q, K, V):
        """You multiply the transposed weights by V, and this works only where m = n.

        The shapes are (m, n) and (n, d_v). Which inner sizes meet?
        """
        return _weights(Q, K).mT @ V

    def softmax_twice(Q, K, V):
        """You take the softmax of the weights once more, which makes them nearly equal.

        Scores become weights by one softmax.
        """
        return torch.softmax(_weights(Q, K), dim=-1) @ V

    def softmax_of_the_outputs(Q, K, V):
        """You multiply by V before the softmax, so the softmax runs over the columns of V.

        Scores become weights first. Then the weights are multiplied by V.
        """
        return torch.softmax(_scores(Q, K) @ V, dim=-1)

    def softmax_of_outputs_too(Q, K, V):
        """You take another softmax, of the outputs.

        The outputs are means of values. They may be negative, and need not sum to 1.
        """
        return torch.softmax(correct(Q, K, V), dim=-1)

    def logarithms_of_weights(Q, K, V):
        """You multiply the logarithms of the weights by V.

        `log_softmax` is for losses. The mean needs the weights themselves.
        """
        return torch.log_softmax(_scores(Q, K), dim=-1) @ V

    def scores_divided_by_their_sum(Q, K, V):
        """You divide the scores by their sum, without exponentials.

        Scores may be negative, and their sum may be 0. What makes each of them positive?
        """
        scores = _scores(Q, K)
        return scores / scores.sum(-1, keepdim=True) @ V

    def negative_scores_dropped(Q, K, V):
        """You set negative scores to 0, and take the rest for weights.

        A softmax makes every score positive, and the larger of two scores stays the larger.
        """
        return _scores(Q, K).relu() @ V

    def sigmoids(Q, K, V):
        """You take the sigmoid of each score by itself, so a row of weights does not sum to 1.

        The keys share a weight of 1. Which function looks at the whole row?
        """
        return torch.sigmoid(_scores(Q, K)) @ V

    def sign_turned(Q, K, V):
        """The scores have the wrong sign: a query attends most to the key that fits it least.

        A large dot product should get a large weight.
        """
        return _of_other_scores(-_scores(Q, K), V)

    def negative_distances(Q, K, V):
        """Your scores are distances with a minus sign, and not dot products.

        How is each score computed from a row of Q and a row of K?
        """
        return _of_other_scores(-torch.cdist(Q, K) / math.sqrt(Q.shape[-1]), V)

    def cosines(Q, K, V):
        """Your scores are cosines: you divide the products by the lengths of queries and keys.

        The only divisor is √d_k.
        """
        normal = torch.nn.functional.normalize
        return _of_other_scores(normal(Q, dim=-1) @ normal(K, dim=-1).mT, V)

    def root_of_size_1(Q, K, V):
        """You divide by the root of the second size of Q, which is d_k only without a batch.

        Count from the right: d_k is the last size of Q.
        """
        return _of_other_scores(Q @ K.mT / math.sqrt(Q.shape[1]), V)

    def root_of_size_0(Q, K, V):
        """You divide by the root of the first size of Q: the number of queries, or of sentences.

        How many products does the dot product of a query and a key add up?
        """
        return _of_other_scores(Q @ K.mT / math.sqrt(Q.shape[0]), V)

    def by_number_of_queries(Q, K, V):
        """You divided the products by √m, where m is the number of queries.

        The divisor makes up for the length of the sums in Q Kᵀ. Over what do these sums run?
        """
        return _of_other_scores(Q @ K.mT / math.sqrt(Q.shape[-2]), V)

    def root_rounded_down(Q, K, V):
        """You round √d_k down to a whole number.

        `math.isqrt`, `int` and `//` drop the decimals. The root of 8 is 2.83.
        """
        return _of_other_scores(Q @ K.mT / math.isqrt(Q.shape[-1]), V)

    def divided_by_8(Q, K, V):
        """You divide the products by 8, whatever d_k is.

        That is right for d_k = 64. Where can you read off d_k?
        """
        return _of_other_scores(Q @ K.mT / 8, V)

    def outputs_divided_too(Q, K, V):
        """You divide by √d_k twice: before the softmax, and once more after it.

        A mean of values is as large as the values.
        """
        return correct(Q, K, V) / math.sqrt(Q.shape[-1])

    def outputs_divided_by_the_keys(Q, K, V):
        """Your outputs end up divided by n, the number of keys, as by a mean where a sum belongs.

        The weights of a row sum to 1 already, and so the weighted *sum* is the mean.
        """
        return correct(Q, K, V) / K.shape[-2]

    def queries_added(Q, K, V):
        """You add Q to the outputs, which fits only where d_v = d_k.

        A residual connection goes around a whole layer. Return the means of the values alone.
        """
        return correct(Q, K, V) + Q

    def values_added(Q, K, V):
        """You add V to the outputs, which fits only where there are as many queries as keys.

        Return the means of the values alone.
        """
        return correct(Q, K, V) + V

    def keys_for_values(Q, K, V):
        """You average the keys. Your function does not use the values.

        The weights come from queries and keys. What is it that they are multiplied by?
        """
        return _weights(Q, K) @ K

    def queries_for_keys(Q, K, V):
        """You compare the queries with themselves. Your function does not use the keys.

        A score compares a query with a key.
        """
        return _weights(Q, Q) @ V

    def values_for_keys(Q, K, V):
        """You compare the queries with the values. Your function does not use the keys.

        A score compares a query with a key.
        """
        return torch.softmax(Q @ V.mT / math.sqrt(Q.shape[-1]), dim=-1) @ V

    def weights_without_gradient(Q, K, V):
        """The outputs are right, but no gradient flows back through the weights to Q and K.

        Only V would learn. Were the weights detached, or computed under `no_grad`?
        """
        return _weights(Q, K).detach() @ V

    def weights_averaged_over_the_batch(Q, K, V):
        """You average the weights over the first dimension of a batch, so sentences see each other.

        Each sentence has its own weights.
        """
        weights = _weights(Q, K)
        return (weights.mean(0, keepdim=True) if weights.dim() > 2 else weights) @ V

    def heads_averaged(Q, K, V):
        """You average the weights over dimension 1 of a batch with heads.

        Each head has its own weights. Leave the leading dimensions as they are.
        """
        weights = _weights(Q, K)
        return (weights.mean(1, keepdim=True) if weights.dim() > 3 else weights) @ V


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
            return torch.stack(
                [Right.one_query_at_a_time(*one) for one in zip(Q, K, V, strict=True)]
            )
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
    forbids=("attention",),
)
