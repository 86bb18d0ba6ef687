"""The exercise ``what_rows_read``: which inputs each row of an encoder sees (C28; chapter 15)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Padding behind, in front and in between, with and without a causal mask, one token."""
    behind = _real("111111", "111100", "110000")
    front = _real("00111", "11111")
    any_real = torch.cat([_real("1011010"), draw.booleans(2, 7)])
    return [
        Case("a sentence of 3 tokens and 1 of padding", (_real("1110"), False), True),
        Case("the same with a causal mask", (_real("1110"), True), True),
        Case("3 sentences, padding behind", (behind, False)),
        Case("3 sentences, padding behind, with a causal mask", (behind, True)),
        Case("2 sentences, padding in front", (front, False)),
        Case("2 sentences, padding in front, with a causal mask", (front, True)),
        Case("no padding", (_real("11111"), False)),
        Case("no padding, with a causal mask", (_real("11111"), True)),
        Case("one token", (_real("1"), False)),
        Case("padding in between", (any_real, False)),
        Case("padding in between, with a causal mask", (any_real, True)),
    ]


def _real(*rows: str) -> torch.Tensor:
    return torch.tensor([[sign == "1" for sign in row] for row in rows])


def _seen(real, causal):
    """Where attention may look: real inputs, and with a causal mask none that comes later."""
    n = real.shape[-1]
    later = torch.ones(n, n, dtype=torch.bool).triu(1)
    found = real[:, None, :].expand(-1, n, -1)
    return found & ~later if causal else found


def _self(real):
    return torch.eye(real.shape[-1], dtype=torch.bool)


def correct(real, causal):
    """What attention sees, and the row's own input through the residual connections."""
    return _seen(real, causal) | _self(real)


def _lower(real, diagonal=0):
    return torch.ones(real.shape[-1], real.shape[-1], dtype=torch.bool).tril(diagonal)


