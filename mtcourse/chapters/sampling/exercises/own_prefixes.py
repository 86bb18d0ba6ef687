"""The exercise ``own_prefixes``: a decoder that reads some of its own words (C25; chapter 19)."""

from __future__ import annotations

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """A sentence to check by hand, none and all of its own, padding, and drawn batches."""
    labels = torch.tensor([[11, 12, 13, 14, 3]])
    predicted = torch.tensor([[21, 22, 23, 24, 25]])
    some = torch.tensor([[False, True, False, True, True]])
    padded = torch.tensor([[11, 12, 13, 3], [15, 3, 0, 0]])
    others = torch.tensor([[31, 32, 33, 34], [35, 36, 37, 38]])
    early = torch.tensor([[21, 3, 23, 24, 25]])
    return [
        Case("some of its own", (labels, predicted, some), by_hand=True),
        Case("none of its own", (labels, predicted, some & False), by_hand=True),
        Case("all of its own", (labels, predicted, some | True), by_hand=True),
        Case("padding, all of its own", (padded, others, padded >= 0), by_hand=True),
        Case("padding, some of its own", (padded, others, others % 2 == 0), by_hand=True),
        Case("padding, none of its own", (padded, others, padded < 0), by_hand=True),
        Case("an <eos> of its own, too early", (labels, early, some), by_hand=True),
        Case("a single token", (labels[:, :1], predicted[:, :1], some[:, 1:2])),
        *(_drawn(draw, b, n) for b, n in ((3, 7), (5, 5), (2, 12))),
    ]


def _drawn(draw, batch, n):
    labels = draw.ids(batch, n, lowest=4, highest=30)
    lengths = draw.ids(batch, lowest=2, highest=n)
    labels = labels.masked_fill(torch.arange(n) == lengths[:, None] - 1, 3)
    labels = labels.masked_fill(torch.arange(n) >= lengths[:, None], 0)
    predicted = draw.ids(batch, n, lowest=31, highest=60)
    return Case(f"{batch} sentences of {n}", (labels, predicted, draw.booleans(batch, n)))


def correct(labels, predicted, own):
    """Replaces, then shifts right."""
    return _shifted(torch.where(own & (labels != 0), predicted, labels))


def _shifted(read):
    return torch.cat([torch.full_like(read[:, :1], 2), read[:, :-1]], 1)


