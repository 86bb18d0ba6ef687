"""The exercise ``multi_head_attention``: heads share the width (A25 to A27, B06; chapter 9)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows to check by hand, both masks, a batch, as many sentences as heads."""
    X = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    W_Q = draw.tensor([[math.log(3), 0.0], [0.0, 0.0]])
    ones, twos = draw.tensor([[1.0, 0.0], [0.0, 1.0]]), draw.tensor([[8.0, 0.0], [0.0, 8.0]])
    everything = torch.ones(2, 2, dtype=torch.bool)
    by_hand = (X, W_Q, ones, twos, draw.tensor([[1.0, 1.0], [0.0, 2.0]]), 2, everything)
    return [
        Case("2 tokens, 2 heads of width 1", by_hand, by_hand=True),
        Case("a single token", _drawn(draw, (), 1, 4, 4, 2)),
        Case("one head", _drawn(draw, (), 3, 4, 4, 1)),
        Case("4 tokens, 2 heads, later ones hidden", _drawn(draw, (), 4, 5, 6, 2, causal=True)),
        Case("6 tokens, 3 heads of width 2", _drawn(draw, (), 6, 6, 6, 3)),
        Case("2 sentences, padded, 3 heads", _drawn(draw, (2,), 5, 4, 6, 3, lengths=[5, 3])),
        Case("as many sentences as heads", _drawn(draw, (2,), 4, 6, 4, 2, lengths=[2, 4])),
        Case("a mask without a pattern", _masked_by(draw, (), _ANY[0])),
        Case("2 sentences, masks without a pattern", _masked_by(draw, (2,), _ANY)),
    ]


_ANY = [
    [[False, True, True], [True, False, False], [True, True, False]],
    [[True, False, False], [False, False, True], [False, True, True]],
]


def _masked_by(draw, batch, mask):
    *given, _ = _drawn(draw, batch, 3, 4, 6, 2)
    return *given, torch.tensor(mask)


def _drawn(draw, batch, n, width, d, h, causal=False, lengths=None):
    """Rows, four matrices, and which token may attend to which."""
    allowed = torch.ones(*batch, n, n, dtype=torch.bool)
    allowed = allowed.tril() if causal else allowed
    if lengths is not None:
        allowed = allowed & (torch.arange(n) < torch.tensor(lengths)[:, None])[:, None, :]
    W_QKV = (draw.normal(width, d, scale=1.3 / math.sqrt(width)) for _ in range(3))
    W_O = draw.normal(d, width, scale=1 / math.sqrt(d))
    return (draw.normal(*batch, n, width), *W_QKV, W_O, h, allowed)


def _cut(x, h):
    return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(-3, -2)


def _reshaped(x, h):
    return x.reshape(*x.shape[:-2], h, x.shape[-2], -1)


def _joined(A):
    return A.transpose(-3, -2).flatten(-2)


def _joined_by_reshape(A):
    return A.reshape(*A.shape[:-3], A.shape[-2], -1)


def _weights(Q, K, mask, divisor=None, dim=-1):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    hidden = ~mask.unsqueeze(-3)
    return torch.softmax(scores.masked_fill(hidden, -math.inf), dim=dim)


def _other(X, W_Q, W_K, W_V, W_O, h, mask, divisor=None, hide=None, weigh=None, joined=_joined):
    """Multi-head attention with another way to hide pairs, to weigh them, or to merge heads."""
    Q, K, V = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    allowed = mask.unsqueeze(-3)
    hidden = scores.masked_fill(~allowed, -math.inf) if hide is None else hide(scores, allowed)
    weights = hidden.softmax(-1) if weigh is None else weigh(hidden, allowed)
    return joined(weights @ V) @ W_O


def _hides_by_a_large_number(scores, allowed):
    return scores.masked_fill(~allowed, -1e9)


def _divided_by(root_of):
    """Divides the scores by another number, which depends on X, W_Q and h."""

    def run(X, W_Q, *others):
        return _other(X, W_Q, *others, divisor=root_of(X, W_Q, others[3]))

    return run


