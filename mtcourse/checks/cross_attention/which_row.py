"""The exercise ``which_row``: where a word's alignment stands in the map (C37; chapter 06)."""

from __future__ import annotations

from fractions import Fraction

from mtcourse.checks.exercise import Exercise

PIECES, PREDICTS, READS = 1004, 957, 267
"""Pieces of linked Dutch words in the notebook's maps; how many of them look at a linked word."""


def correct():
    """Measured on the first 100 test pairs with the translator that comes with the course."""
    return _answer()


def _answer(predicts=PREDICTS / PIECES, reads=READS / PIECES, better="predicts"):
    return {"predicts": predicts, "reads": reads, "better": better}


# --- wrong ---------------------------------------------------------------------------------------


def without_names():
    """The values may be right, but their names are missing.

    A dictionary is asked for, with the names of the question.
    """
    return [PREDICTS / PIECES, READS / PIECES, "predicts"]


def conclusion_turned():
    """Both shares are right, but your conclusion is the opposite of what they say.

    A share counts agreement. Which of the two is larger?
    """
    return _answer(better="reads")


def rows_exchanged():
    """The two shares have changed places.

    Row j predicts piece j. In which row does the decoder read it?
    """
    return _answer(READS / PIECES, PREDICTS / PIECES, "reads")


def row_above():
    """For the row that reads a piece you took the row above its own.

    A piece is read *after* it was written, one step later. Rows go down as time goes on.
    """
    return _answer(reads=244 / PIECES)


def compared_with_the_next():
    """You moved the links down together with the rows: the row below, and the next piece's links.

    Then the row is compared with the piece that it predicts, as before. Asked for is the piece that
    it has read.
    """
    return _answer(reads=0.9470)


def counts():
    """These are numbers of pieces. Asked for are shares of them.

    Divide by the number of pieces that have a link.
    """
    return _answer(PREDICTS, READS)


def in_percent():
    """These are percent.

    Asked for are shares, from 0 to 1.
    """
    return _answer(100 * PREDICTS / PIECES, 100 * READS / PIECES)


def errors():
    """These are shares of pieces that look at a word which is *not* linked.

    Asked for is how often they agree.
    """
    return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES)


def errors_compared():
    """These are shares of errors, and you took the larger for the better.

    Asked for is how often they agree. With errors, less is better.
    """
    return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES, "reads")


def means_of_sentences():
    """You took the share of each sentence, and then the mean over sentences.

    Count all sentences together: a long one has more to say than a short one.
    """
    return _answer(0.96095, 0.23500)


def columns():
    """You let each English word choose a Dutch piece: the largest of each column.

    Here each Dutch piece chooses an English word: the largest of each row.
    """
    return _answer(0.99377, 0.03861)


def weight_on_linked():
    """This is the mean *weight* that the linked words get.

    Asked for is how often the *strongest* word is a linked one.
    """
    return _answer(0.81319, 0.11821)


# --- right ---------------------------------------------------------------------------------------


def rounded():
    """To four decimals."""
    return _answer(0.9532, 0.2659)


def as_fractions():
    """From whole numbers."""
    return _answer(float(Fraction(957, 1004)), float(Fraction(267, 1004)))


def one_piece_fewer():
    """Another processor may round one tie another way."""
    return _answer((PREDICTS - 1) / PIECES, (READS + 1) / PIECES)


def in_another_order():
    """With the names in another order."""
    return {"better": "predicts", "reads": 0.26594, "predicts": 0.95319}


EXERCISE = Exercise(
    id="which_row",
    oracle=correct,
    hint="For each piece of a linked word: is its strongest English word linked with it? Count "
    "over all maps, once for row j and once for row j + 1, and divide by the number of pieces.",
    misconceptions=(
        without_names,
        conclusion_turned,
        rows_exchanged,
        row_above,
        compared_with_the_next,
        counts,
        in_percent,
        errors,
        errors_compared,
        means_of_sentences,
        columns,
        weight_on_linked,
    ),
    right=(rounded, as_fractions, one_piece_fewer, in_another_order),
    tolerance=0.0015,
)