class Wrong:
    """What learners write, the more particular before the more general."""

    def not_shifted(labels, predicted, own):
        """You did not shift: position t of yours reads token t, the very token that it has to
        predict.

        Input t + 1 is token t, and input 0 is <bos>.
        """
        return torch.where(own & (labels != 0), predicted, labels)

    def own_turned_round(labels, predicted, own):
        """You read the model's token where `own` is False.

        True means: here the decoder reads what it predicted itself.
        """
        return correct(labels, predicted, ~own)

    def own_not_shifted(labels, predicted, own):
        """You shift the tokens and not `own`: each decision falls on the token before.

        own[t] belongs to token t, which is read at position t + 1.
        """
        return torch.where(
            own & (_shifted(labels) > 2) & (torch.arange(labels.shape[1]) > 0),
            _shifted(predicted),
            _shifted(labels),
        )

    def predictions_not_shifted(labels, predicted, own):
        """You shift the labels and not the predictions: position t reads the prediction for token t
        itself.

        Predicted token t takes the place of label t, and is read at position t + 1.
        """
        keep = _shifted((own & (labels != 0)).long()) == 1
        return torch.where(keep, predicted, _shifted(labels))

    def predictions_too_late(labels, predicted, own):
        """Your predictions come one position too late.

        Row t of the model predicts token t. So predicted[t] and labels[t] are for the same place.
        """
        late = torch.cat([predicted[:, :1], predicted[:, :-1]], 1)
        return _shifted(torch.where(own & (labels != 0), late, labels))

    def begin_replaced(labels, predicted, own):
        """Your first input is no <bos>.

        Nothing was predicted before the first position: input 0 is always 2.
        """
        return torch.cat(
            [torch.where(own[:, :1], predicted[:, :1], 2), correct(labels, predicted, own)[:, 1:]],
            1,
        )

    def begin_missing(labels, predicted, own):
        """Your first input is 0, which is padding.

        <bos> has the id 2.
        """
        read = correct(labels, predicted, own)
        return torch.cat([torch.zeros_like(read[:, :1]), read[:, 1:]], 1)

    def begins_with_end(labels, predicted, own):
        """Your first input is <eos>. This course begins with <bos>, which has the id 2.

        3 is <eos>.
        """
        read = correct(labels, predicted, own)
        return torch.cat([torch.full_like(read[:, :1], 3), read[:, 1:]], 1)

    def one_column_too_many(labels, predicted, own):
        """Your result has one column more than the labels.

        The last token is predicted and never read.
        """
        read = torch.where(own & (labels != 0), predicted, labels)
        return torch.cat([torch.full_like(read[:, :1], 2), read], 1)

    def one_column_too_few(labels, predicted, own):
        """<bos> is missing, and your result has one column less than the labels.

        Put a column of 2 in front.
        """
        return torch.where(own & (labels != 0), predicted, labels)[:, :-1]

    def padding_replaced(labels, predicted, own):
        """Behind the end of a sentence you read predictions in place of padding.

        A label of 0 stays 0, whatever `own` is.
        """
        return _shifted(torch.where(own, predicted, labels))

    def end_kept(labels, predicted, own):
        """You never replace <eos>. The model may have predicted another token there, and then it
        reads that.

        Only padding, with the label 0, stays.
        """
        return _shifted(torch.where(own & (labels > 3), predicted, labels))

    def predictions_ignored(labels, predicted, own):
        """You read the labels throughout. This is how a translator is usually trained.

        Where `own` is True, the prediction takes the label's place.
        """
        return _shifted(labels)

    def all_its_own(labels, predicted, own):
        """You read predictions throughout.

        Where `own` is False, the decoder reads the label.
        """
        return _shifted(torch.where(labels != 0, predicted, labels))

    def own_from_then_on(labels, predicted, own):
        """After the first True you read predictions only. Each position decides for itself.

        Use `own` as it is, without adding up.
        """
        return correct(labels, predicted, own.long().cumsum(1) > 0)

    def first_row_decides(labels, predicted, own):
        """You use the first row of `own` for all sentences.

        Each sentence has its own row.
        """
        return correct(labels, predicted, own[:1].expand_as(own))

    def hidden_as_unknown(labels, predicted, own):
        """You replace tokens by <unk>. That is word dropout.

        Read the prediction there.
        """
        return _shifted(torch.where(own & (labels != 0), 1, labels))

    def shifted_left(labels, predicted, own):
        """You shift to the left: position t reads token t + 1, from the future.

        Input t + 1 is token t.
        """
        read = torch.where(own & (labels != 0), predicted, labels)
        return torch.cat([read[:, 1:], torch.full_like(read[:, :1], 2)], 1)

    def labels_overwritten(labels, predicted, own):
        """You write into `labels`. The loss needs them unchanged.

        `torch.where` makes a new tensor; or begin with `labels.clone()`.
        """
        replaced = own & (labels != 0)
        labels[replaced] = predicted[replaced]
        return _shifted(labels)

    def begin_in_front_of_a_roll(labels, predicted, own):
        """You roll the tokens, so that the last one comes to the front, where <bos> should be.

        Set column 0 to 2 after the roll.
        """
        return torch.where(own & (labels != 0), predicted, labels).roll(1, 1)

    def labels_alone_shifted(labels, predicted, own):
        """You shift the labels alone. `predicted` and `own` speak of the same tokens as the labels,
        so they are read one position later, too.

        Choose between label and prediction first, and shift the result.
        """
        shifted = _shifted(labels)
        replaced = own & (shifted != 0) & (torch.arange(labels.shape[1]) > 0)
        return torch.where(replaced, predicted, shifted)

    def end_as_padding(labels, predicted, own):
        """You put padding in the place of <eos>. A shorter sentence's <eos> is read like any other
        token; only what follows it does not count.

        Only a *label* of 0 stays 0.
        """
        read = correct(labels, predicted, own)
        return read.masked_fill(read == 3, 0)

    def inputs_masked_by_labels(labels, predicted, own):
        """You put 0 wherever the *label* of the same position is 0. Inputs come one position later
        than labels: the <eos> of a shorter sentence stands above its first padding.

        Leave out padding before you shift.
        """
        return correct(labels, predicted, own) * (labels != 0)

    def stops_at_its_own_end(labels, predicted, own):
        """Behind an <eos> of its own your decoder reads padding. Each position decides for itself,
        and the next one may read a label again.

        Nothing but a label of 0 becomes 0.
        """
        read = correct(labels, predicted, own)
        ends = (read == 3).long()
        return read.masked_fill(ends.cumsum(1) - ends > 0, 0)

    def begins_with_unknown(labels, predicted, own):
        """Your first input is 1, <unk>. This course begins with <bos>, which has the id 2.

        Fill the first column with 2.
        """
        read = correct(labels, predicted, own)
        return torch.cat([torch.ones_like(read[:, :1]), read[:, 1:]], 1)

    def begin_written_over(labels, predicted, own):
        """You did not shift: <bos> stands where the first token was, and that token is lost.

        Put <bos> *in front* of the tokens, and leave the last one out.
        """
        read = torch.where(own & (labels != 0), predicted, labels)
        return torch.cat([torch.full_like(read[:, :1], 2), read[:, 1:]], 1)

    def rolled_through_all_rows(labels, predicted, own):
        """You roll without a dimension: the last token of each sentence comes to the front of the
        next one.

        `roll(1, 1)` rolls within the rows. Then set column 0 to 2.
        """
        read = torch.where(own & (labels != 0), predicted, labels).roll(1)
        read[0, 0] = 2
        return read

    def shifted_left_onto_padding(labels, predicted, own):
        """You shift to the left, and put padding at the end: position t reads token t + 1, from the
        future.

        Input t + 1 is token t, and input 0 is <bos>.
        """
        read = torch.where(own & (labels != 0), predicted, labels)
        return torch.cat([read[:, 1:], torch.zeros_like(read[:, :1])], 1)


