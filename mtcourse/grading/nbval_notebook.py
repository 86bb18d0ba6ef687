"""A merged submission as a notebook of its own, which nbval by itself can run and compare."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mtcourse.checks.attempt import Attempt
from mtcourse.checks.exercise import Exercise
from mtcourse.checks.outcomes import outcome_of
from mtcourse.grading.judge_exercises import check_cell
from mtcourse.grading.kernel_side import attempt_in_text
from mtcourse.grading.merge import Merged
from mtcourse.grading.wire_format import packed_cases


def merged_notebook(merged: Merged, bank: Sequence[Exercise], seed: int) -> dict[str, Any]:
    """The learner's answers in the instructor's notebook, with what right answers print.

    Each check prints what an answer does with inputs of a seed; stored with it is what the right
    answer prints, so that the notebook is the instructor's alone. What other cells print is not
    compared. An exercise that was taken out has a check all the same, which fails.

    Args:
        merged: the learner's answers.
        bank: the checks of that notebook.
        seed: of the inputs.
    """
    known = {exercise.id: exercise for exercise in bank}
    cells = []
    for number, step in enumerate(merged.steps, start=1):
        if step.role != "check":
            cells.append(_cell(number, step.source, [], ["nbval-ignore-output"]))
        elif step.exercise in known:
            exercise = known[step.exercise]
            inputs = exercise.inputs(seed)
            right = (outcome_of(exercise.oracle, case, exercise.gradients) for case in inputs)
            text = attempt_in_text(Attempt("", tuple(right))) + "\n"
            printed = {"output_type": "stream", "name": "stdout", "text": text}
            source = check_cell(exercise, json.dumps(packed_cases(inputs)), "print_attempt")
            cells.append(_cell(number, source, [printed], ["nbval-check-output"]))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cell(number: int, source: str, outputs: list[Any], tags: list[str]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": number,  # without one nbval takes outputs for leftovers
        "id": f"cell-{number}",
        "metadata": {"tags": tags},
        "outputs": outputs,
        "source": source,
    }
