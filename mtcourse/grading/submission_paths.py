"""Whose a file is and which notebook it answers, as far as its name and its folders tell."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LONGEST_NAME = 48
Known = Mapping[str, frozenset[str]]
"""The notebooks that are graded, by name, with the exercises of each."""

_ENDING = re.compile(r"(.*)(\.ipynb(?:\.json|\.txt)?|\.zip)", re.IGNORECASE | re.DOTALL)
"""Some browsers add an ending of their own to what they save."""
_MOODLE = re.compile(r"(.+?_\d+)_assignsubmission_[a-z]+_?(.*)", re.DOTALL)
_CANVAS = re.compile(r"(.+?)(?:_LATE)?_(\d+)_(\d+)", re.DOTALL)
_CANVAS_FILE = re.compile(r"(.+?)(?:_LATE)?_(\d{3,})_(\d{3,})_(.+)", re.DOTALL)
_COPY = re.compile(r"[-_ ]*(?:copy|v)?[-_ ]*\(?(\d{0,9})\)?\s*", re.IGNORECASE)
_SAVED_AGAIN = re.compile(r"\s*(?:\(\d+\))?")
"""What a browser adds to the name of a file that is there already."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Told:
    """What a path tells of its file.

    Args:
        learner: whose it is, as a name that any file can have.
        notebook: which notebook its own name names, if any.
        around: which notebook the folders around it are named after, if any.
        number: of the attempt, where the name has one.
        by_system: whether Canvas or Moodle has written the learner's name.
        by_folder: whether a folder is named after the learner.
        is_numbered: whether a system counts the attempts, and not whoever copied a file.
    """

    learner: str
    notebook: str
    around: str
    number: int
    by_system: bool
    by_folder: bool
    is_numbered: bool


def told_by(parts: Sequence[str], known: Known) -> Told:
    """Reads a path.

    Args:
        parts: folders and name, below the submissions.
        known: the notebooks that are graded.
    """
    outer = next((one for one in known if _pattern(one).fullmatch(parts[0])), "")
    own = parts[1:] if outer and len(parts) > 1 else parts
    stem = stem_of(own[-1])
    notebook, before, after = _named(stem, known)
    copy = _COPY.fullmatch(after)
    moodle, canvas = _MOODLE.fullmatch(own[0]), None
    if moodle:
        learner = moodle[1]
    elif len(own) > 1:
        learner = own[0]
    elif canvas := _canvas(stem, before if notebook else ""):
        learner = f"{canvas[1]}_{canvas[2]}"
    else:
        learner = before.strip("_- ") or ("" if copy else after.strip("_- ")) or stem
    folders = (_named(part, known)[0] for part in reversed(own[:-1]))
    return Told(
        safe_name(learner),
        notebook,
        next(filter(None, folders), "") or outer,
        int(copy[1] or 0) if copy else 0,
        bool(moodle or canvas),
        len(own) > 1,
        bool(canvas),
    )


def _canvas(stem: str, before: str) -> re.Match[str] | None:
    """The learner in the name of a Canvas file: its first numbers count, not those of a copy."""
    return _CANVAS_FILE.fullmatch(stem) or _CANVAS.fullmatch(before.rstrip("_- "))


def stem_of(name: str) -> str:
    """A file's name without the ending of a notebook or an archive."""
    matched = _ENDING.fullmatch(name)
    return matched[1] if matched else name


def is_notebook(name: str) -> bool:
    """Whether a file's name ends as that of a notebook."""
    matched = _ENDING.fullmatch(name)
    return bool(matched) and ".ipynb" in matched[2].lower()


def is_archive(name: str) -> bool:
    """Whether a file's name ends as that of a zip archive."""
    return name.lower().endswith(".zip")


def notebook_in(name: str, known: Known) -> str:
    """The one notebook whose name is part of a name; nothing where there are two or none."""
    return _named(name, known)[0]


def is_name_of(notebook: str, name: str) -> bool:
    """Whether a name is a notebook's, with nothing of a learner's in it."""
    matched = _pattern(notebook).match(name)
    return bool(matched) and bool(_SAVED_AGAIN.fullmatch(name, matched.end()))


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
