"""The exercise ``padding_mask``: no query sees padding (C10, against D05; chapter 5)."""

from __future__ import annotations

import math

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case
from mtcourse.layers import masks


def cases(draw: Draw) -> list[Case]:
    """Padding at the end, at the beginning and nowhere, with two ids for it."""
    at_the_end = _padded(draw, [5, 3, 1, 4], 0)
    other_id = _padded(draw, [2, 6, 4], 9)
    other_id[:, 0] = 0
    at_the_beginning = _padded(draw, [3, 6], 0).flip(-1)
    drawn = [draw.size(1, 6) for _ in range(draw.size(2, 4))]
    return [
        Case("two short sentences", (torch.tensor([[7, 8, 3], [5, 3, 0]]), 0), by_hand=True),
        Case("four sentences, padded at the end", (at_the_end, 0)),
        Case("three sentences where padding is 9 and 0 is a token", (other_id, 9)),
        Case("two sentences, one padded at the beginning", (at_the_beginning, 0)),
        Case("as many sentences as positions", (_padded(draw, [2, 3, 1], 0), 0)),
        Case(f"sentences of {drawn} tokens", (_padded(draw, drawn, 0), 0)),
        Case(
            "padding on both sides", (torch.tensor([[0, 5, 8, 0], [7, 4, 3, 0], [0, 0, 6, 3]]), 0)
        ),
        Case(
            "padding has the largest id", (torch.tensor([[7, 8, 3], [5, 3, 20], [9, 20, 20]]), 20)
        ),
        Case("a single sentence with special tokens", (torch.tensor([[2, 7, 1, 9, 3, 0]]), 0)),
    ]


def _padded(draw: Draw, lengths: list[int], pad: int) -> torch.Tensor:
    """Ids from 4 to 8 and 10 to 14, then <eos>, then padding."""
    ids = draw.ids(len(lengths), max(lengths), lowest=4, highest=13)
    ids += (ids >= 9).long()
    for row, length in zip(ids, lengths, strict=True):
        row[length - 1] = 3
        row[length:] = pad
    return ids


def _as_keys(real):
    """Booleans of a batch, (batch, 1, 1, n)."""
    return real[:, None, None, :]


