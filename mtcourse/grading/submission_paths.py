"""Parses the paths of submitted files: the learner and the notebook that file and folders name."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAX_NAME_LENGTH = 48
KnownNotebooks = Mapping[str, frozenset[str]]
"""The graded notebooks by name, each with the ids of its exercises."""

_ENDING = re.compile(r"(.*)(\.ipynb(?:\.json|\.txt)?|\.zip)", re.IGNORECASE | re.DOTALL)
"""The endings of notebooks and archives; some browsers append one of their own."""
_MOODLE = re.compile(r"(.+?_\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)
_CANVAS = re.compile(r"(.+?)(?P<late>_LATE)?_(\d+)_(\d+)", re.DOTALL)
_CANVAS_FILE = re.compile(r"(.+?)(?P<late>_LATE)?_(\d{3,})_(\d{3,})_(.+)", re.DOTALL)
_EXCHANGE = re.compile(
    r"(?P<learner>.+)\+(?P<assignment>[^+]+)"
    r"\+(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^+]*)(?:\+.*)?",
    re.DOTALL,
)
"""A folder in an exchange of nbgrader: a user's name may contain a +, an assignment's may not.

Its ``ExchangeSubmit`` joins user, assignment, time and a random text.
"""
_COPY = re.compile(r"[-_ ]*(?:copy|v)?[-_ ]*\(?(\d{0,9})\)?\s*", re.IGNORECASE)
_SAVED_AGAIN = re.compile(r"\s*(?:\(\d+\))?")
"""The suffix that a browser adds if a file of that name already exists."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True)
class ParsedPath:
    """What the path of a submitted file says about it.

    Args:
        learner: the author, as a name that is valid for a file on every system.
        notebook: the notebook that the file is named after, if any.
        folder_notebook: the notebook that a folder around the file is named after, if any.
        attempt: the number of the attempt, if the name contains one.
        from_lms: whether Canvas or Moodle has written the learner's name.
        in_own_folder: whether a folder is named after the learner.
        counted_by_lms: whether the number of the attempt comes from Canvas, and not from a copy.
        marked_late: whether Canvas has marked the file as late; None if it is not from Canvas.
        exchange_time: the time in the name of a folder of nbgrader's exchange, as it stands there.
    """

    learner: str
    notebook: str
    folder_notebook: str
    attempt: int
    from_lms: bool
    in_own_folder: bool
    counted_by_lms: bool
    marked_late: bool | None = None
    exchange_time: str = ""


def parse_path(parts: Sequence[str], known: KnownNotebooks) -> ParsedPath:
    """Parses the path of a submitted file.

    Args:
        parts: its folders and its name, below the folder of submissions.
        known: the notebooks that are graded.
    """
    outer = next((one for one in known if _notebook_pattern(one).fullmatch(parts[0])), "")
    own = parts[1:] if outer and len(parts) > 1 else parts
    stem = strip_ending(own[-1])
    notebook, before, after = _split_at_notebook(stem, known)
    copy = _COPY.fullmatch(after)
    moodle, canvas = _MOODLE.fullmatch(own[0]), None
    exchange = _EXCHANGE.fullmatch(own[0]) if len(own) > 1 else None
    if moodle:
        learner = moodle[1]
    elif exchange:
        learner = exchange["learner"]
    elif len(own) > 1:
        learner = own[0]
    elif canvas := _match_canvas(stem, before if notebook else ""):
        learner = f"{canvas[1]}_{canvas[3]}"
    else:
        learner = before.strip("_- ") or ("" if copy else after.strip("_- ")) or stem
    folders = (_split_at_notebook(part, known)[0] for part in reversed(own[:-1]))
    return ParsedPath(
        safe_name(learner),
        notebook,
        next(filter(None, folders), "") or outer,
        int(copy[1] or 0) if copy else 0,
        bool(moodle or canvas),
        len(own) > 1,
        bool(canvas),
        bool(canvas["late"]) if canvas else None,
        exchange["time"] if exchange else "",
    )


def _match_canvas(stem: str, before: str) -> re.Match[str] | None:
    """Finds the learner in a Canvas file name, which may be that of a copy."""
    return _CANVAS_FILE.fullmatch(stem) or _CANVAS.fullmatch(before.rstrip("_- "))


def strip_ending(name: str) -> str:
    """Returns a file name without the ending of a notebook or an archive."""
    matched = _ENDING.fullmatch(name)
    return matched[1] if matched else name


def is_notebook(name: str) -> bool:
    """Whether a file name has the ending of a notebook."""
    matched = _ENDING.fullmatch(name)
    return bool(matched) and ".ipynb" in matched[2].lower()


def is_archive(name: str) -> bool:
    """Whether a file name has the ending of a zip archive."""
    return name.lower().endswith(".zip")


def find_notebook_name(name: str, known: KnownNotebooks) -> str:
    """Returns the notebook whose name is part of a name; nothing if there are several or none."""
    return _split_at_notebook(name, known)[0]


def is_name_of(notebook: str, name: str) -> bool:
    """Whether a name is that of a notebook alone, without a learner's."""
    matched = _notebook_pattern(notebook).match(name)
    return bool(matched) and bool(_SAVED_AGAIN.fullmatch(name, matched.end()))


def _split_at_notebook(name: str, known: KnownNotebooks) -> tuple[str, str, str]:
    """Returns the only notebook whose name is part of a name, and the text before and after it."""
    matches = {one: match for one in known if (match := _notebook_pattern(one).search(name))}
    longest = max(matches, key=len, default="")
    inner = [
        one for one in matches if one != longest and not _notebook_pattern(one).search(longest)
    ]
    if not matches or inner:
        return "", name, ""
    match = matches[longest]
    return longest, name[: match.start()], name[match.end() :]


def _notebook_pattern(notebook: str) -> re.Pattern[str]:
    """Matches a notebook's name, with spaces or hyphens in place of underscores."""
    words = map(re.escape, re.split(r"[-_ ]+", notebook))
    return re.compile(rf"(?<![^\W_]){'[-_ ]+'.join(words)}(?![^\W_])", re.IGNORECASE)


def printable_path(parts: Sequence[str]) -> str:
    """Returns a path that is safe to print on one line, and valid in the name of a test."""
    path = "/".join(parts).replace("::", "__")
    return "".join(c if c.isprintable() else "�" for c in path)[:300]


def safe_name(name: str) -> str:
    """Returns a name that is valid for a file on every system; different names stay different.

    >>> safe_name("Zoë Smith_12"), safe_name("../etc")
    ('Zoë Smith_12', '_etc-f7f912')
    """
    plain = unicodedata.normalize("NFC", name)
    kept = "".join(c if _is_harmless(c) else "_" for c in plain)[:MAX_NAME_LENGTH].strip(" .")
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
