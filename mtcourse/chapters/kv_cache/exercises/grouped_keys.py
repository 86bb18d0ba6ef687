"""The exercise ``grouped_keys``: heads that share keys and values (chapter 14)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Two heads and one group by hand; groups of two and three, one group, as many as heads."""
    by_hand = (
        draw.tensor([[[1.0]], [[0.0]], [[1.0]], [[0.0]]]),
        draw.tensor([[[0.0], [math.log(3)]], [[math.log(3)], [0.0]]]),
        draw.tensor([[[4.0], [8.0]], [[12.0], [20.0]]]),
    )
    return [
        Case("4 heads in 2 groups, d_k = 1", by_hand, by_hand=True),
        Case("6 heads in 2 groups", _drawn(draw, (), 6, 2, 3, 5, 4)),
        Case("6 heads in 3 groups, 2 sentences", _drawn(draw, (2,), 6, 3, 1, 7, 4)),
        Case("4 heads in one group", _drawn(draw, (), 4, 1, 3, 6, 5)),
        Case("4 heads in 4 groups", _drawn(draw, (2,), 4, 4, 2, 3, 3)),
        Case("one head", _drawn(draw, (), 1, 1, 2, 5, 4)),
        Case("8 heads in 4 groups, 2 sentences of 2", _drawn(draw, (2, 2), 8, 4, 2, 4, 2)),
        Case("9 heads in 3 groups, 3 queries", _drawn(draw, (), 9, 3, 3, 3, 3)),
    ]


def _drawn(draw, batch, h, G, n, m, d_k):
    """Queries of h heads; keys and values of G groups."""
    return (
        draw.normal(*batch, h, n, d_k, scale=1.5),
        draw.normal(*batch, G, m, d_k),
        draw.normal(*batch, G, m, d_k),
    )


def _attended(Q, K, V, divisor=None):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return scores.softmax(-1) @ V


