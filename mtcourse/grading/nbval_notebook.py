"""A merged submission as a notebook that nbval can run and compare by itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import outcome_of
from mtcourse.grading.judge_exercises import make_check_cell
from mtcourse.grading.kernel_side import format_attempt
from mtcourse.grading.merge import MergedNotebook
from mtcourse.grading.wire_format import encode_cases


def make_nbval_notebook(
    merged: MergedNotebook, bank: Sequence[Exercise], seed: int
) -> dict[str, Any]:
    """Makes a notebook of the learner's answers, whose stored outputs are those of right answers.

    Each check prints what an answer returns on the inputs of a seed; the stored output is that of
    the right answer, so none of it comes from the learner. The outputs of other cells are not
    compared. A check stays even if its exercise was removed from the submission, and then fails.

    Args:
        merged: the merged notebook.
        bank: the exercises of that notebook.
        seed: the seed of the inputs.
    """
    known = {exercise.id: exercise for exercise in bank}
    cells = []
    for number, cell in enumerate(merged.cells, start=1):
        if cell.role != "check":
            cells.append(_make_cell(number, cell.source, [], ["nbval-ignore-output"]))
        elif cell.exercise in known:
            exercise = known[cell.exercise]
            inputs = exercise.inputs(seed)
            right = (outcome_of(exercise.oracle, case, exercise.gradients) for case in inputs)
            text = format_attempt(Attempt("", tuple(right))) + "\n"
            printed = {"output_type": "stream", "name": "stdout", "text": text}
            source = make_check_cell(exercise, json.dumps(encode_cases(inputs)), "print_attempt")
            cells.append(_make_cell(number, source, [printed], ["nbval-check-output"]))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _make_cell(number: int, source: str, outputs: list[Any], tags: list[str]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": number,  # without one nbval ignores the outputs
        "id": f"cell-{number}",
        "metadata": {"tags": tags},
        "outputs": outputs,
        "source": source,
    }
