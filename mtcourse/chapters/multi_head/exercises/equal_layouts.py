"""The exercise ``equal_layouts``: split heads as full-width ones (A24, A27, B06; chapter 09)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise, Rule
from mtcourse.checks.outcomes import Case
from mtcourse.layers.multi_head import multi_head_attention, split_head_attention


def cases(draw: Draw) -> list[Case]:
    """Matrices of numbers in order, one head, heads of width 1, heads of several columns."""
    in_order = draw.tensor([[1.0, 2.0], [3.0, 4.0]])
    by_hand = (in_order, in_order + 4, in_order + 8, in_order + 12, 2)
    return [
        Case("width 2, 2 heads", by_hand),  # the right value would be the whole answer
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


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_weights(W_Q, W_K, W_V, W_O, h):
        """Your result is right, but your function changes one of its arguments.

        The split heads are still needed for the comparison.
        """
        full = correct(W_Q, W_K, W_V, W_O, h)
        W_Q *= math.sqrt(h)
        return full

    def no_factor(W_Q, W_K, W_V, W_O, h):
        """Everything is in its position, but your scores are divided by √d (A25) instead of √d_k.

        By which factor does this make them too small?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1.0)

    def factor_upside_down(W_Q, W_K, W_V, W_O, h):
        """You divided W_Q by √h. But the scores are already too small.

        They are divided by √d, and √d_k was meant. Which of the two is larger?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1 / math.sqrt(h))

    def factor_h(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_Q by h.

        d is h times d_k. What is √d over √d_k?
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=h)

    def factor_root_of_d(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_Q by √d, so that the scores are not divided at all.

        The scores of the split heads are divided by √d_k.
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=math.sqrt(len(W_Q)))

    def factor_in_both(W_Q, W_K, W_V, W_O, h):
        """You multiplied both W_Q and W_K by √h, so that the scores are too large by √h.

        Each of the two enters a score once.
        """
        return _built(W_Q, W_K, W_V, W_O, h, k=math.sqrt(h))

    def factor_in_W_K(W_Q, W_K, W_V, W_O, h):
        """You put the factor √h into W_K. This computes the same, but the question asks for W_Q.

        Leave the keys as they are.
        """
        return _built(W_Q, W_K, W_V, W_O, h, q=1.0, k=math.sqrt(h))

    def factor_in_W_V(W_Q, W_K, W_V, W_O, h):
        """You multiplied W_V, too. But values are not divided by anything.

        Only scores are divided.
        """
        return _built(W_Q, W_K, W_V, W_O, h, v=math.sqrt(h))

    def W_O_in_every_block(W_Q, W_K, W_V, W_O, h):
        """Each of your blocks holds all of W_O. This computes the same, but most of it is never
        used.

        In the block of head j, which rows meet a column of A_j that is not zero? Put zeros
        elsewhere.
        """
        return _built(W_Q, W_K, W_V, W_O, h, rows=torch.ones(h, 1, 1))

    def values_not_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_V. This computes the same, but most of it is never used.

        Which columns of A_j meet a row of W_O that is not zero? Put zeros elsewhere.
        """
        W = _built(W_Q, W_K, W_V, W_O, h)
        return W[0], W[1], W_V.expand(h, -1, -1), W[3]

    def keys_not_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_K. This computes the same, but most of it is never used.

        A column of keys that meets a column of zeros adds nothing to a score. Put zeros there, too.
        """
        W = _built(W_Q, W_K, W_V, W_O, h)
        return W[0], W_K.expand(h, -1, -1), W[2], W[3]

    def nothing_cut(W_Q, W_K, W_V, W_O, h):
        """Each of your heads has all of W_Q, W_K and W_V, so that all heads are the same.

        Head j of the split heads uses its own d_k columns, and no others.
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
        """In W_Q, W_K and W_V you kept *rows* and put zeros into the others.

        X stands on the left: a row of W belongs to a number of X, a column to a number of the
        query.
        """
        rows = _own(len(W_Q), h)[:, :, None]
        W_O = _built(W_Q, W_K, W_V, W_O, h)[3]
        return math.sqrt(h) * W_Q * rows, W_K * rows, W_V * rows, W_O

    def columns_of_W_O(W_Q, W_K, W_V, W_O, h):
        """In W_O you kept *columns* and put zeros into the others.

        A_j stands on the left of its block: a row of W_O belongs to a number of A_j.
        """
        return _built(W_Q, W_K, W_V, W_O, h, rows=_own(len(W_Q), h)[:, None, :])


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
            Q[j, :, own], K[j, :, own], V[j, :, own] = W_Q[:, own] * h**0.5, W_K[:, own], W_V[:, own]
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
    "with the split heads. Then ask for every number whether anything changes if it is 0.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(
        Rule("returns four: W_Q, W_K, W_V, W_O", _is_four),
        Rule("has the shapes (h, d, d) three times and (h d, d)", _has_shapes),
        Rule("computes what the heads that share the width compute", _computes_the_same),
        Rule("has as many zeros as possible", _has_zeros),
        Rule("holds the old numbers of W_K, W_V and W_O, each in its place", _keeps_numbers),
    ),
)
