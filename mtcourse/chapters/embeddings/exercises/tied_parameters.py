"""The exercise ``tied_parameters``: numbers in tables, rows reached (A04, A10; chapter 2)."""

from __future__ import annotations

import torch

from mtcourse.checks.cohort import Numbers, vary

NUMBERS = Numbers(
    {
        "V_s": (10_000, 12_000, 16_000, 20_000, 24_000),
        "V_t": (8_000, 6_000, 9_000, 14_000, 18_000),
        "V_joint": (15_000, 13_000, 17_000, 22_000, 28_000),
        "d": (512, 256, 384, 640, 768),
        "source_tokens": (9, 11, 12, 14, 15),
        "source_words": (7, 8, 9, 10),
        "target_tokens": (8, 10, 12, 13),
        "target_words": (6, 7, 9, 11),
    },
    texts=(
        "{V_s}",
        "{V_t}",
        "{V_joint}",
        "{d}",
        "{three}",
        "{two}",
        "{one}",
        "has {source_tokens} tokens, {source_words} of them different",
        "reads {target_tokens} tokens, {target_words} of them different",
        "{source_tokens} − {source_words} and {target_tokens} − {target_words}",
        "used: {source_words} and {target_words}",
        '"source_rows": {source_words}',
        '"target_rows": {target_words}',
        "chapter 8",
    ),
    derived=lambda n: {"three": (n.V_s + 2 * n.V_t) * n.d, "two": (n.V_s + n.V_t) * n.d,
                       "one": n.V_joint * n.d},
    fit=lambda n: (
        max(n.V_s, n.V_t) < n.V_joint < n.V_s + n.V_t
        and n.target_words < n.source_words < n.source_tokens < 2 * n.source_words
        and n.target_words < n.target_tokens < 2 * n.target_words
    ),
)  # fmt: skip


def correct(n):
    """Rows times width; a lookup reaches what it looked up, a softmax everything."""
    return _answer(n)


