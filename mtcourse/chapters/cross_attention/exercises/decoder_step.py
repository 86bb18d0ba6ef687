"""The exercise ``decoder_step``: three bugs to fix (A16, D04, C10; chapter 06)."""

from __future__ import annotations

import math

import torch

from mtcourse.chapters.cross_attention.exercises import cross_attention as written
from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Those of the exercise that writes it: m and n different, batches, padding."""
    return written.cases(draw)


def correct(X, H_E, W_Q, W_K, W_V, real):
    """The readable reference."""
    return written.correct(X, H_E, W_Q, W_K, W_V, real)


def _version(X, H_E, W_Q, W_K, W_V, real, triangle=False, padding=False, axis=False):
    """The function of the notebook with some of its three bugs fixed."""
    Q, K, V = X @ W_Q, H_E @ W_K, H_E @ W_V
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    if padding:
        scores = scores.masked_fill(~real[..., None, :], -math.inf)
    else:
        scores = scores * real[..., None, :]
    if not triangle:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(later, -1e9)
    return torch.softmax(scores, dim=-1 if axis else -2) @ V


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(X, H_E, W_Q, W_K, W_V, real):
        """Your function still returns what the broken version returns: all three bugs are in it.

        Check three things: what each token may see, how padding is hidden, and along which axis the
        weights sum to 1.
        """
        return _version(X, H_E, W_Q, W_K, W_V, real)

    def only_the_triangle_mended(X, H_E, W_Q, W_K, W_V, real):
        """One bug is fixed: every Dutch token now sees the whole English sentence. Two are left.

        Sum the rows of the weights. Then look at the weight of padding.
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, triangle=True)

    def only_the_padding_mended(X, H_E, W_Q, W_K, W_V, real):
        """One bug is fixed: padding is now hidden by −∞. Two are left.

        Sum the rows of the weights. And which English tokens does the first Dutch token see?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True)

    def only_the_axis_mended(X, H_E, W_Q, W_K, W_V, real):
        """One bug is fixed: each row of weights now sums to 1. Two are left.

        How much weight does padding get? And which English tokens does the first Dutch token see?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, axis=True)

    def triangle_left(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. One is left: the first Dutch token sees only the first English token.

        Where does a causal mask belong, and where not?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True, axis=True)

    def padding_left(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. One is left: padding has the score 0, so it gets weight.

        Which score has an exponential of 0?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, triangle=True, axis=True)

    def axis_left(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. One is left: the softmax runs over the Dutch tokens.

        Try it with a single Dutch token, as at inference. What are all its weights?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, triangle=True, padding=True)

    def padding_mask_gone(X, H_E, W_Q, W_K, W_V, real):
        """The causal mask and the axis are fixed, but now nothing hides padding.

        It was hidden in the wrong way, but it has to be hidden.
        """
        return written.Wrong.padding_answers(X, H_E, W_Q, W_K, W_V, real)

    def padding_mask_inverted(X, H_E, W_Q, W_K, W_V, real):
        """The causal mask and the axis are fixed, but your mask hides words and shows padding.

        `real` is True for words, and `masked_fill` fills where its mask is True.
        """
        return written.Wrong.only_padding_answers(X, H_E, W_Q, W_K, W_V, real)

    def weights_zeroed(X, H_E, W_Q, W_K, W_V, real):
        """The causal mask and the axis are fixed, but you remove padding after the softmax.

        What do the rows of the weights sum to now? Hide padding before the softmax.
        """
        return written.Wrong.weights_zero_afterwards(X, H_E, W_Q, W_K, W_V, real)

    def scale_gone(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but you removed the division by √d_k, which was right.

        Not every line of a broken function is broken.
        """
        return written.Wrong.not_scaled(X, H_E, W_Q, W_K, W_V, real)

    def roles_exchanged(X, H_E, W_Q, W_K, W_V, real):
        """Your queries now come from the English rows. They came from the Dutch rows before, and
        this was right.

        The output should have a row for each row of X.
        """
        return written.Wrong.english_asks(X, H_E, W_Q, W_K, W_V, real)


class Right:
    """Right answers, written differently."""

    def mended(X, H_E, W_Q, W_K, W_V, real):
        """The version of the notebook with all three fixed."""
        return _version(X, H_E, W_Q, W_K, W_V, real, triangle=True, padding=True, axis=True)

    def mended_with_where(X, H_E, W_Q, W_K, W_V, real):
        """Selects, and divides by hand."""
        scores = (X @ W_Q) @ (H_E @ W_K).mT * W_K.shape[-1] ** -0.5
        e = torch.where(real[..., None, :], (scores - scores.amax(-1, keepdim=True)).exp(), 0)
        return e @ (H_E @ W_V) / e.sum(-1, keepdim=True)

    def mended_with_addition(X, H_E, W_Q, W_K, W_V, real):
        """Adds the mask as documents A and C do."""
        M = torch.zeros(real.shape, dtype=X.dtype).masked_fill(~real, -math.inf)
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1]) + M.unsqueeze(-2)
        return torch.softmax(scores, -1) @ (H_E @ W_V)

    def written_anew(X, H_E, W_Q, W_K, W_V, real):
        """A row at a time."""
        return written.Right.one_row_at_a_time(X, H_E, W_Q, W_K, W_V, real)


EXERCISE = Exercise(
    id="decoder_step",
    oracle=correct,
    hint="Three things to get right: which English tokens a Dutch one may see, what score padding "
    "must get, and along which axis the softmax runs. Which of them is still wrong?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
