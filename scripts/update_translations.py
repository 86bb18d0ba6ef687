"""Brings the catalogues of a translation up to date with the book.

make book && python scripts/update_translations.py nl [PAGE ...]

The catalogues are in ``book/locale/LANGUAGE/LC_MESSAGES``, in the format of gettext, which editors
such as Poedit open: one for each page that is being translated (a PAGE that has none is begun), one
for what the outputs of these pages say, one for what stands around their text, and one for what
scripts say. A message that has changed a little keeps its translation, marked as fuzzy: until
somebody has looked at it, the page shows the English one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Annotated

import typer
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from bs4 import BeautifulSoup, Tag

from mtcourse.errors import MtcourseError
from mtcourse.whole_files import write_whole

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book" / "_ext"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from build_book import BUILD, ROOT, apart
from translation import (
    AROUND,
    FORMATS,
    FRAME,
    NAMES_OF_PAGES,
    OUTPUTS,
    SCRIPTS,
    SHOWN,
    spoken_places,
    without_numbers,
)

TEMPLATES = BUILD / "messages" / "_build" / "gettext" / "book"
PAGES = BUILD / "html" / "book"
KEYWORDS = {"phrase": None, "phraseParts": None}
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
"""A date in the header that does not change, so that a catalogue changes only with its messages."""


def main(
    language: Annotated[str, typer.Argument(help="A code such as nl.")],
    pages: Annotated[list[str] | None, typer.Argument(help="Pages to begin.")] = None,
) -> None:
    """Updates the catalogues of a language, and says how much of each is translated."""
    folder = ROOT / "book" / "locale" / language / "LC_MESSAGES"
    extract_text()
    known = {path.stem for path in (folder / "book").glob("*.po")} | set(pages or [])
    for page in sorted(known):
        template = TEMPLATES / f"{page}.pot"
        if not template.exists():
            raise MtcourseError(f"the book has no page {page}: name one of book/*.md, without .md")
        with template.open("rb") as file:
            merge(folder / "book" / f"{page}.po", messages_in(read_po(file)), language)
    merge(folder / f"{OUTPUTS}.po", outputs_of(sorted(known)), language)
    merge(folder / f"{AROUND}.po", said_around(sorted(known)), language)
    merge(folder / f"{SCRIPTS}.po", said_by_scripts(), language)


def extract_text() -> None:
    """Has Sphinx write what the pages say."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(ROOT)]
    command += [*apart(BUILD, "messages", {}), "--quiet"]
    command += ["--builder", "custom", "--custom-builder", "gettext"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise MtcourseError(f"Sphinx could not read the book:\n{ran.stderr[-2000:]}")


def messages_in(catalogue: Catalog) -> list[str]:
    """The messages of a catalogue, in its order."""
    return [str(message.id) for message in catalogue if message.id]


def outputs_of(pages: Iterable[str]) -> list[str]:
    """What the outputs of built pages say, each once."""
    messages: dict[str, None] = dict.fromkeys(FORMATS.values())
    for page in pages:
        for output in built_page(page).select(SHOWN):
            messages |= said_in(output)
    return list(messages)


def said_around(pages: Iterable[str]) -> list[str]:
    """What stands around the text of built pages, each once."""
    messages: dict[str, None] = {}
    for page in pages:
        soup = built_page(page)
        for names in soup.select(NAMES_OF_PAGES):
            names.decompose()
        for part in soup.select(FRAME):
            messages |= said_in(part)
    return list(messages)


def built_page(page: str) -> BeautifulSoup:
    """A page of the English book."""
    built = PAGES / f"{page}.html"
    if not built.exists():
        raise MtcourseError(f"{built} is missing: run make book first")
    return BeautifulSoup(built.read_text(encoding="utf-8"), "html.parser")


def said_in(part: Tag) -> dict[str, None]:
    """The messages of a part of a page, each once."""
    return {without_numbers(place.text)[0]: None for place in spoken_places(part)}


def said_by_scripts() -> list[str]:
    """What all scripts say through ``messages.js``, each once."""
    messages: dict[str, None] = {}
    for script in sorted(ROOT.joinpath("mtcourse").rglob("*.js")):
        for _line, message, _comments, _context in extract_from_file(
            "javascript", str(script), KEYWORDS, options={"template_string": "true"}
        ):
            messages |= {str(message): None}
    return list(messages)


def merge(path: Path, messages: Iterable[str], language: str) -> None:
    """Writes a catalogue with these messages, which keeps the translations that it has."""
    template = Catalog(creation_date=LONG_AGO, fuzzy=False)
    for message in messages:
        template.add(message)
    if path.exists():
        with path.open("rb") as file:
            catalogue = read_po(file, locale=language)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        catalogue = Catalog(locale=language, project="mtcourse", fuzzy=False)
    catalogue.update(template)
    catalogue.obsolete.clear()
    catalogue.creation_date = catalogue.revision_date = LONG_AGO
    written = BytesIO()
    write_po(written, catalogue, width=100)
    write_whole(path, written.getvalue())
    done = sum(bool(one.string) and not one.fuzzy for one in catalogue if one.id)
    print(f"{path.relative_to(ROOT)}: {done} of {len(catalogue)} messages are translated")


if __name__ == "__main__":
    typer.run(main)
