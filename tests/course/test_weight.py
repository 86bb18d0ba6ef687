"""The built book is light: what a page loads, what the whole weighs, formulas that are ready."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from mtcourse.repository import repository_address
from tests.course.test_book import load_extension
from tests.helpers.browsing import HTML, NOT_BUILT

formulas = load_extension("formulas")
light_pages = load_extension("light_pages")
ROOT = Path(__file__).resolve().parents[2]

MOST_FOR_A_PAGE = 700_000
"""Bytes, compressed: what a reader's first page may cost."""
MOST_FOR_THE_BOOK = 25_000_000
OF_ADDRESSES = 400_000
"""Bytes that links and launch buttons add to the pages once the repository has an address."""
FILE_OF_A_STYLE = re.compile(r"""url\(["']?([^"')]+)["']?\)""")
PAGES = sorted(HTML.glob("book/*.html"))


@pytest.fixture(autouse=True)
def _needs_the_book():
    if not PAGES:
        pytest.skip(NOT_BUILT)


def loaded(page: Path) -> set[Path]:
    """The files of the book that a page loads as it opens."""
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    tags = soup.select("script[src], img[src], link[rel=stylesheet], link[rel=preload]")
    places = [str(tag.get("src") or tag.get("href")) for tag in tags]
    files = {page} | {target(page, place) for place in places if ":" not in place}
    for sheet in [file for file in files if file.suffix == ".css"]:
        places = FILE_OF_A_STYLE.findall(sheet.read_text("utf-8"))
        files |= {target(sheet, place) for place in places if place.endswith(".woff2")}
    return {file for file in files if file.is_file()}


def target(page: Path, place: str) -> Path:
    """The file at an address in a page or a style sheet."""
    return (page.parent / unquote(urlsplit(place).path)).resolve()


def weight(file: Path) -> int:
    """Bytes that come over the line."""
    content = file.read_bytes()
    return len(content) if file.suffix in {".woff2", ".png"} else len(gzip.compress(content, 6))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_is_light(page):
    weights = {file.name: weight(file) for file in loaded(page)}
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:6]
    assert sum(weights.values()) < MOST_FOR_A_PAGE, heaviest


def test_the_book_is_light():
    files = [path for path in HTML.rglob("*") if path.is_file()]
    largest = sorted(files, key=lambda path: -path.stat().st_size)[:6]
    most = MOST_FOR_THE_BOOK - (OF_ADDRESSES if has_no_address() else 0)
    assert sum(path.stat().st_size for path in files) < most, largest


def has_no_address() -> bool:
    """Whether the book that is built has no links to a repository yet."""
    return repository_address(ROOT) is None


@pytest.mark.parametrize("pattern", [*light_pages.NEVER_LOADED, "**/*.map", "**/mathjax/**"])
def test_what_no_page_loads_is_left_out(pattern):
    assert [path.name for path in HTML.glob(pattern)] == []


def test_no_file_names_a_source_map():
    files = [file for file in HTML.rglob("*") if file.suffix in {".js", ".css"}]
    assert len(files) > 20
    assert [file.name for file in files if "sourceMappingURL=" in file.read_text("utf-8")] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_formula_is_ready(page):
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    raw = soup.find_all(string=re.compile(r"\\\(|\\\[|\\begin\{"))
    assert [text for text in raw if not text.find_parent(["code", "pre", "script"])] == []
    for formula in soup.select(".math"):
        assert formula.find("math") is not None, formula.get_text()
        unknown = {ord(sign) for sign in formula.get_text()} - formulas.SIGNS - {0x0A, 0x237}
        assert unknown == set(), f"{formula.get_text()}: add its signs to RANGES in formulas.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_no_icon_is_lost(page):
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    assert soup.select("i[class*=fa-]") == []
    assert soup.select("script[src*=fontawesome]") == []
    assert all(icon.find("path") for icon in soup.select("svg.svg-inline--fa"))
