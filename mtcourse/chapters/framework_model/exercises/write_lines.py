"""The exercise ``write_lines``: which line of the broken loop causes what (A18, A20)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

_LINES = {
    "when the model predicts <eos>, writing goes on": "F",
    "without <eos>, it writes one word too many": "none",
    "the model reads only the last word": "C",
    "<bos> is among the words that are returned": "none",
    "if several rows came out, the wrong one would predict": "E",
}


def correct():
    """For each symptom the line in which it goes wrong."""
    return dict(_LINES)


def _but(changes):
    """The right answer with some lines exchanged for others."""
    return {**_LINES, **changes}


(_EOS, _MOST, _ONE, _BOS, _ROW) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary whose keys are the symptoms.

        Put a letter or "none" after each of them.
        """
        return list(_LINES.values())

    def all_none():
        """You blame no line for anything, but the toy model should write 5 7 6 and does not.

        Go through the loop by hand, and write down what each line makes.
        """
        return dict.fromkeys(_LINES, "none")

    def small_letters():
        """You wrote small letters. The lines are marked with capitals.

        Write each letter as it stands in the code.
        """
        return {key: letter.lower() for key, letter in _LINES.items()}

    def eos_from_the_loop():
        """You blame the head of the loop for what follows <eos>. It reads `done`, but does not set
        it.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return _but({_EOS: "B"})

    def eos_from_appending():
        """You blame the line that appends for what follows <eos>. It appends only while the loop is
        not done.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return _but({_EOS: "H"})

    def eos_from_the_condition():
        """You blame the condition before the word is appended for what follows <eos>. It reads
        `done`, but does not set it.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return _but({_EOS: "G"})

    def eos_is_heeded():
        """You say that writing ends with <eos>. Search the code for the argument `eos`.

        Which line decides that the loop is done? On what does its decision depend?
        """
        return _but({_EOS: "none"})

    def row_from_the_model():
        """You blame the call of the model for the row that predicts. It returns a row for each id
        that it is handed.

        Which line chooses among these rows?
        """
        return _but({_ROW: "D"})

    def row_is_right():
        """You say that the right row predicts. As long as only one id goes in, there is only one
        row, and the fault does not show.

        If three ids went in, which row would have read all three? Which one is taken?
        """
        return _but({_ROW: "none"})

    def one_from_the_model():
        """You blame the call of the model, because it reads only the last word. It hands over what
        was put together before.

        Print what goes into the model in the third round.
        """
        return _but({_ONE: "D"})

    def one_is_enough():
        """You say that the model reads more than the last word, or need not. The model has no
        memory of earlier calls.

        Print what goes into the model in the third round.
        """
        return _but({_ONE: "none"})

    def one_too_many():
        """You say that it writes one word too many. The ids have <bos> in front.

        How many words have been written when there are `most` + 1 ids?
        """
        return _but({_MOST: "F"})

    def returns_bos():
        """You say that <bos> is returned. It is the first of the ids.

        What does a slice leave out if it begins at 1?
        """
        return _but({_BOS: "I"})

    def begins_without():
        """You blame the line that puts <bos> among the ids. The model must read <bos> before the
        first word.

        Which part of the ids is returned?
        """
        return _but({_BOS: "A"})


class Right:
    """Right answers, written differently."""

    def written_down():
        """Written down in order."""
        return {_EOS: "F", _MOST: "none", _ONE: "C", _BOS: "none", _ROW: "E"}

    def in_another_order():
        """The symptoms in another order."""
        return dict(sorted(_LINES.items()))

    def from_what_is_wrong():
        """The lines that are wrong named, the others "none"."""
        wrong = {_ONE: "C", _ROW: "E", _EOS: "F"}
        return {key: wrong.get(key, "none") for key in _LINES}


EXERCISE = Exercise(
    id="write_lines",
    oracle=correct,
    hint="Go through two rounds by hand. What goes into the model, which row is taken of what "
    "comes out, and when is the loop done?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
