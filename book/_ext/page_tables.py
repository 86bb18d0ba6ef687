"""Columns of numbers are aligned on the right, so that digits stand one below the other."""

from __future__ import annotations

import re

from bs4 import BeautifulSoup, Tag

CLASS = "mt-number"
NUMBER = re.compile(r"[-−+±≈<>~ ]*[\d][\d,. ]*(\s?(%|×|x|s|ms|h|min|M|k|MB|kB))?")
EMPTY = frozenset({"", "–", "-", "—", "…"})


def align_numbers(soup: BeautifulSoup) -> None:
    """Marks the cells of each column that holds nothing but numbers."""
    for table in soup.select("article table"):
        if table.find_parent(class_="mtcourse-explorer") or table.find(colspan=True):
            continue
        rows = [row.find_all(["td", "th"], recursive=False) for row in table.select("tbody > tr")]
        for cells in zip(*rows, strict=False):
            texts = [text_of(cell) for cell in cells]
            if all(map(is_number, texts)) and any(text not in EMPTY for text in texts):
                at = rows[0].index(cells[0])
                for row in table.select("tr"):
                    line = row.find_all(["td", "th"], recursive=False)
                    for cell in line[at : at + 1]:
                        cell["class"] = [*dict.fromkeys([*cell.get("class", []), CLASS])]


def text_of(cell: Tag) -> str:
    """What a cell shows; a formula is no number."""
    return "formula" if cell.select_one(".math") else cell.get_text(" ", strip=True)


def is_number(text: str) -> bool:
    """Whether a text is a number, with a unit at most, or holds the place of one."""
    return text in EMPTY or NUMBER.fullmatch(text) is not None
