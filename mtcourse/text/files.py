"""Reads lines and messages from files of any origin, and says what is wrong with a file."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mtcourse.errors import MtcourseError
from mtcourse.text.cleaning import Dropped
from mtcourse.text.pairs import SentencePair

if TYPE_CHECKING:
    import polib

_MARK = re.compile(r"(?<![A-Z])[_&~](?=\w)|[_&~](?=[a-z])")
_LOCALE = re.compile(
    r"([a-z]{2,3})(?:[-_]([A-Z][A-Za-z]{1,7}|\d{3}))?(?:[-_]([A-Z]{2}|\d{3}))?(?:[.@].*)?"
)
_SMALL_REGION = re.compile(r"([a-z]{2,3}[-_])([a-z]{2})")
_ENTITY = re.compile(r"&\w+;")


def lines(path: Path | str) -> Iterator[tuple[str, str]]:
    """Each line of a text file, with its place.

    Raises:
        MtcourseError: the file is missing, empty, or not UTF-8; the message says where.
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
    for number, entry in enumerate(_catalog(path), start=1):
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


def catalog_language(path: Path) -> str:
    """The language of a gettext catalog.

    It is that of its folder, as gettext itself looks catalogs up: de in
    ``de/LC_MESSAGES/django.po``. Elsewhere it is what the catalog's header says, and at last what
    the file is called: ``de.po``.

    Raises:
        MtcourseError: neither folder, name nor header says it, or the catalog cannot be read.
    """
    if path.parent.name == "LC_MESSAGES" and (code := _stated_code(path.parent.parent.name)):
        return code
    named = language_code(path.stem.split(".")[-1])
    code = _stated_code(_catalog(path).metadata.get("Language", "")) or named
    if not code:
        raise MtcourseError(
            f"{path} does not say its language: give its header a line Language, or call it nl.po"
        )
    return code


def language_code(name: str) -> str:
    """A code such as pt-BR for gettext's pt_BR or pt_BR.UTF-8; nothing for other words."""
    match = _LOCALE.fullmatch(name.strip())
    return "-".join(filter(None, match.groups())) if match else ""


def _stated_code(name: str) -> str:
    """As ``language_code``, also for zh-cn, which is no word where a language has to stand."""
    region = _SMALL_REGION.fullmatch(name.strip())
    return language_code(region[1] + region[2].upper() if region else name)


def catalogs_below(folder: Path) -> dict[str, list[Path]]:
    """The message catalogs of a tree by language; compiled ones only where there is no source.

    Raises:
        MtcourseError: a catalog whose language nothing says, as for ``catalog_language``.
    """
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.[pm]o")):
        if path.suffix == ".po" or not path.with_suffix(".po").exists():
            found.setdefault(catalog_language(path), []).append(path)
    return found


def _catalog(path: Path) -> polib.POFile | polib.MOFile:
    """A catalog as polib reads it."""
    import polib

    content = _content(path)
    if not content.strip():
        raise MtcourseError(f"{path} is empty: it should be a message catalog")
    try:
        if path.suffix == ".mo":
            return polib.mofile(str(path))
        encoding = polib.detect_encoding(str(path))
        return polib.pofile(_decoded(path, content, encoding), encoding=encoding)
    except (OSError, ValueError, LookupError, struct.error) as error:
        raise MtcourseError(f"{path} is not a message catalog: {error}") from error


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
