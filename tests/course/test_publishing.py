"""Both addresses stand in one place: every link follows them, and without them none is shown."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from mtcourse import __version__
from mtcourse.repository import NOT_SET
from tests.course.test_book import ROOT, load_extension
from tests.helpers.small_books import begin_book

publishing = load_extension("publishing")
cover = load_extension("cover")
site_links = load_extension("site_links")

pytestmark = pytest.mark.slow

REPOSITORY = "https://github.com/a-school/its-course"
BRANCH = "teaching"
SITE = "https://books.example.org/mt/"
WITH_CODE = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
LIST = "\n## Exercises\n\n- `attention`, read: what it says (A07).\n"
CELL = "\n```{code-cell} ipython3\nx = 1\n```\n"
PAGES = {
    "intro": f"""\
# Begin

Read [the model card]({publishing.IN_PAGES}/blob/main/README.md), and not
[another's repository]({publishing.IN_PAGES}-of-others/x). *This* page says "much" of addresses.

```sh
git clone {publishing.IN_PAGES}
cd mtcourse
pip install x "mtcourse @ git+{publishing.IN_PAGES}" 'mtcourse[y] @ git+{publishing.IN_PAGES}'
```

:::{{only}} published
A release brings it.
:::

:::{{only}} released
[Here]({publishing.IN_PAGES}/releases/latest/download/mtcourse.pdf) it is.
:::

:::{{only}} not released
Make it yourself.
:::
""",
    "04_attention": f"{WITH_CODE}\n# Attention\n\nWords.\n{CELL}{LIST}",
}
MOVED = '[pages]\n"book/03_attention" = "book/04_attention"\n'
EXERCISES = "exercises/04_attention.ipynb"
CONTENTS = "format: jb-book\nroot: book/intro\nchapters:\n  - file: book/04_attention\n"


def build(folder: Path, repository: str | None, site: str | None) -> Path:
    """A small book with the course's own configuration; only the two addresses differ."""
    begin_book(folder)
    (folder / "_toc.yml").write_text(CONTENTS, encoding="utf-8")
    (folder / "book" / "moved.toml").write_text(MOVED, encoding="utf-8")
    (folder / "exercises").mkdir()
    shutil.copy(ROOT / EXERCISES, folder / EXERCISES)
    for name, text in PAGES.items():
        (folder / "book" / f"{name}.md").write_text(text, encoding="utf-8")
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    config, count = re.subn(r"(?m)^  url: .*$", f"  url: {repository or NOT_SET}", config)
    assert count == 1
    config = re.sub(r"(?m)^  baseurl: .*\n", "", config)
    if repository:
        config = re.sub(r"(?m)^  branch: .*$", f"  branch: {BRANCH}", config)
    if site:
        config = config.replace("\nhtml:\n", f"\nhtml:\n  baseurl: {site}\n")
    (folder / "_config.yml").write_text(config, encoding="utf-8")
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "-W", "--quiet"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "_build" / "html"


@pytest.fixture(scope="module")
def unset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("unset"), None, None)


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("placed"), REPOSITORY, SITE)


@pytest.fixture(scope="module")
def on_github(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("on_github"), f"{REPOSITORY}.git", None)


