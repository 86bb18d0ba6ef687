"""The exercise ``split_heads``: each row split into slices, one for each head (B06; chapter 9)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("2 times 3 sentences of 5 tokens, 2 heads", (draw.normal(2, 3, 5, 4), 2)),
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
        """The shape is right, but the numbers are in the wrong positions: head 0 holds only numbers
        of the first tokens, not a slice of every token.

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
        """You gave head 0 every h-th number of a row. It should get the first d_k numbers.

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
        """You gave each head all columns of x, as if heads had the full width.

        x holds the heads side by side. Each of them has only d_k = d_model / h columns (B06).
        """
        return x.unsqueeze(-3).expand(*x.shape[:-2], h, *x.shape[-2:])

    def heads_in_the_wrong_order(x, h):
        """The slices are right, but you gave the last one to head 0.

        Head j has the columns from j · d_k on.
        """
        return correct(x, h).flip(-3)

    def swaps_dimensions_1_and_2(x, h):
        """You swap dimensions 1 and 2, counted from the front: right for one batch dimension only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(1, 2)

    def swaps_dimensions_0_and_1(x, h):
        """You swap dimensions 0 and 1, counted from the front: right for a single sentence only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(0, 1)

    def stacks_in_dimension_1(x, h):
        """You put the heads into dimension 1, counted from the front: right for one batch dimension
        only.

        Three dots in a shape stand for any number of dimensions, so count from the end.
        """
        return torch.stack(x.chunk(h, dim=-1), dim=1)

    def needs_three_dimensions(x, h):
        """You take `x.shape` apart into three sizes. x may have two, or more than three.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        batch, n, d = x.shape
        return x.reshape(batch, n, h, d // h).transpose(1, 2)

    def needs_two_dimensions(x, h):
        """You take `x.shape` apart into two sizes. x may have sentences in front.

        Three dots in a shape stand for any number of dimensions, including none.
        """
        n, d = x.shape
        return x.reshape(n, h, d // h).transpose(0, 1)

    def permutes_four_dimensions(x, h):
        """You name four dimensions, as in `permute(0, 2, 1, 3)`: right for one batch dimension
        only.

        Three dots in a shape stand for any number of dimensions, so swap two, counted from the end.
        """
        return x.unflatten(-1, (h, x.shape[-1] // h)).permute(0, 2, 1, 3)

    def one_long_batch(x, h):
        """You made a single batch dimension of all dimensions in front, and a new one where there
        is none.

        What stands in front of the tokens should stand in front of the heads, too.
        """
        n, d = x.shape[-2:]
        return x.reshape(-1, n, h, d // h).transpose(1, 2)

    def zeros_in_the_other_columns(x, h):
        """You gave each head the whole width, with zeros outside its own columns.

        A head is d_k = d_model / h wide here.
        """
        owner = torch.arange(x.shape[-1]) // (x.shape[-1] // h)
        return torch.where(owner == torch.arange(h)[:, None, None], x.unsqueeze(-3), 0.0)

    def heads_from_1(x, h):
        """The slices are right, but each head has that of the next, and the last has the first.

        Heads are counted from 0, and head 0 has the columns from 0 on.
        """
        return correct(x, h).roll(-1, -3)

    def heads_one_too_late(x, h):
        """The slices are right, but each head has that of the one before, and the first has the
        last.

        Heads are counted from 0, and head 0 has the columns from 0 on.
        """
        return correct(x, h).roll(1, -3)

    def transposed_and_reshaped(x, h):
        """You swapped tokens and columns *before* the reshape: each head has its own numbers, but
        in the wrong positions.

        Split the last dimension first. Then swap heads and tokens.
        """
        return x.mT.reshape(*x.shape[:-2], h, x.shape[-2], x.shape[-1] // h)

    def tokens_shared_out(x, h):
        """You split the tokens among the heads. Each head should get all tokens.

        Which of the last two dimensions of x should you split?
        """
        return torch.stack(x.chunk(h, dim=-2), dim=-3)

    def heads_below_each_other(x, h):
        """Your heads stand below each other, as if there were h times as many tokens.

        They need a dimension of their own: (…, h, n, d_k).
        """
        return torch.cat(x.chunk(h, dim=-1), dim=-2)

    def heads_last(x, h):
        """You put the heads last: (…, n, d_k, h).

        Attention works on the last two dimensions. Which two should they be?
        """
        return torch.stack(x.chunk(h, dim=-1), dim=-1)

    def width_before_tokens_and_heads(x, h):
        """Your dimensions are (…, d_k, n, h). They should be (…, h, n, d_k).

        Which two dimensions do you have to swap after the split?
        """
        return x.unflatten(-1, (h, x.shape[-1] // h)).transpose(-3, -2).transpose(-3, -1)

    def slices_that_overlap(x, h):
        """Your head j begins at column j, so that the slices overlap.

        Head j has the columns from j · d_k on.
        """
        d_k = x.shape[-1] // h
        return torch.stack([x[..., j : j + d_k] for j in range(h)], dim=-3)

    def first_slice_for_all(x, h):
        """You gave each head the first slice.

        Head j has the columns from j · d_k on.
        """
        return correct(x, h)[..., :1, :, :].expand(*correct(x, h).shape)

    def columns_backwards(x, h):
        """In each head, your columns stand in reverse order.

        Head j has the columns from j · d_k to (j + 1) · d_k - 1, in this order.
        """
        return correct(x, h).flip(-1)

    def a_list_of_slices(x, h):
        """The slices are right, but they are separate tensors. Return one tensor.

        Which function puts tensors into a new dimension?
        """
        return list(x.chunk(h, dim=-1))

    def not_split(x, h):
        """You returned x, in which all heads still stand side by side.

        Into which two sizes do you split the last dimension?
        """
        return x.clone()

    def split_and_joined_again(x, h):
        """Your result has the shape of x, but the numbers are in other positions.

        Heads need a dimension of their own: (…, h, n, d_k).
        """
        return correct(x, h).reshape(x.shape)


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
