"""The exercise ``decoder_mask``: both masks in one, three bugs to fix (A11, C10; chapter 5)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import masks


def cases(draw: Draw) -> list[Case]:
    """Padding at the end, at the beginning and nowhere, with two ids for it."""
    ids = draw.ids(3, 6, lowest=4, highest=8)
    drawn = draw.ids(2, draw.size(7, 12), lowest=4, highest=8)
    drawn[1, draw.size(1, 6) :] = 0
    at_the_end, at_the_beginning, other_id = ids.clone(), ids.flip(-1), ids.clone()
    at_the_end[1, 4:], at_the_end[2, 1:] = 0, 0
    at_the_beginning[0, :2] = 0
    other_id[:, 1], other_id[0, 4:], other_id[2, 5:] = 0, 9, 9
    return [
        Case("two tokens and one padding", (torch.tensor([[2, 7, 0]]), 0), by_hand=True),
        Case("three sentences, padded at the end", (at_the_end, 0)),
        Case("three sentences without padding", (ids, 0)),
        Case("three sentences where padding is 9 and 0 is a token", (other_id, 9)),
        Case("three sentences, one padded at the beginning", (at_the_beginning, 0)),
        Case("as many sentences as positions", (at_the_end[:, :3].contiguous(), 0)),
        Case(f"two sentences on {drawn.shape[1]} positions", (drawn, 0)),
        Case("a single token", (torch.tensor([[2]]), 0)),
        Case(
            "padding on both sides", (torch.tensor([[0, 5, 8, 0], [7, 4, 3, 0], [0, 0, 6, 3]]), 0)
        ),
        Case(
            "padding has the largest id", (torch.tensor([[7, 8, 3], [5, 3, 20], [9, 20, 20]]), 20)
        ),
    ]


def correct(ids, pad):
    """No later key and no padding key."""
    return masks.causal_mask(ids.shape[1]) & masks.padding_mask(ids, pad)


def _version(ids, pad, triangle_fixed=True, meeting_fixed=True, keys_fixed=True):
    """The function of the notebook with some of its three bugs fixed."""
    real = ids != pad
    n = ids.shape[1]
    padding = real[:, None, None, :] if keys_fixed else real[:, None, :, None]
    causal = torch.ones(n, n, dtype=torch.bool).tril(0 if triangle_fixed else -1)
    return causal & padding if meeting_fixed else causal | padding


def _causal(ids, diagonal=0):
    """A triangle of this batch's size."""
    return torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril(diagonal)


def _as_keys(real):
    """Booleans of a batch, (batch, 1, 1, n)."""
    return real[:, None, None, :]


