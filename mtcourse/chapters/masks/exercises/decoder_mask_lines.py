"""The exercise ``decoder_mask_lines``: which line of the mask causes what (A11, C09, C10)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "padding is hidden as a query, and not as a key": "F",
    "the ids that are padding count as real": "none",
    "a query and a key need to pass only one of the masks": "G",
    "the causal mask hides a token from itself": "D",
    "column j of the causal mask belongs to query j": "none",
}

(_PADDING, _REAL, _ONE, _ITSELF, _COLUMN) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the printed masks are wrong.

        May query 1 of sentence 1 see the last key? Does it?
        """
        return dict.fromkeys(_LINES, "none")

    def padding_from_the_comparison():
        """You blame the comparison with `pad` for padding that is hidden as a query. It only says
        which ids are words.

        Which line decides whether these ids lie along the queries or along the keys?
        """
        return {_PADDING: "E"}

    def padding_from_the_combination():
        """You blame the combination of the masks for padding that is hidden as a query. The padding
        mask alone already does this.

        Print it. Do its rows change, or its columns?
        """
        return {_PADDING: "G"}

    def padding_is_right():
        """You say that padding is hidden as a key. Look at sentence 2 of the printed masks: its
        last two columns are padding.

        The last dimension of a mask is that of the keys. What is its size in `not_padding`?
        """
        return {_PADDING: "none"}

    def itself_from_the_queries():
        """You blame the positions of the queries for a token that is hidden from itself. They are
        numbered as the keys are.

        What does the comparison give for equal positions?
        """
        return {_ITSELF: "B"}

    def itself_from_the_keys():
        """You blame the positions of the keys for a token that is hidden from itself. They are
        numbered as the queries are.

        What does the comparison give for equal positions?
        """
        return {_ITSELF: "C"}

    def itself_from_the_combination():
        """You blame the combination of the masks for a token that is hidden from itself. The causal
        mask alone already does this.

        Print the causal mask. What stands on its diagonal?
        """
        return {_ITSELF: "G"}

    def itself_is_right():
        """You say that the causal mask shows a token to itself. The first query would then see one
        key in it.

        Print the causal mask. What stands on its diagonal?
        """
        return {_ITSELF: "none"}

    def one_from_the_causal_mask():
        """You blame the causal mask for pairs that need to pass only one mask. It knows nothing of
        the other mask.

        Where do the two masks meet?
        """
        return {_ONE: "D"}

    def one_is_enough():
        """You say that one mask may let a pair through. Then a word in the future is seen, since it
        is not padding.

        Where do the two masks meet?
        """
        return {_ONE: "none"}

    def counts_padding_as_real():
        """You say that padding counts as real. The comparison is True where an id is not that of
        padding.

        Print it for the second sentence.
        """
        return {_REAL: "E"}

    def columns_are_queries():
        """You say that a column of the causal mask belongs to a query. A tensor of the shape
        (1, n) changes along its columns.

        Which of the two has this shape, keys or queries?
        """
        return {_COLUMN: "C"}


EXERCISE = which_line(
    "decoder_mask_lines",
    _LINES,
    Wrong,
    hint="Print what each line makes for the two sentences. What stands on the diagonal, along "
    "which dimension do the ids lie, and where do the two masks meet?",
)
