"""The exercise ``encoder_gradient``: what the encoder learns by (B17, A23; chapter 11)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """One head and several, padding, as many queries as keys, as many heads as queries."""

    def drawn(h, m, n, d_k, real):
        d = h * d_k
        parts = [draw.normal(h, rows, d_k) for rows in (m, m, n, n)]
        return *parts, draw.normal(d, d), draw.normal(d, d), torch.tensor(real)

    def rows(values):
        return draw.tensor([values])

    by_hand = (
        rows([[1.0, 0.0]]),
        rows([[2 * math.log(3), 0.0]]) / math.sqrt(2),
        rows([[1.0, 0.0], [0.0, 2.0]]),
        rows([[4.0, 0.0], [0.0, 8.0]]),
        draw.tensor([[1.0, 1.0], [0.0, 2.0]]),
        draw.tensor([[2.0, 0.0], [1.0, 1.0]]),
        torch.tensor([True, True]),
    )
    return [
        Case("1 head, 1 query, 2 keys", by_hand, by_hand=True),
        Case("B's 2 heads, 6 queries, 8 keys", drawn(2, 6, 8, 2, [*7 * [True], False])),
        Case(
            "3 heads of width 2, padding in the middle",
            drawn(3, 4, 5, 2, [True, True, False, True, True]),
        ),
        Case("as many queries as keys", drawn(2, 4, 4, 3, [True, True, True, False])),
        Case("as many heads as tokens", drawn(3, 3, 3, 3, [True, True, True])),
        Case("1 head, all seen", drawn(1, 3, 5, 4, 5 * [True])),
        Case("1 query", drawn(2, 1, 4, 2, [True, False, True, True])),
    ]


def correct(heads_bar, Q, K, V, W_K, W_V, real):
    """Back through the weighted mean and the softmax, then through both projections."""
    return _back(heads_bar, Q, K, V, W_K, W_V, real)


def _weights(Q, K, real, divisor=None, dim=-1):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return scores.masked_fill(~real, -math.inf).softmax(dim)


def _merged(x):
    return x.transpose(0, 1).flatten(1)


def _softmax_bar(P, P_bar):
    return P * (P_bar - (P * P_bar).sum(-1, keepdim=True))


def _back(
    heads_bar, Q, K, V, W_K, W_V, real,
    P=None, back=_softmax_bar, divisor=None, merged=_merged, keys=True, values=True,
):  # fmt: skip
    """The gradient with other weights, another way back through the softmax, or other parts."""
    P = _weights(Q, K, real) if P is None else P
    V_bar = P.mT @ heads_bar
    scores_bar = back(P, heads_bar @ V.mT)
    K_bar = scores_bar.mT @ Q / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return keys * merged(K_bar) @ W_K.T + values * merged(V_bar) @ W_V.T


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_V(heads_bar, Q, K, V, W_K, W_V, real):
        """The gradient is right, but your function changes V.

        Compute a new tensor instead of writing into an argument.
        """
        found = correct(heads_bar, Q, K, V, W_K, W_V, real)
        V *= 2
        return found

    def values_alone(*given):
        """You went back through the values only. The encoder's rows also make the keys.

        X_encoder is used twice in cross-attention. What happens to its two gradients?
        """
        return _back(*given, keys=False)

    def keys_alone(*given):
        """You went back through the keys only. The encoder's rows also make the values.

        X_encoder is used twice in cross-attention. What happens to its two gradients?
        """
        return _back(*given, values=False)

    def averaged(*given):
        """You averaged the gradients of keys and values. Add them.

        If X_encoder changes, the loss changes through both.
        """
        return correct(*given) / 2

    def subtracted(heads_bar, Q, K, V, W_K, W_V, real):
        """You subtracted one of the two gradients from the other, or one has the wrong sign.

        If X_encoder changes, the loss changes through both. What happens to two gradients?
        """
        return _back(heads_bar, Q, K, V, -W_K, W_V, real)

    def matrices_exchanged(heads_bar, Q, K, V, W_K, W_V, real):
        """You went back from the keys through W_V and from the values through W_K.

        K = X_encoder W_K. Which matrix belongs to K_bar?
        """
        return _back(heads_bar, Q, K, V, W_V, W_K, real)

    def not_transposed(heads_bar, Q, K, V, W_K, W_V, real):
        """You went back through W_K and W_V themselves, not through their transposes. They are
        square, so it runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ. A head has its own *columns* of W.
        """
        return _back(heads_bar, Q, K, V, W_K.T, W_V.T, real)

    def W_K_not_transposed(heads_bar, Q, K, V, W_K, W_V, real):
        """You did not transpose W_K. It is square, so it runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back(heads_bar, Q, K, V, W_K.T, W_V, real)

    def W_V_not_transposed(heads_bar, Q, K, V, W_K, W_V, real):
        """You did not transpose W_V. It is square, so it runs.

        For Y = X W, the gradient of X is Y_bar Wᵀ.
        """
        return _back(heads_bar, Q, K, V, W_K, W_V.T, real)

    def not_scaled(*given):
        """The gradient of the keys is not divided by √d_k.

        The scores are divided on the way forward. What does this do to the way back?
        """
        return _back(*given, divisor=1.0)

    def scaled_by_d_k(heads_bar, Q, K, V, W_K, W_V, real):
        """You divided the gradient of the keys by d_k. Divide it by its root.

        The way back has the same factor as the way forward.
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, divisor=K.shape[-1])

    def scaled_by_d_k_both_ways(heads_bar, Q, K, V, W_K, W_V, real):
        """You divided by d_k on the way forward and on the way back. Divide by its root.

        By what are the scores divided?
        """
        d_k = K.shape[-1]
        P = _weights(Q, K, real, divisor=d_k)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P, divisor=d_k)

    def scaled_by_the_width(heads_bar, Q, K, V, W_K, W_V, real):
        """On the way back you divided by the root of the width of all heads together.

        The way back has the same factor as the way forward: how wide is *one* head?
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, divisor=math.sqrt(len(W_K)))

    def scaled_by_the_width_both_ways(heads_bar, Q, K, V, W_K, W_V, real):
        """You divided the scores by the root of the width of all heads together, both ways.

        How many products does a score of *one* head add up?
        """
        root = math.sqrt(len(W_K))
        P = _weights(Q, K, real, divisor=root)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P, divisor=root)

    def not_scaled_both_ways(heads_bar, Q, K, V, W_K, W_V, real):
        """You forgot √d_k on the way forward and on the way back.

        By what are the scores divided?
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, _weights(Q, K, real, 1.0), divisor=1.0)

    def weights_not_scaled(heads_bar, Q, K, V, W_K, W_V, real):
        """You computed the weights without dividing the scores by √d_k.

        The way back needs the weights of the way forward.
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, _weights(Q, K, real, 1.0))

    def multiplied_by_the_root(heads_bar, Q, K, V, W_K, W_V, real):
        """You multiplied the gradient of the keys by √d_k.

        The scores are divided on the way forward. The way back has the same factor.
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, divisor=1 / math.sqrt(K.shape[-1]))

    def mask_ignored(heads_bar, Q, K, V, W_K, W_V, real):
        """You let padding get a weight, so its row gets a gradient.

        What score does a key get that must not be seen?
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, torch.ones_like(real))

    def mask_after_the_softmax(heads_bar, Q, K, V, W_K, W_V, real):
        """You set the weights of padding to 0 after the softmax, so the others sum to less than 1.

        Hide the scores, before the softmax.
        """
        P = _weights(Q, K, torch.ones_like(real)) * real
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P)

    def mask_at_the_end(heads_bar, Q, K, V, W_K, W_V, real):
        """You ignored the mask on the way forward, and set the rows of padding to 0 at the end.

        The other tokens have larger weights if padding has none. Hide the scores.
        """
        found = correct(heads_bar, Q, K, V, W_K, W_V, torch.ones_like(real))
        return found * real[:, None]

    def mask_turned_round(heads_bar, Q, K, V, W_K, W_V, real):
        """You hid the words and let padding be seen.

        `real` is True for words. `masked_fill` fills where *its* mask is True.
        """
        scores = (Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(real, -1e9)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, scores.softmax(-1))

    def mask_turned_round_with_infinity(heads_bar, Q, K, V, W_K, W_V, real):
        """You hid the words, so that without padding nothing could be seen, and NaN came out.

        `real` is True for words. `masked_fill` fills where *its* mask is True.
        """
        return correct(heads_bar, Q, K, V, W_K, W_V, ~real)

    def softmax_over_queries(heads_bar, Q, K, V, W_K, W_V, real):
        """Your softmax runs over the queries.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        P = (Q @ K.mT / math.sqrt(K.shape[-1])).softmax(-2) * real
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P)

    def softmax_over_queries_with_padding(heads_bar, Q, K, V, W_K, W_V, real):
        """Your softmax runs over the queries, so every query gives padding the same weight.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        scores = (Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(~real, -1e9)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, scores.softmax(-2))

    def no_softmax_back(*given):
        """You went back past the softmax, as if its derivative were 1.

        Which row of numbers comes out of the softmax, and how does each depend on all scores?
        """
        return _back(*given, back=lambda P, P_bar: P_bar)

    def only_times_weights(*given):
        """On the way back through the softmax you multiplied by the weights, and did no more.

        If one score rises, all other weights fall. What is subtracted?
        """
        return _back(*given, back=lambda P, P_bar: P * P_bar)

    def diagonal_only(*given):
        """Your derivative of the softmax is P (1 − P): only how each weight depends on its own
        score.

        If one score rises, all other weights fall, too.
        """
        return _back(*given, back=lambda P, P_bar: P * (1 - P) * P_bar)

    def centre_without_weights(*given):
        """On the way back through the softmax you subtracted the plain mean of a row.

        The mean has the weights P. And the difference is multiplied by P, too.
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar - P_bar.mean(-1, keepdim=True)))

    def weights_forgotten_outside(*given):
        """On the way back through the softmax, the factor P in front is missing.

        The gradient of the scores is P (P_bar − …). A weight of 0 gets nothing.
        """
        return _back(*given, back=lambda P, P_bar: P_bar - (P * P_bar).sum(-1, keepdim=True))

    def softmax_sum_added(*given):
        """On the way back through the softmax you added the row's mean. Subtract it.

        If one score rises, the other weights fall.
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar + (P * P_bar).sum(-1, keepdim=True)))

    def summed_over_queries(*given):
        """On the way back through the softmax you summed over the queries. Each row is a softmax of
        its own.

        Along which dimension do the weights sum to 1?
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar - (P * P_bar).sum(-2, keepdim=True)))

    def merged_by_reshape(heads_bar, Q, K, V, W_K, W_V, real):
        """You merged the heads by a reshape alone, so that a row holds numbers of several tokens.

        K_bar is (h, n, d_k). Which two dimensions must change places before the heads stand side by
        side?
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, merged=lambda x: x.reshape(x.shape[1], -1))

    def first_head_for_all(heads_bar, Q, K, V, W_K, W_V, real):
        """You used the first head in place of all the others.

        Each head has its own gradient, in its own columns.
        """
        first = [x[:1].expand_as(x) for x in (heads_bar, Q, K, V)]
        return _back(*first, W_K, W_V, real)

    def heads_summed(heads_bar, Q, K, V, W_K, W_V, real):
        """You added the heads up, and went back through the first columns of W_K and W_V alone.

        Each head has its own columns. Put the heads side by side.
        """
        d_k = K.shape[-1]

        def merged(x):
            return x.sum(0)

        first = W_K[:, :d_k], W_V[:, :d_k]
        return _back(heads_bar, Q, K, V, *first, real, merged=merged)

    def heads_in_reverse(heads_bar, Q, K, V, W_K, W_V, real):
        """The heads stand in reverse order when you merge them.

        Head 0 has the first columns.
        """
        return _back(heads_bar, Q, K, V, W_K, W_V, real, merged=lambda x: _merged(x.flip(0)))

    def columns_interleaved(heads_bar, Q, K, V, W_K, W_V, real):
        """You merged the heads column by column: first column 0 of every head, then column 1.

        The columns of one head stand side by side.
        """

        def merged(x):
            return x.permute(1, 2, 0).flatten(1)

        return _back(heads_bar, Q, K, V, W_K, W_V, real, merged=merged)

    def of_the_queries(heads_bar, Q, K, V, W_K, W_V, real):
        """You returned what goes back through the queries: a row for each token of the decoder.

        The queries come from the decoder. What is made from the encoder's rows?
        """
        P = _weights(Q, K, real)
        Q_bar = _softmax_bar(P, heads_bar @ V.mT) @ K / math.sqrt(K.shape[-1])
        return _merged(Q_bar) @ W_K.T

    def keys_from_keys(heads_bar, Q, K, V, W_K, W_V, real):
        """You computed the gradient of the keys from the keys. It needs the queries.

        Scores are Q Kᵀ. By what is a key multiplied there?
        """
        if Q.shape != K.shape:
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")
        P = _weights(Q, K, real)
        K_bar = _softmax_bar(P, heads_bar @ V.mT).mT @ K / math.sqrt(K.shape[-1])
        return _merged(K_bar) @ W_K.T + _merged(P.mT @ heads_bar) @ W_V.T

    def weights_back_from_values(heads_bar, Q, K, V, W_K, W_V, real):
        """For the gradient of the weights you multiplied by the keys. The weights multiply the
        values.

        head = P V. What is the gradient of P?
        """
        P = _weights(Q, K, real)
        K_bar = _softmax_bar(P, heads_bar @ K.mT).mT @ Q / math.sqrt(K.shape[-1])
        return _merged(K_bar) @ W_K.T + _merged(P.mT @ heads_bar) @ W_V.T

    def stops_at_K_and_V(heads_bar, Q, K, V, W_K, W_V, real):
        """You stopped at K and V: you added their gradients without going back through W_K and W_V.

        K = X_encoder W_K, and V = X_encoder W_V.
        """
        one = torch.eye(len(W_K), dtype=W_K.dtype)
        return _back(heads_bar, Q, K, V, one, one, real)

    def two_gradients(heads_bar, Q, K, V, W_K, W_V, real):
        """You return two gradients, one through the keys and one through the values. X_encoder is
        one matrix.

        What happens to the gradients of a matrix that is used twice?
        """
        given = heads_bar, Q, K, V, W_K, W_V, real
        return _back(*given, values=False), _back(*given, keys=False)

    def a_row_for_each_head(heads_bar, Q, K, V, W_K, W_V, real):
        """You return a matrix for each head. All heads read the same rows of the encoder.

        What happens to the gradients of something that is used several times?
        """
        P = _weights(Q, K, real)
        K_bar = _softmax_bar(P, heads_bar @ V.mT).mT @ Q / math.sqrt(K.shape[-1])
        own = (
            W_K.reshape(len(W_K), len(Q), -1).movedim(1, 0),
            W_V.reshape(len(W_V), len(Q), -1).movedim(1, 0),
        )
        return K_bar @ own[0].mT + P.mT @ heads_bar @ own[1].mT

    def plain_sum(*given):
        """On the way back through the softmax you subtracted the sum of P_bar over the row.

        The sum has the weights P.
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar - P_bar.sum(-1, keepdim=True)))

    def only_the_sum(*given):
        """On the way back through the softmax, only the part that is subtracted is left.

        In each row, how does a weight depend on its *own* score?
        """
        return _back(*given, back=lambda P, P_bar: -P * (P * P_bar).sum(-1, keepdim=True))

    def softmax_of_the_gradient(*given):
        """You took a softmax of the gradient. The way back needs the softmax's derivative.

        With the weights P: how does each weight of a row depend on all scores?
        """
        return _back(*given, back=lambda P, P_bar: P_bar.softmax(-1))

    def values_with_scale(heads_bar, Q, K, V, W_K, W_V, real):
        """You divided the gradient of the values by √d_k, too.

        Which product is divided on the way forward?
        """
        return _back(heads_bar, Q, K, V, W_K, W_V / math.sqrt(K.shape[-1]), real)

    def hidden_scores_0(heads_bar, Q, K, V, W_K, W_V, real):
        """You gave padding the score 0. It still gets a weight, since e⁰ is 1.

        Which score has the exponential 0?
        """
        P = (Q @ K.mT / math.sqrt(K.shape[-1]) * real).softmax(-1)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P)

    def multiplied_together(heads_bar, Q, K, V, W_K, W_V, real):
        """You multiplied the gradients that come through keys and values.

        X_encoder is used twice. What happens to the two gradients?
        """
        given = heads_bar, Q, K, V, W_K, W_V, real
        return _back(*given, values=False) * _back(*given, keys=False)

    def first_head_alone(heads_bar, Q, K, V, W_K, W_V, real):
        """Only the first head's part is in your result.

        Is there a `return` inside your loop over the heads? The parts of all heads are added.
        """
        only = torch.zeros_like(heads_bar)
        only[0] = heads_bar[0]
        return _back(only, Q, K, V, W_K, W_V, real)

    def last_head_alone(heads_bar, Q, K, V, W_K, W_V, real):
        """Only the last head's part is in your result.

        Does your loop over the heads overwrite what the heads before have given? The parts of all
        heads are added.
        """
        only = torch.zeros_like(heads_bar)
        only[-1] = heads_bar[-1]
        return _back(only, Q, K, V, W_K, W_V, real)

    def softmax_over_queries_with_infinity(heads_bar, Q, K, V, W_K, W_V, real):
        """Your softmax runs over the queries. Where a token is padding, it then finds nothing but
        −∞, and NaN comes out.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        P = _weights(Q, K, real, dim=-2)
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P)

    def softmax_over_queries_both_ways(heads_bar, Q, K, V, W_K, W_V, real):
        """Your softmax runs over the queries, on the way forward and on the way back.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """

        def back(P, P_bar):
            return P * (P_bar - (P * P_bar).sum(-2, keepdim=True))

        P = (Q @ K.mT / math.sqrt(K.shape[-1])).softmax(-2) * real
        return _back(heads_bar, Q, K, V, W_K, W_V, real, P, back)

    def weights_forgotten_and_padding_hidden(heads_bar, Q, K, V, W_K, W_V, real):
        """On the way back through the softmax, the factor P in front is missing, and you set the
        padding to 0 instead.

        The gradient of the scores is P (P_bar − …). What does a small weight do to it?
        """

        def back(P, P_bar):
            return (P_bar - (P * P_bar).sum(-1, keepdim=True)) * real

        return _back(heads_bar, Q, K, V, W_K, W_V, real, back=back)

    def mean_for_sum(*given):
        """On the way back through the softmax you subtracted the *mean* of P P_bar over a row.

        The weights P already make a mean of the sum. By what did you divide it once more?
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar - (P * P_bar).mean(-1, keepdim=True)))

    def put_side_by_side(heads_bar, Q, K, V, W_K, W_V, real):
        """You put the gradient through the keys and the one through the values side by side.

        X_encoder is used twice. What happens to its two gradients, which have the same shape?
        """
        given = heads_bar, Q, K, V, W_K, W_V, real
        return torch.cat([_back(*given, values=False), _back(*given, keys=False)], dim=-1)

    def padding_rows_missing(heads_bar, Q, K, V, W_K, W_V, real):
        """Your result has no rows for padding. X_encoder has a row for each token.

        Padding gets no weight. What is the gradient of its row then?
        """
        return correct(heads_bar, Q, K, V, W_K, W_V, real)[real]

    def nan_everywhere(heads_bar, Q, K, V, W_K, W_V, real):
        """Your result is NaN on every input, even where no token is padding.

        Do you make the mask by multiplying with −∞? 0 · (−∞) is NaN. Fill with `masked_fill` or
        choose with `torch.where`.
        """
        return torch.full((K.shape[1], len(W_K)), math.nan, dtype=K.dtype)

    def summed_over_everything(*given):
        """On the way back through the softmax you summed over all rows at once, and all heads with
        them. Each row is a softmax of its own.

        Which dimension, and which `keepdim`, does your sum need?
        """
        return _back(*given, back=lambda P, P_bar: P * (P_bar - (P * P_bar).sum()))

    def values_subtracted(heads_bar, Q, K, V, W_K, W_V, real):
        """You subtracted the gradient through the values from that through the keys, or the former
        has the wrong sign.

        If X_encoder changes, the loss changes through both. What happens to two gradients?
        """
        return _back(heads_bar, Q, K, V, W_K, -W_V, real)


class Right:
    """Right answers, written differently."""

    def step_by_step(heads_bar, Q, K, V, W_K, W_V, real):
        """The walk back, with a name for each matrix."""
        d_k = Q.size(-1)
        scores = torch.einsum("hik,hjk->hij", Q, K) / d_k**0.5
        scores[:, :, ~real] = -torch.inf
        P = torch.softmax(scores, dim=2)
        V_bar = torch.einsum("hij,hik->hjk", P, heads_bar)
        P_bar = torch.einsum("hik,hjk->hij", heads_bar, V)
        S_bar = P * P_bar - P * (P * P_bar).sum(dim=2, keepdim=True)
        K_bar = torch.einsum("hij,hik->hjk", S_bar, Q) / d_k**0.5
        K_bar, V_bar = (torch.cat(list(x), dim=-1) for x in (K_bar, V_bar))
        return K_bar @ W_K.T + V_bar @ W_V.T

    def head_by_head(heads_bar, Q, K, V, W_K, W_V, real):
        """Each head with its own columns of both matrices."""
        X_bar, d_k = torch.zeros(K.shape[1], len(W_K), dtype=K.dtype), Q.shape[-1]
        for j in range(len(Q)):
            own = slice(j * d_k, (j + 1) * d_k)
            P = (Q[j] @ K[j].T / math.sqrt(d_k)).masked_fill(~real[None], -math.inf).softmax(-1)
            P_bar = heads_bar[j] @ V[j].T
            S_bar = P * (P_bar - (P * P_bar).sum(-1, keepdim=True))
            X_bar = X_bar + S_bar.T @ Q[j] / math.sqrt(d_k) @ W_K[:, own].T
            X_bar = X_bar + P.T @ heads_bar[j] @ W_V[:, own].T
        return X_bar

    def with_jacobians(heads_bar, Q, K, V, W_K, W_V, real):
        """The softmax's Jacobian of each row."""
        P = _weights(Q, K, real)
        J = torch.diag_embed(P) - P[..., :, None] * P[..., None, :]
        S_bar = (J @ (heads_bar @ V.mT)[..., None]).squeeze(-1)
        K_bar = S_bar.mT @ (Q / math.sqrt(Q.shape[-1]))
        return _merged(K_bar) @ W_K.T + _merged(P.mT @ heads_bar) @ W_V.T

    def side_by_side(heads_bar, Q, K, V, W_K, W_V, real):
        """One product with both matrices stacked."""
        P = _weights(Q, K, real)
        output = P @ V
        centred = heads_bar @ V.mT - (heads_bar * output).sum(-1, keepdim=True)
        K_bar = (P * centred).mT @ Q * Q.shape[-1] ** -0.5
        both = torch.cat([_merged(K_bar), _merged(P.mT @ heads_bar)], dim=-1)
        return both @ torch.cat([W_K, W_V], dim=-1).T

    def only_real_tokens(heads_bar, Q, K, V, W_K, W_V, real):
        """Leaves padding out, and gives it rows of 0."""
        found = torch.zeros(K.shape[1], len(W_K), dtype=K.dtype)
        K, V = K[:, real], V[:, real]
        P = torch.softmax(Q @ K.mT / math.sqrt(K.shape[-1]), -1)
        S_bar = _softmax_bar(P, heads_bar @ V.mT)
        K_bar = S_bar.mT @ Q / math.sqrt(K.shape[-1])
        found[real] = _merged(K_bar) @ W_K.mT + _merged(P.mT @ heads_bar) @ W_V.mT
        return found


EXERCISE = Exercise(
    id="encoder_gradient",
    oracle=correct,
    hint="Forward, in each head: S = Q Kᵀ / √d_k, P = softmax(S), head = P V. Back: V_bar, P_bar, "
    "S_bar, K_bar. Merge the heads, then go back through W_V and W_K, and add.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    tolerance=1e-4,
    forbids=("gradients",),
)
