"""Files as they were handed in, in a folder or a zip archive: each can be read, or has a reason."""

from __future__ import annotations

import functools
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.submitted_notebook import (
    LARGEST,
    LINK,
    NO_FILE,
    TOO_LARGE,
    Unreadable,
    read_content,
)

DEEPEST = 12
"""Folders within each other that are looked into."""
LEFT_BY_SYSTEMS = ("__MACOSX", "__pycache__", "desktop.ini", "Thumbs.db")
"""Names that nobody has handed in on purpose; names that begin with a dot are the others."""
MOST_FILES = 10_000
"""Files in an archive of a learner's own; its list alone could fill the memory."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LISTED = b"PK\x01\x02"
"""How the entry of each file begins in an archive's list."""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # and NotImplementedError
)
"""What reading an archive can stop with, whatever is in it."""


@dataclass(frozen=True)
class HandedIn:
    """One file.

    Args:
        parts: its folders and its name, below the folder of submissions.
        read: its bytes; raises Unreadable.
        when: seconds since 1970 of its last change; 0 where it is not known.
        reason: why it is not to be read; empty where it may be.
    """

    parts: tuple[str, ...]
    read: Callable[[], bytes]
    when: float = 0.0
    reason: str = ""


def files_in(folder: Path) -> Iterator[HandedIn]:
    """The files of a folder and of those in it; links and pipes are told, and never opened."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        above = pending.pop()
        try:
            entries = sorted(os.scandir(folder.joinpath(*above)), key=lambda entry: entry.name)
        except OSError as error:
            if not above:
                raise MtcourseError(f"{folder} cannot be read: {error.strerror}") from error
            yield refused(above, f"its folder cannot be read: {error.strerror}")
            continue
        for entry in entries:
            parts = (*above, entry.name)
            if _is_left_by_a_system(entry.name):
                continue
            if entry.is_symlink():
                yield refused(parts, LINK)
            elif entry.is_file(follow_symlinks=False):
                yield _file(Path(entry.path), parts)
            elif not entry.is_dir(follow_symlinks=False):
                yield refused(parts, NO_FILE)
            elif len(parts) < DEEPEST:
                pending.append(parts)
            else:
                yield refused(parts, f"it lies more than {DEEPEST} folders deep")


def single_file(path: Path) -> HandedIn:
    """One file, which somebody has named."""
    return _file(path, (path.name,))


def _file(path: Path, parts: tuple[str, ...]) -> HandedIn:
    try:
        when = path.stat(follow_symlinks=False).st_mtime
    except OSError:  # it has gone since; reading it will say so
        when = 0.0
    return HandedIn(parts, lambda: read_content(path), when)


def refused(parts: tuple[str, ...], reason: str) -> HandedIn:
    """A file that is not opened, and why."""

    def read() -> bytes:
        raise Unreadable(reason)

    return HandedIn(parts, read, reason=reason)


def files_in_zip(path: Path) -> list[HandedIn]:
    """The files of an archive, which is read in place: nothing of it is ever written to a disk.

    A folder around all of them is left out if it has the archive's name, or one of Canvas'.

    Raises:
        Unreadable: it is no archive, or damaged.
    """
    if not path.is_file():  # a pipe would be waited for
        raise Unreadable(NO_FILE)
    archive = _opened(path)
    files = _files_of(archive, functools.partial(_bytes_of, archive))
    tops = {file.parts[0] for file in files if len(file.parts) > 1}
    if len(tops) == 1 and tops <= {path.stem, "submissions", "submitted"}:
        return [replace(file, parts=file.parts[1:] or file.parts) for file in files]
    return files


def files_in_own_zip(outer: HandedIn) -> list[HandedIn]:
    """The files of an archive that one learner has handed in, below that archive.

    The archive is opened anew whenever one of them is read: a large class has many.

    Raises:
        Unreadable: it is no archive, damaged, empty, or larger than it need be.
    """
    content = outer.read()
    if len(content) > LARGEST or content.count(_LISTED) > MOST_FILES:
        raise Unreadable("the archive is larger than it need be: hand in the .ipynb itself")

    def read(member: zipfile.ZipInfo) -> bytes:
        return _bytes_of(_opened(io.BytesIO(outer.read())), member)

    files = _files_of(_opened(io.BytesIO(content)), read)
    if not files:
        raise Unreadable("the archive is empty: hand in the .ipynb itself")
    return [replace(file, parts=(*outer.parts, *file.parts)) for file in files]


def _opened(file: Path | io.BytesIO) -> zipfile.ZipFile:
    """An archive.

    Raises:
        Unreadable: it is none.
    """
    try:
        return zipfile.ZipFile(file)
    except _DAMAGE as error:
        raise Unreadable(f"it is not a zip archive that can be read{_because(error)}") from error


def _files_of(archive: zipfile.ZipFile, read: Callable[[zipfile.ZipInfo], bytes]) -> list[HandedIn]:
    """The files of an archive but for what systems have left in it."""
    files = []
    for member in archive.infolist():
        parts = _parts_of(member.filename)
        if member.filename.endswith("/") or any(map(_is_left_by_a_system, parts)):
            continue
        if _leads_out(parts):
            files.append(refused(parts[-1:], "its path in the archive leads out of it"))
        elif reason := _fault_of(member, parts):
            files.append(refused(parts, reason))
        else:
            files.append(HandedIn(parts, functools.partial(read, member), _when(member)))
    return files


def _parts_of(name: str) -> tuple[str, ...]:
    """A member's folders and name; Windows writes them with either stroke."""
    return tuple(name.replace("\\", "/").split("/"))


def _leads_out(parts: tuple[str, ...]) -> bool:
    """Whether a member's path means another place than one below its archive."""
    return "" in parts or ".." in parts or "." in parts or parts[0].endswith(":")


def _fault_of(member: zipfile.ZipInfo, parts: tuple[str, ...]) -> str:
    """Why a member of an archive is not read."""
    if len(parts) > DEEPEST:
        return f"it lies more than {DEEPEST} folders deep"
    if stat.S_ISLNK(member.external_attr >> 16):
        return LINK
    if member.flag_bits & 0x1:
        return "it is encrypted: hand it in without a password"
    if member.compress_type not in _METHODS:
        return "it is compressed in a way that is not read here: make the archive anew"
    return TOO_LARGE if member.file_size > LARGEST else ""


def _bytes_of(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """What a member of an archive holds; no more than the size that the archive states."""
    try:
        with archive.open(member) as file:
            return file.read(LARGEST)
    except _DAMAGE as error:
        raise Unreadable(f"it is damaged in its archive{_because(error)}") from error


def _because(error: Exception) -> str:
    """What the library says; it does not always say anything."""
    return f" ({error})" if str(error) else ""


def _when(member: zipfile.ZipInfo) -> float:
    try:
        return datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _is_left_by_a_system(name: str) -> bool:
    # ".." is no such name, but a path to be refused.
    return name in LEFT_BY_SYSTEMS or (name.startswith(".") and name not in (".", ".."))
