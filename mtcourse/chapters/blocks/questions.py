"""The questions of chapter 10."""

from __future__ import annotations

import torch
from torch import Tensor

from mtcourse.chapters.blocks.exercises import EXERCISES
from mtcourse.layers.blocks import layer_norm
from mtcourse.questions.question import Mistake, Question, mistake_of

_KNOWN = {exercise.id: exercise for exercise in EXERCISES}


def _row(values: Tensor) -> str:
    """A row of numbers as it is written on paper."""
    numbers = (f"{value:.4g}" for value in values.flatten().tolist())
    return ", ".join(number.replace("-", "−") for number in numbers)


def _norm(row: Tensor) -> Tensor:
    return layer_norm(row, torch.ones_like(row), torch.zeros_like(row))


def _rounded(row: Tensor) -> str:
    return _row(row.round(decimals=2) + 0.0)


_SPREAD = (torch.tensor([[9.0, 4.0, 4.0, 4.0, 4.0]]), torch.ones(5), torch.zeros(5), 0.0)
_LAYER_NORM = _KNOWN["layer_norm"]

_FACTOR = 0.5

_NETWORK = _KNOWN["position_wise_network"]
_TOKEN = (
    torch.tensor([[1.0, 2.0]]),
    torch.tensor([[1.0, -2.0], [1.0, 0.0]]),
    torch.tensor([0.0, 1.0]),
    torch.tensor([[1.0, 2.0], [4.0, 5.0]]),
    torch.tensor([0.0, 1.0]),
)

_X = torch.tensor([3.0, 1.0])

QUESTIONS = (
    Question(
        "a row is normalised",
        "Layer normalisation gets the row (9, 4, 4, 4, 4). The gain is 1 and the offset 0, and ε "
        "is too small to matter. What does it return?",
        _row(_LAYER_NORM.oracle(*_SPREAD)),
        "The mean is 5 and the deviations are 4, −1, −1, −1, −1. The mean of their squares is 4, "
        "so they are divided by 2.",
        (
            mistake_of(
                _LAYER_NORM,
                "divided_by_the_variance",
                _SPREAD,
                _row,
                "You divided by the variance itself. If all numbers of the row were twice as "
                "large, your result would be half as large, and it should stay the same.",
            ),
            mistake_of(
                _LAYER_NORM,
                "not_divided",
                _SPREAD,
                _row,
                "The mean of your row is 0, but what is its variance?",
            ),
            mistake_of(
                _LAYER_NORM,
                "mean_kept",
                _SPREAD,
                _row,
                "You divided by the right number, but your row does not have the mean 0.",
            ),
        ),
    ),
    Question(
        "two sublayers in a row",
        f"Two sublayers each multiply a number by {_FACTOR}, and each has a residual connection "
        "around it. There are no norms. What is the derivative of the output with respect to the "
        "input?",
        f"{(1 + _FACTOR) ** 2:g}",
        f"Each sublayer with its residual connection multiplies by 1 + {_FACTOR}, and the second "
        "one reads what the first one has made.",
        (
            Mistake(
                f"{_FACTOR**2:g}",
                "That is the derivative without residual connections. On which second path does "
                "a gradient pass each sublayer?",
                "encoder_block.without_residuals_in_pre_norm",
            ),
            Mistake(
                f"{1 + 2 * _FACTOR:g}",
                "You let both sublayers read the input. The second one reads the sum after the "
                "first.",
                "encoder_block.halves_apart",
            ),
            Mistake(
                f"{(1 + _FACTOR) * _FACTOR:g}",
                "You counted only one of the two residual connections.",
                "encoder_block.without_second_residual_in_pre_norm",
            ),
        ),
    ),
    Question(
        "a network of two units",
        "A position-wise network has two units with the keys (1, 1) and (−2, 0), the biases b_1 = "
        "(0, 1), and the values (1, 2) and (4, 5). At the end it adds b_2 = (0, 1). What does it "
        "return for the row (1, 2)?",
        _row(_NETWORK.oracle(*_TOKEN)),
        "The sums are 3 and −2 + 1 = −1. The ReLU makes the second one 0, so the result is "
        "3 · (1, 2) + (0, 1).",
        (
            mistake_of(
                _NETWORK,
                "no_relu",
                _TOKEN,
                _row,
                "You let the second unit subtract something. What does the ReLU make of a "
                "negative sum?",
            ),
            mistake_of(
                _NETWORK,
                "without_second_bias",
                _TOKEN,
                _row,
                "The units are right. What is added after the second product?",
            ),
            mistake_of(
                _NETWORK,
                "residual",
                _TOKEN,
                _row,
                "You added the row itself. That is the residual connection, which stands around "
                "the network and not in it.",
            ),
        ),
    ),
    Question(
        "a sublayer in pre-norm",
        "A sublayer doubles every number that it reads. It stands in a pre-norm block and gets the "
        "row (3, 1). The gain is 1 and the offset 0. Which row leaves the residual sum?",
        _rounded(_X + 2 * _norm(_X)),
        "The sublayer reads the normalised row (1, −1) and returns (2, −2). This is added to the "
        "row as it was.",
        (
            Mistake(
                _rounded(_norm(_X + 2 * _X)),
                "That is post-norm: you normalised the sum. In pre-norm the sublayer reads a "
                "normalised row.",
                "encoder_block.post_norm",
            ),
            Mistake(
                _rounded(_norm(_X) + 2 * _norm(_X)),
                "You added the sublayer's output to the normalised row. To which row does the "
                "residual connection add it?",
                "encoder_block.residual_of_the_norm",
            ),
            Mistake(
                _rounded(_X + _norm(2 * _X)),
                "You normalised what the sublayer returns. In pre-norm the norm stands before it.",
                "encoder_block.norm_of_the_output",
            ),
        ),
    ),
    Question(
        "a larger row",
        "All numbers of a row are made four times as large before layer normalisation. The "
        "gradient at the norm's output stays the same. How large is the gradient of the row now, "
        "compared with before?",
        f"1/{4} of it",
        "The norm divides the row by its standard deviation, so a change of a larger row has less "
        "effect. The gradient is divided by the size of the row.",
        (
            Mistake(
                "the same",
                "The output stays the same, but not its derivative: how much does a small change "
                "δ matter in a row that is four times as large?",
                "layer_norm_gradient.not_divided",
            ),
            Mistake(
                f"{4} times as large",
                "It is the other way round. The larger a row, the less a small change of it "
                "matters.",
                "layer_norm_gradient.multiplied_by_the_root",
            ),
            Mistake(
                f"1/{4**2} of it",
                "You divided by the variance. The norm divides by its root.",
                "layer_norm_gradient.divided_by_the_variance",
            ),
        ),
    ),
    Question(
        "predictions that know too much",
        "A decoder's predictions change when only a later token changes, although its causal mask "
        "is right. Which fault in a block explains this?",
        "The norm takes mean and variance over all tokens of the sentence.",
        "Then each normalised row depends on every token, the later ones included, and no mask "
        "stands between them.",
        (
            Mistake(
                "The norm takes mean and variance with d − 1 in place of d.",
                "This changes each row by a factor, but the row still depends on no other row.",
                "layer_norm.unbiased_variance",
            ),
            Mistake(
                "The residual connection starts after the norm.",
                "This fault lets rows lose their size, but each row is still normalised and "
                "added on its own.",
                "encoder_block.first_residual_of_the_norm",
            ),
            Mistake(
                "The network has the same weights at all positions.",
                "This is no fault: the network works on each row separately. Which step can "
                "carry something from one row to another?",
                "encoder_block_lines.mixes_in_the_first_layer",
            ),
        ),
    ),
)
