"""The exercise ``leaking_rows``: what a printed mask lets through (B16, C10; chapter 5)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Triangles, masks with holes, and any 0 and 1."""
    triangle, eight = ("100", "110", "111"), ["1" * i + "0" * (8 - i) for i in range(1, 9)]
    holes = ("10000", "01000", "00110", "10000", "00001")
    any_mask = draw.booleans(6, 6, share=0.25).to(draw.dtype)
    return [
        Case("a triangle, 3 tokens and 2", (_mask(draw, *triangle), _lengths(3, 2)), by_hand=True),
        Case("document B's mask", (_mask(draw, *eight), _lengths(6))),
        Case("document B's mask for 4 sentences", (_mask(draw, *eight), _lengths(3, 8, 1, 7))),
        Case("document B's mask in whole numbers", (_mask(draw, *eight).long(), _lengths(6, 5))),
        Case("a later key for an earlier one", (_mask(draw, "010", "001", "110"), _lengths(3, 2))),
        Case("a mask with holes", (_mask(draw, *holes), _lengths(5, 3, 2, 4))),
        Case("everything allowed", (_mask(draw, "1111", "1111", "1111", "1111"), _lengths(4, 2))),
        Case("only itself", (_mask(draw, "1000", "0100", "0010", "0001"), _lengths(2, 4))),
        Case("zeros and ones at random", (any_mask, _lengths(6, 4, 2))),
    ]


def _mask(draw: Draw, *rows: str) -> torch.Tensor:
    """Rows of 0 and 1 as numbers."""
    return draw.tensor([[float(sign) for sign in row] for row in rows])


def _lengths(*lengths: int) -> torch.Tensor:
    return torch.tensor(lengths)


def correct(mask, lengths):
    """A row leaks where it allows a key that is late or padding."""
    late, padding = _late(mask), _padding(mask, lengths)
    return ((mask == 1) & (late | padding)).any(-1)


def _late(mask: torch.Tensor) -> torch.Tensor:
    """True where key j comes after query i, (n, n)."""
    position = torch.arange(len(mask))
    return position > position[:, None]


def _padding(mask: torch.Tensor, lengths: torch.Tensor, shift: int = 0) -> torch.Tensor:
    """True where key j is padding, (batch, 1, n)."""
    return torch.arange(len(mask)) >= lengths[:, None, None] + shift


def _rows_with(mask, forbidden):
    """Rows that see a forbidden key."""
    return ((mask == 1) & forbidden).any(-1)


