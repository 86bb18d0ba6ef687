"""A release of the exercises without their solutions, and a scan that proves it.

The scan takes each solution apart into passages: the code between the marks as a whole, its longer
lines, and the sentences of the reasoning. It looks for them in every file of a release, without
regard to white space: in notebooks (also in outputs, metadata and attachments), pages, scripts,
data, archives and the packed texts of a search. Sphinx's search index holds words without their
order, so it is scanned for the words that only the solutions have, and for pages that are none of
the release's.
"""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import shutil
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtcourse.errors import MtcourseError
from mtcourse.grading.exercise_notebook import write_exercise_notebooks
from mtcourse.grading.solution_notebook import (
    BEGIN_SOLUTION,
    END_SOLUTION,
    Cell,
    read_cells,
    read_notebook,
)

MIN_PASSAGE = 30
"""The characters, without white space, from which a passage is a solution's own."""
MIN_REGION = 12
"""The same for all of the code between two marks."""
MAX_FILE_BYTES = 200 * 2**20
"""The size up to which a file is scanned; a larger one counts as a leak, since nobody knows."""
MEDIA = (".png", ".jpg", ".jpeg", ".gif", ".ico", ".svg", ".woff", ".woff2", ".ttf", ".eot", ".mp4")
"""Endings of files in which there is no text to scan."""
GZIP = b"\x1f\x8b"
"""How a file begins that gzip has packed, as those of pagefind's search are."""
SEARCH_INDEX = "searchindex.js"
MIN_WORD = 5
"""The characters of a word that is looked for in a search index."""


@dataclass(frozen=True)
class Passage:
    """A piece of a solution, without white space.

    Args:
        notebook: the solution that it stands in.
        exercise: the exercise that it solves.
        text: the text itself.
        shown: the text as it stands there.
    """

    notebook: str
    exercise: str
    text: str
    shown: str = field(compare=False)


@dataclass(frozen=True)
class Leak:
    """A place in a release that gives something of a solution away.

    Args:
        file: its path, and after "!" the path in an archive.
        notebook: the solution.
        exercise: the exercise.
        text: what stands there.
    """

    file: str
    notebook: str
    exercise: str
    text: str

    def __str__(self) -> str:
        """The place in one line."""
        return f"{self.file}: {self.exercise} of {self.notebook}: {self.text[:80]}"


def collect_passages(solutions: Path) -> list[Passage]:
    """Returns the passages of all solutions of a folder, without what is handed out anyway.

    Raises:
        MtcourseError: there are no solutions.
    """
    paths = sorted(solutions.glob("*.ipynb"))
    if not paths:
        raise MtcourseError(f"there are no solutions in {solutions}: name their folder")
    notebooks = {path.stem: read_cells(read_notebook(path)) for path in paths}
    handed_out = squeeze(
        "\n".join(_read_open_text(c) for cells in notebooks.values() for c in cells)
    )
    found = [
        passage
        for name, cells in notebooks.items()
        for cell in cells
        for passage in _list_passages(name, cell)
        if passage.text not in handed_out
    ]
    return list(dict.fromkeys(found))


def _read_open_text(cell: Cell) -> str:
    """Returns what learners see of a cell."""
    if cell.role == "hidden":
        return ""
    return re.sub(rf"{BEGIN_SOLUTION}.*?{END_SOLUTION}", "", cell.text, flags=re.DOTALL)


def _list_passages(notebook: str, cell: Cell) -> Iterator[Passage]:
    """Yields the passages of a cell."""
    found: list[str] = []
    if cell.role == "answer":
        for region in re.findall(f"{BEGIN_SOLUTION}\n(.*?){END_SOLUTION}", cell.text, re.DOTALL):
            found += [region] * (len(squeeze(region)) >= MIN_REGION)
            found += [line for line in region.splitlines() if len(squeeze(line)) >= MIN_PASSAGE]
    elif cell.role == "hidden":
        sentences = re.split(r"(?<=[.!?:])\s+|\n\s*\n", cell.text)
        found += [one for one in sentences if len(squeeze(one)) >= MIN_PASSAGE]
    for text in found:
        yield Passage(notebook, cell.exercise, squeeze(text), " ".join(text.split()))