class Wrong:
    """What learners write, the more particular before the more general."""

    def residual_forgotten(real, causal):
        """In your result, rows of padding do not read their own input. Attention hides it from
        them, but the residual connections pass it on.

        Every row reads its own input.
        """
        return _seen(real, causal).clone()

    def own_input_never_read(real, causal):
        """In your result no row reads its own input. A row begins as the embedding of its own
        input, and attention may look at it, too.

        What stands on the diagonal?
        """
        return _seen(real, causal) & ~_self(real)

    def own_input_hidden_without_causal(real, causal):
        """Without a causal mask, no row reads its own input in your result.

        A row must not read its *answer*. What stands at its own position is <mask>, and it reads
        that. What stands on the diagonal?
        """
        found = correct(real, causal)
        return found if causal else found & ~_self(real)

    def only_real_rows(real, causal):
        """You hide padding from everything, and you also let rows of padding read nothing.

        A padding mask hides padding as a *key*. Rows of padding are computed like all others; the
        loss leaves them out.
        """
        return _seen(real, causal) & real[:, :, None]

    def only_real_rows_and_self(real, causal):
        """In your result, rows of padding read their own input alone.

        A padding mask hides padding as a *key*. Rows of padding read the real tokens like all other
        rows; the loss leaves them out.
        """
        return (_seen(real, causal) & real[:, :, None]) | _self(real)

    def padding_read(real, causal):
        """Your rows read padding: `real` has no influence.

        What does an encoder hide from attention?
        """
        return correct(torch.ones_like(real), causal)

    def padding_read_without_causal(real, causal):
        """Without a causal mask, your rows read padding. An encoder has a padding mask, too.

        What does `real` say about a column?
        """
        return correct(real if causal else torch.ones_like(real), causal)

    def padding_read_with_causal(real, causal):
        """With a causal mask, your rows read padding, wherever it does not come later.

        The two masks are combined: what either of them hides is hidden.
        """
        return correct(torch.ones_like(real) if causal else real, causal)

    def padding_alone_read(real, causal):
        """Your rows read padding, and not the real tokens.

        `real` is True at real tokens.
        """
        return correct(~real, causal)

    def always_causal(real, causal):
        """Your rows never read later inputs, also without a causal mask.

        An encoder reads both sides (C28).
        """
        return correct(real, True)

    def never_causal(real, causal):
        """Your result does not depend on `causal`: rows always read both sides.

        If a causal mask is left on, row t reads the inputs 0 to t at most.
        """
        return correct(real, False)

    def causal_turned_round(real, causal):
        """You have `causal` the wrong way round: your rows read later inputs if, and only if, there
        is a causal mask.

        What does a causal mask hide?
        """
        return correct(real, not causal)

    def causal_hides_the_past(real, causal):
        """With a causal mask, your rows read later inputs and not earlier ones.

        Row t may attend to positions 0 to t.
        """
        hidden = _lower(real, -1)
        return (_seen(real, False) & ~hidden if causal else _seen(real, False)) | _self(real)

    def causal_one_too_late(real, causal):
        """With a causal mask, your row t also reads input t + 1.

        Row t may attend to positions 0 to t.
        """
        found = _seen(real, False)
        return (found & _lower(real, 1) if causal else found) | _self(real)

    def causal_strict(real, causal):
        """With a causal mask, no row reads its own input in your result.

        Row t may attend to positions 0 to t, and the residual connections pass its own input on.
        """
        return _seen(real, True) & _lower(real, -1) if causal else correct(real, causal)

    def causal_without_residual(real, causal):
        """With a causal mask, rows of padding do not read their own input in your result.

        Residual connections do not ask for masks.
        """
        return _seen(real, True) if causal else correct(real, causal)

    def residual_only_with_causal(real, causal):
        """Without a causal mask, rows of padding do not read their own input in your result.

        Attention hides it from them, but the residual connections pass it on.
        """
        return correct(real, True) if causal else _seen(real, False).clone()

    def causal_mask_alone_or_padding(real, causal):
        """With a causal mask, your rows read every real token, and every earlier input as well.

        What *either* mask hides is hidden: combine them with `&`.
        """
        found = _seen(real, False)
        return (found | _lower(real) if causal else found) | _self(real)

    def transposed(real, causal):
        """Your result is transposed: a row for each input, a column for each prediction.

        Entry (t, s): row t reads input s.
        """
        return correct(real, causal).mT

    def padding_hides_rows(real, causal):
        """You use the padding mask for rows: in your result real rows read everything, and rows of
        padding nothing but themselves.

        Padding is hidden as a *key*, so its columns are False. Which dimension needs the index
        `None`?
        """
        n = real.shape[-1]
        found = real[:, :, None].expand(-1, -1, n)
        return (found & _lower(real) if causal else found) | _self(real)

    def padding_hides_rows_without_residual(real, causal):
        """You use the padding mask for rows: in your result real rows read everything, and rows of
        padding nothing.

        Padding is hidden as a *key*, so its columns are False. Which dimension needs the index
        `None`?
        """
        found = real[:, :, None].expand(-1, -1, real.shape[-1])
        return found & _lower(real) if causal else found.clone()

    def one_matrix_for_all(real, causal):
        """You return one matrix, that of the first sentence.

        Each sentence has its own padding: `(batch, n, n)`.
        """
        return correct(real, causal)[0]

    def first_padding_for_all(real, causal):
        """You use the first sentence's padding for all sentences.

        Each sentence has its own padding.
        """
        return correct(real[:1].expand_as(real), causal)

    def padding_of_all(real, causal):
        """You hide a position from all sentences as soon as one of them has padding there.

        Each sentence has its own padding.
        """
        return correct(real.all(0, keepdim=True).expand_as(real), causal)

    def a_dimension_for_heads(real, causal):
        """Your result has a dimension for heads, `(batch, 1, n, n)`. The question asks for
        `(batch, n, n)`.

        A prediction depends on an input or not, whichever head carries it.
        """
        return correct(real, causal)[:, None]

    def only_itself(real, causal):
        """In your result each row reads its own input alone. That would be a model without
        attention.

        What does attention add?
        """
        return _self(real).expand(len(real), -1, -1).clone()

    def no_residual_and_strict(real, causal):
        """With a causal mask, no row reads its own input in your result; without one, rows of
        padding do not.

        Row t may attend to positions 0 to t. And the residual connections pass every row's own
        input on, whatever attention hides.
        """
        return _seen(real, causal) & _lower(real, -1) if causal else _seen(real, causal).clone()

    def causal_mask_alone(real, causal):
        """You return one matrix, `(n, n)`, and `real` has no influence.

        Each sentence has its own padding: `(batch, n, n)`.
        """
        n = real.shape[-1]
        return _lower(real) if causal else torch.ones(n, n, dtype=torch.bool)

    def causal_mask_alone_for_each(real, causal):
        """You return an additional dimension of size 1 in place of the batch, and `real` has no
        influence.

        Each sentence has its own padding: `(batch, n, n)`.
        """
        return Wrong.causal_mask_alone(real, causal)[None]

    def real_without_rows(real, causal):
        """Without a causal mask you return one row for each sentence, `(batch, 1, n)`, in place of
        n rows.

        Expand the middle dimension to n. And do all rows read the same inputs?
        """
        return _seen(real, True) if causal else real[:, None, :]

    def padded_rows_read_all_padding(real, causal):
        """In your result, rows of padding read all padding.

        Attention hides padding from every row. A row of padding reads its *own* input, through the
        residual connections.
        """
        found = _seen(real, causal)
        padding = ~real[:, :, None] & ~real[:, None, :]
        return found | (padding & _lower(real) if causal else padding)

    def padding_only_reads_padding(real, causal):
        """In your result, real tokens read real tokens, and padding reads padding.

        Attention hides padding from every row, and nothing hides real tokens from rows of padding.
        """
        found = real[:, :, None] == real[:, None, :]
        return found & _lower(real) if causal else found.clone()

    def or_for_and(real, causal):
        """In your result, a row reads an input as soon as *one* of the two is real, the row or the
        input.

        Attention hides padding as a key, whatever the row is.
        """
        found = real[:, None, :] | real[:, :, None]
        return (found & _lower(real) if causal else found) | _self(real)

    def true_is_hidden(real, causal):
        """You return what attention *hides*. True should stand where a row reads an input.

        Some libraries mark hidden pairs with True. Here it is the other way round. And what do the
        residual connections pass on?
        """
        return ~_seen(real, causal)

    def own_input_never_read_both_sides(real, causal):
        """In your result no row reads its own input, and `causal` has no influence.

        What stands on the diagonal, and what does a causal mask hide?
        """
        return _seen(real, False) & ~_self(real)

    def numbers_without_residual(real, causal):
        """You return 0 and 1 where True and False are asked for, and rows of padding do not read
        their own input.

        `.bool()` turns numbers into truth values. The residual connections pass every row's own
        input on.
        """
        return _seen(real, causal).long()

    def transposed_without_residual(real, causal):
        """Your result is transposed, and padding does not read its own input.

        Entry (t, s): row t reads input s. The residual connections pass every row's own input on.
        """
        return _seen(real, causal).mT.clone()

    def padding_read_without_residual(real, causal):
        """Your rows read padding: `real` has no influence, and with a causal mask no row reads its
        own input.

        What does an encoder hide from attention, and what reaches a row without it?
        """
        everything = torch.ones_like(real)
        return _seen(everything, causal) & (_lower(real, -1) if causal else _lower(real, 99))

    def everything(real, causal):
        """In your result every row reads every input, whatever the arguments are.

        What does a padding mask hide, and what a causal mask?
        """
        return torch.ones(len(real), real.shape[1], real.shape[1], dtype=torch.bool)

    def nothing_visible_reads_everything(real, causal):
        """In your result, a row to which attention shows nothing reads every input.

        The question says what such a row gets from attention. What is left for it to read?
        """
        seen = _seen(real, causal)
        return seen | ~seen.any(-1, keepdim=True) | _self(real)

    def numbers_to_add_to_scores(real, causal):
        """You return numbers: 0 and −∞, to be added to attention scores. True and False are asked
        for.

        True stands where a row reads an input. And what do the residual connections pass on?
        """
        seen = _seen(real, causal)
        return torch.zeros(seen.shape).masked_fill(~seen, -torch.inf)

    def hidden_or_its_own(real, causal):
        """You return what attention *hides*, with True on the diagonal as well. True should stand
        where a row reads an input.

        Some libraries mark hidden pairs with True. Here it is the other way round.
        """
        return ~_seen(real, causal) | _self(real)

    def numbers_of_inputs(real, causal):
        """You return how many inputs each row reads. A matrix of True and False is asked for.

        Leave out the sum.
        """
        return correct(real, causal).sum(-1)

    def lists_of_lists(real, causal):
        """You return lists. A tensor is asked for.

        `torch.tensor` makes a tensor of lists.
        """
        return correct(real, causal).tolist()

    def one_mask_at_a_time(real, causal):
        """With a causal mask, your rows read padding, wherever it does not come later; without one,
        rows of padding do not read their own input.

        What either of the two masks hides is hidden. And the residual connections pass every row's
        own input on.
        """
        return correct(torch.ones_like(real), True) if causal else _seen(real, False).clone()

    def causal_turned_round_without_residual(real, causal):
        """You have `causal` the wrong way round, and rows of padding do not read their own input.

        A causal mask hides later positions. The residual connections pass every row's own input on.
        """
        return _seen(real, not causal).clone()

    def causal_turned_round_for_real_rows(real, causal):
        """You have `causal` the wrong way round, and rows of padding read their own input alone.

        A causal mask hides later positions. A padding mask hides padding as a *key*, and nothing
        from rows of padding.
        """
        return (_seen(real, not causal) & real[:, :, None]) | _self(real)