def _triangle(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


class Wrong:
    """What learners write, the more particular before the more general."""

    def padding_is_true(ids, pad):
        """True stands where the padding is. It should mean that attention is allowed.

        Which tokens may be seen: those that equal pad, or the others?
        """
        return (ids == pad)[:, None, None, :]

    def on_the_queries(ids, pad):
        """You masked the padding queries, and every other query still sees the padding keys.

        Scores are (batch, h, queries, keys). Which of the two last dimensions should the ids lie
        along?
        """
        return (ids != pad)[:, None, :, None]

    def queries_and_keys(ids, pad):
        """Padding keys are hidden, but you emptied the rows of padding queries as well.

        A padding query does no harm, because its output is never used. Hide only the keys.
        """
        real = ids != pad
        return real[:, None, None, :] & real[:, None, :, None]

    def a_row_for_each_query(ids, pad):
        """The mask is right, but it is written out once for each query.

        All queries of a sentence have the same row. Give that dimension size 1, and it broadcasts.
        """
        n = ids.shape[1]
        return (ids != pad)[:, None, None, :].expand(-1, 1, n, n)

    def without_dimensions(ids, pad):
        """The booleans are right, but there are no dimensions for heads and queries.

        Scores have four dimensions, (batch, h, queries, keys). Two of size 1 are missing, and where
        they stand matters.
        """
        return ids != pad

    def one_dimension_short(ids, pad):
        """The booleans are right, but heads and queries need one dimension each, and one is
        missing.

        With scores of (batch, h, queries, keys), broadcasting would align your batch with the
        heads.
        """
        return (ids != pad)[:, None, :]

    def dimensions_in_front(ids, pad):
        """The two dimensions of size 1 stand in front, and the batch lies where the queries should.

        The batch comes first, in the mask as in the scores: (batch, 1, 1, n).
        """
        return (ids != pad)[None, None]

    def padding_is_always_0(ids, pad):
        """You compare the ids with 0, whatever `pad` is.

        The second argument says which id is padding. It is 0 in this course, but not everywhere.
        """
        return (ids != 0)[:, None, None, :]

    def only_larger_ids(ids, pad):
        """Every id that is smaller than pad is hidden too.

        Padding has one id. All others are tokens, the smaller ones as well.
        """
        return (ids > pad)[:, None, None, :]

    def hides_special_tokens(ids, pad):
        """Not only padding is hidden, but <bos>, <eos> and <unk> too.

        These are tokens that the model reads: <eos> marks the end of the sentence. Hide only
        padding.
        """
        return ((ids != pad) & (ids > 3))[:, None, None, :]

    def hides_end_of_sentence(ids, pad):
        """The padding is hidden, and <eos> with it.

        <eos> is a token of the sentence like any other. Only what equals pad is padding.
        """
        return ((ids != pad) & (ids != 3))[:, None, None, :]

    def up_to_the_first_padding(ids, pad):
        """You took the position of the first padding as the length. Without padding that gives 0.

        `argmax` of nothing but False is 0. Compare every id with pad, and you need no length.
        """
        length = (ids == pad).int().argmax(-1)
        return (torch.arange(ids.shape[1]) < length[:, None])[:, None, None, :]

    def from_the_number_of_tokens(ids, pad):
        """You counted the tokens and allowed that many positions, as if padding always came last.

        Padding can stand at the beginning too. Look at each id where it stands.
        """
        length = (ids != pad).sum(-1)
        return (torch.arange(ids.shape[1]) < length[:, None])[:, None, None, :]

    def nothing_after_padding(ids, pad):
        """You hide everything after the first padding, even tokens.

        Padding can stand at the beginning too. Look at each id by itself.
        """
        return ((ids == pad).cumsum(-1) == 0)[:, None, None, :]

    def first_sentence_for_all(ids, pad):
        """You gave every sentence the mask of the first one.

        Each sentence has its own padding, so each has its own row.
        """
        return (ids[:1] != pad)[:, None, None, :].repeat(len(ids), 1, 1, 1)

    def numbers(ids, pad):
        """The mask is right, but it holds the numbers 0 and 1 instead of False and True.

        A comparison gives booleans already. What turned them into numbers?
        """
        return (ids != pad).float()[:, None, None, :]

    def numbers_where_hidden(ids, pad):
        """These are numbers, with 1 where there is padding.

        Make two changes: booleans instead of numbers, and True where attention is allowed.
        """
        return (ids == pad).float()[:, None, None, :]

    def additive(ids, pad):
        """This is the mask to be added to scores: 0 where allowed, -inf where hidden.

        It is the same mask in additive form. Return the boolean form, True where allowed.
        """
        hidden = (ids == pad)[:, None, None, :]
        return torch.zeros(hidden.shape).masked_fill(hidden, -math.inf)

    def padding_of_any_sentence(ids, pad):
        """You hide a position in all sentences if one of them has padding there.

        Each sentence has its own padding, so each has its own row.
        """
        return _as_keys((ids != pad).all(dim=0).expand(ids.shape))

    def padding_of_all_sentences(ids, pad):
        """You hide a position only if all sentences have padding there.

        Each sentence has its own padding, so each has its own row.
        """
        return _as_keys((ids != pad).any(dim=0).expand(ids.shape))

    def sentences_without_padding(ids, pad):
        """You hide all keys of a sentence that has any padding.

        Its tokens may be seen. Look at each id by itself.
        """
        return _as_keys((ids != pad).all(dim=1, keepdim=True).expand(ids.shape))

    def only_at_the_end(ids, pad):
        """You hide only the padding after the last token.

        Padding can stand at the beginning too. Look at each id by itself.
        """
        return _as_keys((ids != pad).flip(1).cumsum(1).flip(1) > 0)

    def only_at_the_beginning(ids, pad):
        """You hide only the padding before the first token.

        Padding can stand at the end too. Look at each id by itself.
        """
        return _as_keys((ids != pad).cumsum(1) > 0)

    def batch_last(ids, pad):
        """The dimensions are in the wrong order: (1, 1, n, batch), with the sentences along the
        keys.

        The batch comes first, in the mask as in the scores: (batch, 1, 1, n).
        """
        return (ids != pad).T[None, None]

    def batch_and_length_exchanged(ids, pad):
        """The shape is (n, 1, 1, batch): batch and length are exchanged.

        The first size of ids is the batch, the second is n.
        """
        return (ids != pad).reshape(ids.shape[1], 1, 1, ids.shape[0])

    def batch_and_length_turned(ids, pad):
        """You transposed the ids: the shape is (n, 1, 1, batch).

        The first size of ids is the batch, the second is n.
        """
        return _as_keys((ids != pad).T)

    def dimensions_at_the_end(ids, pad):
        """The two dimensions of size 1 stand at the end: (batch, n, 1, 1).

        Scores are (batch, h, queries, keys). Along which of them should the ids lie?
        """
        return (ids != pad)[:, :, None, None]

    def one_dimension_at_the_end(ids, pad):
        """Your shape is (batch, n, 1): broadcasting would align the batch with the heads, and the
        ids with the queries.

        Scores are (batch, h, queries, keys). Along which of them should the ids lie?
        """
        return (ids != pad)[:, :, None]

    def one_dimension_for_all(ids, pad):
        """You added one dimension in front: (1, batch, n).

        Scores are (batch, h, queries, keys). Two dimensions of size 1 belong between the batch and
        the keys.
        """
        return (ids != pad)[None]

    def causal_too(ids, pad):
        """You hide later keys, too, as a decoder does.

        An encoder may see them. Here only padding is hidden.
        """
        return _as_keys(ids != pad) & _triangle(ids.shape[1])

    def causal_alone(ids, pad):
        """This is a causal mask, and padding is not hidden.

        Compare the ids with pad.
        """
        return _triangle(ids.shape[1]).expand(len(ids), 1, -1, -1)

    def padding_seen_and_smaller_ids_hidden(ids, pad):
        """Your comparison is ≥: padding is seen, and every smaller id is hidden.

        Padding has one id. All others are tokens, larger ones and smaller ones.
        """
        return _as_keys(ids >= pad)

    def only_smaller_ids(ids, pad):
        """Only ids that are smaller than pad may be seen.

        Padding has one id. All others are tokens, the larger ones as well.
        """
        return _as_keys(ids < pad)

    def larger_ids_hidden(ids, pad):
        """Padding is seen, and every id that is larger is hidden.

        Padding has one id. All others are tokens.
        """
        return _as_keys(ids <= pad)

    def positive_ids(ids, pad):
        """You hide padding, and with it the id 0 where that is a token.

        Padding has one id, the second argument. It need not be 0.
        """
        return _as_keys((ids > 0) & (ids != pad))

    def small_ids_hidden(ids, pad):
        """You hide the ids from 0 to 2, whatever `pad` is.

        <unk> and <bos> are tokens that the model reads. Hide only what equals pad.
        """
        return _as_keys(ids > 2)

    def bos_and_eos_hidden(ids, pad):
        """You hide padding, and with it <bos> and <eos>.

        These are tokens that the model reads. Hide only what equals pad.
        """
        return _as_keys((ids != pad) & (ids != 2) & (ids != 3))

    def bos_hidden(ids, pad):
        """You hide padding, and with it <bos>.

        <bos> is a token that the model reads. Hide only what equals pad.
        """
        return _as_keys((ids != pad) & (ids != 2))

    def unknown_words_hidden(ids, pad):
        """You hide padding, and with it <unk>.

        An unknown word is a token, too. Hide only what equals pad.
        """
        return _as_keys((ids != pad) & (ids != 1))

    def after_the_end_of_the_sentence(ids, pad):
        """You hide what comes after the first <eos>, and do not look at `pad`.

        Padding can stand at the beginning too. The second argument says which id it has.
        """
        ended = (ids == 3).cumsum(-1) - (ids == 3).long()
        return _as_keys(ended == 0)

    def one_token_too_many(ids, pad):
        """You allow one key more than there are tokens: the first padding of each sentence is seen.

        Look at each id where it stands.
        """
        real = ids != pad
        return _as_keys(torch.arange(ids.shape[1]) <= real.sum(-1, keepdim=True))

    def one_token_too_few(ids, pad):
        """You allow one key fewer than there are tokens.

        Look at each id where it stands.
        """
        real = ids != pad
        return _as_keys(torch.arange(ids.shape[1]) < real.sum(-1, keepdim=True) - 1)

    def nothing_hidden(ids, pad):
        """Your mask hides nothing: every key may be seen.

        Compare the ids with pad.
        """
        return _as_keys(torch.ones_like(ids, dtype=torch.bool))

    def ids_kept(ids, pad):
        """You return the ids themselves, with more dimensions.

        Compare each of them with pad.
        """
        return ids[:, None, None, :]

    def very_low_numbers(ids, pad):
        """This is a mask to be added to scores: 0 where allowed, a very low number where hidden.

        Return the boolean form, True where allowed.
        """
        hidden = _as_keys(ids == pad)
        return torch.zeros(hidden.shape).masked_fill(hidden, -1e9)


class Right:
    """Right answers, written differently."""

    def by_unsqueezing(ids, pad):
        """Adds the dimensions one by one."""
        return torch.ne(ids, pad).unsqueeze(1).unsqueeze(2)

    def by_viewing(ids, pad):
        """Names the shape."""
        return ~(ids == pad).reshape(ids.shape[0], 1, 1, ids.shape[1])

    def one_token_at_a_time(ids, pad):
        """Loops."""
        batch, n = ids.shape
        mask = torch.ones(batch, 1, 1, n, dtype=torch.bool)
        for b in range(batch):
            for j in range(n):
                if int(ids[b, j]) == pad:
                    mask[b, 0, 0, j] = False
        return mask

    def from_lists(ids, pad):
        """Through lists of Python."""
        return torch.tensor([[[[token != pad for token in row]]] for row in ids.tolist()])

    def by_scattering(ids, pad):
        """Writes False where there is padding."""
        mask = torch.full(ids.shape, True)
        mask[torch.where(ids == pad)] = False
        return mask[:, None, None]


EXERCISE = Exercise(
    id="padding_mask",
    oracle=masks.padding_mask,
    hint="Compare each id with pad. Then think of the four dimensions of the scores, and lay "
    "the ids along that of the keys.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
