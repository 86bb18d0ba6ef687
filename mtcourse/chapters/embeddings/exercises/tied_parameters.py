"""The exercise ``tied_parameters``: numbers in tables, rows reached (A04, A10; chapter 02)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import functions_of, Exercise

V_S, V_T, V_JOINT, D = 10_000, 8_000, 15_000, 512
SOURCE_TOKENS, SOURCE_WORDS, TARGET_TOKENS, TARGET_WORDS = 9, 7, 8, 6


def correct():
    """Rows times width; a lookup reaches what it looked up, a softmax everything."""
    return _answer()


def _answer(**other):
    """The right numbers, some of them replaced."""
    return {
        "three": (V_S + 2 * V_T) * D,
        "two": (V_S + V_T) * D,
        "one": V_JOINT * D,
        "source_rows": SOURCE_WORDS,
        "target_rows": TARGET_WORDS,
        "output_rows": V_T,
        "tied_rows": V_T,
        **other,
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The numbers are right, but their names are missing.

        Return a dictionary with the names of the question.
        """
        return list(_answer().values())

    def output_forgotten():
        """You counted the two tables that are looked up. The output layer has a matrix, too.

        It makes a score for each target token from d numbers. How large is it?
        """
        return _answer(three=(V_S + V_T) * D, two=V_S * D)

    def output_forgotten_when_separate():
        """Your three tables hold as many numbers as two. The output layer is missing.

        W_O is d × V_t. If it is not shared, it has numbers of its own.
        """
        return _answer(three=(V_S + V_T) * D)

    def output_as_wide_as_the_source():
        """You gave the output layer a column for each *source* token.

        It scores the tokens that are written. To which vocabulary do they belong?
        """
        return _answer(three=(2 * V_S + V_T) * D)

    def rows_without_width():
        """You counted rows. Each row holds d numbers.

        How many numbers has a table of V rows, each d wide?
        """
        return _answer(three=V_S + 2 * V_T, two=V_S + V_T, one=V_JOINT)

    def tying_saves_nothing():
        """You count a shared table once for each use. But it is stored once.

        Two names for one matrix do not make two matrices.
        """
        return _answer(two=(V_S + 2 * V_T) * D, one=3 * V_JOINT * D)

    def joint_is_the_sum():
        """For one table you added the two vocabularies. The question gives the joint size.

        Tokens that both languages use are in the joint vocabulary once.
        """
        return _answer(one=(V_S + V_T) * D)

    def joint_counted_twice():
        """For one table you counted the joint vocabulary twice.

        Source, target and output use the same V rows.
        """
        return _answer(one=2 * V_JOINT * D)

    def joint_counted_three_times():
        """For one table you counted the joint vocabulary three times, once for each use.

        Source, target and output use the same V rows.
        """
        return _answer(one=3 * V_JOINT * D)

    def tokens_for_words():
        """You counted tokens for the input tables. A word that occurs twice has one row.

        How many *different* rows were looked up?
        """
        return _answer(source_rows=SOURCE_TOKENS, target_rows=TARGET_TOKENS)

    def all_rows_everywhere():
        """You answer that all rows of the input tables get a gradient. But a lookup used only some.

        If a row was not looked up, can it change the loss?
        """
        return _answer(source_rows=V_S, target_rows=V_T)

    def output_like_a_lookup():
        """You answer that the output layer reaches only the words of the sentence.

        It ends in a softmax, which gives every token a probability. If one score moves, what do the
        other probabilities do?
        """
        return _answer(output_rows=TARGET_WORDS, tied_rows=TARGET_WORDS)

    def tied_like_a_lookup():
        """You answer that the output layer reaches all rows, and the tied table only some.

        The tied table *is* the output layer. A shared table gets the gradients of all its uses,
        added up.
        """
        return _answer(tied_rows=TARGET_WORDS)

    def tied_counted_twice():
        """You added the rows that the two uses reach. But they are rows of one table.

        The table has V_t rows, and no more than all of them can be reached.
        """
        return _answer(tied_rows=V_T + TARGET_WORDS)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers():
        """As one writes them down."""
        return {
            "three": 13_312_000, "two": 9_216_000, "one": 7_680_000,
            "source_rows": 7, "target_rows": 6, "output_rows": 8000, "tied_rows": 8000,
        }  # fmt: skip

    def in_another_order():
        """With the names in another order, as floats."""
        return {name: float(value) for name, value in reversed(_answer().items())}

    def counted_on_tables():
        """Makes the tables, without their numbers."""
        source, target = torch.empty(V_S, D, device="meta"), torch.empty(V_T, D, device="meta")
        output = torch.empty(D, V_T, device="meta")
        return _answer(
            three=sum(of.numel() for of in (source, target, output)),
            two=source.numel() + target.numel(),
            one=torch.empty(V_JOINT, D, device="meta").numel(),
        )

    def as_tensors():
        """As tensors without dimensions."""
        return {name: torch.tensor(value) for name, value in _answer().items()}


EXERCISE = Exercise(
    id="tied_parameters",
    oracle=correct,
    hint="Write down the shape of each matrix first. Then ask of each row: if it changed, would "
    "the loss change?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
)
