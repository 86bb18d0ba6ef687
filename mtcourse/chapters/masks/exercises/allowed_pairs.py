"""The exercise ``allowed_pairs``: how many pairs both masks allow (A11, C09, C10; chapter 5)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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


def _triangle(n):
    """How many pairs a causal mask allows."""
    return n * (n + 1) // 2


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
        """These are p pairs too many: each padding query sees one key more than there are tokens.

        A padding token is also a padding key, and no query may see it, not even its own.
        """
        return n * (n + 1) // 2 - p * (p - 1) // 2

    def no_diagonal_with_padding(n, p):
        """The padding is right, but your first row sees no key: no token sees itself.

        Row i sees the keys up to i, and i is one of them. How long are the first row and the last?
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

    def tokens_see_all_tokens(n, p):
        """This is (n-p)²: every token sees all tokens, later ones too, and padding queries nothing.

        Query 1 may see one key. And a padding query has a row like any other: how long is it?
        """
        return (n - p) ** 2

    def padding_rows_of_padding(n, p):
        """The triangle of the tokens is right, but each padding query got p keys.

        A padding query comes after all tokens, and sees only these. How many are there?
        """
        return _triangle(n - p) + p * p

    def two_triangles(n, p):
        """You count two triangles, tokens that see tokens, and padding that sees padding.

        A padding query sees no padding key, but every token. How many are there?
        """
        return _triangle(n - p) + _triangle(p)

    def padding_rows_without_the_last_token(n, p):
        """The triangle of the tokens is right, but each padding query got one key too few.

        A padding query comes after all tokens. How many are there?
        """
        return _triangle(n - p) + p * max(n - p - 1, 0)

    def half_of_the_squares(n, p):
        """This is n²/2 minus p²/2, each rounded down.

        A triangle with its diagonal is more than half of the square.
        """
        return n * n // 2 - p * p // 2

    def half_of_the_squares_not_rounded(n, p):
        """This is (n² - p²)/2: the pairs on the diagonal count for half.

        A triangle with its diagonal is more than half of the square.
        """
        return (n * n - p * p) / 2

    def half_of_tokens_and_queries(n, p):
        """This is n(n-p)/2, half of what the padding mask allows.

        The triangle that is cut off is not half of it. Draw n = 4, p = 2.
        """
        return n * (n - p) / 2

    def half_of_tokens_and_queries_rounded(n, p):
        """This is n(n-p)/2 rounded down, half of what the padding mask allows.

        The triangle that is cut off is not half of it. Draw n = 4, p = 2.
        """
        return n * (n - p) // 2

    def triangle_share_of_the_tokens(n, p):
        """This is (n-p)(n+1)/2: what the causal mask allows, times the share of tokens.

        Padding keys stand in the last columns, which few queries see under the causal mask.
        """
        return (n - p) * (n + 1) / 2

    def larger_of_both_limits(n, p):
        """You gave each query the larger of its limits: you count pairs that pass either mask.

        Query i sees no key after i, and none after n - p. Which of the two limits counts?
        """
        return sum(max(i, n - p) for i in range(1, n + 1))

    def one_pair_for_any_padding(n, p):
        """You took one pair away, however much padding there is.

        That is right for p = 1. Which pairs have to be taken away for p = 2?
        """
        return _triangle(n) - (1 if p else 0)

    def both_masks_counted(n, p):
        """You added up what the two masks allow, so that many pairs count twice.

        A pair has to pass both masks. Count the keys that each query sees.
        """
        return _triangle(n) + n * (n - p)

    def triangle_without_diagonal_of_padding(n, p):
        """You took p(p+1) pairs away from the causal mask: twice the triangle of the padding.

        Which pairs of two padding positions does the causal mask allow at all?
        """
        return _triangle(n) - p * (p + 1)

    def padding_queries_and_columns(n, p):
        """You counted the tokens among themselves, without the diagonal.

        A token sees itself. And a padding query has a row like any other: how long is it?
        """
        return (n - p) * (n - p - 1) // 2

    def only_the_padding_queries(n, p):
        """You counted only the pairs of padding queries.

        The tokens have queries, too: a triangle.
        """
        return p * (n - p)

    def only_the_hidden_padding(n, p):
        """You counted the pairs that the padding takes away from the causal mask.

        Count what is left.
        """
        return _triangle(p)

    def one_query_more(n, p):
        """Your sum has one query more than there are positions.

        All n positions have a query. Where does `range` end?
        """
        return sum(min(i, n - p) for i in range(1, n + 2))

    def one_more_key_hidden(n, p):
        """You count the last token as padding: each query sees at most n - p - 1 keys.

        The last p of n positions are padding. How many are tokens?
        """
        return sum(min(i, max(n - p - 1, 0)) for i in range(1, n + 1))

    def keys_per_query(n, p):
        """You return how many keys a query sees on average.

        How many pairs are there in all rows together?
        """
        return correct(n, p) / n

    def share_of_all_pairs(n, p):
        """You return a share of all n² pairs.

        The number of pairs is asked for.
        """
        return correct(n, p) / n**2


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
    forbids=("masks",),
)
