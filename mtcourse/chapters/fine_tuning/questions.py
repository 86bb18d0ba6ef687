"""The questions of chapter 16."""

from __future__ import annotations

from typing import Any

import torch

from mtcourse.chapters.fine_tuning.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _score(head: Any) -> str:
    """The score of a head with one column, for a row that is 1."""
    w, b = head
    return f"{float(w.sum() + b):g}".replace("-", "−")


def _positions(labels: list[int]) -> str:
    """Where a label stands that counts."""
    return ", ".join(str(position) for position, label in enumerate(labels) if label >= 0)


_TWO_SCORES = (torch.tensor([[2.0, 5.0]]), torch.tensor([1.0, 2.0]), 1)
_ONE_SCORE = _KNOWN["one_score"]

_PIECES = ([0, 0, 1, 2, 2], [3, 5, 4], 6)
_LABELS = _KNOWN["word_labels"]

_NONE, _MENU, _KEY = 6, 3, 1  # words
_ALL = _NONE + _MENU + _KEY
_F1 = 2 * _NONE / (2 * _NONE + _MENU + _KEY)

_RIGHT, _LABELLED, _IGNORED = 8, 10, 6

_ALL_LEARN = (61, 70, 66, 74, 68)
_HEAD_ALONE = (60, 68, 67, 71, 65)
_AHEAD = sum(a > b for a, b in zip(_ALL_LEARN, _HEAD_ALONE, strict=True))
_MEDIAN = sorted(a - b for a, b in zip(_ALL_LEARN, _HEAD_ALONE, strict=True))[2]

QUESTIONS = (
    Question(
        "one score for two classes",
        "A softmax head has the two classes 0 and 1. For a certain sentence h_class W is (2, 5), "
        "and b is (1, 2). For which score s does a sigmoid head give class 1 the same probability?",
        _score(_ONE_SCORE.oracle(*_TWO_SCORES)),
        "The scores are z = (3, 7), and the softmax depends on their difference only: s is 7 − 3.",
        (
            mistake_of(
                _ONE_SCORE,
                "own_column_alone",
                _TWO_SCORES,
                _score,
                "That is the score of class 1. Its probability depends on the other score, too.",
            ),
            mistake_of(
                _ONE_SCORE,
                "sign_of_the_other_class",
                _TWO_SCORES,
                _score,
                "The sigmoid of this score is the probability of class 0.",
            ),
            mistake_of(
                _ONE_SCORE,
                "offset_forgotten",
                _TWO_SCORES,
                _score,
                "You left out the offsets. They differ between the classes, so they count.",
            ),
        ),
    ),
    Question(
        "where labels stand",
        "A sentence has three words, cut into 2, 1 and 2 pieces, and `<class>` stands at position "
        "0. At which positions do the labels of a token head stand?",
        _positions(_LABELS.oracle(*_PIECES)),
        "The pieces stand at the positions 1 to 5, and the first piece of each word has its label.",
        (
            mistake_of(
                _LABELS,
                "without_class",
                _PIECES,
                _positions,
                "You counted the pieces from 0. What stands at position 0?",
            ),
            mistake_of(
                _LABELS,
                "last_piece",
                _PIECES,
                _positions,
                "You gave the label to the last piece of each word. The usual rule, BERT's, is "
                "another one.",
            ),
            mistake_of(
                _LABELS,
                "one_label_for_each_word",
                _PIECES,
                _positions,
                "You counted words. The encoder reads pieces, and some words have two of them.",
            ),
        ),
    ),
    Question(
        "a head that always says none",
        f"Of {_ALL} words, {_NONE} have the label *none*, {_MENU} have *menu* and {_KEY} has "
        "*key*. A head labels all of them *none*. What is its macro F1 over the three classes?",
        f"{_F1 / 3:.0%}",
        f"The F1 of the label none is 12/16 = {_F1:.0%}, and that of the other two classes is 0. "
        "Macro F1 is the mean of the three.",
        (
            Mistake(
                f"{_NONE / _ALL:.0%}",
                "That is the accuracy, which a useless head gets for the frequent class.",
                "macro_f1.accuracy_averaged",
            ),
            Mistake(
                f"{_F1:.0%}",
                "That is the F1 of the label none alone. What do the classes contribute "
                "that the head never finds?",
                "macro_f1.classes_never_right_left_out",
            ),
            Mistake(
                f"{0:.0%}",
                "You looked at the two rare classes only. The label none is a class, too.",
                "macro_f1.class_0_left_out",
            ),
        ),
    ),
    Question(
        "an accuracy that counts too much",
        f"Of {_LABELLED} labelled words a head gets {_RIGHT} right. The batch has {_IGNORED} more "
        "positions with the label −100. A program compares the predictions with the labels at "
        f"all {_LABELLED + _IGNORED} positions. Which accuracy does it print?",
        f"{_RIGHT / (_LABELLED + _IGNORED):.0%}",
        f"No head can predict −100, so all {_IGNORED} ignored positions count as wrong: "
        f"{_RIGHT} of {_LABELLED + _IGNORED} are right.",
        (
            Mistake(
                f"{_RIGHT / _LABELLED:.0%}",
                "That is the accuracy that it should print. By how many positions does this "
                "program divide?",
                "fine_tuning_lines.accuracy_is_right",
            ),
            Mistake(
                f"{(_RIGHT + _IGNORED) / (_LABELLED + _IGNORED):.1%}",
                "You counted the ignored positions as right. That happens if they have a real "
                "class as their label, one that is easy to learn.",
                "macro_f1.ignored_as_class_0",
            ),
        ),
    ),
    Question(
        "two answers to one sentence",
        "The encoder is frozen with `requires_grad = False`, and its head is trained. In use, the "
        "same sentence gets another answer each time. Why?",
        "The model is in training mode, so dropout is on.",
        "Freezing stops the gradient, not the dropout. In evaluation mode nothing is dropped.",
        (
            Mistake(
                "The encoder goes on learning, although it is frozen.",
                "Nothing learns in use. And requires_grad = False does stop the gradient: what "
                "does it not stop?",
                "fine_tuning_lines.two_losses_from_freezing",
            ),
            Mistake(
                "The head is changed between the two answers.",
                "Only an update changes the head, and in use there is none.",
                "fine_tuning_lines.two_losses_from_the_update",
            ),
            Mistake(
                "Attention reads the padding of other sentences.",
                "Sentences of a batch never read each other. And the same batch would get the "
                "same answer twice.",
                "fine_tuning_lines.reads_from_the_rows",
            ),
        ),
    ),
    Question(
        "five starts",
        f"From five starts, all parameters score {', '.join(map(str, _ALL_LEARN))}, and the head "
        f"alone, from the same starts, {', '.join(map(str, _HEAD_ALONE))}. A way counts as better "
        "if it is ahead in every start. What do you report?",
        f"It is open, because the starts disagree: {_AHEAD} of 5 for all parameters.",
        "The differences are 1, 2, −1, 3 and 3. In the third start the head alone is ahead.",
        (
            Mistake(
                f"All parameters are better, with {_MEDIAN} points in the median.",
                "The median of the differences is right. But are all parameters ahead in every "
                "start?",
                "where_one_wins.by_the_median",
            ),
            Mistake(
                f"All parameters are better, in {_AHEAD} of 5 starts.",
                "You let the majority decide. The rule asks for every start.",
                "where_one_wins.by_the_majority",
            ),
            Mistake(
                "It is open, because the scores of the two ways overlap.",
                "You compared different starts. Starts that share their sentences are compared "
                "in pairs.",
                "where_one_wins.not_paired",
            ),
        ),
    ),
)
