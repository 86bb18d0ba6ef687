"""Finds the submissions of a class: the learner and the notebook of each file, or why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.submission_paths import (
    KnownNotebooks,
    ParsedPath,
    find_notebook_name,
    is_archive,
    is_name_of,
    is_notebook,
    parse_path,
    printable_path,
    strip_ending,
)
from mtcourse.grading.submission_times import (
    SubmissionTimes,
    TimeStamps,
    find_times,
    read_time_stamps,
)
from mtcourse.grading.submitted_files import (
    SubmittedFile,
    describe_single_file,
    list_class_archive,
    list_folder,
    list_learner_archive,
    refuse_file,
)
from mtcourse.grading.submitted_notebook import Unreadable, parse_submitted_notebook

MAX_LISTED = 3
"""The number of files that a reason lists by name."""
MAX_NOTEBOOKS = 100
"""The number of notebooks that one learner's archive may contain."""
CLASS_ARCHIVE = (
    "it looks like the archive of a whole class: grade it by itself, or rename it after its "
    "notebook, as in 05_masks.zip"
)
_DEFINITION = re.compile(r"^(?:def |class )?(\w+) ?[=(:]", re.MULTILINE)
"""The names that code defines at its left margin, and a few others."""
_CLASS_ARCHIVE_NAME = re.compile(r"(?:submissions|submitted)(?![a-z]).*", re.IGNORECASE)
"""The usual names of a class's archive that do not mention the notebook."""


@dataclass(frozen=True)
class Submission:
    """The notebook that a learner handed in for one exercise notebook, or the file in its place.

    Args:
        learner: the author, as a name that is valid for a file on every system.
        notebook: the exercise notebook that it answers; empty where that is unknown.
        file: its path below the folder of submissions, safe to print.
        read: returns its bytes, or raises Unreadable.
        reason: why it cannot be graded; empty where it may be.
        notes: what else the learner should know, such as that an earlier attempt was ignored.
        times: when it was handed in, as far as files say.
        is_last: whether no later attempt follows.
    """

    learner: str
    notebook: str
    file: str
    read: Callable[[], bytes]
    reason: str = ""
    notes: tuple[str, ...] = ()
    times: SubmissionTimes = field(default_factory=SubmissionTimes)
    is_last: bool = True


