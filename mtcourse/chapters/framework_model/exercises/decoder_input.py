"""The exercise ``decoder_input``: what the decoder reads to predict (A20, C08; chapter 7)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
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
        Case("another id for padding, and <bos> among the labels",
             (torch.tensor([[7, BOS, 3, 9], [5, 3, 9, 9]]), BOS, 9)),
        Case("<bos> is 0 and padding 1", (torch.tensor([[6, 5, 3], [7, 3, 1], [3, 1, 1]]), 0, 1)),
        Case("the shorter sentence first", (torch.tensor([[8, 3, 0, 0], [6, 6, 7, 3]]), BOS, PAD)),
    ]  # fmt: skip


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

        A rotation, such as `torch.roll`, keeps every number. Here the last one is not needed, and
        <bos> is new.
        """
        return torch.roll(labels, 1, dims=1).masked_fill(labels == pad, pad)

    def rolled_with_padding(labels, bos, pad):
        """The last column came around to the front, and <eos> slid into the padding.

        A rotation, such as `torch.roll`, keeps every number. Here the last one is not needed, and
        <bos> is new.
        """
        return torch.roll(labels, 1, dims=1)

    def across_sentences(labels, bos, pad):
        """The batch was moved as one long row: each sentence begins with the last id of the one
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

    def bos_everywhere(labels, bos, pad):
        """<bos> stands at every position that is not padding, and no word is left.

        Do you copy from a tensor that you have already overwritten? Take the words from `labels`.
        """
        return torch.full_like(labels, bos).masked_fill(labels == pad, pad)

    def bos_everywhere_and_in_padding(labels, bos, pad):
        """<bos> stands at every position, even at those of padding.

        Do you copy from a tensor that you have already overwritten? Take the words from `labels`.
        """
        return torch.full_like(labels, bos)

    def bos_by_column(labels, bos, pad):
        """After <bos>, the first word of the sentence stands at every position that is not padding.

        Do you copy from a tensor that you have already overwritten? Take the words from `labels`.
        """
        read = labels[:, :1].expand_as(labels).clone()
        read[:, 0] = bos
        return read.masked_fill(labels == pad, pad)

    def pads_one_too_many(labels, bos, pad):
        """The row that predicts <eos> reads padding. It should read the last word.

        Padding belongs where the *label* is padding, and <eos> is a label like any other.
        """
        read = correct(labels, bos, pad)
        return read.masked_fill((labels == EOS) | (labels == pad), pad)

    def padding_is_bos(labels, bos, pad):
        """Where the label is padding, you put <bos>.

        Where the label is padding, so is the input.
        """
        return correct(labels, bos, pad).masked_fill(labels == pad, bos)

    def padding_is_eos(labels, bos, pad):
        """Where the label is padding, you put <eos>.

        Where the label is padding, so is the input.
        """
        return correct(labels, bos, pad).masked_fill(labels == pad, EOS)

    def eos_slid_away(labels, bos, pad):
        """Where <eos> slid into the first position of padding, you put <bos>.

        Where the label is padding, so is the input.
        """
        read = Wrong.reads_its_end(labels, bos, pad)
        return read.masked_fill(read == EOS, bos)

    def bos_at_the_end(labels, bos, pad):
        """<bos> stands at the end, and the target moved to the left.

        Row j reads what comes before word j. Where does a sentence begin?
        """
        last = torch.full_like(labels[:, :1], bos)
        return torch.cat([labels[:, 1:], last], dim=1).masked_fill(labels == pad, pad)

    def bos_at_the_end_with_padding(labels, bos, pad):
        """<bos> stands in the last column, and the target moved to the left.

        Row j reads what comes before word j. Where does a sentence begin?
        """
        return torch.cat([labels[:, 1:], torch.full_like(labels[:, :1], bos)], dim=1)

    def bos_for_the_last(labels, bos, pad):
        """<bos> took the place of the last column, and nothing moved.

        Row j reads what comes before word j. Where does a sentence begin?
        """
        read = labels.clone()
        read[:, -1] = bos
        return read

    def bos_for_eos(labels, bos, pad):
        """<bos> took the place of <eos>, and nothing moved.

        Row j reads what comes before word j. Where does a sentence begin?
        """
        return labels.masked_fill(labels == EOS, bos)

    def eos_stays(labels, bos, pad):
        """<eos> stayed where it is, and only the words before it moved.

        Row j reads what comes before word j. What does the row read that predicts <eos>?
        """
        return torch.where(labels == EOS, labels, correct(labels, bos, pad))

    def eos_lost(labels, bos, pad):
        """<eos> became padding, and the words stayed where they are.

        The target moves to the right by one. What does its first row read?
        """
        return labels.masked_fill(labels == EOS, pad)

    def lengths_of_the_first(labels, bos, pad):
        """The length of the first sentence is used for all.

        Each sentence has padding of its own.
        """
        read = Wrong.reads_its_end(labels, bos, pad)
        return read.masked_fill(labels[:1] == pad, pad)

    def one_shorter_with_bos(labels, bos, pad):
        """<bos> is in front, but two columns were dropped at the end: there is one input too few.

        Each input belongs to one label. How many labels are there?
        """
        return correct(labels, bos, pad)[:, :-1]

    def one_shorter_at_the_front(labels, bos, pad):
        """The first column was dropped: there is one input too few, and no <bos>.

        What does a decoder read when nothing has been written yet?
        """
        return labels[:, 1:].clone()

    def one_longer_at_the_end(labels, bos, pad):
        """<bos> was put at the end, and there is one more input than labels.

        Each input belongs to one label. Where does a sentence begin?
        """
        return torch.cat([labels, torch.full_like(labels[:, :1], bos)], dim=1)

    def one_longer_with_padding(labels, bos, pad):
        """<bos> was put in front and nothing was dropped, except that <eos> became padding.

        Each input belongs to one label. How many labels are there?
        """
        longer = torch.cat([torch.full_like(labels[:, :1], bos), labels], dim=1)
        return longer.masked_fill(longer == EOS, pad)

    def bos_and_pad_exchanged(labels, bos, pad):
        """It is as if `bos` and `pad` were exchanged.

        Which one stands in front, and which one behind?
        """
        return correct(labels, pad, bos)

    def padding_in_front_and_reads_its_end(labels, bos, pad):
        """Padding stands in front instead of <bos>, and <eos> slid into the first position of
        padding.

        Which symbol says that nothing is written yet? And where the label is padding, what should
        be read?
        """
        return torch.cat([torch.full_like(labels[:, :1], pad), labels[:, :-1]], dim=1)

    def padding_is_zero(labels, bos, pad):
        """Padding is recognised by the id 0, whatever `pad` is.

        The third argument says which id it is.
        """
        return torch.where(labels == 0, 0, Wrong.reads_its_end(labels, bos, pad))

    def padding_becomes_zero(labels, bos, pad):
        """Where the label is padding, you put 0, whatever `pad` is.

        The third argument says which id it is.
        """
        return correct(labels, bos, pad).masked_fill(labels == pad, 0)

    def both_ids_fixed(labels, bos, pad):
        """You use 2 for <bos> and 0 for padding, whatever the arguments are.

        The second and the third argument say which ids they are.
        """
        return torch.where(labels == 0, 0, Wrong.reads_its_end(labels, 2, 0))

    def bos_one(labels, bos, pad):
        """You put 1 in front, whatever the id of <bos> is.

        The second argument says which id it is.
        """
        return correct(labels, 1, pad)

    def bos_zero(labels, bos, pad):
        """You put 0 in front, whatever the ids are.

        The second argument is the id of <bos>.
        """
        return correct(labels, 0, pad)

    def reversed_sentence(labels, bos, pad):
        """The words stand in reverse order.

        Row j reads what comes before word j. In which order?
        """
        return correct(labels, bos, pad).flip(-1)

    def two_bos(labels, bos, pad):
        """<bos> stands in the first two places.

        Only one position is new.
        """
        read = correct(labels, bos, pad)
        read[:, 1:2] = bos
        return read.masked_fill(labels == pad, pad)

    def as_lists(labels, bos, pad):
        """You return lists.

        `torch.tensor` makes a tensor of them.
        """
        return correct(labels, bos, pad).tolist()

    def first_sentence_only(labels, bos, pad):
        """You return the first sentence only.

        The result has the shape of `labels`.
        """
        return correct(labels, bos, pad)[:1]

    def one_row(labels, bos, pad):
        """You return one long row.

        The result has the shape of `labels`.
        """
        return correct(labels, bos, pad).flatten()

    def last_word_becomes_padding(labels, bos, pad):
        """In each sentence that has a word, the row that predicts <eos> reads padding. It should
        read the last word.

        Where the *label* is padding, so is the input.
        """
        lengths = (labels != pad).sum(1, keepdim=True)
        beyond = torch.arange(labels.shape[1]) >= (lengths - 1).clamp(min=1)
        return Wrong.reads_its_end(labels, bos, pad).masked_fill(beyond, pad)

    def last_column_and_eos_lost(labels, bos, pad):
        """The last column was dropped, any other <eos> became padding, and <bos> is missing in
        front.

        What does a decoder read when nothing has been written yet?
        """
        return labels[:, :-1].masked_fill(labels[:, 1:] == pad, pad)

    def symbols_exchanged(labels, bos, pad):
        """Padding stands in front, and <bos> where the label is padding.

        Which one says that nothing is written yet?
        """
        return Wrong.padding_in_front(labels, bos, pad).masked_fill(labels == pad, bos)


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

    def one_sentence_at_a_time(labels, bos, pad):
        """Fills a tensor of padding."""
        read = torch.full_like(labels, pad)
        for row, sentence in zip(read, labels, strict=True):
            count = int((sentence != pad).sum())
            row[0] = bos
            row[1:count] = sentence[: count - 1]
        return read


EXERCISE = Exercise(
    id="decoder_input",
    oracle=correct,
    hint="Write labels and inputs under each other for one sentence with padding. Under each label "
    "stands the word before it; under the first label, <bos>; under padding, padding.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
