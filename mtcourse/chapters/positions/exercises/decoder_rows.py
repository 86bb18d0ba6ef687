"""The exercise ``decoder_rows``: three bugs in the rows of new tokens (A05, B05; chapter 3)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Whole sentences and single new tokens; as many sentences as tokens, more, and fewer."""
    ids = torch.tensor([[1, 0]])
    W_E = draw.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 3.0, 1.0, 0.0]])
    P = draw.tensor([[0.0, 10.0, 0.0, 10.0], [5.0, 0.0, 5.0, 0.0], [7.0, 7.0, 7.0, 7.0]])
    P = torch.cat([P, draw.tensor([[9.0, 9.0, 8.0, 8.0]])])
    return [
        Case("one sentence of two tokens, 4 wide", (ids, W_E, P, 1), by_hand=True),
        Case("3 sentences of 5 tokens from the beginning", _drawn(draw, 3, 5, 8, 0)),
        Case("5 sentences of 3 tokens from position 2", _drawn(draw, 5, 3, 6, 2)),
        Case("4 sentences, one new token each, at position 6", _drawn(draw, 4, 1, 8, 6)),
        Case("4 sentences of 4 tokens from the beginning", _drawn(draw, 4, 4, 10, 0)),
        Case("one sentence, one token, at position 3", _drawn(draw, 1, 1, 2, 3)),
        Case("2 sentences of 4 tokens from position 1", _drawn(draw, 2, 4, 6, 1)),
    ]


def _drawn(draw, sentences, tokens, d_model, start):
    """Token ids, a table of 12 words, and a table of 40 positions."""
    ids = draw.ids(sentences, tokens, lowest=0, highest=11)
    return ids, draw.normal(12, d_model), draw.normal(40, d_model), start


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


def _words(ids, W_E):
    """Scaled embeddings."""
    return math.sqrt(W_E.shape[1]) * W_E[ids]