def _answer(n, **other):
    """The right numbers, some of them replaced."""
    return {
        "three": (n.V_s + 2 * n.V_t) * n.d,
        "two": (n.V_s + n.V_t) * n.d,
        "one": n.V_joint * n.d,
        "source_rows": n.source_words,
        "target_rows": n.target_words,
        "output_rows": n.V_t,
        "tied_rows": n.V_t,
        **other,
    }


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(n):
        """The numbers are right, but their names are missing.

        Make `tied_parameters` a dictionary with the names of the question.
        """
        return list(_answer(n).values())

    def output_forgotten(n):
        """You left out the output layer: in `three` its own matrix, and in `two` the table that it
        shares.

        It makes a score for each target token from d numbers. How large is it?
        """
        return _answer(n, three=(n.V_s + n.V_t) * n.d, two=n.V_s * n.d)

    def output_forgotten_when_separate(n):
        """Your three tables hold as many numbers as two. The output layer is missing.

        W_O is d × V_t. If it is not shared, it has numbers of its own.
        """
        return _answer(n, three=(n.V_s + n.V_t) * n.d)

    def output_as_wide_as_the_source(n):
        """You gave the output layer a column for each *source* token.

        It scores the tokens that are written. To which vocabulary do they belong?
        """
        return _answer(n, three=(2 * n.V_s + n.V_t) * n.d)

    def rows_without_width(n):
        """You counted rows. Each row holds d numbers.

        How many numbers are in a table of V rows, each d wide?
        """
        return _answer(n, three=n.V_s + 2 * n.V_t, two=n.V_s + n.V_t, one=n.V_joint)

    def tying_saves_nothing(n):
        """You count a shared table once for each use. But it is stored once.

        Two names for one matrix do not make two matrices.
        """
        return _answer(n, two=(n.V_s + 2 * n.V_t) * n.d, one=3 * n.V_joint * n.d)

    def joint_is_the_sum(n):
        """For one table you added the two vocabularies. The question gives the joint size.

        Tokens that both languages use are in the joint vocabulary once.
        """
        return _answer(n, one=(n.V_s + n.V_t) * n.d)

    def joint_counted_twice(n):
        """For one table you counted the joint vocabulary twice.

        Source, target and output use the same 15,000 rows.
        """
        return _answer(n, one=2 * n.V_joint * n.d)

    def joint_counted_three_times(n):
        """For one table you counted the joint vocabulary three times, once for each use.

        Source, target and output use the same 15,000 rows.
        """
        return _answer(n, one=3 * n.V_joint * n.d)

    def tokens_for_words(n):
        """You counted every token that is looked up. A token that occurs twice has only one row.

        How many *different* rows were looked up?
        """
        return _answer(n, source_rows=n.source_tokens, target_rows=n.target_tokens)

    def all_rows_everywhere(n):
        """You answer that all rows of the tables that are looked up get a gradient. But a lookup
        uses only some of them.

        If a row was not looked up, can it change the loss?
        """
        return _answer(n, source_rows=n.V_s, target_rows=n.V_t)

    def output_like_a_lookup(n):
        """You answer that the output layer reaches only the words of the sentence.

        It ends in a softmax, which gives every token a probability. If one score moves, what do the
        other probabilities do?
        """
        return _answer(n, output_rows=n.target_words, tied_rows=n.target_words)

    def tied_like_a_lookup(n):
        """You answer that all columns of the separate output layer get a gradient, but only some
        rows of the tied table.

        The tied table *is* the output layer. A shared table gets the gradients of all its uses,
        added up.
        """
        return _answer(n, tied_rows=n.target_words)

    def tied_counted_twice(n):
        """You added the rows that the two uses reach. But they are rows of one table.

        The table has V_t rows, and no more than all of them can be reached.
        """
        return _answer(n, tied_rows=n.V_t + n.target_words)

    def two_of_the_source(n):
        """For two tables you counted the source vocabulary twice.

        Which two of the three matrices are one?
        """
        return _answer(n, two=2 * n.V_s * n.d)

    def two_without_the_source(n):
        """For two tables you gave the size of the target table alone. It is also what sharing
        *saves*.

        The question asks how many numbers all the matrices hold. Which two of them are one, and
        which one is left?
        """
        return _answer(n, two=n.V_t * n.d)

    def two_of_the_target(n):
        """For two tables you counted the target vocabulary twice, and not the source.

        Which two of the three matrices are one, and which one is left?
        """
        return _answer(n, two=2 * n.V_t * n.d)

    def two_of_the_joint(n):
        """For two tables you used the joint vocabulary.

        It belongs to the case of one table. How large are the two vocabularies?
        """
        return _answer(n, two=2 * n.V_joint * n.d)

    def one_of_the_source(n):
        """For one table you used the larger of the two vocabularies.

        The question gives the size of the joint vocabulary.
        """
        return _answer(n, one=n.V_s * n.d)

    def one_of_the_target(n):
        """For one table you used the target vocabulary.

        The question gives the size of the joint vocabulary.
        """
        return _answer(n, one=n.V_t * n.d)

    def one_of_all_three(n):
        """For one table you added up all three matrices.

        All three are one table, and the question gives the size of its vocabulary.
        """
        return _answer(n, one=(n.V_s + 2 * n.V_t) * n.d)

    def a_third_of_three(n):
        """For one table you took a third of the number for three, and for two tables two thirds.

        The tables have different sizes. Multiply rows by width.
        """
        return _answer(n, one=(n.V_s + 2 * n.V_t) * n.d / 3, two=2 * (n.V_s + 2 * n.V_t) * n.d / 3)

    def what_is_saved(n):
        """For two tables and for one you gave what sharing *saves*.

        The question asks how many numbers remain.
        """
        return _answer(n, two=n.V_t * n.d, one=(n.V_s + 2 * n.V_t - n.V_joint) * n.d)

    def squares_of_the_width(n):
        """You gave the output layer d × d numbers.

        It makes a score for each target token from d numbers.
        """
        return _answer(n, three=(n.V_s + n.V_t + n.d) * n.d)

    def three_of_the_joint(n):
        """You counted three tables of the joint vocabulary where all are separate.

        Separate tables have the vocabularies of their own languages.
        """
        return _answer(n, three=3 * n.V_joint * n.d)

    def three_of_the_source(n):
        """You gave all three matrices a row for each *source* token.

        The decoder reads and writes target tokens.
        """
        return _answer(n, three=3 * n.V_s * n.d, two=2 * n.V_s * n.d)

    def three_of_the_target(n):
        """You gave all three matrices a row for each *target* token.

        The encoder reads source tokens.
        """
        return _answer(n, three=3 * n.V_t * n.d, two=2 * n.V_t * n.d)

    def vocabularies_multiplied(n):
        """You multiplied the vocabularies of source and target.

        Each table has the rows of one vocabulary. Several tables are added up.
        """
        return _answer(n, three=n.V_s * n.V_t * n.d, two=n.V_s * n.V_t)

    def tokens_that_repeat_not_counted(n):
        """You left out words that occur more than once, or subtracted the repetitions twice.

        A word that occurs more than once has one row, and it gets a gradient.
        """
        return _answer(
            n,
            source_rows=2 * n.source_words - n.source_tokens,
            target_rows=2 * n.target_words - n.target_tokens,
        )

    def repeats_alone(n):
        """You counted only the repetitions: 9 − 7 and 8 − 6.

        How many *different* rows were looked up?
        """
        return _answer(
            n,
            source_rows=n.source_tokens - n.source_words,
            target_rows=n.target_tokens - n.target_words,
        )

    def sides_exchanged(n):
        """You exchanged source and target.

        The encoder reads the source, the decoder the target.
        """
        return _answer(
            n,
            source_rows=n.target_words,
            target_rows=n.source_words,
            three=(2 * n.V_s + n.V_t) * n.d,
        )

    def unread_rows(n):
        """You counted the rows that get *no* gradient.

        The question asks for the rows that do.
        """
        return _answer(
            n,
            source_rows=n.V_s - n.source_words,
            target_rows=n.V_t - n.target_words,
            output_rows=0,
            tied_rows=0,
        )

    def numbers_for_rows(n):
        """You counted numbers. The question asks for rows.

        A row that gets a gradient counts once, however wide it is.
        """
        return _answer(
            n,
            source_rows=n.source_words * n.d,
            target_rows=n.target_words * n.d,
            output_rows=n.V_t * n.d,
            tied_rows=n.V_t * n.d,
        )

    def output_at_each_position(n):
        """You answer that the output layer reaches as many columns as there are positions.

        It ends in a softmax at each position, which gives every token a probability.
        """
        return _answer(n, output_rows=n.target_tokens, tied_rows=n.target_tokens)

    def output_at_one_token(n):
        """You answer that the output layer reaches one column.

        The right token's probability depends on *all* scores. If one score moves, what do the other
        probabilities do?
        """
        return _answer(n, output_rows=1, tied_rows=1)

    def output_of_the_wrong_ones(n):
        """You left the right tokens out of the output layer's columns.

        Their scores should rise: is the gradient there 0?
        """
        return _answer(n, output_rows=n.V_t - n.target_words, tied_rows=n.V_t - n.target_words)

    def tied_cancel(n):
        """For the tied table you left out the rows that the decoder reads, as if their two
        gradients cancelled.

        These gradients come from different uses, and are added. Why should one be minus the other?
        """
        return _answer(n, tied_rows=n.V_t - n.target_words)

    def output_by_its_stored_rows(n):
        """You gave the d stored rows of W_O. The question asks for its columns, one for each token.

        W_O is d × V_t. Which of the two counts tokens?
        """
        return _answer(n, output_rows=n.d)

    def output_of_the_source(n):
        """You took the source vocabulary for the softmax.

        The softmax runs over all V_t scores.
        """
        return _answer(n, output_rows=n.V_s, tied_rows=n.V_s)

    def output_of_the_joint(n):
        """You took the joint vocabulary for the softmax.

        Only in the case of one table is there a joint vocabulary. The softmax runs over all V_t
        scores.
        """
        return _answer(n, output_rows=n.V_joint, tied_rows=n.V_joint)

    def tied_of_the_joint(n):
        """You gave the tied table the rows of the joint vocabulary.

        Here only target and output are tied. How many rows does the target table have?
        """
        return _answer(n, tied_rows=n.V_joint)

    def tied_with_positions(n):
        """You added the positions that were read to the rows that the softmax reaches.

        These are rows of one table, and it has no more than V_t of them.
        """
        return _answer(n, tied_rows=n.V_t + n.target_tokens)

    def tied_source_and_target(n):
        """You added the rows that source and target read.

        The tied table is that of the target, and also the output layer. Which rows does a softmax
        reach?
        """
        return _answer(n, tied_rows=n.source_words + n.target_words)

    def tied_of_all_tables(n):
        """You added the rows of both vocabularies.

        The tied table is that of the target.
        """
        return _answer(n, tied_rows=n.V_s + n.V_t)

    def tied_reads_twice(n):
        """For the tied table you counted the rows that the decoder reads, once for each of the two
        uses.

        The output layer is a use that reaches other rows, too.
        """
        return _answer(n, tied_rows=2 * n.target_words)

    def nothing_at_the_target(n):
        """You answer that the target table gets no gradient.

        The decoder reads its tokens, and what it writes depends on them.
        """
        return _answer(n, target_rows=0)

    def nothing_at_the_source(n):
        """You answer that the source table gets no gradient.

        The decoder attends to the source. If a row of it moves, does the loss change?
        """
        return _answer(n, source_rows=0)

    def with_begin_and_end(n):
        """You counted one row too many on each side, perhaps that of `<bos>` or `<eos>`.

        The question says how many tokens are read, and how many of them differ.
        """
        return _answer(n, source_rows=n.source_words + 1, target_rows=n.target_words + 1)


