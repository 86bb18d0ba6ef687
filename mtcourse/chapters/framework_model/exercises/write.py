"""The exercise ``write``: three bugs in the loop that writes a sentence (A18, A20; chapter 7)."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("a model that writes a word twice in a row", (_listed(draw, _TWICE), 2, 3, 20)),
        Case("a model that comes back to a word", (_listed(draw, _AGAIN), 2, 3, 20)),
        Case("a model that writes one word for ever", (_listed(draw, {2: {5: 4}}), 2, 3, 60)),
        Case("one word for ever, of which one is wanted", (_listed(draw, {2: {5: 4}}), 2, 3, 1)),
        Case("a model that writes 13 words, 12 of them the same", (_listed(draw, _LONG), 2, 3, 20)),
        Case("<bos> is 5 and <eos> is 2", (_listed(draw, _OTHER), 5, 2, 20)),
    ]


_TWICE = {2: {5: 4.0}, 5: {5: -1.0, 6: 2.0}, 6: {3: 10.0}}  # 5 5 6
_AGAIN = {2: {5: 4.0}, 5: {5: -3.0, 6: 5.0, 7: 1.9}, 6: {5: 5.0, 6: -8.0}, 7: {3: 20.0}}  # 5 6 5 7
_OTHER = {5: {6: 4.0}, 6: {6: -9.0, 3: 1.0, 7: 3.0}, 7: {7: -9.0, 3: 8.0}, 3: {2: 30.0}}  # 6 7 3
_LONG = {2: {8: 12.5}, 8: {8: -1.0, 9: 0.1, 3: 0.01}, 9: {3: 9.0}}  # 8, 12 times, and 9


def _listed(draw: Draw, rows) -> Tensor:
    """A table of ten words with these scores, and 0 elsewhere."""
    return draw.tensor([[float(rows.get(i, {}).get(j, 0.0)) for j in range(10)] for i in range(10)])


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


def correct(model, bos, eos, most):
    """All words so far, the last row, until <eos>."""
    ids = [bos]
    while len(ids) <= most:
        word = int(logits_of(model, ids)[-1].argmax())
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


def _written(table, bos, eos, most, seen=None, chosen=None, ends=None):
    """The right loop, with a change in what the model reads, what is chosen, or what ends it."""
    ids = [bos]
    for _ in range(most):
        logits = logits_of(table, seen(ids) if seen else ids)
        word = int(chosen(logits) if chosen else logits[-1].argmax())
        if ends(word, ids) if ends else word == eos:
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
        """The model still gets the last word alone, without the ones before it.

        The model has no memory. Hand over everything that it should take into account, each time.
        Several rows then come out: which of them do you use?
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
        """The first word is missing from the list that you return.

        What is in your list before the loop begins, and how much of it do you cut off at the end?
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

        Which score does the most probable word have?
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

        These ids are the second and the third argument.
        """
        return _loop(table, 2, 3, most)

    def ends_at_three(table, bos, eos, most):
        """The loop ends at 3, whatever the id of <eos> is.

        It is the third argument.
        """
        return _written(table, bos, eos, most, ends=lambda word, ids: word == 3)

    def begins_with_the_id_one(table, bos, eos, most):
        """The loop begins with 1, whatever the id of <bos> is.

        It is the second argument.
        """
        return _loop(table, 1, eos, most)

    def ends_at_padding(table, bos, eos, most):
        """The loop ends at 0, whatever the id of <eos> is.

        It is the third argument.
        """
        return _written(table, bos, eos, most, ends=lambda word, ids: word == 0)

    def begins_with_nothing(table, bos, eos, most):
        """An index fails: perhaps the model was given an empty list, or you ask for a row that does
        not exist.

        What does the model read before the first word? With n ids, what is the index of the last
        row?
        """
        return _written(table, bos, eos, most, seen=lambda ids: ids[1:])

    def forgets_bos(table, bos, eos, most):
        """<bos> is left out as soon as there are words.

        The model has learnt sentences that begin with <bos>. What should it read each time?
        """
        return _written(table, bos, eos, most, seen=lambda ids: ids[1:] or ids)

    def last_two_words(table, bos, eos, most):
        """The model gets only the last two ids.

        The model has no memory. Hand over everything that it should take into account.
        """
        return _written(table, bos, eos, most, seen=lambda ids: ids[-2:])

    def last_three_words(table, bos, eos, most):
        """The model gets only the last three ids.

        The model has no memory. Hand over everything that it should take into account.
        """
        return _written(table, bos, eos, most, seen=lambda ids: ids[-3:])

    def bos_and_last_word(table, bos, eos, most):
        """The model gets <bos> and the last word, without the ones in between.

        The model has no memory. Hand over everything that it should take into account.
        """
        return _written(
            table, bos, eos, most, seen=lambda ids: ids if len(ids) < 2 else [ids[0], ids[-1]]
        )

    def all_but_the_last(table, bos, eos, most):
        """The row that you use has not read the word that was written last.

        Hand over everything that was written so far.
        """
        return _written(table, bos, eos, most, seen=lambda ids: ids[:-1] or ids)

    def words_each_once(table, bos, eos, most):
        """Each word is handed over once, even if it was written twice.

        Hand over the list as it is.
        """
        return _written(table, bos, eos, most, seen=lambda ids: list(dict.fromkeys(ids)))

    def second_row(table, bos, eos, most):
        """The word comes from the second row.

        Which row has read everything?
        """
        return _written(
            table, bos, eos, most, chosen=lambda logits: logits[min(1, len(logits) - 1)].argmax()
        )

    def rows_added(table, bos, eos, most):
        """The word comes from the sum, or the mean, of all rows.

        One row has read everything. Which?
        """
        return _written(table, bos, eos, most, chosen=lambda logits: logits.sum(0).argmax())

    def largest_of_all_rows(table, bos, eos, most):
        """The word is the one with the largest score in any of the rows.

        One row has read everything. Which?
        """
        return _written(table, bos, eos, most, chosen=lambda logits: logits.amax(0).argmax())

    def place_in_all_rows(table, bos, eos, most):
        """The word is not an id, but a place in the whole matrix of scores: `argmax` went through
        all rows together.

        Choose a row first.
        """
        return _written(table, bos, eos, most, chosen=lambda logits: logits.argmax())

    def best_row(table, bos, eos, most):
        """The word is not an id, but the number of the row with the largest score in the last
        column.

        Rows are words that were read, columns are words to write.
        """
        return _written(table, bos, eos, most, chosen=lambda logits: logits[:, -1].argmax())

    def second_best(table, bos, eos, most):
        """The word is the second best.

        Which score does the most probable word have?
        """
        return _written(table, bos, eos, most, chosen=lambda logits: logits[-1].topk(2).indices[1])

    def repetition_ends(table, bos, eos, most):
        """The loop ends where a word is the same as the one before.

        A sentence may have a word twice in a row. What ends it?
        """
        return _written(table, bos, eos, most, ends=lambda word, ids: word in (eos, ids[-1]))

    def any_repetition_ends(table, bos, eos, most):
        """The loop ends where a word was written before.

        A sentence may have a word twice. What ends it?
        """
        return _written(table, bos, eos, most, ends=lambda word, ids: word == eos or word in ids)

    def repetition_is_left_out(table, bos, eos, most):
        """A word that was written already is not written again.

        A sentence may have a word twice. Return all words, as they were written.
        """
        return list(dict.fromkeys(correct(table, bos, eos, most)))

    def special_word_ends(table, bos, eos, most):
        """The loop ends at any of the ids 0 to 3.

        Only <eos> ends a sentence, and its id is the third argument.
        """
        return _written(table, bos, eos, most, ends=lambda word, ids: word <= 3)

    def new_sentence(table, bos, eos, most):
        """After <eos> the loop begins a new sentence.

        What does it mean that the model predicts <eos>?
        """
        words, ids = [], [bos]
        for _ in range(most):
            word = int(logits_of(table, ids)[-1].argmax())
            ids = [bos] if word == eos else [*ids, word]
            words += [word] * (word != eos)
        return words

    def eos_removed(table, bos, eos, most):
        """The loop goes on after <eos>, and leaves each <eos> out of the words that it returns.

        Where does a sentence end?
        """
        return [word for word in _loop(table, bos, eos, most, stops=False) if word != eos]

    def best_word_but_eos(table, bos, eos, most):
        """<eos> can never be chosen: the loop takes the best of the other words.

        What does it mean that the model predicts <eos>?
        """
        ids = [bos]
        for _ in range(most):
            scores = logits_of(table, ids)[-1].clone()
            scores[eos] = -1e9
            ids.append(int(scores.argmax()))
        return ids[1:]

    def keeps_both(table, bos, eos, most):
        """The words are right, but <bos> and <eos> are still around them.

        Return the words between <bos> and <eos>, without the two.
        """
        return [bos, *Wrong.keeps_eos(table, bos, eos, most)]

    def always_ends_with_eos(table, bos, eos, most):
        """<eos> is at the end of every sentence, even where the model did not write it.

        Return the words between <bos> and <eos>, without the two.
        """
        return [*correct(table, bos, eos, most), eos]

    def loses_the_last(table, bos, eos, most):
        """The last word is missing, even where the sentence ended by itself.

        What is in the list when the loop ends?
        """
        return correct(table, bos, eos, most)[:-1]

    def loses_both_ends(table, bos, eos, most):
        """The first word and the last one are missing.

        What is in the list when the loop ends?
        """
        return correct(table, bos, eos, most)[1:-1]

    def first_word_only(table, bos, eos, most):
        """Only the first word is written.

        Is there a loop, and does `return` stand after it or within it?
        """
        return correct(table, bos, eos, most)[:1]

    def last_word_only(table, bos, eos, most):
        """Only the last word is returned.

        Which list holds all of them?
        """
        return correct(table, bos, eos, most)[-1:]

    def nothing(table, bos, eos, most):
        """You return an empty list.

        Does your loop begin at all?
        """
        return []

    def ignores_most(table, bos, eos, most):
        """The loop does not stop after `most` words, but after 30.

        The fourth argument says how many there may be.
        """
        return correct(table, bos, eos, 30)

    def stops_at_twenty(table, bos, eos, most):
        """The loop stops after 20 words, whatever `most` is.

        The fourth argument says how many there may be.
        """
        return correct(table, bos, eos, 20)

    def stops_at_fifty(table, bos, eos, most):
        """The loop stops after 50 words, whatever `most` is.

        The fourth argument says how many there may be.
        """
        return correct(table, bos, eos, 50)

    def stops_at_hundred(table, bos, eos, most):
        """The loop stops after 100 words, whatever `most` is.

        The fourth argument says how many there may be.
        """
        return correct(table, bos, eos, 100)

    def always_most(table, bos, eos, most):
        """You always return `most` ids: the sentence, and then <eos> in every place that is left.

        Return the words between <bos> and <eos>.
        """
        ids = correct(table, bos, eos, most)
        return ids + [eos] * (most - len(ids))

    def two_too_few(table, bos, eos, most):
        """A sentence that does not end by itself is cut off two words too early.

        The loop writes at most `most` words, and neither <bos> nor <eos> counts as one.
        """
        return _loop(table, bos, eos, most - 2)

    def number_of_words(table, bos, eos, most):
        """You return how many words there are.

        Return the list of their ids.
        """
        return len(correct(table, bos, eos, most))

    def words_in_reverse(table, bos, eos, most):
        """The words are right, but in reverse order.

        Does `insert(0, …)` or `[::-1]` turn them round?
        """
        return correct(table, bos, eos, most)[::-1]


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
