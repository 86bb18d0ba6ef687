"""The exercise ``split_heads``: each row split into slices, one for each head (B06; chapter 09)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Rows of numbers in order, one token, one head, heads of width 1, and batches."""
    by_hand = draw.tensor([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [10.0, 11.0, 12.0, 13.0, 14.0, 15.0]])
    return [
        Case("2 tokens of width 6, 3 heads", (by_hand, 3), by_hand=True),
        Case("a single token", (draw.normal(1, 6), 2)),
        Case("a single head", (draw.normal(3, 4), 1)),
        Case("heads of width 1", (draw.normal(3, 4), 4)),
        Case("5 tokens of width 12, 3 heads", (draw.normal(5, 12), 3)),
        Case("4 sentences", (draw.normal(4, 3, 6), 2)),
        Case("2 sentences of 4 tokens, 4 heads", (draw.normal(2, 4, 8), 4)),
    ]


def correct(x, h):
    """Slices of the width, then the heads before the tokens."""
    return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(-3, -2)


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_x(x, h):
        """The slices are right, but your function changes x.

        Do not write into an argument: the caller may still need x as it was.
        """
        out = correct(x, h).clone()
        x.zero_()
        return out

    def nothing_to_learn_by(x, h):
        """The slices are right, but gradients do not flow back through them.

        To split a tensor, you need not copy any number. Where did you detach it?
        """
        return correct(x, h).detach() + 0 * x.sum()

    def view_without_transpose(x, h):
        """The shape is right, but the numbers are in the wrong positions: head 0 holds whole
        tokens.

        A reshape keeps numbers in the order of memory, token after token. So split first, and swap
        two dimensions afterwards.
        """
        return x.reshape(*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)

    def tokens_before_heads(x, h):
        """You split each row correctly, but the heads come after the tokens: (…, n, h, d_k).

        Attention works on the last two dimensions. Which two should they be?
        """
        return x.unflatten(-1, (h, x.shape[-1] // h))

    def columns_interleaved(x, h):
        """You gave head 0 every h-th number of a row. It should get the first d_k of them.

        Into which two sizes do you split the width, and in which order do they stand?
        """
        return x.unflatten(-1, (x.shape[-1] // h, h)).movedim(-1, -3)

    def h_is_the_width(x, h):
        """You took h for the width of a head. It is the number of heads.

        d_k = d_model / h.
        """
        return x.unflatten(-1, (x.shape[-1] // h, h)).transpose(-3, -2)

    def keys_as_columns(x, h):
        """Your heads have their tokens as columns: (…, h, d_k, n).

        Tokens are rows, in a head as everywhere else.
        """
        return correct(x, h).mT

    def heads_before_the_batch(x, h):
        """You put the heads before the sentences of the batch. Without a batch, this is right.

        The batch comes first: put the new dimension just before the tokens.
        """
        return torch.stack(x.chunk(h, dim=-1))

    def full_width(x, h):
        """You gave each head the whole row, as in document A.

        Here the heads share the row: d_k = d_model / h (B06).
        """
        return x.unsqueeze(-3).expand(*x.shape[:-2], h, *x.shape[-2:])

    def heads_in_the_wrong_order(x, h):
        """The slices are right, but you gave the last one to head 0.

        Head j has the columns from j · d_k on.
        """
        return correct(x, h).flip(-3)


class Right:
    """Right answers, written differently."""

    def with_chunks(x, h):
        """Splits, and stacks just before the tokens."""
        return torch.stack(x.chunk(h, dim=-1), dim=-3)

    def with_reshape(x, h):
        """The way most libraries write it."""
        *batch, n, d = x.shape
        return x.reshape(*batch, n, h, d // h).transpose(-2, -3)

    def with_slices(x, h):
        """One head after the other."""
        d_k = x.shape[-1] // h
        return torch.stack([x[..., j * d_k : (j + 1) * d_k] for j in range(h)], dim=-3)

    def by_index(x, h):
        """Lists, for each number of each head, the column that it comes from."""
        columns = torch.arange(x.shape[-1]).reshape(h, -1)
        return x[..., columns].movedim(-2, -3)

    def with_unfold(x, h):
        """Windows of width d_k that do not overlap."""
        d_k = x.shape[-1] // h
        return x.unfold(-1, d_k, d_k).transpose(-3, -2)


EXERCISE = Exercise(
    id="split_heads",
    oracle=correct,
    hint="Two steps: split the last dimension into two, heads and width of a head; then swap heads "
    "and tokens. Print the shape after each step.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    gradients=True,
)
