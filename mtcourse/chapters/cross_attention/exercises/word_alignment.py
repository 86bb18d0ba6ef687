"""The exercise ``word_alignment``: from weights of pieces to links of words (C37; chapter 6)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
    of_eos = draw.tensor([
        [0.60, 0.20, 0.10, 0.10],
        [0.25, 0.40, 0.25, 0.10],
        [0.00, 0.10, 0.80, 0.10],
    ])  # fmt: skip
    its_row = (of_eos, _words([1, 1]), _words([1, 1, 1]))
    tired = draw.tensor([
        [0.50, 0.30, 0.20],
        [0.02, 0.08, 0.90],
        [0.10, 0.40, 0.50],
        [0.10, 0.10, 0.80],
    ])  # fmt: skip
    its_column = (tired, _words([2, 1]), _words([1, 1]))
    fewer = draw.tensor([[0.1, 0.2, 0.6, 0.1], [0.1, 0.2, 0.6, 0.1], [0.7, 0.1, 0.1, 0.1]])
    few = (fewer, _words([1, 1]), _words([1, 1, 1]))
    even = (torch.eye(5, dtype=draw.dtype), _words([1, 1, 1, 1]), _words([1, 1, 1, 1]))
    return [
        Case("2 Dutch words and 3 English ones, the second of two pieces", by_hand, by_hand=True),
        Case("the row of <eos> looks elsewhere", its_row),
        Case("a piece that looks almost only at <eos>", its_column),
        Case("fewer Dutch words than English ones", few),
        Case("the same in double precision", (fewer.double(), *few[1:])),
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
        columns = [
            joined[:, source_words == k].amax(-1) for k in range(int(source_words.max()) + 1)
        ]
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
        """For Dutch piece j, you took row j + 1.

        Row j is where the decoder looked while it wrote piece j. The last row is that of <eos>.
        """
        return strongest(weights.roll(-1, 0), target_words, source_words)

    def row_above(weights, target_words, source_words):
        """For Dutch piece j, you took row j - 1, and for the first piece the last row.

        Row j is where the decoder looked while it wrote piece j, counted from 0.
        """
        return strongest(weights.roll(1, 0), target_words, source_words)

    def in_single_precision(weights, target_words, source_words):
        """Your function makes a tensor in single precision. If the weights are in double precision,
        torch raises an error.

        `.to(weights.dtype)` gives a tensor the precision of the weights, even if it holds True and
        False.
        """
        rows, columns = _member(target_words).float(), _member(source_words).float()
        return (rows.T @ weights @ columns).argmax(-1)

    def renormalised(weights, target_words, source_words):
        """You divide each row by its sum without <eos>. A piece that looks mostly at <eos> then
        counts more than it should.

        Leave <eos> out, and leave the other weights as they are.
        """
        inner = weights[:, :-1] / weights[:, :-1].sum(-1, keepdim=True)
        return strongest(inner, target_words, source_words[:-1])

    def first_english_piece(weights, target_words, source_words):
        """You look only at the first piece of each English word.

        Weights are shares: which share does a word get from all its pieces?
        """
        first = [int((source_words == k).nonzero()[0]) for k in range(int(source_words.max()) + 1)]
        return (_member(target_words).T.to(weights) @ weights[:, first]).argmax(-1)

    def last_english_piece(weights, target_words, source_words):
        """You look only at the last piece of each English word.

        Weights are shares: which share does a word get from all its pieces?
        """
        last = [int((source_words == k).nonzero()[-1]) for k in range(int(source_words.max()) + 1)]
        return (_member(target_words).T.to(weights) @ weights[:, last]).argmax(-1)

    def first_pieces(weights, target_words, source_words):
        """You look only at the first piece of each word, on either side.

        A word of three pieces has three rows, or three columns.
        """
        first = [int((source_words == k).nonzero()[0]) for k in range(int(source_words.max()) + 1)]
        rows = [int((target_words == k).nonzero()[0]) for k in range(int(target_words.max()) + 1)]
        return weights[rows][:, first].argmax(-1)

    def pieces_vote(weights, target_words, source_words):
        """You let each piece of a Dutch word vote for its strongest English word, and the most
        votes win.

        A piece that is nearly undecided should not count as much as one that is sure. What changes
        if you average the rows first?
        """
        chosen = (weights @ _member(source_words).to(weights)).argmax(-1)
        words = range(int(target_words.max()) + 1)
        return torch.stack([chosen[target_words == k].mode().values for k in words])

    def pieces_vote_in_order(weights, target_words, source_words):
        """You let each piece of a Dutch word vote for its strongest English word, and in a tie the
        first vote wins.

        A piece that is nearly undecided should not count as much as one that is sure. What changes
        if you average the rows first?
        """
        chosen = (weights @ _member(source_words).to(weights)).argmax(-1).tolist()
        of_words = [
            [one for one, word in zip(chosen, target_words.tolist(), strict=True) if word == k]
            for k in range(int(target_words.max()) + 1)
        ]
        return torch.tensor([max(votes, key=votes.count) for votes in of_words])

    def piece_with_the_largest_cell(weights, target_words, source_words):
        """For each Dutch word, you find the largest single weight in its rows, and take the English
        word in whose columns it stands.

        Weights are shares: which share does a word get from all its pieces?
        """
        best = []
        for k in range(int(target_words.max()) + 1):
            rows = weights[target_words == k][:, :-1]
            best.append(source_words[int(rows.amax(0).argmax())])
        return torch.stack(best)

    def number_of_the_piece(weights, target_words, source_words):
        """You return the number of the strongest English *piece*.

        Which word does that piece belong to? And which share does a word of several pieces get?
        """
        return (_member(target_words).T.to(weights) @ weights[:, :-1]).argmax(-1)

    def number_of_the_piece_or_eos(weights, target_words, source_words):
        """You return the number of the strongest English *piece*, <eos> among them.

        Which word does that piece belong to? And which share does a word of several pieces get?
        """
        return (_member(target_words).T.to(weights) @ weights).argmax(-1)

    def strongest_piece_or_eos(weights, target_words, source_words):
        """You take the word of the strongest single English piece, and -1 where that is <eos>.

        Weights are shares: which share does a word get from all its pieces?
        """
        return source_words[(_member(target_words).T.to(weights) @ weights).argmax(-1)]

    def one_for_each_piece(weights, target_words, source_words):
        """You return a word for each Dutch *piece*.

        All pieces of a Dutch word share one answer. What becomes of their rows?
        """
        return (weights @ _member(source_words).to(weights))[:-1].argmax(-1)

    def one_for_each_row(weights, target_words, source_words):
        """You return a word for each row of the weights, that of <eos> among them.

        All pieces of a Dutch word share one answer. What becomes of their rows?
        """
        return (weights @ _member(source_words).to(weights)).argmax(-1)

    def pieces_without_eos(weights, target_words, source_words):
        """You return the number of an English piece for each Dutch piece.

        Return one number for each Dutch word: that of an English word.
        """
        return weights[:-1, :-1].argmax(-1)

    def word_of_each_piece(weights, target_words, source_words):
        """For each Dutch *piece* you return the word of its strongest English piece.

        Return one number for each Dutch *word*. And which share does a word of several pieces get?
        """
        return source_words[weights[:-1, :-1].argmax(-1)]

    def eos_is_a_dutch_word(weights, target_words, source_words):
        """You return a number for <eos>, too, as if it were a last Dutch word.

        <eos> is not a word. Which rows should be left?
        """
        rows = torch.cat([_member(target_words), (target_words == -1)[:, None].double()], 1)
        return (rows.T.to(weights) @ weights @ _member(source_words).to(weights)).argmax(-1)

    def eos_is_the_first_dutch_word(weights, target_words, source_words):
        """You return a number for <eos>, too, in front of those of the words.

        <eos> has the number -1. Which numbers are words?
        """
        rows = torch.cat([(target_words == -1)[:, None].double(), _member(target_words)], 1)
        return (rows.T.to(weights) @ weights @ _member(source_words).to(weights)).argmax(-1)

    def row_of_eos_for_the_last_word(weights, target_words, source_words):
        """You add the row of <eos> to those of the last Dutch word.

        The number of <eos> is -1, and as an index -1 means the last position.
        """
        rows = _member(target_words)
        rows[-1, -1] = 1
        return (rows.T.to(weights) @ weights @ _member(source_words).to(weights)).argmax(-1)

    def eos_for_the_last_words(weights, target_words, source_words):
        """You add the row of <eos> to the last Dutch word, and its column to the last English word.

        The number of <eos> is -1, and as an index -1 means the last position.
        """
        rows, columns = _member(target_words), _member(source_words)
        rows[-1, -1] = columns[-1, -1] = 1
        return (rows.T.to(weights) @ weights @ columns.to(weights)).argmax(-1)

    def one_too_large(weights, target_words, source_words):
        """Every number is one too large: you count English words from 1, or <eos> as word 0.

        Words are counted from 0.
        """
        return strongest(weights, target_words, source_words) + 1

    def one_too_small(weights, target_words, source_words):
        """Every number is one too small.

        Words are counted from 0, and so are columns. Is 1 subtracted somewhere?
        """
        return strongest(weights, target_words, source_words) - 1

    def eos_is_word_0(weights, target_words, source_words):
        """You count <eos> as word 0, so that numbers are one too large, and <eos> can be chosen.

        <eos> has the number -1. Which numbers are words?
        """
        columns = torch.cat([(source_words == -1)[:, None].double(), _member(source_words)], 1)
        return (_member(target_words).T.to(weights) @ weights @ columns.to(weights)).argmax(-1)

    def last_english_word_lost(weights, target_words, source_words):
        """You leave out the last English word.

        If the largest number is 4, how many words are there?
        """
        return _joined(weights, target_words, source_words)[
            :, : int(source_words.max()) or 1
        ].argmax(-1)

    def last_dutch_word_lost(weights, target_words, source_words):
        """You leave out the last Dutch word.

        If the largest number is 4, how many words are there?
        """
        return strongest(weights, target_words, source_words)[:-1]

    def as_many_as_dutch(weights, target_words, source_words):
        """You look only at as many English words as there are Dutch ones.

        How many English words are there? Which of the two tensors says so?
        """
        count = int(target_words.max()) + 1
        return _joined(weights, target_words, source_words)[:, :count].argmax(-1)

    def softmax_first(weights, target_words, source_words):
        """You apply a softmax to the weights before you add them up. This flattens them.

        Each row sums to 1 already.
        """
        return strongest(weights.softmax(-1), target_words, source_words)

    def logarithms_added(weights, target_words, source_words):
        """You add up logarithms of weights, or multiply the weights of a Dutch word's rows.

        Which mean of the rows lets all pieces count equally?
        """
        joined = (weights @ _member(source_words).to(weights)).clamp(min=1e-30).log()
        return (_member(target_words).T.to(weights) @ joined).argmax(-1)

    def squares_added(weights, target_words, source_words):
        """You add up the squares of the weights.

        Which share does a word get from all its pieces?
        """
        return strongest(weights**2, target_words, source_words)

    def each_english_word_once(weights, target_words, source_words):
        """You give each English word to one Dutch word only, in the order of the Dutch words.

        Two Dutch words may look at the same English word.
        """
        chosen = []
        for row in _joined(weights, target_words, source_words).tolist():
            free = [i for i in range(len(row)) if i not in chosen] or list(range(len(row)))
            chosen.append(max(free, key=row.__getitem__))
        return torch.tensor(chosen)

    def smallest(weights, target_words, source_words):
        """You take the English word with the smallest weight.

        Where does the decoder look *most*?
        """
        return _joined(weights, target_words, source_words).argmin(-1)

    def english_words_choose_by_sums(weights, target_words, source_words):
        """You return a Dutch word for each English one, the one whose rows have the largest sum.

        Return an English word for each Dutch one: the largest weight of each row.
        """
        return (
            _member(target_words).T.to(weights) @ weights @ _member(source_words).to(weights)
        ).argmax(0)

    def means_of_both(weights, target_words, source_words):
        """You average over the pieces of an English word, and take the largest entry of each column
        over the rows of a Dutch word.

        Weights are shares: which share does a word get from all its pieces?
        """
        columns = _member(source_words).to(weights)
        joined = weights @ (columns / columns.sum(0))
        rows = [joined[target_words == k].amax(0) for k in range(int(target_words.max()) + 1)]
        return torch.stack(rows).argmax(-1)

    def position_in_the_sentence(weights, target_words, source_words):
        """You return the numbers 0, 1, 2, …, as if both languages had the same order.

        Where does the decoder look? Use the weights.
        """
        return torch.arange(int(target_words.max()) + 1).clamp(max=int(source_words.max()))


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
