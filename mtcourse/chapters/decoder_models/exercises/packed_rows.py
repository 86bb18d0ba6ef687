"""The exercise ``packed_rows``: documents behind one another, in rows of equal length (C06)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case

_BOS, _EOS = 2, 3


def cases(draw: Draw) -> list[Case]:
    """Rows that come out even or do not, that cut documents or hold several."""

    def documents(*lengths):
        return [draw.ids(length, lowest=5, highest=60).tolist() for length in lengths]

    return [
        Case("documents of 2 and 3 tokens in rows of 4", ([[7, 8], [9, 10, 11]], 4), by_hand=True),
        Case("one document in one row", (documents(5), 6)),
        Case("a document that is cut twice", (documents(2, 9, 4), 5)),
        Case("rows that come out even", (documents(3, 1, 5), 4)),
        Case("a single row, partly empty", (documents(2, 4, 1), 16)),
        Case("an empty document", (documents(3, 0, 4), 5)),
        Case("6 documents in rows of 8", (documents(7, 2, 11, 1, 5, 6), 8)),
        Case("the longest first", (documents(12, 6, 2, 3), 7)),
    ]


def correct(documents, length):
    """The stream, and the same one token later, in rows."""
    stream = _stream(documents)
    return _rows(stream[:-1], length), _rows(stream[1:], length)


def _stream(documents):
    return [_EOS, *(token for ids in documents for token in (*ids, _EOS))]


def _rows(tokens, length, pad=0):
    rows = [tokens[start : start + length] for start in range(0, len(tokens), length)]
    return torch.tensor([[*row, *[pad] * (length - len(row))] for row in rows])


def _first_column(rows, token):
    return torch.full_like(rows[:, :1], token)


class Wrong:
    """What learners write, the more particular before the more general."""

    def changes_the_documents(documents, length):
        """Both tensors are right, but your function changes the documents that it was given.

        `append` and `+=` change a list. `[*ids, 3]` makes a new one.
        """
        result = correct(documents, length)
        for ids in documents:
            ids.append(_EOS)
        return result

    def as_lists(documents, length):
        """The numbers are right, but they stand in lists. Return two tensors.

        `torch.tensor` makes one of rows that are equally long.
        """
        return tuple(part.tolist() for part in correct(documents, length))

    def stacked(documents, length):
        """The numbers are right, but both parts are stacked in one tensor.

        Return the two tensors, separated by a comma.
        """
        return torch.stack(correct(documents, length))

    def not_shifted(documents, length):
        """You return the labels twice: each position reads the token that it has to predict.

        The inputs are the same stream, one token earlier.
        """
        labels = correct(documents, length)[1]
        return labels.clone(), labels

    def labels_not_shifted(documents, length):
        """You return the inputs twice: each position has to predict the token that it reads.

        The labels are the same stream, one token later.
        """
        inputs = correct(documents, length)[0]
        return inputs, inputs.clone()

    def whole_stream_twice(documents, length):
        """You return the whole stream twice: each position has to predict the token that it reads.

        The inputs are the stream without its last token, the labels the stream without its first.
        """
        stream = _stream(documents)
        return _rows(stream, length), _rows(stream, length)

    def shifted_the_other_way(documents, length):
        """Inputs and labels are exchanged: each position reads the token after the one that it has
        to predict.

        Which of the two begins with <eos>?
        """
        return correct(documents, length)[::-1]

    def shifted_twice(documents, length):
        """You shifted twice: a label is the token after the next one.

        Position j reads token j of the stream and predicts token j + 1.
        """
        stream = _stream(documents)
        return _rows(stream[:-1], length), _rows([*stream[2:], 0], length)

    def shifted_within_rows(documents, length):
        """The last label of each row is padding, although the document goes on in the next row.

        Shift the whole stream first, and cut it into rows afterwards.
        """
        inputs = correct(documents, length)[0]
        return inputs, torch.cat([inputs[:, 1:], torch.zeros_like(inputs[:, :1])], 1)

    def cut_before_the_shift(documents, length):
        """You cut the whole stream into rows and shifted each of them. The last label of each row
        is padding, although the document goes on in the next row, and the last <eos> is read.

        Shift the whole stream first, and cut it into rows afterwards.
        """
        inputs = _rows(_stream(documents), length)
        return inputs, torch.cat([inputs[:, 1:], torch.zeros_like(inputs[:, :1])], 1)

    def rows_begin_with_eos(documents, length):
        """Each of your rows begins with <eos>, although some begin in the middle of a document.

        Shift the whole stream first, and cut it into rows afterwards.
        """
        labels = correct(documents, length)[1]
        return torch.cat([_first_column(labels, _EOS), labels[:, :-1]], 1), labels

    def rows_begin_with_bos(documents, length):
        """Each of your rows begins with <bos>. Here the <eos> of the document before stands for it,
        and a row may begin in the middle of a document.

        Shift the whole stream first, and cut it into rows afterwards.
        """
        labels = correct(documents, length)[1]
        return torch.cat([_first_column(labels, _BOS), labels[:, :-1]], 1), labels

    def begins_with_bos(documents, length):
        """Your first input is <bos>, id 2. In a packed row, <eos> stands for it.

        The question says with which token the stream begins.
        """
        inputs, labels = correct(documents, length)
        inputs[0, 0] = _BOS
        return inputs, labels

    def bos_before_each_document(documents, length):
        """You put <bos> in front of each document, and have to predict it, too.

        The <eos> of the document before stands for <bos>: one symbol between two documents.
        """
        stream = [token for ids in documents for token in (_BOS, *ids, _EOS)]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def bos_for_eos(documents, length):
        """Each of your documents begins with <bos>, and <eos> is never read.

        The question has one symbol between two documents, and it is <eos> in both tensors.
        """
        inputs, labels = correct(documents, length)
        return inputs.masked_fill(inputs == _EOS, _BOS), labels

    def no_eos(documents, length):
        """Your documents have no <eos> between them, so a model could not tell where one ends.

        Each document is ended by <eos>, the last one, too.
        """
        stream = [_EOS, *(token for ids in documents for token in ids)]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def one_eos_at_the_end(documents, length):
        """You end only the last document with <eos>.

        Each document is ended by <eos>.
        """
        stream = [_EOS, *(token for ids in documents for token in ids), _EOS]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def last_document_without_eos(documents, length):
        """Your last document has no <eos>.

        A separator *between* documents is one less than documents. Each of them is ended by <eos>.
        """
        stream = _stream(documents)[:-1]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def last_end_is_not_predicted(documents, length):
        """Your inputs are right, but the last label is padding: the <eos> of the last document is
        missing.

        Each document is followed by <eos>, the last one, too.
        """
        inputs, labels = correct(documents, length)
        last = int((labels.flatten() != 0).nonzero().max())
        labels.view(-1)[last] = 0
        return inputs, labels

    def first_token_is_not_predicted(documents, length):
        """Your stream begins with the first token itself, so no position predicts it.

        What is read before the very first token?
        """
        stream = _stream(documents)[1:]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def inputs_go_one_too_far(documents, length):
        """Your inputs have one token more than the labels: the <eos> that ends everything.

        After the last <eos> nothing is predicted, so it is not read either.
        """
        stream = _stream(documents)
        inputs = _rows(stream, length)
        labels = _rows([*stream[1:], 0], length)
        return inputs, labels

    def inputs_are_the_whole_stream(documents, length):
        """Your inputs are the whole stream, with the <eos> that ends everything.

        After the last <eos> nothing is predicted, so it is not read either.
        """
        stream = _stream(documents)
        return _rows(stream, length), _rows(stream[1:], length)

    def rolled_in_each_row(documents, length):
        """The last label of each row is the first input of the *same* row. It should be the first
        of the next.

        `roll` moves in a circle. Shift the whole stream first, and cut it into rows afterwards.
        """
        inputs = correct(documents, length)[0]
        return inputs, inputs.roll(-1, 1)

    def rolled(documents, length):
        """Your labels go in a circle: the first token stands at their end, and the last <eos> is
        missing where there is padding.

        Shift the stream before it is filled up: all of it but the first token.
        """
        inputs = correct(documents, length)[0]
        return inputs, inputs.flatten().roll(-1).view_as(inputs)

    def eos_on_both_sides(documents, length):
        """Two <eos> stand between your documents: one that ends the first and one that begins the
        second.

        One <eos> does both. After the first <eos> of the stream, each document has one, behind it.
        """
        stream = [token for ids in documents for token in (_EOS, *ids, _EOS)]
        return _rows(stream[:-1], length), _rows(stream[1:], length)

    def a_label_lost_in_each_row(documents, length):
        """You cut the stream into pieces of `length` + 1 tokens and make a row of each. So the last
        label of a row is never read, and the first token of the next row is never predicted.

        Neighbouring pieces have to share one token: the last label of a row is the first input of
        the next.
        """
        pieces = _rows(_stream(documents), length + 1)
        return pieces[:, :-1], pieces[:, 1:]

    def a_token_lost_in_each_row(documents, length):
        """Your rows have one position too few: you cut the stream into pieces of `length` tokens
        and shifted these.

        A row of `length` positions needs `length` + 1 tokens of the stream.
        """
        pieces = _rows(_stream(documents), length)
        return pieces[:, :-1], pieces[:, 1:]

    def last_row_dropped(documents, length):
        """You drop the last row where it is not full, and its tokens with it.

        Fill it up with 0.
        """
        inputs, labels = correct(documents, length)
        full = (labels != 0).all(-1)
        return inputs[full], labels[full]

    def one_document_a_row(documents, length):
        """Each document stands in a row of its own. Packed documents follow one another.

        Make one stream of all documents, and cut that into rows.
        """
        rows = [[_EOS, *ids, _EOS] for ids in documents]
        inputs = [row[:-1][:length] for row in rows]
        labels = [row[1:][:length] for row in rows]
        return tuple(
            torch.tensor([row + [0] * (length - len(row)) for row in part])
            for part in (inputs, labels)
        )

    def documents_not_cut(documents, length):
        """You begin a new row where a document does not fit into the rest of one.

        Here a document may be cut: only the last row has padding.
        """
        inputs, labels = [], []
        for ids in documents:
            if inputs and len(inputs) % length + len(ids) + 1 > length:
                gap = -len(inputs) % length
                inputs, labels = inputs + [0] * gap, labels + [0] * gap
            inputs, labels = [*inputs, _EOS, *ids], [*labels, *ids, _EOS]
        return _rows(inputs, length), _rows(labels, length)

    def each_document_filled_up(documents, length):
        """Each of your documents begins a new row, and its last row is filled up.

        Only the last row of all has padding: make one stream first.
        """
        both = [], []
        for ids in documents:
            for part, tokens in zip(both, ([_EOS, *ids], [*ids, _EOS]), strict=True):
                part.extend(tokens + [0] * (-len(tokens) % length))
        return _rows(both[0], length), _rows(both[1], length)

    def documents_cut_off(documents, length):
        """You begin a new row where a document does not fit into the rest of one, and lose what is
        too long for a row.

        Here a document may be cut and go on in the next row: only the last row has padding.
        """
        rows = [([], [])]
        for ids in documents:
            if rows[-1][0] and len(rows[-1][0]) + len(ids) + 1 > length:
                rows.append(([], []))
            rows[-1][0].extend([_EOS, *ids])
            rows[-1][1].extend([*ids, _EOS])
        return tuple(
            torch.tensor([(row[part] + [0] * length)[:length] for row in rows]) for part in (0, 1)
        )

    def last_row_not_filled_up(documents, length):
        """Your function stops where the last row is not full: a tensor needs rows of one length.

        Fill the last row up with 0.
        """
        stream = _stream(documents)
        return tuple(
            torch.tensor([part[start : start + length] for start in range(0, len(part), length)])
            for part in (stream[:-1], stream[1:])
        )

    def view_that_does_not_fit(documents, length):
        """Your function stops where the last row is not full: such a stream cannot be cut evenly.

        Fill it up with 0 first.
        """
        stream = torch.tensor(_stream(documents))
        return stream[:-1].view(-1, length), stream[1:].view(-1, length)

    def padding_in_front(documents, length):
        """The padding of the last row stands in front. It belongs at the end.

        Fill a row up behind its tokens.
        """
        inputs, labels = correct(documents, length)
        real = int((labels[-1] != 0).sum())
        shift = length - real
        inputs[-1], labels[-1] = inputs[-1].roll(shift), labels[-1].roll(shift)
        return inputs, labels

    def padding_before_everything(documents, length):
        """The padding stands at the very beginning. It belongs at the end of the last row.

        Add the zeros behind the tokens.
        """
        stream = _stream(documents)
        gap = [0] * (-(len(stream) - 1) % length)
        return _rows([*gap, *stream[:-1]], length), _rows([*gap, *stream[1:]], length)

    def a_row_of_padding(documents, length):
        """Where the rows come out even, you add a whole row of padding.

        How many zeros are missing if the length is a multiple of `length` already?
        """
        stream = _stream(documents)
        gap = [0] * (length - (len(stream) - 1) % length)
        return _rows([*stream[:-1], *gap], length), _rows([*stream[1:], *gap], length)

    def padded_before_the_shift_with_a_gap(documents, length):
        """You fill the stream up before you shift it: the last <eos> is read where there is room,
        and a row of padding follows where the rows come out even.

        Shift first. How long are inputs and labels then, and how many zeros do they need?
        """
        stream = _stream(documents)
        stream = stream + [0] * (-len(stream) % length)
        return _rows([*stream[:-1], 0], length), _rows([*stream[1:], 0], length)

    def filled_with_eos(documents, length):
        """You filled the last row up with <eos>, and these would be learnt.

        Padding is 0, in both tensors.
        """
        stream = _stream(documents)
        return _rows(stream[:-1], length, _EOS), _rows(stream[1:], length, _EOS)

    def labels_filled_with_minus_100(documents, length):
        """Your labels are filled up with −100. That is PyTorch's number for "ignore"; here padding
        is 0.

        The question says with what a row is filled up.
        """
        stream = _stream(documents)
        return _rows(stream[:-1], length), _rows(stream[1:], length, -100)

    def padded_before_the_shift(documents, length):
        """Where padding begins, <eos> is read.

        You may have padded first and shifted afterwards. What is read where the label is padding?
        """
        stream = _stream(documents)
        labels = _rows(stream[1:], length)
        return torch.tensor([_EOS, *labels.flatten()[:-1].tolist()]).view_as(labels), labels

    def first_tokens_are_not_learnt(documents, length):
        """You take the first token of each document out of the labels.

        It is predicted from the <eos> before it, as it is from <bos> in a row of its own.
        """
        inputs, labels = correct(documents, length)
        return inputs, labels.masked_fill(inputs == _EOS, 0)

    def eos_is_not_learnt(documents, length):
        """You take <eos> out of the labels. The model would never learn to end.

        <eos> is a label like any other.
        """
        inputs, labels = correct(documents, length)
        return inputs, labels.masked_fill(labels == _EOS, 0)

    def columns_for_rows(documents, length):
        """The text runs down your columns. It should run along the rows: (rows, length).

        Which of the two sizes is `length`?
        """
        return tuple(part.T for part in correct(documents, length))

    def text_runs_down(documents, length):
        """The shape is right, but the text runs down your columns.

        Row 0 should have the first `length` positions of the stream.
        """
        both = (part.flatten() for part in correct(documents, length))
        return tuple(part.view(length, -1).T for part in both)

    def as_many_columns(documents, length):
        """Your tensors have `length` rows, and not `length` columns.

        Each row has `length` positions.
        """
        stream = _stream(documents)
        columns = -(-(len(stream) - 1) // length)
        return tuple(
            torch.tensor([*part, *[0] * (length * columns - len(part))]).view(length, columns)
            for part in (stream[:-1], stream[1:])
        )

    def one_row(documents, length):
        """You return the whole stream, without cutting it into rows.

        Row 0 has the first `length` positions, row 1 the next ones.
        """
        stream = _stream(documents)
        return torch.tensor([stream[:-1]]), torch.tensor([stream[1:]])

    def not_cut(documents, length):
        """Your two tensors have one dimension: they are filled up, but not cut into rows.

        The shape is (rows, length).
        """
        return tuple(part.flatten() for part in correct(documents, length))

    def first_row_alone(documents, length):
        """You return only the first row.

        Where does the rest of the stream stand?
        """
        return tuple(part[:1] for part in correct(documents, length))

    def sorted_by_length(documents, length):
        """You sorted the documents by length. They should stay in their order.

        Packing needs no sorting.
        """
        return correct(sorted(documents, key=len), length)

    def empty_documents_left_out(documents, length):
        """You leave out empty documents. An empty one is its <eos> alone.

        Do you ask whether a list is empty?
        """
        return correct([ids for ids in documents if ids], length)

    def overlapping_rows(documents, length):
        """Your rows overlap: each begins with the last position of the row before.

        Each position of the stream is read once and predicted once.
        """
        stream = _stream(documents)
        inputs, labels = stream[:-1], stream[1:]
        starts = range(0, max(len(labels) - 1, 1), max(length - 1, 1))
        return tuple(
            torch.tensor(
                [
                    part[start : start + length]
                    + [0] * (length - len(part[start : start + length]))
                    for start in starts
                ]
            )
            for part in (inputs, labels)
        )


class Right:
    """Right answers, written differently."""

    def one_stream(documents, length):
        """Makes the stream, cuts it and fills it up."""
        stream = [3]
        for ids in documents:
            stream = [*stream, *ids, 3]
        both = []
        for part in (stream[:-1], stream[1:]):
            part = part + [0] * (-len(part) % length)
            both.append(torch.tensor(part).view(-1, length))
        return both[0], both[1]

    def two_streams(documents, length):
        """<eos> in front of what is read, behind what is predicted."""
        inputs = [token for ids in documents for token in (_EOS, *ids)]
        labels = [token for ids in documents for token in (*ids, _EOS)]
        return _rows(inputs, length), _rows(labels, length)

    def pieces_that_share_a_token(documents, length):
        """Cuts pieces of `length` + 1 with one token in common."""
        stream, inputs, labels = _stream(documents), [], []
        for start in range(0, len(stream) - 1, length):
            piece = stream[start : start + length + 1]
            gap = [0] * (length + 1 - len(piece))
            inputs.append([*piece[:-1], *gap])
            labels.append([*piece[1:], *gap])
        return torch.tensor(inputs), torch.tensor(labels)

    def with_torch_split(documents, length):
        """Splits a tensor and pads its parts."""
        parts = [torch.tensor([*ids, _EOS], dtype=torch.long) for ids in documents]
        stream = torch.cat([torch.tensor([_EOS]), *parts])
        return tuple(
            torch.nn.utils.rnn.pad_sequence(
                [
                    torch.nn.functional.pad(row, (0, length - len(row)))
                    for row in part.split(length)
                ],
                batch_first=True,
            )
            for part in (stream[:-1], stream[1:])
        )

    def position_by_position(documents, length):
        """Writes each token where it belongs."""
        stream = _stream(documents)
        rows = -(-(len(stream) - 1) // length)
        inputs = torch.zeros(rows, length, dtype=torch.long)
        labels = inputs.clone()
        for place, (read, predicted) in enumerate(itertools.pairwise(stream)):
            inputs[place // length, place % length] = read
            labels[place // length, place % length] = predicted
        return [inputs, labels]


def _whole_numbers(case: Case, value: Sequence[torch.Tensor]) -> bool:
    return all(part.dtype == torch.long for part in value)


EXERCISE = Exercise(
    id="packed_rows",
    oracle=correct,
    hint="Write the whole stream in one line: <eos>, the first document, <eos>, the next one, "
    "<eos> … The inputs are all of it but the last token, the labels all but the first. Cut both "
    "at the same places.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("both tensors hold ids, of the type torch.long", _whole_numbers),),
)
