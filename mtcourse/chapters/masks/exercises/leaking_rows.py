"""The exercise ``leaking_rows``: what a printed mask lets through (B16, C10; chapter 05)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
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
        used is a different question, and a good one.
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
