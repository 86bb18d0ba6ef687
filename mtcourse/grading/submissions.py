"""What a class has handed in: whose each file is, which notebook it answers, or why neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.submission_paths import (
    Known,
    Told,
    is_archive,
    is_name_of,
    is_notebook,
    notebook_in,
    printable,
    stem_of,
    told_by,
)
from mtcourse.grading.submitted_files import (
    HandedIn,
    files_in,
    files_in_own_zip,
    files_in_zip,
    refused,
    single_file,
)
from mtcourse.grading.submitted_notebook import Unreadable, parse_submission

SOME = 3
"""Files that a reason names, of however many."""
MOST_NOTEBOOKS = 100
"""Notebooks that an archive of one learner's may hold."""
OF_A_CLASS = (
    "it looks like the archive of a whole class: grade it by itself, or rename it after its "
    "notebook, as in 05_masks.zip"
)
_DEFINED = re.compile(r"^(?:def |class )?(\w+) ?[=(:]", re.MULTILINE)
"""The names that code defines at its left margin, and a few others."""
_ALL_OF_THEM = re.compile(r"(?:submissions|submitted)(?![a-z]).*", re.IGNORECASE)
"""How archives of a class are called that do not name the notebook."""


@dataclass(frozen=True)
class Found:
    """A notebook that somebody handed in, or what they handed in instead.

    Args:
        learner: whose it is, as a name that any file can have.
        notebook: which exercise notebook it answers; empty where that cannot be told.
        file: where it lies, relative to the submissions, as it can be printed.
        read: its bytes; raises Unreadable.
        reason: why it cannot be graded; empty where it may be.
        notes: what else its author is to know, such as that an earlier attempt was left.
    """

    learner: str
    notebook: str
    file: str
    read: Callable[[], bytes]
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Attempt:
    """A file with what its path tells, or that of the archive which its author has packed."""

    told: Told
    notebook: str
    handed_in: HandedIn
    arrived: float

    @property
    def learner(self) -> str:
        """Whose it is."""
        return self.told.learner

    @property
    def rank(self) -> tuple[object, ...]:
        """Among attempts at the same notebook, the greatest is the latest one."""
        file, number = self.handed_in, self.told.number
        counted = number if self.told.is_numbered else 0
        return not file.reason, counted, self.arrived, file.when, number, file.parts


def find(submissions: Path, known: Known) -> list[Found]:
    """Everything that was handed in, one for each learner and notebook.

    Understands a folder for each learner, files of all learners in one folder, and the archives of
    Canvas and Moodle, as they are or unpacked; folders named after a notebook may lie around them.
    What a learner has packed into an archive is that learner's, whatever it is called in there.

    Args:
        submissions: a folder, an archive, or one notebook.
        known: the notebooks that are graded.

    Raises:
        MtcourseError: there is nothing to look into.
    """
    notebooks: list[_Attempt] = []
    others: list[_Attempt] = []
    for file, hint in _files(submissions, known):
        for attempt in _attempts(file, known, hint):
            is_one = is_notebook(attempt.handed_in.parts[-1])
            (notebooks if is_one else others).append(attempt)
    groups: dict[tuple[str, str], list[_Attempt]] = {}
    for attempt in notebooks:
        groups.setdefault((attempt.learner, attempt.notebook), []).append(attempt)
    found = [_latest(group) if group[0].notebook else _unknown(group) for group in groups.values()]
    found = [replace(one, notes=(*one.notes, *_left_out(one.learner, others))) for one in found]
    found += _without_notebook(others, {attempt.learner for attempt in notebooks})
    return sorted(found, key=lambda one: (one.learner, one.notebook))


def _files(submissions: Path, known: Known) -> Iterator[tuple[HandedIn, str]]:
    """Every file, with the notebook that the archive around it is named after.

    An archive is the class's if it is what was asked for, or all that there is, or is named after
    a notebook and nobody; every other one is some learner's.
    """
    if submissions.is_dir():
        files = list(files_in(submissions))
        for file in files:
            yield from _in_folder(submissions, file, len(files) == 1, known)
    elif not submissions.exists():
        raise MtcourseError(f"there is nothing at {submissions}: name a folder of submissions")
    elif is_archive(submissions.name):
        yield from _only_class_in(submissions, known)
    else:
        file = single_file(submissions)
        if any(is_name_of(one, submissions.stem) for one in known):
            file = replace(file, parts=(submissions.resolve().parent.name, *file.parts))
        yield file, ""


def _in_folder(
    folder: Path, file: HandedIn, is_alone: bool, known: Known
) -> Sequence[tuple[HandedIn, str]]:
    """A file of the folder of submissions, or those of the class where it is their archive."""
    path = folder.joinpath(*file.parts)
    if file.reason or len(file.parts) > 1 or not is_archive(path.name):
        return [(file, "")]
    if is_alone and not told_by(file.parts, known).by_system:
        return _only_class_in(path, known)
    if any(is_name_of(one, path.stem) for one in known):
        try:
            return _class_in(path, known)
        except Unreadable as error:
            return [(refused(file.parts, str(error)), "")]
    return [(file, "")]


def _only_class_in(path: Path, known: Known) -> Sequence[tuple[HandedIn, str]]:
    """The files of an archive that is all that there is to grade.

    Raises:
        MtcourseError: it is none.
    """
    try:
        return _class_in(path, known)
    except Unreadable as error:
        raise MtcourseError(f"{path}: {error}") from error


