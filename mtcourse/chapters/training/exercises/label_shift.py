"""The exercise ``label_shift``: what a batch of sentences is read and predicted as (C07, C35)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, Rule, functions_of
from mtcourse.checks.outcomes import Case


def cases(draw: Draw) -> list[Case]:
    """Sentences of one and of several lengths, an empty one, and other ids for the symbols."""

    def sentences(*lengths):
        return [draw.ids(length, lowest=5, highest=60).tolist() for length in lengths]

    return [
        Case("one sentence", ([[7, 8, 9]], 2, 3, 0), by_hand=True),
        Case("two sentences, one shorter", ([[7, 8, 9], [5]], 2, 3, 0), by_hand=True),
        Case("two sentences of one length", (sentences(4, 4), 2, 3, 0)),
        Case("the shorter sentence first", (sentences(2, 5), 2, 3, 0)),
        Case("an empty sentence", (sentences(3, 0, 2), 2, 3, 0)),
        Case("4 sentences", (sentences(6, 3, 7, 1), 2, 3, 0)),
        Case("other ids for the symbols", (sentences(3, 5, 4), 1, 61, 62)),
        Case("<bos> is 0 and padding 1", (sentences(5, 2), 0, 4, 1)),
    ]


def _padded(rows, pad):
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[pad] * (longest - len(row))] for row in rows])


def correct(sentences, bos, eos, pad):
    """<bos> in front of what is read, <eos> behind what is predicted, padding behind both."""
    read = _padded([[bos, *sentence] for sentence in sentences], pad)
    labels = _padded([[*sentence, eos] for sentence in sentences], pad)
    return read, labels


def _first_column(labels, symbol):
    return torch.full_like(labels[:, :1], symbol)


class Wrong:
    """What learners write, the more particular before the more general."""

    def appends_to_the_sentences(sentences, bos, eos, pad):
        """Both tensors are right, but your function changes the sentences it was given.

        `append` and `insert` change a list. `[*sentence, eos]` makes a new one.
        """
        result = correct(sentences, bos, eos, pad)
        for sentence in sentences:
            sentence.append(eos)
        return result

    def as_lists(sentences, bos, eos, pad):
        """The numbers are right, but they stand in lists. Return two tensors.

        `torch.tensor` makes a tensor of rows that are equally long.
        """
        return tuple(part.tolist() for part in correct(sentences, bos, eos, pad))

    def stacked(sentences, bos, eos, pad):
        """The numbers are right, but both parts are stacked in one tensor.

        Return the two tensors, separated by a comma.
        """
        return torch.stack(correct(sentences, bos, eos, pad))

    def not_shifted(sentences, bos, eos, pad):
        """You return the labels twice: each position reads the token that it has to predict.

        What may position j read, if it has to predict token j?
        """
        labels = correct(sentences, bos, eos, pad)[1]
        return labels.clone(), labels

    def not_shifted_the_other_way(sentences, bos, eos, pad):
        """You return what is read twice: each position has to predict the token that it reads.

        <eos> is predicted, and <bos> is only read. What does the first position predict?
        """
        read = correct(sentences, bos, eos, pad)[0]
        return read, read.clone()

    def shifted_left(sentences, bos, eos, pad):
        """You moved the labels to the left, so that position j reads token j + 1.

        Position j predicts token j. It may read neither that token nor the one after it.
        """
        labels = correct(sentences, bos, eos, pad)[1]
        return torch.cat([labels[:, 1:], _first_column(labels, pad)], 1), labels

    def cut_after_padding(sentences, bos, eos, pad):
        """In shorter sentences, what is read ends with <eos>, where padding should begin.

        You may have padded first and cut off the last column afterwards. What is the last token of
        a shorter sentence then?
        """
        whole = _padded([[bos, *sentence, eos] for sentence in sentences], pad)
        return whole[:, :-1], whole[:, 1:]

    def cut_after_padding_with_zeros(sentences, bos, eos, pad):
        """In shorter sentences, what is read ends with <eos>, where padding should begin. And you
        filled up with 0, whatever `pad` is.

        You may have padded first and cut off the last column afterwards. With which number does
        your function pad?
        """
        return Wrong.cut_after_padding(sentences, bos, eos, 0)

    def columns_for_rows(sentences, bos, eos, pad):
        """Your sentences stand in columns. They should stand in rows: (batch, m).

        `pad_sequence` has an argument for this.
        """
        return tuple(part.T for part in correct(sentences, bos, eos, pad))

    def whole_rows(sentences, bos, eos, pad):
        """Your decoder reads <eos> as well, so what is read has one position too many.

        Each position reads one token and predicts one. What would the position predict that has
        read <eos>?
        """
        read = _padded([[bos, *sentence, eos] for sentence in sentences], pad)
        return read, correct(sentences, bos, eos, pad)[1]

    def both_symbols_in_both(sentences, bos, eos, pad):
        """Both of your tensors hold <bos>, the sentence and <eos>: nothing is shifted.

        <bos> is never predicted, and <eos> is never read.
        """
        whole = _padded([[bos, *sentence, eos] for sentence in sentences], pad)
        return whole, whole.clone()

    def bos_is_a_label(sentences, bos, eos, pad):
        """Your labels begin with <bos>, so the decoder has to predict it from itself.

        What is the first token that a decoder predicts?
        """
        labels = _padded([[bos, *sentence, eos] for sentence in sentences], pad)
        read = _padded([[bos, bos, *sentence] for sentence in sentences], pad)
        return read, labels

    def bos_for_the_first_token(sentences, bos, eos, pad):
        """You overwrote the first token with <bos> and moved nothing: from the second position on,
        each reads the token that it has to predict.

        <bos> is an additional token in front of the sentence.
        """
        labels = correct(sentences, bos, eos, pad)[1]
        read = labels.clone()
        read[:, 0] = bos
        return read, labels

    def rolled(sentences, bos, eos, pad):
        """You rolled the labels round: what stood in their last column is now read first.

        Which symbol tells the decoder that nothing has been written yet?
        """
        labels = correct(sentences, bos, eos, pad)[1]
        return labels.roll(1, -1), labels

    def rolled_per_sentence(sentences, bos, eos, pad):
        """You read <eos> first. Here a decoder begins with <bos>, whose id is the second argument.

        Some models begin with <eos>. Which one does the question ask for?
        """
        read = _padded([[eos, *sentence] for sentence in sentences], pad)
        return read, correct(sentences, bos, eos, pad)[1]

    def rolled_per_sentence_over_padding(sentences, bos, eos, pad):
        """You read <eos> first, and in shorter sentences once more, in the first position of
        padding.

        Which symbol begins a sentence? And what is read where the label is padding?
        """
        labels = correct(sentences, bos, eos, pad)[1]
        return torch.cat([_first_column(labels, eos), labels[:, :-1]], 1), labels

    def padding_in_front(sentences, bos, eos, pad):
        """The sentences moved to the right, but padding stands in front instead of <bos>.

        Which symbol tells the decoder that nothing has been written yet?
        """
        read = _padded([[pad, *sentence] for sentence in sentences], pad)
        return read, correct(sentences, bos, eos, pad)[1]

    def padding_in_front_and_eos_read(sentences, bos, eos, pad):
        """Padding stands in front instead of <bos>, and in shorter sentences <eos> is read.

        Which symbol begins a sentence? And what is read where the label is padding?
        """
        labels = correct(sentences, bos, eos, pad)[1]
        return torch.cat([_first_column(labels, pad), labels[:, :-1]], 1), labels

    def no_eos(sentences, bos, eos, pad):
        """Your labels have no <eos>. The model would never learn where a sentence ends.

        A sentence of three tokens gives four predictions. What is the fourth?
        """
        read = _padded([[bos, *sentence[:-1]] for sentence in sentences], pad)
        return read, _padded(sentences, pad)

    def no_eos_but_all_read(sentences, bos, eos, pad):
        """Your labels have no <eos>, and so they are shorter than what is read.

        What should the position predict that has read the whole sentence?
        """
        read = _padded([[bos, *sentence] for sentence in sentences], pad)
        return read, _padded(sentences, pad)

    def no_eos_but_padding(sentences, bos, eos, pad):
        """Your labels have padding where <eos> belongs. The model would never learn to end.

        What should the position predict that has read the whole sentence?
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read, labels.masked_fill(labels == eos, pad)

    def eos_behind_the_padding(sentences, bos, eos, pad):
        """You put <eos> behind the padding, into the last column of the labels.

        A sentence ends directly after its last token. Add <eos> before you pad.
        """
        padded = _padded(sentences, pad)
        labels = torch.cat([padded, _first_column(padded, eos)], 1)
        return correct(sentences, bos, eos, pad)[0], labels

    def eos_behind_the_padding_and_read(sentences, bos, eos, pad):
        """You made the labels longer by a column of <eos>, behind the padding, and shifted them
        with their padding.

        A sentence ends directly after its last token. Add <eos> before you pad.
        """
        padded = _padded(sentences, pad)
        labels = torch.cat([padded, _first_column(padded, eos)], 1)
        return torch.cat([_first_column(padded, bos), labels[:, :-1]], 1)[:, :-1], labels

    def last_token_not_read(sentences, bos, eos, pad):
        """The position that predicts <eos> reads padding. It should read the sentence's last token.

        Padding belongs where the *label* is padding, and <eos> is a label like any other.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read.masked_fill((labels == eos).cumsum(-1) * (read != bos) > 0, pad), labels

    def shifted_twice(sentences, bos, eos, pad):
        """You shifted twice: position j reads the tokens up to j − 2, and <bos> stands there twice.

        Does a part of your code get a row that begins with <bos> already?
        """
        read, labels = correct(sentences, bos, eos, pad)
        twice = torch.cat([_first_column(read, bos), read[:, :-1]], 1)
        return twice.masked_fill(labels == pad, pad), labels

    def shifted_as_one_row(sentences, bos, eos, pad):
        """You shifted the batch as one long row, so each sentence begins with what ended the one
        before it.

        Every sentence begins with <bos>.
        """
        labels = correct(sentences, bos, eos, pad)[1]
        flat = torch.cat([torch.tensor([bos]), labels.flatten()[:-1]])
        return flat.view_as(labels), labels

    def padded_in_front(sentences, bos, eos, pad):
        """You put the padding in front of the sentences. It belongs behind them.

        In which column does a sentence begin?
        """

        def right_aligned(rows):
            longest = max(map(len, rows))
            return torch.tensor([[*[pad] * (longest - len(row)), *row] for row in rows])

        read = right_aligned([[bos, *sentence] for sentence in sentences])
        return read, right_aligned([[*sentence, eos] for sentence in sentences])

    def filled_with_eos(sentences, bos, eos, pad):
        """You filled the labels up with <eos>. Padding is not to be learnt, so it has an id of its
        own.

        <eos> stands once in each row of the labels. Behind it comes `pad`.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read, labels.masked_fill(labels == pad, eos)

    def filled_with_eos_in_both(sentences, bos, eos, pad):
        """You filled both tensors up with <eos>, as if it were padding.

        Behind the end of a sentence comes `pad`, the fourth argument.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return tuple(part.masked_fill(labels == pad, eos) for part in (read, labels))

    def read_is_filled_with_eos(sentences, bos, eos, pad):
        """You filled what is read up with <eos>. It should be padding, as in the labels.

        The decoder never reads <eos>.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read.masked_fill(labels == pad, eos), labels

    def read_is_filled_with_bos(sentences, bos, eos, pad):
        """You filled what is read up with <bos>. It should be padding, as in the labels.

        <bos> stands once in each row.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read.masked_fill(labels == pad, bos), labels

    def filled_with_zeros(sentences, bos, eos, pad):
        """You filled up with 0, whatever `pad` is.

        The fourth argument says which id is padding.
        """
        return correct(sentences, bos, eos, 0)

    def filled_with_minus_100(sentences, bos, eos, pad):
        """Your labels are filled up with −100. That is PyTorch's number for "ignore"; here padding
        has the id `pad`.

        The fourth argument says which id is padding.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read, labels.masked_fill(labels == pad, -100)

    def symbols_of_the_package(sentences, bos, eos, pad):
        """You used the ids 2, 3 and 0 for the symbols, whatever the arguments are.

        The last three arguments say which ids they are.
        """
        return correct(sentences, 2, 3, 0)

    def bos_and_eos_exchanged(sentences, bos, eos, pad):
        """You exchanged <bos> and <eos>.

        <bos> is the beginning of a sentence, <eos> is its end.
        """
        return correct(sentences, eos, bos, pad)

    def cut_to_the_shortest(sentences, bos, eos, pad):
        """You cut all sentences to the length of the shortest.

        `zip` stops with the shortest. The shorter sentences should be filled up instead.
        """
        shortest = min(map(len, sentences)) + 1
        return tuple(part[:, :shortest] for part in correct(sentences, bos, eos, pad))

    def as_long_as_the_first(sentences, bos, eos, pad):
        """You took the first sentence's length for the whole batch, and cut longer sentences.

        How many columns does the longest sentence need?
        """
        rows = [[*sentence, eos] for sentence in sentences]
        width = len(rows[0])
        labels = torch.tensor([(row + [pad] * width)[:width] for row in rows])
        rows = [[bos, *sentence] for sentence in sentences]
        return torch.tensor([(row + [pad] * width)[:width] for row in rows]), labels

    def empty_sentences_left_out(sentences, bos, eos, pad):
        """You left out the empty sentence. It has a row, too: from <bos>, it predicts <eos>.

        Is there an `if sentence` in your code?
        """
        return correct([sentence for sentence in sentences if sentence], bos, eos, pad)

    def a_column_too_many(sentences, bos, eos, pad):
        """You have a column of padding too many at the end.

        How many predictions does the longest sentence need?
        """
        parts = correct(sentences, bos, eos, pad)
        return tuple(torch.cat([part, _first_column(part, pad)], 1) for part in parts)

    def longest_first(sentences, bos, eos, pad):
        """You sorted the sentences by length. They should stay in their order.

        Row i belongs to sentence i.
        """
        return correct(sorted(sentences, key=len, reverse=True), bos, eos, pad)

    def reversed_sentences(sentences, bos, eos, pad):
        """Your sentences are reversed.

        Position j reads the tokens before token j, in their order.
        """
        return correct([sentence[::-1] for sentence in sentences], bos, eos, pad)

    def labels_shifted(sentences, bos, eos, pad):
        """You moved the labels to the left as well: position j has to predict token j + 1, whose
        predecessor it has not read.

        Only one of the two is moved. Position j reads up to token j − 1 and predicts token j.
        """
        read, labels = correct(sentences, bos, eos, pad)
        return read, torch.cat([labels[:, 1:], _first_column(labels, pad)], 1)

    def not_padded(sentences, bos, eos, pad):
        """Your function stops where sentences have different lengths. `torch.tensor` needs rows of
        one length.

        Fill shorter rows up with `pad` before you make the tensor.
        """
        read = torch.tensor([[bos, *sentence] for sentence in sentences])
        return read, torch.tensor([[*sentence, eos] for sentence in sentences])

    def not_padded_but_stacked(sentences, bos, eos, pad):
        """Your function stops where sentences have different lengths. `torch.stack` needs tensors
        of one length.

        Fill shorter rows up with `pad` before you stack them.
        """
        read = torch.stack([torch.tensor([bos, *sentence]) for sentence in sentences])
        return read, torch.stack([torch.tensor([*sentence, eos]) for sentence in sentences])

    def one_column_short(sentences, bos, eos, pad):
        """Your tensors have a column too few: the longest sentence has no <eos> in its labels, and
        its last token is not read.

        How many labels does a sentence of three tokens have?
        """
        return tuple(part[:, :-1] for part in correct(sentences, bos, eos, pad))

    def no_room_for_eos(sentences, bos, eos, pad):
        """Your function stops with an IndexError on every input. If the index is that of a column,
        your tensors are too narrow for <eos>, or for the last token that is read.

        How many columns does the longest sentence need? It has a label more than it has tokens.
        """
        width = max(map(len, sentences))
        labels = torch.full((len(sentences), width), pad)
        for row, sentence in zip(labels, sentences, strict=True):
            row[len(sentence)] = eos
        return labels, labels

    def longest_by_its_numbers(sentences, bos, eos, pad):
        """Your function stops where the longest sentence is not the one with the largest numbers.

        `max(sentences)` compares lists number by number, as a dictionary compares words. The
        longest is `max(sentences, key=len)`.
        """
        width = len(max(sentences)) + 1
        rows = [[*sentence, eos] + [pad] * (width - len(sentence) - 1) for sentence in sentences]
        torch.tensor(rows)
        return correct(sentences, bos, eos, pad)

    def lists_of_different_lengths(sentences, bos, eos, pad):
        """You return lists of different lengths, without padding. Return two tensors.

        A tensor has rows of one length. Fill shorter ones up with `pad`.
        """
        read = [[bos, *sentence] for sentence in sentences]
        return read, [[*sentence, eos] for sentence in sentences]

    def one_row_each(sentences, bos, eos, pad):
        """You return a list of rows of different lengths, without padding.

        A tensor has rows of one length. Fill shorter ones up with `pad`.
        """
        read = [torch.tensor([bos, *sentence]) for sentence in sentences]
        return read, [torch.tensor([*sentence, eos]) for sentence in sentences]


