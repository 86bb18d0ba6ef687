"""The questions of chapter 1."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.chapters.problem_setup.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _pieces(pieces: list[str]) -> str:
    """The pieces of a word as they are written on paper."""
    return ", ".join(pieces)


def _counted(answer: dict) -> str:
    """How many labels of a batch count in the loss."""
    return str(answer["counted"])


_ONE, _OTHER = {"the", "old", "dog", "sleeps"}, {"the", "old", "dog", "hears", "birds"}
_BOTH, _EITHER = len(_ONE & _OTHER), len(_ONE | _OTHER)

_CUT = _KNOWN["cut"]
_WORD = ("lest", [("e", "s"), ("es", "t"), ("l", "e")])

_IDS = torch.tensor([6, 4, 6, 9, 6])


def _dots(one_hot: Tensor) -> str:
    """How many entries 1 the product of the columns has."""
    return str(int((one_hot.mT @ one_hot == 1).sum()))


_ONE_HOT = _KNOWN["one_hot"]

_BATCH = _KNOWN["batch_shapes"]
_LENGTHS = ([5, 2, 3], [4, 6, 1])

_LONG, _SHORT = [2, 10], [6, 6]
_TOKENS = sum(_LONG) + sum(_SHORT)
_POSITIONS = len(_LONG) * max(_LONG) + len(_SHORT) * max(_SHORT)
_MEAN = (1 - sum(_LONG) / (2 * max(_LONG)) + 1 - sum(_SHORT) / (2 * max(_SHORT))) / 2

_LINES = range(1, 8)
_SLIPPED = list(
    zip(
        [line for line in _LINES if line != 2],
        [line for line in _LINES if line != 6],
        strict=True,
    )
)
_WRONG = sum(source != target for source, target in _SLIPPED)

QUESTIONS = (
    Question(
        "nearly the same sentence",
        "A training sentence is *the old dog sleeps*, a test sentence *the old dog hears birds*. "
        "What is their Jaccard similarity?",
        f"{_BOTH / _EITHER:.2f}",
        f"They share {_BOTH} words: the, old, dog. Together they have {_EITHER} different words.",
        (
            Mistake(
                f"{_BOTH / len(_ONE):.2f}",
                "You divided by the words of the training sentence. The denominator counts the "
                "words that at least one of the two sentences has.",
                "near_duplicates.share_of_the_training_sentence",
            ),
            Mistake(
                f"{_BOTH / len(_OTHER):.2f}",
                "You divided by the words of the test sentence. The denominator counts the words "
                "that at least one of the two sentences has.",
                "near_duplicates.share_of_the_test_sentence",
            ),
            Mistake(
                f"{2 * _BOTH / (len(_ONE) + len(_OTHER)):.2f}",
                "You divided twice the shared words by the words of both sentences together, 4 and "
                "5. The denominator counts a shared word only once.",
                "near_duplicates.twice_over_the_sum",
            ),
        ),
    ),
    Question(
        "order of the merges",
        "Byte pair encoding has learnt three merges, in this order: *e s*, *es t*, *l e*. Into "
        "which pieces does it cut *lest*?",
        _pieces(_CUT.oracle(*_WORD)),
        "The first merge makes l, es, t and the second l, est. When it is the turn of l e, there "
        "is no single e left.",
        (
            mistake_of(
                _CUT,
                "longest_piece_first",
                _WORD,
                _pieces,
                "You took the longest known piece from the left. The merges are applied in the "
                "order in which they were learnt. Which of them takes the e?",
            ),
            mistake_of(
                _CUT,
                "letters_only_joined_once",
                _WORD,
                _pieces,
                "You merged single letters only. A later merge can take a piece that an earlier "
                "one has made.",
            ),
            mistake_of(
                _CUT,
                "whole_or_letters",
                _WORD,
                _pieces,
                "You cut the word into letters because it is not a known piece as a whole. Apply "
                "each merge wherever it fits.",
            ),
        ),
    ),
    Question(
        "same piece, same column",
        "A sentence has five tokens, with the ids 6, 4, 6, 9 and 6. Its one-hot matrix is X, with "
        "a column for each token. How many entries of XᵀX are 1?",
        _dots(_ONE_HOT.oracle(_IDS, 10)),
        "Entry (i, j) is 1 where tokens i and j are the same piece. Id 6 stands at three "
        "positions and gives 3 · 3 ones, the other two tokens give one each.",
        (
            Mistake(
                str(len(_IDS)),
                "You counted the diagonal: each token with itself. Which other pairs of tokens are "
                "the same piece?",
                "one_hot.repeats_have_no_one",
            ),
            Mistake(
                str(len(set(_IDS.tolist()))),
                "That is the number of different pieces. XᵀX has a row and a column for each "
                "token, also for a token that comes again.",
                "one_hot.rows_are_tokens",
            ),
            Mistake(
                str(len(_IDS) ** 2),
                "That is the number of all entries. The columns of two different pieces have "
                "their ones in different rows. What is their dot product?",
                "one_hot.ones_of_all_sentences",
            ),
        ),
    ),
    Question(
        "labels that count",
        "Three sentence pairs form a batch. Without special symbols, the targets have 4, 6 and 1 "
        "tokens. How many labels count in the loss?",
        _counted(_BATCH.oracle(*_LENGTHS)),
        "All 11 tokens are labels, and each of the three targets ends in an <eos> that the model "
        "must learn to write. Padding does not count.",
        (
            mistake_of(
                _BATCH,
                "end_not_counted",
                _LENGTHS,
                _counted,
                "You left <eos> out of the loss, so the model would never learn when to stop. What "
                "should it predict after the last token?",
            ),
            mistake_of(
                _BATCH,
                "all_places_counted",
                _LENGTHS,
                _counted,
                "You counted every position of the labels, padding included. A model should not "
                "learn to write <pad>.",
            ),
            mistake_of(
                _BATCH,
                "both_marks_in_the_count",
                _LENGTHS,
                _counted,
                "You counted two special symbols for each target. The decoder reads <bos> and "
                "never predicts it. Which one is a label?",
            ),
        ),
    ),
    Question(
        "padding of two batches",
        "One batch has sources of 2 and 10 tokens, another has sources of 6 and 6 tokens, `<eos>` "
        "included. What share of all positions of the two batches is padding?",
        f"{1 - _TOKENS / _POSITIONS:.0%}",
        f"The batches have 2 · 10 + 2 · 6 = {_POSITIONS} positions, and {_TOKENS} of them hold "
        f"tokens. The other {_POSITIONS - _TOKENS} are padding.",
        (
            Mistake(
                f"{_MEAN:.0%}",
                "You took the mean of the two batches' own shares. The wide batch has more "
                "positions, so it counts for more.",
                "expected_padding.mean_of_the_shares_of_batches",
            ),
            Mistake(
                f"{_POSITIONS / _TOKENS - 1:.0%}",
                "You divided the padding by the tokens. The share is out of all positions, "
                "padding included.",
                "expected_padding.padding_for_each_token",
            ),
            Mistake(
                f"{_TOKENS / _POSITIONS:.0%}",
                "That is the share of positions that hold a token. Padding is the rest.",
                "expected_padding.share_of_tokens",
            ),
        ),
    ),
    Question(
        "a side that slipped",
        "The English and the Dutch file of a corpus have 7 lines each. Somebody deletes line 2 of "
        "the English file, somebody else line 6 of the Dutch one. You pair what is left, line by "
        "line. How many of the 6 pairs do not match?",
        str(_WRONG),
        "Between the two deleted lines the files are out of step: English 3, 4, 5 and 6 meet "
        "Dutch 2, 3, 4 and 5. After the second deletion they agree again.",
        (
            Mistake(
                "0",
                "The two files still have equally many lines, but that does not make the pairs "
                "match. Which Dutch line now stands beside English line 3?",
                "paired_lines.lengths_compared_after_dropping",
            ),
            Mistake(
                "2",
                "You counted the deleted lines. Each deletion also moves all later lines of its "
                "file up. Write the two lists of line numbers side by side.",
                "paired_lines_lines.gap_is_right",
            ),
            Mistake(
                str(len(_SLIPPED) - 1),
                "You took every pair after the first gap for wrong. What does the second "
                "deletion do to the lines that follow it?",
                "paired_lines.as_given",
            ),
        ),
    ),
)
