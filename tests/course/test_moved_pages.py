"""An old address leads to the new page with all that it names; a bad entry ends the build."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from tests.course.test_book import BOOK, load_extension

moved_pages = load_extension("moved_pages")
site_links = load_extension("site_links")

KNOWN = {"book/intro", "book/05_masks"}
MOVED = """
[pages]
"book/05_masking" = "book/05_masks"
"start" = "book/intro"
"old/place/softmax" = "book/05_masks#softmax"
"""


def app_of(folder: Path, table: str, site: str = "") -> SimpleNamespace:
    """What Sphinx passes, for a book with this table and two pages that are built."""
    (folder / "book").mkdir(exist_ok=True)
    (folder / "book" / "moved.toml").write_text(table, encoding="utf-8")
    for page in KNOWN:
        path = folder / "html" / f"{page}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<h1 id='softmax'>{page}</h1>", encoding="utf-8")
    return SimpleNamespace(
        srcdir=folder,
        outdir=folder / "html",
        builder=SimpleNamespace(format="html", get_target_uri=lambda page: f"{page}.html"),
        env=SimpleNamespace(found_docs=KNOWN),
        config=SimpleNamespace(html_baseurl=site),
    )


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ('"book/a" = "book/gone"', "there is no page book/gone"),
        ('"book/a" = "book/gone#softmax"', "there is no page book/gone"),
        ('"book/a" = "https://example.org/"', "there is no page https://example.org/"),
        (
            '"book/intro" = "book/05_masks"',
            "there is a page book/intro, which would be overwritten",
        ),
        ('"book/a.html" = "book/intro"', "leave out the .html"),
        ('"book/a" = "book/intro.html"', "leave out the .html"),
        ('"/book/a" = "book/intro"', "named from the book's folder"),
        ('"../a" = "book/intro"', "named from the book's folder"),
        ('"book/a#b" = "book/intro"', "without # and ?"),
        ('"book/a" = 5', "a name in quotes"),
        ('"book/a" = "book/b"\n"book/b" = "book/intro"', "book/b has moved, too"),
    ],
)
def test_a_bad_entry_is_told_with_the_entry(tmp_path, entry, told):
    app = app_of(tmp_path, f"[pages]\n{entry}\n")
    with pytest.raises(moved_pages.MovedPagesError, match="book/a|book/intro") as ended:
        moved_pages.moved_pages(app)
    (line,) = str(ended.value).strip().splitlines()
    assert line.startswith(entry.splitlines()[0])
    assert told in line


@pytest.mark.parametrize(
    ("table", "told"),
    [("[pages\n", "not TOML"), ('[moved]\na = "b"\n', "one table"), ("pages = 5\n", "one table")],
)
def test_a_bad_table_is_told(tmp_path, table, told):
    with pytest.raises(moved_pages.MovedPagesError, match=told):
        moved_pages.moved_pages(app_of(tmp_path, table))


def test_a_book_without_a_table_has_no_old_addresses(tmp_path):
    app = app_of(tmp_path, "")
    (tmp_path / "book" / "moved.toml").unlink()
    assert moved_pages.moved_pages(app) == {}


def test_the_courses_own_table_is_sound():
    known = {path.relative_to(BOOK.parent).with_suffix("").as_posix() for path in BOOK.glob("*.md")}
    book = SimpleNamespace(srcdir=BOOK.parent, env=SimpleNamespace(found_docs=known))
    assert isinstance(moved_pages.moved_pages(book), dict)


def test_old_addresses_are_written_and_lead_to_pages(tmp_path):
    app = app_of(tmp_path, MOVED)
    moved_pages.write_pages(app, None)
    for old in ("book/05_masking", "start", "old/place/softmax"):
        assert (app.outdir / f"{old}.html").exists()
    site = site_links.Site(app.outdir)
    assert site.faults() == []
    led = {it.target for page in site.pages.values() for it in page.references}
    assert led == {"book/05_masks.html", "book/intro.html"}


def test_the_new_page_is_the_canonical_one_where_the_book_has_an_address(tmp_path):
    app = app_of(tmp_path, MOVED, "https://books.example.org/mt/")
    moved_pages.write_pages(app, None)
    page = BeautifulSoup((app.outdir / "old/place/softmax.html").read_text("utf-8"), "html.parser")
    (link,) = page.select("link[rel=canonical]")
    assert link["href"] == "https://books.example.org/mt/book/05_masks.html"


def test_an_address_goes_when_its_entry_goes(tmp_path):
    moved_pages.write_pages(app_of(tmp_path, MOVED), None)
    app = app_of(tmp_path, '[pages]\n"start" = "book/intro"\n')
    moved_pages.write_pages(app, None)
    there = {path.relative_to(app.outdir).as_posix() for path in app.outdir.rglob("*.html")}
    assert there == {"start.html", "book/intro.html", "book/05_masks.html"}


def test_nothing_is_written_when_the_build_failed(tmp_path):
    app = app_of(tmp_path, MOVED)
    moved_pages.write_pages(app, RuntimeError())
    assert not (app.outdir / "start.html").exists()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("old", "arrives"),
    [
        ("start.html", "book/intro.html"),
        ("book/05_masking.html?a=1&b=%20#softmax", "book/05_masks.html?a=1&b=%20#softmax"),
        ("old/place/softmax.html?a=1", "book/05_masks.html?a=1#softmax"),
        ("old/place/softmax.html#x", "book/05_masks.html#x"),
    ],
)
@pytest.mark.parametrize("scripts", [True, False])
def test_a_reader_arrives_with_all_that_the_address_names(browser, tmp_path, old, arrives, scripts):
    app = app_of(tmp_path, MOVED)
    moved_pages.write_pages(app, None)
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{app.outdir.as_uri()}/{old}")
    # Without scripts a browser keeps neither, unless the table names a place.
    page.wait_for_url(f"**/{arrives}" if scripts else f"**/{arrives.split('?')[0].split('#')[0]}*")
    assert page.text_content("h1") in KNOWN
    context.close()
