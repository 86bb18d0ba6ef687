"""The exercise ``beams_move``: keys and values follow their beams (C11; chapter 14)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Beams that swap, have two children or none, and become more or fewer; several sentences."""
    first = draw.tensor([[[[1.0]]], [[[2.0]]], [[[3.0]]]])
    by_hand = (first, 10 * first, torch.tensor([[2, 0, 0]]))
    return [
        Case("3 beams of one sentence", by_hand, by_hand=True),
        Case("2 sentences, 3 beams", _drawn(draw, 3, [[2, 0, 1], [0, 2, 2]])),
        Case("the first step: from one beam to four", _drawn(draw, 1, [[0] * 4] * 2)),
        Case("from 4 beams to 2", _drawn(draw, 4, [[3, 1], [0, 2], [2, 2]])),
        Case("one sentence, 5 beams in a circle", _drawn(draw, 5, [[1, 2, 3, 4, 0]])),
        Case("as many beams as heads", _drawn(draw, 2, [[1, 0], [1, 1]])),
        Case("as many sentences as beams", _drawn(draw, 3, [[1, 1, 2], [2, 0, 1], [0, 1, 0]])),
        Case("a single beam", _drawn(draw, 1, [[0], [0], [0]])),
        Case("no last beam goes on", _drawn(draw, 4, [[0, 2, 0, 1], [1, 1, 2, 0]])),
        Case("3 sentences, 4 beams", _drawn(draw, 4, [[3, 3, 0, 2], [1, 0, 3, 2], [2, 1, 1, 1]])),
    ]


def _drawn(draw, beams, parents, h=2, t=5, d_k=3):
    """Keys and values with a row for each old beam of each sentence."""
    rows = len(parents) * beams
    return (draw.normal(rows, h, t, d_k), draw.normal(rows, h, t, d_k), torch.tensor(parents))


def _rows(K, parents):
    """The old row that each new row continues."""
    sentences = len(parents)
    beams = len(K) // sentences
    return (torch.arange(sentences)[:, None] * beams + parents).flatten()


def correct(K, V, parents):
    """Takes the rows of the parents, sentence by sentence."""
    return _taken(K, V, _rows(K, parents))


def _taken(K, V, rows):
    return K.index_select(0, rows), V.index_select(0, rows)


