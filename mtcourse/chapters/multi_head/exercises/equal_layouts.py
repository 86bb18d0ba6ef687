"""The exercise ``equal_layouts``: split heads as full-width ones (A24, A27, B06; chapter 9)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers.multi_head import multi_head_attention, split_head_attention


def cases(draw: Draw) -> list[Case]:
    """Matrices of numbers in order, one head, heads of width 1, heads of several columns."""
    in_order = draw.tensor([[1.0, 2.0], [3.0, 4.0]])
    by_hand = (in_order, in_order + 4, in_order + 8, in_order + 12, 2)
    return [
        Case("width 2, 2 heads", by_hand),  # not by_hand=True, which would show the answer
        Case("width 3, one head", _drawn(draw, 3, 1)),
        Case("width 4, 4 heads", _drawn(draw, 4, 4)),
        Case("width 6, 2 heads", _drawn(draw, 6, 2)),
        Case("width 6, 3 heads", _drawn(draw, 6, 3)),
        Case("width 12, 4 heads", _drawn(draw, 12, 4)),
    ]


def _drawn(draw, d, h):
    return (*(draw.normal(d, d) for _ in range(4)), h)


def _own(d, h):
    """(h, d): which columns belong to which head."""
    return torch.arange(d) // (d // h) == torch.arange(h)[:, None]


def _built(W_Q, W_K, W_V, W_O, h, q=None, k=1.0, v=1.0, own=None, rows=None):
    own = _own(len(W_Q), h) if own is None else own
    rows = own[:, :, None] if rows is None else rows
    columns = own[:, None, :]
    q = math.sqrt(h) if q is None else q
    return q * W_Q * columns, k * W_K * columns, v * W_V * columns, (W_O * rows).flatten(0, 1)


def correct(W_Q, W_K, W_V, W_O, h):
    """Zeros outside a head's own columns, and the root of h in W_Q."""
    return _built(W_Q, W_K, W_V, W_O, h)


def _is_four(case, value):
    return isinstance(value, tuple | list) and len(value) == 4


def _has_shapes(case, value):
    W_Q, *_, h = case.arguments
    d = len(W_Q)
    wanted = [(h, d, d)] * 3 + [(h * d, d)]
    return [tuple(part.shape) for part in value] == wanted


def _computes_the_same(case, value):
    *matrices, h = case.arguments
    W_Q, W_K, W_V, W_O = (part.double() for part in matrices)
    X = torch.linspace(-1.0, 1.0, 3 * len(W_Q), dtype=torch.float64).sin().reshape(3, -1)
    full_Q, full_K, full_V, full_O = (part.double() for part in value)
    full = multi_head_attention(X, full_Q, full_K, full_V, full_O)
    difference = full - split_head_attention(X, W_Q, W_K, W_V, W_O, h)
    return difference.abs().max().item() < 1e-4


def _has_zeros(case, value):
    h = case.arguments[-1]
    return all(int((part != 0).sum()) <= part.numel() / h for part in value)


def _keeps_numbers(case, value):
    *_, W_K, W_V, W_O, h = case.arguments
    stacked = value[1], value[2], value[3].unflatten(0, (h, -1))
    pairs = zip(stacked, (W_K, W_V, W_O), strict=True)
    return all(bool(((new == 0) | ((new - old).abs() < 1e-5)).all()) for new, old in pairs)


