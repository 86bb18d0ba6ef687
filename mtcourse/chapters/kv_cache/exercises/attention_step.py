"""The exercise ``attention_step``: one new token behind a cache (C11; chapter 14)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A cache to check by hand, an empty one, batches, and heads with matrices of their own."""
    by_hand = (
        draw.tensor([[1.0, 0.0]]),
        draw.tensor([[1.0], [0.0]]),
        draw.tensor([[math.log(3)], [0.0]]),
        draw.tensor([[1.0, 0.0], [0.0, 2.0]]),
        draw.tensor([[0.0]]),
        draw.tensor([[4.0, 8.0]]),
    )
    return [
        Case("one cached position, d_k = 1", by_hand, by_hand=True),
        Case("an empty cache", _drawn(draw, (), 0, 5, 3, 4)),
        Case("5 cached positions", _drawn(draw, (), 5, 7, 4, 3)),
        Case("d_k cached positions, width d_k", _drawn(draw, (), 4, 4, 4, 4)),
        Case("2 sentences, 6 cached positions", _drawn(draw, (2,), 6, 5, 3, 4)),
        Case("2 sentences, 3 heads", _of_heads(draw, 2, 3, 4, 6, 2)),
        Case("20 cached positions", _drawn(draw, (), 20, 6, 5, 5)),
    ]


def _drawn(draw, batch, t, width, d_k, d_v):
    """A row, three matrices, and t cached keys and values."""
    sizes = (d_k, d_k, d_v)
    matrices = (draw.normal(width, size, scale=1.5 / math.sqrt(width)) for size in sizes)
    cached = (draw.normal(*batch, t, size) for size in (d_k, d_v))
    return (draw.normal(*batch, 1, width), *matrices, *cached)


def _of_heads(draw, batch, h, t, width, d_k):
    """The same with matrices for each head, and rows that all heads read."""
    matrices = (draw.normal(h, width, d_k, scale=1.5 / math.sqrt(width)) for _ in range(3))
    cached = (draw.normal(batch, h, t, d_k) for _ in range(2))
    return (draw.normal(batch, 1, 1, width), *matrices, *cached)


def _attended(q, K, V, divisor=None):
    scores = q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return scores.softmax(-1) @ V


def correct(x, W_Q, W_K, W_V, K, V):
    """Appends the new key and value, and attends to all."""
    return _with(x, W_Q, W_K, W_V, K, V)


def _with(x, W_Q, W_K, W_V, K, V, divisor=None, dim=-2):
    K = torch.cat([K, x @ W_K], dim)
    V = torch.cat([V, x @ W_V], dim)
    return _attended(x @ W_Q, K, V, divisor), K, V


def _weighed(x, W_Q, W_K, W_V, K, V, weigh):
    """The right cache, with another way from scores to weights."""
    _, K, V = correct(x, W_Q, W_K, W_V, K, V)
    return weigh(x @ W_Q @ K.mT / math.sqrt(K.shape[-1])) @ V, K, V


