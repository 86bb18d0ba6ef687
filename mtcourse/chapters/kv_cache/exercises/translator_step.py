"""The exercise ``translator_step``: a cached layer for all beams (C11, A25 to A27; chapter 14)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A first step, single beams, beams with a mask of ancestors, and a mask of any pairs."""
    ones = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    by_hand = (
        draw.tensor([[[1.0, 0.0]]]),
        draw.tensor([[math.log(3), 0.0], [0.0, 1.0]]),
        ones,
        draw.tensor([[8.0, 0.0], [0.0, 8.0]]),
        draw.tensor([[1.0, 1.0], [0.0, 2.0]]),
        2,
        draw.tensor([[[[0.0]], [[0.0]]]]),
        draw.tensor([[[[4.0]], [[6.0]]]]),
        torch.ones(1, 1, 2, dtype=torch.bool),
    )
    return [
        Case("1 cached position, 2 heads of width 1", by_hand, by_hand=True),
        Case("the first step: an empty cache", _drawn(draw, 2, 1, 0, 5, 6, 2)),
        Case("one beam, 4 cached positions", _drawn(draw, 3, 1, 4, 7, 6, 3)),
        Case("one head, 2 beams", _drawn(draw, 2, 2, 4, 4, 4, 1)),
        Case("3 beams, 6 cached columns, 2 heads", _drawn(draw, 2, 3, 6, 5, 8, 2)),
        Case("as many sentences as heads", _drawn(draw, 3, 2, 5, 6, 6, 3)),
        Case("as many beams as heads", _drawn(draw, 2, 4, 8, 9, 8, 4)),
        Case("a mask that allows new columns of others, too", _with_any_pairs(draw)),
    ]


