"""The exercise ``table_update``: three bugs in a step on a table (B01, A04; chapter 02)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
        Case(
            "3 sentences",
            (draw.normal(7, 3), batch, draw.normal(3, 4, 3), 0.2, 0),
        ),
    ]


def _drawn(draw: Draw, ids: list[int], V: int, rate: float, pad: int):
    """A random table, also at its padding, and a sentence."""
    return draw.normal(V, 3), torch.tensor(ids), draw.normal(len(ids), 3), rate, pad


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

        `table = W_E` is a second name for the same numbers, so the caller's table changes too.
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