class Wrong:
    """What learners write, the more particular before the more general."""

    def only_the_future(mask, lengths):
        """You looked for keys in the future, but not for padding keys.

        Document B's mask hides all of the future. Which keys does it show in its last row?
        """
        return ((mask == 1) & _late(mask)).any(-1).expand(len(lengths), -1)

    def only_padding(mask, lengths):
        """You looked for padding keys, but not for keys in the future.

        In a mask of nothing but ones, the first row of a sentence without padding leaks too.
        """
        return ((mask == 1) & _padding(mask, lengths)).any(-1)

    def late_and_padding(mask, lengths):
        """You looked for keys that are both in the future and padding. One of the two is enough.

        A row leaks if it sees the future *or* padding.
        """
        return ((mask == 1) & _late(mask) & _padding(mask, lengths)).any(-1)

    def columns(mask, lengths):
        """You returned the columns that leak: keys that some query sees and must not see.

        Return the rows, which are the queries. Along which dimension do you look for any True?
        """
        return ((mask == 1) & (_late(mask) | _padding(mask, lengths))).any(-2)

    def last_token_as_padding(mask, lengths):
        """You count the last token of each sentence as padding: the comparison is off by one.

        The tokens of a sentence of 3 stand at positions 0, 1 and 2.
        """
        return ((mask == 1) & (_late(mask) | _padding(mask, lengths, -1))).any(-1)

    def first_padding_as_token(mask, lengths):
        """You count the first padding key of each sentence as a token: the comparison is off by
        one.

        The tokens of a sentence of 3 stand at positions 0, 1 and 2. What stands at position 3?
        """
        return ((mask == 1) & (_late(mask) | _padding(mask, lengths, 1))).any(-1)

    def itself_counts_as_future(mask, lengths):
        """You count a row as leaking if the query sees itself. It may see itself.

        A key is late only if it comes *after* the query.
        """
        late = _late(mask) | torch.eye(len(mask), dtype=torch.bool)
        return ((mask == 1) & (late | _padding(mask, lengths))).any(-1)

    def past_counts_as_future(mask, lengths):
        """You count a row as leaking if it sees an earlier key. Only *later* keys are in the
        future.

        Rows are queries i, columns keys j. Which of i and j is larger where the key is late?
        """
        return ((mask == 1) & (_late(mask).mT | _padding(mask, lengths))).any(-1)

    def all_keys_must_leak(mask, lengths):
        """You count a row only if every key that it sees is forbidden. One forbidden key is enough.

        Do you need any, or all?
        """
        forbidden = _late(mask) | _padding(mask, lengths)
        return (forbidden | (mask == 0)).all(-1)

    def safe_rows(mask, lengths):
        """True stands at the rows that see nothing forbidden. It belongs to the others.

        Read the name of the function: it should be True where a row leaks.
        """
        return ~correct(mask, lengths)

    def only_rows_of_tokens(mask, lengths):
        """You left out the rows of padding queries, and they can leak like any other.

        The question is about every row of the mask. Whether the output of a padding query is ever
        used is a different question.
        """
        return correct(mask, lengths) & ~_padding(mask, lengths)[:, 0]

    def every_padding_row(mask, lengths):
        """You count every row of a padding query as leaking, whatever it sees.

        A padding query that sees only earlier tokens sees nothing forbidden.
        """
        return correct(mask, lengths) | _padding(mask, lengths)[:, 0]

    def padding_on_queries(mask, lengths):
        """You put padding on the rows, so that every padding query that sees a key counts as
        leaking.

        Which *keys* are padding? Keys are columns.
        """
        padding = _padding(mask, lengths).mT
        return ((mask == 1) & (_late(mask) | padding)).any(-1)

    def hidden_keys_leak(mask, lengths):
        """You read the zeros of the mask as allowed.

        In document B's mask a 1 means that the query sees the key.
        """
        return ((mask == 0) & (_late(mask) | _padding(mask, lengths))).any(-1)

    def differs_in_any_way(mask, lengths):
        """You count rows that differ from the right mask in any way, even if they see too little.

        A row that hides an allowed key loses information, but it does not leak.
        """
        return ((mask == 1) != ~(_late(mask) | _padding(mask, lengths))).any(-1)

    def longest_sentence_for_all(mask, lengths):
        """You took every sentence to be as long as the longest one.

        Each sentence has its own padding. Give the lengths dimensions of size 1 to broadcast.
        """
        return correct(mask, lengths.max().expand(len(lengths)))

    def any_sentence(mask, lengths):
        """You returned one row for all sentences: True where the mask leaks for any of them.

        Return an answer for each sentence, (batch, n).
        """
        return correct(mask, lengths).any(0)

    def pairs(mask, lengths):
        """These are the pairs that leak. Return the rows that contain such a pair.

        Which dimension has to go?
        """
        return (mask == 1) & (_late(mask) | _padding(mask, lengths))

    def counted(mask, lengths):
        """These are numbers: how many forbidden keys each row sees. Return whether it sees any.

        Compare with 0, or ask for any True.
        """
        return ((mask == 1) & (_late(mask) | _padding(mask, lengths))).sum(-1)

    def late_or_padding_but_not_both(mask, lengths):
        """A key that is both late and padding does not count in yours: an exclusive or.

        A key must not be seen if it is late, or padding, or both.
        """
        return _rows_with(mask, _late(mask) ^ _padding(mask, lengths))

    def padding_counts_unseen(mask, lengths):
        """You count padding keys even where the mask hides them.

        In `a & b | c`, the `&` comes first. Where do brackets belong?
        """
        return (((mask == 1) & _late(mask)) | _padding(mask, lengths)).any(-1)

    def late_counts_unseen(mask, lengths):
        """You count later keys even where the mask hides them.

        In `a | b & c`, the `&` comes first. Where do brackets belong?
        """
        return (_late(mask) | ((mask == 1) & _padding(mask, lengths))).any(-1)

    def rows_of_padding(mask, lengths):
        """You return the rows of padding queries, and do not look at the mask.

        That is right for a full triangle. Your function has to work for any mask of 0 and 1.
        """
        return _padding(mask, lengths)[:, 0].clone()

    def rows_of_tokens(mask, lengths):
        """You return the rows of tokens, and do not look at the mask.

        True where the row sees a key that it must not see.
        """
        return ~_padding(mask, lengths)[:, 0]

    def every_key_of_the_row(mask, lengths):
        """You ask whether every key of the row is seen and forbidden. One of them is enough.

        Do you need any, or all?
        """
        return ((mask == 1) & (_late(mask) | _padding(mask, lengths))).all(-1)

    def how_many_keys(mask, lengths):
        """You compare how many keys a row sees with how many it may see.

        Which keys are they? A row with one key leaks, if it is the wrong one.
        """
        n = len(mask)
        may = torch.minimum(torch.arange(1, n + 1), lengths[:, None])
        return mask.sum(-1) > may

    def more_keys_than_tokens(mask, lengths):
        """You compare how many keys a row sees with the number of tokens.

        Which keys are they? A row with one key leaks, if it is the wrong one.
        """
        return mask.sum(-1) > lengths[:, None]

    def first_length_for_all(mask, lengths):
        """You took every sentence to be as long as the first one.

        Each sentence has its own padding.
        """
        return correct(mask, lengths[:1].expand(len(lengths)))

    def shortest_sentence_for_all(mask, lengths):
        """You took every sentence to be as long as the shortest one.

        Each sentence has its own padding.
        """
        return correct(mask, lengths.min().expand(len(lengths)))

    def six_tokens(mask, lengths):
        """You take each sentence to have 6 tokens, as in document B.

        The second argument says how many tokens each sentence has.
        """
        return correct(mask, torch.full_like(lengths, 6))

    def padding_at_the_beginning(mask, lengths):
        """You put the padding at the beginning of the sentences.

        Padding comes after the tokens. At which position does it begin?
        """
        padding = torch.arange(len(mask)) < len(mask) - lengths[:, None, None]
        return _rows_with(mask, _late(mask) | padding)

    def tokens_for_padding(mask, lengths):
        """You take the tokens for padding, and padding for tokens.

        A sentence of 3 has its tokens at 0, 1 and 2. Which way should the comparison go?
        """
        return _rows_with(mask, _late(mask) | ~_padding(mask, lengths))

    def mask_turned(mask, lengths):
        """You read the mask with rows for keys and columns for queries.

        A 1 means that the query of this row sees the key of this column.
        """
        return correct(mask.mT, lengths)

    def last_key_alone(mask, lengths):
        """You look only at the last column.

        Any forbidden key counts, wherever it stands.
        """
        forbidden = _late(mask) | _padding(mask, lengths)
        return (mask == 1)[:, -1] & forbidden[..., -1]

    def next_key_alone(mask, lengths):
        """Of the later keys you look only at the next one.

        A key is late if it comes after the query, however far.
        """
        position = torch.arange(len(mask))
        following = position == position[:, None] + 1
        return _rows_with(mask, following | _padding(mask, lengths))

    def next_key_allowed(mask, lengths):
        """You allow the next key: only those from the second one on count as late.

        A key is late if it comes after the query.
        """
        late = torch.ones(len(mask), len(mask), dtype=torch.bool).triu(2)
        return _rows_with(mask, late | _padding(mask, lengths))

    def all_but_itself(mask, lengths):
        """You count every key but the query's own as forbidden.

        Earlier keys may be seen.
        """
        other = ~torch.eye(len(mask), dtype=torch.bool)
        return _rows_with(mask, other | _padding(mask, lengths))

    def sees_too_little(mask, lengths):
        """You return the rows that do not see all that they may see.

        A row that hides an allowed key loses information, but it does not leak.
        """
        allowed = ~(_late(mask) | _padding(mask, lengths))
        return ((mask == 0) & allowed).any(-1)

    def sees_anything_allowed(mask, lengths):
        """You return the rows that see an allowed key.

        True where the row sees a key that it must *not* see.
        """
        return _rows_with(mask, ~(_late(mask) | _padding(mask, lengths)))

    def empty_rows_too(mask, lengths):
        """You also count rows that see no allowed key at all.

        A row that sees nothing sees nothing forbidden.
        """
        allowed = ~(_late(mask) | _padding(mask, lengths))
        return correct(mask, lengths) | ~_rows_with(mask, allowed)

    def one_verdict_for_each_sentence(mask, lengths):
        """You return one answer for each sentence.

        Return one for each row of each sentence, (batch, n).
        """
        return correct(mask, lengths).any(-1)

    def numbers(mask, lengths):
        """The rows are right, but you return the numbers 0 and 1.

        Return True and False.
        """
        return correct(mask, lengths).float()

    def turned(mask, lengths):
        """Your result has a row for each position, (n, batch).

        It should have a row for each sentence.
        """
        return correct(mask, lengths).mT

    def numbers_of_rows(mask, lengths):
        """You return which rows leak, as pairs of sentence and row.

        Return True or False for each row of each sentence.
        """
        return correct(mask, lengths).nonzero()


