"""The questions of chapter 13."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from mtcourse.chapters.decoder_models.exercises import EXERCISES
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _cells(mask: Tensor) -> str:
    return f"{int(mask.sum())}"


_TOKENS = (4, 16, 8)  # one in so many; the last is <eos>
_BITS = [math.log2(one_in) for one_in in _TOKENS]

_INPUTS, _INPUT = 8, 3

_WORDS = ((300, 6), (60, 30), (40, 4))  # how often, and after how many different tokens
_AFTER = sum(different for _, different in _WORDS)
_OFTEN = sum(often for often, _ in _WORDS)

_BYTES = 200
_MODELS = ((100, 4), (50, 6))  # tokens, bits for each of them

_PACKED = (torch.tensor([[3, 7, 3, 8, 9, 10]]),)
_MASK = _KNOWN["packed_mask"]

QUESTIONS = (
    Question(
        "the price of a text",
        "A model gives the two tokens of a text the probabilities 1/4 and 1/16, each after its "
        "prefix, and then `<eos>` the probability 1/8. How many bits does the text cost?",
        f"{sum(_BITS):g}",
        "The tokens cost 2, 4 and 3 bits. The product of probabilities becomes a sum, and <eos> "
        "belongs to the text.",
        (
            Mistake(
                f"{sum(_BITS[:-1]):g}",
                "You left out <eos>. That the text ends here is one of the model's predictions, "
                "too.",
                "bits_per_byte.without_eos",
            ),
            Mistake(
                f"{sum(_BITS) / len(_BITS):g}",
                "That is the mean cost of a token. The question asks for the whole text.",
                "bits_per_byte.per_token",
            ),
            Mistake(
                f"{math.prod(_BITS):g}",
                "The bits are 2, 4 and 3, and you multiplied them. What becomes of a product of "
                "probabilities if you take logarithms?",
                "sequence_log_probability.probabilities_multiplied",
            ),
        ),
    ),
    Question(
        "what a row has read",
        "Input 1 is `<bos>`, input 2 is the token x_1, and so on. Position i may attend to "
        "positions j ≤ i. What has row 4 read when it makes its prediction?",
        "inputs 1 to 4, tokens up to x_3",
        "The mask lets row 4 read its own input, and this is the token x_3. So it predicts x_4 "
        "from all tokens before it.",
        (
            Mistake(
                "inputs 1 to 3, tokens up to x_2",
                "You hid the row's own input. With j ≤ i, which positions may position 4 attend "
                "to?",
                "packed_reads.as_document_c_prints_it",
            ),
            Mistake(
                "inputs 1 to 4, tokens up to x_4",
                "Then row 4 would read the token that it has to predict. The inputs are shifted by "
                "one: which token is input 4?",
                "sequence_log_probability.not_shifted",
            ),
            Mistake(
                "inputs 1 to 5, tokens up to x_4",
                "Position 5 comes after position 4, and the causal mask hides it.",
                "packed_mask.one_ahead",
            ),
        ),
    ),
    Question(
        "a column of the triangle",
        f"A sentence has {_INPUTS} inputs and one loss for each row. How many of the {_INPUTS} "
        f"losses send a gradient to the embedded input {_INPUT}?",
        f"{_INPUTS - _INPUT + 1}",
        f"All rows that may read input {_INPUT}: row {_INPUT} itself and every later one.",
        (
            Mistake(
                f"{_INPUT}",
                f"That is how many inputs row {_INPUT} reads: a row of the triangle. The question "
                "asks for a column.",
                "two_roles.helps_half_a_square",
            ),
            Mistake(
                f"{_INPUTS - _INPUT}",
                "You counted the later rows only. May a row read its own input?",
                "packed_reads.loss_6_without_its_own_input",
            ),
            Mistake(
                f"{_INPUTS}",
                "Then the first rows would read an input that comes after them. What does the "
                "causal mask hide?",
                "two_roles.helps_all",
            ),
        ),
    ),
    Question(
        "a frequent word after few others",
        "A text has three words. *uur* occurs 300 times, after 6 different words; *huis* 60 times, "
        "after 30; *dorp* 40 times, after 4. Which share does *uur* have among the counts of "
        "Kneser and Ney's order 1?",
        f"{_WORDS[0][1] / _AFTER:g}",
        "The lower orders count how many different tokens precede a word: 6 of 6 + 30 + 4.",
        (
            Mistake(
                f"{_WORDS[0][0] / _OFTEN:g}",
                "That is how frequent the word is. But it stands after few different words: after "
                "any other one, a model should not guess it.",
                "kneser_ney.unigrams",
            ),
            Mistake(
                f"{_WORDS[0][1] / _OFTEN:g}",
                "You divided different words by occurrences. Then the shares of the three words do "
                "not sum to 1.",
                "kneser_ney.different_over_all_counts",
            ),
            Mistake(
                f"{_WORDS[0][1] / _WORDS[0][0]:g}",
                "You compared the word with itself. Its share compares it with the other two "
                "words.",
                "kneser_ney.p_1_not_divided",
            ),
        ),
    ),
    Question(
        "two tokenizers",
        f"A text has {_BYTES} bytes. Model A cuts it into {_MODELS[0][0]} tokens and needs "
        f"{_MODELS[0][1]} bits for each; model B cuts it into {_MODELS[1][0]} tokens and needs "
        f"{_MODELS[1][1]} bits for each. Which model is better?",
        f"B, with {_MODELS[1][0] * _MODELS[1][1] / _BYTES:g} bits per byte",
        "A needs 400 bits for the text and B 300. Both are divided by the same 200 bytes.",
        (
            Mistake(
                f"A, with {_MODELS[0][0] * _MODELS[0][1] / _BYTES:g} bits per byte",
                "That is A's number. But compare it with B's in the same unit: fewer bits per "
                "token do not mean fewer bits for the text.",
                "bits_per_byte.loss_per_token",
            ),
            Mistake(
                f"A, with {_MODELS[0][1] / _BYTES:g} bits per byte",
                "You divided the bits of one token by the bytes of the whole text. Divide the bits "
                "of the whole text.",
                "bits_per_byte.mean_over_bytes",
            ),
            Mistake(
                f"B, with {_MODELS[1][1] * _BYTES / _MODELS[1][0]:g} bits per byte",
                "You multiplied by the bytes of a token. A token of several bytes shares its bits "
                "among them.",
                "bits_per_byte.sum_over_bytes_per_token",
            ),
        ),
    ),
    Question(
        "cells of a document mask",
        "A packed row is `<eos>` A `<eos>` B C D. Each document begins with the `<eos>` in front "
        "of it. In how many of the 36 cells does the document mask allow attention?",
        _cells(_MASK.oracle(*_PACKED)),
        "The documents have 2 and 4 positions, and each is a small causal triangle: 3 and 10 "
        "cells.",
        (
            mistake_of(
                _MASK,
                "causal_alone",
                _PACKED,
                _cells,
                "That is the causal mask, one large triangle. It lets the second document read the "
                "first.",
            ),
            mistake_of(
                _MASK,
                "documents_alone",
                _PACKED,
                _cells,
                "You counted two squares. Within a document, which positions may a position attend "
                "to?",
            ),
            mistake_of(
                _MASK,
                "eos_belongs_to_the_document_before",
                _PACKED,
                _cells,
                "You counted each <eos> to the document before it. It is read in place of <bos>: "
                "which document begins with it?",
            ),
        ),
    ),
)
