"""The exercise ``batch_shapes``: a batch on paper, from lengths alone (A01; chapter 01)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Pairs of which one side or the other is longer, one pair, equal lengths."""

    def lengths(number, lowest, highest):
        return [draw.size(lowest, highest) for _ in range(number)]

    rising = sorted(lengths(5, 3, 20))
    rising[-1] += 2
    return [
        Case("3 pairs", ([4, 7, 2], [5, 6, 3]), by_hand=True),
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
        return _answer(n, m, source=(len(n), max(n)), decoder_input=shape, labels=shape, counted=sum(m))

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
