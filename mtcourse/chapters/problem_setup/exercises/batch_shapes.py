"""The exercise ``batch_shapes``: a batch on paper, from lengths alone (A01; chapter 1)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Pairs of which one side or the other is longer, one pair, equal lengths."""

    def lengths(number, lowest, highest):
        return [draw.size(lowest, highest) for _ in range(number)]

    rising = sorted(lengths(5, 3, 20))
    rising[-1] += 2
    return [
        Case("3 pairs", ([4, 7, 2], [5, 6, 3]), by_hand=True),
        Case("4 pairs, neither the first nor the last the longest", ([3, 9, 4, 2], [6, 5, 8, 4])),
        Case("the longest source without the longest target", ([9, 2, 3, 5, 4], [4, 8, 7, 2, 3])),
        Case("a single pair", ([draw.size(2, 9)], [draw.size(10, 15)])),
        Case("all sources equally long", ([6] * 4, [4, 6, 5, 7])),
        Case("5 pairs, the last the longest", (rising, [length + 1 for length in rising])),
        Case("longer targets", (lengths(6, 1, 8), lengths(6, 9, 20))),
        Case("longer sources", (lengths(7, 12, 30), lengths(7, 3, 11))),
        Case("12 pairs", (lengths(12, 1, 40), lengths(12, 1, 40))),
    ]


def correct(n, m):
    """One position more than the longest, on either side."""
    return _answer(n, m)


def _answer(n, m, **others):
    """The right answer, with some of its values replaced."""
    batch, source, target = len(n), max(n) + 1, max(m) + 1
    return {
        "source": (batch, source),
        "decoder_input": (batch, target),
        "labels": (batch, target),
        "source_zeros": batch * max(n) - sum(n),
        "label_zeros": batch * max(m) - sum(m),
        "counted": sum(m) + batch,
    } | others


def _zeros(lengths):
    """The zeros of a matrix with such rows."""
    return len(lengths) * max(lengths) - sum(lengths)


