"""When a submission was handed in, as far as its files say.

The time is never taken from what a learner's own archive holds, nor from a file that a learner has
uploaded to Canvas or Moodle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from mtcourse.grading.submission_paths import KnownNotebooks, ParsedPath, parse_path
from mtcourse.grading.submitted_files import SubmittedFile
from mtcourse.grading.submitted_notebook import Unreadable

STAMP = "timestamp.txt"
"""The file in which nbgrader writes when an assignment was handed in."""
MAX_TIME = 2.0**33
"""A time in the year 2242."""
TimeStamps = Mapping[tuple[str, ...], float]
"""The times that nbgrader has written, by the folder of the assignment."""


@dataclass(frozen=True)
class SubmissionTimes:
    """When a submission was handed in, in seconds since 1970; 0 where that is unknown.

    Args:
        nbgrader: as nbgrader has written it.
        nbgrader_source: where nbgrader has written it.
        file: the last change of the file.
        marked_late: whether Canvas has marked it as late; None if it is not from Canvas.
    """

    nbgrader: float = 0.0
    nbgrader_source: str = ""
    file: float = 0.0
    marked_late: bool | None = None


def read_time_stamps(files: Iterable[SubmittedFile], known: KnownNotebooks) -> TimeStamps:
    """Reads the files in which nbgrader has written times.

    Each lies in the folder of an assignment, in the folder of a learner. A learner can upload a
    file of this name to Canvas or Moodle, where it means nothing.
    """
    found: dict[tuple[str, ...], float] = {}
    for file in files:
        if file.parts[-1] != STAMP or len(file.parts) < 2:
            continue
        path = parse_path(file.parts, known)
        is_deep_enough = len(file.parts) > 2 or path.exchange_time
        if file.reason or path.from_lms or not is_deep_enough:
            continue
        try:
            found[file.parts[:-1]] = parse_time_stamp(file.read().decode("utf-8", "replace"))
        except Unreadable:
            continue
    return found


def find_times(file: SubmittedFile, path: ParsedPath, stamps: TimeStamps) -> SubmissionTimes:
    """Finds when a file was handed in.

    Args:
        file: a notebook, or an archive around it.
        path: what its path says.
        stamps: the times that nbgrader has written.
    """
    time, source = parse_time_stamp(path.exchange_time), "its folder in the exchange"
    for depth in range(len(file.parts) - 1, 0, -1):
        if not time and (time := stamps.get(file.parts[:depth], 0.0)):
            source = STAMP
    return SubmissionTimes(
        time, source if time else "", _plausible(file.modified), path.marked_late
    )


def parse_time_stamp(text: str) -> float:
    """Returns the time that nbgrader has written; 0 if it is written otherwise.

    >>> parse_time_stamp("2026-10-02 18:03:11.250000 UTC")
    1790964191.25
    """
    plain = text.strip()[:64].removesuffix("UTC").strip()
    try:
        time = datetime.fromisoformat(plain)
        return _plausible((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _plausible(seconds: float) -> float:
    """Returns a time, or 0 if it is so far away that no calendar may hold it."""
    return seconds if 0 < seconds < MAX_TIME else 0.0
