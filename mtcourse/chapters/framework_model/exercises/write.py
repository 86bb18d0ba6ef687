"""The exercise ``write``: three bugs in the loop that writes a sentence (A18, A20; chapter 07)."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Tables of toy models; what they write is as long as wanted, and ends or does not."""

    def case(name, V, wanted, most, bos=2, eos=3, ends=True):
        *sentence, decoy = _words(draw, V, wanted + 1)
        return Case(name, (_table(draw, V, bos, sentence, decoy, eos, ends), bos, eos, most))

    return [
        case("a model that writes four words", 12, 4, 20),
        case("a model that ends at once", 9, 0, 10),
        case("a model that writes six words", 14, 6, 20),
        case("a model that does not end", 16, 9, 5, ends=False),
        case("a model that ends just in time", 12, 5, 5),
        case("other ids for <bos> and <eos>", 12, 3, 20, bos=1, eos=0),
        case("a model that is stopped one word early", 12, 5, 4),
    ]


def _words(draw: Draw, V: int, wanted: int) -> list[int]:
    """Words that are all different, and no special ones."""
    return (draw.normal(V - 4).argsort()[:wanted] + 4).tolist()


def _table(
    draw: Draw, V: int, bos: int, sentence: list[int], decoy: int, eos: int, ends: bool
) -> Tensor:
    """A table whose rows, added up over all words read so far, put the next word first.

    Each word by itself would lead to the decoy, which <bos> rules out: a loop that gives the
    model the last word alone goes wrong.
    """
    table = draw.normal(V, V, scale=0.5)
    table[:, decoy] += 9.0
    table[bos, decoy] = -1000.0
    table[bos, next(word for word in range(4) if word not in (bos, eos))] = -2000.0
    wanted = [*sentence, eos] if ends else [*sentence, sentence[0]]
    so_far = torch.zeros(V, dtype=table.dtype)
    for word, after in zip([bos, *sentence], wanted, strict=True):
        with_it = so_far + table[word]
        table[word, after] += 2.0 + float(with_it.max() - with_it[after])
        so_far = so_far + table[word]
    return table


def logits_of(table, ids):
    """Row j: the scores of the word after ids[: j + 1]."""
    return table[torch.as_tensor(ids)].cumsum(0)


def correct(table, bos, eos, most):
    """All words so far, the last row, until <eos>."""
    ids = [bos]
    while len(ids) <= most:
        word = int(logits_of(table, ids)[-1].argmax())
        if word == eos:
            break
        ids.append(word)
    return ids[1:]


def _loop(table, bos, eos, most, *, row=-1, reads_all=True, stops=True):
    """The loop with its three bugs, each of which can be fixed."""
    ids = [bos]
    for _ in range(most):
        read = ids if reads_all else ids[-1:]
        word = int(logits_of(table, read)[row].argmax())
        if stops and word == eos:
            break
        ids.append(word)
    return ids[1:]


class Wrong:
    """What learners write, the more particular before the more general."""

    def broken(table, bos, eos, most):
        """This loop still does what the broken loop does.

        Which row does it use, which words does it read, and when does it stop?
        """
        return _loop(table, bos, eos, most, row=0, reads_all=False, stops=False)

    def first_row_and_no_end(table, bos, eos, most):
        """Two bugs are left: the word comes from the first row, and <eos> does not end the
        sentence.

        The first row has read <bos> alone, so it predicts the same word each time.
        """
        return _loop(table, bos, eos, most, row=0, stops=False)

    def first_row_left(table, bos, eos, most):
        """One bug is left: you take the word from the first row, which has read <bos> alone.

        The next word is in the row that has read everything.
        """
        return _loop(table, bos, eos, most, row=0)

    def last_word_left(table, bos, eos, most):
        """One bug is left: you give the model the last word alone, without the ones before it.

        The model has no memory. Hand over everything that it should take into account, each time.
        """
        return _loop(table, bos, eos, most, reads_all=False)

    def never_stops(table, bos, eos, most):
        """One bug is left: <eos> is appended like a word, and the loop goes on after it.

        What does it mean that the model predicts <eos>?
        """
        return _loop(table, bos, eos, most, stops=False)

    def keeps_eos(table, bos, eos, most):
        """The words are right, but <eos> is among them.

        Return the words between <bos> and <eos>, without the two.
        """
        ids = _loop(table, bos, eos, most, stops=False)
        return ids[: ids.index(eos) + 1] if eos in ids else ids

    def keeps_bos(table, bos, eos, most):
        """The words are right, but <bos> is still in front of them.

        Return the words between <bos> and <eos>, without the two.
        """
        return [bos, *correct(table, bos, eos, most)]

    def loses_the_first(table, bos, eos, most):
        """The first word is missing: you cut off more than <bos>.

        Count what is in the list before the loop begins.
        """
        return correct(table, bos, eos, most)[1:]

    def one_too_few(table, bos, eos, most):
        """A sentence that does not end by itself is cut off one word too early.

        The loop writes at most `most` words, and <bos> does not count as one.
        """
        return _loop(table, bos, eos, most - 1)

    def one_too_many(table, bos, eos, most):
        """A sentence that does not end by itself gets one word too many.

        The loop writes at most `most` words.
        """
        return _loop(table, bos, eos, most + 1)

    def least_probable(table, bos, eos, most):
        """You take the word with the smallest score.

        Greedy search takes the largest.
        """
        ids = [bos]
        while len(ids) <= most:
            word = int(logits_of(table, ids)[-1].argmin())
            if word == eos:
                break
            ids.append(word)
        return ids[1:]

    def begins_with_eos(table, bos, eos, most):
        """The first input is <eos>, and should be <bos>.

        The model has learnt to begin with <bos>, whose id is the second argument.
        """
        return _loop(table, eos, eos, most)

    def begins_with_two(table, bos, eos, most):
        """The loop begins with 2 and ends at 3, whatever the ids of <bos> and <eos> are.

        They are the second and the third argument.
        """
        return _loop(table, 2, 3, most)


class Right:
    """Right answers, written differently."""

    def with_for(table, bos, eos, most):
        """A loop that counts."""
        ids = [bos]
        for _ in range(most):
            next_word = logits_of(table, ids)[-1].max(dim=-1).indices.item()
            if next_word == eos:
                return ids[1:]
            ids.append(next_word)
        return ids[1:]

    def with_probabilities(table, bos, eos, most):
        """A softmax does not change which is largest."""
        written = []
        while len(written) < most:
            p = logits_of(table, [bos, *written]).softmax(-1)[-1]
            best = p.tolist().index(max(p.tolist()))
            if best == eos:
                break
            written.append(best)
        return written

    def by_recursion(table, bos, eos, most):
        """The first word, then the rest."""

        def rest(ids):
            if len(ids) > most:
                return []
            word = logits_of(table, ids)[len(ids) - 1].argmax().item()
            return [] if word == eos else [word, *rest([*ids, word])]

        return rest([bos])

    def cut_afterwards(table, bos, eos, most):
        """Writes on, and cuts at <eos>."""
        ids = torch.tensor([bos])
        for _ in range(most):
            ids = torch.cat([ids, logits_of(table, ids)[-1:].argmax(-1)])
        words = ids[1:].tolist()
        return words[: words.index(eos)] if eos in words else words


EXERCISE = Exercise(
    id="write",
    oracle=correct,
    hint="Print in each round what the model reads, how many rows it returns, and which word the "
    "loop takes. Then say what the last row has read.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