def squeeze(text: str) -> str:
    """Returns text without white space, and without what Markdown marks code and maths by."""
    return re.sub(r"[\s`$*_\\]+", "", text)


def scan_release(paths: Iterable[Path], solutions: Path) -> list[Leak]:
    """Scans files and folders for solutions; a release without any gives an empty list.

    Args:
        paths: what learners get.
        solutions: the folder of the solution notebooks.

    Raises:
        MtcourseError: there are no solutions, or nothing to scan.
    """
    passages = collect_passages(solutions)
    pages: dict[str, str] = {}
    leaks: list[Leak] = []
    indices: list[tuple[Path, str]] = []
    for path in paths:
        files = (
            [one for one in sorted(path.rglob("*")) if one.is_file()] if path.is_dir() else [path]
        )
        if not files or not files[0].exists():
            raise MtcourseError(f"there is nothing to scan at {path}")
        for file in files:
            for name, content in _read_files(file.as_posix(), file.read_bytes()):
                if Path(name).name == SEARCH_INDEX:
                    indices.append((file, content.decode("utf-8", "replace")))
                else:
                    text = _read_text(name, content)
                    pages[name] = text
                    leaks += _find_leaks(name, text, passages)
    words = _find_secret_words(passages, solutions, pages.values())
    for file, index in indices:
        leaks += _scan_index(file, index, words, pages.values())
    return leaks


