"""Files as they were handed in, in a folder or a zip archive: each can be read, or has a reason."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.grading.submission import LARGEST, LINK, TOO_LARGE, Unreadable, read_content

DEEPEST = 12
"""Folders within each other that are looked into."""
LEFT_BY_SYSTEMS = ("__MACOSX", "__pycache__", "desktop.ini", "Thumbs.db")
"""Names that nobody has handed in on purpose; names that begin with a dot are the others."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


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
    """The files of a folder and of those in it; links are told, and never followed."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        above = pending.pop()
        try:
            entries = sorted(os.scandir(folder.joinpath(*above)), key=lambda entry: entry.name)
        except OSError as error:
            if not above:
                raise MtcourseError(f"{folder} cannot be read: {error.strerror}") from error
            yield _refused(above, f"its folder cannot be read: {error.strerror}")
            continue
        for entry in entries:
            parts = (*above, entry.name)
            if _is_left_by_a_system(entry.name):
                continue
            if entry.is_symlink():
                yield _refused(parts, LINK)
            elif not entry.is_dir(follow_symlinks=False):
                yield _file(Path(entry.path), parts)
            elif len(parts) < DEEPEST:
                pending.append(parts)
            else:
                yield _refused(parts, f"it lies more than {DEEPEST} folders deep")


def single_file(path: Path) -> HandedIn:
    """One file, which somebody has named."""
    return _file(path, (path.name,))


def _file(path: Path, parts: tuple[str, ...]) -> HandedIn:
    try:
        when = path.stat(follow_symlinks=False).st_mtime
    except OSError:  # it has gone since; reading it will say so
        when = 0.0
    return HandedIn(parts, lambda: read_content(path), when)


def _refused(parts: tuple[str, ...], reason: str) -> HandedIn:
    def read() -> bytes:
        raise Unreadable(reason)

    return HandedIn(parts, read, reason=reason)


def files_in_zip(path: Path) -> Iterator[HandedIn]:
    """The files of an archive, which is read in place: nothing of it is ever written to a disk.

    Raises:
        MtcourseError: it is no archive.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise MtcourseError(f"{path} is no zip archive that can be read: {error}") from error
    members = [member for member in archive.infolist() if not member.is_dir()]
    paths = [_parts_of(member.filename) for member in members]
    tops = {parts[0] for parts in paths if len(parts) > 1}
    whole = len(tops) == 1 and tops <= {path.stem, "submissions", "submitted"}
    for member, parts in zip(members, paths, strict=True):
        if any(_is_left_by_a_system(part) for part in parts):
            continue
        if reason := _fault_of(member, parts):
            yield _refused(parts[-1:], reason)
        else:
            inner = parts[1:] if whole and len(parts) > 1 else parts
            yield HandedIn(inner, _reader(archive, member), _when(member))


def _parts_of(name: str) -> tuple[str, ...]:
    """A member's folders and name; Windows writes them with either stroke."""
    return tuple(name.replace("\\", "/").split("/"))


def _fault_of(member: zipfile.ZipInfo, parts: tuple[str, ...]) -> str:
    """Why a member of an archive is not read."""
    if "" in parts or ".." in parts or "." in parts or parts[0].endswith(":"):
        return "its path in the archive leads out of it"
    if len(parts) > DEEPEST:
        return f"it lies more than {DEEPEST} folders deep"
    if stat.S_ISLNK(member.external_attr >> 16):
        return LINK
    if member.flag_bits & 0x1:
        return "it is encrypted: hand it in without a password"
    if member.compress_type not in _METHODS:
        return "it is compressed in a way that is not read here: make the archive anew"
    return TOO_LARGE if member.file_size > LARGEST else ""


def _reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(member) as file:
                # No more than the size that the archive states is unpacked, whatever is in it.
                return file.read(LARGEST)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise Unreadable(f"it is damaged in its archive: {error}") from error

    return read


def _when(member: zipfile.ZipInfo) -> float:
    try:
        return datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _is_left_by_a_system(name: str) -> bool:
    # ".." is no such name, but a path to be refused.
    return name in LEFT_BY_SYSTEMS or (name.startswith(".") and name not in (".", ".."))
