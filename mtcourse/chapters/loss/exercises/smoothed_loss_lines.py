"""The exercise ``smoothed_loss_lines``: which line of the broken loss causes what (A19)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "the mean is taken over padding, too": "I",
    "the shares at a position do not sum to 1": "none",
    "a word that is ruled out makes the loss NaN": "F",
    "the uniform part of the loss is not 0 at padding": "H",
    "a word that is ruled out gets a share": "none",
}

(_MEAN, _SUM, _NAN, _PART, _SHARE) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but padding changes the loss, and so do words that are
        ruled out.

        Look at what the tests print, and follow the numbers back.
        """
        return dict.fromkeys(_LINES, "none")

    def nan_from_the_shares():
        """You blame the shares for the NaN. At every position some word is possible, so nothing is
        divided by 0.

        What is 0 times minus infinity, and where is it computed?
        """
        return {_NAN: "E"}

    def nan_from_the_logarithm():
        """You blame the log-softmax for the NaN. It gives minus infinity to a word that is ruled
        out, which is right.

        What is 0 times minus infinity, and where is it computed?
        """
        return {_NAN: "B"}

    def nan_from_the_label():
        """You blame the label's part for the NaN. No real token is ruled out, and line G drops what
        line C gives at padding.

        What is 0 times minus infinity, and where is it computed?
        """
        return {_NAN: "C"}

    def nan_is_right():
        """You say that nothing makes the loss NaN, or that it may be. The last test prints nan, and
        a loss that is no number cannot be made smaller.

        What is 0 times minus infinity, and where is it computed?
        """
        return {_NAN: "none"}

    def part_from_the_label():
        """You blame the line that sets the label's part to 0 at padding. It is about the other
        part.

        Which line should do the same for the uniform part?
        """
        return {_PART: "G"}

    def part_from_the_mean():
        """You blame the mean for a uniform part that is not 0 at padding. By then the part has been
        computed. A mean over the right positions could leave it out, but here the fault goes in
        before.

        Which line makes the uniform part? Does it look at `real`?
        """
        return {_PART: "I"}

    def part_is_dropped():
        """You say that the uniform part is 0 at padding. Search the code for `real`.

        There are two parts. What does each of them do with padding?
        """
        return {_PART: "none"}

    def mean_from_the_parts():
        """You blame one of the two parts for the mean over padding. Zeros in the places of padding
        would still be counted.

        By how many positions is the sum divided, and where?
        """
        return {_MEAN: "H"}

    def mean_is_right():
        """You say that the mean is right. The loss is a mean over tokens, and padding is no token.

        What does the loss do when half of the positions are padding that costs 0?
        """
        return {_MEAN: "none"}

    def shares_do_not_sum():
        """You say that the shares do not sum to 1. Each is 0, or 1 divided by the number of
        possible words.

        How many of them are not 0?
        """
        return {_SUM: "E"}

    def shares_for_all():
        """You say that a word that is ruled out gets a share. What is its logit, and is that larger
        than minus infinity?

        Write down `possible` and the shares for the logits 0, 0 and minus infinity.
        """
        return {_SHARE: "D"}


EXERCISE = which_line(
    "smoothed_loss_lines",
    _LINES,
    Wrong,
    hint="Take one token and one position of padding, with one word ruled out. What does each line "
    "make at each of the two positions, and by what is the sum divided?",
)
