"""The exercise ``allowed_pairs``: how many pairs both masks allow (A11, C09, C10; chapter 05)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """From no padding to only padding, and one drawn pair of numbers."""
    n = draw.size(10, 60)
    p = draw.size(1, n - 1)
    return [
        Case("4 positions, the last of them padding", (4, 1), by_hand=True),
        Case("5 positions without padding", (5, 0)),
        Case("8 positions, 2 of them padding", (8, 2)),
        Case("9 positions, 6 of them padding", (9, 6)),
        Case("100 positions, 30 of them padding", (100, 30)),
        Case("3 positions, all of them padding", (3, 3)),
        Case("a single token", (1, 0)),
        Case(f"{n} positions, {p} of them padding", (n, p)),
    ]


def correct(n, p):
    """Query i sees min(i, n - p) keys."""
    return sum(min(i, n - p) for i in range(1, n + 1))


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_pairs(n, p):
        """This is n², every pair of a query and a key, as if nothing were hidden.

        Draw the rows for n = 4, p = 1. Cross out the future first, and then the padding.
        """
        return n * n

    def half_of_all(n, p):
        """This is n²/2, half of all pairs.

        A triangle with its diagonal is more than half of the square. And where did the padding go?
        """
        return n * n / 2

    def half_of_all_rounded(n, p):
        """This is n²/2, rounded down: half of all pairs.

        A triangle with its diagonal is more than half of the square. And where did the padding go?
        """
        return n * n // 2

    def no_diagonal(n, p):
        """This is n(n-1)/2: no token sees itself, and padding is not hidden.

        The diagonal is allowed. Then take the padding keys away from the rows that see them.
        """
        return n * (n - 1) // 2

    def no_padding(n, p):
        """This is n(n+1)/2, the causal mask alone. Padding keys are still seen.

        Which rows see the first padding key under the causal mask, and which see the last?
        """
        return n * (n + 1) // 2

    def no_causality(n, p):
        """This is n(n-p), the padding mask alone: every query sees all tokens, later ones too.

        Query 1 may see one key. How many does your formula give it?
        """
        return n * (n - p)

    def padding_asks_nothing(n, p):
        """You counted only the pairs among the n-p tokens. The p padding queries see tokens, too.

        Only padding *keys* are hidden. A padding query has a row like any other: how long is it?
        """
        return (n - p) * (n - p + 1) // 2

    def padding_counts_once(n, p):
        """You took p pairs away from the causal mask, one for each padding key.

        More than one row sees the first padding key. Count the rows for n = 4, p = 2.
        """
        return n * (n + 1) // 2 - p

    def padding_counts_in_every_row(n, p):
        """You took n·p pairs away from the causal mask, as if every row saw every padding key.

        The causal mask hides them from most rows already. Do not take away the same pair twice.
        """
        return n * (n + 1) // 2 - n * p

    def square_of_padding(n, p):
        """You took p² pairs away from the causal mask: each padding query with each padding key.

        Some of these p² pairs lie in the future, where the causal mask has hidden them already.
        """
        return n * (n + 1) // 2 - p * p

    def padding_sees_itself(n, p):
        """You let each padding query see itself: p pairs too many.

        A padding token is also a padding key, and no query may see it, not even its own.
        """
        return n * (n + 1) // 2 - p * (p - 1) // 2

    def no_diagonal_with_padding(n, p):
        """The padding is right, but no token sees itself.

        Row i sees the keys up to i, and i is one of them.
        """
        return sum(min(i, n - p) for i in range(n))

    def hidden_pairs(n, p):
        """You counted the hidden pairs. Count the allowed ones.

        Together they are n². One step is left.
        """
        return n * n - correct(n, p)

    def for_each_padding_one_token(n, p):
        """You gave each padding query one key, but each sees all n-p tokens.

        The last token sees n-p keys. May a query that comes later see fewer?
        """
        return (n - p) * (n - p + 1) // 2 + p

    def padding_rows_too_long(n, p):
        """The triangle of the tokens is right, but each padding query got n keys.

        A padding query comes after all tokens, and sees only these. How many are there?
        """
        return (n - p) * (n - p + 1) // 2 + p * n


class Right:
    """Right answers, written differently."""

    def triangle_and_rectangle(n, p):
        """A triangle for the tokens, a rectangle for the padding queries."""
        k = n - p
        return k * (k + 1) // 2 + p * k

    def triangle_without_triangle(n, p):
        """The whole triangle without that among the padding."""
        return (n * (n + 1) - p * (p + 1)) / 2

    def key_by_key(n, p):
        """Key j is seen by the n - j + 1 queries from j on."""
        return sum(n - j + 1 for j in range(1, n - p + 1))

    def pair_by_pair(n, p):
        """Counts."""
        return sum(1 for i in range(n) for j in range(n) if j <= i and j < n - p)

    def factored(n, p):
        """The difference of two squares hides in it."""
        return (n - p) * (n + p + 1) // 2


EXERCISE = Exercise(
    id="allowed_pairs",
    oracle=correct,
    hint="Draw the rows for n = 4 and p = 1, and count how many keys each query may see.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
