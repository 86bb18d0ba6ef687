"""Tables of numbers: digits one below the other, true minus signs, and what stands on one line.

Columns of numbers are aligned on the right. What Python prints has a hyphen before a number that is
less than zero; in the cell of a table that is a minus sign. An interval, as "0.1 to 0.3" or
"[0.1, 0.3]", is not divided at the end of a line, in a table or in text, and neither is a word with
a single letter, as "top-p". In a table, names and other short cells stay whole as far as there is
room; where there is none, each interval stands below its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from bs4 import BeautifulSoup, NavigableString, Tag
from page_code import WHOLE

CLASS = "mt-number"
WIDE = "mt-wide"
"""A table of so many columns that they stand nearer to each other."""
MANY = 7
"""Columns of such a table."""
NUMBER = re.compile(
    r"[-−+±≈<>~ ]*(\d{1,3}([, ]\d{3})+|\d+)?(\.\d+)?(?<=\d)(e[-−+]?\d+)?"
    r"(\s?(%|×|x|s|ms|h|min|M|k|MB|kB))?"
)
"""One number, not a list of them."""
AS_IT_IS = "pre, code, math, script, style, svg, .math, .mtcourse-explorer"
"""In these no character is changed, and no line is divided by us."""
HYPHEN = re.compile(r"(?<![^\s(\[])-(?=\.?\d|∞)|(?<=\de)-(?=\d)")
"""A hyphen that begins a number or its power of ten."""
AMOUNT = r"[-−+±]?\d(?:[\d.,]*\d)?(?:\s?%)?"
INTERVAL = re.compile(
    r"(?<![\w.,–])\d[\d.,]*–\d+(?![\w–])|"
    rf"[(\[]{AMOUNT}(?:, {AMOUNT})+[)\]]|"
    rf"[(\[]?(?<![\w.,]){AMOUNT} (?:to|tot|of|van) {AMOUNT}(?!\w)[)\]]?"
)
STACK = re.compile(rf"{AMOUNT} (?=[(\[])(?:{INTERVAL.pattern})")
"""A number with its interval in brackets."""
COMPOUND = re.compile(r"(?<![\w-])(?:[^\W\d_]-[^\W\d_]+|[^\W\d_]+-[^\W\d_])(?![\w-])")
"""Two words of which one is a letter: top-p, n-gram."""
KEPT = re.compile(f"{INTERVAL.pattern}|{COMPOUND.pattern}")
IN_HEADINGS = re.compile(rf"{KEPT.pattern}|(?<![\w-])[^\W\d_]+-[^\W\d_]+(?![\w-])")
"""In the large letters of a heading, no word is divided at its hyphen."""
LONG = "mt-long"
"""A cell with a sentence or code in it, which on a phone is not as narrow as its longest word."""
SEVERAL = 3
"""Cells of a row; two have room on a phone."""
LONG_TEXT = 32
"""Characters from which on a cell is long."""
AT_MOST_OF_FEW, AT_MOST_OF_MANY = 13, 16
"""Characters that a column with words has on a phone at least, in a table of up to three columns,
which then fits, and of more, which scrolls anyway."""
LONGEST = 24
"""Characters of an interval that stands on one line; on a phone there is room for it."""
ROOM = 82
"""Characters of a line in a table, on a screen of 1280 pixels."""
BETWEEN = 2
"""Characters that the space between two columns takes."""
KEPT_COLUMN = "mt-c{}"
"""A table whose column of this number keeps each cell on one line, if it is not on a phone."""
KEPT_COLUMNS = 8
"""Columns for which the style sheet knows this."""
STACKED = "mt-stacked"
"""A table in which each interval stands on a line of its own."""
NAMED = "mt-names"
"""A table whose first column stays in sight on a phone."""
EMPTY = frozenset({"", "–", "-", "—", "…"})
NO_DIGITS = frozenset({"inf", "-inf", "−inf", "∞", "−∞", "nan"})


def align_numbers(soup: BeautifulSoup) -> None:
    """Marks the cells of each column that holds nothing but numbers."""
    for table in soup.select("article table"):
        if table.find_parent(class_="mtcourse-explorer") or table.find(colspan=True):
            continue
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tbody > tr")]
        for at, cells in enumerate(zip(*rows, strict=False)):
            texts = [text_of(cell) for cell in cells]
            if all(map(is_number, texts)) and any(text not in EMPTY for text in texts):
                for row in table.select("tr"):
                    line = row.find_all(["td", "th"], recursive=False)
                    for cell in line[at : at + 1]:
                        cell["class"] = [*dict.fromkeys([*cell.get("class", []), CLASS])]


def write_minus_signs(soup: BeautifulSoup) -> None:
    """Puts a minus sign before numbers in tables and in printed words that have a hyphen there."""
    for cell in soup.select("article :is(td, th, .printed-words p)"):
        for text in plain_texts(cell):
            written = HYPHEN.sub("−", text)
            if written != text:
                text.replace_with(written)


def keep_together(soup: BeautifulSoup) -> None:
    """Marks the intervals and the words with a single letter, in tables, text and headings."""
    for block in soup.select("article :is(td, th, p, li, figcaption, h1, h2, h3, h4)"):
        kept = IN_HEADINGS if block.name in ("h1", "h2", "h3", "h4") else KEPT
        for text in plain_texts(block):
            parts = parts_of(text, kept)
            if len(parts) > 1 or parts[0][1]:
                text.replace_with(*(marked(soup, *part) for part in parts))


def keep_short_columns(soup: BeautifulSoup) -> None:
    """Marks, in each table, the columns whose cells stay on one line.

    They are the first ones for which there is room beside what the others need at least. Where
    there is too little for all, intervals go below their numbers.
    """
    for table in soup.select("article table:not(.printed-matrix)"):
        if table.find_parent(class_="mtcourse-explorer") or table.find(colspan=True):
            continue
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tbody > tr")]
        head = table.select("thead th") or [None] * len(rows[0]) if rows else []
        columns = [Column.of(*cells) for cells in zip(head, *rows, strict=False)]
        room = ROOM - sum(column.least + BETWEEN for column in columns)
        short = [column for column in columns if column.longest <= LONGEST]
        is_tight = sum(column.longest - column.least for column in short) > room
        stacks = is_tight and not any(column.has_others for column in columns)
        marks = [STACKED] if stacks and any(column.has_stacks for column in columns) else []
        for number, column in enumerate(columns[:KEPT_COLUMNS], start=1):
            more = column.longest - column.least
            if column in short and 0 < more <= room and not (stacks and column.has_stacks):
                room -= more
                marks.append(KEPT_COLUMN.format(number))
        if marks:
            table["class"] = [*dict.fromkeys([*table.get("class", []), *marks])]


@dataclass
class Column:
    """How many characters a column of a table needs.

    Args:
        longest: so that each cell stands on one line.
        least: so that no word and no interval is divided, in the head neither.
        has_stacks: whether it has numbers, each with its interval.
        has_others: whether it has other texts with an interval.
    """

    longest: int
    least: int
    has_stacks: bool = False
    has_others: bool = False

    @classmethod
    def of(cls, head: Tag | None, *cells: Tag) -> Column:
        """Measures a column, which is never on one line if a cell holds more than words."""
        if any(cell.select_one(".math, img, svg, ul, ol, pre") for cell in cells):
            return cls(LONG_TEXT, LONG_TEXT)
        texts = [cell.get_text(" ", strip=True) for cell in cells]
        heads = [] if head is None else [head.get_text(" ", strip=True)]
        pieces = ["".join(undivided(text)).split() for text in heads + texts]
        least = max(map(len, chain.from_iterable(pieces)), default=0)
        return cls(
            longest=max(least, *map(len, texts)),
            least=least,
            has_stacks=any(map(STACK.fullmatch, texts)),
            has_others=any(INTERVAL.search(t) and not STACK.fullmatch(t) for t in texts),
        )


def undivided(text: str) -> Iterator[str]:
    """The parts of a text; one that is kept together has no space."""
    return (re.sub(r"\s", "_", part) if whole else part for part, whole in parts_of(text))


def tighten_wide_tables(soup: BeautifulSoup) -> None:
    """Marks the tables of many columns."""
    for table in soup.select("article table"):
        row = table.find("tr")
        if row is not None and table.find_parent(class_="mtcourse-explorer") is None:
            columns = row.find_all(["td", "th"], recursive=False)
            if len(columns) >= MANY and "printed-matrix" not in table.get("class", []):
                table["class"] = [*dict.fromkeys([*table.get("class", []), WIDE])]


def widen_long_cells(soup: BeautifulSoup) -> None:
    """Marks the cells with much text in rows of several: a word a line cannot be read."""
    for row in soup.select("article tr:not(.mtcourse-explorer *)"):
        cells = row.find_all(["td", "th"], recursive=False)
        for cell in cells if len(cells) >= SEVERAL else ():
            if len(prose_of(cell)) >= LONG_TEXT:
                cell["class"] = [*dict.fromkeys([*cell.get("class", []), LONG])]


def give_columns_room(soup: BeautifulSoup) -> None:
    """Says of a column with words how many characters it needs at least, on a phone.

    A table that is too wide scrolls there. Without this, its columns would be as narrow as their
    longest words all the same.
    """
    for table in soup.select("article table:not(.printed-matrix)"):
        if table.find_parent(class_="mtcourse-explorer") or table.find(colspan=True):
            continue
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tr")]
        for cells in zip(*rows, strict=False):
            texts = [prose_of(cell) for cell in cells if cell.name == "td"]
            longest = max(map(len, texts), default=0)
            if longest > max(map(len, " ".join(texts).split()), default=0):
                most = AT_MOST_OF_FEW if len(rows[0]) <= SEVERAL else AT_MOST_OF_MANY
                styles = [cells[0].get("style", ""), f"--w:{min(longest, most)}"]
                cells[0]["style"] = ";".join(filter(None, styles))


def keep_names_in_sight(soup: BeautifulSoup) -> None:
    """Marks the tables whose first column stays in sight on a phone, while the others scroll.

    It holds the names of the rows, and leaves room for another column.
    """
    for table in soup.select("article table:not(.printed-matrix)"):
        if table.find_parent(class_="mtcourse-explorer") or table.find(colspan=True):
            continue
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tr")]
        first = [row[0] for row in rows if row]
        if (
            not first
            or min(map(len, rows)) < SEVERAL
            or any(cell.select(".math") for cell in first)
        ):
            continue
        words = chain.from_iterable(cell.get_text(" ", strip=True).split() for cell in first)
        if max(map(len, words), default=0) <= AT_MOST_OF_FEW:
            table["class"] = [*dict.fromkeys([*table.get("class", []), NAMED])]


def prose_of(cell: Tag) -> str:
    """What a cell says beside its formulas, which are as wide as they are."""
    texts = (text for text in cell.find_all(string=True) if not text.find_parent(class_="math"))
    return " ".join("".join(texts).split())


def plain_texts(element: Tag) -> list[NavigableString]:
    """The texts of an element that may be changed, without those that are marked already."""
    return [
        text
        for text in element.find_all(string=True)
        if type(text) is NavigableString
        and (above := text.parent) is not None
        and above.css.closest(AS_IT_IS) is None
        and WHOLE not in above.get("class", [])
    ]


def parts_of(text: str, kept: re.Pattern[str] = KEPT) -> list[tuple[str, bool]]:
    """A text in parts, and of each whether it is kept together."""
    parts, end = [], 0
    for found in kept.finditer(text):
        if len(found[0]) <= LONGEST:
            parts += [(text[end : found.start()], False), (found[0], True)]
            end = found.end()
    return [part for part in [*parts, (text[end:], False)] if part[0]] or [("", False)]


def marked(soup: BeautifulSoup, text: str, is_kept: bool) -> NavigableString | Tag:
    """A part of a text, for a page."""
    if not is_kept:
        return NavigableString(text)
    span = soup.new_tag("span", attrs={"class": WHOLE})
    span.string = text
    return span


def text_of(cell: Tag) -> str:
    """What a cell shows; a formula is no number."""
    return "formula" if cell.select_one(".math") else cell.get_text(" ", strip=True)


def is_number(text: str) -> bool:
    """Whether a text is a number, with a unit at most, or holds the place of one."""
    return text in EMPTY | NO_DIGITS or NUMBER.fullmatch(text) is not None