def _read_files(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields a file, unpacked, or the files in an archive."""
    if content.startswith(GZIP):
        try:
            with gzip.open(io.BytesIO(content)) as packed:
                content = packed.read(MAX_FILE_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise MtcourseError(f"{name} is packed, and cannot be unpacked: {error}") from error
        if len(content) > MAX_FILE_BYTES:
            raise MtcourseError(f"{name} is too large to scan: unpack it")
        yield from _read_files(name, content)
        return
    if not zipfile.is_zipfile(io.BytesIO(content)):
        if not name.lower().endswith(MEDIA):
            yield name, content
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                if info.file_size > MAX_FILE_BYTES:
                    raise MtcourseError(f"{name}!{info.filename} is too large to scan: unpack it")
                yield from _read_files(f"{name}!{info.filename}", archive.read(info))


def _read_text(name: str, content: bytes) -> str:
    """Returns all text of a file in the forms in which a solution can stand in it."""
    text = content.decode("utf-8", "replace")
    if name.endswith((".ipynb", ".json")):
        try:
            return "\n".join(_walk_strings(json.loads(text)))
        except (ValueError, RecursionError):
            return text
    if name.endswith((".html", ".htm", ".js", ".xml", ".pf_fragment")):
        plain = html.unescape(re.sub(r"<[^<>]*>", "", text))
        return f"{plain}\n{_unescape_script(html.unescape(text))}"
    return text


def _walk_strings(value: Any) -> Iterator[str]:
    """Yields every text in a JSON document; the lines of a list belong together."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield "".join(one if isinstance(one, str) else "\n" for one in value)
        for one in value:
            if not isinstance(one, str):
                yield from _walk_strings(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            yield str(name)
            yield from _walk_strings(one)


def _unescape_script(text: str) -> str:
    """Resolves the escapes of texts in scripts."""
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return re.sub(r"\\([nrt])", " ", text)


def _find_leaks(name: str, text: str, passages: Sequence[Passage]) -> Iterator[Leak]:
    """Yields the passages that stand in a text."""
    squeezed = squeeze(text)
    for passage in passages:
        if passage.text in squeezed:
            yield Leak(name, passage.notebook, passage.exercise, passage.shown)
    if BEGIN_SOLUTION in text and name.endswith(".ipynb"):
        yield Leak(name, Path(name).stem, "some exercise", BEGIN_SOLUTION)


def _find_secret_words(
    passages: Sequence[Passage], solutions: Path, texts: Iterable[str]
) -> dict[str, Passage]:
    """Returns the words that stand in solutions, and in nothing that learners get."""
    known = _split_words(
        _read_open_text(cell)
        for path in sorted(solutions.glob("*.ipynb"))
        for cell in read_cells(read_notebook(path))
    )
    known |= _split_words(texts)
    words: dict[str, Passage] = {}
    for path in sorted(solutions.glob("*.ipynb")):
        for cell in read_cells(read_notebook(path)):
            if cell.role in ("answer", "hidden"):
                for word in _split_words([cell.text]) - known:
                    words[word] = Passage(path.stem, cell.exercise, word, word)
    return words


def _split_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(rf"\w{{{MIN_WORD},}}", text.lower())}


def _scan_index(
    file: Path, index: str, words: Mapping[str, Passage], texts: Iterable[str]
) -> Iterator[Leak]:
    """Yields what a search index of Sphinx tells of solutions.

    Its words are stems, so a secret word is one that begins with a term that no page explains.
    """
    found = re.search(r"Search\.setIndex\((.*)\)", index, re.DOTALL)
    try:
        content = json.loads(found[1] if found else index)
        documents, terms = content["docnames"], content["terms"]
    except (ValueError, KeyError, TypeError) as error:
        raise MtcourseError(f"{file} is no search index that can be read: {error}") from error
    for name in documents:
        if not (file.parent / f"{name}.html").is_file():
            yield Leak(
                file.as_posix(), name, "a page", "it is in the index, and not in the release"
            )
    starts = {word[:length] for word in _split_words(texts) for length in range(4, len(word) + 1)}
    unexplained = {term for term in terms if len(term) >= MIN_WORD and term[:-1] not in starts}
    for word, passage in sorted(words.items()):
        if any(word[:length] in unexplained for length in range(MIN_WORD, len(word) + 1)):
            yield Leak(file.as_posix(), passage.notebook, passage.exercise, f"the word {word}")


def write_release(
    solutions: Path, out: Path, projects: Path | None = None, book: Path | None = None
) -> list[Path]:
    """Writes what learners get into a new folder, once a scan has found no solution in it.

    Args:
        solutions: the folder of the solution notebooks.
        out: the folder to make.
        projects: the folder of the projects' templates, if they are handed out.
        book: the folder of the built book, if it is handed out.

    Returns:
        the files that were written.

    Raises:
        MtcourseError: the folder exists, something is missing, or something of a solution would be
            handed out; then nothing is written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise MtcourseError(f"{out} is there already: name a new folder, or empty it")
    making = out.with_name(f".{out.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    try:
        making.mkdir(parents=True)
        write_exercise_notebooks(solutions, making / "exercises")
        for folder, name in ((projects, "projects"), (book, "book")):
            if folder is not None:
                if not folder.is_dir():
                    raise MtcourseError(f"there is no folder {folder}")
                shutil.copytree(
                    folder, making / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
                )
        if leaks := scan_release([making], solutions):
            raise MtcourseError(describe_leaks(leaks).replace(f"{making.as_posix()}/", ""))
        if out.exists():
            out.rmdir()
        making.rename(out)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return sorted(path for path in out.rglob("*") if path.is_file())


def describe_leaks(leaks: Sequence[Leak]) -> str:
    """Describes leaks: how many, in which files, and each of the first ones."""
    files = Counter(leak.file for leak in leaks)
    lines = [f"{len(leaks)} passages of solutions stand in {len(files)} files:"]
    lines += [f"  {leak}" for leak in leaks[:MAX_LISTED]]
    more = len(leaks) - MAX_LISTED
    return "\n".join(lines + [f"  and {more} more"] * (more > 0))


MAX_LISTED = 20
"""The number of leaks that a message lists."""
