"""The exercise ``write_lines``: which line of the broken loop causes what (A18, A20)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "when the model predicts <eos>, writing goes on": "F",
    "without <eos>, it writes one word too many": "none",
    "the model reads only the last word": "C",
    "<bos> is among the words that are returned": "none",
    "if several rows came out, the wrong one would predict": "E",
}

(_EOS, _MOST, _ONE, _BOS, _ROW) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the toy model should write 5 7 6 and does not.

        Go through the loop by hand, and write down what each line makes.
        """
        return dict.fromkeys(_LINES, "none")

    def eos_from_the_loop():
        """You blame the head of the loop for what follows <eos>. It reads `done`, but does not set
        it.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return {_EOS: "B"}

    def eos_from_appending():
        """You blame the line that appends for what follows <eos>. It appends only while the loop is
        not done.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return {_EOS: "H"}

    def eos_from_the_condition():
        """You blame the condition before the word is appended for what follows <eos>. It reads
        `done`, but does not set it.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return {_EOS: "G"}

    def eos_is_heeded():
        """You say that writing ends with <eos>. Search the code for the argument `eos`.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return {_EOS: "none"}

    def row_from_the_model():
        """You blame the call of the model for the row that predicts. It returns a row for each id
        that it is handed.

        Which line chooses among these rows?
        """
        return {_ROW: "D"}

    def row_is_right():
        """You say that the right row predicts. As long as only one id goes in, there is only one
        row, and the fault does not show.

        If three ids went in, which row would have read all three? Which one is taken?
        """
        return {_ROW: "none"}

    def one_from_the_model():
        """You blame the call of the model, because it reads only the last word. It hands over what
        was put together before.

        Print what goes into the model in the third round.
        """
        return {_ONE: "D"}

    def one_is_enough():
        """You say that the model reads more than the last word, or need not. The model has no
        memory of earlier calls.

        Print what goes into the model in the third round.
        """
        return {_ONE: "none"}

    def one_too_many():
        """You say that it writes one word too many. The ids have <bos> in front.

        How many words have been written when there are `most` + 1 ids?
        """
        return {_MOST: "F"}

    def returns_bos():
        """You say that <bos> is returned. It is the first of the ids.

        What does a slice leave out if it begins at 1?
        """
        return {_BOS: "I"}

    def begins_without():
        """You blame the line that puts <bos> among the ids. The model must read <bos> before the
        first word.

        Which part of the ids is returned?
        """
        return {_BOS: "A"}


EXERCISE = which_line(
    "write_lines",
    _LINES,
    Wrong,
    hint="Go through two rounds by hand. What goes into the model, which row is taken of what "
    "comes out, and when is the loop done?",
)
