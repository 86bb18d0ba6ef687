"""The exercise ``which_row``: where a word's alignment stands in the map (C37; chapter 6)."""

from __future__ import annotations

from fractions import Fraction

import torch

from mtcourse.checks.exercise import Exercise, functions_of

PIECES, PREDICTS, READS = 1004, 957, 267
"""Pieces of linked Dutch words in the notebook's maps; how many of them look at a linked word.

The two strongest words of a row never come so close that rounding could exchange them: they are
0.00016 apart at least.
"""
ALL, LAST, LINKS = 1005, 100, 1146
"""Pieces with and without a link; those that are a sentence's last; links of all pieces."""


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
        """The row that you call better is the one that aligns worse.

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
        return _answer(reads=857 / (PIECES - LAST))

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

        Count the pieces whose strongest word *is* linked.
        """
        return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES)

    def errors_compared():
        """Your shares count errors, and you took the larger one for the better.

        Count the pieces whose strongest word *is* linked. Of two error rates, the smaller one would
        be better.
        """
        return _answer(1 - PREDICTS / PIECES, 1 - READS / PIECES, "reads")

    def means_of_sentences():
        """You computed the share of each sentence, and then the mean over sentences.

        Count all sentences together, so that each piece counts the same.
        """
        return _answer(0.9613631, 0.2351254)

    def columns():
        """You let each English word choose a Dutch piece: the largest weight of each column.

        Here each Dutch piece chooses an English word: the largest weight of each row.
        """
        return _answer(798 / 803, 31 / 803)

    def weight_on_linked():
        """Your numbers are the mean *weight* that the linked words get.

        Count how often the *strongest* word is a linked one.
        """
        return _answer(0.8131946, 0.1182145)

    def all_pieces():
        """You divide by the number of all pieces. One of them has no link.

        The question asks for the pieces that have at least one link. Does your denominator count
        only these?
        """
        return _answer(PREDICTS / ALL, READS / ALL)

    def all_rows():
        """You divide by the number of all rows of the maps, and one row of each map belongs to
        <eos>.

        Count the pieces that have at least one link.
        """
        return _answer(PREDICTS / (ALL + 100), READS / (ALL + 100))

    def by_links():
        """You divide by the number of links. A piece can have several, and its strongest word is
        only one of them.

        The question asks for a share of pieces.
        """
        return _answer(PREDICTS / LINKS, READS / LINKS)

    def by_cells():
        """You divide by the number of cells of the maps.

        The question asks for a share of pieces.
        """
        return _answer(PREDICTS / 8800, READS / 8800)

    def by_sentences():
        """You divide by the number of sentences.

        The question asks for a share of pieces.
        """
        return _answer(PREDICTS / 100, READS / 100)

    def first_map():
        """You measured the first map only.

        There are 100 maps. Does your loop come to an end after the first?
        """
        return _answer(9 / 12, 5 / 12)

    def last_map():
        """You measured the last map only.

        There are 100 maps. Does your loop add up the counts, or overwrite them?
        """
        return _answer(13 / 15, 2 / 15)

    def means_of_sentences_with_all_pieces():
        """You computed the share of each sentence, with all of its pieces, and then the mean over
        sentences.

        Count all sentences together, so that each piece counts the same.
        """
        return _answer(0.9609519, 0.2349955)

    def first_link_only():
        """You compare the strongest word with the first linked word of a piece. A piece can have
        several.

        Is `linked` True at the strongest word?
        """
        return _answer(854 / PIECES, 205 / PIECES)

    def single_links_only():
        """You counted only the pieces that have exactly one link.

        The question asks for pieces with at least one.
        """
        return _answer(835 / 871, 197 / 871)

    def most_of_the_weight():
        """You count a piece if a linked word has more than half of the weight.

        The strongest word may have less than half. Which column is it?
        """
        return _answer(843 / PIECES, 92 / PIECES)

    def most_of_the_weight_together():
        """You count a piece if its linked words have more than half of the weight together.

        The strongest word may have less than half. Which column is it?
        """
        return _answer(854 / PIECES, 97 / PIECES)

    def weight_of_the_strongest_linked():
        """Your numbers are means of the largest *weight* that a linked word gets.

        Count how often the *strongest* word is a linked one.
        """
        return _answer(0.7980173, 0.1118156)

    def weight_for_each_link():
        """Your numbers are the mean weight of a link.

        Count how often the *strongest* word is a linked one.
        """
        return _answer(0.7124323, 0.1035666)

    def weakest():
        """You take the word with the smallest weight of each row.

        Which word does the decoder look at most?
        """
        return _answer(0, 27 / PIECES)

    def whole_sentences():
        """You count sentences in which every piece looks at a linked word.

        The question asks for a share of pieces.
        """
        return _answer(68 / 100, 0)

    def last_piece_lost():
        """In "reads", you leave out the last piece of each sentence.

        The row that has read it predicts <eos>, and it is the last row of `weights`.
        """
        return _answer(reads=198 / (PIECES - LAST))

    def last_piece_missed():
        """In "reads", the last piece of each sentence is never counted as found.

        The row that has read it predicts <eos>, and it is the last row of `weights`.
        """
        return _answer(reads=198 / PIECES)

    def last_piece_lost_of_all():
        """In "reads", you leave out the last piece of each sentence, and you count a piece without
        a link.

        The row that has read it predicts <eos>, and it is the last row of `weights`.
        """
        return _answer(reads=198 / (ALL - LAST))

    def row_above_without_the_first():
        """For the row that has read piece j, you took row j - 1, and left out the first piece.

        A piece is read *after* it was written, one step later. Later steps have larger row numbers.
        """
        return _answer(reads=237 / (PIECES - LAST))

    def row_above_and_missed():
        """For the row that has read piece j, you took row j - 1, and the first piece never counts
        as found.

        A piece is read *after* it was written, one step later. Later steps have larger row numbers.
        """
        return _answer(reads=237 / PIECES)

    def compared_with_the_next_of_all():
        """For "reads", you compare row j + 1 with the links of piece j + 1, and count pieces
        without a link, too.

        Row j + 1 predicts piece j + 1. Which piece has it just read?
        """
        return _answer(reads=857 / (ALL - LAST))

    def compared_with_the_next_missed():
        """For "reads", you compare row j + 1 with the links of piece j + 1, and the first piece
        never counts as found.

        Row j + 1 predicts piece j + 1. Which piece has it just read?
        """
        return _answer(reads=857 / PIECES)

    def two_rows_on():
        """For "reads", you took row j + 2.

        Row j predicts piece j. Which row is the next one?
        """
        return _answer(reads=161 / (PIECES - LAST))

    def two_rows_on_missed():
        """For "reads", you took row j + 2, and the last pieces never count as found.

        Row j predicts piece j. Which row is the next one?
        """
        return _answer(reads=161 / PIECES)

    def same_row_twice():
        """For "reads", you measured the row that predicts the piece.

        The piece is read one step later. In which row?
        """
        return _answer(reads=PREDICTS / PIECES)

    def reading_row_twice():
        """For "predicts", you measured the row that has read the piece.

        In which row is piece j predicted?
        """
        return _answer(predicts=READS / PIECES)

    def two_decimals():
        """You rounded the shares to two decimals.

        Give them as they are computed.
        """
        return _answer(0.95, 0.27)

    def one_decimal():
        """You rounded the shares to one decimal.

        Give them as they are computed.
        """
        return _answer(1.0, 0.3)

    def cut_decimals():
        """You cut the shares off after two decimals.

        Give them as they are computed.
        """
        return _answer(0.95, 0.26)

    def better_as_a_number():
        """For "better", you give a share.

        The question asks for a word, "predicts" or "reads".
        """
        return _answer(better=PREDICTS / PIECES)

    def better_as_true():
        """For "better", you give True or 1.

        The question asks for a word, "predicts" or "reads".
        """
        return _answer(better=True)

    def better_as_false():
        """For "better", you give False or 0.

        The question asks for a word, "predicts" or "reads".
        """
        return _answer(better=False)


class Right:
    """Right answers, written differently."""

    def rounded():
        """To four decimals."""
        return _answer(0.9532, 0.2659)

    def as_fractions():
        """From whole numbers."""
        return _answer(float(Fraction(957, 1004)), float(Fraction(267, 1004)))

    def as_numbers_of_torch():
        """Counted with tensors."""
        predicts, reads = torch.tensor([PREDICTS, READS]) / PIECES
        return _answer(predicts, reads)

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
    tolerance=4e-5,
)