def _wide(n, m, source, target):
    """An answer in which the batch has these widths."""
    batch = len(n)
    return _answer(
        n,
        m,
        source=(batch, source),
        decoder_input=(batch, target),
        labels=(batch, target),
        source_zeros=batch * (source - 1) - sum(n),
        label_zeros=batch * (target - 1) - sum(m),
    )


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names(n, m):
        """You returned values without their names.

        Return a dictionary, with the names that the question gives.
        """
        return list(_answer(n, m).values())

    def no_special_symbols(n, m):
        """You left no position for special symbols, on either side.

        What does a source end with, and a row of labels? What does the decoder's input begin with?
        """
        shape = (len(m), max(m))
        return _answer(
            n, m, source=(len(n), max(n)), decoder_input=shape, labels=shape, counted=sum(m)
        )

    def source_without_its_end(n, m):
        """Your sources have no position for `<eos>`.

        Look at a batch in the chapter: what follows the last token of each source?
        """
        return _answer(n, m, source=(len(n), max(n)))

    def labels_without_their_end(n, m):
        """Your labels have no position for `<eos>`, though the decoder's input has one for `<bos>`.

        At every position the decoder reads one token and predicts another. What should it predict
        after the last token?
        """
        return _answer(n, m, labels=(len(m), max(m)), counted=sum(m))

    def begin_and_end_on_the_target(n, m):
        """Your target rows have positions for both `<bos>` and `<eos>`.

        The decoder's input begins with `<bos>`, and the labels end in `<eos>`. No row has both.
        """
        shape = (len(m), max(m) + 2)
        return _answer(n, m, decoder_input=shape, labels=shape)

    def one_width_for_both_sides(n, m):
        """You gave both sides the width of the longest sentence of all.

        Source and target are separate matrices, and each is only as wide as its own longest
        sentence.
        """
        widest = max(*n, *m) + 1
        return _wide(n, m, widest, widest)

    def width_of_the_last_pair(n, m):
        """You took the widths from the last pair, but the longest sentence need not be the last.

        All rows of a matrix have the same length. Which sentence decides it?
        """
        return _wide(n, m, n[-1] + 1, m[-1] + 1)

    def sides_exchanged(n, m):
        """You exchanged source and target.

        `n` holds the lengths of the sources, `m` those of the targets.
        """
        other = _answer(m, n)
        return _answer(n, m, **{key: other[key] for key in other if key != "counted"})

    def lengths_before_sentences(n, m):
        """Your shapes have the positions first and the sentences second.

        Each sentence is a *row*: (sentences, positions).
        """
        right = _answer(n, m)
        turned = {key: right[key][::-1] for key in ("source", "decoder_input", "labels")}
        return right | turned

    def end_counts_as_padding(n, m):
        """You counted `<eos>` among the zeros. Its id is 3, and it belongs to its sentence.

        Padding is only what follows it.
        """
        right = _answer(n, m)
        batch = len(n)
        return right | {
            "source_zeros": right["source_zeros"] + batch,
            "label_zeros": right["label_zeros"] + batch,
        }

    def zeros_of_the_shortest(n, m):
        """You counted only the zeros of the shortest sentence.

        Every sentence shorter than the longest is filled up. Add up all their zeros.
        """
        return _answer(n, m, source_zeros=max(n) - min(n), label_zeros=max(m) - min(m))

    def tokens_counted_in_place_of_zeros(n, m):
        """You counted the positions that are *not* padding.

        The zeros are the other positions.
        """
        batch = len(n)
        return _answer(n, m, source_zeros=sum(n) + batch, label_zeros=sum(m) + batch)

    def end_not_counted(n, m):
        """You left `<eos>` out of the loss. Then the model never learns when to stop.

        `<eos>` is a label like any other. Only padding does not count.
        """
        return _answer(n, m, counted=sum(m))

    def all_places_counted(n, m):
        """You counted padding in the loss.

        A model should not learn to write `<pad>`. Which labels are tokens of the sentence, or its
        end?
        """
        return _answer(n, m, counted=len(m) * (max(m) + 1))

    def sources_counted(n, m):
        """You counted the tokens of the sources in the loss. The model reads these and does not
        predict them.

        Which tokens does the decoder predict?
        """
        return _answer(n, m, counted=sum(n) + len(n))

    def one_row(n, m):
        """You put all sentences into one row, one after the other. That is packing.

        Packing needs no padding. Here every sentence has a row of its own.
        """
        source, target = (sum(side) + len(side) for side in (n, m))
        return _answer(
            n,
            m,
            source=(1, source),
            decoder_input=(1, target),
            labels=(1, target),
            source_zeros=0,
            label_zeros=0,
        )

    def source_with_both_marks(n, m):
        """Your sources have positions for both `<bos>` and `<eos>`.

        Look at a batch in the chapter: what does a source begin with?
        """
        return _answer(n, m, source=(len(n), max(n) + 2))

    def decoder_input_with_both_marks(n, m):
        """Your decoder's input has positions for both `<bos>` and `<eos>`.

        It begins with `<bos>`. Which of the two rows of a target ends in `<eos>`?
        """
        return _answer(n, m, decoder_input=(len(m), max(m) + 2))

    def labels_with_both_marks(n, m):
        """Your labels have positions for both `<bos>` and `<eos>`.

        They end in `<eos>`. Which of the two rows of a target begins with `<bos>`?
        """
        return _answer(n, m, labels=(len(m), max(m) + 2))

    def both_marks_counted(n, m):
        """Both rows of your targets have positions for `<bos>` and `<eos>`, and the loss counts
        both.

        Which of the two is a label?
        """
        shape = (len(m), max(m) + 2)
        return _answer(n, m, decoder_input=shape, labels=shape, counted=sum(m) + 2 * len(m))

    def both_marks_everywhere(n, m):
        """All of your rows have positions for both `<bos>` and `<eos>`.

        A source ends in `<eos>`, a decoder's input begins with `<bos>`, labels end in `<eos>`.
        """
        shape = (len(m), max(m) + 2)
        return _answer(n, m, source=(len(n), max(n) + 2), decoder_input=shape, labels=shape)

    def decoder_input_shorter(n, m):
        """Your decoder's input is as wide as the longest target alone, and the labels are wider.

        At every position the decoder reads one token and predicts another. What does the first
        position read?
        """
        return _answer(n, m, decoder_input=(len(m), max(m)))

    def targets_without_their_mark(n, m):
        """Your target rows have no position for a special symbol, though the loss counts `<eos>`.

        What does the decoder's input begin with? And what do the labels end in?
        """
        shape = (len(m), max(m))
        return _answer(n, m, decoder_input=shape, labels=shape)

    def targets_without_any_mark(n, m):
        """Your target rows have no position for a special symbol.

        What does the decoder's input begin with? And what do the labels end in?
        """
        shape = (len(m), max(m))
        return _answer(n, m, decoder_input=shape, labels=shape, counted=sum(m))

    def rows_as_long_as_the_longest(n, m):
        """Your rows are as wide as the longest sentence alone, though the loss counts `<eos>`.

        Which special symbol does each row have?
        """
        shape = (len(m), max(m))
        return _answer(n, m, source=(len(n), max(n)), decoder_input=shape, labels=shape)

    def labels_as_long_as_the_longest(n, m):
        """Your labels have no position for `<eos>`, though the loss counts it.

        What should the decoder predict after the last token? At which position does that label
        stand?
        """
        return _answer(n, m, labels=(len(m), max(m)))

    def end_of_the_source_is_padding(n, m):
        """You counted the `<eos>` of the sources among their zeros.

        Its id is 3, and padding is only what follows it.
        """
        return _answer(n, m, source_zeros=len(n) * (max(n) + 1) - sum(n))

    def end_of_the_labels_is_padding(n, m):
        """You counted the `<eos>` of the labels among their zeros.

        Its id is 3, and padding is only what follows it.
        """
        return _answer(n, m, label_zeros=len(m) * (max(m) + 1) - sum(m))

    def fewer_zeros_than_there_are(n, m):
        """Your zeros are too few by one for each sentence, as if `<eos>` took the place of a
        `<pad>` in every row.

        A matrix is one wider than its longest sentence. How many zeros does a row of k tokens have?
        """
        return _answer(
            n,
            m,
            source_zeros=len(n) * (max(n) - 1) - sum(n),
            label_zeros=len(m) * (max(m) - 1) - sum(m),
        )

    def zeros_of_both_target_rows(n, m):
        """You counted the zeros of the decoder's input and of the labels together.

        Give the zeros of the labels alone.
        """
        return _answer(n, m, label_zeros=2 * (len(m) * max(m) - sum(m)))

    def zeros_exchanged(n, m):
        """You exchanged the zeros of the sources and those of the labels.

        `n` holds the lengths of the sources, `m` those of the targets.
        """
        return _answer(
            n, m, source_zeros=len(m) * max(m) - sum(m), label_zeros=len(n) * max(n) - sum(n)
        )

    def zeros_of_both_sides(n, m):
        """You give the zeros of sources and labels together, twice.

        Count them for each matrix by itself.
        """
        return _answer(n, m, source_zeros=_zeros(n) + _zeros(m), label_zeros=_zeros(n) + _zeros(m))

    def padded_rows_counted(n, m):
        """You counted the *sentences* that are padded.

        Count zeros: a short sentence has several.
        """
        return _answer(
            n, m, source_zeros=sum(k < max(n) for k in n), label_zeros=sum(k < max(m) for k in m)
        )

    def zeros_of_each_row(n, m):
        """You give a list of zeros, one number for each sentence.

        Add them up.
        """
        return _answer(
            n, m, source_zeros=[max(n) - k for k in n], label_zeros=[max(m) - k for k in m]
        )

    def zeros_of_an_average_row(n, m):
        """You give the longest length minus the mean length. That is how many zeros a row has on
        average.

        How many zeros do all rows have together?
        """
        return _answer(
            n, m, source_zeros=max(n) - sum(n) / len(n), label_zeros=max(m) - sum(m) / len(m)
        )

    def share_of_zeros(n, m):
        """You give zeros as a share of all positions.

        Give their number.
        """
        source, labels = len(n) * (max(n) + 1), len(m) * (max(m) + 1)
        return _answer(n, m, source_zeros=_zeros(n) / source, label_zeros=_zeros(m) / labels)

    def one_end_for_the_batch(n, m):
        """You counted one `<eos>` for the whole batch.

        Each sentence ends in one.
        """
        return _answer(n, m, counted=sum(m) + 1)

    def both_marks_in_the_count(n, m):
        """You counted two special symbols for each sentence in the loss.

        `<bos>` is read and never predicted. Which one is a label?
        """
        return _answer(n, m, counted=sum(m) + 2 * len(m))

    def both_target_rows_counted(n, m):
        """You counted the tokens of the decoder's input and of the labels.

        The loss compares predictions with the labels.
        """
        return _answer(n, m, counted=2 * (sum(m) + len(m)))

    def both_target_rows_and_their_zeros(n, m):
        """You counted the tokens and the zeros of the decoder's input and of the labels together.

        Give both numbers for the labels alone.
        """
        return _answer(n, m, counted=2 * (sum(m) + len(m)), label_zeros=2 * _zeros(m))

    def both_sides_counted(n, m):
        """You counted the tokens of sources and targets in the loss.

        The model reads the sources, and does not predict them.
        """
        return _answer(n, m, counted=sum(n) + len(n) + sum(m) + len(m))

    def both_sides_counted_without_ends(n, m):
        """You counted the tokens of sources and targets in the loss, without `<eos>`.

        The loss counts labels: which tokens are these, and do they include `<eos>`?
        """
        return _answer(n, m, counted=sum(n) + sum(m))

    def zeros_in_the_count(n, m):
        """Your `"counted"` is the number of zeros in the labels.

        Which labels does the loss count? Padding is what it leaves out.
        """
        return _answer(n, m, counted=_zeros(m))

    def zeros_taken_away_twice(n, m):
        """You subtracted the zeros of the labels from the tokens. These have no zeros among them.

        Subtract zeros from all *positions*, or count the tokens and their ends.
        """
        return _answer(n, m, counted=sum(m) + len(m) - _zeros(m))

    def longest_target_counted(n, m):
        """You counted only one sentence in the loss, the longest.

        Every sentence of the batch has labels.
        """
        return _answer(n, m, counted=max(m) + 1)

    def sentences_counted(n, m):
        """You counted sentences in the loss.

        Every label but the padding counts.
        """
        return _answer(n, m, counted=len(m))

    def twice_as_many_target_rows(n, m):
        """Your decoder's input and labels have two rows for each sentence.

        These are two matrices. How many rows has each?
        """
        shape = (2 * len(m), max(m) + 1)
        return _answer(n, m, decoder_input=shape, labels=shape)

    def width_of_the_first_pair(n, m):
        """You took the widths from the first pair, but the longest sentence need not be the first.

        All rows of a matrix have the same length. Which sentence decides it?
        """
        shape = (len(m), m[0] + 1)
        return _answer(n, m, source=(len(n), n[0] + 1), decoder_input=shape, labels=shape)

    def width_and_zeros_of_the_first_pair(n, m):
        """You took the widths from the first pair, and the zeros, too.

        All rows of a matrix have the same length. Which sentence decides it?
        """
        return _wide(n, m, n[0] + 1, m[0] + 1)

    def width_of_the_longest_pair(n, m):
        """You took both widths from one pair, the one that is longest on both sides together.

        The longest source and the longest target may belong to different pairs.
        """
        source, target = max(zip(n, m, strict=True), key=sum)
        shape = (len(m), target + 1)
        return _answer(n, m, source=(len(n), source + 1), decoder_input=shape, labels=shape)

    def width_of_the_pair_with_the_longest_source(n, m):
        """You took both widths from the pair with the longest source.

        The longest target may belong to another pair.
        """
        target = m[n.index(max(n))]
        shape = (len(m), target + 1)
        return _answer(n, m, decoder_input=shape, labels=shape)

    def one_shape_for_both_sides(n, m):
        """You gave both sides the width of the longest sentence of all, but counted zeros as if
        each had its own.

        Source and target are separate matrices, each only as wide as it has to be.
        """
        shape = (len(n), max(*n, *m) + 1)
        return _answer(n, m, source=shape, decoder_input=shape, labels=shape)

    def width_of_the_shortest(n, m):
        """Your rows are as wide as the shortest sentence.

        No token may be cut off. Which sentence decides the width?
        """
        shape = (len(m), min(m) + 1)
        return _answer(n, m, source=(len(n), min(n) + 1), decoder_input=shape, labels=shape)

    def three_rows(n, m):
        """Your batch has three rows, whatever the input is.

        How many sentences are there?
        """
        shape = (3, max(m) + 1)
        return _answer(
            n,
            m,
            source=(3, max(n) + 1),
            decoder_input=shape,
            labels=shape,
            source_zeros=3 * max(n) - sum(n),
            label_zeros=3 * max(m) - sum(m),
            counted=sum(m) + 3,
        )

    def shapes_of_three_rows(n, m):
        """Your shapes have three rows, whatever the input is.

        How many sentences are there?
        """
        shape = (3, max(m) + 1)
        return _answer(n, m, source=(3, max(n) + 1), decoder_input=shape, labels=shape)

    def numbers_of_the_example(n, m):
        """These are the numbers of the example, whatever the input is.

        Compute them from `n` and `m`.
        """
        return _answer([4, 7, 2], [5, 6, 3])

    def cells_in_place_of_shapes(n, m):
        """You give how many cells a matrix has.

        Give its shape: (rows, columns).
        """
        source, target = len(n) * (max(n) + 1), len(m) * (max(m) + 1)
        return _answer(n, m, source=source, decoder_input=target, labels=target)

    def widths_alone(n, m):
        """You give only the width of each matrix.

        Give its shape: (rows, columns).
        """
        target = max(m) + 1
        return _answer(n, m, source=max(n) + 1, decoder_input=target, labels=target)

    def source_without_its_end_and_end_not_counted(n, m):
        """Your sources have no position for `<eos>`, and the loss leaves out that of the labels.

        What follows the last token of each source? And after the last token of a target, what
        should the decoder predict?
        """
        return _answer(n, m, source=(len(n), max(n)), counted=sum(m))

    def end_of_the_labels_never_counts(n, m):
        """You took the `<eos>` of the labels for padding: it is among the zeros, and the loss
        leaves it out.

        Its id is 3. A model that never learns it never stops.
        """
        return _answer(n, m, label_zeros=_zeros(m) + len(m), counted=sum(m))

    def end_is_padding_everywhere(n, m):
        """You took `<eos>` for padding: it is among the zeros of both sides, and the loss leaves it
        out.

        Its id is 3. A model that never learns it never stops.
        """
        return _answer(
            n, m, source_zeros=_zeros(n) + len(n), label_zeros=_zeros(m) + len(m), counted=sum(m)
        )

    def two_marks_in_the_labels_counted(n, m):
        """Your labels have positions for both `<bos>` and `<eos>`, and the loss counts both.

        `<bos>` is read and never predicted.
        """
        return _answer(n, m, labels=(len(m), max(m) + 2), counted=sum(m) + 2 * len(m))

    def two_marks_everywhere_counted(n, m):
        """All of your rows have positions for both `<bos>` and `<eos>`, and the loss counts both.

        A source ends in `<eos>`, a decoder's input begins with `<bos>`, labels end in `<eos>`.
        """
        shape = (len(m), max(m) + 2)
        return _answer(
            n,
            m,
            source=(len(n), max(n) + 2),
            decoder_input=shape,
            labels=shape,
            counted=sum(m) + 2 * len(m),
        )

    def two_marks_and_one_of_them_padding(n, m):
        """Your target rows have positions for both `<bos>` and `<eos>`, and in the labels one of
        the two is among the zeros.

        Which special symbol does a row of labels have?
        """
        shape = (len(m), max(m) + 2)
        return _answer(n, m, decoder_input=shape, labels=shape, label_zeros=_zeros(m) + len(m))

    def source_with_both_marks_and_one_of_them_padding(n, m):
        """Your sources have positions for both `<bos>` and `<eos>`, and one of the two is among the
        zeros.

        Look at a batch in the chapter: what does a source begin with?
        """
        return _answer(n, m, source=(len(n), max(n) + 2), source_zeros=_zeros(n) + len(n))

    def source_with_both_marks_and_both_padding(n, m):
        """Your sources have positions for two special symbols, and both are among the zeros.

        Look at a batch in the chapter: what does a source end with?
        """
        return _answer(n, m, source=(len(n), max(n) + 2), source_zeros=_zeros(n) + 2 * len(n))

    def no_marks_and_padding_counted(n, m):
        """You left no position for special symbols, and the loss counts padding.

        What does the decoder's input begin with, and what do labels end in? Which labels are
        padding?
        """
        shape = (len(m), max(m))
        return _answer(
            n,
            m,
            source=(len(n), max(n)),
            decoder_input=shape,
            labels=shape,
            counted=len(m) * max(m),
        )

    def one_width_and_padding_counted(n, m):
        """You gave both sides the width of the longest sentence of all, and the loss counts
        padding.

        Source and target are separate matrices. Which labels does the loss count?
        """
        widest = max(*n, *m) + 1
        return _wide(n, m, widest, widest) | {"counted": len(m) * widest}

    def one_width_without_marks(n, m):
        """You gave both sides the width of the longest sentence of all, without special symbols.

        Source and target are separate matrices, and each row has a special symbol.
        """
        shape, widest = (len(m), max(*n, *m)), max(*n, *m)
        return _answer(
            n,
            m,
            source=shape,
            decoder_input=shape,
            labels=shape,
            source_zeros=len(n) * widest - sum(n),
            label_zeros=len(m) * widest - sum(m),
            counted=sum(m),
        )

    def labels_one_shorter(n, m):
        """Your labels are shorter than the targets: they lose a token.

        At every position the decoder reads one token and predicts another. Both rows are equally
        long.
        """
        return _answer(n, m, labels=(len(m), max(m) - 1))

    def a_third_dimension(n, m):
        """Your shapes have a third dimension.

        Give (rows, columns): a batch holds one id at each position.
        """
        return _answer(
            n,
            m,
            source=(len(n), max(n) + 1, 1),
            decoder_input=(len(m), max(m) + 1, 1),
            labels=(len(m), max(m) + 1, 1),
        )

    def each_sentence_by_itself(n, m):
        """You give each sentence a shape of its own.

        All sentences of a batch stand in one matrix, filled up to the longest.
        """
        return _answer(
            n,
            m,
            source=[k + 1 for k in n],
            decoder_input=[k + 1 for k in m],
            labels=[k + 1 for k in m],
        )

    def tokens_of_each_sentence(n, m):
        """Your `"counted"` is a list, with one number for each sentence.

        Add them up.
        """
        return _answer(n, m, counted=[k + 1 for k in m])

    def positions_of_both_sides_counted(n, m):
        """You counted all positions of sources and labels in the loss.

        Which labels does the loss count?
        """
        return _answer(n, m, counted=len(n) * (max(n) + 1) + len(m) * (max(m) + 1))


