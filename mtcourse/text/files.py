"""Reads lines and messages from files of any origin, and says what is wrong with a file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.cleaning import Dropped
from mtcourse.text.pairs import SentencePair

_MARK = re.compile(r"(?<![A-Z])[_&~](?=\w)|[_&~](?=[a-z])")
_ENTITY = re.compile(r"&\w+;")


def lines(path: Path | str) -> Iterator[tuple[str, str]]:
    """Each line of a text file, with its place.

    Raises:
        MtcourseError: the file is missing, empty, or not UTF-8, saying where.
    """
    text = _decoded(path, _content(path), "UTF-8")
    if not text.strip():
        raise MtcourseError(f"{path} is empty: it should have one sentence a line")
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        yield f"{path}:{number}", line.removesuffix("\r")


def messages(path: Path, dropped: Dropped) -> Iterator[SentencePair]:
    """The translated messages of a gettext catalog; the others are counted.

    Raises:
        MtcourseError: the catalog is missing, empty, damaged, or not in the encoding it declares.
    """
    import polib

    content = _content(path)
    if not content.strip():
        raise MtcourseError(f"{path} is empty: it should be a message catalog")
    try:
        if path.suffix == ".mo":
            catalog = polib.mofile(str(path))
        else:
            encoding = polib.detect_encoding(str(path))
            catalog = polib.pofile(_decoded(path, content, encoding), encoding=encoding)
    except (OSError, ValueError, LookupError, struct.error) as error:
        raise MtcourseError(f"{path} is not a message catalog: {error}") from error
    for number, entry in enumerate(catalog, start=1):
        target = entry.msgstr or entry.msgstr_plural.get(0, "")
        origin = f"{path}, message {number}"
        pair = SentencePair(_plain(entry.msgid, target), _plain(target, entry.msgid), origin=origin)
        if entry.obsolete:
            dropped.add("obsolete message", pair)
        elif "fuzzy" in entry.flags:
            dropped.add("fuzzy message", pair)
        elif not target:
            dropped.add("message without a translation", pair)
        else:
            yield pair


def _plain(message: str, other: str) -> str:
    """A message without its keyboard mark and line breaks.

    A message has one mark at most, and a word that the other language has too is a name.
    """
    parts, names = message.split(), set(other.split())
    marked = [place for place, part in enumerate(parts) if _MARK.search(part) and part not in names]
    if len(marked) == 1 and not _ENTITY.search(message):
        part, marks = _MARK.subn("", parts[marked[0]])
        if marks == 1:
            parts[marked[0]] = part
    return " ".join(parts)


def _content(path: Path | str) -> bytes:
    """A file's bytes."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise MtcourseError(f"{path} cannot be read: {error.strerror}") from error


def _decoded(path: Path | str, content: bytes, encoding: str) -> str:
    """A file's text, without a byte order mark; an error names the wrong byte and its position."""
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise MtcourseError(
            f"{path} is not {encoding}: byte 0x{content[error.start]:02x} at offset {error.start}, "
            f"line {line}: convert the file to {encoding}"
        ) from error
