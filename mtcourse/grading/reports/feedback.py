"""The feedback for a learner: the submission, with the verdict below each answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtcourse.grading.exercise_notebook import serialize_notebook
from mtcourse.grading.reports.counts import OUTCOME_LABELS, split_feedback
from mtcourse.grading.reports.displayed_cells import (
    DisplayedCell,
    DisplayedOutput,
    read_displayed_cells,
)
from mtcourse.grading.reports.pages import render_page
from mtcourse.grading.reports.sanitize import clean_line
from mtcourse.grading.results import FAILED, GRADED, JUDGED, ExerciseResult, SubmissionResult

_HEADING = re.compile(r"#{1,6} .*")


@dataclass(frozen=True)
class FeedbackLine:
    """A line of a verdict.

    Args:
        kind: "holds", "fails", "mistake", "hint" or "more", which continues the line before.
        text: its text, without the sign at its beginning.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class FeedbackPart:
    """A part of the feedback: either a cell of the learner's, or a verdict."""

    cell: DisplayedCell | None = None
    verdict: ExerciseResult | None = None
    lines: tuple[FeedbackLine, ...] = ()


def render_feedback_page(result: SubmissionResult, content: bytes) -> str:
    """Renders the submission with its verdicts as a page.

    Args:
        result: the result of the submission.
        content: the bytes of the submission.
    """
    parts = _arrange_parts(result, read_displayed_cells(content))
    return render_page(
        "feedback.html",
        result=result,
        message=_explain_state(result),
        notes=_list_notes(result),
        said=OUTCOME_LABELS,
        parts=[part for part in parts if part.verdict or _is_own_work(part.cell, result)],
        heading=_find_heading,
    )


def render_feedback_notebook(result: SubmissionResult, content: bytes) -> str:
    """Renders the submission with its verdicts as a notebook, which can be handed in again."""
    cells = [_make_markdown_cell("feedback", _write_summary(result))]
    for part in _arrange_parts(result, read_displayed_cells(content)):
        if part.verdict:
            cells.append(
                _make_markdown_cell(f"feedback-{len(cells)}", _write_verdict(part.verdict))
            )
        elif part.cell:
            cells.append(_make_cell(part.cell))
    return serialize_notebook(
        {
            "cells": cells,
            "metadata": {
                "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                "language_info": {"name": "python"},
            },
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


def _arrange_parts(result: SubmissionResult, cells: Sequence[DisplayedCell]) -> list[FeedbackPart]:
    """Puts each verdict after the cell of its answer; verdicts without a cell come last."""
    parts: list[FeedbackPart] = []
    numbers = {cell.number for cell in cells}
    for cell in cells:
        parts.append(FeedbackPart(cell))
        parts += [_make_verdict_part(one) for one in result.exercises if one.cell == cell.number]
    return parts + [_make_verdict_part(one) for one in result.exercises if one.cell not in numbers]


def _make_verdict_part(one: ExerciseResult) -> FeedbackPart:
    return FeedbackPart(verdict=one, lines=tuple(map(_parse_line, split_feedback(one))))


def _parse_line(line: str) -> FeedbackLine:
    text = line.strip()
    for sign, kind in (("✓", "holds"), ("✗", "fails"), ("!", "fails"), ("→", "mistake")):
        if text.startswith(sign):
            return FeedbackLine(kind, text[1:].strip())
    if text.startswith("Hint:"):
        return FeedbackLine("hint", text.removeprefix("Hint:").strip())
    return FeedbackLine("more", text)


def _is_own_work(cell: DisplayedCell | None, result: SubmissionResult) -> bool:
    """Whether a cell is the learner's own, or the heading of an exercise."""
    if cell is None or any(one.cell == cell.number for one in result.exercises):
        return cell is not None
    if cell.role in ("given", "hint", "check"):
        return cell.role == "given" and bool(_find_heading(cell))
    return bool(cell.text.strip())


def _find_heading(cell: DisplayedCell) -> str:
    """Returns the heading of a given text cell; the rest of the question is not repeated."""
    first = cell.text.partition("\n")[0]
    is_heading = cell.kind == "markdown" and cell.role == "given" and _HEADING.fullmatch(first)
    return first.lstrip("# ") if is_heading else ""


def _explain_state(result: SubmissionResult) -> str:
    """Returns the reason why a submission is not graded; an empty string if it is."""
    if result.state == FAILED:
        return "This was not graded: the grader failed, which is not your fault."
    return (
        ""
        if result.state == GRADED
        else f"This could not be read: {clean_line(result.reason, 400)}"
    )


def _list_notes(result: SubmissionResult) -> tuple[str, ...]:
    """Returns where the points come from, if not only from the exercises."""
    return result.grade.notes if result.grade and result.state != FAILED else ()


def _write_summary(result: SubmissionResult) -> str:
    """Writes the first cell of a feedback notebook."""
    message, notes = _explain_state(result), _list_notes(result)
    lines = [message] * bool(message)
    if not message or notes:
        lines.append(f"{result.points} of {result.max_points} points")
    lines += [*(f"  {clean_line(note, 400)}" for note in notes), ""]
    for one in result.exercises * (not message):
        outcome = OUTCOME_LABELS.get(one.outcome, clean_line(one.outcome))
        note = f"; {clean_line(one.note, 400)}" if one.note else ""
        lines.append(
            f"{clean_line(one.exercise)}: {one.points} of {one.max_points}, {outcome}{note}"
        )
    if result.repairs:
        lines += ["", "Put right before it was graded:"]
        lines += [f"- {clean_line(repair, 400)}" for repair in result.repairs]
    return "# Feedback\n\n" + _fence("\n".join([clean_line(result.notebook), *lines]).strip())


def _write_verdict(one: ExerciseResult) -> str:
    """Writes the cell after an answer."""
    sign = "✓" if one.outcome == "passed" else "•" if one.outcome == JUDGED else "✗"
    outcome = OUTCOME_LABELS.get(one.outcome, clean_line(one.outcome))
    heading = (
        f"{sign} {clean_line(one.exercise)}: {outcome}, {one.points} of {one.max_points} points"
    )
    notes = [clean_line(one.note, 400)] * bool(one.note)
    return _fence("\n".join([heading, *notes, *split_feedback(one)]))


def _fence(text: str) -> str:
    """Puts a text into a code fence that no Markdown in it can close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _make_markdown_cell(identity: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": identity,
        "metadata": {"mtcourse": {"role": "feedback"}},
        "source": text.splitlines(keepends=True),
    }


def _make_cell(cell: DisplayedCell) -> dict[str, Any]:
    """Converts a learner's cell to the notebook format, without the outputs of checks."""
    made: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{cell.number}",
        "metadata": {"mtcourse": dict(cell.metadata)} if cell.metadata else {},
        "source": cell.text.splitlines(keepends=True),
    }
    if cell.kind != "code":
        return made
    outputs = [_make_output(output) for output in cell.outputs if cell.role != "check"]
    return {**made, "execution_count": None, "outputs": outputs}


def _make_output(output: DisplayedOutput) -> Mapping[str, Any]:
    if output.kind != "picture":
        return {"output_type": "stream", "name": "stdout", "text": output.content}
    data = {"image/png": output.content, "text/plain": "a picture"}
    return {"output_type": "display_data", "data": data, "metadata": {}}