class Right:
    """Right answers, written differently."""

    def with_tensors(n, m):
        """Makes such a batch, of ones, and counts."""
        source, labels = (
            torch.nn.utils.rnn.pad_sequence([torch.ones(k + 1) for k in side], batch_first=True)
            for side in (n, m)
        )
        return {
            "source": source.shape,
            "decoder_input": labels.shape,
            "labels": labels.shape,
            "source_zeros": int((source == 0).sum()),
            "label_zeros": int((labels == 0).sum()),
            "counted": int(labels.count_nonzero()),
        }

    def with_sums(n, m):
        """A sentence at a time."""
        target = [len(m), max(m) + 1]
        label_zeros = sum(max(m) - k for k in m)
        return {
            "counted": sum(k + 1 for k in m),
            "label_zeros": label_zeros,
            "source_zeros": sum(max(n) - k for k in n),
            "labels": target,
            "decoder_input": target,
            "source": [len(n), max(n) + 1],
        }

    def as_a_difference(n, m):
        """All positions, minus those that are taken."""
        batch = len(n)
        source, target = (batch, 1 + max(n)), (batch, 1 + max(m))
        counted = sum(m) + batch
        return {
            "source": source,
            "decoder_input": target,
            "labels": target,
            "source_zeros": source[0] * source[1] - (sum(n) + batch),
            "label_zeros": target[0] * target[1] - counted,
            "counted": counted,
        }

    def with_lists(n, m):
        """Writes the rows out."""
        rows = [[[5] * k + [3] + [0] * (max(side) - k) for k in side] for side in (n, m)]
        shapes = [(len(of_side), len(of_side[0])) for of_side in rows]
        flat = [[i for row in of_side for i in row] for of_side in rows]
        return {
            "source": shapes[0],
            "decoder_input": shapes[1],
            "labels": shapes[1],
            "source_zeros": flat[0].count(0),
            "label_zeros": flat[1].count(0),
            "counted": len(flat[1]) - flat[1].count(0),
        }


EXERCISE = Exercise(
    id="batch_shapes",
    oracle=correct,
    hint="Draw both matrices for three short pairs, put `<eos>` and `<pad>` where they belong, "
    "and count.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
