"""The exercise ``word_alignment``: from weights of pieces to links of words (C37; chapter 06)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Words of one piece, of several, and an <eos> that takes most of the weight."""
    weights = draw.tensor([
        [0.30, 0.25, 0.25, 0.10, 0.10],
        [0.10, 0.10, 0.20, 0.30, 0.30],
        [0.05, 0.15, 0.10, 0.50, 0.20],
        [0.10, 0.10, 0.10, 0.10, 0.60],
    ])  # fmt: skip
    by_hand = (weights, _words([1, 2, 0]), _words([1, 2, 1]))
    even = (torch.eye(5, dtype=draw.dtype), _words([1, 1, 1, 1]), _words([1, 1, 1, 1]))
    return [
        Case("2 Dutch words and 3 English ones, the second of two pieces", by_hand, by_hand=True),
        Case("4 words of one piece each, on either side", even),
        *(
            Case(f"words of several pieces, number {k}", _drawn(draw, target, source))
            for k, (target, source) in enumerate(SIZES)
        ),
        Case("an <eos> that gets most of the weight", _drawn(draw, [1, 3, 1, 2], [2, 1, 3], 3.0)),
    ]


SIZES = (
    ([1, 2, 1, 3], [2, 1, 4, 1, 1]),
    ([3, 1, 2], [1, 3, 1, 2]),
    ([2, 2, 2, 2], [3, 1, 2, 1]),
    ([1, 1, 4, 1, 2, 1], [1, 2, 5, 1, 1]),
    ([4, 1, 3, 2], [1, 1, 6, 1, 2]),
)


def _words(sizes):
    """The word of each piece, and -1 for <eos>."""
    return torch.tensor([k for k, size in enumerate(sizes) for _ in range(size)] + [-1])


def _drawn(draw: Draw, target, source, for_eos=0.0):
    """Weights whose rows sum to 1."""
    rows, columns = _words(target), _words(source)
    scores = 1.5 * draw.normal(len(rows), len(columns))
    scores[:, -1] += for_eos
    return scores.softmax(-1), rows, columns


def _member(of_pieces):
    """1 where a piece belongs to a word; <eos> belongs to none."""
    return (of_pieces[:, None] == torch.arange(int(of_pieces.max()) + 1)).double()


def _joined(weights, target_words, source_words):
    rows = _member(target_words).to(weights)
    return (rows / rows.sum(0)).T @ weights @ _member(source_words).to(weights)


def strongest(weights, target_words, source_words):
    """The oracle: for each Dutch word the English word with the largest weight."""
    return _joined(weights, target_words, source_words).argmax(-1)


