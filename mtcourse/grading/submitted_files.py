"""Submitted files, in a folder or in a zip archive: each can be read, or has a reason why not."""

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
    LINK,
    MAX_BYTES,
    MAX_FILE_BYTES,
    NOT_A_FILE,
    TOO_LARGE,
    Unreadable,
    read_file,
)

MAX_DEPTH = 12
"""The number of nested folders that are searched."""
SYSTEM_FILES = ("__MACOSX", "__pycache__", "desktop.ini", "Thumbs.db")
"""Names that operating systems leave behind, besides those that begin with a dot."""
MAX_FILES = 10_000
"""The number of files in a learner's archive; a longer directory could fill the memory."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY_MARK = b"PK\x01\x02"
"""The signature of each entry in an archive's central directory."""
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # and NotImplementedError
)
"""The exceptions that reading a damaged archive can raise."""


@dataclass(frozen=True)
class SubmittedFile:
    """One submitted file.

    Args:
        parts: its folders and its name, below the folder of submissions.
        read: returns its bytes, or raises Unreadable.
        modified: the time of its last change in seconds since 1970; 0 if unknown.
        reason: why it is not read; empty where it may be.
    """

    parts: tuple[str, ...]
    read: Callable[[], bytes]
    modified: float = 0.0
    reason: str = ""


def list_folder(folder: Path) -> Iterator[SubmittedFile]:
    """Yields all files below a folder; links and pipes are listed, but never opened."""
    pending: list[tuple[str, ...]] = [()]
    while pending:
        above = pending.pop()
        try:
            entries = sorted(os.scandir(folder.joinpath(*above)), key=lambda entry: entry.name)
        except OSError as error:
            if not above:
                raise MtcourseError(f"{folder} cannot be read: {error.strerror}") from error
            yield refuse_file(above, f"its folder cannot be read: {error.strerror}")
            continue
        for entry in entries:
            parts = (*above, entry.name)
            if _is_system_file(entry.name):
                continue
            if entry.is_symlink():
                yield refuse_file(parts, LINK)
            elif entry.is_file(follow_symlinks=False):
                yield _describe_file(Path(entry.path), parts)
            elif not entry.is_dir(follow_symlinks=False):
                yield refuse_file(parts, NOT_A_FILE)
            elif len(parts) < MAX_DEPTH:
                pending.append(parts)
            else:
                yield refuse_file(parts, f"it lies more than {MAX_DEPTH} folders deep")


def describe_single_file(path: Path) -> SubmittedFile:
    """Returns one file that was named on the command line."""
    return _describe_file(path, (path.name,))


def _describe_file(path: Path, parts: tuple[str, ...]) -> SubmittedFile:
    try:
        modified = path.stat(follow_symlinks=False).st_mtime
    except OSError:  # it was deleted meanwhile; reading it gives the reason
        modified = 0.0
    return SubmittedFile(parts, lambda: read_file(path), modified)


def refuse_file(parts: tuple[str, ...], reason: str) -> SubmittedFile:
    """Returns a file that is not opened, with the reason."""

    def read() -> bytes:
        raise Unreadable(reason)

    return SubmittedFile(parts, read, reason=reason)


def list_class_archive(path: Path) -> list[SubmittedFile]:
    """Lists the files of a class's archive, which is read in place and never unpacked to disk.

    A folder around all files is dropped if it has the archive's name, or one that Canvas uses.

    Raises:
        Unreadable: it is not an archive, or is damaged.
    """
    if not path.is_file():  # opening a pipe would wait
        raise Unreadable(NOT_A_FILE)
    archive = _open_archive(path)
    files = _list_members(archive, functools.partial(_read_member, archive))
    tops = {file.parts[0] for file in files if len(file.parts) > 1}
    if len(tops) == 1 and tops <= {path.stem, "submissions", "submitted"}:
        return [replace(file, parts=file.parts[1:] or file.parts) for file in files]
    return files