class Wrong:
    """What learners write, the more particular before the more general."""

    def nothing_mended(ids, pad):
        """This still behaves like the broken version: all three bugs are in it.

        Take one line at a time, and print what it makes for the two sentences above.
        """
        return _version(ids, pad, False, False, False)

    def only_the_triangle_fixed(ids, pad):
        """One bug is fixed: a token sees itself. Two are left, and both concern the padding.

        Along which dimension of (batch, 1, queries, keys) do the ids lie? And when a pair must pass
        both masks, which operator do you need?
        """
        return _version(ids, pad, True, False, False)

    def only_the_meeting_fixed(ids, pad):
        """One bug is fixed: a pair has to pass both masks. Each of the masks still has its own bug.

        Print each of the two masks alone. May a token see itself? And is a padding *key* hidden?
        """
        return _version(ids, pad, False, True, False)

    def only_the_keys_fixed(ids, pad):
        """One bug is fixed: the ids lie along the keys. Two are left.

        Print the triangle alone: is the diagonal what it should be? Then look at a pair that passes
        only one of the masks.
        """
        return _version(ids, pad, False, False, True)

    def triangle_left(ids, pad):
        """Two bugs are fixed. One is left: no token may see itself, and the first sees nothing.

        Look at the diagonal of the triangle.
        """
        return _version(ids, pad, triangle_fixed=False)

    def meeting_left(ids, pad):
        """Two bugs are fixed. One is left: a pair is allowed when it passes either of the masks.

        A later key that is a token passes the padding mask. How many masks must a pair pass?
        """
        return _version(ids, pad, meeting_fixed=False)

    def keys_left(ids, pad):
        """Two bugs are fixed. One is left: padding queries see nothing, and padding keys are seen.

        Compare the shapes: (batch, 1, queries, keys). On which of the two did the ids end up?
        """
        return _version(ids, pad, keys_fixed=False)

    def causal_alone(ids, pad):
        """The padding is no longer hidden at all: this is the causal mask for each sentence.

        You need both masks: a key may be neither later than the query nor padding.
        """
        return masks.causal_mask(ids.shape[1]).expand(len(ids), 1, -1, -1)

    def padding_alone(ids, pad):
        """The future is no longer hidden: this is the padding mask, written out for each query.

        You need both masks: a key may be neither later than the query nor padding.
        """
        return masks.padding_mask(ids, pad).expand(-1, 1, ids.shape[1], -1)

    def padding_queries_hidden_too(ids, pad):
        """Padding keys are hidden, but you emptied the rows of padding queries as well.

        The output of a padding query is never used. Hide only the padding keys.
        """
        return correct(ids, pad) & (ids != pad)[:, None, :, None]

    def future_instead_of_past(ids, pad):
        """The triangle points the other way: each token sees itself and what comes after it.

        Row i belongs to query i. How many keys may the first query see?
        """
        return masks.padding_mask(ids, pad) & masks.causal_mask(ids.shape[1]).mT

    def true_is_hidden(ids, pad):
        """Your mask is True where attention is hidden. It should be True where attention is
        allowed.

        One `~` over the whole mask inverts it. Is there one too many, or one too few?
        """
        return ~correct(ids, pad)

    def padding_is_always_0(ids, pad):
        """The three bugs are fixed, but the ids are compared with 0, whatever `pad` is.

        The second argument says which id is padding.
        """
        return correct(ids, 0)

    def without_dimension_for_heads(ids, pad):
        """The booleans are right, but the dimension of size 1 for the heads is missing.

        Scores are (batch, h, n, n). Broadcasting would align your batch with the heads.
        """
        return correct(ids, pad)[:, 0]

    def numbers(ids, pad):
        """The pairs are right, but they are the numbers 0 and 1 instead of False and True.

        `&` of two booleans is a boolean. What turned yours into numbers?
        """
        return correct(ids, pad).float()

    def itself_always(ids, pad):
        """Padding is hidden, but not from itself: every position sees itself.

        A padding key is hidden from all queries, its own as well.
        """
        return correct(ids, pad) | torch.eye(ids.shape[1], dtype=torch.bool)

    def padding_queries_see_all(ids, pad):
        """The rows of padding queries are True everywhere.

        Rows of padding queries follow the same rule as all others.
        """
        return correct(ids, pad) | (ids == pad)[:, None, :, None]

    def empty_rows_see_all(ids, pad):
        """A row in which nothing may be seen is True everywhere in yours.

        Such rows follow the same rule: what deals with them is the softmax.
        """
        allowed = correct(ids, pad)
        return allowed | ~allowed.any(-1, keepdim=True)

    def empty_rows_see_the_first(ids, pad):
        """In your mask, a row in which nothing may be seen sees its first key.

        Such rows follow the same rule: what deals with them is the softmax.
        """
        allowed = correct(ids, pad)
        first = torch.arange(ids.shape[1]) == 0
        return allowed | (~allowed.any(-1, keepdim=True) & first)

    def empty_rows_see_themselves(ids, pad):
        """In your mask, a row in which nothing may be seen sees its own key.

        Such rows follow the same rule: what deals with them is the softmax.
        """
        allowed = correct(ids, pad)
        itself = torch.eye(ids.shape[1], dtype=torch.bool)
        return allowed | (~allowed.any(-1, keepdim=True) & itself)

    def larger_ids_alone(ids, pad):
        """The three bugs are fixed, but every id that is smaller than pad is hidden too.

        Padding has one id. All others are tokens.
        """
        return _causal(ids) & _as_keys(ids > pad)

    def smaller_ids_hidden_and_padding_seen(ids, pad):
        """Your comparison is ≥: padding is seen, and every smaller id is hidden.

        Padding has one id. All others are tokens.
        """
        return _causal(ids) & _as_keys(ids >= pad)

    def tokens_hidden(ids, pad):
        """The triangle is right, but you hide the tokens, and padding is seen.

        Which ids may be seen: those that equal pad, or the others?
        """
        return _causal(ids) & _as_keys(ids == pad)

    def exactly_one_of_padding_and_past(ids, pad):
        """You allow keys that are either not later or padding, but not both: an exclusive or.

        Which operator joins two conditions that must both hold?
        """
        return _causal(ids) ^ _as_keys(ids == pad)

    def exactly_one_mask(ids, pad):
        """You allow pairs that pass exactly one of the masks.

        Which operator joins two conditions that must both hold?
        """
        return _causal(ids) ^ _as_keys(ids != pad)

    def past_or_padding(ids, pad):
        """You allow every key that is not later, and padding even where it is later.

        A pair must pass both masks.
        """
        return _causal(ids) | _as_keys(ids == pad)

    def padding_at_the_end_alone(ids, pad):
        """You count the tokens and take what comes after that many positions for padding.

        Padding can stand at the beginning too. Look at each id where it stands.
        """
        real = torch.arange(ids.shape[1]) < (ids != pad).sum(1, keepdim=True)
        return _causal(ids) & _as_keys(real)

    def nothing_after_padding(ids, pad):
        """You hide everything after the first padding, even tokens.

        Padding can stand at the beginning too. Look at each id by itself.
        """
        return _causal(ids) & _as_keys((ids == pad).cumsum(-1) == 0)

    def one_ahead(ids, pad):
        """The padding is right, but each position also sees the next one.

        The next token is what a decoder has to predict. On which diagonal does your triangle end?
        """
        return _causal(ids, 1) & _as_keys(ids != pad)

    def one_ahead_also_padding(ids, pad):
        """Each position also sees the next one, and padding is not hidden.

        On which diagonal should the triangle end? And a pair must pass both masks.
        """
        return _causal(ids, 1).expand(len(ids), 1, -1, -1)

    def everything_from_the_first_sentence(ids, pad):
        """You give all sentences the padding of the first one.

        Each sentence has its own padding.
        """
        return correct(ids[:1], pad).expand(len(ids), -1, -1, -1).clone()

    def padding_of_any_sentence(ids, pad):
        """You hide a position in all sentences if one of them has padding there.

        Each sentence has its own padding.
        """
        real = (ids != pad).all(0).expand(ids.shape)
        return _causal(ids) & _as_keys(real)

    def padding_needs_both(ids, pad):
        """You hide a pair only if both its query and its key are padding.

        A padding key is hidden from all queries.
        """
        real = ids != pad
        return _causal(ids) & (real[:, None, :, None] | _as_keys(real))

    def not_later_hidden(ids, pad):
        """You hide what is not later, and see later tokens: the diagonal and the past are gone.

        Row i belongs to query i. How many keys may the first query see?
        """
        return ~_causal(ids) & _as_keys(ids != pad)

    def keys_turned(ids, pad):
        """The last two dimensions are exchanged: your rows are keys, and your columns queries.

        Row i of the mask belongs to query i, as row i of the scores does.
        """
        return correct(ids, pad).mT

    def dimensions_of_heads_elsewhere(ids, pad):
        """The dimension of size 1 stands in front of the batch: (1, batch, n, n).

        The batch comes first, in the mask as in the scores.
        """
        return correct(ids, pad).transpose(0, 1)

    def one_mask_without_batch(ids, pad):
        """You return the mask of one sentence alone.

        Each sentence of the batch has its own.
        """
        return correct(ids, pad)[:1]

    def special_tokens_hidden(ids, pad):
        """The three bugs are fixed, but <bos> and <eos> are hidden, too.

        These are tokens. Hide only what equals pad.
        """
        return correct(ids, pad) & _as_keys((ids != 2) & (ids != 3))

    def additive(ids, pad):
        """This is the mask to be added to scores: 0 where allowed, -inf where hidden.

        Return the boolean form, True where allowed.
        """
        return torch.zeros(len(ids), 1, *_causal(ids).shape).masked_fill(
            ~correct(ids, pad), float("-inf")
        )


