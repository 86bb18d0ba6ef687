"""The questions of chapter 20."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.chapters.capstone.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}
_MEMORY, _KEPT, _PAIRED = (
    _KNOWN[name] for name in ("memory_answer", "kept_share", "paired_interval")
)

_ASKED = (
    "Close the files.",
    [
        ("Open the window.", "Öffnen Sie das Fenster."),
        ("Close the file.", "Schließen Sie die Datei."),
        (
            "Close the files and then leave the program.",
            "Schließen Sie die Dateien und verlassen Sie dann das Programm.",
        ),
    ],
    4,
)

_DEV, _TEST = {"A": 22, "B": 26, "C": 24}, {"A": 20, "B": 21, "C": 23}
_BY_DEV, _BY_TEST = (max(of, key=of.__getitem__) for of in (_DEV, _TEST))

_FIRST, _SECOND = torch.tensor([10.0, 50.0, 30.0]), torch.tensor([16.0, 50.0, 33.0])
_RESAMPLE = (_FIRST, _SECOND, torch.tensor([[0, 0, 2]]))

_ALL, _LOST_ONE, _LOST, _NONE = 14, 4, 2, 20
_TRIPLES = (
    [
        *_ALL * [("Page 1", "Seite 1", "Seite 1")],
        *_LOST_ONE * [("1 of 2", "1 von 2", "1 von")],
        *_LOST * [("Page 1", "Seite 1", "Seite")],
        *_NONE * [("Page", "Seite", "Seite")],
    ],
)

_GAIN, _LOW, _HIGH = 0.8, -0.6, 2.2

_SENTENCES, _EXACT, _BLEU, _EMPTY = 1000, 0.08, 31, 30
_SAME = round(_EXACT * _SENTENCES)


def _change(ends: Tensor) -> str:
    """The change on the only resample: the interval of one number is that number."""
    return f"{ends[0]:.3g}"


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _reported(name: str, bleu: float | int) -> str:
    return f"{name}, with {bleu:g} BLEU"


QUESTIONS = (
    Question(
        "what a memory answers",
        "A translation memory knows three sources: “Open the window.” “Close the file.” “Close "
        "the files and then leave the program.” You ask it for “Close the files.” What does it "
        "answer?",
        _MEMORY.oracle(*_ASKED),
        'The most similar source is "Close the file." The memory gives its translation, word for '
        "word, and the plural is lost.",
        (
            Mistake(
                "Schließen Sie die Dateien.",
                "That would be a translation, but it stands nowhere in the memory. What can the "
                "memory give, since it translates nothing?",
                "honest_baselines.memory_is_no_translator",
            ),
            mistake_of(
                _MEMORY,
                "the_source",
                _ASKED,
                says="That is the source that it finds. Which side of the pair does a reader of "
                "German want?",
            ),
            mistake_of(
                _MEMORY,
                "shared_grams_alone",
                _ASKED,
                says="This source contains all of the words that you ask for, but most of it is "
                "something else. Which source is the most similar as a whole?",
            ),
        ),
    ),
    Question(
        "which size, which score",
        "You train three sizes. On the dev set, A has 22 BLEU, B has 26 and C has 24. On the test "
        "set, A has 20, B has 21 and C has 23. Which size do you publish, and with which score?",
        _reported(_BY_DEV, _TEST[_BY_DEV]),
        "The dev set is for choosing, and B is the best there. The test set, on which nothing was "
        "chosen, says what the choice is worth.",
        (
            Mistake(
                _reported(_BY_TEST, _TEST[_BY_TEST]),
                "You choose on the test set, and the best of three is partly the luckiest of three."
                " Which set is for choosing?",
                "honest_baselines.best_of_twenty",
            ),
            Mistake(
                _reported(_BY_DEV, _DEV[_BY_DEV]),
                "The choice was made on this very score, so it is probably too high. Which "
                "sentences had no part in the choice?",
                "honest_baselines.random_lines_compare",
            ),
            Mistake(
                _reported(_BY_DEV, (_DEV[_BY_DEV] + _TEST[_BY_DEV]) / 2),
                "You take the mean of both sets. Half of it is the score on which the choice was "
                "made.",
                "paired_interval.pooled",
            ),
        ),
    ),
    Question(
        "one resample",
        "Greedy search scores 10, 50 and 30 on three test sentences, and beam search 16, 50 and 33."
        " For a paired interval, a resample draws the first sentence twice and the third once. By "
        "how much is beam search better on it, if a score is the mean over the sentences?",
        _change(_PAIRED.oracle(*_RESAMPLE)),
        "Both searches are scored on the same draw. The changes are 6, 6 and 3, and their mean is "
        "15 / 3.",
        (
            Mistake(
                _change((_SECOND - _FIRST).mean()[None]),
                "That is the change on the three sentences as they are. Which sentences does this "
                "resample hold?",
                "paired_interval.not_resampled",
            ),
            mistake_of(
                _PAIRED,
                "repeats_left_out",
                _RESAMPLE,
                _change,
                "You count the first sentence once. A sentence that is drawn twice counts twice.",
            ),
            mistake_of(
                _PAIRED,
                "sums",
                _RESAMPLE,
                _change,
                "You add the changes up. The score is a mean: how many sentences does the resample "
                "have?",
            ),
        ),
    ),
    Question(
        "a memory to beat",
        "Your translator minus the translation memory, in BLEU, with a paired 95% interval: "
        f"{_GAIN} (−{-_LOW} to {_HIGH}). Which sentence may stand in your report?",
        "The test set does not show that the translator is better than the memory.",
        "The interval contains 0: on other sentences of the same kind, either of the two may be "
        "ahead.",
        (
            Mistake(
                f"The translator is better than the memory, by {_GAIN} BLEU.",
                "It is ahead on these sentences, but the interval begins below 0. What does that "
                "say of other sentences of the same kind?",
                "paired_interval.without_direction",
            ),
            Mistake(
                "The translator is exactly as good as the memory.",
                f"An interval that contains 0 does not prove that nothing is different: {_HIGH} "
                "lies in it as well.",
                "what_follows.overlap_means_nothing",
            ),
            Mistake(
                f"Another training run would come out {-_LOW} below to {_HIGH} above the memory.",
                "The interval comes from resampled test sentences of a single run. What was drawn "
                "again and again, and what stayed the same?",
                "what_follows.interval_of_runs",
            ),
        ),
    ),
    Question(
        "numbers that are kept",
        f"In {_ALL + _LOST_ONE + _LOST} of {len(_TRIPLES[0])} test sentences, source and reference "
        f"share numbers. {_ALL} of the translations have all of theirs, {_LOST_ONE} have one of "
        f"two, and {_LOST} have none. What stands in the column *kept* of the report?",
        _percent(_KEPT.oracle(*_TRIPLES)),
        f"It counts sentences that keep everything: {_ALL} of the "
        f"{_ALL + _LOST_ONE + _LOST} that have something to keep.",
        (
            mistake_of(_KEPT, "of_all_sentences", _TRIPLES, _percent),
            mistake_of(_KEPT, "empty_counts_as_kept", _TRIPLES, _percent),
            mistake_of(
                _KEPT,
                "any_of_them",
                _TRIPLES,
                _percent,
                "One kept number is enough for you. What does a reader get from a sentence in "
                "which the other number is missing?",
            ),
        ),
    ),
    Question(
        "how many are right",
        f"A report on {_SENTENCES:,} test sentences: {_BLEU} BLEU, {_EXACT:.0%} of the translations"
        f" equal their reference, and {_EMPTY} translations are empty. The references are right. "
        "What do you know about the number of right translations?",
        f"It is at least {_SAME} and at most {_SENTENCES - _EMPTY}.",
        f"Those {_SAME} are right and the {_EMPTY} empty ones wrong. Only somebody who reads the "
        "others can tell.",
        (
            Mistake(
                f"It is {_SAME}, and no more.",
                "A translation may differ from its reference and still be right. What do you know "
                "about those that differ?",
                "what_follows.exact_is_too_strict",
            ),
            Mistake(
                f"It is {_SENTENCES - _EMPTY}: all but the empty ones.",
                "You count only the faults that a program sees. A fluent sentence may say the "
                "opposite of its source.",
                "what_follows.faults_seen_are_all_faults",
            ),
            Mistake(
                f"It is about {_BLEU * _SENTENCES // 100}.",
                "You read BLEU as a share of right sentences. It counts n-grams, and a wrong "
                "translation may have many right ones.",
                "what_follows.bleu_as_a_share",
            ),
        ),
    ),
)