class Wrong:
    """What learners write, the more particular before the more general."""

    def first_step_not_kept(x, W_Q, W_K, W_V, K, V):
        """Behind an empty cache you return K and V empty again. The first token has a key and a
        value, too.

        What does the second step find in the cache?
        """
        if K.shape[-2] == 0:
            return x @ W_V, K, V
        return correct(x, W_Q, W_K, W_V, K, V)

    def cache_not_grown(x, W_Q, W_K, W_V, K, V):
        """You return K and V as they came, without the new row.

        The next step needs the key and the value of this token, too.
        """
        return correct(x, W_Q, W_K, W_V, K, V)[0], K, V

    def new_token_unseen(x, W_Q, W_K, W_V, K, V):
        """Your output is computed from the old rows alone. The new token should attend to itself as
        well.

        On the diagonal of the causal mask stands True. What comes first: appending or attending?
        """
        _, grown_K, grown_V = correct(x, W_Q, W_K, W_V, K, V)
        return _attended(x @ W_Q, K, V), grown_K, grown_V

    def old_rows_alone(x, W_Q, W_K, W_V, K, V):
        """You use and return the old rows alone: the new token has no key and no value in yours.

        Which row does x add to K, and which to V?
        """
        return _attended(x @ W_Q, K, V), K, V

    def new_token_alone(x, W_Q, W_K, W_V, K, V):
        """Your output is the value of the new token: it attends to itself alone.

        The query should meet all keys, cached and new.
        """
        _, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return x @ W_V, K, V

    def new_token_alone_not_grown(x, W_Q, W_K, W_V, K, V):
        """You ignore the cache: the new token attends to itself alone, and K and V do not grow.

        Append the new key and value to K and V first. Then attend.
        """
        return x @ W_V, K, V

    def only_the_new_rows(x, W_Q, W_K, W_V, K, V):
        """As K and V you return only the new rows.

        Return all rows, old and new: the next step reads them.
        """
        return correct(x, W_Q, W_K, W_V, K, V)[0], x @ W_K, x @ W_V

    def everything_new(x, W_Q, W_K, W_V, K, V):
        """You ignore the cache: your output, K and V are those of the new token by itself.

        Append the new key and value to K and V, and attend to all of them.
        """
        return x @ W_V, x @ W_K, x @ W_V

    def new_row_in_front(x, W_Q, W_K, W_V, K, V):
        """You put the new row in front of the old ones. It belongs at the end.

        Rows stand in the order of their positions, and `torch.cat` keeps the order of its list.
        """
        K, V = torch.cat([x @ W_K, K], -2), torch.cat([x @ W_V, V], -2)
        return _attended(x @ W_Q, K, V), K, V

    def new_key_in_front(x, W_Q, W_K, W_V, K, V):
        """You put the new key in front and the new value at the end, so keys and values do not
        belong together.

        Row j of K and row j of V belong to the same token.
        """
        K, V = torch.cat([x @ W_K, K], -2), torch.cat([V, x @ W_V], -2)
        return _attended(x @ W_Q, K, V), K, V

    def new_value_in_front(x, W_Q, W_K, W_V, K, V):
        """You put the new value in front and the new key at the end, so keys and values do not
        belong together.

        Row j of K and row j of V belong to the same token.
        """
        K, V = torch.cat([K, x @ W_K], -2), torch.cat([x @ W_V, V], -2)
        return _attended(x @ W_Q, K, V), K, V

    def oldest_dropped(x, W_Q, W_K, W_V, K, V):
        """Your cache does not grow: you drop the oldest row for each new one.

        Every later token may attend to the first one. Keep all rows.
        """
        return correct(x, W_Q, W_K, W_V, K[..., 1:, :], V[..., 1:, :])

    def newest_overwritten(x, W_Q, W_K, W_V, K, V):
        """The new row replaces the last cached one. Keep all old rows.

        How many rows do K and V have afterwards?
        """
        return correct(x, W_Q, W_K, W_V, K[..., :-1, :], V[..., :-1, :])

    def keys_and_values_exchanged(x, W_Q, W_K, W_V, K, V):
        """You return K and V in the wrong order.

        The question names the output first, then the keys, then the values.
        """
        a, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return a, V, K

    def output_last(x, W_Q, W_K, W_V, K, V):
        """You return the right things, with the output at the end.

        The question names the output first, then the keys, then the values.
        """
        a, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return K, V, a

    def cache_as_a_pair(x, W_Q, W_K, W_V, K, V):
        """You return the right things, with K and V as a pair. Return three things, not two.

        `return a, K, V`, without brackets around the last two.
        """
        a, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return a, (K, V)

    def row_itself_appended(x, W_Q, W_K, W_V, K, V):
        """You append x itself to K and to V. It is neither a key nor a value yet.

        Which matrices make a key and a value from it?
        """
        K, V = torch.cat([K, x], -2), torch.cat([V, x], -2)
        return _attended(x @ W_Q, K, V), K, V

    def output_alone(x, W_Q, W_K, W_V, K, V):
        """You return only the output. The grown K and V are asked for, too.

        The next step cannot know the new key and value unless you return them.
        """
        return correct(x, W_Q, W_K, W_V, K, V)[0]

    def cache_alone(x, W_Q, W_K, W_V, K, V):
        """You return only the grown K and V. The output is asked for, too.

        Return three things: the output, K and V.
        """
        return correct(x, W_Q, W_K, W_V, K, V)[1:]

    def query_kept(x, W_Q, W_K, W_V, K, V):
        """You return the query, too. Nobody reads it again.

        Return three things: the output, K and V.
        """
        return (*correct(x, W_Q, W_K, W_V, K, V), x @ W_Q)

    def weights_for_output(x, W_Q, W_K, W_V, K, V):
        """As output you return the attention weights. It should be the weighted mean of the values.

        One more product is missing: the weights times V.
        """
        _, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return (x @ W_Q @ K.mT / math.sqrt(K.shape[-1])).softmax(-1), K, V

    def output_without_its_dimension(x, W_Q, W_K, W_V, K, V):
        """Your output has the right numbers, and lacks the dimension of the one token.

        The output has the shape (…, 1, d_v), as x has (…, 1, width).
        """
        a, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return a[..., 0, :], K, V

    def first_key_alone(x, W_Q, W_K, W_V, K, V):
        """Your output is the value of the first position, as if a causal mask with one row hid all
        keys but the first.

        Where in the triangle does the newest token stand? Its row hides nothing, so do you need a
        mask?
        """
        _, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return V[..., :1, :], K, V

    def not_scaled(x, W_Q, W_K, W_V, K, V):
        """You did not divide the scores.

        By the root of which width should you divide them?
        """
        return _with(x, W_Q, W_K, W_V, K, V, 1.0)

    def divided_by_d_k(x, W_Q, W_K, W_V, K, V):
        """You divided the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _with(x, W_Q, W_K, W_V, K, V, W_K.shape[-1])

    def multiplied_by_the_root(x, W_Q, W_K, W_V, K, V):
        """You multiplied the scores by √d_k. Divide them.

        The more products a score adds up, the more it varies. The division makes up for this.
        """
        return _with(x, W_Q, W_K, W_V, K, V, 1 / math.sqrt(W_K.shape[-1]))

    def divided_by_the_root_of_the_width(x, W_Q, W_K, W_V, K, V):
        """You divided the scores by the root of the width of x.

        How many products does a score add up? How wide is a key?
        """
        return _with(x, W_Q, W_K, W_V, K, V, math.sqrt(x.shape[-1]))

    def divided_by_the_root_of_d_v(x, W_Q, W_K, W_V, K, V):
        """You divided the scores by the root of the width of a value.

        How many products does a score add up? How wide is a key?
        """
        return _with(x, W_Q, W_K, W_V, K, V, math.sqrt(W_V.shape[-1]))

    def divided_by_the_root_of_the_length(x, W_Q, W_K, W_V, K, V):
        """You divided the scores by the root of the number of keys.

        How many products does *one* score add up?
        """
        return _with(x, W_Q, W_K, W_V, K, V, math.sqrt(K.shape[-2] + 1))

    def no_softmax(x, W_Q, W_K, W_V, K, V):
        """The softmax is missing: you used the scores themselves as weights.

        The weights of a query sum to 1, and none of them is negative.
        """
        return _weighed(x, W_Q, W_K, W_V, K, V, lambda S: S)

    def softmax_over_queries(x, W_Q, W_K, W_V, K, V):
        """Your output is the sum of all values, as if every weight were 1. A softmax over the
        queries does this, since there is only one of them.

        The query divides a weight of 1 among the keys. Along which dimension do they lie?
        """
        return _weighed(x, W_Q, W_K, W_V, K, V, lambda S: S.softmax(-2))

    def softmax_over_the_first_dimension(x, W_Q, W_K, W_V, K, V):
        """Your softmax runs over the first dimension, where the query or the sentences lie. The
        query should divide a weight of 1 among the keys.

        Along which dimension of the scores do the keys lie, counted from the end?
        """
        return _weighed(x, W_Q, W_K, W_V, K, V, lambda S: S.softmax(0))

    def plain_mean(x, W_Q, W_K, W_V, K, V):
        """Your output is the plain mean of all values: the scores make no difference.

        How much of each value goes into the output is decided by the query and the keys.
        """
        return _weighed(x, W_Q, W_K, W_V, K, V, lambda S: torch.ones_like(S) / S.shape[-1])

    def query_for_key(x, W_Q, W_K, W_V, K, V):
        """You append the query to the keys: the new row of K is x W_Q.

        Which matrix turns x into a key?
        """
        return correct(x, W_Q, W_Q, W_V, K, V)

    def key_for_query(x, W_Q, W_K, W_V, K, V):
        """You compare the new *key* with all keys: your query is x W_K.

        Which matrix turns x into a query?
        """
        return correct(x, W_K, W_K, W_V, K, V)

    def matrices_of_query_and_key_exchanged(x, W_Q, W_K, W_V, K, V):
        """You used W_Q for the key and W_K for the query.

        The cached rows of K were made with W_K. Which matrix must make the new one?
        """
        return correct(x, W_K, W_Q, W_V, K, V)

    def key_not_appended(x, W_Q, W_K, W_V, K, V):
        """Your V grows and your K does not. Then there is one value more than there are keys.

        Append a row to both.
        """
        a, _, grown_V = correct(x, W_Q, W_K, W_V, K, V)
        return a, K, grown_V

    def value_not_appended(x, W_Q, W_K, W_V, K, V):
        """Your K grows and your V does not. Then there is one key more than there are values.

        Append a row to both.
        """
        a, grown_K, _ = correct(x, W_Q, W_K, W_V, K, V)
        return a, grown_K, V

    def appended_twice(x, W_Q, W_K, W_V, K, V):
        """You append the new key and value twice.

        How many rows do K and V have before, and how many after one token?
        """
        _, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return correct(x, W_Q, W_K, W_V, K, V)

    def added_to_all_rows(x, W_Q, W_K, W_V, K, V):
        """You *add* the new key and value to the cached ones. They should be rows of their own.

        `+` broadcasts the new row over all old ones. What puts rows below each other?
        """
        K, V = K + x @ W_K, V + x @ W_V
        return _attended(x @ W_Q, K, V), K, V

    def counted_from_the_front(x, W_Q, W_K, W_V, K, V):
        """You count dimensions from the front: your function is right with one leading dimension,
        such as that of a batch, and not without it or with more.

        Count from the end: in (…, t, d_k), the rows lie along dimension −2.
        """
        K, V = torch.cat([K, x @ W_K], 1), torch.cat([V, x @ W_V], 1)
        weights = (x @ W_Q @ K.transpose(1, 2) / math.sqrt(K.shape[-1])).softmax(-1)
        return weights @ V, K, V

    def stacked(x, W_Q, W_K, W_V, K, V):
        """`torch.stack` lays tensors of one shape upon each other, in a new dimension. The new row
        should stand behind the old ones.

        Which function concatenates along a dimension that is there already?
        """
        K, V = torch.stack([K, x @ W_K]), torch.stack([V, x @ W_V])
        return _attended(x @ W_Q, K, V), K, V

    def key_for_value(x, W_Q, W_K, W_V, K, V):
        """The new row of V is a key: you made it with W_K.

        Which matrix makes values?
        """
        return correct(x, W_Q, W_K, W_K, K, V)

    def output_scaled(x, W_Q, W_K, W_V, K, V):
        """You divided by √d_k after the softmax, not before: the output is too small.

        What is divided by √d_k: the scores, the weights, or the output?
        """
        a, K, V = _with(x, W_Q, W_K, W_V, K, V, 1.0)
        return a / math.sqrt(K.shape[-1]), K, V

    def along_the_second_dimension(x, W_Q, W_K, W_V, K, V):
        """Your function is right with one leading dimension, such as that of a batch, and stops
        without it or with more.

        Count dimensions from the end: in (…, t, d_k), the rows lie along dimension −2. In `einsum`,
        `...` stands for any number of leading dimensions.
        """
        return _with(x, W_Q, W_K, W_V, K, V, dim=1)

    def keys_as_queries(x, W_Q, W_K, W_V, K, V):
        """Your output has a row for each position, and its queries are the keys. Only the new token
        needs a row.

        Which query is compared with all keys?
        """
        _, K, V = correct(x, W_Q, W_K, W_V, K, V)
        return _attended(K, K, V), K, V

    def newest_overwritten_in_place(x, W_Q, W_K, W_V, K, V):
        """You write the new row over the last cached one, in the given K and V. Keep all old rows,
        and leave the arguments as they were.

        How many rows do K and V have afterwards? Which function makes a longer tensor of two?
        """
        K[..., -1:, :], V[..., -1:, :] = x @ W_K, x @ W_V
        return _attended(x @ W_Q, K, V), K, V


class Right:
    """Right answers, written differently."""

    def one_key_at_a_time(x, W_Q, W_K, W_V, K, V):
        """A loop over the keys that keeps a running maximum, sum and mean."""
        q, k, v = x @ W_Q / W_Q.shape[-1] ** 0.5, x @ W_K, x @ W_V
        K, V = torch.cat([K, k], -2), torch.cat([V, v], -2)
        largest = torch.full_like((q * k).sum(-1, keepdim=True), -math.inf)
        total, a = torch.zeros_like(largest), torch.zeros_like(v)
        for j in range(K.shape[-2]):
            score = (q * K[..., j : j + 1, :]).sum(-1, keepdim=True)
            new = torch.maximum(largest, score)
            shrink, weight = (largest - new).exp(), (score - new).exp()
            total = total * shrink + weight
            a = a * shrink + weight * V[..., j : j + 1, :]
            largest = new
        return a / total, K, V

    def as_on_the_page(x, W_Q, W_K, W_V, K, V):
        """Concatenates, and attends."""
        K = torch.cat((K, x @ W_K), dim=-2)
        V = torch.cat((V, x @ W_V), dim=-2)
        weights = torch.softmax((x @ W_Q) @ K.transpose(-1, -2) / K.size(-1) ** 0.5, dim=-1)
        return weights @ V, K, V

    def into_spare_room(x, W_Q, W_K, W_V, K, V):
        """Makes room for one row more, and writes into it."""
        *batch, t, d_k = K.shape
        grown_K, grown_V = K.new_empty(*batch, t + 1, d_k), V.new_empty(*batch, t + 1, V.shape[-1])
        grown_K[..., :t, :], grown_V[..., :t, :] = K, V
        grown_K[..., t:, :], grown_V[..., t:, :] = x @ W_K, x @ W_V
        return _attended(x @ W_Q, grown_K, grown_V), grown_K, grown_V

    def old_and_new_apart(x, W_Q, W_K, W_V, K, V):
        """Scores of old keys and of the new one, put together before the softmax."""
        q, k, v = x @ W_Q / math.sqrt(W_Q.shape[-1]), x @ W_K, x @ W_V
        scores = torch.cat([q @ K.mT, (q * k).sum(-1, keepdim=True)], -1)
        w = scores.softmax(-1)
        a = w[..., :-1] @ V + w[..., -1:] * v
        return a, torch.cat([K, k], -2), torch.cat([V, v], -2)

    def with_einsum(x, W_Q, W_K, W_V, K, V):
        """Names the dimensions."""
        K, V = torch.cat([K, x @ W_K], -2), torch.cat([V, x @ W_V], -2)
        scores = torch.einsum("...qd,...kd->...qk", x @ W_Q, K) / math.sqrt(K.shape[-1])
        e = (scores - scores.amax(-1, keepdim=True)).exp()
        return torch.einsum("...qk,...kd->...qd", e / e.sum(-1, keepdim=True), V), K, V

    def in_a_list(x, W_Q, W_K, W_V, K, V):
        """Returns a list, with a mask that hides nothing."""
        K, V = torch.cat([K, x @ W_K], -2), torch.cat([V, x @ W_V], -2)
        t = K.shape[-2]
        last_row = torch.ones(t, t, dtype=torch.bool).tril()[-1:]
        scores = (x @ W_Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(~last_row, -math.inf)
        return [scores.softmax(-1) @ V, K, V]


EXERCISE = Exercise(
    id="attention_step",
    oracle=correct,
    hint="x makes three rows: a query, a key and a value. The key goes below K, the value below V. "
    "Then the query attends to all rows, the new one included. Return the output, K and V.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    forbids=("attention",),
)
