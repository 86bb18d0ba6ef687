"""The exercise ``decoder_step``: three bugs to fix (A16, D04, C10; chapter 6)."""

from __future__ import annotations

import math

import torch

from mtcourse.chapters.cross_attention.exercises import cross_attention as written
from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Those of the exercise ``cross_attention``: m and n different, batches, padding."""
    return written.cases(draw)


def correct(X, H_E, W_Q, W_K, W_V, real):
    """The readable reference."""
    return written.correct(X, H_E, W_Q, W_K, W_V, real)


def _version(
    X, H_E, W_Q, W_K, W_V, real, triangle=False, padding=False, axis=False, fill=-math.inf, hides=1
):
    """The function of the notebook with some of its three bugs fixed.

    ``fill`` is the score of padding where that bug is fixed; ``hides`` is the first diagonal that
    the triangle hides.
    """
    Q, K, V = X @ W_Q, H_E @ W_K, H_E @ W_V
    scores = Q @ K.mT / math.sqrt(K.shape[-1])
    if padding:
        scores = scores.masked_fill(~real[..., None, :], fill)
    else:
        scores = scores * real[..., None, :]
    if not triangle:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(hides)
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
        """The triangle is fixed: every Dutch token now sees the whole English sentence. But the
        softmax runs over the Dutch tokens, and padding gets a weight of 1/m from each.

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

    def only_the_padding_mended_low(X, H_E, W_Q, W_K, W_V, real):
        """One bug is fixed: padding has a very low score. But the softmax runs over the Dutch
        tokens, and in a column of equally low scores every weight is 1/m.

        Sum the rows of the weights. And which English tokens does the first Dutch token see?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True, fill=-1e9)

    def triangle_left_low(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. One is left: the triangle hides English tokens, and where it leaves
        only padding, everything gets the same weight.

        Where does a causal mask belong, and where not?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True, axis=True, fill=-1e9)

    def triangle_moved(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. The triangle now begins one column further right: the first Dutch
        token sees two English tokens.

        How much of the English sentence should it see?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True, axis=True, fill=-1e9, hides=2)

    def triangle_smaller(X, H_E, W_Q, W_K, W_V, real):
        """Two bugs are fixed. The triangle now begins one column further left: it hides everything
        from the first Dutch token, whose weights are therefore all equal.

        How much of the English sentence should it see?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, padding=True, axis=True, fill=-1e9, hides=0)

    def triangle_turned(X, H_E, W_Q, W_K, W_V, real):
        """The padding and the axis are fixed. The triangle is turned around: each Dutch token sees
        the English tokens from its own place on.

        How much of the English sentence should every Dutch token see?
        """
        later = torch.ones(X.shape[-2], H_E.shape[-2], dtype=torch.bool).tril(-1)
        hidden = ~real[..., None, :] | later
        return written._version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, hidden=hidden)

    def triangle_turned_and_infinite(X, H_E, W_Q, W_K, W_V, real):
        """The padding and the axis are fixed. The triangle is turned around, and a row that sees
        nothing becomes NaN.

        How much of the English sentence should every Dutch token see?
        """
        later = torch.ones(X.shape[-2], H_E.shape[-2], dtype=torch.bool).tril(-1)
        hidden = ~real[..., None, :] | later
        return written._version(X, H_E, W_Q, W_K, W_V, real, hidden=hidden)

    def triangle_with_infinity(X, H_E, W_Q, W_K, W_V, real):
        """The padding and the axis are fixed. The triangle is still there, and a row that sees only
        padding becomes NaN.

        Where does a causal mask belong, and where not?
        """
        return written.Wrong.causal_triangle(X, H_E, W_Q, W_K, W_V, real)

    def triangle_alone(X, H_E, W_Q, W_K, W_V, real):
        """The axis is fixed, and nothing hides padding. A triangle hides English tokens instead.

        Which of the two masks does cross-attention need?
        """
        return written.Wrong.causal_triangle_alone(X, H_E, W_Q, W_K, W_V, real)

    def axis_of_both(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the padding are fixed. The softmax runs over rows and columns together.

        What must each *row* of weights sum to?
        """
        return written.Wrong.softmax_over_both(X, H_E, W_Q, W_K, W_V, real)

    def axis_one(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the padding are fixed. The softmax runs along dimension 1, which holds
        the Dutch tokens in a batch, and a hidden column gives NaN.

        Which number means the last dimension, however many there are?
        """
        return written.Wrong.softmax_along_the_second_axis(X, H_E, W_Q, W_K, W_V, real)

    def axis_one_low(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the padding are fixed. The softmax runs along dimension 1, which holds
        the Dutch tokens in a batch.

        Which number means the last dimension, however many there are?
        """
        return written.Wrong.softmax_along_the_second_axis_low(X, H_E, W_Q, W_K, W_V, real)

    def axis_zero(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the padding are fixed. The softmax runs along dimension 0, over Dutch
        tokens or sentences.

        Which number means the last dimension, however many there are?
        """
        return written.Wrong.softmax_along_the_first_axis(X, H_E, W_Q, W_K, W_V, real)

    def axis_zero_low(X, H_E, W_Q, W_K, W_V, real):
        """The triangle is gone. The softmax runs along dimension 0, over Dutch tokens or sentences,
        and padding can get weight there.

        Which number means the last dimension, however many there are?
        """
        return written.Wrong.softmax_along_the_first_axis_low(X, H_E, W_Q, W_K, W_V, real)

    def axis_left_and_padding_zeroed(X, H_E, W_Q, W_K, W_V, real):
        """The triangle is gone, and padding's weights are 0. The softmax still runs over the Dutch
        tokens.

        Sum the rows of the weights.
        """
        return written.Wrong.softmax_over_dutch(X, H_E, W_Q, W_K, W_V, real)

    def padding_one_less(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But your mask lowers the scores of padding by only
        1, relative to those of words.

        How low must a score be for its exponential to be 0?
        """
        return written.Wrong.padding_scores_one_less(X, H_E, W_Q, W_K, W_V, real)

    def padding_minus_one(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding has the score -1, so it gets weight.

        How low must a score be for its exponential to be 0?
        """
        return written.Wrong.padding_scores_minus_one(X, H_E, W_Q, W_K, W_V, real)

    def padding_one(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding has the score 1, so it gets weight.

        Which score has an exponential of 0?
        """
        return written.Wrong.padding_scores_one(X, H_E, W_Q, W_K, W_V, real)

    def padding_minus_ten(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding has the score -10, and a word may have a
        lower one.

        Which score is lower than every other?
        """
        return written.Wrong.padding_scores_minus_ten(X, H_E, W_Q, W_K, W_V, real)

    def padding_gets_all(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding has a hugely positive score, so it takes all
        the weight.

        Which sign must a score have for its exponential to be 0?
        """
        return written.Wrong.padding_gets_everything(X, H_E, W_Q, W_K, W_V, real)

    def padding_gets_nan(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding has the score +∞, which makes rows NaN.

        Which sign must infinity have for its exponential to be 0?
        """
        return written.Wrong.padding_gets_infinity(X, H_E, W_Q, W_K, W_V, real)

    def padding_mask_inverted_in_numbers(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But the hugely negative score goes to words, and
        padding keeps its own.

        `real` is True for words, and `masked_fill` fills where its mask is True.
        """
        return written.Wrong.only_padding_answers_in_numbers(X, H_E, W_Q, W_K, W_V, real)

    def padding_mask_inverted_by_addition(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But you add a hugely negative number to the scores
        of words.

        `real` is True for words. Which scores should stay as they are?
        """
        return written.Wrong.only_padding_answers_by_addition(X, H_E, W_Q, W_K, W_V, real)

    def padding_of_the_first(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But you use the padding of the first sentence for
        all.

        `real` has a row for each sentence.
        """
        return written.Wrong.first_sentences_padding(X, H_E, W_Q, W_K, W_V, real)

    def padding_of_all(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But a column is hidden only where it is padding in
        every sentence.

        `real` has a row for each sentence.
        """
        return written.Wrong.padding_of_all_sentences(X, H_E, W_Q, W_K, W_V, real)

    def padding_of_any(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But a column is hidden in all sentences if it is
        padding in one.

        `real` has a row for each sentence.
        """
        return written.Wrong.padding_of_any_sentence(X, H_E, W_Q, W_K, W_V, real)

    def padding_of_all_and_zero(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding keeps the score 0, except in columns that
        are padding in every sentence.

        Does each sentence have its own row of the mask? And which score has an exponential of 0?
        """
        nowhere = ~written._of_all(real, every=False)
        scores = written._scores(X, H_E, W_Q, W_K) * real[..., None, :]
        return torch.softmax(scores.masked_fill(nowhere, -math.inf), -1) @ (H_E @ W_V)

    def padding_counted(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But you hide padding as if it stood only at the end:
        it may also stand in front of words and between them.

        `real` says of each position whether it is a word.
        """
        return written.Wrong.padding_at_the_end(X, H_E, W_Q, W_K, W_V, real)

    def padding_rows_zeroed(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. Padding adds nothing to the mean, but it has the
        score 0 and still takes weight from the words.

        A key of zeros has the score 0, too. Which score has an exponential of 0?
        """
        return written.Wrong.padding_rows_zero(X, H_E, W_Q, W_K, W_V, real)

    def padding_on_queries(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But `real` lies along the rows of the scores.

        `real` belongs to English tokens, the columns. Where must the axis of size 1 stand?
        """
        return written.Wrong.mask_on_queries(X, H_E, W_Q, W_K, W_V, real)

    def padding_without_an_axis(X, H_E, W_Q, W_K, W_V, real):
        """The triangle and the axis are fixed. But `real` has no axis for the queries, so it lies
        along them in a batch.

        Scores are (batch, m, n), and `real` is (batch, n).
        """
        return written.Wrong.mask_without_an_axis(X, H_E, W_Q, W_K, W_V, real)

    def divided_by_root_of_d_model(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but you divide by the root of d_model now. The division was
        right.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return written.Wrong.divided_by_root_of_d_model(X, H_E, W_Q, W_K, W_V, real)

    def divided_by_root_of_d_v(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but you divide by the root of d_v now. The division was right.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return written.Wrong.divided_by_root_of_d_v(X, H_E, W_Q, W_K, W_V, real)

    def divided_by_root_of_n(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but you divide by the root of n now. The division was right.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return written.Wrong.divided_by_root_of_n(X, H_E, W_Q, W_K, W_V, real)

    def divided_by_d_k(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but you divide by d_k now, and not by its root.

        Not every line of a broken function is broken.
        """
        return written.Wrong.divided_by_d_k(X, H_E, W_Q, W_K, W_V, real)

    def dutch_asks_itself(X, H_E, W_Q, W_K, W_V, real):
        """Keys and values now come from X, so `real` does not fit the scores. They came from H_E
        before, and this was right.

        Not every line of a broken function is broken.
        """
        return written.Wrong.dutch_asks_itself_with_a_mask(X, H_E, W_Q, W_K, W_V, real)

    def english_asks_itself(X, H_E, W_Q, W_K, W_V, real):
        """Your queries now come from H_E. They came from X before, and this was right.

        The output should have a row for each row of X.
        """
        return written.Wrong.english_asks_itself(X, H_E, W_Q, W_K, W_V, real)

    def values_of_x(X, H_E, W_Q, W_K, W_V, real):
        """Your values now come from X. They came from H_E before, and this was right.

        Whose values do the weights average?
        """
        return written.Wrong.values_of_the_asking_side(X, H_E, W_Q, W_K, W_V, real)

    def softmax_gone(X, H_E, W_Q, W_K, W_V, real):
        """There is no softmax any more. Only its axis was wrong.

        What must the weights of a row sum to?
        """
        return written.Wrong.no_softmax(X, H_E, W_Q, W_K, W_V, real)

    def softmax_twice(X, H_E, W_Q, W_K, W_V, real):
        """The three bugs are fixed, but there are two softmaxes now.

        How often does the equation say softmax?
        """
        return written.Wrong.softmax_twice(X, H_E, W_Q, W_K, W_V, real)

    def nothing_learns(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but no gradient flows back to any argument.

        NumPy, `no_grad`, `.data`, `.item()`, `detach` and `torch.tensor(...)` all cut the
        connection. Which of them do you use?
        """
        return written.Wrong.nothing_learns(X, H_E, W_Q, W_K, W_V, real)


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