@dataclass(frozen=True)
class _SubmissionAttempt:
    """A submitted file, with what its path says about it, or the path of the archive around it."""

    path: ParsedPath
    notebook: str
    file: SubmittedFile
    times: SubmissionTimes

    @property
    def learner(self) -> str:
        """The author of the file."""
        return self.path.learner

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key of attempts at the same notebook: the greatest is the latest."""
        file, number = self.file, self.path.attempt
        counted = number if self.path.counted_by_lms else 0
        handed_in = self.times.nbgrader or self.times.file
        return not file.reason, counted, handed_in, file.modified, number, file.parts


def find_submissions(
    submissions: Path, known: KnownNotebooks, every_attempt: bool = False
) -> list[Submission]:
    """Finds everything that was handed in, one submission for each learner and notebook.

    Understands a folder for each learner, files of all learners in one folder, and the archives of
    Canvas and Moodle, packed or unpacked; all of these may lie in folders named after a notebook.
    Also understands what nbgrader has collected, and the folder ``inbound`` of its exchange.
    Everything in a learner's archive belongs to that learner, even if it bears another name.

    Args:
        submissions: a folder, an archive, or one notebook.
        known: the notebooks that are graded.
        every_attempt: whether to return earlier attempts too, each before the later one.

    Raises:
        MtcourseError: the path does not exist, or is an archive that cannot be read.
    """
    notebooks: list[_SubmissionAttempt] = []
    others: list[_SubmissionAttempt] = []
    files = list(_list_files(submissions, known))
    stamps = read_time_stamps((file for file, _ in files), known)
    for file, hint in files:
        for attempt in _read_attempts(file, known, hint, stamps):
            is_one = is_notebook(attempt.file.parts[-1])
            (notebooks if is_one else others).append(attempt)
    groups: dict[tuple[str, str], list[_SubmissionAttempt]] = {}
    for attempt in notebooks:
        groups.setdefault((attempt.learner, attempt.notebook), []).append(attempt)
    found: list[Submission] = []
    for group in groups.values():
        if not group[0].notebook:
            found.append(_report_unknown_notebooks(group))
        elif every_attempt:
            found += _list_attempts(group)
        else:
            found.append(_choose_latest(group))
    found = [
        replace(one, notes=(*one.notes, *_list_refused_files(one.learner, others))) for one in found
    ]
    found += _report_missing_notebooks(others, {attempt.learner for attempt in notebooks})
    return sorted(found, key=lambda one: (one.learner, one.notebook))


def _list_files(submissions: Path, known: KnownNotebooks) -> Iterator[tuple[SubmittedFile, str]]:
    """Yields every file, with the notebook that the archive around it is named after.

    An archive belongs to the whole class if it is the path that was given, or the only file, or if
    its name is that of a notebook alone. Every other archive belongs to one learner.
    """
    if submissions.is_dir():
        files = list(list_folder(submissions))
        for file in files:
            yield from _expand_archive(submissions, file, len(files) == 1, known)
    elif not submissions.exists():
        raise MtcourseError(f"there is nothing at {submissions}: name a folder of submissions")
    elif is_archive(submissions.name):
        yield from _list_only_archive(submissions, known)
    else:
        file = describe_single_file(submissions)
        if any(is_name_of(one, submissions.stem) for one in known):
            file = replace(file, parts=(submissions.resolve().parent.name, *file.parts))
        yield file, ""


def _expand_archive(
    folder: Path, file: SubmittedFile, is_alone: bool, known: KnownNotebooks
) -> Sequence[tuple[SubmittedFile, str]]:
    """Returns the file itself, or the files in it if it is the archive of the class."""
    path = folder.joinpath(*file.parts)
    if file.reason or len(file.parts) > 1 or not is_archive(path.name):
        return [(file, "")]
    if is_alone and not parse_path(file.parts, known).from_lms:
        return _list_only_archive(path, known)
    if any(is_name_of(one, path.stem) for one in known):
        try:
            return _list_class_archive(path, known)
        except Unreadable as error:
            return [(refuse_file(file.parts, str(error)), "")]
    return [(file, "")]


def _list_only_archive(path: Path, known: KnownNotebooks) -> Sequence[tuple[SubmittedFile, str]]:
    """Lists the files of the only archive that there is.

    Raises:
        MtcourseError: it is not a readable archive.
    """
    try:
        return _list_class_archive(path, known)
    except Unreadable as error:
        raise MtcourseError(f"{path}: {error}") from error


def _list_class_archive(path: Path, known: KnownNotebooks) -> Sequence[tuple[SubmittedFile, str]]:
    """Lists the files of a class's archive, each with the notebook that the archive names."""
    hint = find_notebook_name(path.stem, known)
    return [(file, hint) for file in list_class_archive(path)]


def _read_attempts(
    file: SubmittedFile, known: KnownNotebooks, hint: str, stamps: TimeStamps
) -> list[_SubmissionAttempt]:
    """Returns the attempts in a file: the file itself, or the notebooks in a learner's archive."""
    path = parse_path(file.parts, known)
    times = find_times(file, path, stamps)
    if file.reason or not is_archive(file.parts[-1]):
        notebook = path.notebook or _recognise_notebook(file, known) or path.folder_notebook or hint
        return [_SubmissionAttempt(path, notebook, file, times)]
    try:
        inside = list_learner_archive(file)
        notebooks = [one for one in inside if is_notebook(one.parts[-1])]
        inner = [parse_path(one.parts[len(file.parts) :], known) for one in notebooks]
        _refuse_class_archive(file, path, inner)
    except Unreadable as error:
        return [_SubmissionAttempt(path, "", refuse_file(file.parts, str(error)), times)]
    if not notebooks:
        return [_SubmissionAttempt(path, "", one, times) for one in inside]
    made = []
    for one, named in zip(notebooks, inner, strict=True):
        around = named.folder_notebook or path.notebook or path.folder_notebook or hint
        notebook = named.notebook or _recognise_notebook(one, known) or around
        made.append(_SubmissionAttempt(path, notebook, one, times))
    return made


