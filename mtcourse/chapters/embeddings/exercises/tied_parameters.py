"""The exercise ``tied_parameters``: numbers in tables, rows reached (A04, A10; chapter 02)."""

from __future__ import annotations

import torch

from mtcourse.checks.exercise import Exercise, functions_of

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

        Make `tied_parameters` a dictionary with the names of the question.
        """
        return list(_answer().values())

    def output_forgotten():
        """You left out the output layer: in `three` its own matrix, and in `two` the table that it
        shares.

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

        How many numbers are in a table of V rows, each d wide?
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

        Source, target and output use the same 15,000 rows.
        """
        return _answer(one=2 * V_JOINT * D)

    def joint_counted_three_times():
        """For one table you counted the joint vocabulary three times, once for each use.

        Source, target and output use the same 15,000 rows.
        """
        return _answer(one=3 * V_JOINT * D)

    def tokens_for_words():
        """You counted every token that is looked up. A token that occurs twice has only one row.

        How many *different* rows were looked up?
        """
        return _answer(source_rows=SOURCE_TOKENS, target_rows=TARGET_TOKENS)

    def all_rows_everywhere():
        """You answer that all rows of the tables that are looked up get a gradient. But a lookup
        uses only some of them.

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
        """You answer that all columns of the separate output layer get a gradient, but only some
        rows of the tied table.

        The tied table *is* the output layer. A shared table gets the gradients of all its uses,
        added up.
        """
        return _answer(tied_rows=TARGET_WORDS)

    def tied_counted_twice():
        """You added the rows that the two uses reach. But they are rows of one table.

        The table has V_t rows, and no more than all of them can be reached.
        """
        return _answer(tied_rows=V_T + TARGET_WORDS)

    def two_of_the_source():
        """For two tables you counted the source vocabulary twice.

        Which two of the three matrices are one?
        """
        return _answer(two=2 * V_S * D)

    def two_without_the_source():
        """For two tables you gave the size of the target table alone. It is also what sharing
        *saves*.

        The question asks how many numbers all the matrices hold. Which two of them are one, and
        which one is left?
        """
        return _answer(two=V_T * D)

    def two_of_the_target():
        """For two tables you counted the target vocabulary twice, and not the source.

        Which two of the three matrices are one, and which one is left?
        """
        return _answer(two=2 * V_T * D)

    def two_of_the_joint():
        """For two tables you used the joint vocabulary.

        It belongs to the case of one table. How large are the two vocabularies?
        """
        return _answer(two=2 * V_JOINT * D)

    def one_of_the_source():
        """For one table you used the larger of the two vocabularies.

        The question gives the size of the joint vocabulary.
        """
        return _answer(one=V_S * D)

    def one_of_the_target():
        """For one table you used the target vocabulary.

        The question gives the size of the joint vocabulary.
        """
        return _answer(one=V_T * D)

    def one_of_all_three():
        """For one table you added up all three matrices.

        All three are one table, and the question gives the size of its vocabulary.
        """
        return _answer(one=(V_S + 2 * V_T) * D)

    def a_third_of_three():
        """For one table you took a third of the number for three, and for two tables two thirds.

        The tables have different sizes. Multiply rows by width.
        """
        return _answer(one=(V_S + 2 * V_T) * D / 3, two=2 * (V_S + 2 * V_T) * D / 3)

    def what_is_saved():
        """For two tables and for one you gave what sharing *saves*.

        The question asks how many numbers remain.
        """
        return _answer(two=V_T * D, one=(V_S + 2 * V_T - V_JOINT) * D)

    def squares_of_the_width():
        """You gave the output layer d × d numbers.

        It makes a score for each target token from d numbers.
        """
        return _answer(three=(V_S + V_T + D) * D)

    def three_of_the_joint():
        """You counted three tables of the joint vocabulary where all are separate.

        Separate tables have the vocabularies of their own languages.
        """
        return _answer(three=3 * V_JOINT * D)

    def three_of_the_source():
        """You gave all three matrices a row for each *source* token.

        The decoder reads and writes target tokens.
        """
        return _answer(three=3 * V_S * D, two=2 * V_S * D)

    def three_of_the_target():
        """You gave all three matrices a row for each *target* token.

        The encoder reads source tokens.
        """
        return _answer(three=3 * V_T * D, two=2 * V_T * D)

    def vocabularies_multiplied():
        """You multiplied the vocabularies of source and target.

        Each table has the rows of one vocabulary. Several tables are added up.
        """
        return _answer(three=V_S * V_T * D, two=V_S * V_T)

    def tokens_that_repeat_not_counted():
        """You left out words that occur more than once, or subtracted the repetitions twice.

        A word that occurs more than once has one row, and it gets a gradient.
        """
        return _answer(
            source_rows=2 * SOURCE_WORDS - SOURCE_TOKENS,
            target_rows=2 * TARGET_WORDS - TARGET_TOKENS,
        )

    def repeats_alone():
        """You counted only the repetitions: 9 − 7 and 8 − 6.

        How many *different* rows were looked up?
        """
        return _answer(
            source_rows=SOURCE_TOKENS - SOURCE_WORDS, target_rows=TARGET_TOKENS - TARGET_WORDS
        )

    def sides_exchanged():
        """You exchanged source and target.

        The encoder reads the source, the decoder the target.
        """
        return _answer(
            source_rows=TARGET_WORDS, target_rows=SOURCE_WORDS, three=(2 * V_S + V_T) * D
        )

    def unread_rows():
        """You counted the rows that get *no* gradient.

        The question asks for the rows that do.
        """
        return _answer(
            source_rows=V_S - SOURCE_WORDS,
            target_rows=V_T - TARGET_WORDS,
            output_rows=0,
            tied_rows=0,
        )

    def numbers_for_rows():
        """You counted numbers. The question asks for rows.

        A row that gets a gradient counts once, however wide it is.
        """
        return _answer(
            source_rows=SOURCE_WORDS * D,
            target_rows=TARGET_WORDS * D,
            output_rows=V_T * D,
            tied_rows=V_T * D,
        )

    def output_at_each_position():
        """You answer that the output layer reaches as many columns as there are positions.

        It ends in a softmax at each position, which gives every token a probability.
        """
        return _answer(output_rows=TARGET_TOKENS, tied_rows=TARGET_TOKENS)

    def output_at_one_token():
        """You answer that the output layer reaches one column.

        The right token's probability depends on *all* scores. If one score moves, what do the other
        probabilities do?
        """
        return _answer(output_rows=1, tied_rows=1)

    def output_of_the_wrong_ones():
        """You left the right tokens out of the output layer's columns.

        Their scores should rise: is the gradient there 0?
        """
        return _answer(output_rows=V_T - TARGET_WORDS, tied_rows=V_T - TARGET_WORDS)

    def tied_cancel():
        """For the tied table you left out the rows that the decoder reads, as if their two
        gradients cancelled.

        These gradients come from different uses, and are added. Why should one be minus the other?
        """
        return _answer(tied_rows=V_T - TARGET_WORDS)

    def output_by_its_stored_rows():
        """You gave the d stored rows of W_O. The question asks for its columns, one for each token.

        W_O is d × V_t. Which of the two counts tokens?
        """
        return _answer(output_rows=D)

    def output_of_the_source():
        """You took the source vocabulary for the softmax.

        The softmax runs over all V_t scores.
        """
        return _answer(output_rows=V_S, tied_rows=V_S)

    def output_of_the_joint():
        """You took the joint vocabulary for the softmax.

        Only in the case of one table is there a joint vocabulary. The softmax runs over all V_t
        scores.
        """
        return _answer(output_rows=V_JOINT, tied_rows=V_JOINT)

    def tied_of_the_joint():
        """You gave the tied table the rows of the joint vocabulary.

        Here only target and output are tied. How many rows does the target table have?
        """
        return _answer(tied_rows=V_JOINT)

    def tied_with_positions():
        """You added the positions that were read to the rows that the softmax reaches.

        These are rows of one table, and it has no more than V_t of them.
        """
        return _answer(tied_rows=V_T + TARGET_TOKENS)

    def tied_source_and_target():
        """You added the rows that source and target read.

        The tied table is that of the target, and also the output layer. Which rows does a softmax
        reach?
        """
        return _answer(tied_rows=SOURCE_WORDS + TARGET_WORDS)

    def tied_of_all_tables():
        """You added the rows of both vocabularies.

        The tied table is that of the target.
        """
        return _answer(tied_rows=V_S + V_T)

    def tied_reads_twice():
        """For the tied table you counted the rows that the decoder reads, once for each of the two
        uses.

        The output layer is a use that reaches other rows, too.
        """
        return _answer(tied_rows=2 * TARGET_WORDS)

    def nothing_at_the_target():
        """You answer that the target table gets no gradient.

        The decoder reads its tokens, and what it writes depends on them.
        """
        return _answer(target_rows=0)

    def nothing_at_the_source():
        """You answer that the source table gets no gradient.

        The decoder attends to the source. If a row of it moves, does the loss change?
        """
        return _answer(source_rows=0)

    def with_begin_and_end():
        """You counted one row too many on each side, perhaps that of `<bos>` or `<eos>`.

        The question says how many tokens are read, and how many of them differ.
        """
        return _answer(source_rows=SOURCE_WORDS + 1, target_rows=TARGET_WORDS + 1)


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
