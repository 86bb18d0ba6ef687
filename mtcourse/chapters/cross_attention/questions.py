"""The questions of chapter 6."""

from __future__ import annotations

import torch

from mtcourse.chapters.cross_attention.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _size(*shape: int) -> str:
    return " × ".join(map(str, shape))


_DUTCH, _ENGLISH, _D_K, _D_V = 5, 12, 64, 32

_STEPS, _SOURCE = 6, 9

_WEIGHTS, _VALUES = torch.tensor([0.25, 0.75]), torch.tensor([4.0, 12.0])


def _output(weights: torch.Tensor) -> str:
    return f"{(weights * _VALUES).sum():g}"


_FOUND = torch.tensor([[True] * 4 + [False] * 4])
_SURE = torch.tensor([[True, True, False, False] + [True] * 4])
_POSSIBLE = torch.tensor([[True, True, True, False] + [True] * 4])
_LINKS = (_FOUND, _SURE, _POSSIBLE)
_AER = _KNOWN["alignment_error_rate"]


def _rate(rate: torch.Tensor | float) -> str:
    return f"{float(rate):.2f}"


_READ = ("<bos>", "de", "kat", "slaapt")
_READS = _READ.index("kat") + 1

_TOKEN, _LENGTH = 3, 8


def _seen(training: int, inference: int) -> str:
    """How many English tokens the query sees."""
    return f"{training} in training, {inference} at inference"


