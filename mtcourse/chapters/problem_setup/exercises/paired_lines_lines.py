"""The exercise ``paired_lines_lines``: which line of the broken pairing causes what (A01)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "files of different lengths are paired all the same": "E",
    "a line of nothing but spaces counts as text": "none",
    "a row is not counted if its English line is empty": "F",
    "a gap in one file moves its later lines up": "D",
    "spaces inside a sentence are lost": "none",
}

(_SURPLUS, _BLANK, _COUNT, _GAP, _INSIDE) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but some of these things do happen.

        Run the cell: how many rows do the two files have, and how many does it report as dropped?
        """
        return dict.fromkeys(_LINES, "none")

    def gap_from_pairing():
        """For the moved sentences you blame the line with `zip`. But the two lists are already out
        of step when it gets them.

        Print both lists just before they are paired. After which line is a list shorter than its
        file?
        """
        return {_GAP: "E"}

    def gap_from_the_loop():
        """You blame the loop over the files for the moved sentences. It does no harm to go through
        one file after the other, as long as both keep all their lines.

        After which line is a list shorter than its file?
        """
        return {_GAP: "B"}

    def gap_from_stripping():
        """You blame the stripping for the moved sentences. It makes a line shorter, and takes no
        line out.

        After which line is a list shorter than its file?
        """
        return {_GAP: "C"}

    def surplus_from_counting():
        """You blame the counting for files that are paired although one is longer. No pair is made
        where lines are counted.

        Which function stops at the end of the shorter list?
        """
        return {_SURPLUS: "F"}

    def surplus_is_wanted():
        """You say that files of different lengths are not paired, or may be. Look at the second
        example: three English lines, four Dutch ones, and two pairs.

        Which function stops at the end of the shorter list?
        """
        return {_SURPLUS: "none"}

    def count_from_filtering():
        """For the rows that are not counted you blame the line that drops empty lines. But the rows
        are not counted in the lists that it makes.

        Which line counts, and which lines does it count?
        """
        return {_COUNT: "D"}

    def count_from_the_difference():
        """You blame the subtraction for rows that are not counted. It would be right if both of its
        numbers were.

        Which line counts, and which lines does it count?
        """
        return {_COUNT: "G"}

    def gap_is_right():
        """You say that no later line moves up. Look at the first example: with which Dutch line is
        "Two cats." paired?

        After which line is a list shorter than its file?
        """
        return {_GAP: "none"}

    def count_is_right():
        """You say that the count is right. Count by hand in the example: four rows, and how many
        pairs are left?

        Which line counts, and which lines does it count?
        """
        return {_COUNT: "none"}

    def blanks_are_text():
        """You say that a line of spaces counts as text. Is anything left of such a line when the
        code checks whether it is empty?

        What is `"  \\n".strip()`?
        """
        return {_BLANK: "D"}

    def strips_inside():
        """You say that spaces inside a sentence are lost. Look up what `strip` removes.

        What is `" A  dog. ".strip()`?
        """
        return {_INSIDE: "C"}

    def both_about_blanks():
        """You blame two lines for what happens to spaces. Try them in a cell of your own.

        What is `" A  dog. ".strip()`, and what `"  \\n".strip()`?
        """
        return {_BLANK: "D", _INSIDE: "C"}


EXERCISE = which_line(
    "paired_lines_lines",
    _LINES,
    Wrong,
    hint="Follow the two lists of the example through the code. After which line is a list shorter "
    "than its file, and which lines are counted?",
)