def _for_each_head(K, h):
    """The keys of each head's group, once for each head."""
    return K.repeat_interleave(h // K.shape[-3], dim=-3)


def correct(Q, K, V):
    """Repeats each group for its heads, which are neighbours."""
    return _with(Q, K, V)


def _with(Q, K, V, of_keys=_for_each_head, of_values=None, divisor=None):
    h = Q.shape[-3]
    return _attended(Q, of_keys(K, h), (of_values or of_keys)(V, h), divisor)


def _in_turns(K, h):
    return torch.cat([K] * (h // K.shape[-3]), dim=-3)


def _chosen(index_of):
    """Gives head j the keys of group index_of(j, h, G)."""

    def of_heads(K, h):
        G = K.shape[-3]
        return K[..., [index_of(j, h, G) for j in range(h)], :, :]

    return of_heads


def _weighed(Q, K, V, weigh):
    K, V = (_for_each_head(x, Q.shape[-3]) for x in (K, V))
    return weigh(Q @ K.mT / math.sqrt(K.shape[-1])) @ V


class Wrong:
    """What learners write, the more particular before the more general."""

    def groups_in_turns(Q, K, V):
        """Your heads take the groups in turns: head j uses group j mod G. Heads of a group should
        be neighbours.

        `repeat` puts copies of the whole behind each other. Which function repeats each group by
        itself?
        """
        return _with(Q, K, V, _in_turns)

    def groups_in_turns_without_a_batch(Q, K, V):
        """Your heads take the groups in turns: head j uses group j mod G. And your `repeat` knows
        three dimensions only.

        `repeat` puts copies of the whole behind each other. Which function repeats each group by
        itself, along a dimension that you count from the end?
        """
        repeats = Q.shape[-3] // K.shape[-3]
        return _attended(Q, K.repeat(repeats, 1, 1), V.repeat(repeats, 1, 1))

    def keys_in_turns(Q, K, V):
        """Your values are shared rightly, but your heads take the keys of the groups in turns.

        Head j has keys and values of the same group.
        """
        return _with(Q, K, V, _in_turns, _for_each_head)

    def values_in_turns(Q, K, V):
        """Your keys are shared rightly, but your heads take the values of the groups in turns.

        Head j has keys and values of the same group.
        """
        return _with(Q, K, V, _for_each_head, _in_turns)

    def first_group_for_all(Q, K, V):
        """All heads use the keys and values of the first group.

        Which group does head j belong to? There are h / G heads in each.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: 0))

    def last_group_for_all(Q, K, V):
        """All heads use the keys and values of the last group.

        Which group does head j belong to? There are h / G heads in each.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: G - 1))

    def groups_backwards(Q, K, V):
        """Your first heads use the last group: the groups are in reverse order.

        Heads 0 to h/G − 1 belong to group 0.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: G - 1 - j * G // h))

    def groups_of_G_heads(Q, K, V):
        """You give each group G heads. There are G groups, and each has h / G heads.

        6 heads in 2 groups: how many heads has a group?
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: j // G))

    def groups_of_G_heads_in_turns(Q, K, V):
        """You count G heads to a group, and begin again when the groups are used up.

        6 heads in 2 groups: how many heads has a group?
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: j // G % G))

    def head_number_for_group(Q, K, V):
        """Head j looks for group j in yours, and there are fewer groups than heads.

        Heads 0 to h/G − 1 belong to group 0.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: j))

    def one_head_late(Q, K, V):
        """Your groups begin one head too late: you counted the heads from 1 in one place and from 0
        in another.

        Heads 0 to h/G − 1 belong to group 0.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: max(j - 1, 0) * G // h))

    def one_head_early(Q, K, V):
        """Your groups begin one head too early: you counted the heads from 1 in one place and from
        0 in another.

        Heads 0 to h/G − 1 belong to group 0.
        """
        return _with(Q, K, V, _chosen(lambda j, h, G: min((j + 1) * G // h, G - 1)))

    def groups_averaged(Q, K, V):
        """All heads use the mean of all groups.

        Each group has its own keys and values, for its own heads.
        """
        return _with(Q, K, V, lambda K, h: K.mean(-3, keepdim=True))

    def groups_summed(Q, K, V):
        """All heads use the sum of all groups.

        Each group has its own keys and values, for its own heads.
        """
        return _with(Q, K, V, lambda K, h: K.sum(-3, keepdim=True))

    def one_head_for_each_group(Q, K, V):
        """You return G heads: those with the first query of each group.

        All h heads keep their own queries. Only keys and values are shared.
        """
        h, G = Q.shape[-3], K.shape[-3]
        return _attended(Q[..., :: h // G, :, :], K, V)

    def first_G_heads(Q, K, V):
        """You return the first G heads, each with a group of its own.

        All h heads keep their own queries. Only keys and values are shared.
        """
        return _attended(Q[..., : K.shape[-3], :, :], K, V)

    def groups_begin_at_G(Q, K, V):
        """You look for the heads of group g from head g · G on. They begin at head g · (h/G).

        8 heads in 4 groups: which heads belong to group 1?
        """
        h, G = Q.shape[-3], K.shape[-3]
        heads = [g * G + j for g in range(G) for j in range(h // G)]
        return correct(Q[..., heads, :, :], K, V)

    def queries_averaged(Q, K, V):
        """You took the mean of the queries in each group, so there are only G heads left.

        All h heads keep their own queries. Only keys and values are shared.
        """
        return _attended(Q.unflatten(-3, (K.shape[-3], -1)).mean(-3), K, V)

    def queries_summed(Q, K, V):
        """You added up the queries in each group, so there are only G heads left.

        All h heads keep their own queries. Only keys and values are shared.
        """
        return _attended(Q.unflatten(-3, (K.shape[-3], -1)).sum(-3), K, V)

    def loop_over_groups(Q, K, V):
        """You return the right outputs of the first G heads, and not those of the others.

        How often should a loop over the heads run?
        """
        return correct(Q, K, V)[..., : K.shape[-3], :, :]

    def queries_shared(Q, K, V):
        """All heads of a group have the same output: you took the mean of their queries, or of
        their scores.

        All h heads keep their own queries. Only keys and values are shared.
        """
        h, G = Q.shape[-3], K.shape[-3]
        mean = Q.unflatten(-3, (G, -1)).mean(-3)
        return _with(_for_each_head(mean, h), K, V)

    def first_query_shared(Q, K, V):
        """All heads of a group have the output of its first head.

        All h heads keep their own queries. Only keys and values are shared.
        """
        h, G = Q.shape[-3], K.shape[-3]
        return _with(_for_each_head(Q[..., :: h // G, :, :], h), K, V)

    def outputs_averaged(Q, K, V):
        """You took the mean of the outputs in each group, so there are only G heads left.

        Return the output of each of the h heads.
        """
        return correct(Q, K, V).unflatten(-3, (K.shape[-3], -1)).mean(-3)

    def groups_kept_apart(Q, K, V):
        """The numbers are right, but groups and the heads in them have a dimension each.

        Return (…, h, n, d_k). `flatten` merges two dimensions.
        """
        return correct(Q, K, V).unflatten(-3, (K.shape[-3], -1))

    def heads_out_of_order(Q, K, V):
        """Each head has the right output, but the heads come back in another order: first one of
        each group, then the next of each.

        The result has the heads in the order of Q. Which two dimensions do you flatten, and in
        which order?
        """
        return correct(Q, K, V).unflatten(-3, (K.shape[-3], -1)).transpose(-4, -3).flatten(-4, -3)

    def merged(Q, K, V):
        """The numbers are right, but you merged the heads into rows.

        Return (…, h, n, d_k): each head by itself.
        """
        return correct(Q, K, V).transpose(-3, -2).flatten(-2)

    def not_scaled(Q, K, V):
        """You did not divide the scores.

        By the root of which width should you divide them?
        """
        return _with(Q, K, V, divisor=1.0)

    def divided_by_d_k(Q, K, V):
        """You divided the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _with(Q, K, V, divisor=K.shape[-1])

    def divided_by_the_width_of_all_heads(Q, K, V):
        """You divided the scores by √(h d_k), the root of the width of all heads together.

        How many products does a score of *one* head add up?
        """
        return _with(Q, K, V, divisor=math.sqrt(Q.shape[-3] * K.shape[-1]))

    def divided_by_the_root_of_h(Q, K, V):
        """You divided the scores by √h, the root of the number of heads.

        How many products does a score of *one* head add up?
        """
        return _with(Q, K, V, divisor=math.sqrt(Q.shape[-3]))

    def divided_by_the_width_of_all_groups(Q, K, V):
        """You divided the scores by √(G d_k), the root of the width of all groups together.

        How many products does a score of *one* head add up?
        """
        return _with(Q, K, V, divisor=math.sqrt(K.shape[-3] * K.shape[-1]))

    def divided_by_the_width_of_a_group(Q, K, V):
        """You divided the scores by the root of (h/G) d_k, the width of all heads in a group.

        How many products does a score of *one* head add up?
        """
        width = Q.shape[-3] // K.shape[-3] * K.shape[-1]
        return _with(Q, K, V, divisor=math.sqrt(width))

    def outputs_scaled(Q, K, V):
        """You divided by √d_k after the softmax, not before: the outputs are too small.

        What is divided by √d_k: the scores, the weights, or the outputs?
        """
        return _with(Q, K, V, divisor=1.0) / math.sqrt(K.shape[-1])

    def softmax_over_queries(Q, K, V):
        """Your softmax runs over the queries. Each query should divide a weight of 1 among the
        keys.

        Along which dimension of the scores do the keys lie?
        """
        return _weighed(Q, K, V, lambda S: S.softmax(-2))

    def softmax_over_heads(Q, K, V):
        """Your softmax runs over the heads, so that they compete for each key.

        Each head has a softmax of its own, over the keys.
        """
        return _weighed(Q, K, V, lambda S: S.softmax(-3))

    def weights_averaged_in_a_group(Q, K, V):
        """All heads of a group have the same output: you took the mean of their weights.

        Each head has weights of its own, from its own queries. Only keys and values are shared.
        """
        h, G = Q.shape[-3], K.shape[-3]

        def weigh(S):
            return _for_each_head(S.softmax(-1).unflatten(-3, (G, -1)).mean(-3), h)

        return _weighed(Q, K, V, weigh)

    def softmax_over_a_whole_group(Q, K, V):
        """The heads of a group share one softmax in yours: all their weights together sum to 1.

        Each head has a softmax of its own, over the keys.
        """
        h, G = Q.shape[-3], K.shape[-3]

        def weigh(S):
            S = S.unflatten(-3, (G, -1)).movedim(-3, -2)
            w = S.flatten(-2).softmax(-1).unflatten(-1, (h // G, -1))
            return w.movedim(-2, -3).flatten(-4, -3)

        return _weighed(Q, K, V, weigh)

    def no_softmax(Q, K, V):
        """The softmax is missing: you used the scores themselves as weights.

        The weights of a query sum to 1, and none of them is negative.
        """
        return _weighed(Q, K, V, lambda S: S)

    def weights_for_outputs(Q, K, V):
        """You return the weights. The weighted means of the values are asked for.

        One more product is missing: the weights times the values.
        """
        K = _for_each_head(K, Q.shape[-3])
        return (Q @ K.mT / math.sqrt(K.shape[-1])).softmax(-1)

    def keys_for_values(Q, K, V):
        """You return weighted means of the keys. The values are not used.

        What do the weights take a mean of?
        """
        return _with(Q, K, K)

    def causal(Q, K, V):
        """You hide later keys. Here every query may attend to all m keys.

        Leave out the mask.
        """
        return _weighed(Q, K, V, lambda S: S.masked_fill(
            torch.ones(S.shape[-2:], dtype=torch.bool).triu(1), -math.inf).softmax(-1))  # fmt: skip

    def every_head_has_a_group(Q, K, V):
        """Your shapes fit only where there are as many groups as heads, or a single group.

        Scores need keys for each head: repeat each group h / G times, or give Q a dimension for the
        groups.
        """
        return _attended(Q, K, V)

    def groups_at_the_first_dimension(Q, K, V):
        """You repeat along dimension 0. That is the groups' dimension only if nothing stands in
        front.

        Count from the end: in (…, G, m, d_k), the groups lie along dimension −3.
        """
        repeats = Q.shape[-3] // K.shape[-3]
        return _attended(Q, K.repeat_interleave(repeats, 0), V.repeat_interleave(repeats, 0))

    def groups_at_the_second_dimension(Q, K, V):
        """You repeat along dimension 1. That is the groups' dimension only if one dimension stands
        in front.

        Count from the end: in (…, G, m, d_k), the groups lie along dimension −3.
        """
        repeats = Q.shape[-3] // K.shape[-3]
        return _attended(Q, K.repeat_interleave(repeats, 1), V.repeat_interleave(repeats, 1))

    def softmax_over_the_second_dimension(Q, K, V):
        """Your softmax runs over dimension 1. According to how many dimensions stand in front,
        these are the queries, the heads or sentences.

        Along which dimension of the scores do the keys lie, counted from the end?
        """
        return _weighed(Q, K, V, lambda S: S.softmax(1))

    def divided_by_the_root_of_the_length(Q, K, V):
        """You divided the scores by the root of the number of keys.

        How many products does *one* score add up?
        """
        return _with(Q, K, V, divisor=math.sqrt(K.shape[-2]))

    def weights_too(Q, K, V):
        """You return the weights, too. Only the outputs are asked for.

        Return one tensor, (…, h, n, d_k).
        """
        return correct(Q, K, V), Wrong.weights_for_outputs(Q, K, V)

    def groups_in_turns_out_of_order(Q, K, V):
        """Your heads take the groups in turns, and come back in another order: first those of group
        0, then those of group 1.

        Heads of a group are neighbours in Q already. In which order do you split h into groups and
        heads of a group?
        """
        taken = Wrong.groups_in_turns(Q, K, V)
        return taken.unflatten(-3, (-1, K.shape[-3])).transpose(-4, -3).flatten(-4, -3)

    def heads_counted_from_the_front(Q, K, V):
        """Your function looks for the heads in dimension 1. They stand there only behind one
        leading dimension, such as that of a batch.

        Count from the end: in (…, h, n, d_k), the heads lie along dimension −3.
        """
        repeats = Q.shape[1] // K.shape[1]
        return _attended(Q, K.repeat_interleave(repeats, 1), V.repeat_interleave(repeats, 1))

    def groups_in_turns_of_a_batch(Q, K, V):
        """Your heads take the groups in turns: head j uses group j mod G. And your `repeat` knows
        four dimensions only.

        `repeat` puts copies of the whole behind each other. Which function repeats each group by
        itself, along a dimension that you count from the end?
        """
        repeats = Q.shape[-3] // K.shape[-3]
        return _attended(Q, K.repeat(1, repeats, 1, 1), V.repeat(1, repeats, 1, 1))


class Right:
    """Right answers, written differently."""

    def with_a_loop(Q, K, V):
        """One head at a time."""
        h, G = Q.shape[-3], K.shape[-3]
        outputs = []
        for j in range(h):
            g = j // (h // G)
            scores = Q[..., j, :, :] @ K[..., g, :, :].transpose(-1, -2) / K.shape[-1] ** 0.5
            outputs.append(torch.softmax(scores, dim=-1) @ V[..., g, :, :])
        return torch.stack(outputs, dim=-3)

    def with_a_dimension_for_groups(Q, K, V):
        """Gives Q a dimension for the groups, and lets broadcasting share."""
        grouped = Q.unflatten(-3, (K.shape[-3], Q.shape[-3] // K.shape[-3]))
        return _attended(grouped, K.unsqueeze(-3), V.unsqueeze(-3)).flatten(-4, -3)

    def with_expand(Q, K, V):
        """Expands each group, and copies nothing until the reshape."""
        repeats = Q.shape[-3] // K.shape[-3]

        def shared(x):
            *batch, G, m, d_k = x.shape
            return x[..., None, :, :].expand(*batch, G, repeats, m, d_k).reshape(*batch, -1, m, d_k)

        return _attended(Q, shared(K), shared(V))

    def with_einsum(Q, K, V):
        """Names the dimensions: g for groups, r for the heads in one."""
        Q = Q.unflatten(-3, (K.shape[-3], -1))
        scores = torch.einsum("...grqd,...gkd->...grqk", Q, K) / math.sqrt(K.shape[-1])
        return torch.einsum("...grqk,...gkd->...grqd", scores.softmax(-1), V).flatten(-4, -3)

    def queries_of_a_group_as_rows(Q, K, V):
        """The queries of all heads of a group below each other, in one product."""
        h, n = Q.shape[-3], Q.shape[-2]
        rows = Q.unflatten(-3, (K.shape[-3], -1)).flatten(-3, -2)
        A = _attended(rows, K, V)
        return A.unflatten(-2, (h // K.shape[-3], n)).flatten(-4, -3)

    def by_an_index(Q, K, V):
        """A list of groups, one for each head."""
        h, G = Q.shape[-3], K.shape[-3]
        group = torch.arange(h) * G // h
        return _attended(Q, K[..., group, :, :], V[..., group, :, :])


EXERCISE = Exercise(
    id="grouped_keys",
    oracle=correct,
    hint="Write the shapes: Q (…, h, n, d_k), K and V (…, G, m, d_k), scores (…, h, n, m). Head j, "
    "counted from 0, reads the keys and values of group j // (h / G), and keeps its own queries.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("attention",),
)
