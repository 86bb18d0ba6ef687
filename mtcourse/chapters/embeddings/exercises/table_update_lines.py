"""The exercise ``table_update_lines``: which line of the broken step causes what (B01, A04)."""

from __future__ import annotations

from mtcourse.checks.which_line import which_line

_LINES = {
    "a token that stands three times moves as if it stood once": "F",
    "the table moves uphill": "none",
    "one tensor gets two names, so the caller's table changes": "A",
    "what arrives at <pad> moves its row": "D",
    "in a batch, a token gets what arrived at another": "none",
}

(_REPEATS, _UPHILL, _NAMES, _PAD, _BATCH) = _LINES


class Wrong:
    """What learners write, the more particular before the more general."""

    def all_none():
        """You blame no line for anything, but the three tests below the code show three symptoms.

        Take the first test, and write beside each line what it makes.
        """
        return dict.fromkeys(_LINES, "none")

    def pad_from_the_step():
        """You blame the line that changes the table for the row of <pad>. It changes the rows that
        it is told to change.

        Which line says which positions count? Print what it makes for a sentence with padding.
        """
        return {_PAD: "F"}

    def pad_from_the_ids():
        """You blame the flattening for the row of <pad>. It may keep the ids of padding, if a later
        line leaves them out.

        Which line should choose among the positions? What does it choose?
        """
        return {_PAD: "B"}

    def pad_from_what_arrives():
        """You blame the line with the rate for the row of <pad>. It takes what arrives at the
        positions that were chosen before.

        Which line should choose among the positions? What does it choose?
        """
        return {_PAD: "E"}

    def pad_is_left_alone():
        """You say that nothing is wrong with <pad>. Its row has moved in the first test.

        Where in the code does the argument `pad` stand?
        """
        return {_PAD: "none"}

    def repeats_from_what_arrives():
        """You blame the line with the rate for the tokens that repeat. It keeps a row for every
        position, also for each repetition.

        What happens when these rows come to the same row of the table?
        """
        return {_REPEATS: "E"}

    def repeats_are_right():
        """You say that nothing is wrong with tokens that repeat. In the second test, "very" stands
        three times.

        How often does an indexed assignment assign to the same row, and from which old value?
        """
        return {_REPEATS: "none"}

    def names_from_the_end():
        """You blame the line that returns. By then, the caller's table has already changed.

        Which line makes a second name, and no second tensor?
        """
        return {_NAMES: "G"}

    def names_from_the_step():
        """You blame the line that subtracts. It may change a tensor in place, if that is a copy.

        Which line should have made a copy?
        """
        return {_NAMES: "F"}

    def names_do_not_matter():
        """You say that two names for one tensor do no harm. In the third test, the caller's table
        holds other numbers afterwards.

        Which line should have made a copy?
        """
        return {_NAMES: "none"}

    def climbs():
        """You say that the table moves uphill. Look at the sign of the step.

        A step against the gradient subtracts. Which line subtracts or adds?
        """
        return {_UPHILL: "F"}

    def batch_is_mixed():
        """You say that in a batch, tokens get what arrived at others. Both tensors are flattened in
        the same order.

        Take two sentences of two tokens. Which token is at position 2 of each flat tensor?
        """
        return {_BATCH: "C"}


EXERCISE = which_line(
    "table_update_lines",
    _LINES,
    Wrong,
    hint="Say in one sentence what each line makes. Does it make a new tensor? Which positions "
    "does it leave out? Does it add up, or assign?",
)