def _as_beams(K, sentences):
    return K.unflatten(0, (sentences, len(K) // sentences))


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_moves(K, V, parents):
        """You return K and V as they came, so each beam keeps the past of another.

        New beam b continues old beam parents[b]. Which row of K should it get?
        """
        return K.clone(), V.clone()

    def keys_alone_move(K, V, parents):
        """Your values stay where they were, and do not move with their beams.

        Row j of K and row j of V belong to the same token.
        """
        return correct(K, V, parents)[0], V.clone()

    def values_alone_move(K, V, parents):
        """Your keys stay where they were, and do not move with their beams.

        Row j of K and row j of V belong to the same token.
        """
        return K.clone(), correct(K, V, parents)[1]

    def first_sentence_read_by_all(K, V, parents):
        """Every sentence gets the keys and values of the first one: you took the numbers of the
        beams for numbers of rows.

        Beam 0 of sentence 1 is not row 0. Which row is it?
        """
        return _taken(K, V, parents.flatten())

    def counted_by_new_beams(K, V, parents):
        """You look for sentence s behind s times as many rows as there are *new* beams. The number
        of beams can change.

        How many rows of K has one sentence before the step?
        """
        sentences, beams = parents.shape
        return _taken(K, V, (torch.arange(sentences)[:, None] * beams + parents).flatten())

    def beams_outside(K, V, parents):
        """You took the rows as if all first beams stood in front, then all second beams.

        Row s · B + b holds beam b of sentence s: the beams of a sentence are neighbours.
        """
        sentences = len(parents)
        return _taken(K, V, (parents * sentences + torch.arange(sentences)[:, None]).flatten())

    def returned_beam_by_beam(K, V, parents):
        """You took the right rows, but you return all first beams, then all second beams.

        Row s · B + b holds beam b of sentence s, before the step and after it.
        """
        sentences = len(parents)
        rows = _rows(K, parents).view(sentences, -1).T.flatten()
        return _taken(K, V, rows)

    def sent_to_the_parents(K, V, parents):
        """You wrote each old row *to* the place parents[b]. New beam b should *take* the row from
        there.

        `K[rows]` reads, `K[rows] = …` writes. Which of the two do you need?
        """
        rows = _rows(K, parents)
        new_K, new_V = K.clone(), V.clone()
        new_K[rows], new_V[rows] = K, V
        return new_K, new_V

    def sent_to_the_parents_of_zeros(K, V, parents):
        """You wrote each old row *to* the place parents[b], into a tensor of zeros. New beam b
        should *take* the row from there.

        `K[rows]` reads, `K[rows] = …` writes. Which of the two do you need?
        """
        rows = _rows(K, parents)
        new_K, new_V = torch.zeros_like(K), torch.zeros_like(V)
        new_K[rows], new_V[rows] = K, V
        return new_K, new_V

    def read_after_writing(K, V, parents):
        """You read rows that you have already overwritten: a beam gets the past of a new beam.

        Read from the old cache, and write into another tensor.
        """
        new_K, new_V = K.clone(), V.clone()
        for row, parent in enumerate(_rows(K, parents).tolist()):
            new_K[row], new_V[row] = new_K[parent], new_V[parent]
        return new_K, new_V

    def written_into_the_cache(K, V, parents):
        """The rows are right, but you wrote them into the given K and V.

        An older state may still need them. Return new tensors.
        """
        new_K, new_V = correct(K, V, parents)
        if new_K.shape == K.shape:
            K.copy_(new_K)
            V.copy_(new_V)
        return new_K, new_V

    def read_after_writing_into_the_cache(K, V, parents):
        """You write into the given K and V, and then read rows that are already overwritten.

        Read from the old cache, and write into another tensor.
        """
        for row, parent in enumerate(_rows(K, parents).tolist()):
            K[row], V[row] = K[parent], V[parent]
        return K, V

    def inverse(K, V, parents):
        """You read `parents` the other way round, as `argsort` does: beam b gets the row of the
        beam that continues b.

        New beam b continues old beam parents[b]. Which row should it get?
        """
        return correct(K, V, parents.argsort(1, stable=True))

    def sorted_parents(K, V, parents):
        """You sort the parents first. Their order says which new beam continues which old one.

        The tokens of new beam b continue parents[b], and so must its keys.
        """
        return correct(K, V, parents.sort(1).values)

    def each_parent_once(K, V, parents):
        """You take each parent once, so there are too few rows where a beam has two children.

        A parent's rows are copied for each of its children.
        """
        rows = list(dict.fromkeys(_rows(K, parents).tolist()))
        return K[rows], V[rows]

    def parents_of_the_first_sentence(K, V, parents):
        """You use the parents of the first sentence for all sentences.

        Each sentence has a row of parents.
        """
        return correct(K, V, parents[:1].expand_as(parents))

    def best_beam_for_all(K, V, parents):
        """All new beams of a sentence get the past of the first one.

        Each of them has a parent of its own.
        """
        return correct(K, V, parents[:, :1].expand_as(parents))

    def counted_from_one(K, V, parents):
        """You subtract 1 from the parents. Beams are counted from 0.

        parents[b] = 0 means the first beam.
        """
        return correct(K, V, parents - 1)

    def parents_backwards(K, V, parents):
        """You use the parents of a sentence in reverse order.

        parents[s, b] belongs to new beam b.
        """
        return correct(K, V, parents.flip(1))

    def parents_turned(K, V, parents):
        """You use `parents` transposed.

        It has a row for each sentence, and a column for each new beam.
        """
        return _taken(K, V, _rows(K, parents.T.reshape(parents.shape)))

    def heads_for_beams(K, V, parents):
        """You indexed dimension 1, that of the heads. Dimension 0 of K has the beams.

        `K[:, rows]` takes heads. What takes rows?
        """
        rows = _rows(K, parents)
        return K[:, rows], V[:, rows]

    def one_row_for_each_sentence(K, V, parents):
        """You look for sentence s from row s on. Each sentence has as many rows as old beams.

        Two sentences with three beams each: where does sentence 1 begin?
        """
        return _taken(K, V, (parents + torch.arange(len(parents))[:, None]).flatten())

    def parents_times_beams(K, V, parents):
        """You multiplied the numbers of the *beams* by how many beams there are. Multiply those of
        the sentences.

        Two sentences with three beams each: in which row is beam 1 of sentence 0?
        """
        beams = len(K) // len(parents)
        return _taken(K, V, (parents * beams + torch.arange(len(parents))[:, None]).flatten())

    def room_for_old_beams(K, V, parents):
        """You make room for as many rows as K has. The number of beams can change.

        How many rows does the result have?
        """
        new_K, new_V = torch.zeros_like(K), torch.zeros_like(V)
        sentences, beams = parents.shape
        old = len(K) // sentences
        for s in range(sentences):
            for b in range(beams):
                new_K[s * old + b] = K[s * old + parents[s, b]]
                new_V[s * old + b] = V[s * old + parents[s, b]]
        return new_K, new_V

    def last_column_alone_moves(K, V, parents):
        """Only the newest position moves, and the older ones stay. The whole past of a beam moves
        with it.

        How many positions of the parent does the new beam continue?
        """
        new_K, new_V = correct(K, V, parents)
        if new_K.shape != K.shape:
            return new_K, new_V
        return (
            torch.cat([K[:, :, :-1], new_K[:, :, -1:]], 2),
            torch.cat([V[:, :, :-1], new_V[:, :, -1:]], 2),
        )

    def last_column_stays(K, V, parents):
        """The older positions move, and the newest one stays. The whole past of a beam moves with
        it.

        How many positions of the parent does the new beam continue?
        """
        new_K, new_V = correct(K, V, parents)
        if new_K.shape != K.shape:
            return new_K, new_V
        return (
            torch.cat([new_K[:, :, :-1], K[:, :, -1:]], 2),
            torch.cat([new_V[:, :, :-1], V[:, :, -1:]], 2),
        )

    def sentences_and_beams_apart(K, V, parents):
        """The rows are right, but sentences and beams have a dimension each.

        The result has one row for each beam of each sentence, as K has. `flatten(0, 1)` merges two
        dimensions.
        """
        new_K, new_V = correct(K, V, parents)
        return new_K.unflatten(0, parents.shape), new_V.unflatten(0, parents.shape)

    def first_sentence_and_beams_apart(K, V, parents):
        """You took the numbers of the beams for numbers of rows, and your result has a dimension
        for the sentences and one for the beams.

        Beam 0 of sentence 1 is not row 0. Which row is it? And what shape has K?
        """
        return K[parents], V[parents]

    def parents_of_all_sentences(K, V, parents):
        """Each sentence gets the parents of *all* sentences, so your result has a dimension too
        many.

        `x[:, parents]` takes the whole table of parents for each sentence. Sentence s has row s of
        it.
        """
        K, V = (_as_beams(x, len(parents)) for x in (K, V))
        return K[:, parents].flatten(0, 1), V[:, parents].flatten(0, 1)

    def rows_run_together(K, V, parents):
        """The numbers are right, but the rows have lost their dimension: it has become one with
        that of the heads.

        A single row of K has the shape (h, t, d_k). `torch.cat` joins along a dimension that is
        there; `torch.stack` makes a new one.
        """
        new_K, new_V = correct(K, V, parents)
        return new_K.flatten(0, 1), new_V.flatten(0, 1)

    def values_first(K, V, parents):
        """You return the right things, with K and V exchanged.

        Return the keys first, then the values.
        """
        return correct(K, V, parents)[::-1]

    def gathered_without_expanding(K, V, parents):
        """You took only the first number of each row. `gather` takes as many numbers as its index
        has.

        Expand the index, so that it has the sizes h, t and d_k as well.
        """
        index = parents[:, :, None, None, None]
        K, V = (_as_beams(x, len(parents)) for x in (K, V))
        return K.gather(1, index).flatten(0, 1), V.gather(1, index).flatten(0, 1)

    def values_behind_the_keys(K, V, parents):
        """You return one tensor, the values behind the keys. Return two things: K and V.

        Leave out `torch.cat`.
        """
        return torch.cat(correct(K, V, parents))

    def keys_only(K, V, parents):
        """You return only the keys. The values are asked for, too.

        Return two things: K and V.
        """
        return correct(K, V, parents)[0]

    def stacked(K, V, parents):
        """You return keys and values in one tensor. Return two things: K and V.

        Leave out `torch.stack`.
        """
        return torch.stack(correct(K, V, parents))

    def keys_for_values(K, V, parents):
        """As values you return the keys once more.

        Which tensor is indexed for the second result?
        """
        return correct(K, K, parents)

    def mean_of_the_parents(K, V, parents):
        """Each new beam gets the mean over all its sentence's new beams.

        Each of them has a parent of its own.
        """
        new = (part.unflatten(0, parents.shape) for part in correct(K, V, parents))
        return tuple(part.mean(1, keepdim=True).expand_as(part).flatten(0, 1) for part in new)

    def first_sentence_alone(K, V, parents):
        """You return the beams of the first sentence alone.

        Is there a `return` inside a loop over the sentences?
        """
        return _taken(K, V, parents[0])

    def last_sentence_alone(K, V, parents):
        """You return the beams of the last sentence alone.

        Does each sentence overwrite the one before? Collect them, and concatenate at the end.
        """
        return _taken(K, V, _rows(K, parents)[-parents.shape[1] :])

    def counted_by_the_largest_parent(K, V, parents):
        """You took the largest number in `parents` for that of the last old beam. The last beams
        may have no child.

        How many rows of K has one sentence? Ask K, and not `parents`.
        """
        beams = int(parents.max()) + 1
        return _taken(K, V, (torch.arange(len(parents))[:, None] * beams + parents).flatten())

    def counted_by_heads(K, V, parents):
        """You look for sentence s behind s times as many rows as there are *heads*.

        `K.shape[1]` is h. How many rows of K has one sentence?
        """
        return _taken(
            K, V, (torch.arange(len(parents))[:, None] * K.shape[1] + parents).flatten()
        )  # fmt: skip

    def sentences_counted_along_the_row(K, V, parents):
        """You add the beginning of sentence b to column b of `parents`. Sentence s has *row* s.

        Which shape has `arange` to have, so that each row of `parents` gets one number?
        """
        beams = len(K) // len(parents)
        return _taken(K, V, (parents + beams * torch.arange(parents.shape[1])).flatten())

    def sentence_of_a_row_by_old_beams(K, V, parents):
        """You find the sentence of a new row as if each sentence had as many new beams as old ones.

        New row r belongs to sentence r // (new beams). How many are these?
        """
        old = len(K) // len(parents)
        sentence = torch.arange(parents.numel()) // old
        return _taken(K, V, parents.flatten() + sentence * old)

    def all_parents_in_one_row(K, V, parents):
        """Each sentence gets the parents of *all* sentences, so there are too many rows.

        `x[:, parents]` takes the whole table of parents for each sentence. Sentence s has row s of
        it.
        """
        K, V = (_as_beams(x, len(parents)) for x in (K, V))
        return K[:, parents].flatten(0, 2), V[:, parents].flatten(0, 2)

    def each_parent_once_in_order(K, V, parents):
        """You take each parent once, in the order of the old rows.

        A parent's rows are copied for each of its children, in the order of the new beams.
        """
        return _taken(K, V, _rows(K, parents).unique())

    def copied_without_moving(K, V, parents):
        """You copy each row for the new number of beams, whatever `parents` says.

        Which old beam does new beam b continue?
        """
        copies = parents.numel() // len(K)
        return K.repeat_interleave(copies, 0), V.repeat_interleave(copies, 0)

    def values_of_the_first_sentence(K, V, parents):
        """You index V by the numbers of the beams, so every sentence gets the values of the first.

        Row j of K and row j of V belong to the same token: use the same rows for both.
        """
        return correct(K, V, parents)[0], V[parents.flatten()]

    def rows_counted_from_one(K, V, parents):
        """You take the row in front of the right one. Where that is row −1, you get the last row.

        Rows and beams are counted from 0. Which number do you subtract?
        """
        rows = _rows(K, parents) - 1
        return K[rows], V[rows]

    def old_rows_left(K, V, parents):
        """You return as many rows as K has, and leave old rows among the new ones. The number of
        beams can change.

        How many rows does the result have?
        """
        new_K, new_V, old = K.clone(), V.clone(), len(K) // len(parents)
        for s, b in torch.cartesian_prod(*map(torch.arange, parents.shape)).tolist():
            new_K[s * old + b] = K[s * old + parents[s, b]]
            new_V[s * old + b] = V[s * old + parents[s, b]]
        return new_K, new_V

    def read_after_writing_among_old_rows(K, V, parents):
        """You read rows that you have already overwritten, and return as many rows as K has. The
        number of beams can change.

        Read from the old cache, and write into a tensor with a row for each new beam.
        """
        new_K, new_V, old = K.clone(), V.clone(), len(K) // len(parents)
        for s, b in torch.cartesian_prod(*map(torch.arange, parents.shape)).tolist():
            new_K[s * old + b] = new_K[s * old + parents[s, b]]
            new_V[s * old + b] = new_V[s * old + parents[s, b]]
        return new_K, new_V

    def read_after_writing_among_the_given(K, V, parents):
        """You write into the given K and V, read rows that are already overwritten, and return as
        many rows as there were.

        Read from the old cache, and write into a tensor with a row for each new beam.
        """
        old = len(K) // len(parents)
        for s, b in torch.cartesian_prod(*map(torch.arange, parents.shape)).tolist():
            K[s * old + b] = K[s * old + parents[s, b]]
            V[s * old + b] = V[s * old + parents[s, b]]
        return K, V

    def written_where_the_old_were(K, V, parents):
        """You write the new rows into the given K and V. These have room for the old beams only,
        and an older state may still need them.

        Return new tensors.
        """
        K[:], V[:] = correct(K, V, parents)
        return K, V

    def as_many_new_as_old(K, V, parents):
        """Your function is right where there are as many new beams as old ones, and stops where the
        number changes.

        K has the rows of the *old* beams. How many of them has one sentence?
        """
        sentence = torch.arange(len(parents))[:, None]
        K, V = (x.view(*parents.shape, *x.shape[1:]) for x in (K, V))
        return K[sentence, parents].flatten(0, 1), V[sentence, parents].flatten(0, 1)

    def lists_of_sentences(K, V, parents):
        """You return a list with a tensor for each sentence. One tensor of keys and one of values
        are asked for.

        `torch.cat` puts the rows of all sentences below each other.
        """
        return tuple(list(x.split(parents.shape[1])) for x in correct(K, V, parents))

    def sentences_beside_each_other(K, V, parents):
        """You concatenate the sentences along the dimension of the heads. Put them below each
        other, as they stand in K.

        Along which dimension do the rows of K lie?
        """
        new = correct(K, V, parents)
        return tuple(torch.cat(x.split(parents.shape[1]), 1) for x in new)


class Right:
    """Right answers, written differently."""

    def with_index_select(K, V, parents):
        """One index for all rows."""
        sentences, _ = parents.shape
        first = torch.arange(sentences).unsqueeze(1) * (K.shape[0] // sentences)
        rows = (first + parents).reshape(-1)
        return torch.index_select(K, 0, rows), torch.index_select(V, 0, rows)

    def with_gather(K, V, parents):
        """Beams in a dimension of their own."""

        def moved(x):
            x = _as_beams(x, len(parents))
            index = parents[:, :, None, None, None].expand(-1, -1, *x.shape[2:])
            return x.gather(1, index).flatten(0, 1)

        return moved(K), moved(V)

    def with_two_indices(K, V, parents):
        """Sentence and beam as two indices."""
        sentence = torch.arange(len(parents))[:, None]
        return tuple(
            x.reshape(len(parents), -1, *x.shape[1:])[sentence, parents].flatten(0, 1)
            for x in (K, V)
        )

    def one_row_at_a_time(K, V, parents):
        """Loops, and a list."""
        beams = len(K) // len(parents)
        rows = [s * beams + int(parent) for s, of in enumerate(parents) for parent in of]
        return [torch.stack([x[row] for row in rows]) for x in (K, V)]

    def by_a_product(K, V, parents):
        """Multiplies by a matrix of 0 and 1."""
        rows = _rows(K, parents)
        chosen = (rows[:, None] == torch.arange(len(K))).to(K.dtype)
        return torch.einsum("nr,rhtd->nhtd", chosen, K), torch.einsum("nr,rhtd->nhtd", chosen, V)


EXERCISE = Exercise(
    id="beams_move",
    oracle=correct,
    hint="Number the rows: old beam b of sentence s is row s · B + b, where B = rows / sentences. "
    "Which row does each new beam continue? Take these rows of K and of V.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
