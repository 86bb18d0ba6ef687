"""Where a class stands: what is graded, what is due, and why something would be graded again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mtcourse.grading.cache_key import PARTS, differences
from mtcourse.grading.grade_job import versions
from mtcourse.grading.grading_config import Batch
from mtcourse.grading.jobs import Job
from mtcourse.grading.results import FAILED, UNREADABLE, ExerciseResult, Result
from mtcourse.grading.submissions import Found
from mtcourse.grading.submitted_notebook import Unreadable
from mtcourse.whole_files import write_whole

UNKNOWN = "unknown"
"""The name of the record of files that answer no known notebook."""
MOST_TOLD = 10
"""Files that cannot be read and are named in the terminal; the reports name all of them."""


@dataclass
class Standing:
    """A class between handing in and being graded.

    Args:
        due: what is to be graded.
        kept: results that hold.
        unread: results of what is not even opened.
        stale: for results that came about otherwise than they would now, why; each is kept as it
            is, or due again.
    """

    due: list[Found] = field(default_factory=list)
    kept: list[Result] = field(default_factory=list)
    unread: list[Result] = field(default_factory=list)
    stale: list[tuple[Result, str]] = field(default_factory=list)

    def told(self) -> list[str]:
        """How many there are of each kind, and why some cannot be read, in lines."""
        due, done, unread = map(len, (self.due, self.kept, self.unread))
        told = [f"{due} to grade, {done} done, {unread} that cannot be read"]
        told += [f"  {one.file}: {one.reason}" for one in self.unread[:MOST_TOLD]]
        more = unread - MOST_TOLD
        return told + [f"  and {more} more, which the report names"] * (more > 0)


def standing(found: Iterable[Found], batch: Batch, records: Path, again: bool) -> Standing:
    """Compares what was handed in with what is graded.

    A changed submission is another one, and due. Whatever else has changed changes nothing that
    is graded already, unless it is asked for.

    Args:
        found: what was handed in.
        batch: how it is graded.
        records: the folder of results.
        again: whether results that came about otherwise are due again.
    """
    now = Standing()
    for one in found:
        before = read_record(records, one.learner, one.notebook)
        try:
            key = job_of(one, batch).key
        except Unreadable as error:
            now.unread.append(unreadable(one, batch, str(error)))
            continue
        if before is None or before.state == FAILED:
            now.due.append(one)
        elif before.key == key:
            now.kept.append(before)
        elif "submission" in (changed := differences(before.key, key)):
            now.due.append(one)
        else:
            now.stale.append((before, "; ".join(_why(part, before) for part in changed)))
            if again:
                now.due.append(one)
            else:
                now.kept.append(before)
    return now


def _why(part: str, before: Result) -> str:
    """What it means that a part of the key is another, with the versions that are."""
    if part != "environment":
        return PARTS[part]
    here = versions()
    names = sorted({*here, *before.versions})
    others = [
        f"{name} {before.versions.get(name) or 'none'}, now {here.get(name) or 'none'}"
        for name in names
        if before.versions.get(name) != here.get(name)
    ]
    return f"{PARTS[part]} ({'; '.join(others)})"


def job_of(found: Found, batch: Batch) -> Job:
    """The job of grading what was found.

    Raises:
        Unreadable: there is nothing to grade.
    """
    if found.reason:
        raise Unreadable(found.reason)
    return batch.job(found.learner, found.notebook, found.file, found.read())


def unreadable(found: Found, batch: Batch, reason: str) -> Result:
    """The result of a file that is not even opened."""
    known = batch.solutions.get(found.notebook)
    points = known.points if known else {}
    return Result(
        found.learner,
        found.notebook,
        found.file,
        UNREADABLE,
        reason=reason,
        exercises=tuple(ExerciseResult(one, "unreadable", 0, points[one]) for one in points),
        isolation=batch.isolation,
        versions=versions(),
    )


def record_path(records: Path, learner: str, notebook: str) -> Path:
    """Where the result of a learner's notebook is kept."""
    return records / learner / f"{notebook or UNKNOWN}.json"


def read_record(records: Path, learner: str, notebook: str) -> Result | None:
    """The result that is kept; none where there is none, or none that can be read."""
    path = record_path(records, learner, notebook)
    try:
        kept = Result.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return kept if (kept.learner, kept.notebook) == (learner, notebook) else None


def keep(records: Path, result: Result) -> None:
    """Writes a result, whole or not at all."""
    write_whole(
        record_path(records, result.learner, result.notebook), result.to_json(), private=True
    )
