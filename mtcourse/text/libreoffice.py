"""Sentence pairs from LibreOffice's help: the same pages in many languages (chapters 1, 12).

Debian's packages ``libreoffice-help-en-us``, ``-nl``, ``-fr`` and ``-de`` hold one HTML page for
each topic and language, and the same paragraph has the same ``id`` in all of them. The text is
under the Mozilla Public License 2.0.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from mtcourse.errors import MtcourseError
from mtcourse.text.pairs import SentencePair
from mtcourse.whole_files import write_whole

LANGUAGES = {"en": "en-US", "nl": "nl", "fr": "fr", "de": "de"}
VARIABLE = "MTCOURSE_LIBREOFFICE_HELP"
UNPACKED = Path("data/libreoffice-help")
INSTALLED = Path("/usr/share/libreoffice/help")

BLOCKS = {"p", "h1", "h2", "h3", "h4", "h5", "h6"}
_PACKAGE_VERSION = re.compile(r"libreoffice \(([^)]+)\)")
_VERSION = re.compile(r"LibreOffice ([\d.]+) Help")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ\"“„'])")
_ABBREVIATION = re.compile(
    r"\b(e\.g|i\.e|etc|bijv|bv|d\.w\.z|z\.B|d\.h|usw|p\. ex|cf|vs|nr|No)\.$", re.IGNORECASE
)
_EXTRACTION = 1
"""Raised when extraction changes, so that no older cache is read."""


class _Paragraphs(HTMLParser):
    """Collects the text of every paragraph and heading that has an id."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, str] = {}
        self._id: str | None = None
        self._parts: list[str] = []
        self._open_spans: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in BLOCKS:
            self._finish()
            self._id, self._parts, self._open_spans = attributes.get("id"), [], []
        elif tag == "span":
            # Pages hold the menu of every system; the one for macOS would double the others'.
            self._open_spans.append("MAC" in (attributes.get("class") or "").split())
        elif tag == "br":
            self._parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self._finish()
        elif tag == "span" and self._open_spans:
            self._open_spans.pop()

    def handle_data(self, data: str) -> None:
        if self._id is not None and not any(self._open_spans):
            self._parts.append(data)

    def _finish(self) -> None:
        if self._id is not None:
            text = unicodedata.normalize("NFKC", "".join(self._parts).replace("~", ""))
            self.texts.setdefault(self._id, " ".join(text.split()))
        self._id = None


def paragraphs(page: str) -> dict[str, str]:
    """The text of each paragraph and heading of a page, by its id."""
    parser = _Paragraphs()
    parser.feed(page)
    parser.close()
    return parser.texts


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph, cut where a mark is followed by a capital.

    >>> sentences("Choose Edit. The dialog opens, e.g. Find.")
    ['Choose Edit.', 'The dialog opens, e.g. Find.']
    """
    found: list[str] = []
    for part in SENTENCE_END.split(paragraph):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def aligned_sentences(source: str, target: str, origin: str) -> Iterator[SentencePair]:
    """Two paragraphs sentence by sentence, or as they are where one has more sentences."""
    sides = sentences(source), sentences(target)
    if len(sides[0]) != len(sides[1]):
        sides = [source], [target]
    for one, other in zip(*sides, strict=True):
        yield SentencePair(one, other, origin=origin)


def help_folder(languages: Sequence[str], root: Path | str | None = None) -> Path:
    """The folder that holds the pages of all these languages.

    Looks in ``root`` if it is given; else where the environment variable
    ``MTCOURSE_LIBREOFFICE_HELP`` says, in ``data/libreoffice-help``, and where Debian installs the
    packages.

    Raises:
        MtcourseError: a language is unknown, or its pages are not found.
    """
    if unknown := [language for language in languages if language not in LANGUAGES]:
        raise MtcourseError(
            f"LibreOffice's help is known here in {', '.join(LANGUAGES)}, not in {unknown[0]!r}"
        )
    given = root or os.environ.get(VARIABLE)
    places = [Path(given)] if given else [UNPACKED, INSTALLED]
    for place in places:
        for folder in (place, place / INSTALLED.relative_to("/")):
            if all((folder / LANGUAGES[language]).is_dir() for language in languages):
                return folder
    packages = " ".join(f"libreoffice-help-{LANGUAGES[lang].lower()}" for lang in languages)
    raise MtcourseError(
        f"LibreOffice's help in {' and '.join(languages)} is not in "
        f"{' or '.join(str(place) for place in places)}: run `make real-data`, install "
        f"Debian's {packages}, or unpack these packages and set {VARIABLE} to the folder"
    )


def version_of(folder: Path) -> str:
    """The version of the Debian package or, if it is unknown, the one that the pages name."""
    changelog = folder.parents[1] / "doc" / "libreoffice-help-en-us" / "changelog.Debian.gz"
    if changelog.is_file():
        with gzip.open(changelog, "rt", encoding="utf-8") as lines:
            if match := _PACKAGE_VERSION.match(lines.readline()):
                return match[1]
    for page in sorted((folder / "en-US" / "text").rglob("*.html")):
        if match := _VERSION.search(page.read_text(encoding="utf-8")):
            return match[1]
    raise MtcourseError(f"no page below {folder} says which version of LibreOffice it is for")


def extract(folder: Path, source_language: str, target_language: str) -> list[SentencePair]:
    """Every aligned sentence pair of all pages, in the order of the pages; kept in a cache."""
    pages = sorted((folder / LANGUAGES[source_language] / "text").rglob("*.html"))
    key = _key(folder, [*pages, *(folder / LANGUAGES[target_language] / "text").rglob("*.html")])
    cached = cache_folder() / "libreoffice-help" / f"{source_language}-{target_language}-{key}.tsv"
    if cached.exists():
        rows = (line.split("\t") for line in cached.read_text(encoding="utf-8").splitlines())
        return [SentencePair(source, target, origin=origin) for origin, source, target in rows]
    pairs = list(_extracted(folder, pages, source_language, target_language))
    _write(cached, "".join(f"{p.origin}\t{p.source}\t{p.target}\n" for p in pairs))
    return pairs


def _key(folder: Path, pages: Sequence[Path]) -> str:
    """Differs where the version, a page's name or size, or the way of extraction differs."""
    sizes = sorted((page.relative_to(folder).as_posix(), page.stat().st_size) for page in pages)
    return hashlib.sha256(repr((_EXTRACTION, version_of(folder), sizes)).encode()).hexdigest()[:16]


def _extracted(
    folder: Path, pages: Sequence[Path], source_language: str, target_language: str
) -> Iterator[SentencePair]:
    """The pairs of the pages that exist in both languages."""
    base = folder / LANGUAGES[source_language]
    for page in pages:
        name = page.relative_to(base)
        counterpart = folder / LANGUAGES[target_language] / name
        if not counterpart.exists():
            continue
        sources, targets = (
            paragraphs(side.read_text(encoding="utf-8")) for side in (page, counterpart)
        )
        for identifier, source in sources.items():
            if identifier in targets and (source or targets[identifier]):
                origin = f"{name.as_posix()}#{identifier}"
                yield from aligned_sentences(source, targets[identifier], origin)


def cache_folder() -> Path:
    """The folder in which this system keeps caches."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "mtcourse"


def _write(path: Path, text: str) -> None:
    """Writes a cache file whole or not at all; goes on without one if it cannot be written."""
    try:
        write_whole(path, text)
    except OSError as error:
        print(f"mtcourse: the extracted pairs are not kept in {path}: {error}", file=sys.stderr)
