"""The exercise ``packed_mask``: who sees whom in a packed row, from its ids alone (C09, C33)."""

from __future__ import annotations

import itertools

import torch

from mtcourse.checks.draw import Draw
from mtcourse.checks.exercise import Exercise, functions_of
from mtcourse.checks.outcomes import Case

_EOS = 3


def cases(draw: Draw) -> list[Case]:
    """One document and several, empty ones, rows that begin in the middle, and padding."""

    def rows(*ends):
        """Rows of 8 tokens, with <eos> at some positions."""
        ids = draw.ids(len(ends), 8, lowest=4, highest=40)
        for row, of_row in zip(ids, ends, strict=True):
            row[list(of_row)] = _EOS
        return ids

    padded = rows((0, 3, 5), (2,))
    padded[1, 6:] = 0
    repeated = torch.tensor([[3, 7, 7, 3, 7, 8, 7], [7, 3, 8, 7, 8, 3, 8]])
    return [
        Case("<eos> a <eos> b c", (torch.tensor([[3, 7, 3, 8, 9]]),), by_hand=True),
        Case("a row that begins in a document", (torch.tensor([[7, 8, 3, 9]]),), by_hand=True),
        Case("one document", (rows((0,)),)),
        Case("three documents and two", (rows((0, 3, 6), (0, 5)),)),
        Case("rows that begin in the middle", (rows((2, 5), (4,), (1, 3, 6)),)),
        Case("an empty document", (rows((0, 3, 4), (2, 3)),)),
        Case("padding at the end", (padded,)),
        Case("the same token in several documents", (repeated,)),
        Case("no <eos> in the row", (rows((), (3,)),)),
    ]


def correct(ids):
    """No later position, and none of another document; <eos> begins a document."""
    return _same(_numbers(ids)) & _triangle(ids)


def _numbers(ids):
    """The number of each position's document within its row."""
    return (ids == _EOS).cumsum(-1)


def _same(number):
    return number[:, :, None] == number[:, None, :]


def _triangle(ids, diagonal=0):
    n = ids.shape[1]
    return torch.ones(n, n, dtype=torch.bool).tril(diagonal)


