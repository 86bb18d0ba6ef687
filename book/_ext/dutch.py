"""Says which words of a page are Dutch, so that they are not read aloud as English.

The book sets what it quotes in italics, and its own corpus knows which words are Dutch. A quotation
is marked if each of its words is a Dutch form of the course's language, and one of them is no word
of English: *het raam* is, *park* is not. Sentences in tables and in what code prints are marked in
the same way. What the rule cannot decide is marked by hand, ``{nl}`in` ``, or listed here.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, NavigableString, Tag
from docutils import nodes

from mtcourse.text import grammar
from mtcourse.text.corpora import builtin_corpus
from mtcourse.text.language import reading

CLASS = "dutch"
WORD = re.compile(r"[^\W\d_]+")
RUN = re.compile(r"""[^\W\d_]+(?:[\s▁,…'"→]+[^\W\d_]+)+""")
FEWEST = 2
"""Words of a run in a table or an output that only Dutch has; one might be chance."""

ALSO_ENGLISH = frozenset(
    WORD.findall(
        """
        agent arm auto baas bank beet belt bent bier boom boos brief brood bruin
        chauffeur chauffeurs dag dapper deed die doe dozen dun elf en er even heel hem
        hen hoed honing ken kip kook lag lager leer lees leg lessen lied loop mag mes
        natter nu om op over peer pet pop reed regent rent rode roman rood rust s slang
        slim slimmer steel strand tel theater theaters thee trek trots twee van verse
        vies vol wast waste wilt wist wit zing zit
        """
    )
)
"""Dutch forms of the corpus that an English dictionary has too, though its English side has not."""

DUTCH_COLUMNS = frozenset({"dutch", "dutch sentence", "translation"})
"""Headings of columns whose text is Dutch, also where a model or LibreOffice has words of its own;
a *reference* is one where there is a *translation* to compare with it."""

QUOTED = frozenset(
    (
        "deed",
        "wilt",
        "op",
        "om",
        "er",
        "en",
        "heel",
        "opties",
        "verwijderen",
        "buurvrouw",
        "rijwiel",
        "de verpleegster is hier",
        "ik hou van muziek",
        "je bent laat",
        "het objectenvenster",
        "hetobjectenvenster",
    )
)
"""Quotations of the book that are Dutch though the rule cannot know: whole, in small letters."""


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_role(
        "nl", lambda name, raw, text, *_: ([nodes.emphasis(raw, text, classes=[CLASS])], [])
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def keep_words_in(build: Path) -> None:
    """From now on keeps the words in a file: to make the corpus takes seconds in each process.

    Args:
        build: the folder that a book is built in.
    """
    global _kept
    _kept = build / ".dutch" / f"{fingerprint()}.json"


_kept: Path | None = None


@functools.cache
def vocabularies() -> tuple[frozenset[str], frozenset[str]]:
    """The Dutch words of the corpus, and those that may be English."""
    if _kept is None:
        return words_of_corpus()
    if not _kept.exists():
        _kept.parent.mkdir(parents=True, exist_ok=True)
        being_made = _kept.with_suffix(f".{os.getpid()}")
        being_made.write_text(json.dumps([sorted(words) for words in words_of_corpus()]), "utf-8")
        being_made.replace(_kept)
    dutch, english = json.loads(_kept.read_text("utf-8"))
    return frozenset(dutch), frozenset(english)


def words_of_corpus() -> tuple[frozenset[str], frozenset[str]]:
    """The same, from the corpus itself."""
    pairs = [pair for split in builtin_corpus().splits.values() for pair in split]
    dutch = {word for pair in pairs for word in WORD.findall(pair.target.lower())}
    english = {word for pair in pairs for word in WORD.findall(pair.source.lower())}
    return frozenset(dutch), frozenset(english | ALSO_ENGLISH)


@functools.cache
def fingerprint() -> str:
    """What tells these words from those of another version of this file and of the language."""
    files = [Path(__file__), Path(grammar.__file__)]
    files += sorted(path for path in Path(reading.__file__).parent.rglob("*.*") if path.is_file())
    texts = [path.read_bytes() for path in files if path.suffix != ".pyc"]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]


def is_dutch(text: str, fewest: int = 1) -> bool:
    """Whether all words are Dutch, and so many of them nothing else."""
    dutch, english = vocabularies()
    words = WORD.findall(text.lower())
    if "<" in text:
        return False  # <bos> is a token, and no wood
    return set(words) <= dutch and sum(word not in english for word in words) >= fewest


def say_language(soup: BeautifulSoup) -> None:
    """Marks Dutch quotations, and Dutch sentences in tables and outputs."""
    for quotation in soup.select("article em"):
        text = " ".join(quotation.get_text().split())
        marked = CLASS in quotation.get("class", []) or text.strip(" .,!?").lower() in QUOTED
        if not quotation.find_parent("pre") and (marked or is_dutch(text)):
            quotation["lang"] = "nl"
    for table in soup.select("article table"):
        if not table.find_parent(class_="mtcourse-explorer"):
            mark_columns(table)
    for cell in soup.select("article td"):
        if cell.has_attr("lang"):
            continue
        whole = cell.get_text(" ", strip=True)
        if cell.find_parent(class_="mtcourse-explorer") or cell.find(lang=True):
            continue
        if not cell.select_one("code, .math") and is_dutch(whole):
            cell["lang"] = "nl"
        else:
            mark_runs(soup, cell)
    for output in soup.select("article .cell_output pre"):
        mark_runs(soup, output)


def mark_columns(table: Tag) -> None:
    """Marks the cells of columns whose heading says that they are Dutch."""
    heads = [cell.get_text(" ", strip=True).lower() for cell in table.select("thead tr > *")]
    dutch = DUTCH_COLUMNS | ({"reference"} if "translation" in heads else frozenset())
    for row in table.select("tbody tr"):
        cells = row.find_all(["td", "th"], recursive=False)
        for head, cell in zip(heads, cells, strict=False):
            if len(cells) == len(heads) and head in dutch and WORD.search(cell.get_text()):
                cell["lang"] = "nl"


def mark_runs(soup: BeautifulSoup, place: Tag) -> None:
    """Marks what is Dutch within other text."""
    for text in list(place.find_all(string=RUN)):
        if any(parent.has_attr("lang") for parent in text.parents if parent is not soup.html):
            continue
        parts = list(parts_of(soup, str(text)))
        if len(parts) > 1 or isinstance(parts[0], Tag):
            text.replace_with(*parts)


def parts_of(soup: BeautifulSoup, text: str) -> Iterator[Tag | NavigableString]:
    """A text, with an element around each run of Dutch words."""
    done = 0
    for begin, end in dutch_runs(text):
        if begin > done:
            yield NavigableString(text[done:begin])
        run = soup.new_tag("span", lang="nl")
        run.string = text[begin:end]
        yield run
        done = end
    if done < len(text):
        yield NavigableString(text[done:])


def dutch_runs(text: str) -> Iterator[tuple[int, int]]:
    """Where the longest runs of Dutch words begin and end."""
    dutch, _ = vocabularies()
    for found in RUN.finditer(text):
        words = [*WORD.finditer(text, found.start(), found.end()), None]
        first = last = None
        for word in words:
            if word is not None and word[0].lower() in dutch:
                first, last = first or word, word
            else:
                if first and last and is_dutch(text[first.start() : last.end()], FEWEST):
                    yield first.start(), last.end()
                first = None
