"""The exercise ``which_row``: where a word's alignment stands in the map (C37; chapter 06)."""

from __future__ import annotations

from fractions import Fraction

from mtcourse.checks.exercise import functions_of, Exercise

PIECES, PREDICTS, READS = 1004, 957, 267
"""Pieces of linked Dutch words in the notebook's maps; how many of them look at a linked word."""


def correct():
    """Measured on the first 100 test pairs with the translator that comes with the course."""
    return _answer()


def _answer(predicts=PREDICTS / PIECES, reads=READS / PIECES, better="predicts"):
    return {"predicts": predicts, "reads": reads, "better": better}


class Wrong:
    """What learners write, the more particular before the more general."""

    def without_names():
        """The values may be right, but their names are missing.

        Give a dictionary with the names from the question.
        """
        return [PREDICTS / PIECES, READS / PIECES, "predicts"]

    def conclusion_turned():
        """Both shares are right, but they show the opposite of your conclusion.

        Each share counts agreement. Which of the two is larger?
        """
        return _answer(better="reads")

    def rows_exchanged():
        """You exchanged the two shares.

        Row j predicts piece j. In which row does the decoder read it?
        """
        return _answer(READS / PIECES, PREDICTS / PIECES, "reads")

    def row_above():
        """For the row that reads piece j, you took row j - 1.

        A piece is read *after* it was written, one step later. Later steps have larger row numbers.
        """
        return _answer(reads=244 / PIECES)

    def compared_with_the_next():
        """For "reads", you compare row j + 1 with the links of piece j + 1. Take those of piece j.

        Row j + 1 predicts piece j + 1. Which piece has it just read?
        """
        return _answer(reads=0.9470)

    def counts():
        """Your numbers are counts of pieces. The question asks for shares.

        Divide by the number of pieces that have a link.
        """
        return _answer(PREDICTS, READS)

    def in_percent():
        """Your numbers are percentages.

        Give shares from 0 to 1.
        """
        return _answer(100 * PREDICTS / PIECES, 100 * READS / PIECES)

    def errors():
        """Your shares count the pieces that look at a word which is *not* linked.

        Count how often they agree.
        """
        return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES)

    def errors_compared():
        """Your shares count errors, and you took the larger one for the better.

        Count how often they agree. Of two error rates, the smaller one would be better.
        """
        return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES, "reads")

    def means_of_sentences():
        """You computed the share of each sentence, and then the mean over sentences.

        Count all sentences together, so that each piece counts the same.
        """
        return _answer(0.96095, 0.23500)

    def columns():
        """You let each English word choose a Dutch piece: the largest weight of each column.

        Here each Dutch piece chooses an English word: the largest weight of each row.
        """
        return _answer(0.99377, 0.03861)

    def weight_on_linked():
        """Your numbers are the mean *weight* that the linked words get.

        Count how often the *strongest* word is a linked one.
        """
        return _answer(0.81319, 0.11821)


class Right:
    """Right answers, written differently."""

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
    misconceptions=functions_of(Wrong),
    right=functions_of(Right),
    tolerance=0.0015,
)