class Right:
    """Right answers, written differently."""

    def shifted_and_masked(sentences, bos, eos, pad):
        """Pads the labels, shifts them, and puts padding where the labels have it."""
        labels = torch.full((len(sentences), max(map(len, sentences)) + 1), pad)
        for row, sentence in zip(labels, sentences, strict=True):
            row[: len(sentence)] = torch.tensor(sentence, dtype=torch.long)
            row[len(sentence)] = eos
        front = torch.full((len(sentences), 1), bos)
        return torch.cat([front, labels[:, :-1]], dim=1).masked_fill(labels == pad, pad), labels

    def with_pad_sequence(sentences, bos, eos, pad):
        """Lets torch pad."""
        rows = [torch.tensor([bos, *sentence, eos]) for sentence in sentences]
        fill = torch.nn.utils.rnn.pad_sequence
        read = fill([row[:-1] for row in rows], batch_first=True, padding_value=pad)
        return read, fill([row[1:] for row in rows], batch_first=True, padding_value=pad)

    def with_zip_longest(sentences, bos, eos, pad):
        """Fills up column by column."""
        reads, labels = ([bos, *s] for s in sentences), ([*s, eos] for s in sentences)
        columns = (list(itertools.zip_longest(*rows, fillvalue=pad)) for rows in (reads, labels))
        return tuple(torch.tensor(part).T for part in columns)

    def number_by_number(sentences, bos, eos, pad):
        """Writes each number into its place."""
        m = 1 + max(len(sentence) for sentence in sentences)
        read, labels = torch.zeros(2, len(sentences), m, dtype=torch.long) + pad
        for i, sentence in enumerate(sentences):
            read[i, 0], labels[i, len(sentence)] = bos, eos
            for j, token in enumerate(sentence):
                read[i, j + 1] = token
                labels[i, j] = token
        return read, labels

    def with_eos_removed(sentences, bos, eos, pad):
        """Pads whole rows, and takes <eos> out of what is read."""
        longest = max(map(len, sentences)) + 2
        whole = torch.tensor([[bos, *s, eos] + [pad] * (longest - len(s) - 2) for s in sentences])
        read = whole[:, :-1]
        return torch.where(read == eos, pad, read), whole[:, 1:]

    def list_of_two(sentences, bos, eos, pad):
        """Returns a list of both, made with a shift of flipped rows."""
        lengths = torch.tensor([len(s) for s in sentences])
        labels = _padded([[*s, eos] for s in sentences], pad)
        places = torch.arange(labels.shape[1])
        read = torch.roll(labels, 1, dims=1)
        read[:, 0] = bos
        return [torch.where(places <= lengths[:, None], read, pad), labels]


def _whole_numbers(case: Case, value: Sequence[torch.Tensor]) -> bool:
    return all(part.dtype == torch.long for part in value)


EXERCISE = Exercise(
    id="label_shift",
    oracle=correct,
    hint="Write both rows of one sentence under each other. Under each token that is predicted "
    "stands the one before it; under the first, <bos>; under padding, padding. Where is <eos>?",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
    rules=(Rule("both tensors hold ids, of the type torch.long", _whole_numbers),),
)
