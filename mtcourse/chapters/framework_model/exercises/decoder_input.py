"""The exercise ``decoder_input``: what the decoder reads to predict (A20, C08; chapter 07)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import functions_of, Exercise
from mtcourse.checks.outcomes import Case

PAD, BOS, EOS = 0, 2, 3


def cases(draw: Draw) -> list[Case]:
    """Sentences with <eos> at their end and padding behind it; two other ids for <bos>."""

    def labels(lengths, longest):
        ids = draw.ids(len(lengths), longest, lowest=5, highest=60).contiguous()
        for row, length in zip(ids, lengths, strict=True):
            row[length - 1], row[length:] = EOS, PAD
        return ids.mT.contiguous().mT if draw.strided else ids

    return [
        Case("one sentence", (labels([5], 5), BOS, PAD), by_hand=True),
        Case("two sentences, one padded", (labels([4, 2], 4), BOS, PAD), by_hand=True),
        Case("a sentence that is empty", (labels([1, 3], 3), BOS, PAD)),
        Case("4 sentences", (labels([7, 3, 6, 2], 7), BOS, PAD)),
        Case("another id for <bos>", (labels([4, 6], 6), 4, PAD)),
    ]


def correct(labels, bos, pad):
    """<bos>, then the labels without the last; padding stays where it was."""
    first = torch.full_like(labels[:, :1], bos)
    return torch.cat([first, labels[:, :-1]], dim=1).masked_fill(labels == pad, pad)


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_shifted(labels, bos, pad):
        """These are the labels themselves, as in document A: each row reads its own answer.

        Row j may read only what comes before word j. What must stand at position j?
        """
        return labels.clone()

    def shifted_left(labels, bos, pad):
        """The target moved to the left: row j reads word j + 1.

        Row j predicts word j, so it must read neither word j nor the one after.
        """
        return torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], pad)], dim=1)

    def first_word_replaced(labels, bos, pad):
        """<bos> took the place of the first word, and the others stayed where they were.

        Nothing moved: from the second row on, each still reads its own answer.
        """
        read = labels.clone()
        read[:, 0] = bos
        return read

    def one_longer(labels, bos, pad):
        """<bos> was put in front and nothing was dropped: there is one more input than labels.

        Each input belongs to one label. Which word does no row need to read?
        """
        return torch.cat([torch.full_like(labels[:, :1], bos), labels], dim=1)

    def one_shorter(labels, bos, pad):
        """The last word was dropped, but <bos> was not put in front: there is one input too few.

        What does a decoder read when nothing has been written yet?
        """
        return labels[:, :-1].clone()

    def rolled(labels, bos, pad):
        """The last column came around to the front, where <bos> belongs.

        `torch.roll` keeps every number. The last one is not needed, and <bos> is new.
        """
        return torch.roll(labels, 1, dims=1).masked_fill(labels == pad, pad)

    def rolled_with_padding(labels, bos, pad):
        """The last column came around to the front, and <eos> slid into the padding.

        `torch.roll` keeps every number. The last one is not needed, and <bos> is new.
        """
        return torch.roll(labels, 1, dims=1)

    def across_sentences(labels, bos, pad):
        """The batch was moved as one long row: a sentence begins with the last word of the one
        before.

        Every sentence begins with <bos>. Along which dimension do words follow each other?
        """
        flat = labels.flatten()
        moved = torch.cat([flat.new_tensor([bos]), flat[:-1]]).view_as(labels)
        return moved.masked_fill(labels == pad, pad)

    def sentences_moved(labels, bos, pad):
        """Whole sentences moved down by one: the dimension of the batch was shifted.

        Words follow each other along the second dimension.
        """
        first = torch.full_like(labels[:1], bos)
        return torch.cat([first, labels[:-1]], dim=0).masked_fill(labels == pad, pad)

    def padding_in_front(labels, bos, pad):
        """The target moved to the right, but padding stands in front instead of <bos>.

        The first row must read a symbol which says that nothing is written yet.
        """
        first = torch.full_like(labels[:, :1], pad)
        return torch.cat([first, labels[:, :-1]], dim=1).masked_fill(labels == pad, pad)

    def eos_in_front(labels, bos, pad):
        """The target moved to the right, and <eos> stands in front, as in some models.

        Here it is <bos>, whose id is the second argument.
        """
        first = torch.full_like(labels[:, :1], EOS)
        return torch.cat([first, labels[:, :-1]], dim=1).masked_fill(labels == pad, pad)

    def always_two(labels, bos, pad):
        """You put 2 in front, whatever the id of <bos> is.

        The second argument says which id it is.
        """
        return correct(labels, 2, pad)

    def reads_its_end(labels, bos, pad):
        """The shift is right, but <eos> slid into the first position of padding.

        Where the label is padding, nothing is predicted. Put padding there again.
        """
        return torch.cat([torch.full_like(labels[:, :1], bos), labels[:, :-1]], dim=1)

    def moved_by_two(labels, bos, pad):
        """The target moved by two positions: row j misses the word just before its own.

        Row j should read up to word j − 1.
        """
        once = torch.cat([torch.full_like(labels[:, :1], bos), labels[:, :-1]], dim=1)
        twice = torch.cat([torch.full_like(labels[:, :1], bos), once[:, :-1]], dim=1)
        return twice.masked_fill(labels == pad, pad)

    def changes_labels(labels, bos, pad):
        """The inputs are right, but you overwrote the labels, which the loss still needs.

        Slices share memory with the tensor they are taken from. Make a new tensor.
        """
        read = correct(labels, bos, pad)
        labels.copy_(read)
        return labels


class Right:
    """Right answers, written differently."""

    def with_pad_function(labels, bos, pad):
        """A column in front, the last one off."""
        moved = torch.nn.functional.pad(labels, (1, 0), value=bos)[:, :-1]
        return torch.where(labels == pad, torch.full_like(moved, pad), moved)

    def in_a_copy(labels, bos, pad):
        """Writes into a copy."""
        read = labels.clone()
        read[:, 1:] = labels[:, :-1]
        read[:, 0] = bos
        read[labels == pad] = pad
        return read

    def with_roll(labels, bos, pad):
        """Comes around, and is then overwritten."""
        read = labels.roll(1, dims=-1)
        read[:, 0] = bos
        return read * (labels != pad) + pad * (labels == pad)

    def with_lists(labels, bos, pad):
        """Sentence by sentence, in Python."""
        rows = []
        for row in labels.tolist():
            words = [word for word in row if word != pad]
            read = [bos, *words[:-1]][: len(words)]
            rows.append(read + [pad] * (len(row) - len(read)))
        return torch.tensor(rows)


EXERCISE = Exercise(
    id="decoder_input",
    oracle=correct,
    hint="Write labels and inputs under each other for one sentence with padding. Under each label "
    "stands the word before it; under the first label, <bos>; under padding, padding.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