QUESTIONS = (
    Question(
        "shape of the output",
        f"A Dutch prefix has {_DUTCH} tokens, the English sentence {_ENGLISH}. Keys are {_D_K} "
        f"wide, values {_D_V}. What is the shape of the output of one head of cross-attention?",
        _size(_DUTCH, _D_V),
        "Queries come from the Dutch rows, and the output has a row for each query. The rows are "
        "means of values, so they are as wide as a value.",
        (
            Mistake(
                _size(_ENGLISH, _D_V),
                "You have a row for each English token. Which side asks, and which side answers?",
                "cross_attention.english_asks",
            ),
            Mistake(
                _size(_DUTCH, _D_K),
                "Your rows are as wide as the keys. Keys only decide the weights. What do the "
                "weights take a mean of?",
                "cross_attention.keys_for_values",
            ),
            Mistake(
                _size(_DUTCH, _ENGLISH),
                "That is the shape of the weights. They still have to be multiplied by the values.",
                "cross_attention.weights_for_outputs",
            ),
        ),
    ),
    Question(
        "scores at inference",
        f"A translator reads {_SOURCE} English tokens and writes {_STEPS} Dutch ones, one step for "
        "each, and computes nothing twice. How many scores does one head of cross-attention "
        "compute in all?",
        str(_STEPS * _SOURCE),
        "Each step has one query, and compares it with the keys of all nine English tokens: six "
        "steps of nine scores.",
        (
            Mistake(
                str(_SOURCE * _STEPS * (_STEPS + 1) // 2),
                "You gave each step a query for every Dutch token so far. The earlier ones had "
                "their queries in their own steps.",
                "cross_shapes.step_asks_for_all_so_far",
            ),
            Mistake(
                str(_STEPS * (_STEPS + 1) // 2),
                "You let step j see only j keys, as in masked self-attention. How much of the "
                "English sentence is known in the first step?",
                "cross_shapes.step_sees_only_three_keys",
            ),
            Mistake(
                str(_SOURCE**2),
                "You compared the English tokens with each other, as in the encoder. Which "
                "sentence do the queries come from?",
                "cross_shapes.scores_of_the_encoder",
            ),
        ),
    ),
    Question(
        "keys change places",
        "A query gives two English tokens the weights 0.25 and 0.75. Their values are 4 and 12, so "
        "the output is 10. You exchange the two keys, and leave the values where they are. What is "
        "the output now?",
        _output(_WEIGHTS.flip(0)),
        "The keys decide the weights, so the weights change places: 0.75 · 4 + 0.25 · 12. The "
        "values are still the same.",
        (
            Mistake(
                _output(_WEIGHTS),
                "The output stays the same if keys and values move together. Here only the keys "
                "move. Which weight does the value 4 get now?",
                "cross_attention.keys_for_values",
            ),
            Mistake(
                _output(torch.full((2,), 0.5)),
                "That is the plain mean. The query still prefers one of the two keys, wherever "
                "that key stands.",
                "cross_attention.equal_weights",
            ),
            Mistake(
                f"{_VALUES[_WEIGHTS.flip(0).argmax()]:g}",
                "You took only the value of the better key. The other key has a weight, too.",
                "cross_attention.best_word_alone",
            ),
        ),
    ),
    Question(
        "row of a word",
        "The decoder reads `<bos>`, *de*, *kat* and *slaapt*, so an attention map has four rows, "
        "counted from 1. Which of them belong to the word *kat*?",
        f"row {_READS - 1} predicts it, row {_READS} reads it",
        "A row reads the token at its own position and predicts the next one: row 2 reads de and "
        "predicts kat, row 3 reads kat.",
        (
            Mistake(
                f"row {_READS - 1} reads it, row {_READS} predicts it",
                "A word cannot be read before it is written. Does the row that predicts a word "
                "come before or after the row that reads it?",
                "which_row.rows_exchanged",
            ),
            Mistake(
                f"row {_READS - 2} predicts it, row {_READS - 1} reads it",
                "You left <bos> out. It is the first token that the decoder reads, and it has a "
                "row.",
                "which_row.row_above",
            ),
            Mistake(
                f"row {_READS} reads it and predicts it",
                "A row that has already read a word need not predict it. What does row 3 predict?",
                "which_row.reading_row_twice",
            ),
        ),
    ),
    Question(
        "alignment error rate",
        "Six links are sure. You found four links: two of them are sure, one is merely possible, "
        "and one is wrong. What is the alignment error rate?",
        _rate(_AER.oracle(*_LINKS)),
        "Of the found links, 2 are sure and 3 are sure or possible. The rate is "
        "1 − (2 + 3) / (4 + 6).",
        (
            mistake_of(
                _AER,
                "sure_alone",
                _LINKS,
                _rate,
                "You counted the merely possible link as wrong. A possible link costs nothing if "
                "you find it.",
            ),
            mistake_of(
                _AER,
                "one_minus_precision",
                _LINKS,
                _rate,
                "That is 1 minus precision. It says nothing of the sure links that you did not "
                "find.",
            ),
            mistake_of(
                _AER,
                "hits_joined",
                _LINKS,
                _rate,
                "You counted each hit once. A sure link is also possible, so it is in both "
                "intersections.",
            ),
        ),
    ),
    Question(
        "a mask that was copied",
        "Cross-attention was copied from masked self-attention, together with its causal mask, a "
        f"triangle with a row for each query. The source has {_LENGTH} tokens. How many of them "
        f"does Dutch token {_TOKEN} see in training, and how many at inference, where each step "
        "has a single query?",
        _seen(_TOKEN, 1),
        "In training it is row 3 of the triangle. At inference each query is the only row, so it "
        "is always row 1.",
        (
            Mistake(
                _seen(_TOKEN, _TOKEN),
                "That is right in training. At inference the code makes a triangle for a single "
                "query. How many keys does its first row allow?",
                "cross_attention.causal_triangle_alone",
            ),
            Mistake(
                _seen(_TOKEN, _LENGTH),
                "That is right in training. At inference the mask does not disappear: it has one "
                "row, and which row of the triangle is that?",
                "decoder_step.triangle_left",
            ),
            Mistake(
                _seen(_LENGTH, _LENGTH),
                "That is how it should be: the whole source is known from the start. But the mask "
                "hides every English token that stands later than the Dutch one.",
                "decoder_step_lines.first_is_right",
            ),
        ),
    ),
)
