"""The results for a terminal: a table of the class, or one submission in full."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from mtcourse.grading.progress import wrap_report
from mtcourse.grading.reports.counts import (
    OUTCOME_LABELS,
    ExerciseCount,
    NotebookCount,
    count_notebooks,
    find_submissions_to_review,
    split_feedback,
)
from mtcourse.grading.reports.sanitize import clean_line, clean_lines
from mtcourse.grading.results import FAILED, GRADED, SubmissionResult

WIDTH = 100


def class_table(results: Sequence[SubmissionResult]) -> Table:
    """Makes a table of all exercises and notebooks, with the number of submissions to review."""
    learners = len({result.learner for result in results})
    table = Table(
        title=Text("one learner" if learners == 1 else f"{learners} learners"),
        title_justify="left",
        caption=Text(_write_caption(results)),
        caption_justify="left",
    )
    table.add_column("exercise", no_wrap=True)
    table.add_column("right", justify="right")
    table.add_column("wrong", justify="right")
    table.add_column("open", justify="right")
    table.add_column("stopped", justify="right")
    table.add_column("commonest mistake")
    for notebook in count_notebooks(results):
        for exercise in notebook.exercises:
            table.add_row(*map(Text, _make_exercise_row(exercise)))
        table.add_section()
        table.add_row(*map(Text, _make_total_row(notebook)), style="bold")
        table.add_section()
    return table


def _make_exercise_row(count: ExerciseCount) -> tuple[str, ...]:
    share = f"{count.passed} of {count.total}"
    mistake = (
        f"{count.misconception.name} ({count.misconception.learners})"
        if count.misconception
        else ""
    )
    others = (str(number or "·") for number in (count.wrong, count.open, count.stopped))
    return (clean_line(count.exercise, 40), share, *others, clean_line(mistake, 60))


def _make_total_row(count: NotebookCount) -> tuple[str, ...]:
    points = (
        f"median {count.median:g} of {count.max_points} points" if count.points else "none graded"
    )
    return (clean_line(count.notebook, 40), "", "", "", "", points)


def _write_caption(results: Sequence[SubmissionResult]) -> str:
    look = len(find_submissions_to_review(results))
    lines = [f"{look} of {len(results)} submissions need a look" if look else "none needs a look"]
    alone = sum(result.isolation == "none" for result in results)
    lines += [f"{alone} were run without isolation"] * bool(alone)
    return "; ".join(lines)


def format_result(result: SubmissionResult) -> str:
    """Formats the whole result of one submission."""
    points = f"{result.points} of {result.max_points} points"
    heading = f"{clean_line(result.learner)}, {clean_line(result.notebook)}: "
    lines = [heading + (points if result.state == GRADED else result.state)]
    lines += [f"  {clean_lines(result.reason)}"] * bool(result.reason)
    lines += [f"  put right: {clean_line(repair, 400)}" for repair in result.repairs]
    for one in result.exercises:
        outcome = OUTCOME_LABELS.get(one.outcome, clean_line(one.outcome))
        lines += ["", f"{clean_line(one.exercise)}: {outcome}, {one.points} of {one.max_points}"]
        lines += split_feedback(one)
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))
    lines += ["", f"isolation {result.isolation or '?'}; {versions}"]
    text = wrap_report("\n".join(lines), WIDTH)
    return text if result.state == FAILED else f"{text}\nagain: {_write_command(result)}"


def _write_command(result: SubmissionResult) -> str:
    """Writes the command that reproduces the verdict."""
    file = shlex.quote(clean_line(result.file, 300))
    return f"mtcourse grade {file} --seed {result.seed} --isolation {result.isolation} --explain"