class Wrong:
    """What learners write, the more particular before the more general."""

    def causal_alone(ids):
        """You return the causal mask: a document sees those before it in its row.

        Which positions belong to the same document?
        """
        return _triangle(ids).expand(len(ids), -1, -1)

    def causal_alone_without_batch(ids):
        """You return one causal mask for all rows. Each row has its own documents.

        The shape is (batch, n, n).
        """
        return _triangle(ids)

    def documents_alone(ids):
        """Within a document, your positions see those after them: the causal mask is missing.

        Both have to hold: j ≤ i, and the same document.
        """
        return _same(_numbers(ids))

    def either_of_both(ids):
        """Your positions see all earlier ones, and also the later ones of their own document.

        A position is seen if it is not later *and* belongs to the same document. Is there an "or",
        or a ≤ where numbers of documents should be equal?
        """
        return _same(_numbers(ids)) | _triangle(ids)

    def eos_belongs_to_the_document_before(ids):
        """You count each <eos> to the document before it. But it is read as the <bos> of the next.

        What does the first token of a document have to be predicted from?
        """
        ends = ids == _EOS
        return _same(ends.cumsum(-1) - ends.long()) & _triangle(ids)

    def eos_belongs_to_both(ids):
        """Your <eos> sees the document before it. Its row predicts the first token of the next one.

        <eos> stands for <bos>: it begins a document, and sees only itself.
        """
        after = _numbers(ids)
        before = after - (ids == _EOS).long()
        return (_same(after) | (before[:, :, None] == after[:, None, :])) & _triangle(ids)

    def eos_is_not_seen(ids):
        """Nothing sees <eos>, not even <eos> itself.

        It stands for <bos>, which each token of the document may see.
        """
        return correct(ids) & (ids != _EOS)[:, None, :]

    def eos_sees_only_itself_and_is_not_seen(ids):
        """Your <eos> sees only itself, and no token sees it.

        It stands for <bos>, which each token of the document may see.
        """
        ends = ids == _EOS
        n = ids.shape[1]
        diagonal = torch.eye(n, dtype=torch.bool)
        return (correct(ids) & ~ends[:, None, :]) | (ends[:, None, :] & diagonal)

    def eos_is_seen_by_all(ids):
        """Every later token sees every <eos>, those of other documents, too.

        A row sees the <eos> that begins its own document, and no other.
        """
        return (_same(_numbers(ids)) | (ids == _EOS)[:, None, :]) & _triangle(ids)

    def eos_sees_all(ids):
        """Your <eos> sees all that stands before it.

        It begins a new document, as <bos> does.
        """
        return (_same(_numbers(ids)) | (ids == _EOS)[:, :, None]) & _triangle(ids)

    def eos_has_an_empty_row(ids):
        """The row of <eos> is empty: it sees nothing at all, which makes NaN in a softmax.

        <eos> sees itself, as <bos> does.
        """
        return correct(ids) & (ids != _EOS)[:, :, None]

    def first_document_alone(ids):
        """You hide the first document from the others, and those from one another not.

        With three documents in a row, what may the third see?
        """
        number = _numbers(ids)
        return _same(number > number[:, :1]) & _triangle(ids)

    def last_document_alone(ids):
        """You separate only the last document from those before it.

        With three documents in a row, what may the second see?
        """
        number = _numbers(ids)
        return _same(number == number[:, -1:]) & _triangle(ids)

    def the_document_before_is_seen(ids):
        """Your documents see the one before them as well.

        Only the same document may be seen.
        """
        number = _numbers(ids)
        return ((number[:, :, None] - number[:, None, :]) <= 1) & _triangle(ids)

    def without_the_diagonal(ids):
        """No position sees itself, and the row of <eos> is empty.

        Row t may attend to its own input: that is token t − 1, and not its answer.
        """
        return _same(_numbers(ids)) & _triangle(ids, -1)

    def one_ahead(ids):
        """Each position also sees the one after it, which is its answer.

        The diagonal is the last that is allowed.
        """
        return _same(_numbers(ids)) & _triangle(ids, 1)

    def later_positions(ids):
        """Your positions see themselves and the *later* ones of their document.

        Row i stands for the query: which j may it see?
        """
        return _same(_numbers(ids)) & _triangle(ids).mT

    def same_token(ids):
        """You compare the tokens themselves: a position sees equal tokens.

        Two positions of one document have different ids. What do they have in common?
        """
        return (ids[:, :, None] == ids[:, None, :]) & _triangle(ids)

    def eos_or_not(ids):
        """You ask whether both positions are <eos>, or both are not. That says nothing about
        documents.

        How many <eos> have been read up to each position?
        """
        return _same(ids == _EOS) & _triangle(ids)

    def own_position_alone(ids):
        """Each position sees only itself.

        Which earlier positions belong to the same document?
        """
        n = ids.shape[1]
        return torch.eye(n, dtype=torch.bool).expand(len(ids), n, n)

    def documents_of_the_first_row(ids):
        """You use the documents of the first row for all rows.

        Each row has its own: keep the batch as the first dimension.
        """
        return (_same(_numbers(ids))[:1] & _triangle(ids)).expand(len(ids), -1, -1)

    def first_row_alone(ids):
        """You return the mask of the first row of the batch only.

        The shape is (batch, n, n).
        """
        return correct(ids)[0]

    def counted_down_the_batch(ids):
        """You count the <eos> from row to row of the batch, and not along a row.

        Along which dimension does a document extend?
        """
        return _same((ids == _EOS).cumsum(0)) & _triangle(ids)

    def hidden_is_true(ids):
        """True and False are the wrong way round: yours is True where attention is hidden.

        True means "may attend".
        """
        return ~correct(ids)

    def one_dimension_for_heads(ids):
        """The values are right, but there is a dimension of size 1 for the heads.

        The question asks for (batch, n, n).
        """
        return correct(ids)[:, None]

    def padding_is_hidden(ids):
        """You hide padding. Here it belongs to the last document of its row.

        Padding stands at the end, and no real token sees it. The question says what becomes of it.
        """
        return correct(ids) & (ids != 0)[:, None, :]

    def padding_has_empty_rows(ids):
        """Your padding sees nothing. Here it belongs to the last document of its row.

        A row of a mask that is False everywhere makes NaN in a softmax.
        """
        return correct(ids) & (ids != 0)[:, :, None]

    def padding_begins_a_document(ids):
        """Your padding is a document of its own. Here it belongs to the last document of its row.

        The question says what becomes of padding.
        """
        number = _numbers(ids).masked_fill(ids == 0, -1)
        return _same(number) & _triangle(ids)

    def each_padding_is_a_document(ids):
        """Each position of padding sees only itself. Here it belongs to the last document of its
        row.

        Which ids begin a document? Padding does not.
        """
        return _same(((ids == _EOS) | (ids == 0)).cumsum(-1)) & _triangle(ids)

    def row_without_eos_sees_nothing(ids):
        """Positions before the first <eos> of a row see nothing.

        A row may begin in the middle of a document. They belong to one another.
        """
        inside = _numbers(ids) > 0
        return correct(ids) & inside[:, :, None]

    def counts_documents(ids):
        """You return numbers of documents, one for each position. A mask is asked for.

        Compare the number of each query with the number of each key.
        """
        return _numbers(ids)

    def boundaries(ids):
        """You return where documents begin. A mask of pairs is asked for.

        Which pairs (i, j) have no beginning between them?
        """
        return ids == _EOS


class Right:
    """Right answers, written differently."""

    def by_numbers(ids):
        """Counts the <eos>, and compares."""
        number = torch.cumsum(ids == 3, dim=1)
        n = ids.shape[1]
        i, j = torch.arange(n)[:, None], torch.arange(n)[None]
        return (number.unsqueeze(2) == number.unsqueeze(1)) & (j <= i)

    def in_loops(ids):
        """For each query, goes back until <eos>."""
        batch, n = ids.shape
        mask = torch.zeros(batch, n, n, dtype=torch.bool)
        for b in range(batch):
            for i in range(n):
                for j in range(i, -1, -1):
                    mask[b, i, j] = True
                    if ids[b, j] == 3:
                        break
        return mask

    def by_the_last_beginning(ids):
        """Position i sees from the last <eos> up to itself."""
        place = torch.arange(ids.shape[1])
        begins = torch.where(ids == 3, place, 0).cummax(-1).values
        return (place >= begins[:, :, None]) & (place <= place[:, None])

    def counted_through_the_batch(ids):
        """Numbers that go on from row to row are as good."""
        number = (ids == 3).flatten().cumsum(0).view_as(ids)
        return (number[:, None, :] == number[:, :, None]).tril()

    def blocks(ids):
        """Puts a triangle on the diagonal for each document."""
        rows = []
        for row in ids.tolist():
            starts = [0, *(k for k in range(1, len(row)) if row[k] == 3), len(row)]
            sizes = [end - start for start, end in itertools.pairwise(starts)]
            rows.append(torch.block_diag(*(torch.ones(s, s).tril() for s in sizes)).bool())
        return torch.stack(rows)


EXERCISE = Exercise(
    id="packed_mask",
    oracle=correct,
    hint="Give each position the number of its document: how many <eos> have been read up to it, "
    "itself included? Position i sees j if their numbers are equal and j is not after i.",
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    cases=cases,
)
