"""The exercise ``decoder_rows_lines``: which line of the broken rows causes what (A05, B05)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "the positions are scaled, too": "G",
    "the first token gets row 1 of P instead of row 0": "none",
    "the rows of P begin at 0, not at `start`": "C",
    "the root is taken of the wrong width": "none",
    "all tokens of a sentence get the same position": "D",
}

(_SCALED, _FIRST, _START, _WIDTH, _SAME) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the three tests below the code show three symptoms.

        Take the first test, and print what each line makes.
        """
        return dict.fromkeys(_LINES, "none")

    def scaled_by_the_root():
        """You blame the line with the square root for the scaled positions. The root itself is
        right.

        What does the root multiply, and in which line?
        """
        return {_SCALED: "A"}

    def scaled_on_purpose():
        """You answer "none" for the scaled positions. But only embeddings should be scaled.

        What does the root multiply, and in which line?
        """
        return {_SCALED: "none"}

    def same_from_the_lookup():
        """You blame the line that looks up rows of P for the equal positions. It only looks up the
        numbers that it gets.

        Print the numbers of the positions for two sentences of three tokens.
        """
        return {_SAME: "F"}

    def same_from_the_numbers():
        """You blame the line that subtracts 1 for the equal positions. Numbers that differ still
        differ after it.

        Along which dimension of the ids do the tokens of a sentence lie?
        """
        return {_SAME: "E"}

    def same_from_the_words():
        """You blame the embeddings for the equal positions. They know nothing of positions.

        Print the numbers of the positions for two sentences of three tokens.
        """
        return {_SAME: "B"}

    def same_is_right():
        """You say that the positions of a sentence differ. With two sentences of three tokens, they
        do not.

        Print the numbers of the positions for such a batch.
        """
        return {_SAME: "none"}

    def start_from_the_lookup():
        """You blame the line that looks up rows for leaving out `start`. It looks them up in a
        table that an earlier line prepares.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return {_START: "F"}

    def start_from_the_end():
        """You blame the last line for leaving out `start`. The positions have been chosen before
        that line.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return {_START: "G"}

    def start_is_used():
        """You say that `start` has an effect. Search the code for its name.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return {_START: "none"}

    def begins_with_row_1():
        """You blame the line that subtracts 1 for a first token that gets row 1. But the running
        sum of ones begins with 1.

        Which number comes out for the first sentence, if `start` is 0?
        """
        return {_FIRST: "E"}

    def first_from_the_sum():
        """You blame the running sum, because it begins with 1. Read one line further.

        Which number comes out for the first sentence, if `start` is 0?
        """
        return {_FIRST: "D"}

    def wrong_width():
        """You say that the root is taken of the wrong width. The embedding table has the
        shape (V, d_model).

        Which of its two sizes does `shape[1]` give?
        """
        return {_WIDTH: "A"}


EXERCISE = which_line(
    "decoder_rows_lines",
    _LINES,
    Wrong,
    hint="Take two sentences of three tokens, and write beside each line what it makes. Which line "
    "numbers the tokens, which one knows where they begin, and what is multiplied?",
)
