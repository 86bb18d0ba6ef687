"""The exercise ``cross_attention``: Dutch rows ask English (A15, A16, B17, D04; chapter 6)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import cross_attention as reference


def cases(draw: Draw) -> list[Case]:
    """Rows to check by hand, m < n, m > n and m = n, and batches with padding."""
    X = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    H_E = draw.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    W_Q = draw.tensor([[2 * math.log(3), 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    W_K = draw.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0]])
    W_V = draw.tensor([[8.0, 0.0], [0.0, 8.0]])
    by_hand = (X, H_E, W_Q, W_K, W_V, torch.tensor([True, True, False]))
    return [
        Case("2 queries and 3 keys, the last one padding", by_hand, by_hand=True),
        Case("a single query", _drawn(draw, (), 1, 4, 5, 6, 3, [4])),
        Case("3 queries and 6 keys", _drawn(draw, (), 3, 6, 5, 4, 2, [6])),
        Case("6 queries and 4 keys, one of them padding",
             _drawn(draw, (), 6, 4, 5, 4, 3, [3])),
        Case("4 queries and 4 keys", _drawn(draw, (), 4, 4, 4, 4, 4, [4])),
        Case("2 sentences, padded", _drawn(draw, (2,), 3, 5, 6, 4, 2, [5, 2])),
        Case("3 sentences, 3 queries each, padded", _drawn(draw, (3,), 3, 4, 5, 5, 5, [4, 3, 1])),
        Case("2 sentences, both padded", _drawn(draw, (2,), 3, 6, 5, 4, 3, [2, 4])),
        Case("2 sentences, as many queries as keys, padded",
             _drawn(draw, (2,), 4, 4, 4, 4, 4, [4, 2])),
        Case("2 sentences in 2 groups", _drawn(draw, (2, 2), 3, 4, 5, 4, 2, [4, 2, 3, 1])),
        Case("padding in front and in between", _in_front(draw)),
        Case("scores far below 0, and padding", _low(draw)),
    ]  # fmt: skip


def _in_front(draw: Draw):
    """Padding that does not stand at the end."""
    real = torch.tensor([[False, True, True, True], [True, False, True, False]])
    X = draw.tensor([[[1.0, 0.0], [0.0, 2.0]], [[-1.0, 1.0], [2.0, 0.0]]])
    H_E = draw.tensor([
        [[2.0, 1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
        [[0.0, 1.0], [3.0, 1.0], [1.0, 0.0], [1.0, 3.0]],
    ])  # fmt: skip
    W_Q = draw.tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    W_K = draw.tensor([[1.0, 1.0, 0.0], [0.0, 1.0, -1.0]])
    return X, H_E, W_Q, W_K, draw.tensor([[4.0, 0.0], [0.0, 4.0]]), real


def _low(draw: Draw):
    """Both words have the score -12 for the first query; padding, were it a word, would have 0."""
    X = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    H_E = draw.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    W_Q = draw.tensor([[-1.5] * 4, [0.0] * 4])
    W_K = draw.tensor([[4.0] * 4, [0.0] * 4])
    W_V = draw.tensor([[1.0, 0.0], [0.0, 1.0]])
    return X, H_E, W_Q, W_K, W_V, torch.tensor([True, True, False])


def _drawn(draw: Draw, batch, m, n, d_model, d_k, d_v, lengths):
    """Rows, weights, and which English positions are real."""
    real = torch.arange(n) < torch.tensor(lengths).reshape(*batch, 1)
    widths = d_k, d_k, d_v
    return (
        draw.normal(*batch, m, d_model),
        draw.normal(*batch, n, d_model),
        *(draw.normal(d_model, width, scale=1.5 / math.sqrt(d_model)) for width in widths),
        real,
    )


def correct(X, H_E, W_Q, W_K, W_V, real):
    """The readable reference."""
    return reference.cross_attention(X, H_E, W_Q, W_K, W_V, real[..., None, :])


def _attend(Q, K, V, real, divisor=None, dim=-1):
    scores = Q @ K.mT / (math.sqrt(K.shape[-1]) if divisor is None else divisor)
    return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), dim=dim) @ V


def _version(X, H_E, W_Q, W_K, W_V, real, divisor=None, fill=-math.inf, dim=-1, hidden=None):
    """The function with another divisor, another filling, another axis or another mask."""
    scores = _scores(X, H_E, W_Q, W_K, divisor)
    hidden = ~real[..., None, :] if hidden is None else hidden
    return torch.softmax(scores.masked_fill(hidden, fill), dim=dim) @ (H_E @ W_V)


def _scores(X, H_E, W_Q, W_K, divisor=None):
    divisor = math.sqrt(W_K.shape[-1]) if divisor is None else divisor
    return (X @ W_Q) @ (H_E @ W_K).mT / divisor


def _triangle(X, H_E):
    return torch.ones(X.shape[-2], H_E.shape[-2], dtype=torch.bool).tril()


def _of_all(real, every):
    """Over all sentences: which columns are real in every one, or in one at least."""
    rows = real.reshape(-1, real.shape[-1])
    return rows.all(0) if every else rows.any(0)


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_H_E(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but your function changes H_E.

        Do not write into an argument: the next decoder layer reads the same H_E.
        """
        H_E[~real] = 0
        return correct(X, H_E, W_Q, W_K, W_V, real)

    def nothing_to_learn_by(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but no gradient flows back to H_E.

        The encoder learns only through the keys and the values. Is H_E cut off by `detach`, `.data`
        or `torch.tensor`?
        """
        return correct(X, H_E.detach(), W_Q, W_K, W_V, real)

    def english_asks(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries from H_E, and keys and values from X: your output has a row for each
        English token.

        It should have a row for each Dutch token. Which rows must the queries come from?
        """
        return torch.softmax((H_E @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)

    def dutch_asks_itself(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries, keys and values all from X. This is self-attention, and H_E is not
        used.

        Change a row of H_E. Does your output change?
        """
        return torch.softmax((X @ W_Q) @ (X @ W_K).mT / math.sqrt(W_K.shape[-1]), -1) @ (X @ W_V)

    def values_of_the_asking_side(X, H_E, W_Q, W_K, W_V, real):
        """Your keys come from H_E, but your values from X. This only runs if both have equally many
        rows.

        The weights tell how much to take of each *English* row. Which rows belong in the mean?
        """
        return _attend(X @ W_Q, H_E @ W_K, X @ W_V, real)

    def keys_for_values(X, H_E, W_Q, W_K, W_V, real):
        """Your output is a weighted mean of the keys: W_V is never used.

        Keys say where to look, values say what is found there.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_K, real)

    def rows_for_values(X, H_E, W_Q, W_K, W_V, real):
        """Your output is a weighted mean of the rows of H_E: W_V is never used.

        Values are computed from these rows, just as keys are.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E, real)

    def padding_answers(X, H_E, W_Q, W_K, W_V, real):
        """Your result is right where nothing is padded. But padding gets weight, as if it were a
        word.

        `real` marks the English positions that are words. At which step must the others be hidden?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, torch.ones_like(real))

    def only_padding_answers(X, H_E, W_Q, W_K, W_V, real):
        """Your mask is inverted: it hides words and leaves padding visible.

        `real` is True for words, and `masked_fill` fills where its mask is True.
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, ~real)

    def padding_scores_zero(X, H_E, W_Q, W_K, W_V, real):
        """In your function padding has the score 0. That is an average score, so padding gets
        weight.

        Which score has an exponential of 0?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores * real[..., None, :], -1) @ (H_E @ W_V)

    def padding_rows_zero(X, H_E, W_Q, W_K, W_V, real):
        """Padding adds nothing to your mean, but it has the score 0 and still takes weight from the
        words.

        A key of zeros has the score 0, too. What do the weights of the words alone sum to?
        """
        H = H_E * real[..., None]
        return _attend(X @ W_Q, H @ W_K, H @ W_V, torch.ones_like(real))

    def weights_zero_afterwards(X, H_E, W_Q, W_K, W_V, real):
        """You remove padding only after the softmax, so the weights of the words do not sum to 1.

        The denominator of the softmax still counts padding. Hide it before the softmax.
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return (torch.softmax(scores, -1) * real[..., None, :]) @ (H_E @ W_V)

    def mask_without_an_axis(X, H_E, W_Q, W_K, W_V, real):
        """`real` has a row for each sentence, but broadcasting matches these rows with the queries.

        Scores are (batch, m, n), and `real` is (batch, n). It needs an axis for the queries:
        (batch, 1, n).
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores.masked_fill(~real, -math.inf), -1) @ (H_E @ W_V)

    def causal_triangle(X, H_E, W_Q, W_K, W_V, real):
        """You apply a causal mask: the first Dutch token sees only the first English token, the
        second only the first two.

        The whole English sentence is known before the first Dutch word. Which English tokens must
        be hidden?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril() & real[..., None, :]
        return torch.softmax(scores.masked_fill(~allowed, -math.inf), -1) @ (H_E @ W_V)

    def causal_triangle_low(X, H_E, W_Q, W_K, W_V, real):
        """You hide padding, but you apply a causal mask as well. Where it leaves a Dutch token only
        padding, all English tokens get the same weight.

        The whole English sentence is known before the first Dutch word. Which English tokens must
        be hidden?
        """
        allowed = _triangle(X, H_E) & real[..., None, :]
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, hidden=~allowed)

    def causal_triangle_alone(X, H_E, W_Q, W_K, W_V, real):
        """You apply a causal mask in place of the one that hides padding.

        The whole English sentence is known before the first Dutch word. What does `real` say?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, hidden=~_triangle(X, H_E))

    def softmax_over_dutch(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over the Dutch tokens: they compete for each English token.

        Each Dutch token divides a weight of 1 among the English ones. Along which axis must the
        weights sum to 1?
        """
        scores = (X @ W_Q) @ (H_E @ W_K).mT / math.sqrt(W_K.shape[-1])
        weights = torch.softmax(scores, -2) * real[..., None, :]
        return weights @ (H_E @ W_V)

    def softmax_over_dutch_with_padding_hidden(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over the Dutch tokens. A column of padding holds only −∞, and this
        gives NaN.

        Each Dutch token divides a weight of 1 among the English ones. Along which axis must the
        weights sum to 1?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, dim=-2)

    def all_axes_turned_around(X, H_E, W_Q, W_K, W_V, real):
        """Your result is right for a single sentence, but your function stops on a batch. How do
        you transpose and multiply there?

        `.T` reverses all axes, and `.mT` swaps only the last two. `@` takes batches, and
        `torch.mm` only single matrices.
        """
        K = (H_E @ W_K).permute(*reversed(range(H_E.dim())))
        scores = (X @ W_Q) @ K / math.sqrt(W_K.shape[-1])
        return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), -1) @ (H_E @ W_V)

    def not_scaled(X, H_E, W_Q, W_K, W_V, real):
        """You do not divide the scores. Neither does document C (C37).

        Documents A, B and D divide them. By the root of which width?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, 1.0)

    def divided_by_d_k(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by d_k. Divide them by its square root.

        The variance of a sum of d_k products is d_k. What is its standard deviation?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, W_K.shape[-1])

    def divided_by_root_of_d_model(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by the root of d_model, the width of a row of X.

        How many products does the dot product of a query and a key add up?
        """
        return _attend(X @ W_Q, H_E @ W_K, H_E @ W_V, real, math.sqrt(X.shape[-1]))

    def weights_for_outputs(X, H_E, W_Q, W_K, W_V, real):
        """You returned the attention weights themselves, with a column for each English token.

        The output should be a weighted mean of the values: one row of width d_v for each query.
        """
        n = H_E.shape[-2]
        return _attend(X @ W_Q, H_E @ W_K, torch.eye(n, dtype=X.dtype), real)

    def only_padding_answers_in_numbers(X, H_E, W_Q, W_K, W_V, real):
        """Your mask is inverted: words get the hugely negative score, and padding keeps its own.

        `real` is True for words. Which positions should lose their weight?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, hidden=real[..., None, :])

    def only_padding_answers_by_addition(X, H_E, W_Q, W_K, W_V, real):
        """Your mask is inverted: you add a hugely negative number to the scores of words.

        `real` is True for words, and counts as 1 there. Which scores should stay as they are?
        """
        scores = _scores(X, H_E, W_Q, W_K) - 1e9 * real[..., None, :]
        return torch.softmax(scores, -1) @ (H_E @ W_V)

    def only_padding_answers_or_nothing(X, H_E, W_Q, W_K, W_V, real):
        """Your mask is inverted: only padding gets weight. Where nothing is padded, your output is
        0.

        `real` is True for words. Does True in your mask mean that a key is seen, or that it is
        hidden?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, hidden=real[..., None, :]).nan_to_num(0.0)

    def padding_gets_everything(X, H_E, W_Q, W_K, W_V, real):
        """You give padding a hugely positive score, so it takes all the weight.

        Which sign must a score have for its exponential to be 0?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=1e9)

    def padding_gets_infinity(X, H_E, W_Q, W_K, W_V, real):
        """You give padding the score +∞, which makes every output of a padded sentence NaN.

        Which sign must infinity have for its exponential to be 0?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=math.inf)

    def padding_scores_one_less(X, H_E, W_Q, W_K, W_V, real):
        """Your mask lowers the scores of padding by only 1, relative to those of words, so padding
        keeps weight.

        How low must a score be for its exponential to be 0?
        """
        return torch.softmax(_scores(X, H_E, W_Q, W_K) + real[..., None, :].to(X.dtype), -1) @ (
            H_E @ W_V
        )

    def padding_scores_minus_one(X, H_E, W_Q, W_K, W_V, real):
        """You set the scores of padding to -1. Its exponential is 0.37, so padding gets weight.

        How low must a score be for its exponential to be 0?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1.0)

    def padding_scores_minus_ten(X, H_E, W_Q, W_K, W_V, real):
        """You set the scores of padding to -10. A word may have a lower score than that.

        Which score is lower than every other?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-10.0)

    def padding_scores_one(X, H_E, W_Q, W_K, W_V, real):
        """You set the scores of padding to 1. That is an ordinary score, so padding gets weight.

        Which score has an exponential of 0?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=1.0)

    def first_sentences_padding(X, H_E, W_Q, W_K, W_V, real):
        """You use the padding of the batch's first sentence for all sentences.

        `real` has a row for each sentence. Are all its rows the same?
        """
        first = real.reshape(-1, real.shape[-1])[0]
        return _version(X, H_E, W_Q, W_K, W_V, first)

    def padding_of_all_sentences(X, H_E, W_Q, W_K, W_V, real):
        """You hide only those columns that are padding in every sentence of the batch. The shorter
        sentences attend to their padding.

        Does each sentence have its own row of the mask?
        """
        return _version(X, H_E, W_Q, W_K, W_V, _of_all(real, every=False))

    def padding_of_any_sentence(X, H_E, W_Q, W_K, W_V, real):
        """You hide a column in all sentences if it is padding in one of them. Longer sentences lose
        words.

        Does each sentence have its own row of the mask?
        """
        return _version(X, H_E, W_Q, W_K, W_V, _of_all(real, every=True))

    def padding_at_the_end(X, H_E, W_Q, W_K, W_V, real):
        """You hide padding as if it stood only at the end: as many columns are left as there are
        words. But padding may also stand in front of words and between them.

        `real` says of each position whether it is a word.
        """
        n = real.shape[-1]
        return _version(X, H_E, W_Q, W_K, W_V, torch.arange(n) < real.sum(-1, keepdim=True))

    def mask_on_queries(X, H_E, W_Q, W_K, W_V, real):
        """You laid `real` along the rows of the scores. It belongs to English tokens, the columns.

        Scores are (…, m, n). In which place must the axis of size 1 stand?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, hidden=~real[..., None])

    def mask_on_queries_in_numbers(X, H_E, W_Q, W_K, W_V, real):
        """You laid `real` along the rows of the scores: a hidden row then has equal scores and
        equal weights.

        `real` belongs to English tokens, the columns. Where must the axis of size 1 stand?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, hidden=~real[..., None])

    def three_dimensions_only(X, H_E, W_Q, W_K, W_V, real):
        """Your function needs exactly one dimension for the batch. It stops on a single sentence.

        Count dimensions from the end: -1 is always the last one, and `...` stands for the others.
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, hidden=~real[:, None, :])

    def softmax_over_dutch_with_padding_low(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over the Dutch tokens, and each of them gives every column of padding
        the weight 1/m.

        Each Dutch token divides a weight of 1 among the English ones. Along which axis must the
        weights sum to 1?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, dim=-2)

    def softmax_over_both(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs over rows and columns together: all weights of a sentence sum to 1.

        What must each *row* of weights sum to?
        """
        scores = _scores(X, H_E, W_Q, W_K).masked_fill(~real[..., None, :], -math.inf)
        return scores.flatten(-2).softmax(-1).unflatten(-1, scores.shape[-2:]) @ (H_E @ W_V)

    def softmax_along_the_second_axis(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs along dimension 1. In a batch, that dimension holds the queries, and a
        hidden column gives NaN.

        Which number means the last dimension, however many there are?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, dim=1)

    def softmax_along_the_second_axis_low(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs along dimension 1. In a batch, that dimension holds the queries.

        Which number means the last dimension, however many there are?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, dim=1)

    def softmax_along_the_first_axis(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs along dimension 0: over queries, and in a batch over sentences.

        Which number means the last dimension, however many there are?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, dim=0)

    def softmax_along_the_first_axis_low(X, H_E, W_Q, W_K, W_V, real):
        """Your softmax runs along dimension 0, over queries or sentences, and padding can get
        weight there.

        Which number means the last dimension, however many there are?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, fill=-1e9, dim=0)

    def no_softmax(X, H_E, W_Q, W_K, W_V, real):
        """There is no softmax: you multiply the values by the scores themselves.

        What must the weights of a row sum to?
        """
        return (_scores(X, H_E, W_Q, W_K) * real[..., None, :]) @ (H_E @ W_V)

    def no_denominator(X, H_E, W_Q, W_K, W_V, real):
        """You multiply the values by the exponentials of the scores, without dividing by their sum.

        What must the weights of a row sum to?
        """
        return (_scores(X, H_E, W_Q, W_K).exp() * real[..., None, :]) @ (H_E @ W_V)

    def softmax_twice(X, H_E, W_Q, W_K, W_V, real):
        """You apply a softmax to weights that a softmax has made already. This flattens them.

        How often does the equation say softmax?
        """
        scores = _scores(X, H_E, W_Q, W_K).masked_fill(~real[..., None, :], -math.inf)
        return scores.softmax(-1).softmax(-1) @ (H_E @ W_V)

    def divided_by_root_of_d_v(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by the root of d_v, the width of the values.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=math.sqrt(W_V.shape[-1]))

    def divided_by_root_of_n(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by the root of n, the number of English tokens.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=math.sqrt(H_E.shape[-2]))

    def divided_by_root_of_m(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by the root of m, the number of Dutch tokens.

        A score is the dot product of a query and a key. How many terms does it add up?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=math.sqrt(X.shape[-2]))

    def divided_by_d_model(X, H_E, W_Q, W_K, W_V, real):
        """You divide the scores by d_model itself.

        Which width does the equation name, and what is taken of it?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=X.shape[-1])

    def multiplied_by_root(X, H_E, W_Q, W_K, W_V, real):
        """You multiply the scores by √d_k. Divide by it.

        Should the scores of wide keys become larger or smaller?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=W_K.shape[-1] ** -0.5)

    def divided_after_the_softmax(X, H_E, W_Q, W_K, W_V, real):
        """You divide by √d_k only after the softmax, and not before it.

        What stands within the softmax's brackets in the equation?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=1.0) / math.sqrt(W_K.shape[-1])

    def divided_before_and_after(X, H_E, W_Q, W_K, W_V, real):
        """The softmax is right, but you divide its weights, or the output, by √d_k as well.

        What should each row of weights sum to?
        """
        return correct(X, H_E, W_Q, W_K, W_V, real) / math.sqrt(W_K.shape[-1])

    def equal_weights(X, H_E, W_Q, W_K, W_V, real):
        """All words get the same weight, whatever the query is.

        Print a row of the scores that your softmax gets. Are those of words all equal?
        """
        return _version(X, H_E, W_Q, W_K, W_V, real, divisor=math.inf)

    def best_word_alone(X, H_E, W_Q, W_K, W_V, real):
        """Each output row is the value of a single word, the one with the highest score.

        The other words should get weight, too. Which function turns scores into shares?
        """
        scores = _scores(X, H_E, W_Q, W_K).masked_fill(~real[..., None, :], -math.inf)
        best = torch.nn.functional.one_hot(scores.argmax(-1), scores.shape[-1])
        return best.to(X.dtype) @ (H_E @ W_V)

    def keys_reshaped(X, H_E, W_Q, W_K, W_V, real):
        """You reshape the keys to (d_k, n). This mixes numbers of different tokens.

        Reshaping keeps the order of the numbers. Which operation exchanges rows and columns?
        """
        K = H_E @ W_K
        scores = (X @ W_Q) @ K.reshape(*K.shape[:-2], K.shape[-1], -1) / math.sqrt(K.shape[-1])
        return torch.softmax(scores.masked_fill(~real[..., None, :], -math.inf), -1) @ (H_E @ W_V)

    def matrices_exchanged(X, H_E, W_Q, W_K, W_V, real):
        """You swapped W_Q and W_K: the Dutch rows are multiplied by W_K.

        Which matrix makes queries, and which rows ask?
        """
        return _version(X, H_E, W_K, W_Q, W_V, real)

    def one_matrix_for_both(X, H_E, W_Q, W_K, W_V, real):
        """You make the keys with W_Q, so W_K is never used.

        Queries, keys and values each have a matrix of their own.
        """
        return _version(X, H_E, W_Q, W_Q, W_V, real)

    def keys_matrix_for_both(X, H_E, W_Q, W_K, W_V, real):
        """You make the queries with W_K, so W_Q is never used.

        Queries, keys and values each have a matrix of their own.
        """
        return _version(X, H_E, W_K, W_K, W_V, real)

    def english_asks_itself(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries, keys and values all from H_E: this is the encoder's self-attention,
        with padding hidden.

        Change a row of X. Does your output change?
        """
        return _version(H_E, H_E, W_Q, W_K, W_V, real)

    def english_asks_itself_and_padding(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries, keys and values all from H_E, and padding gets weight, too.

        Change a row of X. Does your output change?
        """
        return _version(H_E, H_E, W_Q, W_K, W_V, torch.ones_like(real))

    def english_asks_without_padding(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries from H_E, and keys and values from X. Rows of padding are 0 in your
        output.

        The output should have a row for each Dutch token. Which rows must the queries come from?
        """
        return Wrong.english_asks(X, H_E, W_Q, W_K, W_V, real) * real[..., None]

    def english_asks_with_a_mask(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries from H_E, and keys and values from X, so `real` does not fit the
        scores: their columns are Dutch.

        `real` belongs to the columns of the scores. Which rows must the keys come from?
        """
        return _version(H_E, X, W_Q, W_K, W_V, real)

    def english_asks_with_rows_hidden(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries from H_E and keys and values from X, and you hide rows of scores,
        which become NaN.

        `real` should lie along the columns. Which rows must the queries come from?
        """
        return _version(H_E, X, W_Q, W_K, W_V, real, hidden=~real[..., None])

    def dutch_asks_itself_with_a_mask(X, H_E, W_Q, W_K, W_V, real):
        """You compute queries, keys and values all from X, so `real`, which belongs to English
        tokens, does not fit the scores.

        What are the rows of H_E for?
        """
        return _version(X, X, W_Q, W_K, W_V, real)

    def keys_of_the_asking_side(X, H_E, W_Q, W_K, W_V, real):
        """Your keys come from X, and your values from H_E. This only runs if both have equally many
        rows.

        The query of a Dutch token is compared with a key for each *English* token.
        """
        return _attend(X @ W_Q, X @ W_K, H_E @ W_V, real)

    def rows_for_keys(X, H_E, W_Q, W_K, W_V, real):
        """You compare the queries with the rows of H_E themselves: W_K is never used.

        Keys are computed from these rows, just as values are.
        """
        return _attend(X @ W_Q, H_E, H_E @ W_V, real)

    def rows_for_queries(X, H_E, W_Q, W_K, W_V, real):
        """You compare the rows of X themselves with the keys: W_Q is never used.

        Queries are computed from these rows.
        """
        return _attend(X, H_E @ W_K, H_E @ W_V, real)

    def with_a_detour(X, H_E, W_Q, W_K, W_V, real):
        """You add X to the output. That is a residual connection, which the equation does not have.

        It only runs where d_v equals d_model. The decoder layer adds X outside your function.
        """
        return X + correct(X, H_E, W_Q, W_K, W_V, real)

    def weights_too(X, H_E, W_Q, W_K, W_V, real):
        """You return two things, and the question asks for one: the output.

        What stands after `return`?
        """
        scores = _scores(X, H_E, W_Q, W_K).masked_fill(~real[..., None, :], -math.inf)
        weights = torch.softmax(scores, -1)
        return weights @ (H_E @ W_V), weights

    def weights_do_not_learn(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but no gradient reaches X, W_Q or W_K.

        Is there a `no_grad` or a `detach` on their way to the scores and the attention weights?
        """
        scores = _scores(X, H_E, W_Q, W_K).masked_fill(~real[..., None, :], -math.inf)
        return torch.softmax(scores, -1).detach() @ (H_E @ W_V)

    def nothing_learns(X, H_E, W_Q, W_K, W_V, real):
        """The outputs are right, but no gradient flows back to any argument.

        NumPy, `no_grad`, `.data`, `.item()`, `detach` and `torch.tensor(...)` all cut the
        connection. Which of them do you use?
        """
        return correct(X, H_E, W_Q, W_K, W_V, real).detach()


class Right:
    """Right answers, written differently."""

    def in_three_lines(X, H_E, W_Q, W_K, W_V, real):
        """The equation as it stands."""
        scores = (X @ W_Q) @ (H_E @ W_K).transpose(-2, -1) / W_Q.shape[1] ** 0.5
        scores = scores + torch.zeros(real.shape, dtype=X.dtype).masked_fill(
            ~real, -math.inf
        ).unsqueeze(-2)
        return scores.softmax(-1) @ (H_E @ W_V)

    def with_einsum(X, H_E, W_Q, W_K, W_V, real):
        """Names the dimensions; exponentials times 0 and 1."""
        scores = torch.einsum("...md,dk,...ne,ek->...mn", X, W_Q, H_E, W_K) / math.sqrt(
            W_K.shape[1]
        )
        e = (scores - scores.amax(-1, keepdim=True)).exp() * real.to(X.dtype).unsqueeze(-2)
        return torch.einsum("...mn,...nd,dv->...mv", e / e.sum(-1, keepdim=True), H_E, W_V)

    def one_row_at_a_time(X, H_E, W_Q, W_K, W_V, real):
        """As document C writes it; padding is left out from the start."""
        if X.dim() > 2:
            parts = zip(X, H_E, real, strict=True)
            return torch.stack(
                [Right.one_row_at_a_time(x, H, W_Q, W_K, W_V, r) for x, H, r in parts]
            )
        keys, values = H_E[real] @ W_K, H_E[real] @ W_V
        rows = [torch.softmax(keys @ (x @ W_Q) / len(keys[0]) ** 0.5, 0) @ values for x in X]
        return torch.stack(rows)

    def with_the_kernel(X, H_E, W_Q, W_K, W_V, real):
        """Torch's own function, after the projections."""
        kernel = torch.nn.functional.scaled_dot_product_attention
        return kernel(X @ W_Q, H_E @ W_K, H_E @ W_V, attn_mask=real[..., None, :])

    def scaled_queries(X, H_E, W_Q, W_K, W_V, real):
        """Divides the queries, and multiplies the mean of the rows by W_V."""
        scores = (X @ W_Q / math.sqrt(W_Q.shape[-1])) @ (H_E @ W_K).mT
        hidden = real.logical_not()[..., None, :]
        return torch.softmax(torch.where(hidden, -math.inf, scores), -1) @ H_E @ W_V


EXERCISE = Exercise(
    id="cross_attention",
    oracle=correct,
    hint="Write the shapes: queries (m, d_k) from X, keys (n, d_k) and values (n, d_v) from H_E, "
    "scores (m, n). Then hide padding, take the softmax of each row, and average the values.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