def _class_in(path: Path, known: Known) -> Sequence[tuple[HandedIn, str]]:
    """The files of a class's archive, each with the notebook that the archive is named after."""
    hint = notebook_in(path.stem, known)
    return [(file, hint) for file in files_in_zip(path)]


def _attempts(file: HandedIn, known: Known, hint: str) -> list[_Attempt]:
    """What a file comes to: itself, or what its author has packed into it."""
    told = told_by(file.parts, known)
    if file.reason or not is_archive(file.parts[-1]):
        notebook = told.notebook or _notebook_of(file, known) or told.around or hint
        return [_Attempt(told, notebook, file, file.when)]
    try:
        inside = files_in_own_zip(file)
        notebooks = [one for one in inside if is_notebook(one.parts[-1])]
        inner = [told_by(one.parts[len(file.parts) :], known) for one in notebooks]
        _refuse_a_class(file, told, inner)
    except Unreadable as error:
        return [_Attempt(told, "", refused(file.parts, str(error)), file.when)]
    if not notebooks:
        return [_Attempt(told, "", one, file.when) for one in inside]
    made = []
    for one, named in zip(notebooks, inner, strict=True):
        around = named.around or told.notebook or told.around or hint
        notebook = named.notebook or _notebook_of(one, known) or around
        made.append(_Attempt(told, notebook, one, file.when))
    return made


def _refuse_a_class(file: HandedIn, told: Told, inside: Sequence[Told]) -> None:
    """Sees to it that an archive can be one learner's.

    Raises:
        Unreadable: it is a class's, or holds more than anybody means to hand in.
    """
    if len(inside) > MOST_NOTEBOOKS:
        raise Unreadable(
            f"it holds more than {MOST_NOTEBOOKS} notebooks: hand in the one asked for"
        )
    only_named = not told.by_system and not told.by_folder
    is_called_so = bool(_ALL_OF_THEM.fullmatch(stem_of(file.parts[-1])))
    if only_named and (is_called_so or any(one.by_system for one in inside)):
        raise Unreadable(OF_A_CLASS)


def _notebook_of(file: HandedIn, known: Known) -> str:
    """The notebook most of whose exercises a file has; nothing where two have as many."""
    if file.reason or not is_notebook(file.parts[-1]):
        return ""
    try:
        cells = parse_submission(file.read()).cells
    except Unreadable:
        return ""
    marks = {mark for cell in cells for mark in (cell.exercise, cell.id) if isinstance(mark, str)}
    # The code itself is not parsed here: what it takes to do so is up to whoever wrote it.
    marks |= {name for cell in cells for name in _DEFINED.findall(cell.text)}
    shares = sorted(((len(marks & asked), name) for name, asked in known.items()), reverse=True)
    first, second = (*shares, (0, ""), (0, ""))[:2]
    return first[1] if first[0] > second[0] else ""


def _latest(attempts: Sequence[_Attempt]) -> Found:
    """The last of several attempts, which says so."""
    *earlier, last = sorted(attempts, key=lambda attempt: attempt.rank)
    notes = ()
    if earlier:
        left = _some([printable(attempt.handed_in.parts) for attempt in earlier])
        notes = (f"of {len(attempts)} files the latest is graded; left out: {left}",)
    file = last.handed_in
    return Found(last.learner, last.notebook, printable(file.parts), file.read, file.reason, notes)


def _unknown(attempts: Sequence[_Attempt]) -> Found:
    """Notebooks of a learner that answer none that is graded, as far as can be seen."""
    first = attempts[0].handed_in
    reason = first.reason or "it cannot be told which exercise notebook it is: name it after one"
    if len(attempts) > 1:
        names = _some([printable(attempt.handed_in.parts) for attempt in attempts])
        reason = f"of {len(attempts)} files it cannot be told which notebooks they are: {names}"
    return Found(attempts[0].learner, "", printable(first.parts), first.read, reason)


def _left_out(learner: str, others: Sequence[_Attempt]) -> Iterator[str]:
    """What of a learner's could not be opened, beside the notebooks that could."""
    for attempt in others:
        if attempt.learner == learner and attempt.handed_in.reason:
            file = attempt.handed_in
            yield f"{printable(file.parts)} is left out: {file.reason}"


def _without_notebook(others: Sequence[_Attempt], done: set[str]) -> Iterator[Found]:
    """Learners who handed in something, but no notebook; who wrote a loose file is not known."""
    of_learner: dict[str, list[HandedIn]] = {}
    for attempt in others:
        is_of_somebody = attempt.told.by_system or len(attempt.handed_in.parts) > 1
        if attempt.learner not in done and (is_of_somebody or attempt.handed_in.reason):
            of_learner.setdefault(attempt.learner, []).append(attempt.handed_in)
    for learner, files in of_learner.items():
        names = _some([printable(file.parts) for file in files])
        refusal = next((file.reason for file in files if file.reason), "")
        reason = refusal or f"there is no notebook, only {names}: hand in the .ipynb itself"
        yield Found(learner, "", printable(files[0].parts), files[0].read, reason)


def _some(names: Sequence[str]) -> str:
    """A few of many names."""
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(names[:SOME]) + more
