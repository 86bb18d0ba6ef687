"""The exercise ``two_roles``: how often tokens are predicted, and how often they help (C06)."""

from __future__ import annotations

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

_NAMES = ("predictions", "helps", "one by one", "padded", "packed")


def cases(draw: Draw) -> list[Case]:
    """One sentence and several, an empty one, and rows that come out even or do not."""

    def drawn(count, row):
        return ([draw.size(1, 14) for _ in range(count)], row)

    return [
        Case("one sentence of 3 tokens, rows of 6", ([3], 6), by_hand=True),
        Case("sentences of 5, 2 and 9 tokens, rows of 8", ([5, 2, 9], 8), by_hand=True),
        Case("two sentences of one length", ([7, 7], 5)),
        Case("packed rows that come out even", ([4, 6, 2], 5)),
        Case("a single packed row, partly empty", ([3, 4, 2, 6], 32)),
        Case("an empty sentence among others", ([6, 0, 3], 4)),
        Case("the longest sentence first", ([20, 3, 1, 4, 4], 16)),
        Case("6 drawn sentences, rows of 10", drawn(6, 10)),
        Case("9 drawn sentences, rows of 7", drawn(9, 7)),
    ]


def correct(lengths, row):
    """Five counts, each from the lengths."""
    predictions = sum(n + 1 for n in lengths)
    return {
        "predictions": predictions,
        "helps": sum(n * (n + 1) // 2 for n in lengths),
        "one by one": sum((n + 1) * (n + 2) // 2 for n in lengths),
        "padded": len(lengths) * (max(lengths) + 1),
        "packed": -(-predictions // row) * row,
    }


def _but(lengths, row, **others):
    """The right counts, but for some."""
    return correct(lengths, row) | {name.replace("_", " "): n for name, n in others.items()}


def _rows_of(positions, row):
    return -(-positions // row) * row


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(lengths, row):
        """The counts are right, but they have no names.

        Return a dictionary with the names of the question.
        """
        return list(correct(lengths, row).values())

    def an_underscore_in_a_name(lengths, row):
        """The counts are right, but one name is not: "one by one" has blanks.

        Copy the five names from the question.
        """
        return {name.replace(" ", "_"): n for name, n in correct(lengths, row).items()}

    def counts_of_each_sentence(lengths, row):
        """You return lists, with one count for each sentence. The question asks for the sums.

        Add up what you have, over all sentences together.
        """
        return _but(
            lengths, row, predictions=[n + 1 for n in lengths],
            helps=[n * (n + 1) // 2 for n in lengths],
            one_by_one=[(n + 1) * (n + 2) // 2 for n in lengths],
        )  # fmt: skip

    def eos_forgotten(lengths, row):
        """You forget <eos> in all five counts.

        Each sentence is ended by <eos>, which is predicted like any other token.
        """
        tokens = sum(lengths)
        return _but(
            lengths, row, predictions=tokens, helps=sum(n * (n - 1) // 2 for n in lengths),
            one_by_one=sum(n * (n + 1) // 2 for n in lengths),
            padded=len(lengths) * max(lengths), packed=_rows_of(tokens, row),
        )  # fmt: skip

    def helps_and_one_by_one_exchanged(lengths, row):
        """You exchanged `helps` and `one by one`.

        Which of the two counts <bos>?
        """
        right = correct(lengths, row)
        return _but(lengths, row, helps=right["one by one"], one_by_one=right["helps"])

    def empty_sentences_left_out(lengths, row):
        """You leave out empty sentences. From <bos>, an empty one predicts its <eos>.

        Do you ask whether a length is 0?
        """
        return correct([n for n in lengths if n], row)

    def eos_is_not_predicted(lengths, row):
        """Your `predictions` leaves out <eos>.

        Each sentence has one prediction more than tokens: the one that it ends.
        """
        return _but(lengths, row, predictions=sum(lengths))

    def one_example_a_sentence(lengths, row):
        """Your `predictions` is the number of sentences. A sentence is many examples.

        Each token is the right answer to one question: what follows the tokens before it?
        """
        return _but(lengths, row, predictions=len(lengths))

    def bos_is_predicted(lengths, row):
        """Your `predictions` has two more for each sentence than it has tokens.

        <eos> is predicted, and <bos> is only read.
        """
        return _but(lengths, row, predictions=sum(n + 2 for n in lengths))

    def padding_is_predicted(lengths, row):
        """Your `predictions` counts all positions of the padded batch.

        Where the label is padding, nothing is learnt.
        """
        return _but(lengths, row, predictions=len(lengths) * (max(lengths) + 1))

    def one_eos_for_all(lengths, row):
        """Your `predictions` has one <eos> for all sentences together.

        Each sentence has its own end.
        """
        return _but(lengths, row, predictions=sum(lengths) + 1)

    def not_the_first_token(lengths, row):
        """Your `predictions` has one less for each sentence than it has tokens.

        The first token is predicted from <bos>, and <eos> is predicted, too.
        """
        return _but(lengths, row, predictions=sum(max(n - 1, 0) for n in lengths))

    def helps_without_eos(lengths, row):
        """Your `helps` forgets that each token also helps to predict <eos>.

        The last token of a sentence helps once. Whom?
        """
        return _but(lengths, row, helps=sum(n * (n - 1) // 2 for n in lengths))

    def bos_helps(lengths, row):
        """Your `helps` counts <bos>, which helps every prediction. It is no token of the text.

        Count only the tokens of the sentences.
        """
        return _but(lengths, row, helps=sum((n + 1) * (n + 2) // 2 for n in lengths))

    def helps_itself(lengths, row):
        """Your `helps` has one too many for each token.

        A token is predicted before it is read, so it does not help to predict itself.
        """
        return _but(lengths, row, helps=sum(n * (n + 1) // 2 + n for n in lengths))

    def helps_all(lengths, row):
        """Your `helps` lets every token help every prediction of its sentence.

        The causal mask: a token helps only those after it.
        """
        return _but(lengths, row, helps=sum(n * (n + 1) for n in lengths))

    def helps_all_tokens(lengths, row):
        """Your `helps` is the sum of n²: each token with each token of its sentence.

        A token helps only the predictions after it, and <eos> is one of them.
        """
        return _but(lengths, row, helps=sum(n * n for n in lengths))

    def helps_the_next_alone(lengths, row):
        """Your `helps` counts each token once, as if it helped only the token behind it.

        Which later rows can attend to a token?
        """
        return _but(lengths, row, helps=sum(lengths))

    def helps_its_neighbour(lengths, row):
        """Your `helps` has one less for each sentence than it has tokens: each token helps the next
        one, and the last helps nothing.

        A token helps *all* later predictions of its sentence, and <eos> is one of them.
        """
        return _but(lengths, row, helps=sum(max(n - 1, 0) for n in lengths))

    def helps_all_but_itself(lengths, row):
        """Your `helps` is the sum of n(n − 1): each token with each *other* token.

        A token helps only the predictions after it, and <eos> is one of them.
        """
        return _but(lengths, row, helps=sum(n * (n - 1) for n in lengths))

    def helps_across_sentences(lengths, row):
        """Your `helps` takes all sentences for one long one.

        Each sentence stands in a row of its own: a token helps its own sentence only.
        """
        tokens = sum(lengths)
        return _but(lengths, row, helps=tokens * (tokens + 1) // 2)

    def helps_half_a_square(lengths, row):
        """Your `helps` is half of n², the triangle without half of its diagonal.

        The first token of n helps n predictions, the last one 1. What do they sum to?
        """
        return _but(lengths, row, helps=sum(n * n // 2 for n in lengths))

    def one_by_one_without_bos(lengths, row):
        """Your `one by one` is n(n + 1)/2 for each sentence. But each pass begins with <bos>, and
        one more pass predicts <eos>.

        The pass for the first token reads one position, <bos>. How many does the last one read?
        """
        return _but(lengths, row, one_by_one=sum(n * (n + 1) // 2 for n in lengths))

    def first_pass_left_out(lengths, row):
        """Your `one by one` is one too small for each sentence: as if no pass read <bos> alone.

        A sentence of n tokens takes n + 1 passes. How much does the first one read?
        """
        return _but(lengths, row, one_by_one=sum(n * (n + 1) // 2 + n for n in lengths))

    def as_many_passes(lengths, row):
        """Your `one by one` is the number of passes. The positions that they compute are asked for.

        Pass t reads t positions.
        """
        return _but(lengths, row, one_by_one=sum(n + 1 for n in lengths))

    def whole_sentence_in_each_pass(lengths, row):
        """Your `one by one` has the whole sentence in each pass.

        A pass reads only the prefix of the token that it predicts.
        """
        return _but(lengths, row, one_by_one=sum((n + 1) ** 2 for n in lengths))

    def one_by_one_both_halves(lengths, row):
        """Your `one by one` is twice what is asked for.

        1 + 2 + … + k is k(k + 1)/2. Which k is it here?
        """
        return _but(lengths, row, one_by_one=sum((n + 1) * (n + 2) for n in lengths))

    def one_by_one_in_padded_rows(lengths, row):
        """Your `one by one` takes all sentences for as long as the longest.

        Each prediction has a pass of its own, so there is no padding.
        """
        n = max(lengths)
        return _but(lengths, row, one_by_one=len(lengths) * (n + 1) * (n + 2) // 2)

    def passes_as_long_as_the_longest(lengths, row):
        """Your `one by one` gives each pass as many positions as the longest sentence needs.

        A pass reads the prefix of its own prediction alone: pass t reads t positions.
        """
        passes = sum(n + 1 for n in lengths)
        return _but(lengths, row, one_by_one=passes * (max(lengths) + 1))

    def one_by_one_squares(lengths, row):
        """Your `one by one` is the sum of n²: n passes over n positions.

        A sentence of n tokens has n + 1 predictions, and pass t reads t positions.
        """
        return _but(lengths, row, one_by_one=sum(n * n for n in lengths))

    def reads_eos(lengths, row):
        """Your `one by one` has one pass too many for each sentence, one that reads <eos>.

        <eos> is predicted, and nothing is predicted after it.
        """
        return _but(lengths, row, one_by_one=sum((n + 2) * (n + 3) // 2 for n in lengths))

    def one_by_one_of_all(lengths, row):
        """Your `one by one` takes all sentences for one long one.

        Each sentence begins with its own <bos>.
        """
        positions = sum(n + 1 for n in lengths)
        return _but(lengths, row, one_by_one=positions * (positions + 1) // 2)

    def padded_without_special(lengths, row):
        """Your `padded` has as many columns as the longest sentence has tokens.

        What else does each row read, in front of the sentence?
        """
        return _but(lengths, row, padded=len(lengths) * max(lengths))

    def padded_with_both(lengths, row):
        """Your `padded` has columns for <bos> and for <eos>.

        The input begins with <bos>, and <eos> is only predicted.
        """
        return _but(lengths, row, padded=len(lengths) * (max(lengths) + 2))

    def only_the_padding(lengths, row):
        """Your `padded` counts only the padding itself. All positions of the batch are asked for.

        A batch has as many positions as rows times columns.
        """
        padding = len(lengths) * (max(lengths) + 1) - sum(n + 1 for n in lengths)
        return _but(lengths, row, padded=padding)

    def padded_without_padding(lengths, row):
        """Your `padded` leaves out the padding.

        All rows of a batch are as long as the longest.
        """
        return _but(lengths, row, padded=sum(n + 1 for n in lengths))

    def padded_to_row(lengths, row):
        """Your `padded` gives each sentence a row of `row` positions.

        `row` belongs to packing. A padded batch is as wide as its longest sentence needs.
        """
        return _but(lengths, row, padded=len(lengths) * row)

    def padded_to_full_rows(lengths, row):
        """Your `padded` rounds the columns up to a multiple of `row`.

        `row` belongs to packing. A padded batch is as wide as its longest sentence needs.
        """
        return _but(lengths, row, padded=len(lengths) * _rows_of(max(lengths) + 1, row))

    def columns_alone(lengths, row):
        """Your `padded` is the number of columns. The positions of the batch are asked for.

        How many rows has the batch?
        """
        return _but(lengths, row, padded=max(lengths) + 1)

    def rounded_to_the_nearest(lengths, row):
        """Your `packed` is rounded to the *nearest* multiple of `row`.

        A row that is begun counts in full: round up.
        """
        return _but(lengths, row, packed=round(sum(n + 1 for n in lengths) / row) * row)

    def packed_with_separators(lengths, row):
        """Your `packed` has one <eos> less than there are sentences.

        Each sentence comes with one special token, not only the gaps between them.
        """
        return _but(lengths, row, packed=_rows_of(sum(n + 1 for n in lengths) - 1, row))

    def packed_with_one_eos(lengths, row):
        """Your `packed` has one special token for all sentences together.

        Each sentence comes with one special token.
        """
        return _but(lengths, row, packed=_rows_of(sum(lengths) + 1, row))

    def last_row_dropped(lengths, row):
        """Where your `packed` is wrong, a last row is missing that is not full.

        The last row is filled up with padding, so that no token is lost.
        """
        return _but(lengths, row, packed=sum(n + 1 for n in lengths) // row * row)

    def packed_without_padding(lengths, row):
        """Your `packed` leaves out the padding at the end of the last row.

        All rows have `row` positions.
        """
        return _but(lengths, row, packed=sum(n + 1 for n in lengths))

    def packed_rows_alone(lengths, row):
        """Your `packed` is the number of rows. Their positions are asked for.

        How many positions has a row?
        """
        return _but(lengths, row, packed=-(-sum(n + 1 for n in lengths) // row))

    def packed_without_eos(lengths, row):
        """Your `packed` has as many positions as the sentences without <eos> need.

        Each sentence in a packed row is ended by <eos>.
        """
        return _but(lengths, row, packed=_rows_of(sum(lengths), row))

    def packed_with_both(lengths, row):
        """Your `packed` has two special tokens for each sentence.

        In a packed row, the <eos> of one sentence stands where the <bos> of the next would.
        """
        return _but(lengths, row, packed=_rows_of(sum(n + 2 for n in lengths), row))

    def always_one_row_more(lengths, row):
        """Your `packed` has a row too many where the rows come out even.

        Round up, and do not always add one.
        """
        return _but(lengths, row, packed=(sum(n + 1 for n in lengths) // row + 1) * row)

    def new_row_where_a_sentence_does_not_fit(lengths, row):
        """Your `packed` begins a new row where a sentence does not fit into the rest of one.

        Packed sentences follow one another without a gap: a row may begin in the middle of one.
        """
        rows, used = 1, 0
        for n in lengths:
            if used + n + 1 > row:
                rows, used = rows + 1, 0
            used += n + 1
        return _but(lengths, row, packed=rows * row)

    def sentences_not_cut(lengths, row):
        """Your `packed` gives each sentence rows of its own.

        Packed sentences follow one another without a gap, and a row may begin in the middle of
        one.
        """
        return _but(lengths, row, packed=sum(_rows_of(n + 1, row) for n in lengths))


class Right:
    """Right answers, written differently."""

    def in_a_loop(lengths, row):
        """Counts each token and each prefix."""
        predictions = helps = alone = 0
        for n in lengths:
            for t in range(1, n + 2):
                predictions += 1
                helps += t - 1
                alone += t
        padded = len(lengths) * (max(lengths) + 1)
        rows = predictions // row + (predictions % row > 0)
        return {"predictions": predictions, "helps": helps, "one by one": alone,
                "padded": padded, "packed": rows * row}  # fmt: skip

    def by_differences(lengths, row):
        """A prefix is <bos> and the tokens that help."""
        helps = sum(sum(range(n + 1)) for n in lengths)
        predictions = sum(lengths) + len(lengths)
        packed = predictions + (-predictions) % row
        padded = len(lengths) * (1 + max(lengths))
        return dict(
            zip(_NAMES, (predictions, helps, helps + predictions, padded, packed), strict=True)
        )

    def as_floats(lengths, row):
        """Whole numbers, held as floats."""
        return {name: float(value) for name, value in correct(lengths, row).items()}

    def with_masks(lengths, row):
        """Counts the True of causal masks."""
        masks = [[[j <= i for j in range(n + 1)] for i in range(n + 1)] for n in lengths]
        alone = sum(sum(map(sum, mask)) for mask in masks)
        predictions = sum(map(len, masks))
        rows = [None] * 0
        while len(rows) * row < predictions:
            rows.append(None)
        return {"one by one": alone, "predictions": predictions, "helps": alone - predictions,
                "padded": max(map(len, masks)) * len(masks), "packed": len(rows) * row}  # fmt: skip

    def token_by_token(lengths, row):
        """Token t of n helps the n + 1 − t predictions after it."""
        helps = sum(n + 1 - t for n in lengths for t in range(1, n + 1))
        return _but(lengths, row, helps=helps)


EXERCISE = Exercise(
    id="two_roles",
    oracle=correct,
    hint="Take one sentence of 3 tokens and write its labels: how many are there, <eos> included? "
    "Under each label, write what has been read. Then count.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