def correct(X, W_Q, W_K, W_V, W_O, h, mask):
    """Split, attend, merge, mix."""
    return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None)


def _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, divisor, cut=_cut, joined=_joined):
    Q, K, V = (cut(X @ W, h) for W in (W_Q, W_K, W_V))
    return joined(_weights(Q, K, mask, divisor) @ V) @ W_O


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_X(X, W_Q, W_K, W_V, W_O, h, mask):
        """The outputs are right, but your function changes X.

        Do not write into an argument.
        """
        out = correct(X, W_Q, W_K, W_V, W_O, h, mask)
        X *= 2
        return out

    def nothing_to_learn_by(X, W_Q, W_K, W_V, W_O, h, mask):
        """The outputs are right, but gradients do not flow back to all arguments.

        Where did you detach or copy a tensor?
        """
        return correct(X, W_Q, W_K.detach(), W_V, W_O, h, mask)

    def cut_without_transpose(X, W_Q, W_K, W_V, W_O, h, mask):
        """You split the rows by a reshape alone, so that a head holds numbers of only some tokens,
        not a slice of each.

        Split each row into h slices first: (…, n, h, d_k). Then swap n and h.
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None, _reshaped)

    def joined_without_transpose(X, W_Q, W_K, W_V, W_O, h, mask):
        """Your heads are right, but you merged them in the wrong order, by a reshape alone.

        A is (…, h, n, d_k). In each row of Concat, the h slices of *one* token should stand side by
        side.
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None, _cut, _joined_by_reshape)

    def never_transposed(X, W_Q, W_K, W_V, W_O, h, mask):
        """You split and merged by reshapes alone, so that a head holds numbers of only some tokens,
        not a slice of each.

        Swap n and h both times: after the split, and before you merge the heads.
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None, _reshaped, _joined_by_reshape)

    def columns_interleaved(X, W_Q, W_K, W_V, W_O, h, mask):
        """You gave head j every h-th column, starting with j. Its columns should be neighbours.

        Into which two sizes do you split the width, and in which order do they stand?
        """

        def cut(x, h):
            return x.unflatten(-1, (x.shape[-1] // h, h)).movedim(-1, -3)

        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None, cut)

    def divided_by_root_of_d_model(X, W_Q, W_K, W_V, W_O, h, mask):
        """You divided the scores by √d, the root of the width of all heads together.

        How many products does a score of *one* head add up?
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, math.sqrt(W_K.shape[-1]))

    def divided_by_root_of_the_width(X, W_Q, W_K, W_V, W_O, h, mask):
        """You divided the scores by the root of the width of X.

        How many products does a score of *one* head add up?
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, math.sqrt(X.shape[-1]))

    def divided_by_d_k(X, W_Q, W_K, W_V, W_O, h, mask):
        """You divided the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, W_K.shape[-1] / h)

    def not_scaled(X, W_Q, W_K, W_V, W_O, h, mask):
        """You did not divide the scores.

        By the root of which width should you divide them?
        """
        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, 1.0)

    def one_head_of_all(X, W_Q, W_K, W_V, W_O, h, mask):
        """You computed a single attention of the whole width, so that h changes nothing.

        Each head has its own scores, from its own slices of Q and K.
        """
        return correct(X, W_Q, W_K, W_V, W_O, 1, mask)

    def scores_added_over_heads(X, W_Q, W_K, W_V, W_O, h, mask):
        """Your heads share one matrix of weights: you averaged their scores before the softmax.

        Each head has its own softmax.
        """
        Q, K, V = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
        scores = (Q @ K.mT).mean(-3, keepdim=True) / math.sqrt(K.shape[-1])
        return _joined(scores.masked_fill(~mask.unsqueeze(-3), -math.inf).softmax(-1) @ V) @ W_O

    def not_mixed(X, W_Q, W_K, W_V, W_O, h, mask):
        """You put the heads side by side, but you never used W_O.

        What mixes the heads?
        """
        return correct(X, W_Q, W_K, W_V, torch.eye(len(W_O), dtype=W_O.dtype), h, mask)

    def mask_ignored(X, W_Q, W_K, W_V, W_O, h, mask):
        """You ignored the mask. You are right only where every token may attend to every other.

        Where the mask is False, the score must become minus infinity.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, torch.ones_like(mask))

    def mask_turned_round(X, W_Q, W_K, W_V, W_O, h, mask):
        """You hid what may be seen, and showed what is hidden.

        The mask is True where token i *may* attend to token j. `masked_fill` fills where *its* mask
        is True.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, ~mask)

    def mask_over_heads(X, W_Q, W_K, W_V, W_O, h, mask):
        """Your mask has no dimension for the heads, so its sentences were taken for heads.

        Scores are (batch, h, n, n), the mask (batch, n, n). Where does a dimension of size 1
        belong?
        """
        Q, K, V = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
        scores = (Q @ K.mT / math.sqrt(K.shape[-1])).masked_fill(~mask, -math.inf)
        return _joined(scores.softmax(-1) @ V) @ W_O

    def softmax_over_queries(X, W_Q, W_K, W_V, W_O, h, mask):
        """Your softmax runs over the queries: each column of weights sums to 1. Each row should.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        Q, K, V = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
        weights = torch.nan_to_num(_weights(Q, K, mask, dim=-2))
        return _joined(weights @ V) @ W_O

    def divided_by_root_of_a_share_of_X(*given):
        """You divided the scores by √(width / h), where `width` is that of X.

        The heads share the width of Q and K, which need not be that of X.
        """
        return _divided_by(lambda X, W_Q, h: math.sqrt(X.shape[-1] / h))(*given)

    def divided_by_root_of_h(*given):
        """You divided the scores by √h, the root of the number of heads.

        How many products does a score of *one* head add up?
        """
        return _divided_by(lambda X, W_Q, h: math.sqrt(h))(*given)

    def divided_by_root_of_n(*given):
        """You divided the scores by √n, the root of the number of tokens.

        How many products does a score of *one* head add up?
        """
        return _divided_by(lambda X, W_Q, h: math.sqrt(X.shape[-2]))(*given)

    def multiplied_by_root_of_d_k(*given):
        """You multiplied the scores by √d_k. Divide them.

        The more products a score adds up, the more it varies. The division makes up for this.
        """
        return _divided_by(lambda X, W_Q, h: 1 / math.sqrt(W_Q.shape[1] / h))(*given)

    def divided_by_d(*given):
        """You divided the scores by d, the width of all heads together.

        How many products does a score of *one* head add up? Do you divide by this number or by its
        root?
        """
        return _divided_by(lambda X, W_Q, h: W_Q.shape[1])(*given)

    def mask_turned_round_by_a_large_number(*given):
        """You hid what may be seen, and showed what is hidden, with a large negative number.

        The mask is True where token i *may* attend to token j. `masked_fill` fills where *its* mask
        is True.
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(seen, -1e9))

    def mask_transposed(*given):
        """You used the mask transposed: as if True meant that token j may attend to token i.

        Rows of the scores are queries. Which dimension of the mask is i?
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(~seen.mT, -1e9))

    def mask_transposed_with_infinity(*given):
        """You used the mask transposed, so a row in which all is hidden became NaN.

        Rows of the scores are queries. Which dimension of the mask is i?
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(~seen.mT, -math.inf))

    def hidden_scores_0(*given):
        """You gave hidden pairs the score 0. They still get a weight, since e⁰ is 1.

        Which score has the exponential 0?
        """
        return _other(*given, hide=lambda S, seen: S * seen)

    def hidden_weights_0(*given):
        """You set hidden weights to 0 after the softmax, so the weights of a row sum to less than
        1.

        Hide the scores, before the softmax.
        """
        return _other(*given, hide=lambda S, seen: S, weigh=lambda S, seen: S.softmax(-1) * seen)

    def mask_added(*given):
        """Your mask raises allowed scores by only 1 compared with hidden ones, so hidden pairs
        still get a weight.

        Where the mask is False, the score must become minus infinity.
        """
        return _other(*given, hide=lambda S, seen: S + seen)

    def small_number_for_infinity(*given):
        """You gave hidden pairs the score −1. They still get a weight, since e⁻¹ is not 0.

        Where the mask is False, the score must become minus infinity.
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(~seen, -1.0))

    def always_causal(X, W_Q, W_K, W_V, W_O, h, mask):
        """You always hide the later tokens, whatever the mask says.

        Use the mask that is given.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, torch.ones_like(mask).tril())

    def mask_and_causal(X, W_Q, W_K, W_V, W_O, h, mask):
        """You hide the later tokens besides those that the mask hides.

        The mask alone says what is hidden.
        """
        return _other(X, W_Q, W_K, W_V, W_O, h, mask.tril(), hide=_hides_by_a_large_number)

    def mask_and_causal_with_infinity(X, W_Q, W_K, W_V, W_O, h, mask):
        """You hide the later tokens besides those that the mask hides, so a row in which all is
        hidden became NaN.

        The mask alone says what is hidden.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, mask.tril())

    def mask_of_keys_alone(*given):
        """You hide a key from all queries if one of them may not see it.

        The mask has a row of its own for each query.
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(~seen.all(-2, keepdim=True), -1e9))

    def mask_of_keys_alone_with_infinity(X, W_Q, W_K, W_V, W_O, h, mask):
        """You hide a key from all queries if one of them may not see it. Where all keys are hidden,
        the result became NaN.

        The mask has a row of its own for each query.
        """
        seen = mask.all(-2, keepdim=True).expand_as(mask)
        return correct(X, W_Q, W_K, W_V, W_O, h, seen)

    def mask_of_the_last_query(*given):
        """You use the last row of the mask for every query.

        The mask has a row of its own for each query.
        """
        return _other(*given, hide=lambda S, seen: S.masked_fill(~seen[..., -1:, :], -math.inf))

    def mask_of_the_first_sentence(*given):
        """You use the first sentence's mask for the whole batch.

        The mask has the batch in front, as the scores have.
        """

        def hide(S, seen):
            first = seen if seen.dim() == 3 else seen[:1]
            return S.masked_fill(~first, -math.inf)

        return _other(*given, hide=hide)

    def mask_for_one_batch_dimension(X, W_Q, W_K, W_V, W_O, h, mask):
        """You put the mask's dimension for the heads at place 1, counted from the front: right with
        one batch dimension only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        Q, K, V = (_cut(X @ W, h) for W in (W_Q, W_K, W_V))
        scores = Q @ K.mT / math.sqrt(K.shape[-1])
        weights = scores.masked_fill(~mask.unsqueeze(1), -math.inf).softmax(-1)
        return _joined(weights @ V) @ W_O

    def needs_three_dimensions(X, W_Q, W_K, W_V, W_O, h, mask):
        """You take `X.shape` apart into three sizes. X may have two.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        _batch, _n, _width = X.shape
        return correct(X, W_Q, W_K, W_V, W_O, h, mask)

    def needs_two_dimensions(X, W_Q, W_K, W_V, W_O, h, mask):
        """You take `X.shape` apart into two sizes. X may have sentences in front.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        _n, _width = X.shape
        return correct(X, W_Q, W_K, W_V, W_O, h, mask)

    def softmax_over_queries_by_a_large_number(*given):
        """Your softmax runs over the queries, with a large negative number where pairs are hidden:
        each column of weights sums to 1. Each row should.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        return _other(*given, hide=_hides_by_a_large_number, weigh=lambda S, seen: S.softmax(-2))

    def softmax_over_queries_with_nan(*given):
        """Your softmax runs over the queries: each column of weights sums to 1, and one in which
        all is hidden is NaN.

        Each query divides a weight of 1 among the keys. Along which dimension?
        """
        return _other(*given, weigh=lambda S, seen: S.softmax(-2))

    def softmax_over_heads(*given):
        """Your softmax runs over the heads, so that they compete for each pair of tokens.

        Heads work separately. Within a head, each row sums to 1.
        """
        return _other(*given, hide=_hides_by_a_large_number, weigh=lambda S, seen: S.softmax(-3))

    def no_softmax(*given):
        """The softmax is missing: you used the scores themselves as weights.

        The weights of a query sum to 1, and none of them is negative.
        """
        return _other(*given, hide=lambda S, seen: S * seen, weigh=lambda S, seen: S)

    def weights_averaged_over_heads(*given):
        """You averaged the weights of all heads, so that every head uses the same.

        Each head has its own weights, and multiplies its own values by them.
        """
        return _other(*given, weigh=lambda S, seen: S.softmax(-1).mean(-3, keepdim=True))

    def scores_summed_over_heads(*given):
        """Your heads share one matrix of weights: each of its scores is the sum of all heads'
        scores.

        Each head has its own scores, from its own slices of Q and K, and its own softmax.
        """
        return _other(*given, weigh=lambda S, seen: S.sum(-3, keepdim=True).softmax(-1))

    def first_head_for_all(*given):
        """All your heads use the weights of the first.

        Each head has its own scores, from its own slices of Q and K.
        """
        return _other(*given, weigh=lambda S, seen: S[..., :1, :, :].softmax(-1))

    def joined_interleaved(*given):
        """You merged the heads so that they take turns: one number of A₁, one of A₂, and so on.

        Concat puts the whole row of A₁ first, then that of A₂ (A26).
        """
        return _other(*given, joined=lambda A: A.movedim(-3, -1).flatten(-2))

    def joined_backwards(*given):
        """You put the heads side by side in reverse order, so that A₁ meets the last rows of W_O.

        The first d_k rows of W_O belong to A₁.
        """
        return _other(*given, joined=lambda A: _joined(A.flip(-3)))

    def interleaved_both_times(X, W_Q, W_K, W_V, W_O, h, mask):
        """You gave head j every h-th column, and merged the heads in the same way.

        Head j has neighbouring columns, from j · d_k on. Into which two sizes do you split?
        """

        def cut(x, h):
            return x.unflatten(-1, (x.shape[-1] // h, h)).movedim(-1, -3)

        def joined(A):
            return A.movedim(-3, -1).flatten(-2)

        return _with_divisor(X, W_Q, W_K, W_V, W_O, h, mask, None, cut, joined)

    def heads_averaged(*given):
        """You took the mean of the heads, and put it h times side by side.

        Each head meets its own rows of W_O.
        """
        return _other(*given, joined=lambda A: _joined(A.mean(-3, keepdim=True).expand_as(A)))

    def contributions_averaged(X, W_Q, W_K, W_V, W_O, h, mask):
        """Your result is the right one divided by h, as if the heads' contributions were averaged.

        A product of the concatenated row with W_O *adds* the contributions of the heads.
        """
        return correct(X, W_Q, W_K, W_V, W_O, h, mask) / h

    def first_head_alone(*given):
        """Only the first head is in your result.

        Is there a `return` inside the loop? All heads stand side by side before W_O.
        """
        return _other(
            *given, joined=lambda A: _joined(A * (torch.arange(A.shape[-3]) == 0)[:, None, None])
        )

    def last_head_alone(*given):
        """Only the last head is in your result.

        Does each head overwrite the one before? All stand side by side before W_O.
        """
        h = given[5]
        return _other(
            *given, joined=lambda A: _joined(A * (torch.arange(h) == h - 1)[:, None, None])
        )

    def residual(X, W_Q, W_K, W_V, W_O, h, mask):
        """You added X to the result. Multi-head attention by itself has no residual connection.

        MHA(X) is Concat(A₁, …, A_h) W_O, and nothing else.
        """
        return X + correct(X, W_Q, W_K, W_V, W_O, h, mask)

    def values_scaled(X, W_Q, W_K, W_V, W_O, h, mask):
        """You divided by √d_k after the softmax, not before: the result is too small.

        What is divided in A25, the scores or the mean of the values?
        """
        root = math.sqrt(W_V.shape[1] / h)
        return _other(X, W_Q, W_K, W_V, W_O, h, mask, divisor=1.0) / root

    def slices_of_X(X, W_Q, W_K, W_V, W_O, h, mask):
        """You gave each head a slice of X. Every head reads the *whole* rows of X.

        What is split among the heads: X, or what X W_Q, X W_K and X W_V compute?
        """
        parts, d_k = [], W_Q.shape[1] // h
        for j, rows in enumerate(torch.arange(X.shape[-1]).tensor_split(h)):
            Q, K, V = (X[..., rows] @ W[rows, j * d_k : (j + 1) * d_k] for W in (W_Q, W_K, W_V))
            scores = (Q @ K.mT / math.sqrt(d_k)).masked_fill(~mask, -math.inf)
            parts.append(scores.softmax(-1) @ V)
        return torch.cat(parts, -1) @ W_O

    def weights_transposed(*given):
        """You multiplied the values by the transposed weights: by columns, not by rows.

        Row i of the weights says what token i takes from each token j.
        """
        return _other(*given, weigh=lambda S, seen: S.softmax(-1).mT)


class Right:
    """Right answers, written differently."""

    def one_head_at_a_time(X, W_Q, W_K, W_V, W_O, h, mask):
        """A loop over slices of the weights."""
        d_k = W_Q.shape[1] // h
        outputs = []
        for start in range(0, W_Q.shape[1], d_k):
            own = slice(start, start + d_k)
            scores = (X @ W_Q[:, own]) @ (X @ W_K[:, own]).transpose(-1, -2) / d_k**0.5
            outputs.append(scores.masked_fill(~mask, -math.inf).softmax(-1) @ (X @ W_V[:, own]))
        return torch.cat(outputs, -1) @ W_O

    def as_a_sum_over_heads(X, W_Q, W_K, W_V, W_O, h, mask):
        """Multiplies each head by its own rows of W_O, then adds."""
        total = 0
        parts = (W.chunk(h, -1) for W in (W_Q, W_K, W_V))
        for of_q, of_k, of_v, out in zip(*parts, W_O.chunk(h), strict=True):
            scores = X @ of_q @ of_k.T @ X.mT / math.sqrt(of_k.shape[1])
            total = total + torch.where(mask, scores, -math.inf).softmax(-1) @ X @ of_v @ out
        return total

    def with_einsum(X, W_Q, W_K, W_V, W_O, h, mask):
        """Names the dimensions in an einsum; multiplies exponentials by 0 and 1."""
        Q, K, V = ((X @ W).unflatten(-1, (h, -1)) for W in (W_Q, W_K, W_V))
        scores = torch.einsum("...qhd,...khd->...hqk", Q, K) / math.sqrt(Q.shape[-1])
        e = (scores - scores.amax(-1, keepdim=True)).exp() * mask.unsqueeze(-3).to(X.dtype)
        A = torch.einsum("...hqk,...khd->...qhd", e / e.sum(-1, keepdim=True), V)
        return A.flatten(-2) @ W_O

    def all_products_in_one(X, W_Q, W_K, W_V, W_O, h, mask):
        """Three matrices side by side, an additive mask, and a division of the queries."""
        *batch, n, _ = X.shape
        d = W_Q.shape[1]
        parts = (X @ torch.cat([W_Q, W_K, W_V], 1)).reshape(*batch, n, 3, h, d // h)
        Q, K, V = parts.movedim(-3, 0).transpose(-2, -3)
        hidden = torch.zeros(mask.shape, dtype=X.dtype).masked_fill(~mask, -math.inf)
        scores = Q / math.sqrt(d // h) @ K.mT + hidden.unsqueeze(-3)
        return (scores.softmax(-1) @ V).transpose(-2, -3).reshape(*batch, n, d) @ W_O


EXERCISE = Exercise(
    id="multi_head_attention",
    oracle=correct,
    hint="Write the shape after each step: Q, K, V (…, n, d); split (…, h, n, d_k); scores "
    "(…, h, n, n), the mask without heads (…, n, n); outputs (…, h, n, d_k); merged (…, n, d); "
    "mixed by W_O.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
    forbids=("multi-head attention",),
)