def list_learner_archive(outer: SubmittedFile) -> list[SubmittedFile]:
    """Lists the files of an archive that one learner has handed in, with paths below that archive.

    The archive is opened again for each file that is read, because a large class has many archives.

    Raises:
        Unreadable: it is not an archive, or is damaged, empty, or too large.
    """
    content = outer.read()
    if len(content) > MAX_BYTES or content.count(_ENTRY_MARK) > MAX_FILES:
        raise Unreadable("the archive is larger than it need be: hand in the .ipynb itself")

    def read(member: zipfile.ZipInfo) -> bytes:
        return _read_member(_open_archive(io.BytesIO(outer.read())), member)

    files = _list_members(_open_archive(io.BytesIO(content)), read)
    if not files:
        raise Unreadable("the archive is empty: hand in the .ipynb itself")
    return [replace(file, parts=(*outer.parts, *file.parts)) for file in files]


def _open_archive(file: Path | io.BytesIO) -> zipfile.ZipFile:
    """Opens an archive.

    Raises:
        Unreadable: it is not an archive.
    """
    try:
        return zipfile.ZipFile(file)
    except _ZIP_ERRORS as error:
        raise Unreadable(f"it is not a zip archive that can be read{_because(error)}") from error


def _list_members(
    archive: zipfile.ZipFile, read: Callable[[zipfile.ZipInfo], bytes]
) -> list[SubmittedFile]:
    """Lists the files of an archive, except those that an operating system has left there."""
    files = []
    for member in archive.infolist():
        parts = _split_path(member.filename)
        if member.filename.endswith("/") or any(map(_is_system_file, parts)):
            continue
        if _leads_out(parts):
            files.append(refuse_file(parts[-1:], "its path in the archive leads out of it"))
        elif reason := _find_fault(member, parts):
            files.append(refuse_file(parts, reason))
        else:
            files.append(
                SubmittedFile(parts, functools.partial(read, member), _modification_time(member))
            )
    return files


def _split_path(name: str) -> tuple[str, ...]:
    """Splits a member's name into folders and file; Windows may separate them by backslashes."""
    return tuple(name.replace("\\", "/").split("/"))


def _leads_out(parts: tuple[str, ...]) -> bool:
    """Whether a member's path leads out of the archive's own folder."""
    return "" in parts or ".." in parts or "." in parts or parts[0].endswith(":")


def _find_fault(member: zipfile.ZipInfo, parts: tuple[str, ...]) -> str:
    """Returns the reason not to read a member of an archive, or an empty string."""
    if len(parts) > MAX_DEPTH:
        return f"it lies more than {MAX_DEPTH} folders deep"
    kind = stat.S_IFMT(member.external_attr >> 16)  # 0 where the system has no such kinds
    if kind == stat.S_IFLNK:
        return LINK
    if kind not in (0, stat.S_IFREG):
        return NOT_A_FILE
    if member.flag_bits & 0x1:
        return "it is encrypted: hand it in without a password"
    if member.compress_type not in _METHODS:
        return "it is compressed in a way that is not read here: make the archive anew"
    return TOO_LARGE if member.file_size > MAX_FILE_BYTES else ""


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Reads a member of an archive, up to the size that the archive states."""
    try:
        with archive.open(member) as file:
            return file.read(MAX_FILE_BYTES)
    except _ZIP_ERRORS as error:
        raise Unreadable(f"it is damaged in its archive{_because(error)}") from error


def _because(error: Exception) -> str:
    """Returns the library's message in brackets, if it has one."""
    return f" ({error})" if str(error) else ""


def _modification_time(member: zipfile.ZipInfo) -> float:
    try:
        return datetime(*member.date_time).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _is_system_file(name: str) -> bool:
    # ".." is not one of these names, but a path to refuse.
    return name in SYSTEM_FILES or (name.startswith(".") and name not in (".", ".."))