def _factors(q=None, k=1.0, v=1.0, out=1.0):
    """The mistake of other factors, each from d and h; all numbers stand where they should."""

    def built(W_Q, W_K, W_V, W_O, h):
        d = len(W_Q)
        of = [f(d, h) if callable(f) else f for f in (q or (lambda d, h: math.sqrt(h)), k, v, out)]
        new = _built(W_Q, W_K, W_V, W_O, h, q=of[0], k=of[1], v=of[2])
        return *new[:3], of[3] * new[3]

    return built


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_weights(W_Q, W_K, W_V, W_O, h):
        """Your result is right, but your function changes one of its arguments.

        The caller still needs the old weights, to compare both layouts.
        """
        full = correct(W_Q, W_K, W_V, W_O, h)
        W_Q *= math.sqrt(h)
        return full

    def no_factor(W_Q, W_K, W_V, W_O, h):
        """You left the numbers of W_Q as they were, but document A divides the scores by √d (A25),
        not by √d_k.

        By which factor does this make the scores too small?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1.0)

    def factor_upside_down(W_Q, W_K, W_V, W_O, h):
        """You divided W_Q by √h. But the scores are already too small.

        They are divided by √d instead of √d_k. Which of the two is larger?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1 / math.sqrt(h))

    def factor_h(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_Q by h.

        d is h times d_k. What is √d over √d_k?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=h)

    def factor_root_of_d(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_Q by √d, so that the scores are not divided at all.

        The scores of the heads that share the width are divided by √d_k.
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=math.sqrt(len(W_Q)))

    def factor_in_both(W_Q, W_K, W_V, W_O, h):
        """You multiplied both W_Q and W_K by √h, so that the scores are too large by √h.

        Each of the two enters a score once.
        """
        return _built(W_Q, W_K, W_V, W_O, h, k=math.sqrt(h))

    def factor_in_W_K(W_Q, W_K, W_V, W_O, h):
        """You put the factor √h into W_K. This computes the same, but W_K may hold only zeros and
        old numbers.

        Leave the keys as they are.
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1.0, k=math.sqrt(h))

    def factor_in_W_V(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_V by √h. But values are not divided by anything.

        Only scores are divided.
        """
        return _built(W_Q, W_K, W_V, W_O, h, v=math.sqrt(h))

    def W_O_in_every_block(W_Q, W_K, W_V, W_O, h):
        """Each of your blocks holds all of W_O. This computes the same, but the question asks for
        as many zeros as possible.

        In the block of head j, which rows meet a column of A_j that is not zero? Put zeros
        elsewhere.
        """
        return _built(W_Q, W_K, W_V, W_O, h, rows=torch.ones(h, 1, 1))

    def values_not_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_V. This computes the same, but the question asks for as
        many zeros as possible.

        Which columns of A_j meet a row of W_O that is not zero? Put zeros into the other columns of
        W_V.
        """
        W = _built(W_Q, W_K, W_V, W_O, h)
        return W[0], W[1], W_V.expand(h, -1, -1), W[3]

    def keys_not_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_K. This computes the same, but the question asks for as
        many zeros as possible.

        A column of keys that meets a column of zeros adds nothing to a score. Put zeros there, too.
        """
        W = _built(W_Q, W_K, W_V, W_O, h)
        return W[0], W_K.expand(h, -1, -1), W[2], W[3]

    def nothing_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_Q, W_K and W_V, so that all heads are the same.

        Where heads share the width, head j uses its own d_k columns, and no others.
        """
        W = [part.expand(h, -1, -1) for part in (math.sqrt(h) * W_Q, W_K, W_V)]
        return *W, _built(W_Q, W_K, W_V, W_O, h)[3]

    def columns_interleaved(W_Q, W_K, W_V, W_O, h):
        """You gave head j every h-th column, starting with j. Its columns should be neighbours.

        Head j has the columns from j · d_k to (j + 1) · d_k − 1.
        """
        own = torch.arange(len(W_Q)) % h == torch.arange(h)[:, None]
        return _built(W_Q, W_K, W_V, W_O, h, own=own)

    def rows_cut_in_place_of_columns(W_Q, W_K, W_V, W_O, h):
        """In W_Q, W_K and W_V you kept *rows* for each head, where you should keep columns.

        X stands on the left: a row of W_Q belongs to a number of X, a column to a number of the
        query.
        """
        rows = _own(len(W_Q), h)[:, :, None]
        W_O = _built(W_Q, W_K, W_V, W_O, h)[3]
        return math.sqrt(h) * W_Q * rows, W_K * rows, W_V * rows, W_O

    def columns_of_W_O(W_Q, W_K, W_V, W_O, h):
        """In W_O you kept *columns* for each head, where you should keep rows.

        A_j stands on the left of its block: a row of W_O belongs to a number of A_j.
        """
        return _built(W_Q, W_K, W_V, W_O, h, rows=_own(len(W_Q), h)[:, None, :])

    def factor_root_of_d_k(*given):
        """You multiplied W_Q by √d_k.

        d is h times d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: math.sqrt(d / h))(*given)

    def factor_one_over_root_of_d_k(*given):
        """You divided W_Q by √d_k. The heads divide the scores already, by √d (A25).

        They are divided by √d instead of √d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: math.sqrt(h / d))(*given)

    def factor_one_over_root_of_d(*given):
        """You divided W_Q by √d. The heads divide the scores already, by √d (A25).

        They are divided by √d instead of √d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: 1 / math.sqrt(d))(*given)

    def factor_d_k(*given):
        """You multiplied W_Q by d_k.

        d is h times d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: d / h)(*given)

    def factor_d(*given):
        """You multiplied W_Q by d.

        d is h times d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: d)(*given)

    def factor_one_over_h(*given):
        """You divided W_Q by h. But the scores are already too small.

        They are divided by √d instead of √d_k. What is √d over √d_k?
        """
        return _factors(lambda d, h: 1 / h)(*given)

    def factor_2(*given):
        """You multiplied W_Q by 2, whatever h is.

        Two is the root of four. What is the factor for another number of heads?
        """
        return _factors(lambda d, h: 2.0)(*given)

    def factor_shared(*given):
        """You shared the factor between W_Q and W_K. This computes the same, but W_K may hold only
        old numbers.

        Leave the keys as they are.
        """
        return _factors(lambda d, h: h**0.25, lambda d, h: h**0.25)(*given)

    def factor_h_in_both(*given):
        """You multiplied both W_Q and W_K by h.

        d is h times d_k. What is √d over √d_k, and how often does a score need this factor?
        """
        return _factors(lambda d, h: h, lambda d, h: h)(*given)

    def factor_everywhere(*given):
        """You multiplied W_Q, W_K and W_V by √h.

        Only scores are divided. How often does a factor in both Q and K enter a score?
        """
        return _factors(None, lambda d, h: math.sqrt(h), lambda d, h: math.sqrt(h))(*given)

    def factor_in_W_O(*given):
        """You multiplied W_O by √h. But outputs are not divided by anything.

        Only scores are divided.
        """
        return _factors(None, out=lambda d, h: math.sqrt(h))(*given)

    def factor_in_W_V_only(*given):
        """You put the factor √h into W_V, not into W_Q. The scores are still too small.

        What is divided by √d, the scores or the values?
        """
        return _factors(lambda d, h: 1.0, 1.0, lambda d, h: math.sqrt(h))(*given)

    def factor_in_W_O_only(*given):
        """You put the factor √h into W_O, not into W_Q. The scores are still too small.

        What is divided by √d, the scores or the outputs?
        """
        return _factors(lambda d, h: 1.0, out=lambda d, h: math.sqrt(h))(*given)

    def W_O_over_h(*given):
        """You divided W_O by h, as if the heads were averaged. Their contributions are added (A27).

        Where heads share the width, does anything divide their outputs by h?
        """
        return _factors(None, out=lambda d, h: 1 / h)(*given)

    def everything_whole(W_Q, W_K, W_V, W_O, h):
        """You gave every head all of the four matrices, so that all heads are the same.

        Where heads share the width, head j uses its own d_k columns, and no others.
        """
        whole = [W.repeat(h, 1, 1) for W in (math.sqrt(h) * W_Q, W_K, W_V)]
        return *whole, W_O.repeat(h, 1)

    def everything_whole_and_no_factor(W_Q, W_K, W_V, W_O, h):
        """You copied the four matrices h times as they are.

        Where heads share the width, head j uses its own d_k columns, and its scores are divided by
        √d_k.
        """
        return *(W.repeat(h, 1, 1) for W in (W_Q, W_K, W_V)), W_O.repeat(h, 1)

    def values_and_W_O_whole(W_Q, W_K, W_V, W_O, h):
        """You left W_V and W_O whole, so that each head passes on the values of all.

        Which columns of A_j belong to head j?
        """
        Q, K, *_ = _built(W_Q, W_K, W_V, W_O, h)
        return Q, K, W_V.repeat(h, 1, 1), W_O.repeat(h, 1)

    def queries_not_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_Q. This computes the same, but the question asks for as
        many zeros as possible.

        A column of queries that meets a column of zeros adds nothing to a score. Put zeros there.
        """
        _, *others = _built(W_Q, W_K, W_V, W_O, h)
        return (math.sqrt(h) * W_Q).repeat(h, 1, 1), *others

    def queries_and_keys_not_cut(W_Q, W_K, W_V, W_O, h):
        """You left W_Q and W_K whole, so that all heads have the same scores.

        A score of head j adds up the products of its own d_k columns.
        """
        *_, V, out = _built(W_Q, W_K, W_V, W_O, h)
        return (math.sqrt(h) * W_Q).repeat(h, 1, 1), W_K.repeat(h, 1, 1), V, out

    def columns_in_front(W_Q, W_K, W_V, W_O, h):
        """You moved each head's columns to the front. This computes the same, but every number
        should keep its row and column.

        Put zeros in front of the columns of head j, and behind them.
        """
        d = len(W_Q)
        pad, left = torch.nn.functional.pad, d - d // h
        moved = [
            torch.stack([pad(part, (0, left)) for part in W.chunk(h, 1)])
            for W in (math.sqrt(h) * W_Q, W_K, W_V)
        ]
        return *moved, torch.cat([pad(part, (0, 0, 0, left)) for part in W_O.chunk(h)])

    def W_O_in_the_first_block(W_Q, W_K, W_V, W_O, h):
        """You put all rows of W_O into the first block, so that the other heads meet only zeros.

        The block of head j has rows j · d to (j + 1) · d - 1 of the new W_O. Which old rows belong
        there?
        """
        return *_built(W_Q, W_K, W_V, W_O, h)[:3], torch.cat(
            [W_O, W_O.new_zeros((h - 1) * len(W_O), len(W_O))]
        )

    def W_O_as_it_was(W_Q, W_K, W_V, W_O, h):
        """You returned the old W_O. Document A's has h d rows, d for each head (A27).

        In the block of head j, which old rows meet a column of A_j that is not zero?
        """
        return *_built(W_Q, W_K, W_V, W_O, h)[:3], W_O

    def W_O_not_stacked(W_Q, W_K, W_V, W_O, h):
        """Your W_O is (h, d, d). Its blocks should stand below each other: (h d, d).

        Which function makes one dimension of two?
        """
        Q, K, V, out = _built(W_Q, W_K, W_V, W_O, h)
        return Q, K, V, out.unflatten(0, (h, -1))

    def W_O_in_order(W_Q, W_K, W_V, W_O, h):
        """You put the rows of head j at the top of its block.

        Every number keeps its row: row i of W_O is row i of a block.
        """
        d = len(W_O)
        parts = [torch.nn.functional.pad(part, (0, 0, 0, d - d // h)) for part in W_O.chunk(h)]
        return *_built(W_Q, W_K, W_V, W_O, h)[:3], torch.cat(parts)

    def narrow_matrices(W_Q, W_K, W_V, W_O, h):
        """Your heads are still narrow: (h, d, d_k). Document A's are d × d.

        Put zeros into the columns that a head does not use.
        """
        parts = [torch.stack(W.chunk(h, 1)) for W in (math.sqrt(h) * W_Q, W_K, W_V)]
        return *parts, W_O

    def heads_backwards(W_Q, W_K, W_V, W_O, h):
        """Head 0 has the last columns, and the last head the first. This computes the same.

        Head j has the columns from j · d_k on.
        """
        Q, K, V, out = _built(W_Q, W_K, W_V, W_O, h)
        return Q.flip(0), K.flip(0), V.flip(0), out.unflatten(0, (h, -1)).flip(0).flatten(0, 1)

    def blocks_of_both(W_Q, W_K, W_V, W_O, h):
        """In W_Q, W_K and W_V you kept only the d_k × d_k block on the diagonal.

        A head reads the *whole* row of X: its columns have all d rows.
        """
        rows = _own(len(W_Q), h)[:, :, None]
        Q, K, V, out = _built(W_Q, W_K, W_V, W_O, h)
        return Q * rows, K * rows, V * rows, out

    def columns_of_the_next_head(W_Q, W_K, W_V, W_O, h):
        """Each head has the columns of the next one, but its own rows of W_O.

        Head j has the columns from j · d_k on, counted from 0.
        """
        Q, K, V, out = _built(W_Q, W_K, W_V, W_O, h)
        return Q.roll(-1, 0), K.roll(-1, 0), V.roll(-1, 0), out


class Right:
    """Right answers, written differently."""

    def slice_by_slice(W_Q, W_K, W_V, W_O, h):
        """Starts from zeros and copies."""
        d = len(W_Q)
        d_k = d // h
        Q, K, V = (W_Q.new_zeros(h, d, d) for _ in range(3))
        out = W_O.new_zeros(h, d, d)
        for j in range(h):
            own = slice(j * d_k, (j + 1) * d_k)
            Q[j, :, own], K[j, :, own], V[j, :, own] = (
                W_Q[:, own] * h**0.5,
                W_K[:, own],
                W_V[:, own],
            )
            out[j, own] = W_O[own]
        return Q, K, V, out.reshape(h * d, d)

    def with_diagonal_matrices(W_Q, W_K, W_V, W_O, h):
        """Multiplies by a diagonal of ones and zeros for each head."""
        d = len(W_Q)
        E = torch.diag_embed(torch.eye(h, dtype=W_Q.dtype).repeat_interleave(d // h, 1))
        factor = math.sqrt(d) / math.sqrt(d // h)
        return [factor * W_Q @ E, W_K @ E, W_V @ E, (E @ W_O).reshape(-1, d)]

    def with_masks(W_Q, W_K, W_V, W_O, h):
        """Fills the columns of the other heads with zeros."""
        d = len(W_Q)
        others = torch.ones(h, d, dtype=torch.bool)
        for j, of_head in enumerate(others):
            of_head[j * d // h : (j + 1) * d // h] = False
        cut = [W.expand(h, d, d).masked_fill(others[:, None], 0) for W in (W_Q, W_K, W_V)]
        W_O = W_O.expand(h, d, d).masked_fill(others[:, :, None], 0)
        return h**0.5 * cut[0], cut[1], cut[2], torch.cat(list(W_O))

    def with_padding(W_Q, W_K, W_V, W_O, h):
        """Pads each slice with zeros on both sides."""
        d = len(W_Q)
        d_k = d // h

        def padded(W):
            pad = torch.nn.functional.pad
            parts = W.split(d_k, dim=1)
            return torch.stack([pad(p, (j * d_k, d - (j + 1) * d_k)) for j, p in enumerate(parts)])

        return padded(W_Q * math.sqrt(h)), padded(W_K), padded(W_V), padded(W_O.T).mT.flatten(0, 1)


EXERCISE = Exercise(
    id="equal_layouts",
    oracle=correct,
    hint="Run multi-head attention (A24 to A27) with your four matrices on a random X, and compare "
    "with the heads that share the width. Then ask for every number whether anything changes if "
    "it is 0.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("returns four tensors: W_Q, W_K, W_V, W_O", _is_four),
        Rule("has the shapes (h, d, d) three times and (h d, d)", _has_shapes),
        Rule("computes what the heads that share the width compute", _computes_the_same),
        Rule("has as many zeros as possible", _has_zeros),
        Rule("holds the old numbers of W_K, W_V and W_O, each in its place", _keeps_numbers),
    ),
)
