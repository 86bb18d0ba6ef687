"""The results in a terminal: the class as a table, one submission in full."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from mtcourse.grading.progress import wrapped
from mtcourse.grading.reports.counts import (
    SAID,
    ExerciseCount,
    NotebookCount,
    needs_a_look,
    notebook_counts,
    told_lines,
)
from mtcourse.grading.reports.sanitize import lines, one_line
from mtcourse.grading.results import FAILED, GRADED, Result

WIDTH = 100


def class_table(results: Sequence[Result]) -> Table:
    """How each exercise went, the points of each notebook, and how many need a look."""
    table = Table(
        title=Text(f"{len({r.learner for r in results})} learners"),
        title_justify="left",
        caption=Text(_caption(results)),
        caption_justify="left",
    )
    table.add_column("exercise", no_wrap=True)
    table.add_column("right", justify="right")
    table.add_column("wrong", justify="right")
    table.add_column("open", justify="right")
    table.add_column("stopped", justify="right")
    table.add_column("commonest mistake")
    for notebook in notebook_counts(results):
        for exercise in notebook.exercises:
            table.add_row(*map(Text, _row(exercise)))
        table.add_section()
        table.add_row(*map(Text, _sum(notebook)), style="bold")
        table.add_section()
    return table


def _row(count: ExerciseCount) -> tuple[str, ...]:
    share = f"{count.passed} of {count.all}"
    mistake = f"{count.mistake.name} ({count.mistake.learners})" if count.mistake else ""
    others = (str(number or "·") for number in (count.wrong, count.open, count.stopped))
    return (one_line(count.exercise, 40), share, *others, one_line(mistake, 60))


def _sum(count: NotebookCount) -> tuple[str, ...]:
    points = f"median {count.median:g} of {count.out_of} points" if count.points else "none graded"
    return (one_line(count.notebook, 40), "", "", "", "", points)


def _caption(results: Sequence[Result]) -> str:
    look = len(needs_a_look(results))
    said = [f"{look} of {len(results)} submissions need a look" if look else "none needs a look"]
    alone = sum(result.isolation == "none" for result in results)
    said += [f"{alone} were run without isolation"] * bool(alone)
    return "; ".join(said)


def explained(result: Result) -> str:
    """All that is known of one submission, to be printed."""
    points = f"{result.points} of {result.out_of} points"
    heading = f"{one_line(result.learner)}, {one_line(result.notebook)}: "
    said = [heading + (points if result.state == GRADED else result.state)]
    said += [f"  {lines(result.reason)}"] * bool(result.reason)
    said += [f"  put right: {one_line(repair, 400)}" for repair in result.repairs]
    for one in result.exercises:
        outcome = SAID.get(one.outcome, one_line(one.outcome))
        said += ["", f"{one_line(one.exercise)}: {outcome}, {one.points} of {one.out_of}"]
        said += told_lines(one)
    versions = ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))
    said += ["", f"isolation {result.isolation or '?'}; {versions}"]
    text = wrapped("\n".join(said), WIDTH)
    return text if result.state == FAILED else f"{text}\nagain: {_command(result)}"


def _command(result: Result) -> str:
    """What gives the same verdict once more."""
    file = shlex.quote(one_line(result.file, 300))
    return f"mtcourse grade {file} --seed {result.seed} --isolation {result.isolation} --explain"
