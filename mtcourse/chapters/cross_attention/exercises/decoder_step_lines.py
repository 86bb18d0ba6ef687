"""The exercise ``decoder_step_lines``: which line of the broken step causes what (A16, D04)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "the output of a query depends on the other queries": "G",
    "the scores are divided by the wrong number": "none",
    "padding keeps a score that gets weight": "E",
    "later English tokens are hidden from an earlier Dutch token": "F",
    "keys and queries come from different sentences": "none",
}

(_OTHERS, _DIVISOR, _PADDING, _FIRST, _TWO) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the three tests below the code fail.

        Take the first test: one query alone. What does each line make of it?
        """
        return dict.fromkeys(_LINES, "none")

    def others_from_the_triangle():
        """You say that the triangle makes an output depend on the other queries. But it only
        hides English tokens from each query.

        Which line computes along the dimension of the queries?
        """
        return {_OTHERS: "F"}

    def others_from_the_scores():
        """You say that the scores make an output depend on the other queries. But row j of the
        scores is computed from query j and the keys alone.

        Which line computes along the dimension of the queries?
        """
        return {_OTHERS: "D"}

    def others_is_no_fault():
        """You say that an output may depend on the other queries. While the decoder writes, it has
        one query at a time.

        Which line computes along the dimension of the queries?
        """
        return {_OTHERS: "none"}

    def padding_from_the_triangle():
        """You blame the triangle for the weight of padding. It hides later positions,
        whether they are padding or not.

        Which line is about padding, and which score does it leave there?
        """
        return {_PADDING: "F"}

    def padding_from_the_softmax():
        """You blame the softmax for the weight of padding. It gives weight to a score of 0, along
        any dimension.

        Which line is about padding, and which score does it leave there?
        """
        return {_PADDING: "G"}

    def padding_is_hidden():
        """You say that padding gets no weight. The third test finds that a hidden row has an
        effect.

        What is the exponential of 0?
        """
        return {_PADDING: "none"}

    def first_from_padding():
        """You say that the line about padding hides later English tokens. But where nothing is
        padding, that line changes no score.

        Which line treats row 1 of the scores differently from row 3?
        """
        return {_FIRST: "E"}

    def first_is_right():
        """You say that later English tokens may be hidden, or are not. Hiding later tokens belongs
        in the decoder's self-attention.

        Which English tokens have been read when the decoder begins to write?
        """
        return {_FIRST: "none"}

    def wrong_divisor():
        """You say that the scores are divided by the wrong number. Not every line of a broken
        function is broken.

        How wide is a key? Compare with d_k in the equation.
        """
        return {_DIVISOR: "D"}

    def keys_from_the_target():
        """You say that the keys come from the wrong sentence. This is cross-attention.

        In equation (A16), from which side come the queries, and from which the keys?
        """
        return {_TWO: "B"}

    def queries_from_the_source():
        """You say that the queries come from the wrong sentence. This is cross-attention.

        In equation (A16), which side asks, and which side is asked?
        """
        return {_TWO: "A"}


EXERCISE = which_line(
    "decoder_step_lines",
    _LINES,
    Wrong,
    hint="Compare each line with the equation. Which line treats the rows of the scores "
    "differently, which score does padding have in the end, and over what do the weights sum to 1?",
)