class Right:
    """Right answers, written differently."""

    def rolled(labels, predicted, own):
        """Rolls, and sets the first column."""
        read = labels.clone()
        replaced = own & labels.ne(0)
        read[replaced] = predicted[replaced]
        read = read.roll(1, dims=1)
        read[:, 0] = 2
        return read

    def all_shifted(labels, predicted, own):
        """Shifts all three, then chooses."""
        start = torch.full_like(labels[:, :1], 2)
        y = torch.cat([start, labels[:, :-1]], 1)
        z = torch.cat([start, predicted[:, :-1]], 1)
        choose = torch.cat([own[:, :1] & False, own[:, :-1]], 1)
        return torch.where(choose & (y != 0), z, y)

    def with_loops(labels, predicted, own):
        """Token by token."""
        read = torch.full_like(labels, 2)
        for b in range(labels.shape[0]):
            for t in range(1, labels.shape[1]):
                label = labels[b, t - 1]
                read[b, t] = predicted[b, t - 1] if own[b, t - 1] and label != 0 else label
        return read

    def padded(labels, predicted, own):
        """Cuts the last column, and pads in front."""
        read = torch.where(own, predicted, labels) * (labels != 0)
        return torch.nn.functional.pad(read[:, :-1], (1, 0), value=2)

    def by_arithmetic(labels, predicted, own):
        """Adds differences."""
        read = labels + (predicted - labels) * (own & (labels > 0)).long()
        return torch.hstack([torch.full((len(labels), 1), 2), read[:, :-1]])


EXERCISE = Exercise(
    id="own_prefixes",
    oracle=correct,
    hint="First put the predictions in the place of the labels, where `own` is True and the label "
    "is no padding. Then shift to the right: <bos> in front, the last column away.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
