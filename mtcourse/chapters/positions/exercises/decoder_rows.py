"""The exercise ``decoder_rows``: three bugs in the rows of new tokens (A05, B05; chapter 03)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Whole sentences and single new tokens; as many sentences as tokens, more, and fewer."""
    ids = torch.tensor([[1, 0]])
    W_E = draw.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 1.0, 0.0]])
    P = draw.tensor([[0.0, 10.0, 0.0, 10.0], [5.0, 0.0, 5.0, 0.0], [7.0, 7.0, 7.0, 7.0]])
    return [
        Case("one sentence of two tokens, 4 wide", (ids, W_E, P, 1), by_hand=True),
        Case("3 sentences of 5 tokens from the beginning", _drawn(draw, 3, 5, 8, 0)),
        Case("5 sentences of 3 tokens from position 2", _drawn(draw, 5, 3, 6, 2)),
        Case("4 sentences, one new token each, at position 6", _drawn(draw, 4, 1, 8, 6)),
        Case("4 sentences of 4 tokens from the beginning", _drawn(draw, 4, 4, 10, 0)),
        Case("one sentence, one token, at position 3", _drawn(draw, 1, 1, 2, 3)),
    ]


def _drawn(draw, sentences, tokens, d_model, start):
    """Token ids, a table of 12 words, and a table of 16 positions."""
    ids = draw.ids(sentences, tokens, lowest=0, highest=11)
    return ids, draw.normal(12, d_model), draw.normal(16, d_model), start


def correct(ids, W_E, P, start=0):
    """Scaled embeddings plus the positions of these tokens."""
    return _version(ids, W_E, P, start)


def _version(ids, W_E, P, start, axis=True, begins=True, scale=True):
    """The function of the notebook with some of its three bugs fixed."""
    first = start if begins else 0
    sentences, tokens = ids.shape
    rows = P[first : first + tokens] if axis else P[first : first + sentences, None]
    root = math.sqrt(W_E.shape[1])
    return root * W_E[ids] + rows if scale else root * (W_E[ids] + rows)


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(ids, W_E, P, start=0):
        """Your function still returns what the broken version returns: all three bugs are in it.

        Take a batch of two sentences. Which row of P does each token get, and times what?
        """
        return _version(ids, W_E, P, start, False, False, False)

    def axis_mended_alone(ids, W_E, P, start=0):
        """One bug is fixed: the tokens of a sentence now get different positions. Two are left.

        Is `start` used? And what exactly is multiplied by the root?
        """
        return _version(ids, W_E, P, start, True, False, False)

    def start_mended_alone(ids, W_E, P, start=0):
        """One bug is fixed: `start` is used. Two are left.

        How many rows of P are needed, one for each sentence or one for each token? And what is
        scaled?
        """
        return _version(ids, W_E, P, start, False, True, False)

    def scale_mended_alone(ids, W_E, P, start=0):
        """One bug is fixed: embeddings are scaled and positions are not. Two are left.

        How many rows of P are needed, one for each sentence or one for each token? And is `start`
        used?
        """
        return _version(ids, W_E, P, start, False, False, True)

    def axis_left(ids, W_E, P, start=0):
        """Two bugs are fixed. One is left: all tokens of sentence b of the batch get row b of P.

        ids has a row for each sentence. Along which of its dimensions do the positions run?
        """
        return _version(ids, W_E, P, start, axis=False)

    def start_left(ids, W_E, P, start=0):
        """Two bugs are fixed. One is left: the first of the new tokens always gets position 0.

        While the decoder writes, it calls this with one token at a time. Where does that token
        stand?
        """
        return _version(ids, W_E, P, start, begins=False)

    def scale_left(ids, W_E, P, start=0):
        """Two bugs are fixed. One is left: the positions are scaled together with the embeddings.

        The root should make words larger beside their positions. If both grow, nothing is gained.
        """
        return _version(ids, W_E, P, start, scale=False)

    def not_scaled(ids, W_E, P, start=0):
        """The positions are right, but the embeddings are not scaled at all.

        This is what document B does. The paper of 2017 multiplies the embeddings by √d_model.
        """
        return W_E[ids] + P[start : start + ids.shape[1]]

    def by_d_model(ids, W_E, P, start=0):
        """The positions are right, but the embeddings are multiplied by d_model, and not by its
        root.

        It is the squared norm that should grow d_model times. By how much should the norm grow?
        """
        return W_E.shape[1] * W_E[ids] + P[start : start + ids.shape[1]]

    def divided(ids, W_E, P, start=0):
        """The positions are right, but the embeddings are divided by √d_model.

        The scale should make words larger beside their positions, so it multiplies.
        """
        return W_E[ids] / math.sqrt(W_E.shape[1]) + P[start : start + ids.shape[1]]

    def positions_scaled(ids, W_E, P, start=0):
        """The positions are the right ones, but √d_model multiplies them and not the embeddings.

        Which of the two has too small a norm, the word or its position?
        """
        return W_E[ids] + math.sqrt(W_E.shape[1]) * P[start : start + ids.shape[1]]

    def scaled_by_the_vocabulary(ids, W_E, P, start=0):
        """You multiply by the root of the number of words, and not by the root of the width.

        The table has V rows and d_model columns. Which of the two numbers is the width?
        """
        return math.sqrt(W_E.shape[0]) * W_E[ids] + P[start : start + ids.shape[1]]

    def one_place_late(ids, W_E, P, start=0):
        """All positions are too large by one: the first token gets row start + 1.

        Positions are counted from 0: the token that stands at `start` gets row `start`.
        """
        return _version(ids, W_E, P, start + 1)

    def positions_by_id(ids, W_E, P, start=0):
        """You look up the rows of P with the ids of the words.

        A row of P belongs to a position, no matter which word stands there.
        """
        return math.sqrt(W_E.shape[1]) * W_E[ids] + P[ids]


class Right:
    """Right answers, written differently."""

    def mended(ids, W_E, P, start=0):
        """The version of the notebook with all three bugs fixed."""
        return _version(ids, W_E, P, start)

    def with_a_range(ids, W_E, P, start=0):
        """Looks up the positions by their numbers."""
        places = torch.arange(start, start + ids.size(-1))
        return W_E[ids] * W_E.size(-1) ** 0.5 + P[places][None]

    def one_token_at_a_time(ids, W_E, P, start=0):
        """Loops over sentences and tokens."""
        root = W_E.shape[-1] ** 0.5
        return torch.stack(
            [
                torch.stack([root * W_E[token] + P[start + j] for j, token in enumerate(sentence)])
                for sentence in ids
            ]
        )

    def cut_twice(ids, W_E, P, start=0):
        """Takes all positions from start on, then as many of them as there are tokens."""
        rows = P[start:][: ids.shape[1]]
        return torch.add(rows, torch.nn.functional.embedding(ids, W_E), alpha=math.sqrt(P.shape[1]))


EXERCISE = Exercise(
    id="decoder_rows",
    oracle=correct,
    hint="Check three things: how many rows of P you take, with which row they begin, and what you "
    "multiply by the root. Which of them is still wrong?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