def _drawn(draw, batch, m, t, width, d, h):
    """New rows, four matrices, a cache, and which column is in the past of which beam."""
    matrices = (draw.normal(width, d, scale=1.4 / math.sqrt(width)) for _ in range(3))
    W_O = draw.normal(d, width, scale=1 / math.sqrt(d))
    cached = (draw.normal(batch, h, t, d // h) for _ in range(2))
    past = draw.booleans(batch, m, t, share=0.6)
    past[:, :, :1] = True
    mask = torch.cat([past, torch.eye(m, dtype=torch.bool).expand(batch, m, m)], -1)
    if m == 1:
        mask = torch.ones_like(mask)
    return (draw.normal(batch, m, width), *matrices, W_O, h, *cached, mask)


def _with_any_pairs(draw):
    """The same with new columns that are allowed, or hidden, whosesoever they are."""
    *others, mask = _drawn(draw, 2, 3, 4, 5, 6, 2)
    mask[..., 4:] = torch.tensor([[0, 1, 0], [1, 1, 1], [1, 0, 0]]) == 1
    return (*others, mask)


def _cut(x, h):
    return x.unflatten(-1, (h, -1)).transpose(1, 2)


def _reshaped(x, h):
    return x.reshape(x.shape[0], h, x.shape[1], -1)


def _joined(A):
    return A.transpose(1, 2).flatten(2)


def _grown(X, W_K, W_V, h, K, V, cut=_cut, dim=2):
    return torch.cat([K, cut(X @ W_K, h)], dim), torch.cat([V, cut(X @ W_V, h)], dim)


def _attended(Q, K, V, mask, divisor=None, fill=-math.inf, weigh=None):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    scores = scores.masked_fill(~mask[:, None], fill)
    return (scores.softmax(-1) if weigh is None else weigh(scores, mask[:, None])) @ V


def correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
    """Appends the new keys and values of all heads, and attends as the mask allows."""
    return _with(X, W_Q, W_K, W_V, W_O, h, K, V, mask)


def _with(X, W_Q, W_K, W_V, W_O, h, K, V, mask, cut=_cut, joined=_joined, dim=2, **other):
    K, V = _grown(X, W_K, W_V, h, K, V, cut, dim)
    return joined(_attended(cut(X @ W_Q, h), K, V, mask, **other)) @ W_O, K, V


class Wrong:
    """What learners write, the more particular before the more general."""

    def cut_without_transpose(*given):
        """You split the rows by a reshape alone, so that a head holds numbers of only some beams,
        not a slice of each.

        Split each row into h slices first: (batch, m, h, d_k). Then swap m and h.
        """
        return _with(*given, cut=_reshaped)

    def joined_without_transpose(*given):
        """Your heads are right, but you merged them in the wrong order, by a reshape alone.

        A is (batch, h, m, d_k). In each row, the h slices of *one* beam should stand side by side.
        """
        return _with(*given, joined=lambda A: A.reshape(len(A), A.shape[2], -1))

    def never_transposed(*given):
        """You split and merged by reshapes alone, so that a head holds numbers of only some beams,
        not a slice of each.

        Swap m and h both times: after the split, and before you merge the heads.
        """
        return _with(
            *given, cut=_reshaped, joined=lambda A: A.reshape(len(A), A.shape[2], -1)
        )  # fmt: skip

    def columns_interleaved(*given):
        """You gave head j every h-th column, starting with j. Its columns should be neighbours.

        Into which two sizes do you split the width, and in which order do they stand?
        """
        return _with(*given, cut=lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, 1))

    def cache_not_grown(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You return K and V as they came, without the new columns.

        The next step needs the keys and values of these tokens, too.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask)[0], K, V

    def only_the_new(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """As K and V you return only those of the new tokens.

        Return all of them, old and new: the next step reads them.
        """
        A, K, V = correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask)
        return A, K[:, :, -X.shape[1] :], V[:, :, -X.shape[1] :]

    def cache_of_whole_rows(*given):
        """You return K and V with the heads merged.

        K and V come in as (batch, h, t, d_k), and go out as (batch, h, t + m, d_k).
        """
        A, K, V = correct(*given)
        return A, _joined(K), _joined(V)

    def new_in_front(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You put the new columns in front of the old ones. They belong at the end, where the mask
        expects them.

        `torch.cat` keeps the order of its list.
        """
        new_K, new_V = _cut(X @ W_K, h), _cut(X @ W_V, h)
        K, V = torch.cat([new_K, K], 2), torch.cat([new_V, V], 2)
        return _joined(_attended(_cut(X @ W_Q, h), K, V, mask)) @ W_O, K, V

    def new_in_front_after_attending(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """In the K and V that you return, the new columns stand in front of the old ones.

        The next mask expects the columns in the order in which they were written.
        """
        A = correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask)[0]
        return A, torch.cat([_cut(X @ W_K, h), K], 2), torch.cat([_cut(X @ W_V, h), V], 2)

    def old_alone(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Your new tokens attend to the old columns alone. Each should see its own column as well.

        What comes first: appending or attending?
        """
        A = _attended(_cut(X @ W_Q, h), K, V, mask[..., : K.shape[2]])
        return _joined(A) @ W_O, *_grown(X, W_K, W_V, h, K, V)

    def new_alone(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Your new tokens attend to the new columns alone: the cache makes no difference to the
        output.

        The queries should meet all keys, cached and new.
        """
        new_K, new_V = _cut(X @ W_K, h), _cut(X @ W_V, h)
        A = _attended(_cut(X @ W_Q, h), new_K, new_V, mask[..., K.shape[2] :])
        return _joined(A) @ W_O, *_grown(X, W_K, W_V, h, K, V)

    def cache_ignored(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You ignore the cache: output, K and V are those of the new tokens by themselves.

        Append the new keys and values to K and V, and attend to all of them.
        """
        empty = K[:, :, :0], V[:, :, :0]
        return correct(X, W_Q, W_K, W_V, W_O, h, *empty, mask[..., K.shape[2] :])

    def mask_ignored(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You ignored the mask: each beam reads the past of all other beams.

        Where the mask is False, the score must become minus infinity.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, torch.ones_like(mask))

    def mask_for_the_cache_alone(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use the mask for the old columns, and let each beam see the new columns of all beams.

        The mask has t + m columns. The last m say which new column is whose.
        """
        seen = mask.clone()
        seen[..., K.shape[2] :] = True
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def mask_for_the_new_alone(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use the mask for the new columns, and let each beam see the whole cache.

        The mask has t + m columns. The first t say which old column is in whose past.
        """
        seen = mask.clone()
        seen[..., : K.shape[2]] = True
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def new_ones_causal(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You let each beam see the new columns of the beams before it, as if the new tokens were
        one text.

        They stand side by side at the same position. The mask alone says what is hidden.
        """
        seen, m = mask.clone(), X.shape[1]
        seen[..., K.shape[2] :] = torch.ones(m, m, dtype=torch.bool).tril()
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def own_column_alone(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Among the new columns, each token sees its own and no other in yours, whatever the mask
        says.

        The mask has t + m columns, and it alone says what is hidden.
        """
        seen, m = mask.clone(), X.shape[1]
        seen[..., K.shape[2] :] = torch.eye(m, dtype=torch.bool)
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def itself_always(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Each token sees its own column in yours, even where the mask hides it.

        The mask has t + m columns, and it alone says what is hidden.
        """
        seen, m = mask.clone(), X.shape[1]
        seen[..., K.shape[2] :] |= torch.eye(m, dtype=torch.bool)
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def causal_too(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You added a causal mask to the given one: a token does not see new columns behind its
        own, even where the mask allows them.

        The new tokens stand side by side at the same position, so none of them is later. The mask
        alone says what is hidden.
        """
        causal = torch.ones(mask.shape[1:], dtype=torch.bool).tril(K.shape[2])
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask & causal)

    def causal_instead(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use a causal mask in place of the given one. For it, all columns would be one text.

        Use the mask that is given: it knows the ancestors of each beam.
        """
        m, t = X.shape[1], K.shape[2]
        causal = torch.ones(m, t + m, dtype=torch.bool).tril(t).expand_as(mask)
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, causal)

    def top_left(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use a causal mask that begins at the top left, in place of the given one.

        Use the mask that is given: it knows the ancestors of each beam.
        """
        seen = torch.ones(mask.shape[1:], dtype=torch.bool).tril().expand_as(mask)
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, seen)

    def mask_of_the_first_beam(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use the mask of the first beam for all beams of a sentence.

        Each beam has ancestors of its own.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask[:, :1].expand_as(mask))

    def mask_of_the_last_beam(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use the mask of the last beam for all beams of a sentence.

        Each beam has ancestors of its own.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask[:, -1:].expand_as(mask))

    def mask_of_the_first_sentence(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You use the mask of the first sentence for all sentences.

        Each sentence has beams of its own.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask[:1].expand_as(mask))

    def mask_turned_round(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You hid what may be seen, and showed what is hidden, so some rows became NaN.

        The mask is True where a beam *may* attend. `masked_fill` fills where *its* mask is True.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, ~mask)

    def mask_turned_round_by_a_large_number(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You hid what may be seen, and showed what is hidden, with a large negative number.

        The mask is True where a beam *may* attend. `masked_fill` fills where *its* mask is True.
        """
        return _with(X, W_Q, W_K, W_V, W_O, h, K, V, ~mask, fill=-1e9)

    def mask_over_heads(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Your mask has no dimension for the heads, so its sentences were taken for heads.

        Scores are (batch, h, m, t + m), the mask (batch, m, t + m). Where does a dimension of size
        1 belong?
        """
        K, V = _grown(X, W_K, W_V, h, K, V)
        scores = _cut(X @ W_Q, h) @ K.mT / math.sqrt(K.shape[-1])
        weights = scores.masked_fill(~mask, -math.inf).softmax(-1)
        return _joined(weights @ V) @ W_O, K, V

    def hidden_scores_0(*given):
        """You gave hidden columns the score 0. They still get a weight, since e⁰ is 1.

        Which score has the exponential 0?
        """
        return _with(*given, fill=0.0)

    def hidden_weights_0(*given):
        """You set hidden weights to 0 after the softmax, so the weights of a row sum to less than
        1.

        Hide the scores, before the softmax.
        """
        X, W_Q, W_K, W_V, W_O, h, K, V, mask = given
        K, V = _grown(X, W_K, W_V, h, K, V)
        scores = _cut(X @ W_Q, h) @ K.mT / math.sqrt(K.shape[-1])
        return _joined((scores.softmax(-1) * mask[:, None]) @ V) @ W_O, K, V

    def mask_added(*given):
        """Your mask raises allowed scores by only 1 compared with hidden ones, so hidden columns
        still get a weight.

        Where the mask is False, the score must become minus infinity.
        """
        X, W_Q, W_K, W_V, W_O, h, K, V, mask = given
        K, V = _grown(X, W_K, W_V, h, K, V)
        scores = _cut(X @ W_Q, h) @ K.mT / math.sqrt(K.shape[-1])
        return _joined((scores + mask[:, None]).softmax(-1) @ V) @ W_O, K, V

    def output_scaled(*given):
        """You divided by √d_k after the softmax, not before: the output is too small.

        What is divided by √d_k: the scores, the weights, or the output?
        """
        A, K, V = _with(*given, divisor=1.0)
        return A / math.sqrt(K.shape[-1]), K, V

    def divided_by_the_root_of_d(X, W_Q, W_K, W_V, W_O, h, *others):
        """You divided the scores by √d, the root of the width of all heads together.

        How many products does a score of *one* head add up?
        """
        return _with(X, W_Q, W_K, W_V, W_O, h, *others, divisor=math.sqrt(W_K.shape[1]))

    def divided_by_the_root_of_the_width(X, W_Q, W_K, W_V, W_O, h, *others):
        """You divided the scores by the root of the width of X.

        How many products does a score of *one* head add up?
        """
        return _with(X, W_Q, W_K, W_V, W_O, h, *others, divisor=math.sqrt(X.shape[-1]))

    def divided_by_d_k(X, W_Q, W_K, W_V, W_O, h, *others):
        """You divided the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _with(X, W_Q, W_K, W_V, W_O, h, *others, divisor=W_K.shape[1] / h)

    def divided_by_the_root_of_h(X, W_Q, W_K, W_V, W_O, h, *others):
        """You divided the scores by √h, the root of the number of heads.

        How many products does a score of *one* head add up?
        """
        return _with(X, W_Q, W_K, W_V, W_O, h, *others, divisor=math.sqrt(h))

    def not_scaled(*given):
        """You did not divide the scores.

        By the root of which width should you divide them?
        """
        return _with(*given, divisor=1.0)

    def softmax_over_beams(*given):
        """Your softmax runs over the beams: each column of weights sums to 1. Each row should.

        Each beam divides a weight of 1 among its columns. Along which dimension do they lie?
        """
        return _with(*given, weigh=lambda S, seen: S.softmax(-2).nan_to_num())

    def softmax_over_beams_with_nan(*given):
        """Your softmax runs over the beams, and a column that no beam may see becomes NaN.

        Each beam divides a weight of 1 among its columns. Along which dimension do they lie?
        """
        return _with(*given, weigh=lambda S, seen: S.softmax(-2))

    def softmax_over_heads(*given):
        """Your softmax runs over the heads, so that they compete for each column.

        Heads work separately. Within a head, each row sums to 1.
        """
        return _with(*given, weigh=lambda S, seen: S.softmax(1).nan_to_num())

    def no_softmax(*given):
        """The softmax is missing: you used the scores themselves as weights.

        The weights of a query sum to 1, and none of them is negative.
        """
        return _with(*given, weigh=lambda S, seen: S.masked_fill(~seen, 0.0))

    def not_mixed(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """You put the heads side by side, but you never used W_O.

        What mixes the heads?
        """
        W_O = torch.eye(len(W_O), dtype=W_O.dtype)
        return correct(X, W_Q, W_K, W_V, W_O, h, K, V, mask)

    def residual(X, *others):
        """You added X to the output. The layer around this one does that already.

        The output is Concat(A₁, …, A_h) W_O, and nothing else.
        """
        A, K, V = correct(X, *others)
        return X + A, K, V

    def first_head_for_all(*given):
        """All your heads use the weights of the first.

        Each head has its own scores, from its own slices of Q and K.
        """
        return _with(*given, weigh=lambda S, seen: S[:, :1].softmax(-1))

    def one_head_of_all(X, W_Q, W_K, W_V, W_O, h, *others):
        """You computed a single attention of the whole width, with scores divided by √d.

        Each head has its own scores, from its own slices of Q and K, and its own softmax.
        """

        def weigh(S, seen):
            total = S.sum(1, keepdim=True) / math.sqrt(W_K.shape[1])
            return total.softmax(-1).expand_as(S)

        return _with(X, W_Q, W_K, W_V, W_O, h, *others, divisor=1.0, weigh=weigh)

    def scores_summed_over_heads(*given):
        """Your heads share one matrix of weights: each of its scores is the sum of all heads'
        scores.

        Each head has its own scores, from its own slices of Q and K, and its own softmax.
        """
        return _with(*given, weigh=lambda S, seen: S.sum(1, keepdim=True).softmax(-1).expand_as(S))

    def query_for_key(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """The new columns of K are queries: you made them with W_Q.

        Which matrix makes keys?
        """
        return correct(X, W_Q, W_Q, W_V, W_O, h, K, V, mask)

    def key_for_value(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """The new columns of V are keys: you made them with W_K.

        Which matrix makes values?
        """
        return correct(X, W_Q, W_K, W_K, W_O, h, K, V, mask)

    def keys_and_values_exchanged(*given):
        """You return K and V in the wrong order.

        The question names the output first, then the keys, then the values.
        """
        A, K, V = correct(*given)
        return A, V, K

    def output_alone(*given):
        """You return only the output. The grown K and V are asked for, too.

        The next step cannot know the new keys and values unless you return them.
        """
        return correct(*given)[0]

    def output_last(*given):
        """You return the right things, with the output at the end.

        The question names the output first, then the keys, then the values.
        """
        A, K, V = correct(*given)
        return K, V, A

    def softmax_over_beams_of_large_numbers(*given):
        """Your softmax runs over the beams, and a column that no beam may see is divided equally
        among them.

        Each beam divides a weight of 1 among its columns. Along which dimension do they lie?
        """
        return _with(*given, fill=-1e9, weigh=lambda S, seen: S.softmax(-2))

    def softmax_over_heads_with_nan(*given):
        """Your softmax runs over the heads, and a hidden column becomes NaN, since all heads hide
        it.

        Heads work separately. Within a head, each row sums to 1.
        """
        return _with(*given, weigh=lambda S, seen: S.softmax(1))

    def softmax_over_heads_of_large_numbers(*given):
        """Your softmax runs over the heads, and a hidden column is divided equally among them.

        Heads work separately. Within a head, each row sums to 1.
        """
        return _with(*given, fill=-1e9, weigh=lambda S, seen: S.softmax(1))

    def columns_interleaved_both_times(*given):
        """You gave head j every h-th column, starting with j, and merged the heads in the same way.
        The columns of a head should be neighbours, as in the K and V that you are given.

        Into which two sizes do you split the width, and in which order do they stand?
        """
        return _with(
            *given,
            cut=lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, 1),
            joined=lambda A: A.movedim(1, -1).flatten(2),
        )

    def cache_of_rows_first(*given):
        """In the K and V that you return, the columns stand in front of the heads.

        K and V come in as (batch, h, t, d_k), and go out as (batch, h, t + m, d_k).
        """
        A, K, V = correct(*given)
        return A, K.transpose(1, 2), V.transpose(1, 2)

    def weights_averaged_over_heads(*given):
        """All your heads use the same weights: the mean over the heads.

        Each head has its own scores and weights. Only W_O mixes the heads.
        """
        return _with(
            *given, weigh=lambda S, seen: S.softmax(-1).mean(1, keepdim=True).expand_as(S)
        )  # fmt: skip

    def masks_in_turns(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Your heads take the masks of the sentences in turns, so a head gets the mask of another
        sentence.

        All heads of a sentence have its mask. `repeat` puts copies of the whole behind each other.
        """
        seen = mask.repeat(h, 1, 1).unflatten(0, (-1, h))
        K, V = _grown(X, W_K, W_V, h, K, V)
        scores = _cut(X @ W_Q, h) @ K.mT / math.sqrt(K.shape[-1])
        return _joined(scores.masked_fill(~seen, -math.inf).softmax(-1) @ V) @ W_O, K, V


class Right:
    """Right answers, written differently."""

    def one_head_at_a_time(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """A loop over slices of the weights."""
        outputs, keys, values = [], [], []
        for j, (of_q, of_k, of_v) in enumerate(
            zip(W_Q.chunk(h, 1), W_K.chunk(h, 1), W_V.chunk(h, 1), strict=True)
        ):
            keys.append(torch.cat([K[:, j], X @ of_k], 1))
            values.append(torch.cat([V[:, j], X @ of_v], 1))
            scores = X @ of_q @ keys[-1].transpose(1, 2) / of_k.shape[1] ** 0.5
            outputs.append(scores.masked_fill(~mask, -math.inf).softmax(-1) @ values[-1])
        return torch.cat(outputs, -1) @ W_O, torch.stack(keys, 1), torch.stack(values, 1)

    def into_spare_room(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Makes room first, and writes into it."""
        (batch, m, _), d, t = X.shape, W_K.shape[1], K.shape[2]
        room_K, room_V = K.new_zeros(2, batch, h, t + m, d // h)
        for room, old, W in ((room_K, K, W_K), (room_V, V, W_V)):
            room[:, :, :t] = old
            room[:, :, t:] = (X @ W).reshape(batch, m, h, d // h).transpose(1, 2)
        Q = (X @ W_Q).reshape(batch, m, h, d // h).transpose(1, 2)
        scores = torch.where(mask[:, None], Q @ room_K.mT / math.sqrt(d // h), -math.inf)
        A = torch.softmax(scores, -1) @ room_V
        return A.transpose(1, 2).reshape(batch, m, d) @ W_O, room_K, room_V

    def with_einsum(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Names the dimensions."""
        Q, new_K, new_V = ((X @ W).unflatten(-1, (h, -1)) for W in (W_Q, W_K, W_V))
        K = torch.cat([K, new_K.movedim(1, 2)], 2)
        V = torch.cat([V, new_V.movedim(1, 2)], 2)
        scores = torch.einsum("bmhd,bhkd->bhmk", Q / math.sqrt(Q.shape[-1]), K)
        e = (scores - scores.amax(-1, keepdim=True)).exp() * mask.unsqueeze(1).to(X.dtype)
        A = torch.einsum("bhmk,bhkd->bmhd", e / e.sum(-1, keepdim=True), V)
        return A.flatten(2) @ W_O, K, V

    def old_and_new_apart(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Scores of old and new columns, put together before the softmax."""
        q, k, v = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
        scores = torch.cat([q @ K.mT, q @ k.mT], -1) / math.sqrt(q.shape[-1])
        w = scores.masked_fill(mask.logical_not().unsqueeze(1), -math.inf).softmax(-1)
        t = K.shape[2]
        A = w[..., :t] @ V + w[..., t:] @ v
        return _joined(A) @ W_O, torch.cat([K, k], 2), torch.cat([V, v], 2)

    def all_products_in_one(X, W_Q, W_K, W_V, W_O, h, K, V, mask):
        """Three matrices side by side, and an additive mask; returns a list."""
        parts = X @ torch.cat([W_Q, W_K, W_V], 1)
        Q, new_K, new_V = (_cut(part, h) for part in parts.chunk(3, -1))
        K, V = torch.cat([K, new_K], 2), torch.cat([V, new_V], 2)
        hidden = torch.zeros(mask.shape, dtype=X.dtype).masked_fill(~mask, -math.inf)
        scores = Q @ K.mT / math.sqrt(K.shape[-1]) + hidden[:, None]
        return [_joined(scores.softmax(-1) @ V) @ W_O, K, V]


EXERCISE = Exercise(
    id="translator_step",
    oracle=correct,
    hint="Write the shapes: X (batch, m, width); Q and the new keys and values (batch, h, m, "
    "d_k); K and V, grown, (batch, h, t + m, d_k); scores (batch, h, m, t + m), the mask without "
    "heads. Then merge the heads and multiply by W_O.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    forbids=("attention", "multi-head attention"),
)
