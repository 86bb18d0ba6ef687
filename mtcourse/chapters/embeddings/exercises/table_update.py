"""The exercise ``table_update``: three bugs in a step on a table (B01, A04; chapter 2)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Padding of every kind: none, one, many, in another row than 0; tokens that repeat."""
    table = draw.tensor([[0.0, 0.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    whole = draw.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    batch = torch.tensor([[1, 4, 1, 0], [5, 1, 0, 0], [2, 2, 4, 3]])
    return [
        Case("ids 3, 1, 3 and <pad>", (table, torch.tensor([3, 1, 3, 0]), whole, 0.5, 0), True),
        Case("no padding, none twice", _drawn(draw, [4, 1, 3], 6, 0.1, 0)),
        Case("no padding, one token twice", _drawn(draw, [4, 1, 4], 6, 0.1, 0)),
        Case("two of four are padding", _drawn(draw, [2, 3, 0, 0], 5, 1.0, 0)),
        Case("padding is number 5", _drawn(draw, [0, 2, 0, 5, 5], 6, 0.3, 5)),
        Case("nothing but padding", _drawn(draw, [0, 0], 4, 0.3, 0)),
        Case("padding in front", _drawn(draw, [0, 2, 3], 5, 0.5, 0)),
        Case("padding in front and between", _drawn(draw, [3, 1, 3, 2, 3, 1], 4, 0.5, 3)),
        Case("padding is number 1", _drawn(draw, [0, 2, 1, 0], 4, 0.5, 1)),
        Case("2 sentences, one padded in front", _two(draw)),
        Case(
            "3 sentences",
            (draw.normal(7, 3), batch, draw.normal(3, 4, 3), 0.2, 0),
        ),
    ]


def _drawn(draw: Draw, ids: list[int], V: int, rate: float, pad: int):
    """A random table, whose row of padding is random, too, and a sentence."""
    return draw.normal(V, 3), torch.tensor(ids), draw.normal(len(ids), 3), rate, pad


def _two(draw: Draw):
    """Two sentences, with rows of zeros in the table that are no padding."""
    table = draw.normal(6, 2)
    table[[0, 4]] = 0
    return table, torch.tensor([[2, 2, 4, 0], [4, 2, 1, 1]]), draw.normal(2, 4, 2), 0.25, 2


def correct(W_E, ids, H_bar, rate, pad):
    """A new table: the step, and the padding's row as it was."""
    return _version(W_E, ids, H_bar, rate, pad)


def _version(W_E, ids, H_bar, rate, pad, copied=True, added_up=True, pad_kept=True):
    """The function of the notebook with some of its three bugs fixed."""
    table, before = W_E.clone() if copied else W_E, W_E[pad].clone()
    flat, rows = ids.flatten(), H_bar.reshape(-1, H_bar.shape[-1])
    if added_up:
        table.index_add_(0, flat, -rate * rows)
    else:
        moved = table[flat] - rate * rows
        for k, row in zip(flat.tolist(), moved, strict=True):
            table[k] = row
    if pad_kept:
        table[pad] = before
    return table


def _masked(W_E, ids, H_bar, rate, kept):
    """The step at these positions alone."""
    return W_E.index_add(0, ids[kept], -rate * H_bar[kept])


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(W_E, ids, H_bar, rate, pad):
        """This still does what the broken version does: all three bugs are in it.

        Look at the table that was passed in, at a token that repeats, and at the row of <pad>.
        """
        return _version(W_E, ids, H_bar, rate, pad, False, False, False)

    def only_the_copy_mended(W_E, ids, H_bar, rate, pad):
        """One bug is fixed: the caller's table stays as it was. Two are left.

        What happens to a token that repeats, and what to the row of <pad>?
        """
        return _version(W_E, ids, H_bar, rate, pad, True, False, False)

    def only_repeats_mended(W_E, ids, H_bar, rate, pad):
        """One bug is fixed: a token that repeats gets everything that arrives. Two are left.

        Look at the table that was passed in, and at the row of <pad>.
        """
        return _version(W_E, ids, H_bar, rate, pad, False, True, False)

    def only_padding_mended(W_E, ids, H_bar, rate, pad):
        """One bug is fixed: the row of <pad> stays. Two are left.

        Look at the table that was passed in, and at a token that repeats.
        """
        return _version(W_E, ids, H_bar, rate, pad, False, False, True)

    def copy_left(W_E, ids, H_bar, rate, pad):
        """Two bugs are fixed. One is left: the table that was passed in is changed.

        `table = W_E` only gives the same tensor a second name, and `-=` or `index_add_` changes
        that tensor.
        """
        return _version(W_E, ids, H_bar, rate, pad, copied=False)

    def repeats_left(W_E, ids, H_bar, rate, pad):
        """Two bugs are fixed. One is left: of a token that repeats, only the last position counts.

        `table[ids] -= …` reads all rows once, and then assigns. It does not add up.
        """
        return _version(W_E, ids, H_bar, rate, pad, added_up=False)

    def padding_left(W_E, ids, H_bar, rate, pad):
        """Two bugs are fixed. One is left: the row of <pad> learns.

        Padding is not a word, so what arrives at its positions must not move its row.
        """
        return _version(W_E, ids, H_bar, rate, pad, pad_kept=False)

    def padding_set_to_zero(W_E, ids, H_bar, rate, pad):
        """You set the row of <pad> to zero. It should stay as it was, whatever that is.

        In the trained translator it is not zero. Keep its old row, or leave out the positions of
        padding.
        """
        table = correct(W_E, ids, H_bar, rate, pad)
        table[pad] = 0
        return table

    def padding_taken_for_0(W_E, ids, H_bar, rate, pad):
        """You keep row 0, whatever the id of <pad> is.

        The last argument says which row belongs to <pad>.
        """
        return correct(W_E, ids, H_bar, rate, 0)

    def uphill(W_E, ids, H_bar, rate, pad):
        """The three bugs are fixed, but the table moves uphill, and the loss grows.

        A step of gradient descent subtracts.
        """
        return correct(W_E, ids, H_bar, -rate, pad)

    def averaged(W_E, ids, H_bar, rate, pad):
        """Copy and padding are right, but a token that repeats gets the mean of what arrives.

        The gradient of a row is the sum over its positions.
        """
        counts = torch.bincount(ids.flatten(), minlength=len(W_E)).clamp(min=1)
        moved = correct(W_E, ids, H_bar, rate, pad) - W_E
        return W_E + moved / counts[:, None]

    def without_the_rate(W_E, ids, H_bar, rate, pad):
        """The three bugs are fixed, but the rate is missing: you subtract the whole gradient.

        Subtract `rate` times the gradient.
        """
        return correct(W_E, ids, H_bar, 1.0, pad)

    def only_the_step(W_E, ids, H_bar, rate, pad):
        """You return by how much the table moves. Return the table after the move.

        Add the table to your result.
        """
        return correct(W_E, ids, H_bar, rate, pad) - W_E

    def only_sentences_without_padding(W_E, ids, H_bar, rate, pad):
        """You left out every sentence that has padding, with all of its words.

        Leave out only the positions of <pad>.
        """
        whole = (ids != pad).all(-1)
        if ids.dim() == 1:
            return correct(W_E, ids, H_bar, rate, pad) if whole else W_E.clone()
        return correct(W_E, ids[whole], H_bar[whole], rate, pad)

    def stops_at_padding(W_E, ids, H_bar, rate, pad):
        """You stop at the first <pad> of a sentence. What comes after it is lost.

        Padding may stand anywhere. Leave out its positions, and go on.
        """
        return _masked(W_E, ids, H_bar, rate, (ids == pad).cumsum(-1) == 0)

    def stops_at_the_first_padding_of_all(W_E, ids, H_bar, rate, pad):
        """You stop at the first <pad> of the whole batch.

        Leave out the positions of padding, and go on with the next.
        """
        flat, rows = ids.flatten(), H_bar.reshape(-1, H_bar.shape[-1])
        return _masked(W_E, flat, rows, rate, (flat == pad).cumsum(0) == 0)

    def only_padding_moves(W_E, ids, H_bar, rate, pad):
        """Only the row of <pad> moves.

        Which positions should be left out, those where the id is `pad` or the others?
        """
        return _masked(W_E, ids, H_bar, rate, ids == pad)

    def position_pad_left_out(W_E, ids, H_bar, rate, pad):
        """You leave out the *position* with the number `pad`.

        `pad` is an id. Compare it with the ids.
        """
        kept = (torch.arange(ids.shape[-1]) != pad).expand(ids.shape)
        return _masked(W_E, ids, H_bar, rate, kept)

    def rows_of_zeros_stay(W_E, ids, H_bar, rate, pad):
        """You keep every row that is zero, and no other.

        The last argument says which row belongs to <pad>, whatever that row holds.
        """
        table = _version(W_E, ids, H_bar, rate, pad, pad_kept=False)
        table[(W_E == 0).all(-1)] = 0
        return table

    def last_position_left_out(W_E, ids, H_bar, rate, pad):
        """You leave out the last position, as if padding were always there.

        Compare the ids with `pad`.
        """
        kept = (torch.arange(ids.shape[-1]) != ids.shape[-1] - 1).expand(ids.shape)
        return _masked(W_E, ids, H_bar, rate, kept)

    def ids_from_pad_on(W_E, ids, H_bar, rate, pad):
        """You leave out all ids that are not larger than `pad`.

        Only one id is padding.
        """
        return _masked(W_E, ids, H_bar, rate, ids > pad)

    def each_sentence_from_the_old_table(W_E, ids, H_bar, rate, pad):
        """Of a batch, only the last sentence moves the table.

        All sentences move the same table. If you loop over them, copy it once, before the loop.
        """
        if ids.dim() == 1:
            return correct(W_E, ids, H_bar, rate, pad)
        return correct(W_E, ids[-1], H_bar[-1], rate, pad)

    def first_sentence_only(W_E, ids, H_bar, rate, pad):
        """Only the first sentence moves the table.

        All sentences of a batch move the same table.
        """
        if ids.dim() == 1:
            return correct(W_E, ids, H_bar, rate, pad)
        return correct(W_E, ids[0], H_bar[0], rate, pad)

    def a_sentence_at_a_time(W_E, ids, H_bar, rate, pad):
        """You take a sentence at a time, so a token that repeats within one is counted once.

        A loop over a batch gives whole sentences. Flatten the ids and the rows first, or use two
        loops.
        """
        if ids.dim() == 1:
            return correct(W_E, ids, H_bar, rate, pad)
        table = W_E
        for of_one, rows in zip(ids, H_bar, strict=True):
            table = _version(table, of_one, rows, rate, pad, added_up=False)
        return table

    def divided_by_the_tokens(W_E, ids, H_bar, rate, pad):
        """You divide the step by the number of tokens, padding left out.

        Subtract `rate` times what arrived. If the loss is a mean, this factor is in `H_bar`
        already.
        """
        real = max(1, int((ids != pad).sum()))
        return correct(W_E, ids, H_bar, rate / real, pad)

    def divided_by_the_positions(W_E, ids, H_bar, rate, pad):
        """You divide the step by the number of positions.

        Subtract `rate` times what arrived. If the loss is a mean, this factor is in `H_bar`
        already.
        """
        return correct(W_E, ids, H_bar, rate / ids.numel(), pad)

    def multiplied_by_the_count(W_E, ids, H_bar, rate, pad):
        """A token that repeats moves by the sum of what arrives, times how often it occurs.

        The sum over its positions contains each of them already.
        """
        counts = torch.bincount(ids.flatten(), minlength=len(W_E))[:, None]
        return W_E + (correct(W_E, ids, H_bar, rate, pad) - W_E) * counts

    def first_position_counts(W_E, ids, H_bar, rate, pad):
        """Copy and padding are right, but of a token that repeats only the *first* position counts.

        Each of its positions moves its row. Add them up.
        """
        turned = ids.flatten().flip(0), H_bar.reshape(-1, H_bar.shape[-1]).flip(0)
        return _version(W_E, *turned, rate, pad, added_up=False)

    def rows_of_the_sentence(W_E, ids, H_bar, rate, pad):
        """You return the moved rows of the sentence.

        Return the whole table, (V, d).
        """
        return W_E[ids] - rate * H_bar * (ids != pad)[..., None]

    def used_rows_only(W_E, ids, H_bar, rate, pad):
        """You return only the rows of the tokens in the input.

        Return the whole table, with the rows that did not move.
        """
        return correct(W_E, ids, H_bar, rate, pad)[ids.unique()]

    def padding_left_out_of_the_table(W_E, ids, H_bar, rate, pad):
        """The row of <pad> is missing from your table.

        Return a table of the same shape, with the row of <pad> as it was.
        """
        table = correct(W_E, ids, H_bar, rate, pad)
        return torch.cat([table[:pad], table[pad + 1 :]])

    def returned_nothing(W_E, ids, H_bar, rate, pad):
        """You return nothing.

        Return the new table.
        """
        correct(W_E, ids, H_bar, rate, pad)

    def old_table_returned(W_E, ids, H_bar, rate, pad):
        """You return the table as it was.

        Which tensor holds the result of the step, and which one do you return?
        """
        return W_E.clone()

    def divided_by_the_rate(W_E, ids, H_bar, rate, pad):
        """You divide what arrived by the rate.

        Subtract `rate` times the gradient.
        """
        return correct(W_E, ids, H_bar, 1 / rate, pad)

    def padding_and_repeats_left(W_E, ids, H_bar, rate, pad):
        """A token that repeats gets the mean of what arrives, and the row of <pad> learns.

        Add up over the positions of a token, and leave out those of <pad>.
        """
        counts = torch.bincount(ids.flatten(), minlength=len(W_E)).clamp(min=1)
        moved = _version(W_E, ids, H_bar, rate, pad, pad_kept=False) - W_E
        return W_E + moved / counts[:, None]

    def uphill_with_padding(W_E, ids, H_bar, rate, pad):
        """The table moves uphill, and the row of <pad> with it.

        A step of gradient descent subtracts, and leaves out the positions of <pad>.
        """
        return _version(W_E, ids, H_bar, -rate, pad, pad_kept=False)

    def repeats_left_and_padding_zero(W_E, ids, H_bar, rate, pad):
        """Of a token that repeats only the last position counts, and the row of <pad> is set to
        zero.

        Add up over the positions. And the row of <pad> should stay as it was.
        """
        table = _version(W_E, ids, H_bar, rate, pad, added_up=False)
        table[pad] = 0
        return table

    def what_arrived_is_changed(W_E, ids, H_bar, rate, pad):
        """The table is right, but you set what arrived at <pad> to zero in the caller's `H_bar`.

        Select positions with a mask, or work on a copy.
        """
        H_bar[ids == pad] = 0
        return correct(W_E, ids, H_bar, rate, pad)

    def weights_decayed(W_E, ids, H_bar, rate, pad):
        """You multiply the table by 1 − rate, too.

        Only the gradient is multiplied by the rate, and subtracted.
        """
        return correct(W_E, ids, H_bar, rate, pad) - rate * W_E

    def rate_added_to_the_gradient(W_E, ids, H_bar, rate, pad):
        """You subtract the rate *plus* what arrived, where you should subtract the rate *times*
        what arrived.

        What happens to a row when zeros arrive at its position?
        """
        kept = ids != pad
        return W_E.index_add(0, ids[kept], -(rate + H_bar[kept]))

    def signs_only(W_E, ids, H_bar, rate, pad):
        """You use only the sign of what arrived: each number moves by the rate, or not at all.

        Subtract `rate` times what arrived.
        """
        moved = correct(W_E, ids, H_bar, rate, pad) - W_E
        return W_E + rate * moved.sign()

    def old_row_of_0_zeroed(W_E, ids, H_bar, rate, pad):
        """You set row 0 to zero, whatever the id of <pad> is.

        Only the row of `pad` is special, and it stays as it was.
        """
        table = correct(W_E, ids, H_bar, rate, pad)
        table[0] = 0
        return table

    def last_position_and_padding(W_E, ids, H_bar, rate, pad):
        """Of a token that repeats only the last position counts, and row 0 is kept for <pad>,
        whatever its id is.

        Add up over the positions. The last argument says which row belongs to <pad>.
        """
        return _version(W_E, ids, H_bar, rate, 0, added_up=False)

    def mean_over_sentences(W_E, ids, H_bar, rate, pad):
        """You divide the step by the number of sentences.

        Subtract `rate` times what arrived. If the loss is a mean, this factor is in `H_bar`
        already.
        """
        return correct(W_E, ids, H_bar, rate / (len(ids) if ids.dim() > 1 else 1), pad)


class Right:
    """Right answers, written differently."""

    def padding_left_out(W_E, ids, H_bar, rate, pad):
        """Takes the positions of padding out before they are added up."""
        real = ids != pad
        return W_E.index_add(0, ids[real], -rate * H_bar[real])

    def by_product(W_E, ids, H_bar, rate, pad):
        """X with a row of zeros at <pad>."""
        X = (torch.arange(len(W_E))[:, None] == ids.flatten()).to(W_E.dtype)
        X[pad] = 0
        return W_E - rate * X @ H_bar.reshape(-1, W_E.shape[1])

    def a_place_at_a_time(W_E, ids, H_bar, rate, pad):
        """A copy, and a loop."""
        table = W_E.clone()
        for k, row in zip(ids.flatten().tolist(), H_bar.reshape(-1, W_E.shape[1]), strict=True):
            if k != pad:
                table[k] -= rate * row
        return table

    def by_autograd(W_E, ids, H_bar, rate, pad):
        """The gradient from torch, with that of <pad> wiped out."""
        leaf = W_E.clone().requires_grad_()
        (leaf[ids] * H_bar).sum().backward()
        leaf.grad[pad] = 0
        return (leaf - rate * leaf.grad).detach()


EXERCISE = Exercise(
    id="table_update",
    oracle=correct,
    hint="Get three things right: whose table is changed, what a repeated token gets, and "
    "what happens to the row of <pad>. Which of them is still wrong? Try one sentence first, then "
    "a batch.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
