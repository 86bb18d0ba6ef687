"""The exercise ``cache_lines``: which line of a cached layer causes what (C11; chapter 14)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "a new token cannot see all cached tokens": "G",
    "tokens of different chunks stand at the same position": "B",
    "a beam gets the new key and value of another beam": "E",
    "a beam keeps old keys and values that are not its parent's": "none",
    "the first token of a prompt sees the second": "none",
    "queries of earlier tokens are missing": "none",
}

(_HIDDEN, _POSITION, _NEW, _OLD, _FUTURE, _QUERIES) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but three of the tests below the code fail.

        Take a cache of three positions and one new token. What does each line make of them?
        """
        return dict.fromkeys(_LINES, "none")

    def hidden_by_filling():
        """You blame the line that fills the scores for hidden cached tokens. It hides what
        `allowed` says, and nothing else.

        Which line makes `allowed`? Write it down for one new token and three cached ones.
        """
        return {_HIDDEN: "H"}

    def hidden_by_the_scores():
        """You blame the scores for hidden cached tokens. Each new query is compared with all keys.

        Which line decides what a query may see? Write it down for one new token and three cached
        ones.
        """
        return {_HIDDEN: "F"}

    def hidden_by_the_sizes():
        """You blame the line that names the sizes for hidden cached tokens. Both sizes are what
        their names say.

        Which line decides what a query may see? Write it down for one new token and three cached
        ones.
        """
        return {_HIDDEN: "A"}

    def hidden_by_appending():
        """You blame the line that appends for hidden cached tokens. It keeps all old rows.

        Which line decides what a query may see? Write it down for one new token and three cached
        ones.
        """
        return {_HIDDEN: "E"}

    def nothing_is_hidden():
        """You say that a new token sees all cached tokens. The test with one token at a time fails.

        Write `allowed` down for one new token and three cached ones.
        """
        return {_HIDDEN: "none"}

    def position_from_the_sizes():
        """You blame the line that names the sizes for the positions. Both sizes are what their
        names say.

        Which line adds positions, and which of them does it add to a second chunk?
        """
        return {_POSITION: "A"}

    def position_from_the_keys():
        """You blame the line that makes keys and values for the positions. It multiplies the rows
        that it is given.

        Which line adds positions, and which of them does it add to a second chunk?
        """
        return {_POSITION: "D"}

    def position_from_appending():
        """You blame the line that appends for the positions. The rows of K stand in the right
        order, but a position is what was *added* to a row.

        Which line adds positions, and which of them does it add to a second chunk?
        """
        return {_POSITION: "E"}

    def position_from_the_mask():
        """You blame the mask for the positions. A mask says who sees whom, and changes no position.

        Which line adds positions, and which of them does it add to a second chunk?
        """
        return {_POSITION: "G"}

    def positions_are_right():
        """You say that each token has its own position. With an empty cache, that is so.

        Which positions are added to two new tokens behind three cached ones?
        """
        return {_POSITION: "none"}

    def new_from_the_products():
        """You blame the line that makes keys and values for those of another beam. Row b of x gives
        row b of k and v.

        At which line does a row change its beam, and which rows should change it?
        """
        return {_NEW: "D"}

    def new_from_the_end():
        """You blame the last line for the new key of another beam. It returns what it is given.

        At which line does a row change its beam, and which rows should change it?
        """
        return {_NEW: "I"}

    def new_are_right():
        """You say that each beam gets its own new key and value. They are moved to another beam
        together with the old ones.

        New beam b is row b of x already. What should be moved: the cache, or the cache with the new
        rows?
        """
        return {_NEW: "none"}

    def old_are_not_moved():
        """You say that a beam keeps old keys and values that are not its parent's. Row b of the
        result has the old rows of parents[b].

        Follow one *old* row of K through that line.
        """
        return {_OLD: "E"}

    def old_are_not_returned():
        """You blame the last line for old keys and values of another beam. It returns what it is
        given.

        Follow one *old* row of K through all lines. Whose is it at the end?
        """
        return {_OLD: "I"}

    def prompt_sees_ahead():
        """You blame the mask for a prompt that sees ahead. For a prompt the cache is empty, and the
        triangle is square.

        Write `allowed` down for t = 0 and m = 3.
        """
        return {_FUTURE: "G"}

    def prompt_is_not_filled():
        """You blame the line that fills the scores for a prompt that sees ahead. It hides every
        pair where `allowed` is False.

        Write `allowed` down for t = 0 and m = 3. What may row 1 see?
        """
        return {_FUTURE: "H"}

    def prompt_scores():
        """You blame the scores for a prompt that sees ahead. They are made for all pairs, and the
        mask hides the later ones.

        Write `allowed` down for t = 0 and m = 3. What may row 1 see?
        """
        return {_FUTURE: "F"}

    def queries_not_made():
        """You miss the queries of earlier tokens. Nobody needs them: each query is used by its own
        row alone.

        Which rows of the result are asked for in this call?
        """
        return {_QUERIES: "C"}

    def queries_not_appended():
        """You miss the queries of earlier tokens where keys and values are appended. Nobody needs
        them: each query is used by its own row alone.

        Which rows of the result are asked for in this call?
        """
        return {_QUERIES: "E"}

    def queries_not_in_the_scores():
        """You miss the queries of earlier tokens in the scores. Their rows were computed by earlier
        calls.

        Which rows of the result are asked for in this call?
        """
        return {_QUERIES: "F"}

    def queries_not_returned():
        """You miss the queries in what is returned. No later call needs them.

        Which q stands in the equation of the next row?
        """
        return {_QUERIES: "I"}

    def position_from_the_queries():
        """You blame the line that makes the queries for the positions. It multiplies the rows that
        it is given.

        Which line adds positions, and which of them does it add to a second chunk?
        """
        return {_POSITION: "C"}

    def old_from_the_products():
        """You blame the line that makes keys and values for old ones. It makes the new ones only.

        Which line touches an *old* row of K, and whose row is it afterwards?
        """
        return {_OLD: "D"}

    def queries_not_counted():
        """You miss the queries of earlier tokens where the sizes are named. There are m new rows,
        and only these are asked for.

        Which q stands in the equation of a new row?
        """
        return {_QUERIES: "A"}


EXERCISE = which_line(
    "cache_lines",
    _LINES,
    Wrong,
    hint="Write the shape beside each line, for three cached positions and two new tokens. Which "
    "positions do the two get, which keys may each of them see, and which rows change their beam?",
)