class Right:
    """Right answers, written differently."""

    def one_pair_at_a_time(mask, lengths):
        """Loops, as the definition has it."""
        n = mask.shape[0]
        leaks = torch.zeros(len(lengths), n, dtype=torch.bool)
        for b, length in enumerate(lengths.tolist()):
            for i in range(n):
                for j in range(n):
                    if mask[i, j] and (j > i or j >= length):
                        leaks[b, i] = True
        return leaks

    def by_the_right_mask(mask, lengths):
        """Builds what is allowed, and looks at what else is on."""
        n = len(mask)
        allowed = torch.ones(n, n).tril().bool() & (torch.arange(n) < lengths[:, None])[:, None, :]
        return (mask.bool() & ~allowed).any(dim=-1)

    def by_the_last_key(mask, lengths):
        """The last key that a row sees decides."""
        position = torch.arange(len(mask))
        last = torch.where(mask > 0, position, -1).amax(-1)
        return (last > position) | (last >= lengths[:, None])

    def by_counting(mask, lengths):
        """Counts the ones to the right of what is allowed."""
        n = len(mask)
        seen_up_to = mask.cumsum(-1)
        end = torch.minimum(torch.arange(n) + 1, lengths[:, None])
        within = seen_up_to[torch.arange(n), end - 1]
        return mask.sum(-1) > within

    def from_lists(mask, lengths):
        """Through lists of Python."""
        rows = [[bool(x) for x in row] for row in mask.tolist()]
        return torch.tensor(
            [[any(row[min(i + 1, length) :]) for i, row in enumerate(rows)] for length in lengths]
        )


EXERCISE = Exercise(
    id="leaking_rows",
    oracle=correct,
    hint="Take one pair of a query i and a key j that the mask allows. When is it forbidden? Then "
    "ask for any such pair in a row.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