def _refuse_class_archive(
    file: SubmittedFile, path: ParsedPath, inside: Sequence[ParsedPath]
) -> None:
    """Checks that an archive can belong to one learner.

    Raises:
        Unreadable: it is that of a class, or contains more notebooks than one learner hands in.
    """
    if len(inside) > MAX_NOTEBOOKS:
        raise Unreadable(f"it holds more than {MAX_NOTEBOOKS} notebooks: hand in the one asked for")
    only_named = not path.from_lms and not path.in_own_folder
    is_called_so = bool(_CLASS_ARCHIVE_NAME.fullmatch(strip_ending(file.parts[-1])))
    if only_named and (is_called_so or any(one.from_lms for one in inside)):
        raise Unreadable(CLASS_ARCHIVE)


def _recognise_notebook(file: SubmittedFile, known: KnownNotebooks) -> str:
    """Returns the notebook that shares most exercises with a file, or nothing if there is a tie."""
    if file.reason or not is_notebook(file.parts[-1]):
        return ""
    try:
        cells = parse_submitted_notebook(file.read()).cells
    except Unreadable:
        return ""
    marks = {mark for cell in cells for mark in (cell.exercise, cell.id) if isinstance(mark, str)}
    # The code is not parsed here, because its author decides how long that takes.
    marks |= {name for cell in cells for name in _DEFINITION.findall(cell.text)}
    shares = sorted(
        ((len(marks & exercises), name) for name, exercises in known.items()), reverse=True
    )
    first, second = (*shares, (0, ""), (0, ""))[:2]
    return first[1] if first[0] > second[0] else ""


def _choose_latest(attempts: Sequence[_SubmissionAttempt]) -> Submission:
    """Chooses the latest of several attempts, with a note on the others."""
    *earlier, last = sorted(attempts, key=lambda attempt: attempt.rank)
    notes = ()
    if earlier:
        left = _join_some([printable_path(attempt.file.parts) for attempt in earlier])
        notes = (f"of {len(attempts)} files the latest is graded; left out: {left}",)
    return _make_submission(last, notes)


def _list_attempts(attempts: Sequence[_SubmissionAttempt]) -> list[Submission]:
    """Returns all attempts in their order."""
    ordered = sorted(attempts, key=lambda attempt: attempt.rank)
    return [_make_submission(one, (), one is ordered[-1]) for one in ordered]


def _make_submission(
    attempt: _SubmissionAttempt, notes: tuple[str, ...], is_last: bool = True
) -> Submission:
    file = attempt.file
    path = printable_path(file.parts)
    return Submission(
        attempt.learner,
        attempt.notebook,
        path,
        file.read,
        file.reason,
        notes,
        attempt.times,
        is_last,
    )


def _report_unknown_notebooks(attempts: Sequence[_SubmissionAttempt]) -> Submission:
    """Returns one submission for those notebooks of a learner that match no graded notebook."""
    first = attempts[0].file
    reason = first.reason or "it cannot be told which exercise notebook it is: name it after one"
    if len(attempts) > 1:
        names = _join_some([printable_path(attempt.file.parts) for attempt in attempts])
        reason = f"of {len(attempts)} files it cannot be told which notebooks they are: {names}"
    return Submission(attempts[0].learner, "", printable_path(first.parts), first.read, reason)


def _list_refused_files(learner: str, others: Sequence[_SubmissionAttempt]) -> Iterator[str]:
    """Yields a note on each file of a learner that could not be opened."""
    for attempt in others:
        if attempt.learner == learner and attempt.file.reason:
            file = attempt.file
            yield f"{printable_path(file.parts)} is left out: {file.reason}"


def _report_missing_notebooks(
    others: Sequence[_SubmissionAttempt], done: set[str]
) -> Iterator[Submission]:
    """Yields a submission for each learner who handed in files but no notebook.

    Loose files are left out, because their author is unknown.
    """
    of_learner: dict[str, list[SubmittedFile]] = {}
    for attempt in others:
        is_of_somebody = attempt.path.from_lms or len(attempt.file.parts) > 1
        if attempt.learner not in done and (is_of_somebody or attempt.file.reason):
            of_learner.setdefault(attempt.learner, []).append(attempt.file)
    for learner, files in of_learner.items():
        names = _join_some([printable_path(file.parts) for file in files])
        refusal = next((file.reason for file in files if file.reason), "")
        reason = refusal or f"there is no notebook, only {names}: hand in the .ipynb itself"
        yield Submission(learner, "", printable_path(files[0].parts), files[0].read, reason)


def _join_some(names: Sequence[str]) -> str:
    """Joins the first few names, and counts the others."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more
