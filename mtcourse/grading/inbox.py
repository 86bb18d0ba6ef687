"""What a class has handed in: whose each file is, which notebook it answers, or why neither."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.handed_in import HandedIn, files_in, files_in_zip, single_file
from mtcourse.grading.submission import Unreadable, parse_submission

LONGEST_NAME = 48
SOME = 3
"""Files that a reason names, of however many."""
Known = Mapping[str, frozenset[str]]
"""The notebooks that are graded, by name, with the exercises of each."""

_NOTEBOOK = re.compile(r"(.*)\.ipynb(\.json|\.txt)?", re.IGNORECASE | re.DOTALL)
"""Some browsers add an ending of their own to what they save."""
_MOODLE = re.compile(r"(.+_\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)
_CANVAS = re.compile(r"(.+?)(?:_LATE)?_(\d+)_(\d+)", re.DOTALL)
_CANVAS_FILE = re.compile(r"(.+?)(?:_LATE)?_(\d{3,})_(\d{3,})_(.+)", re.DOTALL)
_COPY = re.compile(r"[-_ ]*(?:copy|v)?[-_ ]*\(?(\d{0,9})\)?\s*", re.IGNORECASE)
_DEFINED = re.compile(r"^(?:def |class )?(\w+) ?[=(:]", re.MULTILINE)
"""The names that code defines at its left margin, and a few others."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


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
    """A file with what its name tells."""

    learner: str
    notebook: str
    handed_in: HandedIn
    number: int = 0  # of the attempt, where the name has one
    is_numbered: bool = False  # by a system that counts attempts, not by whoever copied a file

    @property
    def rank(self) -> tuple[object, ...]:
        """Among attempts at the same notebook, the greatest is the latest one."""
        file = self.handed_in
        counted = self.number if self.is_numbered else 0
        return not file.reason, counted, file.when, self.number, file.parts


def find(submissions: Path, known: Known) -> list[Found]:
    """Everything that was handed in, one for each learner and notebook.

    Understands a folder for each learner, files of all learners in one folder, and the archives of
    Canvas and Moodle, as they are or unpacked; folders named after a notebook may lie around them.

    Args:
        submissions: a folder, an archive, or one notebook.
        known: the notebooks that are graded.

    Raises:
        MtcourseError: there is nothing to look into.
    """
    notebooks: list[_Attempt] = []
    others: list[_Attempt] = []
    for file, hint in _files(submissions, known):
        attempt = _attempt(file, known, hint)
        (notebooks if _NOTEBOOK.fullmatch(file.parts[-1]) else others).append(attempt)
    groups: dict[tuple[str, str], list[_Attempt]] = {}
    for attempt in notebooks:
        groups.setdefault((attempt.learner, attempt.notebook), []).append(attempt)
    found = [_latest(group) if group[0].notebook else _unknown(group) for group in groups.values()]
    found += _without_notebook(others, {attempt.learner for attempt in notebooks})
    return sorted(found, key=lambda one: (one.learner, one.notebook))