class Right:
    """Right answers, written differently."""

    def entry_by_entry(real, causal):
        """Loops over sentences, rows and inputs."""
        batch, n = real.shape
        found = torch.zeros(batch, n, n, dtype=torch.bool)
        for b in range(batch):
            for t in range(n):
                for s in range(n):
                    may = bool(real[b, s]) and (s <= t or not causal)
                    found[b, t, s] = may or s == t
        return found

    def through_two_blocks(real, causal):
        """Follows an input through two blocks, as a product of booleans."""
        n = real.shape[-1]
        position = torch.arange(n)
        order = position[:, None] >= position if causal else torch.ones(n, n, dtype=torch.bool)
        step = ((real[:, None, :] & order) | torch.eye(n, dtype=torch.bool)).float()
        return (step @ step) > 0

    def with_indices(real, causal):
        """Compares the numbers of rows and columns."""
        t, s = torch.arange(real.shape[1])[:, None], torch.arange(real.shape[1])[None]
        allowed = real.unsqueeze(1).repeat(1, real.shape[1], 1)
        if causal:
            allowed &= s <= t
        return allowed | (s == t)

    def diagonal_written(real, causal):
        """Writes True on the diagonal of a copy."""
        found = real[:, None].repeat(1, real.shape[1], 1)
        if causal:
            found = found.tril()
        torch.diagonal(found, dim1=1, dim2=2).fill_(True)
        return found

    def by_what_is_hidden(real, causal):
        """Collects what is hidden."""
        n = real.shape[-1]
        hidden = (~real)[:, None, :].expand(-1, n, n)
        if causal:
            hidden = hidden | torch.ones(n, n).triu(1).bool()
        return ~(hidden & ~torch.eye(n).bool())


EXERCISE = Exercise(
    id="what_rows_read",
    oracle=correct,
    hint="Three things decide: padding is hidden as a column, a causal mask hides later columns, "
    "and the residual connections pass each row's own input on, whatever is hidden.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