def page(html: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((html / name).read_text("utf-8"), "html.parser")


def addresses(html: Path, name: str) -> list[str]:
    return [link["href"] for link in page(html, name).find_all("a", href=True)]


@pytest.mark.parametrize("name", ["book/intro.html", "book/04_attention.html"])
def test_without_an_address_no_page_leads_to_the_repository(unset, name):
    text = (unset / name).read_text("utf-8")
    assert "not-set" not in text
    assert "mybinder" not in text
    assert "colab.research" not in text
    assert not [a for a in addresses(unset, name) if publishing.leads_to_repository(a)]


def test_a_book_is_whole_and_holds_nothing_that_no_page_needs(unset):
    site = site_links.Site(unset)
    assert site.faults() == []
    assert site.unreferenced() == []


def test_an_old_address_leads_on(placed):
    old = page(placed, "book/03_attention.html").head
    assert old.select_one("link[rel=canonical]")["href"] == f"{SITE}book/04_attention.html"
    assert "03_attention" not in (placed / "sitemap.xml").read_text("utf-8")


def test_a_book_says_which_version_it_is(unset):
    assert json.loads((unset / "versions.json").read_text("utf-8"))["here"] == __version__


def test_without_an_address_the_words_of_a_link_stay(unset):
    article = page(unset, "book/intro.html").article
    assert "Read the model card, and not" in " ".join(article.get_text().split())
    assert f"{publishing.IN_PAGES}-of-others/x" in addresses(unset, "book/intro.html")


def test_without_an_address_commands_take_the_folder_and_no_release_is_promised(unset, placed):
    commands = page(unset, "book/intro.html").select_one(".highlight pre").get_text()
    assert commands.splitlines() == ["cd mtcourse", "pip install x ./mtcourse './mtcourse[y]'"]
    assert "A release" not in page(unset, "book/intro.html").article.get_text()
    assert "A release" in page(placed, "book/intro.html").article.get_text()
    assert "yourself" in page(unset, "book/intro.html").article.get_text()
    assert "yourself" not in page(placed, "book/intro.html").article.get_text()
    file = f"{REPOSITORY}/releases/latest/download/mtcourse.pdf"
    assert page(placed, "book/intro.html").article.find("a", string="Here")["href"] == file
    commands = page(placed, "book/intro.html").select_one(".highlight pre").get_text()
    assert commands.splitlines()[-1] == (
        f"pip install x \"mtcourse @ git+{REPOSITORY}\" 'mtcourse[y] @ git+{REPOSITORY}'"
    )


@pytest.mark.parametrize(
    ("address", "keeps"),
    [(None, False), (REPOSITORY, True), ("https://gitlab.com/a-school/its-course", False)],
)
def test_only_a_host_that_keeps_files_with_releases_is_linked_for_them(address, keeps):
    assert publishing.is_on_github(address) is keeps


@pytest.mark.parametrize(
    ("name", "theirs"),
    [("book/04_attention.html", [".ipynb", ".pdf"]), ("book/intro.html", [".md", ".pdf"])],
)
def test_downloads_are_called_what_they_are(unset, placed, name, theirs):
    named = [publishing.DOWNLOADS[one][0] for one in theirs]
    for html, book in ((unset, []), (placed, list(publishing.WHOLE_BOOK.values()))):
        items = page(html, name).select("[class*=btn-download-]")
        assert [" ".join(item.get_text().split()) for item in items] == [*named, *book]
        (printer,) = page(html, name).select(".btn-download-pdf-button svg.fa-print > path")
        assert printer["d"]


def test_the_exercises_open_where_the_repository_is_known(unset, placed):
    def links(html: Path) -> dict[str, str]:
        row = page(html, "book/04_attention.html").select(".exercise-links a")
        return {link.get_text(): link["href"] for link in row}

    assert list(links(unset)) == ["Download the notebook"]
    found = links(placed)
    assert found.pop("Download the notebook").endswith("04_attention.ipynb")
    place = f"a-school/its-course/blob/{BRANCH}/{EXERCISES}"
    assert found == {
        "Open in Colab": f"https://colab.research.google.com/github/{place}",
        "Open in Binder": f"https://mybinder.org/v2/gh/a-school/its-course/{BRANCH}"
        f"?urlpath=lab/tree/{EXERCISES}",
        "On GitHub": f"https://github.com/{place}",
    }
    assert (ROOT / EXERCISES).is_file()


def test_a_notebook_can_be_downloaded_without_an_address(unset):
    assert [a for a in addresses(unset, "book/04_attention.html") if a.endswith(".ipynb")]


def test_all_links_follow_the_repositorys_address(placed):
    found = addresses(placed, "book/intro.html")
    assert f"{REPOSITORY}/blob/main/README.md" in found
    assert REPOSITORY in found
    assert [a for a in found if a.startswith(f"{REPOSITORY}/issues")]
    assert f"git clone {REPOSITORY}" in page(placed, "book/intro.html").article.get_text()
    launch = addresses(placed, "book/04_attention.html")
    assert [a for a in launch if "mybinder.org/v2/gh/a-school/its-course/" in a]
    assert [a for a in launch if "colab.research.google.com/github/a-school/its-course/" in a]
    assert not [a for a in found + launch if publishing.leads_to_repository(a)]


def test_a_page_offers_the_whole_book_of_the_last_release(placed, unset):
    files = [f"{REPOSITORY}/releases/latest/download/{name}" for name in publishing.WHOLE_BOOK]
    for name in ("book/intro.html", "book/04_attention.html"):
        menu = page(placed, name).select(".dropdown-download-buttons a")
        assert [link["href"] for link in menu][-2:] == files
        assert "the whole book (PDF)" in " ".join(menu[-2].get_text().split())
        assert not [a for a in addresses(unset, name) if "releases" in a]


@pytest.mark.parametrize("address", [None, "https://gitlab.example/x"])
def test_without_releases_a_page_leads_to_how_the_whole_book_is_made(address, monkeypatch):
    monkeypatch.setattr(publishing, "repository_of", lambda _: address)
    ways = ((("book/setup",), "../setup"), (("book/setup",), "#"), ((), "unused"))
    for pages, path in ways:
        app = SimpleNamespace(
            env=SimpleNamespace(found_docs=pages), config=SimpleNamespace(html_title="")
        )
        buttons = [
            {"type": "group", "label": "download-buttons", "buttons": [{"type": "x", "url": "y"}]}
        ]
        context = {"header_buttons": buttons, "pathto": lambda _, path=path: path}
        publishing.describe_page(app, "book/intro", "", context, None)
        offered = [one["url"] for one in context["header_buttons"][0]["buttons"]]
        assert offered == ["y", *([f"{path.rstrip('#')}#whole-book"] if pages else [])]


@pytest.mark.parametrize(
    ("repository", "language", "label"),
    [
        (REPOSITORY, "en", "PDF, e-book"),
        (REPOSITORY, "nl", "Pdf, e-boek"),
        ("https://gitlab.example/x/y", "en", "Make a PDF"),
        (None, "nl", "Maak een pdf"),
    ],
)
def test_the_cover_promises_a_pdf_only_where_a_release_has_one(repository, language, label):
    app = SimpleNamespace(
        srcdir=ROOT,
        env=SimpleNamespace(found_docs={"book/setup"}),
        config=SimpleNamespace(
            language=language,
            root_doc="book/intro",
            html_theme_options={"repository_url": repository},
        ),
        builder=SimpleNamespace(get_relative_uri=lambda _, page: f"{page}.html"),
    )
    link = BeautifulSoup(cover.ways_in(app), "html.parser").a
    assert (link.get_text(), link["href"]) == (label, "book/setup.html#whole-book")


def test_the_books_address_is_in_every_head(placed, unset):
    head = page(placed, "book/intro.html").head
    assert head.select_one("link[rel=canonical]")["href"] == f"{SITE}book/intro.html"
    assert head.select_one('meta[property="og:url"]')["content"] == f"{SITE}book/intro.html"
    without = page(unset, "book/intro.html").head
    assert without.select_one("link[rel=canonical]") is None
    assert without.select_one('meta[property="og:url"]') is None


def test_a_link_to_the_book_has_a_picture_where_the_book_has_an_address(placed, unset):
    head = page(placed, "book/04_attention.html").head
    address = head.select_one('meta[property="og:image"]')["content"]
    assert address.startswith(SITE)
    picture = (placed / address.removeprefix(SITE)).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 300_000
    assert page(unset, "book/04_attention.html").select('meta[property^="og:image"]') == []
    assert not (unset / address.removeprefix(SITE)).exists()


@pytest.mark.parametrize("name", ["placed", "unset"])
def test_each_page_names_its_version_and_its_neighbours(name, request):
    html = request.getfixturevalue(name)
    intro, chapter = page(html, "book/intro.html"), page(html, "book/04_attention.html")
    for one in (intro, chapter):
        assert one.select_one(".book-version").get_text() == f"mtcourse {__version__}"
    (following,) = intro.select(".bd-header-article .neighbours a")
    assert " ".join(following.get_text(" ").split()) == "next: 4. Attention →"
    assert following["href"] == "04_attention.html"
    (before,) = chapter.select(".bd-header-article .neighbours a")
    assert before["rel"] == ["prev"]


def test_the_sitemap_lists_the_pages_and_robots_find_it(placed, unset):
    listed = ET.parse(placed / "sitemap.xml").getroot()
    pages = [place.text for place in listed.findall(".//{*}loc")]
    assert pages == [f"{SITE}book/04_attention.html", f"{SITE}book/intro.html"]
    assert f"Sitemap: {SITE}sitemap.xml" in (placed / "robots.txt").read_text("utf-8")
    assert not (unset / "sitemap.xml").exists()
    assert "Sitemap" not in (unset / "robots.txt").read_text("utf-8")


@pytest.mark.parametrize("name", ["book/intro.html", "book/04_attention.html"])
def test_the_head_says_each_thing_once(unset, name):
    head = page(unset, name).head
    assert len(head.select("meta[name=viewport]")) == 1
    assert head.select_one('meta[property="og:title"]')["content"] in head.title.get_text()
    assert not head.select('meta[content=""]')


def test_a_page_is_described_by_its_first_sentence(unset):
    described = page(unset, "book/intro.html").head.select("meta[name=description]")
    assert [tag["content"].split(",")[0] for tag in described] == ["Read the model card"]
    assert "says “much” of" in described[0]["content"]


@pytest.mark.parametrize(
    ("said", "description"),
    [
        ("It is long enough to be a sentence of its own.", None),
        ("Short.", "Words & signs – The book"),
        ("", "Words & signs – The book"),
    ],
)
def test_a_page_without_a_sentence_is_described_by_its_title(said, description):
    doctree = new_document("")
    hidden = nodes.raw("", '<span data-english="A text that is here for a script alone">')
    doctree += nodes.section(
        "", nodes.title("", "Words & signs"), nodes.paragraph("", "", nodes.Text(said), hidden)
    )
    app = SimpleNamespace(config=SimpleNamespace(html_title="The book", html_theme_options={}))
    context = {"title": "Words &amp; signs"}
    publishing.describe_page(app, "book/x", "", context, doctree)
    head = BeautifulSoup(context["metatags"], "html.parser")
    (tag,) = head.select("meta[name=description]")
    assert tag["content"] == (description or said)


@pytest.mark.parametrize("words", ["the card", "the [x] card", "`[bos]`"])
def test_of_a_link_without_an_address_its_words_remain(words):
    text = f"See [{words}]({publishing.IN_PAGES}/blob/main/x.md) [here]."
    assert publishing.placed(text, None) == f"See {words} [here]."


@pytest.mark.parametrize(
    ("repository", "site"),
    [
        ("https://github.com/A-School/its-course", "https://a-school.github.io/its-course/"),
        ("https://github.com/a-school/a-school.github.io", "https://a-school.github.io/"),
        ("https://gitlab.com/a-school/group/its-course", ""),
        (NOT_SET, ""),
        ("", ""),
        (None, ""),
    ],
)
@pytest.mark.parametrize("own", ["", SITE])
def test_a_book_is_where_github_publishes_it_unless_it_has_an_address(repository, site, own):
    config = SimpleNamespace(html_baseurl=own, html_theme_options={"repository_url": repository})
    publishing.place_site(SimpleNamespace(config=config), config)
    assert config.html_baseurl == (own or site)


def test_the_repositorys_address_is_enough_for_a_book_on_github(on_github):
    site = "https://a-school.github.io/its-course/"
    head = page(on_github, "book/intro.html").head
    assert head.select_one("link[rel=canonical]")["href"] == f"{site}book/intro.html"
    assert f"{site}book/intro.html" in (on_github / "sitemap.xml").read_text("utf-8")
    assert (on_github / "404.html").exists()
    found = addresses(on_github, "book/04_attention.html")
    assert f"{REPOSITORY}/blob/{BRANCH}/{EXERCISES}" in found
    assert not [address for address in found if ".git/" in address]


def test_what_a_page_offers_as_its_text_follows_the_address(placed, unset):
    texts = [
        (html / "_sources" / "book" / "intro.md").read_text("utf-8") for html in (placed, unset)
    ]
    assert f"git clone {REPOSITORY}" in texts[0]
    assert f"[the model card]({REPOSITORY}/blob/main/README.md)" in texts[0]
    assert "Read the model card, and" in texts[1]
    assert "pip install x ./mtcourse './mtcourse[y]'" in texts[1]
    for text in texts:
        assert f"({publishing.IN_PAGES}-of-others/x)" in text
        assert f"{publishing.IN_PAGES}/" not in text


@pytest.mark.parametrize("address", [REPOSITORY, None])
def test_a_notebook_that_is_offered_follows_the_address(tmp_path, address):
    notebook = tmp_path / "x.ipynb"
    lines = [f'SOURCE = "{publishing.IN_PAGES}/blob/main"\n', f"# [it]({publishing.IN_PAGES}/x)"]
    notebook.write_text(json.dumps({"cells": [{"source": lines}]}), encoding="utf-8")
    publishing.place_in_source(notebook, address)
    (cell,) = json.loads(notebook.read_text("utf-8"))["cells"]
    there = [f'SOURCE = "{REPOSITORY}/blob/main"', f"# [it]({REPOSITORY}/x)"]
    assert cell["source"].splitlines() == (there if address else ['SOURCE = ".."', "# it"])


@pytest.mark.parametrize("depth", ["x.html", "book/x.html", "book/a/b/c.html"])
def test_the_page_of_a_lost_reader_leads_back_from_any_depth(placed, unset, depth):
    lost = page(placed, "404.html")
    named = [it.get("href") or it.get("action") for it in lost.select("[href], form[action]")]
    assert len(named) == 5
    assert lost.form.input["name"] == "q"
    for address in (urljoin(SITE + depth, it) for it in named):
        assert (placed / address.removeprefix(SITE)).exists()
    assert not (unset / "404.html").exists()


def test_the_first_address_leads_to_the_first_page_and_has_an_icon(unset):
    first = page(unset, "index.html")
    assert first.a["href"] == "book/intro.html"
    assert (unset / first.select_one("link[rel=icon]")["href"]).exists()
