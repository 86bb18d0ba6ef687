"""The questions of chapter 2."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.chapters.embeddings.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor) -> str:
    """A row of numbers as it is written on paper."""
    return ", ".join(f"{value:g}" for value in values.flatten().tolist())


_TABLE = torch.tensor([[8.0, 8.0], [2.0, 0.0], [5.0, 1.0], [4.0, 6.0]])
_MIXTURE = (torch.tensor([[0.0], [0.5], [0.0], [0.5]]), _TABLE)
_PRODUCT = _KNOWN["embed_one_hot"]

_SOURCE, _TARGET, _WIDTH = 3000, 2000, 100

_NAMES = ("A", "B", "C", "D")
_ROWS = torch.tensor([[1.0, 0.0], [4.0, 3.0], [10.0, 24.0], [1.0, 2.0], [-5.0, 0.0]])
_NEAREST = _KNOWN["nearest_rows"]


def _name(ids: Tensor) -> str:
    """The name of the nearest row."""
    return _NAMES[int(ids[0]) - 1]


_STEP = _KNOWN["table_update"]
_BEFORE = torch.full((5, 2), 6.0)
_ARRIVED = torch.tensor([[10.0, 0.0], [20.0, 10.0], [30.0, 30.0]])
_OF_STEP = (_BEFORE, torch.tensor([4, 4, 2]), _ARRIVED, 0.1, 0)


def _row_4(table: Tensor) -> str:
    return _row(torch.round(table[4], decimals=3))


_IDS = torch.tensor([1, 2, 0])
_SQUARE = torch.nn.functional.one_hot(_IDS, 3).mT
_NUMBERS = torch.arange(3)[:, None]

QUESTIONS = (
    Question(
        "half of two tokens",
        "Rows 0 to 3 of a table are (8, 8), (2, 0), (5, 1) and (4, 6). A column of X holds ½ at "
        "the ids 1 and 3, and 0 elsewhere. Which row does the product Xᵀ W_E make of it?",
        _row(_PRODUCT.oracle(*_MIXTURE)),
        "Each entry of the column is a factor: half of (2, 0) plus half of (4, 6), which is the "
        "mean of the two rows.",
        (
            mistake_of(
                _PRODUCT,
                "every_word_in_full",
                _MIXTURE,
                _row,
                "You added both rows in full. The entries of the column are factors: each row "
                "counts for half.",
            ),
            mistake_of(
                _PRODUCT,
                "looked_up_by_the_largest",
                _MIXTURE,
                _row,
                "That is row 1 alone, as in a lookup. The product adds up the rows of all entries "
                "that are not 0.",
            ),
            Mistake(
                _row(_TABLE.mean(0)),
                "That is the mean of all four rows. Which of them does the column multiply by 0?",
                "embed_one_hot.softmax_of_the_columns",
            ),
        ),
    ),
    Question(
        "what tying saves",
        "The source vocabulary has 3,000 tokens, the target vocabulary 2,000, and d is 100. You "
        "tie the output layer to the target table. How many parameters does the model lose?",
        f"{_TARGET * _WIDTH:,}",
        "The output layer had a column of 100 numbers for each of the 2,000 target tokens. Now it "
        "uses the numbers of the target table.",
        (
            Mistake(
                "none",
                "You still count a matrix for each use. The two uses now share one matrix, and it "
                "is stored once.",
                "tied_parameters.tying_saves_nothing",
            ),
            Mistake(
                f"{_SOURCE * _WIDTH:,}",
                "That is the size of the source table. The output layer scores the tokens that "
                "are written. Which vocabulary is that?",
                "tied_parameters.output_as_wide_as_the_source",
            ),
            Mistake(
                f"{_WIDTH * _WIDTH:,}",
                "That is a matrix from d numbers to d numbers. The output layer makes a logit for "
                "each target token.",
                "tied_parameters.squares_of_the_width",
            ),
        ),
    ),
    Question(
        "nearest by cosine",
        "A row of the table is (1, 0). Four others are A = (4, 3), B = (10, 24), C = (1, 2) and "
        "D = (−5, 0). Which of them is its nearest neighbour by cosine?",
        _name(_NEAREST.oracle(_ROWS, 0, 1)),
        "The cosine compares directions alone: it is 4/5 for A, 10/26 for B, 1/√5 for C and −1 "
        "for D.",
        (
            mistake_of(
                _NEAREST,
                "by_dot_product",
                (_ROWS, 0, 1),
                _name,
                "B has the largest dot product, because it is long. Divide each dot product by "
                "the norms of both rows.",
            ),
            mistake_of(
                _NEAREST,
                "by_distance",
                (_ROWS, 0, 1),
                _name,
                "C has the smallest distance. The cosine asks for the angle: which row comes "
                "closest to the direction of (1, 0)?",
            ),
            mistake_of(
                _NEAREST,
                "opposite_counts_as_near",
                (_ROWS, 0, 1),
                _name,
                "D points exactly the opposite way. Its cosine is negative, so it is the farthest "
                "of all.",
            ),
        ),
    ),
    Question(
        "a step for a repeated token",
        "A sentence has the ids 4, 4 and 2. The gradient at its positions is (10, 0), (20, 10) and "
        "(30, 30). Row 4 of the table is (6, 6). What is it after a step of gradient descent with "
        "rate 0.1?",
        _row_4(_STEP.oracle(*_OF_STEP)),
        "Token 4 stands at two positions, and its row gets the sum of both gradients, (30, 10). "
        "The step subtracts a tenth of it.",
        (
            mistake_of(
                _STEP,
                "repeats_left",
                _OF_STEP,
                _row_4,
                "Only the second position of token 4 counts here. That is what an indexed "
                "assignment does. Its row was used at both positions.",
            ),
            mistake_of(
                _STEP,
                "averaged",
                _OF_STEP,
                _row_4,
                "You took the mean over the two positions of token 4. The chain rule adds up: the "
                "loss changes through both of them.",
            ),
            mistake_of(
                _STEP,
                "uphill",
                _OF_STEP,
                _row_4,
                "You added the step, so the loss grows. Training moves the table against the "
                "gradient.",
            ),
        ),
    ),
    Question(
        "a token that does not occur",
        "A translator has three separate tables. A Dutch token does not occur in a sentence pair. "
        "Where does this pair give the token a gradient that is not 0?",
        "only in the output layer",
        "A lookup reaches only the rows that it copies. The softmax divides by a sum over all "
        "tokens, so every logit changes the loss.",
        (
            Mistake(
                "in none of the three tables",
                "That holds for the tables that are looked up. But the token gets a probability at "
                "every position. What becomes of the others if its logit rises?",
                "tied_parameters.output_like_a_lookup",
            ),
            Mistake(
                "in the target table and in the output layer",
                "The token was not looked up in the target table. If a row was not looked up, can "
                "it change the loss?",
                "tied_parameters.all_rows_everywhere",
            ),
            Mistake(
                "in all three tables",
                "The source table holds English tokens, and a lookup reaches only the rows that "
                "it copies. Where does the token matter without being looked up?",
                "tied_parameters.three_of_the_target",
            ),
        ),
    ),
    Question(
        "the transpose is missing",
        "A vocabulary has three tokens, a sentence the ids 1, 2 and 0. Somebody forgets the "
        "transpose and computes X W_E, which runs because X is square. Which rows of the table "
        "come out, in this order?",
        _row(_SQUARE @ _NUMBERS),
        "Row k of X belongs to token k of the vocabulary, and its 1 stands at the token's "
        "position: token 0 is at position 2, token 1 at 0, token 2 at 1.",
        (
            Mistake(
                _row(_SQUARE.mT @ _NUMBERS),
                "These are the rows that Xᵀ W_E gives. Without the transpose, a row of X belongs "
                "to a token of the vocabulary and not to a position.",
                "embed_one_hot.not_transposed",
            ),
            Mistake(
                _row(_NUMBERS),
                "That is the table as it stands, as if X were the identity. Write down X, with "
                "the ones of its columns at the ids 1, 2 and 0.",
                "embed.put_in_order",
            ),
            Mistake(
                _row((_SQUARE.mT @ _NUMBERS).flip(0)),
                "That is the sentence in reverse. A transpose exchanges rows with columns and does "
                "not reverse anything. Write down the three rows of X.",
                "embed_one_hot.reversed_sentence",
            ),
        ),
    ),
)
