"""The exercise ``decoder_rows_lines``: which line of the broken rows causes what (A05, B05)."""

from __future__ import annotations

from mtcourse.checks.exercise import Exercise, functions_of

_LINES = {
    "the positions are scaled, too": "G",
    "the first token gets row 1 of P instead of row 0": "none",
    "the rows of P begin at 0, not at `start`": "C",
    "the root is taken of the wrong width": "none",
    "all tokens of a sentence get the same position": "D",
}


def correct():
    """For each symptom the line in which it goes wrong."""
    return dict(_LINES)


def _but(changes):
    """The right answer with some lines exchanged for others."""
    return {**_LINES, **changes}


(_SCALED, _FIRST, _START, _WIDTH, _SAME) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The answer is a dictionary whose keys are the symptoms.

        Put a letter or "none" after each of them.
        """
        return list(_LINES.values())

    def all_none():
        """You blame no line for anything, but the three tests below the code show three symptoms.

        Take the first test, and print what each line makes.
        """
        return dict.fromkeys(_LINES, "none")

    def small_letters():
        """You wrote small letters. The lines are marked with capitals.

        Write each letter as it stands in the code.
        """
        return {key: letter.lower() for key, letter in _LINES.items()}

    def scaled_by_the_root():
        """You blame the line with the square root for the scaled positions. The root itself is
        right.

        What does the root multiply, and in which line?
        """
        return _but({_SCALED: "A"})

    def scaled_on_purpose():
        """You answer "none" for the scaled positions. But only embeddings should be scaled.

        What does the root multiply, and in which line?
        """
        return _but({_SCALED: "none"})

    def same_from_the_lookup():
        """You blame the line that looks up rows of P for the equal positions. It only looks up the
        numbers that it gets.

        Print the numbers of the positions for two sentences of three tokens.
        """
        return _but({_SAME: "F"})

    def same_from_the_numbers():
        """You blame the line that subtracts 1 for the equal positions. Numbers that differ still
        differ after it.

        Along which dimension of the ids do the tokens of a sentence lie?
        """
        return _but({_SAME: "E"})

    def same_from_the_words():
        """You blame the embeddings for the equal positions. They know nothing of positions.

        Print the numbers of the positions for two sentences of three tokens.
        """
        return _but({_SAME: "B"})

    def same_is_right():
        """You say that the positions of a sentence differ. With two sentences of three tokens, they
        do not.

        Print the numbers of the positions for such a batch.
        """
        return _but({_SAME: "none"})

    def start_from_the_lookup():
        """You blame the line that looks up rows for leaving out `start`. It looks them up in a
        table that an earlier line prepares.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return _but({_START: "F"})

    def start_from_the_end():
        """You blame the last line for leaving out `start`. The positions have been chosen before
        that line.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return _but({_START: "G"})

    def start_is_used():
        """You say that `start` has an effect. Search the code for its name.

        Which line should hold the rows of P from the first of these tokens on?
        """
        return _but({_START: "none"})

    def begins_with_row_1():
        """You blame the line that subtracts 1 for a first token that gets row 1. But the running
        sum of ones begins with 1.

        Which number comes out for the first sentence, if `start` is 0?
        """
        return _but({_FIRST: "E"})

    def first_from_the_sum():
        """You blame the running sum, because it begins with 1. Read one line further.

        Which number comes out for the first sentence, if `start` is 0?
        """
        return _but({_FIRST: "D"})

    def wrong_width():
        """You say that the root is taken of the wrong width. The embedding table has the
        shape (V, d_model).

        Which of its two sizes does `shape[1]` give?
        """
        return _but({_WIDTH: "A"})


class Right:
    """Right answers, written differently."""

    def written_down():
        """Written down in order."""
        return {_SCALED: "G", _FIRST: "none", _START: "C", _WIDTH: "none", _SAME: "D"}

    def in_another_order():
        """The symptoms in another order."""
        return dict(sorted(_LINES.items()))

    def from_what_is_wrong():
        """The lines that are wrong named, the others "none"."""
        wrong = {_START: "C", _SAME: "D", _SCALED: "G"}
        return {key: wrong.get(key, "none") for key in _LINES}


EXERCISE = Exercise(
    id="decoder_rows_lines",
    oracle=correct,
    hint="Take two sentences of three tokens, and write beside each line what it makes. Which line "
    "numbers the tokens, which one knows where they begin, and what is multiplied?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