def _at(P, places):
    """The rows of positions; beyond the last row the table begins again."""
    return P[places % len(P)]


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
        """Two bugs are fixed. One is left: all tokens of sentence b of the batch get row
        `start` + b of P.

        ids has a row for each sentence. Along which of its dimensions do the positions run?
        """
        return _version(ids, W_E, P, start, axis=False)

    def start_left(ids, W_E, P, start=0):
        """Two bugs are fixed. One is left: the first of the new tokens always gets position 0.

        While the decoder writes, it calls your function with one token at a time. Where does that
        token stand?
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

    def one_row_for_all_tokens(ids, W_E, P, start=0):
        """The scale is right, but all tokens of a sentence get row `start` of P.

        That is right for a single new token. Which row does the token after it get?
        """
        return _words(ids, W_E) + P[start]

    def one_row_for_all_tokens_from_the_beginning(ids, W_E, P, start=0):
        """The scale is right, but all tokens get row 0 of P.

        The tokens of a sentence stand one after another, and the first of them stands at `start`.
        """
        return _words(ids, W_E) + P[0]

    def after_the_last_written(ids, W_E, P, start=0):
        """Where `start` is not 0, your positions are too large by one.

        `start` is the position of the first of these tokens, not of the one written before them.
        """
        return _version(ids, W_E, P, start + 1 if start else 0)

    def one_place_early(ids, W_E, P, start=0):
        """Where `start` is not 0, your positions are too small by one.

        Positions are counted from 0: the token that stands at `start` gets row `start`.
        """
        return _version(ids, W_E, P, max(start - 1, 0))

    def one_place_early_also_at_the_beginning(ids, W_E, P, start=0):
        """Your positions are too small by one, and the first token of a sentence gets P's last
        row.

        Row -1 is the last one. Positions are counted from 0.
        """
        return _words(ids, W_E) + _at(P, start - 1 + torch.arange(ids.shape[1]))

    def start_is_the_last(ids, W_E, P, start=0):
        """You take `start` for the position of the *last* of the tokens, and count back from it.

        `start` is the position of the first one.
        """
        return _words(ids, W_E) + P[start - ids.shape[1] + 1 : start + 1]

    def start_is_the_end(ids, W_E, P, start=0):
        """Your rows end before row `start`: you take it for the position after the last token.

        `start` is the position of the first one.
        """
        return _words(ids, W_E) + P[start - ids.shape[1] : start]

    def runs_on_from_sentence_to_sentence(ids, W_E, P, start=0):
        """Your positions run on from one sentence of the batch to the next.

        Each sentence has its own beginning: the first token of each gets row `start`.
        """
        return _words(ids, W_E) + _at(P, start + torch.arange(ids.numel()).view(ids.shape))

    def start_counts_steps(ids, W_E, P, start=0):
        """You multiply `start` by the number of tokens, as if it counted steps.

        `start` is a position already. Does your first token get row `start`?
        """
        return _words(ids, W_E) + _at(P, start * ids.shape[1] + torch.arange(ids.shape[1]))

    def start_counts_twice(ids, W_E, P, start=0):
        """You add `start` twice: your rows begin with row 2 · `start`.

        Did you cut the table at `start`, and then count from `start` in what is left?
        """
        return _words(ids, W_E) + _at(P, 2 * start + torch.arange(ids.shape[1]))

    def row_of_start_added(ids, W_E, P, start=0):
        """You add the row of `start` to the rows from 0 on, and so each token gets two rows of P.

        It is the *numbers* of the rows that grow by `start`.
        """
        return _words(ids, W_E) + P[: ids.shape[1]] + (P[start] if start else 0)

    def row_of_start_always_added(ids, W_E, P, start=0):
        """Each token gets two rows of P, that of `start` and one counted from 0.

        It is the *numbers* of the rows that grow by `start`.
        """
        return _words(ids, W_E) + P[: ids.shape[1]] + P[start]

    def start_added_as_a_number(ids, W_E, P, start=0):
        """You add the number `start` to the rows of P, which begin at 0.

        It is the *numbers* of the rows that grow by `start`, not what stands in them.
        """
        return _words(ids, W_E) + P[: ids.shape[1]] + start

    def slice_ends_at_m(ids, W_E, P, start=0):
        """Your slice of P ends at the number of tokens, wherever it begins.

        From `start` on you need as many rows as there are tokens. With which row does that end?
        """
        return _words(ids, W_E) + P[start : ids.shape[1]]

    def slice_without_an_end(ids, W_E, P, start=0):
        """You take all rows of P from `start` on, also those that no token has.

        How many rows are needed?
        """
        return _words(ids, W_E) + P[start:]

    def whole_table(ids, W_E, P, start=0):
        """You add the whole table P, however many tokens there are.

        How many rows are needed, and with which one do they begin?
        """
        return _words(ids, W_E) + P

    def one_row_more(ids, W_E, P, start=0):
        """You take one row of P too many.

        Row `start` is the first. A slice leaves its end out.
        """
        return _words(ids, W_E) + P[start : start + ids.shape[1] + 1]

    def first_token_alone(ids, W_E, P, start=0):
        """Only the first token gets row `start`; the others are counted from 0.

        The second token stands one place after the first.
        """
        rows = P[: ids.shape[1]].clone()
        rows[0] = P[start]
        return _words(ids, W_E) + rows

    def newest_first(ids, W_E, P, start=0):
        """You count the positions backwards: the *last* token gets row `start`.

        The tokens stand in the order in which they are read.
        """
        return _words(ids, W_E) + P[start : start + ids.shape[1]].flip(0)

    def positions_by_id_and_start(ids, W_E, P, start=0):
        """You add `start` to the ids of the words, and look up P with that.

        A row of P belongs to a position, no matter which word stands there.
        """
        return _words(ids, W_E) + _at(P, ids + start)

    def without_positions(ids, W_E, P, start=0):
        """You scale the embeddings and add no positions.

        P is an argument. Does your function use it?
        """
        return _words(ids, W_E)

    def positions_alone(ids, W_E, P, start=0):
        """You return rows of P, without the words.

        Each row is the sum of an embedding and a position.
        """
        return P[start : start + ids.shape[1]].expand(*ids.shape, -1)

    def positions_subtracted(ids, W_E, P, start=0):
        """You subtract the positions. They should be added.

        Which sign stands between the embedding and P?
        """
        return _words(ids, W_E) - P[start : start + ids.shape[1]]

    def positions_multiplied(ids, W_E, P, start=0):
        """You multiply the embeddings by the positions, number by number. They should be added.

        Each row is the sum of an embedding and a position.
        """
        return _words(ids, W_E) * P[start : start + ids.shape[1]]

    def side_by_side(ids, W_E, P, start=0):
        """You put the embedding and the position side by side, so rows are twice as wide.

        Both are d_model wide. They are added.
        """
        words = _words(ids, W_E)
        return torch.cat([words, P[start : start + ids.shape[1]].expand_as(words)], dim=-1)

    def divided_together(ids, W_E, P, start=0):
        """You divide the sum of embeddings and positions by √d_model.

        The root multiplies, and only the embeddings.
        """
        return (W_E[ids] + P[start : start + ids.shape[1]]) / math.sqrt(W_E.shape[1])

    def positions_made_small(ids, W_E, P, start=0):
        """The positions are the right ones, but you divide them by √d_model, and leave the words
        as they are.

        The words should be larger beside their positions. The paper multiplies the words.
        """
        return W_E[ids] + P[start : start + ids.shape[1]] / math.sqrt(W_E.shape[1])

    def scaled_twice(ids, W_E, P, start=0):
        """You scale the embeddings and then scale the sum once more.

        The root multiplies the embeddings once, and nothing else.
        """
        return math.sqrt(W_E.shape[1]) * (_words(ids, W_E) + P[start : start + ids.shape[1]])

    def root_of_the_tokens(ids, W_E, P, start=0):
        """You multiply by the root of the number of tokens.

        The width of the rows does not depend on how many tokens there are. What is d_model?
        """
        return math.sqrt(ids.shape[1]) * W_E[ids] + P[start : start + ids.shape[1]]

    def root_of_the_sentences(ids, W_E, P, start=0):
        """You multiply by the root of the number of sentences.

        The width of the rows does not depend on how many sentences there are. What is d_model?
        """
        return math.sqrt(ids.shape[0]) * W_E[ids] + P[start : start + ids.shape[1]]

    def root_of_the_positions(ids, W_E, P, start=0):
        """You multiply by the root of the number of rows of P.

        The width is the number of *columns*. What is d_model?
        """
        return math.sqrt(P.shape[0]) * W_E[ids] + P[start : start + ids.shape[1]]

    def not_scaled_and_from_0(ids, W_E, P, start=0):
        """The embeddings are not scaled, and the rows of P begin at 0.

        What does the root multiply, and where is `start` used?
        """
        return W_E[ids] + P[: ids.shape[1]]

    def not_scaled_and_by_sentence(ids, W_E, P, start=0):
        """The embeddings are not scaled, and all tokens of a sentence get the same row of P.

        What does the root multiply? And along which dimension of ids do positions run?
        """
        return W_E[ids] + P[start : start + len(ids), None]

    def nothing_to_learn_by(ids, W_E, P, start=0):
        """The rows are right, but no gradient flows back to `W_E` or `P`.

        The embeddings are learnt. Was something detached, or copied into a new tensor?
        """
        return correct(ids, W_E, P, start).detach()


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
