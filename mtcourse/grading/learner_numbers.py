"""Numbers in place of names, so that people can mark without knowing whose work it is."""

from __future__ import annotations

import csv
import io
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.results import SubmissionResult
from mtcourse.whole_files import write_whole

COLUMNS = ["learner", "number"]


def assign_numbers(path: Path, learners: Iterable[str]) -> dict[str, str]:
    """Returns the number of each learner; whoever has none gets one, drawn at random.

    Args:
        path: the table of numbers, which is read and written.
        learners: the names of the learners.

    Raises:
        MtcourseError: the table is damaged.
    """
    numbers = read_numbers(path)
    missing = sorted(set(learners) - set(numbers))
    digits = max(4, len(str(2 * (len(numbers) + len(missing)))))
    taken = set(numbers.values())
    for learner in missing:
        while (number := str(10 ** (digits - 1) + secrets.randbelow(9 * 10 ** (digits - 1)))) in (
            taken
        ):
            continue
        numbers[learner] = number
        taken.add(number)
    if missing:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([COLUMNS, *sorted(numbers.items())])
        write_whole(path, text.getvalue(), private=True)
    return numbers


def read_numbers(path: Path) -> dict[str, str]:
    """Returns the numbers that have been given; nothing if there is no table.

    Raises:
        MtcourseError: the table is damaged.
    """
    if not path.exists():
        return {}
    try:
        heading, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        numbers = dict(rows)
    except (OSError, ValueError, csv.Error):
        heading, rows, numbers = [], [], {}
    if heading != COLUMNS or len(set(numbers.values())) != len(rows):
        raise MtcourseError(
            f"{path} is damaged, and with it the numbers of this class: bring it back, or delete "
            "it, and everybody gets another number"
        )
    return numbers


def replace_names(result: SubmissionResult, numbers: Mapping[str, str]) -> SubmissionResult:
    """Returns a result with the learner's number in place of the name, also in texts.

    What the learner has written into the notebook stays as it is.
    """
    number = numbers[result.learner]
    names = {result.learner, re.sub(r"_\d+$", "", result.learner), result.file.partition("/")[0]}
    longest_first = sorted((name for name in names if name), key=len, reverse=True)
    pattern = re.compile(
        rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])", re.IGNORECASE
    )

    def hide(text: str) -> str:
        return pattern.sub(number, text)

    return replace(
        result,
        learner=number,
        file=f"{number}/{result.notebook or 'unknown'}",
        reason=hide(result.reason),
        repairs=tuple(map(hide, result.repairs)),
        exercises=tuple(replace(one, note=hide(one.note)) for one in result.exercises),
        grade=result.grade and replace(result.grade, notes=tuple(map(hide, result.grade.notes))),
    )
