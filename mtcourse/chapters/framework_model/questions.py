"""The questions of chapter 7."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.chapters.framework_model.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor) -> str:
    """A row of numbers as it is written on paper."""
    return ", ".join(f"{value:g}" for value in values.flatten().tolist()).replace("-", "−")


_NETWORK = _KNOWN["feed_forward"]
_SMALL = (
    torch.tensor([[1.0, 2.0]]),
    torch.tensor([[1.0, 0.0], [1.0, -1.0]]),
    torch.tensor([[1.0, 1.0], [1.0, 2.0]]),
)

_MORE, _WIDTH = 100, 64

_LENGTH, _REPLACED = 6, 4

_WORDS = ("<pad>", "de", "<bos>", "<eos>", "hond", "slaapt", "nu")
_SENTENCE = ("de", "hond", "slaapt", "nu", "<eos>")
_LABELS = (torch.tensor([[_WORDS.index(word) for word in _SENTENCE]]), 2, 0)
_INPUT = _KNOWN["decoder_input"]


def _read(inputs: Tensor) -> str:
    """What the row that predicts the third word has read."""
    return " ".join(_WORDS[number] for number in inputs[0, :3].tolist())


_SAME = _KNOWN["same_prediction"]
_PREFIX = ["<bos>", "de", "hond", "ziet", "de", "hond"]
_OTHERS = (
    "<bos> hond de ziet de hond",
    "<bos> hond ziet hond de de",
    "<bos> de ziet hond",
    "<bos> de man ziet de hond",
)


def _cannot_be_told_apart() -> str:
    """The prefix after which the next word must be predicted in the same way."""
    (same,) = [other for other in _OTHERS if _SAME.oracle(_PREFIX, other.split())]
    return same


_LABELS_OF_LEFT = 5

QUESTIONS = (
    Question(
        "a row through the network",
        "A row of A W₁ is (3, −2). W₂ has the rows (1, 1) and (1, 2). Which row does the network "
        "ReLU(A W₁) W₂ make?",
        _row(_NETWORK.oracle(*_SMALL)),
        "The ReLU makes (3, 0) of the row. Then 3 · (1, 1) + 0 · (1, 2) = (3, 3).",
        (
            mistake_of(
                _NETWORK,
                "no_relu",
                _SMALL,
                _row,
                "You left out the ReLU: −2 went into the second product. What does max(0, z) make "
                "of it?",
            ),
            mistake_of(
                _NETWORK,
                "relu_at_the_end",
                _SMALL,
                _row,
                "You applied the ReLU after the second matrix. Look at the brackets: what goes "
                "into it?",
            ),
            mistake_of(
                _NETWORK,
                "absolute_values",
                _SMALL,
                _row,
                "You dropped the sign of −2. A ReLU does not turn negative numbers into positive "
                "ones.",
            ),
        ),
    ),
    Question(
        "a larger target vocabulary",
        f"Document A's model gets {_MORE} more target words. Its width d is {_WIDTH}. How many "
        "more numbers does it have to learn?",
        f"{2 * _MORE * _WIDTH:,}",
        "Each new word gets a row of the target's table and a column of W_O, each of 64 numbers. "
        "The thirteen square matrices stay as they are.",
        (
            Mistake(
                f"{_MORE * _WIDTH:,}",
                "You counted one matrix for the target words. The decoder reads words and also "
                "scores them, and document A shares nothing between the two.",
                "parameters.tied",
            ),
            Mistake(
                f"{3 * _MORE * _WIDTH:,}",
                "You counted three matrices. Which of the two tables and W_O has nothing to do "
                "with target words?",
                "parameters.three_tables",
            ),
            Mistake(
                f"{2 * _MORE:,}",
                "You found the right two matrices, but counted rows and columns. How many numbers "
                "does each of them hold?",
                "parameters.words_counted",
            ),
        ),
    ),
    Question(
        "what a row has read",
        "The labels of a sentence are *de hond slaapt nu* `<eos>`. The target is shifted as it "
        "should be. What has the row read that predicts *slaapt*?",
        _read(_INPUT.oracle(*_LABELS)),
        "The inputs are the labels moved right by one position, with <bos> in front. Row 3 has "
        "read the first three of them.",
        (
            mistake_of(
                _INPUT,
                "not_shifted",
                _LABELS,
                _read,
                "These are the labels, as in the printed model. This row would have read the word "
                "that it predicts.",
            ),
            mistake_of(
                _INPUT,
                "first_word_replaced",
                _LABELS,
                _read,
                "<bos> took the place of the first word, and nothing moved. Has this row read the "
                "word that it predicts?",
            ),
            mistake_of(
                _INPUT,
                "moved_by_two",
                _LABELS,
                _read,
                "The target moved by two positions. The row should know every word before its own.",
            ),
        ),
    ),
    Question(
        "rows that move",
        f"A target has {_LENGTH} words. You replace word {_REPLACED} by another, and compare the "
        f"{_LENGTH} rows of predictions before and after. In the model with the shift, how many "
        "of them can change?",
        str(_LENGTH - _REPLACED),
        "Row j has read the words before word j. Only rows 5 and 6 have read word 4.",
        (
            Mistake(
                str(_LENGTH - _REPLACED + 1),
                "That is how many change in the printed model. With the shift, has row 4 read "
                "word 4?",
                "decoder_input.not_shifted",
            ),
            Mistake(
                str(_LENGTH),
                "That would be so without the causal mask. Which rows may not see word 4?",
                "decoder.no_causal_mask",
            ),
            Mistake(
                "1",
                "You counted a single row. Which later rows attend to word 4 as well?",
                "decoder.sees_itself_only",
            ),
        ),
    ),
    Question(
        "two prefixes alike",
        "A decoder has the shift, but no positions on the target. After which prefix must it "
        f"predict the same next word as after `<bos>` *{' '.join(_PREFIX[1:])}*, whatever its "
        "weights are?",
        _cannot_be_told_apart(),
        "Both have the same last word and the same words in the same proportions. A decoder "
        "without positions sees nothing else of a prefix.",
        (
            Mistake(
                _OTHERS[1],
                "The proportions are the same, but the last word is not. The query of the last "
                "row comes from the last word.",
                "same_prediction.shares_only",
            ),
            Mistake(
                _OTHERS[2],
                "The same words occur and the last word is the same. But a word that occurs twice "
                "has two terms in the sums. Compare the proportions.",
                "same_prediction.set_and_last",
            ),
            Mistake(
                _OTHERS[3],
                "The end is the same, but the last row attends to all words so far. Which word "
                "stands in only one of the two prefixes?",
                "same_prediction.last_two_words_alone",
            ),
        ),
    ),
    Question(
        "a shift the wrong way",
        f"A wrong minus sign shifts the target to the left: row j has read the words 2 to j + 1. "
        f"The target has {_LABELS_OF_LEFT} words. How many of the {_LABELS_OF_LEFT} rows have read "
        "the word that they predict?",
        str(sum(2 <= row <= row + 1 for row in range(1, _LABELS_OF_LEFT + 1))),
        "Word j is among the words 2 to j + 1 in every row but the first. So the model is a "
        "copier again.",
        (
            Mistake(
                "0",
                "A shift moves each word out of its own row, but here earlier rows have read it, "
                "and later ones see them. Write down what row 3 has read.",
                "decoder_input.shifted_left",
            ),
            Mistake(
                "1",
                "You found the exceptional row. Write down for rows 1, 2 and 3 which words they "
                "have read.",
                "reads.unmoved",
            ),
            Mistake(
                str(_LABELS_OF_LEFT),
                "That holds where nothing is shifted. Look at the first row: which word has it "
                "read?",
                "decoder_input.not_shifted",
            ),
        ),
    ),
)
