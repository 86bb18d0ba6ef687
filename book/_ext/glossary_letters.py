"""The letters above the glossary, each of which leads to its first term."""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag

LOOKS = "genindex-jumpbox"
"""Sphinx's class of the letters above the index: both rows look alike."""
NAME = "Letters"
"""What a screen reader says of the row, in English as in Dutch."""
WORTH_LETTERS = 20
"""Terms from which on a glossary is too long to be seen at once."""


def offer_letters(soup: BeautifulSoup) -> None:
    """Puts a row of letters above a long glossary."""
    for glossary in soup.select("article dl.glossary"):
        terms = glossary.select("dt[id]")
        if len(terms) < WORTH_LETTERS:
            continue
        firsts: dict[str, Tag] = {}
        for term in terms:
            firsts.setdefault(letter(term), term)
        row = soup.new_tag("nav", attrs={"class": LOOKS, "aria-label": NAME})
        for name, term in firsts.items():
            link = soup.new_tag("a", href=f"#{term['id']}")
            link.string = name
            row.append(link)
        glossary.insert_before(row)


def letter(term: Tag) -> str:
    """The letter under which a term is looked up."""
    return next(sign for sign in term.get_text() if sign.isalnum()).upper()