def _files(submissions: Path, known: Known) -> Iterator[tuple[HandedIn, str]]:
    """Every file, with the notebook that the archive around it is named after."""
    if submissions.is_dir():
        for file in files_in(submissions):
            if len(file.parts) == 1 and not file.reason and _is_zip(file.parts[0]):
                path = submissions / file.parts[0]
                hint = _named(path.stem, known)[0]
                yield from ((inner, hint) for inner in files_in_zip(path))
            else:
                yield file, ""
    elif not submissions.exists():
        raise MtcourseError(f"there is nothing at {submissions}: name a folder of submissions")
    elif _is_zip(submissions.name):
        hint = _named(submissions.stem, known)[0]
        yield from ((inner, hint) for inner in files_in_zip(submissions))
    else:
        file = single_file(submissions)
        if any(_pattern(one).fullmatch(submissions.stem) for one in known):
            file = replace(file, parts=(submissions.resolve().parent.name, *file.parts))
        yield file, ""


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _attempt(file: HandedIn, known: Known, hint: str) -> _Attempt:
    """Whose a file is, and which notebook, from its path or else from its cells."""
    outer = next((one for one in known if _pattern(one).fullmatch(file.parts[0])), "")
    parts = list(file.parts)
    if outer and len(parts) > 1:
        del parts[0]
    matched = _NOTEBOOK.fullmatch(parts[-1])
    stem = matched[1] if matched else parts[-1]
    notebook, before, after = _named(stem, known)
    copy = _COPY.fullmatch(after)
    canvas = _CANVAS.fullmatch(before.rstrip("_- ")) if notebook else _CANVAS_FILE.fullmatch(stem)
    if moodle := _MOODLE.fullmatch(parts[0]):
        learner = moodle[1]
    elif len(parts) > 1:
        learner = parts[0]
    elif canvas:
        learner = f"{canvas[1]}_{canvas[2]}"
    else:
        learner = before.strip("_- ") or ("" if copy else after.strip("_- ")) or stem
    if matched and not notebook and not file.reason:
        folders = (_named(part, known)[0] for part in reversed(parts[:-1]))
        notebook = (
            _notebook_of_cells(file, known) or next(filter(None, folders), "") or outer or hint
        )
    number = int(copy[1] or 0) if copy else 0
    return _Attempt(safe_name(learner), notebook, file, number, bool(canvas) and len(parts) == 1)


def _named(name: str, known: Known) -> tuple[str, str, str]:
    """The one notebook whose name is part of a name, with what stands before and after it."""
    matches = {one: match for one in known if (match := _pattern(one).search(name))}
    longest = max(matches, key=len, default="")
    inner = [one for one in matches if one != longest and not _pattern(one).search(longest)]
    if not matches or inner:
        return "", name, ""
    match = matches[longest]
    return longest, name[: match.start()], name[match.end() :]


def _pattern(notebook: str) -> re.Pattern[str]:
    """A notebook's name as people write it: with a blank or a hyphen for each underscore."""
    words = map(re.escape, re.split(r"[-_ ]+", notebook))
    return re.compile(rf"(?<![^\W_]){'[-_ ]+'.join(words)}(?![^\W_])", re.IGNORECASE)


def _notebook_of_cells(file: HandedIn, known: Known) -> str:
    """The notebook most of whose exercises a file has; nothing where two have as many."""
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


def _without_notebook(others: Sequence[_Attempt], done: set[str]) -> Iterator[Found]:
    """Learners who handed in something, but no notebook; who wrote a loose file is not known."""
    of_learner: dict[str, list[HandedIn]] = {}
    for attempt in others:
        is_of_somebody = len(attempt.handed_in.parts) > 1 or attempt.is_numbered
        if attempt.learner not in done and (is_of_somebody or attempt.handed_in.reason):
            of_learner.setdefault(attempt.learner, []).append(attempt.handed_in)
    for learner, files in of_learner.items():
        names = _some([printable(file.parts) for file in files])
        refused = next((file.reason for file in files if file.reason), "")
        reason = refused or f"there is no notebook, only {names}: hand in the .ipynb itself"
        yield Found(learner, "", printable(files[0].parts), files[0].read, reason)


def _some(names: Sequence[str]) -> str:
    """A few of many names."""
    more = f" and {len(names) - SOME} more" if len(names) > SOME else ""
    return ", ".join(names[:SOME]) + more


def printable(parts: Sequence[str]) -> str:
    """A path as it can be printed on one line, and stand in the name of a test."""
    path = "/".join(parts).replace("::", "__")
    return "".join(c if c.isprintable() else "�" for c in path)[:300]


def safe_name(name: str) -> str:
    """A name that a file can have on every system; different names stay different.

    >>> safe_name("Zoë Smith_12"), safe_name("../etc")
    ('Zoë Smith_12', '_etc-f7f912')
    """
    plain = unicodedata.normalize("NFC", name)
    kept = "".join(c if _is_harmless(c) else "_" for c in plain)[:LONGEST_NAME].strip(" .")
    if kept == plain and kept and not _RESERVED.fullmatch(kept):
        return kept
    digest = hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{kept or 'learner'}-{digest[:6]}"


def _is_harmless(character: str) -> bool:
    return (
        character.isalnum()
        or character in " -_.@+'(),"
        or unicodedata.category(character) in ("Mn", "Mc")
    )
