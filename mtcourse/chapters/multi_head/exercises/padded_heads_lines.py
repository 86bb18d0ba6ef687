"""The exercise ``padded_heads_lines``: which line of the heads causes what (A25, A26, B06)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "a sentence is masked with the padding of others": "F",
    "the weights of a query do not sum to 1": "none",
    "a row of the result holds means of several queries": "H",
    "the scores are too small by a factor of √h": "E",
    "the numbers that a head gets for one token come from several tokens": "none",
}

(_OTHERS, _SUM, _MIXES, _ROOT, _SPLIT) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the function stops with an error for 3 sentences and
        4 heads.

        Write the shape beside each line.
        """
        return dict.fromkeys(_LINES, "none")

    def others_from_the_softmax():
        """You blame the softmax for the padding of other sentences. It runs over the keys of one
        query, in one sentence.

        Which tensor says what to hide? How is its shape aligned with (batch, h, n, n)?
        """
        return {_OTHERS: "G"}

    def others_from_the_scores():
        """You blame the products of queries and keys for the padding of other sentences. They are
        made for each sentence alone.

        Which tensor says what to hide? How is its shape aligned with (batch, h, n, n)?
        """
        return {_OTHERS: "E"}

    def others_from_merging():
        """You blame the last reshape for the padding of other sentences. Nothing is hidden any more
        at that point.

        Which tensor says what to hide? How is its shape aligned with (batch, h, n, n)?
        """
        return {_OTHERS: "H"}

    def others_is_right():
        """You say that each sentence is masked with its own padding. The author tried it with as
        many sentences as heads.

        Which tensor says what to hide? How is its shape aligned with (batch, h, n, n)?
        """
        return {_OTHERS: "none"}

    def mixes_at_the_start():
        """You blame the first reshape for rows with means of several queries. It cuts the row of
        each token into heads, and leaves tokens apart.

        Which two dimensions are exchanged afterwards, and are they exchanged back?
        """
        return {_MIXES: "C"}

    def mixes_at_the_end():
        """You blame the output matrix for rows with means of several queries. It acts on each row
        separately.

        Which shape do the means of the heads have before they become rows?
        """
        return {_MIXES: "I"}

    def mixes_in_the_exchange():
        """You blame the exchange of tokens and heads for rows with means of several queries. It is
        needed: each head compares tokens with tokens.

        Where should the two dimensions be exchanged back?
        """
        return {_MIXES: "D"}

    def mixes_is_attention():
        """You say that each row holds the means of its own query, or need not. Compare the shape
        before the last reshape with the shape that it is read as.

        Which shape do the means of the heads have before they become rows?
        """
        return {_MIXES: "none"}

    def root_from_the_sizes():
        """You blame the line that names the sizes for the small scores. All three sizes are what
        their names say.

        How wide are the keys of one head?
        """
        return {_ROOT: "A"}

    def root_from_the_cut():
        """You blame the line that cuts rows into heads for the small scores. It makes the right
        widths.

        How wide are the keys of one head? By the root of what are the scores divided?
        """
        return {_ROOT: "B"}

    def root_is_right():
        """You say that the scores are right. They are sums over the width of one head's keys.

        How wide are these keys? By the root of what are the scores divided?
        """
        return {_ROOT: "none"}

    def sum_over_queries():
        """You say that the weights do not sum to 1. Look at the shape of the scores.

        Which dimension of (batch, h, n, n) is that of the keys?
        """
        return {_SUM: "G"}

    def split_wrongly():
        """You say that a head gets, for one token, numbers of several. A reshape reads numbers in
        order, and the d numbers of a token stand beside each other.

        Take one token with d = 4 and h = 2. Which numbers does each head get?
        """
        return {_SPLIT: "C"}

    def exchanged_wrongly():
        """You say that a head gets numbers of several tokens, because two dimensions are exchanged.
        An exchange moves no number to another token.

        Which shape do the queries have afterwards? What should it be?
        """
        return {_SPLIT: "D"}


EXERCISE = which_line(
    "padded_heads_lines",
    _LINES,
    Wrong,
    hint="Write the shape beside each line, for 3 sentences of 5 tokens, 2 heads and d = 8. How "
    "wide is a key, what is the mask aligned with, and what is reshaped at the end?",
)