class Right:
    """Right answers, written differently."""

    def mended(ids, pad):
        """The version of the notebook with all three fixed."""
        return _version(ids, pad)

    def by_comparing(ids, pad):
        """Compares positions."""
        position = torch.arange(ids.size(1))
        return (position[:, None] >= position) & ids.ne(pad)[:, None, None]

    def hidden_turned_round(ids, pad):
        """A pair is hidden if its key is late or padding."""
        late = torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
        return ~(late | (ids == pad)[:, None, None, :])

    def one_pair_at_a_time(ids, pad):
        """Loops."""
        batch, n = ids.shape
        mask = torch.zeros(batch, 1, n, n, dtype=torch.bool)
        for b in range(batch):
            for i in range(n):
                for j in range(i + 1):
                    mask[b, 0, i, j] = ids[b, j] != pad
        return mask

    def triangle_of_rows(ids, pad):
        """Writes the padding mask out, and cuts the triangle from it."""
        n = ids.shape[1]
        return (ids != pad)[:, None, None, :].expand(-1, -1, n, -1).tril()

    def by_multiplying(ids, pad):
        """A product of booleans is an and."""
        n = ids.shape[1]
        return torch.ones(n, n).tril().bool() * (ids != pad).view(-1, 1, 1, n)


EXERCISE = Exercise(
    id="decoder_mask",
    oracle=correct,
    hint="Three things have to be right: a token sees itself, a pair must pass both masks, and "
    "padding is hidden as a key. Which of them is not right in yours?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
