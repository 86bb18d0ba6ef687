"""The letters above the glossary: each leads to its first term."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from tests.course.test_book import load_extension
from tests.helpers.browsing import HTML, NOT_BUILT

glossary_letters = load_extension("glossary_letters")
PAGE = HTML / "book" / "glossary.html"
MANY = ["Adam", "additive mask", "BLEU", "[MASK] token", *(f"term {n}" for n in range(20))]


def lettered(terms: list[str], kind: str = "glossary") -> BeautifulSoup:
    """A page with these terms, and its letters."""
    listed = "".join(
        f'<dt id="term-{n}">{term}</dt><dd>What it is.</dd>' for n, term in enumerate(terms)
    )
    soup = BeautifulSoup(f'<article><dl class="{kind}">{listed}</dl></article>', "html.parser")
    glossary_letters.offer_letters(soup)
    return soup


def test_each_letter_leads_to_its_first_term():
    links = lettered(MANY).select("nav + dl.glossary")[0].find_previous_sibling("nav").select("a")
    assert [(link.get_text(), link["href"]) for link in links] == [
        ("A", "#term-0"), ("B", "#term-2"), ("M", "#term-3"), ("T", "#term-4"),
    ]  # fmt: skip


@pytest.mark.parametrize(("terms", "kind"), [(MANY[:10], "glossary"), (MANY, "py class")])
def test_a_short_glossary_and_another_list_have_none(terms, kind):
    assert lettered(terms, kind).nav is None


@pytest.mark.skipif(not PAGE.exists(), reason=NOT_BUILT)
def test_every_term_of_the_book_stands_below_its_letter():
    soup = BeautifulSoup(PAGE.read_text("utf-8"), "html.parser")
    heads = {link["href"][1:]: link.get_text() for link in soup.select("article nav a")}
    under = ""
    for term in soup.select("dl.glossary dt[id]"):
        under = heads.pop(term["id"], under)
        assert glossary_letters.letter(term) == under, term.get_text()
    assert heads == {}


@pytest.mark.skipif(not PAGE.exists(), reason=NOT_BUILT)
def test_the_index_of_the_book_lists_its_terms_and_no_functions():
    index = BeautifulSoup((HTML / "genindex.html").read_text("utf-8"), "html.parser")
    listed = {link.get_text() for link in index.select(".genindextable a")}
    glossary = BeautifulSoup(PAGE.read_text("utf-8"), "html.parser")
    (terms,) = glossary.select("dl.glossary")
    assert len(listed) > 50
    assert len(listed) >= len(terms.find_all("dt", recursive=False))
    assert [name for name in listed if "(in module" in name or "()" in name] == []
