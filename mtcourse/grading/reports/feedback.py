"""What a learner gets back: their own work with each check's verdict beside the answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtcourse.grading.exercise_notebook import notebook_text
from mtcourse.grading.reports.counts import SAID, told_lines
from mtcourse.grading.reports.displayed_cells import Output, ShownCell, shown_cells
from mtcourse.grading.reports.pages import page
from mtcourse.grading.reports.sanitize import one_line
from mtcourse.grading.results import FAILED, GRADED, ExerciseResult, Result

_HEADING = re.compile(r"#{1,6} .*")


@dataclass(frozen=True)
class Line:
    """A line of a verdict, with what it tells.

    Args:
        kind: "holds", "fails", "mistake", "hint" or "more", which goes on with the line before.
        text: what is said.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Shown:
    """A cell of the feedback's page: one of the learner's, or a verdict; the other is None."""

    cell: ShownCell | None = None
    verdict: ExerciseResult | None = None
    lines: tuple[Line, ...] = ()


def feedback_page(result: Result, content: bytes) -> str:
    """The work and its verdicts as a page of its own.

    Args:
        result: what came of it.
        content: the file that was handed in.
    """
    shown = _parts(result, shown_cells(content))
    return page(
        "feedback.html",
        result=result,
        message=_message(result),
        said=SAID,
        parts=[part for part in shown if part.verdict or _is_work(part.cell, result)],
        heading=_heading_of,
    )


def feedback_notebook(result: Result, content: bytes) -> str:
    """The work and its verdicts as a notebook, which can be gone on with and handed in again."""
    cells = [_markdown("feedback", _summary(result))]
    for part in _parts(result, shown_cells(content)):
        if part.verdict:
            cells.append(_markdown(f"feedback-{len(cells)}", _verdict(part.verdict)))
        elif part.cell:
            cells.append(_as_json(part.cell))
    return notebook_text(
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


def _parts(result: Result, cells: Sequence[ShownCell]) -> list[Shown]:
    """The cells in their order, each verdict after its answer; those without one are last."""
    parts: list[Shown] = []
    numbers = {cell.number for cell in cells}
    for cell in cells:
        parts.append(Shown(cell))
        parts += [_shown(one) for one in result.exercises if one.cell == cell.number]
    return parts + [_shown(one) for one in result.exercises if one.cell not in numbers]


def _shown(one: ExerciseResult) -> Shown:
    return Shown(verdict=one, lines=tuple(map(_line, told_lines(one))))


def _line(line: str) -> Line:
    text = line.strip()
    for sign, kind in (("✓", "holds"), ("✗", "fails"), ("!", "fails"), ("→", "mistake")):
        if text.startswith(sign):
            return Line(kind, text[1:].strip())
    if text.startswith("Hint:"):
        return Line("hint", text.removeprefix("Hint:").strip())
    return Line("more", text)


def _is_work(cell: ShownCell | None, result: Result) -> bool:
    """Whether a cell is the learner's own, or heads an exercise: what was given is left out."""
    if cell is None or any(one.cell == cell.number for one in result.exercises):
        return cell is not None
    if cell.role in ("given", "hint", "check"):
        return cell.role == "given" and bool(_heading_of(cell))
    return bool(cell.text.strip())


def _heading_of(cell: ShownCell) -> str:
    """The heading of a text that was given; the question itself stands in the notebook."""
    first = cell.text.partition("\n")[0]
    is_heading = cell.kind == "markdown" and cell.role == "given" and _HEADING.fullmatch(first)
    return first.lstrip("# ") if is_heading else ""


def _message(result: Result) -> str:
    """Why there are no points to speak of."""
    if result.state == FAILED:
        return "This was not graded: the grader failed, which is not your fault."
    return (
        "" if result.state == GRADED else f"This could not be read: {one_line(result.reason, 400)}"
    )


def _summary(result: Result) -> str:
    """The first cell of a feedback notebook."""
    message = _message(result)
    told = [message or f"{result.points} of {result.out_of} points", ""]
    for one in result.exercises * (not message):
        outcome = SAID.get(one.outcome, one_line(one.outcome))
        told.append(f"{one_line(one.exercise)}: {one.points} of {one.out_of}, {outcome}")
    if result.repairs:
        told += ["", "Put right before it was graded:"]
        told += [f"- {one_line(repair, 400)}" for repair in result.repairs]
    return "# Feedback\n\n" + _fenced("\n".join([one_line(result.notebook), *told]).strip())


def _verdict(one: ExerciseResult) -> str:
    """The cell after an answer."""
    sign = "✓" if one.outcome == "passed" else "✗"
    outcome = SAID.get(one.outcome, one_line(one.outcome))
    heading = f"{sign} {one_line(one.exercise)}: {outcome}, {one.points} of {one.out_of} points"
    return _fenced("\n".join([heading, *told_lines(one)]))


def _fenced(text: str) -> str:
    """A text that no Markdown in it can leave."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _markdown(identity: str, text: str) -> dict[str, Any]:
    return {
        "cell_type": "markdown",
        "id": identity,
        "metadata": {"mtcourse": {"role": "feedback"}},
        "source": text.splitlines(keepends=True),
    }


def _as_json(cell: ShownCell) -> dict[str, Any]:
    """A learner's cell as the notebook format has it; outputs of checks are not the verdict's."""
    made: dict[str, Any] = {
        "cell_type": cell.kind,
        "id": f"cell-{cell.number}",
        "metadata": {"mtcourse": dict(cell.told)} if cell.told else {},
        "source": cell.text.splitlines(keepends=True),
    }
    if cell.kind != "code":
        return made
    outputs = [_output(output) for output in cell.outputs if cell.role != "check"]
    return {**made, "execution_count": None, "outputs": outputs}


def _output(output: Output) -> Mapping[str, Any]:
    if output.kind != "picture":
        return {"output_type": "stream", "name": "stdout", "text": output.content}
    data = {"image/png": output.content, "text/plain": "a picture"}
    return {"output_type": "display_data", "data": data, "metadata": {}}
