"""Whoever reads on paper types a short address, and arrives at the explorer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from docutils import nodes

from scripts import build_pdf
from tests.course.test_book import BOOK, load_extension
from tests.helpers.browsing import HTML, NOT_BUILT

short_addresses = load_extension("short_addresses")
site_links = load_extension("site_links")

EXPLORER = '<div class="mtcourse-explorer" data-explorer="{}"></div>'
SCRIPT = '<script>all(`[data-explorer="${kind}"]`)</script>'
PAGES = {
    "book/04_attention": EXPLORER.format("attention") + EXPLORER.format("other"),
    "book/20_capstone": SCRIPT,
    "book/intro": EXPLORER.format("x"),
}
SITE = "https://a.github.io/b/"


def app_of(folder) -> SimpleNamespace:
    """What Sphinx passes, for a book of these pages."""
    for name, text in PAGES.items():
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "favicon.svg").touch()
    return SimpleNamespace(
        outdir=folder,
        builder=SimpleNamespace(format="html", get_target_uri=lambda page: f"{page}.html"),
        env=SimpleNamespace(
            found_docs=set(PAGES), titles={page: nodes.title("", "A & B") for page in PAGES}
        ),
    )


def test_a_chapters_first_explorer_has_an_address_by_the_chapters_number(tmp_path):
    (tmp_path / "explore" / "3").mkdir(parents=True)  # of an earlier build
    short_addresses.write_addresses(app_of(tmp_path), None)
    assert [path.name for path in (tmp_path / "explore").iterdir()] == ["4"]
    site = site_links.Site(tmp_path)
    assert site.faults() == []
    (page,) = [page for name, page in site.pages.items() if name.startswith("explore/")]
    assert page.leads_on
    assert {it.address for it in page.references} == {
        "../../_static/favicon.svg",
        "../../book/04_attention.html#explorer=attention",
    }
    assert "explore/4/index.html" not in site.unreferenced()


def test_nothing_is_written_when_the_build_failed(tmp_path):
    short_addresses.write_addresses(app_of(tmp_path), RuntimeError())
    assert not (tmp_path / "explore").exists()


@pytest.mark.parametrize(
    ("name", "explorer", "address"),
    [
        ("04_attention", "attention", f"{SITE}explore/4/"),
        ("04_attention", "other", f"{SITE}book/04_attention.html#explorer=other"),
        ("20_capstone", "", f"{SITE}book/20_capstone.html"),
        ("intro", "", SITE),
    ],
)
def test_paper_gives_the_shortest_address_there_is(monkeypatch, name, explorer, address):
    page = PAGES[f"book/{name}"]
    monkeypatch.setattr(build_pdf, "site_address", lambda: SITE)
    assert build_pdf.short_address_of(name, explorer, page) == address
    monkeypatch.setattr(build_pdf, "site_address", lambda: None)
    assert build_pdf.short_address_of(name, explorer, page) is None


def test_each_explorer_of_the_book_has_an_address():
    if not (HTML / "index.html").exists():
        pytest.skip(NOT_BUILT)
    found = {int(path.name) for path in (HTML / "explore").iterdir()}
    chapters = {int(path.name[:2]) for path in BOOK.glob("[0-9][0-9]_*.md")}
    assert found == chapters - {20}  # the capstone has none
    for number in found:
        text = (HTML / "explore" / str(number) / "index.html").read_text("utf-8")
        assert f"../../book/{number:02}_" in text


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False])
def test_a_reader_who_types_it_sees_the_explorer(browser, scripts):
    if not (HTML / "explore").exists():
        pytest.skip(NOT_BUILT)
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((HTML / "explore" / "4" / "index.html").as_uri())
    page.wait_for_url("**/book/04_attention.html#explorer=attention")
    if scripts:
        top = page.locator('[data-explorer="attention"]').evaluate(
            "(box) => new Promise((done) => setTimeout(() => "
            "done(box.getBoundingClientRect().top), 1000))"
        )
        assert -50 < top < 400
    context.close()


@pytest.mark.browser
def test_paper_prints_the_short_address(browser, tmp_path, monkeypatch):
    if not (HTML / "index.html").exists():
        pytest.skip(NOT_BUILT)
    monkeypatch.setattr(build_pdf, "site_address", lambda: SITE)
    page = build_pdf.read_page(HTML, "04_attention", "")
    build_pdf.take_pictures(browser, HTML, page, tmp_path)
    (caption,) = page.article.select(".still figcaption")
    said = "On the screen you can change this: a.github.io/b/explore/4"
    assert caption.get_text() == said
    assert caption.a["href"] == f"{SITE}explore/4/"
