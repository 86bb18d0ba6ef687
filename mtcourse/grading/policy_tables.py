"""The tables that a teacher writes: points and comments by hand, and times of submissions."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.backlog import suggest_name

ADJUSTMENT_COLUMNS = ("learner", "notebook", "exercise", "points", "comment", "by")
TIME_COLUMNS = ("learner", "notebook", "time")
ExercisePoints = Mapping[str, Mapping[str, float]]
"""The points of each exercise of each notebook that can be graded."""


@dataclass(frozen=True)
class Adjustment:
    """Points or a comment by hand.

    Args:
        learner: the learner's name, or number.
        notebook: the name of the notebook.
        exercise: the id of the exercise; empty for the notebook as a whole.
        points: the points that count in place of others; None leaves them.
        comment: what the learner reads.
        by: who says so.
        place: the file and the line, for errors.
    """

    learner: str
    notebook: str
    exercise: str
    points: float | None
    comment: str
    by: str
    place: str


def read_adjustments(path: Path, known: ExercisePoints) -> tuple[Adjustment, ...]:
    """Reads the table of points and comments by hand.

    Raises:
        MtcourseError: a line is faulty; says which, and what to do.
    """
    found: dict[tuple[str, str, str], Adjustment] = {}
    for place, row, decimal in read_rows(path, ADJUSTMENT_COLUMNS):
        learner, notebook, exercise, points, comment, by = row
        if notebook not in known:
            close = suggest_name(notebook, known)
            raise MtcourseError(f"{place}: there is no solution of a notebook {notebook!r}{close}")
        if exercise and exercise not in known[notebook]:
            close = suggest_name(exercise, known[notebook])
            raise MtcourseError(f"{place}: {notebook} has no exercise {exercise!r}{close}")
        if not points and not comment:
            raise MtcourseError(f"{place}: there are neither points nor a comment: write one")
        number = _read_points(points.replace(decimal, "."), place) if points else None
        most = known[notebook][exercise] if exercise else sum(known[notebook].values())
        if number is not None and number > most:
            raise MtcourseError(
                f"{place}: {points} points, where {exercise or notebook} has {most}: give fewer"
            )
        one = Adjustment(learner, notebook, exercise, number, comment, by, place)
        if before := found.get((learner, notebook, exercise)):
            raise MtcourseError(f"{place} is on the same as {before.place}: keep one of them")
        found[learner, notebook, exercise] = one
    return tuple(found.values())


def _read_points(text: str, place: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = math.nan
    if not math.isfinite(points) or points < 0 or text.startswith("+"):
        raise MtcourseError(f"{place}: points are those that count, such as 2 or 0.5, not {text!r}")
    return points


def read_times(path: Path, timezone: tzinfo | None) -> Mapping[tuple[str, str], datetime]:
    """Reads the table of times.

    Raises:
        MtcourseError: a line is faulty; says which, and what to do.
    """
    times: dict[tuple[str, str], datetime] = {}
    for place, (learner, notebook, text), _ in read_rows(path, TIME_COLUMNS):
        try:
            time = datetime.fromisoformat(text)
        except ValueError as error:
            raise MtcourseError(
                f"{place}: the time is written as in 2026-10-02 23:59, not {text!r}"
            ) from error
        if time.tzinfo is None and timezone is None:
            raise MtcourseError(
                f"{place}: a time needs a zone: write timezone in policy.toml, or end the time "
                "with one, as in 2026-10-02 23:59+02:00"
            )
        if (learner, notebook) in times:
            raise MtcourseError(f"{place}: a second time of {learner}, {notebook}: keep one")
        times[learner, notebook] = time if time.tzinfo else time.replace(tzinfo=timezone)
    return times


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[str, list[str], str]]:
    """Yields the place of each line, its values in the order of the columns, and the decimal sign.

    Spreadsheets of some languages separate by semicolons, and write decimal commas.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise MtcourseError(f"{path} is not UTF-8: save it as CSV UTF-8") from error
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True)
    begin = 1
    try:
        heading = [name.strip().lower() for name in next(reader, [])]
        if sorted(heading) != sorted(columns):
            raise MtcourseError(
                f"{path}, line 1: the columns are {delimiter.join(columns)}, not "
                f"{delimiter.join(heading) or 'nothing'}"
            )
        places = [heading.index(name) for name in columns]
        begin = reader.line_num + 1
        for row in reader:
            place, begin = f"{path}, line {begin}", reader.line_num + 1
            if not any(map(str.strip, row)):
                continue
            if len(row) != len(columns):
                raise MtcourseError(
                    f"{place}: {len(row)} values, where there are {len(columns)} columns; put a "
                    f'text that contains {delimiter!r} between "'
                )
            yield place, [row[i].strip() for i in places], "," if delimiter == ";" else "."
    except csv.Error as error:
        raise MtcourseError(f"{path}, line {reader.line_num}: {error}") from error
