"""The example as a spreadsheet: every computed cell is a formula (chapter 11).

Nothing is computed here. Change a yellow cell in Excel or LibreOffice, and the forward pass, the
loss, all gradients, Adam's step, and the loss after it follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtcourse.chapters.worked_example import adam
from mtcourse.chapters.worked_example.example import (
    DECODER_INPUT,
    LABELS,
    SOURCE_TOKENS,
    TARGET_TOKENS,
    shapes,
    stored_weights,
)
from mtcourse.chapters.worked_example.forward import EPSILON
from mtcourse.chapters.worked_example.spreadsheet_backward import adam_blocks, backward_blocks
from mtcourse.chapters.worked_example.spreadsheet_forward import forward_blocks
from mtcourse.chapters.worked_example.workbook import Block, Sheets

AFTER = "after "
"""Names of the second forward pass, which uses the parameters after Adam's step, begin with it."""


def spreadsheet() -> bytes:
    """The workbook: inputs, forward pass, gradients, Adam's first step, and forward again.

    Source: B, steps 1 to 7, carried to the end. Chapter 11.
    """
    return _filled().packed()


def write_spreadsheet(path: Path) -> None:
    """Writes the workbook to a file.

    Args:
        path: the file, which ends in .xlsx.
    """
    path.write_bytes(spreadsheet())


def block_places() -> dict[str, Block]:
    """Where each matrix lies, by its name in ``forward_pass``, ``backward_pass`` or ``adam``.

    A gradient's name is that of its matrix and " bar", such as ``W_Q_E bar``.
    """
    return _filled().blocks


def _filled() -> Sheets:
    """All sheets."""
    b = Sheets()
    _inputs(b)
    b.sheet("forward", "The forward pass, step by step. Every number is a formula.", "DDEBF7")
    forward_blocks(b, "forward", "")
    about = "The gradient of the loss with respect to each step and each parameter."
    b.sheet("gradients", about, "FCE4D6")
    backward_blocks(b)
    b.sheet("adam", "Adam's first step: m and v start at 0.", "E2EFDA")
    adam_blocks(b, AFTER)
    b.sheet("forward again", "The forward pass with the parameters after Adam's step.", "DDEBF7")
    forward_blocks(b, "forward again", AFTER)
    return b


def _inputs(b: Sheets) -> None:
    """Tokens, settings and weights: all that is typed, in yellow."""
    b.sheet(
        "inputs", "Change any yellow cell, and everything that depends on it follows.", "FFF2CC"
    )

    def listed(name: str, about: str, values: Sequence[Any]) -> None:
        b.add("inputs", name, about, (len(values), 1), lambda i, j: values[i], given=True)

    listed("source", "tokens that the encoder reads; <PAD> is hidden", SOURCE_TOKENS)
    listed("decoder_input", "tokens that the decoder reads", DECODER_INPUT)
    listed("labels", "tokens that it should write", LABELS)
    listed("epsilon", "layer normalisation adds it to the variance", [EPSILON])
    rates = [adam.LEARNING_RATE, adam.BETA_1, adam.BETA_2, adam.EPSILON_ADAM]
    listed("adam", "Adam: learning rate, beta 1, beta 2, epsilon", rates)
    words = {"W_E_X": SOURCE_TOKENS, "W_E_Y": TARGET_TOKENS}
    for name, shape in shapes().items():
        values = stored_weights()[name]
        matrix = values if len(shape) == 2 else [values]
        size = (len(matrix), len(matrix[0]))
        columns = TARGET_TOKENS if name == "W_output" else ()
        b.add(
            "inputs", name, "parameter", size, lambda i, j, w=matrix: w[i][j],
            (words.get(name, ()), columns), given=True,
        )  # fmt: skip