class Wrong:
    """What learners write, the more particular before the more general."""

    def weights_for_words(weights, target_words, source_words):
        """You returned the weights of the words, a matrix. Return one English word for each row.

        In which column is the largest weight of each row?
        """
        return _joined(weights, target_words, source_words)

    def pieces_for_words(weights, target_words, source_words):
        """You returned positions of English *pieces*, one for each Dutch *piece*.

        Return one number for each Dutch word: that of an English word.
        """
        return weights.argmax(-1)

    def eos_is_a_word(weights, target_words, source_words):
        """Where <eos> gets the most weight, you return <eos>. It is not a word, and cannot be
        linked.

        Leave its column out before you look for the largest weight.
        """
        columns = torch.cat([_member(source_words), (source_words == -1)[:, None].double()], 1)
        rows = _member(target_words)
        return (rows.T.to(weights) @ weights @ columns.to(weights)).argmax(-1)

    def eos_counts_for_the_last_word(weights, target_words, source_words):
        """You added the weight of <eos> to the last English word.

        The number of <eos> is -1, and as an index -1 means the last position.
        """
        columns = _member(source_words)
        columns[-1, -1] = 1
        return (_member(target_words).T.to(weights) @ weights @ columns.to(weights)).argmax(-1)

    def strongest_piece(weights, target_words, source_words):
        """You took the English word that has the strongest single *piece*.

        The weights of a row are shares of 1. Which share does a word get from all its pieces?
        """
        joined = _member(target_words).T.to(weights) @ weights
        columns = [joined[:, source_words == k].amax(-1) for k in range(int(source_words.max()) + 1)]
        return torch.stack(columns, -1).argmax(-1)

    def mean_of_columns(weights, target_words, source_words):
        """You average the weights of an English word's pieces, so a word of many pieces can hardly
        win.

        Weights are shares: two pieces with a quarter each make a half.
        """
        columns = _member(source_words).to(weights)
        joined = _member(target_words).T.to(weights) @ weights @ (columns / columns.sum(0))
        return joined.argmax(-1)

    def first_piece_asks(weights, target_words, source_words):
        """You use only the row of each Dutch word's first piece.

        A word of three pieces was written in three steps. Each step has a row.
        """
        first = [int((target_words == k).nonzero()[0]) for k in range(int(target_words.max()) + 1)]
        return (weights[first] @ _member(source_words).to(weights)).argmax(-1)

    def last_piece_asks(weights, target_words, source_words):
        """You use only the row of each Dutch word's last piece.

        A word of three pieces was written in three steps. Each step has a row.
        """
        last = [int((target_words == k).nonzero()[-1]) for k in range(int(target_words.max()) + 1)]
        return (weights[last] @ _member(source_words).to(weights)).argmax(-1)

    def strongest_row(weights, target_words, source_words):
        """You took the largest entry of each column over the rows of a Dutch word. Take their mean.

        A single piece with one large weight should not outvote all the others.
        """
        joined = weights @ _member(source_words).to(weights)
        rows = [joined[target_words == k].amax(0) for k in range(int(target_words.max()) + 1)]
        return torch.stack(rows).argmax(-1)

    def english_words_choose(weights, target_words, source_words):
        """You return a Dutch word for each English one: the largest weight of each *column*.

        Return an English word for each Dutch one: the largest weight of each row.
        """
        return _joined(weights, target_words, source_words).argmax(-2)

    def row_below(weights, target_words, source_words):
        """You gave each Dutch word the row below its own, which belongs to the word after it.

        Row j is where the decoder looked while it wrote piece j. The last row is that of <eos>.
        """
        return strongest(weights.roll(-1, 0), target_words, source_words)

    def row_above(weights, target_words, source_words):
        """You gave each Dutch word the row above its own, which belongs to the word before it.

        Row j is where the decoder looked while it wrote piece j, counted from 0.
        """
        return strongest(weights.roll(1, 0), target_words, source_words)

    def in_single_precision(weights, target_words, source_words):
        """Your matrix of words is in single precision. If the weights are in double precision,
        torch raises an error.

        `.to(weights.dtype)` gives it the precision of the weights, even if it holds True and False.
        """
        rows, columns = _member(target_words).float(), _member(source_words).float()
        return (rows.T @ weights @ columns).argmax(-1)


class Right:
    """Right answers, written differently."""

    def with_loops(weights, target_words, source_words):
        """Adds up numbers."""
        m, n = int(target_words.max()) + 1, int(source_words.max()) + 1
        totals = [[0.0] * n for _ in range(m)]
        for row, j in zip(weights.tolist(), target_words.tolist(), strict=True):
            for weight, i in zip(row, source_words.tolist(), strict=True):
                if i >= 0 and j >= 0:
                    totals[j][i] += weight
        return torch.tensor([of.index(max(of)) for of in totals])

    def with_index_add(weights, target_words, source_words):
        """Gathers columns, then rows."""
        m, n = int(target_words.max()) + 1, int(source_words.max()) + 1
        inner = weights[:-1, :-1]
        columns = torch.zeros(len(inner), n, dtype=weights.dtype)
        columns = columns.index_add(1, source_words[:-1], inner)
        rows = torch.zeros(m, n, dtype=weights.dtype).index_add(0, target_words[:-1], columns)
        return rows.argmax(dim=1)

    def with_one_hot(weights, target_words, source_words):
        """Membership as matrices, with a row more for <eos> that is cut off."""
        one_hot = torch.nn.functional.one_hot
        rows = one_hot(target_words + 1)[:, 1:].to(weights.dtype)
        columns = one_hot(source_words + 1)[:, 1:].to(weights.dtype)
        return torch.einsum("pj,pq,qi->ji", rows, weights, columns).argmax(-1)

    def with_means(weights, target_words, source_words):
        """A word at a time."""
        answer = []
        for j in range(int(target_words.max()) + 1):
            row = weights[target_words == j].mean(0)
            shares = [row[source_words == i].sum() for i in range(int(source_words.max()) + 1)]
            answer.append(int(torch.stack(shares).argmax()))
        return torch.tensor(answer)


EXERCISE = Exercise(
    id="word_alignment",
    oracle=strongest,
    hint="First make a matrix of words: add up the columns of each English word, then average the "
    "rows of each Dutch word. <eos> belongs to no word. Then find the largest of each row.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