class Right:
    """Right answers, written differently."""

    def in_whole_numbers(n):
        """As one writes them down."""
        return {
            "three": n.V_s * n.d + n.V_t * n.d + n.d * n.V_t, "two": n.V_s * n.d + n.V_t * n.d,
            "one": n.V_joint * n.d, "source_rows": n.source_words, "target_rows": n.target_words,
            "output_rows": n.V_t, "tied_rows": n.V_t,
        }  # fmt: skip

    def in_another_order(n):
        """With the names in another order, as floats."""
        return {name: float(value) for name, value in reversed(_answer(n).items())}

    def counted_on_tables(n):
        """Makes the tables, without their numbers."""
        source, target = (
            torch.empty(n.V_s, n.d, device="meta"),
            torch.empty(n.V_t, n.d, device="meta"),
        )
        output = torch.empty(n.d, n.V_t, device="meta")
        return _answer(
            n,
            three=sum(of.numel() for of in (source, target, output)),
            two=source.numel() + target.numel(),
            one=torch.empty(n.V_joint, n.d, device="meta").numel(),
        )

    def as_tensors(n):
        """As tensors without dimensions."""
        return {name: torch.tensor(value) for name, value in _answer(n).items()}


EXERCISE = vary(
    NUMBERS,
    id="tied_parameters",
    oracle=correct,
    hint="Write down the shape of each matrix first. Then ask of each row: if it changed, would "
    "the loss change?",
    wrong=Wrong,
    right=Right,
)
